#pragma once

#include "constraint/problem.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Rows read as hard constraints on velocities, for the impulse solver.
namespace sinew {

/// efc_aref = the velocity each row shall have after the step: see contact_target.h, but without the share of position
/// errors. Tangents of contacts already have theirs, minus the velocity of the surface. Reads efc_vel, and qacc, the
/// acceleration without constraints.
void setImpulseTargets(const Model& m, Data& d);

/// efc_force = the impulses (N s) of the previous step for rows that have not changed, zero for new ones.
void recallImpulses(const Model& m, Data& d);

/// One island from the impulses in efc_force -> qacc, qfrc_constraint, efc_force (now forces), efc_state.
/// Islands may be solved at the same time.
IslandReport solveImpulses(const Model& m, Data& d, const Island& island, Arena& arena);

}  // namespace sinew
