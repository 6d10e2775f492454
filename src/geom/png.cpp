#include "geom/png.h"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>

namespace sinew::geom {
namespace {

/// libpng and the bytes it reads. Errors come back by longjmp, so the calls sit in functions without destructors
/// (readHeader, prepare, readPixels), and this class owns what must be freed.
class PngReader {
 public:
  explicit PngReader(std::span<const unsigned char> data) : data_(data) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw PngError("no memory for the picture");
    }
    png_set_read_fn(png_, this, onRead);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool readHeader(PngImage& image) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    image.width = static_cast<int>(png_get_image_width(png_, info_));
    image.height = static_cast<int>(png_get_image_height(png_, info_));
    int intent = 0;
    image.srgb = png_get_sRGB(png_, info_, &intent) != 0;
    return true;
  }

  /// Asks for 8 bits and no palette.
  bool prepare(PngImage& image, std::size_t& rowBytes) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (png_get_valid(png_, info_, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png_);
    png_set_strip_16(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    image.channels = png_get_channels(png_, info_);
    rowBytes = png_get_rowbytes(png_, info_);
    return true;
  }

  bool readPixels(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    return true;
  }

  const char* message() const { return message_; }

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

  std::span<const unsigned char> data_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[128] = {};
};

}  // namespace

PngImage decodePng(std::span<const unsigned char> data, const std::function<void(int width, int height)>& accept) {
  PngReader reader(data);
  PngImage image;
  std::size_t rowBytes = 0;
  if (!reader.readHeader(image)) throw PngError(reader.message());
  accept(image.width, image.height);
  if (!reader.prepare(image, rowBytes)) throw PngError(reader.message());
  const std::size_t height = static_cast<std::size_t>(image.height);
  image.pixels.resize(rowBytes * height);
  std::vector<png_bytep> rows;
  rows.reserve(height);
  for (std::size_t r = 0; r < height; ++r) rows.push_back(image.pixels.data() + r * rowBytes);
  if (!reader.readPixels(rows.data())) throw PngError(reader.message());
  return image;
}

std::string encodePng(const std::uint8_t* pixels, int width, int height, int channels, bool fast) {
  constexpr std::array<png_uint_32, 5> kFormats{0, PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = kFormats[channels];
  image.flags = fast ? PNG_IMAGE_FLAG_FAST : 0;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (!png_image_write_to_memory(&image, out.data(), &size, 0, pixels, 0, nullptr)) throw PngError(image.message);
  out.resize(size);
  return out;
}

}  // namespace sinew::geom
