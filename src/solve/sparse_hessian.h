#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/arena.h"
#include "math/sparse/block_product.h"
#include "math/sparse/factor_plan.h"
#include "math/sparse/sparse_factor.h"
#include "solve/block_plan.h"
#include "solve/problem.h"

namespace sinew::solve {

/// Where the blocks of a problem belong in the panels of a factor.
struct BlockLayout {
  std::span<int> columnOrder;  ///< like the list of columns: those of a block in the order of elimination
  std::span<int> leader;       ///< of the run of blocks that share their columns, the one that has the pieces of all
  std::span<int> home;         ///< front of the first column of each block
  std::span<int> pieceAdr;     ///< first piece of each block, and one past the last
  std::span<sparse::BlockPiece> pieces;
};

/// H = A + sum over blocks B' W B and its Cholesky factor for problems too large to be stored densely, see FactorPlan.
/// As in DenseHessian, blocks whose rows are on or off are kept in a base matrix and updated by difference; cone
/// blocks, which change always, are added to a copy before factoring.
///
/// Everything but the numbers is settled in the constructor, and so is all memory.
class SparseHessian {
 public:
  /// `plan` must hold every row of the metric and every block of `p`, and outlive this, as must `metricPlaces`: where
  /// the entries of the metric belong (PlanMemory::placesFor), and `known`: the layout of the first blocks
  /// (PlanMemory::layoutFor; none: empty).
  SparseHessian(const ConstraintProblem& p, const FactorPlan& plan, std::span<const std::ptrdiff_t> metricPlaces,
                const BlockLayout& known, Arena& arena);

  /// Sets and factors H for the given residuals and states, from scratch.
  void assemble(const double* r, const RowState* state, const double* dual = nullptr);
  /// The same when only some states differ from those of the last call (`before`): fronts that no change reaches keep
  /// their factors.
  void update(const double* r, const RowState* state, const RowState* before, const double* dual = nullptr);
  /// y = inv(H) x. y and x may be the same.
  void solve(const double* x, double* y) const;

 private:
  void layOutBlocks(const BlockLayout& known, Arena& arena);
  void addBlock(int block, const double* W, double* H) const { addBlock(block, p_.blocks[block].nbasis, W, H); }
  /// Likewise for a run of blocks, see equalRun(), with `nbasis` rows together.
  void addBlock(int block, int nbasis, const double* W, double* H) const;
  void factorDirty(const double* r, const RowState* state, const double* dual);
  void markDirty(int front) { dirty_[front] = 1; }

  const ConstraintProblem& p_;
  const FactorPlan& plan_;
  std::span<const std::ptrdiff_t> metricPlaces_;
  int n_;
  BlockLayout layout_;
  bool isFixed_;  // no row can change state
  std::span<double> matrices_, diagInv_;
  std::span<double> base_;  // A and the on/off blocks; if isFixed_, the same memory as `matrices_`
  FactorMaker maker_;
  SparseFactor factor_;
  std::span<std::uint8_t> dirty_;
};

/// Plans of one problem from step to step. What a step uses depends on its problem alone, never on what came before:
/// the plan of the parts that stay (metric and equalities) if that holds all the rest, otherwise one made for all of
/// it.
class PlanMemory {
 public:
  const FactorPlan& planFor(const ConstraintProblem& p, Arena& scratch);
  /// Where the entries of A belong among the numbers of a factor with that plan, one of the above. Valid until the next
  /// call.
  std::span<const std::ptrdiff_t> placesFor(const LowerRows& A, const FactorPlan& plan);
  /// Likewise the layout of the equalities, if `plan`, just given for `p`, is that of the parts that stay.
  BlockLayout layoutFor(const ConstraintProblem& p, const FactorPlan& plan);

  /// Multiplications of a factor of the parts that stay, without looking at the rest.
  double baseFlops(const ConstraintProblem& p, Arena& scratch);
  /// After baseFlops() of the same problem: whether that factor would hold the rest, too.
  bool baseHolds(const ConstraintProblem& p) const;

  /// The same for conjugate gradients. What the plan was not made for it holds.
  const BlockPlan& blockPlanFor(const ConstraintProblem& p, Arena& scratch);

  /// The plan of a matrix whose pattern never changes: made by the first call.
  const FactorPlan& planForFixed(const LowerRows& A, std::span<const int> nodes, Arena& scratch);
  const FactorPlan& fixedPlan() const { return base_; }
  /// For that plan: where each entry of the matrix belongs among the numbers of its fronts.
  std::span<const std::ptrdiff_t> placesOfFixed() const { return places_; }
  /// The same for conjugate gradients. A matrix with the stiffness of solids gets a coarse space.
  const BlockPlan& blockPlanForFixed(const LowerRows& A, std::span<const int> nodes, bool hasSolids, Arena& scratch);
  const BlockPlan& fixedBlockPlan() const { return baseBlocks_; }

 private:
  void addMatrix(const LowerRows& A, std::span<const int> nodes);
  /// Whether fullBlocks_ was made for the blocks that come after the first `base`, which have not changed since.
  bool fullIsFor(const ConstraintProblem& p, std::size_t base) const;
  std::size_t makeBase(const ConstraintProblem& p, Arena& scratch);  // returns how many blocks are in it

  /// Places of the entries of a matrix with this pattern.
  struct Places {
    std::vector<int> rownnz, colind;
    std::vector<std::ptrdiff_t> place;
    bool valid = false;
  };
  /// The parts that stay as they were when the base was made, and the layout of their blocks in it.
  struct Stay {
    std::vector<int> nodes, rownnz, colind, ncol, column, columns;
    bool isLaidOut = false;
    std::vector<int> columnOrder, leader, home, pieceAdr, place;
    std::vector<sparse::BlockPiece> pieces;

    bool isFor(const ConstraintProblem& p, std::size_t blocks) const;
    void note(const ConstraintProblem& p, std::size_t blocks);
  };
  void wantBase(const ConstraintProblem& p, std::size_t blocks);
  void wantBlocks(const ConstraintProblem& p, std::span<const RowBlock> blocks);
  static void findPlaces(const LowerRows& A, const FactorPlan& plan, std::vector<std::ptrdiff_t>& place);

  FactorPlan wanted_, base_, full_;
  bool fullIsMade_ = false;
  BlockPlan baseBlocks_, fullBlocks_;
  bool baseBlocksAreMade_ = false;
  std::vector<int> fullShape_;  // of blocks beyond the base in fullBlocks_: how many columns, the first, all of them
  Stay stay_;
  Places basePlaces_, fullPlaces_;
  std::vector<std::ptrdiff_t> places_;  // of the matrix whose pattern never changes
};

}  // namespace sinew::solve
