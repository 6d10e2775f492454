#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/spec.h"
#include "spec/tags.h"

/// What an MJCF element says where that is more than the Spec element it becomes: alternative ways to name a target,
/// shorthands for parameters. The attribute table is bound to these records; the functions here turn them into Spec
/// elements and back. Refusals are ValueErrors, the reader adds the place.
namespace sinew::mjcf {

struct MujocoRecord {
  std::string model = "MuJoCo Model";
};

struct CompilerRecord : spec::Compiler {
  std::string assetdir;
  int coordinate = 0;  ///< 1: global, no longer part of MJCF
};

struct OptionRecord : Option {
  std::vector<int> actuatorgroupdisable;
};

struct ModelAssetRecord {
  std::string name, file, content_type;
};

struct ClassRecord {
  std::string name;
};

struct FrameRecord : spec::Frame {
  std::string childclass;
};

struct ReplicateRecord {
  int count = 0;
  spec::Vec3 offset{0, 0, 0};
  spec::Vec3 euler{0, 0, 0};
  std::string sep;
  std::string childclass;
  std::string prefix;  ///< has no effect
};

struct AttachRecord {
  std::string model, body, frame, prefix;
};

/// <plugin>, and its children in <extension>. Of the engine plugins, that of cables is understood.
struct PluginRecord {
  std::string plugin, instance;
};
struct PluginInstanceRecord {
  std::string name;
};
struct ConfigRecord {
  std::string key, value;
};

inline constexpr std::string_view kCablePlugin = "mujoco.elasticity.cable";
/// The <config> children that describe a cable.
std::vector<ConfigRecord> configOf(const spec::Cable& cable);

/// <composite>: bodies along a curve.
struct CompositeRecord {
  enum class Type { Particle, Grid, Rope, Loop, Cable, Cloth };
  std::string prefix;
  Type type = Type::Cable;
  std::array<int, 3> count{1, 1, 1};
  spec::Vec3 offset{0, 0, 0};
  std::vector<double> vertex;
  std::string initial = "ball";  ///< the joint that holds the first body: ball, free or none
  std::string curve;
  spec::Vec3 size{1, 0, 0};
  spec::Vec4 quat{1, 0, 0, 0};
};
struct CompositeJointRecord : spec::Joint {
  int kind = 0;
  spec::Vec2 solreffix{0.02, 1};                   ///< has no effect
  spec::Vec5 solimpfix{0.9, 0.95, 0.001, 0.5, 2};  ///< likewise
};

struct EqualityRecord : spec::Equality {
  std::string body1, body2, site1, site2, joint1, joint2, tendon1, tendon2, flex;
};

/// Names of bodies are words of one text.
struct FlexRecord : spec::Flex {
  std::string body, node;
};

/// Children of <flex> that hold parts of its lists.
struct FlexVertexRecord {
  std::vector<double> pos;
};
struct FlexElementRecord {
  std::vector<int> vertex;
};

struct NumericRecord : spec::Numeric {
  std::optional<int> length;  ///< attribute `size`
};

/// The union of what <general>, <motor>, <position> and the other actuator elements say.
struct ActuatorRecord : spec::Actuator {
  std::string joint, jointinparent, tendon, cranksite, site, body;
  std::optional<double> kp, kv, dampratio, timeconst;                                   // servos, cylinder
  std::optional<double> area, diameter;                                                 // cylinder
  std::optional<spec::Vec3> bias;                                                       // cylinder
  std::optional<spec::Vec2> muscle_timeconst, muscle_range;                             // muscle
  std::optional<double> tausmooth, force, scale, lmin, lmax, vmax, fpmax, fvmax, gain;  // muscle, adhesion
  std::string inputs;                       ///< the words of 'input'; what they stand for depends on the gain
  std::optional<double> ki, imax, slewmax;  // pid
  std::optional<double> resistance;         // dcmotor
  /// dcmotor. A list given in part leaves its other entries to the default class.
  std::optional<std::vector<double>> motorconst, nominal, saturation, inductance, cogging, controller, thermal, lugre;
};

struct SensorRecord : spec::Sensor {
  std::string site, camera, joint, tendon, actuator, body;
  std::string geom1, geom2, body1, body2, subtree1, subtree2;
  std::string flex;
  std::optional<int> vertex, node, element;  ///< of a flex, counted within it
  int raydata = 1;                           ///< rangefinder: bits of dist, dir, origin, point, normal, depth
  int condata = 1;                           ///< contact: bits of found, force, torque, dist, pos, normal, tangent
  int reduce = 0;
  int num = 1;
};

/// Fills target, transmission, gain, bias and dynamics from what element <tag> says. Inside a default class
/// (`inDefault`) the targets are absent.
spec::Actuator lowerActuator(std::string_view tag, ActuatorRecord record);
/// The record of the <general> element that describes an actuator.
ActuatorRecord raiseActuator(const spec::Actuator& actuator);
/// The shorthand that describes the actuator as well as <general> does and can say more: <position> or <intvelocity>
/// for one whose range is inherited. Otherwise "general".
std::string_view raiseServo(ActuatorRecord& record);

spec::Sensor lowerSensor(std::string_view tag, SensorRecord record);
SensorRecord raiseSensor(const spec::Sensor& sensor);

spec::Equality lowerEquality(std::string_view tag, EqualityRecord record);
EqualityRecord raiseEquality(const spec::Equality& equality);

spec::Flex lowerFlex(FlexRecord record);
FlexRecord raiseFlex(const spec::Flex& flex);

}  // namespace sinew::mjcf
