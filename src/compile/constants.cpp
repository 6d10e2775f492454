#include "compile/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compile/flexes.h"
#include "compile/place.h"
#include "inertia/inertia.h"
#include "kinematics/flexes.h"
#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "math/spatial.h"

namespace sinew::draft {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// x' inv(M) x.
double inverseInertia(const Model& m, const Data& d, const std::vector<double>& x) {
  std::vector<double> solved = x;
  solveMass(m, d, solved.data());
  return dot(x, solved);
}

/// dof_M0 = armature + S' Ic S with the composite inertia Ic at qpos0, armature of the joint's actuators included.
void writeDiagonal(Model& m, Data& d) {
  massMatrix(m, d);  // for crb; its entries of simple dofs are not valid before dof_M0 is
  for (int i = 0; i < m.nv_rigid; ++i) {
    double momentum[6];
    multiplyInertia(momentum, d.crb.data() + 10 * m.dof_bodyid[i], d.cdof.data() + 6 * i);
    m.dof_M0[i] = m.dof_armature[i] + dot6(d.cdof.data() + 6 * i, momentum);
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    for (int i = m.nv_rigid + 3 * n; i < m.nv_rigid + 3 * n + 3; ++i) {
      m.dof_M0[i] = m.flexnode_mass[n] + m.dof_armature[i];
    }
  }
  for (int u = 0; u < m.nactuator; ++u) {
    const TransmissionType type = m.actuator_trntype[u];
    if (type != TransmissionType::Joint && type != TransmissionType::JointInParent) continue;
    const int joint = m.actuator_trnid[2 * u];
    const double gear = m.actuator_gear[6 * m.actuator_outadr[u]];
    for (int i = m.jnt_dofadr[joint]; i < m.nv && m.dof_jntid[i] == joint; ++i) {
      m.dof_M0[i] += m.actuator_armature[u] * (gear * gear);
    }
  }
}

/// x' inv(M) x for an x that is zero but on a chain of dofs from `first`, which has no dof above it, to `last`. Nothing
/// outside [first, last] can matter, so that a model of many trees costs no more than the sum of them.
double inverseInertia(const Model& m, const Data& d, const double* x, int first, int last,
                      std::vector<double>& solved) {
  std::copy(x + first, x + last + 1, solved.begin() + first);
  solveMass(m, d, first, last + 1, solved.data());
  double sum = 0;
  for (int i = first; i <= last; ++i) sum += x[i] * solved[i];
  return sum;
}

int topDof(const Model& m, int dof) {
  while (m.dof_parentid[dof] >= 0) dof = m.dof_parentid[dof];
  return dof;
}

/// Mean diagonal of J inv(M) J' over translations and over rotations, J the Jacobian of the centre of mass. A simple
/// body with slides only has 1/mass and 0, whatever its armature.
void writeBodyWeights(Model& m, const Data& d) {
  const std::size_t nv = static_cast<std::size_t>(m.nv);
  std::vector<double> jacobian(6 * nv), solved(nv);
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_dofnum[m.body_weldid[b]] == 0) continue;
    double* weight = m.body_invweight0.data() + 2 * b;
    if (m.body_simple[b] == 2) {
      weight[0] = 1 / std::max(kMinVal, m.body_mass[b]);
      continue;
    }
    const int last = lastDof(m, b), first = topDof(m, last);
    const auto row = [&](int k) { return jacobian.data() + static_cast<std::ptrdiff_t>(k) * m.nv; };
    for (int i = last; i >= 0; i = m.dof_parentid[i]) {
      const JacobianColumn column = jacobianColumn(m, d, i, vec3(d.xipos.data(), b));
      for (int k = 0; k < 3; ++k) row(k)[i] = column.linear[k], row(3 + k)[i] = column.angular[k];
    }
    for (int part = 0; part < 2; ++part) {
      double sum = 0;
      for (int k = 3 * part; k < 3 * part + 3; ++k) sum += inverseInertia(m, d, row(k), first, last, solved);
      weight[part] = sum / 3;
    }
    for (int k = 0; k < 6; ++k) std::fill(row(k) + first, row(k) + last + 1, 0.0);
  }
}

/// Diagonal of inv(M), averaged over a ball's three dofs and over a free joint's translations and rotations.
void writeDofWeights(Model& m, const Data& d) {
  std::vector<double> unit(static_cast<std::size_t>(m.nv)), solved(unit);
  const auto diagonal = [&](int i) {
    unit[i] = 1;
    const double inverse = inverseInertia(m, d, unit.data(), topDof(m, i), i, solved);
    unit[i] = 0;
    return inverse;
  };
  const auto average = [&](int first) {
    const double mean = (diagonal(first) + diagonal(first + 1) + diagonal(first + 2)) / 3;
    for (int i = first; i < first + 3; ++i) m.dof_invweight0[i] = mean;
  };
  for (int j = 0; j < m.njnt; ++j) {
    const int dof = m.jnt_dofadr[j], body = m.jnt_bodyid[j];
    if (m.body_simple[body] == 2) {
      m.dof_invweight0[dof] = 1 / std::max(kMinVal, m.body_mass[body]);
      continue;
    }
    switch (m.jnt_type[j]) {
      case JointType::Free:
        average(dof);
        average(dof + 3);
        break;
      case JointType::Ball:
        average(dof);
        break;
      case JointType::Slide:
      case JointType::Hinge:
        m.dof_invweight0[dof] = diagonal(dof);
        break;
    }
  }
}

/// Free nodes stay where they are when the body they are declared in accelerates: the sum of squares of their
/// accelerations against it. `acceleration` is that of the joints.
double squareAgainstBodies(const Model& m, const Data& d, const std::vector<double>& acceleration) {
  double sum = 0;
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) continue;
    const Vec3 at = ConstMapVec3(m.qpos0.data() + m.nq_rigid + 3 * n);
    Vec3 body = Vec3::Zero();
    for (int i = lastDof(m, m.flexnode_bodyid[n]); i >= 0; i = m.dof_parentid[i]) {
      body += acceleration[i] * jacobianColumn(m, d, i, at).linear;
    }
    sum += body.squaredNorm();
  }
  return sum;
}

void writeTendonAndActuatorWeights(Model& m, const Data& d) {
  std::vector<double> row(static_cast<std::size_t>(m.nv));
  for (int t = 0; t < m.ntendon; ++t) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int k = m.ten_J_rowadr[t]; k < m.ten_J_rowadr[t] + m.ten_J_rownnz[t]; ++k) {
      row[m.ten_J_colind[k]] += d.ten_J[k];
    }
    m.tendon_invweight0[t] = inverseInertia(m, d, row);
  }
  for (int o = 0; o < m.nout; ++o) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int k = d.moment_rowadr[o]; k < d.moment_rowadr[o] + d.moment_rownnz[o]; ++k) {
      row[d.moment_colind[k]] += d.actuator_moment[k];
    }
    solveMass(m, d, row.data());
    m.actuator_acc0[o] = std::sqrt(dot(row, row) + squareAgainstBodies(m, d, row));
  }
}

/// A point of a carrier in the coordinates of another, given by their codes, at qpos0.
Vec3 pointIn(const Model& m, const Data& d, const Vec3& point, int from, int to) {
  const Carrier source = Carrier::fromCode(m, from), target = Carrier::fromCode(m, to);
  const Vec3 away = pointOfCarrier(m, d, source, point) - pointOfCarrier(m, d, target, Vec3::Zero());
  const int axes = target.isBody() ? target.body() : m.flexnode_bodyid[target.node()];
  return mat3(d.xmat.data(), axes).transpose() * away;
}

/// The parts of eq_data that follow from the reference configuration, see writeEqualities().
void writeEqualityData(Model& m, const Data& d) {
  for (int i = 0; i < m.neq; ++i) {
    double* data = m.eq_data.data() + 11 * i;
    const int body1 = m.eq_obj1id[i], body2 = m.eq_obj2id[i];
    const bool betweenSites = m.eq_objtype[i] == ObjType::Site;
    if (m.eq_type[i] == EqualityType::Connect) {
      if (betweenSites) {
        std::fill(data, data + 11, 0.0);
      } else {
        MapVec3{data + 3} = pointIn(m, d, ConstMapVec3{data}, body1, body2);
      }
    }
    if (m.eq_type[i] == EqualityType::Weld && !betweenSites) {
      const Quat given = Quat::load(data + 6);
      if (given.norm() != 0) {
        normalized(given).store(data + 6);
        continue;
      }
      MapVec3{data + 3} = pointIn(m, d, ConstMapVec3{data}, body2, body1);
      const Quat q1 = Quat::load(d.xquat.data() + 4 * body1), q2 = Quat::load(d.xquat.data() + 4 * body2);
      (q1.conjugate() * q2).store(data + 6);
    }
  }
}

/// dof_M0 with the free nodes declared in each body moving along with it: what an actuator has to move.
std::vector<double> inertiasWithNodes(const Model& m, const Data& d) {
  std::vector<double> inertia(m.dof_M0.begin(), m.dof_M0.end());
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) continue;
    const int body = m.flexnode_bodyid[n];
    const Vec3 at = ConstMapVec3(m.qpos0.data() + m.nq_rigid + 3 * n);
    for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) {
      inertia[i] += m.flexnode_mass[n] * jacobianColumn(m, d, i, at).linear.squaredNorm();
    }
  }
  return inertia;
}

/// A servo (gain = kp, bias stiffness = -kp; a pid has only the latter) with a positive third bias parameter means a
/// damping ratio z; it becomes
///   kv = 2 z sqrt(kp I),  I = sum of M_ii / moment_i^2 over the dofs it acts on, for an orientation those of its first
/// component.
void resolveDampingRatios(Model& m, const Data& d) {
  const std::vector<double> inertiaOf = inertiasWithNodes(m, d);
  for (int u = 0; u < m.nactuator; ++u) {
    double* bias = m.actuator_biasprm.data() + 10 * u;
    const double kp = -bias[1];
    const bool isServo = m.actuator_gaintype[u] == GainType::Pid || m.actuator_gainprm[10 * u] == kp;
    if (!isServo || bias[2] <= 0) continue;
    const int out = m.actuator_outadr[u];
    double inertia = 0;
    for (int k = d.moment_rowadr[out]; k < d.moment_rowadr[out] + d.moment_rownnz[out]; ++k) {
      const double square = d.actuator_moment[k] * d.actuator_moment[k];
      if (square > kMinVal) inertia += inertiaOf[d.moment_colind[k]] / square;
    }
    bias[2] = -bias[2] * 2 * std::sqrt(kp * inertia);
  }
}

/// Poses of cameras at qpos0, as if all were fixed to their bodies.
void writeCameras(Model& m, Data& d) {
  const Array<CameraMode> modes = m.cam_mode;
  m.cam_mode.assign(m.ncam, CameraMode::Fixed);
  cameras(m, d);
  m.cam_mode = modes;
  for (int i = 0; i < m.ncam; ++i) {
    const int body = m.cam_bodyid[i];
    const int target = m.cam_targetbodyid[i] >= 0 ? m.cam_targetbodyid[i] : body;
    const Vec3 pos = vec3(d.cam_xpos.data(), i);
    vec3(m.cam_pos0.data(), i) = pos - vec3(d.xpos.data(), body);
    vec3(m.cam_poscom0.data(), i) = pos - vec3(d.subtree_com.data(), target);
    mat3(m.cam_mat0.data(), i) = mat3(d.cam_xmat.data(), i);
  }
}

}  // namespace

void scaleTotalMass(double mass, Model& m) {
  double total = 0;
  for (int b = 0; b < m.nbody; ++b) total += m.body_mass[b];
  for (int n = 0; n < m.nflexnode; ++n) total += m.flexnode_pinned[n] ? 0 : m.flexnode_mass[n];
  const double scale = std::max(kMinVal, mass / std::max(kMinVal, total));
  for (int b = 1; b < m.nbody; ++b) {
    m.body_mass[b] *= scale;
    vec3(m.body_inertia.data(), b) *= scale;
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    if (!m.flexnode_pinned[n]) m.flexnode_mass[n] *= scale;
  }
}

void writeReference(Model& m, Data& d) {
  d.qpos = m.qpos0;
  kinematics(m, d);
  comPos(m, d);
  writeCameras(m, d);
  tendons(m, d);
  writeDiagonal(m, d);
  massMatrix(m, d);
  factorMass(m, d);
  transmissions(m, d);

  m.tendon_length0 = d.ten_length;
  m.actuator_length0 = d.actuator_length;
  writeBodyWeights(m, d);
  writeDofWeights(m, d);
  writeTendonAndActuatorWeights(m, d);
  writeFlexWeights(m, d);
  writeNodeStiffness(m, d);
  writeEqualityData(m, d);
  resolveDampingRatios(m, d);
}

void writeSpringLengths(Model& m, Data& d) {
  d.qpos = m.qpos_spring;
  kinematics(m, d);
  comPos(m, d);
  tendons(m, d);
  for (int t = 0; t < m.ntendon; ++t) {
    double* length = m.tendon_lengthspring.data() + 2 * t;
    if (length[0] == -1 && length[1] == -1) length[0] = length[1] = d.ten_length[t];
  }
}

void writeSpringDampers(const Draft& draft, Model& m) {
  int j = 0;
  for (const Body& body : draft.bodies) {
    for (const Joint& joint : body.joints) {
      const int id = j++, dof = m.jnt_dofadr[id], n = joint.numDofs();
      const auto [timeconst, dampratio] = joint.spec->springdamper;
      if (timeconst <= 0 || dampratio <= 0) continue;
      double weight = 0;
      for (int i = dof; i < dof + n; ++i) weight += m.dof_invweight0[i];
      const double inertia = n / std::max(kMinVal, weight);
      m.jnt_stiffness[id] = inertia / std::max(kMinVal, timeconst * timeconst * dampratio * dampratio);
      for (int i = dof; i < dof + n; ++i) m.dof_damping[i] = 2 * inertia / std::max(kMinVal, timeconst);
    }
  }
}

}  // namespace sinew::draft
