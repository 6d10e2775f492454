#pragma once

#include <span>
#include <vector>

#include "compile/names.h"
#include "compile/place.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Fails if these contact parameters of a geom or pair are out of range: condim 1, 3, 4 or 6, friction and gap not
/// negative, margin + gap not negative, restitution from 0 to 1.
void checkContactParameters(int condim, std::span<const double> friction, double margin, double gap, double restitution,
                            const Place& place);

/// Writes contact pairs and exclusions, sorted by the bodies they concern (stable). Needs geom_bodyid. Returns, for
/// each entry of the model's lists, its index in the Spec.
std::vector<int> writePairs(const Spec& spec, const Names& names, Model& m);
std::vector<int> writeExcludes(const Spec& spec, const Names& names, Model& m);

/// opt.gap from the options of the run, the compiler element, or the default. With neither and a gap > 0 somewhere, a
/// warning says what the two readings are.
void decideGapReading(const Draft& draft, Model& m);

/// Warns of a restitution that the chosen solver ignores, and of options that the impulse solver ignores.
void warnOfIdleOptions(const Draft& draft, const Model& m);

}  // namespace sinew::draft
