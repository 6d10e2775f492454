#include <fmt/format.h>

#include "mjcf/reader.h"

/// <deformable>, <flex> and <flexcomp>. What their numbers mean together is decided when the model is compiled.
namespace sinew::mjcf {
namespace {

/// Children that flexes and flexcomps have in common.
void readParts(const Node& node, const ElementType& type, spec::FlexBase& flex) {
  for (const Node& child : node.children) {
    const ElementType& part = *type.child(child.tag);
    if (child.tag == "contact") {
      readAttributes(child, part, flex.contact);
    } else if (child.tag == "elasticity") {
      readAttributes(child, part, flex.elasticity);
    } else if (child.tag == "edge") {
      readAttributes(child, part, flex.edge);
    } else if (child.tag == "pin") {
      spec::FlexPin& pin = flex.pins.emplace_back();
      pin.origin = child.origin();
      readAttributes(child, part, pin);
    }
  }
}

void requireMultiple(const Node& node, std::string_view attribute, std::size_t count, int each) {
  if (count % static_cast<std::size_t>(each) != 0)
    fail(node, fmt::format("'{}' needs a multiple of {} numbers, found {}", attribute, each, count));
}

/// The innermost frame with a pose, at `frame` or around it; -1 if there is none.
int movingFrame(const spec::Body& body, int frame) {
  const spec::Orientation plain;
  while (frame >= 0) {
    const spec::Frame& around = body.frames[frame];
    if (around.pos != spec::Vec3{0, 0, 0} || around.orientation.quat != plain.quat ||
        around.orientation.hasAlternative())
      break;
    frame = around.parent;
  }
  return frame;
}

}  // namespace

void Reader::readDeformable(const Node& section) {
  for (const Node& node : section.children) {
    if (node.tag == "flex")
      readFlex(node);
    else if (node.tag == "flexcomp")
      readFlexcomp(node, elementType({"deformable", "flexcomp"}), spec_.world, -1, mainClass());
    else
      spec_.skins.push_back(readVisualElement(node, {}));
  }
}

void Reader::readFlex(const Node& node) {
  const ElementType& type = elementType({"deformable", "flex"});
  auto record = readElement<FlexRecord>(node, type, spec::Flex{});
  readParts(node, type, record);
  const bool validDim = record.dim >= 1 && record.dim <= 3;  // a wrong one is reported by the compiler
  const bool listedVertices = !record.vertex.empty(), listedElements = !record.element.empty();
  for (const Node& child : node.children) {
    if (child.tag == "vertex") {
      if (listedVertices) fail(child, "vertices are given by the attribute 'vertex' and by elements; use one of them");
      FlexVertexRecord vertices;
      readAttributes(child, *type.child("vertex"), vertices);
      requireMultiple(child, "pos", vertices.pos.size(), 3);
      record.vertex.insert(record.vertex.end(), vertices.pos.begin(), vertices.pos.end());
    } else if (child.tag == "element") {
      if (listedElements) fail(child, "elements are given by the attribute 'element' and by elements; use one of them");
      FlexElementRecord elements;
      readAttributes(child, *type.child("element"), elements);
      if (validDim) requireMultiple(child, "vertex", elements.vertex.size(), record.dim + 1);
      record.element.insert(record.element.end(), elements.vertex.begin(), elements.vertex.end());
    }
  }
  spec_.flexes.push_back(lowerFlex(std::move(record)));
}

void Reader::readFlexcomp(const Node& node, const ElementType& type, spec::Body& body, int frame,
                          const spec::DefaultClass& record) {
  auto flexcomp = readElement<spec::Flexcomp>(node, type, spec::Flexcomp{});
  readParts(node, type, flexcomp);
  applyOrientation(node, flexcomp.orientation);
  if (flexcomp.spacing.size() == 2) fail(node, "'spacing' needs 1 number for all axes, or 3 numbers");
  frame = movingFrame(body, frame);
  if (flexcomp.inframe)
    flexcomp.frame = frame;
  else if (frame >= 0)
    warnings_.push_back(located(node, "the <frame> around it does not move a flexcomp unless inframe=\"true\""));
  flexcomp.directory = assetDirectory(node, flexcomp.file);
  flexcomp.place = static_cast<int>(body.bodies.size());
  flexcomp.joint = record.joint;
  body.flexcomps.push_back(std::move(flexcomp));
}

}  // namespace sinew::mjcf
