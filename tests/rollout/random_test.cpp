#include "sinew/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace sinew {
namespace {

using Block = std::array<std::uint64_t, 4>;

// the known answers that the authors of Philox publish with their library
TEST(CounterRandom, ROLL_1_PhiloxGivesThePublishedNumbers) {
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Block{0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu}));
  EXPECT_EQ(philox({kAll, kAll, kAll, kAll}, {kAll, kAll}),
            (Block{0x87b092c3013fe90bu, 0x438c3c67be8d0224u, 0x9cc7d7c69cd777b6u, 0xa09caebf594f0ba0u}));
  EXPECT_EQ(philox({0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u},
                   {0x452821e638d01377u, 0xbe5466cf34e90c6cu}),
            (Block{0xa528f45403e61d95u, 0x38c72dbd566e9788u, 0xa5a1610e72fd18b5u, 0x57bd43b5e52b7fe6u}));
}

TEST(CounterRandom, ROLL_1_RunsStreamsAndSeedsDiffer) {
  const CounterRandom a(7, 3, 1);
  EXPECT_EQ(a.bits(5), CounterRandom(7, 3, 1).bits(5));
  for (const CounterRandom& b : {CounterRandom(8, 3, 1), CounterRandom(7, 4, 1), CounterRandom(7, 3, 2)}) {
    EXPECT_NE(a.bits(5), b.bits(5));
  }
  EXPECT_NE(a.bits(5), a.bits(6));
}

// moments of 40000 numbers, within five standard errors
TEST(CounterRandom, ROLL_4_UniformAndNormalNumbersHaveTheirMoments) {
  constexpr int kCount = 40000;
  double uniform = 0, uniform2 = 0, normal = 0, normal2 = 0, normal4 = 0;
  for (std::uint64_t run = 0; run < kCount; ++run) {
    const CounterRandom random(11, run, 0);
    const double u = random.uniform(3), z = random.normal(4);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform += u / kCount;
    uniform2 += u * u / kCount;
    normal += z / kCount;
    normal2 += z * z / kCount;
    normal4 += z * z * z * z / kCount;
  }
  const double root = 5 / std::sqrt(kCount);
  EXPECT_NEAR(uniform, 0.5, root * std::sqrt(1.0 / 12));
  EXPECT_NEAR(uniform2, 1.0 / 3, root * std::sqrt(4.0 / 45));
  EXPECT_NEAR(normal, 0, root);
  EXPECT_NEAR(normal2, 1, root * std::sqrt(2));
  EXPECT_NEAR(normal4, 3, root * std::sqrt(96));
}

}  // namespace
}  // namespace sinew
