#include "forces/actuation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "forces/forces.h"
#include "forces/muscle.h"
#include "math/types.h"
#include "model/awake.h"

namespace sinew {
namespace {

bool isBad(double x) { return std::isnan(x) || std::abs(x) > kMaxVal; }

/// x within [range[0], range[1]]; NaN stays NaN, so that it is noticed.
double clamped(double x, const double* range) {
  if (x < range[0]) return range[0];
  if (x > range[1]) return range[1];
  return x;
}

/// The controls of this evaluation: clamped copies of d.ctrl; all zero if one of them is bad.
void readControls(const Model& m, Data& d, std::span<double> ctrl) {
  const bool clamping = !m.opt.disabled(disable::kClampCtrl);
  for (int u = 0; u < m.nu; ++u) {
    double& c = ctrl[static_cast<std::size_t>(u)];
    c = d.ctrl[u];
    if (clamping && m.actuator_ctrllimited[u]) c = clamped(c, &m.actuator_ctrlrange[2 * u]);
  }
  const auto bad = std::find_if(ctrl.begin(), ctrl.end(), isBad);
  if (bad == ctrl.end()) return;
  d.status.note(Trouble::BadCtrl, static_cast<int>(bad - ctrl.begin()), d.time);
  std::fill(ctrl.begin(), ctrl.end(), 0.0);
}

/// Rate of the last activation variable.
double activationRate(const Model& m, const Data& d, int u, double ctrl) {
  const double* prm = &m.actuator_dynprm[10 * u];
  const double act = d.act[lastActivation(m, u)];
  switch (m.actuator_dyntype[u]) {
    case DynType::Integrator:
      return ctrl;
    case DynType::Filter:
    case DynType::FilterExact:
      return (ctrl - act) / std::max(kMinVal, prm[0]);
    case DynType::Muscle:
      return muscle::activationRate(ctrl, act, prm);
    default:
      return 0;  // user dynamics without a user
  }
}

/// Also of actuators whose trees sleep: an activation follows its control, not the body.
void activationRates(const Model& m, Data& d, std::span<const double> ctrl) {
  for (int u = 0; u < m.nu; ++u) {
    if (m.actuator_actadr[u] < 0) continue;
    std::fill_n(&d.act_dot[m.actuator_actadr[u]], m.actuator_actnum[u], 0.0);
    d.act_dot[lastActivation(m, u)] = activationRate(m, d, u, ctrl[static_cast<std::size_t>(u)]);
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

double gain(const Model& m, const Data& d, int u) {
  const double* prm = &m.actuator_gainprm[10 * u];
  switch (m.actuator_gaintype[u]) {
    case GainType::Fixed:
      return prm[0];
    case GainType::Affine:
      return affine(prm, d.actuator_length[u], d.actuator_velocity[u]);
    case GainType::Muscle:
      return muscle::gain(m, u, d.actuator_length[u], d.actuator_velocity[u]);
    default:
      return 1;  // user gain without a user
  }
}

double bias(const Model& m, const Data& d, int u) {
  switch (m.actuator_biastype[u]) {
    case BiasType::Affine:
      return affine(&m.actuator_biasprm[10 * u], d.actuator_length[u], d.actuator_velocity[u]);
    case BiasType::Muscle:
      return muscle::bias(m, u, d.actuator_length[u]);
    default:
      return 0;
  }
}

/// force = gain input + bias.
void unlimitedForces(const Model& m, Data& d, std::span<const double> ctrl) {
  for (int u = 0; u < m.nu; ++u) {
    if (actuatorDisabled(m, u) || actuatorAsleep(m, d, u)) continue;
    double input = gainInput(m, d, u, ctrl[static_cast<std::size_t>(u)]);
    const double period = setpointPeriod(m, u);
    if (period > 0) input = nearestSetpoint(input, d.actuator_length[u], period);
    d.actuator_force[u] = gain(m, d, u) * input + bias(m, d, u);
  }
}

/// Scales the forces of all actuators on a tendon so that their sum keeps within the tendon's range.
void limitTendonTotals(const Model& m, Data& d) {
  const Arena::Scope scope(d.arena);
  const std::span<double> total = d.arena.zeros<double>(m.ntendon);
  const auto limitedTendon = [&m](int u) {
    if (m.actuator_trntype[u] != TransmissionType::Tendon) return -1;
    const int tendon = m.actuator_trnid[2 * u];
    return m.tendon_actfrclimited[tendon] ? tendon : -1;
  };
  for (int u = 0; u < m.nu; ++u) {
    const int tendon = limitedTendon(u);
    if (tendon >= 0) total[static_cast<std::size_t>(tendon)] += d.actuator_force[u];
  }
  for (int u = 0; u < m.nu; ++u) {
    const int tendon = limitedTendon(u);
    if (tendon < 0) continue;
    const double sum = total[static_cast<std::size_t>(tendon)];
    const double allowed = clamped(sum, &m.tendon_actfrcrange[2 * tendon]);
    if (sum != 0 && allowed != sum) d.actuator_force[u] *= allowed / sum;
  }
}

void limitForces(const Model& m, Data& d) {
  for (int u = 0; u < m.nu; ++u) {
    if (m.actuator_forcelimited[u]) d.actuator_force[u] = clamped(d.actuator_force[u], &m.actuator_forcerange[2 * u]);
  }
}

/// qfrc_actuator = moment' force.
void applyMoments(const Model& m, Data& d) {
  for (int u = 0; u < m.nu; ++u) {
    const double force = d.actuator_force[u];
    if (force == 0) continue;
    const int end = d.moment_rowadr[u] + d.moment_rownnz[u];
    for (int k = d.moment_rowadr[u]; k < end; ++k) d.qfrc_actuator[d.moment_colind[k]] += d.actuator_moment[k] * force;
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

bool actuatorDisabled(const Model& m, int u) {
  const int group = m.actuator_group[u];
  return group >= 0 && group <= 30 && (m.opt.disableactuator & (1 << group)) != 0;
}

int lastActivation(const Model& m, int u) { return m.actuator_actadr[u] + m.actuator_actnum[u] - 1; }

double setpointPeriod(const Model& m, int u) {
  const DynType dynamics = m.actuator_dyntype[u];
  const bool servo = m.actuator_gaintype[u] == GainType::Fixed && m.actuator_biastype[u] == BiasType::Affine &&
                     m.actuator_gainprm[10 * u] == -m.actuator_biasprm[10 * u + 1] &&
                     (dynamics == DynType::None || dynamics == DynType::Integrator);
  if (!servo) return 0;
  const ConstMapVec3 translation(&m.actuator_gear[6 * u]);
  const ConstMapVec3 rotation(&m.actuator_gear[6 * u + 3]);
  switch (m.actuator_trntype[u]) {
    case TransmissionType::Site:
      if (m.actuator_trnid[2 * u + 1] < 0 || !translation.isZero(0)) return 0;
      return 2 * std::numbers::pi * rotation.norm();
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      if (m.jnt_type[m.actuator_trnid[2 * u]] != JointType::Ball) return 0;
      return 2 * std::numbers::pi * translation.norm();  // a ball joint's gear is in the first three numbers
    default:
      return 0;
  }
}

double nearestSetpoint(double setpoint, double length, double period) {
  return setpoint - period * std::round((setpoint - length) / period);
}

double nextActivation(const Model& m, const Data& d, int u, int activation, double rate) {
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
  if (m.actuator_forcelimited[u]) {
    const double* range = &m.actuator_forcerange[2 * u];
    if (d.actuator_force[u] <= range[0] || d.actuator_force[u] >= range[1]) return 0;
  }
  double gainSlope = 0;
  if (m.actuator_gaintype[u] == GainType::Affine) {
    gainSlope = m.actuator_gainprm[10 * u + 2];
  } else if (m.actuator_gaintype[u] == GainType::Muscle) {
    gainSlope = muscle::gainVelocitySlope(m, u, d.actuator_length[u], d.actuator_velocity[u]);
  }
  double slope = m.actuator_biastype[u] == BiasType::Affine ? m.actuator_biasprm[10 * u + 2] : 0;
  // the control as given: like the reference engine, without its clamping
  if (gainSlope != 0) slope += gainSlope * gainInput(m, d, u, d.ctrl[u]);
  return slope;
}

void actuation(const Model& m, Data& d) {
  std::fill(d.actuator_force.begin(), d.actuator_force.end(), 0.0);
  std::fill(d.qfrc_actuator.begin(), d.qfrc_actuator.end(), 0.0);
  if (m.nu == 0 || m.opt.disabled(disable::kActuation)) return;

  const Arena::Scope scope(d.arena);
  const std::span<double> ctrl = d.arena.take<double>(m.nu);
  readControls(m, d, ctrl);
  activationRates(m, d, ctrl);
  unlimitedForces(m, d, ctrl);
  limitTendonTotals(m, d);
  limitForces(m, d);
  applyMoments(m, d);
  addActuatorGravityCompensation(m, d);
  limitJointTotals(m, d);
}

}  // namespace sinew
