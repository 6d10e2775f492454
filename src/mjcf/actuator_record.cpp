#include <fmt/format.h>

#include <numbers>

#include "mjcf/motor_record.h"
#include "mjcf/records.h"
#include "mjcf/value.h"

namespace sinew::mjcf {
namespace {

constexpr Keyword kSetpoints[] = {
    {"pos", input::kPos}, {"vel", input::kVel}, {"ff", input::kForce}, {"voltage", input::kVoltage}};

/// Writes the target the element names; at most one is allowed.
void lowerTarget(ActuatorRecord& r) {
  struct Choice {
    const std::string& name;
    TransmissionType type;
  };
  const Choice choices[] = {{r.joint, TransmissionType::Joint},   {r.jointinparent, TransmissionType::JointInParent},
                            {r.tendon, TransmissionType::Tendon}, {r.cranksite, TransmissionType::SliderCrank},
                            {r.site, TransmissionType::Site},     {r.body, TransmissionType::Body}};
  int named = 0;
  for (const Choice& c : choices) {
    if (c.name.empty()) continue;
    r.target = c.name;
    r.trntype = c.type;
    ++named;
  }
  if (named > 1)
    throw ValueError{"only one of 'joint', 'jointinparent', 'tendon', 'cranksite', 'site' and 'body' may be given"};
  const bool undefined = r.trntype == TransmissionType::Undefined;
  if (!r.slidersite.empty() && r.trntype != TransmissionType::SliderCrank && !undefined)
    throw ValueError{"'slidersite' can only be used with 'cranksite'"};
  if (!r.refsite.empty() && r.trntype != TransmissionType::Site && !undefined)
    throw ValueError{"'refsite' can only be used with 'site'"};
}

void requireNotNegative(const std::optional<double>& value, std::string_view name) {
  if (value && *value < 0) throw ValueError{fmt::format("'{}' cannot be negative, found {}", name, *value)};
}

bool isSet(const spec::Vec2& range) { return range[0] != 0 || range[1] != 0; }

void setGains(spec::Actuator& a, DynType dyn, GainType gain, BiasType bias) {
  a.dyntype = dyn, a.gaintype = gain, a.biastype = bias;
}

/// biasprm[2] of a servo: -kv, or a damping ratio, positive, that the compiler resolves.
void lowerServoDamping(ActuatorRecord& r) {
  if (r.kv && r.dampratio) throw ValueError{"only one of 'kv' and 'dampratio' may be given"};
  requireNotNegative(r.kv, "kv");
  requireNotNegative(r.dampratio, "dampratio");
  if (r.kv) r.biasprm[2] = -*r.kv;
  if (r.dampratio) r.biasprm[2] = *r.dampratio;
}

/// force = kp (ctrl - length) - kv velocity.
void lowerPosition(ActuatorRecord& r, bool integrated) {
  const double kp = r.kp.value_or(r.gainprm[0]);
  r.gainprm[0] = kp;
  r.biasprm[1] = -kp;
  lowerServoDamping(r);
  requireNotNegative(r.timeconst, "timeconst");
  if (r.timeconst) {
    r.dynprm[0] = *r.timeconst;
    r.dyntype = *r.timeconst == 0 ? DynType::None : DynType::FilterExact;
  }
  r.gaintype = GainType::Fixed;
  r.biastype = BiasType::Affine;
  if (integrated) r.dyntype = DynType::Integrator;
  // what is inherited is a range of positions: of the control, or of the activation if the control is a velocity
  if (r.inheritrange > 0 && isSet(integrated ? r.actrange : r.ctrlrange))
    throw ValueError{
        fmt::format("only one of '{}' and 'inheritrange' may be given", integrated ? "actrange" : "ctrlrange")};
}

/// The bits that the words of 'input' stand for: a chart of rotations, nothing, or setpoints in their order.
void lowerInput(ActuatorRecord& r) {
  if (r.inputs.empty()) return;
  if (r.inputs == "expmap") {
    r.input = input::kRotationVector;
  } else if (r.inputs == "quat") {
    r.input = input::kQuaternion;
  } else if (r.inputs == "none") {
    r.input = input::kNone;
  } else {
    try {
      r.input = parseWords(r.inputs, kSetpoints, true);
    } catch (const ValueError& e) {
      throw ValueError{"'input' " + e.message};
    }
  }
}

/// torque = kp log(q^-1 ctrl) - kv w.
void lowerOrientation(ActuatorRecord& r) {
  const double kp = r.kp.value_or(r.gainprm[0]);
  r.gainprm[0] = kp;
  r.biasprm[1] = -kp;
  lowerServoDamping(r);
  setGains(r, DynType::None, GainType::So3, BiasType::So3);
}

/// kp and kv are in the bias alone, ki in the gain, imax and slewmax in the dynamics.
void lowerPid(ActuatorRecord& r) {
  if (r.kp) r.biasprm[1] = -*r.kp;
  lowerServoDamping(r);
  requireNotNegative(r.slewmax, "slewmax");
  const bool inherited = r.dyntype == DynType::Pid;
  const double ki = r.ki.value_or(inherited ? r.gainprm[0] : 0);
  const double slewmax = r.slewmax.value_or(inherited ? r.dynprm[1] : 0);
  if (ki != 0) r.dynprm[0] = r.imax.value_or(inherited ? r.dynprm[0] : 0);
  r.gainprm[0] = ki;
  r.dynprm[1] = slewmax;
  setGains(r, ki != 0 || slewmax != 0 ? DynType::Pid : DynType::None, GainType::Pid, BiasType::Affine);
  if (r.inheritrange > 0 && isSet(r.ctrlrange))
    throw ValueError{"only one of 'posrange' and 'inheritrange' may be given"};
}

void lowerVelocity(ActuatorRecord& r) {
  const double kv = r.kv.value_or(r.gainprm[0]);
  r.biasprm.fill(0);
  r.gainprm[0] = kv;
  r.biasprm[2] = -kv;
  setGains(r, DynType::None, GainType::Fixed, BiasType::Affine);
}

/// force = -kv ctrl velocity.
void lowerDamper(ActuatorRecord& r) {
  const double inherited = r.gaintype == GainType::Affine ? -r.gainprm[2] : 0;
  requireNotNegative(r.kv, "kv");
  if (r.ctrlrange[0] < 0 || r.ctrlrange[1] < 0) throw ValueError{"'ctrlrange' of a damper cannot be negative"};
  const double kv = r.kv.value_or(inherited);
  r.gainprm.fill(0);
  r.gainprm[2] = -kv;
  r.ctrllimited = spec::Tri::True;
  setGains(r, DynType::None, GainType::Affine, BiasType::None);
}

void lowerCylinder(ActuatorRecord& r) {
  if (r.timeconst) r.dynprm[0] = *r.timeconst;
  if (r.bias)
    for (std::size_t i = 0; i < 3; ++i) r.biasprm[i] = (*r.bias)[i];
  if (r.area) r.gainprm[0] = *r.area;
  if (r.diameter && *r.diameter >= 0) r.gainprm[0] = std::numbers::pi / 4 * *r.diameter * *r.diameter;
  setGains(r, DynType::Filter, GainType::Fixed, BiasType::Affine);
}

/// Parameters still at the values of a plain actuator take the muscle's defaults; negative ones count as not given.
void lowerMuscle(ActuatorRecord& r) {
  const auto replace = [](double& value, double plain, double muscle) {
    if (value == plain) value = muscle;
  };
  const auto set = [](double& value, const std::optional<double>& given) {
    if (given && *given >= 0) value = *given;
  };
  constexpr double kStandard[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  replace(r.dynprm[0], 1, 0.01);
  replace(r.dynprm[1], 0, 0.04);
  for (std::size_t i = 0; i < 9; ++i) replace(r.gainprm[i], i == 0 ? 1 : 0, kStandard[i]);
  requireNotNegative(r.tausmooth, "tausmooth");
  if (r.tausmooth) r.dynprm[2] = *r.tausmooth;
  if (r.muscle_timeconst)
    for (std::size_t i = 0; i < 2; ++i) set(r.dynprm[i], (*r.muscle_timeconst)[i]);
  if (r.muscle_range)
    for (std::size_t i = 0; i < 2; ++i) set(r.gainprm[i], (*r.muscle_range)[i]);
  set(r.gainprm[2], r.force);
  set(r.gainprm[3], r.scale);
  set(r.gainprm[4], r.lmin);
  set(r.gainprm[5], r.lmax);
  set(r.gainprm[6], r.vmax);
  set(r.gainprm[7], r.fpmax);
  set(r.gainprm[8], r.fvmax);
  for (std::size_t i = 0; i < 9; ++i) r.biasprm[i] = r.gainprm[i];
  setGains(r, DynType::Muscle, GainType::Muscle, BiasType::Muscle);
}

void lowerAdhesion(ActuatorRecord& r) {
  const double gain = r.gain.value_or(r.gainprm[0]);
  requireNotNegative(gain, "gain");
  if (r.ctrlrange[0] < 0 || r.ctrlrange[1] < 0)
    throw ValueError{"'ctrlrange' of an adhesion actuator cannot be negative"};
  r.gainprm[0] = gain;
  r.ctrllimited = spec::Tri::True;
  setGains(r, r.dyntype, GainType::Fixed, BiasType::None);
}

std::string inputWords(const spec::Actuator& a) {
  if (a.input == 0) return {};
  if (a.input == input::kNone) return "none";
  if (a.gaintype == GainType::So3) return a.input == input::kQuaternion ? "quat" : "expmap";
  return formatWords(a.input, kSetpoints);
}

}  // namespace

spec::Actuator lowerActuator(std::string_view tag, ActuatorRecord record) {
  lowerTarget(record);
  if (tag == "dcmotor" && record.gaintype != GainType::DcMotor) record.input = 0;  // of another kind of actuator
  lowerInput(record);
  if (tag == "motor") {
    record.gainprm[0] = 1;
    setGains(record, DynType::None, GainType::Fixed, BiasType::None);
  } else if (tag == "position") {
    lowerPosition(record, false);
  } else if (tag == "intvelocity") {
    lowerPosition(record, true);
  } else if (tag == "velocity") {
    lowerVelocity(record);
  } else if (tag == "damper") {
    lowerDamper(record);
  } else if (tag == "cylinder") {
    lowerCylinder(record);
  } else if (tag == "muscle") {
    lowerMuscle(record);
  } else if (tag == "adhesion") {
    lowerAdhesion(record);
  } else if (tag == "orientation") {
    lowerOrientation(record);
  } else if (tag == "pid") {
    lowerPid(record);
  } else if (tag == "dcmotor") {
    lowerMotor(record);
  }
  return record;
}

ActuatorRecord raiseActuator(const spec::Actuator& actuator) {
  ActuatorRecord record;
  static_cast<spec::Actuator&>(record) = actuator;
  switch (actuator.trntype) {
    case TransmissionType::Joint:
      record.joint = actuator.target;
      break;
    case TransmissionType::JointInParent:
      record.jointinparent = actuator.target;
      break;
    case TransmissionType::Tendon:
      record.tendon = actuator.target;
      break;
    case TransmissionType::SliderCrank:
      record.cranksite = actuator.target;
      break;
    case TransmissionType::Site:
      record.site = actuator.target;
      break;
    case TransmissionType::Body:
      record.body = actuator.target;
      break;
    case TransmissionType::So3:
    case TransmissionType::Undefined:
      break;
  }
  record.inputs = inputWords(actuator);
  return record;
}

std::string_view raiseServo(ActuatorRecord& r) {
  // what <position> or <intvelocity> would make of these numbers must be the actuator itself
  if (r.inheritrange <= 0) return "general";
  const bool integrated = r.dyntype == DynType::Integrator;
  ActuatorRecord servo;
  servo.kp = r.gainprm[0];
  if (r.biasprm[2] < 0) servo.kv = -r.biasprm[2];
  if (r.biasprm[2] > 0) servo.dampratio = r.biasprm[2];
  if (r.dyntype == DynType::FilterExact) servo.timeconst = r.dynprm[0];
  lowerPosition(servo, integrated);
  const bool same = servo.gainprm == r.gainprm && servo.biasprm == r.biasprm && servo.dynprm == r.dynprm &&
                    servo.dyntype == r.dyntype && servo.gaintype == r.gaintype && servo.biastype == r.biastype &&
                    (integrated || !isSet(r.ctrlrange)) && r.actdim == -1 && !r.actearly &&
                    r.trntype != TransmissionType::Body;
  const bool noAct = !isSet(r.actrange) && (integrated || r.actlimited == spec::Tri::Auto);
  if (!same || !noAct) return "general";
  r.kp = servo.kp, r.kv = servo.kv, r.dampratio = servo.dampratio, r.timeconst = servo.timeconst;
  return integrated ? "intvelocity" : "position";
}

}  // namespace sinew::mjcf
