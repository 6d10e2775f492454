#pragma once

#include <array>
#include <cmath>

/// Polynomials between the nodes of cells and faces, and the rule their energy is integrated by.
namespace sinew::elastic {

/// Value and slope of the Order + 1 Lagrange polynomials on equally spaced nodes of [0, 1].
template <int Order>
struct Basis {
  std::array<double, Order + 1> value, slope;
};
template <int Order>
Basis<Order> basisAt(double s) {
  if constexpr (Order == 1) {
    return {{1 - s, s}, {-1, 1}};
  } else {
    return {{2 * s * s - 3 * s + 1, 4 * (s - s * s), 2 * s * s - s}, {4 * s - 3, 4 - 8 * s, 4 * s - 1}};
  }
}

/// Points and weights of Gauss' rule on [0, 1].
template <int Order>
struct Gauss {
  std::array<double, Order + 1> at, weight;
};
template <int Order>
Gauss<Order> gauss() {
  if constexpr (Order == 1) {
    const double d = 0.5 / std::sqrt(3.0);
    return {{0.5 - d, 0.5 + d}, {0.5, 0.5}};
  } else {
    const double d = 0.5 * std::sqrt(0.6);
    return {{0.5 - d, 0.5, 0.5 + d}, {5.0 / 18, 8.0 / 18, 5.0 / 18}};
  }
}

}  // namespace sinew::elastic
