#include "view/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/option.h"

namespace sinew::view {
namespace {

struct Parts {
  std::vector<spec::Geom*> geoms;
  std::vector<spec::Joint*> joints;
  std::vector<spec::FlexBase*> flexes;
};

void collect(spec::Body& body, Parts& parts) {
  for (spec::Joint& joint : body.joints) parts.joints.push_back(&joint);
  for (spec::Geom& geom : body.geoms) parts.geoms.push_back(&geom);
  for (spec::Flexcomp& flex : body.flexcomps) parts.flexes.push_back(&flex);
  for (spec::Body& child : body.bodies) collect(child, parts);
}

Parts partsOf(Spec& spec) {
  Parts parts;
  collect(spec.world, parts);
  for (spec::Flex& flex : spec.flexes) parts.flexes.push_back(&flex);
  return parts;
}

/// The described object that became object `id` of the model: by its name, or by its place if every described object
/// became one.
template <class T>
T* find(const std::vector<T*>& parts, const Model& m, ObjType type, int id) {
  const std::string_view name = nameOf(m, type, id);
  if (!name.empty()) {
    for (T* part : parts) {
      if (part->name == name) return part;
    }
  }
  if (static_cast<int>(parts.size()) == countOf(m, type)) return parts[id];
  return nullptr;
}

std::string setField(spec::Geom& geom, std::string_view field, std::span<const double> v) {
  if (field != "friction" || v.empty() || v.size() > 3) return "a geom has 'friction', 1 to 3 numbers";
  for (std::size_t i = 0; i < v.size(); ++i) geom.friction[i] = v[i];
  return {};
}

std::string setField(spec::Joint& joint, std::string_view field, std::span<const double> v) {
  if (v.size() != 1) return "a joint takes one number";
  if (field == "stiffness") {
    joint.stiffness[0] = v[0];
  } else if (field == "damping") {
    joint.damping[0] = v[0];
  } else if (field == "frictionloss") {
    joint.frictionloss = v[0];
  } else {
    return "a joint has 'stiffness', 'damping' and 'frictionloss'";
  }
  joint.springdamper = {0, 0};
  return {};
}

std::string setField(spec::FlexBase& flex, std::string_view field, std::span<const double> v) {
  if (field == "friction" && !v.empty() && v.size() <= 3) {
    std::vector<double>& place =
        flex.shortContact.friction.empty() ? flex.contact.friction : flex.shortContact.friction;
    constexpr double standard[3] = {1, 0.005, 0.0001};
    while (place.size() < v.size()) place.push_back(standard[place.size()]);
    std::copy(v.begin(), v.end(), place.begin());
    return {};
  }
  if (v.size() != 1) return "a flex takes one number, or up to three of 'friction'";
  const auto set = [&](std::optional<double> spec::FlexElasticity::*member) {
    auto& place = (flex.shortElasticity.*member) ? flex.shortElasticity : flex.elasticity;
    place.*member = v[0];
    return std::string();
  };
  if (field == "young") return set(&spec::FlexElasticity::young);
  if (field == "poisson") return set(&spec::FlexElasticity::poisson);
  if (field == "damping") return set(&spec::FlexElasticity::damping);
  if (field == "edgestiffness") {
    flex.edge.stiffness = v[0];
  } else if (field == "edgedamping") {
    flex.edge.damping = v[0];
  } else {
    return "a flex has 'friction', 'young', 'poisson', 'damping', 'edgestiffness' and 'edgedamping'";
  }
  return {};
}

template <class T>
std::string edit(const std::vector<T*>& parts, const Model& m, ObjType type, int id, std::string_view field,
                 std::span<const double> values) {
  if (id >= countOf(m, type) || id < -1) return fmt::format("there is no such object {}", id);
  if (id >= 0) {
    T* part = find(parts, m, type, id);
    if (part == nullptr) return "the description of this object cannot be told from others: it has no name";
    return setField(*part, field, values);
  }
  std::string error;
  for (T* part : parts) {
    error = setField(*part, field, values);
    if (!error.empty()) break;
  }
  return error;
}

template <class T>
std::string assign(T& place, std::span<const double> values) {
  if constexpr (std::is_same_v<T, double>) {
    if (values.size() != 1) return fmt::format("needs one number, found {}", values.size());
    place = values[0];
  } else if constexpr (std::is_same_v<T, int> || std::is_enum_v<T>) {
    if (values.size() != 1 || values[0] != std::floor(values[0]) || std::abs(values[0]) > 1e9) {
      return "needs a whole number";
    }
    place = static_cast<T>(static_cast<int>(values[0]));
  } else {
    if (values.size() != place.size()) return fmt::format("needs {} numbers, found {}", place.size(), values.size());
    std::copy(values.begin(), values.end(), place.begin());
  }
  return {};
}

}  // namespace

std::string editSpec(Spec& spec, const Model& m, std::string_view kind, int id, std::string_view field,
                     std::span<const double> values) {
  for (const double v : values) {
    if (!std::isfinite(v)) return "numbers must be finite";
  }
  const Parts parts = partsOf(spec);
  if (kind == "geom") return edit(parts.geoms, m, ObjType::Geom, id, field, values);
  if (kind == "joint") return edit(parts.joints, m, ObjType::Joint, id, field, values);
  if (kind == "flex") return edit(parts.flexes, m, ObjType::Flex, id, field, values);
  return fmt::format("there is nothing to edit in a '{}'; choose from geom, joint, flex", kind);
}

std::string editOption(Option& option, std::string_view name, std::span<const double> values) {
  Option next = option;
  std::string error = fmt::format("there is no option '{}'", name);
#define SINEW_X(type, field, doc)                                           \
  if (name == #field) {                                                     \
    error = assign(next.field, values);                                     \
    if (!error.empty()) error = fmt::format("option '{}' {}", name, error); \
  }
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  if (!error.empty()) return error;
  if (const auto fault = checkOption(next)) return *fault;
  option = next;
  return {};
}

std::string savedMjcf(const Spec& spec, const Model& m, const Data* d, const std::string& key) {
  Spec copy = spec;
  copy.option = m.opt;
  if (!key.empty() && d != nullptr) {
    std::erase_if(copy.keys, [&](const spec::Key& k) { return k.name == key; });
    spec::Key state;
    state.name = key;
    state.time = d->time;
    state.layout = spec::KeyLayout::Sinew;
    const auto vector = [](const Array<double>& a) { return std::vector<double>(a.begin(), a.end()); };
    state.qpos = vector(d->qpos);
    state.qvel = vector(d->qvel);
    if (m.na > 0) state.act = vector(d->act);
    if (m.nu > 0) state.ctrl = vector(d->ctrl);
    if (m.nmocap > 0) {
      state.mpos = vector(d->mocap_pos);
      state.mquat = vector(d->mocap_quat);
    }
    copy.keys.push_back(std::move(state));
  }
  return writeMjcf(copy, copy.directory);
}

}  // namespace sinew::view
