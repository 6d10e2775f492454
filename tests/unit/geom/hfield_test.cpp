#include <gtest/gtest.h>
#include <png.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "geom/height_field.h"
#include "geom/mesh_error.h"
#include "geom/png_gray.h"

namespace sinew::geom {
namespace {

Bytes bytes(const std::string& text) { return {reinterpret_cast<const unsigned char*>(text.data()), text.size()}; }

std::string errorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const MeshError& error) {
    return error.what();
  }
  return "(no error)";
}

/// A PNG in memory, rows from top to bottom, `rowBytes` each.
std::string writePng(int width, int height, int bitDepth, int colorType, const std::vector<unsigned char>& pixels,
                     bool interlaced = false) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep data, std::size_t n) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), n);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), bitDepth, colorType,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (colorType == PNG_COLOR_TYPE_PALETTE) {
    const png_color palette[3] = {{10, 1, 2}, {200, 3, 4}, {77, 5, 6}};
    png_set_PLTE(png, info, palette, 3);
  }
  png_write_info(png, info);
  png_set_interlace_handling(png);
  std::vector<png_bytep> rows;
  const std::size_t rowBytes = pixels.size() / static_cast<std::size_t>(height);
  for (std::size_t r = 0; r < static_cast<std::size_t>(height); ++r)
    rows.push_back(const_cast<png_bytep>(pixels.data()) + r * rowBytes);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

std::string binaryField(int nrow, int ncol, const std::vector<float>& data) {
  std::string out(8 + 4 * data.size(), '\0');
  std::memcpy(out.data(), &nrow, 4);
  std::memcpy(out.data() + 4, &ncol, 4);
  if (!data.empty()) std::memcpy(out.data() + 8, data.data(), 4 * data.size());
  return out;
}

TEST(Hfield, ElevationRowsAreFlippedAndScaledToUnitRange) {
  const HeightField field = hfieldFromElevation(2, 3, std::vector<double>{5, 6, 7, 1, 2, 3});
  EXPECT_EQ(field.nrow, 2);
  EXPECT_EQ(field.ncol, 3);
  const float r = 6.0f;
  EXPECT_EQ(field.data, (std::vector<float>{0 / r, 1 / r, 2 / r, 4 / r, 5 / r, 6 / r}));
}

TEST(Hfield, WithoutElevationOrRangeIsFlat) {
  EXPECT_EQ(hfieldFromElevation(2, 2, {}).data, std::vector<float>(4, 0.0f));
  EXPECT_EQ(hfieldFromElevation(2, 2, std::vector<double>(4, 3.5)).data, std::vector<float>(4, 0.0f));
}

TEST(Hfield, BinaryFileKeepsItsRowOrder) {
  const HeightField field = loadHfield(bytes(binaryField(2, 2, {1, 2, 3, 5})), "terrain.bin");
  EXPECT_EQ(field.data, (std::vector<float>{0, 0.25f, 0.5f, 1}));
}

TEST(Hfield, PngHasItsTopRowAtTheFarEnd) {
  const std::string png = writePng(2, 2, 8, PNG_COLOR_TYPE_GRAY, {100, 200, 0, 50});
  const HeightField field = loadHfield(bytes(png), "terrain.PNG");
  EXPECT_EQ(field.data, (std::vector<float>{0, 0.25f, 0.5f, 1}));
  EXPECT_EQ(loadHfield(bytes(png), "terrain.bin", "image/png").data, field.data);
}

TEST(Hfield, SaysWhatIsWrong) {
  EXPECT_EQ(errorOf([] {
              hfieldFromElevation(2, 2, std::vector<double>{1, 2, 3});
            }),
            "elevation needs nrow x ncol = 4 numbers, found 3");
  EXPECT_EQ(errorOf([] { hfieldFromElevation(0, 2, {}); }),
            "a height field needs at least one row and one column, found 0 x 2");
  EXPECT_EQ(errorOf([] { hfieldFromElevation(1, 1, std::vector<double>{std::nan("")}); }),
            "an elevation of the height field is not finite");
  EXPECT_EQ(errorOf([] { hfieldFromElevation(1 << 20, 1 << 20, {}); }),
            "a height field of 1048576 x 1048576 is too large");
  EXPECT_EQ(errorOf([] { loadHfield(bytes("abc"), "x"); }), "height field file has no header");
  EXPECT_EQ(errorOf([] { loadHfield({}, "x"); }), "height field file is empty");
  EXPECT_EQ(errorOf([] { loadHfield(bytes(binaryField(-1, 2, {})), "x"); }),
            "a height field needs at least one row and one column, found -1 x 2");
  EXPECT_EQ(errorOf([] {
              loadHfield(bytes(binaryField(2, 2, {1, 2, 3})), "x");
            }),
            "unexpected size of height field file: 20 bytes for 2 x 2 elevations");
  EXPECT_EQ(errorOf([] { loadHfield(bytes("just some text that is no height field"), "C18"); }),
            "not a height field: two sizes and their elevations, in binary, are needed; the file seems to be text");
  EXPECT_EQ(errorOf([] { loadHfield(bytes("<?xml version=\"1.0\"?><mujoco/>"), "C18"); }),
            "not a height field: two sizes and their elevations, in binary, are needed; the file seems to be XML text");
  EXPECT_EQ(
      errorOf([] { loadHfield(bytes("\x89PNG\r\n and so on"), "C18"); }),
      "not a height field: two sizes and their elevations, in binary, are needed; the file seems to be a PNG image");
  EXPECT_EQ(errorOf([] { loadHfield(bytes("not a png at all"), "x.png"); }).substr(0, 24), "error decoding PNG file:");
  EXPECT_EQ(errorOf([] { loadHfield(bytes("x"), "x.png", "image/jpeg"); }),
            "unsupported height field content type 'image/jpeg'; known are image/png and image/vnd.mujoco.hfield");
}

TEST(PngGray, TakesTheRedChannelTheUpperByteAndStretchesFewBits) {
  EXPECT_EQ(readPngGray(bytes(writePng(2, 1, 8, PNG_COLOR_TYPE_RGB, {9, 1, 2, 8, 3, 4}))).pixel,
            (std::vector<unsigned char>{9, 8}));
  EXPECT_EQ(readPngGray(bytes(writePng(2, 1, 8, PNG_COLOR_TYPE_RGBA, {9, 1, 2, 0, 8, 3, 4, 0}))).pixel,
            (std::vector<unsigned char>{9, 8}));
  EXPECT_EQ(readPngGray(bytes(writePng(2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, {9, 0, 8, 0}))).pixel,
            (std::vector<unsigned char>{9, 8}));
  EXPECT_EQ(readPngGray(bytes(writePng(2, 1, 16, PNG_COLOR_TYPE_GRAY, {1, 255, 7, 0}))).pixel,
            (std::vector<unsigned char>{1, 7}));
  EXPECT_EQ(readPngGray(bytes(writePng(3, 1, 4, PNG_COLOR_TYPE_GRAY, {0x0f, 0x30}))).pixel,
            (std::vector<unsigned char>{0, 255, 51}));
  EXPECT_EQ(readPngGray(bytes(writePng(3, 1, 8, PNG_COLOR_TYPE_PALETTE, {0, 1, 2}))).pixel,
            (std::vector<unsigned char>{10, 200, 77}));
}

TEST(PngGray, InterlacingChangesNothing) {
  std::vector<unsigned char> pixels;
  for (int i = 0; i < 11 * 9; ++i) pixels.push_back(static_cast<unsigned char>(7 * i));
  EXPECT_EQ(readPngGray(bytes(writePng(11, 9, 8, PNG_COLOR_TYPE_GRAY, pixels, true))).pixel, pixels);
}

TEST(PngGray, AnyBytesGiveAnImageOrAnError) {
  std::mt19937 generator(3);
  std::vector<unsigned char> pixels(64 * 3);
  for (auto& p : pixels) p = static_cast<unsigned char>(generator());
  const std::string good = writePng(8, 8, 8, PNG_COLOR_TYPE_RGB, pixels);
  for (int i = 0; i < 2000; ++i) {
    std::string data = good;
    for (unsigned k = generator() % 4; k > 0; --k) data[generator() % data.size()] = static_cast<char>(generator());
    if (i % 3 == 0) data.resize(generator() % data.size());
    try {
      const GrayImage image = readPngGray(bytes(data));
      EXPECT_EQ(image.pixel.size(), static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    } catch (const MeshError&) {
    }
  }
}

}  // namespace
}  // namespace sinew::geom
