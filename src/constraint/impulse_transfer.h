#pragma once

#include <span>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Numbers of things in another model, by their number in this one; -1: they are not there.
struct ModelRenumbering {
  std::span<const int> geom, flex, equality, joint, tendon;
};

/// Impulses remembered from the last step of `d`, as the first step of `target` will look for them: the same contacts,
/// limits and equalities under the numbers they have in the model `to`. Fills target.row_memory.
void transferImpulses(const Model& m, const Data& d, const ModelRenumbering& numbers, const Model& to, Data& target);

}  // namespace sinew
