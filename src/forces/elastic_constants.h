#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "elastic/cell.h"
#include "elastic/continuum.h"
#include "elastic/cotangent.h"
#include "elastic/section.h"
#include "elastic/shell.h"
#include "elastic/strain_wide.h"
#include "elastic/tetrahedron.h"
#include "sinew/model.h"

/// How the elasticity of flexes lies in the arrays of the Model. Written by the compiler, read by the forces.
///   flex_elastic          Elements in groups of four, one number of all four after the other. Laws of squared edge
///                         lengths (reference, stvk): elastic/strain_wide.h. The others: rest gradients of points
///                         1 .. dim (dim numbers each), volume. The last group is filled up with elements of zero
///                         stiffness.
///                         Ten-node tetrahedra have those of their eight pieces there, for measures of stress.
///   flex_cellstiff        Cells under the law of the reference: one matrix per flex. Ten-node tetrahedra: gradients of
///                         three barycentric coordinates and the volume of each.
///   flexhinge_cotangent   upper triangle of B (10), sqrt(kappa) c (4), beta, energy at rest.
namespace sinew {

/// Laws whose elements are in squared edge lengths.
inline bool usesSquaredLengths(FlexLaw law) { return law == FlexLaw::Reference || law == FlexLaw::StVenantKirchhoff; }

/// Numbers per element in flex_elastic.
inline int elasticNumbers(FlexLaw law, int dim) {
  if (usesSquaredLengths(law)) return dim == 2 ? elastic::kStrainNumbers<2> : elastic::kStrainNumbers<3>;
  return dim * dim + 1;
}

/// First number of the group that holds element `elem` of flex f.
inline std::ptrdiff_t elasticGroup(const Model& m, int f, int elem) {
  const std::ptrdiff_t groupSize = kLanes * elasticNumbers(m.flex_law[f], m.flex_dim[f]);
  return m.flex_elasticadr[f] + groupSize * (elem / kLanes);
}

template <int Dim>
void storeContinuum(const elastic::ContinuumElement<Dim>& element, int lane, double* group) {
  double* out = group + lane;
  for (int i = 1; i <= Dim; ++i) {
    for (int k = 0; k < Dim; ++k) *out = element.shape(k, i), out += kLanes;
  }
  *out = element.vol;
}

template <int Dim>
elastic::ContinuumElement<Dim> loadContinuum(const elastic::Law& law, const double* group, int lane) {
  elastic::ContinuumElement<Dim> element;
  element.law = law;
  const double* in = group + lane;
  for (int i = 1; i <= Dim; ++i) {
    for (int k = 0; k < Dim; ++k) element.shape(k, i) = *in, in += kLanes;
    element.shape.col(0) -= element.shape.col(i);
  }
  element.vol = *in;
  return element;
}

/// Whether flex f is made of ten-node tetrahedra: cells without interpolation.
inline bool isQuadratic(const Model& m, int f) { return m.flex_interp[f] == 0 && m.flex_cellcount[f] > 0; }

/// Numbers per ten-node tetrahedron in flex_cellstiff.
inline constexpr int kTetrahedronNumbers = 10;

/// Ten-node tetrahedron c of flex f.
inline elastic::QuadraticTetrahedron loadTetrahedron(const Model& m, const elastic::Law& law, int f, int c) {
  elastic::QuadraticTetrahedron element;
  element.law = law;
  const double* in = &m.flex_cellstiff[m.flex_cellstiffadr[f] + std::ptrdiff_t{kTetrahedronNumbers} * c];
  for (int i = 1; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) element.shape(k, i) = *in++;
    element.shape.col(0) -= element.shape.col(i);
  }
  element.vol = *in;
  return element;
}

inline void storeCotangent(const elastic::CotangentHinge& hinge, double* out) {
  for (int i = 0; i < 4; ++i) {
    for (int j = i; j < 4; ++j) *out++ = hinge.B(i, j);
  }
  for (int i = 0; i < 4; ++i) *out++ = std::sqrt(hinge.kappa) * hinge.c[i];
  *out++ = hinge.beta;
  *out = hinge.energy0;
}

inline elastic::CotangentHinge loadCotangent(const double* in) {
  elastic::CotangentHinge hinge;
  for (int i = 0; i < 4; ++i) {
    for (int j = i; j < 4; ++j) hinge.B(i, j) = hinge.B(j, i) = *in++;
  }
  for (int i = 0; i < 4; ++i) hinge.c[i] = *in++;
  hinge.kappa = 1;  // it is in c
  hinge.beta = *in++;
  hinge.energy0 = *in;
  return hinge;
}

/// What holds section i of a rod with twist.
inline elastic::Section loadSection(const Model& m, int i) {
  return {m.flexsection_size[2 * i], m.flexsection_size[2 * i + 1], m.flexsection_stiffness[2 * i],
          m.flexsection_stiffness[2 * i + 1]};
}

/// Joint i of a rod with twist.
inline elastic::SectionJoint loadJoint(const Model& m, int i) {
  return {ConstMapVec3(&m.flexjoint_stiffness[3 * i]), ConstMapVec3(&m.flexjoint_relaxed[3 * i])};
}

/// Springs or dampers act along the edges of flex f.
inline bool hasEdgeSprings(const Model& m, int f) {
  return m.flex_edgestiffness[f] != 0 || m.flex_edgedamping[f] != 0 || (m.flex_dim[f] == 1 && m.flex_stretch[f]);
}

/// Elasticity acts on flex f at all.
inline bool isElastic(const Model& m, int f) {
  if (m.flex_rigid[f]) return false;
  return m.flex_elasticadr[f] >= 0 || m.flex_bending[f] != FlexBending::None || m.flex_bendnum[f] > 0 ||
         m.flex_sectionnum[f] > 0 || m.flex_cellcount[f] > 0 || hasEdgeSprings(m, f);
}

/// Whether the faces of an interpolated shell resist strain: the reference law has no membranes.
inline bool hasMembrane(const Model& m, int f) { return m.flex_stretch[f] && m.flex_law[f] != FlexLaw::Reference; }

/// Points of two faces of n points each, every one once: those of the first, then what the second adds. Returns their
/// number.
using FoldPoints = std::array<int, 2 * elastic::kFacePoints<2>>;
inline int joinFaces(const int* first, const int* second, int n, FoldPoints& points) {
  auto end = std::copy_n(first, n, points.begin());
  end = std::copy_if(second, second + n, end, [&](int p) { return std::find(first, first + n, p) == first + n; });
  return static_cast<int>(end - points.begin());
}

/// forEachCoupling() for interpolated shells: faces, if they resist strain, and folds, both in the order in which
/// deliverShellStiffness() delivers their matrices.
template <class Visitor>
void forEachShellCoupling(const Model& m, int f, Visitor&& visit) {
  const int n = m.flex_interp[f] == -1 ? elastic::kFacePoints<1> : elastic::kFacePoints<2>;
  const auto points = [&](int face) { return &m.flexcell_point[m.flex_celldataadr[f] + n * face]; };
  if (hasMembrane(m, f)) {
    for (int face = 0; face < m.flex_cellcount[f]; ++face) visit(points(face), n);
  }
  FoldPoints both;
  for (int i = m.flex_foldadr[f]; i < m.flex_foldadr[f] + m.flex_foldnum[f]; ++i) {
    const int count = joinFaces(points(m.flexfold_face[2 * i]), points(m.flexfold_face[2 * i + 1]), n, both);
    visit(static_cast<const int*>(both.data()), count);
  }
}

/// Calls visit(points, number of points) for every elastic element of flex f: springs along edges, triangles or
/// tetrahedra, hinges, bends, sections and joints of rods, cells. Points count over the whole model.
template <class Visitor>
void forEachCoupling(const Model& m, int f, Visitor&& visit) {
  if (!isElastic(m, f)) return;
  const int point = m.flex_pointadr[f];
  int ids[elastic::SectionJoint::kPoints];
  const auto visitVertices = [&](const int* vertices, int n) {
    for (int i = 0; i < n; ++i) ids[i] = point + vertices[i];
    visit(static_cast<const int*>(ids), n);
  };
  if (m.flex_interp[f] == 0) {
    if (hasEdgeSprings(m, f)) {
      for (int e = 0; e < m.flex_edgenum[f]; ++e) visitVertices(&m.flex_edge[2 * (m.flex_edgeadr[f] + e)], 2);
    }
    const int corners = m.flex_dim[f] + 1;
    if (m.flex_elasticadr[f] >= 0 && !isQuadratic(m, f)) {
      for (int e = 0; e < m.flex_elemnum[f]; ++e) {
        visitVertices(&m.flex_elem[m.flex_elemdataadr[f] + corners * e], corners);
      }
    }
    if (m.flex_bending[f] != FlexBending::None) {
      for (int e = 0; e < m.flex_hingenum[f]; ++e) visitVertices(&m.flexhinge_vert[4 * (m.flex_hingeadr[f] + e)], 4);
    }
    for (int e = 0; e < m.flex_bendnum[f]; ++e) visitVertices(&m.flexbend_vert[3 * (m.flex_bendadr[f] + e)], 3);
    for (int e = m.flex_sectionadr[f]; e < m.flex_sectionadr[f] + m.flex_sectionnum[f]; ++e) {
      visitVertices(&m.flexsection_point[elastic::Section::kPoints * e], elastic::Section::kPoints);
    }
    for (int e = m.flex_jointadr[f]; e < m.flex_jointadr[f] + m.flex_jointnum[f]; ++e) {
      visitVertices(&m.flexjoint_point[elastic::SectionJoint::kPoints * e], elastic::SectionJoint::kPoints);
    }
  }
  if (m.flex_interp[f] < 0) return forEachShellCoupling(m, f, visit);
  const int cellPoints = isQuadratic(m, f)                     ? elastic::QuadraticTetrahedron::kPoints
                         : m.flex_dof[f] == FlexDof::Quadratic ? elastic::kCellPoints<2>
                                                               : elastic::kCellPoints<1>;
  for (int c = 0; c < m.flex_cellcount[f]; ++c)
    visit(&m.flexcell_point[m.flex_celldataadr[f] + cellPoints * c], cellPoints);
}

}  // namespace sinew
