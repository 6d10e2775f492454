#pragma once

#include "compile/draft.h"
#include "sinew/model.h"

/// What compiling a model takes, predicted before anything of that size is made. Three looks: at each flexcomp before
/// its points exist, at the sizes of the Model before its arrays are allocated, and at the stiffness pattern of flexes
/// before it is built.
namespace sinew::draft {

/// Charges what a regular generator makes: `points` points and `elements` elements of dimension `dim`, with all that
/// the flex needs in Draft, Model and Data.
void chargeFlexcomp(const Draft& draft, const spec::Flexcomp& flexcomp, int dim, double points, double elements);

/// Throws LoadError if the arrays of a Model with the sizes set so far, and of its Data, would not fit, at the element
/// that asks for most of them.
void requireMemory(const Draft& draft, const Model& m);

}  // namespace sinew::draft
