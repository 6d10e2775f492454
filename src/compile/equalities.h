#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Writes the equality constraints as far as the Spec tells: eq_data holds
///   connect  0..2 anchor in body1; 3..5 the same in body2, computed later
///   weld     0..2 anchor in body2; 3..5 relative position, 6..9 relative orientation, computed later if zero;
///            10 torquescale
///   joint, tendon   0..4 polynomial
///   flexstrain      0..2 cell
void writeEqualities(const Draft& draft, const Names& names, Model& m);

}  // namespace sinew::draft
