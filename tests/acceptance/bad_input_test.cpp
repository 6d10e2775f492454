#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/step.h"

/// What users get wrong about contacts: an error that says where and what, or a model that steps to finite numbers.
namespace sinew {
namespace {

const std::string kPlaneAndBall =
    R"(<geom name="floor" type="plane" size="1 1 1"/><body name="b"><freejoint/><geom name="ball" size=".1"/></body>)";

/// Line 2 holds the assets, line 3 the bodies, line 4 the relations.
std::string model(const std::string& bodies, const std::string& relations = "", const std::string& assets = "") {
  return "<mujoco>\n<asset>" + assets + "</asset>\n<worldbody>" + bodies + "</worldbody>\n" + relations + "</mujoco>";
}

std::string meshModel(const std::string& vertices) {
  return model(R"(<geom type="plane" size="1 1 1"/><body><freejoint/><geom type="mesh" mesh="x"/></body>)", "",
               R"(<mesh name="x" vertex=")" + vertices + R"("/>)");
}

struct Case {
  const char* name;
  std::string mjcf;
  std::string message;
};

std::vector<Case> cases() {
  const auto geom = [](const std::string& attributes) { return model("<geom name=\"g\" " + attributes + "/>"); };
  const auto relation = [](const std::string& text) { return model(kPlaneAndBall, text); };
  return {
      {"Condim", geom(R"(size="1" condim="2")"), R"(m.xml:3: <geom name="g">: 'condim' must be 1, 3, 4 or 6, found 2)"},
      {"Friction", geom(R"(size="1" friction="-1")"),
       R"(m.xml:3: <geom name="g">: 'friction' must not be negative, found -1)"},
      {"Margin", geom(R"(size="1" margin="-.2" gap=".1")"),
       R"(m.xml:3: <geom name="g">: 'margin' plus 'gap' must not be negative, found -0.1)"},
      {"Gap", geom(R"(size="1" margin=".2" gap="-.3")"),
       R"(m.xml:3: <geom name="g">: 'gap' must not be negative, found -0.3)"},
      {"NoRadius", geom(R"(size="0")"),
       R"(m.xml:3: <geom name="g">: number 1 of 'size' must be positive for this shape, found 0)"},
      {"FlatBox", geom(R"(type="box" size=".1 0 .1")"),
       R"(m.xml:3: <geom name="g">: number 2 of 'size' must be positive for this shape, found 0)"},
      {"PairOfOne", relation(R"(<contact><pair geom1="ball" geom2="ball"/></contact>)"),
       R"(m.xml:4: <pair>: geom "ball" is paired with itself)"},
      {"PairCondim", relation(R"(<contact><pair geom1="ball" geom2="floor" condim="2"/></contact>)"),
       R"(m.xml:4: <pair>: 'condim' must be 1, 3, 4 or 6, found 2)"},
      {"PairFriction", relation(R"(<contact><pair geom1="ball" geom2="floor" friction="1 -1"/></contact>)"),
       R"(m.xml:4: <pair>: 'friction' must not be negative, found -1)"},
      {"PairOfNobody", relation(R"(<contact><pair geom1="ball" geom2="nobody"/></contact>)"),
       R"(m.xml:4: <pair>: no geom is named "nobody")"},
      {"ExcludedNobody", relation(R"(<contact><exclude body1="b" body2="nobody"/></contact>)"),
       R"(m.xml:4: <exclude>: no body is named "nobody")"},
      {"ConnectedNobody", relation(R"(<equality><connect body1="b" body2="nobody" anchor="0 0 0"/></equality>)"),
       R"(m.xml:4: <connect>: no body is named "nobody")"},
      {"WeldedNobody", relation(R"(<equality><weld body1="nobody"/></equality>)"),
       R"(m.xml:4: <weld>: no body is named "nobody")"},
      {"ThreePoints", meshModel("0 0 0  1 0 0  0 1 0"),
       R"(m.xml:2: <mesh name="x">: at least 4 vertices are required)"},
      {"FlatMesh", meshModel("0 0 0  1 0 0  0 1 0  1 1 0"),
       R"(m.xml:2: <mesh name="x">: all vertices lie in a plane, so there is no convex hull; a plane or a thin box geom )"
       "may serve instead"},
      {"Line", meshModel("0 0 0  1 0 0  2 0 0  3 0 0"),
       R"(m.xml:2: <mesh name="x">: all vertices lie on a line, so there is no convex hull; a thin capsule geom may )"
       "serve instead"},
      {"Point", meshModel("0 0 0  0 0 0  0 0 0  0 0 0"),
       R"(m.xml:2: <mesh name="x">: all vertices coincide, so there is no convex hull; a small sphere geom may serve )"
       "instead"},
  };
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, IsAnErrorThatSaysWhereAndWhat) {
  try {
    compile(readMjcfText(GetParam().mjcf, "m.xml"));
    FAIL() << "loads";
  } catch (const LoadError& error) {
    EXPECT_EQ(std::string(error.what()), GetParam().message);
  }
}
INSTANTIATE_TEST_SUITE_P(Contacts, BadInput, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

TEST(OddInput, SmallestHullCollides) {
  const Model m = compile(readMjcfText(meshModel("0 0 -.01  .2 0 -.01  0 .2 -.01  0 0 .2")));
  Data d(m);
  forward(m, d);
  EXPECT_EQ(d.ncon(), 3) << "the corners of the face it lies on";
  for (int i = 0; i < 1500; ++i) step(m, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  // at rest the floor carries its weight, and the face lies on it
  double carried = 0;
  for (int i = 0; i < d.ncon(); ++i) carried += contactForce(m, d, i)[0];
  EXPECT_NEAR(carried, m.body_mass[1] * 9.81, 1e-3 * m.body_mass[1] * 9.81);
  for (const Contact& c : d.contact) EXPECT_NEAR(c.dist, 0, 1e-3);
  for (const double v : d.qvel) EXPECT_NEAR(v, 0, 1e-4);
}

// Several ways to have no unique direction to push: same centre, parallel axes, one inside the other.
TEST(OddInput, StartsWithoutADirectionStayFinite) {
  for (const std::string second : {
           R"(size=".1")",
           R"(type="capsule" size=".1 .2")",
           R"(type="capsule" size=".05 .2" pos=".05 0 0")",
           R"(type="box" size=".3 .3 .3")",
           R"(type="cylinder" size=".1 .2")",
           R"(type="ellipsoid" size=".1 .1 .2")",
       }) {
    const Model m = compile(readMjcfText(model(R"(<body><freejoint/><geom type="capsule" size=".1 .2"/></body>
        <body><freejoint/><geom )" + second + "/></body>")));
    Data d(m);
    for (int i = 0; i < 100; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok()) << second << ": " << describeStatus(m, d);
    for (const double x : d.qpos) EXPECT_TRUE(std::isfinite(x)) << second;
  }
}

// The least translation that parts two equal convex shapes in one place is their least width.
TEST(OddInput, EqualShapesInOnePlaceTouchByTheirLeastWidth) {
  const std::string cube = R"(<asset><mesh name="m" vertex="-.1 -.2 -.3 .1 -.2 -.3 -.1 .2 -.3 .1 .2 -.3
      -.1 -.2 .3 .1 -.2 .3 -.1 .2 .3 .1 .2 .3"/></asset>)";
  const std::vector<std::pair<std::string, double>> shapes = {
      {R"(type="ellipsoid" size=".1 .2 .3")", 0.2}, {R"(type="ellipsoid" size=".4 .07 .3")", 0.14},
      {R"(type="ellipsoid" size=".2 .2 .2")", 0.4}, {R"(type="cylinder" size=".1 .2")", 0.2},
      {R"(type="cylinder" size=".3 .05")", 0.1},    {R"(type="mesh" mesh="m")", 0.2},
  };
  for (const auto& [shape, width] : shapes) {
    for (const std::string turn : {"1 0 0 0", ".3 .5 -.2 .7"}) {
      for (const double offset : {0.0, 1e-13, 1e-8}) {
        const std::string body = R"(<freejoint/><geom )" + shape + "/></body>";
        const std::string quat = "<body quat=\"" + turn + "\">";
        const Model m = compile(readMjcfText("<mujoco><option ccd_iterations=\"500\"/>" + cube + "<worldbody>" + quat +
                                             body + quat + body + "</worldbody></mujoco>"));
        Data d(m);
        d.qpos[8] = offset;
        forward(m, d);
        const std::string name = shape + " turned by " + turn + ", " + std::to_string(offset);
        ASSERT_GT(d.ncon(), 0) << name;
        // Of a sphere 500 vertices make 1000 facets with an angle of 0.098 to their corners in the mean, nearer to the
        // center by 1 - cos(0.098) = 0.5 %; the largest facets by up to twice that.
        EXPECT_NEAR(d.contact[0].dist, -width, 1e-2 * width) << name;
      }
    }
  }
}

TEST(OddInput, FlagWithoutEffectIsAWarning) {
  Warnings warnings;
  compile(readMjcfText(R"(<mujoco><option><flag nativeccd="disable"/></option></mujoco>)"), &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("nativeccd"), std::string::npos);
}

}  // namespace
}  // namespace sinew
