#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The parts of measureFlexes() (sinew/step.h), each of which fills one array for all flexes.
namespace sinew {

/// flexvert_force. Needs solveConstraints() (or the forces of inverse()).
void flexVertexForces(const Model& m, Data& d);

/// Adds to `force`, three numbers per point, what elasticity, its damping and the rows of equalities exert on the
/// points of flexes in this step, N; contacts are not in it. With an implicit integrator elastic forces are those at
/// the end of the step, as the metric has them. Needs solveConstraints().
void addFlexPointForces(const Model& m, Data& d, double* force);

/// flexpoint_reaction, flexnode_reaction. Needs solveConstraints().
void flexReactions(const Model& m, Data& d);

/// flexelem_strain. Needs flexes().
void flexStrains(const Model& m, Data& d);

/// flexelem_stress, flexelem_membrane. Needs solveConstraints() for segments held by rows, else flexes().
void flexStresses(const Model& m, Data& d);

/// flexelem_moment. Needs flexes().
void flexMoments(const Model& m, Data& d);

/// flex_kinetic. Needs flexVelocities(). Armature counts as mass. Bodies count that do nothing but carry a point of the
/// flex along slides.
void flexKinetic(const Model& m, Data& d);

/// flex_energy; 0 where springs are switched off. Needs flexes().
void flexEnergies(const Model& m, Data& d);

}  // namespace sinew
