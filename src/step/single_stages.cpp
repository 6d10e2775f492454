#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <stdexcept>

#include "collision/collision.h"
#include "constraint/constraint.h"
#include "forces/forces.h"
#include "inertia/inertia.h"
#include "integrate/integrate.h"
#include "kinematics/flexes.h"
#include "kinematics/kinematics.h"
#include "model/option_check.h"
#include "model/state.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "sinew/stages.h"
#include "step/sleep.h"
#include "step/stages.h"
#include "step/stop_passing.h"

// The stages that positionStage(), velocityStage() and accelerationStage() are made of, for users: with checks of what
// must have run.
namespace sinew::stages {
namespace {

using enum StageBit;

constexpr std::array<const char*, static_cast<std::size_t>(StageBit::Count)> kNames{"kinematics",
                                                                                    "comPos",
                                                                                    "cameras",
                                                                                    "flexes",
                                                                                    "tendons",
                                                                                    "massMatrix",
                                                                                    "collide",
                                                                                    "wake",
                                                                                    "rows",
                                                                                    "transmissions",
                                                                                    "positionSensors",
                                                                                    "velocities",
                                                                                    "passive",
                                                                                    "bias",
                                                                                    "rowReferences",
                                                                                    "velocitySensors",
                                                                                    "control",
                                                                                    "actuation",
                                                                                    "smoothAcceleration",
                                                                                    "solve",
                                                                                    "accelerationSensors"};

const char* nameOf(StageBit stage) { return kNames[static_cast<std::size_t>(stage)]; }
std::uint32_t bitOf(StageBit stage) { return std::uint32_t{1} << static_cast<int>(stage); }

void require(const Model& m, const Data& d, const char* function, std::initializer_list<StageBit> needed) {
  requireSameModel(m, d, function);
  if (const auto fault = checkOption(m.opt)) throw std::invalid_argument(fmt::format("{}: {}", function, *fault));
  for (const StageBit stage : needed) {
    if (d.work->stagesRun & bitOf(stage)) continue;
    throw std::invalid_argument(fmt::format("{} needs {}, which has not run since an earlier stage or a reset",
                                            function, kNames[static_cast<std::size_t>(stage)]));
  }
}

/// Runs a stage after those it needs. What comes behind it has to run again.
template <class Work>
void run(const Model& m, Data& d, StageBit stage, std::initializer_list<StageBit> needed, Work&& work) {
  require(m, d, nameOf(stage), needed);
  work();
  d.work->stagesRun = (d.work->stagesRun & bitsBefore(stage)) | bitOf(stage);
  d.work->arena.settle();
}

}  // namespace

void position(const Model& m, Data& d) {
  require(m, d, "position", {});
  positionStage(m, d, Sensing::On);
  d.work->arena.settle();
}

void velocity(const Model& m, Data& d) {
  require(m, d, "velocity", {PositionSensors});
  velocityStage(m, d, Sensing::On);
  d.work->arena.settle();
}

void acceleration(const Model& m, Data& d) {
  require(m, d, "acceleration", {VelocitySensors});
  accelerationStage(m, d, Sensing::On);
  d.work->arena.settle();
}

void kinematics(const Model& m, Data& d) {
  run(m, d, Kinematics, {}, [&] { sinew::kinematics(m, d); });
}

void comPos(const Model& m, Data& d) {
  run(m, d, ComPos, {Kinematics}, [&] { sinew::comPos(m, d); });
}

void cameras(const Model& m, Data& d) {
  run(m, d, Cameras, {ComPos}, [&] { sinew::cameras(m, d); });
}

void flexes(const Model& m, Data& d) {
  run(m, d, Flexes, {Kinematics}, [&] { sinew::flexes(m, d); });
}

void tendons(const Model& m, Data& d) {
  run(m, d, Tendons, {ComPos}, [&] { sinew::tendons(m, d); });
}

void massMatrix(const Model& m, Data& d) {
  run(m, d, MassMatrix, {ComPos, Tendons}, [&] {
    sinew::massMatrix(m, d);
    factorMass(m, d);
  });
}

void collide(const Model& m, Data& d) {
  run(m, d, Collide, {ComPos, Flexes}, [&] {
    d.clearRows();  // they are about contacts that are no more
    sinew::collide(m, d);
  });
}

bool wake(const Model& m, Data& d) {
  bool woke = false;
  run(m, d, Wake, {Tendons, MassMatrix, Collide}, [&] { woke = wakeTrees(m, d); });
  return woke;
}

void rows(const Model& m, Data& d) {
  run(m, d, Rows, {MassMatrix, Collide}, [&] { buildRows(m, d); });
}

void transmissions(const Model& m, Data& d) {
  run(m, d, Transmissions, {Tendons, Collide, Rows}, [&] { sinew::transmissions(m, d); });
}

void positionSensors(const Model& m, Data& d) {
  run(m, d, PositionSensors, {Cameras, Rows, Transmissions}, [&] {
    d.energy = {0, 0};
    sense(m, d, Stage::Pos);
    if (m.opt.enabled(enable::kEnergy)) potentialEnergy(m, d);
  });
}

void velocities(const Model& m, Data& d) {
  run(m, d, Velocities, {Flexes, Transmissions}, [&] {
    sinew::velocities(m, d);
    comVel(m, d);
    flexVelocities(m, d);
  });
}

void passive(const Model& m, Data& d) {
  run(m, d, Passive, {Rows, Velocities}, [&] { sinew::passive(m, d); });
}

void bias(const Model& m, Data& d) {
  run(m, d, Bias, {Velocities}, [&] { sinew::bias(m, d); });
}

void rowReferences(const Model& m, Data& d) {
  run(m, d, RowReferences, {Rows, Velocities}, [&] { referenceAcceleration(m, d); });
}

void velocitySensors(const Model& m, Data& d) {
  run(m, d, VelocitySensors, {Passive, Bias}, [&] {
    sense(m, d, Stage::Vel);
    if (m.opt.enabled(enable::kEnergy)) kineticEnergy(m, d);
  });
}

void control(const Model& m, Data& d) {
  run(m, d, Control, {Velocities}, [&] { controlStage(m, d); });
}

void actuation(const Model& m, Data& d) {
  run(m, d, Actuation, {Passive}, [&] { sinew::actuation(m, d); });
}

void smoothAcceleration(const Model& m, Data& d) {
  run(m, d, SmoothAcceleration, {MassMatrix, Bias, Actuation}, [&] { sinew::smoothAcceleration(m, d); });
}

void solve(const Model& m, Data& d) {
  run(m, d, Solve, {RowReferences, SmoothAcceleration}, [&] {
    solveConstraints(m, d);
    stopPassing(m, d);
  });
}

void accelerationSensors(const Model& m, Data& d) {
  run(m, d, AccelerationSensors, {Solve}, [&] { sense(m, d, Stage::Acc); });
}

void advance(const Model& m, Data& d) {
  require(m, d, "advance", {Solve});
  advanceStage(m, d);
  d.work->arena.settle();
}

}  // namespace sinew::stages
