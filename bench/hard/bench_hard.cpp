// Piles of free bodies in Sinew's impulse solver and in Bullet and ODE, turn by turn in one run: steps per second, how
// deep things sink into each other and what becomes of the energy. One judge looks at all of them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "hard/engine.h"
#include "hard/pile.h"
#include "machine.h"
#include "sinew/version.h"

namespace {

using namespace sinew::bench;  // NOLINT(google-build-using-namespace)
namespace fs = std::filesystem;

/// Steps an engine makes before it is the next one's turn.
constexpr int kTurn = 5;

struct Run {
  std::string engine;
  double microsecondsPerStep = 0;
  Judgement before, after;  // of the timed steps
  double sweeps = 0;
};

struct PileResult {
  std::string name;
  int bodies = 0;
  std::vector<Run> runs;  // Sinew first
};

struct Contender {
  std::unique_ptr<Engine> (*make)(const Pile&, int sweeps) = nullptr;
  int sweeps = kSweeps;
};

PileResult measure(const Pile& pile,
                   const std::vector<Contender>& contenders = {{makeSinew}, {makeBullet}, {makeOde}}) {
  std::vector<std::unique_ptr<Engine>> engines;
  PileResult result{pile.name, static_cast<int>(pile.bodies.size()), {}};
  for (const Contender& contender : contenders) {
    auto engine = contender.make(pile, contender.sweeps);
    if (!engine) continue;
    for (int k = 0; k < pile.warmUp; ++k) engine->step();
    Run& run = result.runs.emplace_back();
    run.engine = engine->name();
    if (contender.sweeps != kSweeps) run.engine += fmt::format(", {} sweeps", contender.sweeps);
    run.before = judge(pile, engine->states());
    engines.push_back(std::move(engine));
  }
  for (int k = 0; k < pile.timed; k += kTurn) {
    for (std::size_t e = 0; e < engines.size(); ++e) {
      const double begin = cpuMicroseconds();
      for (int i = 0; i < kTurn; ++i) engines[e]->step();
      result.runs[e].microsecondsPerStep += (cpuMicroseconds() - begin) / pile.timed;
      result.runs[e].sweeps += engines[e]->sweeps() * kTurn / pile.timed;
    }
  }
  for (std::size_t e = 0; e < engines.size(); ++e) result.runs[e].after = judge(pile, engines[e]->states());
  return result;
}

/// How an engine is doing at the end of the timed steps.
Judgement judgeAtTheEnd(const Pile& pile, Engine& engine) {
  for (int k = 0; k < pile.warmUp + pile.timed; ++k) engine.step();
  return judge(pile, engine.states());
}

/// Sinew with its ten sweeps against Bullet with as many as it takes for things to sink no deeper in the mean. Doubled
/// until then, or until it would take all day.
std::optional<PileResult> measureAtEqualDepth(const Pile& pile, double depth) {
  const int most = pile.bodies.size() <= 1000 ? 160 : 40;
  int sweeps = 2 * kSweeps;
  for (;; sweeps *= 2) {
    const auto engine = makeBullet(pile, sweeps);
    if (!engine) return std::nullopt;
    if (judgeAtTheEnd(pile, *engine).mean <= depth || sweeps >= most) break;
  }
  return measure(pile, {{makeSinew}, {makeBullet, sweeps}});
}

/// Bullet with its ten sweeps against Sinew with as few as keep things from sinking deeper, in the mean and at worst,
/// and the pile from coming down: it has no less energy.
std::optional<PileResult> measureAtBulletsDepth(const Pile& pile) {
  const auto bullet = makeBullet(pile, kSweeps);
  if (!bullet) return std::nullopt;
  const Judgement allowed = judgeAtTheEnd(pile, *bullet);
  int sweeps = 1;
  for (; sweeps < kSweeps; ++sweeps) {
    const Judgement reached = judgeAtTheEnd(pile, *makeSinew(pile, sweeps));
    if (reached.mean <= allowed.mean && reached.deepest <= allowed.deepest && reached.energy >= allowed.energy) break;
  }
  return measure(pile, {{makeSinew, sweeps}, {makeBullet}});
}

std::string tableOf(const std::vector<PileResult>& results) {
  std::string text =
      "| scene | bodies | engine | steps/s | us/step/body | speed of Sinew against it | contacts | deepest, mm | mean "
      "depth, mm | energy change, J | fastest body, m/s | sweeps "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const PileResult& r : results) {
    for (const Run& run : r.runs) {
      text +=
          fmt::format("| {} | {} | {} | {:.1f} | {:.3f} | {:.2f} | {} | {:.3f} | {:.4f} | {:.3g} | {:.3g} | {} |\n",
                      r.name, r.bodies, run.engine, 1e6 / run.microsecondsPerStep, run.microsecondsPerStep / r.bodies,
                      run.microsecondsPerStep / r.runs.front().microsecondsPerStep, run.after.contacts,
                      1e3 * run.after.deepest, 1e3 * run.after.mean, run.after.energy - run.before.energy,
                      run.after.fastest, run.sweeps > 0 ? fmt::format("{:.1f}", run.sweeps) : std::string("-"));
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  bool keep = true;
  CLI::App app{"Times piles of free bodies in Sinew's impulse solver, Bullet and ODE"};
  app.add_option("SCENE", only, "Only scenes whose name contains this (nothing is written then)");
  app.add_flag("!--no-save", keep, "Write nothing to bench/results");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<PileResult> piles, equal, series;
    for (const Pile& pile : {boxPyramid(20), boxPile(1000), spherePile(5000)}) {
      if (pile.name.find(only) == std::string::npos) continue;
      piles.push_back(measure(pile));
      fmt::print("{}\n", tableOf({piles.back()}));
      std::fflush(stdout);
      for (auto& result :
           {measureAtBulletsDepth(pile), measureAtEqualDepth(pile, piles.back().runs.front().after.mean)}) {
        if (!result) continue;
        equal.push_back(*result);
        fmt::print("{}\n", tableOf({equal.back()}));
        std::fflush(stdout);
      }
    }
    for (const auto make : {boxStacks, boxPile}) {
      for (const int count : {100, 1000, 10000}) {
        Pile pile = make(count);
        if (make == boxPile) pile.name = fmt::format("series{}", count);
        if (count >= 10000) pile.timed = 30;
        if (pile.name.find(only) == std::string::npos) continue;
        series.push_back(measure(pile));
        fmt::print("{}\n", tableOf({series.back()}));
        std::fflush(stdout);
      }
    }
    if (keep && only.empty()) {
      const fs::path file = fs::path(SINEW_SOURCE_DIR) / "bench" / "results" / (machineFileName() + "-hard.md");
      std::ofstream(file) << fmt::format(
          "# Hard contacts on {}\n\nWritten by `make bench-hard`. Sinew {}, Debian's Bullet (single precision) and ODE "
          "(double precision), {} sweeps at most, no sleeping, one\nthread each, step 1/60 s, friction 0.5; processor "
          "time, turn by turn. Contacts and depths are found by one judge, Sinew's colliders, in\neach engine's end "
          "state.\n\n{}\n## At equal depth\n\nFirst Sinew with as few sweeps as keep things from sinking deeper than "
          "in Bullet, in the mean and at worst, and the pile from having less energy. Then Bullet with more sweeps, "
          "doubled until its mean depth is not above "
          "Sinew's\n(160 at most, 40 for 5000 bodies).\n\n{}\n## Cost per body\n\nCubes in stacks of ten, apart from "
          "each "
          "other; and boxes in bins whose area grows with their number, about ten layers high, which are one "
          "island.\n\n{}",
          machineName(), sinew::kVersion, kSweeps, tableOf(piles), tableOf(equal), tableOf(series));
      fmt::print("written to {}\n", fs::relative(file, SINEW_SOURCE_DIR).string());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
  return 0;
}
