#include "base/parallel.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>

namespace sinew {

int hardwareThreads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

namespace detail {
namespace {

/// What the caller wrote is handed to the other threads through this counter, and what they wrote comes back through
/// `finished` below. TBB orders memory as well, but out of sight of tools that look for races.
std::atomic<unsigned> handOvers = 0;

/// Calls run(slot) once for every slot, in threads as they come. What the caller wrote before is seen by all, and what
/// they write by the caller afterwards.
template <class Run>
void runInSlots(int threads, Run&& run) {
  std::atomic<int> finished = 0;
  const auto runOne = [&](int slot) {
    run(slot);
    finished.fetch_add(1, std::memory_order_release);
  };
  // isolated: while this thread waits it takes none of the tasks of a loop that the caller runs around us, so steps of
  // other Data do not pile up on its stack
  tbb::this_task_arena::isolate([&] {
    tbb::task_group group;
    for (int slot = 1; slot < threads; ++slot) {
      tbb::task_handle task = group.defer([&runOne, slot] {
        handOvers.load(std::memory_order_acquire);
        runOne(slot);
      });
      handOvers.fetch_add(1, std::memory_order_release);
      group.run(std::move(task));
    }
    runOne(0);
    group.wait();
  });
  while (finished.load(std::memory_order_acquire) < threads) {
    // not entered, as all slots have ended: what counts is the order that the load makes
  }
}

/// Waits for other threads, which are at work: shortly, or else they may be waiting for this one's core.
class Patience {
 public:
  void wait() {
    if (++turns_ < kShortly) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr int kShortly = 1000;
  int turns_ = 0;
};

}  // namespace

void parallelFor(int threads, int count, IndexedWork work, void* context) {
  threads = std::min(threads, count);
  if (threads < 2) {
    for (int i = 0; i < count; ++i) work(context, i, 0);
    return;
  }
  // indices are handed out one by one, so a slot that TBB starts late, or not at all, costs nothing but its share
  std::atomic<int> next = 0;
  runInSlots(threads, [&](int slot) {
    for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(context, i, slot);
  });
}

void parallelStages(int threads, std::span<const int> ends, IndexedWork work, void* context) {
  const int count = ends.empty() ? 0 : ends.back();
  int widest = 0, begin = 0;
  for (const int end : ends) {
    widest = std::max(widest, end - begin);
    begin = end;
  }
  threads = std::min(threads, widest);
  if (threads < 2) {
    for (int i = 0; i < count; ++i) work(context, i, 0);
    return;
  }
  // Indices are handed out in their order. Whoever holds one is at work or waits for smaller ones, so the smallest that
  // is held is at work, and nobody waits for ever. `done` counts: as many as come before a stage are those before it,
  // since none of the stage begins earlier.
  std::atomic<int> next = 0, done = 0;
  runInSlots(threads, [&](int slot) {
    std::size_t stage = 0;
    for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
      while (i >= ends[stage]) ++stage;
      const int before = stage > 0 ? ends[stage - 1] : 0;
      for (Patience patience; done.load(std::memory_order_acquire) < before;) patience.wait();
      work(context, i, slot);
      done.fetch_add(1, std::memory_order_release);
    }
  });
}

}  // namespace detail
}  // namespace sinew
