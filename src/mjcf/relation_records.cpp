#include <fmt/format.h>

#include <sstream>

#include "mjcf/records.h"
#include "mjcf/value.h"

namespace sinew::mjcf {
namespace {

/// Takes over the first name that was given, with its type.
struct Target {
  const std::string& name;
  ObjType type;
};
void choose(std::initializer_list<Target> targets, ObjType& type, std::string& name) {
  for (const Target& target : targets) {
    if (target.name.empty()) continue;
    type = target.type;
    name = target.name;
    return;
  }
}

/// The attribute of the record that holds the first object of a sensor, by the sensor's type; null where the element
/// uses objtype and objname.
std::string* targetOf(SensorRecord& r) {
  switch (r.objtype) {
    case ObjType::Site:
      return &r.site;
    case ObjType::Camera:
      return &r.camera;
    case ObjType::Joint:
      return &r.joint;
    case ObjType::Tendon:
      return &r.tendon;
    case ObjType::Actuator:
      return &r.actuator;
    case ObjType::Body:
      return &r.body;
    case ObjType::Flex:
      return &r.flex;
    default:
      return nullptr;
  }
}

bool usesObjectAttributes(SensorType type) {
  return (type >= SensorType::FramePos && type <= SensorType::FrameAngAcc) || type == SensorType::InsideSite ||
         type == SensorType::User;
}

/// The attribute that says which part of a flex a sensor is about, and its name; null: it is about the whole flex.
std::optional<int>* partOf(SensorRecord& r, std::string_view& attribute) {
  switch (r.type) {
    case SensorType::FlexForce:
      attribute = "vertex";
      return &r.vertex;
    case SensorType::FlexReaction:
      attribute = "node";
      return &r.node;
    case SensorType::FlexStrain:
    case SensorType::FlexStress:
    case SensorType::FlexMembrane:
    case SensorType::FlexMoment:
      attribute = "element";
      return &r.element;
    default:
      return nullptr;
  }
}

}  // namespace

spec::Sensor lowerSensor(std::string_view tag, SensorRecord r) {
  for (const spec::SensorTag& t : spec::sensorTags())
    if (t.tag == tag) r.type = t.type;
  switch (r.type) {
    case SensorType::Contact:
      choose(
          {{r.site, ObjType::Site}, {r.body1, ObjType::Body}, {r.subtree1, ObjType::XBody}, {r.geom1, ObjType::Geom}},
          r.objtype, r.objname);
      choose({{r.body2, ObjType::Body}, {r.subtree2, ObjType::XBody}, {r.geom2, ObjType::Geom}}, r.reftype, r.refname);
      if (r.num <= 0) throw ValueError{"'num' must be positive"};
      r.intprm = {r.condata ? r.condata : 1, r.reduce, r.num};
      break;
    case SensorType::GeomDist:
    case SensorType::GeomNormal:
    case SensorType::GeomFromTo:
      choose({{r.body1, ObjType::Body}, {r.geom1, ObjType::Geom}}, r.objtype, r.objname);
      choose({{r.body2, ObjType::Body}, {r.geom2, ObjType::Geom}}, r.reftype, r.refname);
      break;
    case SensorType::InsideSite:
      r.reftype = ObjType::Site;
      r.refname = r.site;
      break;
    case SensorType::CamProjection:
      r.objtype = ObjType::Site, r.objname = r.site;
      r.reftype = ObjType::Camera, r.refname = r.camera;
      break;
    default:
      choose({{r.site, ObjType::Site},
              {r.camera, ObjType::Camera},
              {r.joint, ObjType::Joint},
              {r.tendon, ObjType::Tendon},
              {r.actuator, ObjType::Actuator},
              {r.body, ObjType::Body},
              {r.flex, ObjType::Flex}},
             r.objtype, r.objname);
  }
  std::string_view attribute;
  if (const std::optional<int>* part = partOf(r, attribute)) {
    if (part->value_or(0) < 0) {
      throw ValueError{fmt::format("'{}' must not be negative, found {}", attribute, part->value())};
    }
    r.intprm[0] = part->value_or(-1);
  }
  if (r.type == SensorType::Rangefinder) r.intprm[0] = r.raydata ? r.raydata : 1;
  return r;
}

SensorRecord raiseSensor(const spec::Sensor& sensor) {
  SensorRecord r;
  static_cast<spec::Sensor&>(r) = sensor;
  switch (sensor.type) {
    case SensorType::Contact:
      if (sensor.objtype == ObjType::Site) r.site = sensor.objname;
      if (sensor.objtype == ObjType::Body) r.body1 = sensor.objname;
      if (sensor.objtype == ObjType::XBody) r.subtree1 = sensor.objname;
      if (sensor.objtype == ObjType::Geom) r.geom1 = sensor.objname;
      if (sensor.reftype == ObjType::Body) r.body2 = sensor.refname;
      if (sensor.reftype == ObjType::XBody) r.subtree2 = sensor.refname;
      if (sensor.reftype == ObjType::Geom) r.geom2 = sensor.refname;
      r.condata = sensor.intprm[0], r.reduce = sensor.intprm[1], r.num = sensor.intprm[2];
      break;
    case SensorType::GeomDist:
    case SensorType::GeomNormal:
    case SensorType::GeomFromTo:
      (sensor.objtype == ObjType::Body ? r.body1 : r.geom1) = sensor.objname;
      (sensor.reftype == ObjType::Body ? r.body2 : r.geom2) = sensor.refname;
      break;
    case SensorType::InsideSite:
      r.site = sensor.refname;
      break;
    case SensorType::CamProjection:
      r.site = sensor.objname, r.camera = sensor.refname;
      break;
    default:
      if (!usesObjectAttributes(sensor.type))
        if (std::string* target = targetOf(r)) *target = sensor.objname;
  }
  if (sensor.type == SensorType::Rangefinder) r.raydata = sensor.intprm[0];
  std::string_view attribute;
  if (std::optional<int>* part = partOf(r, attribute); part && sensor.intprm[0] >= 0) *part = sensor.intprm[0];
  return r;
}

spec::Equality lowerEquality(std::string_view tag, EqualityRecord r) {
  for (const EqualityType type : {EqualityType::Connect, EqualityType::Weld, EqualityType::Joint, EqualityType::Tendon,
                                  EqualityType::Flex, EqualityType::FlexVert, EqualityType::FlexStrain})
    if (spec::equalityTag(type) == tag) r.type = type;
  r.sites = !r.site1.empty();
  if (r.type == EqualityType::Joint)
    r.name1 = r.joint1, r.name2 = r.joint2;
  else if (r.type == EqualityType::Tendon)
    r.name1 = r.tendon1, r.name2 = r.tendon2;
  else if (!r.flex.empty())
    r.name1 = r.flex, r.name2.clear();
  else
    r.name1 = r.sites ? r.site1 : r.body1, r.name2 = r.sites ? r.site2 : r.body2;
  return r;
}

EqualityRecord raiseEquality(const spec::Equality& equality) {
  EqualityRecord r;
  static_cast<spec::Equality&>(r) = equality;
  if (equality.type == EqualityType::Joint)
    r.joint1 = equality.name1, r.joint2 = equality.name2;
  else if (equality.type == EqualityType::Tendon)
    r.tendon1 = equality.name1, r.tendon2 = equality.name2;
  else if (equality.type >= EqualityType::Flex)
    r.flex = equality.name1;
  else if (equality.sites)
    r.site1 = equality.name1, r.site2 = equality.name2;
  else
    r.body1 = equality.name1, r.body2 = equality.name2;
  return r;
}

spec::Flex lowerFlex(FlexRecord r) {
  const auto split = [](const std::string& text, std::vector<std::string>& words) {
    std::istringstream stream(text);
    for (std::string word; stream >> word;) words.push_back(word);
  };
  split(r.body, r.bodies);
  split(r.node, r.nodes);
  return r;
}

FlexRecord raiseFlex(const spec::Flex& flex) {
  FlexRecord r;
  static_cast<spec::Flex&>(r) = flex;
  r.body = fmt::format("{}", fmt::join(flex.bodies, " "));
  r.node = fmt::format("{}", fmt::join(flex.nodes, " "));
  return r;
}

}  // namespace sinew::mjcf
