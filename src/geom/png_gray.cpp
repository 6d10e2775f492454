#include "geom/png_gray.h"

#include <string>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"
#include "geom/png.h"

namespace sinew::geom {
namespace {

constexpr std::size_t kMaxPixels = std::size_t{1} << 25;

}  // namespace

GrayImage readPngGray(Bytes data) try {
  const PngImage all = decodePng(data, [](int width, int height) {
    if (static_cast<std::size_t>(width) * static_cast<std::size_t>(height) > kMaxPixels) {
      throw MeshError("PNG image of " + std::to_string(width) + " x " + std::to_string(height) +
                      " pixels is too large");
    }
  });
  GrayImage image{all.width, all.height, {}};
  const std::size_t step = static_cast<std::size_t>(all.channels);
  image.pixel.reserve(all.pixels.size() / step);
  for (std::size_t i = 0; i < all.pixels.size(); i += step) image.pixel.push_back(all.pixels[i]);
  return image;
} catch (const PngError& error) {
  throw MeshError("error decoding PNG file: " + std::string(error.what()) + seemsToBe(data));
}

}  // namespace sinew::geom
