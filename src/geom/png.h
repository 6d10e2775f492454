#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// PNG pictures, by libpng: the one place that knows it. Height fields and textures are read here, pictures of the
/// renderer and textures for the viewer are written here.
namespace sinew::geom {

/// What libpng says.
struct PngError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// 8-bit pixels, rows from top to bottom.
struct PngImage {
  int width = 0;
  int height = 0;
  int channels = 0;   ///< 1 to 4: gray, gray and alpha, RGB, RGBA
  bool srgb = false;  ///< the file says so
  std::vector<std::uint8_t> pixels;
};

/// Reads any PNG: palettes become RGB, 16 bits the upper 8, fewer bits are stretched to 0..255; gamma is ignored.
/// `accept` sees the sizes before there is memory for pixels, and may throw. Throws PngError.
PngImage decodePng(std::span<const unsigned char> data, const std::function<void(int width, int height)>& accept);

/// The bytes of a PNG file with 1 to 4 channels of 8 bits, sRGB. `fast` makes larger files in less time. Throws
/// PngError.
std::string encodePng(const std::uint8_t* pixels, int width, int height, int channels, bool fast);

}  // namespace sinew::geom
