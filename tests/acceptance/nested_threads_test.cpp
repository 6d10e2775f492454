#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

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
    int pairs = 0;  // that are near enough to be tested
    d.callbacks.contactFilter = [&pairs](const Model&, const Data&, int, int) { return ++pairs > 0; };
    forward(modelOf(i), d);
    ASSERT_TRUE(i % 2 == 0 ? pairs > 300 : d.island.size() > 4)
        << "threads have nothing to share: " << pairs << " pairs";
  }
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    std::vector<std::uint64_t> hashes(kCount);
    tbb::parallel_for(
        0, kCount,
        [&](int i) {
          Data d = start(modelOf(i), i);
          hashes[i] = hashAfterSteps(modelOf(i), d);
        },
        tbb::simple_partitioner());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      ASSERT_EQ(hashes[i], serial[i]) << "Data " << i << ", repetition " << repetition;
    }
  }
}

}  // namespace
}  // namespace sinew
