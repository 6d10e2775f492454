#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/scene.h"
#include "sinew/spec.h"

/// Attributes of elements that a Spec keeps as text. The reader has checked that numbers are numbers and words are
/// among those allowed; what a program wrote wrongly reads as absent.
namespace sinew::draw {

/// The text of an attribute, empty if it is absent.
std::string_view textOf(const spec::VisualElement& element, std::string_view name);

double realOf(const spec::VisualElement& element, std::string_view name, double otherwise);
int intOf(const spec::VisualElement& element, std::string_view name, int otherwise);
bool boolOf(const spec::VisualElement& element, std::string_view name, bool otherwise);
std::vector<double> realsOf(const spec::VisualElement& element, std::string_view name);
std::vector<int> intsOf(const spec::VisualElement& element, std::string_view name);

/// The first numbers of `value` are replaced by those the attribute has.
template <class T, std::size_t n>
void readReals(const spec::VisualElement& element, std::string_view name, std::array<T, n>& value) {
  const std::vector<double> numbers = realsOf(element, name);
  for (std::size_t i = 0; i < n && i < numbers.size(); ++i) value[i] = static_cast<T>(numbers[i]);
}
inline void readReal(const spec::VisualElement& element, std::string_view name, double& value) {
  value = realOf(element, name, value);
}
inline void readReal(const spec::VisualElement& element, std::string_view name, float& value) {
  value = static_cast<float>(realOf(element, name, value));
}

}  // namespace sinew::draw
