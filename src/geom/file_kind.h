#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sinew::geom {

/// What the bytes of a file seem to be, by how they begin: "text", "XML text", "a PNG image", ...; empty if nothing can
/// be said. For messages about files of the wrong kind, whose bytes mean nothing as numbers.
std::string_view kindOfFile(std::span<const unsigned char> bytes);

/// "; the file seems to be text", or nothing if its kind cannot be told.
std::string seemsToBe(std::span<const unsigned char> bytes);

/// At most `most` characters of `text`, with a dot in place of everything that cannot be printed.
std::string printable(std::string_view text, std::size_t most);

}  // namespace sinew::geom
