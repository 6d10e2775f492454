#pragma once

#include <array>
#include <optional>
#include <string>

#include "mjcf/attribute_table.h"
#include "mjcf/document.h"
#include "sinew/spec.h"
#include "urdf/notices.h"

/// The elements of URDF that Sinew reads, as a table of the same kind as that of MJCF, and what is left aside.
namespace sinew::urdf {

// ---------------------------------------------------------------- records the attributes are read into

struct RobotRecord {
  std::string name, version;
};
struct LinkRecord {
  std::string name;
};
struct PoseRecord {
  spec::Vec3 xyz{0, 0, 0};
  std::optional<spec::Vec3> rpy;        ///< turns about the fixed axes x, y, z in this order, rad
  std::optional<spec::Vec4> quat_xyzw;  ///< instead of rpy
};
struct MassRecord {
  double value = 0;
};
struct InertiaRecord {
  double ixx = 0, iyy = 0, izz = 0, ixy = 0, ixz = 0, iyz = 0;
};
struct ShapeRecord {  ///< visual, collision
  std::string name;
};
struct BoxRecord {
  spec::Vec3 size{0, 0, 0};
};
struct RoundRecord {  ///< sphere, cylinder, capsule
  double radius = 0, length = 0;
};
struct MeshRecord {
  std::string filename;
  spec::Vec3 scale{1, 1, 1};
};
struct MaterialRecord {
  std::string name;
};
struct ColorRecord {
  spec::Rgba rgba{0, 0, 0, 0};
};
struct TextureRecord {
  std::string filename;
};

enum class JointKind : int { Revolute = 0, Continuous, Prismatic, Fixed, Floating, Planar, Spherical };

struct JointRecord {
  std::string name;
  JointKind type = JointKind::Fixed;
};
struct LinkReference {  ///< parent, child
  std::string link;
};
struct AxisRecord {
  spec::Vec3 xyz{1, 0, 0};
};
struct LimitRecord {
  std::optional<double> lower, upper, velocity, acceleration, deceleration, jerk;
  double effort = 0;
};
struct DynamicsRecord {
  double damping = 0, friction = 0;
};
struct MimicRecord {
  std::string joint;
  double multiplier = 1, offset = 0;
};

// ---------------------------------------------------------------- the table

/// The whole grammar, starting at <robot>; <mujoco> is not part of it.
const mjcf::ElementType& grammar();

/// Takes out of the tree what says nothing about the mechanism or is meant for other programs, with a notice, and
/// checks the rest against the table. Throws LoadError for everything that is unknown.
void checkRobot(mjcf::Node& robot, Notices& notices, Warnings& warnings);

}  // namespace sinew::urdf
