#include <algorithm>
#include <cassert>

#include "sensor/object_frame.h"
#include "sensor/values.h"

namespace sinew {
namespace {

/// Velocity of a frame. With a reference: as seen from it, that is without what its own motion and turning contribute,
///   v = R_ref' (v_obj - v_ref - w_ref x (p_obj - p_ref)),   w = R_ref' (w_obj - w_ref).
FrameMotion relativeVelocity(const Model& m, const Data& d, int sensor) {
  const ObjectFrame object = objectFrame(m, d, m.sensor_objtype[sensor], m.sensor_objid[sensor]);
  FrameMotion v = frameVelocity(m, d, object);
  if (m.sensor_refid[sensor] < 0) return v;
  const ObjectFrame reference = objectFrame(m, d, m.sensor_reftype[sensor], m.sensor_refid[sensor]);
  const FrameMotion base = frameVelocity(m, d, reference);
  const Vec3 arm = object.pos - reference.pos;
  v.linear = reference.R.transpose() * Vec3(v.linear - base.linear + arm.cross(base.angular));
  v.angular = reference.R.transpose() * Vec3(v.angular - base.angular);
  return v;
}

/// Rate at which the distance to the stop changes.
double limitVelocity(const Data& d, int row) { return row < 0 ? 0 : d.efc_vel[row]; }

}  // namespace

void velocitySensor(const Model& m, const Data& d, int sensor, double* out) {
  const int id = m.sensor_objid[sensor];
  switch (m.sensor_type[sensor]) {
    case SensorType::Velocimeter: {
      const ObjectFrame site = objectFrame(m, d, ObjType::Site, id);
      MapVec3{out} = site.R.transpose() * frameVelocity(m, d, site).linear;
      break;
    }
    case SensorType::Gyro: {
      const ObjectFrame site = objectFrame(m, d, ObjType::Site, id);
      MapVec3{out} = site.R.transpose() * frameVelocity(m, d, site).angular;
      break;
    }
    case SensorType::JointVel:
      out[0] = d.qvel[m.jnt_dofadr[id]];
      break;
    case SensorType::TendonVel:
      out[0] = d.ten_velocity[id];
      break;
    case SensorType::ActuatorVel:
      std::copy_n(&d.actuator_velocity[m.actuator_outadr[id]], m.actuator_outnum[id], out);
      break;
    case SensorType::BallAngVel:
      MapVec3{out} = ConstMapVec3(&d.qvel[m.jnt_dofadr[id]]);
      break;
    case SensorType::JointLimitVel:
      out[0] = limitVelocity(d, limitRow(d, RowType::LimitJoint, id));
      break;
    case SensorType::TendonLimitVel:
      out[0] = limitVelocity(d, limitRow(d, RowType::LimitTendon, id));
      break;
    case SensorType::FrameLinVel:
      MapVec3{out} = relativeVelocity(m, d, sensor).linear;
      break;
    case SensorType::FrameAngVel:
      MapVec3{out} = relativeVelocity(m, d, sensor).angular;
      break;
    case SensorType::SubtreeLinVel:
      MapVec3{out} = vec3(d.subtree_linvel.data(), id);
      break;
    case SensorType::SubtreeAngMom:
      MapVec3{out} = vec3(d.subtree_angmom.data(), id);
      break;
    case SensorType::FlexKinetic:
      out[0] = d.flex_kinetic[id];
      break;
    default:
      assert(false && "not a sensor of the velocity stage");
  }
}

}  // namespace sinew
