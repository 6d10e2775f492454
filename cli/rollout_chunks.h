#pragma once

#include <cstdint>
#include <vector>

namespace sinew::cli {

constexpr std::int64_t kMostRuns = 1'000'000'000;  ///< of a job

/// Pieces that a job is cut into, one file of results each: consecutive runs. They depend on the job alone, as all its
/// processes must agree, those included that continue it later.
class Chunks {
 public:
  Chunks() = default;
  /// `size` runs each, the last one the rest. Needs size >= 1.
  static Chunks equal(std::int64_t runs, std::int64_t size);
  /// At most `size` runs each, and no more than a 32nd of the runs that are left, but at least one: towards the end
  /// they shrink, so that nobody waits long for the last one.
  static Chunks shrinking(std::int64_t runs, std::int64_t size);

  std::int64_t runs() const { return runs_; }
  /// Runs of the largest one.
  std::int64_t largest() const { return size_; }
  bool isShrinking() const { return isShrinking_; }
  std::int64_t count() const;
  std::int64_t first(std::int64_t c) const;
  std::int64_t size(std::int64_t c) const { return first(c + 1) - first(c); }
  /// Where part `index` of `parts` begins, parts that have about as many runs each; count() for index = parts. Needs
  /// parts <= kMostRuns.
  std::int64_t partBegin(std::int64_t index, std::int64_t parts) const;

 private:
  std::int64_t runs_ = 0, size_ = 1;
  std::int64_t full_ = 0;           ///< chunks at the beginning that have size_ runs
  std::vector<std::int64_t> tail_;  ///< first runs of the others
  bool isShrinking_ = false;
};

}  // namespace sinew::cli
