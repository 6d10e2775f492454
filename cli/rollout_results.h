#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sinew/rollout.h"

namespace sinew::cli {

/// How a run ended, as the array `status` says it.
enum class RunStatus : std::uint8_t {
  Ok = 0,
  Trouble = 1,   ///< it went on, `cause` says what was noted
  Diverged = 2,  ///< it ended early
  Failed = 3     ///< its model could not be compiled
};

/// What results look like; follows from the model and the job.
struct ResultShape {
  std::int64_t samples = 0;
  int nq = 0, nv = 0, na = 0, parameters = 0;
  std::vector<RecordedArray> arrays;

  nlohmann::ordered_json json() const;
  static ResultShape of(const nlohmann::ordered_json& j);
};

/// An array of results: one entry per run.
struct ResultArray {
  std::string name, type;            ///< type as in .npy files; "<U": text, as wide as needed
  std::vector<std::uint64_t> inner;  ///< shape of the entry of a run
};
/// In the order in which files hold them.
std::vector<ResultArray> resultArrays(const ResultShape& shape);

/// Results of consecutive runs.
class ResultTable {
 public:
  ResultTable(const ResultShape& shape, std::int64_t first, std::int64_t count);

  std::int64_t first() const { return first_; }
  std::int64_t count() const { return count_; }
  /// Where the samples of a run go, one span per recorded array.
  std::vector<std::span<double>> samplesOf(std::int64_t run);
  void set(std::int64_t run, std::span<const double> parameters, const RunOutcome& outcome);
  /// A run whose model could not be made.
  void fail(std::int64_t run, std::span<const double> parameters, const std::string& cause);

  /// Writes an archive under a name of this process and then renames it. Throws CommandError (exit code 1).
  void write(const std::string& file, const std::string& unique) const;

 private:
  std::size_t at(std::int64_t run) const { return static_cast<std::size_t>(run - first_); }

  ResultShape shape_;
  std::int64_t first_, count_;
  std::vector<std::int64_t> run_, steps_;
  std::vector<std::uint8_t> status_;
  std::vector<std::uint64_t> hash_;
  std::vector<double> time_, qpos_, qvel_, act_, parameters_;
  std::vector<std::string> cause_;
  std::vector<std::vector<double>> samples_;
};

}  // namespace sinew::cli
