#include "npy_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "npz.h"

namespace sinew::cli {
namespace {

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return value;
}

/// Bytes of one value of a type, 0: not one we know.
std::uint64_t sizeOf(std::string_view type) {
  if (type.size() < 3) return 0;
  std::uint64_t count = 0;
  const auto [stop, error] = std::from_chars(type.data() + 2, type.data() + type.size(), count);
  if (error != std::errc() || stop != type.data() + type.size() || count > 100'000'000) return 0;
  if (type[0] != '<' && type[0] != '|') return 0;
  if (type[1] == 'U') return 4 * count;
  return count <= 8 ? count : 0;
}

/// The value after 'KEY': in the dictionary of a header, up to `end`.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key, char open, char close) {
  std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == header.npos) return std::nullopt;
  at = header.find(open, at + key.size() + 3);
  if (at == header.npos) return std::nullopt;
  const std::size_t end = header.find(close, at + 1);
  if (end == header.npos) return std::nullopt;
  return header.substr(at + 1, end - at - 1);
}

}  // namespace

std::uint64_t NpyArray::count() const {
  std::uint64_t n = 1;
  for (const std::uint64_t s : shape) n *= s;
  return n;
}

NpyArchive::NpyArchive(const std::string& file) : file_(file) {
  const auto strange = [&](const std::string& why) { return CommandError(fmt::format("{}: {}", file, why)); };
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) throw strange(fmt::format("cannot open the file: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw strange("is not a regular file");
  in_ = Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (in_.value() < 0) throw strange(fmt::format("cannot open the file: {}", std::strerror(errno)));
  const auto length = static_cast<std::uint64_t>(status.st_size);
  const auto bytesAt = [&](std::uint64_t offset, std::uint64_t count) {
    if (offset > length || count > length - offset) throw strange("is cut off, or not an .npz archive");
    std::string bytes(static_cast<std::size_t>(count), '\0');
    readAt(in_.value(), offset, std::as_writable_bytes(std::span(bytes)), file);
    return bytes;
  };

  // the record at the end, behind which there may be a comment
  constexpr std::uint64_t kEnd = 22;
  const std::uint64_t tail = std::min<std::uint64_t>(length, kEnd + 65535);
  const std::string last = bytesAt(length - tail, tail);
  const std::size_t end = last.rfind(std::string_view("PK\5\6", 4));
  if (end == last.npos || last.size() - end < kEnd) throw strange("is cut off, or not an .npz archive");
  std::uint64_t count = number(last, end + 10, 2), size = number(last, end + 12, 4), at = number(last, end + 16, 4);
  if (at == 0xffffffff || count == 0xffff || size == 0xffffffff) {
    const std::uint64_t place = length - tail + end;
    if (place < 20) throw strange("is not an .npz archive");
    const std::string locator = bytesAt(place - 20, 20);
    if (number(locator, 0, 4) != 0x07064b50) throw strange("is not an .npz archive");
    const std::string large = bytesAt(number(locator, 8, 8), 56);
    count = number(large, 32, 8), size = number(large, 40, 8), at = number(large, 48, 8);
  }
  const std::string directory = bytesAt(at, size);
  std::size_t entry = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    constexpr std::size_t kEntry = 46;
    if (directory.size() - entry < kEntry || number(directory, entry, 4) != 0x02014b50) {
      throw strange("the directory of the archive is damaged");
    }
    const std::uint64_t method = number(directory, entry + 10, 2);
    Stored stored;
    stored.checksum = static_cast<std::uint32_t>(number(directory, entry + 16, 4));
    std::uint64_t bytes = number(directory, entry + 24, 4), offset = number(directory, entry + 42, 4);
    const std::size_t name = number(directory, entry + 28, 2), extra = number(directory, entry + 30, 2),
                      comment = number(directory, entry + 32, 2);
    if (directory.size() - entry - kEntry < name + extra + comment) {
      throw strange("the directory of the archive is damaged");
    }
    NpyArray array;
    array.name = directory.substr(entry + kEntry, name);
    // 64-bit sizes are in an extra field, those that do not fit and in this order: size, stored size, offset
    const std::string_view fields = std::string_view(directory).substr(entry + kEntry + name, extra);
    for (std::size_t f = 0; f + 4 <= fields.size();) {
      const std::size_t width = number(fields, f + 2, 2);
      if (width > fields.size() - f - 4) break;
      if (number(fields, f, 2) == 1) {
        std::size_t v = f + 4;
        const auto take = [&](std::uint64_t& value) {
          if (value != 0xffffffff || v + 8 > f + 4 + width) return;
          value = number(fields, v, 8);
          v += 8;
        };
        std::uint64_t packed = number(directory, entry + 20, 4);
        take(bytes);
        take(packed);
        take(offset);
      }
      f += 4 + width;
    }
    entry += kEntry + name + extra + comment;
    if (!array.name.ends_with(".npy")) continue;
    array.name.resize(array.name.size() - 4);
    if (method != 0) throw strange("is compressed; numpy.savez() writes what can be read, not savez_compressed()");
    const std::string local = bytesAt(offset, 30);
    if (number(local, 0, 4) != 0x04034b50) throw strange("the directory of the archive is damaged");
    stored.start = offset + 30 + number(local, 26, 2) + number(local, 28, 2);
    stored.size = bytes;
    if (stored.start > length || bytes > length - stored.start) throw strange("is cut off");

    const auto bad = [&](const std::string& why) { return strange(fmt::format("array '{}': {}", array.name, why)); };
    if (bytes < 12) throw bad("is not an .npy file");
    const std::string magic = bytesAt(stored.start, 12);
    if (!magic.starts_with("\x93NUMPY")) throw bad("is not an .npy file");
    const bool isLong = magic[6] != 1;
    const std::uint64_t fixed = isLong ? 12 : 10, words = number(magic, 8, isLong ? 4 : 2);
    if (words > bytes - fixed || words > 1'000'000) throw bad("its header is damaged");
    const std::string header = bytesAt(stored.start + fixed, words);
    const auto type = valueOf(header, "descr", '\'', '\'');
    const auto shape = valueOf(header, "shape", '(', ')');
    if (!type || !shape) throw bad("its header is not understood");
    if (header.find("'fortran_order': False") == header.npos) throw bad("is in Fortran order, expected C order");
    array.type = *type;
    for (std::size_t s = 0; s < shape->size();) {
      std::uint64_t extent = 0;
      while (s < shape->size() && ((*shape)[s] == ' ' || (*shape)[s] == ',')) ++s;
      if (s == shape->size()) break;
      const auto [stop, error] = std::from_chars(shape->data() + s, shape->data() + shape->size(), extent);
      if (error != std::errc() || extent > (std::uint64_t{1} << 48)) throw bad("its header is not understood");
      s = static_cast<std::size_t>(stop - shape->data());
      array.shape.push_back(extent);
    }
    const std::uint64_t width = sizeOf(array.type);
    if (width == 0) throw bad(fmt::format("type '{}' is not one that can be read", array.type));
    std::uint64_t values = 1;
    for (const std::uint64_t extent : array.shape) {
      if (extent != 0 && values > length / extent + 1) throw bad("its shape does not fit its size");
      values *= extent;
    }
    array.offset = stored.start + fixed + words;
    array.bytes = bytes - fixed - words;
    if (values * width != array.bytes) throw bad("its shape does not fit its size");
    arrays_.push_back(std::move(array));
    stored_.push_back(stored);
  }
}

const NpyArray* NpyArchive::find(std::string_view name) const {
  const auto it = std::find_if(arrays_.begin(), arrays_.end(), [&](const NpyArray& a) { return a.name == name; });
  return it == arrays_.end() ? nullptr : &*it;
}

void NpyArchive::read(const NpyArray& array, std::uint64_t from, std::span<std::byte> bytes) const {
  readAt(in_.value(), array.offset + from, bytes, file_);
}

std::vector<double> NpyArchive::numbers(const NpyArray& array) const {
  std::vector<double> values(static_cast<std::size_t>(array.count()));
  const auto convert = [&]<class T>(T) {
    std::vector<T> raw(values.size());
    read(array, 0, std::as_writable_bytes(std::span(raw)));
    std::transform(raw.begin(), raw.end(), values.begin(), [](T x) { return static_cast<double>(x); });
  };
  if (array.type == "<f8") {
    read(array, 0, std::as_writable_bytes(std::span(values)));
  } else if (array.type == "<f4") {
    convert(float{});
  } else if (array.type == "<i8") {
    convert(std::int64_t{});
  } else if (array.type == "<u8") {
    convert(std::uint64_t{});
  } else if (array.type == "<i4") {
    convert(std::int32_t{});
  } else if (array.type == "|u1") {
    convert(std::uint8_t{});
  } else {
    throw CommandError(
        fmt::format("{}: array '{}' has type '{}', expected numbers (float64)", file_, array.name, array.type));
  }
  return values;
}

bool NpyArchive::isIntact() const {
  std::string piece;
  for (const Stored& s : stored_) {
    std::uint32_t crc = 0;
    for (std::uint64_t done = 0; done < s.size;) {
      piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(s.size - done, 1 << 20)));
      readAt(in_.value(), s.start + done, std::as_writable_bytes(std::span(piece)), file_);
      crc = crc32(piece, crc);
      done += piece.size();
    }
    if (crc != s.checksum) return false;
  }
  return true;
}

}  // namespace sinew::cli
