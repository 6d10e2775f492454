#pragma once

#include "sinew/contact.h"
#include "sinew/model.h"

/// How deep things may be in each other before it is the other side that is nearer.
namespace sinew {

/// Share of the depth at which something is lost that a step may use up: what is left is for errors of the solver.
inline constexpr double kPassingShare = 0.9;

/// Smallest extent of a collider (geoms, then flexes), m: twice the smallest half axis of a geom, for meshes of the box
/// around it, for a height field what is below its lowest point; twice the radius of cables and sheets, and the mean
/// distance of vertices more for solids. Infinite for planes, which have no other side.
double thicknessOf(const Model& m, int collider);

/// Depth beyond which a step must not take two colliders that approach: at half of what the thicker one measures its
/// middle is at the surface of the other, and soon the shortest way out is through the other side.
double passingDepth(const Model& m, int collider1, int collider2);
double passingDepth(const Model& m, const Contact& contact);

/// Depth beyond which a step must not take the two sides of a contact: passingDepth(), or less where a cable or sheet
/// is one of them, whose middle must not be reached.
double stopDepth(const Model& m, int collider1, int collider2);
double stopDepth(const Model& m, const Contact& contact);

/// Depth at which the middles of the two sides meet: beyond it the shortest way out is through the other side. Height
/// fields have no middle: the depths are those of their prisms, whose sides lie within the field.
double middleDepth(const Model& m, const Contact& contact);

/// Sum of the radii of the cables and sheets at a contact: at this depth its middle surface is reached. 0: there is
/// none, it follows the law of the reference engine, whose contacts are to stay as they are, or the other side is a
/// plane, which has no other side.
double thinRadius(const Model& m, const Contact& contact);

}  // namespace sinew
