#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "columns.h"
#include "sinew/files.h"

namespace sinew::cli {

/// The file that numpy.load() reads a trajectory from: a ZIP archive, not compressed, of .npy files. For each quantity
/// there is an array of doubles with one row per sample (time has no second dimension), followed by the names of its
/// columns, QUANTITY_names, as an array of text. Where everything lies follows from the quantities and the number of
/// samples.
class NpzLayout {
 public:
  NpzLayout(const std::vector<Quantity>& quantities, std::uint64_t samples);

  struct Member {
    std::string name;          ///< qpos.npy
    std::string header;        ///< of the .npy
    std::string content;       ///< what follows it, if it is known beforehand
    std::uint64_t offset = 0;  ///< of the local record in the archive
    std::uint64_t data = 0;    ///< of what follows the header
    std::uint64_t size = 0;    ///< header and what follows it
    std::uint32_t checksum = 0;
    std::size_t width = 0;  ///< doubles per sample; 0 for names
  };
  /// Any other archive: of each member name, header and size must be known.
  explicit NpzLayout(std::vector<Member> members) : members_(std::move(members)) { place(); }

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }

  std::string localRecord(const Member& member) const;
  /// What follows the members. Their checksums must be right.
  std::string directory() const;
  std::uint64_t directoryOffset() const { return end_; }

 private:
  void place();

  std::vector<Member> members_;
  std::uint64_t end_ = 0;
  bool isLarge_ = false;  ///< 64-bit sizes and offsets
};

/// Writes the first `samples` records of a file of doubles, quantity by quantity of each sample, as an archive. Throws
/// LoadError if a file cannot be read or written.
void writeNpz(int records, const std::vector<Quantity>& quantities, std::uint64_t samples, FileReplacement& out);

/// The way back: appends the first `samples` records of an archive of this program to `out`. Throws CommandError if the
/// file is something else or holds fewer.
void readNpz(const std::string& file, const std::vector<Quantity>& quantities, std::uint64_t samples, int out);

/// Header of a .npy file of this type ("<f8") and shape.
std::string npyHeader(std::string_view type, const std::vector<std::uint64_t>& shape);

/// Texts as numpy keeps them: `width` characters of 4 bytes each, type "<U" and the width.
std::size_t longestOf(const std::vector<std::string>& texts);
std::string npyTexts(const std::vector<std::string>& texts, std::size_t width);

/// Check sum of a ZIP entry: CRC-32 with the reflected polynomial 0xedb88320, continued from `crc`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace sinew::cli
