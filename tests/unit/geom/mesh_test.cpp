#include "geom/mesh.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "geom/mesh_builtin.h"
#include "geom/mesh_error.h"
#include "support/sample_meshes.h"
#include "support/tolerance.h"

namespace sinew::geom {
namespace {

Mesh process(const TriMesh& mesh, MeshInertia inertia, MeshOptions options = {}) {
  options.inertia = inertia;
  return processMesh(mesh, options);
}

/// Inertia tensor about the com in the frame of the input, at density 1.
Mat3 tensor(const Mesh& mesh) {
  const Mat3 R = toMatrix(mesh.frame.quat);
  return R * mesh.inertiaForMass(mesh.amount).asDiagonal() * R.transpose();
}

Mat3 symmetric(double xx, double yy, double zz, double xy, double xz, double yz) {
  Mat3 A;
  A << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return A;
}

void expectTensor(const Mesh& mesh, const Mat3& expected, double relative) {
  EXPECT_LT((tensor(mesh) - expected).cwiseAbs().maxCoeff(), test::tolerance(relative * expected.cwiseAbs().maxCoeff()))
      << tensor(mesh) << "\nexpected\n"
      << expected;
}

/// m (|d|^2 1 - d d^T)
Mat3 steiner(double m, const Vec3& d) { return m * (d.squaredNorm() * Mat3::Identity() - d * d.transpose()); }

std::string errorOf(const TriMesh& mesh, MeshInertia inertia) {
  try {
    process(mesh, inertia);
  } catch (const MeshError& error) {
    return error.what();
  }
  return "(no error)";
}

constexpr MeshInertia kSolidModes[] = {MeshInertia::Convex, MeshInertia::Legacy, MeshInertia::Exact};

TEST(MeshMass, UnitCubeIsExactInEverySolidMode) {
  for (const MeshInertia mode : kSolidModes) {
    const Mesh mesh = process(test::boxMesh(Vec3::Constant(0.5)), mode);
    EXPECT_NEAR(mesh.amount, 1, test::tolerance(1e-14));
    EXPECT_LT(mesh.frame.pos.norm(), test::tolerance(1e-15));
    expectTensor(mesh, Mat3::Identity() / 6, 1e-14);
    EXPECT_LT((mesh.boxHalf - Vec3::Constant(0.5)).norm(), test::tolerance(1e-14));
  }
}

TEST(MeshMass, TinyCubeIsNotDegenerate) {
  const double edge = 0.4e-3;
  const Mesh mesh = process(test::boxMesh(Vec3::Constant(edge / 2)), MeshInertia::Exact);
  EXPECT_TRUE(mesh.warnings.empty());
  EXPECT_NEAR(1000 * mesh.amount, 6.4e-8, test::tolerance(1e-6 * 6.4e-8));  // 1e-6: the edge in single precision
  expectTensor(mesh, Mat3::Identity() * std::pow(edge, 5) / 6, 1e-6);
}

TEST(MeshMass, LPrismIsExactAndLegacyIsTooHeavy) {
  const Mesh mesh = process(test::lPrismMesh(), MeshInertia::Exact);
  EXPECT_NEAR(mesh.amount, 2, test::tolerance(1e-14));
  EXPECT_LT((mesh.frame.pos - Vec3(1.25, 0.75, 0.25)).norm(), test::tolerance(1e-14));
  expectTensor(mesh, symmetric(7.0 / 12, 19.0 / 12, 25.0 / 12, 0.375, 0, 0), 1e-13);
  EXPECT_NEAR(process(test::lPrismMesh(), MeshInertia::Legacy).amount, 2.0807, test::tolerance(5e-5));
}

TEST(MeshMass, TetrahedronHasTheClosedForm) {
  for (const MeshInertia mode : kSolidModes) {
    const Mesh mesh = process(test::tetrahedronMesh(1, 2, 3), mode);
    EXPECT_NEAR(mesh.amount, 1, test::tolerance(1e-14));
    EXPECT_LT((mesh.frame.pos - Vec3(0.25, 0.5, 0.75)).norm(), test::tolerance(1e-14));
    // the other modes keep the reference engine's principal axes, good to about 1e-6 rad
    expectTensor(mesh, symmetric(0.4875, 0.375, 0.1875, 0.025, 0.0375, 0.075),
                 mode == MeshInertia::Exact ? 1e-13 : 2e-6);
    EXPECT_LT((mesh.inertia - Vec3(0.50246766, 0.38861481, 0.15891753)).norm(), test::tolerance(1e-8));
  }
}

TEST(MeshMass, InsideOutGivesTheSame) {
  for (const TriMesh& surface : {test::lPrismMesh(), test::tetrahedronMesh(1, 2, 3)}) {
    const Mesh a = process(surface, MeshInertia::Exact), b = process(test::inverted(surface), MeshInertia::Exact);
    EXPECT_DOUBLE_EQ(a.amount, b.amount);
    expectTensor(b, tensor(a), 1e-14);
  }
}

// a cube of edge 2 with a cubic hole of edge 1 off its center
TEST(MeshMass, HoleIsSubtracted) {
  const Vec3 at(0.25, -0.125, 0);
  const Mesh mesh =
      process(test::joined(test::boxMesh(Vec3::Ones()), test::inverted(test::boxMesh(Vec3::Constant(0.5), at))),
              MeshInertia::Exact);
  const Vec3 com = -at / 7;
  EXPECT_NEAR(mesh.amount, 7, test::tolerance(1e-13));
  EXPECT_LT((mesh.frame.pos - com).norm(), test::tolerance(1e-14));
  const Mat3 expected = Mat3::Identity() * (8 * 2.0 / 3 - 1.0 / 6) + steiner(8, com) - steiner(1, at - com);
  expectTensor(mesh, expected, 1e-13);
}

TEST(MeshMass, DoesNotDependOnWhereTheMeshLies) {
  const Mesh near = process(test::tetrahedronMesh(1, 2, 3), MeshInertia::Exact);
  const Mesh far = process(test::tetrahedronMesh(1, 2, 3, {100, -50, 20}), MeshInertia::Exact);
  expectTensor(far, tensor(near), 1e-11);  // the moved coordinates are exact in single precision too
  EXPECT_LT((far.frame.pos - near.frame.pos - Vec3(100, -50, 20)).norm(), test::tolerance(1e-12));
}

TEST(MeshMass, ScaleRotationAndReferencePointActAsTheyShould) {
  const Vec3 scale(0.5, 2, -1.5), refpos(0.1, 0.2, 0.3);
  const Quat refquat = fromAxisAngle(Vec3(1, 2, 3).normalized(), 0.7);
  const TriMesh surface = test::lPrismMesh();
  for (const MeshInertia mode : kSolidModes) {
    const Mesh mesh = process(surface, mode, {.refpos = refpos, .refquat = refquat, .scale = scale});
    const Mesh plain = process(surface, mode);
    if (mode != MeshInertia::Legacy) {
      EXPECT_NEAR(mesh.amount, plain.amount * 1.5, test::tolerance(1e-12));
      const Vec3 com = scale.cwiseProduct(rotate(refquat.conjugate(), plain.frame.pos - refpos));
      EXPECT_LT((mesh.frame.pos - com).norm(), test::tolerance(1e-12));
    }
    // the vertices are where the transform puts them
    const Vec3 last(0, 2, 0.5);
    const Vec3 expected = scale.cwiseProduct(rotate(refquat.conjugate(), last - refpos));
    const float* v = &mesh.vertex[mesh.vertex.size() - 3];
    EXPECT_LT((mesh.frame.pos + rotate(mesh.frame.quat, Vec3(v[0], v[1], v[2])) - expected).norm(),
              test::tolerance(1e-6));
  }
}

TEST(MeshMass, MirroringFlipsTheFaces) {
  const TriMesh cube = test::boxMesh(Vec3::Ones());
  EXPECT_EQ(process(cube, MeshInertia::Exact, {.scale = Vec3(-1, 1, 1)}).face, test::inverted(cube).face);
  EXPECT_EQ(process(cube, MeshInertia::Exact, {.scale = Vec3(-1, 1, -1)}).face, cube.face);
}

// A second formula: Monte Carlo over points inside the hull. 4e5 samples, so 3 standard errors are below 1 %.
TEST(MeshMass, AgreesWithMonteCarloForARandomHull) {
  const std::vector<double> points = test::randomPoints(12, 21);
  const Mesh mesh = process(test::pointMesh(points), MeshInertia::Exact);
  const HullGraph hull = convexHull(points);
  std::vector<Vec3> normals, origins;
  for (std::size_t i = 0; i < hull.faceGlobalId.size(); i += 3) {
    const Vec3 a = vec3(points.data(), hull.faceGlobalId[i]);
    origins.push_back(a);
    normals.push_back(
        (vec3(points.data(), hull.faceGlobalId[i + 1]) - a).cross(vec3(points.data(), hull.faceGlobalId[i + 2]) - a));
  }
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr int kSamples = 400000;
  int inside = 0;
  Mat3 sum = Mat3::Zero();
  for (int i = 0; i < kSamples; ++i) {
    const Vec3 p(uniform(generator), uniform(generator), uniform(generator));
    bool isInside = true;
    for (std::size_t k = 0; k < normals.size() && isInside; ++k) isInside = normals[k].dot(p - origins[k]) <= 0;
    if (!isInside) continue;
    ++inside;
    sum += steiner(1, p - mesh.frame.pos);
  }
  EXPECT_NEAR(mesh.amount, 8.0 * inside / kSamples, test::tolerance(0.01 * mesh.amount));
  expectTensor(mesh, sum * 8 / kSamples, 0.015);
}

TEST(MeshMass, ShellOfACubeHasTheInertiaOfSixPlates) {
  const Mesh mesh = process(test::boxMesh(Vec3::Constant(0.5)), MeshInertia::Shell);
  EXPECT_TRUE(mesh.isShell);
  EXPECT_NEAR(mesh.amount, 6, test::tolerance(1e-14));
  // a plate of edge 1 has 1/6 about its normal, 1/12 about its sides; four of them stand 1/2 off the axis
  expectTensor(mesh, Mat3::Identity() * (2.0 / 6 + 4 * (1.0 / 12 + 0.25)), 1e-14);
}

TEST(MeshMass, PlateIsAShellWithoutThickness) {
  const TriMesh plate = builtinMesh(BuiltinMesh::Plate, std::vector<double>{11, 21});
  const Mesh mesh = process(plate, MeshInertia::Shell);
  const double a = 2.0 * 10 / 11, b = 2.0 * 20 / 21;
  EXPECT_NEAR(mesh.amount, a * b, test::tolerance(1e-6));
  EXPECT_LT((mesh.inertia - a * b / 12 * Vec3(a * a + b * b, b * b, a * a)).norm(), test::tolerance(1e-6));
}

TEST(MeshMass, FlatMeshIsMasslessWithAWarning) {
  TriMesh square;
  square.vertex = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  square.face = {0, 1, 2, 0, 2, 3};
  for (const MeshInertia mode : kSolidModes) {
    const Mesh mesh = process(square, mode, {.needHull = true});
    EXPECT_EQ(mesh.amount, 0);
    EXPECT_EQ(mesh.inertiaForMass(mesh.amount), Vec3::Zero());
    EXPECT_FALSE(mesh.hull.has_value());
    ASSERT_EQ(mesh.warnings.size(), 2u);
    EXPECT_EQ(mesh.warnings[1], "the mesh has no volume and contributes no mass; inertia=\"shell\" would give it some");
    EXPECT_EQ(mesh.upper, Vec3(1, 1, 0));
  }
  EXPECT_NEAR(process(square, MeshInertia::Shell).amount, 1, test::tolerance(1e-15));
}

// Flat to the eye is not flat: the principal axes are those of the thin solid, wherever it lies.
TEST(MeshMass, NearlyFlatMeshHasItsSmallVolume) {
  TriMesh thin = test::boxMesh(Vec3(0.5, 0.25, 1e-10));
  for (std::size_t i = 0; i < thin.vertex.size(); i += 3) thin.vertex[i] += 1;
  const Mesh mesh = process(thin, MeshInertia::Legacy);
  EXPECT_TRUE(mesh.warnings.empty());
  EXPECT_NEAR(mesh.amount, 1e-10, test::tolerance(1e-15));
  EXPECT_LT((mesh.frame.pos - Vec3(1, 0, 0)).norm(), test::tolerance(1e-12));
}

TEST(MeshMass, ExactRefusesOpenAndInconsistentSurfacesAndNamesAnEdge) {
  TriMesh open = test::boxMesh(Vec3::Ones());
  open.face.resize(open.face.size() - 3);  // without 1 7 3
  EXPECT_EQ(errorOf(open, MeshInertia::Exact),
            "the surface is open: the edge between vertices 1 and 3 belongs to one face only");
  TriMesh twisted = test::boxMesh(Vec3::Ones());
  std::swap(twisted.face[0], twisted.face[1]);  // 1 0 3
  EXPECT_EQ(errorOf(twisted, MeshInertia::Exact),
            "faces have inconsistent orientation: the edge between vertices 0 and 1 is passed 2 times, not equally in "
            "both directions");
  EXPECT_EQ(errorOf(open, MeshInertia::Legacy), "(no error)");
  EXPECT_EQ(errorOf(twisted, MeshInertia::Legacy), "(no error)");
}

TEST(MeshMass, VerticesAtTheSamePlaceCloseTheSurface) {
  const TriMesh cube = test::boxMesh(Vec3::Ones());
  TriMesh soup;
  for (const int v : cube.face) {
    soup.face.push_back(soup.numVertices());
    for (std::size_t k = 0; k < 3; ++k) soup.vertex.push_back(cube.vertex[3 * static_cast<std::size_t>(v) + k]);
  }
  EXPECT_NEAR(process(soup, MeshInertia::Exact).amount, 8, test::tolerance(1e-13));
}

TEST(MeshMass, SurfaceWithoutAreaIsAnError) {
  TriMesh needle;
  needle.vertex = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  needle.face = {0, 1, 2, 1, 2, 3};
  EXPECT_EQ(errorOf(needle, MeshInertia::Legacy), "the surface area is too small");
}

TEST(Mesh, IsCenteredAndAlignedWithItsPrincipalAxes) {
  const Mesh mesh = process(test::tetrahedronMesh(1, 2, 3), MeshInertia::Exact);
  // put the aligned vertices through the same mill: nothing is left to do but rounding to single precision
  TriMesh again;
  again.vertex = mesh.vertex;
  again.face = mesh.face;
  const Mesh twice = process(again, MeshInertia::Exact);
  EXPECT_LT(twice.frame.pos.norm(), test::tolerance(1e-7));
  EXPECT_GT(std::abs(twice.frame.quat.w), 1 - 1e-12);
  EXPECT_GE(mesh.inertia[0], mesh.inertia[1]);
  EXPECT_GE(mesh.inertia[1], mesh.inertia[2]);
  EXPECT_LT((mesh.geomSize() - Vec3(0.5161073, 1.2306678, 2.3047651)).norm(),
            test::tolerance(2e-6));  // reference engine
}

TEST(Mesh, WithoutFacesIsItsHull) {
  const Mesh mesh = process(test::pointMesh(test::randomPoints(40, 2)), MeshInertia::Legacy);
  ASSERT_TRUE(mesh.hull.has_value());
  EXPECT_EQ(mesh.face, mesh.hull->faceGlobalId);
}

// a box fits itself, whichever box is asked for
TEST(FitShape, BoxFitsItself) {
  const Vec3 half(0.25, 0.5, 1);
  const Mesh mesh = process(test::boxMesh(half), MeshInertia::Exact);
  // largest moment first: the shortest side
  for (const bool toBoundingBox : {false, true}) {
    const ShapeFit fit = fitShape(mesh, GeomType::Box, toBoundingBox, 1);
    EXPECT_LT((fit.size - half).norm(), test::tolerance(1e-12)) << fit.size;
    EXPECT_LT(fit.center.norm(), test::tolerance(1e-12));
    EXPECT_NEAR(fitShape(mesh, GeomType::Sphere, toBoundingBox, 2).size[0], 2 * (toBoundingBox ? 1 : 1.75 / 3),
                test::tolerance(1e-12));
    EXPECT_NEAR(fitShape(mesh, GeomType::Cylinder, toBoundingBox, 1).size[0], toBoundingBox ? 0.5 : 0.375,
                test::tolerance(1e-12));
    EXPECT_NEAR(fitShape(mesh, GeomType::Cylinder, toBoundingBox, 1).size[1], 1, test::tolerance(1e-12));
    EXPECT_NEAR(fitShape(mesh, GeomType::Capsule, toBoundingBox, 1).size[1], toBoundingBox ? 0.5 : 1 - 0.1875,
                test::tolerance(1e-12));
  }
  EXPECT_THROW(fitShape(mesh, GeomType::Plane, false, 1), MeshError);
}

}  // namespace
}  // namespace sinew::geom
