#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/joined.h"
#include "constraints/checks.h"
#include "world/world_impl.h"

/// Joints. Most are equalities or tendons between sites of two free bodies, so that any two bodies can be joined, in
/// loops too. Slides, and hinges with a coordinate, have no such form: there the second body becomes a child of the
/// first in the tree.
namespace sinew {
namespace {

Pose localPose(const Placement& body, const Pose& world) { return compose(inverse(toPose(body)), world); }

Vec3 checkedAxis(const std::string& who, const Vector3& axis) {
  const Vec3 a = toEigen(axis);
  if (!(std::isfinite(a.norm()) && a.norm() > 1e-9)) {
    check::fail(who, "axis", fmt::format("({})", joined(axis, ", ")), "finite and longer than 1e-9");
  }
  return a.normalized();
}

void checkRange(const std::string& who, const std::optional<std::array<double, 2>>& range) {
  if (!range) return;
  check::finite(who, "range", *range);
  if ((*range)[0] >= (*range)[1])
    check::fail(who, "range", fmt::format("[{}, {}]", (*range)[0], (*range)[1]), "growing");
}

void checkSpring(const std::string& who, const std::optional<JointSpring>& spring) {
  if (!spring) return;
  check::notNegative(who, "stiffness", spring->stiffness);
  check::notNegative(who, "damping", spring->damping);
  check::finite(who, "rest", spring->rest);
}

void checkMotor(const std::string& who, const std::optional<JointMotor>& motor) {
  if (!motor) return;
  check::finite(who, "speed of the motor", motor->speed);
  check::positive(who, "largest force of the motor", motor->maxForce);
}

bool hasCoordinate(const HingeJoint& h) { return h.range || h.spring || h.motor; }

struct Placer {
  const std::string& who;
  const Placement& first;
  const Placement& second;
  JointRecord& joint;

  void at(const Pose& world1, const Pose& world2) const {
    joint.frame1 = localPose(first, world1);
    joint.frame2 = localPose(second, world2);
  }
  void operator()(const FixedJoint&) const { at(toPose(second), toPose(second)); }
  void operator()(const BallJoint& b) const {
    check::finite(who, "anchor", b.anchor);
    const Pose world{toEigen(b.anchor), {}};
    at(world, world);
  }
  void operator()(const HingeJoint& h) const {
    check::finite(who, "anchor", h.anchor);
    check::positive(who, "width", h.width);
    checkRange(who, h.range);
    checkSpring(who, h.spring);
    checkMotor(who, h.motor);
    joint.motor = h.motor;
    const Pose world{toEigen(h.anchor), fromZTo(checkedAxis(who, h.axis))};
    at(world, world);
  }
  void operator()(const SlideJoint& s) const {
    checkedAxis(who, s.axis);
    checkRange(who, s.range);
    checkSpring(who, s.spring);
    checkMotor(who, s.motor);
    joint.motor = s.motor;
  }
  void operator()(const DistanceJoint& d) const {
    check::finite(who, "first anchor", d.anchor1);
    check::finite(who, "second anchor", d.anchor2);
    at({toEigen(d.anchor1), {}}, {toEigen(d.anchor2), {}});
    const double length = (toEigen(d.anchor2) - toEigen(d.anchor1)).norm();
    checkSpring(who, d.spring);
    if (d.spring) check::notNegative(who, "rest", d.spring->rest);
    joint.min = d.min ? *d.min : d.max || d.spring ? 0 : length;
    joint.max = d.max ? *d.max : d.spring ? std::numeric_limits<double>::infinity() : d.min ? *d.min : length;
    check::notNegative(who, "least distance", joint.min);
    if (!(joint.max > 0)) check::fail(who, "largest distance", fmt::format("{}", joint.max), "above 0");
    if (joint.min > joint.max) {
      check::fail(who, "least distance", fmt::format("{}", joint.min), fmt::format("at most {}", joint.max));
    }
  }
};

spec::Site makeSite(const std::string& name, const Pose& frame) {
  spec::Site site;
  site.name = name;
  site.pos = fromEigen(frame.pos);
  site.orientation.quat = fromQuat(frame.quat);
  return site;
}

/// Writes sites, equalities and tendons of a joint.
struct JointWriter {
  const JointRecord& joint;
  Spec& spec;
  spec::Body& first;
  spec::Body& second;
  Pose pose1, pose2;  ///< of the two bodies in the reference configuration

  void sites(const std::string& suffix, const Pose& offset) const {
    first.sites.push_back(makeSite(joint.name + ".1" + suffix, compose(joint.frame1, offset)));
    second.sites.push_back(makeSite(joint.name + ".2" + suffix, compose(joint.frame2, offset)));
  }
  void hold(EqualityType type, const std::string& suffix) const {
    spec::Equality equality;
    equality.name = equality.name1 = joint.name + ".1" + suffix;  // no other joint can be called so that they clash
    equality.type = type;
    equality.sites = true;
    equality.name2 = joint.name + ".2" + suffix;
    spec.equalities.push_back(equality);
  }
  void operator()(const FixedJoint&) const {
    sites("", {});
    hold(EqualityType::Weld, "");
  }
  void operator()(const BallJoint&) const {
    sites("", {});
    hold(EqualityType::Connect, "");
  }
  void operator()(const HingeJoint& h) const {
    if (hasCoordinate(h)) return;
    for (const auto& [suffix, z] : {std::pair{"a", -h.width / 2}, {"b", h.width / 2}}) {
      sites(suffix, {Vec3(0, 0, z), {}});
      hold(EqualityType::Connect, suffix);
    }
  }
  void operator()(const SlideJoint&) const {}
  void operator()(const DistanceJoint& distance) const {
    sites("", {});
    spec::Tendon tendon;
    tendon.name = joint.name;
    tendon.spatial = true;
    for (const char* side : {".1", ".2"}) {
      spec::Wrap wrap;
      wrap.type = WrapType::Site;
      wrap.target = joint.name + side;
      tendon.path.push_back(wrap);
    }
    if (joint.min < joint.max && (joint.min > 0 || std::isfinite(joint.max))) {
      // no distance in a world is anywhere near the largest one for which nothing is said
      constexpr double kFar = 1e9;
      tendon.limited = spec::Tri::True;
      // a length is never below 0; a row that held it there would stop what passes through the other end
      tendon.range = {joint.min > 0 ? joint.min : -kFar, std::min(joint.max, kFar)};
    }
    if (distance.spring) {
      tendon.stiffness = {distance.spring->stiffness, 0, 0};
      tendon.damping = {distance.spring->damping, 0, 0};
      tendon.springlength = {distance.spring->rest, distance.spring->rest};
    }
    spec.tendons.push_back(tendon);
    if (joint.min < joint.max) return;
    // a tendon equality counts from the length in the reference configuration
    const double length = (compose(pose2, joint.frame2).pos - compose(pose1, joint.frame1).pos).norm();
    spec::Equality equality;
    equality.name = joint.name + ".1";
    equality.type = EqualityType::Tendon;
    equality.name1 = joint.name;
    equality.polycoef = {joint.max - length, 0, 0, 0, 0};
    spec.equalities.push_back(equality);
  }
};

}  // namespace

JointId World::addJoint(BodyId first, BodyId second, const JointShape& shape, const JointOptions& options) {
  BodyRecord &one = impl_->body(first), &two = impl_->body(second);
  JointRecord joint;
  joint.name = impl_->freshName(options.name, "joint");
  const std::string who =
      fmt::format("joint \"{}\" between \"{}\" and \"{}\"", joint.name, one.body.name, two.body.name);
  if (first == second) throw std::invalid_argument(fmt::format("{}: the bodies must differ", who));
  if (!one.isDynamic() && !two.isDynamic()) {
    const bool both = one.isStatic() && two.isStatic();
    throw std::invalid_argument(fmt::format("{}: {}", who, both ? "both are static" : "neither is moved by forces"));
  }
  joint.first = first;
  joint.second = second;
  joint.shape = shape;
  joint.collide = options.collide;
  joint.userData = options.userData;
  const Placement placement1 = impl_->placementOf(one), placement2 = impl_->placementOf(two);
  std::visit(Placer{who, placement1, placement2, joint}, shape);
  ++impl_->nextUid;
  joint.id = impl_->jointSlots.add(impl_->joints.size());
  const auto* slide = std::get_if<SlideJoint>(&shape);
  const auto* hinge = std::get_if<HingeJoint>(&shape);
  try {
    if (slide) {
      impl_->mount(joint, {.type = JointType::Slide, .range = slide->range, .spring = slide->spring}, slide->axis, {});
    } else if (hinge && hasCoordinate(*hinge)) {
      impl_->mount(joint, {.type = JointType::Hinge, .range = hinge->range, .spring = hinge->spring}, hinge->axis,
                   hinge->anchor);
    }
  } catch (...) {
    impl_->jointSlots.remove(joint.id);
    throw;
  }
  for (const BodyId end : {first, second}) {
    impl_->disturb(impl_->body(end));
    ++impl_->body(end).joints;
  }
  impl_->otherNames.emplace(joint.name, OtherName{.joint = joint.id});
  impl_->joints.push_back(std::move(joint));
  impl_->changed = true;
  return impl_->joints.back().id;
}

void World::Impl::mount(const JointRecord& joint, Mount mount, const Vector3& worldAxis, const Vector3& worldAnchor) {
  // the second body rides on the first, unless it cannot
  const auto canRide = [&](BodyId child, BodyId parent) {
    if (!body(child).isDynamic() || body(child).mount) return false;
    for (const BodyRecord* up = &body(parent);; up = &body(up->mount->parent)) {
      if (up->id == child) return false;
      if (!up->mount) return true;
    }
  };
  const bool straight = canRide(joint.second, joint.first);
  if (!straight && !canRide(joint.first, joint.second)) {
    throw std::invalid_argument(
        fmt::format("joint \"{}\": \"{}\" and \"{}\" already ride on joints with a coordinate; a body can be on one, "
                    "and not in a circle",
                    joint.name, body(joint.first).body.name, body(joint.second).body.name));
  }
  // a child of a mocap body would not feel that its parent turns
  for (const BodyId end : {joint.first, joint.second}) {
    if (!body(end).isKinematic()) continue;
    throw std::invalid_argument(fmt::format(
        "joint \"{}\": \"{}\" is kinematic, and a joint with a coordinate cannot be on it; fixed, ball and distance "
        "joints can, and hinges without range, spring and motor",
        joint.name, body(end).body.name));
  }
  // the axis is fixed in both: a positive displacement moves the second body along it
  const Vec3 axis = (straight ? 1 : -1) * toEigen(worldAxis).normalized();
  BodyRecord& child = body(straight ? joint.second : joint.first);
  BodyRecord& parent = body(straight ? joint.first : joint.second);
  const Pose childPose = toPose(placementOf(child)), parentPose = toPose(placementOf(parent));
  const BodyState moving = stateOf(child), carrier = stateOf(parent);
  const Vec3 arm = toEigen(moving.position) - toEigen(carrier.position);
  const Vec3 carried = toEigen(carrier.velocity) + toEigen(carrier.angularVelocity).cross(arm);

  mount.joint = joint.id;
  mount.parent = parent.id;
  mount.frame = compose(inverse(parentPose), childPose);
  mount.axis = rotate(childPose.quat.conjugate(), axis);
  double speed = axis.dot(toEigen(moving.velocity) - carried);
  if (mount.type == JointType::Hinge) {
    mount.anchor = rotate(childPose.quat.conjugate(), toEigen(worldAnchor) - childPose.pos);
    speed = axis.dot(toEigen(moving.angularVelocity) - toEigen(carrier.angularVelocity));
  }
  child.mount = mount;
  child.qpos = {};
  child.qvel = {speed};
  child.warmstart = {};
  child.raw = true;
  child.inData = false;
}

void World::Impl::dismount(BodyRecord& child) {
  detach(child);
  child.mount.reset();
}

BodyRecord* World::Impl::riderOf(const JointRecord& joint) {
  for (const BodyId end : {joint.first, joint.second}) {
    BodyRecord& record = body(end);
    if (record.mount && record.mount->joint == joint.id) return &record;
  }
  return nullptr;
}

int World::Impl::coordinateOf(JointId id) {
  if (!riderOf(joint(id))) {
    throw std::invalid_argument(
        fmt::format("joint \"{}\": it has no coordinate; slides have one, and hinges with a range, spring or motor",
                    joint(id).name));
  }
  ensureCompiled();
  return model.body_jntadr[riderOf(joint(id))->modelBody];
}

// The motor is a row of friction loss that holds the joint at a velocity: as long as its force suffices the joint has
// that velocity, whatever it carries, and beyond that it slips with all the force it has. At speed 0 it is a brake.
void World::Impl::driveMotors() {
  for (const JointRecord& record : joints) {
    if (record.removed || !record.motor) continue;
    const int dof = model.jnt_dofadr[model.body_jntadr[riderOf(record)->modelBody]];
    model.dof_frictionloss[dof] = record.motor->maxForce;
    model.dof_frictionvel[dof] = record.motor->speed;
  }
}

double World::jointPosition(JointId joint) const {
  const int number = impl_->coordinateOf(joint);
  return impl_->data->qpos[impl_->model.jnt_qposadr[number]];
}

double World::jointVelocity(JointId joint) const {
  const int number = impl_->coordinateOf(joint);
  return impl_->data->qvel[impl_->model.jnt_dofadr[number]];
}

void World::setMotor(JointId id, const JointMotor& motor) {
  checkMotor(fmt::format("joint \"{}\"", impl_->joint(id).name), motor);
  impl_->coordinateOf(id);  // may compile, which moves records
  JointRecord& record = impl_->joint(id);
  record.motor = motor;
  impl_->driveMotors();
  impl_->specIsStale = true;
  for (const BodyId end : {record.first, record.second}) impl_->disturb(impl_->body(end));
}

void World::Impl::writeJoint(const JointRecord& joint, Spec& spec, std::vector<spec::Body>& flat) const {
  const std::size_t i1 = indexOf(joint.first), i2 = indexOf(joint.second);
  const auto pose = [&](std::size_t i) {
    // bodies on slides have a pose in their parent; follow it up
    Pose p{toEigen(flat[i].pos), toQuat(flat[i].orientation.quat)};
    for (const BodyRecord* up = &bodies[i]; up->mount;) {
      const std::size_t parent = indexOf(up->mount->parent);
      p = compose({toEigen(flat[parent].pos), toQuat(flat[parent].orientation.quat)}, p);
      up = &bodies[parent];
    }
    return p;
  };
  std::visit(JointWriter{joint, spec, flat[i1], flat[i2], pose(i1), pose(i2)}, joint.shape);
  if (joint.motor) {
    const bool firstRides = bodies[i1].mount && bodies[i1].mount->joint == joint.id;
    spec::Body& rider = flat[firstRides ? i1 : i2];
    rider.joints.front().frictionloss = joint.motor->maxForce;
    rider.joints.front().frictionvel = joint.motor->speed;
  }
  if (joint.collide || joint.first == ground || joint.second == ground) return;
  spec::Exclude exclude;
  exclude.name = joint.name;
  exclude.body1 = flat[i1].name;
  exclude.body2 = flat[i2].name;
  spec.excludes.push_back(exclude);
}

}  // namespace sinew
