#include "spec/names.h"

#include <fmt/format.h>

#include <map>

#include "spec/place.h"

namespace sinew::spec {
namespace {

/// The names of one kind of object.
class Namespace {
 public:
  explicit Namespace(std::string kind) : kind_(std::move(kind)) {}

  void add(const Element& element) {
    if (element.name.empty()) return;
    const auto [first, added] = elements_.emplace(element.name, &element);
    if (added) return;
    const Origin& other = first->second->origin;
    const std::string where = other.file ? fmt::format(" (first at {}:{})", *other.file, other.line) : "";
    throw LoadError(located(element, kind_, fmt::format("the name \"{}\" is used twice{}", element.name, where)));
  }
  template <class Elements>
  void addAll(const Elements& elements) {
    for (const auto& element : elements) add(element);
  }

 private:
  std::string kind_;
  std::map<std::string_view, const Element*> elements_;
};

template <class Elements>
void requireUnique(const std::string& kind, const Elements& elements) {
  Namespace(kind).addAll(elements);
}

template <class S>
auto find(S& spec, std::string_view name) {
  decltype(&spec.world) found = nullptr;
  forEachBody(spec.world, [&](auto& body) {
    if (!found && body.name == name) found = &body;
  });
  return found;
}

}  // namespace

void requireUniqueNames(const Spec& spec) {
  Namespace bodies("body"), frames("frame"), joints("joint"), geoms("geom"), sites("site"), cameras("camera"),
      lights("light"), flexes("flex");
  flexes.addAll(spec.flexes);
  forEachBody(spec.world, [&](const Body& body) {
    bodies.add(body);
    frames.addAll(body.frames);
    joints.addAll(body.joints);
    geoms.addAll(body.geoms);
    sites.addAll(body.sites);
    cameras.addAll(body.cameras);
    lights.addAll(body.lights);
    flexes.addAll(body.flexcomps);
  });
  requireUnique("mesh", spec.meshes);
  requireUnique("hfield", spec.hfields);
  requireUnique("texture", spec.textures);
  requireUnique("material", spec.materials);
  requireUnique("skin", spec.skins);
  requireUnique("pair", spec.pairs);
  requireUnique("exclude", spec.excludes);
  requireUnique("plugin instance", spec.cables);
  requireUnique("equality", spec.equalities);
  requireUnique("tendon", spec.tendons);
  requireUnique("actuator", spec.actuators);
  requireUnique("sensor", spec.sensors);
  requireUnique("numeric", spec.numerics);
  requireUnique("text", spec.texts);
  requireUnique("tuple", spec.tuples);
  requireUnique("key", spec.keys);
}

Body* findBody(Spec& spec, std::string_view name) { return find(spec, name); }
const Body* findBody(const Spec& spec, std::string_view name) { return find(spec, name); }

}  // namespace sinew::spec
