#pragma once

#include "collision/contact_limit.h"
#include "collision/elements.h"
#include "geom/collide.h"

namespace sinew {

class Sweep;

/// Contacts of a geom with the vertices (plane) or elements of a flex, by growing element; then those that the motion
/// of the step would meet. An element with a vertex on the geom's own body is left out.
void collideGeomWithFlex(const Model& m, Data& d, const Sweep& sweep, ElementTrees& trees,
                         const geom::CollideOptions& options, int geom, int flex, ContactLimit& limit);

/// Contacts between the elements of two flexes, by growing elements. Elements on a common body are left out.
void collideFlexes(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options, int flex1,
                   int flex2, ContactLimit& limit);

/// Contacts of a flex with itself: inside (neighbouring elements and vertices, corners and faces of tetrahedra), then
/// between elements that share no vertex. Without margin and gap: what is near at rest must not touch forever.
void collideFlexWithItself(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options, int flex,
                           ContactLimit& limit);

}  // namespace sinew
