#include "option_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <span>
#include <vector>

#include "command.h"

namespace sinew::cli {
namespace {

using Names = std::span<const std::string_view>;

// in the order of the bits
constexpr std::array<std::string_view, 20> kDisableFlags{
    "constraint", "equality",  "frictionloss", "limit",        "contact",   "spring",  "damper",
    "gravity",    "clampctrl", "warmstart",    "filterparent", "actuation", "refsafe", "sensor",
    "midphase",   "eulerdamp", "autoreset",    "nativeccd",    "island",    "multiccd"};
constexpr std::array<std::string_view, 6> kEnableFlags{"override",    "energy", "fwdinv",
                                                       "invdiscrete", "sleep",  "diagexact"};

// in the order of the enumerators
constexpr std::array<std::string_view, 5> kIntegrators{"Euler", "RK4", "implicit", "implicitfast", "midpoint"};
constexpr std::array<std::string_view, 2> kCones{"pyramidal", "elliptic"};
constexpr std::array<std::string_view, 3> kJacobians{"dense", "sparse", "auto"};
constexpr std::array<std::string_view, 4> kSolvers{"PGS", "CG", "Newton", "Impulse"};
constexpr std::array<std::string_view, 2> kGaps{"inside", "outside"};
constexpr std::array<std::string_view, 2> kSpeculatives{"none", "thin"};
constexpr std::array<std::string_view, 2> kMethods{"newton", "sweep"};

Names keywords(Integrator) { return kIntegrators; }
Names keywords(Cone) { return kCones; }
Names keywords(JacobianForm) { return kJacobians; }
Names keywords(Solver) { return kSolvers; }
Names keywords(GapReading) { return kGaps; }
Names keywords(Speculative) { return kSpeculatives; }
Names keywords(ImpulseMethod) { return kMethods; }

template <class T>
bool parseNumber(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

// One parse() per type of option: true if `text` was understood, `expected` tells what would have been.
bool parse(std::string_view text, double& value, std::string& expected) {
  expected = "a number";
  return parseNumber(text, value);
}
bool parse(std::string_view text, int& value, std::string& expected) {
  expected = "an integer";
  return parseNumber(text, value);
}
template <std::size_t n>
bool parse(std::string_view text, std::array<double, n>& value, std::string& expected) {
  expected = fmt::format("{} numbers separated by ':'", n);
  std::array<double, n> numbers{};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t colon = text.find(':');
    if ((colon == std::string_view::npos) != (i + 1 == n)) return false;
    if (!parseNumber(text.substr(0, colon), numbers[i])) return false;
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  }
  value = numbers;
  return true;
}
template <class Enum>
requires std::is_enum_v<Enum>
bool parse(std::string_view text, Enum& value, std::string& expected) {
  const Names names = keywords(Enum{});
  expected = fmt::format("one of {}", fmt::join(names, ", "));
  int number = -1;
  if (!parseNumber(text, number)) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) number = static_cast<int>(i);
    }
  }
  if (number < 0 || number >= static_cast<int>(names.size())) return false;
  value = static_cast<Enum>(number);
  return true;
}

std::string textOf(double value) { return fmt::format("{}", value); }
std::string textOf(int value) { return fmt::format("{}", value); }
template <std::size_t n>
std::string textOf(const std::array<double, n>& value) {
  return fmt::format("{}", fmt::join(value, ":"));
}
template <class Enum>
requires std::is_enum_v<Enum> std::string textOf(Enum value) {
  const Names names = keywords(value);
  const auto i = static_cast<std::size_t>(value);
  return i < names.size() ? std::string(names[i]) : std::to_string(i);
}

int bitOf(Names names, std::string_view name, const char* what) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return 1 << i;
  }
  throw CommandError(fmt::format("'{}' is nothing to {}; choose from {}", name, what, fmt::join(names, ", ")));
}

std::string namesOfBits(Names names, int bits) {
  std::vector<std::string_view> set;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (bits & (1 << i)) set.push_back(names[i]);
  }
  return set.empty() ? "none" : fmt::format("{}", fmt::join(set, " "));
}

}  // namespace

void setOption(Option& option, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) throw CommandError(fmt::format("--set needs NAME=VALUE, found '{}'", setting));
  const std::string_view name = std::string_view(setting).substr(0, equals);
  const std::string_view value = std::string_view(setting).substr(equals + 1);
  std::vector<std::string_view> known;
  std::string expected;
#define SINEW_X(type, field, doc)                                                               \
  if (name == #field) {                                                                         \
    if (parse(value, option.field, expected)) return;                                           \
    throw CommandError(fmt::format("option '{}' needs {}, found '{}'", name, expected, value)); \
  }                                                                                             \
  known.push_back(#field);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  throw CommandError(fmt::format("there is no option '{}'; choose from {}", name, fmt::join(known, ", ")));
}

int disableBit(std::string_view name) { return bitOf(kDisableFlags, name, "disable"); }
int enableBit(std::string_view name) { return bitOf(kEnableFlags, name, "enable"); }
std::string disabledNames(int bits) { return namesOfBits(kDisableFlags, bits); }
std::string enabledNames(int bits) { return namesOfBits(kEnableFlags, bits); }

std::string optionText(const Option& option, std::string_view name) {
#define SINEW_X(type, field, doc) \
  if (name == #field) return textOf(option.field);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return {};
}

}  // namespace sinew::cli
