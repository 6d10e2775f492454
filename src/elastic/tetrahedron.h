#pragma once

#include <array>

#include "elastic/law.h"

namespace sinew::elastic {

/// A tetrahedron with quadratic shape functions, straight at rest: its nodes are the four corners, then the middles of
/// the edges in the order of kEdge. F is linear in it, and Gauss' rule has four points.
/// Nearly incompressible material would lock: the part of lambda that exceeds kFull mu (its value for nu = 0.4, up to
/// which second order does not) works on the mean of the law's own measure of dilatation t (law.h), not on its value at
/// every point:
///   E = sum_g vol_g psi(F_g; mu, lambda') + vol (lambda - lambda')/2 mean(t)^2,  lambda' = min(lambda, kFull mu).
struct QuadraticTetrahedron {
  static constexpr int kPoints = 10;
  static constexpr std::array<std::array<int, 2>, 6> kEdge{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
  static constexpr double kFull = 4;

  Law law;
  /// Rest gradients of the barycentric coordinates, one column per corner.
  Eigen::Matrix<double, 3, 4> shape = Eigen::Matrix<double, 3, 4>::Zero();
  double vol = 0;  ///< at rest, m^3

  double energy(const Nodes<10>& x) const;
  Nodes<10> force(const Nodes<10>& x) const;
  Nodes<10> damperForce(const Nodes<10>& x, const Nodes<10>& v, double time) const;
  void stiffness(const Nodes<10>& x, Tangent tangent, Stiffness<10>& out) const;
  void damping(const Nodes<10>& x, double time, Stiffness<10>& out) const;
  /// Smallest det F over the Gauss points: negative where it is inside out.
  double leastVolume(const Nodes<10>& x) const;
};

/// The element with these corners at rest.
QuadraticTetrahedron quadraticTetrahedron(FlexLaw law, const Nodes<4>& rest, double young, double poisson);

/// Share of its mass at a corner and at the middle of an edge: as the diagonal of the consistent mass matrix
/// [Hinton, Rock and Zienkiewicz 1976], all of them positive.
inline constexpr double kCornerMass = 1.0 / 36, kMiddleMass = 4.0 / 27;

}  // namespace sinew::elastic
