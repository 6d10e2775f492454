#include <gtest/gtest.h>

#include <array>
#include <string>

#include "sinew/load.h"

/// What is refused in flexes, and how it is said. Every message names the place, the element and the offending number.
namespace sinew {
namespace {

std::string errorOf(const std::string& xml, Warnings* warnings = nullptr) {
  try {
    compile(readMjcfText(xml, "m.xml"), warnings);
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

/// A flexcomp on line 3 with these attributes and children.
std::string flexcomp(const std::string& attributes, const std::string& children = "") {
  return "<mujoco>\n<worldbody>\n<flexcomp name=\"f\" " + attributes + ">" + children +
         "</flexcomp>\n</worldbody>\n</mujoco>";
}

/// A flex on line 3.
std::string flex(const std::string& attributes, const std::string& children = "") {
  return "<mujoco>\n<deformable>\n<flex name=\"f\" " + attributes + ">" + children +
         "</flex>\n</deformable>\n</mujoco>";
}

struct Case {
  std::string name, xml, message;
};

class FlexError : public testing::TestWithParam<Case> {};

TEST_P(FlexError, SaysWhereAndWhat) { EXPECT_EQ(errorOf(GetParam().xml), GetParam().message); }

const std::string kComp = "m.xml:3: <flexcomp name=\"f\">: ";
const std::string kFlex = "m.xml:3: <flex name=\"f\">: ";
const std::string kTooFlat =
    " is lower than a millionth of its longest edge: it is too flat to be elastic; merge vertices that are close to "
    "each other, or remesh";
const std::string kPin = "m.xml:3: <pin>: ";
const std::string kGrid = "count=\"3 3 1\" ";
const std::string kSquare = "vertex=\"0 0 0 1 0 0 1 1 0 0 1 0\" ";
const std::string kTriangles = kSquare + "element=\"0 1 2 0 2 3\" ";

INSTANTIATE_TEST_SUITE_P(
    FLEX_B14, FlexError,
    testing::Values(
        Case{"Dim", flexcomp("dim=\"4\""), kComp + "'dim' must be 1, 2 or 3, found 4"},
        Case{"DimOfFlex", flex(kTriangles + "dim=\"0\""), kFlex + "'dim' must be 1, 2 or 3, found 0"},
        Case{"Count", flexcomp("count=\"3 0 1\""), kComp + "'count' must be at least 1, found 0"},
        Case{"CountOfASheet", flexcomp("count=\"3 3 2\""),
             kComp + "the third number of 'count' must be 1 for a sheet, found 2"},
        Case{"CountTooLarge", flexcomp("dim=\"3\" count=\"1000 1000 1000\""),
             kComp + "'count': 1000000000 points and 5982017994 elements would need about 4.7 TB of memory; the limit "
                     "is 2 GB "
                     "(--max-memory, LoadOptions::maxMemory)"},
        Case{"Spacing", flexcomp(kGrid + "spacing=\"0.02\" radius=\"0.015\""),
             kComp + "'spacing' must be at least 2 * radius + margin = 0.03, found 0.02"},
        Case{"SpacingWithMargin", flexcomp(kGrid + "margin=\"0.015\""),
             kComp + "'spacing' must be at least 2 * radius + margin = 0.025, found 0.02"},
        Case{"TwoSpacings", flexcomp(kGrid + "spacing=\"1 2\""),
             kComp + "'spacing' needs 1 number for all axes, or 3 numbers"},
        Case{"Radius", flexcomp(kGrid + "radius=\"0\""), kComp + "'radius' must be positive, found 0"},
        Case{"Young", flexcomp(kGrid, "<elasticity young=\"-1\"/>"), kComp + "'young' must not be negative, found -1"},
        Case{"PoissonOfOneHalf", flexcomp(kGrid, "<elasticity young=\"1\" poisson=\"0.5\"/>"),
             kComp + "'poisson' must be at least 0 and less than 0.5, found 0.5"},
        Case{"NegativePoisson", flexcomp(kGrid, "<elasticity poisson=\"-1\"/>"),
             kComp + "'poisson' must be at least 0 and less than 0.5, found -1"},
        Case{"Damping", flexcomp(kGrid, "<elasticity damping=\"-1\"/>"),
             kComp + "'damping' must not be negative, found -1"},
        Case{"Thickness", flexcomp(kGrid, "<elasticity young=\"1\" elastic2d=\"bend\" thickness=\"0\"/>"),
             kComp + "'thickness' must be positive where a sheet resists bending or stretching, found 0"},
        Case{"ThicknessOfTheShortForm", flexcomp(kGrid + "young=\"1\""),
             kComp + "'thickness' must be positive where a sheet resists bending or stretching, found -1"},
        Case{"Elastic2dOfASolid",
             flexcomp("dim=\"3\" count=\"3 3 3\"", "<elasticity thickness=\"1\" elastic2d=\"bend\"/>"),
             kComp + "'elastic2d' is for sheets: 'dim' must be 2, found 3"},
        Case{"Density", flexcomp(kGrid + "density=\"0\""), kComp + "'density' must be positive, found 0"},
        Case{"Mass", flexcomp(kGrid + "mass=\"0\""), kComp + "'mass' must be positive, found 0"},
        Case{"MassAndDensity", flexcomp(kGrid + "mass=\"1\" density=\"1\""),
             kComp + "'mass' and 'density' cannot both be given"},
        Case{"InertiaBox", flexcomp(kGrid + "inertiabox=\"0\""), kComp + "'inertiabox' must be positive, found 0"},
        Case{"Scale", flexcomp(kGrid + "scale=\"1 0 1\""), kComp + "'scale' must be positive, found 0"},
        Case{"Friction", flexcomp(kGrid + "friction=\"-1\""), kComp + "'friction' must not be negative, found -1"},
        Case{"Condim", flexcomp(kGrid, "<contact condim=\"2\"/>"), kComp + "'condim' must be 1, 3, 4 or 6, found 2"},
        Case{"Stiffness", flexcomp(kGrid, "<edge stiffness=\"2\"/>"),
             kComp + "'stiffness' of edges is for dim 1 only, found 2 with dim 2; use <elasticity>"},
        Case{"PinId", flexcomp(kGrid, "<pin id=\"9\"/>"), kPin + "'id' must be between 0 and 8, found 9"},
        Case{"PinRange", flexcomp(kGrid, "<pin range=\"0 1 7 -1\"/>"),
             kPin + "'range' must be between 0 and 8, found -1"},
        Case{"TooLarge", flexcomp("dim=\"1\" count=\"3 1 1\" spacing=\"1e200 1 1\""),
             kComp + "the compiled model has flexedge_length0[0] = inf: some number in it is too large"},
        Case{"FallingPinRange", flexcomp(kGrid, "<pin range=\"5 2\"/>"), kPin + "'range' must not fall, found 5 to 2"},
        Case{"FallingPinGridRange", flexcomp(kGrid, "<pin gridrange=\"0 2 1 1\"/>"),
             kPin + "'gridrange' must not fall, found 2 to 1"},
        Case{"OddPinRange", flexcomp(kGrid, "<pin range=\"0 1 7\"/>"),
             kPin + "'range' needs a multiple of 2 numbers, found 3"},
        Case{"PinGrid", flexcomp(kGrid, "<pin grid=\"0 3\"/>"), kPin + "'grid' must be between 0 and 2, found 3"},
        Case{"PinGridRange", flexcomp(kGrid, "<pin gridrange=\"0 0 1\"/>"),
             kPin + "'gridrange' needs a multiple of 4 numbers, found 3"},
        Case{"PinGridOfALine", flexcomp("dim=\"1\" count=\"5\"", "<pin grid=\"0\"/>"),
             kPin + "'grid' and 'gridrange' are for flexcomps of type grid with dim 2 or 3, or with interpolation"},
        Case{"ElementIndex", flex(kSquare + "element=\"0 1 2 0 2 4\""),
             kFlex + "'element': element 1 has vertex 4, but there are 4 vertices"},
        Case{"NegativeElementIndex", flex(kSquare + "element=\"0 1 -2\""),
             kFlex + "'element': element 0 has vertex -2, but there are 4 vertices"},
        Case{"RepeatedVertex", flex(kSquare + "element=\"0 1 2 0 3 3\""),
             kFlex + "'element': element 1 has vertex 3 twice"},
        Case{"ElementCount", flex(kSquare + "element=\"0 1 2 3\""),
             kFlex + "'element' needs a multiple of dim + 1 = 3 numbers, found 4"},
        Case{"ElementChildCount", flex(kSquare, "<element vertex=\"0 1\"/>"),
             "m.xml:3: <element>: 'vertex' needs a multiple of 3 numbers, found 2"},
        Case{"VertexCount", flex("element=\"0 1 2\"", "<vertex pos=\"0 0\"/>"),
             "m.xml:3: <vertex>: 'pos' needs a multiple of 3 numbers, found 2"},
        Case{"NoElements", flex(kSquare), kFlex + "a flex needs points and elements"},
        Case{"NoPoints", flexcomp("type=\"direct\""), kComp + "a flex needs points and elements"},
        Case{"PointCount", flexcomp("type=\"direct\" point=\"0 0\""),
             kComp + "'point' needs a multiple of 3 numbers, found 2"},
        Case{"ShortEdge", flex("dim=\"1\" vertex=\"0 0 0 0 0 0 0 0 1\" element=\"0 2 1 0\""),
             kFlex + "element 1: vertices 1 and 0 are in the same place"},
        Case{"FlatTriangle", flex("vertex=\"0 0 0 1 0 0 2 0 0\" element=\"0 1 2\""),
             kFlex + "element 0 is a triangle without area"},
        Case{"FlatTetrahedron", flex("dim=\"3\" " + kSquare + "element=\"0 1 2 3\""),
             kFlex + "element 0 is a tetrahedron without volume"},
        Case{"SliverOfASheet",
             flex("vertex=\"0 0 0 1 0 0 1 1 0 .5 -1e-7 0\" element=\"0 1 2 1 0 3\"",
                  "<elasticity young=\"1e5\" thickness=\".01\" elastic2d=\"stretch\"/>"),
             kFlex + "element 1 (vertices 1, 0, 3)" + kTooFlat},
        Case{"SliverThatBends",
             flex("vertex=\"0 0 0 1 0 0 1 1 0 .5 -1e-7 0\" element=\"0 1 2 1 0 3\"",
                  "<elasticity young=\"1e5\" thickness=\".01\" elastic2d=\"bend\" bending=\"dihedral\" law=\"stvk\"/>"),
             kFlex + "element 1 (vertices 1, 0, 3)" + kTooFlat},
        Case{"SliverOfASolid",
             flex("dim=\"3\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1 .3 .3 -1e-7\" element=\"0 1 2 3 0 2 1 4\"",
                  "<elasticity young=\"1e5\"/>"),
             kFlex + "element 1 (vertices 0, 1, 2, 4)" + kTooFlat},
        Case{"SliverOfSecondOrder",
             flex("dim=\"3\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1 .3 .3 -1e-7\" element=\"0 1 2 3 0 2 1 4\"",
                  "<elasticity young=\"1e5\" law=\"stvk\" order=\"2\"/>"),
             kFlex + "element 1 (vertices 0, 1, 2, 4)" + kTooFlat},
        Case{"NotANumber", flexcomp(kGrid + "mass=\"nan\""), kComp + "'mass' must be finite, found \"nan\""},
        Case{"Infinite", flex("element=\"0 1 2\" vertex=\"0 0 inf\""),
             kFlex + "'vertex' must be finite, found \"0 0 inf\""}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Meaning, FlexError,
    testing::Values(
        Case{"TwoThicknesses", flexcomp(kGrid + "thickness=\"1\"", "<elasticity thickness=\"2\"/>"),
             kComp + "'thickness' is given twice with different values, here and in <elasticity>"},
        Case{"TwoFrictions", flexcomp(kGrid + "friction=\"1\"", "<contact friction=\"2\"/>"),
             kComp + "'friction' is given twice with different values, here and in <contact>"},
        Case{"EqualityAndYoung",
             flexcomp(kGrid, "<edge equality=\"true\"/><elasticity young=\"1\" thickness=\"1\" elastic2d=\"both\"/>"),
             kComp +
                 "'equality' and 'young' both resist stretching; leave one out, or bend only with elastic2d=\"bend\""},
        Case{"Strain", flexcomp(kGrid, "<edge equality=\"strain\"/>"),
             kComp + "equality=\"strain\" is for dof=\"trilinear\" and \"quadratic\""},
        Case{"Circle", flexcomp("type=\"circle\""), kComp + "a circle needs dim 1, found 2"},
        Case{"SmallCircle", flexcomp("type=\"circle\" dim=\"1\" count=\"3\""),
             kComp + "a circle needs a 'count' of at least 4, found 3"},
        Case{"ThinBox", flexcomp("type=\"box\" dim=\"3\" count=\"3 3 1\""),
             kComp + "'count' must be at least 2 along all axes here, found 1"},
        Case{"LineBox", flexcomp("type=\"box\" dim=\"1\""),
             kComp + "a box, cylinder or ellipsoid needs dim 2 or 3, found 1"},
        Case{"NoFile", flexcomp("type=\"gmsh\""), kComp + "'file' must be given"},
        Case{"SelfCollisionOfInterpolated", flexcomp("dim=\"3\" count=\"3 3 3\" dof=\"trilinear\""),
             kComp + "an interpolated flex cannot collide with itself: <contact selfcollide=\"none\"> must be given"},
        Case{"InterpolatedSheet", flexcomp(kGrid + "dof=\"trilinear\" selfcollide=\"none\""),
             kComp + "interpolation needs points with extent along all three axes"},
        Case{"CellCount", flexcomp(kGrid + "cellcount=\"1 0 1\""), kComp + "'cellcount' must be at least 1, found 0"},
        Case{"UnknownBody", flex(kTriangles + "body=\"b\""), kFlex + "no body is named \"b\""},
        Case{"BodyCount", flex(kTriangles + "body=\"world world\""),
             kFlex + "'body' needs one name, or one per vertex: 4 vertices, found 2 names"},
        Case{"DensityOfBodies", flex(kTriangles + "body=\"world\" density=\"1\""),
             kFlex + "'density' is for a flex without bodies: these have their own mass"},
        Case{"PinnedBodies", flex(kTriangles + "body=\"world\"", "<pin id=\"0\"/>"),
             kFlex + "<pin> is for a flex without bodies"},
        Case{"NodesWithoutOrder", flex(kTriangles + "node=\"world\""),
             kFlex + "with 'node' the order of interpolation must be given: dof=\"trilinear\" or \"quadratic\""},
        Case{"NodeCount", flex(kTriangles + "node=\"world\" dof=\"trilinear\" selfcollide=\"none\""),
             kFlex + "'node' needs 8 bodies for this cellcount and dof, found 1"},
        Case{"Material", flexcomp(kGrid + "material=\"silk\""), kComp + "no material is named \"silk\""},
        Case{"JointStiffness",
             "<mujoco>\n<default><joint stiffness=\"1\"/></default><worldbody>\n<flexcomp name=\"f\" count=\"3 3\"/>\n"
             "</worldbody>\n</mujoco>",
             kComp + "the default class gives joints a spring, which points of a flex cannot have"},
        Case{"EqualityOfNoFlex", "<mujoco>\n\n<equality><flex flex=\"g\"/></equality></mujoco>",
             "m.xml:3: <flex>: no flex is named \"g\""},
        Case{"SameName",
             "<mujoco>\n<worldbody>\n<flexcomp name=\"f\" count=\"3 3\"/><flexcomp name=\"f\" count=\"3 "
             "3\"/></worldbody>"
             "</mujoco>",
             "m.xml:3: <flex name=\"f\">: the name \"f\" is used twice (first at m.xml:3)"}),
    [](const auto& info) { return info.param.name; });

TEST(FlexWarnings, AFrameAroundAFlexcompDoesNotMoveItSilently) {
  const std::string inside = "<flexcomp name=\"f\" count=\"3 3\"";
  const auto positionOf = [&](const std::string& attributes, Warnings& warnings) {
    const Model m = compile(readMjcfText("<mujoco>\n<worldbody><frame pos=\"0 0 2\">" + inside + attributes +
                                             "/></frame></worldbody></mujoco>",
                                         "m.xml", {}, &warnings),
                            &warnings);
    return m.qpos0[2];
  };
  Warnings warnings;
  EXPECT_EQ(positionOf("", warnings), 0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "m.xml:2: <flexcomp name=\"f\">: the <frame> around it does not move a flexcomp unless inframe=\"true\"");
  warnings.clear();
  EXPECT_EQ(positionOf(" inframe=\"true\"", warnings), 2);
  EXPECT_TRUE(warnings.empty());
}

TEST(FlexWarnings, FLEX_B10_AnEdgeOfThreeTrianglesIsReportedOnce) {
  Warnings warnings;
  const Model m =
      compile(readMjcfText(flex("vertex=\"0 0 0 1 0 0 0 1 0 0 0 1 0 -1 0\" element=\"0 1 2 0 1 3 0 1 4\""), "m.xml"),
              &warnings);
  EXPECT_EQ(m.nflexhinge, 0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], kFlex +
                             "1 edges, the first between vertices 0 and 1, belong to more than two triangles: they do "
                             "not resist bending");
}

/// What covers the same place twice loads, and says so once, with elements as their author counts them.
TEST(FlexWarnings, ElementsThatCoverTheSamePlace) {
  const auto warningsOf = [](const std::string& attributes, const std::string& more = "") {
    Warnings warnings;
    compile(readMjcfText(flex(attributes, more), "m.xml"), &warnings);
    return warnings;
  };
  const std::string faces = " lie on the same side of a common face: material is there twice";
  const std::string twins = " have the same vertices: material is there twice";
  const std::string four = "dim=\"3\" vertex=\"0 0 0 1 0 0 0 1 0 .1 .1 1", five = four + " .1 .1 -1";
  const std::string six = five + " .2 .2 .5";
  for (const char* more : {"", "<elasticity young=\"1e5\" law=\"stvk\" order=\"2\"/>"}) {
    for (const char* apart : {"0 1 2 3 0 2 1 4", "0 1 2 3 0 1 2 4", "2 0 1 3 4 2 1 0"}) {
      EXPECT_TRUE(warningsOf(five + "\" element=\"" + apart + "\"", more).empty()) << apart;
    }
    const auto once = [&](const std::string& vertices, const char* elements, const std::string& text) {
      const Warnings warnings = warningsOf(vertices + "\" element=\"" + elements + "\"", more);
      ASSERT_EQ(warnings.size(), 1u) << elements;
      EXPECT_EQ(warnings[0], kFlex + text) << elements;
    };
    once(six, "0 1 2 3 0 2 1 4 0 1 2 5", "1 pairs of elements, the first 0 and 2," + faces);
    once(six, "0 2 1 4 0 1 2 3 5 1 2 0", "1 pairs of elements, the first 1 and 2," + faces);
    once(four, "0 1 2 3 1 2 0 3", "1 pairs of elements, the first 0 and 1," + faces);
  }
  const Warnings sheet = warningsOf("vertex=\"0 0 0 1 0 0 1 1 0 0 1 0\" element=\"0 1 2 0 2 3 2 1 0\"");
  ASSERT_EQ(sheet.size(), 2u);
  EXPECT_EQ(sheet[1], kFlex + "1 pairs of elements, the first 0 and 2," + twins);
  const Warnings rope = warningsOf("dim=\"1\" vertex=\"0 0 0 1 0 0 2 0 0\" element=\"0 1 1 2 1 0\"");
  ASSERT_EQ(rope.size(), 1u);
  EXPECT_EQ(rope[0], kFlex + "1 pairs of elements, the first 0 and 2," + twins);
}

TEST(FlexWarnings, TrianglesThatLieOnEachOtherAtRest) {
  const auto warningsOf = [](const std::string& more) {
    Warnings warnings;
    compile(readMjcfText(flex("vertex=\"0 0 0 1 0 0 0 1 0 .1 .9 .01\" element=\"0 1 2 1 0 3\"",
                              "<elasticity young=\"1e5\" thickness=\".01\" elastic2d=\"both\" " + more + "/>"),
                         "m.xml"),
            &warnings);
    return warnings;
  };
  const Warnings warnings = warningsOf("");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], kFlex +
                             "1 pairs of triangles, the first at the edge between vertices 0 and 1, lie on each other "
                             "at rest: bending=\"cotangent\" has no stable shape there, bending=\"dihedral\" has");
  EXPECT_TRUE(warningsOf("bending=\"dihedral\"").empty());
}

std::string warningsOf(const std::string& xml) {
  Warnings warnings;
  compile(readMjcfText(xml, "m.xml", {}, &warnings), &warnings);
  std::string text;
  for (const std::string& warning : warnings) text += warning + "\n";
  return text;
}

TEST(FlexWarnings, C19_YoungWithoutEffectIsSaidWithTheCure) {
  EXPECT_EQ(warningsOf(flexcomp("dim=\"1\" count=\"5 1 1\"", "<elasticity young=\"1e3\"/>")),
            kComp +
                "'young' 1000 has no effect: under law=\"mujoco\" a flex of dim 1 is no rod; say <elasticity "
                "law=\"stvk\">, or young as an attribute of the flex itself\n");
  EXPECT_EQ(
      warningsOf(flexcomp("dim=\"2\" count=\"4 4 1\"", "<elasticity young=\"1e8\" thickness=\".01\"/>")),
      kComp +
          "'young' 100000000 has no effect on a sheet with elastic2d=\"none\"; say <elasticity elastic2d=\"bend\">, "
          "\"stretch\" or \"both\"\n");
  EXPECT_EQ(warningsOf(flexcomp("dim=\"1\" count=\"5 1 1\"", "<elasticity young=\"1e3\" law=\"stvk\"/>")), "");
  EXPECT_EQ(warningsOf(flexcomp("dim=\"1\" count=\"5 1 1\" young=\"1e3\"")), "");
  EXPECT_EQ(warningsOf(flexcomp("dim=\"2\" count=\"4 4 1\" young=\"1e3\" thickness=\".01\"")), "");
  EXPECT_EQ(warningsOf(flexcomp("dim=\"3\" count=\"3 3 3\"", "<elasticity young=\"1e3\"/>")), "");
}

TEST(FlexWarnings, C16_RodsSayThatTheyDoNotTwist) {
  EXPECT_EQ(warningsOf(flexcomp("dim=\"1\" count=\"5 1 1\" young=\"1e3\" poisson=\"0.3\"")),
            kComp +
                "'poisson' 0.3 has no effect: a rod resists stretching and bending, and twisting only with <elasticity "
                "twist=\"true\">\n");
  EXPECT_EQ(warningsOf(flexcomp("type=\"circle\" dim=\"1\" count=\"9 1 1\" young=\"1e3\"")),
            kComp +
                "the rod is curved at rest (8 bends, up to 0.79 rad): it keeps the angles, but does not resist "
                "twisting; <elasticity twist=\"true\"> makes it a rod that does\n");
}

TEST(FlexError, C16_DistortedGridsAreRefusedWithTheNode) {
  const auto model = [](const std::string& last, const std::string& dof) {
    std::string bodies, names;
    const int n = dof == "trilinear" ? 2 : 3;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          const std::string name = "n" + std::to_string(i) + std::to_string(j) + std::to_string(k);
          const bool corner = i == n - 1 && j == n - 1 && k == n - 1;
          const std::string pos = corner ? last : std::to_string(i) + " " + std::to_string(j) + " " + std::to_string(k);
          bodies += "<body name=\"" + name + "\" pos=\"" + pos +
                    "\"><joint type=\"slide\"/><geom size=\".01\" mass=\"1\"/></body>";
          names += name + " ";
        }
      }
    }
    return "<mujoco><worldbody>" + bodies + "</worldbody>\n<deformable>\n<flex name=\"f\" dim=\"3\" dof=\"" + dof +
           "\" node=\"" + names +
           "\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" element=\"0 1 2 3\"><contact "
           "selfcollide=\"none\"/></flex></deformable></mujoco>";
  };
  EXPECT_EQ(errorOf(model("1 1 1", "trilinear")), "");
  EXPECT_EQ(
      errorOf(model("1 1 1.1", "trilinear")),
      "m.xml:3: <flex name=\"f\">: node 7 (body \"n111\") is 0.1 m away from its place in a grid of equal boxes: a "
      "flex with dof=\"trilinear\" or \"quadratic\" would not be at rest there");
  EXPECT_EQ(errorOf(model("2 2 2", "quadratic")), "");
  EXPECT_NE(errorOf(model("2 2.001 2", "quadratic")).find("node 26 (body \"n222\") is 0.001 m away"),
            std::string::npos);
}

/// The rows that hold an undeclared flex together take each of solref and solimp from the flex's own attribute if its
/// author wrote it, and otherwise what is stiff: (2h, 1) and 0.99.
TEST(FlexRows, C12_SolrefAndSolimpAreDecidedOneByOne) {
  const auto rows = [](const std::string& attributes) {
    const Model m = compile(readMjcfText(flexcomp(kGrid + attributes)));
    EXPECT_EQ(m.neq, 1);
    return std::array{m.eq_solref[0], m.eq_solref[1], m.eq_solimp[0], m.eq_solimp[1]};
  };
  EXPECT_EQ(rows(""), (std::array{0.004, 1.0, 0.99, 0.99}));
  EXPECT_EQ(rows("solref=\"0.05 0.8\""), (std::array{0.05, 0.8, 0.99, 0.99}));
  EXPECT_EQ(rows("solimp=\"0.9 0.95\""), (std::array{0.004, 1.0, 0.9, 0.95}));
  EXPECT_EQ(rows("solref=\"0.05 1\" solimp=\"0.9 0.95\""), (std::array{0.05, 1.0, 0.9, 0.95}));
  // what <contact> says is about contacts alone
  const Model m = compile(readMjcfText(flexcomp(kGrid, "<contact solref=\"0.05 1\" solimp=\"0.5 0.6\"/>")));
  EXPECT_EQ(m.eq_solref[0], 0.004);
  EXPECT_EQ(m.eq_solimp[0], 0.99);
}

}  // namespace
}  // namespace sinew
