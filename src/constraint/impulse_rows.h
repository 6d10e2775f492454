#pragma once

#include "base/arena.h"
#include "constraint/problem.h"
#include "sinew/data.h"
#include "sinew/model.h"
#include "solve/impulse_space.h"

/// Rows read as hard constraints on velocities, for the impulse solver.
namespace sinew {

/// efc_target = the velocity J v+ each row shall have after the step: see contact_target.h. Reads efc_vel, row_drive
/// and qacc_free, the acceleration without constraints.
void setImpulseTargets(const Model& m, Data& d);

/// row_impulse = the impulses of the previous step for rows that have not changed, zero for new ones.
void recallImpulses(const Model& m, Data& d);

/// Metric, rows and velocities in the numbering of Data, for all islands of a step at once: there are no copies to be
/// made for each of them. For kinematic trees alone, whose metric has as many parts as there are trees.
class SharedImpulses {
 public:
  SharedImpulses(const Model& m, const Data& d, Arena& arena);
  SharedImpulses(const SharedImpulses&) = delete;  // the problem points into this
  SharedImpulses& operator=(const SharedImpulses&) = delete;

  const solve::ConstraintProblem& problem() const { return problem_; }
  solve::ImpulseSpace& space() { return space_; }

 private:
  solve::TreeMetric trees_;
  solve::ImpulseSpace space_;
  solve::ConstraintProblem problem_;
};

/// One island from the impulses in row_impulse -> qacc, qfrc_constraint, efc_force, efc_state, row_impulse.
/// Islands may be solved at the same time. `shared` is needed by islands that are solved by sweeps: method="sweep".
IslandReport solveImpulses(const Model& m, Data& d, const Island& island, SharedImpulses* shared, Arena& arena);

}  // namespace sinew
