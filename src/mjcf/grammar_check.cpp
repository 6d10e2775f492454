#include "mjcf/grammar_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sinew::mjcf {
namespace {

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string listBundles(const std::vector<std::vector<std::string_view>>& bundles) {
  std::string text;
  for (const auto& bundle : bundles) {
    if (!text.empty()) text += " / ";
    for (std::size_t i = 0; i < bundle.size(); ++i) text += fmt::format("{}'{}'", i ? " + " : "", bundle[i]);
  }
  return text;
}

void checkRule(const Node& node, const PresenceRule& rule) {
  int touched = 0, complete = 0;
  std::size_t present = 0, total = 0;
  for (const auto& bundle : rule.bundles) {
    const auto count =
        static_cast<std::size_t>(std::count_if(bundle.begin(), bundle.end(), [&](auto a) { return node.find(a); }));
    touched += count > 0;
    complete += count == bundle.size();
    present += count;
    total += bundle.size();
  }
  switch (rule.kind) {
    case PresenceRule::Kind::Exclusive:
      if (touched > 1) fail(node, fmt::format("only one of {} may be given", listBundles(rule.bundles)));
      break;
    case PresenceRule::Kind::OneOf:
      if (complete == 0) fail(node, fmt::format("one of {} must be given", listBundles(rule.bundles)));
      break;
    case PresenceRule::Kind::Together:
      if (present != 0 && present != total)
        fail(node, fmt::format("{} must be given together", listBundles(rule.bundles)));
      break;
  }
}

bool isNumeric(const ValueFormat& format) {
  using Kind = ValueFormat::Kind;
  return format.kind == Kind::Int || format.kind == Kind::Real || format.kind == Kind::Float;
}

/// An attribute of a feature that is missing may still say what is the default anyway.
bool saysDefault(const Attribute& attribute, std::string_view text) {
  if (attribute.defaultText.empty()) return false;
  if (attribute.format.kind == ValueFormat::Kind::Text || attribute.format.kind == ValueFormat::Kind::Word)
    return text == attribute.defaultText;
  ValueFormat whole = attribute.format;
  whole.min = 0, whole.max = kAnyCount;
  std::vector<double> given = parseReals(text, whole), standard = parseReals(attribute.defaultText, whole);
  standard.resize(std::min(standard.size(), given.size()));
  return given == standard;
}

void checkAttribute(const Node& node, const Attribute& attribute, std::string_view text) {
  try {
    checkValue(text, attribute.format);
    if (!attribute.unsupported.empty() && !saysDefault(attribute, text))
      fail(node, fmt::format("{} ('{}') is not supported", attribute.unsupported, attribute.name));
  } catch (const ValueError& e) {
    fail(node, fmt::format("'{}' {}", attribute.name, e.message));
  }
}

void checkAttributes(const Node& node, const ElementType& type, Warnings& warnings) {
  for (const auto& [name, text] : node.attributes) {
    if (const Attribute* attribute = type.find(name)) {
      checkAttribute(node, *attribute, text);
      if (attribute->has(kNoEffect)) warnings.push_back(located(node, fmt::format("'{}' has no effect here", name)));
      continue;
    }
    std::vector<std::string_view> known;
    for (const Attribute& a : type.attributes) known.push_back(a.name);
    fail(node, fmt::format("unknown attribute '{}'{}{}", name, type.inDefault ? " in a default class" : "",
                           suggestion(name, known)));
  }
  for (const Attribute& attribute : type.attributes)
    if (attribute.has(kRequired) && !node.find(attribute.name))
      fail(node, fmt::format("missing required attribute '{}'", attribute.name));
  // two orientations on one element contradict each other, whatever the element
  if (type.find("axisangle") && !type.find("fullinertia"))
    checkRule(node, {PresenceRule::Kind::Exclusive, {{"quat"}, {"axisangle"}, {"xyaxes"}, {"zaxis"}, {"euler"}}});
  for (const PresenceRule& rule : type.rules) checkRule(node, rule);
}

void collectTags(const ElementType& type, std::set<const ElementType*>& seen, std::set<std::string_view>& tags) {
  if (!seen.insert(&type).second) return;
  tags.insert(type.tag);
  for (const ChildRule& rule : type.children) collectTags(*rule.type, seen, tags);
}

/// True if the format has an element of that name in another place.
bool isElementSomewhere(std::string_view tag, const ElementType& whole) {
  std::set<const ElementType*> seen;
  std::set<std::string_view> tags;
  collectTags(whole, seen, tags);
  return tags.contains(tag);
}

void removeEmptyNumbers(Node& node, const ElementType& type, Warnings& warnings) {
  std::erase_if(node.attributes, [&](const auto& attribute) {
    const auto& [name, text] = attribute;
    const Attribute* known = type.find(name);
    if (!known || !isNumeric(known->format) || known->format.min == 0) return false;
    if (text.find_first_not_of(" \t\r\n") != text.npos) return false;
    warnings.push_back(located(node, fmt::format("'{}' is empty and has no effect", name)));
    return true;
  });
}

void check(Node& node, const ElementType& type, const ElementType& whole, Warnings& warnings) {
  if (!type.unsupported.empty()) fail(node, fmt::format("{} is not supported", type.unsupported));
  removeEmptyNumbers(node, type, warnings);
  checkAttributes(node, type, warnings);
  std::map<std::string_view, int> seen;
  for (Node& child : node.children) {
    const ElementType* childType = type.child(child.tag);
    if (!childType) {
      std::vector<std::string_view> known;
      for (const ChildRule& rule : type.children) known.push_back(rule.type->tag);
      if (isElementSomewhere(child.tag, whole))
        fail(child, fmt::format("this element cannot be placed in <{}>", node.tag));
      fail(child, fmt::format("unknown element in <{}>{}", node.tag, suggestion(child.tag, known)));
    }
    ++seen[child.tag];
    check(child, *childType, whole, warnings);
  }
  for (const ChildRule& rule : type.children)
    if (rule.atMostOne && seen[rule.type->tag] > 1)
      fail(node, fmt::format("<{}> may appear once, found {} times", rule.type->tag, seen[rule.type->tag]));
}

}  // namespace

void checkGrammar(Node& root, Warnings& warnings) {
  if (root.tag != grammar().tag)
    fail(root, fmt::format("the root element of a model must be <{}>, or <robot> for URDF", grammar().tag));
  checkAgainst(grammar(), root, warnings);
}

void checkAgainst(const ElementType& grammar, Node& root, Warnings& warnings) {
  check(root, grammar, grammar, warnings);
}

void readAttributesInto(const Node& node, const ElementType& type, void* record) {
  for (const auto& [name, text] : node.attributes) {
    const Attribute* attribute = type.find(name);
    if (!attribute || !attribute->isBound()) continue;  // class and the like, which the reader resolves itself
    try {
      attribute->parse(record, text);
    } catch (const ValueError& e) {
      fail(node, fmt::format("'{}' {}", name, e.message));
    }
  }
}

}  // namespace sinew::mjcf
