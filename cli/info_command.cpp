#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "constraints.h"
#include "fields.h"
#include "flex_info.h"
#include "model_source.h"
#include "option_settings.h"
#include "type_names.h"

namespace sinew::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  std::string model;
  std::string array;
  bool json = false;
  ModelChoices choices;
};

struct Size {
  std::string_view name;
  int value;
  std::string_view doc;
};

std::vector<Size> sizesOf(const Model& m) {
  std::vector<Size> sizes;
#define SINEW_X(name, doc) sizes.push_back({#name, m.name, doc});
  SINEW_MODEL_SIZES(SINEW_X)
#undef SINEW_X
  return sizes;
}

/// How often each kind occurs, in the order of the enumeration.
struct Use {
  std::string_view what;
  std::vector<std::pair<std::string, int>> kinds;
};

template <class Enum>
Use countKinds(std::string_view what, const Array<Enum>& types) {
  std::vector<Enum> sorted(types.begin(), types.end());
  std::sort(sorted.begin(), sorted.end());
  Use use{what, {}};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) use.kinds.emplace_back(wordFor(sorted[i]), 0);
    ++use.kinds.back().second;
  }
  return use;
}

std::vector<Use> usesOf(const Model& m) {
  return {countKinds("joints", m.jnt_type),
          countKinds("geoms", m.geom_type),
          countKinds("path elements", m.wrap_type),
          countKinds("transmissions", m.actuator_trntype),
          countKinds("activations", m.actuator_dyntype),
          countKinds("gains", m.actuator_gaintype),
          countKinds("biases", m.actuator_biastype),
          countKinds("sensors", m.sensor_type),
          countKinds("equalities", m.eq_type)};
}

std::string label(const Model& m, ObjType type, int id) {
  const std::string_view name = nameOf(m, type, id);
  return name.empty() ? fmt::format("#{}", id) : std::string(name);
}

/// One line about a body: name, mass, joints, geoms.
std::string describeBody(const Model& m, int body) {
  std::string text = label(m, ObjType::Body, body);
  if (m.body_mass[body] > 0) text += fmt::format("  {:.4g} kg", m.body_mass[body]);
  if (m.body_mocapid[body] >= 0) text += "  mocap";
  for (int j = m.body_jntadr[body]; j < m.body_jntadr[body] + m.body_jntnum[body]; ++j) {
    text += fmt::format("  {} {}", wordFor(m.jnt_type[j]), label(m, ObjType::Joint, j));
  }
  if (const int n = m.body_geomnum[body]; n > 0) text += fmt::format("  {} geom{}", n, n == 1 ? "" : "s");
  return text;
}

/// Draws the bodies below `root` with lines from parent to child. Works on a stack: trees may be deeper than ours.
void drawTree(const Model& m) {
  std::vector<std::vector<int>> children(static_cast<std::size_t>(m.nbody));
  for (int i = m.nbody - 1; i > 0; --i) children[m.body_parentid[i]].push_back(i);
  struct Node {
    int body;
    std::string indent;
    bool isLast;
  };
  std::vector<Node> open{{0, "", true}};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    const char* branch = node.body == 0 ? "" : node.isLast ? "└─ " : "├─ ";
    fmt::print("  {}{}{}\n", node.indent, branch, describeBody(m, node.body));
    const std::string indent = node.body == 0 ? "" : node.indent + (node.isLast ? "   " : "│  ");
    const std::vector<int>& below = children[node.body];  // last child first
    for (std::size_t i = 0; i < below.size(); ++i) open.push_back({below[i], indent, i == 0});
  }
}

void printNames(const Model& m) {
  const std::array<std::pair<const char*, ObjType>, 6> kinds{{{"actuators", ObjType::Actuator},
                                                              {"sensors", ObjType::Sensor},
                                                              {"tendons", ObjType::Tendon},
                                                              {"equalities", ObjType::Equality},
                                                              {"meshes", ObjType::Mesh},
                                                              {"keyframes", ObjType::Key}}};
  for (const auto& [what, type] : kinds) {
    const int count = countOf(m, type);
    if (count == 0) continue;
    constexpr int kShown = 20;
    std::vector<std::string> names;
    for (int i = 0; i < std::min(count, kShown); ++i) names.push_back(label(m, type, i));
    if (count > kShown) names.push_back(fmt::format("and {} more", count - kShown));
    fmt::print("  {:<15}{}\n", what, fmt::join(names, ", "));
  }
}

void printText(const Model& m, const InfoOptions& o) {
  fmt::print("{}: model \"{}\"\n\nsizes\n", o.model, std::string_view(m.names.data()));
  for (const Size& size : sizesOf(m)) {
    if (size.value > 0) fmt::print("  {:<15}{:<9}{}\n", size.name, size.value, size.doc);
  }
  fmt::print("\nmass {:.6g} kg, mean body mass {:.4g} kg, extent {:.4g} m, centre ({:.4g})\n",
             m.nbody > 0 ? m.body_subtreemass[0] : 0, m.stat.meanmass, m.stat.extent, fmt::join(m.stat.center, ", "));
  fmt::print("\ntree\n");
  drawTree(m);
  if (m.nflex > 0) fmt::print("\nflexes\n");
  for (int f = 0; f < m.nflex; ++f) fmt::print("  {}\n", describeFlex(m, f));
  fmt::print("\nuses\n");
  for (const Use& use : usesOf(m)) {
    if (use.kinds.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& [kind, count] : use.kinds) parts.push_back(fmt::format("{} {}", count, kind));
    fmt::print("  {:<15}{}\n", use.what, fmt::join(parts, ", "));
  }
  const std::vector<std::string> constraints = constraintsInUse(m);
  fmt::print("  {:<15}{}\n", "constraints",
             constraints.empty() ? "none" : fmt::format("{}", fmt::join(constraints, ", ")));
  fmt::print("\nnames\n");
  printNames(m);
  fmt::print("\noptions (* not the default)\n");
  const Option standard;
#define SINEW_X(type, name, doc) \
  fmt::print("  {:<18}{}{}\n", #name, optionText(m.opt, #name), m.opt.name == standard.name ? "" : " *");
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  fmt::print("  {:<18}{}\n  {:<18}{}\n", "disabled", disabledNames(m.opt.disableflags), "enabled",
             enabledNames(m.opt.enableflags));
}

Json namesAsJson(const Model& m, ObjType type) {
  Json names = Json::array();
  for (int i = 0; i < countOf(m, type); ++i) names.push_back(nameOf(m, type, i));
  return names;
}

void printJson(const Model& m, const InfoOptions& o, const Warnings& warnings) {
  Json j;
  j["file"] = o.model;
  j["model"] = std::string(m.names.data());
  for (const Size& size : sizesOf(m)) j["sizes"][std::string(size.name)] = size.value;
  j["mass"] = m.nbody > 0 ? m.body_subtreemass[0] : 0;
  j["statistic"] = {{"meaninertia", m.stat.meaninertia},
                    {"meanmass", m.stat.meanmass},
                    {"meansize", m.stat.meansize},
                    {"extent", m.stat.extent},
                    {"center", m.stat.center}};
  j["bodies"] = Json::array();
  for (int i = 0; i < m.nbody; ++i) {
    Json joints = Json::array();
    for (int k = m.body_jntadr[i]; k < m.body_jntadr[i] + m.body_jntnum[i]; ++k) {
      joints.push_back({{"name", nameOf(m, ObjType::Joint, k)}, {"type", wordFor(m.jnt_type[k])}});
    }
    j["bodies"].push_back({{"name", nameOf(m, ObjType::Body, i)},
                           {"parent", m.body_parentid[i]},
                           {"mass", m.body_mass[i]},
                           {"joints", joints},
                           {"geoms", m.body_geomnum[i]}});
  }
  for (int f = 0; f < m.nflex; ++f) {
    const FlexInfo flex = flexInfo(m, f);
    j["flexes"].push_back({{"name", flex.name},
                           {"kind", flex.kind},
                           {"vertices", flex.vertices},
                           {"elements", flex.elements},
                           {"nodes", flex.nodes},
                           {"mass", flex.mass},
                           {"rigid", flex.rigid},
                           {"held", flex.held}});
  }
  for (const Use& use : usesOf(m)) {
    Json kinds = Json::object();
    for (const auto& [kind, count] : use.kinds) kinds[kind] = count;
    j["uses"][std::string(use.what)] = kinds;
  }
  j["constraints"] = constraintsInUse(m);
  j["actuators"] = namesAsJson(m, ObjType::Actuator);
  j["sensors"] = namesAsJson(m, ObjType::Sensor);
  j["tendons"] = namesAsJson(m, ObjType::Tendon);
  j["keyframes"] = namesAsJson(m, ObjType::Key);
#define SINEW_X(type, name, doc) j["options"][#name] = optionText(m.opt, #name);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  j["warnings"] = warnings;
  fmt::print("{}\n", j.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string valueText(const Field& field, double value) {
  if (field.kind == FieldKind::Single) return fmt::format("{}", static_cast<float>(value));
  return fmt::format("{}", value);
}

/// One row per line, with the object it belongs to.
void printArray(const Model& m, const InfoOptions& o) {
  const std::vector<Field> fields = fieldsOf(m);
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == o.array; });
  if (field == fields.end()) {
    std::vector<std::string_view> names;
    for (const Field& f : fields) names.push_back(f.name);
    throw CommandError(fmt::format("there is no array '{}'; choose from {}", o.array, fmt::join(names, ", ")));
  }
  if (o.json) {
    const Json j{{"name", field->name}, {"rows", field->rows}, {"columns", field->columns}, {"values", field->values}};
    fmt::print("{}\n", j.dump());
    return;
  }
  fmt::print("{} [{} x {}]: {}\n", field->name, field->rows, field->columns, field->doc);
  for (std::ptrdiff_t row = 0; row < field->rows; ++row) {
    std::vector<std::string> values;
    for (std::ptrdiff_t k = 0; k < field->columns; ++k) {
      values.push_back(valueText(*field, field->values[row * field->columns + k]));
    }
    const std::string owner = rowOwner(m, field->rowSize, row);
    fmt::print("{:>6}  {}{}\n", row, fmt::join(values, " "), owner.empty() ? "" : "  (" + owner + ")");
  }
}

int execute(const InfoOptions& o) {
  Warnings warnings;
  const Model m = loadChosen(o.model, o.choices, &warnings);
  if (!o.array.empty()) {
    printArray(m, o);
  } else if (o.json) {
    printJson(m, o, warnings);
  } else {
    printText(m, o);
  }
  return kOk;
}

}  // namespace

Command addInfoCommand(CLI::App& app) {
  auto o = std::make_shared<InfoOptions>();
  CLI::App* info = app.add_subcommand("info", "Tell what is in a model: sizes, tree, masses, what it uses, options");
  info->add_option("MODEL", o->model, "MJCF or URDF file")->required();
  info->add_option("--array", o->array, "Print one array of the compiled model, for instance body_mass")
      ->type_name("FIELD");
  info->add_flag("--json", o->json, "As JSON");
  addModelChoices(*info, o->choices);
  return {info, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
