#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "descriptor.h"
#include "rollout_chunks.h"
#include "rollout_results.h"

namespace sinew::cli {

/// Chunks [begin, end) that a process (or a team) is responsible for.
struct ChunkRange {
  std::int64_t begin = 0, end = 0;
};

/// What is known of runs that are complete.
struct Tally {
  std::int64_t runs = 0, steps = 0, trouble = 0, diverged = 0, failed = 0;
  std::vector<std::string> causes;  ///< of the first runs that diverged or failed
};

/// The folder of a job:
///   rollout.json        what the job is: everything that its results depend on, and where it came from
///   chunks/000012.npz   results of consecutive runs; appears when it is complete
///   logs/HOST-PID.jsonl what each process did
///   lock                bytes of it are locked by the processes that write the chunks of these numbers
class RolloutFolder {
 public:
  explicit RolloutFolder(const std::string& path) : path_(path) {}

  const std::string& path() const { return path_; }
  bool hasJob() const;
  /// rollout.json. Throws CommandError if there is none or it is damaged.
  nlohmann::ordered_json manifest() const;
  /// Makes the folder and rollout.json. If there is one already, its member "job" must be equal: else CommandError that
  /// names the first difference. Returns true if it was there.
  bool create(const nlohmann::ordered_json& manifest);

  std::string chunkFile(std::int64_t chunk) const;
  /// Takes possession of these chunks until the process ends, however it ends. Throws CommandError if a process has
  /// some of them.
  void lock(const ChunkRange& range, const Chunks& chunks);
  /// Removes what processes that were killed left behind. Needs the lock.
  void clean(const ChunkRange& range) const;
  /// Checks the chunks that are there and returns those that are missing. Damaged ones count as missing, with a
  /// message.
  std::vector<std::int64_t> missing(const ChunkRange& range, const Chunks& chunks, const ResultShape& shape) const;
  /// Sums up the chunks that are complete.
  Tally tally(const ChunkRange& range, const Chunks& chunks) const;

 private:
  std::string path_;
  Descriptor lock_;
};

/// One line of JSON after the other, in a file of this process.
class JobLog {
 public:
  JobLog(const RolloutFolder& folder, const std::string& unique);
  void write(const nlohmann::ordered_json& line);

 private:
  std::string file_;
  Descriptor out_;
};

/// Name of this process among all processes of all hosts: HOST-PID.
std::string processName();
std::string hostName();

}  // namespace sinew::cli
