#pragma once

#include "math/types.h"

/// Elasticity of single elements: pure functions of the positions and velocities of their points, no Model, no Data.
///
/// Every mechanism is a small struct that holds its constants (computed once, from the rest shape) and offers
///   double       energy(x)              potential energy, J; zero at rest
///   Nodes<N>     force(x)               -dE/dx, N; no net force, no net torque
///   Stiffness<N> stiffness(x, tangent)  d2E/dx2, N/m: exact, or a positive semi-definite stand-in for the metric
/// and, where it is damped, the force and the (positive semi-definite) matrix -df/dv of a Kelvin-Voigt damper: rates of
/// strain, of angle or of length are damped, so a rigid motion feels nothing.
/// The tests hold them against each other by finite differences.
namespace sinew::elastic {

/// Positions, velocities or forces of the N points of an element, one column each.
template <int N>
using Nodes = Eigen::Matrix<double, 3, N>;

/// Blocks of 3 x 3, one row and column of blocks per point.
template <int N>
using Stiffness = Eigen::Matrix<double, 3 * N, 3 * N>;

enum class Tangent {
  Exact,     ///< the second derivative of the energy
  Definite,  ///< positive semi-definite: what would push away from the present shape is left out
};

/// Lengths below this count as zero: the direction of such an edge is unknown and it exerts no force, m.
inline constexpr double kMinLength = 1e-10;

/// Elastic constants of an isotropic material: Lame's two in three dimensions.
struct Lame {
  double mu = 0;      ///< shear modulus E / (2 (1 + nu)), Pa
  double lambda = 0;  ///< E nu / ((1 + nu)(1 - 2 nu)), Pa
};

inline Lame lame(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

/// The same for a sheet that is free to change its thickness (plane stress): lambda is E nu / (1 - nu^2).
inline Lame planeStress(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / (1 - poisson * poisson)};
}

/// Bending stiffness of a plate, D = E t^3 / (12 (1 - nu^2)), N m.
inline double plateModulus(double young, double poisson, double thickness) {
  return young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
}

}  // namespace sinew::elastic
