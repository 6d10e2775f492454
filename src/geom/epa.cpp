#include "geom/epa.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geom/gjk_simplex.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

constexpr double kOnFace = kMinVal * kMinVal;  ///< squared distance below which the origin counts as on a face
constexpr int kMaxIterations = 1000;
constexpr int kFacesPerIteration = 6;
constexpr double kFlat = 1e-6;        ///< sine below which a face does not show on which side a point is
constexpr double kStray = 100;        ///< how many tolerances a face may lead beyond a bound that another one gave
constexpr double kCertain = 1e-12;    ///< of the size: what is farther beyond a face than this really is beyond it
constexpr double kInsideOut = 1e-10;  ///< a first bound this far below the face shows that the face is not one of A - B

/// The origin and p lie strictly on the same side of the plane a, b, c.
bool sameSide(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Vec3 n = (b - a).cross(c - a);
  const double ofPoint = dot(n, p - a), ofOrigin = dot(n, -a);
  return (ofPoint > 0 && ofOrigin > 0) || (ofPoint < 0 && ofOrigin < 0);
}

/// The line from p to q passes through the triangle a, b, c.
bool linePierces(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto volume = [&](const Vec3& u, const Vec3& v) {
    const Vec3 up = u - p, vp = v - p, qp = q - p;
    return up[0] * (vp[1] * qp[2] - vp[2] * qp[1]) + up[1] * (vp[2] * qp[0] - vp[0] * qp[2]) +
           up[2] * (vp[0] * qp[1] - vp[1] * qp[0]);
  };
  const double ab = volume(a, b), bc = volume(b, c), ca = volume(c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

/// p is a point of the triangle a, b, c.
bool onTriangle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const std::array<double, 3> w = affineCoordinates(a, b, c, p);
  if (std::isnan(w[0]) || w[0] < 0 || w[1] < 0 || w[2] < 0) return false;
  return norm(Vec3(a * w[0] + b * w[1] + c * w[2] - p)) < kMinVal;
}

/// Rotation by 120 degrees around an axis of any length. The digits of the sine are the reference engine's: the three
/// directions made with it need not be exact, but the same.
Mat3 thirdOfTurn(const Vec3& axis) {
  const double length = norm(axis);
  const Vec3 u(axis[0] / length, axis[1] / length, axis[2] / length);
  constexpr double kSine = 0.86602540378, kCosine = -0.5;
  constexpr double kRest = 1 - kCosine;
  Mat3 R;
  R << kCosine + u[0] * u[0] * kRest, u[0] * u[1] * kRest - u[2] * kSine, u[0] * u[2] * kRest + u[1] * kSine,  //
      u[1] * u[0] * kRest + u[2] * kSine, kCosine + u[1] * u[1] * kRest, u[1] * u[2] * kRest - u[0] * kSine,   //
      u[0] * u[2] * kRest - u[1] * kSine, u[1] * u[2] * kRest + u[0] * kSine, kCosine + u[2] * u[2] * kRest;
  return R;
}

}  // namespace

// ------------------------------------------------------------------------------------------------- the first polytope

void Polytope::clear() {
  vertices_.clear();
  faces_.clear();
  candidates_.clear();
  horizon_.clear();
  nearest_ = -1;
  leastReach_ = kInfinite;
}

bool Polytope::seed(std::span<const MinkowskiVertex> simplex, ConvexBody& a, ConvexBody& b, int maxIterations) {
  maxFaces_ = static_cast<std::size_t>(kFacesPerIteration * std::max(maxIterations, 1));
  clear();
  const bool good = simplex.size() == 2   ? seedFromSegment(simplex[0], simplex[1], a, b)
                    : simplex.size() == 3 ? seedFromTriangle(simplex[0], simplex[1], simplex[2], a, b)
                                          : seedFromTetrahedron(simplex, a, b);
  if (!good) return false;
  for (int i = 0; i < static_cast<int>(faces_.size()); ++i) addCandidate(i);
  return true;
}

/// The segment p q through the origin, and three points around it.
bool Polytope::seedFromSegment(const MinkowskiVertex& p, const MinkowskiVertex& q, ConvexBody& a, ConvexBody& b) {
  const Vec3 axis = q.point - p.point;
  if (dot(axis, axis) == 0) return false;
  int flattest = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(axis[i]) < std::abs(axis[flattest])) flattest = i;
  }
  const Vec3 d1 = Vec3::Unit(flattest).cross(axis);
  const Mat3 turn = thirdOfTurn(axis);
  const Vec3 d2 = apply(turn, d1), d3 = apply(turn, d2);
  addVertex(p);
  addVertex(q);
  for (const Vec3& d : {d1, d2, d3}) addSupport(a, b, d, norm(d));
  setCenters(2);

  // two pyramids over the triangle 2, 3, 4
  constexpr std::array<std::array<int, 3>, 6> kVertex = {
      {{0, 2, 3}, {0, 4, 2}, {0, 3, 4}, {1, 3, 2}, {1, 2, 4}, {1, 4, 3}}};
  constexpr std::array<std::array<int, 3>, 6> kAdjacent = {
      {{1, 3, 2}, {2, 4, 0}, {0, 5, 1}, {5, 0, 4}, {3, 1, 5}, {4, 2, 3}}};
  for (std::size_t i = 0; i < 6; ++i) {
    if (addFace(kVertex[i], kAdjacent[i]) < kOnFace) return restartFromFace(static_cast<int>(i), a, b);
  }
  return linePierces(point(0), point(1), point(2), point(3), point(4));
}

/// A triangle through the origin, and one point on either side.
bool Polytope::seedFromTriangle(const MinkowskiVertex& p, const MinkowskiVertex& q, const MinkowskiVertex& r,
                                ConvexBody& a, ConvexBody& b) {
  const Vec3 n = (q.point - p.point).cross(r.point - p.point);
  const double length = norm(n);
  if (length < kMinVal) return false;
  addVertex(p);
  addVertex(q);
  addVertex(r);
  addSupport(a, b, -n, length);
  addSupport(a, b, n, length);
  for (const int tip : {4, 3}) {
    if (onTriangle(point(0), point(1), point(2), point(tip))) return false;
  }
  setCenters(3);
  constexpr std::array<std::array<int, 3>, 6> kVertex = {
      {{4, 0, 1}, {4, 2, 0}, {4, 1, 2}, {3, 1, 0}, {3, 0, 2}, {3, 2, 1}}};
  constexpr std::array<std::array<int, 3>, 6> kAdjacent = {
      {{1, 3, 2}, {2, 4, 0}, {0, 5, 1}, {5, 0, 4}, {3, 1, 5}, {4, 2, 3}}};
  for (std::size_t i = 0; i < 6; ++i) {
    if (addFace(kVertex[i], kAdjacent[i]) < kOnFace) return false;
  }
  return true;
}

bool Polytope::seedFromTetrahedron(std::span<const MinkowskiVertex> simplex, ConvexBody& a, ConvexBody& b) {
  for (const MinkowskiVertex& v : simplex) addVertex(v);
  setCenters(4);
  constexpr std::array<std::array<int, 3>, 4> kVertex = {{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {3, 2, 1}}};
  constexpr std::array<std::array<int, 3>, 4> kAdjacent = {{{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {2, 0, 1}}};
  for (std::size_t i = 0; i < 4; ++i) {
    if (addFace(kVertex[i], kAdjacent[i]) < kOnFace) return restartFromFace(static_cast<int>(i), a, b);
  }
  for (int i = 0; i < 4; ++i) {
    if (!sameSide(point(i), point((i + 1) % 4), point((i + 2) % 4), point((i + 3) % 4))) return false;
  }
  return true;
}

/// The origin turned out to lie on a face: that triangle is a better start.
bool Polytope::restartFromFace(int index, ConvexBody& a, ConvexBody& b) {
  const std::array<int, 3> corner = face(index).vertex;
  const MinkowskiVertex p = vertex(corner[0]), q = vertex(corner[1]), r = vertex(corner[2]);
  clear();
  return seedFromTriangle(p, q, r, a, b);
}

// ------------------------------------------------------------------------------------------------- building blocks

/// Points inside, from which faces point away: the middle of GJK's simplex, and, as that may be part of a face of A -
/// B, the middle of all vertices.
void Polytope::setCenters(std::size_t simplex) {
  const auto middle = [&](std::size_t count) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < count; ++i) sum += vertices_[i].point;
    return Vec3(sum / static_cast<double>(count));
  };
  center_ = middle(simplex);
  inside_ = middle(vertices_.size());
}

int Polytope::addVertex(const MinkowskiVertex& v) {
  vertices_.push_back(v);
  return static_cast<int>(vertices_.size()) - 1;
}

int Polytope::addSupport(ConvexBody& a, ConvexBody& b, const Vec3& direction, double length) {
  const Vec3 n = length > kMinVal ? Vec3(direction / length) : Vec3::UnitX();
  const int tip = addVertex(minkowskiSupport(a, b, n));
  const double reach = dot(n, point(tip));
  if (reach < leastReach_) {
    leastReach_ = reach;
    leastNormal_ = n;
    leastTip_ = tip;
  }
  return tip;
}

/// Returns the squared distance of the new face's plane from the origin, 0 if the face has no plane.
double Polytope::addFace(const std::array<int, 3>& vertex, const std::array<int, 3>& adjacent) {
  Face& f = faces_.emplace_back();
  f.vertex = vertex;
  f.adjacent = adjacent;
  if (!projectOriginOnPlane(point(vertex[2]), point(vertex[1]), point(vertex[0]), f.foot)) return 0;
  f.square = dot(f.foot, f.foot);
  const Vec3 away = point(vertex[0]) - center_;
  const double outward = dot(f.foot, away);
  const bool clear = outward * outward > kFlat * kFlat * f.square * dot(away, away);
  if ((clear ? outward : dot(f.foot, point(vertex[0]) - inside_)) < 0) f.foot = -f.foot;
  return f.square;
}

void Polytope::addCandidate(int index) {
  face(index).slot = static_cast<int>(candidates_.size());
  candidates_.push_back(index);
}

void Polytope::deleteFace(int index) {
  const int slot = face(index).slot;
  if (slot >= 0) {
    candidates_[slot] = candidates_.back();
    face(candidates_.back()).slot = slot;
    candidates_.pop_back();
  }
  face(index).slot = kDeleted;
}

int Polytope::edgeFrom(int index, int vertex) const {
  const std::array<int, 3>& v = faces_[index].vertex;
  return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

/// Deletes the faces that can be seen from `eye`, starting with one that can, and collects the edges around the hole.
void Polytope::findHorizon(int start, const Vec3& eye) {
  deleteFace(start);
  for (int edge = 0; edge < 3; ++edge) followEdge(start, edge, eye);
}

void Polytope::followEdge(int index, int edge, const Vec3& eye) {
  const int neighbour = face(index).adjacent[edge];
  if (face(neighbour).slot == kDeleted) return;
  const int sharedEdge = edgeFrom(neighbour, face(index).vertex[(edge + 1) % 3]);
  if (!collectVisible(neighbour, sharedEdge, eye)) horizon_.push_back({neighbour, sharedEdge});
}

bool Polytope::collectVisible(int index, int edge, const Vec3& eye) {
  if (!(dot(face(index).foot, eye) - face(index).square > kMinVal)) return false;
  deleteFace(index);
  followEdge(index, (edge + 1) % 3, eye);
  followEdge(index, (edge + 2) % 3, eye);
  return true;
}

/// The pair of vertices behind the last vertex has been seen before.
bool Polytope::isKnown(int vertex) const {
  const MinkowskiVertex& w = vertices_[vertex];
  return std::any_of(vertices_.begin(), vertices_.begin() + vertex,
                     [&](const MinkowskiVertex& v) { return v.vertexA == w.vertexA && v.vertexB == w.vertexB; });
}

// ------------------------------------------------------------------------------------------------- expansion

bool Polytope::expand(ConvexBody& a, ConvexBody& b, const CollideOptions& options) {
  const bool exact = bothPolytopes(a, b);
  if (!expandFaces(a, b, options, exact)) return false;
  if (exact) return true;
  // Bodies that just touch: the origin is on the border of A - B, and rounding may leave it outside of the polytope.
  // What is found then may be a face behind which the origin lies, where nearer ones were left out.
  const double square = nearest().square;
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const Face& f = faces_[i];
    if (f.slot != kDeleted && f.square < square && f.square > 0) addSupport(a, b, f.foot, std::sqrt(f.square));
  }
  const double depth = std::sqrt(square);
  if (depth > leastReach_ + options.tolerance) lowerReach(a, b, options);
  if (depth > leastReach_ + kStray * options.tolerance) {
    if (!(leastReach_ > 0)) return false;
    faces_.assign(1, Face{.vertex = {leastTip_, leastTip_, leastTip_},
                          .foot = leastReach_ * leastNormal_,
                          .square = leastReach_ * leastReach_});
    nearest_ = 0;
  }
  return true;
}

/// From the least reach to lesser ones, by Polyak's steps for a function that may fall to zero: the vertex is the
/// gradient of the reach by the direction. A step that leads uphill, as across an edge, is taken again with half of its
/// length.
void Polytope::lowerReach(ConvexBody& a, ConvexBody& b, const CollideOptions& options) {
  double share = 1;
  for (int iteration = 0; iteration < options.iterations && leastReach_ > options.tolerance; ++iteration) {
    const double before = leastReach_;
    const Vec3 slope = point(leastTip_) - before * leastNormal_;
    const double square = dot(slope, slope);
    if (!(square > 0)) return;
    const Vec3 next = leastNormal_ - share * before / square * slope;
    addSupport(a, b, next, norm(next));
    share = leastReach_ < before ? std::min(1.0, 2 * share) : share / 2;
  }
}

bool Polytope::expandFaces(ConvexBody& a, ConvexBody& b, const CollideOptions& options, bool exact) {
  const double tolerance = exact ? kMinVal : options.tolerance;
  const int iterations = std::min(options.iterations, kMaxIterations);
  double upper = kInfinite, upperSquare = kInfinite;
  nearest_ = -1;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    // lower bound of the depth: the nearest face
    double lowerSquare = kInfinite;
    int best = -1;
    for (const int candidate : candidates_) {
      if (face(candidate).square < lowerSquare) {
        best = candidate;
        lowerSquare = face(candidate).square;
      }
    }
    if (best < 0 || lowerSquare > upperSquare) break;  // the face before was the last valid one
    nearest_ = best;
    if (lowerSquare <= 0) break;

    // upper bound: how far A - B reaches along the normal of that face
    const double lower = std::sqrt(lowerSquare);
    const int tip = addSupport(a, b, face(best).foot, lower);
    const double reach = dot(face(best).foot, point(tip)) / lower;
    if (reach < upper) {
      upper = reach;
      upperSquare = upper * upper;
    }
    // The bound may come from another face. This one still is taken for it, as the reference engine does, unless it
    // leads far beyond: then it is the back of a polytope that is thin so far, and its normal is not the way out.
    const bool strays = reach - upper > std::abs(upper) + kStray * tolerance;
    if (upper - lower < tolerance && !strays) {
      if (iteration == 0 && upper < lower - kInsideOut) nearest_ = -1;
      break;
    }
    if (exact && isKnown(tip)) break;

    const Vec3 eye = point(tip);
    horizon_.clear();
    findHorizon(best, eye);
    const int firstNew = static_cast<int>(faces_.size()), numNew = static_cast<int>(horizon_.size());
    if (numNew < 3) {
      nearest_ = -1;
      break;
    }
    if (faces_.size() + horizon_.size() > maxFaces_) break;

    // a fan of faces from the new vertex to the horizon
    for (int i = 0; i < numNew; ++i) {
      const auto [outside, edge] = horizon_[i];
      const std::array<int, 3> corner = face(outside).vertex;
      face(outside).adjacent[edge] = firstNew + i;
      const double square = addFace({tip, corner[(edge + 1) % 3], corner[edge]},
                                    {firstNew + (i + numNew - 1) % numNew, outside, firstNew + (i + 1) % numNew});
      if (square == 0) {
        nearest_ = -1;
        return false;
      }
      // Beyond the bound it can never be the nearest. The polytope grows, so that no face can be nearer than the
      // nearest before: one that is has three vertices almost on a line, and a normal made of rounding.
      if (square >= lowerSquare && square <= upperSquare) addCandidate(firstNew + i);
    }
    if (candidates_.empty()) break;
  }
  return nearest_ >= 0;
}

// ------------------------------------------------------------------------------------------------- when in doubt

/// How much of a reach along a unit vector may be rounding.
double Polytope::rounding(const MinkowskiVertex& v) const {
  return kCertain * std::max({norm(v.onA), norm(v.onB), norm(v.point)});
}

bool Polytope::inDoubt(ConvexBody& a, ConvexBody& b) const {
  const double lower = std::sqrt(nearest().square);
  if (!(lower > kMinVal)) return true;
  const Vec3 n = nearest().foot / lower;
  const MinkowskiVertex tip = minkowskiSupport(a, b, n);
  const double noise = rounding(tip);
  if (dot(n, tip.point) - lower > noise) return true;
  const double least = std::max(lower - noise, 0.0);
  return std::any_of(faces_.begin(), faces_.end(),
                     [&](const Face& f) { return f.slot != kDeleted && f.square < least * least; });
}

/// How far the vertices reach along a direction; stops looking once that is more than `enough`.
double Polytope::reachOfVertices(const Vec3& direction, double enough) const {
  double reach = -kInfinite;
  for (const MinkowskiVertex& v : vertices_) {
    reach = std::max(reach, dot(direction, v.point));
    if (reach > enough) break;
  }
  return reach;
}

bool Polytope::planeOfVertices(ConvexBody& a, ConvexBody& b, int maxIterations) {
  // The least reach of all directions is taken across a plane through three vertices. Each vertex that is found to lie
  // beyond the best plane raises it, until none does: then the plane bounds the whole of A - B, and no other is nearer.
  if (vertices_.empty()) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {1.0, -1.0}) addVertex(minkowskiSupport(a, b, sign * Vec3::Unit(axis)));
    }
  }
  faces_.clear();
  candidates_.clear();
  nearest_ = -1;
  for (int iteration = 0; iteration < std::min(maxIterations, kMaxIterations); ++iteration) {
    const int count = static_cast<int>(vertices_.size());
    const auto eachPlane = [&](auto&& visit) {
      for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
          for (int k = j + 1; k < count; ++k) {
            const Vec3 across = (point(j) - point(i)).cross(point(k) - point(i));
            const double length = norm(across);
            if (!(length > kMinVal * kMinVal)) continue;
            visit(Vec3(across / length), i, j, k);
            visit(Vec3(-across / length), i, k, j);
          }
        }
      }
    };
    double least = kInfinite;
    Vec3 normal = Vec3::Zero();
    std::array<int, 3> corners{};
    eachPlane([&](const Vec3& n, int i, int j, int k) {
      const double reach = reachOfVertices(n, least);
      if (reach < least) {
        least = reach;
        normal = n;
        corners = {i, j, k};
      }
    });
    if (least == kInfinite) return false;
    const int tip = addSupport(a, b, normal, 1);
    const double noise = rounding(vertex(tip));
    if (dot(normal, point(tip)) > least + noise && !isKnown(tip)) continue;
    if (!(least > kMinVal)) return false;

    // Several triangles may lie in that plane: the one around the foot of the origin has the deepest point.
    vertices_.pop_back();
    const Vec3 foot = normal * least;
    const auto inside = [&](const std::array<int, 3>& c) {
      const std::array<double, 3> w = affineCoordinates(point(c[0]), point(c[1]), point(c[2]), foot);
      return std::min({w[0], w[1], w[2]});
    };
    double mostInside = inside(corners);
    eachPlane([&](const Vec3&, int i, int j, int k) {
      for (const int corner : {i, j, k}) {
        if (dot(normal, point(corner)) < least - noise) return;
      }
      const double here = inside({i, j, k});
      if (here <= mostInside || std::isnan(here)) return;
      mostInside = here;
      corners = {i, j, k};
    });
    faces_.assign(1, Face{.vertex = corners, .foot = foot, .square = least * least});
    nearest_ = 0;
    return true;
  }
  return false;
}

}  // namespace sinew::geom
