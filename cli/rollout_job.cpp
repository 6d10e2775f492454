#include "rollout_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "columns.h"
#include "command.h"
#include "content_hash.h"
#include "extras.h"
#include "numbers.h"
#include "protected_files.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/version.h"

namespace sinew::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::string absolute(const std::string& file) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(file, error), error);
  return error ? file : path.string();
}

bool isWord(const std::string& controls) {
  return controls == "zero" || controls == "sine" || controls == "keep" || controls == "keyframe" ||
         controls == "noise" || controls.starts_with("noise(");
}

std::string compilerName() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::int64_t stepsOf(const JobOptions& o, const Model& m) {
  if (o.steps >= 0) return o.steps;
  const double steps = o.duration / m.opt.timestep;
  if (!(steps <= static_cast<double>(kMostSteps))) {
    throw CommandError(
        fmt::format("{} s in steps of {} s are more than {} steps", o.duration, m.opt.timestep, kMostSteps));
  }
  return std::llround(steps);
}

/// The number of runs, and that it fits a grid.
std::int64_t runsOf(const JobOptions& o, const Sweep& sweep) {
  const std::int64_t grid = sweep.gridSize();
  if (o.runs == 0) {
    if (!sweep.hasGrid()) throw CommandError("--runs is needed: how many runs?");
    return grid;
  }
  if (o.runs % grid != 0) {
    throw CommandError(
        fmt::format("--runs {} is not a multiple of the {} points of the grid that --vary spans", o.runs, grid));
  }
  return o.runs;
}

/// Some hundred files, of which none takes much memory. Depends on the job alone, as all its processes must agree.
Chunks chunksOf(const JobOptions& o, std::int64_t runs, const ResultShape& shape) {
  if (o.chunk > 0) return Chunks::equal(runs, std::min(o.chunk, runs));
  constexpr std::int64_t kFiles = 256;
  constexpr double kMostBytes = 64.0 * (1 << 20);
  double bytes = 8.0 * (shape.nq + shape.nv + shape.na + shape.parameters + 8);
  for (const RecordedArray& a : shape.arrays) bytes += 8.0 * static_cast<double>(shape.samples) * a.width();
  const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(kMostBytes / bytes));
  return Chunks::shrinking(runs, std::clamp<std::int64_t>((runs + kFiles - 1) / kFiles, 1, most));
}

}  // namespace

Json JobOptions::json() const {
  std::vector<std::string> varied;
  for (const std::string& text : vary) varied.push_back(text.find('=') == text.npos ? absolute(text) : text);
  return {{"model", absolute(model)},
          {"runs", runs},
          {"steps", steps},
          {"duration", duration},
          {"seed", seed},
          {"key", key},
          {"controls", isWord(controls) ? controls : absolute(controls)},
          {"vary", varied},
          {"record", record},
          {"every", every},
          {"chunk", chunk},
          {"gap", choices.gap},
          {"set", choices.settings},
          {"disable", choices.disabled},
          {"enable", choices.enabled},
          {"package", choices.packages},
          {"max_memory", choices.maxMemory}};
}

JobOptions JobOptions::of(const nlohmann::ordered_json& j) {
  JobOptions o;
  j.at("model").get_to(o.model);
  j.at("runs").get_to(o.runs);
  j.at("steps").get_to(o.steps);
  j.at("duration").get_to(o.duration);
  j.at("seed").get_to(o.seed);
  j.at("key").get_to(o.key);
  j.at("controls").get_to(o.controls);
  j.at("vary").get_to(o.vary);
  j.at("record").get_to(o.record);
  j.at("every").get_to(o.every);
  j.at("chunk").get_to(o.chunk);
  j.at("gap").get_to(o.choices.gap);
  j.at("set").get_to(o.choices.settings);
  j.at("disable").get_to(o.choices.disabled);
  j.at("enable").get_to(o.choices.enabled);
  j.at("package").get_to(o.choices.packages);
  j.at("max_memory").get_to(o.choices.maxMemory);
  return o;
}

Job::Job(const JobOptions& options) : options_(options) {
  const JobOptions& o = options_;
  sweep_ = std::make_unique<Sweep>(o.vary);
  Warnings warnings;
  Spec spec = readChosen(o.model, o.choices, &warnings);
  for (const fs::path& file : filesOf(spec)) {
    std::error_code error;
    if (fs::is_regular_file(file, error)) files_.push_back(file.string());
  }
  std::sort(files_.begin(), files_.end());
  files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
  // the models of the runs would say the same again
  const auto sink = std::make_shared<std::atomic<Warnings*>>(&warnings);
  const auto compile = [choices = o.choices, sink](const Spec& s) { return compileChosen(s, choices, sink->load()); };
  try {
    model_ = std::make_unique<VariedModel>(std::move(spec), compile, sweep_->addresses());
  } catch (const std::invalid_argument& error) {
    throw CommandError(fmt::format("--vary {}", error.what()));
  }
  sink->store(nullptr);
  const Model& m = model_->base();
  if (!o.choices.quiet) {
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  }
  key_ = o.key.empty() ? -1 : findKey(m, o.key);
  const std::int64_t runs = runsOf(o, *sweep_);
  const std::vector<std::string> addresses = sweep_->addresses();
  if (o.steps < 0 && std::find(addresses.begin(), addresses.end(), "option.timestep") != addresses.end()) {
    throw CommandError("--duration with a timestep that varies gives runs of different lengths; say --steps");
  }
  const std::int64_t steps = stepsOf(o, m);
  const std::int64_t every = o.every > 0 ? o.every : std::max<std::int64_t>(1, steps);
  try {
    plan_ = std::make_unique<Rollout>(m, steps, every, o.record);
  } catch (const std::invalid_argument& error) {
    throw CommandError(fmt::format("--record: {}", error.what()));
  }
  controls_ = makeRunControls(o.controls, m, runs, o.seed, controlsHash_);
  for (const std::string& address : addresses) {
    const bool isControl =
        address.starts_with("ctrl") || address.ends_with(".ctrl") || address.find(".ctrl[") != address.npos;
    if (isControl && o.controls != "keep" && o.controls != "keyframe") {
      throw CommandError(
          fmt::format("--vary {}: --controls {} would overwrite it; say --controls keyframe", address, o.controls));
    }
  }
  std::vector<double> nominal;
  for (int p = 0; p < model_->size(); ++p) nominal.push_back(model_->nominal(p));
  values_ = sweep_->draw(runs, o.seed, nominal);
  try {
    model_->prepare(values_, runs);
  } catch (const std::invalid_argument& error) {
    throw CommandError(fmt::format("--vary {}", error.what()));
  }
  shape_ = {plan_->samples(), m.nq, m.nv, m.na, model_->size(), plan_->arrays()};
  chunks_ = chunksOf(o, runs, shape_);
}

Json Job::manifest() const {
  const Model& m = model_->base();
  const JobOptions& o = options_;
  Json job{{"version", std::string(kVersion)},
           {"model_hash", hex(hashOf(m))},
           {"runs", runs()},
           {"steps", plan_->steps()},
           {"every", o.every},
           {"seed", o.seed},
           {"key", key_ < 0 ? Json() : Json(key_)},
           {"controls", controlsHash_ == 0 ? o.controls : fs::path(o.controls).filename().string()},
           {"record", o.record},
           {"chunk", chunks_.largest()},
           {"shrinking", chunks_.isShrinking()}};
  if (controlsHash_ != 0) job["controls_hash"] = hex(controlsHash_);
  Json vary = Json::array();
  for (const std::string& text : o.vary) {
    vary.push_back(text.find('=') == text.npos ? fs::path(text).filename().string() : text);
  }
  job["vary"] = vary;
  if (sweep_->filesHash() != 0) job["vary_hash"] = hex(sweep_->filesHash());

  Json files = Json::array();
  for (const std::string& file : files_) {
    std::string text;
    try {
      text = readFile(file);
    } catch (const LoadError&) {
      continue;  // it was needed for nothing
    }
    files.push_back(
        {{"file", fs::path(file).filename().string()}, {"bytes", text.size()}, {"hash", hex(contentHash(text))}});
  }
  // names of what the numbers of a recorded array belong to
  Json columns = Json::object();
  for (const Quantity& quantity : quantitiesOf(m)) {
    for (const RecordedArray& a : plan_->arrays()) {
      if (a.name == quantity.name && a.name != "time") columns[a.name] = quantity.columns;
    }
  }
  if (model_->size() > 0) columns["param"] = sweep_->addresses();

  char now[32] = {};
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  std::strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {{"job", job},
          {"model", {{"file", fs::path(o.model).filename().string()}, {"timestep", m.opt.timestep}, {"files", files}}},
          {"build", {{"version", std::string(kVersion)}, {"compiler", compilerName()}}},
          {"results", shape_.json()},
          {"columns", columns},
          {"started", {{"command", commandLine()}, {"host", hostName()}, {"at", now}}},
          {"options", o.json()}};
}

std::span<const double> Job::valuesOf(std::int64_t run) const {
  const auto width = static_cast<std::size_t>(model_->size());
  return std::span(values_).subspan(static_cast<std::size_t>(run) * width, width);
}

bool Job::compute(std::int64_t run, Workspace& w, const std::function<bool()>& stop, ResultTable& results) const {
  const std::span<const double> values = valuesOf(run);
  const Model* m = &model_->base();
  try {
    m = &model_->modelOf(values, w.model);
  } catch (const LoadError& error) {
    results.fail(run, values, error.what());
    return true;
  }
  Data& d = w.data;
  d = w.start;  // nothing of the run before is left, not even what only concerns speed
  if (key_ >= 0) {
    resetToKey(*m, d, key_);
  } else if (model_->size() > 0) {
    reset(*m, d);
  }
  model_->setState(values, d);
  w.step = 0;
  const auto control = [&](const Model& its, Data& at, std::int64_t step) {
    w.step = step;
    controls_->apply(its, at, run, step);
  };
  const RunOutcome outcome = plan_->run(*m, d, results.samplesOf(run), control, stop);
  if (outcome.stopped) return false;
  results.set(run, values, outcome);
  return true;
}

}  // namespace sinew::cli
