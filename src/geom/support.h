#pragma once

#include <array>

#include "geom/collide.h"
#include "geom/element.h"

namespace sinew::geom {

/// Number of directions with components in {-1, 0, 1}, see hullSeeds().
inline constexpr int kNumHullSeeds = 27;

/// For each direction (x, y, z) with components in {-1, 0, 1}, at index 9 (x + 1) + 3 (y + 1) + (z + 1): the hull
/// vertex (local id) farthest along it, the first of equals; where the climb over the hull graph starts.
std::array<int, kNumHullSeeds> hullSeeds(const HullView& hull);

/// A convex body as GJK and EPA see it: a centre, and the farthest point in any direction. Everything else about its
/// shape is hidden behind support().
///
/// Meshes remember the last vertex found and start the next search there; this changes speed, and which of several
/// equally far vertices is found, but only within the life of one ConvexBody, that is within one call of collide().
class ConvexBody {
 public:
  /// `inflation` (>= 0) rounds the body: every point within that distance of it belongs to it. A height field starts
  /// as an empty prism, see setPrism(). `shape.hull` must outlive the body.
  ConvexBody(const Shape& shape, double inflation);
  /// An element of a flex.
  ConvexBody(const Element& element, double inflation);

  /// Spheres, capsules and elements are the points within coreRadius() of a core: their centre, axis or simplex. While
  /// reduced to it, support() answers for the core alone. Other shapes have no core and take no notice.
  bool hasCore() const { return kind_ == Kind::Sphere || kind_ == Kind::Capsule || kind_ == Kind::Simplex; }
  double coreRadius() const { return hasCore() ? size_[0] + inflation_ : 0; }
  void reduceToCore(bool reduce) { reduced_ = reduce && hasCore(); }

  /// Farthest point of the body along the unit vector `direction`, in world coordinates.
  Vec3 support(const Vec3& direction);
  /// Which vertex support() found last: mesh vertex, or corner of a box (bits 0, 1, 2: positive x, y, z). -1: none, or
  /// the shape has no vertices.
  int lastVertex() const { return lastVertex_; }

  /// Where a search starts: a point inside; of an element the centre of its bounding box, as in the reference engine,
  /// which may lie outside.
  Vec3 center() const;
  /// Moves the centre of an element to the mean of its corners, which is inside: a search that starts outside may end
  /// there, with too small a distance.
  void startInside();
  /// The body is a polytope, so that a search over its vertices ends exactly.
  bool isPolytope() const;
  bool isBox() const { return kind_ == Kind::Box; }
  bool isMesh() const { return kind_ == Kind::MeshScan || kind_ == Kind::MeshClimb; }

  const Vec3& pos() const { return pos_; }
  const Mat3& rot() const { return rot_; }
  const Vec3& size() const { return size_; }
  const HullView& hull() const { return *hull_; }
  double inflation() const { return inflation_; }

  void setPose(const Vec3& pos, const Mat3& rot);
  void setInflation(double inflation) { inflation_ = inflation; }
  /// Corners of a prism, in world coordinates: three below, three above, i + 3 over i.
  void setPrism(const std::array<Vec3, 6>& corners) { corner_ = corners; }

 private:
  enum class Kind { None, Sphere, Capsule, Ellipsoid, Cylinder, Box, MeshScan, MeshClimb, Prism, Simplex };

  Vec3 corePoint(const Vec3& direction) const;
  std::size_t farthestCorner(std::size_t first, std::size_t end, const Vec3& direction) const;
  Vec3 surfacePoint(const Vec3& direction);
  Vec3 meshScan(const Vec3& local);
  Vec3 meshClimb(const Vec3& local);
  Vec3 meshVertex(int vertex) const;

  Kind kind_;
  Vec3 pos_, size_;
  Mat3 rot_;
  double inflation_;
  bool reduced_ = false;
  const HullView* hull_;
  std::array<Vec3, 6> corner_{};  ///< of a prism or a simplex, world coordinates
  std::size_t numCorners_ = 0;
  int lastVertex_ = -1;
  int lastHullVertex_ = -1;
};

}  // namespace sinew::geom
