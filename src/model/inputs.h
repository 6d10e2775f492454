#pragma once

#include <cmath>

#include "math/quat.h"
#include "math/types.h"

/// What the user writes between two steps is read as it is and never changed; numbers that are none are left out.
/// step() notes them (step/check_inputs.h).
namespace sinew {

/// An applied force or torque, 0 if it is not finite.
inline double usableForce(double x) { return std::isfinite(x) ? x : 0; }
inline Vec3 usableForce(const double* f) { return {usableForce(f[0]), usableForce(f[1]), usableForce(f[2])}; }

inline bool isUsablePosition(const double* p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

/// Its length is that of some rotation: neither zero nor infinite.
inline bool isUsableQuat(const double* q) {
  const double length = Quat::load(q).norm();
  return length >= kMinVal && std::isfinite(length);
}

}  // namespace sinew
