#include "compile/constants.h"
#include "sinew/load.h"

namespace sinew {

void updateConstants(Model& m) {
  draft::writeMasses(m);
  const int flags = m.opt.enableflags;
  m.opt.enableflags &= ~enable::kSleep;  // nothing sleeps while constants are found
  Data d(m);
  draft::writeReference(m, d);
  m.opt.enableflags = flags;
}

}  // namespace sinew
