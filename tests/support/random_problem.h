#pragma once

#include <memory>
#include <random>
#include <vector>

#include "solve/problem.h"

namespace sinew::test {

/// A constraint problem made of random numbers, with its own storage: a full positive definite metric per tree
/// and blocks of every kind on random columns. The same seed gives the same problem.
class RandomProblem {
 public:
  struct Counts {
    int dofs = 12;  ///< per tree
    int trees = 1;  ///< blocks touch one or two of them
    int equalities = 2;
    int frictions = 3;
    int unilateral = 4;
    int pyramids = 2;
    int cones = 2;
    int runs = 0;  ///< of eight single equality rows that share their columns
  };
  RandomProblem(unsigned seed, const Counts& counts);
  RandomProblem(const RandomProblem&) = delete;
  RandomProblem& operator=(const RandomProblem&) = delete;

  const solve::ConstraintProblem& problem() const { return problem_; }
  /// First dof of each tree, and the number of dofs.
  const std::vector<int>& nodes() const { return nodes_; }

 private:
  void addBlock(BlockKind kind, int nbasis, int nrow, bool sharesColumns = false);
  void chooseColumns(RowBlock& block);
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(generator_); }

  std::mt19937 generator_;
  int n_, perTree_;
  std::vector<int> rownnz_, rowadr_, colind_, treeOf_, treeAdr_, treeNum_, nodes_;
  std::vector<double> matrix_, factor_, diagInv_;
  std::vector<RowBlock> blocks_;
  std::vector<int> columns_;
  std::vector<double> values_, aref_, D_, R_, frictionloss_, a0_, f0_;
  std::vector<ConeParameters> cones_;
  std::unique_ptr<solve::TreeMetric> metric_;
  solve::ConstraintProblem problem_;
};

}  // namespace sinew::test
