#pragma once

#include <cmath>

/// Indices of cells from coordinates. A conversion of a double that no int holds, or of NaN, is undefined: poses of a
/// diverged state have both.
namespace sinew {

/// floor(x) clamped to [0, last]; 0 for NaN.
inline int floorWithin(double x, int last) { return x >= 1 ? (x < last ? static_cast<int>(x) : last) : 0; }

/// ceil(x) clamped to [0, last]; 0 for NaN.
inline int ceilWithin(double x, int last) { return floorWithin(std::ceil(x), last); }

}  // namespace sinew
