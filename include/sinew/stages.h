#pragma once

#include "sinew/callbacks.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// The step in parts: in two halves, with the controls between them, and stage by stage.
///
///     step1(m, d);                       // positions, velocities, and their sensors
///     d.ctrl[0] = -2 * d.sensordata[0];  // a controller that reads them
///     step2(m, d);                       // forces, constraints, integration
namespace sinew {

/// First half of step(): everything that follows from qpos and qvel, sensors included, then Callbacks::control. Never
/// throws; trouble is counted in d.status.
void step1(const Model& m, Data& d);

/// Second half: actuators, applied forces, constraints, the sensors of accelerations, integration. step1() and step2()
/// give the same bits as step() if nothing changes between them, with every integrator; under RK4 the controls are held
/// for its four evaluations. Between the two, ctrl, act, qfrc_applied and xfrc_applied may be written; what else is
/// written has its effect in the next step. forward() may stand for step1(). Without either before it, it does nothing
/// but note Trouble::StageOrder.
void step2(const Model& m, Data& d);

/// Single stages. Called one after the other, in the order in which they stand here, they do what forward() does, bit
/// for bit, and advance() after them completes what step() does (which also resets a state that is not finite):
///
///     do {
///       kinematics, comPos, cameras, flexes, tendons, massMatrix, collide
///     } while (wake(m, d));
///     rows, transmissions, positionSensors,
///     velocities, passive, bias, rowReferences, velocitySensors,
///     control, actuation, smoothAcceleration, solve, accelerationSensors
///
/// Each says what it needs and what it makes. A program may call some of them again, for instance kinematics() and
/// comPos() after it moved qpos; stages behind a stage that runs count as not run from then on. They throw
/// std::invalid_argument if a stage they need has not run, if the Data was made for another Model, or if Model::opt
/// holds what MJCF would refuse.
namespace stages {

/// Position stages 1 to 7 as often as something wakes, then rows, transmissions, sensors: all that follows from qpos.
void position(const Model& m, Data& d);
/// velocities() to velocitySensors(): all that follows from qpos and qvel. Needs position().
void velocity(const Model& m, Data& d);
/// actuation() to accelerationSensors(): forces, qacc. Needs velocity(). Between the two belongs control().
void acceleration(const Model& m, Data& d);

// ---- position -------------------------------------------------------------------------------------------------------

/// qpos, mocap_pos, mocap_quat -> xpos, xquat, xmat, xipos, ximat, xanchor, xaxis, geom_x*, site_x*.
void kinematics(const Model& m, Data& d);
/// -> subtree_com, cinert, cdof. Needs kinematics().
void comPos(const Model& m, Data& d);
/// -> cam_xpos, cam_xmat. Needs comPos().
void cameras(const Model& m, Data& d);
/// qpos -> flexpoint_xpos, flexvert_xpos, flexedge_length. Needs kinematics().
void flexes(const Model& m, Data& d);
/// -> ten_length, ten_J, ten_wrap*, wrap_*. Needs comPos().
void tendons(const Model& m, Data& d);
/// -> crb, M, qLD, qLDiagInv. Needs comPos(), tendons().
void massMatrix(const Model& m, Data& d);
/// -> contact, support_*; asks Callbacks::contactFilter. Needs comPos(), flexes(). Forgets the rows of older contacts.
void collide(const Model& m, Data& d);
/// Wakes what sleeps and was moved, pushed or touched (docs/sleep.md). True if there was something: then the stages
/// from kinematics() on must run again. Needs tendons(), massMatrix(), collide().
bool wake(const Model& m, Data& d);
/// -> row_*, efc_type ... efc_R, ne, nf, nl. Needs massMatrix(), collide().
void rows(const Model& m, Data& d);
/// -> actuator_length, actuator_moment, moment_*. Needs tendons(), collide().
void transmissions(const Model& m, Data& d);
/// -> sensordata of this stage; energy[0] if the flag `energy` is on, else 0. Needs rows(), transmissions().
void positionSensors(const Model& m, Data& d);

// ---- velocity -------------------------------------------------------------------------------------------------------

/// qvel -> ten_velocity, actuator_velocity, cvel, cdof_dot, flexpoint_xvel, flexedge_velocity. Needs transmissions(),
/// flexes().
void velocities(const Model& m, Data& d);
/// -> qfrc_spring, qfrc_damper, qfrc_gravcomp, qfrc_fluid, qfrc_adhesion, qfrc_passive; asks Callbacks::passive. Needs
/// velocities(), rows().
void passive(const Model& m, Data& d);
/// -> qfrc_bias. Needs velocities().
void bias(const Model& m, Data& d);
/// -> efc_vel, efc_aref (not under the impulse solver). Needs rows(), velocities().
void rowReferences(const Model& m, Data& d);
/// -> sensordata of this stage; energy[1] if the flag `energy` is on. Needs bias(), passive().
void velocitySensors(const Model& m, Data& d);

// ---- control and acceleration ---------------------------------------------------------------------------------------

/// Calls Callbacks::control, if there is one: -> ctrl, qfrc_applied, xfrc_applied. Needs velocities().
void control(const Model& m, Data& d);
/// ctrl, act -> act_dot, actuator_force, qfrc_actuator. Needs passive().
void actuation(const Model& m, Data& d);
/// All smooth forces -> qfrc_smooth, qacc_smooth. Needs massMatrix(), bias(), actuation().
void smoothAcceleration(const Model& m, Data& d);
/// -> qacc, efc_force, efc_state, qfrc_constraint, island; efc_target under the impulse solver. Needs
/// smoothAcceleration(), rowReferences().
void solve(const Model& m, Data& d);
/// -> sensordata of this stage; cacc, cfrc_int, cfrc_ext if a sensor needs them. Needs solve().
void accelerationSensors(const Model& m, Data& d);

/// What step() does after forward(): puts to sleep what rests, moves qpos, qvel, act and time on. Needs solve().
void advance(const Model& m, Data& d);

}  // namespace stages

}  // namespace sinew
