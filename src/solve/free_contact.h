#pragma once

#include <array>
#include <span>

/// The usual contact: normal and two tangents, between two bodies with up to six dofs, or such a body and the world.
/// There are thousands of them in a pile, and they are visited in every sweep, so all that a visit needs lies in few
/// places. Points between the same two bodies form a manifold, which is visited as one: its velocities are read and
/// written once, and how its points act on each other is known beforehand.
namespace sinew::solve {

/// Places of a small component in the padded velocity, and the dofs it may have.
inline constexpr int kSlots = 8;
inline constexpr int kSmall = 6;

struct FreeContact {
  using Three = std::array<double, 4>;  ///< normal and tangents, filled up with zero

  const double* J = nullptr;        ///< 3 x (kSmall sides)
  int row = 0;                      ///< first of its three rows
  Three target{};                   ///< velocities
  Three lambda{};                   ///< impulses
  Three change{};                   ///< of the impulses in the last visit
  Three course{};                   ///< direction in which they are extrapolated
  Three gram{};                     ///< diagonal of G = J inv(A) J'
  std::array<double, 2> across{};   ///< G_10, G_20
  double along = 0;                 ///< G_21
  double normalInverse = 0;         ///< 1 / G_00
  std::array<double, 3> inverse{};  ///< of the tangents' part: (1,1), (2,1), (2,2)
  std::array<double, 2> friction{};
  double slip = 0;  ///< multiplier of the last visit in which it slid, see slidePlane()
};

/// Neighbouring contacts of the same bodies.
struct Manifold {
  static constexpr int kMostPoints = 4;
  static constexpr int kBlock = 12;  ///< numbers of a block of `coupling`: three columns, each filled up to four

  int begin = 0, count = 0;
  int sides = 0;               ///< 1: the other side is the world
  std::array<int, 2> slot{};   ///< of each side's velocity
  std::array<int, 2> dense{};  ///< of each side's matrix; negative: inv(A) is diagonal there
  /// J_i inv(A) J_j' for i > j, in the order (1,0), (2,0), (2,1), (3,0), ...
  double* coupling = nullptr;

  static constexpr int blocks(int count) { return count * (count - 1) / 2; }
};

/// Where the velocities of free contacts are.
struct FreeVelocities {
  double* velocity = nullptr;               ///< padded
  const double* inverseDiagonal = nullptr;  ///< the same places
  const double* inverse = nullptr;          ///< full matrices, kSmall x kSlots each
};

/// Fills gram, across, along and the inverses of all contacts from J, and the coupling of their manifolds.
void prepareManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v);

/// How a sweep goes.
struct Sweep {
  bool back = false;  ///< from the last contact to the first
  double beta = 0;    ///< of the extrapolation that went before it
};

/// One visit of each contact in turn. `moved` and `size` grow by sum G_kk (change of lambda_k)^2 and
/// sum G_kk lambda_k^2. Courses become beta course + change, with the change of the sweep before.
void visitManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v, Sweep sweep,
                    double& moved, double& size);

/// sum += J' lambda of all contacts, in the places of velocities.
void addImpulses(std::span<const Manifold> manifolds, const FreeContact* contacts, double* sum);

/// v += inv(A) J' lambda for each contact.
void applyImpulses(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v);

/// lambda += beta course for each contact, v moves with it.
void extrapolate(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v, double beta);

}  // namespace sinew::solve
