#include "compile/flex_pins.h"

#include <fmt/format.h>

namespace sinew::draft {
namespace {

void requireMultiple(const std::vector<int>& list, int each, const char* attribute, const Place& place) {
  if (list.size() % static_cast<std::size_t>(each) != 0) {
    place.fail(fmt::format("'{}' needs a multiple of {} numbers, found {}", attribute, each, list.size()));
  }
}

void requireInside(int value, int count, const char* attribute, const Place& place) {
  if (value < 0 || value >= count) {
    place.fail(fmt::format("'{}' must be between 0 and {}, found {}", attribute, count - 1, value));
  }
}

void requireOrder(const int* low, const int* high, int n, const char* attribute, const Place& place) {
  for (int k = 0; k < n; ++k) {
    if (low[k] > high[k]) place.fail(fmt::format("'{}' must not fall, found {} to {}", attribute, low[k], high[k]));
  }
}

/// Marks the box of grid places between two corners, both included.
void markBox(const PinGrid& grid, const int* low, const int* high, int pin, Pinned& pinned) {
  const auto from = [&](int k) { return k < grid.dim ? low[k] : 0; };
  const auto to = [&](int k) { return k < grid.dim ? high[k] : 0; };
  for (int i = from(0); i <= to(0); ++i) {
    for (int j = from(1); j <= to(1); ++j) {
      for (int k = from(2); k <= to(2); ++k) {
        pinned[(i * grid.count[1] + j) * grid.count[2] + k] = pin;
      }
    }
  }
}

}  // namespace

void markPins(const std::vector<spec::FlexPin>& pins, const PinGrid& grid, Pinned& pinned) {
  const int n = static_cast<int>(pinned.size());
  int number = 0;
  for (const spec::FlexPin& pin : pins) {
    ++number;
    const Place place(pin.origin, "pin", "");
    for (const int id : pin.id) {
      requireInside(id, n, "id", place);
      pinned[id] = number;
    }
    requireMultiple(pin.range, 2, "range", place);
    for (std::size_t i = 0; i < pin.range.size(); i += 2) {
      requireInside(pin.range[i], n, "range", place);
      requireInside(pin.range[i + 1], n, "range", place);
      requireOrder(&pin.range[i], &pin.range[i + 1], 1, "range", place);
      for (int k = pin.range[i]; k <= pin.range[i + 1]; ++k) pinned[k] = number;
    }
    if (pin.grid.empty() && pin.gridrange.empty()) continue;
    if (!grid.present || grid.dim == 1) {
      place.fail("'grid' and 'gridrange' are for flexcomps of type grid with dim 2 or 3, or with interpolation");
    }
    const std::size_t d = static_cast<std::size_t>(grid.dim);
    requireMultiple(pin.grid, grid.dim, "grid", place);
    requireMultiple(pin.gridrange, 2 * grid.dim, "gridrange", place);
    for (std::size_t i = 0; i < pin.grid.size(); ++i) requireInside(pin.grid[i], grid.count[i % d], "grid", place);
    for (std::size_t i = 0; i < pin.gridrange.size(); ++i) {
      requireInside(pin.gridrange[i], grid.count[i % d], "gridrange", place);
    }
    for (std::size_t i = 0; i < pin.grid.size(); i += d) markBox(grid, &pin.grid[i], &pin.grid[i], number, pinned);
    for (std::size_t i = 0; i < pin.gridrange.size(); i += 2 * d) {
      requireOrder(&pin.gridrange[i], &pin.gridrange[i + d], grid.dim, "gridrange", place);
      markBox(grid, &pin.gridrange[i], &pin.gridrange[i + d], number, pinned);
    }
  }
}

bool heldTogether(const spec::FlexBase& flex, int entry1, int entry2) {
  if (entry1 == 0 || entry2 == 0) return false;
  const spec::FlexPin *pin1 = pinOf(flex, entry1), *pin2 = pinOf(flex, entry2);
  return (pin1 ? pin1->body : std::string()) == (pin2 ? pin2->body : std::string());
}

}  // namespace sinew::draft
