#include <gtest/gtest.h>

#include <cmath>

#include "geom/element.h"
#include "support/posed_shapes.h"
#include "support/tolerance.h"

namespace sinew::test {
namespace {

using geom::CollideOptions;
using geom::ContactPoint;
using geom::Element;

/// A right triangle in the plane z = height with legs of 0.1 along x and y, radius 0.01.
Element triangleAt(double height) {
  return {.count = 3, .corner = {Vec3(0, 0, height), Vec3(0.1, 0, height), Vec3(0, 0.1, height)}, .radius = 0.01};
}

Array<ContactPoint> collide(const OwnedShape& shape, const Element& element, double margin = 0) {
  Array<ContactPoint> out;
  const int count = geom::collide(shape.shape, element, margin, CollideOptions{}, out);
  EXPECT_EQ(count, out.size());
  return out;
}

void expectNear(const Vec3& a, const Vec3& b, double tol) { EXPECT_NEAR((a - b).norm(), 0, tolerance(tol)); }

TEST(CollideElement, APlaneMeetsEveryCornerWithinTheMargin) {
  const OwnedShape plane = makeShape(GeomType::Plane, Vec3::Zero());
  Element e = triangleAt(0.012);
  e.corner[2].z() = 0.03;
  EXPECT_EQ(collide(plane, e).size(), 0);
  const Array<ContactPoint> out = collide(plane, e, 0.005);
  ASSERT_EQ(out.size(), 2);
  EXPECT_NEAR(out[0].dist, 0.002, tolerance(1e-15));
  expectNear(out[0].pos, Vec3(0, 0, 0.001), 1e-15);
  expectNear(out[1].pos, Vec3(0.1, 0, 0.001), 1e-15);
  expectNear(out[1].normal, Vec3(0, 0, 1), 1e-15);
}

TEST(CollideElement, ASphereMeetsTheNearestPointOfATriangle) {
  const OwnedShape ball = makeShape(GeomType::Sphere, Vec3(0.05, 0, 0));
  // over the inside
  Array<ContactPoint> out = collide(ball.at(Vec3(0.03, 0.02, 0.055)), triangleAt(0));
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, -0.005, tolerance(1e-15));
  expectNear(out[0].normal, Vec3(0, 0, -1), 1e-15);
  expectNear(out[0].pos, Vec3(0.03, 0.02, 0.0075), 1e-15);
  // beside the long side: the nearest point is its middle
  out = collide(ball.at(Vec3(0.08, 0.08, 0)), triangleAt(0));
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, 0.03 * std::sqrt(2.0) - 0.06, tolerance(1e-15));
  expectNear(out[0].normal, Vec3(-1, -1, 0).normalized(), 1e-14);
  // the centre in the triangle: out along its normal
  out = collide(ball.at(Vec3(0.03, 0.02, 0)), triangleAt(0));
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, -0.06, tolerance(1e-15));
  expectNear(out[0].normal, Vec3(0, 0, 1), 1e-15);
}

TEST(CollideElement, ABoxMeetsCornersOfTheTriangleWithItsSidesAndTheTriangleWithItsCorners) {
  const OwnedShape slab = makeShape(GeomType::Box, Vec3(0.5, 0.5, 0.1)).at(Vec3(0, 0, -0.1));
  Array<ContactPoint> out = collide(slab, triangleAt(0.008));
  ASSERT_EQ(out.size(), 3);
  for (std::ptrdiff_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(out[i].dist, -0.002, tolerance(1e-15));
    expectNear(out[i].normal, Vec3(0, 0, 1), 1e-15);
    EXPECT_NEAR(out[i].pos.z(), -0.001, tolerance(1e-15));
  }
  // a small box on a large triangle stands on four corners
  const OwnedShape dice = makeShape(GeomType::Box, Vec3(0.01, 0.01, 0.01)).at(Vec3(0.03, 0.03, 0.0195));
  out = collide(dice, triangleAt(0));
  ASSERT_EQ(out.size(), 4);
  for (std::ptrdiff_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(out[i].dist, -0.0005, tolerance(1e-15));
    expectNear(out[i].normal, Vec3(0, 0, -1), 1e-14);
    EXPECT_NEAR(out[i].pos.z(), 0.00975, tolerance(1e-15));
  }
}

TEST(CollideElement, ACapsuleMeetsATriangleWithItsEndsAndItsSideWithTheCorners) {
  const Mat3 alongX = (Mat3() << 0, 0, 1, 0, 1, 0, -1, 0, 0).finished();
  // lying within the triangle: both ends
  const OwnedShape shortOne = makeShape(GeomType::Capsule, Vec3(0.02, 0.02, 0)).at(Vec3(0.04, 0.02, 0.025), alongX);
  Array<ContactPoint> out = collide(shortOne, triangleAt(0));
  ASSERT_EQ(out.size(), 2);
  for (const double x : {0.02, 0.06}) {
    const ContactPoint& c = out[x < 0.04 ? 0 : 1];
    expectNear(c.pos, Vec3(x, 0.02, 0.0075), 1e-14);
    EXPECT_NEAR(c.dist, -0.005, tolerance(1e-15));
  }
  // a long one along the leg on the x axis: the two corners beside its axis; its ends are far away
  const OwnedShape longOne = makeShape(GeomType::Capsule, Vec3(0.02, 1, 0)).at(Vec3(0, 0, 0.025), alongX);
  out = collide(longOne, triangleAt(0));
  ASSERT_EQ(out.size(), 2);
  expectNear(out[0].pos, Vec3(0, 0, 0.0075), 1e-14);
  expectNear(out[1].pos, Vec3(0.1, 0, 0.0075), 1e-14);
  expectNear(out[1].normal, Vec3(0, 0, -1), 1e-14);
}

// An edge over an edge of a box: straight out of both, at their crossing. Ends outside of the box, one above, one
// beside it.
TEST(CollideElement, AnEdgeCrossesTheEdgeOfABox) {
  const OwnedShape box = makeShape(GeomType::Box, Vec3(0.1, 0.2, 0.3));
  const auto crossing = [&](const Vec3& a, const Vec3& b, double margin = 0) {
    Array<ContactPoint> out;
    geom::collideCrossing(box.shape, a, b, 0.01, margin, out);
    return out;
  };
  // in the plane y = 0.05, at 45 degrees, 3 mm inside of the edge (0.1, y, 0.3): with the radius 13 mm
  const Vec3 n = Vec3(1, 0, 1).normalized(), along = Vec3(1, 0, -1).normalized(), edge(0.1, 0.05, 0.3);
  Array<ContactPoint> out = crossing(edge - 0.003 * n - 0.05 * along, edge - 0.003 * n + 0.05 * along);
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, -0.013, tolerance(1e-15));
  expectNear(out[0].normal, n, 1e-14);
  expectNear(out[0].pos, edge - 0.0065 * n, 1e-14);
  // outside, but nearer than the radius, or than the margin
  EXPECT_NEAR(crossing(edge + 0.004 * n - 0.05 * along, edge + 0.004 * n + 0.05 * along)[0].dist, -0.006,
              tolerance(1e-15));
  EXPECT_EQ(crossing(edge + 0.012 * n - 0.05 * along, edge + 0.012 * n + 0.05 * along).size(), 0);
  EXPECT_EQ(crossing(edge + 0.012 * n - 0.05 * along, edge + 0.012 * n + 0.05 * along, 0.005).size(), 1);
  // an end inside has a contact of its own; beyond the corner of the box, or before it, nothing is crossed
  EXPECT_EQ(crossing(edge - 0.003 * n, edge - 0.003 * n + 0.05 * along).size(), 0);
  EXPECT_EQ(crossing(edge - 0.003 * n + 0.01 * along, edge - 0.003 * n + 0.05 * along).size(), 0);
  const Vec3 beyond = 0.2 * Vec3::UnitY();
  EXPECT_EQ(crossing(edge + beyond - 0.05 * along, edge + beyond + 0.05 * along).size(), 0);
  // all across the top, 1 mm below it: both edges of it
  out = crossing(Vec3(-0.2, 0.03, 0.299), Vec3(0.2, 0.03, 0.299));
  ASSERT_EQ(out.size(), 2);
  for (const ContactPoint& c : out) {
    EXPECT_NEAR(c.dist, -0.011, tolerance(1e-14));
    expectNear(c.normal, Vec3(0, 0, 1), 1e-14);
    EXPECT_NEAR(std::abs(c.pos.x()), 0.1, tolerance(1e-14));
  }
}

TEST(CollideElement, AnEdgeCrossesTheAxisOfACapsule) {
  const OwnedShape capsule = makeShape(GeomType::Capsule, Vec3(0.02, 0.1, 0));
  const auto crossing = [&](const Vec3& a, const Vec3& b) {
    Array<ContactPoint> out;
    geom::collideCrossing(capsule.shape, a, b, 0.01, 0, out);
    return out;
  };
  Array<ContactPoint> out = crossing(Vec3(0.025, -0.3, 0.04), Vec3(0.025, 0.2, 0.04));
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, -0.005, tolerance(1e-15));
  expectNear(out[0].normal, Vec3(1, 0, 0), 1e-14);
  expectNear(out[0].pos, Vec3(0.0175, 0, 0.04), 1e-14);
  EXPECT_EQ(crossing(Vec3(0.035, -0.3, 0.04), Vec3(0.035, 0.2, 0.04)).size(), 0);   // too far
  EXPECT_EQ(crossing(Vec3(0.025, -0.3, 0.12), Vec3(0.025, 0.2, 0.12)).size(), 0);   // over the end
  EXPECT_EQ(crossing(Vec3(0.025, -0.3, 0.04), Vec3(0.025, -0.1, 0.04)).size(), 0);  // does not reach it
  EXPECT_EQ(crossing(Vec3(0.01, 0, 0.04), Vec3(0.01, 0.3, 0.04)).size(), 0);        // an end inside
  EXPECT_EQ(crossing(Vec3(0.025, 0, -0.1), Vec3(0.025, 0, 0.1)).size(), 0);         // along it
}

TEST(CollideElement, ASegmentIsACapsule) {
  const Element rope{.count = 2, .corner = {Vec3(-0.1, 0, 0), Vec3(0.1, 0, 0)}, .radius = 0.01};
  const OwnedShape box = makeShape(GeomType::Box, Vec3(0.5, 0.5, 0.1)).at(Vec3(0, 0, -0.108));
  Array<ContactPoint> out = collide(box, rope);
  ASSERT_EQ(out.size(), 2);
  for (const ContactPoint& c : out) {
    EXPECT_NEAR(c.dist, -0.002, tolerance(1e-12));
    expectNear(c.normal, Vec3(0, 0, 1), 1e-12);  // from the box to the rope
  }
  out = collide(makeShape(GeomType::Sphere, Vec3(0.05, 0, 0)).at(Vec3(0.03, 0, 0.058)), rope);
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, -0.002, tolerance(1e-15));
  expectNear(out[0].normal, Vec3(0, 0, -1), 1e-15);
}

// An edge of the triangle pressed 1 mm into a round shape beside its axis: the normal is that of the shape.
TEST(CollideElement, RoundShapesKeepTheirOwnNormalAgainstATriangle) {
  const OwnedShape cylinder = makeShape(GeomType::Cylinder, Vec3(0.1, 0.5, 0));
  const double angle = 0.3;
  const Vec3 n(std::cos(angle), std::sin(angle), 0), t(-std::sin(angle), std::cos(angle), 0);
  // a triangle standing on the side of the cylinder, its lowest corner a little off the normal's foot
  Element e{.count = 3, .corner = {}, .radius = 0.01};
  e.corner = {Vec3(0.109 * n + Vec3(0, 0, 0.05)), Vec3(0.14 * n + 0.1 * t + Vec3(0, 0, 0.05)),
              Vec3(0.14 * n - 0.1 * t - Vec3(0, 0, 0.05)), Vec3::Zero()};
  Array<ContactPoint> out = collide(cylinder, e);
  ASSERT_EQ(out.size(), 1);
  const Vec3 radial = Vec3(out[0].pos.x(), out[0].pos.y(), 0).normalized();
  expectNear(out[0].normal, radial, 1e-12);

  const Vec3 axes(0.1, 0.2, 0.15);
  const OwnedShape ellipsoid = makeShape(GeomType::Ellipsoid, axes);
  const Vec3 direction = Vec3(1, 1, 0.5).normalized();
  const Vec3 onSurface = direction / direction.cwiseQuotient(axes).norm();
  const Vec3 outward = onSurface.cwiseQuotient(axes.cwiseProduct(axes)).normalized();
  const Vec3 u = outward.unitOrthogonal(), v = outward.cross(u);
  const Vec3 center = onSurface + 0.009 * outward;
  e.corner = {Vec3(center + 0.05 * u), Vec3(center - 0.03 * u + 0.04 * v), Vec3(center - 0.03 * u - 0.04 * v),
              Vec3::Zero()};
  out = collide(ellipsoid, e);
  ASSERT_EQ(out.size(), 1);
  EXPECT_NEAR(out[0].dist, -0.001, tolerance(1e-6));
  expectNear(out[0].normal, outward, 1e-4);  // the convex collider places the point to about 1e-6 m
}

TEST(CollideElement, AHeightFieldMeetsTheElementCellByCell) {
  const OwnedShape field = makeField(5, 5, {1, 1, 0.2, 0.3});
  Array<ContactPoint> out = collide(field, triangleAt(0.008));
  ASSERT_GE(out.size(), 1);
  for (const ContactPoint& c : out) {
    EXPECT_NEAR(c.dist, -0.002, tolerance(1e-6));
    expectNear(c.normal, Vec3(0, 0, 1), 1e-6);
  }
  // a rope that stands upright on a line of the grid is over the cells on both sides
  const Element rope{.count = 2, .corner = {Vec3(0.5, 0.5, 0.008), Vec3(0.5, 0.5, 0.3)}, .radius = 0.01};
  EXPECT_GE(collide(field, rope).size(), 1);
  EXPECT_EQ(collide(field, triangleAt(0.02)).size(), 0);
  EXPECT_GE(collide(field, triangleAt(0.02), 0.015).size(), 1);
}

TEST(CollideElement, ACornerOfATetrahedronIsHeldOffTheOppositeFace) {
  // outward faces as compiled: (0,1,2) seen from below
  Element tet{.count = 4, .corner = {Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0.2, 0.2, 0.5)}, .radius = 0.1};
  Array<ContactPoint> out;
  EXPECT_EQ(geom::collideCornerWithFace(tet, geom::kFacesAndCorner[0], out), 0);
  tet.corner[3].z() = 0.15;
  ASSERT_EQ(geom::collideCornerWithFace(tet, geom::kFacesAndCorner[0], out), 1);
  EXPECT_NEAR(out[0].dist, 0.15 - 0.2, tolerance(1e-15));
  expectNear(out[0].normal, Vec3(0, 0, 1), 1e-15);
  expectNear(out[0].pos, Vec3(0.2, 0.2, 0.075), 1e-15);
  tet.corner[3].z() = -0.05;  // inside out
  ASSERT_EQ(geom::collideCornerWithFace(tet, geom::kFacesAndCorner[0], out), 1);
  EXPECT_NEAR(out[1].dist, -0.25, tolerance(1e-15));
}

}  // namespace
}  // namespace sinew::test
