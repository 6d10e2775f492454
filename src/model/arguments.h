#pragma once

#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <string_view>

#include "sinew/data.h"
#include "sinew/model.h"

/// Checks of what callers of the public functions pass in: std::invalid_argument with the function, the value and what
/// was expected.
namespace sinew::argument {

inline void pair(std::string_view function, const Model& m, const Data& d) {
  if (d.signature == m.signature) return;
  throw std::invalid_argument(fmt::format("{}: the Data was made for another Model", function));
}

inline void id(std::string_view function, std::string_view what, int value, int count) {
  if (value >= 0 && value < count) return;
  throw std::invalid_argument(count == 0
                                  ? fmt::format("{}: {} is {}, but the model has none", function, what, value)
                                  : fmt::format("{}: {} is {}, must be in [0, {}]", function, what, value, count - 1));
}

template <class T>
void size(std::string_view function, std::string_view what, std::span<T> values, std::size_t expected) {
  if (values.size() == expected) return;
  throw std::invalid_argument(
      fmt::format("{}: {} holds {} numbers, must hold {}", function, what, values.size(), expected));
}

/// For outputs that may be left out.
template <class T>
void sizeOrEmpty(std::string_view function, std::string_view what, std::span<T> values, std::size_t expected) {
  if (!values.empty()) size(function, what, values, expected);
}

/// The size of an array with a number for every dof.
inline std::size_t dofs(const Model& m) { return static_cast<std::size_t>(m.nv); }

}  // namespace sinew::argument
