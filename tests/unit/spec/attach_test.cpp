// Copies of parts of a model: names, references, settings and keyframes that come along.
#include "spec/attach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include "sinew/load.h"
#include "sinew/model.h"
#include "spec/names.h"
#include "spec/orientation.h"

namespace sinew {
namespace {

Spec read(const std::string& content) { return readMjcfText("<mujoco>" + content + "</mujoco>", "m.xml"); }

template <class Elements>
std::string names(const Elements& elements) {
  std::string text;
  for (const auto& element : elements) text += (text.empty() ? "" : " ") + element.name;
  return text;
}

TEST(Replicate, NumbersNamesWithTheWidthOfTheCount) {
  const Spec spec = read(R"(<worldbody>
    <replicate count="3" sep="-"><body name="b"><geom name="g"/></body></replicate>
    <replicate count="10"><site name="s"/></replicate></worldbody>)");
  EXPECT_EQ(names(spec.world.bodies), "b-0 b-1 b-2");
  EXPECT_EQ(spec.world.bodies[1].geoms[0].name, "g-1");
  EXPECT_EQ(spec.world.sites[0].name, "s00");
  EXPECT_EQ(spec.world.sites[9].name, "s09");
}

TEST(Replicate, PlacesCopiesAlongATurningPath) {
  // p_{i+1} = p_i + R(i e) o with o along x and quarter turns about z: a square
  const Spec spec = read(R"(<worldbody><frame pos="0 0 5">
    <replicate count="4" offset="2 0 0" euler="0 0 90"><geom/></replicate></frame></worldbody>)");
  const double expected[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
  for (std::size_t i = 0; i < 4; ++i) {
    const spec::Frame& frame = spec.world.frames[spec.world.geoms[i].frame];
    EXPECT_EQ(frame.parent, 0);
    EXPECT_NEAR(frame.pos[0], expected[i][0], 1e-15);
    EXPECT_NEAR(frame.pos[1], expected[i][1], 1e-15);
    const double half = static_cast<double>(i) * std::numbers::pi / 4;
    EXPECT_NEAR(frame.orientation.quat[0], std::cos(half), 1e-15);
    EXPECT_NEAR(frame.orientation.quat[3], std::sin(half), 1e-15);
  }
}

TEST(Replicate, CopiesWhatRefersToThePartAndDropsTheOriginals) {
  const Spec spec = read(R"(
    <worldbody><body name="fixed"><geom name="floor"/><site name="root"/></body>
      <replicate count="2"><body name="b"><joint name="j"/><geom name="g"/><site name="s"/></body></replicate>
    </worldbody>
    <contact><pair name="p" geom1="floor" geom2="g"/><exclude body1="fixed" body2="b"/><exclude body1="world" body2="fixed"/></contact>
    <tendon><spatial name="t"><site site="root"/><site site="s"/></spatial></tendon>
    <equality><joint name="e" joint1="j"/></equality>
    <actuator><motor name="m" joint="j"/><motor name="mt" tendon="t"/></actuator>
    <sensor><framepos name="keep" objtype="site" objname="root"/><actuatorpos name="ap" actuator="mt"/>
      <framepos name="fp" objtype="site" objname="s" reftype="site" refname="root"/><clock name="c"/></sensor>)");
  EXPECT_EQ(names(spec.pairs), "p0 p1");
  EXPECT_EQ(spec.pairs[1].geom1, "floor");
  EXPECT_EQ(spec.pairs[1].geom2, "g1");
  ASSERT_EQ(spec.excludes.size(), 3u);
  EXPECT_EQ(spec.excludes[0].body1, "world");
  EXPECT_EQ(spec.excludes[2].body2, "b1");
  EXPECT_EQ(names(spec.tendons), "t0 t1");
  EXPECT_EQ(spec.tendons[1].path[0].target, "root");
  EXPECT_EQ(spec.tendons[1].path[1].target, "s1");
  EXPECT_EQ(names(spec.equalities), "e0 e1");
  EXPECT_EQ(names(spec.actuators), "m0 mt0 m1 mt1");
  EXPECT_EQ(names(spec.sensors), "keep c ap0 fp0 ap1 fp1");
  EXPECT_EQ(spec.sensors[2].objname, "mt0");
  EXPECT_EQ(spec.sensors[3].refname, "root");
}

TEST(Replicate, Nests) {
  const Spec spec = read(R"(<worldbody>
    <replicate count="2" sep="a"><body name="x"><replicate count="2" sep="b"><geom name="g"/></replicate></body></replicate>
    </worldbody><sensor><framepos objtype="geom" objname="g" name="s"/></sensor>)");
  EXPECT_EQ(names(spec.world.bodies), "xa0 xa1");
  EXPECT_EQ(names(spec.world.bodies[1].geoms), "gb0a1 gb1a1");
  EXPECT_EQ(names(spec.sensors), "sb0a0 sb1a0 sb0a1 sb1a1");
}

TEST(Replicate, MayMakeNothing) {
  const Spec spec = read(R"(<worldbody><replicate count="0"><geom name="g"/></replicate></worldbody>
    <sensor><framepos objtype="geom" objname="g"/></sensor>)");
  EXPECT_TRUE(spec.world.geoms.empty());
  EXPECT_TRUE(spec.sensors.empty());
}

TEST(Replicate, TargetsOfCamerasFollowTheirCopy) {
  const Spec spec = read(R"(<worldbody><body name="out"/><replicate count="2"><body name="in"/>
    <camera mode="targetbody" target="in"/><camera mode="targetbody" target="out"/></replicate></worldbody>)");
  EXPECT_EQ(spec.world.cameras[2].target, "in1");
  EXPECT_EQ(spec.world.cameras[3].target, "out");
}

TEST(SelfAttach, CopiesABodyUnderAnotherName) {
  const Spec spec = read(R"(<worldbody><body name="a" pos="1 2 3"><joint name="j"/><geom name="g"/></body>
    <frame pos="0 0 1"><attach body="a" prefix="p_"/></frame></worldbody>
    <actuator><motor name="m" joint="j"/></actuator>)");
  EXPECT_EQ(names(spec.world.bodies), "a p_a");
  EXPECT_EQ(spec.world.bodies[1].frame, 0);
  EXPECT_EQ(spec.world.bodies[1].pos, (spec::Vec3{1, 2, 3}));
  EXPECT_EQ(names(spec.actuators), "m p_m");
  EXPECT_EQ(spec.actuators[1].target, "p_j");
}

/// Writes a child model and reads a parent that attaches it.
class Attach : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() /
                 (std::string("sinew_attach_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  Spec read(const std::string& child, const std::string& parent) {
    std::ofstream(directory_ / "child.xml") << "<mujoco model=\"child\">" << child << "</mujoco>";
    warnings_.clear();
    return readMjcfText("<mujoco><asset><model name=\"c\" file=\"child.xml\"/></asset>" + parent + "</mujoco>",
                        "parent.xml", directory_, &warnings_);
  }

  std::filesystem::path directory_;
  Warnings warnings_;
};

TEST_F(Attach, BringsAssetsClassesAndReferences) {
  const Spec spec =
      read(R"(
    <default><default class="k"><geom group="4"/></default></default>
    <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><material name="red" rgba="1 0 0 1"/></asset>
    <worldbody><geom name="ground"/><body name="b" childclass="k"><joint name="j"/><geom type="mesh" mesh="m" material="red"/>
      <site name="s"/></body></worldbody>
    <custom><numeric name="n" data="1"/></custom>
    <contact><exclude body1="world" body2="b"/></contact>
    <actuator><motor name="a" joint="j"/></actuator><sensor><touch name="t" site="s"/><framepos objtype="geom" objname="ground"/></sensor>)",
           R"(<worldbody><body name="host"><frame pos="1 0 0"><attach model="c" body="b" prefix="x/"/></frame>
      <geom class="x/k"/></body></worldbody>)");
  const spec::Body& host = spec.world.bodies[0];
  ASSERT_EQ(host.bodies.size(), 1u);
  EXPECT_EQ(host.bodies[0].name, "x/b");
  EXPECT_EQ(host.bodies[0].frame, 0);
  EXPECT_EQ(host.bodies[0].geoms[0].mesh, "x/m");
  EXPECT_EQ(host.bodies[0].geoms[0].material, "x/red");
  EXPECT_EQ(host.bodies[0].geoms[0].group, 4);
  EXPECT_EQ(host.geoms[0].group, 4);
  EXPECT_EQ(names(spec.meshes), "x/m");
  EXPECT_EQ(names(spec.numerics), "x/n");
  EXPECT_EQ(spec.actuators[0].target, "x/j");
  EXPECT_EQ(names(spec.sensors), "x/t");
  EXPECT_EQ(spec.excludes[0].body1, "world");
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("1 of 2 sensors refer to what is not attached and were left out"), std::string::npos);
}

TEST_F(Attach, TakesAWholeModelOrAFrame) {
  const std::string child =
      R"(<worldbody><geom name="g"/><frame name="f" pos="0 0 1"><body name="b"/><site name="s"/></frame>
    <body name="o"/></worldbody>)";
  const Spec whole = read(child, R"(<worldbody><attach model="c" prefix="w_"/></worldbody>)");
  EXPECT_EQ(names(whole.world.geoms), "w_g");
  EXPECT_EQ(names(whole.world.bodies), "w_b w_o");
  EXPECT_EQ(names(whole.world.frames), "w_f");
  const Spec frame =
      read(child, R"(<worldbody><frame pos="1 0 0"><attach model="c" frame="f" prefix="w_"/></frame></worldbody>)");
  EXPECT_TRUE(frame.world.geoms.empty());
  EXPECT_EQ(names(frame.world.bodies), "w_b");
  EXPECT_EQ(frame.world.frames[1].name, "w_f");
  EXPECT_EQ(frame.world.frames[1].parent, 0);
  EXPECT_EQ(frame.world.sites[0].frame, 1);
}

TEST_F(Attach, RewritesUnitsToThoseOfTheParent) {
  const Spec spec = read(R"(<compiler angle="radian" eulerseq="zyx" autolimits="false"/>
    <worldbody><body name="b" euler="0.1 0.2 0.3"><joint name="j" range="-1 0.5" limited="true" ref="0.25"/>
      <joint name="k" type="slide"/></body></worldbody>)",
                         R"(<worldbody><attach model="c" body="b" prefix="p"/></worldbody>)");
  const spec::Body& body = spec.world.bodies[0];
  const double unit = std::numbers::pi / 180;
  EXPECT_DOUBLE_EQ(body.joints[0].range[0] * unit, -1);
  EXPECT_DOUBLE_EQ(body.joints[0].ref * unit, 0.25);
  EXPECT_EQ(body.joints[1].limited, spec::Tri::False);  // the child's `auto` without autolimits
  spec::Orientation written;
  written.euler = spec::Vec3{0.1, 0.2, 0.3};
  const Quat expected = spec::resolved(written, false, "zyx");
  EXPECT_FALSE(body.orientation.hasAlternative());
  EXPECT_EQ(body.orientation.quat, (spec::Vec4{expected.w, expected.x, expected.y, expected.z}));
}

TEST_F(Attach, SettlesConflictingOptionsByPolicy) {
  const std::string child = R"(<option timestep="0.001" gravity="0 0 -5"/><worldbody><body name="b"/></worldbody>)";
  const std::string body = R"(<worldbody><attach model="c" body="b" prefix="p"/></worldbody>)";
  EXPECT_EQ(read(child, body).option.timestep, 0.002);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("timestep: the parent has 0.002, the attached model 0.001, keeping the parent's"),
            std::string::npos);
  const Spec merged = read(child, R"(<compiler conflict="merge"/><option timestep="0.002"/>)" + body);
  EXPECT_EQ(merged.option.timestep, 0.001);  // both stated: the smaller
  EXPECT_EQ(merged.option.gravity[2], -5);   // stated by the child alone
  EXPECT_THROW(read(child, R"(<compiler conflict="merge"/><option gravity="0 0 -1"/>)" + body), LoadError);
  EXPECT_THROW(read(child, R"(<compiler conflict="error"/><option timestep="0.003"/>)" + body), LoadError);
  EXPECT_NO_THROW(read(child, R"(<compiler conflict="error"/>)" + body));
}

// Each setting shows in the mass or inertia of a body; that of the parent's own body stays as the parent says.
TEST_F(Attach, BodiesKeepTheInertiaSettingsOfTheirModel) {
  const std::string child =
      R"(<compiler boundmass="0.5" boundinertia="0.02" balanceinertia="true" inertiafromgeom="true" inertiagrouprange="1 2"/>
    <worldbody><body name="b"><body name="light"><joint/><geom size="0.01" group="1" mass="0.1"/></body>
      <body name="stated"><inertial pos="0 0 0" mass="7" diaginertia="1 1 1"/><geom size="1" group="1" mass="3"/></body>
      <body name="grouped"><geom size="1" group="2" mass="2"/><geom size="1" group="3" mass="4"/></body>
      <body name="uneven"><inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/></body></body></worldbody>)";
  const Spec spec = read(child, R"(<worldbody><attach model="c" body="b" prefix="p"/>
    <body name="own"><joint/><geom size="0.1" mass="0.1" group="3"/></body></worldbody>)");
  const Model m = compile(spec);
  const auto body = [&m](const char* name) { return findId(m, ObjType::Body, name); };
  const auto mass = [&](const char* name) { return m.body_mass[body(name)]; };
  EXPECT_EQ(mass("plight"), 0.5);
  EXPECT_EQ(m.body_inertia[3 * body("plight")], 0.02);
  EXPECT_EQ(mass("pstated"), 3);
  EXPECT_EQ(mass("pgrouped"), 2);
  EXPECT_EQ(m.body_inertia[3 * body("puneven") + 2], 2);
  EXPECT_EQ(mass("own"), 0.1);
  EXPECT_THROW(writeMjcf(spec), LoadError);  // one file has one <compiler>
  EXPECT_NO_THROW(writeMjcf(
      read(R"(<compiler inertiafromgeom="true"/><worldbody><body name="b"><geom size="1"/></body></worldbody>)",
           R"(<worldbody><attach model="c" body="b" prefix="p"/></worldbody>)")));
}

TEST_F(Attach, RefusesSettingsItCannotMove) {
  EXPECT_THROW(read(R"(<compiler fitaabb="true"/><worldbody><body name="b"/></worldbody>)",
                    R"(<worldbody><attach model="c" body="b" prefix="p"/></worldbody>)"),
               LoadError);
}

// The compiler leaves it alone, so attaching must not change its unit either.
TEST_F(Attach, ARangeThatIsNotInForceKeepsItsUnit) {
  const char* body = R"(<worldbody><attach model="c" body="b" prefix="p"/></worldbody>)";
  const char* joints =
      R"(<worldbody><body name="b"><joint range="-1 2" limited="false"/><joint range="-1 2"/></body></worldbody>)";
  const Spec spec = read(std::string(R"(<compiler angle="radian"/>)") + joints, body);
  EXPECT_EQ(spec.world.bodies[0].joints[0].range[1], 2);
  EXPECT_NEAR(spec.world.bodies[0].joints[1].range[1], 2 * 180 / std::numbers::pi, 1e-12);
}

TEST_F(Attach, PlacesKeyframesAmongTheJointsOfTheWholeModel) {
  const Spec spec = read(
      R"(<worldbody><body name="b"><joint/><body><joint type="ball"/></body></body><body name="m" mocap="true"/></worldbody>
    <actuator><position name="a" joint="none" timeconst="1"/></actuator>
    <keyframe><key name="k" time="3" qpos="7 1 0 0 0" qvel="1 2 3 4" ctrl="9"/></keyframe>)",
      R"(<worldbody><body><freejoint/></body><body name="h"><attach model="c" body="b" prefix="p"/></body>
      <body><joint type="slide"/></body></worldbody><keyframe><key qpos="1 2 3 4 5 6 7"/></keyframe>)");
  ASSERT_EQ(spec.keys.size(), 2u);
  EXPECT_EQ(spec.keys[1].name, "pk");
  EXPECT_EQ(spec.keys[1].time, 3);
  ASSERT_EQ(spec.keys[1].qpos->size(), 13u);
  EXPECT_TRUE(std::isnan((*spec.keys[1].qpos)[0]));
  EXPECT_EQ((*spec.keys[1].qpos)[7], 7);
  EXPECT_EQ((*spec.keys[1].qpos)[8], 1);
  EXPECT_TRUE(std::isnan((*spec.keys[1].qpos)[12]));
  EXPECT_EQ(*spec.keys[1].qvel, (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0}));
  EXPECT_TRUE(spec.keys[1].ctrl->empty());                       // the actuator's joint did not come along
  EXPECT_EQ(spec.keys[0].qpos->size(), 13u);                     // the parent's own keyframe is filled up
  EXPECT_EQ(spec.world.bodies[1].bodies[0].joints[0].name, "");  // no trace of the names used in between
}

TEST(Orientation, MatchesClosedForms) {
  spec::Orientation o;
  o.axisangle = spec::Vec4{0, 0, 2, 90};
  const double s = std::sqrt(0.5);
  Quat q = spec::resolved(o, true, "xyz");
  EXPECT_NEAR(q.w, s, 1e-15);
  EXPECT_NEAR(q.z, s, 1e-15);
  o = {};
  o.xyaxes = spec::Vec6{0, 1, 0, -1, 0, 0};
  q = spec::resolved(o, true, "xyz");
  EXPECT_NEAR(q.w, s, 1e-15);
  EXPECT_NEAR(q.z, s, 1e-15);
  // intrinsic zyx equals extrinsic XYZ with the angles reversed
  spec::Orientation a, b;
  a.euler = spec::Vec3{0.3, -0.8, 1.2};
  b.euler = spec::Vec3{1.2, -0.8, 0.3};
  const Quat moving = spec::resolved(a, false, "zyx"), fixed = spec::resolved(b, false, "XYZ");
  EXPECT_NEAR(moving.w, fixed.w, 1e-15);
  EXPECT_NEAR(moving.x, fixed.x, 1e-15);
  EXPECT_NEAR(moving.y, fixed.y, 1e-15);
  EXPECT_NEAR(moving.z, fixed.z, 1e-15);
  o = {};
  o.zaxis = spec::Vec3{0, 0, 0};
  EXPECT_THROW(spec::resolved(o, true, "xyz"), spec::OrientationError);
}

}  // namespace
}  // namespace sinew
