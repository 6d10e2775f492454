#pragma once

#include "compile/draft.h"
#include "sinew/model.h"

namespace sinew::draft {

/// How many joints of cables there are.
int countCables(const Draft& draft);

/// Stiffness of the joints of cables, by the sections of their bodies. Needs the joints and geoms of the Model.
void writeCables(const Draft& draft, Model& m);

}  // namespace sinew::draft
