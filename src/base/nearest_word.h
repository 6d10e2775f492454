#pragma once

#include <span>
#include <string_view>

namespace sinew {

/// Of `candidates`, the one most like `word`, or empty if none is near: for "did you mean". Ties: the first.
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace sinew
