#include "spec/actuator_block.h"

#include "model/actuator_states.h"

namespace sinew::spec {
namespace {

int countInputs(int bits) {
  int count = 0;
  for (const int bit : {input::kPos, input::kVel, input::kForce, input::kVoltage}) count += (bits & bit) != 0;
  return count;
}

int usualInput(GainType type) {
  switch (type) {
    case GainType::So3:
      return input::kRotationVector;
    case GainType::Pid:
      return input::kPos | input::kVel;
    case GainType::DcMotor:
      return input::kVoltage;
    default:
      return 0;
  }
}

int numActivations(const Actuator& a) {
  switch (a.dyntype) {
    case DynType::None:
      return 0;
    case DynType::Pid:
      return pidStates(a.dynprm.data(), a.gainprm.data()).count;
    case DynType::DcMotor:
      return motorStates(a.dynprm.data(), a.gainprm.data()).count;
    case DynType::Integrator:
      return a.gaintype == GainType::So3 ? 3 : 1;
    default:
      return 1;
  }
}

}  // namespace

ActuatorBlock blockOf(const Actuator& a) {
  ActuatorBlock block;
  block.input = a.input != 0 ? a.input : usualInput(a.gaintype);
  block.activations = numActivations(a);
  if (a.gaintype == GainType::So3) {
    block.controls = block.input == input::kQuaternion ? 4 : 3;
    block.outputs = 3;
  } else if (a.gaintype == GainType::Pid || a.gaintype == GainType::DcMotor) {
    block.controls = countInputs(block.input);
  }
  return block;
}

}  // namespace sinew::spec
