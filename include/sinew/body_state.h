#pragma once

#include <array>

#include "sinew/vector.h"

/// Small values of the object-style interface (World and the constraints beside it). SI units, world axes.
namespace sinew {

using Quaternion = std::array<double, 4>;  ///< w, x, y, z; a unit quaternion
using Matrix3 = std::array<double, 9>;     ///< row by row

/// Where the frame of a body is: a point p of the body is at position + R(orientation) p.
struct Placement {
  Vector3 position{};
  Quaternion orientation{1, 0, 0, 0};
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Where a rigid body is and how it moves, seen at its centre of mass.
struct BodyState {
  Vector3 position{};                  ///< of the centre of mass, m
  Quaternion orientation{1, 0, 0, 0};  ///< of the body frame
  Vector3 velocity{};                  ///< of the centre of mass, m/s
  Vector3 angularVelocity{};           ///< rad/s
  friend bool operator==(const BodyState&, const BodyState&) = default;
};

}  // namespace sinew
