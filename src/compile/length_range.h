#pragma once

#include "compile/draft.h"
#include "sinew/model.h"

namespace sinew::draft {

/// actuator_lengthrange of muscles (or of all actuators, as <lengthrange> says) that have none yet: from the limits of
/// the joint or tendon if asked for, else by pulling the actuator both ways in a simulation without gravity, springs,
/// dampers, friction loss and contacts until it comes to rest. Needs all other constants. Throws LoadError when the
/// simulation does not settle.
void writeLengthRanges(const Draft& draft, Model& m);

}  // namespace sinew::draft
