#include "sinew/arena.h"

#include <algorithm>
#include <cstdint>

namespace sinew {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestBlock = std::size_t{1} << 16;

std::size_t roundUp(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

std::byte* aligned(std::byte* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p + (roundUp(address) - address);
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
  blocks_.push_back({std::make_unique<std::byte[]>(size + kAlignment), size});
}

void Arena::settle() {
  if (blocks_.size() > 1) reserve(capacity());
}

void* Arena::takeBytes(std::size_t bytes) {
  const std::size_t size = roundUp(bytes);
  while (block_ < blocks_.size()) {
    Block& block = blocks_[block_];
    if (used_ + size <= block.size) {
      std::byte* p = aligned(block.memory.get()) + used_;
      used_ += size;
      return p;
    }
    ++block_;
    used_ = 0;
  }
  const std::size_t grown = std::max({size, kSmallestBlock, capacity()});
  blocks_.push_back({std::make_unique<std::byte[]>(grown + kAlignment), grown});
  ++growths_;
  block_ = blocks_.size() - 1;
  used_ = size;
  return aligned(blocks_.back().memory.get());
}

}  // namespace sinew
