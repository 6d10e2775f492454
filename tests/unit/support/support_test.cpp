// The helpers other tests trust: each must fail when it should.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "support/allocation_guard.h"
#include "support/floating_point_traps.h"
#include "support/paths.h"
#include "support/tolerance.h"

namespace sinew::test {
namespace {

// Writes through a volatile pointer, so that the compiler cannot remove the allocation.
void allocateWithNew() {
  double* volatile p = new double(1);
  delete p;
}

TEST(AllocationGuard, AcceptsAScopeThatAllocatesNothing) {
  std::vector<double> v(100, 1.0);
  const AllocationGuard guard("a loop over memory that exists");
  for (double& x : v) x = std::sqrt(x + 1);
}

TEST(AllocationGuard, RejectsOperatorNew) {
  EXPECT_NONFATAL_FAILURE(
      {
        const AllocationGuard guard("new");
        allocateWithNew();
      },
      "new allocated on the heap");
}

TEST(AllocationGuard, CountsEveryWayToAllocate) {
  const auto counted = [](auto&& allocate) {
    const long before = allocationCount();
    allocate();
    return allocationCount() - before;
  };
  void* volatile p = nullptr;
  EXPECT_EQ(counted([&] { p = std::malloc(8); }), 1);
  EXPECT_EQ(counted([&] { p = std::realloc(p, 1 << 20); }), 1);
  std::free(p);
  EXPECT_EQ(counted([&] { p = std::calloc(4, 8); }), 1);
  std::free(p);
#ifndef SINEW_SANITIZED  // the thread sanitizer does not report aligned allocations
  EXPECT_EQ(counted([&] { p = std::aligned_alloc(64, 128); }), 1);
  std::free(p);
  void* q = nullptr;
  EXPECT_EQ(counted([&] { ASSERT_EQ(posix_memalign(&q, 64, 128), 0); }), 1);
  std::free(q);
  struct alignas(64) Wide {
    double x[8];
  };
  Wide* volatile wide = nullptr;
  EXPECT_EQ(counted([&] { wide = new Wide; }), 1);
  delete wide;
#endif
}

TEST(AllocationGuard, SeesTheTemporaryOfAProductThatMayAlias) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(200, 200);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(200), y(200);
  long before = allocationCount();
  y = A * x;
  EXPECT_GT(allocationCount() - before, 0);

  before = allocationCount();
  y.noalias() = A * x;
  EXPECT_EQ(allocationCount() - before, 0);
}

TEST(AllocationGuard, SeesOtherThreads) {
  const long before = allocationCount();
  std::thread([] { allocateWithNew(); }).join();
  EXPECT_GE(allocationCount() - before, 2);  // the thread's own state, and the double
}

// Arguments and results of volatile type are computed when the program runs, not by the compiler.
double divide(double a, double b) {
  volatile double x = a, y = b;
  volatile double result = x / y;
  return result;
}

class FloatingPointTrapsDeathTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __clang__
    GTEST_SKIP() << "made by Clang";
#endif
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(FloatingPointTrapsDeathTest, StopsAtDivisionByZero) {
  EXPECT_DEATH(
      {
        const FloatingPointTraps traps;
        divide(1, 0);
      },
      "");
}

TEST_F(FloatingPointTrapsDeathTest, StopsWhereANanIsMade) {
  EXPECT_DEATH(
      {
        const FloatingPointTraps traps;
        divide(0, 0);
      },
      "");
}

TEST(FloatingPointTraps, LetOrdinaryNumbersAndPassingNansThrough) {
  const FloatingPointTraps traps;
  EXPECT_EQ(divide(1, 4), 0.25);
  EXPECT_EQ(divide(1e-300, 1e300), 0);  // underflow and inexact are no mistakes
  EXPECT_TRUE(std::isnan(divide(std::numeric_limits<double>::quiet_NaN(), 2)));
}

TEST(FloatingPointTraps, EndWithTheirScope) {
  { const FloatingPointTraps traps; }
  EXPECT_TRUE(std::isinf(divide(1, 0)));
}

TEST(FloatingPointTraps, IgnoreWhatHappenedBefore) {
  divide(1, 0);
  const FloatingPointTraps traps;
  EXPECT_EQ(divide(6, 3), 2);
}

// SINEW_TOL_SCALE is read once per process, hence a process per value.
class ToleranceDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  static void exitWithScaled(const char* scale, double value, double expected) {
    setenv("SINEW_TOL_SCALE", scale, 1);
    std::exit(tolerance(value) == expected ? 0 : 1);
  }
};

TEST_F(ToleranceDeathTest, IsScaledByTheEnvironment) {
  EXPECT_EXIT(exitWithScaled("0", 1e-6, 0), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(exitWithScaled("2.5", 2, 5), testing::ExitedWithCode(0), "");
}

TEST_F(ToleranceDeathTest, RejectsAScaleThatIsNoNumber) {
  EXPECT_EXIT(exitWithScaled("tight", 1, 1), testing::ExitedWithCode(2), "needs a number >= 0");
  EXPECT_EXIT(exitWithScaled("-1", 1, 1), testing::ExitedWithCode(2), "needs a number >= 0");
  EXPECT_EXIT(exitWithScaled("nan", 1, 1), testing::ExitedWithCode(2), "needs a number >= 0");
}

TEST(AllNear, AllowsTheSumOfAbsoluteAndRelativeTolerance) {
  const std::vector<double> expected = {0, 100};
  const double s = tolerance(1);
  EXPECT_TRUE(allNear(std::vector<double>{0.009 * s, 100 + 1.009 * s}, expected, 0.01, 0.01));
  EXPECT_FALSE(allNear(std::vector<double>{0.011 * s + 1e-9, 100}, expected, 0.01, 0.01));
  EXPECT_FALSE(allNear(std::vector<double>{0, 100 + 1.011 * s + 1e-9}, expected, 0.01, 0.01));
}

TEST(AllNear, NamesTheWorstEntry) {
  const auto result = allNear(std::vector<double>{1, 2.5, 3.1}, std::vector<double>{1, 2, 3}, 1e-3);
  EXPECT_NE(std::string(result.message()).find("entry 1 of 3: 2.5, expected 2, difference 0.5"), std::string::npos)
      << result.message();
}

TEST(AllNear, NeverAcceptsNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(allNear(std::vector<double>{nan}, std::vector<double>{1}, 1e9));
  EXPECT_FALSE(allNear(std::vector<double>{1}, std::vector<double>{nan}, 1e9));
  EXPECT_FALSE(allNear(std::vector<double>{nan}, std::vector<double>{nan}, 1e9));
}

TEST(AllNear, ComparesInfinitiesByEquality) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(allNear(std::vector<double>{inf}, std::vector<double>{inf}, 0));
  EXPECT_FALSE(allNear(std::vector<double>{inf}, std::vector<double>{-inf}, 1));
  EXPECT_FALSE(allNear(std::vector<double>{1}, std::vector<double>{inf}, 1));
}

TEST(AllNear, RejectsDifferentSizes) {
  EXPECT_FALSE(allNear(std::vector<double>{1, 2}, std::vector<double>{1}, 1));
  EXPECT_FALSE(allNear(Eigen::Vector3d::Zero(), Eigen::RowVector3d::Zero(), 1));
}

TEST(AllNear, ReadsMatricesOfEitherOrder) {
  Eigen::Matrix<double, 2, 2, Eigen::RowMajor> a;
  Eigen::Matrix2d b;
  a << 1, 2, 3, 4;
  b << 1, 2, 3, 4;
  EXPECT_TRUE(allNear(a, b, 0));
  EXPECT_FALSE(allNear(a, b.transpose(), 0.5));
}

TEST(Paths, LeadToTheRepository) {
  EXPECT_TRUE(std::filesystem::exists(sourceDir() / "tests/unit/support/support_test.cpp"));
}

}  // namespace
}  // namespace sinew::test
