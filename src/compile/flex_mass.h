#pragma once

#include <vector>

#include "math/types.h"

namespace sinew::draft {

/// Length, area or volume of the element with these dim + 1 corners.
double measureOf(int dim, const std::vector<Vec3>& points, const int* element);

/// Each element's mass in equal parts to its corners: density (kg/m) times length, density times thickness times area,
/// density times volume. A thickness that is not positive counts as kDefaultThickness.
inline constexpr double kDefaultThickness = 0.001;
std::vector<double> lumpedMasses(int dim, double density, double thickness, const std::vector<Vec3>& points,
                                 const std::vector<int>& elements);

}  // namespace sinew::draft
