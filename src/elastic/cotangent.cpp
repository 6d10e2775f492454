#include "elastic/cotangent.h"

#include <Eigen/QR>
#include <array>
#include <cmath>

#include "elastic/volume.h"

namespace sinew::elastic {
namespace {

double cotangent(const Vec3& a, const Vec3& b) { return a.dot(b) / a.cross(b).norm(); }

constexpr std::array<std::array<int, 2>, 5> kEdges{{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}}};

/// Takes the force at rest off: it does no work on rigid motions nor on the bending of rigid triangles, so it is a set
/// of tensions in the five edges (and, to remove what rounding leaves of it, of the volume term).
void relieve(CotangentHinge& hinge, const Nodes<4>& rest) {
  const Nodes<4> residual = rest * hinge.B + hinge.beta * volume6Gradient(rest);
  Eigen::Matrix<double, 12, 6> basis = Eigen::Matrix<double, 12, 6>::Zero();
  for (int a = 0; a < 5; ++a) {
    const auto [i, j] = kEdges[a];
    const Vec3 d = rest.col(i) - rest.col(j);
    basis.block<3, 1>(3 * i, a) = d;
    basis.block<3, 1>(3 * j, a) = -d;
  }
  const Nodes<4> n = volume6Gradient(rest);
  const double scale = (rest.col(1) - rest.col(0)).norm();
  basis.col(5) = Eigen::Map<const Eigen::Matrix<double, 12, 1>>(n.data()) / scale;
  const Eigen::Map<const Eigen::Matrix<double, 12, 1>> r(residual.data());
  const Eigen::Matrix<double, 6, 1> s = basis.colPivHouseholderQr().solve(r);
  for (int a = 0; a < 5; ++a) {
    const auto [i, j] = kEdges[a];
    hinge.B(i, i) -= s[a];
    hinge.B(j, j) -= s[a];
    hinge.B(i, j) += s[a];
    hinge.B(j, i) += s[a];
  }
  hinge.beta -= s[5] / scale;
}

}  // namespace

double CotangentHinge::energy(const Nodes<4>& x) const {
  // relative to the first point: large coordinates would cancel
  const Nodes<4> y = x.colwise() - Vec3(x.col(0));
  return 0.5 * (y * B).cwiseProduct(y).sum() + beta * volume6(y) - energy0;
}

Nodes<4> CotangentHinge::force(const Nodes<4>& x) const {
  const Nodes<4> y = x.colwise() - Vec3(x.col(0));
  if (beta == 0) return -(y * B);  // flat at rest
  return -(y * B + beta * volume6Gradient(y));
}

Stiffness<4> CotangentHinge::stiffness(const Nodes<4>& x, Tangent tangent) const {
  Stiffness<4> K = Stiffness<4>::Zero();
  const bool exact = tangent == Tangent::Exact;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double b = exact ? B(i, j) : kappa * c[i] * c[j];
      K.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(b);
    }
  }
  if (exact && beta != 0) K += beta * volume6Hessian(x);
  return K;
}

Nodes<4> CotangentHinge::referenceDamperForce(const Nodes<4>& v, double time, double cosRest) const {
  return -time * kappa * cosRest * (v * c) * c.transpose();
}

CotangentHinge cotangentHinge(const Nodes<4>& rest, double modulus) {
  CotangentHinge hinge;
  const Vec3 e = rest.col(1) - rest.col(0);
  const Vec3 d2 = rest.col(2) - rest.col(0);
  const Vec3 d3 = rest.col(3) - rest.col(0);
  const double areas = 0.5 * (e.cross(d2).norm() + e.cross(d3).norm());
  const double length = e.norm();
  if (!(areas > 0) || length < kMinLength) return hinge;
  // angles at x0 (1: towards x2, 2: towards x3) and at x1 (3, 4)
  const double cot1 = cotangent(e, d2);
  const double cot2 = cotangent(d3, e);
  const double cot3 = cotangent(rest.col(2) - rest.col(1), -e);
  const double cot4 = cotangent(-e, rest.col(3) - rest.col(1));
  hinge.c << cot3 + cot4, cot1 + cot2, -(cot1 + cot3), -(cot2 + cot4);
  hinge.kappa = modulus / areas;

  // edge normals within each triangle, as long as the edge: cos(theta0) = -tau1 . tau2 / |e|^2
  const Vec3 tau1 = -(cot3 * d2 + cot1 * (d2 - e));
  const Vec3 tau2 = -(cot4 * d3 + cot2 * (d3 - e));
  const double cosRest = -tau1.dot(tau2) / (length * length);
  hinge.B = hinge.kappa * cosRest * hinge.c * hinge.c.transpose();
  // -kappa |e|^2 sin(theta0) sin(theta): the volume is V = |e| h2 h3 sin(theta), heights h = |e| / (its two cotangents)
  const double heights = (cot1 + cot3) * (cot2 + cot4) / (length * length);
  hinge.beta = -hinge.kappa * heights * heights * volume6(rest);
  relieve(hinge, rest);
  hinge.energy0 = 0;
  hinge.energy0 = hinge.energy(rest);
  return hinge;
}

}  // namespace sinew::elastic
