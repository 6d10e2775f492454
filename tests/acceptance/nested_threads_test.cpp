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

/// Layers of boxes, capsules, cylinders and ellipsoids that overlap a little: some hundred pairs of colliders, so that
/// threads share the search for contacts, with a cloth that falls on them.
std::string heapUnderCloth() {
  const char* const shapes[] = {R"(type="sphere" size=".1")", R"(type="capsule" size=".07 .05")",
                                R"(type="box" size=".09 .1 .08")", R"(type="ellipsoid" size=".12 .09 .1")"};
  std::string bodies;
  for (int i = 0; i < 75; ++i) {
    bodies += fmt::format(R"(<body pos="{} {} {}" euler="{} {} 0"><freejoint/><geom {}/></body>)", 0.18 * (i % 5),
                          0.18 * (i / 5 % 5), 0.1 + 0.18 * (i / 25), 7 * i, 11 * i, shapes[i % 4]);
  }
  return R"(<mujoco><option solver="CG" iterations="2"/><worldbody><geom type="plane" size="5 5 1"/>)" + bodies +
         R"(<flexcomp name="cloth" type="grid" dim="2" count="6 6 1" spacing=".1 .1 .1" pos=".2 .2 .55" radius=".01"
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
  const tbb::global_control fourThreads(tbb::global_control::max_allowed_parallelism, 4);
  const Model models[] = {compile(readMjcfText(heapUnderCloth())), compile(readMjcfText(test::stacks(12, 4)))};
  const auto modelOf = [&](int i) -> const Model& { return models[i % 2]; };

  std::vector<std::uint64_t> serial;
  for (int i = 0; i < kCount; ++i) {
    Data d = start(modelOf(i), i);
    d.threads = 1;
    serial.push_back(hashAfterSteps(modelOf(i), d));
    ASSERT_TRUE(d.status.ok()) << describeStatus(modelOf(i), d);
    const bool enough = i % 2 == 0 ? d.nearPairs.pair.size() > 512 : d.island.size() > 4;
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

}  // namespace
}  // namespace sinew
