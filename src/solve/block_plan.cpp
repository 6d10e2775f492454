#include "solve/block_plan.h"

#include <algorithm>

#include "base/arena.h"
#include "solve/costs.h"

namespace sinew::solve {
namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr int kStride = BlockMatrix::kStride;

int endOfColumns(std::span<const RowBlock> blocks) {
  return blocks.empty() ? 0 : blocks.back().column + blocks.back().ncol;
}

}  // namespace

int BlockPlan::placeColumns(const RowBlock& block, std::span<const int> columns, int* slot) const {
  int count = 0, last = -1;
  for (int c = 0; c < block.ncol; ++c) {
    const int lane = lane_[at(columns[at(block.column + c)])];
    if (lane / kStride != last) ++count;
    last = lane / kStride;
    slot[c] = kStride * (count - 1) + lane % kStride;
  }
  return count;
}

void BlockPlan::make(const LowerRows& A, std::span<const int> nodes, std::span<const RowBlock> blocks,
                     std::span<const int> columns, Arena& scratch) {
  const Arena::Scope scope(scratch);
  hasCoarse_ = false;
  // rows as they come
  lane_.resize(at(A.n));
  int rows = 0;
  for (std::size_t g = 0; g + 1 < nodes.size(); ++g) {
    const int size = nodes[g + 1] - nodes[g];
    for (int k = 0; k < size; ++k) lane_[at(nodes[g] + k)] = kStride * (rows + k / 3) + k % 3;
    rows += (size + 2) / 3;
  }

  // what is coupled
  slot_.resize(at(endOfColumns(blocks)));
  touchedNum_.resize(blocks.size());
  placeAdr_.resize(blocks.size() + 1);
  int places = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const int count = touchedNum_[b] = placeColumns(blocks[b], columns, slot_.data() + blocks[b].column);
    placeAdr_[b] = places;
    places += count * (count + 1) / 2;
  }
  placeAdr_.back() = places;
  place_.resize(at(places));
  const int entries = A.n > 0 ? A.rowadr[A.n - 1] + A.rownnz[A.n - 1] - A.rowadr[0] : 0;
  const std::span<BlockPattern::Pair> pairs = scratch.take<BlockPattern::Pair>(entries + places);
  std::size_t count = 0;
  for (int i = 0; i < A.n; ++i) {
    // the last dof of a row of blocks reaches as far as any of them
    if (i + 1 < A.n && lane_[at(i + 1)] / kStride == lane_[at(i)] / kStride) continue;
    int last = -1;
    for (int k = A.rowadr[i]; k < A.rowadr[i] + A.rownnz[i]; ++k) {
      const int column = lane_[at(A.colind[k])] / kStride;
      if (column != last) pairs[count++] = {lane_[at(i)] / kStride, column};
      last = column;
    }
  }
  const std::span<int> touched = scratch.take<int>(rows);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (int c = blocks[b].column; c < blocks[b].column + blocks[b].ncol; ++c) {
      touched[at(slot_[at(c)] / kStride)] = lane_[at(columns[at(c)])] / kStride;
    }
    for (int i = 0; i < touchedNum_[b]; ++i) {
      for (int j = 0; j < i; ++j) pairs[count++] = {touched[at(i)], touched[at(j)]};
    }
  }
  pattern_.make(rows, pairs.first(count), scratch);

  // the numbering of the pattern from here on
  const std::span<int> filled = scratch.zeros<int>(3 * std::ptrdiff_t{rows});
  for (int& lane : lane_) {
    lane = kStride * pattern_.rank(lane / kStride) + lane % kStride;
    filled[at(3 * (lane / kStride) + lane % kStride)] = 1;
  }
  const auto numberOf = [&](int lane1, int lane2) {
    return BlockMatrix::kSize * pattern_.find(lane1 / kStride, lane2 / kStride) + 3 * (lane1 % kStride) +
           lane2 % kStride;
  };
  filled_.clear();
  for (int i = 0; i < 3 * rows; ++i) {
    const int lane = kStride * (i / 3) + i % 3;
    if (!filled[at(i)]) filled_.push_back(numberOf(lane, lane));
  }
  entry_.clear();
  for (int i = 0; i < A.n; ++i) {
    const int row = lane_[at(i)] / kStride, within = 3 * (lane_[at(i)] % kStride);
    int column = -1, block = -1;  // columns come block by block
    for (int k = A.rowadr[i]; k < A.rowadr[i] + A.rownnz[i]; ++k) {
      const int lane = lane_[at(A.colind[k])];
      if (lane / kStride != column) {
        column = lane / kStride;
        block = BlockMatrix::kSize * pattern_.find(row, column);
      }
      entry_.push_back(block + within + lane % kStride);
    }
  }
  findPlaces(blocks, columns, this->places(), place_.data(), scratch);
}

void BlockPlan::makeCoarse(Arena& scratch) {
  if (pattern_.rows() < cost::kSmallestTwoLevel) return;
  coarse_.make(pattern_, scratch);
  hasCoarse_ = true;
}

void BlockPlan::set(const LowerRows& A, const BlockMaker& matrix) const {
  const std::span<double> out = matrix.value();
  std::fill(out.begin(), out.end(), 0.0);
  const double* value = A.n > 0 ? A.value + A.rowadr[0] : nullptr;
  for (std::size_t k = 0; k < entry_.size(); ++k) out[at(entry_[k])] = value[k];
  for (const int k : filled_) out[at(k)] = 1;
}

bool BlockPlan::holds(const RowBlock& block, std::span<const int> columns) const {
  // the last row that a block touches must be coupled to all the others, and so on
  for (int i = block.column; i < block.column + block.ncol; ++i) {
    const int row = lane_[at(columns[at(i)])] / kStride;
    if (i > block.column && row == lane_[at(columns[at(i - 1)])] / kStride) continue;
    for (int j = block.column; j < i; ++j) {
      const int column = lane_[at(columns[at(j)])] / kStride;
      if (j > block.column && column == lane_[at(columns[at(j - 1)])] / kStride) continue;
      if (column > row || pattern_.find(row, column) < 0) return false;
    }
  }
  return true;
}

void BlockPlan::findPlaces(std::span<const RowBlock> blocks, std::span<const int> columns, const BlockPlaces& known,
                           int* place, Arena& scratch) const {
  const Arena::Scope scope(scratch);
  const std::span<int> touched = scratch.take<int>(pattern_.rows());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (int c = blocks[b].column; c < blocks[b].column + blocks[b].ncol; ++c) {
      touched[at(known.slot[at(c - known.firstColumn)] / kStride)] = lane_[at(columns[at(c)])] / kStride;
    }
    for (int i = 0; i < known.touchedNum[b]; ++i) {
      for (int j = 0; j <= i; ++j) *place++ = pattern_.find(touched[at(i)], touched[at(j)]);
    }
  }
}

BlockPlaces BlockPlan::placesOf(std::span<const RowBlock> blocks, std::span<const int> columns, Arena& arena) const {
  const int firstColumn = blocks.empty() ? 0 : blocks[0].column;
  const std::span<int> slot = arena.take<int>(endOfColumns(blocks) - firstColumn);
  const std::span<int> touchedNum = arena.take<int>(static_cast<std::ptrdiff_t>(blocks.size()));
  const std::span<int> placeAdr = arena.take<int>(static_cast<std::ptrdiff_t>(blocks.size()) + 1);
  int places = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    touchedNum[b] = placeColumns(blocks[b], columns, slot.data() + blocks[b].column - firstColumn);
    placeAdr[b] = places;
    places += touchedNum[b] * (touchedNum[b] + 1) / 2;
  }
  placeAdr[blocks.size()] = places;
  const std::span<int> place = arena.take<int>(places);
  const BlockPlaces out{this->blocks(), firstColumn, slot, touchedNum, placeAdr, place};
  findPlaces(blocks, columns, out, place.data(), arena);
  return out;
}

}  // namespace sinew::solve
