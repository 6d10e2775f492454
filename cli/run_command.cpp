#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "constraints.h"
#include "controls.h"
#include "model_source.h"
#include "progress_bar.h"
#include "scenes/scenes.h"
#include "sinew/step.h"
#include "trajectory.h"

namespace sinew::cli {
namespace {

constexpr double kDefaultDuration = 10;  // s

struct RunOptions {
  std::string model;
  double duration = 0;
  long steps = -1;
  std::string key;
  std::string controls = "zero";
  std::string out;
  long every = 1;
  int threads = 1;
  bool json = false;
  ModelChoices choices;
};

struct Summary {
  std::string model;
  long steps = 0;
  double simulated = 0;  // s
  double wall = 0;       // s, in step() and the controls
  double energyStart = 0, energyEnd = 0;
  std::string status;                    // empty: all is well
  Warnings warnings;                     // of the loader
  std::vector<std::string> constraints;  // what asks for constraint forces
  int mostContacts = 0, mostRows = 0;    // of the states between stretches
  std::uint64_t hash = 0;

  double stepsPerSecond() const { return wall > 0 ? static_cast<double>(steps) / wall : 0; }
  double realTimeFactor() const { return wall > 0 ? simulated / wall : 0; }
  double drift() const { return energyEnd - energyStart; }
};

long stepsWanted(const RunOptions& o, const Model& m) {
  if (o.steps >= 0) return o.steps;
  const double duration = o.duration > 0 ? o.duration : kDefaultDuration;
  return std::lround(duration / m.opt.timestep);
}

/// Sensors and energy of a state without disturbing the run.
class Probe {
 public:
  explicit Probe(const Model& m) : m_(m), d_(m) {}
  const Data& at(const Data& d) {
    d_ = d;
    forward(m_, d_);
    energy(m_, d_);
    return d_;
  }

 private:
  const Model& m_;
  Data d_;
};

double totalEnergy(const Data& d) { return d.energy[0] + d.energy[1]; }

Summary simulate(const RunOptions& o, const Model& m) {
  Data d(m);
  d.threads = o.threads;
  if (!o.key.empty()) {
    resetToKey(m, d, findKey(m, o.key));
  } else if (o.model.empty() && m.nkey > 0) {
    resetToKey(m, d, 0);  // the demo starts with a push
  }
  const std::unique_ptr<ControlSource> controls = makeControls(o.controls, m);
  const std::unique_ptr<TrajectoryWriter> trajectory = o.out.empty() ? nullptr : makeTrajectory(o.out, m);
  Probe probe(m);
  Summary summary;
  summary.steps = stepsWanted(o, m);
  const double startTime = d.time;

  controls->apply(m, d);
  summary.energyStart = totalEnergy(probe.at(d));
  {
    using Clock = std::chrono::steady_clock;
    ProgressBar bar(summary.steps);
    Clock::duration wall{};
    // in short stretches, so that the clock is not read for every step
    constexpr long kStretch = 64;
    for (long done = 0;;) {
      controls->apply(m, d);
      if (trajectory && done % o.every == 0) trajectory->record(m, probe.at(d));
      if (done == summary.steps) break;
      const long toSample = trajectory ? o.every - done % o.every : kStretch;
      const long stop = std::min({done + kStretch, done + toSample, summary.steps});
      const Clock::time_point start = Clock::now();
      for (; done < stop; ++done) {
        controls->apply(m, d);
        step(m, d);
      }
      wall += Clock::now() - start;
      summary.mostContacts = std::max(summary.mostContacts, d.ncon());
      summary.mostRows = std::max(summary.mostRows, d.nefc());
      bar.show(done, d.time - startTime);
    }
    summary.wall = std::chrono::duration<double>(wall).count();
  }
  if (trajectory) trajectory->finish();
  summary.energyEnd = totalEnergy(probe.at(d));
  summary.simulated = static_cast<double>(summary.steps) * m.opt.timestep;
  summary.status = describeStatus(m, d);
  summary.hash = stateHash(m, d);
  return summary;
}

void printJson(const RunOptions& o, const Summary& s) {
  nlohmann::ordered_json j{{"model", s.model},
                           {"steps", s.steps},
                           {"simulated_seconds", s.simulated},
                           {"wall_seconds", s.wall},
                           {"steps_per_second", s.stepsPerSecond()},
                           {"real_time_factor", s.realTimeFactor()},
                           {"energy_start", s.energyStart},
                           {"energy_end", s.energyEnd},
                           {"energy_drift", s.drift()},
                           {"most_contacts", s.mostContacts},
                           {"most_constraint_rows", s.mostRows},
                           {"constraints", s.constraints},
                           {"warnings", s.warnings},
                           {"status", s.status.empty() ? "ok" : s.status},
                           {"state_hash", fmt::format("{:016x}", s.hash)}};
  if (!o.out.empty()) j["out"] = o.out;
  fmt::print("{}\n", j.dump(2));
}

void printTable(const RunOptions& o, const Summary& s) {
  const auto row = [](const char* name, const std::string& value) { fmt::print("{:<18}{}\n", name, value); };
  row("model", s.model);
  row("steps", fmt::format("{} ({:.6g} s)", s.steps, s.simulated));
  row("speed", fmt::format("{:.4g} steps/s, {:.4g} us per step", s.stepsPerSecond(),
                           s.steps > 0 ? 1e6 * s.wall / static_cast<double>(s.steps) : 0));
  row("real-time factor", fmt::format("{:.4g}", s.realTimeFactor()));
  row("energy", fmt::format("{:.9g} J to {:.9g} J, drift {:+.3g} J", s.energyStart, s.energyEnd, s.drift()));
  row("contacts", fmt::format("at most {} at a time", s.mostContacts));
  row("constraints", s.constraints.empty()
                         ? "none in use"
                         : fmt::format("{}; at most {} rows at a time", fmt::join(s.constraints, ", "), s.mostRows));
  row("warnings", s.warnings.empty() ? "none" : fmt::format("{}", fmt::join(s.warnings, "; ")));
  row("state hash", fmt::format("{:016x}", s.hash));
  if (!o.out.empty()) row("trajectory", o.out);
  row("status", s.status.empty() ? "ok" : s.status);
}

int execute(const RunOptions& o) {
  Warnings warnings;
  const Model m = o.model.empty() ? compileScene("demo.xml", scenes::demo().mjcf, o.choices, &warnings)
                                  : loadChosen(o.model, o.choices, &warnings);
  Summary summary = simulate(o, m);
  summary.model = o.model.empty() ? "demo scene" : o.model;
  summary.constraints = constraintsInUse(m);
  summary.warnings = std::move(warnings);
  if (o.json) {
    printJson(o, summary);
  } else {
    printTable(o, summary);
  }
  if (summary.status.empty()) return kOk;
  fmt::print(stderr, "error: {}\n", summary.status);
  return kProblem;
}

}  // namespace

Command addRunCommand(CLI::App& app) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* run = app.add_subcommand("run", "Simulate a model and sum up the run");
  run->add_option("MODEL", o->model, "MJCF file; without it a demo scene runs");
  CLI::Option* duration = run->add_option("--duration", o->duration, "Simulated seconds (default 10)");
  duration->check(CLI::PositiveNumber);
  run->add_option("--steps", o->steps, "Number of steps")->check(CLI::NonNegativeNumber)->excludes(duration);
  run->add_option("--key", o->key, "Start from this keyframe")->type_name("NAME|INDEX");
  run->add_option("--ctrl", o->controls, "Controls: zero, sine, keep, or rows of time and controls in a CSV file")
      ->type_name("zero|sine|keep|FILE.csv")
      ->capture_default_str();
  run->add_option("--out", o->out, "Write the trajectory: FILE.csv or FILE.npz")->type_name("FILE");
  run->add_option("--every", o->every, "Record every K-th step")->check(CLI::PositiveNumber)->type_name("K");
  addThreads(*run, o->threads);
  run->add_flag("--json", o->json, "Sum up as JSON");
  addModelChoices(*run, o->choices);
  return {run, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
