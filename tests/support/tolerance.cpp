#include "support/tolerance.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace sinew::test {

namespace {

double readScale() {
  const char* const text = std::getenv("SINEW_TOL_SCALE");
  if (text == nullptr) return 1;
  char* end = nullptr;
  const double scale = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(scale >= 0)) {
    std::fprintf(stderr, "SINEW_TOL_SCALE=\"%s\": needs a number >= 0\n", text);
    std::exit(2);
  }
  return scale;
}

}  // namespace

double tolerance(double value) {
  static const double scale = readScale();
  return value * scale;
}

testing::AssertionResult allNear(std::span<const double> actual, std::span<const double> expected, double absolute,
                                 double relative) {
  if (actual.size() != expected.size()) {
    return testing::AssertionFailure() << "lengths differ: " << actual.size() << " and " << expected.size();
  }

  // how far beyond its allowance each entry is; NaN is infinitely far from everything, infinity from all but itself
  std::size_t worst = 0;
  double worstExcess = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    const double error = std::abs(actual[i] - expected[i]);
    const double allowed = tolerance(absolute) + tolerance(relative) * std::abs(expected[i]);
    const double excess = std::isfinite(error) ? error - allowed : std::numeric_limits<double>::infinity();
    if (excess > worstExcess) worst = i, worstExcess = excess;
  }
  if (worstExcess == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "entry " << worst << " of " << actual.size() << ": "
                                     << testing::PrintToString(actual[worst]) << ", expected "
                                     << testing::PrintToString(expected[worst]) << ", difference "
                                     << actual[worst] - expected[worst] << ", allowed "
                                     << tolerance(absolute) + tolerance(relative) * std::abs(expected[worst]);
}

}  // namespace sinew::test
