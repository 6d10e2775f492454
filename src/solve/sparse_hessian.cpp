#include "solve/sparse_hessian.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/min_degree.h"
#include "math/types.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Columns of one supernode may contain this share of explicit zeros, if merging it with its parent saves a front.
constexpr double kMergeZeros = 0.25;
constexpr int kMergeAlways = 12;  // dofs of a front below which merging is always worth it

/// Partial Cholesky: the first `columns` columns of the front F (m x m, column-major, lower) become the factor, the
/// rest the update. Left-looking within the columns, then one rank-`columns` update of the remainder.
void factorFront(int m, int columns, double* F, double* diagInv) {
  const auto column = [&](int j) { return F + static_cast<std::ptrdiff_t>(j) * m; };
  const auto subtract = [&](int j, int upTo) {
    double* c = column(j);
    int k = 0;
    for (; k + 4 <= upTo; k += 4) {
      const double *a0 = column(k), *a1 = column(k + 1), *a2 = column(k + 2), *a3 = column(k + 3);
      const double s0 = a0[j], s1 = a1[j], s2 = a2[j], s3 = a3[j];
      for (int i = j; i < m; ++i) c[i] = (((c[i] - a0[i] * s0) - a1[i] * s1) - a2[i] * s2) - a3[i] * s3;
    }
    for (; k < upTo; ++k) {
      const double* a = column(k);
      const double s = a[j];
      for (int i = j; i < m; ++i) c[i] -= a[i] * s;
    }
  };
  for (int j = 0; j < columns; ++j) {
    subtract(j, j);
    double* c = column(j);
    c[j] = std::sqrt(std::max(c[j], kMinVal));
    diagInv[j] = 1 / c[j];
    for (int i = j + 1; i < m; ++i) c[i] *= diagInv[j];
  }
  for (int j = columns; j < m; ++j) subtract(j, columns);
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

  // sizes of the factor, the largest front, and the stack of updates, on which the children of a front lie uppermost
  pending_ = arena.take<int>(static_cast<std::ptrdiff_t>(fronts_.size()));
  const auto updateSize = [&](int f) {
    const std::ptrdiff_t rest = fronts_[at(f)].size - fronts_[at(f)].columns;
    return rest * rest;
  };
  std::ptrdiff_t panel = 0, stack = 0, deepest = 0, largest = 0;
  std::size_t depth = 0;
  for (int f = 0; f < static_cast<int>(fronts_.size()); ++f) {
    Front& front = fronts_[at(f)];
    const std::ptrdiff_t m = front.size, c = front.columns;
    front.panel = static_cast<int>(panel);
    panel += m * c;
    largest = std::max(largest, m * m);
    for (int child = 0; child < front.children; ++child) stack -= updateSize(pending_[--depth]);
    if (front.parent >= 0) pending_[depth++] = f;
    stack += updateSize(f);
    deepest = std::max(deepest, stack);
    for (std::ptrdiff_t k = 0; k < c; ++k) flops_ += 0.5 * static_cast<double>((m - k) * (m - k));
  }
  factor_ = arena.take<double>(panel);
  work_ = arena.take<double>(largest);
  updates_ = arena.take<double>(deepest);
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
  for (Front& front : fronts_) {
    front.parent = front.size > front.columns ? frontOf_[at(dofs_[at(front.dof + front.columns)])] : -1;
    front.element = front.elements = 0;
    if (front.parent >= 0) ++fronts_[at(front.parent)].children;
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

void SparseHessian::assembleFront(const Front& front, const double* r, const RowState* state, double* F) const {
  const int m = front.size;
  const auto add = [&](int a, int b, double value) {
    const int i = local_[at(a)], j = local_[at(b)];
    F[static_cast<std::ptrdiff_t>(std::min(i, j)) * m + std::max(i, j)] += value;
  };
  const LowerRows A = p_.metric->lower();
  double W[kMaxBasis * kMaxBasis], t[kMaxBasis];
  for (int e = front.element; e < front.element + front.elements; ++e) {
    const int element = elements_[at(e)];
    if (element >= 0) {
      for (int k = A.rowadr[element]; k < A.rowadr[element] + A.rownnz[element]; ++k) {
        add(element, A.colind[k], A.value[k]);
      }
      continue;
    }
    const RowBlock& block = p_.blocks[at(~element)];
    if (!blockWeights(p_, block, r, state, W)) continue;
    const int nb = block.nbasis, nc = block.ncol;
    const double* B = p_.values.data() + block.value;
    const int* column = p_.columns.data() + block.column;
    for (int j = 0; j < nc; ++j) {
      for (int a = 0; a < nb; ++a) {
        double sum = 0;
        for (int b = 0; b < nb; ++b) sum += W[a * nb + b] * B[b * nc + j];
        t[a] = sum;
      }
      for (int i = j; i < nc; ++i) {
        double value = 0;
        for (int a = 0; a < nb; ++a) value += B[a * nc + i] * t[a];
        add(column[i], column[j], value);
      }
    }
  }
}

void SparseHessian::extendAdd(const Front& child, const double* update, const Front& parent, double* F) const {
  const int rest = child.size - child.columns, m = parent.size;
  const int* dof = dofs_.data() + child.dof + child.columns;
  for (int j = 0; j < rest; ++j) {
    const int lj = local_[at(dof[j])];  // the order of the child's rows is that of the parent's, so li >= lj
    double* target = F + static_cast<std::ptrdiff_t>(lj) * m;
    const double* source = update + static_cast<std::ptrdiff_t>(j) * rest;
    for (int i = j; i < rest; ++i) target[local_[at(dof[i])]] += source[i];
  }
}

void SparseHessian::assemble(const double* r, const RowState* state) {
  std::ptrdiff_t top = 0;  // of the stack of updates
  std::size_t depth = 0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    const int m = front.size, c = front.columns, rest = m - c;
    for (int k = 0; k < m; ++k) local_[at(dofs_[at(front.dof + k)])] = k;
    double* F = work_.data();
    std::fill_n(F, static_cast<std::ptrdiff_t>(m) * m, 0.0);
    assembleFront(front, r, state, F);
    for (int k = 0; k < front.children; ++k) {
      const Front& child = fronts_[at(pending_[--depth])];
      const std::ptrdiff_t size = child.size - child.columns;
      top -= size * size;
      extendAdd(child, updates_.data() + top, front, F);
    }
    if (front.parent >= 0) pending_[depth++] = static_cast<int>(f);
    factorFront(m, c, F, diagInv_.data() + position_[at(dofs_[at(front.dof)])]);
    std::copy_n(F, static_cast<std::ptrdiff_t>(m) * c, factor_.data() + front.panel);
    for (int j = 0; j < rest; ++j) {
      const double* source = F + static_cast<std::ptrdiff_t>(c + j) * m + c;
      std::copy_n(source + j, rest - j, updates_.data() + top + static_cast<std::ptrdiff_t>(j) * rest + j);
    }
    top += static_cast<std::ptrdiff_t>(rest) * rest;
  }
}

void SparseHessian::solve(const double* x, double* y) const {
  std::copy_n(x, n_, x_.data());
  for (const Front& front : fronts_) {
    const int* dof = dofs_.data() + front.dof;
    const double* inverse = diagInv_.data() + position_[at(dof[0])];
    for (int j = 0; j < front.columns; ++j) {
      const double* L = factor_.data() + front.panel + static_cast<std::ptrdiff_t>(j) * front.size;
      const double xj = x_[at(dof[j])] *= inverse[j];
      for (int i = j + 1; i < front.size; ++i) x_[at(dof[i])] -= L[i] * xj;
    }
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const int* dof = dofs_.data() + front.dof;
    const double* inverse = diagInv_.data() + position_[at(dof[0])];
    for (int j = front.columns - 1; j >= 0; --j) {
      const double* L = factor_.data() + front.panel + static_cast<std::ptrdiff_t>(j) * front.size;
      double xj = x_[at(dof[j])];
      for (int i = j + 1; i < front.size; ++i) xj -= L[i] * x_[at(dof[i])];
      x_[at(dof[j])] = xj * inverse[j];
    }
  }
  std::copy_n(x_.data(), n_, y);
}

}  // namespace sinew::solve
