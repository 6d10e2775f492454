#pragma once

#include "compile/draft.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Loads and processes all meshes of the Spec into draft.meshes, several at a time unless the compiler says
/// usethread="false"; the result does not depend on that. A mesh gets a convex hull if a geom that can collide shows
/// it, or if its inertia is that of the hull.
void draftMeshes(Draft& draft);

/// Loads all height fields into draft.hfields, with elevations scaled to [0, 1].
void draftHeightFields(Draft& draft);

/// Removes geoms that are only drawn (no contact bits, named by nobody) and the meshes then unused. Inertias must have
/// been computed.
void discardVisuals(Draft& draft);

/// Sets the sizes of meshes and height fields, and writes them.
void setAssetSizes(const Draft& draft, Model& m);
void writeAssets(const Draft& draft, Model& m);

}  // namespace sinew::draft
