#include "compile/flexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compile/flex_mass.h"
#include "compile/flex_pins.h"
#include "compile/orientation.h"

namespace sinew::draft {
namespace {

using spec::FlexEquality;

/// Shorter edges have no direction, and nothing can hold them.
constexpr double kShortestEdge = 1e-10;
/// Triangles and tetrahedra with less than this share of the area or volume their longest edge allows are flat.
constexpr double kFlat = 1e-12;
/// Mass of a vertex that no element gives one, kg.
constexpr double kLooseMass = 0.001;

/// Poses of all bodies at qpos0, where every joint is in its reference position.
std::vector<Pose> worldPoses(const Draft& draft) {
  std::vector<Pose> poses(draft.bodies.size());
  for (std::size_t i = 1; i < poses.size(); ++i) {
    poses[i] = compose(poses[static_cast<std::size_t>(draft.bodies[i].parent)], draft.bodies[i].pose);
  }
  return poses;
}

using BodyIds = std::unordered_map<std::string, int>;

BodyIds bodyIds(const Draft& draft) {
  BodyIds ids;
  for (std::size_t i = 0; i < draft.bodies.size(); ++i) ids.emplace(draft.bodies[i].spec->name, static_cast<int>(i));
  return ids;
}

int bodyNamed(const BodyIds& ids, const std::string& name, const Place& place) {
  const auto found = ids.find(name);
  if (found == ids.end()) place.fail(fmt::format("no body is named \"{}\"", name));
  return found->second;
}

/// Points of a flex given vertex by vertex.
void placeListed(const BodyIds& ids, Flex& flex) {
  const spec::Flex& f = *flex.listed;
  const Place place = placeOf(f);
  const std::size_t numBodies = f.bodies.size();
  if (f.vertex.size() % 3 != 0) {
    place.fail(fmt::format("'vertex' needs a multiple of 3 numbers, found {}", f.vertex.size()));
  }
  const std::size_t n = f.vertex.empty() ? numBodies : f.vertex.size() / 3;
  if (numBodies > 1 && numBodies != n) {
    place.fail(fmt::format("'body' needs one name, or one per vertex: {} vertices, found {} names", n, numBodies));
  }
  checkElements(flex.dim, f.element, static_cast<int>(n), "element", place);
  if (numBodies > 0 && f.density) place.fail("'density' is for a flex without bodies: these have their own mass");

  std::vector<char> pinned(n, 0);
  if (numBodies > 0 && !f.pins.empty()) place.fail("<pin> is for a flex without bodies");
  markPins(f.pins, {}, pinned);
  for (std::size_t i = 0; i < n; ++i) {
    FlexPoint& point = flex.points.emplace_back();
    if (!f.vertex.empty()) point.pos = Vec3(f.vertex[3 * i], f.vertex[3 * i + 1], f.vertex[3 * i + 2]);
    if (numBodies > 0) point.body = bodyNamed(ids, f.bodies[numBodies == 1 ? 0 : i], place);
    point.free = numBodies == 0 && !pinned[i];
  }
  flex.elements = f.element;
  flex.rigid = std::none_of(flex.points.begin(), flex.points.end(),
                            [&](const FlexPoint& p) { return p.free || p.body != flex.points[0].body; });
}

/// Masses of a flex without bodies.
void weighListed(const Draft& draft, Flex& flex) {
  const spec::Flex& f = *flex.listed;
  if (!f.bodies.empty()) return;
  const double density = f.density.value_or(flex.dim == 1 ? 1 : 1000);
  const std::vector<double> masses =
      lumpedMasses(flex.dim, density, flex.parameters.thickness, flex.vertices, flex.elements);
  std::vector<char> used(masses.size(), 0);
  for (const int v : flex.elements) used[static_cast<std::size_t>(v)] = 1;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    flex.points[i].mass = used[i] ? masses[i] : kLooseMass;
    if (used[i]) continue;
    draft.warn(placeOf(f).message(fmt::format("vertex {} is in no element; it gets {} kg", i, kLooseMass)));
  }
}

/// Faces (0,1,2), (0,2,3), (0,3,1), (1,3,2) of a tetrahedron are to be right-handed as seen from outside.
void orientTetrahedra(Flex& flex) {
  for (std::size_t e = 0; e < flex.elements.size(); e += 4) {
    const Vec3& x0 = flex.vertex(flex.elements[e]);
    const auto side = [&](std::size_t k) -> Vec3 { return flex.vertex(flex.elements[e + k]) - x0; };
    if (side(1).cross(side(2)).dot(side(3)) > 0) std::swap(flex.elements[e + 1], flex.elements[e + 2]);
  }
}

/// Elements without extent would divide by zero.
void checkGeometry(const Flex& flex) {
  if (flex.rigid || flex.isInterpolated()) return;
  const std::size_t corners = static_cast<std::size_t>(flex.dim) + 1;
  for (std::size_t e = 0; e < flex.elements.size(); e += corners) {
    double longest = 0;
    for (std::size_t a = 0; a < corners; ++a) {
      for (std::size_t b = a + 1; b < corners; ++b) {
        const int v = flex.elements[e + a], w = flex.elements[e + b];
        const double length = (flex.vertex(v) - flex.vertex(w)).norm();
        longest = std::max(longest, length);
        if (length < kShortestEdge) {
          placeOf(flex).fail(fmt::format("element {}: vertices {} and {} are in the same place", e / corners, v, w));
        }
      }
    }
    if (flex.dim == 1) continue;
    const double size = measureOf(flex.dim, flex.vertices, &flex.elements[e]);
    if (size > kFlat * std::pow(longest, flex.dim)) continue;
    placeOf(flex).fail(fmt::format("element {} is {}", e / corners,
                                   flex.dim == 2 ? "a triangle without area" : "a tetrahedron without volume"));
  }
}

void reportCrowdedEdges(const Draft& draft, const Flex& flex) {
  const std::vector<int>& crowded = flex.topology.crowdedEdges;
  if (crowded.empty()) return;
  const std::array<int, 2>& edge = flex.topology.edges[static_cast<std::size_t>(crowded[0])];
  draft.warn(placeOf(flex).message(
      fmt::format("{} edges, the first between vertices {} and {}, belong to more than two triangles: they do not "
                  "resist bending",
                  crowded.size(), edge[0], edge[1])));
}

spec::Equality equalityOf(const Flex& flex, EqualityType type) {
  spec::Equality equality;
  equality.origin = flex.spec->origin;
  equality.type = type;
  equality.name1 = flex.spec->name;
  equality.solref = flex.parameters.rowSolref;
  equality.solimp = flex.parameters.rowSolimp;
  return equality;
}

void addDeclaredEqualities(Draft& draft, const Flex& flex) {
  switch (flex.parameters.equality) {
    case FlexEquality::None:
      break;
    case FlexEquality::Edge:
      draft.equalities.push_back(equalityOf(flex, EqualityType::Flex));
      break;
    case FlexEquality::Vert:
      draft.equalities.push_back(equalityOf(flex, EqualityType::FlexVert));
      break;
    case FlexEquality::Strain:
      placeOf(flex).fail("equality=\"strain\" is not supported");
  }
}

bool ownsPoints(const Flex& flex) {
  return !flex.slidePoints.empty() ||
         std::any_of(flex.points.begin(), flex.points.end(), [](const FlexPoint& p) { return p.free; });
}

/// A flex that nothing holds together gets rows on its edges, after all others.
void addImpliedEqualities(Draft& draft) {
  for (const Flex& flex : draft.flexes) {
    if (!flex.parameters.impliedRows || flex.rigid || !ownsPoints(flex)) continue;
    const bool named = std::any_of(draft.equalities.begin(), draft.equalities.end(), [&](const spec::Equality& e) {
      return e.type >= EqualityType::Flex && e.name1 == flex.spec->name && !flex.spec->name.empty();
    });
    if (!named) draft.equalities.push_back(equalityOf(flex, EqualityType::Flex));
  }
}

}  // namespace

Place placeOf(const Flex& flex) { return flex.listed ? placeOf(*flex.listed) : placeOf(*flex.generated); }

void draftListedFlexes(Draft& draft) {
  for (const spec::Flex& f : draft.spec->flexes) {
    const Place place = placeOf(f);
    Flex& flex = draft.flexes.emplace_back();
    flex.spec = flex.listed = &f;
    flex.dim = f.dim;
    flex.dof = f.dof.value_or(FlexDof::Full);
    if (!f.nodes.empty() || flex.isInterpolated()) place.fail("an interpolated flex ('node') is not supported");
    flex.parameters = resolveParameters(f, f.dim, flex.dof, draft.spec->option.timestep, place);
  }
}

void finishFlexes(Draft& draft) {
  draft.equalities = draft.spec->equalities;
  if (draft.flexes.empty()) return;
  const std::vector<Pose> poses = worldPoses(draft);
  const BodyIds ids = bodyIds(draft);
  for (Flex& flex : draft.flexes) {
    if (flex.listed) placeListed(ids, flex);
    for (FlexPoint& point : flex.points) {
      const Pose& pose = poses[static_cast<std::size_t>(point.body)];
      point.rest = pose.pos + rotate(pose.quat, point.pos);
      flex.vertices.push_back(point.rest);
    }
    if (flex.dim == 3) orientTetrahedra(flex);
    checkGeometry(flex);
    if (flex.listed) weighListed(draft, flex);
    flex.topology = topologyOf(flex.dim, flex.elements);
    reportCrowdedEdges(draft, flex);
    if (!flex.rigid) addDeclaredEqualities(draft, flex);
  }
  addImpliedEqualities(draft);
}

}  // namespace sinew::draft
