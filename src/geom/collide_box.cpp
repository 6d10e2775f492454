#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "geom/collide_primitive.h"

namespace sinew::geom {
namespace {

int next(int axis) { return (axis + 1) % 3; }
int afterNext(int axis) { return (axis + 2) % 3; }

/// A ball with centre c (box frame) and radius r against the box; adds the point in world coordinates.
int ballBox(const Vec3& c, double r, const Shape& box, double margin, PointList& out) {
  const Vec3 clamped = c.cwiseMax(-box.size).cwiseMin(box.size);
  const Vec3 inward = clamped - c;
  const double distance = inward.norm();
  if (distance - r > margin) return 0;

  ContactPoint point;
  if (distance > kMinVal) {
    const Vec3 n = inward / distance;
    point.normal = box.rot * n;
    point.pos = 0.5 * (clamped + c + n * r);
    point.dist = distance - r;
  } else {
    // centre inside: leave through the nearest face; faces in the order -x, +x, -y, +y, -z, +z, first of equals
    int axis = 0;
    double sign = 1, nearest = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      for (const double face : {-1.0, 1.0}) {
        const double depth = std::abs(face * box.size[i] - c[i]);
        if (depth < nearest) {
          nearest = depth;
          axis = i;
          sign = -face;  // from the ball into the box
        }
      }
    }
    const Vec3 n = sign * Vec3::Unit(axis);
    point.normal = box.rot * n;
    point.pos = c + n * (0.5 * (r - nearest));
    point.dist = -nearest - r;
  }
  point.pos = box.pos + box.rot * point.pos;
  out.push_back(point);
  return 1;
}

// ---------------------------------------------------------------------------------------------- capsule and box

/// What of the box the capsule's axis is nearest to.
struct NearestFeature {
  enum Kind { None, Face, Edge, Corner } kind = None;
  double t = 0;      // parameter on the axis, c + t g
  int axis = -1;     // Face: clamped coordinate, -1 when inside; Edge: direction of the edge
  int corner = 0;    // Edge, Corner: bits of the positive coordinates
  double along = 0;  // Edge: parameter on the edge, -1 .. 1
};

/// Search over the ends of the segment (against faces) and over all twelve edges; c and g in the box frame.
NearestFeature nearestFeature(const Vec3& c, const Vec3& g, const Vec3& s) {
  NearestFeature best;
  double bestSquare = std::numeric_limits<double>::max();

  for (const double end : {-1.0, 1.0}) {
    const Vec3 e = c + end * g;
    int clampedCount = 0, clampedAxis = -1;
    double square = 0;
    for (int i = 0; i < 3; ++i) {
      const double over = std::abs(e[i]) - s[i];
      if (over > 0) {
        ++clampedCount;
        clampedAxis = i;
        square += over * over;
      }
    }
    if (clampedCount > 1 || square >= bestSquare) continue;
    bestSquare = square;
    best = {NearestFeature::Face, end, clampedAxis, 0, 0};
  }

  for (int j = 0; j < 3; ++j) {
    for (int corner = 0; corner < 8; ++corner) {
      if (corner & (1 << j)) continue;
      // edge: m + x1 s_j e_j, x1 in [-1, 1]; segment: c + x2 g
      Vec3 m;
      for (int i = 0; i < 3; ++i) m[i] = corner & (1 << i) ? s[i] : -s[i];
      m[j] = 0;
      const Vec3 offset = m - c;
      const double a = s[j] * s[j], b = -s[j] * g[j], cc = g.dot(g);
      const double u = -s[j] * offset[j], v = g.dot(offset);
      const double det = a * cc - b * b;
      if (std::abs(det) < kMinVal) continue;
      double x1 = (cc * u - b * v) / det;
      double x2 = (a * v - b * u) / det;
      int clampedTo = 0;  // end of the edge that x1 was clamped to, kept even if it is free again later
      const auto clampEdge = [&] {
        if (x1 > 1) {
          x1 = 1;
          clampedTo = 1;
        } else if (x1 < -1) {
          x1 = -1;
          clampedTo = -1;
        } else {
          return false;
        }
        return true;
      };
      if (clampEdge()) x2 = (v - b * x1) / cc;
      if (x2 > 1 || x2 < -1) {
        x2 = std::clamp(x2, -1.0, 1.0);
        x1 = (u - b * x2) / a;
        clampEdge();
      }
      const Vec3 gap = offset + Vec3::Unit(j) * (x1 * s[j]) - x2 * g;
      const double square = gap.squaredNorm();
      if (square >= bestSquare - kMinVal) continue;
      bestSquare = square;
      best.kind = clampedTo == 0 ? NearestFeature::Edge : NearestFeature::Corner;
      best.t = x2;
      best.axis = j;
      best.corner = corner | (clampedTo > 0 ? 1 << j : 0);
      best.along = x1;
    }
  }
  return best;
}

/// How far from the nearest point, along the axis, a second contact lies, if there is one (it may coincide with the
/// first). The capsule's axis leaves the feature it is nearest to along a face or an edge as long as it stays over the
/// box. Bits of `positive` are set
/// where g > 0.
std::optional<double> secondPoint(const NearestFeature& f, const Vec3& c, const Vec3& g, const Vec3& s, int positive) {
  const Vec3 direction = normalizedOrX(g);
  const auto span = [&](int axis) {
    return std::abs(g[axis]) < kMinVal ? std::numeric_limits<double>::max() : 2 * s[axis] / std::abs(g[axis]);
  };
  const auto bitCount = [](int bits) { return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1); };
  const auto bitAxis = [](int bit) { return bit == 1 ? 0 : bit == 2 ? 1 : 2; };

  switch (f.kind) {
    case NearestFeature::Corner: {
      int against = positive ^ f.corner;  // axes along which +g leads away from the corner, into the box
      if (against == 0 || against == 7) return {};
      double sign = 1, ahead = 1 - f.t, behind = 1 + f.t;
      if (bitCount(against) == 2) {
        sign = -1;
        against = 7 - against;
        std::swap(ahead, behind);
      }
      const int a = bitAxis(against);
      if (direction[a] * direction[a] > 0.5) return sign * std::min(ahead, span(a));
      return -sign * std::min({behind, span(next(a)), span(afterNext(a))});
    }
    case NearestFeature::Edge: {
      const int j = f.axis;
      const int against = (positive ^ f.corner) & ~(1 << j);
      if (bitCount(against) != 1) return {};
      int across = next(j), over = afterNext(j);  // `over`: the axis of the face the capsule bends towards
      if (std::abs(direction[across]) > std::abs(direction[over])) std::swap(across, over);
      const bool forward = (against & (1 << over)) != 0;
      const bool alongPositive = (positive & (1 << j)) != 0;
      const double room = alongPositive == forward ? 1 - f.along : 1 + f.along;
      const double edgeEnd =
          std::abs(g[j]) < kMinVal ? std::numeric_limits<double>::max() : s[j] * room / std::abs(g[j]);
      const double length = std::min({forward ? 1 - f.t : 1 + f.t, span(over), edgeEnd});
      return forward ? length : -length;
    }
    case NearestFeature::Face: {
      if (f.axis < 0) return {};  // inside
      const double sign = f.t < 0 ? 1 : -1;
      const Vec3 e = c - sign * g;
      double length = 2;
      for (int i = 0; i < 3; ++i) {
        if (i == f.axis || std::abs(g[i]) < kMinVal) continue;
        for (const double face : {-1.0, 1.0}) {
          const double reach = sign * (face * s[i] - e[i]) / g[i];
          if (reach > 0) length = std::min(length, reach);
        }
      }
      return sign * length;
    }
    case NearestFeature::None:
      break;
  }
  return {};
}

// ---------------------------------------------------------------------------------------------- box and box

/// A direction that might separate two boxes, and by how much it does (negative: overlap).
struct Axis {
  double separation = -std::numeric_limits<double>::max();
  int code = -1;  // 0..2 face of the first box, 3..5 of the second, 6 + 3 i + j edges i and j
};

constexpr double kRoundingSlack = 1e-13;  // of the sum of all half sizes
constexpr double kParallelEdges = 1e-16;  // squared sine below which two edges have no common perpendicular
constexpr double kEdgeBias = 1e-6;        // an edge must be better than the best so far by this fraction
constexpr double kAmbiguousSign = 1e-9;
constexpr double kDuplicate = 1e-14;  // squared distance of equal points, relative to the face

/// Two boxes in the frame of the first: `R` has the second box's axes as columns, `t` its centre.
struct BoxPair {
  Vec3 s1, s2, t;
  Mat3 R;
  Vec3 t2() const { return -(R.transpose() * t); }  // centre of the first box in the frame of the second
};

/// Unit common perpendicular of edge i of the first and edge j of the second box, in the frame of the first.
Vec3 edgeCross(const BoxPair& p, int i, int j) { return Vec3::Unit(i).cross(Vec3(p.R.col(j))); }

/// Best separating axis, or one whose separation exceeds `limit` if there is such an axis.
Axis separatingAxis(const BoxPair& p, double limit) {
  Axis best;
  const Mat3 absR = p.R.cwiseAbs();
  const auto face = [&](double separation, int code) {
    if (separation > best.separation) best = {separation, code};
    return separation > limit;
  };
  for (int i = 0; i < 3; ++i) {
    if (face(std::abs(p.t[i]) - p.s1[i] - absR.row(i).dot(p.s2.transpose()), i)) return best;
  }
  const Vec3 t2 = p.t2();
  for (int j = 0; j < 3; ++j) {
    if (face(std::abs(t2[j]) - p.s2[j] - absR.col(j).dot(p.s1), 3 + j)) return best;
  }
  const Axis bestFace = best;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vec3 n = edgeCross(p, i, j);
      const double square = n.squaredNorm();
      if (square < kParallelEdges) continue;
      n /= std::sqrt(square);
      const double reach1 = n.cwiseAbs().dot(p.s1);
      const double reach2 = Vec3(p.R.transpose() * n).cwiseAbs().dot(p.s2);
      const double separation = std::abs(n.dot(p.t)) - reach1 - reach2;
      if (separation > limit) return {separation, 6 + 3 * i + j};
      if (separation - kEdgeBias * std::abs(separation) > best.separation && separation > bestFace.separation) {
        best = {separation, 6 + 3 * i + j};
      }
    }
  }
  // an edge axis that nearly is a face normal gives way to the face, which offers more points, unless it is clearly
  // better; otherwise resting boxes would flip between the two by rounding
  if (best.code >= 6) {
    const Vec3 n = edgeCross(p, (best.code - 6) / 3, (best.code - 6) % 3).normalized();
    const double cosine = std::abs(bestFace.code < 3 ? n[bestFace.code] : n.dot(Vec3(p.R.col(bestFace.code - 3))));
    if (cosine > 0.99 && best.separation < bestFace.separation + 0.05 * std::abs(bestFace.separation) + kMinVal) {
      return bestFace;
    }
  }
  return best;
}

/// Crossing edges: one point between the nearest points of the two.
int boxEdges(const BoxPair& p, const Shape& a, int i, int j, double limit, PointList& out) {
  Vec3 n = edgeCross(p, i, j).normalized();
  if (n.dot(p.t) < 0) n = -n;
  const Vec3 n2 = p.R.transpose() * n;
  const Vec3 d2 = p.R.col(j);
  const double cosine = d2[i];
  const double sineSquare = 1 - cosine * cosine;

  // the edges that support the axis are chosen by the signs of its components; a vanishing component leaves two choices
  const auto ambiguous = [](const Vec3& v, int axis) {
    if (std::abs(v[next(axis)]) < kAmbiguousSign) return next(axis);
    if (std::abs(v[afterNext(axis)]) < kAmbiguousSign) return afterNext(axis);
    return -1;
  };
  const int free1 = ambiguous(n, i), free2 = ambiguous(n2, j);
  Vec3 best1 = Vec3::Zero(), best2 = Vec3::Zero();
  double bestSquare = std::numeric_limits<double>::max();
  for (int flip1 = 0; flip1 < (free1 >= 0 ? 2 : 1); ++flip1) {
    for (int flip2 = 0; flip2 < (free2 >= 0 ? 2 : 1); ++flip2) {
      Vec3 c1 = Vec3::Zero(), c2 = Vec3::Zero();
      for (const int k : {next(i), afterNext(i)}) c1[k] = n[k] >= 0 ? p.s1[k] : -p.s1[k];
      for (const int k : {next(j), afterNext(j)}) c2[k] = n2[k] >= 0 ? -p.s2[k] : p.s2[k];
      if (flip1) c1[free1] = -c1[free1];
      if (flip2) c2[free2] = -c2[free2];
      c2 = p.t + p.R * c2;
      const Vec3 e = c2 - c1;
      const double along1 = e[i], along2 = d2.dot(e);
      double s = sineSquare < kMinVal ? 0 : (along1 - cosine * along2) / sineSquare;
      s = std::clamp(s, -p.s1[i], p.s1[i]);
      const double t = std::clamp(cosine * s - along2, -p.s2[j], p.s2[j]);
      s = std::clamp(along1 + cosine * t, -p.s1[i], p.s1[i]);
      const Vec3 w1 = c1 + Vec3::Unit(i) * s, w2 = c2 + d2 * t;
      if ((w2 - w1).squaredNorm() < bestSquare) {
        bestSquare = (w2 - w1).squaredNorm();
        best1 = w1;
        best2 = w2;
      }
    }
  }
  const double dist = n.dot(best2 - best1);
  if (dist > limit) return 0;
  out.push_back({.pos = a.pos + a.rot * (0.5 * (best1 + best2)), .normal = a.rot * n, .dist = dist});
  return 1;
}

/// Convex polygon with room for what clipping a quadrilateral by four half-planes can produce.
struct Polygon {
  std::array<Vec3, 8> vertex;
  int count = 0;
};

/// Keeps the part with sign * v[axis] <= bound (Sutherland-Hodgman).
Polygon clip(const Polygon& in, int axis, double sign, double bound) {
  Polygon out;
  const auto add = [&](const Vec3& v) {
    if (out.count < 8) out.vertex[static_cast<std::size_t>(out.count++)] = v;
  };
  for (int k = 0; k < in.count; ++k) {
    const Vec3& from = in.vertex[static_cast<std::size_t>(k)];
    const Vec3& to = in.vertex[static_cast<std::size_t>((k + 1) % in.count)];
    const double d0 = sign * from[axis] - bound, d1 = sign * to[axis] - bound;
    if (d0 <= 0) add(from);
    if ((d0 < 0 && d1 > 0) || (d0 > 0 && d1 < 0)) add(from + (to - from) * (d0 / (d0 - d1)));
  }
  return out;
}

/// The face `axis` of the reference box against the most opposed face of the other one. `p` is seen from the reference
/// box; `normalSign` turns the face normal into one from the first shape to the second.
int boxFaces(const BoxPair& p, const Shape& reference, int axis, double normalSign, double margin, PointList& out) {
  const double side = p.t[axis] >= 0 ? 1 : -1;
  int incident = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(p.R(axis, k)) > std::abs(p.R(axis, incident))) incident = k;
  }
  const double incidentSign = side * p.R(axis, incident) > 0 ? -1 : 1;

  // incident face in (x, y, z): two coordinates in the reference face and the height over it
  const int ax = next(axis), ay = afterNext(axis);
  const auto project = [&](const Vec3& v) { return Vec3(v[ax], v[ay], side * v[axis]); };
  const int bu = next(incident), bv = afterNext(incident);
  const Vec3 center = project(p.t + p.R.col(incident) * (incidentSign * p.s2[incident])) - Vec3(0, 0, p.s1[axis]);
  const Vec3 u = project(p.R.col(bu) * p.s2[bu]), v = project(p.R.col(bv) * p.s2[bv]);
  Polygon polygon{{center + u + v, center - u + v, center - u - v, center + u - v}, 4};
  polygon = clip(polygon, 0, 1, p.s1[ax]);
  polygon = clip(polygon, 0, -1, p.s1[ax]);
  polygon = clip(polygon, 1, 1, p.s1[ay]);
  polygon = clip(polygon, 1, -1, p.s1[ay]);

  const double duplicate = kDuplicate * (p.s1[ax] * p.s1[ax] + p.s1[ay] * p.s1[ay]);
  Polygon accepted;
  for (int k = 0; k < polygon.count; ++k) {
    const Vec3& point = polygon.vertex[static_cast<std::size_t>(k)];
    if (point.z() > margin) continue;
    const bool known = std::any_of(accepted.vertex.begin(), accepted.vertex.begin() + accepted.count,
                                   [&](const Vec3& q) { return (q - point).head<2>().squaredNorm() < duplicate; });
    if (!known) accepted.vertex[static_cast<std::size_t>(accepted.count++)] = point;
  }
  const Vec3 normal = reference.rot.col(axis) * (normalSign * side);
  for (int k = 0; k < accepted.count; ++k) {
    const Vec3& point = accepted.vertex[static_cast<std::size_t>(k)];
    Vec3 local;
    local[ax] = point.x();
    local[ay] = point.y();
    local[axis] = side * (p.s1[axis] + 0.5 * point.z());
    out.push_back({.pos = reference.pos + reference.rot * local, .normal = normal, .dist = point.z()});
  }
  return accepted.count;
}

}  // namespace

int sphereBox(const Shape& sphere, const Shape& box, double margin, PointList& out) {
  return ballBox(box.rot.transpose() * (sphere.pos - box.pos), sphere.size[0], box, margin, out);
}

int capsuleBox(const Shape& capsule, const Shape& box, double margin, PointList& out) {
  const Vec3 c = box.rot.transpose() * (capsule.pos - box.pos);
  const Vec3 g = box.rot.transpose() * (capsule.rot.col(2) * capsule.size[1]);
  const int positive = (g[0] > 0 ? 1 : 0) | (g[1] > 0 ? 2 : 0) | (g[2] > 0 ? 4 : 0);
  const NearestFeature nearest = nearestFeature(c, g, box.size);
  int count = ballBox(c + nearest.t * g, capsule.size[0], box, margin, out);
  const std::optional<double> second = secondPoint(nearest, c, g, box.size, positive);
  if (second) count += ballBox(c + (nearest.t + *second) * g, capsule.size[0], box, margin, out);
  return count;
}

int boxBox(const Shape& a, const Shape& b, double margin, PointList& out) {
  const BoxPair fromA{a.size, b.size, a.rot.transpose() * (b.pos - a.pos), a.rot.transpose() * b.rot};
  const double limit = margin + kRoundingSlack * (a.size.sum() + b.size.sum());
  const Axis axis = separatingAxis(fromA, limit);
  if (axis.separation > limit) return 0;
  if (axis.code >= 6) return boxEdges(fromA, a, (axis.code - 6) / 3, (axis.code - 6) % 3, limit, out);
  if (axis.code < 3) return boxFaces(fromA, a, axis.code, 1, margin, out);
  const BoxPair fromB{b.size, a.size, fromA.t2(), fromA.R.transpose()};
  return boxFaces(fromB, b, axis.code - 3, -1, margin, out);
}

}  // namespace sinew::geom
