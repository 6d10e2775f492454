#pragma once

#include <string>

namespace sinew::mjcf {

/// The text of docs/support.md: every element and attribute of the attribute table, and whether Sinew supports it.
std::string supportDocument();

}  // namespace sinew::mjcf
