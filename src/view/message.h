#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Parts of the messages of windows, checked.
namespace sinew::view {

using Json = nlohmann::json;

/// A message that makes no sense, in words.
struct Refusal {
  std::string text;
};

inline double numberAt(const Json& j, const char* name) {
  const auto found = j.find(name);
  if (found == j.end() || !found->is_number()) throw Refusal{fmt::format("'{}' must be a number", name)};
  const double value = found->get<double>();
  if (!std::isfinite(value)) throw Refusal{fmt::format("'{}' must be finite", name)};
  return value;
}

inline int indexAt(const Json& j, const char* name, int end) {
  const double value = numberAt(j, name);
  if (value != std::floor(value) || value < 0 || value >= end) {
    throw Refusal{fmt::format("'{}' must be a whole number from 0 to {}, found {}", name, end - 1, value)};
  }
  return static_cast<int>(value);
}

inline bool boolAt(const Json& j, const char* name) {
  const auto found = j.find(name);
  if (found == j.end() || !found->is_boolean()) throw Refusal{fmt::format("'{}' must be true or false", name)};
  return found->get<bool>();
}

inline std::string textAt(const Json& j, const char* name) {
  const auto found = j.find(name);
  if (found == j.end() || !found->is_string()) throw Refusal{fmt::format("'{}' must be a text", name)};
  return found->get<std::string>();
}

inline std::vector<double> numbersAt(const Json& j, const char* name, std::size_t most) {
  const auto found = j.find(name);
  if (found == j.end()) throw Refusal{fmt::format("'{}' is missing", name)};
  if (found->is_number()) return {numberAt(j, name)};
  if (!found->is_array() || found->size() > most) {
    throw Refusal{fmt::format("'{}' must be a list of at most {} numbers", name, most)};
  }
  std::vector<double> values;
  for (const Json& x : *found) {
    if (!x.is_number() || !std::isfinite(x.get<double>())) throw Refusal{fmt::format("'{}' must hold numbers", name)};
    values.push_back(x.get<double>());
  }
  return values;
}

template <std::size_t n>
std::array<double, n> arrayAt(const Json& j, const char* name) {
  const std::vector<double> values = numbersAt(j, name, n);
  if (values.size() != n) throw Refusal{fmt::format("'{}' must be {} numbers", name, n)};
  std::array<double, n> result{};
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

}  // namespace sinew::view
