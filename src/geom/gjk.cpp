#include "geom/gjk.h"

#include <cmath>
#include <limits>
#include <utility>

#include "geom/gjk_simplex.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

/// Nearest vertex of A - B to the plane across x, seen from x towards the origin.
MinkowskiVertex supportTowardsOrigin(ConvexBody& a, ConvexBody& b, const Vec3& x, double length) {
  const Vec3 away = x * (1 / length);
  return minkowskiSupport(a, b, -away);
}

enum class Overlap { Yes, No, Undecided };

/// A face of the tetrahedron with its outward unit normal; the origin is `depth` inside.
struct FacePlane {
  Vec3 normal = Vec3::Zero();
  double depth = kInfinite;  // flat faces are never the nearest

  FacePlane(const MinkowskiVertex& u, const MinkowskiVertex& v, const MinkowskiVertex& w) {
    normal = (w.point - u.point).cross(v.point - u.point);
    const double square = dot(normal, normal);
    if (!(square > kMinVal * kMinVal && square < kMaxVal * kMaxVal)) return;
    normal = normal * (1 / std::sqrt(square));
    depth = dot(normal, u.point);
  }
};

/// Moves a tetrahedron towards the origin until it holds it, or until a face has the whole of A - B behind it and the
/// origin in front. Each step drops the vertex opposite to the face the origin is farthest outside of and looks for a
/// new one beyond that face. Leaves the tetrahedron in `simplex` only when the answer is yes.
Overlap chaseOrigin(ConvexBody& a, ConvexBody& b, int& iteration, int maxIterations,
                    std::array<MinkowskiVertex, 4>& simplex) {
  std::array<MinkowskiVertex, 4> vertex = simplex;
  std::array<std::size_t, 4> s = {0, 1, 2, 3};  // order of the vertices, kept positively oriented
  for (; iteration < maxIterations; ++iteration) {
    const auto plane = [&](int i, int j, int k) { return FacePlane(vertex[s[i]], vertex[s[j]], vertex[s[k]]); };
    const std::array<FacePlane, 4> face = {plane(2, 1, 3), plane(0, 2, 3), plane(1, 0, 3), plane(0, 1, 2)};
    for (const FacePlane& f : face) {
      if (f.depth == 0) return Overlap::Undecided;  // the origin is in the plane of a face: no direction to go
    }
    const std::size_t first = face[0].depth < face[1].depth ? 0 : 1, second = face[2].depth < face[3].depth ? 2 : 3;
    const std::size_t worst = face[first].depth < face[second].depth ? first : second;
    if (face[worst].depth > 0) {
      simplex = {vertex[s[0]], vertex[s[1]], vertex[s[2]], vertex[s[3]]};
      return Overlap::Yes;
    }
    MinkowskiVertex& replaced = vertex[s[worst]];
    replaced = minkowskiSupport(a, b, face[worst].normal);
    if (dot(face[worst].normal, replaced.point) < 0) return Overlap::No;
    std::swap(s[(worst + 1) & 3], s[(worst + 2) & 3]);  // the new vertex lies on the other side: turn it round again
  }
  return Overlap::Undecided;
}

}  // namespace

MinkowskiVertex minkowskiSupport(ConvexBody& a, ConvexBody& b, const Vec3& direction) {
  MinkowskiVertex v;
  v.onA = a.support(direction);
  v.onB = b.support(-direction);
  v.point = v.onA - v.onB;
  v.vertexA = a.lastVertex();
  v.vertexB = b.lastVertex();
  return v;
}

void gjk(ConvexBody& a, ConvexBody& b, double cutoff, const CollideOptions& options, GjkResult& result) {
  const bool wantDistance = cutoff > 0;
  const bool exact = bothPolytopes(a, b);
  const double gapTolerance = exact ? 0 : 0.5 * (options.tolerance * options.tolerance);
  const double touching = exact ? kMinVal : options.tolerance;
  bool mayChase = !wantDistance;
  std::array<MinkowskiVertex, 4>& simplex = result.simplex;
  std::array<double, 4> weight{};
  std::size_t n = 0;

  const auto apart = [&] {
    result.separated = true;
    result.hasWitness = false;
    result.distance = kInfinite;
    result.count = 0;
  };

  // x runs through points of A - B, nearer and nearer to the origin
  Vec3 x = a.center() - b.center();
  double length = norm(x), previous = 0;
  if (length < touching) {  // centers in one place lead nowhere: start halfway to a vertex
    x = 0.5 * minkowskiSupport(a, b, Vec3::UnitX()).point;
    length = norm(x);
  }
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    if (length < touching || std::abs(previous - length) < kMinVal) break;  // there, or no longer moving
    simplex[n] = supportTowardsOrigin(a, b, x, length);
    const Vec3& s = simplex[n].point;
    if (dot(x, x - s) < gapTolerance) break;  // duality gap: |x - nearest|^2 <= x . (x - s)

    const double behind = dot(x, s);  // all of A - B lies beyond behind / |x|, seen from the origin
    if (behind > 0 && (!wantDistance || (cutoff < kInfinite && behind >= cutoff * length))) return apart();

    // Where only overlap matters, a tetrahedron is moved over the origin, which needs no distances and ends sooner.
    if (n == 3 && mayChase) {
      const Overlap overlap = chaseOrigin(a, b, iteration, options.iterations, simplex);
      if (overlap == Overlap::No) return apart();
      if (overlap == Overlap::Yes) {
        result.separated = false;
        result.hasWitness = false;
        result.distance = 0;
        result.count = 4;
        return;
      }
      mayChase = false;
    }

    weight = nearestWeights({simplex.data(), n + 1});
    n = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (weight[i] == 0) continue;
      if (n != i) simplex[n] = simplex[i];
      weight[n++] = weight[i];
    }
    if (n == 0) return apart();  // only by numbers that are not finite
    x = weight[0] * simplex[0].point;
    for (std::size_t i = 1; i < n; ++i) x += weight[i] * simplex[i].point;
    previous = length;
    length = norm(x);
    if (n == 4) break;  // the origin is inside
  }

  result.hasWitness = true;
  result.onA = a.center();
  result.onB = b.center();
  if (n > 0) {
    result.onA = weight[0] * simplex[0].onA;
    result.onB = weight[0] * simplex[0].onB;
    for (std::size_t i = 1; i < n; ++i) {
      result.onA += weight[i] * simplex[i].onA;
      result.onB += weight[i] * simplex[i].onB;
    }
  }
  // the loop may have ended before a separating plane showed
  result.separated = length > 0 && dot(x, supportTowardsOrigin(a, b, x, length).point) > 0;
  result.distance = n == 4 && !result.separated ? 0 : length;
  result.count = static_cast<int>(n);
}

}  // namespace sinew::geom
