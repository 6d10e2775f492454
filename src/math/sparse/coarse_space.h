#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/arena.h"
#include "math/sparse/block_matrix.h"
#include "math/sparse/factor_plan.h"
#include "math/sparse/sparse_factor.h"

namespace sinew::sparse {

/// Which vectors an incomplete factor gets help with: those that hardly change from one row to the next, of which it
/// knows little, because all it sees are neighbours. Rows are put together in aggregates; the coarse space has three
/// vectors per aggregate, P_a = w_a (x) I, where w_a is 1 in the middle of aggregate a, falls off towards the middles
/// of its neighbours and sums to 1 with them, so that constants lie in the space and smooth vectors nearly do [Vanek,
/// Mandel and Brezina 1996, with averages of neighbours instead of the matrix]. All of this follows from the pattern
/// alone. Keeps its memory when it is made anew.
class CoarsePlan {
 public:
  /// `pattern` must outlive what uses this plan.
  void make(const BlockPattern& pattern, Arena& scratch);

  int aggregates() const { return static_cast<int>(memberAdr_.empty() ? 0 : memberAdr_.size() - 1); }
  const FactorPlan& factor() const { return factor_; }  ///< of P'A P, dofs 3 a, 3 a + 1, 3 a + 2 of aggregate a
  /// Blocks of A P, and how many numbers they have.
  int products() const { return static_cast<int>(productColumn_.size()); }
  std::ptrdiff_t productValues() const { return std::ptrdiff_t{BlockMatrix::kSize} * products() + 1; }
  /// Numbers of the factor of P'A P.
  std::ptrdiff_t factorValues() const { return factor_.entries() + factor_.dofs(); }

 private:
  friend class CoarseSpace;
  friend class CoarseMaker;
  struct Weight {
    int index;  // an aggregate, or a row
    float weight;
  };
  struct Neighbour {
    int row, block;
  };

  void aggregate(std::span<const int> adr, std::span<const Neighbour> neighbours, int radius,
                 std::span<int> aggregateOf, Arena& scratch);
  void weigh(std::span<const int> adr, std::span<const Neighbour> neighbours, int rounds,
             std::span<const int> aggregateOf, Arena& scratch);
  void listMembers(int aggregates);
  void listProducts(std::span<const int> adr, std::span<const Neighbour> neighbours, Arena& scratch);
  void planFactor(Arena& scratch);

  const BlockPattern* pattern_ = nullptr;
  std::vector<int> weightAdr_;  // P by rows: weights of the aggregates
  std::vector<Weight> weight_;
  std::vector<int> memberAdr_;  // P by columns: rows with a weight in an aggregate
  std::vector<Weight> member_;
  std::vector<int> productAdr_, productColumn_;  // A P by rows: aggregates, growing
  std::vector<int> blockRow_;                    // of the pattern: the row of each block
  std::vector<int> coarseAdr_, coarseColumn_;    // P'A P by rows, lower triangle: aggregates, growing
  std::vector<std::ptrdiff_t> place_;            // of each of the nine numbers of these blocks in the factor
  int longestProduct_ = 0;
  FactorPlan wanted_, factor_;
};

/// How much stiffer a matrix is against vectors that differ from row to row than against constants: its trace over that
/// of its restriction to these. The mass matrix has 1; of a solid it grows with stiffness and with the square of the
/// number of rows per length.
double stiffnessRatio(const BlockMatrix& A);

/// The coarse space of a matrix A, in which systems are solved exactly. Does not own its numbers.
class CoarseSpace {
 public:
  /// What suits it, see BlockMaker::setCompensation().
  static constexpr float kCompensation = 0.5F;

  /// Numbers as a CoarseMaker makes them. Scratch from `arena`.
  CoarseSpace(const CoarsePlan& plan, std::span<const float> product, std::span<const double> factor, Arena& arena);

  // Vectors as those of BlockMatrix.
  /// x = P inv(P'A P) P'b, the best solution of A x = b in the space; returns x'b.
  double solve(const double* b, double* x) const;
  /// w += P inv(P'A P) (P'scale r - (A P)'w), which takes from the error of w, a solution of A w = scale r, what lies
  /// in the space. Returns what that adds to w'scale r.
  double correct(const double* r, double scale, float* w) const;

 private:
  const CoarsePlan* plan_;
  std::span<const float> product_;
  SparseFactor factor_;
  std::span<double> restricted_;  // kStride numbers per aggregate
  std::span<double> right_;       // three
};

/// Makes the numbers of a CoarseSpace: A P and the factor of P'A P.
class CoarseMaker {
 public:
  /// `product` has plan.productValues() numbers, `factor` plan.factorValues().
  CoarseMaker(const CoarsePlan& plan, std::span<float> product, std::span<double> factor)
      : plan_(&plan), product_(product), factor_(factor) {}
  /// The numbers, too.
  CoarseMaker(const CoarsePlan& plan, Arena& arena)
      : CoarseMaker(plan, arena.take<float>(plan.productValues()), arena.take<double>(plan.factorValues())) {}

  void make(const BlockMatrix& A, Arena& scratch) const;
  /// Scratch from `arena`.
  CoarseSpace space(Arena& arena) const { return {*plan_, product_, factor_, arena}; }

 private:
  void makeProducts(const BlockMatrix& A, Arena& scratch) const;

  const CoarsePlan* plan_;
  std::span<float> product_;
  std::span<double> factor_;
};

}  // namespace sinew::sparse
