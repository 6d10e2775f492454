#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <array>
#include <span>
#include <stdexcept>
#include <vector>

#include "derivatives/row_forces.h"
#include "derivatives/smooth_forces.h"
#include "dynamics/arguments.h"
#include "forces/actuation.h"
#include "forces/damper.h"
#include "forces/derivative.h"
#include "inertia/inertia.h"
#include "math/types.h"
#include "model/workspace.h"
#include "sinew/derivatives.h"
#include "sinew/dynamics.h"
#include "sinew/state.h"
#include "sinew/step.h"

// Derivatives of a step in closed form. The step solves A a = F(q, v, act, u) - C(q, v) + J'f with A = M(q) + what the
// integrator adds, which depends on polynomial damping alone; so A da = dF - d(M(q) a + C) + d(J'f) with the factor of
// A that the step has made, and v+ = v + h a, q+ = q (+) h v+.
//
// Forces f of constraint rows are those of the acceleration b that solves M b = F - C + J'f(q, v, b). By the implicit
// function theorem (M + J'S''J) db = dF - d(M b + C) + d(J'f)|b, and then d(J'f) = d(J'f)|b - J'S''J db; M + J'S''J is
// the Hessian of Newton's method at its end.
namespace sinew {
namespace {

using smooth::Matrix;

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(
      fmt::format("analyticDerivatives: {}; transitionDerivatives() differentiates any step", why));
}

/// Share of the forces that a solver may leave unbalanced: derivatives are off by about as much.
constexpr double kBalance = 1e-6;

/// Why there are no derivatives in closed form, empty if there are.
std::string obstacleOf(const Model& m, const Data& d) {
  std::string why = smooth::obstacle(m, d, true);
  if (!why.empty()) return why;
  if (m.opt.solver == Solver::Impulse) return "the Impulse solver integrates free bodies in its own way";
  if (m.opt.integrator == Integrator::Implicit) {
    return "the integrator is implicit, whose matrix holds derivatives of forces; implicitfast, Euler and RK4 are "
           "differentiated";
  }
  if (m.opt.integrator != Integrator::ImplicitFast && m.opt.integrator != Integrator::Midpoint) return "";
  for (int b = 1; b < m.nbody; ++b) {
    if (isStandaloneFreeBody(m, b))
      return fmt::format("body {} is free, and implicitfast treats it as implicit does", b);
  }
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_gaintype[u] == GainType::Affine && m.actuator_gainprm[10 * u + 2] != 0) {
      return fmt::format("the gain of actuator {} depends on velocity, and implicitfast on the gain", u);
    }
  }
  return "";
}

/// Derivatives of a vector with one entry per dof.
struct Parts {
  Matrix q, v, act, ctrl;

  template <class F>
  void forEach(F&& f) {
    for (Matrix* matrix : {&q, &v, &act, &ctrl}) f(*matrix);
  }
};

/// dF - d(M a + C) for a given acceleration, at the state of x, which has been evaluated.
Parts smoothForces(const Model& m, const Data& x, const double* a) {
  Parts result{Matrix::Zero(m.nv, m.nv), Matrix::Zero(m.nv, m.nv), Matrix::Zero(m.nv, m.na), Matrix::Zero(m.nv, m.nu)};
  smooth::addInverseDynamics(m, x, a, result.q, result.v);
  result.q *= -1;
  result.v *= -1;
  smooth::addPassive(m, x, result.q, result.v);
  smooth::addApplied(m, x, result.q);
  smooth::addActuators(m, x, result.q, result.v, result.act, result.ctrl);
  return result;
}

/// What is wrong if the solver has not solved for the forces of the rows; empty if it has.
std::string imbalance(const Model& m, const Data& x) {
  const double share = unbalancedShare(m, x);
  if (share <= kBalance) return "";
  return fmt::format("the solver left {:.1e} of the forces unbalanced (more iterations or a smaller tolerance help)",
                     share);
}

/// What the constraints do: d qacc, and d qfrc_constraint. At the state of x, which has been evaluated and has rows.
struct Constrained {
  Parts acceleration, force;
};

Constrained constrained(const Model& m, const Data& x) {
  const RowForces rows = rowForces(m, x);
  if (!rows.obstacle.empty()) refuse(rows.obstacle);
  if (std::string why = imbalance(m, x); !why.empty()) refuse(why);
  Matrix mass(m.nv, m.nv);
  fullMass(m, x, {mass.data(), static_cast<std::size_t>(mass.size())});
  const Eigen::LLT<Matrix> hessian(mass + rows.curvature);
  Constrained result{smoothForces(m, x, x.qacc.data()), {}};
  result.acceleration.q += rows.q;
  result.acceleration.v += rows.v;
  result.acceleration.forEach([&](Matrix& matrix) {
    if (matrix.cols() > 0) matrix = hessian.solve(matrix).eval();
  });
  result.force = result.acceleration;
  result.force.forEach([&](Matrix& matrix) { matrix = (-rows.curvature * matrix).eval(); });
  result.force.q += rows.q;
  result.force.v += rows.v;
  return result;
}

/// Of the acceleration that an integrator moves on with, at the state of x, which has been evaluated. `a` is that
/// acceleration, LD the factor of the integrator's matrix, `damped` whether that matrix holds the rates of the dampers.
Parts accelerationDerivatives(const Model& m, const Data& x, const double* a, const double* LD, const double* diagInv,
                              bool damped) {
  Parts result = smoothForces(m, x, a);
  if (x.nefc() > 0) {
    const Parts force = constrained(m, x).force;
    result.q += force.q;
    result.v += force.v;
    result.act += force.act;
    result.ctrl += force.ctrl;
  }
  if (damped) {  // the rate of polynomial damping changes with velocity
    std::vector<DampingLaw> laws(static_cast<std::size_t>(m.nv), DampingLaw{0, 0, 0});
    dofDamping(m, x, laws);
    for (int i = 0; i < m.nv; ++i) {
      const DampingLaw& law = laws[i];
      const double v = x.qvel[i], slope = 2 * law.b1 * (v > 0 ? 1 : v < 0 ? -1 : 0) + 6 * law.b2 * v;
      result.v(i, i) -= m.opt.timestep * slope * a[i];
    }
  }
  result.forEach([&](Matrix& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) solveTree(m, x, LD, diagInv, matrix.col(j).data());
  });
  return result;
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
};

/// d act_dot / d (variables), for the activations `a`.
Matrix rates(const Model& m, const Data& x, const Matrix& act, const Matrix& ctrl) {
  Matrix result = Matrix::Zero(m.na, act.cols());
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_actnum[u] == 0) continue;
    const smooth::Activation law = smooth::activation(m, x, u, 0);
    const int a = lastActivation(m, u);
    result.row(a) = law.byAct * act.row(a) + law.byCtrl * ctrl.row(law.ctrl);
  }
  return result;
}

/// act+ = act + duration * mean of act_dot, or a limit.
void moveActivations(const Model& m, const Data& start, const double* meanRate, const Matrix& dRate, Matrix& act) {
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_actnum[u] == 0) continue;
    const int a = lastActivation(m, u);
    const smooth::Activation law = smooth::activation(m, start, u, meanRate[a]);
    act.row(a) = law.next * act.row(a) + law.duration * dRate.row(a);
  }
}

Matrix accelerationOf(const Parts& d, const Variation& x, const Matrix& ctrl) {
  Matrix result = d.q * x.q + d.v * x.v + d.ctrl * ctrl;
  if (d.act.cols() > 0) result += d.act * x.act;
  return result;
}

/// Semi-implicit: v+ = v + h a, q+ = q (+) h v+. The step itself is taken on a copy, for its factor.
Variation semiImplicit(const Model& m, const Data& d, const Variation& x, const Matrix& ctrl) {
  Data start = d;
  start.threads = 1;
  forward(m, start);
  Data stepped = start;
  step(m, stepped);
  // its factor is in qH; under `implicit` there is none of this kind
  const bool damped = stepped.work->stepMatrix != StepMatrix::Inertia;
  const double* LD = damped ? stepped.qH.data() : stepped.qLD.data();
  const double* diagInv = damped ? stepped.qHDiagInv.data() : stepped.qLDiagInv.data();
  std::vector<double> a(start.qfrc_smooth.begin(), start.qfrc_smooth.end());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += start.qfrc_constraint[static_cast<std::ptrdiff_t>(i)];
  solveTree(m, start, LD, diagInv, a.data());

  const bool rateInMatrix = damped && !m.opt.disabled(disable::kDamper);
  const Parts by = accelerationDerivatives(m, start, a.data(), LD, diagInv, rateInMatrix);
  const double h = m.opt.timestep;
  Variation next = x;
  next.v = x.v + h * accelerationOf(by, x, ctrl);
  movePositions(m, stepped.qvel.data(), h, x.q, next.v, next.q);
  const Matrix dRate = rates(m, start, x.act, ctrl);
  moveActivations(m, start, start.act_dot.data(), dRate, next.act);
  return next;
}

/// Classical Runge-Kutta: the same chain of evaluations as the step, each with its derivatives.
Variation rungeKutta(const Model& m, const Data& d, const Variation& x, const Matrix& ctrl) {
  constexpr std::array<double, 4> kNode{0, 0.5, 0.5, 1}, kWeight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const double h = m.opt.timestep;
  Data start = d;
  start.threads = 1;
  Data at = start;
  forward(m, at);
  Variation stage = x;
  Matrix meanV = Matrix::Zero(m.nv, x.v.cols()), meanA = meanV, meanRate = Matrix::Zero(m.na, x.v.cols());
  VecX velocity = VecX::Zero(m.nv), rate = VecX::Zero(m.na);
  for (std::size_t i = 0; i < 4; ++i) {
    const Parts by = accelerationDerivatives(m, at, at.qacc.data(), at.qLD.data(), at.qLDiagInv.data(), false);
    const Matrix dv = stage.v, da = accelerationOf(by, stage, ctrl), dRate = rates(m, at, stage.act, ctrl);
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
  Variation next = x;
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
  if (why.empty() && x.nefc() > 0) why = imbalance(m, x);
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
  x.v.middleCols(nv, nv).setIdentity();
  x.act.middleCols(2 * nv, m.na).setIdentity();
  Matrix ctrl = Matrix::Zero(m.nu, variables);
  ctrl.rightCols(m.nu).setIdentity();
  const Variation next = m.opt.integrator == Integrator::RK4 ? rungeKutta(m, d, x, ctrl) : semiImplicit(m, d, x, ctrl);

  TransitionDerivatives result;
  result.states = states;
  result.controls = m.nu;
  result.A.resize(static_cast<std::size_t>(states) * static_cast<std::size_t>(states));
  result.B.resize(static_cast<std::size_t>(states) * static_cast<std::size_t>(m.nu));
  for (int i = 0; i < states; ++i) {
    const Matrix& part = i < nv ? next.q : i < 2 * nv ? next.v : next.act;
    const int row = i < nv ? i : i < 2 * nv ? i - nv : i - 2 * nv;
    for (int j = 0; j < states; ++j) result.A[i * states + j] = part(row, j);
    for (int j = 0; j < m.nu; ++j) result.B[i * m.nu + j] = part(row, states + j);
  }
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
  Matrix dq = Matrix::Zero(m.nv, m.nv), dv = dq, da = dq, passiveQ = dq, passiveV = dq;
  fullMass(m, x, {da.data(), static_cast<std::size_t>(da.size())});
  smooth::addInverseDynamics(m, x, x.qacc.data(), dq, dv);
  smooth::addPassive(m, x, passiveQ, passiveV);
  if (x.nefc() > 0) {
    const RowForces rows = rowForces(m, x);
    if (!rows.obstacle.empty()) fail(rows.obstacle);
    dq -= rows.q;
    dv -= rows.v;
    da += rows.curvature;
  }
  InverseDerivatives result;
  result.dofs = m.nv;
  const std::size_t n = static_cast<std::size_t>(m.nv) * static_cast<std::size_t>(m.nv);
  result.DfDq.resize(n);
  result.DfDv.resize(n);
  result.DfDa.resize(n);
  for (int i = 0; i < m.nv; ++i) {
    for (int j = 0; j < m.nv; ++j) {
      const auto k = static_cast<std::size_t>(i * m.nv + j);
      result.DfDq[k] = dq(i, j) - passiveQ(i, j);
      result.DfDv[k] = dv(i, j) - passiveV(i, j);
      result.DfDa[k] = da(i, j);
    }
  }
  return result;
}

}  // namespace sinew
