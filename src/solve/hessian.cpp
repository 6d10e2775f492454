#include "solve/hessian.h"

#include <algorithm>
#include <cmath>

#include "math/dense_cholesky.h"
#include "math/sparse/block_product.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

bool isCone(const RowBlock& block, const RowState* state) {
  return block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone;
}

}  // namespace

DenseHessian::DenseHessian(const ConstraintProblem& p, Arena& arena)
    : p_(p),
      n_(p.dofs()),
      base_(arena.take<double>(static_cast<std::ptrdiff_t>(n_) * n_)),
      factor_(arena.take<double>(static_cast<std::ptrdiff_t>(n_) * n_)),
      inverseDiagonal_(arena.take<double>(n_)) {}

void DenseHessian::addBlock(const RowBlock& block, int nbasis, const double* W, double* H) const {
  const sparse::BlockPiece all{0, n_, 0, block.ncol, p_.columns.data() + block.column};
  sparse::addBlockProduct(nbasis, block.ncol, p_.values.data() + block.value, W, nullptr, {&all, 1}, H);
}

void DenseHessian::assemble(const double* r, const RowState* state, const double* dual) {
  std::fill(base_.begin(), base_.end(), 0.0);
  const LowerRows A = p_.metric->lower();
  for (int i = 0; i < n_; ++i) {
    for (int k = A.rowadr[i]; k < A.rowadr[i] + A.rownnz[i]; ++k) {
      base_[static_cast<std::size_t>(A.colind[k]) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(i)] =
          A.value[k];
    }
  }
  double W[kMaxBasis * kMaxBasis];
  for (std::size_t b = 0; b < p_.blocks.size();) {
    const RowBlock& block = p_.blocks[b];
    const int run = equalRun(p_, b);
    if (run > 1) {
      equalWeights(p_, block, run, W);
      addBlock(block, run, W, base_.data());
    } else if (!isCone(block, state) && blockWeights(p_, block, r, state, W, dual)) {
      addBlock(block, block.nbasis, W, base_.data());
    }
    b += static_cast<std::size_t>(std::max(1, run));
  }
  factorWithCones(r, state, dual);
}

void DenseHessian::update(const double* r, const RowState* state, const RowState* before, const double* dual) {
  double W[kMaxBasis * kMaxBasis], old[kMaxBasis * kMaxBasis];
  bool changed = false;
  for (const RowBlock& block : p_.blocks) {
    if (std::equal(state + block.row, state + block.row + block.nrow, before + block.row)) {
      changed = changed || isCone(block, state);
      continue;
    }
    changed = true;
    // weights of a cone live outside the base matrix: they count as zero here
    if (isCone(block, state)) {
      std::fill_n(W, block.nbasis * block.nbasis, 0.0);
    } else {
      blockWeights(p_, block, r, state, W, dual);
    }
    if (!isCone(block, before)) {
      blockWeights(p_, block, r, before, old);
      for (int k = 0; k < block.nbasis * block.nbasis; ++k) W[k] -= old[k];
    }
    addBlock(block, block.nbasis, W, base_.data());
  }
  if (changed) factorWithCones(r, state, dual);
}

void DenseHessian::factorWithCones(const double* r, const RowState* state, const double* dual) {
  std::copy(base_.begin(), base_.end(), factor_.begin());
  double W[kMaxBasis * kMaxBasis];
  for (const RowBlock& block : p_.blocks) {
    if (isCone(block, state) && blockWeights(p_, block, r, state, W, dual))
      addBlock(block, block.nbasis, W, factor_.data());
  }
  denseCholesky(n_, factor_.data(), inverseDiagonal_.data());
}

void DenseHessian::solve(const double* x, double* y) const {
  if (y != x) std::copy_n(x, n_, y);
  denseCholeskySolve(n_, factor_.data(), inverseDiagonal_.data(), y);
}

}  // namespace sinew::solve
