#include "elastic/plate.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/index.h"
#include "math/decompose.h"

namespace sinew::elastic {
namespace {

using Vec2 = Eigen::Vector2d;

/// One side of a triangle.
struct Side {
  int hinge = -1;     ///< -1: border, or more than two triangles meet
  int triangle = -1;  ///< across
  int side = -1;      ///< which of its sides that is
  double up = 1;      ///< -1: the triangle's normal is opposite to that of the hinge on this side
};

/// Sides of all triangles; side k is opposite to corner k, from corner k + 1 to k + 2.
std::vector<Side> sidesOf(const Sheet& sheet) {
  const auto keyOf = [](int a, int b) {
    return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
  };
  std::vector<std::pair<std::uint64_t, int>> byEdge;
  byEdge.reserve(sheet.hinges.size());
  for (std::size_t h = 0; h < sheet.hinges.size(); ++h) {
    byEdge.emplace_back(keyOf(sheet.hinges[h][0], sheet.hinges[h][1]), static_cast<int>(h));
  }
  std::sort(byEdge.begin(), byEdge.end());
  std::vector<Side> sides(sheet.triangles.size());
  std::vector<int> other(sheet.hinges.size(), -1);  // the side met first
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::size_t corner = i / 3 * 3;
    const int from = sheet.triangles[corner + (i + 1) % 3], to = sheet.triangles[corner + (i + 2) % 3];
    const std::uint64_t key = keyOf(from, to);
    const auto found = std::lower_bound(byEdge.begin(), byEdge.end(), std::pair{key, -1});
    if (found == byEdge.end() || found->first != key) continue;
    const int h = found->second;
    Side& side = sides[i];
    side.hinge = h;
    int& first = other[at(h)];
    if (first < 0) {
      first = static_cast<int>(i);
      side.up = from == sheet.hinges[at(h)][0] ? 1 : -1;
      continue;
    }
    side.up = from == sheet.hinges[at(h)][1] ? 1 : -1;
    side.triangle = first / 3, side.side = first % 3;
    sides[at(first)].triangle = static_cast<int>(i / 3), sides[at(first)].side = static_cast<int>(i % 3);
  }
  return sides;
}

struct FlatTriangle {
  std::array<Vec2, 3> x;
};

/// A triangle in its own axes.
FlatTriangle flatten(const Sheet& sheet, int triangle) {
  const int* v = &sheet.triangles[at(3 * triangle)];
  const Vec3 &a = sheet.rest[at(v[0])], e = sheet.rest[at(v[1])] - a, d = sheet.rest[at(v[2])] - a;
  const double length = e.norm();
  return {{Vec2(0, 0), Vec2(length, 0), Vec2(d.dot(e), d.cross(e).norm()) / length}};
}

/// A linear combination of fold angles, in places of Patch::hinges.
using Combination = std::vector<double>;

/// A patch whose least pivot is a smaller part of the largest does not determine a quadratic surface.
constexpr double kGood = 0.02;
/// Pivots below this part of the largest count as zero.
constexpr double kLeastPivot = 1e-6;

/// Values of four cubic surfaces whose third derivatives are orthonormal: the sum of the squares of errors in them is
/// the same in all axes.
Eigen::Vector4d cubics(const Vec2& x) {
  const double root = std::sqrt(3.0);
  return {x[0] * x[0] * x[0] / 6, x[0] * x[0] * x[1] / (2 * root), x[0] * x[1] * x[1] / (2 * root),
          x[1] * x[1] * x[1] / 6};
}

/// Their slopes along a unit vector.
Eigen::Vector4d cubicSlopes(const Vec2& x, const Vec2& along) {
  const double root = std::sqrt(3.0);
  const Eigen::Vector4d by0(x[0] * x[0] / 2, x[0] * x[1] / root, x[1] * x[1] / (2 * root), 0);
  const Eigen::Vector4d by1(0, x[0] * x[0] / (2 * root), x[0] * x[1] / root, x[1] * x[1] / 2);
  return along[0] * by0 + along[1] * by1;
}

/// Triangles around a hinge, unfolded into the plane of the first one. Above that plane, each is an affine function
/// whose coefficients are combinations of the angles crossed on the way.
class Patch {
 public:
  Patch(const Sheet& sheet, const std::vector<Side>& sides, int triangle, int side) : sheet_(sheet), sides_(sides) {
    Member root;
    root.triangle = triangle;
    root.x = flatten(sheet, triangle).x;
    members_.push_back(root);
    for (const Vec2& x : root.x) points_.push_back({x, 0});
    cross(0, side);
  }

  /// Adds the triangles next to those that the last call (or the constructor) added. False: there are none.
  bool grow() {
    const std::size_t first = grown_, end = members_.size();
    grown_ = end;
    for (std::size_t i = first; i < end; ++i) {
      for (int side = 0; side < 3; ++side) cross(i, side);
    }
    return members_.size() > end;
  }

  struct Fit {
    std::vector<double> weight;  ///< per hinge of the patch: slope per angle
    double quality = 0;          ///< ratio of the least pivot to the largest; 0: not enough points
  };
  /// Slope across the first hinge, in the mean of its edge: a sum over the points, exact for quadratic surfaces.
  Fit fit(int side) const {
    const Member& root = members_[0];
    const Vec2 a = root.x[at((side + 1) % 3)], b = root.x[at((side + 2) % 3)];
    const Vec2 middle = 0.5 * (a + b), across = outward(root.x, side);
    // axes in which the patch is as wide as long
    Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
    for (const PatchPoint& p : points_) spread += (p.x - middle) * (p.x - middle).transpose();
    spread /= static_cast<double>(points_.size());
    const SymmetricModes<2> modes = symmetricModes(spread);
    const Eigen::Matrix2d scale = modes.axes * modes.values.cwiseSqrt().cwiseInverse().asDiagonal();
    Eigen::Matrix<double, Eigen::Dynamic, 6> A(static_cast<Eigen::Index>(points_.size()), 6);
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const Vec2 y = scale.transpose() * (points_[i].x - middle);
      A.row(i) << 1, y[0], y[1], 0.5 * y[0] * y[0], 0.5 * y[1] * y[1], y[0] * y[1];
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(kLeastPivot);
    solver.compute(A);
    const Eigen::MatrixXd inverse = solver.pseudoInverse();
    Eigen::VectorXd byPoint = ((scale.transpose() * across).transpose() * inverse.middleRows(1, 2)).transpose();
    Fit result;
    if (points_.size() >= 6) {
      const auto pivot = solver.matrixQTZ().diagonal().cwiseAbs();
      result.quality = pivot.head<6>().minCoeff() / pivot.head<6>().maxCoeff();
      if (result.quality > kGood) removeCubicError(A, 0.5 * (b - a), middle, across, byPoint);
    }
    result.weight.assign(hinges_.size(), 0);
    for (std::size_t i = 3; i < points_.size(); ++i) {
      const Member& member = members_[points_[i].member];
      const Eigen::Vector3d place(1, points_[i].x[0], points_[i].x[1]);
      for (const auto& [hinge, plane] : member.height) {
        result.weight[hinge] += byPoint[static_cast<Eigen::Index>(i)] * plane.dot(place);
      }
    }
    return result;
  }

  const std::vector<int>& hinges() const { return hinges_; }
  /// Sign of the normal of the other triangle of the first hinge: 1 if it agrees with that of the root.
  double otherUp() const { return members_[1].up; }

 private:
  struct Member {
    int triangle = 0;
    double up = 1;  ///< its normal against that of the root
    std::array<Vec2, 3> x;
    std::vector<std::pair<std::size_t, Eigen::Vector3d>> height;  ///< place of a hinge; constant, x, y per angle
  };
  struct PatchPoint {
    Vec2 x;
    std::size_t member;
  };

  /// Slope as a sum over the points: takes what quadratic surfaces (columns of A) leave open such that the error of
  /// cubic ones is least. `half`: from the middle of the edge to its end.
  void removeCubicError(const Eigen::MatrixXd& A, const Vec2& half, const Vec2& middle, const Vec2& across,
                        Eigen::VectorXd& byPoint) const {
    const Eigen::Index count = A.rows(), open = count - A.cols();
    if (open == 0) return;
    const double unit = 1 / half.norm();
    Eigen::Matrix<double, 4, Eigen::Dynamic> value(4, count);
    for (Eigen::Index i = 0; i < count; ++i) value.col(i) = cubics(unit * (points_[i].x - middle));
    const Vec2 gauss = unit / std::sqrt(3.0) * half;
    const Eigen::Vector4d mean = 0.5 * unit * (cubicSlopes(gauss, across) + cubicSlopes(-gauss, across));
    const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ();
    const auto free = q.rightCols(open);
    const Eigen::JacobiSVD<Eigen::MatrixXd> modes(value * free, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd error = modes.matrixU().transpose() * (mean - value * byPoint);
    for (Eigen::Index i = 0; i < modes.singularValues().size(); ++i) {
      const double size = modes.singularValues()[i];
      if (size > kGood * value.norm()) byPoint += free * modes.matrixV().col(i) * (error[i] / size);
    }
  }

  static Vec2 outward(const std::array<Vec2, 3>& x, int side) {
    const Vec2 &a = x[at((side + 1) % 3)], &b = x[at((side + 2) % 3)];
    const Vec2 edge = (b - a).normalized();
    const Vec2 n(edge[1], -edge[0]);
    return n.dot(x[at(side)] - a) > 0 ? Vec2(-n) : n;
  }

  /// Adds the triangle across a side unless it is there already, is fixed, or there is none.
  void cross(std::size_t from, int side) {
    const int triangle = members_[from].triangle;
    const Side& s = sides_[at(3 * triangle + side)];
    if (s.hinge < 0 || sheet_.fixed[at(s.triangle)]) return;
    if (std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.triangle == s.triangle; })) {
      return;
    }
    const Side& back = sides_[at(3 * s.triangle + s.side)];
    Member next = members_[from];
    const std::array<Vec2, 3> x = members_[from].x;
    const Vec2 a = x[at((side + 1) % 3)], b = x[at((side + 2) % 3)], n = outward(x, side);
    next.triangle = s.triangle;
    next.up = members_[from].up * s.up * back.up;
    hinges_.push_back(s.hinge);
    const Eigen::Vector3d rise(-n.dot(a), n[0], n[1]);
    next.height.emplace_back(hinges_.size() - 1, members_[from].up * s.up * rise);
    // where its third corner comes to lie
    const int *own = &sheet_.triangles[at(3 * triangle)], *v = &sheet_.triangles[at(3 * s.triangle)];
    const int start = own[(side + 1) % 3];
    const Vec3 origin = sheet_.rest[at(start)];
    const Vec3 e = sheet_.rest[at(own[(side + 2) % 3])] - origin, d = sheet_.rest[at(v[s.side])] - origin;
    const double length = e.norm();
    const Vec2 apex = a + (b - a) * (d.dot(e) / (length * length)) + n * (d.cross(e).norm() / length);
    for (int corner = 0; corner < 3; ++corner) {
      next.x[at(corner)] = corner == s.side ? apex : v[corner] == start ? a : b;
    }
    members_.push_back(next);
    points_.push_back({apex, members_.size() - 1});
  }

  const Sheet& sheet_;
  const std::vector<Side>& sides_;
  std::vector<Member> members_;
  std::vector<PatchPoint> points_;  ///< the corners of the root, then one for every other member
  std::vector<int> hinges_;
  std::size_t grown_ = 0;
};

using Slope = std::vector<std::pair<int, double>>;  ///< hinge, share of its angle

/// How the fold at one side of a triangle is shared: slopes that it and the triangle across see, each along its own
/// normal.
std::pair<Slope, Slope> slopesAt(const Sheet& sheet, const std::vector<Side>& sides, int triangle, int side) {
  constexpr int kMostRings = 3;
  const Side& s = sides[at(3 * triangle + side)];
  const Side& back = sides[at(3 * s.triangle + s.side)];
  if (sheet.fixed[at(triangle)] || sheet.fixed[at(s.triangle)]) {
    return {{{s.hinge, s.up}}, {{s.hinge, back.up}}};
  }
  Patch patch(sheet, sides, triangle, side);
  std::vector<double> weight;
  for (int ring = 0; ring < kMostRings && patch.grow(); ++ring) {
    Patch::Fit fit = patch.fit(side);
    const bool good = fit.quality > kGood;
    if (ring == 0 || good) weight = std::move(fit.weight);
    if (good) break;
  }
  if (weight.empty()) weight = patch.fit(side).weight;  // a pair of triangles
  std::pair<Slope, Slope> slopes;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const int hinge = patch.hinges()[i];
    slopes.first.emplace_back(hinge, weight[i]);
    slopes.second.emplace_back(hinge, patch.otherUp() * ((hinge == s.hinge ? s.up : 0) - weight[i]));
  }
  return slopes;
}

/// Rows of |S| summed, halved.
std::vector<double> boundOf(const Sheet& sheet, const PlateBending& plate, const std::vector<double>& area) {
  std::vector<std::vector<int>> trianglesOf(sheet.hinges.size());
  for (std::size_t t = 0; t < area.size(); ++t) {
    for (int i = plate.first[t]; i < plate.first[t + 1]; ++i) {
      trianglesOf[at(plate.shares[at(i)].hinge)].push_back(static_cast<int>(t));
    }
  }
  std::vector<double> row(sheet.hinges.size(), 0), bound(sheet.hinges.size(), 0);
  std::vector<int> touched;
  for (std::size_t h = 0; h < bound.size(); ++h) {
    touched.clear();
    for (const int t : trianglesOf[h]) {
      const int first = plate.first[at(t)], end = plate.first[at(t) + 1];
      const auto own = std::find_if(plate.shares.begin() + first, plate.shares.begin() + end,
                                    [&](const AngleShare& share) { return share.hinge == static_cast<int>(h); });
      const Eigen::Vector3d moment = area[at(t)] * (plate.D[at(t)] * own->curvature);
      for (int i = first; i < end; ++i) {
        const AngleShare& share = plate.shares[at(i)];
        row[at(share.hinge)] += moment.dot(share.curvature);
        touched.push_back(share.hinge);
      }
    }
    for (const int other : touched) {
      bound[h] += 0.5 * std::abs(row[at(other)]);
      row[at(other)] = 0;
    }
  }
  return bound;
}

}  // namespace

PlateBending plateBending(const Sheet& sheet, double modulus, double poisson) {
  const std::vector<Side> sides = sidesOf(sheet);
  const int count = static_cast<int>(sheet.triangles.size() / 3);
  std::vector<Slope> slopes(sides.size());
  for (int t = 0; t < count; ++t) {
    for (int side = 0; side < 3; ++side) {
      const Side& s = sides[at(3 * t + side)];
      if (s.hinge < 0 || s.triangle < t) continue;
      std::tie(slopes[at(3 * t + side)], slopes[at(3 * s.triangle + s.side)]) = slopesAt(sheet, sides, t, side);
    }
  }
  PlateBending plate;
  std::vector<double> areas(at(count), 0);
  Eigen::Matrix3d whole;
  whole << 1, poisson, 0, poisson, 1, 0, 0, 0, 0.5 * (1 - poisson);
  for (int t = 0; t < count; ++t) {
    plate.first.push_back(static_cast<int>(plate.shares.size()));
    Eigen::Matrix3d D = whole;
    const FlatTriangle flat = flatten(sheet, t);
    areas[at(t)] = 0.5 * flat.x[1][0] * flat.x[2][1];
    std::vector<AngleShare> shares;
    for (int side = 0; side < 3 && !sheet.fixed[at(t)]; ++side) {
      const Vec2 edge = flat.x[at((side + 2) % 3)] - flat.x[at((side + 1) % 3)];
      const double length = edge.norm();
      const Vec2 n = Vec2(edge[1], -edge[0]) / length;
      const Eigen::Vector3d m(n[0] * n[0], n[1] * n[1], 2 * n[0] * n[1]);
      if (sides[at(3 * t + side)].hinge < 0) {
        // no moment across: D less what the slope there gives way to
        const Eigen::Vector3d Dm = D * m;
        const double stiffness = m.dot(Dm);
        if (stiffness > 1e-9) D -= Dm * Dm.transpose() / stiffness;
        continue;
      }
      for (const auto& [hinge, share] : slopes[at(3 * t + side)]) {
        const auto same =
            std::find_if(shares.begin(), shares.end(), [h = hinge](const AngleShare& s) { return s.hinge == h; });
        const Eigen::Vector3d curvature = share * length / areas[at(t)] * m;
        if (same == shares.end()) {
          shares.push_back({hinge, curvature});
        } else {
          same->curvature += curvature;
        }
      }
    }
    plate.D.push_back(modulus * D);
    plate.shares.insert(plate.shares.end(), shares.begin(), shares.end());
  }
  plate.first.push_back(static_cast<int>(plate.shares.size()));
  plate.bound = boundOf(sheet, plate, areas);
  return plate;
}

}  // namespace sinew::elastic
