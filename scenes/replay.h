#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::scenes {

/// What is timed: `steps` steps from the state reached after `warmup` steps. The run starts at qpos0 with
/// qvel_i = 0.1 sin(1 + i) and keeps ctrl_i = c_i + 0.5 h_i sin(0.7 i) throughout (centre and half width of ctrlrange,
/// 0 and 1 where it is empty), so that another engine can be put into the same state.
struct Stretch {
  int warmup = 500;
  int steps = 200;
};

/// Plays the same stretch of a simulation again and again.
class Replay {
 public:
  /// Runs the warm-up and keeps the state after it. `m` must outlive this.
  Replay(const Model& m, const Stretch& stretch, int threads = 1);

  /// Plays the stretch once; microseconds per step.
  double microsecondsPerStep();
  /// The same in processor time, one number for every `piece` steps (the last piece may be shorter).
  std::vector<double> cpuMicrosecondsOfPieces(int piece);
  /// Times forward() on the state at the start of the stretch, as often as the stretch has steps; microseconds per
  /// call.
  double microsecondsPerForward();

  /// Hash of the state at the end of the stretch.
  std::uint64_t hash() const { return hash_; }
  /// True if every replay so far ended in the same state, bit for bit.
  bool isReproducible() const { return reproducible_; }
  /// The state after the last call.
  const Data& data() const { return d_; }
  /// The state at the start of the stretch, as saveState() gives it.
  std::span<const std::byte> start() const { return start_; }

 private:
  void noteEnd();

  const Model& m_;
  Stretch stretch_;
  Data d_;
  std::vector<std::byte> start_;
  std::uint64_t hash_ = 0;
  bool played_ = false;
  bool reproducible_ = true;
};

/// Least and lower quartile of repeated timings: what the code costs, and how much the machine disturbed it.
struct Spread {
  double least = 0;
  double lowerQuartile = 0;
};
Spread spreadOf(std::vector<double> timings);

/// The same for timings of pieces, rounds[k][piece]: the spread over the rounds piece by piece, summed, per step. On a
/// machine that is busy with other things hardly any long stretch is left in peace, but every short piece is at times.
Spread spreadOf(const std::vector<std::vector<double>>& rounds, int steps);

}  // namespace sinew::scenes
