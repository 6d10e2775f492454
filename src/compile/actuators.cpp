#include "compile/actuators.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/place.h"
#include "compile/rows.h"
#include "compile/tendons.h"

namespace sinew::draft {
namespace {

void rejectUnsupported(const spec::Actuator& a, const Place& place) {
  if (a.gaintype == GainType::So3 || a.biastype == BiasType::So3 || a.trntype == TransmissionType::So3) {
    place.fail("an orientation (so3) actuator is not supported");
  }
  if (a.gaintype == GainType::Pid || a.dyntype == DynType::Pid) place.fail("a pid actuator is not supported");
  if (a.gaintype == GainType::DcMotor || a.biastype == BiasType::DcMotor || a.dyntype == DynType::DcMotor) {
    place.fail("a dcmotor actuator is not supported");
  }
  if (a.gaintype == GainType::User || a.biastype == BiasType::User || a.dyntype == DynType::User) {
    place.fail("gaintype, biastype or dyntype \"user\" is not supported: there are no callbacks");
  }
  if (a.nsample > 0 || a.delay > 0) place.fail("'delay' and 'nsample' are not supported");
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
  place.fail("this transmission is not supported");
}

/// Servos (gain = -bias stiffness) may take their range from the target: mean +- ratio * half width, in ctrlrange for
/// position servos, in actrange for integrated velocity.
void inheritRange(const spec::Actuator& a, int target, const Model& m, const Place& place, spec::Vec2& ctrlrange,
                  spec::Vec2& actrange) {
  const bool isServo = a.gaintype == GainType::Fixed && a.biastype == BiasType::Affine && a.gainprm[0] == -a.biasprm[1];
  if (!(a.inheritrange > 0) || !isServo) return;
  spec::Vec2* range = nullptr;
  if (a.dyntype == DynType::None || a.dyntype == DynType::FilterExact) range = &ctrlrange;
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

void checkReflected(const spec::Actuator& a, const Place& place) {
  if (isJoint(a.trntype) || a.trntype == TransmissionType::Tendon) return;
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

void writeActuator(const spec::Actuator& a, const spec::Compiler& compiler, const Names& names, int id, int activation,
                   Model& m) {
  const Place place = placeOf(a);
  rejectUnsupported(a, place);
  const std::array<int, 2> target = resolveTarget(a, names, place);
  checkReflected(a, place);
  if (a.gaintype == GainType::Muscle) checkMuscle(a.gainprm, place);
  if (a.biastype == BiasType::Muscle) checkMuscle(a.biasprm, place);

  spec::Vec2 ctrlrange = a.ctrlrange, actrange = a.actrange;
  inheritRange(a, target[0], m, place, ctrlrange, actrange);
  m.actuator_ctrllimited[id] = limitedTo(a.ctrllimited, ctrlrange, compiler, place, "ctrl");
  m.actuator_forcelimited[id] = limitedTo(a.forcelimited, a.forcerange, compiler, place, "force");
  m.actuator_actlimited[id] = limitedTo(a.actlimited, actrange, compiler, place, "act");
  const int activations = numActivations(a);
  if (m.actuator_actlimited[id] && activations == 0) place.fail("'actrange' is given, but the actuator has no state");

  m.actuator_trntype[id] = a.trntype;
  m.actuator_dyntype[id] = a.dyntype;
  m.actuator_gaintype[id] = a.gaintype;
  m.actuator_biastype[id] = a.biastype;
  putRow(m.actuator_trnid, id, target);
  m.actuator_actadr[id] = activations > 0 ? activation : -1;
  m.actuator_actnum[id] = activations;
  m.actuator_group[id] = a.group;
  m.actuator_historyadr[id] = -1;
  putRow(m.actuator_dynprm, id, a.dynprm);
  putRow(m.actuator_gainprm, id, a.gainprm);
  putRow(m.actuator_biasprm, id, a.biasprm);
  m.actuator_actearly[id] = a.actearly;
  putRow(m.actuator_ctrlrange, id, ctrlrange);
  putRow(m.actuator_forcerange, id, a.forcerange);
  putRow(m.actuator_actrange, id, actrange);
  putRow(m.actuator_gear, id, a.gear);
  m.actuator_cranklength[id] = a.cranklength;
  putPolynomial(m.actuator_damping, m.actuator_dampingpoly, id, a.damping);
  m.actuator_armature[id] = a.armature;
  putRow(m.actuator_lengthrange, id, a.lengthrange);
  putUser(m.actuator_user, id, m.nuser_actuator, a.user);
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

int numActivations(const spec::Actuator& a) {
  const Place place = placeOf(a);
  const bool stateful = a.dyntype != DynType::None;
  if (a.actdim > 1) place.fail("'actdim' above 1 is not supported: it belongs to user dynamics");
  if (a.actdim == 1 && !stateful) place.fail("actdim=\"1\" needs activation dynamics, but dyntype is none");
  if (a.actdim == 0 && stateful) place.fail("actdim=\"0\" contradicts the activation dynamics");
  return stateful ? 1 : 0;
}

void writeActuators(const Draft& draft, const Names& names, Model& m) {
  int activation = 0;
  for (int i = 0; i < m.nu; ++i) {
    const spec::Actuator& actuator = draft.spec->actuators[static_cast<std::size_t>(i)];
    writeActuator(actuator, draft.compiler(), names, i, activation, m);
    activation += m.actuator_actnum[i];
  }
}

int countMomentEntries(const Model& m) {
  int count = 0;
  for (int i = 0; i < m.nu; ++i) {
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
      case TransmissionType::Undefined:
        break;
    }
  }
  return count;
}

}  // namespace sinew::draft
