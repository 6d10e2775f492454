#pragma once

#include <array>
#include <vector>

#include "math/types.h"

namespace sinew::draft {

/// Tetrahedra of second order have nodes at the middle of their edges. Their surface, and whatever else is made of
/// elements, sees each of them as eight: four at its corners, which have their vertices in the order of the whole, and
/// four inside, around the shortest diagonal of what is left.
inline constexpr int kPiecesOfTetrahedron = 8;

/// Ends of the edge in whose middle each new vertex is, in the order of the new vertices.
using EdgeMiddles = std::vector<std::array<int, 2>>;

/// Turns the tetrahedra (all of them with negative volume, as orientTetrahedra() leaves them) into eight each, and adds
/// the middles of edges to `points`.
EdgeMiddles refineTetrahedra(std::vector<int>& elements, std::vector<Vec3>& points);

/// The ten vertices of a tetrahedron, corners first, from its eight pieces (4 vertices each).
std::array<int, 10> wholeTetrahedron(const int* pieces);

/// Masses of the vertices, from the pieces.
std::vector<double> quadraticMasses(double density, const std::vector<Vec3>& points, const std::vector<int>& pieces);

}  // namespace sinew::draft
