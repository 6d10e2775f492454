#include "sinew/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "constraints/checks.h"
#include "geom/shape.h"
#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "world/world_impl.h"
#include "world/world_shapes.h"

namespace sinew {
namespace {

std::string bodyText(std::string_view name) { return fmt::format("body \"{}\"", name); }

BodyOptions asBody(const StaticOptions& o) {
  BodyOptions body;
  body.name = o.name;
  body.pos = o.pos;
  body.quat = o.quat;
  body.restitution = o.restitution;
  body.friction = o.friction;
  body.torsionalFriction = o.torsionalFriction;
  body.rollingFriction = o.rollingFriction;
  body.contype = o.contype;
  body.conaffinity = o.conaffinity;
  return body;
}

struct MassAndCenter {
  double mass = 0;
  Vec3 center = Vec3::Zero();
};

/// The body alone as a model: finds what only a compiler can (bad meshes, masses too small), its mass and its centre.
MassAndCenter compiledAlone(const std::string& who, const spec::Body& body, const std::vector<spec::Mesh>& meshes,
                            bool isStatic) {
  Spec alone;
  alone.meshes = meshes;
  alone.world.bodies.push_back(body);
  if (!isStatic) {
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
  record.isStatic = true;
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
  if (record.isStatic) {
    throw std::invalid_argument(fmt::format("{} is static: it cannot be given {}", bodyText(record.body.name), what));
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

BodyId World::Impl::addBody(std::span<const Part> parts, const BodyOptions& given, bool isStatic) {
  BodyRecord record;
  record.isStatic = isStatic;
  record.body.name = freshName(given.name, "body");
  const std::string who = bodyText(record.body.name);
  if (parts.empty()) throw std::invalid_argument(fmt::format("{}: it needs at least one shape", who));
  checkSurface(who, given);
  if (given.mass) check::positive(who, "mass", *given.mass);
  check::positive(who, "density", given.density);
  check::finite(who, "position", given.pos);
  check::finite(who, "velocity", given.velocity);
  check::finite(who, "angular velocity", given.angularVelocity);
  record.placement = {given.pos, checkedOrientation(who, given.quat)};
  record.velocity = given.velocity;
  record.angularVelocity = given.angularVelocity;

  std::vector<spec::Mesh> used;
  for (const Part& part : parts) {
    if (std::holds_alternative<Plane>(part.shape) && !isStatic) {
      throw std::invalid_argument(fmt::format("{}: a plane has no mass and must be static", who));
    }
    std::string meshName;
    if (const auto* mesh = std::get_if<TriangleMesh>(&part.shape)) {
      spec::Mesh asset = makeMesh(who, *mesh);
      const auto [entry, isNew] =
          meshNames.try_emplace({asset.vertex, asset.face}, fmt::format("mesh{}", meshes.size()));
      asset.name = meshName = entry->second;
      if (isNew) meshes.push_back(asset);
      const auto same = [&](const spec::Mesh& m) { return m.name == meshName; };
      if (std::none_of(used.begin(), used.end(), same)) used.push_back(asset);
    }
    spec::Geom geom = makeGeom(who, part, meshName);
    setSurface(geom, given);
    geom.density = given.density;
    record.body.geoms.push_back(std::move(geom));
  }

  Vec3 center;
  if (parts.size() == 1 && used.empty()) {
    spec::Geom& geom = record.body.geoms.front();
    geom.mass = given.mass;
    if (!isStatic) checkInertia(who, geom);
    center = toEigen(geom.pos);
  } else {
    if (given.mass) {  // the density that gives this mass
      for (spec::Geom& geom : record.body.geoms) geom.density = 1;
      const double density = *given.mass / compiledAlone(who, record.body, used, isStatic).mass;
      for (spec::Geom& geom : record.body.geoms) geom.density = density;
    }
    center = compiledAlone(who, record.body, used, isStatic).center;
  }
  if (!isStatic) moveFrame(record, center);

  record.uid = nextUid++;
  record.id = bodySlots.add(bodies.size());
  names.emplace(record.body.name, record.id);
  bodies.push_back(std::move(record));
  changed = true;
  if (isStatic) wakeAll = true;
  return bodies.back().id;
}

void World::Impl::removeJoint(JointRecord& record) {
  for (const BodyId end : {record.first, record.second}) {
    BodyRecord& one = body(end);
    one.disturbed = true;
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

World::Impl* World::Owner::missing() {
  throw std::logic_error("this World was moved from: it can be destroyed or assigned to, and nothing else");
}

World::World(const WorldOptions& options) : impl_(std::make_unique<Impl>(options)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyId World::addBody(const Shape& shape, const BodyOptions& options) {
  const Part part{shape};
  return impl_->addBody(std::span(&part, 1), options, false);
}
BodyId World::addBody(std::span<const Part> parts, const BodyOptions& options) {
  return impl_->addBody(parts, options, false);
}
BodyId World::addStatic(const Shape& shape, const StaticOptions& options) {
  const Part part{shape};
  return impl_->addBody(std::span(&part, 1), asBody(options), true);
}
BodyId World::addStatic(std::span<const Part> parts, const StaticOptions& options) {
  return impl_->addBody(parts, asBody(options), true);
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
  impl_->otherNames.insert(record.flex.name);
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
  if (record.isStatic) impl_->wakeAll = true;
  record.removed = true;
  impl_->names.erase(record.body.name);
  impl_->bodySlots.remove(id);
  impl_->changed = true;
}

void World::remove(SoftId id) {
  SoftRecord& record = impl_->soft(id);
  record.removed = true;
  impl_->otherNames.erase(record.flex.name);
  impl_->softSlots.remove(id);
  impl_->changed = true;
}

void World::remove(JointId id) { impl_->removeJoint(impl_->joint(id)); }

bool World::contains(BodyId id) const { return impl_->bodySlots.find(id).has_value(); }
bool World::contains(SoftId id) const { return impl_->softSlots.find(id).has_value(); }
bool World::contains(JointId id) const { return impl_->jointSlots.find(id).has_value(); }

BodyId World::findBody(std::string_view name) const {
  const auto found = impl_->names.find(std::string(name));
  return found == impl_->names.end() ? BodyId{} : found->second;
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> all;
  for (const BodyRecord& record : impl_->bodies) {
    if (!record.removed && record.id != impl_->ground) all.push_back(record.id);
  }
  return all;
}

BodyId World::ground() const { return impl_->ground; }
const std::string& World::nameOf(BodyId id) const { return impl_->body(id).body.name; }

// ------------------------------------------------------------------------------------------ properties

bool World::isStatic(BodyId id) const { return impl_->body(id).isStatic; }
double World::restitution(BodyId id) const {
  const BodyRecord& record = impl_->body(id);
  return record.body.geoms.empty() ? 0 : record.body.geoms.front().restitution;
}
double World::friction(BodyId id) const {
  const BodyRecord& record = impl_->body(id);
  return record.body.geoms.empty() ? 0 : record.body.geoms.front().friction[0];
}

void World::setRestitution(BodyId id, double restitution) {
  BodyRecord& record = impl_->body(id);
  check::fraction(bodyText(record.body.name), "restitution", restitution);
  impl_->specIsStale = true;
  impl_->eachGeom(record, [&](spec::Geom& geom, int inModel) {
    geom.restitution = restitution;
    if (inModel >= 0) impl_->model.geom_restitution[inModel] = restitution;
  });
}

void World::setFriction(BodyId id, double friction) {
  BodyRecord& record = impl_->body(id);
  check::notNegative(bodyText(record.body.name), "friction", friction);
  impl_->specIsStale = true;
  if (impl_->options.sleeping) record.disturbed = impl_->changed = true;  // it may slide now
  impl_->eachGeom(record, [&](spec::Geom& geom, int inModel) {
    setSlidingFriction(geom, friction);
    if (inModel < 0) return;
    impl_->model.geom_friction[3 * inModel] = friction;
    impl_->model.geom_condim[inModel] = geom.condim;
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
  for (int i = 0; i < 3; ++i) record.angularImpulse[static_cast<std::size_t>(i)] += turn[i];
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

// ------------------------------------------------------------------------------------------ settings, export

const WorldOptions& World::options() const { return impl_->options; }

void World::setGravity(const Vector3& gravity) {
  check::finite("World", "gravity", gravity);
  impl_->options.gravity = gravity;
  impl_->model.opt.gravity = impl_->spec.option.gravity = gravity;
  if (impl_->options.sleeping) impl_->wakeAll = impl_->changed = true;  // compiling is what wakes
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
