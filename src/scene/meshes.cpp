#include <tiny_obj_loader.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include "compile/asset_file.h"
#include "compile/orientation.h"
#include "compile/place.h"
#include "geom/mesh_error.h"
#include "geom/mesh_load.h"
#include "math/quat.h"
#include "scene/parts.h"

namespace sinew::draw {
namespace {

using Vec3f = Eigen::Vector3f;

/// Faces that meet at more than this are an edge that is seen.
constexpr double kCreaseDegrees = 35;

Vec3f at(const std::vector<float>& array, std::size_t i) { return {array[3 * i], array[3 * i + 1], array[3 * i + 2]}; }
void put(std::vector<float>& array, const Vec3f& v) { array.insert(array.end(), {v.x(), v.y(), v.z()}); }

/// Triangles whose corners have a position, and may have a normal and a texture coordinate, each with its own index.
struct Corners {
  std::vector<float> position, normal, uv;
  std::vector<int> p, n, t;  ///< per corner; n and t: -1 for none
};

bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// The lines of an OBJ file that are drawn; see geom/mesh_obj.cpp, which leaves out normals and texture coordinates.
std::string drawnLines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && isBlank(line.front())) line.remove_prefix(1);
    if (line.size() < 2) continue;
    const bool isVertex = line[0] == 'v' && (isBlank(line[1]) || line[1] == 't' || line[1] == 'n');
    if (isVertex || (line[0] == 'f' && isBlank(line[1]))) {
      out.append(line).push_back('\n');
    } else if ((line[0] == 'o' || line[0] == 'g') && isBlank(line[1])) {
      out.append("o part\n");
    }
  }
  return out;
}

/// The first object of an OBJ file, as the engine takes it. Empty if it has neither normals nor texture coordinates.
Corners objCorners(std::string_view text) {
  tinyobj::ObjReaderConfig config;
  config.triangulate = true;
  config.vertex_color = false;
  tinyobj::ObjReader reader;
  Corners corners;
  if (!reader.ParseFromString(drawnLines(text), std::string(), config) || reader.GetShapes().empty()) return corners;
  const tinyobj::attrib_t& attrib = reader.GetAttrib();
  if (attrib.normals.empty() && attrib.texcoords.empty()) return corners;
  const std::size_t np = attrib.vertices.size() / 3, nn = attrib.normals.size() / 3, nt = attrib.texcoords.size() / 2;
  const auto& indices = reader.GetShapes().front().mesh.indices;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    const bool valid =
        std::all_of(indices.begin() + static_cast<std::ptrdiff_t>(i),
                    indices.begin() + static_cast<std::ptrdiff_t>(i) + 3, [&](const tinyobj::index_t& c) {
                      return c.vertex_index >= 0 && static_cast<std::size_t>(c.vertex_index) < np;
                    });
    if (!valid) continue;
    for (std::size_t k = i; k < i + 3; ++k) {
      const tinyobj::index_t& c = indices[k];
      corners.p.push_back(c.vertex_index);
      corners.n.push_back(c.normal_index >= 0 && static_cast<std::size_t>(c.normal_index) < nn ? c.normal_index : -1);
      corners.t.push_back(c.texcoord_index >= 0 && static_cast<std::size_t>(c.texcoord_index) < nt ? c.texcoord_index
                                                                                                   : -1);
    }
  }
  corners.position = attrib.vertices;
  corners.normal = attrib.normals;
  corners.uv = attrib.texcoords;
  for (std::size_t i = 1; i < corners.uv.size(); i += 2) corners.uv[i] = 1 - corners.uv[i];  // rows grow downwards
  return corners;
}

/// Normals and texture coordinates by vertex, as MSH files and the attributes of <mesh> give them.
Corners vertexCorners(std::span<const float> vertex, std::span<const int> face, std::span<const float> normal,
                      std::span<const float> texcoord) {
  Corners corners;
  if (face.empty() || (normal.empty() && texcoord.empty())) return corners;
  corners.position.assign(vertex.begin(), vertex.end());
  if (normal.size() == vertex.size()) corners.normal.assign(normal.begin(), normal.end());
  if (texcoord.size() / 2 == vertex.size() / 3) corners.uv.assign(texcoord.begin(), texcoord.end());
  corners.p.assign(face.begin(), face.end());
  corners.n.assign(face.size(), -1);
  corners.t.assign(face.size(), -1);
  if (!corners.normal.empty()) corners.n = corners.p;
  if (!corners.uv.empty()) corners.t = corners.p;
  return corners;
}

Corners mshCorners(std::span<const unsigned char> bytes) {
  const geom::TriMesh mesh = geom::loadMsh(bytes);  // checked
  std::int32_t header[4];
  std::memcpy(header, bytes.data(), sizeof(header));
  std::vector<float> texcoord(2 * static_cast<std::size_t>(header[2]));
  const std::size_t offset =
      sizeof(header) + sizeof(float) * 3 * (static_cast<std::size_t>(header[0]) + static_cast<std::size_t>(header[1]));
  if (!texcoord.empty()) std::memcpy(texcoord.data(), bytes.data() + offset, sizeof(float) * texcoord.size());
  return vertexCorners(mesh.vertex, mesh.face, mesh.normal, texcoord);
}

Corners cornersOf(const spec::Mesh& mesh, const spec::Compiler& compiler) {
  if (!mesh.vertex.empty()) return vertexCorners(mesh.vertex, mesh.face, mesh.normal, mesh.texcoord);
  if (mesh.file.empty()) return {};
  const geom::MeshFormat format = geom::meshFormat(mesh.file, mesh.content_type);
  if (format == geom::MeshFormat::Stl) return {};
  const std::vector<unsigned char> bytes =
      draft::readAsset(mesh.directory, mesh.file, compiler.strippath, draft::placeOf(mesh));
  if (format == geom::MeshFormat::Msh) return mshCorners(bytes);
  return objCorners(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// Into the frame of the geom: refpos, refquat and scale of the asset, then the mesh's own frame.
void transform(const spec::Mesh& spec, const Pose& frame, Corners& corners) {
  const Quat ref = normalized({spec.refquat[0], spec.refquat[1], spec.refquat[2], spec.refquat[3]});
  const Mat3 R = toMatrix(ref).transpose(), toOwn = toMatrix(frame.quat).transpose();
  const Vec3 refpos = draft::toVec3(spec.refpos), scale = draft::toVec3(spec.scale);
  for (std::size_t i = 0; i + 2 < corners.position.size(); i += 3) {
    const Vec3 p(corners.position[i], corners.position[i + 1], corners.position[i + 2]);
    const Vec3 q = toOwn * (scale.cwiseProduct(R * (p - refpos)) - frame.pos);
    for (int k = 0; k < 3; ++k) corners.position[i + static_cast<std::size_t>(k)] = static_cast<float>(q[k]);
  }
  for (std::size_t i = 0; i + 2 < corners.normal.size(); i += 3) {
    const Vec3 n(corners.normal[i], corners.normal[i + 1], corners.normal[i + 2]);
    const Vec3 q = toOwn * (R * n).cwiseQuotient(scale);
    const double length = q.norm();
    for (int k = 0; k < 3; ++k) {
      corners.normal[i + static_cast<std::size_t>(k)] =
          static_cast<float>(length > 0 && std::isfinite(length) ? q[k] / length : (k == 2 ? 1 : 0));
    }
  }
  if (scale.prod() < 0) {
    for (std::size_t i = 0; i + 2 < corners.p.size(); i += 3) {
      std::swap(corners.p[i + 1], corners.p[i + 2]);
      std::swap(corners.n[i + 1], corners.n[i + 2]);
      std::swap(corners.t[i + 1], corners.t[i + 2]);
    }
  }
}

struct CornerKey {
  int p, n, t;
  bool operator==(const CornerKey&) const = default;
};
struct CornerHash {
  std::size_t operator()(const CornerKey& k) const {
    const auto mix = [](std::uint64_t h, int v) { return (h ^ static_cast<std::uint32_t>(v)) * 0x9e3779b97f4a7c15ull; };
    return static_cast<std::size_t>(mix(mix(mix(1, k.p), k.n), k.t) >> 7);
  }
};

/// Normals of corners that have none: one set per group of faces around a position.
class CreaseNormals {
 public:
  /// `corner` names the position of each corner; three corners are a triangle.
  CreaseNormals(const std::vector<float>& position, const std::vector<int>& corner, double creaseDegrees)
      : corner_(corner), least_(static_cast<float>(std::cos(creaseDegrees * std::numbers::pi / 180))) {
    const std::size_t triangles = corner.size() / 3, vertices = position.size() / 3;
    area_.reserve(triangles);
    for (std::size_t f = 0; f < triangles; ++f) {
      const Vec3f a = at(position, index(3 * f)), b = at(position, index(3 * f + 1)),
                  c = at(position, index(3 * f + 2));
      const Eigen::Vector3d n = (b - a).cast<double>().cross((c - a).cast<double>());
      const double length = n.norm();
      area_.push_back(n.cast<float>());
      unit_.push_back(length > 0 ? Vec3f((n / length).cast<float>()) : Vec3f::Zero());
    }
    first_.assign(vertices + 1, 0);
    for (const int v : corner) ++first_[static_cast<std::size_t>(v) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    around_.resize(corner.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t k = 0; k < corner.size(); ++k) around_[next[index(k)]++] = k / 3;
  }

  Vec3f operator()(std::size_t corner) const {
    const std::size_t own = corner / 3, v = index(corner);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t k = first_[v]; k < first_[v + 1]; ++k) {
      const std::size_t f = around_[k];
      if (f == own || unit_[own].dot(unit_[f]) >= least_) sum += area_[f].cast<double>();
    }
    const double length = sum.norm();
    return length > 0 ? Vec3f((sum / length).cast<float>()) : Vec3f(0, 0, 1);
  }

 private:
  std::size_t index(std::size_t corner) const { return static_cast<std::size_t>(corner_[corner]); }

  const std::vector<int>& corner_;
  float least_;
  std::vector<Vec3f> area_, unit_;  ///< per triangle; area_: twice the area long
  std::vector<std::size_t> first_, around_;
};

/// One vertex per different corner.
void weld(const Corners& corners, double creaseDegrees, SceneMesh& mesh) {
  const bool needNormals = std::any_of(corners.n.begin(), corners.n.end(), [](int n) { return n < 0; });
  std::vector<int> normalOf = corners.n;
  std::vector<float> normals = corners.normal;
  if (needNormals) {
    const CreaseNormals crease(corners.position, corners.p, creaseDegrees);
    // equal normals at a position are one normal
    std::unordered_multimap<int, int> known;
    for (std::size_t k = 0; k < corners.p.size(); ++k) {
      if (corners.n[k] >= 0) continue;
      const Vec3f n = crease(k);
      int found = -1;
      const auto [begin, end] = known.equal_range(corners.p[k]);
      for (auto it = begin; it != end && found < 0; ++it) {
        if (at(normals, static_cast<std::size_t>(it->second)).dot(n) > 0.9999f) found = it->second;
      }
      if (found < 0) {
        found = static_cast<int>(normals.size() / 3);
        put(normals, n);
        known.emplace(corners.p[k], found);
      }
      normalOf[k] = found;
    }
  }
  std::unordered_map<CornerKey, std::uint32_t, CornerHash> vertices;
  vertices.reserve(corners.p.size());
  const bool hasUv = std::any_of(corners.t.begin(), corners.t.end(), [](int t) { return t >= 0; });
  for (std::size_t k = 0; k < corners.p.size(); ++k) {
    const CornerKey key{corners.p[k], normalOf[k], corners.t[k]};
    const auto [entry, isNew] = vertices.try_emplace(key, static_cast<std::uint32_t>(mesh.positions.size() / 3));
    if (isNew) {
      put(mesh.positions, at(corners.position, static_cast<std::size_t>(key.p)));
      put(mesh.normals, at(normals, static_cast<std::size_t>(key.n)));
      if (hasUv) {
        const std::size_t t = key.t >= 0 ? 2 * static_cast<std::size_t>(key.t) : 0;
        mesh.uv.insert(mesh.uv.end(), {key.t >= 0 ? corners.uv[t] : 0, key.t >= 0 ? corners.uv[t + 1] : 0});
      }
    }
    mesh.indices.push_back(entry->second);
  }
}

}  // namespace

void makeNormals(SceneMesh& mesh, double creaseDegrees) {
  Corners corners;
  corners.position = std::move(mesh.positions);
  corners.uv = std::move(mesh.uv);
  corners.p.assign(mesh.indices.begin(), mesh.indices.end());
  corners.n.assign(corners.p.size(), -1);
  corners.t = corners.uv.empty() ? std::vector<int>(corners.p.size(), -1) : corners.p;
  mesh.positions.clear(), mesh.normals.clear(), mesh.uv.clear(), mesh.indices.clear();
  weld(corners, creaseDegrees, mesh);
}

void setBounds(SceneMesh& mesh) {
  if (mesh.positions.empty()) return;
  mesh.lower = {mesh.positions[0], mesh.positions[1], mesh.positions[2]};
  mesh.upper = mesh.lower;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    mesh.lower[i % 3] = std::min(mesh.lower[i % 3], mesh.positions[i]);
    mesh.upper[i % 3] = std::max(mesh.upper[i % 3], mesh.positions[i]);
  }
}

SceneMesh drawnMesh(const Model& m, int id, const spec::Mesh* spec, const spec::Compiler* compiler,
                    const Report& report) {
  SceneMesh mesh;
  mesh.object = {ObjType::Mesh, id, std::string(nameOf(m, ObjType::Mesh, id))};
  const double crease = spec && spec->smoothnormal ? 180 : kCreaseDegrees;
  Corners corners;
  if (spec) {
    try {
      corners = cornersOf(*spec, *compiler);
    } catch (const std::exception& error) {
      report.warn(std::string(error.what()) + "; drawn without its normals and texture coordinates");
    }
  }
  if (!corners.p.empty()) {
    transform(*spec, {vec3(m.mesh_pos.data(), id), Quat::load(&m.mesh_quat[4 * id])}, corners);
    weld(corners, crease, mesh);
  } else {
    const auto v = m.mesh_vert.begin() + 3 * m.mesh_vertadr[id];
    mesh.positions.assign(v, v + 3 * m.mesh_vertnum[id]);
    const auto f = m.mesh_face.begin() + 3 * m.mesh_faceadr[id];
    for (int k = 0; k < 3 * m.mesh_facenum[id]; ++k) mesh.indices.push_back(static_cast<std::uint32_t>(f[k]));
    makeNormals(mesh, crease);
  }
  setBounds(mesh);
  return mesh;
}

SceneMesh drawnHeightField(const Model& m, int id) {
  SceneMesh mesh;
  mesh.object = {ObjType::HField, id, std::string(nameOf(m, ObjType::HField, id))};
  const int rows = m.hfield_nrow[id], columns = m.hfield_ncol[id];
  const double *size = &m.hfield_size[4 * id], sx = size[0], sy = size[1], top = size[2], base = size[3];
  const float* data = &m.hfield_data[m.hfield_adr[id]];
  const auto vertex = [&](double x, double y, double z, double u, double v) {
    put(mesh.positions, Eigen::Vector3d(x, y, z).cast<float>());
    mesh.uv.insert(mesh.uv.end(), {static_cast<float>(u), static_cast<float>(v)});
    return static_cast<std::uint32_t>(mesh.positions.size() / 3 - 1);
  };
  const auto triangle = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c});
  };
  // the grid of the top, then what closes it below; walls have vertices of their own, so edges stay sharp
  const auto point = [&](int r, int c, bool low) {
    const double u = columns > 1 ? c / (columns - 1.0) : 0, v = rows > 1 ? r / (rows - 1.0) : 0;
    return vertex(sx * (2 * u - 1), sy * (2 * v - 1), low ? -base : top * data[r * columns + c], u, 1 - v);
  };
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) point(r, c, false);
  }
  const auto top_ = [&](int r, int c) { return static_cast<std::uint32_t>(r * columns + c); };
  for (int r = 0; r + 1 < rows; ++r) {
    for (int c = 0; c + 1 < columns; ++c) {
      triangle(top_(r, c), top_(r, c + 1), top_(r + 1, c));
      triangle(top_(r + 1, c), top_(r, c + 1), top_(r + 1, c + 1));
    }
  }
  const auto wall = [&](int r0, int c0, int r1, int c1) {  // seen from outside: from left to right
    const std::uint32_t a = point(r0, c0, true), b = point(r1, c1, true), c = point(r1, c1, false),
                        d = point(r0, c0, false);
    triangle(a, b, c);
    triangle(a, c, d);
  };
  for (int c = 0; c + 1 < columns; ++c) wall(0, c, 0, c + 1), wall(rows - 1, c + 1, rows - 1, c);
  for (int r = 0; r + 1 < rows; ++r) wall(r, columns - 1, r + 1, columns - 1), wall(r + 1, 0, r, 0);
  const std::uint32_t a = vertex(-sx, -sy, -base, 0, 0), b = vertex(sx, -sy, -base, 1, 0),
                      c = vertex(sx, sy, -base, 1, 1), d = vertex(-sx, sy, -base, 0, 1);
  triangle(a, c, b);
  triangle(a, d, c);
  makeNormals(mesh, 180);
  setBounds(mesh);
  return mesh;
}

}  // namespace sinew::draw
