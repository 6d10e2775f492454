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
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "machine.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace {

using namespace sinew;  // NOLINT(google-build-using-namespace)
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
      {"elastic sheet on a ball, implicit", scenes::elasticCloth, {10, 20, 40, 80, 160}},
      {"solid cube on a floor, length rows", scenes::solidCube, {5, 8, 12, 16, 24}},
      {"elastic cube on a floor, implicit", scenes::elasticCube, {5, 8, 12, 16, 24}},
  };
  return all;
}

double bytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// One size of a series: its state after the warm-up, and what a stretch of steps from there costs.
class Size {
 public:
  Size(const scenes::Scene& scene, int warmup, int steps)
      : name_(scene.name),
        before_(bytesInUse()),
        m_(compile(readMjcfText(scene.mjcf, scene.name + ".xml"))),
        d_(m_),
        least_(static_cast<std::size_t>(steps), std::numeric_limits<double>::infinity()) {
    for (int i = 0; i < warmup; ++i) step(m_, d_);
    bytes_ = (bytesInUse() - before_) / m_.nflexvert;
    start_.emplace(d_);
  }

  /// Of each step the least time of all rounds counts.
  void playRound() {
    d_ = *start_;
    iterations_ = inner_ = 0;
    for (double& time : least_) {
      const double begin = bench::cpuMicroseconds();
      step(m_, d_);
      time = std::min(time, bench::cpuMicroseconds() - begin);
      int most = 0;
      inner_ += d_.metricIterations;
      for (const IslandReport& island : d_.island) {
        most = std::max(most, island.iterations);
        inner_ += island.innerIterations;
      }
      iterations_ += most;
    }
    if (!d_.status.ok()) throw std::runtime_error(name_ + ": " + describeStatus(m_, d_));
  }

  double steps() const { return static_cast<double>(least_.size()); }
  double microseconds() const { return std::accumulate(least_.begin(), least_.end(), 0.0) / steps(); }
  int vertices() const { return m_.nflexvert; }

  std::string line(int side, const std::string& growth) const {
    return fmt::format("| {} | {} | {} | {:.2f} | {:.1f} | {:.0f} | {:.0f} | {} | {:.0f} |\n", side, vertices(),
                       d_.nefc(), iterations_ / steps(), inner_ / steps(), microseconds(),
                       1000 * microseconds() / vertices(), growth, bytes_);
  }

 private:
  std::string name_;
  double before_;
  Model m_;
  Data d_;
  std::vector<double> least_;  // us
  double bytes_ = 0;           // per vertex
  std::optional<Data> start_;
  double iterations_ = 0, inner_ = 0;  // of the last round
};

/// All sizes of a series take turns, so that whatever else the machine does meets them alike.
std::string tableOf(const Series& series, int onlySide, int warmup, int steps, int rounds) {
  std::string text = fmt::format(
      "## {}\n\n| side | vertices | rows | Newton steps | inner iterations | us/step | ns per vertex | growth per "
      "fourfold vertices | bytes per vertex |\n|---|---|---|---|---|---|---|---|---|\n",
      series.name);
  std::vector<int> sides;
  std::vector<std::unique_ptr<Size>> sizes;
  for (const int side : series.sides) {
    if (onlySide > 0 && side != onlySide) continue;
    sides.push_back(side);
    sizes.push_back(std::make_unique<Size>(series.scene(side), warmup, steps));
  }
  for (int round = 0; round < rounds; ++round) {
    for (const std::unique_ptr<Size>& size : sizes) size->playRound();
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::string growth = "-";
    if (i > 0) {
      // time ~ vertices^p between the two sizes: four times the vertices cost 4^p
      const Size &now = *sizes[i], &last = *sizes[i - 1];
      const double power = std::log(now.microseconds() / last.microseconds()) /
                           std::log(static_cast<double>(now.vertices()) / last.vertices());
      growth = fmt::format("{:.2f}", std::pow(4.0, power));
    }
    const std::string line = sizes[i]->line(sides[i], growth);
    fmt::print("{}: {}", series.name, line);
    std::fflush(stdout);
    text += line;
  }
  return text + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  int side = 0, warmup = 60, steps = 20, rounds = 11;
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
        "{}; of each step the least of {} rounds, in which the sizes of a series take turns; load average {:.1f} at "
        "the start.\nSheets have 1 m edges whatever "
        "their points, cubes too. Memory is what model and data hold after the warm-up. A sheet of few points has few "
        "contacts,\n"
        "of which few change sides: on a ball it needs fewer Newton steps, and the growth from there shows that, "
        "too.\n\n",
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
