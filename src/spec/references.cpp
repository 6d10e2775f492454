#include "spec/references.h"

#include <algorithm>

#include "spec/names.h"

namespace sinew::spec {
namespace {

struct Reference {
  ObjType type;
  std::string* name;
};

/// The new name of an object. The world is the same for all.
std::string renamed(ObjType type, const std::string& name, const Naming& naming) {
  return type == ObjType::Body && name == "world" ? name : naming(name);
}

/// Renames each reference if the new name exists, keeps it if the old one does. True if every name exists and at least
/// one is new; with an empty naming, true if every name exists.
bool renameAny(std::initializer_list<Reference> references, const Naming& naming, const NameIndex& names) {
  int found = 0;
  for (const Reference& r : references) {
    if (r.name->empty()) continue;
    const std::string fresh = naming(*r.name);
    if (names.has(r.type, fresh)) {
      *r.name = fresh;
      ++found;
    } else if (!names.has(r.type, *r.name)) {
      return false;
    }
  }
  return found > 0;
}

/// Renames all references; true if every new name exists.
bool renameAll(std::initializer_list<Reference> references, const Naming& naming, const NameIndex& names) {
  for (const Reference& r : references) {
    *r.name = renamed(r.type, *r.name, naming);
    if (!r.name->empty() && !names.has(r.type, *r.name)) return false;
  }
  return true;
}

template <class Elements>
void addNames(NameIndex& index, ObjType type, const Elements& elements) {
  for (const auto& element : elements) index.add(type, element.name);
}

template <class Elements>
void renameEach(Elements& elements, const Naming& naming) {
  for (auto& element : elements) element.name = naming(element.name);
}

}  // namespace

std::size_t NameIndex::slot(ObjType type) {
  return static_cast<std::size_t>(type == ObjType::XBody ? ObjType::Body : type);
}

void NameIndex::add(ObjType type, const std::string& name) {
  if (!name.empty()) names_[slot(type)].insert(name);
}

bool NameIndex::has(ObjType type, const std::string& name) const { return names_[slot(type)].contains(name); }

void NameIndex::addTree(const Body& root) {
  forEachBody(root, [&](const Body& body) {
    add(ObjType::Body, body.name);
    addNames(*this, ObjType::Joint, body.joints);
    addNames(*this, ObjType::Geom, body.geoms);
    addNames(*this, ObjType::Site, body.sites);
    addNames(*this, ObjType::Camera, body.cameras);
    addNames(*this, ObjType::Light, body.lights);
    addNames(*this, ObjType::Flex, body.flexcomps);
  });
}

NameIndex::NameIndex(const Spec& spec) {
  addTree(spec.world);
  addNames(*this, ObjType::Flex, spec.flexes);
  addNames(*this, ObjType::Mesh, spec.meshes);
  addNames(*this, ObjType::HField, spec.hfields);
  addNames(*this, ObjType::Texture, spec.textures);
  addNames(*this, ObjType::Material, spec.materials);
  addNames(*this, ObjType::Skin, spec.skins);
  addNames(*this, ObjType::Pair, spec.pairs);
  addNames(*this, ObjType::Exclude, spec.excludes);
  addNames(*this, ObjType::Equality, spec.equalities);
  addNames(*this, ObjType::Tendon, spec.tendons);
  addNames(*this, ObjType::Actuator, spec.actuators);
  addNames(*this, ObjType::Sensor, spec.sensors);
  addNames(*this, ObjType::Numeric, spec.numerics);
  addNames(*this, ObjType::Text, spec.texts);
  addNames(*this, ObjType::Tuple, spec.tuples);
  addNames(*this, ObjType::Key, spec.keys);
}

void renameAttribute(VisualElement& element, std::string_view attribute, const Naming& naming) {
  for (auto& [name, value] : element.attributes)
    if (name == attribute) value = naming(value);
}

void renameTree(Body& root, const Naming& naming, bool assets, const NameIndex& inside) {
  forEachBody(root, [&](Body& body) {
    body.name = naming(body.name);
    if (assets && body.childclass != "main") body.childclass = naming(body.childclass);
    renameEach(body.frames, naming);
    renameEach(body.joints, naming);
    renameEach(body.geoms, naming);
    renameEach(body.sites, naming);
    renameEach(body.cameras, naming);
    renameEach(body.lights, naming);
    renameEach(body.flexcomps, naming);
    for (Camera& camera : body.cameras)
      if (assets || inside.has(ObjType::Body, camera.target)) camera.target = naming(camera.target);
    for (Flexcomp& flexcomp : body.flexcomps) {
      for (FlexPin& pin : flexcomp.pins)
        if (assets || inside.has(ObjType::Body, pin.body)) pin.body = naming(pin.body);
    }
    for (Light& light : body.lights) {
      for (auto& [name, value] : light.attributes) {
        const bool target = name == "target" && (assets || inside.has(ObjType::Body, value));
        if (target || (assets && name == "texture")) value = naming(value);
      }
    }
    if (!assets) return;
    body.cable = naming(body.cable);
    for (Geom& geom : body.geoms) {
      geom.material = naming(geom.material);
      geom.mesh = naming(geom.mesh);
      geom.hfield = naming(geom.hfield);
    }
    for (Site& site : body.sites) site.material = naming(site.material);
    for (Flexcomp& flexcomp : body.flexcomps) flexcomp.material = naming(flexcomp.material);
  });
}

// ---------------------------------------------------------------------------------------------- kinds of targets

ObjType targetType(const Equality& equality) {
  switch (equality.type) {
    case EqualityType::Connect:
    case EqualityType::Weld:
      return equality.sites ? ObjType::Site : ObjType::Body;
    case EqualityType::Joint:
      return ObjType::Joint;
    case EqualityType::Tendon:
      return ObjType::Tendon;
    case EqualityType::Flex:
    case EqualityType::FlexVert:
    case EqualityType::FlexStrain:
      return ObjType::Flex;
  }
  return ObjType::Unknown;
}

ObjType targetType(TransmissionType transmission) {
  switch (transmission) {
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      return ObjType::Joint;
    case TransmissionType::Tendon:
      return ObjType::Tendon;
    case TransmissionType::SliderCrank:
    case TransmissionType::Site:
    case TransmissionType::So3:
      return ObjType::Site;
    case TransmissionType::Body:
      return ObjType::Body;
    case TransmissionType::Undefined:
      return ObjType::Unknown;
  }
  return ObjType::Unknown;
}

ObjType targetType(WrapType wrap) {
  switch (wrap) {
    case WrapType::Joint:
      return ObjType::Joint;
    case WrapType::Site:
      return ObjType::Site;
    case WrapType::Sphere:
    case WrapType::Cylinder:
      return ObjType::Geom;
    case WrapType::None:
    case WrapType::Pulley:
      return ObjType::Unknown;
  }
  return ObjType::Unknown;
}

// ---------------------------------------------------------------------------------------------- referring

bool refersTo(const Flex& flex, const NameIndex& inside) {
  const auto isInside = [&](const std::string& body) { return inside.has(ObjType::Body, body); };
  return std::any_of(flex.bodies.begin(), flex.bodies.end(), isInside) ||
         std::any_of(flex.nodes.begin(), flex.nodes.end(), isInside);
}

bool refersTo(const Pair& pair, const NameIndex& inside) {
  return inside.has(ObjType::Geom, pair.geom1) || inside.has(ObjType::Geom, pair.geom2);
}

bool refersTo(const Exclude& exclude, const NameIndex& inside) {
  return inside.has(ObjType::Body, exclude.body1) || inside.has(ObjType::Body, exclude.body2);
}

bool refersTo(const Tendon& tendon, const NameIndex& inside) {
  return std::any_of(tendon.path.begin(), tendon.path.end(), [&](const Wrap& wrap) {
    return inside.has(targetType(wrap.type), wrap.target) || inside.has(ObjType::Site, wrap.sidesite);
  });
}

bool refersTo(const Equality& equality, const NameIndex& inside) {
  const ObjType type = targetType(equality);
  return inside.has(type, equality.name1) || inside.has(type, equality.name2);
}

bool refersTo(const Actuator& actuator, const NameIndex& inside) {
  return inside.has(targetType(actuator.trntype), actuator.target) || inside.has(ObjType::Site, actuator.slidersite) ||
         inside.has(ObjType::Site, actuator.refsite);
}

bool refersTo(const Sensor& sensor, const NameIndex& inside) {
  return inside.has(sensor.objtype, sensor.objname) || inside.has(sensor.reftype, sensor.refname);
}

bool refersTo(const Tuple& tuple, const NameIndex& inside) {
  return std::any_of(tuple.entries.begin(), tuple.entries.end(),
                     [&](const TupleEntry& entry) { return inside.has(entry.objtype, entry.objname); });
}

// ---------------------------------------------------------------------------------------------- renaming

bool rename(Flex& flex, const Naming& naming, const NameIndex& names) {
  flex.name = naming(flex.name);
  for (std::vector<std::string>* list : {&flex.bodies, &flex.nodes}) {
    for (std::string& body : *list) {
      if (!renameAll({{ObjType::Body, &body}}, naming, names)) return false;
    }
  }
  return true;
}

bool rename(Pair& pair, const Naming& naming, const NameIndex& names) {
  pair.name = naming(pair.name);
  return renameAny({{ObjType::Geom, &pair.geom1}, {ObjType::Geom, &pair.geom2}}, naming, names);
}

bool rename(Exclude& exclude, const Naming& naming, const NameIndex& names) {
  exclude.name = naming(exclude.name);
  return renameAny({{ObjType::Body, &exclude.body1}, {ObjType::Body, &exclude.body2}}, naming, names);
}

bool rename(Tendon& tendon, const Naming& naming, const NameIndex& names) {
  tendon.name = naming(tendon.name);
  bool renamed = false;
  for (Wrap& wrap : tendon.path) {
    if (wrap.type == WrapType::Pulley) continue;
    // a geom and its side site change together
    Wrap fresh = wrap;
    const std::initializer_list<Reference> both = {{targetType(wrap.type), &fresh.target},
                                                   {ObjType::Site, &fresh.sidesite}};
    if (renameAll(both, naming, names)) {
      wrap = fresh;
      renamed = true;
    } else if (!names.has(targetType(wrap.type), wrap.target) ||
               (!wrap.sidesite.empty() && !names.has(ObjType::Site, wrap.sidesite))) {
      return false;
    }
  }
  return renamed;
}

bool rename(Equality& equality, const Naming& naming, const NameIndex& names) {
  equality.name = naming(equality.name);
  const ObjType type = targetType(equality);
  return renameAll({{type, &equality.name1}, {type, &equality.name2}}, naming, names);
}

bool rename(Actuator& actuator, const Naming& naming, const NameIndex& names) {
  actuator.name = naming(actuator.name);
  return renameAll({{targetType(actuator.trntype), &actuator.target},
                    {ObjType::Site, &actuator.slidersite},
                    {ObjType::Site, &actuator.refsite}},
                   naming, names);
}

bool rename(Sensor& sensor, const Naming& naming, const NameIndex& names) {
  sensor.name = naming(sensor.name);
  if (sensor.objname.empty() && sensor.refname.empty()) return true;
  return renameAny({{sensor.objtype, &sensor.objname}, {sensor.reftype, &sensor.refname}}, naming, names);
}

bool rename(Tuple& tuple, const Naming& naming, const NameIndex& names) {
  tuple.name = naming(tuple.name);
  return std::all_of(tuple.entries.begin(), tuple.entries.end(), [&](TupleEntry& entry) {
    return renameAll({{entry.objtype, &entry.objname}}, naming, names);
  });
}

}  // namespace sinew::spec
