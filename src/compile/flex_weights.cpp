#include <algorithm>
#include <vector>

#include "compile/flexes.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"
#include "math/types.h"

namespace sinew::draft {
namespace {

/// One end of an edge.
struct End {
  int node = -1;
  int body = 0;  ///< with node >= 0: the one it was declared under
};

End endOf(const Model& m, int edge, int side) {
  const int flex = m.flexedge_flexid[edge];
  const int point = m.flex_pointadr[flex] + m.flex_edge[2 * edge + side];
  return {m.flexpoint_nodeid[point], m.flexpoint_bodyid[point]};
}

/// Whether the end, as the body with slides it is in the reference engine, counts there as having a constant diagonal
/// inertia: declared under the world or a fixed child of it.
bool countsAsSimple(const Model& m, const End& end) {
  if (end.node < 0) return m.body_simple[end.body] == 2;
  return end.body == 0 || (m.body_parentid[end.body] == 0 && m.body_dofnum[end.body] == 0);
}

double massOf(const Model& m, const End& end) {
  return end.node < 0 ? m.body_mass[end.body] : m.flexnode_mass[end.node];
}

/// J inv(M) J' of the distance between two points, at least one of which rides on a body with dofs.
class EdgeInertia {
 public:
  EdgeInertia(const Model& m, const Data& d)
      : m_(m), d_(d), jacobian_(static_cast<std::size_t>(3 * m.nv)), row_(static_cast<std::size_t>(m.nv)) {}

  double operator()(int edge) {
    const int first = m_.flex_pointadr[m_.flexedge_flexid[edge]];
    const Vec3 x0 = positionOf(first + m_.flex_edge[2 * edge]), x1 = positionOf(first + m_.flex_edge[2 * edge + 1]);
    const Vec3 direction = (x1 - x0).normalized();
    std::fill(row_.begin(), row_.end(), 0.0);
    add(endOf(m_, edge, 0), x0, -direction);
    add(endOf(m_, edge, 1), x1, direction);
    std::vector<double> solved = row_;
    solveMass(m_, d_, solved.data());
    double sum = 0;
    for (std::size_t i = 0; i < row_.size(); ++i) sum += row_[i] * solved[i];
    return sum;
  }

 private:
  Vec3 positionOf(int point) const {
    const int node = m_.flexpoint_nodeid[point], body = m_.flexpoint_bodyid[point];
    if (node >= 0) return ConstMapVec3{m_.qpos0.data() + m_.nq_rigid + 3 * node};
    return vec3(d_.xpos.data(), body) + mat3(d_.xmat.data(), body) * vec3(m_.flexpoint_pos.data(), point);
  }

  void add(const End& end, const Vec3& at, const Vec3& direction) {
    if (end.node >= 0) {
      if (m_.flexnode_pinned[end.node]) return;
      for (int k = 0; k < 3; ++k) row_[m_.nv_rigid + 3 * end.node + k] += direction[k];
      return;
    }
    denseJacobian(m_, d_, end.body, at, jacobian_.data(), nullptr);
    for (int i = 0; i < m_.nv_rigid; ++i) {
      for (int k = 0; k < 3; ++k) {
        row_[i] += direction[k] * jacobian_[k * m_.nv + i];
      }
    }
  }

  const Model& m_;
  const Data& d_;
  std::vector<double> jacobian_, row_;
};

}  // namespace

void writeFlexWeights(Model& m, const Data& d) {
  if (m.nflex == 0) return;
  for (int n = 0; n < m.nflexnode; ++n) {
    for (int k = 0; k < 3; ++k) m.dof_invweight0[m.nv_rigid + 3 * n + k] = m.flexnode_invmass[n];
  }
  EdgeInertia through(m, d);
  for (int e = 0; e < m.nflexedge; ++e) {
    if (m.flex_interp[m.flexedge_flexid[e]] != 0 || m.flexedge_rigid[e]) continue;
    const End a = endOf(m, e, 0), b = endOf(m, e, 1);
    const bool pinned = (a.node >= 0 && m.flexnode_pinned[a.node]) || (b.node >= 0 && m.flexnode_pinned[b.node]);
    if (!pinned && countsAsSimple(m, a) && countsAsSimple(m, b)) {
      m.flexedge_invweight0[e] = (1 / std::max(kMinVal, massOf(m, a)) + 1 / std::max(kMinVal, massOf(m, b))) / 2;
    } else if (a.node >= 0 && b.node >= 0) {
      const auto inverse = [&](const End& end) {
        return m.flexnode_pinned[end.node] ? 0 : 1 / m.dof_M0[m.nv_rigid + 3 * end.node];
      };
      m.flexedge_invweight0[e] = inverse(a) + inverse(b);
    } else {
      m.flexedge_invweight0[e] = through(e);
    }
  }
}

}  // namespace sinew::draft
