#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/paths.h"
#include "tbb/global_control.h"

/// sinew_hashes [EVERY [STEPS]]: steps models with 1, 2 and 4 threads and prints for each of them
///   NAME MODEL_HASH STATE_HASH
/// where the states of all numbers of threads are the same, or an error. Of the models every EVERY-th is taken. With
/// STEPS: that many steps at most, with one thread.
namespace {

using namespace sinew;  // NOLINT(google-build-using-namespace)

struct Candidate {
  std::string name;
  std::filesystem::path file;  ///< or, if it has none,
  std::string text;            ///< what it is
};

void addFolder(const std::string& folder, std::vector<Candidate>& models) {
  std::vector<Candidate> found;
  for (const auto& entry : std::filesystem::directory_iterator(test::sourceDir() / folder)) {
    if (entry.path().extension() == ".xml")
      found.push_back({folder + "/" + entry.path().filename().string(), entry.path(), {}});
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.name < b.name; });
  models.insert(models.end(), found.begin(), found.end());
}

/// Own scenes with and without contact and with flexes, the examples, and the scenes of the conformance tests.
std::vector<Candidate> allModels() {
  std::vector<Candidate> models;
  for (const scenes::Scene& scene : scenes::benchmarkScenes()) models.push_back({scene.name, {}, scene.mjcf});
  addFolder("examples/models", models);
  addFolder("tests/conformance/scenes/constrained", models);
  addFolder("tests/conformance/scenes", models);
  return models;
}

/// Hash of the state after a run from moving bodies and controls that change; fewer steps for larger models.
std::uint64_t hashOfRun(const Model& m, int threads, int most) {
  Data d(m);
  d.threads = threads;
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.1 * std::sin(1.0 + i);
  const int steps = std::min(most, m.nv > 300 ? 20 : m.nv > 50 ? 60 : 150);
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < m.nu; ++k) d.ctrl[k] = std::sin(0.7 * k + 3 * d.time);
    step(m, d);
  }
  return stateHash(m, d);
}

int printHashes(int every, int steps) {
  const tbb::global_control fourThreads(tbb::global_control::max_allowed_parallelism, 4);
  const std::vector<Candidate> models = allModels();
  int failures = 0;
  for (std::size_t i = 0; i < models.size(); i += static_cast<std::size_t>(every)) {
    const Candidate& c = models[i];
    const Model m = c.file.empty() ? compile(readMjcfText(c.text)) : load(c.file);
    const bool few = steps > 0;
    const int most = few ? steps : std::numeric_limits<int>::max();
    const std::uint64_t one = hashOfRun(m, 1, most);
    for (const int threads : {2, 4}) {
      if (few || hashOfRun(m, threads, most) == one) continue;
      fmt::print(stderr, "{}: another state with {} threads\n", c.name, threads);
      ++failures;
    }
    fmt::print("{} {:016x} {:016x}\n", c.name, hashOf(m), one);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int every = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  const int steps = argc > 2 ? std::max(1, std::atoi(argv[2])) : 0;
  try {
    return printHashes(every, steps);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
