#include "support/command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/archive.h"
#include "support/paths.h"

#ifdef SINEW_TEST_HDF5
#include <hdf5.h>
#endif

// `sinew rollout` as a script uses it.
namespace sinew::test {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

const char* const kModel = R"(<mujoco model="rollout"><option timestep="0.005"/>
  <worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.8"/>
    <body name="box" pos="0 0 .15"><freejoint name="root"/><geom name="box" type="box" size=".1 .1 .1" friction=".1"/></body>
    <body name="arm" pos="1 0 1"><joint name="hinge" axis="0 1 0" damping=".1"/>
      <geom name="rod" type="capsule" size=".03" fromto="0 0 0 .4 0 0"/></body>
  </worldbody>
  <actuator><motor name="push" joint="hinge" ctrlrange="-1 1"/><position name="servo" joint="hinge" kp="3"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="up" qpos="0 0 .2 1 0 0 0 .5" ctrl=".1 .2"/></keyframe>
</mujoco>)";

/// The values of an array of any type of this size.
template <class T>
std::vector<T> valuesOf(const std::string& npy) {
  const std::size_t start = 10 + littleEndian(npy, 8, 2);
  std::vector<T> values((npy.size() - start) / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), npy.data() + start, values.size() * sizeof(T));
  return values;
}

class RolloutCommand : public ::testing::Test {
 protected:
  RolloutCommand() { model_ = folder_.write("model.xml", kModel); }

  std::string path(const std::string& name) const { return folder_.path(name); }
  CommandResult rollout(Strings arguments) const {
    arguments.insert(arguments.begin(), "rollout");
    return runSinew(arguments);
  }
  /// The files of the merged results of a folder.
  std::map<std::string, std::string> merged(const std::string& name) const { return unzip(mergedBytes(name)); }
  std::string mergedBytes(const std::string& name, const std::string& ending = ".npz") const {
    const CommandResult r = rollout({"--merge", path(name), path(name + ending)});
    EXPECT_EQ(r.exitCode, 0) << r.err;
    return folder_.read(name + ending);
  }
  /// Numbers of the chunks that are complete.
  std::set<std::string> chunks(const std::string& name) const {
    std::set<std::string> found;
    std::error_code error;
    for (const auto& e : fs::directory_iterator(path(name + "/chunks"), error)) {
      if (e.path().extension() == ".npz") found.insert(e.path().stem().string());
    }
    return found;
  }
  /// How often each chunk was computed, as the logs say.
  std::map<std::int64_t, int> computed(const std::string& name) const {
    std::map<std::int64_t, int> counts;
    for (const auto& e : fs::directory_iterator(path(name + "/logs"))) {
      std::ifstream in(e.path());
      for (std::string line; std::getline(in, line);) {
        const auto j = nlohmann::json::parse(line, nullptr, false);
        if (j.is_object() && j.contains("chunk")) ++counts[j["chunk"].get<std::int64_t>()];
      }
    }
    return counts;
  }

  TestFolder folder_;
  std::string model_;
};

bool hasMpi() {
  return fs::exists(cliPath().parent_path() / "sinew-mpi") && std::system("mpirun --version >/dev/null 2>&1") == 0;
}
const char* const kMpirun = "mpirun --allow-run-as-root --oversubscribe -n 3 \"$SINEW\" rollout ";

const Strings kSweep{"--runs",     "23",
                     "--steps",    "60",
                     "--seed",     "7",
                     "--chunk",    "2",
                     "--every",    "20",
                     "--vary",     "geom:floor.friction[0]=uniform(0.4,1.2)",
                     "--vary",     "joint:hinge.damping=latin(0,1)",
                     "--vary",     "actuator:servo.kp=normal(3,0.2)",
                     "--vary",     "body:arm.mass*=uniform(0.8,1.2)",
                     "--controls", "noise",
                     "--record",   "sensordata,qpos,xpos,energy"};

std::string joined(const Strings& words) {
  std::string text;
  for (const std::string& w : words) text += " '" + w + "'";
  return text;
}

Strings operator+(Strings a, const Strings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(RolloutCommand, ROLL_1_ProcessesShardsAndThreadsGiveTheSameFile) {
  const Strings job = Strings{model_} + kSweep;
  ASSERT_EQ(rollout(job + Strings{"--out", path("one"), "--threads", "1"}).exitCode, 0);
  const std::string expected = mergedBytes("one");
  ASSERT_FALSE(expected.empty());
  for (const char* threads : {"2", "4", "7"}) {
    const std::string name = std::string("threads") + threads;
    ASSERT_EQ(rollout(job + Strings{"--out", path(name), "--threads", threads}).exitCode, 0);
    EXPECT_EQ(mergedBytes(name), expected);
  }
  // in any order, and more shards than there are chunks
  for (const int count : {5, 13}) {
    const std::string name = "shards" + std::to_string(count);
    for (int i = count - 1; i >= 0; --i) {
      const auto r =
          rollout(job + Strings{"--out", path(name), "--shard", std::to_string(i) + "/" + std::to_string(count)});
      ASSERT_EQ(r.exitCode, 0) << r.err;
    }
    EXPECT_EQ(mergedBytes(name), expected);
  }
  // a SLURM array
  for (const char* task : {"3", "5", "7"}) {
    const auto r = runShell(std::string("SLURM_ARRAY_TASK_ID=") + task +
                            " SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=2 "
                            "SLURM_ARRAY_TASK_COUNT=3 \"$SINEW\" rollout" +
                            joined(job + Strings{"--out", path("slurm")}));
    ASSERT_EQ(r.exitCode, 0) << r.err;
    EXPECT_NE(r.err.find(std::string("note: task ") + task + " of a SLURM array computes shard"), std::string::npos);
  }
  EXPECT_EQ(mergedBytes("slurm"), expected);
  const std::map<std::int64_t, int> counts = computed("slurm");
  EXPECT_EQ(counts.size(), 12u);
  for (const auto& [chunk, count] : counts) EXPECT_EQ(count, 1) << chunk;
}

TEST_F(RolloutCommand, ROLL_1_MpirunGivesTheSameFile) {
  if (!hasMpi()) GTEST_SKIP() << "sinew-mpi was not built, or there is no mpirun";
  const Strings job = Strings{model_} + kSweep;
  ASSERT_EQ(rollout(job + Strings{"--out", path("one")}).exitCode, 0);
  for (const char* threads : {"1", "2"}) {
    const std::string name = std::string("mpi") + threads;
    const auto r = runShell(kMpirun + joined(job + Strings{"--out", path(name), "--threads", threads}));
    ASSERT_EQ(r.exitCode, 0) << r.err;
    EXPECT_NE(r.out.find(std::string("processes         3, ") + threads), std::string::npos) << r.out;
    EXPECT_EQ(mergedBytes(name), mergedBytes("one"));
    std::set<int> ranks;
    for (const auto& e : fs::directory_iterator(path(name + "/logs"))) {
      std::ifstream in(e.path());
      std::string line;
      std::getline(in, line);
      ranks.insert(nlohmann::json::parse(line)["rank"].get<int>());
    }
    EXPECT_EQ(ranks, (std::set<int>{0, 1, 2}));
  }
}

TEST_F(RolloutCommand, ROLL_1_ErrorsUnderMpirunAreSaidOnce) {
  if (!hasMpi()) GTEST_SKIP() << "sinew-mpi was not built, or there is no mpirun";
  const auto r = runShell(
      kMpirun + joined({model_, "--runs", "3", "--steps", "2", "--out", path("x"), "--vary", "geom:flor.friction=1"}));
  EXPECT_EQ(r.exitCode, 2);
  const std::string text = "error: --vary geom:flor.friction: there is no geom \"flor\" (did you mean \"floor\"?)";
  const std::size_t at = r.err.find(text);
  ASSERT_NE(at, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find(text, at + 1), std::string::npos);
  EXPECT_FALSE(fs::exists(path("x")));
}

// each run is the run of `sinew run`, by hash
TEST_F(RolloutCommand, ROLL_1_ARunIsThatOfTheRunCommand) {
  ASSERT_EQ(rollout({model_, "--runs", "3", "--steps", "150", "--controls", "sine", "--key", "up", "--out", path("r")})
                .exitCode,
            0);
  const auto single = runSinew({"run", model_, "--steps", "150", "--ctrl", "sine", "--key", "up", "--json"});
  ASSERT_EQ(single.exitCode, 0) << single.err;
  const std::string hash = nlohmann::json::parse(single.out)["state_hash"].get<std::string>();
  for (const std::uint64_t h : valuesOf<std::uint64_t>(merged("r")["hash.npy"])) {
    EXPECT_EQ(h, std::stoull(hash, nullptr, 16));
  }
}

TEST_F(RolloutCommand, ROLL_1_RunIDependsOnTheSeedAndIAlone) {
  const auto job = [&](const char* runs, const char* seed, const std::string& out) {
    const auto r = rollout({model_, "--runs", runs, "--steps", "40", "--seed", seed, "--out", path(out), "--controls",
                            "noise(0.3,0.02)", "--vary", "geom:floor.friction=uniform(0.4,1.2)", "--vary",
                            "joint:hinge.qpos=normal(0,0.1)"});
    ASSERT_EQ(r.exitCode, 0) << r.err;
  };
  job("5", "7", "few");
  job("12", "7", "many");
  job("5", "8", "other");
  const auto few = merged("few"), many = merged("many"), other = merged("other");
  const auto a = valuesOf<std::uint64_t>(few.at("hash.npy")), b = valuesOf<std::uint64_t>(many.at("hash.npy")),
             c = valuesOf<std::uint64_t>(other.at("hash.npy"));
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  EXPECT_EQ(std::set<std::uint64_t>(b.begin(), b.end()).size(), 12u);
  EXPECT_NE(a, c);
}

#ifdef SINEW_TEST_HDF5
TEST_F(RolloutCommand, ROLL_1_Hdf5HoldsTheSameNumbers) {
  const Strings job = Strings{model_} + kSweep;
  ASSERT_EQ(rollout(job + Strings{"--out", path("one"), "--threads", "1"}).exitCode, 0);
  ASSERT_EQ(rollout(job + Strings{"--out", path("two"), "--threads", "3"}).exitCode, 0);
  const auto files = merged("one");
  EXPECT_EQ(mergedBytes("one", ".h5"), mergedBytes("two", ".h5"));
  const hid_t file = H5Fopen(path("one.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto read = [&](const char* name, hid_t type, auto like) {
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<decltype(like)> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  };
  for (const char* name : {"qpos", "xpos", "sensordata", "energy", "param", "last_time", "last_qvel"}) {
    EXPECT_EQ(read(name, H5T_NATIVE_DOUBLE, double{}), doublesOf(files.at(std::string(name) + ".npy"))) << name;
  }
  EXPECT_EQ(read("hash", H5T_NATIVE_UINT64, std::uint64_t{}), valuesOf<std::uint64_t>(files.at("hash.npy")));
  const hid_t set = H5Dopen2(file, "param_names", H5P_DEFAULT), type = H5Dget_type(set);
  std::string texts(4 * H5Tget_size(type), '\0');
  EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), 0);
  EXPECT_STREQ(texts.c_str(), "geom:floor.friction[0]");
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(file);
}
#endif

TEST_F(RolloutCommand, ROLL_1_WithoutTheProgramsBesideItTheCommandSaysSo) {
  fs::create_directory(path("bin"));
  fs::copy_file(cliPath(), path("bin/sinew"));
  const std::string job = joined({model_, "--runs", "2", "--steps", "2", "--out", path("r")});
  auto r = runShell("OMPI_COMM_WORLD_SIZE=3 " + path("bin/sinew") + " rollout" + job);
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("mpirun started 3 processes, but the program sinew-mpi, which makes them one job, is not in '" +
                       path("bin") + "'"),
            std::string::npos)
      << r.err;
  ASSERT_EQ(runShell(path("bin/sinew") + " rollout" + job).exitCode, 0);
  r = runShell(path("bin/sinew") + " rollout --merge " + path("r") + " " + path("r.h5"));
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("HDF5 needs the program sinew-hdf5, which is not in"), std::string::npos) << r.err;
}

// ------------------------------------------------------------------------------------------------ ROLL-2

const Strings kLong{"--runs",  "40", "--steps",    "4000",  "--seed", "3",
                    "--chunk", "1",  "--controls", "noise", "--vary", "geom:floor.friction=uniform(0.4,1.2)"};

TEST_F(RolloutCommand, ROLL_2_KilledAtAnyMomentAndResumedGivesTheSameFile) {
  const Strings job = Strings{model_} + kLong;
  ASSERT_EQ(rollout(job + Strings{"--out", path("whole")}).exitCode, 0);
  const std::string expected = mergedBytes("whole");
  // killed again and again, a little later each time; with another number of threads each time
  const Strings first = Strings{"rollout"} + job + Strings{"--out", path("r"), "--threads", "2"};
  std::map<std::string, fs::file_time_type> complete;
  for (const std::size_t wanted : {0u, 1u, 6u, 17u}) {
    RunningSinew running(complete.empty() && wanted == 0
                             ? first
                             : Strings{"rollout", "--resume", path("r"), "--threads", wanted == 6 ? "1" : "3"});
    ASSERT_TRUE(waitUntil([&] { return chunks("r").size() >= wanted && fs::exists(path("r/rollout.json")); }));
    running.send(SIGKILL);
    running.wait();
    for (const auto& [chunk, time] : complete) {
      EXPECT_EQ(fs::last_write_time(path("r/chunks/" + chunk + ".npz")), time) << chunk;
    }
    for (const std::string& chunk : chunks("r"))
      complete[chunk] = fs::last_write_time(path("r/chunks/" + chunk + ".npz"));
  }
  EXPECT_EQ(rollout({"--merge", path("r"), path("no.npz")}).exitCode, 1);
  EXPECT_FALSE(fs::exists(path("no.npz")));
  const auto r = rollout({"--resume", path("r"), "--json"});
  ASSERT_EQ(r.exitCode, 0) << r.err;
  EXPECT_EQ(nlohmann::json::parse(r.out)["complete_before"].get<std::size_t>(), complete.size());
  for (const auto& [chunk, time] : complete) {
    EXPECT_EQ(fs::last_write_time(path("r/chunks/" + chunk + ".npz")), time) << chunk;
  }
  for (const auto& [chunk, count] : computed("r")) EXPECT_EQ(count, 1) << chunk;
  EXPECT_EQ(mergedBytes("r"), expected);
  // complete already: nothing is done
  const auto again = rollout({"--resume", path("r"), "--json"});
  EXPECT_EQ(again.exitCode, 0);
  EXPECT_EQ(nlohmann::json::parse(again.out)["complete_before"].get<int>(), 40);
}

TEST_F(RolloutCommand, ROLL_2_AKilledRankEndsTheJobAndResumeFinishesIt) {
  if (!hasMpi()) GTEST_SKIP() << "sinew-mpi was not built, or there is no mpirun";
  const Strings job = Strings{model_} + kLong;
  ASSERT_EQ(rollout(job + Strings{"--out", path("whole")}).exitCode, 0);
  const std::string expected = mergedBytes("whole");
  for (const int victim : {0, 2}) {
    const std::string name = "victim" + std::to_string(victim);
    const std::string script = kMpirun + joined(job + Strings{"--out", path(name)}) + " & job=$!\n" +
                               "for i in $(seq 2000); do " + "log=$(grep -l '\"rank\":" + std::to_string(victim) +
                               ",' " + path(name) + "/logs/*.jsonl 2>/dev/null | head -1); " +
                               "[ -n \"$log\" ] && [ \"$(ls " + path(name) +
                               "/chunks | wc -l)\" -ge 4 ] && break; sleep 0.01; done\n" +
                               "kill -9 $(sed -n '1s/.*\"pid\":\\([0-9]*\\).*/\\1/p' \"$log\"); wait $job";
    const auto killed = runShell(script);
    EXPECT_NE(killed.exitCode, 0);
    const std::set<std::string> before = chunks(name);
    EXPECT_LT(before.size(), 40u);
    std::map<std::string, fs::file_time_type> times;
    for (const std::string& chunk : before)
      times[chunk] = fs::last_write_time(path(name + "/chunks/" + chunk + ".npz"));
    const auto r = runShell(kMpirun + joined({"--resume", path(name)}));
    ASSERT_EQ(r.exitCode, 0) << r.err;
    for (const auto& [chunk, time] : times)
      EXPECT_EQ(fs::last_write_time(path(name + "/chunks/" + chunk + ".npz")), time);
    for (const auto& [chunk, count] : computed(name)) EXPECT_EQ(count, 1) << chunk;
    EXPECT_EQ(mergedBytes(name), expected);
  }
}

TEST_F(RolloutCommand, ROLL_2_ATerminatedJobStopsAtOnceAndSaysHowToContinue) {
  RunningSinew running(Strings{"rollout", model_} + kLong + Strings{"--out", path("r")});
  ASSERT_TRUE(waitUntil([&] { return chunks("r").size() >= 2; }));
  running.send(SIGTERM);
  const auto r = running.wait();
  EXPECT_EQ(r.exitCode, 143);
  EXPECT_NE(r.out.find("SIGTERM; --resume " + path("r") + " continues"), std::string::npos) << r.out;
  EXPECT_EQ(rollout({"--resume", path("r")}).exitCode, 0);
}

// 300 runs are 256 files by twos and then by ones, however the work is shared out
TEST_F(RolloutCommand, ROLL_2_FilesOfShrinkingSizeAreContinuedAndMerged) {
  const Strings job{model_,    "--runs", "300",
                    "--steps", "20",     "--controls",
                    "noise",   "--vary", "geom:floor.friction=uniform(0.4,1.2)"};
  ASSERT_EQ(rollout(job + Strings{"--out", path("even"), "--chunk", "7"}).exitCode, 0);
  ASSERT_EQ(rollout(job + Strings{"--out", path("whole")}).exitCode, 0);
  const auto sizes = [&](const std::string& name) {
    std::vector<std::size_t> found;
    for (const std::string& chunk : chunks(name)) {
      const auto files = unzip(folder_.read(name + "/chunks/" + chunk + ".npz"));
      found.push_back(valuesOf<std::int64_t>(files.at("run.npy")).size());
    }
    return found;
  };
  std::vector<std::size_t> expected(134, 2);
  expected.resize(134 + 32, 1);
  EXPECT_EQ(sizes("whole"), expected);
  for (const char* shard : {"2/3", "0/3"}) {
    ASSERT_EQ(rollout(job + Strings{"--out", path("parts"), "--shard", shard}).exitCode, 0);
  }
  EXPECT_EQ(chunks("parts").size(), 50u + 66);  // runs 0 to 99, and 200 to 299
  ASSERT_EQ(rollout({"--resume", path("parts")}).exitCode, 0);
  if (hasMpi()) {
    const auto r = runShell(kMpirun + joined(job + Strings{"--out", path("mpi")}));
    ASSERT_EQ(r.exitCode, 0) << r.err;
    EXPECT_EQ(mergedBytes("mpi"), mergedBytes("whole"));
  }
  EXPECT_EQ(mergedBytes("parts"), mergedBytes("whole"));
  auto even = merged("even"), whole = merged("whole");
  for (auto& [name, bytes] : whole) {
    if (name != "provenance.npy") {
      EXPECT_EQ(bytes, even[name]) << name;
    }
  }
  for (const auto& [chunk, count] : computed("parts")) EXPECT_EQ(count, 1) << chunk;
}

// what each process says at its end
TEST_F(RolloutCommand, ROLL_2_LogsSayHowLongThreadsWaitedForWork) {
  ASSERT_EQ(rollout({model_, "--runs", "6", "--steps", "5", "--threads", "2", "--out", path("r")}).exitCode, 0);
  int lines = 0;
  for (const auto& e : fs::directory_iterator(path("r/logs"))) {
    std::ifstream in(e.path());
    for (std::string line; std::getline(in, line);) {
      const auto j = nlohmann::json::parse(line);
      if (!j.contains("waited")) continue;
      ++lines;
      EXPECT_GE(j["waited"].get<double>(), 0);
      EXPECT_LT(j["waited"].get<double>(), 10);
    }
  }
  EXPECT_EQ(lines, 2);
}

TEST_F(RolloutCommand, ROLL_2_ADescriptionThatCannotBeIsAnError) {
  ASSERT_EQ(rollout({model_, "--runs", "6", "--steps", "5", "--out", path("r")}).exitCode, 0);
  const std::string good = folder_.read("r/rollout.json");
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    folder_.write("r/rollout.json", text.replace(at, from.size(), to));
    const auto r = rollout({"--merge", path("r"), path("no.npz")});
    EXPECT_EQ(r.exitCode, 2);
    return r.err;
  };
  EXPECT_NE(damaged("\"chunk\": 1", "\"chunk\": 0").find("rollout.json is damaged: 6 runs in chunks of 0 cannot be"),
            std::string::npos);
  EXPECT_NE(damaged("\"runs\": 6", "\"runs\": -6").find("rollout.json is damaged: -6 runs in chunks of 1 cannot be"),
            std::string::npos);
  EXPECT_NE(damaged("\"sinew rollout\": 2", "\"sinew rollout\": 1").find("rollout.json: written by another version"),
            std::string::npos);
}

TEST_F(RolloutCommand, ROLL_2_ADamagedChunkIsComputedAgain) {
  const Strings job = Strings{model_} + kSweep;
  ASSERT_EQ(rollout(job + Strings{"--out", path("r")}).exitCode, 0);
  const std::string expected = mergedBytes("r");
  {
    std::fstream chunk(path("r/chunks/000003.npz"), std::ios::in | std::ios::out | std::ios::binary);
    chunk.seekp(-300, std::ios::end);
    chunk.put('x');
  }
  fs::resize_file(path("r/chunks/000005.npz"), 100);
  EXPECT_EQ(rollout({"--merge", path("r"), path("no.npz")}).exitCode, 1);
  const auto r = rollout({"--resume", path("r")});
  EXPECT_EQ(r.exitCode, 0);
  EXPECT_NE(r.err.find("000003.npz' is damaged"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("000005.npz' is damaged"), std::string::npos) << r.err;
  EXPECT_EQ(mergedBytes("r"), expected);
}

TEST_F(RolloutCommand, ROLL_2_TwoJobsCannotWriteIntoOneFolderButShardsCan) {
  const Strings job = Strings{model_} + kLong;
  {
    RunningSinew running(Strings{"rollout"} + job + Strings{"--out", path("r"), "--shard", "0/2", "--threads", "1"});
    ASSERT_TRUE(waitUntil([&] { return chunks("r").size() >= 1; }));
    const auto r = rollout(job + Strings{"--out", path("r")});
    EXPECT_EQ(r.exitCode, 1);
    EXPECT_NE(r.err.find("'" + path("r") + "' is being written: process "), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(" is at work on its runs 0 to 19"), std::string::npos) << r.err;
    EXPECT_EQ(rollout(job + Strings{"--out", path("r"), "--shard", "1/2"}).exitCode, 0);
    running.send(SIGKILL);
    running.wait();
  }
  // what was killed leaves no lock behind
  EXPECT_EQ(rollout({"--resume", path("r")}).exitCode, 0);
}

TEST_F(RolloutCommand, ROLL_2_AFullDiskEndsTheJobAndLosesNothingThatWasComplete) {
  const Strings job{model_, "--runs", "4", "--steps", "2000", "--chunk", "2", "--every", "1", "--record", "qpos,xpos"};
  ASSERT_EQ(rollout(job + Strings{"--out", path("whole")}).exitCode, 0);
  const auto full = runShell("ulimit -f 100; \"$SINEW\" rollout" + joined(job + Strings{"--out", path("r")}));
  EXPECT_EQ(full.exitCode, 1);
  EXPECT_NE(full.err.find("error: cannot write '" + path("r/chunks/00000")), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("of 4 runs are complete; --resume " + path("r") + " continues"), std::string::npos)
      << full.err;
  EXPECT_TRUE(chunks("r").empty());
  // not even the description of the job fits
  const auto none = runShell("ulimit -f 1; \"$SINEW\" rollout" + joined(job + Strings{"--out", path("none")}));
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_NE(none.err.find("error: cannot write '" + path("none/rollout.json")), std::string::npos) << none.err;
  for (const auto& e : fs::directory_iterator(path("none"))) EXPECT_TRUE(e.is_directory()) << e.path();
  EXPECT_EQ(rollout(job + Strings{"--out", path("none")}).exitCode, 0);
  ASSERT_EQ(rollout({"--resume", path("r")}).exitCode, 0);
  EXPECT_EQ(mergedBytes("r"), mergedBytes("whole"));
  const auto merge = runShell("ulimit -f 100; \"$SINEW\" rollout --merge " + path("r") + " " + path("full.npz"));
  EXPECT_EQ(merge.exitCode, 1);
  EXPECT_FALSE(fs::exists(path("full.npz")));
}

// ------------------------------------------------------------------------------------------------ ROLL-3

TEST_F(RolloutCommand, ROLL_3_ADivergedRunIsAResultAndTheOthersGoOn) {
  const Strings job{model_, "--steps", "200", "--every", "50", "--chunk", "2", "--controls", "keyframe", "--key", "up"};
  const auto r = rollout(job + Strings{"--out", path("r"), "--vary", "actuator:servo.kp=list(3,1e7,5)"});
  EXPECT_EQ(r.exitCode, 1);
  EXPECT_NE(r.err.find("error: 1 of 3 runs diverged\n  run 1: q"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("joint \"hinge\""), std::string::npos) << r.err;
  EXPECT_NE(r.out.find("diverged          1 of 3 runs"), std::string::npos) << r.out;
  auto bad = merged("r");
  EXPECT_EQ(valuesOf<std::uint8_t>(bad["status.npy"]), (std::vector<std::uint8_t>{0, 2, 0}));
  const auto steps = valuesOf<std::int64_t>(bad["steps.npy"]);
  EXPECT_EQ(steps[0], 200);
  EXPECT_LT(steps[1], 200);
  const std::vector<std::string> causes = textsOf(bad["cause.npy"]);
  EXPECT_EQ(causes[0], "");
  EXPECT_NE(causes[1].find("was not finite or beyond 1e10"), std::string::npos) << causes[1];
  const std::vector<double> time = doublesOf(bad["last_time.npy"]), qpos = doublesOf(bad["last_qpos.npy"]);
  EXPECT_NEAR(time[1], 0.005 * static_cast<double>(steps[1]), 1e-12);
  for (std::size_t i = 8; i < 16; ++i) EXPECT_TRUE(std::isfinite(qpos[i]) && std::abs(qpos[i]) <= 1e10);
  // the others are what they are without it
  ASSERT_EQ(rollout(job + Strings{"--out", path("good"), "--vary", "actuator:servo.kp=list(3,5)"}).exitCode, 0);
  const auto all = valuesOf<std::uint64_t>(bad["hash.npy"]), good = valuesOf<std::uint64_t>(merged("good")["hash.npy"]);
  EXPECT_EQ(all[0], good[0]);
  EXPECT_EQ(all[2], good[1]);
  // what was recorded before is there, what would have come after is not a number
  const std::vector<double> samples = doublesOf(bad["qpos.npy"]);
  const std::size_t per = samples.size() / 3;
  EXPECT_EQ(samples[per + 7], 0.5);
  EXPECT_TRUE(std::isnan(samples[2 * per - 1]));
  // and a job that is complete still tells
  const auto again = rollout({"--resume", path("r"), "--json"});
  EXPECT_EQ(again.exitCode, 1);
  EXPECT_EQ(nlohmann::json::parse(again.out)["diverged"].get<int>(), 1);
}

// ------------------------------------------------------------------------------------------------ ROLL-4

TEST_F(RolloutCommand, ROLL_4_SweepsHaveTheirValues) {
  folder_.write("rows.csv", "joint:hinge.qpos, option.gravity[2]\n0.1,-1\n0.2,-2\n 0.3 , -3\n");
  const auto params = [&](const Strings& vary, const char* runs = nullptr) {
    Strings words{model_, "--steps", "1", "--out", path("p")};
    if (runs) words = words + Strings{"--runs", runs};
    for (const std::string& v : vary) words = words + Strings{"--vary", v};
    fs::remove_all(path("p"));
    const auto r = rollout(words);
    EXPECT_EQ(r.exitCode, 0) << r.err;
    return doublesOf(merged("p")["param.npy"]);
  };
  EXPECT_EQ(params({"geom:floor.friction=grid(0,1,3)", "joint:hinge.damping=list(5,7)"}),
            (std::vector<double>{0, 5, 0, 7, 0.5, 5, 0.5, 7, 1, 5, 1, 7}));
  EXPECT_EQ(params({path("rows.csv")}), (std::vector<double>{0.1, -1, 0.2, -2, 0.3, -3}));
  EXPECT_EQ(params({path("rows.csv"), "joint:hinge.damping=list(5,7)"}, "12").size(), 36u);
  EXPECT_EQ(params({"joint:hinge.damping*=list(2,3)", "joint:hinge.armature+=0.5"}),
            (std::vector<double>{0.2, 0.5, 0.1 * 3, 0.5}));
  // one value in each of 50 strata
  std::vector<double> latin = params({"joint:hinge.damping=latin(2,4)"}, "50");
  std::sort(latin.begin(), latin.end());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(std::floor((latin[i] - 2) * 25), i);
  const std::vector<double> uniform = params({"joint:hinge.damping=uniform(2,4)"}, "200"),
                            normal = params({"joint:hinge.qpos=normal(3,0.5)"}, "200");
  double mean = 0, square = 0;
  for (const double x : uniform) EXPECT_TRUE(x >= 2 && x < 4);
  for (const double x : normal) mean += x / 200, square += (x - 3) * (x - 3) / 200;
  EXPECT_NEAR(mean, 3, 5 * 0.5 / std::sqrt(200));
  EXPECT_NEAR(square, 0.25, 5 * 0.25 * std::sqrt(2.0 / 200));
  const auto log = params({"joint:hinge.damping=loguniform(0.001,10)"}, "60");
  EXPECT_GT(std::count_if(log.begin(), log.end(), [](double x) { return x < 0.1; }), 15);
}

TEST_F(RolloutCommand, ROLL_4_WrongWordsAreErrorsBeforeAnythingRuns) {
  folder_.write("bad.csv", "joint:hinge.qpos\n0.1\nx\n");
  folder_.write("short.csv", "joint:hinge.qpos,qvel[0]\n0.1\n");
  const std::string m = model_, out = path("r");
  const std::vector<std::pair<Strings, std::string>> cases{
      {{"--runs", "2", "--vary", "geom:flor.friction=1"},
       "--vary geom:flor.friction: there is no geom \"flor\" (did you mean \"floor\"?)"},
      {{"--runs", "2", "--vary", "joint:hinge.damping=unifrm(1,2)"}, "there is no 'unifrm'; expected uniform(a,b)"},
      {{"--runs", "2", "--vary", "joint:hinge.damping=uniform(2,1)"}, "the lower end 2 is above the upper end 1"},
      {{"--runs", "2", "--vary", "joint:hinge.damping=uniform(2)"}, "uniform needs 2 numbers, found 1"},
      {{"--runs", "2", "--vary", "joint:hinge.damping=normal(a,1)"}, "expected a number, found 'a'"},
      {{"--runs", "2", "--vary", "joint:hinge.damping"}, "expected ADDRESS=VALUES, or a file that ends with .csv"},
      {{"--runs", "2", "--vary", path("none.csv")}, "none.csv: no such file"},
      {{"--runs", "2", "--vary", path("bad.csv")}, "bad.csv:3: expected a number for joint:hinge.qpos, found 'x'"},
      {{"--runs", "2", "--vary", path("short.csv")}, "short.csv:2: expected 2 numbers, found 1"},
      {{"--runs", "5", "--vary", "joint:hinge.damping=list(1,2)"}, "--runs 5 is not a multiple of the 2 points"},
      {{"--runs", "2", "--vary", "joint:hinge.damping=1", "--vary", "joint:hinge.damping=2"}, "it is varied twice"},
      {{"--runs", "2", "--vary", "actuator:push.ctrl=1"},
       "--controls zero would overwrite it; say --controls keyframe"},
      {{"--runs", "0"}, "--runs: expected a whole number from 1 to 1000000000, found '0'"},
      {{"--steps", "1"}, "--runs is needed: how many runs?"},
      {{"--runs", "2", "--record", "qpoz"}, "Data has no array named \"qpoz\" (did you mean \"qpos\"?)"},
      {{"--runs", "2", "--controls", "noise(x)"},
       "expected noise, noise(scale) or noise(scale,hold), found 'noise(x)'"},
      {{"--runs", "2", "--controls", path("no.npz")}, "no.npz: no such file"},
      {{"--runs", "2", "--key", "down"}, "there is no keyframe 'down'; the model has up"},
      {{"--runs", "2", "--shard", "2/2"}, "--shard: expected I/N with I from 0 to N - 1, found '2/2'"},
      {{"--runs", "2", "--shard", "1/5000000000"}, "--shard: expected at most 1000000000 parts, found '1/5"}};
  for (const auto& [words, text] : cases) {
    Strings all{m, "--out", out};
    if (std::find(words.begin(), words.end(), "--steps") == words.end()) all = all + Strings{"--steps", "3"};
    const auto r = rollout(all + words);
    EXPECT_EQ(r.exitCode, 2) << joined(words);
    EXPECT_NE(r.err.find(text), std::string::npos) << joined(words) << "\n" << r.err;
    EXPECT_FALSE(fs::exists(out)) << joined(words);
  }
}

TEST_F(RolloutCommand, ROLL_4_TheFolderOfAnotherJobIsRefused) {
  const Strings words{"--steps", "3", "--out", path("r")};
  ASSERT_EQ(rollout(Strings{model_, "--runs", "2"} + words).exitCode, 0);
  auto r = rollout(Strings{model_, "--runs", "3"} + words);
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("' holds another job: \"runs\" is 2 there, 3 here"), std::string::npos) << r.err;
  std::string text = kModel;
  text.replace(text.find("0.005"), 5, "0.006");
  const std::string other = folder_.write("other.xml", text);
  r = rollout(Strings{other, "--runs", "2"} + words);
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("' holds runs of another model: 'model.xml' with hash "), std::string::npos) << r.err;
  EXPECT_NE(r.err.find(", here 'other.xml' with hash "), std::string::npos) << r.err;
  // the model was changed since
  folder_.write("model.xml", text);
  r = rollout({"--resume", path("r")});
  EXPECT_EQ(r.exitCode, 2);
  EXPECT_NE(r.err.find("holds runs of another model"), std::string::npos) << r.err;
  r = rollout({"--resume", path("r"), "--runs", "7"});
  EXPECT_NE(r.err.find("--resume continues the job as it is; --runs cannot be said again"), std::string::npos) << r.err;
  r = rollout({"--resume", path("nothing")});
  EXPECT_NE(r.err.find("nothing' is not the folder of a rollout: there is no rollout.json"), std::string::npos)
      << r.err;
  fs::create_directory(path("mine"));
  folder_.write("mine/letter.txt", "text");
  r = rollout(Strings{model_, "--runs", "2", "--steps", "3", "--out", path("mine")});
  EXPECT_NE(r.err.find("mine' holds other files and no rollout; choose a new folder"), std::string::npos) << r.err;
}

/// An .npz as numpy writes it: one array of doubles per name.
std::string archiveOf(const std::vector<std::pair<std::string, std::pair<std::string, std::vector<double>>>>& arrays) {
  std::string archive, directory;
  const auto u = [](std::uint64_t v, int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += static_cast<char>(v >> (8 * i));
    return s;
  };
  for (const auto& [name, array] : arrays) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + array.first + "), }";
    while ((10 + header.size() + 1) % 64) header += ' ';
    header += '\n';
    std::string npy = "\x93NUMPY" + std::string("\x01\x00", 2) + u(header.size(), 2) + header;
    npy.append(reinterpret_cast<const char*>(array.second.data()), array.second.size() * 8);
    const std::string file = name + ".npy", sizes = u(0, 4) + u(npy.size(), 4) + u(npy.size(), 4);
    directory += u(0x02014b50, 4) + u(20, 2) + u(20, 2) + u(0, 8) + sizes + u(file.size(), 2) + u(0, 12) +
                 u(archive.size(), 4) + file;
    archive += u(0x04034b50, 4) + u(20, 2) + u(0, 8) + sizes + u(file.size(), 2) + u(0, 2) + file + npy;
  }
  const std::size_t start = archive.size();
  return archive + directory + u(0x06054b50, 4) + u(0, 4) + u(arrays.size(), 2) + u(arrays.size(), 2) +
         u(directory.size(), 4) + u(start, 4) + u(0, 2);
}

TEST_F(RolloutCommand, ROLL_4_ControlsComeFromAnArchive) {
  std::vector<double> ctrl;
  for (int i = 0; i < 2 * 5 * 2; ++i) ctrl.push_back(0.1 * i - 0.7);
  folder_.write("c.npz", archiveOf({{"ctrl", {"2, 5, 2", ctrl}}}));
  ASSERT_EQ(rollout({model_, "--runs", "2", "--steps", "7", "--every", "1", "--record", "ctrl", "--controls",
                     path("c.npz"), "--out", path("r")})
                .exitCode,
            0);
  const std::vector<double> seen = doublesOf(merged("r")["ctrl.npy"]);
  for (std::size_t run = 0; run < 2; ++run) {
    for (std::size_t step = 0; step < 8; ++step) {
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(seen[(run * 8 + step) * 2 + k], ctrl[(run * 5 + std::min<std::size_t>(step, 4)) * 2 + k]);
      }
    }
  }
  // rows with times, for all runs
  folder_.write("t.npz", archiveOf({{"time", {"2,", {0.01, 0.02}}}, {"ctrl", {"2, 2", {1, 2, 3, 4}}}}));
  ASSERT_EQ(rollout({model_, "--runs", "1", "--steps", "5", "--every", "1", "--record", "ctrl", "--controls",
                     path("t.npz"), "--out", path("t")})
                .exitCode,
            0);
  EXPECT_EQ(doublesOf(merged("t")["ctrl.npy"]), (std::vector<double>{0, 0, 0, 0, 1, 2, 1, 2, 3, 4, 3, 4}));
  // and what is wrong with others
  const auto refusal = [&](const std::string& bytes) {
    folder_.write("x.npz", bytes);
    return rollout({model_, "--runs", "2", "--steps", "5", "--controls", path("x.npz"), "--out", path("x")}).err;
  };
  EXPECT_NE(refusal(archiveOf({{"ctrl", {"2, 1", {1, 2}}}}))
                .find("'ctrl' has shape (2, 1), expected (rows, 2) or (2, rows, 2)"),
            std::string::npos);
  EXPECT_NE(refusal(archiveOf({{"u", {"1, 2", {1, 2}}}})).find("there is no array 'ctrl', only u"), std::string::npos);
  EXPECT_NE(refusal(archiveOf({{"ctrl", {"7, 2", {1, 2}}}})).find("its shape does not fit its size"),
            std::string::npos);
  EXPECT_NE(refusal("nothing like an archive").find("is cut off, or not an .npz archive"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(RolloutCommand, ROLL_4_ProvenanceIsKept) {
  ASSERT_EQ(rollout({model_, "--runs", "2", "--steps", "3", "--seed", "9", "--out", path("r"), "--vary",
                     "joint:hinge.damping=uniform(0,1)"})
                .exitCode,
            0);
  const auto manifest = nlohmann::json::parse(folder_.read("r/rollout.json"));
  const auto inside = nlohmann::json::parse(textsOf(merged("r")["provenance.npy"]).at(0));
  for (const auto& j : {manifest, inside}) {
    EXPECT_EQ(j["job"]["seed"].get<int>(), 9);
    EXPECT_EQ(j["job"]["model_hash"].get<std::string>().size(), 16u);
    EXPECT_EQ(j["model"]["files"][0]["file"].get<std::string>(), "model.xml");
    EXPECT_EQ(j["model"]["files"][0]["bytes"].get<std::size_t>(), std::strlen(kModel));
    EXPECT_FALSE(j["build"]["compiler"].get<std::string>().empty());
  }
  EXPECT_EQ(manifest["started"]["command"][1].get<std::string>(), "rollout");
  EXPECT_FALSE(manifest["started"]["host"].get<std::string>().empty());
}

}  // namespace
}  // namespace sinew::test
