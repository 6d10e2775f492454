#include <algorithm>
#include <cassert>

#include "sensor/contact_sensor.h"
#include "sensor/object_frame.h"
#include "sensor/values.h"

namespace sinew {
namespace {

/// What the parent of the site's body exerts on it, at the site and in its axes.
FrameMotion interactionForce(const Model& m, const Data& d, int site) {
  const int body = m.site_bodyid[site];
  const ConstMapVec3 torque(&d.cfrc_int[6 * body]);  // at the tree's centre of mass
  const ConstMapVec3 force(&d.cfrc_int[6 * body + 3]);
  const Vec3 arm = vec3(d.site_xpos.data(), site) - vec3(d.subtree_com.data(), m.body_rootid[body]);
  const ConstMapMat3 R = mat3(d.site_xmat.data(), site);
  return {R.transpose() * force, R.transpose() * Vec3(torque - arm.cross(force))};
}

double tendonActuatorForce(const Model& m, const Data& d, int tendon) {
  double force = 0;
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_trntype[u] == TransmissionType::Tendon && m.actuator_trnid[2 * u] == tendon) {
      force += d.actuator_force[m.actuator_outadr[u]];
    }
  }
  return force;
}

/// Force on one vertex of a flex, or on all of them.
Vec3 vertexForce(const Model& m, const Data& d, int flex, int vertex) {
  if (vertex >= 0) return vec3(d.flexvert_force.data(), m.flex_vertadr[flex] + vertex);
  Vec3 sum = Vec3::Zero();
  for (int v = 0; v < m.flex_vertnum[flex]; ++v) sum += vec3(d.flexvert_force.data(), m.flex_vertadr[flex] + v);
  return sum;
}

/// What holds one point of a flex that is pinned or rides on a body, or all of them.
Vec3 reaction(const Model& m, const Data& d, int flex, int node) {
  Vec3 sum = Vec3::Zero();
  const int first = node < 0 ? 0 : node, end = node < 0 ? m.flex_pointnum[flex] : node + 1;
  for (int p = m.flex_pointadr[flex] + first; p < m.flex_pointadr[flex] + end; ++p) {
    sum += vec3(d.flexpoint_reaction.data(), p);
  }
  return sum;
}

double limitForce(const Data& d, int row) { return row < 0 ? 0 : d.efc_force[row]; }

}  // namespace

void accelerationSensor(const Model& m, Data& d, int sensor, double* out) {
  const int id = m.sensor_objid[sensor];
  switch (m.sensor_type[sensor]) {
    case SensorType::Touch:
      out[0] = touchForce(m, d, id);
      break;
    case SensorType::Contact:
      contactSensor(m, d, sensor, out);
      break;
    case SensorType::Accelerometer: {
      const ObjectFrame site = objectFrame(m, d, ObjType::Site, id);
      MapVec3{out} = site.R.transpose() * frameAcceleration(m, d, site).linear;
      break;
    }
    case SensorType::Force:
      MapVec3{out} = interactionForce(m, d, id).linear;
      break;
    case SensorType::Torque:
      MapVec3{out} = interactionForce(m, d, id).angular;
      break;
    case SensorType::ActuatorFrc:
      std::copy_n(&d.actuator_force[m.actuator_outadr[id]], m.actuator_outnum[id], out);
      break;
    case SensorType::JointActFrc:
      out[0] = d.qfrc_actuator[m.jnt_dofadr[id]];
      break;
    case SensorType::TendonActFrc:
      out[0] = tendonActuatorForce(m, d, id);
      break;
    case SensorType::JointLimitFrc:
      out[0] = limitForce(d, limitRow(d, RowType::LimitJoint, id));
      break;
    case SensorType::TendonLimitFrc:
      out[0] = limitForce(d, limitRow(d, RowType::LimitTendon, id));
      break;
    case SensorType::FrameLinAcc:
    case SensorType::FrameAngAcc: {
      const FrameMotion a = frameAcceleration(m, d, objectFrame(m, d, m.sensor_objtype[sensor], id));
      MapVec3{out} = m.sensor_type[sensor] == SensorType::FrameLinAcc ? a.linear : a.angular;
      break;
    }
    case SensorType::FlexForce:
      MapVec3{out} = vertexForce(m, d, id, m.sensor_intprm[3 * sensor]);
      break;
    case SensorType::FlexReaction:
      MapVec3{out} = reaction(m, d, id, m.sensor_intprm[3 * sensor]);
      break;
    case SensorType::FlexMembrane:
      MapVec6{out} = vec6(d.flexelem_membrane.data(), m.flex_elemadr[id] + m.sensor_intprm[3 * sensor]);
      break;
    case SensorType::FlexMoment:
      MapVec6{out} = vec6(d.flexelem_moment.data(), m.flex_elemadr[id] + m.sensor_intprm[3 * sensor]);
      break;
    case SensorType::FlexStress:
      MapVec6{out} = vec6(d.flexelem_stress.data(), m.flex_elemadr[id] + m.sensor_intprm[3 * sensor]);
      break;
    default:
      assert(false && "not a sensor of the acceleration stage");
  }
}

}  // namespace sinew
