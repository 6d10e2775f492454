// Many runs at once: Batch on one and two threads against single runs, batches of many small models, `sinew rollout` on
// one and two processes, and what a rollout costs beside the steps. Writes bench/results/MACHINE-rollout.md.
//
// Speed-ups need an idle machine; the load that others caused is written beside them.

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine.h"
#include "scenes/scenes.h"
#include "sinew/batch.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "sinew/version.h"

namespace {

using namespace sinew;  // NOLINT(google-build-using-namespace)
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;

/// A pendulum with a motor: what thousands of small models are like.
const char* const kSmall = R"(<mujoco><worldbody>
  <body pos="0 0 1"><joint name="j" axis="0 1 0" damping=".1"/><geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/>
    <body pos=".4 0 0"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/></body></body>
  </worldbody><actuator><motor joint="j"/></actuator></mujoco>)";

double seconds(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double load() {
  double average = 0;
  return getloadavg(&average, 1) == 1 ? average : 0;
}

/// Processor time of this process, or of those it started and that have ended, s.
double processorSeconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

/// Least of some rounds.
template <class Work>
double best(Work&& work) {
  double least = 1e300;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = Clock::now();
    work();
    least = std::min(least, seconds(start));
  }
  return least;
}

Model modelOf(const scenes::Scene& scene) { return compile(readMjcfText(scene.mjcf, scene.name)); }

std::string batchRow(const scenes::Scene& scene) {
  const Model m = modelOf(scene);
  constexpr int kRuns = 64, kSteps = 500;
  std::array<double, 2> time{};
  std::array<std::uint64_t, 2> hash{};
  for (const int threads : {1, 2}) {
    Batch batch(m, kRuns, threads);
    batch.step(kSteps);
    const auto k = static_cast<std::size_t>(threads - 1);
    time[k] = best([&] {
      batch.reset();
      batch.step(kSteps);
    });
    hash[k] = batch.hash(kRuns - 1);
  }
  Data d(m);
  const double single = best([&] {
    for (int run = 0; run < kRuns; ++run) {
      reset(m, d);
      for (int i = 0; i < kSteps; ++i) step(m, d);
    }
  });
  const double steps = kRuns * kSteps;
  const std::string row = fmt::format("| {} | {:.0f} | {:.0f} | {:.0f} | {:.2f} | {} | {:.1f} |\n", scene.name,
                                      steps / single, steps / time[0], steps / time[1] / 2, time[0] / time[1],
                                      hash[0] == hash[1] && hash[0] == stateHash(m, d) ? "yes" : "NO", load());
  fmt::print("{}", row);
  return row;
}

std::string sizeRow(int runs) {
  const Model m = compile(readMjcfText(kSmall));
  constexpr int kSteps = 20;
  const auto start = Clock::now();
  Batch batch(m, runs, 2);
  const double made = seconds(start);
  batch.step(kSteps);
  const double time = best([&] { batch.step(kSteps); });
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const std::string row = fmt::format("| {} | {:.2f} | {:.3f} | {:.1f} | {:.1f} |\n", runs, 1e6 * made / runs,
                                      1e6 * time / (static_cast<double>(runs) * kSteps),
                                      static_cast<double>(usage.ru_maxrss) / 1024, load());
  fmt::print("{}", row);
  return row;
}

/// Runs the command and returns what it says as JSON.
nlohmann::json ask(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> piece{};
  while (pipe && std::fgets(piece.data(), static_cast<int>(piece.size()), pipe)) text += piece.data();
  if (!pipe || pclose(pipe) != 0) throw std::runtime_error("this failed: " + command);
  return nlohmann::json::parse(text);
}

std::string rolloutRows(const fs::path& sinew) {
  std::string folder = (fs::temp_directory_path() / "sinew-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) throw std::runtime_error("cannot make a temporary folder");
  const std::string model = folder + "/humanoid.xml";
  const scenes::Scene scene = scenes::humanoid();
  std::ofstream(model) << scene.mjcf;
  constexpr int kRuns = 1000, kSteps = 1000;
  const std::string job =
      fmt::format("rollout {} --runs {} --steps {} --record qpos --every 100 --threads 1 --json --out {}/", model,
                  kRuns, kSteps, folder);
  const auto run = [&](const std::string& launch, const std::string& name, double& processor) {
    const double before = processorSeconds(RUSAGE_CHILDREN);
    const nlohmann::json j = ask(fmt::format("{} {} {}{}", launch, sinew.string(), job, name));
    processor = processorSeconds(RUSAGE_CHILDREN) - before;
    return j.at("wall_seconds").get<double>();
  };
  constexpr int kTurns = 3;
  double ignored = 0, one = 1e30, processor = 1e30, steps = 1e30;
  const Model m = modelOf(scene);
  Data d(m);
  for (int turn = 0; turn < kTurns; ++turn) {
    double seconds = 0;
    one = std::min(one, run("", fmt::format("one{}", turn), seconds));
    processor = std::min(processor, seconds);
    // the same steps and nothing else
    const double before = processorSeconds(RUSAGE_SELF);
    for (int i = 0; i < kRuns; ++i) {
      reset(m, d);
      for (int k = 0; k < kSteps; ++k) step(m, d);
    }
    steps = std::min(steps, processorSeconds(RUSAGE_SELF) - before);
  }
  std::string text = fmt::format(
      "`sinew rollout`, {} runs of {} steps of the humanoid, a sample every 100 steps: {:.2f} s on one thread, "
      "processor time {:.2f} s against {:.2f} s for the same steps alone (the least of {} by turns), overhead {:.2f} "
      "%; "
      "load {:.1f}.\n",
      kRuns, kSteps, one, processor, steps, kTurns, 100 * (processor / steps - 1), load());
  const bool hasMpi =
      fs::exists(sinew.parent_path() / "sinew-mpi") && std::system("mpirun --version >/dev/null 2>&1") == 0;
  if (hasMpi) {
    const std::string launch = "mpirun --allow-run-as-root --oversubscribe -n ";
    double solo = 1e30, two = 1e30;
    for (int turn = 0; turn < kTurns; ++turn) {
      solo = std::min(solo, run(launch + "1", fmt::format("solo{}", turn), ignored));
      two = std::min(two, run(launch + "2", fmt::format("two{}", turn), ignored));
    }
    text += fmt::format(
        "`mpirun -n 2`: {:.2f} s against {:.2f} s with one process (the least of {} by turns), {:.2f} times as fast; "
        "load {:.1f}.\n",
        two, solo, kTurns, solo / two, load());
  } else {
    text += "`mpirun` was not measured: sinew-mpi is not built, or there is no mpirun.\n";
  }
  fs::remove_all(folder);
  fmt::print("\n{}", text);
  return text;
}

int benchAll(bool save) {
  std::string text = fmt::format(
      "# {}: many runs\n\nWritten by `make bench-rollout`. Sinew {}. Least of {} rounds; load is the average of the "
      "last minute when the row "
      "was done (an idle machine has that of the benchmark itself).\n\n",
      bench::machineName(), kVersion, kRounds);
  const auto section = [&](const std::string& heading) {
    fmt::print("{}", heading);
    text += heading;
  };
  section(
      "64 runs of 500 steps, steps per second:\n\n| scene | single runs | Batch, 1 thread | Batch, 2 threads, per core "
      "| 2 threads "
      "against 1 | equal hashes | load |\n|---|---|---|---|---|---|---|\n");
  for (const scenes::Scene& scene : {scenes::humanoid(), scenes::humanoidOnFloor()}) text += batchRow(scene);
  section(
      "\nDouble pendulums with a motor, 2 threads, 20 steps at once:\n\n| runs | making a run, us | a step of a run, "
      "us | most memory so "
      "far, MiB | load |\n|---|---|---|---|---|\n");
  for (const int runs : {100, 1000, 10000}) text += sizeRow(runs);
  text += "\n" + rolloutRows(fs::path(SINEW_CLI));
  if (save) {
    const fs::path file = fs::path(SINEW_SOURCE_DIR) / "bench" / "results" / (bench::machineFileName() + "-rollout.md");
    std::ofstream(file) << text;
    fmt::print("\nwritten to {}\n", file.string());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times batches and rollouts"};
  bool noSave = false;
  app.add_flag("--no-save", noSave, "Print only");
  CLI11_PARSE(app, argc, argv);
  try {
    return benchAll(!noSave);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
