#pragma once

#include "sinew/model.h"

namespace sinew::draft {

/// Checks everything that a step relies on: every index in range (model/model_rules.h), addresses and counts that fit
/// together, ids of the kind their type demands, patterns that are those of the tree, finite numbers. A model made by
/// compile() passes; for one read from a file this is what stands between its bytes and the memory. Throws LoadError
/// with the array and the entry. The arrays must have the sizes that the sizes of the model say.
void checkModel(const Model& m);

}  // namespace sinew::draft
