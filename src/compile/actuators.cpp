#include "compile/actuators.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/history.h"
#include "compile/place.h"
#include "compile/rows.h"
#include "compile/tendons.h"
#include "spec/actuator_block.h"

namespace sinew::draft {
namespace {

constexpr int kControllerInputs = input::kPos | input::kVel | input::kForce;

void rejectUser(const spec::Actuator& a, const Place& place) {
  if (a.gaintype == GainType::User || a.biastype == BiasType::User || a.dyntype == DynType::User) {
    place.fail("gaintype, biastype or dyntype \"user\" is not supported: there are no callbacks");
  }
}

/// An orientation actuator is one altogether.
void checkOrientation(const spec::Actuator& a, int inputs, const Place& place) {
  if (a.gaintype != GainType::So3 || a.biastype != BiasType::So3) {
    place.fail("gaintype and biastype must both be so3, or neither");
  }
  if (a.dyntype != DynType::None && a.dyntype != DynType::Integrator) {
    place.fail("an orientation (so3) actuator needs dyntype none or integrator");
  }
  if (a.gainprm[0] != -a.biasprm[1]) {
    place.fail(fmt::format("an orientation (so3) actuator needs gainprm[0] = -biasprm[1], found {} and {}",
                           a.gainprm[0], a.biasprm[1]));
  }
  if (inputs != input::kRotationVector && inputs != input::kQuaternion) {
    place.fail("'input' of an orientation (so3) actuator is expmap or quat");
  }
  if (inputs == input::kQuaternion && a.dyntype != DynType::None) {
    place.fail("input=\"quat\" needs dyntype none: a quaternion is not integrated");
  }
}

void checkPid(const spec::Actuator& a, int inputs, const Place& place) {
  if (a.biastype != BiasType::Affine) place.fail("a pid actuator needs biastype affine");
  if (a.dyntype != DynType::None && a.dyntype != DynType::Pid) place.fail("a pid actuator needs dyntype none or pid");
  if (a.dyntype == DynType::None && a.gainprm[0] != 0) place.fail("an integral gain (gainprm[0]) needs dyntype pid");
  if (a.trntype == TransmissionType::Body) place.fail("a pid actuator cannot act on a body");
  if ((inputs & ~kControllerInputs) != 0) place.fail("'input' of a pid actuator is some of pos, vel, ff");
  if (a.dyntype != DynType::Pid) return;
  if (a.dynprm[0] < 0) place.fail(fmt::format("'imax' (dynprm[0]) must not be negative, found {}", a.dynprm[0]));
  if (a.dynprm[1] < 0) place.fail(fmt::format("'slewmax' (dynprm[1]) must not be negative, found {}", a.dynprm[1]));
  if ((inputs & input::kPos) == 0) place.fail("an integral or a limited slew rate needs the input pos");
}

void checkMotor(const spec::Actuator& a, int inputs, const Place& place) {
  if (a.gaintype != GainType::DcMotor || a.dyntype != DynType::DcMotor) {
    place.fail("gaintype and dyntype must both be dcmotor, or neither; biastype dcmotor goes with them");
  }
  if (!a.actearly) place.fail("a dcmotor acts with the current at the end of the step: give actearly=\"true\"");
  if (inputs != input::kNone && (inputs & ~(kControllerInputs | input::kVoltage)) != 0) {
    place.fail("'input' of a dcmotor is none, or some of pos, vel, ff, voltage");
  }
  const bool controlled = (inputs & kControllerInputs) != 0;
  if (controlled && !(a.gainprm[1] > 0))
    place.fail("a controller (input pos, vel, ff) needs a positive motor constant");
  if (!controlled && (a.gainprm[4] != 0 || a.gainprm[5] != 0 || a.gainprm[6] != 0)) {
    place.fail("controller gains need one of the inputs pos, vel, ff");
  }
  if (a.gainprm[5] > 0 && (inputs & input::kPos) == 0) place.fail("an integral gain needs the input pos");
  if (!controlled && a.dynprm[7] > 0) place.fail("a limited slew rate needs one of the inputs pos, vel, ff");
}

void checkActivations(const spec::Actuator& a, int activations, const Place& place) {
  if (a.actdim < 0 || a.actdim == activations) return;
  if (a.actdim == 0 && (a.gaintype == GainType::So3 || a.dyntype == DynType::Pid) && activations > 0) return;
  const bool stateful = a.dyntype != DynType::None;
  if (a.actdim == 1 && !stateful) place.fail("actdim=\"1\" needs activation dynamics, but dyntype is none");
  if (a.actdim == 0) place.fail("actdim=\"0\" contradicts the activation dynamics");
  if (a.actdim > 1 && activations < 2) {
    place.fail("'actdim' above 1 is not supported: it belongs to user dynamics");
  }
  place.fail(fmt::format("'actdim' is {}, but the actuator has {} states", a.actdim, activations));
}

/// The actuator's share of controls, activations and forces, after checking that its parts fit together.
spec::ActuatorBlock checkedBlock(const spec::Actuator& a) {
  const Place place = placeOf(a);
  rejectUser(a, place);
  const spec::ActuatorBlock block = spec::blockOf(a);
  const bool isOrientation = a.gaintype == GainType::So3 || a.biastype == BiasType::So3;
  const bool isMotor =
      a.gaintype == GainType::DcMotor || a.biastype == BiasType::DcMotor || a.dyntype == DynType::DcMotor;
  if (a.trntype == TransmissionType::So3) place.fail("the transmission of an orientation actuator is a joint or site");
  if (isOrientation) checkOrientation(a, block.input, place);
  if (a.gaintype == GainType::Pid) checkPid(a, block.input, place);
  if (a.dyntype == DynType::Pid && a.gaintype != GainType::Pid) place.fail("dyntype pid needs gaintype pid");
  if (isMotor) checkMotor(a, block.input, place);
  if (a.input != 0 && !isOrientation && !isMotor && a.gaintype != GainType::Pid) {
    place.fail("'input' is for actuators with gaintype so3, pid or dcmotor");
  }
  checkActivations(a, block.activations, place);
  return block;
}

bool isJoint(TransmissionType type) {
  return type == TransmissionType::Joint || type == TransmissionType::JointInParent;
}

/// The two ids of a transmission; -1 where there is none.
std::array<int, 2> resolveTarget(const spec::Actuator& a, const Names& names, const Place& place) {
  if (a.target.empty() || a.trntype == TransmissionType::Undefined) {
    place.fail("a transmission is missing: joint, jointinparent, tendon, site, cranksite or body");
  }
  switch (a.trntype) {
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      return {names.need(ObjType::Joint, a.target, place), -1};
    case TransmissionType::SliderCrank:
      if (a.slidersite.empty()) place.fail("a slider-crank needs 'slidersite'");
      if (!(a.cranklength > 0)) place.fail(fmt::format("'cranklength' must be positive, found {}", a.cranklength));
      return {names.need(ObjType::Site, a.target, place), names.need(ObjType::Site, a.slidersite, place)};
    case TransmissionType::Tendon:
      return {names.need(ObjType::Tendon, a.target, place), -1};
    case TransmissionType::Site:
      return {names.need(ObjType::Site, a.target, place),
              a.refsite.empty() ? -1 : names.need(ObjType::Site, a.refsite, place)};
    case TransmissionType::Body:
      return {names.need(ObjType::Body, a.target, place), -1};
    case TransmissionType::So3:
    case TransmissionType::Undefined:
      break;
  }
  place.fail("a transmission is missing: joint, jointinparent, tendon, site, cranksite or body");
}

/// An orientation actuator turns a ball joint, or a site against another.
void checkOrientationTarget(const spec::Actuator& a, int target, const Model& m, const Place& place) {
  const bool site = a.trntype == TransmissionType::Site, joint = a.trntype == TransmissionType::Joint;
  if (!site && !joint) place.fail("an orientation (so3) actuator acts on a ball joint, or on a site with 'refsite'");
  if (site && a.refsite.empty()) place.fail("an orientation (so3) actuator on a site needs 'refsite'");
  if (joint && m.jnt_type[target] != JointType::Ball) {
    place.fail(fmt::format("an orientation (so3) actuator needs a ball joint, \"{}\" is none", a.target));
  }
}

/// Servos (gain = -bias stiffness, or pid) may take their range from the target: mean +- ratio * half width, in
/// ctrlrange for position servos, in actrange for integrated velocity.
void inheritRange(const spec::Actuator& a, int target, const Model& m, const Place& place, spec::Vec2& ctrlrange,
                  spec::Vec2& actrange) {
  const bool isPid = a.gaintype == GainType::Pid;
  const bool isServo =
      (isPid || (a.gaintype == GainType::Fixed && a.gainprm[0] == -a.biasprm[1])) && a.biastype == BiasType::Affine;
  if (!(a.inheritrange > 0) || !isServo) return;
  spec::Vec2* range = nullptr;
  if (isPid || a.dyntype == DynType::None || a.dyntype == DynType::FilterExact) range = &ctrlrange;
  if (a.dyntype == DynType::Integrator) range = &actrange;
  if (!range) place.fail("'inheritrange' is for position and intvelocity actuators");

  const double* from = nullptr;
  if (a.trntype == TransmissionType::Joint) {
    if (m.jnt_type[target] != JointType::Hinge && m.jnt_type[target] != JointType::Slide) {
      place.fail("'inheritrange' needs a hinge or slide joint");
    }
    from = m.jnt_range.data() + 2 * target;
  } else if (a.trntype == TransmissionType::Tendon) {
    from = m.tendon_range.data() + 2 * target;
  } else {
    place.fail("'inheritrange' needs a joint or tendon transmission");
  }
  if (from[0] == from[1]) place.fail(fmt::format("'inheritrange' is given, but \"{}\" has no range", a.target));
  const double mean = 0.5 * (from[1] + from[0]), radius = 0.5 * (from[1] - from[0]) * a.inheritrange;
  *range = {mean - radius, mean + radius};
}

void checkMuscle(const std::array<double, 10>& prm, const Place& place) {
  if (!(prm[0] < prm[1])) place.fail(fmt::format("a muscle's 'range' must grow, found {} {}", prm[0], prm[1]));
  if (!(prm[4] < 1 && prm[5] > 1)) place.fail("a muscle needs lmin < 1 < lmax");
  if (!(prm[3] > 0 && prm[6] > 0 && prm[7] > 0 && prm[8] > 0)) {
    place.fail("a muscle needs positive scale, vmax, fpmax and fvmax");
  }
}

void checkReflected(const spec::Actuator& a, int target, const Model& m, const Place& place) {
  if (isJoint(a.trntype)) return;
  if (a.trntype == TransmissionType::Tendon) {
    if (a.armature == 0) return;
    for (int i = m.tendon_adr[target]; i < m.tendon_adr[target] + m.tendon_num[target]; ++i) {
      if (m.wrap_type[i] != WrapType::Sphere && m.wrap_type[i] != WrapType::Cylinder) continue;
      place.fail(fmt::format("'armature' needs a tendon that wraps around nothing, and \"{}\" does", a.target));
    }
    return;
  }
  if (a.damping != spec::Vec3{0, 0, 0}) place.fail("'damping' needs a joint or tendon transmission");
  if (a.armature != 0) place.fail("'armature' needs a joint or tendon transmission");
}

bool limitedTo(spec::Tri limited, const spec::Vec2& range, const spec::Compiler& compiler, const Place& place,
               const char* attribute) {
  const bool result = isLimited(limited, range, compiler, place, attribute);
  if (result && !(range[0] < range[1])) {
    place.fail(fmt::format("'{}range' must grow, found {} {}", attribute, range[0], range[1]));
  }
  return result;
}

/// Ranges of the actuator's controls, from `adr` on. All share ctrlrange, but a pid's velocity setpoint and feedforward
/// force, which have their own.
void writeControlRanges(const spec::Actuator& a, const spec::ActuatorBlock& block, bool limited,
                        const spec::Vec2& ctrlrange, int adr, Model& m, const Place& place) {
  const auto put = [&](int i, bool isLimited, const spec::Vec2& range) {
    m.actuator_ctrllimited[i] = isLimited;
    putRow(m.actuator_ctrlrange, i, range);
  };
  for (int i = adr; i < adr + block.controls; ++i) put(i, limited, ctrlrange);
  if (a.gaintype != GainType::Pid) return;
  const auto putOwn = [&](int i, const spec::Vec2& range, const char* attribute) {
    const bool given = range != spec::Vec2{0, 0};
    if (given && !(range[0] < range[1])) {
      place.fail(fmt::format("'{}' must grow, found {} {}", attribute, range[0], range[1]));
    }
    put(i, given, range);
  };
  int i = adr + ((block.input & input::kPos) != 0 ? 1 : 0);
  if ((block.input & input::kVel) != 0) putOwn(i++, a.velrange, "velrange");
  if ((block.input & input::kForce) != 0) putOwn(i, a.ffrange, "ffrange");
}

/// Where the numbers of the next actuator start.
struct Addresses {
  int control = 0, activation = 0, output = 0;
};

void writeActuator(const spec::Actuator& a, const spec::Compiler& compiler, const Names& names, int id, Addresses& next,
                   Model& m) {
  const Place place = placeOf(a);
  const spec::ActuatorBlock block = spec::blockOf(a);
  const bool isOrientation = a.gaintype == GainType::So3;
  const std::array<int, 2> target = resolveTarget(a, names, place);
  if (isOrientation) checkOrientationTarget(a, target[0], m, place);
  checkReflected(a, target[0], m, place);
  if (a.gaintype == GainType::Muscle) checkMuscle(a.gainprm, place);
  if (a.biastype == BiasType::Muscle) checkMuscle(a.biasprm, place);

  spec::Vec2 ctrlrange = a.ctrlrange, actrange = a.actrange;
  inheritRange(a, target[0], m, place, ctrlrange, actrange);
  const bool ctrllimited = limitedTo(a.ctrllimited, ctrlrange, compiler, place, "ctrl");
  writeControlRanges(a, block, ctrllimited, ctrlrange, next.control, m, place);
  m.actuator_forcelimited[id] = limitedTo(a.forcelimited, a.forcerange, compiler, place, "force");
  if (isOrientation && m.actuator_forcelimited[id] && a.forcerange[0] != 0) {
    place.fail("'forcerange' of an orientation (so3) actuator bounds the length of its torque and starts at 0");
  }
  // an integrated orientation is kept within half a turn anyway
  const bool unlimited = isOrientation && actrange == spec::Vec2{0, 0};
  m.actuator_actlimited[id] = !unlimited && limitedTo(a.actlimited, actrange, compiler, place, "act");
  if (m.actuator_actlimited[id] && a.dyntype == DynType::None) {
    place.fail("'actrange' is given, but the actuator has no state");
  }
  checkHistory(a.nsample, a.interp, a.delay, place);
  if (a.nsample > 0 && block.controls == 0) place.fail("'nsample' needs an actuator with a control");
  if (a.delay > 0 && block.controls > 1) place.fail("'delay' needs an actuator with one control");

  m.actuator_trntype[id] = isOrientation ? TransmissionType::So3 : a.trntype;
  m.actuator_dyntype[id] = a.dyntype;
  m.actuator_gaintype[id] = a.gaintype;
  m.actuator_biastype[id] = a.biastype;
  m.actuator_ctrladr[id] = next.control;
  m.actuator_ctrlnum[id] = block.controls;
  m.actuator_ctrlspec[id] = block.input;
  m.actuator_outadr[id] = next.output;
  m.actuator_outnum[id] = block.outputs;
  putRow(m.actuator_trnid, id, target);
  m.actuator_actadr[id] = block.activations > 0 ? next.activation : -1;
  m.actuator_actnum[id] = block.activations;
  m.actuator_group[id] = a.group;
  putRow(m.actuator_dynprm, id, a.dynprm);
  putRow(m.actuator_gainprm, id, a.gainprm);
  putRow(m.actuator_biasprm, id, a.biasprm);
  m.actuator_actearly[id] = a.actearly;
  putRow(m.actuator_forcerange, id, a.forcerange);
  putRow(m.actuator_actrange, id, actrange);
  for (int i = next.output; i < next.output + block.outputs; ++i) {
    putRow(m.actuator_gear, i, a.gear);
    putRow(m.actuator_lengthrange, i, a.lengthrange);
  }
  m.actuator_cranklength[id] = a.cranklength;
  putPolynomial(m.actuator_damping, m.actuator_dampingpoly, id, a.damping);
  m.actuator_armature[id] = a.armature;
  m.actuator_delay[id] = a.delay;
  writeHistory(a.nsample, a.interp, 1, id, m.actuator_history, m.actuator_historyadr, m, place);
  putUser(m.actuator_user, id, m.nuser_actuator, a.user);
  next.control += block.controls;
  next.activation += block.activations;
  next.output += block.outputs;
}

/// Dofs that move at least one of two bodies: the union of two chains towards the root.
int countUnion(const Model& m, int body1, int body2) {
  std::vector<int> dofs;
  for (const int start : {body1, body2}) {
    for (int body = start; body > 0; body = m.body_parentid[body]) {
      for (int i = 0; i < m.body_dofnum[body]; ++i) dofs.push_back(m.body_dofadr[body] + i);
    }
  }
  std::sort(dofs.begin(), dofs.end());
  return static_cast<int>(std::unique(dofs.begin(), dofs.end()) - dofs.begin());
}

}  // namespace

void setActuatorSizes(const Spec& spec, Model& m) {
  for (const spec::Actuator& actuator : spec.actuators) {
    const spec::ActuatorBlock block = checkedBlock(actuator);
    ++m.nactuator;
    m.nu += block.controls;
    m.na += block.activations;
    m.nout += block.outputs;
  }
}

void writeActuators(const Draft& draft, const Names& names, Model& m) {
  Addresses next;
  for (int i = 0; i < m.nactuator; ++i) {
    writeActuator(draft.spec->actuators[i], draft.compiler(), names, i, next, m);
  }
}

void checkActuators(const Model& m) {
  Addresses next;
  for (int i = 0; i < m.nactuator; ++i) {
    const std::string name = fmt::format("actuator {}", i);
    const auto require = [&](bool good, const char* why) {
      if (!good) throw LoadError(fmt::format("{}: {}", name, why));
    };
    spec::Actuator a;
    a.name = std::to_string(i);
    a.trntype = m.actuator_trntype[i];
    a.dyntype = m.actuator_dyntype[i];
    a.gaintype = m.actuator_gaintype[i];
    a.biastype = m.actuator_biastype[i];
    a.actearly = m.actuator_actearly[i] != 0;
    std::copy_n(m.actuator_dynprm.data() + 10 * i, 10, a.dynprm.begin());
    std::copy_n(m.actuator_gainprm.data() + 10 * i, 10, a.gainprm.begin());
    std::copy_n(m.actuator_biasprm.data() + 10 * i, 10, a.biasprm.begin());
    const bool several = a.gaintype == GainType::So3 || a.gaintype == GainType::Pid || a.gaintype == GainType::DcMotor;
    if (several) a.input = m.actuator_ctrlspec[i];
    const spec::ActuatorBlock block = checkedBlock(a);
    require(block.input == m.actuator_ctrlspec[i], "actuator_ctrlspec does not fit its type");
    require(block.controls == m.actuator_ctrlnum[i] && next.control == m.actuator_ctrladr[i],
            "actuator_ctrladr or actuator_ctrlnum does not fit its type");
    require(block.outputs == m.actuator_outnum[i] && next.output == m.actuator_outadr[i],
            "actuator_outadr or actuator_outnum does not fit its type");
    require(block.activations == m.actuator_actnum[i] &&
                m.actuator_actadr[i] == (block.activations > 0 ? next.activation : -1),
            "actuator_actadr or actuator_actnum does not fit its type");
    next.control += block.controls;
    next.activation += block.activations;
    next.output += block.outputs;

    const int first = m.actuator_trnid[2 * i], second = m.actuator_trnid[2 * i + 1];
    const bool turns = a.trntype == TransmissionType::So3;
    require(turns == (a.gaintype == GainType::So3), "actuator_trntype does not fit its gain");
    int count = 0, others = 0;
    bool needsSecond = false;
    switch (a.trntype) {
      case TransmissionType::Joint:
      case TransmissionType::JointInParent:
        count = m.njnt;
        break;
      case TransmissionType::Tendon:
        count = m.ntendon;
        break;
      case TransmissionType::SliderCrank:
        needsSecond = true;
        [[fallthrough]];
      case TransmissionType::Site:
        count = others = m.nsite;
        break;
      case TransmissionType::Body:
        count = m.nbody;
        break;
      case TransmissionType::So3:
        count = second >= 0 ? m.nsite : m.njnt;
        others = m.nsite;
        break;
      case TransmissionType::Undefined:
        break;
    }
    require(first >= 0 && first < count, "actuator_trnid names no target");
    require(second < others && (!needsSecond || second >= 0), "actuator_trnid names no second target");
    require(!turns || second >= 0 || m.jnt_type[first] == JointType::Ball, "it turns a joint that is no ball");
  }
  if (next.control != m.nu || next.activation != m.na || next.output != m.nout) {
    throw LoadError(fmt::format("nu, na and nout are {}, {} and {}, the actuators need {}, {} and {}", m.nu, m.na,
                                m.nout, next.control, next.activation, next.output));
  }
}

int countMomentEntries(const Model& m) {
  int count = 0;
  for (int i = 0; i < m.nactuator; ++i) {
    const int first = m.actuator_trnid[2 * i], second = m.actuator_trnid[2 * i + 1];
    switch (m.actuator_trntype[i]) {
      case TransmissionType::Joint:
      case TransmissionType::JointInParent:
        count += m.jnt_type[first] == JointType::Free ? 6 : m.jnt_type[first] == JointType::Ball ? 3 : 1;
        break;
      case TransmissionType::Tendon:
        count += m.ten_J_rownnz[first];
        break;
      case TransmissionType::SliderCrank:
      case TransmissionType::Site:
        count += countUnion(m, m.site_bodyid[first], second >= 0 ? m.site_bodyid[second] : 0);
        break;
      case TransmissionType::Body:
        count += m.nv;
        break;
      case TransmissionType::So3:
        count += second >= 0 ? 3 * countUnion(m, m.site_bodyid[first], m.site_bodyid[second]) : 3;
        break;
      case TransmissionType::Undefined:
        break;
    }
  }
  return count;
}

}  // namespace sinew::draft
