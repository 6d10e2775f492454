#include "kinematics/positions.h"

#include "math/quat.h"
#include "model/awake.h"

namespace sinew {

namespace {

void integrateJoint(const Model& m, int j, double* qpos, const double* qvel, double h) {
  double* q = qpos + m.jnt_qposadr[j];
  const double* v = qvel + m.jnt_dofadr[j];
  switch (m.jnt_type[j]) {
    case JointType::Free:
      for (int i = 0; i < 3; ++i) q[i] += h * v[i];
      q += 3;
      v += 3;
      [[fallthrough]];
    case JointType::Ball:
      integrated(Quat::load(q), ConstMapVec3(v), h).store(q);
      break;
    case JointType::Slide:
    case JointType::Hinge:
      *q += h * *v;
      break;
  }
}

/// A pinned node has no velocity, and adding zero would still turn -0 into 0.
void integrateNode(const Model& m, int node, double* qpos, const double* qvel, double h) {
  if (m.flexnode_pinned[node]) return;
  for (int k = 3 * node; k < 3 * node + 3; ++k) qpos[m.nq_rigid + k] += h * qvel[m.nv_rigid + k];
}

}  // namespace

void integratePositions(const Model& m, double* qpos, const double* qvel, double h) {
  for (int j = 0; j < m.njnt; ++j) integrateJoint(m, j, qpos, qvel, h);
  for (int node = 0; node < m.nflexnode; ++node) integrateNode(m, node, qpos, qvel, h);
}

void integrateAwakePositions(const Model& m, const Data& d, double* qpos, const double* qvel) {
  if (!someAsleep(m, d)) return integratePositions(m, qpos, qvel, m.opt.timestep);
  for (int j = 0; j < m.njnt; ++j) {
    if (!jointAsleep(m, d, j)) integrateJoint(m, j, qpos, qvel, m.opt.timestep);
  }
  for (int node = 0; node < m.nflexnode; ++node) {
    if (!nodeAsleep(m, d, node)) integrateNode(m, node, qpos, qvel, m.opt.timestep);
  }
}

void differentiatePositions(const Model& m, double* qvel, double h, const double* q1, const double* q2) {
  for (int j = 0; j < m.njnt; ++j) {
    const double* from = q1 + m.jnt_qposadr[j];
    const double* to = q2 + m.jnt_qposadr[j];
    double* v = qvel + m.jnt_dofadr[j];
    switch (m.jnt_type[j]) {
      case JointType::Free:
        for (int i = 0; i < 3; ++i) v[i] = (to[i] - from[i]) / h;
        from += 3;
        to += 3;
        v += 3;
        [[fallthrough]];
      case JointType::Ball:
        MapVec3{v} = difference(Quat::load(to), Quat::load(from)) * (1 / h);
        break;
      case JointType::Slide:
      case JointType::Hinge:
        *v = (*to - *from) / h;
        break;
    }
  }
  for (int k = 0; k < 3 * m.nflexnode; ++k) {
    qvel[m.nv_rigid + k] = (q2[m.nq_rigid + k] - q1[m.nq_rigid + k]) / h;
  }
}

}  // namespace sinew
