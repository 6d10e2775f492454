#include "solve/sparse_hessian.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/dense_cholesky.h"
#include "math/min_degree.h"
#include "solve/block_product.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Columns of one supernode may contain this share of explicit zeros, if merging it with its parent saves a front.
constexpr double kMergeZeros = 0.25;
constexpr int kMergeAlways = 12;  // dofs of a front below which merging is always worth it

bool isCone(const RowBlock& block, const RowState* state) {
  return block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone;
}

}  // namespace

SparseHessian::SparseHessian(const ConstraintProblem& p, std::span<const int> nodeAdr, Arena& arena)
    : p_(p), n_(p.dofs()) {
  position_ = arena.take<int>(n_);
  frontOf_ = arena.take<int>(n_);
  diagInv_ = arena.take<double>(n_);
  local_ = arena.take<int>(n_);
  x_ = arena.take<double>(n_);
  order(nodeAdr, arena);
  gatherElements(arena);

  findPlaces(arena);

  std::ptrdiff_t entries = 0;
  int largest = 0;
  for (Front& front : fronts_) {
    const std::ptrdiff_t m = front.size;
    front.matrix = entries;
    entries += m * m;
    largest = std::max(largest, front.size);
    for (std::ptrdiff_t k = 0; k < front.columns; ++k) flops_ += 0.5 * static_cast<double>((m - k) * (m - k));
  }
  base_ = arena.take<double>(entries);
  factor_ = arena.take<double>(entries);
  frontX_ = arena.take<double>(largest);
  dirty_ = arena.zeros<std::uint8_t>(static_cast<std::ptrdiff_t>(fronts_.size()));
}

void SparseHessian::order(std::span<const int> nodeAdr, Arena& arena) {
  const int nodes = static_cast<int>(nodeAdr.size()) - 1;
  fronts_ = arena.take<Front>(nodes);  // at most; trimmed below
  const std::span<int> nodeOf = arena.take<int>(n_);
  const std::span<int> weight = arena.take<int>(nodes);
  for (int v = 0; v < nodes; ++v) {
    weight[at(v)] = nodeAdr[at(v + 1)] - nodeAdr[at(v)];
    for (int i = nodeAdr[at(v)]; i < nodeAdr[at(v + 1)]; ++i) nodeOf[at(i)] = v;
  }

  // who touches whom: every row of A and every block makes a clique
  BitGraph graph(nodes, arena);
  const std::span<int> clique = arena.take<int>(nodes);
  const auto connectAll = [&](const int* columns, int count) {
    std::size_t k = 0;
    for (int j = 0; j < count; ++j) {
      const int v = nodeOf[at(columns[j])];
      if (k == 0 || clique[k - 1] != v) clique[k++] = v;
    }
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < a; ++b) graph.connect(clique[a], clique[b]);
    }
  };
  const LowerRows A = p_.metric->lower();
  for (int v = 0; v < nodes; ++v) {
    const int last = nodeAdr[at(v + 1)] - 1;
    connectAll(A.colind + A.rowadr[last], A.rownnz[last]);
  }
  for (const RowBlock& block : p_.blocks) connectAll(p_.columns.data() + block.column, block.ncol);

  const std::span<int> sequence = arena.take<int>(nodes);
  minimumDegree(graph, weight, sequence, arena);

  // elimination tree: the parent is the first of the later neighbors
  const std::span<int> rank = arena.take<int>(nodes), parent = arena.take<int>(nodes);
  for (int k = 0; k < nodes; ++k) rank[at(sequence[at(k)])] = k;
  for (int v = 0; v < nodes; ++v) {
    int best = -1;
    const unsigned long long* row = graph.row(v);
    for (int w = 0; w < graph.words(); ++w) {
      for (unsigned long long bits = row[w]; bits != 0; bits &= bits - 1) {
        const int u = 64 * w + std::countr_zero(bits);
        if (best < 0 || rank[at(u)] < rank[at(best)]) best = u;
      }
    }
    parent[at(v)] = best;
  }

  // postorder, so that a child stands right before its parent whenever they can be merged
  const std::span<int> firstChild = arena.take<int>(nodes), nextSibling = arena.take<int>(nodes);
  std::fill(firstChild.begin(), firstChild.end(), -1);
  for (int k = nodes - 1; k >= 0; --k) {
    const int v = sequence[at(k)], up = parent[at(v)];
    if (up < 0) continue;
    nextSibling[at(v)] = firstChild[at(up)];
    firstChild[at(up)] = v;
  }
  const std::span<int> post = arena.take<int>(nodes), stack = arena.take<int>(nodes);
  int count = 0;
  for (int k = 0; k < nodes; ++k) {
    const int root = sequence[at(k)];
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
  for (int k = 0; k < nodes; ++k) rank[at(post[at(k)])] = k;

  // supernodes: runs of the postorder in which each node is the parent of the one before, as long as the explicit zeros
  // that merging brings in stay few
  const auto laterDofs = [&](int v) {
    int sum = 0;
    const unsigned long long* row = graph.row(v);
    for (int w = 0; w < graph.words(); ++w) {
      for (unsigned long long bits = row[w]; bits != 0; bits &= bits - 1) {
        sum += weight[at(64 * w + std::countr_zero(bits))];
      }
    }
    return sum;
  };
  std::size_t nfront = 0;
  int dofCount = 0;
  for (int k = 0; k < nodes;) {
    int end = k + 1;
    int columns = weight[at(post[at(k)])];
    double useful = columns * (columns + laterDofs(post[at(k)]));
    for (; end < nodes && parent[at(post[at(end - 1)])] == post[at(end)]; ++end) {
      const int v = post[at(end)];
      const int rest = laterDofs(v);
      const double nextUseful = useful + weight[at(v)] * (weight[at(v)] + rest);
      const double nextSize = (columns + weight[at(v)]) * static_cast<double>(columns + weight[at(v)] + rest);
      if (nextSize - nextUseful > kMergeZeros * nextSize && columns + weight[at(v)] + rest > kMergeAlways) break;
      useful = nextUseful;
      columns += weight[at(v)];
    }
    Front& front = fronts_[nfront++];
    front = {};
    front.columns = columns;
    front.size = columns + laterDofs(post[at(end - 1)]);
    front.dof = dofCount;
    dofCount += front.size;
    front.element = k;  // the run of nodes, until the elements are known
    front.elements = end;
    k = end;
  }
  fronts_ = fronts_.first(nfront);
  dofs_ = arena.take<int>(dofCount);

  // dofs of each front: its own in postorder, then the later ones in postorder
  const std::span<int> later = arena.take<int>(nodes);
  int position = 0;
  for (std::size_t f = 0; f < nfront; ++f) {
    Front& front = fronts_[f];
    int fill = front.dof;
    const auto append = [&](int v) {
      for (int i = nodeAdr[at(v)]; i < nodeAdr[at(v + 1)]; ++i) dofs_[at(fill++)] = i;
    };
    for (int k = front.element; k < front.elements; ++k) {
      const int v = post[at(k)];
      append(v);
      for (int i = nodeAdr[at(v)]; i < nodeAdr[at(v + 1)]; ++i) {
        position_[at(i)] = position++;
        frontOf_[at(i)] = static_cast<int>(f);
      }
    }
    const unsigned long long* row = graph.row(post[at(front.elements - 1)]);
    std::size_t count2 = 0;
    for (int w = 0; w < graph.words(); ++w) {
      for (unsigned long long bits = row[w]; bits != 0; bits &= bits - 1) {
        later[count2++] = 64 * w + std::countr_zero(bits);
      }
    }
    std::sort(later.begin(), later.begin() + static_cast<std::ptrdiff_t>(count2),
              [&](int a, int b) { return rank[at(a)] < rank[at(b)]; });
    for (std::size_t k = 0; k < count2; ++k) append(later[k]);
  }
  for (int f = 0; f < static_cast<int>(nfront); ++f) {
    Front& front = fronts_[at(f)];
    front.parent = front.size > front.columns ? frontOf_[at(dofs_[at(front.dof + front.columns)])] : -1;
    front.element = front.elements = 0;
    if (front.parent < 0) continue;
    front.sibling = fronts_[at(front.parent)].child;
    fronts_[at(front.parent)].child = f;
  }
}

void SparseHessian::gatherElements(Arena& arena) {
  // counting sort of the rows of A and the blocks by the front of their column eliminated first
  const LowerRows A = p_.metric->lower();
  const auto frontOfColumns = [&](const int* columns, int count) {
    int first = columns[0];
    for (int j = 1; j < count; ++j) {
      if (position_[at(columns[j])] < position_[at(first)]) first = columns[j];
    }
    return frontOf_[at(first)];
  };
  const int blocks = static_cast<int>(p_.blocks.size());
  const std::span<int> home = arena.take<int>(n_ + blocks);
  home_ = home.subspan(at(n_));
  for (int i = 0; i < n_; ++i) home[at(i)] = frontOfColumns(A.colind + A.rowadr[i], A.rownnz[i]);
  for (int b = 0; b < blocks; ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    home[at(n_ + b)] = frontOfColumns(p_.columns.data() + block.column, block.ncol);
  }
  for (const int f : home) ++fronts_[at(f)].elements;
  int start = 0;
  for (Front& front : fronts_) {
    front.element = start;
    start += front.elements;
    front.elements = 0;
  }
  elements_ = arena.take<int>(start);
  for (int e = 0; e < n_ + blocks; ++e) {
    Front& front = fronts_[at(home[at(e)])];
    elements_[at(front.element + front.elements++)] = e < n_ ? e : ~(e - n_);
  }
}

void SparseHessian::findPlaces(Arena& arena) {
  inParent_ = arena.take<int>(static_cast<std::ptrdiff_t>(dofs_.size()));
  columnOrder_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.columns.size()));
  place_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.columns.size()));
  for (const Front& front : fronts_) {
    for (int k = 0; k < front.size; ++k) local_[at(dofs_[at(front.dof + k)])] = k;
    for (int c = front.child; c >= 0; c = fronts_[at(c)].sibling) {
      const Front& child = fronts_[at(c)];
      for (int k = child.columns; k < child.size; ++k) {
        inParent_[at(child.dof + k)] = local_[at(dofs_[at(child.dof + k)])];
      }
    }
    for (int e = front.element; e < front.element + front.elements; ++e) {
      if (elements_[at(e)] >= 0) continue;
      const RowBlock& block = p_.blocks[at(~elements_[at(e)])];
      // columns come in a few growing runs, so insertion is quick
      int* place = place_.data() + block.column;
      int* order = columnOrder_.data() + block.column;
      for (int c = 0; c < block.ncol; ++c) {
        const int mine = local_[at(p_.columns[at(block.column + c)])];
        int k = c;
        for (; k > 0 && place[k - 1] > mine; --k) {
          place[k] = place[k - 1];
          order[k] = order[k - 1];
        }
        place[k] = mine;
        order[k] = c;
      }
    }
  }
}

void SparseHessian::addBlock(int b, const double* W, double* F) const {
  const RowBlock& block = p_.blocks[at(b)];
  addBlockProduct(block, p_.values.data() + block.value, W, columnOrder_.data() + block.column,
                  place_.data() + block.column, fronts_[at(home_[at(b)])].size, F);
}

void SparseHessian::extendAdd(const Front& child, const Front& parent, double* F) const {
  const int begin = child.columns, m = child.size;
  const int* place = inParent_.data() + child.dof;
  for (int j = begin; j < m; ++j) {
    // the order of the child's rows is that of the parent's, so the lower triangle goes into the lower triangle
    double* __restrict target = F + static_cast<std::ptrdiff_t>(place[j]) * parent.size;
    const double* __restrict source = factor_.data() + child.matrix + static_cast<std::ptrdiff_t>(j) * m;
    if (place[m - 1] - place[j] == m - 1 - j) {
      double* __restrict run = target + place[j] - j;
      for (int i = j; i < m; ++i) run[i] += source[i];
    } else {
      for (int i = j; i < m; ++i) target[place[i]] += source[i];
    }
  }
}

void SparseHessian::assemble(const double* r, const RowState* state) {
  std::fill(base_.begin(), base_.end(), 0.0);
  const LowerRows A = p_.metric->lower();
  double W[kMaxBasis * kMaxBasis];
  for (const Front& front : fronts_) {
    const int m = front.size;
    double* F = base_.data() + front.matrix;
    for (int k = 0; k < m; ++k) local_[at(dofs_[at(front.dof + k)])] = k;
    for (int e = front.element; e < front.element + front.elements; ++e) {
      const int element = elements_[at(e)];
      if (element < 0) {
        const RowBlock& block = p_.blocks[at(~element)];
        if (!isCone(block, state) && blockWeights(p_, block, r, state, W)) addBlock(~element, W, F);
        continue;
      }
      const int i = local_[at(element)];
      for (int k = A.rowadr[element]; k < A.rowadr[element] + A.rownnz[element]; ++k) {
        const int j = local_[at(A.colind[k])];
        F[static_cast<std::ptrdiff_t>(std::min(i, j)) * m + std::max(i, j)] += A.value[k];
      }
    }
  }
  std::fill(dirty_.begin(), dirty_.end(), std::uint8_t{1});
  factorDirty(r, state);
}

void SparseHessian::update(const double* r, const RowState* state, const RowState* before) {
  double W[kMaxBasis * kMaxBasis], old[kMaxBasis * kMaxBasis];
  for (int b = 0; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    const bool cone = isCone(block, state), wasCone = isCone(block, before);
    if (std::equal(state + block.row, state + block.row + block.nrow, before + block.row)) {
      if (cone) markDirty(home_[at(b)]);
      continue;
    }
    markDirty(home_[at(b)]);
    // weights of a cone live outside the base matrix: they count as zero here
    std::fill_n(W, block.nbasis * block.nbasis, 0.0);
    if (!cone) blockWeights(p_, block, r, state, W);
    if (!wasCone) {
      blockWeights(p_, block, r, before, old);
      for (int k = 0; k < block.nbasis * block.nbasis; ++k) W[k] -= old[k];
    }
    addBlock(b, W, base_.data() + fronts_[at(home_[at(b)])].matrix);
  }
  factorDirty(r, state);
}

void SparseHessian::factorDirty(const double* r, const RowState* state) {
  double W[kMaxBasis * kMaxBasis];
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    if (!dirty_[f]) continue;
    dirty_[f] = 0;
    const Front& front = fronts_[f];
    if (front.parent >= 0) markDirty(front.parent);
    const int m = front.size;
    const double* base = base_.data() + front.matrix;
    double* F = factor_.data() + front.matrix;
    std::copy_n(base, static_cast<std::ptrdiff_t>(m) * m, F);
    for (int e = front.element; e < front.element + front.elements; ++e) {
      const int b = ~elements_[at(e)];
      if (b >= 0 && isCone(p_.blocks[at(b)], state) && blockWeights(p_, p_.blocks[at(b)], r, state, W)) {
        addBlock(b, W, F);
      }
    }
    for (int c = front.child; c >= 0; c = fronts_[at(c)].sibling) extendAdd(fronts_[at(c)], front, F);
    partialCholesky(m, front.columns, F, diagInv_.data() + position_[at(dofs_[at(front.dof)])]);
  }
}

void SparseHessian::solve(const double* x, double* y) const {
  std::copy_n(x, n_, x_.data());
  const auto panel = [&](const Front& front, auto&& solvePanel) {
    const int* dof = dofs_.data() + front.dof;
    double* local = frontX_.data();
    for (int i = 0; i < front.size; ++i) local[i] = x_[at(dof[i])];
    solvePanel(front.size, front.columns, factor_.data() + front.matrix, diagInv_.data() + position_[at(dof[0])],
               local);
    return dof;
  };
  for (const Front& front : fronts_) {
    const int* dof = panel(front, forwardPanel);
    for (int i = 0; i < front.size; ++i) x_[at(dof[i])] = frontX_[at(i)];
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const int* dof = panel(fronts_[f], backwardPanel);
    for (int i = 0; i < fronts_[f].columns; ++i) x_[at(dof[i])] = frontX_[at(i)];
  }
  std::copy_n(x_.data(), n_, y);
}

}  // namespace sinew::solve
