#include <tiny_obj_loader.h>

#include <array>
#include <string>

#include "geom/mesh_error.h"
#include "geom/mesh_load.h"

namespace sinew::geom {
namespace {

/// Ear clipping of an n-gon may take n^3 steps; more than this in one file is refused rather than waited for.
constexpr double kMaxPolygonWork = 5e9;

bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Index corners listed on a face line.
std::size_t countCorners(std::string_view line) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : line) {
    if (!isBlank(c) && !inside) ++count;
    inside = !isBlank(c);
  }
  return count;
}

/// The lines that make the surface: vertices, faces, and the marks where a new object or group begins. Everything else
/// (materials, tags, curves, normals) never reaches the parser. Corner references to dropped normals and texture
/// coordinates stay legal: the parser does not look them up.
std::string surfaceLines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  double polygonWork = 0;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && isBlank(line.front())) line.remove_prefix(1);
    if (line.size() < 2) continue;
    if (line[0] == 'v' && isBlank(line[1])) {
      out.append(line).push_back('\n');
    } else if (line[0] == 'f' && isBlank(line[1])) {
      const double corners = static_cast<double>(countCorners(line.substr(2)));
      if (corners > 4) polygonWork += corners * corners * corners;
      if (polygonWork > kMaxPolygonWork) throw MeshError("OBJ file has too many faces with very many corners");
      out.append(line).push_back('\n');
    } else if ((line[0] == 'o' || line[0] == 'g') && isBlank(line[1])) {
      out.append("o part\n");
    }
  }
  return out;
}

}  // namespace

TriMesh loadObj(Bytes data) {
  const std::string text = surfaceLines(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()));
  tinyobj::ObjReader reader;
  if (!reader.ParseFromString(text, std::string()))
    throw MeshError("could not parse OBJ file" + (reader.Error().empty() ? "" : ": " + reader.Error()));

  TriMesh mesh;
  mesh.vertex = reader.GetAttrib().vertices;
  const auto& shapes = reader.GetShapes();
  if (!shapes.empty()) {
    // the reader triangulates, so every three indices are one face
    for (const tinyobj::index_t& index : shapes.front().mesh.indices) mesh.face.push_back(index.vertex_index);
    if (shapes.size() > 1)
      mesh.warnings.push_back("OBJ file has " + std::to_string(shapes.size()) +
                              " objects or groups; only the faces of the first one are used");
  }
  checkMesh(mesh);
  return mesh;
}

}  // namespace sinew::geom
