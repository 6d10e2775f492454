#pragma once

#include "elastic/element.h"

namespace sinew::elastic {

/// The fold of two triangles (x0, x1, x2) and (x1, x0, x3) along their common edge: its angle theta and dtheta/dx.
/// theta is 0 when flat, positive when x2 and x3 fold up towards the normal of the first triangle, and reaches +-pi
/// when they lie on each other.
struct Fold {
  bool valid = false;  ///< false when a triangle has no area (or the edge no length): angle and gradient are 0
  double angle = 0;
  Nodes<4> gradient = Nodes<4>::Zero();  ///< 1/m
};

Fold foldOf(const Nodes<4>& x);
double foldAngle(const Nodes<4>& x);

/// Angle spring of a sheet: E = k/2 (theta - theta0)^2. With k = D |e|^2 / (A1 + A2) (D the plate modulus, e the common
/// edge, A the rest areas) a strip bends as a plate does; equilateral meshes do so in every direction.
/// [Bridson et al. 2003 for the gradient, Tamstorf and Grinspun 2013 for its derivative]
struct DihedralHinge {
  static constexpr int kPoints = 4;
  double k = 0;       ///< N m
  double angle0 = 0;  ///< rad

  double energy(const Nodes<4>& x) const;
  Nodes<4> force(const Nodes<4>& x) const;
  Stiffness<4> stiffness(const Nodes<4>& x, Tangent tangent) const;
  /// Damper on the rate of theta, b in N m s.
  static Nodes<4> damperForce(const Nodes<4>& x, const Nodes<4>& v, double b);
  static Stiffness<4> damping(const Nodes<4>& x, double b);
};

/// Constants from the rest shape; `modulus` is D, N m.
DihedralHinge dihedralHinge(const Nodes<4>& rest, double modulus);

/// Largest stiffness a fold can have in an explicit step h: with s = sum |dtheta/dx_i|^2 / m_i, the torque
/// (theta - theta0)/(h^2 s) takes the fold to its rest angle in one step. One scalar per hinge, so that the limited
/// force still has no net force or torque. `invmass` of points that cannot move is 0.
double stiffnessLimit(const Fold& fold, const Eigen::Vector4d& invmass, double h);
/// The same for a damper, N m s: it may stop the rate of theta in one step.
double dampingLimit(const Fold& fold, const Eigen::Vector4d& invmass, double h);

}  // namespace sinew::elastic
