#pragma once

#include "compile/draft.h"

namespace sinew::draft {

/// Merges bodies without joints into their parents: mass (unless the parent is the world), geoms, sites, cameras and
/// children move up. Mocap bodies stay, as do bodies that something refers to by name, or that carry the site of a
/// force or torque sensor.
void fuseStatic(Draft& draft);

}  // namespace sinew::draft
