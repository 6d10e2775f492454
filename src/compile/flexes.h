#pragma once

#include "compile/draft.h"
#include "compile/names.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Flexes: from what the Spec says to the arrays of the Model. Steps in the order in which compile() takes them.
namespace sinew::draft {

/// The flexes of the Spec given vertex by vertex; they come before those in bodies.
void draftListedFlexes(Draft& draft);

/// A flexcomp met while the tree is walked, in `body` with id `parent`. Its points of dof radial and 2d become bodies,
/// which the walk has to visit as children of the parent: they are in slideBodies of the flex returned.
Flex& draftFlexcomp(Draft& draft, const spec::Flexcomp& flexcomp, const spec::Body& body, int parent);

/// Throws LoadError at `place` unless the elements are dim + 1 distinct vertices each, out of `numPoints`.
void checkElements(int dim, const std::vector<int>& elements, int numPoints, const char* attribute, const Place& place);

/// True if nothing can move the body, neither joints nor mocap.
bool isStatic(const Draft& draft, int body);

/// With all bodies in place: bodies by name, rest positions, masses, topology and equalities.
void finishFlexes(Draft& draft);

/// Sizes of the flex arrays; adds the nodes to nq, nv and ntree.
void setFlexSizes(const Draft& draft, Model& m);

/// Everything that needs no masses of bodies. Needs writeTree().
void writeFlexes(const Draft& draft, Model& m);

/// flexedge_invweight0 and dof_invweight0 of nodes. Needs the factor of M at qpos0 in `d`.
void writeFlexWeights(Model& m, const Data& d);

/// flexnode_stiffness of flexes under a textbook law and of those that declare nothing: elasticity and length rows.
/// Needs writeFlexWeights(), writeElasticity() and kinematics at qpos0 in `d`.
void writeNodeStiffness(Model& m, Data& d);

}  // namespace sinew::draft
