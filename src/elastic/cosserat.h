#pragma once

#include "elastic/element.h"
#include "math/quat.h"

/// A geometrically exact rod on a staggered grid [Simo 1985; Lang, Linn and Arnold 2011]: positions at the nodes,
/// frames R = (x along the rod, y and z along the axes of the section) on the segments between them. A segment resists
/// stretch and shear, a joint between two segments resists twist and bending. Both are functions of the state alone: a
/// frame is carried by a body, so that no history (such as a frame that is transported in time) is needed to evaluate
/// them.
namespace sinew::elastic {

/// One segment, e = x_b - x_a: strain g = R' e / l - (1, 0, 0), energy l/2 g' C g.
struct RodSegment {
  double length = 0;              ///< at rest, m
  Vec3 stiffness = Vec3::Zero();  ///< C: E A, k G A, k G A, N

  Vec3 strain(const Mat3& R, const Vec3& e) const { return R.transpose() * e / length - Vec3::UnitX(); }
  double energy(const Mat3& R, const Vec3& e) const;
  /// C g: tension and shear forces in the axes of the frame, N. The force on node b is -R C g, on a the opposite.
  Vec3 force(const Mat3& R, const Vec3& e) const { return stiffness.cwiseProduct(strain(R, e)); }
  /// Torque on the frame, world axes: e x R C g.
  Vec3 torque(const Mat3& R, const Vec3& e) const { return e.cross(R * force(R, e)); }
};

/// How the rotation vector w of a frame in another one changes with the angular velocity u of the first in its own
/// axes: w' = (1 + 1/2 [w] + c [w]^2) u with c = (1 - angle/2 cot(angle/2)) / angle^2. The transpose belongs to the
/// angular velocity of the other frame in that one's axes, with a minus sign.
Mat3 turnRate(const Vec3& w);

/// The joint of two segments: w the rotation vector of the second frame in the first one, less than half a turn, energy
/// 1/2 (w - w0)' K (w - w0), K = diag(G J, E Iy, E Iz) / length.
struct RodJoint {
  Vec3 stiffness = Vec3::Zero();  ///< K, N m
  Vec3 relaxed = Vec3::Zero();    ///< w0, rad

  static Vec3 turn(const Quat& first, const Quat& second) {
    return toRotationVector(normalized(first.conjugate() * second));
  }
  double energy(const Vec3& w) const;
  /// K (w - w0). The torque on the second frame is -turnRate(w)' times that in its axes, on the first one turnRate(w)
  /// times that in its own.
  Vec3 moment(const Vec3& w) const { return stiffness.cwiseProduct(w - relaxed); }
};

}  // namespace sinew::elastic
