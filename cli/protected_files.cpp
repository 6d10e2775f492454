#include "protected_files.h"

#include <fmt/format.h>

#include "command.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;

/// Both ways to read a name: as it is, and without its folders (strippath). One that does not exist protects nothing.
void addAsset(const std::string& directory, const std::string& file, std::vector<fs::path>& files) {
  if (file.empty()) return;
  files.push_back(fs::path(directory) / file);
  files.push_back(fs::path(directory) / fs::path(file).filename());
}

/// Bodies may be nested deeply, so not by recursion.
void addFlexes(const spec::Body& world, std::vector<fs::path>& files) {
  std::vector<const spec::Body*> open{&world};
  while (!open.empty()) {
    const spec::Body& body = *open.back();
    open.pop_back();
    for (const spec::Flexcomp& flex : body.flexcomps) addAsset(flex.directory, flex.file, files);
    for (const spec::Body& child : body.bodies) open.push_back(&child);
  }
}

/// The file that a name leads to; it need not exist.
fs::path endOfLinks(fs::path file) {
  std::error_code error;
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(file, error)); ++i) {
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  const fs::path canonical = fs::weakly_canonical(fs::absolute(file, error), error);
  return canonical.empty() ? file : canonical;
}

}  // namespace

std::vector<fs::path> filesOf(const Spec& spec) {
  std::vector<fs::path> files(spec.files.begin(), spec.files.end());
  for (const spec::Mesh& mesh : spec.meshes) addAsset(mesh.directory, mesh.file, files);
  for (const spec::HField& field : spec.hfields) addAsset(field.directory, field.file, files);
  addFlexes(spec.world, files);
  for (const auto* list : {&spec.textures, &spec.skins}) {
    for (const spec::VisualElement& element : *list) {
      for (const auto& [name, value] : element.attributes) {
        if (!name.starts_with("file")) continue;
        for (const std::string& folder : {std::string(), spec.compiler.texturedir, spec.compiler.meshdir}) {
          addAsset((fs::path(spec.directory) / folder).string(), value, files);
        }
      }
    }
  }
  return files;
}

void refuseToOverwrite(const std::string& option, const std::string& file, const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code error;
    if (fs::equivalent(file, input, error)) {
      throw CommandError(fmt::format("{} '{}' would overwrite '{}', which the run reads", option, file, input.string()),
                         kProblem);
    }
  }
}

void refuseSameFile(const std::string& option1, const std::string& file1, const std::string& option2,
                    const std::string& file2) {
  if (file1.empty() || file2.empty()) return;
  std::error_code error;
  const bool same = fs::equivalent(file1, file2, error) || endOfLinks(file1) == endOfLinks(file2);
  if (same) throw CommandError(fmt::format("{} and {} name the same file", option1, option2));
}

}  // namespace sinew::cli
