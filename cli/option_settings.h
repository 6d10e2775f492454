#pragma once

#include <string>
#include <string_view>

#include "sinew/option.h"

namespace sinew::cli {

/// Carries out "name=value" on an Option. Vectors are written with ':' between numbers, enumerations by their MJCF
/// keyword or their number. Throws CommandError that says what would have been right.
void setOption(Option& option, const std::string& setting);

/// The bit of a flag by its MJCF name (attribute of <option><flag>). Throw CommandError, listing the names.
int disableBit(std::string_view name);
int enableBit(std::string_view name);

/// Text of one option as setOption() reads it, for instance "0:0:-9.81" or "implicitfast".
std::string optionText(const Option& option, std::string_view name);

/// Names of the flags that are set, separated by blanks; "none" if there are none.
std::string disabledNames(int bits);
std::string enabledNames(int bits);

}  // namespace sinew::cli
