#pragma once

#include <array>
#include <span>
#include <vector>

#include "elastic/element.h"

/// Bending of sheets as plate and shell theory has it: E = A/2 (kappa - kappa0)' D (kappa - kappa0) per triangle, kappa
/// its curvature tensor, D the plate modulus with Poisson's ratio.
///
/// The curvature of a triangle is the mean of the gradient of its slope, hence an integral along its edges. Relative to
/// its own plane, only the slopes s_e across its edges count:
///   kappa = 1/A sum_e L_e s_e m_e m_e',   m_e: unit normal of edge e in the plane, outwards.
/// Both triangles at an edge see the same tangent there, s_e + s_e' = the fold angle theta. How the fold is shared
/// between them follows from the heights of the vertices around the edge (its two triangles and their neighbours): the
/// mean slope along the edge is a sum over them that is exact for quadratic surfaces and whose error for cubic ones is
/// least, the same in all axes; so meshes of long cells and oblique patches bend like others. For small angles that is
/// linear in the fold angles of that patch, with weights from the rest shape unfolded into the plane. So kappa is
/// linear in the angles of at most nine folds (more near borders, see below), and
///  - a surface bent to constant curvature is found exactly on any mesh, and no moment is left over at an edge, because
///    its two triangles see one slope: the energy converges on every mesh;
///  - angles do not change with rigid motion, so there is no net force and no torque; a curved rest shape is where
///    the angles are those at rest; folds of 180 degrees still push back.
/// Borders: a free (or hinged) edge has no moment across it: its slope is eliminated from D. An edge of a triangle that
/// cannot move against itself (`fixed`: pinned, or on one body) is clamped to it: s_e = theta. Where the patch of an
/// edge has too few vertices for a quadratic, the next ring is taken as well; where there is none, the smallest
/// quadratic that fits counts.
namespace sinew::elastic {

/// A sheet at rest.
struct Sheet {
  std::span<const Vec3> rest;                  ///< positions of vertices
  std::span<const int> triangles;              ///< three vertices each
  std::span<const std::array<int, 4>> hinges;  ///< as in elastic/hinge.h; the first triangle on the edge comes first
  std::span<const char> fixed;                 ///< per triangle: no vertex of it can move against the others
};

/// Share of the angle of a fold in the curvature of a triangle. Axes of the triangle: 1 along its first edge (vertex 0
/// to 1), 2 in its plane towards vertex 2; curvature is positive where the surface rises from the triangle's plane
/// along its normal. Curvatures are given as (11, 22, twice 12).
struct AngleShare {
  int hinge = 0;
  Eigen::Vector3d curvature;  ///< per angle, 1/m
};

struct PlateBending {
  std::vector<int> first;          ///< first share of each triangle, and one past the last
  std::vector<AngleShare> shares;  ///< none for triangles that are fixed or have no hinge
  std::vector<Eigen::Matrix3d> D;  ///< moments (11, 22, 12) by curvatures, per triangle, N m
  /// Per hinge, N m: k with diag(k) >= S/2, S the second derivative of the energy by the angles. See plateBending().
  std::vector<double> bound;
};

/// Constants from the rest shape; `modulus` is E t^3/(12 (1 - nu^2)). No triangle is a sliver (elastic/sliver.h).
/// The bound: an implicit step whose metric has sum_h k_h g_h g_h' (g the gradient of an angle) in place of the true
/// stiffness is stable at any timestep if it is at least half of it; forces are the true ones. It has the pattern of
/// single folds, a third of that of S.
PlateBending plateBending(const Sheet& sheet, double modulus, double poisson);

}  // namespace sinew::elastic
