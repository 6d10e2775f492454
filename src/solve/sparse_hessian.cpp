#include "solve/sparse_hessian.h"

#include <algorithm>
#include <cmath>

#include "math/types.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void PlanMemory::addMatrix(const LowerRows& A, std::span<const int> nodes) {
  wanted_.begin(nodes);
  for (std::size_t v = 0; v + 1 < nodes.size(); ++v) {
    const int last = nodes[v + 1] - 1;  // the last row of a node reaches as far as any of its rows
    if (last < A.treeRows) {
      wanted_.addClique(A.colind + A.rowadr[last], A.rownnz[last]);
      continue;
    }
    int group = -1;  // one pair per node, not per dof
    for (int k = A.rowadr[last]; k < A.rowadr[last] + A.rownnz[last]; ++k) {
      if (wanted_.groupOf(A.colind[k]) == group) continue;
      group = wanted_.groupOf(A.colind[k]);
      wanted_.addPair(A.colind[k], last);
    }
  }
}

const FactorPlan& PlanMemory::planFor(const LowerRows& A, std::span<const int> nodes, Arena& scratch) {
  addMatrix(A, nodes);
  if (!base_.isFor(wanted_)) base_.makeFor(wanted_, scratch);
  return base_;
}

const FactorPlan& PlanMemory::planFor(const ConstraintProblem& p, Arena& scratch) {
  addMatrix(p.metric->lower(), p.nodes);
  std::size_t rest = 0;
  for (; rest < p.blocks.size() && p.blocks[rest].kind == BlockKind::Equality; ++rest) {
    wanted_.addClique(p.columns.data() + p.blocks[rest].column, p.blocks[rest].ncol);
  }
  if (!base_.isFor(wanted_)) {
    base_.makeFor(wanted_, scratch);
  }
  const auto held = [&](const RowBlock& block) { return base_.holds(p.columns.data() + block.column, block.ncol); };
  const auto others = p.blocks.subspan(rest);
  if (std::all_of(others.begin(), others.end(), held)) return base_;

  for (const RowBlock& block : others) wanted_.addClique(p.columns.data() + block.column, block.ncol);
  if (!full_.isFor(wanted_)) {
    full_.makeFor(wanted_, scratch);
  }
  return full_;
}

SparseHessian::SparseHessian(const ConstraintProblem& p, const FactorPlan& plan, Arena& arena)
    : p_(p),
      plan_(plan),
      n_(p.dofs()),
      arena_(arena),
      factor_(plan, arena.take<double>(plan.panelSize()), arena.take<double>(n_)) {
  gatherElements(arena);
}

void SparseHessian::gatherElements(Arena& arena) {
  // rows of trees as a whole, other rows node by node, and blocks
  const LowerRows A = p_.metric->lower();
  const int blocks = static_cast<int>(p_.blocks.size());
  const int entries = n_ > 0 ? A.rowadr[n_ - 1] + A.rownnz[n_ - 1] : 0;
  const int most = A.treeRows + (n_ == A.treeRows ? 0 : entries - A.rowadr[A.treeRows]) + blocks;
  const std::span<Element> all = arena.take<Element>(most);
  std::size_t count = 0;
  for (int i = 0; i < n_; ++i) {
    const int end = A.rowadr[i] + A.rownnz[i];
    if (i < A.treeRows) {
      all[count++] = {i, A.rowadr[i], end};
      continue;
    }
    for (int k = A.rowadr[i]; k < end;) {
      int last = k + 1;
      while (last < end && plan_.groupOf(A.colind[last]) == plan_.groupOf(A.colind[k])) ++last;
      all[count++] = {i, k, last};
      k = last;
    }
  }
  for (int b = 0; b < blocks; ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    all[count++] = {~b, block.column, block.column + block.ncol};
  }

  // counting sort by the front of their column eliminated first
  const std::span<int> home = arena.take<int>(static_cast<std::ptrdiff_t>(count));
  elementAdr_ = arena.zeros<int>(static_cast<std::ptrdiff_t>(plan_.fronts().size()) + 2);
  for (std::size_t e = 0; e < count; ++e) {
    const Element& element = all[e];
    const int* columns = (element.row < 0 ? p_.columns.data() : A.colind) + element.begin;
    home[e] = plan_.frontOf(columns, element.end - element.begin);
    // a run of columns of row i does not contain i itself
    if (element.row >= A.treeRows) home[e] = std::min(home[e], plan_.frontOf(&element.row, 1));
    ++elementAdr_[at(home[e] + 2)];
  }
  for (std::size_t f = 2; f < elementAdr_.size(); ++f) elementAdr_[f] += elementAdr_[f - 1];
  elements_ = arena.take<Element>(static_cast<std::ptrdiff_t>(count));
  for (std::size_t e = 0; e < count; ++e) elements_[at(elementAdr_[at(home[e] + 1)]++)] = all[e];
}

void SparseHessian::assembleFront(std::size_t f, const double* r, const RowState* state, const int* local,
                                  double* F) const {
  const int m = plan_.fronts()[f].size;
  const auto add = [&](int a, int b, double value) {
    const int i = local[a], j = local[b];
    F[static_cast<std::ptrdiff_t>(std::min(i, j)) * m + std::max(i, j)] += value;
  };
  const LowerRows A = p_.metric->lower();
  double W[kMaxBasis * kMaxBasis], t[kMaxBasis];
  for (int e = elementAdr_[f]; e < elementAdr_[f + 1]; ++e) {
    const Element& element = elements_[at(e)];
    if (element.row >= 0) {
      for (int k = element.begin; k < element.end; ++k) add(element.row, A.colind[k], A.value[k]);
      continue;
    }
    const RowBlock& block = p_.blocks[at(~element.row)];
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

void SparseHessian::assemble(const double* r, const RowState* state) {
  factor_.factor([&](std::size_t f, const int* local, double* F) { assembleFront(f, r, state, local, F); }, arena_);
}

void SparseHessian::solve(const double* x, double* y) const {
  if (y != x) std::copy_n(x, n_, y);
  factor_.solve(y);
}

}  // namespace sinew::solve
