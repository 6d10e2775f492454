// Mesh inertia, as promised in section C of the acceptance list. Tensors are compared, never quaternions:
// T = R(iquat) diag(inertia) R(iquat)' about the body's centre of mass, in the body frame.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/tolerance.h"
#include "support/vectors.h"

namespace sinew {
namespace {

using test::allNear;
using test::Mat3;
using test::rotation;
using test::tolerance;
using test::vec3;
using test::Vec3;

/// The unit cube: 8 vertices, 12 faces, outward.
const std::string kCube = R"(vertex="-0.5 -0.5 -0.5  0.5 -0.5 -0.5  0.5 0.5 -0.5  -0.5 0.5 -0.5
  -0.5 -0.5 0.5  0.5 -0.5 0.5  0.5 0.5 0.5  -0.5 0.5 0.5"
  face="0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  2 3 7  2 7 6  0 4 7  0 7 3  1 2 6  1 6 5")";
/// The same inside out.
const std::string kCubeInverted = R"(vertex="-0.5 -0.5 -0.5  0.5 -0.5 -0.5  0.5 0.5 -0.5  -0.5 0.5 -0.5
  -0.5 -0.5 0.5  0.5 -0.5 0.5  0.5 0.5 0.5  -0.5 0.5 0.5"
  face="0 1 2  0 2 3  4 6 5  4 7 6  0 5 1  0 4 5  2 7 3  2 6 7  0 7 4  0 3 7  1 6 2  1 5 6")";
/// L-shaped prism, z from 0 to 0.5: 12 vertices, 20 faces, outward.
const std::string kPrism = R"(vertex="0 0 0  3 0 0  3 1 0  1 1 0  1 2 0  0 2 0
  0 0 0.5  3 0 0.5  3 1 0.5  1 1 0.5  1 2 0.5  0 2 0.5"
  face="0 3 1  1 3 2  0 5 3  3 5 4  6 7 9  7 8 9  6 9 11  9 10 11
  0 1 7  0 7 6  1 2 8  1 8 7  2 3 9  2 9 8  3 4 10  3 10 9  4 5 11  4 11 10  5 0 6  5 6 11")";
const std::string kTetrahedron = R"(vertex="0 0 0  1 0 0  0 2 0  0 0 3" face="0 2 1  0 1 3  0 3 2  1 2 3")";

std::string modelText(const std::string& mesh, const std::string& body,
                      const std::string& compiler = "exactmeshinertia=\"true\"") {
  return "<mujoco><compiler " + compiler + "/><asset><mesh name=\"m\" " + mesh +
         "/></asset><worldbody><body name=\"b\">" + body + "</body></worldbody></mujoco>";
}

Model model(const std::string& mesh, const std::string& body = R"(<geom type="mesh" mesh="m" density="1000"/>)",
            const std::string& compiler = "exactmeshinertia=\"true\"") {
  return compile(readMjcfText(modelText(mesh, body, compiler)));
}

double mass(const Model& m) { return m.body_mass[1]; }
Vec3 center(const Model& m) { return vec3(m.body_ipos.data(), 1); }
Mat3 tensor(const Model& m) {
  const Mat3 R = rotation(m.body_iquat.data() + 4);
  const Vec3 principal = vec3(m.body_inertia.data(), 1);
  return R * principal.asDiagonal() * R.transpose();
}
Mat3 matrix(std::initializer_list<double> rows) {
  Mat3 result;
  int i = 0;
  for (const double x : rows) {
    result(i / 3, i % 3) = x;
    ++i;
  }
  return result;
}
Mat3 tetrahedronTensor() { return matrix({487.5, 25, 37.5, 25, 375, 75, 37.5, 75, 187.5}); }

TEST(Inertia, INERTIA_AC1_TheFlagIsOffByDefault) {
  const Spec spec = readMjcfText("<mujoco/>");
  EXPECT_FALSE(spec.compiler.exactmeshinertia.value_or(false));
}

TEST(Inertia, INERTIA_AC2_TheFlagIsReadAndChecked) {
  EXPECT_EQ(readMjcfText(R"(<mujoco><compiler exactmeshinertia="true"/></mujoco>)").compiler.exactmeshinertia, true);
  EXPECT_EQ(readMjcfText(R"(<mujoco><compiler exactmeshinertia="false"/></mujoco>)").compiler.exactmeshinertia, false);
  EXPECT_THROW(readMjcfText(R"(<mujoco><compiler exactmeshinertia="yes"/></mujoco>)"), LoadError);
}

TEST(Inertia, INERTIA_AC3_UnitCube) {
  const Model m = model(kCube);
  EXPECT_NEAR(mass(m), 1000, tolerance(1e-6));
  EXPECT_TRUE(allNear(center(m), Vec3::Zero(), 1e-12));
  EXPECT_TRUE(allNear(tensor(m), Mat3(Mat3::Identity() * (1000.0 / 6)), 1e-9 * 166));
}

// (i) closed form by adding two boxes; (ii) closed form of a right-angled tetrahedron.
TEST(Inertia, INERTIA_AC4_AsymmetricMeshesHaveFullTensors) {
  const Model prism = model(kPrism);
  EXPECT_NEAR(mass(prism), 2000, tolerance(2e-2));
  EXPECT_TRUE(allNear(center(prism), Vec3(1.25, 0.75, 0.25), 0, 1e-5));
  EXPECT_TRUE(
      allNear(tensor(prism), matrix({583.33333333, 375, 0, 375, 1583.33333333, 0, 0, 0, 2083.33333333}), 1e-3, 1e-5));
  const Vec3 principal = vec3(prism.body_inertia.data(), 1);
  EXPECT_TRUE(allNear(principal, Vec3(2083.33333333, 1708.33333333, 458.33333333), 0, 1e-5));
  // the long axis is turned by atan(1/3) about z: away from x towards -y, because Txy > 0
  const Vec3 longAxis = rotation(prism.body_iquat.data() + 4).col(2);
  EXPECT_NEAR(std::abs(longAxis.y() / longAxis.x()), 1.0 / 3, tolerance(1e-5));

  const Model tetrahedron = model(kTetrahedron);
  EXPECT_NEAR(mass(tetrahedron), 1000, tolerance(1e-2));
  EXPECT_TRUE(allNear(center(tetrahedron), Vec3(0.25, 0.5, 0.75), 0, 1e-5));
  EXPECT_TRUE(allNear(tensor(tetrahedron), tetrahedronTensor(), 0, 1e-5));
  EXPECT_TRUE(allNear(Vec3(vec3(tetrahedron.body_inertia.data(), 1)), Vec3(502.46766, 388.61481, 158.91753), 0, 1e-5));
}

// The reference's default counts pyramids that lie outside as mass.
TEST(Inertia, INERTIA_AC4_LegacyWeighsTheSameAsTheReference) {
  const Model m = model(kPrism, R"(<geom type="mesh" mesh="m" density="1000"/>)", "");
  EXPECT_NEAR(mass(m), 2080.7, tolerance(0.05));
}

TEST(Inertia, INERTIA_AC5_ExplicitInertialWins) {
  const std::string body =
      R"(<inertial mass="42" pos="0 0 0" diaginertia="1 2 3"/><geom type="mesh" mesh="m" density="1000"/>)";
  for (const char* compiler : {"", "inertiafromgeom=\"auto\"", "inertiafromgeom=\"false\""}) {
    const Model m = model(kCube, body, compiler);
    EXPECT_EQ(mass(m), 42);
    EXPECT_TRUE(allNear(Vec3(vec3(m.body_inertia.data(), 1)), Vec3(1, 2, 3), 0));
    EXPECT_TRUE(allNear(center(m), Vec3::Zero(), 0));
  }
  EXPECT_NEAR(mass(model(kCube, body, "inertiafromgeom=\"true\" exactmeshinertia=\"true\"")), 1000, tolerance(1e-6));
}

TEST(Inertia, INERTIA_AC6_MovingAMeshMovesItsCentreAndNothingElse) {
  const Model at0 = model(kTetrahedron);
  const Model moved = model(kTetrahedron, R"(<geom type="mesh" mesh="m" density="1000" pos="1 0 0"/>)");
  EXPECT_TRUE(allNear(center(moved), Vec3(1.25, 0.5, 0.75), 1e-6));
  EXPECT_NEAR(mass(moved), mass(at0), tolerance(1e-9) * 1000);
  EXPECT_TRUE(allNear(tensor(moved), tensor(at0), 1e-9 * 500));

  const Model turned = model(kTetrahedron, R"(<geom type="mesh" mesh="m" density="1000" pos="1 0 0" euler="0 0 90"/>)");
  EXPECT_TRUE(allNear(center(turned), Vec3(0.5, 0.25, 0.75), 1e-6));
  EXPECT_TRUE(allNear(tensor(turned), matrix({375, -25, -75, -25, 487.5, 37.5, -75, 37.5, 187.5}), 1e-3, 1e-5));

  // about the body's origin the parallel-axis term shows: m (|d|^2 E - d d')
  const Vec3 d = center(moved);
  const Mat3 aboutOrigin = tensor(moved) + mass(moved) * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  EXPECT_NEAR(aboutOrigin(0, 0), 487.5 + 1000 * (0.25 + 0.5625), tolerance(1e-2));
  EXPECT_NEAR(aboutOrigin(0, 1), 25 - 1000 * 1.25 * 0.5, tolerance(1e-2));
}

TEST(Inertia, INERTIA_AC7_AFlatMeshWeighsNothing) {
  const std::string flat = R"(vertex="0 0 0  1 0 0  1 1 0  0 1 0" face="0 1 2  0 2 3")";
  Warnings warnings;
  const Model m =
      compile(readMjcfText(modelText(flat, R"(<geom type="mesh" mesh="m" density="1000"/>)", "")), &warnings);
  EXPECT_EQ(mass(m), 0);
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("<mesh name=\"m\">"), std::string::npos) << warnings[0];

  Data d(m);
  for (int i = 0; i < 100; ++i) step(m, d);
  for (const double x : d.xpos) EXPECT_TRUE(std::isfinite(x));
  EXPECT_TRUE(d.status.ok());

  try {
    compile(readMjcfText(modelText(flat, R"(<freejoint/><geom type="mesh" mesh="m"/>)", "")));
    FAIL() << "a free body without mass must not load";
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("<body name=\"b\">: a moving body needs mass"), std::string::npos)
        << error.what();
  }
}

// "Degenerate" is relative to the mesh: a cube of 0.4 mm is a cube. m = 1000 a^3, T = m a^2/6.
TEST(Inertia, INERTIA_AC7_ASmallMeshIsNotFlat) {
  const Model m = model(kCube + " scale=\"0.0004 0.0004 0.0004\"");
  EXPECT_NEAR(mass(m), 6.4e-8, tolerance(1e-5) * 6.4e-8);
  EXPECT_TRUE(allNear(tensor(m), Mat3(Mat3::Identity() * 1.706667e-15), 1e-5 * 1.7e-15));
}

TEST(Inertia, INERTIA_AC8_BothValuesOfTheFlagMeanExact) {
  for (const std::string& mesh : {kCube, kPrism}) {
    const std::string body = R"(<geom type="mesh" mesh="m" density="1000"/>)";
    const Model a = model(mesh, body, "exactmeshinertia=\"true\""), b = model(mesh, body, "exactmeshinertia=\"false\"");
    EXPECT_EQ(firstDifference(a, b), "");
  }
  // a mesh that says what it wants is asked first
  const std::string body = R"(<geom type="mesh" mesh="m" density="1000"/>)";
  EXPECT_NEAR(mass(model(kPrism + " inertia=\"legacy\"", body)), 2080.7, tolerance(0.05));
}

TEST(Inertia, INERTIA_AC9_MeshAndPrimitiveInOneBody) {
  const Model m = model(kCube, R"(<geom type="sphere" size="0.1" density="1000"/>
                                  <geom type="mesh" mesh="m" pos="1 0 0" density="1000"/>)");
  EXPECT_NEAR(mass(m), 1004.188790, tolerance(1e-6));
  EXPECT_TRUE(allNear(center(m), Vec3(0.995828683, 0, 0), 1e-8));
  EXPECT_TRUE(allNear(tensor(m), Mat3(Vec3(166.683422, 170.854739, 170.854739).asDiagonal()), 1e-6));
}

TEST(Inertia, INERTIA_B1_MassScalesTheTensor) {
  const Model m = model(kTetrahedron, R"(<geom type="mesh" mesh="m" mass="7"/>)");
  EXPECT_EQ(mass(m), 7);
  EXPECT_TRUE(allNear(tensor(m), Mat3(tetrahedronTensor() * 0.007), 1e-6, 1e-5));
}

// R diag(I) R' with I = m (b^2 + c^2)/3, and R the rotation by 30 degrees about z.
TEST(Inertia, INERTIA_B2_RotatedBox) {
  const Model m = compile(readMjcfText(R"(<mujoco><worldbody><body><geom type="box" size="0.1 0.2 0.3" euler="0 0 30"
      density="1000"/></body></worldbody></mujoco>)"));
  const double m0 = 1000 * 8 * 0.006;
  const Vec3 I(m0 * (0.04 + 0.09) / 3, m0 * (0.01 + 0.09) / 3, m0 * (0.01 + 0.04) / 3);
  const double c = std::cos(std::acos(-1.0) / 6), s = 0.5;
  const Mat3 expected = matrix({c * c * I[0] + s * s * I[1], c * s * (I[0] - I[1]), 0, c * s * (I[0] - I[1]),
                                s * s * I[0] + c * c * I[1], 0, 0, 0, I[2]});
  EXPECT_NEAR(mass(m), m0, tolerance(1e-12) * m0);
  EXPECT_TRUE(allNear(tensor(m), expected, 1e-12));
  EXPECT_GT(std::abs(expected(0, 1)), 0.1);
}

TEST(Inertia, INERTIA_B3_PrimitivesDoNotSeeTheFlag) {
  const std::string body = R"(<geom type="capsule" size="0.1 0.2"/><geom type="box" size="0.1 0.2 0.3" pos="1 2 3"/>)";
  EXPECT_EQ(firstDifference(model(kCube, body, ""), model(kCube, body)).find("body_"), std::string::npos);
}

TEST(Inertia, INERTIA_B4_WindingMattersOnlyWhenInconsistent) {
  const Model outward = model(kCube), inward = model(kCubeInverted);
  EXPECT_NEAR(mass(inward), mass(outward), tolerance(1e-9));
  EXPECT_TRUE(allNear(tensor(inward), tensor(outward), 1e-9));

  const auto message = [](const std::string& faces) -> std::string {
    const std::string vertices = kCube.substr(0, kCube.find("face="));
    try {
      model(vertices + "face=\"" + faces + "\"");
    } catch (const LoadError& error) {
      return error.what();
    }
    return {};
  };
  const std::string open = message("0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  2 3 7  2 7 6  0 4 7  0 7 3  1 2 6");
  EXPECT_NE(open.find("<mesh name=\"m\">: the surface is open: the edge between vertices"), std::string::npos) << open;
  const std::string mixed =
      message("0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  2 3 7  2 7 6  0 4 7  0 7 3  1 2 6  1 5 6");
  EXPECT_NE(mixed.find("<mesh name=\"m\">"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("edge"), std::string::npos) << mixed;
}

// A cube of edge 1 with a cubic hole of edge 0.5: 1 - 1/8 of the mass, (1 - 1/32)/6 of the moment per unit mass.
TEST(Inertia, INERTIA_B5_HolesCount) {
  std::string vertices = kCube.substr(8, kCube.find('"', 8) - 8), hole;
  for (int i = 0; i < 8; ++i) {
    const bool x = i == 1 || i == 2 || i == 5 || i == 6, y = i == 2 || i == 3 || i == 6 || i == 7, z = i >= 4;
    for (const bool high : {x, y, z}) hole += high ? " 0.25" : " -0.25";
  }
  const std::string inner =
      "8 9 10 8 10 11 12 14 13 12 15 14 8 13 9 8 12 13 10 15 11 10 14 15 8 15 12 8 11 15 9 14 10 9 13 14";
  const std::string outer = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 0 4 7 0 7 3 1 2 6 1 6 5 ";
  const Model m = model("vertex=\"" + vertices + hole + "\" face=\"" + outer + inner + "\"");
  EXPECT_NEAR(mass(m), 875, tolerance(1e-6));
  EXPECT_TRUE(allNear(tensor(m), Mat3(Mat3::Identity() * (1000.0 / 6 * (1 - 1.0 / 32))), 1e-6));
}

// Single precision vertices near 100 are good to 4e-6, hence the tolerance.
TEST(Inertia, INERTIA_B6_TheResultDoesNotDependOnWhereTheMeshSits) {
  const Model m = model(R"(vertex="100 -50 20  101 -50 20  100 -48 20  100 -50 23" face="0 2 1  0 1 3  0 3 2  1 2 3")");
  EXPECT_TRUE(allNear(center(m), Vec3(100.25, -49.5, 20.75), 1e-4));
  EXPECT_TRUE(allNear(tensor(m), tetrahedronTensor(), 0, 1e-3));
}

}  // namespace
}  // namespace sinew
