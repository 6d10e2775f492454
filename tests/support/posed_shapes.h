#pragma once

#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "geom/collide.h"
#include "math/types.h"

/// Shapes to collide in tests, and what their contacts should be by brute force.
namespace sinew::test {

/// A shape that owns its mesh or height field.
struct OwnedShape {
  geom::Shape shape;
  struct Storage;
  std::shared_ptr<Storage> storage;

  /// The same shape somewhere else.
  OwnedShape at(const Vec3& pos, const Mat3& rot = Mat3::Identity()) const;
};

/// rbound is filled in for all of these.
OwnedShape makeShape(GeomType type, const Vec3& size);
/// The convex hull of points (3 numbers each), with its graph and polygons; `withGraph` false leaves both out.
OwnedShape makeMesh(const std::vector<double>& points, bool withGraph = true);
OwnedShape makeBoxMesh(const Vec3& halfSize);
/// Flat when `elevation` is empty.
OwnedShape makeField(int nrow, int ncol, const std::array<double, 4>& size, std::vector<float> elevation = {});

Mat3 randomRotation(std::mt19937& rng);
Vec3 randomVector(std::mt19937& rng, double low, double high);
/// A bounded convex shape of the given type (sphere to mesh) with sizes between 0.05 and 0.2.
OwnedShape randomShape(GeomType type, std::mt19937& rng);

/// How far a convex shape reaches along the unit vector n, from a closed formula or over all vertices.
double reach(const geom::Shape& shape, const Vec3& n);

/// How far two convex shapes are apart along n (negative: how much they overlap). The largest value over all n is the
/// signed distance of the shapes, so every n gives a lower bound.
double separation(const geom::Shape& a, const geom::Shape& b, const Vec3& n);

/// The largest separation() found by scanning directions over the sphere and refining the best ones: a lower bound of
/// the signed distance, too low by less than 1e-4 for shapes of about 0.1.
double bruteForceDistance(const geom::Shape& a, const geom::Shape& b);

/// The same for anything of which the separation along a direction is known.
double largestSeparation(const std::function<double(const Vec3&)>& separationAlong);

}  // namespace sinew::test
