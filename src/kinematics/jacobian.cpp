#include "kinematics/jacobian.h"

#include <algorithm>

#include "kinematics/dof_chains.h"
#include "math/spatial.h"

namespace sinew {

int chainLength(const Model& m, int body) {
  int count = 0;
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) ++count;
  return count;
}

int chainDofs(const Model& m, int body, int* dofs) {
  int count = 0;
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) dofs[count++] = i;
  std::reverse(dofs, dofs + count);
  return count;
}

JacobianColumn jacobianColumn(const Model& m, const Data& d, int dof, const Vec3& p) {
  const double* cdof = &d.cdof[6 * dof];
  return {velocityAt(cdof, p - treeCom(m, d, m.dof_bodyid[dof])), angular(cdof)};
}

void denseJacobian(const Model& m, const Data& d, int body, const Vec3& p, double* jacp, double* jacr) {
  if (jacp) std::fill_n(jacp, 3 * m.nv, 0.0);
  if (jacr) std::fill_n(jacr, 3 * m.nv, 0.0);
  const Vec3 r = p - treeCom(m, d, body);
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) {
    const double* cdof = &d.cdof[6 * i];
    const Vec3 translation = velocityAt(cdof, r);
    for (int k = 0; k < 3; ++k) {
      if (jacp) jacp[k * m.nv + i] = translation[k];
      if (jacr) jacr[k * m.nv + i] = cdof[k];
    }
  }
}

void addForce(const Model& m, const Data& d, int body, const Vec3& p, const Vec3& force, const Vec3& torque,
              double* qfrc) {
  // the same wrench about the reference point; then every dof is one product
  double wrench[6];
  setSpatial(wrench, torque + (p - treeCom(m, d, body)).cross(force), force);
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) qfrc[i] += dot6(&d.cdof[6 * i], wrench);
}

PointVelocity pointVelocity(const Model& m, const Data& d, int body, const Vec3& p) {
  const double* v = &d.cvel[6 * body];
  return {velocityAt(v, p - treeCom(m, d, body)), angular(v)};
}

PointVelocity pointAcceleration(const Model& m, const Data& d, int body, const Vec3& p) {
  if (lastDof(m, body) < 0) return {Vec3::Zero(), Vec3::Zero()};
  const double* a = &d.cacc[6 * body];
  const PointVelocity v = pointVelocity(m, d, body, p);
  return {velocityAt(a, p - treeCom(m, d, body)) + v.angular.cross(v.linear), angular(a)};
}

}  // namespace sinew
