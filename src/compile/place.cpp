#include "compile/place.h"

#include "spec/place.h"
#include "spec/tags.h"

namespace sinew::draft {
namespace {

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
Place placeOf(const spec::Equality& equality) { return Place(equality, std::string(spec::equalityTag(equality.type))); }
Place placeOf(const spec::Tendon& tendon) { return Place(tendon, tendon.spatial ? "spatial" : "fixed"); }
Place placeOf(const spec::Wrap& wrap) { return Place(wrap.origin, wrapTag(wrap.type), ""); }
Place placeOf(const spec::Actuator& actuator) { return Place(actuator, "actuator"); }
Place placeOf(const spec::Sensor& sensor) { return Place(sensor, std::string(spec::sensorTag(sensor.type))); }
Place placeOf(const spec::Numeric& numeric) { return Place(numeric, "numeric"); }
Place placeOf(const spec::Text& text) { return Place(text, "text"); }
Place placeOf(const spec::Tuple& tuple) { return Place(tuple, "tuple"); }
Place placeOf(const spec::Key& key) { return Place(key, "key"); }
Place placeOf(const spec::Flex& flex) { return Place(flex, "flex"); }
Place placeOf(const spec::Flexcomp& flexcomp) { return Place(flexcomp, "flexcomp"); }
Place placeOfOption(const Spec& spec) { return Place(spec.optionOrigin, "option", ""); }

}  // namespace sinew::draft
