#include "solve/iterative_hessian.h"

#include <algorithm>
#include <cmath>

#include "math/kernel.h"
#include "solve/costs.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// shares of the predicted decrease
constexpr double kForcing = 1e-4;
constexpr double kRounding = 1e-20;
/// If more than this share of the blocks that can change state did so, others will, and the next step is not the last.
constexpr double kManyChanges = 0.1;
constexpr std::ptrdiff_t kWeights = kMaxBasis * kMaxBasis;
constexpr int kStride = BlockMatrix::kStride;

/// target += left right', of three numbers each. Rows of a block overlap by a number to which nothing is added: all are
/// read before one is written.
inline __attribute__((always_inline)) void addOuter(const double* left, const Wide& right, double* target) {
  Wide sum[3];
  for (int r = 0; r < 3; ++r) sum[r] = loadWide(target + 3 * r) + left[r] * right;
  for (int r = 0; r < 3; ++r) store(target + 3 * r, sum[r]);
}

bool isCone(const RowBlock& block, const RowState* state) {
  return block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone;
}

}  // namespace

IterativeHessian::IterativeHessian(const ConstraintProblem& p, const BlockPlan& plan, Accuracy accuracy,
                                   double factorFlops, Arena& arena)
    : p_(p),
      plan_(plan),
      accuracy_(accuracy),
      mostIterations_(plan.pattern().worthwhileIterations(factorFlops)),
      known_(plan.places()),
      more_(plan.placesOf(p.blocks.subspan(at(plan.blocks())), p.columns, arena)),
      H_(plan.pattern(), arena),
      gradients_(plan.pattern().rows(), arena),
      arena_(arena) {
  if (plan.coarse()) {
    coarseMaker_.emplace(*plan.coarse(), arena);
    coarse_ = coarseMaker_->space(arena);
  }
  firstVarying_ = static_cast<int>(leadingEqualities(p.blocks));
  touched_ = arena.take<std::uint8_t>(plan.pattern().rows());
  coneWeights_ = arena.take<double>(kWeights * static_cast<std::ptrdiff_t>(p.cones.size()));
  int most = 0;
  for (const int count : known_.touchedNum) most = std::max(most, count);
  for (const int count : more_.touchedNum) most = std::max(most, count);
  basis_ = arena.take<double>(static_cast<std::ptrdiff_t>(kStride) * most * kMaxBasis);
  weighted_ = arena.take<double>(static_cast<std::ptrdiff_t>(kStride) * most * kMaxBasis);
}

double IterativeHessian::predictedCost(const ConstraintProblem& p, Accuracy accuracy) {
  // some tens of iterations, each 36 multiplications per block that wait for memory; measured
  const double perBlock = accuracy == Accuracy::OfAFactor ? cost::kBlockOfAFactor : cost::kBlockOfTheTolerance;
  const LowerRows A = p.metric->lower();
  double blocks = A.n > 0 ? (A.rowadr[A.n - 1] + A.rownnz[A.n - 1] - A.rowadr[0]) / 9.0 : 0;
  for (const RowBlock& block : p.blocks) {
    const int nodes = (block.ncol + 2) / 3;
    blocks += 0.5 * nodes * (nodes - 1);
  }
  return perBlock * (blocks + p.dofs() / 3.0);
}

SINEW_KERNEL void IterativeHessian::addBlock(int b, const double* W) {
  const RowBlock& block = p_.blocks[at(b)];
  const BlockPlaces& places = b < more_.firstBlock ? known_ : more_;
  const int nb = block.nbasis;
  const int touched = places.touchedNum[at(b - places.firstBlock)];
  const int* place = places.place.data() + places.placeAdr[at(b - places.firstBlock)];
  if (nb == 1 && touched == 2 && block.ncol == 6) {  // two nodes with all their dofs: the length of an edge
    const double* v = p_.values.data() + block.value;
    const Wide first = W[0] * Wide{v[0], v[1], v[2], 0}, second = W[0] * Wide{v[3], v[4], v[5], 0};
    addOuter(v, first, H_.block(place[0]));
    addOuter(v + 3, first, H_.block(place[1]));
    addOuter(v + 3, second, H_.block(place[2]));
    return;
  }
  const int* slot = places.slot.data() + block.column - places.firstColumn;
  const int width = kStride * touched;
  std::fill_n(basis_.begin(), width * nb, 0.0);
  for (int a = 0; a < nb; ++a) {
    const double* value = p_.values.data() + block.value + a * block.ncol;
    for (int c = 0; c < block.ncol; ++c) basis_[at(a * width + slot[c])] = value[c];
  }
  for (int a = 0; a < nb; ++a) {
    for (int c = 0; c < width; ++c) {
      double sum = 0;
      for (int k = 0; k < nb; ++k) sum += W[a * nb + k] * basis_[at(k * width + c)];
      weighted_[at(a * width + c)] = sum;
    }
  }
  for (int i = 0; i < touched; ++i) {
    for (int j = 0; j <= i; ++j) {
      Wide sum[3] = {};
      for (int a = 0; a < nb; ++a) {
        const double* left = basis_.data() + a * width + kStride * i;
        const Wide right = loadWide(weighted_.data() + a * width + kStride * j);
        for (int r = 0; r < 3; ++r) sum[r] += left[r] * right;
      }
      // rows overlap by a number to which nothing is added: all are read before one is written
      double* target = H_.block(*place++);
      for (int r = 0; r < 3; ++r) sum[r] += loadWide(target + 3 * r);
      for (int r = 0; r < 3; ++r) store(target + 3 * r, sum[r]);
    }
  }
}

void IterativeHessian::markTouched(int b) {
  const BlockPlaces& places = b < more_.firstBlock ? known_ : more_;
  const int* place = places.place.data() + places.placeAdr[at(b - places.firstBlock)];
  // the last place of each touched row is its diagonal
  for (int i = 0; i < places.touchedNum[at(b - places.firstBlock)]; ++i) {
    place += i;
    touched_[at(plan_.pattern().column()[*place++])] = 1;
  }
}

void IterativeHessian::assemble(const double* r, const RowState* state, const double* dual) {
  plan_.set(p_.metric->lower(), H_);
  // by the metric alone: rows act on few nodes, and leave the slow modes as they are
  twoLevels_ = coarse_ && sparse::stiffnessRatio(H_.matrix()) > cost::kTwoLevelStiffness;
  H_.setCompensation(twoLevels_ ? sparse::CoarseSpace::kCompensation : BlockMaker::kUsualCompensation);
  // the metric may have been factored for the smooth motion: then only rows that others touch are made
  const BlockMatrix* metric = p_.metric->blocks();
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  double W[kMaxBasis * kMaxBasis];
  for (int b = 0; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    if (!blockWeights(p_, block, r, state, W, dual)) continue;
    addBlock(b, W);
    if (metric) markTouched(b);
    if (isCone(block, state)) std::copy_n(W, block.nbasis * block.nbasis, coneWeights_.data() + kWeights * block.cone);
  }
  if (metric && H_.takeFactor(*metric)) {
    H_.factorAgain(touched_);
  } else {
    H_.factor();
  }
  makeCoarse();
  changed_ = 1;  // nothing is known of the sides yet
}

void IterativeHessian::update(const double* r, const RowState* state, const RowState* before, const double* dual) {
  double W[kMaxBasis * kMaxBasis], old[kMaxBasis * kMaxBasis];
  changed_ = 0;
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  for (int b = firstVarying_; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    const bool cone = isCone(block, state), wasCone = isCone(block, before);
    if (!cone && std::equal(state + block.row, state + block.row + block.nrow, before + block.row)) continue;
    const int count = block.nbasis * block.nbasis;
    blockWeights(p_, block, r, state, W, dual);
    if (!wasCone) blockWeights(p_, block, r, before, old);
    double* saved = block.kind == BlockKind::Elliptic ? coneWeights_.data() + kWeights * block.cone : nullptr;
    if (wasCone) std::copy_n(saved, count, old);
    if (cone) std::copy_n(W, count, saved);
    for (int k = 0; k < count; ++k) W[k] -= old[k];
    addBlock(b, W);
    markTouched(b);
    ++changed_;
  }
  if (changed_ == 0) return;
  H_.factorAgain(touched_);
  makeCoarse();
}

void IterativeHessian::makeCoarse() {
  if (twoLevels_) coarseMaker_->make(H_.matrix(), arena_);
}

bool IterativeHessian::solve(const double* x, double enough, double* y) {
  const int varying = static_cast<int>(p_.blocks.size()) - firstVarying_;
  const bool exact = accuracy_ == Accuracy::OfAFactor;
  double forcing = kForcing;
  if (varying == 0 || changed_ == 0) {
    forcing = 0;  // once the active set is right, one step leads to the minimum
  } else if (exact && changed_ <= std::max(1.0, kManyChanges * varying)) {
    forcing = kForcing * kForcing;
  }
  // rounding is that of the whole solution, of which the first solve finds most
  if (exact) enough = kRounding * most_;
  if (exact && most_ == 0) forcing = std::max(forcing, kRounding);
  const std::span<const int> lanes = plan_.lanes();
  const std::span<double> right = gradients_.right();
  std::fill(right.begin(), right.end(), 0.0);
  for (std::size_t i = 0; i < lanes.size(); ++i) right[at(lanes[i])] = x[i];
  const BlockGradients::Report report =
      gradients_.solve(H_.matrix(), forcing, enough, mostIterations_, twoLevels_ ? &*coarse_ : nullptr);
  iterations_ += report.iterations;
  most_ = std::max(most_, report.start);
  const std::span<const double> solution = gradients_.solution();
  for (std::size_t i = 0; i < lanes.size(); ++i) y[i] = solution[at(lanes[i])];
  return report.converged;
}

void IterativeHessian::productOfSolution(const double* x, double* Hy) const {
  // iterations leave the residual x - H y where they took x from
  const std::span<const int> lanes = plan_.lanes();
  const std::span<const double> residual = gradients_.right();
  for (std::size_t i = 0; i < lanes.size(); ++i) Hy[i] = x[i] - residual[at(lanes[i])];
}

}  // namespace sinew::solve
