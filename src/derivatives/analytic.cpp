#include <fmt/format.h>

#include <array>
#include <span>
#include <stdexcept>
#include <vector>

#include "derivatives/smooth_forces.h"
#include "dynamics/arguments.h"
#include "forces/actuation.h"
#include "forces/damper.h"
#include "forces/derivative.h"
#include "inertia/inertia.h"
#include "math/types.h"
#include "sinew/derivatives.h"
#include "sinew/dynamics.h"
#include "sinew/state.h"
#include "sinew/step.h"

// Derivatives of a step in closed form. The step solves A a = F(q, v, act, u) - C(q, v) with A = M(q) + what the
// integrator adds, which depends on polynomial damping alone; so A da = dF - d(M(q) a + C) with the factor of A that
// the step has made, and v+ = v + h a, q+ = q (+) h v+.
namespace sinew {
namespace {

using smooth::Matrix;

/// Why there are no derivatives in closed form, empty if there are.
std::string obstacleOf(const Model& m, const Data& d) {
  const std::string why = smooth::obstacle(m, d, true);
  if (!why.empty()) return why;
  if (m.opt.solver == Solver::Impulse) return "the Impulse solver integrates free bodies in its own way";
  if (m.opt.integrator == Integrator::Implicit) {
    return "the integrator is implicit, whose matrix holds derivatives of forces; implicitfast, Euler and RK4 are "
           "differentiated";
  }
  if (m.opt.integrator != Integrator::ImplicitFast) return "";
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

/// Derivatives of the acceleration that an integrator moves on with.
struct Acceleration {
  Matrix q, v, act, ctrl;
};

/// At the state of x, which has been evaluated. `a` is that acceleration, LD the factor of the integrator's matrix,
/// `damped` whether that matrix holds the rates of the dampers.
Acceleration accelerationDerivatives(const Model& m, const Data& x, const double* a, const double* LD,
                                     const double* diagInv, bool damped) {
  Acceleration result{Matrix::Zero(m.nv, m.nv), Matrix::Zero(m.nv, m.nv), Matrix::Zero(m.nv, m.na),
                      Matrix::Zero(m.nv, m.nu)};
  smooth::addInverseDynamics(m, x, a, result.q, result.v);
  result.q *= -1;
  result.v *= -1;
  smooth::addPassive(m, x, result.q, result.v);
  smooth::addApplied(m, x, result.q);
  smooth::addActuators(m, x, result.q, result.v, result.act, result.ctrl);
  if (damped) {  // the rate of polynomial damping changes with velocity
    std::vector<DampingLaw> laws(static_cast<std::size_t>(m.nv), DampingLaw{0, 0, 0});
    dofDamping(m, x, laws);
    for (int i = 0; i < m.nv; ++i) {
      const DampingLaw& law = laws[static_cast<std::size_t>(i)];
      const double v = x.qvel[i], slope = 2 * law.b1 * (v > 0 ? 1 : v < 0 ? -1 : 0) + 6 * law.b2 * v;
      result.v(i, i) -= m.opt.timestep * slope * a[i];
    }
  }
  for (Matrix* matrix : {&result.q, &result.v, &result.act, &result.ctrl}) {
    for (Eigen::Index j = 0; j < matrix->cols(); ++j) solveTree(m, x, LD, diagInv, matrix->col(j).data());
  }
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

Matrix accelerationOf(const Acceleration& d, const Variation& x, const Matrix& ctrl) {
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
  // integrateEuler() has left its factor if it needed one; implicitfast always does
  bool damped = m.opt.integrator == Integrator::ImplicitFast;
  if (!damped && !m.opt.disabled(disable::kEulerDamp | disable::kDamper)) {
    std::vector<DampingLaw> laws(static_cast<std::size_t>(m.nv), DampingLaw{0, 0, 0});
    dofDamping(m, start, laws);
    for (const DampingLaw& law : laws) damped = damped || law.b0 > 0 || law.b1 != 0 || law.b2 != 0;
  }
  const double* LD = damped ? stepped.qH.data() : stepped.qLD.data();
  const double* diagInv = damped ? stepped.qHDiagInv.data() : stepped.qLDiagInv.data();
  std::vector<double> a(start.qfrc_smooth.begin(), start.qfrc_smooth.end());
  solveTree(m, start, LD, diagInv, a.data());

  const bool rateInMatrix = damped && !m.opt.disabled(disable::kDamper);
  const Acceleration by = accelerationDerivatives(m, start, a.data(), LD, diagInv, rateInMatrix);
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
    const Acceleration by =
        accelerationDerivatives(m, at, at.qacc_smooth.data(), at.qLD.data(), at.qLDiagInv.data(), false);
    const Matrix dv = stage.v, da = accelerationOf(by, stage, ctrl), dRate = rates(m, at, stage.act, ctrl);
    const VecX v = ConstMapVecX(at.qvel.data(), m.nv), a = ConstMapVecX(at.qacc_smooth.data(), m.nv);
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
  return obstacleOf(m, x);
}

TransitionDerivatives analyticDerivatives(const Model& m, const Data& d) {
  argument::pair("analyticDerivatives", m, d);
  const std::string why = analyticObstacle(m, d);
  if (!why.empty()) {
    throw std::invalid_argument(
        fmt::format("analyticDerivatives: {}; transitionDerivatives() differentiates any step", why));
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
    for (int j = 0; j < states; ++j) result.A[static_cast<std::size_t>(i * states + j)] = part(row, j);
    for (int j = 0; j < m.nu; ++j) result.B[static_cast<std::size_t>(i * m.nu + j)] = part(row, states + j);
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
  Matrix dq = Matrix::Zero(m.nv, m.nv), dv = dq, passiveQ = dq, passiveV = dq;
  smooth::addInverseDynamics(m, x, x.qacc.data(), dq, dv);
  smooth::addPassive(m, x, passiveQ, passiveV);
  InverseDerivatives result;
  result.dofs = m.nv;
  const std::size_t n = static_cast<std::size_t>(m.nv) * static_cast<std::size_t>(m.nv);
  result.DfDq.resize(n);
  result.DfDv.resize(n);
  result.DfDa.resize(n);
  fullMass(m, x, result.DfDa);
  for (int i = 0; i < m.nv; ++i) {
    for (int j = 0; j < m.nv; ++j) {
      const auto k = static_cast<std::size_t>(i * m.nv + j);
      result.DfDq[k] = dq(i, j) - passiveQ(i, j);
      result.DfDv[k] = dv(i, j) - passiveV(i, j);
    }
  }
  return result;
}

}  // namespace sinew
