#include "dynamics/momentum.h"

#include "kinematics/jacobian.h"
#include "math/types.h"

namespace sinew {

Momentum momentum(const Model& m, const Data& d, const Vector3& point) {
  const Vec3 about(point[0], point[1], point[2]);
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_treeid[b] < 0) continue;
    const Vec3 com = vec3(d.xipos.data(), b);
    const PointVelocity v = pointVelocity(m, d, b, com);
    const ConstMapMat3 R = mat3(d.ximat.data(), b);
    const Vec3 p = m.body_mass[b] * v.linear;
    linear += p;
    angular += (com - about).cross(p);
    angular += R * vec3(m.body_inertia.data(), b).cwiseProduct(R.transpose() * v.angular);
  }
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) continue;
    const Vec3 p = m.flexnode_mass[node] * vec3(d.qvel.data() + m.nv_rigid, node);
    linear += p;
    angular += (vec3(d.qpos.data() + m.nq_rigid, node) - about).cross(p);
  }
  return {{linear.x(), linear.y(), linear.z()}, {angular.x(), angular.y(), angular.z()}};
}

}  // namespace sinew
