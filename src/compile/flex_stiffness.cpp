#include <algorithm>
#include <cmath>
#include <span>

#include "compile/flexes.h"
#include "forces/elasticity.h"
#include "kinematics/flexes.h"
#include "math/types.h"

namespace sinew::draft {
namespace {

/// Adds a third of the trace of each point's own block to its node: the mean stiffness against a displacement while its
/// neighbours stay. They do not stay, so that this is more than an exact solution would give, by a factor of a few.
class NodeSum {
 public:
  explicit NodeSum(Model& m) : m_(m) {}

  void operator()(std::span<const int> points, const double* K, const double*) {
    const std::size_t n = points.size(), size = 3 * n;
    for (std::size_t a = 0; a < n; ++a) {
      double trace = 0;
      for (std::size_t i = 3 * a; i < 3 * a + 3; ++i) trace += K[i * size + i];
      add(points[a], trace / 3);
    }
  }

  void add(int point, double k) {
    const int node = m_.flexpoint_nodeid[point];
    if (node >= 0 && !m_.flexnode_pinned[node]) m_.flexnode_stiffness[node] += k;
  }

 private:
  Model& m_;
};

/// What the rows that hold lengths amount to as springs: f = D K d r with D = d / ((1 - d) A), see
/// constraint/impedance.cpp.
void addLengthRows(const Model& m, int equality, NodeSum& sum) {
  const double* ref = m.eq_solref.data() + 2 * equality;
  const double* imp = m.eq_solimp.data() + 5 * equality;
  const double most = 1 - 1e-4, d = std::clamp(imp[0], 1e-4, most), dw = std::clamp(imp[1], 1e-4, most);
  const double time = std::max(ref[0], 2 * m.opt.timestep);
  const double K = ref[0] > 0 ? 1 / std::max(kMinVal, dw * dw * time * time * ref[1] * ref[1])
                              : -ref[0] / std::max(kMinVal, dw * dw);
  const int flex = m.eq_obj1id[equality], first = m.flex_pointadr[flex];
  for (int e = m.flex_edgeadr[flex]; e < m.flex_edgeadr[flex] + m.flex_edgenum[flex]; ++e) {
    if (m.flexedge_rigid[e] || !(m.flexedge_invweight0[e] > 0)) continue;
    const double k = K * d * d / ((1 - d) * m.flexedge_invweight0[e]);
    for (int end = 0; end < 2; ++end) sum.add(first + m.flex_edge[2 * e + end], k / 3);
  }
}

}  // namespace

void writeNodeStiffness(Model& m, Data& d) {
  if (m.nflexnode == 0) return;
  flexes(m, d);
  std::fill(m.flexnode_stiffness.begin(), m.flexnode_stiffness.end(), 0.0);
  const int flags = m.opt.disableflags;
  m.opt.disableflags &= ~(disable::kSpring | disable::kDamper);  // they may be switched on again later
  NodeSum sum(m);
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_law[f] != FlexLaw::Reference) visitStiffness(m, d, f, sum);
  }
  m.opt.disableflags = flags;
  for (int i = 0; i < m.neq; ++i) {
    if (m.eq_type[i] != EqualityType::Flex || m.flex_interp[m.eq_obj1id[i]] != 0) continue;
    if (m.flex_law[m.eq_obj1id[i]] != FlexLaw::Reference) addLengthRows(m, i, sum);
  }
}

}  // namespace sinew::draft
