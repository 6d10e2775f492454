#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/piles.h"

/// The number of threads changes how long a step takes and nothing else.
namespace sinew {
namespace {

#ifdef SINEW_SANITIZED
constexpr int kSteps = 20;
#else
constexpr int kSteps = 200;
#endif

/// TBB starts no more threads than the machine has cores, unless told to.
class Threads : public testing::Test {
 private:
  tbb::global_control fourThreads_{tbb::global_control::max_allowed_parallelism, 4};
};

struct Run {
  std::vector<std::uint64_t> hashes;  // after every tenth step
  int mostIslands = 0;
};

Run run(const Model& m, int threads) {
  Data d(m);
  d.threads = threads;
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.1 * std::sin(1.0 + i);
  Run result;
  for (int i = 1; i <= kSteps; ++i) {
    step(m, d);
    result.mostIslands = std::max(result.mostIslands, static_cast<int>(d.island.size()));
    if (i % 10 == 0) result.hashes.push_back(stateHash(m, d));
  }
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  return result;
}

void expectSameBits(const std::string& name, const std::string& mjcf) {
  const Model m = compile(readMjcfText(mjcf));
  const Run one = run(m, 1);
  EXPECT_GT(one.mostIslands, 1) << name << " gives threads nothing to share";
  for (const int threads : {2, 4}) EXPECT_TRUE(run(m, threads).hashes == one.hashes) << name << ", threads " << threads;
}

TEST_F(Threads, LeaveNoTraceInAnyScene) {
  expectSameBits("stacks", test::stacks(16, 8));
  expectSameBits("pit", test::pit(60));
  expectSameBits("crowd", test::crowd(12));
}

TEST_F(Threads, LeaveNoTraceWithAnySolver) {
  for (const char* solver : {"Newton", "CG", "PGS"}) {
    for (const char* cone : {"pyramidal", "elliptic"}) {
      expectSameBits(fmt::format("{} {}", solver, cone),
                     test::crowd(6, fmt::format(R"(solver="{}" cone="{}" iterations="20")", solver, cone)));
    }
  }
  expectSameBits("noslip", test::stacks(12, 4, R"(cone="elliptic" noslip_iterations="5")"));
  expectSameBits("sparse", test::stacks(12, 4, R"(jacobian="sparse")"));
  expectSameBits("RK4", test::stacks(12, 4, R"(integrator="RK4")"));
}

/// Bodies of five shapes in layers, so close that neighbours overlap a little.
std::string heap(int side, int layers) {
  const char* const shapes[] = {R"(type="sphere" size=".11")", R"(type="box" size=".09 .1 .08")",
                                R"(type="capsule" size=".07 .05")", R"(type="cylinder" size=".1 .08")",
                                R"(type="ellipsoid" size=".12 .09 .1")"};
  std::string bodies;
  for (int i = 0; i < side * side * layers; ++i) {
    bodies += fmt::format(R"(<body pos="{} {} {}" euler="{} {} 0"><freejoint/><geom {}/></body>)", 0.18 * (i % side),
                          0.18 * (i / side % side), 0.1 + 0.18 * (i / (side * side)), 7 * i, 11 * i, shapes[i % 5]);
  }
  return "<mujoco><worldbody><geom type='plane' size='5 5 1'/>" + bodies + "</worldbody></mujoco>";
}

// One heap: what threads share is the search for points where shapes touch, 64 pairs at a time.
TEST_F(Threads, FindTheSameContactsInTheSameOrder) {
  const Model m = compile(readMjcfText(heap(6, 5)));
  const auto contactsOf = [&](int threads) {
    Data d(m);
    d.threads = threads;
    std::vector<Contact> found;
    for (int i = 0; i < 10; ++i) {
      step(m, d);
      found.insert(found.end(), d.contact.begin(), d.contact.end());
    }
    EXPECT_GT(d.ncon(), 256);
    return found;
  };
  const std::vector<Contact> expected = contactsOf(1);
  for (const int threads : {2, 3, 4}) {
    const std::vector<Contact> found = contactsOf(threads);
    ASSERT_EQ(found.size(), expected.size()) << threads;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].geom, expected[i].geom) << threads << " " << i;
      EXPECT_EQ(found[i].pos, expected[i].pos) << threads << " " << i;
      EXPECT_EQ(found[i].frame, expected[i].frame) << threads << " " << i;
      EXPECT_EQ(found[i].dist, expected[i].dist) << threads << " " << i;
      EXPECT_EQ(found[i].friction, expected[i].friction) << threads << " " << i;
    }
  }
}

TEST_F(Threads, MayChangeInTheMiddleOfARun) {
  const Model m = compile(readMjcfText(test::crowd(12)));
  Data serial(m), changing(m);
  for (int i = 0; i < kSteps; ++i) {
    changing.threads = 1 + i % 4;
    step(m, serial);
    step(m, changing);
  }
  EXPECT_EQ(stateHash(m, serial), stateHash(m, changing));
}

TEST_F(Threads, AreKeptByACopyAndByAReset) {
  const Model m = compile(readMjcfText(test::stacks(2, 2)));
  Data d(m);
  d.threads = 3;
  step(m, d);
  reset(m, d);
  const Data copy = d;
  EXPECT_EQ(d.threads, 3);
  EXPECT_EQ(copy.threads, 3);
}

#ifndef SINEW_SANITIZED  // sanitizers allocate on their own
TEST_F(Threads, AllocateNothingAfterWarmUp) {
  const Model m = compile(readMjcfText(test::stacks(16, 8)));
  Data d(m);
  d.threads = 2;
  for (int i = 0; i < 300; ++i) step(m, d);
  const test::AllocationGuard guard("steps on two threads");
  for (int i = 0; i < 50; ++i) step(m, d);
}
#endif

}  // namespace
}  // namespace sinew
