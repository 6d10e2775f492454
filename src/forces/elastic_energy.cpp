#include <cmath>

#include "elastic/hinge.h"
#include "elastic/rod.h"
#include "elastic/spring.h"
#include "forces/elastic_constants.h"
#include "forces/elasticity.h"
#include "forces/plate_bending.h"
#include "forces/shell_elasticity.h"
#include "math/types.h"

namespace sinew {
namespace {

using elastic::Nodes;

template <int N>
Nodes<N> gather(const Data& d, const int* vertices, int point) {
  Nodes<N> x;
  for (int i = 0; i < N; ++i) x.col(i) = vec3(d.flexpoint_xpos.data(), point + vertices[i]);
  return x;
}

double edgeEnergy(const Model& m, const Data& d, int f) {
  double sum = 0;
  for (int e = m.flex_edgeadr[f]; e < m.flex_edgeadr[f] + m.flex_edgenum[f]; ++e) {
    if (m.flexedge_rigid[e] || m.flexedge_stiffness[e] == 0) continue;
    const elastic::EdgeSpring edge{m.flexedge_stiffness[e], m.flexedge_length0[e], 0};
    sum += edge.energy(gather<2>(d, &m.flex_edge[2 * e], m.flex_pointadr[f]));
  }
  return sum;
}

template <int Dim>
double elementEnergy(const Model& m, const Data& d, int f) {
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], Dim, m.flex_young[f], m.flex_poisson[f]);
  double sum = 0;
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const double* group = &m.flex_elastic[elasticGroup(m, f, e)];
    const int lane = e % kLanes;
    const Nodes<Dim + 1> x =
        gather<Dim + 1>(d, &m.flex_elem[m.flex_elemdataadr[f] + (Dim + 1) * e], m.flex_pointadr[f]);
    sum += usesSquaredLengths(m.flex_law[f]) ? elastic::loadStrain<Dim>(group, lane).energy(x)
                                             : loadContinuum<Dim>(law, group, lane).energy(x);
  }
  return sum;
}

double hingeEnergy(const Model& m, Data& d, int f) {
  if (m.flex_bending[f] == FlexBending::Shell) return plateEnergy(m, d, f);
  double sum = 0;
  for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
    const Nodes<4> x = gather<4>(d, &m.flexhinge_vert[4 * h], m.flex_pointadr[f]);
    if (m.flex_bending[f] == FlexBending::Dihedral) {
      sum += elastic::DihedralHinge{m.flexhinge_stiffness[h], m.flexhinge_angle0[h]}.energy(x);
    } else if (m.flex_bending[f] == FlexBending::Cotangent) {
      sum += loadCotangent(&m.flexhinge_cotangent[16 * h]).energy(x);
    }
  }
  return sum;
}

double bendEnergy(const Model& m, const Data& d, int f) {
  double sum = 0;
  for (int b = m.flex_bendadr[f]; b < m.flex_bendadr[f] + m.flex_bendnum[f]; ++b) {
    const elastic::RodBend bend{m.flexbend_stiffness[b], m.flexbend_angle0[b]};
    sum += bend.energy(gather<3>(d, &m.flexbend_vert[3 * b], m.flex_pointadr[f]));
  }
  return sum;
}

double sectionEnergy(const Model& m, const Data& d, int f) {
  constexpr int ns = elastic::Section::kPoints, nj = elastic::SectionJoint::kPoints;
  const int point = m.flex_pointadr[f];
  double sum = 0;
  for (int i = m.flex_sectionadr[f]; i < m.flex_sectionadr[f] + m.flex_sectionnum[f]; ++i) {
    sum += loadSection(m, i).energy(gather<ns>(d, &m.flexsection_point[ns * i], point));
  }
  for (int i = m.flex_jointadr[f]; i < m.flex_jointadr[f] + m.flex_jointnum[f]; ++i) {
    sum += loadJoint(m, i).energy(gather<nj>(d, &m.flexjoint_point[nj * i], point));
  }
  return sum;
}

template <int Order>
double cellEnergy(const Model& m, const Data& d, int f) {
  constexpr int n = elastic::kCellPoints<Order>;
  const Vec3 size = vec3(m.flex_cellsize.data(), f);
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]);
  double sum = 0;
  for (int c = 0; c < m.flex_cellcount[f]; ++c) {
    const Nodes<n> x = gather<n>(d, &m.flexcell_point[m.flex_celldataadr[f] + n * c], 0);
    sum += m.flex_law[f] == FlexLaw::Reference
               ? elastic::ReferenceCell<Order>{&m.flex_cellstiff[m.flex_cellstiffadr[f]], size}.energy(x)
               : elastic::CellElement<Order>{law, size}.energy(x);
  }
  return sum;
}

double tetrahedronEnergy(const Model& m, const Data& d, int f) {
  constexpr int n = elastic::QuadraticTetrahedron::kPoints;
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]);
  double sum = 0;
  for (int c = 0; c < m.flex_cellcount[f]; ++c) {
    const Nodes<n> x = gather<n>(d, &m.flexcell_point[m.flex_celldataadr[f] + n * c], 0);
    sum += loadTetrahedron(m, law, f, c).energy(x);
  }
  return sum;
}

double energyOf(const Model& m, Data& d, int f) {
  if (!isElastic(m, f)) return 0;
  if (m.flex_interp[f] < 0) return shellEnergy(m, d, f);
  if (m.flex_interp[f] != 0) {
    return m.flex_dof[f] == FlexDof::Quadratic ? cellEnergy<2>(m, d, f) : cellEnergy<1>(m, d, f);
  }
  double energy = edgeEnergy(m, d, f) + hingeEnergy(m, d, f) + bendEnergy(m, d, f) + sectionEnergy(m, d, f);
  if (isQuadratic(m, f)) {
    energy += tetrahedronEnergy(m, d, f);
  } else if (m.flex_elasticadr[f] >= 0) {
    energy += m.flex_dim[f] == 2 ? elementEnergy<2>(m, d, f) : elementEnergy<3>(m, d, f);
  }
  return energy;
}

}  // namespace

double elasticEnergy(const Model& m, Data& d) {
  double sum = 0;
  for (int f = 0; f < m.nflex; ++f) {
    d.flex_energy[f] = energyOf(m, d, f);
    sum += d.flex_energy[f];
  }
  return sum;
}

}  // namespace sinew
