#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sinew/errors.h"
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
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(m.flexnode_mass[i], masses[i], 1e-17);
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
      for (int k = 0; k < 6; ++k) EXPECT_EQ(m.flex_elem[e + k], expected[k]);
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

/// The message of the error, empty if the model loads.
std::string errorOf(const std::string& content) {
  try {
    compiled(content);
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

TEST(FlexModel, FLEX_AC10_SavedAndReadAgainEveryArrayIsTheSame) {
  const char* const contents[] = {
      kTwoTriangles,
      // the reference engine's form
      R"(<worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1"/></body><body name="b"/></worldbody>
         <deformable><flex name="t" dim="2" radius="0.004" body="a a a b" vertex="0 0 1 0.1 0 1 0.1 0.1 1 0 0.1 1"
           element="0 1 2 0 2 3"><contact condim="3" friction="0.7" margin="0.001" selfcollide="none"/>
           <elasticity young="1e5" poisson="0.3" thickness="0.002" elastic2d="both" damping="0.1"/>
           <edge damping="0.5"/></flex></deformable><equality><flexvert name="e" flex="t" solref="0.01 1"/></equality>)",
      // a flexcomp of each kind, in bodies, between bodies, in frames and with a default class
      R"(<default><joint damping="0.25" armature="0.01" frictionloss="0.001"/></default>
         <worldbody><body name="a" pos="0 0 1"><joint/><geom size=".1"/></body>
         <flexcomp name="g" count="4 3 1" pos="1 2 3" euler="10 20 30"><pin id="0" range="3 5"/><pin grid="2 1"/>
           <edge equality="true" solref="0.01"/></flexcomp>
         <frame pos="0 0 1" euler="0 40 0"><body name="b"><freejoint/><geom size=".1"/>
           <flexcomp name="r" type="box" dim="3" count="3 3 3" dof="radial" spacing=".1"/>
           <flexcomp name="p" type="disc" count="5 5 1" dof="2d" spacing=".1" radius="0.01"/></body>
           <flexcomp name="i" inframe="true" dim="3" count="3 4 5" spacing="0.1 0.2 0.3" dof="quadratic" density="300"
             selfcollide="none" young="1e4"/></frame>
         <body name="c"><flexcomp name="d" type="direct" dim="1" point="0 0 0 5 5 5 1 0 0 2 0 0" element="0 2 2 3"
             young="1e6" damping="0.1" radius="0.002" mass="0.5" scale="1 2 1"/></body></worldbody>)",
      R"(<worldbody><flexcomp name="s" type="ellipsoid" dim="3" count="4 4 4" dof="trilinear" cellcount="2 3 2"
           rigid="false"><contact selfcollide="none"/><edge equality="strain"/></flexcomp>
         <flexcomp name="h" type="cylinder" dim="2" count="4 4 4" dof="trilinear" cellcount="3 3 3"><contact
           selfcollide="none"/><elasticity thickness="0.01" elastic2d="both"/></flexcomp>
         <flexcomp name="rigid" type="box" dim="3" count="3 3 3" rigid="true"/></worldbody>)"};
  for (const char* content : contents) {
    const Spec spec = readMjcfText(std::string("<mujoco>") + content + "</mujoco>", "m.xml");
    const std::string text = writeMjcf(spec);
    EXPECT_EQ(firstDifference(compile(spec), compile(readMjcfText(text, "again.xml"))), "") << text;
    EXPECT_EQ(writeMjcf(readMjcfText(text, "again.xml")), text);
  }
}

TEST(FlexModel, FLEX_AC10_TheReferencesFormHasTheReferencesSizes) {
  const Model m = compiled(R"(<worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".1"/></body><body name="b"/>
    </worldbody><deformable><flex name="t" dim="2" body="a a a b" vertex="0 0 1 0.1 0 1 0.1 0.1 1 0 0.1 1"
    element="0 1 2 0 2 3"/></deformable>)");
  EXPECT_EQ(m.nflexvert, 4);
  EXPECT_EQ(m.nflexelem, 2);
  EXPECT_EQ(m.nflexedge, 5);
  EXPECT_EQ(m.nq, 7 + 3);  // the vertex on the fixed body is a pinned node
  EXPECT_EQ(m.neq, 0);     // its vertices are held by their bodies
}

TEST(FlexModel, FLEX_S7_FLEX_P9_WhatTheShortFormMeans) {
  const Model rod = inWorld(R"(<flexcomp name="r" dim="1" count="3" young="1e6" radius="0.005" spacing="0.25"/>)");
  EXPECT_TRUE(rod.flex_stretch[0]);
  EXPECT_EQ(rod.neq, 0);
  const Model membrane =
      inWorld(R"(<flexcomp name="r" count="3 3" young="1e6" thickness="0.001" elastic2d="stretch"/>)");
  EXPECT_TRUE(membrane.flex_stretch[0]);
  EXPECT_EQ(membrane.flex_bending[0], FlexBending::None);
  EXPECT_EQ(membrane.neq, 0);
  const Model solid = inWorld(R"(<flexcomp name="r" dim="3" count="3 3 3" young="1e6" poisson="0.3"/>)");
  EXPECT_TRUE(solid.flex_stretch[0]);
  EXPECT_EQ(solid.neq, 0);
  const Model cloth = inWorld(R"(<flexcomp name="r" count="3 3" solref="0.03 1" solimp="0.9"/>)");
  ASSERT_EQ(cloth.neq, 1);
  EXPECT_EQ(cloth.eq_solref[0], 0.03);
  EXPECT_EQ(cloth.eq_solimp[0], 0.9);
  EXPECT_EQ(cloth.eq_solimp[1], 0.99);
  EXPECT_EQ(cloth.flex_solref[0], 0.03);
}

TEST(FlexModel, FLEX_B17_OnlyRodsHaveACrossSection) {
  const Model rod = inWorld(R"(<flexcomp name="r" dim="1" count="3" young="1e6" radius="0.005" spacing="0.5"/>)");
  EXPECT_NEAR(rod.flexedge_stiffness[0], 157.0796326794897, 1e-10);  // E pi r^2 / L
  const Model sheet = inWorld(R"(<flexcomp name="r" count="3 3" young="1e6" thickness="0.001"/>)");
  for (int e = 0; e < sheet.nflexedge; ++e) EXPECT_EQ(sheet.flexedge_stiffness[e], 0);
  const Model reference = inWorld(
      R"(<flexcomp name="r" dim="1" count="3" spacing="0.5"><elasticity young="1e6"/><edge damping="1"/></flexcomp>)");
  EXPECT_FALSE(reference.flex_stretch[0]);  // the reference engine has no rods
  EXPECT_EQ(reference.flexedge_stiffness[0], 0);
}

TEST(FlexModel, FLEX_B8_WhichMass) {
  const Model plain = inWorld(R"(<flexcomp name="r" count="5 5"><pin id="0"/></flexcomp>)");
  EXPECT_EQ(plain.flexnode_mass[1], 1.0 / 25);  // pinned points count
  const Model given = inWorld(R"(<flexcomp name="r" count="5 5" mass="5"/>)");
  EXPECT_EQ(given.flexnode_mass[0], 0.2);
  EXPECT_NE(errorOf(R"(<worldbody><flexcomp name="r" count="5 5" mass="5" density="1"/></worldbody>)"), "");
  const auto listed = [](int dim) {
    return compiled("<deformable><flex dim=\"" + std::to_string(dim) +
                    "\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" element=\"" +
                    std::string(dim == 1   ? "0 1 1 2 2 3"
                                : dim == 2 ? "0 1 2 0 1 3"
                                           : "0 1 2 3") +
                    "\"/></deformable>");
  };
  EXPECT_NEAR(totalMass(listed(1)), 1 + 2 * std::sqrt(2.0), 1e-12);  // 1 kg/m
  EXPECT_NEAR(totalMass(listed(2)), 1000 * 0.001 * 1, 1e-12);        // 1000 kg/m^3, 1 mm
  EXPECT_NEAR(totalMass(listed(3)), 1000.0 / 6, 1e-9);
}

TEST(FlexModel, FLEX_B9_SmallMassesAreKeptAndLooseVerticesReported) {
  const Model cube =
      inWorld(R"(<flexcomp name="c" dim="3" count="3 3 3" spacing="0.0005" radius="0.0001" density="100"/>)");
  EXPECT_NEAR(totalMass(cube), 1e-7, 1e-19);
  Warnings warnings;
  const Model loose = compiled(R"(<deformable><flex name="f" vertex="0 0 0 1 0 0 0 1 0 5 5 5" element="0 1 2"/>
    </deformable>)",
                               &warnings);
  EXPECT_EQ(loose.flexnode_mass[3], 0.001);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("<flex name=\"f\">: vertex 3 is in no element; it gets 0.001 kg"), std::string::npos);
}

TEST(FlexModel, FLEX_B10_UnrelatedChangesLeaveTheTopologyAlone) {
  const std::string cloth = R"(<flexcomp name="c" type="disc" count="7 5 1" spacing="0.1"/>)";
  const Model a = inWorld(cloth);
  const Model b = inWorld("<geom type=\"plane\" size=\"1 1 1\"/><body><freejoint/><geom size=\"1\"/></body>" + cloth);
  EXPECT_EQ(a.flex_edge, b.flex_edge);
  EXPECT_EQ(a.flex_elemedge, b.flex_elemedge);
  EXPECT_EQ(a.flexhinge_vert, b.flexhinge_vert);
  EXPECT_EQ(a.flex_shell, b.flex_shell);
  EXPECT_EQ(a.flex_evpair, b.flex_evpair);
  // edges appear in the order in which elements name them: 12, 20, 01
  EXPECT_EQ(a.flex_edge[0], std::min(a.flex_elem[1], a.flex_elem[2]));
  EXPECT_EQ(a.flex_elemedge[0], 0);
  EXPECT_EQ(a.flex_elemedge[1], 1);
  EXPECT_EQ(a.flex_elemedge[2], 2);
}

struct Counts {
  const char* attributes;
  int vertices, elements, edges;
};

class FlexGenerator : public testing::TestWithParam<Counts> {};

TEST_P(FlexGenerator, FLEX_B12_CountsAreThoseOfTheReference) {
  const Model m = inWorld(std::string("<flexcomp name=\"f\" ") + GetParam().attributes + "/>");
  EXPECT_EQ(m.nflexvert, GetParam().vertices);
  EXPECT_EQ(m.nflexelem, GetParam().elements);
  EXPECT_EQ(m.nflexedge, GetParam().edges);
}

INSTANTIATE_TEST_SUITE_P(Reference, FlexGenerator,
                         testing::Values(Counts{"type=\"grid\" dim=\"3\" count=\"5 5 5\"", 125, 384, 604},
                                         Counts{"type=\"box\" dim=\"3\" count=\"5 5 5\"", 99, 192, 386},
                                         Counts{"type=\"cylinder\" dim=\"3\" count=\"5 5 5\"", 99, 192, 386},
                                         Counts{"type=\"ellipsoid\" dim=\"3\" count=\"5 5 5\"", 99, 192, 386},
                                         Counts{"type=\"box\" dim=\"2\" count=\"5 5 5\"", 89, 160, 248},
                                         Counts{"type=\"grid\" dim=\"1\" count=\"7\"", 7, 6, 6},
                                         Counts{"type=\"circle\" dim=\"1\" count=\"7\"", 6, 6, 6},
                                         Counts{"type=\"square\" count=\"5 5 1\"", 25, 32, 56},
                                         Counts{"type=\"disc\" count=\"5 5 1\" spacing=\"0.1\"", 25, 32, 56}));

TEST(FlexModel, FLEX_B12_ABoxWithoutLidIsOpenAtTheTopAndFacesOutwards) {
  const Model m = inWorld(R"(<flexcomp name="f" type="box" dim="2" count="4 4 4" spacing="0.1"/>)");
  double top = 0;
  for (int e = 0; e < m.nflexelem; ++e) {
    const auto corner = [&](int k) { return m.qpos0.data() + 3 * m.flex_elem[3 * e + k]; };
    std::array<double, 3> u{}, v{}, n{}, c{};
    for (std::size_t k = 0; k < 3; ++k) {
      u[k] = corner(1)[k] - corner(0)[k];
      v[k] = corner(2)[k] - corner(0)[k];
      c[k] = corner(0)[k] + corner(1)[k] + corner(2)[k];
    }
    n = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    EXPECT_GT(n[0] * c[0] + n[1] * c[1] + n[2] * c[2], 0) << e;
    top = std::max(top, n[2]);
  }
  EXPECT_EQ(top, 0);
}

TEST(FlexModel, FLEX_B12_ADefaultCountMakesASheet) {
  const Model m = inWorld(R"(<flexcomp name="f"/>)");
  EXPECT_EQ(m.nflexvert, 100);
}

TEST(FlexModel, FLEX_B13_AnUnknownTypeIsNamed) {
  const std::string error = errorOf("\n<worldbody>\n<flexcomp name=\"f\" type=\"blob\"/></worldbody>");
  EXPECT_NE(error.find("m.xml:3: <flexcomp name=\"f\">"), std::string::npos) << error;
  EXPECT_NE(error.find("blob"), std::string::npos) << error;
}

TEST(FlexModel, FLEX_AC1b_ACornerPinnedClothOutOfTheBoxGetsRowsOfTwoTimesteps) {
  const Model m = compiled(R"(<deformable><flexcomp name="c" type="grid" count="10 10 1" spacing="0.02"
    selfcollide="false"><pin id="0 9"/></flexcomp></deformable>)");
  ASSERT_EQ(m.neq, 1);
  EXPECT_EQ(m.eq_type[0], EqualityType::Flex);
  EXPECT_EQ(m.eq_obj1id[0], 0);
  EXPECT_EQ(m.eq_solref[0], 0.004);
  EXPECT_EQ(m.eq_solref[1], 1);
  EXPECT_EQ(m.flex_edgeequality[0], 1);
}

TEST(FlexModel, WhatTheAuthorDeclaresOrRefusesIsNotReplacedByRows) {
  const auto rows = [](const std::string& child) {
    return inWorld("<flexcomp name=\"c\" count=\"3 3\">" + child + "</flexcomp>").neq;
  };
  EXPECT_EQ(rows(""), 1);
  EXPECT_EQ(rows("<edge equality=\"false\"/>"), 0);
  EXPECT_EQ(rows("<edge damping=\"1\"/>"), 0);
  EXPECT_EQ(rows("<elasticity young=\"1\" thickness=\"1\" elastic2d=\"bend\"/>"), 0);
  EXPECT_EQ(rows("<elasticity young=\"1\"/>"), 1);  // without elastic2d it does nothing
  EXPECT_EQ(inWorld("<flexcomp name=\"c\" count=\"3 3\" rigid=\"true\"/>").neq, 0);
  const Model named = compiled(R"(<worldbody><flexcomp name="c" count="3 3"/></worldbody>
    <equality><flex flex="c" solref="0.5 1"/></equality>)");
  ASSERT_EQ(named.neq, 1);
  EXPECT_EQ(named.eq_solref[0], 0.5);
}

TEST(FlexModel, FLEX_AC9_ModelsWithoutFlexHaveNoTraceOfIt) {
  const Model m = inWorld(R"(<body><freejoint/><geom size="1"/></body>)");
  EXPECT_EQ(m.nq, m.nq_rigid);
  EXPECT_EQ(m.nv, m.nv_rigid);
  m.forEachArray([](const char* name, const auto& array, int, int, const char*) {
    if (std::string(name).starts_with("flex")) {
      EXPECT_EQ(array.size(), 0) << name;
    }
  });
}

// MuJoCo stores the stiffness of the membrane and never uses it.
TEST(FlexModel, InterpolatedShellThatCannotStretchUnderTheLawOfTheReferenceIsReported) {
  for (const char* law : {"mujoco", "stvk"}) {
    Warnings warnings;
    inWorld(std::string(R"(<flexcomp name="f" type="grid" dim="3" dof="trilinear" count="3 3 3" spacing=".1 .1 .1"
      radius=".01"><contact selfcollide="none"/>
      <elasticity young="1e4" thickness=".01" elastic2d="both" law=")") +
                law + R"("/></flexcomp>)",
            &warnings);
    if (law == std::string("stvk")) {
      EXPECT_TRUE(warnings.empty());
      continue;
    }
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0],
              "m.xml:1: <flexcomp name=\"f\">: under law=\"mujoco\" an interpolated shell does not resist stretching; "
              "choose another law");
  }
}

TEST(FlexModel, WeightsOfAnInterpolatedVertexReproduceItsPlace) {
  for (const char* shell : {"", "<elasticity thickness=\"0.01\" elastic2d=\"both\"/>"}) {
    for (const char* dof : {"trilinear", "quadratic"}) {
      const Model m =
          inWorld(std::string("<body euler=\"10 20 30\" pos=\"1 2 3\"><flexcomp name=\"f\" type=\"direct\" "
                              "dim=\"3\" cellcount=\"3 2 3\" point=\"0 0 0 1 0 0 0 2 0 0 0 3 1 2 3 .5 .7 1.3\" "
                              "element=\"0 1 2 3 0 3 4 5\" mass=\"2\" dof=\"") +
                  dof + "\"><contact selfcollide=\"none\"/>" + shell + "</flexcomp></body>");
      ASSERT_EQ(m.nflexvert, 6);
      double mass = 0;
      for (int n = 0; n < m.nflexnode; ++n) mass += m.flexnode_pinned[n] ? 0 : m.flexnode_mass[n];
      EXPECT_NEAR(mass, 2, 1e-12);
      for (int v = 0; v < m.nflexvert; ++v) {
        std::array<double, 3> x{}, unit{};
        double sum = 0;
        for (int k = m.flexvert_supportadr[v]; k < m.flexvert_supportadr[v] + m.flexvert_supportnum[v]; ++k) {
          const int point = m.flexsupport_pointid[k];
          sum += m.flexsupport_weight[k];
          for (std::size_t a = 0; a < 3; ++a) {
            x[a] += m.flexsupport_weight[k] * m.qpos0[3 * m.flexpoint_nodeid[point] + static_cast<int>(a)];
            unit[a] += m.flexsupport_weight[k] * m.flexpoint_pos[3 * point + static_cast<int>(a)];
          }
        }
        EXPECT_NEAR(sum, 1, 1e-14);
        // the box is 1 x 2 x 3 in the body, and linear functions are interpolated exactly
        for (std::size_t a = 0; a < 3; ++a) {
          EXPECT_NEAR(unit[a] / (static_cast<double>(a) + 1), m.flex_vert0[3 * v + static_cast<int>(a)], 1e-14);
        }
        EXPECT_TRUE(std::isfinite(x[0]));
      }
    }
  }
}

}  // namespace
}  // namespace sinew
