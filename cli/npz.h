#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::cli {

/// Writes arrays of doubles as numpy.load() reads them: a ZIP archive, not compressed, with one .npy file per array.
class NpzWriter {
 public:
  /// Throws CommandError if the file cannot be created.
  explicit NpzWriter(const std::string& file);

  /// Adds an array in row-major order; the product of `shape` must be the number of values. Throws CommandError when
  /// the archive would outgrow the 4 GiB that this kind of archive can hold.
  void add(std::string_view name, std::span<const double> values, std::span<const std::size_t> shape);

  /// Writes the directory of the archive. Throws CommandError if anything could not be written.
  void finish();

 private:
  struct Entry {
    std::string name;
    std::uint32_t checksum = 0;
    std::uint32_t size = 0;
    std::uint32_t offset = 0;
  };
  void write(std::string_view bytes);

  std::string file_;
  std::ofstream out_;
  std::uint64_t written_ = 0;
  std::vector<Entry> entries_;
};

/// Check sum of a ZIP entry: CRC-32 with the reflected polynomial 0xedb88320, continued from `crc`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace sinew::cli
