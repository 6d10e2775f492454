#pragma once

#include <string_view>

#include "sinew/load.h"

namespace sinew::test {

/// The model that a piece of MJCF describes. Throws LoadError.
Model modelOf(std::string_view mjcf);

}  // namespace sinew::test
