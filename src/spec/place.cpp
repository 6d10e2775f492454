#include "spec/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::spec {

std::string located(const Origin& origin, const std::string& tag, const std::string& name, const std::string& message) {
  std::string text;
  if (origin.file) text = fmt::format("{}:{}: ", *origin.file, origin.line);
  if (name.empty()) return text + fmt::format("<{}>: {}", tag, message);
  return text + fmt::format("<{} name=\"{}\">: {}", tag, name, message);
}

std::string shownPath(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(path, error);
  return (error ? path : full).lexically_normal().string();
}

std::string triedPaths(const std::vector<std::filesystem::path>& paths) {
  std::string text;
  std::vector<std::string> shown;
  for (const std::filesystem::path& path : paths) {
    const std::string full = shownPath(path);
    if (std::find(shown.begin(), shown.end(), full) != shown.end()) continue;
    shown.push_back(full);
    if (!text.empty()) text += " and ";
    text += "\"" + full + "\"";
    std::error_code error;
    const std::filesystem::path directory = std::filesystem::path(full).parent_path();
    if (!std::filesystem::is_directory(directory, error)) {
      text += " (there is no directory \"" + directory.string() + "\")";
    }
  }
  return text;
}

}  // namespace sinew::spec
