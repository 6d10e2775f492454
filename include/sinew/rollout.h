#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

/// Runs from a start to an end, with records of arrays on the way: one (Rollout::run) or many at once (rollout()).
/// Every run depends on its own start and controls alone; results are the same, bit for bit, for any number of threads.
namespace sinew {

/// An array that is recorded: `rows` x `columns` numbers per sample.
struct RecordedArray {
  std::string name;
  int rows = 0, columns = 0;
  int width() const { return rows * columns; }
};

/// How a run ended.
struct RunOutcome {
  std::int64_t steps = 0;  ///< taken until the end, or until the last finite state
  bool diverged = false;   ///< a coordinate, velocity or acceleration went bad, or a step could not be made at all
  bool stopped = false;    ///< the caller's `stop` ended the run
  std::string message;     ///< trouble in words, see describeStatus(); empty if all is well
  std::uint64_t hash = 0;  ///< stateHash() of the end; after a divergence over time, qpos, qvel and act below
  /// The last finite state: of the end, or of the step before it went bad.
  double time = 0;
  std::vector<double> qpos, qvel, act;
};

/// What is done in every run: the number of steps and what is recorded.
class Rollout {
 public:
  /// Sets the controls (or whatever a controller may set) of a state before it is stepped: `step` steps were taken.
  using Control = std::function<void(const Model& m, Data& d, std::int64_t step)>;

  /// Samples are taken of the start and after every `every` steps. `record` names arrays of Data, state or derived, and
  /// "time", "energy" (potential, kinetic). Everything in a sample belongs to one state. Recording costs a copy;
  /// energy, what measureFlexes() computes, and derived arrays with RK4 cost an evaluation of forward() per sample.
  /// Throws std::invalid_argument for steps < 0 or > 2^53, every < 1, more numbers than can be addressed, and names
  /// that do not exist, with the most similar one.
  Rollout(const Model& m, std::int64_t steps, std::int64_t every = 1, const std::vector<std::string>& record = {});

  std::int64_t steps() const { return steps_; }
  std::int64_t samples() const { return steps_ / every_ + 1; }
  const std::vector<RecordedArray>& arrays() const { return arrays_; }

  /// Steps from the state in `d`, which must have been made for `m`; `m` may differ from the model of the constructor
  /// in anything but its layout (Model::signature). `out` has a span of samples() * width() numbers for each of
  /// arrays(); samples after a divergence are NaN. `control` and `stop` may be empty; `stop` is asked now and then.
  /// Does not allocate while stepping. The calling thread alone is used, unless d.threads says otherwise. A Rollout may
  /// be used by several threads at once.
  RunOutcome run(const Model& m, Data& d, std::span<const std::span<double>> out, const Control& control = {},
                 const std::function<bool()>& stop = {}) const;

 private:
  void sampleState(const Data& d, std::span<const std::span<double>> out, std::int64_t sample) const;
  void sampleDerived(const Data& d, std::span<const std::span<double>> out, std::int64_t sample) const;

  std::int64_t steps_ = 0, every_ = 1;
  std::vector<RecordedArray> arrays_;
  std::vector<int> source_;  ///< of each array: its place among the arrays of Data, below 0: time, energy
  std::uint64_t signature_ = 0;
  bool hasDerived_ = false, needsForward_ = false, needsEnergy_ = false, needsFlexes_ = false;
};

/// Starts and controls of many runs. Spans that are empty stand for the initial state (or the keyframe) and zero.
struct RolloutInput {
  std::int64_t steps = 0;
  std::int64_t every = 1;
  std::vector<std::string> record{"time", "qpos", "qvel", "sensordata"};
  int key = -1;                       ///< keyframe that runs start from, -1: the initial state
  std::span<const double> qpos;       ///< runs x nq, or nq numbers for all runs
  std::span<const double> qvel;       ///< runs x nv, or nv
  std::span<const double> act;        ///< runs x na, or na
  std::span<const double> warmstart;  ///< qacc_warmstart: runs x nv, or nv
  std::span<const double> ctrl;       ///< runs x steps x nu, or runs x nu, or nu: constant
  int threads = 0;                    ///< 0: as many as the machine has
};

struct RolloutResult {
  std::int64_t runs = 0, samples = 0;
  std::vector<RecordedArray> arrays;
  std::vector<std::vector<double>> values;  ///< of each array: runs x samples x width
  std::vector<RunOutcome> outcomes;         ///< one per run
};

/// Runs `runs` times. Throws std::invalid_argument for runs < 1, sizes that do not fit and what Rollout refuses.
RolloutResult rollout(const Model& m, int runs, const RolloutInput& input);

}  // namespace sinew
