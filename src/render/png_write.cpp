#include <fmt/format.h>
#include <png.h>

#include <csetjmp>

#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/renderer.h"

namespace sinew {
namespace {

void onWrite(png_structp png, png_bytep data, std::size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), count);
}
void onFlush(png_structp) {}
[[noreturn]] void onError(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void onWarning(png_structp, png_const_charp) {}

/// Without destructors, because errors come back by longjmp.
bool writeAll(png_structp png, png_infop info, const Image& image, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

std::string encodePng(const Image& image) {
  if (image.width < 1 || image.height < 1 ||
      image.pixels.size() != 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height)) {
    throw LoadError(fmt::format("a PNG picture needs width x height x 3 bytes, found {} x {} and {} bytes", image.width,
                                image.height, image.pixels.size()));
  }
  std::string out;
  std::vector<png_bytep> rows;
  for (int r = 0; r < image.height; ++r) {
    rows.push_back(const_cast<png_bytep>(image.pixels.data()) +
                   3 * static_cast<std::size_t>(r) * static_cast<std::size_t>(image.width));
  }
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, onError, onWarning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool done = false;
  if (info) {
    png_set_write_fn(png, &out, onWrite, onFlush);
    done = writeAll(png, info, image, rows.data());
  }
  png_destroy_write_struct(&png, &info);
  if (!done) throw LoadError("the PNG picture could not be encoded");
  return out;
}

void writePng(const std::filesystem::path& file, const Image& image) {
  const std::string bytes = encodePng(image);
  replaceFile(file, std::as_bytes(std::span(bytes)));
}

}  // namespace sinew
