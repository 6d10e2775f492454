#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sinew/load.h"
#include "sinew/step.h"

/// More contacts than memory allows are a status that names the pair, never an exception.
namespace sinew {
namespace {

Model boxOnField(int cells) {
  return compile(readMjcfText(fmt::format(
      R"(<mujoco><asset><hfield name="h" nrow="{0}" ncol="{0}" size="1 1 1 1"/></asset><worldbody>
         <geom name="ground" type="hfield" hfield="h"/>
         <body pos="0 0 .4999"><freejoint/><geom name="crate" type="box" size="1 1 .5"/></body></worldbody></mujoco>)",
      cells)));
}

TEST(ContactLimit, ABoxOnAFineHeightFieldKeepsASpreadAndNamesThePair) {
  const Model m = boxOnField(121);  // 28,800 prisms
  Data d(m);
  for (int i = 0; i < 3; ++i) step(m, d);
  EXPECT_LE(d.contact.size(), 10000);
  EXPECT_GT(d.contact.size(), 5000);
  const TroubleReport& report = d.status[Trouble::ContactLimit];
  EXPECT_EQ(report.count, 3);
  EXPECT_EQ(report.collider, (std::array<int, 2>{0, 1}));
  EXPECT_GT(report.value, 20000);
  const std::string text = describeStatus(m, d);
  EXPECT_NE(text.find("geom \"ground\" and geom \"crate\" make 28"), std::string::npos) << text;
  EXPECT_NE(text.find("contacts, more than memory allows; the deepest ones were kept"), std::string::npos) << text;
  // spread: the box neither tips nor sinks
  EXPECT_NEAR(d.qpos[2], 0.4999, 1e-3);
  EXPECT_NEAR(std::abs(d.qpos[3]), 1, 1e-9);
}

TEST(ContactLimit, IsSilentBelow) {
  const Model m = boxOnField(61);  // 7,200 prisms
  Data d(m);
  for (int i = 0; i < 3; ++i) step(m, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  EXPECT_GT(d.contact.size(), 5000);
}

}  // namespace
}  // namespace sinew
