#pragma once

#include <algorithm>
#include <cmath>

#include "elastic/element.h"

/// Elements too flat to be elastic: lower than a millionth of their longest edge. Strain and curvature go with the
/// inverse of the height and stiffness with its square, so that what is lower has no digits left.
namespace sinew::elastic {

inline constexpr double kLeastHeight = 1e-6;  ///< of the longest edge

inline bool isSliver(const Nodes<3>& rest) {
  const Vec3 a = rest.col(1) - rest.col(0), b = rest.col(2) - rest.col(0), c = rest.col(2) - rest.col(1);
  const double longest = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
  return !(a.cross(b).norm() > kLeastHeight * longest);
}

/// The height is that above the largest face.
inline bool isSliver(const Nodes<4>& rest) {
  double longest = 0, largest = 0;
  for (int i = 0; i < 4; ++i) {
    const Vec3 p = rest.col(i), q = rest.col((i + 1) % 4), r = rest.col((i + 2) % 4);
    longest = std::max({longest, (q - p).norm(), (r - p).norm()});
    largest = std::max(largest, (q - p).cross(r - p).norm());
  }
  const Vec3 a = rest.col(1) - rest.col(0), b = rest.col(2) - rest.col(0), c = rest.col(3) - rest.col(0);
  return !(std::abs(a.cross(b).dot(c)) > kLeastHeight * longest * largest);
}

}  // namespace sinew::elastic
