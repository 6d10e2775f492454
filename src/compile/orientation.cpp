#include "compile/orientation.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace sinew::draft {
namespace {

/// Vectors shorter than this have no direction.
constexpr double kTooShort = 1e-14;

Vec3 directionOf(const Vec3& v, const Place& place, const char* what) {
  const double length = v.norm();
  if (!(length >= kTooShort)) place.fail(fmt::format("{} has no direction: it is zero", what));
  return v / length;
}

Quat fromAxes(const spec::Vec6& xy, const Place& place) {
  const Vec3 x = directionOf({xy[0], xy[1], xy[2]}, place, "the x axis of 'xyaxes'");
  const Vec3 given(xy[3], xy[4], xy[5]);
  const Vec3 across = given - x * x.dot(given);
  const double length = across.norm();
  if (!(length >= kTooShort)) place.fail("the two axes of 'xyaxes' are parallel, or the second is zero");
  const Vec3 y = across / length;
  Mat3 R;
  R.col(0) = x;
  R.col(1) = y;
  R.col(2) = x.cross(y);
  return fromMatrix(R);
}

Quat fromEuler(const spec::Vec3& angles, const std::string& sequence, double unit, const Place& place) {
  if (sequence.size() != 3) place.fail(fmt::format("'eulerseq' needs 3 letters, found \"{}\"", sequence));
  Quat q;
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = 0.5 * angles[i] * unit;
    Quat turn{std::cos(half), 0, 0, 0};
    const char letter = sequence[i];
    switch (letter) {
      case 'x':
      case 'X':
        turn.x = std::sin(half);
        break;
      case 'y':
      case 'Y':
        turn.y = std::sin(half);
        break;
      case 'z':
      case 'Z':
        turn.z = std::sin(half);
        break;
      default:
        place.fail(fmt::format("'eulerseq' may contain the letters xyzXYZ, found \"{}\"", sequence));
    }
    const bool moving = letter >= 'x';
    q = moving ? q * turn : turn * q;
  }
  return normalized(q);
}

}  // namespace

Quat orientationOf(const spec::Orientation& orientation, const spec::Compiler& compiler, const Place& place) {
  const double unit = compiler.degree ? std::numbers::pi / 180 : 1;
  if (orientation.axisangle) {
    const spec::Vec4& a = *orientation.axisangle;
    const Vec3 axis = directionOf({a[0], a[1], a[2]}, place, "the axis of 'axisangle'");
    return fromAxisAngle(axis, a[3] * unit);
  }
  if (orientation.xyaxes) return fromAxes(*orientation.xyaxes, place);
  if (orientation.zaxis) return fromZTo(directionOf(toVec3(*orientation.zaxis), place, "'zaxis'"));
  if (orientation.euler) return fromEuler(*orientation.euler, compiler.eulerseq, unit, place);

  const Quat q{orientation.quat[0], orientation.quat[1], orientation.quat[2], orientation.quat[3]};
  if (!(q.norm() >= kTooShort)) place.fail("'quat' is zero");
  return normalized(q);
}

Segment segmentOf(const spec::Vec6& fromto, const Place& place) {
  const Vec3 from(fromto[0], fromto[1], fromto[2]), to(fromto[3], fromto[4], fromto[5]);
  const Vec3 axis = from - to;
  const double length = axis.norm();
  if (!(0.5 * length >= kTooShort)) place.fail("the two points of 'fromto' coincide");
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
