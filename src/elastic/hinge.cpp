#include "elastic/hinge.h"

#include <cmath>
#include <limits>

namespace sinew::elastic {
namespace {

/// A triangle lower than this part of its longest side has no area: its normal is rounding noise.
constexpr double kFlatTriangle = 1e-7;

/// Everything the angle and its derivatives are made of. n1 = e x (x2 - x0) and n2 = (x3 - x0) x e are the normals of
/// both triangles, t2 and t3 say where along the edge the opposite vertices stand (0: at x0, 1: at x1).
struct Geometry {
  bool valid = false;
  Vec3 e, d2, d3, n1, n2;
  double length = 0, area1 = 0, area2 = 0;  ///< squared norms of the normals
  double t2 = 0, t3 = 0;
};

Geometry geometryOf(const Nodes<4>& x) {
  Geometry g;
  g.e = x.col(1) - x.col(0);
  g.d2 = x.col(2) - x.col(0);
  g.d3 = x.col(3) - x.col(0);
  g.n1 = g.e.cross(g.d2);
  g.n2 = g.d3.cross(g.e);
  const double ee = g.e.squaredNorm();
  g.length = std::sqrt(ee);
  g.area1 = g.n1.squaredNorm();
  g.area2 = g.n2.squaredNorm();
  const double tiny = kFlatTriangle * kFlatTriangle;
  const double size1 = ee + g.d2.squaredNorm();
  const double size2 = ee + g.d3.squaredNorm();
  // written so that NaN counts as degenerate
  g.valid = g.length > kMinLength && g.area1 > tiny * size1 * size1 && g.area2 > tiny * size2 * size2;
  if (!g.valid) return g;
  g.t2 = g.d2.dot(g.e) / ee;
  g.t3 = g.d3.dot(g.e) / ee;
  return g;
}

double angleOf(const Geometry& g) { return std::atan2(g.n2.cross(g.n1).dot(g.e) / g.length, g.n1.dot(g.n2)); }

/// Moving x2 along the normal turns its triangle by (distance / height): dtheta/dx2 = n1 |e| / |n1|^2. The ends of the
/// edge get the opposite, shared as a lever shares a load.
Nodes<4> gradientOf(const Geometry& g) {
  Nodes<4> r;
  r.col(2) = g.n1 * (g.length / g.area1);
  r.col(3) = g.n2 * (g.length / g.area2);
  r.col(0) = -(1 - g.t2) * r.col(2) - (1 - g.t3) * r.col(3);
  r.col(1) = -g.t2 * r.col(2) - g.t3 * r.col(3);
  return r;
}

using Rows = Eigen::Matrix<double, 3, 12>;  // derivative of a vector by all coordinates
using Row = Eigen::Matrix<double, 1, 12>;   // of a number

/// Second derivative of the angle: the product rule on gradientOf().
Stiffness<4> hessianOf(const Geometry& g) {
  // derivatives of the three edge vectors
  Rows de = Rows::Zero(), dd2 = Rows::Zero(), dd3 = Rows::Zero();
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
  de.block<3, 3>(0, 0) = dd2.block<3, 3>(0, 0) = dd3.block<3, 3>(0, 0) = -I;
  de.block<3, 3>(0, 3) = dd2.block<3, 3>(0, 6) = dd3.block<3, 3>(0, 9) = I;
  const Rows dn1 = crossMatrix(g.e) * dd2 - crossMatrix(g.d2) * de;
  const Rows dn2 = crossMatrix(g.d3) * de - crossMatrix(g.e) * dd3;
  const double ee = g.length * g.length;
  const Row dlength = g.e.transpose() * de / g.length;
  const Row dt2 = (g.e.transpose() * dd2 + (g.d2 - 2 * g.t2 * g.e).transpose() * de) / ee;
  const Row dt3 = (g.e.transpose() * dd3 + (g.d3 - 2 * g.t3 * g.e).transpose() * de) / ee;

  const auto derivative = [&](const Vec3& n, double area, const Rows& dn) -> Rows {
    return n * dlength / area + (g.length / area) * (dn - (2 / area) * n * (n.transpose() * dn));
  };
  const Nodes<4> gradient = gradientOf(g);
  const Rows h2 = derivative(g.n1, g.area1, dn1);
  const Rows h3 = derivative(g.n2, g.area2, dn2);
  Stiffness<4> H;
  H.middleRows<3>(6) = h2;
  H.middleRows<3>(9) = h3;
  H.middleRows<3>(0) = -(1 - g.t2) * h2 - (1 - g.t3) * h3 + gradient.col(2) * dt2 + gradient.col(3) * dt3;
  H.middleRows<3>(3) = -g.t2 * h2 - g.t3 * h3 - gradient.col(2) * dt2 - gradient.col(3) * dt3;
  return H;
}

Eigen::Matrix<double, 12, 1> flat(const Nodes<4>& g) {
  return Eigen::Map<const Eigen::Matrix<double, 12, 1>>(g.data());
}

double mobility(const Fold& fold, const Eigen::Vector4d& invmass) {
  return fold.gradient.colwise().squaredNorm().dot(invmass.transpose());
}

}  // namespace

Fold foldOf(const Nodes<4>& x) {
  Fold fold;
  const Geometry g = geometryOf(x);
  if (!g.valid) return fold;
  fold.valid = true;
  fold.angle = angleOf(g);
  fold.gradient = gradientOf(g);
  return fold;
}

double foldAngle(const Nodes<4>& x) {
  const Geometry g = geometryOf(x);
  return g.valid ? angleOf(g) : 0;
}

double DihedralHinge::energy(const Nodes<4>& x) const {
  const Geometry g = geometryOf(x);
  if (!g.valid) return 0;
  const double e = angleOf(g) - angle0;
  return 0.5 * k * e * e;
}

Nodes<4> DihedralHinge::force(const Nodes<4>& x) const {
  const Fold fold = foldOf(x);
  if (!fold.valid) return Nodes<4>::Zero();
  return -k * (fold.angle - angle0) * fold.gradient;
}

Stiffness<4> DihedralHinge::stiffness(const Nodes<4>& x, Tangent tangent) const {
  const Geometry g = geometryOf(x);
  if (!g.valid) return Stiffness<4>::Zero();
  const Eigen::Matrix<double, 12, 1> gradient = flat(gradientOf(g));
  Stiffness<4> K = k * gradient * gradient.transpose();
  if (tangent == Tangent::Exact) K += k * (angleOf(g) - angle0) * hessianOf(g);
  return K;
}

Nodes<4> DihedralHinge::damperForce(const Nodes<4>& x, const Nodes<4>& v, double b) {
  const Fold fold = foldOf(x);
  return -b * fold.gradient.cwiseProduct(v).sum() * fold.gradient;
}

Stiffness<4> DihedralHinge::damping(const Nodes<4>& x, double b) {
  const Eigen::Matrix<double, 12, 1> gradient = flat(foldOf(x).gradient);
  return b * gradient * gradient.transpose();
}

DihedralHinge dihedralHinge(const Nodes<4>& rest, double modulus) {
  const Geometry g = geometryOf(rest);
  DihedralHinge hinge;
  if (!g.valid) return hinge;
  hinge.k = modulus * g.length * g.length / (0.5 * (std::sqrt(g.area1) + std::sqrt(g.area2)));
  hinge.angle0 = angleOf(g);
  return hinge;
}

double stiffnessLimit(const Fold& fold, const Eigen::Vector4d& invmass, double h) {
  const double s = mobility(fold, invmass);
  return s > 0 ? 1 / (h * h * s) : std::numeric_limits<double>::infinity();
}

double dampingLimit(const Fold& fold, const Eigen::Vector4d& invmass, double h) {
  const double s = mobility(fold, invmass);
  return s > 0 ? 1 / (h * s) : std::numeric_limits<double>::infinity();
}

}  // namespace sinew::elastic
