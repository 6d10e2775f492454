#pragma once

/// Which activation variables the actuators with several of them have, in which order. Feature by feature, by whether
/// its parameter is positive; -1: the actuator does not have that state.
namespace sinew {

/// States of a dcmotor: dynprm = te, di/dt max, RT, C, Ta, sigma0, sigma1, slew rate, integral limit;
/// gainprm = R, K, alpha, T0, kp, ki, kd, Vmax.
struct MotorStates {
  int slew = -1;         ///< setpoint after its rate has been limited
  int integral = -1;     ///< of the position error
  int temperature = -1;  ///< of the winding, above that of its surroundings
  int bristle = -1;      ///< deflection in the friction model
  int current = -1;      ///< in the winding; always the last
  int count = 0;
};

inline MotorStates motorStates(const double* dynprm, const double* gainprm) {
  MotorStates s;
  if (dynprm[7] > 0) s.slew = s.count++;
  if (gainprm[5] > 0) s.integral = s.count++;
  if (dynprm[2] > 0) s.temperature = s.count++;
  if (dynprm[5] > 0) s.bristle = s.count++;
  if (dynprm[0] > 0) s.current = s.count++;
  return s;
}

/// States of a pid: dynprm = integral limit, slew rate; gainprm = ki.
struct PidStates {
  int slew = -1;      ///< setpoint after its rate has been limited
  int integral = -1;  ///< of the position error
  int count = 0;
};

inline PidStates pidStates(const double* dynprm, const double* gainprm) {
  PidStates s;
  if (dynprm[1] > 0) s.slew = s.count++;
  if (gainprm[0] > 0) s.integral = s.count++;
  return s;
}

}  // namespace sinew
