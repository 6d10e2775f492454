#pragma once

#include <array>

#include "geom/support.h"

/// Distance of two convex bodies by the method of Gilbert, Johnson and Keerthi (1988), with the signed-volumes
/// sub-algorithm of Montanari, Petrinic and Barbieri (2017).
namespace sinew::geom {

/// A vertex of the Minkowski difference A - B and the two points it comes from.
struct MinkowskiVertex {
  Vec3 point, onA, onB;
  int vertexA = -1, vertexB = -1;  ///< ConvexBody::lastVertex() of the two
};

/// Farthest vertex of A - B along the unit vector `direction`.
MinkowskiVertex minkowskiSupport(ConvexBody& a, ConvexBody& b, const Vec3& direction);

struct GjkResult {
  double distance = 0;     ///< 0: the bodies overlap. Infinite: farther than asked for, or apart and nobody asked
  bool separated = false;  ///< a plane between the bodies was found
  bool hasWitness = false;
  Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();  ///< nearest points, if hasWitness
  std::array<MinkowskiVertex, 4> simplex;       ///< the last simplex, from which EPA starts
  int count = 0;                                ///< vertices in it
};

/// With `cutoff` > 0 distances up to it are computed; with 0 the question is only whether the bodies overlap, and the
/// search ends as soon as it is answered. Always ends after options.iterations. Bodies whose centres coincide are
/// reported as touching with an empty simplex.
void gjk(ConvexBody& a, ConvexBody& b, double cutoff, const CollideOptions& options, GjkResult& result);

/// Both bodies are polytopes, so that searches end exactly instead of within a tolerance.
inline bool bothPolytopes(const ConvexBody& a, const ConvexBody& b) { return a.isPolytope() && b.isPolytope(); }

}  // namespace sinew::geom
