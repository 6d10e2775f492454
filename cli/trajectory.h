#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::cli {

/// How much of a trajectory is there: what a checkpoint has to know to continue it.
struct TrajectoryPosition {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;  ///< of the file; .csv only
};

/// Receives the states of a run. Everything in a sample belongs to one state: time, qpos, qvel, act, ctrl, and the
/// sensordata and energy (potential, kinetic) that forward() computes from it. Memory does not grow with the number of
/// samples. All functions throw CommandError (exit code 1) when the disk does not take what is written.
class TrajectoryWriter {
 public:
  virtual ~TrajectoryWriter() = default;
  /// `d` after forward() and energy().
  virtual void record(const Data& d) = 0;
  /// Hands everything to the system. What was flushed can be read at any time, also after the program was killed.
  virtual void flush() = 0;
  /// flush(), and waits for the disk: what a checkpoint refers to must be there.
  virtual TrajectoryPosition sync() = 0;
  /// Completes the file.
  virtual void finish() = 0;
};

/// A writer for the ending of the file: .csv (one line per sample, headings time, qpos[knee], ...) or .npz (see npz.h).
/// With `from` the file is that of an interrupted run: it is cut after these samples and continued. Throws CommandError
/// for another ending, for a file that cannot be created, and for one that cannot be continued.
std::unique_ptr<TrajectoryWriter> makeTrajectory(const std::string& file, const Model& m,
                                                 const TrajectoryPosition* from = nullptr);

}  // namespace sinew::cli
