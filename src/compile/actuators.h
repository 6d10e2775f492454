#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// nactuator, nu, na, nout. Throws LoadError for combinations of gain, bias, dynamics and inputs that make no sense.
void setActuatorSizes(const Spec& spec, Model& m);

/// Writes actuators: transmission targets, ranges (inherited ones included), addresses of controls, activations, forces
/// and samples; adds the latter to nhistory. Needs tree and tendons. acc0, length0, lengthrange and damping ratios are
/// worked out later.
void writeActuators(const Draft& draft, const Names& names, Model& m);

/// Throws LoadError if the actuators of a model that was read from a file are not what their types demand: targets that
/// exist, addresses that follow each other. Needs tree and tendons.
void checkActuators(const Model& m);

/// The most entries the moment rows can have: for each transmission, the dofs that can move it.
int countMomentEntries(const Model& m);

}  // namespace sinew::draft
