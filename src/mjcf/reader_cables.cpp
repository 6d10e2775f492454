#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "math/quat.h"
#include "mjcf/reader.h"

/// Cables: chains of bodies that <composite> makes, and the engine plugin that says how stiff they are.
namespace sinew::mjcf {
namespace {

void requireCablePlugin(const Node& node, const std::string& plugin) {
  if (plugin != kCablePlugin) {
    fail(node, fmt::format("the engine plugin \"{}\" is not supported; \"{}\" is", plugin, kCablePlugin));
  }
}

/// Reads the <config> children of a plugin.
void readConfig(const Node& node, spec::Cable& cable) {
  for (const Node& child : node.children) {
    if (child.tag != "config") continue;
    ConfigRecord config;
    readAttributes(child, elementType({"extension", "plugin", "instance", "config"}), config);
    if (config.key == "flat") {
      cable.flat = config.value == "true";
      continue;
    }
    double* number = config.key == "twist"  ? &cable.twist
                     : config.key == "bend" ? &cable.bend
                     : config.key == "vmax" ? &cable.vmax
                                            : nullptr;
    if (!number) fail(child, fmt::format("'key' must be one of twist, bend, flat, vmax, found \"{}\"", config.key));
    try {
      *number = parseReals(config.value, {ValueFormat::Kind::Real, 1, 1})[0];
    } catch (const ValueError&) {
      fail(child, fmt::format("\"{}\" needs a number as its 'value', found \"{}\"", config.key, config.value));
    }
    if (*number < 0) fail(child, fmt::format("\"{}\" must not be negative, found {}", config.key, *number));
  }
}

// ---------------------------------------------------------------------------------------------- the curve

/// What a coordinate of the curve is.
enum class Shape { Zero, Line, Cos, Sin };

std::array<Shape, 3> shapesOf(const Node& node, const std::string& curve) {
  std::array<Shape, 3> shapes{Shape::Zero, Shape::Zero, Shape::Zero};
  std::istringstream words(curve);
  std::string word;
  std::size_t i = 0;
  for (; words >> word; ++i) {
    if (i == shapes.size()) fail(node, "'curve' needs 3 words at most");
    if (word == "s") {
      shapes[i] = Shape::Line;
    } else if (word == "cos(s)") {
      shapes[i] = Shape::Cos;
    } else if (word == "sin(s)") {
      shapes[i] = Shape::Sin;
    } else if (word != "0") {
      fail(node, fmt::format("'curve' needs the words 0, s, cos(s) or sin(s), found \"{}\"", word));
    }
  }
  return shapes;
}

/// Points in single precision, as the reference engine has them.
using Points = std::vector<Eigen::Vector3f>;

Points pointsOf(const Node& node, const CompositeRecord& composite) {
  Points points;
  if (node.find("vertex")) {
    if (composite.count[0] > 1) fail(node, "'vertex' and 'count' exclude each other");
    if (composite.vertex.size() % 3 != 0) {
      fail(node, fmt::format("'vertex' needs a multiple of 3 numbers, found {}", composite.vertex.size()));
    }
    for (std::size_t i = 0; i < composite.vertex.size(); i += 3) {
      points.emplace_back(static_cast<float>(composite.vertex[i]), static_cast<float>(composite.vertex[i + 1]),
                          static_cast<float>(composite.vertex[i + 2]));
    }
  } else {
    const std::array<Shape, 3> shapes = shapesOf(node, composite.curve);
    const auto [length, radius, turns] = composite.size;
    if (length == 0 && radius == 0 && turns == 0) fail(node, "'size' must not be zero");
    const Quat quat = normalized(Quat::load(composite.quat.data()));
    for (int i = 0; i < composite.count[0]; ++i) {
      const double last = composite.count[0] - 1, angle = std::numbers::pi * i * turns / last;
      Vec3 x = Vec3::Zero();
      for (int k = 0; k < 3; ++k) {
        const Shape shape = shapes[k];
        if (shape == Shape::Line) x[k] = i * length / last;
        if (shape == Shape::Cos) x[k] = radius * std::cos(angle);
        if (shape == Shape::Sin) x[k] = radius * std::sin(angle);
      }
      points.push_back(rotate(quat, x).cast<float>());
    }
  }
  if (points.size() < 2) fail(node, fmt::format("a cable needs at least 2 points, found {}", points.size()));
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i] == points[i - 1]) fail(node, fmt::format("points {} and {} of the cable are one", i - 1, i));
  }
  return points;
}

/// Length 1, unless the vector is next to nothing. Returns the length it had, 0 in that case.
double normalize(Vec3& v) {
  constexpr double kNothing = 1e-14;  // of the square
  const double square = v.squaredNorm();
  if (square < kNothing) return 0;
  v /= std::sqrt(square);
  return std::sqrt(square);
}

/// A frame along the curve that turns with it and does not twist: x points along the edge, y is carried on from edge to
/// edge by the smallest rotation. On a straight beginning there is no y, and the smallest rotation that takes the
/// x-axis to the edge serves.
class MovingFrame {
 public:
  explicit MovingFrame(const Points& points) : points_(points) {}

  Vec3 edge(std::size_t i) const { return Eigen::Vector3f(points_[i + 1] - points_[i]).cast<double>(); }
  double length(std::size_t i) const { return edge(i).norm(); }
  /// The next edge's orientation.
  Quat next() {
    Vec3 tangent = edge(edge_);
    normalize(tangent);
    Vec3 binormal;
    if (edge_ == 0) {
      Vec3 after = points_.size() > 2 ? edge(1) : tangent;
      normalize(after);
      binormal = tangent.cross(after);
      normalize(binormal);
      normal_ = binormal.cross(tangent);
      normalize(normal_);
    } else {
      binormal = tangent_.cross(tangent);
      const double sine = normalize(binormal);
      normal_ = rotate(fromAxisAngle(binormal, std::atan2(sine, tangent_.dot(tangent))), normal_);
      normalize(normal_);
      binormal = tangent.cross(normal_);
      normalize(binormal);
    }
    tangent_ = tangent;
    ++edge_;
    Mat3 axes;
    axes << tangent, normal_, binormal;
    return fromMatrix(axes);
  }

 private:
  const Points& points_;
  std::size_t edge_ = 0;
  Vec3 tangent_ = Vec3::Zero(), normal_ = Vec3::Zero();
};

/// What the bodies of a composite are made of.
struct Parts {
  spec::Geom geom;
  spec::Site site;
  CompositeJointRecord joint;
};

Parts readParts(const Node& node) {
  Parts parts;
  parts.geom.origin = parts.site.origin = parts.joint.origin = node.origin();
  parts.joint.group = parts.site.group = 3;
  bool joint = false;
  for (const Node& child : node.children) {
    const ElementType& type = *elementType({"worldbody", "body", "composite"}).child(child.tag);
    if (child.tag == "geom") {
      parts.geom.origin = child.origin();
      readAttributes(child, type, parts.geom);
    } else if (child.tag == "site") {
      parts.site.origin = child.origin();
      readAttributes(child, type, parts.site);
    } else if (child.tag == "joint") {
      if (joint) fail(child, "a cable has joints of one kind");
      joint = true;
      parts.joint.origin = child.origin();
      readAttributes(child, type, parts.joint);
    }
  }
  return parts;
}

void requireCable(const Node& node, const CompositeRecord& composite) {
  using Type = CompositeRecord::Type;
  std::string_view instead;
  switch (composite.type) {
    case Type::Particle:
      instead = "<replicate>";
      break;
    case Type::Rope:
      instead = "type=\"cable\"";
      break;
    case Type::Grid:
    case Type::Loop:
    case Type::Cloth:
      instead = "<flexcomp>";
      break;
    case Type::Cable:
      break;
  }
  if (!instead.empty()) fail(node, fmt::format("composites of this type are no longer part of MJCF; use {}", instead));
  for (const int count : composite.count) {
    if (count < 1) fail(node, fmt::format("'count' must be positive, found {}", count));
  }
  if (composite.count[1] > 1 || composite.count[2] > 1) fail(node, "a cable has one dimension: 'count' needs 1 number");
}

}  // namespace

std::vector<ConfigRecord> configOf(const spec::Cable& cable) {
  std::vector<ConfigRecord> config{{"twist", fmt::format("{}", cable.twist)}, {"bend", fmt::format("{}", cable.bend)}};
  if (cable.flat) config.push_back({"flat", "true"});
  if (cable.vmax != 0) config.push_back({"vmax", fmt::format("{}", cable.vmax)});
  return config;
}

void Reader::readExtension(const Node& section) {
  for (const Node& node : section.children) {
    PluginRecord record;
    readAttributes(node, elementType({"extension", "plugin"}), record);
    requireCablePlugin(node, record.plugin);
    for (const Node& child : node.children) {
      PluginInstanceRecord instance;
      readAttributes(child, elementType({"extension", "plugin", "instance"}), instance);
      spec::Cable& cable = spec_.cables.emplace_back();
      cable.name = instance.name;
      cable.origin = child.origin();
      readConfig(child, cable);
    }
  }
}

/// The cable that a <plugin> names; one of the given name if it brings its own numbers.
std::string Reader::cableOf(const Node& plugin, const std::string& freshName) {
  PluginRecord record;
  readAttributes(plugin, elementType({"worldbody", "body", "plugin"}), record);
  if (!record.plugin.empty() || record.instance.empty()) requireCablePlugin(plugin, record.plugin);
  if (record.instance.empty()) {
    spec::Cable& cable = spec_.cables.emplace_back();
    cable.name = freshName;
    cable.origin = plugin.origin();
    readConfig(plugin, cable);
    return freshName;
  }
  if (!plugin.children.empty()) fail(plugin, "'instance' and <config> exclude each other");
  const auto known = std::any_of(spec_.cables.begin(), spec_.cables.end(),
                                 [&](const spec::Cable& cable) { return cable.name == record.instance; });
  if (!known) fail(plugin, fmt::format("'instance' names the unknown plugin instance \"{}\"", record.instance));
  return record.instance;
}

void Reader::readBodyPlugin(const Node& node, spec::Body& body) {
  if (&body == &spec_.world) fail(node, "the world body cannot be part of a cable");
  if (!body.cable.empty()) fail(node, "the body is part of a cable already");
  if (!node.find("instance")) {
    warnings_.push_back(located(node, "without 'instance' the body has no neighbour in its cable: it has no effect"));
    cableOf(node, "");
    spec_.cables.pop_back();
    return;
  }
  body.cable = cableOf(node, "");
}

void Reader::readComposite(const Node& node, spec::Body& parent, int frame) {
  CompositeRecord composite;
  readAttributes(node, elementType({"worldbody", "body", "composite"}), composite);
  requireQuat(node, "quat", composite.quat);
  requireCable(node, composite);
  if (composite.initial != "ball" && composite.initial != "free" && composite.initial != "none") {
    warnings_.push_back(
        located(node, fmt::format("'initial' should be ball, free or none; \"{}\" means ball", composite.initial)));
  }
  const Parts parts = readParts(node);
  const bool round = parts.geom.type == GeomType::Capsule || parts.geom.type == GeomType::Cylinder;
  if (!round && parts.geom.type != GeomType::Box) fail(node, "a cable needs a geom of type capsule, cylinder or box");
  const std::string& prefix = composite.prefix;
  const double numBodies = node.find("vertex") ? static_cast<double>(composite.vertex.size()) / 3 : composite.count[0];
  constexpr double kEach = sizeof(spec::Body) + sizeof(spec::Geom) + sizeof(spec::Joint) + sizeof(spec::Exclude);
  charge(node, kEach * numBodies + spec::chainBytes(3 * numBodies),
         fmt::format("'{}': a chain of {} bodies", node.find("vertex") ? "vertex" : "count", numBodies));
  requireDepth(node, static_cast<std::size_t>(numBodies));
  const Points points = pointsOf(node, composite);
  std::string cable;
  for (const Node& child : node.children) {
    if (child.tag == "plugin") cable = cableOf(child, "composite" + prefix);
  }
  spec::Text text;
  text.origin = node.origin();
  text.name = "composite_" + prefix;
  text.data = "rope_" + prefix;
  spec_.texts.push_back(text);

  const std::size_t count = points.size() - 1;
  const auto nameOf = [&](std::string_view kind, std::size_t i) {
    return prefix + std::string(kind) + (i == 0 ? "first" : i == count - 1 ? "last" : std::to_string(i));
  };
  MovingFrame along(points);
  Quat before;
  spec::Body* holder = &parent;
  for (std::size_t i = 0; i < count; ++i) {
    const bool first = i == 0, last = i == count - 1;
    spec::Body& body = holder->bodies.emplace_back();
    body.origin = node.origin();
    body.name = nameOf("B_", i);
    body.cable = cable;
    const Quat quat = along.next();
    if (first) {
      body.frame = frame;
      for (std::size_t k = 0; k < 3; ++k) body.pos[k] = composite.offset[k] + points[0][static_cast<int>(k)];
      quat.store(body.orientation.quat.data());
    } else {
      body.pos = {along.length(i - 1), 0, 0};
      (before.conjugate() * quat).store(body.orientation.quat.data());
    }
    before = quat;

    const double length = along.length(i);
    spec::Geom& geom = body.geoms.emplace_back(parts.geom);
    geom.name = prefix + "G" + std::to_string(i);
    if (round) {
      geom.fromto = spec::Vec6{0, 0, 0, length, 0, 0};
    } else {
      geom.pos = {length / 2, 0, 0};
      geom.size[0] = length / 2;
    }
    if (!first || composite.initial != "none") {
      spec::Joint& joint = body.joints.emplace_back(parts.joint);
      joint.name = nameOf("J_", i);
      joint.type = JointType::Ball;
      if (first && composite.initial == "free") {
        joint.type = JointType::Free;
        joint.damping = {0, 0, 0};
        joint.armature = joint.frictionloss = 0;
      }
    }
    if (first || last) {
      spec::Site& site = body.sites.emplace_back(parts.site);
      site.name = nameOf("S_", i);
      site.pos = {last ? length : 0, 0, 0};
    }
    if (!last) {
      spec::Exclude& exclude = spec_.excludes.emplace_back();
      exclude.origin = node.origin();
      exclude.body1 = body.name;
      exclude.body2 = nameOf("B_", i + 1);
    }
    holder = &body;
  }
}

}  // namespace sinew::mjcf
