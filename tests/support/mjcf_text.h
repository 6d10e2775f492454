#pragma once

#include <string>
#include <string_view>

#include "sinew/load.h"

namespace sinew::test {

/// The model that a piece of MJCF describes. LoadErrors end the test with their message.
inline Model modelOf(std::string_view mjcf) { return compile(readMjcfText(mjcf)); }

}  // namespace sinew::test
