#pragma once

#include <array>
#include <limits>
#include <span>

#include "geom/gjk.h"

namespace sinew::geom {

/// More than any distance.
inline constexpr double kInfinite = std::numeric_limits<double>::max();

/// Barycentric coordinates of the point of a simplex nearest to the origin, for 1 to 4 vertices; vertices that do not
/// carry it get exactly 0. Signs of volumes decide which face is nearest [Montanari 2017]; flat simplices are handled
/// by their faces.
std::array<double, 4> nearestWeights(std::span<const MinkowskiVertex> simplex);

/// The foot of the perpendicular from the origin on the plane through three points. False if they are on a line.
bool projectOriginOnPlane(const Vec3& a, const Vec3& b, const Vec3& c, Vec3& foot);

/// Affine coordinates of a point p of the plane through a, b, c; NaN if those are on a line.
std::array<double, 3> affineCoordinates(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p);

}  // namespace sinew::geom
