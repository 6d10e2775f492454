#include "mjcf/attribute_table.h"

#include <algorithm>
#include <cassert>

#include "mjcf/records.h"
#include "mjcf/table_sections.h"

namespace sinew::mjcf {
namespace {

/// The form of an element used in a default class: without name, class and what has no meaning there.
void addReduced(ElementStore& store, ElementType& defaults, const ElementType& full) {
  ElementType type = full;
  type.inDefault = true;
  type.context = "in default";
  std::erase_if(type.attributes,
                [](const Attribute& a) { return a.name == "name" || a.name == "class" || a.has(kNotInDefault); });
  for (Attribute& a : type.attributes) a.flags &= ~static_cast<unsigned>(kRequired);
  defaults.children.push_back({&store.emplace_back(std::move(type)), kAtMostOne});
}

struct Grammar {
  ElementStore store;

  Grammar() {
    ElementType& root = store.emplace_back();
    root.tag = "mujoco";
    Declare<MujocoRecord>(root).attr("model", &MujocoRecord::model);
    declareSettings(store, root);
    declareAssets(store, root);
    declareBodies(store, root);
    declareDeformables(store, root);
    declareRelations(store, root);
    declareActuators(store, root);
    declareSensors(store, root);
    declareCustom(store, root);
    declareDefaults(store, root);
  }
};

}  // namespace

void declareDefaults(ElementStore& store, ElementType& root) {
  ElementType& defaults = addChild(store, root, "default");
  Declare<ClassRecord>(defaults).attr("class", &ClassRecord::name).defaultIs("main");
  defaults.children.push_back({&defaults, false});
  const ElementType& asset = *root.child("asset");
  const ElementType& body = *root.child("worldbody")->child("body");
  for (const std::string_view tag : {"mesh", "material"}) addReduced(store, defaults, *asset.child(tag));
  for (const std::string_view tag : {"joint", "geom", "site", "camera", "light"})
    addReduced(store, defaults, *body.child(tag));
  addReduced(store, defaults, *root.child("contact")->child("pair"));
  declareDefaultRelations(store, defaults);
  for (const ChildRule& rule : root.child("actuator")->children)
    if (rule.type->tag != "plugin") addReduced(store, defaults, *rule.type);
}

void Attribute::parse(void* record, std::string_view text) const {
  void* const value = static_cast<std::byte*>(record) + offset;
  if (mask == 0) return type->parse(text, format, value);
  int& bits = *static_cast<int*>(value);
  const bool set = (parseWord(text, kSwitch) == 1) != inverted;
  bits = set ? (bits | mask) : (bits & ~mask);
}

std::optional<std::string> Attribute::print(const void* record) const {
  const void* const value = static_cast<const std::byte*>(record) + offset;
  if (mask == 0) return type->print(value, format);
  const bool set = (*static_cast<const int*>(value) & mask) != 0;
  return set != inverted ? "enable" : "disable";
}

void addAttribute(ElementType& type, Attribute attribute, const void* freshRecord) {
  ValueFormat& format = attribute.format;
  if (attribute.has(kPartial) && format.min == format.max) format.min = 1;
  format.reference = attribute.has(kReference);
  attribute.defaultText = attribute.print(freshRecord).value_or("");
  type.attributes.push_back(std::move(attribute));
}

const Attribute* ElementType::find(std::string_view name) const {
  const auto it =
      std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; });
  return it == attributes.end() ? nullptr : &*it;
}

const ElementType* ElementType::child(std::string_view wanted) const {
  for (const ChildRule& rule : children)
    if (rule.type->tag == wanted) return rule.type;
  return nullptr;
}

const ElementType& grammar() {
  static const Grammar instance;
  return instance.store.front();
}

const ElementType& elementType(std::initializer_list<std::string_view> path) {
  const ElementType* type = &grammar();
  for (const std::string_view tag : path) {
    type = type->child(tag);
    assert(type);
  }
  return *type;
}

}  // namespace sinew::mjcf
