#include <algorithm>
#include <cassert>

#include "collision/collide_memory.h"
#include "collision/collision.h"
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

/// How far the stop is from being active; without a row it is not near.
double limitPosition(const Data& d, int row) { return row < 0 ? 0 : d.efc_pos[row] - d.efc_margin[row]; }

/// The shortest segment between two objects, each a geom or all geoms of a body, if it is shorter than the cutoff.
struct Separation {
  double distance = 0;  ///< the cutoff, if they are further apart
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
};
Separation separation(const Model& m, const Data& d, int sensor) {
  struct Range {
    int begin, end;
  };
  const auto geomsOf = [&m](ObjType type, int id) -> Range {
    if (type == ObjType::Geom) return {id, id + 1};
    return {m.body_geomadr[id], m.body_geomadr[id] + m.body_geomnum[id]};
  };
  const Range first = geomsOf(m.sensor_objtype[sensor], m.sensor_objid[sensor]);
  const Range second = geomsOf(m.sensor_reftype[sensor], m.sensor_refid[sensor]);
  const double cutoff = m.sensor_cutoff[sensor];
  geom::CollideOptions options = collideOptions(m, d);
  options.multiContact = options.steady = false;
  Separation nearest{.distance = cutoff};
  for (int i = first.begin; i < first.end; ++i) {
    for (int j = second.begin; j < second.end; ++j) {
      Separation s;
      s.distance = geom::distance(shapeOf(m, d, i), shapeOf(m, d, j), cutoff, options, &s.from, &s.to);
      if (s.distance < nearest.distance) nearest = s;
    }
  }
  return nearest;
}

double insideSite(const Model& m, const Data& d, int sensor) {
  const ObjType type = m.sensor_objtype[sensor];
  const int id = m.sensor_objid[sensor];
  Vec3 point = objectFrame(m, d, type, id).pos;
  // a body without mass has no centre of mass of its own: that of what it carries
  if (type == ObjType::Body && id > 0 && m.body_mass[id] < kMinVal && m.body_subtreemass[id] >= kMinVal) {
    point = vec3(d.subtree_com.data(), id);
  }
  return isInsideSite(m, d, m.sensor_refid[sensor], point) ? 1 : 0;
}

}  // namespace

int limitRow(const Data& d, RowType type, int id) {
  for (int i = d.ne + d.nf; i < d.ne + d.nf + d.nl; ++i) {
    if (d.efc_type[i] == type && d.efc_id[i] == id) return i;
  }
  return -1;
}

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
      std::copy_n(&d.actuator_length[m.actuator_outadr[id]], m.actuator_outnum[id], out);
      break;
    case SensorType::BallQuat:
      normalized(Quat::load(&d.qpos[m.jnt_qposadr[id]])).store(out);
      break;
    case SensorType::JointLimitPos:
      out[0] = limitPosition(d, limitRow(d, RowType::LimitJoint, id));
      break;
    case SensorType::TendonLimitPos:
      out[0] = limitPosition(d, limitRow(d, RowType::LimitTendon, id));
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
    case SensorType::GeomDist:
      out[0] = separation(m, d, sensor).distance;
      break;
    case SensorType::GeomNormal: {
      const Separation s = separation(m, d, sensor);
      const Vec3 along = s.to - s.from;
      MapVec3{out} = along.isZero(0) ? along : normalizedOrX(along);
      break;
    }
    case SensorType::GeomFromTo: {
      const Separation s = separation(m, d, sensor);
      MapVec3{out} = s.from;
      MapVec3{out + 3} = s.to;
      break;
    }
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
    case SensorType::FlexStrain:
      MapVec6{out} = vec6(d.flexelem_strain.data(), m.flex_elemadr[id] + m.sensor_intprm[3 * sensor]);
      break;
    case SensorType::FlexElastic:
      out[0] = d.flex_energy[id];
      break;
    default:
      assert(false && "not a sensor of the position stage");
  }
}

}  // namespace sinew
