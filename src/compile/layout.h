#pragma once

#include "compile/draft.h"
#include "compile/names.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Sets the sizes of everything in the kinematic tree: bodies, joints, coordinates, dofs, trees, geoms, sites, cameras,
/// mocap bodies and the user data of all kinds of objects. Throws LoadError when an element has more user data than
/// the <size> element allows.
void setTreeSizes(const Draft& draft, Model& m);

/// Writes all arrays of bodies, joints, dofs, trees, geoms, sites and cameras that need no computation at qpos0, and
/// qpos0 and qpos_spring. Bodies touched by tendons with inertia are still to be demoted from simple.
void writeTree(const Draft& draft, const Names& names, Model& m);

/// Clears body_simple for bodies touched by tendons with armature, and counts runs of simple dofs (dof_simplenum).
void finishSimple(Model& m);

}  // namespace sinew::draft
