#include "sinew/stages.h"

#include "common.h"
#include "sinew/dynamics.h"
#include "sinew/state.h"

namespace sinew::python {
namespace {

template <auto function>
void run(const ModelBox& m, nb::handle_t<DataBox> handle) {
  DataBox& d = nb::cast<DataBox&>(handle);
  requireSame(m, d);
  {
    const Busy busy(d);
    const GlobalCallbacks callbacks(handle, d);
    const Stepping model(m);
    const Unlocked release;
    function(*model, *d.data);
  }
  raisePending(d);
}

/// step2() that is called out of turn is the caller's mistake.
void secondHalf(const Model& m, Data& d) {
  const int before = d.status[Trouble::StageOrder].count;
  step2(m, d);
  if (d.status[Trouble::StageOrder].count != before) {
    throw std::invalid_argument("step2 came without step1 or forward before it; it did nothing");
  }
}

void subtree(const Model& m, Data& d) { computeSubtreeVelocities(m, d); }

}  // namespace

void bindStages(nb::module_& module) {
#define SINEW_STAGE(name, function, doc) module.def(name, &run<&function>, "m"_a, "d"_a, doc)
  SINEW_STAGE("step1", step1, "First half of a step: everything that follows from qpos and qvel, sensors included.");
  SINEW_STAGE("step2", secondHalf, "Second half of a step: actuators, applied forces, constraints, integration.");
  SINEW_STAGE("stage_position", stages::position, "All that follows from qpos.");
  SINEW_STAGE("stage_velocity", stages::velocity, "All that follows from qpos and qvel.");
  SINEW_STAGE("stage_acceleration", stages::acceleration, "Forces and qacc.");
  SINEW_STAGE("stage_kinematics", stages::kinematics, "qpos to the poses of bodies, joints, geoms and sites.");
  SINEW_STAGE("stage_com_pos", stages::comPos, "Centres of mass, inertias and axes of motion.");
  SINEW_STAGE("stage_cameras", stages::cameras, "Poses of cameras.");
  SINEW_STAGE("stage_flexes", stages::flexes, "Places of the points, vertices and edges of flexes.");
  SINEW_STAGE("stage_tendons", stages::tendons, "Lengths and Jacobians of tendons.");
  SINEW_STAGE("stage_mass_matrix", stages::massMatrix, "Inertia matrix and its factor.");
  SINEW_STAGE("stage_collide", stages::collide, "Contacts.");
  SINEW_STAGE("stage_rows", stages::rows, "Constraint rows.");
  SINEW_STAGE("stage_transmissions", stages::transmissions, "Lengths and moments of actuators.");
  SINEW_STAGE("stage_position_sensors", stages::positionSensors, "Sensors of the position stage.");
  SINEW_STAGE("stage_velocities", stages::velocities, "Velocities of tendons, actuators, bodies and flexes.");
  SINEW_STAGE("stage_passive", stages::passive, "Passive forces.");
  SINEW_STAGE("stage_bias", stages::bias, "Forces of gravity and motion.");
  SINEW_STAGE("stage_row_references", stages::rowReferences, "Velocities and references of the constraint rows.");
  SINEW_STAGE("stage_velocity_sensors", stages::velocitySensors, "Sensors of the velocity stage.");
  SINEW_STAGE("stage_control", stages::control, "Calls the callback for controls, if there is one.");
  SINEW_STAGE("stage_actuation", stages::actuation, "Forces of actuators.");
  SINEW_STAGE("stage_smooth_acceleration", stages::smoothAcceleration, "Acceleration without constraints.");
  SINEW_STAGE("stage_solve", stages::solve, "Constraint forces and qacc.");
  SINEW_STAGE("stage_acceleration_sensors", stages::accelerationSensors, "Sensors of the acceleration stage.");
  SINEW_STAGE("stage_advance", stages::advance, "Moves qpos, qvel, act and time on.");
  SINEW_STAGE("subtree_velocities", subtree, "Velocity and angular momentum of each subtree.");
#undef SINEW_STAGE

  module.def(
      "state_size", [](const ModelBox& m, int mask) { return stateSize(*m.model, mask); }, "m"_a, "sig"_a,
      "How many numbers the parts of the state in a mask have.");
  module.def(
      "get_state",
      [](const ModelBox& m, const DataBox& d, const Output& numbers, int mask) {
        requireSame(m, d);
        getState(*m.model, *d.data, mask, out(numbers));
      },
      "m"_a, "d"_a, "state"_a.noconvert(), "sig"_a, "The parts of the state in a mask, one after the other.");
  module.def(
      "set_state",
      [](const ModelBox& m, DataBox& d, const Numbers& numbers, int mask) {
        requireSame(m, d);
        const Busy busy(d);
        setState(*m.model, *d.data, mask, in(numbers));
      },
      "m"_a, "d"_a, "state"_a, "sig"_a, "The reverse of get_state().");
  module.def(
      "copy_state",
      [](const ModelBox& m, const DataBox& from, DataBox& to, int mask) {
        requireSame(m, from);
        requireSame(m, to);
        if (from.data == to.data) return;
        const Busy busy(to);
        const Asking asking(from);
        copyState(*m.model, *from.data, *to.data, mask);
      },
      "m"_a, "src"_a, "dst"_a, "sig"_a, "Copies the parts of the state in a mask.");
  module.def(
      "extract_state",
      [](const ModelBox& m, const Numbers& from, int fromMask, const Output& to, int toMask) {
        extractState(*m.model, in(from), fromMask, out(to), toMask);
      },
      "m"_a, "src"_a, "srcsig"_a, "dst"_a.noconvert(), "dstsig"_a, "The parts in one mask out of those in another.");
}

}  // namespace sinew::python
