#include "forces/stiff_metric.h"

#include <algorithm>

#include "forces/elasticity.h"
#include "inertia/inertia.h"
#include "integrate/derivative.h"
#include "kinematics/flexes.h"
#include "kinematics/jacobian.h"
#include "math/types.h"
#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// M and the dampers of single dofs, M - h dF/dv in the pattern of M. The derivative of bias forces, which is not
/// symmetric, stays out.
void startWithInertia(const Model& m, Data& d) {
  std::fill(d.flexA.begin(), d.flexA.end(), 0.0);
  std::fill(d.qDeriv.begin(), d.qDeriv.end(), 0.0);
  const bool dampers = !m.opt.disabled(disable::kDamper);
  addActuatorDerivative(m, d);
  if (dampers || !m.opt.disabled(disable::kSpring)) addFluidDerivative(m, d, true);
  if (dampers) {
    addDamperDerivative(m, d);
    addTendonDamperDerivative(m, d);
  }
  for (int part = 0; part < m.nstiffpart; ++part) {
    for (const int dof : stiffDofs(m, part)) {
      const int row = m.dof_stiffrow[dof];
      for (int k = m.M_rowadr[dof]; k < m.M_rowadr[dof] + m.M_rownnz[dof]; ++k) {
        // fluid acts on a free body unsymmetrically
        const int column = m.M_colind[k];
        const double rate = 0.5 * (d.qDeriv[m.mapD2M[k]] + d.qDeriv[entryOfD(m, column, dof)]);
        d.flexA[entryOfK(m, part, row, m.dof_stiffrow[column])] = d.M[k] - m.opt.timestep * rate;
      }
    }
  }
}

/// Jacobians of the points that ride on bodies.
struct Riding {
  struct Column {
    int row;  // in the part
    double J[3];
  };
  std::span<const int> adr;  // first column of each point, and one past the last
  std::span<const Column> columns;

  std::span<const Column> of(int point) const {
    return columns.subspan(at(adr[at(point)]), at(adr[at(point + 1)] - adr[at(point)]));
  }
};

Riding ridingPoints(const Model& m, const Data& d, Arena& arena) {
  const std::span<int> adr = arena.take<int>(m.nflexpoint + 1);
  int count = 0;
  const auto lastDofOf = [&](int p) { return m.flexpoint_nodeid[p] >= 0 ? -1 : lastDof(m, m.flexpoint_bodyid[p]); };
  for (int p = 0; p < m.nflexpoint; ++p) {
    adr[at(p)] = count;
    const int last = lastDofOf(p);
    if (last >= 0 && m.dof_stiffrow[last] >= 0) count += chainLength(m, m.flexpoint_bodyid[p]);
  }
  adr[at(m.nflexpoint)] = count;
  const std::span<Riding::Column> columns(arena.take<Riding::Column>(count));
  for (int p = 0; p < m.nflexpoint; ++p) {
    int k = adr[at(p + 1)];
    if (k == adr[at(p)]) continue;
    for (int dof = lastDofOf(p); dof >= 0; dof = m.dof_parentid[dof]) {
      const Vec3 J = jacobianColumn(m, d, dof, vec3(d.flexpoint_xpos.data(), p)).linear;
      columns[at(--k)] = {m.dof_stiffrow[dof], {J[0], J[1], J[2]}};
    }
  }
  return {adr, columns};
}

/// Takes in the matrices of single elements: J'(h^2 K + h D)J into flexA, K v of the points.
class Assembler {
 public:
  Assembler(const Model& m, Data& d, int flex, const Riding& riding, std::span<double> Kv)
      : m_(m),
        part_(m.flex_stiffpart[flex]),
        h_(m.opt.timestep),
        A_(d.flexA.data()),
        xvel_(d.flexpoint_xvel.data()),
        place_(m.K_place.data() + m.flex_placeadr[flex]),
        riding_(riding),
        Kv_(Kv) {}

  /// `K` and `D`, either of which may be null, are 3n x 3n, symmetric, over the n given points.
  void add(std::span<const int> points, const double* K, const double* D) {
    const std::size_t n = points.size();
    const int* place = place_;
    place_ += n * (n + 1) / 2;
    if (isRigid(m_, points.data(), static_cast<int>(n))) return;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const int entry = *place++;
        if (entry >= 0) {
          // K_ab is K_ba': what stands in the lower triangle is the block in the rows of the later node
          const int row = rowOfNode(m_, points[a]);
          row >= rowOfNode(m_, points[b]) ? addBlock(entry, row, a == b, sum(K, D, n, a, b))
                                          : addBlock(entry, rowOfNode(m_, points[b]), false, sum(K, D, n, b, a));
        } else {
          addThroughBodies(points[a], points[b], sum(K, D, n, a, b));
          if (a != b) addThroughBodies(points[b], points[a], sum(K, D, n, b, a));
        }
      }
    }
    if (!K) return;
    for (std::size_t a = 0; a < n; ++a) {
      Vec3 Kv = Vec3::Zero();
      for (std::size_t b = 0; b < n; ++b) Kv += block(K, n, a, b) * vec3(xvel_, points[b]);
      vec3(Kv_.data(), points[a]) += Kv;
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
  Mat3 sum(const double* K, const double* D, std::size_t n, std::size_t a, std::size_t b) const {
    Mat3 result = Mat3::Zero();
    if (K) result += h_ * h_ * block(K, n, a, b);
    if (D) result += h_ * block(D, n, a, b);
    return result;
  }
  void addBlock(int entry, int row, bool diagonal, const Mat3& sum) {
    // the three rows of a node have the same columns but for the diagonal
    const int length = m_.K_rownnz[m_.stiffpart_dofadr[part_] + row];
    double* target = A_ + entry;
    for (int i = 0; i < 3; target += length + i, ++i) {
      const int last = diagonal ? i : 2;
      for (int j = 0; j <= last; ++j) target[j] += sum(i, j);
    }
  }
  /// The part of J'(.)J below the diagonal in the rows of point p and the columns of point q, one of them on a body.
  void addThroughBodies(int p, int q, const Mat3& sum) {
    forEachColumn(p, [&](int row, const Vec3& Jp) {
      const Vec3 force = sum.transpose() * Jp;
      forEachColumn(q, [&](int column, const Vec3& Jq) {
        if (column <= row) A_[entryOfK(m_, part_, row, column)] += force.dot(Jq);
      });
    });
  }
  template <class F>
  void forEachColumn(int point, F&& f) const {
    if (const int row = rowOfNode(m_, point); row >= 0) {
      for (int k = 0; k < 3; ++k) f(row + k, Vec3(Vec3::Unit(k)));
      return;
    }
    for (const Riding::Column& column : riding_.of(point)) f(column.row, Vec3(column.J));
  }

  const Model& m_;
  const int part_;
  const double h_;
  double* A_;
  const double* xvel_;
  const int* place_;
  const Riding& riding_;
  std::span<double> Kv_;
};

/// Bodies and nodes as groups of rows.
std::span<const int> groupsOf(const Model& m, int part, Arena& arena) {
  const std::span<const int> dofs = stiffDofs(m, part);
  const auto groupOf = [&](int dof) { return dof < m.nv_rigid ? m.dof_bodyid[dof] : m.nbody + (dof - m.nv_rigid) / 3; };
  const std::span<int> adr = arena.take<int>(static_cast<std::ptrdiff_t>(dofs.size()) + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    if (i == 0 || groupOf(dofs[i]) != groupOf(dofs[i - 1])) adr[count++] = static_cast<int>(i);
  }
  adr[count++] = static_cast<int>(dofs.size());
  return adr.first(count);
}

const solve::FactorPlan& planOf(const Model& m, Data& d, int part) {
  const Arena::Scope scope(d.arena);
  return d.solverMemory.plans(-1 - part).planForFixed(stiffRows(m, d, part), groupsOf(m, part, d.arena), d.arena);
}

/// Factor of a part, the numbers of which start at `entry` of flexL. Makes room for them.
void factorPart(const Model& m, Data& d, int part, std::ptrdiff_t entry) {
  const solve::FactorPlan& plan = planOf(m, d, part);
  d.flexL.resize(entry + plan.entries());
  const std::span<double> matrices(d.flexL.data() + entry, static_cast<std::size_t>(plan.entries()));
  const std::span<double> diagInv(d.flexLDiagInv.data() + m.stiffpart_dofadr[part], at(m.stiffpart_dofnum[part]));
  const solve::FactorMaker maker(plan, matrices, diagInv);
  std::fill(matrices.begin(), matrices.end(), 0.0);
  const std::span<const std::ptrdiff_t> places = d.solverMemory.plans(-1 - part).placesOfFixed();
  const double* A = d.flexA.data() + m.K_rowadr[m.stiffpart_dofadr[part]];
  for (std::size_t k = 0; k < places.size(); ++k) matrices[static_cast<std::size_t>(places[k])] += A[k];
  for (const solve::FactorPlan::Front& front : plan.fronts()) maker.eliminate(front);
}

}  // namespace

bool stiffnessIsImplicit(const Model& m) {
  return m.nstiffdof > 0 && (m.opt.integrator == Integrator::Implicit || m.opt.integrator == Integrator::ImplicitFast);
}

solve::LowerRows stiffRows(const Model& m, const Data& d, int part) {
  const int row = m.stiffpart_dofadr[part];
  return {m.stiffpart_dofnum[part], m.K_rownnz.data() + row, m.K_rowadr.data() + row, m.K_colind.data(),
          d.flexA.data()};
}

void assembleStiffness(const Model& m, Data& d) {
  if (!stiffnessIsImplicit(m)) return;
  startWithInertia(m, d);
  {
    const Arena::Scope scope(d.arena);
    const Riding riding = ridingPoints(m, d, d.arena);
    const std::span<double> Kv = d.arena.zeros<double>(3 * m.nflexpoint);
    for (int f = 0; f < m.nflex; ++f) {
      if (m.flex_stiffpart[f] < 0) continue;
      Assembler assembler(m, d, f, riding, Kv);
      visitStiffness(
          m, d, f, [&](std::span<const int> points, const double* K, const double* D) { assembler.add(points, K, D); });
    }
    std::fill(d.qfrc_implicit.begin(), d.qfrc_implicit.end(), 0.0);
    for (int p = 0; p < m.nflexpoint; ++p) {
      addPointForce(m, d, p, -m.opt.timestep * vec3(Kv.data(), p), d.qfrc_implicit.data());
    }
  }
  d.flexLDiagInv.resize(m.nstiffdof);
  std::ptrdiff_t entry = 0;
  for (int part = 0; part < m.nstiffpart; ++part) {
    factorPart(m, d, part, entry);
    entry = d.flexL.size();
  }
}

solve::SparseFactor stiffFactor(const Model& m, const Data& d, int part, Arena& arena) {
  const auto planOf = [&](int p) -> const solve::FactorPlan& { return d.solverMemory.find(-1 - p)->fixedPlan(); };
  std::ptrdiff_t entry = 0;
  for (int p = 0; p < part; ++p) entry += planOf(p).entries();
  const solve::FactorPlan& plan = planOf(part);
  return {plan,
          {d.flexL.data() + entry, static_cast<std::size_t>(plan.entries())},
          {d.flexLDiagInv.data() + m.stiffpart_dofadr[part], at(m.stiffpart_dofnum[part])},
          arena.take<double>(plan.largestFront())};
}

void solveMetric(const Model& m, Data& d, double* x) {
  if (!stiffnessIsImplicit(m)) return solveMass(m, d, x);
  const Arena::Scope scope(d.arena);
  const std::span<double> stiff = d.arena.take<double>(m.nstiffdof);
  for (std::size_t i = 0; i < stiff.size(); ++i) stiff[i] = x[m.stiff_dof[static_cast<std::ptrdiff_t>(i)]];
  solveMass(m, d, x);
  for (int part = 0; part < m.nstiffpart; ++part) {
    stiffFactor(m, d, part, d.arena).solve(stiff.data() + m.stiffpart_dofadr[part]);
  }
  for (std::size_t i = 0; i < stiff.size(); ++i) x[m.stiff_dof[static_cast<std::ptrdiff_t>(i)]] = stiff[i];
}

void multiplyMetric(const Model& m, const Data& d, const double* x, double* y) {
  multiplyMass(m, d, x, y);
  if (!stiffnessIsImplicit(m)) return;
  for (const int dof : m.stiff_dof) y[dof] = 0;
  for (int part = 0; part < m.nstiffpart; ++part) {
    const int* dofs = stiffDofs(m, part).data();
    const solve::LowerRows A = stiffRows(m, d, part);
    for (int i = 0; i < A.n; ++i) {
      const int last = A.rowadr[i] + A.rownnz[i] - 1;
      for (int k = A.rowadr[i]; k < last; ++k) {
        y[dofs[i]] += A.value[k] * x[dofs[A.colind[k]]];
        y[dofs[A.colind[k]]] += A.value[k] * x[dofs[i]];
      }
      y[dofs[i]] += A.value[last] * x[dofs[i]];
    }
  }
}

}  // namespace sinew
