#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sinew/arena.h"
#include "solve/problem.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B and its Cholesky factor for problems too large to be stored densely: multifrontal
/// [Duff and Reid 1983]. Dofs are grouped into nodes; nodes are ordered for low fill-in; columns with the same
/// structure form a supernode. Each supernode has a dense front of its own columns and the later rows they touch. A
/// block of rows couples all of its columns, so all of B' W B belongs into one front: that of its column eliminated
/// first.
///
/// As in DenseHessian, blocks whose rows are on or off are kept in a base matrix per front and updated by difference;
/// cone blocks, which change always, are added to a copy before factoring.
///
/// Everything but the numbers is settled in the constructor, and so is all memory.
class SparseHessian {
 public:
  /// nodeAdr: first dof of each node, and one past the last dof of all.
  SparseHessian(const ConstraintProblem& p, std::span<const int> nodeAdr, Arena& arena);

  /// Sets and factors H for the given residuals and states, from scratch.
  void assemble(const double* r, const RowState* state);
  /// The same when only some states differ from those of the last call (`before`): fronts that no change reaches keep
  /// their factors.
  void update(const double* r, const RowState* state, const RowState* before);
  /// y = inv(H) x. y and x may be the same.
  void solve(const double* x, double* y) const;

  /// Multiplications of one factorization.
  double flops() const { return flops_; }

 private:
  struct Front {
    int columns = 0;            // dofs eliminated here
    int size = 0;               // dofs of the front: columns, then later rows
    int dof = 0;                // first of `size` entries in dofs_
    std::ptrdiff_t matrix = 0;  // first entry of its size x size matrices in base_ and factor_, column-major
    int parent = -1;            // front that receives its update
    int child = -1;             // one of the fronts whose updates it receives
    int sibling = -1;           // the next one with the same parent
    int element = 0;            // first of its entries in elements_
    int elements = 0;
  };

  void order(std::span<const int> nodeAdr, Arena& arena);
  void gatherElements(Arena& arena);
  void findPlaces(Arena& arena);
  void addBlock(int block, const double* W, double* F) const;
  void extendAdd(const Front& child, const Front& parent, double* F) const;
  void factorDirty(const double* r, const RowState* state);
  void markDirty(int front) { dirty_[static_cast<std::size_t>(front)] = 1; }

  const ConstraintProblem& p_;
  int n_;
  double flops_ = 0;
  std::span<Front> fronts_;  // children before parents
  std::span<int> dofs_;      // dofs of the fronts
  std::span<int> inParent_;  // same layout: place in the parent front of the rows that are not eliminated
  std::span<int> position_;  // elimination position of each dof
  std::span<int> frontOf_;   // front that eliminates each dof
  std::span<int> elements_;  // rows of A (>= 0: dof) and blocks (< 0: ~block) by front
  std::span<int> home_;      // front of each block
  // like the list of columns: the columns of a block in the order of their places in its front, and these places
  std::span<int> columnOrder_, place_;
  std::span<double> base_;     // A and the on/off blocks, of each front alone
  std::span<double> factor_;   // first columns: the factor; the rest: the update for the parent
  std::span<double> diagInv_;  // 1 / L_ii by elimination position
  std::span<std::uint8_t> dirty_;
  std::span<int> local_;  // dof -> place in the current front
  mutable std::span<double> x_, frontX_;
};

}  // namespace sinew::solve
