#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Keeps what the solver has found from taking colliders through each other within the step (<option speculative>).
/// Contacts that would end too deep become hard, contacts are added where the motion meets something that has none, and
/// the rows are built and solved again, until nothing passes. Does nothing in steps in which nothing would.
///
/// qacc -> contact, row_*, efc_*, qacc, qfrc_constraint, island. Needs solveConstraints(). Not under RK4, whose stages
/// are not where a step ends.
void stopPassing(const Model& m, Data& d);

}  // namespace sinew
