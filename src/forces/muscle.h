#pragma once

#include "sinew/model.h"

/// The muscle actuator of MJCF: force-length and force-velocity curves and activation dynamics, as pure functions.
/// Lengths are in units of the optimal resting length L0, velocities in L0 vmax per second.
namespace sinew::muscle {

/// Active force-length curve: 1 at length 1, zero outside [lmin, lmax], piecewise quadratic between.
double forceLength(double length, double lmin, double lmax);

/// Force-velocity curve (negative velocity is shortening): 0 below -1, 1 at rest, fvmax above fvmax - 1. And its slope.
double forceVelocity(double velocity, double fvmax);
double forceVelocitySlope(double velocity, double fvmax);

/// Passive force-length curve: zero up to 1, quadratic to (1 + lmax) / 2, linear beyond; fpmax / 2 at the joint.
double passiveForce(double length, double lmax, double fpmax);

/// Force per activation of actuator `u` at a transmission length (m) and velocity (m/s), and d gain / d velocity.
/// Negative, because muscles pull.
double gain(const Model& m, int u, double length, double velocity);
double gainVelocitySlope(const Model& m, int u, double length, double velocity);

/// Passive force of actuator `u` at a transmission length.
double bias(const Model& m, int u, double length);

/// Rate of the activation. `dynprm` = time constants of activation and deactivation, width of smooth switching.
/// Time constants vary with activation as in [Millard 2013].
double activationRate(double ctrl, double act, const double* dynprm);

}  // namespace sinew::muscle
