#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::bench {

/// Where the time of a step goes, and how much work there was: means over a stretch of simulation.
struct StageProfile {
  struct Stage {
    std::string name;
    double microseconds = 0;  ///< per step
  };
  std::vector<Stage> stages;
  double contacts = 0;
  double rows = 0;
  double islands = 0;
  double iterations = 0;  ///< of the island that took most
  std::uint64_t hash = 0;
};

/// Plays `steps` steps from `start`, `rounds` times, reading the clock between the stages of step(), which is taken
/// apart here so that timing costs nothing elsewhere; the least time of each step counts. The hash tells whether it was
/// the same simulation. Euler and implicitfast only.
StageProfile profileStages(const Model& m, Data& d, std::span<const std::byte> start, int steps, int rounds);

}  // namespace sinew::bench
