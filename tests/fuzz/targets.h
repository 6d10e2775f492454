#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// Everything that reads bytes from outside, one target each. A target takes any bytes and returns; whatever it lets
/// out (an exception, a crash, a sanitizer's report, more time or memory than the driver allows) is a finding. Refusing
/// the input with the error that belongs to its reader is what the readers are for, and is no finding.
namespace sinew::fuzz {

using Bytes = std::vector<std::uint8_t>;

struct Target {
  const char* name;  ///< as in `make fuzz TARGET=name`, and of the folder below regressions/
  /// Reads the input and works with what comes of it: a model is stepped, a mesh is weighed. Throws Finding, or lets
  /// another exception through. Returns whether the input was taken.
  bool (*run)(std::span<const std::uint8_t> input);
  /// Inputs to start from. The same in every run.
  std::vector<Bytes> (*seeds)();
  /// Longest input worth trying, bytes.
  std::size_t longest;
  bool text;  ///< the words of dictionary() make sense in it
};

std::span<const Target> targets();
/// Null if there is none of that name.
const Target* findTarget(const std::string& name);

/// Something that must not happen, in words.
struct Finding {
  std::string what;
};

/// Words that inputs are made of: tags, attributes and keywords of the attribute table, then those of other formats.
std::vector<std::string> dictionary();

/// Seeds of the MJCF target: for every attribute of the table a model that uses it, in the neighbourhood it needs.
std::vector<Bytes> modelSeeds();

/// Where meshes, height fields and other models that MJCF inputs may name are, made at the first call and removed when
/// the program ends.
const std::filesystem::path& assetDirectory();
/// Writes the input to a file in a place of this process and returns its path; the next call overwrites it.
std::filesystem::path fileWith(std::span<const std::uint8_t> input, const std::string& name);

}  // namespace sinew::fuzz
