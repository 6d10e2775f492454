#include "math/sparse/factor_plan.h"

#include <algorithm>

#include "base/arena.h"

namespace sinew::sparse {
namespace {

/// Columns of one supernode may contain this share of explicit zeros, if merging it with its parent saves a front.
constexpr double kMergeZeros = 0.25;
constexpr int kMergeAlways = 12;  // dofs of a front below which merging is always worth it

/// Patterns change a little from step to step: a list that is nearly full gets room for half as much again, so that the
/// next one needs no memory.
template <class T>
void spare(std::vector<T>& list) {
  if (list.capacity() < list.size() + list.size() / 4) list.reserve(list.size() + list.size() / 2);
}

}  // namespace

void FactorPlan::begin(std::span<const int> groupAdr) {
  made_ = false;
  groupAdr_.assign(groupAdr.begin(), groupAdr.end());
  groupOf_.resize(at(groupAdr.back()));
  for (std::size_t g = 0; g + 1 < groupAdr_.size(); ++g) {
    for (int i = groupAdr_[g]; i < groupAdr_[g + 1]; ++i) groupOf_[at(i)] = static_cast<int>(g);
  }
  cliqueAdr_.assign(1, 0);
  cliques_.clear();
}

void FactorPlan::addClique(const int* dofs, int count) {
  const std::size_t start = cliques_.size();
  for (int k = 0; k < count; ++k) {
    const int group = groupOf_[at(dofs[k])];
    if (cliques_.size() == start || cliques_.back() != group) cliques_.push_back(group);
  }
  const std::size_t last = cliqueAdr_.size() < 2 ? start : at(cliqueAdr_[cliqueAdr_.size() - 2]);
  const auto end = cliques_.begin() + static_cast<std::ptrdiff_t>(start);
  if (cliques_.size() < start + 2 ||
      std::equal(end, cliques_.end(), cliques_.begin() + static_cast<std::ptrdiff_t>(last), end)) {
    cliques_.resize(start);  // couples nothing, or what the last one does
  } else {
    cliqueAdr_.push_back(static_cast<int>(cliques_.size()));
  }
}

void FactorPlan::addPair(int dof1, int dof2) {
  const int pair[] = {dof1, dof2};
  addClique(pair, 2);
}

bool FactorPlan::isFor(const FactorPlan& pattern) const {
  return made_ && groupAdr_ == pattern.groupAdr_ && cliqueAdr_ == pattern.cliqueAdr_ && cliques_ == pattern.cliques_;
}

int FactorPlan::first(const int* dofs, int count) const {
  int best = dofs[0];
  for (int k = 1; k < count; ++k) {
    if (position_[at(dofs[k])] < position_[at(best)]) best = dofs[k];
  }
  return best;
}

bool FactorPlan::holds(const int* dofs, int count) const {
  const Front& front = fronts_[at(frontOf(dofs, count))];
  const auto begin = sortedRows_.begin() + front.dof, end = begin + front.size;
  int group = -1;
  for (int k = 0; k < count; ++k) {
    if (groupOf_[at(dofs[k])] == group) continue;
    group = groupOf_[at(dofs[k])];
    if (!std::binary_search(begin, end, position_[at(dofs[k])])) return false;
  }
  return true;
}

int FactorPlan::placeOf(const Front& front, int dof) const {
  const int position = position_[at(dof)];
  const auto begin = sortedRows_.begin() + front.dof;
  const int own = position - *begin;
  if (own < front.columns) return own;  // columns are eliminated one after the other
  return static_cast<int>(std::lower_bound(begin + front.columns, begin + front.size, position) - begin);
}

std::ptrdiff_t FactorPlan::placeOf(int dof1, int dof2) const {
  const int pair[] = {dof1, dof2};
  const Front& front = fronts_[at(frontOf(pair, 2))];
  const int a = placeOf(front, dof1), b = placeOf(front, dof2);
  return front.matrix + static_cast<std::ptrdiff_t>(std::min(a, b)) * front.size + std::max(a, b);
}

void FactorPlan::takePattern(const FactorPlan& pattern) {
  groupAdr_ = pattern.groupAdr_;
  groupOf_ = pattern.groupOf_;
  cliqueAdr_ = pattern.cliqueAdr_;
  cliques_ = pattern.cliques_;
}

void FactorPlan::makeFor(const FactorPlan& pattern, Arena& scratch) {
  takePattern(pattern);
  const Arena::Scope scope(scratch);
  minimumDegree(scratch);
  layOutFronts(scratch);
  keepSpare();
  made_ = true;
}

void FactorPlan::keepSpare() {
  spare(cliqueAdr_);
  spare(cliques_);
  spare(column_);
  spare(fronts_);
  spare(dofs_);
  spare(sortedRows_);
  spare(updates_);
  spare(updateNum_);
}

void FactorPlan::makeInOrder(const FactorPlan& pattern, const FactorPlan& order, int late, Arena& scratch) {
  takePattern(pattern);
  sequence_.clear();
  for (const bool last : {false, true}) {
    for (const int g : order.sequence_) {
      if ((g < late) == last) sequence_.push_back(g);
    }
  }
  const Arena::Scope scope(scratch);
  eliminateInSequence(scratch);
  layOutFronts(scratch);
  keepSpare();
  made_ = true;
}

// As below, with a known sequence: a clique is all that its first group needs to know, and the column of a group is a
// clique of the rest.
void FactorPlan::eliminateInSequence(Arena& scratch) {
  const int groups = static_cast<int>(groupAdr_.size()) - 1;
  const int cliques = static_cast<int>(cliqueAdr_.size()) - 1;
  const std::span<int> rank = scratch.take<int>(groups);
  for (int k = 0; k < groups; ++k) rank[at(sequence_[at(k)])] = k;
  // lists of cliques by their first group: given ones, then columns, as cliques + group
  const std::span<int> head = scratch.take<int>(groups), next = scratch.take<int>(cliques + groups);
  std::fill(head.begin(), head.end(), -1);
  const auto attach = [&](int clique, const int* member, int count) {
    int first = member[0];
    for (int k = 1; k < count; ++k) {
      if (rank[at(member[k])] < rank[at(first)]) first = member[k];
    }
    next[at(clique)] = head[at(first)];
    head[at(first)] = clique;
  };
  for (int c = cliques - 1; c >= 0; --c) {
    attach(c, cliques_.data() + cliqueAdr_[at(c)], cliqueAdr_[at(c + 1)] - cliqueAdr_[at(c)]);
  }
  const std::span<int> seen = scratch.take<int>(groups);
  std::fill(seen.begin(), seen.end(), -1);
  column_.clear();
  columnAdr_.assign(at(groups) * 2, 0);  // begin, end
  for (const int p : sequence_) {
    const std::size_t begin = column_.size();
    seen[at(p)] = p;
    const auto add = [&](int g) {
      if (seen[at(g)] == p) return;
      seen[at(g)] = p;
      column_.push_back(g);
    };
    for (int c = head[at(p)]; c >= 0; c = next[at(c)]) {
      if (c < cliques) {
        for (int k = cliqueAdr_[at(c)]; k < cliqueAdr_[at(c + 1)]; ++k) add(cliques_[at(k)]);
      } else {
        const std::size_t child = at(2 * (c - cliques));
        for (int k = columnAdr_[child]; k < columnAdr_[child + 1]; ++k) add(column_[at(k)]);
      }
    }
    const int count = static_cast<int>(column_.size() - begin);
    columnAdr_[at(2 * p)] = static_cast<int>(begin);
    columnAdr_[at(2 * p + 1)] = static_cast<int>(column_.size());
    if (count > 0) attach(cliques + p, column_.data() + begin, count);
  }
}

// The quotient graph: each remaining group is known by the cliques it is in. Eliminating group p replaces all cliques
// around p by one, their union without p, which is just the column of p in the factor. A group's degree is bounded by
// |union| + sum over its other cliques of what they have beyond the union; cliques within the union disappear.
void FactorPlan::minimumDegree(Arena& scratch) {
  const int groups = static_cast<int>(groupAdr_.size()) - 1;
  const int cliques = static_cast<int>(cliqueAdr_.size()) - 1;
  const auto weight = [&](int g) { return groupAdr_[at(g + 1)] - groupAdr_[at(g)]; };

  // clique c < cliques is given, clique cliques + g is the column of group g
  struct Clique {
    int begin, end;  // in cliques_ or column_
    int weight;
    bool given;
  };
  const std::span<Clique> clique = scratch.take<Clique>(cliques + groups);
  const std::span<int> beyond = scratch.take<int>(cliques + groups);
  const std::span<int> stamp = scratch.zeros<int>(cliques + groups);
  const std::span<int> listAdr = scratch.zeros<int>(groups + 1), listNum = scratch.zeros<int>(groups);
  const auto members = [&](const Clique& c) { return (c.given ? cliques_ : column_).data(); };
  for (int c = 0; c < cliques; ++c) {
    clique[at(c)] = {cliqueAdr_[at(c)], cliqueAdr_[at(c + 1)], 0, true};
    for (int k = clique[at(c)].begin; k < clique[at(c)].end; ++k) {
      clique[at(c)].weight += weight(cliques_[at(k)]);
      ++listAdr[at(cliques_[at(k)] + 1)];
    }
  }
  for (int g = 0; g < groups; ++g) listAdr[at(g + 1)] += listAdr[at(g)];
  const std::span<int> list = scratch.take<int>(listAdr[at(groups)]);
  for (int c = 0; c < cliques; ++c) {
    for (int k = clique[at(c)].begin; k < clique[at(c)].end; ++k) {
      const int g = cliques_[at(k)];
      list[at(listAdr[at(g)] + listNum[at(g)]++)] = c;
    }
  }

  // groups by degree in doubly linked lists
  const int most = groupAdr_.back() + 1;
  const std::span<int> head = scratch.take<int>(most), next = scratch.take<int>(groups),
                       previous = scratch.take<int>(groups), degree = scratch.take<int>(groups);
  std::fill(head.begin(), head.end(), -1);
  const auto link = [&](int g, int deg) {
    degree[at(g)] = std::min(deg, most - 1);
    int& h = head[at(degree[at(g)])];
    next[at(g)] = h;
    previous[at(g)] = -1;
    if (h >= 0) previous[at(h)] = g;
    h = g;
  };
  const auto unlink = [&](int g) {
    if (next[at(g)] >= 0) previous[at(next[at(g)])] = previous[at(g)];
    (previous[at(g)] >= 0 ? next[at(previous[at(g)])] : head[at(degree[at(g)])]) = next[at(g)];
  };
  for (int g = groups - 1; g >= 0; --g) {  // the lowest number first among equals
    int deg = 0;
    for (int k = 0; k < listNum[at(g)]; ++k) deg += clique[at(list[at(listAdr[at(g)] + k)])].weight - weight(g);
    link(g, deg);
  }

  const std::span<int> mark = scratch.zeros<int>(groups);  // 1: in the union, 2: gone
  sequence_.clear();
  column_.clear();
  columnAdr_.assign(at(groups) * 2, 0);  // begin, end
  int lowest = 0;
  for (int round = 1; round <= groups; ++round) {
    while (head[at(lowest)] < 0) ++lowest;
    const int p = head[at(lowest)];
    unlink(p);
    mark[at(p)] = 2;
    sequence_.push_back(p);

    // the union of the cliques around p
    const int begin = static_cast<int>(column_.size());
    int total = 0;
    for (int k = 0; k < listNum[at(p)]; ++k) {
      const int c = list[at(listAdr[at(p)] + k)];
      for (int e = clique[at(c)].begin; e < clique[at(c)].end; ++e) {
        const int g = members(clique[at(c)])[e];
        if (mark[at(g)] != 0) continue;
        mark[at(g)] = 1;
        column_.push_back(g);
        total += weight(g);
      }
      clique[at(c)].weight = -1;  // absorbed
    }
    const int end = static_cast<int>(column_.size());
    columnAdr_[at(2 * p)] = begin;
    columnAdr_[at(2 * p + 1)] = end;
    const int made = cliques + p;
    clique[at(made)] = {begin, end, total, false};

    // what the other cliques have beyond the union
    for (int e = begin; e < end; ++e) {
      const int g = column_[at(e)];
      mark[at(g)] = 0;
      for (int k = 0; k < listNum[at(g)]; ++k) {
        const int c = list[at(listAdr[at(g)] + k)];
        if (clique[at(c)].weight < 0) continue;
        if (stamp[at(c)] != round) {
          stamp[at(c)] = round;
          beyond[at(c)] = clique[at(c)].weight;
        }
        beyond[at(c)] -= weight(g);
      }
    }
    for (int e = begin; e < end; ++e) {
      const int g = column_[at(e)];
      unlink(g);
      int kept = 0, deg = total - weight(g);
      int* own = list.data() + listAdr[at(g)];
      for (int k = 0; k < listNum[at(g)]; ++k) {
        const int c = own[k];
        if (clique[at(c)].weight < 0 || beyond[at(c)] <= 0) continue;
        deg += beyond[at(c)];
        own[kept++] = c;
      }
      own[kept++] = made;  // there is room: at least the clique that led here is gone
      listNum[at(g)] = kept;
      // weights of the cliques it stays in include eliminated groups no more
      link(g, deg);
      lowest = std::min(lowest, degree[at(g)]);
    }
    // p leaves no other clique behind: all cliques around it were absorbed, so weights stay exact
  }
}

void FactorPlan::layOutFronts(Arena& scratch) {
  const int groups = static_cast<int>(groupAdr_.size()) - 1;
  const auto weight = [&](int g) { return groupAdr_[at(g + 1)] - groupAdr_[at(g)]; };
  const auto column = [&](int g) {
    return std::span<int>(column_).subspan(at(columnAdr_[at(2 * g)]),
                                           at(columnAdr_[at(2 * g + 1)] - columnAdr_[at(2 * g)]));
  };

  // elimination tree: the parent is the first of the later groups in the column
  const std::span<int> rank = scratch.take<int>(groups), parent = scratch.take<int>(groups);
  for (int k = 0; k < groups; ++k) rank[at(sequence_[at(k)])] = k;
  for (int g = 0; g < groups; ++g) {
    int best = -1;
    for (const int u : column(g)) {
      if (best < 0 || rank[at(u)] < rank[at(best)]) best = u;
    }
    parent[at(g)] = best;
  }

  // postorder, so that a child stands right before its parent whenever they can be merged
  const std::span<int> firstChild = scratch.take<int>(groups), nextSibling = scratch.take<int>(groups);
  std::fill(firstChild.begin(), firstChild.end(), -1);
  for (int k = groups - 1; k >= 0; --k) {
    const int v = sequence_[at(k)], up = parent[at(v)];
    if (up < 0) continue;
    nextSibling[at(v)] = firstChild[at(up)];
    firstChild[at(up)] = v;
  }
  const std::span<int> post = scratch.take<int>(groups), stack = scratch.take<int>(groups);
  int count = 0;
  for (int k = 0; k < groups; ++k) {
    const int root = sequence_[at(k)];
    if (parent[at(root)] >= 0) continue;
    int depth = 0;
    stack[0] = root;
    while (depth >= 0) {
      const int v = stack[at(depth)];
      if (firstChild[at(v)] >= 0) {
        stack[at(++depth)] = firstChild[at(v)];
        firstChild[at(v)] = nextSibling[at(firstChild[at(v)])];
      } else {
        post[at(count++)] = v;
        --depth;
      }
    }
  }
  for (int k = 0; k < groups; ++k) rank[at(post[at(k)])] = k;

  // supernodes: runs of the postorder in which each group is the parent of the one before, as long as the explicit
  // zeros that merging brings in stay few
  const std::span<int> later = scratch.take<int>(groups);
  for (int g = 0; g < groups; ++g) {
    later[at(g)] = 0;
    for (const int u : column(g)) later[at(g)] += weight(u);
  }
  fronts_.clear();
  dofs_.clear();
  position_.resize(at(groupAdr_.back()));
  frontOf_.resize(at(groupAdr_.back()));
  int position = 0;
  for (int k = 0; k < groups;) {
    int end = k + 1;
    int columns = weight(post[at(k)]);
    double useful = static_cast<double>(columns) * (columns + later[at(post[at(k)])]);
    for (; end < groups && parent[at(post[at(end - 1)])] == post[at(end)]; ++end) {
      const int v = post[at(end)];
      const int rest = later[at(v)];
      const double nextUseful = useful + static_cast<double>(weight(v)) * (weight(v) + rest);
      const double nextSize = static_cast<double>(columns + weight(v)) * (columns + weight(v) + rest);
      if (nextSize - nextUseful > kMergeZeros * nextSize && columns + weight(v) + rest > kMergeAlways) break;
      useful = nextUseful;
      columns += weight(v);
    }
    // dofs of the front: its own in postorder, then the later ones in postorder
    Front front;
    front.columns = columns;
    front.dof = static_cast<int>(dofs_.size());
    const auto append = [&](int g) {
      for (int i = groupAdr_[at(g)]; i < groupAdr_[at(g + 1)]; ++i) dofs_.push_back(i);
    };
    for (; k < end; ++k) {
      const int g = post[at(k)];
      append(g);
      for (int i = groupAdr_[at(g)]; i < groupAdr_[at(g + 1)]; ++i) {
        position_[at(i)] = position++;
        frontOf_[at(i)] = static_cast<int>(fronts_.size());
      }
    }
    const std::span<int> rows = column(post[at(end - 1)]);
    std::sort(rows.begin(), rows.end(), [&](int a, int b) { return rank[at(a)] < rank[at(b)]; });
    for (const int g : rows) append(g);
    front.size = static_cast<int>(dofs_.size()) - front.dof;
    fronts_.push_back(front);
  }
  sortedRows_.resize(dofs_.size());
  for (std::size_t i = 0; i < dofs_.size(); ++i) sortedRows_[i] = position_[at(dofs_[i])];

  entries_ = 0;
  largestFront_ = 0;
  flops_ = 0;
  for (int f = 0; f < static_cast<int>(fronts_.size()); ++f) {
    Front& front = fronts_[at(f)];
    const std::ptrdiff_t m = front.size;
    front.matrix = entries_;
    entries_ += m * front.columns;
    largestFront_ = std::max(largestFront_, front.size);
    for (std::ptrdiff_t j = 0; j < front.columns; ++j) flops_ += 0.5 * static_cast<double>((m - j) * (m - j));
    if (front.size > front.columns) front.parent = frontOf_[at(dofs_[at(front.dof + front.columns)])];
  }
  listUpdates();
}

void FactorPlan::listUpdates() {
  const auto forEach = [&](auto&& visit) {
    for (int f = 0; f < static_cast<int>(fronts_.size()); ++f) {
      const Front& front = fronts_[at(f)];
      for (int begin = front.columns; begin < front.size;) {
        const int target = frontOf_[at(dofs_[at(front.dof + begin)])];
        int end = begin + 1;
        while (end < front.size && frontOf_[at(dofs_[at(front.dof + end)])] == target) ++end;
        visit(target, Update{f, begin, end});
        begin = end;
      }
    }
  };
  updateNum_.assign(fronts_.size(), 0);
  forEach([&](int target, const Update&) { ++updateNum_[at(target)]; });
  int count = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    fronts_[f].update = count;
    count += updateNum_[f];
    updateNum_[f] = 0;
  }
  updates_.resize(at(count));
  forEach([&](int target, const Update& update) {
    updates_[at(fronts_[at(target)].update + updateNum_[at(target)]++)] = update;
  });
}

}  // namespace sinew::sparse
