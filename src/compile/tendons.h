#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Writes tendons and their paths. Needs the tree. tendon_length0 and what follows from it is computed later.
void writeTendons(const Draft& draft, const Names& names, Model& m);

/// Sets nJten and the sparsity pattern of the tendon Jacobians: the dofs of the joints of a fixed tendon, or all dofs
/// that move a body the path of a spatial one touches; growing within a row.
void writeTendonPattern(Model& m);

/// The dofs that move something on tendon t, growing.
std::vector<int> tendonDofs(const Model& m, int t);

}  // namespace sinew::draft
