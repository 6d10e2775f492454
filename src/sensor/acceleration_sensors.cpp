#include <algorithm>
#include <cassert>

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
  for (int u = 0; u < m.nu; ++u) {
    if (m.actuator_trntype[u] == TransmissionType::Tendon && m.actuator_trnid[2 * u] == tendon) {
      force += d.actuator_force[u];
    }
  }
  return force;
}

}  // namespace

void accelerationSensor(const Model& m, const Data& d, int sensor, double* out) {
  const int id = m.sensor_objid[sensor];
  switch (m.sensor_type[sensor]) {
    case SensorType::Touch:
    case SensorType::Contact:
      std::fill_n(out, m.sensor_dim[sensor], 0.0);  // what they read when there is no contact
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
      out[0] = d.actuator_force[id];
      break;
    case SensorType::JointActFrc:
      out[0] = d.qfrc_actuator[m.jnt_dofadr[id]];
      break;
    case SensorType::TendonActFrc:
      out[0] = tendonActuatorForce(m, d, id);
      break;
    case SensorType::JointLimitFrc:
    case SensorType::TendonLimitFrc:
      out[0] = 0;  // read from the limit's row of the solver; without such a row it is zero
      break;
    case SensorType::FrameLinAcc:
    case SensorType::FrameAngAcc: {
      const FrameMotion a = frameAcceleration(m, d, objectFrame(m, d, m.sensor_objtype[sensor], id));
      MapVec3{out} = m.sensor_type[sensor] == SensorType::FrameLinAcc ? a.linear : a.angular;
      break;
    }
    default:
      assert(false && "not a sensor of the acceleration stage");
  }
}

}  // namespace sinew
