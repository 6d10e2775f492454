#include <algorithm>
#include <array>
#include <cstring>

#include "constraint/constraint.h"
#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"
#include "kinematics/side.h"
#include "math/kernel.h"
#include "model/workspace.h"
#include "solve/block_solve.h"

namespace sinew {
namespace {

/// Three rows of numbers, one for each dof, filled up to whole vectors.
struct DofRows {
  double* numbers = nullptr;
  int padded = 0;

  double& at(int row, int k) { return numbers[row * padded + k]; }
};

/// Number of dofs, filled up.
int paddedTo(int count) { return (count + kLanes - 1) / kLanes * kLanes; }

/// out = M in.
SINEW_KERNEL void multiply(const double* M, const double* in, int padded, double* out) {
  for (int k = 0; k < padded; k += kLanes) {
    const Wide x = loadWide(in + k), y = loadWide(in + padded + k), z = loadWide(in + 2 * padded + k);
    for (int r = 0; r < 3; ++r) store(out + r * padded + k, M[3 * r] * x + M[3 * r + 1] * y + M[3 * r + 2] * z);
  }
}

/// out = start + M in, where the rows of `out` follow each other without a gap.
template <int Rows>
inline __attribute__((always_inline)) void addProduct(const double* start, const double* M, const double* in,
                                                      int padded, int n, double* out) {
  int k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    const Wide x = loadWide(in + k), y = loadWide(in + padded + k), z = loadWide(in + 2 * padded + k);
    for (int r = 0; r < Rows; ++r) {
      store(out + r * n + k, loadWide(start + r * padded + k) + (M[3 * r] * x + M[3 * r + 1] * y + M[3 * r + 2] * z));
    }
  }
  for (; k < n; ++k) {
    for (int r = 0; r < Rows; ++r) {
      out[r * n + k] = start[r * padded + k] +
                       (M[3 * r] * in[k] + M[3 * r + 1] * in[padded + k] + M[3 * r + 2] * in[2 * padded + k]);
    }
  }
}

SINEW_KERNEL void setNormalRow(const double* start, const double* M, const double* in, int padded, int n, double* out) {
  addProduct<1>(start, M, in, padded, n, out);
}

SINEW_KERNEL void setThreeRows(const double* start, const double* M, const double* in, int padded, int n, double* out) {
  addProduct<3>(start, M, in, padded, n, out);
}

/// How the dofs between two bodies move the second against the first. Contacts of one pair follow each other, mostly
/// with the same normal, so what they have in common is kept.
class PairMotion {
 public:
  explicit PairMotion(RowBuilder& rows) : rows_(rows) {}

  void find(int body1, int body2) {
    if (body1 == body1_ && body2 == body2_) return;
    body1_ = body1;
    body2_ = body2;
    hasFrame_ = false;
    const Model& m = rows_.model();
    Data& d = rows_.data();
    int count = 0;
    forEachDofBetween(m, body1, body2, [&](int, bool) { ++count; });
    const int padded = paddedTo(count);
    if (padded > static_cast<int>(dofs_.size())) {
      dofs_ = d.work->arena.take<int>(padded);
      numbers_ = d.work->arena.take<double>(9 * padded).data();
    }
    angular_ = {numbers_, padded};
    linear_ = {numbers_ + 3 * padded, padded};
    inFrame_ = {numbers_ + 6 * padded, padded};
    for (int k = count; k < padded; ++k) {
      for (int i = 0; i < 3; ++i) angular_.at(i, k) = linear_.at(i, k) = 0;
    }
    // a body that moves: the world's centre is that of everything, however far away
    center_ = treeCom(m, d, m.body_treeid[body2] >= 0 ? body2 : body1);
    const Vec3 fromFirst = center_ - treeCom(m, d, body1);
    const int columns = count;
    forEachDofBetween(m, body1, body2, [&](int dof, bool first) {  // from the last to the first
      dofs_[--count] = dof;
      const double* cdof = d.cdof.data() + 6 * dof;
      const Vec3 turn = first ? Vec3(-angular(cdof)) : Vec3(angular(cdof));
      const Vec3 shift = first ? Vec3(turn.cross(fromFirst) - linear(cdof)) : Vec3(linear(cdof));
      for (int i = 0; i < 3; ++i) {
        angular_.at(i, count) = turn[i];
        linear_.at(i, count) = shift[i];
      }
    });
    columns_ = rows_.addColumns(dofs_.first(static_cast<std::size_t>(columns)));
  }

  /// Lets go of the columns: others have been added since, and columns never go back from block to block.
  void forget() { body1_ = body2_ = -1; }

  const RowColumns& columns() const { return columns_; }

  /// Normal and tangents f times the velocity of the contact point: f . (v + w x r) = f . v + (r x f) . w, with v the
  /// velocity at the centre. Then f . w.
  void setRows(const Contact& contact, int count, double* basis) {
    if (!hasFrame_ || std::memcmp(frame_.data(), contact.frame.data(), sizeof(frame_)) != 0) {
      frame_ = contact.frame;
      hasFrame_ = true;
      multiply(frame_.data(), linear_.numbers, linear_.padded, inFrame_.numbers);
    }
    const ConstMapMat3 frame(frame_.data());
    const Vec3 arm = ConstMapVec3(contact.pos.data()) - center_;
    std::array<double, 9> moment;
    for (int k = 0; k < 3; ++k) MapVec3(moment.data() + 3 * k) = arm.cross(Vec3(frame.row(k)));
    (count == 1 ? setNormalRow : setThreeRows)(inFrame_.numbers, moment.data(), angular_.numbers, angular_.padded,
                                               columns_.count, basis);
    for (int r = 3; r < count; ++r) {
      for (int k = 0; k < columns_.count; ++k) {
        basis[r * columns_.count + k] = frame(r - 3, 0) * angular_.at(0, k) + frame(r - 3, 1) * angular_.at(1, k) +
                                        frame(r - 3, 2) * angular_.at(2, k);
      }
    }
  }

 private:
  RowBuilder& rows_;
  int body1_ = -1, body2_ = -1;
  RowColumns columns_;
  std::span<int> dofs_;
  double* numbers_ = nullptr;
  Vec3 center_ = Vec3::Zero();
  DofRows angular_, linear_;  // about the centre, of the second body minus the first
  std::array<double, 9> frame_{};
  DofRows inFrame_;  // frame times linear
  bool hasFrame_ = false;
};

/// Rows of any contact.
void setRows(const Contact& contact, int count, const RelativeMotion& motion, double* basis) {
  const ConstMapMat3 frame(contact.frame.data());
  const std::size_t n = motion.columns.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 linear = frame * ConstMapVec3(motion.linear.data() + 3 * k);
    basis[k] = linear[0];
    if (count == 1) continue;
    basis[n + k] = linear[1];
    basis[2 * n + k] = linear[2];
    if (count <= 3) continue;
    const Vec3 angular = frame * ConstMapVec3(motion.angular.data() + 3 * k);
    for (int r = 3; r < count; ++r) basis[static_cast<std::size_t>(r) * n + k] = angular[r - 3];
  }
}

/// Whether nothing moves a contact along its normal, given the rows of normal and tangents. A row of impulses without
/// friction must not take what rounding leaves of such a normal for a lever; where there is friction, the solver sees
/// the tangents itself.
bool normalIsFixed(std::span<const double> rows) {
  const std::size_t n = rows.size() / 3;
  for (std::size_t k = 0; k < n; ++k) {
    const double along = rows[k] * rows[k], across = rows[n + k] * rows[n + k] + rows[2 * n + k] * rows[2 * n + k];
    if (along > solve::kLeastMobility * across) return false;
  }
  return true;
}

/// Edges of a pyramid are normals as well and lift off what slides, by more the harder they are. What presses soft
/// things slides at the rim, and must neither chatter nor creep: contacts of flexes that are not of the reference
/// engine have round cones, as have contacts that are hard in this step.
bool hasRoundCone(const Model& m, const Contact& contact) {
  return contact.swept || std::any_of(contact.flex.begin(), contact.flex.end(),
                                      [&](int f) { return f >= 0 && m.flex_law[f] != FlexLaw::Reference; });
}

}  // namespace

void addContactRows(RowBuilder& rows) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.work->arena);
  const bool pyramids = !conesAreElliptic(m.opt);
  PairMotion between(rows);
  for (int i = 0; i < d.ncon(); ++i) {
    Contact& contact = d.contact[i];
    const bool passive = contact.exclude == ContactExclude::Passive;
    if (passive) contact.dim = 1;
    if (contact.exclude != ContactExclude::None && !passive) continue;

    const int body1 = Side(m, d, contact, 0).onlyBody(), body2 = Side(m, d, contact, 1).onlyBody();
    const bool bodies = body1 >= 0 && body2 >= 0;
    bodies ? between.find(body1, body2) : between.forget();
    const Arena::Scope inner(d.work->arena);
    const RelativeMotion motion = bodies ? RelativeMotion{} : contactMotion(m, d, contact);
    if (bodies ? between.columns().count == 0 : motion.columns.empty()) {
      contact.exclude = ContactExclude::NoDofs;
      continue;
    }
    const RowColumns columns = bodies ? between.columns() : rows.addColumns(motion.columns);
    contact.efc_address = rows.rows();
    const BlockKind kind = contact.dim == 1                        ? BlockKind::Unilateral
                           : pyramids && !hasRoundCone(m, contact) ? BlockKind::Pyramid
                                                                   : BlockKind::Elliptic;
    double* basis = rows.addContactBlock(kind, contact.dim, columns, contact.friction);
    const auto set = [&](int count, double* to) {
      bodies ? between.setRows(contact, count, to) : setRows(contact, count, motion, to);
    };
    set(contact.dim, basis);
    if (kind == BlockKind::Unilateral && m.opt.solver == Solver::Impulse) {
      const std::span<double> all = d.work->arena.take<double>(3 * columns.count);
      set(3, all.data());
      if (normalIsFixed(all)) std::fill_n(basis, columns.count, 0.0);
    }
    switch (kind) {
      case BlockKind::Unilateral:
        rows.addRow(RowType::ContactFrictionless, i, contact.dist, passive ? 0 : contact.includemargin);
        break;
      case BlockKind::Pyramid:
        rows.addRows(2 * (contact.dim - 1), RowType::ContactPyramidal, i, contact.dist, contact.includemargin);
        break;
      default:
        rows.addRow(RowType::ContactElliptic, i, contact.dist, contact.includemargin);
        rows.addRows(contact.dim - 1, RowType::ContactElliptic, i, 0, 0);
        break;
    }
  }
}

}  // namespace sinew
