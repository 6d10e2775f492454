#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "base/joined.h"
#include "collision/bounding_tree.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/elements.h"
#include "constraints/checks.h"
#include "geom/element_distance.h"
#include "geom/shape.h"
#include "model/workspace.h"
#include "query/query_trees.h"
#include "sinew/query.h"
#include "world/world_impl.h"
#include "world/world_shapes.h"

/// What is where: rays, overlaps, sensors, and whom a contact filter lets touch.
namespace sinew {
namespace {

using Bounds = BoundingTree::Box;

/// World box of a shape that stands for itself.
Bounds boxOf(const geom::Shape& shape) {
  const geom::Aabb local = geom::shapeAabb(shape.type, shape.size);
  const Vec3 center = shape.pos + shape.rot * local.center, half = shape.rot.cwiseAbs() * local.half;
  Bounds box;
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = center[i] - half[i];
    box.upper[i] = center[i] + half[i];
  }
  return box;
}

bool overlapsGeom(const Model& m, Data& d, const geom::Shape& shape, int g, Array<geom::ContactPoint>& points) {
  const geom::CollideOptions options = collideOptions(m, d);
  const geom::Shape other = shapeOf(m, d, g);
  points.clear();
  shape.type <= other.type ? geom::collide(shape, other, 0, options, points)
                           : geom::collide(other, shape, 0, options, points);
  return std::any_of(points.begin(), points.end(), [](const geom::ContactPoint& p) { return p.dist < 0; });
}

bool overlapsFlex(const Model& m, Data& d, const geom::Shape& shape, const Bounds* box, int flex) {
  const geom::CollideOptions options = collideOptions(m, d);
  bool found = false;
  const auto visit = [&](int element) {
    if (found) return;
    Vec3 from, to;
    const geom::Element e = elementAt(m, d, m.flex_elemadr[flex] + element);
    found = geom::distance(shape, e, 1e-9, options, &from, &to) < 0;
  };
  if (box) {
    forEachInside(elementTree(m, d, flex), *box, visit);
  } else {
    for (int e = 0; e < m.flex_elemnum[flex]; ++e) visit(e);
  }
  return found;
}

bool visitBefore(const SensorEvent& x, const SensorEvent& y) {
  return x.sensor != y.sensor ? x.sensor < y.sensor : x.visitor < y.visitor;
}

/// Whether a bit of one is in the other.
bool bitsMeet(int contype1, int conaffinity1, int contype2, int conaffinity2) {
  return (contype1 & conaffinity2) != 0 || (contype2 & conaffinity1) != 0;
}

}  // namespace

/// `box` is that of the shape, null if it has no bounds.
template <class F>
void World::Impl::eachOverlapping(const geom::Shape& shape, const Bounds* box, F&& f) {
  Data& d = *data;
  const auto visit = [&](int collider) {
    const ContactBody side = sideOf(collider);
    if (!side.body && !side.soft) return;  // a spare body
    if (side.body && body(side.body).sensor) return;
    const bool overlaps = collider < model.ngeom ? overlapsGeom(model, d, shape, collider, points)
                                                 : overlapsFlex(model, d, shape, box, collider - model.ngeom);
    if (overlaps) f(side, collider);
  };
  const auto isPlane = [&](int c) { return c < model.ngeom && model.geom_type[c] == GeomType::Plane; };
  if (!box) {
    for (int c = 0; c < model.ngeom + model.nflex; ++c) visit(c);
    return;
  }
  forEachInside(colliderTree(model, d), *box, [&](int c) {
    if (!isPlane(c)) visit(c);
  });
  for (const int plane : d.work->queryTrees.planes) visit(plane);
}

// ------------------------------------------------------------------------------------------ sensors

void World::Impl::visitorsOf(const BodyRecord& sensor, std::vector<ContactBody>& found) {
  found.clear();
  const int first = model.body_geomadr[sensor.modelBody], count = model.body_geomnum[sensor.modelBody];
  for (int g = first; g < first + count; ++g) {
    const bool bounded = model.geom_type[g] != GeomType::Plane;
    const Bounds box = bounded ? geomBox(model, *data, g, 0) : Bounds{};
    eachOverlapping(shapeOf(model, *data, g), bounded ? &box : nullptr, [&](const ContactBody& side, int collider) {
      if (side.body) {
        const BodyRecord& record = body(side.body);
        if (record.isStatic()) return;
        if (!bitsMeet(sensor.contype, sensor.conaffinity, record.contype, record.conaffinity)) return;
      } else {
        const int flex = collider - model.ngeom;
        if (!bitsMeet(sensor.contype, sensor.conaffinity, model.flex_contype[flex], model.flex_conaffinity[flex])) {
          return;
        }
      }
      found.push_back(side);
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

void World::Impl::findVisitors() {
  nowVisiting.clear();
  for (const BodyRecord& record : bodies) {
    if (record.removed || !record.sensor || record.modelBody < 0) continue;
    synchronize();
    visitorsOf(record, visitors);
    for (const ContactBody& visitor : visitors) nowVisiting.push_back({record.id, visitor});
  }
  data->work->arena.settle();
  std::sort(nowVisiting.begin(), nowVisiting.end(), visitBefore);
}

void World::Impl::reportSensors() {
  if (!onEnter && !onLeave) return;
  ensureCompiled();  // event callbacks may have changed the world
  findVisitors();
  entered.clear();
  left.clear();
  std::set_difference(nowVisiting.begin(), nowVisiting.end(), visits.begin(), visits.end(), std::back_inserter(entered),
                      visitBefore);
  std::set_difference(visits.begin(), visits.end(), nowVisiting.begin(), nowVisiting.end(), std::back_inserter(left),
                      visitBefore);
  visits.assign(nowVisiting.begin(), nowVisiting.end());
  if (entered.empty() && left.empty()) return;

  const auto enter = onEnter, leave = onLeave;
  std::vector<SensorEvent> in, out;
  in.swap(entered);
  out.swap(left);
  for (const SensorEvent& event : out) {
    if (leave) leave(event);
  }
  for (const SensorEvent& event : in) {
    if (enter) enter(event);
  }
  in.swap(entered);
  out.swap(left);
}

std::vector<ContactBody> World::overlapping(BodyId sensor) const {
  if (!impl_->body(sensor).sensor) {
    throw std::invalid_argument(fmt::format("body \"{}\" is no sensor", impl_->body(sensor).body.name));
  }
  impl_->ensureCompiled();
  impl_->synchronize();
  std::vector<ContactBody> found;
  impl_->visitorsOf(impl_->body(sensor), found);
  impl_->data->work->arena.settle();
  return found;
}

// ------------------------------------------------------------------------------------------ questions

std::optional<RayCastHit> World::rayCast(const Vector3& origin, const Vector3& direction,
                                         const RayCastOptions& options) const {
  check::finite("ray", "origin", origin);
  check::finite("ray", "direction", direction);
  const double length = toEigen(direction).norm();
  if (!(length > 1e-12 && std::isfinite(length))) {
    check::fail("ray", "direction", fmt::format("({})", joined(direction, ", ")), "longer than 1e-12");
  }
  if (!(options.maxDistance >= 0)) {
    check::fail("ray", "largest distance", fmt::format("{}", options.maxDistance), "0 or more");
  }
  if (options.exclude) impl_->body(options.exclude);
  impl_->ensureCompiled();
  impl_->synchronize();
  RayOptions below;
  below.groups[kSensorGroup] = false;
  below.statics = options.statics;
  below.flexes = true;
  below.cutoff = options.maxDistance;
  if (options.exclude) below.excludeBody = impl_->body(options.exclude).modelBody;
  const Vector3 unit = fromEigen(toEigen(direction) / length);
  Vector3 from = origin;
  double passed = 0;
  for (;;) {
    const RayHit hit = ray(impl_->model, *impl_->data, from, unit, below);
    if (!hit.isHit()) return std::nullopt;
    const ContactBody thing = impl_->sideOf(hit.geom >= 0 ? hit.geom : impl_->model.ngeom + hit.flex);
    if (thing.soft && !options.softs) {  // on, from just behind it
      constexpr double kStep = 1e-9;
      const double on = hit.distance + kStep * (1 + hit.distance);
      passed += on;
      below.cutoff -= on;
      if (!(below.cutoff >= 0)) return std::nullopt;
      from = fromEigen(toEigen(from) + on * toEigen(unit));
      continue;
    }
    return RayCastHit{thing, passed + hit.distance, hit.point, hit.normal};
  }
}

std::vector<ContactBody> World::overlapping(const Shape& shape, const Placement& placement) const {
  check::finite("overlap", "position", placement.position);
  const Part part{shape, placement.position, checkedOrientation("overlap", placement.orientation)};
  if (std::holds_alternative<Plane>(shape) || std::holds_alternative<TriangleMesh>(shape) ||
      std::holds_alternative<HeightField>(shape)) {
    throw std::invalid_argument("overlap: the shape must be a sphere, box, capsule, cylinder or ellipsoid");
  }
  const spec::Geom geom = makeGeom("overlap", part, "");
  impl_->ensureCompiled();
  impl_->synchronize();
  geom::Shape probe;
  probe.type = geom.type;
  probe.pos = toEigen(geom.pos);
  probe.rot = toMatrix(toQuat(geom.orientation.quat));
  probe.size = toEigen(geom.size);
  probe.rbound = geom::shapeBoundingRadius(geom.type, probe.size);
  const Bounds box = boxOf(probe);
  std::vector<ContactBody> found;
  impl_->eachOverlapping(probe, &box, [&](const ContactBody& side, int) { found.push_back(side); });
  impl_->data->work->arena.settle();
  const auto order = [&](const ContactBody& side) {
    return side.body ? std::pair(0, impl_->body(side.body).uid) : std::pair(1, impl_->soft(side.soft).uid);
  };
  std::sort(found.begin(), found.end(),
            [&](const ContactBody& x, const ContactBody& y) { return order(x) < order(y); });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

double World::distance(BodyId first, BodyId second) const {
  const auto colliders = [&](BodyId id) {
    const BodyRecord& record = impl_->body(id);
    std::vector<Collider> all;
    all.reserve(record.body.geoms.size() + record.modelSurfaces.size());
    for (int k = 0; k < static_cast<int>(record.body.geoms.size()); ++k) {
      all.push_back({ObjType::Geom, impl_->model.body_geomadr[record.modelBody] + k});
    }
    for (const int flex : record.modelSurfaces) all.push_back({ObjType::Flex, flex});
    return all;
  };
  if (first == second) throw std::invalid_argument("distance: a body has no distance from itself");
  impl_->body(first);
  impl_->body(second);
  impl_->ensureCompiled();
  impl_->synchronize();
  Distance least;
  for (const Collider& a : colliders(first)) {
    for (const Collider& b : colliders(second)) {
      const Distance one = sinew::distance(impl_->model, *impl_->data, a, b);
      if (one.found && (!least.found || one.distance < least.distance)) least = one;
    }
  }
  if (!least.found) {
    throw std::invalid_argument(
        fmt::format("distance: \"{}\" and \"{}\" have none from each other", nameOf(first), nameOf(second)));
  }
  return least.distance;
}

// ------------------------------------------------------------------------------------------ filter

bool World::Impl::filterAllows(int collider1, int collider2) const {
  const ContactBody a = sideOf(collider1), b = sideOf(collider2);
  return filter(a, b);
}

}  // namespace sinew
