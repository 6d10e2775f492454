#pragma once

#include <string>
#include <vector>

#include "sinew/model.h"

namespace sinew::cli {

/// What in the model asks for constraint forces and is not disabled: "4 joint limits", "contacts between geoms", ...
std::vector<std::string> constraintsInUse(const Model& m);

}  // namespace sinew::cli
