#pragma once

#include "geom/collide.h"
#include "geom/multi_contact.h"
#include "geom/support.h"

/// Contact of any two convex bodies, by GJK and EPA.
namespace sinew::geom {

/// Signed distance of two bodies; `contacts` gets the nearest points (of overlapping bodies: the deepest ones), or
/// nothing. With `cutoff` > 0 distances up to it are found, beyond it the result is infinite; with 0 only overlap is.
/// maxContacts > 1 asks for several points of two polytopes that overlap, see clipFeatures().
double penetration(ConvexBody& a, ConvexBody& b, double cutoff, int maxContacts, const CollideOptions& options,
                   WitnessList& contacts);

/// Contact points of two convex shapes. Both are inflated by half the margin, and where the inflated shapes overlap
/// there is a contact. Boxes and meshes without margin get up to 4 points by clipping. Other pairs, apart from spheres
/// and ellipsoids, get up to 4 more by turning the shapes a little against each other about the first point. Where
/// steady contacts are asked for, boxes and meshes get all points of the sides that face each other, see
/// collideFaces().
int collideConvex(const Shape& a, const Shape& b, double margin, const CollideOptions& options,
                  Array<ContactPoint>& out);

/// The deepest point of two convex bodies whose inflations add up to `margin`; returns 0 or 1.
int collideOnce(ConvexBody& a, ConvexBody& b, double margin, const CollideOptions& options, Array<ContactPoint>& out);

/// Lowest vertices of a mesh near a plane: the lowest one, and up to two of its neighbours in the hull that are not
/// close to it.
int planeMesh(const Shape& plane, const Shape& mesh, double margin, Array<ContactPoint>& out);
/// All corners near the plane of the side that lies on it, or else the lowest vertex and its neighbours; named by the
/// vertices. A mesh without hull is left to planeMesh().
int planeMeshSteady(const Shape& plane, const Shape& mesh, double margin, Array<ContactPoint>& out);

/// A height field is a row of prisms, two for each cell; each prism under the shape gives at most one point. Returns
/// how many there are, and appends kMostPoints of them at most.
int collideHeightField(const Shape& field, const Shape& shape, double margin, const CollideOptions& options,
                       Array<ContactPoint>& out);

int collideHeightField(const Shape& field, const Element& element, double margin, const CollideOptions& options,
                       Array<ContactPoint>& out);

/// Signed distance of a convex shape, or of an element, from a height field and the nearest points, up to `cutoff`.
double heightFieldDistance(const Shape& field, const Shape& shape, double cutoff, const CollideOptions& options,
                           Vec3* onField, Vec3* onShape);
double heightFieldDistance(const Shape& field, const Element& element, double cutoff, const CollideOptions& options,
                           Vec3* onField, Vec3* onElement);

}  // namespace sinew::geom
