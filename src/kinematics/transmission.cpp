#include <algorithm>
#include <cmath>

#include "kinematics/dof_chains.h"
#include "kinematics/kinematics.h"
#include "kinematics/side.h"
#include "math/quat.h"
#include "model/awake.h"

namespace sinew {
namespace {

/// One row of the actuator moments, r = d length / d q, as it is being written.
struct MomentRow {
  int* column;
  double* value;
  int count = 0;

  void add(int dof, double moment) {
    column[count] = dof;
    value[count] = moment;
    ++count;
  }
  /// For rows whose pattern depends on the state: a dof without effect gets no entry.
  void addNonzero(int dof, double moment) {
    if (moment != 0) add(dof, moment);
  }
  /// Chains are walked from the last dof to the first, rows are stored the other way round.
  void reverse() {
    std::reverse(column, column + count);
    std::reverse(value, value + count);
  }
};

Vec3 siteAxisZ(const Data& d, int site) { return mat3(d.site_xmat.data(), site).col(2); }

/// Joint: length gear q for scalar joints, gear . log(q) for ball joints, none for free ones. `inParent`: the gear is
/// given in the parent's frame (the world's for free joints) and is turned into the frame of the dofs.
double jointTransmission(const Model& m, const Data& d, int joint, const double* gear, bool inParent, MomentRow& row) {
  const int dof = m.jnt_dofadr[joint];
  const double* q = &d.qpos[m.jnt_qposadr[joint]];
  switch (m.jnt_type[joint]) {
    case JointType::Slide:
    case JointType::Hinge:
      row.add(dof, gear[0]);
      return gear[0] * *q;
    case JointType::Ball: {
      const Quat quat = normalized(Quat::load(q));
      const Vec3 given(gear[0], gear[1], gear[2]);
      const Vec3 axis = inParent ? rotate(quat.conjugate(), given) : given;
      for (int k = 0; k < 3; ++k) row.add(dof + k, axis[k]);
      return dot3(toRotationVector(quat), axis);
    }
    case JointType::Free: {
      const Vec3 given(gear[3], gear[4], gear[5]);
      const Vec3 axis = inParent ? rotate(normalized(Quat::load(q + 3)).conjugate(), given) : given;
      for (int k = 0; k < 3; ++k) row.add(dof + k, gear[k]);
      for (int k = 0; k < 3; ++k) row.add(dof + 3 + k, axis[k]);
      return 0;
    }
  }
  return 0;
}

/// A rod of length L joins the crank site to a slider that moves along the slider site's z axis a. With w from the
/// slider site to the crank: length = a.w - sqrt(det), det = (a.w)^2 + L^2 - w.w; where the rod is too short, det <= 0,
/// the length is a.w. Derivatives, s = sqrt(det): dl/dw = (1 - a.w/s) a + w/s, dl/da = (1 - a.w/s) w.
double sliderCrankTransmission(const Model& m, const Data& d, int crank, int slider, double rod, double gear,
                               MomentRow& row) {
  const Vec3 a = siteAxisZ(d, slider);
  const Vec3 sliderPos = vec3(d.site_xpos.data(), slider);
  const Vec3 crankPos = vec3(d.site_xpos.data(), crank);
  const Vec3 w = crankPos - sliderPos;
  const double aw = dot3(a, w);
  const double det = aw * aw + rod * rod - dot3(w, w);
  double length = aw;
  Vec3 dw = a, da = w;
  if (det > 0) {
    const double s = std::sqrt(det);
    length = aw - s;
    dw = a * (1 - aw / s) + w * (1 / s);
    da = w * (1 - aw / s);
  }

  const int crankBody = m.site_bodyid[crank], sliderBody = m.site_bodyid[slider];
  const Vec3 crankArm = crankPos - treeCom(m, d, crankBody);
  const Vec3 sliderArm = sliderPos - treeCom(m, d, sliderBody);
  // a dof that moves both sites alike changes neither a.w nor |w|
  forEachDofBetween(m, crankBody, sliderBody, [&](int dof, bool movesCrank) {
    const double* cdof = &d.cdof[6 * dof];
    const double rate = movesCrank ? dot3(dw, velocityAt(cdof, crankArm))
                                   : dot3(da, angular(cdof).cross(a)) - dot3(dw, velocityAt(cdof, sliderArm));
    row.addNonzero(dof, gear * rate);
  });
  row.reverse();
  return gear * length;
}

/// A wrench fixed to the site, without length.
void siteTransmission(const Model& m, const Data& d, int site, const double* gear, MomentRow& row) {
  const int body = m.site_bodyid[site];
  const ConstMapMat3 R = mat3(d.site_xmat.data(), site);
  const Vec3 force = R * vec3(gear, 0), torque = R * vec3(gear, 1);
  const Vec3 arm = vec3(d.site_xpos.data(), site) - treeCom(m, d, body);
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) {
    const double* cdof = &d.cdof[6 * i];
    row.addNonzero(i, dot3(velocityAt(cdof, arm), force) + dot3(angular(cdof), torque));
  }
  row.reverse();
}

/// The rotation vector that takes a reference site to a site. The orientations that are compared are site_quat xquat,
/// in this order, as the reference engine has it (and users' models rely on), not the sites' true orientations xquat
/// site_quat.
Vec3 relativeRotation(const Model& m, const Data& d, int site, int reference) {
  const auto orientation = [&](int s) {
    return Quat::load(&m.site_quat[4 * s]) * Quat::load(&d.xquat[4 * m.site_bodyid[s]]);
  };
  return difference(orientation(site), orientation(reference));
}

/// The pose of a site in the frame of a reference site: length is gear times offset plus gear times rotation vector.
/// Dofs that move both sites together do not act.
double relativeSiteTransmission(const Model& m, const Data& d, int site, int reference, const double* gear,
                                MomentRow& row) {
  const int body = m.site_bodyid[site], referenceBody = m.site_bodyid[reference];
  const Vec3 pos = vec3(d.site_xpos.data(), site), referencePos = vec3(d.site_xpos.data(), reference);
  const ConstMapMat3 R = mat3(d.site_xmat.data(), reference);
  const ConstMapVec3 translation = vec3(gear, 0), rotation = vec3(gear, 1);
  double length = 0;
  if (translation != Vec3::Zero()) {
    const Vec3 offset = R.transpose() * (pos - referencePos);
    length += dot3(offset, translation);
  }
  if (rotation != Vec3::Zero()) length += dot3(relativeRotation(m, d, site, reference), rotation);

  const Vec3 force = R * translation, torque = R * rotation;
  const Vec3 arm = pos - treeCom(m, d, body), referenceArm = referencePos - treeCom(m, d, referenceBody);
  forEachDofBetween(m, body, referenceBody, [&](int dof, bool movesSite) {
    const double* cdof = &d.cdof[6 * dof];
    const double rate = dot3(velocityAt(cdof, movesSite ? arm : referenceArm), force) + dot3(angular(cdof), torque);
    row.addNonzero(dof, movesSite ? rate : -rate);
  });
  row.reverse();
  return length;
}

double tendonTransmission(const Model& m, const Data& d, int tendon, double gear, MomentRow& row) {
  const int adr = m.ten_J_rowadr[tendon];
  for (int k = 0; k < m.ten_J_rownnz[tendon]; ++k) row.add(m.ten_J_colind[adr + k], gear * d.ten_J[adr + k]);
  return gear * d.ten_length[tendon];
}

/// Adhesion: pulls along the mean normal of the body's contacts, active or in the gap; it has no length. The row is
/// summed up densely in place (it has room for nv entries), then compressed.
void bodyTransmission(const Model& m, const Data& d, int body, MomentRow& row) {
  std::fill_n(row.value, m.nv, 0.0);
  int count = 0;
  for (const Contact& contact : d.contact) {
    if (contact.exclude == ContactExclude::NoDofs) continue;
    if (Side(m, d, contact, 0).body() != body && Side(m, d, contact, 1).body() != body) continue;
    ++count;
    const Vec3 normal = ConstMapVec3(contact.frame.data());
    forEachDofBetween(m, d, contact, [&](int dof, const Vec3& apart) { row.value[dof] -= dot3(normal, apart); });
  }
  if (count == 0) return;
  for (int i = 0; i < m.nv; ++i) row.addNonzero(i, row.value[i] / count);
}

/// Component k of the rotation of one site against another, about the axes of the first: the moment is that axis, the
/// length component k of the rotation vector, whose components are the same in the frames of both sites.
double orientationTransmission(const Model& m, const Data& d, int site, int reference, int k, MomentRow& row) {
  const int body = m.site_bodyid[site], referenceBody = m.site_bodyid[reference];
  const Vec3 axis = mat3(d.site_xmat.data(), site).col(k);
  forEachDofBetween(m, body, referenceBody, [&](int dof, bool movesSite) {
    const double rate = dot3(angular(&d.cdof[6 * dof]), axis);
    row.addNonzero(dof, movesSite ? rate : -rate);
  });
  row.reverse();
  return relativeRotation(m, d, site, reference)[k];
}

/// Component k of the rotation of a ball joint.
double ballTransmission(const Model& m, const Data& d, int joint, int k, MomentRow& row) {
  row.add(m.jnt_dofadr[joint] + k, 1);
  return toRotationVector(normalized(Quat::load(&d.qpos[m.jnt_qposadr[joint]])))[k];
}

/// Writes row k of actuator u and returns its length.
double transmission(const Model& m, const Data& d, int u, int k, MomentRow& row) {
  const int target = m.actuator_trnid[2 * u], second = m.actuator_trnid[2 * u + 1];
  const double* gear = &m.actuator_gear[6 * (m.actuator_outadr[u] + k)];
  switch (m.actuator_trntype[u]) {
    case TransmissionType::Joint:
      return jointTransmission(m, d, target, gear, false, row);
    case TransmissionType::JointInParent:
      return jointTransmission(m, d, target, gear, true, row);
    case TransmissionType::SliderCrank:
      return sliderCrankTransmission(m, d, target, second, m.actuator_cranklength[u], gear[0], row);
    case TransmissionType::Tendon:
      return tendonTransmission(m, d, target, gear[0], row);
    case TransmissionType::Site:
      if (second >= 0) return relativeSiteTransmission(m, d, target, second, gear, row);
      siteTransmission(m, d, target, gear, row);
      return 0;
    case TransmissionType::Body:
      bodyTransmission(m, d, target, row);
      return 0;
    case TransmissionType::So3:
      return second >= 0 ? orientationTransmission(m, d, target, second, k, row)
                         : ballTransmission(m, d, target, k, row);
    case TransmissionType::Undefined:  // no compiled model has this
      return 0;
  }
  return 0;
}

}  // namespace

void transmissions(const Model& m, Data& d) {
  int adr = 0;
  for (int u = 0; u < m.nactuator; ++u) {
    const bool asleep = actuatorAsleep(m, d, u);  // then: no entries, no effect
    for (int k = 0; k < m.actuator_outnum[u]; ++k) {
      const int out = m.actuator_outadr[u] + k;
      MomentRow row{d.moment_colind.data() + adr, d.actuator_moment.data() + adr};
      if (!asleep) d.actuator_length[out] = transmission(m, d, u, k, row);
      d.moment_rowadr[out] = adr;
      d.moment_rownnz[out] = row.count;
      adr += row.count;
    }
  }
}

}  // namespace sinew
