#pragma once

#include <array>

#include "sinew/data.h"
#include "sinew/model.h"

/// Rows of the constraint problem, built once per step in the order equality, friction loss, limits, contacts.
namespace sinew {

/// Whether the rows of a contact are normal and tangents; otherwise they are the edges of a pyramid. The impulse solver
/// knows Coulomb's cone only.
inline bool conesAreElliptic(const Option& opt) { return opt.cone == Cone::Elliptic || opt.solver == Solver::Impulse; }

/// contacts, limits, equalities -> d.row_*, d.efc_type/id/pos/margin/frictionloss/diagA/KBIP/D/R, d.ne, d.nf, d.nl.
/// Needs kinematics, tendons, massMatrix (for diagexact) and collide().
void buildRows(const Model& m, Data& d);

/// efc_vel = J qvel and the velocities of surfaces and drives, efc_aref = -B efc_vel - K imp (pos - margin) (- dJ/dt v
/// for connect and weld). Needs comVel(). Rows of the impulse solver have no efc_aref; what was added to J qvel is kept
/// in Workspace::row_drive for their targets, see setImpulseTargets().
void referenceAcceleration(const Model& m, Data& d);

/// rows, M, qacc_smooth, qacc_warmstart -> qacc, qfrc_constraint, efc_force, efc_state, d.island. Solves island by
/// island unless that is switched off. Under the impulse solver also qH, qacc_free (see metric()), row_memory ->
/// efc_target, and qacc is what the integrator has to add to qvel, per timestep.
void solveConstraints(const Model& m, Data& d);

/// Impulse solver: row_memory = what the next step starts from, the impulses of this one and of those before. Needs
/// solveConstraints() with the same rows, which has found in row_recall what is remembered of them. [step]
void rememberImpulses(const Model& m, Data& d);

/// Force and torque of a contact in its own frame (normal first) from efc_force: six numbers. contactForce() of
/// sinew/query.h without checks.
std::array<double, 6> forceOfContact(const Model& m, const Data& d, int contact);

/// Adds what rows of equalities exert on flex points, from efc_force: three numbers per point. Needs the positions the
/// rows were built at. Connects count for the nodes they hold.
void addRowForces(const Model& m, Data& d, double* pointForce);

}  // namespace sinew
