#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "geom/convex_hull.h"
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
    for (int e = hull.vertexEdgeAdr[static_cast<std::size_t>(v)]; hull.edgeLocalId[static_cast<std::size_t>(e)] >= 0;
         ++e)
      found.insert(hull.vertexGlobalId[static_cast<std::size_t>(hull.edgeLocalId[static_cast<std::size_t>(e)])]);
    EXPECT_EQ(found, expected[hull.vertexGlobalId[static_cast<std::size_t>(v)]]);
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
    EXPECT_EQ(polygons.vertexNum[static_cast<std::size_t>(i)], 4);
    // each side's normal is an axis, and its corners lie on that side
    const Vec3 n = vec3(polygons.normal.data(), i);
    EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1, test::tolerance(1e-15));
    for (int k = 0; k < 4; ++k) {
      const Vec3 corner =
          point(points, polygons.vertex[static_cast<std::size_t>(polygons.vertexAdr[static_cast<std::size_t>(i)] + k)]);
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

}  // namespace
}  // namespace sinew::geom
