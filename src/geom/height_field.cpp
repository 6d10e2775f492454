#include "geom/height_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "geom/file_kind.h"
#include "geom/mesh_error.h"
#include "geom/png_gray.h"

namespace sinew::geom {
namespace {

constexpr std::int64_t kMaxCells = std::int64_t{1} << 27;

HeightField emptyField(std::int64_t nrow, std::int64_t ncol) {
  if (nrow < 1 || ncol < 1)
    throw MeshError("a height field needs at least one row and one column, found " + std::to_string(nrow) + " x " +
                    std::to_string(ncol));
  if (nrow > kMaxCells || ncol > kMaxCells || nrow * ncol > kMaxCells)
    throw MeshError("a height field of " + std::to_string(nrow) + " x " + std::to_string(ncol) + " is too large");
  return {static_cast<int>(nrow), static_cast<int>(ncol), std::vector<float>(static_cast<std::size_t>(nrow * ncol))};
}

void scaleToUnit(HeightField& field) {
  for (const float x : field.data)
    if (!std::isfinite(x)) throw MeshError("an elevation of the height field is not finite");
  const auto [lowest, highest] = std::minmax_element(field.data.begin(), field.data.end());
  const float offset = *lowest, range = *highest - *lowest;
  if (!std::isfinite(range)) throw MeshError("the range of elevations is too large");
  for (float& x : field.data) {
    x -= offset;
    if (range > 1e-14f) x /= range;
  }
}

HeightField loadBinary(Bytes data) {
  std::int32_t size[2];
  if (data.size() < sizeof(size)) throw MeshError("height field file has no header");
  std::memcpy(size, data.data(), sizeof(size));
  const std::int64_t cells = std::int64_t{size[0]} * size[1];
  const bool fits =
      size[0] >= 1 && size[1] >= 1 && static_cast<std::uint64_t>(cells) == (data.size() - sizeof(size)) / sizeof(float);
  // of a file of another kind the first bytes are no sizes
  if (!fits && !kindOfFile(data).empty())
    throw MeshError("not a height field: two sizes and their elevations, in binary, are needed" + seemsToBe(data));
  if (size[0] >= 1 && size[1] >= 1 && static_cast<std::uint64_t>(cells) != (data.size() - sizeof(size)) / sizeof(float))
    throw MeshError("unexpected size of height field file: " + std::to_string(data.size()) + " bytes for " +
                    std::to_string(size[0]) + " x " + std::to_string(size[1]) + " elevations");
  HeightField field = emptyField(size[0], size[1]);
  if (data.size() != sizeof(size) + field.data.size() * sizeof(float))
    throw MeshError("unexpected size of height field file: " + std::to_string(data.size()) + " bytes");
  std::memcpy(field.data.data(), data.data() + sizeof(size), field.data.size() * sizeof(float));
  return field;
}

HeightField loadPng(Bytes data) {
  const GrayImage image = readPngGray(data);
  HeightField field = emptyField(image.height, image.width);
  const auto ncol = static_cast<std::ptrdiff_t>(image.width);
  for (int r = 0; r < image.height; ++r)
    std::copy_n(image.pixel.begin() + (image.height - 1 - r) * ncol, ncol, field.data.begin() + r * ncol);
  return field;
}

bool isPng(std::string_view fileName, std::string_view contentType) {
  if (!contentType.empty()) {
    const std::string_view type = contentType.substr(0, contentType.find(';'));
    if (type == "image/png") return true;
    if (type == "image/vnd.mujoco.hfield") return false;
    throw MeshError("unsupported height field content type '" + std::string(contentType) +
                    "'; known are image/png and image/vnd.mujoco.hfield");
  }
  if (fileName.size() < 4) return false;
  std::string extension(fileName.substr(fileName.size() - 4));
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension == ".png";
}

}  // namespace

HeightField hfieldFromElevation(int nrow, int ncol, std::span<const double> elevation) {
  HeightField field = emptyField(nrow, ncol);
  if (elevation.empty()) return field;
  if (elevation.size() != field.data.size())
    throw MeshError("elevation needs nrow x ncol = " + std::to_string(field.data.size()) + " numbers, found " +
                    std::to_string(elevation.size()));
  const auto columns = static_cast<std::size_t>(ncol), rows = static_cast<std::size_t>(nrow);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      field.data[(rows - 1 - r) * columns + c] = static_cast<float>(elevation[r * columns + c]);
  scaleToUnit(field);
  return field;
}

HeightField loadHfield(Bytes data, std::string_view fileName, std::string_view contentType) {
  const bool png = isPng(fileName, contentType);
  if (data.empty()) throw MeshError("height field file is empty");
  HeightField field = png ? loadPng(data) : loadBinary(data);
  scaleToUnit(field);
  return field;
}

}  // namespace sinew::geom
