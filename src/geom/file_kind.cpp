#include "geom/file_kind.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sinew::geom {
namespace {

bool isText(std::string_view bytes) {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u >= 0x20 && u != 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
}

}  // namespace

std::string_view kindOfFile(std::span<const unsigned char> bytes) {
  constexpr std::size_t kLookedAt = 512;
  using namespace std::string_view_literals;
  static constexpr std::array kBeginnings{std::pair{"\x89PNG\r\n"sv, "a PNG image"sv},
                                          std::pair{"\xff\xd8\xff"sv, "a JPEG image"sv},
                                          std::pair{"GIF8"sv, "a GIF image"sv},
                                          std::pair{"\x1f\x8b"sv, "gzip data"sv},
                                          std::pair{"PK\x03\x04"sv, "a zip archive"sv},
                                          std::pair{"%PDF"sv, "a PDF file"sv},
                                          std::pair{"\x7f"
                                                    "ELF"sv,
                                                    "a program"sv},
                                          std::pair{"glTF"sv, "a binary glTF file"sv},
                                          std::pair{"SINEWM"sv, "a saved Sinew model"sv},
                                          std::pair{"\x93NUMPY"sv, "a NumPy array"sv},
                                          std::pair{"$MeshFormat"sv, "a Gmsh file"sv},
                                          std::pair{"version https://git-lfs"sv, "a Git LFS pointer"sv}};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLookedAt));
  for (const auto& [beginning, kind] : kBeginnings) {
    if (text.starts_with(beginning)) return kind;
  }
  if (!isText(text)) return {};
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '<') return "XML text";
  if (first != text.npos && text.substr(first).starts_with("solid")) return "an ASCII STL file";
  return "text";
}

std::string seemsToBe(std::span<const unsigned char> bytes) {
  const std::string_view kind = kindOfFile(bytes);
  return kind.empty() ? std::string() : "; the file seems to be " + std::string(kind);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '.');
  // half a multi-byte character at the end, or bytes that are no characters at all
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '.');
  return shown;
}

}  // namespace sinew::geom
