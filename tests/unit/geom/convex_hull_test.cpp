#include "geom/convex_hull.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "geom/hull_polygons.h"
#include "geom/mesh_error.h"
#include "support/sample_meshes.h"
#include "support/tolerance.h"

namespace sinew::geom {
namespace {

Vec3 point(const std::vector<double>& points, int i) { return vec3(points.data(), i); }

std::vector<double> boxPoints(const Vec3& half) {
  const TriMesh mesh = test::boxMesh(half);
  return {mesh.vertex.begin(), mesh.vertex.end()};
}

/// The largest distance of any point in front of any face, 0 or less for a convex hull.
double worstOutside(const HullGraph& hull, const std::vector<double>& points) {
  double worst = -1;
  for (std::size_t i = 0; i < hull.faceGlobalId.size(); i += 3) {
    const Vec3 a = point(points, hull.faceGlobalId[i]), b = point(points, hull.faceGlobalId[i + 1]),
               c = point(points, hull.faceGlobalId[i + 2]);
    const Vec3 n = (b - a).cross(c - a).normalized();
    for (int p = 0; p < static_cast<int>(points.size() / 3); ++p) worst = std::max(worst, n.dot(point(points, p) - a));
  }
  return worst;
}

TEST(ConvexHull, HoldsAllPointsAndFacesOutward) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<double> points = test::randomPoints(static_cast<int>(5 * seed), seed);
    const HullGraph hull = convexHull(points);
    EXPECT_LT(worstOutside(hull, points), test::tolerance(1e-14));
    EXPECT_EQ(hull.numFaces(), 2 * hull.numVertices() - 4);  // Euler, for triangles
  }
}

TEST(ConvexHull, NeighboursAreTheEdgesOfTheFaces) {
  const std::vector<double> points = test::randomPoints(60, 3);
  const HullGraph hull = convexHull(points);
  std::map<int, std::set<int>> expected;
  for (std::size_t i = 0; i < hull.faceGlobalId.size(); i += 3)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        if (k != l) expected[hull.faceGlobalId[i + k]].insert(hull.faceGlobalId[i + l]);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(hull.numVertices()));
  for (int v = 0; v < hull.numVertices(); ++v) {
    std::set<int> found;
    for (int e = hull.vertexEdgeAdr[v]; hull.edgeLocalId[e] >= 0; ++e)
      found.insert(hull.vertexGlobalId[hull.edgeLocalId[e]]);
    EXPECT_EQ(found, expected[hull.vertexGlobalId[v]]);
  }
}

TEST(ConvexHull, PackedLayoutHasTheSizesOfTheReference) {
  const HullGraph hull = convexHull(boxPoints({1, 2, 3}));
  const std::vector<int> packed = hull.packed();
  EXPECT_EQ(packed.size(), 2u + 3u * 8 + 6u * 12);
  EXPECT_EQ(packed[0], 8);
  EXPECT_EQ(packed[1], 12);
}

TEST(ConvexHull, KeepsAtMostTheRequestedNumberOfVertices) {
  const std::vector<double> points = test::randomPoints(300, 5);
  for (const int limit : {4, 5, 10, 30}) EXPECT_LE(convexHull(points, limit).numVertices(), limit);
}

TEST(ConvexHull, RefusesPointsWithoutVolume) {
  const auto error = [](std::vector<double> points) {
    try {
      convexHull(points);
    } catch (const MeshError& e) {
      return std::string(e.what()).substr(0, 27);
    }
    return std::string("(no error)");
  };
  EXPECT_EQ(error({0, 0, 0, 1, 0, 0, 0, 1, 0}), "a convex hull needs at leas");
  EXPECT_EQ(error(std::vector<double>(15, 2.0)), "all vertices coincide, so t");
  EXPECT_EQ(error({0, 0, 0, 1, 1, 1, 2, 2, 2, -3, -3, -3}), "all vertices lie on a line,");
  EXPECT_EQ(error({0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 3, 4, 1}), "all vertices lie in a plane");
  // flat but for rounding noise
  EXPECT_EQ(error({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 2e-15, 0.5, 0.5, -2e-15}), "the convex hull could not b");
}

TEST(HullPolygons, MergeTheTrianglesOfABoxIntoSixSides) {
  const std::vector<double> points = boxPoints({1, 2, 3});
  HullPolygons polygons = hullPolygons(convexHull(points), points);
  setPolygonNormals(polygons, points);
  ASSERT_EQ(polygons.numPolygons(), 6);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(polygons.vertexNum[i], 4);
    // each side's normal is an axis, and its corners lie on that side
    const Vec3 n = vec3(polygons.normal.data(), i);
    EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1, test::tolerance(1e-15));
    for (int k = 0; k < 4; ++k) {
      const Vec3 corner = point(points, polygons.vertex[polygons.vertexAdr[i] + k]);
      EXPECT_NEAR(n.dot(corner), n.cwiseAbs().dot(Vec3(1, 2, 3)), test::tolerance(1e-12));
    }
  }
  EXPECT_EQ(polygons.mapNum, std::vector<int>(8, 3));
}

TEST(HullPolygons, CountEveryCornerInTheMap) {
  const std::vector<double> points = test::randomPoints(100, 11);
  const HullPolygons polygons = hullPolygons(convexHull(points), points);
  EXPECT_EQ(polygons.map.size(), polygons.vertex.size());
  EXPECT_EQ(polygons.mapAdr.size(), 100u);
}

// Which of several sides that fit touches is decided by their order: that of the published MuJoCo package,
// version 3.12.0 (mesh_polyvert of a mesh with these points).
TEST(HullPolygons, StandInTheOrderOfThePublishedReference) {
  const std::vector<double> points = {
      0.875,    0.03125,  -0.09375, 0.1875,   -0.90625, 0.0625,   0.5625,   0.75,     -0.46875, 0.34375,
      -0.90625, 0.09375,  -0.84375, 0.5,      0.3125,   0.09375,  1,        -0.0625,  0.03125,  -0.40625,
      -0.84375, -0.46875, 0.5,      0.5,      -0.9375,  0.46875,  0,        0.8125,   0.1875,   0.25,
      0.1875,   0.5,      -0.59375, 1,        -0.125,   0.0625,   0.34375,  -0.15625, 0.78125,  -0.875,
      -0.25,    0.25,     -0.6875,  0.375,    -0.5,     0.15625,  0.65625,  0.625,    0.8125,   0.125,
      0.34375,  -0.53125, -0.03125, -0.84375, 0.1875,   -0.0625,  -0.9375,  0.9375,   0.25,     -0.375,
      0.25,     -0.71875, 0.375,    0.3125,   0.6875,   -0.53125, -0.9375,  -0.03125, -0.15625, 0.0625,
      -0.71875, 0.6875,   -0.125,   0.6875,   -0.5,     0.03125,  -0.53125, 0.84375,  -0.53125, 0.5,
      -0.59375, 0.875,    -0.4375,  -0.0625,  -0.625,   0.5,      -0.3125,  -0.625,   -0.78125, 0.28125};
  const std::vector<int> expected = {9,  16, 11, 4,  15, 5,  9,  19, 2,  16, 9,  15, 26, 24, 21, 24, 26, 5,  14, 26, 17,
                                     26, 14, 8,  12, 16, 15, 16, 12, 11, 14, 22, 8,  4,  13, 25, 5,  26, 8,  22, 14, 17,
                                     13, 22, 29, 2,  24, 5,  21, 2,  18, 15, 9,  2,  17, 26, 18, 3,  23, 1,  23, 29, 1,
                                     22, 13, 8,  19, 9,  11, 29, 23, 25, 12, 23, 11, 6,  3,  1,  27, 6,  18, 15, 4,  7,
                                     19, 27, 18, 23, 27, 11, 6,  17, 18, 7,  4,  25, 13, 4,  8,  12, 15, 25, 13, 29, 25,
                                     15, 7,  25, 27, 19, 11, 6,  29, 17, 2,  19, 18, 29, 6,  1,  23, 12, 25, 21, 24, 2,
                                     26, 21, 18, 23, 3,  27, 4,  5,  8,  29, 22, 17, 3,  6,  27, 15, 2,  5};
  const HullPolygons polygons = hullPolygons(convexHull(points), points);
  EXPECT_EQ(polygons.numPolygons(), 48);
  EXPECT_EQ(polygons.vertex, expected);
}

}  // namespace
}  // namespace sinew::geom
