#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/quat.h"
#include "sensor/camera.h"
#include "sensor/object_frame.h"
#include "sensor/rangefinder.h"
#include "sensor/sensor.h"
#include "sensor/values.h"

namespace sinew {
namespace {

/// Position, or one of the axes, of a frame; in the reference frame if there is one.
Vec3 frameVector(const Model& m, const Data& d, int sensor) {
  const SensorType type = m.sensor_type[sensor];
  const ObjectFrame object = objectFrame(m, d, m.sensor_objtype[sensor], m.sensor_objid[sensor]);
  const bool position = type == SensorType::FramePos;
  const int axis = static_cast<int>(type) - static_cast<int>(SensorType::FrameXAxis);
  Vec3 value = position ? object.pos : Vec3(object.R.col(axis));
  if (m.sensor_refid[sensor] < 0) return value;
  const ObjectFrame reference = objectFrame(m, d, m.sensor_reftype[sensor], m.sensor_refid[sensor]);
  if (position) value -= reference.pos;
  return reference.R.transpose() * value;
}

Quat frameQuat(const Model& m, const Data& d, int sensor) {
  const Quat object = objectQuat(m, d, m.sensor_objtype[sensor], m.sensor_objid[sensor]);
  if (m.sensor_refid[sensor] < 0) return object;
  return objectQuat(m, d, m.sensor_reftype[sensor], m.sensor_refid[sensor]).conjugate() * object;
}

/// Is the point (in the frame of the shape) strictly inside?
bool isInside(GeomType type, const Vec3& size, const Vec3& p) {
  const double radial = p.x() * p.x() + p.y() * p.y();
  switch (type) {
    case GeomType::Sphere:
      return p.squaredNorm() < size[0] * size[0];
    case GeomType::Capsule: {
      const double beyond = p.z() - std::clamp(p.z(), -size[1], size[1]);
      return radial + beyond * beyond < size[0] * size[0];
    }
    case GeomType::Ellipsoid:
      return p.cwiseQuotient(size).squaredNorm() < 1;
    case GeomType::Cylinder:
      return std::abs(p.z()) < size[1] && radial < size[0] * size[0];
    case GeomType::Box:
      return (p.cwiseAbs().array() < size.array()).all();
    case GeomType::Plane:
      return p.z() < 0;
    default:
      return false;
  }
}

double insideSite(const Model& m, const Data& d, int sensor) {
  const ObjType type = m.sensor_objtype[sensor];
  const int id = m.sensor_objid[sensor];
  Vec3 point = objectFrame(m, d, type, id).pos;
  // a body without mass has no centre of mass of its own: that of what it carries
  if (type == ObjType::Body && id > 0 && m.body_mass[id] < kMinVal && m.body_subtreemass[id] >= kMinVal) {
    point = vec3(d.subtree_com.data(), id);
  }
  const int site = m.sensor_refid[sensor];
  const Vec3 local = mat3(d.site_xmat.data(), site).transpose() * (point - vec3(d.site_xpos.data(), site));
  return isInside(m.site_type[site], vec3(m.site_size.data(), site), local) ? 1 : 0;
}

}  // namespace

void positionSensor(const Model& m, Data& d, int sensor, double* out) {
  const int id = m.sensor_objid[sensor];
  switch (m.sensor_type[sensor]) {
    case SensorType::Magnetometer:
      MapVec3{out} = mat3(d.site_xmat.data(), id).transpose() * ConstMapVec3(m.opt.magnetic.data());
      break;
    case SensorType::CamProjection: {
      const Pixel pixel = projectToCamera(m, d, m.sensor_refid[sensor], vec3(d.site_xpos.data(), id));
      out[0] = pixel.x;
      out[1] = pixel.y;
      break;
    }
    case SensorType::Rangefinder:
      rangefinder(m, d, sensor, out);
      break;
    case SensorType::JointPos:
      out[0] = d.qpos[m.jnt_qposadr[id]];
      break;
    case SensorType::TendonPos:
      out[0] = d.ten_length[id];
      break;
    case SensorType::ActuatorPos:
      out[0] = d.actuator_length[id];
      break;
    case SensorType::BallQuat:
      normalized(Quat::load(&d.qpos[m.jnt_qposadr[id]])).store(out);
      break;
    case SensorType::JointLimitPos:
    case SensorType::TendonLimitPos:
      out[0] = 0;  // read from the limit's row of the solver; without such a row it is zero
      break;
    case SensorType::FramePos:
    case SensorType::FrameXAxis:
    case SensorType::FrameYAxis:
    case SensorType::FrameZAxis:
      MapVec3{out} = frameVector(m, d, sensor);
      break;
    case SensorType::FrameQuat:
      frameQuat(m, d, sensor).store(out);
      break;
    case SensorType::SubtreeCom:
      MapVec3{out} = vec3(d.subtree_com.data(), id);
      break;
    case SensorType::InsideSite:
      out[0] = insideSite(m, d, sensor);
      break;
    case SensorType::EPotential:
      potentialEnergy(m, d);
      out[0] = d.energy[0];
      break;
    case SensorType::EKinetic:
      kineticEnergy(m, d);
      out[0] = d.energy[1];
      break;
    case SensorType::Clock:
      out[0] = d.time;
      break;
    default:
      assert(false && "not a sensor of the position stage");
  }
}

}  // namespace sinew
