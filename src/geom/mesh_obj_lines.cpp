#include <charconv>
#include <cmath>
#include <string>

#include "geom/mesh_error.h"
#include "geom/mesh_load.h"

namespace sinew::geom {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// The next word of a line, taken off its front; empty at the end.
std::string_view nextWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, std::min(line.find_first_of(kBlanks), line.size()));
  line.remove_prefix(word.size());
  return word;
}

template <class T>
T numberIn(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) throw MeshError("OBJ file has \"" + std::string(word) + "\" where a number is needed");
  return value;
}

}  // namespace

SegmentMesh loadObjLines(Bytes data) {
  SegmentMesh mesh;
  std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view kind = nextWord(line);
    if (kind == "v") {
      for (int k = 0; k < 3; ++k) {
        mesh.vertex.push_back(numberIn<float>(nextWord(line)));
        if (!std::isfinite(mesh.vertex.back())) throw MeshError("OBJ file has a vertex that is not finite");
      }
    } else if (kind == "l") {
      int previous = -1;
      for (std::string_view word = nextWord(line); !word.empty(); word = nextWord(line)) {
        const int given = numberIn<int>(word);  // a texture coordinate after '/' is left out
        const int count = static_cast<int>(mesh.vertex.size() / 3);
        const int index = given < 0 ? count + given : given - 1;
        if (index < 0) throw MeshError("OBJ file has a line with vertex " + std::to_string(given));
        if (previous >= 0) mesh.segment.insert(mesh.segment.end(), {previous, index});
        previous = index;
      }
    }
  }
  for (const int v : mesh.segment) {
    if (3 * static_cast<std::size_t>(v) >= mesh.vertex.size()) {
      throw MeshError("OBJ file has a line with vertex " + std::to_string(v + 1) + ", which does not exist");
    }
  }
  return mesh;
}

}  // namespace sinew::geom
