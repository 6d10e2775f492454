#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "derivatives/impulse_motion.h"
#include "derivatives/nudged_forces.h"
#include "derivatives/nudged_sensors.h"
#include "derivatives/row_forces.h"
#include "derivatives/smooth_forces.h"
#include "forces/actuation.h"
#include "forces/damper.h"
#include "forces/derivative.h"
#include "forces/stiff_metric.h"
#include "integrate/integrate.h"
#include "kinematics/positions.h"
#include "math/types.h"
#include "metric/step_matrix.h"
#include "model/arguments.h"
#include "model/workspace.h"
#include "sinew/derivatives.h"
#include "sinew/dynamics.h"
#include "sinew/state.h"
#include "sinew/step.h"

// Derivatives of a step without differences of steps. The step solves A a = F(q, v, act, u) - C(q, v) + J'f, A the
// matrix of the integrator, so A da = d(F - C - A a) at the given a + d(J'f), with the factor of A that the step has
// made; and v+ = v + h a, q+ = q (+) h v+. The first term is in closed form where all forces have one and A is M and
// what polynomial damping adds; else it is differenced (nudged_forces.h).
//
// Forces f of constraint rows are those of the acceleration b that solves S b = S b0 + J'f(q, v, b), S the metric of
// the solver (M, or that with implicit stiffness) and b0 the acceleration without rows. By the implicit function
// theorem (S + J'S''J) db = d(S (b0 - b)) + d(J'f)|b, and then d(J'f) = d(J'f)|b - J'S''J db; S + J'S''J is the Hessian
// of Newton's method at its end. Where stiffness is implicit, a is b.
namespace sinew {
namespace {

using smooth::Matrix;
using smooth::Parts;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(
      fmt::format("analyticDerivatives: {}; transitionDerivatives() differentiates any step", why));
}

/// Share of the forces that a solver may leave unbalanced: derivatives are off by about as much.
constexpr double kBalance = 1e-6;

/// Why there are no derivatives, empty if there are.
std::string obstacleOf(const Model& m, const Data& d) { return smooth::obstacle(m, d, true); }

/// Whether all that a step does with smooth forces has a closed form in smooth_forces.h.
bool hasClosedForm(const Model& m) {
  if (!smooth::withoutClosedForm(m, true).empty()) return false;
  if (m.opt.integrator == Integrator::Euler || m.opt.integrator == Integrator::RK4) return true;
  if (m.opt.integrator == Integrator::Implicit) return false;  // its matrix holds derivatives of motion forces
  for (int b = 1; b < m.nbody; ++b) {
    if (isStandaloneFreeBody(m, b)) return false;  // treated as by the integrator `implicit`
  }
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_gaintype[u] == GainType::Affine && m.actuator_gainprm[10 * u + 2] != 0) return false;
  }
  return true;
}

/// dF - d(M a + C) for a given acceleration, at the state of x, which has been evaluated.
Parts smoothForces(const Model& m, const Data& x, const double* a) {
  Parts result = Parts::zero(m, m.nv);
  smooth::addInverseDynamics(m, x, a, result.q, result.v);
  result.q *= -1;
  result.v *= -1;
  smooth::addPassive(m, x, result.q, result.v);
  smooth::addApplied(m, x, result.q);
  smooth::addActuators(m, x, result.q, result.v, result.act, result.ctrl);
  return result;
}

/// d act_dot of integrators and filters.
Parts closedRates(const Model& m, const Data& x) {
  Parts result = Parts::zero(m, m.na);
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_actnum[u] == 0) continue;
    const smooth::ActivationRate law = smooth::activationRate(m, x, u);
    const int a = lastActivation(m, u);
    result.act(a, a) = law.byAct;
    result.ctrl(a, law.ctrl) = law.byCtrl;
  }
  return result;
}

/// What stands for nudgedForces() where there are closed forms.
smooth::NudgedForces closedForces(const Model& m, const Data& x, const double* b, const double* a) {
  smooth::NudgedForces result{smoothForces(m, x, b), smoothForces(m, x, a), closedRates(m, x), {}};
  if (x.work->stepMatrix == StepMatrix::Inertia || m.opt.disabled(disable::kDamper)) return result;
  // the matrix holds the rates of dampers, which change with velocity
  std::vector<DampingLaw> laws(static_cast<std::size_t>(m.nv), DampingLaw{0, 0, 0});
  dofDamping(m, x, laws);
  for (int i = 0; i < m.nv; ++i) {
    const DampingLaw& law = laws[static_cast<std::size_t>(i)];
    const double v = x.qvel[i], slope = 2 * law.b1 * (v > 0 ? 1 : v < 0 ? -1 : 0) + 6 * law.b2 * v;
    result.step.v(i, i) -= m.opt.timestep * slope * a[i];
  }
  return result;
}

/// What is wrong if the solver has not solved for the forces of the rows; empty if it has.
std::string imbalance(const Model& m, const Data& x) {
  const double share = unbalancedShare(m, x);
  if (share <= kBalance) return "";
  return fmt::format("the solver left {:.1e} of the forces unbalanced (more iterations or a smaller tolerance help)",
                     share);
}

/// The metric of the solver as a dense matrix.
Matrix solverMetric(const Model& m, const Data& x) {
  Matrix S(m.nv, m.nv);
  VecX unit = VecX::Zero(m.nv);
  for (int i = 0; i < m.nv; ++i) {
    unit[i] = 1;
    multiplyMetric(m, x, unit.data(), S.col(i).data());
    unit[i] = 0;
  }
  return S;
}

/// What the constraints do: d qacc, d qfrc_constraint and d efc_force. At the state of x, which has been evaluated and
/// has rows.
struct Constrained {
  Parts acceleration, force, rowForce;
};

/// `solver`: d(S (b0 - b)).
Constrained constrained(const Model& m, const Data& x, const Parts& solver) {
  const RowForces rows = rowForces(m, x);
  if (!rows.obstacle.empty()) refuse(rows.obstacle);
  if (std::string why = imbalance(m, x); !why.empty()) refuse(why);
  const Eigen::LLT<Matrix> hessian(solverMetric(m, x) + rows.curvature);
  Constrained result{solver, {}, {}};
  result.acceleration.q += rows.q;
  result.acceleration.v += rows.v;
  result.acceleration.forEach([&](Matrix& matrix) {
    if (matrix.cols() > 0) matrix = hessian.solve(matrix).eval();
  });
  result.force = result.acceleration;
  result.force.forEach([&](Matrix& matrix) { matrix = (-rows.curvature * matrix).eval(); });
  result.force.q += rows.q;
  result.force.v += rows.v;
  result.rowForce = result.acceleration;
  result.rowForce.forEach([&](Matrix& matrix) { matrix = (-rows.response * matrix).eval(); });
  result.rowForce.q += rows.forceQ;
  result.rowForce.v += rows.forceV;
  return result;
}

/// Calls f(matrix, other matrix) for those of the four of two Parts that have columns: a model without activations or
/// controls has matrices without memory.
template <class F>
void forEachPair(Parts& left, Parts& right, F&& f) {
  for (const auto part : {&Parts::q, &Parts::v, &Parts::act, &Parts::ctrl}) {
    if ((left.*part).cols() > 0) f(left.*part, right.*part);
  }
}

/// d a, d act_dot, and what sensors need beside the state.
struct Rates {
  Parts acceleration, activation;
  Parts solver;    ///< d qacc
  Parts rowForce;  ///< d efc_force; empty: there are no rows
  Parts moving;    ///< d of what positions move with beside the new velocity; empty: nothing
};

/// Midpoint: what stiff parts of flexes move with in addition to v+, d(-h a / 2).
Parts meanVelocity(const Model& m, Parts acceleration) {
  Parts moving = Parts::zero(m, m.nv);
  for (const int dof : m.stiff_dof) {
    forEachPair(moving, acceleration,
                [&](Matrix& own, const Matrix& by) { own.row(dof) = -0.5 * m.opt.timestep * by.row(dof); });
  }
  return moving;
}

/// Rates under the impulse solver, whose acceleration the integrator moves on with.
Rates impulseRatesAt(const Model& m, const Data& x) {
  ImpulseMotion motion = impulseMotion(m, x);
  if (!motion.obstacle.empty()) refuse(motion.obstacle);
  Parts acceleration = std::move(motion.velocity);
  acceleration.v.diagonal().array() -= 1;
  acceleration.forEach([&](Matrix& matrix) { matrix /= m.opt.timestep; });
  Parts moving = std::move(motion.correction);
  if (smooth::isMidpoint(m)) {
    Parts mean = meanVelocity(m, acceleration);
    forEachPair(moving, mean, [](Matrix& own, const Matrix& by) { own += by; });
  }
  return {acceleration, std::move(motion.rate), acceleration, std::move(motion.rowForce), std::move(moving)};
}

/// At the state of x, which forward() has evaluated; a is the acceleration that the integrator moves on with.
Rates ratesAt(const Model& m, Data& x, const double* a) {
  if (m.opt.solver == Solver::Impulse) return impulseRatesAt(m, x);
  smooth::NudgedForces forces =
      hasClosedForm(m) ? closedForces(m, x, x.qacc.data(), a) : smooth::nudgedForces(m, x, x.qacc.data(), a, true);
  Parts& step = forces.step;
  Parts ofSolver = forces.solver;  // d b, if it is needed
  Parts rowForce, moving;
  const bool stiff = stiffnessIsImplicit(m);
  if (x.nefc() > 0) {
    Constrained rows = constrained(m, x, forces.solver);
    forEachPair(step, rows.force, [](Matrix& sum, const Matrix& force) { sum += force; });
    ofSolver = std::move(rows.acceleration);
    rowForce = std::move(rows.rowForce);
  } else {
    ofSolver.forEach([&](Matrix& matrix) {
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) solveMetric(m, x, matrix.col(j).data());
    });
  }
  step.forEach([&](Matrix& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) solveStepMatrix(m, x, matrix.col(j).data());
  });
  if (stiff) {
    forEachPair(step, ofSolver, [&](Matrix& own, const Matrix& solver) {
      for (const int dof : m.stiff_dof) own.row(dof) = solver.row(dof);
    });
  }
  if (smooth::isMidpoint(m)) {
    moving = meanVelocity(m, step);
    for (const int dof : m.stiff_dof) {
      forEachPair(moving, forces.unresolved, [&](Matrix& own, const Matrix& by) { own.row(dof) -= 0.5 * by.row(dof); });
    }
  }
  return {std::move(step), std::move(forces.rate), std::move(ofSolver), std::move(rowForce), std::move(moving)};
}

/// d(q (+) h v) = turn dq + h move dv, in the tangent at the end: rotations are seen from where they lead to.
void movePositions(const Model& m, const double* v, double h, const Matrix& dq, const Matrix& dv, Matrix& out) {
  out = dq + h * dv;
  for (int j = 0; j < m.njnt; ++j) {
    const bool isFree = m.jnt_type[j] == JointType::Free;
    if (!isFree && m.jnt_type[j] != JointType::Ball) continue;
    const int first = m.jnt_dofadr[j] + (isFree ? 3 : 0);
    const Vec3 w = h * ConstMapVec3(v + first);
    const double angle = w.norm();
    const Eigen::Matrix3d turn = angle < kMinVal ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                                                 : Eigen::AngleAxisd(-angle, Vec3(w / angle)).toRotationMatrix();
    out.middleRows<3>(first) = turn * dq.middleRows<3>(first) + h * smooth::expJacobian(w) * dv.middleRows<3>(first);
  }
}

/// Columns of all variables: (dq, dv, dact) and then dctrl.
struct Variation {
  Matrix q, v, act;
  Matrix sensors = {};
};

Matrix along(const Parts& d, const Variation& x, const Matrix& ctrl) {
  Matrix result = d.q * x.q + d.v * x.v;
  if (d.act.cols() > 0) result += d.act * x.act;
  if (d.ctrl.cols() > 0) result += d.ctrl * ctrl;
  return result;
}

/// act+ = act + duration * mean of act_dot, or a limit.
void moveActivations(const Model& m, const Data& start, const double* meanRate, const Matrix& dRate, Matrix& act) {
  for (int u = 0; u < m.nactuator; ++u) {
    for (int a = m.actuator_actadr[u], left = m.actuator_actnum[u]; left > 0; ++a, --left) {
      const smooth::ActivationStep law = smooth::activationStep(m, start, u, a, meanRate[a]);
      act.row(a) = law.next * act.row(a) + law.duration * dRate.row(a);
    }
  }
}

/// v+ = v + h a, but what is pinned does not move.
Matrix moveVelocities(const Model& m, const Matrix& v, double h, const Matrix& a) {
  Matrix next = v + h * a;
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) next.middleRows<3>(m.nv_rigid + 3 * node).setZero();
  }
  return next;
}

/// Adds to the velocity that positions move with, v+, what advance() adds.
void addMoving(const Model& m, const Data& x, const double* a, VecX& velocity) {
  if (smooth::isMidpoint(m)) {
    for (const int dof : m.stiff_dof) {
      velocity[dof] -= 0.5 * (m.opt.timestep * a[dof] + x.work->flexUnresolved[dof]);
    }
  }
  if (m.opt.solver == Solver::Impulse) velocity += ConstMapVecX(x.work->qvel_correction.data(), m.nv);
}

/// d sensordata along x.
Matrix sensorsAlong(const Model& m, const Data& at, const Rates& by, const Variation& x, const Matrix& ctrl) {
  if (m.nsensordata == 0) return Matrix::Zero(0, x.q.cols());
  return along(smooth::nudgedSensors(m, at, by.solver, by.rowForce), x, ctrl);
}

/// Semi-implicit: v+ = v + h a, q+ = q (+) h v+.
Variation semiImplicit(const Model& m, const Data& d, const Variation& x, const Matrix& ctrl) {
  Data start = d;
  start.threads = 1;
  stopPinnedNodes(m, start);
  forward(m, start);
  std::vector<double> scratch(static_cast<std::size_t>(m.nv));
  const double* a = stepAcceleration(m, start, scratch);
  const Rates by = ratesAt(m, start, a);
  const double h = m.opt.timestep;
  VecX velocity = ConstMapVecX(start.qvel.data(), m.nv) + h * ConstMapVecX(a, m.nv);
  Variation next = x;
  next.v = moveVelocities(m, x.v, h, along(by.acceleration, x, ctrl));
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) velocity.segment<3>(m.nv_rigid + 3 * node).setZero();
  }
  Matrix moving = next.v;
  if (by.moving.q.cols() > 0) moving += along(by.moving, x, ctrl);
  addMoving(m, start, a, velocity);
  movePositions(m, velocity.data(), h, x.q, moving, next.q);
  next.sensors = sensorsAlong(m, start, by, x, ctrl);
  moveActivations(m, start, start.act_dot.data(), along(by.activation, x, ctrl), next.act);
  return next;
}

/// Classical Runge-Kutta: the same chain of evaluations as the step, each with its derivatives.
Variation rungeKutta(const Model& m, const Data& d, const Variation& x, const Matrix& ctrl) {
  constexpr std::array<double, 4> kNode{0, 0.5, 0.5, 1}, kWeight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const double h = m.opt.timestep;
  Data start = d;
  start.threads = 1;
  stopPinnedNodes(m, start);
  Data at = start;
  forward(m, at);
  Variation stage = x;
  Variation next = x;
  Matrix meanV = Matrix::Zero(m.nv, x.v.cols()), meanA = meanV, meanRate = Matrix::Zero(m.na, x.v.cols());
  VecX velocity = VecX::Zero(m.nv), rate = VecX::Zero(m.na);
  for (std::size_t i = 0; i < 4; ++i) {
    const Rates by = ratesAt(m, at, at.qacc.data());
    if (i == 0) next.sensors = sensorsAlong(m, at, by, x, ctrl);
    const Matrix dv = stage.v, da = along(by.acceleration, stage, ctrl), dRate = along(by.activation, stage, ctrl);
    const VecX v = ConstMapVecX(at.qvel.data(), m.nv), a = ConstMapVecX(at.qacc.data(), m.nv);
    const VecX r = ConstMapVecX(at.act_dot.data(), m.na);
    meanV += kWeight[i] * dv;
    meanA += kWeight[i] * da;
    meanRate += kWeight[i] * dRate;
    velocity += kWeight[i] * v;
    rate += kWeight[i] * r;
    if (i == 3) break;
    const double t = kNode[i + 1] * h;
    copyState(m, start, at, state::kFullPhysics);
    integratePositions(m, at.qpos, std::span<const double>(v.data(), static_cast<std::size_t>(m.nv)), t);
    for (int k = 0; k < m.nv; ++k) at.qvel[k] += t * a[k];
    for (int k = 0; k < m.na; ++k) at.act[k] += t * r[k];
    at.time += t;
    forward(m, at);
    movePositions(m, v.data(), t, x.q, dv, stage.q);
    stage.v = x.v + t * da;
    stage.act = x.act + t * dRate;
  }
  next.v = x.v + h * meanA;
  movePositions(m, velocity.data(), h, x.q, meanV, next.q);
  moveActivations(m, start, rate.data(), meanRate, next.act);
  return next;
}

}  // namespace

std::string analyticObstacle(const Model& m, const Data& d) {
  argument::pair("analyticObstacle", m, d);
  Data x = d;
  forward(m, x);
  std::string why = obstacleOf(m, x);
  if (!why.empty()) return why;
  if (m.opt.solver == Solver::Impulse) return impulseMotion(m, x).obstacle;
  if (x.nefc() > 0) why = imbalance(m, x);
  if (why.empty() && x.nefc() > 0) why = rowForces(m, x).obstacle;
  return why;
}

TransitionDerivatives analyticDerivatives(const Model& m, const Data& d) {
  argument::pair("analyticDerivatives", m, d);
  {
    Data x = d;
    forward(m, x);
    if (const std::string why = obstacleOf(m, x); !why.empty()) refuse(why);
  }
  const int nv = m.nv, states = 2 * nv + m.na, variables = states + m.nu;
  Variation x{Matrix::Zero(nv, variables), Matrix::Zero(nv, variables), Matrix::Zero(m.na, variables)};
  x.q.leftCols(nv).setIdentity();
  x.v.middleCols(nv, nv) = moveVelocities(m, Matrix::Identity(nv, nv), 0, Matrix::Zero(nv, nv));
  x.act.middleCols(2 * nv, m.na).setIdentity();
  Matrix ctrl = Matrix::Zero(m.nu, variables);
  ctrl.rightCols(m.nu).setIdentity();
  const Variation next = m.opt.integrator == Integrator::RK4 ? rungeKutta(m, d, x, ctrl) : semiImplicit(m, d, x, ctrl);

  TransitionDerivatives result;
  result.states = states;
  result.controls = m.nu;
  result.sensors = m.nsensordata;
  result.A.resize(static_cast<std::size_t>(states) * static_cast<std::size_t>(states));
  result.B.resize(static_cast<std::size_t>(states) * static_cast<std::size_t>(m.nu));
  for (int i = 0; i < states; ++i) {
    const Matrix& part = i < nv ? next.q : i < 2 * nv ? next.v : next.act;
    const int row = i < nv ? i : i < 2 * nv ? i - nv : i - 2 * nv;
    for (int j = 0; j < states; ++j) result.A[i * states + j] = part(row, j);
    for (int j = 0; j < m.nu; ++j) result.B[i * m.nu + j] = part(row, states + j);
  }
  const auto numbersOf = [](const Matrix& matrix) {
    std::vector<double> numbers;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) numbers.push_back(matrix(i, j));
    }
    return numbers;
  };
  result.C = numbersOf(next.sensors.leftCols(states));
  result.D = numbersOf(next.sensors.rightCols(m.nu));
  return result;
}

InverseDerivatives analyticInverseDerivatives(const Model& m, const Data& d) {
  argument::pair("analyticInverseDerivatives", m, d);
  Data x = d;
  inverse(m, x);
  const auto fail = [](const std::string& why) {
    throw std::invalid_argument(
        fmt::format("analyticInverseDerivatives: {}; inverseDerivatives() differentiates any model", why));
  };
  const std::string why = smooth::obstacle(m, x, false);
  if (!why.empty()) fail(why);
  if (m.opt.enabled(enable::kInvDiscrete)) fail("the flag invdiscrete is on");
  if (stiffnessIsImplicit(m)) fail("the stiffness of flexes is implicit");
  Matrix dq = Matrix::Zero(m.nv, m.nv), dv = dq, da = dq;
  RowForces rows;
  fullMass(m, x, {da.data(), static_cast<std::size_t>(da.size())});
  if (smooth::withoutClosedForm(m, false).empty()) {
    smooth::addPassive(m, x, dq, dv);
    dq *= -1;
    dv *= -1;
    smooth::addInverseDynamics(m, x, x.qacc.data(), dq, dv);
  } else {
    const Parts smooth = smooth::nudgedForces(m, x, x.qacc.data(), x.qacc.data(), false).solver;
    dq = -smooth.q;
    dv = -smooth.v;
  }
  if (x.nefc() > 0) {
    rows = rowForces(m, x);
    if (!rows.obstacle.empty()) fail(rows.obstacle);
    dq -= rows.q;
    dv -= rows.v;
    da += rows.curvature;
  }
  InverseDerivatives result;
  result.dofs = m.nv;
  result.sensors = m.nsensordata;
  if (m.nsensordata > 0) {
    const smooth::InverseSensors sensors = smooth::nudgedInverseSensors(m, x, rows);
    for (const auto& [to, from] : {std::pair{&result.DsDq, &sensors.q}, std::pair{&result.DsDv, &sensors.v},
                                   std::pair{&result.DsDa, &sensors.a}}) {
      for (int i = 0; i < m.nsensordata; ++i) {
        for (int j = 0; j < m.nv; ++j) to->push_back((*from)(i, j));
      }
    }
  }
  const std::size_t n = static_cast<std::size_t>(m.nv) * static_cast<std::size_t>(m.nv);
  result.DfDq.resize(n);
  result.DfDv.resize(n);
  result.DfDa.resize(n);
  for (int i = 0; i < m.nv; ++i) {
    for (int j = 0; j < m.nv; ++j) {
      const auto k = static_cast<std::size_t>(i * m.nv + j);
      result.DfDq[k] = dq(i, j);
      result.DfDv[k] = dv(i, j);
      result.DfDa[k] = da(i, j);
    }
  }
  return result;
}

}  // namespace sinew
