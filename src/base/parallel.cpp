#include "base/parallel.h"

#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>

namespace sinew::detail {

void parallelFor(int threads, int count, IndexedWork work, void* context) {
  threads = std::min(threads, count);
  if (threads < 2) {
    for (int i = 0; i < count; ++i) work(context, i, 0);
    return;
  }
  // Indices are handed out one by one, so a slot that TBB starts late, or not at all, costs nothing but its share. The
  // two counters also order memory between the threads, whatever the scheduler does inside.
  std::atomic<int> next = 0;
  std::atomic<int> finished = 0;
  const auto run = [&](int slot) {
    for (int i; (i = next.fetch_add(1, std::memory_order_acq_rel)) < count;) work(context, i, slot);
    finished.fetch_add(1, std::memory_order_release);
  };
  next.store(0, std::memory_order_release);
  tbb::task_group group;
  for (int slot = 1; slot < threads; ++slot) group.run([&run, slot] { run(slot); });
  run(0);
  group.wait();
  while (finished.load(std::memory_order_acquire) < threads) {
    // never entered twice: all slots have ended, what counts is the ordering of the load
  }
}

}  // namespace sinew::detail
