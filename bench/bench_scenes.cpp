// Times the benchmark scenes in Sinew and in the npm MuJoCo, turn by turn in one run, and keeps the result under the
// name of the machine. The stretch is the same on both sides; the end states are compared to prove it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "child_process.h"
#include "scenes/replay.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/version.h"

namespace {

using namespace sinew;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Settings {
  scenes::Stretch stretch;
  int rounds = 30;
  std::string only;  // scenes whose name contains this
  fs::path results = fs::path(SINEW_SOURCE_DIR) / "bench" / "results";
  bool save = true;
};

struct Result {
  std::string name;
  int nbody = 0, nv = 0;
  scenes::Spread sinew, reference;  // us per step
  std::uint64_t hash = 0;
  bool isReproducible = true;
  double farthest = 0;  // largest difference of a coordinate at the end of the stretch
  double ratio() const { return sinew.least > 0 ? reference.least / sinew.least : 0; }
};

std::string machineName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown machine";
}

std::string fileNameOf(const std::string& machine) {
  std::string name;
  for (const char c : machine) {
    const bool isWord = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (isWord) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!isWord && !name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// The reference engine in a process of its own.
class Reference {
 public:
  Reference() : process_({"node", (fs::path(SINEW_SOURCE_DIR) / "bench" / "reference.mjs").string()}) {}

  void load(const fs::path& file, const scenes::Stretch& stretch) {
    const ordered_json answer = ask({{"load", file.string()}, {"warmup", stretch.warmup}, {"steps", stretch.steps}});
    version_ = answer.at("version").get<std::string>();
  }
  double microsecondsPerStep() {
    const ordered_json answer = ask({{"play", true}});
    qpos_ = answer.at("qpos").get<std::vector<double>>();
    return answer.at("us").get<double>();
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

Result measure(const scenes::Scene& scene, const Settings& settings, Reference* reference,
               const TemporaryFolder& folder) {
  const Model m = compile(readMjcfText(scene.mjcf, scene.name + ".xml"));
  scenes::Replay replay(m, settings.stretch);
  if (reference) reference->load(folder.write(scene), settings.stretch);
  std::vector<double> ours, theirs;
  for (int round = 0; round < settings.rounds; ++round) {
    ours.push_back(replay.microsecondsPerStep());
    if (reference) theirs.push_back(reference->microsecondsPerStep());
  }
  Result result{scene.name,
                m.nbody,
                m.nv,
                scenes::spreadOf(ours),
                scenes::spreadOf(theirs),
                replay.hash(),
                replay.isReproducible()};
  if (reference) {
    for (int i = 0; i < m.nq; ++i) {
      const double difference = std::abs(replay.data().qpos[i] - reference->qpos()[static_cast<std::size_t>(i)]);
      result.farthest = std::max(result.farthest, difference);
    }
  }
  return result;
}

std::string tableOf(const std::vector<Result>& results) {
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

void save(const std::vector<Result>& results, const Settings& settings, const std::string& referenceVersion) {
  const std::string machine = machineName();
  ordered_json j{{"machine", machine},
                 {"sinew", kVersion},
                 {"reference", referenceVersion.empty() ? "not run" : "npm MuJoCo " + referenceVersion},
                 {"warmup", settings.stretch.warmup},
                 {"steps", settings.stretch.steps},
                 {"rounds", settings.rounds},
                 {"scenes", ordered_json::array()}};
  for (const Result& r : results) {
    j["scenes"].push_back({{"name", r.name},
                           {"nbody", r.nbody},
                           {"nv", r.nv},
                           {"us_per_step", r.sinew.least},
                           {"us_per_step_lower_quartile", r.sinew.lowerQuartile},
                           {"reference_us_per_step", r.reference.least},
                           {"reference_us_per_step_lower_quartile", r.reference.lowerQuartile},
                           {"ratio", r.ratio()},
                           {"largest_qpos_difference", r.farthest},
                           {"state_hash", fmt::format("{:016x}", r.hash)},
                           {"reproducible", r.isReproducible}});
  }
  fs::create_directories(settings.results);
  const fs::path stem = settings.results / fileNameOf(machine);
  std::ofstream(stem.string() + ".json") << j.dump(2) << "\n";
  std::ofstream(stem.string() + ".md") << fmt::format(
      "# {}\n\nSinew {} against {}; {} steps after {} of warm-up, least of {} rounds, turn by turn.\n"
      "The npm package runs about half as fast as native MuJoCo.\n\n{}",
      machine, kVersion, j["reference"].get<std::string>(), settings.stretch.steps, settings.stretch.warmup,
      settings.rounds, tableOf(results));
  fmt::print("written to {}.json and .md\n", fs::relative(stem, SINEW_SOURCE_DIR).string());
}

int run(const Settings& settings) {
  const TemporaryFolder folder;
  std::unique_ptr<Reference> reference;
  std::vector<Result> results;
  std::string version;
  try {
    reference = std::make_unique<Reference>();
  } catch (const std::exception& error) {
    fmt::print(stderr, "warning: without the reference: {}\n", error.what());
  }
  fmt::print("{:<14}{:>8}{:>6}{:>12}{:>14}{:>8}  {:<18}{}\n", "scene", "bodies", "dofs", "Sinew us", "npm MuJoCo us",
             "ratio", "state hash", "qpos difference");
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
    fmt::print("{:<14}{:>8}{:>6}{:>12.2f}{:>14.2f}{:>8.2f}  {:016x}  {:.1e}{}\n", r.name, r.nbody, r.nv, r.sinew.least,
               r.reference.least, r.ratio(), r.hash, r.farthest, r.isReproducible ? "" : "  NOT REPRODUCIBLE");
    results.push_back(r);
  }
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
  app.add_flag("!--no-save", settings.save, "Write nothing to bench/results");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
