#include "metric/step_matrix.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <span>

#include "forces/damper.h"
#include "forces/derivative.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "math/sparse/sparse_lu.h"
#include "math/types.h"
#include "metric/spin.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

sparse::TreeRows patternD(const Model& m) {
  return {m.nv, m.D_rownnz.data(), m.D_rowadr.data(), m.D_diag.data(), m.D_colind.data()};
}

/// h times the rate of every dof damper into `rates` (nv numbers, set for what is awake). False, and nothing written,
/// if damping is integrated explicitly or there is none. What sleeps counts, so that the way what is awake is
/// integrated does not depend on it.
bool implicitDamping(const Model& m, Data& d, std::span<double> rates) {
  if (m.opt.disabled(disable::kEulerDamp | disable::kDamper)) return false;
  const Arena::Scope scope(d.work->arena);
  const std::span<DampingLaw> laws = d.work->arena.take<DampingLaw>(m.nv);
  dofDamping(m, d, laws);
  const auto damps = [](const DampingLaw& law) { return law.b0 > 0 || law.b1 != 0 || law.b2 != 0; };
  bool any = false;
  forEachAwakeRun(
      m, d, [&](int begin, int end) { any = any || std::any_of(laws.begin() + begin, laws.begin() + end, damps); });
  if (!any && !sleepingDofDamps(m, d)) return false;
  forEachAwakeDof(m, d, [&](int i) {
    const std::size_t k = static_cast<std::size_t>(i);
    rates[k] = m.opt.timestep * laws[k].rate(d.qvel[i]);
  });
  return true;
}

/// qH = M + h B. False, and nothing written, if A is M.
bool dampedMatrix(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> rates = d.work->arena.take<double>(m.nv);
  if (!implicitDamping(m, d, rates)) return false;
  copyAwakeRows(m, d, d.M.data(), d.qH.data());
  forEachAwakeDof(m, d, [&](int i) { d.qH[m.M_rowadr[i] + m.M_rownnz[i] - 1] += rates[i]; });
  return true;
}

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

/// qH, qHDiagInv = factor of the symmetric part of M - h qDeriv, which is in qH.
void factorSymmetric(const Model& m, Data& d, FreeBodies rule) {
  forEachFreeBody(m, d,
                  [&](int dof) { rule == FreeBodies::Inertia ? useInertia(m, d, dof) : useSymmetricPart(m, d, dof); });
  factorTree(m, d, d.qH.data(), d.qHDiagInv.data(), Pivots::Any);
}

/// y = A x for a symmetric matrix in the pattern of M.
void multiplySymmetric(const Model& m, const double* A, const double* x, double* y) {
  std::fill_n(y, m.nv, 0.0);
  for (int i = 0; i < m.nv; ++i) {
    const int diagonal = m.M_rowadr[i] + m.M_rownnz[i] - 1;
    for (int k = m.M_rowadr[i]; k < diagonal; ++k) {
      const int j = m.M_colind[k];
      y[i] += A[k] * x[j];
      y[j] += A[k] * x[i];
    }
    y[i] += A[diagonal] * x[i];
  }
}

/// x <- inv(A) x for standalone free bodies, whose matrix M - h qDeriv nothing couples to the rest and which are solved
/// as they are: tumbling bodies are where the missing derivative of the bias force would show most. `force` is x as it
/// was.
void solveFreeBodies(const Model& m, const Data& d, std::span<const double> force, double* x) {
  forEachFreeBody(m, d, [&](int dof) {
    const Eigen::PartialPivLU<Mat6> lu(freeBodyMatrix(m, d, dof));
    if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() < kMinVal) return;  // singular: leave the solution with qH
    const Vec6 solution = lu.solve(ConstMapVec6(&force[dof]));
    MapVec6{x + dof} = solution;
  });
}

/// The matrix of an integrator for the solver: the impulse solver needs positive pivots and the damping of free bodies.
void makeStepMatrix(const Model& m, Data& d, Integrator integrator, Pivots pivots, FreeBodies rule) {
  d.work->stepMatrix = assembleStepMatrix(m, d, integrator);
  switch (d.work->stepMatrix) {
    case StepMatrix::Inertia:
      return;
    case StepMatrix::Damped:
      factorTree(m, d, d.qH.data(), d.qHDiagInv.data(), pivots);
      return;
    case StepMatrix::Symmetric:
      return factorSymmetric(m, d, rule);
    case StepMatrix::General:
      forEachAwakeRun(m, d, [&](int begin, int end) { sparse::factorUL(patternD(m), begin, end, d.qLU.data()); });
  }
}

void useFactorOfMass(Data& d) {
  std::copy(d.qLD.begin(), d.qLD.end(), d.qH.begin());
  std::copy(d.qLDiagInv.begin(), d.qLDiagInv.end(), d.qHDiagInv.begin());
}

/// qacc_free = the acceleration without constraints, qH, qHDiagInv = the factor by which impulses change velocities.
void impulseMetric(const Model& m, Data& d) {
  d.work->qvel_correction.resize(m.nv);
  std::fill(d.work->qvel_correction.begin(), d.work->qvel_correction.end(), 0.0);
  Array<double>& free = d.work->qacc_free;
  free.resize(m.nv);
  std::copy(d.qacc_smooth.begin(), d.qacc_smooth.end(), free.begin());
  if (d.work->stepMatrix != StepMatrix::Inertia) {
    forEachAwakeDof(m, d, [&](int i) { free[i] = d.qfrc_smooth[i]; });
    solveStepMatrix(m, d, free.data());
    // the metric of stiff parts has all of that already
    if (stiffnessIsImplicit(m)) {
      for (const int dof : m.stiff_dof) free[dof] = d.qacc_smooth[dof];
    }
  }
  switch (d.work->stepMatrix) {
    case StepMatrix::Inertia:
      useFactorOfMass(d);
      break;
    case StepMatrix::Damped:
    case StepMatrix::Symmetric:
      break;
    case StepMatrix::General:  // impulses need a symmetric matrix
      velocityDerivative(m, d, true);
      symmetricMatrix(m, d);
      factorSymmetric(m, d, FreeBodies::SymmetricPart);
      break;
  }
  bool definite = true;
  forEachAwakeDof(m, d, [&](int i) { definite = definite && d.qHDiagInv[i] > 0; });
  if (!definite) useFactorOfMass(d);
  // motion forces: with `implicit` all of them are implicit, with `implicitfast` those of free bodies
  if (m.opt.integrator == Integrator::Implicit) return;
  spinRigidTrees(m, d, m.opt.integrator == Integrator::Euler ? SpinOf::All : SpinOf::Composites);
  spinTrees(m, d);
}

}  // namespace

StepMatrix assembleStepMatrix(const Model& m, Data& d, Integrator integrator) {
  switch (integrator) {
    case Integrator::RK4:
      return StepMatrix::Inertia;
    case Integrator::Euler:
      return dampedMatrix(m, d) ? StepMatrix::Damped : StepMatrix::Inertia;
    case Integrator::ImplicitFast:
    case Integrator::Midpoint:
      velocityDerivative(m, d, true);
      symmetricMatrix(m, d);
      return StepMatrix::Symmetric;
    case Integrator::Implicit:
      velocityDerivative(m, d, false);
      unsymmetricMatrix(m, d);
      return StepMatrix::General;
  }
  return StepMatrix::Inertia;
}

void multiplyStepMatrix(const Model& m, const Data& d, StepMatrix kind, const double* x, double* y) {
  switch (kind) {
    case StepMatrix::Inertia:
      return multiplyMass(m, d, x, y);
    case StepMatrix::Damped:
      return multiplySymmetric(m, d.qH.data(), x, y);
    case StepMatrix::Symmetric:
      multiplySymmetric(m, d.qH.data(), x, y);
      forEachFreeBody(m, d, [&](int dof) {
        const Vec6 force = freeBodyMatrix(m, d, dof) * ConstMapVec6(x + dof);
        MapVec6{y + dof} = force;
      });
      return;
    case StepMatrix::General:
      return sparse::multiply(patternD(m), d.qLU.data(), x, y);
  }
}

void makeStepMatrix(const Model& m, Data& d, Integrator integrator) {
  makeStepMatrix(m, d, integrator, Pivots::Any, FreeBodies::Inertia);
}

void metric(const Model& m, Data& d) {
  if (m.opt.solver != Solver::Impulse) return makeStepMatrix(m, d, m.opt.integrator);
  makeStepMatrix(m, d, m.opt.integrator, Pivots::Positive, FreeBodies::SymmetricPart);
  impulseMetric(m, d);
}

void solveStepMatrix(const Model& m, Data& d, double* x) {
  switch (d.work->stepMatrix) {
    case StepMatrix::Inertia:
      return solveMass(m, d, x);
    case StepMatrix::Damped:
      return solveTree(m, d, d.qH.data(), d.qHDiagInv.data(), x);
    case StepMatrix::Symmetric: {
      const Arena::Scope scope(d.work->arena);
      const std::span<double> force = d.work->arena.take<double>(m.nv);
      std::copy_n(x, m.nv, force.data());
      solveTree(m, d, d.qH.data(), d.qHDiagInv.data(), x);
      return solveFreeBodies(m, d, force, x);
    }
    case StepMatrix::General:
      forEachAwakeRun(m, d, [&](int begin, int end) { sparse::solveUL(patternD(m), begin, end, d.qLU.data(), x); });
  }
}

}  // namespace sinew
