#include "forces/part_motion.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "forces/stiff_metric.h"
#include "kinematics/dof_chains.h"
#include "kinematics/jacobian.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// Linear and angular momentum, or force and torque.
struct Wrench {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();

  void add(const Vec3& force, const Vec3& torque, const Vec3& arm) {
    linear += force;
    angular += torque + arm.cross(force);
  }
};

/// Calls node(first dof, node) and root(first dof, body) for what a part is made of.
template <class Node, class Root>
void forEachPiece(const Model& m, int part, Node&& node, Root&& root) {
  const std::span<const int> dofs = stiffDofs(m, part);
  for (std::size_t i = 0; i < dofs.size();) {
    const int dof = dofs[i];
    if (dof >= m.nv_rigid) {
      node(dof, (dof - m.nv_rigid) / 3);
      i += 3;
    } else {
      const int tree = m.dof_treeid[dof];
      root(dof, m.tree_bodyadr[tree]);
      i += at(m.tree_dofnum[tree]);
    }
  }
}

/// Rows of M of a tree, times x.
Vec6 rootMomentum(const Model& m, const Data& d, int dof, const double* x) {
  const int tree = m.dof_treeid[dof], end = dof + m.tree_dofnum[tree];
  Vec6 p = Vec6::Zero();
  for (int i = dof; i < end; ++i) {
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; ++k) {
      const int j = m.M_colind[k];
      if (i - dof < 6) p[i - dof] += d.M[k] * x[j];
      if (j != i && j - dof < 6) p[j - dof] += d.M[k] * x[i];
    }
  }
  return p;
}

/// Inertia of a tree whose joints are locked, in the axes of its root: about the root's origin.
Mat6 rootInertia(const Model& m, const Data& d, int dof) {
  Mat6 A = Mat6::Zero();
  for (int r = 0; r < 6; ++r) {
    for (int k = m.M_rowadr[dof + r]; k < m.M_rowadr[dof + r] + m.M_rownnz[dof + r]; ++k) {
      const int c = m.M_colind[k] - dof;
      A(r, c) = A(c, r) = d.M[k];
    }
  }
  return A;
}

Mat3 frameOf(const Data& d, int body) {
  Mat3 R;
  for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = d.xmat[9 * body + i];
  return R;
}

/// Mass of a tree and its centre, from the root's origin, in world axes. subtree_com is no help: it has flex nodes,
/// too.
struct TreeMass {
  double mass;
  Vec3 arm;

  TreeMass(const Mat6& root, const Mat3& R) : mass(root(0, 0)) {
    const Mat3 cross = -root.topRightCorner<3, 3>() * R.transpose() / mass;  // P = m w x arm
    arm = {cross(2, 1), cross(0, 2), cross(1, 0)};
  }
};

/// Mass, centre and inertia about it.
struct PartInertia {
  double mass = 0;
  Vec3 center = Vec3::Zero();
  Mat3 J = Mat3::Zero();
};

void addPointInertia(double mass, const Vec3& r, Mat3& J) {
  J.diagonal().array() += mass * r.squaredNorm();
  J -= mass * r * r.transpose();
}

PartInertia inertiaOf(const Model& m, const Data& d, int part) {
  PartInertia sum;
  const auto place = [&](int node) -> Vec3 { return ConstMapVec3(&d.qpos[m.nq_rigid + 3 * node]); };
  forEachPiece(
      m, part,
      [&](int, int node) {
        sum.mass += m.flexnode_mass[node];
        sum.center += m.flexnode_mass[node] * place(node);
      },
      [&](int dof, int body) {
        const TreeMass tree(rootInertia(m, d, dof), frameOf(d, body));
        sum.mass += tree.mass;
        sum.center += tree.mass * (vec3(d.xpos.data(), body) + tree.arm);
      });
  sum.center /= sum.mass;
  forEachPiece(
      m, part, [&](int, int node) { addPointInertia(m.flexnode_mass[node], place(node) - sum.center, sum.J); },
      [&](int dof, int body) {
        const Mat3 R = frameOf(d, body);
        const Mat6 root = rootInertia(m, d, dof);
        const TreeMass tree(root, R);
        Mat3 shift = Mat3::Zero();
        addPointInertia(tree.mass, tree.arm, shift);
        sum.J += R * root.bottomRightCorner<3, 3>() * R.transpose() - shift;
        addPointInertia(tree.mass, vec3(d.xpos.data(), body) + tree.arm - sum.center, sum.J);
      });
  // points in a row have no inertia about their line, and no momentum either
  constexpr double kLine = 1e-13;
  sum.J.diagonal().array() += kLine * sum.J.trace();
  return sum;
}

/// Momentum of what moves with velocities v, about a point.
Wrench momentumOf(const Model& m, const Data& d, int part, const double* v, const Vec3& about) {
  Wrench sum;
  forEachPiece(
      m, part,
      [&](int dof, int node) {
        const Vec3 arm = ConstMapVec3(&d.qpos[m.nq_rigid + 3 * node]) - about;
        sum.add(m.flexnode_mass[node] * ConstMapVec3(v + dof), Vec3::Zero(), arm);
      },
      [&](int dof, int body) {
        const Vec6 p = rootMomentum(m, d, dof, v);
        sum.add(p.head<3>(), frameOf(d, body) * p.tail<3>(), vec3(d.xpos.data(), body) - about);
      });
  return sum;
}

/// A single free body at a place in space.
struct FreeBody {
  double mass;
  Vec3 inertia;  // principal
  Vec3 com;      // in the body
  Quat axes;     // principal axes in the body

  FreeBody(const Model& m, int body)
      : mass(m.body_mass[body]),
        inertia(vec3(m.body_inertia.data(), body)),
        com(vec3(m.body_ipos.data(), body)),
        axes(Quat::load(m.body_iquat.data() + 4 * body)) {}

  /// Momentum about the origin of `pos`; w in the body's axes.
  Wrench momentum(const Vec3& pos, const Quat& quat, const Vec3& v, const Vec3& w) const {
    const Vec3 spin = rotate(axes, Vec3(inertia.cwiseProduct(rotate(axes.conjugate(), w))));
    const Vec3 arm = rotate(quat, com);
    Wrench p;
    p.add(mass * (v + rotate(quat, w).cross(arm)), rotate(quat, spin), pos + arm);
    return p;
  }
};

bool isSingleBody(const Model& m, int dof, int body) {
  return m.tree_bodynum[m.dof_treeid[dof]] == 1 && m.tree_dofnum[m.dof_treeid[dof]] == 6 &&
         std::all_of(m.dof_armature.data() + dof, m.dof_armature.data() + dof + 6, [](double a) { return a == 0; }) &&
         m.body_mass[body] > 0;
}

/// By how much momentum changes in a step with acceleration `a` beyond what acts from outside (force, moment times h),
/// about the centre of mass.
class Defect {
 public:
  /// `force`: smooth forces but those of implicit elasticity.
  Defect(const Model& m, const Data& d, int part, const PartInertia& inertia, const double* force)
      : m_(m),
        d_(d),
        part_(part),
        inertia_(inertia),
        force_(force),
        middle_(m.opt.integrator == Integrator::Midpoint),
        h_(m.opt.timestep) {}

  Wrench operator()(const double* a) const {
    const Vec3& c = inertia_.center;
    Wrench before, after, outside;
    Vec3 moved = Vec3::Zero();  // mass times the way of its centre
    forEachPiece(
        m_, part_,
        [&](int dof, int node) {
          const double mass = m_.flexnode_mass[node];
          const Vec3 v = ConstMapVec3(d_.qvel.data() + dof), next = v + h_ * ConstMapVec3(a + dof);
          const Vec3 arm = ConstMapVec3(&d_.qpos[m_.nq_rigid + 3 * node]) - c;
          const Vec3 way = h_ * (middle_ ? Vec3(0.5 * (v + next - unresolved(dof))) : next);
          before.add(mass * v, Vec3::Zero(), arm);
          after.add(mass * next, Vec3::Zero(), arm + way);
          outside.add(forceOn<3>(dof, a), Vec3::Zero(), arm);
          moved += mass * way;
        },
        [&](int dof, int body) { addTree(dof, body, a, before, after, outside, moved); });
    // about the centre, wherever it is
    const Vec3 shift = moved / inertia_.mass;
    const Wrench change{after.linear - before.linear - h_ * outside.linear,
                        after.angular - shift.cross(after.linear) - before.angular - h_ * outside.angular};
    return change;
  }

 private:
  Vec3 unresolved(int dof) const { return ConstMapVec3(d_.work->flexUnresolved.data() + dof); }
  /// Smooth forces on N dofs, and what implicit dampers other than those of the flex add.
  template <int N>
  Eigen::Matrix<double, N, 1> forceOn(int dof, const double* a) const {
    Eigen::Matrix<double, N, 1> f = Eigen::Map<const Eigen::Matrix<double, N, 1>>(force_ + dof);
    const double scale = h_ * stepWeights(m_.opt.integrator).damping;
    const int tree = m_.dof_treeid[dof], end = dof + m_.tree_dofnum[tree];
    for (int i = dof; i < end; ++i) {
      for (int k = m_.M_rowadr[i]; k < m_.M_rowadr[i] + m_.M_rownnz[i]; ++k) {
        const double rate = scale * dampingRate(m_, d_, i, k);
        const int j = m_.M_colind[k];
        if (i - dof < N) f[i - dof] += rate * a[j];
        if (j != i && j - dof < N) f[j - dof] += rate * a[i];
      }
    }
    return f;
  }

  void addTree(int dof, int body, const double* a, Wrench& before, Wrench& after, Wrench& outside, Vec3& moved) const {
    const Mat3 R = frameOf(d_, body);
    const Vec3 arm = vec3(d_.xpos.data(), body) - inertia_.center;
    Vec6 force = forceOn<6>(dof, a);
    if (!isSingleBody(m_, dof, body)) {
      // d(momentum)/dt = M a + the velocity-dependent part of the bias force, which is in `force`
      const Vec6 momentum = rootMomentum(m_, d_, dof, d_.qvel.data()), rate = rootMomentum(m_, d_, dof, a);
      before.add(momentum.head<3>(), R * momentum.tail<3>(), arm);
      after.add(momentum.head<3>() + h_ * rate.head<3>(), R * (momentum.tail<3>() + h_ * rate.tail<3>()), arm);
      outside.add(force.head<3>(), R * force.tail<3>(), arm);
      moved += h_ * (momentum.head<3>() + (middle_ ? 0.5 : 1) * h_ * rate.head<3>());
      return;
    }
    const FreeBody piece(m_, body);
    const Quat quat = Quat::load(d_.xquat.data() + 4 * body);
    const Vec3 v = ConstMapVec3(d_.qvel.data() + dof), w = ConstMapVec3(d_.qvel.data() + dof + 3);
    const Vec3 nextV = v + h_ * ConstMapVec3(a + dof), nextW = w + h_ * ConstMapVec3(a + dof + 3);
    const Vec3 meanV = middle_ ? Vec3(0.5 * (v + nextV - unresolved(dof))) : nextV;
    const Vec3 meanW = middle_ ? Vec3(0.5 * (w + nextW - unresolved(dof + 3))) : nextW;
    const Quat nextQuat = integrated(quat, meanW, h_);
    before = sum(before, piece.momentum(arm, quat, v, w));
    after = sum(after, piece.momentum(arm + h_ * meanV, nextQuat, nextV, nextW));
    moved += piece.mass * (h_ * meanV + rotate(nextQuat, piece.com) - rotate(quat, piece.com));
    // the bias force is no force: weight is
    for (int k = 0; k < 6; ++k) force[k] += d_.qfrc_bias[dof + k];
    Vec3 weight = Vec3::Zero();
    if (!m_.opt.disabled(disable::kGravity)) {
      for (int k = 0; k < 3; ++k) weight[k] = piece.mass * m_.opt.gravity[k];
    }
    outside.add(force.head<3>(), R * force.tail<3>(), arm);
    outside.add(weight, Vec3::Zero(), arm + rotate(quat, piece.com));
  }
  static Wrench sum(const Wrench& a, const Wrench& b) { return {a.linear + b.linear, a.angular + b.angular}; }

  const Model& m_;
  const Data& d_;
  int part_;
  const PartInertia& inertia_;
  const double* force_;
  bool middle_;
  double h_;
};

/// x += the acceleration (or velocity) of a rigid motion: `linear` of the centre, `angular` about it.
void addRigid(const Model& m, const Data& d, int part, const Vec3& center, const Vec3& linear, const Vec3& angular,
              double* x) {
  forEachPiece(
      m, part,
      [&](int dof, int node) {
        const Vec3 arm = ConstMapVec3(&d.qpos[m.nq_rigid + 3 * node]) - center;
        MapVec3(x + dof) += linear + angular.cross(arm);
      },
      [&](int dof, int body) {
        MapVec3(x + dof) += linear + angular.cross(vec3(d.xpos.data(), body) - center);
        MapVec3(x + dof + 3) += frameOf(d, body).transpose() * angular;
      });
}

Mat3 rotationBy(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

}  // namespace

bool partTurns(const Model& m, int part) {
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_stiffpart[f] != part) continue;
    if (m.flex_law[f] == FlexLaw::Reference) return false;
    const auto isPinned = [&](int point) {
      const int node = m.flexpoint_nodeid[point];
      return node >= 0 ? m.flexnode_pinned[node] != 0 : lastDof(m, m.flexpoint_bodyid[point]) < 0;
    };
    // nodes of empty cells are pinned and hold nothing
    const int cellPoints = m.flex_interp[f] == 1 ? 8 : m.flex_interp[f] == 2 ? 27 : 0;
    const int* begin = m.flexcell_point.data() + m.flex_celldataadr[f];
    if (cellPoints > 0 && std::any_of(begin, begin + cellPoints * m.flex_cellcount[f], isPinned)) return false;
    const int end = cellPoints > 0 ? 0 : m.flex_pointadr[f] + m.flex_pointnum[f];
    for (int p = m.flex_pointadr[f]; p < end; ++p) {
      if (m.flex_interp[f] == 0 && isPinned(p)) return false;
    }
    if (m.flex_interp[f] < 0) return false;
  }
  for (const int dof : stiffDofs(m, part)) {
    if (m.dof_armature[dof] != 0) return false;
    if (dof >= m.nv_rigid || m.dof_parentid[dof] >= 0) continue;
    if (m.jnt_type[m.dof_jntid[dof]] != JointType::Free) return false;
  }
  return true;
}

StepWeights stepWeights(Integrator integrator) {
  return integrator == Integrator::Midpoint ? StepWeights{0.5, 1, 0.5} : StepWeights{1, 1, 1};
}

Vec3 PartMotion::velocityOf(const Vec3& r, double h) const {
  return middle ? Vec3(spin.cross(r)) : Vec3((r - turn.transpose() * r) / h);
}

Vec3 PartMotion::accelerationOf(const Vec3& r, double h) const {
  if (middle) {
    const Vec3 v = spin.cross(r);
    return (turn * v - v) / h;
  }
  return (turn * r + turn.transpose() * r - 2 * r) / (h * h);
}

PartMotion partMotion(const Model& m, const Data& d, int part) {
  PartMotion motion;
  if (!partTurns(m, part)) return motion;
  const PartInertia inertia = inertiaOf(m, d, part);
  const Wrench momentum = momentumOf(m, d, part, d.qvel.data(), inertia.center);
  motion.turns = true;
  motion.middle = m.opt.integrator == Integrator::Midpoint;
  motion.center = inertia.center;
  motion.velocity = momentum.linear / inertia.mass;
  motion.spin = inertia.J.ldlt().solve(momentum.angular);
  const double rate = motion.spin.norm(), way = m.opt.timestep * rate;
  if (!(rate > 0) || !std::isfinite(rate)) {
    motion.spin.setZero();
    return motion;
  }
  // v of a point on a circle is a difference of places: sin(angle)/h, 2 tan(angle/2)/h times its radius
  constexpr double kLargest = 0.9;
  const double angle = motion.middle ? 2 * std::atan(0.5 * way) : std::asin(std::min(way, kLargest));
  motion.turn = rotationBy(motion.spin / rate, angle);
  motion.half = rotationBy(motion.spin / rate, 0.5 * angle);
  return motion;
}

void velocityOfDeformation(const Model& m, Data& d, int part, const PartMotion& motion, std::span<double> u) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> v = d.work->arena.take<double>(m.nv);
  std::copy(d.qvel.begin(), d.qvel.end(), v.begin());
  if (motion.turns) addRigid(m, d, part, motion.center, -motion.velocity, -motion.spin, v.data());
  const std::span<const int> dofs = stiffDofs(m, part);
  for (std::size_t i = 0; i < dofs.size(); ++i) u[i] = v[at(dofs[i])];
}

void keepMomentum(const Model& m, Data& d) {
  constexpr int kRounds = 4;  // single bodies turn: what a round leaves is smaller by h w
  d.work->partKept.assign(9 * m.nstiffpart, 0.0);
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (!partTurns(m, part) || stiffPartAsleep(m, d, part)) continue;
    const Arena::Scope scope(d.work->arena);
    const PartInertia inertia = inertiaOf(m, d, part);
    const Eigen::LDLT<Mat3> J(inertia.J);
    const Defect defect(m, d, part, inertia, d.qfrc_smooth.data());
    const std::span<double> change = d.work->arena.zeros<double>(m.nv), a = d.work->arena.take<double>(m.nv);
    std::copy(d.qacc_smooth.begin(), d.qacc_smooth.end(), a.begin());
    for (int round = 0; round < kRounds; ++round) {
      const Wrench left = defect(a.data());
      const Vec3 linear = -left.linear / (m.opt.timestep * inertia.mass);
      const Vec3 angular = -J.solve(left.angular) / m.opt.timestep;
      if (!linear.allFinite() || !angular.allFinite()) break;
      for (const auto x : {change, a}) addRigid(m, d, part, inertia.center, linear, angular, x.data());
      double* kept = &d.work->partKept[9 * part];
      vec3(kept, 0) = inertia.center;
      vec3(kept, 1) += linear;
      vec3(kept, 2) += angular;
    }
    for (const int dof : stiffDofs(m, part)) d.qacc_smooth[dof] += change[at(dof)];
    addMetricProduct(m, d, part, change.data(), d.qfrc_implicit.data());
  }
}

void addKeptMomentum(const Model& m, Data& d) {
  if (d.work->partKept.size() < 9 * m.nstiffpart) return;  // accelerations have not been computed
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (!partTurns(m, part) || stiffPartAsleep(m, d, part)) continue;
    const double* kept = &d.work->partKept[9 * part];
    const Vec3 center = ConstMapVec3(kept), linear = ConstMapVec3(kept + 3), angular = ConstMapVec3(kept + 6);
    forEachPiece(
        m, part, [](int, int) {},
        [&](int, int root) {
          for (int body = root; body < m.nbody; ++body) {
            if (m.body_rootid[body] != m.body_rootid[root]) continue;
            double motion[6], wrench[6];
            setSpatial(motion, angular, linear + angular.cross(treeCom(m, d, body) - center));
            multiplyInertia(wrench, &d.cinert[10 * body], motion);
            add6(&d.cfrc_ext[6 * body], wrench);
          }
        });
  }
}

// keepMomentum() adds A B b to the forces, B the six rigid motions, such that nothing is left of the defect. Forces
// enter that as B'f, so B'A B b makes up for it.
void releaseMomentum(const Model& m, Data& d, const double* acceleration, double* force) {
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (!partTurns(m, part) || stiffPartAsleep(m, d, part)) continue;
    const Arena::Scope scope(d.work->arena);
    const PartInertia inertia = inertiaOf(m, d, part);
    const Wrench left = Defect(m, d, part, inertia, force)(acceleration);
    const std::span<double> motion = d.work->arena.take<double>(m.nv), product = d.work->arena.take<double>(m.nv);
    const auto rigid = [&](int i, double size, std::span<double> x) {
      addRigid(m, d, part, inertia.center, i < 3 ? Vec3(size * Vec3::Unit(i)) : Vec3(Vec3::Zero()),
               i < 3 ? Vec3(Vec3::Zero()) : Vec3(size * Vec3::Unit(i - 3)), x.data());
    };
    Mat6 S;
    for (int i = 0; i < 6; ++i) {
      std::fill(motion.begin(), motion.end(), 0.0);
      std::fill(product.begin(), product.end(), 0.0);
      rigid(i, 1, motion);
      addMetricProduct(m, d, part, motion.data(), product.data());
      for (int j = 0; j < 6; ++j) {
        std::fill(motion.begin(), motion.end(), 0.0);
        rigid(j, 1, motion);
        S(j, i) = 0;
        for (const int dof : stiffDofs(m, part)) S(j, i) += motion[at(dof)] * product[at(dof)];
      }
    }
    S.bottomRightCorner<3, 3>().diagonal().array() += 1e-13 * S.bottomRightCorner<3, 3>().trace();
    Vec6 lacking;
    lacking << left.linear, left.angular;
    const Vec6 b = S.ldlt().solve(-lacking / m.opt.timestep);
    std::fill(motion.begin(), motion.end(), 0.0);
    std::fill(product.begin(), product.end(), 0.0);
    for (int i = 0; i < 6; ++i) rigid(i, b[i], motion);
    addMetricProduct(m, d, part, motion.data(), product.data());
    for (const int dof : stiffDofs(m, part)) force[dof] -= product[at(dof)];
  }
}

}  // namespace sinew
