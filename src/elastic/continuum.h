#pragma once

#include "elastic/law.h"

namespace sinew::elastic {

/// A triangle (Dim 2) or tetrahedron (Dim 3) with linear shape functions under one of the laws of elastic/law.h:
/// F = sum_i x_i g_i', E = vol psi(F), force on point i = -vol P g_i.
template <int Dim>
struct ContinuumElement {
  static constexpr int kPoints = Dim + 1;
  Law law;
  /// Rest gradients of the shape functions in material axes (for a sheet: two axes in its plane), one column per point.
  Eigen::Matrix<double, Dim, kPoints> shape = Eigen::Matrix<double, Dim, kPoints>::Zero();
  double vol = 0;  ///< rest volume, m^3

  Gradient<Dim> deformation(const Nodes<Dim + 1>& x) const { return x * shape.transpose(); }
  double energy(const Nodes<Dim + 1>& x) const;
  Nodes<Dim + 1> force(const Nodes<Dim + 1>& x) const;
  Stiffness<Dim + 1> stiffness(const Nodes<Dim + 1>& x, Tangent tangent) const;
  Nodes<Dim + 1> damperForce(const Nodes<Dim + 1>& x, const Nodes<Dim + 1>& v, double time) const;
  Stiffness<Dim + 1> damping(const Nodes<Dim + 1>& x, double time) const;
};

template <int Dim>
ContinuumElement<Dim> continuumElement(FlexLaw law, const Nodes<Dim + 1>& rest, double young, double poisson,
                                       double thickness);

}  // namespace sinew::elastic
