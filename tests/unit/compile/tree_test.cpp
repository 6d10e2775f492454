#include <gtest/gtest.h>

#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "math/quat.h"
#include "math/types.h"
#include "sinew/load.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;

Model model(const std::string& xml, Warnings* warnings = nullptr, const LoadOptions& options = {}) {
  return compile(readMjcfText(xml), warnings, options);
}

Model inWorld(const std::string& content, const std::string& compiler = "") {
  return model("<mujoco>" + compiler + "<worldbody>" + content + "</worldbody></mujoco>");
}

TEST(CompileTree, IdsAreDepthFirstAndGroupedByBody) {
  const Model m = inWorld(R"(
    <geom name="g0" size="1"/>
    <body name="a"><joint name="ja"/><geom name="ga" size="1"/>
      <body name="aa"><joint name="jaa"/><geom name="gaa" size="1"/></body>
      <geom name="gb" size="1"/>
      <body name="ab"><geom name="gab" size="1"/></body>
    </body>
    <body name="b"><freejoint name="jb"/><geom name="gc" size="1"/></body>)");
  const std::vector<std::string> bodies{"world", "a", "aa", "ab", "b"}, geoms{"g0", "ga", "gb", "gaa", "gab", "gc"};
  for (int i = 0; i < m.nbody; ++i) EXPECT_EQ(nameOf(m, ObjType::Body, i), bodies[i]);
  for (int i = 0; i < m.ngeom; ++i) EXPECT_EQ(nameOf(m, ObjType::Geom, i), geoms[i]);
  EXPECT_EQ(std::vector<int>(m.body_parentid.begin(), m.body_parentid.end()), (std::vector<int>{0, 0, 1, 1, 0}));
  EXPECT_EQ(std::vector<int>(m.body_rootid.begin(), m.body_rootid.end()), (std::vector<int>{0, 1, 1, 1, 4}));
  EXPECT_EQ(std::vector<int>(m.body_weldid.begin(), m.body_weldid.end()), (std::vector<int>{0, 1, 2, 1, 4}));
  EXPECT_EQ(std::vector<int>(m.body_treeid.begin(), m.body_treeid.end()), (std::vector<int>{-1, 0, 0, 0, 1}));
  EXPECT_EQ(std::vector<int>(m.dof_parentid.begin(), m.dof_parentid.end()),
            (std::vector<int>{-1, 0, -1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(m.nq, 9);
  EXPECT_EQ(m.nv, 8);
  EXPECT_EQ(m.ntree, 2);
}

// Nested frames: a point is moved by the inner frame first. 90 degrees about z takes x to y.
TEST(CompileTree, FramesAreTransparent) {
  const Model m = inWorld(R"(
    <frame pos="1 0 0" euler="0 0 90"><frame pos="1 0 0">
      <body name="b" pos="1 0 0"><joint axis="1 0 0"/><geom size="1"/>
        <frame pos="0 0 1" euler="0 0 90"><site name="s" pos="1 0 0"/><joint type="slide" axis="1 0 0" pos="1 0 0"/></frame>
      </body></frame></frame>)");
  EXPECT_TRUE(allNear(Vec3(vec3(m.body_pos.data(), 1)), Vec3(1, 2, 0), 1e-15));
  EXPECT_TRUE(allNear(rotate(Quat::load(m.body_quat.data() + 4), Vec3(1, 0, 0)), Vec3(0, 1, 0), 1e-15));
  EXPECT_TRUE(allNear(Vec3(vec3(m.site_pos.data(), 0)), Vec3(0, 1, 1), 1e-15));
  EXPECT_TRUE(allNear(Vec3(vec3(m.jnt_axis.data(), 1)), Vec3(0, 1, 0), 1e-15));
  EXPECT_TRUE(allNear(Vec3(vec3(m.jnt_pos.data(), 1)), Vec3(0, 1, 1), 1e-15));
}

TEST(CompileTree, AnglesAreRadiansInside) {
  const double pi = std::numbers::pi;
  const std::string joints = R"(<body><joint range="-90 180" ref="90" springref="45"/><geom size="1"/></body>
    <body><joint type="slide" range="-90 180" ref="90"/><geom size="1"/></body>
    <body><joint limited="false" range="-90 180"/><geom size="1"/></body>)";
  const Model m = inWorld(joints);
  EXPECT_TRUE(allNear(m.jnt_range, std::vector<double>{-pi / 2, pi, -90, 180, -90, 180}, 1e-15));
  EXPECT_TRUE(allNear(m.qpos0, std::vector<double>{pi / 2, 90, 0}, 1e-15));
  EXPECT_NEAR(m.qpos_spring[0], pi / 4, test::tolerance(1e-15));
  const Model radians = inWorld(joints, "<compiler angle=\"radian\"/>");
  EXPECT_EQ(radians.jnt_range[0], -90);
}

// Row i of M holds i and the dofs above it, of D also those below: checked against the definition by walking.
TEST(CompileTree, PatternsFollowTheTree) {
  const Model m = inWorld(R"(
    <body><joint type="ball"/><geom size="1" pos="1 0 0"/>
      <body><joint/><geom size="1"/><body><joint/><joint type="slide"/><geom size="1"/></body></body>
      <body><joint/><geom size="1"/></body></body>
    <body name="simple"><freejoint/><geom size="1"/></body>
    <body><joint pos="1 0 0"/><geom size="1"/></body>)");
  const auto isAbove = [&](int above, int below) {
    for (int j = below; j >= 0; j = m.dof_parentid[j]) {
      if (j == above) return true;
    }
    return false;
  };
  const int simpleBody = findId(m, ObjType::Body, "simple");
  EXPECT_EQ(m.body_simple[simpleBody], 1);
  int entriesOfM = 0, entriesOfD = 0;
  for (int i = 0; i < m.nv; ++i) {
    const bool simple = m.dof_bodyid[i] == simpleBody;
    std::set<int> rowOfM(m.M_colind.begin() + m.M_rowadr[i], m.M_colind.begin() + m.M_rowadr[i] + m.M_rownnz[i]);
    std::set<int> rowOfD(m.D_colind.begin() + m.D_rowadr[i], m.D_colind.begin() + m.D_rowadr[i] + m.D_rownnz[i]);
    for (int j = 0; j < m.nv; ++j) {
      EXPECT_EQ(rowOfM.count(j) > 0, j == i || (isAbove(j, i) && !simple)) << i << " " << j;
      EXPECT_EQ(rowOfD.count(j) > 0, isAbove(j, i) || isAbove(i, j)) << i << " " << j;
    }
    EXPECT_EQ(m.M_colind[m.M_rowadr[i] + m.M_rownnz[i] - 1], i);
    EXPECT_EQ(m.D_colind[m.D_rowadr[i] + m.D_diag[i]], i);
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; ++k) {
      EXPECT_EQ(m.D_colind[m.mapD2M[k]], m.M_colind[k]);
      EXPECT_EQ(m.mapM2D[m.mapD2M[k]], k);
    }
    entriesOfM += m.M_rownnz[i];
    entriesOfD += m.D_rownnz[i];
  }
  EXPECT_EQ(entriesOfM, m.nM);
  EXPECT_EQ(entriesOfD, m.nD);
}

TEST(CompileTree, NearlyEqualFramesAreSnapped) {
  const Model m = inWorld(R"(<body><joint/><geom name="same" size="1" pos="9e-7 0 0"/>
    <geom name="turned" type="box" size="1 1 1" pos="5 0 0" mass="0"/><geom name="no" size="1" euler="1 0 0" mass="0"/>
    <site pos="1e-5 0 0"/></body>)");
  EXPECT_EQ(m.body_sameframe[1], SameFrame::Body);
  EXPECT_EQ(m.geom_sameframe[0], SameFrame::Body);
  EXPECT_EQ(m.geom_sameframe[1], SameFrame::BodyRot);
  EXPECT_EQ(m.geom_sameframe[2], SameFrame::None);
  EXPECT_EQ(m.site_sameframe[0], SameFrame::BodyRot);
}

// A box that is not at the origin of its body: aligning moves the frame into the centre of mass, and nothing else.
TEST(CompileTree, AlignedFreeBodiesStayWhereTheyAre) {
  const std::string body = R"(<body pos="1 2 3" euler="30 40 50"><freejoint/><geom type="box" size="0.1 0.2 0.3"
      pos="0.1 0.2 0.3" euler="10 20 30"/><geom type="sphere" size="0.2" pos="-1 0 0"/><site pos="0.5 0 0"/></body>)";
  const Model plain = inWorld(body), aligned = inWorld(body, "<compiler alignfree=\"true\"/>");
  EXPECT_TRUE(allNear(Vec3(vec3(aligned.body_ipos.data(), 1)), Vec3::Zero(), 0));
  EXPECT_EQ(aligned.body_sameframe[1], SameFrame::Body);
  const auto world = [](const Model& m, const Vec3& p) {
    return Vec3(vec3(m.body_pos.data(), 1) + rotate(Quat::load(m.body_quat.data() + 4), p));
  };
  EXPECT_TRUE(allNear(world(aligned, Vec3::Zero()), world(plain, vec3(plain.body_ipos.data(), 1)), 1e-14));
  for (int g = 0; g < 2; ++g) {
    EXPECT_TRUE(
        allNear(world(aligned, vec3(aligned.geom_pos.data(), g)), world(plain, vec3(plain.geom_pos.data(), g)), 1e-14));
  }
  EXPECT_TRUE(
      allNear(world(aligned, vec3(aligned.site_pos.data(), 0)), world(plain, vec3(plain.site_pos.data(), 0)), 1e-14));
  EXPECT_TRUE(allNear(aligned.body_inertia, plain.body_inertia, 1e-14));
}

// Fusing keeps the mass of every moving body with what is fixed to it; only ids change.
TEST(CompileTree, FusedBodiesKeepTheirMass) {
  const std::string bodies = R"(<body name="base" pos="0 0 1"><joint/><geom size="0.1"/>
      <body pos="1 0 0" euler="0 0 45"><geom type="box" size="0.1 0.2 0.3"/><site name="tip" pos="0 1 0"/>
        <body pos="0 0 1"><joint type="slide"/><geom size="0.2"/></body></body>
      <body name="kept" pos="0 1 0"><geom size="0.1"/></body></body>)";
  const std::string rest = R"(<sensor><framepos objtype="body" objname="kept"/></sensor></mujoco>)";
  const Model plain = model("<mujoco><worldbody>" + bodies + "</worldbody>" + rest);
  const Model fused = model("<mujoco><compiler fusestatic=\"true\"/><worldbody>" + bodies + "</worldbody>" + rest);
  EXPECT_EQ(plain.nbody, 5);
  EXPECT_EQ(fused.nbody, 4);
  EXPECT_GE(findId(fused, ObjType::Body, "kept"), 0);
  EXPECT_TRUE(allNear(fused.dof_M0, plain.dof_M0, 1e-12));
  EXPECT_TRUE(allNear(fused.dof_invweight0, plain.dof_invweight0, 1e-12));
  EXPECT_NEAR(fused.body_subtreemass[0], plain.body_subtreemass[0], test::tolerance(1e-12));
  const int tip = findId(fused, ObjType::Site, "tip");
  const double s = std::sqrt(0.5);
  EXPECT_TRUE(allNear(Vec3(vec3(fused.site_pos.data(), tip)), Vec3(1 - s, s, 0), 1e-14));
}

TEST(CompileTree, VisualGeomsCanBeDiscardedWithoutChangingInertia) {
  const std::string content = R"(<body><joint/><geom name="seen" size="0.3" contype="0" conaffinity="0"/>
    <geom name="wrapped" size="0.1" contype="0" conaffinity="0" mass="0"/><geom size="0.2" pos="1 0 0"/>
    <site name="a" pos="0 1 0"/><site name="b" pos="0 -1 0"/></body></worldbody>
    <tendon><spatial><site site="a"/><geom geom="wrapped"/><site site="b"/></spatial></tendon></mujoco>)";
  const Model plain = model("<mujoco><worldbody>" + content);
  const Model discarded = model("<mujoco><compiler discardvisual=\"true\"/><worldbody>" + content);
  EXPECT_EQ(plain.ngeom, 3);
  EXPECT_EQ(discarded.ngeom, 2);
  EXPECT_EQ(findId(discarded, ObjType::Geom, "seen"), -1);
  EXPECT_GE(findId(discarded, ObjType::Geom, "wrapped"), 0);
  EXPECT_EQ(discarded.body_mass, plain.body_mass);
  EXPECT_EQ(discarded.body_inertia, plain.body_inertia);
}

TEST(CompileTree, PairsAndExclusionsAreSortedByBodies) {
  const Model m = model(R"(<mujoco><worldbody>
      <body name="b1"><freejoint/><geom name="g1" size="1"/></body>
      <body name="b2"><freejoint/><geom name="g2" size="1"/></body>
      <body name="b3"><freejoint/><geom name="g3" size="1"/></body></worldbody>
    <contact><pair name="late" geom1="g3" geom2="g2"/><pair name="early" geom1="g2" geom2="g1"/>
      <exclude name="x" body1="b3" body2="b1"/><exclude name="y" body1="b1" body2="b2"/></contact></mujoco>)");
  EXPECT_EQ(nameOf(m, ObjType::Pair, 0), "early");
  EXPECT_EQ(std::vector<int>(m.pair_bodyid.begin(), m.pair_bodyid.end()), (std::vector<int>{1, 2, 2, 3}));
  EXPECT_EQ(m.pair_geom1[1], 1);
  EXPECT_EQ(m.pair_geom2[1], 2);
  EXPECT_EQ(std::vector<int>(m.exclude_bodyid.begin(), m.exclude_bodyid.end()), (std::vector<int>{1, 2, 1, 3}));
  EXPECT_EQ(nameOf(m, ObjType::Exclude, 0), "y");
}

TEST(CompileTree, GapIsReadAsAskedAndOtherwiseWithAWarning) {
  const std::string geom = R"(<worldbody><geom name="g" size="1" margin="2" gap="1"/></worldbody></mujoco>)";
  Warnings warnings;
  EXPECT_EQ(model("<mujoco>" + geom, &warnings).opt.gap, GapReading::Inside);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "model.xml:1: <geom name=\"g\">: gap = 1 can mean two things, and <compiler gap> does not say which. Taken "
            "as gap=\"inside\": a contact exists below margin and pushes below margin - gap. The other is "
            "gap=\"outside\": it exists below margin + gap and pushes below margin");
  warnings.clear();
  EXPECT_EQ(model("<mujoco><compiler gap=\"outside\"/>" + geom, &warnings).opt.gap, GapReading::Outside);
  EXPECT_EQ(model("<mujoco><compiler gap=\"outside\"/>" + geom, &warnings, {GapReading::Inside}).opt.gap,
            GapReading::Inside);
  EXPECT_EQ(model("<mujoco>" + geom, &warnings, {GapReading::Outside}).opt.gap, GapReading::Outside);
  EXPECT_TRUE(warnings.empty());
}

TEST(CompileTree, WhatAShortKeyframeLacksIsTheReferenceConfiguration) {
  Warnings warnings;
  const Model m = model(R"(<mujoco><worldbody>
    <body><joint/><geom size="1"/></body><body><joint ref="90"/><geom size="1"/></body>
    <body mocap="true" pos="1 2 3"/><body mocap="true" pos="4 5 6"/></worldbody>
    <keyframe><key name="k" qpos="0.5" mpos="7 8 9"/></keyframe></mujoco>)",
                        &warnings);
  EXPECT_TRUE(allNear(m.key_qpos, std::vector{0.5, std::numbers::pi / 2}, 1e-15));
  EXPECT_TRUE(allNear(m.key_mpos, std::vector<double>{7, 8, 9, 4, 5, 6}, 0));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("<key name=\"k\">: 'qpos' has 1 of 2 numbers"), std::string::npos) << warnings[0];
}

// It makes little sense, but models have it: MuJoCo takes the first number of the joint for its position.
TEST(CompileTree, AFixedTendonOverABallIsReadWithAWarning) {
  Warnings warnings;
  const Model m = model(R"(<mujoco><worldbody><body><joint name="j" type="ball"/><geom size="1"/></body></worldbody>
    <tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon></mujoco>)",
                        &warnings);
  EXPECT_EQ(m.tendon_length0[0], 2) << "the first component of the unit quaternion, twice";
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("joint \"j\" is no hinge or slide"), std::string::npos) << warnings[0];
}

// A plate without thickness has A + B = C, and rounding may be on either side of it.
TEST(CompileTree, FlatPlatesOfAnySizeAreBodies) {
  for (const char* size : {"1 1 1", "0.3 0.7 1", "1 0.1 1", "0.37 0.91 1", "1.3 0.77 1", "0.013 0.7 1"}) {
    EXPECT_NO_THROW(
        model("<mujoco><asset><mesh name=\"p\" builtin=\"plate\" params=\"4 6\" inertia=\"shell\" scale=\"" +
              std::string(size) + "\"/></asset><worldbody><body><joint/><geom type=\"mesh\" mesh=\"p\" " +
              "contype=\"0\" conaffinity=\"0\"/></body></worldbody></mujoco>"))
        << size;
  }
}

TEST(CompileTree, ThreadsDoNotChangeTheModel) {
  std::string assets, geoms;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "m" + std::to_string(i);
    assets += "<mesh name=\"" + name + "\" builtin=\"supersphere\" params=\"" + std::to_string(5 + i % 4) + " 1 " +
              std::to_string(1 + i) + "\"/>";
    geoms += "<geom type=\"mesh\" mesh=\"" + name + "\" pos=\"" + std::to_string(i) + " 0 0\"/>";
  }
  const std::string rest =
      "<asset>" + assets + "</asset><worldbody><body><freejoint/>" + geoms + "</body></worldbody></mujoco>";
  const Model one = model("<mujoco><compiler usethread=\"false\"/>" + rest);
  const Model many = model("<mujoco><compiler usethread=\"true\"/>" + rest);
  EXPECT_EQ(firstDifference(one, many), "");
  EXPECT_EQ(hashOf(one), hashOf(many));
}

}  // namespace
}  // namespace sinew
