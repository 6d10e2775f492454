#include <algorithm>
#include <array>

#include "constraint/constraint.h"
#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"

namespace sinew {

void addContactRows(RowBuilder& rows) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const bool pyramidal = !conesAreElliptic(m.opt);
  for (int i = 0; i < d.ncon(); ++i) {
    Contact& contact = d.contact[i];
    const bool passive = contact.exclude == ContactExclude::Passive;
    if (passive) contact.dim = 1;
    if (contact.exclude != ContactExclude::None && !passive) continue;
    const Arena::Scope scope(d.arena);
    const ConstMapMat3 frame(contact.frame.data());
    const RelativeMotion motion = contactMotion(m, d, contact);
    const std::size_t n = motion.columns.size();
    if (n == 0) {
      contact.exclude = ContactExclude::NoDofs;
      continue;
    }
    contact.efc_address = d.nefc();

    const auto fill = [&](double* basis) {
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
    };

    if (contact.dim == 1) {
      fill(rows.addBlock(BlockKind::Unilateral, 1, motion.columns));
      rows.addRow(RowType::ContactFrictionless, i, contact.dist, passive ? 0 : contact.includemargin);
      continue;
    }
    const int cone = static_cast<int>(d.row_cone.size());
    d.row_cone.push_back({0, contact.friction});
    if (pyramidal) {
      fill(rows.addBlock(BlockKind::Pyramid, contact.dim, motion.columns, cone));
      rows.addRows(2 * (contact.dim - 1), RowType::ContactPyramidal, i, contact.dist, contact.includemargin);
    } else {
      fill(rows.addBlock(BlockKind::Elliptic, contact.dim, motion.columns, cone));
      rows.addRow(RowType::ContactElliptic, i, contact.dist, contact.includemargin);
      rows.addRows(contact.dim - 1, RowType::ContactElliptic, i, 0, 0);
    }
  }
}

}  // namespace sinew
