#include "elastic/rod.h"

#include <algorithm>
#include <cmath>

namespace sinew::elastic {
namespace {

/// Below this angle (and this near to pi) the plane of the bend is not known to working precision.
constexpr double kStraight = 1e-7;

/// The two segments a = x1 - x0, b = x2 - x1 and the frame of the bend: `side` is the unit vector across a on which b
/// lies, `side2` the one across b in the same plane, both turned the same way, `normal` is across both.
struct Bend {
  bool valid = false;    ///< both segments have a length and they do not fold back exactly
  bool straight = true;  ///< the frame is one of many
  double lengthA = 0, lengthB = 0;
  Vec3 u, w, side, side2, normal;
  double cos = 1, sin = 0, angle = 0;
};

Bend bendOf(const Nodes<3>& x) {
  Bend r;
  const Vec3 a = x.col(1) - x.col(0);
  const Vec3 b = x.col(2) - x.col(1);
  r.lengthA = a.norm();
  r.lengthB = b.norm();
  if (r.lengthA < kMinLength || r.lengthB < kMinLength) return r;
  r.u = a / r.lengthA;
  r.w = b / r.lengthB;
  const Vec3 cross = r.u.cross(r.w);
  r.sin = cross.norm();
  r.cos = r.u.dot(r.w);
  r.angle = std::atan2(r.sin, r.cos);
  r.straight = r.sin < kStraight;
  r.valid = !(r.straight && r.cos < 0);
  r.normal = r.straight ? r.u.unitOrthogonal() : Vec3(cross / r.sin);
  r.side = r.normal.cross(r.u);
  r.side2 = r.normal.cross(r.w);
  return r;
}

/// Derivative of (angle of b) - (angle of a) within the plane spanned by (u, p) and (w, q): b moves along q by db turns
/// it by db/|b|.
Nodes<3> turning(const Bend& r, const Vec3& p, const Vec3& q) {
  Nodes<3> g;
  g.col(0) = p / r.lengthA;
  g.col(2) = q / r.lengthB;
  g.col(1) = -(g.col(0) + g.col(2));
  return g;
}

/// Near a straight rod (phi - phi0) / sin phi is replaced by its limit; a curved rod has none there.
double momentOverSin(const Bend& r, double angle0) {
  if (!r.straight) return (r.angle - angle0) / r.sin;
  return angle0 == 0 ? 1 : 0;
}

void addOuter(Stiffness<3>& K, const Nodes<3>& g, double scale) {
  const Eigen::Map<const Eigen::Matrix<double, 9, 1>> v(g.data());
  K.noalias() += scale * v * v.transpose();
}

}  // namespace

double RodBend::angle(const Nodes<3>& x) { return bendOf(x).angle; }

double RodBend::energy(const Nodes<3>& x) const {
  const Bend r = bendOf(x);
  if (r.lengthA < kMinLength || r.lengthB < kMinLength) return 0;
  const double e = r.angle - angle0;
  return 0.5 * k * e * e;
}

// With c = cos phi: dc/da = (w - c u)/|a|, dc/db = (u - c w)/|b|, and dE = -k (phi - phi0)/sin(phi) dc stays smooth for
// a straight rod
Nodes<3> RodBend::force(const Nodes<3>& x) const {
  const Bend r = bendOf(x);
  Nodes<3> f = Nodes<3>::Zero();
  if (!r.valid) return f;
  const double m = k * momentOverSin(r, angle0);
  const Vec3 fa = m * (r.w - r.cos * r.u) / r.lengthA;
  const Vec3 fb = m * (r.u - r.cos * r.w) / r.lengthB;
  f.col(0) = -fa;
  f.col(1) = fa - fb;
  f.col(2) = fb;
  return f;
}

Stiffness<3> RodBend::stiffness(const Nodes<3>& x, Tangent tangent) const {
  const Bend r = bendOf(x);
  Stiffness<3> K = Stiffness<3>::Zero();
  if (!r.valid) return K;
  const double m = momentOverSin(r, angle0);
  if (tangent == Tangent::Definite) {
    // in the plane of the bend k g g'; across it only the tilting of one segment against the other stiffens
    addOuter(K, turning(r, r.side, r.side2), k);
    addOuter(K, turning(r, r.normal, r.normal), k * std::max(0.0, m) * 0.5 * (1 + r.cos));
    return K;
  }
  // d2E = E''(c) dc dc' + E'(c) d2c, E' = -k (phi - phi0)/sin, E'' = k (1 - (phi - phi0) cot)/sin^2
  const double e1 = -k * m;
  const double e2 = r.straight ? k / 3 : k * (1 - m * r.cos) / (r.sin * r.sin);
  const Vec3 ga = (r.w - r.cos * r.u) / r.lengthA;
  const Vec3 gb = (r.u - r.cos * r.w) / r.lengthB;
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d uu = r.u * r.u.transpose();
  const Eigen::Matrix3d ww = r.w * r.w.transpose();
  const Eigen::Matrix3d uw = r.u * r.w.transpose();
  const Eigen::Matrix3d cross = uw + uw.transpose();
  const Eigen::Matrix3d aa =
      e2 * ga * ga.transpose() + e1 * (3 * r.cos * uu - r.cos * I - cross) / (r.lengthA * r.lengthA);
  const Eigen::Matrix3d bb =
      e2 * gb * gb.transpose() + e1 * (3 * r.cos * ww - r.cos * I - cross) / (r.lengthB * r.lengthB);
  const Eigen::Matrix3d ab = e2 * ga * gb.transpose() + e1 * (I - uu) * (I - ww) / (r.lengthA * r.lengthB);
  // a = x1 - x0, b = x2 - x1
  K.block<3, 3>(0, 0) = aa;
  K.block<3, 3>(0, 3) = ab - aa;
  K.block<3, 3>(0, 6) = -ab;
  K.block<3, 3>(3, 3) = aa - ab - ab.transpose() + bb;
  K.block<3, 3>(3, 6) = ab - bb;
  K.block<3, 3>(6, 6) = bb;
  K.block<3, 3>(3, 0) = K.block<3, 3>(0, 3).transpose();
  K.block<3, 3>(6, 0) = K.block<3, 3>(0, 6).transpose();
  K.block<3, 3>(6, 3) = K.block<3, 3>(3, 6).transpose();
  return K;
}

Nodes<3> RodBend::damperForce(const Nodes<3>& x, const Nodes<3>& v, double b) {
  const Bend r = bendOf(x);
  Nodes<3> f = Nodes<3>::Zero();
  if (!r.valid) return f;
  const Nodes<3> g = turning(r, r.side, r.side2);
  f = -b * g.cwiseProduct(v).sum() * g;
  if (r.straight) {  // both ways of leaving the straight line are rates of the angle
    const Nodes<3> g2 = turning(r, r.normal, r.normal);
    f -= b * g2.cwiseProduct(v).sum() * g2;
  }
  return f;
}

Stiffness<3> RodBend::damping(const Nodes<3>& x, double b) {
  const Bend r = bendOf(x);
  Stiffness<3> D = Stiffness<3>::Zero();
  if (!r.valid) return D;
  addOuter(D, turning(r, r.side, r.side2), b);
  if (r.straight) addOuter(D, turning(r, r.normal, r.normal), b);
  return D;
}

RodBend rodBend(const Nodes<3>& rest, double stiffness) {
  RodBend bend;
  const double length = 0.5 * ((rest.col(1) - rest.col(0)).norm() + (rest.col(2) - rest.col(1)).norm());
  bend.k = stiffness / length;
  bend.angle0 = RodBend::angle(rest);
  // a rod that is straight but for rounding is straight
  if (bend.angle0 < 1e-6) bend.angle0 = 0;
  return bend;
}

}  // namespace sinew::elastic
