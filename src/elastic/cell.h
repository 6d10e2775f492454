#pragma once

#include "elastic/law.h"

namespace sinew::elastic {

/// A box-shaped cell of an interpolated flex. Its (Order + 1)^3 nodes (Order 1: trilinear, 2: quadratic; the z index
/// runs fastest) carry tensor products of Lagrange's polynomials. At rest the cell is a box with edges `size` in its
/// own axes.
template <int Order>
inline constexpr int kCellPoints = (Order + 1) * (Order + 1) * (Order + 1);

template <int Order>
using CellNodes = Nodes<kCellPoints<Order>>;
template <int Order>
using CellStiffness = Stiffness<kCellPoints<Order>>;

/// Rest positions of the nodes in the cell's axes, the first one at the origin.
template <int Order>
CellNodes<Order> cellRest(const Vec3& size);

/// dN_n/ds at the unit coordinates s: one column per node.
template <int Order>
CellNodes<Order> cellGradient(const Vec3& s);

/// The linear stiffness of the reference law,
///   K[(i,k),(j,l)] = int lambda d_k N_i d_l N_j + mu/2 (delta_kl grad N_i . grad N_j + d_l N_i d_k N_j),
/// in which the shear modulus counts half. Gauss' rule with Order + 1 points per axis, all of them inside the cell.
template <int Order>
void referenceCellStiffness(const Vec3& size, double young, double poisson, CellStiffness<Order>& K);

/// Rotation of a cell: that of sum_n x_n (dN_n/ds)' at its centre, s the unit coordinates (not divided by the edges).
template <int Order>
Mat3 cellRotation(const CellNodes<Order>& x);

/// Smallest det F over the Gauss points: negative where the cell is inside out.
template <int Order>
double leastVolume(const CellNodes<Order>& x, const Vec3& size);

/// Linear elasticity in axes that turn with the cell: u = R'x - rest, energy u'Ku/2, force -R K u, damper -time R K R'
/// v. R follows the nodes, which the force (the reference engine's) does not account for: force and gradient of the
/// energy agree to first order in the strain.
template <int Order>
struct ReferenceCell {
  static constexpr int kPoints = kCellPoints<Order>;
  const double* K = nullptr;  ///< (3 kPoints)^2 numbers, symmetric
  Vec3 size = Vec3::Zero();

  double energy(const CellNodes<Order>& x) const;
  CellNodes<Order> force(const CellNodes<Order>& x) const;
  CellNodes<Order> damperForce(const CellNodes<Order>& x, const CellNodes<Order>& v, double time) const;
  /// R K R', positive semi-definite.
  void stiffness(const CellNodes<Order>& x, CellStiffness<Order>& out) const;
};

/// A cell under one of the laws of elastic/law.h.
/// Order 2: integrated by Gauss' rule with three points per axis.
/// Order 1: full integration would lock, in bending (shear that no bar under bending has) and where material is nearly
/// incompressible. The law acts on the gradient F at the centre, vol psi(F). What the eight nodes can do beyond that,
/// x = .. + sum_a q_a h_a with h = eta zeta, zeta xi, xi eta, xi eta zeta, has an energy that is quadratic in the
/// Green strain p_a = F'q_a it causes, with the strains of an element with incompatible modes [Taylor, Beresford and
/// Wilson 1976; Belytschko and Bindeman 1993]: fibres along one axis that vary across it are in plane stress, shear
/// that varies along its own axes is left out, twist has the shear modulus. Bending of a box is exact.
template <int Order>
struct CellElement {
  static constexpr int kPoints = kCellPoints<Order>;
  Law law;
  Vec3 size = Vec3::Zero();

  double energy(const CellNodes<Order>& x) const;
  CellNodes<Order> force(const CellNodes<Order>& x) const;
  CellNodes<Order> damperForce(const CellNodes<Order>& x, const CellNodes<Order>& v, double time) const;
  void stiffness(const CellNodes<Order>& x, Tangent tangent, CellStiffness<Order>& out) const;
  void damping(const CellNodes<Order>& x, double time, CellStiffness<Order>& out) const;
};

}  // namespace sinew::elastic
