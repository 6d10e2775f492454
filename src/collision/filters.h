#pragma once

#include <cstdint>
#include <span>

#include "sinew/model.h"

namespace sinew {

/// Colliders are geoms, and after them flexes: collider ngeom + f is flex f.
inline bool isFlex(const Model& m, int collider) { return collider >= m.ngeom; }
inline int flexOf(const Model& m, int collider) { return collider - m.ngeom; }

/// Whether a collider can take part in automatic contacts at all.
bool canCollide(const Model& m, int collider);

/// Whether two colliders may meet. Two geoms: not on the same rigid piece, not both immovable, not on parent and child
/// (unless one is the world), bodies not excluded, contact bits matching, pair not listed explicitly. With a flex only
/// the contact bits count; that a flex stays clear of the bodies it hangs on is decided element by element.
bool mayCollide(const Model& m, int collider1, int collider2);

/// The body a vertex is fixed to, -1 if it has coordinates of its own or is interpolated. `vert` counts over all
/// flexes.
int bodyOfVertex(const Model& m, int vert);

/// Whether element `elem` (counted over all flexes) has a vertex on the body.
bool hasVertexOn(const Model& m, int elem, int body);

/// Whether two elements of one flex (counted over all flexes) share a vertex.
bool shareVertex(const Model& m, int elem1, int elem2);

/// Whether two elements (counted over all flexes) have vertices on one body.
bool areOnOneBody(const Model& m, int elem1, int elem2);

/// The body of a geom; nbody + f for flex f. Contacts are ordered by it.
int bodyOfCollider(const Model& m, int collider);

/// (body1 << 32) + body2 with body1 <= body2, the key by which contacts are ordered.
std::int64_t bodyPairKey(int body1, int body2);

}  // namespace sinew
