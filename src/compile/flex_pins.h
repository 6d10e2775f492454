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

/// What holds a point: 0 nothing, k + 1 the k-th pin of its flex, kHeld something else than a pin.
using Pinned = std::vector<int>;
inline constexpr int kHeld = -1;

/// Sets the entries of `pinned` that the pins name: ids, ranges (first and last), grid places and ranges of them. The
/// last pin that names a point holds it. Throws LoadError at the pin, with the offending number.
void markPins(const std::vector<spec::FlexPin>& pins, const PinGrid& grid, Pinned& pinned);

/// The pin behind an entry of `pinned`, null if there is none.
inline const spec::FlexPin* pinOf(const spec::FlexBase& flex, int entry) {
  return entry > 0 ? &flex.pins[static_cast<std::size_t>(entry) - 1] : nullptr;
}

/// Whether two points are held, and by the same body.
bool heldTogether(const spec::FlexBase& flex, int entry1, int entry2);

}  // namespace sinew::draft
