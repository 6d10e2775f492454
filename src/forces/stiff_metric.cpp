#include "forces/stiff_metric.h"

#include <algorithm>

#include "forces/damper.h"
#include "forces/elasticity.h"
#include "inertia/inertia.h"
#include "math/types.h"
#include "model/awake.h"
#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int firstDof(const Model& m, int stiff) { return m.stiff_dofadr[stiff]; }

/// The inertia and the dampers of single nodes on the diagonal, nothing else.
void startWithInertia(const Model& m, Data& d, int flex, std::span<const DampingLaw> laws) {
  const int first = m.flex_stiffadr[flex], end = first + m.flex_stiffnum[flex];
  const int begin = m.K_rowadr[3 * first], last = 3 * end - 1;
  std::fill(d.flexA.data() + begin, d.flexA.data() + m.K_rowadr[last] + m.K_rownnz[last], 0.0);
  const double h = m.opt.disabled(disable::kDamper) ? 0 : m.opt.timestep;
  for (int s = first; s < end; ++s) {
    for (int k = 0; k < 3; ++k) {
      const int dof = firstDof(m, s) + k;
      const int row = 3 * s + k;
      d.flexA[m.K_rowadr[row] + m.K_rownnz[row] - 1] = d.M[m.M_rowadr[dof]] + h * laws[at(dof)].rate(d.qvel[dof]);
    }
  }
}

/// Takes in the matrices of single elements: h^2 K + h D into flexA, -h K v into qfrc_implicit.
class Assembler {
 public:
  Assembler(const Model& m, Data& d, int flex) : m_(m), d_(d), first_(m.flex_stiffadr[flex]) {}

  /// `K` and `D`, either of which may be null, are 3n x 3n, symmetric, over the n given points.
  void add(std::span<const int> points, const double* K, const double* D) {
    const double h = m_.opt.timestep;
    for (std::size_t a = 0; a < points.size(); ++a) {
      const int row = m_.flexpoint_stiffid[points[a]];
      if (row < 0) continue;
      Vec3 Kv = Vec3::Zero();
      for (std::size_t b = 0; b < points.size(); ++b) {
        if (K) Kv += block(K, points.size(), a, b) * vec3(d_.flexpoint_xvel.data(), points[b]);
        const int column = m_.flexpoint_stiffid[points[b]];
        if (column < 0 || column > row) continue;
        Mat3 sum = Mat3::Zero();
        if (K) sum += h * h * block(K, points.size(), a, b);
        if (D) sum += h * block(D, points.size(), a, b);
        addBlock(row, column, sum);
      }
      MapVec3(d_.qfrc_implicit.data() + firstDof(m_, row)) -= h * toDofs(row, Kv);
    }
  }

 private:
  using Block = Eigen::Map<const Mat3, 0, Eigen::OuterStride<>>;
  /// Rows a and columns b of a symmetric matrix, which reads the same by rows and by columns.
  static Block block(const double* matrix, std::size_t points, std::size_t a, std::size_t b) {
    const auto n = static_cast<Eigen::Index>(3 * points);
    return Block(matrix + static_cast<Eigen::Index>(3 * a) * n + static_cast<Eigen::Index>(3 * b),
                 Eigen::OuterStride<>(n));
  }
  Vec3 toDofs(int stiff, const Vec3& v) const {
    return m_.stiff_aligned[stiff] ? v : Vec3(mat3(m_.stiff_axes.data(), stiff).transpose() * v);
  }
  void addBlock(int row, int column, Mat3& sum) {
    if (!m_.stiff_aligned[row]) sum = (mat3(m_.stiff_axes.data(), row).transpose() * sum).eval();
    if (!m_.stiff_aligned[column]) sum = (sum * mat3(m_.stiff_axes.data(), column)).eval();
    const int offset = blockOffset(row, column);
    for (int i = 0; i < 3; ++i) {
      double* target = d_.flexA.data() + m_.K_rowadr[3 * row + i] + offset;
      const int last = column == row ? i : 2;
      for (int j = 0; j <= last; ++j) target[j] += sum(i, j);
    }
  }
  /// Where the 3 x 3 block of two stiff nodes begins within each of the three rows, row >= column.
  int blockOffset(int row, int column) const {
    const int adr = m_.K_rowadr[3 * row];
    const int* begin = m_.K_colind.data() + adr;
    return static_cast<int>(std::lower_bound(begin, begin + m_.K_rownnz[3 * row], 3 * (column - first_)) - begin);
  }

  const Model& m_;
  Data& d_;
  int first_;
};

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

/// Factor of flex `flex`, the numbers of which start at `entry` of flexL. Makes room for them and returns where they
/// end.
std::ptrdiff_t factorFlex(const Model& m, Data& d, int flex, std::ptrdiff_t entry) {
  const solve::FactorPlan& plan = planOf(m, d, flex);
  const std::ptrdiff_t end = entry + plan.entries();
  if (d.flexL.size() < end) d.flexL.resize(end);
  const std::span<double> matrices(d.flexL.data() + entry, static_cast<std::size_t>(plan.entries()));
  const std::span<double> diagInv(d.flexLDiagInv.data() + 3 * m.flex_stiffadr[flex], at(3 * m.flex_stiffnum[flex]));
  const solve::FactorMaker maker(plan, matrices, diagInv);
  std::fill(matrices.begin(), matrices.end(), 0.0);
  const std::span<const std::ptrdiff_t> places = d.solverMemory.plans(-1 - flex).placesOfFixed();
  const double* A = d.flexA.data() + m.K_rowadr[3 * m.flex_stiffadr[flex]];
  for (std::size_t k = 0; k < places.size(); ++k) matrices[static_cast<std::size_t>(places[k])] += A[k];
  for (const solve::FactorPlan::Front& front : plan.fronts()) maker.eliminate(front);
  return end;
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
  const Arena::Scope scope(d.arena);
  const std::span<DampingLaw> laws = d.arena.take<DampingLaw>(m.nv);
  dofDamping(m, d, laws);
  std::fill(d.qfrc_implicit.begin(), d.qfrc_implicit.end(), 0.0);
  d.flexLDiagInv.resize(3 * m.nstiffnode);
  std::ptrdiff_t entry = 0;
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffnum[f] == 0) continue;
    if (flexAsleep(m, d, f)) {  // its numbers keep their place
      entry += planOf(m, d, f).entries();
      if (d.flexL.size() < entry) d.flexL.resize(entry);
      continue;
    }
    startWithInertia(m, d, f, laws);
    Assembler assembler(m, d, f);
    visitStiffness(m, d, f,
                   [&](std::span<const int> points, const double* K, const double* D) { assembler.add(points, K, D); });
    entry = factorFlex(m, d, f, entry);
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
    if (m.flex_stiffnum[f] == 0 || flexAsleep(m, d, f)) continue;
    stiffFactor(m, d, f, d.arena).solve(stiff.data() + 3 * m.flex_stiffadr[f]);
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
