#include "collision/seams.h"

#include <algorithm>
#include <array>

#include "collision/elements.h"
#include "math/types.h"

namespace sinew {
namespace {

/// Squared distance of p from the segment a, b.
double squaredDistance(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double t = std::clamp(along.dot(p - a) / along.squaredNorm(), 0.0, 1.0);
  return (p - a - t * along).squaredNorm();
}

/// The vertex of another triangle among `near` that has the vertices v0 and v1 too, counted within the flex; -1: none.
int vertexBeyond(const Model& m, std::span<const int> near, int elem, int v0, int v1) {
  for (const int other : near) {
    if (other == elem) continue;
    const ElementVertices vertices(m, other);
    int shared = 0, rest = -1;
    for (int k = 0; k < 3; ++k) {
      const int v = vertices.local[k];
      v == v0 || v == v1 ? static_cast<void>(++shared) : static_cast<void>(rest = v);
    }
    if (shared == 2) return rest;
  }
  return -1;
}

}  // namespace

bool isSeamContact(const Model& m, const Data& d, std::span<const int> near, int elem, const geom::Element& triangle,
                   const geom::ContactPoint& point) {
  constexpr double kAligned = 1 - 1e-6;  // cosine
  const Vec3 outward = -point.normal;    // from the triangle to the shape
  const auto& x = triangle.corner;
  const Vec3 face = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
  if (std::abs(face.dot(outward)) > kAligned) return false;

  // the edge it is at
  const ElementVertices vertices(m, elem);
  std::size_t edge = 0;
  std::array<double, 3> distance;
  for (std::size_t k = 0; k < 3; ++k) distance[k] = squaredDistance(point.pos, x[k], x[(k + 1) % 3]);
  edge = static_cast<std::size_t>(std::min_element(distance.begin(), distance.end()) - distance.begin());
  const std::size_t end = (edge + 1) % 3, opposite = (edge + 2) % 3;
  const int beyond = vertexBeyond(m, near, elem, vertices.local[edge], vertices.local[end]);
  if (beyond < 0) return false;

  // normals of the two triangles on the side of the shape, the same side of the sheet for both
  const Vec3 along = x[end] - x[edge];
  const Vec3 other = vec3(d.flexvert_xpos.data(), vertices.first + beyond) - x[edge];
  Vec3 own = along.cross(Vec3(x[opposite] - x[edge])).normalized(), next = other.cross(along).normalized();
  if (own.dot(outward) < 0) own = -own, next = -next;
  const bool sticksOut = own.dot(other) < -1e-6 * other.norm();
  if (!sticksOut) return true;
  const Vec3 turn = own.cross(next);
  constexpr double kSlack = 1e-6;
  return own.cross(outward).dot(turn) < -kSlack || outward.cross(next).dot(turn) < -kSlack;
}

}  // namespace sinew
