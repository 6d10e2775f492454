#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "geom/collide_primitive.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

constexpr int kNext[3] = {1, 2, 0};

int next(int axis) { return kNext[axis]; }
int afterNext(int axis) { return kNext[kNext[axis]]; }

/// A ball around `center` (world frame) against the box.
int ballBox(const Vec3& center, double r, const Shape& box, double margin, PointList& out) {
  const Vec3 c = applyTransposed(box.rot, center - box.pos);
  const Vec3 clamped = c.cwiseMax(-box.size).cwiseMin(box.size);
  const Vec3 inward = clamped - c;
  const double distance = norm(inward);
  if (distance - r > margin) return 0;

  Vec3 n, pos;
  double dist = distance;
  if (distance > kMinVal) {
    n = inward * (1 / distance);
    pos = 0.5 * clamped + 0.5 * (c + n * r);
  } else {
    // centre inside: leave through the nearest face; faces in the order -x, +x, -y, +y, -z, +z, first of equals
    double nearest = std::numeric_limits<double>::max();
    for (int i = 0; i < 3; ++i) {
      for (const double face : {-1.0, 1.0}) {
        const double depth = std::abs(face * box.size[i] - c[i]);
        if (depth < nearest) {
          nearest = depth;
          n = -face * Vec3::Unit(i);  // from the ball into the box
        }
      }
    }
    pos = c + n * (0.5 * (r - nearest));
    dist = -nearest;
  }
  out.push_back({.pos = apply(box.rot, pos) + box.pos, .normal = apply(box.rot, n), .dist = dist - r});
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

/// Nearest points of edge j of the box through `corner` (whose coordinate j is ignored) and of the segment c + x2 g.
struct EdgePoints {
  double onEdge = 0, onSegment = 0;  // x1 and x2, both in [-1, 1]; the edge is corner + x1 s_j e_j
  int clampedTo = 0;                 // end of the edge that x1 was clamped to, kept even if x1 is free again later
  double square = 0;                 // squared distance
  bool valid = false;                // false: parallel

  EdgePoints(const Vec3& c, const Vec3& g, double halfLength, const Vec3& s, int j, int corner) {
    Vec3 m;
    for (int i = 0; i < 3; ++i) m[i] = corner & (1 << i) ? s[i] : -s[i];
    m[j] = 0;
    const Vec3 offset = m - c;
    const double a = s[j] * s[j], b = -s[j] * g[j], d = halfLength * halfLength;
    const double u = -s[j] * offset[j], v = dot(g, offset);
    const double det = a * d - b * b;
    if (std::abs(det) < kMinVal) return;
    valid = true;
    onEdge = (d * u - b * v) * (1 / det);
    onSegment = (a * v - b * u) * (1 / det);
    if (clampEdge()) onSegment = (v - b * onEdge) * (1 / d);
    if (std::abs(onSegment) > 1) {
      onSegment = std::clamp(onSegment, -1.0, 1.0);
      onEdge = (u - b * onSegment) * (1 / a);
      clampEdge();
    }
    Vec3 gap = offset - onSegment * g;
    gap[j] += s[j] * onEdge;
    square = dot(gap, gap);
  }

  bool clampEdge() {
    if (std::abs(onEdge) <= 1) return false;
    clampedTo = onEdge > 0 ? 1 : -1;
    onEdge = clampedTo;
    return true;
  }
};

/// Search over the ends of the segment (against faces) and over all twelve edges; c and g in the box frame.
NearestFeature nearestFeature(const Vec3& c, const Vec3& g, double halfLength, const Vec3& s) {
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
      const EdgePoints points(c, g, halfLength, s, j, corner);
      if (!points.valid || points.square >= bestSquare - kMinVal) continue;
      bestSquare = points.square;
      best = {points.clampedTo == 0 ? NearestFeature::Edge : NearestFeature::Corner, points.onSegment, j,
              corner | (points.clampedTo > 0 ? 1 << j : 0), points.onEdge};
    }
  }
  return best;
}

/// How far from the nearest point, along the axis, a second contact lies, if there is one; it may coincide with the
/// first. The capsule's axis leaves the feature it is nearest to along a face or an edge as long as it stays over the
/// box. Bits of `positive` are set where g > 0; `direction` is g / |g|.
std::optional<double> secondPoint(const NearestFeature& f, const Vec3& c, const Vec3& g, const Vec3& direction,
                                  const Vec3& s, int positive) {
  const auto reach = [&](double length, int axis) {
    return g[axis] == 0 ? std::numeric_limits<double>::max() : length / std::abs(g[axis]);
  };
  const auto isOneBit = [](int bits) { return bits == 1 || bits == 2 || bits == 4; };

  switch (f.kind) {
    case NearestFeature::Corner: {
      int against = positive ^ f.corner;  // axes along which +g leads away from the corner, into the box
      if (against == 0 || against == 7) return std::nullopt;
      const double sign = isOneBit(against) ? 1 : -1;
      if (sign < 0) against = 7 - against;
      const int a = against == 1 ? 0 : against == 2 ? 1 : 2;
      if (direction[a] * direction[a] > 0.5) {  // along an edge of the box
        return sign * std::min(1 - sign * f.t, reach(2 * s[a], a));
      }
      const int b = next(a), d = afterNext(a);  // along a face
      return -sign * std::min(std::min(1 + sign * f.t, reach(2 * s[b], b)), reach(2 * s[d], d));
    }
    case NearestFeature::Edge: {
      const int j = f.axis;
      const int against = (positive ^ f.corner) & ~(1 << j);
      if (!isOneBit(against)) return std::nullopt;
      int across = next(j), over = afterNext(j);  // `over`: the axis of the face the capsule bends towards
      if (std::abs(direction[across]) > std::abs(direction[over])) std::swap(across, over);
      const double sign = against & (1 << over) ? 1 : -1;
      const double alongSign = positive & (1 << j) ? 1 : -1;
      const double room = 1 - sign * alongSign * f.along;  // to the end of the edge
      const double length = std::min(1 - sign * f.t, reach(2 * s[over], over));
      return sign * std::min(length, reach(s[j] * room, j));
    }
    case NearestFeature::Face: {
      if (f.axis < 0) return std::nullopt;  // inside
      const double sign = f.t < 0 ? 1 : -1;
      const Vec3 e = c - sign * g;
      double length = 2;
      for (int i = 0; i < 3; ++i) {
        if (i == f.axis || g[i] == 0) continue;
        for (const double face : {1.0, -1.0}) {
          const double leave = (face * s[i] - e[i]) / g[i] * sign;
          if (leave > 0 && leave < length) length = leave;
        }
      }
      return sign * length;
    }
    case NearestFeature::None:
      break;
  }
  return std::nullopt;
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
constexpr double kAlongNormal = 0.99;  // cosine from which a face lies across the direction of least overlap
constexpr int kEdgeFeature = 1 << 16;  // names of crossing edges begin here, after those of faces
constexpr double kCoincident = 1e-6;   // distance of edges that count as one, relative to the face
constexpr double kDuplicate = 1e-14;   // squared distance of equal points, relative to the face

/// Two boxes in the frame of the first: `R` has the second box's axes as columns, `t` its centre; `t2` is the centre of
/// the first box in the frame of the second.
struct BoxPair {
  Vec3 s1, s2, t, t2;
  Mat3 R;
  BoxPair swapped() const { return {s2, s1, t2, t, R.transpose()}; }
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
    if (face(std::abs(p.t[i]) - p.s1[i] - dot(absR.row(i), p.s2), i)) return best;
  }
  for (int j = 0; j < 3; ++j) {
    if (face(std::abs(p.t2[j]) - p.s2[j] - dot(absR.col(j), p.s1), 3 + j)) return best;
  }
  const Axis bestFace = best;
  const double clearly = 1e-6 * (p.s1.sum() + p.s2.sum());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // Along e_i x R_j before it is made a unit vector. That makes a negative number more negative, so an axis that
      // is worse than the best face already now, and not by rounding, is worse in the end.
      const int i1 = next(i), i2 = afterNext(i), j1 = next(j), j2 = afterNext(j);
      const double rough = std::abs(p.t[i2] * p.R(i1, j) - p.t[i1] * p.R(i2, j)) - p.s1[i1] * absR(i2, j) -
                           p.s1[i2] * absR(i1, j) - p.s2[j1] * absR(i, j2) - p.s2[j2] * absR(i, j1);
      if (rough < -clearly && rough < bestFace.separation - clearly) continue;
      Vec3 n = edgeCross(p, i, j);
      const double square = dot(n, n);
      if (square < kParallelEdges) continue;
      n *= 1 / std::sqrt(square);
      Vec3 n2 = applyTransposed(p.R, n);
      n2[j] = 0;  // up to rounding
      const double reach1 = dot(n.cwiseAbs(), p.s1), reach2 = dot(n2.cwiseAbs(), p.s2);
      const double separation = std::abs(dot(n, p.t)) - reach1 - reach2;
      if (separation > limit) return {separation, 6 + 3 * i + j};
      if (separation - kEdgeBias * std::abs(separation) > best.separation && separation > bestFace.separation) {
        best = {separation, 6 + 3 * i + j};
      }
    }
  }
  // an edge axis that nearly is a face normal gives way to the face, which offers more points, unless it is clearly
  // better; otherwise resting boxes would flip between the two by rounding
  if (best.code >= 6) {
    const Vec3 n = unitOrX(edgeCross(p, (best.code - 6) / 3, (best.code - 6) % 3));
    const double cosine = std::abs(bestFace.code < 3 ? n[bestFace.code] : dot(n, p.R.col(bestFace.code - 3)));
    if (cosine > kAlongNormal &&
        best.separation < bestFace.separation + 0.05 * std::abs(bestFace.separation) + kMinVal) {
      return bestFace;
    }
  }
  return best;
}

/// Crossing edges: one point between the nearest points of the two.
int boxEdges(const BoxPair& p, const Shape& a, int i, int j, double limit, PointList& out) {
  Vec3 n = unitOrX(edgeCross(p, i, j));
  if (dot(n, p.t) < 0) n = -n;
  const Vec3 n2 = applyTransposed(p.R, n);
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
      c2 = apply(p.R, c2) + p.t;
      const Vec3 e = c2 - c1;
      const double along1 = e[i], along2 = dot(d2, e);
      double s = sineSquare < kMinVal ? 0 : (along1 - cosine * along2) / sineSquare;
      s = std::clamp(s, -p.s1[i], p.s1[i]);
      const double t = std::clamp(cosine * s - along2, -p.s2[j], p.s2[j]);
      s = std::clamp(along1 + cosine * t, -p.s1[i], p.s1[i]);
      const Vec3 w1 = c1 + Vec3::Unit(i) * s, w2 = c2 + d2 * t;
      const double square = dot(w2 - w1, w2 - w1);
      if (square < bestSquare) {
        bestSquare = square;
        best1 = w1;
        best2 = w2;
      }
    }
  }
  const double dist = dot(n, best2 - best1);
  if (dist > limit) return 0;
  out.push_back({.pos = apply(a.rot, 0.5 * (best1 + best2)) + a.pos,
                 .normal = apply(a.rot, n),
                 .dist = dist,
                 .feature = kEdgeFeature + 3 * i + j});
  return 1;
}

constexpr int kMaxCorners = 12;  // of a clipped quadrilateral: 8, and some for what rounding may add

/// A corner is where two sides meet, and that is its name from step to step: sides 0 to 3 are those of the incident
/// face, 4 to 7 those of the reference face that clipped it.
struct Polygon {
  std::array<Vec3, kMaxCorners> vertex;
  std::array<int, kMaxCorners> side;  // from each vertex to the next
  int count = 0;
};

/// Writes the part with sign * v[axis] <= bound to `out` (Sutherland-Hodgman); `side` is the number of the new side.
/// What is nearer to the bound than `slack` is on it. False: nothing is cut off, and nothing was written.
bool clip(const Polygon& in, int axis, double sign, double bound, double slack, int side, Polygon& out) {
  std::array<double, kMaxCorners + 1> beyond;
  bool inside = true;
  for (std::size_t k = 0; k < static_cast<std::size_t>(in.count); ++k) {
    beyond[k] = sign * in.vertex[k][axis] - bound;
    if (std::abs(beyond[k]) <= slack) beyond[k] = 0;
    inside = inside && beyond[k] <= 0;
  }
  if (inside) return false;
  beyond[in.count] = beyond[0];
  out.count = 0;
  const auto add = [&](const Vec3& v, int along) {
    if (out.count == kMaxCorners) return;
    out.vertex[out.count] = v;
    out.side[out.count++] = along;
  };
  for (std::size_t k = 0; k < static_cast<std::size_t>(in.count); ++k) {
    const Vec3& from = in.vertex[k];
    const double d0 = beyond[k], d1 = beyond[k + 1];
    if (d0 <= 0) add(from, d0 == 0 && d1 > 0 ? side : in.side[k]);
    if ((d0 < 0 && d1 > 0) || (d0 > 0 && d1 < 0)) {
      const Vec3& to = in.vertex[k + 1 == static_cast<std::size_t>(in.count) ? 0 : k + 1];
      add(from + (d0 / (d0 - d1)) * (to - from), d0 < 0 ? side : in.side[k]);
    }
  }
  return true;
}

constexpr double kAtCorner = 2e-3;  // of the face: a point this near to a corner of the incident face is that corner

/// Name of corner k. Faces of equal size clip each other's corners by rounding alone: a point that is as good as a
/// corner of the incident face has the corner's name, whatever clipped it.
int cornerName(const Polygon& clipped, int k, const Polygon& incident, double size) {
  const int before = clipped.side[k == 0 ? clipped.count - 1 : k - 1];
  const int after = clipped.side[k];
  if (before < 4 && after == (before + 1) % 4) return 8 * before + after;  // it is a corner
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3& corner = incident.vertex[c];
    if ((clipped.vertex[k] - corner).squaredNorm() < kAtCorner * kAtCorner * size) {
      return static_cast<int>(8 * ((c + 3) % 4) + c);
    }
  }
  return 8 * before + after;
}

/// The face `axis` of the reference box against the most opposed face of the other one. `p` is seen from the reference
/// box; `normalSign` turns the face normal into one from the first shape to the second. The contacts get the normal of
/// the face, or `direction` if that is not zero, a unit vector in the world near to it: then it is about steadiness,
/// and edges that nearly coincide do not cross.
int boxFaces(const BoxPair& p, const Shape& reference, int axis, double normalSign, double margin, PointList& out,
             const Vec3& direction = Vec3::Zero()) {
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
  const Polygon whole{{center + u + v, center - u + v, center - u - v, center + u - v}, {0, 1, 2, 3}, 4};
  std::array<Polygon, 2> clipped;
  const Polygon* polygon = &whole;
  const double slack = direction.isZero() ? 0 : kCoincident * (p.s1[ax] + p.s1[ay]);
  const auto cut = [&](int along, double sign, double bound, int number) {
    Polygon& other = clipped[polygon == &clipped[0]];
    if (clip(*polygon, along, sign, bound, slack, number, other)) polygon = &other;
  };
  cut(0, 1, p.s1[ax], 4);
  cut(0, -1, p.s1[ax], 5);
  cut(1, 1, p.s1[ay], 6);
  cut(1, -1, p.s1[ay], 7);

  const double size = p.s1[ax] * p.s1[ax] + p.s1[ay] * p.s1[ay];
  const double duplicate = kDuplicate * size;
  // which faces meet: box and axis of the reference, its side, axis of the incident face, its side
  const int faces = ((((normalSign > 0 ? 0 : 3) + axis) * 2 + (side > 0)) * 3 + incident) * 2 + (incidentSign > 0);
  Polygon accepted;
  for (int k = 0; k < polygon->count; ++k) {
    const Vec3& point = polygon->vertex[k];
    if (point.z() > margin) continue;
    const bool known = std::any_of(accepted.vertex.begin(), accepted.vertex.begin() + accepted.count,
                                   [&](const Vec3& q) { return (q - point).head<2>().squaredNorm() < duplicate; });
    if (known) continue;
    accepted.side[accepted.count] = cornerName(*polygon, k, whole, size);
    accepted.vertex[accepted.count++] = point;
  }
  Vec3 normal = reference.rot.col(axis) * (normalSign * side);
  double along = 1;  // heights are over the face, distances along the normal
  if (!direction.isZero()) {
    along = dot(normal, direction);
    normal = direction;
  }
  for (int k = 0; k < accepted.count; ++k) {
    const Vec3& point = accepted.vertex[k];
    Vec3 local;
    local[ax] = point.x();
    local[ay] = point.y();
    local[axis] = side * (p.s1[axis] + 0.5 * point.z());
    out.push_back({.pos = apply(reference.rot, local) + reference.pos,
                   .normal = normal,
                   .dist = along * point.z(),
                   .feature = 64 * faces + accepted.side[k]});
  }
  return accepted.count;
}

BoxPair pairOf(const Shape& a, const Shape& b) {
  BoxPair p{a.size, b.size, applyTransposed(a.rot, b.pos - a.pos), applyTransposed(b.rot, a.pos - b.pos), {}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) p.R(i, j) = dot(a.rot.col(i), b.rot.col(j));
  }
  return p;
}

/// Distance up to which an axis counts as not separating.
double limitOf(const Shape& a, const Shape& b, double margin) {
  const double sizes = a.size[0] + a.size[1] + a.size[2] + b.size[0] + b.size[1] + b.size[2];
  return margin + kRoundingSlack * sizes;
}

int contactsOnAxis(const BoxPair& fromA, const Shape& a, const Shape& b, const Axis& axis, double margin,
                   PointList& out) {
  if (axis.code >= 6) {
    return boxEdges(fromA, a, (axis.code - 6) / 3, (axis.code - 6) % 3, limitOf(a, b, margin), out);
  }
  if (axis.code < 3) return boxFaces(fromA, a, axis.code, 1, margin, out);
  return boxFaces(fromA.swapped(), b, axis.code - 3, -1, margin, out);
}

/// Direction of an axis from the first box to the second, in the frame of the first.
Vec3 directionOf(const BoxPair& p, const Axis& axis) {
  Vec3 n = axis.code < 3   ? Vec3(Vec3::Unit(axis.code))
           : axis.code < 6 ? Vec3(p.R.col(axis.code - 3))
                           : unitOrX(edgeCross(p, (axis.code - 6) / 3, (axis.code - 6) % 3));
  return dot(n, p.t) < 0 ? Vec3(-n) : n;
}

/// The coordinate axis nearest to a direction, if it is near.
std::optional<int> axisAlong(const Vec3& direction) {
  int axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  return std::abs(direction[axis]) > kAlongNormal ? std::optional(axis) : std::nullopt;
}

}  // namespace

int sphereBox(const Shape& sphere, const Shape& box, double margin, PointList& out) {
  return ballBox(sphere.pos, sphere.size[0], box, margin, out);
}

int capsuleBox(const Shape& capsule, const Shape& box, double margin, PointList& out) {
  const Vec3 c = applyTransposed(box.rot, capsule.pos - box.pos);
  const Vec3 direction = applyTransposed(box.rot, capsule.rot.col(2));
  const double halfLength = capsule.size[1];
  const Vec3 g = direction * halfLength;
  const int positive = (g[0] > 0 ? 1 : 0) | (g[1] > 0 ? 2 : 0) | (g[2] > 0 ? 4 : 0);
  const NearestFeature nearest = nearestFeature(c, g, halfLength, box.size);
  const auto ballAt = [&](double t) {
    return ballBox(apply(box.rot, c + t * g) + box.pos, capsule.size[0], box, margin, out);
  };
  int count = ballAt(nearest.t);
  const std::optional<double> second = secondPoint(nearest, c, g, direction, box.size, positive);
  if (second && ballAt(*second + nearest.t) > 0) {
    out.back().feature = 1;
    ++count;
  }
  return count;
}

int boxBox(const Shape& a, const Shape& b, double margin, PointList& out) {
  const BoxPair p = pairOf(a, b);
  const double limit = limitOf(a, b, margin);
  const Axis axis = separatingAxis(p, limit);
  return axis.separation > limit ? 0 : contactsOnAxis(p, a, b, axis, margin, out);
}

// Boxes that lie flat on each other are hardly ever exactly parallel. Then two crossing edges, or a face of the one or
// the other, have the least overlap by micrometres, another one in every step, and the single point of the edges would
// jump from corner to corner. All of them describe the same contact, so it is always written down the same way: by the
// overlap of the two faces, seen from the first box, with the direction of least overlap as normal. No point of it is
// deeper than the boxes overlap: the line through it along the normal lies inside both.
int boxBoxSteady(const Shape& a, const Shape& b, double margin, PointList& out) {
  const BoxPair p = pairOf(a, b);
  const double limit = limitOf(a, b, margin);
  const Axis axis = separatingAxis(p, limit);
  if (axis.separation > limit) return 0;
  const Vec3 n = directionOf(p, axis);
  if (const auto face = axisAlong(n)) {
    const int count = boxFaces(p, a, *face, 1, margin, out, apply(a.rot, n));
    if (count > 0) return count;
  } else if (const auto other = axisAlong(applyTransposed(p.R, n))) {
    const int count = boxFaces(p.swapped(), b, *other, -1, margin, out, apply(a.rot, n));
    if (count > 0) return count;
  }
  return contactsOnAxis(p, a, b, axis, margin, out);
}

}  // namespace sinew::geom
