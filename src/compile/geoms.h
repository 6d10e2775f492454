#pragma once

#include <vector>

#include "compile/draft.h"

namespace sinew::draft {

/// The geoms of `body` (body.spec): poses in the body frame, sizes, bounds, mass and inertia, fluid coefficients.
/// Meshes and height fields must be in the draft already. `moving` says that the body is not fixed to the world or to
/// a mocap body; `carriesMass` that the body takes its inertia from its geoms.
void draftGeoms(const Draft& draft, const std::vector<Pose>& frames, bool moving, bool carriesMass, Body& body);

/// The sites and cameras of `body`, with poses in the body frame.
void draftSites(const Draft& draft, const std::vector<Pose>& frames, Body& body);
void draftCameras(const Draft& draft, const std::vector<Pose>& frames, Body& body);

}  // namespace sinew::draft
