#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "compile/tree.h"
#include "math/types.h"
#include "scene/parts.h"

namespace sinew::draw {
namespace {

/// Edges of a solid that are sharper than this at rest stay edges in the picture.
constexpr double kCreaseDegrees = 40;

/// A triangle of the surface: vertices of the flex, their texture coordinates, and the element it is a side of.
struct Face {
  std::array<int, 3> vertex{};
  std::array<int, 3> tex{};
  int element = 0;
};

Vec3 restPosition(const Model& m, int f, int vertex) {
  const ConstMapVec3 unit = vec3(m.flex_vert0.data(), m.flex_vertadr[f] + vertex);
  return 2 * unit.cwiseProduct(vec3(m.flex_size.data(), f));
}

/// The elements of a sheet.
std::vector<Face> sheetFaces(const Model& m, int f, const spec::Flex* listed) {
  std::vector<Face> faces(static_cast<std::size_t>(m.flex_elemnum[f]));
  const bool own = listed && static_cast<int>(listed->elemtexcoord.size()) == 3 * m.flex_elemnum[f];
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    Face& face = faces[e];
    face.element = e;
    for (int k = 0; k < 3; ++k) {
      const std::size_t c = static_cast<std::size_t>(k);
      face.vertex[c] = m.flex_elem[m.flex_elemdataadr[f] + 3 * e + k];
      face.tex[c] = own ? listed->elemtexcoord[3 * e + k] : face.vertex[c];
    }
  }
  return faces;
}

/// The boundary of a solid, each triangle with the element it belongs to.
std::vector<Face> solidFaces(const Model& m, int f) {
  std::map<std::array<int, 3>, int> elementOf;
  static constexpr int kSides[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const int* v = &m.flex_elem[m.flex_elemdataadr[f] + 4 * e];
    for (const auto& side : kSides) {
      std::array<int, 3> key{v[side[0]], v[side[1]], v[side[2]]};
      std::sort(key.begin(), key.end());
      elementOf[key] = e;
    }
  }
  std::vector<Face> faces(static_cast<std::size_t>(m.flex_shellnum[f]));
  for (int s = 0; s < m.flex_shellnum[f]; ++s) {
    Face& face = faces[s];
    for (int k = 0; k < 3; ++k) {
      face.vertex[k] = m.flex_shell[m.flex_shelldataadr[f] + 3 * s + k];
    }
    face.tex = face.vertex;
    std::array<int, 3> key = face.vertex;
    std::sort(key.begin(), key.end());
    const auto found = elementOf.find(key);
    face.element = found == elementOf.end() ? 0 : found->second;
  }
  return faces;
}

/// Texture coordinates of the flex: 2 numbers each, empty if there are none to be had.
std::vector<float> textureCoordinates(const Model& m, int f, const FlexSource& source) {
  const int n = m.flex_vertnum[f];
  if (source.base && !source.base->texcoord.empty()) return source.base->texcoord;
  std::vector<float> uv;
  uv.reserve(2 * static_cast<std::size_t>(n));
  // a grid in the order of its points, else the two longest sides of the box at rest
  const spec::Flexcomp* comp = source.generated;
  if (comp && comp->type == spec::FlexcompType::Grid && comp->dim == 2 && comp->count.size() >= 2 &&
      comp->count[0] * comp->count[1] == n && comp->count[0] > 1 && comp->count[1] > 1) {
    for (int i = 0; i < comp->count[0]; ++i) {
      for (int j = 0; j < comp->count[1]; ++j) {
        uv.push_back(static_cast<float>(i) / static_cast<float>(comp->count[0] - 1));
        uv.push_back(static_cast<float>(j) / static_cast<float>(comp->count[1] - 1));
      }
    }
    return uv;
  }
  std::array<int, 3> axis{0, 1, 2};
  const ConstMapVec3 size = vec3(m.flex_size.data(), f);
  std::stable_sort(axis.begin(), axis.end(), [&](int a, int b) { return size[a] > size[b]; });
  for (int v = 0; v < n; ++v) {
    const ConstMapVec3 p = vec3(m.flex_vert0.data(), m.flex_vertadr[f] + v);
    const int a = std::min(axis[0], axis[1]), b = std::max(axis[0], axis[1]);
    uv.push_back(static_cast<float>(p[a]));
    uv.push_back(static_cast<float>(1 - p[b]));
  }
  return uv;
}

/// Splits the corners of each vertex into groups of faces that belong to one smooth surface at rest. Returns the group
/// of each corner, counted per vertex.
std::vector<int> smoothGroups(const Model& m, int f, const std::vector<Face>& faces, bool flat, bool split) {
  std::vector<int> group(3 * faces.size(), 0);
  if (flat) {
    for (std::size_t k = 0; k < group.size(); ++k) group[k] = static_cast<int>(k / 3);
    return group;
  }
  if (!split) return group;
  std::vector<Vec3> normal;
  for (const Face& face : faces) {
    const Vec3 a = restPosition(m, f, face.vertex[0]);
    normal.push_back(
        normalizedOrX((restPosition(m, f, face.vertex[1]) - a).cross(restPosition(m, f, face.vertex[2]) - a)));
  }
  std::vector<std::vector<std::size_t>> corners(static_cast<std::size_t>(m.flex_vertnum[f]));
  for (std::size_t k = 0; k < group.size(); ++k) {
    corners[faces[k / 3].vertex[k % 3]].push_back(k);
  }
  const double least = std::cos(kCreaseDegrees * std::numbers::pi / 180);
  for (const auto& around : corners) {
    // greedy: a corner joins the first group whose first face looks the same way
    std::vector<std::size_t> leaders;
    for (const std::size_t k : around) {
      std::size_t g = 0;
      while (g < leaders.size() && normal[leaders[g] / 3].dot(normal[k / 3]) < least) ++g;
      if (g == leaders.size()) leaders.push_back(k);
      group[k] = static_cast<int>(g);
    }
  }
  return group;
}

/// Adds one side of the surface; returns the first drawn vertex.
std::uint32_t addSide(const std::vector<Face>& faces, const std::vector<int>& group, const std::vector<float>& uv,
                      float offset, bool back, SceneFlex& flex) {
  const std::uint32_t first = static_cast<std::uint32_t>(flex.source.size());
  std::map<std::array<int, 3>, std::uint32_t> vertices;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    std::array<std::uint32_t, 3> triangle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::array<int, 3> key{faces[i].vertex[k], uv.empty() ? 0 : faces[i].tex[k], group[3 * i + k]};
      const auto [entry, isNew] = vertices.try_emplace(key, static_cast<std::uint32_t>(flex.source.size()));
      if (isNew) {
        flex.source.push_back(key[0]);
        flex.offset.push_back(offset);
        if (!uv.empty()) {
          const std::size_t t = 2 * static_cast<std::size_t>(std::max(0, faces[i].tex[k]));
          const bool valid = t + 1 < uv.size();
          flex.uv.insert(flex.uv.end(), {valid ? uv[t] : 0, valid ? uv[t + 1] : 0});
        }
      }
      triangle[k] = entry->second;
    }
    if (back) std::swap(triangle[1], triangle[2]);
    flex.indices.insert(flex.indices.end(), triangle.begin(), triangle.end());
    flex.element.push_back(faces[i].element);
  }
  return first;
}

/// Closes the boundary of a sheet between its front and its back.
void addRim(const std::vector<Face>& faces, SceneFlex& flex) {
  std::map<std::array<int, 2>, int> count;
  for (const Face& face : faces) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = face.vertex[k], b = face.vertex[(k + 1) % 3];
      ++count[{std::min(a, b), std::max(a, b)}];
    }
  }
  const std::size_t triangles = faces.size();
  for (std::size_t i = 0; i < triangles; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t l = (k + 1) % 3;
      const int a = faces[i].vertex[k], b = faces[i].vertex[l];
      if (count[{std::min(a, b), std::max(a, b)}] != 1) continue;
      // the back has the same corners in the other order
      constexpr std::size_t kBack[3] = {0, 2, 1};
      const std::uint32_t fa = flex.indices[3 * i + k], fb = flex.indices[3 * i + l];
      const std::uint32_t ba = flex.indices[3 * (triangles + i) + kBack[k]],
                          bb = flex.indices[3 * (triangles + i) + kBack[l]];
      flex.indices.insert(flex.indices.end(), {fa, ba, fb, fb, ba, bb});
      flex.element.insert(flex.element.end(), {faces[i].element, faces[i].element});
    }
  }
}

}  // namespace

std::vector<FlexSource> flexSources(const Spec& spec) {
  std::vector<FlexSource> flexes;
  for (const spec::Flex& flex : spec.flexes) flexes.push_back({&flex, &flex, nullptr});
  draft::visitTree(
      spec.world, [](const spec::Body&, int) {},
      [&](const spec::Flexcomp& flexcomp, int) {
        flexes.push_back({&flexcomp, nullptr, &flexcomp});
        return 0;
      });
  return flexes;
}

SceneFlex drawnFlex(const Model& m, int f, const FlexSource& source, bool textured) {
  SceneFlex flex;
  flex.object = {ObjType::Flex, f, std::string(nameOf(m, ObjType::Flex, f))};
  flex.dim = m.flex_dim[f];
  flex.group = m.flex_group[f];
  flex.radius = static_cast<float>(m.flex_radius[f]);
  flex.flat = source.base && source.base->flatskin;
  if (flex.dim == 1) {
    for (int v = 0; v < m.flex_vertnum[f]; ++v) flex.source.push_back(v);
    flex.offset.assign(flex.source.size(), 0);
    for (int e = 0; e < m.flex_elemnum[f]; ++e) {
      for (int k = 0; k < 2; ++k) {
        flex.lines.push_back(static_cast<std::uint32_t>(m.flex_elem[m.flex_elemdataadr[f] + 2 * e + k]));
      }
      flex.element.push_back(e);
    }
  } else {
    const std::vector<Face> faces = flex.dim == 2 ? sheetFaces(m, f, source.listed) : solidFaces(m, f);
    const std::vector<float> uv = textured ? textureCoordinates(m, f, source) : std::vector<float>();
    if (!uv.empty()) flex.map = TextureMap::Uv;
    const std::vector<int> group = smoothGroups(m, f, faces, flex.flat, flex.dim == 3);
    addSide(faces, group, uv, flex.radius, false, flex);
    flex.surfaceTriangles = static_cast<int>(faces.size());
    if (flex.dim == 2 && flex.radius > 0) addSide(faces, group, uv, -flex.radius, true, flex);
    flex.rimTriangle = static_cast<int>(flex.indices.size() / 3);
    if (flex.dim == 2 && flex.radius > 0) addRim(faces, flex);
  }
  flex.vertexNum = static_cast<int>(flex.source.size());
  return flex;
}

}  // namespace sinew::draw
