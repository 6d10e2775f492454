#include "geom/mesh_load.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"

namespace sinew::geom {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

constexpr std::size_t kMshHeader = 4 * sizeof(std::int32_t);

/// Copies `count` values from `data` at byte `offset` and moves the offset behind them. The caller checked the size.
template <class T>
std::vector<T> readArray(Bytes data, std::size_t& offset, std::size_t count) {
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), data.data() + offset, count * sizeof(T));
  offset += count * sizeof(T);
  return out;
}

}  // namespace

void checkMesh(const TriMesh& mesh) {
  if (mesh.vertex.size() % 3 != 0) throw MeshError("vertex data must be a multiple of 3 numbers");
  if (mesh.face.size() % 3 != 0) throw MeshError("face data must be a multiple of 3 indices");
  if (mesh.normal.size() % 3 != 0) throw MeshError("normal data must be a multiple of 3 numbers");
  if (mesh.vertex.size() < 12) throw MeshError("at least 4 vertices are required");
  for (std::size_t i = 0; i < mesh.vertex.size(); ++i)
    if (!std::isfinite(mesh.vertex[i])) throw MeshError("vertex " + std::to_string(i / 3) + " is not finite");
  for (std::size_t i = 0; i < mesh.face.size(); ++i)
    if (mesh.face[i] < 0 || mesh.face[i] >= mesh.numVertices())
      throw MeshError("in face " + std::to_string(i / 3) + ", vertex index " + std::to_string(mesh.face[i]) +
                      " does not exist");
  for (std::size_t i = 0; i < mesh.normal.size(); ++i)
    if (!std::isfinite(mesh.normal[i])) throw MeshError("normal " + std::to_string(i / 3) + " is not finite");
}

MeshFormat meshFormat(std::string_view fileName, std::string_view contentType) {
  if (!contentType.empty()) {
    const std::string type = lower(contentType.substr(0, contentType.find(';')));
    if (type == "model/obj") return MeshFormat::Obj;
    if (type == "model/stl") return MeshFormat::Stl;
    if (type == "model/vnd.mujoco.msh") return MeshFormat::Msh;
    throw MeshError("unsupported mesh content type '" + std::string(contentType) +
                    "'; known are model/obj, model/stl and model/vnd.mujoco.msh");
  }
  const std::size_t dot = fileName.find_last_of('.');
  const std::string extension = dot == std::string_view::npos ? std::string() : lower(fileName.substr(dot));
  if (extension == ".obj") return MeshFormat::Obj;
  if (extension == ".stl") return MeshFormat::Stl;
  if (extension == ".msh") return MeshFormat::Msh;
  throw MeshError("unknown mesh file type '" + std::string(fileName) + "'; known are .obj, .stl and .msh");
}

TriMesh loadMesh(Bytes data, MeshFormat format) {
  if (data.empty()) throw MeshError("mesh file is empty");
  switch (format) {
    case MeshFormat::Obj:
      return loadObj(data);
    case MeshFormat::Stl:
      return loadStl(data);
    case MeshFormat::Msh:
      return loadMsh(data);
  }
  throw MeshError("unknown mesh format");
}

TriMesh loadMsh(Bytes data) {
  if (data.size() < kMshHeader) throw MeshError("MSH file has no header");
  std::int32_t header[4];
  std::memcpy(header, data.data(), kMshHeader);
  const auto [nVertex, nNormal, nTexcoord, nFace] = header;
  // of a file of another kind the first bytes are no sizes
  if (!kindOfFile(data).empty()) {
    throw MeshError("not a mesh of the reference engine's MSH format" + seemsToBe(data) +
                    (kindOfFile(data) == "a Gmsh file" ? " (use <flexcomp type=\"gmsh\">)" : ""));
  }
  if (nVertex < 4 || nFace < 0 || (nNormal != 0 && nNormal != nVertex) || (nTexcoord != 0 && nTexcoord != nVertex))
    throw MeshError("invalid sizes in MSH file: " + std::to_string(nVertex) + " vertices, " + std::to_string(nNormal) +
                    " normals, " + std::to_string(nTexcoord) + " texcoords, " + std::to_string(nFace) + " faces");
  const auto floats = 3 * std::uint64_t(nVertex) + 3 * std::uint64_t(nNormal) + 2 * std::uint64_t(nTexcoord);
  const std::uint64_t expected = kMshHeader + sizeof(float) * floats + 3 * sizeof(std::int32_t) * std::uint64_t(nFace);
  if (data.size() != expected)
    throw MeshError("unexpected size of MSH file: " + std::to_string(data.size()) + " bytes, its header asks for " +
                    std::to_string(expected));

  TriMesh mesh;
  std::size_t offset = kMshHeader;
  mesh.vertex = readArray<float>(data, offset, 3 * std::size_t(nVertex));
  mesh.normal = readArray<float>(data, offset, 3 * std::size_t(nNormal));
  offset += 2 * sizeof(float) * std::size_t(nTexcoord);
  mesh.face = readArray<int>(data, offset, 3 * std::size_t(nFace));
  checkMesh(mesh);
  return mesh;
}

TriMesh inlineMesh(std::span<const float> vertex, std::span<const int> face, std::span<const float> normal,
                   std::span<const float> texcoord) {
  TriMesh mesh;
  mesh.vertex.assign(vertex.begin(), vertex.end());
  mesh.face.assign(face.begin(), face.end());
  mesh.normal.assign(normal.begin(), normal.end());
  checkMesh(mesh);
  if (!texcoord.empty() && texcoord.size() != 2 * static_cast<std::size_t>(mesh.numVertices()))
    throw MeshError("texcoord needs 2 numbers per vertex: " + std::to_string(2 * mesh.numVertices()) + ", found " +
                    std::to_string(texcoord.size()));
  if (mesh.normal.size() % mesh.vertex.size() != 0)
    throw MeshError("normal needs 3 numbers per vertex: " + std::to_string(mesh.vertex.size()) + ", found " +
                    std::to_string(mesh.normal.size()));
  return mesh;
}

}  // namespace sinew::geom
