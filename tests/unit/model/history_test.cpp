#include "model/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

/// A ring of samples of f at the times 0, 1, ... 4, with width 1; room for five.
std::vector<double> ringOf(const std::function<double(double)>& f) {
  std::vector<double> ring(2 + 5 + 5, -100);
  ring[1] = 4;
  for (int i = 0; i < 5; ++i) ring[2 + i] = -5 + i;
  for (int i = 0; i < 5; ++i) *history::insert(ring.data(), 5, 1, i) = f(i);
  return ring;
}

double at(const std::vector<double>& ring, double time, int order) {
  double value = 0;
  history::read(ring.data(), 5, 1, time, order, &value);
  return value;
}

TEST(History, HoldsTheValueBeforeOrInterpolates) {
  const auto line = ringOf([](double t) { return 3 - 2 * t; });
  EXPECT_EQ(at(line, 1.75, 0), 1);
  EXPECT_NEAR(at(line, 1.75, 1), -.5, tolerance(1e-15));
  // slopes from both neighbours are exact for a parabola, so inside the cubic is the parabola itself
  const auto parabola = ringOf([](double t) { return 1 + t - t * t; });
  for (const double t : {1.25, 1.5, 2.9}) EXPECT_NEAR(at(parabola, t, 2), 1 + t - t * t, tolerance(1e-14));
  for (const int order : {0, 1, 2}) {
    EXPECT_EQ(at(parabola, 3, order), -5) << "at a sample";
    EXPECT_EQ(at(parabola, -1, order), 1) << "before the oldest";
    EXPECT_EQ(at(parabola, 9, order), -11) << "after the newest";
  }
}

// level at the oldest sample: h00 + h01 f(1) + h11 (f(2) - f(0)) / 2 at the middle, 1/2, 1/2 and -1/8
TEST(History, CubicsStartLevelAtTheOldestSample) {
  const auto line = ringOf([](double t) { return t; });
  EXPECT_NEAR(at(line, .5, 2), .5 - .125, tolerance(1e-15));
}

TEST(History, AClockThatWasSetBackInsertsInBetween) {
  auto ring = ringOf([](double t) { return t; });
  *history::insert(ring.data(), 5, 1, 2) = 20;  // the same time again
  EXPECT_EQ(at(ring, 2, 0), 20);
  *history::insert(ring.data(), 5, 1, 2.5) = 30;  // drops the oldest
  EXPECT_EQ(at(ring, 0, 0), 1);
  EXPECT_EQ(at(ring, 2, 0), 20);
  EXPECT_EQ(at(ring, 2.6, 0), 30);
  EXPECT_EQ(at(ring, 4, 0), 4);
  *history::insert(ring.data(), 5, 1, -7) = 8;  // older than all: in place of the oldest
  EXPECT_EQ(at(ring, -8, 0), 8);
  EXPECT_EQ(at(ring, 1.9, 0), 8);
}

// The timestep is a power of two, so that times are exact.
constexpr const char* kDelayed = R"(<mujoco><option gravity="0 0 0" timestep="0.0078125"/>
  <worldbody><body><joint name="j" type="slide" damping="3"/><geom size=".1"/></body></worldbody>
  <actuator>
    <motor joint="j" nsample="6" delay="0.0234375"/>
    <motor joint="j"/>
  </actuator>
  <sensor>
    <jointpos joint="j"/>
    <jointpos joint="j" nsample="7" delay="0.03125"/>
    <jointpos joint="j" nsample="3" interval="0.0390625"/>
    <jointpos joint="j" nsample="3" interval="0.0390625 -0.015625"/>
    <jointactuatorfrc joint="j"/>
    <jointactuatorfrc joint="j" nsample="3" delay="0.015625"/>
    <jointpos joint="j" nsample="3" interval="0.01953125"/>
  </sensor></mujoco>)";

double controlAt(int k) { return k < 0 ? 0 : std::sin(.3 * k); }

TEST(History, ADelayedControlIsThatOfSomeStepsAgo) {
  const Model m = modelOf(kDelayed);
  Data d(m);
  for (int k = 0; k < 40; ++k) {
    d.ctrl[0] = d.ctrl[1] = controlAt(k);
    step(m, d);
    EXPECT_EQ(d.actuator_force[0], controlAt(k - 3)) << k;
    EXPECT_EQ(d.actuator_force[1], controlAt(k)) << k;
  }
}

TEST(History, ADelayedSensorShowsTheValueOfSomeStepsAgo) {
  for (const Integrator integrator : {Integrator::Euler, Integrator::RK4, Integrator::ImplicitFast}) {
    Model m = modelOf(kDelayed);
    m.opt.integrator = integrator;
    Data d(m);
    std::vector<double> prompt, force;
    for (int k = 0; k < 40; ++k) {
      d.ctrl[1] = controlAt(k);
      step(m, d);
      prompt.push_back(d.sensordata[0]);
      force.push_back(d.sensordata[4]);
      EXPECT_EQ(d.sensordata[1], k < 4 ? 0 : prompt[k - 4]) << k;
      EXPECT_EQ(d.sensordata[5], k < 2 ? 0 : force[k - 2]) << k;
    }
  }
}

// Every five steps, from step 0 on, or from the first step that is a period after the phase: 5 - 2 = 3. With a period
// of two and a half steps at the first step that is not before a multiple of it.
TEST(History, ASensorWithAnIntervalKeepsItsValueInBetween) {
  const Model m = modelOf(kDelayed);
  Data d(m);
  d.qvel[0] = 1;
  std::vector<double> prompt;
  for (int k = 0; k < 40; ++k) {
    d.ctrl[1] = controlAt(k);
    step(m, d);
    prompt.push_back(d.sensordata[0]);
    EXPECT_EQ(d.sensordata[2], prompt[k - k % 5]) << k;
    EXPECT_EQ(d.sensordata[6], prompt[static_cast<std::size_t>(std::ceil(2.5 * std::floor(k / 2.5)))]) << k;
    EXPECT_EQ(d.sensordata[3], k < 3 ? 0 : prompt[k - (k - 3) % 5]) << k;
  }
}

TEST(History, IsPartOfTheState) {
  const Model m = modelOf(kDelayed);
  Data d(m);
  const auto run = [&](int first) {
    for (int k = first; k < first + 10; ++k) {
      d.ctrl[0] = controlAt(k);
      step(m, d);
    }
    return stateHash(m, d);
  };
  run(0);
  const std::vector<std::byte> state = saveState(m, d);
  const std::uint64_t hash = run(10);
  restoreState(m, d, state);
  EXPECT_EQ(run(10), hash);
  reset(m, d);
  EXPECT_EQ(stateHash(m, d), stateHash(m, Data(m)));
}

TEST(History, StepsDoNotAllocate) {
  const Model m = modelOf(kDelayed);
  Data d(m);
  for (int k = 0; k < 3; ++k) step(m, d);
  const test::AllocationGuard guard("steps with samples");
  for (int k = 0; k < 3; ++k) step(m, d);
}

}  // namespace
}  // namespace sinew
