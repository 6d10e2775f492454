#pragma once

#include <cmath>

/// What collisions and hard contacts have to agree on.
namespace sinew {

/// Gap below which a hard contact already has a row: bodies that would cross it in one step are stopped at the surface.
inline constexpr double kSpeculativeDistance = 0.01;

/// Restitution of two bodies from those of each: the geometric mean.
inline double combineRestitution(double eA, double eB) { return std::sqrt(eA * eB); }

}  // namespace sinew
