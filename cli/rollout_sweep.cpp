#include "rollout_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "command.h"
#include "content_hash.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/random.h"

namespace sinew::cli {
namespace {

// streams of random numbers
constexpr std::uint64_t kDraws = 1, kOrders = 2, kJitter = 3;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> numberIn(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// Fields of a line of CSV; a field may be in double quotes.
std::vector<std::string> fieldsOf(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  for (std::string& field : fields) field = trimmed(field);
  return fields;
}

constexpr const char* kLaws =
    "uniform(a,b), loguniform(a,b), normal(mean,deviation), latin(a,b), grid(a,b,n), list(x,y,...) or a number";

}  // namespace

Sweep::Sweep(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const bool isFile = text.find('=') == text.npos && (text.ends_with(".csv") || text.ends_with(".CSV"));
    isFile ? readCsv(text) : readText(text);
  }
}

void Sweep::add(Variation variation) {
  for (const Variation& other : variations_) {
    if (other.address == variation.address) {
      throw CommandError(fmt::format("--vary {}: it is varied twice", variation.address));
    }
  }
  variations_.push_back(std::move(variation));
}

void Sweep::readText(const std::string& text) {
  const auto fail = [&](const std::string& why) -> CommandError {
    return CommandError(fmt::format("--vary '{}': {}", text, why));
  };
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) throw fail("expected ADDRESS=VALUES, or a file that ends with .csv");
  Variation v;
  std::size_t end = equals;
  if (text[end - 1] == '*' || text[end - 1] == '+') v.operation = text[--end];
  v.address = trimmed(std::string_view(text).substr(0, end));
  if (v.address.empty()) throw fail("expected ADDRESS=VALUES");
  const std::string_view law = trimmed(std::string_view(text).substr(equals + 1));
  const auto axis = [&](std::vector<double> values) {
    v.law = Law::Axis;
    v.axis = axes_.size();
    axes_.push_back(static_cast<std::int64_t>(values.size()));
    v.values = std::move(values);
  };
  if (const auto constant = numberIn(law)) {
    axis({*constant});
    return add(std::move(v));
  }
  const std::size_t open = law.find('(');
  if (open == law.npos || law.back() != ')') throw fail(fmt::format("expected {}", kLaws));
  const std::string name(trimmed(law.substr(0, open)));
  std::vector<double> numbers;
  std::string_view inside = law.substr(open + 1, law.size() - open - 2);
  while (true) {
    const std::size_t comma = inside.find(',');
    const auto number = numberIn(inside.substr(0, comma));
    if (!number) throw fail(fmt::format("expected a number, found '{}'", trimmed(inside.substr(0, comma))));
    numbers.push_back(*number);
    if (comma == inside.npos) break;
    inside.remove_prefix(comma + 1);
  }
  const auto need = [&](std::size_t count) {
    if (numbers.size() != count) throw fail(fmt::format("{} needs {} numbers, found {}", name, count, numbers.size()));
  };
  if (name == "list") {
    axis(numbers);
  } else if (name == "grid") {
    need(3);
    const double n = numbers[2];
    if (!(n >= 1 && n <= 1e9 && n == std::floor(n)))
      throw fail(fmt::format("grid needs a whole number of points, found {}", n));
    std::vector<double> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool isLast = i + 1 == values.size() && i > 0;
      values[i] =
          isLast ? numbers[1] : numbers[0] + (numbers[1] - numbers[0]) * static_cast<double>(i) / std::max(1.0, n - 1);
    }
    axis(std::move(values));
  } else {
    need(2);
    v.a = numbers[0], v.b = numbers[1];
    if (name == "normal") {
      v.law = Law::Normal;
      if (v.b < 0) throw fail(fmt::format("the standard deviation is {}, must be 0 or more", v.b));
    } else if (name == "uniform" || name == "loguniform" || name == "latin") {
      v.law = name == "uniform" ? Law::Uniform : name == "latin" ? Law::Latin : Law::LogUniform;
      if (v.a > v.b) throw fail(fmt::format("the lower end {} is above the upper end {}", v.a, v.b));
      if (v.law == Law::LogUniform && !(v.a > 0))
        throw fail(fmt::format("loguniform needs ends above 0, found {}", v.a));
    } else {
      throw fail(fmt::format("there is no '{}'; expected {}", name, kLaws));
    }
  }
  add(std::move(v));
}

void Sweep::readCsv(const std::string& file) {
  std::string text;
  try {
    text = readFile(file);
  } catch (const LoadError& error) {
    throw CommandError(fmt::format("--vary: {}", error.what()));
  }
  files_.push_back(file);
  filesHash_ = contentHash(text, filesHash_);
  std::vector<Variation> columns;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    const std::vector<std::string> fields = fieldsOf(line);
    const auto fail = [&](const std::string& why) { return CommandError(fmt::format("{}:{}: {}", file, number, why)); };
    if (columns.empty()) {
      for (const std::string& field : fields) {
        if (field.empty() || numberIn(field)) {
          throw fail(fmt::format("expected addresses such as geom:floor.friction[0] as headings, found '{}'", field));
        }
        Variation v;
        v.address = field;
        v.axis = axes_.size();
        columns.push_back(std::move(v));
      }
      continue;
    }
    if (fields.size() != columns.size()) {
      throw fail(fmt::format("expected {} numbers, found {}", columns.size(), fields.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto value = numberIn(fields[i]);
      if (!value) throw fail(fmt::format("expected a number for {}, found '{}'", columns[i].address, fields[i]));
      columns[i].values.push_back(*value);
    }
  }
  if (columns.empty() || columns[0].values.empty())
    throw CommandError(fmt::format("{}: no rows of values in it", file));
  axes_.push_back(static_cast<std::int64_t>(columns[0].values.size()));
  for (Variation& v : columns) add(std::move(v));
}

std::vector<std::string> Sweep::addresses() const {
  std::vector<std::string> result;
  for (const Variation& v : variations_) result.push_back(v.address);
  return result;
}

std::int64_t Sweep::gridSize() const {
  std::int64_t size = 1;
  for (const std::int64_t axis : axes_) {
    if (size > (std::int64_t{1} << 40) / axis) throw CommandError("--vary: the grid has more than 2^40 points");
    size *= axis;
  }
  return size;
}

std::vector<double> Sweep::draw(std::int64_t runs, std::uint64_t seed, std::span<const double> nominal) const {
  const std::size_t width = variations_.size(), n = static_cast<std::size_t>(runs);
  std::vector<double> values(n * width);
  for (std::size_t p = 0; p < width; ++p) {
    const Variation& v = variations_[p];
    // the name, not the order of --vary, chooses the numbers: one more parameter leaves the others alone
    const std::uint64_t key = contentHash(v.address);
    if (v.operation != '=' && std::isnan(nominal[p])) {
      throw CommandError(
          fmt::format("--vary {}: '{}=' needs a value in the model, which has none", v.address, v.operation));
    }
    std::vector<std::uint64_t> order;
    if (v.law == Law::Latin) {
      order.resize(n);
      std::iota(order.begin(), order.end(), std::uint64_t{0});
      const CounterRandom random(seed, key, kOrders);
      for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[random.below(i, i + 1)]);
    }
    std::int64_t stride = 1;  // the last axis runs fastest
    for (std::size_t a = axes_.size(); v.law == Law::Axis && a-- > v.axis + 1;) stride *= axes_[a];
    for (std::int64_t run = 0; run < runs; ++run) {
      const auto i = static_cast<std::uint64_t>(run);
      double x = 0;
      switch (v.law) {
        case Law::Axis:
          x = v.values[run / stride % axes_[v.axis]];
          break;
        case Law::Uniform:
          x = v.a + (v.b - v.a) * CounterRandom(seed, i, kDraws).uniform(key);
          break;
        case Law::LogUniform:
          x = std::exp(std::log(v.a) + (std::log(v.b) - std::log(v.a)) * CounterRandom(seed, i, kDraws).uniform(key));
          break;
        case Law::Normal:
          x = v.a + v.b * CounterRandom(seed, i, kDraws).normal(key);
          break;
        case Law::Latin:
          x = v.a + (v.b - v.a) * (static_cast<double>(order[i]) + CounterRandom(seed, i, kJitter).uniform(key)) /
                        static_cast<double>(n);
          break;
      }
      if (v.operation == '*') x *= nominal[p];
      if (v.operation == '+') x += nominal[p];
      values[i * width + p] = x;
    }
  }
  return values;
}

}  // namespace sinew::cli
