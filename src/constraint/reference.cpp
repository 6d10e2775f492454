#include <algorithm>
#include <array>

#include "constraint/constraint.h"
#include "constraint/problem.h"
#include "constraint/row_builder.h"
#include "kinematics/jacobian.h"
#include "model/workspace.h"
#include "solve/rows.h"

namespace sinew {
namespace {

/// A geom's surface may move of its own, like a conveyor belt: velocity at p in world axes.
PointVelocity surfaceVelocity(const Model& m, const Data& d, int geom, const Vec3& p) {
  const ConstMapMat3 R = mat3(d.geom_xmat.data(), geom);
  const Vec3 angular = R * ConstMapVec3(m.geom_surfacevel.data() + 6 * geom + 3);
  const Vec3 linear =
      R * ConstMapVec3(m.geom_surfacevel.data() + 6 * geom) + angular.cross(p - vec3(d.geom_xpos.data(), geom));
  return {linear, angular};
}

/// Adds the relative surface velocity to the rows of a contact, in the tangent plane and about the normal only: a
/// surface neither pushes nor rolls.
void addSurfaceVelocity(const Model& m, Data& d, const Contact& contact) {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  bool any = false;
  for (int side = 0; side < 2; ++side) {
    const int geom = contact.geom[side];
    if (geom < 0) continue;
    const double* v = m.geom_surfacevel.data() + 6 * geom;
    if (std::all_of(v, v + 6, [](double x) { return x == 0; })) continue;
    any = true;
    const PointVelocity s = surfaceVelocity(m, d, geom, ConstMapVec3(contact.pos.data()));
    linear += (side == 0 ? -1 : 1) * s.linear;
    angular += (side == 0 ? -1 : 1) * s.angular;
  }
  if (!any) return;
  const ConstMapMat3 frame(contact.frame.data());
  const Vec3 slip = frame * linear;
  const std::array<double, 6> c{0, slip[1], slip[2], (frame * angular)[0], 0, 0};
  double* vel = d.efc_vel.data() + contact.efc_address;
  const bool pyramid = d.efc_type[contact.efc_address] == RowType::ContactPyramidal;
  for (int k = 1; k < contact.dim; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (pyramid) {
      vel[2 * (k - 1)] += contact.friction[i - 1] * c[i];
      vel[2 * (k - 1) + 1] -= contact.friction[i - 1] * c[i];
    } else {
      vel[k] += c[i];
    }
  }
}

/// Adhesion pulls with a constant force; the reference of the normal is shifted by R times that force, so that the
/// depth at which a contact settles does not depend on it.
void shiftForAdhesion(Data& d, const Contact& contact) {
  if (contact.adhesion == 0) return;
  const int row = contact.efc_address;
  if (d.efc_type[row] != RowType::ContactPyramidal) {
    d.efc_aref[row] += d.efc_R[row] * contact.adhesion;
    return;
  }
  const int edges = 2 * (contact.dim - 1);
  for (int k = row; k < row + edges; ++k) d.efc_aref[k] += d.efc_R[k] * contact.adhesion / edges;
}

}  // namespace

void referenceAcceleration(const Model& m, Data& d) {
  if (d.nefc() == 0) return;
  solve::multiplyRows(rowsOf(d), d.qvel.data(), d.efc_vel.data());
  const bool hard = m.opt.solver == Solver::Impulse;
  Array<double>& drive = d.work->row_drive;
  if (hard) std::copy(d.efc_vel.begin(), d.efc_vel.end(), drive.begin());
  for (const Contact& contact : d.contact) {
    if (contact.efc_address >= 0) addSurfaceVelocity(m, d, contact);
  }
  for (int row = d.ne; row < d.ne + d.nf && d.efc_type[row] == RowType::FrictionDof; ++row) {
    d.efc_vel[row] -= m.dof_frictionvel[d.efc_id[row]];  // a drive slips against the velocity it asks for
  }
  if (hard) {
    for (int row = 0; row < d.nefc(); ++row) drive[row] = d.efc_vel[row] - drive[row];
    return;
  }
  for (int row = 0; row < d.nefc(); ++row) {
    const double* KBIP = d.efc_KBIP.data() + 4 * row;
    d.efc_aref[row] = -KBIP[1] * d.efc_vel[row] - KBIP[0] * KBIP[2] * (d.efc_pos[row] - d.efc_margin[row]);
  }
  for (const Contact& contact : d.contact) {
    if (contact.efc_address >= 0) shiftForAdhesion(d, contact);
  }
  subtractJacobianRate(m, d, d.efc_aref.data());
}

}  // namespace sinew
