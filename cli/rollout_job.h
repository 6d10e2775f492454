#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model_source.h"
#include "rollout_chunks.h"
#include "rollout_controls.h"
#include "rollout_folder.h"
#include "rollout_results.h"
#include "rollout_sweep.h"
#include "sinew/parameters.h"
#include "sinew/rollout.h"

namespace sinew::cli {

/// What the user asks for: everything that results depend on.
struct JobOptions {
  std::string model;
  std::int64_t runs = 0;  ///< 0: as many as the grid has points
  std::int64_t steps = -1;
  double duration = 0;
  std::uint64_t seed = 0;
  std::string key;
  std::string controls = "zero";
  std::vector<std::string> vary;
  std::vector<std::string> record{"time", "qpos", "qvel", "sensordata"};
  std::int64_t every = 0;  ///< 0: the start and the end
  std::int64_t chunk = 0;  ///< runs per file; 0: chosen from the job
  ModelChoices choices;

  nlohmann::ordered_json json() const;
  static JobOptions of(const nlohmann::ordered_json& j);
};

/// A job that is ready: everything was read and checked. Constant; used by all threads.
class Job {
 public:
  /// Throws CommandError and LoadError.
  explicit Job(const JobOptions& options);

  const VariedModel& model() const { return *model_; }
  const Rollout& plan() const { return *plan_; }
  const Chunks& chunks() const { return chunks_; }
  const ResultShape& shape() const { return shape_; }
  std::int64_t runs() const { return chunks_.runs(); }
  /// rollout.json: what the job is, where it came from.
  nlohmann::ordered_json manifest() const;

  /// A thread's own memory.
  struct Workspace {
    explicit Workspace(const Job& job) : start(job.model().base()), data(start) {}
    Data start, data;
    VariedModel::Workspace model;
    std::int64_t step = 0;  ///< of the run that is being computed
  };
  /// Computes a run. False if `stop` ended it.
  bool compute(std::int64_t run, Workspace& workspace, const std::function<bool()>& stop, ResultTable& results) const;

 private:
  std::span<const double> valuesOf(std::int64_t run) const;

  JobOptions options_;
  int key_ = -1;
  std::uint64_t controlsHash_ = 0;
  std::vector<std::string> files_;
  std::unique_ptr<VariedModel> model_;
  std::unique_ptr<Rollout> plan_;
  std::unique_ptr<RunControls> controls_;
  std::unique_ptr<Sweep> sweep_;
  std::vector<double> values_;  ///< of the parameters, runs x parameters
  Chunks chunks_;
  ResultShape shape_;
};

}  // namespace sinew::cli
