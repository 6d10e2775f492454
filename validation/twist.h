#pragma once

#include <array>
#include <string>
#include <vector>

#include "validation/rods.h"

/// Rods with twist: scenes whose published values need bending about two axes, twist and clamps.
namespace sinew::validation {

/// A <flexcomp> of dim 1 named "r" through the points, in order, with the given <elasticity> attributes beside
/// twist="true" and whatever else stands in it.
std::string twistRod(const std::vector<Point>& points, double density, const std::string& elasticity,
                     const std::string& inside, bool closed = false);

/// A cantilever of length 1 along x with n segments, clamped at its first vertex, turned about its own axis by `turn`.
Cantilever clampedRod(int n, double turn = 0);
/// x and drop of the tip of such a rod under its own weight w, w L^3 / (E I) = gamma.
std::array<double, 2> heavyClampedRod(int n, double gamma);

/// Displacement (x, z, y) of the tip of a bend of 45 degrees, radius 100, section 1 x 1, E = 1e7, nu = 0, clamped at
/// one end, under a force of 600 across its plane.
std::array<double, 3> bend45(int n);
inline constexpr std::array<double, 3> kBend45{-13.72, 53.58, -23.65};

/// Angle by which one end of a closed ring, straight when relaxed, E I = G J, is turned about the tangent when the ring
/// leaves its plane.
double ringTwist(int n);
inline constexpr double kRingTwist = 10.8828;  ///< 2 pi sqrt(3)

/// Load P L^2 / sqrt(E I G J) at which a cantilever strip under a force at its end, in its stiff plane, turns aside.
double lateralLoad(int n);
inline constexpr double kLateralLoad = 4.0126;

/// The shape of a twisted rod that has buckled into a helix at its middle.
struct Helix {
  double amplitude;  ///< phi0: largest angle between the tangent and the line between its ends, rad
  double deviation;  ///< largest |f - tanh^2(s/s*)|, f = (cos phi - cos phi0)/(1 - cos phi0)
  double force;      ///< tension between the ends over M^2/(2 E I (1 + cos phi0)), M the twisting moment
};
Helix helix(int n);

}  // namespace sinew::validation
