#include "mjcf/support_doc.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "mjcf/attribute_table.h"
#include "mjcf/units.h"

namespace sinew::mjcf {
namespace {

constexpr std::string_view kIntroduction =
    "# MJCF support\n\n"
    "What Sinew reads of MJCF 3.12. This page is generated from the attribute table that drives the reader, the "
    "writer\n"
    "and the error messages; a test fails when it is out of date.\n\n"
    "An element or attribute that is not listed here is an error. What is marked *not supported* is an error that "
    "names\n"
    "the feature; an attribute so marked may still be given with its default value. *visual* means it changes no "
    "motion:\n"
    "checked, kept and written back. *extension* means it is Sinew's own and not part of MJCF.\n\n"
    "Where several numbers are expected, `[n]` is an exact count, `[a..b]` a range of counts (the leading entries are\n"
    "overwritten, the others keep the value of the default class), `[]` any count.\n\n"
    "Units are SI: m, kg, s, rad, N, Pa. A unit is that of each number, or they are listed one by one; `-` is a pure "
    "number.\n"
    "Where slides and hinges differ, the slide's comes first. *angle* is degrees, or radians with `<compiler "
    "angle=\"radian\"/>`;\n"
    "*deg* and *rad* are that always. *length* and *force* are those of the transmission: m and N, at hinges rad and "
    "N m.\n"
    "*extent* and *meansize* are factors of `<statistic>`.\n\n";

/// In a table cell, `|` would start a new column.
std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.insert(i, 1, '\\');
  return text;
}

std::string notes(const Attribute& a, const ElementType& type) {
  std::vector<std::string> notes;
  const auto add = [&](bool condition, std::string text) {
    if (condition) notes.push_back(std::move(text));
  };
  add(!a.unsupported.empty(), fmt::format("**not supported** ({})", a.unsupported));
  add(a.has(kRequired), "required");
  add(a.has(kNotInDefault), "not in default classes");
  add(a.has(kVisual) && type.visual, "visual");
  add(a.has(kExtension), "extension");
  add(a.has(kNoEffect), "has no effect, a warning");
  add(a.has(kReference), "`ref` stands for the reference configuration (extension)");
  return fmt::format("{}", fmt::join(notes, ", "));
}

/// Words have none; whole numbers count or name things unless the table says otherwise.
std::string_view unit(const Attribute& a, std::string_view path) {
  switch (a.format.kind) {
    case ValueFormat::Kind::Int:
      return unitOf(path, a.name).value_or("-");
    case ValueFormat::Kind::Real:
    case ValueFormat::Kind::Float:
      return unitOf(path, a.name).value_or("?");
    default:
      return "";
  }
}

class Pages {
 public:
  std::string write() {
    text_ = kIntroduction;
    collectUnsupported(grammar(), "");
    text_ += "## Not supported\n\n";
    for (const auto& [feature, places] : unsupported_)
      text_ += fmt::format("- {}: {}\n", feature, fmt::join(places, ", "));
    text_ += "\n## Elements\n";
    visited_.clear();
    describe(grammar(), "");
    return text_;
  }

 private:
  static std::string pathOf(const ElementType& type, const std::string& parent) {
    return parent.empty() || type.tag == "body" ? std::string(type.tag) : fmt::format("{}/{}", parent, type.tag);
  }
  /// The world, bodies, frames and replicates hold the same things; their children are named after the body.
  static std::string parentPath(const ElementType& type, const std::string& path) {
    if (type.tag == "mujoco") return "";
    if (type.tag == "worldbody" || type.tag == "body" || type.tag == "frame" || type.tag == "replicate") return "body";
    return path;
  }
  void refuse(std::string_view feature, std::string place) {
    auto same =
        std::find_if(unsupported_.begin(), unsupported_.end(), [&](const auto& u) { return u.first == feature; });
    if (same == unsupported_.end()) same = unsupported_.insert(same, {feature, {}});
    std::vector<std::string>& places = same->second;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(std::move(place));
  }

  void collectUnsupported(const ElementType& type, const std::string& parent) {
    if (type.inDefault || !visited_.insert(&type).second) return;
    const std::string path = pathOf(type, parent);
    if (!type.unsupported.empty()) {
      refuse(type.unsupported, fmt::format("`<{}>`", path));
      return;
    }
    for (const Attribute& a : type.attributes) {
      if (!a.unsupported.empty())
        refuse(a.unsupported, fmt::format("`{}` in `<{}>`", a.name, path.substr(0, path.find('/'))));
      for (const Keyword& k : a.format.keywords)
        if (!k.unsupported.empty()) refuse(k.unsupported, fmt::format("`{}=\"{}\"` of `<{}>`", a.name, k.word, path));
    }
    for (const ChildRule& rule : type.children) collectUnsupported(*rule.type, parentPath(type, path));
  }

  void describe(const ElementType& type, const std::string& parent) {
    if (type.inDefault || !visited_.insert(&type).second) return;
    const std::string path = pathOf(type, parent);
    text_ += fmt::format("\n### {}\n\n", path);
    if (!type.unsupported.empty()) text_ += fmt::format("**Not supported**: {}.\n\n", type.unsupported);
    if (type.visual) text_ += "Visual.\n\n";
    describeChildren(type);
    describeRules(type);
    if (!type.attributes.empty()) {
      text_ += "| attribute | value | unit | default | notes |\n| --- | --- | --- | --- | --- |\n";
      for (const Attribute& a : type.attributes)
        text_ += fmt::format("| {} | {} | {} | {} | {} |\n", a.name, cell(describeFormat(a.format)), unit(a, path),
                             cell(a.defaultText), cell(notes(a, type)));
    }
    for (const ChildRule& rule : type.children) describe(*rule.type, parentPath(type, path));
  }

  void describeChildren(const ElementType& type) {
    if (type.children.empty()) return;
    std::string children;
    for (const ChildRule& rule : type.children)
      children +=
          fmt::format("{}`{}`{}", children.empty() ? "" : ", ", rule.type->tag, rule.atMostOne ? " (at most one)" : "");
    text_ += fmt::format("Contains {}.{}\n\n", children,
                         type.tag == "default" ? " These have the attributes described below for the elements of the "
                                                 "same name, but for `name`, `class` and those marked *not in default "
                                                 "classes*; `tendon` and `equality` those their kinds share."
                                               : "");
  }

  void describeRules(const ElementType& type) {
    for (const PresenceRule& rule : type.rules) {
      std::string bundles;
      for (const auto& bundle : rule.bundles)
        bundles += fmt::format("{}`{}`", bundles.empty() ? "" : ", ", fmt::join(bundle, " + "));
      const std::string_view what = rule.kind == PresenceRule::Kind::Exclusive ? "Only one of"
                                    : rule.kind == PresenceRule::Kind::OneOf   ? "At least one of"
                                                                               : "Together or not at all:";
      text_ += fmt::format("{} {}.\n\n", what, bundles);
    }
  }

  std::string text_;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> unsupported_;  ///< feature, where it appears
  std::set<const ElementType*> visited_;
};

}  // namespace

std::string supportDocument() { return Pages().write(); }

}  // namespace sinew::mjcf
