#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <span>

namespace sinew::test {

/// A tolerance, times the environment variable SINEW_TOL_SCALE (1 when unset). Every tolerance in a test goes through
/// here: SINEW_TOL_SCALE=0 makes each comparison print its true residual, 0.1 shows which tolerances are tight.
/// A value that is not a number >= 0 ends the program with a message.
double tolerance(double value);

/// True when |actual_i - expected_i| <= tolerance(absolute) + tolerance(relative) |expected_i| for every i, and the
/// lengths agree. NaN equals nothing. The failure message names the worst entry.
///   EXPECT_TRUE(allNear(d.qpos, expected, 1e-12));
testing::AssertionResult allNear(std::span<const double> actual, std::span<const double> expected, double absolute,
                                 double relative = 0);

/// The same for Eigen vectors and matrices, entry by entry in row order.
template <typename A, typename B>
testing::AssertionResult allNear(const Eigen::MatrixBase<A>& actual, const Eigen::MatrixBase<B>& expected,
                                 double absolute, double relative = 0) {
  using RowOrder = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) {
    return testing::AssertionFailure() << "sizes differ: " << actual.rows() << "x" << actual.cols() << " and "
                                       << expected.rows() << "x" << expected.cols();
  }
  const RowOrder a = actual.array();
  const RowOrder b = expected.array();
  return allNear(std::span(a.data(), static_cast<std::size_t>(a.size())),
                 std::span(b.data(), static_cast<std::size_t>(b.size())), absolute, relative);
}

}  // namespace sinew::test
