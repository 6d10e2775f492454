#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "constraint/prescribed.h"
#include "constraints/checks.h"
#include "dynamics/momentum.h"
#include "inertia/inertia.h"
#include "kinematics/flexes.h"
#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "sinew/stages.h"
#include "sinew/step.h"
#include "world/world_impl.h"
#include "world/world_shapes.h"

/// One update, and what can be asked between updates.
namespace sinew {

void World::Impl::step(double dt) {
  Data& d = *data;
  // forces act at the centre of mass; an impulse is a force that lasts for one step
  for (const BodyId id : pushed) {
    const auto index = bodySlots.find(id);
    if (!index) continue;
    const BodyRecord& record = bodies[*index];
    double* wrench = d.xfrc_applied.data() + 6 * record.modelBody;
    for (std::size_t i = 0; i < 3; ++i) {
      wrench[i] = record.force[i] + record.impulse[i] / dt;
      wrench[3 + i] = record.torque[i] + record.angularImpulse[i] / dt;
    }
  }
  model.opt.timestep = lastStep = dt;
  d.threads = options.threads;
  if (filter) {
    d.callbacks.contactFilter = [this](const Model&, const Data&, int c1, int c2) { return filterAllows(c1, c2); };
  } else {
    d.callbacks.contactFilter = nullptr;
  }
  stepping = true;
  step1(model, d);  // detect, build rows
  if (model.nmocap > 0) {
    ledVelocity.assign(static_cast<std::size_t>(6 * model.nmocap), 0.0);
    for (const BodyRecord& record : bodies) {
      if (!record.isKinematic()) continue;
      double* v = ledVelocity.data() + 6 * model.body_mocapid[record.modelBody];
      std::copy(record.velocity.begin(), record.velocity.end(), v);
      std::copy(record.angularVelocity.begin(), record.angularVelocity.end(), v + 3);
    }
    addPrescribedVelocity(model, d, ledVelocity);
  }
  step2(model, d);  // solve, integrate
  advanceMocap(model, d, ledVelocity, dt);
  stepping = false;
  for (Spare& spare : spares) spare.fresh = false;
  time += dt;
  d.time = time;  // also if a diverged state was reset
  startPending = true;
  synchronized = contactsCached = false;

  for (const BodyId id : pushed) {
    const auto index = bodySlots.find(id);
    if (!index) continue;
    BodyRecord& record = bodies[*index];
    std::fill_n(d.xfrc_applied.data() + 6 * record.modelBody, 6, 0.0);
    record.force = record.torque = record.impulse = record.angularImpulse = {};
    record.pushed = false;
  }
  pushed.clear();
  trackContacts();
  reportEvents();
  reportSensors();
}

void World::Impl::keepStart() {
  if (!startPending) return;
  startState.resize(static_cast<std::size_t>(model.nbody));
  for (int b = 0; b < model.nbody; ++b) {
    BodyState& state = startState[b] = stateOf(b);
    if (model.body_mocapid[b] < 0) continue;
    const double* v = ledVelocity.data() + 6 * model.body_mocapid[b];
    const Vec3 w = ConstMapVec3(v + 3), arm = toEigen(state.position) - vec3(data->xpos.data(), b);
    state.velocity = fromEigen(ConstMapVec3(v) + w.cross(arm));
    state.angularVelocity = fromEigen(w);
  }
  startPending = false;
}

void World::Impl::synchronize() {
  if (synchronized) return;
  keepStart();
  Data& d = *data;
  kinematics(model, d);
  comPos(model, d);
  flexes(model, d);
  tendons(model, d);
  comVel(model, d);
  d.work->arena.settle();
  synchronized = true;
}

BodyState World::Impl::stateOf(int b) const {
  const Data& d = *data;
  const Vec3 com = vec3(d.xipos.data(), b);
  const PointVelocity v = pointVelocity(model, d, b, com);
  return {fromEigen(com), fromQuat(Quat::load(d.xquat.data() + 4 * b)), fromEigen(v.linear), fromEigen(v.angular)};
}

std::optional<World::Impl::Led> World::Impl::ledOf(const BodyRecord& record) {
  if (!record.isKinematic() || !record.inData) return std::nullopt;
  const int id = model.body_mocapid[record.modelBody];
  return Led{data->mocap_pos.data() + 3 * id, data->mocap_quat.data() + 4 * id};
}

Placement World::Impl::placementOf(const BodyRecord& record) {
  if (const std::optional<Led> led = ledOf(record)) {
    const BodyState state = stateOf(record);
    return {state.position, state.orientation};
  }
  if (record.inData) {
    synchronize();
    return {fromEigen(vec3(data->xpos.data(), record.modelBody)),
            fromQuat(Quat::load(data->xquat.data() + 4 * record.modelBody))};
  }
  if (!record.mount) return record.placement;
  const Pose along = record.mount->displacement(record.qpos[0]);
  return fromPose(compose(compose(toPose(placementOf(body(record.mount->parent))), record.mount->frame), along));
}

BodyState World::Impl::stateOf(const BodyRecord& record) {
  if (const std::optional<Led> led = ledOf(record)) {
    BodyState state;
    std::copy_n(led->position, 3, state.position.begin());
    std::copy_n(led->orientation, 4, state.orientation.begin());
    state.velocity = record.velocity;
    state.angularVelocity = record.angularVelocity;
    return state;
  }
  if (record.inData) {
    synchronize();
    return stateOf(record.modelBody);
  }
  const Pose pose = toPose(placementOf(record));
  if (!record.mount) {
    return {fromEigen(pose.pos), fromQuat(pose.quat), record.velocity, record.angularVelocity};
  }
  const BodyState carrier = stateOf(body(record.mount->parent));
  const Vec3 axis = record.qvel[0] * rotate(pose.quat, record.mount->axis);
  Vec3 w = toEigen(carrier.angularVelocity);
  Vec3 v = toEigen(carrier.velocity) + w.cross(pose.pos - toEigen(carrier.position));
  if (record.mount->type == JointType::Slide) {
    v += axis;
  } else {
    w += axis;
    v -= axis.cross(rotate(pose.quat, record.mount->anchor));
  }
  return {fromEigen(pose.pos), fromQuat(pose.quat), fromEigen(v), fromEigen(w)};
}

void World::Impl::detach(BodyRecord& record) {
  const Placement placement = placementOf(record);
  const BodyState state = stateOf(record);
  record.placement = placement;
  record.velocity = state.velocity;
  record.angularVelocity = state.angularVelocity;
  record.raw = record.inData = false;
}

bool World::isAwake(BodyId id) const {
  const BodyRecord& record = impl_->body(id);
  if (record.isStatic()) return false;
  if (!record.inData || record.isKinematic()) return true;
  return impl_->data->tree_asleep[impl_->model.body_treeid[record.modelBody]] < 0 || !impl_->options.sleeping;
}

Placement World::placement(BodyId id) const {
  const BodyRecord& record = impl_->body(id);
  return record.toGiven(impl_->placementOf(record));
}

BodyState World::state(BodyId id) const { return impl_->stateOf(impl_->body(id)); }

double World::mass(BodyId id) const {
  if (!impl_->body(id).isDynamic()) return std::numeric_limits<double>::infinity();
  if (!impl_->body(id).inData) impl_->ensureCompiled();
  return impl_->model.body_mass[impl_->body(id).modelBody];
}

double World::inverseMass(BodyId id) const { return 1 / mass(id); }

Matrix3 World::inverseInertia(BodyId id) const {
  Matrix3 result{};
  if (!impl_->body(id).isDynamic()) return result;
  if (!impl_->body(id).inData) impl_->ensureCompiled();
  impl_->synchronize();
  const int b = impl_->body(id).modelBody;
  const ConstMapMat3 R(impl_->data->ximat.data() + 9 * b);
  MapMat3(result.data()) = R * vec3(impl_->model.body_inertia.data(), b).cwiseInverse().asDiagonal() * R.transpose();
  return result;
}

namespace {

/// A body on a joint with a coordinate has no free place of its own.
void refuseIfMounted(const std::string& who, const BodyRecord& record) {
  if (!record.mount) return;
  const char* type = record.mount->type == JointType::Slide ? "slide" : "hinge";
  throw std::invalid_argument(fmt::format("{} rides on a {} joint: remove that first", who, type));
}

}  // namespace

void World::setPlacement(BodyId id, const Placement& placement) {
  BodyRecord& record = impl_->body(id);
  const std::string who = fmt::format("body \"{}\"", record.body.name);
  check::finite(who, "position", placement.position);
  const Quaternion orientation = checkedOrientation(who, placement.orientation);
  if (id == impl_->ground) throw std::invalid_argument("the ground cannot be moved");
  refuseIfMounted(who, record);
  const Placement unit = record.fromGiven({placement.position, orientation});
  if (const std::optional<Impl::Led> led = impl_->ledOf(record)) {
    std::copy_n(unit.position.begin(), 3, led->position);
    std::copy_n(unit.orientation.begin(), 4, led->orientation);
    impl_->synchronized = false;
    return;
  }
  if (!record.inData) {
    record.placement = unit;
    if (!record.isStatic()) return;
    impl_->changed = true;
    impl_->wakeAll = true;
    return;
  }
  // the angular velocity stays as it is in the world; qvel has it in body axes
  const BodyState before = state(id);
  const int joint = impl_->model.body_jntadr[record.modelBody];
  double* q = impl_->data->qpos.data() + impl_->model.jnt_qposadr[joint];
  std::copy_n(unit.position.begin(), 3, q);
  std::copy_n(unit.orientation.begin(), 4, q + 3);
  impl_->synchronized = false;
  setVelocity(id, before.velocity, before.angularVelocity);
}

void World::setVelocity(BodyId id, const Vector3& linear, const Vector3& angular) {
  BodyRecord& record = impl_->body(id).isKinematic() ? impl_->body(id) : impl_->movable(id, "a velocity");
  const std::string who = fmt::format("body \"{}\"", record.body.name);
  check::finite(who, "velocity", linear);
  check::finite(who, "angular velocity", angular);
  refuseIfMounted(who, record);
  if (!record.inData || record.isKinematic()) {
    record.velocity = linear;
    record.angularVelocity = angular;
    return;
  }
  impl_->synchronize();
  const int b = record.modelBody;
  const Quat quat = Quat::load(impl_->data->xquat.data() + 4 * b);
  const Vec3 arm = vec3(impl_->data->xipos.data(), b) - vec3(impl_->data->xpos.data(), b);
  double* qvel = impl_->data->qvel.data() + impl_->model.body_dofadr[b];
  MapVec3{qvel} = toEigen(linear) - toEigen(angular).cross(arm);
  MapVec3{qvel + 3} = rotate(quat.conjugate(), toEigen(angular));
  impl_->synchronized = false;
}

void World::moveTo(BodyId id, const Placement& target, double dt) {
  const BodyRecord& record = impl_->body(id);
  const std::string who = fmt::format("body \"{}\"", record.body.name);
  if (!record.isKinematic()) {
    throw std::invalid_argument(fmt::format("{}: only kinematic bodies are moved to a placement", who));
  }
  check::finite(who, "position", target.position);
  check::positive(who, "time to get there", dt);
  const Quat to = toQuat(checkedOrientation(who, target.orientation));
  const Placement now = placement(id);
  const Quat from = toQuat(now.orientation);
  const Vec3 linear = (toEigen(target.position) - toEigen(now.position)) / dt;
  const Vec3 inBody = difference(to, from) / dt;  // rotation vector in the axes of `from`
  setVelocity(id, fromEigen(linear), fromEigen(rotate(from, inBody)));
}

Vector3 World::velocityAt(BodyId id, const Vector3& point) const {
  const BodyRecord& record = impl_->body(id);
  check::finite(fmt::format("body \"{}\"", record.body.name), "point", point);
  if (record.inData && !record.isKinematic()) {
    impl_->synchronize();
    return fromEigen(pointVelocity(impl_->model, *impl_->data, record.modelBody, toEigen(point)).linear);
  }
  const BodyState s = impl_->stateOf(record);
  const Vec3 arm = toEigen(point) - toEigen(s.position);
  return fromEigen(toEigen(s.velocity) + toEigen(s.angularVelocity).cross(arm));
}

// ------------------------------------------------------------------------------------------ soft things

std::vector<Vector3> World::vertices(SoftId id) const {
  impl_->soft(id);
  impl_->ensureCompiled();
  impl_->synchronize();
  const int flex = impl_->soft(id).modelFlex;
  std::vector<Vector3> points;
  const int first = impl_->model.flex_vertadr[flex];
  for (int v = first; v < first + impl_->model.flex_vertnum[flex]; ++v) {
    points.push_back(fromEigen(vec3(impl_->data->flexvert_xpos.data(), v)));
  }
  return points;
}

namespace {

/// Mass of the nodes of a flex that can move, and the mean of three numbers per node, weighted by it.
struct NodeMean {
  double mass = 0;
  Vec3 sum = Vec3::Zero();
  NodeMean(const Model& m, int flex, const double* values) {
    for (int node = 0; node < m.nflexnode; ++node) {
      if (m.flexnode_flexid[node] != flex || m.flexnode_pinned[node]) continue;
      mass += m.flexnode_mass[node];
      sum += m.flexnode_mass[node] * vec3(values, node);
    }
  }
  Vector3 mean() const { return fromEigen(mass > 0 ? Vec3(sum / mass) : Vec3::Zero().eval()); }
};

}  // namespace

Vector3 World::centerOfMass(SoftId id) const {
  impl_->soft(id);
  impl_->ensureCompiled();
  return NodeMean(impl_->model, impl_->soft(id).modelFlex, impl_->data->qpos.data() + impl_->model.nq_rigid).mean();
}

Vector3 World::velocity(SoftId id) const {
  impl_->soft(id);
  impl_->ensureCompiled();
  return NodeMean(impl_->model, impl_->soft(id).modelFlex, impl_->data->qvel.data() + impl_->model.nv_rigid).mean();
}

double World::mass(SoftId id) const {
  impl_->soft(id);
  impl_->ensureCompiled();
  return NodeMean(impl_->model, impl_->soft(id).modelFlex, impl_->data->qvel.data() + impl_->model.nv_rigid).mass;
}

// ------------------------------------------------------------------------------------------ sums

double World::kineticEnergy() const {
  impl_->ensureCompiled();
  impl_->synchronize();
  massMatrix(impl_->model, *impl_->data);
  sinew::kineticEnergy(impl_->model, *impl_->data);
  impl_->data->work->arena.settle();
  return impl_->data->energy[1];
}

double World::potentialEnergy() const {
  impl_->ensureCompiled();
  impl_->synchronize();
  sinew::potentialEnergy(impl_->model, *impl_->data);
  impl_->data->work->arena.settle();
  return impl_->data->energy[0];
}

Vector3 World::momentum() const {
  impl_->ensureCompiled();
  impl_->synchronize();
  return sinew::momentum(impl_->model, *impl_->data).linear;
}

Vector3 World::angularMomentum() const {
  impl_->ensureCompiled();
  impl_->synchronize();
  return sinew::momentum(impl_->model, *impl_->data).angular;
}

std::span<const IslandReport> World::islands() const {
  if (!impl_->data) return {};
  return {impl_->data->island.data(), static_cast<std::size_t>(impl_->data->island.size())};
}

std::string World::trouble() const { return impl_->data ? describeStatus(impl_->model, *impl_->data) : ""; }

}  // namespace sinew
