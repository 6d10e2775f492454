#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace sinew {

/// Scratch memory of one Data: a stack that is filled and emptied within a step. When it is full it borrows another
/// block from the heap, so nothing is ever dropped; settle() then merges the blocks, and from the next step on the
/// same work needs no allocation.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena& other) : Arena() { reserve(other.capacity()); }  ///< scratch contents are not copied
  Arena& operator=(const Arena& other) {
    if (this != &other) reserve(other.capacity());
    return *this;
  }
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Everything taken while a Scope lives is given back when it ends.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), block_(arena.block_), free_(arena.free_), end_(arena.end_) {}
    ~Scope() {
      arena_.block_ = block_;
      arena_.free_ = free_;
      arena_.end_ = end_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena& arena_;
    std::size_t block_;
    std::byte *free_, *end_;
  };

  /// n default-initialized (that is: garbage) values, aligned to 64 bytes, valid until the innermost Scope ends.
  template <class T>
  std::span<T> take(std::ptrdiff_t n) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    const std::size_t count = static_cast<std::size_t>(n);
    // T may be a pointer
    return {static_cast<T*>(takeBytes(count * sizeof(T))), count};  // NOLINT(bugprone-sizeof-expression)
  }
  /// Like take(), set to zero.
  template <class T>
  std::span<T> zeros(std::ptrdiff_t n) {
    const std::span<T> values = take<T>(n);
    for (T& value : values) value = T{};
    return values;
  }

  /// Bytes available without another allocation, once the arena is empty.
  std::size_t capacity() const;
  /// Makes sure that `bytes` fit into the first block. Call when nothing is taken.
  void reserve(std::size_t bytes);
  /// Merges borrowed blocks into one of the size of the peak use. Call when nothing is taken.
  void settle();
  /// How often the arena had to borrow from the heap so far.
  int growths() const { return growths_; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };
  static constexpr std::size_t kAlignment = 64;

  void* takeBytes(std::size_t bytes) {
    const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (size > static_cast<std::size_t>(end_ - free_)) return takeFromNext(size);
    std::byte* const taken = free_;
    free_ += size;
    return taken;
  }
  void* takeFromNext(std::size_t size);  ///< the block in use has no room for so many bytes
  void useBlock(std::size_t block);      ///< from its beginning
  void swap(Arena& other) noexcept;

  std::vector<Block> blocks_;
  std::size_t block_ = 0;      // the block in use
  std::byte* free_ = nullptr;  // what of it is free,
  std::byte* end_ = nullptr;   // and where it ends; both null: none is yet
  int growths_ = 0;
};

}  // namespace sinew
