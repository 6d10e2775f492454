#include "forces/stiff_metric.h"

#include <algorithm>

#include "forces/damper.h"
#include "forces/elasticity.h"
#include "inertia/inertia.h"
#include "math/types.h"
#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int firstDof(const Model& m, int stiff) { return m.nv_rigid + 3 * m.stiff_nodeid[stiff]; }

/// The inertia and the dampers of single nodes on the diagonal.
void startWithInertia(const Model& m, Data& d) {
  std::fill(d.flexA.begin(), d.flexA.end(), 0.0);
  const Arena::Scope scope(d.arena);
  const std::span<DampingLaw> laws = d.arena.take<DampingLaw>(m.nv);
  dofDamping(m, laws);
  const double h = m.opt.disabled(disable::kDamper) ? 0 : m.opt.timestep;
  for (int s = 0; s < m.nstiffnode; ++s) {
    for (int k = 0; k < 3; ++k) {
      const int dof = firstDof(m, s) + k;
      const int row = 3 * s + k;
      d.flexA[m.K_rowadr[row] + m.K_rownnz[row] - 1] = d.M[m.M_rowadr[dof]] + h * laws[at(dof)].rate(d.qvel[dof]);
    }
  }
}

/// flexA += h^2 K + h D. Rows of stiff nodes hold their blocks in the order in which the points have them; those with a
/// point that rides on a body are left out.
void addBlocks(const Model& m, Data& d) {
  const double h = m.opt.timestep;
  for (int s = 0; s < m.nstiffnode; ++s) {
    const int point = m.flexnode_pointid[m.stiff_nodeid[s]];
    int column = 0;
    for (int b = m.flexpoint_blockadr[point]; b < m.flexpoint_blockadr[point] + m.flexpoint_blocknum[point]; ++b) {
      const int other = m.flexblock_point[2 * b + 1];
      if (m.flexpoint_nodeid[other] < 0) continue;
      const Mat3 block = h * h * mat3(d.flexblock_stiffness.data(), b) + h * mat3(d.flexblock_damping.data(), b);
      for (int i = 0; i < 3; ++i) {
        double* row = d.flexA.data() + m.K_rowadr[3 * s + i] + column;
        const int last = other == point ? i : 2;
        for (int j = 0; j <= last; ++j) row[j] += block(i, j);
      }
      column += 3;
    }
  }
}

/// qfrc_implicit = -h K v of the stiff nodes.
void predictForces(const Model& m, Data& d) {
  const Arena::Scope scope(d.arena);
  const std::span<double> force = d.arena.zeros<double>(3 * m.nflexpoint);
  subtractStiffness(m, d, m.opt.timestep, d.flexpoint_xvel.data(), force.data());
  std::fill(d.qfrc_implicit.begin(), d.qfrc_implicit.end(), 0.0);
  for (const int node : m.stiff_nodeid) {
    std::copy_n(force.data() + 3 * m.flexnode_pointid[node], 3, d.qfrc_implicit.data() + m.nv_rigid + 3 * node);
  }
}

/// Nodes as groups of three dofs.
std::span<const int> nodeGroups(int nodes, Arena& arena) {
  const std::span<int> adr = arena.take<int>(nodes + 1);
  for (int i = 0; i <= nodes; ++i) adr[at(i)] = 3 * i;
  return adr;
}

const solve::FactorPlan& planOf(const Model& m, Data& d, int flex) {
  const Arena::Scope scope(d.arena);
  return d.solverMemory.plans(-1 - flex).planForFixed(stiffRows(m, d, flex), nodeGroups(m.flex_stiffnum[flex], d.arena),
                                                      d.arena);
}

/// Factor of flex `flex`, the numbers of which start at `entry` of flexL. Makes room for them.
void factorFlex(const Model& m, Data& d, int flex, std::ptrdiff_t entry) {
  const solve::FactorPlan& plan = planOf(m, d, flex);
  d.flexL.resize(entry + plan.entries());
  const std::span<double> matrices(d.flexL.data() + entry, static_cast<std::size_t>(plan.entries()));
  const std::span<double> diagInv(d.flexLDiagInv.data() + 3 * m.flex_stiffadr[flex], at(3 * m.flex_stiffnum[flex]));
  const solve::FactorMaker maker(plan, matrices, diagInv);
  std::fill(matrices.begin(), matrices.end(), 0.0);
  const std::span<const std::ptrdiff_t> places = d.solverMemory.plans(-1 - flex).placesOfFixed();
  const double* A = d.flexA.data() + m.K_rowadr[3 * m.flex_stiffadr[flex]];
  for (std::size_t k = 0; k < places.size(); ++k) matrices[static_cast<std::size_t>(places[k])] += A[k];
  for (const solve::FactorPlan::Front& front : plan.fronts()) maker.eliminate(front);
}

}  // namespace

bool stiffnessIsImplicit(const Model& m) {
  return m.nstiffnode > 0 && (m.opt.integrator == Integrator::Implicit || m.opt.integrator == Integrator::ImplicitFast);
}

solve::LowerRows stiffRows(const Model& m, const Data& d, int flex) {
  const int row = 3 * m.flex_stiffadr[flex];
  return {3 * m.flex_stiffnum[flex], m.K_rownnz.data() + row, m.K_rowadr.data() + row, m.K_colind.data(),
          d.flexA.data()};
}

void assembleStiffness(const Model& m, Data& d) {
  if (!stiffnessIsImplicit(m)) return;
  flexStiffness(m, d);
  startWithInertia(m, d);
  addBlocks(m, d);
  predictForces(m, d);
  d.flexLDiagInv.resize(3 * m.nstiffnode);
  std::ptrdiff_t entry = 0;
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffnum[f] == 0) continue;
    factorFlex(m, d, f, entry);
    entry = d.flexL.size();
  }
}

solve::SparseFactor stiffFactor(const Model& m, const Data& d, int flex, Arena& arena) {
  const auto planOf = [&](int f) -> const solve::FactorPlan& { return d.solverMemory.find(-1 - f)->fixedPlan(); };
  std::ptrdiff_t entry = 0;
  for (int f = 0; f < flex; ++f) {
    if (m.flex_stiffnum[f] > 0) entry += planOf(f).entries();
  }
  const solve::FactorPlan& plan = planOf(flex);
  return {plan,
          {d.flexL.data() + entry, static_cast<std::size_t>(plan.entries())},
          {d.flexLDiagInv.data() + 3 * m.flex_stiffadr[flex], at(3 * m.flex_stiffnum[flex])},
          arena.take<double>(plan.largestFront())};
}

void solveMetric(const Model& m, Data& d, double* x) {
  if (!stiffnessIsImplicit(m)) return solveMass(m, d, x);
  const Arena::Scope scope(d.arena);
  const std::span<double> stiff = d.arena.take<double>(3 * m.nstiffnode);
  for (int s = 0; s < m.nstiffnode; ++s) std::copy_n(x + firstDof(m, s), 3, stiff.data() + 3 * s);
  solveMass(m, d, x);
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffnum[f] > 0) stiffFactor(m, d, f, d.arena).solve(stiff.data() + 3 * m.flex_stiffadr[f]);
  }
  for (int s = 0; s < m.nstiffnode; ++s) std::copy_n(stiff.data() + 3 * s, 3, x + firstDof(m, s));
}

void multiplyMetric(const Model& m, const Data& d, const double* x, double* y) {
  multiplyMass(m, d, x, y);
  if (!stiffnessIsImplicit(m)) return;
  for (int s = 0; s < m.nstiffnode; ++s) std::fill_n(y + firstDof(m, s), 3, 0.0);
  for (int f = 0; f < m.nflex; ++f) {
    const int first = m.flex_stiffadr[f];
    const auto dofOf = [&](int local) { return firstDof(m, first + local / 3) + local % 3; };
    const solve::LowerRows A = stiffRows(m, d, f);
    for (int i = 0; i < A.n; ++i) {
      const int last = A.rowadr[i] + A.rownnz[i] - 1;
      for (int k = A.rowadr[i]; k < last; ++k) {
        y[dofOf(i)] += A.value[k] * x[dofOf(A.colind[k])];
        y[dofOf(A.colind[k])] += A.value[k] * x[dofOf(i)];
      }
      y[dofOf(i)] += A.value[last] * x[dofOf(i)];
    }
  }
}

}  // namespace sinew
