#pragma once

#include "compile/draft.h"

namespace sinew::draft {

/// Warns of flexes of dim 1 that hang by their own weight between supports, or from one, so tight that their length
/// rows stretch noticeably or waves across them are unstable at the timestep, and names the cure.
void reportTautRopes(const Draft& draft, const Model& m);

}  // namespace sinew::draft
