#pragma once

#include <algorithm>

#include "math/quat.h"
#include "sinew/body_state.h"

/// Between the plain values of the public headers and the types of math/.
namespace sinew {

inline Vec3 toEigen(const Vector3& v) { return {v[0], v[1], v[2]}; }
inline Vector3 fromEigen(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Quat toQuat(const Quaternion& q) { return Quat::load(q.data()); }
inline Quaternion fromQuat(const Quat& q) { return {q.w, q.x, q.y, q.z}; }
inline Pose toPose(const Placement& p) { return {toEigen(p.position), toQuat(p.orientation)}; }
inline Placement fromPose(const Pose& p) { return {fromEigen(p.pos), fromQuat(p.quat)}; }

}  // namespace sinew
