#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Advances the state by opt.timestep. Never throws; trouble is counted in d.status.
void step(const Model& m, Data& d);

/// Everything step() computes before it integrates: all derived arrays, qacc and sensordata for the present state.
void forward(const Model& m, Data& d);

/// Inverse dynamics: reads qpos, qvel, qacc and writes qfrc_inverse, the applied plus actuator force (and the image of
/// xfrc_applied) that makes this acceleration happen. With the flag `invdiscrete`, qacc is the change of velocity of
/// one step divided by the timestep; that does not exist for RK4 (throws std::invalid_argument).
void inverse(const Model& m, Data& d);

/// Potential and kinetic energy of the present state into d.energy. Needs forward() or at least kinematics.
void energy(const Model& m, Data& d);

/// What flexes feel, of the state that forward() or the last step evaluated (before it moved on):
///   flexvert_force     Sum of the forces of contacts on each vertex, N. Contacts of elements are shared by the weights
///                      of the touching point. The sum over a flex is that over its contacts.
///   flexpoint_reaction What holds a point that is pinned, or rides on a body, against elastic forces and their
///   damping,
///                      rows, contacts and qfrc_applied, N; 0 for points that move on their own. Such a point has no
///                      weight. In equilibrium the reactions of a hanging flex sum up to minus its weight times
///                      gravity's direction.
///   flexnode_reaction  The same for the nodes, that is for points pinned to what never moves.
///   flexelem_strain    Green's strain (F'F - 1)/2 of each element against its rest shape, in the world axes of the
///   rest
///                      shape (qpos0). Triangles have strain in their plane only, segments along themselves. In
///                      interpolated volumes F is that of the interpolation at the element's centre.
///   flexelem_stress    Cauchy's stress that the law of elasticity answers with, in world axes, Pa; damping is not in
///   it.
///                      Sheets count their thickness at rest, segments their section pi radius^2, so that stress times
///                      these is tension. Segments count length rows as well; sheets and solids that are held by rows
///                      alone have no stress.
///   flexelem_membrane  Sheets: that stress integrated over the thickness, N/m.
///   flexelem_moment    Sheets with bending="shell": moment tensor M of the bending stresses in world axes, N m per m
///                      of edge, positive where the sheet curves towards the normal of the triangle (vertices
///                      counterclockwise). A section across the unit vector u of the sheet carries M u; the stress at a
///                      distance z along the normal from the middle is -12 M z/t^3 more than flexelem_stress.
///   flex_kinetic, flex_energy   kinetic and elastic energy of each flex, J.
/// Sensors (flexforce, flexreaction, ...) compute what they need without this call.
void measureFlexes(const Model& m, Data& d);

}  // namespace sinew
