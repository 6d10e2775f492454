#include "math/number_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sinew {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();

/// One number at every place of arrays of several lengths, against the comparison it stands for.
template <class Check>
void expectAtAnyPlace(double x, bool expected, Check&& check) {
  for (std::size_t length = 1; length < 9; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      std::vector<double> values(length, 0.0);
      values[place] = x;
      EXPECT_EQ(check(values), expected) << x << " at " << place << " of " << length;
    }
  }
}

TEST(NumberChecks, WithinIsWhatComparisonSays) {
  for (const double most : {1e10, 1.0, kLargest}) {
    const auto check = [&](const std::vector<double>& values) { return allWithin(values, most); };
    for (const double x : {0.0, 1e-320, 0.5, 1.0, std::nextafter(1.0, 2.0), 1e10, std::nextafter(1e10, kInfinity),
                           1e300, kLargest, kInfinity, kNaN}) {
      expectAtAnyPlace(x, std::abs(x) <= most, check);
      expectAtAnyPlace(-x, std::abs(x) <= most, check);
    }
  }
  EXPECT_TRUE(allWithin({}, 1));
}

TEST(NumberChecks, ZeroHasASign) {
  const auto check = [](const std::vector<double>& values) { return allZero(values); };
  for (const double x : {0.0, 1e-320, 1.0, kInfinity, kNaN}) {
    expectAtAnyPlace(x, x == 0, check);
    expectAtAnyPlace(-x, x == 0, check);
  }
  EXPECT_TRUE(allZero({}));
}

}  // namespace
}  // namespace sinew
