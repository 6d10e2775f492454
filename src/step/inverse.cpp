#include <algorithm>
#include <span>
#include <stdexcept>

#include "constraint/problem.h"
#include "forces/forces.h"
#include "forces/part_motion.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "metric/step_matrix.h"
#include "model/awake.h"
#include "model/state.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "sinew/step.h"
#include "solve/rows.h"
#include "step/check_inputs.h"
#include "step/stages.h"

namespace sinew {
namespace {

/// d.qacc is what a step should change the velocity by, per timestep: replaces it by the acceleration that forward()
/// must give for that, inv(M) (the integrator's matrix) qacc.
void toContinuousAcceleration(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> force = d.work->arena.take<double>(m.nv);
  multiplyStepMatrix(m, d, assembleStepMatrix(m, d, m.opt.integrator), d.qacc.data(), force.data());
  solveMass(m, d, force.data());
  if (stiffnessIsImplicit(m)) {  // there forward() gives what a step takes
    for (const int dof : m.stiff_dof) force[dof] = d.qacc[dof];
  }
  std::copy(force.begin(), force.end(), d.qacc.begin());
}

/// The force of each row follows from the acceleration alone, f = -s'(J qacc - aref): efc_force, efc_state,
/// qfrc_constraint.
void constraintForces(Data& d) {
  std::fill(d.qfrc_constraint.begin(), d.qfrc_constraint.end(), 0.0);
  if (d.nefc() == 0) return;
  const Arena::Scope scope(d.work->arena);
  const solve::ConstraintProblem rows = rowsOf(d);
  const std::span<double> residual = d.work->arena.take<double>(d.nefc());
  solve::multiplyRows(rows, d.qacc.data(), residual.data());
  for (int i = 0; i < d.nefc(); ++i) residual[i] -= d.efc_aref[i];
  solve::evaluateRows(rows, residual.data(), d.efc_force.data(), d.efc_state.data());
  solve::addTransposed(rows, d.efc_force.data(), d.qfrc_constraint.data());
}

/// qfrc_inverse without what keepMomentum() adds.
void subtractMomentumForces(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> smooth = d.work->arena.take<double>(m.nv), force = d.work->arena.take<double>(m.nv);
  std::copy(d.qfrc_constraint.begin(), d.qfrc_constraint.end(), smooth.begin());
  if (d.nefc() > 0) solveMetric(m, d, smooth.data());
  for (int i = 0; i < m.nv; ++i) {
    const auto k = static_cast<std::size_t>(i);
    smooth[k] = d.qacc[i] - smooth[k];
    force[k] = d.qfrc_passive[i] - d.qfrc_bias[i] + d.qfrc_inverse[i];
  }
  releaseMomentum(m, d, smooth.data(), force.data());
  for (int i = 0; i < m.nv; ++i) {
    d.qfrc_inverse[i] = force[i] - d.qfrc_passive[i] + d.qfrc_bias[i];
  }
}

}  // namespace

void inverse(const Model& m, Data& d) {
  requireSameModel(m, d, "inverse");
  if (const auto fault = checkOption(m.opt)) throw std::invalid_argument(*fault);
  const bool discrete = m.opt.enabled(enable::kInvDiscrete);
  if (discrete && m.opt.integrator == Integrator::RK4) {
    throw std::invalid_argument(
        "inverse dynamics of discrete time (invdiscrete) does not exist for the RK4 integrator");
  }
  if (m.opt.solver == Solver::Impulse) {
    throw std::invalid_argument(
        "inverse dynamics does not exist for the Impulse solver: hard contacts have no force that follows from an "
        "acceleration");
  }
  checkPoses(m, d);
  checkControls(m, d);
  positionStage(m, d, Sensing::On);
  velocityStage(m, d, Sensing::On);
  {
    const Arena::Scope scope(d.work->arena);
    const std::span<double> given = d.work->arena.take<double>(m.nv);
    const std::span<double> Ma = d.work->arena.take<double>(m.nv);
    std::copy(d.qacc.begin(), d.qacc.end(), given.begin());
    if (discrete) toContinuousAcceleration(m, d);

    // A qacc + bias = passive + implicit + constraint + inverse, A = M unless stiffness is implicit
    constraintForces(d);
    assembleStiffness(m, d);
    multiplyMetric(m, d, d.qacc.data(), Ma.data());
    for (int i = 0; i < m.nv; ++i) {
      d.qfrc_inverse[i] = d.qfrc_bias[i] + Ma[i] - d.qfrc_passive[i] - d.qfrc_constraint[i];
    }
    if (stiffnessIsImplicit(m)) {
      for (int i = 0; i < m.nv; ++i) d.qfrc_inverse[i] -= d.qfrc_implicit[i];
      subtractMomentumForces(m, d);
    }
    for (int i = 0; i < m.nv; ++i) {
      if (dofAsleep(m, d, i)) d.qfrc_inverse[i] = 0;  // it rests, whatever acts on it
    }
    sense(m, d, Stage::Acc);
    std::copy(given.begin(), given.end(), d.qacc.begin());
  }
  d.work->arena.settle();
}

}  // namespace sinew
