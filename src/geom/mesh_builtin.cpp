#include "geom/mesh_builtin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "geom/mesh_error.h"

namespace sinew::geom {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kMaxVertices = 1'000'000;

// Intermediate results are rounded to float exactly where the reference engine rounds them: coordinates are computed
// in double and stored as float, except the sphere, whose midpoints are computed in float.

void addVertex(TriMesh& mesh, double x, double y, double z) {
  for (const double c : {x, y, z}) mesh.vertex.push_back(static_cast<float>(c));
}

void addVertex(TriMesh& mesh, const Vec3& p) { addVertex(mesh, p.x(), p.y(), p.z()); }

void addNormal(TriMesh& mesh, const Vec3& n) {
  for (const double c : {n.x(), n.y(), n.z()}) mesh.normal.push_back(static_cast<float>(c));
}

void addFace(TriMesh& mesh, int a, int b, int c) { mesh.face.insert(mesh.face.end(), {a, b, c}); }

TriMesh icosahedron() {
  const float phi = static_cast<float>((1.0 + std::sqrt(5.0)) / 2.0);
  TriMesh mesh;
  mesh.vertex = {-1, phi, 0,    1, phi, 0,    -1,  -phi, 0,  1,   -phi, 0, 0,    -1, phi, 0,    1, phi,
                 0,  -1,  -phi, 0, 1,   -phi, phi, 0,    -1, phi, 0,    1, -phi, 0,  -1,  -phi, 0, 1};
  const double norm = std::sqrt(1.0 + static_cast<double>(phi * phi));
  for (float& x : mesh.vertex) x = static_cast<float>(static_cast<double>(x) / norm);
  // five faces around vertex 0, their neighbours, five around vertex 3, their neighbours
  mesh.face = {0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4,  11, 10, 2,  10, 7, 6, 7, 1, 8,
               3, 9,  4, 3, 4, 2, 3, 2, 6, 3, 6, 8,  3, 8,  9,  4, 9, 5, 2, 4,  11, 6,  2,  10, 8,  6, 7, 9, 8, 1};
  return mesh;
}

/// Splits every face in four, new vertices pushed out to the unit sphere.
void subdivide(TriMesh& mesh) {
  std::map<std::pair<int, int>, int> midpoints;
  const auto midpoint = [&](int a, int b) {
    const auto [it, isNew] = midpoints.emplace(std::minmax(a, b), mesh.numVertices());
    if (isNew) {
      std::array<float, 3> m;
      for (std::size_t k = 0; k < 3; ++k)
        m[k] = (mesh.vertex[3 * std::size_t(a) + k] + mesh.vertex[3 * std::size_t(b) + k]) / 2.0f;
      const float norm = std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
      for (const float x : m) mesh.vertex.push_back(x / norm);
    }
    return it->second;
  };
  std::vector<int> coarse;
  coarse.swap(mesh.face);
  for (std::size_t i = 0; i < coarse.size(); i += 3) {
    const int a = coarse[i], b = coarse[i + 1], c = coarse[i + 2];
    const int ab = midpoint(a, b);
    const int bc = midpoint(b, c);
    const int ca = midpoint(c, a);
    addFace(mesh, a, ab, ca);
    addFace(mesh, b, bc, ab);
    addFace(mesh, c, ca, bc);
    addFace(mesh, ab, bc, ca);
  }
}

TriMesh sphere(int subdivisions) {
  TriMesh mesh = icosahedron();
  for (int i = 0; i < subdivisions; ++i) subdivide(mesh);
  return mesh;
}

/// Row r (0-based) below the pole has 4(r+1) vertices: an octahedron's upper half, refined and pushed to the sphere.
TriMesh hemisphere(int resolution) {
  const Vec3 pole(0, 0, 1);
  const std::array<Vec3, 4> equator = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(0, -1, 0)};
  TriMesh mesh;
  addVertex(mesh, pole);
  for (int row = 0; row <= resolution; ++row) {
    const double factor = static_cast<double>(row + 1) / (resolution + 1);
    for (std::size_t side = 0; side < 4; ++side) {
      const Vec3 start = pole + factor * (equator[side] - pole);
      const Vec3 end = pole + factor * (equator[(side + 1) % 4] - pole);
      const Vec3 delta = (end - start) / (row + 1);
      for (int i = 0; i <= row; ++i) {
        const Vec3 p = start + i * delta;
        addVertex(mesh, p / std::sqrt(p.x() * p.x() + p.y() * p.y() + p.z() * p.z()));
      }
    }
  }
  const int center = mesh.numVertices();
  addVertex(mesh, Vec3::Zero());

  for (int side = 0; side < 4; ++side) addFace(mesh, 0, 1 + side, 1 + (side + 1) % 4);
  for (int row = 0; row < resolution; ++row) {
    const int upper = 1 + 2 * row * (row + 1), upperCount = 4 * (row + 1);
    const int lower = upper + upperCount, lowerCount = 4 * (row + 2);
    for (int side = 0; side < 4; ++side) {
      for (int i = 0; i <= row + 1; ++i) {
        const int u = i + (row + 1) * side, l = i + (row + 2) * side;
        const int u0 = upper + u % upperCount, u1 = upper + (u + 1) % upperCount;
        const int l0 = lower + l % lowerCount, l1 = lower + (l + 1) % lowerCount;
        addFace(mesh, u0, l0, l1);
        if (i <= row) addFace(mesh, u0, l1, u1);
      }
    }
  }
  const int rim = 1 + 2 * resolution * (resolution + 1), rimCount = 4 * (resolution + 1);
  for (int i = 0; i < rimCount; ++i) addFace(mesh, rim + i, center, rim + (i + 1) % rimCount);
  return mesh;
}

TriMesh cone(int edges, double topRadius) {
  TriMesh mesh;
  const auto ring = [&](int first, double radius, double z) {
    for (int i = first; i < first + edges; ++i)
      addVertex(mesh, radius * std::cos(2 * i * kPi / edges), radius * std::sin(2 * i * kPi / edges), z);
  };
  ring(0, 1, -1);
  if (topRadius > 0) {
    ring(edges, topRadius, 1);
  } else {
    addVertex(mesh, 0, 0, 1);
  }
  return mesh;
}

/// sign(cos a) |cos a|^m and the same with the sine, the building blocks of superquadrics [Barr 1981].
double cosPower(double a, double m) { return std::copysign(std::pow(std::abs(std::cos(a)), m), std::cos(a)); }
double sinPower(double a, double m) { return std::copysign(std::pow(std::abs(std::sin(a)), m), std::sin(a)); }

TriMesh supersphere(int res, double e, double n) {
  TriMesh mesh;
  addVertex(mesh, 0, 0, -1);
  for (int i = 1; i < res; ++i) {
    const double v = -kPi / 2 + i * kPi / res;
    for (int j = 0; j < res; ++j) {
      const double u = -kPi + j * 2 * kPi / res;
      addVertex(mesh, cosPower(v, n) * cosPower(u, e), cosPower(v, n) * sinPower(u, e), sinPower(v, n));
    }
  }
  const int north = mesh.numVertices();
  addVertex(mesh, 0, 0, 1);

  const auto at = [res](int ring, int j) { return 1 + ring * res + j % res; };
  for (int j = 0; j < res; ++j) addFace(mesh, 0, at(0, j + 1), at(0, j));
  for (int i = 0; i + 2 < res; ++i) {
    for (int j = 0; j < res; ++j) {
      addFace(mesh, at(i, j), at(i, j + 1), at(i + 1, j));
      addFace(mesh, at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
    }
  }
  for (int j = 0; j < res; ++j) addFace(mesh, at(res - 2, j), at(res - 2, j + 1), north);
  return mesh;
}

TriMesh supertorus(int res, double radius, double s, double t) {
  TriMesh mesh;
  for (int i = 0; i < res; ++i) {
    const double u = 2 * kPi * i / res;
    for (int j = 0; j < res; ++j) {
      const double v = 2 * kPi * j / res;
      const double ring = 1 + radius * cosPower(v, s);
      addVertex(mesh, ring * cosPower(u, t), ring * sinPower(u, t), radius * sinPower(v, s));
    }
  }
  const auto at = [res](int i, int j) { return (i % res) * res + j % res; };
  for (int i = 0; i < res; ++i) {
    for (int j = 0; j < res; ++j) {
      addFace(mesh, at(i, j), at(i + 1, j), at(i, j + 1));
      addFace(mesh, at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
    }
  }
  return mesh;
}

/// n+1 bin edges over +-fov degrees, in radians. Foveation g pulls them towards the middle: x -> g x^5 + (1-g) x.
std::vector<double> binEdges(int n, double fov, double g) {
  std::vector<double> edges;
  double x = -1;
  for (int i = 0; i <= n; ++i, x += 2.0 / n) edges.push_back((g * std::pow(x, 5) + (1 - g) * x) * (fov * kPi / 180));
  return edges;
}

Vec3 unit(const Vec3& v) { return v.squaredNorm() < 1e-14 ? v : Vec3(v / v.norm()); }

TriMesh wedge(int columns, int rows, double fovX, double fovY, double foveation) {
  const std::vector<double> azimuths = binEdges(columns, fovX, foveation);
  const std::vector<double> elevations = binEdges(rows, fovY, foveation);
  TriMesh mesh;
  for (std::size_t i = 0; i + 1 < azimuths.size(); ++i) {
    for (std::size_t j = 0; j + 1 < elevations.size(); ++j) {
      const double a = 0.5 * (azimuths[i + 1] + azimuths[i]);
      const double e = 0.5 * (elevations[j + 1] + elevations[j]);
      addVertex(mesh, std::cos(e) * std::sin(a), std::sin(e), -std::cos(e) * std::cos(a));
      const Vec3 alongAzimuth = unit({std::cos(e) * std::cos(a), 0, std::cos(e) * std::sin(a)});
      const Vec3 alongElevation = unit({-std::sin(e) * std::sin(a), std::cos(e), std::sin(e) * std::cos(a)});
      addNormal(mesh, alongElevation.cross(alongAzimuth));
      addNormal(mesh, alongAzimuth);
      addNormal(mesh, alongElevation);
    }
  }
  return mesh;
}

TriMesh plate(int columns, int rows) {
  TriMesh mesh;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      addVertex(mesh, -1 + (i + 0.5) * (2.0 / columns), -1 + (j + 0.5) * (2.0 / rows), -1);
      for (int k = 0; k < 3; ++k) addNormal(mesh, Vec3::Unit(k));
      if (i == 0 || j == 0) continue;
      const int here = i * rows + j;
      addFace(mesh, here - rows - 1, here - 1, here - rows);
      addFace(mesh, here, here - rows, here - 1);
    }
  }
  return mesh;
}

const char* builtinName(BuiltinMesh shape) {
  switch (shape) {
    case BuiltinMesh::Sphere:
      return "sphere";
    case BuiltinMesh::Hemisphere:
      return "hemisphere";
    case BuiltinMesh::Cone:
      return "cone";
    case BuiltinMesh::Supersphere:
      return "supersphere";
    case BuiltinMesh::Supertorus:
      return "supertorus";
    case BuiltinMesh::Wedge:
      return "wedge";
    case BuiltinMesh::Plate:
      return "plate";
  }
  return "?";
}

/// Reads the parameters of one shape, naming it in errors.
struct Params {
  BuiltinMesh shape;
  std::span<const double> values;

  [[noreturn]] void fail(const std::string& what) const {
    throw MeshError(std::string("builtin ") + builtinName(shape) + ": " + what);
  }

  /// Parameter `i` truncated to an integer in [lo, hi].
  int integer(std::size_t i, const char* name, int lo, int hi) const {
    const double x = std::trunc(values[i]);
    if (!(x >= lo && x <= hi))
      fail(std::string(name) + " must be between " + std::to_string(lo) + " and " + std::to_string(hi));
    return static_cast<int>(x);
  }

  double real(std::size_t i, const char* name, double lo, double hi, bool openBelow) const {
    const double x = values[i];
    if (!(x <= hi && (openBelow ? x > lo : x >= lo)))
      fail(std::string(name) + " must be " + (openBelow ? "above " : "at least ") + std::to_string(lo) +
           (hi < kMaxVal ? " and at most " + std::to_string(hi) : std::string()));
    return x;
  }

  /// Two resolutions whose product is bounded.
  std::pair<int, int> grid(int lo) const {
    const int columns = integer(0, "horizontal resolution", lo, kMaxVertices);
    const int rows = integer(1, "vertical resolution", lo, kMaxVertices);
    if (static_cast<long long>(columns) * rows > kMaxVertices)
      fail("more than " + std::to_string(kMaxVertices) + " vertices");
    return {columns, rows};
  }
};

}  // namespace

int builtinParamCount(BuiltinMesh shape) {
  switch (shape) {
    case BuiltinMesh::Sphere:
    case BuiltinMesh::Hemisphere:
      return 1;
    case BuiltinMesh::Cone:
    case BuiltinMesh::Plate:
      return 2;
    case BuiltinMesh::Supersphere:
      return 3;
    case BuiltinMesh::Supertorus:
      return 4;
    case BuiltinMesh::Wedge:
      return 5;
  }
  return 0;
}

bool builtinIsShell(BuiltinMesh shape) { return shape == BuiltinMesh::Plate; }

TriMesh builtinMesh(BuiltinMesh shape, std::span<const double> params) {
  constexpr int kMaxResolution = 1000;
  const Params p{shape, params};
  if (static_cast<int>(params.size()) != builtinParamCount(shape))
    p.fail("'params' needs " + std::to_string(builtinParamCount(shape)) + " numbers, found " +
           std::to_string(params.size()));
  switch (shape) {
    case BuiltinMesh::Sphere:
      return sphere(p.integer(0, "subdivision", 0, 4));
    case BuiltinMesh::Hemisphere:
      return hemisphere(p.integer(0, "resolution", 0, 10));
    case BuiltinMesh::Cone:
      return cone(p.integer(0, "number of edges", 3, kMaxVertices / 2), p.real(1, "top radius", 0, kMaxVal, false));
    case BuiltinMesh::Supersphere:
      return supersphere(p.integer(0, "resolution", 3, kMaxResolution), p.real(1, "'e'", 0, kMaxVal, false),
                         p.real(2, "'n'", 0, kMaxVal, false));
    case BuiltinMesh::Supertorus:
      return supertorus(p.integer(0, "resolution", 3, kMaxResolution), p.real(1, "radius", 0, 1, true),
                        p.real(2, "'s'", 0, kMaxVal, true), p.real(3, "'t'", 0, kMaxVal, true));
    case BuiltinMesh::Wedge: {
      const auto [columns, rows] = p.grid(1);
      return wedge(columns, rows, p.real(2, "horizontal field of view", 0, 180, true),
                   p.real(3, "vertical field of view", 0, 90, true), p.real(4, "foveation", 0, 1, false));
    }
    case BuiltinMesh::Plate: {
      const auto [columns, rows] = p.grid(1);
      return plate(columns, rows);
    }
  }
  p.fail("unknown shape");
}

}  // namespace sinew::geom
