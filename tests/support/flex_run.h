#pragma once

#include "validation/flex_run.h"

namespace sinew::test {

using validation::distance;
using validation::FlexRun;
using validation::Point;

}  // namespace sinew::test
