#pragma once

#include <span>
#include <type_traits>

namespace sinew {
namespace detail {

using IndexedWork = void (*)(void* context, int index, int slot);
void parallelFor(int threads, int count, IndexedWork work, void* context);
void parallelStages(int threads, std::span<const int> ends, IndexedWork work, void* context);

}  // namespace detail

/// As many threads as the machine runs at once, at least 1.
int hardwareThreads();

/// Calls work(index, slot) once for every index in [0, count), on at most `threads` threads, the caller's included.
/// Calls with the same slot, 0 <= slot < max(1, threads), never overlap in time, so scratch memory can be kept per
/// slot. Which index meets which slot is left to chance: nothing that is kept may depend on the slot. Returns when all
/// calls have; `work` must not throw.
template <class Work>
void parallelFor(int threads, int count, Work&& work) {
  using Body = std::remove_reference_t<Work>;
  detail::parallelFor(
      threads, count, [](void* context, int index, int slot) { (*static_cast<Body*>(context))(index, slot); }, &work);
}

/// The same in stages: the calls of a stage begin when all of the stage before have returned, and those of one stage
/// may overlap. `ends` has one past the last index of each stage, growing. A thread that is late, or does not come at
/// all, holds up nobody: whoever is there takes the next index. For stages that last a microsecond or more.
template <class Work>
void parallelStages(int threads, std::span<const int> ends, Work&& work) {
  using Body = std::remove_reference_t<Work>;
  detail::parallelStages(
      threads, ends, [](void* context, int index, int slot) { (*static_cast<Body*>(context))(index, slot); }, &work);
}

}  // namespace sinew
