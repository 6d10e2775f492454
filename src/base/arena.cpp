#include "base/arena.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sinew {
namespace {

constexpr std::size_t kLine = 64;  ///< as Arena::kAlignment
constexpr std::size_t kSmallestBlock = std::size_t{1} << 12;
/// A step sweeps over all of a large block again and again. With pages of 4 KiB it would wait for their addresses as
/// long as for what is in them, so large blocks lie on pages of this size where the system has them.
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t roundUp(std::size_t bytes, std::size_t unit = kLine) { return (bytes + unit - 1) / unit * unit; }

std::size_t alignmentOf(std::size_t size) { return size >= 2 * kHugePage ? kHugePage : kLine; }

/// Where a block of `size` bytes begins in its memory, which has room for its alignment, too.
std::byte* beginOf(const std::unique_ptr<std::byte[]>& memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.get());
  return memory.get() + (roundUp(address, alignmentOf(size)) - address);
}

std::unique_ptr<std::byte[]> allocate(std::size_t size) {
  std::unique_ptr<std::byte[]> memory = std::make_unique_for_overwrite<std::byte[]>(size + alignmentOf(size));
#ifdef MADV_HUGEPAGE
  // a wish: whether it is granted changes no result
  if (alignmentOf(size) == kHugePage) madvise(beginOf(memory, size), size, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

void Arena::reserve(std::size_t bytes) {
  if (!blocks_.empty() && blocks_.front().size >= bytes) return;
  blocks_.clear();
  const std::size_t size = std::max(roundUp(bytes), kSmallestBlock);
  blocks_.push_back({allocate(size), size});
  useBlock(0);
}

void Arena::settle() {
  // a question that a callback asks in the middle of a step ends here, too: what the step has taken stays
  const bool isEmpty = end_ == nullptr || (block_ == 0 && free_ == beginOf(blocks_[0].memory, blocks_[0].size));
  if (!isEmpty) return;
  if (blocks_.size() > 1) reserve(capacity());
  if (blocks_.size() == 1) useBlock(0);  // also where the outermost scope began before it was there
}

void Arena::useBlock(std::size_t block) {
  block_ = block;
  free_ = beginOf(blocks_[block].memory, blocks_[block].size);
  end_ = free_ + blocks_[block].size;
}

void* Arena::takeFromNext(std::size_t size) {
  std::size_t next = end_ == nullptr ? 0 : block_ + 1;  // a scope may have begun before the first block was there
  while (next < blocks_.size() && blocks_[next].size < size) ++next;
  if (next == blocks_.size()) {
    const std::size_t grown = std::max({size, kSmallestBlock, capacity()});
    blocks_.push_back({allocate(grown), grown});
    ++growths_;
  }
  useBlock(next);
  std::byte* const taken = free_;
  free_ += size;
  return taken;
}

void Arena::swap(Arena& other) noexcept {
  std::swap(blocks_, other.blocks_);
  std::swap(block_, other.block_);
  std::swap(free_, other.free_);
  std::swap(end_, other.end_);
  std::swap(growths_, other.growths_);
}

}  // namespace sinew
