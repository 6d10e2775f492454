#include <algorithm>
#include <array>

#include "constraint/row_builder.h"
#include "kinematics/dof_chains.h"

namespace sinew {
namespace {

/// Dofs that change the relative position of the two sides, growing, and for each the relative velocity of the two
/// material points that unit speed of the dof causes: v_2 - v_1, w_2 - w_1.
struct RelativeMotion {
  std::span<int> columns;
  std::span<double> linear, angular;  // 3 per column
};

/// Both sides are single bodies: a dof that moves both moves the common point alike and drops out.
RelativeMotion betweenBodies(const Model& m, Data& d, int body1, int body2, const Vec3& p) {
  RelativeMotion motion{d.arena.take<int>(m.nv), d.arena.take<double>(3 * m.nv), d.arena.take<double>(3 * m.nv)};
  std::size_t count = 0;
  forEachDofBetween(m, body1, body2, [&](int dof, bool moves1) {
    const JacobianColumn c = jacobianColumn(m, d, dof, p);
    const double sign = moves1 ? -1 : 1;
    motion.columns[count] = dof;
    MapVec3(motion.linear.data() + 3 * count) = sign * c.linear;
    MapVec3(motion.angular.data() + 3 * count) = sign * c.angular;
    ++count;
  });
  motion.columns = motion.columns.first(count);
  return motion;
}

}  // namespace

void addContactRows(RowBuilder& rows) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const bool pyramidal = m.opt.cone == Cone::Pyramidal;
  for (int i = 0; i < d.ncon(); ++i) {
    Contact& contact = d.contact[i];
    if (contact.exclude != ContactExclude::None) continue;
    const Arena::Scope scope(d.arena);
    const ConstMapMat3 frame(contact.frame.data());
    const RelativeMotion motion =
        betweenBodies(m, d, d.support_carrier[contact.side[0].begin], d.support_carrier[contact.side[1].begin],
                      ConstMapVec3(contact.pos.data()));
    const std::size_t n = motion.columns.size();
    if (n == 0) {
      contact.exclude = ContactExclude::NoDofs;
      continue;
    }
    contact.efc_address = d.nefc();

    // columns were found from the last dof to the first
    const auto fill = [&](double* basis) {
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t source = n - 1 - k;
        const Vec3 linear = frame * ConstMapVec3(motion.linear.data() + 3 * source);
        for (int r = 0; r < std::min(contact.dim, 3); ++r) basis[static_cast<std::size_t>(r) * n + k] = linear[r];
        if (contact.dim <= 3) continue;
        const Vec3 angular = frame * ConstMapVec3(motion.angular.data() + 3 * source);
        for (int r = 3; r < contact.dim; ++r) basis[static_cast<std::size_t>(r) * n + k] = angular[r - 3];
      }
    };
    const std::span<int> columns = d.arena.take<int>(static_cast<std::ptrdiff_t>(n));
    std::reverse_copy(motion.columns.begin(), motion.columns.end(), columns.begin());

    if (contact.dim == 1) {
      fill(rows.addBlock(BlockKind::Unilateral, 1, columns));
      rows.addRow(RowType::ContactFrictionless, i, contact.dist, contact.includemargin);
      continue;
    }
    const int cone = static_cast<int>(d.row_cone.size());
    d.row_cone.push_back({0, contact.friction});
    if (pyramidal) {
      fill(rows.addBlock(BlockKind::Pyramid, contact.dim, columns, cone));
      for (int r = 0; r < 2 * (contact.dim - 1); ++r) {
        rows.addRow(RowType::ContactPyramidal, i, contact.dist, contact.includemargin);
      }
    } else {
      fill(rows.addBlock(BlockKind::Elliptic, contact.dim, columns, cone));
      rows.addRow(RowType::ContactElliptic, i, contact.dist, contact.includemargin);
      for (int r = 1; r < contact.dim; ++r) rows.addRow(RowType::ContactElliptic, i, 0, 0);
    }
  }
}

}  // namespace sinew
