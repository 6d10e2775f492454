#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "mjcf/attribute_table.h"
#include "support/paths.h"
#include "targets.h"

/// Seeds and words from the attribute table: what is added to the grammar is fuzzed without being named here.
namespace sinew::fuzz {
namespace {

using mjcf::Attribute;
using mjcf::ElementType;
using mjcf::ValueFormat;

/// Objects are named after their kind, so that an attribute such as joint="..." or body2="..." has its own name,
/// without digits, as value.
constexpr std::string_view kBefore = R"(<mujoco><asset><mesh name="mesh" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1"/>
<hfield name="hfield" nrow="2" ncol="2" size="1 1 .1 .1"/><material name="material"/><texture name="texture" type="2d"
builtin="flat" width="2" height="2"/><model name="model" file="part.xml"/></asset><default><default class="class"/></default>
<worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="body" pos="0 0 .2"><joint name="joint"/><geom name="geom" size=".1"/>
<site name="site" pos="0 .1 0"/><camera name="camera"/><body name="target"><joint name="ball" type="ball" pos=".1 0 0"/>
<geom name="sidesite" size=".05" pos=".2 0 0"/></body></body>
<flexcomp name="flex" type="grid" dim="2" count="2 2 1" spacing=".1 .1 .1" pos="0 0 .5" mass=".1" radius=".01"/></worldbody>
<tendon><fixed name="tendon"><joint joint="joint" coef="1"/></fixed></tendon><actuator><motor name="actuator" joint="joint"/></actuator>
<sensor><clock name="sensor"/></sensor>)";
constexpr std::string_view kAfter = "</mujoco>";

std::string sampleValue(const Attribute& attribute) {
  const ValueFormat& format = attribute.format;
  const auto numbers = [&](const char* number) {
    const int count = format.max == mjcf::kAnyCount ? std::max(format.min, 3) : format.max;
    std::string text;
    for (int i = 0; i < std::min(count, 20); ++i) text += std::string(i > 0 ? " " : "") + number;
    return text;
  };
  switch (format.kind) {
    case ValueFormat::Kind::Bool:
      return "true";
    case ValueFormat::Kind::Word:
    case ValueFormat::Kind::Words:
      return format.keywords.empty() ? "" : std::string(format.keywords.back().word);
    case ValueFormat::Kind::Int:
      return numbers("2");
    case ValueFormat::Kind::Real:
    case ValueFormat::Kind::Float:
      return numbers("0.3");
    case ValueFormat::Kind::Text:
      break;
  }
  if (attribute.name == "name") return "new";
  if (attribute.name == "file") return "mesh.obj";
  std::string name(attribute.name);
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();
  return name == "objname" || name == "refname" ? "body" : name == "objtype" || name == "reftype" ? "body" : name;
}

std::string written(const Attribute& attribute) {
  return fmt::format(R"( {}="{}")", attribute.name, sampleValue(attribute));
}

bool isUsed(const Attribute& attribute) { return attribute.unsupported.empty() && !attribute.has(mjcf::kVisual); }

/// The attributes without which the element is refused: those that are required, and the first bundle of those of
/// which one is.
std::set<std::string_view> needed(const ElementType& type) {
  std::set<std::string_view> names;
  for (const Attribute& attribute : type.attributes) {
    if (attribute.has(mjcf::kRequired)) names.insert(attribute.name);
  }
  for (const mjcf::PresenceRule& rule : type.rules) {
    if (rule.kind == mjcf::PresenceRule::Kind::OneOf) names.insert(rule.bundles[0].begin(), rule.bundles[0].end());
  }
  return names;
}

class SeedMaker {
 public:
  std::vector<Bytes> make() {
    for (const mjcf::ChildRule& section : mjcf::grammar().children) visit(*section.type, "", "", 0);
    return std::move(seeds_);
  }

 private:
  /// Models with the element between `before` and `after`, the tags around it.
  void visit(const ElementType& type, const std::string& before, const std::string& after, int depth) {
    if (depth > 5 || type.visual || !type.unsupported.empty() || !seen_.insert(&type).second) return;
    std::string required;
    const std::set<std::string_view> need = needed(type);
    for (const Attribute& attribute : type.attributes) {
      if (need.contains(attribute.name)) required += written(attribute);
    }
    const std::string tag(type.tag);
    const auto add = [&](const std::string& attributes) {
      const std::string text = fmt::format("{}{}<{}{}/>{}{}", kBefore, before, tag, attributes, after, kAfter);
      seeds_.emplace_back(text.begin(), text.end());
    };
    add(required);
    for (const Attribute& attribute : type.attributes) {
      if (isUsed(attribute) && !need.contains(attribute.name)) add(required + written(attribute));
    }
    for (const mjcf::ChildRule& child : type.children) {
      visit(*child.type, fmt::format("{}<{}{}>", before, tag, required), fmt::format("</{}>{}", tag, after), depth + 1);
    }
  }

  std::vector<Bytes> seeds_;
  std::set<const ElementType*> seen_;
};

void addWords(const ElementType& type, std::set<const ElementType*>& seen, std::set<std::string>& words) {
  if (!seen.insert(&type).second) return;
  words.insert(fmt::format("<{} ", type.tag));
  words.insert(fmt::format("</{}>", type.tag));
  for (const Attribute& attribute : type.attributes) {
    words.insert(fmt::format("{}=\"", attribute.name));
    for (const mjcf::Keyword& keyword : attribute.format.keywords) words.insert(std::string(keyword.word));
  }
  for (const mjcf::ChildRule& child : type.children) addWords(*child.type, seen, words);
}

/// The models of a folder of the repository that are short enough, in the order of their names.
void addModels(const std::filesystem::path& folder, std::vector<Bytes>& seeds) {
  constexpr std::uintmax_t kLongest = 8192;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml" && entry.file_size() <= kLongest) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
}

}  // namespace

std::vector<Bytes> modelSeeds() {
  std::vector<Bytes> seeds;
  addModels(test::sourceDir() / "examples/models", seeds);
  addModels(test::sourceDir() / "tests/conformance/scenes", seeds);
  addModels(test::sourceDir() / "tests/conformance/scenes/constrained", seeds);
  for (Bytes& seed : SeedMaker().make()) seeds.push_back(std::move(seed));
  return seeds;
}

std::vector<std::string> dictionary() {
  std::set<const ElementType*> seen;
  std::set<std::string> words;
  addWords(mjcf::grammar(), seen, words);
  std::vector<std::string> all(words.begin(), words.end());
  for (const char* word : {"{\"c\":\"drag\",",
                           "{\"c\":\"edit\",",
                           "{\"c\":\"opt\",",
                           "{\"c\":\"want\",",
                           "\"watch\":[[\"",
                           "\"version\":0,",
                           "/>",
                           "\"/>",
                           "<!--",
                           "-->",
                           "&#0;",
                           "&lt;",
                           "<![CDATA[",
                           "nan",
                           "inf",
                           "-1",
                           "0",
                           "1",
                           "2",
                           "1e-300",
                           "1e300",
                           "1e10",
                           "-0",
                           "2147483647",
                           "-2147483648",
                           "4294967296",
                           "65536",
                           "0.5",
                           "ref",
                           "solid ",
                           "facet normal 0 0 0",
                           "outer loop",
                           "vertex ",
                           "endloop",
                           "endfacet",
                           "endsolid",
                           "v ",
                           "vn ",
                           "vt ",
                           "f ",
                           "l ",
                           "o ",
                           "g ",
                           "1//1",
                           "-1/-1/-1",
                           "$MeshFormat\n",
                           "$EndMeshFormat\n",
                           "$Nodes\n",
                           "$EndNodes\n",
                           "$Elements\n",
                           "$EndElements\n",
                           "2.2 0 8\n",
                           "2.2 1 8\n",
                           "4.1 0 8\n",
                           "4.1 1 8\n",
                           "null",
                           "true",
                           "false",
                           "[]",
                           "{}",
                           "\"samples\":",
                           "\"step\":",
                           "\"set\":",
                           "\"key\":",
                           "\"contact\":",
                           "\"efc_J\":",
                           "time,",
                           "\r\n",
                           "1,2,3,4\n"}) {
    all.emplace_back(word);
  }
  return all;
}

}  // namespace sinew::fuzz
