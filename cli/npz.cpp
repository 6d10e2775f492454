#include "npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <limits>

#include "command.h"

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
  Record& u16(std::uint32_t value) { return bytes(value, 2); }
  Record& u32(std::uint32_t value) { return bytes(value, 4); }
  Record& text(std::string_view value) {
    text_ += value;
    return *this;
  }
  const std::string& str() const { return text_; }

 private:
  Record& bytes(std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) text_ += static_cast<char>((value >> (8 * i)) & 0xff);
    return *this;
  }
  std::string text_;
};

constexpr std::uint32_t kZipVersion = 20;  // 2.0: the plain format
constexpr std::uint32_t kDosDate = 0x21;   // 1980-01-01, so that equal runs give equal files

/// Header of a .npy file, format 1.0, padded so that the values start at a multiple of 64 bytes.
std::string npyHeader(std::span<const std::size_t> shape) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}{}), }}",
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kFixed = 10;  // magic, version, length
  header.append(63 - (kFixed + header.size()) % 64, ' ');
  header += '\n';
  Record record;
  record.text(std::string_view("\x93NUMPY\x01\x00", 8)).u16(static_cast<std::uint32_t>(header.size())).text(header);
  return record.str();
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t crc) {
  static constexpr std::array<std::uint32_t, 256> kTable = crcTable();
  crc = ~crc;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

NpzWriter::NpzWriter(const std::string& file) : file_(file), out_(file, std::ios::binary) {
  if (!out_) throw CommandError(fmt::format("cannot write '{}'", file), kProblem);
}

void NpzWriter::write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  written_ += bytes.size();
}

void NpzWriter::add(std::string_view name, std::span<const double> values, std::span<const std::size_t> shape) {
  const std::string header = npyHeader(shape);
  const std::string_view body(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  const std::uint64_t size = header.size() + body.size();
  if (written_ + size > std::numeric_limits<std::uint32_t>::max() - 65536) {
    throw CommandError(fmt::format("'{}' would be larger than 4 GiB: record fewer steps with --every", file_),
                       kProblem);
  }
  Entry entry{fmt::format("{}.npy", name), crc32(body, crc32(header)), static_cast<std::uint32_t>(size),
              static_cast<std::uint32_t>(written_)};
  Record local;
  local.u32(0x04034b50).u16(kZipVersion).u16(0).u16(0).u16(0).u16(kDosDate);  // signature .. method "stored", date
  local.u32(entry.checksum).u32(entry.size).u32(entry.size);
  local.u16(static_cast<std::uint32_t>(entry.name.size())).u16(0).text(entry.name);
  write(local.str());
  write(header);
  write(body);
  entries_.push_back(std::move(entry));
}

void NpzWriter::finish() {
  const auto directory = static_cast<std::uint32_t>(written_);
  for (const Entry& entry : entries_) {
    Record record;
    record.u32(0x02014b50).u16(kZipVersion).u16(kZipVersion).u16(0).u16(0).u16(0).u16(kDosDate);
    record.u32(entry.checksum).u32(entry.size).u32(entry.size);
    record.u16(static_cast<std::uint32_t>(entry.name.size())).u16(0).u16(0).u16(0).u16(0).u32(0);
    record.u32(entry.offset).text(entry.name);
    write(record.str());
  }
  const auto count = static_cast<std::uint32_t>(entries_.size());
  Record end;
  end.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count);
  end.u32(static_cast<std::uint32_t>(written_) - directory).u32(directory).u16(0);
  write(end.str());
  out_.close();
  if (!out_) throw CommandError(fmt::format("writing '{}' failed", file_), kProblem);
}

}  // namespace sinew::cli
