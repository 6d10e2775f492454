#include "scene/png_read.h"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>

#include "sinew/errors.h"

namespace sinew::draw {
namespace {

/// libpng and the bytes it reads. Errors come back by longjmp, so the calls sit in functions without destructors, and
/// this class owns what must be freed.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : at_(bytes.data()), left_(bytes.size()) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw LoadError("no memory for the picture");
    }
    png_set_read_fn(png_, this, onRead);
  }
  ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool readHeader(Picture& picture) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_info(png_, info_);
    picture.width = static_cast<int>(png_get_image_width(png_, info_));
    picture.height = static_cast<int>(png_get_image_height(png_, info_));
    int intent = 0;
    picture.srgb = png_get_sRGB(png_, info_, &intent) != 0;
    return true;
  }

  /// Asks for 8 bits and no palette.
  bool prepare(Picture& picture) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (png_get_valid(png_, info_, PNG_INFO_tRNS) != 0) png_set_tRNS_to_alpha(png_);
    png_set_strip_16(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    picture.channels = png_get_channels(png_, info_);
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
    auto* self = static_cast<Reader*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof(self->message_) - 1);
    png_longjmp(png, 1);
  }
  static void onWarning(png_structp, png_const_charp) {}
  static void onRead(png_structp png, png_bytep out, std::size_t count) {
    auto* self = static_cast<Reader*>(png_get_io_ptr(png));
    if (count > self->left_) png_error(png, "the file ends too early");
    std::memcpy(out, self->at_, count);
    self->at_ += count;
    self->left_ -= count;
  }

  const char* at_;
  std::size_t left_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[128] = {};
};

}  // namespace

Picture readPng(const std::string& bytes) {
  if (bytes.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) != 0) {
    throw LoadError("it is not a PNG picture");
  }
  Reader reader(bytes);
  Picture picture;
  const auto fail = [&] { throw LoadError(fmt::format("the PNG picture cannot be read: {}", reader.message())); };
  if (!reader.readHeader(picture)) fail();
  if (picture.width > kMaxPictureSide || picture.height > kMaxPictureSide) {
    throw LoadError(fmt::format("the picture has {} x {} pixels, at most {} in a direction are supported",
                                picture.width, picture.height, kMaxPictureSide));
  }
  if (!reader.prepare(picture)) fail();
  const std::size_t rowBytes = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.channels);
  picture.pixels.resize(rowBytes * static_cast<std::size_t>(picture.height));
  std::vector<png_bytep> rows;
  for (int r = 0; r < picture.height; ++r) {
    rows.push_back(picture.pixels.data() + rowBytes * static_cast<std::size_t>(r));
  }
  if (!reader.readPixels(rows.data())) fail();
  return picture;
}

}  // namespace sinew::draw
