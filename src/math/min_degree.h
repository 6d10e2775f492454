#pragma once

#include <span>

#include "sinew/arena.h"

namespace sinew {

/// Symmetric graph on n vertices as bit rows.
class BitGraph {
 public:
  BitGraph(int n, Arena& arena);

  int size() const { return n_; }
  int words() const { return words_; }
  void connect(int i, int j) {
    set(i, j);
    set(j, i);
  }
  bool connected(int i, int j) const { return (row(i)[j >> 6] >> (j & 63) & 1) != 0; }
  unsigned long long* row(int i) { return bits_.data() + static_cast<std::ptrdiff_t>(i) * words_; }
  const unsigned long long* row(int i) const { return bits_.data() + static_cast<std::ptrdiff_t>(i) * words_; }

 private:
  void set(int i, int j) { row(i)[j >> 6] |= 1ull << (j & 63); }
  int n_;
  int words_;
  std::span<unsigned long long> bits_;
};

/// Elimination order that keeps fill-in low: always the vertex with the smallest weighted degree next, the lowest
/// number among equals [Tinney and Walker 1967]. order[k] is the vertex eliminated k-th. Afterwards row order[k] of the
/// graph holds the vertices that are eliminated later and belong to its column of the factor.
void minimumDegree(BitGraph& graph, std::span<const int> weight, std::span<int> order, Arena& scratch);

}  // namespace sinew
