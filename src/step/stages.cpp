#include "step/stages.h"

#include <algorithm>
#include <array>
#include <span>

#include "collision/collision.h"
#include "constraint/constraint.h"
#include "forces/forces.h"
#include "inertia/inertia.h"
#include "kinematics/flexes.h"
#include "kinematics/kinematics.h"
#include "metric/step_matrix.h"
#include "model/callbacks.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "step/sleep.h"
#include "step/stop_passing.h"
#include "step/validate.h"

namespace sinew {

void positionStage(const Model& m, Data& d, Sensing sensing) {
  do {
    kinematics(m, d);         // qpos, mocap           -> xpos, xquat, xmat, xipos, geom_x*, site_x*
    comPos(m, d);             // xipos, ximat, xaxis   -> subtree_com, cinert, cdof
    cameras(m, d);            // xpos, subtree_com     -> cam_xpos, cam_xmat
    flexes(m, d);             // qpos, xpos            -> flexpoint_xpos, flexvert_xpos, flexedge_length
    tendons(m, d);            // site_xpos, cdof       -> ten_length, ten_J
    massMatrix(m, d);         // cinert, cdof, ten_J   -> crb, M
    factorMass(m, d);         // M                     -> qLD
    collide(m, d);            // geom poses            -> contact
  } while (wakeTrees(m, d));  // contact, tree_asleep  -> who is awake; once more if there are others
  buildRows(m, d);            // contact, qpos, ten_*  -> row_*, efc_*
  transmissions(m, d);        // ten_*, site_x*, contact -> actuator_length, actuator_moment
  d.energy = {0, 0};
  if (sensing == Sensing::On) sense(m, d, Stage::Pos);
  if (m.opt.enabled(enable::kEnergy)) potentialEnergy(m, d);
  d.work->stagesRun = bitsBefore(StageBit::Velocities);
  validateAfter("position", m, d, false);
}

void velocityStage(const Model& m, Data& d, Sensing sensing) {
  velocities(m, d);             // qvel, ten_J, moment   -> ten_velocity, actuator_velocity
  comVel(m, d);                 // qvel, cdof            -> cvel, cdof_dot
  flexVelocities(m, d);         // qvel, cvel            -> flexpoint_xvel, flexedge_velocity
  passive(m, d);                // qpos, qvel            -> qfrc_spring, _damper, _gravcomp, _fluid, _passive
  bias(m, d);                   // cvel, cdof_dot        -> qfrc_bias
  referenceAcceleration(m, d);  // qvel, rows    -> efc_vel, efc_aref
  if (sensing == Sensing::On) sense(m, d, Stage::Vel);
  if (m.opt.enabled(enable::kEnergy)) kineticEnergy(m, d);
  d.work->stagesRun = bitsBefore(StageBit::Control);
  validateAfter("velocity", m, d, false);
}

void controlStage(const Model& m, Data& d) {
  if (!d.callbacks.control) return;
  const Arena::Scope scope(d.work->arena);
  const std::array<Array<double>*, 3> arrays{&d.ctrl, &d.qfrc_applied, &d.xfrc_applied};
  std::array<std::span<double>, 3> before;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    before[i] = d.work->arena.take<double>(arrays[i]->size());
    std::copy(arrays[i]->begin(), arrays[i]->end(), before[i].begin());
  }
  const ControlOutput output{d.ctrl, d.qfrc_applied, d.xfrc_applied};
  if (callUser(d, CallbackKind::Control, [&] { d.callbacks.control(m, d, output); })) return;
  for (std::size_t i = 0; i < arrays.size(); ++i) std::copy(before[i].begin(), before[i].end(), arrays[i]->begin());
}

void smoothAcceleration(const Model& m, Data& d) {
  acceleration(m, d);  // all smooth forces     -> qfrc_smooth, qacc_smooth
  metric(m, d);        // forces, M, qvel       -> qH or qLU: the factor of what the step solves with
}

void accelerationStage(const Model& m, Data& d, Sensing sensing) {
  actuation(m, d);           // ctrl, act             -> act_dot, actuator_force, qfrc_actuator
  smoothAcceleration(m, d);  // all smooth forces     -> qfrc_smooth, qacc_smooth
  solveConstraints(m, d);    // rows, qacc_smooth     -> qacc, qfrc_constraint, efc_force
  stopPassing(m, d);         // qacc, contact         -> contact, rows, qacc, ... where things would pass each other
  if (sensing == Sensing::On) sense(m, d, Stage::Acc);
  d.work->stagesRun = bitsBefore(StageBit::Count);
  validateAfter("acceleration", m, d, true);
}

void evaluate(const Model& m, Data& d, Sensing sensing) {
  positionStage(m, d, sensing);
  velocityStage(m, d, sensing);
  controlStage(m, d);
  accelerationStage(m, d, sensing);
}

}  // namespace sinew
