#pragma once

#include <vector>

#include "compile/flex_draft.h"
#include "sinew/model.h"

/// Rods with twist: their segments get sections of three points each, their joints stiffness. See elastic/section.h.
namespace sinew::draft {

/// The share of its mass that a segment carries in its section, the rest is at its ends. With this share the points of
/// a round section are on the surface of the rod.
inline constexpr double kSectionShare = 0.5;

/// Adds the points of sections (after the vertices, which stay points 0 .. n-1) and of clamps, moves mass into them,
/// and fills `sections` and `joints`. A rod runs the way its first element was written; the frame of its first segment
/// is carried on from segment to segment by the smallest rotation. `poses`: of the bodies at qpos0. Throws LoadError
/// for rods that branch or fold back, and for axes along the rod.
void addSections(const std::vector<Pose>& poses, Flex& flex);

/// Appends the sections and joints of flex f to the arrays of the Model.
void writeSections(const Flex& flex, int f, Model& m);

}  // namespace sinew::draft
