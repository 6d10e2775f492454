#pragma once

#include "compile/place.h"
#include "math/quat.h"
#include "math/types.h"
#include "sinew/spec.h"

namespace sinew::draft {

inline Vec3 toVec3(const spec::Vec3& v) { return {v[0], v[1], v[2]}; }

/// The unit quaternion an orientation stands for. An alternative (axisangle, xyaxes, zaxis, euler) wins over `quat`.
/// Angles are in the compiler's unit, euler follows its eulerseq: lower case letters turn about the moving axes, upper
/// case about the fixed ones. Throws LoadError at `place` when no direction can be made of the numbers.
Quat orientationOf(const spec::Orientation& orientation, const spec::Compiler& compiler, const Place& place);

/// Pose and half length of the segment `fromto`: the origin is its middle and +z points from the second point to the
/// first. Throws LoadError at `place` when the two points coincide.
struct Segment {
  Pose pose;
  double halfLength = 0;
};
Segment segmentOf(const spec::Vec6& fromto, const Place& place);

/// Poses of a body's <frame> elements in the body frame, in the order of body.frames.
std::vector<Pose> framePoses(const spec::Body& body, const spec::Compiler& compiler);

}  // namespace sinew::draft
