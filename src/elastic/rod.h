#pragma once

#include "elastic/element.h"

namespace sinew::elastic {

/// Bending of a rod at the point between two consecutive segments, x0 - x1 - x2: E = k/2 (phi - phi0)^2 with phi the
/// angle by which the direction turns, 0 when straight. With k = E I / l, l half the sum of both rest lengths, phi / l
/// is the discrete curvature and the energy that of the elastica [Bergou et al. 2008, without their twist]. A curved
/// rod (phi0 > 0) that is straightened exactly has no preferred side: no force there.
struct RodBend {
  static constexpr int kPoints = 3;
  double k = 0;       ///< N m
  double angle0 = 0;  ///< phi0, rad

  /// phi in [0, pi]; 0 if a segment has no length.
  static double angle(const Nodes<3>& x);
  double energy(const Nodes<3>& x) const;
  Nodes<3> force(const Nodes<3>& x) const;
  Stiffness<3> stiffness(const Nodes<3>& x, Tangent tangent) const;
  /// Damper on the rate of phi, b in N m s.
  static Nodes<3> damperForce(const Nodes<3>& x, const Nodes<3>& v, double b);
  static Stiffness<3> damping(const Nodes<3>& x, double b);
};

/// Constants from the rest shape; `stiffness` is E I, N m^2.
RodBend rodBend(const Nodes<3>& rest, double stiffness);

}  // namespace sinew::elastic
