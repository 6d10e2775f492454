#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"
#include "geom/mesh_load.h"

namespace sinew::geom {
namespace {

constexpr std::size_t kHeader = 84;        // 80 bytes of text and the number of triangles
constexpr std::size_t kRecord = 50;        // normal, three corners, two bytes of attributes
constexpr float kLargest = 1073741824.0f;  // 2^30, the reference engine's bound on coordinates

/// Collects corners, giving the same index to corners with the same bits.
class CornerMerger {
 public:
  explicit CornerMerger(TriMesh& mesh) : mesh_(mesh) {}

  void add(const std::array<float, 3>& corner) {
    for (const float x : corner)
      if (!(std::abs(x) <= kLargest)) throw MeshError("a vertex of the STL file is not finite or beyond 2^30");
    std::array<std::uint32_t, 3> key;
    std::memcpy(key.data(), corner.data(), sizeof(key));
    const auto [it, isNew] = index_.emplace(key, mesh_.numVertices());
    if (isNew) mesh_.vertex.insert(mesh_.vertex.end(), corner.begin(), corner.end());
    mesh_.face.push_back(it->second);
  }

 private:
  TriMesh& mesh_;
  std::map<std::array<std::uint32_t, 3>, int> index_;
};

TriMesh loadBinary(Bytes data, std::size_t numFaces) {
  TriMesh mesh;
  CornerMerger merger(mesh);
  for (std::size_t i = 0; i < numFaces; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::array<float, 3> corner;
      std::memcpy(corner.data(), data.data() + kHeader + kRecord * i + 12 * (j + 1), sizeof(corner));
      merger.add(corner);
    }
  }
  return mesh;
}

/// Splits text into words; an empty word means the end.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::string next() {
    const std::size_t begin = text_.find_first_not_of(" \t\r\n\v\f", at_);
    if (begin == std::string_view::npos) return {};
    at_ = std::min(text_.find_first_of(" \t\r\n\v\f", begin), text_.size());
    return std::string(text_.substr(begin, at_ - begin));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

float readFloat(Words& words) {
  const std::string word = words.next();
  char* end = nullptr;
  const float value = std::strtof(word.c_str(), &end);
  if (word.empty() || *end != '\0')
    throw MeshError("ASCII STL file: 'vertex' needs 3 numbers, found '" + printable(word, 20) + "'");
  return value;
}

/// Only the words that carry data are looked at: "vertex x y z" thrice between "outer loop" and "endloop".
TriMesh loadAscii(std::string_view text) {
  TriMesh mesh;
  CornerMerger merger(mesh);
  // the first line is a free-form name
  Words words(text.substr(std::min(text.find('\n'), text.size())));
  int corners = 0;
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    if (word == "outer") {
      corners = 0;
    } else if (word == "vertex") {
      std::array<float, 3> corner;
      for (float& x : corner) x = readFloat(words);
      if (++corners > 3) throw MeshError("ASCII STL file: a facet has more than 3 vertices");
      merger.add(corner);
    } else if (word == "endloop" && corners != 3) {
      throw MeshError("ASCII STL file: a facet has " + std::to_string(corners) + " vertices instead of 3");
    }
  }
  if (mesh.face.empty()) throw MeshError("ASCII STL file has no facets");
  return mesh;
}

}  // namespace

TriMesh loadStl(Bytes data) {
  std::size_t numFaces = 0;
  if (data.size() >= kHeader) {
    std::uint32_t count;
    std::memcpy(&count, data.data() + 80, sizeof(count));
    numFaces = count;
  }
  // some programs begin binary files with "solid" too, so the size decides
  const bool isBinary = numFaces > 0 && data.size() == kHeader + kRecord * numFaces;
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool isAscii = begin != std::string_view::npos && text.substr(begin, 5) == "solid";
  if (!isBinary && !isAscii && data.size() >= kHeader && !kindOfFile(data).empty())
    throw MeshError("not an STL file: neither of the size its header asks for nor beginning with 'solid'" +
                    seemsToBe(data));
  if (!isBinary && !isAscii)
    throw MeshError(data.size() < kHeader ? std::string("STL file is too short: neither a binary header nor 'solid'")
                                          : "STL file has the wrong size: " + std::to_string(data.size()) +
                                                " bytes for " + std::to_string(numFaces) + " triangles");
  TriMesh mesh = isBinary ? loadBinary(data, numFaces) : loadAscii(text.substr(begin));
  checkMesh(mesh);
  return mesh;
}

}  // namespace sinew::geom
