#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "constraint/constraint.h"
#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"
#include "elastic/cell.h"
#include "elastic/shell.h"
#include "kinematics/flexes.h"
#include "math/decompose.h"
#include "model/workspace.h"

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
    const Arena::Scope scope(d.work->arena);
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
  for (int k = 0; k < 2 * edges; ++k) ++n.adr[edge[k] + 2];
  for (std::size_t v = 2; v < n.adr.size(); ++v) n.adr[v] += n.adr[v - 1];
  for (int k = 0; k < 2 * edges; ++k) {
    n.list[n.adr[edge[k] + 1]++] = edge[k ^ 1];
  }
  return n;
}

/// Two rows per vertex of a sheet that keep its surroundings from stretching. The deformation gradient F (3 x 2) there
/// is fitted to the edges around the vertex, F = A inv(B) with A = sum w dy dx', B = sum w dx dx' (dx at rest, dy now,
/// w the neighbour's mass). With C = F'F and s the root of the vertex's mass, the residuals are s (tr C - 2) and
/// s (det C - 1); their gradients with respect to an edge dy are 2 s w F G inv(B) dx, G = 1 and the adjugate of C.
/// dx are coordinates in the plane of the rest shape, or in the plane that fits it best there: in which axes makes no
/// difference to tr C and det C. Where the rest shape is curved, C at rest is not 1, and its trace and determinant take
/// the places of 2 and 1.
class VertexFit {
 public:
  VertexFit(const Model& m, const Data& d, int flex, int vertex, std::span<const int> neighbours)
      : m_(m), flex_(flex), vertex_(vertex), neighbours_(neighbours) {
    const double* x = d.flexpoint_xpos.data() + 3 * firstPoint();
    findPlane();
    Mat2 B = Mat2::Zero();
    Mat32 A = Mat32::Zero(), atRest = Mat32::Zero();
    for (const int other : neighbours) {
      const double w = massOf(m, firstPoint() + other);
      const Vec2 dx = restEdge(other);
      B += w * dx * dx.transpose();
      A += w * (vec3(x, other) - vec3(x, vertex)) * dx.transpose();
      if (!level_) atRest += w * restEdge3(other) * dx.transpose();
    }
    // all edges along one line, or all but one to neighbours that cannot move and so hardly count: nothing to measure
    valid_ = B.determinant() > 1e-9 * B.trace() * B.trace();
    if (!valid_) return;
    inverse_ = B.inverse();
    F_ = A * inverse_;
    C_ = F_.transpose() * F_;
    if (!level_) {
      const Mat32 F = atRest * inverse_;
      const Mat2 C = F.transpose() * F;
      trace_ = C.trace();
      determinant_ = C.determinant();
    }
    const double mass = massOf(m, firstPoint() + vertex);
    scale_ = mass > kMinVal ? std::sqrt(mass) : 1;
  }

  bool valid() const { return valid_; }
  double residual(bool area) const { return scale_ * (area ? C_.determinant() - determinant_ : C_.trace() - trace_); }

  /// Calls visit(point, gradient of the residual).
  template <class Visitor>
  void forEachGradient(bool area, Visitor&& visit) const {
    Mat2 adjugate;
    adjugate << C_(1, 1), -C_(0, 1), -C_(1, 0), C_(0, 0);
    const Mat32 G = area ? Mat32(F_ * adjugate * inverse_) : Mat32(F_ * inverse_);
    Vec3 total = Vec3::Zero();
    for (const int other : neighbours_) {
      const Vec3 g = 2 * scale_ * massOf(m_, firstPoint() + other) * (G * restEdge(other));
      visit(firstPoint() + other, g);
      total += g;
    }
    visit(firstPoint() + vertex_, Vec3(-total));
  }

 private:
  int firstPoint() const { return m_.flex_pointadr[flex_]; }
  Vec3 restEdge3(int other) const {
    const double* rest = m_.flex_vert0.data() + 3 * m_.flex_vertadr[flex_];
    const Vec3 edge = vec3(rest, other) - vec3(rest, vertex_);
    return 2 * vec3(m_.flex_size.data(), flex_).cwiseProduct(edge);
  }
  Vec2 restEdge(int other) const {
    const Vec3 edge = restEdge3(other);
    return level_ ? Vec2(edge.head<2>()) : Vec2(plane_.transpose() * edge);
  }
  /// The plane in which the edges lie at rest, or nearly do.
  void findPlane() {
    Mat3 sum = Mat3::Zero();
    for (const int other : neighbours_) {
      const Vec3 edge = restEdge3(other);
      level_ = level_ && edge.z() == 0;
      sum += edge * edge.transpose();
    }
    if (!level_) plane_ = symmetricModes(Eigen::Matrix3d(sum)).axes.rightCols<2>();
  }

  const Model& m_;
  int flex_, vertex_;
  std::span<const int> neighbours_;
  bool valid_ = false;
  bool level_ = true;  ///< the plane is that of x and y
  Mat32 plane_;
  Mat2 inverse_, C_;
  Mat32 F_;
  double trace_ = 2, determinant_ = 1;  ///< of C at rest
  double scale_ = 1;
};

void addVertex(RowBuilder& rows, int equality, int flex, int vertex, std::span<const int> neighbours) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.work->arena);
  const VertexFit fit(m, d, flex, vertex, neighbours);
  if (!fit.valid()) return;

  // columns: every node around, and the vertex itself
  const int firstPoint = m.flex_pointadr[flex];
  int most = 0;
  for (const int other : neighbours) most += dofsOfPoint(m, firstPoint + other);
  most += dofsOfPoint(m, firstPoint + vertex);
  for (const bool area : {false, true}) {
    const Arena::Scope rowScope(d.work->arena);
    RowSum sum(m, d, most);
    fit.forEachGradient(area, [&](int point, const Vec3& g) { sum.add(point, g); });
    const RowSum::Row row = sum.finish();
    if (row.columns.empty()) return;
    std::copy(row.values.begin(), row.values.end(), rows.addBlock(BlockKind::Equality, 1, row.columns));
    rows.setPart(firstPoint + vertex);
    rows.addRow(RowType::Equality, equality, fit.residual(area), 0);
  }
}

/// Modes of strain of one cell of an interpolated flex: one row per mode, mode . u = 0 with u = R'x - rest the
/// displacement in axes that turn with the cell. J = sum over points of (R mode_n)' J_n; the rotation counts as fixed.
template <int Order>
struct StrainCell {
  static constexpr int kPoints = elastic::kCellPoints<Order>;
  std::array<int, kPoints> points;
  Mat3 R;
  elastic::CellNodes<Order> u;

  StrainCell(const Model& m, const Data& d, int equality, int flex) {
    const double* cell = m.eq_data.data() + 11 * equality;
    const int ny = m.flex_cellnum[3 * flex + 1] * Order + 1, nz = m.flex_cellnum[3 * flex + 2] * Order + 1;
    const int i = Order * static_cast<int>(cell[0]), j = Order * static_cast<int>(cell[1]);
    const int k = Order * static_cast<int>(cell[2]);
    elastic::CellNodes<Order> x;
    for (int n = 0; n < kPoints; ++n) {
      const int a = n / ((Order + 1) * (Order + 1)), b = n / (Order + 1) % (Order + 1), c = n % (Order + 1);
      const int point = m.flex_pointadr[flex] + ((i + a) * ny + j + b) * nz + k + c;
      points[n] = point;
      x.col(n) = vec3(d.flexpoint_xpos.data(), point);
    }
    R = elastic::cellRotation<Order>(x);
    u = R.transpose() * (x.colwise() - x.col(0).eval()) - elastic::cellRest<Order>(vec3(m.flex_cellsize.data(), flex));
  }

  /// 3 kPoints numbers.
  static const double* mode(const Model& m, int flex, int number) {
    return m.flexmode.data() + m.flex_modeadr[flex] + static_cast<std::ptrdiff_t>(3 * kPoints) * number;
  }
};

/// The same for a face of an interpolated shell; each of the three normals has its own modes.
template <int Order>
struct StrainFace {
  static constexpr int kPoints = elastic::kFacePoints<Order>;
  std::array<int, kPoints> points;
  int axis = 0;
  Mat3 R;
  elastic::FaceNodes<Order> u;

  StrainFace(const Model& m, const Data& d, int equality, int flex) {
    const int* n = m.flex_cellnum.data() + 3 * flex;
    const std::array<int, 3> cells{n[0], n[1], n[2]};
    const elastic::ShellFace face = elastic::faceAt(cells, static_cast<int>(m.eq_data[11 * equality]));
    axis = face.axis;
    elastic::FaceNodes<Order> x;
    for (int k = 0; k < kPoints; ++k) {
      const int point =
          m.flex_pointadr[flex] + elastic::facePoint(cells, Order, face, k / (Order + 1), k % (Order + 1));
      points[k] = point;
      x.col(k) = vec3(d.flexpoint_xpos.data(), point);
    }
    R = elastic::faceRotation<Order>(x, axis);
    u = R.transpose() * (x.colwise() - x.col(0).eval()) -
        elastic::faceRest<Order>(vec3(m.flex_cellsize.data(), flex), axis);
  }

  const double* mode(const Model& m, int flex, int number) const {
    const std::ptrdiff_t skipped = static_cast<std::ptrdiff_t>(axis) * m.flex_modenum[flex] + number;
    return m.flexmode.data() + m.flex_modeadr[flex] + 3 * kPoints * skipped;
  }
};

/// Calls f with what the equality holds: a cell or a face.
template <class F>
void withStrained(const Model& m, const Data& d, int equality, int flex, F&& f) {
  switch (m.flex_interp[flex]) {
    case 1:
      return f(StrainCell<1>(m, d, equality, flex));
    case 2:
      return f(StrainCell<2>(m, d, equality, flex));
    case -1:
      return f(StrainFace<1>(m, d, equality, flex));
    case -2:
      return f(StrainFace<2>(m, d, equality, flex));
    default:
      return;
  }
}

template <class Cell>
void addCell(RowBuilder& rows, int equality, int flex, const Cell& cell) {
  const Model& m = rows.model();
  Data& d = rows.data();
  int most = 0;
  for (const int point : cell.points) most += dofsOfPoint(m, point);
  RowColumns columns;  // of all modes
  for (int mode = 0; mode < m.flex_modenum[flex]; ++mode) {
    const Arena::Scope scope(d.work->arena);
    const double* values = cell.mode(m, flex, mode);
    RowSum sum(m, d, most);
    double residual = 0;
    for (int n = 0; n < cell.kPoints; ++n) {
      const ConstMapVec3 part(values + 3 * n);
      residual += part.dot(cell.u.col(n));
      sum.add(cell.points[n], cell.R * part);
    }
    const RowSum::Row row = sum.finish();
    if (row.columns.empty()) return;
    if (mode == 0) columns = rows.addColumns(row.columns);
    std::copy(row.values.begin(), row.values.end(), rows.addBlock(BlockKind::Equality, 1, columns));
    rows.setPart(cell.points[0]);
    rows.addRow(RowType::Equality, equality, residual, 0);
  }
}

/// Forces of the rows of one equality: its blocks are `count` from `block` on.
void addEdgeForces(const Model& m, const Data& d, int flex, const RowBlock* block, int count, double* force) {
  for (int b = 0; b < count; ++b) {
    const int* ends = &m.flex_edge[2 * block[b].part];
    const int point1 = m.flex_pointadr[flex] + ends[0], point2 = m.flex_pointadr[flex] + ends[1];
    const Vec3 u = (vec3(d.flexpoint_xpos.data(), point2) - vec3(d.flexpoint_xpos.data(), point1)) /
                   d.flexedge_length[block[b].part];
    const Vec3 f = d.efc_force[block[b].row] * u;
    vec3(force, point1) -= f;
    vec3(force, point2) += f;
  }
}

void addVertexForces(const Model& m, Data& d, int flex, const RowBlock* block, int count, double* force) {
  const Arena::Scope scope(d.work->arena);
  const Neighbours all = neighboursOf(m, flex, d.work->arena);
  for (int b = 0; b < count; ++b) {
    const bool area = b > 0 && block[b - 1].part == block[b].part;
    const int vertex = block[b].part - m.flex_pointadr[flex];
    const auto begin = static_cast<std::size_t>(all.adr[vertex]);
    const auto end = static_cast<std::size_t>(all.adr[vertex + 1]);
    const double f = d.efc_force[block[b].row];
    VertexFit(m, d, flex, vertex, all.list.subspan(begin, end - begin))
        .forEachGradient(area, [&](int p, const Vec3& g) { vec3(force, p) += f * g; });
  }
}

template <class Cell>
void addCellForces(const Model& m, const Data& d, int flex, const Cell& cell, const RowBlock* block, int count,
                   double* force) {
  for (int mode = 0; mode < count; ++mode) {
    const double* values = cell.mode(m, flex, mode);
    for (int n = 0; n < cell.kPoints; ++n) {
      vec3(force, cell.points[n]) += d.efc_force[block[mode].row] * (cell.R * ConstMapVec3(values + 3 * n));
    }
  }
}

/// A connect holds p1 - p2 at zero.
void addConnectForce(const Model& m, const Data& d, int equality, const RowBlock& block, double* force) {
  const EqualityAnchors anchors = equalityAnchors(m, d, equality);
  const ConstMapVec3 f(d.efc_force.data() + block.row);
  if (anchors.carrier1.isNode()) vec3(force, m.flexnode_pointid[anchors.carrier1.node()]) += f;
  if (anchors.carrier2.isNode()) vec3(force, m.flexnode_pointid[anchors.carrier2.node()]) -= f;
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
      const Arena::Scope scope(rows.data().work->arena);
      const Neighbours all = neighboursOf(m, flex, rows.data().work->arena);
      for (int v = 0; v < m.flex_vertnum[flex]; ++v) {
        const auto begin = static_cast<std::size_t>(all.adr[v]);
        const auto end = static_cast<std::size_t>(all.adr[v + 1]);
        addVertex(rows, equality, flex, v, all.list.subspan(begin, end - begin));
      }
      return;
    }
    case EqualityType::FlexStrain:
      withStrained(m, rows.data(), equality, flex, [&](const auto& cell) { addCell(rows, equality, flex, cell); });
      return;
    default:
      return;
  }
}

void addRowForces(const Model& m, Data& d, double* pointForce) {
  const int blocks = static_cast<int>(d.row_block.size());
  for (int first = 0, end = 0; first < blocks && d.row_block[first].row < d.ne; first = end) {
    const int equality = d.efc_id[d.row_block[first].row];
    for (end = first; end < blocks && d.row_block[end].row < d.ne; ++end) {
      if (d.efc_id[d.row_block[end].row] != equality) break;
    }
    const RowBlock* block = &d.row_block[first];
    const int count = end - first, flex = m.eq_obj1id[equality];
    switch (m.eq_type[equality]) {
      case EqualityType::Connect:
        addConnectForce(m, d, equality, *block, pointForce);
        break;
      case EqualityType::Flex:
        addEdgeForces(m, d, flex, block, count, pointForce);
        break;
      case EqualityType::FlexVert:
        addVertexForces(m, d, flex, block, count, pointForce);
        break;
      case EqualityType::FlexStrain:
        withStrained(m, d, equality, flex,
                     [&](const auto& cell) { addCellForces(m, d, flex, cell, block, count, pointForce); });
        break;
      default:
        break;
    }
  }
}

}  // namespace sinew
