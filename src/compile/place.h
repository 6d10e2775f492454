#pragma once

#include <string>

#include "sinew/errors.h"
#include "sinew/spec.h"

namespace sinew::draft {

/// Where an element stands in the user's file, as a prefix for messages: file:line: <tag name="x">.
class Place {
 public:
  Place(const spec::Element& element, std::string tag) : Place(element.origin, std::move(tag), element.name) {}
  Place(const spec::Origin& origin, std::string tag, std::string name)
      : origin_(&origin), tag_(std::move(tag)), name_(std::move(name)) {}

  /// The message with its place in front.
  std::string message(const std::string& text) const;
  /// Throws LoadError with message(text).
  [[noreturn]] void fail(const std::string& text) const;
  const std::string& tag() const { return tag_; }

 private:
  const spec::Origin* origin_;
  std::string tag_;
  std::string name_;
};

/// The place of an element, with the tag MJCF gives it. Actuators are <actuator> whatever shorthand wrote them.
Place placeOf(const spec::LengthRange& settings);
Place placeOf(const spec::Size& size);
Place placeOf(const spec::Body& body);
Place placeOf(const spec::Inertial& inertial);
Place placeOf(const spec::Frame& frame);
Place placeOf(const spec::Joint& joint);
Place placeOf(const spec::Geom& geom);
Place placeOf(const spec::Site& site);
Place placeOf(const spec::Camera& camera);
Place placeOf(const spec::Light& light);
Place placeOf(const spec::Mesh& mesh);
Place placeOf(const spec::HField& hfield);
Place placeOf(const spec::Pair& pair);
Place placeOf(const spec::Exclude& exclude);
Place placeOf(const spec::Equality& equality);
Place placeOf(const spec::Tendon& tendon);
Place placeOf(const spec::Wrap& wrap);
Place placeOf(const spec::Actuator& actuator);
Place placeOf(const spec::Sensor& sensor);
Place placeOf(const spec::Numeric& numeric);
Place placeOf(const spec::Text& text);
Place placeOf(const spec::Tuple& tuple);
Place placeOf(const spec::Key& key);
Place placeOf(const spec::Flex& flex);
Place placeOf(const spec::Flexcomp& flexcomp);
/// The place of <option>.
Place placeOfOption(const Spec& spec);

}  // namespace sinew::draft
