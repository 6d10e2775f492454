#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Throws LoadError if the sensors of a model that was read from a file are not what their types demand. Needs
/// everything else.
void checkSensors(const Model& m);

/// Writes the sensors and sets nsensordata. Needs tree, tendons and actuators.
void writeSensors(const Spec& spec, const Names& names, Model& m);

}  // namespace sinew::draft
