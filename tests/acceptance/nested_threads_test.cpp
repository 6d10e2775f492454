#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/piles.h"

/// Steps that use threads, inside a loop of the user's that does: a thread that waits in one step may be given another.
namespace sinew {
namespace {

#ifdef SINEW_SANITIZED
constexpr int kRepetitions = 10;
#else
constexpr int kRepetitions = 100;
#endif
constexpr int kCount = 64, kSteps = 2;

/// A cloud of boxes and cylinders that are near each other, so that they have contacts, while few of them have forces;
/// and a cloth in it. Threads share the search for contacts, and it is most of a step.
std::string cloudWithCloth() {
  std::string bodies;
  for (int i = 0; i < 48; ++i) {
    bodies += fmt::format(
        R"(<body pos="{} {} {}" euler="{} {} 0"><freejoint/><geom type="{}" size=".08 .08 .08" margin=".03" gap=".03"/></body>)",
        0.18 * (i % 4), 0.18 * (i / 4 % 4), 0.18 * (i / 16), 3 * (i % 7), 2 * (i % 5), i % 3 == 0 ? "cylinder" : "box");
  }
  return R"(<mujoco><option gravity="0 0 0" solver="CG" iterations="2"/><worldbody>)" + bodies +
         R"(<flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" pos=".3 .3 .47" radius=".01"
                      mass=".1"/></worldbody></mujoco>)";
}

Data start(const Model& m, int number) {
  Data d(m);
  d.threads = 2;
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.3 * std::sin(1.0 + i + 100.0 * number);
  return d;
}

std::uint64_t hashAfterSteps(const Model& m, Data& d) {
  for (int i = 0; i < kSteps; ++i) step(m, d);
  return stateHash(m, d);
}

TEST(NestedThreads, ONE_8_HashesInAUsersLoopAreThoseOfSerialStepping) {
  const tbb::global_control eightThreads(tbb::global_control::max_allowed_parallelism, 8);
  const Model models[] = {compile(readMjcfText(cloudWithCloth())), compile(readMjcfText(test::stacks(8, 3)))};
  const auto modelOf = [&](int i) -> const Model& { return models[i % 2]; };

  std::vector<std::uint64_t> serial;
  for (int i = 0; i < kCount; ++i) {
    Data d = start(modelOf(i), i);
    d.threads = 1;
    serial.push_back(hashAfterSteps(modelOf(i), d));
    ASSERT_TRUE(d.status.ok()) << describeStatus(modelOf(i), d);
    const bool enough = i % 2 == 0 ? d.nearPairs.pair.size() > 300 : d.island.size() > 4;
    ASSERT_TRUE(enough) << "threads have nothing to share: " << d.nearPairs.pair.size() << " pairs";
  }
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    std::vector<std::uint64_t> hashes(kCount);
    tbb::parallel_for(
        0, kCount,
        [&](int i) {
          Data d = start(modelOf(i), i);
          hashes[static_cast<std::size_t>(i)] = hashAfterSteps(modelOf(i), d);
        },
        tbb::simple_partitioner());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      ASSERT_EQ(hashes[i], serial[i]) << "Data " << i << ", repetition " << repetition;
    }
  }
}

// A thread that has done its share of a step waits for the others. If it took the step of another Data meanwhile, steps
// would pile up on its stack, and each would last as long as all above it. Three threads: the first waits in a step for
// the second, while the third offers a task.
TEST(NestedThreads, ONE_8_AThreadThatWaitsTakesNoOtherStep) {
  const tbb::global_control threeThreads(tbb::global_control::max_allowed_parallelism, 3);
  const auto waitFor = [](const std::atomic<bool>& flag, std::chrono::milliseconds most) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!flag && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return flag.load();
  };
  constexpr std::chrono::seconds kPatience(20);
  constexpr std::chrono::milliseconds kOffer(300);
  std::atomic<bool> offering = false, helping = false, taken = false, over = false;
  std::atomic<bool> takenByWaiting = false;
  tbb::task_arena arena(3);
  arena.execute([&] {
    const std::thread::id waiting = std::this_thread::get_id();
    tbb::task_group outer;
    outer.run([&] {
      offering = true;
      waitFor(helping, kPatience);
      outer.run([&] {
        takenByWaiting = std::this_thread::get_id() == waiting && !over;
        taken = true;
      });
      waitFor(taken, kOffer);
      over = true;
    });
    ASSERT_TRUE(waitFor(offering, kPatience)) << "TBB starts no threads";
    parallelFor(2, 2, [&](int, int slot) {
      if (slot > 0) helping = true;
      waitFor(slot > 0 ? over : helping, kPatience);
    });
    EXPECT_TRUE(helping);
    outer.wait();
  });
  EXPECT_FALSE(takenByWaiting);
}

}  // namespace
}  // namespace sinew
