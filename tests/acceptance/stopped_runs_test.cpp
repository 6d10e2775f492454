#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/state.h"
#include "sinew/step.h"
#include "support/archive.h"
#include "support/command.h"

/// A run that is stopped, by a signal or for good, loses nothing: it continues from its checkpoint as if it had never
/// stopped, and what it recorded can be read.
namespace sinew::test {
namespace {

using nlohmann::json;

/// Boxes that fall onto each other; each solver and each kind of state has its turn.
std::string boxes(const std::string& option, const std::string& flag = "") {
  return "<mujoco><option " + option + ">" + flag + R"(</option>
  <worldbody><geom type="plane" size="3 3 1"/>
    <body pos="0 0 .3"><freejoint name="low"/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".05 0 .6"><freejoint/><geom type="box" size=".1 .1 .1"/>
      <body pos=".2 0 0"><joint name="arm" axis="0 1 0" range="-40 40"/><geom size=".05" pos=".1 0 0"/></body></body>
  </worldbody>
  <actuator><position name="servo" joint="arm" kp="3" timeconst=".1"/></actuator>
  <sensor><jointpos name="angle" joint="arm"/><accelerometer name="acc" site="s"/></sensor></mujoco>)";
}

std::map<std::string, std::string> models() {
  const auto withSite = [](std::string text) {
    const std::string geom = R"(<geom size=".05" pos=".1 0 0"/>)";
    return text.replace(text.find(geom), geom.size(), geom + R"(<site name="s"/>)");
  };
  return {{"impulse", withSite(boxes(R"(solver="Impulse")"))},
          {"newton", withSite(boxes(R"(solver="Newton" cone="elliptic")"))},
          {"cg", withSite(boxes(R"(solver="CG" iterations="4" tolerance="0")"))},
          {"sleep", withSite(boxes(R"(timestep="0.005")", R"(<flag sleep="enable"/>)"))},
          {"cloth", R"(<mujoco><option integrator="implicitfast"/><worldbody><geom type="plane" size="2 2 1"/>
             <geom type="sphere" size=".1" pos="0 0 .1"/>
             <flexcomp name="cloth" type="grid" count="6 6 1" spacing=".05 .05 .05" pos="0 0 .25" mass=".1" dim="2"
               radius=".005"><edge equality="true" damping=".01"/></flexcomp></worldbody></mujoco>)"}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

std::string hashIn(const CommandResult& r) { return json::parse(r.out).at("state_hash"); }

TEST(StoppedRuns, SAFE_3_ResumedRunsEqualUninterruptedOnes) {
  for (const auto& [name, mjcf] : models()) {
    for (const std::string ending : {".csv", ".npz"}) {
      SCOPED_TRACE(name + ending);
      const TestFolder folder;
      const std::string model = folder.write("m.xml", mjcf), checkpoint = folder.path("c");
      const std::string whole = folder.path("whole" + ending), parts = folder.path("parts" + ending);
      const std::vector<std::string> common{"run", model, "--ctrl", "sine", "--every", "7", "--json"};
      const auto run = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        return runSinew(more);
      };
      const CommandResult reference = run({"--steps", "900", "--out", whole});
      ASSERT_EQ(reference.exitCode, 0) << reference.err;
      // twice interrupted, once between two samples
      ASSERT_EQ(run({"--steps", "300", "--out", parts, "--checkpoint", checkpoint}).exitCode, 0);
      ASSERT_EQ(run({"--steps", "701", "--out", parts, "--checkpoint", checkpoint, "--resume", checkpoint}).exitCode,
                0);
      const CommandResult last =
          runSinew({"run", model, "--steps", "900", "--out", parts, "--resume", checkpoint, "--json"});
      ASSERT_EQ(last.exitCode, 0) << last.err;
      EXPECT_EQ(hashIn(last), hashIn(reference));
      EXPECT_EQ(json::parse(last.out).at("energy_drift"), json::parse(reference.out).at("energy_drift"));
      EXPECT_TRUE(folder.read("parts" + ending) == folder.read("whole" + ending));
    }
  }
}

TEST(StoppedRuns, SAFE_3_ALaterPartInItsOwnFileFollowsTheEarlierOne) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", models()["impulse"]), checkpoint = folder.path("c");
  const auto run = [&](const std::vector<std::string>& arguments) {
    const CommandResult r = runSinew(arguments);
    EXPECT_EQ(r.exitCode, 0) << r.err;
  };
  run({"run", model, "--steps", "500", "--every", "3", "--out", folder.path("whole.csv")});
  run({"run", model, "--steps", "200", "--every", "3", "--out", folder.path("a.csv"), "--checkpoint", checkpoint});
  run({"run", model, "--steps", "500", "--resume", checkpoint, "--out", folder.path("b.csv")});
  const std::string later = folder.read("b.csv");
  EXPECT_EQ(folder.read("a.csv") + later.substr(later.find('\n') + 1), folder.read("whole.csv"));
  // what is there and belongs to another run is not touched
  const CommandResult r =
      runSinew({"run", model, "--steps", "600", "--resume", checkpoint, "--out", folder.path("whole.csv")});
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("exists and is not the trajectory that the checkpoint belongs to"), std::string::npos) << r.err;
}

TEST(StoppedRuns, SAFE_3_SignalsFinishTheStepAndWriteWhatWasAskedFor) {
  for (const auto& [signal, name] : {std::pair{SIGINT, "SIGINT"}, std::pair{SIGTERM, "SIGTERM"}}) {
    for (const std::string ending : {".csv", ".npz"}) {
      SCOPED_TRACE(name + ending);
      const TestFolder folder;
      const std::string model = folder.write("m.xml", models()["impulse"]), checkpoint = folder.path("c");
      const std::string parts = folder.path("parts" + ending);
      RunningSinew running({"run", model, "--steps", "1000000000000", "--every", "10", "--out", parts, "--checkpoint",
                            checkpoint, "--json"});
      ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(checkpoint); }));
      ASSERT_TRUE(waitUntil([&] { return std::filesystem::file_size(parts) > 20'000; }));
      running.send(signal);
      const CommandResult r = running.wait();
      EXPECT_EQ(r.exitCode, 128 + signal) << r.err;
      EXPECT_EQ(r.err, "");
      const json summary = json::parse(r.out);
      EXPECT_EQ(summary.at("stopped"), name);
      EXPECT_EQ(summary.at("status"), "ok");
      const long steps = summary.at("steps").get<long>();
      EXPECT_GT(steps, 0);

      // the same from beginning to end
      const std::string more = std::to_string(steps + 100);
      const CommandResult reference =
          runSinew({"run", model, "--steps", more, "--every", "10", "--out", folder.path("whole" + ending), "--json"});
      const CommandResult rest =
          runSinew({"run", model, "--steps", more, "--out", parts, "--resume", checkpoint, "--json"});
      ASSERT_EQ(rest.exitCode, 0) << rest.err;
      EXPECT_EQ(hashIn(rest), hashIn(reference));
      EXPECT_TRUE(folder.read("parts" + ending) == folder.read("whole" + ending));
    }
  }
}

// Ctrl-C goes to all programs of the terminal's group, also to the one that makes the film.
TEST(StoppedRuns, SAFE_3_AFilmIsCompletedWhenTheGroupIsInterrupted) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", models().begin()->second);
  const std::string command = "render '" + model + "' --size 64x48 --out ";
  for (const std::string file : {"film.gif", "film.mp4"}) {
    SCOPED_TRACE(file);
    const std::string out = "'" + folder.path(file) + "'";
    if (runShell("\"$SINEW\" " + command + out + " --duration 0.1").exitCode != 0) continue;  // no ffmpeg
    std::filesystem::remove(folder.path(file));
    const CommandResult r = runShell("setsid \"$SINEW\" " + command + out + R"( --duration 100 & group=$!
      sleep 1.5  # the shell starts this with SIGINT ignored
      kill -TERM -$group; wait $group)");
    EXPECT_EQ(r.exitCode, 143) << r.err;
    EXPECT_NE(r.out.find("film "), std::string::npos) << r.out;
    EXPECT_TRUE(std::filesystem::exists(folder.path(file)));
  }
}

TEST(StoppedRuns, SAFE_3_ASummaryIsPrintedWithoutACheckpointToo) {
  const TestFolder folder;
  const std::string out = folder.path("t.csv");
  RunningSinew running({"run", folder.write("m.xml", models()["newton"]), "--steps", "1000000000000", "--out", out});
  ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(out) && std::filesystem::file_size(out) > 5'000; }));
  running.send(SIGINT);
  const CommandResult r = running.wait();
  EXPECT_EQ(r.exitCode, 130);
  EXPECT_NE(r.out.find(" of 1000000000000 ("), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("stopped by        SIGINT\n"), std::string::npos) << r.out;
}

TEST(StoppedRuns, SAFE_3_KilledRunsLeaveAReadableTrajectoryAndContinue) {
  for (const std::string ending : {".csv", ".npz"}) {
    SCOPED_TRACE(ending);
    const TestFolder folder;
    const std::string model = folder.write("m.xml", models()["impulse"]), checkpoint = folder.path("c");
    const std::string parts = folder.path("parts" + ending), whole = folder.path("whole" + ending);
    RunningSinew running({"run", model, "--steps", "1000000000000", "--every", "20", "--ctrl", "sine", "--out", parts,
                          "--checkpoint", checkpoint, "--every-seconds", "0.5"});
    ASSERT_TRUE(
        waitUntil([&] { return std::filesystem::exists(parts) && std::filesystem::file_size(parts) > 50'000; }));
    running.send(SIGKILL);
    EXPECT_EQ(running.wait().exitCode, -1);

    const std::string bytes = folder.read("parts" + ending);
    std::vector<double> times;
    if (ending == ".npz") {
      times = doublesOf(unzip(bytes).at("time.npy"));
    } else {
      const std::vector<std::string> rows = lines(bytes.substr(0, bytes.rfind('\n') + 1));
      for (std::size_t k = 1; k < rows.size(); ++k) times.push_back(std::stod(rows[k]));
    }
    ASSERT_GT(times.size(), 10u);
    const std::string steps = std::to_string(20 * (times.size() - 1));
    ASSERT_EQ(runSinew({"run", model, "--steps", steps, "--every", "20", "--ctrl", "sine", "--out", whole}).exitCode,
              0);
    EXPECT_TRUE(bytes.substr(0, bytes.rfind('\n') + 1) == folder.read("whole.csv") ||
                bytes == folder.read("whole.npz"));

    const std::string more = std::to_string(20 * times.size() + 100'000);
    const CommandResult rest =
        runSinew({"run", model, "--steps", more, "--out", parts, "--resume", checkpoint, "--json"});
    ASSERT_EQ(rest.exitCode, 0) << rest.err;
    const CommandResult reference =
        runSinew({"run", model, "--steps", more, "--every", "20", "--ctrl", "sine", "--out", whole, "--json"});
    EXPECT_EQ(hashIn(rest), hashIn(reference));
    EXPECT_TRUE(folder.read("parts" + ending) == folder.read("whole" + ending));
    EXPECT_FALSE(std::filesystem::exists(parts + ".samples"));
  }
}

TEST(StoppedRuns, SAFE_3_RecordingNeedsNoMemory) {
  // 40 kB per sample: 160 MB in all
  const TestFolder folder;
  const std::string model = folder.write("m.xml", R"(<mujoco><worldbody><body><freejoint/><geom size=".1"/></body>
      </worldbody><sensor><user dim="5000"/></sensor></mujoco>)");
  long least = 0;
  for (const std::string out : {"", "t.npz", "t.csv"}) {
    std::vector<std::string> arguments{"run", model, "--steps", "4000"};
    if (!out.empty()) arguments.insert(arguments.end(), {"--out", folder.path(out)});
    RunningSinew running(arguments);
    ASSERT_EQ(running.wait().exitCode, 0);
    if (out.empty()) least = running.mostMemory();
    EXPECT_LT(running.mostMemory() - least, 30'000'000) << out;
  }
  EXPECT_GT(std::filesystem::file_size(folder.path("t.npz")), 4001u * 5000 * 8);
}

TEST(StoppedRuns, SAFE_3_CheckpointsOfOthersAreRefused) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", models()["impulse"]),
                    other = folder.write("o.xml", models()["newton"]);
  const std::string checkpoint = folder.path("c");
  ASSERT_EQ(runSinew({"run", model, "--steps", "20", "--checkpoint", checkpoint}).exitCode, 0);
  const auto errorOf = [&](std::vector<std::string> arguments) {
    const CommandResult r = runSinew(arguments);
    EXPECT_EQ(r.exitCode, 2);
    EXPECT_EQ(r.out, "");
    return r.err;
  };
  const std::string start = "error: " + checkpoint + ": ";
  const std::string others = errorOf({"run", "--resume", checkpoint});
  EXPECT_EQ(others.find(start + "the checkpoint belongs to another model, whose signature is "), 0u) << others;
  EXPECT_NE(others.find("; that of this one is "), std::string::npos) << others;
  const std::string changed =
      start + "the checkpoint belongs to this model with other numbers or options: the model was changed since\n";
  EXPECT_EQ(errorOf({"run", other, "--resume", checkpoint}), changed);
  EXPECT_EQ(errorOf({"run", model, "--resume", checkpoint, "--set", "timestep=0.001"}), changed);
  EXPECT_EQ(errorOf({"run", model, "--resume", checkpoint, "--steps", "19"}),
            start + "the run is at step 20 already, 19 are asked for\n");
  EXPECT_EQ(errorOf({"run", model, "--resume", folder.path("none")}),
            "error: " + folder.path("none") + ": no such file\n");
  EXPECT_EQ(errorOf({"run", model, "--resume", model}), "error: " + model + ": not a checkpoint of Sinew\n");
  EXPECT_NE(errorOf({"run", model, "--resume", "/dev/zero"}).find("expected a regular file, found a device"),
            std::string::npos);
}

TEST(StoppedRuns, SAFE_3_DamagedCheckpointsAreRefusedAndLeaveTheStateAlone) {
  const TestFolder folder;
  const Model m = compile(readMjcfText(models()["impulse"]));
  Data d(m);
  for (int i = 0; i < 300; ++i) step(m, d);
  const std::string file = folder.path("c");
  saveCheckpoint(m, d, file, "a note");
  Data other(m);
  EXPECT_EQ(loadCheckpoint(m, other, file), "a note");
  EXPECT_EQ(stateHash(m, other), stateHash(m, d));
  for (int i = 0; i < 50; ++i) {
    step(m, d);
    step(m, other);
    ASSERT_EQ(stateHash(m, other), stateHash(m, d)) << i;
  }

  const std::uint64_t before = stateHash(m, other);
  const std::string bytes = folder.read("c");
  const auto errorOf = [&](const std::string& damaged) {
    try {
      loadCheckpoint(m, other, folder.write("bad", damaged));
    } catch (const LoadError& error) {
      EXPECT_EQ(stateHash(m, other), before);
      return std::string(error.what());
    }
    return std::string("none");
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    ASSERT_NE(errorOf(damaged), "none") << "bit " << i % 8 << " of byte " << i;
  }
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{63}, bytes.size() / 2, bytes.size() - 1}) {
    ASSERT_NE(errorOf(bytes.substr(0, length)), "none") << length;
  }
  EXPECT_NE(errorOf(bytes + "x").find("there is something behind its end"), std::string::npos);
  std::string version = bytes;
  version[8] = 2;
  EXPECT_NE(errorOf(version).find("a checkpoint of version 2; this Sinew reads version 1"), std::string::npos);
  std::string middle = bytes;
  middle[bytes.size() / 2] = static_cast<char>(~middle[bytes.size() / 2]);
  EXPECT_NE(errorOf(middle).find("bad: the checkpoint is damaged: its checksum is wrong"), std::string::npos);
}

TEST(StoppedRuns, SAFE_3_CheckpointsKeepTheStatus) {
  const Model m = compile(readMjcfText(models()["newton"]));
  const TestFolder folder;
  Data d(m);
  d.ctrl[0] = std::numeric_limits<double>::quiet_NaN();
  step(m, d);
  ASSERT_FALSE(d.status.ok());
  saveCheckpoint(m, d, folder.path("c"));
  Data other(m);
  loadCheckpoint(m, other, folder.path("c"));
  EXPECT_EQ(describeStatus(m, other), describeStatus(m, d));
  const Model another = compile(readMjcfText("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"));
  Data foreign(another);
  EXPECT_THROW(saveCheckpoint(m, foreign, folder.path("c")), std::invalid_argument);
  EXPECT_THROW(loadCheckpoint(m, foreign, folder.path("c")), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
