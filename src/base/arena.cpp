#include "base/arena.h"

#include <algorithm>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace sinew {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 16;
/// A step sweeps over all of a large block again and again. With pages of 4 KiB it would wait for their addresses as
/// long as for what is in them, so large blocks lie on pages of this size where the system has them.
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t roundUp(std::size_t bytes, std::size_t unit = kAlignment) { return (bytes + unit - 1) / unit * unit; }

std::size_t alignmentOf(std::size_t size) { return size >= 2 * kHugePage ? kHugePage : kAlignment; }

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
  block_ = used_ = 0;
  const std::size_t size = std::max(roundUp(bytes), kSmallestBlock);
  blocks_.push_back({allocate(size), size});
}

void Arena::settle() {
  if (blocks_.size() > 1) reserve(capacity());
}

void* Arena::takeBytes(std::size_t bytes) {
  const std::size_t size = roundUp(bytes);
  while (block_ < blocks_.size()) {
    Block& block = blocks_[block_];
    if (used_ + size <= block.size) {
      std::byte* p = beginOf(block.memory, block.size) + used_;
      used_ += size;
      return p;
    }
    ++block_;
    used_ = 0;
  }
  const std::size_t grown = std::max({size, kSmallestBlock, capacity()});
  blocks_.push_back({allocate(grown), grown});
  ++growths_;
  block_ = blocks_.size() - 1;
  used_ = size;
  return beginOf(blocks_.back().memory, grown);
}

}  // namespace sinew
