#include "solve/sparse_hessian.h"

#include <algorithm>
#include <cmath>

#include "math/sparse/block_product.h"
#include "solve/costs.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool isCone(const RowBlock& block, const RowState* state) {
  return block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone;
}

/// The order of elimination of the columns of blocks [begin, end), and their first fronts.
void orderColumns(const ConstraintProblem& p, const FactorPlan& plan, std::size_t begin, std::size_t end,
                  const BlockLayout& out) {
  for (std::size_t b = begin; b < end; ++b) {
    const RowBlock& block = p.blocks[b];
    out.leader[b] = static_cast<int>(b);
    if (b > 0 && shareColumns(block, p.blocks[b - 1])) {
      out.leader[b] = out.leader[b - 1];
      out.home[b] = out.home[b - 1];
      continue;
    }
    const int* column = p.columns.data() + block.column;
    int* order = out.columnOrder.data() + block.column;
    // columns come in a few growing runs, so insertion is quick
    for (int c = 0; c < block.ncol; ++c) {
      const int mine = plan.position(column[c]);
      int k = c;
      for (; k > 0 && plan.position(column[order[k - 1]]) > mine; --k) order[k] = order[k - 1];
      order[k] = c;
    }
    out.home[b] = plan.frontOf(column[order[0]]);
  }
}

/// Calls visit(front, first and end of its columns) for the fronts that a block has columns in.
template <class F>
void forEachFront(const ConstraintProblem& p, const FactorPlan& plan, const BlockLayout& layout, std::size_t b,
                  F&& visit) {
  const RowBlock& block = p.blocks[b];
  const int* column = p.columns.data() + block.column;
  const int* order = layout.columnOrder.data() + block.column;
  for (int begin = 0; begin < block.ncol;) {
    const int front = plan.frontOf(column[order[begin]]);
    int end = begin + 1;
    while (end < block.ncol && plan.frontOf(column[order[end]]) == front) ++end;
    visit(front, begin, end);
    begin = end;
  }
}

struct PieceCount {
  int pieces = 0;
  std::ptrdiff_t places = 0;
};

/// Pieces of blocks [begin, end) and places in them; pieceAdr.
PieceCount countPieces(const ConstraintProblem& p, const FactorPlan& plan, std::size_t begin, std::size_t end,
                       int before, const BlockLayout& out) {
  PieceCount count{before, 0};
  for (std::size_t b = begin; b < end; ++b) {
    out.pieceAdr[b] = count.pieces;
    if (out.leader[b] != static_cast<int>(b)) continue;
    forEachFront(p, plan, out, b, [&](int, int first, int) {
      ++count.pieces;
      count.places += p.blocks[b].ncol - first;
    });
  }
  out.pieceAdr[end] = count.pieces;
  return count;
}

/// The pieces of blocks [begin, end), with their places in `place`.
void fillPieces(const ConstraintProblem& p, const FactorPlan& plan, std::size_t begin, std::size_t end, int* place,
                const BlockLayout& out) {
  auto piece = out.pieces.begin() + out.pieceAdr[begin];
  for (std::size_t b = begin; b < end; ++b) {
    if (out.leader[b] != static_cast<int>(b)) continue;
    const RowBlock& block = p.blocks[b];
    const int* column = p.columns.data() + block.column;
    const int* order = out.columnOrder.data() + block.column;
    forEachFront(p, plan, out, b, [&](int f, int first, int last) {
      const FactorPlan::Front& front = plan.fronts()[at(f)];
      *piece++ = {front.matrix, front.size, first, last, place};
      // dofs of one group have places one after the other
      int group = -1, shift = 0;
      for (int c = first; c < block.ncol; ++c) {
        const int dof = column[order[c]];
        if (plan.groupOf(dof) != group) {
          group = plan.groupOf(dof);
          shift = plan.placeOf(front, dof) - dof;
        }
        *place++ = dof + shift;
      }
    });
  }
}

}  // namespace

BlockLayout PlanMemory::layoutFor(const ConstraintProblem& p, const FactorPlan& plan) {
  if (&plan != &base_ || stay_.ncol.empty()) return {};
  const std::size_t blocks = stay_.ncol.size();
  if (!stay_.isLaidOut) {
    stay_.columnOrder.resize(stay_.columns.size());
    stay_.leader.resize(blocks);
    stay_.home.resize(blocks);
    stay_.pieceAdr.resize(blocks + 1);
    BlockLayout out{stay_.columnOrder, stay_.leader, stay_.home, stay_.pieceAdr, {}};
    orderColumns(p, plan, 0, blocks, out);
    const PieceCount count = countPieces(p, plan, 0, blocks, 0, out);
    stay_.pieces.resize(at(count.pieces));
    stay_.place.resize(static_cast<std::size_t>(count.places));
    out.pieces = stay_.pieces;
    fillPieces(p, plan, 0, blocks, stay_.place.data(), out);
    stay_.isLaidOut = true;
  }
  return {stay_.columnOrder, stay_.leader, stay_.home, stay_.pieceAdr, stay_.pieces};
}

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
  findPlaces(A, base_, places_);
  return base_;
}

void PlanMemory::findPlaces(const LowerRows& A, const FactorPlan& plan, std::vector<std::ptrdiff_t>& place) {
  const int first = A.rowadr[0];
  place.resize(at(A.rowadr[A.n - 1] + A.rownnz[A.n - 1] - first));
  const auto fronts = plan.fronts();
  for (int i = 0; i < A.n; ++i) {
    const int end = A.rowadr[i] + A.rownnz[i];
    for (int k = A.rowadr[i]; k < end;) {
      // dofs of one group have places one after the other, in whichever front
      const int begin = A.colind[k];
      const bool rowIsLater = plan.position(begin) <= plan.position(i);
      const FactorPlan::Front& front = fronts[at(plan.frontOf(rowIsLater ? begin : i))];
      const int row = plan.placeOf(front, i), column = plan.placeOf(front, begin);
      for (; k < end && plan.groupOf(A.colind[k]) == plan.groupOf(begin); ++k) {
        const int other = column + A.colind[k] - begin;
        place[at(k - first)] =
            front.matrix + static_cast<std::ptrdiff_t>(std::min(row, other)) * front.size + std::max(row, other);
      }
    }
  }
}

std::span<const std::ptrdiff_t> PlanMemory::placesFor(const LowerRows& A, const FactorPlan& plan) {
  if (A.n == 0) return {};
  Places& places = &plan == &base_ ? basePlaces_ : fullPlaces_;
  const int* colind = A.colind + A.rowadr[0];
  const int* end = A.colind + A.rowadr[A.n - 1] + A.rownnz[A.n - 1];
  const bool known = places.valid && std::equal(places.rownnz.begin(), places.rownnz.end(), A.rownnz, A.rownnz + A.n) &&
                     std::equal(places.colind.begin(), places.colind.end(), colind, end);
  if (!known) {
    places.rownnz.assign(A.rownnz, A.rownnz + A.n);
    places.colind.assign(colind, end);
    findPlaces(A, plan, places.place);
    places.valid = true;
  }
  return places.place;
}

bool PlanMemory::Stay::isFor(const ConstraintProblem& p, std::size_t blocks) const {
  const LowerRows A = p.metric->lower();
  if (blocks != ncol.size() || static_cast<std::size_t>(A.n) != rownnz.size() || A.n == 0) return false;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (p.blocks[b].ncol != ncol[b] || p.blocks[b].column != column[b]) return false;
  }
  // columns lie one after the other from the first on, as do the rows of A
  return std::equal(nodes.begin(), nodes.end(), p.nodes.begin(), p.nodes.end()) &&
         std::equal(rownnz.begin(), rownnz.end(), A.rownnz) &&
         std::equal(colind.begin(), colind.end(), A.colind + A.rowadr[0]) &&
         std::equal(columns.begin(), columns.end(), p.columns.begin());
}

void PlanMemory::Stay::note(const ConstraintProblem& p, std::size_t blocks) {
  const LowerRows A = p.metric->lower();
  nodes.assign(p.nodes.begin(), p.nodes.end());
  rownnz.assign(A.rownnz, A.rownnz + A.n);
  colind.clear();
  if (A.n > 0) colind.assign(A.colind + A.rowadr[0], A.colind + A.rowadr[A.n - 1] + A.rownnz[A.n - 1]);
  ncol.clear();
  column.clear();
  for (std::size_t b = 0; b < blocks; ++b) {
    ncol.push_back(p.blocks[b].ncol);
    column.push_back(p.blocks[b].column);
  }
  const int count = blocks == 0 ? 0 : p.blocks[blocks - 1].column + p.blocks[blocks - 1].ncol;
  columns.assign(p.columns.begin(), p.columns.begin() + count);
  isLaidOut = false;
}

void PlanMemory::wantBlocks(const ConstraintProblem& p, std::span<const RowBlock> blocks) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (b > 0 && shareColumns(blocks[b], blocks[b - 1])) continue;
    wanted_.addClique(p.columns.data() + blocks[b].column, blocks[b].ncol);
  }
}

void PlanMemory::wantBase(const ConstraintProblem& p, std::size_t blocks) {
  addMatrix(p.metric->lower(), p.nodes);
  wantBlocks(p, p.blocks.first(blocks));
}

std::size_t PlanMemory::makeBase(const ConstraintProblem& p, Arena& scratch) {
  const std::size_t rest = leadingEqualities(p.blocks);
  if (stay_.isFor(p, rest)) return rest;
  stay_.note(p, rest);
  baseBlocksAreMade_ = false;
  wantBase(p, rest);
  if (!base_.isFor(wanted_)) {
    base_.makeFor(wanted_, scratch);
    basePlaces_.valid = false;
    fullIsMade_ = false;  // its order may be that of the base
  }
  return rest;
}

double PlanMemory::baseFlops(const ConstraintProblem& p, Arena& scratch) {
  makeBase(p, scratch);
  return base_.flops();
}

bool PlanMemory::baseHolds(const ConstraintProblem& p) const {
  return std::all_of(p.blocks.begin(), p.blocks.end(), [&](const RowBlock& block) {
    return block.kind == BlockKind::Equality || base_.holds(p.columns.data() + block.column, block.ncol);
  });
}

const FactorPlan& PlanMemory::planFor(const ConstraintProblem& p, Arena& scratch) {
  const std::size_t rest = makeBase(p, scratch);
  const auto held = [&](const RowBlock& block) { return base_.holds(p.columns.data() + block.column, block.ncol); };
  const auto others = p.blocks.subspan(rest);
  if (std::all_of(others.begin(), others.end(), held)) return base_;

  wantBase(p, rest);
  wantBlocks(p, others);
  if (fullIsMade_ && full_.isFor(wanted_)) return full_;
  fullIsMade_ = true;
  fullPlaces_.valid = false;
  // Bodies that touch a flex are coupled to much of it: they come last. Another order than that of the parts that stay
  // costs more than it saves as long as what touches does not make the factor much larger.
  if (p.hasFlexNodes) {
    const auto late = std::lower_bound(p.nodes.begin(), p.nodes.end(), p.bodyDofs) - p.nodes.begin();
    full_.makeInOrder(wanted_, base_, static_cast<int>(late), scratch);
    // what is added belongs to large fronts, whose multiplications take as long as those of a dense factor
    const double factors = cost::kFactorsChanging / cost::kFactorsFixed;
    const double more = factors * (full_.flops() - base_.flops());
    if (more <= cost::kOrder * static_cast<double>(p.nodes.size())) return full_;
  }
  full_.makeFor(wanted_, scratch);
  return full_;
}

const BlockPlan& PlanMemory::blockPlanFor(const ConstraintProblem& p, Arena& scratch) {
  const std::size_t rest = makeBase(p, scratch);
  if (!baseBlocksAreMade_) {
    baseBlocks_.make(p.metric->lower(), p.nodes, p.blocks.first(rest), p.columns, scratch);
    if (p.hasStiffSolids) baseBlocks_.makeCoarse(scratch);
    baseBlocksAreMade_ = true;
    fullShape_.clear();
  }
  const auto held = [&](const RowBlock& block) { return baseBlocks_.holds(block, p.columns); };
  const auto others = p.blocks.subspan(rest);
  if (std::all_of(others.begin(), others.end(), held)) return baseBlocks_;
  if (!fullIsFor(p, rest)) {
    fullBlocks_.make(p.metric->lower(), p.nodes, p.blocks, p.columns, scratch);
    fullShape_.clear();
    for (const RowBlock& block : others) {
      fullShape_.push_back(block.ncol);
      fullShape_.push_back(block.column);
      const auto first = p.columns.begin() + block.column;
      fullShape_.insert(fullShape_.end(), first, first + block.ncol);
    }
  }
  return fullBlocks_;
}

bool PlanMemory::fullIsFor(const ConstraintProblem& p, std::size_t base) const {
  auto known = fullShape_.begin();
  for (const RowBlock& block : p.blocks.subspan(base)) {
    if (fullShape_.end() - known < 2 + block.ncol || known[0] != block.ncol || known[1] != block.column) return false;
    if (!std::equal(known + 2, known + 2 + block.ncol, p.columns.begin() + block.column)) return false;
    known += 2 + block.ncol;
  }
  return known == fullShape_.end();
}

const BlockPlan& PlanMemory::blockPlanForFixed(const LowerRows& A, std::span<const int> nodes, bool hasSolids,
                                               Arena& scratch) {
  if (!baseBlocksAreMade_) {
    baseBlocks_.make(A, nodes, {}, {}, scratch);
    if (hasSolids) baseBlocks_.makeCoarse(scratch);
    baseBlocksAreMade_ = true;
  }
  return baseBlocks_;
}

SparseHessian::SparseHessian(const ConstraintProblem& p, const FactorPlan& plan,
                             std::span<const std::ptrdiff_t> metricPlaces, const BlockLayout& known, Arena& arena)
    : p_(p),
      plan_(plan),
      metricPlaces_(metricPlaces),
      n_(p.dofs()),
      isFixed_(p.blocks.empty() || p.blocks.back().kind == BlockKind::Equality),
      matrices_(arena.take<double>(plan.entries())),
      diagInv_(arena.take<double>(n_)),
      base_(isFixed_ ? matrices_ : arena.take<double>(plan.entries())),
      maker_(plan, matrices_, diagInv_, arena),
      factor_(plan, matrices_, diagInv_, arena.take<double>(plan.largestFront())),
      dirty_(arena.zeros<std::uint8_t>(static_cast<std::ptrdiff_t>(plan.fronts().size()))) {
  layOutBlocks(known, arena);
}

void SparseHessian::layOutBlocks(const BlockLayout& known, Arena& arena) {
  const std::size_t first = known.home.size(), end = p_.blocks.size();
  if (first == end && first > 0) {
    layout_ = known;
    return;
  }
  layout_.columnOrder = arena.take<int>(static_cast<std::ptrdiff_t>(p_.columns.size()));
  layout_.leader = arena.take<int>(static_cast<std::ptrdiff_t>(end));
  layout_.home = arena.take<int>(static_cast<std::ptrdiff_t>(end));
  layout_.pieceAdr = arena.take<int>(static_cast<std::ptrdiff_t>(end) + 1);
  std::copy(known.columnOrder.begin(), known.columnOrder.end(), layout_.columnOrder.begin());
  std::copy(known.leader.begin(), known.leader.end(), layout_.leader.begin());
  std::copy(known.home.begin(), known.home.end(), layout_.home.begin());
  std::copy(known.pieceAdr.begin(), known.pieceAdr.end(), layout_.pieceAdr.begin());
  orderColumns(p_, plan_, first, end, layout_);
  const PieceCount count = countPieces(p_, plan_, first, end, static_cast<int>(known.pieces.size()), layout_);
  layout_.pieces = arena.take<sparse::BlockPiece>(count.pieces);
  std::copy(known.pieces.begin(), known.pieces.end(), layout_.pieces.begin());
  fillPieces(p_, plan_, first, end, arena.take<int>(count.places).data(), layout_);
}

void SparseHessian::addBlock(int b, int nbasis, const double* W, double* H) const {
  const RowBlock& block = p_.blocks[at(b)];
  const int leader = layout_.leader[at(b)], first = layout_.pieceAdr[at(leader)];
  sparse::addBlockProduct(nbasis, block.ncol, p_.values.data() + block.value, W,
                          layout_.columnOrder.data() + block.column,
                          layout_.pieces.subspan(at(first), at(layout_.pieceAdr[at(leader + 1)] - first)), H);
}

void SparseHessian::assemble(const double* r, const RowState* state, const double* dual) {
  std::fill(base_.begin(), base_.end(), 0.0);
  const LowerRows A = p_.metric->lower();
  if (n_ > 0) {
    const double* value = A.value + A.rowadr[0];
    for (std::size_t k = 0; k < metricPlaces_.size(); ++k) base_[metricPlaces_[k]] = value[k];
  }
  double W[kMaxBasis * kMaxBasis];
  for (int b = 0; b < static_cast<int>(p_.blocks.size());) {
    const RowBlock& block = p_.blocks[at(b)];
    const int run = equalRun(p_, at(b));
    if (run > 1) {
      equalWeights(p_, block, run, W);
      addBlock(b, run, W, base_.data());
    } else if (!isCone(block, state) && blockWeights(p_, block, r, state, W, dual)) {
      addBlock(b, W, base_.data());
    }
    b += std::max(1, run);
  }
  std::fill(dirty_.begin(), dirty_.end(), std::uint8_t{1});
  factorDirty(r, state, dual);
}

void SparseHessian::update(const double* r, const RowState* state, const RowState* before, const double* dual) {
  double W[kMaxBasis * kMaxBasis], old[kMaxBasis * kMaxBasis];
  for (int b = 0; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    const bool cone = isCone(block, state), wasCone = isCone(block, before);
    if (std::equal(state + block.row, state + block.row + block.nrow, before + block.row)) {
      if (cone) markDirty(layout_.home[at(b)]);
      continue;
    }
    markDirty(layout_.home[at(b)]);
    // weights of a cone live outside the base matrix: they count as zero here
    std::fill_n(W, block.nbasis * block.nbasis, 0.0);
    if (!cone) blockWeights(p_, block, r, state, W, dual);
    if (!wasCone) {
      blockWeights(p_, block, r, before, old);
      for (int k = 0; k < block.nbasis * block.nbasis; ++k) W[k] -= old[k];
    }
    addBlock(b, W, base_.data());
  }
  factorDirty(r, state, dual);
}

void SparseHessian::factorDirty(const double* r, const RowState* state, const double* dual) {
  // what changes in a front changes all of its ancestors
  const std::span<const FactorPlan::Front> fronts = plan_.fronts();
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (!dirty_[f]) continue;
    if (fronts[f].parent >= 0) markDirty(fronts[f].parent);
    if (isFixed_) continue;
    const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(fronts[f].size) * fronts[f].columns;
    std::copy_n(base_.data() + fronts[f].matrix, count, maker_.matrix(fronts[f]));
  }
  double W[kMaxBasis * kMaxBasis];
  for (int b = 0; b < static_cast<int>(p_.blocks.size()); ++b) {
    const RowBlock& block = p_.blocks[at(b)];
    if (!isCone(block, state) || !dirty_[at(layout_.home[at(b)])]) continue;
    if (blockWeights(p_, block, r, state, W, dual)) addBlock(b, W, matrices_.data());
  }
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    if (!dirty_[f]) continue;
    dirty_[f] = 0;
    maker_.eliminate(static_cast<int>(f));
  }
}

void SparseHessian::solve(const double* x, double* y) const {
  if (y != x) std::copy_n(x, n_, y);
  factor_.solve(y);
}

}  // namespace sinew::solve
