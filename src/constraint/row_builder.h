#pragma once

#include <array>
#include <span>

#include "math/quat.h"
#include "math/types.h"
#include "model/carrier.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Dofs in the list of columns.
struct RowColumns {
  int begin = 0, count = 0;
};

/// Writes blocks and rows into Data, over those of the step before. A block is added with its columns, its matrix
/// filled in, then each of its rows. The arrays have their sizes only after finish().
class RowBuilder {
 public:
  RowBuilder(const Model& m, Data& d) : m_(m), d_(d) {}

  /// A new block over the given dofs (growing); returns its nbasis x columns.size() matrix, zero, valid until the next
  /// block is added.
  double* addBlock(BlockKind kind, int nbasis, std::span<const int> columns);
  /// Columns that several blocks may share.
  RowColumns addColumns(std::span<const int> columns);
  /// A new block over such columns, with a matrix that is not set.
  double* addBlock(BlockKind kind, int nbasis, const RowColumns& columns) { return openBlock(kind, nbasis, columns); }
  /// A new block with the friction of a contact, and a matrix that is not set.
  double* addContactBlock(BlockKind kind, int nbasis, const RowColumns& columns, const std::array<double, 5>& friction);

  /// Says which part of its equality the last block is about.
  void setPart(int part) { lastBlock().part = part; }

  /// The next row of the last block.
  void addRow(RowType type, int id, double pos, double margin, double frictionloss = 0) {
    addRows(1, type, id, pos, margin, frictionloss);
  }
  /// The next `count` rows, all alike.
  void addRows(int count, RowType type, int id, double pos, double margin, double frictionloss = 0) {
    if (d_.efc_type.size() < rows_ + count) growRows(count);
    lastBlock().nrow += count;
    for (const int end = rows_ + count; rows_ < end; ++rows_) {
      d_.efc_type[rows_] = type;
      d_.efc_id[rows_] = id;
      d_.efc_pos[rows_] = pos;
      d_.efc_margin[rows_] = margin;
      d_.efc_frictionloss[rows_] = frictionloss;
    }
  }

  /// Number of rows so far.
  int rows() const { return rows_; }
  /// Cuts the arrays to what has been added.
  void finish();

  const Model& model() const { return m_; }
  Data& data() { return d_; }

 private:
  double* openBlock(BlockKind kind, int nbasis, const RowColumns& columns);
  void growRows(int count);
  RowBlock& lastBlock() { return d_.row_block[blocks_ - 1]; }

  const Model& m_;
  Data& d_;
  int rows_ = 0, blocks_ = 0, columns_ = 0, values_ = 0, cones_ = 0;
};

/// Rows that hold a flex together, see flex_rows.cpp.
void addFlexRows(RowBuilder& rows, int equality);
/// Equalities in force, in their order: connect, weld, joint, tendon.
void addEqualityRows(RowBuilder& rows);
/// Friction loss: dofs, then tendons. J = unit vector or tendon Jacobian, |force| <= frictionloss.
void addFrictionRows(RowBuilder& rows);
/// Limits: joints, then tendons, lower stop before upper. J = +-1 (ball: minus the rotation axis), force >= 0.
void addLimitRows(RowBuilder& rows);
/// Contacts that are near enough for a force. J = frame (J_2 - J_1) at the contact point.
void addContactRows(RowBuilder& rows);

/// World anchors of a connect or weld and the carriers they are fixed to. Those of a weld are bodies.
struct EqualityAnchors {
  Vec3 pos1, pos2;
  Carrier carrier1, carrier2;
};
EqualityAnchors equalityAnchors(const Model& m, const Data& d, int equality);

/// Relative orientation that a weld wants to be the identity: conj(q2) q1 with q1, q2 the world orientations of its
/// frames (a body's relative pose included).
struct WeldFrames {
  Quat q1, q2;
};
WeldFrames weldFrames(const Model& m, const Data& d, int equality);

/// dJ/dt v of connects and welds, subtracted from `aref`.
void subtractJacobianRate(const Model& m, const Data& d, double* aref);

/// efc_diagA, efc_KBIP, efc_R, efc_D and Contact::mu from the rows' parameters.
void setImpedance(const Model& m, Data& d);

/// How far the normal of a contact gives way at rest, m/N, if a side of it is a flex whose rows are weighed against its
/// stiffness: what a row of the soft solvers does there, (1 - d)/d^2 / (m/tau^2 + k). Otherwise 0.
double complianceOf(const Model& m, const Data& d, const RowBlock& block);

}  // namespace sinew
