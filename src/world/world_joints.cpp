#include <fmt/format.h>

#include "world/checks.h"
#include "world/world_impl.h"

/// Joints. All but slides are equalities or tendons between sites of two free bodies, so that any two bodies can be
/// joined, in loops too. A slide has no such form: there the second body becomes a child of the first in the tree.
namespace sinew {
namespace {

Pose localPose(const Placement& body, const Pose& world) { return compose(inverse(toPose(body)), world); }

Vec3 checkedAxis(const std::string& who, const Vector3& axis) {
  const Vec3 a = toEigen(axis);
  if (!(std::isfinite(a.norm()) && a.norm() > 1e-9)) {
    check::fail(who, "axis", fmt::format("({})", fmt::join(axis, ", ")), "finite and longer than 1e-9");
  }
  return a.normalized();
}

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
    const Pose world{toEigen(h.anchor), fromZTo(checkedAxis(who, h.axis))};
    at(world, world);
  }
  void operator()(const SlideJoint& s) const {
    checkedAxis(who, s.axis);
    if (!s.range) return;
    check::finite(who, "range", *s.range);
    if ((*s.range)[0] >= (*s.range)[1]) {
      check::fail(who, "range", fmt::format("[{}, {}]", (*s.range)[0], (*s.range)[1]), "growing");
    }
  }
  void operator()(const DistanceJoint& d) const {
    check::finite(who, "first anchor", d.anchor1);
    check::finite(who, "second anchor", d.anchor2);
    at({toEigen(d.anchor1), {}}, {toEigen(d.anchor2), {}});
    const double length = (toEigen(d.anchor2) - toEigen(d.anchor1)).norm();
    joint.min = d.min ? *d.min : d.max ? 0 : length;
    joint.max = d.max ? *d.max : d.min ? *d.min : length;
    check::notNegative(who, "least distance", joint.min);
    check::positive(who, "largest distance", joint.max);
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
struct Writer {
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
    equality.name = joint.name + suffix;
    equality.type = type;
    equality.sites = true;
    equality.name1 = joint.name + ".1" + suffix;
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
    for (const auto& [suffix, z] : {std::pair{"a", -h.width / 2}, {"b", h.width / 2}}) {
      sites(suffix, {Vec3(0, 0, z), {}});
      hold(EqualityType::Connect, suffix);
    }
  }
  void operator()(const SlideJoint&) const {}
  void operator()(const DistanceJoint&) const {
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
    if (joint.min < joint.max) {
      tendon.limited = spec::Tri::True;
      tendon.range = {joint.min, joint.max};
    }
    spec.tendons.push_back(tendon);
    if (joint.min < joint.max) return;
    // a tendon equality counts from the length in the reference configuration
    const double length = (compose(pose2, joint.frame2).pos - compose(pose1, joint.frame1).pos).norm();
    spec::Equality equality;
    equality.name = joint.name;
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
  if (one.isStatic && two.isStatic) throw std::invalid_argument(fmt::format("{}: both are static", who));
  joint.first = first;
  joint.second = second;
  joint.shape = shape;
  joint.collide = options.collide;
  const Placement placement1 = impl_->placementOf(one), placement2 = impl_->placementOf(two);
  std::visit(Placer{who, placement1, placement2, joint}, shape);
  joint.id = impl_->jointSlots.add(impl_->joints.size());
  if (const auto* slide = std::get_if<SlideJoint>(&shape)) {
    try {
      impl_->mount(joint, *slide);
    } catch (...) {
      impl_->jointSlots.remove(joint.id);
      throw;
    }
  }
  for (const BodyId end : {first, second}) {
    impl_->body(end).disturbed = true;
    ++impl_->body(end).joints;
  }
  impl_->otherNames.insert(joint.name);
  impl_->joints.push_back(std::move(joint));
  impl_->changed = true;
  return impl_->joints.back().id;
}

void World::Impl::mount(const JointRecord& joint, const SlideJoint& shape) {
  // the second body rides on the first, unless it cannot
  const auto canRide = [&](BodyId child, BodyId parent) {
    if (body(child).isStatic || body(child).slide) return false;
    for (const BodyRecord* up = &body(parent);; up = &body(up->slide->parent)) {
      if (up->id == child) return false;
      if (!up->slide) return true;
    }
  };
  const bool straight = canRide(joint.second, joint.first);
  if (!straight && !canRide(joint.first, joint.second)) {
    throw std::invalid_argument(fmt::format(
        "joint \"{}\": \"{}\" and \"{}\" already ride on slide joints; a body can be on one, and not in a circle",
        joint.name, body(joint.first).body.name, body(joint.second).body.name));
  }
  // the axis is fixed in both: a positive displacement moves the second body along it
  const Vec3 axis = (straight ? 1 : -1) * toEigen(shape.axis).normalized();
  ensureCompiled();  // velocities are needed
  synchronize();
  BodyRecord& child = body(straight ? joint.second : joint.first);
  BodyRecord& parent = body(straight ? joint.first : joint.second);
  const Pose childPose = toPose(placementOf(child)), parentPose = toPose(placementOf(parent));
  const BodyState moving = stateOf(child.modelBody), carrier = stateOf(parent.modelBody);
  const Vec3 arm = toEigen(moving.position) - toEigen(carrier.position);
  const Vec3 carried = toEigen(carrier.velocity) + toEigen(carrier.angularVelocity).cross(arm);

  SlideMount slide;
  slide.joint = joint.id;
  slide.parent = parent.id;
  slide.frame = compose(inverse(parentPose), childPose);
  slide.axis = rotate(childPose.quat.conjugate(), axis);
  slide.range = shape.range;
  child.slide = slide;
  child.qpos = {};
  child.qvel = {axis.dot(toEigen(moving.velocity) - carried)};
  child.warmstart = {};
  child.raw = true;
  child.inData = false;
}

void World::Impl::dismount(BodyRecord& child) {
  detach(child);
  child.slide.reset();
}

void World::Impl::writeJoint(const JointRecord& joint, Spec& spec, std::vector<spec::Body>& flat) const {
  const std::size_t i1 = indexOf(joint.first), i2 = indexOf(joint.second);
  const auto pose = [&](std::size_t i) {
    // bodies on slides have a pose in their parent; follow it up
    Pose p{toEigen(flat[i].pos), toQuat(flat[i].orientation.quat)};
    for (const BodyRecord* up = &bodies[i]; up->slide;) {
      const std::size_t parent = indexOf(up->slide->parent);
      p = compose({toEigen(flat[parent].pos), toQuat(flat[parent].orientation.quat)}, p);
      up = &bodies[parent];
    }
    return p;
  };
  std::visit(Writer{joint, spec, flat[i1], flat[i2], pose(i1), pose(i2)}, joint.shape);
  if (joint.collide || joint.first == ground || joint.second == ground) return;
  spec::Exclude exclude;
  exclude.name = joint.name;
  exclude.body1 = flat[i1].name;
  exclude.body2 = flat[i2].name;
  spec.excludes.push_back(exclude);
}

}  // namespace sinew
