#include "compile/place.h"

#include "spec/place.h"

namespace sinew::draft {
namespace {

const char* sensorTag(SensorType type) {
  switch (type) {
    case SensorType::Touch:
      return "touch";
    case SensorType::Accelerometer:
      return "accelerometer";
    case SensorType::Velocimeter:
      return "velocimeter";
    case SensorType::Gyro:
      return "gyro";
    case SensorType::Force:
      return "force";
    case SensorType::Torque:
      return "torque";
    case SensorType::Magnetometer:
      return "magnetometer";
    case SensorType::Rangefinder:
      return "rangefinder";
    case SensorType::CamProjection:
      return "camprojection";
    case SensorType::JointPos:
      return "jointpos";
    case SensorType::JointVel:
      return "jointvel";
    case SensorType::TendonPos:
      return "tendonpos";
    case SensorType::TendonVel:
      return "tendonvel";
    case SensorType::ActuatorPos:
      return "actuatorpos";
    case SensorType::ActuatorVel:
      return "actuatorvel";
    case SensorType::ActuatorFrc:
      return "actuatorfrc";
    case SensorType::JointActFrc:
      return "jointactuatorfrc";
    case SensorType::TendonActFrc:
      return "tendonactuatorfrc";
    case SensorType::BallQuat:
      return "ballquat";
    case SensorType::BallAngVel:
      return "ballangvel";
    case SensorType::JointLimitPos:
      return "jointlimitpos";
    case SensorType::JointLimitVel:
      return "jointlimitvel";
    case SensorType::JointLimitFrc:
      return "jointlimitfrc";
    case SensorType::TendonLimitPos:
      return "tendonlimitpos";
    case SensorType::TendonLimitVel:
      return "tendonlimitvel";
    case SensorType::TendonLimitFrc:
      return "tendonlimitfrc";
    case SensorType::FramePos:
      return "framepos";
    case SensorType::FrameQuat:
      return "framequat";
    case SensorType::FrameXAxis:
      return "framexaxis";
    case SensorType::FrameYAxis:
      return "frameyaxis";
    case SensorType::FrameZAxis:
      return "framezaxis";
    case SensorType::FrameLinVel:
      return "framelinvel";
    case SensorType::FrameAngVel:
      return "frameangvel";
    case SensorType::FrameLinAcc:
      return "framelinacc";
    case SensorType::FrameAngAcc:
      return "frameangacc";
    case SensorType::SubtreeCom:
      return "subtreecom";
    case SensorType::SubtreeLinVel:
      return "subtreelinvel";
    case SensorType::SubtreeAngMom:
      return "subtreeangmom";
    case SensorType::InsideSite:
      return "insidesite";
    case SensorType::GeomDist:
      return "distance";
    case SensorType::GeomNormal:
      return "normal";
    case SensorType::GeomFromTo:
      return "fromto";
    case SensorType::Contact:
      return "contact";
    case SensorType::EPotential:
      return "e_potential";
    case SensorType::EKinetic:
      return "e_kinetic";
    case SensorType::Clock:
      return "clock";
    case SensorType::Tactile:
      return "tactile";
    case SensorType::Plugin:
      return "plugin";
    case SensorType::User:
      return "user";
    case SensorType::FlexForce:
      return "flexforce";
    case SensorType::FlexReaction:
      return "flexreaction";
    case SensorType::FlexStrain:
      return "flexstrain";
    case SensorType::FlexStress:
      return "flexstress";
    case SensorType::FlexKinetic:
      return "flexkinetic";
    case SensorType::FlexElastic:
      return "flexelastic";
    case SensorType::FlexMembrane:
      return "flexmembrane";
    case SensorType::FlexMoment:
      return "flexmoment";
  }
  return "sensor";
}

const char* equalityTag(EqualityType type) {
  switch (type) {
    case EqualityType::Connect:
      return "connect";
    case EqualityType::Weld:
      return "weld";
    case EqualityType::Joint:
      return "joint";
    case EqualityType::Tendon:
      return "tendon";
    case EqualityType::Flex:
      return "flex";
    case EqualityType::FlexVert:
      return "flexvert";
    case EqualityType::FlexStrain:
      return "flexstrain";
  }
  return "equality";
}

const char* wrapTag(WrapType type) {
  switch (type) {
    case WrapType::Joint:
      return "joint";
    case WrapType::Site:
      return "site";
    case WrapType::Pulley:
      return "pulley";
    case WrapType::None:
    case WrapType::Sphere:
    case WrapType::Cylinder:
      break;
  }
  return "geom";
}

}  // namespace

std::string Place::message(const std::string& text) const { return spec::located(*origin_, tag_, name_, text); }

void Place::fail(const std::string& text) const { throw LoadError(message(text)); }

Place placeOf(const spec::LengthRange& settings) { return Place(settings.origin, "lengthrange", ""); }
Place placeOf(const spec::Size& size) { return Place(size.origin, "size", ""); }
Place placeOf(const spec::Body& body) { return Place(body, "body"); }
Place placeOf(const spec::Inertial& inertial) { return Place(inertial.origin, "inertial", ""); }
Place placeOf(const spec::Frame& frame) { return Place(frame, "frame"); }
Place placeOf(const spec::Joint& joint) { return Place(joint, "joint"); }
Place placeOf(const spec::Geom& geom) { return Place(geom, "geom"); }
Place placeOf(const spec::Site& site) { return Place(site, "site"); }
Place placeOf(const spec::Camera& camera) { return Place(camera, "camera"); }
Place placeOf(const spec::Light& light) { return Place(light, "light"); }
Place placeOf(const spec::Mesh& mesh) { return Place(mesh, "mesh"); }
Place placeOf(const spec::HField& hfield) { return Place(hfield, "hfield"); }
Place placeOf(const spec::Pair& pair) { return Place(pair, "pair"); }
Place placeOf(const spec::Exclude& exclude) { return Place(exclude, "exclude"); }
Place placeOf(const spec::Equality& equality) { return Place(equality, equalityTag(equality.type)); }
Place placeOf(const spec::Tendon& tendon) { return Place(tendon, tendon.spatial ? "spatial" : "fixed"); }
Place placeOf(const spec::Wrap& wrap) { return Place(wrap.origin, wrapTag(wrap.type), ""); }
Place placeOf(const spec::Actuator& actuator) { return Place(actuator, "actuator"); }
Place placeOf(const spec::Sensor& sensor) { return Place(sensor, sensorTag(sensor.type)); }
Place placeOf(const spec::Numeric& numeric) { return Place(numeric, "numeric"); }
Place placeOf(const spec::Text& text) { return Place(text, "text"); }
Place placeOf(const spec::Tuple& tuple) { return Place(tuple, "tuple"); }
Place placeOf(const spec::Key& key) { return Place(key, "key"); }
Place placeOf(const spec::Flex& flex) { return Place(flex, "flex"); }
Place placeOf(const spec::Flexcomp& flexcomp) { return Place(flexcomp, "flexcomp"); }
Place placeOfOption(const Spec& spec) { return Place(spec.optionOrigin, "option", ""); }

}  // namespace sinew::draft
