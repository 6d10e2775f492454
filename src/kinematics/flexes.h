#pragma once

#include "elastic/element.h"
#include "kinematics/jacobian.h"
#include "math/types.h"
#include "model/carrier.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Where the points and vertices of flexes are, and how forces on them reach the dofs.
namespace sinew {

/// qpos, xpos, xmat -> flexpoint_xpos, flexvert_xpos, flexedge_length. Needs kinematics().
void flexes(const Model& m, Data& d);

/// Whether a point is elsewhere than flexpoint_xpos says, by a single bit. Needs kinematics().
bool pointHasMoved(const Model& m, const Data& d, int point);

/// qvel, cvel -> flexpoint_xvel, flexedge_velocity. Needs flexes() and comVel().
void flexVelocities(const Model& m, Data& d);

/// Where a point is at rest, that is at qpos0.
Vec3 restOfPoint(const Model& m, int point);

/// A point given in the frame of a carrier. The axes of a node are those of the body it was declared under.
Vec3 pointOfCarrier(const Model& m, const Data& d, Carrier carrier, const Vec3& local);

/// qfrc += J' force for a force on a point: on the three dofs of a node, through the chain of a body it rides on, or,
/// if it is pinned, nowhere.
void addPointForce(const Model& m, const Data& d, int point, const Vec3& force, double* qfrc);

}  // namespace sinew
