#pragma once

#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Sets the sizes of custom numeric, text and tuple fields and of keyframes, with their checks.
void setCustomSizes(const Spec& spec, Model& m);

/// Writes the custom fields.
void writeCustom(const Spec& spec, const Names& names, Model& m);

/// Writes keyframes. What a keyframe leaves out is qpos0, zero velocity, activation and control, and the poses of the
/// mocap bodies; quaternions are normalized. Throws LoadError when a list has the wrong length.
void writeKeyframes(const Spec& spec, Model& m);

}  // namespace sinew::draft
