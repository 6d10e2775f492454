#pragma once

#include <cmath>
#include <random>

#include "sinew/constraint_solver.h"
#include "sinew/contact_constraint.h"
#include "sinew/contact_constraint_factory.h"

/// Bodies without a World, for tests of the constraints and their solver.
namespace sinew::test {

inline const Vector3 kZero{0, 0, 0};
inline constexpr double kSphereInertia = 0.1;    ///< 2/5 m r^2 of 1 kg, radius 0.5
inline constexpr double kCubeInertia = 1.0 / 6;  ///< m a^2 / 6 of 1 kg, edge 1

inline Matrix3 diagonal(double x) { return {x, 0, 0, 0, x, 0, 0, 0, x}; }

/// Adds a body and returns its index. inverseMass 0: nothing moves it.
inline int addBody(MultiBodySystem& s, const BodyState& state, double inverseMass, double inverseInertia,
                   const Vector3& force = kZero) {
  s.states.push_back(state);
  s.inverseMasses.push_back(inverseMass);
  s.inverseInertias.push_back(diagonal(inverseInertia));
  s.externalForces.push_back(force);
  s.externalTorques.push_back(kZero);
  return static_cast<int>(s.states.size()) - 1;
}

inline double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Random {
  std::mt19937_64 generator;
  explicit Random(unsigned seed) : generator(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); }
  Vector3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vector3 direction() {
    for (;;) {
      const Vector3 v = vector(1);
      const double length = std::sqrt(dot(v, v));
      if (length > 0.1) return {v[0] / length, v[1] / length, v[2] / length};
    }
  }
  Quaternion orientation() {
    const Vector3 axis = direction();
    const double half = 0.5 * number(-3, 3), s = std::sin(half);
    return {std::cos(half), s * axis[0], s * axis[1], s * axis[2]};
  }
};

}  // namespace sinew::test
