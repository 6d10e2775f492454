#pragma once

#include <array>

namespace sinew {

using Vector3 = std::array<double, 3>;  ///< x, y, z; world axes unless a name says otherwise

}  // namespace sinew
