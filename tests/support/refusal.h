#pragma once

#include <stdexcept>
#include <string>

namespace sinew::test {

/// The text with which `call` is refused: std::invalid_argument or std::out_of_range. Empty if it is not.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "";
}

}  // namespace sinew::test
