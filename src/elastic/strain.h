#pragma once

#include <array>

#include "elastic/element.h"

namespace sinew::elastic {

/// A triangle (Dim 2) or tetrahedron (Dim 3) whose energy is quadratic in the Green strain, written in squared edge
/// lengths [Kharevych et al. 2009, Delingette 2008]. With e_a = L_a^2 - L0_a^2 over its edges a,
///   E = 1/4 e' M e,   force on point p = -sum_b sigma_bp (M e)_b d_b,   d_b = x_i - x_j, sigma = +-1 at its ends.
/// M = vol (mu tr(T_a T_b) + lambda tr(T_a) tr(T_b)) stands for vol (mu tr(G^2) + lambda (tr G)^2), G the Green strain.
/// Damping adds to e_a its rate times the damping time, de_a/dt = 2 d_a . dd_a/dt.
/// Squared lengths do not tell a tetrahedron from its mirror image, so one that is inside out would come to rest there.
/// While its volume is negative, and only then, it has the energy |c|/2 V^2 as well (V six times the volume), which
/// pushes it back.
template <int Dim>
struct StrainElement {
  static constexpr int kPoints = Dim + 1;
  static constexpr int kEdges = Dim == 2 ? 3 : 6;
  static constexpr int kPacked = kEdges * (kEdges + 1) / 2;
  /// Local edges, in the order in which elements create them.
  static constexpr std::array<std::array<int, 2>, 6> kEdge =
      Dim == 2 ? std::array<std::array<int, 2>, 6>{{{1, 2}, {2, 0}, {0, 1}}}
               : std::array<std::array<int, 2>, 6>{{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {0, 3}, {1, 3}}};

  std::array<double, kPacked> metric{};    ///< upper triangle of M row by row, N/m^3
  std::array<double, kEdges> length0sq{};  ///< L0^2, m^2
  double pushBack = 0;                     ///< c, with the sign of the rest volume, N/m^5; 0 for triangles

  double energy(const Nodes<Dim + 1>& x) const;
  Nodes<Dim + 1> force(const Nodes<Dim + 1>& x) const;
  Stiffness<Dim + 1> stiffness(const Nodes<Dim + 1>& x, Tangent tangent) const;
  /// `time` is the damping time in seconds.
  Nodes<Dim + 1> damperForce(const Nodes<Dim + 1>& x, const Nodes<Dim + 1>& v, double time) const;
  Stiffness<Dim + 1> damping(const Nodes<Dim + 1>& x, double time) const;
  /// The reference engine's damping, a difference quotient over the step h: (time/h) (L^2 - (L - h dL/dt)^2), that is
  /// the rate of L^2 less h (dL/dt)^2.
  Nodes<Dim + 1> referenceDamperForce(const Nodes<Dim + 1>& x, const Nodes<Dim + 1>& v, double time, double h) const;
};

/// Gradients of the barycentric coordinates at rest, one column per point (in the plane of a triangle), and the size
/// (length, area, volume; positive). Size 0: the element is degenerate and the gradients are 0.
template <int Dim>
struct RestShape {
  Nodes<Dim + 1> gradient = Nodes<Dim + 1>::Zero();
  double size = 0;
};
template <int Dim>
RestShape<Dim> restShape(const Nodes<Dim + 1>& rest);

/// E = vol (mu tr(G^2) + lambda (tr G)^2) for the given rest shape; `vol` includes thickness and factors.
template <int Dim>
StrainElement<Dim> strainElement(const Nodes<Dim + 1>& rest, double vol, const Lame& moduli);

/// St. Venant and Kirchhoff: E = vol (mu tr(G^2) + lambda/2 (tr G)^2), plane stress and vol = area t for a triangle.
template <int Dim>
StrainElement<Dim> stVenantKirchhoff(const Nodes<Dim + 1>& rest, double young, double poisson, double thickness);

/// The law of the reference engine: lambda counts double, and a triangle has a quarter of its volume and the lambda of
/// three dimensions.
template <int Dim>
StrainElement<Dim> referenceLaw(const Nodes<Dim + 1>& rest, double young, double poisson, double thickness);

/// Position of M_ab, a <= b, in the packed upper triangle of an n x n matrix.
constexpr int packedIndex(int n, int a, int b) { return a * n - a * (a - 1) / 2 + (b - a); }

}  // namespace sinew::elastic
