#pragma once

#include <span>

#include "base/arena.h"
#include "solve/impulse.h"

namespace sinew::solve {

/// Preconditioners of large systems are in single precision: beside rows that are stiffer by much more than this, the
/// rest would be lost.
inline constexpr double kGive = 1e-5;

/// The same for bodies, whose systems are factored in double precision: so stiff that a beam of many does not sag.
inline constexpr double kGiveOfBodies = 1e-8;

/// Finds out whether equalities are so many that sweeps are no good: news goes from one to the next.
class Nets {
 public:
  void add(const RowBlock& block) {
    if (block.kind == BlockKind::Elliptic) friction_ = true;
    if (block.kind != BlockKind::Equality) return;
    rows_ += block.nrow;
    parts_ += block.part >= 0 ? 1 : 0;
  }
  /// Edges, vertices or cells of flexes.
  bool flexes() const { return parts_ >= kSmallest; }
  /// Joints of bodies that hang free. Where bodies rub against others, sweeps find friction more quickly.
  bool bodies() const { return rows_ >= kSmallest && !friction_; }

 private:
  static constexpr int kSmallest = 8;
  int parts_ = 0, rows_ = 0;
  bool friction_ = false;
};

/// As ImpulseSolver::solve() for all rows of a problem: by sweeps, or, where those are no good, by Newton's method.
/// Sweeps change one block of impulses at a time and have to know what that does to all velocities; with stiffness in
/// the metric a contact moves the whole of a flex, and what was sparse is no longer. And along the many equalities that
/// hold a flex or a chain of bodies together they hardly converge; what they leave over from step to step makes chains
/// swing themselves up.
ImpulseReport solveHard(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                        Arena& arena, std::span<double> lambda, std::span<double> velocity);

/// The same by Newton's method whatever the problem. Impulses are those of stiff springs and dampers:
///
///   v+ = argmin 1/2 (v - v*)' A (v - v*) + sum_i s_i((J v - target)_i),
///
/// the convex problem of the soft solvers with velocities in the place of accelerations, and rows so stiff that they
/// `give` way by 1e-5 of what their impulses do to them alone. It makes sliding contacts separate at a speed of
/// friction times that of sliding; with targets that are lower by this it is Coulomb's law [De Saxce and Feng 1998],
/// which takes a few rounds, each starting where the last one ended. `options` say how many iterations a round may
/// have.
ImpulseReport solveHardByNewton(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                                Arena& arena, std::span<double> lambda, std::span<double> velocity,
                                double give = kGive);

}  // namespace sinew::solve
