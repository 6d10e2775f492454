#pragma once

#include <array>

#include "sinew/data.h"
#include "sinew/model.h"

/// Rows of the constraint problem, built once per step in the order equality, friction loss, limits, contacts.
namespace sinew {

/// contacts, limits, equalities -> d.row_*, d.efc_type/id/pos/margin/frictionloss/diagA/KBIP/D/R, d.ne, d.nf, d.nl.
/// Needs kinematics, tendons, massMatrix (for diagexact) and collide().
void buildRows(const Model& m, Data& d);

/// efc_vel = J qvel, efc_aref = -B efc_vel - K imp (pos - margin) (- dJ/dt v for connect and weld). Needs comVel().
void referenceAcceleration(const Model& m, Data& d);

/// rows, M, qacc_smooth, qacc_warmstart -> qacc, qfrc_constraint, efc_force, efc_state, d.solver. Solves island by
/// island unless that is switched off.
void solveConstraints(const Model& m, Data& d);

/// Force and torque of a contact in its own frame (normal first) from efc_force: six numbers.
std::array<double, 6> contactForce(const Model& m, const Data& d, int contact);

/// Adds what rows of equalities exert on flex points, from efc_force: three numbers per point. Needs the positions the
/// rows were built at. Connects count for the nodes they hold.
void addRowForces(const Model& m, Data& d, double* pointForce);

}  // namespace sinew
