#pragma once

#include <memory>

namespace sinew {
namespace solve {
class PlanMemory;
}

/// What solvers keep from one step to the next to be faster: plans of sparse factors. It holds no state: results do not
/// depend on it, and a copy starts empty.
class SolverMemory {
 public:
  SolverMemory();
  ~SolverMemory();
  SolverMemory(const SolverMemory&);
  SolverMemory& operator=(const SolverMemory&);
  SolverMemory(SolverMemory&&) noexcept;
  SolverMemory& operator=(SolverMemory&&) noexcept;

  /// Plans of the problem with this key: an island's first tree, or -1 - flex. The reference stays valid until the next
  /// call of forgetOld().
  solve::PlanMemory& plans(int key);
  /// The same if it exists already, else null. May be called by several threads at once.
  const solve::PlanMemory* find(int key) const;
  /// Drops plans of islands that were not asked for in a long time.
  void forgetOld();

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

}  // namespace sinew
