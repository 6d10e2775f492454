#include "math/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Index, IsFloorAndCeilWithinItsRange) {
  for (const double x : {-3.0, -0.5, 0.0, 0.3, 0.999, 1.0, 1.5, 2.0, 6.999, 7.0, 7.5, 12.0}) {
    EXPECT_EQ(floorWithin(x, 7), std::clamp(static_cast<int>(std::floor(x)), 0, 7)) << x;
    EXPECT_EQ(ceilWithin(x, 7), std::clamp(static_cast<int>(std::ceil(x)), 0, 7)) << x;
  }
  EXPECT_EQ(floorWithin(5, 0), 0);
}

TEST(Index, OfWhatNoIntHoldsIsTheNearestAndOfNoNumberIsZero) {
  for (const double x : {1e10, 1e300, kInfinity}) {
    EXPECT_EQ(floorWithin(x, 7), 7) << x;
    EXPECT_EQ(ceilWithin(x, 7), 7) << x;
    EXPECT_EQ(floorWithin(-x, 7), 0) << x;
    EXPECT_EQ(ceilWithin(-x, 7), 0) << x;
  }
  EXPECT_EQ(floorWithin(kNone, 7), 0);
  EXPECT_EQ(ceilWithin(kNone, 7), 0);
}

}  // namespace
}  // namespace sinew
