#include <algorithm>
#include <array>

#include "constraint/relative_motion.h"
#include "constraint/row_builder.h"
#include "kinematics/dof_chains.h"
#include "kinematics/flexes.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

constexpr int kData = 11;  // numbers per equality in eq_data

/// Dofs that move either body, growing. The result lives in the arena.
std::span<const int> columnsOfEither(const Model& m, Data& d, int body1, int body2) {
  const std::span<int> dofs = d.work->arena.take<int>(m.nv);
  std::size_t count = 0;
  forEachDofOfEither(m, body1, body2, [&](int dof, bool, bool) { dofs[count++] = dof; });
  std::reverse(dofs.begin(), dofs.begin() + static_cast<std::ptrdiff_t>(count));
  return dofs.first(count);
}

/// J_1(p1) - J_2(p2), translational in rows 0..2 and, if wanted, rotational in rows 3..5 of a row-major matrix, which
/// lives in the arena.
std::span<double> relativeJacobian(const Model& m, Data& d, const EqualityAnchors& a, std::span<const int> columns,
                                   bool rotation) {
  const std::span<double> J =
      d.work->arena.take<double>((rotation ? 6 : 3) * static_cast<std::ptrdiff_t>(columns.size()));
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(columns.size());
  std::ptrdiff_t k = n;
  forEachDofOfEither(m, a.carrier1.body(), a.carrier2.body(), [&](int dof, bool moves1, bool moves2) {
    --k;
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    if (moves1) {
      const JacobianColumn c = jacobianColumn(m, d, dof, a.pos1);
      linear += c.linear;
      angular += c.angular;
    }
    if (moves2) {
      const JacobianColumn c = jacobianColumn(m, d, dof, a.pos2);
      linear -= c.linear;
      angular -= c.angular;
    }
    for (int i = 0; i < 3; ++i) J[i * n + k] = linear[i];
    if (!rotation) return;
    for (int i = 0; i < 3; ++i) J[(3 + i) * n + k] = angular[i];
  });
  return J;
}

/// Nothing the rows speak of can move: two bodies that slide together, for one.
bool isZero(std::span<const double> J) {
  return std::all_of(J.begin(), J.end(), [](double x) { return x == 0; });
}

/// The same if one side at least is a flex node.
void addConnectToNode(RowBuilder& rows, int equality, const EqualityAnchors& a) {
  const RelativeMotion motion = carrierMotion(rows.model(), rows.data(), a.carrier2, a.pos2, a.carrier1, a.pos1);
  const std::size_t n = motion.columns.size();
  if (n == 0) return;
  double* J = rows.addBlock(BlockKind::Equality, 3, motion.columns);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < 3; ++i) J[i * n + k] = motion.linear[3 * k + i];
  }
  const Vec3 residual = a.pos1 - a.pos2;
  for (int i = 0; i < 3; ++i) rows.addRow(RowType::Equality, equality, residual[i], 0);
}

/// Three rows: p1 - p2 = 0.
void addConnect(RowBuilder& rows, int equality) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.work->arena);
  const EqualityAnchors a = equalityAnchors(m, d, equality);
  if (a.carrier1.isNode() || a.carrier2.isNode()) return addConnectToNode(rows, equality, a);
  const std::span<const int> columns = columnsOfEither(m, d, a.carrier1.body(), a.carrier2.body());
  if (columns.empty()) return;
  const std::span<const double> J = relativeJacobian(m, d, a, columns, false);
  if (isZero(J)) return;
  std::copy(J.begin(), J.end(), rows.addBlock(BlockKind::Equality, 3, columns));
  const Vec3 residual = a.pos1 - a.pos2;
  for (int i = 0; i < 3; ++i) rows.addRow(RowType::Equality, equality, residual[i], 0);
}

/// Six rows: p1 - p2 = 0 and s vec(conj(q2) q1) = 0. The rate of the latter is s/2 vec(conj(q2) (0, w1 - w2) q1), which
/// is linear in the relative angular velocity and so gives the Jacobian column by column.
void addWeld(RowBuilder& rows, int equality) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.work->arena);
  const EqualityAnchors a = equalityAnchors(m, d, equality);
  const std::span<const int> columns = columnsOfEither(m, d, a.carrier1.body(), a.carrier2.body());
  if (columns.empty()) return;
  const double scale = m.eq_data[kData * equality + 10];
  const WeldFrames frames = weldFrames(m, d, equality);
  const Quat back = frames.q2.conjugate();

  const std::span<const double> relative = relativeJacobian(m, d, a, columns, true);
  if (isZero(relative)) return;
  double* J = rows.addBlock(BlockKind::Equality, 6, columns);
  std::copy(relative.begin(), relative.end(), J);
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(columns.size());
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const Quat w{0, J[3 * n + k], J[4 * n + k], J[5 * n + k]};
    const Vec3 rate = 0.5 * scale * (back * w * frames.q1).vec();
    for (int i = 0; i < 3; ++i) J[(3 + i) * n + k] = rate[i];
  }
  const Vec3 translation = a.pos1 - a.pos2;
  const Vec3 rotation = scale * (back * frames.q1).vec();
  for (int i = 0; i < 3; ++i) rows.addRow(RowType::Equality, equality, translation[i], 0);
  for (int i = 0; i < 3; ++i) rows.addRow(RowType::Equality, equality, rotation[i], 0);
}

/// A scalar that an equality couples: its value relative to qpos0 and its Jacobian.
struct Coordinate {
  double value = 0;
  std::span<const int> columns;
  const double* jacobian = nullptr;
};

Coordinate coordinate(const Model& m, const Data& d, EqualityType type, int id) {
  static constexpr double kOne = 1;
  if (type == EqualityType::Joint) {
    const int q = m.jnt_qposadr[id];
    return {d.qpos[q] - m.qpos0[q], {m.jnt_dofadr.data() + id, 1}, &kOne};
  }
  return {d.ten_length[id] - m.tendon_length0[id],
          {m.ten_J_colind.data() + m.ten_J_rowadr[id], static_cast<std::size_t>(m.ten_J_rownnz[id])},
          d.ten_J.data() + m.ten_J_rowadr[id]};
}

/// One row: y - P(x) = 0 with P the quartic polynomial of the second coordinate, or y - c0 = 0 without one.
void addPolynomial(RowBuilder& rows, int equality) {
  const Model& m = rows.model();
  Data& d = rows.data();
  const Arena::Scope scope(d.work->arena);
  const EqualityType type = m.eq_type[equality];
  const double* c = m.eq_data.data() + kData * equality;
  const Coordinate y = coordinate(m, d, type, m.eq_obj1id[equality]);
  Coordinate x;
  double residual = y.value - c[0], slope = 0;
  if (m.eq_obj2id[equality] >= 0) {
    x = coordinate(m, d, type, m.eq_obj2id[equality]);
    const double v = x.value;
    residual -= v * (c[1] + v * (c[2] + v * (c[3] + v * c[4])));
    slope = c[1] + v * (2 * c[2] + v * (3 * c[3] + v * 4 * c[4]));
  }

  // J = J_y - P'(x) J_x over the union of their columns
  const std::span<int> columns =
      d.work->arena.take<int>(static_cast<std::ptrdiff_t>(y.columns.size() + x.columns.size()));
  const std::span<double> J = d.work->arena.zeros<double>(static_cast<std::ptrdiff_t>(columns.size()));
  std::size_t count = 0, i = 0, j = 0;
  bool any = false;
  while (i < y.columns.size() || j < x.columns.size()) {
    const bool takeY = j == x.columns.size() || (i < y.columns.size() && y.columns[i] <= x.columns[j]);
    const bool takeX = i == y.columns.size() || (j < x.columns.size() && x.columns[j] <= y.columns[i]);
    columns[count] = takeY ? y.columns[i] : x.columns[j];
    if (takeY) J[count] += y.jacobian[i++];
    if (takeX) J[count] -= slope * x.jacobian[j++];
    any = any || J[count] != 0;
    ++count;
  }
  if (!any) return;
  std::copy_n(J.data(), count, rows.addBlock(BlockKind::Equality, 1, columns.first(count)));
  rows.addRow(RowType::Equality, equality, residual, 0);
}

/// Acceleration of a body-fixed point when qacc = 0 and nothing pulls: dJ/dt v, translational and rotational. The
/// velocity-dependent part of the spatial acceleration is the sum of cdof_dot v over the dofs that move the body.
PointVelocity jacobianRate(const Model& m, const Data& d, Carrier carrier, const Vec3& p) {
  if (carrier.isNode()) return {Vec3::Zero(), Vec3::Zero()};  // the Jacobian of a node is constant
  const int body = carrier.body();
  Vec6 bias = Vec6::Zero();
  for (int dof = lastDof(m, body); dof >= 0; dof = m.dof_parentid[dof]) {
    bias += vec6(d.cdof_dot.data(), dof) * d.qvel[dof];
  }
  const Vec3 r = p - treeCom(m, d, body);
  const PointVelocity v = pointVelocity(m, d, body, p);
  return {bias.tail<3>() + bias.head<3>().cross(r) + v.angular.cross(v.linear), bias.head<3>()};
}

}  // namespace

EqualityAnchors equalityAnchors(const Model& m, const Data& d, int equality) {
  const int obj1 = m.eq_obj1id[equality], obj2 = m.eq_obj2id[equality];
  if (m.eq_objtype[equality] == ObjType::Site) {
    return {vec3(d.site_xpos.data(), obj1), vec3(d.site_xpos.data(), obj2), Carrier::ofBody(m.site_bodyid[obj1]),
            Carrier::ofBody(m.site_bodyid[obj2])};
  }
  // a connect stores the anchors in the order of its bodies, a weld the other way round
  const double* data = m.eq_data.data() + kData * equality;
  const bool weld = m.eq_type[equality] == EqualityType::Weld;
  const Vec3 local1 = ConstMapVec3(weld ? data + 3 : data);
  const Vec3 local2 = ConstMapVec3(weld ? data : data + 3);
  const Carrier carrier1 = Carrier::fromCode(m, obj1), carrier2 = Carrier::fromCode(m, obj2);
  return {pointOfCarrier(m, d, carrier1, local1), pointOfCarrier(m, d, carrier2, local2), carrier1, carrier2};
}

WeldFrames weldFrames(const Model& m, const Data& d, int equality) {
  const int obj1 = m.eq_obj1id[equality], obj2 = m.eq_obj2id[equality];
  const auto bodyQuat = [&](int body) { return Quat::load(d.xquat.data() + 4 * body); };
  if (m.eq_objtype[equality] == ObjType::Site) {
    const auto siteQuat = [&](int site) {
      return bodyQuat(m.site_bodyid[site]) * Quat::load(m.site_quat.data() + 4 * site);
    };
    return {siteQuat(obj1), siteQuat(obj2)};
  }
  return {bodyQuat(obj1) * Quat::load(m.eq_data.data() + kData * equality + 6), bodyQuat(obj2)};
}

void addEqualityRows(RowBuilder& rows) {
  const Model& m = rows.model();
  for (int equality = 0; equality < m.neq; ++equality) {
    if (!rows.data().eq_active[equality] || equalityAsleep(m, rows.data(), equality)) continue;
    switch (m.eq_type[equality]) {
      case EqualityType::Connect:
        addConnect(rows, equality);
        break;
      case EqualityType::Weld:
        addWeld(rows, equality);
        break;
      case EqualityType::Joint:
      case EqualityType::Tendon:
        addPolynomial(rows, equality);
        break;
      case EqualityType::Flex:
      case EqualityType::FlexVert:
      case EqualityType::FlexStrain:
        addFlexRows(rows, equality);
        break;
    }
  }
}

void subtractJacobianRate(const Model& m, const Data& d, double* aref) {
  for (const RowBlock& block : d.row_block) {
    if (block.kind != BlockKind::Equality) break;
    const int equality = d.efc_id[block.row];
    const EqualityType type = m.eq_type[equality];
    if (type != EqualityType::Connect && type != EqualityType::Weld) continue;
    const EqualityAnchors a = equalityAnchors(m, d, equality);
    const PointVelocity rate1 = jacobianRate(m, d, a.carrier1, a.pos1);
    const PointVelocity rate2 = jacobianRate(m, d, a.carrier2, a.pos2);
    MapVec3(aref + block.row) -= rate1.linear - rate2.linear;
    if (type == EqualityType::Connect) continue;

    // product rule on s/2 conj(q2) (0, dw) q1 with dw = w1 - w2 and q' = 1/2 (0, w) q
    const WeldFrames frames = weldFrames(m, d, equality);
    const Vec3 w1 = vec6(d.cvel.data(), a.carrier1.body()).head<3>(),
               w2 = vec6(d.cvel.data(), a.carrier2.body()).head<3>();
    const auto pure = [](const Vec3& v) { return Quat{0, v.x(), v.y(), v.z()}; };
    const auto half = [](const Quat& q) { return Quat{0.5 * q.w, 0.5 * q.x, 0.5 * q.y, 0.5 * q.z}; };
    const Quat q1rate = half(pure(w1) * frames.q1), q2rate = half(pure(w2) * frames.q2);
    const Quat dw = pure(w1 - w2), dwRate = pure(rate1.angular - rate2.angular);
    const Vec3 rate = (q2rate.conjugate() * dw * frames.q1).vec() + (frames.q2.conjugate() * dwRate * frames.q1).vec() +
                      (frames.q2.conjugate() * dw * q1rate).vec();
    MapVec3(aref + block.row + 3) -= 0.5 * m.eq_data[kData * equality + 10] * rate;
  }
}

}  // namespace sinew
