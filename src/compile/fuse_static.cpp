#include "compile/fuse_static.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "compile/flex_draft.h"
#include "compile/inertia.h"
#include "compile/place.h"

namespace sinew::draft {
namespace {

bool isBody(ObjType type) { return type == ObjType::Body || type == ObjType::XBody; }

/// Names of bodies that must not disappear.
std::set<std::string> referredBodies(const Draft& draft) {
  const Spec& spec = *draft.spec;
  std::set<std::string> names;
  for (const Body& body : draft.bodies) {
    for (const Camera& camera : body.cameras) names.insert(camera.spec->target);
    for (const spec::Light& light : body.spec->lights) {
      for (const auto& [attribute, value] : light.attributes) {
        if (attribute == "target") names.insert(value);
      }
    }
  }
  for (const spec::VisualElement& skin : spec.skins) {
    for (const spec::VisualElement& bone : skin.children) {
      for (const auto& [attribute, value] : bone.attributes) {
        if (attribute == "body") names.insert(value);
      }
    }
  }
  for (const spec::Flex& flex : spec.flexes) {
    names.insert(flex.bodies.begin(), flex.bodies.end());
    names.insert(flex.nodes.begin(), flex.nodes.end());
  }
  for (const spec::Exclude& exclude : spec.excludes) names.insert({exclude.body1, exclude.body2});
  for (const spec::Equality& equality : spec.equalities) {
    const bool ofBodies = equality.type == EqualityType::Connect || equality.type == EqualityType::Weld;
    if (ofBodies && !equality.sites) names.insert({equality.name1, equality.name2});
  }
  for (const spec::Actuator& actuator : spec.actuators) {
    if (actuator.trntype == TransmissionType::Body) names.insert(actuator.target);
  }
  for (const spec::Sensor& sensor : spec.sensors) {
    if (isBody(sensor.objtype)) names.insert(sensor.objname);
    if (isBody(sensor.reftype)) names.insert(sensor.refname);
  }
  for (const spec::Tuple& tuple : spec.tuples) {
    for (const spec::TupleEntry& entry : tuple.entries) {
      if (isBody(entry.objtype)) names.insert(entry.objname);
    }
  }
  for (const Flex& flex : draft.flexes) {
    for (const spec::FlexPin& pin : flex.spec->pins) names.insert(pin.body);
  }
  names.erase("");
  return names;
}

std::set<std::string> forceSensorSites(const Spec& spec) {
  std::set<std::string> sites;
  for (const spec::Sensor& sensor : spec.sensors) {
    if (sensor.type == SensorType::Force || sensor.type == SensorType::Torque) sites.insert(sensor.objname);
  }
  return sites;
}

/// Appends `from` to `to`, with poses taken from the child body's frame into the parent's.
template <class Element>
void moveUp(std::vector<Element>& from, const Pose& child, std::vector<Element>& to) {
  for (Element& element : from) {
    element.pose = compose(child, element.pose);
    to.push_back(std::move(element));
  }
}

void mergeMass(const Body& body, Body& parent) {
  const MassPart child{body.mass, compose(body.pose, body.inertial), body.inertia};
  const std::array parts{MassPart{parent.mass, parent.inertial, parent.inertia}, child};
  const MassPart whole = combined(parts, placeOf(*parent.spec));
  parent.mass = whole.mass;
  parent.inertial = whole.pose;
  parent.inertia = whole.inertia;
}

void fuse(Draft& draft, int id) {
  Body& body = draft.body(id);
  const int parentId = body.parent;
  Body& parent = draft.body(parentId);
  if (parentId != 0 && body.mass >= kMinVal) mergeMass(body, parent);
  moveUp(body.geoms, body.pose, parent.geoms);
  moveUp(body.sites, body.pose, parent.sites);
  moveUp(body.cameras, body.pose, parent.cameras);
  moveUp(body.lights, body.pose, parent.lights);
  parent.margin = std::max(parent.margin, body.margin);

  // the children follow directly, so the order stays depth first when the body is taken out
  for (std::size_t i = static_cast<std::size_t>(id) + 1; i < draft.bodies.size(); ++i) {
    Body& other = draft.bodies[i];
    if (other.parent == id) {
      other.pose = compose(body.pose, other.pose);
      other.parent = parentId;
    } else if (other.parent > id) {
      --other.parent;
    }
  }
  draft.bodies.erase(draft.bodies.begin() + id);
  for (Flex& flex : draft.flexes) {
    if (flex.parent > id) --flex.parent;
    if (flex.place > id) --flex.place;
    for (FlexPoint& point : flex.points) {
      if (point.body > id) --point.body;
    }
  }
}

}  // namespace

void fuseStatic(Draft& draft) {
  const std::set<std::string> referred = referredBodies(draft);
  const std::set<std::string> sensed = forceSensorSites(*draft.spec);
  for (int id = 1; id < static_cast<int>(draft.bodies.size());) {
    const Body& body = draft.body(id);
    const bool named = !body.spec->name.empty() && referred.count(body.spec->name) > 0;
    const bool carriesSensor = std::any_of(body.sites.begin(), body.sites.end(),
                                           [&](const Site& s) { return sensed.count(s.spec->name) > 0; });
    if (!body.joints.empty() || body.spec->mocap || named || carriesSensor || !body.spec->flexcomps.empty()) {
      ++id;
    } else {
      fuse(draft, id);
    }
  }
}

}  // namespace sinew::draft
