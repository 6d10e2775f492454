#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/arena.h"
#include "solve/rows.h"
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

// Likewise of factors, where bodies that touch a flex come last: whatever was solved before, the same problem gets the
// same plan.
TEST(PlanMemory, FactorsDependOnTheProblemAlone) {
  int inOrder = 0, anew = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const int touching = 1 + 8 * static_cast<int>(seed);
    const RandomProblem random(seed, {.dofs = 3, .trees = 40, .equalities = 30, .unilateral = touching, .runs = 2});
    ConstraintProblem p = random.problem();
    p.hasFlexNodes = true;
    p.bodyDofs = 6;
    const std::size_t all = p.blocks.size(), fixed = leadingEqualities(p.blocks);
    std::vector<RowBlock> loose(p.blocks.begin(), p.blocks.end());  // the same columns, but fewer parts stay
    for (std::size_t b = fixed / 2; b < fixed; ++b) loose[b].kind = BlockKind::Unilateral;
    Arena arena;
    PlanMemory kept;
    for (const std::size_t left : {std::size_t{0}, std::size_t{3}, std::size_t{0}, std::size_t{2}, all - fixed,
                                   std::size_t{1}, std::size_t{0}}) {
      ConstraintProblem q = p;
      q.blocks = p.blocks.first(all - left);
      // fewer equalities in between: another base
      if (left == 1) q.blocks = p.blocks.subspan(0, fixed / 2);
      if (left == 3) q.blocks = loose;
      PlanMemory fresh;
      const FactorPlan &a = kept.planFor(q, arena), &b = fresh.planFor(q, arena);
      ASSERT_TRUE(a.isFor(b)) << seed;
      for (int dof = 0; dof < q.dofs(); ++dof) ASSERT_EQ(a.position(dof), b.position(dof)) << seed << ", left " << left;
      EXPECT_EQ(a.flops(), b.flops());
      for (const RowBlock& block : q.blocks) {
        EXPECT_TRUE(a.holds(q.columns.data() + block.column, block.ncol)) << seed;
      }
      bool bodiesLast = true;
      for (int dof = 0; dof < p.bodyDofs; ++dof) bodiesLast = bodiesLast && a.position(dof) >= q.dofs() - p.bodyDofs;
      if (left == 0) ++(bodiesLast ? inOrder : anew);
    }
  }
  EXPECT_GT(inOrder, 0);
  EXPECT_GT(anew, 0);
}

}  // namespace
}  // namespace sinew::solve
