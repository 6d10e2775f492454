#include <fmt/format.h>

#include "geom/png.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/renderer.h"

namespace sinew {

std::string encodePng(const Image& image) {
  if (image.width < 1 || image.height < 1 ||
      image.pixels.size() != 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    throw LoadError(fmt::format("a PNG picture needs width x height x 3 bytes, found {} x {} and {} bytes", image.width,
                                image.height, image.pixels.size()));
  }
  try {
    return geom::encodePng(image.pixels.data(), image.width, image.height, 3, false);
  } catch (const geom::PngError& error) {
    throw LoadError(fmt::format("the PNG picture could not be encoded: {}", error.what()));
  }
}

void writePng(const std::filesystem::path& file, const Image& image) {
  const std::string bytes = encodePng(image);
  replaceFile(file, std::as_bytes(std::span(bytes)));
}

}  // namespace sinew
