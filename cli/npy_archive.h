#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor.h"

namespace sinew::cli {

/// An array in an archive of .npy files.
struct NpyArray {
  std::string name;  ///< without .npy
  std::string type;  ///< "<f8", "<U12", ...
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0;  ///< of its values in the file
  std::uint64_t bytes = 0;   ///< of its values

  std::uint64_t count() const;  ///< number of values
};

/// Reads what numpy.savez() writes: a ZIP archive without compression. Anything else is a CommandError that names the
/// file and says what is wrong with it.
class NpyArchive {
 public:
  explicit NpyArchive(const std::string& file);

  const std::string& file() const { return file_; }
  const std::vector<NpyArray>& arrays() const { return arrays_; }
  /// nullptr: there is none.
  const NpyArray* find(std::string_view name) const;
  /// Bytes of the values of an array, from the given one on.
  void read(const NpyArray& array, std::uint64_t from, std::span<std::byte> bytes) const;
  /// All values of an array of numbers (<f8, <f4, <i8, <u8, <i4, |u1) as doubles.
  std::vector<double> numbers(const NpyArray& array) const;
  /// False if the checksum of some array is wrong. Reads the whole file.
  bool isIntact() const;

 private:
  struct Stored {
    std::uint64_t start = 0, size = 0;  ///< of the .npy file
    std::uint32_t checksum = 0;
  };
  std::string file_;
  Descriptor in_;
  std::vector<NpyArray> arrays_;
  std::vector<Stored> stored_;
};

}  // namespace sinew::cli
