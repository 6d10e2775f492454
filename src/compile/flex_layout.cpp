#include <algorithm>
#include <cmath>
#include <numbers>

#include "compile/flex_interpolation.h"
#include "compile/flex_mass.h"
#include "compile/flexes.h"
#include "compile/rows.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"

/// Writes flexes into the Model.
namespace sinew::draft {
namespace {

constexpr double kPinnedMass = 1e20;

/// Where a point of a flex is kept in the state.
enum class Carrier { FreeNode, PinnedNode, Body };

/// A point fixed to a body that never moves is a node too, with coordinates that never change. A rigid flex has no
/// nodes at all: it is part of its body.
Carrier carrierOf(const Draft& draft, const Flex& flex, const FlexPoint& point) {
  if (point.free) return Carrier::FreeNode;
  return !flex.rigid && isStatic(draft, point.body) ? Carrier::PinnedNode : Carrier::Body;
}

/// Next free row of each array.
struct Cursor {
  int node = 0, point = 0, vertex = 0, support = 0, edge = 0, element = 0, elementData = 0, elementEdge = 0;
  int hinge = 0, shellData = 0, pair = 0;
};

void writeParameters(const Flex& flex, int id, Model& m) {
  const spec::FlexBase& spec = *flex.spec;
  const FlexParameters& p = flex.parameters;
  m.flex_dim[id] = flex.dim;
  m.flex_dof[id] = flex.dof;
  m.flex_interp[id] = flex.interpolation();
  m.flex_rigid[id] = flex.rigid;
  m.flex_place[id] = flex.place;
  m.flex_group[id] = spec.group;
  putRow(m.flex_cellnum, id, flex.cells);
  m.flex_radius[id] = spec.radius;
  putRow(m.flex_rgba, id, spec.rgba);
  m.flex_contype[id] = spec.contact.contype;
  m.flex_conaffinity[id] = spec.contact.conaffinity;
  m.flex_condim[id] = p.condim;
  m.flex_priority[id] = spec.contact.priority;
  m.flex_solmix[id] = spec.contact.solmix;
  putRow(m.flex_solref, id, p.solref);
  putRow(m.flex_solimp, id, p.solimp);
  putRow(m.flex_friction, id, p.friction);
  m.flex_margin[id] = p.margin;
  m.flex_gap[id] = spec.contact.gap;
  m.flex_restitution[id] = p.restitution;
  m.flex_internal[id] = spec.contact.internal;
  m.flex_selfcollide[id] = p.selfcollide;
  m.flex_activelayers[id] = spec.contact.activelayers;
  m.flex_passive[id] = spec.contact.passive;
  m.flex_law[id] = p.law;
  m.flex_stretch[id] = p.stretch;
  m.flex_bending[id] = p.bending;
  m.flex_young[id] = p.young;
  m.flex_poisson[id] = p.poisson;
  m.flex_thickness[id] = p.thickness;
  m.flex_damping[id] = p.damping;
  m.flex_edgestiffness[id] = spec.edge.stiffness;
  m.flex_edgedamping[id] = spec.edge.damping;
}

/// The three dofs of a node, with what the joints of its default class say.
void writeNodeDofs(const Flex& flex, int node, bool pinned, int& tree, Model& m) {
  static const spec::Joint kPlain;
  const bool plain =
      !flex.generated || flex.point(m.flexnode_pointid[node] - m.flex_pointadr[m.flexnode_flexid[node]]).section;
  const spec::Joint& joint = plain ? kPlain : flex.generated->joint;
  const int first = m.nv_rigid + 3 * node;
  if (!pinned) {
    m.tree_dofadr[tree] = first;
    m.tree_dofnum[tree] = 3;
    m.tree_bodyadr[tree] = -1;
  }
  for (int i = first; i < first + 3; ++i) {
    m.dof_bodyid[i] = 0;
    m.dof_jntid[i] = -1;
    m.dof_parentid[i] = -1;
    m.dof_treeid[i] = pinned ? -1 : tree;
    putRow(m.dof_solref, i, joint.solreffriction);
    putRow(m.dof_solimp, i, joint.solimpfriction);
    m.dof_length[i] = 1;
    if (pinned) continue;
    m.dof_frictionloss[i] = joint.frictionloss;
    m.dof_armature[i] = joint.armature;
    putPolynomial(m.dof_damping, m.dof_dampingpoly, i, joint.damping);
  }
  if (!pinned) ++tree;
}

void writePoint(const Draft& draft, const Flex& flex, int id, const FlexPoint& point, int& tree, Cursor& at, Model& m) {
  const Carrier carrier = carrierOf(draft, flex, point);
  m.flexpoint_flexid[at.point] = id;
  m.flexpoint_nodeid[at.point] = carrier == Carrier::Body ? -1 : at.node;
  m.flexpoint_bodyid[at.point] = point.body;
  putRow(m.flexpoint_pos, at.point, point.pos);
  if (carrier != Carrier::Body) {
    const int node = at.node++;
    const bool pinned = carrier == Carrier::PinnedNode;
    m.flexnode_flexid[node] = id;
    m.flexnode_pointid[node] = at.point;
    m.flexnode_bodyid[node] = point.body;
    m.flexnode_pinned[node] = pinned;
    m.flexnode_mass[node] = pinned ? kPinnedMass : point.mass;
    m.flexnode_boxsize[node] = flex.generated && !pinned && !point.section ? 2 * flex.generated->inertiabox : 0;
    MapVec3{m.qpos0.data() + m.nq_rigid + 3 * node} = point.rest;
    MapVec3{m.qpos_spring.data() + m.nq_rigid + 3 * node} = point.rest;
    writeNodeDofs(flex, node, pinned, tree, m);
  }
  ++at.point;
}

void writeVertices(const Flex& flex, int id, Cursor& at, Model& m) {
  Vec3 low = flex.vertex(flex.elements[0]), high = low;
  for (const int v : flex.elements) {
    low = low.cwiseMin(flex.vertex(v));
    high = high.cwiseMax(flex.vertex(v));
  }
  const Vec3 center = 0.5 * (low + high);
  Vec3 half = 0.5 * (high - low);
  if (flex.isInterpolated()) {  // of the box of nodes, whatever way it is turned
    const NodeGrid grid(flex.cells, flex.order());
    for (int a = 0; a < 3; ++a) {
      std::array<int, 3> end{0, 0, 0};
      end[a] = grid.count(a) - 1;
      half[a] = 0.5 * (flex.point(grid.index(end[0], end[1], end[2])).rest - flex.point(0).rest).norm();
    }
  }
  putRow(m.flex_size, id, half);
  std::size_t next = 0;
  for (std::size_t i = 0; i < flex.vertices.size(); ++i, ++at.vertex) {
    m.flexvert_flexid[at.vertex] = id;
    for (Eigen::Index k = 0; k < 3; ++k) {
      if (flex.isInterpolated()) {
        m.flex_vert0[3 * at.vertex + k] = flex.unit[i][k];
        continue;
      }
      const double offset = flex.vertices[i][k] - center[k];
      m.flex_vert0[3 * at.vertex + k] = half[k] > kMinVal ? offset / (2 * half[k]) + 0.5 : 0.5;
    }
    if (flex.supportNum.empty()) {
      m.flexvert_supportadr[at.vertex] = -1;
      continue;
    }
    m.flexvert_supportadr[at.vertex] = at.support;
    m.flexvert_supportnum[at.vertex] = flex.supportNum[i];
    for (int k = 0; k < flex.supportNum[i]; ++k, ++next, ++at.support) {
      m.flexsupport_pointid[at.support] = m.flex_pointadr[id] + flex.supports[next].point;
      m.flexsupport_weight[at.support] = flex.supports[next].weight;
    }
  }
}

/// Body that an end of an edge moves with, 0 for what never moves; -1: it moves on its own.
int movesWith(const Draft& draft, const Flex& flex, int vertex) {
  if (flex.isInterpolated()) return -1;
  const FlexPoint& point = flex.point(vertex);
  if (point.free) return -1;
  int b = point.body;
  while (b > 0 && draft.body(b).joints.empty() && !draft.body(b).spec->mocap) b = draft.body(b).parent;
  return b;
}

void writeEdges(const Draft& draft, const Flex& flex, int id, Cursor& at, Model& m) {
  const bool rod = flex.dim == 1 && flex.parameters.stretch;
  const double r = flex.spec->radius;
  const double area = flex.parameters.rod.twist ? flex.parameters.rod.area : std::numbers::pi * r * r;
  for (const std::array<int, 2>& edge : flex.topology.edges) {
    putRow(m.flex_edge, at.edge, edge);
    m.flexedge_flexid[at.edge] = id;
    const double length = (flex.vertex(edge[1]) - flex.vertex(edge[0])).norm();
    m.flexedge_length0[at.edge] = length;
    const int first = movesWith(draft, flex, edge[0]);
    m.flexedge_rigid[at.edge] = flex.rigid || (first >= 0 && first == movesWith(draft, flex, edge[1]));
    const double material = rod ? flex.parameters.young * area / length : 0;
    m.flexedge_stiffness[at.edge] = flex.spec->edge.stiffness + material;
    m.flexedge_damping[at.edge] = flex.spec->edge.damping + flex.parameters.damping * material;
    ++at.edge;
  }
}

void writeElements(const Flex& flex, int id, Cursor& at, Model& m) {
  const FlexTopology& t = flex.topology;
  std::copy(flex.elements.begin(), flex.elements.end(), m.flex_elem.begin() + at.elementData);
  std::copy(t.elementEdges.begin(), t.elementEdges.end(), m.flex_elemedge.begin() + at.elementEdge);
  std::copy(t.shell.begin(), t.shell.end(), m.flex_shell.begin() + at.shellData);
  for (std::size_t e = 0; e < t.layers.size(); ++e, ++at.element) {
    m.flexelem_flexid[at.element] = id;
    m.flex_elemlayer[at.element] = t.layers[e];
    m.flexelem_size0[at.element] =
        measureOf(flex.dim, flex.vertices, &flex.elements[e * (static_cast<std::size_t>(flex.dim) + 1)]);
  }
  for (const std::array<int, 2>& pair : t.elementVertexPairs) putRow(m.flex_evpair, at.pair++, pair);
  at.elementData += static_cast<int>(flex.elements.size());
  at.elementEdge += static_cast<int>(t.elementEdges.size());
  at.shellData += static_cast<int>(t.shell.size());
}

/// Rest angle and, for dihedral bending, k = D |e|^2 / (A1 + A2) with the modulus of a plate D = E t^3 / (12 (1-nu^2)):
/// a strip bent to curvature c then stores the energy D c^2 / 2 per area.
void writeHinges(const Flex& flex, int id, Cursor& at, Model& m) {
  const FlexParameters& p = flex.parameters;
  const double modulus = p.young * std::pow(p.thickness, 3) / (12 * (1 - p.poisson * p.poisson));
  for (const std::array<int, 4>& hinge : flex.topology.hinges) {
    putRow(m.flexhinge_vert, at.hinge, hinge);
    m.flexhinge_flexid[at.hinge] = id;
    const Vec3 &x0 = flex.vertex(hinge[0]), &x1 = flex.vertex(hinge[1]);
    const Vec3 edge = x1 - x0;
    const Vec3 n1 = edge.cross(flex.vertex(hinge[2]) - x0), n2 = (flex.vertex(hinge[3]) - x0).cross(edge);
    m.flexhinge_angle0[at.hinge] = std::atan2(n2.cross(n1).dot(edge) / edge.norm(), n1.dot(n2));
    if (p.bending == FlexBending::Dihedral) {
      m.flexhinge_stiffness[at.hinge] = modulus * edge.squaredNorm() / (0.5 * (n1.norm() + n2.norm()));
    }
    ++at.hinge;
  }
}

}  // namespace

void setFlexSizes(const Draft& draft, Model& m) {
  const auto size = [](const auto& list) { return static_cast<int>(list.size()); };
  m.nflex = static_cast<int>(draft.flexes.size());
  for (const Flex& flex : draft.flexes) {
    m.nflexpoint += size(flex.points);
    m.nflexvert += size(flex.vertices);
    m.nflexsupport += size(flex.supports);
    m.nflexedge += size(flex.topology.edges);
    m.nflexelem += size(flex.topology.layers);
    m.nflexelemdata += size(flex.elements);
    m.nflexelemedge += size(flex.topology.elementEdges);
    m.nflexhinge += size(flex.topology.hinges);
    m.nflexshelldata += size(flex.topology.shell);
    m.nflexevpair += size(flex.topology.elementVertexPairs);
    for (const FlexPoint& point : flex.points) {
      const Carrier carrier = carrierOf(draft, flex, point);
      if (carrier != Carrier::Body) ++m.nflexnode;
      if (carrier == Carrier::FreeNode) ++m.ntree;
    }
  }
  m.nq += 3 * m.nflexnode;
  m.nv += 3 * m.nflexnode;
}

void writeFlexes(const Draft& draft, Model& m) {
  Cursor at;
  int tree = m.ntree;
  for (const Flex& flex : draft.flexes) {
    for (const FlexPoint& point : flex.points) tree -= point.free ? 1 : 0;
  }
  for (int id = 0; id < m.nflex; ++id) {
    const Flex& flex = draft.flexes[id];
    const FlexTopology& t = flex.topology;
    m.flex_vertadr[id] = at.vertex, m.flex_vertnum[id] = static_cast<int>(flex.vertices.size());
    m.flex_pointadr[id] = at.point, m.flex_pointnum[id] = static_cast<int>(flex.points.size());
    m.flex_edgeadr[id] = at.edge, m.flex_edgenum[id] = static_cast<int>(t.edges.size());
    m.flex_elemadr[id] = at.element, m.flex_elemnum[id] = static_cast<int>(t.layers.size());
    m.flex_elemdataadr[id] = at.elementData, m.flex_elemedgeadr[id] = at.elementEdge;
    m.flex_hingeadr[id] = at.hinge, m.flex_hingenum[id] = static_cast<int>(t.hinges.size());
    m.flex_shelldataadr[id] = t.shell.empty() ? -1 : at.shellData;
    m.flex_shellnum[id] = static_cast<int>(t.shell.size()) / flex.dim;
    m.flex_evpairadr[id] = t.elementVertexPairs.empty() ? -1 : at.pair;
    m.flex_evpairnum[id] = static_cast<int>(t.elementVertexPairs.size());
    writeParameters(flex, id, m);
    for (const FlexPoint& point : flex.points) writePoint(draft, flex, id, point, tree, at, m);
    writeVertices(flex, id, at, m);
    writeEdges(draft, flex, id, at, m);
    writeElements(flex, id, at, m);
    writeHinges(flex, id, at, m);
  }
}

}  // namespace sinew::draft
