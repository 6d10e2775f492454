#pragma once

#include <span>

#include "geom/tri_mesh.h"

namespace sinew::geom {

/// Procedural meshes of the `builtin` attribute, all of unit size.
enum class BuiltinMesh { Sphere, Hemisphere, Cone, Supersphere, Supertorus, Wedge, Plate };

/// The number of `params` the shape takes.
int builtinParamCount(BuiltinMesh shape);

/// True for shapes that are surfaces: their inertia is that of a shell whatever `inertia` says.
bool builtinIsShell(BuiltinMesh shape);

/// Vertices and faces in the order of the reference engine, so that exported indices agree. Parameters:
///   Sphere       subdivisions of the icosahedron (0..4)
///   Hemisphere   rows (0..10); closed by a flat cap
///   Cone         edges of the base (>= 3), radius of the top (0: a point); no faces, the hull is taken
///   Supersphere  resolution (>= 3), exponents e and n (>= 0)
///   Supertorus   resolution (>= 3), tube radius in (0, 1], exponents s and t (> 0)
///   Wedge        horizontal and vertical resolution, field of view (degrees, <= 180 and <= 90), foveation in [0, 1];
///                points on the unit sphere around -z, three normals each (normal, two tangents), no faces
///   Plate        two resolutions; a grid in the square [-1, 1]^2 at z = -1, three normals each
/// Throws MeshError on a wrong number or range of parameters.
TriMesh builtinMesh(BuiltinMesh shape, std::span<const double> params);

}  // namespace sinew::geom
