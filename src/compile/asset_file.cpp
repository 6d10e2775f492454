#include "compile/asset_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "sinew/files.h"
#include "spec/place.h"

namespace sinew::draft {

std::vector<unsigned char> readAsset(const std::string& directory, const std::string& file, bool stripPath,
                                     const Place& place) {
  namespace fs = std::filesystem;
  const fs::path name = stripPath ? fs::path(file).filename() : fs::path(file);
  fs::path path = fs::path(directory) / name;
  std::error_code error;
  // a/../b is b even where a is a link or is missing, if only b exists
  if (!fs::exists(path, error) && fs::exists(path.lexically_normal(), error)) path = path.lexically_normal();
  if (!fs::exists(path, error)) {
    place.fail(fmt::format("file \"{}\" does not exist; tried {}", name.string(), spec::triedPaths({path})));
  }
  try {  // a pipe or a device may never end
    const std::string bytes = readFile(path);
    return {bytes.begin(), bytes.end()};
  } catch (const LoadError& e) {
    place.fail(e.what());
  }
}

}  // namespace sinew::draft
