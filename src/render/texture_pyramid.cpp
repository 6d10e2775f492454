#include "render/texture_pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sinew::render {

namespace {

// four channels at once: GCC and Clang make one instruction of each operation
typedef float Float4 __attribute__((vector_size(16)));
typedef std::int32_t Int4 __attribute__((vector_size(16)));
typedef std::uint16_t Short8 __attribute__((vector_size(16)));
typedef std::uint8_t Byte16 __attribute__((vector_size(16)));

/// Four bytes as numbers. Interleaved with zeros, because a conversion of four bytes would be made of scalars.
Float4 numbersOf(const std::uint8_t* texel) {
  std::int32_t word = 0;
  std::memcpy(&word, texel, 4);
  const Int4 words{word, 0, 0, 0};
  Byte16 bytes;
  std::memcpy(&bytes, &words, 16);
  const Byte16 pairs = __builtin_shufflevector(bytes, Byte16{}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  Short8 shorts;
  std::memcpy(&shorts, &pairs, 16);
  const Short8 wide = __builtin_shufflevector(shorts, Short8{}, 0, 8, 1, 9, 2, 10, 3, 11);
  Int4 numbers;
  std::memcpy(&numbers, &wide, 16);
  return __builtin_convertvector(numbers, Float4);
}

/// Of numbers below 2^31 in size, without a call.
int floorOf(double x) {
  const int i = static_cast<int>(x);
  return i - (x < i);
}

}  // namespace

TexturePyramid::Level::Level(int columns, int rows) : width(columns), height(rows), stride(16 * ((columns + 3) / 4)) {
  rgba.resize(4 * static_cast<std::size_t>(stride) * static_cast<std::size_t>((rows + 3) / 4));
}

/// Half the size, at least one texel; odd sizes drop the last row or column into their neighbour.
TexturePyramid::Level TexturePyramid::halved(const Level& from) {
  Level to(std::max(1, from.width / 2), std::max(1, from.height / 2));
  const auto at = [&](int row, int column) {
    return from.texel(std::min(row, from.height - 1), std::min(column, from.width - 1));
  };
  for (int row = 0; row < to.height; ++row) {
    for (int column = 0; column < to.width; ++column) {
      const int r = 2 * row, c = 2 * column;
      const std::uint8_t *p = at(r, c), *q = at(r, c + 1), *s = at(r + 1, c), *t = at(r + 1, c + 1);
      std::uint8_t* out = to.texel(row, column);
      for (int k = 0; k < 4; ++k) *out++ = static_cast<std::uint8_t>((p[k] + q[k] + s[k] + t[k] + 2) / 4);
    }
  }
  return to;
}

TexturePyramid::TexturePyramid(const SceneTexture& texture) {
  if (texture.width < 1 || texture.type != TextureType::Flat) return;
  Level all(texture.width, texture.height);
  const int channels = texture.channels;
  const bool gray = channels < 3;
  const std::uint8_t* p = texture.pixels.data();
  for (int row = 0; row < texture.height; ++row) {
    for (int column = 0; column < texture.width; ++column, p += channels) {
      std::uint8_t* out = all.texel(row, column);
      out[0] = p[0], out[1] = gray ? p[0] : p[1], out[2] = gray ? p[0] : p[2];
      out[3] = channels == 2 ? p[1] : channels == 4 ? p[3] : 255;
    }
  }
  levels_.push_back(std::move(all));
  while (levels_.back().width > 1 || levels_.back().height > 1) levels_.push_back(halved(levels_.back()));
}

/// Means of 2 x 2 texels of two levels at each of `taps` places along an axis of the footprint. Places in texels of
/// both levels, x and y, are four numbers that are worked on at once; the picture repeats.
Color TexturePyramid::mean(double u, double v, int quarters, int taps, const double* along) const {
  const std::size_t last = levels_.size() - 1, at = std::min(static_cast<std::size_t>(quarters / 4), last);
  const Level &fine = levels_[at], &coarse = levels_[std::min(at + 1, last)];
  const float share = at < last ? 0.25f * static_cast<float>(quarters % 4) : 0;
  const Int4 size{fine.width, fine.height, coarse.width, coarse.height};
  const Float4 texels = __builtin_convertvector(size, Float4);
  const auto between = [](const Level& level, const Int4& low, const Int4& high, const Float4& part, int k) {
    const std::uint8_t* first = level.rgba.data() + 4 * level.rowStart(low[k + 1]);
    const std::uint8_t* second = level.rgba.data() + 4 * level.rowStart(high[k + 1]);
    const std::ptrdiff_t left = 4 * Level::columnStart(low[k]), right = 4 * Level::columnStart(high[k]);
    const float s = part[k], t = part[k + 1];
    const Float4 upper = (1 - s) * numbersOf(first + left) + s * numbersOf(first + right);
    const Float4 lower = (1 - s) * numbersOf(second + left) + s * numbersOf(second + right);
    return (1 - t) * upper + t * lower;
  };
  Float4 sum{0, 0, 0, 0};
  for (int i = 0; i < taps; ++i) {
    const double shift = (i + 0.5) / taps - 0.5, x = u + shift * along[0], y = v + shift * along[1];
    const float fx = static_cast<float>(x - floorOf(x)), fy = static_cast<float>(y - floorOf(y));
    const Float4 place = Float4{fx, fy, fx, fy} * texels - 0.5f;
    Int4 low = __builtin_convertvector(place, Int4);
    low += place < __builtin_convertvector(low, Float4);  // true is -1: rounded down
    const Float4 part = place - __builtin_convertvector(low, Float4);
    Int4 high = low + 1;
    low += size & (low < 0);
    high -= size & (high >= size);
    sum += (1 - share) * between(fine, low, high, part, 0);
    if (share > 0) sum += share * between(coarse, low, high, part, 2);
  }
  sum /= 255 * static_cast<float>(taps);
  return {sum[0], sum[1], sum[2], sum[3]};
}

Color TexturePyramid::sample(double u, double v, const double du[2], const double dv[2]) const {
  if (levels_.empty()) return {1, 1, 1, 1};
  if (!(std::abs(u) < 1e9 && std::abs(v) < 1e9)) u = v = 0;
  // squares of the lengths of the axes, texels
  const double w = levels_[0].width, h = levels_[0].height;
  const auto squared = [&](const double axis[2]) { return axis[0] * axis[0] * (w * w) + axis[1] * axis[1] * (h * h); };
  double a2 = squared(du), b2 = squared(dv);
  const double* along = du;
  if (b2 > a2) {
    std::swap(a2, b2);
    along = dv;
  }
  constexpr double kNowhere[2] = {0, 0};
  constexpr int kAll = 4 * 64;
  const double whole = std::max(w, h);
  if (!(a2 < 1e18) || b2 >= whole * whole) return mean(u, v, kAll, 1, kNowhere);
  if (a2 <= 1) return mean(u, v, 0, 1, kNowhere);
  // up to four taps along the long axis, each as wide as the short one
  const double short2 = std::max(b2, 1.0);
  const int taps = 1 + (a2 > short2) + (a2 > 4 * short2) + (a2 > 9 * short2);
  const double width2 = std::max(short2, a2 / (taps * taps));
  // its level in steps of a quarter, of which a fourth needs one level only: log2 of the width to the nearest, by the
  // exponent of the square and what is left of it, 1 to 2
  int exponent = 0;
  const double rest = 2 * std::frexp(width2, &exponent);
  const int quarters = 2 * (exponent - 1) + (rest >= 1.189207115002721) + (rest >= 1.681792830507429);
  return mean(u, v, quarters, taps, along);
}

}  // namespace sinew::render
