#include "validation/study.h"

#include <cmath>
#include <exception>
#include <limits>

namespace sinew::validation {
namespace {

double errorOf(double value, double reference) { return reference == 0 ? value : value / reference - 1; }

/// Below this an error is that of the digits that were published, and has no order.
constexpr double kRoundOff = 1e-5;

}  // namespace

std::vector<Study> studies() {
  std::vector<Study> all;
  addRodStudies(all);
  addTwistStudies(all);
  addShellStudies(all);
  addContactStudies(all);
  return all;
}

std::vector<Result> run(const Study& study) {
  std::vector<Result> results;
  for (const Quantity& quantity : study.quantities) {
    Result& result = results.emplace_back();
    result.study = &study, result.quantity = &quantity;
    result.order = std::numeric_limits<double>::quiet_NaN();
  }
  try {
    for (const int size : study.sizes) {
      const std::vector<double> values = study.run(size);
      for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].values.push_back(values[i]);
        results[i].errors.push_back(errorOf(values[i], study.quantities[i].reference));
      }
    }
  } catch (const std::exception& error) {
    for (Result& result : results) result.failure = error.what();
    return results;
  }
  for (Result& result : results) {
    const std::vector<double>& e = result.errors;
    const std::size_t n = e.size();
    result.isWithin = std::abs(e.back()) <= result.quantity->bound;  // false for NaN
    if (n < 2 || std::abs(e[n - 1]) < kRoundOff || std::abs(e[n - 2]) < kRoundOff) continue;
    const double ratio = static_cast<double>(study.sizes[n - 1]) / study.sizes[n - 2];
    result.order = std::log(std::abs(e[n - 2] / e[n - 1])) / std::log(ratio);
  }
  return results;
}

}  // namespace sinew::validation
