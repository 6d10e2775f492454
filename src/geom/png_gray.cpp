#include "geom/png_gray.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <string>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"

namespace sinew::geom {
namespace {

constexpr std::size_t kMaxPixels = std::size_t{1} << 25;

/// libpng and the bytes it reads. Errors come back by longjmp, so the calls sit in functions without destructors
/// (readHeader, readPixels), and this class owns what must be freed.
class PngReader {
 public:
  explicit PngReader(Bytes data) : data_(data) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw MeshError("no memory for the PNG image");
    }
    png_set_read_fn(png_, this, onRead);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Sizes, and the wish for 8 bits and no palette.
  bool readHeader() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    width_ = png_get_image_width(png_, info_);
    height_ = png_get_image_height(png_, info_);
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    rowBytes_ = png_get_rowbytes(png_, info_);
    channels_ = png_get_channels(png_, info_);
    return true;
  }

  bool readPixels(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    return true;
  }

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  std::size_t rowBytes() const { return rowBytes_; }
  std::size_t channels() const { return channels_; }
  std::string message() const { return message_; }

 private:
  [[noreturn]] static void onError(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof(self->message_) - 1);
    png_longjmp(png, 1);
  }
  static void onWarning(png_structp, png_const_charp) {}
  static void onRead(png_structp png, png_bytep out, std::size_t count) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self->data_.size()) png_error(png, "the file ends too early");
    std::memcpy(out, self->data_.data(), count);
    self->data_ = self->data_.subspan(count);
  }

  Bytes data_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::size_t width_ = 0, height_ = 0, rowBytes_ = 0, channels_ = 0;
  char message_[128] = {};
};

}  // namespace

GrayImage readPngGray(Bytes data) {
  PngReader reader(data);
  if (!reader.readHeader()) throw MeshError("error decoding PNG file: " + reader.message() + seemsToBe(data));
  const std::size_t width = reader.width(), height = reader.height();
  if (width * height > kMaxPixels)
    throw MeshError("PNG image of " + std::to_string(width) + " x " + std::to_string(height) + " pixels is too large");

  std::vector<unsigned char> bytes(reader.rowBytes() * height);
  std::vector<png_bytep> rows;
  for (std::size_t r = 0; r < height; ++r) rows.push_back(bytes.data() + r * reader.rowBytes());
  if (!reader.readPixels(rows.data()))
    throw MeshError("error decoding PNG file: " + reader.message() + seemsToBe(data));

  GrayImage image{static_cast<int>(width), static_cast<int>(height), {}};
  image.pixel.reserve(width * height);
  for (std::size_t r = 0; r < height; ++r)
    for (std::size_t c = 0; c < width; ++c) image.pixel.push_back(rows[r][c * reader.channels()]);
  return image;
}

}  // namespace sinew::geom
