#pragma once

#include <array>

#include "elastic/law.h"

/// Interpolated shells: the surface of a box of cells, made of rectangular faces whose nodes carry tensor products of
/// Lagrange's polynomials. A face across axis n has its first (slow) coordinate along axis n + 1, its second along
/// n + 2 (modulo 3).
namespace sinew::elastic {

template <int Order>
inline constexpr int kFacePoints = (Order + 1) * (Order + 1);

template <int Order>
using FaceNodes = Nodes<kFacePoints<Order>>;
template <int Order>
using FaceStiffness = Stiffness<kFacePoints<Order>>;
/// dN/ds along both coordinates: one column per node.
template <int Order>
using FaceGradient = Eigen::Matrix<double, 2, kFacePoints<Order>>;

/// A face of the surface of a box of cells.
struct ShellFace {
  int axis = 0;               ///< across it
  bool high = false;          ///< at the upper end of that axis
  std::array<int, 2> cell{};  ///< its place along its two coordinates
};

/// A side of a face; see FoldSide.
struct FaceSide {
  ShellFace face;
  int side = 0;
};

/// Number of faces; they are counted end by end (low and high along x, y, z), within each the second coordinate
/// fastest.
int numFaces(const std::array<int, 3>& cells);
ShellFace faceAt(const std::array<int, 3>& cells, int number);
int numberOf(const std::array<int, 3>& cells, const ShellFace& face);
/// The other face at a side of a face, and which of its sides that is.
FaceSide acrossSide(const std::array<int, 3>& cells, const ShellFace& face, int side);
/// Node (i, j) of a face among the nodes of the whole grid, whose z index runs fastest.
int facePoint(const std::array<int, 3>& cells, int order, const ShellFace& face, int i, int j);

template <int Order>
FaceGradient<Order> faceGradient(const Eigen::Vector2d& s);

/// Rest positions of the nodes in the axes of the grid, the first one at the origin. `size`: edges of a cell.
template <int Order>
FaceNodes<Order> faceRest(const Vec3& size, int axis);

/// Rotation of a face: that of the matrix with both tangents at its centre and their cross product as columns, each in
/// the place of its axis.
template <int Order>
Mat3 faceRotation(const FaceNodes<Order>& x, int axis);

/// Linear stiffness of a membrane in plane stress, of which the reference law makes its strain modes: as that of a cell
/// (elastic/cell.h), with half the shear modulus, in the two directions of the face only.
template <int Order>
void referenceFaceStiffness(const Vec3& size, int axis, double young, double poisson, double thickness,
                            FaceStiffness<Order>& K);

/// A membrane under one of the laws of elastic/law.h, integrated by Gauss' rule with Order + 1 points per coordinate.
template <int Order>
struct FaceElement {
  static constexpr int kPoints = kFacePoints<Order>;
  Law law;
  Eigen::Vector2d size;  ///< edges along the two coordinates, m
  double thickness = 0;

  double energy(const FaceNodes<Order>& x) const;
  FaceNodes<Order> force(const FaceNodes<Order>& x) const;
  FaceNodes<Order> damperForce(const FaceNodes<Order>& x, const FaceNodes<Order>& v, double time) const;
  void stiffness(const FaceNodes<Order>& x, Tangent tangent, FaceStiffness<Order>& out) const;
  void damping(const FaceNodes<Order>& x, double time, FaceStiffness<Order>& out) const;
};

/// One of the two faces that meet in a fold.
template <int Order>
struct FoldSide {
  FaceNodes<Order> x;
  int axis = 0;
  int side = 0;  ///< where the fold is: 0, 1: low and high end of the first coordinate, 2, 3: of the second
};

/// Bending of a shell where two faces meet. With n the unit normals (first tangent x second) in the middle of the
/// common edge, e its direction and j = n_A - n_B, the fold is rho = |j - e (e.j)| and the twist tau = e.j:
///   E = k/2 ((rho - rho0)^2 + tau^2),   rho0 = |jump0|, jump0 the value of j at rest.
/// Faces in line have rho0 = 0 and E = k/2 |j|^2.
/// The law of the reference engine has E = k/2 |j - R jump0|^2 instead, R the mean of the rotations of both faces, and
/// its force counts R as fixed: for faces in line that is the same, at the edges of the box it is not a gradient.
template <int Order>
struct FaceFold {
  using Jacobian = Eigen::Matrix<double, 3, 3 * kFacePoints<Order>>;
  double k = 0;  ///< J
  Vec3 jump0 = Vec3::Zero();
  bool reference = false;

  double energy(const FoldSide<Order>& a, const FoldSide<Order>& b) const;
  /// Forces on the nodes of both faces.
  void force(const FoldSide<Order>& a, const FoldSide<Order>& b, FaceNodes<Order>& onA, FaceNodes<Order>& onB) const;
  /// Derivatives of what is squared in E (of the reference: at fixed R) by the positions of the nodes: the stiffness
  /// that the metric gets is k J'J.
  void jacobian(const FoldSide<Order>& a, const FoldSide<Order>& b, Jacobian& byA, Jacobian& byB) const;
};

/// The fold between two faces at rest, given in the axes of the grid: k = D (l_A + l_B)/(h_A + h_B) with l, h the
/// lengths of the faces along and across the common edge and D the plate modulus.
template <int Order>
FaceFold<Order> faceFold(const FoldSide<Order>& a, const FoldSide<Order>& b, double modulus);

}  // namespace sinew::elastic
