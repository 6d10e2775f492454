#include <algorithm>
#include <span>

#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "math/kernel.h"
#include "math/spatial.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/tree_pieces.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// Of all subtrees: those of static bodies hold both what sleeps and what does not.
void subtreeCentres(const Model& m, Data& d) {
  double* com = d.subtree_com.data();
  for (int i = 0; i < m.nbody; ++i) vec3(com, i) = vec3(d.xipos.data(), i) * m.body_mass[i];
  for (int n = 0; n < m.nflexnode; ++n) {  // a node counts where it was declared
    if (m.flexnode_pinned[n]) continue;
    vec3(com, m.flexnode_bodyid[n]) += m.flexnode_mass[n] * ConstMapVec3(d.qpos.data() + m.nq_rigid + 3 * n);
  }
  for (int i = m.nbody - 1; i > 0; --i) vec3(com, m.body_parentid[i]) += vec3(com, i);
  for (int i = 0; i < m.nbody; ++i) {
    const double mass = m.body_subtreemass[i];
    if (mass < kMinVal) {
      vec3(com, i) = vec3(d.xipos.data(), i);
    } else {
      vec3(com, i) *= 1 / mass;
    }
  }
}

/// Three rotations about the axes of `body`, anchor at -`toCom` from the reference point.
void rotationColumns(const double* xmat, const Vec3& toCom, double* cdof) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis(xmat[k], xmat[k + 3], xmat[k + 6]);
    setSpatial(cdof + 6 * k, axis, axis.cross(toCom));
  }
}

void motionAxes(const Model& m, Data& d, int j) {
  const int body = m.jnt_bodyid[j];
  const Vec3 axis = vec3(d.xaxis.data(), j);
  const Vec3 toCom = vec3(d.subtree_com.data(), m.body_rootid[body]) - vec3(d.xanchor.data(), j);
  double* cdof = d.cdof.data() + 6 * m.jnt_dofadr[j];
  switch (m.jnt_type[j]) {
    case JointType::Free:
      for (int k = 0; k < 3; ++k) setSpatial(cdof + 6 * k, Vec3::Zero(), Vec3::Unit(k));
      rotationColumns(d.xmat.data() + 9 * body, toCom, cdof + 18);
      break;
    case JointType::Ball:
      rotationColumns(d.xmat.data() + 9 * body, toCom, cdof);
      break;
    case JointType::Slide:
      setSpatial(cdof, Vec3::Zero(), axis);
      break;
    case JointType::Hinge:
      setSpatial(cdof, axis, axis.cross(toCom));
      break;
  }
}

/// cinert of bodies.
SINEW_KERNEL void inertias(const Model& m, Data& d, std::span<const int> bodies) {
  for (const int i : bodies) {
    const Vec3 fromCom = vec3(d.xipos.data(), i) - vec3(d.subtree_com.data(), m.body_rootid[i]);
    double I[10];
    setInertia(I, &m.body_inertia[3 * i], &d.ximat[9 * i], fromCom, m.body_mass[i]);
    for (int k = 0; k < 10; ++k) d.cinert[10 * i + k] = I[k];
  }
}

/// d/dt of a motion axis that is carried along by the motion v.
inline __attribute__((always_inline)) void storeRate(Data& d, int dof, const double* v) {
  double axis[6], rate[6];
  copy6(axis, &d.cdof[6 * dof]);
  crossMotion(rate, v, axis);
  copy6(&d.cdof_dot[6 * dof], rate);
}

/// cvel and cdof_dot of bodies.
SINEW_KERNEL void bodyVelocities(const Model& m, Data& d, std::span<const int> bodies) {
  for (const int i : bodies) {
    double v[6];
    copy6(v, &d.cvel[6 * m.body_parentid[i]]);
    const int end = m.body_jntadr[i] + m.body_jntnum[i];
    for (int j = m.body_jntadr[i]; j < end; ++j) {
      int dof = m.jnt_dofadr[j];
      switch (m.jnt_type[j]) {
        case JointType::Free:  // world-fixed translations: their axes do not turn
          for (int k = 0; k < 3; ++k, ++dof) {
            zero6(&d.cdof_dot[6 * dof]);
            v[3 + k] += d.qvel[dof];
          }
          [[fallthrough]];
        case JointType::Ball:  // the three axes turn together: all with the velocity before this joint
          for (int k = 0; k < 3; ++k) storeRate(d, dof + k, v);
          for (int k = 0; k < 3; ++k) addScaled6(v, &d.cdof[6 * (dof + k)], d.qvel[dof + k]);
          break;
        case JointType::Slide:
        case JointType::Hinge:
          storeRate(d, dof, v);
          addScaled6(v, &d.cdof[6 * dof], d.qvel[dof]);
          break;
      }
    }
    copy6(&d.cvel[6 * i], v);
  }
}

}  // namespace

void comPos(const Model& m, Data& d) {
  subtreeCentres(m, d);
  std::fill_n(d.cinert.data(), 10, 0.0);  // the world never moves
  inertias(m, d, awakeBodies(d));
  const bool sleepers = someAsleep(m, d);
  for (int j = 0; j < m.njnt; ++j) {
    if (!sleepers || !jointAsleep(m, d, j)) motionAxes(m, d, j);
  }
}

void comVel(const Model& m, Data& d) {
  zero6(d.cvel.data());
  forEachTreePiece(m, d, [&](const TreePiece& piece) { bodyVelocities(m, d, piece.bodies(awakeBodies(d))); });
}

void subtreeVelocities(const Model& m, Data& d) {
  Arena::Scope scope(d.work->arena);
  double* bodyVelocity = d.work->arena.take<double>(3 * m.nbody).data();
  double* linvel = d.subtree_linvel.data();
  double* angmom = d.subtree_angmom.data();

  // every body's own momentum and spin
  for (int i = 0; i < m.nbody; ++i) {
    const PointVelocity v = pointVelocity(m, d, i, vec3(d.xipos.data(), i));
    const Mat3 R = mat3(d.ximat.data(), i);
    vec3(bodyVelocity, i) = v.linear;
    vec3(linvel, i) = m.body_mass[i] * v.linear;
    const Vec3 spin = vec3(m.body_inertia.data(), i).cwiseProduct(R.transpose() * v.angular);
    vec3(angmom, i).noalias() = R * spin;
  }

  const auto forEachFreeNode = [&](auto&& f) {  // a node counts where it was declared, as in subtree_com
    for (int n = 0; n < m.nflexnode; ++n) {
      if (m.flexnode_pinned[n]) continue;
      f(m.flexnode_bodyid[n], m.flexnode_mass[n], ConstMapVec3(d.qpos.data() + m.nq_rigid + 3 * n),
        ConstMapVec3(d.qvel.data() + m.nv_rigid + 3 * n));
    }
  };
  forEachFreeNode([&](int body, double mass, const auto&, const auto& v) { vec3(linvel, body) += mass * v; });

  // momentum of each subtree, then the velocity of its centre of mass
  for (int i = m.nbody - 1; i >= 0; --i) {
    if (i > 0) vec3(linvel, m.body_parentid[i]) += vec3(linvel, i);
    vec3(linvel, i) *= 1 / std::max(kMinVal, m.body_subtreemass[i]);
  }

  // L about a centre c of what moves with its own centre x: L_x + m (x - c) x (v_x - v_c). Once for the body inside
  // its subtree (and for nodes, which do not spin), once for the subtree inside its parent's.
  forEachFreeNode([&](int body, double mass, const auto& x, const auto& v) {
    const Vec3 arm = x - vec3(d.subtree_com.data(), body);
    const Vec3 momentum = mass * (v - vec3(linvel, body));
    vec3(angmom, body) += arm.cross(momentum);
  });
  for (int i = m.nbody - 1; i > 0; --i) {
    const int parent = m.body_parentid[i];
    const Vec3 com = vec3(d.subtree_com.data(), i);
    const Vec3 velocity = vec3(linvel, i);
    const Vec3 bodyArm = vec3(d.xipos.data(), i) - com;
    const Vec3 bodyMomentum = m.body_mass[i] * (vec3(bodyVelocity, i) - velocity);
    vec3(angmom, i) += bodyArm.cross(bodyMomentum);

    const Vec3 arm = com - vec3(d.subtree_com.data(), parent);
    const Vec3 momentum = m.body_subtreemass[i] * (velocity - vec3(linvel, parent));
    vec3(angmom, parent) += vec3(angmom, i) + arm.cross(momentum);
  }
}

}  // namespace sinew
