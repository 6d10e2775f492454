#pragma once

#include <random>
#include <vector>

#include "geom/tri_mesh.h"
#include "math/types.h"

/// Small surfaces with known mass properties, shared by the tests of meshes.
namespace sinew::test {

/// The box [-h, h] in each axis, outward, 12 triangles.
inline geom::TriMesh boxMesh(const Vec3& h, const Vec3& center = Vec3::Zero()) {
  geom::TriMesh mesh;
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k)
      mesh.vertex.push_back(static_cast<float>(center[k] + ((i >> (2 - k)) & 1 ? h[k] : -h[k])));
  mesh.face = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
               2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
  return mesh;
}

/// Tetrahedron (0,0,0), (a,0,0), (0,b,0), (0,0,c) moved by `offset`, outward. Volume abc/6, com (a,b,c)/4.
inline geom::TriMesh tetrahedronMesh(double a, double b, double c, const Vec3& offset = Vec3::Zero()) {
  geom::TriMesh mesh;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(a, 0, 0), Vec3(0, b, 0), Vec3(0, 0, c)})
    for (int k = 0; k < 3; ++k) mesh.vertex.push_back(static_cast<float>(p[k] + offset[k]));
  mesh.face = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  return mesh;
}

/// L-shaped prism: footprint (0,0),(3,0),(3,1),(1,1),(1,2),(0,2), z from 0 to 0.5, outward, 20 triangles.
inline geom::TriMesh lPrismMesh() {
  const double outline[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
  const int caps[4][3] = {{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  geom::TriMesh mesh;
  for (const double z : {0.0, 0.5})
    for (const auto& p : outline)
      for (const double x : {p[0], p[1], z}) mesh.vertex.push_back(static_cast<float>(x));
  for (const auto& t : caps) {
    mesh.face.insert(mesh.face.end(), {t[0], t[2], t[1]});
    mesh.face.insert(mesh.face.end(), {t[0] + 6, t[1] + 6, t[2] + 6});
  }
  for (int i = 0; i < 6; ++i) {
    const int j = (i + 1) % 6;
    mesh.face.insert(mesh.face.end(), {i, j, j + 6, i, j + 6, i + 6});
  }
  return mesh;
}

/// The same surface inside out.
inline geom::TriMesh inverted(geom::TriMesh mesh) {
  for (std::size_t i = 0; i < mesh.face.size(); i += 3) std::swap(mesh.face[i + 1], mesh.face[i + 2]);
  return mesh;
}

/// Both surfaces in one mesh.
inline geom::TriMesh joined(geom::TriMesh a, const geom::TriMesh& b) {
  const int shift = a.numVertices();
  a.vertex.insert(a.vertex.end(), b.vertex.begin(), b.vertex.end());
  for (const int v : b.face) a.face.push_back(v + shift);
  return a;
}

/// n points in the cube [-1, 1]^3, 3 numbers each.
inline std::vector<double> randomPoints(int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> out;
  for (int i = 0; i < 3 * n; ++i) out.push_back(static_cast<float>(uniform(generator)));
  return out;
}

inline geom::TriMesh pointMesh(const std::vector<double>& points) {
  geom::TriMesh mesh;
  for (const double x : points) mesh.vertex.push_back(static_cast<float>(x));
  return mesh;
}

}  // namespace sinew::test
