#include "derivatives/smooth_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.h"
#include "forces/actuation.h"
#include "forces/damper.h"
#include "forces/servo.h"
#include "forces/spring.h"
#include "kinematics/jacobian.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/inputs.h"

namespace sinew::smooth {
namespace {

Vec6 crossMotion(const Vec6& v, const Vec6& s) {
  Vec6 out;
  sinew::crossMotion(out.data(), v.data(), s.data());
  return out;
}

Vec6 crossForce(const Vec6& v, const Vec6& f) {
  Vec6 out = Vec6::Zero();
  addCrossForce(out.data(), v.data(), f.data());
  return out;
}

Vec6 axisOf(const Data& d, int dof) { return vec6(d.cdof.data(), dof); }

/// First dof of the quaternion that a dof belongs to; the dof itself if it is none.
int firstOfGroup(const Model& m, int dof) {
  const int joint = m.dof_jntid[dof], first = m.jnt_dofadr[joint];
  if (m.jnt_type[joint] == JointType::Ball) return first;
  return m.jnt_type[joint] == JointType::Free && dof >= first + 3 ? first + 3 : dof;
}

/// Whether the axis of dof k turns with dof j: k is behind j, or belongs to the same quaternion.
bool turnsWith(const Model& m, int k, int j) {
  if (k == j) return false;
  if (firstOfGroup(m, k) == firstOfGroup(m, j)) return true;
  while (k > j) k = m.dof_parentid[k];
  return k == j;
}

bool isFixed(const Model& m, int tendon) {
  return m.wrap_type[m.tendon_adr[tendon]] == WrapType::Joint;  // a path is all joints or none
}

bool isScalarJoint(const Model& m, int joint) {
  return m.jnt_type[joint] == JointType::Hinge || m.jnt_type[joint] == JointType::Slide;
}

std::string nameOfActuator(const Model& m, int u) {
  const std::string_view name = nameOf(m, ObjType::Actuator, u);
  return name.empty() ? fmt::format("actuator {}", u) : fmt::format("actuator \"{}\"", name);
}

/// Why nothing here differentiates an actuator, empty if something does.
std::string obstacleOfActuator(const Model& m, int u) {
  const auto says = [&](const char* what) { return nameOfActuator(m, u) + what; };
  if (m.actuator_delay[u] != 0) return says(" has a delay");
  if (setpointPeriod(m, u) > 0 || m.actuator_gaintype[u] == GainType::So3) return says(" turns for ever");
  if (m.actuator_trntype[u] == TransmissionType::Body) return says(" acts through contacts");
  const bool stateful = m.actuator_actnum[u] > 0;
  return stateful && m.actuator_dyntype[u] == DynType::DcMotor ? says(" is a DC motor with states of its own") : "";
}

/// Why the force of an actuator has no closed form here.
std::string openFormOfActuator(const Model& m, int u) {
  const auto says = [&](const char* what) { return nameOfActuator(m, u) + what; };
  const DynType dyn = m.actuator_dyntype[u];
  if (dyn != DynType::None && dyn != DynType::Integrator && dyn != DynType::Filter && dyn != DynType::FilterExact) {
    return says(" has dynamics other than integrator and filter");
  }
  if (m.actuator_gaintype[u] != GainType::Fixed && m.actuator_gaintype[u] != GainType::Affine) {
    return says(" has a gain that is neither fixed nor affine");
  }
  if (m.actuator_biastype[u] != BiasType::None && m.actuator_biastype[u] != BiasType::Affine) {
    return says(" has a bias that is not affine");
  }
  if (m.actuator_actearly[u]) return says(" has actearly");
  const TransmissionType type = m.actuator_trntype[u];
  if (type == TransmissionType::Tendon) {
    const int tendon = m.actuator_trnid[2 * u];
    if (!isFixed(m, tendon)) return says(" pulls a spatial tendon");
    return m.tendon_actfrclimited[tendon] ? says(" pulls a tendon with a limited force") : "";
  }
  if (type != TransmissionType::Joint && type != TransmissionType::JointInParent) {
    return says(" acts through neither a joint nor a fixed tendon");
  }
  if (isScalarJoint(m, m.actuator_trnid[2 * u])) return "";
  if (type == TransmissionType::JointInParent) return says(" acts on a ball or free joint in the axes of the parent");
  const bool byLength = m.actuator_gainprm[10 * u + 1] != 0 || m.actuator_biasprm[10 * u + 1] != 0;
  return byLength ? says(" depends on the position of a ball or free joint") : "";
}

/// Adds the derivative of J'(force, torque) for a force that acts at the centre of mass of a body and keeps its world
/// axes: the point moves, and axes turn.
void addForceAtCom(const Model& m, const Data& d, int body, const Vec3& force, const Vec3& torque, Matrix& dq) {
  const Vec3 x = vec3(d.xipos.data(), body);
  const Vec3 arm = x - vec3(d.subtree_com.data(), m.body_rootid[body]);
  Vec6 wrench;
  wrench << torque + arm.cross(force), force;
  for (int j = lastDof(m, body); j >= 0; j = m.dof_parentid[j]) {
    const Vec3 moved = jacobianColumn(m, d, j, x).linear.cross(force);
    for (int k = lastDof(m, body); k >= 0; k = m.dof_parentid[k]) {
      dq(k, j) += angular(&d.cdof[6 * k]).dot(moved);
      if (turnsWith(m, k, j)) dq(k, j) += crossMotion(axisOf(d, j), axisOf(d, k)).dot(wrench);
    }
  }
}

/// rows(dof) -= slope J J' for a tendon whose path is joints.
void addTendonSlope(const Model& m, const Data& d, int tendon, double slope, Matrix& matrix) {
  const int begin = m.ten_J_rowadr[tendon], end = begin + m.ten_J_rownnz[tendon];
  for (int a = begin; a < end; ++a) {
    for (int b = begin; b < end; ++b) {
      matrix(m.ten_J_colind[a], m.ten_J_colind[b]) -= slope * d.ten_J[a] * d.ten_J[b];
    }
  }
}

bool isClamped(double x, const double* range) { return x <= range[0] || x >= range[1]; }

}  // namespace

std::string obstacle(const Model& m, const Data& d, bool actuators) {
  if (someAsleep(m, d)) return "something sleeps";
  if (d.callbacks.passive || (actuators && d.callbacks.control)) return "there are callbacks";
  if (!actuators || m.opt.disabled(disable::kActuation)) return "";
  if (m.nhistory > 0) return "there are delays";
  for (int u = 0; u < m.nactuator; ++u) {
    const std::string why = obstacleOfActuator(m, u);
    if (!why.empty()) return why;
  }
  return "";
}

std::string withoutClosedForm(const Model& m, bool actuators) {
  if (m.nflex > 0) return "the model has flexes";
  if (m.ncable > 0) return "the model has elastic cables";
  if (m.opt.density != 0 || m.opt.viscosity != 0) return "there is a fluid";
  for (int t = 0; t < m.ntendon; ++t) {
    if (m.tendon_armature[t] != 0) return fmt::format("tendon {} has armature", t);
    const bool polynomial = m.tendon_stiffnesspoly[2 * t] != 0 || m.tendon_stiffnesspoly[2 * t + 1] != 0 ||
                            m.tendon_dampingpoly[2 * t] != 0 || m.tendon_dampingpoly[2 * t + 1] != 0;
    const bool pulls = m.tendon_stiffness[t] != 0 || m.tendon_damping[t] != 0;
    if (polynomial) return fmt::format("tendon {} has polynomial stiffness or damping", t);
    if (pulls && !isFixed(m, t)) return fmt::format("tendon {} is spatial and has stiffness or damping", t);
  }
  for (int j = 0; j < m.njnt; ++j) {
    const SpringLaw spring = jointSpring(m, j);
    if (!isScalarJoint(m, j) && (spring.k1 != 0 || spring.k2 != 0)) {
      return fmt::format("joint {} is a ball or free joint with polynomial stiffness", j);
    }
    if (m.ngravcomp > 0 && m.jnt_actgravcomp[j]) return fmt::format("joint {} has actuatorgravcomp", j);
  }
  if (!actuators || m.opt.disabled(disable::kActuation)) return "";
  for (int u = 0; u < m.nactuator; ++u) {
    const std::string why = openFormOfActuator(m, u);
    if (!why.empty()) return why;
  }
  return "";
}

void addInverseDynamics(const Model& m, const Data& d, const double* acceleration, Matrix& dq, Matrix& dv) {
  // velocity and acceleration behind each dof, in front of its group, and what its group adds
  const auto n = at(m.nv);
  std::vector<Vec6> V(n), A(n), before(n), beforeA(n), own(n);
  Vec6 base = Vec6::Zero();
  if (!m.opt.disabled(disable::kGravity)) base.tail<3>() = -ConstMapVec3(m.opt.gravity.data());
  for (int k = 0; k < m.nv; ++k) {
    const int parent = m.dof_parentid[k], first = firstOfGroup(m, k), front = m.dof_parentid[first];
    const Vec6 S = axisOf(d, k);
    before[at(k)] = front < 0 ? Vec6(Vec6::Zero()) : V[at(front)];
    beforeA[at(k)] = front < 0 ? base : A[at(front)];
    V[at(k)] = (parent < 0 ? Vec6(Vec6::Zero()) : V[at(parent)]) + S * d.qvel[k];
    A[at(k)] = (parent < 0 ? base : A[at(parent)]) + S * acceleration[k] + crossMotion(before[at(k)], S) * d.qvel[k];
    own[at(k)] = V[at(k)] - before[at(k)];
  }
  for (int k = m.nv - 1; k >= 0; --k) {  // the last dof of a group knows all of it
    const int first = firstOfGroup(m, k);
    if (k + 1 < m.nv && firstOfGroup(m, k + 1) == first) own[at(k)] = own[at(k + 1)];
  }

  // sums over the bodies behind each dof
  std::vector<Vec6> F(at(m.nbody), Vec6::Zero());
  std::vector<Mat6> I(at(m.nbody), Mat6::Zero()), B(at(m.nbody), Mat6::Zero());
  for (int b = m.nbody - 1; b > 0; --b) {
    const int last = lastDof(m, b);
    if (last < 0) continue;
    const auto times = [&](const Vec6& x) {
      Vec6 out;
      multiplyInertia(out.data(), &d.cinert[10 * b], x.data());
      return out;
    };
    const Vec6& v = V[at(last)];
    const Vec6 momentum = times(v);
    F[at(b)] += times(A[at(last)]) + crossForce(v, momentum);
    for (int c = 0; c < 6; ++c) {
      const Vec6 e = Vec6::Unit(c), Ie = times(e);
      I[at(b)].col(c) += Ie;
      B[at(b)].col(c) += crossForce(e, momentum) + crossForce(v, Ie) - times(crossMotion(v, e));
    }
    const int parent = m.body_parentid[b];
    F[at(parent)] += F[at(b)];
    I[at(parent)] += I[at(b)];
    B[at(parent)] += B[at(b)];
  }

  for (int j = 0; j < m.nv; ++j) {
    const Vec6 S = axisOf(d, j);
    const Vec6& P = before[at(j)];
    const Vec6 u = crossMotion(S, P), c = crossMotion(S, beforeA[at(j)]) - crossMotion(u, P);
    const Vec6 e = 2 * crossMotion(P, S) + crossMotion(own[at(j)], S);
    const int body = m.dof_bodyid[j];
    const Vec6 byQ = crossForce(S, F[at(body)]) - I[at(body)] * c - B[at(body)] * u;
    const Vec6 byV = I[at(body)] * e + B[at(body)] * S;
    for (int k = j; k >= 0; k = m.dof_parentid[k]) {  // in front of it, and itself
      if (!turnsWith(m, k, j)) dq(k, j) += axisOf(d, k).dot(byQ);
      dv(k, j) += axisOf(d, k).dot(byV);
    }
    for (int k = 0; k < m.nv; ++k) {
      if (!turnsWith(m, k, j)) continue;
      const int behind = m.dof_bodyid[k];
      dq(k, j) -= axisOf(d, k).dot(I[at(behind)] * c + B[at(behind)] * u);
      if (k > j) dv(k, j) += axisOf(d, k).dot(I[at(behind)] * e + B[at(behind)] * S);
    }
  }
}

void addPassive(const Model& m, const Data& d, Matrix& dq, Matrix& dv) {
  const bool springs = !m.opt.disabled(disable::kSpring), dampers = !m.opt.disabled(disable::kDamper);
  if (!springs && !dampers) return;
  for (int j = 0; springs && j < m.njnt; ++j) {
    const SpringLaw spring = jointSpring(m, j);
    if (spring.isZero()) continue;
    int q = m.jnt_qposadr[j], v = m.jnt_dofadr[j];
    if (isScalarJoint(m, j)) {
      const double x = d.qpos[q] - m.qpos_spring[q];
      dq(v, v) -= spring.k0 + 2 * spring.k1 * x + 3 * spring.k2 * x * x;
      continue;
    }
    if (m.jnt_type[j] == JointType::Free) {
      for (int k = 0; k < 3; ++k) dq(v + k, v + k) -= spring.k0;
      q += 3;
      v += 3;
    }
    const Vec3 x = difference(normalized(Quat::load(&d.qpos[q])), Quat::load(&m.qpos_spring[q]));
    dq.block<3, 3>(v, v) -= spring.k0 * logJacobian(x);
  }
  for (int t = 0; t < m.ntendon; ++t) {
    if (springs && tendonStretch(m, d, t) != 0) addTendonSlope(m, d, t, m.tendon_stiffness[t], dq);
  }
  if (dampers) {
    std::vector<DampingLaw> laws(at(std::max(m.nv, m.ntendon)), DampingLaw{0, 0, 0});
    dofDamping(m, d, laws);
    for (int i = 0; i < m.nv; ++i) dv(i, i) -= laws[at(i)].rate(d.qvel[i]);
    tendonDamping(m, laws);
    for (int t = 0; t < m.ntendon; ++t) addTendonSlope(m, d, t, laws[at(t)].rate(d.ten_velocity[t]), dv);
  }
  if (m.ngravcomp == 0 || m.opt.disabled(disable::kGravity)) return;
  for (int b = 1; b < m.nbody; ++b) {
    const Vec3 force = ConstMapVec3(m.opt.gravity.data()) * -(m.body_mass[b] * m.body_gravcomp[b]);
    if (m.body_gravcomp[b] != 0) addForceAtCom(m, d, b, force, Vec3::Zero(), dq);
  }
}

void addApplied(const Model& m, const Data& d, Matrix& dq) {
  for (int b = 1; b < m.nbody; ++b) {
    const Vec3 force = usableForce(&d.xfrc_applied[6 * b]), torque = usableForce(&d.xfrc_applied[6 * b + 3]);
    if (!force.isZero(0) || !torque.isZero(0)) addForceAtCom(m, d, b, force, torque, dq);
  }
}

void addActuators(const Model& m, const Data& d, Matrix& dq, Matrix& dv, Matrix& dact, Matrix& dctrl) {
  if (m.nactuator == 0 || m.opt.disabled(disable::kActuation)) return;
  Matrix ofQ = Matrix::Zero(m.nv, m.nv), ofV = ofQ, ofAct = Matrix::Zero(m.nv, m.na), ofCtrl = Matrix::Zero(m.nv, m.nu);
  const bool clamping = !m.opt.disabled(disable::kClampCtrl);
  for (int u = 0; u < m.nactuator; ++u) {
    const int out = m.actuator_outadr[u], control = m.actuator_ctrladr[u];
    if (actuatorDisabled(m, u)) continue;
    if (m.actuator_forcelimited[u] && isClamped(d.actuator_force[out], &m.actuator_forcerange[2 * u])) continue;
    const double *gain = &m.actuator_gainprm[10 * u], *bias = &m.actuator_biasprm[10 * u];
    const bool affineGain = m.actuator_gaintype[u] == GainType::Affine;
    const bool affineBias = m.actuator_biastype[u] == BiasType::Affine;
    const double l = d.actuator_length[out], v = d.actuator_velocity[out];
    const bool stateful = m.actuator_actnum[u] > 0;
    double ctrl = d.ctrl[control];
    const double* range = &m.actuator_ctrlrange[2 * control];
    const bool limited = clamping && m.actuator_ctrllimited[control];
    const bool beyond = limited && (ctrl < range[0] || ctrl > range[1]);
    if (limited) ctrl = std::clamp(ctrl, range[0], range[1]);
    const double input = stateful ? d.act[lastActivation(m, u)] : ctrl;
    const double byInput = gain[0] + (affineGain ? gain[1] * l + gain[2] * v : 0);
    const double byLength = (affineGain ? gain[1] * input : 0) + (affineBias ? bias[1] : 0);
    const double byVelocity = (affineGain ? gain[2] * input : 0) + (affineBias ? bias[2] : 0);
    const int begin = d.moment_rowadr[out], end = begin + d.moment_rownnz[out];
    for (int a = begin; a < end; ++a) {
      const int row = d.moment_colind[a];
      const double moment = d.actuator_moment[a];
      for (int b = begin; b < end; ++b) {
        ofQ(row, d.moment_colind[b]) += moment * byLength * d.actuator_moment[b];
        ofV(row, d.moment_colind[b]) += moment * byVelocity * d.actuator_moment[b];
      }
      if (stateful) {
        ofAct(row, lastActivation(m, u)) += moment * byInput;
      } else if (!beyond) {
        ofCtrl(row, control) += moment * byInput;
      }
    }
  }
  for (int j = 0; j < m.njnt; ++j) {  // the total on a joint is at its limit
    const int dof = m.jnt_dofadr[j];
    if (!m.jnt_actfrclimited[j] || !isClamped(d.qfrc_actuator[dof], &m.jnt_actfrcrange[2 * j])) continue;
    for (Matrix* matrix : {&ofQ, &ofV, &ofAct, &ofCtrl}) matrix->row(dof).setZero();
  }
  dq += ofQ;
  dv += ofV;
  dact += ofAct;
  dctrl += ofCtrl;
}

ActivationRate activationRate(const Model& m, const Data& d, int u) {
  ActivationRate result;
  result.ctrl = m.actuator_ctrladr[u];
  const double* range = &m.actuator_ctrlrange[2 * result.ctrl];
  const double control = d.ctrl[result.ctrl];
  const bool beyond = !m.opt.disabled(disable::kClampCtrl) && m.actuator_ctrllimited[result.ctrl] &&
                      (control < range[0] || control > range[1]);
  if (m.actuator_dyntype[u] == DynType::Integrator) {
    result.byCtrl = 1;
  } else {  // a filter
    const double tau = std::max(kMinVal, m.actuator_dynprm[10 * u]);
    result.byCtrl = 1 / tau;
    result.byAct = -1 / tau;
  }
  if (beyond) result.byCtrl = 0;
  return result;
}

ActivationStep activationStep(const Model& m, const Data& d, int u, int activation, double rate) {
  ActivationStep result;
  result.duration = m.opt.timestep;
  if (m.actuator_dyntype[u] == DynType::FilterExact) {
    const double tau = std::max(kMinVal, m.actuator_dynprm[10 * u]);
    result.duration = tau * (1 - std::exp(-m.opt.timestep / tau));
  }
  if (m.opt.disabled(disable::kActuation) || actuatorDisabled(m, u)) result.duration = 0;
  const double next = d.act[activation] + result.duration * rate;
  if (m.actuator_actlimited[u] && isClamped(next, &m.actuator_actrange[2 * u])) result.next = result.duration = 0;
  return result;
}

Eigen::Matrix3d expJacobian(const Eigen::Vector3d& x) {
  const double t = x.norm();
  const Eigen::Matrix3d X = crossMatrix(x);
  // series where the quotients lose digits
  const double a = t < 1e-3 ? 0.5 - t * t / 24 : (1 - std::cos(t)) / (t * t);
  const double b = t < 1e-3 ? 1.0 / 6 - t * t / 120 : (t - std::sin(t)) / (t * t * t);
  return Eigen::Matrix3d::Identity() - a * X + b * X * X;
}

Eigen::Matrix3d logJacobian(const Eigen::Vector3d& x) {
  const double t = x.norm();
  const Eigen::Matrix3d X = crossMatrix(x);
  const double c = t < 1e-3 ? 1.0 / 12 + t * t / 720 : 1 / (t * t) - (1 + std::cos(t)) / (2 * t * std::sin(t));
  return Eigen::Matrix3d::Identity() + 0.5 * X + c * X * X;
}

}  // namespace sinew::smooth
