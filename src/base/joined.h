#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sinew {

/// "1, 2.5, 3". fmt::join does the same, but whatever uses it with numbers compiles fmt's conversion of numbers again.
std::string joined(std::span<const double> values, std::string_view separator);

}  // namespace sinew
