#pragma once

#include <optional>
#include <span>

#include "sinew/data.h"
#include "sinew/model.h"
#include "solve/problem.h"

/// Data seen as a constraint problem, whole or island by island.
namespace sinew {

/// The rows of Data as views; metric and smooth motion are not set.
solve::ConstraintProblem rowsOf(const Data& d);

/// The inertia matrix of all dofs with its factor.
solve::TreeMetric massMetric(const Model& m, const Data& d);

/// The whole problem; `metric` must outlive it, and so must the current scope of d.arena.
solve::ConstraintProblem wholeProblem(const Model& m, Data& d, const solve::Metric& metric);

/// Kinematic trees that rows couple, directly or through others. Dofs of trees without rows belong to no island.
struct Island {
  std::span<int> trees;   ///< growing
  std::span<int> blocks;  ///< indices into Data::row_block, growing
  int ndof = 0;
  int nrow = 0;
  solve::PlanMemory* plans = nullptr;  ///< kept between steps; none for small islands
};

/// Islands in the order of their smallest tree. Everything returned lives in d.arena.
std::span<Island> findIslands(const Model& m, Data& d);

/// The problem of one island in its own numbering, with the memory it needs from `arena`. Problems of several islands
/// may be made, solved and scattered at the same time: each reads only what no other writes.
class IslandProblem {
 public:
  IslandProblem(const Model& m, const Data& d, const Island& island, std::span<const double> start, Arena& arena);

  const solve::ConstraintProblem& problem() const { return problem_; }
  solve::Solution solution() { return {x_, force_, state_, constraintForce_}; }
  /// Copies the solution back into Data's numbering: qacc, qfrc_constraint, efc_force, efc_state.
  void scatter(Data& d) const;
  /// Copies forces from Data (the warm start of a dual solver).
  void gatherForces(const Data& d);

 private:
  std::span<int> dof_;  // global dof of each local one
  std::span<int> row_;  // global row of each local one
  std::span<double> x_, force_, constraintForce_;
  std::span<RowState> state_;
  std::optional<solve::TreeMetric> metric_;
  solve::ConstraintProblem problem_;
};

}  // namespace sinew
