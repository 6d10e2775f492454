#pragma once

#include "compile/draft.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Constants of the elasticity of flexes, from their rest shapes at qpos0: elements, hinges, bends of rods, cells; and
/// the pattern of their stiffness. Sets the sizes nflexelastic, nflexbend, nflexcell*, nflexblock, nflexslot. Needs the
/// flexes, poses of bodies at qpos0 as the tree has them, and qpos0. Warns of triangles that lie on each other.
void writeElasticity(const Draft& draft, Model& m);

/// Warns of folds that an explicit integrator makes softer than they are, which changes where they come to rest. Needs
/// the masses, and the positions of the points at qpos0 in `d`.
void reportLimitedFolds(const Draft& draft, const Model& m, const Data& d);

}  // namespace sinew::draft
