#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/piles.h"

/// Threads that share a step: one big thing, whose parts they take. One thread does all of it in turn, so equal states
/// say that what threads do in another order is the same, bit for bit.
namespace sinew {
namespace {

#ifdef SINEW_SANITIZED
constexpr int kSteps = 8;
#else
constexpr int kSteps = 40;
#endif

class OneStepThreads : public testing::Test {
 protected:
  tbb::global_control fourThreads_{tbb::global_control::max_allowed_parallelism, 4};
};

struct Big {
  std::string name, mjcf;
  int steps;   ///< before threads share them
  int shared;  ///< with threads
};

/// Boxes fall into a bin.
std::string boxes(int count, const std::string& option) {
  std::string bodies = R"(<geom type="plane" size="9 9 1"/>)";
  for (int side = 0; side < 4; ++side) {
    const double sign = side % 2 == 0 ? 1 : -1;
    bodies += fmt::format(R"(<geom type="box" pos="{} {} 1" size="{} {} 1"/>)", side < 2 ? 0.8 * sign : 0,
                          side < 2 ? 0 : 0.8 * sign, side < 2 ? .1 : 1, side < 2 ? 1 : .1);
  }
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format(
        R"(<body pos="{} {} {}" euler="{} {} {}"><freejoint/><geom type="box" size=".1 .08 .06"/></body>)",
        0.24 * (i % 5) - 0.48, 0.24 * (i / 5 % 5) - 0.48, 0.1 + 0.16 * (i / 25), 3 * (i % 7), 5 * (i % 3), 9 * i);
  }
  return fmt::format("<mujoco><option {}/><worldbody>{}</worldbody></mujoco>", option, bodies);
}

/// Small relatives of 100 humanoids, an 80 x 80 cloth and a pile of 1000, large enough for threads to share.
std::vector<Big> bigThings() {
  const std::string sweep = R"(solver="Impulse" method="sweep" iterations="20" timestep="0.005")";
  return {{"humanoids", scenes::crowd(24).mjcf, 300, kSteps},
          {"elastic cloth", scenes::elasticCloth(32).mjcf, 60, kSteps / 4},
          {"cloth with length rows", scenes::clothOnBall(32).mjcf, 60, kSteps / 4},
          {"swept boxes", boxes(400, sweep), 150, kSteps},
          {"swept pile of all shapes", test::pit(150, sweep), 100, kSteps},
          {"boxes by Newton's method", boxes(200, R"(timestep="0.005")"), 100, kSteps / 4}};
}

std::uint64_t hashAfter(const Model& m, const Data& start, int threads, int steps) {
  Data d(start);
  d.threads = threads;
  for (int i = 0; i < steps; ++i) step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQacc].count, 0) << describeStatus(m, d);
  return stateHash(m, d);
}

TEST_F(OneStepThreads, LeaveNoTraceInOneBigThing) {
  for (const Big& big : bigThings()) {
    const Model m = compile(readMjcfText(big.mjcf));
    Data start(m);
    for (int i = 0; i < m.nv; ++i) start.qvel[i] = 0.01 * std::sin(1.0 + i);
    for (int i = 0; i < big.steps; ++i) step(m, start);
    ASSERT_GT(start.nefc(), 200) << big.name << ": not big";
    const std::uint64_t one = hashAfter(m, start, 1, big.shared);
    for (const int threads : {2, 3, 4}) {
      EXPECT_EQ(hashAfter(m, start, threads, big.shared), one) << big.name << ", " << threads << " threads";
    }
  }
}

// Which thread meets which piece is left to chance, so no memory may grow because of it.
TEST_F(OneStepThreads, AllocateNothingOnceWarm) {
  for (const Big& big : bigThings()) {
    if (big.name == "boxes by Newton's method") continue;  // its contacts grow for longer than a test should take
    const Model m = compile(readMjcfText(big.mjcf));
    Data d(m);
    d.threads = 3;
    for (int i = 0; i < 2 * big.steps; ++i) step(m, d);
    const Data warm(d);
    for (int i = 0; i < 10; ++i) step(m, d);
    d = warm;
    const test::AllocationGuard guard(big.name.c_str());
    for (int i = 0; i < 10; ++i) step(m, d);
  }
}

}  // namespace
}  // namespace sinew
