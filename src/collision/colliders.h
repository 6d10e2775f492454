#pragma once

#include "collision/collision.h"
#include "model/bounding_tree.h"

/// Geoms and flexes alike: collider c is geom c, or flex c - ngeom.
namespace sinew {

ContactParameters parametersOf(const Model& m, int collider);

/// Hard contacts have rows before they touch, so that what would cross the gap in one step is stopped at the surface:
/// kSpeculativeDistance earlier, but a fifth of a geom's radius at most, and half of the distance between the points of
/// a flex: small things would have all their neighbours as contacts. 0 with other solvers.
double earlyDistance(const Model& m, int collider);

/// How much earlier contacts of a flex have rows under the soft solvers; 0 under MuJoCo's law. See isAhead() in
/// constraint/impedance.cpp.
double stiffEarlyDistance(const Model& m, int flex);

/// World box of a geom, grown by `reach`.
BoundingTree::Box geomBox(const Model& m, const Data& d, int geom, double reach);

/// World box of a collider, larger by the distance at which it may already be in contact.
BoundingTree::Box worldBox(const Model& m, const Data& d, int collider);

}  // namespace sinew
