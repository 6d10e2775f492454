#include "constraints/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/joined.h"
#include "math/types.h"

namespace sinew::check {

void fail(std::string_view who, std::string_view what, std::string_view value, std::string_view allowed) {
  throw std::invalid_argument(fmt::format("{}: {} is {}, must be {}", who, what, value, allowed));
}

void finite(std::string_view who, std::string_view what, double value) {
  if (!std::isfinite(value)) fail(who, what, fmt::format("{}", value), "finite");
}

void finite(std::string_view who, std::string_view what, std::span<const double> values) {
  const bool ok = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  if (!ok) fail(who, what, fmt::format("({})", joined(values, ", ")), "finite");
}

void positive(std::string_view who, std::string_view what, double value) {
  if (!(std::isfinite(value) && value > 0)) fail(who, what, fmt::format("{}", value), "finite and above 0");
}

void notNegative(std::string_view who, std::string_view what, double value) {
  if (!(std::isfinite(value) && value >= 0)) fail(who, what, fmt::format("{}", value), "finite and 0 or more");
}

void fraction(std::string_view who, std::string_view what, double value) {
  if (!(value >= 0 && value <= 1)) fail(who, what, fmt::format("{}", value), "in [0, 1]");
}

void orientation(std::string_view who, std::string_view what, std::span<const double, 4> q) {
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(std::isfinite(length) && length >= kMinVal)) {
    fail(who, what, fmt::format("({})", joined(q, ", ")), "a quaternion with finite length above 0");
  }
}

}  // namespace sinew::check
