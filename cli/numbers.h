#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace sinew::cli {

/// Checks of option values for the parser. What passes is in the range; anything else ends with exit code 2 and a
/// message that says what was expected.
CLI::Validator wholeNumber(std::int64_t least, std::int64_t most);
CLI::Validator positiveNumber();     ///< finite, above 0
CLI::Validator nonNegativeNumber();  ///< finite, 0 or more

/// A number of bytes with an optional K, M, G or T (powers of 1024), such as 512M or 1.5G; hands on the bare number.
CLI::Validator byteSize();

inline constexpr std::int64_t kMostSteps = 1'000'000'000'000'000;
inline constexpr int kMostThreads = 1024;

}  // namespace sinew::cli
