#pragma once

#include <vector>

#include "geom/body_faces.h"

/// All points of two flat sides that face each other, as impulses that are carried over from step to step need them:
/// also where the bodies do not touch yet, and with names.
namespace sinew::geom {

/// Scratch memory of collideFaces(); grows to the largest polygons met and then stays.
struct FaceScratch {
  struct Corner {
    Vec3 point;
    int side;  ///< from here to the next corner: below 0 a side of the clipping face, else one of the clipped face
  };
  std::vector<Vec3> reference, incident;
  std::vector<Corner> clipped, swap;
};

/// Contacts of two bodies with sides (see hasFaces()), not inflated, that are nearest to each other along about the
/// unit vector n from a to b. A side of a (else of b) across n is the reference: the opposite side of the other body is
/// clipped by the prism over it, and what is nearer than `margin` becomes contacts. Their normal is the direction, of n
/// and the normals of the two sides, along which the bodies are farthest apart. Returns their number; 0 if no side lies
/// across n within 8 degrees.
int collideFaces(ConvexBody& a, ConvexBody& b, const Vec3& n, double margin, FaceScratch& scratch,
                 Array<ContactPoint>& out);

}  // namespace sinew::geom
