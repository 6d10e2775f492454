#pragma once

#include <cstddef>

#include "kinematics/dof_chains.h"
#include "math/types.h"
#include "model/carrier.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// The sides of contacts. Whatever runs after detection goes through this interface, so that nothing has to ask whether
/// a side is rigid or soft.
namespace sinew {

/// f(dof, linear, angular) for every dof that moves `carrier`: the velocity of its material point p per unit speed of
/// the dof, and its angular velocity. A pinned node has none. Needs comPos().
template <class F>
void forEachDof(const Model& m, const Data& d, Carrier carrier, const Vec3& p, F&& f) {
  if (carrier.isNode()) {
    if (m.flexnode_pinned[carrier.node()]) return;
    for (int k = 0; k < 3; ++k) f(m.nv_rigid + 3 * carrier.node() + k, Vec3(Vec3::Unit(k)), Vec3(Vec3::Zero()));
    return;
  }
  for (int dof = lastDof(m, carrier.body()); dof >= 0; dof = m.dof_parentid[dof]) {
    const JacobianColumn column = jacobianColumn(m, d, dof, p);
    f(dof, column.linear, column.angular);
  }
}

/// qfrc += J(p)' (force, torque): a force at the material point p of `carrier` and a torque, world axes. A node takes
/// no torque, a pinned one nothing at all. Needs comPos().
void addForce(const Model& m, const Data& d, Carrier carrier, const Vec3& p, const Vec3& force, const Vec3& torque,
              double* qfrc);

/// Velocity of the material point p of `carrier`, world axes. Needs comVel().
PointVelocity velocityOf(const Model& m, const Data& d, Carrier carrier, const Vec3& p);

/// Number of dofs that move a carrier.
inline int dofCount(const Model& m, Carrier carrier) {
  if (carrier.isBody()) return chainLength(m, carrier.body());
  return m.flexnode_pinned[carrier.node()] ? 0 : 3;
}

/// One side of a contact of Data: a weighted set of carriers whose mean moves the material point.
class Side {
 public:
  Side(const Model& m, const Data& d, const Contact& contact, std::size_t side)
      : m_(m), d_(d), range_(contact.side[side]), geom_(contact.geom[side]), flex_(contact.flex[side]) {}

  int count() const { return range_.count; }
  Carrier carrier(int k) const { return Carrier::fromCode(m_, d_.support_carrier[range_.begin + k]); }
  double weight(int k) const { return d_.support_weight[range_.begin + k]; }

  /// Calls f(carrier, weight).
  template <class F>
  void forEachCarrier(F&& f) const {
    for (int k = 0; k < range_.count; ++k) f(carrier(k), weight(k));
  }

  /// What touches: geom, or ngeom + flex.
  int collider() const { return geom_ >= 0 ? geom_ : m_.ngeom + flex_; }
  /// The body that carries the whole side; -1: nodes that move, or several bodies do.
  int body() const;
  /// The carrier, if it is one body and nothing else; -1 otherwise.
  int onlyBody() const { return range_.count == 1 ? carrier(0).body() : -1; }

  /// Velocity of the material point p. Needs comVel().
  PointVelocity velocity(const Vec3& p) const;
  /// qfrc += J(p)' (force, torque). Needs comPos().
  void addForce(const Vec3& p, const Vec3& force, const Vec3& torque, double* qfrc) const;
  /// f(dof, linear, angular) for the dofs that move the side, weights included; a dof may occur more than once.
  template <class F>
  void forEachDof(const Vec3& p, F&& f) const {
    forEachCarrier([&](Carrier carrier, double w) {
      sinew::forEachDof(m_, d_, carrier, p, [&](int dof, const Vec3& linear, const Vec3& angular) {
        f(dof, Vec3(w * linear), Vec3(w * angular));
      });
    });
  }
  /// Mean inverse mass and inertia of the carriers, by weight.
  double translationWeight() const;
  double rotationWeight() const;

 private:
  const Model& m_;
  const Data& d_;
  ContactSide range_;
  int geom_, flex_;
};

/// f(dof, linear) for the dofs that move the second side of a contact against the first: their relative velocity at the
/// contact point per unit speed. Dofs that two bodies have in common are left out; otherwise a dof may occur more than
/// once. Needs comPos().
template <class F>
void forEachDofBetween(const Model& m, const Data& d, const Contact& contact, F&& f) {
  const Vec3 p = ConstMapVec3(contact.pos.data());
  const Side first(m, d, contact, 0), second(m, d, contact, 1);
  if (first.onlyBody() >= 0 && second.onlyBody() >= 0) {
    forEachDofBetween(m, first.onlyBody(), second.onlyBody(), [&](int dof, bool movesFirst) {
      const Vec3 linear = jacobianColumn(m, d, dof, p).linear;
      f(dof, movesFirst ? Vec3(-linear) : linear);
    });
    return;
  }
  first.forEachDof(p, [&](int dof, const Vec3& linear, const Vec3&) { f(dof, Vec3(-linear)); });
  second.forEachDof(p, [&](int dof, const Vec3& linear, const Vec3&) { f(dof, linear); });
}

}  // namespace sinew
