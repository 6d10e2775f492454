#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compile/flex_cells.h"
#include "compile/flex_generate.h"
#include "compile/flex_interpolation.h"
#include "compile/flex_mass.h"
#include "compile/flex_pins.h"
#include "compile/flex_refine.h"
#include "compile/flexes.h"
#include "compile/memory.h"
#include "compile/orientation.h"

/// Flexcomps: from generated points to free, pinned and sliding ones.
namespace sinew::draft {
namespace {

using spec::FlexcompType;

bool isGiven(FlexcompType type) {
  return type == FlexcompType::Direct || type == FlexcompType::Mesh || type == FlexcompType::Gmsh;
}

void checkNumbers(const spec::Flexcomp& f, const Place& place) {
  if (f.mass && f.density) place.fail("'mass' and 'density' cannot both be given");
  if (f.mass && !(*f.mass >= kMinVal)) place.fail(fmt::format("'mass' must be positive, found {}", *f.mass));
  if (!(f.inertiabox >= kMinVal)) place.fail(fmt::format("'inertiabox' must be positive, found {}", f.inertiabox));
  for (const double s : f.scale) {
    if (!(s >= kMinVal)) place.fail(fmt::format("'scale' must be positive, found {}", s));
  }
  for (const int n : f.cellcount) {
    if (n < 1) place.fail(fmt::format("'cellcount' must be at least 1, found {}", n));
  }
  if (!f.fill) return;
  if (*f.fill < 1) place.fail(fmt::format("'fill' must be at least 1, found {}", *f.fill));
  if (f.type != FlexcompType::Mesh || f.dim != 3) place.fail("'fill' is for type=\"mesh\" with dim=\"3\"");
  if (f.center) place.fail("'fill' and 'origin' are two ways to make a solid from a surface; leave one out");
}

/// What a default class can say about joints and a node with three coordinates cannot have.
void checkJointDefaults(const spec::Joint& joint, const Place& place) {
  const spec::Joint plain;
  const auto refuse = [&](bool present, const char* what) {
    if (present) place.fail(fmt::format("the default class gives joints {}, which points of a flex cannot have", what));
  };
  refuse(joint.stiffness != plain.stiffness || joint.springdamper != plain.springdamper, "a spring");
  refuse(joint.limited == spec::Tri::True || (joint.limited == spec::Tri::Auto && joint.range != plain.range),
         "limits");
  refuse(joint.ref != 0, "a reference position ('ref')");
}

/// Scale, then pose in the parent body, of which `orientation` is told.
void placePoints(const Draft& draft, const spec::Flexcomp& f, const spec::Body& body, const Place& place,
                 FlexShape& shape, Quat& orientation) {
  Pose pose{toVec3(f.pos), orientationOf(f.orientation, draft.compiler(), place)};
  if (f.frame >= 0) {
    const std::vector<Pose> frames = framePoses(body, draft.compiler());
    pose = compose(frames.at(static_cast<std::size_t>(f.frame)), pose);
  }
  orientation = pose.quat;
  const Vec3 scale = isGiven(f.type) ? toVec3(f.scale) : Vec3::Ones();
  for (Vec3& point : shape.points) point = pose.pos + rotate(pose.quat, Vec3(point.cwiseProduct(scale)));
}

/// Points no element uses are taken out; the others keep their order.
void dropUnused(FlexShape& shape, Pinned& pinned) {
  std::vector<int> index(shape.points.size(), -1);
  for (const int v : shape.elements) index[v] = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0) continue;
    index[i] = static_cast<int>(kept);
    shape.points[kept] = shape.points[i];
    pinned[kept] = pinned[i];
    ++kept;
  }
  shape.points.resize(kept);
  pinned.resize(kept);
  for (int& v : shape.elements) v = index[v];
}

/// Middles of the edges of a flat tetrahedron would be made before checkGeometry() sees it.
void requireVolume(const FlexShape& shape, const Place& place) {
  for (std::size_t e = 0; e < shape.elements.size(); e += 4) {
    if (!(measureOf(3, shape.points, &shape.elements[e]) > 0)) {
      place.fail(fmt::format("element {} is a tetrahedron without volume", e / 4));
    }
  }
}

/// A body for a point that moves along lines fixed in its parent.
spec::Body slideBody(const spec::Flexcomp& f, int index, const Vec3& pos, double mass, const Place& place) {
  spec::Body body;
  body.name = fmt::format("{}_{}", f.name, index);
  body.origin = f.origin;
  body.pos = {pos[0], pos[1], pos[2]};
  spec::Inertial inertial;
  inertial.origin = f.origin;
  inertial.mass = mass;
  const double moment = mass * (2 * f.inertiabox * f.inertiabox) / 3;
  inertial.diaginertia = {moment, moment, moment};
  body.inertial = inertial;

  spec::Joint joint = f.joint;
  joint.name.clear();
  joint.origin = f.origin;
  joint.type = JointType::Slide;
  joint.pos = {0, 0, 0};
  if (f.dof == FlexDof::Radial) {
    const double length = pos.norm();
    if (!(length >= kMinVal)) {
      place.fail(fmt::format("point {} lies at the origin of its body: it has no radial direction", index));
    }
    joint.axis = {pos[0] / length, pos[1] / length, pos[2] / length};
    body.joints.push_back(joint);
  } else {
    for (std::size_t k = 0; k < 2; ++k) {
      joint.axis = {0, 0, 0};
      joint.axis[k] = 1;
      body.joints.push_back(joint);
    }
  }
  return body;
}

/// Points and pins of a flexcomp without interpolation.
void addPoints(const spec::Flexcomp& f, const FlexShape& shape, const Pinned& pinned, const Place& place, Flex& flex) {
  const std::size_t n = shape.points.size();
  std::vector<double> masses(n, f.mass.value_or(1) / static_cast<double>(n));
  if (orderOf(*flex.spec) == 2) {
    masses = quadraticMasses(f.density.value_or(1), shape.points, shape.elements);
    const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
    if (!f.density) std::for_each(masses.begin(), masses.end(), [&](double& x) { x *= f.mass.value_or(1) / sum; });
  } else if (flex.parameters.rod.twist && !f.density) {  // by length, as the sections between the points
    masses = lumpedMasses(1, 1, 0, shape.points, shape.elements);
    const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
    for (double& x : masses) x *= f.mass.value_or(1) / sum;
  } else if (f.density) {
    masses = lumpedMasses(flex.dim, *f.density, flex.parameters.thickness, shape.points, shape.elements);
  }
  const bool slides = f.dof == FlexDof::Radial || f.dof == FlexDof::Planar;
  for (std::size_t i = 0; i < n; ++i) {
    const bool moves = !pinned[i] && !flex.rigid;
    FlexPoint& point = flex.points.emplace_back();
    point.body = flex.parent;
    point.pos = shape.points[i];
    point.free = moves && !slides;
    point.mass = masses[i];
    point.pin = pinOf(f, pinned[i]);
    if (!moves || !slides) continue;
    flex.slidePoints.push_back(static_cast<int>(i));
    flex.slideBodies.push_back(slideBody(f, static_cast<int>(i), shape.points[i], masses[i], place));
    point.pos.setZero();
  }
}

/// Nodes of an interpolated flexcomp: a box of cells around its points, along the axes of the parent body.
void addNodes(const spec::Flexcomp& f, const FlexShape& shape, const Vec3& low, const Vec3& high, const Place& place,
              Flex& flex) {
  const NodeGrid grid(f.cellcount, flex.order());
  const std::vector<Vec3> nodes = grid.positions(low, high);
  flex.cells = f.cellcount;
  flex.localVertices = shape.points;
  flex.unit = unitCoordinates(grid, nodes, shape.points);
  if (flex.unit.empty()) place.fail("interpolation needs points with extent along all three axes");
  const bool shell = flex.parameters.isShell(f.dof);
  for (const Vec3& unit : flex.unit) {
    const std::vector<FlexSupport> supports = grid.weights(unit, shell);
    flex.supports.insert(flex.supports.end(), supports.begin(), supports.end());
    flex.supportNum.push_back(static_cast<int>(supports.size()));
  }

  Pinned pinned(nodes.size(), 0);
  markPins(f.pins, {true, 3, grid.counts()}, pinned);
  if (std::all_of(pinned.begin(), pinned.end(), [](int p) { return p != 0; })) {
    place.fail("all nodes are pinned; use rigid=\"true\" for a flex that does not deform");
  }
  if (shell) {
    for (int i = 0; i < grid.count(0); ++i) {
      for (int j = 0; j < grid.count(1); ++j) {
        for (int k = 0; k < grid.count(2); ++k) {
          if (grid.isInside(i, j, k)) pinned[grid.index(i, j, k)] = kHeld;
        }
      }
    }
  } else {
    flex.emptyCells = emptyCells(f.cellcount, flex.dim, flex.unit, shape.elements);
    const std::vector<char> unused = grid.unusedNodes(flex.emptyCells);
    for (std::size_t n = 0; n < nodes.size(); ++n) pinned[n] = unused[n] && pinned[n] == 0 ? kHeld : pinned[n];
  }

  double total = f.mass.value_or(1);
  if (f.density) {
    total = 0;
    for (const double m : lumpedMasses(flex.dim, *f.density, flex.parameters.thickness, shape.points, shape.elements)) {
      total += m;
    }
  }
  std::vector<double> shares = grid.massShares();
  double sum = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) sum += pinned[n] ? 0 : shares[n];
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    FlexPoint& point = flex.points.emplace_back();
    point.body = flex.parent;
    point.pos = nodes[n];
    point.free = pinned[n] == 0;
    point.pin = pinOf(f, pinned[n]);
    point.mass = shares[n] * (total / sum);
  }
}

}  // namespace

void checkElements(int dim, const std::vector<int>& elements, int numPoints, const char* attribute,
                   const Place& place) {
  const std::size_t corners = static_cast<std::size_t>(dim) + 1;
  if (elements.empty() || numPoints == 0) place.fail("a flex needs points and elements");
  if (elements.size() % corners != 0) {
    place.fail(
        fmt::format("'{}' needs a multiple of dim + 1 = {} numbers, found {}", attribute, corners, elements.size()));
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] < 0 || elements[i] >= numPoints) {
      place.fail(fmt::format("'{}': element {} has vertex {}, but there are {} vertices", attribute, i / corners,
                             elements[i], numPoints));
    }
    for (std::size_t k = i / corners * corners; k < i; ++k) {
      if (elements[k] == elements[i]) {
        place.fail(fmt::format("'{}': element {} has vertex {} twice", attribute, i / corners, elements[i]));
      }
    }
  }
}

Flex& draftFlexcomp(Draft& draft, const spec::Flexcomp& f, const spec::Body& body, int parent) {
  const Place place = placeOf(f);
  checkNumbers(f, place);
  checkJointDefaults(f.joint, place);
  Flex& flex = draft.flexes.emplace_back();
  flex.spec = flex.generated = &f;
  flex.dof = f.dof;
  flex.parent = parent;

  FlexShape shape = generateShape(draft, f, place);
  flex.dim = shape.dim;
  flex.parameters = resolveParameters(f, flex.dim, f.dof, draft.spec->option.timestep, place);
  checkElements(flex.dim, shape.elements, shape.numPoints(), "element", place);
  if (isGiven(f.type) && !f.fill) {
    const auto elements = static_cast<double>(shape.elements.size()) / (flex.dim + 1);
    chargeFlexcomp(draft, f, flex.dim, shape.numPoints(), elements);
  }
  placePoints(draft, f, body, place, shape, flex.orientation);
  Vec3 low = shape.points[0], high = low;
  for (const Vec3& point : shape.points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }

  const bool interpolated = flex.isInterpolated();
  Pinned pinned(shape.points.size(), f.rigid ? kHeld : 0);
  if (!f.rigid && !interpolated) {
    markPins(f.pins, {f.type == FlexcompType::Grid, flex.dim, shape.count}, pinned);
    if (f.dof == FlexDof::Radial) pinned[0] = kHeld;
  }
  if (isGiven(f.type)) dropUnused(shape, pinned);
  flex.rigid = std::all_of(pinned.begin(), pinned.end(), [&](int p) { return heldTogether(f, p, pinned[0]); });
  if (orderOf(*flex.spec) == 2 && !flex.rigid) {
    chargeFlexcomp(draft, f, flex.dim, kPiecesOfTetrahedron * static_cast<double>(shape.numPoints()),
                   kPiecesOfTetrahedron * static_cast<double>(shape.elements.size()) / 4);
    requireVolume(shape, place);
    for (const auto& [a, b] : refineTetrahedra(shape.elements, shape.points)) {
      const int held = pinned[a];
      pinned.push_back(heldTogether(f, held, pinned[b]) ? held : 0);
    }
  }
  const bool stretchesShell = flex.parameters.stretch && flex.parameters.isShell(f.dof);
  if (stretchesShell && !flex.rigid && flex.parameters.law == FlexLaw::Reference) {
    draft.warn(
        place.message("under law=\"mujoco\" an interpolated shell does not resist stretching; choose another law"));
  }
  if (flex.rigid) flex.parameters.rod.twist = false;
  if (interpolated && !flex.rigid) {
    addNodes(f, shape, low, high, place, flex);
  } else {
    flex.dof = interpolated ? FlexDof::Full : f.dof;
    addPoints(f, shape, pinned, place, flex);
  }
  flex.elements = std::move(shape.elements);
  return flex;
}

}  // namespace sinew::draft
