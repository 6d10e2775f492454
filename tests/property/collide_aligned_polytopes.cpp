#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "geom/collide.h"
#include "math/quat.h"
#include "support/posed_shapes.h"
#include "support/tolerance.h"

// Convex polyhedra that lie on each other almost exactly: side on side, edges along each other, centres on a line of
// symmetry, turned by 1e-12 to 1e-6. Many vertices of their Minkowski difference then lie in a plane or on a line up to
// rounding, which is the hardest case for the expanding polytope.
namespace sinew::test {
namespace {

using geom::CollideOptions;
using geom::ContactPoint;

/// A polyhedron with the sides and edges of its hull, in its own frame.
struct Polyhedron {
  std::string name;
  OwnedShape owned;
  std::vector<Vec3> normals;                ///< of the sides
  std::vector<std::vector<Vec3>> polygons;  ///< corners of the sides
  std::vector<Vec3> edges;                  ///< directions, each once
};

Vec3 vertexOf(const geom::HullView& hull, int i) {
  const float* v = hull.vertex.data() + 3 * static_cast<std::size_t>(i);
  return {v[0], v[1], v[2]};
}

Polyhedron polyhedron(std::string name, const std::vector<Vec3>& points) {
  std::vector<double> flat;
  for (const Vec3& p : points) flat.insert(flat.end(), {p[0], p[1], p[2]});
  Polyhedron result{std::move(name), makeMesh(flat), {}, {}, {}};
  const geom::HullView& hull = result.owned.shape.hull;
  std::set<std::pair<int, int>> seen;
  for (int k = 0; k < hull.polynum; ++k) {
    result.normals.emplace_back(hull.polynormal[3 * k], hull.polynormal[3 * k + 1], hull.polynormal[3 * k + 2]);
    std::vector<Vec3>& corners = result.polygons.emplace_back();
    const int count = hull.polyvertnum[k];
    const int* vertex = hull.polyvert + hull.polyvertadr[k];
    for (int i = 0; i < count; ++i) {
      const int from = vertex[i], to = vertex[(i + 1) % count];
      corners.push_back(vertexOf(hull, from));
      if (seen.insert({std::min(from, to), std::max(from, to)}).second) {
        result.edges.push_back(vertexOf(hull, to) - vertexOf(hull, from));
      }
    }
  }
  return result;
}

Polyhedron box(const Vec3& h) {
  std::vector<Vec3> p;
  for (int c = 0; c < 8; ++c) p.emplace_back(c & 1 ? h[0] : -h[0], c & 2 ? h[1] : -h[1], c & 4 ? h[2] : -h[2]);
  return polyhedron("box", p);
}

Polyhedron prism(int sides, double radius, double half) {
  std::vector<Vec3> p;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    for (const double z : {-half, half}) p.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  return polyhedron("prism of " + std::to_string(sides), p);
}

Polyhedron octahedron(double radius) {
  std::vector<Vec3> p;
  for (int i = 0; i < 3; ++i) {
    p.push_back(radius * Vec3::Unit(i));
    p.push_back(-radius * Vec3::Unit(i));
  }
  return polyhedron("octahedron", p);
}

Polyhedron randomHull(std::mt19937& rng) {
  std::vector<Vec3> p;
  for (int i = 0; i < 14; ++i) p.push_back(randomVector(rng, -1, 1).normalized().cwiseProduct(Vec3(0.12, 0.08, 0.1)));
  return polyhedron("hull", p);
}

/// The shortest way out: the largest separation over the directions in which two convex polyhedra can be nearest, the
/// normals of their sides and the normals across pairs of edges.
double exactSeparation(const Polyhedron& a, const geom::Shape& at, const Polyhedron& b, const geom::Shape& bt) {
  double best = -1e300;
  const auto along = [&](const Vec3& n) { best = std::max(best, separation(at, bt, n)); };
  for (const Vec3& n : a.normals) along(at.rot * n);
  for (const Vec3& n : b.normals) along(-(bt.rot * n));
  for (const Vec3& e : a.edges) {
    for (const Vec3& f : b.edges) {
      const Vec3 n = (at.rot * e).cross(bt.rot * f);
      if (n.norm() < 1e-14 * e.norm() * f.norm()) continue;  // no direction left
      along(n.normalized());
      along(-n.normalized());
    }
  }
  return best;
}

struct Placement {
  geom::Shape a, b;
  double tilt = 0;
};

/// A side of b on a side of a, `depth` inside, corners along corners or turned, on a line of symmetry or not.
Placement place(const Polyhedron& a, const Polyhedron& b, std::mt19937& rng) {
  const auto pick = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(rng); };
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(rng); };
  const std::size_t sideA = pick(a.normals.size()), sideB = pick(b.normals.size());
  const auto frameOf = [](const Polyhedron& s, std::size_t side) {
    Mat3 frame;  // columns: along the first edge, across it, outward
    frame.col(2) = s.normals[side];
    frame.col(0) = (s.polygons[side][1] - s.polygons[side][0]).normalized();
    frame.col(0) = (frame.col(0) - frame.col(2) * frame.col(2).dot(frame.col(0))).normalized();
    frame.col(1) = frame.col(2).cross(frame.col(0));
    return frame;
  };
  const auto middleOf = [](const std::vector<Vec3>& polygon) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : polygon) sum += p;
    return Vec3(sum / static_cast<double>(polygon.size()));
  };
  const Mat3 frameA = frameOf(a, sideA), frameB = frameOf(b, sideB);
  const Vec3 n = frameA.col(2), middle = middleOf(a.polygons[sideA]);

  constexpr std::array<double, 5> kTurns = {0, 0, 0.25, 0.125, 1.0 / 6};
  const std::size_t turn = pick(kTurns.size() + 1);
  const double angle = 2 * std::numbers::pi * (turn < kTurns.size() ? kTurns[turn] : uniform(0, 1));
  const Mat3 half = toMatrix(fromAxisAngle(Vec3::UnitX(), std::numbers::pi));
  const Mat3 flat = frameA * toMatrix(fromAxisAngle(Vec3::UnitZ(), angle)) * half * frameB.transpose();

  const double size = (a.polygons[sideA][0] - middle).norm();
  double u = 0, v = 0;
  switch (pick(4)) {
    case 0:
      u = uniform(-0.7, 0.7) * size;
      v = pick(2) == 0 ? u : -u;
      break;
    case 1:
      u = uniform(-0.7, 0.7) * size;
      break;
    case 2:
      u = uniform(-0.5, 0.5) * size;
      v = uniform(-0.5, 0.5) * size;
      break;
    default:
      break;  // centred
  }
  Placement p;
  p.tilt = std::pow(10, uniform(-12, -6));
  const double direction = uniform(0, 2 * std::numbers::pi);
  const Vec3 axis = std::cos(direction) * frameA.col(0) + std::sin(direction) * frameA.col(1);
  const Mat3 tilted = toMatrix(fromAxisAngle(axis, p.tilt)) * flat;
  const double depth = std::pow(10, uniform(-6, -3));
  const Vec3 where = middle + u * frameA.col(0) + v * frameA.col(1) - depth * n;
  p.a = a.owned.at(Vec3::Zero()).shape;
  p.b = b.owned.at(where - tilted * middleOf(b.polygons[sideB]), tilted).shape;
  if (pick(2) == 0) {  // and the two somewhere in the world
    const Mat3 R = randomRotation(rng);
    const Vec3 shift = randomVector(rng, -1, 1);
    for (geom::Shape* s : {&p.a, &p.b}) {
      s->pos = R * s->pos + shift;
      s->rot = R * s->rot;
    }
  }
  return p;
}

std::vector<Polyhedron> polyhedra(std::mt19937& rng) {
  std::vector<Polyhedron> all = {box({0.025, 0.025, 0.025}), box({0.5, 0.5, 0.1}), box({0.1, 0.07, 0.03}),
                                 prism(3, 0.1, 0.05),        prism(5, 0.08, 0.08), prism(6, 0.1, 0.02),
                                 prism(8, 0.05, 0.1),        prism(12, 0.1, 0.1),  octahedron(0.1)};
  all.push_back(randomHull(rng));
  all.push_back(randomHull(rng));
  return all;
}

class AlignedPolytopes : public testing::TestWithParam<int> {};

TEST_P(AlignedPolytopes, TheNormalIsTheShortestWayOut) {
  std::mt19937 rng(static_cast<unsigned>(GetParam()));
  const std::vector<Polyhedron> all = polyhedra(rng);
  CollideOptions options;
  options.multiContact = false;
  int overlapping = 0;
  for (const Polyhedron& a : all) {
    for (const Polyhedron& b : all) {
      for (int trial = 0; trial < 60; ++trial) {
        const Placement p = place(a, b, rng);
        const double expected = exactSeparation(a, p.a, b, p.b);
        if (expected > -1e-8) continue;
        ++overlapping;
        Array<ContactPoint> contacts;
        geom::collide(p.a, p.b, 0, options, contacts);
        const bool found = contacts.size() == 1;
        const double depth = found ? contacts[0].dist : 0;
        const double out = found ? separation(p.a, p.b, contacts[0].normal) : 0;
        // Along the normal the two overlap by just the depth, so it is not less than the least; and it is not more.
        // A normal is the difference of two points, as exact as rounding lets it be where they are near.
        const bool right =
            found && std::abs(out - depth) < 1e-12 + 1e-15 / std::abs(expected) && depth > expected - 1e-12;
        EXPECT_TRUE(right) << a.name << " and " << b.name << ", tilt " << p.tilt << ": depth " << -depth
                           << ", along its normal " << -out << ", exactly " << -expected << ", trial " << trial;
      }
    }
  }
  EXPECT_GT(overlapping, 5000);
}

// A small box on a large one, its centre on a diagonal: four contacts at its corners, straight up.
TEST(CollideAlignedBoxes, ACubeOnASlabTouchesWithItsFourCorners) {
  const OwnedShape wall = makeBoxMesh({0.5, 0.5, 0.1}), cube = makeBoxMesh({0.025, 0.025, 0.025});
  std::mt19937 rng(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 3000; ++trial) {
    const double along = 0.4 * uniform(rng), depth = 1e-5, tilt = std::pow(10, 3 * uniform(rng) - 9);
    const double across = trial % 3 == 0 ? along : trial % 3 == 1 ? -along : 0;
    const double direction = 4 * uniform(rng);
    const Mat3 rot = toMatrix(fromAxisAngle(Vec3(std::cos(direction), std::sin(direction), 0), tilt));
    Array<ContactPoint> contacts;
    geom::collide(wall.shape, cube.at({along, across, 0.125 - depth}, rot).shape, 0, CollideOptions{}, contacts);
    ASSERT_EQ(contacts.size(), 4) << "trial " << trial << ", tilt " << tilt;
    for (const ContactPoint& c : contacts) {
      EXPECT_NEAR(c.normal[2], 1, tolerance(1e-9)) << "trial " << trial << ", tilt " << tilt;
      EXPECT_NEAR(c.dist, -depth, tolerance(1e-7)) << "trial " << trial << ", tilt " << tilt;
      EXPECT_NEAR(std::abs(c.pos[0] - along), 0.025, tolerance(1e-7));
      EXPECT_NEAR(std::abs(c.pos[1] - across), 0.025, tolerance(1e-7));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AlignedPolytopes, testing::Values(1, 2, 3));

}  // namespace
}  // namespace sinew::test
