#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>

#include "math/types.h"

/// Checks of what callers pass in. Messages name the thing, the value and what is allowed.
namespace sinew::check {

[[noreturn]] inline void fail(std::string_view who, std::string_view what, std::string_view value,
                              std::string_view allowed) {
  throw std::invalid_argument(fmt::format("{}: {} is {}, must be {}", who, what, value, allowed));
}

inline void finite(std::string_view who, std::string_view what, double value) {
  if (!std::isfinite(value)) fail(who, what, fmt::format("{}", value), "finite");
}

inline void finite(std::string_view who, std::string_view what, std::span<const double> values) {
  const bool ok = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  if (!ok) fail(who, what, fmt::format("({})", fmt::join(values, ", ")), "finite");
}

inline void positive(std::string_view who, std::string_view what, double value) {
  if (!(std::isfinite(value) && value > 0)) fail(who, what, fmt::format("{}", value), "finite and above 0");
}

inline void notNegative(std::string_view who, std::string_view what, double value) {
  if (!(std::isfinite(value) && value >= 0)) fail(who, what, fmt::format("{}", value), "finite and 0 or more");
}

inline void fraction(std::string_view who, std::string_view what, double value) {
  if (!(value >= 0 && value <= 1)) fail(who, what, fmt::format("{}", value), "in [0, 1]");
}

/// A quaternion along which there is a unit quaternion.
inline void orientation(std::string_view who, std::string_view what, std::span<const double, 4> q) {
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(std::isfinite(length) && length >= kMinVal)) {
    fail(who, what, fmt::format("({})", fmt::join(q, ", ")), "a quaternion with finite length above 0");
  }
}

}  // namespace sinew::check
