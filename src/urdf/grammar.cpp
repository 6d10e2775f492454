#include "urdf/grammar.h"

#include <fmt/format.h>

#include <vector>

#include "mjcf/grammar_check.h"
#include "mjcf/table_sections.h"

namespace sinew::urdf {
namespace {

using mjcf::addChild;
using mjcf::Declare;
using mjcf::ElementType;
using mjcf::kAtMostOne;
using mjcf::kNone;
using mjcf::kRequired;
using mjcf::Node;

constexpr mjcf::Keyword kJointKinds[] = {
    {"revolute", static_cast<int>(JointKind::Revolute)},   {"continuous", static_cast<int>(JointKind::Continuous)},
    {"prismatic", static_cast<int>(JointKind::Prismatic)}, {"fixed", static_cast<int>(JointKind::Fixed)},
    {"floating", static_cast<int>(JointKind::Floating)},   {"planar", static_cast<int>(JointKind::Planar)},
    {"spherical", static_cast<int>(JointKind::Spherical)}};

struct Grammar {
  mjcf::ElementStore store;

  Grammar() {
    ElementType& robot = store.emplace_back();
    robot.tag = "robot";
    Declare<RobotRecord>(robot).attr("name", &RobotRecord::name).attr("version", &RobotRecord::version);
    declareMaterial(robot, !kAtMostOne);
    declareLink(robot);
    declareJoint(robot);
  }

  void declarePose(ElementType& parent) {
    Declare<PoseRecord>(addChild(store, parent, "origin", kAtMostOne))
        .attr("xyz", &PoseRecord::xyz)
        .attr("rpy", &PoseRecord::rpy)
        .attr("quat_xyzw", &PoseRecord::quat_xyzw)
        .exclusive({{"rpy"}, {"quat_xyzw"}});
  }

  void declareMaterial(ElementType& parent, bool atMostOne) {
    ElementType& material = addChild(store, parent, "material", atMostOne);
    Declare<MaterialRecord>(material).attr("name", &MaterialRecord::name);
    Declare<ColorRecord>(addChild(store, material, "color", kAtMostOne)).attr("rgba", &ColorRecord::rgba, kRequired);
    Declare<TextureRecord>(addChild(store, material, "texture", kAtMostOne)).attr("filename", &TextureRecord::filename);
  }

  void declareGeometry(ElementType& parent) {
    ElementType& geometry = addChild(store, parent, "geometry", kAtMostOne);
    Declare<BoxRecord>(addChild(store, geometry, "box", kAtMostOne)).attr("size", &BoxRecord::size, kRequired);
    Declare<RoundRecord>(addChild(store, geometry, "sphere", kAtMostOne))
        .attr("radius", &RoundRecord::radius, kRequired);
    for (const std::string_view tag : {"cylinder", "capsule"}) {
      Declare<RoundRecord>(addChild(store, geometry, tag, kAtMostOne))
          .attr("radius", &RoundRecord::radius, kRequired)
          .attr("length", &RoundRecord::length, kRequired);
    }
    Declare<MeshRecord>(addChild(store, geometry, "mesh", kAtMostOne))
        .attr("filename", &MeshRecord::filename, kRequired)
        .attr("scale", &MeshRecord::scale);
  }

  void declareLink(ElementType& robot) {
    ElementType& link = addChild(store, robot, "link");
    Declare<LinkRecord>(link).attr("name", &LinkRecord::name, kRequired);

    ElementType& inertial = addChild(store, link, "inertial", kAtMostOne);
    declarePose(inertial);
    Declare<MassRecord>(addChild(store, inertial, "mass", kAtMostOne)).attr("value", &MassRecord::value, kRequired);
    Declare<InertiaRecord>(addChild(store, inertial, "inertia", kAtMostOne))
        .attr("ixx", &InertiaRecord::ixx, kRequired)
        .attr("iyy", &InertiaRecord::iyy, kRequired)
        .attr("izz", &InertiaRecord::izz, kRequired)
        .attr("ixy", &InertiaRecord::ixy, kRequired)
        .attr("ixz", &InertiaRecord::ixz, kRequired)
        .attr("iyz", &InertiaRecord::iyz, kRequired);

    for (const std::string_view tag : {"visual", "collision"}) {
      ElementType& shape = addChild(store, link, tag);
      Declare<ShapeRecord>(shape).attr("name", &ShapeRecord::name);
      declarePose(shape);
      declareGeometry(shape);
      if (tag == "visual") declareMaterial(shape, kAtMostOne);
    }
  }

  void declareJoint(ElementType& robot) {
    ElementType& joint = addChild(store, robot, "joint");
    Declare<JointRecord>(joint)
        .attr("name", &JointRecord::name, kRequired)
        .word("type", &JointRecord::type, kJointKinds, kRequired);
    declarePose(joint);
    for (const std::string_view tag : {"parent", "child"}) {
      Declare<LinkReference>(addChild(store, joint, tag, kAtMostOne)).attr("link", &LinkReference::link, kRequired);
    }
    Declare<AxisRecord>(addChild(store, joint, "axis", kAtMostOne)).attr("xyz", &AxisRecord::xyz, kRequired);
    using L = LimitRecord;
    Declare<L>(addChild(store, joint, "limit", kAtMostOne))
        .attr("lower", &L::lower)
        .attr("upper", &L::upper)
        .attr("effort", &L::effort)
        .attr("velocity", &L::velocity)
        .attr("acceleration", &L::acceleration)
        .attr("deceleration", &L::deceleration)
        .attr("jerk", &L::jerk);
    Declare<DynamicsRecord>(addChild(store, joint, "dynamics", kAtMostOne))
        .attr("damping", &DynamicsRecord::damping)
        .attr("friction", &DynamicsRecord::friction);
    Declare<MimicRecord>(addChild(store, joint, "mimic", kAtMostOne))
        .attr("joint", &MimicRecord::joint, kRequired)
        .attr("multiplier", &MimicRecord::multiplier)
        .attr("offset", &MimicRecord::offset);
  }
};

// ---------------------------------------------------------------- what is left aside

/// An element, or with `attribute` an attribute, that is not read, and why that is no loss to the mechanism.
struct LeftAside {
  std::string_view parent;  ///< empty: anywhere
  std::string_view tag;
  std::string_view attribute;
  std::string_view reason;
};

constexpr std::string_view kOther = "a setting for another program";
constexpr std::string_view kBullet = "a setting for the simulator Bullet";
constexpr std::string_view kFranka = "not part of URDF; 'damping' and 'friction' say what resists the motion";
constexpr LeftAside kLeftAside[] = {
    {"robot", "ros2_control", "", "it describes controllers, not the mechanism"},
    {"robot", "sensor", "", "sensors of a URDF file are not simulated"},
    {"", "gazebo", "", "a setting for the simulator Gazebo"},
    {"link", "contact", "", "contact parameters of the simulator Bullet; the geoms have those of MJCF by default"},
    {"link", "audio_source", "", kOther},
    {"link", "sensor", "", "sensors of a URDF file are not simulated"},
    {"link", "self_collision_checking", "", kOther},
    {"link", "capsule", "", "an approximation for motion planning, not part of the collision geometry"},
    {"joint", "safety_controller", "", "it describes a controller on the robot, not the mechanism"},
    {"joint", "calibration", "", "it says where a sensor of the robot reads zero and changes no motion"},
    {"joint", "hardwareInterface", "", "it describes controllers, not the mechanism"},
    {"joint", "joint_properties", "", "it was never part of URDF; <dynamics> gives damping and friction"},
    {"material", "specular", "", "it changes no motion"},
    {"geometry", "material", "", "it changes no motion"},
    {"collision", "verbose", "", kOther},
    {"collision", "material", "", "it changes no motion"},
    {"collision", "contact_coefficients", "", kOther},
    {"link", "", "type", "it changes no motion"},
    {"link", "", "concave", "meshes collide as their convex hulls"},
    {"collision", "", "concave", "meshes collide as their convex hulls"},
    {"collision", "", "group", kBullet},
    {"collision", "", "mask", kBullet},
    {"axis", "", "rpy", "an axis has a direction only"},
    {"dynamics", "", "D", kFranka},
    {"dynamics", "", "K", kFranka},
    {"dynamics", "", "mu_coulomb", kFranka},
    {"dynamics", "", "mu_viscous", kFranka},
    {"visual", "", "group", "it changes no motion"},
};

/// True for what is written in another XML namespace, as drake:acceleration.
bool isForeign(std::string_view name) { return name.find(':') != name.npos; }

const LeftAside* leftAside(std::string_view parent, std::string_view tag, std::string_view attribute) {
  for (const LeftAside& entry : kLeftAside) {
    if (entry.tag == tag && entry.attribute == attribute && (entry.parent.empty() || entry.parent == parent))
      return &entry;
  }
  return nullptr;
}

void leaveAside(Node& node, Notices& notices) {
  std::erase_if(node.attributes, [&](const auto& attribute) {
    const std::string_view name = attribute.first;
    if (name == "xmlns" || name.starts_with("xmlns:")) return true;
    if (const LeftAside* entry = leftAside(node.tag, "", name)) {
      notices.add(node, fmt::format("'{}' is ignored: {}", name, entry->reason));
      return true;
    }
    if (isForeign(name)) notices.add(node, fmt::format("'{}' is ignored: {}", name, kOther));
    return isForeign(name);
  });
  std::erase_if(node.children, [&](const Node& child) {
    if (child.tag.starts_with("xacro:")) fail(child, "this file is a template: run xacro on it and load the result");
    const LeftAside* entry = leftAside(node.tag, child.tag, "");
    if (!entry && !isForeign(child.tag)) return false;
    notices.add(child, fmt::format("<{}> is ignored: {}", child.tag, entry ? entry->reason : kOther));
    return true;
  });
  for (Node& child : node.children) leaveAside(child, notices);
}

}  // namespace

const ElementType& grammar() {
  static const Grammar instance;
  return instance.store.front();
}

void checkRobot(Node& robot, Notices& notices, Warnings& warnings) {
  leaveAside(robot, notices);
  mjcf::checkAgainst(grammar(), robot, warnings);
}

}  // namespace sinew::urdf
