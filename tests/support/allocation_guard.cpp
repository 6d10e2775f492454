#include "support/allocation_guard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

namespace {

// Constant-initialized: allocations happen before any constructor of ours runs.
std::atomic<long> allocations{0};
std::atomic<int> guards{0};

}  // namespace

/// Called for every allocation while a guard is alive; exists to be a breakpoint.
extern "C" [[gnu::noinline]] void sinewAllocationInGuard(std::size_t bytes) { asm volatile("" ::"r"(bytes)); }

namespace {

void note(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (guards.load(std::memory_order_relaxed) > 0) sinewAllocationInGuard(bytes);
}

}  // namespace

#ifdef SINEW_SANITIZED

// The sanitizers own malloc, and tell us about it (the thread sanitizer not about aligned allocations).
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*onMalloc)(const volatile void*, std::size_t),
                                                         void (*onFree)(const volatile void*));

namespace {

[[maybe_unused]] const int hooked = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t bytes) { note(bytes); }, [](const volatile void*) {});

}  // namespace

#else

// glibc's own entry points, under names that stay reachable when malloc is replaced. The memory comes from the same
// heap, so free() needs no replacement.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* p, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) noexcept {
  note(bytes);
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  note(count * bytes);
  return __libc_calloc(count, bytes);
}

void* realloc(void* p, std::size_t bytes) noexcept {
  note(bytes);
  return __libc_realloc(p, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** p, std::size_t alignment, std::size_t bytes) noexcept {
  const bool powerOfTwo = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!powerOfTwo || alignment % sizeof(void*) != 0) return EINVAL;
  note(bytes);
  void* const memory = __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *p = memory;
  return 0;
}
}

#endif

namespace sinew::test {

long allocationCount() { return allocations.load(std::memory_order_relaxed); }

AllocationGuard::AllocationGuard(std::string scope) : scope_(std::move(scope)) {
  guards.fetch_add(1, std::memory_order_relaxed);
  before_ = allocationCount();
}

AllocationGuard::~AllocationGuard() {
  const long seen = count();
  guards.fetch_sub(1, std::memory_order_relaxed);
  EXPECT_EQ(seen, 0) << scope_ << " allocated on the heap";
}

}  // namespace sinew::test
