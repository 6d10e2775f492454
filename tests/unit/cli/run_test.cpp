#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/archive.h"
#include "support/command.h"
#include "support/piles.h"
#include "support/tolerance.h"

// The command as a script uses it: exit codes, what goes to which stream, what is in the files it writes.
namespace sinew::test {
namespace {

using nlohmann::json;

/// One slide without gravity, pushed by a motor: x = F t^2 / 2 m for constant control.
constexpr const char* kSlider = R"(<mujoco model="slider">
  <option timestep="0.01" gravity="0 0 0"/>
  <worldbody>
    <body name="block">
      <joint name="slide" type="slide" axis="1 0 0"/>
      <geom type="sphere" size="0.1" mass="2" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <actuator> <motor name="push" joint="slide" gear="1"/> </actuator>
  <sensor> <jointpos joint="slide"/> <jointvel joint="slide"/> </sensor>
  <keyframe> <key name="moving" qpos="1" qvel="3" ctrl="0.5"/> </keyframe>
</mujoco>
)";

std::vector<std::vector<std::string>> parseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(CliRun, DemoSceneRunsWithoutAModel) {
  const CommandResult r = runSinew({"run", "--steps", "50"});
  EXPECT_EQ(r.exitCode, 0) << r.err;
  EXPECT_NE(r.out.find("demo scene"), std::string::npos);
  EXPECT_NE(r.out.find("real-time factor"), std::string::npos);
  EXPECT_EQ(r.err, "");
}

TEST(CliRun, DurationIsCountedInTimeSteps) {
  const TestFolder folder;
  const CommandResult r = runSinew({"run", folder.write("m.xml", kSlider), "--duration", "0.5", "--json"});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  const json summary = json::parse(r.out);
  EXPECT_EQ(summary.at("steps"), 50);
  EXPECT_EQ(summary.at("status"), "ok");
  EXPECT_GT(summary.at("steps_per_second").get<double>(), 0);
}

// The first frame is taken before any step.
TEST(CliRun, FramesOfAReplayDoNotCountAsTimeOfTheRun) {
  const TestFolder folder;
  const CommandResult r =
      runSinew({"run", folder.write("m.xml", kSlider), "--steps", "1", "--html", folder.path("m.html"), "--json"});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  EXPECT_GT(json::parse(r.out).at("wall_seconds").get<double>(), 0);
}

TEST(CliRun, ThreadsDoNotChangeTheState) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", test::stacks(8, 6));
  std::vector<std::string> hashes;
  for (const char* threads : {"1", "3"}) {
    const CommandResult r = runSinew({"run", model, "--steps", "50", "--threads", threads, "--json"});
    ASSERT_EQ(r.exitCode, 0) << r.err;
    hashes.push_back(json::parse(r.out).at("state_hash"));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(runSinew({"run", model, "--threads", "0"}).exitCode, 2);
}

TEST(CliRun, BadStateIsBlamedOnAForceByName) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", R"(<mujoco><worldbody><body name="cart">
      <joint name="rail" type="slide"/><geom size=".1"/></body></worldbody>
      <actuator><motor joint="rail" gear="1e15"/></actuator></mujoco>)");
  const CommandResult r = runSinew({"run", model, "--steps", "1", "--ctrl", folder.write("c.csv", "0,1\n")});
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.err.find(R"(joint "rail" of body "cart")"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("largest force there: actuator, 1e+15"), std::string::npos) << r.err;
}

TEST(CliRun, KeyframeIsFoundByNameAndByIndex) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kSlider);
  for (const char* key : {"moving", "0"}) {
    const CommandResult r = runSinew({"run", model, "--key", key, "--steps", "0", "--out", folder.path("t.csv")});
    ASSERT_EQ(r.exitCode, 0) << r.err;
    const auto rows = parseCsv(folder.read("t.csv"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[1][1], "1");
    EXPECT_EQ(rows[1][2], "3");
  }
}

TEST(CliRun, UnknownKeyframeIsAnErrorThatListsTheOnesThereAre) {
  const TestFolder folder;
  const CommandResult r = runSinew({"run", folder.write("m.xml", kSlider), "--key", "7"});
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_EQ(r.err, "error: there is no keyframe '7'; the model has moving\n");
  EXPECT_EQ(r.out, "");
}

TEST(CliRun, CsvHasOneLinePerSampleAndBelongsToOneState) {
  const TestFolder folder;
  const CommandResult r = runSinew({"run", folder.write("m.xml", kSlider), "--key", "moving", "--ctrl", "keep",
                                    "--steps", "10", "--every", "5", "--out", folder.path("t.csv")});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  const auto rows = parseCsv(folder.read("t.csv"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"time", "qpos[slide]", "qvel[slide]", "ctrl[push]", "sensordata[0]",
                                               "sensordata[1]", "energy[potential]", "energy[kinetic]"}));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    std::vector<double> x;
    for (const std::string& cell : rows[k]) x.push_back(std::stod(cell));
    // semi-implicit Euler under constant force: v_n = v_0 + n h a, x_n = x_0 + n h v_0 + h^2 a n (n + 1) / 2
    const double n = 5.0 * static_cast<double>(k - 1), h = 0.01, a = 0.5 / 2;
    EXPECT_NEAR(x[0], n * h, tolerance(1e-14));
    EXPECT_NEAR(x[1], 1 + n * h * 3 + h * h * a * n * (n + 1) / 2, tolerance(1e-13));
    EXPECT_NEAR(x[2], 3 + n * h * a, tolerance(1e-13));
    EXPECT_EQ(x[3], 0.5);
    EXPECT_EQ(x[4], x[1]);
    EXPECT_EQ(x[5], x[2]);
    EXPECT_NEAR(x[7], x[2] * x[2], tolerance(1e-12));  // m v^2 / 2 with m = 2
  }
}

TEST(CliRun, ControlsFromAFileHoldUntilTheNextRow) {
  const TestFolder folder;
  const std::string controls = folder.write("c.csv", "time,push\n0.02, 4\n0.05, -1\n");
  const CommandResult r = runSinew(
      {"run", folder.write("m.xml", kSlider), "--ctrl", controls, "--steps", "6", "--out", folder.path("t.csv")});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  const auto rows = parseCsv(folder.read("t.csv"));
  std::vector<std::string> applied;
  for (std::size_t k = 1; k < rows.size(); ++k) applied.push_back(rows[k][3]);
  EXPECT_EQ(applied, (std::vector<std::string>{"0", "0", "4", "4", "4", "-1", "-1"}));
}

TEST(CliRun, BadControlFilesAreNamedWithTheirLine) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kSlider);
  const auto errorOf = [&](const std::string& text) {
    const CommandResult r = runSinew({"run", model, "--ctrl", folder.write("c.csv", text)});
    EXPECT_EQ(r.exitCode, 2);
    return r.err;
  };
  EXPECT_NE(errorOf("0,1\n1,2,3\n").find("c.csv:2: expected the time and 1 controls, found 3 numbers"),
            std::string::npos);
  EXPECT_NE(errorOf("0,1\nx,2\n").find("c.csv:2: expected numbers, found 'x,2'"), std::string::npos);
  EXPECT_NE(errorOf("1,1\n0,2\n").find("c.csv:2: time 0 is not after 1"), std::string::npos);
  EXPECT_NE(errorOf("time,push\n").find("no controls in it"), std::string::npos);
}

TEST(CliRun, OptionsCanBeOverridden) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kSlider);
  const CommandResult r = runSinew({"run", model, "--steps", "10", "--set", "timestep=0.1", "--json"});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  EXPECT_NEAR(json::parse(r.out).at("simulated_seconds").get<double>(), 1, tolerance(1e-15));

  const auto errorOf = [&](const std::string& option, const std::string& value) {
    const CommandResult bad = runSinew({"run", model, option, value});
    EXPECT_EQ(bad.exitCode, 2);
    return bad.err;
  };
  EXPECT_EQ(errorOf("--set", "gravity=1:2"), "error: option 'gravity' needs 3 numbers separated by ':', found '1:2'\n");
  EXPECT_EQ(errorOf("--set", "integrator=Heun"),
            "error: option 'integrator' needs one of Euler, RK4, implicit, implicitfast, midpoint, found 'Heun'\n");
  EXPECT_NE(errorOf("--set", "speed=1").find("there is no option 'speed'; choose from timestep"), std::string::npos);
  EXPECT_NE(errorOf("--set", "timestep").find("--set needs NAME=VALUE"), std::string::npos);
  EXPECT_NE(errorOf("--disable", "friction").find("'friction' is nothing to disable; choose from constraint"),
            std::string::npos);
}

TEST(CliRun, TakesEverySolverAndIntegrator) {
  const TestFolder folder;
  const std::string model =
      folder.write("ball.xml",
                   "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 .1\"><freejoint/><geom "
                   "size=\".1\"/></body></worldbody></mujoco>");
  for (const char* setting :
       {"solver=PGS", "solver=CG", "solver=Newton", "solver=Impulse", "integrator=Euler", "integrator=RK4",
        "integrator=implicit", "integrator=implicitfast", "integrator=midpoint"}) {
    const CommandResult r = runSinew({"run", model, "--steps", "2", "--set", setting});
    EXPECT_EQ(r.exitCode, 0) << setting << ": " << r.err;
  }
}

TEST(CliRun, DisablingActuationKeepsTheMotorStill) {
  const TestFolder folder;
  const CommandResult r = runSinew({"run", folder.write("m.xml", kSlider), "--ctrl", "sine", "--disable",
                                    "actuation,gravity", "--steps", "20", "--out", folder.path("t.csv")});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  EXPECT_EQ(parseCsv(folder.read("t.csv")).back()[1], "0");
}

TEST(CliRun, NonFiniteControlsGiveStatusOneAndAMessage) {
  const TestFolder folder;
  const CommandResult r =
      runSinew({"run", folder.write("m.xml", kSlider), "--ctrl", folder.write("c.csv", "0,nan\n"), "--steps", "3"});
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.err.find("error: "), std::string::npos);
  EXPECT_NE(r.out.find("status"), std::string::npos);
}

TEST(CliRun, MissingAndBrokenModelsGiveStatusTwoOnStandardError) {
  const TestFolder folder;
  for (const std::string& model : {folder.path("none.xml"), folder.write("broken.xml", "<mujoco><worldbody></mujoco>"),
                                   folder.write("empty.xml", "")}) {
    const CommandResult r = runSinew({"run", model});
    EXPECT_EQ(r.exitCode, 2) << model;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err.rfind("error: ", 0), 0u) << r.err;
  }
}

TEST(CliRun, WithoutArgumentsTheCommandSaysWhatToDoNext) {
  const CommandResult r = runSinew({});
  EXPECT_EQ(r.exitCode, 0);
  EXPECT_EQ(r.err, "");
  for (const char* next :
       {"sinew demo", "sinew view MODEL.xml", "sinew run MODEL.xml", "sinew render MODEL.xml --out"}) {
    EXPECT_NE(r.out.find(next), std::string::npos) << next;
  }
}

TEST(CliRun, WrongUsageGivesStatusTwo) {
  EXPECT_EQ(runSinew({"dance"}).exitCode, 2);
  EXPECT_EQ(runSinew({"run", "--steps", "-1"}).exitCode, 2);
  EXPECT_EQ(runSinew({"run", "--steps", "1", "--duration", "1"}).exitCode, 2);
  EXPECT_EQ(runSinew({"run", "--steps", "1", "--out", "trajectory.txt"}).exitCode, 2);
  EXPECT_EQ(runSinew({"run", "--gap", "sideways"}).exitCode, 2);
}

TEST(CliRun, HelpAndVersionGoToStandardOutput) {
  for (const char* option : {"--help", "--version"}) {
    const CommandResult r = runSinew({option});
    EXPECT_EQ(r.exitCode, 0);
    EXPECT_NE(r.out, "");
    EXPECT_EQ(r.err, "");
  }
}

TEST(CliRun, FileThatCannotBeWrittenGivesStatusOne) {
  const CommandResult r = runSinew({"run", "--steps", "1", "--out", "/nowhere/at/all.csv"});
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_EQ(r.err, "error: cannot write '/nowhere/at/all.csv': No such file or directory\n");
}

// ------------------------------------------------------------------------------------------------ npz

TEST(CliRun, NpzHoldsTheSameNumbersAsTheCsv) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", kSlider);
  for (const char* file : {"t.csv", "t.npz"}) {
    const CommandResult r =
        runSinew({"run", model, "--ctrl", "sine", "--steps", "30", "--every", "10", "--out", folder.path(file)});
    ASSERT_EQ(r.exitCode, 0) << r.err;
  }
  const auto rows = parseCsv(folder.read("t.csv"));
  const auto files = unzip(folder.read("t.npz"));
  const std::vector<std::string> names{"time", "qpos", "qvel", "act", "ctrl", "sensordata", "energy"};
  ASSERT_EQ(files.size(), 2 * names.size() - 1);  // all but the time have names

  std::vector<std::vector<double>> columns(rows[0].size());
  for (std::size_t k = 1; k < rows.size(); ++k) {
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].push_back(std::stod(rows[k][c]));
  }
  std::size_t column = 0;
  for (const std::string& name : names) {
    const std::string& npy = files.at(name + ".npy");
    EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::uint32_t headerLength = littleEndian(npy, 8, 2);
    EXPECT_EQ((10 + headerLength) % 64, 0u);
    const std::string header = npy.substr(10, headerLength);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_NE(header.find("'descr': '<f8'"), std::string::npos);
    EXPECT_NE(header.find("'fortran_order': False"), std::string::npos);
    std::size_t width = 0;
    for (const std::string& heading : rows[0]) width += heading.substr(0, heading.find('[')) == name ? 1 : 0;
    const std::string shape = name == "time" ? "(4,)" : "(4, " + std::to_string(width) + ")";
    EXPECT_NE(header.find("'shape': " + shape), std::string::npos) << header;
    std::vector<double> values((npy.size() - 10 - headerLength) / sizeof(double));
    ASSERT_EQ(values.size(), 4 * width);
    if (width > 0) std::memcpy(values.data(), npy.data() + 10 + headerLength, values.size() * sizeof(double));
    for (std::size_t c = 0; c < width; ++c, ++column) {
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(values[k * width + c], columns[column][k]) << name;
    }
  }
  EXPECT_EQ(column, columns.size());
}

}  // namespace
}  // namespace sinew::test
