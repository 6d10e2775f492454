#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Writes the sensors and sets nsensordata. Needs tree, tendons and actuators.
void writeSensors(const Spec& spec, const Names& names, Model& m);

}  // namespace sinew::draft
