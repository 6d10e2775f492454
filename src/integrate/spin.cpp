#include "integrate/spin.h"

#include <Eigen/LU>
#include <cmath>

#include "forces/derivative.h"
#include "math/quat.h"
#include "model/awake.h"

namespace sinew {

// Euler's equations I dw/dt = -w x (I w). An explicit step adds the energy h^2/2 t . inv(I) t, t being the torque, in
// every step. The implicit midpoint rule keeps all quadratic invariants, energy and |I w| among them:
//   I (w' - w) = -h x x (I x),  x = (w + w')/2.
// It is solved for x by Newton's method. Should that not get there, as at radians per step, a factor restores the
// energy.
Vec3 freeSpin(const Vec3& inertia, const Vec3& w, double h) {
  constexpr int kIterations = 8;
  constexpr double kLastChange = 1e-8;  // relative; what is left is its square
  Vec3 x = w;
  for (int i = 0; i < kIterations; ++i) {
    const Vec3 momentum = inertia.cwiseProduct(x);
    const Vec3 lacking = 2 * inertia.cwiseProduct(x - w) + h * x.cross(momentum);
    Mat3 slope = h * (crossMatrix(x) * inertia.asDiagonal() - crossMatrix(momentum));
    slope.diagonal() += 2 * inertia;
    const Vec3 change = slope.inverse() * lacking;
    if (!change.allFinite()) break;
    x -= change;
    if (change.squaredNorm() <= kLastChange * kLastChange * w.squaredNorm()) break;
  }
  const Vec3 next = 2 * x - w;
  const double before = inertia.dot(w.cwiseAbs2()), after = inertia.dot(next.cwiseAbs2());
  return after > 0 && std::isfinite(after) ? Vec3(next * std::sqrt(before / after)) : w;
}

void spinFreeBodies(const Model& m, Data& d) {
  const double h = m.opt.timestep;
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (m.tree_bodynum[tree] == 0 || treeAsleep(d, tree)) continue;
    const int body = m.tree_bodyadr[tree];
    if (!isStandaloneFreeBody(m, body)) continue;
    const int dof = m.tree_dofadr[tree];
    const Vec3 inertia = vec3(m.body_inertia.data(), body);
    const ConstMapVec3 qvel(d.qvel.data() + dof + 3);
    if (inertia.x() == inertia.z() && inertia.x() == inertia.y()) continue;
    if (qvel.isZero(0) || m.dof_armature[dof + 3] != 0) continue;
    const Quat axes = Quat::load(m.body_iquat.data() + 4 * body);
    const Vec3 w = rotate(axes.conjugate(), qvel);
    const Vec3 explicitly = -w.cross(inertia.cwiseProduct(w)).cwiseQuotient(inertia);
    const Vec3 change = rotate(axes, Vec3((freeSpin(inertia, w, h) - w) / h - explicitly));
    // a torque does not move the centre of mass; the frame's origin goes around it
    const Vec3 arm = vec3(d.xipos.data(), body) - vec3(d.xpos.data(), body);
    MapVec3(d.qacc.data() + dof) -= rotate(Quat::load(d.xquat.data() + 4 * body), change).cross(arm);
    MapVec3(d.qacc.data() + dof + 3) += change;
  }
}

}  // namespace sinew
