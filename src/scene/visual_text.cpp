#include "scene/visual_text.h"

#include <charconv>
#include <cmath>

namespace sinew::draw {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class T>
std::vector<T> numbersIn(std::string_view text) {
  std::vector<T> out;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    while (at != end && (isSpace(*at) || *at == '+')) ++at;
    if (at == end) return out;
    T value{};
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return out;
    out.push_back(value);
    at = next;
  }
}

}  // namespace

std::string_view textOf(const spec::VisualElement& element, std::string_view name) {
  for (const auto& [key, value] : element.attributes) {
    if (key == name) return value;
  }
  return {};
}

std::vector<double> realsOf(const spec::VisualElement& element, std::string_view name) {
  return numbersIn<double>(textOf(element, name));
}

std::vector<int> intsOf(const spec::VisualElement& element, std::string_view name) {
  return numbersIn<int>(textOf(element, name));
}

double realOf(const spec::VisualElement& element, std::string_view name, double otherwise) {
  const std::vector<double> numbers = realsOf(element, name);
  return numbers.empty() || !std::isfinite(numbers[0]) ? otherwise : numbers[0];
}

int intOf(const spec::VisualElement& element, std::string_view name, int otherwise) {
  const std::vector<int> numbers = intsOf(element, name);
  return numbers.empty() ? otherwise : numbers[0];
}

bool boolOf(const spec::VisualElement& element, std::string_view name, bool otherwise) {
  const std::string_view text = textOf(element, name);
  return text.empty() ? otherwise : text == "true";
}

}  // namespace sinew::draw
