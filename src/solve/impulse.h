#pragma once

#include <span>

#include "sinew/arena.h"
#include "solve/free_contact.h"
#include "solve/problem.h"

/// The solver of hard contacts. It works on velocities and impulses:
///
///   v+ = v* + inv(A) J' lambda,    J v+ = target where lambda is free, and lambda admissible,
///
/// that is the complementarity problem (J inv(A) J') lambda = target - J v* with lambda >= 0 for contacts and limits,
/// |lambda| <= bound for friction loss, and lambda in Coulomb's cone for contacts with friction. Projected Gauss-Seidel
/// with v kept up to date: no rows x rows matrix is formed. Between sweeps impulses are extrapolated as by conjugate
/// gradients, with a sweep in the place of a gradient step [Silcowitz-Hansen et al. 2010]: tall stacks converge in
/// about as many sweeps as they have layers, not in the square of that. See docs/impulse.md.
namespace sinew::solve {

/// What the rows of a problem are to do in this step.
struct ImpulseRows {
  /// Velocity J v+ that a row with a free impulse shall have; one per row. -infinity for the normal of a contact or for
  /// a limit: it does not act.
  std::span<const double> target;
};

struct ImpulseOptions {
  int maxSweeps = 10;
  double tolerance = 1e-4;  ///< the last sweep changes the impulses by less than this share of them
  bool accelerate = true;   ///< sweep forth and back and extrapolate: faster where many touch, slower where two do
};

struct ImpulseReport {
  int sweeps = 0;
  bool converged = true;
  /// Change of the impulses in the last sweep relative to the impulses themselves. Both are measured by the velocities
  /// they cause, sqrt(sum A_ii lambda_i^2), so that newtons and newton metres can be added up.
  double residual = 0;
};

/// Of the problem it reads blocks, columns, values, cones (friction only), metric and frictionloss (bounds of impulses:
/// h times a force). Blocks of kind Pyramid are not for this solver. Cones: sum (lambda_k / friction_k)^2 <=
/// lambda_0^2. The problem and the arena's memory must outlive the solver.
class ImpulseSolver {
 public:
  /// Takes all memory and prepares inv(A) J'.
  ImpulseSolver(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options, Arena& arena);

  /// Visits the blocks in their order and back, sweep after sweep. `lambda` carries the warm start in (made admissible
  /// first) and the impulses out, one per row; `velocity` carries v* in and v+ out, one per dof.
  ImpulseReport solve(std::span<double> lambda, std::span<double> velocity);

 private:
  /// Dofs that inv(A) couples, with their place in the padded velocity.
  struct Component {
    int begin = 0, end = 0;  // dofs
    int slot = 0;            // first of its places
    int dense = -1;          // small ones: its matrix in inverse_, kDiagonal, or kUnprepared
  };
  /// A block for which there is no shorter way.
  struct LargeBlock {
    const RowBlock* rows = nullptr;
    int nwide = 0;
    const int* slot = nullptr;      // of the columns
    const int* wideSlot = nullptr;  // of the columns of inv(A) B'
    double* wide = nullptr;         // inv(A) B', nbasis x nwide
    double* gram = nullptr;         // B inv(A) B', n x n
    double* change = nullptr;       // of lambda in the last visit
    double* course = nullptr;       // direction in which it is extrapolated
    double* inverse = nullptr;      // of the part that is solved at once: all rows of an equality, tangents of a cone
  };
  /// Neighbouring blocks of one kind, so that a sweep is a few calls.
  struct Segment {
    bool free = false;
    int begin = 0, end = 0;
  };
  /// Two sums over the rows that were visited.
  struct Change {
    double moved = 0;  // of A_ii times the square of the change of lambda_i
    double size = 0;   // of A_ii times the square of lambda_i
  };

  void findComponents(Arena& arena);
  bool isFree(const RowBlock& block) const;
  void prepareInverse(Component& component);
  void addFreeContact(const RowBlock& block);
  void prepareLarge(LargeBlock& large, Arena& arena);

  void start(std::span<double> lambda);  // makes them admissible and v move by them
  void visit(const LargeBlock& large, double* lambda, Change& change);
  void extrapolateAll(double beta, double* lambda);
  void visitCone(const LargeBlock& large, const double* w, double* lambda) const;
  ImpulseReport sweep(std::span<double> lambda);
  void finish(std::span<double> lambda, std::span<double> velocity) const;
  void residualOf(const LargeBlock& large, double* w) const;  // target - J v
  void move(const LargeBlock& large, const double* delta);    // v += inv(A) J' delta
  FreeVelocities freeVelocities() { return {velocity_.data(), inverseDiagonal_.data(), inverse_.data()}; }

  const ConstraintProblem& p_;
  ImpulseRows rows_;
  ImpulseOptions options_;
  std::span<Component> components_;
  std::span<int> componentOf_;         // of each dof
  std::span<int> slotOf_;              // of each dof
  std::span<double> velocity_;         // padded: components begin at whole vectors
  std::span<double> inverseDiagonal_;  // of inv(A) in the same places, where it is diagonal
  std::span<double> inverse_;          // of other small components, kSmall x kSlots
  std::size_t inverses_ = 0;           // numbers used of it
  std::span<double> scratch_;          // one number per dof, zero
  std::span<FreeContact> contacts_;
  std::span<double> contactRows_;  // their J
  std::size_t contactCount_ = 0, contactValues_ = 0;
  std::span<LargeBlock> large_;
  std::span<Segment> segments_;
  std::size_t largeCount_ = 0, segmentCount_ = 0;
};

}  // namespace sinew::solve
