#include "sensor/flex_measures.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "collision/contact_maker.h"
#include "constraint/constraint.h"
#include "forces/elastic_constants.h"
#include "forces/elasticity.h"
#include "forces/part_motion.h"
#include "forces/plate_bending.h"
#include "forces/stiff_metric.h"
#include "kinematics/flexes.h"
#include "kinematics/side.h"
#include "math/index.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/inputs.h"
#include "model/workspace.h"
#include "sinew/step.h"

namespace sinew {
namespace {

using elastic::Nodes;
using Tensor = Eigen::Matrix3d;

/// xx yy zz xy yz zx
void store(const Tensor& t, double* out) {
  MapVec6{out} << t(0, 0), t(1, 1), t(2, 2), 0.5 * (t(0, 1) + t(1, 0)), 0.5 * (t(1, 2) + t(2, 1)),
      0.5 * (t(2, 0) + t(0, 2));
}

/// Contact force on the second side, world axes.
Vec3 worldForce(const Model& m, const Data& d, int contact) {
  const std::array<double, 6> force = forceOfContact(m, d, contact);
  return ConstMapMat3(d.contact[contact].frame.data()).transpose() * ConstMapVec3(force.data());
}

/// Where a vertex is at qpos0.
Vec3 restOfVertex(const Model& m, int vertex) {
  const int adr = m.flexvert_supportadr[vertex];
  const int f = m.flexvert_flexid[vertex];
  if (adr < 0) return restOfPoint(m, m.flex_pointadr[f] + vertex - m.flex_vertadr[f]);
  Vec3 x = Vec3::Zero();
  for (int k = adr; k < adr + m.flexvert_supportnum[vertex]; ++k) {
    x += m.flexsupport_weight[k] * restOfPoint(m, m.flexsupport_pointid[k]);
  }
  return x;
}

/// Vertices of an element, over all flexes.
template <int Dim>
std::array<int, Dim + 1> verticesOf(const Model& m, int f, int elem) {
  std::array<int, Dim + 1> v;
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = m.flex_vertadr[f] + m.flex_elem[m.flex_elemdataadr[f] + (Dim + 1) * elem + static_cast<int>(i)];
  }
  return v;
}

template <int Dim>
Nodes<Dim + 1> positions(const Data& d, const std::array<int, Dim + 1>& vertices) {
  Nodes<Dim + 1> x;
  for (int i = 0; i <= Dim; ++i) x.col(i) = vec3(d.flexvert_xpos.data(), vertices[i]);
  return x;
}

/// With g_i the rest gradients of the shape functions (in the plane of a triangle, along a segment) F = sum x_i g_i'
/// maps what is across to zero, and so does P = sum X_i g_i', its value at rest: G = (F'F - P)/2.
template <int Dim>
Tensor greenStrain(const Nodes<Dim + 1>& rest, const Nodes<Dim + 1>& x) {
  Nodes<Dim + 1> g;
  if constexpr (Dim == 1) {
    const Vec3 along = rest.col(1) - rest.col(0);
    const double square = along.squaredNorm();
    if (!(square > 0)) return Tensor::Zero();
    g.col(1) = along / square;
    g.col(0) = -g.col(1);
  } else {
    g = elastic::restShape<Dim>(rest).gradient;
  }
  const Tensor F = (x.colwise() - x.col(0).eval()) * g.transpose();
  const Tensor P = (rest.colwise() - rest.col(0).eval()) * g.transpose();
  return 0.5 * (F.transpose() * F - P);
}

template <int Dim>
void strainsOf(const Model& m, Data& d, int f) {
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const std::array<int, Dim + 1> vertices = verticesOf<Dim>(m, f, e);
    Nodes<Dim + 1> rest;
    for (int i = 0; i <= Dim; ++i) rest.col(i) = restOfVertex(m, vertices[i]);
    store(greenStrain<Dim>(rest, positions<Dim>(d, vertices)), &d.flexelem_strain[6 * (m.flex_elemadr[f] + e)]);
  }
}

/// Deformation gradient of an interpolated volume at the middle of an element: with A = sum_n x_n dN_n/ds there (s the
/// unit coordinates of the cell), F = A inv(A at rest).
template <int Order>
Tensor gradientAt(const Model& m, const Data& d, int f, int elem) {
  const int corners = m.flex_dim[f] + 1;
  Vec3 unit = Vec3::Zero();
  for (int i = 0; i < corners; ++i) {
    unit += vec3(m.flex_vert0.data(), m.flex_vertadr[f] + m.flex_elem[m.flex_elemdataadr[f] + corners * elem + i]);
  }
  unit /= corners;
  std::array<int, 3> first{};
  Vec3 s;
  for (int k = 0; k < 3; ++k) {
    const int n = m.flex_cellnum[3 * f + k];
    const int cell = floorWithin(unit[k] * n, n - 1);
    first[k] = Order * cell;
    s[k] = std::clamp(unit[k] * n - cell, 0.0, 1.0);
  }
  const int ny = m.flex_cellnum[3 * f + 1] * Order + 1, nz = m.flex_cellnum[3 * f + 2] * Order + 1;
  const elastic::CellNodes<Order> gradient = elastic::cellGradient<Order>(s);
  Tensor now = Tensor::Zero(), rest = Tensor::Zero();
  for (int n = 0; n < elastic::kCellPoints<Order>; ++n) {
    const int i = first[0] + n / ((Order + 1) * (Order + 1)), j = first[1] + n / (Order + 1) % (Order + 1);
    const int point = m.flex_pointadr[f] + (i * ny + j) * nz + first[2] + n % (Order + 1);
    now += vec3(d.flexpoint_xpos.data(), point) * gradient.col(n).transpose();
    rest += restOfPoint(m, point) * gradient.col(n).transpose();
  }
  return now * rest.inverse();
}

Tensor gradientAt(const Model& m, const Data& d, int f, int elem) {
  return m.flex_interp[f] == 1 ? gradientAt<1>(m, d, f, elem) : gradientAt<2>(m, d, f, elem);
}

/// Size that an element has now: volume, area, length.
template <int Dim>
double sizeOf(const Nodes<Dim + 1>& x) {
  const Vec3 a = x.col(1) - x.col(0);
  if constexpr (Dim == 1) {
    return a.norm();
  } else {
    const Vec3 n = a.cross(x.col(2) - x.col(0));
    if constexpr (Dim == 2) {
      return 0.5 * n.norm();
    } else {
      return std::abs(n.dot(x.col(3) - x.col(0))) / 6;
    }
  }
}

/// The stress that exerts the forces f on the points of an element: in one with linear shape functions f_i = -V S
/// grad N_i, hence S = -1/V sum f_i x_i'. It is symmetric because the forces have no torque.
template <int N>
Tensor stressOf(const Nodes<N>& force, const Nodes<N>& x, double volume) {
  if (!(volume > 0)) return Tensor::Zero();
  return -(force * (x.colwise() - x.col(0).eval()).transpose()) / volume;
}

/// Triangles or tetrahedra with a law of elasticity.
template <int Dim>
void stressesOf(const Model& m, Data& d, int f) {
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], Dim, m.flex_young[f], m.flex_poisson[f]);
  const double thickness = Dim == 2 ? m.flex_thickness[f] : 1;
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const Nodes<Dim + 1> x = positions<Dim>(d, verticesOf<Dim>(m, f, e));
    const double* group = &m.flex_elastic[elasticGroup(m, f, e)];
    const int lane = e % kLanes;
    const Nodes<Dim + 1> force = usesSquaredLengths(m.flex_law[f]) ? elastic::loadStrain<Dim>(group, lane).force(x)
                                                                   : loadContinuum<Dim>(law, group, lane).force(x);
    const int elem = m.flex_elemadr[f] + e;
    if constexpr (Dim == 2) store(stressOf<Dim + 1>(force, x, sizeOf<Dim>(x)), &d.flexelem_membrane[6 * elem]);
    store(stressOf<Dim + 1>(force, x, thickness * sizeOf<Dim>(x)), &d.flexelem_stress[6 * elem]);
  }
}

/// Segments: tension of the spring and of the length rows, over the section.
void tensionsOf(const Model& m, Data& d, int f, std::span<const double> rowTension) {
  const double section = std::numbers::pi * m.flex_radius[f] * m.flex_radius[f];
  const bool springs = !m.opt.disabled(disable::kSpring);
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const Nodes<2> x = positions<1>(d, verticesOf<1>(m, f, e));
    const int edge = m.flex_edgeadr[f] + m.flex_elemedge[m.flex_elemedgeadr[f] + e];
    const Vec3 along = x.col(1) - x.col(0);
    const double length = along.norm();
    double* out = &d.flexelem_stress[6 * (m.flex_elemadr[f] + e)];
    if (!(length > elastic::kMinLength)) continue;
    double tension = rowTension[edge];
    if (springs) tension += m.flexedge_stiffness[edge] * (length - m.flexedge_length0[edge]);
    store(tension / (section * length * length) * along * along.transpose(), out);
  }
}

/// Interpolated volumes: the law at the deformation gradient. That of the reference is linear in axes that turn with
/// the cell and has half the shear modulus: the corotational law with that modulus.
void cellStressesOf(const Model& m, Data& d, int f) {
  elastic::Law law = elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]);
  if (m.flex_law[f] == FlexLaw::Reference) {
    const elastic::Lame solid = elastic::lame(m.flex_young[f], m.flex_poisson[f]);
    law = {FlexLaw::Corotational, {0.5 * solid.mu, solid.lambda}};
  }
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const elastic::Gradient<3> F = gradientAt(m, d, f, e);
    const double J = std::abs(F.determinant());
    if (!(J > 0)) continue;
    store(elastic::stress<3>(law, F) * F.transpose() / J, &d.flexelem_stress[6 * (m.flex_elemadr[f] + e)]);
  }
}

/// Number of flex points that ride on each body.
std::span<const int> pointsOnBodies(const Model& m, Arena& arena) {
  const std::span<int> count = arena.zeros<int>(m.nbody);
  for (int p = 0; p < m.nflexpoint; ++p) {
    if (m.flexpoint_nodeid[p] < 0) ++count[m.flexpoint_bodyid[p]];
  }
  return count;
}

/// f(point, share) for the points of a flex that one side of a contact rests on.
template <class F>
void forEachTouchedPoint(const Model& m, const Data& d, const Contact& contact, std::size_t side, F&& f) {
  const TouchedVertices touched = touchedVertices(m, d, contact, side);
  for (std::size_t i = 0; i < static_cast<std::size_t>(touched.count); ++i) {
    const int vertex = touched.vertex[i], adr = m.flexvert_supportadr[vertex], flex = m.flexvert_flexid[vertex];
    if (adr < 0) {
      f(m.flex_pointadr[flex] + vertex - m.flex_vertadr[flex], touched.weight[i]);
      continue;
    }
    for (int k = adr; k < adr + m.flexvert_supportnum[vertex]; ++k) {
      f(m.flexsupport_pointid[k], touched.weight[i] * m.flexsupport_weight[k]);
    }
  }
}

/// Acceleration of a point without the part that comes from the velocities: J qacc.
Vec3 accelerationOfPoint(const Model& m, const Data& d, int point) {
  Vec3 a = Vec3::Zero();
  forEachDof(m, d, Carrier::ofPoint(m, point), vec3(d.flexpoint_xpos.data(), point),
             [&](int dof, const Vec3& linear, const Vec3&) { a += d.qacc[dof] * linear; });
  return a;
}

/// What an implicit step adds to the elastic forces on points: -K (h v + h^2 a) - h D a, or as forces/stiff_metric.h
/// has it for what turns and for other integrators.
void addImplicitPointForces(const Model& m, Data& d, double* force) {
  if (!stiffnessIsImplicit(m)) return;
  const StepWeights weights = stepWeights(m.opt.integrator);
  const double h = m.opt.timestep, ofK = weights.stiffness * h * h, ofD = weights.damping * h;
  addForcesAhead(m, d, force);
  const Arena::Scope scope(d.work->arena);
  const std::span<double> a = d.work->arena.take<double>(3 * m.nflexpoint);
  for (int p = 0; p < m.nflexpoint; ++p) vec3(a.data(), p) = accelerationOfPoint(m, d, p);
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffpart[f] < 0 || flexAsleep(m, d, f)) continue;
    visitStiffness(m, d, f, [&](std::span<const int> points, const double* K, const double* D) {
      const int n = static_cast<int>(points.size());
      if (isRigid(m, points.data(), n)) return;
      for (int i = 0; i < n; ++i) {
        Vec3 change = Vec3::Zero();
        for (int j = 0; j < n; ++j) {
          const Vec3 own = vec3(a.data(), points[j]);
          for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
              const int entry = (3 * i + r) * 3 * n + 3 * j + c;
              change[r] += (ofK * K[entry] + (D ? ofD * D[entry] : 0)) * own[c];
            }
          }
        }
        vec3(force, points[i]) -= change;
      }
    });
  }
}

}  // namespace

void flexVertexForces(const Model& m, Data& d) {
  std::fill(d.flexvert_force.begin(), d.flexvert_force.end(), 0.0);
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& contact = d.contact[i];
    if (contact.efc_address < 0 || (contact.flex[0] < 0 && contact.flex[1] < 0)) continue;
    const Vec3 force = worldForce(m, d, i);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const TouchedVertices touched = touchedVertices(m, d, contact, side);
      for (std::size_t k = 0; k < static_cast<std::size_t>(touched.count); ++k) {
        vec3(d.flexvert_force.data(), touched.vertex[k]) += (side == 0 ? -1 : 1) * touched.weight[k] * force;
      }
    }
  }
}

void addFlexPointForces(const Model& m, Data& d, double* force) {
  const Status status = d.status;  // inside-out elements have been counted by the step
  addElasticPointForces(m, d, force, force);
  d.status = status;
  addImplicitPointForces(m, d, force);
  addRowForces(m, d, force);
}

void flexReactions(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> force = d.work->arena.zeros<double>(3 * m.nflexpoint);
  addFlexPointForces(m, d, force.data());
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    const Vec3 push = worldForce(m, d, i);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      forEachTouchedPoint(m, d, contact, side, [&](int point, double share) {
        vec3(force.data(), point) += (side == 0 ? -1 : 1) * share * push;
      });
    }
  }
  const std::span<const int> onBody = pointsOnBodies(m, d.work->arena);
  for (int p = 0; p < m.nflexpoint; ++p) {
    MapVec3 reaction = vec3(d.flexpoint_reaction.data(), p);
    reaction.setZero();
    const int node = m.flexpoint_nodeid[p];
    if (node < 0) {
      const int riders = onBody[m.flexpoint_bodyid[p]];
      if (!hasOwnSlides(m, p, riders)) reaction = -vec3(force.data(), p);
      continue;
    }
    if (m.flexnode_pinned[node]) {
      reaction = -vec3(force.data(), p) - usableForce(&d.qfrc_applied[m.nv_rigid + 3 * node]);
    }
    vec3(d.flexnode_reaction.data(), node) = reaction;
  }
}

void flexStrains(const Model& m, Data& d) {
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_interp[f] > 0) {
      for (int e = 0; e < m.flex_elemnum[f]; ++e) {
        const Tensor F = gradientAt(m, d, f, e);
        store(0.5 * (F.transpose() * F - Tensor::Identity()), &d.flexelem_strain[6 * (m.flex_elemadr[f] + e)]);
      }
      continue;
    }
    if (m.flex_dim[f] == 1) strainsOf<1>(m, d, f);
    if (m.flex_dim[f] == 2) strainsOf<2>(m, d, f);
    if (m.flex_dim[f] == 3) strainsOf<3>(m, d, f);
  }
}

void flexStresses(const Model& m, Data& d) {
  std::fill(d.flexelem_stress.begin(), d.flexelem_stress.end(), 0.0);
  std::fill(d.flexelem_membrane.begin(), d.flexelem_membrane.end(), 0.0);
  const Arena::Scope scope(d.work->arena);
  const std::span<double> rowTension = d.work->arena.zeros<double>(m.nflexedge);
  for (const RowBlock& block : d.row_block) {
    if (block.row >= d.ne) break;
    // a row pushes apart by its force
    if (m.eq_type[d.efc_id[block.row]] == EqualityType::Flex) {
      rowTension[block.part] -= d.efc_force[block.row];
    }
  }
  const bool springs = !m.opt.disabled(disable::kSpring);
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_rigid[f]) continue;
    if (m.flex_interp[f] > 0 && m.flex_cellcount[f] > 0 && springs) cellStressesOf(m, d, f);
    if (m.flex_interp[f] != 0) continue;
    if (m.flex_dim[f] == 1) tensionsOf(m, d, f, rowTension);
    if (m.flex_elasticadr[f] >= 0 && springs) m.flex_dim[f] == 2 ? stressesOf<2>(m, d, f) : stressesOf<3>(m, d, f);
  }
}

void flexMoments(const Model& m, Data& d) {
  std::fill(d.flexelem_moment.begin(), d.flexelem_moment.end(), 0.0);
  if (m.opt.disabled(disable::kSpring)) return;
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_bending[f] == FlexBending::Shell && !m.flex_rigid[f]) plateMoments(m, d, f);
  }
}

void flexKinetic(const Model& m, Data& d) {
  std::fill(d.flex_kinetic.begin(), d.flex_kinetic.end(), 0.0);
  const Arena::Scope scope(d.work->arena);
  const std::span<const int> onBody = pointsOnBodies(m, d.work->arena);
  for (int p = 0; p < m.nflexpoint; ++p) {
    const Vec3 v = vec3(d.flexpoint_xvel.data(), p);
    const int node = m.flexpoint_nodeid[p], body = m.flexpoint_bodyid[p];
    double mass = 0;
    if (node >= 0) {
      if (!m.flexnode_pinned[node]) mass = m.dof_M0[m.nv_rigid + 3 * node];
    } else if (hasOwnSlides(m, p, onBody[body])) {
      mass = m.body_mass[body];
    }
    d.flex_kinetic[m.flexpoint_flexid[p]] += 0.5 * mass * v.squaredNorm();
  }
}

void flexEnergies(const Model& m, Data& d) {
  if (m.opt.disabled(disable::kSpring)) {
    std::fill(d.flex_energy.begin(), d.flex_energy.end(), 0.0);
  } else {
    elasticEnergy(m, d);
  }
}

void measureFlexes(const Model& m, Data& d) {
  if (d.signature != m.signature) return d.status.note(Trouble::OtherModel, -1, d.time);
  if (m.nflex == 0) return;
  flexVertexForces(m, d);
  flexReactions(m, d);
  flexStrains(m, d);
  flexStresses(m, d);
  flexMoments(m, d);
  flexKinetic(m, d);
  flexEnergies(m, d);
  d.work->arena.settle();
}

}  // namespace sinew
