#include "sinew/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "constraints/checks.h"
#include "geom/shape.h"
#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/sleep.h"
#include "sinew/step.h"
#include "world/world_impl.h"
#include "world/world_shapes.h"

namespace sinew {
namespace {

std::string bodyText(std::string_view name) { return fmt::format("body \"{}\"", name); }

/// What static and kinematic bodies have in common with others.
template <class Options>
BodyOptions asBody(const Options& o) {
  BodyOptions body;
  body.name = o.name;
  body.position = o.position;
  body.orientation = o.orientation;
  body.restitution = o.restitution;
  body.friction = o.friction;
  body.torsionalFriction = o.torsionalFriction;
  body.rollingFriction = o.rollingFriction;
  body.contype = o.contype;
  body.conaffinity = o.conaffinity;
  body.sensor = o.sensor;
  body.userData = o.userData;
  return body;
}

BodyOptions asBody(const KinematicOptions& o) {
  BodyOptions body = asBody<KinematicOptions>(o);
  body.velocity = o.velocity;
  body.angularVelocity = o.angularVelocity;
  return body;
}

struct MassAndCenter {
  double mass = 0;
  Vec3 center = Vec3::Zero();
};

/// The body alone as a model: finds what only a compiler can (bad meshes, masses too small), its mass and its centre.
MassAndCenter massAndCenter(const std::string& who, const spec::Body& body, const std::vector<spec::Mesh>& meshes,
                            const std::vector<spec::HField>& fields, bool moves) {
  Spec alone;
  alone.meshes = meshes;
  alone.hfields = fields;
  alone.world.bodies.push_back(body);
  if (moves) {
    spec::Joint joint;
    joint.type = JointType::Free;
    alone.world.bodies.front().joints.push_back(joint);
  }
  try {
    const Model model = compile(alone);
    return {model.body_mass[1], vec3(model.body_ipos.data(), 1)};
  } catch (const LoadError& error) {
    throw std::invalid_argument(fmt::format("{}: {}", who, error.what()));
  }
}

/// The least moment of inertia with which a free body can be stepped, kg m^2; the compiler has the same limit.
constexpr double kLeastInertia = 1e-15;

void checkInertia(const std::string& who, const spec::Geom& geom) {
  const Vec3 size = toEigen(geom.size);
  const double mass = geom.mass ? *geom.mass : geom.density * geom::shapeAmount(geom.type, size, false);
  const double inertia = geom::shapeInertia(geom.type, size, false, mass).minCoeff();
  if (!(inertia > kLeastInertia && std::isfinite(mass))) {
    check::fail(who, "moment of inertia", fmt::format("{} kg m^2 (mass {} kg)", inertia, mass),
                fmt::format("above {} kg m^2", kLeastInertia));
  }
}

/// Puts the frame of a body that was just described to its centre of mass, keeping its axes.
void moveFrame(BodyRecord& record, const Vec3& center) {
  record.center = center;
  for (spec::Geom& geom : record.body.geoms) geom.pos = fromEigen(toEigen(geom.pos) - center);
  record.placement = record.fromGiven(record.placement);
}

}  // namespace

World::Impl::Impl(const WorldOptions& given) : options(given) {
  check::finite("World", "gravity", given.gravity);
  if (given.iterations < 1) check::fail("World", "iterations", fmt::format("{}", given.iterations), "1 or more");
  check::positive("World", "tolerance", given.tolerance);
  check::fraction("World", "erp", given.erp);
  check::notNegative("World", "slop", given.slop);
  check::notNegative("World", "restitution threshold", given.restitutionThreshold);
  if (given.integrator == Integrator::RK4 && given.solver == Solver::Impulse) {
    throw std::invalid_argument("World: the integrator RK4 does not go with impulses");
  }
  if (given.threads < 1) check::fail("World", "threads", fmt::format("{}", given.threads), "1 or more");

  // the world itself, always record 0
  BodyRecord record;
  record.motion = Motion::Static;
  record.body.name = "world";
  record.id = ground = bodySlots.add(0);
  names.emplace("world", record.id);
  bodies.push_back(std::move(record));
}

// ------------------------------------------------------------------------------------------ finding things

namespace {

/// The record of a handle; `kind` names what it is one of, `gone` what it names if that was removed.
template <class Records, class Slots, class Id>
auto& recordOf(Records& records, Slots& slots, Id id, const char* kind, const char* gone) {
  const auto index = slots.find(id);
  if (!index) {
    throw std::out_of_range(id ? fmt::format("{} handle {}.{} names {}", kind, id.slot, id.generation, gone)
                               : fmt::format("{} handle names nothing", kind));
  }
  return records[*index];
}

}  // namespace

BodyRecord& World::Impl::body(BodyId id) { return recordOf(bodies, bodySlots, id, "body", "a body that was removed"); }

SoftRecord& World::Impl::soft(SoftId id) { return recordOf(softs, softSlots, id, "soft", "something removed"); }

JointRecord& World::Impl::joint(JointId id) {
  return recordOf(joints, jointSlots, id, "joint", "a joint that was removed");
}

BodyRecord& World::Impl::movable(BodyId id, const char* what) {
  BodyRecord& record = body(id);
  if (!record.isDynamic()) {
    throw std::invalid_argument(fmt::format("{} is {}: it cannot be given {}", bodyText(record.body.name),
                                            record.isStatic() ? "static" : "kinematic", what));
  }
  return record;
}

std::string World::Impl::freshName(std::string name, const char* prefix) {
  const auto taken = [this](const std::string& n) { return names.count(n) > 0 || otherNames.count(n) > 0; };
  const auto control = std::find_if(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (control != name.end()) {
    std::string shown(name.begin(), control);
    throw std::invalid_argument(
        fmt::format("the name \"{}...\" contains the control character {}; MJCF has no name for it", shown,
                    static_cast<int>(static_cast<unsigned char>(*control))));
  }
  if (name.empty()) {
    for (std::uint64_t i = nextUid; name.empty() || taken(name); ++i) name = fmt::format("{}{}", prefix, i);
  } else if (taken(name)) {
    throw std::invalid_argument(fmt::format("the name \"{}\" is taken", name));
  }
  return name;
}

// ------------------------------------------------------------------------------------------ adding, removing

namespace {

/// Shapes that only surroundings can have.
const char* immovable(const Shape& shape) {
  if (std::holds_alternative<Plane>(shape)) return "a plane";
  return std::holds_alternative<HeightField>(shape) ? "a height field" : nullptr;
}

}  // namespace

BodyId World::Impl::addBody(std::span<const Part> parts, const BodyOptions& given, Motion motion,
                            const Vector3& surfaceVelocity) {
  const bool moves = motion == Motion::Dynamic;
  BodyRecord record;
  record.motion = motion;
  record.body.name = freshName(given.name, "body");
  const std::string who = bodyText(record.body.name);
  if (parts.empty()) throw std::invalid_argument(fmt::format("{}: it needs at least one shape", who));
  if (parts.size() > std::size_t{1} << kPartBits) {
    check::fail(who, "number of shapes", fmt::format("{}", parts.size()), fmt::format("{} at most", 1 << kPartBits));
  }
  checkSurface(who, given);
  if (given.mass) check::positive(who, "mass", *given.mass);
  check::positive(who, "density", given.density);
  check::finite(who, "position", given.position);
  check::finite(who, "velocity", given.velocity);
  check::finite(who, "angular velocity", given.angularVelocity);
  check::notNegative(who, "linear damping", given.linearDamping);
  check::notNegative(who, "angular damping", given.angularDamping);
  check::finite(who, "gravity factor", given.gravityFactor);
  check::finite(who, "surface velocity", surfaceVelocity);
  record.placement = {given.position, checkedOrientation(who, given.orientation)};
  record.velocity = given.velocity;
  record.angularVelocity = given.angularVelocity;
  record.linearDamping = given.linearDamping;
  record.angularDamping = given.angularDamping;
  record.gravityFactor = given.gravityFactor;
  record.surfaceVelocity = surfaceVelocity;
  record.sensor = given.sensor;
  record.contype = given.contype;
  record.conaffinity = given.conaffinity;
  record.userData = given.userData;

  std::vector<spec::Mesh> used;
  std::vector<spec::HField> fields;
  for (const Part& part : parts) {
    const char* fixed = immovable(part.shape);
    if (fixed && motion != Motion::Static) {
      throw std::invalid_argument(fmt::format("{}: {} has no mass and must be static", who, fixed));
    }
    if (fixed && given.sensor && std::holds_alternative<HeightField>(part.shape)) {
      throw std::invalid_argument(fmt::format("{}: a height field cannot be a sensor", who));
    }
    const auto* mesh = std::get_if<TriangleMesh>(&part.shape);
    if (mesh && motion == Motion::Static && !isConvexHull(*mesh)) {
      if (given.sensor) {
        throw std::invalid_argument(
            fmt::format("{}: a mesh that is open or concave has no inside and cannot be a sensor", who));
      }
      record.surfaces.push_back(makeSurface(who, part, given));
      record.surfaces.back().name = freshName("", (record.body.name + ".surface").c_str());
      record.surfaces.back().bodies = {record.body.name};
      otherNames.emplace(record.surfaces.back().name, OtherName{});
      continue;
    }
    std::string asset;
    if (mesh) {
      spec::Mesh made = makeMesh(who, *mesh);
      const auto [entry, isNew] = meshNames.try_emplace({made.vertex, made.face}, fmt::format("mesh{}", meshes.size()));
      made.name = asset = entry->second;
      if (isNew) meshes.push_back(made);
      const auto same = [&](const spec::Mesh& m) { return m.name == asset; };
      if (std::none_of(used.begin(), used.end(), same)) used.push_back(made);
    } else if (const auto* field = std::get_if<HeightField>(&part.shape)) {
      fields.push_back(makeHeightField(who, *field));
      fields.back().name = asset = fmt::format("field{}", heightFields.size());
      heightFields.push_back(fields.back());
    }
    spec::Geom geom = makeGeom(who, part, asset);
    setSurface(geom, given);
    sinew::setSurfaceVelocity(geom, surfaceVelocity);
    geom.density = given.density;
    record.body.geoms.push_back(std::move(geom));
  }
  if (!record.surfaces.empty() && surfaceVelocity != Vector3{}) {
    throw std::invalid_argument(
        fmt::format("{}: triangles that collide one by one cannot have a surface velocity", who));
  }

  Vec3 center = Vec3::Zero();
  if (parts.size() == 1 && used.empty() && fields.empty() && record.surfaces.empty()) {
    spec::Geom& geom = record.body.geoms.front();
    geom.mass = given.mass;
    if (moves) checkInertia(who, geom);
    center = toEigen(geom.pos);
  } else if (!record.body.geoms.empty()) {
    if (given.mass) {  // the density that gives this mass
      for (spec::Geom& geom : record.body.geoms) geom.density = 1;
      const double density = *given.mass / massAndCenter(who, record.body, used, fields, moves).mass;
      for (spec::Geom& geom : record.body.geoms) geom.density = density;
    }
    center = massAndCenter(who, record.body, used, fields, moves).center;
  }
  if (moves) moveFrame(record, center);

  record.uid = nextUid++;
  record.id = bodySlots.add(bodies.size());
  names.emplace(record.body.name, record.id);
  bodies.push_back(std::move(record));
  const BodyId id = bodies.back().id;
  if (moves && data) {
    arrived.push_back(id);
  } else {
    changed = true;
  }
  if (motion == Motion::Static) wakeAll = true;
  return id;
}

void World::reserve(int count) {
  if (count < 0) check::fail("World", "number of bodies to reserve", fmt::format("{}", count), "0 or more");
  impl_->reserved = count;
  const auto free = std::count_if(impl_->spares.begin(), impl_->spares.end(), [](const Spare& s) {
    return s.kind == SpareKind{1, true} && !s.fresh;
  });
  if (free < count) impl_->changed = true;
}

void World::Impl::disturb(BodyRecord& record) {
  if (!options.sleeping) return;
  record.disturbed = true;
  if (changed || !record.inData) return;  // compiling wakes it
  const int tree = model.body_treeid[record.modelBody];
  if (tree >= 0) wake(model, *data, tree);
}

void World::Impl::disturbAll() {
  if (!options.sleeping) return;
  wakeAll = true;
  if (data && !changed) sinew::wakeAll(model, *data);
}

void World::Impl::removeJoint(JointRecord& record) {
  for (const BodyId end : {record.first, record.second}) {
    BodyRecord& one = body(end);
    disturb(one);
    --one.joints;
    if (one.mount && one.mount->joint == record.id) dismount(one);
  }
  otherNames.erase(record.name);
  jointSlots.remove(record.id);
  record.removed = true;
  changed = true;
}

void World::Impl::push(BodyRecord& record) {
  if (!record.pushed) pushed.push_back(record.id);
  record.pushed = true;
}

World::Owner::Owner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

World::Impl* World::Owner::operator->() const {
  Impl* impl = always();
  if (impl->stepping) {
    throw std::logic_error(
        "this World is in the middle of an update: a contact filter may only ask for names, user data and properties "
        "of bodies");
  }
  return impl;
}

World::Impl* World::Owner::missing() {
  throw std::logic_error("this World was moved from: it can be destroyed or assigned to, and nothing else");
}

World::World(const WorldOptions& options) : impl_(std::make_unique<Impl>(options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyId World::addBody(const Shape& shape, const BodyOptions& options) {
  const Part part{shape};
  return impl_->addBody(std::span(&part, 1), options, Motion::Dynamic);
}
BodyId World::addBody(std::span<const Part> parts, const BodyOptions& options) {
  return impl_->addBody(parts, options, Motion::Dynamic);
}
BodyId World::addStatic(const Shape& shape, const StaticOptions& options) {
  const Part part{shape};
  return addStatic(std::span(&part, 1), options);
}
BodyId World::addStatic(std::span<const Part> parts, const StaticOptions& options) {
  return impl_->addBody(parts, asBody(options), Motion::Static, options.surfaceVelocity);
}
BodyId World::addKinematic(const Shape& shape, const KinematicOptions& options) {
  const Part part{shape};
  return addKinematic(std::span(&part, 1), options);
}
BodyId World::addKinematic(std::span<const Part> parts, const KinematicOptions& options) {
  return impl_->addBody(parts, asBody(options), Motion::Kinematic, options.surfaceVelocity);
}

SoftId World::addSoft(const spec::Flexcomp& flex, const Vector3& velocity) {
  SoftRecord record;
  record.flex = flex;
  record.flex.name = impl_->freshName(flex.name, "soft");
  const std::string who = fmt::format("soft \"{}\"", record.flex.name);
  check::finite(who, "velocity", velocity);
  if (flex.dof == FlexDof::Radial || flex.dof == FlexDof::Planar || flex.rigid) {
    throw std::invalid_argument(fmt::format("{}: dof must be full, trilinear or quadratic, and rigid false", who));
  }
  record.flex.place = 0;
  record.flex.frame = -1;
  Spec alone;
  alone.option = Option{};
  alone.world.flexcomps.push_back(record.flex);
  try {
    compile(alone);
  } catch (const LoadError& error) {
    throw std::invalid_argument(fmt::format("{}: {}", who, error.what()));
  }
  record.velocity = velocity;
  record.uid = impl_->nextUid++;
  record.id = impl_->softSlots.add(impl_->softs.size());
  impl_->otherNames.emplace(record.flex.name, OtherName{.soft = record.id});
  impl_->softs.push_back(std::move(record));
  impl_->changed = true;
  return impl_->softs.back().id;
}

void World::remove(BodyId id) {
  if (id == impl_->ground) throw std::invalid_argument("the ground cannot be removed");
  if (impl_->body(id).joints > 0) {
    std::vector<JointId> holding;
    for (const JointRecord& joint : impl_->joints) {
      if (!joint.removed && (joint.first == id || joint.second == id)) holding.push_back(joint.id);
    }
    for (const JointId joint : holding) remove(joint);
  }
  BodyRecord& record = impl_->body(id);
  if (record.isStatic()) impl_->wakeAll = true;
  impl_->disturb(record);  // and what sleeps together with it
  record.removed = true;
  impl_->names.erase(record.body.name);
  for (const spec::Flex& surface : record.surfaces) impl_->otherNames.erase(surface.name);
  impl_->bodySlots.remove(id);
  // a place in the model that is left alone can be taken by another body
  if (record.isDynamic() && record.inData && !record.mount) {
    impl_->departed = true;
  } else if (record.modelBody >= 0) {
    impl_->changed = true;
  } else {
    impl_->departed = true;  // it never had one
  }
}

void World::remove(SoftId id) {
  SoftRecord& record = impl_->soft(id);
  record.removed = true;
  impl_->otherNames.erase(record.flex.name);
  impl_->softSlots.remove(id);
  impl_->changed = true;
}

void World::remove(JointId id) { impl_->removeJoint(impl_->joint(id)); }

bool World::contains(BodyId id) const { return impl_.always()->bodySlots.find(id).has_value(); }
bool World::contains(SoftId id) const { return impl_->softSlots.find(id).has_value(); }
bool World::contains(JointId id) const { return impl_->jointSlots.find(id).has_value(); }

BodyId World::findBody(std::string_view name) const {
  const auto found = impl_->names.find(std::string(name));
  return found == impl_->names.end() ? BodyId{} : found->second;
}

JointId World::findJoint(std::string_view name) const {
  const auto found = impl_->otherNames.find(std::string(name));
  return found == impl_->otherNames.end() ? JointId{} : found->second.joint;
}

SoftId World::findSoft(std::string_view name) const {
  const auto found = impl_->otherNames.find(std::string(name));
  return found == impl_->otherNames.end() ? SoftId{} : found->second.soft;
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> all;
  for (const BodyRecord& record : impl_->bodies) {
    if (!record.removed && record.id != impl_->ground) all.push_back(record.id);
  }
  return all;
}

BodyId World::ground() const { return impl_->ground; }
// What a contact filter may ask for, so in the middle of a step too.
const std::string& World::nameOf(BodyId id) const { return impl_.always()->body(id).body.name; }
const std::string& World::nameOf(JointId id) const { return impl_.always()->joint(id).name; }
const std::string& World::nameOf(SoftId id) const { return impl_.always()->soft(id).flex.name; }
std::uint64_t World::userData(BodyId id) const { return impl_.always()->body(id).userData; }
std::uint64_t World::userData(JointId id) const { return impl_.always()->joint(id).userData; }
std::uint64_t World::userData(SoftId id) const { return impl_.always()->soft(id).userData; }

void World::setUserData(BodyId id, std::uint64_t data) { impl_->body(id).userData = data; }
void World::setUserData(JointId id, std::uint64_t data) { impl_->joint(id).userData = data; }
void World::setUserData(SoftId id, std::uint64_t data) { impl_->soft(id).userData = data; }

// ------------------------------------------------------------------------------------------ properties

bool World::isStatic(BodyId id) const { return impl_.always()->body(id).isStatic(); }
bool World::isKinematic(BodyId id) const { return impl_.always()->body(id).isKinematic(); }
bool World::isSensor(BodyId id) const { return impl_.always()->body(id).sensor; }
double World::restitution(BodyId id) const {
  const BodyRecord& record = impl_.always()->body(id);
  if (!record.surfaces.empty()) return *record.surfaces.front().contact.restitution;
  return record.body.geoms.empty() ? 0 : record.body.geoms.front().restitution;
}
double World::friction(BodyId id) const {
  const BodyRecord& record = impl_.always()->body(id);
  if (!record.surfaces.empty()) return record.surfaces.front().contact.friction.front();
  return record.body.geoms.empty() ? 0 : record.body.geoms.front().friction[0];
}
double World::linearDamping(BodyId id) const { return impl_.always()->body(id).linearDamping; }
double World::angularDamping(BodyId id) const { return impl_.always()->body(id).angularDamping; }
double World::gravityFactor(BodyId id) const { return impl_.always()->body(id).gravityFactor; }
Vector3 World::surfaceVelocity(BodyId id) const { return impl_.always()->body(id).surfaceVelocity; }

void World::setRestitution(BodyId id, double restitution) {
  BodyRecord& record = impl_->body(id);
  check::fraction(bodyText(record.body.name), "restitution", restitution);
  impl_->specIsStale = true;
  impl_->eachGeom(record, [&](spec::Geom& geom, int inModel) {
    geom.restitution = restitution;
    if (inModel >= 0) impl_->model.geom_restitution[inModel] = restitution;
  });
  for (std::size_t k = 0; k < record.surfaces.size(); ++k) {
    record.surfaces[k].contact.restitution = restitution;
    if (k < record.modelSurfaces.size()) impl_->model.flex_restitution[record.modelSurfaces[k]] = restitution;
  }
}

void World::setFriction(BodyId id, double friction) {
  BodyRecord& record = impl_->body(id);
  check::notNegative(bodyText(record.body.name), "friction", friction);
  impl_->specIsStale = true;
  record.isDynamic() ? impl_->disturb(record) : impl_->disturbAll();  // something may slide now
  impl_->eachGeom(record, [&](spec::Geom& geom, int inModel) {
    setSlidingFriction(geom, friction);
    if (inModel < 0) return;
    impl_->model.geom_friction[3 * inModel] = friction;
    impl_->model.geom_condim[inModel] = geom.condim;
  });
  for (std::size_t k = 0; k < record.surfaces.size(); ++k) {
    setSlidingFriction(record.surfaces[k], friction);
    if (k >= record.modelSurfaces.size()) continue;
    impl_->model.flex_friction[3 * record.modelSurfaces[k]] = friction;
    impl_->model.flex_condim[record.modelSurfaces[k]] = *record.surfaces[k].contact.condim;
  }
}

namespace {

/// A body on a joint has the joint's damping, not its own.
void refuseDampingIfMounted(const BodyRecord& record) {
  if (!record.mount) return;
  throw std::invalid_argument(
      fmt::format("{} rides on a joint, whose spring has the damping", bodyText(record.body.name)));
}

}  // namespace

void World::setLinearDamping(BodyId id, double damping) {
  BodyRecord& record = impl_->movable(id, "damping");
  check::notNegative(bodyText(record.body.name), "linear damping", damping);
  refuseDampingIfMounted(record);
  record.linearDamping = damping;
  impl_->specIsStale = true;
  if (!record.inData) return;
  std::fill_n(impl_->model.dof_damping.data() + impl_->model.body_dofadr[record.modelBody], 3, damping);
}

void World::setAngularDamping(BodyId id, double damping) {
  BodyRecord& record = impl_->movable(id, "damping");
  check::notNegative(bodyText(record.body.name), "angular damping", damping);
  refuseDampingIfMounted(record);
  record.angularDamping = damping;
  impl_->specIsStale = true;
  if (!record.inData) return;
  std::fill_n(impl_->model.dof_damping.data() + impl_->model.body_dofadr[record.modelBody] + 3, 3, damping);
}

void World::setGravityFactor(BodyId id, double factor) {
  BodyRecord& record = impl_->movable(id, "a gravity factor");
  check::finite(bodyText(record.body.name), "gravity factor", factor);
  record.gravityFactor = factor;
  impl_->specIsStale = true;
  impl_->disturb(record);
  if (record.modelBody < 0) return;
  impl_->model.body_gravcomp[record.modelBody] = 1 - factor;
  if (factor != 1) impl_->model.ngravcomp = std::max(impl_->model.ngravcomp, 1);
}

void World::setSurfaceVelocity(BodyId id, const Vector3& velocity) {
  BodyRecord& record = impl_->body(id);
  const std::string who = bodyText(record.body.name);
  check::finite(who, "surface velocity", velocity);
  if (record.isDynamic()) {
    throw std::invalid_argument(fmt::format("{}: only static and kinematic bodies have a surface velocity", who));
  }
  if (!record.surfaces.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: triangles that collide one by one cannot have a surface velocity", who));
  }
  record.surfaceVelocity = velocity;
  impl_->specIsStale = true;
  impl_->disturbAll();
  impl_->eachGeom(record, [&](spec::Geom& geom, int inModel) {
    sinew::setSurfaceVelocity(geom, velocity);
    if (inModel < 0) return;
    const Quat turn = Quat::load(impl_->model.geom_quat.data() + 4 * inModel);
    MapVec3(impl_->model.geom_surfacevel.data() + 6 * inModel) = rotate(turn.conjugate(), toEigen(velocity));
  });
}

// ------------------------------------------------------------------------------------------ forces

void World::applyForce(BodyId id, const Vector3& force) {
  BodyRecord& record = impl_->movable(id, "a force");
  check::finite(bodyText(record.body.name), "force", force);
  for (std::size_t i = 0; i < 3; ++i) record.force[i] += force[i];
  impl_->push(record);
}

void World::applyTorque(BodyId id, const Vector3& torque) {
  BodyRecord& record = impl_->movable(id, "a torque");
  check::finite(bodyText(record.body.name), "torque", torque);
  for (std::size_t i = 0; i < 3; ++i) record.torque[i] += torque[i];
  impl_->push(record);
}

void World::applyForce(BodyId id, const Vector3& force, const Vector3& point) {
  check::finite(bodyText(impl_->body(id).body.name), "point", point);
  applyForce(id, force);
  const Vec3 arm = toEigen(point) - toEigen(state(id).position);
  applyTorque(id, fromEigen(arm.cross(toEigen(force))));
}

void World::applyImpulse(BodyId id, const Vector3& impulse) {
  BodyRecord& record = impl_->movable(id, "an impulse");
  check::finite(bodyText(record.body.name), "impulse", impulse);
  for (std::size_t i = 0; i < 3; ++i) record.impulse[i] += impulse[i];
  impl_->push(record);
}

void World::applyImpulse(BodyId id, const Vector3& impulse, const Vector3& point) {
  check::finite(bodyText(impl_->body(id).body.name), "point", point);
  applyImpulse(id, impulse);
  const Vec3 arm = toEigen(point) - toEigen(state(id).position);
  const Vec3 turn = arm.cross(toEigen(impulse));
  BodyRecord& record = impl_->body(id);
  for (int i = 0; i < 3; ++i) record.angularImpulse[i] += turn[i];
}

// ------------------------------------------------------------------------------------------ time

void World::update(double dt) {
  check::positive("World::update", "dt", dt);
  impl_->ensureCompiled();
  impl_->step(dt);
}

double World::time() const { return impl_->time; }

void World::onContactBegin(std::function<void(const ContactEvent&)> callback) { impl_->onBegin = std::move(callback); }
void World::onContactEnd(std::function<void(const ContactEvent&)> callback) { impl_->onEnd = std::move(callback); }
void World::onSensorBegin(std::function<void(const SensorEvent&)> callback) { impl_->onEnter = std::move(callback); }
void World::onSensorEnd(std::function<void(const SensorEvent&)> callback) { impl_->onLeave = std::move(callback); }
void World::setContactFilter(std::function<bool(const ContactBody&, const ContactBody&)> filter) {
  impl_->filter = std::move(filter);
}

// ------------------------------------------------------------------------------------------ settings, export

const WorldOptions& World::options() const { return impl_->options; }

void World::setGravity(const Vector3& gravity) {
  check::finite("World", "gravity", gravity);
  impl_->options.gravity = gravity;
  impl_->model.opt.gravity = impl_->spec.option.gravity = gravity;
  impl_->disturbAll();
}

void World::setThreads(int threads) {
  if (threads < 1) check::fail("World", "threads", fmt::format("{}", threads), "1 or more");
  impl_->options.threads = threads;
  if (impl_->data) impl_->data->threads = threads;
}

std::string World::toMjcf() const {
  impl_->ensureCompiled();
  return writeMjcf(impl_->specWithKey());
}

void World::saveMjcf(const std::filesystem::path& file) const {
  const std::string text = toMjcf();
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw LoadError(fmt::format("{}: cannot be written", file.string()));
}

const Spec& World::spec() const {
  impl_->ensureCompiled();
  if (impl_->specIsStale) {
    std::vector<std::size_t> order;
    impl_->spec = impl_->makeSpec(Impl::Poses::Original, order);
    impl_->specIsStale = false;
  }
  return impl_->spec;
}
const Model& World::model() const {
  impl_->ensureCompiled();
  if (impl_->namesAreStale) indexNames(impl_->model);
  impl_->namesAreStale = false;
  return impl_->model;
}
const Data& World::data() const {
  impl_->ensureCompiled();
  impl_->synchronize();
  return *impl_->data;
}
int World::modelBody(BodyId id) const {
  impl_->ensureCompiled();
  return impl_->body(id).modelBody;
}

}  // namespace sinew
