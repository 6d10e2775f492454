#include "npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "command.h"
#include "descriptor.h"
#include "npy_archive.h"

namespace sinew::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

constexpr std::array<std::uint32_t, 256> crcTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t remainder = i;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) ? 0xedb88320u : 0u);
    table[i] = remainder;
  }
  return table;
}

/// Little-endian bytes of the fields of a ZIP record.
class Record {
 public:
  Record& u16(std::uint64_t value) { return bytes(value, 2); }
  Record& u32(std::uint64_t value) { return bytes(value, 4); }
  Record& u64(std::uint64_t value) { return bytes(value, 8); }
  Record& text(std::string_view value) {
    text_ += value;
    return *this;
  }
  const std::string& str() const { return text_; }

 private:
  Record& bytes(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) text_ += static_cast<char>((value >> (8 * i)) & 0xff);
    return *this;
  }
  std::string text_;
};

constexpr std::uint32_t kPlainVersion = 20, kLargeVersion = 45;  // 2.0: the plain format; 4.5: 64-bit sizes
constexpr std::uint32_t kDosDate = 0x21;                         // 1980-01-01, so that equal runs give equal files
constexpr std::uint32_t kElsewhere = 0xffffffff;                 // the number is in the extra field
constexpr std::uint64_t kLocalRecord = 30;                       // bytes, without name and extra field
constexpr std::size_t kNpyFixed = 10;                            // magic, version, length

/// UTF-8 as code points; a byte that is out of place becomes U+FFFD.
std::u32string codePoints(std::string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int more = lead < 0x80 ? 0 : (lead >> 5) == 6 ? 1 : (lead >> 4) == 14 ? 2 : (lead >> 3) == 30 ? 3 : -1;
    std::uint32_t point = more == 0 ? lead : lead & (0x3fu >> (more < 0 ? 0 : more));
    bool good = more >= 0 && i + static_cast<std::size_t>(more) < text.size();
    for (int k = 1; good && k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      good = (next >> 6) == 2;
      point = (point << 6) | (next & 0x3fu);
    }
    good = good && point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000);
    result += good ? static_cast<char32_t>(point) : U'\ufffd';
    i += good ? static_cast<std::size_t>(more) + 1 : 1;
  }
  return result;
}

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

constexpr std::size_t kPieceDoubles = std::size_t{1} << 19;  // 4 MiB of records at a time

/// Whether an array of an archive holds these texts.
bool hasTexts(const NpyArchive& archive, const std::string& name, const std::vector<std::string>& texts) {
  const std::size_t width = longestOf(texts);
  const NpyArray* array = archive.find(name);
  if (!array || array->type != fmt::format("<U{}", width) || array->shape != std::vector{std::uint64_t{texts.size()}}) {
    return false;
  }
  std::string bytes(static_cast<std::size_t>(array->bytes), '\0');
  archive.read(*array, 0, std::as_writable_bytes(std::span(bytes)));
  return bytes == npyTexts(texts, width);
}

}  // namespace

// Format 1.0, padded so that the values start at a multiple of 64 bytes of the .npy.
std::string npyHeader(std::string_view type, const std::vector<std::uint64_t>& shape) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(63 - (kNpyFixed + header.size()) % 64, ' ');
  header += '\n';
  Record record;
  record.text(std::string_view("\x93NUMPY\x01\x00", 8)).u16(header.size()).text(header);
  return record.str();
}

std::size_t longestOf(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, codePoints(text).size());
  return longest;
}

std::string npyTexts(const std::vector<std::string>& texts, std::size_t width) {
  std::string bytes;
  bytes.reserve(4 * width * texts.size());
  for (const std::string& text : texts) {
    std::u32string points = codePoints(text);
    points.resize(width);
    bytes.append(reinterpret_cast<const char*>(points.data()), 4 * width);
  }
  return bytes;
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t crc) {
  static constexpr std::array<std::uint32_t, 256> kTable = crcTable();
  crc = ~crc;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

NpzLayout::NpzLayout(const std::vector<Quantity>& quantities, std::uint64_t samples) {
  for (const Quantity& quantity : quantities) {
    Member member;
    member.name = fmt::format("{}.npy", quantity.name);
    member.width = quantity.columns.size();
    member.header = npyHeader("<f8", quantity.name == "time" ? std::vector<std::uint64_t>{samples}
                                                             : std::vector<std::uint64_t>{samples, member.width});
    member.size = member.header.size() + samples * member.width * sizeof(double);
    members_.push_back(std::move(member));
  }
  for (const Quantity& quantity : quantities) {
    if (quantity.name == "time") continue;
    const std::size_t width = longestOf(quantity.columns);
    Member member;
    member.name = fmt::format("{}_names.npy", quantity.name);
    member.header = npyHeader(fmt::format("<U{}", width), {quantity.columns.size()});
    member.content = npyTexts(quantity.columns, width);
    member.size = member.header.size() + member.content.size();
    member.checksum = crc32(member.content, crc32(member.header));
    members_.push_back(std::move(member));
  }
  place();
}

void NpzLayout::place() {
  std::uint64_t total = 0;
  for (const Member& member : members_) total += member.size + 2 * member.name.size() + 200;
  isLarge_ = total > std::numeric_limits<std::uint32_t>::max();
  for (Member& member : members_) {
    member.offset = end_;
    member.data = end_ + kLocalRecord + member.name.size() + (isLarge_ ? 20 : 0) + member.header.size();
    end_ = member.data + member.size - member.header.size();
  }
}

std::string NpzLayout::localRecord(const Member& member) const {
  Record record;
  record.u32(0x04034b50).u16(isLarge_ ? kLargeVersion : kPlainVersion).u16(0).u16(0).u16(0).u16(kDosDate);
  record.u32(member.checksum).u32(isLarge_ ? kElsewhere : member.size).u32(isLarge_ ? kElsewhere : member.size);
  record.u16(member.name.size()).u16(isLarge_ ? 20 : 0).text(member.name);
  if (isLarge_) record.u16(1).u16(16).u64(member.size).u64(member.size);
  return record.str();
}

std::string NpzLayout::directory() const {
  Record record;
  const std::uint32_t version = isLarge_ ? kLargeVersion : kPlainVersion;
  for (const Member& member : members_) {
    record.u32(0x02014b50).u16(version).u16(version).u16(0).u16(0).u16(0).u16(kDosDate);
    record.u32(member.checksum).u32(isLarge_ ? kElsewhere : member.size).u32(isLarge_ ? kElsewhere : member.size);
    record.u16(member.name.size()).u16(isLarge_ ? 28 : 0).u16(0).u16(0).u16(0).u32(0);
    record.u32(isLarge_ ? kElsewhere : member.offset).text(member.name);
    if (isLarge_) record.u16(1).u16(24).u64(member.size).u64(member.size).u64(member.offset);
  }
  const std::uint64_t length = record.str().size(), count = members_.size();
  if (isLarge_) {
    record.u32(0x06064b50).u64(44).u16(version).u16(version).u32(0).u32(0).u64(count).u64(count).u64(length).u64(end_);
    record.u32(0x07064b50).u32(0).u64(end_ + length).u32(1);
  }
  record.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count);
  record.u32(length).u32(isLarge_ ? kElsewhere : end_).u16(0);
  return record.str();
}

void writeNpz(int records, const std::vector<Quantity>& quantities, std::uint64_t samples, FileReplacement& out) {
  NpzLayout layout(quantities, samples);
  std::size_t width = 0;
  for (NpzLayout::Member& member : layout.members()) {
    width += member.width;
    if (member.width > 0 || member.content.empty()) member.checksum = crc32(member.header);
    out.writeAt(member.data - member.header.size(), bytesOf(member.header));
    if (!member.content.empty()) {
      member.checksum = crc32(member.content, crc32(member.header));
      out.writeAt(member.data, bytesOf(member.content));
    }
  }
  const std::uint64_t rows = std::max<std::size_t>(1, kPieceDoubles / width);
  std::vector<double> piece, column;
  for (std::uint64_t done = 0; done < samples;) {
    const std::uint64_t count = std::min(rows, samples - done);
    piece.resize(static_cast<std::size_t>(count) * width);
    readAt(records, done * width * sizeof(double), std::as_writable_bytes(std::span(piece)), "the samples");
    std::size_t first = 0;
    for (NpzLayout::Member& member : layout.members()) {
      if (member.width == 0) continue;
      column.clear();
      for (std::uint64_t row = 0; row < count; ++row) {
        const auto begin = piece.begin() + static_cast<std::ptrdiff_t>(row * width + first);
        column.insert(column.end(), begin, begin + static_cast<std::ptrdiff_t>(member.width));
      }
      first += member.width;
      const auto bytes = std::as_bytes(std::span(column));
      member.checksum =
          crc32(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), member.checksum);
      out.writeAt(member.data + done * member.width * sizeof(double), bytes);
    }
    done += count;
  }
  for (const NpzLayout::Member& member : layout.members()) {
    out.writeAt(member.offset, bytesOf(layout.localRecord(member)));
  }
  out.writeAt(layout.directoryOffset(), bytesOf(layout.directory()));
}

void readNpz(const std::string& file, const std::vector<Quantity>& quantities, std::uint64_t samples, int out) {
  const auto strange = [&](const std::string& why) {
    return CommandError(fmt::format("cannot continue '{}': {}", file, why));
  };
  const NpyArchive archive(file);
  std::vector<const NpyArray*> arrays;
  std::size_t width = 0;
  for (const Quantity& quantity : quantities) {
    const std::size_t columns = quantity.columns.size();
    const bool isTime = quantity.name == "time";
    const NpyArray* array = archive.find(quantity.name);
    if (!array || array->type != "<f8" || array->shape.size() != (isTime ? 1 : 2) ||
        (!isTime && (array->shape[1] != columns ||
                     !hasTexts(archive, fmt::format("{}_names", quantity.name), quantity.columns)))) {
      throw strange("it is not a trajectory of this model");
    }
    if (array->shape[0] < samples) {
      throw strange(fmt::format("it holds {} samples, the checkpoint was made after {}", array->shape[0], samples));
    }
    arrays.push_back(array);
    width += columns;
  }
  const std::uint64_t rows = std::max<std::size_t>(1, kPieceDoubles / width);
  std::vector<double> piece, column;
  for (std::uint64_t done = 0; done < samples;) {
    const std::uint64_t count = std::min(rows, samples - done);
    piece.resize(static_cast<std::size_t>(count) * width);
    std::size_t first = 0;
    for (std::size_t q = 0; q < arrays.size(); ++q) {
      const std::size_t columns = quantities[q].columns.size();
      column.resize(static_cast<std::size_t>(count) * columns);
      archive.read(*arrays[q], done * columns * sizeof(double), std::as_writable_bytes(std::span(column)));
      for (std::size_t row = 0; row < count; ++row) {
        std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                    piece.begin() + static_cast<std::ptrdiff_t>(row * width + first));
      }
      first += columns;
    }
    appendTo(out, std::as_bytes(std::span(piece)), file);
    done += count;
  }
}

}  // namespace sinew::cli
