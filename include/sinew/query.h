#pragma once

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

/// Questions about where things are: rays, and distances of two colliders. A collider is a geom or a flex. The elements
/// of a flex have its radius: segments are capsules, triangles are rounded plates; a solid is met at its boundary
/// triangles, with the radius around them.
///
/// Everything is in world coordinates and metres. The poses are those of the last forward() or step(), which leaves
/// them as they were before the state moved on. Queries write nothing but their bounding trees in Data, which are
/// refitted (O(geoms), and O(elements) of the flexes concerned) by the first query after each such evaluation; from
/// then on a ray costs about O(log colliders + log elements), plus O(triangles) of a mesh whose box it meets. After the
/// first query on a Data they allocate nothing. One Data serves one caller at a time. All functions throw
/// std::invalid_argument for arguments that make no sense or for a Data of another Model, and std::logic_error if
/// nothing has been placed yet.
namespace sinew {

/// What a ray can meet. The defaults are those of a rangefinder: everything visible.
struct RayOptions {
  /// Geoms and flexes by their group; groups below 0 count as 0, those above 5 as 5.
  std::array<bool, 6> groups{true, true, true, true, true, true};
  bool statics = true;  ///< also what never moves: geoms of static bodies, elements of pinned vertices
  bool flexes = true;   ///< also flexes
  int excludeBody =
      -1;  ///< leaves out the geoms of this body, and elements whose vertices are all fixed to it; -1: none
  double cutoff = std::numeric_limits<double>::infinity();  ///< nothing beyond this distance, in units of |direction|
};

/// The first surface that a ray meets.
struct RayHit {
  double distance = -1;            ///< in units of |direction|; -1: it meets nothing
  std::array<double, 3> point{};   ///< origin + distance * direction
  std::array<double, 3> normal{};  ///< unit normal of the surface; of a zero-thickness sheet: towards the ray's origin
  int geom = -1;                   ///< -1: a flex
  int flex = -1;                   ///< -1: a geom
  int element = -1;                ///< of the flex, counted within it; of a solid: the boundary triangle (flex_shell)

  bool isHit() const { return distance >= 0; }
};

/// The first surface at or ahead of `origin` along `direction`, which need not have unit length; one shorter than about
/// 1e-8 meets nothing. A ray that starts inside a solid shape meets its surface from within. Planes are seen from their
/// front only. Geoms and flexes without any opacity (alpha 0) are not seen. Of surfaces at exactly the same distance
/// the geom counts first, then the smaller number.
RayHit ray(const Model& m, Data& d, const std::array<double, 3>& origin, const std::array<double, 3>& direction,
           const RayOptions& options = {});

/// Many rays at once, on Data::threads threads: hits[i] is that of origins[i], or of the only origin, along
/// directions[i]. Throws std::invalid_argument if the sizes do not fit.
void rays(const Model& m, Data& d, std::span<const std::array<double, 3>> origins,
          std::span<const std::array<double, 3>> directions, std::span<RayHit> hits, const RayOptions& options = {});

/// A geom or a flex.
struct Collider {
  ObjType type = ObjType::Geom;  ///< Geom or Flex
  int id = 0;
};

/// The first surface of one collider alone that a ray meets, whatever its group, body and opacity. Throws as ray(), and
/// for a collider that does not exist.
RayHit rayAt(const Model& m, Data& d, const Collider& thing, const std::array<double, 3>& origin,
             const std::array<double, 3>& direction);

/// The shortest segment between two colliders.
struct Distance {
  double distance = 0;           ///< m; negative: they overlap by that much; the cutoff if they are farther apart
  bool found = false;            ///< nearer than the cutoff
  std::array<double, 3> from{};  ///< on the surface of the first; zero unless found
  std::array<double, 3> to{};    ///< on the surface of the second. If they overlap, the points lie inside of each other
  int element1 = -1;             ///< if the first is a flex: the element, counted within it
  int element2 = -1;             ///< likewise
};

/// Signed distance of two colliders and their nearest points, if they are nearer than `cutoff` (m, not negative). A
/// flex counts as the union of its elements, a solid as its tetrahedra with the radius around them, and a mesh as its
/// convex hull; where they overlap, the distance is that of the pair of elements with the deepest overlap. Contact
/// margins do not count. Exact to rounding for polytopes, spheres and capsules that are apart, else to
/// opt.ccd_tolerance. Planes and height fields have no distance from each other: not found. Throws
/// std::invalid_argument for a collider and itself.
Distance distance(const Model& m, Data& d, const Collider& first, const Collider& second,
                  double cutoff = std::numeric_limits<double>::infinity());

/// Force (N) and torque (N m) of a contact (an index into Data::contact) in its own frame, rows of Contact::frame:
/// normal, two tangents, then the torques about them. It acts on the second collider, its opposite on the first. Zero
/// for contacts without rows. Needs the solve: forward() or step(). Throws std::invalid_argument for an index that does
/// not exist and a Data of another Model.
std::array<double, 6> contactForce(const Model& m, const Data& d, int contact);

/// The same in world axes.
struct ContactWrench {
  std::array<double, 3> force{};   ///< N, on the second collider
  std::array<double, 3> torque{};  ///< N m, about the contact's position
};
ContactWrench contactWrench(const Model& m, const Data& d, int contact);

/// Indices of the contacts of a geom or a flex, in their order; of everything on a body for ObjType::Body (flexes whose
/// touching point rides on it included). Cost: the number of contacts. Throws std::invalid_argument for another type.
std::vector<int> contactsOf(const Model& m, const Data& d, const Collider& thing);

/// Whether two colliders overlap: distance() below 0. Same cost and errors.
bool overlap(const Model& m, Data& d, const Collider& first, const Collider& second);

}  // namespace sinew
