#include "rollout/spec_attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mjcf/attribute_table.h"
#include "mjcf/records.h"

namespace sinew {
namespace {

using mjcf::Attribute;
using mjcf::ElementType;
using mjcf::ValueFormat;

constexpr std::array<std::pair<std::string_view, ElementKind>, 18> kKinds{{{"body", ElementKind::Body},
                                                                           {"inertial", ElementKind::Inertial},
                                                                           {"joint", ElementKind::Joint},
                                                                           {"jnt", ElementKind::Joint},
                                                                           {"dof", ElementKind::Joint},
                                                                           {"geom", ElementKind::Geom},
                                                                           {"site", ElementKind::Site},
                                                                           {"camera", ElementKind::Camera},
                                                                           {"cam", ElementKind::Camera},
                                                                           {"tendon", ElementKind::Tendon},
                                                                           {"actuator", ElementKind::Actuator},
                                                                           {"sensor", ElementKind::Sensor},
                                                                           {"equality", ElementKind::Equality},
                                                                           {"eq", ElementKind::Equality},
                                                                           {"flex", ElementKind::Flex},
                                                                           {"pair", ElementKind::Pair},
                                                                           {"mesh", ElementKind::Mesh},
                                                                           {"hfield", ElementKind::HField}}};

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

/// Calls f(body) for every body, the world included. Bodies may be nested deeply, so not by recursion.
template <class F>
void forEachBody(Spec& spec, F&& f) {
  std::vector<spec::Body*> open{&spec.world};
  while (!open.empty()) {
    spec::Body& body = *open.back();
    open.pop_back();
    f(body);
    for (spec::Body& child : body.bodies) open.push_back(&child);
  }
}

/// A record of the attribute table and the element it belongs to.
struct Part {
  const ElementType* type;
  void* record;
  std::string_view child;  ///< tag of the child element, empty: the element itself
};

/// A record that says more than the Spec element, which is part of it.
template <class Record, class Element, class F>
void withRecord(Element& element, const ElementType& type, F&& f) {
  Record record;
  static_cast<Element&>(record) = element;
  const std::array parts{Part{&type, &record, {}}};
  f(element.name, std::span<const Part>(parts));
  element = static_cast<const Element&>(record);
}

template <class Element, class F>
void plain(std::vector<Element>& elements, const ElementType& type, F&& f) {
  for (Element& element : elements) {
    const std::array parts{Part{&type, &element, {}}};
    f(element.name, std::span<const Part>(parts));
  }
}

template <class Flex, class Record, class F>
void flexParts(Flex& flex, const ElementType& type, F&& f) {
  Record record;
  static_cast<Flex&>(record) = flex;
  // children first: an attribute of the element itself is their short form
  const std::array parts{Part{type.child("elasticity"), &record.elasticity, "elasticity"},
                         Part{type.child("contact"), &record.contact, "contact"},
                         Part{type.child("edge"), &record.edge, "edge"}, Part{&type, &record, {}}};
  f(flex.name, std::span<const Part>(parts));
  flex = static_cast<const Flex&>(record);
}

/// Calls f(name, parts) for every element of a kind.
template <class F>
void forEachElement(Spec& spec, ElementKind kind, F&& f) {
  using mjcf::elementType;
  static const ElementType& body = elementType({"worldbody", "body"});
  const auto inBodies = [&](auto member, std::string_view tag) {
    forEachBody(spec, [&](spec::Body& b) { plain(b.*member, *body.child(tag), f); });
  };
  switch (kind) {
    case ElementKind::Body:
      forEachBody(spec, [&](spec::Body& b) {
        const std::array parts{Part{&body, &b, {}}};
        if (&b != &spec.world) f(b.name, std::span<const Part>(parts));
      });
      return;
    case ElementKind::Inertial:
      forEachBody(spec, [&](spec::Body& b) {
        if (!b.inertial) return;
        const std::array parts{Part{body.child("inertial"), &*b.inertial, {}}};
        f(b.name, std::span<const Part>(parts));
      });
      return;
    case ElementKind::Joint:
      return inBodies(&spec::Body::joints, "joint");
    case ElementKind::Geom:
      return inBodies(&spec::Body::geoms, "geom");
    case ElementKind::Site:
      return inBodies(&spec::Body::sites, "site");
    case ElementKind::Camera:
      return inBodies(&spec::Body::cameras, "camera");
    case ElementKind::Tendon:
      for (spec::Tendon& t : spec.tendons) {
        const std::array parts{Part{&elementType({"tendon", t.spatial ? "spatial" : "fixed"}), &t, {}}};
        f(t.name, std::span<const Part>(parts));
      }
      return;
    case ElementKind::Actuator:
      for (spec::Actuator& a : spec.actuators) {
        withRecord<mjcf::ActuatorRecord>(a, elementType({"actuator", "general"}), f);
      }
      return;
    case ElementKind::Sensor:
      for (spec::Sensor& s : spec.sensors) {
        withRecord<mjcf::SensorRecord>(s, elementType({"sensor", spec::sensorTag(s.type)}), f);
      }
      return;
    case ElementKind::Equality:
      for (spec::Equality& e : spec.equalities) {
        withRecord<mjcf::EqualityRecord>(e, elementType({"equality", spec::equalityTag(e.type)}), f);
      }
      return;
    case ElementKind::Flex:
      forEachBody(spec, [&](spec::Body& b) {
        for (spec::Flexcomp& flex : b.flexcomps) {
          flexParts<spec::Flexcomp, spec::Flexcomp>(flex, *body.child("flexcomp"), f);
        }
      });
      for (spec::Flex& flex : spec.flexes) {
        flexParts<spec::Flex, mjcf::FlexRecord>(flex, elementType({"deformable", "flex"}), f);
      }
      return;
    case ElementKind::Pair:
      return plain(spec.pairs, elementType({"contact", "pair"}), f);
    case ElementKind::Mesh:
      return plain(spec.meshes, elementType({"asset", "mesh"}), f);
    case ElementKind::HField:
      return plain(spec.hfields, elementType({"asset", "hfield"}), f);
  }
}

bool isNumeric(const Attribute& a) {
  const auto kind = a.format.kind;
  return a.isBound() &&
         (kind == ValueFormat::Kind::Real || kind == ValueFormat::Kind::Float || kind == ValueFormat::Kind::Int);
}

std::vector<double> numbersIn(std::string_view text) {
  try {
    return mjcf::parseReals(text, {ValueFormat::Kind::Real, 0, mjcf::kAnyCount});
  } catch (const mjcf::ValueError&) {
    return {};  // the word "ref"
  }
}

/// kp and kv of servos are stored as gain and bias. Returns true if the attribute was one of them.
bool servo(mjcf::ActuatorRecord& a, const SpecNumber& number, const double* set, std::optional<double>& value) {
  if (number.attribute != "kp" && number.attribute != "kv") return false;
  const bool isServo = a.gaintype == GainType::Fixed && a.biastype == BiasType::Affine;
  const bool isVelocity = isServo && a.biasprm[1] == 0 && a.biasprm[2] == -a.gainprm[0];
  const bool isKp = number.attribute == "kp";
  if (!isServo || (isKp && isVelocity)) {
    refuse(fmt::format("actuator \"{}\" is not one that has '{}'; gainprm and biasprm are there for all", number.name,
                       number.attribute));
  }
  if (!isKp && a.biasprm[2] > 0) refuse(fmt::format("actuator \"{}\" has a damping ratio, not 'kv'", number.name));
  if (number.index > 0) refuse(fmt::format("'{}' is one number, there is no [{}]", number.attribute, number.index));
  if (set) {
    if (isKp || isVelocity) a.gainprm[0] = *set;
    a.biasprm[isKp ? 1 : 2] = -*set;
  }
  value = isKp ? a.gainprm[0] : -a.biasprm[2];
  return true;
}

/// The part and attribute that are meant, where several have the name that which is written in the model.
std::pair<const Part*, const Attribute*> find(std::span<const Part> parts, const SpecNumber& number) {
  const std::size_t dot = number.attribute.find('.');
  const std::string_view all = number.attribute;
  const std::string_view child = dot == all.npos ? std::string_view() : all.substr(0, dot);
  const std::string_view word = dot == all.npos ? all : all.substr(dot + 1);
  std::pair<const Part*, const Attribute*> first{nullptr, nullptr};
  for (const Part& part : parts) {
    if (dot != all.npos && part.child != child) continue;
    const Attribute* a = part.type ? part.type->find(word) : nullptr;
    if (!a) continue;
    if (!first.second) first = {&part, a};
    if (!isNumeric(*a)) continue;
    const auto text = a->print(part.record);
    if (text && !text->empty()) return {&part, a};
  }
  return first;
}

/// Reads, and if `set` is given writes, one number.
std::optional<double> access(Spec& spec, const SpecNumber& number, const double* set) {
  std::optional<double> value;
  bool found = false;
  forEachElement(spec, number.kind, [&](const std::string& name, std::span<const Part> parts) {
    if (found || name != number.name) return;
    found = true;
    if (number.kind == ElementKind::Actuator &&
        servo(*static_cast<mjcf::ActuatorRecord*>(parts[0].record), number, set, value)) {
      return;
    }
    const auto [part, attribute] = find(parts, number);
    if (!attribute) {
      const std::vector<std::string> known = attributesOf(number.kind);
      const std::string near = mjcf::nearest(number.attribute, {known.begin(), known.end()});
      refuse(fmt::format("there is no attribute '{}'{}; numbers are in {}", number.attribute,
                         near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near), fmt::join(known, ", ")));
    }
    if (!isNumeric(*attribute)) refuse(fmt::format("'{}' is not a number", number.attribute));
    const ValueFormat& format = attribute->format;
    const auto text = attribute->print(part->record);
    std::vector<double> numbers = numbersIn(text && !text->empty() ? *text : attribute->defaultText);
    const bool isAbsent = !text || text->empty();
    // the rest of a list that is written in part
    if (const std::vector<double> rest = numbersIn(attribute->defaultText); rest.size() > numbers.size()) {
      numbers.insert(numbers.end(), rest.begin() + static_cast<std::ptrdiff_t>(numbers.size()), rest.end());
    }
    int index = number.index;
    if (index < 0) {
      if (format.max != 1 && format.min == format.max) {
        refuse(fmt::format("'{0}' has {1} numbers, say which: {0}[0] to {0}[{2}]", number.attribute, format.max,
                           format.max - 1));
      }
      if (format.max == mjcf::kAnyCount)
        refuse(fmt::format("'{0}' is a list, say which number: {0}[0]", number.attribute));
      index = 0;
    }
    const int most = format.max == mjcf::kAnyCount ? static_cast<int>(numbers.size()) : format.max;
    if (index >= most) {
      refuse(
          fmt::format("'{}' has {} number{}, there is no [{}]", number.attribute, most, most == 1 ? "" : "s", index));
    }
    const auto at = static_cast<std::size_t>(index);
    if (at < numbers.size() && !(isAbsent && attribute->defaultText.empty())) value = numbers[at];
    if (!set) return;
    if (numbers.size() < at + 1) {
      if (at > 0) refuse(fmt::format("'{}' is not written in the model: write its numbers there", number.attribute));
      numbers.resize(1);
    }
    if (!std::isfinite(*set)) refuse(fmt::format("{} is not a finite number", *set));
    if (format.kind == ValueFormat::Kind::Int && *set != std::floor(*set)) {
      refuse(fmt::format("'{}' needs whole numbers, found {}", number.attribute, *set));
    }
    numbers[at] = *set;
    value = *set;
    std::string written;
    for (const double x : numbers) {
      written += (written.empty() ? "" : " ") +
                 (format.kind == ValueFormat::Kind::Int ? fmt::format("{:.0f}", x) : mjcf::formatNumber(x));
    }
    try {
      attribute->parse(part->record, written);
    } catch (const mjcf::ValueError& error) {
      refuse(fmt::format("'{}' {}", number.attribute, error.message));
    }
  });
  return value;
}

}  // namespace

std::optional<ElementKind> kindOf(std::string_view word) {
  for (const auto& [name, kind] : kKinds) {
    if (name == word) return kind;
  }
  return std::nullopt;
}

std::vector<std::string_view> kindWords() {
  std::vector<std::string_view> words;
  for (const auto& [name, kind] : kKinds) {
    if (name != "jnt" && name != "dof" && name != "cam" && name != "eq") words.push_back(name);
  }
  return words;
}

std::vector<std::string> namesOf(const Spec& spec, ElementKind kind) {
  std::vector<std::string> names;
  // nothing is changed: records are read and put back
  forEachElement(const_cast<Spec&>(spec), kind, [&](const std::string& name, std::span<const Part>) {
    if (!name.empty()) names.push_back(name);
  });
  return names;
}

std::vector<std::string> attributesOf(ElementKind kind) {
  using mjcf::elementType;
  std::vector<std::string> names;
  const auto add = [&](const ElementType& type, const std::string& prefix = "") {
    for (const Attribute& a : type.attributes) {
      if (isNumeric(a)) names.push_back(prefix + std::string(a.name));
    }
  };
  const ElementType& body = elementType({"worldbody", "body"});
  switch (kind) {
    case ElementKind::Body:
      names = {"mass"};
      add(body);
      break;
    case ElementKind::Inertial:
      add(*body.child("inertial"));
      break;
    case ElementKind::Joint:
      names = {"qpos", "qvel"};
      add(*body.child("joint"));
      break;
    case ElementKind::Geom:
      add(*body.child("geom"));
      break;
    case ElementKind::Site:
      add(*body.child("site"));
      break;
    case ElementKind::Camera:
      add(*body.child("camera"));
      break;
    case ElementKind::Tendon:
      add(elementType({"tendon", "spatial"}));
      break;
    case ElementKind::Actuator:
      names = {"kp", "kv", "ctrl", "act"};
      add(elementType({"actuator", "general"}));
      break;
    case ElementKind::Sensor:
      add(elementType({"sensor", "jointpos"}));
      break;
    case ElementKind::Equality:
      add(elementType({"equality", "weld"}));
      add(elementType({"equality", "joint"}));
      break;
    case ElementKind::Flex: {
      const ElementType& flex = *body.child("flexcomp");
      for (const std::string_view child : {"elasticity", "contact", "edge"}) {
        add(*flex.child(child), std::string(child) + ".");
      }
      add(flex);
      break;
    }
    case ElementKind::Pair:
      add(elementType({"contact", "pair"}));
      break;
    case ElementKind::Mesh:
      add(elementType({"asset", "mesh"}));
      break;
    case ElementKind::HField:
      add(elementType({"asset", "hfield"}));
      break;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<double> getNumber(Spec& spec, const SpecNumber& number) { return access(spec, number, nullptr); }

void setNumber(Spec& spec, const SpecNumber& number, double value) { access(spec, number, &value); }

}  // namespace sinew
