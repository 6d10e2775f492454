#include "spec/orientation.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace sinew::spec {
namespace {

/// Vectors shorter than this have no direction.
constexpr double kTooShort = 1e-14;

sinew::Vec3 direction(const sinew::Vec3& v, const char* what) {
  const double length = v.norm();
  if (!(length >= kTooShort)) throw OrientationError{fmt::format("{} has no direction: it is zero", what)};
  return v / length;
}

Quat fromAxes(const Vec6& xy) {
  const sinew::Vec3 x = direction({xy[0], xy[1], xy[2]}, "the x axis of 'xyaxes'");
  const sinew::Vec3 given(xy[3], xy[4], xy[5]);
  const sinew::Vec3 across = given - x * x.dot(given);
  const double length = across.norm();
  if (!(length >= kTooShort)) throw OrientationError{"the two axes of 'xyaxes' are parallel, or the second is zero"};
  const sinew::Vec3 y = across / length;
  Mat3 R;
  R.col(0) = x;
  R.col(1) = y;
  R.col(2) = x.cross(y);
  return fromMatrix(R);
}

Quat fromEuler(const Vec3& angles, double unit, const std::string& sequence) {
  if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos)
    throw OrientationError{fmt::format("'eulerseq' needs 3 letters out of xyzXYZ, found \"{}\"", sequence)};
  Quat q;
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = 0.5 * angles[i] * unit;
    const char letter = sequence[i];
    const bool moving = letter >= 'x';
    const double s = std::sin(half);
    const char axis = static_cast<char>(letter | 0x20);
    const Quat turn{std::cos(half), axis == 'x' ? s : 0, axis == 'y' ? s : 0, axis == 'z' ? s : 0};
    q = moving ? q * turn : turn * q;
  }
  return normalized(q);
}

}  // namespace

Quat resolved(const Orientation& orientation, bool degree, const std::string& eulerseq) {
  const double unit = degree ? std::numbers::pi / 180 : 1;
  if (orientation.axisangle) {
    const Vec4& a = *orientation.axisangle;
    return fromAxisAngle(direction({a[0], a[1], a[2]}, "the axis of 'axisangle'"), a[3] * unit);
  }
  if (orientation.xyaxes) return fromAxes(*orientation.xyaxes);
  if (orientation.zaxis) {
    const Vec3& z = *orientation.zaxis;
    return fromZTo(direction({z[0], z[1], z[2]}, "'zaxis'"));
  }
  if (orientation.euler) return fromEuler(*orientation.euler, unit, eulerseq);

  const Quat q = Quat::load(orientation.quat.data());
  if (!(q.norm() >= kTooShort)) throw OrientationError{"'quat' is zero"};
  return normalized(q);
}

}  // namespace sinew::spec
