#pragma once

#include <cstdint>

#include "sinew/model.h"

namespace sinew {

/// Whether a geom can take part in automatic contacts at all.
bool canCollide(const Model& m, int geom);

/// Whether two geoms may meet: not on the same rigid piece, not both immovable, not on parent and child (unless one is
/// the world), bodies not excluded, contact bits matching, pair not listed explicitly.
bool mayCollide(const Model& m, int geom1, int geom2);

/// (body1 << 16) + body2 with body1 <= body2, the key by which contacts are ordered.
std::int64_t bodyPairKey(int body1, int body2);

}  // namespace sinew
