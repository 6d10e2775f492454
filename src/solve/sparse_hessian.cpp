#include "solve/sparse_hessian.h"

#include <algorithm>
#include <cmath>

#include "solve/block_product.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isCone(const RowBlock& block, const RowState* state) {
  return block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone;
}

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

const FactorPlan& PlanMemory::planForFixed(const LowerRows& A, std::span<const int> nodes, Arena& scratch) {
  if (!places_.empty() || A.n == 0) return base_;
  addMatrix(A, nodes);
  base_.makeFor(wanted_, scratch);
  const int begin = A.rowadr[0];
  places_.resize(at(A.rowadr[A.n - 1] + A.rownnz[A.n - 1] - begin));
  for (int i = 0; i < A.n; ++i) {
    for (int k = A.rowadr[i]; k < A.rowadr[i] + A.rownnz[i]; ++k)
      places_[at(k - begin)] = base_.placeOf(i, A.colind[k]);
  }
  return base_;
}

std::size_t PlanMemory::makeBase(const ConstraintProblem& p, Arena& scratch) {
  addMatrix(p.metric->lower(), p.nodes);
  std::size_t rest = 0;
  for (; rest < p.blocks.size() && p.blocks[rest].kind == BlockKind::Equality; ++rest) {
    wanted_.addClique(p.columns.data() + p.blocks[rest].column, p.blocks[rest].ncol);
  }
  if (!base_.isFor(wanted_)) {
    base_.makeFor(wanted_, scratch);
  }
  return rest;
}

double PlanMemory::baseFlops(const ConstraintProblem& p, Arena& scratch) {
  makeBase(p, scratch);
  return base_.flops();
}

const FactorPlan& PlanMemory::planFor(const ConstraintProblem& p, Arena& scratch) {
  const std::size_t rest = makeBase(p, scratch);
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
      base_(arena.take<double>(plan.entries())),
      matrices_(arena.take<double>(plan.entries())),
      diagInv_(arena.take<double>(n_)),
      maker_(plan, matrices_, diagInv_),
      factor_(plan, matrices_, diagInv_, arena.take<double>(plan.largestFront())),
      dirty_(arena.zeros<std::uint8_t>(static_cast<std::ptrdiff_t>(plan.fronts().size()))),
      local_(arena.take<int>(n_)) {
  gatherElements(arena);
  findPlaces(arena);
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
  home_ = home.subspan(count - at(blocks));
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

void SparseHessian::findPlaces(Arena& arena) {
  columnOrder_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.columns.size()));
  place_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.columns.size()));
  for (std::size_t f = 0; f < plan_.fronts().size(); ++f) {
    numberLocally(plan_.fronts()[f]);
    for (int e = elementAdr_[f]; e < elementAdr_[f + 1]; ++e) {
      if (elements_[at(e)].row >= 0) continue;
      const RowBlock& block = p_.blocks[at(~elements_[at(e)].row)];
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

void SparseHessian::numberLocally(const FactorPlan::Front& front) {
  const int* dof = plan_.dofsOf(front);
  for (int k = 0; k < front.size; ++k) local_[at(dof[k])] = k;
}

void SparseHessian::addBlock(int b, const double* W, double* F) const {
  const RowBlock& block = p_.blocks[at(b)];
  addBlockProduct(block, p_.values.data() + block.value, W, columnOrder_.data() + block.column,
                  place_.data() + block.column, plan_.fronts()[at(home_[at(b)])].size, F);
}

void SparseHessian::assemble(const double* r, const RowState* state) {
  std::fill(base_.begin(), base_.end(), 0.0);
  const LowerRows A = p_.metric->lower();
  double W[kMaxBasis * kMaxBasis];
  for (std::size_t f = 0; f < plan_.fronts().size(); ++f) {
    const FactorPlan::Front& front = plan_.fronts()[f];
    const int m = front.size;
    double* F = base_.data() + front.matrix;
    numberLocally(front);
    for (int e = elementAdr_[f]; e < elementAdr_[f + 1]; ++e) {
      const Element& element = elements_[at(e)];
      if (element.row < 0) {
        const RowBlock& block = p_.blocks[at(~element.row)];
        if (!isCone(block, state) && blockWeights(p_, block, r, state, W)) addBlock(~element.row, W, F);
        continue;
      }
      const int i = local_[at(element.row)];
      for (int k = element.begin; k < element.end; ++k) {
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
    addBlock(b, W, base_.data() + plan_.fronts()[at(home_[at(b)])].matrix);
  }
  factorDirty(r, state);
}

void SparseHessian::factorDirty(const double* r, const RowState* state) {
  double W[kMaxBasis * kMaxBasis];
  for (std::size_t f = 0; f < plan_.fronts().size(); ++f) {
    if (!dirty_[f]) continue;
    dirty_[f] = 0;
    const FactorPlan::Front& front = plan_.fronts()[f];
    if (front.parent >= 0) markDirty(front.parent);
    const std::ptrdiff_t m = front.size;
    double* F = maker_.matrix(front);
    std::copy_n(base_.data() + front.matrix, m * m, F);
    for (int e = elementAdr_[f]; e < elementAdr_[f + 1]; ++e) {
      const int b = ~elements_[at(e)].row;
      if (b >= 0 && isCone(p_.blocks[at(b)], state) && blockWeights(p_, p_.blocks[at(b)], r, state, W)) {
        addBlock(b, W, F);
      }
    }
    maker_.eliminate(front);
  }
}

void SparseHessian::solve(const double* x, double* y) const {
  if (y != x) std::copy_n(x, n_, y);
  factor_.solve(y);
}

}  // namespace sinew::solve
