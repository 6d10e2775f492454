#include "urdf/mesh_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sinew::urdf {
namespace fs = std::filesystem;
namespace {

std::string slashed(std::string path) {
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

/// Directories that may be the package, the most explicit first.
std::vector<fs::path> candidates(const std::string& package, const fs::path& directory, const LoadOptions& options) {
  const auto given = options.packages.find(package);
  if (given != options.packages.end()) return {given->second};
  std::vector<fs::path> found;
  for (const fs::path& parent : options.packagePath) found.push_back(parent / package);
  std::error_code error;
  fs::path folder = fs::weakly_canonical(directory.empty() ? fs::path(".") : directory, error);
  if (error) return found;
  for (;; folder = folder.parent_path()) {
    if (folder.filename() == package) found.push_back(folder);
    found.push_back(folder / package);
    if (folder == folder.parent_path()) return found;
  }
}

MeshPath inPackage(const mjcf::Node& node, const std::string& uri, const std::string& rest, const fs::path& directory,
                   const LoadOptions& options) {
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == rest.npos || slash + 1 == rest.size())
    fail(node, fmt::format("'filename' needs the form package://NAME/path, found \"{}\"", uri));
  const std::string package = rest.substr(0, slash), file = rest.substr(slash + 1);
  std::string tried;
  for (const fs::path& candidate : candidates(package, directory, options)) {
    std::error_code error;
    if (fs::exists(candidate / file, error)) return {candidate.string(), file};
    tried += fmt::format("\n  not in {}", candidate.string());
  }
  fail(node, fmt::format("cannot find \"{}\"; LoadOptions::packages says where a package lies, "
                         "LoadOptions::packagePath where to look for packages (--package of the command){}",
                         uri, tried));
}

}  // namespace

MeshPath meshPath(const mjcf::Node& node, const std::string& filename, const fs::path& directory,
                  const spec::Compiler& compiler, const LoadOptions& options) {
  std::string path = slashed(filename);
  const std::string meshes = (directory / slashed(compiler.meshdir)).string();
  if (compiler.strippath) path = path.substr(path.find_last_of('/') + 1);
  if (path.empty()) fail(node, fmt::format("'filename' names no file, found \"{}\"", filename));
  const std::size_t colon = path.find("://");
  if (colon == path.npos) return {meshes, path};
  const std::string scheme = path.substr(0, colon), rest = path.substr(colon + 3);
  if (scheme == "package" || scheme == "model") return inPackage(node, filename, rest, directory, options);
  if (scheme == "file") return {meshes, rest};
  fail(node, fmt::format("'filename' can start with package://, model:// or file://, found \"{}\"", filename));
}

}  // namespace sinew::urdf
