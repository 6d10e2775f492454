#include "elastic/spring.h"

#include <algorithm>

namespace sinew::elastic {
namespace {

/// The matrix that couples both ends by `block`: [B -B; -B B].
Stiffness<2> coupled(const Eigen::Matrix3d& block) {
  Stiffness<2> K;
  K << block, -block, -block, block;
  return K;
}

}  // namespace

double EdgeSpring::energy(const Nodes<2>& x) const {
  const double stretch = (x.col(1) - x.col(0)).norm() - length0;
  return 0.5 * k * stretch * stretch;
}

Nodes<2> EdgeSpring::force(const Nodes<2>& x) const {
  const Vec3 d = x.col(1) - x.col(0);
  const double length = d.norm();
  Nodes<2> f = Nodes<2>::Zero();
  if (length < kMinLength) return f;
  f.col(0) = d * (k * (length - length0) / length);
  f.col(1) = -f.col(0);
  return f;
}

// K = k (u u' + (1 - L0/L)(I - u u')): the second part is the tension's, negative when the spring is pushed together
Eigen::Matrix3d EdgeSpring::stiffnessBlock(const Nodes<2>& x, Tangent tangent) const {
  const Vec3 d = x.col(1) - x.col(0);
  const double length = d.norm();
  if (k == 0 || length < kMinLength) return Eigen::Matrix3d::Zero();
  const Vec3 u = d / length;
  double tension = 1 - length0 / length;
  if (tangent == Tangent::Definite) tension = std::max(0.0, tension);
  const Eigen::Matrix3d along = u * u.transpose();
  return k * (along + tension * (Eigen::Matrix3d::Identity() - along));
}

Stiffness<2> EdgeSpring::stiffness(const Nodes<2>& x, Tangent tangent) const {
  return coupled(stiffnessBlock(x, tangent));
}

Nodes<2> EdgeSpring::damperForce(const Nodes<2>& x, const Nodes<2>& v) const {
  const Vec3 d = x.col(1) - x.col(0);
  const double length = d.norm();
  Nodes<2> f = Nodes<2>::Zero();
  if (length < kMinLength) return f;
  const Vec3 u = d / length;
  f.col(0) = u * (c * u.dot(v.col(1) - v.col(0)));
  f.col(1) = -f.col(0);
  return f;
}

Eigen::Matrix3d EdgeSpring::dampingBlock(const Nodes<2>& x) const {
  const Vec3 d = x.col(1) - x.col(0);
  const double length = d.norm();
  if (length < kMinLength) return Eigen::Matrix3d::Zero();
  const Vec3 u = d / length;
  return c * u * u.transpose();
}

Stiffness<2> EdgeSpring::damping(const Nodes<2>& x) const { return coupled(dampingBlock(x)); }

}  // namespace sinew::elastic
