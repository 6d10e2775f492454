// Times the benchmark scenes in Sinew and in the npm MuJoCo, turn by turn in one run, and keeps the result under the
// name of the machine. The stretch is the same on both sides; the end states are compared to prove it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "child_process.h"
#include "machine.h"
#include "scenes/replay.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/version.h"
#include "stage_profile.h"

namespace {

using namespace sinew;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Settings {
  scenes::Stretch stretch;
  int rounds = 30;
  double seconds = 12;  // per scene; no further round begins after that, once there were five
  std::string only;     // scenes whose name contains this
  fs::path results = fs::path(SINEW_SOURCE_DIR) / "bench" / "results";
  bool save = true;
  bool stages = false;  // print them
  bool withReference = true;
  std::string arguments;  // as given
};

/// Steps that are timed together: as many as take about this long, so that other programs seldom come between.
constexpr double kPieceMicroseconds = 500;

/// How often the stages are timed.
constexpr int kProfileRounds = 5;

/// Two engines that play the same motion end this close to each other.
constexpr double kSameMotion = 1e-6;

/// Means over the stretch.
struct Work {
  double contacts = 0, rows = 0, iterations = 0;
};

struct Result {
  std::string name;
  int nbody = 0, nv = 0;
  scenes::Spread sinew, reference;  // us per step
  std::uint64_t hash = 0;
  bool isReproducible = true;
  int rounds = 0;
  double farthest = 0;  // largest difference of a coordinate at the end of the stretch
  std::string kind;     // smooth, contact or flex
  bench::StageProfile profile;
  Work referenceWork;
  double ratio() const { return sinew.least > 0 ? reference.least / sinew.least : 0; }
};

/// The reference engine in a process of its own.
class Reference {
 public:
  Reference() : process_({"node", (fs::path(SINEW_SOURCE_DIR) / "bench" / "reference.mjs").string()}) {}

  void load(const fs::path& file, const scenes::Stretch& stretch) {
    const ordered_json answer = ask({{"load", file.string()}, {"warmup", stretch.warmup}, {"steps", stretch.steps}});
    version_ = answer.at("version").get<std::string>();
  }
  std::vector<double> cpuMicrosecondsOfPieces(int piece) {
    const ordered_json answer = ask({{"play", piece}});
    qpos_ = answer.at("qpos").get<std::vector<double>>();
    return answer.at("us").get<std::vector<double>>();
  }
  Work work() {
    const ordered_json answer = ask({{"count", true}});
    return {answer.at("contacts").get<double>(), answer.at("rows").get<double>(),
            answer.at("iterations").get<double>()};
  }
  const std::vector<double>& qpos() const { return qpos_; }
  const std::string& version() const { return version_; }

 private:
  ordered_json ask(const ordered_json& command) {
    const ordered_json answer = ordered_json::parse(process_.ask(command.dump()));
    if (answer.contains("error")) throw std::runtime_error(answer.at("error").get<std::string>());
    return answer;
  }
  bench::ChildProcess process_;
  std::vector<double> qpos_;
  std::string version_;
};

/// A folder for the scene files, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "sinew-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  fs::path write(const scenes::Scene& scene) const {
    const fs::path file = path_ / (scene.name + ".xml");
    std::ofstream(file) << scene.mjcf;
    return file;
  }

 private:
  fs::path path_;
};

/// Geometric mean of the ratios of the scenes of one kind.
double meanRatio(const std::vector<Result>& results, const std::string& kind) {
  double sum = 0;
  int count = 0;
  for (const Result& r : results) {
    if (r.kind != kind || r.ratio() <= 0) continue;
    sum += std::log(r.ratio());
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 0;
}

std::string meansOf(const std::vector<Result>& results) {
  return fmt::format(
      "Geometric mean of the ratios to the npm package: {:.2f} without contact, {:.2f} with contact, {:.2f} with "
      "flexes",
      meanRatio(results, "smooth"), meanRatio(results, "contact"), meanRatio(results, "flex"));
}

Result measure(const scenes::Scene& scene, const Settings& settings, Reference* reference,
               const TemporaryFolder& folder) {
  const Model m = compile(readMjcfText(scene.mjcf, scene.name + ".xml"));
  scenes::Replay replay(m, settings.stretch);
  if (reference) reference->load(folder.write(scene), settings.stretch);
  std::vector<std::vector<double>> ours, theirs;
  const int piece =
      std::clamp(static_cast<int>(kPieceMicroseconds / replay.microsecondsPerStep()), 1, settings.stretch.steps);
  const auto begin = std::chrono::steady_clock::now();
  const auto enough = [&] {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    return static_cast<int>(ours.size()) >= std::min(5, settings.rounds) && elapsed.count() > settings.seconds;
  };
  while (static_cast<int>(ours.size()) < settings.rounds && !enough()) {
    ours.push_back(replay.cpuMicrosecondsOfPieces(piece));
    if (reference) theirs.push_back(reference->cpuMicrosecondsOfPieces(piece));
  }
  Result result;
  result.name = scene.name;
  result.nbody = m.nbody;
  result.nv = m.nv;
  result.sinew = scenes::spreadOf(ours, settings.stretch.steps);
  result.reference = scenes::spreadOf(theirs, settings.stretch.steps);
  result.rounds = static_cast<int>(ours.size());
  result.hash = replay.hash();
  Data d(m);
  result.profile = bench::profileStages(m, d, replay.start(), settings.stretch.steps, kProfileRounds);
  result.kind = m.nflex > 0 ? "flex" : result.profile.contacts > 0 ? "contact" : "smooth";
  result.isReproducible = replay.isReproducible() && result.profile.hash == result.hash;
  if (reference) result.referenceWork = reference->work();
  if (reference && m.nflex == 0) {  // flexes have other coordinates there
    for (int i = 0; i < m.nq; ++i) {
      const double difference = std::abs(replay.data().qpos[i] - reference->qpos()[i]);
      result.farthest = std::max(result.farthest, difference);
    }
  }
  return result;
}

std::string speedTable(const std::vector<Result>& results) {
  std::string text =
      "| scene | bodies | dofs | Sinew us/step | (lower quartile) | npm MuJoCo us/step | (lower quartile) | ratio | "
      "largest qpos difference | state hash |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Result& r : results) {
    text +=
        fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1e} | {:016x}{} |\n", r.name,
                    r.nbody, r.nv, r.sinew.least, r.sinew.lowerQuartile, r.reference.least, r.reference.lowerQuartile,
                    r.ratio(), r.farthest, r.hash, r.isReproducible ? "" : " NOT REPRODUCIBLE");
  }
  return text;
}

std::string workTable(const std::vector<Result>& results) {
  std::string text =
      "| scene | contacts | (npm MuJoCo) | rows | (npm MuJoCo) | iterations | (npm MuJoCo) | same motion |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const Result& r : results) {
    if (r.kind == "smooth") continue;
    const bench::StageProfile& p = r.profile;
    text +=
        fmt::format("| {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {} |\n", r.name, p.contacts,
                    r.referenceWork.contacts, p.rows, r.referenceWork.rows, p.iterations, r.referenceWork.iterations,
                    r.kind == "flex"           ? "not compared"
                    : r.farthest < kSameMotion ? "yes"
                                               : "no");
  }
  return text;
}

std::string stageTable(const std::vector<Result>& results) {
  if (results.empty()) return {};
  std::string text = "| scene |", line = "\n|---|";
  for (const auto& stage : results.front().profile.stages) {
    text += fmt::format(" {} |", stage.name);
    line += "---|";
  }
  text += line + "\n";
  for (const Result& r : results) {
    text += fmt::format("| {} |", r.name);
    for (const auto& stage : r.profile.stages) text += fmt::format(" {:.2f} |", stage.microseconds);
    text += "\n";
  }
  return text;
}

void save(const std::vector<Result>& results, const Settings& settings, const std::string& referenceVersion) {
  const std::string machine = bench::machineName();
  ordered_json j{{"machine", machine},
                 {"sinew", kVersion},
                 {"reference", referenceVersion.empty() ? "not run" : "npm MuJoCo " + referenceVersion},
                 {"warmup", settings.stretch.warmup},
                 {"steps", settings.stretch.steps},
                 {"rounds", settings.rounds},
                 {"scenes", ordered_json::array()}};
  for (const Result& r : results) {
    ordered_json stages;
    for (const auto& stage : r.profile.stages) stages[stage.name] = stage.microseconds;
    j["scenes"].push_back({{"name", r.name},
                           {"nbody", r.nbody},
                           {"nv", r.nv},
                           {"rounds", r.rounds},
                           {"us_per_step", r.sinew.least},
                           {"us_per_step_lower_quartile", r.sinew.lowerQuartile},
                           {"reference_us_per_step", r.reference.least},
                           {"reference_us_per_step_lower_quartile", r.reference.lowerQuartile},
                           {"ratio", r.ratio()},
                           {"contacts", r.profile.contacts},
                           {"reference_contacts", r.referenceWork.contacts},
                           {"rows", r.profile.rows},
                           {"reference_rows", r.referenceWork.rows},
                           {"islands", r.profile.islands},
                           {"iterations", r.profile.iterations},
                           {"reference_iterations", r.referenceWork.iterations},
                           {"us_per_stage", stages},
                           {"largest_qpos_difference", r.farthest},
                           {"state_hash", fmt::format("{:016x}", r.hash)},
                           {"reproducible", r.isReproducible}});
  }
  for (const char* kind : {"smooth", "contact", "flex"}) {
    j[fmt::format("geometric_mean_ratio_{}", kind)] = meanRatio(results, kind);
  }
  fs::create_directories(settings.results);
  const fs::path stem = settings.results / bench::machineFileName();
  std::ofstream(stem.string() + ".json") << j.dump(2) << "\n";
  std::ofstream(stem.string() + ".md") << fmt::format(
      "# {}\n\nWritten by `make bench`{}. Sinew {} against {}, one thread each; processor time of {} steps after {} of "
      "warm-up,\nleast of up to {} rounds, turn by turn, in pieces of about {} us. These are ratios to the npm "
      "package\n(WebAssembly), not to native MuJoCo, which is faster: [native.md](native.md) has the ratios to "
      "that.\n\n{}\n"
      "{}.\n\n"
      "## Work per step in the scenes with contact or flexes\n\n"
      "Means over the stretch; iterations of the island that takes most. Piles are chaotic: a difference in the last "
      "digit grows until the\ntwo engines play different falls of the same pile. Then the numbers of contacts and rows "
      "tell whether the work is the same.\n\n{}\n"
      "## Sinew by stage, us per step\n\nLeast of five rounds, step by step.\n\n{}",
      machine, settings.arguments.empty() ? "" : " ARGS=\"" + settings.arguments + "\"", kVersion,
      j["reference"].get<std::string>(), settings.stretch.steps, settings.stretch.warmup, settings.rounds,
      kPieceMicroseconds, speedTable(results), meansOf(results), workTable(results), stageTable(results));
  fmt::print("written to {}.json and .md\n", fs::relative(stem, SINEW_SOURCE_DIR).string());
}

int run(const Settings& settings) {
  const TemporaryFolder folder;
  std::unique_ptr<Reference> reference;
  std::vector<Result> results;
  std::string version;
  try {
    if (settings.withReference) reference = std::make_unique<Reference>();
  } catch (const std::exception& error) {
    fmt::print(stderr, "warning: without the reference: {}\n", error.what());
  }
  fmt::print("{:<14}{:>5}{:>10}{:>14}{:>7}{:>9}{:>9}{:>6}{:>6}  {:<18}{}\n", "scene", "dofs", "Sinew us",
             "npm MuJoCo us", "ratio", "contacts", "(theirs)", "iter", "(th.)", "state hash", "qpos difference");
  for (const scenes::Scene& scene : scenes::benchmarkScenes()) {
    if (scene.name.find(settings.only) == std::string::npos) continue;
    Result r;
    try {
      r = measure(scene, settings, reference.get(), folder);
    } catch (const LoadError&) {
      throw;
    } catch (const std::exception& error) {  // of the reference: Sinew is timed all the same
      fmt::print(stderr, "warning: without the reference: {}\n", error.what());
      reference.reset();
      r = measure(scene, settings, nullptr, folder);
    }
    if (reference) version = reference->version();
    fmt::print("{:<14}{:>5}{:>10.2f}{:>14.2f}{:>7.2f}{:>9.1f}{:>9.1f}{:>6.2f}{:>6.2f}  {:016x}  {:.1e}{}\n", r.name,
               r.nv, r.sinew.least, r.reference.least, r.ratio(), r.profile.contacts, r.referenceWork.contacts,
               r.profile.iterations, r.referenceWork.iterations, r.hash, r.farthest,
               r.isReproducible ? "" : "  NOT REPRODUCIBLE");
    if (settings.stages) {
      for (const auto& stage : r.profile.stages) fmt::print("  {:<24}{:>10.2f}\n", stage.name, stage.microseconds);
    }
    std::fflush(stdout);
    results.push_back(r);
  }
  fmt::print("{}\n", meansOf(results));
  if (settings.save && settings.only.empty()) save(results, settings, version);
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.isReproducible; }) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Times the benchmark scenes in Sinew and in the npm MuJoCo"};
  app.add_option("SCENE", settings.only, "Only scenes whose name contains this (nothing is written then)");
  app.add_option("--warmup", settings.stretch.warmup, "Steps before the timed stretch")->capture_default_str();
  app.add_option("--steps", settings.stretch.steps, "Steps of the timed stretch")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "How often it is played")->capture_default_str();
  app.add_option("--seconds", settings.seconds, "No further round of a scene after this time")->capture_default_str();
  app.add_flag("--stages", settings.stages, "Print where the time of a step goes");
  app.add_flag("!--alone", settings.withReference, "Without the npm MuJoCo, for profiling");
  app.add_flag("!--no-save", settings.save, "Write nothing to bench/results");
  CLI11_PARSE(app, argc, argv);
  for (int i = 1; i < argc; ++i) settings.arguments += fmt::format("{}{}", i > 1 ? " " : "", argv[i]);
  try {
    return run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
