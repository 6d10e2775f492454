#include <algorithm>

#include "constraint/constraint.h"
#include "constraint/row_builder.h"
#include "forces/part_motion.h"
#include "forces/stiff_metric.h"
#include "kinematics/side.h"
#include "math/kernel.h"
#include "math/number_checks.h"
#include "math/spatial.h"
#include "model/inputs.h"
#include "model/workspace.h"
#include "sensor/flex_measures.h"
#include "sensor/sensor.h"

namespace sinew {
namespace {

/// Adds a force and a torque that act on `body` at p to its external forces. The world is not counted: it has no use
/// for them.
void addExternalForce(const Model& m, Data& d, int body, const Vec3& p, const Vec3& force, const Vec3& torque) {
  if (body == 0) return;
  double wrench[6];
  setSpatial(wrench, torque + (p - treeCom(m, d, body)).cross(force), force);
  add6(&d.cfrc_ext[6 * body], wrench);
}

/// A contact pushes the bodies of its second side along the normal, and those of the first one back.
void addContactForces(const Model& m, Data& d) {
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    const std::array<double, 6> local = forceOfContact(m, d, i);
    const Mat3 toWorld = ConstMapMat3(contact.frame.data()).transpose();
    const Vec3 pos = ConstMapVec3(contact.pos.data());
    const Vec3 force = toWorld * vec3(local.data(), 0), torque = toWorld * vec3(local.data(), 1);
    const auto push = [&](std::size_t side, double sign) {
      Side(m, d, contact, side).forEachCarrier([&](Carrier carrier, double weight) {
        if (carrier.isNode()) return;
        addExternalForce(m, d, carrier.body(), pos, sign * weight * force, sign * weight * torque);
      });
    };
    push(0, -1);
    push(1, 1);
  }
}

/// Connects and welds hold the first body at its anchor, and the second one against it. The rotational rows of a weld
/// count as a torque in world axes, as the reference engine reports it, although they act on a quaternion's vector
/// part.
void addEqualityForces(const Model& m, Data& d) {
  for (const RowBlock& block : d.row_block) {
    if (block.kind != BlockKind::Equality) break;
    const int equality = d.efc_id[block.row];
    const EqualityType type = m.eq_type[equality];
    if (type != EqualityType::Connect && type != EqualityType::Weld) continue;
    const Vec3 force = ConstMapVec3(&d.efc_force[block.row]);
    const Vec3 torque = type == EqualityType::Weld ? Vec3(ConstMapVec3(&d.efc_force[block.row + 3])) : Vec3::Zero();
    const EqualityAnchors a = equalityAnchors(m, d, equality);
    if (a.carrier1.isBody()) addExternalForce(m, d, a.carrier1.body(), a.pos1, force, torque);
    if (a.carrier2.isBody()) addExternalForce(m, d, a.carrier2.body(), a.pos2, -force, -torque);
  }
}

/// What flexes do to the bodies that points of theirs ride on, apart from contacts: elasticity, damping and rows.
void addRidingPointForces(const Model& m, Data& d) {
  if (std::none_of(m.flexpoint_nodeid.begin(), m.flexpoint_nodeid.end(), [](int node) { return node < 0; })) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> force = d.work->arena.zeros<double>(3 * m.nflexpoint);
  addFlexPointForces(m, d, force.data());
  for (int p = 0; p < m.nflexpoint; ++p) {
    if (m.flexpoint_nodeid[p] >= 0) continue;
    addExternalForce(m, d, m.flexpoint_bodyid[p], vec3(d.flexpoint_xpos.data(), p), vec3(force.data(), p),
                     Vec3::Zero());
  }
}

/// cfrc_ext: everything that acts on a body apart from gravity, joints, tendons and actuators. Flexes count wherever
/// they push or pull.
void externalForces(const Model& m, Data& d) {
  std::fill(d.cfrc_ext.begin(), d.cfrc_ext.end(), 0.0);
  for (int i = 1; i < m.nbody; ++i) {
    const double* applied = &d.xfrc_applied[6 * i];
    if (allZero({applied, 6})) continue;
    addExternalForce(m, d, i, vec3(d.xipos.data(), i), usableForce(applied), usableForce(applied + 3));
  }
  addContactForces(m, d);
  addEqualityForces(m, d);
  addRidingPointForces(m, d);
  if (stiffnessIsImplicit(m)) addKeptMomentum(m, d);
}

/// What each body needs, I a + v x* (I v), less what it gets from outside, comes from its parent: cacc, cfrc_int.
SINEW_KERNEL void forcesFromParents(const Model& m, Data& d) {
  for (int i = 1; i < m.nbody; ++i) {
    double a[6], v[6], f[6], momentum[6];
    copy6(a, &d.cacc[6 * m.body_parentid[i]]);
    copy6(v, &d.cvel[6 * i]);
    const int end = m.body_dofadr[i] + m.body_dofnum[i];
    for (int k = m.body_dofadr[i]; k < end; ++k) addScaled6(a, &d.cdof_dot[6 * k], d.qvel[k]);
    for (int k = m.body_dofadr[i]; k < end; ++k) addScaled6(a, &d.cdof[6 * k], d.qacc[k]);
    multiplyInertia(f, &d.cinert[10 * i], a);
    multiplyInertia(momentum, &d.cinert[10 * i], v);
    addCrossForce(f, v, momentum);
    addScaled6(f, &d.cfrc_ext[6 * i], -1);
    copy6(&d.cacc[6 * i], a);
    copy6(&d.cfrc_int[6 * i], f);
  }
}

}  // namespace

void bodyForces(const Model& m, Data& d) {
  externalForces(m, d);

  zero6(d.cacc.data());
  zero6(d.cfrc_int.data());
  if (!m.opt.disabled(disable::kGravity)) {
    for (int k = 0; k < 3; ++k) d.cacc[3 + k] = -m.opt.gravity[k];
  }
  forcesFromParents(m, d);
  for (int i = m.nbody - 1; i > 0; --i) add6(&d.cfrc_int[6 * m.body_parentid[i]], &d.cfrc_int[6 * i]);
}

}  // namespace sinew
