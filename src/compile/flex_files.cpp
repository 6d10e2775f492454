#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "compile/asset_file.h"
#include "compile/flex_generate.h"
#include "compile/memory.h"
#include "compile/orientation.h"
#include "geom/fill_surface.h"
#include "geom/mesh_error.h"
#include "geom/mesh_gmsh.h"
#include "geom/mesh_load.h"

/// Flexes whose points and elements are given: in the element itself, in a mesh or in a Gmsh file.
namespace sinew::draft {
namespace {

using spec::FlexcompType;

/// Vertices with equal coordinates become one, the first of them.
void mergeVertices(geom::TriMesh& mesh) {
  std::map<std::array<float, 3>, int> known;
  std::vector<int> index;
  std::vector<float> kept;
  for (std::size_t i = 0; i < mesh.vertex.size(); i += 3) {
    // adding zero turns -0 into 0, which is the same place
    const std::array<float, 3> v{mesh.vertex[i] + 0.0f, mesh.vertex[i + 1] + 0.0f, mesh.vertex[i + 2] + 0.0f};
    const auto [found, added] = known.emplace(v, static_cast<int>(kept.size() / 3));
    if (added) kept.insert(kept.end(), v.begin(), v.end());
    index.push_back(found->second);
  }
  mesh.vertex = std::move(kept);
  for (int& v : mesh.face) v = index[v];
}

/// Tetrahedra inside a closed surface. Their cells are cubes after scaling, if the sides of the surface allow it.
void fillMesh(const Draft& draft, const spec::Flexcomp& f, const geom::TriMesh& mesh, FlexShape& shape) {
  const Vec3 scale = toVec3(f.scale);
  std::vector<Vec3> vertices;
  for (std::size_t i = 0; i < mesh.vertex.size(); i += 3) {
    vertices.push_back(scale.cwiseProduct(Vec3(mesh.vertex[i], mesh.vertex[i + 1], mesh.vertex[i + 2])));
  }
  Vec3 low = vertices[0], high = low;
  for (const Vec3& x : vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  // two points and twelve tetrahedra per cell, if the surface fills its box
  const Vec3 cells = (*f.fill * (high - low) / (high - low).maxCoeff()).cwiseMax(1);
  chargeFlexcomp(draft, f, 3, 2 * cells.prod(), 12 * cells.prod());
  geom::TetMesh solid = geom::fillSurface(vertices, mesh.face, *f.fill);
  for (const Vec3& x : solid.vertex) shape.points.push_back(x.cwiseQuotient(scale));
  shape.elements = std::move(solid.tetrahedron);
}

void takeMesh(const Draft& draft, const spec::Flexcomp& f, const std::vector<unsigned char>& bytes, const Place& place,
              FlexShape& shape) {
  const geom::MeshFormat format = geom::meshFormat(f.file);
  if (format == geom::MeshFormat::Msh) place.fail("a flex cannot be made from the reference engine's MSH files");
  if (shape.dim == 1 && format == geom::MeshFormat::Obj) {
    // lines of an OBJ file
    const geom::SegmentMesh lines = geom::loadObjLines(bytes);
    for (std::size_t i = 0; i < lines.vertex.size(); i += 3) {
      shape.points.emplace_back(lines.vertex[i], lines.vertex[i + 1], lines.vertex[i + 2]);
    }
    shape.elements = lines.segment;
    if (!shape.elements.empty()) return;
    shape.points.clear();
  }
  geom::TriMesh mesh = geom::loadMesh(bytes, format);
  mergeVertices(mesh);
  if (mesh.face.empty()) place.fail(fmt::format("file \"{}\" has no triangles", f.file));
  if (f.fill) return fillMesh(draft, f, mesh, shape);
  if (shape.dim == 3) {
    if (!f.center) place.fail("'fill' or 'origin' must be given to make a solid from a surface");
    shape.points.push_back(toVec3(*f.center));
  }
  for (std::size_t i = 0; i < mesh.vertex.size(); i += 3) {
    shape.points.emplace_back(mesh.vertex[i], mesh.vertex[i + 1], mesh.vertex[i + 2]);
  }
  for (std::size_t i = 0; i < mesh.face.size(); i += 3) {
    const int a = mesh.face[i], b = mesh.face[i + 1], c = mesh.face[i + 2];
    if (shape.dim == 1) shape.add({a, b});
    if (shape.dim == 2) shape.add({a, b, c});
    if (shape.dim < 3) continue;
    // triangles that the origin sees from behind, or edge-on, make no tetrahedron
    const auto side = [&](int v) -> Vec3 { return shape.points[static_cast<std::size_t>(v) + 1] - shape.points[0]; };
    if (side(a).cross(side(b)).dot(side(c)) >= kMinVal) shape.add({0, a + 1, b + 1, c + 1});
  }
}

void takeGmsh(const std::vector<unsigned char>& bytes, FlexShape& shape) {
  geom::SimplexMesh mesh = geom::loadGmsh(bytes);
  shape.dim = mesh.dim;
  for (std::size_t i = 0; i < mesh.vertex.size(); i += 3) {
    shape.points.emplace_back(mesh.vertex[i], mesh.vertex[i + 1], mesh.vertex[i + 2]);
  }
  shape.elements = std::move(mesh.element);
}

}  // namespace

void takeShape(const Draft& draft, const spec::Flexcomp& f, const Place& place, FlexShape& shape) {
  if (f.type == FlexcompType::Direct) {
    if (f.point.size() % 3 != 0) {
      place.fail(fmt::format("'point' needs a multiple of 3 numbers, found {}", f.point.size()));
    }
    for (std::size_t i = 0; i < f.point.size(); i += 3) {
      shape.points.emplace_back(f.point[i], f.point[i + 1], f.point[i + 2]);
    }
    shape.elements = f.element;
    return;
  }
  if (f.file.empty()) place.fail("'file' must be given");
  const std::vector<unsigned char> bytes = readAsset(f.directory, f.file, draft.compiler().strippath, place);
  try {
    f.type == FlexcompType::Mesh ? takeMesh(draft, f, bytes, place, shape) : takeGmsh(bytes, shape);
  } catch (const geom::MeshError& e) {
    place.fail(fmt::format("file \"{}\": {}", f.file, e.what()));
  }
}

}  // namespace sinew::draft
