#include "sinew/random.h"

#include <cmath>
#include <numbers>

namespace sinew {
namespace {

__extension__ using Wide = unsigned __int128;

struct Product {
  std::uint64_t high, low;
};

Product multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

constexpr double k2ToMinus53 = 1.0 / 9007199254740992.0;

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * k2ToMinus53; }

}  // namespace

std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter, std::array<std::uint64_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const Product a = multiply(0xD2E7470EE14C6C93u, counter[0]), b = multiply(0xCA5A826395121157u, counter[2]);
    counter = {b.high ^ counter[1] ^ key[0], b.low, a.high ^ counter[3] ^ key[1], a.low};
    key = {key[0] + 0x9E3779B97F4A7C15u, key[1] + 0xBB67AE8584CAA73Bu};
  }
  return counter;
}

std::array<std::uint64_t, 4> CounterRandom::bits(std::uint64_t index) const {
  return philox({index, run_, stream_, 0}, {seed_, 0});
}

double CounterRandom::uniform(std::uint64_t index) const { return unit(bits(index)[0]); }

double CounterRandom::normal(std::uint64_t index) const {
  const auto block = bits(index);
  const double u = 1 - unit(block[0]), v = unit(block[1]);  // u in (0, 1]
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

std::uint64_t CounterRandom::below(std::uint64_t index, std::uint64_t count) const {
  // the high half of a product: the bias is count / 2^64
  return multiply(bits(index)[0], count).high;
}

}  // namespace sinew
