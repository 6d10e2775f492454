#pragma once

#include <array>
#include <span>
#include <vector>

#include "math/types.h"

namespace sinew::draft {

/// Which cells of the interpolation grid hold nothing of the flex, cell (i, j, k) at (i ny + j) nz + k. `unit` are
/// vertices in unit coordinates of the grid, `elements` dim + 1 of them each. A cell that the box around an element
/// touches is not empty; the inside of a closed surface (dim 2), which no outer cell reaches through empty ones, is not
/// empty either.
std::vector<char> emptyCells(const std::array<int, 3>& cells, int dim, std::span<const Vec3> unit,
                             std::span<const int> elements);

}  // namespace sinew::draft
