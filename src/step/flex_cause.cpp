#include "step/flex_cause.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <span>

#include "constraint/constraint.h"
#include "elastic/hinge.h"
#include "elastic/rod.h"
#include "elastic/section.h"
#include "elastic/shell.h"
#include "elastic/spring.h"
#include "forces/elastic_constants.h"
#include "forces/elasticity.h"
#include "forces/plate_bending.h"
#include "forces/shell_elasticity.h"
#include "kinematics/flexes.h"
#include "kinematics/side.h"
#include "math/types.h"
#include "model/advice.h"
#include "model/inputs.h"
#include "model/workspace.h"

namespace sinew {
namespace {

using elastic::Nodes;

double sizeOf(double force) { return std::isfinite(force) ? std::abs(force) : std::numeric_limits<double>::infinity(); }

/// Flex whose points a dof moves, -1: none.
int flexOfDof(const Model& m, int dof) {
  if (dof < 0 || dof >= m.nv) return -1;
  if (dof >= m.nv_rigid) return m.flexnode_flexid[(dof - m.nv_rigid) / 3];
  for (int p = 0; p < m.nflexpoint; ++p) {
    if (m.flexpoint_nodeid[p] < 0 && m.flexpoint_bodyid[p] == m.dof_bodyid[dof]) return m.flexpoint_flexid[p];
  }
  return -1;
}

/// Looks through the forces of one flex for the largest.
class Search {
 public:
  Search(const Model& m, Data& d, int f) : m_(m), d_(d), f_(f), point_(m.flex_pointadr[f]) {}

  FlexCause run() {
    strain();
    rows();
    contacts();
    applied();
    return found();
  }

  /// The same among the forces that resist strain alone.
  FlexCause runInside() {
    strain();
    return found();
  }

 private:
  FlexCause found() {
    if (cause_.term != FlexTerm::None && cause_.element < 0) cause_.element = elementWith(cause_.vertex);
    cause_.flex = f_;
    return cause_;
  }

  void strain() {
    if (m_.flex_interp[f_] == 0) {
      edges();
      if (isQuadratic(m_, f_)) {
        tetrahedra();
      } else if (m_.flex_elasticadr[f_] >= 0) {
        m_.flex_dim[f_] == 2 ? elements<2>() : elements<3>();
      }
      hinges();
      bends();
      rods();
    } else if (m_.flex_interp[f_] < 0) {
      shell();
    } else if (m_.flex_cellcount[f_] > 0) {
      m_.flex_dof[f_] == FlexDof::Quadratic ? cells<2>() : cells<1>();
    }
  }

  /// A force on points of the flex, which are its vertices unless it is interpolated. The one that moves fastest is to
  /// blame. True if it is the largest so far.
  bool consider(FlexTerm term, double force, std::span<const int> points) {
    if (!(sizeOf(force) > largest_)) return false;
    largest_ = sizeOf(force);
    cause_ = {f_, -1, points.empty() ? -1 : points[0], term, 0};
    double fastest = -1;
    for (const int p : points) {
      const double speed = sizeOf(vec3(d_.flexpoint_xvel.data(), point_ + p).norm());
      if (speed > fastest) cause_.vertex = p;
      fastest = std::max(fastest, speed);
    }
    return true;
  }
  template <int N>
  bool consider(FlexTerm term, const Nodes<N>& force, const int* points) {
    const double largest = force.allFinite() ? force.colwise().norm().maxCoeff() : std::nan("");
    return consider(term, largest, {points, static_cast<std::size_t>(N)});
  }

  template <int N>
  Nodes<N> gather(const Array<double>& array, const int* points) const {
    Nodes<N> x;
    for (int i = 0; i < N; ++i) x.col(i) = vec3(array.data(), point_ + points[i]);
    return x;
  }

  void edges() {
    if (!hasEdgeSprings(m_, f_)) return;
    for (int e = m_.flex_edgeadr[f_]; e < m_.flex_edgeadr[f_] + m_.flex_edgenum[f_]; ++e) {
      if (m_.flexedge_rigid[e]) continue;
      const elastic::EdgeSpring edge{m_.flexedge_stiffness[e], m_.flexedge_length0[e], m_.flexedge_damping[e]};
      const int* ends = &m_.flex_edge[2 * e];
      const Nodes<2> x = gather<2>(d_.flexpoint_xpos, ends);
      bool found = springs_ && consider<2>(FlexTerm::EdgeSpring, edge.force(x), ends);
      if (dampers_) {
        found |= consider<2>(FlexTerm::EdgeDamper, edge.damperForce(x, gather<2>(d_.flexpoint_xvel, ends)), ends);
      }
      if (found) cause_.element = elementWith(ends, 2);
    }
  }

  template <int Dim>
  void elements() {
    const elastic::Law law = elastic::makeLaw(m_.flex_law[f_], Dim, m_.flex_young[f_], m_.flex_poisson[f_]);
    const double time = dampers_ ? m_.flex_damping[f_] : 0;
    for (int e = 0; e < m_.flex_elemnum[f_]; ++e) {
      const int* corners = &m_.flex_elem[m_.flex_elemdataadr[f_] + (Dim + 1) * e];
      const double* group = &m_.flex_elastic[elasticGroup(m_, f_, e)];
      const Nodes<Dim + 1> x = gather<Dim + 1>(d_.flexpoint_xpos, corners);
      const Nodes<Dim + 1> v = gather<Dim + 1>(d_.flexpoint_xvel, corners);
      const auto total = [&](const auto& element) {
        Nodes<Dim + 1> force = Nodes<Dim + 1>::Zero();
        if (springs_) force += element.force(x);
        if (time > 0) force += element.damperForce(x, v, time);
        return force;
      };
      const bool squared = usesSquaredLengths(m_.flex_law[f_]);
      const Nodes<Dim + 1> force = squared ? total(elastic::loadStrain<Dim>(group, e % kLanes))
                                           : total(loadContinuum<Dim>(law, group, e % kLanes));
      if (consider<Dim + 1>(FlexTerm::Elasticity, force, corners)) cause_.element = e;
    }
  }

  void hinges() {
    if (m_.flex_bending[f_] == FlexBending::None) return;
    if (m_.flex_bending[f_] == FlexBending::Shell) return plates();
    for (int h = m_.flex_hingeadr[f_]; h < m_.flex_hingeadr[f_] + m_.flex_hingenum[f_]; ++h) {
      const int* corners = &m_.flexhinge_vert[4 * h];
      const Nodes<4> x = gather<4>(d_.flexpoint_xpos, corners);
      const Nodes<4> v = gather<4>(d_.flexpoint_xvel, corners);
      const double k = m_.flexhinge_stiffness[h], time = dampers_ ? m_.flex_damping[f_] : 0;
      Nodes<4> force = Nodes<4>::Zero();
      if (springs_) {
        force = m_.flex_bending[f_] == FlexBending::Cotangent
                    ? loadCotangent(&m_.flexhinge_cotangent[16 * h]).force(x)
                    : elastic::DihedralHinge{k, m_.flexhinge_angle0[h]}.force(x);
      }
      if (time > 0) force += elastic::DihedralHinge::damperForce(x, v, time * k);
      if (consider<4>(FlexTerm::Bending, force, corners)) cause_.element = elementWith(corners, 3);
    }
  }

  /// Torques of a shell, fold by fold.
  void plates() {
    const int first = m_.flex_hingeadr[f_], count = m_.flex_hingenum[f_];
    const double time = dampers_ ? m_.flex_damping[f_] : 0;
    const Arena::Scope scope(d_.work->arena);
    const std::span<double> bent = d_.work->arena.zeros<double>(count), torque = d_.work->arena.take<double>(count);
    for (int i = 0; i < count; ++i) {
      const int* corners = &m_.flexhinge_vert[4 * (first + i)];
      const elastic::Fold fold = elastic::foldOf(gather<4>(d_.flexpoint_xpos, corners));
      double& b = bent[i];
      if (springs_) b = fold.angle - m_.flexhinge_angle0[first + i];
      if (time > 0) b += time * fold.gradient.cwiseProduct(gather<4>(d_.flexpoint_xvel, corners)).sum();
    }
    plateTorques(m_, f_, bent, torque);
    for (int i = 0; i < count; ++i) {
      const int* corners = &m_.flexhinge_vert[4 * (first + i)];
      const elastic::Fold fold = elastic::foldOf(gather<4>(d_.flexpoint_xpos, corners));
      const Nodes<4> force = torque[i] * fold.gradient;
      if (consider<4>(FlexTerm::Bending, force, corners)) cause_.element = elementWith(corners, 3);
    }
  }

  void bends() {
    for (int b = m_.flex_bendadr[f_]; b < m_.flex_bendadr[f_] + m_.flex_bendnum[f_]; ++b) {
      const int* corners = &m_.flexbend_vert[3 * b];
      const Nodes<3> x = gather<3>(d_.flexpoint_xpos, corners);
      const elastic::RodBend bend{m_.flexbend_stiffness[b], m_.flexbend_angle0[b]};
      if (springs_ && consider<3>(FlexTerm::Bending, bend.force(x), corners)) cause_.element = elementWith(corners, 2);
    }
  }

  void rods() {
    if (!springs_) return;
    constexpr int ns = elastic::Section::kPoints, nj = elastic::SectionJoint::kPoints;
    for (int i = m_.flex_sectionadr[f_]; i < m_.flex_sectionadr[f_] + m_.flex_sectionnum[f_]; ++i) {
      const int* points = &m_.flexsection_point[ns * i];
      const Nodes<ns> force = loadSection(m_, i).force(gather<ns>(d_.flexpoint_xpos, points));
      if (consider<ns>(FlexTerm::Bending, force, points)) blame(points, points[1]);
    }
    for (int i = m_.flex_jointadr[f_]; i < m_.flex_jointadr[f_] + m_.flex_jointnum[f_]; ++i) {
      const int* points = &m_.flexjoint_point[nj * i];
      const Nodes<nj> force = loadJoint(m_, i).force(gather<nj>(d_.flexpoint_xpos, points));
      // a clamp has a point of its own instead of a vertex
      const int first = points[0] < m_.flex_vertnum[f_] ? 0 : 1;
      if (consider<nj>(FlexTerm::Bending, force, points)) blame(points + first, points[1]);
    }
  }
  /// The segment between two vertices; `vertex` instead of a point of a section.
  void blame(const int* segment, int vertex) {
    cause_.element = elementWith(segment, 2);
    if (cause_.vertex >= m_.flex_vertnum[f_]) cause_.vertex = vertex;
  }

  void tetrahedra() {
    constexpr int n = elastic::QuadraticTetrahedron::kPoints;
    if (!springs_) return;
    const elastic::Law law = elastic::makeLaw(m_.flex_law[f_], 3, m_.flex_young[f_], m_.flex_poisson[f_]);
    for (int c = 0; c < m_.flex_cellcount[f_]; ++c) {
      std::array<int, n> local;
      for (int i = 0; i < n; ++i) {
        local[i] = m_.flexcell_point[m_.flex_celldataadr[f_] + n * c + i] - point_;
      }
      const Nodes<n> force = loadTetrahedron(m_, law, f_, c).force(gather<n>(d_.flexpoint_xpos, local.data()));
      if (consider<n>(FlexTerm::Elasticity, force, local.data())) {
        cause_.element = m_.flex_elemnum[f_] / m_.flex_cellcount[f_] * c;
      }
    }
  }

  template <int Order>
  void cells() {
    constexpr int n = elastic::kCellPoints<Order>;
    if (!springs_) return;
    const Vec3 size = vec3(m_.flex_cellsize.data(), f_);
    const elastic::Law law = elastic::makeLaw(m_.flex_law[f_], 3, m_.flex_young[f_], m_.flex_poisson[f_]);
    for (int c = 0; c < m_.flex_cellcount[f_]; ++c) {
      std::array<int, n> local;
      for (int i = 0; i < n; ++i) {
        local[i] = m_.flexcell_point[m_.flex_celldataadr[f_] + n * c + i] - point_;
      }
      const Nodes<n> x = gather<n>(d_.flexpoint_xpos, local.data());
      if (m_.flex_law[f_] == FlexLaw::Reference) {
        const elastic::ReferenceCell<Order> cell{&m_.flex_cellstiff[m_.flex_cellstiffadr[f_]], size};
        consider<n>(FlexTerm::Elasticity, cell.force(x), local.data());
      } else {
        consider<n>(FlexTerm::Elasticity, elastic::CellElement<Order>{law, size}.force(x), local.data());
      }
    }
  }

  /// All forces on a node of the grid together: folds, or where there are none, membranes.
  void shell() {
    const Arena::Scope scope(d_.work->arena);
    const std::span<double> force = d_.work->arena.zeros<double>(3 * m_.nflexpoint);
    if (springs_) addShellForces(m_, d_, f_, force.data(), nullptr);
    const FlexTerm term = m_.flex_foldnum[f_] > 0 ? FlexTerm::Bending : FlexTerm::Elasticity;
    for (int p = 0; p < m_.flex_pointnum[f_]; ++p) {
      consider(term, vec3(force.data(), point_ + p).norm(), {&p, 1});
    }
  }

  void rows() {
    for (const RowBlock& block : d_.row_block) {
      if (block.row >= d_.ne) break;
      const int equality = d_.efc_id[block.row];
      if (m_.eq_type[equality] < EqualityType::Flex || m_.eq_obj1id[equality] != f_) continue;
      double largest = 0;
      for (int k = 0; k < block.ncol; ++k) {
        largest = std::max(largest, sizeOf(d_.row_value[block.value + k] * d_.efc_force[block.row]));
      }
      if (m_.eq_type[equality] == EqualityType::Flex) {
        const int* ends = &m_.flex_edge[2 * block.part];
        if (consider(FlexTerm::EdgeRow, largest, {ends, 2})) cause_.element = elementWith(ends, 2);
      } else {
        const int local = block.part - point_;
        consider(FlexTerm::EdgeRow, largest, {&local, 1});
      }
    }
  }

  void contacts() {
    for (int i = 0; i < d_.ncon(); ++i) {
      const Contact& contact = d_.contact[i];
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (contact.flex[side] != f_ || contact.efc_address < 0) continue;
        const std::array<double, 6> force = forceOfContact(m_, d_, i);
        // the node that bears most of it
        int node = -1;
        double share = -1;
        Side(m_, d_, contact, side).forEachCarrier([&](Carrier carrier, double weight) {
          if (carrier.isBody() || weight <= share) return;
          share = weight;
          node = m_.flexnode_pointid[carrier.node()] - point_;
        });
        const double size = vec3(force.data(), 0).norm();
        const std::span<const int> points(&node, node < 0 ? 0 : 1);
        if (consider(FlexTerm::Contact, size, points)) cause_.element = contact.elem[side];
      }
    }
  }

  void applied() {
    for (int p = 0; p < m_.flex_pointnum[f_]; ++p) {
      const int node = m_.flexpoint_nodeid[point_ + p];
      if (node < 0 || m_.flexnode_pinned[node]) continue;
      consider(FlexTerm::Applied, usableForce(&d_.qfrc_applied[m_.nv_rigid + 3 * node]).norm(), {&p, 1});
    }
  }

  /// The first element with all of these vertices, -1: none.
  int elementWith(const int* vertices, int count) const {
    const int corners = m_.flex_dim[f_] + 1;
    for (int e = 0; e < m_.flex_elemnum[f_]; ++e) {
      const int* begin = &m_.flex_elem[m_.flex_elemdataadr[f_] + corners * e];
      const auto has = [&](int v) { return std::find(begin, begin + corners, v) != begin + corners; };
      if (std::all_of(vertices, vertices + count, has)) return e;
    }
    return -1;
  }

  /// The first element that a point carries, -1: none.
  int elementWith(int point) const {
    if (point < 0) return -1;
    if (m_.flex_interp[f_] == 0) return elementWith(&point, 1);
    for (int v = 0; v < m_.flex_vertnum[f_]; ++v) {
      const int adr = m_.flexvert_supportadr[m_.flex_vertadr[f_] + v];
      for (int k = adr; k < adr + m_.flexvert_supportnum[m_.flex_vertadr[f_] + v]; ++k) {
        if (m_.flexsupport_pointid[k] == point_ + point) return elementWith(&v, 1);
      }
    }
    return -1;
  }

  const Model& m_;
  Data& d_;
  int f_, point_;
  bool springs_ = !m_.opt.disabled(disable::kSpring), dampers_ = !m_.opt.disabled(disable::kDamper);
  FlexCause cause_;
  double largest_ = 0;
};

/// Elastic elements of one term, as matrices: what they have in common with a mesh of springs.
class TermMatrices {
 public:
  TermMatrices(const Model& m, Data& d, int f, FlexTerm term) : m_(m), d_(d), f_(f) {
    // number of points that tells the term from the others of this flex
    const auto belongs = [&](std::size_t n) {
      if (m.flex_interp[f] > 0) return term == FlexTerm::Elasticity;
      if (m.flex_interp[f] < 0) {
        const bool face = n == elastic::kFacePoints<1> || n == elastic::kFacePoints<2>;
        return term == (face ? FlexTerm::Elasticity : FlexTerm::Bending);
      }
      if (n == 2) return term == FlexTerm::EdgeSpring || term == FlexTerm::EdgeDamper;
      const bool element = isQuadratic(m, f) || (m.flex_dim[f] > 1 && n == static_cast<std::size_t>(m.flex_dim[f]) + 1);
      return term == (element ? FlexTerm::Elasticity : FlexTerm::Bending);
    };
    std::ptrdiff_t points = 0, numbers = 0;
    visitStiffness(m, d, f, [&](std::span<const int> p, const double*, const double*) {
      if (!belongs(p.size())) return;
      ++count_;
      points += static_cast<std::ptrdiff_t>(p.size());
      numbers += static_cast<std::ptrdiff_t>(9 * p.size() * p.size());
    });
    sizes_ = d.work->arena.take<int>(count_);
    points_ = d.work->arena.take<int>(points);
    K_ = d.work->arena.zeros<double>(numbers);
    D_ = d.work->arena.zeros<double>(numbers);
    std::size_t e = 0, p = 0, k = 0;
    visitStiffness(m, d, f, [&](std::span<const int> ids, const double* K, const double* D) {
      if (!belongs(ids.size())) return;
      sizes_[e++] = static_cast<int>(ids.size());
      for (const int id : ids) points_[p++] = id - m.flex_pointadr[f];
      const std::size_t n = 9 * ids.size() * ids.size();
      if (K) std::copy_n(K, n, K_.begin() + static_cast<std::ptrdiff_t>(k));
      if (D) std::copy_n(D, n, D_.begin() + static_cast<std::ptrdiff_t>(k));
      k += n;
    });
    root_ = d.work->arena.take<double>(m.flex_pointnum[f]);
    for (std::size_t i = 0; i < root_.size(); ++i)
      root_[i] = std::sqrt(inverseMass(m.flex_pointadr[f] + static_cast<int>(i)));
  }

  double stiffness() { return largestEigenvalue(K_); }
  double damping() { return largestEigenvalue(D_); }

 private:
  double inverseMass(int point) const {
    const int node = m_.flexpoint_nodeid[point];
    if (node < 0) return m_.body_invweight0[2 * m_.flexpoint_bodyid[point]];
    return m_.flexnode_pinned[node] ? 0 : 1 / m_.dof_M0[m_.nv_rigid + 3 * node];
  }

  /// Largest eigenvalue of W A W with W the roots of the inverse masses, by power iteration. It is approached from
  /// below.
  double largestEigenvalue(std::span<const double> A) {
    constexpr int kMostIterations = 300;
    constexpr double kAccuracy = 1e-7;
    const Arena::Scope scope(d_.work->arena);
    const int n = 3 * m_.flex_pointnum[f_];
    MapVecX x(d_.work->arena.take<double>(n).data(), n), y(d_.work->arena.take<double>(n).data(), n);
    // any direction that no symmetry forbids
    for (int i = 0; i < n; ++i) x[i] = root_[i / 3] * (1 + std::sin(12.9898 * i));
    double value = 0;
    for (int k = 0; k < kMostIterations; ++k) {
      const double length = x.norm();
      if (!(length > 0)) return 0;
      x /= length;
      multiply(A, x.data(), y.data());
      const double next = x.dot(y);
      const bool done = std::abs(next - value) <= kAccuracy * next;
      value = next;
      if (done && k > 20) break;
      x = y;
    }
    return value;
  }

  /// y = W A W x
  void multiply(std::span<const double> A, const double* x, double* y) const {
    std::fill_n(y, 3 * root_.size(), 0.0);
    std::size_t p = 0, k = 0;
    for (const int n : sizes_) {
      for (int i = 0; i < 3 * n; ++i) {
        const auto row = static_cast<std::size_t>(points_[p + static_cast<std::size_t>(i / 3)]);
        double sum = 0;
        for (int j = 0; j < 3 * n; ++j, ++k) {
          const auto column = static_cast<std::size_t>(points_[p + static_cast<std::size_t>(j / 3)]);
          sum += A[k] * root_[column] * x[3 * column + static_cast<std::size_t>(j % 3)];
        }
        y[3 * row + static_cast<std::size_t>(i % 3)] += root_[row] * sum;
      }
      p += static_cast<std::size_t>(n);
    }
  }

  const Model& m_;
  Data& d_;
  int f_;
  std::ptrdiff_t count_ = 0;
  std::span<int> sizes_, points_;
  std::span<double> K_, D_, root_;
};

/// Bound of the timestep for one term of a flex near its rest shape, where its stiffness is known.
double stableTimestep(const Model& m, Data& d, int f, FlexTerm term) {
  if (term < FlexTerm::EdgeSpring || term > FlexTerm::Bending) return 0;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> now = d.work->arena.take<double>(3 * m.flex_pointnum[f]);
  double* x = d.flexpoint_xpos.data() + 3 * m.flex_pointadr[f];
  std::copy_n(x, now.size(), now.begin());
  for (int p = 0; p < m.flex_pointnum[f]; ++p) vec3(x, p) = restOfPoint(m, m.flex_pointadr[f] + p);
  TermMatrices matrices(m, d, f, term);
  const double h = stableTimestep(m.opt.integrator, matrices.stiffness(), matrices.damping());
  std::copy(now.begin(), now.end(), x);
  return h;
}

/// Growth of the faster of the two modes in one RK4 step: |1 + z + z^2/2 + z^3/6 + z^4/24|, z = h times the root of
/// r^2 + damping r + stiffness = 0.
double growth(double h, double stiffness, double damping) {
  const std::complex<double> root = std::sqrt(std::complex<double>(0.25 * damping * damping - stiffness));
  double largest = 0;
  for (const double sign : {-1.0, 1.0}) {
    const std::complex<double> z = h * (-0.5 * damping + sign * root);
    largest = std::max(largest, std::abs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)))));
  }
  return largest;
}

}  // namespace

double stableTimestep(Integrator integrator, double stiffness, double damping) {
  if (!(stiffness >= 0 && damping >= 0) || (stiffness == 0 && damping == 0)) return 0;
  const double euler = 4 / (damping + std::sqrt(damping * damping + 4 * stiffness));
  if (integrator != Integrator::RK4) return euler;
  double low = 0.5 * euler, high = 4 * euler;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (growth(middle, stiffness, damping) <= 1 + 1e-12 ? low : high) = middle;
  }
  return low;
}

FlexCause flexCause(const Model& m, Data& d, int dof) {
  const int f = flexOfDof(m, dof);
  if (f < 0) return {};
  // before the first evaluation there are no positions to blame anything by
  const double* x = d.flexpoint_xpos.data() + 3 * m.flex_pointadr[f];
  if (std::all_of(x, x + 3 * m.flex_pointnum[f], [](double value) { return value == 0; })) return {.flex = f};
  FlexCause cause = Search(m, d, f).run();
  if (cause.term == FlexTerm::EdgeRow || cause.term == FlexTerm::Contact) {
    // what moves too fast meets rows and contacts; if the material makes it so, that is the cause
    FlexCause inside = Search(m, d, f).runInside();
    inside.stableTimestep = stableTimestep(m, d, f, inside.term);
    const bool isUnstable = isExplicit(m) && inside.stableTimestep > 0 && inside.stableTimestep < m.opt.timestep;
    return isUnstable ? inside : cause;
  }
  cause.stableTimestep = stableTimestep(m, d, f, cause.term);
  return cause;
}

}  // namespace sinew
