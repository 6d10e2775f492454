#include "support/posed_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geom/convex_hull.h"
#include "geom/hull_polygons.h"
#include "geom/support.h"
#include "math/quat.h"

namespace sinew::test {

struct OwnedShape::Storage {
  std::vector<float> vertex;
  std::vector<int> graph;
  std::array<int, geom::kNumHullSeeds> seeds{};
  geom::HullPolygons polygons;
  std::vector<float> elevation;
};

OwnedShape OwnedShape::at(const Vec3& pos, const Mat3& rot) const {
  OwnedShape moved = *this;
  moved.shape.pos = pos;
  moved.shape.rot = rot;
  return moved;
}

OwnedShape makeShape(GeomType type, const Vec3& size) {
  OwnedShape owned;
  owned.shape.type = type;
  owned.shape.size = size;
  switch (type) {
    case GeomType::Sphere:
      owned.shape.rbound = size[0];
      break;
    case GeomType::Capsule:
      owned.shape.rbound = size[0] + size[1];
      break;
    case GeomType::Cylinder:
      owned.shape.rbound = std::hypot(size[0], size[1]);
      break;
    case GeomType::Ellipsoid:
      owned.shape.rbound = size.maxCoeff();
      break;
    case GeomType::Box:
      owned.shape.rbound = size.norm();
      break;
    default:
      break;
  }
  return owned;
}

OwnedShape makeMesh(const std::vector<double>& points, bool withGraph) {
  OwnedShape owned;
  owned.storage = std::make_shared<OwnedShape::Storage>();
  OwnedShape::Storage& s = *owned.storage;
  owned.shape.type = GeomType::Mesh;
  s.vertex.assign(points.begin(), points.end());
  geom::HullView& hull = owned.shape.hull;
  hull.vertex = s.vertex;
  for (std::size_t i = 0; i < points.size(); i += 3) {
    owned.shape.rbound = std::max(owned.shape.rbound, std::hypot(points[i], points[i + 1], points[i + 2]));
  }
  if (!withGraph) return owned;
  const geom::HullGraph graph = geom::convexHull(points);
  s.graph = graph.packed();
  s.polygons = geom::hullPolygons(graph, points);
  geom::setPolygonNormals(s.polygons, points);
  hull.graph = s.graph;
  s.seeds = geom::hullSeeds(hull);
  hull.seeds = s.seeds;
  hull.polynum = s.polygons.numPolygons();
  hull.polynormal = s.polygons.normal.data();
  hull.polyvertadr = s.polygons.vertexAdr.data();
  hull.polyvertnum = s.polygons.vertexNum.data();
  hull.polyvert = s.polygons.vertex.data();
  hull.polymapadr = s.polygons.mapAdr.data();
  hull.polymapnum = s.polygons.mapNum.data();
  hull.polymap = s.polygons.map.data();
  return owned;
}

OwnedShape makeBoxMesh(const Vec3& h) {
  std::vector<double> points;
  for (int corner = 0; corner < 8; ++corner) {
    for (int i = 0; i < 3; ++i) points.push_back(corner >> i & 1 ? h[i] : -h[i]);
  }
  return makeMesh(points);
}

OwnedShape makeField(int nrow, int ncol, const std::array<double, 4>& size, std::vector<float> elevation) {
  OwnedShape owned;
  owned.storage = std::make_shared<OwnedShape::Storage>();
  owned.storage->elevation = std::move(elevation);
  owned.storage->elevation.resize(static_cast<std::size_t>(nrow * ncol));
  owned.shape.type = GeomType::HField;
  owned.shape.field = {nrow, ncol, size, owned.storage->elevation};
  return owned;
}

Vec3 randomVector(std::mt19937& rng, double low, double high) {
  std::uniform_real_distribution<double> uniform(low, high);
  const double x = uniform(rng), y = uniform(rng), z = uniform(rng);
  return {x, y, z};
}

Mat3 randomRotation(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  Quat q;
  q.w = normal(rng);
  q.x = normal(rng);
  q.y = normal(rng);
  q.z = normal(rng);
  return toMatrix(normalized(q));
}

OwnedShape randomShape(GeomType type, std::mt19937& rng) {
  if (type != GeomType::Mesh) return makeShape(type, randomVector(rng, 0.05, 0.2));
  // few points: searched through; many: climbed over
  const int count = std::uniform_int_distribution<int>(0, 1)(rng) == 0 ? 7 : 40;
  std::vector<double> points;
  for (int i = 0; i < count; ++i) {
    const Vec3 p = randomVector(rng, -1, 1).normalized().cwiseProduct(Vec3(0.15, 0.1, 0.2));
    points.insert(points.end(), p.begin(), p.end());
  }
  return makeMesh(points);
}

double reach(const geom::Shape& shape, const Vec3& n) {
  const Vec3 d = shape.rot.transpose() * n;
  const Vec3& s = shape.size;
  const double center = shape.pos.dot(n);
  switch (shape.type) {
    case GeomType::Sphere:
      return center + s[0];
    case GeomType::Capsule:
      return center + s[0] + s[1] * std::abs(d[2]);
    case GeomType::Ellipsoid:
      return center + s.cwiseProduct(d).norm();
    case GeomType::Cylinder:
      return center + s[0] * std::hypot(d[0], d[1]) + s[1] * std::abs(d[2]);
    case GeomType::Box:
      return center + s.dot(d.cwiseAbs());
    default:
      break;
  }
  double farthest = -1e300;
  for (std::size_t i = 0; i < shape.hull.vertex.size(); i += 3) {
    const float* v = shape.hull.vertex.data() + i;
    farthest = std::max(farthest, d[0] * v[0] + d[1] * v[1] + d[2] * v[2]);
  }
  return center + farthest;
}

double separation(const geom::Shape& a, const geom::Shape& b, const Vec3& n) { return -reach(b, -n) - reach(a, n); }

double bruteForceDistance(const geom::Shape& a, const geom::Shape& b) {
  return largestSeparation([&](const Vec3& n) { return separation(a, b, n); });
}

double largestSeparation(const std::function<double(const Vec3&)>& separationAlong) {
  // start from the best of many directions spread evenly (a spiral), then shrink a ring of trial directions around it
  constexpr int kDirections = 1200, kStarts = 3, kRing = 8, kRounds = 2000;
  std::vector<std::pair<double, Vec3>> found;
  for (int i = 0; i < kDirections; ++i) {
    const double z = 1 - (2.0 * i + 1) / kDirections, angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double r = std::sqrt(1 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    found.emplace_back(separationAlong(n), n);
  }
  std::partial_sort(found.begin(), found.begin() + kStarts, found.end(),
                    [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = -1e300;
  for (int start = 0; start < kStarts; ++start) {
    auto [value, n] = found[start];
    int rounds = 0;
    for (double size = 0.05; size > 1e-7 && ++rounds < kRounds;) {
      const Vec3 u = n.unitOrthogonal(), v = n.cross(u);
      bool better = false;
      for (int k = 0; k < kRing; ++k) {
        const double angle = 2 * std::numbers::pi * k / kRing;
        const Vec3 trial = (n + size * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
        const double trialValue = separationAlong(trial);
        if (trialValue > value) {
          value = trialValue;
          n = trial;
          better = true;
        }
      }
      if (!better) size *= 0.6;
    }
    best = std::max(best, value);
  }
  return best;
}

}  // namespace sinew::test
