#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <tuple>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"

/// Ropes of length rows that hang taut between two pins.
namespace sinew {
namespace {

using std::numbers::pi;

/// A rope of n segments and length 1.1 between pins at a distance of 1, as an arc.
std::string rope(int n, double timestep, const std::string& option, const std::string& attributes) {
  double low = 1e-9, high = 3;  // 2 R sin a = 1, 2 R a = 1.1
  for (int i = 0; i < 200; ++i) {
    const double a = 0.5 * (low + high);
    (std::sin(a) / a > 1 / 1.1 ? low : high) = a;
  }
  const double R = 0.5 / std::sin(low);
  std::string points, elements;
  for (int i = 0; i <= n; ++i) {
    const double a = low * (2.0 * i / n - 1);
    points += fmt::format("{:.17g} 0 {:.17g} ", R * std::sin(a), R * (std::cos(low) - std::cos(a)));
    if (i > 0) elements += fmt::format("{} {} ", i - 1, i);
  }
  return fmt::format(
      R"(<mujoco><option timestep="{}" {}/><worldbody><flexcomp name="rope" type="direct" dim="1" mass="0.1"
      radius="0.002" point="{}" element="{}" {}><pin id="0 {}"/><contact contype="0" conaffinity="0" selfcollide="none"/>
      </flexcomp></worldbody></mujoco>)",
      timestep, option, points, elements, attributes, n);
}

Model load(const std::string& mjcf, Warnings& warnings) { return compile(readMjcfText(mjcf), &warnings); }

double lengthAfter(const Model& m, double duration) {
  Data d(m);
  while (d.time < duration) step(m, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  forward(m, d);
  double length = 0;
  for (const double edge : d.flexedge_length) length += edge;
  return length;
}

// At 2 and 5 ms the rows of 160 segments stretch by more than anyone wants, and loading says so, how much, and the
// cure.
TEST(Rope, ROPE_1_LoadingATautRopeWarnsWithTheCure) {
  for (const double timestep : {0.002, 0.005}) {
    Warnings warnings;
    load(rope(160, timestep, "", ""), warnings);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("under its weight the rope carries about"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("a timestep up to"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("('young', with integrator=\"implicitfast\") holds it"), std::string::npos)
        << warnings[0];
    EXPECT_EQ(warnings[0].find("waves across it do not die out") != std::string::npos, timestep > 0.004) << warnings[0];
  }
}

// Rows of the impulse solver do not stretch, but waves across a taut rope run away all the same if the timestep is
// longer than they take over a segment: loading says so, and nothing where the rope rests. A rope that is straight
// between its pins carries what it carries when it has given way by an unnoticeable 0.05 %.
TEST(Rope, ROPE_1_HardRowsWarnWhereWavesDoNotDieOut) {
  const std::string impulse = R"(solver="Impulse")";
  for (const auto& [segments, timestep, warns] : {std::tuple{160, 0.005, true}, std::tuple{80, 0.005, true},
                                                  std::tuple{160, 0.002, false}, std::tuple{40, 0.005, false}}) {
    Warnings warnings;
    const Model m = load(rope(segments, timestep, impulse, ""), warnings);
    EXPECT_EQ(!warnings.empty(), warns) << segments << " " << timestep;
    Data d(m);
    while (d.time < 8) step(m, d);
    forward(m, d);
    double length = 0;
    for (const double edge : d.flexedge_length) length += edge;
    EXPECT_EQ(std::abs(length / 1.1 - 1) > 0.005, warns) << segments << " " << timestep << ": " << length;
    if (!warns) continue;
    EXPECT_NE(warnings[0].find(
                  fmt::format("at a timestep of {} s waves across it do not die out; a timestep up to ", timestep)),
              std::string::npos)
        << warnings[0];
    const double finer = std::stod(warnings[0].substr(warnings[0].find("a timestep up to ") + 17));
    warnings.clear();
    const Model calm = load(rope(segments, 0.9 * finer, impulse, ""), warnings);
    EXPECT_TRUE(warnings.empty()) << warnings[0];
    EXPECT_NEAR(lengthAfter(calm, 4), 1.1, 0.005 * 1.1) << segments << " " << timestep;
  }
  const auto straight = [&](double timestep) {
    Warnings warnings;
    compile(readMjcfText(fmt::format(R"(<mujoco><option timestep="{}" solver="Impulse"/><worldbody><flexcomp name="rope"
        type="grid" dim="1" count="81 1 1" spacing=".0125 .1 .1" mass="0.2" radius="0.003"><pin id="0 80"/>
        <contact contype="0" conaffinity="0" selfcollide="none"/></flexcomp></worldbody></mujoco>)",
                                     timestep)),
            &warnings);
    return warnings.size();
  };
  EXPECT_EQ(straight(0.002), 1u);
  EXPECT_EQ(straight(0.001), 0u);
}

// The stretch that is named is the one that comes: 40 segments at 6 ms.
TEST(Rope, ROPE_1_TheStretchIsAsPredicted) {
  Warnings warnings;
  const Model m = load(rope(40, 0.006, "", ""), warnings);
  ASSERT_EQ(warnings.size(), 1u);
  const std::size_t at = warnings[0].find("stretch by ");
  ASSERT_NE(at, std::string::npos);
  const double predicted = std::stod(warnings[0].substr(at + 11));  // percent, of the tightest segment
  const double stretch = 100 * (lengthAfter(m, 10) / 1.1 - 1);
  EXPECT_LT(stretch, 1.05 * predicted);
  EXPECT_GT(stretch, 0.6 * predicted);
}

// The two cures: the timestep that the warning names, and a material.
TEST(Rope, ROPE_1_TheCuresHold) {
  Warnings warnings;
  load(rope(40, 0.006, "", ""), warnings);
  ASSERT_EQ(warnings.size(), 1u);
  const std::size_t at = warnings[0].find("a timestep up to ");
  ASSERT_NE(at, std::string::npos);
  const double finer = std::stod(warnings[0].substr(at + 17));
  warnings.clear();
  const Model calm = load(rope(40, 0.95 * finer, "", ""), warnings);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  EXPECT_NEAR(lengthAfter(calm, 5), 1.1, 0.005 * 1.1);

  for (const double timestep : {0.002, 0.005}) {
    warnings.clear();
    const Model m =
        load(rope(160, timestep, R"(integrator="implicitfast")", R"(young="1e8" damping="0.001")"), warnings);
    EXPECT_EQ(warnings.size(), 1u);  // that a curved rod does not twist
    EXPECT_NEAR(lengthAfter(m, 5), 1.1, 0.005 * 1.1);
  }
}

}  // namespace
}  // namespace sinew
