#include "rollout_controls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "command.h"
#include "content_hash.h"
#include "controls.h"
#include "npy_archive.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/random.h"

namespace sinew::cli {
namespace {

constexpr std::uint64_t kNoise = 4;  // stream of random numbers

/// Those of a single run, which depend on the time.
class TimedControls final : public RunControls {
 public:
  explicit TimedControls(std::unique_ptr<ControlSource> source) : source_(std::move(source)) {}
  void apply(const Model& m, Data& d, std::int64_t, std::int64_t) const override { source_->apply(m, d); }

 private:
  std::unique_ptr<ControlSource> source_;  // has no state of its own
};

class NoiseControls final : public RunControls {
 public:
  NoiseControls(double scale, double hold, const Model& m, std::uint64_t seed)
      : scale_(scale), hold_(std::max<std::int64_t>(1, std::llround(hold / m.opt.timestep))), seed_(seed) {}

  void apply(const Model& m, Data& d, std::int64_t run, std::int64_t step) const override {
    const CounterRandom random(seed_, static_cast<std::uint64_t>(run), kNoise);
    const std::int64_t first = step / hold_ * m.nu;
    for (int i = 0; i < m.nu; ++i) {
      const double low = m.actuator_ctrlrange[2 * i], high = m.actuator_ctrlrange[2 * i + 1];
      const bool hasRange = low < high;
      const double centre = hasRange ? 0.5 * (low + high) : 0, half = hasRange ? 0.5 * (high - low) : 1;
      const double value = centre + scale_ * half * random.normal(static_cast<std::uint64_t>(first + i));
      d.ctrl[i] = hasRange ? std::clamp(value, low, high) : value;
    }
  }

 private:
  double scale_;
  std::int64_t hold_;
  std::uint64_t seed_;
};

class ArchiveControls final : public RunControls {
 public:
  ArchiveControls(const std::string& file, const Model& m, std::int64_t runs) : width_(m.nu) {
    const NpyArchive archive(file);
    const NpyArray* ctrl = archive.find("ctrl");
    if (!ctrl) {
      std::vector<std::string> names;
      for (const NpyArray& a : archive.arrays()) names.push_back(a.name);
      throw CommandError(fmt::format("{}: there is no array 'ctrl', only {}", file,
                                     names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "))));
    }
    const auto& shape = ctrl->shape;
    const bool isForAll = shape.size() == 2, isForEach = shape.size() == 3;
    const auto nu = static_cast<std::uint64_t>(m.nu), n = static_cast<std::uint64_t>(runs);
    if ((!isForAll && !isForEach) || shape.back() != nu || (isForEach && shape[0] != n)) {
      throw CommandError(fmt::format("{}: 'ctrl' has shape ({}), expected (rows, {}) or ({}, rows, {})", file,
                                     fmt::join(shape, ", "), m.nu, runs, m.nu));
    }
    rows_ = static_cast<std::int64_t>(shape[shape.size() - 2]);
    if (rows_ == 0) throw CommandError(fmt::format("{}: 'ctrl' has no rows", file));
    isForEach_ = isForEach;
    values_ = archive.numbers(*ctrl);
    const NpyArray* time = archive.find("time");
    if (!time) return;
    if (time->shape.size() != 1 || static_cast<std::int64_t>(time->shape[0]) != rows_) {
      throw CommandError(
          fmt::format("{}: 'time' has shape ({}), expected ({},)", file, fmt::join(time->shape, ", "), rows_));
    }
    times_ = archive.numbers(*time);
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (!std::isfinite(times_[i]) || (i > 0 && times_[i] <= times_[i - 1])) {
        throw CommandError(fmt::format("{}: 'time'[{}] is {}, times must grow", file, i, times_[i]));
      }
    }
  }

  void apply(const Model&, Data& d, std::int64_t run, std::int64_t step) const override {
    std::int64_t row = std::min(step, rows_ - 1);
    if (!times_.empty()) {
      // as for files of text: half a billionth of a second absorbs the rounding of accumulated time steps
      const auto after = std::upper_bound(times_.begin(), times_.end(), d.time + 5e-10);
      if (after == times_.begin()) {
        std::fill(d.ctrl.begin(), d.ctrl.end(), 0.0);
        return;
      }
      row = after - times_.begin() - 1;
    }
    const std::int64_t first = ((isForEach_ ? run * rows_ : 0) + row) * width_;
    std::copy_n(values_.begin() + first, width_, d.ctrl.begin());
  }

 private:
  std::int64_t width_, rows_ = 0;
  bool isForEach_ = false;
  std::vector<double> values_, times_;
};

/// The numbers in the brackets of "noise(0.2,0.1)".
std::vector<double> argumentsOf(const std::string& choice) {
  const auto wrong = [&] {
    return CommandError(
        fmt::format("--controls: expected noise, noise(scale) or noise(scale,hold), found '{}'", choice));
  };
  const std::size_t open = choice.find('(');
  if (open == choice.npos) return {};
  if (choice.back() != ')') throw wrong();
  std::vector<double> numbers;
  const char *at = choice.data() + open + 1, *end = choice.data() + choice.size() - 1;
  while (true) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !(value >= 0) || !std::isfinite(value)) throw wrong();
    numbers.push_back(value);
    if (stop == end) break;
    if (*stop != ',') throw wrong();
    at = stop + 1;
  }
  if (numbers.size() > 2) throw wrong();
  return numbers;
}

}  // namespace

std::unique_ptr<RunControls> makeRunControls(const std::string& choice, const Model& m, std::int64_t runs,
                                             std::uint64_t seed, std::uint64_t& hash) {
  hash = 0;
  if (choice == "noise" || choice.starts_with("noise(")) {
    const std::vector<double> numbers = argumentsOf(choice);
    const double scale = numbers.empty() ? 0.5 : numbers[0], hold = numbers.size() > 1 ? numbers[1] : 0.05;
    return std::make_unique<NoiseControls>(scale, hold, m, seed);
  }
  const bool isWord = choice == "zero" || choice == "sine" || choice == "keep" || choice == "keyframe";
  if (!isWord) {
    try {
      hash = contentHash(readFile(choice));
    } catch (const LoadError& error) {
      throw CommandError(
          fmt::format("controls: {} (choose zero, sine, noise, keyframe, a CSV file or an .npz file)", error.what()));
    }
  }
  if (choice.ends_with(".npz")) return std::make_unique<ArchiveControls>(choice, m, runs);
  return std::make_unique<TimedControls>(makeControls(choice == "keyframe" ? "keep" : choice, m));
}

}  // namespace sinew::cli
