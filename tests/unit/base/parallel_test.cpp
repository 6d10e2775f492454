#include "base/parallel.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

/// Loops shared by threads.
namespace sinew {
namespace {

/// TBB starts no more threads than the machine has cores, unless told to.
class Threads : public testing::Test {
 private:
  tbb::global_control fourThreads_{tbb::global_control::max_allowed_parallelism, 4};
};

TEST_F(Threads, VisitEveryIndexOnceAndShareNoSlot) {
  for (const int threads : {-1, 0, 1, 2, 4}) {
    std::vector<int> visits(1000, 0);
    std::vector<int> bySlot(static_cast<std::size_t>(std::max(1, threads)), 0);
    parallelFor(threads, 1000, [&](int index, int slot) {
      ++visits[index];
      ++bySlot[slot];  // a race, if two threads had the same slot
    });
    EXPECT_EQ(visits, std::vector<int>(1000, 1)) << threads;
    EXPECT_EQ(std::accumulate(bySlot.begin(), bySlot.end(), 0), 1000) << threads;
  }
  parallelFor(4, 0, [](int, int) { FAIL() << "there is no index"; });
}

// Every call looks at what all calls of earlier stages have left, without any protection of its own: an index that
// began too early would see nothing there, and the thread sanitizer a race.
TEST_F(Threads, StagesBeginWhenTheOnesBeforeHaveEnded) {
  const std::vector<std::vector<int>> allEnds{{}, {0}, {5}, {1, 2, 3}, {3, 3, 40, 41, 41, 200, 203}, {0, 64, 64, 1000}};
  for (const std::vector<int>& ends : allEnds) {
    const int count = ends.empty() ? 0 : ends.back();
    for (const int threads : {-1, 0, 1, 2, 3, 4, 100}) {
      std::vector<int> visits(static_cast<std::size_t>(count), 0), seen(visits), bySlot(100, 0);
      parallelStages(threads, ends, [&](int index, int slot) {
        int begin = 0;
        for (const int end : ends) begin = end <= index ? end : begin;
        for (int i = 0; i < begin; ++i) seen[index] += visits[i];
        ++visits[index];
        ++bySlot[slot];
      });
      EXPECT_EQ(visits, std::vector<int>(static_cast<std::size_t>(count), 1)) << threads;
      EXPECT_EQ(std::accumulate(bySlot.begin(), bySlot.end(), 0), count) << threads;
      int begin = 0;
      for (const int end : ends) {
        for (int i = begin; i < end; ++i) EXPECT_EQ(seen[i], begin) << "index " << i << ", threads " << threads;
        begin = end;
      }
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
