#include "solve/sparse_hessian.h"

#include <algorithm>
#include <cmath>

#include "math/types.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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

const FactorPlan& PlanMemory::planFor(const ConstraintProblem& p, Arena& scratch) {
  const LowerRows A = p.metric->lower();
  wanted_.begin(p.nodes);
  for (std::size_t v = 0; v + 1 < p.nodes.size(); ++v) {
    const int last = p.nodes[v + 1] - 1;  // the last row of a node reaches as far as any of its rows
    wanted_.addClique(A.colind + A.rowadr[last], A.rownnz[last]);
  }
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
      factor_(arena.take<double>(plan.panelSize())),
      diagInv_(arena.take<double>(n_)),
      work_(arena.take<double>(plan.largestFront())),
      updates_(arena.take<double>(plan.deepestStack())),
      pending_(arena.take<int>(static_cast<std::ptrdiff_t>(plan.fronts().size()))),
      local_(arena.take<int>(n_)),
      x_(arena.take<double>(n_)) {
  gatherElements(arena);
}

void SparseHessian::gatherElements(Arena& arena) {
  // counting sort of the rows of A and the blocks by the front of their column eliminated first
  const LowerRows A = p_.metric->lower();
  const int blocks = static_cast<int>(p_.blocks.size());
  const std::span<int> home = arena.take<int>(n_ + blocks);
  for (int i = 0; i < n_; ++i) home[at(i)] = plan_.frontOf(A.colind + A.rowadr[i], A.rownnz[i]);
  for (int b = 0; b < blocks; ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    home[at(n_ + b)] = plan_.frontOf(p_.columns.data() + block.column, block.ncol);
  }
  elementAdr_ = arena.zeros<int>(static_cast<std::ptrdiff_t>(plan_.fronts().size()) + 2);
  for (const int f : home) ++elementAdr_[at(f + 2)];
  for (std::size_t f = 2; f < elementAdr_.size(); ++f) elementAdr_[f] += elementAdr_[f - 1];
  elements_ = arena.take<int>(n_ + blocks);
  for (int e = 0; e < n_ + blocks; ++e) {
    elements_[at(elementAdr_[at(home[at(e)] + 1)]++)] = e < n_ ? e : ~(e - n_);
  }
}

void SparseHessian::assembleFront(std::size_t f, const double* r, const RowState* state, double* F) const {
  const int m = plan_.fronts()[f].size;
  const auto add = [&](int a, int b, double value) {
    const int i = local_[at(a)], j = local_[at(b)];
    F[static_cast<std::ptrdiff_t>(std::min(i, j)) * m + std::max(i, j)] += value;
  };
  const LowerRows A = p_.metric->lower();
  double W[kMaxBasis * kMaxBasis], t[kMaxBasis];
  for (int e = elementAdr_[f]; e < elementAdr_[f + 1]; ++e) {
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
  const int* dof = plan_.dofsOf(child) + child.columns;
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
  const std::span<const Front> fronts = plan_.fronts();
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int* dof = plan_.dofsOf(front);
    const int m = front.size, c = front.columns, rest = m - c;
    for (int k = 0; k < m; ++k) local_[at(dof[k])] = k;
    double* F = work_.data();
    std::fill_n(F, static_cast<std::ptrdiff_t>(m) * m, 0.0);
    assembleFront(f, r, state, F);
    for (int k = 0; k < front.children; ++k) {
      const Front& child = fronts[at(pending_[--depth])];
      const std::ptrdiff_t size = child.size - child.columns;
      top -= size * size;
      extendAdd(child, updates_.data() + top, front, F);
    }
    if (front.parent >= 0) pending_[depth++] = static_cast<int>(f);
    factorFront(m, c, F, diagInv_.data() + plan_.position(dof[0]));
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
  const std::span<const Front> fronts = plan_.fronts();
  for (const Front& front : fronts) {
    const int* dof = plan_.dofsOf(front);
    const double* inverse = diagInv_.data() + plan_.position(dof[0]);
    for (int j = 0; j < front.columns; ++j) {
      const double* L = factor_.data() + front.panel + static_cast<std::ptrdiff_t>(j) * front.size;
      const double xj = x_[at(dof[j])] *= inverse[j];
      for (int i = j + 1; i < front.size; ++i) x_[at(dof[i])] -= L[i] * xj;
    }
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    const Front& front = fronts[f];
    const int* dof = plan_.dofsOf(front);
    const double* inverse = diagInv_.data() + plan_.position(dof[0]);
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
