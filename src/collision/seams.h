#pragma once

#include <span>

#include "geom/collide.h"
#include "geom/element.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Whether a contact of a shape with triangle `elem` of a rigid sheet exists only because the sheet is cut into
/// triangles: its normal points out of an edge that a neighbour continues. The smallest way out of a single triangle
/// leads over its edge as soon as a shape reaches it, so a box that slides over a floor of triangles would stumble
/// over every seam.
///
/// At an edge between two triangles a normal must lie between theirs, if the edge sticks out towards the shape, and be
/// one of theirs if the edge is flat or a valley. `near` are the triangles that the shape is tested against: the
/// neighbour must be among them, as it has the contact that counts.
bool isSeamContact(const Model& m, const Data& d, std::span<const int> near, int elem, const geom::Element& triangle,
                   const geom::ContactPoint& point);

}  // namespace sinew
