#include "controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "command.h"
#include "sinew/errors.h"
#include "sinew/files.h"

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

bool isSeparator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\r'; }

/// The words of a line, separated by commas and blanks.
std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && !isSeparator(line[end])) ++end;
    if (end > i) words.push_back(line.substr(i, end - i));
    i = end + 1;
  }
  return words;
}

enum class Word { Number, OutOfRange, Text };

Word readNumber(std::string_view word, double& value) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (stop != word.data() + word.size() || error == std::errc::invalid_argument) return Word::Text;
  return error == std::errc::result_out_of_range ? Word::OutOfRange : Word::Number;
}

class FileControls final : public ControlSource {
 public:
  FileControls(const std::string& file, const Model& m) : width_(static_cast<std::size_t>(m.nu)) {
    std::string text;
    try {
      text = readFile(file);
    } catch (const LoadError& error) {
      throw CommandError(fmt::format("controls: {} (choose zero, sine, keep or a CSV file)", error.what()));
    }
    int number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      takeLine(std::string_view(text).substr(at, end - at), fmt::format("{}:{}", file, number), number == 1);
      at = end + 1;
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
  void takeLine(std::string_view line, const std::string& place, bool isFirst) {
    const auto fail = [&](const std::string& why) { throw CommandError(fmt::format("{}: {}", place, why)); };
    const std::vector<std::string_view> words = wordsOf(line);
    std::vector<double> row;
    std::size_t texts = 0;
    for (const std::string_view word : words) {
      double value = 0;
      const Word kind = readNumber(word, value);
      if (kind == Word::OutOfRange) fail(fmt::format("the number {} is out of range", clipped(word)));
      texts += kind == Word::Text ? 1 : 0;
      row.push_back(value);
    }
    if (words.empty() || (isFirst && texts == words.size())) return;  // headings have no number among them
    if (texts > 0) fail(fmt::format("expected numbers, found '{}'", clipped(line)));
    if (row.size() != width_ + 1) {
      fail(fmt::format("expected the time and {} controls, found {} numbers", width_, row.size()));
    }
    if (!std::isfinite(row[0])) fail(fmt::format("time {} is not finite", row[0]));
    if (!times_.empty() && row[0] <= times_.back()) {
      fail(fmt::format("time {} is not after {}", row[0], times_.back()));
    }
    times_.push_back(row[0]);
    values_.insert(values_.end(), row.begin() + 1, row.end());
  }

  /// The beginning of what may be anything, in characters that a terminal can show.
  static std::string clipped(std::string_view text) {
    constexpr std::size_t kShown = 60;
    std::string shown(text.substr(0, kShown));
    for (char& c : shown) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return text.size() > kShown ? shown + "..." : shown;
  }

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
