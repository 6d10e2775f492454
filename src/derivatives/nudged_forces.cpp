#include "derivatives/nudged_forces.h"

#include <algorithm>
#include <span>
#include <vector>

#include "derivatives/stencil.h"
#include "forces/forces.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "kinematics/flexes.h"
#include "kinematics/kinematics.h"
#include "kinematics/positions.h"
#include "math/types.h"
#include "metric/step_matrix.h"
#include "model/workspace.h"

namespace sinew::smooth {
namespace {

/// The answers of one evaluation.
struct Answer {
  VecX solver, step, rate, unresolved;
};

/// A Data whose state is nudged, and the forces there.
class Nudged {
 public:
  Nudged(const Model& m, const Data& x, const double* b, const double* a, bool actuators)
      : m_(m), x_(x), y_(x), b_(b), a_(a), actuators_(actuators), tangent_(static_cast<std::size_t>(m.nv), 0.0) {
    y_.threads = 1;
    if (actuators) return;
    for (Array<double>* force : {&y_.qfrc_applied, &y_.xfrc_applied, &y_.qfrc_actuator}) {
      std::fill(force->begin(), force->end(), 0.0);
    }
  }

  Answer position(int dof, double distance) {
    std::copy(x_.qpos.begin(), x_.qpos.end(), y_.qpos.begin());
    if (dof >= 0) {
      tangent_[static_cast<std::size_t>(dof)] = distance;
      integratePositions(m_, y_.qpos.data(), tangent_.data(), 1);
      tangent_[static_cast<std::size_t>(dof)] = 0;
    }
    kinematics(m_, y_);
    comPos(m_, y_);
    flexes(m_, y_);
    tendons(m_, y_);
    massMatrix(m_, y_);
    factorMass(m_, y_);
    transmissions(m_, y_);
    return velocity(-1, 0);
  }

  /// At the coordinates of the last position().
  Answer velocity(int dof, double distance) {
    std::copy(x_.qvel.begin(), x_.qvel.end(), y_.qvel.begin());
    if (dof >= 0) y_.qvel[dof] += distance;
    velocities(m_, y_);
    comVel(m_, y_);
    flexVelocities(m_, y_);
    passive(m_, y_);
    bias(m_, y_);
    return forces();
  }

  Answer act(int activation, double distance) {
    y_.act[activation] = x_.act[activation] + distance;
    const Answer answer = forces();
    y_.act[activation] = x_.act[activation];
    return answer;
  }

  Answer ctrl(int control, double distance) {
    y_.ctrl[control] = x_.ctrl[control] + distance;
    const Answer answer = forces();
    y_.ctrl[control] = x_.ctrl[control];
    return answer;
  }

 private:
  Answer forces() {
    if (actuators_) actuation(m_, y_);
    acceleration(m_, y_);
    const ConstMapVecX smooth(y_.qfrc_smooth.data(), m_.nv);
    Answer answer{smooth, smooth, ConstMapVecX(y_.act_dot.data(), m_.na), VecX()};
    if (isMidpoint(m_)) answer.unresolved = ConstMapVecX(y_.work->flexUnresolved.data(), m_.nv);
    if (stiffnessIsImplicit(m_)) answer.solver += ConstMapVecX(y_.qfrc_implicit.data(), m_.nv);
    VecX product = VecX::Zero(m_.nv);
    multiplyMetric(m_, y_, b_, product.data());
    answer.solver -= product;
    const StepMatrix kind = assembleStepMatrix(m_, y_, m_.opt.integrator);
    multiplyStepMatrix(m_, y_, kind, a_, product.data());
    answer.step -= product;
    return answer;
  }

  const Model& m_;
  const Data& x_;
  Data y_;
  const double *b_, *a_;
  bool actuators_;
  std::vector<double> tangent_;
};

/// Column `column` of all answers, by differences of answer(distance).
template <class F>
void difference(const Stencil& stencil, Matrix Parts::*part, int column, NudgedForces& result, F&& answer) {
  for (std::size_t i = 0; i < stencil.place.size(); ++i) {
    const double weight = stencil.weight[i] / kNudge;
    if (weight == 0) continue;
    const Answer there = answer(stencil.place[i] * kNudge);
    (result.solver.*part).col(column) += weight * there.solver;
    (result.step.*part).col(column) += weight * there.step;
    (result.rate.*part).col(column) += weight * there.rate;
    if (there.unresolved.size() > 0) (result.unresolved.*part).col(column) += weight * there.unresolved;
  }
}

}  // namespace

bool isMidpoint(const Model& m) { return m.opt.integrator == Integrator::Midpoint && stiffnessIsImplicit(m); }

NudgedForces nudgedForces(const Model& m, const Data& x, const double* b, const double* a, bool actuators) {
  NudgedForces result{Parts::zero(m, m.nv), Parts::zero(m, m.nv), Parts::zero(m, m.na), Parts::zero(m, m.nv)};
  Nudged nudged(m, x, b, a, actuators);
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, &Parts::q, i, result, [&](double distance) { return nudged.position(i, distance); });
  }
  nudged.position(-1, 0);
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, &Parts::v, i, result, [&](double distance) { return nudged.velocity(i, distance); });
  }
  if (!actuators) return result;
  nudged.velocity(-1, 0);
  for (int i = 0; i < m.na; ++i) {
    difference(kCentral, &Parts::act, i, result, [&](double distance) { return nudged.act(i, distance); });
  }
  for (int i = 0; i < m.nu; ++i) {
    difference(stencilOfControl(m, x, i), &Parts::ctrl, i, result,
               [&](double distance) { return nudged.ctrl(i, distance); });
  }
  return result;
}

}  // namespace sinew::smooth
