#include "forces/pid.h"

#include "forces/forces.h"
#include "forces/servo.h"
#include "model/actuator_states.h"

namespace sinew::pid {
namespace {

PidStates statesOf(const Model& m, int u) { return pidStates(&m.actuator_dynprm[10 * u], &m.actuator_gainprm[10 * u]); }

}  // namespace

void activationRates(const Model& m, Data& d, int u, double* ctrl) {
  const PidStates states = statesOf(m, u);
  const double* prm = &m.actuator_dynprm[10 * u];
  const double* act = &d.act[m.actuator_actadr[u]];
  double* rate = &d.act_dot[m.actuator_actadr[u]];
  const double period = setpointPeriod(m, u);
  const double h = m.opt.timestep;

  if (states.slew >= 0) {
    const double before = act[states.slew];
    const double wanted = period > 0 ? nearestSetpoint(*ctrl, before, period) : *ctrl;
    *ctrl = slewLimited(wanted, before, prm[1] * h);
    rate[states.slew] = (*ctrl - before) / h;
  }
  if (states.integral >= 0) {
    double error = *ctrl - d.actuator_length[m.actuator_outadr[u]];
    if (period > 0) error = nearestSetpoint(error, 0, period);
    rate[states.integral] = integralRate(error, act[states.integral], prm[0]);
  }
}

double force(const Model& m, const Data& d, int u, const double* ctrl) {
  const double kp = -m.actuator_biasprm[10 * u + 1], kv = -m.actuator_biasprm[10 * u + 2];
  ServoInput in = servoInput(ctrl, m.actuator_ctrlspec[u]);
  const double period = setpointPeriod(m, u);
  if (period > 0) in.pos = nearestSetpoint(in.pos, d.actuator_length[m.actuator_outadr[u]], period);
  const double result = kp * in.pos + kv * in.vel + in.force;

  const int integral = statesOf(m, u).integral;
  if (m.actuator_actnum[u] == 0 || integral < 0) return result;
  const int a = m.actuator_actadr[u] + integral;
  const double z = m.actuator_actearly[u] ? nextActivation(m, d, u, a, d.act_dot[a]) : d.act[a];
  return result + m.actuator_gainprm[10 * u] * z;
}

}  // namespace sinew::pid
