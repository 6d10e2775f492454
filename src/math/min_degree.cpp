#include "math/min_degree.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "math/kernel.h"

namespace sinew {
namespace {

/// Calls f(j) for every set bit.
template <class F>
void forEachBit(const unsigned long long* row, int words, F&& f) {
  for (int w = 0; w < words; ++w) {
    for (unsigned long long bits = row[w]; bits != 0; bits &= bits - 1) f(64 * w + std::countr_zero(bits));
  }
}

/// Index of the least value, the first of equals. Two passes, because each runs in lanes.
SINEW_KERNEL int indexOfLeast(int n, const int* values) {
  int least = values[0];
  for (int i = 1; i < n; ++i) least = values[i] < least ? values[i] : least;
  int i = 0;
  while (values[i] != least) ++i;
  return i;
}

}  // namespace

BitGraph::BitGraph(int n, Arena& arena)
    : n_(n),
      words_((n + 63) / 64),
      bits_(arena.zeros<unsigned long long>(static_cast<std::ptrdiff_t>(n) * ((n + 63) / 64))) {}

void minimumDegree(BitGraph& graph, std::span<const int> weight, std::span<int> order, Arena& scratch) {
  const Arena::Scope scope(scratch);
  const int n = graph.size();
  const std::span<int> degree = scratch.take<int>(n);
  const std::span<int> neighbors = scratch.take<int>(n);
  const auto degreeOf = [&](int i) {
    int sum = 0;
    forEachBit(graph.row(i), graph.words(), [&](int j) { sum += weight[static_cast<std::size_t>(j)]; });
    return sum;
  };
  constexpr int kGone = std::numeric_limits<int>::max();
  for (int i = 0; i < n; ++i) degree[static_cast<std::size_t>(i)] = degreeOf(i);

  for (int k = 0; k < n; ++k) {
    const int v = indexOfLeast(n, degree.data());
    order[static_cast<std::size_t>(k)] = v;
    degree[static_cast<std::size_t>(v)] = kGone;
    std::size_t count = 0;
    forEachBit(graph.row(v), graph.words(), [&](int j) { neighbors[count++] = j; });
    // the neighbors become a clique without v
    for (const int i : neighbors.first(count)) {
      unsigned long long* row = graph.row(i);
      const unsigned long long* source = graph.row(v);
      unsigned long long added = 0;
      row[i >> 6] |= 1ull << (i & 63);  // that v touches i itself is nothing new
      for (int w = 0; w < graph.words(); ++w) {
        added |= source[w] & ~row[w];
        row[w] |= source[w];
      }
      row[i >> 6] &= ~(1ull << (i & 63));
      row[v >> 6] &= ~(1ull << (v & 63));
      int& mine = degree[static_cast<std::size_t>(i)];
      mine = added != 0 ? degreeOf(i) : mine - weight[static_cast<std::size_t>(v)];
    }
  }
}

}  // namespace sinew
