#include <array>

#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"
#include "kinematics/flexes.h"

/// Equalities that hold a flex together. Every row has its own impedance and no dJ/dt v term.
namespace sinew {
namespace {

/// One row: |x_2 - x_1| - L0 = 0 with J = u'(J_2 - J_1), u the direction of the edge.
void addEdge(RowBuilder& rows, int equality, int flex, int edge) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const double length = d.flexedge_length[edge];
  if (m.flexedge_rigid[edge] || !(length > kMinEdge)) return;
  const int point1 = m.flex_pointadr[flex] + m.flex_edge[2 * edge];
  const int point2 = m.flex_pointadr[flex] + m.flex_edge[2 * edge + 1];
  const Vec3 u = (vec3(d.flexpoint_xpos.data(), point2) - vec3(d.flexpoint_xpos.data(), point1)) / length;
  const int node1 = m.flexpoint_nodeid[point1], node2 = m.flexpoint_nodeid[point2];
  if (node1 >= 0 && node2 >= 0 && node1 < node2) {
    // the usual case, and there are many of them: two nodes, at most one of them pinned
    std::array<int, 6> columns;
    std::array<double, 6> values;
    std::size_t n = 0;
    const auto append = [&](int node, double sign) {
      if (m.flexnode_pinned[node]) return;
      for (int k = 0; k < 3; ++k, ++n) {
        columns[n] = m.nv_rigid + 3 * node + k;
        values[n] = sign * u[k];
      }
    };
    append(node1, -1);
    append(node2, 1);
    if (n == 0) return;
    std::copy_n(values.begin(), n, rows.addBlock(BlockKind::Equality, 1, {columns.data(), n}));
  } else {
    const Arena::Scope scope(d.arena);
    const RelativeMotion motion = pointMotion(m, d, point1, point2);
    if (motion.columns.empty()) return;
    double* J = rows.addBlock(BlockKind::Equality, 1, motion.columns);
    for (std::size_t k = 0; k < motion.columns.size(); ++k) J[k] = u.dot(ConstMapVec3(motion.linear.data() + 3 * k));
  }
  rows.setPart(edge);
  rows.addRow(RowType::Equality, equality, length - m.flexedge_length0[edge], 0);
}

}  // namespace

void addFlexRows(RowBuilder& rows, int equality) {
  const Model& m = rows.model();
  const int flex = m.eq_obj1id[equality];
  switch (m.eq_type[equality]) {
    case EqualityType::Flex:
      if (m.flex_interp[flex] != 0) return;  // an interpolated flex has no edges that could be held
      for (int e = m.flex_edgeadr[flex]; e < m.flex_edgeadr[flex] + m.flex_edgenum[flex]; ++e) {
        addEdge(rows, equality, flex, e);
      }
      return;
    default:
      return;  // refused by the compiler
  }
}

}  // namespace sinew
