#include "sinew/reference_layout.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "math/spatial.h"
#include "math/types.h"
#include "sinew/sleep.h"

namespace sinew {
namespace {

ConstMapVec3 restOf(const Model& m, int node) { return vec3(m.flexpoint_pos.data(), m.flexnode_pointid[node]); }

/// From the point at which spatial vectors of a body's tree are taken to a place in the world.
Vec3 leverOf(const Model& m, const Data& d, int body, const Vec3& at) {
  return at - vec3(d.subtree_com.data(), m.body_rootid[body]);
}

/// Velocity of the material point of a body that is at `at`.
Vec3 bodyVelocity(const Model& m, const Data& d, int body, const Vec3& at) {
  return pointVelocity(m, d, body, at).linear;
}

/// Acceleration of a point that rides on a moving body: x = x_b + R (l + s), so
///   x'' = (acceleration of the material point) + 2 w x (R s') + R s''
/// This is everything but the last term; R s' is the velocity against the body.
Vec3 carriedAcceleration(const Model& m, const Data& d, const double* qacc, int body, const Vec3& at,
                         const Vec3& against) {
  double a[6] = {0, 0, 0, 0, 0, 0};  // spatial: sum over the chain of S' q' + S q''
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) {
    for (int k = 0; k < 6; ++k) a[k] += d.cdof_dot[6 * i + k] * d.qvel[i] + d.cdof[6 * i + k] * qacc[i];
  }
  const Vec3 w = angular(d.cvel.data() + 6 * body);
  return linear(a) + angular(a).cross(leverOf(m, d, body, at)) + w.cross(bodyVelocity(m, d, body, at)) +
         2 * w.cross(against);
}

}  // namespace

ReferenceLayout::ReferenceLayout(const Model& m) : m_(m), scratch_(m) {
  wakeAll(m, scratch_);
  std::vector<int> flexes(static_cast<std::size_t>(m.nflex));
  std::iota(flexes.begin(), flexes.end(), 0);
  std::stable_sort(flexes.begin(), flexes.end(), [&](int a, int b) { return m.flex_place[a] < m.flex_place[b]; });

  auto next = flexes.begin();
  const auto addFlexesBefore = [&](int body) {
    for (; next != flexes.end() && m.flex_place[*next] <= body; ++next) {
      for (int p = m.flex_pointadr[*next]; p < m.flex_pointadr[*next] + m.flex_pointnum[*next]; ++p) {
        const int node = m.flexpoint_nodeid[p];
        if (node < 0 || m.flexnode_pinned[node]) continue;
        nodes_.push_back(node);
        nodeQpos_.push_back(nq());
        nodeDof_.push_back(nv());
        body_.push_back(-1);
        for (int k = 0; k < 3; ++k) {
          qpos_.push_back(m.nq_rigid + 3 * node + k);
          dof_.push_back(m.nv_rigid + 3 * node + k);
          joint_.push_back(-1);
        }
      }
    }
  };
  for (int b = 0; b < m.nbody; ++b) {
    addFlexesBefore(b);
    body_.push_back(b);
    if (m.body_jntnum[b] == 0) continue;
    for (int j = m.body_jntadr[b]; j < m.body_jntadr[b] + m.body_jntnum[b]; ++j) {
      const bool last = j + 1 == m.njnt;
      const int endQpos = last ? m.nq_rigid : m.jnt_qposadr[j + 1], endDof = last ? m.nv_rigid : m.jnt_dofadr[j + 1];
      for (int i = m.jnt_qposadr[j]; i < endQpos; ++i) qpos_.push_back(i);
      for (int i = m.jnt_dofadr[j]; i < endDof; ++i) dof_.push_back(i);
      joint_.push_back(j);
    }
  }
  addFlexesBefore(m.nbody);
}

void ReferenceLayout::place(const double* qpos) {
  std::copy_n(qpos, m_.nq, scratch_.qpos.data());
  kinematics(m_, scratch_);
  comPos(m_, scratch_);
}

void ReferenceLayout::move(const double* qpos, const double* qvel) {
  place(qpos);
  std::copy_n(qvel, m_.nv, scratch_.qvel.data());
  comVel(m_, scratch_);
}

void ReferenceLayout::positionsToReference(const double* qpos, double* reference) {
  place(qpos);
  for (std::size_t i = 0; i < qpos_.size(); ++i) reference[i] = qpos[qpos_[i]];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int body = m_.flexnode_bodyid[nodes_[i]];
    const Vec3 offset = ConstMapVec3(qpos + m_.nq_rigid + 3 * nodes_[i]) - vec3(scratch_.xpos.data(), body);
    MapVec3{reference + nodeQpos_[i]} = mat3(scratch_.xmat.data(), body).transpose() * offset - restOf(m_, nodes_[i]);
  }
}

void ReferenceLayout::positionsFromReference(const double* reference, double* qpos) {
  std::copy(m_.qpos0.begin(), m_.qpos0.end(), qpos);
  for (std::size_t i = 0; i < qpos_.size(); ++i) {
    if (qpos_[i] < m_.nq_rigid) qpos[qpos_[i]] = reference[i];
  }
  place(qpos);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int body = m_.flexnode_bodyid[nodes_[i]];
    const Vec3 displaced = restOf(m_, nodes_[i]) + ConstMapVec3(reference + nodeQpos_[i]);
    MapVec3{qpos + m_.nq_rigid + 3 * nodes_[i]} =
        vec3(scratch_.xpos.data(), body) + mat3(scratch_.xmat.data(), body) * displaced;
  }
}

void ReferenceLayout::velocitiesToReference(const double* qpos, const double* qvel, double* reference) {
  move(qpos, qvel);
  for (std::size_t i = 0; i < dof_.size(); ++i) reference[i] = qvel[dof_[i]];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int body = m_.flexnode_bodyid[nodes_[i]];
    const Vec3 at = ConstMapVec3(qpos + m_.nq_rigid + 3 * nodes_[i]);
    const Vec3 against = ConstMapVec3(qvel + m_.nv_rigid + 3 * nodes_[i]) - bodyVelocity(m_, scratch_, body, at);
    MapVec3{reference + nodeDof_[i]} = mat3(scratch_.xmat.data(), body).transpose() * against;
  }
}

void ReferenceLayout::velocitiesFromReference(const double* qpos, const double* reference, double* qvel) {
  std::fill_n(qvel, m_.nv, 0.0);
  for (std::size_t i = 0; i < dof_.size(); ++i) {
    if (dof_[i] < m_.nv_rigid) qvel[dof_[i]] = reference[i];
  }
  move(qpos, qvel);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int body = m_.flexnode_bodyid[nodes_[i]];
    const Vec3 at = ConstMapVec3(qpos + m_.nq_rigid + 3 * nodes_[i]);
    MapVec3{qvel + m_.nv_rigid + 3 * nodes_[i]} =
        bodyVelocity(m_, scratch_, body, at) + mat3(scratch_.xmat.data(), body) * ConstMapVec3(reference + nodeDof_[i]);
  }
}

void ReferenceLayout::accelerationsToReference(const double* qpos, const double* qvel, const double* qacc,
                                               double* reference) {
  move(qpos, qvel);
  for (std::size_t i = 0; i < dof_.size(); ++i) reference[i] = qacc[dof_[i]];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int node = nodes_[i], body = m_.flexnode_bodyid[node];
    const Vec3 at = ConstMapVec3(qpos + m_.nq_rigid + 3 * node);
    const Vec3 against = ConstMapVec3(qvel + m_.nv_rigid + 3 * node) - bodyVelocity(m_, scratch_, body, at);
    const Vec3 own =
        ConstMapVec3(qacc + m_.nv_rigid + 3 * node) - carriedAcceleration(m_, scratch_, qacc, body, at, against);
    MapVec3{reference + nodeDof_[i]} = mat3(scratch_.xmat.data(), body).transpose() * own;
  }
}

// With q' = T r' between the two kinds of velocity (x' = v_b(x) + R s'), the power is the same in both when
// tau_ref = T' tau: R' f on the slides, and J_b(x)' f added to the dofs of the body.

void ReferenceLayout::forcesToReference(const double* qpos, const double* force, double* reference) {
  place(qpos);
  std::vector<double> total(force, force + m_.nv);
  for (const int node : nodes_) {
    const Vec3 at = ConstMapVec3(qpos + m_.nq_rigid + 3 * node), f = ConstMapVec3(force + m_.nv_rigid + 3 * node);
    addForce(m_, scratch_, m_.flexnode_bodyid[node], at, f, Vec3::Zero(), total.data());
  }
  for (std::size_t i = 0; i < dof_.size(); ++i) reference[i] = total[dof_[i]];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int body = m_.flexnode_bodyid[nodes_[i]];
    MapVec3{reference + nodeDof_[i]} =
        mat3(scratch_.xmat.data(), body).transpose() * ConstMapVec3(force + m_.nv_rigid + 3 * nodes_[i]);
  }
}

void ReferenceLayout::forcesFromReference(const double* qpos, const double* reference, double* force) {
  place(qpos);
  std::fill_n(force, m_.nv, 0.0);
  for (std::size_t i = 0; i < dof_.size(); ++i) {
    if (dof_[i] < m_.nv_rigid) force[dof_[i]] = reference[i];
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const int node = nodes_[i], body = m_.flexnode_bodyid[node];
    const Vec3 at = ConstMapVec3(qpos + m_.nq_rigid + 3 * node);
    const Vec3 f = mat3(scratch_.xmat.data(), body) * ConstMapVec3(reference + nodeDof_[i]);
    MapVec3{force + m_.nv_rigid + 3 * node} = f;
    addForce(m_, scratch_, body, at, -f, Vec3::Zero(), force);
  }
}

}  // namespace sinew
