#pragma once

#include "sinew/model.h"

namespace sinew::draft {

/// The pattern of the metric of stiff flexes, from the elements that couple their points: nstiffpart, nstiffdof, nK,
/// nKplace, flex_stiffpart, flex_placeadr, stiffpart_*, stiff_dof, dof_stiffrow, K_*. Needs the constants of elasticity
/// and the pattern of M. What is switched off now may be switched on later, so flags do not count.
void writeStiffPattern(Model& m);

}  // namespace sinew::draft
