#include "support/floating_point_traps.h"

#include <fenv.h>  // feenableexcept, a GNU extension that <cfenv> does not promise

namespace sinew::test {

FloatingPointTraps::FloatingPointTraps() {
  std::fegetenv(&before_);
  // a flag raised earlier must not trap now
  std::feclearexcept(FE_ALL_EXCEPT);
#ifndef __clang__
  feenableexcept(FE_INVALID | FE_DIVBYZERO);
#endif
}

FloatingPointTraps::~FloatingPointTraps() { std::fesetenv(&before_); }

}  // namespace sinew::test
