#pragma once

#include <array>
#include <functional>
#include <string>

#include "validation/flex_run.h"

/// Cantilevers and hanging cables of the studies.
namespace sinew::validation {

/// A cantilever of length 1 along x. Two stations are pinned; the clamp acts half a cell before the first free one's
/// hinge, so n free cells of length a have (n + 1/2) a = 1.
struct Cantilever {
  std::string world;
  int tip;           ///< first node at the end
  int across;        ///< nodes per station
  double stiffness;  ///< E I or D b, N m^2
  double a;
  double root() const { return 0.5 * a; }  ///< where the clamp is, the first station being at 0
};

inline constexpr double kCantileverMass = 0.1;  ///< per length, kg/m

Cantilever rod(int n);
Cantilever strip(int n, const std::string& bending);

/// Settles under a load given by `apply`, and returns the end relative to where the clamp is: (x, drop). Throws
/// std::runtime_error if it does not come to rest.
std::array<double, 2> settledEnd(const Cantilever& c, const std::string& gravity,
                                 const std::function<void(FlexRun&)>& apply);

/// Shortening and drop of the tip of a cantilever under a force of `load` E I / L^2 across its end.
std::array<double, 2> elastica(const Cantilever& c, double load);
/// Published values of the elastica for such a load.
struct Elastica {
  double load, drop, shortening;
};
inline constexpr Elastica kElastica[] = {{1, 0.30172, 0.05643}, {4, 0.66996, 0.32894}, {10, 0.81061, 0.55500}};

/// x and drop of the tip of a rod under its own weight w, w L^3 / (E I) = gamma.
std::array<double, 2> heavyRod(int n, double gamma);
struct HeavyRod {
  double gamma, drop, x;
};
inline constexpr HeavyRod kHeavyRod[] = {{1, 0.12347, 0.99125}, {10, 0.70020, 0.65635}, {100, 0.93752, 0.15922}};

/// Frequency of a clamped rod in the mode with the root `beta` of cos(x) cosh(x) = -1, over that of Euler and
/// Bernoulli, from its zero crossings at small amplitude.
double frequencyRatio(double beta, int n, double timestep);

/// Sag of a rope of length `length` between two points at distance 1.
double catenarySag(double length, int segments);
struct Catenary {
  double length, sag;
};
inline constexpr Catenary kCatenary[] = {{1.1, 0.20030}, {1.5, 0.50263}, {2, 0.79639}};

}  // namespace sinew::validation
