#pragma once

#include "sinew/model.h"

namespace sinew::draft {

/// Writes the patterns of M and D and the maps between them. Needs dof_parentid and dof_simplenum.
///   M: row i = the ancestor dofs of i, growing, the diagonal last; a simple dof has only its diagonal.
///   D: row i = ancestors, itself and descendants, growing; symmetric.
void writePatterns(Model& m);

}  // namespace sinew::draft
