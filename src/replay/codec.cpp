#include "replay/codec.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sinew/errors.h"

namespace sinew::replay {
namespace {

template <class T>
void put(Bytes& out, const T& value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

}  // namespace

Bytes encodeSeries(std::span<const float> values, std::size_t width, std::span<const std::uint32_t> groupStart,
                   std::size_t channels, double step) {
  const std::size_t frames = width > 0 ? values.size() / width : 0;
  const std::size_t groups = groupStart.empty() ? 0 : groupStart.size() - 1;
  Bytes out;
  put(out, static_cast<std::uint32_t>(frames));
  put(out, static_cast<std::uint32_t>(width));
  put(out, static_cast<std::uint32_t>(groups));
  put(out, static_cast<std::uint32_t>(channels));
  for (const std::uint32_t start : groupStart) put(out, start);
  std::vector<float> low(width, 0), scale(width, 0);
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t c = 0; c < channels; ++c) {
      float least = INFINITY, most = -INFINITY;
      for (std::size_t f = 0; f < frames; ++f) {
        for (std::size_t i = groupStart[g] + c; i < groupStart[g + 1]; i += channels) {
          least = std::min(least, values[f * width + i]);
          most = std::max(most, values[f * width + i]);
        }
      }
      if (!(least <= most)) least = most = 0;
      const float size = std::max(static_cast<float>(step), (most - least) / 65535.0f);
      put(out, least);
      put(out, size);
      for (std::size_t i = groupStart[g] + c; i < groupStart[g + 1]; i += channels) {
        low[i] = least;
        scale[i] = size > 0 ? 1 / size : 0;
      }
    }
  }
  std::vector<std::uint16_t> folded(frames * width);
  std::vector<std::int32_t> last(width, 0), before(width, 0);
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < width; ++i) {
      const float x = (values[f * width + i] - low[i]) * scale[i] + 0.5f;
      const auto q = static_cast<std::int32_t>(std::clamp(x, 0.0f, 65535.0f));
      const std::int32_t predicted = f == 0 ? 0 : f == 1 ? last[i] : 2 * last[i] - before[i];
      const auto residual = static_cast<std::int16_t>(static_cast<std::uint16_t>(q - predicted));  // modulo 2^16
      folded[f * width + i] = static_cast<std::uint16_t>((residual << 1) ^ (residual >> 15));
      before[i] = last[i];
      last[i] = q;
    }
  }
  const std::size_t at = out.size();
  out.resize(at + 2 * folded.size());
  for (std::size_t i = 0; i < folded.size(); ++i) {
    out[at + i] = static_cast<std::uint8_t>(folded[i] & 255);
    out[at + folded.size() + i] = static_cast<std::uint8_t>(folded[i] >> 8);
  }
  return out;
}

Bytes encodeHeat(std::span<const float> values, std::size_t width, int levels) {
  const std::size_t frames = width > 0 ? values.size() / width : 0;
  float most = 0;
  for (const float v : values) {
    if (std::isfinite(v)) most = std::max(most, v);
  }
  Bytes out;
  put(out, static_cast<std::uint32_t>(frames));
  put(out, static_cast<std::uint32_t>(width));
  put(out, most);
  put(out, static_cast<std::uint32_t>(levels));
  const std::size_t at = out.size();
  out.resize(at + values.size());
  std::vector<std::uint8_t> last(width, 0);
  for (std::size_t f = 0; f < frames; ++f) {
    for (std::size_t i = 0; i < width; ++i) {
      const float v = values[f * width + i];
      const float t = most > 0 && std::isfinite(v) ? std::sqrt(std::max(0.0f, v) / most) : 0;
      const auto q = static_cast<std::uint8_t>(std::lround(t * static_cast<float>(levels)));
      out[at + f * width + i] = static_cast<std::uint8_t>(q - last[i]);
      last[i] = q;
    }
  }
  return out;
}

std::uint16_t halfOf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const float magnitude = std::abs(value);
  if (!(magnitude < 65504.0f)) return static_cast<std::uint16_t>(sign | 0x7bffu);
  if (magnitude < 5.97e-8f) return sign;
  if (magnitude < 6.104e-5f) return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(magnitude * 16777216.0f));
  const std::uint32_t rebiased = (bits & 0x7fffffffu) - ((127u - 15u) << 23);
  return static_cast<std::uint16_t>(sign | ((rebiased + 0x0fffu) >> 13));
}

Bytes deflated(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  Bytes out(size);
  if (compress2(out.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), 9) != Z_OK) {
    throw LoadError("a recording could not be compressed: not enough memory");
  }
  out.resize(size);
  return out;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t x = static_cast<std::uint32_t>(bytes[i]) << 16;
    if (n > 1) x |= static_cast<std::uint32_t>(bytes[i + 1]) << 8;
    if (n > 2) x |= bytes[i + 2];
    out += kDigits[x >> 18];
    out += kDigits[(x >> 12) & 63];
    out += n > 1 ? kDigits[(x >> 6) & 63] : '=';
    out += n > 2 ? kDigits[x & 63] : '=';
  }
  return out;
}

}  // namespace sinew::replay
