#include "scene/png_read.h"

#include <fmt/format.h>

#include <cstring>

#include "sinew/errors.h"

namespace sinew::draw {

Picture readPng(const std::string& bytes, const std::function<void(int width, int height)>& accept) {
  constexpr char kSignature[] = "\x89PNG\r\n\x1a\n";
  if (bytes.size() < 8 || std::memcmp(bytes.data(), kSignature, 8) != 0) throw LoadError("it is not a PNG picture");
  try {
    return geom::decodePng(
        {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()}, [&](int width, int height) {
          if (width > kMaxPictureSide || height > kMaxPictureSide) {
            throw LoadError(fmt::format("the picture has {} x {} pixels, at most {} in a direction are supported",
                                        width, height, kMaxPictureSide));
          }
          accept(width, height);
        });
  } catch (const geom::PngError& error) {
    throw LoadError(fmt::format("the PNG picture cannot be read: {}", error.what()));
  }
}

}  // namespace sinew::draw
