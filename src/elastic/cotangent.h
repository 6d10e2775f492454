#pragma once

#include "elastic/element.h"

namespace sinew::elastic {

/// Bending of a sheet at an interior edge, in constant coefficients: points as in elastic/hinge.h,
///   E = 1/2 sum_ij B_ij x_i . x_j + beta V(x) + const,   V = ((x1 - x0) x (x2 - x0)) . (x3 - x0).
/// B0 = kappa cos(theta0) c c' with c the cotangent weights of the edge's mean curvature [Wardetzky et al. 2007], and
/// beta a curved rest shape [Garg et al. 2007]: while the triangles keep their shape, E = kappa |e|^2 (1 - cos(theta -
/// theta0)). That energy is at rest only as long as the edges keep their lengths. Terms s_a (L_a^2 - L0_a^2)/2 over the
/// five edges, which are constant under bending, are therefore taken off so that the rest shape is free of force
/// whatever its curvature; they change B, not the form. A flat sheet has none of them.
struct CotangentHinge {
  static constexpr int kPoints = 4;
  Eigen::Matrix4d B = Eigen::Matrix4d::Zero();  ///< N/m
  Eigen::Vector4d c = Eigen::Vector4d::Zero();  ///< sum c_i x_i = 0 for a flat pair
  double kappa = 0;                             ///< modulus / (A1 + A2), N/m
  double beta = 0;                              ///< N/m^2
  double energy0 = 0;                           ///< so that the rest shape has energy 0, J

  double energy(const Nodes<4>& x) const;
  Nodes<4> force(const Nodes<4>& x) const;
  /// Definite: kappa c c', which bends as stiffly as the exact one does at rest, at any rest angle.
  Stiffness<4> stiffness(const Nodes<4>& x, Tangent tangent) const;
  /// The reference engine's damper -time B v (with B = kappa cos(theta0) c c'). Free of force under rigid motion only
  /// while the sheet is flat; textbook laws damp the rate of the angle instead (DihedralHinge::damperForce).
  Nodes<4> referenceDamperForce(const Nodes<4>& v, double time, double cosRest) const;
};

/// Constants from the rest shape. `modulus` is D (or mu t^3 / 8 of the reference law), N m.
CotangentHinge cotangentHinge(const Nodes<4>& rest, double modulus);

}  // namespace sinew::elastic
