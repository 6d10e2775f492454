#pragma once

#include "sinew/spec.h"

namespace sinew::spec {

/// What an actuator takes of ctrl, act and actuator_force.
struct ActuatorBlock {
  int input = 0;        ///< what its controls are: the bits given, or those usual for its kind; 0 for plain actuators
  int controls = 1;     ///< numbers in ctrl
  int activations = 0;  ///< numbers in act
  int outputs = 1;      ///< numbers in actuator_force
};

/// The block of an actuator, taken as consistent; the compiler checks that it is.
ActuatorBlock blockOf(const Actuator& actuator);

}  // namespace sinew::spec
