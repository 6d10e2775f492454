#include <algorithm>
#include <array>

#include "kinematics/dof_chains.h"
#include "kinematics/flexes.h"
#include "math/spatial.h"
#include "math/types.h"
#include "model/arguments.h"
#include "sinew/dynamics.h"

namespace sinew {
namespace {

void checkJacobians(std::string_view function, const Model& m, const Data& d, std::span<double> jacp,
                    std::span<double> jacr) {
  argument::pair(function, m, d);
  argument::sizeOrEmpty(function, "jacp", jacp, 3 * argument::dofs(m));
  argument::sizeOrEmpty(function, "jacr", jacr, 3 * argument::dofs(m));
}

double* orNull(std::span<double> values) { return values.empty() ? nullptr : values.data(); }

Vec3 vectorOf(const Vector3& v) { return ConstMapVec3(v.data()); }

/// matrix(:, dof) += column, for a matrix of three rows.
void addColumn(const Model& m, std::span<double> matrix, int dof, const Vec3& column) {
  for (int k = 0; k < 3; ++k) matrix[k * m.nv + dof] += column[k];
}

/// Calls f(point, weight) for the points of a flex that a vertex is made of.
template <class F>
void forEachPointOfVertex(const Model& m, int vertex, F&& f) {
  const int adr = m.flexvert_supportadr[vertex];
  if (adr < 0) {
    const int flex = m.flexvert_flexid[vertex];
    return f(m.flex_pointadr[flex] + vertex - m.flex_vertadr[flex], 1.0);
  }
  for (int k = adr; k < adr + m.flexvert_supportnum[vertex]; ++k) f(m.flexsupport_pointid[k], m.flexsupport_weight[k]);
}

/// Time derivative of a motion axis, at a reference point that stands still. The three axes of a quaternion turn with
/// the body itself, all others with what carries the joint.
std::array<double, 6> axisRate(const Model& m, const Data& d, int dof) {
  std::array<double, 6> rate;
  const int joint = m.dof_jntid[dof];
  const JointType type = m.jnt_type[joint];
  const bool ofQuaternion = type == JointType::Ball || (type == JointType::Free && dof >= m.jnt_dofadr[joint] + 3);
  if (ofQuaternion) {
    crossMotion(rate.data(), &d.cvel[6 * m.dof_bodyid[dof]], &d.cdof[6 * dof]);
  } else {
    copy6(rate.data(), &d.cdof_dot[6 * dof]);
  }
  return rate;
}

/// jacp += weight d/dt (cdof_lin + cdof_ang x r) = cdof'_lin + cdof'_ang x r + cdof_ang x v, r the arm of the point
/// from the (momentarily resting) reference point and v its velocity; jacr += weight cdof'_ang.
void addJacobianDot(const Model& m, const Data& d, int body, const Vec3& point, double weight, std::span<double> jacp,
                    std::span<double> jacr) {
  const Vec3 arm = point - treeCom(m, d, body);
  const Vec3 velocity = pointVelocity(m, d, body, point).linear;
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) {
    const std::array<double, 6> rate = axisRate(m, d, i);
    if (!jacp.empty()) {
      addColumn(m, jacp, i, weight * (velocityAt(rate.data(), arm) + angular(&d.cdof[6 * i]).cross(velocity)));
    }
    if (!jacr.empty()) addColumn(m, jacr, i, weight * angular(rate.data()));
  }
}

/// jacp += weight J of a point that carries a flex.
void addFlexPointJacobian(const Model& m, const Data& d, int point, double weight, std::span<double> jacp) {
  const int node = m.flexpoint_nodeid[point];
  if (node < 0) {
    const Vec3 x = vec3(d.flexpoint_xpos.data(), point);
    for (int i = lastDof(m, m.flexpoint_bodyid[point]); i >= 0; i = m.dof_parentid[i]) {
      addColumn(m, jacp, i, weight * jacobianColumn(m, d, i, x).linear);
    }
  } else if (!m.flexnode_pinned[node]) {
    for (int k = 0; k < 3; ++k) addColumn(m, jacp, m.nv_rigid + 3 * node + k, weight * Vec3::Unit(k));
  }
}

/// The same for its rate: nodes have none.
void addFlexPointJacobianDot(const Model& m, const Data& d, int point, double weight, std::span<double> jacp) {
  if (m.flexpoint_nodeid[point] >= 0) return;
  addJacobianDot(m, d, m.flexpoint_bodyid[point], vec3(d.flexpoint_xpos.data(), point), weight, jacp, {});
}

/// A Jacobian's rate at a point of a body, with the checks of all of them.
void pointRate(std::string_view function, const Model& m, const Data& d, int body, const Vec3& point,
               std::span<double> jacpDot, std::span<double> jacrDot) {
  checkJacobians(function, m, d, jacpDot, jacrDot);
  std::fill(jacpDot.begin(), jacpDot.end(), 0.0);
  std::fill(jacrDot.begin(), jacrDot.end(), 0.0);
  addJacobianDot(m, d, body, point, 1, jacpDot, jacrDot);
}

void checkMatrix(std::string_view function, const Model& m, const Data& d, std::string_view what, int id, int count,
                 std::string_view name, std::span<double> matrix) {
  argument::pair(function, m, d);
  argument::id(function, what, id, count);
  argument::size(function, name, matrix, 3 * argument::dofs(m));
  std::fill(matrix.begin(), matrix.end(), 0.0);
}

bool isBelow(const Model& m, int body, int ancestor) {
  while (body > ancestor) body = m.body_parentid[body];
  return body == ancestor;
}

/// Calls f(dof, column, mass, position) for every dof that moves a mass of the subtree: bodies (with their own centre
/// of mass) and flex nodes. `column` is the velocity that unit speed of the dof gives to the mass.
template <class F>
void forEachMassColumn(const Model& m, const Data& d, int root, F&& f) {
  for (int body = root; body < m.nbody; ++body) {
    if (!isBelow(m, body, root) || m.body_mass[body] == 0) continue;
    const Vec3 x = vec3(d.xipos.data(), body);
    for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) {
      f(i, jacobianColumn(m, d, i, x).linear, m.body_mass[body], x);
    }
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n] || !isBelow(m, m.flexnode_bodyid[n], root)) continue;
    const Vec3 x = ConstMapVec3(d.qpos.data() + m.nq_rigid + 3 * n);
    for (int k = 0; k < 3; ++k) f(m.nv_rigid + 3 * n + k, Vec3(Vec3::Unit(k)), m.flexnode_mass[n], x);
  }
}

}  // namespace

void pointJacobian(const Model& m, const Data& d, int body, const Vector3& point, std::span<double> jacp,
                   std::span<double> jacr) {
  checkJacobians("pointJacobian", m, d, jacp, jacr);
  argument::id("pointJacobian", "body", body, m.nbody);
  denseJacobian(m, d, body, vectorOf(point), orNull(jacp), orNull(jacr));
}

void bodyJacobian(const Model& m, const Data& d, int body, std::span<double> jacp, std::span<double> jacr) {
  checkJacobians("bodyJacobian", m, d, jacp, jacr);
  argument::id("bodyJacobian", "body", body, m.nbody);
  denseJacobian(m, d, body, vec3(d.xpos.data(), body), orNull(jacp), orNull(jacr));
}

void bodyComJacobian(const Model& m, const Data& d, int body, std::span<double> jacp, std::span<double> jacr) {
  checkJacobians("bodyComJacobian", m, d, jacp, jacr);
  argument::id("bodyComJacobian", "body", body, m.nbody);
  denseJacobian(m, d, body, vec3(d.xipos.data(), body), orNull(jacp), orNull(jacr));
}

void geomJacobian(const Model& m, const Data& d, int geom, std::span<double> jacp, std::span<double> jacr) {
  checkJacobians("geomJacobian", m, d, jacp, jacr);
  argument::id("geomJacobian", "geom", geom, m.ngeom);
  denseJacobian(m, d, m.geom_bodyid[geom], vec3(d.geom_xpos.data(), geom), orNull(jacp), orNull(jacr));
}

void siteJacobian(const Model& m, const Data& d, int site, std::span<double> jacp, std::span<double> jacr) {
  checkJacobians("siteJacobian", m, d, jacp, jacr);
  argument::id("siteJacobian", "site", site, m.nsite);
  denseJacobian(m, d, m.site_bodyid[site], vec3(d.site_xpos.data(), site), orNull(jacp), orNull(jacr));
}

void flexVertexJacobian(const Model& m, const Data& d, int vertex, std::span<double> jacp) {
  checkMatrix("flexVertexJacobian", m, d, "vertex", vertex, m.nflexvert, "jacp", jacp);
  forEachPointOfVertex(m, vertex, [&](int point, double weight) { addFlexPointJacobian(m, d, point, weight, jacp); });
}

void flexPointJacobian(const Model& m, const Data& d, int point, std::span<double> jacp) {
  checkMatrix("flexPointJacobian", m, d, "point", point, m.nflexpoint, "jacp", jacp);
  addFlexPointJacobian(m, d, point, 1, jacp);
}

void pointJacobianDot(const Model& m, const Data& d, int body, const Vector3& point, std::span<double> jacpDot,
                      std::span<double> jacrDot) {
  argument::pair("pointJacobianDot", m, d);
  argument::id("pointJacobianDot", "body", body, m.nbody);
  pointRate("pointJacobianDot", m, d, body, vectorOf(point), jacpDot, jacrDot);
}

void bodyJacobianDot(const Model& m, const Data& d, int body, std::span<double> jacpDot, std::span<double> jacrDot) {
  argument::pair("bodyJacobianDot", m, d);
  argument::id("bodyJacobianDot", "body", body, m.nbody);
  pointRate("bodyJacobianDot", m, d, body, vec3(d.xpos.data(), body), jacpDot, jacrDot);
}

void bodyComJacobianDot(const Model& m, const Data& d, int body, std::span<double> jacpDot, std::span<double> jacrDot) {
  argument::pair("bodyComJacobianDot", m, d);
  argument::id("bodyComJacobianDot", "body", body, m.nbody);
  pointRate("bodyComJacobianDot", m, d, body, vec3(d.xipos.data(), body), jacpDot, jacrDot);
}

void geomJacobianDot(const Model& m, const Data& d, int geom, std::span<double> jacpDot, std::span<double> jacrDot) {
  argument::pair("geomJacobianDot", m, d);
  argument::id("geomJacobianDot", "geom", geom, m.ngeom);
  pointRate("geomJacobianDot", m, d, m.geom_bodyid[geom], vec3(d.geom_xpos.data(), geom), jacpDot, jacrDot);
}

void siteJacobianDot(const Model& m, const Data& d, int site, std::span<double> jacpDot, std::span<double> jacrDot) {
  argument::pair("siteJacobianDot", m, d);
  argument::id("siteJacobianDot", "site", site, m.nsite);
  pointRate("siteJacobianDot", m, d, m.site_bodyid[site], vec3(d.site_xpos.data(), site), jacpDot, jacrDot);
}

void flexVertexJacobianDot(const Model& m, const Data& d, int vertex, std::span<double> jacpDot) {
  checkMatrix("flexVertexJacobianDot", m, d, "vertex", vertex, m.nflexvert, "jacpDot", jacpDot);
  forEachPointOfVertex(m, vertex,
                       [&](int point, double weight) { addFlexPointJacobianDot(m, d, point, weight, jacpDot); });
}

void flexPointJacobianDot(const Model& m, const Data& d, int point, std::span<double> jacpDot) {
  checkMatrix("flexPointJacobianDot", m, d, "point", point, m.nflexpoint, "jacpDot", jacpDot);
  addFlexPointJacobianDot(m, d, point, 1, jacpDot);
}

void subtreeComJacobian(const Model& m, const Data& d, int body, std::span<double> jacp) {
  argument::pair("subtreeComJacobian", m, d);
  argument::id("subtreeComJacobian", "body", body, m.nbody);
  argument::size("subtreeComJacobian", "jacp", jacp, 3 * argument::dofs(m));
  std::fill(jacp.begin(), jacp.end(), 0.0);
  const double total = m.body_subtreemass[body];
  if (total < kMinVal) {  // the centre is then that of the body itself
    return denseJacobian(m, d, body, vec3(d.xipos.data(), body), jacp.data(), nullptr);
  }
  forEachMassColumn(m, d, body, [&](int dof, const Vec3& column, double mass, const Vec3&) {
    addColumn(m, jacp, dof, (mass / total) * column);
  });
}

void angularMomentumMatrix(const Model& m, const Data& d, int body, std::span<double> matrix) {
  argument::pair("angularMomentumMatrix", m, d);
  argument::id("angularMomentumMatrix", "body", body, m.nbody);
  argument::size("angularMomentumMatrix", "matrix", matrix, 3 * argument::dofs(m));
  std::fill(matrix.begin(), matrix.end(), 0.0);
  // L = sum R I R' w + m (x - c) x v; the velocity of c drops out because sum m (x - c) = 0
  const Vec3 com = vec3(d.subtree_com.data(), body);
  forEachMassColumn(m, d, body, [&](int dof, const Vec3& column, double mass, const Vec3& x) {
    addColumn(m, matrix, dof, mass * (x - com).cross(column));
  });
  for (int b = body; b < m.nbody; ++b) {
    if (!isBelow(m, b, body)) continue;
    const Mat3 R = mat3(d.ximat.data(), b);
    const Mat3 inertia = R * vec3(m.body_inertia.data(), b).asDiagonal() * R.transpose();
    for (int i = lastDof(m, b); i >= 0; i = m.dof_parentid[i]) {
      addColumn(m, matrix, i, inertia * angular(&d.cdof[6 * i]));
    }
  }
}

void subtreeComJacobianDot(const Model& m, const Data& d, int body, std::span<double> jacpDot) {
  checkMatrix("subtreeComJacobianDot", m, d, "body", body, m.nbody, "jacpDot", jacpDot);
  const double total = m.body_subtreemass[body];
  if (total < kMinVal) return addJacobianDot(m, d, body, vec3(d.xipos.data(), body), 1, jacpDot, {});
  for (int b = body; b < m.nbody; ++b) {  // nodes have none
    if (!isBelow(m, b, body) || m.body_mass[b] == 0) continue;
    addJacobianDot(m, d, b, vec3(d.xipos.data(), b), m.body_mass[b] / total, jacpDot, {});
  }
}

void angularMomentumMatrixDot(const Model& m, const Data& d, int body, std::span<double> matrixDot) {
  checkMatrix("angularMomentumMatrixDot", m, d, "body", body, m.nbody, "matrixDot", matrixDot);
  const Vec3 com = vec3(d.subtree_com.data(), body);
  // velocity of the centre, and for each mass d/dt [m (x - c) x J_x] = m (v - v_c) x J_x + m (x - c) x dJ_x/dt
  Vec3 momentum = Vec3::Zero();
  forEachMassColumn(m, d, body, [&](int dof, const Vec3& column, double mass, const Vec3&) {
    momentum += mass * d.qvel[dof] * column;
  });
  const double total = m.body_subtreemass[body];
  const Vec3 comVelocity = total < kMinVal ? Vec3(Vec3::Zero()) : Vec3(momentum / total);
  for (int b = body; b < m.nbody; ++b) {
    if (!isBelow(m, b, body)) continue;
    const Vec3 x = vec3(d.xipos.data(), b), arm = x - treeCom(m, d, b);
    const PointVelocity v = pointVelocity(m, d, b, x);
    const double mass = m.body_mass[b];
    // d/dt [I w] with I = R diag R': w x I - I w x
    const Mat3 R = mat3(d.ximat.data(), b);
    const Mat3 inertia = R * vec3(m.body_inertia.data(), b).asDiagonal() * R.transpose();
    for (int i = lastDof(m, b); i >= 0; i = m.dof_parentid[i]) {
      const Vec3 axis = angular(&d.cdof[6 * i]);
      const std::array<double, 6> rate = axisRate(m, d, i);
      const Vec3 column = jacobianColumn(m, d, i, x).linear;
      const Vec3 columnRate = velocityAt(rate.data(), arm) + axis.cross(v.linear);
      const Vec3 Iaxis = inertia * axis;
      const Vec3 spin = v.angular.cross(Iaxis) - inertia * v.angular.cross(axis) + inertia * angular(rate.data());
      addColumn(m, matrixDot, i, mass * ((v.linear - comVelocity).cross(column) + (x - com).cross(columnRate)) + spin);
    }
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n] || !isBelow(m, m.flexnode_bodyid[n], body)) continue;
    const Vec3 v = ConstMapVec3(d.qvel.data() + m.nv_rigid + 3 * n);
    for (int k = 0; k < 3; ++k) {
      addColumn(m, matrixDot, m.nv_rigid + 3 * n + k,
                m.flexnode_mass[n] * (v - comVelocity).cross(Vec3(Vec3::Unit(k))));
    }
  }
}

void addForceAtPoint(const Model& m, const Data& d, int body, const Vector3& point, const Vector3& force,
                     const Vector3& torque, std::span<double> qfrc) {
  argument::pair("addForceAtPoint", m, d);
  argument::id("addForceAtPoint", "body", body, m.nbody);
  argument::size("addForceAtPoint", "qfrc", qfrc, argument::dofs(m));
  addForce(m, d, body, vectorOf(point), vectorOf(force), vectorOf(torque), qfrc.data());
}

void addForceAtFlexVertex(const Model& m, const Data& d, int vertex, const Vector3& force, std::span<double> qfrc) {
  argument::pair("addForceAtFlexVertex", m, d);
  argument::id("addForceAtFlexVertex", "vertex", vertex, m.nflexvert);
  argument::size("addForceAtFlexVertex", "qfrc", qfrc, argument::dofs(m));
  forEachPointOfVertex(
      m, vertex, [&](int point, double weight) { addPointForce(m, d, point, weight * vectorOf(force), qfrc.data()); });
}

void addForceAtFlexPoint(const Model& m, const Data& d, int point, const Vector3& force, std::span<double> qfrc) {
  argument::pair("addForceAtFlexPoint", m, d);
  argument::id("addForceAtFlexPoint", "point", point, m.nflexpoint);
  argument::size("addForceAtFlexPoint", "qfrc", qfrc, argument::dofs(m));
  addPointForce(m, d, point, vectorOf(force), qfrc.data());
}

Vector3 flexPointVelocity(const Model& m, const Data& d, int point) {
  argument::pair("flexPointVelocity", m, d);
  argument::id("flexPointVelocity", "point", point, m.nflexpoint);
  const Vec3 v = vec3(d.flexpoint_xvel.data(), point);
  return {v.x(), v.y(), v.z()};
}

Vector3 flexVertexVelocity(const Model& m, const Data& d, int vertex) {
  argument::pair("flexVertexVelocity", m, d);
  argument::id("flexVertexVelocity", "vertex", vertex, m.nflexvert);
  Vec3 v = Vec3::Zero();
  forEachPointOfVertex(m, vertex,
                       [&](int point, double weight) { v += weight * vec3(d.flexpoint_xvel.data(), point); });
  return {v.x(), v.y(), v.z()};
}

}  // namespace sinew
