#include "compile/orientation.h"

#include "spec/orientation.h"

namespace sinew::draft {
namespace {

/// Half lengths below this are no length.
constexpr double kShortestLine = 1e-14;

}  // namespace

Quat orientationOf(const spec::Orientation& orientation, const spec::Compiler& compiler, const Place& place) {
  try {
    return spec::resolved(orientation, compiler.degree, compiler.eulerseq);
  } catch (const spec::OrientationError& error) {
    place.fail(error.message);
  }
}

Segment segmentOf(const spec::Vec6& fromto, const Place& place) {
  const Vec3 from(fromto[0], fromto[1], fromto[2]), to(fromto[3], fromto[4], fromto[5]);
  const Vec3 axis = from - to;
  const double length = axis.norm();
  if (!(0.5 * length >= kShortestLine)) place.fail("the two points of 'fromto' coincide");
  return {{0.5 * (from + to), fromZTo(axis)}, 0.5 * length};
}

std::vector<Pose> framePoses(const spec::Body& body, const spec::Compiler& compiler) {
  std::vector<Pose> poses;
  poses.reserve(body.frames.size());
  for (const spec::Frame& frame : body.frames) {
    Pose pose{toVec3(frame.pos), orientationOf(frame.orientation, compiler, placeOf(frame))};
    // an enclosing frame comes before the frames in it
    if (frame.parent >= 0) pose = compose(poses.at(static_cast<std::size_t>(frame.parent)), pose);
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace sinew::draft
