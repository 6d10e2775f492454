#pragma once

#include <span>

#include "math/types.h"
#include "sinew/array.h"
#include "sinew/types.h"

/// Contact between two shapes: pure geometry. Shapes in, points out; no Model, no allocation once `out` has grown.
namespace sinew::geom {

/// Convex hull of a mesh as the colliders see it: views into the Model's arrays for one mesh.
struct HullView {
  std::span<const float> vertex;  ///< 3 per mesh vertex, mesh frame
  std::span<const int> graph;     ///< hull graph, see geom/convex_hull.h; empty: no hull, all vertices count
  std::span<const int> seeds;     ///< hullSeeds() of geom/support.h; empty: searched for when needed, same result
  int polynum = 0;
  const double* polynormal = nullptr;
  const int* polyvertadr = nullptr;
  const int* polyvertnum = nullptr;
  const int* polyvert = nullptr;
  const int* polymapadr = nullptr;
  const int* polymapnum = nullptr;
  const int* polymap = nullptr;
};

struct HeightFieldView {
  int nrow = 0, ncol = 0;
  std::array<double, 4> size{};
  std::span<const float> data;
};

/// A posed shape. `rot` takes shape coordinates to the world.
struct Shape {
  GeomType type = GeomType::Sphere;
  Vec3 pos = Vec3::Zero();
  Mat3 rot = Mat3::Identity();
  Vec3 size = Vec3::Zero();  ///< as in geom_size
  double rbound = 0;         ///< radius of the bounding sphere, 0: unbounded
  HullView hull{};
  HeightFieldView field{};
};

/// Farther from the origin than this, m, the products that colliders form have no number any more.
inline constexpr double kFarthest = 1e50;

/// Whether the pose is one: that of a state that has diverged may be NaN or beyond kFarthest. What is nowhere touches
/// nothing and is at no distance, in all functions of this header and of geom/element.h.
bool isSomewhere(const Shape& shape);

struct ContactPoint {
  Vec3 pos = Vec3::Zero();      ///< midway between the surfaces
  Vec3 normal = Vec3::UnitX();  ///< from the first shape to the second, unit
  Vec3 tangent = Vec3::Zero();  ///< preferred first tangent, zero: none
  double dist = 0;              ///< negative: overlap
  int feature = 0;              ///< which parts of the shapes touch: the same number while they go on touching
  bool swept = false;           ///< met on the way, see Contact::swept
};

struct CollideScratch;

struct CollideOptions {
  double tolerance = 1e-6;  ///< of the convex collider
  int iterations = 35;      ///< of the convex collider
  bool multiContact = true;
  bool steady = false;  ///< rather keep the features of the last step than be exactly like the reference engine
  CollideScratch* scratch = nullptr;  ///< see geom/collide_scratch.h; none: every call allocates its own
};

/// Two shapes get no more points than this. A height field that makes more has them thinned out, see geom/thin_out.h.
inline constexpr int kMostPoints = 10000;

/// Appends the contact points of two shapes that are nearer than `margin` to `out`; returns how many there are, of
/// which kMostPoints are appended at most. The shape with the smaller type comes first (the caller sorts them). Every
/// pair of types is covered, except plane with plane or height field, and two height fields, which never touch: those
/// return 0.
int collide(const Shape& a, const Shape& b, double margin, const CollideOptions& options, Array<ContactPoint>& out);

/// Signed distance of two convex shapes (no plane, no height field) and their nearest points, if nearer than `cutoff`;
/// otherwise `cutoff`.
double distance(const Shape& a, const Shape& b, double cutoff, const CollideOptions& options, Vec3* onA, Vec3* onB);

}  // namespace sinew::geom
