#include "model/awake.h"

#include <algorithm>
#include <utility>

#include "model/arguments.h"
#include "sinew/sleep.h"

namespace sinew {
namespace {

constexpr int kStatic = -1, kAsleep = 0, kAwake = 1;  // values of body_awake

int awakenessOf(const Model& m, const Data& d, int body) {
  const int tree = m.body_treeid[body];
  if (tree >= 0) return d.tree_awake[tree] ? kAwake : kAsleep;
  return m.body_mocapid[m.body_rootid[body]] >= 0 ? kAwake : kStatic;
}

}  // namespace

void updateAwake(const Model& m, Data& d) {
  d.ntree_awake = d.nbody_awake = d.nparent_awake = d.nv_awake = 0;
  for (int tree = 0; tree < m.ntree; ++tree) {
    d.tree_awake[tree] = d.tree_asleep[tree] < 0;
    d.ntree_awake += d.tree_awake[tree];
  }
  for (int body = 0; body < m.nbody; ++body) {
    d.body_awake[body] = awakenessOf(m, d, body);
    if (!bodyAsleep(d, body)) d.body_awake_ind[d.nbody_awake++] = body;
    if (body > 0 && !bodyAsleep(d, m.body_parentid[body])) d.parent_awake_ind[d.nparent_awake++] = body;
  }
  for (int dof = 0; dof < m.nv; ++dof) {
    if (!dofAsleep(m, d, dof)) d.dof_awake_ind[d.nv_awake++] = dof;
  }
}

int flexAwakeness(const Model& m, const Data& d, int flex) {
  int awakeness = kStatic;
  for (int p = m.flex_pointadr[flex]; p < m.flex_pointadr[flex] + m.flex_pointnum[flex]; ++p) {
    const int tree = treeOfPoint(m, p);
    if (tree >= 0) return d.tree_awake[tree] ? kAwake : kAsleep;
    awakeness = std::max(awakeness, d.body_awake[m.flexpoint_bodyid[p]]);
  }
  return awakeness;
}

bool tendonAsleep(const Model& m, const Data& d, int tendon) {
  if (!someAsleep(m, d) || m.ten_J_rownnz[tendon] == 0) return false;
  const int end = m.ten_J_rowadr[tendon] + m.ten_J_rownnz[tendon];
  for (int k = m.ten_J_rowadr[tendon]; k < end; ++k) {
    if (!dofAsleep(m, d, m.ten_J_colind[k])) return false;
  }
  return true;
}

bool equalityAsleep(const Model& m, const Data& d, int equality) {
  if (!someAsleep(m, d)) return false;
  bool asleep = false;
  forEachTreeOfEquality(m, equality, [&](int tree) { asleep = asleep || treeAsleep(d, tree); });
  return asleep;
}

bool actuatorAsleep(const Model& m, const Data& d, int actuator) {
  if (!someAsleep(m, d)) return false;
  const int target = m.actuator_trnid[2 * actuator], second = m.actuator_trnid[2 * actuator + 1];
  const auto siteAwake = [&](int site) { return d.body_awake[m.site_bodyid[site]] == kAwake; };
  switch (m.actuator_trntype[actuator]) {
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      return jointAsleep(m, d, target);
    case TransmissionType::Tendon:
      return tendonAsleep(m, d, target);
    case TransmissionType::SliderCrank:
      return !siteAwake(target) && !siteAwake(second);
    case TransmissionType::Site:
      return bodyAsleep(d, m.site_bodyid[target]);
    case TransmissionType::Body:
      return bodyAsleep(d, target);
    case TransmissionType::So3:
      return second < 0 ? jointAsleep(m, d, target) : !siteAwake(target) && !siteAwake(second);
    case TransmissionType::Undefined:
      break;
  }
  return false;
}

bool wakeRing(Data& d, int tree, int value) {
  if (d.tree_asleep[tree] < 0) {
    d.tree_asleep[tree] = std::min(d.tree_asleep[tree], value);
    return false;
  }
  const auto sleeps = [&](int t) { return t >= 0 && t < d.tree_asleep.size() && d.tree_asleep[t] >= 0; };
  while (sleeps(tree)) tree = std::exchange(d.tree_asleep[tree], value);
  return true;
}

bool isAsleep(const Model& m, const Data& d, int body) {
  argument::pair("isAsleep", m, d);
  argument::id("isAsleep", "body", body, m.nbody);
  const int tree = m.body_treeid[body];
  return tree >= 0 && d.tree_asleep[tree] >= 0;
}

void wake(const Model& m, Data& d, int tree) {
  argument::pair("wake", m, d);
  argument::id("wake", "tree", tree, m.ntree);
  wakeRing(d, tree, kWideAwake);
  updateAwake(m, d);
}

void wakeAll(const Model& m, Data& d) {
  argument::pair("wakeAll", m, d);
  std::fill(d.tree_asleep.begin(), d.tree_asleep.end(), kWideAwake);
  updateAwake(m, d);
}

}  // namespace sinew
