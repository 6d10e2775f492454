#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinew::cli {

/// An array of a merged file: its name, type ("<f8", "<U12", ...) and shape.
struct MergedArray {
  std::string name, type;
  std::vector<std::uint64_t> shape;
};

/// Writes a file of arrays, one after the other, each in pieces.
class MergeWriter {
 public:
  virtual ~MergeWriter() = default;
  /// All arrays that will follow, in this order.
  virtual void begin(const std::vector<MergedArray>& arrays) = 0;
  /// The next bytes of an array.
  virtual void append(std::size_t array, std::span<const std::byte> bytes) = 0;
  /// Completes the file, which appears under its name now.
  virtual void finish() = 0;
};

/// Puts the results of a complete job into one file, FILE.npz or FILE.h5. The file depends on the job alone, not on the
/// processes that worked on it. Throws CommandError if chunks are missing or damaged.
void mergeRollout(const std::string& folder, const std::string& file);

}  // namespace sinew::cli
