#include <fmt/format.h>

#include <algorithm>

#include "mjcf/reader.h"

namespace sinew::mjcf {
namespace {

/// Element types of what is placed in a body.
const ElementType& placedType(const Node& node) { return elementType({"worldbody", "body", node.tag}); }

}  // namespace

void applyOrientation(const Node& node, spec::Orientation& orientation) {
  requireQuat(node, "quat", orientation.quat);
  // an alternative written here replaces one inherited from the class; a quat does not
  for (const std::string_view name : {"axisangle", "xyaxes", "zaxis", "euler"}) {
    if (!node.find(name)) continue;
    if (name != "axisangle") orientation.axisangle.reset();
    if (name != "xyaxes") orientation.xyaxes.reset();
    if (name != "zaxis") orientation.zaxis.reset();
    if (name != "euler") orientation.euler.reset();
  }
}

void Reader::readBodyContent(const Node& section, spec::Body& body, int frame, const spec::DefaultClass& inherited) {
  for (const Node& node : section.children) {
    if (node.tag == "body")
      readBody(node, body, frame, inherited);
    else if (node.tag == "frame")
      readFrame(node, body, frame, inherited);
    else if (node.tag == "replicate")
      readReplicate(node, body, frame, inherited);
    else if (node.tag == "attach")
      readAttach(node, body, frame);
    else
      readPlaced(node, body, frame, classOf(node, inherited));
  }
}

// Apart from readBodyContent(), so that the recursion over the tree needs little of the stack.
[[gnu::noinline]] void Reader::readPlaced(const Node& node, spec::Body& body, int frame,
                                          const spec::DefaultClass& record) {
  const auto readOriented = [&](const auto& start) {
    auto element = readElement<std::remove_cvref_t<decltype(start)>>(node, placedType(node), start);
    element.frame = frame;
    applyOrientation(node, element.orientation);
    return element;
  };
  if (&body == &spec_.world && (node.tag == "inertial" || node.tag == "joint" || node.tag == "freejoint"))
    fail(node, "the world body cannot have joints or inertia");
  if (node.tag == "inertial") {
    if (body.inertial) fail(node, "the body has an inertial element already");
    spec::Inertial inertial;
    inertial.origin = node.origin();
    inertial.frame = frame;
    readAttributes(node, placedType(node), inertial);
    applyOrientation(node, inertial.orientation);
    body.inertial = inertial;
  } else if (node.tag == "joint" || node.tag == "freejoint") {
    readJoint(node, body, frame, record);
  } else if (node.tag == "geom") {
    body.geoms.push_back(readOriented(record.geom));
  } else if (node.tag == "site") {
    body.sites.push_back(readOriented(record.site));
  } else if (node.tag == "camera") {
    body.cameras.push_back(readOriented(record.camera));
  } else if (node.tag == "light") {
    spec::Light light;
    static_cast<spec::VisualElement&>(light) = readVisualElement(node, record.light);
    light.frame = frame;
    body.lights.push_back(std::move(light));
  } else if (node.tag == "flexcomp") {
    readFlexcomp(node, placedType(node), body, frame, record);
  } else if (node.tag == "composite") {
    readComposite(node, body, frame);
  } else if (node.tag == "plugin") {
    readBodyPlugin(node, body);
  }
}

void Reader::readBody(const Node& node, spec::Body& parent, int frame, const spec::DefaultClass& inherited) {
  spec::Body& body = addBody(node, parent, frame);
  ++depth_;
  readBodyContent(node, body, -1, node.find("childclass") ? classNamed(node, "childclass") : inherited);
  --depth_;
}

[[gnu::noinline]] spec::Body& Reader::addBody(const Node& node, spec::Body& parent, int frame) {
  spec::Body& body = parent.bodies.emplace_back(readElement<spec::Body>(node, placedType(node), spec::Body{}));
  body.frame = frame;
  applyOrientation(node, body.orientation);
  return body;
}

void Reader::readFrame(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& inherited) {
  const int index = addFrame(node, body, frame);
  readBodyContent(node, body, index, node.find("childclass") ? classNamed(node, "childclass") : inherited);
}

[[gnu::noinline]] int Reader::addFrame(const Node& node, spec::Body& body, int frame) {
  auto record = readElement<FrameRecord>(node, placedType(node), spec::Frame{});
  record.parent = frame;
  applyOrientation(node, record.orientation);
  body.frames.push_back(record);
  return static_cast<int>(body.frames.size()) - 1;
}

void Reader::readJoint(const Node& node, spec::Body& body, int frame, const spec::DefaultClass& record) {
  // a freejoint takes nothing from default classes
  auto joint = readElement<spec::Joint>(node, placedType(node), node.tag == "joint" ? record.joint : spec::Joint{});
  if (node.tag == "freejoint") joint.type = JointType::Free;
  joint.frame = frame;
  body.joints.push_back(std::move(joint));
}

}  // namespace sinew::mjcf
