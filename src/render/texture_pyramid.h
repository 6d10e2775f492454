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
  /// RGBA whatever the texture has: all that is read together lies together.
  struct Level {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
  };
  static Level halved(const Level& from);
  /// The mean of `taps` places along an axis of the footprint, between two levels; the level in quarters.
  Color mean(double u, double v, int quarters, int taps, const double* along) const;
  std::vector<Level> levels_;
};

}  // namespace sinew::render
