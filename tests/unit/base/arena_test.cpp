#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "support/allocation_guard.h"

namespace sinew {
namespace {

TEST(Arena, PiecesAreAlignedAndDoNotOverlap) {
  Arena arena;
  const std::span<double> a = arena.take<double>(3);
  const std::span<char> b = arena.take<char>(1);
  const std::span<double> c = arena.zeros<double>(100);
  for (const void* p : {static_cast<void*>(a.data()), static_cast<void*>(b.data()), static_cast<void*>(c.data())}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0u);
  }
  a[2] = 1;
  b[0] = 'x';
  for (double& x : c) x = 2;
  EXPECT_EQ(a[2], 1);
  EXPECT_EQ(b[0], 'x');
}

TEST(Arena, ScopeGivesBackWhatWasTakenInIt) {
  Arena arena;
  const std::span<double> outer = arena.take<double>(8);
  double* first = nullptr;
  {
    const Arena::Scope scope(arena);
    first = arena.take<double>(8).data();
  }
  EXPECT_EQ(arena.take<double>(8).data(), first);
  EXPECT_NE(outer.data(), first);
}

TEST(Arena, GrowsWithoutMovingWhatIsInUseAndSettlesToOneBlock) {
  Arena arena;
  const auto fill = [&] {
    const Arena::Scope scope(arena);
    const std::span<double> a = arena.take<double>(10000);
    a[9999] = 3;
    const std::span<double> b = arena.zeros<double>(50000);
    EXPECT_EQ(b[49999], 0);
    EXPECT_EQ(a[9999], 3);
  };
  fill();
  EXPECT_GT(arena.growths(), 0);
  arena.settle();
  const int growths = arena.growths();
  const test::AllocationGuard guard("second round");
  fill();
  arena.settle();
  EXPECT_EQ(arena.growths(), growths);
}

/// A scope that begins before there is any memory ends with all of it free.
TEST(Arena, FirstScopeGivesBackAll) {
  Arena arena;
  double* first = nullptr;
  {
    const Arena::Scope scope(arena);
    first = arena.take<double>(8).data();
    arena.take<double>(100000);
  }
  EXPECT_EQ(arena.take<double>(8).data(), first);
}

/// A question asked in the middle of a step settles the arena that the step still uses.
TEST(Arena, SettlingKeepsWhatIsTaken) {
  Arena arena;
  arena.reserve(1 << 12);
  const Arena::Scope scope(arena);
  const std::span<double> few = arena.take<double>(8);
  few[0] = 3;
  arena.settle();
  EXPECT_NE(arena.take<double>(8).data(), few.data());
  const std::span<double> many = arena.take<double>(100000);  // in a block of its own
  many[99999] = 4;
  arena.settle();
  arena.zeros<double>(100000);
  EXPECT_EQ(few[0], 3);
  EXPECT_EQ(many[99999], 4);
}

TEST(Arena, MovesWithItsMemory) {
  Arena arena;
  double* first = nullptr;
  {
    const Arena::Scope scope(arena);
    first = arena.take<double>(8).data();
  }
  Arena other = std::move(arena);
  EXPECT_EQ(other.take<double>(8).data(), first);
  Arena third;
  third = std::move(other);
  EXPECT_EQ(third.take<double>(8).data(), first + 8) << "what is taken stays taken";
}

}  // namespace
}  // namespace sinew
