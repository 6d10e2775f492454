#include "forces/stiff_metric.h"

#include <algorithm>

#include "elastic/shell.h"
#include "forces/derivative.h"
#include "forces/elasticity.h"
#include "inertia/inertia.h"
#include "kinematics/flexes.h"
#include "kinematics/jacobian.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"
#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

/// Points of two faces of a shell that share an edge.
template <int Order>
constexpr int kFoldPoints = 2 * elastic::kFacePoints<Order> - (Order + 1);

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
    if (stiffPartAsleep(m, d, part)) continue;
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

constexpr std::size_t kMostScalar = 4;  // points of an element with scalar blocks

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

  /// `K` and `D`, which may be null, are 3n x 3n, symmetric, over the n given points.
  void operator()(std::span<const int> points, const double* K, const double* D) {
    switch (points.size()) {
      case 2:
        return add<2>(points, K, D);
      case 3:
        return add<3>(points, K, D);
      case 4:
        return add<4>(points, K, D);
      case 8:
        return add<8>(points, K, D);
      case 27:
        return add<27>(points, K, D);
      case kFoldPoints<1>:
        return add<kFoldPoints<1>>(points, K, D);
      case elastic::kFacePoints<2>:
        return add<elastic::kFacePoints<2>>(points, K, D);
      case kFoldPoints<2>:
        return add<kFoldPoints<2>>(points, K, D);
    }
  }

  /// The same with K = k (x) I, D = d (x) I, n x n numbers each.
  void addScalar(std::span<const int> points, const double* k, const double* d) {
    const std::size_t n = points.size();
    const int* place = place_;
    place_ += n * (n + 1) / 2;
    // a first point that is a free node moves against the others
    if (place[0] < 0 && isRigid(m_, points.data(), static_cast<int>(n))) return;
    int row[kMostScalar], length[kMostScalar];
    for (std::size_t a = 0; a < n; ++a) {
      row[a] = rowOfNode(m_, points[a]);
      length[a] = row[a] < 0 ? 0 : lengthOf(row[a]);
    }
    for (std::size_t a = 0; a < n; ++a) {
      Vec3 Kv = Vec3::Zero();
      for (std::size_t b = 0; b < n; ++b) Kv += k[a * n + b] * vec3(xvel_, points[b]);
      vec3(Kv_.data(), points[a]) += Kv;
      for (std::size_t b = 0; b <= a; ++b) {
        const double sum = h_ * h_ * k[a * n + b] + (d ? h_ * d[a * n + b] : 0);
        const int entry = *place++;
        if (entry < 0) {
          const Mat3 block = sum * Mat3::Identity();
          addThroughBodies(points[a], points[b], block);
          if (a != b) addThroughBodies(points[b], points[a], block);
          continue;
        }
        const int step = length[row[a] > row[b] ? a : b];
        A_[entry] += sum;
        A_[entry + step + 1] += sum;
        A_[entry + 2 * step + 3] += sum;
      }
    }
  }

 private:
  template <int N>
  void add(std::span<const int> points, const double* elementK, const double* elementD) {
    constexpr int size = 3 * N;
    using Matrix = Eigen::Matrix<double, size, size>;
    const int* place = place_;
    place_ += N * (N + 1) / 2;
    if (place[0] < 0 && isRigid(m_, points.data(), N)) return;
    const Eigen::Map<const Matrix> K(elementK);
    Matrix sum = h_ * h_ * K;
    if (elementD) sum += h_ * Eigen::Map<const Matrix>(elementD);
    int row[N];
    Eigen::Matrix<double, size, 1> v;
    for (int a = 0; a < N; ++a) {
      row[a] = rowOfNode(m_, points[static_cast<std::size_t>(a)]);
      v.template segment<3>(3 * a) = vec3(xvel_, points[static_cast<std::size_t>(a)]);
    }
    const Eigen::Matrix<double, size, 1> Kv = K * v;
    for (int a = 0; a < N; ++a) {
      const int p = points[static_cast<std::size_t>(a)];
      vec3(Kv_.data(), p) += Kv.template segment<3>(3 * a);
      for (int b = 0; b <= a; ++b) {
        const int entry = *place++;
        if (entry >= 0) {
          // the block in the rows of the later node; columns of a symmetric matrix are its rows
          const bool swapped = row[b] > row[a];
          const int later = swapped ? b : a, earlier = swapped ? a : b;
          addBlock(entry, row[later], a == b, sum.data() + 3 * later * size + 3 * earlier, size);
          continue;
        }
        const int q = points[static_cast<std::size_t>(b)];
        addThroughBodies(p, q, sum.template block<3, 3>(3 * a, 3 * b));
        if (a != b) addThroughBodies(q, p, sum.template block<3, 3>(3 * b, 3 * a));
      }
    }
  }
  int lengthOf(int row) const { return m_.K_rownnz[m_.stiffpart_dofadr[part_] + row]; }
  void addBlock(int entry, int row, bool diagonal, const double* block, int stride) {
    // the three rows of a node have the same columns but for the diagonal
    const int length = lengthOf(row);
    double* target = A_ + entry;
    for (int i = 0; i < 3; target += length + i, block += stride, ++i) {
      const int last = diagonal ? i : 2;
      for (int j = 0; j <= last; ++j) target[j] += block[j];
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
  const Arena::Scope scope(d.work->arena);
  return d.work->solverMemory.plans(-1 - part).planForFixed(stiffRows(m, d, part), groupsOf(m, part, d.work->arena),
                                                            d.work->arena);
}

const solve::BlockPlan& blockPlanOf(const Model& m, Data& d, int part) {
  const Arena::Scope scope(d.work->arena);
  return d.work->solverMemory.plans(-1 - part).blockPlanForFixed(stiffRows(m, d, part),
                                                                 groupsOf(m, part, d.work->arena), d.work->arena);
}

/// Whether systems with a part are solved by iterations. Newton's method asks for one or two solutions in a step, the
/// dual solvers for one per row.
bool iterationsAreCheaper(const Model& m, const solve::FactorPlan& plan, int part) {
  constexpr int kSmallestIterative = 250;  // dofs
  constexpr double kPerBlock = 700;        // multiplications of a factor that take as long as the work for one block
  if (m.opt.jacobian != JacobianForm::Auto) return false;
  if (m.opt.solver == Solver::PGS || m.opt.solver == Solver::Impulse || m.opt.noslip_iterations > 0) return false;
  const int first = m.stiffpart_dofadr[part], n = m.stiffpart_dofnum[part];
  const double blocks = (m.K_rowadr[first + n - 1] + m.K_rownnz[first + n - 1] - m.K_rowadr[first]) / 9.0 + n / 3.0;
  return n > kSmallestIterative && plan.flops() > kPerBlock * blocks;
}

/// Where the numbers of a part are: in flexL, or in flexBlock and flexIncomplete.
struct PartNumbers {
  const solve::FactorPlan* plan = nullptr;
  bool iterative = false;
  std::ptrdiff_t factor = 0, factorEnd = 0;
  std::ptrdiff_t block = 0, blockEnd = 0;
  std::ptrdiff_t incomplete = 0, incompleteEnd = 0;
};

/// Numbers of a part that come after those of the one before it.
PartNumbers numbersAfter(const Model& m, const PartNumbers& before, const solve::PlanMemory& plans, int part) {
  PartNumbers next{&plans.fixedPlan(), iterationsAreCheaper(m, plans.fixedPlan(), part)};
  next.factor = next.factorEnd = before.factorEnd;
  next.block = next.blockEnd = before.blockEnd;
  next.incomplete = next.incompleteEnd = before.incompleteEnd;
  if (next.iterative) {
    const solve::BlockPattern& pattern = plans.fixedBlockPlan().pattern();
    next.blockEnd += solve::BlockMatrix::values(pattern);
    next.incompleteEnd += solve::BlockMatrix::factors(pattern);
  } else {
    next.factorEnd += next.plan->entries();
  }
  return next;
}

/// Plans of a part, and room for its numbers.
PartNumbers prepareNumbers(const Model& m, Data& d, const PartNumbers& before, int part) {
  if (iterationsAreCheaper(m, planOf(m, d, part), part)) blockPlanOf(m, d, part);
  const PartNumbers numbers = numbersAfter(m, before, d.work->solverMemory.plans(-1 - part), part);
  if (d.work->flexL.size() < numbers.factorEnd) d.work->flexL.resize(numbers.factorEnd);
  if (d.work->flexBlock.size() < numbers.blockEnd) d.work->flexBlock.resize(numbers.blockEnd);
  if (d.work->flexIncomplete.size() < numbers.incompleteEnd) d.work->flexIncomplete.resize(numbers.incompleteEnd);
  return numbers;
}

template <class T>
std::span<T> numbersOf(T* first, std::ptrdiff_t begin, std::ptrdiff_t end) {
  return {first + begin, static_cast<std::size_t>(end - begin)};
}

/// The factor of a part of flexA.
void factorPart(const Model& m, Data& d, int part, const solve::FactorPlan& plan, std::span<double> matrices,
                std::span<double> diagInv) {
  const Arena::Scope scope(d.work->arena);
  const solve::FactorMaker maker(plan, matrices, diagInv, d.work->arena);
  std::fill(matrices.begin(), matrices.end(), 0.0);
  const std::span<const std::ptrdiff_t> places = d.work->solverMemory.plans(-1 - part).placesOfFixed();
  const double* A = d.flexA.data() + m.K_rowadr[m.stiffpart_dofadr[part]];
  for (std::size_t k = 0; k < places.size(); ++k) matrices[static_cast<std::size_t>(places[k])] = A[k];
  for (int f = 0; f < static_cast<int>(plan.fronts().size()); ++f) maker.eliminate(f);
}

/// Whatever systems with a part are solved by.
void preparePart(const Model& m, Data& d, int part, const PartNumbers& numbers) {
  if (!numbers.iterative) {
    factorPart(m, d, part, *numbers.plan, numbersOf(d.work->flexL.data(), numbers.factor, numbers.factorEnd),
               {d.work->flexLDiagInv.data() + m.stiffpart_dofadr[part], at(m.stiffpart_dofnum[part])});
    return;
  }
  const Arena::Scope scope(d.work->arena);
  const solve::BlockPlan& plan = d.work->solverMemory.plans(-1 - part).fixedBlockPlan();
  solve::BlockMaker maker(plan.pattern(), numbersOf(d.work->flexBlock.data(), numbers.block, numbers.blockEnd),
                          numbersOf(d.work->flexIncomplete.data(), numbers.incomplete, numbers.incompleteEnd),
                          d.work->arena);
  plan.set(stiffRows(m, d, part), maker);
  maker.factor();
}

/// x <- inv(A) x by a factor that is made for this alone.
void solveByFactor(const Model& m, Data& d, int part, double* x) {
  const Arena::Scope scope(d.work->arena);
  const solve::FactorPlan& plan = planOf(m, d, part);
  const std::span<double> matrices = d.work->arena.take<double>(plan.entries()),
                          diagInv = d.work->arena.take<double>(plan.dofs());
  factorPart(m, d, part, plan, matrices, diagInv);
  solve::SparseFactor(plan, matrices, diagInv, d.work->arena.take<double>(plan.largestFront())).solve(x);
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
    const Arena::Scope scope(d.work->arena);
    const Riding riding = ridingPoints(m, d, d.work->arena);
    const std::span<double> Kv = d.work->arena.zeros<double>(3 * m.nflexpoint);
    for (int f = 0; f < m.nflex; ++f) {
      if (m.flex_stiffpart[f] < 0 || flexAsleep(m, d, f)) continue;
      Assembler assembler(m, d, f, riding, Kv);
      visitStiffness(m, d, f, assembler);
    }
    std::fill(d.qfrc_implicit.begin(), d.qfrc_implicit.end(), 0.0);
    for (int p = 0; p < m.nflexpoint; ++p) {
      addPointForce(m, d, p, -m.opt.timestep * vec3(Kv.data(), p), d.qfrc_implicit.data());
    }
  }
  d.work->flexLDiagInv.resize(m.nstiffdof);
  PartNumbers numbers;
  for (int part = 0; part < m.nstiffpart; ++part) {
    numbers = prepareNumbers(m, d, numbers, part);  // also of those that sleep, which keep their place
    if (!stiffPartAsleep(m, d, part)) preparePart(m, d, part, numbers);
  }
}

solve::MatrixSolver stiffSolver(const Model& m, const Data& d, int part, Arena& arena) {
  PartNumbers numbers;
  for (int p = 0; p <= part; ++p) numbers = numbersAfter(m, numbers, *d.work->solverMemory.find(-1 - p), p);
  if (numbers.iterative) {
    const solve::BlockPlan& plan = d.work->solverMemory.find(-1 - part)->fixedBlockPlan();
    const solve::BlockMatrix matrix(
        plan.pattern(), numbersOf(d.work->flexBlock.data(), numbers.block, numbers.blockEnd),
        numbersOf(d.work->flexIncomplete.data(), numbers.incomplete, numbers.incompleteEnd));
    return {plan.lanes(), matrix, plan.pattern().worthwhileIterations(numbers.plan->flops()), arena};
  }
  const solve::SparseFactor factor(
      *numbers.plan, numbersOf(d.work->flexL.data(), numbers.factor, numbers.factorEnd),
      {d.work->flexLDiagInv.data() + m.stiffpart_dofadr[part], at(m.stiffpart_dofnum[part])},
      arena.take<double>(numbers.plan->largestFront()));
  return solve::MatrixSolver(factor);
}

void solveMetric(const Model& m, Data& d, double* x) {
  if (!stiffnessIsImplicit(m)) return solveMass(m, d, x);
  const Arena::Scope scope(d.work->arena);
  const std::span<double> stiff = d.work->arena.take<double>(m.nstiffdof);
  for (std::size_t i = 0; i < stiff.size(); ++i) stiff[i] = x[m.stiff_dof[static_cast<std::ptrdiff_t>(i)]];
  solveMass(m, d, x);
  const std::span<double> right = d.work->arena.take<double>(m.nstiffdof);
  std::copy(stiff.begin(), stiff.end(), right.begin());
  d.metricIterations = 0;
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (stiffPartAsleep(m, d, part)) continue;
    const Arena::Scope own(d.work->arena);
    const auto first = at(m.stiffpart_dofadr[part]), count = at(m.stiffpart_dofnum[part]);
    const auto report = stiffSolver(m, d, part, d.work->arena).solve(stiff.data() + first);
    d.metricIterations += report.iterations;
    if (report.converged) continue;
    // so stiff that iterations are no way to get there
    std::copy_n(right.begin() + first, count, stiff.begin() + first);
    solveByFactor(m, d, part, stiff.data() + first);
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
