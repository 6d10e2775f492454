#include "stage_profile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "collision/collision.h"
#include "collision/sides.h"
#include "constraint/constraint.h"
#include "forces/forces.h"
#include "inertia/inertia.h"
#include "integrate/integrate.h"
#include "kinematics/flexes.h"
#include "kinematics/kinematics.h"
#include "metric/step_matrix.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "step/stop_passing.h"

namespace sinew::bench {
namespace {

enum Group : std::size_t { kTree, kCollision, kRows, kForces, kSolve, kSensors, kIntegration, kGroups };
constexpr std::array<const char*, kGroups> kNames{
    "kinematics and inertia", "collision", "rows", "forces", "solve", "sensors", "integration"};

struct Entry {
  Group group;
  void (*run)(const Model&, Data&);
};

void integrate(const Model& m, Data& d) {
  if (m.opt.solver == Solver::Impulse) rememberImpulses(m, d);
  rememberSides(d);
  const Arena::Scope scope(d.work->arena);
  const double* a = stepAcceleration(m, d, d.work->arena.take<double>(m.nv));
  advance(m, d, d.act_dot.data(), a, nullptr);
}

/// The stages of a step in their order, neighbors of one group together.
constexpr auto kStages = std::to_array<Entry>({
    {kTree,
     [](const Model& m, Data& d) {
       kinematics(m, d);
       comPos(m, d);
       cameras(m, d);
       flexes(m, d);
       tendons(m, d);
       massMatrix(m, d);
       factorMass(m, d);
     }},
    {kCollision, collide},
    {kRows, buildRows},
    {kForces, transmissions},
    {kSensors, [](const Model& m, Data& d) { sense(m, d, Stage::Pos); }},
    {kForces,
     [](const Model& m, Data& d) {
       velocities(m, d);
       comVel(m, d);
       flexVelocities(m, d);
       passive(m, d);
       bias(m, d);
     }},
    {kRows, referenceAcceleration},
    {kSensors, [](const Model& m, Data& d) { sense(m, d, Stage::Vel); }},
    {kForces,
     [](const Model& m, Data& d) {
       actuation(m, d);
       acceleration(m, d);
     }},
    {kSolve,
     [](const Model& m, Data& d) {
       metric(m, d);
       solveConstraints(m, d);
       stopPassing(m, d);
     }},
    {kSensors, [](const Model& m, Data& d) { sense(m, d, Stage::Acc); }},
    {kIntegration, integrate},
});

}  // namespace

StageProfile profileStages(const Model& m, Data& d, std::span<const std::byte> start, int steps, int rounds) {
  if (m.opt.integrator != Integrator::Euler && m.opt.integrator != Integrator::ImplicitFast) {
    throw std::invalid_argument("stages are timed for the Euler and implicitfast integrators only");
  }
  using Clock = std::chrono::steady_clock;
  using Times = std::array<Clock::duration, kGroups>;
  std::vector<Times> least(static_cast<std::size_t>(steps));
  StageProfile profile;
  for (int round = 0; round < rounds; ++round) {
    restoreState(m, d, start);
    for (Times& best : least) {
      Times time{};
      Clock::time_point before = Clock::now();
      for (const Entry& stage : kStages) {
        stage.run(m, d);
        const Clock::time_point after = Clock::now();
        time[stage.group] += after - before;
        before = after;
      }
      d.work->arena.settle();
      for (std::size_t g = 0; g < kGroups; ++g) best[g] = round == 0 ? time[g] : std::min(best[g], time[g]);
      if (round > 0) continue;
      int iterations = 0;
      for (const IslandReport& island : d.island) iterations = std::max(iterations, island.iterations);
      profile.contacts += d.ncon();
      profile.rows += d.nefc();
      profile.islands += static_cast<double>(d.island.size());
      profile.iterations += iterations;
    }
  }
  const double n = std::max(1, steps);
  for (double* mean : {&profile.contacts, &profile.rows, &profile.islands, &profile.iterations}) *mean /= n;
  for (std::size_t g = 0; g < kGroups; ++g) {
    double sum = 0;
    for (const Times& best : least) sum += std::chrono::duration<double, std::micro>(best[g]).count();
    profile.stages.push_back({kNames[g], sum / n});
  }
  profile.hash = stateHash(m, d);
  return profile;
}

}  // namespace sinew::bench
