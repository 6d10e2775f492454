#include "sinew/constraints/constraint_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/arena.h"
#include "base/joined.h"
#include "constraint/contact_target.h"
#include "constraints/checks.h"
#include "constraints/free_bodies.h"
#include "constraints/vectors.h"
#include "solve/impulse.h"

namespace sinew {
namespace {

Mat3 matrixOf(const Matrix3& a) { return ConstMapMat3(a.data()); }

void checkInertia(const std::string& who, const Matrix3& given) {
  check::finite(who, "inverse inertia", given);
  const Mat3 a = matrixOf(given);
  const double scale = a.cwiseAbs().maxCoeff();
  const bool symmetric = (a - a.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * scale;
  const double minor = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  const bool definite = a(0, 0) > 0 && minor > 0 && a.determinant() > 0;
  if (scale > 0 && !(symmetric && definite)) {
    check::fail(who, "inverse inertia", fmt::format("({})", joined(given, ", ")),
                "symmetric and positive definite, or zero");
  }
}

void checkSystem(const MultiBodySystem& s, double h) {
  check::positive("ConstraintSolver", "time step", h);
  const std::size_t n = s.states.size();
  const auto sized = [n](std::string_view what, std::size_t size) {
    if (size != n) {
      throw std::invalid_argument(
          fmt::format("ConstraintSolver: {} has {} entries, there are {} states", what, size, n));
    }
  };
  sized("inverseMasses", s.inverseMasses.size());
  sized("inverseInertias", s.inverseInertias.size());
  sized("externalForces", s.externalForces.size());
  sized("externalTorques", s.externalTorques.size());
  if (!s.bilateralConstraints.empty()) sized("bilateralConstraints", s.bilateralConstraints.size());
  for (std::size_t i = 0; i < n; ++i) {
    const std::string who = fmt::format("body {}", i);
    check::notNegative(who, "inverse mass", s.inverseMasses[i]);
    checkInertia(who, s.inverseInertias[i]);
    check::finite(who, "position", s.states[i].position);
    check::finite(who, "orientation", s.states[i].orientation);
    check::finite(who, "velocity", s.states[i].velocity);
    check::finite(who, "angular velocity", s.states[i].angularVelocity);
    check::finite(who, "external force", s.externalForces[i]);
    check::finite(who, "external torque", s.externalTorques[i]);
  }
  for (const std::vector<const Constraint*>& list : s.bilateralConstraints) {
    for (const Constraint* c : list) {
      if (!c) throw std::invalid_argument("ConstraintSolver: a constraint is a null pointer");
    }
  }
  for (const TwoBodyConstraint* c : s.contactConstraints) {
    if (!c) throw std::invalid_argument("ConstraintSolver: a constraint is a null pointer");
    const int last = std::max(c->getBodyAIndex(), c->getBodyBIndex());
    if (last >= static_cast<int>(n)) {
      check::fail(c->typeName(), "body index", fmt::format("{}", last), fmt::format("below {}", n));
    }
  }
}

/// The rows of a system with their targets, and where their impulses are reported.
struct Rows {
  FreeBodies bodies;
  solve::ConstraintProblem problem;
  std::vector<double> target;
  std::vector<int> bilateral;    ///< row of each number of the one-body constraints, -1: inactive
  std::vector<int> contact;      ///< the same for contacts
  std::vector<double> velocity;  ///< v* of the dofs

  Rows(const MultiBodySystem& s, double h) {
    for (std::size_t i = 0; i < s.states.size(); ++i)
      bodies.addBody(s.inverseMasses[i], matrixOf(s.inverseInertias[i]));
    addOneBodyRows(s, h, false);
    addOneBodyRows(s, h, true);
    addContactRows(s, h);
    problem = bodies.problem();
    predictVelocity(s, h);
  }

  /// Solvers want equalities first.
  void addOneBodyRows(const MultiBodySystem& s, double h, bool unilateral) {
    std::size_t number = 0;
    for (int body = 0; body < static_cast<int>(s.bilateralConstraints.size()); ++body) {
      const BodyState& state = s.states[body];
      for (const Constraint* c : s.bilateralConstraints[body]) {
        const auto* oneSided = dynamic_cast<const UnilateralConstraint*>(c);
        const auto count = static_cast<std::size_t>(c->dimension());
        bilateral.resize(std::max(bilateral.size(), number + count), -1);
        const bool active = bodies.moves(body) && (!oneSided || oneSided->isActive(state, s.time));
        if ((oneSided != nullptr) == unilateral && active) {
          const std::vector<double> C = c->evaluate(state, s.time);
          const std::vector<Constraint::JacobianRow> J = c->jacobian(state, s.time);
          for (std::size_t k = 0; k < count; ++k) {
            bilateral[number + k] = bodies.rows();
            bodies.addRow(unilateral ? BlockKind::Unilateral : BlockKind::Equality, &body, J[k].data(), 1);
            const ImpulseParameters rule{.erp = c->alpha(), .slop = 0, .threshold = 0, .h = h};
            const double wanted = unilateral ? limitTarget(C[k], rule) : equalityTarget(C[k], rule);
            target.push_back(wanted - velocityOfImmovable(s, body, J[k].data()));
          }
        }
        number += count;
      }
    }
  }

  void addContactRows(const MultiBodySystem& s, double h) {
    for (const TwoBodyConstraint* c : s.contactConstraints) {
      const int a = c->getBodyAIndex(), b = c->getBodyBIndex();
      const BodyState &stateA = s.states[a], &stateB = s.states[b];
      const bool active = c->isActiveTwoBody(stateA, stateB, s.time);
      const std::vector<TwoBodyConstraint::TwoBodyRow> J = c->jacobianTwoBody(stateA, stateB, s.time);
      for (int k = 0; k < c->dimension(); ++k) {
        std::optional<double> wanted;
        if (active && (bodies.moves(a) || bodies.moves(b))) wanted = c->targetVelocity(k, stateA, stateB, s.time, h);
        contact.push_back(wanted ? bodies.rows() : -1);
        if (!wanted) continue;
        std::array<double, 12> columns = J[k];
        const double carried =
            velocityOfImmovable(s, a, columns.data()) + velocityOfImmovable(s, b, columns.data() + 6);
        std::array<int, 2> order{a, b};
        if (a > b) {  // columns grow
          order = {b, a};
          std::rotate(columns.begin(), columns.begin() + 6, columns.end());
        }
        bodies.addRow(BlockKind::Unilateral, order.data(), columns.data(), 2);
        target.push_back(*wanted - carried);
      }
    }
  }

  /// The share of J v that comes from what nothing can push: a platform may move, but it is not among the dofs.
  double velocityOfImmovable(const MultiBodySystem& s, int body, const double* columns) const {
    const BodyState& state = s.states[body];
    double sum = 0;
    if (!bodies.translates(body)) sum += ConstMapVec3(columns).dot(sinew::toEigen(state.velocity));
    if (!bodies.turns(body)) sum += ConstMapVec3(columns + 3).dot(sinew::toEigen(state.angularVelocity));
    return sum;
  }

  /// v* = v + h inv(M) F.
  void predictVelocity(const MultiBodySystem& s, double h) {
    velocity.assign(static_cast<std::size_t>(bodies.dofs()), 0);
    for (std::size_t i = 0; i < s.states.size(); ++i) {
      const Vec3 v =
          sinew::toEigen(s.states[i].velocity) + h * s.inverseMasses[i] * sinew::toEigen(s.externalForces[i]);
      const Vec3 w = sinew::toEigen(s.states[i].angularVelocity) +
                     h * (matrixOf(s.inverseInertias[i]) * sinew::toEigen(s.externalTorques[i]));
      bodies.scatter(static_cast<int>(i), v, w, velocity);
    }
  }

  /// What row r makes of the velocities of the dofs.
  double rowTimes(int r, const std::vector<double>& v) const {
    const RowBlock& block = problem.blocks[r];
    double sum = 0;
    for (int k = 0; k < block.ncol; ++k) {
      sum += problem.values[block.value + k] * v[problem.columns[block.column + k]];
    }
    return sum;
  }
  /// v += scale J_r'.
  void addTransposed(int r, double scale, std::vector<double>& v) const {
    const RowBlock& block = problem.blocks[r];
    for (int k = 0; k < block.ncol; ++k) {
      v[problem.columns[block.column + k]] += scale * problem.values[block.value + k];
    }
  }
  /// Impulses in the order in which the rows were asked for.
  std::vector<double> report(const std::vector<int>& rows, const std::vector<double>& lambda) const {
    std::vector<double> reported;
    for (const int row : rows) reported.push_back(row < 0 ? 0 : lambda[row]);
    return reported;
  }
};

}  // namespace

ConstraintSolver::ConstraintSolver(const Options& options) : options_(options) {
  if (options.maxIterations < 1) {
    check::fail("ConstraintSolver", "maxIterations", fmt::format("{}", options.maxIterations), "1 or more");
  }
  check::positive("ConstraintSolver", "tolerance", options.tolerance);
}

MultiBodySolveResult ConstraintSolver::solveWithContacts(const MultiBodySystem& system, double h) const {
  checkSystem(system, h);
  Rows rows(system, h);
  std::vector<double> lambda(static_cast<std::size_t>(rows.bodies.rows()), 0);
  Arena arena;
  const solve::ImpulseOptions options{.maxSweeps = options_.maxIterations,
                                      .tolerance = options_.tolerance,
                                      .order = solve::SweepOrder::Forth,
                                      .accelerate = false};
  solve::ImpulseSolver solver(rows.problem, {rows.target}, options, arena);
  const solve::ImpulseReport report = solver.solve(lambda, rows.velocity);

  MultiBodySolveResult result;
  result.converged = report.converged;
  result.iterations = report.sweeps;
  result.residual = report.residual;
  result.lambdas = rows.report(rows.contact, lambda);
  result.bilateralLambdas = rows.report(rows.bilateral, lambda);
  std::vector<double> force(rows.velocity.size(), 0);
  for (int r = 0; r < rows.bodies.rows(); ++r) rows.addTransposed(r, lambda[r] / h, force);
  for (int i = 0; i < rows.bodies.bodies(); ++i) {
    const BodyState& before = system.states[i];
    Vec3 f = Vec3::Zero(), t = Vec3::Zero(), v = sinew::toEigen(before.velocity),
         w = sinew::toEigen(before.angularVelocity);
    rows.bodies.gather(i, force, f, t);
    rows.bodies.gather(i, rows.velocity, v, w);
    result.bodyForces.push_back({fromEigen(f), fromEigen(t)});
    result.velocities.push_back(fromEigen(v));
    result.angularVelocities.push_back(fromEigen(w));
  }
  return result;
}

std::vector<std::vector<double>> ConstraintSolver::effectiveMass(const MultiBodySystem& system, double h) const {
  checkSystem(system, h);
  const Rows rows(system, h);
  const int n = rows.bodies.rows();
  std::vector<std::vector<double>> A(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
  for (int j = 0; j < n; ++j) {
    std::vector<double> column(rows.velocity.size(), 0);
    rows.addTransposed(j, 1, column);
    rows.problem.metric->solve(column.data());
    for (int i = 0; i < n; ++i) A[i][j] = rows.rowTimes(i, column);
  }
  return A;
}

std::vector<double> ConstraintSolver::rightHandSide(const MultiBodySystem& system, double h) const {
  checkSystem(system, h);
  const Rows rows(system, h);
  std::vector<double> b = rows.target;
  for (int r = 0; r < rows.bodies.rows(); ++r) b[r] -= rows.rowTimes(r, rows.velocity);
  return b;
}

}  // namespace sinew
