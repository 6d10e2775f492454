#include "compile/asset_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

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
  // a pipe or a device may never end
  if (!fs::is_regular_file(path, error)) place.fail(fmt::format("\"{}\" is not a file", path.string()));

  std::ifstream stream(path, std::ios::binary);
  std::vector<unsigned char> bytes(fs::file_size(path, error));
  if (error || !stream) place.fail(fmt::format("file \"{}\" cannot be read", path.string()));
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size()) {
    place.fail(fmt::format("file \"{}\" cannot be read", path.string()));
  }
  return bytes;
}

}  // namespace sinew::draft
