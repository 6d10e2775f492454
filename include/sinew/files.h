#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

/// Files as Sinew reads and writes them: inputs that cannot hang or grow without end, outputs that are complete or
/// absent. Errors are LoadErrors that name the file and the cause.
namespace sinew {

/// The contents of a regular file (or of what a link leads to). Folders, pipes, sockets and devices are refused without
/// waiting for them, and so is a file of more than `mostBytes`.
std::string readFile(const std::filesystem::path& file, std::uint64_t mostBytes = std::uint64_t{2} << 30);

/// Throws LoadError unless `file` is a regular file or does not exist yet: what may be written.
void requireWritable(const std::filesystem::path& file);

/// A new version of a file, written beside it as FILE.part. commit() puts it in place of the old one at once, so that
/// whoever opens FILE at any time, also after a crash, finds a complete version. Where FILE is a link, the file it
/// leads to is replaced.
class FileReplacement {
 public:
  explicit FileReplacement(const std::filesystem::path& file);
  ~FileReplacement();  ///< without commit(): removes what was written
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::span<const std::byte> bytes);                          ///< at the end of what write() wrote
  void writeAt(std::uint64_t offset, std::span<const std::byte> bytes);  ///< anywhere
  /// Waits until the disk has everything, then renames.
  void commit();

 private:
  std::filesystem::path file_, part_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;
};

/// Replaces the contents of a file at once: old or new, never a part of it.
void replaceFile(const std::filesystem::path& file, std::span<const std::byte> bytes);

}  // namespace sinew
