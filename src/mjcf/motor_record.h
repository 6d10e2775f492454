#pragma once

#include "mjcf/records.h"

namespace sinew::mjcf {

/// Gain, bias and dynamics of a <dcmotor>: what is not given comes from the default class if that is a dcmotor, or
/// follows from the nominal point. Throws ValueError.
void lowerMotor(ActuatorRecord& record);

}  // namespace sinew::mjcf
