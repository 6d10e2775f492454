#include "base/parallel.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace sinew {

int hardwareThreads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

namespace detail {
namespace {

/// What the caller wrote is handed to the other threads through this counter, and what they wrote comes back through
/// `finished` below. TBB orders memory as well, but out of sight of tools that look for races.
std::atomic<unsigned> handOvers = 0;

}  // namespace

void parallelFor(int threads, int count, IndexedWork work, void* context) {
  threads = std::min(threads, count);
  if (threads < 2) {
    for (int i = 0; i < count; ++i) work(context, i, 0);
    return;
  }
  // indices are handed out one by one, so a slot that TBB starts late, or not at all, costs nothing but its share
  std::atomic<int> next = 0;
  std::atomic<int> finished = 0;
  const auto run = [&](int slot) {
    for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(context, i, slot);
    finished.fetch_add(1, std::memory_order_release);
  };
  // isolated: while this thread waits it takes none of the tasks of a loop that the caller runs around us, so steps of
  // other Data do not pile up on its stack
  tbb::this_task_arena::isolate([&] {
    tbb::task_group group;
    for (int slot = 1; slot < threads; ++slot) {
      tbb::task_handle task = group.defer([&run, slot] {
        handOvers.load(std::memory_order_acquire);
        run(slot);
      });
      handOvers.fetch_add(1, std::memory_order_release);
      group.run(std::move(task));
    }
    run(0);
    group.wait();
  });
  while (finished.load(std::memory_order_acquire) < threads) {
    // not entered, as all slots have ended: what counts is the order that the load makes
  }
}

}  // namespace detail
}  // namespace sinew
