#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The dcmotor actuator: a winding of resistance R and inductance L with the motor constant K (torque per current and
/// voltage per speed), with speed w and voltage V
///   L i' = V - K w - R i,   torque = K i,   without inductance i = (V - K w) / R.
/// Each of these is there if its parameter is: a controller between setpoint and voltage, heating
/// C T' = R i^2 - T / RT with R growing with the temperature, cogging A sin(N q + phi), and LuGre friction
/// [Canudas de Wit et al. 1995]: bristles of deflection z, z' = w - s0 |w| z / g(w), brake with s0 z + s1 z', where
/// g(w) = Fc + (Fs - Fc) exp(-(w / ws)^2). Parameters: see MotorStates.
namespace sinew::dcmotor {

/// act_dot of actuator `u`, which has states. A limited rate of the setpoint replaces that in `ctrl`, the actuator's
/// controls.
void activationRates(const Model& m, Data& d, int u, double* ctrl);

/// Torque of the current that the voltage drives, K i or K V / R, before any limit.
double drivingForce(const Model& m, const Data& d, int u, const double* ctrl);

/// -K^2 w / R, what the voltage induced by motion takes away; 0 if the current is a state, which contains it.
double backEmfForce(const Model& m, const Data& d, int u);

/// Cogging and friction, which no limit of the current touches. Needs activationRates().
double mechanicalForce(const Model& m, const Data& d, int u);

/// State variable `activation` after one step: current and bristle by their own solutions with speed and voltage held,
/// the others by Euler.
double nextActivation(const Model& m, const Data& d, int u, int activation, double rate);

/// d drivingForce / dw with the friction's micro-damping, at the resistance of the reference temperature. Like the
/// reference engine it does not see a limited voltage.
double drivingSlope(const Model& m, int u);

/// d backEmfForce / dw.
double backEmfSlope(const Model& m, int u);

}  // namespace sinew::dcmotor
