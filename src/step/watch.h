#pragma once

#include <span>

#include "model/workspace.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Trouble that no single number shows; docs/trouble.md has the rules. All of it reads what a step computes and writes
/// d.status and d.work->watch alone.
namespace sinew {

/// The deepest contact and the largest errors of equalities so far, and contacts that are deeper than one of the two is
/// thick (TooDeep). Needs the rows; comes after watchEnergy(), which notices that a state is new.
void noteViolations(const Model& m, Data& d);

/// Whether the solver converges (Unconverged). Needs solveConstraints().
void watchSolver(const Model& m, Data& d);

/// Measures the energy now and then and compares it with what can be explained (Energy). Needs the state to be
/// evaluated; comes before it is integrated.
void watchEnergy(const Model& m, Data& d);

/// Adds the work of a step to what can be explained: of actuators, applied forces, fluids and whatever else acts from
/// outside. `before` is qvel before the step; comes after it.
void addWork(const Model& m, Data& d, std::span<const double> before);

}  // namespace sinew
