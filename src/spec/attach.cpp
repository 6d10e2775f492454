#include "spec/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "spec/memory_budget.h"
#include "spec/names.h"
#include "spec/place.h"

namespace sinew::spec {
namespace {

/// Default classes of an attached model become children of the parent's main class.
void renameClasses(DefaultClass& record, const Naming& naming) {
  record.name = naming(record.name);
  for (DefaultClass& child : record.children) renameClasses(child, naming);
}

/// Copies the elements whose references exist under their new names; returns how many were left out.
template <class Element>
std::size_t copyResolved(const std::vector<Element>& source, std::vector<Element>& out, ObjType type,
                         const Naming& naming, NameIndex& names) {
  std::size_t left = 0;
  for (Element element : source) {
    if (!rename(element, naming, names)) {
      ++left;
      continue;
    }
    names.add(type, element.name);
    out.push_back(std::move(element));
  }
  return left;
}

template <class Element>
void copyRenamed(const std::vector<Element>& source, std::vector<Element>& out, const Naming& naming) {
  for (Element element : source) {
    element.name = naming(element.name);
    out.push_back(std::move(element));
  }
}

/// Paths of pictures and skins are relative to their model; this makes them relative to the parent's.
void relocateFiles(VisualElement& element, const std::filesystem::path& from, const std::filesystem::path& to) {
  for (auto& [name, value] : element.attributes)
    if (name.starts_with("file") && !value.empty()) value = (from / value).lexically_proximate(to).generic_string();
}

void copyAssets(Spec& parent, const Spec& child, const Naming& naming) {
  for (Mesh mesh : child.meshes) {
    mesh.name = naming(mesh.name);
    mesh.material = naming(mesh.material);
    parent.meshes.push_back(std::move(mesh));
  }
  copyRenamed(child.hfields, parent.hfields, naming);
  const std::filesystem::path textures = std::filesystem::path(child.directory) / child.compiler.texturedir;
  for (VisualElement texture : child.textures) {
    texture.name = naming(texture.name);
    relocateFiles(texture, textures, std::filesystem::path(parent.directory) / parent.compiler.texturedir);
    parent.textures.push_back(std::move(texture));
  }
  for (VisualElement material : child.materials) {
    material.name = naming(material.name);
    renameAttribute(material, "texture", naming);
    for (VisualElement& layer : material.children) renameAttribute(layer, "texture", naming);
    parent.materials.push_back(std::move(material));
  }
  copyRenamed(child.numerics, parent.numerics, naming);
  copyRenamed(child.texts, parent.texts, naming);
  copyRenamed(child.cables, parent.cables, naming);
  DefaultClass classes = child.defaults;
  renameClasses(classes, naming);
  parent.defaults.children.push_back(std::move(classes));
}

/// A skin comes along if all the bodies of its bones do.
void copySkins(Spec& parent, const Spec& child, const Naming& naming, const NameIndex& names) {
  const std::filesystem::path directory = std::filesystem::path(child.directory) / child.compiler.meshdir;
  for (VisualElement skin : child.skins) {
    skin.name = naming(skin.name);
    relocateFiles(skin, directory, std::filesystem::path(parent.directory) / parent.compiler.meshdir);
    renameAttribute(skin, "material", naming);
    bool complete = true;
    for (VisualElement& bone : skin.children) {
      renameAttribute(bone, "body", naming);
      for (const auto& [attribute, value] : bone.attributes)
        if (attribute == "body" && !names.has(ObjType::Body, value)) complete = false;
    }
    if (complete) parent.skins.push_back(std::move(skin));
  }
}

/// Index of a named frame and the body it is in.
std::pair<const Body*, int> findFrame(const Spec& spec, const std::string& name) {
  std::pair<const Body*, int> found{nullptr, -1};
  forEachBody(spec.world, [&](const Body& body) {
    for (std::size_t i = 0; i < body.frames.size(); ++i)
      if (!found.first && body.frames[i].name == name) found = {&body, static_cast<int>(i)};
  });
  return found;
}

}  // namespace

void graft(Body part, Body& into, int frame) {
  const int offset = static_cast<int>(into.frames.size());
  const auto moved = [&](int f) { return f < 0 ? frame : f + offset; };
  for (Frame& f : part.frames) {
    f.parent = moved(f.parent);
    into.frames.push_back(std::move(f));
  }
  const auto append = [&](auto& from, auto& to) {
    for (auto& element : from) {
      element.frame = moved(element.frame);
      to.push_back(std::move(element));
    }
  };
  append(part.joints, into.joints);
  append(part.geoms, into.geoms);
  append(part.sites, into.sites);
  append(part.cameras, into.cameras);
  append(part.lights, into.lights);
  for (Flexcomp& flexcomp : part.flexcomps) {
    flexcomp.frame = moved(flexcomp.frame);
    flexcomp.inframe = flexcomp.frame >= 0;
    flexcomp.place += static_cast<int>(into.bodies.size());
    into.flexcomps.push_back(std::move(flexcomp));
  }
  append(part.bodies, into.bodies);
}

Body contentOfFrame(const Body& body, int frame) {
  // frames come after the frames they are in
  std::vector<int> index(body.frames.size(), -1);
  Body part;
  for (std::size_t i = 0; i < body.frames.size(); ++i) {
    const int parent = body.frames[i].parent;
    const bool top = static_cast<int>(i) == frame;
    if (!top && (parent < 0 || index[parent] < 0)) continue;
    index[i] = static_cast<int>(part.frames.size());
    part.frames.push_back(body.frames[i]);
    part.frames.back().parent = top ? -1 : index[parent];
  }
  const auto select = [&](const auto& from, auto& to) {
    for (const auto& element : from) {
      if (element.frame < 0 || index[element.frame] < 0) continue;
      to.push_back(element);
      to.back().frame = index[element.frame];
    }
  };
  select(body.joints, part.joints);
  select(body.geoms, part.geoms);
  select(body.sites, part.sites);
  select(body.cameras, part.cameras);
  select(body.lights, part.lights);
  select(body.bodies, part.bodies);
  select(body.flexcomps, part.flexcomps);
  for (Flexcomp& flexcomp : part.flexcomps) {
    const auto last = body.bodies.begin() + flexcomp.place;
    flexcomp.place = static_cast<int>(
        std::count_if(body.bodies.begin(), last, [&](const Body& b) { return b.frame >= 0 && index[b.frame] >= 0; }));
  }
  return part;
}

// ---------------------------------------------------------------------------------------------- within one model

template <class Element>
void Replicator::collect(const std::vector<Element>& elements, ObjType type, Group<Element>& group) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Element probe = elements[i];
    if (!refersTo(probe, inside_) || !spec::rename(probe, {}, names_)) continue;
    inside_.add(type, elements[i].name);
    group.originals.push_back(elements[i]);
    group.places.push_back(i);
  }
}

template <class Element>
void Replicator::copyGroup(const Group<Element>& group, ObjType type, const Naming& naming, std::vector<Element>& out) {
  copyResolved(group.originals, out, type, naming, names_);
}

template <class Element>
void Replicator::removeGroup(const Group<Element>& group, std::vector<Element>& elements) {
  for (auto place = group.places.rbegin(); place != group.places.rend(); ++place)
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*place));
}

Replicator::Replicator(Spec& spec, const Body& part) : spec_(spec), names_(spec) {
  inside_.addTree(part);
  names_.addTree(part);
  collect(spec.flexes, ObjType::Flex, flexes_);
  collect(spec.pairs, ObjType::Pair, pairs_);
  collect(spec.excludes, ObjType::Exclude, excludes_);
  collect(spec.tendons, ObjType::Tendon, tendons_);
  collect(spec.equalities, ObjType::Equality, equalities_);
  collect(spec.actuators, ObjType::Actuator, actuators_);
  collect(spec.sensors, ObjType::Sensor, sensors_);
  collect(spec.tuples, ObjType::Tuple, tuples_);
}

double Replicator::bytesReferring() const {
  Spec copied;
  const double nothing = bytesAttached(copied);
  copied.flexes = flexes_.originals;
  copied.pairs = pairs_.originals;
  copied.excludes = excludes_.originals;
  copied.tendons = tendons_.originals;
  copied.equalities = equalities_.originals;
  copied.actuators = actuators_.originals;
  copied.sensors = sensors_.originals;
  copied.tuples = tuples_.originals;
  return bytesAttached(copied) - nothing;
}

void Replicator::copyReferring(const Naming& naming, const Body& copy) {
  names_.addTree(copy);
  copyGroup(flexes_, ObjType::Flex, naming, spec_.flexes);
  copyGroup(pairs_, ObjType::Pair, naming, spec_.pairs);
  copyGroup(excludes_, ObjType::Exclude, naming, spec_.excludes);
  copyGroup(tendons_, ObjType::Tendon, naming, spec_.tendons);
  copyGroup(equalities_, ObjType::Equality, naming, spec_.equalities);
  copyGroup(actuators_, ObjType::Actuator, naming, spec_.actuators);
  copyGroup(sensors_, ObjType::Sensor, naming, spec_.sensors);
  copyGroup(tuples_, ObjType::Tuple, naming, spec_.tuples);
}

void Replicator::removeReferring() {
  removeGroup(flexes_, spec_.flexes);
  removeGroup(pairs_, spec_.pairs);
  removeGroup(excludes_, spec_.excludes);
  removeGroup(tendons_, spec_.tendons);
  removeGroup(equalities_, spec_.equalities);
  removeGroup(actuators_, spec_.actuators);
  removeGroup(sensors_, spec_.sensors);
  removeGroup(tuples_, spec_.tuples);
}

// ---------------------------------------------------------------------------------------------- from another model

void attach(Spec& parent, Body& into, int frame, Spec child, const AttachSource& source, const Naming& naming,
            PendingKeys& keys, Warnings& warnings) {
  resolveConflicts(parent, child, warnings);
  adoptSettings(child, parent.compiler);
  keys.add(child, naming);

  Body part;
  if (!source.body.empty()) {
    const Body* body = findBody(child, source.body);
    if (!body) throw LoadError(fmt::format("the attached model has no body \"{}\"", source.body));
    part.bodies.push_back(*body);
    part.bodies.back().frame = -1;
  } else if (!source.frame.empty()) {
    const auto [body, index] = findFrame(child, source.frame);
    if (!body) throw LoadError(fmt::format("the attached model has no frame \"{}\"", source.frame));
    part = contentOfFrame(*body, index);
  } else {
    part = child.world;
    part.name.clear();
  }
  renameTree(part, naming, true, {});
  graft(std::move(part), into, frame);
  copyAssets(parent, child, naming);

  NameIndex names(parent);
  copySkins(parent, child, naming, names);
  for (Tendon& tendon : child.tendons) tendon.material = naming(tendon.material);
  std::string left;
  const auto copy = [&](const auto& from, auto& to, ObjType type, const char* kind) {
    const std::size_t count = copyResolved(from, to, type, naming, names);
    if (count > 0) left += fmt::format("{}{} of {} {}", left.empty() ? "" : ", ", count, from.size(), kind);
  };
  for (Flex& flex : child.flexes) {
    if (flex.bodies.empty() && flex.nodes.empty())
      throw LoadError(located(flex, "flex", "a flex without bodies belongs to the world and cannot be attached"));
    flex.material = naming(flex.material);
  }
  copy(child.flexes, parent.flexes, ObjType::Flex, "flexes");
  copy(child.pairs, parent.pairs, ObjType::Pair, "contact pairs");
  copy(child.excludes, parent.excludes, ObjType::Exclude, "contact exclusions");
  copy(child.tendons, parent.tendons, ObjType::Tendon, "tendons");
  copy(child.equalities, parent.equalities, ObjType::Equality, "equality constraints");
  copy(child.actuators, parent.actuators, ObjType::Actuator, "actuators");
  copy(child.sensors, parent.sensors, ObjType::Sensor, "sensors");
  copy(child.tuples, parent.tuples, ObjType::Tuple, "tuples");
  if (!left.empty())
    warnings.push_back(
        fmt::format("attaching \"{}\": {} refer to what is not attached and were left out", child.modelname, left));
}

}  // namespace sinew::spec
