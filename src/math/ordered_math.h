#pragma once

#include <cmath>

#include "math/types.h"

/// Small products with their terms added strictly from left to right. The branches of GJK, EPA and of the clipping of
/// faces hang on the signs of such sums, the principal axes of a regular shape on their last bits; where shapes are
/// aligned those sums are zero up to rounding, and only a fixed order makes the same choice on every compiler (and the
/// choice the reference engine makes).
namespace sinew {

inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }

/// m v.
inline Vec3 apply(const Mat3& m, const Vec3& v) {
  return {m(0, 0) * v[0] + m(0, 1) * v[1] + m(0, 2) * v[2], m(1, 0) * v[0] + m(1, 1) * v[1] + m(1, 2) * v[2],
          m(2, 0) * v[0] + m(2, 1) * v[1] + m(2, 2) * v[2]};
}

/// m' v.
inline Vec3 applyTransposed(const Mat3& m, const Vec3& v) {
  return {m(0, 0) * v[0] + m(1, 0) * v[1] + m(2, 0) * v[2], m(0, 1) * v[0] + m(1, 1) * v[1] + m(2, 1) * v[2],
          m(0, 2) * v[0] + m(1, 2) * v[1] + m(2, 2) * v[2]};
}

/// a b.
inline Mat3 multiply(const Mat3& a, const Mat3& b) {
  Mat3 product;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) product(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  }
  return product;
}

/// v / |v|; (1,0,0) when v is shorter than kMinVal.
inline Vec3 unitOrX(const Vec3& v) {
  const double length = norm(v);
  if (length < kMinVal) return Vec3::UnitX();
  return v * (1 / length);
}

}  // namespace sinew
