#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Number of activation variables of an actuator. Throws LoadError for combinations that make no sense.
int numActivations(const spec::Actuator& actuator);

/// Writes actuators: transmission targets, ranges (inherited ones included), activation addresses. Needs tree and
/// tendons. acc0, length0, lengthrange and damping ratios are worked out later.
void writeActuators(const Draft& draft, const Names& names, Model& m);

/// The most entries the moment rows can have: for each transmission, the dofs that can move it.
int countMomentEntries(const Model& m);

}  // namespace sinew::draft
