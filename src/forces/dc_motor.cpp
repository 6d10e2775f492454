#include "forces/dc_motor.h"

#include <algorithm>
#include <cmath>

#include "forces/forces.h"
#include "forces/servo.h"
#include "math/types.h"
#include "model/actuator_states.h"

namespace sinew::dcmotor {
namespace {

constexpr int kControllerInputs = input::kPos | input::kVel | input::kForce;

/// The parameters, unpacked.
struct Motor {
  double R, K;                         // resistance at the reference temperature, motor constant
  double heating, T0;                  // relative growth of R per degree above T0
  double kp, ki, kd, maxVoltage;       // controller
  double te, maxCurrentRate;           // electrical time constant L / R, 0: no inductance
  double RT, C, Ta;                    // thermal resistance, capacity, temperature of the surroundings
  double slewRate, integralLimit;      // controller
  double s0, s1;                       // bristle stiffness and damping
  double cogging, periods, phase;      // amplitude, periods per unit of length, phase
  double coulomb, stiction, stribeck;  // friction forces at speed and at rest, speed of the transition
  MotorStates states;

  Motor(const Model& m, int u) {
    const double* gain = &m.actuator_gainprm[10 * u];
    const double* dyn = &m.actuator_dynprm[10 * u];
    const double* bias = &m.actuator_biasprm[10 * u];
    R = gain[0], K = gain[1], heating = gain[2], T0 = gain[3];
    kp = gain[4], ki = gain[5], kd = gain[6], maxVoltage = gain[7];
    te = dyn[0], maxCurrentRate = dyn[1], RT = dyn[2], C = dyn[3], Ta = dyn[4];
    s0 = dyn[5], s1 = dyn[6], slewRate = dyn[7], integralLimit = dyn[8];
    cogging = bias[0], periods = bias[1], phase = bias[2], coulomb = bias[3], stiction = bias[4], stribeck = bias[5];
    states = motorStates(dyn, gain);
  }

  /// Resistance at `rise` degrees above the surroundings.
  double hotResistance(double rise) const { return R * (1 + heating * (rise + Ta - T0)); }

  /// Voltage at the terminals. The controller asks for a torque; the voltage R torque / K makes the current for it, and
  /// K w makes up for what motion induces. The voltage input comes on top, past the controller's limit.
  double voltage(const double* ctrl, int inputs, double length, double velocity, double integral) const {
    const ServoInput in = servoInput(ctrl, inputs);
    if ((inputs & kControllerInputs) == 0) return in.voltage;
    const double torque = kp * (in.pos - length) + kd * (in.vel - velocity) + ki * integral + in.force;
    double result = R / K * torque + K * velocity;
    if (maxVoltage > 0) result = std::min(std::max(result, -maxVoltage), maxVoltage);
    return result + in.voltage;
  }

  /// a(w) of the bristles, z' = a z + w: how fast they forget.
  double bristleDecay(double velocity) const {
    const double ratio = velocity / std::max(kMinVal, stribeck);
    const double g = coulomb + (stiction - coulomb) * std::exp(-ratio * ratio);
    return -s0 * std::abs(velocity) / std::max(kMinVal, g);
  }
};

/// Resistance at the present temperature, never zero.
double presentResistance(const Model& m, const Data& d, int u, const Motor& motor) {
  const int temperature = motor.states.temperature;
  const double R = temperature >= 0 ? motor.hotResistance(d.act[m.actuator_actadr[u] + temperature]) : motor.R;
  return std::max(kMinVal, R);
}

}  // namespace

void activationRates(const Model& m, Data& d, int u, double* ctrl) {
  const Motor motor(m, u);
  const MotorStates& states = motor.states;
  const int out = m.actuator_outadr[u];
  const double length = d.actuator_length[out], velocity = d.actuator_velocity[out];
  const double* act = &d.act[m.actuator_actadr[u]];
  double* rate = &d.act_dot[m.actuator_actadr[u]];

  if (states.slew >= 0) {
    const double before = act[states.slew], h = m.opt.timestep;
    *ctrl = slewLimited(*ctrl, before, motor.slewRate * h);
    rate[states.slew] = (*ctrl - before) / h;
  }
  double integral = 0;
  if (states.integral >= 0) {
    integral = act[states.integral];
    rate[states.integral] = integralRate(*ctrl - length, integral, motor.integralLimit);
  }
  const double V = motor.voltage(ctrl, m.actuator_ctrlspec[u], length, velocity, integral);
  double R = motor.R;
  if (states.temperature >= 0) {
    const double rise = act[states.temperature];
    R = motor.hotResistance(rise);
    const double current = states.current >= 0 ? act[states.current] : (V - motor.K * velocity) / R;
    rate[states.temperature] = (R * current * current - rise / motor.RT) / motor.C;
  }
  if (states.bristle >= 0) rate[states.bristle] = motor.bristleDecay(velocity) * act[states.bristle] + velocity;
  if (states.current >= 0) {
    double& currentRate = rate[states.current];
    currentRate = (V / R - motor.K / R * velocity - act[states.current]) / motor.te;
    const double most = motor.maxCurrentRate;
    if (most > 0) currentRate = std::min(std::max(currentRate, -most), most);
  }
}

double drivingForce(const Model& m, const Data& d, int u, const double* ctrl) {
  const Motor motor(m, u);
  const int first = m.actuator_actadr[u], out = m.actuator_outadr[u];
  if (motor.states.current >= 0) {
    const int a = first + motor.states.current;
    return motor.K * (m.actuator_actearly[u] ? sinew::nextActivation(m, d, u, a, d.act_dot[a]) : d.act[a]);
  }
  if (m.actuator_ctrlnum[u] == 0) return 0;
  const double integral = motor.states.integral >= 0 ? d.act[first + motor.states.integral] : 0;
  const double V =
      motor.voltage(ctrl, m.actuator_ctrlspec[u], d.actuator_length[out], d.actuator_velocity[out], integral);
  return motor.K / presentResistance(m, d, u, motor) * V;
}

double backEmfForce(const Model& m, const Data& d, int u) {
  const Motor motor(m, u);
  if (motor.states.current >= 0) return 0;
  return -motor.K / presentResistance(m, d, u, motor) * motor.K * d.actuator_velocity[m.actuator_outadr[u]];
}

double mechanicalForce(const Model& m, const Data& d, int u) {
  const Motor motor(m, u);
  double force = 0;
  if (motor.cogging != 0) {
    force += motor.cogging * std::sin(motor.periods * d.actuator_length[m.actuator_outadr[u]] + motor.phase);
  }
  if (motor.states.bristle >= 0) {
    const int a = m.actuator_actadr[u] + motor.states.bristle;
    force -= motor.s0 * d.act[a] + motor.s1 * d.act_dot[a];
  }
  return force;
}

double nextActivation(const Model& m, const Data& d, int u, int activation, double rate) {
  const Motor motor(m, u);
  const double h = m.opt.timestep, act = d.act[activation];
  const int state = activation - m.actuator_actadr[u];
  if (state == motor.states.current) {
    return act + rate * motor.te * (1 - std::exp(-h / motor.te));  // i' = (i_end - i) / te with i_end held
  }
  if (state == motor.states.bristle) {
    // z' = a z + w with a and w held
    const double velocity = d.actuator_velocity[m.actuator_outadr[u]];
    const double a = motor.bristleDecay(velocity), decay = std::exp(a * h);
    return decay * act + (std::abs(a) > kMinVal ? (decay - 1) / a : h) * velocity;
  }
  const double next = act + rate * h;
  if (state == motor.states.integral && motor.integralLimit > 0) {
    return std::min(std::max(next, -motor.integralLimit), motor.integralLimit);
  }
  return next;
}

double drivingSlope(const Model& m, int u) {
  const Motor motor(m, u);
  const double R = std::max(kMinVal, motor.R);
  // dV/dw of the controller
  const bool controlled = (m.actuator_ctrlspec[u] & kControllerInputs) != 0;
  const double voltageSlope = controlled ? motor.K - motor.kd * R / motor.K : 0;
  double slope = 0;
  if (motor.states.current >= 0) {
    // the force is made of the current after the step, which has taken this share of the way to its end
    const double share = 1 - std::exp(-m.opt.timestep / motor.te);
    slope = motor.K * (voltageSlope - motor.K) * share / R;
  } else {
    slope = motor.K * voltageSlope / R;
  }
  return slope - std::max(0.0, motor.s1);
}

double backEmfSlope(const Model& m, int u) {
  const Motor motor(m, u);
  return motor.states.current >= 0 ? 0 : -motor.K * motor.K / std::max(kMinVal, motor.R);
}

}  // namespace sinew::dcmotor
