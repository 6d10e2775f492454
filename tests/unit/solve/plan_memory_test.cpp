#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/arena.h"
#include "solve/sparse_hessian.h"
#include "support/random_problem.h"

namespace sinew::solve {
namespace {

using test::RandomProblem;

bool equal(std::span<const int> a, std::span<const int> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// What is kept from one step to the next is what would be made anew: for the same blocks again, for fewer, for others
// of as many.
TEST(PlanMemory, KeepsThePlanOfTheBlocksThatThereAre) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const RandomProblem random(seed, {.dofs = 3, .trees = 15, .equalities = 8, .unilateral = 10, .cones = 10});
    ConstraintProblem p = random.problem();
    std::vector<int> columns(p.columns.begin(), p.columns.end());
    const std::size_t all = p.blocks.size();
    const RowBlock last = p.blocks.back();
    Arena arena;
    PlanMemory kept;
    for (const int round : {0, 1, 2, 3, 4, 5}) {
      ConstraintProblem q = p;
      q.columns = columns;
      if (round == 2) q.blocks = p.blocks.first(all - 3);
      if (round == 4) {  // the last block touches other trees: all dofs move up by one tree, or down
        const int shift = columns[static_cast<std::size_t>(last.column + last.ncol) - 1] + 3 < q.dofs() ? 3 : -3;
        if (columns[static_cast<std::size_t>(last.column)] + shift < 0) continue;
        for (int c = last.column; c < last.column + last.ncol; ++c) columns[static_cast<std::size_t>(c)] += shift;
      }
      PlanMemory fresh;
      const BlockPlan &a = kept.blockPlanFor(q, arena), &b = fresh.blockPlanFor(q, arena);
      EXPECT_TRUE(a.pattern().sameAs(b.pattern())) << seed << ", round " << round;
      EXPECT_TRUE(equal(a.lanes(), b.lanes()));
      EXPECT_EQ(a.blocks(), b.blocks());
      EXPECT_TRUE(equal(a.places().slot, b.places().slot));
      EXPECT_TRUE(equal(a.places().touchedNum, b.places().touchedNum));
      EXPECT_TRUE(equal(a.places().placeAdr, b.places().placeAdr));
      EXPECT_TRUE(equal(a.places().place, b.places().place)) << seed << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace sinew::solve
