#pragma once

#include "elastic/element.h"
#include "math/quat.h"

/// Rods with twist: discrete elastic rods [Bergou et al. 2008, 2010] whose material frames are made of points. A
/// segment from x0 to x1 carries a section: three points g0, g1, g2 around its middle, at rest at
///   (a, 0), (-a/2, sqrt(3)/2 b), (-a/2, -sqrt(3)/2 b)
/// along the first and the second axis of the section. The frame of the segment is
///   R = (t, d1, d2): t = e/|e|, e = x1 - x0; d1 along what of y = g0 - (g1 + g2)/2 is across t; d2 = t x d1,
/// a function of the positions alone: no frame is transported in time and no angle is counted. Three equal masses there
/// have the second moments of any section: 3/2 mass a^2 along the first axis, 3/2 mass b^2 along the second.
/// Two consecutive frames bend and twist against each other (SectionJoint). Whatever else the three points could do is
/// held by Section, which exerts no force while they are where they belong.
namespace sinew::elastic {

/// The material frame of a segment and how it turns.
struct SectionFrame {
  bool valid = false;  ///< the segment has a length, and y is not along it
  Vec3 t, d1, d2;
  double length = 0;  ///< |e|
  double across = 0;  ///< of y across t: d1 . y
  double along = 0;   ///< of y along t

  Mat3 axes() const {
    Mat3 R;
    R << t, d1, d2;
    return R;
  }
  /// u = B (de, dy): the rotation of the frame in its own axes.
  Eigen::Matrix<double, 3, 6> rate() const;
  /// d(B' g)/d(e, y) for a constant g.
  Eigen::Matrix<double, 6, 6> rateDerivative(const Vec3& g) const;
};
SectionFrame sectionFrame(const Vec3& e, const Vec3& y);

/// Points x0, x1, g0, g1, g2. With y and z the axes by the points, both 1 long at rest, energy
///   k/2 ((y.t)^2 + (z.t)^2 + (y.y - 1)^2/4 + (z.z - 1)^2/4 + (y.z)^2) + middle/2 |(g0 + g1 + g2)/3 - (x0 + x1)/2|^2:
/// it leaves the segment its length and the section the turn about it.
struct Section {
  static constexpr int kPoints = 5;
  double a = 0, b = 0;  ///< m
  double k = 0;         ///< J
  double middle = 0;    ///< N/m

  double energy(const Nodes<5>& x) const;
  Nodes<5> force(const Nodes<5>& x) const;
  Stiffness<5> stiffness(const Nodes<5>& x, Tangent tangent) const;
  /// Damper on the rates of the strains, not on the way of the middle (which turns with the segment); `time` in s, the
  /// coefficient is time k.
  Nodes<5> damperForce(const Nodes<5>& x, const Nodes<5>& v, double time) const;
  Stiffness<5> damping(const Nodes<5>& x, double time) const;
};

/// How one frame has turned against another: half of the twist about the first tangent, the bend about an axis across
/// it, the other half about the second tangent. The twist and the two components of the bend are u = (twist, bend1,
/// bend2), all of them angles. With the relative rotation as a quaternion,
///   q = (cos(b/2) cos(twist/2), cos(b/2) sin(twist/2), sin(b/2) bend1/b, sin(b/2) bend2/b),  b = |bend|,
/// so that twist and bend are independent: a round rod bends alike however much it is twisted from segment to segment.
/// Less than half a turn each.
Vec3 turnBetween(const Mat3& first, const Mat3& second);

/// Points x0, x1, x2 of two segments x0 -> x1 -> x2, the section of the first, that of the second. With u how the
/// second frame has turned against the first one, energy 1/2 (u - u0)' K (u - u0), K = diag(G J, E I1, E I2) / length.
struct SectionJoint {
  static constexpr int kPoints = 9;
  Vec3 k = Vec3::Zero();        ///< K, N m
  Vec3 relaxed = Vec3::Zero();  ///< u0, rad

  /// u; zero if one of the frames is not valid.
  static Vec3 turn(const Nodes<9>& x);
  double energy(const Nodes<9>& x) const;
  Nodes<9> force(const Nodes<9>& x) const;
  Stiffness<9> stiffness(const Nodes<9>& x, Tangent tangent) const;
  /// Damper on the rate of u, coefficients are time K.
  Nodes<9> damperForce(const Nodes<9>& x, const Nodes<9>& v, double time) const;
  Stiffness<9> damping(const Nodes<9>& x, double time) const;
};

/// Where the three points of a section are at rest: middle + those along d1 and d2.
Nodes<3> sectionPoints(const Vec3& middle, const Vec3& d1, const Vec3& d2, double a, double b);

}  // namespace sinew::elastic
