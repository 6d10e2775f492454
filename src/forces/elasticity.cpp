#include "forces/elasticity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "elastic/hinge.h"
#include "elastic/rod.h"
#include "elastic/section.h"
#include "elastic/spring.h"
#include "forces/elastic_constants.h"
#include "forces/plate_bending.h"
#include "forces/shell_elasticity.h"
#include "kinematics/flexes.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

using elastic::Nodes;

/// What is asked for, and where it goes: three numbers per point.
struct Sums {
  bool springs, dampers;
  bool limited;  ///< explicit integration: folds are no stiffer than the step allows
  double* spring;
  double* damper;
};

template <int N>
Nodes<N> gather(const double* array, const int* vertices, int point) {
  Nodes<N> x;
  for (int i = 0; i < N; ++i) x.col(i) = vec3(array, point + vertices[i]);
  return x;
}

template <int N>
void scatter(const Nodes<N>& force, const int* vertices, int point, double* array) {
  for (int i = 0; i < N; ++i) vec3(array, point + vertices[i]) += force.col(i);
}

void addEdges(const Model& m, const Data& d, int f, const Sums& out) {
  const int point = m.flex_pointadr[f];
  for (int e = m.flex_edgeadr[f]; e < m.flex_edgeadr[f] + m.flex_edgenum[f]; ++e) {
    if (m.flexedge_rigid[e]) continue;
    const elastic::EdgeSpring edge{m.flexedge_stiffness[e], m.flexedge_length0[e], m.flexedge_damping[e]};
    const int* vertices = &m.flex_edge[2 * e];
    const Nodes<2> x = gather<2>(d.flexpoint_xpos.data(), vertices, point);
    if (out.springs && edge.k != 0) scatter<2>(edge.force(x), vertices, point, out.spring);
    if (out.dampers && edge.c != 0) {
      const Nodes<2> v = gather<2>(d.flexpoint_xvel.data(), vertices, point);
      scatter<2>(edge.damperForce(x, v), vertices, point, out.damper);
    }
  }
}

/// Vertices of element `elem`; past the last one, those of the last one.
template <int Dim>
const int* corners(const Model& m, int f, int elem) {
  return &m.flex_elem[m.flex_elemdataadr[f] + (Dim + 1) * std::min(elem, m.flex_elemnum[f] - 1)];
}

template <int Dim>
void gatherWide(const Model& m, int f, int elem, const double* array, elastic::WidePoints<Dim>& x) {
  const int point = m.flex_pointadr[f];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int* vertices = corners<Dim>(m, f, elem + lane);
    for (int i = 0; i <= Dim; ++i) {
      const double* from = array + 3 * (point + vertices[i]);
      for (int k = 0; k < 3; ++k) x[i][k][lane] = from[k];
    }
  }
}

template <int Dim>
void scatterWide(const Model& m, int f, int elem, const elastic::WidePoints<Dim>& force, double* array) {
  const int point = m.flex_pointadr[f];
  const int lanes = std::min(kLanes, m.flex_elemnum[f] - elem);
  for (int lane = 0; lane < lanes; ++lane) {
    const int* vertices = corners<Dim>(m, f, elem + lane);
    for (int i = 0; i <= Dim; ++i) {
      double* to = array + 3 * (point + vertices[i]);
      for (int k = 0; k < 3; ++k) to[k] += force[i][k][lane];
    }
  }
}

/// Triangles or tetrahedra in squared edge lengths, four at a time.
template <int Dim>
void addStrainElements(const Model& m, Data& d, int f, const Sums& out) {
  const bool reference = m.flex_law[f] == FlexLaw::Reference;
  elastic::StrainTerms terms;
  terms.springs = out.springs;
  terms.dampingTime = out.dampers ? m.flex_damping[f] : 0;
  terms.h = reference ? m.opt.timestep : 0;
  elastic::WidePoints<Dim> x, v = {}, force, damper;
  const bool apart = terms.dampingTime > 0 && !reference;
  for (int e = 0; e < m.flex_elemnum[f]; e += kLanes) {
    gatherWide<Dim>(m, f, e, d.flexpoint_xpos.data(), x);
    if (terms.dampingTime > 0) gatherWide<Dim>(m, f, e, d.flexpoint_xvel.data(), v);
    const int inverted = elastic::strainForces<Dim>(&m.flex_elastic[elasticGroup(m, f, e)], terms, x, v, force,
                                                    apart ? &damper : nullptr);
    scatterWide<Dim>(m, f, e, force, out.spring);
    if (apart) scatterWide<Dim>(m, f, e, damper, out.damper);
    for (int lane = 0; inverted >> lane; ++lane) {
      if (inverted >> lane & 1) d.status.note(Trouble::Inverted, m.flex_elemadr[f] + e + lane, d.time);
    }
  }
}

/// Triangles or tetrahedra under a law of the deformation gradient.
template <int Dim>
void addContinuumElements(const Model& m, Data& d, int f, const Sums& out) {
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], Dim, m.flex_young[f], m.flex_poisson[f]);
  const int point = m.flex_pointadr[f];
  const double time = m.flex_damping[f];
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const elastic::ContinuumElement<Dim> element =
        loadContinuum<Dim>(law, &m.flex_elastic[elasticGroup(m, f, e)], e % kLanes);
    const int* vertices = corners<Dim>(m, f, e);
    const Nodes<Dim + 1> x = gather<Dim + 1>(d.flexpoint_xpos.data(), vertices, point);
    if (out.springs) scatter<Dim + 1>(element.force(x), vertices, point, out.spring);
    if (out.dampers && time > 0) {
      const Nodes<Dim + 1> v = gather<Dim + 1>(d.flexpoint_xvel.data(), vertices, point);
      scatter<Dim + 1>(element.damperForce(x, v, time), vertices, point, out.damper);
    }
    if constexpr (Dim == 3) {
      if (element.deformation(x).determinant() < 0) d.status.note(Trouble::Inverted, m.flex_elemadr[f] + e, d.time);
    }
  }
}

/// 1 / mass against which a point moves: that of its node, or the body's effective one.
double inverseMass(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  return node >= 0 ? m.flexnode_invmass[node] : m.body_invweight0[2 * m.flexpoint_bodyid[point]];
}

Eigen::Vector4d inverseMasses(const Model& m, int f, int h) {
  Eigen::Vector4d invmass;
  for (int i = 0; i < 4; ++i) invmass[i] = inverseMass(m, m.flex_pointadr[f] + m.flexhinge_vert[4 * h + i]);
  return invmass;
}

void addDihedralHinges(const Model& m, Data& d, int f, const Sums& out) {
  const int point = m.flex_pointadr[f];
  for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
    const int* vertices = &m.flexhinge_vert[4 * h];
    const elastic::Fold fold = elastic::foldOf(gather<4>(d.flexpoint_xpos.data(), vertices, point));
    d.flexhinge_angle[h] = fold.angle;
    if (!fold.valid) continue;
    double k = m.flexhinge_stiffness[h];
    double b = m.flex_damping[f] * k;
    if (out.limited) {
      const Eigen::Vector4d invmass = inverseMasses(m, f, h);
      k = std::min(k, elastic::stiffnessLimit(fold, invmass, m.opt.timestep));
      b = std::min(b, elastic::dampingLimit(fold, invmass, m.opt.timestep));
    }
    if (out.springs) {
      const double torque = -k * (fold.angle - m.flexhinge_angle0[h]);
      scatter<4>(torque * fold.gradient, vertices, point, out.spring);
    }
    if (out.dampers && b > 0) {
      const double rate = fold.gradient.cwiseProduct(gather<4>(d.flexpoint_xvel.data(), vertices, point)).sum();
      scatter<4>(-b * rate * fold.gradient, vertices, point, out.damper);
    }
  }
}

void addCotangentHinges(const Model& m, const Data& d, int f, const Sums& out) {
  const int point = m.flex_pointadr[f];
  const double time = m.flex_damping[f];
  for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
    const int* vertices = &m.flexhinge_vert[4 * h];
    const elastic::CotangentHinge hinge = loadCotangent(&m.flexhinge_cotangent[16 * h]);
    const Nodes<4> x = gather<4>(d.flexpoint_xpos.data(), vertices, point);
    if (out.springs) scatter<4>(hinge.force(x), vertices, point, out.spring);
    if (!out.dampers || time == 0) continue;
    const Nodes<4> v = gather<4>(d.flexpoint_xvel.data(), vertices, point);
    if (m.flex_law[f] == FlexLaw::Reference) {
      scatter<4>(hinge.referenceDamperForce(v, time, std::cos(m.flexhinge_angle0[h])), vertices, point, out.damper);
    } else {
      scatter<4>(elastic::DihedralHinge::damperForce(x, v, time * m.flexhinge_stiffness[h]), vertices, point,
                 out.damper);
    }
  }
}

void addBends(const Model& m, const Data& d, int f, const Sums& out) {
  const int point = m.flex_pointadr[f];
  for (int b = m.flex_bendadr[f]; b < m.flex_bendadr[f] + m.flex_bendnum[f]; ++b) {
    const int* vertices = &m.flexbend_vert[3 * b];
    const elastic::RodBend bend{m.flexbend_stiffness[b], m.flexbend_angle0[b]};
    const Nodes<3> x = gather<3>(d.flexpoint_xpos.data(), vertices, point);
    if (out.springs) scatter<3>(bend.force(x), vertices, point, out.spring);
    if (out.dampers && m.flex_damping[f] > 0) {
      const Nodes<3> v = gather<3>(d.flexpoint_xvel.data(), vertices, point);
      scatter<3>(elastic::RodBend::damperForce(x, v, m.flex_damping[f] * bend.k), vertices, point, out.damper);
    }
  }
}

void addSections(const Model& m, const Data& d, int f, const Sums& out) {
  constexpr int n = elastic::Section::kPoints;
  const int point = m.flex_pointadr[f];
  for (int i = m.flex_sectionadr[f]; i < m.flex_sectionadr[f] + m.flex_sectionnum[f]; ++i) {
    const int* points = &m.flexsection_point[n * i];
    const elastic::Section section = loadSection(m, i);
    const Nodes<n> x = gather<n>(d.flexpoint_xpos.data(), points, point);
    if (out.springs) scatter<n>(section.force(x), points, point, out.spring);
    if (out.dampers && m.flex_damping[f] > 0) {
      const Nodes<n> v = gather<n>(d.flexpoint_xvel.data(), points, point);
      scatter<n>(section.damperForce(x, v, m.flex_damping[f]), points, point, out.damper);
    }
  }
}

void addJoints(const Model& m, Data& d, int f, const Sums& out) {
  constexpr int n = elastic::SectionJoint::kPoints;
  const int point = m.flex_pointadr[f];
  for (int i = m.flex_jointadr[f]; i < m.flex_jointadr[f] + m.flex_jointnum[f]; ++i) {
    const int* points = &m.flexjoint_point[n * i];
    const elastic::SectionJoint joint = loadJoint(m, i);
    const Nodes<n> x = gather<n>(d.flexpoint_xpos.data(), points, point);
    vec3(d.flexjoint_turn.data(), i) = elastic::SectionJoint::turn(x) - joint.relaxed;
    if (out.springs) scatter<n>(joint.force(x), points, point, out.spring);
    if (out.dampers && m.flex_damping[f] > 0) {
      const Nodes<n> v = gather<n>(d.flexpoint_xvel.data(), points, point);
      scatter<n>(joint.damperForce(x, v, m.flex_damping[f]), points, point, out.damper);
    }
  }
}

void addTetrahedra(const Model& m, Data& d, int f, const Sums& out) {
  constexpr int n = elastic::QuadraticTetrahedron::kPoints;
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]);
  const double time = out.dampers ? m.flex_damping[f] : 0;
  for (int c = 0; c < m.flex_cellcount[f]; ++c) {
    const int* points = &m.flexcell_point[m.flex_celldataadr[f] + n * c];
    const elastic::QuadraticTetrahedron element = loadTetrahedron(m, law, f, c);
    const Nodes<n> x = gather<n>(d.flexpoint_xpos.data(), points, 0);
    if (element.leastVolume(x) < 0) {
      const int pieces = m.flex_elemnum[f] / m.flex_cellcount[f];
      d.status.note(Trouble::Inverted, m.flex_elemadr[f] + pieces * c, d.time);
    }
    if (out.springs) scatter<n>(element.force(x), points, 0, out.spring);
    if (time == 0) continue;
    scatter<n>(element.damperForce(x, gather<n>(d.flexpoint_xvel.data(), points, 0), time), points, 0, out.damper);
  }
}

template <int Order>
void addCells(const Model& m, Data& d, int f, const Sums& out) {
  constexpr int n = elastic::kCellPoints<Order>;
  const Vec3 size = vec3(m.flex_cellsize.data(), f);
  const double time = out.dampers ? m.flex_damping[f] : 0;
  const auto addAll = [&](const auto& cell) {
    for (int c = 0; c < m.flex_cellcount[f]; ++c) {
      const int* points = &m.flexcell_point[m.flex_celldataadr[f] + n * c];
      const Nodes<n> x = gather<n>(d.flexpoint_xpos.data(), points, 0);
      if (elastic::leastVolume<Order>(x, size) < 0) {
        d.status.note(Trouble::Inverted, m.nflexelem + m.flex_celladr[f] + c, d.time);
      }
      if (out.springs) scatter<n>(cell.force(x), points, 0, out.spring);
      if (time == 0) continue;
      scatter<n>(cell.damperForce(x, gather<n>(d.flexpoint_xvel.data(), points, 0), time), points, 0, out.damper);
    }
  };
  if (m.flex_law[f] == FlexLaw::Reference) {
    addAll(elastic::ReferenceCell<Order>{&m.flex_cellstiff[m.flex_cellstiffadr[f]], size});
  } else {
    addAll(elastic::CellElement<Order>{elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]), size});
  }
}

void addFlex(const Model& m, Data& d, int f, const Sums& out) {
  if (m.flex_interp[f] < 0) {
    return addShellForces(m, d, f, out.springs ? out.spring : nullptr, out.dampers ? out.damper : nullptr);
  }
  if (m.flex_interp[f] != 0) {
    if (m.flex_cellcount[f] == 0) return;
    m.flex_dof[f] == FlexDof::Quadratic ? addCells<2>(m, d, f, out) : addCells<1>(m, d, f, out);
    return;
  }
  if (hasEdgeSprings(m, f)) addEdges(m, d, f, out);
  if (isQuadratic(m, f)) addTetrahedra(m, d, f, out);
  if (m.flex_elasticadr[f] >= 0 && !isQuadratic(m, f)) {
    const bool strain = usesSquaredLengths(m.flex_law[f]);
    if (m.flex_dim[f] == 2) {
      strain ? addStrainElements<2>(m, d, f, out) : addContinuumElements<2>(m, d, f, out);
    } else {
      strain ? addStrainElements<3>(m, d, f, out) : addContinuumElements<3>(m, d, f, out);
    }
  }
  if (m.flex_bending[f] == FlexBending::Dihedral) addDihedralHinges(m, d, f, out);
  if (m.flex_bending[f] == FlexBending::Cotangent) addCotangentHinges(m, d, f, out);
  if (m.flex_bending[f] == FlexBending::Shell) {
    addPlateForces(m, d, f, out.limited, out.springs ? out.spring : nullptr, out.dampers ? out.damper : nullptr);
  }
  addBends(m, d, f, out);
  addSections(m, d, f, out);
  addJoints(m, d, f, out);
}

void passOn(const Model& m, const Data& d, const double* force, double* qfrc) {
  for (int f = 0; f < m.nflex; ++f) {
    if (flexAsleep(m, d, f)) continue;
    const int end = m.flex_pointadr[f] + m.flex_pointnum[f];
    for (int p = m.flex_pointadr[f]; p < end; ++p) addPointForce(m, d, p, vec3(force, p), qfrc);
  }
}

}  // namespace

void addElasticPointForces(const Model& m, Data& d, double* spring, double* damper) {
  const bool isExplicit = m.opt.integrator == Integrator::Euler || m.opt.integrator == Integrator::RK4;
  const Sums out{!m.opt.disabled(disable::kSpring), !m.opt.disabled(disable::kDamper), isExplicit, spring, damper};
  for (int f = 0; f < m.nflex; ++f) {
    if (isElastic(m, f) && !flexAsleep(m, d, f)) addFlex(m, d, f, out);
  }
}

double mostFoldStiffness(const Model& m, const Data& d, int f, int h) {
  const elastic::Fold fold =
      elastic::foldOf(gather<4>(d.flexpoint_xpos.data(), &m.flexhinge_vert[4 * h], m.flex_pointadr[f]));
  if (!fold.valid) return std::numeric_limits<double>::infinity();
  return elastic::stiffnessLimit(fold, inverseMasses(m, f, h), m.opt.timestep);
}

void addElasticForces(const Model& m, Data& d) {
  bool any = false;
  for (int f = 0; f < m.nflex; ++f) any = any || (isElastic(m, f) && !flexAsleep(m, d, f));
  if (!any) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> spring = d.work->arena.zeros<double>(3 * m.nflexpoint);
  const std::span<double> damper = d.work->arena.zeros<double>(3 * m.nflexpoint);
  addElasticPointForces(m, d, spring.data(), damper.data());
  passOn(m, d, spring.data(), d.qfrc_spring.data());
  passOn(m, d, damper.data(), d.qfrc_damper.data());
}

}  // namespace sinew
