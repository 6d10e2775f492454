#include "integrate/integrate.h"
#include "math/quat.h"

namespace sinew {

void integratePositions(const Model& m, double* qpos, const double* qvel, double h) {
  for (int j = 0; j < m.njnt; ++j) {
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
  // a pinned node has no velocity, and adding zero would still turn -0 into 0
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) continue;
    for (int k = 3 * node; k < 3 * node + 3; ++k) qpos[m.nq_rigid + k] += h * qvel[m.nv_rigid + k];
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
