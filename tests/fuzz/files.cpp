#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "targets.h"

namespace sinew::fuzz {
namespace {

/// A directory that is removed with everything in it when the program ends.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sinew_fuzz_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw Finding{"no temporary directory"};
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const std::filesystem::path& directory() {
  static const TemporaryDirectory made;
  return made.path();
}

void write(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw Finding{"cannot write " + file.string()};
}

}  // namespace

const std::filesystem::path& assetDirectory() {
  static const std::filesystem::path assets = [] {
    const std::filesystem::path made = directory() / "assets";
    std::filesystem::create_directory(made);
    for (const Target& target : targets()) {
      const std::string name = target.name;
      const char* file = name == "obj"    ? "mesh.obj"
                         : name == "stl"  ? "mesh.stl"
                         : name == "msh"  ? "mesh.msh"
                         : name == "gmsh" ? "gmsh.msh"
                         : name == "png"  ? "hfield.png"
                                          : nullptr;
      if (file != nullptr) write(made / file, target.seeds().front());
    }
    const std::string part = R"(<mujoco model="part"><worldbody><body name="part"><joint name="hinge"/><geom size=".1"/>
</body></worldbody></mujoco>)";
    std::ofstream(made / "part.xml") << part;
    std::ofstream(made / "include.xml") << R"(<mujoco><option timestep="0.003"/></mujoco>)";
    return made;
  }();
  return assets;
}

std::filesystem::path fileWith(std::span<const std::uint8_t> input, const std::string& name) {
  std::filesystem::path file = directory() / name;
  write(file, input);
  return file;
}

}  // namespace sinew::fuzz
