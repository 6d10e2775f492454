#include <algorithm>
#include <array>

#include "constraint/constraint.h"
#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"
#include "kinematics/dof_chains.h"
#include "math/kernel.h"
#include "solve/friction_disk.h"

namespace sinew {
namespace {

/// Dofs between two bodies. Contacts of one pair follow each other, so the last pair is kept.
class DofsBetween {
 public:
  DofsBetween(const Model& m, Arena& arena) : m_(m), arena_(arena) {}

  void find(int body1, int body2) {
    if (body1 == body1_ && body2 == body2_) return;
    body1_ = body1;
    body2_ = body2;
    int count = 0;
    forEachDofBetween(m_, body1, body2, [&](int, bool) { ++count; });
    columns_ = arena_.take<int>(count);
    movesFirst_ = arena_.take<bool>(count);
    forEachDofBetween(m_, body1, body2, [&](int dof, bool first) {  // from the last to the first
      const auto k = static_cast<std::size_t>(--count);
      columns_[k] = dof;
      movesFirst_[k] = first;
    });
  }

  std::span<const int> columns() const { return columns_; }
  std::span<const bool> movesFirst() const { return movesFirst_; }
  int body1() const { return body1_; }
  int body2() const { return body2_; }

 private:
  const Model& m_;
  Arena& arena_;
  int body1_ = -1, body2_ = -1;
  std::span<int> columns_;
  std::span<bool> movesFirst_;
};

/// Normal and tangents of a contact times the velocity that unit speed along a dof gives to a side:
/// f . (v + w x r) = f . v + (r x f) . w, for three f at once.
struct Weights {
  Wide angular[3], linear[3];

  Weights(const ConstMapMat3& frame, const Vec3& arm, double sign) {
    for (int i = 0; i < 3; ++i) linear[i] = Wide{sign * frame(0, i), sign * frame(1, i), sign * frame(2, i), 0};
    Mat3 moment;
    for (int k = 0; k < 3; ++k) moment.row(k) = arm.cross(Vec3(frame.row(k)));
    for (int i = 0; i < 3; ++i) angular[i] = Wide{sign * moment(0, i), sign * moment(1, i), sign * moment(2, i), 0};
  }
};

SINEW_KERNEL void setTranslations(const Data& d, const DofsBetween& dofs, const Weights& first, const Weights& second,
                                  int rows, double* basis) {
  const std::size_t n = dofs.columns().size();
  for (std::size_t k = 0; k < n; ++k) {
    const double* cdof = d.cdof.data() + 6 * dofs.columns()[k];
    const Weights& w = dofs.movesFirst()[k] ? first : second;
    const Wide value = (w.angular[0] * cdof[0] + w.angular[1] * cdof[1] + w.angular[2] * cdof[2]) +
                       (w.linear[0] * cdof[3] + w.linear[1] * cdof[4] + w.linear[2] * cdof[5]);
    basis[k] = value[0];
    if (rows == 1) continue;
    basis[n + k] = value[1];
    basis[2 * n + k] = value[2];
  }
}

/// Rows of a contact between two bodies.
void setBodyRows(const Model& m, const Data& d, const Contact& contact, const DofsBetween& dofs, double* basis) {
  const ConstMapMat3 frame(contact.frame.data());
  const ConstMapVec3 p(contact.pos.data());
  const Weights first(frame, p - treeCom(m, d, dofs.body1()), -1), second(frame, p - treeCom(m, d, dofs.body2()), 1);
  setTranslations(d, dofs, first, second, contact.dim, basis);
  const std::size_t n = dofs.columns().size();
  for (int r = 3; r < contact.dim; ++r) {
    for (std::size_t k = 0; k < n; ++k) {
      const double turn = frame.row(r - 3).dot(angular(d.cdof.data() + 6 * dofs.columns()[k]));
      basis[static_cast<std::size_t>(r) * n + k] = dofs.movesFirst()[k] ? -turn : turn;
    }
  }
}

/// Rows of any contact.
void setRows(const Contact& contact, const RelativeMotion& motion, double* basis) {
  const ConstMapMat3 frame(contact.frame.data());
  const std::size_t n = motion.columns.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 linear = frame * ConstMapVec3(motion.linear.data() + 3 * k);
    basis[k] = linear[0];
    if (contact.dim == 1) continue;
    basis[n + k] = linear[1];
    basis[2 * n + k] = linear[2];
    if (contact.dim <= 3) continue;
    const Vec3 angular = frame * ConstMapVec3(motion.angular.data() + 3 * k);
    for (int r = 3; r < contact.dim; ++r) basis[static_cast<std::size_t>(r) * n + k] = angular[r - 3];
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

/// The body that alone carries a side, -1: there are others, or it is not a body.
int onlyBody(const Model& m, const Data& d, const ContactSide& side) {
  const int carrier = d.support_carrier[side.begin];
  return side.count == 1 && carrier < m.nbody ? carrier : -1;
}

}  // namespace

void addContactRows(RowBuilder& rows) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.arena);
  const bool pyramidal = !conesAreElliptic(m.opt);
  DofsBetween between(m, d.arena);
  for (int i = 0; i < d.ncon(); ++i) {
    Contact& contact = d.contact[i];
    const bool passive = contact.exclude == ContactExclude::Passive;
    if (passive) contact.dim = 1;
    if (contact.exclude != ContactExclude::None && !passive) continue;

    const int body1 = onlyBody(m, d, contact.side[0]), body2 = onlyBody(m, d, contact.side[1]);
    const bool bodies = body1 >= 0 && body2 >= 0;
    if (bodies) between.find(body1, body2);
    const Arena::Scope inner(d.arena);
    const RelativeMotion motion = bodies ? RelativeMotion{} : contactMotion(m, d, contact);
    const std::span<const int> columns = bodies ? between.columns() : motion.columns;
    if (columns.empty()) {
      contact.exclude = ContactExclude::NoDofs;
      continue;
    }
    contact.efc_address = rows.rows();
    const BlockKind kind = contact.dim == 1 ? BlockKind::Unilateral
                           : pyramidal      ? BlockKind::Pyramid
                                            : BlockKind::Elliptic;
    double* basis = rows.addContactBlock(kind, contact.dim, columns, contact.friction);
    const auto set = [&](const Contact& c, double* to) {
      bodies ? setBodyRows(m, d, c, between, to) : setRows(c, motion, to);
    };
    set(contact, basis);
    if (kind == BlockKind::Unilateral && m.opt.solver == Solver::Impulse) {
      Contact whole = contact;
      whole.dim = 3;
      const std::span<double> all = d.arena.take<double>(3 * static_cast<std::ptrdiff_t>(columns.size()));
      set(whole, all.data());
      if (normalIsFixed(all)) std::fill_n(basis, columns.size(), 0.0);
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
