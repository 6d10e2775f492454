#pragma once

#include <cstdint>
#include <vector>

#include "sinew/scene.h"

namespace sinew::render {

/// A 2d texture with smaller copies of itself, so that many texels within a pixel are averaged instead of picked from.
class TexturePyramid {
 public:
  TexturePyramid() = default;
  explicit TexturePyramid(const SceneTexture& texture);
  bool empty() const { return levels_.empty(); }

  /// Mean colour around (u, v) over a footprint given by its two axes in texture coordinates (one pixel to the right,
  /// one pixel down).
  Color sample(double u, double v, const double du[2], const double dv[2]) const;

 private:
  /// RGBA whatever the texture has, in tiles of 4 x 4 texels, which are a line of the cache: all that is read together
  /// lies together.
  struct Level {
    Level(int columns, int rows);
    std::uint8_t* texel(int row, int column) { return rgba.data() + 4 * (rowStart(row) + columnStart(column)); }
    const std::uint8_t* texel(int row, int column) const {
      return rgba.data() + 4 * (rowStart(row) + columnStart(column));
    }
    std::ptrdiff_t rowStart(int row) const { return static_cast<std::ptrdiff_t>(row >> 2) * stride + 4 * (row & 3); }
    static std::ptrdiff_t columnStart(int column) { return 16 * (column >> 2) + (column & 3); }
    int width = 0, height = 0;
    int stride = 0;  ///< texels in a row of tiles
    std::vector<std::uint8_t> rgba;
  };
  static Level halved(const Level& from);
  /// The mean of `taps` places along an axis of the footprint, between two levels; the level in quarters.
  Color mean(double u, double v, int quarters, int taps, const double* along) const;
  std::vector<Level> levels_;
};

}  // namespace sinew::render
