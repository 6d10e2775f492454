#pragma once

#include <span>

#include "geom/collide.h"
#include "math/types.h"
#include "sinew/array.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Normals of the smooth sheet that the triangles of a flex stand for, where the edge of a box presses into it.
///
/// An edge of a box touches a sheet at an edge of the mesh, and these two decide the normal: it is perpendicular to
/// both. Right below a row of vertices at which a flat part ends and a fold begins, that is the normal of the fold.
/// Between two fingers there, the normals of both sides point out of the grip and squeeze the sheet out like a wedge;
/// at 18 degrees and friction 1 the grip holds half of what it should. The kink is one of the mesh, not of the sheet,
/// which leaves the fingers in the direction it has between them. So the normal is averaged over the triangles around
/// the vertices, as mortar methods do for contacts of meshes [Popp et al. 2009], weighted by the angles of the
/// triangles there [Thuermer and Wuethrich 1998]. With M = sum angle n n' at a vertex, interpolated along the edge of
/// the mesh, the normal n of the contact becomes M n, which does not ask how triangles are oriented; without its
/// component along the edge of the box, and within the quarter between the normals of the two sides that meet there.
class SmoothNormals {
 public:
  /// Memory comes from the arena. Sheets under the law of the reference engine keep its normals.
  SmoothNormals(const Model& m, Data& d, int flex) : m_(m), d_(d), flex_(flex) {}

  bool isActive() const { return m_.flex_dim[flex_] == 2 && m_.flex_law[flex_] != FlexLaw::Reference; }

  /// Turns the normals of `points`, which collideCrossing() found between a box, whose axes are the columns of
  /// `boxAxes`, and the edge of the mesh from vertex `a` to vertex `b`, counted within the flex.
  void turn(const Mat3& boxAxes, int a, int b, std::span<geom::ContactPoint> points);

 private:
  using Tensor = std::array<double, 6>;  ///< 11 22 33 12 13 23

  void prepare();

  const Model& m_;
  Data& d_;
  int flex_;
  std::span<Tensor> tensors_;  ///< of vertices; empty: not prepared yet
};

}  // namespace sinew
