#pragma once

#include <string>

#include "sinew/option.h"

/// The one check of an Option; checkOption() is its public face. Split in two, so that a step can look without
/// allocating and the text can be made later.
namespace sinew {

struct OptionFault {
  int rule = -1;     ///< -1: none
  double value = 0;  ///< what was found
};

OptionFault findFault(const Option& option);

/// The text of a fault. `option` gives the values if they still break the rule, else the fault does.
std::string describe(const OptionFault& fault, const Option& option);

}  // namespace sinew
