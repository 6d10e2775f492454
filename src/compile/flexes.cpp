#include "compile/flexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compile/flex_cells.h"
#include "compile/flex_interpolation.h"
#include "compile/flex_mass.h"
#include "compile/flex_pins.h"
#include "compile/flex_refine.h"
#include "compile/orientation.h"
#include "compile/rods.h"
#include "elastic/sliver.h"

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
    poses[i] = compose(poses[draft.bodies[i].parent], draft.bodies[i].pose);
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

Vec3 inWorld(const std::vector<Pose>& poses, int body, const Vec3& pos) {
  const Pose& pose = poses[body];
  return pose.pos + rotate(pose.quat, pos);
}

/// Nodes of an interpolated flex given body by body.
void placeListedNodes(const BodyIds& ids, Flex& flex) {
  const spec::Flex& f = *flex.listed;
  const Place place = placeOf(f);
  for (const int n : f.cellcount) {
    if (n < 1) place.fail(fmt::format("'cellcount' must be at least 1, found {}", n));
  }
  const NodeGrid grid(f.cellcount, flex.order());
  const std::size_t n = f.nodes.size();
  double expected = 1;  // as a real number: it may be too large for an int
  for (const int cells : f.cellcount) expected *= static_cast<double>(flex.order()) * cells + 1;
  if (static_cast<double>(n) != expected) {
    place.fail(fmt::format("'node' needs {} bodies for this cellcount and dof, found {}", expected, n));
  }
  if (!f.nodecoord.empty() && f.nodecoord.size() != 3 * n) {
    place.fail(fmt::format("'nodecoord' needs {} numbers, found {}", 3 * n, f.nodecoord.size()));
  }
  if (f.vertex.size() % 3 != 0 || f.vertex.empty()) {
    place.fail(fmt::format("'vertex' needs a multiple of 3 numbers, found {}", f.vertex.size()));
  }
  const std::size_t numVertices = f.vertex.size() / 3;
  if (f.bodies.size() > 1 && f.bodies.size() != numVertices) {
    place.fail(fmt::format("'body' needs one name, or one per vertex: {} vertices, found {} names", numVertices,
                           f.bodies.size()));
  }
  checkElements(flex.dim, f.element, static_cast<int>(numVertices), "element", place);
  if (!f.pins.empty()) place.fail("<pin> is for a flex without bodies");
  for (std::size_t i = 0; i < n; ++i) {
    FlexPoint& point = flex.points.emplace_back();
    point.body = bodyNamed(ids, f.nodes[i], place);
    if (!f.nodecoord.empty()) point.pos = Vec3(f.nodecoord[3 * i], f.nodecoord[3 * i + 1], f.nodecoord[3 * i + 2]);
  }
  flex.cells = f.cellcount;
  flex.elements = f.element;
}

/// Points of a flex given vertex by vertex.
void placeListed(const BodyIds& ids, Flex& flex) {
  if (flex.isInterpolated()) return placeListedNodes(ids, flex);
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

  Pinned pinned(n, 0);
  if (numBodies > 0 && !f.pins.empty()) place.fail("<pin> is for a flex without bodies");
  markPins(f.pins, {}, pinned);
  for (std::size_t i = 0; i < n; ++i) {
    FlexPoint& point = flex.points.emplace_back();
    if (!f.vertex.empty()) point.pos = Vec3(f.vertex[3 * i], f.vertex[3 * i + 1], f.vertex[3 * i + 2]);
    if (numBodies > 0) point.body = bodyNamed(ids, f.bodies[numBodies == 1 ? 0 : i], place);
    point.free = numBodies == 0 && pinned[i] == 0;
    point.pin = pinOf(f, pinned[i]);
  }
  flex.elements = f.element;
  if (orderOf(*flex.spec) == 2) {
    if (numBodies > 0) {
      place.fail("order=\"2\" is for a flex without bodies: the middles of edges would have none");
    }
    std::vector<Vec3> places;
    for (const FlexPoint& point : flex.points) places.push_back(point.pos);
    for (std::size_t e = 0; e < flex.elements.size(); e += 4) {
      if (measureOf(3, places, &flex.elements[e]) > 0) continue;
      place.fail(fmt::format("element {} is a tetrahedron without volume", e / 4));
    }
    // an edge between two pins of one body does not move, and neither does its middle
    for (const auto& [a, b] : refineTetrahedra(flex.elements, places)) {
      const int held = pinned[a];
      FlexPoint& point = flex.points.emplace_back();
      point.pos = places[flex.points.size() - 1];
      point.free = !heldTogether(f, held, pinned[b]);
      if (!point.free) point.pin = pinOf(f, held);
    }
  }
  const auto holder = [](const FlexPoint& p) { return p.pin ? p.pin->body : std::string(); };
  flex.rigid = std::none_of(flex.points.begin(), flex.points.end(), [&](const FlexPoint& p) {
    return p.free || p.body != flex.points[0].body || holder(p) != holder(flex.points[0]);
  });
}

/// Points that a pin gives to another body than the one they were declared under.
void moveToPinBodies(const BodyIds& ids, const std::vector<Pose>& poses, Flex& flex) {
  for (FlexPoint& point : flex.points) {
    if (!point.pin || point.pin->body.empty()) continue;
    point.body = bodyNamed(ids, point.pin->body, Place(point.pin->origin, "pin", ""));
    const Pose& pose = poses[point.body];
    point.pos = rotate(pose.quat.conjugate(), Vec3(point.rest - pose.pos));
  }
}

/// Cells are integrated as boxes of one size: nodes anywhere else would not be at rest.
void requireEvenGrid(const NodeGrid& grid, const std::vector<Vec3>& nodes, const spec::Flex& f, const Place& place) {
  constexpr double kOff = 1e-6;  // of the shortest side of a cell
  const auto at = [&](int i, int j, int k) -> const Vec3& { return nodes[grid.index(i, j, k)]; };
  const Vec3& origin = nodes[0];
  const Vec3 x = (at(grid.count(0) - 1, 0, 0) - origin) / (grid.count(0) - 1);
  const Vec3 y = (at(0, grid.count(1) - 1, 0) - origin) / (grid.count(1) - 1);
  const Vec3 z = (at(0, 0, grid.count(2) - 1) - origin) / (grid.count(2) - 1);
  const double shortest = std::min({x.norm(), y.norm(), z.norm()});
  for (int i = 0; i < grid.count(0); ++i) {
    for (int j = 0; j < grid.count(1); ++j) {
      for (int k = 0; k < grid.count(2); ++k) {
        const double off = (at(i, j, k) - (origin + i * x + j * y + k * z)).norm();
        if (off <= kOff * shortest) continue;
        place.fail(
            fmt::format("node {} (body \"{}\") is {:.3g} m away from its place in a grid of equal boxes: a flex "
                        "with dof=\"trilinear\" or \"quadratic\" would not be at rest there",
                        grid.index(i, j, k), f.nodes[grid.index(i, j, k)], off));
      }
    }
  }
}

/// Vertices in the world at qpos0; those of an interpolated flex given body by body get their weights here.
void placeVertices(const BodyIds& ids, const std::vector<Pose>& poses, Flex& flex) {
  if (!flex.isInterpolated()) {
    for (const FlexPoint& point : flex.points) flex.vertices.push_back(point.rest);
    return;
  }
  if (flex.generated) {
    for (const Vec3& v : flex.localVertices) flex.vertices.push_back(inWorld(poses, flex.parent, v));
    return;
  }
  const spec::Flex& f = *flex.listed;
  const Place place = placeOf(f);
  for (std::size_t i = 0; 3 * i < f.vertex.size(); ++i) {
    const int body = f.bodies.empty() ? 0 : bodyNamed(ids, f.bodies[f.bodies.size() == 1 ? 0 : i], place);
    flex.vertices.push_back(inWorld(poses, body, Vec3(f.vertex[3 * i], f.vertex[3 * i + 1], f.vertex[3 * i + 2])));
  }
  const NodeGrid grid(flex.cells, flex.order());
  std::vector<Vec3> nodes;
  for (const FlexPoint& point : flex.points) nodes.push_back(point.rest);
  flex.unit = unitCoordinates(grid, nodes, flex.vertices);
  if (flex.unit.empty()) place.fail("the nodes do not form a box with three orthogonal axes");
  requireEvenGrid(grid, nodes, f, place);
  if (flex.interpolation() > 0) flex.emptyCells = emptyCells(flex.cells, flex.dim, flex.unit, flex.elements);
  for (const Vec3& unit : flex.unit) {
    const std::vector<FlexSupport> supports = grid.weights(unit, flex.interpolation() < 0);
    flex.supports.insert(flex.supports.end(), supports.begin(), supports.end());
    flex.supportNum.push_back(static_cast<int>(supports.size()));
  }
}

/// Masses of a flex without bodies.
void weighListed(const Draft& draft, Flex& flex) {
  const spec::Flex& f = *flex.listed;
  if (!f.bodies.empty() || !f.nodes.empty()) return;
  const double density = f.density.value_or(flex.dim == 1 ? 1 : 1000);
  const std::vector<double> masses =
      orderOf(*flex.spec) == 2
          ? quadraticMasses(density, flex.vertices, flex.elements)
          : lumpedMasses(flex.dim, density, flex.parameters.thickness, flex.vertices, flex.elements);
  std::vector<char> used(masses.size(), 0);
  for (const int v : flex.elements) used[v] = 1;
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
void checkExtent(const Flex& flex) {
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

template <int N>
bool isSliver(const Flex& flex, std::size_t first) {
  elastic::Nodes<N> x;
  for (int i = 0; i < N; ++i) x.col(i) = flex.vertex(flex.elements[first + static_cast<std::size_t>(i)]);
  return elastic::isSliver(x);
}

/// What is elastic needs a height.
void checkHeights(const Flex& flex) {
  const FlexParameters& p = flex.parameters;
  if (flex.dim == 1 || !(p.young > 0) || (!p.stretch && p.bending == FlexBending::None)) return;
  const std::size_t corners = static_cast<std::size_t>(flex.dim) + 1;
  for (std::size_t e = 0; e < flex.elements.size(); e += corners) {
    if (!(corners == 3 ? isSliver<3>(flex, e) : isSliver<4>(flex, e))) continue;
    const int number = static_cast<int>(e / corners), declared = flex.declared(number);
    const bool piece = flex.declared(1) == 0;
    const std::array<int, 10> whole =
        piece ? wholeTetrahedron(&flex.elements[4 * kPiecesOfTetrahedron * declared]) : std::array<int, 10>{};
    const int* corner = piece ? whole.data() : &flex.elements[e];
    placeOf(flex).fail(
        fmt::format("element {} (vertices {}) is lower than a millionth of its longest edge: it is too flat to be "
                    "elastic; merge vertices that are close to each other, or remesh",
                    declared, fmt::join(corner, corner + corners, ", ")));
  }
}

void checkGeometry(const Flex& flex) {
  if (flex.rigid || flex.isInterpolated()) return;
  checkExtent(flex);
  checkHeights(flex);
}

/// The boxes of side 2 inertiabox that stand for free points slide against their body but turn with it: the body
/// carries their moments of inertia about their own centres.
void addRotaryInertia(Draft& draft, const Flex& flex) {
  if (!flex.generated || isStatic(draft, flex.parent)) return;
  Body& body = draft.body(flex.parent);
  const double square = flex.generated->inertiabox * flex.generated->inertiabox;
  for (const FlexPoint& point : flex.points) {
    if (point.free) body.inertia += Vec3::Constant(point.mass * 2 * square / 3);
  }
}

/// Meshes that are no manifold: they load, as what they are.
void reportCrowded(const Draft& draft, const Flex& flex) {
  const FlexTopology& t = flex.topology;
  if (!t.crowdedEdges.empty()) {
    const std::array<int, 2>& edge = t.edges[t.crowdedEdges[0]];
    draft.warn(placeOf(flex).message(
        fmt::format("{} edges, the first between vertices {} and {}, belong to more than two triangles: they do not "
                    "resist bending",
                    t.crowdedEdges.size(), edge[0], edge[1])));
  }
  if (flex.isInterpolated() || t.overlaps.empty()) return;
  std::vector<std::array<int, 2>> pairs;
  for (const auto& [a, b] : t.overlaps) pairs.push_back({flex.declared(a), flex.declared(b)});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  draft.warn(placeOf(flex).message(
      fmt::format("{} pairs of elements, the first {} and {}, {}: material is there twice", pairs.size(), pairs[0][0],
                  pairs[0][1], flex.dim == 3 ? "lie on the same side of a common face" : "have the same vertices")));
}

/// Adds an equality that a flex asks for.
spec::Equality& addEquality(Draft& draft, int id, EqualityType type) {
  const Flex& flex = draft.flexes[id];
  draft.equalityFlexes.push_back(id);
  spec::Equality& equality = draft.equalities.emplace_back();
  equality.origin = flex.spec->origin;
  equality.type = type;
  equality.name1 = flex.spec->name;
  equality.solref = flex.parameters.rowSolref;
  equality.solimp = flex.parameters.rowSolimp;
  return equality;
}

/// One per cell that holds something, or in shells one per face of a cell on the surface of the box.
void addStrainEqualities(Draft& draft, int id) {
  const Flex& flex = draft.flexes[id];
  const auto [nx, ny, nz] = flex.cells;
  if (flex.interpolation() < 0) {
    const int faces = 2 * (ny * nz + nx * nz + nx * ny);
    for (int face = 0; face < faces; ++face) {
      addEquality(draft, id, EqualityType::FlexStrain).cell = {static_cast<double>(face), -1, -1};
    }
    return;
  }
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      for (int k = 0; k < nz; ++k) {
        if (flex.emptyCells[(i * ny + j) * nz + k]) continue;
        addEquality(draft, id, EqualityType::FlexStrain).cell = {static_cast<double>(i), static_cast<double>(j),
                                                                 static_cast<double>(k)};
      }
    }
  }
}

void addDeclaredEqualities(Draft& draft, int id) {
  switch (draft.flexes[id].parameters.equality) {
    case FlexEquality::None:
      break;
    case FlexEquality::Edge:
      addEquality(draft, id, EqualityType::Flex);
      break;
    case FlexEquality::Vert:
      addEquality(draft, id, EqualityType::FlexVert);
      break;
    case FlexEquality::Strain:
      addStrainEqualities(draft, id);
      break;
  }
}

bool ownsPoints(const Flex& flex) {
  return !flex.slidePoints.empty() ||
         std::any_of(flex.points.begin(), flex.points.end(), [](const FlexPoint& p) { return p.free; });
}

/// A flex that nothing holds together gets rows on its edges, after all others.
void addImpliedEqualities(Draft& draft) {
  for (std::size_t id = 0; id < draft.flexes.size(); ++id) {
    const Flex& flex = draft.flexes[id];
    if (!flex.parameters.impliedRows || flex.rigid || !ownsPoints(flex)) continue;
    const bool named = std::any_of(draft.equalities.begin(), draft.equalities.end(), [&](const spec::Equality& e) {
      return e.type >= EqualityType::Flex && e.name1 == flex.spec->name && !flex.spec->name.empty();
    });
    if (!named) addEquality(draft, static_cast<int>(id), EqualityType::Flex);
  }
}

}  // namespace

bool isStatic(const Draft& draft, int body) {
  for (int b = body; b > 0; b = draft.body(b).parent) {
    if (!draft.body(b).joints.empty() || draft.body(b).spec->mocap) return false;
  }
  return true;
}

Place placeOf(const Flex& flex) { return flex.listed ? placeOf(*flex.listed) : placeOf(*flex.generated); }

void draftListedFlexes(Draft& draft) {
  for (const spec::Flex& f : draft.spec->flexes) {
    const Place place = placeOf(f);
    Flex& flex = draft.flexes.emplace_back();
    flex.spec = flex.listed = &f;
    flex.dim = f.dim;
    flex.dof = f.dof.value_or(FlexDof::Full);
    if (!f.nodes.empty() && !flex.isInterpolated()) {
      place.fail("with 'node' the order of interpolation must be given: dof=\"trilinear\" or \"quadratic\"");
    }
    if (f.nodes.empty() && flex.dof != FlexDof::Full) {
      place.fail("'dof' is for a flex with 'node'; use <flexcomp> for points that slide");
    }
    flex.parameters = resolveParameters(f, f.dim, flex.dof, draft.spec->option.timestep, place);
  }
}

void finishFlexes(Draft& draft) {
  draft.equalities = draft.spec->equalities;
  if (draft.flexes.empty()) return;
  const std::vector<Pose> poses = worldPoses(draft);
  const BodyIds ids = bodyIds(draft);
  for (std::size_t id = 0; id < draft.flexes.size(); ++id) {
    Flex& flex = draft.flexes[id];
    if (flex.listed) placeListed(ids, flex);
    for (FlexPoint& point : flex.points) point.rest = inWorld(poses, point.body, point.pos);
    moveToPinBodies(ids, poses, flex);
    placeVertices(ids, poses, flex);
    if (flex.dim == 3) orientTetrahedra(flex);
    checkGeometry(flex);
    if (flex.listed) weighListed(draft, flex);
    if (flex.parameters.rod.twist && !flex.rigid) addSections(poses, flex);
    flex.topology = topologyOf(flex.dim, flex.elements);
    reportCrowded(draft, flex);
    const std::string idle = flex.rigid ? std::string() : idleElasticity(flex.parameters, flex.dim);
    if (!idle.empty()) draft.warn(placeOf(flex).message(idle));
    addRotaryInertia(draft, flex);
    if (!flex.rigid) addDeclaredEqualities(draft, static_cast<int>(id));
  }
  addImpliedEqualities(draft);
}

}  // namespace sinew::draft
