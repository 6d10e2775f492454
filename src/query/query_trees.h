#pragma once

#include "geom/element.h"
#include "model/bounding_tree.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// The trees of Data::queryTrees. A tree is refitted when it is asked for and the poses have changed since; while it is
/// up to date, asking for it writes nothing, so several threads may.
namespace sinew {

/// Over the boxes of all geoms and flexes; also lists the planes.
const BoundingTree& colliderTree(const Model& m, Data& d);

/// Over what rays meet of a flex: item i is surfaceElement(m, d, flex, i).
const BoundingTree& surfaceTree(const Model& m, Data& d, int flex);
geom::Element surfaceElement(const Model& m, const Data& d, int flex, int item);

/// The body that carries all vertices of a surface element; -1: some move on their own, or there are several.
int bodyOfSurfaceElement(const Model& m, int flex, int item);

/// Over the elements of a flex: item i is element i, counted within it.
const BoundingTree& elementTree(const Model& m, Data& d, int flex);

}  // namespace sinew
