#include "solve/iterative_hessian.h"

#include <algorithm>
#include <cmath>

#include "math/kernel.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// shares of the predicted decrease
constexpr double kForcing = 1e-4;
constexpr double kRounding = 1e-20;
constexpr int kMostIterations = 500;
constexpr int kMostUnknown = 8;  // blocks whose weights changed after the incomplete factor was made
constexpr std::ptrdiff_t kWeights = kMaxBasis * kMaxBasis;
constexpr int kStride = BlockMatrix::kStride;

bool isCone(const RowBlock& block, const RowState* state) {
  return block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double s[4] = {};  // four sums that do not wait for each other
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) s[k] += a[i + k] * b[i + k];
  }
  double sum = (s[0] + s[2]) + (s[1] + s[3]);
  for (; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

IterativeHessian::IterativeHessian(const ConstraintProblem& p, Accuracy accuracy, Arena& arena)
    : p_(p), accuracy_(accuracy) {
  // rows that never change sides come first
  isQuadratic_ = p.blocks.empty() || p.blocks.back().kind == BlockKind::Equality;
  mapDofs(arena);
  makePattern(arena);
  for (std::span<double>& vector : padded_) vector = arena.zeros<double>(kStride * static_cast<std::ptrdiff_t>(rows_));
  solution_ = arena.take<double>(kStride * static_cast<std::ptrdiff_t>(rows_));
  coneWeights_ = arena.take<double>(kWeights * static_cast<std::ptrdiff_t>(p.cones.size()));
}

double IterativeHessian::predictedCost(const ConstraintProblem& p, Accuracy accuracy) {
  // some tens of iterations, each 36 multiplications per block that wait for memory; measured
  const double perBlock = accuracy == Accuracy::OfAFactor ? 1700 : 1000;
  const LowerRows A = p.metric->lower();
  double blocks = A.n > 0 ? (A.rowadr[A.n - 1] + A.rownnz[A.n - 1]) / 9.0 : 0;
  for (const RowBlock& block : p.blocks) {
    const int nodes = (block.ncol + 2) / 3;
    blocks += 0.5 * nodes * (nodes - 1);
  }
  return perBlock * (blocks + p.dofs() / 3.0);
}

void IterativeHessian::mapDofs(Arena& arena) {
  lane_ = arena.take<int>(p_.dofs());
  for (std::size_t g = 0; g + 1 < p_.nodes.size(); ++g) {
    const int size = p_.nodes[g + 1] - p_.nodes[g];
    for (int k = 0; k < size; ++k) lane_[at(p_.nodes[g] + k)] = kStride * (rows_ + k / 3) + k % 3;
    rows_ += (size + 2) / 3;
  }
}

int IterativeHessian::placeColumns(const RowBlock& block) {
  int count = 0, last = -1;
  for (int c = block.column; c < block.column + block.ncol; ++c) {
    const int lane = lane_[at(p_.columns[at(c)])];
    if (lane / kStride != last) ++count;
    last = lane / kStride;
    slot_[at(c)] = kStride * (count - 1) + lane % kStride;
  }
  return count;
}

void IterativeHessian::listTouched(const RowBlock& block) {
  for (int c = block.column; c < block.column + block.ncol; ++c) {
    touched_[at(slot_[at(c)] / kStride)] = lane_[at(p_.columns[at(c)])] / kStride;
  }
}

void IterativeHessian::makePattern(Arena& arena) {
  const LowerRows A = p_.metric->lower();
  int most = 0;
  placeAdr_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.blocks.size()) + 1);
  int places = 0;
  slot_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.columns.size()));
  touchedNum_ = arena.take<int>(static_cast<std::ptrdiff_t>(p_.blocks.size()));
  for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
    const int count = touchedNum_[b] = placeColumns(p_.blocks[b]);
    placeAdr_[b] = places;
    places += count * (count + 1) / 2;
    most = std::max(most, count);
  }
  placeAdr_[p_.blocks.size()] = places;
  place_ = arena.take<int>(places);
  touched_ = arena.take<int>(most);
  basis_ = arena.take<double>(static_cast<std::ptrdiff_t>(kStride) * most * kMaxBasis);
  weighted_ = arena.take<double>(static_cast<std::ptrdiff_t>(kStride) * most * kMaxBasis);

  const int entries = A.n > 0 ? A.rowadr[A.n - 1] + A.rownnz[A.n - 1] - A.rowadr[0] : 0;
  const std::span<BlockMatrix::Pair> pairs = arena.take<BlockMatrix::Pair>(entries + places);
  std::size_t count = 0;
  for (int i = 0; i < A.n; ++i) {
    int last = -1;
    for (int k = A.rowadr[i]; k < A.rowadr[i] + A.rownnz[i]; ++k) {
      const int column = lane_[at(A.colind[k])] / kStride;
      if (column != last) pairs[count++] = {lane_[at(i)] / kStride, column};
      last = column;
    }
  }
  for (std::size_t k = 0; k < p_.blocks.size(); ++k) {
    listTouched(p_.blocks[k]);
    for (int a = 0; a < touchedNum_[k]; ++a) {
      for (int b = 0; b < a; ++b) pairs[count++] = {touched_[at(a)], touched_[at(b)]};
    }
  }
  H_.emplace(rows_, pairs.first(count), arena);
  for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
    listTouched(p_.blocks[b]);
    int* place = place_.data() + placeAdr_[b];
    for (int i = 0; i < touchedNum_[b]; ++i) {
      for (int j = 0; j <= i; ++j) *place++ = H_->find(touched_[at(i)], touched_[at(j)]);
    }
  }
}

void IterativeHessian::addBlock(int b, const double* W) {
  const RowBlock& block = p_.blocks[at(b)];
  const int nb = block.nbasis;
  const int touched = touchedNum_[at(b)];
  const int width = kStride * touched;
  std::fill_n(basis_.begin(), width * nb, 0.0);
  for (int a = 0; a < nb; ++a) {
    const double* value = p_.values.data() + block.value + a * block.ncol;
    for (int c = 0; c < block.ncol; ++c) basis_[at(a * width + slot_[at(block.column + c)])] = value[c];
  }
  for (int a = 0; a < nb; ++a) {
    for (int c = 0; c < width; ++c) {
      double sum = 0;
      for (int k = 0; k < nb; ++k) sum += W[a * nb + k] * basis_[at(k * width + c)];
      weighted_[at(a * width + c)] = sum;
    }
  }
  const int* place = place_.data() + placeAdr_[at(b)];
  for (int i = 0; i < touched; ++i) {
    for (int j = 0; j <= i; ++j) {
      double* target = H_->block(*place++);
      for (int a = 0; a < nb; ++a) {
        const double* left = basis_.data() + a * width + kStride * i;
        const Wide& right = *reinterpret_cast<const Wide*>(weighted_.data() + a * width + kStride * j);
        for (int r = 0; r < 3; ++r) *reinterpret_cast<Wide*>(target + kStride * r) += left[r] * right;
      }
    }
  }
}

void IterativeHessian::assemble(const double* r, const RowState* state) {
  H_->clear();
  const LowerRows A = p_.metric->lower();
  for (int i = 0; i < A.n; ++i) {
    const int row = lane_[at(i)] / kStride, lane = lane_[at(i)] % kStride;
    int last = -1;
    double* target = nullptr;
    for (int k = A.rowadr[i]; k < A.rowadr[i] + A.rownnz[i]; ++k) {
      const int column = lane_[at(A.colind[k])];
      if (column / kStride != last) target = H_->block(H_->find(row, column / kStride));
      last = column / kStride;
      target[kStride * lane + column % kStride] = A.value[k];
    }
  }
  // lanes that no dof uses stand for themselves
  for (int lane = 0, dof = 0; lane < kStride * rows_; ++lane) {
    if (dof < p_.dofs() && lane_[at(dof)] == lane) {
      ++dof;
    } else if (lane % kStride < 3) {
      H_->block(H_->find(lane / kStride, lane / kStride))[(kStride + 1) * (lane % kStride)] = 1;
    }
  }
  double W[kMaxBasis * kMaxBasis];
  for (int b = 0; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    if (!blockWeights(p_, block, r, state, W)) continue;
    addBlock(b, W);
    if (isCone(block, state)) std::copy_n(W, block.nbasis * block.nbasis, coneWeights_.data() + kWeights * block.cone);
  }
  H_->factor();
  changed_ = 1;  // nothing is known of the sides yet
  unknown_ = 0;
}

void IterativeHessian::update(const double* r, const RowState* state, const RowState* before) {
  double W[kMaxBasis * kMaxBasis], old[kMaxBasis * kMaxBasis];
  changed_ = 0;
  for (int b = 0; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    const bool cone = isCone(block, state), wasCone = isCone(block, before);
    if (!cone && std::equal(state + block.row, state + block.row + block.nrow, before + block.row)) continue;
    const int count = block.nbasis * block.nbasis;
    blockWeights(p_, block, r, state, W);
    if (!wasCone) blockWeights(p_, block, r, before, old);
    double* saved = block.kind == BlockKind::Elliptic ? coneWeights_.data() + kWeights * block.cone : nullptr;
    if (wasCone) std::copy_n(saved, count, old);
    if (cone) std::copy_n(W, count, saved);
    for (int k = 0; k < count; ++k) W[k] -= old[k];
    addBlock(b, W);
    ++changed_;
  }
  // every block that the factor does not know of may cost an iteration, and a factor costs some
  unknown_ += changed_;
  if (unknown_ > kMostUnknown) {
    H_->factor();
    unknown_ = 0;
  }
}

void IterativeHessian::solve(const double* x, double enough, double* y) {
  // once the rows have settled on their sides, one step leads to the minimum
  const double settled = accuracy_ == Accuracy::OfAFactor ? kRounding : 0;
  const double forcing = isQuadratic_ || changed_ == 0      ? settled
                         : accuracy_ == Accuracy::OfAFactor ? kForcing * kForcing
                                                            : kForcing;
  if (accuracy_ == Accuracy::OfAFactor) enough = 0;
  const auto& [residual, preconditioned, direction, product] = padded_;
  std::fill(residual.begin(), residual.end(), 0.0);
  for (std::size_t i = 0; i < lane_.size(); ++i) residual[at(lane_[i])] = x[i];
  std::fill(solution_.begin(), solution_.end(), 0.0);
  double rho = 0, most = 0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    std::copy(residual.begin(), residual.end(), preconditioned.begin());
    H_->solve(preconditioned.data());
    const double now = dot(residual, preconditioned);
    if (iteration == 0) most = now;
    if (iteration > 0 && (!(now > forcing * most) || 0.5 * now <= enough)) break;
    const double beta = iteration == 0 ? 0 : now / rho;
    rho = now;
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = preconditioned[i] + beta * direction[i];
    H_->multiply(direction.data(), product.data());
    const double curvature = dot(direction, product);
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      solution_[i] += alpha * direction[i];
      residual[i] -= alpha * product[i];
    }
  }
  for (std::size_t i = 0; i < lane_.size(); ++i) y[i] = solution_[at(lane_[i])];
}

}  // namespace sinew::solve
