#pragma once

#include <array>
#include <cstdint>

namespace sinew {

/// Random numbers that are a function of their address: no state, no order, the same on any thread and any machine.
/// Philox4x64-10 of Salmon et al. 2011 with the seed as key and (index, run, stream, 0) as counter. Different runs and
/// streams are statistically independent.
class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed, std::uint64_t run = 0, std::uint64_t stream = 0)
      : seed_(seed), run_(run), stream_(stream) {}

  /// 256 random bits.
  std::array<std::uint64_t, 4> bits(std::uint64_t index) const;
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t index) const;
  /// Normal with mean 0 and standard deviation 1 (Box and Muller 1958).
  double normal(std::uint64_t index) const;
  /// Uniform in 0, 1, ..., count - 1; count must be above 0.
  std::uint64_t below(std::uint64_t index, std::uint64_t count) const;

 private:
  std::uint64_t seed_, run_, stream_;
};

/// The block function itself.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter, std::array<std::uint64_t, 2> key);

}  // namespace sinew
