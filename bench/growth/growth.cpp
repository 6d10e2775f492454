// How the cost of a step and the memory grow with the number of vertices, series by series.

#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "machine.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace {

using namespace sinew;
namespace fs = std::filesystem;

struct Series {
  std::string name;
  scenes::Scene (*scene)(int);
  std::vector<int> sides;
};

const std::vector<Series>& allSeries() {
  static const std::vector<Series> all{
      {"hanging sheet, length rows", scenes::hangingCloth, {10, 20, 40, 80, 160}},
      {"sheet on a ball, length rows", scenes::clothOnBall, {10, 20, 40, 80, 160}},
      {"elastic sheet on a ball, implicit", scenes::elasticCloth, {10, 20, 40, 80}},
      {"solid cube on a floor, length rows", scenes::solidCube, {5, 8, 12, 16, 24}},
  };
  return all;
}

struct Growth {
  int vertices = 0, rows = 0;
  double iterations = 0, inner = 0, microseconds = 0, bytes = 0;
};

double bytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// Mean over `steps` steps after `warmup`, played `rounds` times from the same state: of each step the least time
/// counts.
Growth measure(const scenes::Scene& scene, int warmup, int steps, int rounds) {
  Growth result;
  const double before = bytesInUse();
  const Model m = compile(readMjcfText(scene.mjcf, scene.name + ".xml"));
  Data d(m);
  for (int i = 0; i < warmup; ++i) step(m, d);
  result.bytes = (bytesInUse() - before) / m.nflexvert;
  const Data start = d;
  std::vector<double> least(static_cast<std::size_t>(steps), std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    d = start;
    step(m, d);  // memory that copies do not keep is made again
    result.iterations = result.inner = 0;
    for (double& time : least) {
      const double begin = bench::cpuMicroseconds();
      step(m, d);
      time = std::min(time, bench::cpuMicroseconds() - begin);
      int most = 0;
      result.inner += static_cast<double>(d.metricIterations) / steps;
      for (const IslandReport& island : d.island) {
        most = std::max(most, island.iterations);
        result.inner += static_cast<double>(island.innerIterations) / steps;
      }
      result.iterations += static_cast<double>(most) / steps;
    }
  }
  for (const double time : least) result.microseconds += time / steps;
  result.vertices = m.nflexvert;
  result.rows = d.nefc();
  if (!d.status.ok()) throw std::runtime_error(scene.name + ": " + describeStatus(m, d));
  return result;
}

std::string tableOf(const Series& series, int onlySide, int warmup, int steps, int rounds) {
  std::string text = fmt::format(
      "## {}\n\n| side | vertices | rows | Newton steps | inner iterations | us/step | ns per vertex | growth per "
      "fourfold vertices | "
      "bytes per "
      "vertex |\n|---|---|---|---|---|---|---|---|---|\n",
      series.name);
  Growth last;
  for (const int side : series.sides) {
    if (onlySide > 0 && side != onlySide) continue;
    const Growth now = measure(series.scene(side), warmup, steps, rounds);
    std::string growth = "-";
    if (last.vertices > 0) {
      // time ~ vertices^p between the two sizes: four times the vertices cost 4^p
      const double power =
          std::log(now.microseconds / last.microseconds) / std::log(static_cast<double>(now.vertices) / last.vertices);
      growth = fmt::format("{:.2f}", std::pow(4.0, power));
    }
    const std::string line = fmt::format("| {} | {} | {} | {:.2f} | {:.1f} | {:.0f} | {:.0f} | {} | {:.0f} |\n", side,
                                         now.vertices, now.rows, now.iterations, now.inner, now.microseconds,
                                         1000 * now.microseconds / now.vertices, growth, now.bytes);
    fmt::print("{}: {}", series.name, line);
    std::fflush(stdout);
    text += line;
    last = now;
  }
  return text + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  int side = 0, warmup = 60, steps = 10, rounds = 5;
  bool keep = true;
  CLI::App app{"Times sheets and solids of growing size"};
  app.add_option("SERIES", only, "Only series whose name contains this (nothing is written then)");
  app.add_option("--side", side, "Only this size (nothing is written then)");
  app.add_option("--warmup", warmup, "Steps before the timed ones")->capture_default_str();
  app.add_option("--steps", steps, "Steps that are timed")->capture_default_str();
  app.add_option("--rounds", rounds, "How often they are played; of each step the least time counts")
      ->capture_default_str();
  app.add_flag("!--no-save", keep, "Write nothing to bench/results");
  CLI11_PARSE(app, argc, argv);
  try {
    double load[1] = {0};
    if (getloadavg(load, 1) != 1) load[0] = 0;
    std::string text = fmt::format(
        "# {}: growth\n\nWritten by `make bench-growth`. Processor time of a step, one thread, mean of {} steps after "
        "{}; of each step the least of {} rounds; load average {:.1f} at the start.\nSheets have 1 m edges whatever "
        "their points, cubes too. Memory is what model and data hold after the warm-up.\n\n",
        bench::machineName(), steps, warmup, rounds, load[0]);
    for (const Series& series : allSeries()) {
      if (series.name.find(only) != std::string::npos) text += tableOf(series, side, warmup, steps, rounds);
    }
    if (keep && only.empty() && side == 0) {
      const fs::path file =
          fs::path(SINEW_SOURCE_DIR) / "bench" / "results" / (bench::machineFileName() + "-growth.md");
      std::ofstream(file) << text;
      fmt::print("written to {}\n", fs::relative(file, SINEW_SOURCE_DIR).string());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
  return 0;
}
