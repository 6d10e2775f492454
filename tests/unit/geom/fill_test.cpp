#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "geom/fill_surface.h"
#include "geom/mesh_error.h"
#include "support/sample_meshes.h"
#include "support/tolerance.h"

namespace sinew::geom {
namespace {

using test::tolerance;

struct Triangles {
  std::vector<Vec3> vertex;
  std::vector<int> face;
};

Triangles trianglesOf(const TriMesh& mesh) {
  Triangles t;
  for (std::size_t i = 0; i < mesh.vertex.size(); i += 3) {
    t.vertex.emplace_back(mesh.vertex[i], mesh.vertex[i + 1], mesh.vertex[i + 2]);
  }
  t.face = mesh.face;
  return t;
}

/// Points on a grid that is closed in both directions: tori.
Triangles torus(double major, double minor, int n, int k) {
  Triangles t;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < k; ++j) {
      const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / k;
      const double r = major + minor * std::cos(b);
      t.vertex.emplace_back(r * std::cos(a), r * std::sin(a), minor * std::sin(b));
      const int p00 = i * k + j, p10 = (i + 1) % n * k + j, p01 = i * k + (j + 1) % k,
                p11 = (i + 1) % n * k + (j + 1) % k;
      t.face.insert(t.face.end(), {p00, p10, p11, p00, p11, p01});
    }
  }
  return t;
}

/// A cube whose faces are divided into n x n squares and pressed onto a sphere.
Triangles sphere(double radius, int n) {
  Triangles t;
  std::map<std::array<int, 3>, int> index;
  const auto at = [&](std::array<int, 3> p) {
    const auto [found, added] = index.emplace(p, static_cast<int>(t.vertex.size()));
    if (added)
      t.vertex.push_back(radius * Vec3(2.0 * p[0] / n - 1, 2.0 * p[1] / n - 1, 2.0 * p[2] / n - 1).normalized());
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const int end : {0, n}) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const auto corner = [&](int di, int dj) {
            std::array<int, 3> p;
            p[axis] = end;
            p[(axis + 1) % 3] = i + di;
            p[(axis + 2) % 3] = j + dj;
            return at(p);
          };
          const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
          if (end) {
            t.face.insert(t.face.end(), {a, b, c, a, c, d});
          } else {
            t.face.insert(t.face.end(), {a, c, b, a, d, c});
          }
        }
      }
    }
  }
  return t;
}

double volumeOf(const Triangles& t) {
  double sum = 0;
  for (std::size_t i = 0; i < t.face.size(); i += 3) {
    const auto x = [&](std::size_t k) { return t.vertex[t.face[i + k]]; };
    sum += x(0).cross(x(1)).dot(x(2)) / 6;
  }
  return sum;
}

struct Quality {
  double volume = 0;
  double leastVolume = 1e300;  ///< of a tetrahedron, as a share of the cell
  double leastAngle = 180;     ///< between two faces, degrees
  double greatestAngle = 0;
};

Quality qualityOf(const TetMesh& mesh) {
  Quality q;
  for (std::size_t i = 0; i < mesh.tetrahedron.size(); i += 4) {
    std::array<Vec3, 4> x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = mesh.vertex[mesh.tetrahedron[i + k]];
    const double volume = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6;
    q.volume += volume;
    q.leastVolume = std::min(q.leastVolume, volume);
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) {
        std::array<std::size_t, 2> others{};
        std::size_t n = 0;
        for (std::size_t c = 0; c < 4; ++c) {
          if (c != a && c != b) others[n++] = c;
        }
        const Vec3 along = (x[b] - x[a]).normalized();
        const auto across = [&](std::size_t c) {
          const Vec3 v = x[c] - x[a];
          return Vec3((v - along * along.dot(v)).normalized());
        };
        const double cosine = std::clamp(across(others[0]).dot(across(others[1])), -1.0, 1.0);
        const double angle = std::acos(cosine) * 180 / std::numbers::pi;
        q.leastAngle = std::min(q.leastAngle, angle);
        q.greatestAngle = std::max(q.greatestAngle, angle);
      }
    }
  }
  return q;
}

/// Faces that only one tetrahedron has must form a closed surface, and no face may have three.
void expectConforming(const TetMesh& mesh) {
  std::map<std::set<int>, int> faces;
  for (std::size_t i = 0; i < mesh.tetrahedron.size(); i += 4) {
    for (std::size_t skip = 0; skip < 4; ++skip) {
      std::set<int> face;
      for (std::size_t k = 0; k < 4; ++k) {
        if (k != skip) face.insert(mesh.tetrahedron[i + k]);
      }
      ++faces[face];
    }
  }
  std::map<std::set<int>, int> edges;
  for (const auto& [face, count] : faces) {
    ASSERT_LE(count, 2);
    if (count == 2) continue;
    for (const int v : face) {
      std::set<int> edge = face;
      edge.erase(v);
      ++edges[edge];
    }
  }
  for (const auto& [edge, count] : edges) ASSERT_EQ(count % 2, 0);
}

struct Body {
  const char* name;
  Triangles surface;
};

std::vector<Body> bodies() {
  return {{"cube", trianglesOf(test::boxMesh(Vec3(1, 1, 1)))},
          {"box", trianglesOf(test::boxMesh(Vec3(1, 0.31, 0.17)))},
          {"L", trianglesOf(test::lPrismMesh())},
          {"tetrahedron", trianglesOf(test::tetrahedronMesh(1, 1.3, 0.9))},
          {"sphere", sphere(1, 24)},
          {"torus", torus(1, 0.4, 48, 24)}};
}

TEST(FillSurface, TetrahedraAreWellShapedAndFitTogether) {
  for (const Body& body : bodies()) {
    for (const int cells : {4, 7, 12}) {
      SCOPED_TRACE(fmt::format("{} {}", body.name, cells));
      const TetMesh mesh = fillSurface(body.surface.vertex, body.surface.face, cells);
      const Quality q = qualityOf(mesh);
      EXPECT_GT(q.leastVolume, 0);
      EXPECT_GT(q.leastAngle, 15);
      EXPECT_LT(q.greatestAngle, 145);
      expectConforming(mesh);
    }
  }
}

// A box along the axes is met exactly; elsewhere the error of an inscribed surface falls with the square of the cell,
// and that of a bevelled edge likewise.
TEST(FillSurface, VolumeConvergesToThatOfTheSurface) {
  for (const Body& body : bodies()) {
    SCOPED_TRACE(body.name);
    const double expected = volumeOf(body.surface);
    const auto error = [&](int cells) {
      return std::abs(qualityOf(fillSurface(body.surface.vertex, body.surface.face, cells)).volume / expected - 1);
    };
    if (body.surface.face.size() == 36) {
      EXPECT_LT(error(3), tolerance(1e-12));
      continue;
    }
    EXPECT_LT(error(24), 0.3 * error(8) + 1e-12);
    EXPECT_LT(error(24), 0.02);
  }
}

TEST(FillSurface, OrientationOfTheTrianglesDoesNotMatter) {
  Triangles t = trianglesOf(test::boxMesh(Vec3(1, 1, 1)));
  std::swap(t.face[0], t.face[1]);
  EXPECT_NEAR(qualityOf(fillSurface(t.vertex, t.face, 3)).volume, 8, tolerance(1e-12));
}

// A cube in a cube: the space between them.
TEST(FillSurface, CavitiesStayEmpty) {
  const TriMesh hollow = test::joined(test::boxMesh(Vec3(1, 1, 1)), test::inverted(test::boxMesh(Vec3(0.5, 0.5, 0.5))));
  const Triangles t = trianglesOf(hollow);
  EXPECT_NEAR(qualityOf(fillSurface(t.vertex, t.face, 8)).volume, 7, tolerance(1e-9));
}

std::string errorOf(const Triangles& t, int cells) {
  try {
    fillSurface(t.vertex, t.face, cells);
  } catch (const MeshError& e) {
    return e.what();
  }
  return "no error";
}

TEST(FillSurface, OpenSurfaceIsAnErrorThatNamesAnEdge) {
  Triangles t = trianglesOf(test::boxMesh(Vec3(1, 1, 1)));
  t.face.resize(t.face.size() - 3);
  EXPECT_EQ(errorOf(t, 4),
            "the surface is not closed: the edge between vertices 1 and 3, from (-1 -1 1) to (-1 1 1), belongs to 1 "
            "triangle");
}

TEST(FillSurface, NothingFitsIntoALeaf) {
  // two triangles back to back
  const Triangles flat{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0, 1, 2, 0, 2, 1}};
  EXPECT_EQ(errorOf(flat, 4), "the surface is flat: nothing fits into it");
  // a thin slanted needle between lattice points
  const Triangles needle{{{0, 0, 0}, {1, 1, 1}, {1, 1, 1.001}, {1, 1.001, 1}}, {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}};
  EXPECT_NE(errorOf(needle, 2).find("no tetrahedron fits"), std::string::npos) << errorOf(needle, 2);
}

}  // namespace
}  // namespace sinew::geom
