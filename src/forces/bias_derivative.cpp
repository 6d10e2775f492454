#include <span>

#include "forces/derivative.h"
#include "math/spatial.h"
#include "math/types.h"
#include "model/workspace.h"

// Derivative of the Newton-Euler bias force with respect to velocity, in one sweep over a tree with 6x6 composites
// (compare [Singh, Russell, Wensing 2022]). All spatial vectors are at the tree's centre of mass, angular part first;
// the frame counts as fixed, so body k with velocity v_k and inertia I_k feels
//   f_k = I_k a_k + v_k x* I_k v_k,   v_k = sum_j S_j q'_j,   a_k = sum_j S'_j q'_j,   S'_j = v_before(j) x S_j
// over the dofs j that move it. Dofs come in blocks (a scalar joint; the rotations of a ball; translations, rotations
// of a free joint) whose members do not enter each other's S', so with v_with(j), the velocity after j's block,
//   d a_k / d q'_j = S'_j + S_j x (v_k - v_with(j)) = psi_j - v_k x S_j,   psi_j = S'_j + v_with(j) x S_j
//   d f_k / d q'_j = I_k psi_j + E_k S_j,   E_k S = v_k x* I_k S + S x* I_k v_k - I_k (v_k x S).
// The force on dof i is S_i' summed over the bodies beyond i; j moves those beyond j. So with sums I, E over the
// subtree of the later of the two bodies, call its dof `late`:
//   d tau_i / d q'_j = S_i' (I_late psi_j + E_late S_j).
namespace sinew {
namespace {

/// [v x], the matrix of crossMotion(); that of v x* is -[v x]'.
Mat6 crossMotionMatrix(const Vec6& v) {
  Mat6 result = Mat6::Zero();
  const Mat3 w = crossMatrix(v.head<3>());
  result.topLeftCorner<3, 3>() = w;
  result.bottomRightCorner<3, 3>() = w;
  result.bottomLeftCorner<3, 3>() = crossMatrix(v.tail<3>());
  return result;
}

/// The matrix of S -> S x* f for a force vector f = (torque, force): (S_ang x t + S_lin x f, S_ang x f).
Mat6 crossForceMatrix(const Vec6& f) {
  Mat6 result = Mat6::Zero();
  const Mat3 force = crossMatrix(f.tail<3>());
  result.topLeftCorner<3, 3>() = -crossMatrix(f.head<3>());
  result.topRightCorner<3, 3>() = -force;
  result.bottomLeftCorner<3, 3>() = -force;
  return result;
}

/// 6x6 matrix of a compact inertia: tensor (xx yy zz xy xz yz), mass times offset c, mass.
Mat6 inertiaMatrix(const double* cinert) {
  Mat6 I = Mat6::Zero();
  I.topLeftCorner<3, 3>() << cinert[0], cinert[3], cinert[4], cinert[3], cinert[1], cinert[5], cinert[4], cinert[5],
      cinert[2];
  const Mat3 c = crossMatrix(Vec3(cinert[6], cinert[7], cinert[8]));
  I.topRightCorner<3, 3>() = c;
  I.bottomLeftCorner<3, 3>() = -c;
  I.bottomRightCorner<3, 3>().diagonal().setConstant(cinert[9]);
  return I;
}

Mat6 velocityTerm(const Mat6& I, const Vec6& v) {
  const Mat6 V = crossMotionMatrix(v);
  return -V.transpose() * I + crossForceMatrix(I * v) - I * V;
}

Eigen::Map<Mat6> mat6(std::span<double> array, int i) { return Eigen::Map<Mat6>(array.data() + 36 * i); }

/// psi_j of every dof of `body`, written at psi[6 (j - firstDof)].
void blockTerms(const Model& m, const Data& d, int body, int firstDof, double* psi) {
  Vec6 v = vec6(d.cvel.data(), m.body_parentid[body]);
  const auto block = [&](int dof, int count) {
    for (int j = dof; j < dof + count; ++j) v += vec6(d.cdof.data(), j) * d.qvel[j];
    for (int j = dof; j < dof + count; ++j) {
      double* psi_j = psi + 6 * (j - firstDof);
      crossMotion(psi_j, v.data(), &d.cdof[6 * j]);
      add6(psi_j, &d.cdof_dot[6 * j]);
    }
  };
  for (int joint = m.body_jntadr[body]; joint < m.body_jntadr[body] + m.body_jntnum[body]; ++joint) {
    const int dof = m.jnt_dofadr[joint];
    switch (m.jnt_type[joint]) {
      case JointType::Free:
        block(dof, 3);
        block(dof + 3, 3);
        break;
      case JointType::Ball:
        block(dof, 3);
        break;
      case JointType::Slide:
      case JointType::Hinge:
        block(dof, 1);
        break;
    }
  }
}

}  // namespace

void subtractBiasDerivative(const Model& m, Data& d, int tree, double times) {
  const int firstBody = m.tree_bodyadr[tree];
  const int bodyCount = m.tree_bodynum[tree];
  const int firstDof = m.tree_dofadr[tree];
  const int dofCount = m.tree_dofnum[tree];
  const Arena::Scope scope(d.work->arena);
  const std::span<double> inertias = d.work->arena.take<double>(36 * bodyCount);  // I, then its sum over the subtree
  const std::span<double> terms = d.work->arena.take<double>(36 * bodyCount);     // E, then its sum over the subtree
  const std::span<double> psi = d.work->arena.take<double>(6 * dofCount);

  for (int k = 0; k < bodyCount; ++k) {
    const int body = firstBody + k;
    mat6(inertias, k) = inertiaMatrix(&d.cinert[10 * body]);
    mat6(terms, k) = velocityTerm(mat6(inertias, k), vec6(d.cvel.data(), body));
    blockTerms(m, d, body, firstDof, psi.data());
  }
  for (int k = bodyCount - 1; k > 0; --k) {
    const int parent = m.body_parentid[firstBody + k] - firstBody;
    mat6(inertias, parent) += mat6(inertias, k);
    mat6(terms, parent) += mat6(terms, k);
  }

  for (int late = firstDof; late < firstDof + dofCount; ++late) {
    const int k = m.dof_bodyid[late] - firstBody;
    const Vec6 S = vec6(d.cdof.data(), late);
    const Vec6 column = mat6(inertias, k) * vec6(psi.data(), late - firstDof) + mat6(terms, k) * S;
    const Vec6 rowPsi = mat6(inertias, k) * S;  // I is symmetric
    const Vec6 rowS = mat6(terms, k).transpose() * S;
    const int adr = m.D_rowadr[late];
    for (int e = 0; e < m.D_diag[late]; ++e) {
      const int early = m.D_colind[adr + e];
      d.qDeriv[adr + e] -=
          times * (rowPsi.dot(vec6(psi.data(), early - firstDof)) + rowS.dot(vec6(d.cdof.data(), early)));
      d.qDeriv[entryOfD(m, early, late)] -= times * column.dot(vec6(d.cdof.data(), early));
    }
    d.qDeriv[adr + m.D_diag[late]] -= times * column.dot(S);
  }
}

}  // namespace sinew
