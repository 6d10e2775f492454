#pragma once

#include "forces/elasticity.h"

/// Elasticity of interpolated shells: membranes on the faces of the grid (textbook laws only: the reference law has
/// none) and folds where faces meet. The formulas are in elastic/shell.h.
namespace sinew {

/// Adds the forces of flex f to `spring` and `damper`, three numbers per point; null: not wanted. Folds are not damped.
void addShellForces(const Model& m, const Data& d, int f, double* spring, double* damper);

/// Elastic energy, J.
double shellEnergy(const Model& m, const Data& d, int f);

/// Matrices of faces and folds, see visitStiffness().
void deliverShellStiffness(const Model& m, const Data& d, int f, const StiffnessSink& sink);

}  // namespace sinew
