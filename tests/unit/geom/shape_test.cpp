#include "geom/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "support/tolerance.h"

namespace sinew::geom {
namespace {

constexpr double kPi = std::numbers::pi;
const Vec3 kSize(0.3, 0.5, 0.7);

struct Sampled {
  double volume = 0;
  Vec3 inertia = Vec3::Zero();  // for mass 1
};

/// Volume and inertia of a solid by Monte Carlo over its bounding box.
Sampled sample(const std::function<bool(const Vec3&)>& isInside, const Vec3& half) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr int kSamples = 400000;
  int inside = 0;
  Sampled out;
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 p = half.cwiseProduct(Vec3(uniform(generator), uniform(generator), uniform(generator)));
    if (!isInside(p)) continue;
    ++inside;
    const Vec3 s = p.cwiseAbs2();
    out.inertia += Vec3(s[1] + s[2], s[0] + s[2], s[0] + s[1]);
  }
  out.volume = 8 * half.prod() * inside / kSamples;
  out.inertia /= inside;
  return out;
}

bool isInside(GeomType type, const Vec3& p) {
  const double r = kSize[0], h = kSize[1];
  switch (type) {
    case GeomType::Sphere:
      return p.norm() <= r;
    case GeomType::Capsule:
      return (p - Vec3(0, 0, std::clamp(p.z(), -h, h))).norm() <= r;
    case GeomType::Cylinder:
      return p.head<2>().norm() <= r && std::abs(p.z()) <= h;
    case GeomType::Ellipsoid:
      return p.cwiseQuotient(kSize).norm() <= 1;
    default:
      return true;
  }
}

constexpr GeomType kSolids[] = {GeomType::Sphere, GeomType::Capsule, GeomType::Cylinder, GeomType::Ellipsoid,
                                GeomType::Box};

// Three standard errors of 4e5 samples are below 1 %.
TEST(Shape, VolumeAndInertiaAgreeWithMonteCarlo) {
  for (const GeomType type : kSolids) {
    const Aabb box = shapeAabb(type, kSize);
    const Sampled s = sample([type](const Vec3& p) { return isInside(type, p); }, box.half);
    EXPECT_NEAR(shapeAmount(type, kSize, false), s.volume, test::tolerance(0.01 * s.volume)) << static_cast<int>(type);
    EXPECT_LT((shapeInertia(type, kSize, false, 1) - s.inertia).cwiseAbs().maxCoeff(),
              test::tolerance(0.01 * s.inertia.maxCoeff()))
        << static_cast<int>(type);
  }
}

/// A shape with every surface moved out by e.
Vec3 grown(GeomType type, double e) {
  Vec3 size = kSize + Vec3::Constant(e);
  if (type == GeomType::Capsule) size[1] = kSize[1];
  return size;
}

// A shell is the derivative of the solid by its thickness: A = dV/de and I_shell/m = (dI/de)/(dV/de) at density 1. The
// ellipsoid's shell is defined the same way, so it agrees too; its area by Thomsen's formula is good to about 1 %, but
// growing all semi-axes by e is not growing the surface by e, so its area is not compared.
TEST(Shape, ShellIsTheDerivativeOfTheSolid) {
  const double e = 1e-5;
  for (const GeomType type : kSolids) {
    const Vec3 a = grown(type, -e), b = grown(type, e);
    const double va = shapeAmount(type, a, false), vb = shapeAmount(type, b, false);
    const double area = (vb - va) / (2 * e);
    const Vec3 inertia = (shapeInertia(type, b, false, vb) - shapeInertia(type, a, false, va)) / (vb - va);
    if (type != GeomType::Ellipsoid) {
      EXPECT_NEAR(shapeAmount(type, kSize, true), area, test::tolerance(1e-8)) << static_cast<int>(type);
    }
    // 1e-5: the ellipsoid's shell is 1e-6 thick
    EXPECT_LT((shapeInertia(type, kSize, true, 1) - inertia).norm(), test::tolerance(1e-5)) << static_cast<int>(type);
  }
}

TEST(Shape, EllipsoidAreaIsThatOfASphereWhenRound) {
  EXPECT_NEAR(shapeAmount(GeomType::Ellipsoid, Vec3::Constant(0.4), true), 4 * kPi * 0.16, test::tolerance(1e-14));
  EXPECT_LT((shapeInertia(GeomType::Ellipsoid, Vec3::Constant(0.4), true, 3) - Vec3::Constant(3 * 0.16 * 2 / 3)).norm(),
            test::tolerance(1e-5));
}

TEST(Shape, BoundsHoldTheShape) {
  EXPECT_EQ(shapeBoundingRadius(GeomType::Sphere, kSize), 0.3);
  EXPECT_EQ(shapeBoundingRadius(GeomType::Capsule, kSize), 0.8);
  EXPECT_DOUBLE_EQ(shapeBoundingRadius(GeomType::Cylinder, kSize), std::hypot(0.3, 0.5));
  EXPECT_EQ(shapeBoundingRadius(GeomType::Ellipsoid, kSize), 0.7);
  EXPECT_DOUBLE_EQ(shapeBoundingRadius(GeomType::Box, kSize), kSize.norm());
  EXPECT_EQ(shapeBoundingRadius(GeomType::Plane, kSize), 0);
  EXPECT_EQ(shapeAabb(GeomType::Capsule, kSize).half, Vec3(0.3, 0.3, 0.8));
  EXPECT_EQ(shapeAabb(GeomType::Plane, kSize).center, Vec3(0, 0, -0.5e10));
  EXPECT_EQ(shapeAabb(GeomType::Plane, kSize).half, Vec3(1e10, 1e10, 0.5e10));
  const HeightFieldSize field{2, 3, 1, 0.5};
  EXPECT_EQ(hfieldGeomSize(field), Vec3(2, 3, 0.5));
  EXPECT_EQ(hfieldAabb(field).center, Vec3(0, 0, 0.25));
  EXPECT_EQ(hfieldAabb(field).half, Vec3(2, 3, 0.75));
  EXPECT_DOUBLE_EQ(hfieldBoundingRadius(field), std::sqrt(14.0));
}

}  // namespace
}  // namespace sinew::geom
