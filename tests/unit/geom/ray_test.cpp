#include "geom/ray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "geom/mesh.h"
#include "math/quat.h"
#include "support/sample_meshes.h"
#include "support/tolerance.h"

namespace sinew::geom {
namespace {

const Vec3 kSize(0.3, 0.5, 0.7);
const Vec3 kPos(0.2, -0.1, 0.4);
const Mat3 kR = toMatrix(fromAxisAngle(Vec3(1, 2, -1).normalized(), 0.9));

constexpr GeomType kSolids[] = {GeomType::Sphere, GeomType::Capsule, GeomType::Ellipsoid, GeomType::Cylinder,
                                GeomType::Box};

/// Negative inside, positive outside, in the shape's frame.
double level(GeomType type, const Vec3& p) {
  const double r = kSize[0], h = kSize[1];
  switch (type) {
    case GeomType::Sphere:
      return p.norm() - r;
    case GeomType::Capsule:
      return (p - Vec3(0, 0, std::clamp(p.z(), -h, h))).norm() - r;
    case GeomType::Cylinder:
      return std::max(p.head<2>().norm() - r, std::abs(p.z()) - h);
    case GeomType::Ellipsoid:
      return p.cwiseQuotient(kSize).norm() - 1;
    default:
      return (p.cwiseAbs() - kSize).maxCoeff();
  }
}

Vec3 localPoint(const Ray& ray, double x) { return kR.transpose() * (ray.origin + x * ray.direction - kPos); }

/// The first change of sign of the level along the ray, by marching and bisection; -1 if there is none up to 4.
double march(GeomType type, const Ray& ray) {
  const double step = 1e-3, start = level(type, localPoint(ray, 0));
  for (double x = step; x < 4; x += step) {
    if ((level(type, localPoint(ray, x)) < 0) == (start < 0)) continue;
    double lo = x - step, hi = x;
    for (int i = 0; i < 60; ++i) {
      const double mid = (lo + hi) / 2;
      ((level(type, localPoint(ray, mid)) < 0) == (start < 0) ? lo : hi) = mid;
    }
    return hi;
  }
  return -1;
}

class RandomRays {
 public:
  explicit RandomRays(unsigned seed) : generator_(seed) {}
  double number() { return uniform_(generator_); }
  Vec3 vector() { return {number(), number(), number()}; }
  Ray next() { return {kPos + vector(), vector()}; }

 private:
  std::mt19937 generator_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

// A chord shorter than the marching step may be overlooked, so a hit that marching misses is not held against us.
TEST(RayShape, AgreesWithMarchingFromOutsideAndInside) {
  RandomRays rays(1);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    const Ray ray = rays.next();
    for (const GeomType type : kSolids) {
      const RayHit hit = rayShape(type, kSize, kPos, kR, ray);
      const double expected = march(type, ray);
      if (expected < 0) continue;
      ++hits;
      ASSERT_NEAR(hit.distance, expected, test::tolerance(1e-9)) << static_cast<int>(type) << " ray " << i;
    }
  }
  EXPECT_GT(hits, 300);
}

// The normal is the direction in which the level grows fastest. 1e-4: central differences of a level with corners.
TEST(RayShape, NormalIsTheGradientOfTheLevel) {
  RandomRays rays(2);
  const double e = 1e-6;
  for (int i = 0; i < 200; ++i) {
    const Ray ray = rays.next();
    for (const GeomType type : kSolids) {
      const RayHit hit = rayShape(type, kSize, kPos, kR, ray);
      if (!hit.isHit()) {
        EXPECT_EQ(hit.normal, Vec3::Zero());
        continue;
      }
      const Vec3 p = localPoint(ray, hit.distance);
      Vec3 gradient;
      for (int k = 0; k < 3; ++k) gradient[k] = level(type, p + e * Vec3::Unit(k)) - level(type, p - e * Vec3::Unit(k));
      EXPECT_LT((hit.normal - kR * gradient.normalized()).norm(), test::tolerance(1e-4))
          << static_cast<int>(type) << " ray " << i;
    }
  }
}

TEST(RayShape, PlaneIsSeenFromItsFrontOnly) {
  const Vec3 endless = Vec3::Zero();
  const auto cast = [](const Vec3& size, const Vec3& origin, const Vec3& direction) {
    return rayShape(GeomType::Plane, size, Vec3::Zero(), Mat3::Identity(), {origin, direction});
  };
  EXPECT_EQ(cast(endless, {0, 0, 2}, {0, 0, -0.5}).distance, 4);
  EXPECT_EQ(cast(endless, {0, 0, 2}, {0, 0, -0.5}).normal, Vec3(0, 0, 1));
  EXPECT_EQ(cast(endless, {0, 0, -2}, {0, 0, 1}).distance, -1);   // from behind
  EXPECT_EQ(cast(endless, {0, 0, -2}, {0, 0, -1}).distance, -1);  // behind the origin
  EXPECT_EQ(cast(endless, {0, 0, 2}, {1, 0, 0}).distance, -1);    // along it
  EXPECT_EQ(cast({1, 0, 1}, {1.5, 9, 1}, {0, 0, -1}).distance, -1);
  EXPECT_EQ(cast({1, 0, 1}, {0.5, 9, 1}, {0, 0, -1}).distance, 1);
}

TEST(RayShape, WithoutDirectionMeetsNothing) {
  for (const GeomType type : kSolids) EXPECT_FALSE(rayShape(type, kSize, kPos, kR, {kPos, Vec3::Zero()}).isHit());
  EXPECT_FALSE(rayShape(GeomType::Box, kSize, kPos, kR, {kPos, Vec3::Constant(std::nan(""))}).isHit());
}

// 1e-6: mesh vertices are in single precision
TEST(RayMesh, BoxOfTrianglesIsABox) {
  const Mesh mesh = processMesh(test::boxMesh(kSize), {.inertia = MeshInertia::Exact});
  const Mat3 R = kR * toMatrix(mesh.frame.quat);
  RandomRays rays(3);
  for (int i = 0; i < 300; ++i) {
    const Ray ray = rays.next();
    const RayHit expected = rayShape(GeomType::Box, kSize, kPos, kR, ray);
    const RayHit hit = rayMesh(mesh.vertex, mesh.face, mesh.geomSize(), kPos, R, ray);
    EXPECT_NEAR(hit.distance, expected.distance, test::tolerance(1e-6));
    EXPECT_LT((hit.normal - expected.normal).norm(), test::tolerance(1e-6));
  }
}

struct Field {
  int nrow = 5, ncol = 7;
  HeightFieldSize size{0.8, 0.6, 0.5, 0.2};
  std::vector<float> data;

  explicit Field(unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (int i = 0; i < nrow * ncol; ++i) data.push_back(uniform(generator));
  }

  double height(double x, double y) const {
    const double c = (x + size.x) / (2 * size.x) * (ncol - 1), r = (y + size.y) / (2 * size.y) * (nrow - 1);
    const int ci = std::clamp(static_cast<int>(c), 0, ncol - 2), ri = std::clamp(static_cast<int>(r), 0, nrow - 2);
    const double u = c - ci, v = r - ri;
    const auto z = [&](int rr, int cc) { return double{data[rr * ncol + cc]}; };
    // the cell is cut from its lowest corner to the opposite one
    const double h = u > v ? z(ri, ci) + u * (z(ri, ci + 1) - z(ri, ci)) + v * (z(ri + 1, ci + 1) - z(ri, ci + 1))
                           : z(ri, ci) + v * (z(ri + 1, ci) - z(ri, ci)) + u * (z(ri + 1, ci + 1) - z(ri + 1, ci));
    return h * size.top;
  }

  bool isInside(const Vec3& p) const {
    return std::abs(p.x()) <= size.x && std::abs(p.y()) <= size.y && p.z() >= -size.base &&
           p.z() <= height(p.x(), p.y());
  }
};

TEST(RayHfield, AgreesWithMarchingFromOutside) {
  const Field field(4);
  RandomRays rays(5);
  int hits = 0;
  for (int i = 0; i < 800; ++i) {
    Ray ray{kPos + rays.vector() + 2 * kR.col(2), rays.vector() - 1.5 * kR.col(2)};
    if (i % 2 == 1) ray = {kPos + 1.5 * rays.vector(), rays.vector()};
    if (field.isInside(localPoint(ray, 0))) continue;
    const RayHit hit = rayHfield(field.nrow, field.ncol, field.data, field.size, kPos, kR, ray);
    const double step = 2e-4;
    double expected = -1;
    for (double x = 0; x < 5 && expected < 0; x += step)
      if (field.isInside(localPoint(ray, x))) expected = x;
    if (expected < 0) continue;
    ++hits;
    EXPECT_LE(hit.distance, expected + 1e-12) << i;
    // marching may step over a thin ridge; the ray must then still be on the surface where we say it is
    const Vec3 n = hit.normal;
    const Vec3 p = localPoint(ray, hit.distance), inward = 1e-6 * (kR.transpose() * n);
    EXPECT_TRUE(field.isInside(p - inward) && !field.isInside(p + inward)) << i;
    EXPECT_NEAR(n.norm(), 1, test::tolerance(1e-12));
  }
  EXPECT_GT(hits, 100);
}

TEST(RayHfield, FlatFieldIsABox) {
  const HeightFieldSize size{1, 2, 0.5, 0.25};
  const std::vector<float> data(12, 1.0f);
  RandomRays rays(6);
  for (int i = 0; i < 200; ++i) {
    const Ray ray{3 * rays.vector().normalized(), rays.vector()};
    const RayHit hit = rayHfield(3, 4, data, size, Vec3::Zero(), Mat3::Identity(), ray);
    const RayHit box = rayShape(GeomType::Box, Vec3(1, 2, 0.375), Vec3(0, 0, 0.125), Mat3::Identity(), ray);
    EXPECT_NEAR(hit.distance, box.distance, test::tolerance(1e-12));
    EXPECT_LT((hit.normal - box.normal).norm(), test::tolerance(1e-12));
  }
}

TEST(RayHfield, SingleRowOrColumnIsOnlyItsBase) {
  const HeightFieldSize size{1, 1, 0.5, 0.25};
  const std::vector<float> data = {0, 1, 0};
  const Ray down{Vec3(0, 0, 2), Vec3(0, 0, -1)};
  EXPECT_EQ(rayHfield(1, 3, data, size, Vec3::Zero(), Mat3::Identity(), down).distance, 2);
  EXPECT_EQ(rayHfield(3, 1, data, size, Vec3::Zero(), Mat3::Identity(), down).distance, 2);
}

}  // namespace
}  // namespace sinew::geom
