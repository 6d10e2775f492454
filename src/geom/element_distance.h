#pragma once

#include "geom/element.h"

/// Distances of flex elements. Unlike contact points, which lie where the reference engine puts them, these are the
/// nearest points.
namespace sinew::geom {

/// Signed distance of a shape and an element, and their nearest points, if nearer than `cutoff`; otherwise `cutoff`.
double distance(const Shape& shape, const Element& element, double cutoff, const CollideOptions& options, Vec3* onShape,
                Vec3* onElement);

/// The same for two elements.
double distance(const Element& a, const Element& b, double cutoff, const CollideOptions& options, Vec3* onA, Vec3* onB);

}  // namespace sinew::geom
