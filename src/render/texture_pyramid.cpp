#include "render/texture_pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinew::render {

namespace {

// four channels at once: GCC and Clang make one instruction of each operation
typedef float Float4 __attribute__((vector_size(16)));
typedef std::uint8_t Byte4 __attribute__((vector_size(4)));

/// Of numbers below 2^31 in size, without a call.
int floorOf(double x) {
  const int i = static_cast<int>(x);
  return i - (x < i);
}

}  // namespace

/// Weighted texels, 0 to 255 per channel.
struct TexturePyramid::Sum {
  Float4 rgba = {0, 0, 0, 0};
  void add(const std::uint8_t* texel, float weight) {
    Byte4 bytes;
    std::memcpy(&bytes, texel, 4);
    rgba += weight * __builtin_convertvector(bytes, Float4);
  }
  Color color() const { return {rgba[0] / 255, rgba[1] / 255, rgba[2] / 255, rgba[3] / 255}; }
};

/// Half the size, at least one texel; odd sizes drop the last row or column into their neighbour.
TexturePyramid::Level TexturePyramid::halved(const Level& from) {
  Level to;
  to.width = std::max(1, from.width / 2);
  to.height = std::max(1, from.height / 2);
  to.rgba.resize(4 * static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height));
  const auto at = [&](int row, int column) {
    row = std::min(row, from.height - 1), column = std::min(column, from.width - 1);
    return from.rgba.data() + 4 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(from.width) +
                                   static_cast<std::size_t>(column));
  };
  std::uint8_t* out = to.rgba.data();
  for (int row = 0; row < to.height; ++row) {
    for (int column = 0; column < to.width; ++column) {
      const int r = 2 * row, c = 2 * column;
      const std::uint8_t *p = at(r, c), *q = at(r, c + 1), *s = at(r + 1, c), *t = at(r + 1, c + 1);
      for (int k = 0; k < 4; ++k) *out++ = static_cast<std::uint8_t>((p[k] + q[k] + s[k] + t[k] + 2) / 4);
    }
  }
  return to;
}

TexturePyramid::TexturePyramid(const SceneTexture& texture) {
  if (texture.width < 1 || texture.type != TextureType::Flat) return;
  Level all{texture.width, texture.height, {}};
  const std::size_t count = static_cast<std::size_t>(texture.width) * static_cast<std::size_t>(texture.height);
  const std::size_t channels = static_cast<std::size_t>(texture.channels);
  all.rgba.resize(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* p = texture.pixels.data() + channels * i;
    std::uint8_t* out = all.rgba.data() + 4 * i;
    const bool gray = channels < 3;
    out[0] = p[0], out[1] = gray ? p[0] : p[1], out[2] = gray ? p[0] : p[2];
    out[3] = channels == 2 ? p[1] : channels == 4 ? p[3] : 255;
  }
  levels_.push_back(std::move(all));
  while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(halved(levels_.back()));
}

/// Between the four texels around (u, v); the picture repeats.
void TexturePyramid::addBilinear(const Level& level, double u, double v, float weight, Sum& sum) {
  const double x = u * level.width - 0.5, y = v * level.height - 0.5;
  const int x0 = floorOf(x), y0 = floorOf(y);
  const float s = static_cast<float>(x - x0), t = static_cast<float>(y - y0);
  const auto wrap = [](int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; };
  const int c0 = wrap(x0, level.width), c1 = wrap(x0 + 1, level.width);
  const int r0 = wrap(y0, level.height), r1 = wrap(y0 + 1, level.height);
  const auto at = [&](int row, int column) {
    return level.rgba.data() + 4 * (static_cast<std::ptrdiff_t>(row) * level.width + column);
  };
  sum.add(at(r0, c0), weight * (1 - t) * (1 - s));
  sum.add(at(r0, c1), weight * (1 - t) * s);
  sum.add(at(r1, c0), weight * t * (1 - s));
  sum.add(at(r1, c1), weight * t * s);
}

void TexturePyramid::addTrilinear(double u, double v, double level, float weight, Sum& sum) const {
  const double top = static_cast<double>(levels_.size() - 1), l = std::clamp(level, 0.0, top);
  // in steps of a quarter of a level: a fourth of the samples then needs one level only
  const int quarters = static_cast<int>(4 * l + 0.5);
  const std::size_t i = static_cast<std::size_t>(quarters / 4);
  const float s = 0.25f * static_cast<float>(quarters % 4);
  u -= floorOf(u), v -= floorOf(v);
  addBilinear(levels_[i], u, v, (1 - s) * weight, sum);
  if (s > 0) addBilinear(levels_[i + 1], u, v, s * weight, sum);
}

Color TexturePyramid::sample(double u, double v, const double du[2], const double dv[2]) const {
  if (levels_.empty()) return {1, 1, 1, 1};
  if (!(std::abs(u) < 1e9 && std::abs(v) < 1e9)) u = v = 0;
  const double w = levels_[0].width, h = levels_[0].height;
  const auto texels = [&](const double axis[2]) {
    return std::sqrt(axis[0] * axis[0] * (w * w) + axis[1] * axis[1] * (h * h));
  };
  double a = texels(du), b = texels(dv);
  const double* along = du;
  if (b > a) {
    std::swap(a, b);
    along = dv;
  }
  Sum sum;
  const double whole = std::max(w, h);
  if (!(a < 1e9) || b >= whole) {  // the mean of all
    addTrilinear(u, v, 1e9, 1, sum);
    return sum.color();
  }
  if (a <= 1) {
    addTrilinear(u, v, 0, 1, sum);
    return sum.color();
  }
  // taps along the long axis, each as wide as the short one
  constexpr int kMostTaps = 4;
  const int taps = std::clamp(static_cast<int>(std::ceil(a / std::max(b, 1.0))), 1, kMostTaps);
  const double level = std::log2(std::max(1.0, std::max(b, a / taps)));
  const float weight = 1 / static_cast<float>(taps);
  for (int i = 0; i < taps; ++i) {
    const double s = (i + 0.5) / taps - 0.5;
    addTrilinear(u + s * along[0], v + s * along[1], level, weight, sum);
  }
  return sum.color();
}

}  // namespace sinew::render
