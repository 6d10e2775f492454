#pragma once

#include <array>
#include <cstdint>

/// Constraint rows as they are stored: in blocks that share their columns.
namespace sinew {

/// How a block of rows is charged. With r = J x - aref, D > 0 the row's mass and R = 1/D:
enum class BlockKind : std::uint8_t {
  Equality,    ///< 1/2 D r^2
  Friction,    ///< 1/2 D r^2 for |r| < R f, beyond that f |r| - 1/2 R f^2, f the friction loss
  Unilateral,  ///< 1/2 D min(0, r)^2: limits and frictionless contacts
  Pyramid,     ///< the same for the edges b_0 +- mu_k b_k of a friction pyramid, k = 1 .. nbasis - 1
  Elliptic     ///< an elliptic friction cone over (normal, tangents)
};

/// In which part of its cost a row is.
enum class RowState : std::uint8_t { Satisfied = 0, Quadratic, LinearNeg, LinearPos, Cone };

/// Rows that share their columns. Their Jacobian is a small dense matrix `basis` (nbasis x ncol); the rows are its
/// rows, except for a Pyramid, whose 2 (nbasis - 1) rows are b_0 + mu_1 b_1, b_0 - mu_1 b_1, b_0 + mu_2 b_2, ...
struct RowBlock {
  BlockKind kind = BlockKind::Equality;
  int row = 0;     ///< first row
  int nrow = 0;    ///< number of rows
  int nbasis = 0;  ///< rows of the stored matrix
  int ncol = 0;    ///< columns of the stored matrix
  int column = 0;  ///< first of its ncol entries in the list of columns, growing dof indices; the next block has the
                   ///< same or later ones
  int value = 0;   ///< first of its nbasis * ncol entries in the list of values, row by row
  int cone = -1;   ///< Pyramid, Elliptic: index into the list of cones
  int part = -1;   ///< flex equalities: the edge, vertex or cell the block is about
};

/// Whether two blocks have one list of columns, as contacts of the same two bodies do.
inline bool shareColumns(const RowBlock& a, const RowBlock& b) { return a.column == b.column && a.ncol == b.ncol; }

/// Friction of one contact.
struct ConeParameters {
  double mu = 0;                     ///< regularized friction of the cone, friction[0] sqrt(R_tangent / R_normal)
  std::array<double, 5> friction{};  ///< coefficients of the tangential rows
};

/// What a row belongs to; the numbers are those of the reference engine.
enum class RowType : int {
  Equality = 0,
  FrictionDof,
  FrictionTendon,
  LimitJoint,
  LimitTendon,
  ContactFrictionless,
  ContactPyramidal,
  ContactElliptic
};

}  // namespace sinew
