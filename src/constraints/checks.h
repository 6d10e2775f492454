#pragma once

#include <span>
#include <string_view>

/// Checks of what callers pass in. Messages name the thing, the value and what is allowed.
namespace sinew::check {

[[noreturn]] void fail(std::string_view who, std::string_view what, std::string_view value, std::string_view allowed);
void finite(std::string_view who, std::string_view what, double value);
void finite(std::string_view who, std::string_view what, std::span<const double> values);
void positive(std::string_view who, std::string_view what, double value);
void notNegative(std::string_view who, std::string_view what, double value);
void fraction(std::string_view who, std::string_view what, double value);
/// A quaternion along which there is a unit quaternion.
void orientation(std::string_view who, std::string_view what, std::span<const double, 4> q);

}  // namespace sinew::check
