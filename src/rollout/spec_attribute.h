#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/spec.h"

/// Numbers in a Spec by the name of an element and the attribute that MJCF writes them in.
namespace sinew {

enum class ElementKind {
  Body,
  Inertial,
  Joint,
  Geom,
  Site,
  Camera,
  Tendon,
  Actuator,
  Sensor,
  Equality,
  Flex,
  Pair,
  Mesh,
  HField
};

/// The kind for a word ("joint", also "jnt"), if there is one; and the words for suggestions.
std::optional<ElementKind> kindOf(std::string_view word);
std::vector<std::string_view> kindWords();

/// Names of all elements of a kind, in no particular order. Bodies for Inertial: those that have one.
std::vector<std::string> namesOf(const Spec& spec, ElementKind kind);

/// One number of an attribute.
struct SpecNumber {
  ElementKind kind = ElementKind::Body;
  std::string name;
  std::string attribute;  ///< "friction", "elasticity.young"
  int index = -1;         ///< -1: not given
};

/// Names of the attributes with numbers that elements of a kind have.
std::vector<std::string> attributesOf(ElementKind kind);

/// The value, empty if the Spec does not hold one. Throws std::invalid_argument for an attribute that does not exist or
/// is no number, and for an index that it does not have or needs. The element must exist.
std::optional<double> getNumber(Spec& spec, const SpecNumber& number);
/// Throws as getNumber(), and for a value that the attribute cannot have.
void setNumber(Spec& spec, const SpecNumber& number, double value);

}  // namespace sinew
