#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/scene.h"

namespace sinew {
namespace {

// four channels at once: GCC and Clang make one instruction of each operation
typedef float Float4 __attribute__((vector_size(16)));

/// The texel of a picture, as RGBA in 0..255.
inline Float4 texel(const SceneTexture& t, const std::uint8_t* picture, int row, int column) {
  const std::size_t c = static_cast<std::size_t>(t.channels);
  const std::uint8_t* p = picture + c * (static_cast<std::size_t>(row) * static_cast<std::size_t>(t.width) +
                                         static_cast<std::size_t>(column));
  const auto unit = [](std::uint8_t value) { return static_cast<float>(value); };
  switch (t.channels) {
    case 1:
      return Float4{unit(p[0]), unit(p[0]), unit(p[0]), 255};
    case 2:
      return Float4{unit(p[0]), unit(p[0]), unit(p[0]), unit(p[1])};
    case 3:
      return Float4{unit(p[0]), unit(p[1]), unit(p[2]), 255};
    default:
      return Float4{unit(p[0]), unit(p[1]), unit(p[2]), unit(p[3])};
  }
}

/// Of numbers below 2^31 in size, without a call.
inline int floorOf(double x) {
  const int i = static_cast<int>(x);
  return i - (x < i);
}

/// Between the four texels around (x, y), in texels with their middles at halves. `column` and `row` bring indices into
/// the picture.
template <class Wrap>
Color bilinear(const SceneTexture& t, const std::uint8_t* picture, double x, double y, Wrap wrap) {
  const double fx = x - 0.5, fy = y - 0.5;
  const int x0 = floorOf(fx), y0 = floorOf(fy);
  const float u = static_cast<float>(fx - x0), v = static_cast<float>(fy - y0);
  const int c0 = wrap(x0, t.width), c1 = wrap(x0 + 1, t.width);
  const int r0 = wrap(y0, t.height), r1 = wrap(y0 + 1, t.height);
  const Float4 a = texel(t, picture, r0, c0), b = texel(t, picture, r0, c1), c = texel(t, picture, r1, c0),
               d = texel(t, picture, r1, c1);
  const Float4 mean = ((1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * c + u * d)) / 255;
  return {mean[0], mean[1], mean[2], mean[3]};
}

}  // namespace

Color heatColor(double t) {
  // viridis, sampled at nine places
  static constexpr std::array<std::array<float, 3>, 9> kMap{{{0.267f, 0.005f, 0.329f},
                                                             {0.278f, 0.173f, 0.480f},
                                                             {0.231f, 0.318f, 0.545f},
                                                             {0.173f, 0.443f, 0.557f},
                                                             {0.128f, 0.567f, 0.551f},
                                                             {0.154f, 0.682f, 0.506f},
                                                             {0.361f, 0.786f, 0.388f},
                                                             {0.678f, 0.864f, 0.190f},
                                                             {0.993f, 0.906f, 0.144f}}};
  const double x = (std::isfinite(t) ? std::clamp(t, 0.0, 1.0) : 1.0) * 8;
  const std::size_t i = std::min<std::size_t>(7, static_cast<std::size_t>(x));
  const float s = static_cast<float>(x - static_cast<double>(i));
  Color out{0, 0, 0, 1};
  for (std::size_t k = 0; k < 3; ++k) out[k] = (1 - s) * kMap[i][k] + s * kMap[i + 1][k];
  return out;
}

Color sampleFlat(const SceneTexture& texture, double u, double v) {
  if (texture.width < 1 || texture.height < 1) return {1, 1, 1, 1};
  if (!std::isfinite(u) || !std::isfinite(v)) u = v = 0;
  u -= std::floor(u), v -= std::floor(v);
  return bilinear(texture, texture.pixels.data(), u * texture.width, v * texture.height, [](int i, int n) {
    return i < 0 ? i + n : i >= n ? i - n : i;
  });
}

Color sampleCube(const SceneTexture& texture, double x, double y, double z) {
  if (texture.width < 1) return {1, 1, 1, 1};
  const double ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  int face = 0;
  double s = 0, t = 0, major = 0;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1, major = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3, major = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5, major = az, s = z >= 0 ? x : -x, t = -y;
  }
  if (!(major > 0)) return {1, 1, 1, 1};
  const std::size_t side = static_cast<std::size_t>(texture.width) * static_cast<std::size_t>(texture.height);
  const std::uint8_t* picture =
      texture.pixels.data() + static_cast<std::size_t>(face) * side * static_cast<std::size_t>(texture.channels);
  const double scale = 1 / major;
  return bilinear(texture, picture, (s * scale + 1) / 2 * texture.width, (t * scale + 1) / 2 * texture.height,
                  [](int i, int n) { return std::clamp(i, 0, n - 1); });
}

}  // namespace sinew
