#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/spec.h"

/// Messages about elements of a Spec, with the place the element was written at.
namespace sinew::spec {

/// "file:line: <tag name="x">: message"; file and line are left out for elements made by a program, the name for
/// elements without one.
std::string located(const Origin& origin, const std::string& tag, const std::string& name, const std::string& message);

inline std::string located(const Element& element, const std::string& tag, const std::string& message) {
  return located(element.origin, tag, element.name, message);
}

/// The full path, as it is looked up.
std::string shownPath(const std::filesystem::path& path);
/// The full paths that were tried, each once, and which of their directories do not exist.
std::string triedPaths(const std::vector<std::filesystem::path>& paths);

}  // namespace sinew::spec
