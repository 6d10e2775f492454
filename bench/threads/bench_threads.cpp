// One step on several threads: what 100 humanoids, a cloth of 80 x 80 vertices and a pile of 1000 boxes gain from them.
// For an idle machine: time passes by the clock.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "hard/pile.h"
#include "machine.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace {

using namespace sinew;
namespace fs = std::filesystem;

struct BigScene {
  std::string name, mjcf;
  int warmup;
};

std::vector<BigScene> allScenes() {
  const std::string boxes = "1000 boxes";
  const bench::Pile pile = bench::boxPile(1000);
  return {
      {"100 humanoids", scenes::crowd(100).mjcf, 400},
      {"elastic cloth 80 x 80, implicit", scenes::elasticCloth(80).mjcf, 60},
      {"cloth 80 x 80, length rows", scenes::clothOnBall(80).mjcf, 60},
      {boxes + ", Impulse by sweeps", bench::mjcfOf(pile, R"(solver="Impulse" method="sweep" iterations="10")"), 240},
      {boxes + ", Newton", bench::mjcfOf(pile, R"(solver="Newton")"), 240},
  };
}

/// The same stretch of steps with a number of threads.
class Player {
 public:
  Player(const Model& m, const Data& start, int threads, int steps)
      : m_(m),
        start_(start),
        threads_(threads),
        least_(static_cast<std::size_t>(steps), std::numeric_limits<double>::infinity()) {}

  /// Of each step the least time of all rounds counts.
  void playRound() {
    using Clock = std::chrono::steady_clock;
    Data d(start_);
    d.threads = threads_;
    for (double& time : least_) {
      const Clock::time_point begin = Clock::now();
      step(m_, d);
      time = std::min(time, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    hash_ = stateHash(m_, d);
  }
  double microseconds() const {
    return std::accumulate(least_.begin(), least_.end(), 0.0) / static_cast<double>(least_.size());
  }
  std::uint64_t hash() const { return hash_; }

 private:
  const Model& m_;
  const Data& start_;
  int threads_;
  std::vector<double> least_;  // us
  std::uint64_t hash_ = 0;
};

/// The row of a scene; false in `same` if the states differ.
std::string rowOf(const BigScene& scene, int threads, int steps, int rounds, bool& same) {
  const Model m = compile(readMjcfText(scene.mjcf, scene.name + ".xml"));
  Data start(m);
  for (int i = 0; i < scene.warmup; ++i) step(m, start);
  Player one(m, start, 1, steps), more(m, start, threads, steps);
  for (int round = 0; round < rounds; ++round) {
    one.playRound();
    more.playRound();
  }
  const double gain = one.microseconds() / more.microseconds();
  same = same && one.hash() == more.hash();
  return fmt::format("| {} | {} | {} | {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:016x}{} |\n", scene.name, m.nv,
                     start.ncon(), start.nefc(), one.microseconds(), more.microseconds(), gain, gain / threads,
                     one.hash(), one.hash() == more.hash() ? "" : " DIFFERS");
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  int threads = 2, steps = 20, rounds = 7;
  bool keep = true;
  CLI::App app{"Times one step on one and on several threads; for an idle machine"};
  app.add_option("SCENE", only, "Only scenes whose name contains this (nothing is written then)");
  app.add_option("--threads", threads, "How many threads are compared with one")->capture_default_str();
  app.add_option("--steps", steps, "Steps that are timed")->capture_default_str();
  app.add_option("--rounds", rounds, "How often they are played; of each step the least time counts")
      ->capture_default_str();
  app.add_flag("!--no-save", keep, "Write nothing to bench/results");
  CLI11_PARSE(app, argc, argv);
  bool same = true;
  try {
    double load[1] = {0};
    if (getloadavg(load, 1) != 1) load[0] = 0;
    std::string text = fmt::format(
        "# {}: one step on threads\n\nWritten by `make bench-threads`. Time of a step by the clock with 1 and {} "
        "threads, mean of {} steps; of each step the least of {} rounds, turn by turn; load average {:.1f} at the "
        "start: other work makes these numbers worthless. Efficiency is the gain over the number of threads. The "
        "states are the same, bit for bit.\n\n"
        "| scene | dofs | contacts | rows | 1 thread, us | {} threads, us | gain | efficiency | state hash |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        bench::machineName(), threads, steps, rounds, load[0], threads);
    for (const BigScene& scene : allScenes()) {
      if (scene.name.find(only) == std::string::npos) continue;
      const std::string row = rowOf(scene, threads, steps, rounds, same);
      fmt::print("{}", row);
      std::fflush(stdout);
      text += row;
    }
    if (keep && only.empty()) {
      const fs::path file =
          fs::path(SINEW_SOURCE_DIR) / "bench" / "results" / (bench::machineFileName() + "-threads.md");
      std::ofstream(file) << text;
      fmt::print("written to {}\n", fs::relative(file, SINEW_SOURCE_DIR).string());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
  return same ? 0 : 1;
}
