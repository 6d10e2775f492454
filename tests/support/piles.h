#pragma once

#include <string>

/// Large scenes with many contacts, as MJCF text. `option` becomes the attributes of <option>.
namespace sinew::test {

/// Bodies of every shape dropped into a walled pit, falling onto each other: few large islands.
std::string pit(int count, const std::string& option = "");

/// `stacks` separate stacks of `height` boxes each: many islands of the same size.
std::string stacks(int stacks, int height, const std::string& option = "");

/// Jointed figures that fall beside stacks, single balls and a hanging chain with limits, friction loss and equalities:
/// islands of all sizes and kinds of rows.
std::string crowd(int figures, const std::string& option = "");

}  // namespace sinew::test
