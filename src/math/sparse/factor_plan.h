#pragma once

#include <span>
#include <vector>

#include "base/arena.h"

namespace sinew::sparse {

/// Everything about a sparse Cholesky factor but its numbers: in which order unknowns are eliminated, and the dense
/// panels of the supernodal method [Ng and Peyton 1993]. A front is a run of unknowns eliminated together, with the
/// later ones that it is coupled to; its panel has a column for each of the former and a row for all. Unknowns (dofs)
/// come in groups that are eliminated together; the matrix is a sum of cliques, each of which couples all of its dofs.
///
/// A plan outlives the matrix it was made for: it serves every matrix whose cliques it holds(). It keeps its memory
/// when it is made anew.
class FactorPlan {
 public:
  struct Front {
    int columns = 0;            ///< dofs eliminated here
    int size = 0;               ///< dofs of the front: columns, then later rows
    int dof = 0;                ///< first of `size` entries in dofs()
    int parent = -1;            ///< front of its first later row
    int update = 0;             ///< first of the updates it receives
    std::ptrdiff_t matrix = 0;  ///< first entry of its size x columns panel in the numbers of a factor
  };
  /// Rows [begin, end) of a front belong to columns of a later one, from which it takes its products.
  struct Update {
    int front, begin, end;
  };

  /// Starts a plan for dofs in groups: groupAdr holds the first dof of each group and one past the last dof.
  void begin(std::span<const int> groupAdr);
  /// One more clique: dofs of one group must be neighbours in the list.
  void addClique(const int* dofs, int count);
  /// One more clique of two dofs.
  void addPair(int dof1, int dof2);
  /// Orders the groups and cliques that `pattern` was given by minimum degree [Amestoy, Davis and Duff 1996] and lays
  /// out the fronts.
  void makeFor(const FactorPlan& pattern, Arena& scratch);
  /// The same in the order of elimination of another plan for the same groups, but for the first `late` of them, which
  /// come last. That takes a fraction of the time, and serves where cliques are few that the other plan does not have.
  void makeInOrder(const FactorPlan& pattern, const FactorPlan& order, int late, Arena& scratch);

  /// Whether this plan was made for the groups and cliques of `pattern`.
  bool isFor(const FactorPlan& pattern) const;
  /// Whether a matrix may couple all of these dofs: they lie in the front of the one that is eliminated first.
  bool holds(const int* dofs, int count) const;
  /// The front that a clique belongs to.
  int frontOf(const int* dofs, int count) const { return frontOf_[at(first(dofs, count))]; }

  /// Where the entry (dof1, dof2) of the matrix belongs among the numbers of the fronts. The plan must hold it.
  std::ptrdiff_t placeOf(int dof1, int dof2) const;
  int groupOf(int dof) const { return groupOf_[at(dof)]; }
  int dofs() const { return static_cast<int>(position_.size()); }
  std::span<const Front> fronts() const { return fronts_; }  ///< children before parents
  const int* dofsOf(const Front& front) const { return dofs_.data() + front.dof; }
  int position(int dof) const { return position_[at(dof)]; }  ///< elimination position
  /// Like dofsOf(): elimination positions, growing.
  const int* positionsOf(const Front& front) const { return sortedRows_.data() + front.dof; }
  /// Updates of front f, by growing fronts.
  std::span<const Update> updatesOf(int f) const {
    return std::span<const Update>(updates_).subspan(at(fronts_[at(f)].update), at(updateNum_[at(f)]));
  }
  /// Entry of the diagonal element of a dof.
  std::ptrdiff_t diagonalOf(int dof) const {
    const Front& front = fronts_[at(frontOf_[at(dof)])];
    return front.matrix + static_cast<std::ptrdiff_t>(placeOf(front, dof)) * (front.size + 1);
  }
  /// Place of a dof among the rows of a front, which must have it.
  int placeOf(const Front& front, int dof) const;
  int frontOf(int dof) const { return frontOf_[at(dof)]; }
  std::ptrdiff_t entries() const { return entries_; }  ///< numbers in the panels of all fronts
  int largestFront() const { return largestFront_; }   ///< dofs of the largest front
  double flops() const { return flops_; }              ///< multiplications of one factorization

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int first(const int* dofs, int count) const;
  void takePattern(const FactorPlan& pattern);
  void keepSpare();
  void minimumDegree(Arena& scratch);
  void eliminateInSequence(Arena& scratch);
  void layOutFronts(Arena& scratch);
  void listUpdates();

  bool made_ = false;
  std::vector<int> groupAdr_, groupOf_;
  std::vector<int> cliqueAdr_, cliques_;  // groups of each clique
  std::vector<int> sequence_;             // groups in the order of elimination
  std::vector<int> columnAdr_, column_;   // later groups in the column of the factor, by group
  std::vector<Front> fronts_;
  std::vector<int> dofs_, position_, frontOf_;
  std::vector<int> sortedRows_;  // positions of the rows of each front, growing
  std::vector<Update> updates_;
  std::vector<int> updateNum_;
  std::ptrdiff_t entries_ = 0;
  int largestFront_ = 0;
  double flops_ = 0;
};

}  // namespace sinew::sparse
