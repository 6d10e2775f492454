#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <span>

#include "forces/derivative.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "integrate/integrate.h"
#include "integrate/sparse_lu.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// qLU = M - h qDeriv, all of pattern D.
void unsymmetricMatrix(const Model& m, Data& d) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    const int last = end < m.nv ? m.D_rowadr[end] : m.nD;
    for (int k = m.D_rowadr[begin]; k < last; ++k) {
      const double M = m.mapM2D[k] >= 0 ? d.M[m.mapM2D[k]] : 0;
      d.qLU[k] = M - m.opt.timestep * d.qDeriv[k];
    }
  });
}

/// qH = lower triangle of M - h qDeriv in the pattern of M.
void symmetricMatrix(const Model& m, Data& d) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    const int last = end < m.nv ? m.M_rowadr[end] : m.nM;
    for (int k = m.M_rowadr[begin]; k < last; ++k) d.qH[k] = d.M[k] - m.opt.timestep * d.qDeriv[m.mapD2M[k]];
  });
}

/// M - h qDeriv of the six dofs of a standalone free body, starting at `dof`.
Mat6 freeBodyMatrix(const Model& m, const Data& d, int dof) {
  Mat6 A = Mat6::Zero();
  for (int r = 0; r < 6; ++r) {
    const int adr = m.M_rowadr[dof + r];
    for (int k = adr; k < adr + m.M_rownnz[dof + r]; ++k) {
      const int c = m.M_colind[k] - dof;
      A(r, c) = A(c, r) = d.M[k];
    }
  }
  for (int r = 0; r < 6; ++r) {
    const int adr = m.D_rowadr[dof + r];
    for (int k = adr; k < adr + m.D_rownnz[dof + r]; ++k) A(r, m.D_colind[k] - dof) -= m.opt.timestep * d.qDeriv[k];
  }
  return A;
}

/// Calls f(first dof) for every standalone free body that is awake.
template <class F>
void forEachFreeBody(const Model& m, const Data& d, F&& f) {
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (m.tree_bodynum[tree] == 0 || treeAsleep(d, tree)) continue;
    if (isStandaloneFreeBody(m, m.tree_bodyadr[tree])) f(m.tree_dofadr[tree]);
  }
}

/// qH = M for the six dofs of a standalone free body, starting at `dof`.
void useInertia(const Model& m, Data& d, int dof) {
  const int begin = m.M_rowadr[dof], end = m.M_rowadr[dof + 5] + m.M_rownnz[dof + 5];
  std::copy(d.M.data() + begin, d.M.data() + end, d.qH.data() + begin);
}

/// qH = the symmetric part of M - h qDeriv, without the derivative of the bias force, for the six dofs of a standalone
/// free body, as far as the pattern of M has it; M if that is not positive definite. Damping resists an impulse, the
/// gyroscopic force does not: where nothing damps the body this is M.
void useSymmetricPart(const Model& m, Data& d, int dof) {
  const int first = m.D_rowadr[dof], count = m.D_rowadr[dof + 5] + m.D_rownnz[dof + 5] - first;
  std::array<double, 36> kept{};
  std::copy_n(d.qDeriv.data() + first, count, kept.begin());
  subtractBiasDerivative(m, d, m.dof_treeid[dof], -1);
  const Mat6 A = freeBodyMatrix(m, d, dof);
  std::copy_n(kept.begin(), count, d.qDeriv.data() + first);
  Mat6 S = Mat6::Zero();
  for (int r = 0; r < 6; ++r) {
    for (int k = m.M_rowadr[dof + r]; k < m.M_rowadr[dof + r] + m.M_rownnz[dof + r]; ++k) {
      const int c = m.M_colind[k] - dof;
      S(r, c) = S(c, r) = 0.5 * (A(r, c) + A(c, r));
    }
  }
  const Eigen::LLT<Mat6> factor(S);
  if (factor.info() != Eigen::Success) return useInertia(m, d, dof);
  for (int r = 0; r < 6; ++r) {
    for (int k = m.M_rowadr[dof + r]; k < m.M_rowadr[dof + r] + m.M_rownnz[dof + r]; ++k) {
      d.qH[k] = S(r, m.M_colind[k] - dof);
    }
  }
}

/// What stands for the matrix of a standalone free body, which is not symmetric, in the factor of all.
enum class FreeBodies { Inertia, SymmetricPart };

/// qH, qHDiagInv = factor of the symmetric part of M - h qDeriv.
void factorSymmetric(const Model& m, Data& d, FreeBodies rule) {
  symmetricMatrix(m, d);
  forEachFreeBody(m, d,
                  [&](int dof) { rule == FreeBodies::Inertia ? useInertia(m, d, dof) : useSymmetricPart(m, d, dof); });
  factorTree(m, d, d.qH.data(), d.qHDiagInv.data(), Pivots::Any);
}

/// a <- inv(M - h dF/dv) a with the full, unsymmetric derivative.
void solveImplicit(const Model& m, Data& d, double* a) {
  unsymmetricMatrix(m, d);
  factorUL(m, d, d.qLU.data());
  solveUL(m, d, d.qLU.data(), a);
}

/// The same with the symmetric part only; the blocks of free bodies, which nothing couples to the rest, are solved as
/// they are. Tumbling bodies are where the missing derivative of the bias force would show most.
void solveImplicitFast(const Model& m, Data& d, double* a, FreeBodies rule) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> force = d.work->arena.take<double>(m.nv);
  std::copy_n(a, m.nv, force.data());
  factorSymmetric(m, d, rule);
  solveTree(m, d, d.qH.data(), d.qHDiagInv.data(), a);
  forEachFreeBody(m, d, [&](int dof) {
    const Eigen::PartialPivLU<Mat6> lu(freeBodyMatrix(m, d, dof));
    if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() < kMinVal) return;  // singular: leave the solution with qH
    const Vec6 solution = lu.solve(ConstMapVec6(&force[static_cast<std::size_t>(dof)]));
    MapVec6{a + dof} = solution;
  });
}

}  // namespace

void integrateImplicit(const Model& m, Data& d, bool fast) {
  velocityDerivative(m, d, fast);
  const Arena::Scope scope(d.work->arena);
  const std::span<double> a = d.work->arena.zeros<double>(m.nv);
  forEachAwakeDof(m, d, [&](int i) { a[static_cast<std::size_t>(i)] = d.qfrc_smooth[i] + d.qfrc_constraint[i]; });
  if (fast) {
    solveImplicitFast(m, d, a.data(), FreeBodies::Inertia);
  } else {
    solveImplicit(m, d, a.data());
  }
  // the metric of stiff parts had all of that already
  if (stiffnessIsImplicit(m)) {
    for (const int dof : m.stiff_dof) a[static_cast<std::size_t>(dof)] = d.qacc[dof];
  }
  advance(m, d, d.act_dot.data(), a.data(), nullptr);
}

void impulseMetricImplicit(const Model& m, Data& d, bool fast) {
  velocityDerivative(m, d, fast);
  std::copy(d.qacc_smooth.begin(), d.qacc_smooth.end(), d.qacc.begin());
  forEachAwakeDof(m, d, [&](int i) { d.qacc[i] = d.qfrc_smooth[i]; });
  if (fast) {
    solveImplicitFast(m, d, d.qacc.data(), FreeBodies::SymmetricPart);
  } else {
    solveImplicit(m, d, d.qacc.data());
    velocityDerivative(m, d, true);  // impulses need a symmetric matrix
    factorSymmetric(m, d, FreeBodies::SymmetricPart);
  }
  bool definite = true;
  forEachAwakeDof(m, d, [&](int i) { definite = definite && d.qHDiagInv[i] > 0; });
  if (!definite) {
    std::copy(d.qLD.begin(), d.qLD.end(), d.qH.begin());
    std::copy(d.qLDiagInv.begin(), d.qLDiagInv.end(), d.qHDiagInv.begin());
  }
  // the metric of stiff parts has all of that already
  if (stiffnessIsImplicit(m)) {
    for (const int dof : m.stiff_dof) d.qacc[dof] = d.qacc_smooth[dof];
  }
}

void discreteForceImplicit(const Model& m, Data& d, bool fast, const double* acceleration, double* qfrc) {
  velocityDerivative(m, d, fast);
  if (!fast) {
    unsymmetricMatrix(m, d);
    multiplyD(m, d.qLU.data(), acceleration, qfrc);
    return;
  }
  symmetricMatrix(m, d);
  std::fill_n(qfrc, m.nv, 0.0);
  for (int i = 0; i < m.nv; ++i) {
    const int diagonal = m.M_rowadr[i] + m.M_rownnz[i] - 1;
    for (int k = m.M_rowadr[i]; k < diagonal; ++k) {
      const int j = m.M_colind[k];
      qfrc[i] += d.qH[k] * acceleration[j];
      qfrc[j] += d.qH[k] * acceleration[i];
    }
    qfrc[i] += d.qH[diagonal] * acceleration[i];
  }
  forEachFreeBody(m, d, [&](int dof) {
    const Vec6 force = freeBodyMatrix(m, d, dof) * ConstMapVec6(acceleration + dof);
    MapVec6{qfrc + dof} = force;
  });
}

}  // namespace sinew
