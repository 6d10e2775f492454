#pragma once

#include "math/quat.h"
#include "math/types.h"
#include "sinew/array.h"

namespace sinew::draft {

/// Writes `values` (anything with size() and []) as row `row` of a flat array whose rows have that many columns.
template <class T, class Values>
void putRow(Array<T>& array, int row, const Values& values) {
  const std::ptrdiff_t columns = static_cast<std::ptrdiff_t>(values.size());
  for (std::ptrdiff_t k = 0; k < columns; ++k) {
    array[columns * row + k] = static_cast<T>(values[k]);
  }
}

inline void putRow(Array<double>& array, int row, const Vec3& v) { vec3(array.data(), row) = v; }
inline void putRow(Array<double>& array, int row, const Quat& q) { q.store(array.data() + 4 * row); }

/// Writes user data as a row of `columns` numbers, the missing ones zero.
inline void putUser(Array<double>& array, int row, int columns, const std::vector<double>& user) {
  for (std::size_t k = 0; k < user.size(); ++k)
    array[static_cast<std::ptrdiff_t>(columns) * row + static_cast<std::ptrdiff_t>(k)] = user[k];
}

/// Splits a polynomial (k, k1, k2) over an array of leading coefficients and one of the higher ones.
inline void putPolynomial(Array<double>& leading, Array<double>& higher, int row, const std::array<double, 3>& p) {
  leading[row] = p[0];
  higher[2 * row] = p[1];
  higher[2 * row + 1] = p[2];
}

}  // namespace sinew::draft
