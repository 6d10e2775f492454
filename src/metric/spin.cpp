#include "metric/spin.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "forces/derivative.h"
#include "forces/motion_force.h"
#include "inertia/inertia.h"
#include "kinematics/kinematics.h"
#include "kinematics/positions.h"
#include "math/index.h"
#include "math/quat.h"
#include "model/awake.h"
#include "model/workspace.h"

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

namespace {

bool hasFreeRoot(const Model& m, int tree) {
  const int joint = m.dof_jntid[m.tree_dofadr[tree]];
  return m.jnt_type[joint] == JointType::Free;
}

/// Nothing but a free joint moves the tree: it is one rigid body, of one or several bodies of the model.
bool isRigid(const Model& m, int tree) { return m.tree_dofnum[tree] == 6 && hasFreeRoot(m, tree); }

/// Inertia of a rigid tree at its centre of mass.
struct RigidInertia {
  Vec3 moments;
  Quat axes;  ///< principal axes in the frame of the root
  Vec3 com;   ///< in the world
};

RigidInertia inertiaOf(const Model& m, const Data& d, int tree) {
  const int body = m.tree_bodyadr[tree], dof = m.tree_dofadr[tree];
  if (isStandaloneFreeBody(m, body)) {
    return {vec3(m.body_inertia.data(), body), Quat::load(m.body_iquat.data() + 4 * body), vec3(d.xipos.data(), body)};
  }
  // M has it about the root's origin: I + mass (|r|^2 - r r')
  Mat3 I = Mat3::Zero();
  for (int r = 0; r < 3; ++r) {
    for (int k = m.M_rowadr[dof + 3 + r]; k < m.M_rowadr[dof + 3 + r] + m.M_rownnz[dof + 3 + r]; ++k) {
      const int c = m.M_colind[k] - dof - 3;
      if (c >= 0) I(r, c) = I(c, r) = d.M[k];
    }
  }
  const Vec3 com = vec3(d.subtree_com.data(), body);
  const Vec3 arm = mat3(d.xmat.data(), body).transpose() * (com - vec3(d.xpos.data(), body));
  const double mass = m.body_subtreemass[body];
  I -= mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(I);
  Mat3 axes = eigen.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) = -axes.col(0);
  return {eigen.eigenvalues(), fromMatrix(axes), com};
}

}  // namespace

void spinRigidTrees(const Model& m, Data& d, SpinOf which) {
  const double h = m.opt.timestep;
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (m.tree_bodynum[tree] == 0 || treeAsleep(d, tree) || !isRigid(m, tree)) continue;
    const int body = m.tree_bodyadr[tree], dof = m.tree_dofadr[tree];
    if (which == SpinOf::Composites && isStandaloneFreeBody(m, body)) continue;
    const ConstMapVec3 qvel(d.qvel.data() + dof + 3);
    if (qvel.isZero(0) || m.dof_armature[dof + 3] != 0) continue;
    const auto [inertia, axes, com] = inertiaOf(m, d, tree);
    if (!(inertia.minCoeff() > 0) || (inertia.x() == inertia.z() && inertia.x() == inertia.y())) continue;
    const Vec3 w = rotate(axes.conjugate(), qvel);
    const Vec3 explicitly = -w.cross(inertia.cwiseProduct(w)).cwiseQuotient(inertia);
    const Vec3 change = rotate(axes, Vec3((freeSpin(inertia, w, h) - w) / h - explicitly));
    // a torque does not move the centre of mass; the frame's origin goes around it
    const Vec3 arm = com - vec3(d.xpos.data(), body);
    MapVec3(d.work->qacc_free.data() + dof) -= rotate(Quat::load(d.xquat.data() + 4 * body), change).cross(arm);
    MapVec3(d.work->qacc_free.data() + dof + 3) += change;
  }
}

namespace {

/// A tree with joints that tumbles.
struct Tumbling {
  int tree = 0;
  bool free = false;                          ///< its root is: then momentum is kept as well
  double energy = 0;                          ///< of motion, J
  double change = 0;                          ///< |h a| / |v| in the metric M, a being the acceleration by motion alone
  std::array<double, 3> linear{}, angular{};  ///< momentum, the angular one about the centre of mass

  int begin(const Model& m) const { return m.tree_dofadr[tree]; }
  int end(const Model& m) const { return m.tree_dofadr[tree] + m.tree_dofnum[tree]; }
};

double dot(const double* x, const double* y, int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; ++i) sum += x[i] * y[i];
  return sum;
}

/// Angular momentum about the centre of mass from the generalized momentum p = M v of a free root, which is about its
/// origin, in its own axes.
Vec3 angularMomentum(const Model& m, const Data& d, const Tumbling& t, const double* p) {
  const int body = m.tree_bodyadr[t.tree], dof = t.begin(m);
  const Vec3 arm = vec3(d.subtree_com.data(), body) - vec3(d.xpos.data(), body);
  return mat3(d.xmat.data(), body) * ConstMapVec3(p + dof + 3) - arm.cross(Vec3(ConstMapVec3(p + dof)));
}

/// The block of M of the six dofs of a free root.
Mat6 rootBlock(const Model& m, const Data& d, int dof) {
  Mat6 A = Mat6::Zero();
  for (int r = 0; r < 6; ++r) {
    for (int k = m.M_rowadr[dof + r]; k < m.M_rowadr[dof + r] + m.M_rownnz[dof + r]; ++k) {
      const int c = m.M_colind[k] - dof;
      if (c >= 0) A(r, c) = A(c, r) = d.M[k];
    }
  }
  return A;
}

/// Changes the velocities v of a tree such that, where it is now, momentum and energy are those of `t`; p = M v.
/// Momentum is restored by moving the tree as one rigid body. The rest of the motion, which has no momentum, then has
/// the energy that is left: a factor restores it, as far as the step changes velocities at all. What still is too much
/// energy is taken from all of the motion.
void restore(const Model& m, const Data& d, const Tumbling& t, const double* p, double* v) {
  const int begin = t.begin(m), end = t.end(m);
  double energy = 0.5 * dot(v, p, begin, end);
  if (t.free) {
    const int body = m.tree_bodyadr[t.tree];
    const Eigen::LLT<Mat6> root(rootBlock(m, d, begin));
    const Vec3 arm = vec3(d.subtree_com.data(), body) - vec3(d.xpos.data(), body);
    Vec6 target;
    const ConstMapVec3 linear(t.linear.data()), angular(t.angular.data());
    target << linear, mat3(d.xmat.data(), body).transpose() * (angular + arm.cross(linear));
    const Vec6 now = ConstMapVec6(p + begin), whole = root.solve(target);
    MapVec6 vr(v + begin);
    const Vec6 shift = root.solve(Vec6(target - now));
    vr += shift;
    const double together = 0.5 * target.dot(whole);
    // energy with the root's momentum replaced: that of the joints beyond the rigid motion stays what it was
    const double apart = energy - 0.5 * now.dot(root.solve(now));
    double factor = 1;
    if (apart > 0) {
      const double wanted = std::sqrt(std::max(0.0, t.energy - together) / apart);
      factor = std::min(wanted, 1 + t.change);
    }
    // v = whole + what has no momentum
    vr = whole + factor * (Vec6(vr) - whole);
    for (int i = begin + 6; i < end; ++i) v[i] *= factor;
    energy = together + factor * factor * std::max(0.0, apart);
  }
  const double all = std::sqrt(t.energy / energy);
  if (t.free ? energy > t.energy : energy > 0) {
    for (int i = begin; i < end; ++i) v[i] *= all;
  }
}

}  // namespace

namespace {

/// Whether a row acts on the tree: then contacts decide where it goes.
bool hasRows(const Model& m, const Data& d, int tree) {
  return std::any_of(d.row_block.begin(), d.row_block.end(), [&](const RowBlock& block) {
    const int* column = d.row_column.data() + block.column;
    return std::any_of(column, column + block.ncol, [&](int dof) { return m.dof_treeid[dof] == tree; });
  });
}

}  // namespace

void spinTrees(const Model& m, Data& d) {
  /// Energy that an explicit step adds, as a share, below which nothing is done; how much of a velocity may change in a
  /// part of the step; and how many parts there are at most.
  constexpr double kNoticeable = 1e-8, kChange = 0.1;
  constexpr int kMostParts = 20;
  const double h = m.opt.timestep;
  const auto tumbles = [&](int tree) {
    return m.tree_bodynum[tree] > 0 && m.tree_dofnum[tree] > 1 && !treeAsleep(d, tree) && !isRigid(m, tree);
  };
  bool any = false;
  for (int tree = 0; tree < m.ntree && !any; ++tree) any = tumbles(tree);
  if (!any) return;

  Arena& arena = d.work->arena;
  const Arena::Scope scope(arena);
  const std::span<double> first = arena.zeros<double>(m.nv), p = arena.zeros<double>(m.nv);
  const std::span<double> a = arena.zeros<double>(m.nv);
  // acceleration by motion alone
  const auto accelerate = [&](std::span<double> acceleration) {
    motionForce(m, d, acceleration.data());
    for (double& x : acceleration) x = -x;
    solveMass(m, d, acceleration.data());
  };
  accelerate(first);
  multiplyMass(m, d, first.data(), a.data());
  multiplyMass(m, d, d.qvel.data(), p.data());
  const std::span<Tumbling> all = arena.take<Tumbling>(m.ntree);
  std::size_t count = 0;
  double most = 0;
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (!tumbles(tree)) continue;
    Tumbling t;
    t.tree = tree;
    t.free = hasFreeRoot(m, tree);
    const double added = 0.5 * h * h * dot(a.data(), first.data(), t.begin(m), t.end(m));
    t.energy = 0.5 * dot(d.qvel.data(), p.data(), t.begin(m), t.end(m));
    if (!(added > kNoticeable * t.energy) || !std::isfinite(added)) continue;
    t.change = std::sqrt(added / t.energy);
    most = std::max(most, t.change);
    if (t.free) {
      std::copy_n(p.data() + t.begin(m), 3, t.linear.begin());
      MapVec3{t.angular.data()} = angularMomentum(m, d, t, p.data());
    }
    all[count++] = t;
  }
  if (count == 0) return;
  const std::span<const Tumbling> trees = all.first(count);

  const auto copyOf = [&](const Array<double>& x) {
    const std::span<double> copy = arena.take<double>(x.size());
    std::copy(x.begin(), x.end(), copy.begin());
    return copy;
  };
  const std::span<double> qpos = copyOf(d.qpos), qvel = copyOf(d.qvel);
  const std::span<double> q = copyOf(d.qpos), v = arena.zeros<double>(m.nv), w = arena.zeros<double>(m.nv);
  const auto forEachDof = [&](const auto& f) {
    for (const Tumbling& t : trees) {
      for (int i = t.begin(m); i < t.end(m); ++i) f(static_cast<std::size_t>(i));
    }
  };
  const auto evaluateAt = [&](std::span<const double> position, std::span<const double> velocity) {
    std::copy(position.begin(), position.end(), d.qpos.begin());
    forEachDof([&](std::size_t i) { d.qvel[static_cast<std::ptrdiff_t>(i)] = velocity[i]; });
    kinematics(m, d);
    comPos(m, d);
    massMatrix(m, d);
    factorMass(m, d);
    comVel(m, d);
  };
  // the motion if nothing else acts, by the midpoint method in parts of the step
  forEachDof([&](std::size_t i) { v[i] = qvel[i]; });
  const int parts = std::max(1, ceilWithin(most / kChange, kMostParts));
  const double part = h / parts;
  const std::span<double> middle = arena.take<double>(m.nq);
  for (int k = 0; k < parts; ++k) {
    if (k > 0) {
      evaluateAt(q, v);
      accelerate(a);
    } else {
      std::copy(first.begin(), first.end(), a.begin());
    }
    std::copy(q.begin(), q.end(), middle.begin());
    integratePositions(m, middle.data(), v.data(), 0.5 * part);
    forEachDof([&](std::size_t i) { w[i] = v[i] + 0.5 * part * a[i]; });
    evaluateAt(middle, w);
    accelerate(a);
    forEachDof([&](std::size_t i) { v[i] += part * a[i]; });
    integratePositions(m, q.data(), w.data(), part);
  }
  // exactly the energy and the momentum it started with
  evaluateAt(q, v);
  multiplyMass(m, d, v.data(), p.data());
  for (const Tumbling& t : trees) restore(m, d, t, p.data(), v.data());
  std::fill(w.begin(), w.end(), 0.0);
  differentiatePositions(m, w.data(), h, qpos.data(), q.data());

  forEachDof([&](std::size_t i) { w[i] -= v[i]; });
  evaluateAt(qpos, qvel);  // back to where the step starts
  for (const Tumbling& t : trees) {
    const bool moves = !hasRows(m, d, t.tree);
    for (int i = t.begin(m); i < t.end(m); ++i) {
      const auto k = static_cast<std::size_t>(i);
      d.work->qacc_free[i] += (v[k] - qvel[k]) / h - first[k];
      if (moves) d.work->qvel_correction[i] = w[k];
    }
  }
}

}  // namespace sinew
