#pragma once

#include <optional>
#include <span>

#include "base/arena.h"
#include "solve/free_contact.h"
#include "solve/impulse_space.h"
#include "solve/problem.h"

/// The solver of hard contacts. It works on velocities and impulses:
///
///   v+ = v* + inv(A) J' lambda,    J v+ = target where lambda is free, and lambda admissible,
///
/// that is the complementarity problem (J inv(A) J') lambda = target - J v* with lambda >= 0 for contacts and limits,
/// |lambda| <= bound for friction loss, and lambda in Coulomb's cone for contacts with friction. Projected Gauss-Seidel
/// with v kept up to date: no rows x rows matrix is formed. Between sweeps impulses are extrapolated as by conjugate
/// gradients, with a sweep in the place of a gradient step [Silcowitz-Hansen et al. 2010], which tall stacks need.
/// The targets may be exchanged, and sweeping goes on from where it is.
/// See docs/impulse.md.
namespace sinew::solve {

/// What the rows of a problem are to do in this step.
struct ImpulseRows {
  /// Velocity J v+ that a row with a free impulse shall have; one per row. -infinity for the normal of a contact or for
  /// a limit: it does not act.
  std::span<const double> target;
  /// Bounds of friction loss are so many times those of the problem: the duration of the step, if those are forces.
  double bound = 1;
  /// Velocity by which a row falls short of its target per impulse, because what it touches gives way; one per row, or
  /// none: Newton's method only.
  std::span<const double> compliance = {};
};

/// Which way sweeps go over the blocks.
enum class SweepOrder {
  InTurn,  ///< forth and back, back at last: what presses on a stack reaches its foot soon, whichever way it is
           ///< numbered
  Forth    ///< always the same way, which costs a little less
};

struct ImpulseOptions {
  int maxSweeps = 10;
  double tolerance = 1e-4;  ///< the last sweep changes the impulses by less than this share of them
  SweepOrder order = SweepOrder::InTurn;
  bool accelerate = true;  ///< extrapolate between sweeps: faster where many touch, slower where two do
  int threads = 1;         ///< that may share a sweep over a large pile; results do not depend on it
};

struct ImpulseReport {
  int sweeps = 0;
  bool converged = true;
  /// Change of the impulses in the last sweep relative to the impulses themselves. Both are measured by the velocities
  /// they cause, sqrt(sum A_ii lambda_i^2), so that newtons and newton metres can be added up.
  double residual = 0;
  int innerIterations = 0;  ///< Newton's method: of conjugate gradients
  MatrixPlan matrix{MatrixForm::None, PlanReason::None};
};

/// Of the problem it reads blocks, columns, values, cones (friction only), metric and frictionloss (bounds of
/// impulses). Blocks of kind Pyramid are not for this solver. Cones: sum (lambda_k / friction_k)^2 <= lambda_0^2. The
/// problem, the space and the arena's memory must outlive the solver.
class ImpulseSolver {
 public:
  /// Part of a problem that nothing connects with the rest.
  struct Part {
    std::span<const int> blocks;  ///< in the order of their visits; those that share columns side by side
    std::span<const int> dofs;    ///< one of each component of the space that has rows in it, all different
  };
  /// For a part of the problem. Velocities are in `space`.
  ImpulseSolver(const ConstraintProblem& p, const Part& part, ImpulseSpace& space, const ImpulseRows& rows,
                const ImpulseOptions& options, Arena& arena);
  /// For all of them.
  ImpulseSolver(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options, Arena& arena);
  ImpulseSolver(const ImpulseSolver&) = delete;  // it may point into itself
  ImpulseSolver& operator=(const ImpulseSolver&) = delete;

  /// Visits the blocks in their order or back, sweep after sweep. `lambda` carries the warm start in (made admissible
  /// first) and the impulses out, one per row of the problem; rows of other blocks are left alone. The velocities of
  /// the space carry v* in and v+ out.
  ImpulseReport solve(std::span<double> lambda);
  /// The same with the velocities in a list, one per dof.
  ImpulseReport solve(std::span<double> lambda, std::span<double> velocity);
  /// What a step in substeps is made of.
  struct Substeps {
    std::span<const double> gap;     ///< distance at the start of the step by row, of contacts' normals and limits
    std::span<const double> length;  ///< of these rows: the longest step not long ago, as a multiple of this one
    double h = 0;                    ///< duration of the step
    double erp = 0;                  ///< share of a depth that is removed in the step
    double slop = 0;                 ///< depth that is left alone
  };
  /// The step in substeps of two sweeps each, forth and back, in which depth is corrected, and relaxing sweeps, which
  /// take the velocity of that correction out again; `maxSweeps` in all, four at least. Velocities of the space carry v
  /// in and v+ out, its accelerations a0; moved() is by how much dofs move in the step. Targets count beside what gaps
  /// and depths ask for. `total` carries the impulses of the step out; `lambda` carries the warm start in, and out what
  /// the next step is to start from: impulses at the end of this one, had they acted all the time.
  ImpulseReport solveInSubsteps(const Substeps& step, std::span<double> lambda, std::span<double> total);
  /// Goes on with other targets, of the same rows that act, for at most `sweeps` sweeps. `lambda` and velocities as
  /// solve() left them.
  ImpulseReport proceed(std::span<const double> target, int sweeps, std::span<double> lambda);
  /// Back to the impulses that solve() left in `lambda`; velocities are restored by the caller.
  void restore(std::span<const double> lambda);
  /// J v of the rows that act, one per row of the problem; others are left alone.
  void rowVelocities(std::span<double> Jv) const;
  /// Adds J' lambda to the impulses of the space. `lambda` as solve() left it.
  void addImpulses(std::span<const double> lambda);

 private:
  /// Places of a component's velocities.
  struct Run {
    int slot = 0, count = 0;
  };
  /// A block for which there is no shorter way.
  struct LargeBlock {
    const RowBlock* rows = nullptr;
    int nwide = 0;
    int nrun = 0;
    const int* slot = nullptr;  // of the columns
    const Run* runs = nullptr;  // places of the columns of inv(A) B', one after the other
    double* wide = nullptr;     // inv(A) B', nbasis x nwide
    double* gram = nullptr;     // B inv(A) B', n x n
    double* change = nullptr;   // of lambda in the last visit
    double* course = nullptr;   // direction in which it is extrapolated
    double* inverse = nullptr;  // of the part that is solved at once: all rows of an equality, tangents of a cone
    double* bias = nullptr;     // velocity that gap or depth ask for beside the target
    double* keeps = nullptr;    // share of the impulse that is kept
  };
  /// The manifolds of a segment by levels, for threads that share a sweep. One of two manifolds of the same body is on
  /// a higher level than the other, and later in the order; so those of a level may be visited at once, and whatever
  /// happens between two manifolds is what happens in a visit in turn. Pieces of levels are what a thread takes.
  struct Stages {
    std::span<Manifold> manifolds;  ///< copies, level by level
    std::span<const int> piece;     ///< first of each piece, and one past the last
    std::span<const int> forth;     ///< one past the last piece of each level
    std::span<const int> back;      ///< the same with pieces and levels counted from the end
    std::span<SweepChange> change;  ///< of each piece

    bool empty() const { return forth.empty(); }
  };
  /// Neighbouring blocks of one kind, so that a sweep is a few calls: manifolds of free contacts, or large blocks.
  struct Segment {
    bool free = false;
    std::size_t begin = 0, end = 0;
    Stages stages;  ///< of a large pile, if threads share it
  };
  using Change = SweepChange;
  /// Which bodies the columns of a block are about. Contacts of one pair follow each other and share them.
  struct Sides {
    const RowBlock* block = nullptr;
    bool few = false;  // free contacts have few dofs on each side
    Manifold places{};
  };

  void prepare(std::span<const int> blocks, Arena& arena);
  bool acts(const RowBlock& block) const;
  const Manifold* sidesOf(const RowBlock& block, Sides& last);  // null: too many dofs
  void addToSegment(bool free);
  void makeStages(Segment& segment, Arena& arena) const;
  void addFreeContact(const RowBlock& block, const Manifold& sides, Arena& arena);
  const double* paddedRows(const RowBlock& block, const Manifold& sides, Arena& arena) const;
  void prepareLarge(LargeBlock& large, Arena& arena);

  void start(std::span<double> lambda);  // makes them admissible and v move by them
  void visit(const LargeBlock& large, const Sweep& sweep, double* lambda, Change& change);
  void extrapolate(double beta);
  void visitCone(const LargeBlock& large, const double* w, double least, double* lambda) const;
  Yielding yieldingOf(int row) const { return Yielding::of(substep_, share_, length_[row]); }
  void applyToLarge(const PositionRule& rule);  // sets bias and keeps of their contacts and limits
  Change sweepOnce(Sweep sweep, double* lambda);
  void sweepInStages(const Segment& segment, const Sweep& sweep, Change& change);
  ImpulseReport sweep(int maxSweeps, std::span<double> lambda);
  void residualOf(const LargeBlock& large, double* w) const;  // target - J v
  double gapOf(const LargeBlock& large, int row) const;       // where the dofs have moved
  void move(const LargeBlock& large, const double* delta);    // v += inv(A) J' delta
  double boundOf(int row) const { return rows_.bound * p_.frictionloss[row]; }

  const ConstraintProblem& p_;
  ImpulseRows rows_;
  ImpulseOptions options_;
  std::optional<ImpulseSpace> ownSpace_;
  ImpulseSpace& space_;
  std::span<const int> dofs_;
  std::span<const double> gap_, length_;  // of the step in substeps
  double substep_ = 0, share_ = 0;        // likewise: duration, and share of a depth that is removed in it
  std::span<double> total_;               // likewise, of large blocks
  std::span<const RowBlock*> idle_;       // contacts that do not act need no visit
  std::span<FreeContact> contacts_;
  std::span<const double*> jacobians_;  // rows of the free contacts
  std::span<const RowBlock*> free_;     // their blocks
  std::span<Manifold> manifolds_;
  std::span<LargeBlock> large_;
  std::span<Segment> segments_;
  std::size_t idleCount_ = 0, contactCount_ = 0, manifoldCount_ = 0, largeCount_ = 0, segmentCount_ = 0;
};

}  // namespace sinew::solve
