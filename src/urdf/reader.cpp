#include "urdf/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "math/quat.h"
#include "mjcf/grammar_check.h"
#include "mjcf/reader.h"
#include "spec/names.h"
#include "spec/orientation.h"
#include "urdf/grammar.h"
#include "urdf/mesh_path.h"
#include "urdf/notices.h"

namespace sinew::urdf {
namespace {

using mjcf::Node;

const Node* childOf(const Node& node, std::string_view tag) {
  const auto found =
      std::find_if(node.children.begin(), node.children.end(), [&](const Node& child) { return child.tag == tag; });
  return found == node.children.end() ? nullptr : &*found;
}

const Node& requiredChild(const Node& node, std::string_view tag) {
  const Node* child = childOf(node, tag);
  if (!child) fail(node, fmt::format("missing required element <{}>", tag));
  return *child;
}

/// The attributes of an element whose table entry is `type`.
template <class R>
R recordOf(const Node& node, const mjcf::ElementType& type) {
  R record;
  mjcf::readAttributes(node, type, record);
  return record;
}

/// The attributes of a child of `node`, the defaults if there is none.
template <class R>
R childRecord(const Node& node, const mjcf::ElementType& type, std::string_view tag) {
  const Node* child = childOf(node, tag);
  return child ? recordOf<R>(*child, *type.child(tag)) : R{};
}

template <class R>
R requiredRecord(const Node& node, const mjcf::ElementType& type, std::string_view tag) {
  return recordOf<R>(requiredChild(node, tag), *type.child(tag));
}

struct PlacedAt {
  spec::Vec3 pos{0, 0, 0};
  Quat quat;
};

/// The pose of the child <origin>: roll, pitch and yaw are turns about the fixed axes x, y and z, in this order.
PlacedAt poseOf(const Node& node, const mjcf::ElementType& type) {
  const auto record = childRecord<PoseRecord>(node, type, "origin");
  PlacedAt pose;
  pose.pos = record.xyz;
  if (record.rpy) {
    spec::Orientation turn;
    turn.euler = *record.rpy;
    pose.quat = spec::resolved(turn, false, "XYZ");
  } else if (record.quat_xyzw) {
    const auto& [x, y, z, w] = *record.quat_xyzw;
    mjcf::requireQuat(*childOf(node, "origin"), "quat_xyzw", *record.quat_xyzw);
    pose.quat = unit({w, x, y, z});
  }
  return pose;
}

void setPose(const PlacedAt& pose, spec::Vec3& pos, spec::Orientation& orientation) {
  pos = pose.pos;
  pose.quat.store(orientation.quat.data());
}

bool hasOneCoordinate(JointKind kind) {
  return kind == JointKind::Revolute || kind == JointKind::Continuous || kind == JointKind::Prismatic;
}

class RobotReader {
 public:
  RobotReader(mjcf::Document& document, Warnings& warnings, const LoadOptions& options)
      : document_(document), robot_(document.root), warnings_(warnings), options_(options) {}

  Spec read() {
    readSettings();
    takeTransmissions();
    checkRobot(robot_, notices_, warnings_);
    const auto header = recordOf<RobotRecord>(robot_, grammar());
    if (!header.name.empty()) spec_.modelname = header.name;
    collectMaterials(robot_);
    for (const Node& node : robot_.children)
      if (node.tag == "link") addLink(node);
    for (const Node& node : robot_.children)
      if (node.tag == "joint") addJoint(node);
    hangLinks(rootLink());
    addMimics();
    for (const Node& node : transmissions_) addTransmission(node);
    notices_.report(warnings_);
    spec::requireUniqueNames(spec_);
    return std::move(spec_);
  }

 private:
  struct Link {
    const Node* node = nullptr;
    spec::Body body;
    int joint = -1;             ///< by which it hangs, -1: none
    std::vector<int> children;  ///< links, in the order of their joints
  };
  struct Joint {
    const Node* node = nullptr;
    std::string name;
    JointKind kind = JointKind::Fixed;
    int parent = -1, child = -1;  ///< links
  };

  // -------------------------------------------------------------------------------------------- settings

  /// <mujoco>: the compiler's settings, the options and sizes of MJCF, with the defaults that suit URDF.
  void readSettings() {
    mjcf::Document settings;
    settings.directory = document_.directory;
    const auto isSettings = [](const Node& node) { return node.tag == "mujoco"; };
    const auto found = std::find_if(robot_.children.begin(), robot_.children.end(), isSettings);
    if (found == robot_.children.end()) {
      settings.root.file = robot_.file;
      settings.root.line = robot_.line;
      settings.root.tag = "mujoco";
    } else {
      settings.root = std::move(*found);
      robot_.children.erase(found);
      const auto second = std::find_if(robot_.children.begin(), robot_.children.end(), isSettings);
      if (second != robot_.children.end()) fail(*second, "<mujoco> may appear once");
    }
    std::set<std::string_view> seen;
    for (const Node& node : settings.root.children) {
      if (node.tag != "compiler" && node.tag != "option" && node.tag != "size") {
        fail(node,
             "a URDF file can have <compiler>, <option> and <size> of MJCF; for the rest, write the model as MJCF");
      }
      if (!seen.insert(node.tag).second) fail(node, fmt::format("<{}> may appear once", node.tag));
    }
    mjcf::checkGrammar(settings.root, warnings_);
    mjcf::ModelLibrary library(warnings_);
    library.open(settings, {});
    spec::MemoryBudget budget(options_.maxMemory);
    spec_ = mjcf::Reader(settings, warnings_, library, budget, {}, options_).read();
    for (const mjcf::SourceFile& file : document_.files) {
      if (!file.path.empty()) spec_.files.push_back(file.path.string());
    }

    const Node* compiler = childOf(settings.root, "compiler");
    const auto says = [&](std::string_view attribute) { return compiler && compiler->find(attribute); };
    if (says("angle") && spec_.compiler.degree) notices_.add(*compiler, "'angle' is ignored: URDF has radians");
    if (says("eulerseq")) notices_.add(*compiler, "'eulerseq' is ignored: URDF has its own order of angles");
    spec_.compiler.degree = false;
    if (!says("fusestatic")) spec_.compiler.fusestatic = true;
    if (!says("discardvisual")) spec_.compiler.discardvisual = true;
  }

  /// Named colors, wherever they are defined; the first definition of a name counts.
  void collectMaterials(const Node& node) {
    const mjcf::ElementType& type = *grammar().child("material");
    for (const Node& child : node.children) {
      if (child.tag == "material") {
        const std::string name = recordOf<MaterialRecord>(child, type).name;
        if (!name.empty() && childOf(child, "color"))
          colors_.emplace(name, childRecord<ColorRecord>(child, type, "color").rgba);
      }
      collectMaterials(child);
    }
  }

  // -------------------------------------------------------------------------------------------- links

  /// Index of the object of that name, -1 if there is none.
  static int find(const std::map<std::string, int, std::less<>>& names, std::string_view name) {
    const auto found = names.find(name);
    return found == names.end() ? -1 : found->second;
  }

  static void addName(const Node& node, const std::string& name, std::map<std::string, int, std::less<>>& names,
                      std::size_t index, const Node* first) {
    if (name.empty()) fail(node, "'name' must not be empty");
    if (!names.emplace(name, static_cast<int>(index)).second)
      fail(node, fmt::format("the name \"{}\" is taken by the <{}> in line {}", name, first->tag, first->line));
  }

  void addLink(const Node& node) {
    const mjcf::ElementType& type = *grammar().child("link");
    const std::string name = recordOf<LinkRecord>(node, type).name;
    const int known = find(linkNames_, name);
    addName(node, name, linkNames_, links_.size(), known < 0 ? nullptr : link(known).node);
    Link& added = links_.emplace_back();
    added.node = &node;
    added.body.name = name;
    added.body.origin = node.origin();
    if (const Node* inertial = childOf(node, "inertial")) readInertial(*inertial, *type.child("inertial"), added.body);

    std::optional<spec::Rgba> color;  // of the last visual that has one
    for (const Node& child : node.children) {
      if (child.tag == "visual") {
        if (const auto own = colorOf(child, *type.child("visual"))) color = own;
        if (!spec_.compiler.discardvisual) readGeom(child, *type.child("visual"), color, added.body);
      } else if (child.tag == "collision") {
        readGeom(child, *type.child("collision"), color, added.body);
      }
    }
  }

  void readInertial(const Node& node, const mjcf::ElementType& type, spec::Body& body) {
    const PlacedAt pose = poseOf(node, type);
    const auto inertia = requiredRecord<InertiaRecord>(node, type, "inertia");
    spec::Inertial& inertial = body.inertial.emplace();
    inertial.origin = node.origin();
    inertial.mass = requiredRecord<MassRecord>(node, type, "mass").value;
    const spec::Vec6 full{inertia.ixx, inertia.iyy, inertia.izz, inertia.ixy, inertia.ixz, inertia.iyz};
    setPose(pose, inertial.pos, inertial.orientation);
    // nothing but zeros leaves the inertia open, for boundinertia or inertiafromgeom to fill in
    if (full == spec::Vec6{0, 0, 0, 0, 0, 0}) return;
    inertial.fullinertia = turned(full, pose.quat);
    inertial.orientation = {};
  }

  /// R I R', the inertia in the frame that `quat` turns from.
  static spec::Vec6 turned(const spec::Vec6& full, const Quat& quat) {
    if (quat.isIdentity()) return full;
    Mat3 tensor;
    tensor << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
    const Mat3 R = toMatrix(quat);
    const Mat3 t = R * tensor * R.transpose();
    return {t(0, 0), t(1, 1), t(2, 2), t(0, 1), t(0, 2), t(1, 2)};
  }

  std::optional<spec::Rgba> colorOf(const Node& visual, const mjcf::ElementType& type) {
    const Node* material = childOf(visual, "material");
    if (!material) return {};
    const mjcf::ElementType& materialType = *type.child("material");
    if (childOf(*material, "color")) return childRecord<ColorRecord>(*material, materialType, "color").rgba;
    const std::string name = recordOf<MaterialRecord>(*material, materialType).name;
    const auto found = colors_.find(name);
    if (found != colors_.end()) return found->second;
    return {};
  }

  void readGeom(const Node& node, const mjcf::ElementType& type, const std::optional<spec::Rgba>& color,
                spec::Body& body) {
    spec::Geom& geom = body.geoms.emplace_back();
    geom.origin = node.origin();
    geom.name = recordOf<ShapeRecord>(node, type).name;
    if (!geom.name.empty() && !geomNames_.insert(geom.name).second) {
      notices_.add(node, "the name is taken by another visual or collision; this one stays without a name");
      geom.name.clear();
    }
    setPose(poseOf(node, type), geom.pos, geom.orientation);
    if (color) geom.rgba = *color;
    if (node.tag == "visual") {
      geom.contype = geom.conaffinity = 0;
      geom.group = 1;
      geom.density = 0;
    }
    readShape(requiredChild(node, "geometry"), *type.child("geometry"), geom);
  }

  /// URDF has whole lengths, MJCF has half of them.
  void readShape(const Node& node, const mjcf::ElementType& type, spec::Geom& geom) {
    if (node.children.size() != 1) {
      fail(node,
           fmt::format("one of <box>, <cylinder>, <sphere>, <capsule> and <mesh> must be given, found {} elements",
                       node.children.size()));
    }
    const Node& shape = node.children[0];
    const mjcf::ElementType& shapeType = *type.child(shape.tag);
    if (shape.tag == "mesh") {
      geom.type = GeomType::Mesh;
      geom.mesh = meshNamed(shape, recordOf<MeshRecord>(shape, shapeType));
    } else if (shape.tag == "box") {
      geom.type = GeomType::Box;
      geom.size = recordOf<BoxRecord>(shape, shapeType).size;
      for (double& side : geom.size) side /= 2;
    } else {
      geom.type = shape.tag == "sphere"     ? GeomType::Sphere
                  : shape.tag == "cylinder" ? GeomType::Cylinder
                                            : GeomType::Capsule;
      const auto round = recordOf<RoundRecord>(shape, shapeType);
      geom.size = {round.radius, round.length / 2, 0};
    }
  }

  /// The name of the mesh asset for a file at a scale; one asset serves all geoms that show the same.
  std::string meshNamed(const Node& node, const MeshRecord& record) {
    const MeshPath path = meshPath(node, record.filename, document_.directory, spec_.compiler, options_);
    for (const spec::Mesh& mesh : spec_.meshes) {
      if (mesh.directory == path.directory && mesh.file == path.file && mesh.scale == record.scale) return mesh.name;
    }
    spec::Mesh mesh;
    mesh.origin = node.origin();
    mesh.file = path.file;
    mesh.directory = path.directory;
    mesh.scale = record.scale;
    const std::string stem = std::filesystem::path(path.file).stem().string();
    mesh.name = stem;
    const auto taken = [&] {
      return std::any_of(spec_.meshes.begin(), spec_.meshes.end(),
                         [&](const spec::Mesh& other) { return other.name == mesh.name; });
    };
    for (int i = 1; taken(); ++i) mesh.name = stem + std::to_string(i);
    spec_.meshes.push_back(mesh);
    return mesh.name;
  }

  // -------------------------------------------------------------------------------------------- joints

  int referredLink(const Node& joint, const mjcf::ElementType& type, std::string_view tag) {
    const std::string name = requiredRecord<LinkReference>(joint, type, tag).link;
    const int found = find(linkNames_, name);
    if (found >= 0) return found;
    std::vector<std::string_view> known;
    for (const auto& [link, index] : linkNames_) known.push_back(link);
    const std::string near = mjcf::nearest(name, known);
    fail(joint, fmt::format("<{}> names the unknown link \"{}\"{}", tag, name,
                            near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }

  void addJoint(const Node& node) {
    const mjcf::ElementType& type = *grammar().child("joint");
    const auto record = recordOf<JointRecord>(node, type);
    const int known = find(jointNames_, record.name);
    addName(node, record.name, jointNames_, joints_.size(), known < 0 ? nullptr : joint(known).node);
    Joint added{&node, record.name, record.type, -1, -1};
    added.parent = referredLink(node, type, "parent");
    added.child = referredLink(node, type, "child");
    Link& child = link(added.child);
    if (child.joint >= 0) {
      fail(node, fmt::format("link \"{}\" has a parent already, by the joint \"{}\" in line {}", child.body.name,
                             joint(child.joint).name, joint(child.joint).node->line));
    }
    child.joint = static_cast<int>(joints_.size());
    link(added.parent).children.push_back(added.child);
    setPose(poseOf(node, type), child.body.pos, child.body.orientation);
    addCoordinates(node, type, added, child.body);
    joints_.push_back(std::move(added));
  }

  void addCoordinates(const Node& node, const mjcf::ElementType& type, const Joint& source, spec::Body& body) {
    const spec::Vec3 axis = childRecord<AxisRecord>(node, type, "axis").xyz;
    const bool turnsOrSlides = hasOneCoordinate(source.kind) || source.kind == JointKind::Planar;
    if (turnsOrSlides && axis == spec::Vec3{0, 0, 0}) fail(*childOf(node, "axis"), "'xyz' must not be zero");

    const auto add = [&](const std::string& suffix, JointType jointType, const spec::Vec3& direction) {
      spec::Joint& joint = body.joints.emplace_back();
      joint.origin = node.origin();
      joint.name = source.name + suffix;
      joint.type = jointType;
      joint.axis = direction;
    };
    constexpr spec::Vec3 kUnused{0, 0, 1};
    switch (source.kind) {
      case JointKind::Fixed:
        break;
      case JointKind::Revolute:
      case JointKind::Continuous:
        add("", JointType::Hinge, axis);
        break;
      case JointKind::Prismatic:
        add("", JointType::Slide, axis);
        break;
      case JointKind::Floating:
        add("", JointType::Free, kUnused);
        break;
      case JointKind::Spherical:
        add("", JointType::Ball, kUnused);
        break;
      case JointKind::Planar: {
        const Mat3 R = toMatrix(fromZTo({axis[0], axis[1], axis[2]}));
        add("_TX", JointType::Slide, {R(0, 0), R(1, 0), R(2, 0)});
        add("_TY", JointType::Slide, {R(0, 1), R(1, 1), R(2, 1)});
        add("_RZ", JointType::Hinge, axis);
        break;
      }
    }
    if (body.joints.empty()) return;
    const auto dynamics = childRecord<DynamicsRecord>(node, type, "dynamics");
    for (spec::Joint& joint : body.joints) {
      joint.damping[0] = dynamics.damping;
      joint.frictionloss = dynamics.friction;
    }
    addLimits(node, type, source.kind, body.joints.front());
  }

  /// Limits apply to the first coordinate: a planar joint has them along its first direction.
  void addLimits(const Node& node, const mjcf::ElementType& type, JointKind kind, spec::Joint& joint) {
    const Node* limit = childOf(node, "limit");
    if (!limit) {
      if (kind == JointKind::Revolute || kind == JointKind::Prismatic)
        notices_.add(node, "the joint has no <limit> and can move without bounds");
      return;
    }
    const auto record = recordOf<LimitRecord>(*limit, *type.child("limit"));
    joint.range = {record.lower.value_or(0), record.upper.value_or(0)};
    if (record.lower.has_value() != record.upper.has_value()) {
      joint.limited = spec::Tri::False;
      notices_.add(*limit, "the joint can move without bounds: of 'lower' and 'upper', only one is given");
    } else if (joint.range[0] > joint.range[1]) {
      joint.limited = spec::Tri::False;
      notices_.add(*limit, "the joint can move without bounds: 'lower' is above 'upper'");
    } else if (joint.range[0] == joint.range[1] && kind != JointKind::Continuous) {
      if (hasOneCoordinate(kind)) notices_.add(*limit, "the joint can move without bounds: 'lower' equals 'upper'");
    } else if (kind == JointKind::Continuous && joint.range[0] != joint.range[1]) {
      notices_.add(*limit, "the continuous joint is limited to 'lower' and 'upper'");
    }
    const double effort = std::abs(record.effort);
    if (effort > 0) joint.actuatorfrcrange = {-effort, effort};
    if (record.velocity) notices_.add(*limit, "'velocity' is ignored: the speed of joints is not limited");
    if (record.acceleration || record.deceleration || record.jerk)
      notices_.add(*limit, "limits of acceleration and jerk are ignored: they are meant for planners of motions");
  }

  // -------------------------------------------------------------------------------------------- the tree

  /// The one link without a parent. Throws if there are more or none, and for links that hang in loops.
  int rootLink() {
    int root = -1;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].joint >= 0) continue;
      if (root >= 0) {
        fail(*links_[i].node,
             fmt::format("no joint has this link as child, nor \"{}\" in line {}: a robot has one root",
                         link(root).body.name, link(root).node->line));
      }
      root = static_cast<int>(i);
    }
    if (links_.empty()) fail(robot_, "the robot has no <link>");
    if (root < 0) failInLoop(0);

    // breadth first; a link is reached once, because it has one parent
    std::vector<int> reached{root};
    std::vector<int> depth(links_.size(), 0);
    depth[root] = 1;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const int child : link(reached[next]).children) {
        int& own = depth[child];
        own = depth[reached[next]] + 1;
        if (own > kMaxLinks) fail(*link(child).node, fmt::format("links hang in a chain of more than {}", kMaxLinks));
        reached.push_back(child);
      }
    }
    const auto lost = std::find(depth.begin(), depth.end(), 0);
    if (lost != depth.end()) failInLoop(static_cast<int>(lost - depth.begin()));
    return root;
  }

  /// Throws for a link that is in, or below, a loop of joints.
  [[noreturn]] void failInLoop(int start) {
    std::set<int> seen;
    int at = start;
    while (seen.insert(at).second) at = joint(link(at).joint).parent;
    std::string loop = link(at).body.name;
    for (int next = joint(link(at).joint).parent;; next = joint(link(next).joint).parent) {
      loop = link(next).body.name + " > " + loop;
      if (next == at) break;
    }
    fail(*joint(link(at).joint).node, fmt::format("the joints form a loop: {}", loop));
  }

  /// Puts the links into one tree of bodies. A root named world is the world itself.
  void hangLinks(int root) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].body.name == spec_.world.name && static_cast<int>(i) != root)
        fail(*links_[i].node, "only the root of a robot can be named \"world\"");
    }
    spec::Body body = subtree(root);
    if (body.name == spec_.world.name) {
      spec_.world.geoms = std::move(body.geoms);
      spec_.world.bodies = std::move(body.bodies);
      if (body.inertial) notices_.add(*link(root).node, "the mass of the world is ignored: it does not move");
    } else {
      spec_.world.bodies.push_back(std::move(body));
    }
  }

  spec::Body subtree(int index) {
    Link& source = link(index);
    for (const int child : source.children) source.body.bodies.push_back(subtree(child));
    return std::move(source.body);
  }

  // -------------------------------------------------------------------------------------------- mimic

  /// q = offset + multiplier q_leader as an equality of joints.
  void addMimics() {
    const mjcf::ElementType& type = *grammar().child("joint");
    for (const Joint& follower : joints_) {
      const Node* node = childOf(*follower.node, "mimic");
      if (!node) continue;
      const auto record = recordOf<MimicRecord>(*node, *type.child("mimic"));
      const int leader = find(jointNames_, record.joint);
      if (leader < 0) fail(*follower.node, fmt::format("<mimic> names the unknown joint \"{}\"", record.joint));
      const JointKind leaderKind = joint(leader).kind;
      if (follower.kind == JointKind::Fixed) {
        notices_.add(*follower.node, "<mimic> is ignored: the joint is fixed");
        continue;
      }
      if (&joint(leader) == &follower) fail(*follower.node, "a joint cannot mimic itself");
      if (!hasOneCoordinate(follower.kind))
        fail(*follower.node, "only revolute, continuous and prismatic joints can mimic another");
      if (!hasOneCoordinate(leaderKind) && leaderKind != JointKind::Fixed)
        fail(*follower.node,
             fmt::format("<mimic> names the joint \"{}\", which has more than one coordinate", record.joint));
      spec::Equality& equality = spec_.equalities.emplace_back();
      equality.origin = node->origin();
      equality.type = EqualityType::Joint;
      equality.name1 = follower.name;
      // a fixed joint stays at 0
      if (leaderKind != JointKind::Fixed) equality.name2 = record.joint;
      equality.polycoef = {record.offset, leaderKind == JointKind::Fixed ? 0 : record.multiplier, 0, 0, 0};
    }
  }

  // -------------------------------------------------------------------------------------------- transmissions

  /// They are for controllers, which put there what they like: out of the tree before it is checked.
  void takeTransmissions() {
    std::vector<Node>& all = robot_.children;
    const auto first =
        std::stable_partition(all.begin(), all.end(), [](const Node& node) { return node.tag != "transmission"; });
    std::move(first, all.end(), std::back_inserter(transmissions_));
    all.erase(first, all.end());
  }

  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kSpace);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  }

  /// What stands behind the last / of a name of a class: transmission_interface/SimpleTransmission.
  static std::string_view lastWord(std::string_view name) {
    const std::size_t slash = name.find_last_of("/:");
    return trimmed(slash == name.npos ? name : name.substr(slash + 1));
  }

  static std::vector<const Node*> childrenOf(const Node& node, std::string_view tag) {
    std::vector<const Node*> found;
    for (const Node& child : node.children) {
      if (child.tag == tag) found.push_back(&child);
    }
    return found;
  }

  static std::string nameIn(const Node& node) {
    const std::string_view* name = node.find("name");
    return name ? std::string(*name) : std::string();
  }

  /// The reduction of a transmission, told in its actuator (ROS) or beside it (its predecessor); 1 if it is not told.
  static double reductionOf(const Node& transmission, const Node& actuator) {
    const Node* node = childOf(actuator, "mechanicalReduction");
    if (!node) node = childOf(transmission, "mechanicalReduction");
    if (!node) return 1;
    const std::string_view text = trimmed(node->text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value == 0) {
      fail(*node, fmt::format("expected a number other than 0, found '{}'", text));
    }
    return value;
  }

  /// One motor on one joint, told what torque to make, is a motor of MJCF with its reduction as gear: the control is
  /// the torque of the motor, bounded by what the joint may get. Everything else has no counterpart.
  void addTransmission(const Node& node) {
    const auto ignore = [&](std::string_view why) {
      notices_.add(node, fmt::format("<transmission> is ignored: {}", why));
    };
    const Node* type = childOf(node, "type");
    const std::string_view* typeName = node.find("type");
    const std::string_view kind = lastWord(type ? type->text : typeName ? *typeName : std::string_view());
    if (kind != "SimpleTransmission")
      return ignore("only a SimpleTransmission has a counterpart, one motor on one joint");
    const auto joints = childrenOf(node, "joint"), actuators = childrenOf(node, "actuator");
    if (joints.size() != 1 || actuators.size() != 1) {
      fail(node, fmt::format("a SimpleTransmission has one <joint> and one <actuator>, found {} and {}", joints.size(),
                             actuators.size()));
    }
    const std::string name = nameIn(*joints[0]);
    const int target = find(jointNames_, name);
    if (target < 0) fail(*joints[0], fmt::format("<transmission> names the unknown joint \"{}\"", name));
    for (const Node* place : {joints[0], actuators[0]}) {
      const Node* interface = childOf(*place, "hardwareInterface");
      if (!interface || lastWord(interface->text) == "EffortJointInterface") continue;
      return ignore("what is not controlled by its effort needs gains, which URDF does not have");
    }
    if (!hasOneCoordinate(joint(target).kind)) return ignore("the joint does not have one coordinate");

    spec::Actuator motor;
    motor.origin = node.origin();
    motor.name = nameIn(*actuators[0]);
    const auto taken = [&](const spec::Actuator& other) { return !motor.name.empty() && other.name == motor.name; };
    if (std::any_of(spec_.actuators.begin(), spec_.actuators.end(), taken)) {
      fail(*actuators[0], fmt::format("the name \"{}\" is taken by the actuator of another transmission", motor.name));
    }
    motor.trntype = TransmissionType::Joint;
    motor.target = name;
    motor.gear[0] = reductionOf(node, *actuators[0]);
    if (const Node* limit = childOf(*joint(target).node, "limit")) {
      const double effort =
          std::abs(recordOf<LimitRecord>(*limit, *grammar().child("joint")->child("limit")).effort / motor.gear[0]);
      if (effort > 0) motor.ctrlrange = {-effort, effort};
    }
    spec_.actuators.push_back(std::move(motor));
  }

  Link& link(int i) { return links_[i]; }
  Joint& joint(int i) { return joints_[i]; }

  /// As deep as a written model can be read again.
  static constexpr int kMaxLinks = mjcf::kMaxDepth - 3;

  mjcf::Document& document_;
  Node& robot_;
  Warnings& warnings_;
  const LoadOptions& options_;
  Spec spec_;
  Notices notices_;
  std::map<std::string, spec::Rgba> colors_;
  std::vector<Link> links_;
  std::vector<Joint> joints_;
  std::map<std::string, int, std::less<>> linkNames_, jointNames_;
  std::set<std::string> geomNames_;
  std::vector<Node> transmissions_;
};

}  // namespace

Spec readRobot(mjcf::Document& document, Warnings& warnings, const LoadOptions& options) {
  return RobotReader(document, warnings, options).read();
}

}  // namespace sinew::urdf
