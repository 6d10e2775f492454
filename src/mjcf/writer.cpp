#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "mjcf/attribute_table.h"
#include "mjcf/records.h"
#include "mjcf/xml_text.h"
#include "sinew/load.h"
#include "spec/names.h"
#include "spec/place.h"

namespace sinew::mjcf {
namespace {
namespace fs = std::filesystem;

/// Writes a Spec with everything resolved: no classes, no macros, asset paths relative to one directory. Attributes
/// come from the attribute table; those at their default are left out.
class Writer {
 public:
  Writer(const Spec& spec, const fs::path& directory) : spec_(spec), directory_(directory) {}

  std::string write() {
    const MujocoRecord header{spec_.modelname};
    open(grammar(), header, "mujoco");
    writeSettings();
    writeClasses();
    writeCustom();
    writeExtension();
    writeAssets();
    writeFlexes();
    xml_.open("worldbody");
    writeContent(spec_.world);
    xml_.close();
    writeContact();
    writeTendons();
    writeEqualities();
    writeActuators();
    writeSensors();
    writeKeys();
    xml_.close();
    return xml_.text();
  }

 private:
  using Names = std::set<std::string_view>;

  /// Attributes of the record that differ from the default or are required, but for those in `skip`.
  template <class R>
  void attributes(const ElementType& type, const R& record, Names skip = {}, const Names& always = {}) {
    if (*type.record != typeid(R)) throw LoadError("internal error: record of another type");
    const R fresh{};
    differing(type, &record, &fresh, std::move(skip), always);
  }

  void differing(const ElementType& type, const void* record, const void* fresh, Names skip, const Names& always) {
    // alternatives win over quat, and MJCF allows one orientation only
    for (const std::string_view winner : {"axisangle", "xyaxes", "zaxis", "euler", "fullinertia"}) {
      const Attribute* attribute = type.find(winner);
      if (attribute && attribute->print(record)) skip.insert("quat");
    }
    for (const Attribute& a : type.attributes) {
      if (!a.isBound() || a.has(kReading) || skip.contains(a.name)) continue;
      const std::optional<std::string> text = a.print(record);
      const bool needed = a.has(kRequired) || always.contains(a.name);
      if (!text || (!needed && text == a.print(fresh))) continue;
      xml_.attribute(a.name, *text);
    }
  }

  template <class R>
  void open(const ElementType& type, const R& record, std::string_view tag, const Names& skip = {},
            const Names& always = {}) {
    xml_.open(tag);
    attributes(type, record, skip, always);
  }

  template <class R>
  void element(std::initializer_list<std::string_view> path, const R& record, const Names& skip = {},
               const Names& always = {}) {
    open(elementType(path), record, *(path.end() - 1), skip, always);
    xml_.close();
  }

  void visual(const spec::VisualElement& element) {
    xml_.open(element.tag);
    if (!element.name.empty()) xml_.attribute("name", element.name);
    for (const auto& [name, value] : element.attributes) xml_.attribute(name, value);
    for (const spec::VisualElement& child : element.children) visual(child);
    xml_.close();
  }

  /// A section, written only if it has content.
  template <class Content>
  void section(std::string_view tag, bool present, Content content) {
    if (!present) return;
    xml_.open(tag);
    content();
    xml_.close();
  }

  // -------------------------------------------------------------------------------------------- settings, assets

  void writeSettings() {
    CompilerRecord compiler;
    static_cast<spec::Compiler&>(compiler) = spec_.compiler;
    open(elementType({"compiler"}), compiler, "compiler");
    element({"compiler", "lengthrange"}, spec_.compiler.lengthrange);
    xml_.close();

    OptionRecord option;
    static_cast<Option&>(option) = spec_.option;
    for (int group = 0; group < 31; ++group)
      if (option.disableactuator & (1 << group)) option.actuatorgroupdisable.push_back(group);
    open(elementType({"option"}), option, "option");
    element({"option", "flag"}, option);
    xml_.close();

    element({"size"}, spec_.size);
    element({"statistic"}, spec_.statistic);
    section("visual", !spec_.visual.empty(), [&] {
      for (const spec::VisualElement& v : spec_.visual) visual(v);
    });
  }

  void writeExtension() {
    section("extension", !spec_.cables.empty(), [&] {
      open(elementType({"extension", "plugin"}), PluginRecord{std::string(kCablePlugin), ""}, "plugin");
      for (const spec::Cable& cable : spec_.cables) {
        open(elementType({"extension", "plugin", "instance"}), PluginInstanceRecord{cable.name}, "instance");
        for (const ConfigRecord& config : configOf(cable)) {
          element({"extension", "plugin", "instance", "config"}, config);
        }
        xml_.close();
      }
      xml_.close();
    });
  }

  void writeCustom() {
    section("custom", !(spec_.numerics.empty() && spec_.texts.empty() && spec_.tuples.empty()), [&] {
      for (const spec::Numeric& numeric : spec_.numerics) {
        NumericRecord record;
        static_cast<spec::Numeric&>(record) = numeric;
        record.length = numeric.size;
        element({"custom", "numeric"}, record);
      }
      for (const spec::Text& text : spec_.texts) element({"custom", "text"}, text);
      for (const spec::Tuple& tuple : spec_.tuples) {
        open(elementType({"custom", "tuple"}), tuple, "tuple");
        for (const spec::TupleEntry& entry : tuple.entries) element({"custom", "tuple", "element"}, entry);
        xml_.close();
      }
    });
  }

  /// The path of an asset as seen from the directory of the written file.
  std::string relocated(const std::string& from, const std::string& file) const {
    if (file.empty()) return file;
    const fs::path full = fs::path(from) / file;
    if (directory_.empty()) return full.generic_string();
    std::error_code error;
    const fs::path relative = fs::proximate(full, directory_, error);
    return (error ? full : relative).generic_string();
  }

  void writeAssets() {
    const bool present = !(spec_.meshes.empty() && spec_.hfields.empty() && spec_.textures.empty() &&
                           spec_.materials.empty() && spec_.skins.empty());
    const std::string textures = (fs::path(spec_.directory) / spec_.compiler.texturedir).string();
    const std::string skins = (fs::path(spec_.directory) / spec_.compiler.meshdir).string();
    section("asset", present, [&] {
      for (spec::VisualElement texture : spec_.textures) {
        for (auto& [name, value] : texture.attributes)
          if (name.starts_with("file")) value = relocated(textures, value);
        visual(texture);
      }
      for (const spec::VisualElement& material : spec_.materials) visual(material);
      for (spec::Mesh mesh : spec_.meshes) {
        mesh.file = relocated(mesh.directory, mesh.file);
        element({"asset", "mesh"}, mesh);
      }
      for (spec::HField hfield : spec_.hfields) {
        hfield.file = relocated(hfield.directory, hfield.file);
        element({"asset", "hfield"}, hfield);
      }
      for (spec::VisualElement skin : spec_.skins) {
        for (auto& [name, value] : skin.attributes)
          if (name == "file") value = relocated(skins, value);
        visual(skin);
      }
    });
  }

  // -------------------------------------------------------------------------------------------- the tree

  /// Opens the frames around an element, outermost first; returns how many. A frame may be opened several times, it
  /// then has its name the first time only.
  int openFrames(const spec::Body& body, int frame) {
    std::vector<int> chain;
    for (int f = frame; f >= 0; f = body.frames[f].parent) chain.push_back(f);
    for (auto f = chain.rbegin(); f != chain.rend(); ++f) {
      FrameRecord record;
      static_cast<spec::Frame&>(record) = body.frames[*f];
      if (!record.name.empty() && !writtenFrames_.insert(record.name).second) record.name.clear();
      open(elementType({"worldbody", "frame"}), record, "frame");
    }
    return static_cast<int>(chain.size());
  }

  /// Writes elements in order, runs of them that share a frame inside one.
  template <class Elements, class Write>
  void placed(const spec::Body& body, const Elements& elements, Write write) {
    for (auto next = elements.begin(); next != elements.end();) {
      const int frame = next->frame;
      const int opened = openFrames(body, frame);
      for (; next != elements.end() && next->frame == frame; ++next) write(*next);
      for (int i = 0; i < opened; ++i) xml_.close();
    }
  }

  void writeJoint(const spec::Joint& joint) {
    // <freejoint> says what a free joint without further properties needs
    spec::Joint plain;
    plain.type = JointType::Free;
    plain.name = joint.name, plain.group = joint.group, plain.align = joint.align;
    const ElementType& full = elementType({"worldbody", "body", "joint"});
    const bool simple = std::all_of(full.attributes.begin(), full.attributes.end(), [&](const Attribute& a) {
      return !a.isBound() || a.print(&joint) == a.print(&plain);
    });
    element({"worldbody", "body", simple ? "freejoint" : "joint"}, joint);
  }

  void writeContent(const spec::Body& body) {
    if (body.inertiaSettings && *body.inertiaSettings != spec_.compiler.inertia()) {
      throw LoadError(
          spec::located(body, "body",
                        "cannot be written into one file: it was attached from a model whose <compiler> makes "
                        "inertia in another way"));
    }
    if (body.inertial) {
      const int opened = openFrames(body, body.inertial->frame);
      element({"worldbody", "body", "inertial"}, *body.inertial);
      for (int i = 0; i < opened; ++i) xml_.close();
    }
    if (!body.cable.empty()) {
      element({"worldbody", "body", "plugin"}, PluginRecord{std::string(kCablePlugin), body.cable});
    }
    placed(body, body.joints, [&](const spec::Joint& joint) { writeJoint(joint); });
    placed(body, body.geoms, [&](const spec::Geom& geom) { element({"worldbody", "body", "geom"}, geom); });
    placed(body, body.sites, [&](const spec::Site& site) { element({"worldbody", "body", "site"}, site); });
    placed(body, body.cameras, [&](const spec::Camera& camera) {
      // a sensor size and a field of view exclude each other
      const bool sensor = camera.sensorsize[0] != 0 || camera.sensorsize[1] != 0;
      element({"worldbody", "body", "camera"}, camera, sensor ? Names{"fovy"} : Names{});
    });
    placed(body, body.lights, [&](const spec::Light& light) { visual(light); });
    // flexcomps stand between the bodies they were written between
    auto flexcomp = body.flexcomps.begin();
    const auto writeFlexcomps = [&](std::size_t place) {
      for (; flexcomp != body.flexcomps.end() && static_cast<std::size_t>(flexcomp->place) <= place; ++flexcomp)
        writeFlexcomp(body, *flexcomp);
    };
    for (std::size_t i = 0; i < body.bodies.size();) {
      writeFlexcomps(i);
      const int frame = body.bodies[i].frame, opened = openFrames(body, frame);
      do {
        open(elementType({"worldbody", "body"}), body.bodies[i], "body");
        writeContent(body.bodies[i]);
        xml_.close();
        ++i;
      } while (i < body.bodies.size() && body.bodies[i].frame == frame &&
               (flexcomp == body.flexcomps.end() || static_cast<std::size_t>(flexcomp->place) > i));
      for (int k = 0; k < opened; ++k) xml_.close();
    }
    writeFlexcomps(body.bodies.size());
    for (std::size_t f = 0; f < body.frames.size(); ++f) {
      if (body.frames[f].name.empty() || writtenFrames_.contains(body.frames[f].name)) continue;
      const int opened = openFrames(body, static_cast<int>(f));
      for (int i = 0; i < opened; ++i) xml_.close();
    }
  }

  // -------------------------------------------------------------------------------------------- flexes

  /// A child element, written if it says anything.
  template <class R>
  void part(const ElementType& parent, std::string_view tag, const R& record) {
    const ElementType& type = *parent.child(tag);
    const R fresh{};
    const bool says = std::any_of(type.attributes.begin(), type.attributes.end(), [&](const Attribute& a) {
      return a.isBound() && a.print(&record) != a.print(&fresh);
    });
    if (!says) return;
    open(type, record, tag);
    xml_.close();
  }

  void writeFlexParts(const ElementType& type, const spec::FlexBase& flex) {
    part(type, "edge", flex.edge);
    part(type, "elasticity", flex.elasticity);
    part(type, "contact", flex.contact);
    for (const spec::FlexPin& pin : flex.pins) part(type, "pin", pin);
  }

  void writeFlexes() {
    section("deformable", !spec_.flexes.empty(), [&] {
      const ElementType& type = elementType({"deformable", "flex"});
      for (const spec::Flex& flex : spec_.flexes) {
        open(type, raiseFlex(flex), "flex");
        writeFlexParts(type, flex);
        xml_.close();
      }
    });
  }

  /// Damping and the like of a flexcomp's points come from a default class, which a frame can name.
  void writeFlexcomp(const spec::Body& body, const spec::Flexcomp& flexcomp) {
    const int opened = openFrames(body, flexcomp.frame);
    const auto found = flexcompClasses_.find(&flexcomp);
    if (found != flexcompClasses_.end()) {
      xml_.open("frame");
      xml_.attribute("childclass", found->second);
    }
    const ElementType& type = elementType({"worldbody", "body", "flexcomp"});
    spec::Flexcomp relocatedFile = flexcomp;
    relocatedFile.file = relocated(flexcomp.directory, flexcomp.file);
    open(type, relocatedFile, "flexcomp");
    writeFlexParts(type, flexcomp);
    xml_.close();
    if (found != flexcompClasses_.end()) xml_.close();
    for (int i = 0; i < opened; ++i) xml_.close();
  }

  /// True if the joint differs from one without a class.
  static bool needsClass(const spec::Joint& joint) {
    const spec::Joint plain;
    const ElementType& type = elementType({"default", "joint"});
    return std::any_of(type.attributes.begin(), type.attributes.end(),
                       [&](const Attribute& a) { return a.isBound() && a.print(&joint) != a.print(&plain); });
  }

  void writeFlexcompClasses() {
    spec::forEachBody(spec_.world, [&](const spec::Body& body) {
      for (const spec::Flexcomp& flexcomp : body.flexcomps) {
        if (!needsClass(flexcomp.joint)) continue;
        const std::string name = fmt::format("points of flexcomp {}", flexcompClasses_.size());
        flexcompClasses_.emplace(&flexcomp, name);
        xml_.open("default");
        xml_.attribute("class", name);
        element({"default", "joint"}, flexcomp.joint);
        xml_.close();
      }
    });
  }

  // -------------------------------------------------------------------------------------------- outside the tree

  void writeContact() {
    section("contact", !(spec_.pairs.empty() && spec_.excludes.empty()), [&] {
      for (const spec::Pair& pair : spec_.pairs) element({"contact", "pair"}, pair);
      for (const spec::Exclude& exclude : spec_.excludes) element({"contact", "exclude"}, exclude);
    });
  }

  /// How a fixed tendon looks can only be said in a default class: one class per such tendon, named after its place.
  static std::string tendonClass(std::size_t place) { return fmt::format("fixed tendon {}", place); }
  static bool needsClass(const spec::Tendon& tendon) {
    const spec::Tendon plain;
    return !tendon.spatial &&
           (tendon.width != plain.width || tendon.rgba != plain.rgba || tendon.material != plain.material);
  }
  void writeClasses() {
    bool any = std::any_of(spec_.tendons.begin(), spec_.tendons.end(),
                           [](const spec::Tendon& tendon) { return needsClass(tendon); });
    spec::forEachBody(spec_.world, [&](const spec::Body& body) {
      for (const spec::Flexcomp& flexcomp : body.flexcomps) any = any || needsClass(flexcomp.joint);
    });
    section("default", any, [&] {
      writeFlexcompClasses();
      for (std::size_t i = 0; i < spec_.tendons.size(); ++i) {
        const spec::Tendon& tendon = spec_.tendons[i];
        if (!needsClass(tendon)) continue;
        spec::Tendon look;
        look.width = tendon.width, look.rgba = tendon.rgba, look.material = tendon.material;
        xml_.open("default");
        xml_.attribute("class", tendonClass(i));
        element({"default", "tendon"}, look);
        xml_.close();
      }
    });
  }

  void writeTendons() {
    section("tendon", !spec_.tendons.empty(), [&] {
      for (std::size_t i = 0; i < spec_.tendons.size(); ++i) {
        const spec::Tendon& tendon = spec_.tendons[i];
        const std::string_view tag = tendon.spatial ? "spatial" : "fixed";
        open(elementType({"tendon", tag}), tendon, tag);
        if (needsClass(tendon)) xml_.attribute("class", tendonClass(i));
        for (const spec::Wrap& wrap : tendon.path) {
          const std::string_view kind = wrap.type == WrapType::Site     ? "site"
                                        : wrap.type == WrapType::Joint  ? "joint"
                                        : wrap.type == WrapType::Pulley ? "pulley"
                                                                        : "geom";
          element({"tendon", tag, kind}, wrap);
        }
        xml_.close();
      }
    });
  }

  void writeEqualities() {
    section("equality", !spec_.equalities.empty(), [&] {
      for (const spec::Equality& equality : spec_.equalities) {
        // an anchor goes with bodies, not with sites
        const Names skip = equality.sites ? Names{"anchor", "relpose"} : Names{};
        const bool anchored = equality.type == EqualityType::Connect && !equality.sites;
        element({"equality", spec::equalityTag(equality.type)}, raiseEquality(equality), skip,
                anchored ? Names{"anchor"} : Names{});
      }
    });
  }

  void writeActuators() {
    section("actuator", !spec_.actuators.empty(), [&] {
      for (const spec::Actuator& actuator : spec_.actuators) {
        ActuatorRecord record = raiseActuator(actuator);
        const std::string_view tag = raiseServo(record);
        element({"actuator", tag}, record);
      }
    });
  }

  void writeSensors() {
    section("sensor", !spec_.sensors.empty(), [&] {
      for (const spec::Sensor& sensor : spec_.sensors)
        element({"sensor", spec::sensorTag(sensor.type)}, raiseSensor(sensor));
    });
  }

  void writeKeys() {
    section("keyframe", !spec_.keys.empty(), [&] {
      for (const spec::Key& key : spec_.keys) element({"keyframe", "key"}, key);
    });
  }

  const Spec& spec_;
  fs::path directory_;
  XmlText xml_;
  std::set<std::string> writtenFrames_;
  std::map<const spec::Flexcomp*, std::string> flexcompClasses_;  ///< looked up, never walked through
};

}  // namespace
}  // namespace sinew::mjcf

namespace sinew {

std::string writeMjcf(const Spec& spec, const std::filesystem::path& directory) {
  return mjcf::Writer(spec, directory).write();
}

}  // namespace sinew
