#pragma once

#include <array>

#include "geom/collide.h"

/// Elements of flexes as colliders: everything within a radius of a point, segment, triangle or tetrahedron.
namespace sinew::geom {

struct Element {
  int count = 0;  ///< corners: 1 a ball, 2 a capsule, 3 a triangle, 4 a tetrahedron
  std::array<Vec3, 4> corner{};
  double radius = 0;

  Vec3 at(const std::array<double, 4>& weight) const;  ///< sum of weight * corner
};

/// As isSomewhere() of shapes.
bool isSomewhere(const Element& element);

/// Barycentric coordinates of the point of the element's core (without the radius) that is nearest to p: never
/// negative, sum 1, and 0 beyond the last corner.
std::array<double, 4> nearestWeights(const Element& element, const Vec3& p);

/// A quick test: true only if the two are surely farther apart than `distance`, seen across the faces of triangles and
/// tetrahedra and, for triangles, across their sides. Finds nearly all neighbours in a flat or folded sheet.
bool farApart(const Element& a, const Element& b, double distance);

/// Appends the contact points of a shape (first) and an element (second) that are nearer than `margin`; returns how
/// many. Places follow the reference engine:
///   plane: every corner. Sphere and triangle: the nearest point. Box and triangle: corners of the triangle against the
///   nearest side of the box, corners of the box against the triangle. Capsule and triangle: the ends of the capsule,
///   and corners of the triangle beside its axis. Height field: one point per prism under the element.
///   (What crosses between these is found by collideCrossing().) ContactPoint::feature: which corner of the box (-1 to
///   -8), end of the capsule (-1, -2) or prism; 0 otherwise, positive where edges cross.
///   Segments are capsules; everything else is one point of the convex collider. There, what meets a triangle keeps the
///   smooth normal of an ellipsoid or of the side of a cylinder.
int collide(const Shape& shape, const Element& element, double margin, const CollideOptions& options,
            Array<ContactPoint>& out);

/// Whether collide() finds one point of an element with so many corners though it may lie flat on the shape: elements
/// on cylinders and meshes, tetrahedra on boxes.
bool mayLieFlat(const Shape& shape, int corners);

/// Cosine from which on a normal counts as that of a triangle: the nearest point is inside of it, not at its rim.
inline constexpr double kFacing = 0.999;

/// As collide() for a triangle, with the side on which the shape is known: `toward` is the unit normal of the triangle
/// that points away from it. Where the nearest way out leads to the other side, because the shape has come through the
/// middle of the triangle, the contact is that of the way back.
int collideOnSide(const Shape& shape, const Element& triangle, const Vec3& toward, double margin,
                  const CollideOptions& options, Array<ContactPoint>& out);

/// Appends the points where an edge of a triangle (from a to b, with the triangle's radius) crosses edges of a box, or
/// the axis of a capsule, nearer than `margin`; returns how many. An edge with an end inside of the shape is left to
/// the contact of that end. Other shapes have none: their contact with the triangle is the deepest point, wherever it
/// is.
int collideCrossing(const Shape& shape, const Vec3& a, const Vec3& b, double radius, double margin,
                    Array<ContactPoint>& out);

/// The same for two elements: two points at most for two parallel segments, otherwise one.
int collide(const Element& a, const Element& b, double margin, const CollideOptions& options, Array<ContactPoint>& out);

/// A corner of a tetrahedron against its opposite face, seen from inside: they touch when the corner is nearer to the
/// face than twice the radius, or has passed through it. The normal points inward, from the face to the corner. The
/// faces are (0,1,2), (0,2,3), (0,3,1), (1,3,2), outward for a tetrahedron as it is compiled.
inline constexpr std::array<std::array<int, 4>, 4> kFacesAndCorner = {
    {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}}};
int collideCornerWithFace(const Element& tetrahedron, const std::array<int, 4>& faceAndCorner,
                          Array<ContactPoint>& out);

}  // namespace sinew::geom
