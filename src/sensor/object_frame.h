#pragma once

#include "math/quat.h"
#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// The frames that sensors can be attached to: bodies (inertial frame), xbodies (body frame), geoms, sites, cameras.
namespace sinew {

struct ObjectFrame {
  int body;
  Vec3 pos;
  Mat3 R;  ///< object to world
};
ObjectFrame objectFrame(const Model& m, const Data& d, ObjType type, int id);

/// Orientation of the object, composed from the body's quaternion and the local one (not normalized again).
Quat objectQuat(const Model& m, const Data& d, ObjType type, int id);

/// Velocity or acceleration of the frame's origin, world axes. Zero for objects that no dof moves: the reference engine
/// reports no gravity there either. They need comVel() and bodyForces().
struct FrameMotion {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};
FrameMotion frameVelocity(const Model& m, const Data& d, const ObjectFrame& frame);
FrameMotion frameAcceleration(const Model& m, const Data& d, const ObjectFrame& frame);

/// Is a world point strictly inside the volume of a site? Needs kinematics().
bool isInsideSite(const Model& m, const Data& d, int site, const Vec3& point);

}  // namespace sinew
