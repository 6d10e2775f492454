#include "compile/joints.h"

#include <fmt/format.h>

#include <numbers>

#include "compile/orientation.h"
#include "compile/place.h"

namespace sinew::draft {
namespace {

constexpr double kTooShort = 1e-14;

void checkNumbers(const spec::Joint& joint, const Place& place) {
  const auto [timeconst, dampratio] = joint.springdamper;
  if ((timeconst != 0 || dampratio != 0) && !(timeconst > 0 && dampratio > 0)) {
    place.fail("both numbers of 'springdamper' must be positive");
  }
  for (const auto& [value, name] :
       {std::pair{joint.armature, "armature"}, std::pair{joint.frictionloss, "frictionloss"}}) {
    if (value < 0) place.fail(fmt::format("'{}' must not be negative, found {}", name, value));
  }
  if (joint.frictionvel == 0) return;
  if (joint.type != JointType::Hinge && joint.type != JointType::Slide) {
    place.fail(fmt::format("'frictionvel' is for hinges and slides, found {} on another joint", joint.frictionvel));
  }
  if (joint.frictionloss == 0) {
    place.fail(fmt::format("'frictionvel' of {} has no effect without 'frictionloss'", joint.frictionvel));
  }
}

/// Limits: decided by `limited`, in radians for rotations. A range that is not in force keeps its unit.
void draftLimits(const spec::Joint& spec, const spec::Compiler& compiler, const Place& place, Joint& joint) {
  joint.range = spec.range;
  if (spec.type == JointType::Free) return;
  joint.limited = isLimited(spec.limited, spec.range, compiler, place);
  if (!joint.limited) return;
  if (spec.type == JointType::Ball) {
    if (spec.range[0] != 0) place.fail("a ball joint's 'range' must start at 0");
  } else if (!(spec.range[0] < spec.range[1])) {
    place.fail(fmt::format("'range' must grow, found {} {}", spec.range[0], spec.range[1]));
  }
  if (compiler.degree && joint.isRotation()) {
    for (double& angle : joint.range) angle *= std::numbers::pi / 180;
  }
}

Joint draftJoint(const spec::Joint& spec, const spec::Compiler& compiler, const std::vector<Pose>& frames) {
  const Place place = placeOf(spec);
  Joint joint;
  joint.spec = &spec;
  checkNumbers(spec, place);
  draftLimits(spec, compiler, place, joint);

  const bool scalar = spec.type == JointType::Slide || spec.type == JointType::Hinge;
  if (scalar) {
    joint.actuatorForceLimited =
        isLimited(spec.actuatorfrclimited, spec.actuatorfrcrange, compiler, place, "actuatorfrc");
    if (joint.actuatorForceLimited && !(spec.actuatorfrcrange[0] < spec.actuatorfrcrange[1])) {
      place.fail(
          fmt::format("'actuatorfrcrange' must grow, found {} {}", spec.actuatorfrcrange[0], spec.actuatorfrcrange[1]));
    }
  }

  const bool inFrame = spec.frame >= 0;
  const Pose frame = inFrame ? frames.at(static_cast<std::size_t>(spec.frame)) : Pose{};
  if (scalar) {
    const Vec3 axis = inFrame ? rotate(frame.quat, toVec3(spec.axis)) : toVec3(spec.axis);
    const double length = axis.norm();
    if (!(length >= kTooShort)) place.fail("'axis' is zero");
    joint.axis = std::abs(length - 1) <= kTooShort ? axis : Vec3(axis / length);
  }
  if (spec.type != JointType::Free) {
    joint.pos = inFrame ? Vec3(frame.pos + rotate(frame.quat, toVec3(spec.pos))) : toVec3(spec.pos);
  }

  const double unit = compiler.degree && spec.type == JointType::Hinge ? std::numbers::pi / 180 : 1;
  joint.ref = spec.ref * unit;
  joint.springref = spec.springref * unit;
  return joint;
}

}  // namespace

void draftJoints(const Draft& draft, const std::vector<Pose>& frames, Body& body) {
  const bool isWorld = body.spec == &draft.spec->world;
  if (isWorld && !body.spec->joints.empty()) placeOf(body.spec->joints[0]).fail("the world cannot have joints");

  bool afterBall = false;
  for (const spec::Joint& spec : body.spec->joints) {
    const Place place = placeOf(spec);
    if (spec.type == JointType::Free && body.spec->joints.size() > 1)
      place.fail("a free joint must be the only joint of its body");
    body.joints.push_back(draftJoint(spec, draft.compiler(), frames));
    if (afterBall && body.joints.back().isRotation()) place.fail("a ball joint cannot be followed by a rotation");
    afterBall = afterBall || spec.type == JointType::Ball;
  }

  if (body.numDofs() > 6) {
    placeOf(*body.spec).fail(fmt::format("a body can have at most 6 degrees of freedom, this has {}", body.numDofs()));
  }
  if (body.spec->mocap && (!body.joints.empty() || body.parent != 0)) {
    placeOf(*body.spec).fail("a mocap body must be a child of the world without joints");
  }
}

void requireFreeOnTop(const Draft& draft) {
  for (const Body& body : draft.bodies) {
    for (const Joint& joint : body.joints) {
      if (joint.spec->type == JointType::Free && body.parent != 0)
        placeOf(*joint.spec).fail("a free joint is allowed only in a child of the world");
    }
  }
}

}  // namespace sinew::draft
