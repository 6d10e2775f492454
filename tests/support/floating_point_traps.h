#pragma once

#include <cfenv>

namespace sinew::test {

/// While alive, an operation of this thread that makes a NaN out of numbers (0/0, inf - inf, sqrt(-1)) or divides by
/// zero raises SIGFPE, so that the test stops at the line that did it. Threads started meanwhile inherit the traps;
/// threads that exist already do not. Quiet NaNs passing through (an input that is NaN) do not trap. Does nothing in
/// code made by Clang, which computes both sides of a choice where that is faster, and throws away a 0/0 that nobody
/// asked for.
class FloatingPointTraps {
 public:
  FloatingPointTraps();
  ~FloatingPointTraps();
  FloatingPointTraps(const FloatingPointTraps&) = delete;
  FloatingPointTraps& operator=(const FloatingPointTraps&) = delete;

 private:
  std::fenv_t before_{};
};

}  // namespace sinew::test
