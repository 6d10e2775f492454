#pragma once

#include <array>
#include <vector>

#include "compile/place.h"
#include "sinew/spec.h"

namespace sinew::draft {

/// A regular arrangement of points by which pins may be given.
struct PinGrid {
  bool present = false;
  int dim = 2;
  std::array<int, 3> count{1, 1, 1};
};

/// Sets the entries of `pinned` that the pins name: ids, ranges (first and last), grid places and ranges of them.
/// Throws LoadError at the pin, with the offending number.
void markPins(const std::vector<spec::FlexPin>& pins, const PinGrid& grid, std::vector<char>& pinned);

}  // namespace sinew::draft
