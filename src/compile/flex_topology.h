#pragma once

#include <array>
#include <vector>

namespace sinew::draft {

/// What follows from the elements of a flex alone. Vertex and element numbers count within the flex; everything is in
/// the order of first appearance, so that equal elements give equal lists.
struct FlexTopology {
  std::vector<std::array<int, 2>> edges;  ///< the smaller vertex first
  std::vector<int> elementEdges;          ///< 1, 3 or 6 per element: 01; 12 20 01; 01 12 20 23 03 13
  /// dim 2: pairs of triangles on an edge. The edge as the first triangle runs along it, the vertex opposite to it
  /// there, and the one in the other triangle.
  std::vector<std::array<int, 4>> hinges;
  std::vector<int> crowdedEdges;  ///< dim 2: edges of more than two triangles; they have no hinge
  /// Pairs of elements that cover the same place: the same vertices, or in dim 3 the same side of a face. Each in
  /// order, without repetition.
  std::vector<std::array<int, 2>> overlaps;
  std::vector<int> shell;   ///< dim vertices per boundary fragment
  std::vector<int> layers;  ///< dim 3: steps from the surface; otherwise 0
  /// dim 1, 2: (element, vertex) where a neighbour's free vertex may run into an element at the border.
  std::vector<std::array<int, 2>> elementVertexPairs;
};

/// `elements` has dim + 1 distinct vertices per element, tetrahedra all with the same sign of volume. O(n log n).
FlexTopology topologyOf(int dim, const std::vector<int>& elements);

}  // namespace sinew::draft
