#include <gtest/gtest.h>

#include <string>

#include "model/workspace.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/sample_flexes.h"

/// Scratch memory of hard contacts of large flexes.
namespace sinew {
namespace {

using test::clothOnFloor;

/// No matrix of all dofs by all rows: that would be 180 MB.
TEST(ImpulseFlex, NeedsMemoryInProportionToItsVertices) {
  const auto scratch = [](int side) {
    const Model m = clothOnFloor(side);
    Data d(m);
    for (int k = 0; k < 5; ++k) step(m, d);
    EXPECT_EQ(d.nefc(), 3 * side * side);
    return static_cast<double>(d.work->arena.capacity());
  };
  const double small = scratch(20), large = scratch(40);
  EXPECT_LT(large, 6 * small);
  EXPECT_LT(large, 60e6);
}

}  // namespace
}  // namespace sinew
