#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Third stage: every force that is not a constraint.
namespace sinew {

/// qfrc = C(q, v) by recursive Newton-Euler, plus M qacc if `acceleration` is not null (nv numbers): the force that
/// gravity and motion demand. Writes nv numbers to `qfrc`; d lends scratch memory only. Needs comVel().
/// [Featherstone 2008, ch. 5]
void newtonEuler(const Model& m, Data& d, const double* acceleration, double* qfrc);

/// qfrc_bias, the tendon-armature term included. Needs comVel(), tendons().
void bias(const Model& m, Data& d);

/// A J (dJ/dt v) summed over tendons with armature A, added to qfrc.
void addTendonArmatureBias(const Model& m, const Data& d, double* qfrc);

/// qfrc_spring, qfrc_damper, qfrc_gravcomp, qfrc_fluid, qfrc_adhesion, qfrc_passive. Needs velocities() and comVel().
void passive(const Model& m, Data& d);

/// act_dot, actuator_force, qfrc_actuator. Needs transmissions(), velocities() and passive().
void actuation(const Model& m, Data& d);

/// Activation variable `activation`, one of actuator `u`, after one step of its own dynamics.
double nextActivation(const Model& m, const Data& d, int u, int activation, double rate);

/// qfrc_smooth = passive - bias + applied + actuator + J'xfrc and qacc_smooth = inv(M) qfrc_smooth, or, if stiffness is
/// implicit, inv(A)(qfrc_smooth - h K v); then also flexA, its factors and qfrc_implicit.
void acceleration(const Model& m, Data& d);

}  // namespace sinew
