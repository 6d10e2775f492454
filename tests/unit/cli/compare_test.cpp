#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.h"

// `sinew compare` against traces written here by hand, from closed forms: what agrees, what differs, and how it says
// so.
namespace sinew::test {
namespace {

using nlohmann::json;

/// Two blocks on slides that cross at right angles; the second has a motor with gear 3.
constexpr const char* kBlocks = R"(<mujoco model="blocks">
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <body name="lower">
      <joint name="x" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/>
      <body name="upper" pos="0 0 1">
        <joint name="y" type="slide" axis="0 1 0"/>
        <geom type="sphere" size="0.1" mass="4" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator> <motor name="push" joint="y" gear="3"/> </actuator>
</mujoco>
)";

/// The trace of two states of kBlocks with zero control, moving with the velocities 0.1 sin(1 + i).
json blocksTrace() {
  const double v0 = 0.1 * std::sin(1.0), v1 = 0.1 * std::sin(2.0), h = 0.01;
  const auto sample = [&](int step) {
    return json{{"step", step},
                {"time", step * h},
                {"qpos", {step * h * v0, step * h * v1}},
                {"qvel", {v0, v1}},
                {"xpos", {0, 0, 0, step * h * v0, 0, 0, step * h * v0, step * h * v1, 1}},
                {"M", {6, 0, 4}},
                {"moment_rownnz", {1}},
                {"moment_rowadr", {0}},
                {"moment_colind", {1}},
                {"actuator_moment", {3}},
                {"qfrc_bias", {0, 0}},
                {"qacc", {0, 0}},
                {"energy", {0, 0.5 * (6 * v0 * v0 + 4 * v1 * v1)}}};
  };
  return json{{"format", "sinew-trace-1"},
              {"version", "3.12.0"},
              {"settings",
               {{"ctrl", "zero"},
                {"qvel", "sine"},
                {"applied", "none"},
                {"key", -1},
                {"set", json::array()},
                {"smooth", true}}},
              {"opt_compiled", {{"timestep", h}, {"gravity", {0, 0, 0}}, {"integrator", 0}}},
              {"stat", json::object()},
              {"sizes", {{"nq", 2}, {"nv", 2}, {"nbody", 3}, {"nu", 1}}},
              {"names", {{"body", {"world", "lower", "upper"}}, {"jnt", {"x", "y"}}}},
              {"constants",
               {{"body_mass", {0, 2, 4}},
                {"body_subtreemass", {6, 6, 4}},
                {"body_parentid", {0, 0, 1}},
                {"M_rownnz", {1, 2}},
                {"M_rowadr", {0, 1}},
                {"M_colind", {0, 0, 1}}}},
              {"samples", {sample(0), sample(10)}}};
}

class CliCompare : public testing::Test {
 protected:
  CommandResult compare(const json& trace, std::vector<std::string> options = {}) const {
    std::vector<std::string> arguments{"compare", folder_.write("blocks.xml", kBlocks),
                                       folder_.write("trace.json", trace.dump())};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return runSinew(arguments);
  }
  TestFolder folder_;
};

TEST_F(CliCompare, AgreesWithTheClosedForm) {
  const CommandResult r = compare(blocksTrace(), {"--verbose"});
  EXPECT_EQ(r.exitCode, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("\nworst "), std::string::npos);
  EXPECT_EQ(r.out.find("first difference"), std::string::npos);
}

TEST_F(CliCompare, NamesTheFirstFieldThatDiffersByStage) {
  json trace = blocksTrace();
  trace["samples"][1]["xpos"][7] = 0.5;
  trace["samples"][1]["energy"][1] = 100;
  const CommandResult r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.out.find("first difference at step 10, kinematics: xpos[2][1] (body \"upper\") is "), std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("worst energy 1 at step 10\n"), std::string::npos) << r.out;
}

TEST_F(CliCompare, CompiledConstantsComeFirst) {
  json trace = blocksTrace();
  trace["constants"]["body_mass"][2] = 4 * (1 + 1e-8);
  trace["samples"][0]["qacc"][0] = 1;
  const CommandResult r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(
      r.out.find("first difference in the compiled model, compile: body_mass[2] (body \"upper\") is 4, reference "),
      std::string::npos)
      << r.out;
}

TEST_F(CliCompare, ToleranceDecides) {
  json trace = blocksTrace();
  trace["samples"][1]["qvel"][0] = 0.1 * std::sin(1.0) + 1e-8;
  EXPECT_EQ(compare(trace).exitCode, 1);
  EXPECT_EQ(compare(trace, {"--tol", "1e-6"}).exitCode, 0);
}

TEST_F(CliCompare, SparseArraysAreComparedByEntryNotByPlace) {
  json trace = blocksTrace();
  // the same moment arm, stored with a zero before it
  for (json& sample : trace["samples"]) {
    sample["moment_rownnz"] = {2};
    sample["moment_colind"] = {0, 1};
    sample["actuator_moment"] = {0, 3};
  }
  EXPECT_EQ(compare(trace).exitCode, 0);
  trace["samples"][0]["actuator_moment"] = {3, 0};
  const CommandResult r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.out.find("actuator_moment[0]["), std::string::npos) << r.out;
}

TEST_F(CliCompare, SizesNamesAndOptionsAreCompared) {
  json trace = blocksTrace();
  trace["sizes"]["nv"] = 3;
  CommandResult r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.out.find("nv is 2, reference 3"), std::string::npos) << r.out;

  trace = blocksTrace();
  trace["names"]["jnt"][1] = "z";
  r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.out.find("jnt 1 is \"y\", reference \"z\""), std::string::npos) << r.out;

  trace = blocksTrace();
  trace["opt_compiled"]["integrator"] = 1;
  r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.out.find("opt.integrator is Euler, reference RK4"), std::string::npos) << r.out;
}

TEST_F(CliCompare, NumbersThatAreNotFiniteMatchOnlyEachOther) {
  json trace = blocksTrace();
  trace["samples"][1]["qvel"][0] = nullptr;
  const CommandResult r = compare(trace);
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.out.find("reference nan"), std::string::npos) << r.out;
}

TEST_F(CliCompare, JsonReportNamesFirstAndWorst) {
  json trace = blocksTrace();
  trace["samples"][0]["qpos"][1] = 1;
  const CommandResult r = compare(trace, {"--json"});
  EXPECT_EQ(r.exitCode, 1);
  const json report = json::parse(r.out);
  EXPECT_EQ(report.at("agrees"), false);
  EXPECT_EQ(report.at("first").at("field"), "qpos");
  EXPECT_EQ(report.at("first").at("step"), 0);
  EXPECT_EQ(report.at("worst").at("field"), "qpos");
}

TEST_F(CliCompare, BadTracesGiveStatusTwo) {
  json failed = {{"error", "no such mesh"}, {"error_stage", "load"}};
  CommandResult r = compare(failed);
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("the reference engine failed: no such mesh"), std::string::npos);
  r = compare(json::array());
  EXPECT_EQ(r.exitCode, 2);
  json constrained = blocksTrace();
  constrained["settings"]["smooth"] = false;
  r = compare(constrained, {"--smooth"});
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("--smooth, but the trace was made with constraints"), std::string::npos);
  r = runSinew({"compare", folder_.path("blocks.xml"), folder_.path("none.json")});
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("none.json: no such file"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace sinew::test
