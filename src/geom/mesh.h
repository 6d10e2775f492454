#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geom/convex_hull.h"
#include "geom/hull_polygons.h"
#include "geom/surface_mass.h"
#include "geom/tri_mesh.h"
#include "math/quat.h"
#include "math/types.h"
#include "sinew/types.h"

namespace sinew::geom {

/// What a model says about a mesh besides its triangles.
struct MeshOptions {
  Vec3 refpos = Vec3::Zero();  ///< subtracted from the vertices,
  Quat refquat = {};           ///< whose inverse then rotates them (need not be normalized),
  Vec3 scale = Vec3::Ones();   ///< and which are scaled last; a mirroring scale also flips the faces
  MeshInertia inertia = MeshInertia::Legacy;
  int maxHullVertices = -1;  ///< >= 4, or -1 for no limit
  bool needHull = false;     ///< some geom with this mesh can collide
};

/// A mesh ready for use: centered at its center of mass, axes along its principal axes (largest moment first).
/// Densities are 1 throughout.
struct Mesh {
  std::vector<float> vertex;  ///< 3 per vertex, in the mesh's own frame
  std::vector<int> face;      ///< 3 per triangle; the hull's faces if none were given
  std::vector<float> normal;  ///< given normals, transformed like the vertices; not made up if missing
  std::optional<HullGraph> hull;
  HullPolygons polygons;  ///< empty without a hull, except mapAdr and mapNum

  Pose frame;  ///< of the mesh's own frame in the frame of the input (after refpos, refquat and scale): every geom with
               ///< this mesh composes it into its pose
  bool isShell = false;         ///< `amount` is an area
  double amount = 0;            ///< volume or area; 0 for a mesh without volume, which carries no mass
  Vec3 inertia = Vec3::Zero();  ///< principal moments
  Vec3 boxHalf = Vec3::Zero();  ///< half sizes of the solid box with the same amount and moments
  Vec3 lower = Vec3::Zero();    ///< bounding box in the mesh's own frame, before rounding to single precision
  Vec3 upper = Vec3::Zero();
  std::vector<std::string> warnings;

  int numVertices() const { return static_cast<int>(vertex.size() / 3); }
  int numFaces() const { return static_cast<int>(face.size() / 3); }
  /// geom_size: the largest |coordinate| along each axis.
  Vec3 geomSize() const { return lower.cwiseAbs().cwiseMax(upper.cwiseAbs()); }
  /// Principal moments of a geom of this mass: m (b_j^2 + b_k^2)/3, from the box.
  Vec3 inertiaForMass(double mass) const;
};

/// Does everything the reference compiler does to a mesh, in its order: hull and polygons from the vertices as read,
/// flip, transform, mass properties, principal frame, recentering, rounding to single precision.
///
/// A mesh without volume, |V| < 1e-9 diagonal^3, is no error in the three solid modes: it gets a warning, no mass, and
/// stays where it is. Throws MeshError if the surface has no area, if the hull is needed and does not exist, if the
/// surface is open or inconsistently wound under Exact, and if `mesh` fails checkMesh().
Mesh processMesh(const TriMesh& mesh, const MeshOptions& options);

/// A primitive that stands in for a mesh.
struct ShapeFit {
  Vec3 size = Vec3::Zero();    ///< in the order of geom_size; unused entries are 0
  Vec3 center = Vec3::Zero();  ///< in the mesh's own frame
};

/// Sphere, capsule, cylinder, ellipsoid or box fitted to the inertia box of the mesh or, with `toBoundingBox`, to its
/// bounding box; sizes are then multiplied by `fitScale`. Throws MeshError for other types.
ShapeFit fitShape(const Mesh& mesh, GeomType type, bool toBoundingBox, double fitScale);

}  // namespace sinew::geom
