#include "render/texture_pyramid.h"

#include <algorithm>
#include <cmath>

namespace sinew::render {
namespace {

/// Half the size, at least one texel; odd sizes drop the last row or column into their neighbour.
SceneTexture halved(const SceneTexture& from) {
  SceneTexture to;
  to.type = from.type;
  to.channels = from.channels;
  to.width = std::max(1, from.width / 2);
  to.height = std::max(1, from.height / 2);
  const std::size_t c = static_cast<std::size_t>(from.channels);
  to.pixels.resize(c * static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height));
  const auto at = [&](int row, int column, std::size_t k) -> unsigned {
    row = std::min(row, from.height - 1), column = std::min(column, from.width - 1);
    return from.pixels[c * (static_cast<std::size_t>(row) * static_cast<std::size_t>(from.width) +
                            static_cast<std::size_t>(column)) +
                       k];
  };
  std::uint8_t* out = to.pixels.data();
  for (int row = 0; row < to.height; ++row) {
    for (int column = 0; column < to.width; ++column) {
      for (std::size_t k = 0; k < c; ++k) {
        const int r = 2 * row, q = 2 * column;
        *out++ =
            static_cast<std::uint8_t>((at(r, q, k) + at(r, q + 1, k) + at(r + 1, q, k) + at(r + 1, q + 1, k) + 2) / 4);
      }
    }
  }
  return to;
}

}  // namespace

TexturePyramid::TexturePyramid(const SceneTexture& texture) {
  if (texture.width < 1 || texture.type != TextureType::Flat) return;
  levels_.push_back(texture);
  while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(halved(levels_.back()));
}

Color TexturePyramid::trilinear(double u, double v, double level) const {
  const double top = static_cast<double>(levels_.size() - 1), l = std::clamp(level, 0.0, top);
  const std::size_t i = static_cast<std::size_t>(l);
  const Color a = sampleFlat(levels_[i], u, v);
  const float s = static_cast<float>(l - static_cast<double>(i));
  if (s == 0 || i + 1 >= levels_.size()) return a;
  const Color b = sampleFlat(levels_[i + 1], u, v);
  Color out;
  for (std::size_t k = 0; k < 4; ++k) out[k] = (1 - s) * a[k] + s * b[k];
  return out;
}

Color TexturePyramid::sample(double u, double v, const double du[2], const double dv[2]) const {
  if (levels_.empty()) return {1, 1, 1, 1};
  const double w = levels_[0].width, h = levels_[0].height;
  double a = std::hypot(du[0] * w, du[1] * h), b = std::hypot(dv[0] * w, dv[1] * h);
  const double* along = du;
  if (b > a) {
    std::swap(a, b);
    along = dv;
  }
  if (!std::isfinite(a)) return trilinear(u, v, 1e9);
  if (a <= 1) return trilinear(u, v, 0);
  // taps along the long axis, each as wide as the short one
  constexpr int kMostTaps = 8;
  const int taps = std::clamp(static_cast<int>(std::ceil(a / std::max(b, 1.0))), 1, kMostTaps);
  const double level = std::log2(std::max(1.0, std::max(b, a / taps)));
  Color sum{0, 0, 0, 0};
  for (int i = 0; i < taps; ++i) {
    const double s = (i + 0.5) / taps - 0.5;
    const Color c = trilinear(u + s * along[0], v + s * along[1], level);
    for (std::size_t k = 0; k < 4; ++k) sum[k] += c[k] / static_cast<float>(taps);
  }
  return sum;
}

}  // namespace sinew::render
