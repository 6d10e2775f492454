#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/tolerance.h"

/// Contact lists of MuJoCo 3.12.0 for one small flex (radius 0.01) against one geom, with its reading of `gap`.
namespace sinew {
namespace {

struct ExpectedContact {
  int elem, vert;
  double dist;
  std::array<double, 3> pos, normal;
};

struct Scene {
  const char* name;
  const char* geom;
  int dim;
  const char *points, *elements;
  bool withMargins;  ///< margins and gaps on both sides, and other contact parameters
  std::vector<ExpectedContact> contacts;
};

void PrintTo(const Scene& scene, std::ostream* os) { *os << scene.name; }

const std::vector<Scene>& scenes() {
  // clang-format off
  static const std::vector<Scene> kScenes = {
    {"SphereDim2Margin_1",
     R"(type="sphere" size=".08" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="8.22898 10.9792 12.3703")",
     2,
     "-0.021719 -0.090709 0.005312 -0.012787 -0.061446 -0.009257 0.021577 -0.103290 0.011432 0.041827 -0.041463 -0.008421",
     "0 2 3 0 3 1",
     true,
     {{0, -1, -0.031185838, {0.038149825, -0.051338051, -0.007567526}, {0.592323466, -0.797087058, -0.117495251}},
      {1, -1, -0.035971083, {0.021161944, -0.057414522, -0.010076595}, {0.341242107, -0.925824782, -0.162487835}}}},
    {"BoxDim2Margin_1",
     R"(type="box" size=".06 .05 .07" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="-6.30007 -5.20267 -2.10466")",
     2,
     "-0.020028 0.028110 -0.037981 -0.025961 0.086379 -0.039009 0.026743 0.021390 -0.055179 0.018715 0.073641 -0.057578",
     "0 2 3 0 3 1",
     true,
     {{0, -1, -0.028761501, {-0.019867780, 0.032462958, -0.038446899}, {0.036573686, 0.993655745, -0.106351426}},
      {0, -1, -0.025292735, {0.026982970, 0.021100796, -0.057798549}, {0.090678989, -0.109283434, -0.989865876}},
      {1, -1, -0.028761501, {-0.019867780, 0.032462958, -0.038446899}, {0.036573686, 0.993655745, -0.106351426}}}},
    {"BoxDim2_2",
     R"(type="box" size=".06 .05 .07")",
     2,
     "-0.063542 -0.005406 0.051283 -0.069548 0.059989 0.061497 -0.002683 0.011335 0.067683 -0.009488 0.055807 0.064733",
     "0 2 3 0 3 1",
     false,
     {{0, -1, -0.006458000, {-0.056771000, -0.005406000, 0.051283000}, {-1.000000000, 0.000000000, 0.000000000}},
      {0, -1, -0.012317000, {-0.002683000, 0.011335000, 0.063841500}, {0.000000000, 0.000000000, 1.000000000}},
      {0, -1, -0.004193000, {-0.009488000, 0.047903500, 0.064733000}, {0.000000000, 1.000000000, 0.000000000}},
      {1, -1, -0.006458000, {-0.056771000, -0.005406000, 0.051283000}, {-1.000000000, 0.000000000, 0.000000000}},
      {1, -1, -0.004193000, {-0.009488000, 0.047903500, 0.064733000}, {0.000000000, 1.000000000, 0.000000000}},
      {1, -1, -0.000011000, {-0.069548000, 0.049994500, 0.061497000}, {0.000000000, 1.000000000, 0.000000000}},
      {1, -1, -0.000641167, {-0.060020581, 0.049948786, 0.070315796}, {0.064198553, 0.159753092, -0.985067254}}}},
    {"CapsuleDim2_0",
     R"(type="capsule" size=".04 .06")",
     2,
     "0.010548 -0.002049 0.049982 0.020047 0.056039 0.052618 0.064838 0.008040 0.049384 0.063858 0.056874 0.048784",
     "0 2 3 0 3 1",
     false,
     {{0, -1, -0.035309220, {0.016044020, -0.003116628, 0.044762136}, {0.718001339, -0.139475232, -0.681924290}},
      {0, -1, -0.039254829, {0.019998754, -0.003884855, 0.049982000}, {0.981650247, -0.190690307, 0.000000000}},
      {1, -1, -0.035329295, {0.016247202, -0.001967121, 0.044800433}, {0.727420882, -0.088072072, -0.680516107}},
      {1, -1, -0.039254829, {0.019998754, -0.003884855, 0.049982000}, {0.981650247, -0.190690307, 0.000000000}}}},
    {"CapsuleDim2Margin_3",
     R"(type="capsule" size=".04 .06" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="11.642 0.876018 18.1124")",
     2,
     "-0.055210 -0.043573 -0.067327 -0.063145 0.020409 -0.067399 -0.005518 -0.035084 -0.055861 -0.026601 0.010554 -0.073687",
     "0 2 3 0 3 1",
     true,
     {{0, -1, -0.023653743, {-0.022543777, -0.002191383, -0.069785889}, {-0.767626801, -0.507495082, -0.391404953}},
      {0, -1, -0.004114632, {-0.004689108, -0.027344646, -0.054279366}, {-0.104359174, -0.974400349, -0.199130918}},
      {1, -1, -0.020252524, {-0.026710013, 0.010547411, -0.073750362}, {-0.863389959, -0.052183952, -0.501831261}}}},
    {"PlaneDim2Margin_1",
     R"(type="plane" size="1 1 1" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="0 0 0")",
     2,
     "-0.020382 -0.031903 0.021307 -0.035311 0.017639 0.000133 0.031477 -0.028204 0.009320 0.020825 0.028298 0.007693",
     "0 2 3 0 3 1",
     true,
     {{-1, 1, -0.009867000, {-0.035311000, 0.017639000, -0.004933500}, {0.000000000, 0.000000000, 1.000000000}},
      {-1, 2, -0.000680000, {0.031477000, -0.028204000, -0.000340000}, {0.000000000, 0.000000000, 1.000000000}},
      {-1, 3, -0.002307000, {0.020825000, 0.028298000, -0.001153500}, {0.000000000, 0.000000000, 1.000000000}}}},
    {"EllipsoidDim2Margin_1",
     R"(type="ellipsoid" size=".05 .08 .06" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="-13.9529 -13.4303 -2.43876")",
     2,
     "-0.044986 0.036582 -0.008099 -0.036323 0.101071 -0.006121 -0.000407 0.033726 -0.021260 0.013160 0.094215 -0.023768",
     "0 2 3 0 3 1",
     true,
     {{0, -1, -0.042807347, {-0.005218182, 0.038863341, -0.030269808}, {-0.485693808, 0.414275984, -0.769725233}},
      {1, -1, -0.016888439, {-0.020235312, 0.058986833, -0.014104628}, {-0.715958628, 0.661723833, -0.222541710}}}},
    {"CylinderDim2Margin_3",
     R"(type="cylinder" size=".06 .08" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="14.3142 -12.0116 -10.3853")",
     2,
     "0.035029 -0.008113 0.020528 0.037276 0.058238 0.034849 0.103042 0.006154 0.012674 0.084904 0.062433 0.029106",
     "0 2 3 0 3 1",
     true,
     {{0, -1, -0.031080845, {0.040438339, -0.008725588, 0.021558909}, {0.975687084, -0.119421596, 0.183774851}},
      {1, -1, -0.031124201, {0.040529303, -0.006723374, 0.022003779}, {0.977819542, -0.074865828, 0.195611991}}}},
    {"MeshDim2Margin_1",
     R"(type="mesh" mesh="m" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="-0.0059268 -7.7999 -14.3794")",
     2,
     "-0.032080 0.035231 -0.037642 -0.015457 0.084881 -0.041185 0.013120 0.024994 -0.045309 0.030860 0.074490 -0.055197",
     "0 2 3 0 3 1",
     true,
     {{0, -1, -0.032125595, {-0.031558911, 0.035868684, -0.043648666}, {0.084386980, 0.104861638, -0.990900033}},
      {1, -1, -0.032125630, {-0.031564607, 0.035879138, -0.043648036}, {0.084387123, 0.104861611, -0.990900023}}}},
    {"BoxDim1Margin_1",
     R"(type="box" size=".06 .05 .07" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="-1.64721 2.775 12.1707")",
     1,
     "0.041357 0.014200 0.017376 0.063649 0.009246 0.028744 0.101979 0.008840 0.028127",
     "0 1 1 2",
     true,
     {{0, -1, -0.027574090, {0.045054586, 0.014992922, 0.017173899}, {0.976377548, 0.209377424, -0.053366459}},
      {1, -1, -0.007452607, {0.057523504, 0.007932430, 0.029078805}, {0.976377548, 0.209377424, -0.053366459}}}},
    {"SphereDim1Margin_3",
     R"(type="sphere" size=".08" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="-16.1327 12.5172 7.98316")",
     1,
     "-0.025396 0.068436 0.031953 0.013664 0.057179 0.034426 0.049087 0.056268 0.044412",
     "0 1 1 2",
     true,
     {{0, -1, -0.021872969, {0.013851827, 0.057964991, 0.034899225}, {0.200566496, 0.839299743, 0.505320711}},
      {1, -1, -0.021872969, {0.013851827, 0.057964991, 0.034899225}, {0.200566496, 0.839299743, 0.505320711}}}},
    {"CapsuleDim1Margin_1",
     R"(type="capsule" size=".04 .06" margin=".002" gap=".001" friction=".6 .004 .001" solmix=".7" euler="-14.262 9.88578 14.3076")",
     1,
     "-0.064336 -0.052311 -0.035859 -0.021358 -0.060449 -0.047293 0.009241 -0.056131 -0.043201",
     "0 1 1 2",
     true,
     {{0, -1, -0.001753052, {-0.019267141, -0.051771773, -0.049182924}, {-0.229173536, -0.951088081, 0.207149591}},
      {1, -1, -0.004483760, {-0.005959331, -0.050649137, -0.046884369}, {0.106259426, -0.968087174, 0.226971713}}}},
    {"BoxDim3_2",
     R"(type="box" size=".06 .05 .07")",
     3,
     "-0.090425 0.075770 -0.069898 -0.064153 0.040967 -0.035898 -0.021348 0.076333 -0.049976 -0.095839 0.072243 -0.038748 -0.084406 -0.005381 -0.083204",
     "0 1 2 3 1 2 3 4",
     false,
     {{0, -1, -0.014317915, {-0.055440176, 0.044481062, -0.038120467}, {-0.636939684, 0.770913639, -0.000005073}},
      {1, -1, -0.024512352, {-0.050297011, 0.042512286, -0.064289776}, {-0.791681588, 0.610933927, 0.000000081}}}}
  };
  // clang-format on
  return kScenes;
}

Model modelOf(const Scene& scene) {
  const std::string contact = scene.withMargins
                                  ? R"(margin=".004" gap=".003" condim="4" friction=".3 .01 .002" solref=".03 .9" )"
                                    R"(solimp=".8 .9 .002 .4 3" solmix="2")"
                                  : "";
  return compile(readMjcfText(
      R"(<mujoco><compiler gap="outside"/><asset><mesh name="m" vertex="-.07 -.05 -.06 .07 -.06 -.05 .06 .06 -.06
         -.06 .07 -.05 0 0 .09 .05 .02 .05"/></asset><worldbody><geom )" +
      std::string(scene.geom) + R"(/><flexcomp name="f" type="direct" radius=".01" mass="1" dim=")" +
      std::to_string(scene.dim) + R"(" point=")" + scene.points + R"(" element=")" + scene.elements +
      R"("><edge equality="true"/><contact selfcollide="none" )" + contact + "/></flexcomp></worldbody></mujoco>"));
}

class FlexContactReference : public testing::TestWithParam<Scene> {};

// Closed forms agree to the nine digits of the table, the convex collider to its own tolerance of 1e-6; a normal found
// from points 1e-6 apart in position at 1e-2 distance is good to 1e-3.
TEST_P(FlexContactReference, ListsAgree) {
  const Scene& scene = GetParam();
  const Model m = modelOf(scene);
  Data d(m);
  forward(m, d);
  // edges that cross each other make contacts here that the reference has not
  const GeomType type = m.geom_type[0];
  const bool mayCross = scene.dim == 2 && (type == GeomType::Box || type == GeomType::Capsule);
  const auto crosses = [&](const Contact& c) { return mayCross && c.feature > 0; };
  d.contact.resize(std::remove_if(d.contact.begin(), d.contact.end(), crosses) - d.contact.begin());
  ASSERT_EQ(d.ncon(), static_cast<int>(scene.contacts.size()));
  const bool convex =
      scene.dim == 3 || type == GeomType::Ellipsoid || type == GeomType::Cylinder || type == GeomType::Mesh;
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& c = d.contact[i];
    const ExpectedContact& e = scene.contacts[i];
    EXPECT_EQ(c.geom, (std::array{0, -1}));
    EXPECT_EQ(c.flex, (std::array{-1, 0}));
    EXPECT_EQ(c.elem, (std::array{-1, e.elem}));
    EXPECT_EQ(c.vert, (std::array{-1, e.vert}));
    EXPECT_NEAR(c.dist, e.dist, test::tolerance(convex ? 2e-6 : 2e-9));
    EXPECT_TRUE(test::allNear(c.pos, e.pos, convex ? 1e-5 : 2e-9));
    EXPECT_TRUE(test::allNear(std::span(c.frame).first(3), e.normal, convex ? 2e-3 : 1e-8));
    EXPECT_NEAR(c.includemargin, scene.withMargins ? 0.006 : 0, test::tolerance(1e-15));
    EXPECT_EQ(c.exclude, c.dist >= c.includemargin ? ContactExclude::InGap : ContactExclude::None);
    if (!scene.withMargins) continue;
    // mixed with weights 2/2.7 and 0.7/2.7, friction by the larger
    EXPECT_EQ(c.dim, 4);
    EXPECT_TRUE(test::allNear(c.friction, std::vector{0.6, 0.6, 0.01, 0.002, 0.002}, 1e-15));
    EXPECT_TRUE(test::allNear(c.solref, std::vector{(0.7 * 0.02 + 2 * 0.03) / 2.7, (0.7 * 1 + 2 * 0.9) / 2.7}, 1e-15));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FlexContactReference, testing::ValuesIn(scenes()),
                         [](const testing::TestParamInfo<Scene>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace sinew
