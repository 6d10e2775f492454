// What URDF files become. Expected numbers are those of MuJoCo 3.12.0 (its Python package) for the same text, unless a
// comment says otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/paths.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

Spec read(const std::string& content, Warnings* warnings = nullptr, const LoadOptions& options = {}) {
  return readMjcfText("<robot name=\"r\">" + content + "</robot>", "r.urdf", {}, warnings, options);
}

Model model(const std::string& content) { return compile(read(content)); }

const std::string kInertial = R"(<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial>)";

std::string joint(const std::string& type, const std::string& content, const std::string& name = "j",
                  const std::string& parent = "a", const std::string& child = "b") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + content + "</joint>";
}

/// A link b with inertia that hangs on a root a.
std::string two(const std::string& type, const std::string& content, const std::string& link = "") {
  return "<link name=\"a\"/><link name=\"b\">" + kInertial + link + "</link>" + joint(type, content);
}

template <class Values>
void expectRow(const Values& values, std::ptrdiff_t row, const std::vector<double>& expected,
               double tolerance = 1e-15) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(values[row * static_cast<std::ptrdiff_t>(expected.size()) + static_cast<std::ptrdiff_t>(i)],
                expected[i], tolerance)
        << "entry " << i;
  }
}

std::string text(const Warnings& warnings) {
  std::string all;
  for (const std::string& warning : warnings) all += warning + "\n";
  return all;
}

// ---------------------------------------------------------------------------------------------- joints

TEST(UrdfJoints, ARevoluteJointHasPoseAxisLimitsEffortAndDynamics) {
  const Model m = model(two("revolute", R"(<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 1"/>
    <limit lower="-1" upper="2" effort="-5" velocity="3"/><dynamics damping="0.3" friction="0.4"/>)"));
  ASSERT_EQ(m.nbody, 2);  // the root is fused with the world
  expectRow(m.body_pos, 1, {1, 2, 3});
  expectRow(m.body_quat, 1, {0.9833474432563558, 0.0342707985504821, 0.10602051106179562, 0.1435721750273919});
  EXPECT_EQ(m.jnt_type[0], JointType::Hinge);
  expectRow(m.jnt_axis, 0, {0, 0.7071067811865475, 0.7071067811865475});
  EXPECT_TRUE(m.jnt_limited[0]);
  expectRow(m.jnt_range, 0, {-1, 2});
  EXPECT_TRUE(m.jnt_actfrclimited[0]);
  expectRow(m.jnt_actfrcrange, 0, {-5, 5});
  EXPECT_EQ(m.dof_damping[0], 0.3);
  EXPECT_EQ(m.dof_frictionloss[0], 0.4);
}

TEST(UrdfJoints, TheAxisIsXIfNotGiven) {
  expectRow(model(two("continuous", "")).jnt_axis, 0, {1, 0, 0});
  const Model slide = model(two("prismatic", "<limit lower=\"0\" upper=\"1\"/>"));
  expectRow(slide.jnt_axis, 0, {1, 0, 0});
  EXPECT_EQ(slide.jnt_type[0], JointType::Slide);
}

TEST(UrdfJoints, HalfLimitsAndWrongLimitsDoNotBind) {
  for (const char* limit : {R"(<limit lower="-1"/>)", R"(<limit upper="1"/>)", R"(<limit lower="2" upper="1"/>)",
                            R"(<limit lower="1" upper="1"/>)", ""}) {
    Warnings warnings;
    const Model m = compile(read(two("revolute", limit), &warnings));
    EXPECT_FALSE(m.jnt_limited[0]) << limit;
    EXPECT_NE(text(warnings).find("can move without bounds"), std::string::npos) << limit;
  }
}

TEST(UrdfJoints, LimitsOfAContinuousJointBindWithAWarning) {
  Warnings warnings;
  EXPECT_TRUE(compile(read(two("continuous", R"(<limit lower="-1" upper="2"/>)"), &warnings)).jnt_limited[0]);
  EXPECT_NE(text(warnings).find("the continuous joint is limited"), std::string::npos);
}

TEST(UrdfJoints, APlanarJointIsTwoSlidesAndAHinge) {
  const Model m = model(two("planar", R"(<axis xyz="1 2 3"/><limit lower="1" upper="2" effort="3"/>
    <dynamics damping="0.3" friction="0.4"/>)"));
  ASSERT_EQ(m.njnt, 3);
  EXPECT_EQ(nameOf(m, ObjType::Joint, 0), "j_TX");
  EXPECT_EQ(nameOf(m, ObjType::Joint, 1), "j_TY");
  EXPECT_EQ(nameOf(m, ObjType::Joint, 2), "j_RZ");
  expectRow(m.jnt_axis, 0, {0.9603567451474547, -0.07928650970509074, -0.2672612419124244});
  expectRow(m.jnt_axis, 1, {-0.07928650970509074, 0.8414269805898186, -0.5345224838248488});
  expectRow(m.jnt_axis, 2, {0.2672612419124244, 0.5345224838248488, 0.8017837257372732});
  EXPECT_TRUE(m.jnt_limited[0]);
  EXPECT_FALSE(m.jnt_limited[1] || m.jnt_limited[2]);
  expectRow(m.jnt_actfrcrange, 0, {-3, 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(m.dof_damping[i], 0.3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(m.dof_frictionloss[i], 0.4);
}

TEST(UrdfJoints, FloatingAndSphericalJointsAreFreeAndBall) {
  const Model floating = model(two("floating", R"(<origin xyz="1 2 3"/><dynamics damping="0.3"/>)"));
  EXPECT_EQ(floating.jnt_type[0], JointType::Free);
  EXPECT_EQ(floating.nq, 7);
  expectRow(floating.qpos0, 0, {1, 2, 3, 1, 0, 0, 0});
  EXPECT_EQ(floating.dof_damping[5], 0.3);
  const Model ball = model(two("spherical", R"(<limit lower="0" upper="2"/>)"));
  EXPECT_EQ(ball.jnt_type[0], JointType::Ball);
  EXPECT_TRUE(ball.jnt_limited[0]);
}

TEST(UrdfJoints, AFloatingJointBelowAMovingLinkIsRefused) {
  const std::string content =
      two("continuous", "") + "<link name=\"c\">" + kInertial + "</link>" + joint("floating", "", "k", "b", "c");
  try {
    model(content);
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("a free joint is allowed only in a child of the world"),
              std::string::npos);
  }
}

// MuJoCo 3.12.0 drops <mimic>; later versions make the same equality.
TEST(UrdfJoints, MimicHoldsTheFollowerAtOffsetPlusMultiplierTimesLeader) {
  const std::string content = R"(<mujoco><option gravity="0 0 0"/></mujoco>)" + two("revolute", R"(
      <limit lower="-3" upper="3"/><dynamics damping="2"/>)") +
                              "<link name=\"c\">" + kInertial + "</link>" +
                              joint("continuous", R"(<dynamics damping="2"/>
      <mimic joint="j" multiplier="-1.5" offset="0.2"/>)",
                                    "k", "a", "c");
  const Model m = model(content);
  ASSERT_EQ(m.neq, 1);
  EXPECT_EQ(m.eq_type[0], EqualityType::Joint);
  Data d(m);
  d.qpos[0] = 0.7;
  for (int i = 0; i < 3000; ++i) step(m, d);
  EXPECT_GT(std::abs(d.qpos[0]), 0.01);
  EXPECT_NEAR(d.qpos[1], 0.2 - 1.5 * d.qpos[0], 1e-4);
}

TEST(UrdfJoints, MimicOfAFixedJointHoldsTheFollowerAtTheOffset) {
  const Spec spec = read(two("fixed", "") + "<link name=\"c\">" + kInertial + "</link>" +
                         joint("continuous", R"(<mimic joint="j" multiplier="3" offset="0.2"/>)", "k", "a", "c"));
  ASSERT_EQ(spec.equalities.size(), 1u);
  EXPECT_EQ(spec.equalities[0].name1, "k");
  EXPECT_EQ(spec.equalities[0].name2, "");
  EXPECT_EQ(spec.equalities[0].polycoef, (spec::Vec5{0.2, 0, 0, 0, 0}));
}

// ---------------------------------------------------------------------------------------------- inertia

/// A robot with the joints j (hinge, effort 40), f (fixed) and transmissions.
std::string driven(const std::string& transmissions) {
  return two("revolute", "<limit lower=\"-1\" upper=\"1\" effort=\"40\"/>") + "<link name=\"c\"/>" +
         joint("fixed", "", "f", "b", "c") + transmissions;
}

std::string transmission(const std::string& joint, const std::string& interface, const std::string& actuator,
                         const std::string& type = "transmission_interface/SimpleTransmission") {
  return "<transmission name=\"t\"><type>" + type + "</type><joint name=\"" + joint + "\">" +
         (interface.empty() ? "" : "<hardwareInterface>" + interface + "</hardwareInterface>") + "</joint>" + actuator +
         "</transmission>\n";
}

const std::string kEffort = "hardware_interface/EffortJointInterface";

// the motor of a joint with gear n makes n times its torque there: a = n u / I
TEST(UrdfTransmissions, OneMotorOnOneJointIsAMotorWithItsReductionAsGear) {
  const std::string motor =
      "<actuator name=\"drive\"><hardwareInterface> EffortJointInterface\n</hardwareInterface>"
      "<mechanicalReduction> -16 </mechanicalReduction></actuator>";
  Warnings warnings;
  const Spec spec = read(driven(transmission("j", kEffort, motor)), &warnings);
  EXPECT_EQ(text(warnings), "");
  const Model m = compile(spec);
  ASSERT_EQ(m.nu, 1);
  EXPECT_EQ(nameOf(m, ObjType::Actuator, 0), "drive");
  EXPECT_EQ(m.actuator_gear[0], -16);
  EXPECT_EQ(m.actuator_ctrllimited[0], 1);
  EXPECT_EQ(m.actuator_ctrlrange[0], -2.5);
  EXPECT_EQ(m.actuator_ctrlrange[1], 2.5);
  Data d(m), loaded(m);
  loaded.ctrl[0] = 0.5;
  forward(m, d);
  forward(m, loaded);
  EXPECT_NEAR(loaded.qfrc_actuator[0], -8, 1e-15);
  EXPECT_NEAR((loaded.qacc[0] - d.qacc[0]) * m.dof_M0[0], -8, 1e-9);
  // written and read again it is the same model
  EXPECT_EQ(hashOf(compile(readMjcfText(writeMjcf(spec)))), hashOf(m));
}

TEST(UrdfTransmissions, ThePredecessorOfRosWroteTypeAndReductionElsewhere) {
  const Model m =
      model(driven("<transmission type=\"pr2_mechanism_model/SimpleTransmission\" name=\"t\"><actuator name=\"drive\"/>"
                   "<joint name=\"j\"/><mechanicalReduction>4</mechanicalReduction></transmission>"));
  ASSERT_EQ(m.nu, 1);
  EXPECT_EQ(m.actuator_gear[0], 4);
  EXPECT_EQ(model(driven(transmission("j", "", "<actuator/>"))).actuator_gear[0], 1);
}

TEST(UrdfTransmissions, WhatHasNoCounterpartIsLeftAsideWithAWarning) {
  const auto warned = [](const std::string& content) {
    Warnings warnings;
    EXPECT_EQ(compile(read(driven(content), &warnings)).nu, 0);
    return text(warnings);
  };
  const std::string start = "r.urdf:2: <transmission name=\"t\">: <transmission> is ignored: ";
  EXPECT_EQ(warned(transmission("j", "hardware_interface/PositionJointInterface", "<actuator name=\"a\"/>")),
            start + "what is not controlled by its effort needs gains, which URDF does not have\n");
  EXPECT_EQ(warned(transmission("j", kEffort, "", "transmission_interface/DifferentialTransmission")),
            start + "only a SimpleTransmission has a counterpart, one motor on one joint\n");
  EXPECT_EQ(warned(transmission("f", kEffort, "<actuator name=\"a\"/>")),
            start + "the joint does not have one coordinate\n");
}

TEST(UrdfTransmissions, WrongOnesAreErrors) {
  const auto refused = [](const std::string& content) -> std::string {
    try {
      read(driven(content));
    } catch (const LoadError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string motor = "<actuator name=\"a\"/>";
  EXPECT_EQ(refused(transmission("k", kEffort, motor)),
            "r.urdf:2: <joint name=\"k\">: <transmission> names the unknown joint \"k\"");
  EXPECT_EQ(
      refused(transmission("j", kEffort, motor + motor)),
      "r.urdf:2: <transmission name=\"t\">: a SimpleTransmission has one <joint> and one <actuator>, found 1 and 2");
  EXPECT_EQ(refused(transmission("j", kEffort, motor) + transmission("j", kEffort, motor)),
            "r.urdf:3: <actuator name=\"a\">: the name \"a\" is taken by the actuator of another transmission");
  for (const std::string number : {"0", "x", "", "1 2", "inf"}) {
    EXPECT_EQ(refused(transmission("j", kEffort,
                                   "<actuator><mechanicalReduction>" + number + "</mechanicalReduction></actuator>")),
              "r.urdf:2: <mechanicalReduction>: expected a number other than 0, found '" + number + "'");
  }
}

TEST(UrdfInertia, ProductsOfInertiaTurnThePrincipalAxes) {
  const Model m = model(two("continuous", ""));
  EXPECT_EQ(m.body_mass[1], 2);
  expectRow(m.body_ipos, 1, {0.1, 0.2, 0.3});
  expectRow(m.body_inertia, 1, {0.26524348033741524, 0.18929711741180355, 0.09545940225078106});
  expectRow(m.body_iquat, 1, {0.2024797252431335, 0.6451274942213754, 0.08446421997073233, 0.7319004526640588});
}

/// The inertia tensor of body 1 in its own frame.
std::vector<double> tensorOf(const Model& m) {
  const double w = m.body_iquat[4], x = m.body_iquat[5], y = m.body_iquat[6], z = m.body_iquat[7];
  const double R[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  std::vector<double> tensor(9, 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) tensor[3 * i + j] += R[i][k] * m.body_inertia[3 + k] * R[j][k];
  return tensor;
}

// MuJoCo 3.12.0 loses this rotation and later versions do not; these are the numbers of the definition, R I R'.
TEST(UrdfInertia, TheOriginOfAnInertialTurnsTheTensor) {
  const auto turned = [](const std::string& origin) {
    return tensorOf(model("<link name=\"a\"/><link name=\"b\"><inertial>" + origin +
                          R"(<mass value="1"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/>
                          </inertial></link>)" +
                          joint("continuous", "")));
  };
  // a quarter turn about z takes (x, y, z) to (-y, x, z)
  const std::vector<double> quarter{2, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 2.5};
  // a half turn about x takes (x, y, z) to (x, -y, -z)
  const std::vector<double> half{1, -0.1, -0.2, -0.1, 2, 0.3, -0.2, 0.3, 2.5};
  // principal axes are as exact as the reference's, which leaves turns below 1.4e-6 rad alone: docs/differences.md
  const auto expectNear = [](const std::vector<double>& found, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found[i], expected[i], 1e-7) << i;
  };
  expectNear(turned(R"(<origin rpy="0 0 1.5707963267948966"/>)"), quarter);
  expectNear(turned(R"(<origin rpy="3.141592653589793 0 0"/>)"), half);
  expectNear(turned(R"(<origin quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"/>)"), quarter);
}

TEST(UrdfInertia, WithoutAnInertialTheCollisionGeometryGivesMass) {
  const Model m = model(
      "<link name=\"a\"/><link name=\"b\"><collision><geometry><box size=\"1 2 3\"/></geometry>"
      "</collision></link>" +
      joint("continuous", ""));
  EXPECT_NEAR(m.body_mass[1], 6000, 1e-9);
  expectRow(m.body_inertia, 1, {6500, 5000, 2500}, 1e-9);
}

TEST(UrdfInertia, LinksOnFixedJointsAreFusedWithTheirParents) {
  const std::string content = two("continuous", "") + "<link name=\"c\">" + kInertial +
                              R"(<collision><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry></collision>
                              </link>)" +
                              joint("fixed", R"(<origin xyz="1 0 0" rpy="0.4 0 0.2"/>)", "k", "b", "c");
  const Model m = model(content);
  ASSERT_EQ(m.nbody, 2);
  EXPECT_EQ(m.body_mass[1], 4);
  expectRow(m.body_ipos, 1, {0.5923094939819307, 0.14295519086304181, 0.32710098333129783});
  expectRow(m.body_inertia, 1, {1.50821393001629, 1.3689915839286773, 0.19365217734896004}, 1e-14);
  expectRow(m.geom_pos, 0, {1.0773654814657816, -0.38165590209504835, 0.9210609940028852});
  expectRow(m.geom_quat, 0, {0.975170327201816, 0.19767681165408388, 0.01983383807620987, 0.09784339500725571});
  const Model apart = model("<mujoco><compiler fusestatic=\"false\"/></mujoco>" + content);
  EXPECT_EQ(apart.nbody, 4);
}

TEST(UrdfInertia, SettingsOfTheCompilerApply) {
  const std::string diagonal = R"(<inertial><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>)";
  const std::string content = "<link name=\"a\"/><link name=\"b\">" + diagonal + "</link>" + joint("continuous", "");
  const Model m = model(R"(<mujoco><compiler angle="degree" eulerseq="zyx" boundmass="3" boundinertia="0.15"
    settotalmass="10"/><option timestep="0.001" gravity="0 0 -1"/><size nuserdata="3"/></mujoco>)" +
                        content);
  EXPECT_NEAR(m.body_mass[1], 10, 1e-14);
  expectRow(m.body_inertia, 1, {0.8333333333333334, 0.6666666666666667, 0.5});
  EXPECT_EQ(m.opt.timestep, 0.001);
  EXPECT_EQ(m.nuserdata, 3);
}

// ---------------------------------------------------------------------------------------------- geometry

const std::string kShapes = R"(
  <visual name="v"><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
  <collision><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="1" length="3"/></geometry></collision>
  <collision name="c"><geometry><capsule radius="1" length="3"/></geometry></collision>
  <collision name="c"><geometry><sphere radius="2"/></geometry></collision>)";
const std::string kRed = R"(<material name="red"><color rgba="1 0 0 1"/></material>)";

TEST(UrdfGeometry, ShapesHaveHalfLengthsAndVisualsAreLeftOut) {
  Warnings warnings;
  const Model m = compile(read(kRed + two("continuous", "", kShapes), &warnings));
  ASSERT_EQ(m.ngeom, 3);
  EXPECT_EQ(m.geom_type[0], GeomType::Cylinder);
  expectRow(m.geom_size, 0, {1, 1.5, 0});
  expectRow(m.geom_pos, 0, {0, 0, 1});
  expectRow(m.geom_quat, 0, {0.9833474432563558, 0.0342707985504821, 0.10602051106179562, 0.1435721750273919});
  EXPECT_EQ(m.geom_type[1], GeomType::Capsule);
  expectRow(m.geom_size, 1, {1, 1.5, 0});
  EXPECT_EQ(m.geom_type[2], GeomType::Sphere);
  EXPECT_EQ(nameOf(m, ObjType::Geom, 1), "c");
  EXPECT_EQ(nameOf(m, ObjType::Geom, 2), "");
  EXPECT_NE(text(warnings).find("the name is taken by another visual or collision"), std::string::npos);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(m.geom_contype[i], 1);
    EXPECT_EQ(m.geom_conaffinity[i], 1);
    EXPECT_EQ(m.geom_group[i], 0);
  }
  EXPECT_EQ(read(kRed + two("continuous", "", kShapes)).world.bodies[0].bodies[0].geoms[0].rgba,
            (spec::Rgba{1, 0, 0, 1}));  // collisions look like the last visual
}

TEST(UrdfGeometry, VisualsThatAreKeptTouchNothingAndWeighNothing) {
  const std::string keep = "<mujoco><compiler discardvisual=\"false\" inertiafromgeom=\"true\"/></mujoco>";
  const std::string ball = "<collision><geometry><sphere radius=\"0.5\"/></geometry></collision>";
  const std::string look = "<visual><geometry><box size=\"1 2 3\"/></geometry></visual>";
  const Model m = model(keep + two("continuous", "", look + ball));
  ASSERT_EQ(m.ngeom, 2);
  EXPECT_EQ(m.geom_contype[0], 0);
  EXPECT_EQ(m.geom_conaffinity[0], 0);
  EXPECT_EQ(m.geom_group[0], 1);
  EXPECT_EQ(m.body_mass[1], model(keep + two("continuous", "", ball)).body_mass[1]);
}

TEST(UrdfGeometry, ARootNamedWorldIsTheWorld) {
  const Model m = model("<link name=\"world\">" + kInertial +
                        "<collision name=\"c\"><geometry><box size=\"1 2 3\"/></geometry></collision></link>"
                        "<link name=\"b\">" +
                        kInertial + "</link>" + joint("continuous", "", "j", "world", "b"));
  EXPECT_EQ(m.nbody, 2);
  EXPECT_EQ(m.geom_bodyid[0], 0);
  EXPECT_EQ(m.body_mass[1], 2);
}

// ---------------------------------------------------------------------------------------------- meshes

/// A folder with a small mesh in it, removed afterwards.
class UrdfMeshes : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("sinew_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes a tetrahedron with edges of length `size` to a path below the folder.
  void writeMesh(const std::string& path, double size) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << "v 0 0 0\nv " << size << " 0 0\nv 0 " << size << " 0\nv 0 0 " << size
                                  << "\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  }

  static std::string robot(const std::string& filename, const std::string& settings = "",
                           const std::string& scale = "") {
    return "<robot name=\"r\">" + settings +
           "<link name=\"a\"/><link name=\"b\"><collision><geometry><mesh filename=\"" + filename + "\" " + scale +
           "/></geometry></collision></link>" + joint("continuous", "") + "</robot>";
  }

  /// Mass of a solid tetrahedron of density 1000.
  static double mass(double size) { return 1000 * size * size * size / 6; }

  double massOf(const std::string& file, const std::string& content, const LoadOptions& options = {}) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << content;
    return load(folder_ / file, nullptr, options).body_mass[1];
  }

  fs::path folder_;
};

TEST_F(UrdfMeshes, AreFoundRelativeToTheFileAndScaled) {
  writeMesh("meshes/t.obj", 0.5);
  EXPECT_NEAR(massOf("r.urdf", robot("meshes/t.obj")), mass(0.5), 1e-4);
  EXPECT_NEAR(massOf("r.urdf", robot("meshes/t.obj", "", "scale=\"2 3 1\"")), 6 * mass(0.5), 1e-4);
  EXPECT_NEAR(massOf("r.urdf", robot("t.obj", "<mujoco><compiler meshdir=\"meshes\"/></mujoco>")), mass(0.5), 1e-4);
  EXPECT_NEAR(massOf("r.urdf", robot("package://nowhere/x/t.obj",
                                     "<mujoco><compiler meshdir=\"meshes\" strippath=\"true\"/></mujoco>")),
              mass(0.5), 1e-4);
  EXPECT_NEAR(massOf("r.urdf", robot("file://" + (folder_ / "meshes/t.obj").string())), mass(0.5), 1e-4);
}

TEST_F(UrdfMeshes, PackagesAreFoundByOptionThenInTheSearchListThenNearTheFile) {
  writeMesh("given/m/t.obj", 0.1);
  writeMesh("list/bot/m/t.obj", 0.2);
  writeMesh("ws/bot/m/t.obj", 0.3);
  writeMesh("ws/other/m/t.obj", 0.4);
  LoadOptions options;
  for (const char* scheme : {"package://", "model://"}) {
    const std::string content = robot(std::string(scheme) + "bot/m/t.obj");
    EXPECT_NEAR(massOf("ws/bot/urdf/r.urdf", content), mass(0.3), 1e-6);    // in a folder of that name
    EXPECT_NEAR(massOf("ws/other/urdf/r.urdf", content), mass(0.3), 1e-6);  // beside one
    options.packagePath = {folder_ / "list"};
    options.packages = {};
    EXPECT_NEAR(massOf("ws/bot/urdf/r.urdf", content, options), mass(0.2), 1e-6);
    options.packages = {{"bot", folder_ / "given"}};
    EXPECT_NEAR(massOf("ws/bot/urdf/r.urdf", content, options), mass(0.1), 1e-6);
  }
}

TEST_F(UrdfMeshes, APackageThatIsNotFoundIsNamedWithThePlacesThatWereTried) {
  LoadOptions options;
  options.packages = {{"bot", folder_ / "given"}};
  try {
    massOf("r.urdf", robot("package://bot/m/t.obj"), options);
    FAIL();
  } catch (const LoadError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("r.urdf:1: <mesh>: cannot find \"package://bot/m/t.obj\""), std::string::npos) << message;
    EXPECT_NE(message.find("not in " + (folder_ / "given").string()), std::string::npos) << message;
  }
  for (const char* wrong : {"package://bot", "package:///t.obj", "package://bot/"}) {
    EXPECT_THROW(massOf("r.urdf", robot(wrong)), LoadError) << wrong;
  }
  EXPECT_THROW(massOf("r.urdf", robot("http://host/t.obj")), LoadError);
}

TEST_F(UrdfMeshes, OneAssetServesEqualUsesAndFilesOfOneNameStayApart) {
  writeMesh("one/t.obj", 0.1);
  writeMesh("two/t.obj", 0.2);
  const auto shape = [](const std::string& file, const std::string& scale) {
    return "<collision><geometry><mesh filename=\"" + file + "\" scale=\"" + scale + "\"/></geometry></collision>";
  };
  fs::create_directories(folder_);
  std::ofstream(folder_ / "r.urdf") << "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" +
                                           shape("one/t.obj", "1 1 1") + shape("one/t.obj", "1 1 1") +
                                           shape("one/t.obj", "2 1 1") + shape("two/t.obj", "1 1 1") + "</link>" +
                                           joint("continuous", "") + "</robot>";
  const Spec spec = readMjcf(folder_ / "r.urdf");
  std::vector<std::string> names;
  for (const spec::Mesh& mesh : spec.meshes) names.push_back(mesh.name);
  EXPECT_EQ(names, (std::vector<std::string>{"t", "t1", "t2"}));
  EXPECT_NEAR(compile(spec).body_mass[1], 4 * mass(0.1) + mass(0.2), 1e-6);
}

TEST_F(UrdfMeshes, AModelCanAttachAUrdfFile) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "r.urdf") << "<robot name=\"r\">" + two("revolute", "<limit lower=\"-1\" upper=\"2\"/>") +
                                           "</robot>";
  std::ofstream(folder_ / "m.xml") << R"(<mujoco><asset><model name="r" file="r.urdf"/></asset><worldbody>
    <attach model="r" body="a" prefix="p_"/></worldbody></mujoco>)";
  const Model m = load(folder_ / "m.xml");
  ASSERT_EQ(m.njnt, 1);
  EXPECT_EQ(nameOf(m, ObjType::Joint, 0), "p_j");
  expectRow(m.jnt_range, 0, {-1, 2});
}

// ---------------------------------------------------------------------------------------------- as a whole

TEST(UrdfRoundTrip, AWrittenRobotCompilesToTheSameModel) {
  const fs::path folder = test::sourceDir() / "tests/conformance/scenes";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    ++files;
    const Spec spec = readMjcf(entry.path());
    const Model again = compile(readMjcfText(writeMjcf(spec, folder), "again.xml", folder));
    EXPECT_EQ(firstDifference(compile(spec), again), "") << entry.path();
  }
  EXPECT_EQ(files, 3);
  const Spec rich =
      read(kRed + two("planar", R"(<dynamics damping="0.1"/>)", kShapes) + "<link name=\"c\">" + kInertial + "</link>" +
           joint("continuous", R"(<mimic joint="k" multiplier="2"/>)", "l", "b", "c") + "<link name=\"d\">" +
           kInertial + "</link>" + joint("revolute", R"(<limit lower="2" upper="1"/>)", "k", "c", "d"));
  EXPECT_EQ(firstDifference(compile(rich), compile(readMjcfText(writeMjcf(rich)))), "");
}

TEST(UrdfTree, ChildrenComeInTheOrderOfTheirJoints) {
  std::string content = "<link name=\"d\"/><link name=\"c\"/><link name=\"b\"/><link name=\"a\"/>";
  content +=
      joint("fixed", "", "j1", "a", "b") + joint("fixed", "", "j2", "b", "d") + joint("fixed", "", "j3", "a", "c");
  const Spec spec = read(content);
  const spec::Body& a = spec.world.bodies.at(0);
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.bodies.at(0).name, "b");
  EXPECT_EQ(a.bodies.at(0).bodies.at(0).name, "d");
  EXPECT_EQ(a.bodies.at(1).name, "c");
  EXPECT_EQ(spec.modelname, "r");
}

}  // namespace
}  // namespace sinew
