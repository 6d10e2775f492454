#pragma once

#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Whether the integrator takes stiffness and most dampers explicitly.
bool isExplicit(const Model& m);

/// What helps against a state that went bad or an energy that grows, by what pushes hardest: "; ..." with the cure in
/// the words of MJCF, or nothing if the cause is not known.
std::string advice(const Model& m, const TroubleReport& report);

/// What helps against contacts that are deeper than things are thick: "; ...", or nothing under the Impulse solver.
std::string ofDepth(const Model& m);

}  // namespace sinew
