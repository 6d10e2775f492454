#include "compile/history.h"

#include <fmt/format.h>

#include <cstdint>

#include "spec/memory_budget.h"

namespace sinew::draft {
namespace {

/// A bound on all samples together, so that a large number in a file is an error and not an exhausted memory.
constexpr std::int64_t kMaxHistory = 100'000'000;
/// As many samples as MJCF allows in one buffer.
constexpr int kMaxSamples = 1 << 24;

}  // namespace

void checkHistory(int nsample, int interp, double delay, const Place& place) {
  if (nsample < 0) place.fail(fmt::format("'nsample' must not be negative, found {}", nsample));
  if (nsample > kMaxSamples) place.fail(fmt::format("'nsample' can be {} at most, found {}", kMaxSamples, nsample));
  if (interp < 0 || interp > 2) place.fail("'interp' is not one of zoh, linear, cubic");
  if (delay < 0) place.fail(fmt::format("'delay' must not be negative, found {}", delay));
  if (delay > 0 && nsample == 0) place.fail("'delay' needs samples to look back at: give 'nsample'");
}

void writeHistory(int nsample, int interp, int width, int id, Array<int>& history, Array<int>& address, Model& m,
                  const Place& place) {
  history[2 * id] = nsample;
  history[2 * id + 1] = interp;
  address[id] = -1;
  if (nsample == 0) return;
  address[id] = m.nhistory;
  const std::int64_t size = 2 + std::int64_t{nsample} * (1 + width);
  if (m.nhistory + size > kMaxHistory) {
    place.fail(fmt::format(
        "'nsample': {} samples would need {} of memory; all buffers together may have {} numbers ({})", nsample,
        spec::readableBytes(8.0 * static_cast<double>(size)), kMaxHistory, spec::readableBytes(8.0 * kMaxHistory)));
  }
  m.nhistory += static_cast<int>(size);
}

}  // namespace sinew::draft
