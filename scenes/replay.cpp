#include "scenes/replay.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/step.h"

namespace sinew::scenes {
namespace {

template <class F>
double microsecondsPer(int count, F&& f) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) f();
  const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  return count > 0 ? elapsed.count() / count : 0;
}

/// Processor time of this program.
double cpuMicroseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

}  // namespace

Replay::Replay(const Model& m, const Stretch& stretch, int threads) : m_(m), stretch_(stretch), d_(m) {
  d_.threads = threads;
  for (int i = 0; i < m.nv; ++i) d_.qvel[i] = 0.1 * std::sin(1.0 + i);
  for (int i = 0; i < m.nu; ++i) {
    const double low = m.actuator_ctrlrange[2 * i];
    const double high = m.actuator_ctrlrange[2 * i + 1];
    const bool hasRange = low < high;
    d_.ctrl[i] = (hasRange ? 0.5 * (low + high) : 0) + 0.5 * (hasRange ? 0.5 * (high - low) : 1) * std::sin(0.7 * i);
  }
  for (int i = 0; i < stretch.warmup; ++i) step(m, d_);
  start_ = saveState(m, d_);
}

void Replay::noteEnd() {
  const std::uint64_t hash = stateHash(m_, d_);
  if (played_ && hash != hash_) reproducible_ = false;
  hash_ = hash;
  played_ = true;
}

double Replay::microsecondsPerStep() {
  restoreState(m_, d_, start_);
  const double result = microsecondsPer(stretch_.steps, [&] { step(m_, d_); });
  noteEnd();
  return result;
}

std::vector<double> Replay::cpuMicrosecondsOfPieces(int piece) {
  restoreState(m_, d_, start_);
  std::vector<double> pieces;
  pieces.reserve(static_cast<std::size_t>(stretch_.steps / piece + 1));
  for (int done = 0; done < stretch_.steps; done += piece) {
    const double begin = cpuMicroseconds();
    for (int i = done; i < std::min(done + piece, stretch_.steps); ++i) step(m_, d_);
    pieces.push_back(cpuMicroseconds() - begin);
  }
  noteEnd();
  return pieces;
}

double Replay::microsecondsPerForward() {
  restoreState(m_, d_, start_);
  return microsecondsPer(stretch_.steps, [&] { forward(m_, d_); });
}

Spread spreadOf(std::vector<double> timings) {
  if (timings.empty()) return {};
  std::sort(timings.begin(), timings.end());
  return {timings.front(), timings[timings.size() / 4]};
}

Spread spreadOf(const std::vector<std::vector<double>>& rounds, int steps) {
  Spread total;
  for (std::size_t piece = 0; !rounds.empty() && piece < rounds.front().size(); ++piece) {
    std::vector<double> timings;
    for (const std::vector<double>& round : rounds) timings.push_back(round[piece]);
    const Spread spread = spreadOf(timings);
    total.least += spread.least / steps;
    total.lowerQuartile += spread.lowerQuartile / steps;
  }
  return total;
}

}  // namespace sinew::scenes
