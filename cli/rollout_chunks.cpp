#include "rollout_chunks.h"

#include <algorithm>

namespace sinew::cli {
namespace {

/// A chunk has at most one part in kTailShare of what is left. With as many workers as that, the last ones are as long
/// as a worker's part of the runs that are left when they are handed out; with fewer, shorter.
constexpr std::int64_t kTailShare = 32;

}  // namespace

Chunks Chunks::equal(std::int64_t runs, std::int64_t size) {
  Chunks c;
  c.runs_ = runs;
  c.size_ = size;
  c.full_ = runs / size;
  if (c.full_ * size < runs) c.tail_.push_back(c.full_ * size);
  return c;
}

Chunks Chunks::shrinking(std::int64_t runs, std::int64_t size) {
  Chunks c;
  c.runs_ = runs;
  c.size_ = size;
  c.isShrinking_ = true;
  // (left + kTailShare - 1) / kTailShare >= size as long as left > kTailShare (size - 1)
  c.full_ = std::max<std::int64_t>(0, runs - kTailShare * (size - 1) + size - 1) / size;
  c.full_ = std::min(c.full_, runs / size);
  for (std::int64_t first = c.full_ * size; first < runs;) {
    c.tail_.push_back(first);
    first += std::min(size, (runs - first + kTailShare - 1) / kTailShare);
  }
  return c;
}

std::int64_t Chunks::count() const { return full_ + static_cast<std::int64_t>(tail_.size()); }

std::int64_t Chunks::first(std::int64_t c) const {
  if (c < full_) return c * size_;
  const std::int64_t k = c - full_;
  return k < static_cast<std::int64_t>(tail_.size()) ? tail_[static_cast<std::size_t>(k)] : runs_;
}

std::int64_t Chunks::partBegin(std::int64_t index, std::int64_t parts) const {
  // index runs / parts, rounded up, without leaving the range of numbers
  const std::int64_t rest = runs_ % parts * index;
  const std::int64_t run = runs_ / parts * index + rest / parts + (rest % parts > 0 ? 1 : 0);
  std::int64_t low = 0, high = count();  // the first chunk that begins there or later
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (first(middle) < run) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace sinew::cli
