#include "forces/actuation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "forces/dc_motor.h"
#include "forces/forces.h"
#include "forces/muscle.h"
#include "forces/pid.h"
#include "forces/servo.h"
#include "forces/so3.h"
#include "math/number_checks.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/history.h"
#include "model/workspace.h"

namespace sinew {
namespace {

bool isBad(double x) { return std::isnan(x) || std::abs(x) > kMaxVal; }

/// x within [range[0], range[1]]; NaN stays NaN, so that it is noticed.
double clamped(double x, const double* range) {
  if (x < range[0]) return range[0];
  if (x > range[1]) return range[1];
  return x;
}

/// The controls of this evaluation: copies of d.ctrl, or of what it was a delay ago, clamped. Returns the first bad
/// one, -1 if all are well. Infinity is bad even where clamping would make a number of it.
int clampControls(const Model& m, const Data& d, std::span<double> ctrl) {
  std::copy(d.ctrl.begin(), d.ctrl.end(), ctrl.begin());
  if (m.nhistory > 0) {
    for (int u = 0; u < m.nactuator; ++u) {
      if (m.actuator_delay[u] == 0) continue;
      ctrl[m.actuator_ctrladr[u]] = history::delayedControl(m, d, u);
    }
  }
  constexpr double kLargest = std::numeric_limits<double>::max();
  const bool finite = allWithin(d.ctrl, kLargest) && allWithin(ctrl, kLargest);
  int bad = -1;
  for (int i = 0; i < m.nu && !finite && bad < 0; ++i) {
    if (!std::isfinite(ctrl[i]) || !std::isfinite(d.ctrl[i])) bad = i;
  }
  if (!m.opt.disabled(disable::kClampCtrl)) {
    for (int i = 0; i < m.nu; ++i) {
      double& c = ctrl[i];
      if (m.actuator_ctrllimited[i]) c = clamped(c, &m.actuator_ctrlrange[2 * i]);
    }
  }
  if (allWithin(ctrl, kMaxVal)) return bad;
  const int large = static_cast<int>(std::find_if(ctrl.begin(), ctrl.end(), isBad) - ctrl.begin());
  return bad < 0 ? large : std::min(bad, large);
}

/// The same, all zero if one of them is bad.
void readControls(const Model& m, const Data& d, std::span<double> ctrl) {
  if (clampControls(m, d, ctrl) >= 0) std::fill(ctrl.begin(), ctrl.end(), 0.0);
}

/// act_dot of actuator u, which has activations. Where the rate of a setpoint is limited, `ctrl`, the actuator's
/// controls, receives the setpoint that holds.
void activationRates(const Model& m, Data& d, int u, double* ctrl) {
  const double* prm = &m.actuator_dynprm[10 * u];
  const int last = lastActivation(m, u);
  switch (m.actuator_dyntype[u]) {
    case DynType::Integrator:
      std::copy_n(ctrl, m.actuator_ctrlnum[u], &d.act_dot[last - m.actuator_ctrlnum[u] + 1]);
      break;
    case DynType::Filter:
    case DynType::FilterExact:
      d.act_dot[last] = (*ctrl - d.act[last]) / std::max(kMinVal, prm[0]);
      break;
    case DynType::Muscle:
      d.act_dot[last] = muscle::activationRate(*ctrl, d.act[last], prm);
      break;
    case DynType::Pid:
      pid::activationRates(m, d, u, ctrl);
      break;
    case DynType::DcMotor:
      dcmotor::activationRates(m, d, u, ctrl);
      break;
    case DynType::None:
    case DynType::User:  // without a user
      break;
  }
}

/// What the gain multiplies: the activation of a stateful actuator (that of the next step if it acts early), else the
/// control.
double gainInput(const Model& m, const Data& d, int u, double ctrl) {
  if (m.actuator_actnum[u] == 0) return ctrl;
  const int a = lastActivation(m, u);
  return m.actuator_actearly[u] ? nextActivation(m, d, u, a, d.act_dot[a]) : d.act[a];
}

double affine(const double* prm, double length, double velocity) {
  return prm[0] + prm[1] * length + prm[2] * velocity;
}

/// Gain of an actuator whose force is gain times input plus bias.
double gain(const Model& m, const Data& d, int u) {
  const double* prm = &m.actuator_gainprm[10 * u];
  const int out = m.actuator_outadr[u];
  switch (m.actuator_gaintype[u]) {
    case GainType::Fixed:
      return prm[0];
    case GainType::Affine:
      return affine(prm, d.actuator_length[out], d.actuator_velocity[out]);
    case GainType::Muscle:
      return muscle::gain(m, u, d.actuator_length[out], d.actuator_velocity[out]);
    default:
      return 1;  // user gain without a user
  }
}

double bias(const Model& m, const Data& d, int u) {
  const int out = m.actuator_outadr[u];
  switch (m.actuator_biastype[u]) {
    case BiasType::Affine:
      return affine(&m.actuator_biasprm[10 * u], d.actuator_length[out], d.actuator_velocity[out]);
    case BiasType::Muscle:
      return muscle::bias(m, u, d.actuator_length[out]);
    case BiasType::DcMotor:
      return dcmotor::backEmfForce(m, d, u);
    default:
      return 0;
  }
}

/// gain times input, which for a servo that turns is the setpoint nearest to where it is.
double gainForce(const Model& m, const Data& d, int u, double ctrl) {
  double input = gainInput(m, d, u, ctrl);
  const double period = setpointPeriod(m, u);
  if (period > 0) input = nearestSetpoint(input, d.actuator_length[m.actuator_outadr[u]], period);
  return gain(m, d, u) * input;
}

/// Forces before any limit, one of most actuators, three of one for orientations.
void unlimitedForces(const Model& m, Data& d, std::span<const double> controls) {
  for (int u = 0; u < m.nactuator; ++u) {
    if (actuatorDisabled(m, u) || actuatorAsleep(m, d, u)) continue;
    const double* ctrl = controls.data() + m.actuator_ctrladr[u];
    double* force = &d.actuator_force[m.actuator_outadr[u]];
    switch (m.actuator_gaintype[u]) {
      case GainType::So3:
        so3::torque(m, d, u, ctrl, force);
        break;
      case GainType::Pid:
        *force = pid::force(m, d, u, ctrl) + bias(m, d, u);
        break;
      case GainType::DcMotor:
        *force = dcmotor::drivingForce(m, d, u, ctrl) + bias(m, d, u);
        break;
      default:
        *force = gainForce(m, d, u, *ctrl) + bias(m, d, u);
        break;
    }
  }
}

/// Scales the forces of all actuators on a tendon so that their sum keeps within the tendon's range.
void limitTendonTotals(const Model& m, Data& d) {
  if (m.ntendon == 0) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> total = d.work->arena.zeros<double>(m.ntendon);
  const auto limitedTendon = [&m](int u) {
    if (m.actuator_trntype[u] != TransmissionType::Tendon) return -1;
    const int tendon = m.actuator_trnid[2 * u];
    return m.tendon_actfrclimited[tendon] ? tendon : -1;
  };
  for (int u = 0; u < m.nactuator; ++u) {
    const int tendon = limitedTendon(u);
    if (tendon >= 0) total[tendon] += d.actuator_force[m.actuator_outadr[u]];
  }
  for (int u = 0; u < m.nactuator; ++u) {
    const int tendon = limitedTendon(u);
    if (tendon < 0) continue;
    const double sum = total[tendon];
    const double allowed = clamped(sum, &m.tendon_actfrcrange[2 * tendon]);
    if (sum != 0 && allowed != sum) d.actuator_force[m.actuator_outadr[u]] *= allowed / sum;
  }
}

void limitForces(const Model& m, Data& d) {
  for (int u = 0; u < m.nactuator; ++u) {
    if (!m.actuator_forcelimited[u]) continue;
    double* force = &d.actuator_force[m.actuator_outadr[u]];
    if (m.actuator_gaintype[u] == GainType::So3) {
      so3::limitTorque(m, u, force);
    } else {
      *force = clamped(*force, &m.actuator_forcerange[2 * u]);
    }
  }
}

/// What a motor does besides turning current into torque; no limit of the current bounds it.
void addMechanicalForces(const Model& m, Data& d) {
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_biastype[u] != BiasType::DcMotor || actuatorDisabled(m, u)) continue;
    d.actuator_force[m.actuator_outadr[u]] += dcmotor::mechanicalForce(m, d, u);
  }
}

/// qfrc_actuator = moment' force.
void applyMoments(const Model& m, Data& d) {
  for (int i = 0; i < m.nout; ++i) {
    const double force = d.actuator_force[i];
    if (force == 0) continue;
    const int end = d.moment_rowadr[i] + d.moment_rownnz[i];
    for (int k = d.moment_rowadr[i]; k < end; ++k) d.qfrc_actuator[d.moment_colind[k]] += d.actuator_moment[k] * force;
  }
}

/// Gravity compensation of the joints that count it as the work of their actuators.
void addActuatorGravityCompensation(const Model& m, Data& d) {
  if (m.ngravcomp == 0) return;
  for (int i = 0; i < m.nv_rigid; ++i) {
    if (m.jnt_actgravcomp[m.dof_jntid[i]]) d.qfrc_actuator[i] += d.qfrc_gravcomp[i];
  }
}

void limitJointTotals(const Model& m, Data& d) {
  for (int j = 0; j < m.njnt; ++j) {
    if (!m.jnt_actfrclimited[j]) continue;
    double& force = d.qfrc_actuator[m.jnt_dofadr[j]];
    force = clamped(force, &m.jnt_actfrcrange[2 * j]);
  }
}

}  // namespace

int firstBadControl(const Model& m, Data& d) {
  if (m.nu == 0) return -1;
  const Arena::Scope scope(d.work->arena);
  return clampControls(m, d, d.work->arena.take<double>(m.nu));
}

bool actuatorDisabled(const Model& m, int u) {
  const int group = m.actuator_group[u];
  return group >= 0 && group <= 30 && (m.opt.disableactuator & (1 << group)) != 0;
}

int lastActivation(const Model& m, int u) { return m.actuator_actadr[u] + m.actuator_actnum[u] - 1; }

double nextActivation(const Model& m, const Data& d, int u, int activation, double rate) {
  if (m.actuator_dyntype[u] == DynType::DcMotor) return dcmotor::nextActivation(m, d, u, activation, rate);
  double act = d.act[activation];
  if (m.actuator_dyntype[u] == DynType::FilterExact) {
    // the filter's own solution over the step with the control held: act + rate tau (1 - exp(-h / tau))
    const double tau = std::max(kMinVal, m.actuator_dynprm[10 * u]);
    act += rate * tau * (1 - std::exp(-m.opt.timestep / tau));
  } else {
    act += rate * m.opt.timestep;
  }
  return m.actuator_actlimited[u] ? clamped(act, &m.actuator_actrange[2 * u]) : act;
}

double actuatorVelocitySlope(const Model& m, const Data& d, int u) {
  if (m.actuator_gaintype[u] == GainType::So3) return so3::velocitySlope(m, d, u);
  const int out = m.actuator_outadr[u];
  if (m.actuator_forcelimited[u]) {
    const double* range = &m.actuator_forcerange[2 * u];
    if (d.actuator_force[out] <= range[0] || d.actuator_force[out] >= range[1]) return 0;
  }
  double slope = 0;
  if (m.actuator_biastype[u] == BiasType::Affine) slope = m.actuator_biasprm[10 * u + 2];
  if (m.actuator_biastype[u] == BiasType::DcMotor) slope = dcmotor::backEmfSlope(m, u);

  double gainSlope = 0;
  if (m.actuator_gaintype[u] == GainType::DcMotor) {
    slope += dcmotor::drivingSlope(m, u);
  } else if (m.actuator_gaintype[u] == GainType::Affine) {
    gainSlope = m.actuator_gainprm[10 * u + 2];
  } else if (m.actuator_gaintype[u] == GainType::Muscle) {
    gainSlope = muscle::gainVelocitySlope(m, u, d.actuator_length[out], d.actuator_velocity[out]);
  }
  // the control as given: like the reference engine, without its clamping
  if (gainSlope != 0) slope += gainSlope * gainInput(m, d, u, d.ctrl[m.actuator_ctrladr[u]]);
  return slope;
}

void actuation(const Model& m, Data& d) {
  std::fill(d.actuator_force.begin(), d.actuator_force.end(), 0.0);
  std::fill(d.qfrc_actuator.begin(), d.qfrc_actuator.end(), 0.0);
  if (m.nactuator == 0 || m.opt.disabled(disable::kActuation)) return;

  const Arena::Scope scope(d.work->arena);
  const std::span<double> ctrl = d.work->arena.take<double>(m.nu);
  readControls(m, d, ctrl);
  std::fill(d.act_dot.begin(), d.act_dot.end(), 0.0);
  for (int u = 0; u < m.nactuator; ++u) {  // asleep or not: an activation follows its control, not the body
    if (m.actuator_actadr[u] >= 0) activationRates(m, d, u, ctrl.data() + m.actuator_ctrladr[u]);
  }
  unlimitedForces(m, d, ctrl);
  limitTendonTotals(m, d);
  limitForces(m, d);
  addMechanicalForces(m, d);
  applyMoments(m, d);
  addActuatorGravityCompensation(m, d);
  limitJointTotals(m, d);
}

}  // namespace sinew
