#include "forces/stiff_metric.h"

#include <algorithm>
#include <optional>

#include "base/index.h"
#include "elastic/section.h"
#include "elastic/shell.h"
#include "forces/cable.h"
#include "forces/derivative.h"
#include "forces/elasticity.h"
#include "forces/part_motion.h"
#include "forces/plate_bending.h"
#include "inertia/inertia.h"
#include "kinematics/flexes.h"
#include "kinematics/jacobian.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"
#include "solve/costs.h"
#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

/// Points of two faces of a shell that share an edge.
template <int Order>
constexpr int kFoldPoints = 2 * elastic::kFacePoints<Order> - (Order + 1);

static_assert(elastic::SectionJoint::kPoints == elastic::kFacePoints<2>);

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
        const double h = m.opt.timestep * stepWeights(m.opt.integrator).damping;
        d.flexA[entryOfK(m, part, row, m.dof_stiffrow[m.M_colind[k]])] = d.M[k] - h * dampingRate(m, d, dof, k);
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

/// How the points of flexes move in a step without acceleration, three numbers per point.
struct Ahead {
  std::span<double> way;                     // velocity, less that of what turns with the part
  std::span<double> velocity, acceleration;  // of what turns with the part; empty if no part turns
  StepWeights weights;
  double h;

  Ahead(const Model& m, const Data& d, Arena& arena)
      : way(arena.take<double>(3 * m.nflexpoint)), weights(stepWeights(m.opt.integrator)), h(m.opt.timestep) {
    std::copy(d.flexpoint_xvel.begin(), d.flexpoint_xvel.end(), way.begin());
    for (int part = 0; part < m.nstiffpart; ++part) {
      if (stiffPartAsleep(m, d, part) || !partTurns(m, part)) continue;
      if (velocity.empty()) {
        velocity = arena.zeros<double>(3 * m.nflexpoint);
        acceleration = arena.zeros<double>(3 * m.nflexpoint);
      }
      const PartMotion motion = partMotion(m, d, part);
      for (int f = 0; f < m.nflex; ++f) {
        if (m.flex_stiffpart[f] != part) continue;
        for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
          const Vec3 r = vec3(d.flexpoint_xpos.data(), p) - motion.center, v = motion.velocityOf(r, h);
          const Vec3 rest = vec3(d.flexpoint_xvel.data(), p) - motion.velocity - v;
          vec3(way.data(), p) = motion.middle ? rest : Vec3(motion.turn.transpose() * rest);
          vec3(velocity.data(), p) = v;
          vec3(acceleration.data(), p) = motion.accelerationOf(r, h);
        }
      }
    }
  }

  /// force -= K way - ((stiffness h^2 K + damping h D) acceleration + D velocity)/(rate h), for one element of N
  /// points.
  template <int N>
  void add(std::span<const int> points, const double* K, const double* D, std::span<double> force) const {
    using Matrix = Eigen::Matrix<double, 3 * N, 3 * N>;
    using Vector = Eigen::Matrix<double, 3 * N, 1>;
    const auto gather = [&](std::span<const double> array) {
      Vector x;
      for (int a = 0; a < N; ++a) x.template segment<3>(3 * a) = vec3(array.data(), points[at(a)]);
      return x;
    };
    const bool turns = !acceleration.empty();
    Vector x = gather(way);
    if (turns) x -= weights.stiffness / weights.rate * h * gather(acceleration);
    Vector f = Eigen::Map<const Matrix>(K).lazyProduct(x);
    if (turns && D) {
      const Vector rate = (gather(velocity) + weights.damping * h * gather(acceleration)) / (weights.rate * h);
      f -= Eigen::Map<const Matrix>(D).lazyProduct(rate);
    }
    for (int a = 0; a < N; ++a) vec3(force.data(), points[at(a)]) -= f.template segment<3>(3 * a);
  }

  /// The same with K = [k -k; -k k], D = [d -d; -d d].
  void addPair(std::span<const int> points, const double* k, const double* d, std::span<double> force) const {
    const auto between = [&](std::span<const double> array) -> Vec3 {
      return vec3(array.data(), points[0]) - vec3(array.data(), points[1]);
    };
    const bool turns = !acceleration.empty();
    Vec3 x = between(way);
    if (turns) x -= weights.stiffness / weights.rate * h * between(acceleration);
    Vec3 f = Eigen::Map<const Eigen::Matrix3d>(k) * x;
    if (turns && d) {
      const Vec3 rate = (between(velocity) + weights.damping * h * between(acceleration)) / (weights.rate * h);
      f -= Eigen::Map<const Eigen::Matrix3d>(d) * rate;
    }
    vec3(force.data(), points[0]) -= f;
    vec3(force.data(), points[1]) += f;
  }
};

/// What remains of the forces ahead once the elements have been visited: they are per rate h so far; under Midpoint
/// those at the start turn with the part by half of its way, and shells have their true stiffness where the metric has
/// that of single folds.
void finishAhead(const Model& m, Data& d, const Ahead& ahead, std::span<double> force) {
  const bool middle = m.opt.integrator == Integrator::Midpoint;
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffpart[f] < 0 || flexAsleep(m, d, f) || m.flex_bending[f] != FlexBending::Shell) continue;
    if (middle && !m.opt.disabled(disable::kSpring)) addPlateStiffness(m, d, f, ahead.way.data(), force.data());
  }
  for (double& x : force) x *= ahead.weights.rate * ahead.h;
  if (!middle || ahead.velocity.empty()) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> elastic = d.work->arena.zeros<double>(3 * m.nflexpoint);
  const Status status = d.status;  // inside-out elements have been counted
  addElasticPointForces(m, d, elastic.data(), elastic.data());
  d.status = status;
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (!partTurns(m, part) || stiffPartAsleep(m, d, part)) continue;
    const PartMotion motion = partMotion(m, d, part);
    for (int f = 0; f < m.nflex; ++f) {
      if (m.flex_stiffpart[f] != part) continue;
      for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
        const Vec3 own = vec3(elastic.data(), p);
        vec3(force.data(), p) += motion.half * own - own;
      }
    }
  }
}

/// Takes in the matrices of single elements: J'(h^2 K + h D)J, weighted, into flexA, and the forces ahead of points.
class Assembler {
 public:
  Assembler(const Model& m, Data& d, int flex, const Riding& riding, const Ahead& ahead, std::span<double> force)
      : m_(m),
        part_(m.flex_stiffpart[flex]),
        h_(m.opt.timestep),
        weights_(stepWeights(m.opt.integrator)),
        A_(d.flexA.data()),
        place_(m.K_place.data() + m.flex_placeadr[flex]),
        riding_(riding),
        ahead_(ahead),
        force_(force) {}

  /// `K` and `D`, which may be null, are 3n x 3n, symmetric, over the n given points.
  void operator()(std::span<const int> points, const double* K, const double* D) {
    switch (points.size()) {
      case 2:
        return add<2>(points, K, D);
      case 3:
        return add<3>(points, K, D);
      case 4:
        return add<4>(points, K, D);
      case elastic::Section::kPoints:
        return add<elastic::Section::kPoints>(points, K, D);
      case 8:
        return add<8>(points, K, D);
      case 10:
        return add<10>(points, K, D);
      case 27:
        return add<27>(points, K, D);
      case kFoldPoints<1>:
        return add<kFoldPoints<1>>(points, K, D);
      case elastic::kFacePoints<2>:  // also the joints of rods
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
    const double ofK = weights_.stiffness * h_ * h_, ofD = weights_.damping * h_;
    const bool turns = !ahead_.acceleration.empty();
    for (std::size_t a = 0; a < n; ++a) {
      Vec3 f = Vec3::Zero();
      for (std::size_t b = 0; b < n; ++b) {
        f += k[a * n + b] * vec3(ahead_.way.data(), points[b]);
        if (!turns) continue;
        const Vec3 round = vec3(ahead_.acceleration.data(), points[b]);
        const double perWay = 1 / (weights_.rate * h_);
        f -= perWay * ofK * k[a * n + b] * round;
        if (d) f -= perWay * d[a * n + b] * (ofD * round + vec3(ahead_.velocity.data(), points[b]));
      }
      vec3(force_.data(), points[a]) -= f;
      for (std::size_t b = 0; b <= a; ++b) {
        const double sum = ofK * k[a * n + b] + (d ? ofD * d[a * n + b] : 0);
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

  /// The same with K = [k -k; -k k], D = [d -d; -d d], 3 x 3 numbers each.
  void addPair(std::span<const int> points, const double* k, const double* d) {
    const int* place = place_;
    place_ += 3;
    if (place[0] < 0 && isRigid(m_, points.data(), 2)) return;
    const Eigen::Map<const Eigen::Matrix3d> K(k);
    Eigen::Matrix3d sum = weights_.stiffness * h_ * h_ * K;
    if (d) sum += weights_.damping * h_ * Eigen::Map<const Eigen::Matrix3d>(d);
    ahead_.addPair(points, k, d, force_);
    const Eigen::Matrix3d minus = -sum;
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const Eigen::Matrix3d& block = a == b ? sum : minus;
        const int entry = *place++;
        if (entry >= 0) {
          addBlock(entry, std::max(rowOfNode(m_, points[a]), rowOfNode(m_, points[b])), a == b, block.data(), 3);
          continue;
        }
        addThroughBodies(points[a], points[b], block);
        if (a != b) addThroughBodies(points[b], points[a], block);
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
    Matrix sum = weights_.stiffness * h_ * h_ * K;
    if (elementD) sum += weights_.damping * h_ * Eigen::Map<const Matrix>(elementD);
    int row[N];
    for (int a = 0; a < N; ++a) row[a] = rowOfNode(m_, points[a]);
    ahead_.add<N>(points, elementK, elementD, force_);
    for (int a = 0; a < N; ++a) {
      const int p = points[a];
      for (int b = 0; b <= a; ++b) {
        const int entry = *place++;
        if (entry >= 0) {
          // the block in the rows of the later node; columns of a symmetric matrix are its rows
          const bool swapped = row[b] > row[a];
          const int later = swapped ? b : a, earlier = swapped ? a : b;
          addBlock(entry, row[later], a == b, sum.data() + 3 * later * size + 3 * earlier, size);
          continue;
        }
        const int q = points[b];
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
  const StepWeights weights_;
  double* A_;
  const int* place_;
  const Riding& riding_;
  const Ahead& ahead_;
  std::span<double> force_;
};

/// h^2 K of the joints of cables; addCableTorques() has their -h K v.
void addCables(const Model& m, Data& d) {
  if (m.ncable == 0 || m.opt.disabled(disable::kSpring)) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<int> partOf = d.work->arena.take<int>(m.nv);
  for (int part = 0; part < m.nstiffpart; ++part) {
    for (const int dof : stiffDofs(m, part)) partOf[at(dof)] = part;
  }
  const double square = m.opt.timestep * m.opt.timestep;
  forEachCableStiffness(m, d, [&](int dof, const Mat3& K) {
    const int part = partOf[at(dof)], row = m.dof_stiffrow[dof];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c) d.flexA[entryOfK(m, part, row + r, row + c)] += square * K(r, c);
    }
  });
}

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

const sparse::FactorPlan& planOf(const Model& m, Data& d, int part) {
  const Arena::Scope scope(d.work->arena);
  return d.work->solverMemory.plans(-1 - part).planForFixed(stiffRows(m, d, part), groupsOf(m, part, d.work->arena),
                                                            d.work->arena);
}

const solve::BlockPlan& blockPlanOf(const Model& m, Data& d, int part) {
  const Arena::Scope scope(d.work->arena);
  return d.work->solverMemory.plans(-1 - part).blockPlanForFixed(
      stiffRows(m, d, part), groupsOf(m, part, d.work->arena), partHasSolids(m, part), d.work->arena);
}

/// Whether systems with a part are solved by iterations. Newton's method asks for one or two solutions in a step, the
/// dual solvers for one per row.
bool iterationsAreCheaper(const Model& m, const sparse::FactorPlan& plan, int part) {
  if (m.opt.jacobian != JacobianForm::Auto) return false;
  if (m.opt.solver == Solver::PGS || m.opt.solver == Solver::Impulse || m.opt.noslip_iterations > 0) return false;
  const int first = m.stiffpart_dofadr[part], n = m.stiffpart_dofnum[part];
  const double blocks = (m.K_rowadr[first + n - 1] + m.K_rownnz[first + n - 1] - m.K_rowadr[first]) / 9.0 + n / 3.0;
  return n > solve::cost::kSmallestIterative &&
         solve::cost::kFactorsFixed * plan.flops() > solve::cost::kBlockOfAFactor * blocks;
}

/// Where the numbers of a part are: in flexL, or in flexBlock and flexIncomplete, flexCoarse and flexProduct.
struct PartNumbers {
  const sparse::FactorPlan* plan = nullptr;
  bool iterative = false;
  std::ptrdiff_t factor = 0, factorEnd = 0;
  std::ptrdiff_t block = 0, blockEnd = 0;
  std::ptrdiff_t incomplete = 0, incompleteEnd = 0;
  std::ptrdiff_t coarse = 0, coarseEnd = 0;
  std::ptrdiff_t product = 0, productEnd = 0;
};

/// Numbers of a part that come after those of the one before it.
PartNumbers numbersAfter(const Model& m, const PartNumbers& before, const solve::PlanMemory& plans, int part) {
  PartNumbers next{&plans.fixedPlan(), iterationsAreCheaper(m, plans.fixedPlan(), part)};
  next.factor = next.factorEnd = before.factorEnd;
  next.block = next.blockEnd = before.blockEnd;
  next.incomplete = next.incompleteEnd = before.incompleteEnd;
  next.coarse = next.coarseEnd = before.coarseEnd;
  next.product = next.productEnd = before.productEnd;
  if (next.iterative) {
    const sparse::BlockPattern& pattern = plans.fixedBlockPlan().pattern();
    next.blockEnd += sparse::BlockMatrix::values(pattern);
    next.incompleteEnd += sparse::BlockMatrix::factors(pattern);
    if (const sparse::CoarsePlan* coarse = plans.fixedBlockPlan().coarse()) {
      next.coarseEnd += coarse->factorValues();
      next.productEnd += coarse->productValues();
    }
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
  if (d.work->flexCoarse.size() < numbers.coarseEnd) d.work->flexCoarse.resize(numbers.coarseEnd);
  if (d.work->flexProduct.size() < numbers.productEnd) d.work->flexProduct.resize(numbers.productEnd);
  return numbers;
}

template <class T>
std::span<T> numbersOf(T* first, std::ptrdiff_t begin, std::ptrdiff_t end) {
  return {first + begin, static_cast<std::size_t>(end - begin)};
}

/// The factor of a part of flexA.
void factorPart(const Model& m, Data& d, int part, const sparse::FactorPlan& plan, std::span<double> matrices,
                std::span<double> diagInv) {
  const Arena::Scope scope(d.work->arena);
  const sparse::FactorMaker maker(plan, matrices, diagInv, d.work->arena);
  std::fill(matrices.begin(), matrices.end(), 0.0);
  const std::span<const std::ptrdiff_t> places = d.work->solverMemory.plans(-1 - part).placesOfFixed();
  const double* A = d.flexA.data() + m.K_rowadr[m.stiffpart_dofadr[part]];
  for (std::size_t k = 0; k < places.size(); ++k) matrices[places[k]] = A[k];
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
  sparse::BlockMaker maker(plan.pattern(), numbersOf(d.work->flexBlock.data(), numbers.block, numbers.blockEnd),
                           numbersOf(d.work->flexIncomplete.data(), numbers.incomplete, numbers.incompleteEnd),
                           d.work->arena);
  plan.set(stiffRows(m, d, part), maker);
  const bool twoLevels = plan.coarse() && sparse::stiffnessRatio(maker.matrix()) > solve::cost::kTwoLevelStiffness;
  d.work->flexTwoLevels[part] = twoLevels;
  if (twoLevels) {
    maker.setCompensation(sparse::CoarseSpace::kCompensation);
    const sparse::CoarseMaker coarse(*plan.coarse(),
                                     numbersOf(d.work->flexProduct.data(), numbers.product, numbers.productEnd),
                                     numbersOf(d.work->flexCoarse.data(), numbers.coarse, numbers.coarseEnd));
    coarse.make(maker.matrix(), d.work->arena);
  }
  maker.factor();
}

/// x <- inv(A) x by a factor that is made for this alone.
void solveByFactor(const Model& m, Data& d, int part, double* x) {
  const Arena::Scope scope(d.work->arena);
  const sparse::FactorPlan& plan = planOf(m, d, part);
  const std::span<double> matrices = d.work->arena.take<double>(plan.entries()),
                          diagInv = d.work->arena.take<double>(plan.dofs());
  factorPart(m, d, part, plan, matrices, diagInv);
  sparse::SparseFactor(plan, matrices, diagInv, d.work->arena.take<double>(plan.largestFront())).solve(x);
}

/// x <- inv(A) x for one part, in the order of its rows. Returns the number of iterations.
int solvePart(const Model& m, Data& d, int part, std::span<double> x) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> right = d.work->arena.take<double>(static_cast<std::ptrdiff_t>(x.size()));
  std::copy(x.begin(), x.end(), right.begin());
  const auto report = stiffSolver(m, d, part, d.work->arena).solve(x.data());
  if (!report.converged) {  // CG stagnated: fall back to a direct factorization
    std::copy(right.begin(), right.end(), x.begin());
    solveByFactor(m, d, part, x.data());
  }
  return report.iterations;
}

/// y = (M + damping h B) x for one part, B the dampers other than those of flexes.
void multiplyInertia(const Model& m, const Data& d, int part, std::span<const double> x, std::span<double> y) {
  const double h = m.opt.timestep * stepWeights(m.opt.integrator).damping;
  std::fill(y.begin(), y.end(), 0.0);
  for (const int dof : stiffDofs(m, part)) {
    const std::size_t row = at(m.dof_stiffrow[dof]);
    for (int k = m.M_rowadr[dof]; k < m.M_rowadr[dof] + m.M_rownnz[dof]; ++k) {
      const std::size_t column = at(m.dof_stiffrow[m.M_colind[k]]);
      const double entry = d.M[k] - h * dampingRate(m, d, dof, k);
      y[row] += entry * x[column];
      if (column != row) y[column] += entry * x[row];
    }
  }
}

/// Midpoint alone would let modes ring that the step cannot resolve. With Q = A - M, what the metric has in addition to
/// inertia, their velocity w = (inv(A) Q)^2 v is taken away before the step: all of it where h w >> 1, nothing to speak
/// of where h w is small. A step from v - w has the force f - (h/2 K + D)(v - w) and the acceleration less w/h, which
/// is the force -M w/h, because h/2 K + D = Q/h. Positions advance by h w/2 less, see advance().
void takeUnresolved(const Model& m, Data& d) {
  if (m.opt.integrator != Integrator::Midpoint) return;
  d.work->flexUnresolved.resize(m.nv);
  std::fill(d.work->flexUnresolved.begin(), d.work->flexUnresolved.end(), 0.0);
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (stiffPartAsleep(m, d, part)) continue;
    const Arena::Scope scope(d.work->arena);
    const std::span<const int> dofs = stiffDofs(m, part);
    const auto size = static_cast<std::ptrdiff_t>(dofs.size());
    const std::span<double> w = d.work->arena.take<double>(size), Mw = d.work->arena.take<double>(size);
    velocityOfDeformation(m, d, part, partMotion(m, d, part), w);
    for (int twice = 0; twice < 2; ++twice) {  // w <- w - inv(A) M w
      multiplyInertia(m, d, part, w, Mw);
      solvePart(m, d, part, Mw);
      for (std::size_t i = 0; i < dofs.size(); ++i) w[i] -= Mw[i];
    }
    multiplyInertia(m, d, part, w, Mw);
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      d.work->flexUnresolved[dofs[i]] = w[i];
      d.qfrc_implicit[dofs[i]] -= Mw[i] / m.opt.timestep;
    }
  }
}

}  // namespace

bool partHasSolids(const Model& m, int part) {
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffpart[f] == part && m.flex_dim[f] == 3) return true;
  }
  return false;
}

bool stiffnessIsImplicit(const Model& m) { return m.nstiffdof > 0 && isImplicit(m.opt.integrator); }

double dampingRate(const Model& m, const Data& d, int dof, int k) {
  // fluid acts on a free body unsymmetrically
  return 0.5 * (d.qDeriv[m.mapD2M[k]] + d.qDeriv[entryOfD(m, m.M_colind[k], dof)]);
}

void addForcesAhead(const Model& m, Data& d, double* force) {
  const Arena::Scope scope(d.work->arena);
  const Ahead ahead(m, d, d.work->arena);
  const std::span<double> sum = d.work->arena.zeros<double>(3 * m.nflexpoint);
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffpart[f] < 0 || flexAsleep(m, d, f)) continue;
    visitStiffness(m, d, f, [&](std::span<const int> points, const double* K, const double* D) {
      const int n = static_cast<int>(points.size());
      if (isRigid(m, points.data(), n)) return;
      const auto add = [&]<int N>() { ahead.add<N>(points, K, D, sum); };
      switch (n) {
        case 2:
          return add.operator()<2>();
        case 3:
          return add.operator()<3>();
        case 4:
          return add.operator()<4>();
        case elastic::Section::kPoints:
          return add.operator()<elastic::Section::kPoints>();
        case 8:
          return add.operator()<8>();
        case 10:
          return add.operator()<10>();
        case 27:
          return add.operator()<27>();
        case kFoldPoints<1>:
          return add.operator()<kFoldPoints<1>>();
        case elastic::kFacePoints<2>:  // also the joints of rods
          return add.operator()<elastic::kFacePoints<2>>();
        case kFoldPoints<2>:
          return add.operator()<kFoldPoints<2>>();
      }
    });
  }
  finishAhead(m, d, ahead, sum);
  for (std::size_t i = 0; i < sum.size(); ++i) force[i] += sum[i];
}

sparse::LowerRows stiffRows(const Model& m, const Data& d, int part) {
  const int row = m.stiffpart_dofadr[part];
  return {m.stiffpart_dofnum[part], m.K_rownnz.data() + row, m.K_rowadr.data() + row, m.K_colind.data(),
          d.flexA.data()};
}

void assembleStiffness(const Model& m, Data& d) {
  if (!stiffnessIsImplicit(m)) return;
  startWithInertia(m, d);
  addCables(m, d);
  {
    const Arena::Scope scope(d.work->arena);
    const Riding riding = ridingPoints(m, d, d.work->arena);
    const Ahead ahead(m, d, d.work->arena);
    const std::span<double> force = d.work->arena.zeros<double>(3 * m.nflexpoint);
    for (int f = 0; f < m.nflex; ++f) {
      if (m.flex_stiffpart[f] < 0 || flexAsleep(m, d, f)) continue;
      Assembler assembler(m, d, f, riding, ahead, force);
      visitStiffness(m, d, f, assembler);
    }
    finishAhead(m, d, ahead, force);
    std::fill(d.qfrc_implicit.begin(), d.qfrc_implicit.end(), 0.0);
    for (int p = 0; p < m.nflexpoint; ++p) addPointForce(m, d, p, vec3(force.data(), p), d.qfrc_implicit.data());
  }
  d.work->flexLDiagInv.resize(m.nstiffdof);
  d.work->flexTwoLevels.resize(m.nstiffpart);
  PartNumbers numbers;
  for (int part = 0; part < m.nstiffpart; ++part) {
    numbers = prepareNumbers(m, d, numbers, part);  // also of those that sleep, which keep their place
    if (!stiffPartAsleep(m, d, part)) preparePart(m, d, part, numbers);
  }
  takeUnresolved(m, d);
}

solve::MatrixSolver stiffSolver(const Model& m, const Data& d, int part, Arena& arena) {
  PartNumbers numbers;
  for (int p = 0; p <= part; ++p) numbers = numbersAfter(m, numbers, *d.work->solverMemory.find(-1 - p), p);
  if (numbers.iterative) {
    const solve::BlockPlan& plan = d.work->solverMemory.find(-1 - part)->fixedBlockPlan();
    const sparse::BlockMatrix matrix(
        plan.pattern(), numbersOf(d.work->flexBlock.data(), numbers.block, numbers.blockEnd),
        numbersOf(d.work->flexIncomplete.data(), numbers.incomplete, numbers.incompleteEnd));
    std::optional<sparse::CoarseSpace> coarse;
    if (d.work->flexTwoLevels[part]) {
      coarse.emplace(*plan.coarse(), numbersOf(d.work->flexProduct.data(), numbers.product, numbers.productEnd),
                     numbersOf(d.work->flexCoarse.data(), numbers.coarse, numbers.coarseEnd), arena);
    }
    return {plan.lanes(), matrix, coarse, plan.pattern().worthwhileIterations(numbers.plan->flops()), arena};
  }
  const sparse::SparseFactor factor(
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
  d.metricIterations = 0;
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (stiffPartAsleep(m, d, part)) continue;
    const std::span<double> own = stiff.subspan(at(m.stiffpart_dofadr[part]), at(m.stiffpart_dofnum[part]));
    d.metricIterations += solvePart(m, d, part, own);
  }
  for (std::size_t i = 0; i < stiff.size(); ++i) x[m.stiff_dof[static_cast<std::ptrdiff_t>(i)]] = stiff[i];
}

void multiplyMetric(const Model& m, const Data& d, const double* x, double* y) {
  multiplyMass(m, d, x, y);
  if (!stiffnessIsImplicit(m)) return;
  for (const int dof : m.stiff_dof) y[dof] = 0;
  for (int part = 0; part < m.nstiffpart; ++part) addMetricProduct(m, d, part, x, y);
}

void addMetricProduct(const Model& m, const Data& d, int part, const double* x, double* y) {
  const int* dofs = stiffDofs(m, part).data();
  const sparse::LowerRows A = stiffRows(m, d, part);
  for (int i = 0; i < A.n; ++i) {
    const int last = A.rowadr[i] + A.rownnz[i] - 1;
    for (int k = A.rowadr[i]; k < last; ++k) {
      y[dofs[i]] += A.value[k] * x[dofs[A.colind[k]]];
      y[dofs[A.colind[k]]] += A.value[k] * x[dofs[i]];
    }
    y[dofs[i]] += A.value[last] * x[dofs[i]];
  }
}

}  // namespace sinew
