#pragma once

#include "compile/draft.h"
#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Sets the sizes of custom numeric, text and tuple fields and of keyframes, with their checks.
void setCustomSizes(const Spec& spec, Model& m);

/// Writes the custom fields.
void writeCustom(const Spec& spec, const Names& names, Model& m);

/// Writes keyframes. What a keyframe leaves out is qpos0, zero velocity, activation and control, and the poses of the
/// mocap bodies; quaternions are normalized. A list that is too short leaves out its end, with a warning; throws
/// LoadError when a list is too long, or short in a model with flexes.
void writeKeyframes(const Draft& draft, Model& m);

}  // namespace sinew::draft
