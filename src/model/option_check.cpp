#include "model/option_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/joined.h"

namespace sinew {
namespace {

bool isFinite(double x) { return std::isfinite(x); }
template <std::size_t n>
bool isFinite(const std::array<double, n>& values) {
  bool finite = true;
  for (const double x : values) finite &= std::isfinite(x);
  return finite;
}
template <class T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) bool isFinite(T) { return true; }

double firstBad(double x) { return x; }
template <std::size_t n>
double firstBad(const std::array<double, n>& values) {
  return *std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
}
template <class T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) double firstBad(T) { return 0; }

/// As MJCF writes it.
std::string textOf(double x) { return fmt::format("{}", x); }
template <std::size_t n>
std::string textOf(const std::array<double, n>& values) {
  return joined(values, " ");
}
template <class T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) std::string textOf(T) { return {}; }

enum Rule : int {
  kPositive = 1000,
  kErp,
  kSlop,
  kThreshold,
  kImpulseRungeKutta,
  kCount = 2000,   // + index into kCounts
  kChoice = 3000,  // + index into kChoices
};

struct Count {
  const char* name;
  int Option::*field;
  int most;
};
constexpr std::array<Count, 6> kCounts{{{"iterations", &Option::iterations, kMaxIterations},
                                        {"ls_iterations", &Option::ls_iterations, kMaxLineSearch},
                                        {"noslip_iterations", &Option::noslip_iterations, kMaxIterations},
                                        {"ccd_iterations", &Option::ccd_iterations, kMaxColliderSearch},
                                        {"sdf_iterations", &Option::sdf_iterations, kMaxColliderSearch},
                                        {"sdf_initpoints", &Option::sdf_initpoints, kMaxStartingPoints}}};

struct Choice {
  const char* name;
  int count;
  const char* words;
};
constexpr std::array<Choice, 7> kChoices{{{"integrator", 5, "Euler, RK4, implicit, implicitfast, midpoint"},
                                          {"cone", 2, "pyramidal, elliptic"},
                                          {"jacobian", 3, "dense, sparse, auto"},
                                          {"solver", 4, "PGS, CG, Newton, Impulse"},
                                          {"gap", 2, "inside, outside"},
                                          {"speculative", 2, "none, thin"},
                                          {"method", 2, "newton, sweep"}}};

std::array<int, kChoices.size()> choicesOf(const Option& o) {
  return {static_cast<int>(o.integrator), static_cast<int>(o.cone), static_cast<int>(o.jacobian),
          static_cast<int>(o.solver),     static_cast<int>(o.gap),  static_cast<int>(o.speculative),
          static_cast<int>(o.method)};
}

bool allFinite(const Option& o) {
  bool finite = true;
#define SINEW_X(type, name, doc) finite &= isFinite(o.name);
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return finite;
}

/// The first number that is not finite; its rule is its place in the table of fields.
OptionFault findNonFinite(const Option& o) {
  int place = 0;
#define SINEW_X(type, name, doc)                                      \
  if (!isFinite(o.name)) return OptionFault{place, firstBad(o.name)}; \
  ++place;
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return {};
}

std::string describeNonFinite(int rule, double value, const Option& o) {
  int place = 0;
#define SINEW_X(type, name, doc)                                                                                       \
  if (place++ == rule) {                                                                                               \
    return fmt::format("'" #name "' must be finite, found \"{}\"", isFinite(o.name) ? textOf(value) : textOf(o.name)); \
  }
  SINEW_OPTION_FIELDS(SINEW_X)
#undef SINEW_X
  return {};
}

}  // namespace

OptionFault findFault(const Option& o) {
  if (!allFinite(o)) return findNonFinite(o);
  if (!(o.timestep > 0)) return {kPositive, o.timestep};
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    const int value = o.*kCounts[i].field;
    if (value < 0 || value > kCounts[i].most) return {kCount + static_cast<int>(i), static_cast<double>(value)};
  }
  const auto choices = choicesOf(o);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] < 0 || choices[i] >= kChoices[i].count) {
      return {kChoice + static_cast<int>(i), static_cast<double>(choices[i])};
    }
  }
  if (!(o.erp >= 0 && o.erp <= 1)) return {kErp, o.erp};
  if (!(o.slop >= 0)) return {kSlop, o.slop};
  if (!(o.restitution_threshold >= 0)) return {kThreshold, o.restitution_threshold};
  if (o.solver == Solver::Impulse && o.integrator == Integrator::RK4) return {kImpulseRungeKutta, 0};
  return {};
}

std::string describe(const OptionFault& fault, const Option& option) {
  const int rule = fault.rule;
  if (rule < 0) return {};
  if (rule >= kChoice) {
    const Choice& choice = kChoices[rule - kChoice];
    return fmt::format("'{}' must be one of {}, found the number {}", choice.name, choice.words, fault.value);
  }
  if (rule >= kCount) {
    const Count& count = kCounts[rule - kCount];
    return fmt::format("'{}' must be from 0 to {}, found {}", count.name, count.most, fault.value);
  }
  switch (rule) {
    case kPositive:
      return fmt::format("'timestep' must be positive, found {}", fault.value);
    case kErp:
      return fmt::format("'erp' must be from 0 to 1, found {}", fault.value);
    case kSlop:
      return fmt::format("'slop' must not be negative, found {}", fault.value);
    case kThreshold:
      return fmt::format("'restitution_threshold' must not be negative, found {}", fault.value);
    case kImpulseRungeKutta:
      return "the Impulse solver works on the velocity of one step and does not go with integrator=\"RK4\"; Euler, "
             "implicit, implicitfast and midpoint do";
    default:
      return describeNonFinite(rule, fault.value, option);
  }
}

std::optional<std::string> checkOption(const Option& option) {
  const OptionFault fault = findFault(option);
  if (fault.rule < 0) return std::nullopt;
  return describe(fault, option);
}

}  // namespace sinew
