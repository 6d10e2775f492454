#include <algorithm>
#include <array>
#include <span>

#include "integrate/integrate.h"
#include "kinematics/positions.h"
#include "model/awake.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "step/stages.h"

namespace sinew {
namespace {

constexpr int kStages = 4;
/// Where stage i is evaluated, as a fraction of the step from the start along the slope of stage i - 1; and the weight
/// of its slope in the result.
constexpr std::array<double, kStages> kNode{0, 0.5, 0.5, 1};
constexpr std::array<double, kStages> kWeight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

/// Rates of the state at one stage: qvel moves qpos, qacc moves qvel, act_dot moves act.
struct Slope {
  std::span<double> qvel, qacc, act_dot;

  Slope(const Model& m, Arena& arena)
      : qvel(arena.zeros<double>(m.nv)), qacc(arena.zeros<double>(m.nv)), act_dot(arena.zeros<double>(m.na)) {}
  /// What sleeps does not move, whatever its qacc says.
  void read(const Model& m, const Data& d) {
    if (someAsleep(m, d)) {
      std::fill(qvel.begin(), qvel.end(), 0.0);
      std::fill(qacc.begin(), qacc.end(), 0.0);
    }
    forEachAwakeRun(m, d, [&](int begin, int end) {
      std::copy_n(d.qvel.data() + begin, end - begin, qvel.data() + begin);
      std::copy_n(d.qacc.data() + begin, end - begin, qacc.data() + begin);
    });
    std::copy(d.act_dot.begin(), d.act_dot.end(), act_dot.begin());
  }
  void add(const Slope& s, double weight) {
    for (std::size_t i = 0; i < qvel.size(); ++i) qvel[i] += weight * s.qvel[i];
    for (std::size_t i = 0; i < qacc.size(); ++i) qacc[i] += weight * s.qacc[i];
    for (std::size_t i = 0; i < act_dot.size(); ++i) act_dot[i] += weight * s.act_dot[i];
  }
};

std::span<double> copyOf(const Array<double>& values, Arena& arena) {
  const std::span<double> copy = arena.take<double>(values.size());
  std::copy(values.begin(), values.end(), copy.begin());
  return copy;
}

}  // namespace

void integrateRungeKutta4(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const double h = m.opt.timestep;
  const double time = d.time;
  const std::span<double> qpos = copyOf(d.qpos, d.work->arena);
  const std::span<double> qvel = copyOf(d.qvel, d.work->arena);
  const std::span<double> act = copyOf(d.act, d.work->arena);
  const auto restart = [&] {
    d.time = time;
    std::copy(qpos.begin(), qpos.end(), d.qpos.begin());
    std::copy(qvel.begin(), qvel.end(), d.qvel.begin());
    std::copy(act.begin(), act.end(), d.act.begin());
  };

  Slope slope(m, d.work->arena);
  Slope mean(m, d.work->arena);
  slope.read(m, d);  // the first stage has been evaluated by forward()
  mean.add(slope, kWeight[0]);
  for (std::size_t i = 1; i < kStages; ++i) {
    restart();
    const double t = kNode[i] * h;
    // the velocities are scaled first, so that a rotation vector is h (c v), not (h c) v
    for (double& v : slope.qvel) v *= kNode[i];
    integrateAwakePositions(m, d, d.qpos.data(), slope.qvel.data());
    forEachAwakeDof(m, d, [&](int k) { d.qvel[k] += t * slope.qacc[k]; });
    for (int k = 0; k < m.na; ++k) d.act[k] += t * slope.act_dot[k];
    d.time = time + t;
    try {
      evaluate(m, d, Sensing::Off);
    } catch (...) {  // out of memory: as if there had been no step
      restart();
      throw;
    }
    slope.read(m, d);
    mean.add(slope, kWeight[i]);
  }
  restart();
  sampleControls(m, d);  // not before the stages, which read the controls of earlier steps
  advance(m, d, mean.act_dot.data(), mean.qacc.data(), mean.qvel.data());
}

}  // namespace sinew
