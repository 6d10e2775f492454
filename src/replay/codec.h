#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// How replay files store numbers. viewer/src/replay.ts reads them.
namespace sinew::replay {

using Bytes = std::vector<std::uint8_t>;

/// A series of frames of `width` numbers each, as 16-bit numbers between the bounds of their channel (number i belongs
/// to channel i % channels of its group; bounds are those of the whole series), then second differences in time, folded
/// to be non-negative, first all low bytes, then all high bytes. `step` > 0: no finer than this.
///   u32 frames, u32 width, u32 groups, u32 channels; f32 low, f32 step per group and channel; bytes
/// Group g holds numbers groupStart[g] to groupStart[g + 1] of each frame.
Bytes encodeSeries(std::span<const float> values, std::size_t width, std::span<const std::uint32_t> groupStart,
                   std::size_t channels, double step);

/// Values from 0 up as one byte each: round(levels sqrt(v / max)), then differences in time.
///   u32 frames, u32 width, f32 max, u32 levels; bytes
Bytes encodeHeat(std::span<const float> values, std::size_t width, int levels);

/// A float in 16 bits: sign, 5 bits of exponent, 10 of mantissa; too large: the largest.
std::uint16_t halfOf(float value);

/// zlib format.
Bytes deflated(std::span<const std::uint8_t> bytes);

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace sinew::replay
