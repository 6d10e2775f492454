#pragma once

#include <bit>
#include <cstdint>
#include <span>

/// Tests of whole arrays, on the bits of the numbers: several at once, and without a branch, as there hardly ever is
/// anything to be found.
namespace sinew {

namespace detail {
inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
}  // namespace detail

/// Whether all |x| <= most; no NaN is.
inline bool allWithin(std::span<const double> values, double most) {
  // without the sign, numbers are ordered as their bits are, and NaN comes after infinity
  const auto bound = std::bit_cast<std::uint64_t>(most);
  std::uint64_t beyond = 0;  // its first bit
  for (const double x : values) beyond |= bound - (std::bit_cast<std::uint64_t>(x) & ~detail::kSignBit);
  return (beyond & detail::kSignBit) == 0;
}

/// Whether all are 0 or -0.
inline bool allZero(std::span<const double> values) {
  std::uint64_t bits = 0;
  for (const double x : values) bits |= std::bit_cast<std::uint64_t>(x);
  return (bits & ~detail::kSignBit) == 0;
}

}  // namespace sinew
