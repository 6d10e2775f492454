#pragma once

#include <string>
#include <vector>

#include "sinew/model.h"

namespace sinew::cli {

/// What in the model asks for constraint forces and is not disabled: "4 joint limits", "contacts between geoms", ...
/// This version of the engine computes motion without them.
std::vector<std::string> constraintsInUse(const Model& m);

/// The sentence for standard error about constraintsInUse(), empty if there are none.
std::string constraintWarning(const Model& m);

}  // namespace sinew::cli
