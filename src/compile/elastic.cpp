#include "compile/elastic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "compile/flex_cells.h"
#include "compile/flex_refine.h"
#include "compile/rods.h"
#include "elastic/hinge.h"
#include "elastic/plate.h"
#include "elastic/rod.h"
#include "elastic/shell.h"
#include "forces/elastic_constants.h"
#include "forces/elasticity.h"
#include "forces/stiff_metric.h"
#include "math/quat.h"

namespace sinew::draft {
namespace {

/// Positions of all points at rest, in the world: nodes are in qpos0, the others on bodies whose joints are in their
/// reference position.
std::vector<Vec3> restPositions(const Model& m) {
  std::vector<Vec3> pos(static_cast<std::size_t>(m.nbody), Vec3::Zero());
  std::vector<Quat> quat(static_cast<std::size_t>(m.nbody));
  for (int b = 1; b < m.nbody; ++b) {
    const std::size_t parent = static_cast<std::size_t>(m.body_parentid[b]);
    const Quat local = Quat::load(&m.body_quat[4 * b]);
    pos[b] = pos[parent] + rotate(quat[parent], vec3(m.body_pos.data(), b));
    quat[b] = quat[parent] * local;
  }
  std::vector<Vec3> rest(static_cast<std::size_t>(m.nflexpoint));
  for (int p = 0; p < m.nflexpoint; ++p) {
    const int node = m.flexpoint_nodeid[p];
    const std::size_t body = static_cast<std::size_t>(m.flexpoint_bodyid[p]);
    rest[p] = node >= 0 ? Vec3(ConstMapVec3(&m.qpos0[m.nq_rigid + 3 * node]))
                        : pos[body] + rotate(quat[body], vec3(m.flexpoint_pos.data(), p));
  }
  return rest;
}

/// Rest shape of N vertices of flex f.
template <int N>
elastic::Nodes<N> gather(const Model& m, int f, const std::vector<Vec3>& rest, const int* vertices) {
  elastic::Nodes<N> x;
  for (int i = 0; i < N; ++i) x.col(i) = rest[m.flex_pointadr[f] + vertices[i]];
  return x;
}

template <int Dim>
void writeElements(Model& m, int f, const std::vector<Vec3>& rest) {
  const int groups = (m.flex_elemnum[f] + kLanes - 1) / kLanes;
  m.flex_elastic.resize(m.flex_elasticadr[f] +
                        static_cast<std::ptrdiff_t>(groups) * kLanes * elasticNumbers(m.flex_law[f], Dim));
  const double young = m.flex_young[f];
  const double poisson = m.flex_poisson[f];
  const double thickness = m.flex_thickness[f];
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const auto x = gather<Dim + 1>(m, f, rest, &m.flex_elem[m.flex_elemdataadr[f] + (Dim + 1) * e]);
    double* group = &m.flex_elastic[elasticGroup(m, f, e)];
    const int lane = e % kLanes;
    switch (m.flex_law[f]) {
      case FlexLaw::Reference:
        elastic::storeStrain<Dim>(elastic::referenceLaw<Dim>(x, young, poisson, thickness), lane, group);
        break;
      case FlexLaw::StVenantKirchhoff:
        elastic::storeStrain<Dim>(elastic::stVenantKirchhoff<Dim>(x, young, poisson, thickness), lane, group);
        break;
      case FlexLaw::Corotational:
      case FlexLaw::NeoHookean:
        storeContinuum<Dim>(elastic::continuumElement<Dim>(m.flex_law[f], x, young, poisson, thickness), lane, group);
        break;
    }
  }
}

/// D of plate theory; the reference engine, which knows no angle springs, has mu t^3 / 8 in its place.
double bendingModulus(const Model& m, int f) {
  const double t = m.flex_thickness[f];
  if (m.flex_law[f] == FlexLaw::Reference && m.flex_bending[f] == FlexBending::Cotangent) {
    return elastic::lame(m.flex_young[f], m.flex_poisson[f]).mu * t * t * t / 8;
  }
  return elastic::plateModulus(m.flex_young[f], m.flex_poisson[f], t);
}

void writeHinges(Model& m, int f, const std::vector<Vec3>& rest) {
  for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
    const elastic::Nodes<4> x = gather<4>(m, f, rest, &m.flexhinge_vert[4 * h]);
    m.flexhinge_angle0[h] = elastic::foldAngle(x);
    if (m.flex_bending[f] == FlexBending::None || m.flex_bending[f] == FlexBending::Shell) continue;
    m.flexhinge_stiffness[h] = elastic::dihedralHinge(x, bendingModulus(m, f)).k;
    if (m.flex_bending[f] == FlexBending::Cotangent) {
      storeCotangent(elastic::cotangentHinge(x, bendingModulus(m, f)), &m.flexhinge_cotangent[16 * h]);
    }
  }
}

/// bending="shell": shares of fold angles in the curvature of triangles, and the bound of the stiffness of folds.
void writePlates(Model& m, int f, const std::vector<Vec3>& rest) {
  const int firstHinge = m.flex_hingeadr[f], firstElem = m.flex_elemadr[f], count = m.flex_elemnum[f];
  const std::span<const int> triangles(m.flex_elem.data() + m.flex_elemdataadr[f], 3 * static_cast<std::size_t>(count));
  std::vector<char> fixed(static_cast<std::size_t>(count), 0);
  for (int e = 0; e < count; ++e) {
    const int* v = &triangles[3 * e];
    const int point = m.flex_pointadr[f], points[3] = {point + v[0], point + v[1], point + v[2]};
    fixed[e] = isRigid(m, points, 3);
  }
  std::vector<std::array<int, 4>> hinges(static_cast<std::size_t>(m.flex_hingenum[f]));
  for (std::size_t h = 0; h < hinges.size(); ++h) {
    std::copy_n(&m.flexhinge_vert[4 * (firstHinge + static_cast<int>(h))], 4, hinges[h].begin());
  }
  const std::span<const Vec3> vertices(rest.data() + m.flex_pointadr[f], static_cast<std::size_t>(m.flex_pointnum[f]));
  const elastic::PlateBending plate =
      elastic::plateBending({vertices, triangles, hinges, fixed}, bendingModulus(m, f), m.flex_poisson[f]);
  const int firstShare = static_cast<int>(m.flexcurv_hinge.size());
  for (int e = 0; e < count; ++e) {
    const std::size_t t = static_cast<std::size_t>(e);
    m.flexelem_curvadr[firstElem + e] = firstShare + plate.first[t];
    m.flexelem_curvnum[firstElem + e] = plate.first[t + 1] - plate.first[t];
    double* D = &m.flexelem_plate[6 * (firstElem + e)];
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) *D++ = plate.D[t](i, j);
    }
  }
  for (const elastic::AngleShare& share : plate.shares) {
    m.flexcurv_hinge.push_back(firstHinge + share.hinge);
    for (const double x : share.curvature) m.flexcurv_weight.push_back(x);
  }
  for (std::size_t h = 0; h < hinges.size(); ++h)
    m.flexhinge_stiffness[firstHinge + static_cast<int>(h)] = plate.bound[h];
}

/// Cotangents of triangles that lie on each other are those of a flat pair turned inside out: the energy of the pair
/// has no lower bound.
void reportFolded(const Draft& draft, const Model& m, int f) {
  constexpr double kFolded = 170 * std::numbers::pi / 180;
  if (m.flex_bending[f] != FlexBending::Cotangent) return;
  int count = 0, first = -1;
  for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
    if (!(std::abs(m.flexhinge_angle0[h]) > kFolded)) continue;
    if (count++ == 0) first = h;
  }
  if (count == 0) return;
  const int* edge = &m.flexhinge_vert[4 * first];
  draft.warn(placeOf(draft.flexes[f])
                 .message(fmt::format("{} pairs of triangles, the first at the edge between vertices {} and {}, lie on "
                                      "each other at rest: bending=\"cotangent\" has no stable shape there, "
                                      "bending=\"dihedral\" has",
                                      count, edge[0], edge[1])));
}

/// Rods bend where exactly two segments meet. I = pi r^4 / 4.
void writeBends(Model& m, int f, const std::vector<Vec3>& rest) {
  std::vector<std::array<int, 3>> ends(static_cast<std::size_t>(m.flex_vertnum[f]), {0, -1, -1});
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const int* segment = &m.flex_elem[m.flex_elemdataadr[f] + 2 * e];
    for (int i = 0; i < 2; ++i) {
      std::array<int, 3>& vertex = ends[segment[i]];
      if (vertex[0] < 2) vertex[1 + vertex[0]] = segment[1 - i];
      ++vertex[0];
    }
  }
  const double r2 = m.flex_radius[f] * m.flex_radius[f];
  const double stiffness = m.flex_young[f] * std::numbers::pi * r2 * r2 / 4;
  for (int v = 0; v < m.flex_vertnum[f]; ++v) {
    const std::array<int, 3>& vertex = ends[v];
    if (vertex[0] != 2) continue;
    const int vertices[3] = {vertex[1], v, vertex[2]};
    const elastic::RodBend bend = elastic::rodBend(gather<3>(m, f, rest, vertices), stiffness);
    for (const int id : vertices) m.flexbend_vert.push_back(id);
    m.flexbend_stiffness.push_back(bend.k);
    m.flexbend_angle0.push_back(bend.angle0);
  }
}

/// A rod that is curved at rest twists when it is pulled or bent out of its plane, and nothing resists that.
void reportCurved(const Draft& draft, const Model& m, int f) {
  constexpr double kStraight = 1e-3;  // rad
  const int first = m.flex_bendadr[f], last = static_cast<int>(m.flexbend_angle0.size());
  int count = 0;
  double largest = 0;
  for (int b = first; b < last; ++b) {
    if (std::abs(m.flexbend_angle0[b]) <= kStraight) continue;
    ++count;
    largest = std::max(largest, std::abs(m.flexbend_angle0[b]));
  }
  if (count == 0) return;
  draft.warn(
      placeOf(draft.flexes[f])
          .message(fmt::format("the rod is curved at rest ({} bends, up to {:.2g} rad): it keeps the angles, but "
                               "does not resist twisting; <elasticity twist=\"true\"> makes it a rod that does",
                               count, largest)));
}

/// Cells of an interpolated flex that are not empty: their points, edges at rest and, for the law of the reference, the
/// stiffness matrix that all of them share.
template <int Order>
void writeCells(Model& m, int f, const std::vector<Vec3>& rest) {
  const std::array<int, 3> cells{m.flex_cellnum[3 * f], m.flex_cellnum[3 * f + 1], m.flex_cellnum[3 * f + 2]};
  std::vector<Vec3> unit;
  unit.reserve(static_cast<std::size_t>(m.flex_vertnum[f]));
  for (int v = 0; v < m.flex_vertnum[f]; ++v) unit.push_back(vec3(m.flex_vert0.data(), m.flex_vertadr[f] + v));
  const std::size_t corners = static_cast<std::size_t>(m.flex_dim[f] + 1);
  const std::span<const int> elements(m.flex_elem.data() + m.flex_elemdataadr[f],
                                      corners * static_cast<std::size_t>(m.flex_elemnum[f]));
  const std::vector<char> empty = emptyCells(cells, m.flex_dim[f], unit, elements);

  const int ny = cells[1] * Order + 1;
  const int nz = cells[2] * Order + 1;
  const auto point = [&](int i, int j, int k) { return m.flex_pointadr[f] + (i * ny + j) * nz + k; };
  const auto restOf = [&](int i, int j, int k) { return rest[point(i, j, k)]; };
  const Vec3 origin = restOf(0, 0, 0);
  vec3(m.flex_cellsize.data(), f) << (restOf(Order, 0, 0) - origin).norm(), (restOf(0, Order, 0) - origin).norm(),
      (restOf(0, 0, Order) - origin).norm();

  for (std::size_t c = 0; c < empty.size(); ++c) {
    if (empty[c]) continue;
    const int cell = static_cast<int>(c);
    const int i = Order * (cell / (cells[1] * cells[2]));
    const int j = Order * (cell / cells[2] % cells[1]);
    const int k = Order * (cell % cells[2]);
    for (int n = 0; n < elastic::kCellPoints<Order>; ++n) {
      m.flexcell_point.push_back(
          point(i + n / ((Order + 1) * (Order + 1)), j + n / (Order + 1) % (Order + 1), k + n % (Order + 1)));
    }
    ++m.flex_cellcount[f];
  }
  if (m.flex_law[f] != FlexLaw::Reference) return;
  m.flex_cellstiffadr[f] = static_cast<int>(m.flex_cellstiff.size());
  const auto K = std::make_unique<elastic::CellStiffness<Order>>();
  elastic::referenceCellStiffness<Order>(vec3(m.flex_cellsize.data(), f), m.flex_young[f], m.flex_poisson[f], *K);
  for (const double entry : K->reshaped()) m.flex_cellstiff.push_back(entry);
}

/// Ten-node tetrahedra: their points; gradients of three barycentric coordinates, and their volumes.
void writeTetrahedra(Model& m, int f, const std::vector<Vec3>& rest) {
  m.flex_cellcount[f] = m.flex_elemnum[f] / kPiecesOfTetrahedron;
  m.flex_cellstiffadr[f] = static_cast<int>(m.flex_cellstiff.size());
  for (int c = 0; c < m.flex_cellcount[f]; ++c) {
    const std::array<int, 10> whole =
        wholeTetrahedron(&m.flex_elem[m.flex_elemdataadr[f] + 4 * kPiecesOfTetrahedron * c]);
    for (const int v : whole) m.flexcell_point.push_back(m.flex_pointadr[f] + v);
    const elastic::QuadraticTetrahedron element = elastic::quadraticTetrahedron(
        m.flex_law[f], gather<4>(m, f, rest, whole.data()), m.flex_young[f], m.flex_poisson[f]);
    for (int i = 1; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) m.flex_cellstiff.push_back(element.shape(k, i));
    }
    m.flex_cellstiff.push_back(element.vol);
  }
}

/// Faces of an interpolated shell and the folds between them.
template <int Order>
void writeFaces(Model& m, int f, const std::vector<Vec3>& rest) {
  const std::array<int, 3> cells{m.flex_cellnum[3 * f], m.flex_cellnum[3 * f + 1], m.flex_cellnum[3 * f + 2]};
  const int ny = cells[1] * Order + 1, nz = cells[2] * Order + 1;
  const auto restOf = [&](int i, int j, int k) { return rest[m.flex_pointadr[f] + (i * ny + j) * nz + k]; };
  const Vec3 origin = restOf(0, 0, 0);
  const Vec3 size((restOf(Order, 0, 0) - origin).norm(), (restOf(0, Order, 0) - origin).norm(),
                  (restOf(0, 0, Order) - origin).norm());
  vec3(m.flex_cellsize.data(), f) = size;

  m.flex_cellcount[f] = elastic::numFaces(cells);
  for (int face = 0; face < m.flex_cellcount[f]; ++face) {
    for (int i = 0; i <= Order; ++i) {
      for (int j = 0; j <= Order; ++j) {
        m.flexcell_point.push_back(m.flex_pointadr[f] +
                                   elastic::facePoint(cells, Order, elastic::faceAt(cells, face), i, j));
      }
    }
  }
  if (m.flex_bending[f] == FlexBending::None) return;
  const double modulus = elastic::plateModulus(m.flex_young[f], m.flex_poisson[f], m.flex_thickness[f]);
  const auto restSide = [&](const elastic::ShellFace& face, int side) {
    return elastic::FoldSide<Order>{elastic::faceRest<Order>(size, face.axis), face.axis, side};
  };
  for (int a = 0; a < m.flex_cellcount[f]; ++a) {
    const elastic::ShellFace face = elastic::faceAt(cells, a);
    for (int side = 0; side < 4; ++side) {
      const elastic::FaceSide other = elastic::acrossSide(cells, face, side);
      const int b = elastic::numberOf(cells, other.face);
      if (b <= a) continue;
      const auto fold = elastic::faceFold<Order>(restSide(face, side), restSide(other.face, other.side), modulus);
      for (const int id : {a, b}) m.flexfold_face.push_back(id);
      for (const int id : {side, other.side}) m.flexfold_side.push_back(id);
      m.flexfold_stiffness.push_back(fold.k);
      for (const double x : fold.jump0) m.flexfold_jump0.push_back(x);
    }
  }
}

}  // namespace

void writeElasticity(const Draft& draft, Model& m) {
  const std::vector<Vec3> rest = restPositions(m);
  for (int f = 0; f < m.nflex; ++f) {
    m.flex_elasticadr[f] = -1;
    m.flex_cellstiffadr[f] = -1;
    m.flex_bendadr[f] = static_cast<int>(m.flexbend_stiffness.size());
    if (!m.flex_rigid[f] && m.flex_interp[f] == 0) {
      if (m.flex_stretch[f] && m.flex_dim[f] >= 2) {
        m.flex_elasticadr[f] = static_cast<int>(m.flex_elastic.size());
        m.flex_dim[f] == 2 ? writeElements<2>(m, f, rest) : writeElements<3>(m, f, rest);
      }
      if (m.flex_stretch[f] && m.flex_dim[f] == 1) {
        const Flex& flex = draft.flexes[f];
        if (!flex.parameters.rod.twist) {
          writeBends(m, f, rest);
          reportCurved(draft, m, f);
        }
      }
      writeHinges(m, f, rest);
      if (m.flex_bending[f] == FlexBending::Shell) writePlates(m, f, rest);
      reportFolded(draft, m, f);
    }
    writeSections(draft.flexes[f], f, m);
    m.flex_bendnum[f] = static_cast<int>(m.flexbend_stiffness.size()) - m.flex_bendadr[f];
    m.flex_celladr[f] = m.nflexcell;
    m.flex_celldataadr[f] = static_cast<int>(m.flexcell_point.size());
    if (m.flex_stretch[f] && m.flex_interp[f] > 0) {
      m.flex_interp[f] == 1 ? writeCells<1>(m, f, rest) : writeCells<2>(m, f, rest);
      m.nflexcell += m.flex_cellcount[f];
    }
    if (orderOf(*draft.flexes[f].spec) == 2 && !m.flex_rigid[f]) {
      writeTetrahedra(m, f, rest);
      m.nflexcell += m.flex_cellcount[f];
    }
    m.flex_foldadr[f] = static_cast<int>(m.flexfold_stiffness.size());
    if (m.flex_interp[f] < 0 && (m.flex_stretch[f] || m.flex_bending[f] != FlexBending::None)) {
      m.flex_interp[f] == -1 ? writeFaces<1>(m, f, rest) : writeFaces<2>(m, f, rest);
      m.nflexcell += m.flex_cellcount[f];
    }
    m.flex_foldnum[f] = static_cast<int>(m.flexfold_stiffness.size()) - m.flex_foldadr[f];
  }
  m.nflexelastic = static_cast<int>(m.flex_elastic.size());
  m.nflexcelldata = static_cast<int>(m.flexcell_point.size());
  m.nflexcellstiff = static_cast<int>(m.flex_cellstiff.size());
  m.nflexcurv = static_cast<int>(m.flexcurv_hinge.size());
  m.nflexbend = static_cast<int>(m.flexbend_stiffness.size());
  m.nflexfold = static_cast<int>(m.flexfold_stiffness.size());
  m.nflexjoint = static_cast<int>(m.flexjoint_point.size()) / 9;
  m.nflexsection = static_cast<int>(m.flexsection_point.size()) / 5;
}

void reportLimitedFolds(const Draft& draft, const Model& m, const Data& d) {
  if (m.opt.integrator != Integrator::Euler && m.opt.integrator != Integrator::RK4) return;
  if (m.opt.disabled(disable::kSpring)) return;
  for (int f = 0; f < m.nflex; ++f) {
    const bool shell = m.flex_bending[f] == FlexBending::Shell;
    if ((m.flex_bending[f] != FlexBending::Dihedral && !shell) || m.flex_interp[f] != 0) continue;
    int count = 0;
    double least = 1;  // share of its stiffness that a fold keeps
    for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
      if (!(m.flexhinge_stiffness[h] > 0)) continue;
      // in shells flexhinge_stiffness is half of the largest stiffness
      const double share = mostFoldStiffness(m, d, f, h) / ((shell ? 2 : 1) * m.flexhinge_stiffness[h]);
      if (!(share < 1)) continue;
      ++count;
      least = std::min(least, share);
    }
    if (count == 0) continue;
    draft.warn(placeOf(draft.flexes[f])
                   .message(fmt::format(
                       "at a timestep of {:.4g} s {} of its {} folds bend more easily than the material says, down to "
                       "{:.3g} times its stiffness, because integrator=\"{}\" cannot take more; "
                       "integrator=\"implicitfast\" takes all of it, and so does a timestep up to {:.3g} s",
                       m.opt.timestep, count, m.flex_hingenum[f], least,
                       m.opt.integrator == Integrator::Euler ? "Euler" : "RK4", m.opt.timestep * std::sqrt(least))));
  }
}

}  // namespace sinew::draft
