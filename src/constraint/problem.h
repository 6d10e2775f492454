#pragma once

#include <optional>
#include <span>

#include "model/workspace.h"
#include "sinew/data.h"
#include "sinew/model.h"
#include "solve/problem.h"

/// Data seen as a constraint problem, whole or island by island.
namespace sinew {

/// The metric of the kinematic trees, by its factor, and the acceleration without constraints that belongs to it.
struct TreeMotion {
  const double* factor = nullptr;        ///< L'DL in the pattern of M
  const double* diagInv = nullptr;       ///< 1 / D
  const double* acceleration = nullptr;  ///< a0
};

/// The rows of Data as views; metric and smooth motion are not set.
solve::ConstraintProblem rowsOf(const Data& d);

/// Kinematic trees that rows couple, directly or through others. Dofs of trees without rows belong to no island.
struct Island {
  std::span<int> trees;   ///< growing
  std::span<int> blocks;  ///< indices into Data::row_block, growing
  int ndof = 0;
  int nrow = 0;
  bool whole = false;                  ///< all there is, whether coupled or not
  solve::PlanMemory* plans = nullptr;  ///< kept between steps; none for small islands
};

/// Islands in the order of their smallest tree. Everything returned lives in d.work->arena.
std::span<Island> findIslands(const Model& m, Data& d);

/// All trees that are awake and all rows as one island.
Island wholeIsland(const Model& m, Data& d);

/// The problem of one island in its own numbering, with the memory it needs from `arena`. Problems of several islands
/// may be made, solved and scattered at the same time: each reads only what no other writes.
class IslandProblem {
 public:
  /// With the inertia matrix for trees, or another metric of the same pattern.
  IslandProblem(const Model& m, const Data& d, const Island& island, Arena& arena)
      : IslandProblem(m, d, island, {d.qLD.data(), d.qLDiagInv.data(), d.qacc_smooth.data()}, arena) {}
  IslandProblem(const Model& m, const Data& d, const Island& island, const TreeMotion& trees, Arena& arena);
  IslandProblem(const IslandProblem&) = delete;  // the problem points into this
  IslandProblem& operator=(const IslandProblem&) = delete;

  /// Starts from whichever of the previous acceleration and the smooth one promises more.
  void chooseStart(const Option& opt, Arena& arena);

  /// For the impulse solver: the solution starts from row_impulse, to `lambda` by row of the island, and qvel.
  void takeImpulses(const Data& d, std::span<double> lambda) const;
  void takeVelocities(const Data& d);

  const solve::ConstraintProblem& problem() const { return problem_; }
  solve::Solution solution() { return {x_, force_, state_, constraintForce_, startResidual_}; }
  /// Copies the solution back into Data's numbering: qacc, qfrc_constraint, efc_force, efc_state.
  void scatter(Data& d) const;

 private:
  /// Copies the island's blocks and what belongs to their rows; local(dof) is the number of a dof in the island.
  template <class Local>
  void takeRows(const Data& d, const Island& island, Local&& local, Arena& arena);
  void addStiffness(const Model& m, const Data& d, Arena& arena);

  std::span<int> dof_;  // global dof of each local one
  std::span<int> row_;  // global row of each local one
  std::span<double> x_, warmStart_, force_, constraintForce_;
  std::span<double> startResidual_;  // once chooseStart() has found it
  std::span<RowState> state_;
  std::optional<solve::TreeMetric> trees_;
  std::optional<solve::StiffMetric> stiff_;  // if stiffness is part of the metric
  bool hasStiffSolids_ = false;
  solve::ConstraintProblem problem_;
};

}  // namespace sinew
