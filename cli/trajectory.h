#pragma once

#include <memory>
#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::cli {

/// Receives the states of a run. Everything in a sample belongs to one state: time, qpos, qvel, act, ctrl, and the
/// sensordata and energy (potential, kinetic) that forward() computes from it.
class TrajectoryWriter {
 public:
  virtual ~TrajectoryWriter() = default;
  /// `d` after forward() and energy().
  virtual void record(const Model& m, const Data& d) = 0;
  /// Completes the file. Throws CommandError if it could not be written.
  virtual void finish() = 0;
};

/// A writer for the ending of the file: .csv (one line per sample, headings qpos_0, qpos_1, ...) or .npz (one array per
/// quantity, one row per sample). Throws CommandError for another ending or a file that cannot be created.
std::unique_ptr<TrajectoryWriter> makeTrajectory(const std::string& file, const Model& m);

}  // namespace sinew::cli
