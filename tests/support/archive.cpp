#include "support/archive.h"

#include <gtest/gtest.h>

#include <cstring>

namespace sinew::test {

std::uint32_t littleEndian(const std::string& bytes, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i))))
             << (8 * i);
  }
  return value;
}

namespace {

/// CRC-32 bit by bit, as the ZIP specification defines it: the second route beside the table in the writer.
std::uint32_t slowCrc(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

}  // namespace

std::map<std::string, std::string> unzip(const std::string& archive) {
  std::map<std::string, std::string> files;
  const std::size_t end = archive.size() - 22;
  EXPECT_EQ(littleEndian(archive, end, 4), 0x06054b50u);
  const std::uint32_t count = littleEndian(archive, end + 10, 2);
  EXPECT_EQ(littleEndian(archive, end + 16, 4) + littleEndian(archive, end + 12, 4), end);
  std::size_t at = littleEndian(archive, end + 16, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(littleEndian(archive, at, 4), 0x02014b50u);
    EXPECT_EQ(littleEndian(archive, at + 10, 2), 0u) << "entries are stored, not compressed";
    const std::uint32_t checksum = littleEndian(archive, at + 16, 4);
    const std::uint32_t size = littleEndian(archive, at + 24, 4);
    const std::uint32_t nameLength = littleEndian(archive, at + 28, 2);
    const std::uint32_t local = littleEndian(archive, at + 42, 4);
    EXPECT_EQ(littleEndian(archive, local, 4), 0x04034b50u);
    EXPECT_EQ(littleEndian(archive, local + 26, 2), nameLength);
    const std::string name = archive.substr(at + 46, nameLength);
    EXPECT_EQ(archive.substr(local + 30, nameLength), name);
    files[name] = archive.substr(local + 30 + nameLength, size);
    EXPECT_EQ(slowCrc(files[name]), checksum) << name;
    at += 46 + nameLength;
  }
  EXPECT_EQ(at, end);
  return files;
}

std::vector<double> doublesOf(const std::string& npy) {
  const std::size_t start = 10 + littleEndian(npy, 8, 2);
  std::vector<double> values((npy.size() - start) / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), npy.data() + start, values.size() * sizeof(double));
  return values;
}

std::vector<std::string> textsOf(const std::string& npy) {
  const std::size_t start = 10 + littleEndian(npy, 8, 2);
  const std::size_t type = npy.find("<U");
  EXPECT_NE(type, npy.npos);
  const std::size_t length = static_cast<std::size_t>(std::stoi(npy.substr(type + 2)));
  std::vector<std::string> texts;
  for (std::size_t at = start; at + 4 * length <= npy.size(); at += 4 * length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      if (const std::uint32_t point = littleEndian(npy, at + 4 * i, 4); point != 0) text += static_cast<char>(point);
    }
    texts.push_back(text);
  }
  return texts;
}

}  // namespace sinew::test
