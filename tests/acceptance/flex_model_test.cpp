#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "sinew/load.h"
#include "sinew/model.h"
#include "sinew/spec.h"

/// What a flex becomes when it is compiled: topology, masses, state.
namespace sinew {
namespace {

Model compiled(const std::string& content, Warnings* warnings = nullptr) {
  return compile(readMjcfText("<mujoco>" + content + "</mujoco>", "m.xml"), warnings);
}

Model inWorld(const std::string& content, Warnings* warnings = nullptr) {
  return compiled("<worldbody>" + content + "</worldbody>", warnings);
}

const char* const kTwoTriangles = R"(
  <deformable>
    <flex name="t" dim="2" young="1e5" poisson="0.3" thickness="0.002" density="500" friction="0.7" condim="3"
          margin="0.001" radius="0.004" selfcollide="false">
      <vertex pos="0 0 1  0.1 0 1  0.1 0.1 1  0 0.1 1"/> <element vertex="0 1 2  0 2 3"/>
    </flex>
  </deformable>)";

double totalMass(const Model& m) {
  double sum = 0;
  for (int n = 0; n < m.nflexnode; ++n) sum += m.flexnode_mass[n];
  return sum;
}

TEST(FlexModel, FLEX_AC10_SizesMassesAndLengthsOfTwoTriangles) {
  const Model m = compiled(kTwoTriangles);
  EXPECT_EQ(m.nflex, 1);
  EXPECT_EQ(m.nflexvert, 4);
  EXPECT_EQ(m.nflexelem, 2);
  EXPECT_EQ(m.nflexedge, 5);
  EXPECT_EQ(m.nflexhinge, 1);
  EXPECT_EQ(m.nq, 12);
  EXPECT_EQ(m.nv, 12);
  const std::array<double, 4> masses{1.0 / 300, 1.0 / 600, 1.0 / 300, 1.0 / 600};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(m.flexnode_mass[i], masses[static_cast<std::size_t>(i)], 1e-17);
  for (int e = 0; e < m.nflexedge; ++e) {
    const bool diagonal = m.flex_edge[2 * e] == 0 && m.flex_edge[2 * e + 1] == 2;
    EXPECT_NEAR(m.flexedge_length0[e], diagonal ? 0.1414213562373095 : 0.1, 1e-15) << e;
  }
  EXPECT_EQ(m.flex_condim[0], 3);
  EXPECT_EQ(m.flex_friction[0], 0.7);
  EXPECT_EQ(m.flex_friction[1], 0.005);
  EXPECT_EQ(m.flex_margin[0], 0.001);
  EXPECT_EQ(m.flex_selfcollide[0], SelfCollide::None);
}

TEST(FlexModel, FLEX_S7_TheShortFormOfASheetMeansDihedralBendingAndRowsOnTheEdges) {
  const Model m = compiled(kTwoTriangles);
  EXPECT_EQ(m.flex_law[0], FlexLaw::StVenantKirchhoff);
  EXPECT_EQ(m.flex_bending[0], FlexBending::Dihedral);
  EXPECT_FALSE(m.flex_stretch[0]);
  // k = D |e|^2 / (A1 + A2), D = E t^3 / (12 (1 - nu^2)); the hinge is the diagonal, |e|^2 = 0.02, both areas 0.005
  const double modulus = 1e5 * 8e-9 / (12 * (1 - 0.09));
  EXPECT_NEAR(m.flexhinge_stiffness[0], modulus * 0.02 / 0.01, 1e-15);
  EXPECT_NEAR(m.flexhinge_angle0[0], 0, 1e-15);
  ASSERT_EQ(m.neq, 1);
  EXPECT_EQ(m.eq_type[0], EqualityType::Flex);
  EXPECT_EQ(m.eq_solref[0], 0.004);  // two timesteps
  EXPECT_EQ(m.eq_solimp[0], 0.99);
}

TEST(FlexModel, FLEX_AC11_GridOfTrianglesInTheOrderOfTheReference) {
  const Model m = inWorld(R"(<flexcomp name="g" type="grid" count="5 5 1" spacing="0.04"/>)");
  EXPECT_EQ(m.nflexvert, 25);
  EXPECT_EQ(m.nflexelem, 32);
  EXPECT_EQ(m.nflexedge, 56);
  EXPECT_EQ(m.nflexhinge, 40);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      const double* x = m.qpos0.data() + 3 * (5 * i + j);
      EXPECT_NEAR(x[0], 0.04 * (i - 2), 1e-16);
      EXPECT_NEAR(x[1], 0.04 * (j - 2), 1e-16);
      EXPECT_EQ(x[2], 0);
    }
  }
  int e = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j, e += 6) {
      const int a = 5 * i + j, b = a + 5, c = b + 1, d = a + 1;
      const std::array<int, 6> expected{a, b, c, a, c, d};
      for (int k = 0; k < 6; ++k) EXPECT_EQ(m.flex_elem[e + k], expected[static_cast<std::size_t>(k)]);
    }
  }
}

TEST(FlexModel, FLEX_AC11_CountsOfAnyGridFollowTheFormulas) {
  for (const auto& [nx, ny] : {std::pair{2, 2}, {3, 7}, {12, 4}}) {
    const Model m = inWorld("<flexcomp name=\"g\" count=\"" + std::to_string(nx) + " " + std::to_string(ny) + "\"/>");
    EXPECT_EQ(m.nflexedge, (nx - 1) * ny + nx * (ny - 1) + (nx - 1) * (ny - 1));
    EXPECT_EQ(m.nflexelem, 2 * (nx - 1) * (ny - 1));
    EXPECT_EQ(m.nflexhinge, m.nflexedge - 2 * (nx - 1) - 2 * (ny - 1));
    EXPECT_EQ(m.nflexshelldata, 2 * (2 * (nx - 1) + 2 * (ny - 1)));
  }
}

TEST(FlexModel, FLEX_S1_NodesFollowTheJointsAndOnlyPointsOnMovingBodiesHaveNoCoordinates) {
  const std::string cloth = R"(<flexcomp name="c" count="3 3 1"><pin id="0 4"/></flexcomp>)";
  const Model fixed = inWorld("<body pos=\"0 0 1\"><geom size=\".1\"/>" + cloth +
                              "</body><body><freejoint/><geom size=\".1\"/></body>");
  EXPECT_EQ(fixed.nq_rigid, 7);
  EXPECT_EQ(fixed.nv_rigid, 6);
  EXPECT_EQ(fixed.nflexnode, 9);
  EXPECT_EQ(fixed.nq, 7 + 27);
  EXPECT_EQ(fixed.nv, 6 + 27);
  EXPECT_TRUE(fixed.flexnode_pinned[0]);
  EXPECT_EQ(fixed.flexnode_mass[0], 1e20);
  EXPECT_EQ(fixed.flexnode_invmass[0], 0);
  EXPECT_NEAR(fixed.qpos0[7 + 3 * 4 + 2], 1, 1e-15);  // the middle, in the world
  EXPECT_EQ(fixed.dof_treeid[6], -1);
  EXPECT_EQ(fixed.dof_treeid[6 + 3], 1);
  EXPECT_EQ(fixed.ntree, 1 + 7);

  const Model moving = inWorld("<body pos=\"0 0 1\"><freejoint/><geom size=\".1\"/>" + cloth + "</body>");
  EXPECT_EQ(moving.nflexnode, 7);
  EXPECT_EQ(moving.nq, 7 + 21);
  EXPECT_EQ(moving.flexpoint_nodeid[0], -1);
  EXPECT_EQ(moving.flexpoint_bodyid[0], 1);
  EXPECT_EQ(moving.flexpoint_nodeid[1], 0);
}

TEST(FlexModel, FLEX_AC12_MassOfOneNode) {
  const Model m = compiled(R"(<deformable><flex dim="1" density="4"><contact contype="0" conaffinity="0"/>
    <edge stiffness="1"/><vertex pos="0 0 1 0 0 0"/><element vertex="0 1"/><pin id="0"/></flex></deformable>)");
  ASSERT_EQ(m.nflexnode, 2);
  EXPECT_EQ(m.flexnode_mass[1], 2);
  EXPECT_EQ(m.dof_M0[3], 2);
  EXPECT_EQ(m.neq, 0);
  EXPECT_EQ(m.stat.meaninertia, 2);
}

TEST(FlexModel, FLEX_B7_ElementMassGoesToTheCornersInEqualParts) {
  const Model m = inWorld(R"(<flexcomp name="g" count="5 5 1" spacing="0.04" density="1000" thickness="0.001"/>)");
  EXPECT_NEAR(totalMass(m), 0.0256, 1e-15);
  const auto mass = [&](int i, int j) { return m.flexnode_mass[5 * i + j]; };
  EXPECT_NEAR(mass(0, 0), 5.333333333333333e-4, 1e-16);
  EXPECT_NEAR(mass(4, 4), 5.333333333333333e-4, 1e-16);
  EXPECT_NEAR(mass(4, 0), 2.666666666666667e-4, 1e-16);
  EXPECT_NEAR(mass(0, 4), 2.666666666666667e-4, 1e-16);
  EXPECT_NEAR(mass(0, 2), 8e-4, 1e-16);
  EXPECT_NEAR(mass(2, 2), 1.6e-3, 1e-16);
  const Model block = inWorld(R"(<flexcomp name="b" dim="3" count="5 5 5" spacing="0.05" density="1000"/>)");
  EXPECT_EQ(block.nflexelem, 384);
  EXPECT_EQ(block.nflexedge, 604);
  EXPECT_NEAR(totalMass(block), 8, 1e-12);
}

}  // namespace
}  // namespace sinew
