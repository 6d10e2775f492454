#pragma once

#include <array>
#include <vector>

#include "geom/support.h"

/// Several contact points where a flat side of a box or mesh meets a side or an edge of another.
namespace sinew::geom {

/// A pair of points, one on each body, and their signed distance.
struct Witness {
  Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();
  double dist = 0;
};

inline constexpr int kMaxWitnesses = 4;

struct WitnessList {
  std::array<Witness, kMaxWitnesses> item;
  int count = 0;
};

/// What one body contributes to the nearest face of the penetration polytope: three vertices, some of which may be the
/// same.
struct Feature {
  std::array<int, 3> vertex{};
  std::array<Vec3, 3> point{};
};

/// Scratch memory of clipFeatures(); grows to the largest polygons met and then stays.
struct ClipScratch {
  struct Side {
    std::vector<Vec3> normal;  ///< of the faces, or directions of the edges, the feature may belong to
    std::vector<int> face;
    std::vector<Vec3> edgeEnd;
    std::vector<Vec3> polygon;
  };
  struct Plane {
    Vec3 normal;
    double offset;
  };
  Side a, b;
  std::vector<Plane> planes;
  std::vector<Vec3> clipped, swap;
};

/// Looks for two sides of a and b that face each other, or for a side of one and an edge of the other that lie along
/// each other (within 5 degrees), near the features where the bodies penetrate most; clips one against the other and
/// replaces `contacts`, which holds the deepest point, by at most 4 points. Leaves it alone if there is no such pair.
/// Both bodies must be boxes or meshes, not inflated.
void clipFeatures(const ConvexBody& a, const ConvexBody& b, const Feature& featureA, const Feature& featureB,
                  ClipScratch& scratch, WitnessList& contacts);

}  // namespace sinew::geom
