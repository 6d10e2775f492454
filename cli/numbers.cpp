#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace sinew::cli {
namespace {

/// True if the whole text is one number of this type, in its range.
template <class T>
bool parse(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && stop == text.data() + text.size();
}

CLI::Validator realNumber(const char* expected, bool zeroToo) {
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        const bool good = parse(text, value) && std::isfinite(value) && (value > 0 || (zeroToo && value == 0));
        return good ? std::string() : fmt::format("expected {}, found '{}'", expected, text);
      },
      "");
}

}  // namespace

CLI::Validator wholeNumber(std::int64_t least, std::int64_t most) {
  return CLI::Validator(
      [=](std::string& text) {
        std::int64_t value = 0;
        if (parse(text, value) && value >= least && value <= most) {
          text = std::to_string(value);  // 010 is ten
          return std::string();
        }
        return fmt::format("expected a whole number from {} to {}, found '{}'", least, most, text);
      },
      "");
}

CLI::Validator positiveNumber() { return realNumber("a number above 0", false); }
CLI::Validator nonNegativeNumber() { return realNumber("a number of 0 or more", true); }

CLI::Validator byteSize() {
  return CLI::Validator(
      [](std::string& text) {
        constexpr std::string_view kUnits = "KMGT";
        std::string_view digits = text;
        double unit = 1;
        if (!digits.empty() && (digits.back() == 'B' || digits.back() == 'b')) digits.remove_suffix(1);
        if (!digits.empty()) {
          const std::size_t power = kUnits.find(static_cast<char>(digits.back() & ~0x20));
          if (power != kUnits.npos) {
            unit = std::ldexp(1.0, 10 * static_cast<int>(power + 1));
            digits.remove_suffix(1);
          }
        }
        double value = 0;
        if (parse(digits, value) && std::isfinite(value) && value * unit >= 1 && value * unit <= 1e18) {
          text = std::to_string(static_cast<std::uint64_t>(value * unit));
          return std::string();
        }
        return fmt::format("expected a size such as 512M or 4G, found '{}'", text);
      },
      "");
}

}  // namespace sinew::cli
