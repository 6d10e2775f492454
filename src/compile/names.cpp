#include "compile/names.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

namespace sinew::draft {
namespace {

ObjType keyOf(ObjType type) { return type == ObjType::XBody ? ObjType::Body : type; }

template <class List>
void addAll(Names& names, ObjType type, const List& list) {
  for (std::size_t i = 0; i < list.size(); ++i) names.add(type, list[i].name, static_cast<int>(i));
}

/// Appends zero-terminated strings to a buffer.
class NameWriter {
 public:
  explicit NameWriter(Array<char>& buffer) : buffer_(buffer) {}
  int write(const std::string& name) {
    const int address = static_cast<int>(buffer_.size());
    for (const char c : name) buffer_.push_back(c);
    buffer_.push_back('\0');
    return address;
  }
  template <class List>
  void write(const List& list, Array<int>& addresses) {
    for (std::size_t i = 0; i < list.size(); ++i) addresses[static_cast<std::ptrdiff_t>(i)] = write(list[i].name);
  }

 private:
  Array<char>& buffer_;
};

}  // namespace

void Names::add(ObjType type, const std::string& name, int id) {
  if (name.empty()) return;
  ids_[static_cast<std::size_t>(keyOf(type))].emplace(name, id);
}

int Names::find(ObjType type, const std::string& name) const {
  const auto& ids = ids_[static_cast<std::size_t>(keyOf(type))];
  const auto found = ids.find(name);
  return found == ids.end() ? -1 : found->second;
}

int Names::need(ObjType type, const std::string& name, const Place& place) const {
  if (name.empty()) place.fail(fmt::format("the name of a {} is missing", kindName(type)));
  const int id = find(type, name);
  if (id < 0) place.fail(fmt::format("no {} is named \"{}\"", kindName(type), name));
  return id;
}

Names collectNames(const Draft& draft) {
  Names names;
  int body = 0, joint = 0, geom = 0, site = 0, camera = 0;
  for (const Body& b : draft.bodies) {
    names.add(ObjType::Body, b.spec->name, body++);
    for (const Joint& j : b.joints) names.add(ObjType::Joint, j.spec->name, joint++);
    for (const Geom& g : b.geoms) names.add(ObjType::Geom, g.spec->name, geom++);
    for (const Site& s : b.sites) names.add(ObjType::Site, s.spec->name, site++);
    for (const Camera& c : b.cameras) names.add(ObjType::Camera, c.spec->name, camera++);
  }
  const Spec& spec = *draft.spec;
  int mesh = 0;
  for (const Mesh& m : draft.meshes) names.add(ObjType::Mesh, m.spec->name, mesh++);
  addAll(names, ObjType::HField, spec.hfields);
  addAll(names, ObjType::Pair, spec.pairs);
  addAll(names, ObjType::Exclude, spec.excludes);
  addAll(names, ObjType::Equality, draft.equalities);
  int flex = 0;
  for (const Flex& f : draft.flexes) names.add(ObjType::Flex, f.spec->name, flex++);
  addAll(names, ObjType::Tendon, spec.tendons);
  addAll(names, ObjType::Actuator, spec.actuators);
  addAll(names, ObjType::Sensor, spec.sensors);
  addAll(names, ObjType::Numeric, spec.numerics);
  addAll(names, ObjType::Text, spec.texts);
  addAll(names, ObjType::Tuple, spec.tuples);
  addAll(names, ObjType::Key, spec.keys);
  return names;
}

namespace {

/// Textures that materials can refer to: by name, or by the stem of the file if there is no name.
std::set<std::string> textureNames(const Spec& spec) {
  std::set<std::string> names;
  for (const spec::VisualElement& texture : spec.textures) {
    if (!texture.name.empty()) names.insert(texture.name);
    for (const auto& [attribute, value] : texture.attributes) {
      if (attribute == "file" && texture.name.empty()) names.insert(std::filesystem::path(value).stem().string());
    }
  }
  return names;
}

void checkTextures(const Spec& spec) {
  const std::set<std::string> textures = textureNames(spec);
  const auto check = [&](const spec::VisualElement& element, const spec::VisualElement& material) {
    for (const auto& [attribute, value] : element.attributes) {
      if (attribute != "texture" || value.empty() || textures.count(value) > 0) continue;
      Place(material.origin, "material", material.name).fail(fmt::format("no texture is named \"{}\"", value));
    }
  };
  for (const spec::VisualElement& material : spec.materials) {
    check(material, material);
    for (const spec::VisualElement& layer : material.children) check(layer, material);
  }
}

}  // namespace

void checkVisuals(const Draft& draft, const Names& names) {
  const Spec& spec = *draft.spec;
  checkTextures(spec);
  std::set<std::string> materials;
  for (const spec::VisualElement& material : spec.materials) materials.insert(material.name);
  const auto checkMaterial = [&](const std::string& material, const Place& place) {
    if (material.empty() || materials.count(material) > 0) return;
    place.fail(fmt::format("no material is named \"{}\"", material));
  };
  for (const Body& body : draft.bodies) {
    for (const Geom& geom : body.geoms) checkMaterial(geom.spec->material, placeOf(*geom.spec));
    for (const Site& site : body.sites) checkMaterial(site.spec->material, placeOf(*site.spec));
    for (const spec::Light& light : body.spec->lights) {
      for (const auto& [attribute, value] : light.attributes) {
        if (attribute == "target") names.need(ObjType::Body, value, placeOf(light));
      }
    }
  }
  for (const spec::Tendon& tendon : spec.tendons) checkMaterial(tendon.material, placeOf(tendon));
  for (const Flex& flex : draft.flexes) checkMaterial(flex.spec->material, placeOf(flex));
  for (const Mesh& mesh : draft.meshes) checkMaterial(mesh.spec->material, placeOf(*mesh.spec));
}

void writeNames(const Draft& draft, const std::vector<int>& pairs, const std::vector<int>& excludes, Model& m) {
  m.names.clear();
  NameWriter writer(m.names);
  const Spec& spec = *draft.spec;
  writer.write(spec.modelname);

  int body = 0, joint = 0, geom = 0, site = 0, camera = 0;
  for (const Body& b : draft.bodies) m.name_bodyadr[body++] = writer.write(b.spec->name);
  for (const Body& b : draft.bodies) {
    for (const Joint& j : b.joints) m.name_jntadr[joint++] = writer.write(j.spec->name);
  }
  for (const Body& b : draft.bodies) {
    for (const Geom& g : b.geoms) m.name_geomadr[geom++] = writer.write(g.spec->name);
  }
  for (const Body& b : draft.bodies) {
    for (const Site& s : b.sites) m.name_siteadr[site++] = writer.write(s.spec->name);
  }
  for (const Body& b : draft.bodies) {
    for (const Camera& c : b.cameras) m.name_camadr[camera++] = writer.write(c.spec->name);
  }
  int mesh = 0;
  for (const Mesh& x : draft.meshes) m.name_meshadr[mesh++] = writer.write(x.spec->name);
  writer.write(spec.hfields, m.name_hfieldadr);
  int flex = 0;
  for (const Flex& f : draft.flexes) m.name_flexadr[flex++] = writer.write(f.spec->name);
  for (int i = 0; i < m.npair; ++i) {
    m.name_pairadr[i] = writer.write(spec.pairs[pairs[i]].name);
  }
  for (int i = 0; i < m.nexclude; ++i) {
    m.name_excludeadr[i] = writer.write(spec.excludes[excludes[i]].name);
  }
  writer.write(draft.equalities, m.name_eqadr);
  writer.write(spec.tendons, m.name_tendonadr);
  writer.write(spec.actuators, m.name_actuatoradr);
  writer.write(spec.sensors, m.name_sensoradr);
  writer.write(spec.numerics, m.name_numericadr);
  writer.write(spec.texts, m.name_textadr);
  writer.write(spec.tuples, m.name_tupleadr);
  writer.write(spec.keys, m.name_keyadr);
  for (int i = static_cast<int>(spec.keys.size()); i < m.nkey; ++i) m.name_keyadr[i] = writer.write(std::string());
  m.nnames = static_cast<int>(m.names.size());
}

}  // namespace sinew::draft
