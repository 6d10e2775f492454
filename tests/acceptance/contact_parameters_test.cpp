#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/tolerance.h"

/// Friction, priority and solmix of the one contact between a plane and a sphere that overlaps it by 1 mm.
namespace sinew {
namespace {

using test::allNear;

Contact contactBetween(const std::string& plane, const std::string& sphere, const std::string& extra = "") {
  const Spec spec = readMjcfText(R"(<mujoco><worldbody><geom name="p" type="plane" size="1 1 1" )" + plane +
                                 R"(/><body pos="0 0 0.099"><freejoint/><geom name="s" size="0.1" )" + sphere +
                                 R"(/></body></worldbody>)" + extra + "</mujoco>");
  const Model m = compile(spec);
  Data d(m);
  forward(m, d);
  EXPECT_EQ(d.ncon(), 1);
  return d.ncon() == 1 ? d.contact[0] : Contact{};
}

std::vector<double> frictionOf(const Contact& c) { return {c.friction.begin(), c.friction.end()}; }
std::vector<double> solrefOf(const Contact& c) { return {c.solref.begin(), c.solref.end()}; }
std::vector<double> solimpOf(const Contact& c) { return {c.solimp.begin(), c.solimp.end()}; }
using V = std::vector<double>;
constexpr double kExact = 1e-15;

TEST(FRICTION_AC1, EveryCoefficientIsTheLargerOfTheTwo) {
  const Contact c = contactBetween(R"(friction="0.3 0.02 0.0001")", R"(friction="0.7 0.001 0.005")");
  EXPECT_TRUE(allNear(frictionOf(c), V{0.7, 0.7, 0.02, 0.005, 0.005}, kExact));
}

TEST(FRICTION_AC4, SlidingFrictionIsNotAMean) {
  const Contact c = contactBetween(R"(friction="0.3")", R"(friction="0.7")");
  EXPECT_TRUE(allNear(frictionOf(c), V{0.7, 0.7, 0.005, 0.0001, 0.0001}, kExact));
}

// The regression that the maximum rule must not cause: a block slides the same way, bit for bit, whichever of the two
// geoms brings the friction.
TEST(FRICTION_AC3, MotionDoesNotDependOnWhichGeomBringsTheFriction) {
  const auto hashOf = [](const std::string& plane, const std::string& block) {
    const Model m = compile(readMjcfText(R"(<mujoco><worldbody><geom type="plane" size="9 9 1" friction=")" + plane +
                                         R"("/><body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"
        condim="6" friction=")" + block + R"("/></body></worldbody></mujoco>)"));
    Data d(m);
    d.qvel[0] = 2;
    d.qvel[5] = 1;
    for (int i = 0; i < 500; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok());
    return stateHash(m, d);
  };
  const std::uint64_t both = hashOf("0.4 0.01 0.001", "0.4 0.01 0.001");
  EXPECT_EQ(hashOf("0.4 0.01 0.001", "0.1 0.002 0.0001"), both);
  EXPECT_EQ(hashOf("0.1 0.002 0.0001", "0.4 0.01 0.001"), both);
  EXPECT_EQ(hashOf("0.4 0.002 0.0001", "0.1 0.01 0.001"), both);
  EXPECT_NE(hashOf("0.3 0.01 0.001", "0.3 0.01 0.001"), both);
}

TEST(FRICTION_B1, NoCoefficientIsSmallerThanOneHundredThousandth) {
  const Contact c = contactBetween(R"(friction="0 0 0")", R"(friction="0 0 0")");
  EXPECT_TRUE(allNear(frictionOf(c), V(5, 1e-5), kExact));
}

const char* const kRoughPlane = R"(friction="0.9 0.02 0.002" solref="0.05 1" condim="6" )";
const char* const kPreferredSphere =
    R"(friction="0.2 0.01 0.001" solref="0.01 0.7" solimp="0.8 0.9 0.01 0.4 3" condim="4" priority="1")";

TEST(PRIORITY_AC1, HigherPriorityDecidesEverythingAlone) {
  const Contact c = contactBetween(kRoughPlane, kPreferredSphere);
  EXPECT_TRUE(allNear(frictionOf(c), V{0.2, 0.2, 0.01, 0.001, 0.001}, kExact));
  EXPECT_TRUE(allNear(solrefOf(c), V{0.01, 0.7}, kExact));
  EXPECT_TRUE(allNear(solimpOf(c), V{0.8, 0.9, 0.01, 0.4, 3}, kExact));
  EXPECT_EQ(c.dim, 4);

  const Contact other = contactBetween(std::string(kRoughPlane) + R"( priority="2")", kPreferredSphere);
  EXPECT_TRUE(allNear(frictionOf(other), V{0.9, 0.9, 0.02, 0.002, 0.002}, kExact));
  EXPECT_TRUE(allNear(solrefOf(other), V{0.05, 1}, kExact));
  EXPECT_EQ(other.dim, 6);
}

TEST(PRIORITY_AC2, EqualPriorityIsLikeNone) {
  const Contact with = contactBetween(R"(friction="0.3" priority="3" condim="4")", R"(friction="0.7" priority="3")");
  const Contact without = contactBetween(R"(friction="0.3" condim="4")", R"(friction="0.7")");
  EXPECT_EQ(frictionOf(with), frictionOf(without));
  EXPECT_EQ(with.dim, without.dim);
  EXPECT_EQ(with.dim, 4);
}

TEST(PRIORITY_AC3, DefaultPriorityIsZero) {
  const Contact c = contactBetween(R"(friction="0.9" priority="-1")", R"(friction="0.2")");
  EXPECT_TRUE(allNear(frictionOf(c), V{0.2, 0.2, 0.005, 0.0001, 0.0001}, kExact));
}

TEST(SOLMIX_AC1, EqualWeightsGiveTheMean) {
  const Contact c = contactBetween(R"(solref="0.02 1" solimp="0.9 0.95 0.001 0.5 2")",
                                   R"(solref="0.04 0.6" solimp="0.8 0.99 0.003 0.3 4")");
  EXPECT_TRUE(allNear(solrefOf(c), V{0.03, 0.8}, kExact));
  EXPECT_TRUE(allNear(solimpOf(c), V{0.85, 0.97, 0.002, 0.4, 3}, kExact));
}

TEST(SOLMIX_AC2, WeightsOneAndTwoGiveOneThirdAndTwoThirds) {
  const Contact c = contactBetween(R"(solmix="1" solref="0.02 1" solimp="0.9 0.95 0.001 0.5 2")",
                                   R"(solmix="2" solref="0.05 0.4" solimp="0.6 0.8 0.004 0.2 5")");
  EXPECT_TRUE(allNear(solrefOf(c), V{0.04, 0.6}, kExact));
  EXPECT_TRUE(allNear(solimpOf(c), V{0.7, 0.85, 0.003, 0.3, 4}, kExact, kExact));
}

TEST(SOLMIX_AC3, ZeroWeightsShareEquallyAndOneZeroWeightGivesWay) {
  const Contact both = contactBetween(R"(solmix="0" solref="0.02 1")", R"(solmix="0" solref="0.04 0.6")");
  EXPECT_TRUE(allNear(solrefOf(both), V{0.03, 0.8}, kExact));
  const Contact one = contactBetween(R"(solmix="0" solref="0.02 1")", R"(solmix="1" solref="0.04 0.6")");
  EXPECT_TRUE(allNear(solrefOf(one), V{0.04, 0.6}, kExact));
}

TEST(SOLMIX_B1, DirectFormTakesTheSmallerNumbersWhateverTheWeights) {
  const Contact c = contactBetween(R"(solref="-1000 -20")", R"(solref="-400 -50" solmix="5")");
  EXPECT_TRUE(allNear(solrefOf(c), V{-1000, -50}, kExact));
}

TEST(SOLMIX_B2, FrictionIsNeverMixed) {
  const Contact c = contactBetween(R"(friction="0.3" solmix="9")", R"(friction="0.7")");
  EXPECT_EQ(c.friction[0], 0.7);
}

TEST(SOLMIX_AC5, WeightOneIsTheDefault) {
  const Contact with = contactBetween(R"(solref="0.02 1" solmix="1")", R"(solref="0.05 0.4" solmix="1")");
  const Contact without = contactBetween(R"(solref="0.02 1")", R"(solref="0.05 0.4")");
  EXPECT_EQ(solrefOf(with), solrefOf(without));
}

const char* const kLoudGeom =
    R"(priority="7" solmix="3" margin="0.2" friction="0.1 0.2 0.3" solref="0.5 2" condim="6")";

TEST(PRIORITY_AC4, ExplicitPairUsesItsOwnValuesOnly) {
  const Contact c =
      contactBetween(kLoudGeom, R"(margin="0.3")", R"(<contact><pair geom1="p" geom2="s" solref="0.011 0.9"
      solimp="0.7 0.8 0.002 0.5 2" friction="0.5 0.6 0.01 0.001 0.002" condim="4" margin="0.01" gap="0.005"/></contact>)");
  EXPECT_TRUE(allNear(frictionOf(c), V{0.5, 0.6, 0.01, 0.001, 0.002}, kExact));
  EXPECT_TRUE(allNear(solrefOf(c), V{0.011, 0.9}, kExact));
  EXPECT_TRUE(allNear(solimpOf(c), V{0.7, 0.8, 0.002, 0.5, 2}, kExact));
  EXPECT_EQ(c.dim, 4);
  EXPECT_NEAR(c.includemargin, 0.005, kExact);
}

TEST(SOLMIX_AC4, BarePairUsesThePairDefaultsWhateverTheGeomsSay) {
  const Contact c = contactBetween(kLoudGeom, "", R"(<contact><pair geom1="p" geom2="s"/></contact>)");
  EXPECT_TRUE(allNear(frictionOf(c), V{1, 1, 0.005, 0.0001, 0.0001}, kExact));
  EXPECT_TRUE(allNear(solrefOf(c), V{0.02, 1}, kExact));
  EXPECT_TRUE(allNear(solimpOf(c), V{0.9, 0.95, 0.001, 0.5, 2}, kExact));
  EXPECT_EQ(c.dim, 3);
  EXPECT_EQ(c.includemargin, 0);
}

TEST(PRIORITY_B1, ContactAttributesAreInheritedFromDefaultClasses) {
  const Spec spec = readMjcfText(R"(<mujoco><default><geom priority="2" solmix="3" margin="0.01" gap="0.002"/></default>
      <worldbody><geom size="1"/></worldbody></mujoco>)");
  const Model m = compile(spec);
  EXPECT_EQ(m.geom_priority[0], 2);
  EXPECT_EQ(m.geom_solmix[0], 3);
  EXPECT_EQ(m.geom_margin[0], 0.01);
  EXPECT_EQ(m.geom_gap[0], 0.002);
}

}  // namespace
}  // namespace sinew
