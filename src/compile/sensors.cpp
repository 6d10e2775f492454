#include "compile/sensors.h"

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>

#include "compile/history.h"
#include "compile/place.h"
#include "compile/rows.h"
#include "model/carrier.h"
#include "spec/memory_budget.h"

namespace sinew::draft {
namespace {

/// Numbers per field of a contact sensor: found, force, torque, dist, pos, normal, tangent.
constexpr std::array<int, 7> kContactFields{1, 3, 3, 1, 3, 3, 3};
/// Numbers per field of a rangefinder: dist, dir, origin, point, normal, depth.
constexpr std::array<int, 6> kRayFields{1, 3, 3, 3, 3, 1};

/// A bound on the sensor vector, so that a large number in a file is an error and not an exhausted memory.
constexpr std::int64_t kMaxSensorNumbers = 100'000'000;

template <std::size_t N>
int fieldSize(const std::array<int, N>& fields, int bits) {
  int size = 0;
  for (std::size_t i = 0; i < N; ++i) {
    if ((bits >> i) & 1) size += fields[i];
  }
  return size;
}

/// What a type of sensor is: kind of number, stage, and how many numbers (0: depends on its parameters).
struct Kind {
  DataType data = DataType::Real;
  Stage stage = Stage::Pos;
  int dim = 1;
};

Kind kindOf(const spec::Sensor& sensor) {
  switch (sensor.type) {
    case SensorType::Touch:
      return {DataType::Positive, Stage::Acc, 1};
    case SensorType::InsideSite:
      return {DataType::Positive, Stage::Pos, 1};
    case SensorType::Accelerometer:
    case SensorType::Force:
    case SensorType::Torque:
    case SensorType::FrameLinAcc:
    case SensorType::FrameAngAcc:
      return {DataType::Real, Stage::Acc, 3};
    case SensorType::Velocimeter:
    case SensorType::Gyro:
    case SensorType::BallAngVel:
    case SensorType::FrameLinVel:
    case SensorType::FrameAngVel:
    case SensorType::SubtreeLinVel:
    case SensorType::SubtreeAngMom:
      return {DataType::Real, Stage::Vel, 3};
    case SensorType::Magnetometer:
    case SensorType::FramePos:
    case SensorType::SubtreeCom:
      return {DataType::Real, Stage::Pos, 3};
    case SensorType::FrameXAxis:
    case SensorType::FrameYAxis:
    case SensorType::FrameZAxis:
      return {DataType::Axis, Stage::Pos, 3};
    case SensorType::BallQuat:
    case SensorType::FrameQuat:
      return {DataType::Quaternion, Stage::Pos, 4};
    case SensorType::CamProjection:
      return {DataType::Real, Stage::Pos, 2};
    case SensorType::Rangefinder:
      return {DataType::Real, Stage::Pos, 0};
    case SensorType::Contact:
      return {DataType::Real, Stage::Acc, 0};
    case SensorType::ActuatorFrc:
    case SensorType::JointActFrc:
    case SensorType::TendonActFrc:
    case SensorType::JointLimitFrc:
    case SensorType::TendonLimitFrc:
      return {DataType::Real, Stage::Acc, 1};
    case SensorType::JointVel:
    case SensorType::TendonVel:
    case SensorType::ActuatorVel:
    case SensorType::JointLimitVel:
    case SensorType::TendonLimitVel:
      return {DataType::Real, Stage::Vel, 1};
    case SensorType::JointPos:
    case SensorType::TendonPos:
    case SensorType::ActuatorPos:
    case SensorType::JointLimitPos:
    case SensorType::TendonLimitPos:
    case SensorType::EPotential:
    case SensorType::EKinetic:
    case SensorType::Clock:
      return {DataType::Real, Stage::Pos, 1};
    case SensorType::User:
      return {sensor.datatype, sensor.needstage, 0};
    case SensorType::GeomDist:
      return {DataType::Real, Stage::Pos, 1};
    case SensorType::GeomNormal:
      return {DataType::Axis, Stage::Pos, 3};
    case SensorType::GeomFromTo:
      return {DataType::Real, Stage::Pos, 6};
    case SensorType::FlexForce:
    case SensorType::FlexReaction:
      return {DataType::Real, Stage::Acc, 3};
    case SensorType::FlexStrain:
      return {DataType::Real, Stage::Pos, 6};
    case SensorType::FlexStress:
    case SensorType::FlexMembrane:
    case SensorType::FlexMoment:
      return {DataType::Real, Stage::Acc, 6};
    case SensorType::FlexKinetic:
      return {DataType::Real, Stage::Vel, 1};
    case SensorType::FlexElastic:
      return {DataType::Real, Stage::Pos, 1};
    case SensorType::Tactile:
    case SensorType::Plugin:
      break;
  }
  const Place place = placeOf(sensor);
  place.fail(fmt::format("the sensor <{}> is not supported", place.tag()));
}

bool isOneOf(ObjType type, std::initializer_list<ObjType> allowed) {
  for (const ObjType a : allowed) {
    if (type == a) return true;
  }
  return false;
}

constexpr std::initializer_list<ObjType> kFrames{ObjType::Body, ObjType::XBody, ObjType::Geom, ObjType::Site,
                                                 ObjType::Camera};

/// The kind of object a sensor must be attached to.
void checkObject(const spec::Sensor& s, int object, const Model& m, const Place& place) {
  const auto require = [&](std::initializer_list<ObjType> allowed, const char* words) {
    if (!isOneOf(s.objtype, allowed)) place.fail(fmt::format("this sensor must be attached to {}", words));
  };
  switch (s.type) {
    case SensorType::Touch:
    case SensorType::Accelerometer:
    case SensorType::Velocimeter:
    case SensorType::Gyro:
    case SensorType::Force:
    case SensorType::Torque:
    case SensorType::Magnetometer:
    case SensorType::CamProjection:
      return require({ObjType::Site}, "a site");
    case SensorType::Rangefinder:
      return require({ObjType::Site, ObjType::Camera}, "a site or a camera");
    case SensorType::JointPos:
    case SensorType::JointVel:
    case SensorType::JointActFrc:
      require({ObjType::Joint}, "a joint");
      if (m.jnt_type[object] != JointType::Slide && m.jnt_type[object] != JointType::Hinge) {
        place.fail(fmt::format("joint \"{}\" must be a hinge or a slide", s.objname));
      }
      return;
    case SensorType::BallQuat:
    case SensorType::BallAngVel:
      require({ObjType::Joint}, "a joint");
      if (m.jnt_type[object] != JointType::Ball) place.fail(fmt::format("joint \"{}\" must be a ball", s.objname));
      return;
    case SensorType::JointLimitPos:
    case SensorType::JointLimitVel:
    case SensorType::JointLimitFrc:
      require({ObjType::Joint}, "a joint");
      if (m.jnt_limited[object] == 0) place.fail(fmt::format("joint \"{}\" has no limits", s.objname));
      return;
    case SensorType::TendonPos:
    case SensorType::TendonVel:
    case SensorType::TendonActFrc:
      return require({ObjType::Tendon}, "a tendon");
    case SensorType::TendonLimitPos:
    case SensorType::TendonLimitVel:
    case SensorType::TendonLimitFrc:
      require({ObjType::Tendon}, "a tendon");
      if (m.tendon_limited[object] == 0) place.fail(fmt::format("tendon \"{}\" has no limits", s.objname));
      return;
    case SensorType::ActuatorPos:
    case SensorType::ActuatorVel:
    case SensorType::ActuatorFrc:
      return require({ObjType::Actuator}, "an actuator");
    case SensorType::FramePos:
    case SensorType::FrameQuat:
    case SensorType::FrameXAxis:
    case SensorType::FrameYAxis:
    case SensorType::FrameZAxis:
    case SensorType::FrameLinVel:
    case SensorType::FrameAngVel:
    case SensorType::FrameLinAcc:
    case SensorType::FrameAngAcc:
    case SensorType::InsideSite:
      return require(kFrames, "a body, geom, site or camera");
    case SensorType::SubtreeCom:
    case SensorType::SubtreeLinVel:
    case SensorType::SubtreeAngMom:
      return require({ObjType::Body}, "a body");
    case SensorType::GeomDist:
    case SensorType::GeomNormal:
    case SensorType::GeomFromTo:
      return require({ObjType::Body, ObjType::Geom}, "a body or geom");
    case SensorType::FlexForce:
    case SensorType::FlexReaction:
    case SensorType::FlexStrain:
    case SensorType::FlexStress:
    case SensorType::FlexMembrane:
    case SensorType::FlexMoment:
    case SensorType::FlexKinetic:
    case SensorType::FlexElastic:
      return require({ObjType::Flex}, "a flex");
    case SensorType::Contact:
      return require({ObjType::Unknown, ObjType::Site, ObjType::Body, ObjType::XBody, ObjType::Geom},
                     "a site, body or geom, or to nothing");
    default:
      return;
  }
}

/// The part of a flex that a sensor is about must exist; reactions are those of pinned nodes.
void checkPart(const spec::Sensor& s, int flex, const Model& m, const Place& place) {
  const int part = s.intprm[0];
  const auto require = [&](const char* words, int count) {
    if (part >= count) {
      place.fail(fmt::format("flex \"{}\" has {} {}, there is no number {}", s.objname, count, words, part));
    }
  };
  switch (s.type) {
    case SensorType::FlexForce:
      return require("vertices", m.flex_vertnum[flex]);
    case SensorType::FlexStrain:
    case SensorType::FlexStress:
    case SensorType::FlexMembrane:
    case SensorType::FlexMoment:
      if (part < 0) place.fail("this sensor needs the number of an element");
      return require("elements", m.flex_elemnum[flex]);
    case SensorType::FlexReaction: {
      require("nodes", m.flex_pointnum[flex]);
      if (part < 0) return;
      const int point = m.flex_pointadr[flex] + part, node = m.flexpoint_nodeid[point];
      int riders = 0;  // points on the same body
      for (int p = 0; p < m.nflexpoint; ++p) {
        riders += m.flexpoint_nodeid[p] < 0 && m.flexpoint_bodyid[p] == m.flexpoint_bodyid[point];
      }
      if (node >= 0 ? !m.flexnode_pinned[node] : hasOwnSlides(m, point, riders)) {
        place.fail(fmt::format("node {} of flex \"{}\" is not pinned, nothing holds it", part, s.objname));
      }
      return;
    }
    default:
      return;
  }
}

bool isSeparation(SensorType type) {
  return type == SensorType::GeomDist || type == SensorType::GeomNormal || type == SensorType::GeomFromTo;
}

/// The two ends of a distance, normal or fromto sensor.
void checkSeparation(const spec::Sensor& s, int object, int reference, const Model& m, const Place& place) {
  if (!isOneOf(s.reftype, {ObjType::Body, ObjType::Geom})) place.fail("this sensor needs a second body or geom");
  if (s.objtype == s.reftype && object == reference) place.fail("this sensor needs two different bodies or geoms");
  const auto isField = [&m](ObjType type, int id) {
    return type == ObjType::Geom && m.geom_type[id] == GeomType::HField;
  };
  if (isField(s.objtype, object) || isField(s.reftype, reference)) {
    place.fail("the distance to a height field is not supported");
  }
}

void checkReference(const spec::Sensor& s, int reference, const Model& m, const Place& place) {
  if (s.type == SensorType::InsideSite && s.reftype != ObjType::Site) place.fail("this sensor needs a site");
  if (s.type == SensorType::CamProjection) {
    if (s.reftype != ObjType::Camera) place.fail("this sensor needs a camera");
    if (m.cam_resolution[2 * reference] == 0 || m.cam_resolution[2 * reference + 1] == 0) {
      place.fail(fmt::format("camera \"{}\" needs a resolution", s.refname));
    }
  }
  if (s.reftype != ObjType::Unknown && !isOneOf(s.reftype, kFrames)) {
    place.fail("the reference must be a body, geom, site or camera");
  }
}

void checkNumbers(const spec::Sensor& s, DataType data, const Place& place) {
  if (s.noise < 0) place.fail(fmt::format("'noise' must not be negative, found {}", s.noise));
  if (s.cutoff < 0) place.fail(fmt::format("'cutoff' must not be negative, found {}", s.cutoff));
  if (s.cutoff > 0 && (data == DataType::Quaternion || data == DataType::Axis) && s.type != SensorType::GeomNormal) {
    place.fail("'cutoff' makes no sense for axes and quaternions");
  }
  if (s.interval[0] < 0) place.fail(fmt::format("'interval' must not be negative, found {}", s.interval[0]));
  if (s.interval[1] > 0)
    place.fail(fmt::format("the phase of 'interval' must not be positive, found {}", s.interval[1]));
  if (s.interval[0] > 0 && s.interval[1] <= -s.interval[0]) {
    place.fail(fmt::format("the phase of 'interval' must be above minus its period, found {} {}", s.interval[0],
                           s.interval[1]));
  }
  checkHistory(s.nsample, s.interp, s.delay, place);
  if (s.type == SensorType::User && s.nsample > 0) place.fail("a user sensor keeps no samples");
}

std::int64_t outputSize(const spec::Sensor& s, const Kind& kind, int object, const Model& m, const Place& place) {
  switch (s.type) {
    case SensorType::Contact:
      if (s.intprm[0] <= 0 || s.intprm[0] >= 1 << kContactFields.size()) place.fail("'data' names no known field");
      if (s.intprm[1] < 0 || s.intprm[1] > 3) place.fail("'reduce' is not one of none, mindist, maxforce, netforce");
      if (s.intprm[2] <= 0) place.fail(fmt::format("'num' must be positive, found {}", s.intprm[2]));
      return std::int64_t{s.intprm[2]} * fieldSize(kContactFields, s.intprm[0]);
    case SensorType::Rangefinder: {
      if (s.intprm[0] <= 0 || s.intprm[0] >= 1 << kRayFields.size()) place.fail("'data' names no known field");
      std::int64_t rays = 1;
      if (s.objtype == ObjType::Camera) {
        rays = std::int64_t{m.cam_resolution[2 * object]} * m.cam_resolution[2 * object + 1];
      }
      // so many are refused anyway, and a product might not fit
      return rays > kMaxSensorNumbers ? rays : rays * fieldSize(kRayFields, s.intprm[0]);
    }
    case SensorType::User:
      if (s.dim < 0) place.fail(fmt::format("'dim' must not be negative, found {}", s.dim));
      if (s.datatype == DataType::Axis && s.dim != 3) place.fail("datatype=\"axis\" needs dim=\"3\"");
      if (s.datatype == DataType::Quaternion && s.dim != 4) place.fail("datatype=\"quaternion\" needs dim=\"4\"");
      return s.dim;
    case SensorType::ActuatorPos:
    case SensorType::ActuatorVel:
    case SensorType::ActuatorFrc:
      return m.actuator_outnum[object];
    default:
      return kind.dim;
  }
}

/// "'num': " and the like: what outputSize() depends on.
const char* sizeAttribute(const spec::Sensor& s) {
  switch (s.type) {
    case SensorType::Contact:
      return "'num': ";
    case SensorType::Rangefinder:
      return "'camera', by its 'resolution': ";
    case SensorType::User:
      return "'dim': ";
    default:
      return "";
  }
}

bool needsObject(SensorType type) {
  return type != SensorType::EPotential && type != SensorType::EKinetic && type != SensorType::Clock &&
         type != SensorType::Contact && type != SensorType::User;
}

}  // namespace

void checkSensors(const Model& m) {
  int address = 0;
  for (int i = 0; i < m.nsensor; ++i) {
    spec::Sensor s;
    s.name = std::to_string(i);
    s.type = m.sensor_type[i];
    s.objtype = m.sensor_objtype[i];
    s.reftype = m.sensor_reftype[i];
    s.datatype = m.sensor_datatype[i];
    s.needstage = m.sensor_needstage[i];
    s.dim = m.sensor_dim[i];
    std::copy_n(m.sensor_intprm.data() + 3 * i, 3, s.intprm.begin());
    const Place place = placeOf(s);
    const Kind kind = kindOf(s);
    const int object = m.sensor_objid[i], reference = m.sensor_refid[i];
    const auto exists = [&](ObjType type, int id) {
      return type == ObjType::Unknown ? id == -1 : id >= 0 && id < countOf(m, type);
    };
    if (!exists(s.objtype, object)) place.fail(fmt::format("sensor_objid {}: there is no such object", object));
    if (!exists(s.reftype, reference)) place.fail(fmt::format("sensor_refid {}: there is no such object", reference));
    if (s.objtype == ObjType::Unknown && needsObject(s.type)) place.fail("the sensed object is missing");
    checkObject(s, object, m, place);
    checkReference(s, reference, m, place);
    if (s.objtype == ObjType::Flex) checkPart(s, object, m, place);
    if (isSeparation(s.type)) checkSeparation(s, object, reference, m, place);
    if (kind.stage != m.sensor_needstage[i] || kind.data != m.sensor_datatype[i]) {
      place.fail("sensor_needstage or sensor_datatype does not fit its type");
    }
    if (s.type == SensorType::User && m.sensor_history[2 * i] > 0) place.fail("a user sensor keeps no samples");
    if (outputSize(s, kind, object, m, place) != m.sensor_dim[i] || m.sensor_adr[i] != address) {
      place.fail(fmt::format("sensor_dim {} or sensor_adr {} does not fit its type", m.sensor_dim[i], m.sensor_adr[i]));
    }
    if (!(m.sensor_interval[2 * i] >= 0) || !(m.sensor_delay[i] >= 0)) {
      place.fail("sensor_interval and sensor_delay must not be negative");
    }
    address += m.sensor_dim[i];
  }
  if (address != m.nsensordata) {
    throw LoadError(fmt::format("nsensordata is {}, the sensors need {}", m.nsensordata, address));
  }
}

void writeSensors(const Spec& spec, const Names& names, Model& m) {
  int address = 0;
  for (int i = 0; i < m.nsensor; ++i) {
    const spec::Sensor& s = spec.sensors[i];
    const Place place = placeOf(s);
    const Kind kind = kindOf(s);
    checkNumbers(s, kind.data, place);
    if (s.objtype == ObjType::Unknown && needsObject(s.type)) place.fail("the sensed object is missing");
    const int object = s.objtype == ObjType::Unknown ? -1 : names.need(s.objtype, s.objname, place);
    const int reference = s.reftype == ObjType::Unknown ? -1 : names.need(s.reftype, s.refname, place);
    checkObject(s, object, m, place);
    checkReference(s, reference, m, place);
    if (s.objtype == ObjType::Flex) checkPart(s, object, m, place);
    if (isSeparation(s.type)) checkSeparation(s, object, reference, m, place);

    m.sensor_type[i] = s.type;
    m.sensor_datatype[i] = kind.data;
    m.sensor_needstage[i] = kind.stage;
    m.sensor_objtype[i] = s.objtype;
    m.sensor_objid[i] = object;
    m.sensor_reftype[i] = s.reftype;
    m.sensor_refid[i] = reference;
    putRow(m.sensor_intprm, i, s.intprm);
    const std::int64_t size = outputSize(s, kind, object, m, place);
    if (address + size > kMaxSensorNumbers) {
      place.fail(fmt::format("{}{} numbers would need {} of memory; all sensors together may have {} numbers ({})",
                             sizeAttribute(s), size, spec::readableBytes(8.0 * static_cast<double>(size)),
                             kMaxSensorNumbers, spec::readableBytes(8.0 * kMaxSensorNumbers)));
    }
    m.sensor_dim[i] = static_cast<int>(size);
    m.sensor_adr[i] = address;
    m.sensor_cutoff[i] = s.cutoff;
    m.sensor_noise[i] = s.noise;
    m.sensor_delay[i] = s.delay;
    putRow(m.sensor_interval, i, s.interval);
    writeHistory(s.nsample, s.interp, m.sensor_dim[i], i, m.sensor_history, m.sensor_historyadr, m, place);
    putUser(m.sensor_user, i, m.nuser_sensor, s.user);
    address += m.sensor_dim[i];
  }
  m.nsensordata = address;
}

}  // namespace sinew::draft
