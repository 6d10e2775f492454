#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.h"

namespace sinew::test {
namespace {

using nlohmann::json;

constexpr const char* kTwoLegs = R"(<mujoco model="two legs">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="hips">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.2 0.1" mass="3"/>
      <body name="left" pos="0 0.1 0">
        <joint name="left_hip" axis="0 1 0" limited="true" range="-40 40"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="1.5"/>
      </body>
      <body name="right" pos="0 -0.1 0">
        <joint name="right_hip" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.03" mass="1.5"/>
      </body>
    </body>
  </worldbody>
  <actuator> <motor name="walk" joint="left_hip"/> </actuator>
  <sensor> <gyro name="turn" site="s"/> </sensor>
</mujoco>
)";

std::string twoLegs(const TestFolder& folder) {
  std::string text = kTwoLegs;
  text.replace(text.find("<freejoint"), 0, "<site name=\"s\"/> ");
  return folder.write("legs.xml", text);
}

TEST(CliInfo, DrawsTheTreeWithMassesAndJoints) {
  const TestFolder folder;
  const CommandResult r = runSinew({"info", twoLegs(folder)});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  EXPECT_NE(r.out.find("  world  1 geom\n"
                       "  └─ hips  3 kg  free root  1 geom\n"
                       "     ├─ left  1.5 kg  hinge left_hip  1 geom\n"
                       "     └─ right  1.5 kg  hinge right_hip  1 geom\n"),
            std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("mass 6 kg"), std::string::npos);
  EXPECT_NE(r.out.find("1 joint limit, contacts"), std::string::npos);
}

TEST(CliInfo, JsonTellsSizesUsesAndNames) {
  const TestFolder folder;
  const CommandResult r = runSinew({"info", twoLegs(folder), "--json"});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  const json info = json::parse(r.out);
  EXPECT_EQ(info.at("model"), "two legs");
  EXPECT_EQ(info.at("sizes").at("nq"), 9);
  EXPECT_EQ(info.at("sizes").at("nv"), 8);
  EXPECT_EQ(info.at("uses").at("joints"), json({{"free", 1}, {"hinge", 2}}));
  EXPECT_EQ(info.at("uses").at("sensors"), json({{"gyro", 1}}));
  EXPECT_EQ(info.at("actuators"), json({"walk"}));
  EXPECT_EQ(info.at("bodies").at(2).at("parent"), 1);
}

TEST(CliInfo, AnyArrayCanBePrinted) {
  const TestFolder folder;
  const std::string model = twoLegs(folder);
  const CommandResult text = runSinew({"info", model, "--array", "body_mass"});
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_NE(text.out.find("     1  3  (body \"hips\")\n"), std::string::npos) << text.out;
  const CommandResult array = runSinew({"info", model, "--array", "dof_jntid", "--json"});
  EXPECT_EQ(json::parse(array.out).at("values"), json({0, 0, 0, 0, 0, 0, 1, 2}));
  const CommandResult unknown = runSinew({"info", model, "--array", "body_weight"});
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_NE(unknown.err.find("there is no array 'body_weight'; choose from qpos0"), std::string::npos);
}

TEST(CliInfo, TellsWhatFlexesAreMadeOf) {
  const TestFolder folder;
  const std::string model = folder.write(
      "soft.xml",
      "<mujoco><worldbody><flexcomp name=\"rope\" type=\"grid\" dim=\"1\" count=\"4 1 1\" spacing=\"1 1 1\" mass=\"4\">"
      "<edge equality=\"true\"/><pin id=\"0\"/></flexcomp><flexcomp name=\"cube\" dim=\"3\" count=\"2 2 2\" "
      "spacing=\"1 1 1\" mass=\"2\"><elasticity young=\"1e4\" law=\"stvk\"/></flexcomp></worldbody></mujoco>");
  const CommandResult text = runSinew({"info", model});
  ASSERT_EQ(text.exitCode, 0) << text.err;
  EXPECT_NE(text.out.find("\nflexes\n  rope  cable  4 vertices, 3 elements, 3 free nodes  3 kg  length rows\n"
                          "  cube  solid  8 vertices, 6 elements, 8 free nodes  2 kg  law stvk\n"),
            std::string::npos)
      << text.out;
  const json flexes = json::parse(runSinew({"info", model, "--json"}).out).at("flexes");
  EXPECT_EQ(flexes.at(0).at("held"), json({"length rows"}));
  EXPECT_EQ(flexes.at(1).at("nodes"), 8);
}

TEST(CliRun, NamesTheConstraintsInUse) {
  const TestFolder folder;
  const std::string model = twoLegs(folder);
  const CommandResult r = runSinew({"run", model, "--steps", "1"});
  EXPECT_EQ(r.exitCode, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_NE(r.out.find("1 joint limit, contacts"), std::string::npos) << r.out;
  const CommandResult without = runSinew({"run", model, "--steps", "1", "--disable", "constraint,contact"});
  EXPECT_NE(without.out.find("none in use"), std::string::npos) << without.out;
}

TEST(CliRun, CountsTheContactsOfFlexesAmongThem) {
  const TestFolder folder;
  const auto inUse = [&](const std::string& floor, const std::string& contact) {
    const std::string model = folder.write("cloth.xml", "<mujoco><worldbody>" + floor +
                                                            "<flexcomp name=\"c\" count=\"3 3 1\" dim=\"2\" "
                                                            "spacing=\"1 1 1\"><edge damping=\"1\"/><contact " +
                                                            contact + "/></flexcomp></worldbody></mujoco>");
    return runSinew({"run", model, "--steps", "1"}).out.find("contacts;") != std::string::npos;
  };
  const std::string floor = "<geom type=\"plane\" size=\"1 1 1\"/>";
  EXPECT_TRUE(inUse(floor, "selfcollide=\"none\""));
  EXPECT_FALSE(inUse("", "selfcollide=\"none\""));
  EXPECT_TRUE(inUse("", "selfcollide=\"auto\""));
  EXPECT_FALSE(inUse(floor, "contype=\"0\" conaffinity=\"0\""));
}

TEST(CliBench, GivesTimesAndAHashThatRepeats) {
  const auto measure = [] { return runSinew({"bench", "--warmup", "5", "--steps", "5", "--rounds", "2", "--json"}); };
  const CommandResult first = measure();
  const CommandResult second = measure();
  ASSERT_EQ(first.exitCode, 0) << first.err;
  const json a = json::parse(first.out).at("models");
  const json b = json::parse(second.out).at("models");
  ASSERT_GE(a.size(), 3u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_GT(a[i].at("us_per_step").get<double>(), 0);
    EXPECT_EQ(a[i].at("reproducible"), true);
    EXPECT_EQ(a[i].at("state_hash"), b[i].at("state_hash"));
  }
}

}  // namespace
}  // namespace sinew::test
