#pragma once

#include <memory>

namespace sinew {

/// Scratch memory of the search for contacts and distances. It belongs to one Data, never to a thread: a thread that
/// waits for others within a step may meanwhile be given the step of another Data. It holds no state: results do not
/// depend on it, and a copy starts empty.
class CollideMemory {
 public:
  struct Store;

  CollideMemory();
  ~CollideMemory();
  CollideMemory(const CollideMemory&);
  CollideMemory& operator=(const CollideMemory&);
  CollideMemory(CollideMemory&&) noexcept;
  CollideMemory& operator=(CollideMemory&&) noexcept;

  /// For whoever works on the Data; also if it is constant for them, as what is in here is not part of it.
  Store& operator*() const { return *store_; }
  Store* operator->() const { return store_.get(); }

 private:
  std::unique_ptr<Store> store_;
};

}  // namespace sinew
