#pragma once

#include "elastic/element.h"

namespace sinew::elastic {

/// Spring and damper along an edge: E = k/2 (L - L0)^2 and a pull of c dL/dt against the rate of its length.
/// A rod's k is E A / L0. An edge shorter than kMinLength exerts nothing.
struct EdgeSpring {
  static constexpr int kPoints = 2;
  double k = 0;        ///< N/m
  double length0 = 0;  ///< m
  double c = 0;        ///< N s/m

  double energy(const Nodes<2>& x) const;
  Nodes<2> force(const Nodes<2>& x) const;
  Stiffness<2> stiffness(const Nodes<2>& x, Tangent tangent) const;
  /// What stiffness() and damping() couple both ends by: they are [B -B; -B B].
  Eigen::Matrix3d stiffnessBlock(const Nodes<2>& x, Tangent tangent) const;
  Eigen::Matrix3d dampingBlock(const Nodes<2>& x) const;
  Nodes<2> damperForce(const Nodes<2>& x, const Nodes<2>& v) const;
  Stiffness<2> damping(const Nodes<2>& x) const;
};

}  // namespace sinew::elastic
