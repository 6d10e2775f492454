#pragma once

#include <cstdint>
#include <vector>

#include "base/arena.h"
#include "model/bounding_tree.h"
#include "model/collide_memory.h"
#include "model/near_pairs.h"
#include "model/query_trees.h"
#include "model/solver_memory.h"
#include "model/step_matrix.h"
#include "sinew/array.h"
#include "sinew/data.h"

namespace sinew {

/// What step() remembers in order to notice trouble that no single step shows; see docs/trouble.md. It is no state: no
/// result depends on it, and it begins anew when the state is changed from outside.
struct Watch {
  std::uint64_t left = 0;  ///< checksum of what the last step left
  int steps = 0;           ///< since it began; below 0: until it begins
  int unconverged = 0;     ///< steps in a row in which the solver did not converge
  int overlapping = 0;     ///< steps in a row, from the first, in which something was too deep; 0: not any more
  double explained = 0;    ///< energy that the model may have, J
  double highest = 0;      ///< that it had in this window
  double scale = 0;        ///< the largest energy of motion that was explained, J
};

/// A block of rows and what its impulses are remembered by.
struct RowRecall {
  std::uint64_t key = 0;  ///< as in RowMemory
  int block = 0;          ///< in row_block
};

/// What a Data holds beside state and results.
struct Workspace {
  Arena arena;                      ///< scratch of the thread that steps
  std::vector<Arena> threadArena;   ///< scratch of each thread, made when first needed
  SolverMemory solverMemory;        ///< plans of sparse factors; speed only [solve]
  CollideMemory collideMemory;      ///< scratch [collide, sense]
  NearPairs nearPairs;              ///< broad phase; speed only [collide]
  Array<BoundingTree> elementTree;  ///< of the elements of each flex; speed only [collide]
  QueryTrees queryTrees;            ///< of rays and distances; speed only [queries, rangefinders]

  Array<double> flexL, flexLDiagInv;  ///< factors of flexA, one after the other [acceleration]
  Array<double> flexBlock;            ///< parts of flexA that are too large for that: their numbers in 3 x 3 blocks
  Array<float> flexIncomplete;        ///< and their incomplete factors
  Array<double> flexCoarse;           ///< factors of their coarse spaces,
  Array<float> flexProduct;           ///< products of flexA with these,
  Array<std::uint8_t> flexTwoLevels;  ///< and by part whether they are used

  StepMatrix stepMatrix{};  ///< which matrix qH or qLU is the factor of [metric]

  Array<RowMemory> row_memory_next;  ///< what Data::row_memory is exchanged with at the end of a step
  Array<RowRecall> row_recall;       ///< impulse solver: the blocks of this step by growing key [solve]

  Watch watch;                  ///< [step]
  std::uint32_t stagesRun = 0;  ///< bits of the stages whose results are in the Data (step/stages.h) [stages]
  int halfway = 0;              ///< 1: step1() has run, -1: it refused; step2() is due [step1]

  /// Parts of the metric that turn: what keepMomentum() adds to their acceleration, as a rigid motion: its centre,
  /// acceleration there, angular acceleration [acceleration]
  Array<double> partKept;
  Array<double> flexUnresolved;  ///< Midpoint: velocity of modes that the step cannot resolve, by dof [acceleration]
  // Impulse solver.
  Array<double> qacc_free;        ///< acceleration without constraints in the matrix of the step, by dof [metric]
  Array<double> qvel_correction;  ///< velocity with which positions move beside qvel, by dof [metric, solve]
  Array<double> row_drive;        ///< velocity of rows beside J qvel, see efc_vel [referenceAcceleration, World]
  Array<double> row_impulse;      ///< N s or N m s: warm start, then what the solver found [solve]
  Array<double> row_last;         ///< force of each row at the end of the step, which the next one starts from [solve]
  Array<double> block_length;     ///< longest step not long ago, s, by block of rows [solve]
};

}  // namespace sinew
