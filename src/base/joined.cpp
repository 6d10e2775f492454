#include "base/joined.h"

#include <fmt/format.h>

namespace sinew {

std::string joined(std::span<const double> values, std::string_view separator) {
  std::string text;
  for (const double value : values) {
    if (!text.empty()) text += separator;
    text += fmt::format("{}", value);
  }
  return text;
}

}  // namespace sinew
