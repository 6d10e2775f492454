#pragma once

#include <span>
#include <vector>

#include "geom/support.h"

/// Flat sides of boxes and meshes. Sides of a box are numbered +x, -x, +y, -y, +z, -z, its corners by the bits of their
/// positive coordinates (0: x, 1: y, 2: z); sides of a mesh are the polygons of its hull, corners its vertices.
namespace sinew::geom {

/// The body has sides to ask for: it is a box, or a mesh with a hull.
bool hasFaces(const ConvexBody& body);

/// Where a corner is in the world.
Vec3 cornerPoint(const ConvexBody& body, int corner);

/// Outward normal of a side, in world coordinates.
Vec3 faceNormal(const ConvexBody& body, int face);

/// Corners of a side, clockwise from outside, in world coordinates.
void faceCorners(const ConvexBody& body, int face, std::vector<Vec3>& corners);

/// Polygons of a hull that meet in a vertex; corners of a polygon, counterclockwise from outside.
std::span<const int> polygonsAround(const HullView& hull, int vertex);
std::span<const int> polygonVertices(const HullView& hull, int polygon);

/// A side and its outward normal; -1: none.
struct Face {
  int id = -1;
  Vec3 normal = Vec3::Zero();
};

/// The side whose normal is nearest to a direction, among those that meet in the corner farthest along it.
Face faceAlong(ConvexBody& body, const Vec3& direction);

}  // namespace sinew::geom
