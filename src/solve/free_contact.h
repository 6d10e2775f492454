#pragma once

#include <array>
#include <span>

/// The usual contact: normal and two tangents, between two bodies with up to six dofs, or such a body and the world.
/// There are thousands of them in a pile, and they are visited in every sweep, so all that a visit needs lies in one
/// place, and rows are padded to whole vectors.
namespace sinew::solve {

/// Places of a small component in the padded velocity, and the dofs it may have.
inline constexpr int kSlots = 8;
inline constexpr int kSmall = 6;

struct FreeContact {
  int row = 0;                      ///< first of its three rows
  int sides = 0;                    ///< 1: the other side is the world
  std::array<int, 2> slot{};        ///< of each side's velocity
  std::array<int, 2> dense{};       ///< of each side's matrix; negative: inv(A) is diagonal there
  const double* J = nullptr;        ///< sides x 3 x kSlots
  std::array<double, 3> target{};   ///< velocities
  std::array<double, 3> lambda{};   ///< impulses
  std::array<double, 3> change{};   ///< of the impulses in the last visit
  std::array<double, 3> course{};   ///< direction in which they are extrapolated
  std::array<double, 3> gram{};     ///< diagonal of G = J inv(A) J'
  std::array<double, 2> across{};   ///< G_10, G_20
  double along = 0;                 ///< G_21
  double normalInverse = 0;         ///< 1 / G_00
  std::array<double, 3> inverse{};  ///< of the tangents' part: (1,1), (2,1), (2,2)
  std::array<double, 2> friction{};
};

/// Where the velocities of free contacts are.
struct FreeVelocities {
  double* velocity = nullptr;               ///< padded
  const double* inverseDiagonal = nullptr;  ///< the same places
  const double* inverse = nullptr;          ///< full matrices, kSmall x kSlots each
};

/// Fills gram, across, along and the inverses from J.
void prepareContacts(std::span<FreeContact> contacts, const FreeVelocities& v);

/// One visit of each contact in turn, from the last to the first if `back`. `moved` and `size` grow by sum G_kk (change
/// of lambda_k)^2 and sum G_kk lambda_k^2.
void visitContacts(std::span<FreeContact> contacts, const FreeVelocities& v, bool back, double& moved, double& size);

/// v += inv(A) J' lambda for each contact.
void applyImpulses(std::span<const FreeContact> contacts, const FreeVelocities& v);

/// lambda += beta course, v moves with it; course = beta course + change. With beta = 0 it is the change alone.
void extrapolate(std::span<FreeContact> contacts, const FreeVelocities& v, double beta);

}  // namespace sinew::solve
