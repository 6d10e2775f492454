#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"
#include "elastic/cell.h"
#include "kinematics/flexes.h"

/// Equalities that hold a flex together. Every row has its own impedance and no dJ/dt v term.
namespace sinew {
namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;
using Mat32 = Eigen::Matrix<double, 3, 2>;

/// One row: |x_2 - x_1| - L0 = 0 with J = u'(J_2 - J_1), u the direction of the edge.
void addEdge(RowBuilder& rows, int equality, int flex, int edge) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const double length = d.flexedge_length[edge];
  if (m.flexedge_rigid[edge] || !(length > elastic::kMinLength)) return;
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

/// Mass that a point stands for: its node's, or that of the body it rides on; next to nothing if it cannot move.
double massOf(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  const double mass = node < 0 ? m.body_mass[m.flexpoint_bodyid[point]] : m.flexnode_mass[node];
  return node >= 0 && m.flexnode_pinned[node] ? kMinVal : std::max(kMinVal, mass);
}

/// Neighbours of every vertex of a flex, in the order of their edges.
struct Neighbours {
  std::span<int> adr;   ///< first entry of each vertex, and one past the last
  std::span<int> list;  ///< vertices
};

Neighbours neighboursOf(const Model& m, int flex, Arena& arena) {
  const int vertices = m.flex_vertnum[flex], edges = m.flex_edgenum[flex];
  const Neighbours n{arena.zeros<int>(vertices + 2), arena.take<int>(2 * edges)};
  const int* edge = m.flex_edge.data() + 2 * m.flex_edgeadr[flex];
  for (int k = 0; k < 2 * edges; ++k) ++n.adr[static_cast<std::size_t>(edge[k] + 2)];
  for (std::size_t v = 2; v < n.adr.size(); ++v) n.adr[v] += n.adr[v - 1];
  for (int k = 0; k < 2 * edges; ++k) {
    n.list[static_cast<std::size_t>(n.adr[static_cast<std::size_t>(edge[k] + 1)]++)] = edge[k ^ 1];
  }
  return n;
}

/// Two rows per vertex of a sheet that keep its surroundings from stretching. The deformation gradient F (3 x 2) there
/// is fitted to the edges around the vertex, F = A inv(B) with A = sum w dy dx', B = sum w dx dx' (dx at rest, dy now,
/// w the neighbour's mass). With C = F'F and s the root of the vertex's mass, the residuals are s (tr C - 2) and
/// s (det C - 1); their gradients with respect to an edge dy are 2 s w F G inv(B) dx, G = 1 and the adjugate of C.
void addVertex(RowBuilder& rows, int equality, int flex, int vertex, std::span<const int> neighbours) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.arena);
  const int firstPoint = m.flex_pointadr[flex], firstVertex = m.flex_vertadr[flex];
  const ConstMapVec3 size = vec3(m.flex_size.data(), flex);
  const double* x = d.flexpoint_xpos.data() + 3 * firstPoint;
  const auto restEdge = [&](int other) -> Vec2 {
    const Vec3 edge = vec3(m.flex_vert0.data(), firstVertex + other) - vec3(m.flex_vert0.data(), firstVertex + vertex);
    return (2 * size.cwiseProduct(edge)).head<2>();
  };
  Mat2 B = Mat2::Zero();
  Mat32 A = Mat32::Zero();
  for (const int other : neighbours) {
    const double w = massOf(m, firstPoint + other);
    const Vec2 dx = restEdge(other);
    B += w * dx * dx.transpose();
    A += w * (vec3(x, other) - vec3(x, vertex)) * dx.transpose();
  }
  if (!(B.determinant() > 1e-12 * B.trace() * B.trace())) return;  // all edges along one line: nothing to measure
  const Mat2 inverse = B.inverse();
  const Mat32 F = A * inverse;
  const Mat2 C = F.transpose() * F;
  Mat2 adjugate;
  adjugate << C(1, 1), -C(0, 1), -C(1, 0), C(0, 0);
  const double mass = massOf(m, firstPoint + vertex);
  const double scale = mass > kMinVal ? std::sqrt(mass) : 1;

  // columns: every node around, and the vertex itself
  int most = 0;
  for (const int other : neighbours) most += dofsOfPoint(m, firstPoint + other);
  most += dofsOfPoint(m, firstPoint + vertex);
  for (const bool area : {false, true}) {
    const Arena::Scope rowScope(d.arena);
    const Mat32 G = area ? Mat32(F * adjugate * inverse) : Mat32(F * inverse);
    RowSum sum(m, d, most);
    Vec3 total = Vec3::Zero();
    for (const int other : neighbours) {
      const Vec3 g = 2 * scale * massOf(m, firstPoint + other) * (G * restEdge(other));
      sum.add(firstPoint + other, g);
      total += g;
    }
    sum.add(firstPoint + vertex, -total);
    const RowSum::Row row = sum.finish();
    if (row.columns.empty()) return;
    std::copy(row.values.begin(), row.values.end(), rows.addBlock(BlockKind::Equality, 1, row.columns));
    rows.setPart(firstPoint + vertex);
    const double residual = area ? C.determinant() - 1 : C.trace() - 2;
    rows.addRow(RowType::Equality, equality, scale * residual, 0);
  }
}

/// Modes of strain of one cell of an interpolated flex: one row per mode, mode . u = 0 with u = R'x - rest the
/// displacement in axes that turn with the cell. J = sum over points of (R mode_n)' J_n; the rotation counts as fixed.
template <int Order>
void addCell(RowBuilder& rows, int equality, int flex) {
  constexpr int kPoints = elastic::kCellPoints<Order>;
  const Model& m = rows.model();
  Data& d = rows.data();
  const double* cell = m.eq_data.data() + 11 * equality;
  const int ny = m.flex_cellnum[3 * flex + 1] * Order + 1, nz = m.flex_cellnum[3 * flex + 2] * Order + 1;
  const int i = Order * static_cast<int>(cell[0]), j = Order * static_cast<int>(cell[1]);
  const int k = Order * static_cast<int>(cell[2]);
  std::array<int, kPoints> points;
  elastic::CellNodes<Order> x;
  int most = 0;
  for (int n = 0; n < kPoints; ++n) {
    const int a = n / ((Order + 1) * (Order + 1)), b = n / (Order + 1) % (Order + 1), c = n % (Order + 1);
    const int point = m.flex_pointadr[flex] + ((i + a) * ny + j + b) * nz + k + c;
    points[static_cast<std::size_t>(n)] = point;
    x.col(n) = vec3(d.flexpoint_xpos.data(), point);
    most += dofsOfPoint(m, point);
  }
  const Mat3 R = elastic::cellRotation<Order>(x);
  const elastic::CellNodes<Order> u =
      R.transpose() * (x.colwise() - x.col(0).eval()) - elastic::cellRest<Order>(vec3(m.flex_cellsize.data(), flex));
  for (int mode = 0; mode < m.flex_modenum[flex]; ++mode) {
    const Arena::Scope scope(d.arena);
    const double* values = m.flexmode.data() + m.flex_modeadr[flex] + static_cast<std::ptrdiff_t>(3 * kPoints) * mode;
    RowSum sum(m, d, most);
    double residual = 0;
    for (int n = 0; n < kPoints; ++n) {
      const ConstMapVec3 part(values + 3 * n);
      residual += part.dot(u.col(n));
      sum.add(points[static_cast<std::size_t>(n)], R * part);
    }
    const RowSum::Row row = sum.finish();
    if (row.columns.empty()) return;
    std::copy(row.values.begin(), row.values.end(), rows.addBlock(BlockKind::Equality, 1, row.columns));
    rows.setPart(points[0]);
    rows.addRow(RowType::Equality, equality, residual, 0);
  }
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
    case EqualityType::FlexVert: {
      if (m.flex_dim[flex] != 2 || m.flex_interp[flex] != 0) return;
      const Arena::Scope scope(rows.data().arena);
      const Neighbours all = neighboursOf(m, flex, rows.data().arena);
      for (int v = 0; v < m.flex_vertnum[flex]; ++v) {
        const auto begin = static_cast<std::size_t>(all.adr[static_cast<std::size_t>(v)]);
        const auto end = static_cast<std::size_t>(all.adr[static_cast<std::size_t>(v + 1)]);
        addVertex(rows, equality, flex, v, all.list.subspan(begin, end - begin));
      }
      return;
    }
    case EqualityType::FlexStrain:
      if (m.flex_interp[flex] == 1) addCell<1>(rows, equality, flex);
      if (m.flex_interp[flex] == 2) addCell<2>(rows, equality, flex);
      return;
    default:
      return;
  }
}

}  // namespace sinew
