#include "spec/place.h"

#include <fmt/format.h>

namespace sinew::spec {

std::string located(const Origin& origin, const std::string& tag, const std::string& name, const std::string& message) {
  std::string text;
  if (origin.file) text = fmt::format("{}:{}: ", *origin.file, origin.line);
  if (name.empty()) return text + fmt::format("<{}>: {}", tag, message);
  return text + fmt::format("<{} name=\"{}\">: {}", tag, name, message);
}

}  // namespace sinew::spec
