#include "spec/orientation.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "math/ordered_math.h"

namespace sinew::spec {
namespace {

/// Vectors shorter than this have no direction.
constexpr double kTooShort = 1e-14;

/// In the order of the reference engine: see unit() for why the last bit matters.
double radians(double angle, bool degree) { return degree ? angle / 180 * std::numbers::pi : angle; }

sinew::Vec3 direction(const sinew::Vec3& v, const char* what) {
  const double length = norm(v);
  if (!(length >= kTooShort)) throw OrientationError{fmt::format("{} has no direction: it is zero", what)};
  return v / length;
}

Quat fromAxes(const Vec6& xy) {
  const sinew::Vec3 x = direction({xy[0], xy[1], xy[2]}, "the x axis of 'xyaxes'");
  const sinew::Vec3 given(xy[3], xy[4], xy[5]);
  const sinew::Vec3 across = given - x * dot(x, given);
  const double length = norm(across);
  if (!(length >= kTooShort)) throw OrientationError{"the two axes of 'xyaxes' are parallel, or the second is zero"};
  const sinew::Vec3 y = across / length;
  Mat3 R;
  R.col(0) = x;
  R.col(1) = y;
  R.col(2) = x.cross(y);
  return fromMatrix(R);
}

Quat fromEuler(const Vec3& angles, bool degree, const std::string& sequence) {
  if (sequence.size() != 3 || sequence.find_first_not_of("xyzXYZ") != std::string::npos)
    throw OrientationError{fmt::format("'eulerseq' needs 3 letters out of xyzXYZ, found \"{}\"", sequence)};
  Quat q;
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = radians(angles[i], degree) / 2;
    const char letter = sequence[i];
    const bool moving = letter >= 'x';
    const double s = std::sin(half);
    const char axis = static_cast<char>(letter | 0x20);
    const Quat turn{std::cos(half), axis == 'x' ? s : 0, axis == 'y' ? s : 0, axis == 'z' ? s : 0};
    q = unit(moving ? q * turn : turn * q);
  }
  return unit(q);
}

}  // namespace

Quat resolved(const Orientation& orientation, bool degree, const std::string& eulerseq) {
  if (orientation.axisangle) {
    const Vec4& a = *orientation.axisangle;
    return fromAxisAngle(direction({a[0], a[1], a[2]}, "the axis of 'axisangle'"), radians(a[3], degree));
  }
  if (orientation.xyaxes) return fromAxes(*orientation.xyaxes);
  if (orientation.zaxis) {
    const Vec3& z = *orientation.zaxis;
    return fromZTo(direction({z[0], z[1], z[2]}, "'zaxis'"));
  }
  if (orientation.euler) return fromEuler(*orientation.euler, degree, eulerseq);

  const Quat q = Quat::load(orientation.quat.data());
  if (!(q.norm() >= kTooShort)) throw OrientationError{"'quat' is zero"};
  return unit(q);
}

}  // namespace sinew::spec
