#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compile/constants.h"
#include "compile/place.h"

namespace sinew::draft {
namespace {

/// Kinematic tree a path element belongs to, -1 if it does not move.
int treeOfWrap(const Model& m, int w) {
  const int object = m.wrap_objid[w];
  switch (m.wrap_type[w]) {
    case WrapType::Joint:
      return m.body_treeid[m.jnt_bodyid[object]];
    case WrapType::Site:
      return m.body_treeid[m.site_bodyid[object]];
    case WrapType::Sphere:
    case WrapType::Cylinder:
      return m.body_treeid[m.geom_bodyid[object]];
    case WrapType::Pulley:
    case WrapType::None:
      break;
  }
  return -1;
}

/// Trees a tendon runs through, in the order of its path.
std::vector<int> treesOfTendon(const Model& m, int t) {
  std::vector<int> trees;
  for (int w = m.tendon_adr[t]; w < m.tendon_adr[t] + m.tendon_num[t]; ++w) {
    const int tree = treeOfWrap(m, w);
    if (tree >= 0 && std::find(trees.begin(), trees.end(), tree) == trees.end()) trees.push_back(tree);
  }
  return trees;
}

std::vector<int> treesOfActuator(const Model& m, int u) {
  const int target = m.actuator_trnid[2 * u];
  switch (m.actuator_trntype[u]) {
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      return {m.body_treeid[m.jnt_bodyid[target]]};
    case TransmissionType::Site:
    case TransmissionType::SliderCrank:
      return {m.body_treeid[m.site_bodyid[target]]};
    case TransmissionType::Body:
      return {m.body_treeid[target]};
    case TransmissionType::Tendon:
      return treesOfTendon(m, target);
    case TransmissionType::So3: {
      const bool sites = m.actuator_trnid[2 * u + 1] >= 0;
      return {m.body_treeid[sites ? m.site_bodyid[target] : m.jnt_bodyid[target]]};
    }
    case TransmissionType::Undefined:
      break;
  }
  return {};
}

void keepAwake(const std::vector<int>& trees, Model& m) {
  for (const int tree : trees) {
    if (tree >= 0 && m.tree_sleep_policy[tree] == SleepPolicy::Auto) m.tree_sleep_policy[tree] = SleepPolicy::AutoNever;
  }
}

/// A tendon that couples trees by forces which sleeping would not notice.
bool couplesByForce(const Model& m, int t) {
  if (m.tendon_stiffness[t] != 0 || m.tendon_stiffnesspoly[2 * t] != 0 || m.tendon_stiffnesspoly[2 * t + 1] != 0 ||
      m.tendon_damping[t] != 0 || m.tendon_dampingpoly[2 * t] != 0 || m.tendon_dampingpoly[2 * t + 1] != 0) {
    return true;
  }
  for (int u = 0; u < m.nactuator; ++u) {
    const bool reflects = m.actuator_damping[u] != 0 || m.actuator_armature[u] != 0 ||
                          m.actuator_dampingpoly[2 * u] != 0 || m.actuator_dampingpoly[2 * u + 1] != 0;
    if (m.actuator_trntype[u] == TransmissionType::Tendon && m.actuator_trnid[2 * u] == t && reflects) return true;
  }
  return false;
}

}  // namespace

void writeMasses(Model& m) {
  for (int n = 0; n < m.nflexnode; ++n) m.flexnode_invmass[n] = m.flexnode_pinned[n] ? 0 : 1 / m.flexnode_mass[n];
  m.body_subtreemass = m.body_mass;
  for (int n = 0; n < m.nflexnode; ++n) {
    if (!m.flexnode_pinned[n]) m.body_subtreemass[m.flexnode_bodyid[n]] += m.flexnode_mass[n];
  }
  for (int b = m.nbody - 1; b > 0; --b) m.body_subtreemass[m.body_parentid[b]] += m.body_subtreemass[b];
}

void writeFixed(const Draft& draft, Model& m) {
  writeMasses(m);
  for (int u = 0; u < m.nactuator; ++u) keepAwake(treesOfActuator(m, u), m);
  for (int p = 0; p < m.nflexpoint; ++p) {  // forces between points would not wake a tree; rows of an equality do
    if (m.flex_edgeequality[m.flexpoint_flexid[p]] != 0) continue;
    const int node = m.flexpoint_nodeid[p];
    keepAwake({node >= 0 ? m.dof_treeid[m.nv_rigid + 3 * node] : m.body_treeid[m.flexpoint_bodyid[p]]}, m);
  }
  for (int t = 0; t < m.ntendon; ++t) {
    const std::vector<int> trees = treesOfTendon(m, t);
    if (trees.size() < 2 || (trees.size() == 2 && !couplesByForce(m, t))) continue;
    for (const int tree : trees) {
      const SleepPolicy policy = m.tree_sleep_policy[tree];
      if (policy != SleepPolicy::Allowed && policy != SleepPolicy::Init) continue;
      placeOf(*draft.body(m.tree_bodyadr[tree]).spec)
          .fail("'sleep' is not possible: a tendon couples this tree to others by more than a length limit");
    }
    keepAwake(trees, m);
  }
  for (SleepPolicy& policy : m.tree_sleep_policy) {
    if (policy == SleepPolicy::Auto) policy = SleepPolicy::AutoAllowed;
  }
}

void requireInitialSleep(const Draft& draft, const Model& m) {
  const auto isInitial = [](SleepPolicy policy) { return policy == SleepPolicy::Init; };
  if (!m.opt.enabled(enable::kSleep)) return;
  if (std::none_of(m.tree_sleep_policy.begin(), m.tree_sleep_policy.end(), isInitial)) return;
  const Data d(m);
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (!isInitial(m.tree_sleep_policy[tree]) || d.tree_asleep[tree] >= 0) continue;
    placeOf(*draft.body(m.tree_bodyadr[tree]).spec)
        .fail("'sleep' cannot be \"init\": this tree touches, or is tied to, one that does not start asleep");
  }
}

}  // namespace sinew::draft
