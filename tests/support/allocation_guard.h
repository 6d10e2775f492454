#pragma once

#include <string>

/// Heap allocations, counted. Test programs replace malloc and its relatives (operator new arrives there too), so
/// everything is seen: the standard library, Eigen, and every library we call.
namespace sinew::test {

/// Number of heap allocations of this process so far, over all threads.
long allocationCount();

/// Fails the current test if anything is allocated on the heap, by any thread, between construction and destruction.
/// To find the culprit, set a breakpoint on `sinewAllocationInGuard`.
///
///   for (int i = 0; i < 10; ++i) step(m, d);  // warm up
///   const AllocationGuard guard("step");
///   step(m, d);
class AllocationGuard {
 public:
  explicit AllocationGuard(std::string scope);
  ~AllocationGuard();
  AllocationGuard(const AllocationGuard&) = delete;
  AllocationGuard& operator=(const AllocationGuard&) = delete;

  /// Allocations since construction.
  long count() const { return allocationCount() - before_; }

 private:
  std::string scope_;
  long before_ = 0;
};

}  // namespace sinew::test
