#include "controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>
#include <vector>

#include "command.h"

namespace sinew::cli {
namespace {

class ZeroControls final : public ControlSource {
 public:
  void apply(const Model&, Data& d) override { std::fill(d.ctrl.begin(), d.ctrl.end(), 0.0); }
};

class KeptControls final : public ControlSource {
 public:
  void apply(const Model&, Data&) override {}
};

class SineControls final : public ControlSource {
 public:
  void apply(const Model& m, Data& d) override {
    for (int i = 0; i < m.nu; ++i) {
      const double low = m.actuator_ctrlrange[2 * i];
      const double high = m.actuator_ctrlrange[2 * i + 1];
      const bool hasRange = low < high;
      const double centre = hasRange ? 0.5 * (low + high) : 0;
      const double half = hasRange ? 0.5 * (high - low) : 1;
      d.ctrl[i] = centre + 0.5 * half * std::sin(0.7 * i + 3 * d.time);
    }
  }
};

/// Numbers of a line, separated by commas and blanks; false if something else is in it.
bool parseRow(std::string_view line, std::vector<double>& numbers) {
  numbers.clear();
  const auto isSeparator = [](char c) { return c == ',' || c == ' ' || c == '\t' || c == '\r'; };
  for (const char* p = line.data(); p != line.data() + line.size();) {
    if (isSeparator(*p)) {
      ++p;
      continue;
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(p, line.data() + line.size(), value);
    if (error != std::errc() || (stop != line.data() + line.size() && !isSeparator(*stop))) return false;
    numbers.push_back(value);
    p = stop;
  }
  return true;
}

class FileControls final : public ControlSource {
 public:
  FileControls(const std::string& file, const Model& m) : width_(static_cast<std::size_t>(m.nu)) {
    std::ifstream in(file);
    if (!in) {
      throw CommandError(fmt::format("controls: cannot open '{}' (choose zero, sine, keep or a CSV file)", file));
    }
    std::string line;
    std::vector<double> row;
    for (int number = 1; std::getline(in, line); ++number) {
      const bool isRow = parseRow(line, row);
      if (!isRow && number == 1) continue;  // headings
      if (isRow && row.empty()) continue;
      if (!isRow) throw CommandError(fmt::format("{}:{}: expected numbers, found '{}'", file, number, line));
      if (row.size() != width_ + 1) {
        throw CommandError(fmt::format("{}:{}: expected the time and {} controls, found {} numbers", file, number,
                                       width_, row.size()));
      }
      if (!times_.empty() && row[0] <= times_.back()) {
        throw CommandError(fmt::format("{}:{}: time {} is not after {}", file, number, row[0], times_.back()));
      }
      times_.push_back(row[0]);
      values_.insert(values_.end(), row.begin() + 1, row.end());
    }
    if (times_.empty()) throw CommandError(fmt::format("{}: no controls in it", file));
  }

  void apply(const Model&, Data& d) override {
    // a row counts from its time on; half a billionth of a second absorbs the rounding of accumulated time steps
    const auto after = std::upper_bound(times_.begin(), times_.end(), d.time + 5e-10);
    if (after == times_.begin()) {
      std::fill(d.ctrl.begin(), d.ctrl.end(), 0.0);
      return;
    }
    const auto row = (after - times_.begin() - 1) * static_cast<std::ptrdiff_t>(width_);
    std::copy_n(values_.begin() + row, width_, d.ctrl.begin());
  }

 private:
  std::size_t width_;
  std::vector<double> times_;
  std::vector<double> values_;  // one row of controls per time
};

}  // namespace

std::unique_ptr<ControlSource> makeControls(const std::string& choice, const Model& m) {
  if (choice == "zero") return std::make_unique<ZeroControls>();
  if (choice == "keep") return std::make_unique<KeptControls>();
  if (choice == "sine") return std::make_unique<SineControls>();
  return std::make_unique<FileControls>(choice, m);
}

}  // namespace sinew::cli
