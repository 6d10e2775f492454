#include "compile/update_constants.h"

#include "compile/constants.h"
#include "compile/statistics.h"
#include "sinew/load.h"

namespace sinew {
namespace {

void update(const spec::Statistic* given, Model& m) {
  draft::writeMasses(m);
  const int flags = m.opt.enableflags;
  m.opt.enableflags &= ~enable::kSleep;  // nothing sleeps while constants are found
  Data d(m);
  draft::writeReference(m, d);
  if (given) draft::writeStatistics(*given, m, d);
  m.opt.enableflags = flags;
}

}  // namespace

void updateConstants(Model& m) { update(nullptr, m); }

void draft::updateConstantsAndStatistics(const spec::Statistic& given, Model& m) { update(&given, m); }

}  // namespace sinew
