#pragma once

#include <string>

#include "sinew/data.h"

namespace sinew::test {

/// MJCF of a world with one to three random trees, `bodies` bodies in all: free, ball, slide and hinge joints, several
/// per body, welded bodies in between, off-centre anchors and inertias turned against the body. Every body has a site
/// "s<k>" (k counts from 1 in the order of the text); masses and moments are of order one, so that absolute tolerances
/// mean something. No gravity compensation, armature or contacts. The same seed gives the same text.
std::string randomTree(unsigned seed, int bodies);

/// qpos moved by h along dof `dof`, on the manifold of the joints.
Array<double> movedAlong(const Model& m, const Array<double>& qpos, int dof, double h);

/// qpos moved by h along the velocity `v`.
Array<double> movedAlong(const Model& m, const Array<double>& qpos, const Array<double>& v, double h);

}  // namespace sinew::test
