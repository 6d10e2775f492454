#include <tiny_obj_loader.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"
#include "geom/mesh_load.h"

namespace sinew::geom {
namespace {

/// The parser keeps the number of corners of a face in a byte.
constexpr std::size_t kMaxCorners = 255;
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

/// The parser takes what it cannot read for zero, so the three coordinates are looked at before it sees them.
void checkVertexLine(std::string_view numbers, std::size_t lineNumber) {
  const char *at = numbers.data(), *const end = at + numbers.size();
  for (int k = 0; k < 3; ++k) {
    while (at != end && isBlank(*at)) ++at;
    if (at != end && *at == '+') ++at;
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc::invalid_argument || (next != end && !isBlank(*next)))
      throw MeshError("OBJ file, line " + std::to_string(lineNumber) + ": a vertex needs 3 numbers, found '" +
                      printable(numbers, 40) + "'");
    if (!std::isfinite(value))
      throw MeshError("OBJ file, line " + std::to_string(lineNumber) + ": a vertex is not finite");
    at = next;
  }
}

/// The lines that make the surface: vertices, faces, and the marks where a new object or group begins. Everything else
/// (materials, tags, curves, normals) never reaches the parser. Corner references to dropped normals and texture
/// coordinates stay legal: the parser does not look them up.
std::string surfaceLines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  double polygonWork = 0;
  std::size_t lineNumber = 1;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    std::string_view line = text.substr(0, end);
    const std::size_t thisLine = lineNumber;
    if (end != std::string_view::npos && (text[end] == '\n' || text.substr(end, 2) != "\r\n")) ++lineNumber;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && isBlank(line.front())) line.remove_prefix(1);
    if (line.size() < 2) continue;
    if (line[0] == 'v' && isBlank(line[1])) {
      checkVertexLine(line.substr(2), thisLine);
      out.append(line).push_back('\n');
    } else if (line[0] == 'f' && isBlank(line[1])) {
      const std::size_t corners = countCorners(line.substr(2));
      if (corners > kMaxCorners)
        throw MeshError("OBJ file has a face with more than " + std::to_string(kMaxCorners) + " corners");
      if (corners > 4) polygonWork += static_cast<double>(corners * corners * corners);
      if (polygonWork > kMaxPolygonWork) throw MeshError("OBJ file has too many faces with very many corners");
      out.append(line).push_back('\n');
    } else if ((line[0] == 'o' || line[0] == 'g') && isBlank(line[1])) {
      out.append("o part\n");
    }
  }
  return out;
}

/// Ear clipping by the reference engine's rule, in single precision: the polygon is looked at along the axis across its
/// first true corner, ears are tried in order, and an ear must be convex and hold no other corner.
class PolygonCutter {
 public:
  PolygonCutter(const std::vector<float>& vertex, std::vector<int> corners)
      : vertex_(vertex), corners_(std::move(corners)) {
    chooseAxes();
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const Point a = at(k), b = at(k + 1);
      area_ += (a.x * b.y - a.y * b.x) * 0.5f;
    }
  }

  /// Appends the triangles; false if some part of the polygon has no ear.
  bool cut(std::vector<int>& face) {
    std::size_t guess = 0, failures = 0;
    while (corners_.size() > 3 && failures < corners_.size()) {
      guess %= corners_.size();
      if (!isEar(guess)) {
        ++guess, ++failures;
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) face.push_back(corners_[(guess + k) % corners_.size()]);
      corners_.erase(corners_.begin() + static_cast<std::ptrdiff_t>((guess + 1) % corners_.size()));
      failures = 0;
    }
    if (corners_.size() != 3) return false;
    face.insert(face.end(), corners_.begin(), corners_.end());
    return true;
  }

 private:
  struct Point {
    float x, y;
  };

  const float* vertex(std::size_t corner) const {
    return &vertex_[3 * static_cast<std::size_t>(corners_[corner % corners_.size()])];
  }
  Point at(std::size_t corner) const { return {vertex(corner)[axes_[0]], vertex(corner)[axes_[1]]}; }

  void chooseAxes() {
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const Eigen::Map<const Eigen::Vector3f> a(vertex(k)), b(vertex(k + 1)), c(vertex(k + 2));
      const Eigen::Vector3f n = Eigen::Vector3f(b - a).cross(Eigen::Vector3f(c - b)).cwiseAbs();
      if (n.maxCoeff() <= std::numeric_limits<float>::epsilon()) continue;
      if (n.x() > n.y() && n.x() > n.z()) return;
      axes_[0] = 0;
      if (n.z() > n.x() && n.z() > n.y()) axes_[1] = 1;
      return;
    }
  }

  bool isEar(std::size_t first) const {
    const Point p[3] = {at(first), at(first + 1), at(first + 2)};
    const float turn = (p[1].x - p[0].x) * (p[2].y - p[1].y) - (p[1].y - p[0].y) * (p[2].x - p[1].x);
    if (turn * area_ < 0) return false;
    for (std::size_t k = 3; k < corners_.size(); ++k)
      if (isInside(p, at(first + k))) return false;
    return true;
  }

  /// Even-odd rule along +x.
  static bool isInside(const Point (&p)[3], Point q) {
    bool inside = false;
    for (int i = 0, j = 2; i < 3; j = i++)
      if ((p[i].y > q.y) != (p[j].y > q.y) && q.x < (p[j].x - p[i].x) * (q.y - p[i].y) / (p[j].y - p[i].y) + p[i].x)
        inside = !inside;
    return inside;
  }

  const std::vector<float>& vertex_;
  std::vector<int> corners_;
  int axes_[2] = {1, 2};
  float area_ = 0;
};

/// The faces of one object as triangles.
void addFaces(const tinyobj::mesh_t& part, TriMesh& mesh) {
  std::size_t begin = 0;
  for (const std::size_t count : part.num_face_vertices) {
    std::vector<int> corners;
    for (std::size_t k = 0; k < count; ++k) corners.push_back(part.indices.at(begin + k).vertex_index);
    begin += count;
    for (const int v : corners)
      if (v < 0 || v >= mesh.numVertices())
        throw MeshError("in face " + std::to_string(mesh.numFaces()) + ", vertex index " + std::to_string(v) +
                        " does not exist");
    if (count == 3) {
      mesh.face.insert(mesh.face.end(), corners.begin(), corners.end());
    } else if (!PolygonCutter(mesh.vertex, std::move(corners)).cut(mesh.face) && mesh.warnings.empty()) {
      mesh.warnings.push_back("OBJ file has a polygon that crosses itself; a part of it is left out");
    }
  }
}

}  // namespace

TriMesh loadObj(Bytes data) {
  const std::string text = surfaceLines(std::string_view(reinterpret_cast<const char*>(data.data()), data.size()));
  tinyobj::ObjReaderConfig config;
  config.triangulate = false;
  config.vertex_color = false;
  tinyobj::ObjReader reader;
  if (!reader.ParseFromString(text, std::string(), config))
    throw MeshError("could not parse OBJ file" + (reader.Error().empty() ? "" : ": " + reader.Error()));

  TriMesh mesh;
  mesh.vertex = reader.GetAttrib().vertices;
  const auto& shapes = reader.GetShapes();
  if (!shapes.empty()) addFaces(shapes.front().mesh, mesh);
  if (shapes.size() > 1)
    mesh.warnings.push_back("OBJ file has " + std::to_string(shapes.size()) +
                            " objects or groups; only the faces of the first one are used");
  checkMesh(mesh);
  return mesh;
}

}  // namespace sinew::geom
