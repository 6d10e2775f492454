#include <algorithm>
#include <array>
#include <span>

#include "elastic/hinge.h"
#include "elastic/rod.h"
#include "elastic/section.h"
#include "elastic/spring.h"
#include "forces/elastic_constants.h"
#include "forces/elasticity.h"
#include "forces/plate_bending.h"
#include "forces/shell_elasticity.h"
#include "math/types.h"

namespace sinew {
namespace {

using elastic::Nodes;
using elastic::Stiffness;
using elastic::Tangent;

/// Reads positions and hands on matrices.
class Elements {
 public:
  Elements(const Model& m, const Data& d, int f, const StiffnessSink& sink)
      : sink_(sink),
        xpos_(d.flexpoint_xpos.data()),
        point_(m.flex_interp[f] == 0 && !isQuadratic(m, f) ? m.flex_pointadr[f] : 0),
        springs_(!m.opt.disabled(disable::kSpring)),
        dampers_(!m.opt.disabled(disable::kDamper)) {}
  template <int N>
  Nodes<N> positions(const int* vertices) const {
    Nodes<N> x;
    for (int i = 0; i < N; ++i) x.col(i) = vec3(xpos_, point_ + vertices[i]);
    return x;
  }
  /// Those of four elements, vertices[lane] of each.
  template <int Dim>
  void positions(const int* const* vertices, elastic::WidePoints<Dim>& x) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i <= Dim; ++i) {
        for (int k = 0; k < 3; ++k) x[i][k][lane] = xpos_[3 * (point_ + vertices[lane][i]) + k];
      }
    }
  }
  /// Points of elements count from here.
  void countFrom(int point) { point_ = point; }
  bool takesScalars() const { return sink_.callScalar != nullptr; }
  /// The next element, K = k (x) I, D = d (x) I or null.
  void addScalar(const int* vertices, const Eigen::Matrix4d& k, const Eigen::Matrix4d* d) const {
    const std::array<int, 4> points{point_ + vertices[0], point_ + vertices[1], point_ + vertices[2],
                                    point_ + vertices[3]};
    static const Eigen::Matrix4d zero = Eigen::Matrix4d::Zero();
    sink_.callScalar(sink_.target, points, springs_ ? k.data() : zero.data(), d && dampers_ ? d->data() : nullptr);
  }
  bool takesPairs() const { return sink_.callPair != nullptr; }
  /// The next element, K = [k -k; -k k], D = [d -d; -d d].
  void addPair(const int* vertices, const Eigen::Matrix3d& k, const Eigen::Matrix3d& d) const {
    const std::array<int, 2> points{point_ + vertices[0], point_ + vertices[1]};
    static const Eigen::Matrix3d zero = Eigen::Matrix3d::Zero();
    sink_.callPair(sink_.target, points, springs_ ? k.data() : zero.data(), dampers_ ? d.data() : nullptr);
  }
  /// The next element's K, and D or null.
  template <int N>
  void add(const int* vertices, const Stiffness<N>& K, const Stiffness<N>* D) const {
    std::array<int, N> points;
    for (int i = 0; i < N; ++i) points[i] = point_ + vertices[i];
    static const Stiffness<N> zero = Stiffness<N>::Zero();
    sink_.call(sink_.target, points, springs_ ? K.data() : zero.data(), D && dampers_ ? D->data() : nullptr);
  }

 private:
  const StiffnessSink& sink_;
  const double* xpos_;
  int point_;
  bool springs_, dampers_;
};

void addEdges(const Model& m, int f, const Elements& out) {
  for (int e = m.flex_edgeadr[f]; e < m.flex_edgeadr[f] + m.flex_edgenum[f]; ++e) {
    const int* vertices = &m.flex_edge[2 * e];
    const elastic::EdgeSpring edge{m.flexedge_stiffness[e], m.flexedge_length0[e], m.flexedge_damping[e]};
    const Nodes<2> x = out.positions<2>(vertices);
    if (out.takesPairs()) {
      out.addPair(vertices, edge.stiffnessBlock(x, Tangent::Definite), edge.dampingBlock(x));
      continue;
    }
    const Stiffness<2> D = edge.damping(x);
    out.add<2>(vertices, edge.stiffness(x, Tangent::Definite), &D);
  }
}

/// Elements in squared edge lengths, four at a time.
template <int Dim>
void addStrainElements(const Model& m, int f, const Elements& out) {
  const double time = m.flex_damping[f];
  const int count = m.flex_elemnum[f];
  const auto corners = [&](int e) { return &m.flex_elem[m.flex_elemdataadr[f] + (Dim + 1) * std::min(e, count - 1)]; };
  Stiffness<Dim + 1> K[kLanes], D;
  for (int e = 0; e < count; e += kLanes) {
    const int* vertices[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) vertices[lane] = corners(e + lane);
    elastic::WidePoints<Dim> x;
    out.positions<Dim>(vertices, x);
    const double* group = &m.flex_elastic[elasticGroup(m, f, e)];
    const int inverted = elastic::strainStiffness<Dim>(group, x, K);
    for (int lane = 0; lane < std::min(kLanes, count - e); ++lane) {
      if (inverted >> lane & 1) {
        const Nodes<Dim + 1> alone = out.positions<Dim + 1>(vertices[lane]);
        K[lane] = elastic::loadStrain<Dim>(group, lane).stiffness(alone, Tangent::Definite);
      }
      // the reference damps the tension of edges as well: s K with s = h^2 + h time
      if (time > 0 && m.flex_law[f] == FlexLaw::Reference) {
        D = time * K[lane];
      } else if (time > 0) {
        D = elastic::loadStrain<Dim>(group, lane).damping(out.positions<Dim + 1>(vertices[lane]), time);
      }
      out.add<Dim + 1>(vertices[lane], K[lane], time > 0 ? &D : nullptr);
    }
  }
}

/// Elements under a law of the deformation gradient.
template <int Dim>
void addContinuumElements(const Model& m, int f, const Elements& out) {
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], Dim, m.flex_young[f], m.flex_poisson[f]);
  const double time = m.flex_damping[f];
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const int* vertices = &m.flex_elem[m.flex_elemdataadr[f] + (Dim + 1) * e];
    const auto element = loadContinuum<Dim>(law, &m.flex_elastic[elasticGroup(m, f, e)], e % kLanes);
    const Nodes<Dim + 1> x = out.positions<Dim + 1>(vertices);
    const Stiffness<Dim + 1> K = element.stiffness(x, Tangent::Definite);
    if (time == 0) {
      out.add<Dim + 1>(vertices, K, nullptr);
      continue;
    }
    const Stiffness<Dim + 1> D = element.damping(x, time);
    out.add<Dim + 1>(vertices, K, &D);
  }
}

template <int Dim>
void addElements(const Model& m, int f, const Elements& out) {
  usesSquaredLengths(m.flex_law[f]) ? addStrainElements<Dim>(m, f, out) : addContinuumElements<Dim>(m, f, out);
}

void addHinges(const Model& m, int f, const Elements& out) {
  const double time = m.flex_damping[f];
  for (int h = m.flex_hingeadr[f]; h < m.flex_hingeadr[f] + m.flex_hingenum[f]; ++h) {
    const int* vertices = &m.flexhinge_vert[4 * h];
    const bool cotangent = m.flex_bending[f] == FlexBending::Cotangent;
    if (cotangent && out.takesScalars() && (time == 0 || m.flex_law[f] == FlexLaw::Reference)) {
      const Eigen::Map<const Eigen::Vector4d> c(&m.flexhinge_cotangent[16 * h + 10]);
      const Eigen::Matrix4d k = c * c.transpose(), d = time * k;
      out.addScalar(vertices, k, time > 0 ? &d : nullptr);
      continue;
    }
    const Nodes<4> x = out.positions<4>(vertices);
    const double k = m.flex_bending[f] == FlexBending::Shell ? foldStiffness(m, h) : m.flexhinge_stiffness[h];
    Stiffness<4> K;
    if (cotangent) {
      K = loadCotangent(&m.flexhinge_cotangent[16 * h]).stiffness(x, Tangent::Definite);
      if (time > 0 && m.flex_law[f] == FlexLaw::Reference) {
        const Stiffness<4> D = time * K;
        out.add<4>(vertices, K, &D);
        continue;
      }
    } else {
      K = elastic::DihedralHinge{k, m.flexhinge_angle0[h]}.stiffness(x, Tangent::Definite);
    }
    const Stiffness<4> D = time > 0 ? elastic::DihedralHinge::damping(x, time * k) : Stiffness<4>(Stiffness<4>::Zero());
    out.add<4>(vertices, K, time > 0 ? &D : nullptr);
  }
}

void addBends(const Model& m, int f, const Elements& out) {
  const double time = m.flex_damping[f];
  for (int b = m.flex_bendadr[f]; b < m.flex_bendadr[f] + m.flex_bendnum[f]; ++b) {
    const int* vertices = &m.flexbend_vert[3 * b];
    const Nodes<3> x = out.positions<3>(vertices);
    const elastic::RodBend bend{m.flexbend_stiffness[b], m.flexbend_angle0[b]};
    const Stiffness<3> D = elastic::RodBend::damping(x, time * bend.k);
    out.add<3>(vertices, bend.stiffness(x, Tangent::Definite), &D);
  }
}

void addSections(const Model& m, int f, const Elements& out) {
  constexpr int n = elastic::Section::kPoints;
  const double time = m.flex_damping[f];
  for (int i = m.flex_sectionadr[f]; i < m.flex_sectionadr[f] + m.flex_sectionnum[f]; ++i) {
    const int* points = &m.flexsection_point[n * i];
    const elastic::Section section = loadSection(m, i);
    const Nodes<n> x = out.positions<n>(points);
    const Stiffness<n> D = time > 0 ? section.damping(x, time) : Stiffness<n>(Stiffness<n>::Zero());
    out.add<n>(points, section.stiffness(x, Tangent::Definite), time > 0 ? &D : nullptr);
  }
}

void addJoints(const Model& m, int f, const Elements& out) {
  constexpr int n = elastic::SectionJoint::kPoints;
  const double time = m.flex_damping[f];
  for (int i = m.flex_jointadr[f]; i < m.flex_jointadr[f] + m.flex_jointnum[f]; ++i) {
    const int* points = &m.flexjoint_point[n * i];
    const elastic::SectionJoint joint = loadJoint(m, i);
    const Nodes<n> x = out.positions<n>(points);
    const Stiffness<n> D = time > 0 ? joint.damping(x, time) : Stiffness<n>(Stiffness<n>::Zero());
    out.add<n>(points, joint.stiffness(x, Tangent::Definite), time > 0 ? &D : nullptr);
  }
}

template <int Order>
void addCells(const Model& m, int f, const Elements& out) {
  constexpr int n = elastic::kCellPoints<Order>;
  const Vec3 size = vec3(m.flex_cellsize.data(), f);
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]);
  const double time = m.flex_damping[f];
  elastic::CellStiffness<Order> K, D;
  for (int c = 0; c < m.flex_cellcount[f]; ++c) {
    const int* points = &m.flexcell_point[m.flex_celldataadr[f] + n * c];
    const Nodes<n> x = out.positions<n>(points);
    if (m.flex_law[f] == FlexLaw::Reference) {
      elastic::ReferenceCell<Order>{&m.flex_cellstiff[m.flex_cellstiffadr[f]], size}.stiffness(x, K);
      if (time > 0) D = time * K;
    } else {
      const elastic::CellElement<Order> cell{law, size};
      cell.stiffness(x, Tangent::Definite, K);
      if (time > 0) cell.damping(x, time, D);
    }
    out.add<n>(points, K, time > 0 ? &D : nullptr);
  }
}

void addTetrahedra(const Model& m, int f, const Elements& out) {
  constexpr int n = elastic::QuadraticTetrahedron::kPoints;
  const elastic::Law law = elastic::makeLaw(m.flex_law[f], 3, m.flex_young[f], m.flex_poisson[f]);
  const double time = m.flex_damping[f];
  Stiffness<n> K, D;
  for (int c = 0; c < m.flex_cellcount[f]; ++c) {
    const int* points = &m.flexcell_point[m.flex_celldataadr[f] + n * c];
    const elastic::QuadraticTetrahedron element = loadTetrahedron(m, law, f, c);
    const Nodes<n> x = out.positions<n>(points);
    element.stiffness(x, Tangent::Definite, K);
    if (time > 0) element.damping(x, time, D);
    out.add<n>(points, K, time > 0 ? &D : nullptr);
  }
}

}  // namespace

void deliverStiffness(const Model& m, const Data& d, int f, const StiffnessSink& sink) {
  if (!isElastic(m, f)) return;
  if (m.flex_interp[f] < 0) return deliverShellStiffness(m, d, f, sink);
  const Elements out(m, d, f, sink);
  if (m.flex_interp[f] != 0) {
    m.flex_dof[f] == FlexDof::Quadratic ? addCells<2>(m, f, out) : addCells<1>(m, f, out);
    return;
  }
  if (isQuadratic(m, f)) {
    // points of these count over the whole model, those of edges do not
    Elements edges(m, d, f, sink);
    edges.countFrom(m.flex_pointadr[f]);
    if (hasEdgeSprings(m, f)) addEdges(m, f, edges);
    addTetrahedra(m, f, out);
    return;
  }
  if (hasEdgeSprings(m, f)) addEdges(m, f, out);
  if (m.flex_elasticadr[f] >= 0) m.flex_dim[f] == 2 ? addElements<2>(m, f, out) : addElements<3>(m, f, out);
  if (m.flex_bending[f] != FlexBending::None) addHinges(m, f, out);
  addBends(m, f, out);
  addSections(m, f, out);
  addJoints(m, f, out);
}

}  // namespace sinew
