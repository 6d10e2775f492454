#pragma once

#include <span>

#include "sinew/data.h"
#include "sinew/model.h"

/// bending="shell" (elastic/plate.h) applied to a model: curvatures of triangles from fold angles, moments, and the
/// torques that these exert on the folds. The metric gets single folds of stiffness flexhinge_stiffness, which bound
/// the true one from above; see elastic::plateBending().
namespace sinew {

/// Torques on the folds of a flex, N m: springs and dampers. `angle` and `rate` are those of its hinges against rest.
/// torque = -S angle, and -damping time S rate.
void plateTorques(const Model& m, int f, std::span<const double> angle, std::span<double> torque);

/// Stiffness of fold h of a shell in the metric, N m. flexhinge_stiffness is half of the bound: enough for a force at
/// the end of the step, while one at its middle needs all of it.
double foldStiffness(const Model& m, int h);

/// Adds forces to three numbers per point; null: not asked for. `limited`: folds are no stiffer than an explicit step
/// allows (elastic/hinge.h). Writes flexhinge_angle.
void addPlateForces(const Model& m, Data& d, int f, bool limited, double* spring, double* damper);

/// Adds to `force` what the stiffness of single folds, as the metric has it, overstates at displacements `way`: (K of
/// folds - true K) way. Both three numbers per point.
void addPlateStiffness(const Model& m, Data& d, int f, const double* way, double* force);

/// Energy of bending, J.
double plateEnergy(const Model& m, Data& d, int f);

/// flexelem_moment of a flex.
void plateMoments(const Model& m, Data& d, int f);

}  // namespace sinew
