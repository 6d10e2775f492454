#pragma once

#include "geom/collide.h"

/// Pair functions with a closed form. Each appends the points nearer than `margin` and returns their number. Normals
/// point from the first shape to the second. Axes of capsules and cylinders are their local z.
namespace sinew::geom {

using PointList = Array<ContactPoint>;

int planeSphere(const Shape& plane, const Shape& sphere, double margin, PointList& out);
int planeCapsule(const Shape& plane, const Shape& capsule, double margin, PointList& out);
/// At most four corners, those on the plane's side of the box's centre.
int planeBox(const Shape& plane, const Shape& box, double margin, PointList& out);
/// The deepest rim point, the one across the cylinder's length, and two more on the deeper disc that complete a
/// triangle.
int planeCylinder(const Shape& plane, const Shape& cylinder, double margin, PointList& out);
int planeEllipsoid(const Shape& plane, const Shape& ellipsoid, double margin, PointList& out);

int sphereSphere(const Shape& a, const Shape& b, double margin, PointList& out);
int sphereCapsule(const Shape& sphere, const Shape& capsule, double margin, PointList& out);
int sphereCylinder(const Shape& sphere, const Shape& cylinder, double margin, PointList& out);
int sphereBox(const Shape& sphere, const Shape& box, double margin, PointList& out);
/// One point, two when the axes are parallel.
int capsuleCapsule(const Shape& a, const Shape& b, double margin, PointList& out);
/// One point, or two where the capsule lies along a face or edge.
int capsuleBox(const Shape& capsule, const Shape& box, double margin, PointList& out);
/// Face against face clipped to at most eight points, or one point of two crossing edges.
int boxBox(const Shape& a, const Shape& b, double margin, PointList& out);
/// The same, but boxes that lie nearly flat on each other always have the overlap of the two faces, named as seen from
/// the first one, whichever axis separates best: points and their features stay the same while the boxes wobble.
int boxBoxSteady(const Shape& a, const Shape& b, double margin, PointList& out);

}  // namespace sinew::geom
