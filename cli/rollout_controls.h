#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::cli {

/// Controls of the runs of a rollout. One object serves all runs and threads: a control depends on the run, the step
/// and the state alone.
class RunControls {
 public:
  virtual ~RunControls() = default;
  /// Sets the controls of a state of run `run` after `step` steps.
  virtual void apply(const Model& m, Data& d, std::int64_t run, std::int64_t step) const = 0;
};

/// `choice`: as for makeControls() (zero, sine, keep, FILE.csv), and
///   keyframe              those of the start, as keep
///   noise, noise(s), noise(s,hold)  normal, around the centre of ctrlrange with s (0.5) of its half width (0 and 1
///                         without a range) as standard deviation, cut off at its ends, new every `hold` (0.05) seconds
///   FILE.npz              array `ctrl` of shape (rows, nu), or (runs, rows, nu) with a sequence for each run; a row
///                         holds from its entry of `time` on, or without `time` for one step; the last one until the
///                         end
/// `hash` receives a hash of the files read (0: none). Throws CommandError for what cannot be used.
std::unique_ptr<RunControls> makeRunControls(const std::string& choice, const Model& m, std::int64_t runs,
                                             std::uint64_t seed, std::uint64_t& hash);

}  // namespace sinew::cli
