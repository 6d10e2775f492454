#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "model_source.h"
#include "numbers.h"
#include "output.h"
#include "scenes/replay.h"
#include "scenes/scenes.h"

namespace sinew::cli {
namespace {

struct BenchOptions {
  std::vector<std::string> models;
  scenes::Stretch stretch;
  int rounds = 10;
  int threads = 1;
  bool json = false;
  ModelChoices choices;
};

struct Measurement {
  std::string name;
  int nbody = 0;
  int nv = 0;
  int ncon = 0, nefc = 0;        // at the end of the stretch
  scenes::Spread step, forward;  // us
  std::uint64_t hash = 0;
  bool isReproducible = true;
  std::string status;  // empty: all is well
};

Measurement measure(const std::string& name, const Model& m, const BenchOptions& o) {
  scenes::Replay replay(m, o.stretch, o.threads);
  std::vector<double> steps, forwards;
  for (int i = 0; i < o.rounds; ++i) {
    steps.push_back(replay.microsecondsPerStep());
    forwards.push_back(replay.microsecondsPerForward());
  }
  return {name,
          m.nbody,
          m.nv,
          replay.data().ncon(),
          replay.data().nefc(),
          scenes::spreadOf(steps),
          scenes::spreadOf(forwards),
          replay.hash(),
          replay.isReproducible(),
          describeStatus(m, replay.data())};
}

void printRow(const Measurement& b) {
  fmt::print("{:<24}{:>7}{:>7}{:>7}{:>12.3f}{:>12.3f}{:>13.3f}  {:016x}{}\n", b.name, b.nbody, b.nv, b.nefc,
             b.step.least, b.step.lowerQuartile, b.forward.least, b.hash, b.isReproducible ? "" : "  NOT REPRODUCIBLE");
}

nlohmann::ordered_json asJson(const Measurement& b) {
  return {{"name", b.name},
          {"nbody", b.nbody},
          {"nv", b.nv},
          {"ncon", b.ncon},
          {"nefc", b.nefc},
          {"us_per_step", b.step.least},
          {"us_per_step_lower_quartile", b.step.lowerQuartile},
          {"us_per_forward", b.forward.least},
          {"us_per_forward_lower_quartile", b.forward.lowerQuartile},
          {"state_hash", fmt::format("{:016x}", b.hash)},
          {"reproducible", b.isReproducible},
          {"status", b.status.empty() ? "ok" : b.status}};
}

int execute(const BenchOptions& o) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  bool allWell = true;
  bool hasHeader = o.json;
  const auto take = [&](const std::string& name, const Model& m) {
    const Measurement b = measure(name, m, o);
    allWell = allWell && b.isReproducible && b.status.empty();
    if (!b.status.empty()) fmt::print(stderr, "error: {}: {}\n", name, b.status);
    if (o.json) {
      results.push_back(asJson(b));
    } else {
      if (!hasHeader) {
        fmt::print("{:<24}{:>7}{:>7}{:>7}{:>12}{:>12}{:>13}  {}\n", "model", "bodies", "dofs", "rows", "us/step",
                   "(quartile)", "us/forward", "state hash");
      }
      hasHeader = true;
      printRow(b);
      flushOutput();
    }
  };
  for (const std::string& file : o.models) {
    take(std::filesystem::path(file).stem().string(), loadChosen(file, o.choices));
  }
  if (o.models.empty()) {
    for (const scenes::Scene& scene : scenes::benchmarkScenes()) {
      take(scene.name, compileScene(scene.name + ".xml", scene.mjcf, o.choices));
    }
  }
  if (o.json) {
    const nlohmann::ordered_json j{
        {"warmup", o.stretch.warmup}, {"steps", o.stretch.steps}, {"rounds", o.rounds}, {"models", results}};
    fmt::print("{}\n", j.dump(2));
  }
  return allWell ? kOk : kProblem;
}

}  // namespace

Command addBenchCommand(CLI::App& app) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Time models: warm up, save the state, replay the same steps");
  bench->add_option("MODEL", o->models, "MJCF or URDF files; without them the built-in scenes");
  bench->add_option("--warmup", o->stretch.warmup, "Steps before the stretch that is timed")
      ->transform(wholeNumber(0, std::numeric_limits<int>::max()))
      ->capture_default_str();
  bench->add_option("--steps", o->stretch.steps, "Steps that are timed")
      ->transform(wholeNumber(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  bench->add_option("--rounds", o->rounds, "How often they are replayed")
      ->transform(wholeNumber(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  addThreads(*bench, o->threads);
  bench->add_flag("--json", o->json, "As JSON");
  addModelChoices(*bench, o->choices);
  return {bench, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
