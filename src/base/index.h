#pragma once

#include <cstddef>

namespace sinew {

/// A number of int, by which models count, as an index of a container.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace sinew
