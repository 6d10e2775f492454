#include "mjcf/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/names.h"
#include "urdf/reader.h"

namespace sinew::mjcf {
namespace fs = std::filesystem;
namespace {

const ElementType& typeOf(std::string_view section, const Node& node) { return elementType({section, node.tag}); }

std::string slashed(std::string path) {
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

/// Digits with an optional suffix for powers of 1024, with or without space around them.
bool isMemorySize(std::string_view text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(kSpace), text.size());
  text = text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
  if (text == "-1") return true;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 19) return false;
  const std::string_view suffix = text.substr(digits);
  return suffix.empty() || (suffix.size() == 1 && std::string_view("KMGTPEkmgtpe").find(suffix[0]) != suffix.npos);
}

}  // namespace

Reader::Reader(const Document& document, Warnings& warnings, ModelLibrary& library, spec::MemoryBudget& budget,
               std::vector<fs::path> openFiles, const LoadOptions& options)
    : document_(document),
      warnings_(warnings),
      library_(library),
      budget_(budget),
      openFiles_(std::move(openFiles)),
      options_(options) {}

Spec readModel(Document& document, Warnings& warnings, ModelLibrary& library, spec::MemoryBudget& budget,
               std::vector<fs::path> openFiles, const LoadOptions& options) {
  if (isRobot(document)) return urdf::readRobot(document, warnings, options);
  return Reader(document, warnings, library, budget, std::move(openFiles), options).read();
}

Spec Reader::read() {
  library_.requireRoom(document_, budget_);
  const Node& root = document_.root;
  MujocoRecord header;
  readAttributes(root, grammar(), header);
  spec_.modelname = header.model;
  spec_.directory = document_.directory.string();
  for (const SourceFile& file : document_.files) {
    if (!file.path.empty()) spec_.files.push_back(file.path.string());
  }

  const auto section = [&](std::string_view tag, void (Reader::*readSection)(const Node&)) {
    for (const Node& node : root.children)
      if (node.tag == tag) (this->*readSection)(node);
  };
  section("compiler", &Reader::readCompiler);
  section("option", &Reader::readOption);
  section("size", &Reader::readSize);
  section("visual", &Reader::readVisual);
  section("statistic", &Reader::readStatistic);
  section("default", &Reader::readDefaultSection);
  indexClasses(spec_.defaults);
  section("custom", &Reader::readCustom);
  section("extension", &Reader::readExtension);
  section("asset", &Reader::readAsset);
  section("contact", &Reader::readContact);
  section("deformable", &Reader::readDeformable);
  section("equality", &Reader::readEquality);
  section("tendon", &Reader::readTendon);
  section("actuator", &Reader::readActuator);
  section("sensor", &Reader::readSensor);
  section("keyframe", &Reader::readKeyframe);
  for (const Node& node : root.children)
    if (node.tag == "worldbody") readBodyContent(node, spec_.world, -1, mainClass());

  pendingKeys_.finish(spec_);
  spec::requireUniqueNames(spec_);
  return std::move(spec_);
}

// ---------------------------------------------------------------------------------------------- settings

void Reader::readCompiler(const Node& section) {
  readAttributes(section, elementType({"compiler"}), compiler_);
  if (compiler_.coordinate != 0)
    fail(section, "coordinate=\"global\" is no longer part of MJCF; use local coordinates");
  if (compiler_.eulerseq.size() != 3 || compiler_.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos)
    fail(section, fmt::format("'eulerseq' needs 3 letters out of xyzXYZ, found \"{}\"", compiler_.eulerseq));
  if (section.find("assetdir")) {
    if (!section.find("meshdir")) compiler_.meshdir = compiler_.assetdir;
    if (!section.find("texturedir")) compiler_.texturedir = compiler_.assetdir;
  }
  for (const Node& child : section.children) {
    readAttributes(child, elementType({"compiler", "lengthrange"}), compiler_.lengthrange);
    compiler_.lengthrange.origin = child.origin();
  }
  spec_.compiler = compiler_;
}

void Reader::readOption(const Node& section) {
  for (const auto& [name, text] : section.attributes) spec_.stated.emplace(name);
  option_.actuatorgroupdisable.clear();
  readAttributes(section, elementType({"option"}), option_);
  for (const int group : option_.actuatorgroupdisable) {
    if (group < 0 || group > 30)
      fail(section, fmt::format("'actuatorgroupdisable' needs groups between 0 and 30, found {}", group));
    option_.disableactuator |= 1 << group;
  }
  for (const Node& child : section.children) {
    readAttributes(child, elementType({"option", "flag"}), option_);
  }
  if (!(option_.timestep > 0)) fail(section, fmt::format("'timestep' must be positive, found {}", option_.timestep));
  spec_.option = option_;
  spec_.optionOrigin = section.origin();
}

void Reader::readSize(const Node& section) {
  spec::Size& size = spec_.size;
  readAttributes(section, elementType({"size"}), size);
  size.origin = section.origin();
  if (section.find("memory") && !isMemorySize(size.memory))
    fail(section, fmt::format("'memory' needs a number of bytes with an optional suffix out of KMGTPE, found \"{}\"",
                              size.memory));
  for (const Attribute& attribute : elementType({"size"}).attributes) {
    if (attribute.format.kind != ValueFormat::Kind::Int) continue;
    const std::string_view* text = section.find(attribute.name);
    if (!text) continue;
    const int value = parseInts(*text, attribute.format)[0];
    if (value < -1) fail(section, fmt::format("'{}' must be at least -1, found \"{}\"", attribute.name, *text));
  }
}

void Reader::readStatistic(const Node& section) {
  readAttributes(section, elementType({"statistic"}), spec_.statistic);
  if (spec_.statistic.extent && *spec_.statistic.extent <= 0)
    fail(section, fmt::format("'extent' must be positive, found {}", *spec_.statistic.extent));
}

void Reader::readVisual(const Node& section) {
  for (const Node& node : section.children) {
    auto same =
        std::find_if(spec_.visual.begin(), spec_.visual.end(), [&](const auto& v) { return v.tag == node.tag; });
    if (same == spec_.visual.end())
      spec_.visual.push_back(readVisualElement(node, {}));
    else
      *same = readVisualElement(node, *same);
  }
}

spec::VisualElement readVisualElement(const Node& node, const spec::VisualElement& base) {
  spec::VisualElement element = base;
  element.tag = std::string(node.tag);
  element.origin = node.origin();
  for (const auto& [name, text] : node.attributes) {
    if (name == "class") continue;
    if (name == "name") {
      element.name = std::string(text);
      continue;
    }
    auto same = std::find_if(element.attributes.begin(), element.attributes.end(),
                             [&, n = name](const auto& a) { return a.first == n; });
    if (same == element.attributes.end())
      element.attributes.emplace_back(std::string(name), std::string(text));
    else
      same->second = std::string(text);
  }
  if (!node.children.empty()) element.children.clear();
  for (const Node& child : node.children) element.children.push_back(readVisualElement(child, {}));
  return element;
}

void requireQuat(const Node& node, std::string_view attribute, const spec::Vec4& quat) {
  if (std::all_of(quat.begin(), quat.end(), [](double x) { return x == 0; }))
    fail(node, fmt::format("'{}' must not be zero", attribute));
}

// ---------------------------------------------------------------------------------------------- default classes

void Reader::readDefaultSection(const Node& section) {
  const std::string_view* name = section.find("class");
  if (name && !name->empty() && *name != "main")
    fail(section, fmt::format("the top-level class is always named \"main\", found \"{}\"", *name));
  readDefaultClass(section, spec_.defaults);
}

void Reader::readDefaultClass(const Node& section, spec::DefaultClass& record) {
  // what the class itself says comes before its nested classes, whatever the order in the text
  for (const Node& node : section.children)
    if (node.tag != "default") readDefaultElement(node, record);
  for (const Node& node : section.children) {
    if (node.tag != "default") continue;
    const std::string_view* name = node.find("class");
    if (!name || name->empty()) fail(node, "a nested default needs a class name");
    if (*name == "main" || classes_.contains(*name))
      fail(node, fmt::format("default class \"{}\" exists already", *name));
    classes_.emplace(*name, spec::DefaultClass{});
    spec::DefaultClass nested = record;
    nested.name = std::string(*name);
    nested.children.clear();
    readDefaultClass(node, nested);
    record.children.push_back(std::move(nested));
  }
}

void Reader::readDefaultElement(const Node& node, spec::DefaultClass& record) {
  const ElementType& type = elementType({"default", node.tag});
  const auto read = [&](auto& target) { readAttributes(node, type, target); };
  if (node.tag == "mesh") {
    read(record.mesh);
  } else if (node.tag == "joint") {
    read(record.joint);
  } else if (node.tag == "geom") {
    read(record.geom);
    applyOrientation(node, record.geom.orientation);
  } else if (node.tag == "site") {
    read(record.site);
    applyOrientation(node, record.site.orientation);
  } else if (node.tag == "camera") {
    read(record.camera);
    applyOrientation(node, record.camera.orientation);
  } else if (node.tag == "pair") {
    read(record.pair);
  } else if (node.tag == "equality") {
    read(record.equality);
  } else if (node.tag == "tendon") {
    read(record.tendon);
    applySpringLength(node, record.tendon);
  } else if (node.tag == "material") {
    record.material = readVisualElement(node, record.material);
  } else if (node.tag == "light") {
    record.light = readVisualElement(node, record.light);
  } else {
    ActuatorRecord actuator;
    static_cast<spec::Actuator&>(actuator) = record.actuator;
    read(actuator);
    record.actuator = lowerActuatorAt(node, actuator);
  }
}

void Reader::indexClasses(const spec::DefaultClass& record) {
  spec::DefaultClass flat = record;
  flat.children.clear();
  classes_[record.name] = std::move(flat);
  for (const spec::DefaultClass& child : record.children) indexClasses(child);
}

const spec::DefaultClass& Reader::classNamed(const Node& node, std::string_view attribute) const {
  const std::string_view name = *node.find(attribute);
  const auto found = classes_.find(name);
  if (found != classes_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [known_name, record] : classes_) known.push_back(known_name);
  const std::string near = nearest(name, known);
  fail(node, fmt::format("'{}' names the unknown default class \"{}\"{}", attribute, name,
                         near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

const spec::DefaultClass& Reader::classOf(const Node& node, const spec::DefaultClass& inherited) const {
  return node.find("class") ? classNamed(node, "class") : inherited;
}

// ---------------------------------------------------------------------------------------------- outside the tree

void Reader::readCustom(const Node& section) {
  for (const Node& node : section.children) {
    const ElementType& type = typeOf("custom", node);
    if (node.tag == "numeric") {
      auto numeric = readElement<NumericRecord>(node, type, spec::Numeric{});
      const int given = static_cast<int>(numeric.data.size());
      numeric.size = numeric.length.value_or(given);
      if (numeric.size < 1 || numeric.size > 500)
        fail(node, fmt::format("'size' must be between 1 and 500, found {}", numeric.size));
      if (given > numeric.size) fail(node, fmt::format("'data' has {} numbers, 'size' allows {}", given, numeric.size));
      spec_.numerics.push_back(numeric);
    } else if (node.tag == "text") {
      auto text = readElement<spec::Text>(node, type, spec::Text{});
      if (text.data.empty()) fail(node, "'data' must not be empty");
      spec_.texts.push_back(std::move(text));
    } else {
      auto tuple = readElement<spec::Tuple>(node, type, spec::Tuple{});
      for (const Node& child : node.children) {
        spec::TupleEntry& entry = tuple.entries.emplace_back();
        readAttributes(child, elementType({"custom", "tuple", "element"}), entry);
      }
      spec_.tuples.push_back(std::move(tuple));
    }
  }
}

std::string Reader::assetDirectory(const Node& node, std::string& file) const {
  file = slashed(file);
  if (spec_.compiler.strippath) file = fs::path(file).filename().string();
  const fs::path directory = document_.directory / slashed(spec_.compiler.meshdir);
  std::error_code error;
  if (!file.empty() && node.file->includedBy && !fs::exists(directory / file, error) &&
      fs::exists(node.file->directory / file, error))
    return node.file->directory.string();
  return directory.string();
}

void Reader::readAsset(const Node& section) {
  for (const Node& node : section.children) {
    const ElementType& type = typeOf("asset", node);
    if (node.tag == "mesh") {
      auto mesh = readElement<spec::Mesh>(node, type, classOf(node, mainClass()).mesh);
      requireQuat(node, "refquat", mesh.refquat);
      if (mesh.maxhullvert != -1 && mesh.maxhullvert < 4)
        fail(node, fmt::format("'maxhullvert' must be -1 or at least 4, found {}", mesh.maxhullvert));
      if (mesh.builtin != spec::MeshBuiltin::None && mesh.params.empty()) fail(node, "'builtin' needs 'params'");
      mesh.directory = assetDirectory(node, mesh.file);
      if (mesh.name.empty()) mesh.name = fs::path(mesh.file).stem().string();
      spec_.meshes.push_back(std::move(mesh));
    } else if (node.tag == "hfield") {
      auto hfield = readElement<spec::HField>(node, type, spec::HField{});
      const auto expected = static_cast<long long>(hfield.nrow) * hfield.ncol;
      if (!hfield.elevation.empty() && static_cast<long long>(hfield.elevation.size()) != expected)
        fail(node,
             fmt::format("'elevation' needs nrow * ncol = {} numbers, found {}", expected, hfield.elevation.size()));
      hfield.directory = assetDirectory(node, hfield.file);
      if (hfield.name.empty()) hfield.name = fs::path(hfield.file).stem().string();
      spec_.hfields.push_back(std::move(hfield));
    } else if (node.tag == "texture") {
      spec::VisualElement texture = readVisualElement(node, {});
      // named after its file, as meshes are: materials may refer to it by that name
      if (const std::string_view* file = node.find("file"); file && texture.name.empty())
        texture.name = fs::path(slashed(std::string(*file))).stem().string();
      spec_.textures.push_back(std::move(texture));
    } else if (node.tag == "material") {
      spec_.materials.push_back(readVisualElement(node, classOf(node, mainClass()).material));
    } else if (node.tag == "skin") {
      spec_.skins.push_back(readVisualElement(node, {}));
    } else {
      readModelAsset(node);
    }
  }
}

void Reader::readContact(const Node& section) {
  for (const Node& node : section.children) {
    const ElementType& type = typeOf("contact", node);
    if (node.tag == "pair") {
      auto pair = readElement<spec::Pair>(node, type, classOf(node, mainClass()).pair);
      if (pair.geom1.empty() || pair.geom2.empty()) fail(node, "'geom1' and 'geom2' must be given");
      spec_.pairs.push_back(std::move(pair));
    } else {
      spec_.excludes.push_back(readElement<spec::Exclude>(node, type, spec::Exclude{}));
    }
  }
}

void Reader::readEquality(const Node& section) {
  for (const Node& node : section.children) {
    const auto record =
        readElement<EqualityRecord>(node, typeOf("equality", node), classOf(node, mainClass()).equality);
    spec_.equalities.push_back(lowerEquality(node.tag, record));
  }
}

void Reader::readTendon(const Node& section) {
  for (const Node& node : section.children) {
    auto tendon = readElement<spec::Tendon>(node, typeOf("tendon", node), classOf(node, mainClass()).tendon);
    applySpringLength(node, tendon);
    tendon.spatial = node.tag == "spatial";
    for (const Node& child : node.children) {
      spec::Wrap& wrap = tendon.path.emplace_back();
      wrap.origin = child.origin();
      readAttributes(child, elementType({"tendon", node.tag, child.tag}), wrap);
      wrap.type = child.tag == "site"     ? WrapType::Site
                  : child.tag == "geom"   ? WrapType::Sphere
                  : child.tag == "pulley" ? WrapType::Pulley
                                          : WrapType::Joint;
    }
    spec_.tendons.push_back(std::move(tendon));
  }
}

void applySpringLength(const Node& node, spec::Tendon& tendon) {
  // one number stands for both ends of the dead band
  const std::string_view* text = node.find("springlength");
  if (text && parseReals(*text, {ValueFormat::Kind::Real, 1, 2}).size() == 1)
    tendon.springlength[1] = tendon.springlength[0];
}

spec::Actuator lowerActuatorAt(const Node& node, const ActuatorRecord& record) {
  try {
    const bool crank = record.trntype == TransmissionType::SliderCrank || !record.cranksite.empty();
    const bool named = !(record.joint + record.jointinparent + record.tendon + record.site + record.body).empty();
    if (node.find("cranklength") && named && !crank) fail(node, "'cranklength' can only be used with 'cranksite'");
    return lowerActuator(node.tag, record);
  } catch (const ValueError& e) {
    fail(node, e.message);
  }
}

void Reader::readActuator(const Node& section) {
  for (const Node& node : section.children) {
    const auto record =
        readElement<ActuatorRecord>(node, typeOf("actuator", node), classOf(node, mainClass()).actuator);
    spec::Actuator actuator = lowerActuatorAt(node, record);
    if (actuator.trntype == TransmissionType::Undefined)
      fail(node, "the actuator has no target: give it a joint, tendon, site, body or slider-crank");
    spec_.actuators.push_back(std::move(actuator));
  }
}

void Reader::readSensor(const Node& section) {
  for (const Node& node : section.children) {
    const auto record = readElement<SensorRecord>(node, typeOf("sensor", node), spec::Sensor{});
    try {
      spec_.sensors.push_back(lowerSensor(node.tag, record));
    } catch (const ValueError& e) {
      fail(node, e.message);
    }
  }
}

void Reader::readKeyframe(const Node& section) {
  for (const Node& node : section.children)
    spec_.keys.push_back(readElement<spec::Key>(node, typeOf("keyframe", node), spec::Key{}));
}

}  // namespace sinew::mjcf

namespace sinew {
namespace {

Spec readChecked(mjcf::Document& document, Warnings& warnings, Warnings* out, const LoadOptions& options,
                 std::vector<std::filesystem::path> openFiles) {
  if (!mjcf::isRobot(document)) mjcf::checkGrammar(document.root, warnings);
  mjcf::ModelLibrary library(warnings);
  library.open(document, openFiles);
  spec::MemoryBudget budget(options.maxMemory);
  Spec spec = mjcf::readModel(document, warnings, library, budget, std::move(openFiles), options);
  if (out) out->insert(out->end(), warnings.begin(), warnings.end());
  return spec;
}

}  // namespace

Spec readMjcf(const std::filesystem::path& file, Warnings* warnings, const LoadOptions& options) {
  Warnings found;
  const auto document = mjcf::readDocument(file, found);
  std::error_code error;
  return readChecked(*document, found, warnings, options, {std::filesystem::weakly_canonical(file, error)});
}

Spec readMjcfText(std::string_view text, const std::string& name, const std::filesystem::path& directory,
                  Warnings* warnings, const LoadOptions& options) {
  Warnings found;
  const auto document = mjcf::readDocumentText(text, name, directory, found);
  return readChecked(*document, found, warnings, options, {});
}

}  // namespace sinew
