#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

/// The usual contact: normal and two tangents, between two bodies with up to six dofs, or such a body and the world.
/// There are thousands of them in a pile, and they are visited in every sweep, so all that a visit needs lies in few
/// places. Points between the same two bodies with the same frame form a manifold, which is visited as one: its
/// velocities are read and written once, and how its points act on each other is known beforehand.
namespace sinew::solve {

/// Places of a small component in the padded velocity, and the dofs it may have.
inline constexpr int kSlots = 8;
inline constexpr int kSmall = 6;

/// How a contact with depth yields: like a spring, see docs/impulse.md.
struct Yielding {
  double rate = 0;   ///< velocity per depth with which it is corrected, 1/s
  double keeps = 1;  ///< share of the impulse that is kept

  /// For substeps of h that remove the share `share` of a depth; `length` is that of the longest step not long ago, in
  /// steps.
  static Yielding of(double h, double share, double length) {
    const double yields = 1 + share * length;
    return {yields * share / (h * length), 1 / yields};
  }
};

/// Three numbers each for normal and tangents. They are read and written four at a time: the order of the members is
/// such that the fourth number is harmless. Large piles are limited by how fast contacts can be read, hence no gaps.
struct FreeContact {
  using Three = std::array<double, 3>;

  Three target{};                  ///< velocities
  Three course{};                  ///< direction in which the impulses are extrapolated
  Three change{};                  ///< of the impulses in the last visit
  std::array<double, 4> lambda{};  ///< impulses, then zero
  std::array<double, 4> total{};   ///< impulses of all substeps, then zero
  Three gram{};                    ///< diagonal of G = J inv(A) J'
  std::array<double, 2> across{};  ///< G_10, G_20
  double along = 0;                ///< G_21
  Three common{};                  ///< what equal normal impulses of 1 at all points of its manifold change here
  double normalInverse = 0;        ///< 1 / G_00
  Three inverse{};                 ///< of the tangents' part: (1,1), (2,1), (2,2)
  std::array<double, 2> friction{};
  double slip = 0;   ///< multiplier of the last visit in which it slid, see slidePlane()
  double gap = 0;    ///< distance along the normal at the start of the step, m; negative: depth
  Yielding yields;   ///< what it does about depth
  double bias = 0;   ///< normal velocity that gap or depth ask for beside the target
  double keeps = 1;  ///< share of the normal impulse that is kept
  int row = 0;       ///< first of its three rows
};

/// Neighbouring contacts of the same bodies, with the same frame: J has the same columns in all of them for the first
/// three dofs of each side, which move a free body without turning it.
struct Manifold {
  static constexpr int kMostPoints = 4;
  static constexpr int kColumn = 3;  ///< numbers of a column of J
  static constexpr int kTriple = 9;  ///< and of three of them
  static constexpr int kBlock = 9;   ///< numbers of a block of `coupling`: three columns

  int begin = 0, count = 0;
  int sides = 0;               ///< 1: the other side is the world
  std::array<int, 2> slot{};   ///< of each side's velocity
  std::array<int, 2> dense{};  ///< of each side's matrix; negative: inv(A) is diagonal there
  /// Columns of J: those they have in common for the first three dofs of each side, then those of the other three for
  /// point after point.
  double* columns = nullptr;
  /// J_i inv(A) J_j' for i > j, in the order (1,0), (2,0), (2,1), (3,0), ...
  double* coupling = nullptr;

  static constexpr int blocks(int count) { return count * (count - 1) / 2; }
};

/// Where the velocities of free contacts are.
struct FreeVelocities {
  double* velocity = nullptr;               ///< padded
  const double* inverseDiagonal = nullptr;  ///< the same places
  const double* inverse = nullptr;          ///< full matrices, kSmall x kSlots each
  const double* moved = nullptr;            ///< how far dofs have moved in the step, in the places of velocities
};

/// Fills gram, across, along and the inverses of all contacts, and columns and coupling of their manifolds, both of
/// which need room for one number more. J[i] are the rows of contact i, 3 x (kSmall sides).
void prepareManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const double* const* J,
                      const FreeVelocities& v);

/// Where contacts are in a substep.
struct PositionRule {
  double perSecond = 0;  ///< 1 / h, of the substep
  double slop = 0;       ///< depth that is left alone
  /// Time since the start of the step: surfaces that are driven have moved by their velocity times it.
  double elapsed = 0;
  bool corrects = true;  ///< false: depth is left alone

  /// Normal velocity that a contact at `gap` shall have.
  double target(double gap, const Yielding& yields) const {
    if (gap > 0) return -gap * perSecond;
    const double depth = -gap - slop;
    return corrects && depth > 0 ? yields.rate * depth : 0;
  }
  /// Share of the impulse that it keeps.
  double keeps(double gap, const Yielding& yields) const { return gap > 0 || !corrects ? 1 : yields.keeps; }
};

/// Sets bias and keeps of all contacts from where the dofs have moved.
void applyRule(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v,
               const PositionRule& rule);

/// What a sweep is part of.
enum class Pass {
  Whole,  ///< the impulses of a step
  First,  ///< those of a substep, which may take back what the substeps before pushed: it is the whole that must push
  Second  ///< likewise; adds them to the total
};

/// How a sweep goes.
struct Sweep {
  bool back = false;  ///< from the last contact to the first
  double beta = 0;    ///< of the extrapolation that went before it
  Pass pass = Pass::Whole;
  /// Free contacts set bias and keeps by it just before they are visited, which saves a pass over them. First only.
  const PositionRule* rule = nullptr;

  /// Least normal impulse, `total` being that of the substeps before.
  double least(double total) const { return pass == Pass::Whole ? 0 : std::min(0.0, -total); }
};

/// What a sweep did, over the rows k that were visited; nothing is counted in substeps.
struct SweepChange {
  double moved = 0;  ///< sum G_kk (change of lambda_k)^2
  double size = 0;   ///< sum G_kk lambda_k^2
};

/// One visit of each manifold in turn: its normals together, then point after point. `change` adds up what they did.
/// Before that impulses are extrapolated, lambda += beta course, which the velocities know already, and courses become
/// beta course + change, with the change of the sweep before. For substeps see Sweep.
void visitManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v, Sweep sweep,
                    SweepChange& change);

/// What a sweep that is no part of a step did, as visitManifolds() adds it up. The sums come in the order of visits in
/// turn, whatever the order was.
void addChanges(std::span<const Manifold> manifolds, const FreeContact* contacts, bool back, SweepChange& change);

/// sum += J' lambda of all contacts, in the places of velocities.
void addImpulses(std::span<const Manifold> manifolds, const FreeContact* contacts, double* sum);

/// v += inv(A) J' lambda for each contact.
void applyImpulses(std::span<const Manifold> manifolds, const FreeContact* contacts, const FreeVelocities& v);

/// What extrapolation does to velocities, see ImpulseSolver: `count` numbers of each, at the same places.
void extrapolateVelocities(double beta, std::ptrdiff_t count, double* velocity, double* before, double* course);

}  // namespace sinew::solve
