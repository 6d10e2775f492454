#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "constraints.h"
#include "controls.h"
#include "interruption.h"
#include "model_source.h"
#include "numbers.h"
#include "output.h"
#include "progress_bar.h"
#include "protected_files.h"
#include "scenes/scenes.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/replay.h"
#include "sinew/state.h"
#include "sinew/step.h"
#include "trajectory.h"
#include "type_names.h"
#include "view.h"

namespace sinew::cli {
namespace {

constexpr double kDefaultDuration = 10;  // s

struct RunOptions {
  std::string model;
  double duration = 0;
  long steps = -1;
  std::string key;
  std::string controls;  // empty: zero, or as the run that is resumed
  std::string out;
  long every = 0;  // 0: 1, or as the run that is resumed
  std::string checkpoint, resume;
  double everySeconds = 60;
  int threads = 1;
  bool keepGoing = false;
  bool json = false;
  std::string html;
  double fps = ReplayOptions{}.framesPerSecond;
  bool view = false;
  ViewChoices viewChoices;
  ModelChoices choices;
};

/// Where a run stands: what a checkpoint holds beside the state.
struct Progress {
  long done = 0;        // steps
  long wanted = 0;      // steps
  long nextSample = 0;  // the step whose state is recorded next
  long every = 1;
  std::string controls = "zero";
  double startTime = 0;  // s, simulated
  double wall = 0;       // s, in step() and the controls
  double energyStart = 0;
  int mostContacts = 0, mostRows = 0;  // of the states between stretches
  std::string out;                     // absolute path of the trajectory
  TrajectoryPosition recorded;
};

/// Numbers that must come back as they are, also if they are not finite.
std::uint64_t bitsOf(double x) { return std::bit_cast<std::uint64_t>(x); }

std::string noteOf(const Progress& p) {
  return nlohmann::ordered_json{{"sinew run", 1},
                                {"done", p.done},
                                {"wanted", p.wanted},
                                {"next_sample", p.nextSample},
                                {"every", p.every},
                                {"ctrl", p.controls},
                                {"start_time", bitsOf(p.startTime)},
                                {"wall", bitsOf(p.wall)},
                                {"energy_start", bitsOf(p.energyStart)},
                                {"most_contacts", p.mostContacts},
                                {"most_rows", p.mostRows},
                                {"out", p.out},
                                {"samples", p.recorded.samples},
                                {"bytes", p.recorded.bytes}}
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Progress progressOf(const std::string& note, const std::string& file) {
  try {
    const nlohmann::ordered_json j = nlohmann::ordered_json::parse(note);
    const auto real = [&](const char* name) { return std::bit_cast<double>(j.at(name).get<std::uint64_t>()); };
    if (j.at("sinew run").get<int>() == 1) {
      return {.done = j.at("done").get<long>(),
              .wanted = j.at("wanted").get<long>(),
              .nextSample = j.at("next_sample").get<long>(),
              .every = std::max(1L, j.at("every").get<long>()),
              .controls = j.at("ctrl").get<std::string>(),
              .startTime = real("start_time"),
              .wall = real("wall"),
              .energyStart = real("energy_start"),
              .mostContacts = j.at("most_contacts").get<int>(),
              .mostRows = j.at("most_rows").get<int>(),
              .out = j.at("out").get<std::string>(),
              .recorded = {j.at("samples").get<std::uint64_t>(), j.at("bytes").get<std::uint64_t>()}};
    }
  } catch (const nlohmann::ordered_json::exception&) {
  }
  throw CommandError(fmt::format("{}: this checkpoint was not written by 'sinew run'", file));
}

struct Summary {
  std::string model;
  Progress progress;
  int signal = 0;         // that stopped the run
  bool diverged = false;  // and that did
  double simulated = 0;   // s
  double energyEnd = 0;
  std::string status;                    // empty: all is well
  Status violations;                     // the largest ones
  Warnings warnings;                     // of the loader
  std::vector<std::string> constraints;  // what asks for constraint forces
  std::vector<std::string> plans;        // how islands were solved, and why so
  std::uint64_t hash = 0;

  double stepsPerSecond() const { return progress.wall > 0 ? static_cast<double>(progress.done) / progress.wall : 0; }
  double realTimeFactor() const { return progress.wall > 0 ? simulated / progress.wall : 0; }
  double drift() const { return energyEnd - progress.energyStart; }
};

long stepsWanted(const RunOptions& o, const Model& m) {
  if (o.steps >= 0) return o.steps;
  const double steps = (o.duration > 0 ? o.duration : kDefaultDuration) / m.opt.timestep;
  if (!(steps <= static_cast<double>(kMostSteps))) {
    throw CommandError(fmt::format("{} s in steps of {} s are more than {} steps",
                                   o.duration > 0 ? o.duration : kDefaultDuration, m.opt.timestep, kMostSteps));
  }
  return std::lround(steps);
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

/// How often a state went bad, or a step could not be made at all.
int divergences(const Status& status) {
  int count = 0;
  for (const Trouble t :
       {Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc, Trouble::BadOption, Trouble::OtherModel}) {
    count += status[t].count;
  }
  return count;
}

std::string absolutePath(const std::string& file) {
  std::error_code error;
  // made absolute first: what does not exist yet would stay relative
  const std::filesystem::path path = std::filesystem::weakly_canonical(std::filesystem::absolute(file, error), error);
  return error ? file : path.string();
}

/// One run from its beginning or from a checkpoint to its end, to a signal or to a divergence.
class Run {
 public:
  /// `replay`: records the run; may be null.
  Run(const RunOptions& o, const Model& m, Replay* replay) : o_(o), m_(m), d_(m), probe_(m), replay_(replay) {
    d_.threads = o.threads;
    if (o.resume.empty()) {
      begin();
    } else {
      resume();
    }
    controls_ = makeControls(p_.controls, m);
    openTrajectory();
    controls_->apply(m_, d_);
    if (o.resume.empty()) p_.energyStart = totalEnergy(probe_.at(d_));
    if (!o.checkpoint.empty()) writeCheckpoint();  // what cannot be written shows before the run, not after it
  }

  Summary execute() {
    Summary summary;
    {
      const Interruption interruption;
      ProgressBar bar(p_.wanted);
      stepOn(bar);
      summary.signal = Interruption::signal();
      if (trajectory_) trajectory_->finish();
      // a state that went bad is none to continue from: the last good checkpoint stays
      if (!o_.checkpoint.empty() && !diverged_) writeCheckpoint();
    }
    summary.diverged = diverged_;
    summary.energyEnd = totalEnergy(probe_.at(d_));
    summary.simulated = static_cast<double>(p_.done) * m_.opt.timestep;
    summary.status = describeStatus(m_, d_);
    while (!summary.status.empty() && summary.status.back() == '\n') summary.status.pop_back();
    summary.violations = d_.status;
    summary.hash = stateHash(m_, d_);
    summary.progress = p_;
    for (const IslandReport& plan : plans_) summary.plans.push_back(describePlan(plan));
    return summary;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void notePlans() {
    for (const IslandReport& island : d_.island) {
      const auto same = [&](const IslandReport& known) {
        return known.method == island.method && known.matrix == island.matrix && known.reason == island.reason;
      };
      if (std::none_of(plans_.begin(), plans_.end(), same)) plans_.push_back(island);
    }
  }

  void begin() {
    if (!o_.key.empty()) {
      resetToKey(m_, d_, findKey(m_, o_.key));
    } else if (o_.model.empty() && m_.nkey > 0) {
      resetToKey(m_, d_, 0);  // where the robot of the demo is told what to do
      p_.controls = "keep";
    }
    p_.wanted = stepsWanted(o_, m_);
    p_.startTime = d_.time;
    if (!o_.controls.empty()) p_.controls = o_.controls;
    if (o_.every > 0) p_.every = o_.every;
  }

  void resume() {
    p_ = progressOf(loadCheckpoint(m_, d_, o_.resume), o_.resume);
    if (o_.steps >= 0 || o_.duration > 0) p_.wanted = stepsWanted(o_, m_);
    if (p_.wanted < p_.done) {
      throw CommandError(
          fmt::format("{}: the run is at step {} already, {} are asked for", o_.resume, p_.done, p_.wanted));
    }
    if (!o_.controls.empty()) p_.controls = o_.controls;
    if (o_.every > 0 && o_.every != p_.every) {
      p_.every = o_.every;
      p_.nextSample = (p_.done + o_.every - 1) / o_.every * o_.every;
    }
  }

  void openTrajectory() {
    const std::string before = p_.out;
    if (o_.out.empty()) {
      if (!before.empty()) {
        fmt::print(stderr, "note: the run was recorded in '{}' so far; --out with that file continues it\n", before);
      }
      p_.out.clear();
      return;
    }
    p_.out = absolutePath(o_.out);
    const bool continues = !o_.resume.empty() && p_.out == before;
    if (!o_.resume.empty() && !continues && std::filesystem::exists(o_.out)) {
      throw CommandError(fmt::format(
          "--out '{}' exists and is not the trajectory that the checkpoint belongs to ({}); choose a new file", o_.out,
          before.empty() ? "there is none" : "'" + before + "'"));
    }
    if (!continues) p_.recorded = {};
    if (!o_.resume.empty() && before.empty()) p_.nextSample = (p_.done + p_.every - 1) / p_.every * p_.every;
    trajectory_ = makeTrajectory(o_.out, m_, continues ? &p_.recorded : nullptr);
  }

  /// A frame of the replay if one is due; returns how long that took, s.
  double recordReplay() {
    if (!replay_ || !replay_->isDue(d_)) return 0;
    const Clock::time_point start = Clock::now();
    replay_->record(d_);
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  void stepOn(ProgressBar& bar) {
    constexpr long kLongestStretch = 64;
    // in short stretches, so that the clock is not read for every step
    long stretch = 1;
    Clock::time_point flushed = Clock::now(), saved = flushed;
    int known = divergences(d_.status);
    while (!diverged_) {
      controls_->apply(m_, d_);
      if (trajectory_ && p_.done == p_.nextSample) {
        trajectory_->record(probe_.at(d_));
        p_.nextSample += p_.every;
      }
      recordReplay();
      if (p_.done >= p_.wanted || Interruption::signal() != 0) return;
      const long toSample = trajectory_ ? p_.nextSample - p_.done : kLongestStretch;
      const long stop = p_.done + std::min({stretch, toSample, p_.wanted - p_.done});
      const Clock::time_point start = Clock::now();
      while (p_.done < stop && !diverged_ && Interruption::signal() == 0) {
        controls_->apply(m_, d_);
        p_.wall -= recordReplay();
        step(m_, d_);
        ++p_.done;
        const int now = divergences(d_.status);
        diverged_ = now != known && !o_.keepGoing;
        known = now;
      }
      const Clock::time_point end = Clock::now();
      p_.wall += std::chrono::duration<double>(end - start).count();
      stretch = end - start > std::chrono::milliseconds(20) ? std::max(1L, stretch / 2)
                                                            : std::min(kLongestStretch, 2 * stretch);
      p_.mostContacts = std::max(p_.mostContacts, d_.ncon());
      p_.mostRows = std::max(p_.mostRows, d_.nefc());
      notePlans();
      bar.show(p_.done, d_.time - p_.startTime);
      if (trajectory_ && end - flushed >= std::chrono::seconds(1)) {
        trajectory_->flush();
        flushed = Clock::now();
      }
      if (!o_.checkpoint.empty() && !diverged_ &&
          std::chrono::duration<double>(end - saved).count() >= o_.everySeconds) {
        writeCheckpoint();
        saved = Clock::now();
      }
    }
  }

  void writeCheckpoint() {
    if (trajectory_) p_.recorded = trajectory_->sync();
    writing([&] { saveCheckpoint(m_, d_, o_.checkpoint, noteOf(p_)); });
  }

  const RunOptions& o_;
  const Model& m_;
  Data d_;
  Probe probe_;
  Replay* replay_;
  Progress p_;
  std::unique_ptr<ControlSource> controls_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
  bool diverged_ = false;
  std::vector<IslandReport> plans_;  // one for each way in which an island was solved, of the states between stretches
};

/// A collider by its name: geoms are counted first, then flexes.
std::string colliderName(const Model& m, int id) {
  const bool isGeom = id < m.ngeom;
  const std::string_view name = isGeom ? nameOf(m, ObjType::Geom, id) : nameOf(m, ObjType::Flex, id - m.ngeom);
  const char* kind = isGeom ? "geom" : "flex";
  if (!name.empty()) return fmt::format("{} \"{}\"", kind, name);
  if (!isGeom) return fmt::format("flex {}", id - m.ngeom);
  const std::string_view body = nameOf(m, ObjType::Body, m.geom_bodyid[id]);
  return body.empty() ? fmt::format("geom {}", id) : fmt::format("geom {} of body \"{}\"", id, body);
}

std::string equalityName(const Model& m, const LargestError& error) {
  std::string text;
  if (error.equality >= 0) {
    const std::string_view name = nameOf(m, ObjType::Equality, error.equality);
    text = name.empty() ? fmt::format("equality {} ({})", error.equality, wordFor(m.eq_type[error.equality]))
                        : fmt::format("equality \"{}\"", name);
  }
  if (error.flex >= 0) {
    const std::string_view name = nameOf(m, ObjType::Flex, error.flex);
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        name.empty() ? fmt::format("flex {}", error.flex) : fmt::format("flex \"{}\"", name));
    if (error.index >= 0) text += fmt::format(" at {}", error.index);
  }
  return text;
}

std::string penetrationText(const Model& m, const DeepestContact& c) {
  return fmt::format("{:.3g} m at t = {:.6g} s, between {} and {}", c.depth, c.time, colliderName(m, c.collider[0]),
                     colliderName(m, c.collider[1]));
}
std::string errorText(const Model& m, const LargestError& e, const char* unit) {
  return fmt::format("{:.3g} {} at t = {:.6g} s, {}", e.value, unit, e.time, equalityName(m, e));
}

/// Why a run ended before its last step; empty if it did not.
std::string stopText(const RunOptions& o, const Summary& s) {
  if (s.diverged) return "diverged (--keep-going goes on)";
  if (s.signal == 0) return {};
  return fmt::format("{}{}", signalName(s.signal),
                     o.checkpoint.empty() ? "" : fmt::format("; --resume {} continues", o.checkpoint));
}

void printJson(const RunOptions& o, const Model& m, const Summary& s) {
  const Progress& p = s.progress;
  nlohmann::ordered_json j{{"model", s.model},
                           {"steps", p.done},
                           {"steps_wanted", p.wanted},
                           {"simulated_seconds", s.simulated},
                           {"wall_seconds", p.wall},
                           {"steps_per_second", s.stepsPerSecond()},
                           {"real_time_factor", s.realTimeFactor()},
                           {"energy_start", p.energyStart},
                           {"energy_end", s.energyEnd},
                           {"energy_drift", s.drift()},
                           {"most_contacts", p.mostContacts},
                           {"most_constraint_rows", p.mostRows},
                           {"constraints", s.constraints},
                           {"solved_by", s.plans},
                           {"warnings", s.warnings},
                           {"status", s.status.empty() ? "ok" : s.status},
                           {"state_hash", fmt::format("{:016x}", s.hash)}};
  if (const DeepestContact& c = s.violations.deepest; c.depth > 0) {
    j["largest_penetration"] = {{"depth", c.depth},
                                {"time", c.time},
                                {"pos", c.pos},
                                {"between", {colliderName(m, c.collider[0]), colliderName(m, c.collider[1])}}};
  }
  const auto error = [&](const char* name, const LargestError& e) {
    if (e.value > 0) j[name] = {{"value", e.value}, {"time", e.time}, {"of", equalityName(m, e)}};
  };
  error("largest_position_error", s.violations.position);
  error("largest_angle_error", s.violations.angle);
  if (s.diverged) j["stopped"] = "diverged";
  if (s.signal != 0) j["stopped"] = signalName(s.signal);
  if (!o.out.empty()) j["out"] = o.out;
  if (!o.html.empty()) j["html"] = o.html;
  if (!o.checkpoint.empty()) j["checkpoint"] = o.checkpoint;
  fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void printTable(const RunOptions& o, const Model& m, const Summary& s) {
  const auto row = [](const char* name, const std::string& value) { fmt::print("{:<18}{}\n", name, value); };
  const Progress& p = s.progress;
  row("model", s.model);
  row("steps",
      fmt::format("{}{} ({:.6g} s)", p.done, p.done < p.wanted ? fmt::format(" of {}", p.wanted) : "", s.simulated));
  row("speed", fmt::format("{:.4g} steps/s, {:.4g} us per step", s.stepsPerSecond(),
                           p.done > 0 ? 1e6 * p.wall / static_cast<double>(p.done) : 0));
  row("real-time factor", fmt::format("{:.4g}", s.realTimeFactor()));
  row("energy", s.diverged
                    ? fmt::format("{:.9g} J at the start", p.energyStart)
                    : fmt::format("{:.9g} J to {:.9g} J, drift {:+.3g} J", p.energyStart, s.energyEnd, s.drift()));
  row("contacts", fmt::format("at most {} at a time", p.mostContacts));
  row("constraints", s.constraints.empty()
                         ? "none in use"
                         : fmt::format("{}; at most {} rows at a time", fmt::join(s.constraints, ", "), p.mostRows));
  if (!s.plans.empty()) row("solved by", fmt::format("{}", fmt::join(s.plans, "; ")));
  const Status& worst = s.violations;
  if (worst.deepest.depth > 0) row("penetration", "at most " + penetrationText(m, worst.deepest));
  if (worst.position.value > 0) row("equality error", "at most " + errorText(m, worst.position, "m"));
  if (worst.angle.value > 0) row("equality error", "at most " + errorText(m, worst.angle, "rad"));
  row("warnings", s.warnings.empty() ? "none" : fmt::format("{}", fmt::join(s.warnings, "; ")));
  row("state hash", fmt::format("{:016x}", s.hash));
  if (!o.out.empty()) row("trajectory", o.out);
  if (!o.html.empty()) row("replay", o.html);
  if (!o.checkpoint.empty()) row("checkpoint", o.checkpoint);
  if (const std::string stop = stopText(o, s); !stop.empty()) row("stopped by", stop);
  row("status", s.status.empty() ? "ok" : "not ok, see the message");
}

/// Nothing that the run reads is written, and nothing is written twice.
void protectInputs(const RunOptions& o, std::vector<std::filesystem::path> inputs) {
  if (!o.controls.empty()) inputs.emplace_back(o.controls);
  refuseToOverwrite("--checkpoint", o.checkpoint, inputs);
  if (!o.resume.empty()) inputs.emplace_back(o.resume);
  for (const char* ending : {"", ".samples", ".part"}) refuseToOverwrite("--out", o.out + ending, inputs);
  for (const char* ending : {"", ".part"}) {
    if (!o.html.empty()) refuseToOverwrite("--html", o.html + ending, inputs);
  }
  refuseToOverwrite("--checkpoint", o.checkpoint + ".part", inputs);
  refuseSameFile("--out", o.out, "--checkpoint", o.checkpoint);
  refuseSameFile("--out", o.out, "--html", o.html);
  refuseSameFile("--checkpoint", o.checkpoint, "--html", o.html);
}

/// How this program was called; empty where the system does not tell.
std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

/// What records the run for --html.
std::unique_ptr<Replay> replayOf(const RunOptions& o, const Model& m, const Spec& spec) {
  if (o.html.empty()) return nullptr;
  writing([&] { const FileReplacement probe(o.html); });  // rather now than after the run
  ReplayOptions options;
  options.framesPerSecond = o.fps;
  options.mostBytes = o.choices.maxMemory;
  options.title = options.file = o.model.empty() ? "demo scene" : std::filesystem::path(o.model).filename().string();
  options.command = commandLine();
  return std::make_unique<Replay>(spec, m, options);
}

/// --view: the same run, in the browser.
int viewInstead(const RunOptions& o) {
  ViewRun run;
  run.model = o.model;
  run.key = o.key;
  run.threads = o.threads;
  run.duration = o.duration;
  run.choices = o.choices;
  run.view = o.viewChoices;
  if (!o.controls.empty() && o.controls != "keep") {
    // made for the model that is loaded first, and again when that changes
    auto controls = std::make_shared<std::pair<std::uint64_t, std::unique_ptr<ControlSource>>>();
    run.beforeStep = [controls, source = o.controls](const Model& m, Data& d) {
      if (!controls->second || controls->first != m.signature) *controls = {m.signature, makeControls(source, m)};
      controls->second->apply(m, d);
    };
  }
  return showUntilStopped(run);
}

int execute(const RunOptions& o) {
  Warnings warnings;
  std::vector<std::filesystem::path> inputs;
  if (o.view) return viewInstead(o);
  Spec spec;
  const Model m = o.model.empty() ? compileScene("demo.xml", scenes::demo().mjcf, o.choices, &warnings, &spec)
                                  : loadChosen(o.model, o.choices, &warnings, &inputs, &spec);
  protectInputs(o, std::move(inputs));
  const std::unique_ptr<Replay> replay = replayOf(o, m, spec);
  Summary summary = Run(o, m, replay.get()).execute();
  if (replay) writing([&] { replay->save(o.html); });
  summary.model = o.model.empty() ? "demo scene" : o.model;
  summary.constraints = constraintsInUse(m);
  summary.warnings = std::move(warnings);
  if (o.json) {
    printJson(o, m, summary);
  } else {
    printTable(o, m, summary);
  }
  flushOutput();  // before the message, which belongs to it
  if (!summary.status.empty()) {
    fmt::print(stderr, "error: {}\n", o.json ? "the run had trouble, see \"status\"" : summary.status);
  }
  if (summary.signal != 0) return kSignal + summary.signal;
  return summary.status.empty() ? kOk : kProblem;
}

}  // namespace

Command addRunCommand(CLI::App& app) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* run = app.add_subcommand("run", "Simulate a model and sum up the run");
  run->add_option("MODEL", o->model, "MJCF or URDF file; without it a demo scene runs");
  CLI::Option* duration = run->add_option("--duration", o->duration, "Simulated seconds (default 10)");
  duration->transform(positiveNumber());
  run->add_option("--steps", o->steps, "Number of steps")->transform(wholeNumber(0, kMostSteps))->excludes(duration);
  CLI::Option* key = run->add_option("--key", o->key, "Start from this keyframe")->type_name("NAME|INDEX");
  run->add_option("--ctrl", o->controls,
                  "Controls: zero (default), sine, keep, or rows of time and controls in a CSV file")
      ->type_name("zero|sine|keep|FILE.csv");
  run->add_option("--out", o->out, "Write the trajectory: FILE.csv or FILE.npz")->type_name("FILE");
  run->add_option("--every", o->every, "Record every K-th step (default 1)")
      ->transform(wholeNumber(1, kMostSteps))
      ->type_name("K");
  CLI::Option* checkpoint =
      run->add_option("--checkpoint", o->checkpoint, "Save what is needed to continue: now and then, and at the end")
          ->type_name("FILE");
  run->add_option("--every-seconds", o->everySeconds, "Seconds of real time between checkpoints")
      ->transform(nonNegativeNumber())
      ->needs(checkpoint)
      ->capture_default_str()
      ->type_name("S");
  run->add_option("--resume", o->resume, "Continue a run from its checkpoint; --steps counts from its beginning")
      ->excludes(key)
      ->type_name("FILE");
  run->add_flag("--keep-going", o->keepGoing, "Do not stop when the state goes bad (it is reset, as the model says)");
  addThreads(*run, o->threads);
  run->add_flag("--json", o->json, "Sum up as JSON");
  CLI::Option* html =
      run->add_option("--html", o->html, "Write a replay: one HTML file that plays in any browser")->type_name("FILE");
  run->add_option("--fps", o->fps, "Frames of the replay per simulated second")
      ->transform(positiveNumber())
      ->needs(html)
      ->capture_default_str();
  run->add_flag("--view", o->view, "Run in the browser, as `sinew view` does")->excludes(html);
  addViewChoices(*run, o->viewChoices);
  addModelChoices(*run, o->choices);
  return {run, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
