#include "step/sleep.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "forces/forces.h"
#include "kinematics/flexes.h"
#include "kinematics/kinematics.h"
#include "kinematics/side.h"
#include "model/awake.h"
#include "model/workspace.h"
#include "step/stages.h"

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool allZero(const double* values, int count) {
  return std::all_of(values, values + count, [](double x) { return x == 0; });
}

/// Nothing moves the tree or pushes it; a tolerance of 0 allows no motion at all.
bool atRest(const Model& m, const Data& d, int tree, double tolerance) {
  const SleepPolicy policy = m.tree_sleep_policy[tree];
  if (policy == SleepPolicy::Never || policy == SleepPolicy::AutoNever) return false;
  const int dof = m.tree_dofadr[tree], dofs = m.tree_dofnum[tree];
  const int bodies = m.tree_bodynum[tree];
  if (bodies > 0 && !allZero(&d.xfrc_applied[6 * m.tree_bodyadr[tree]], 6 * bodies)) return false;
  if (!allZero(&d.qfrc_applied[dof], dofs) || !allZero(&m.dof_frictionvel[dof], dofs)) return false;
  if (tolerance == 0) return allZero(&d.qvel[dof], dofs);
  for (int i = dof; i < dof + dofs; ++i) {
    if (!(m.dof_length[i] * std::abs(d.qvel[i]) < tolerance)) return false;
  }
  return true;
}

/// Two trees that sleep do so together.
bool inOneRing(const Data& d, int tree1, int tree2) {
  int tree = tree1;
  do {
    if (tree == tree2) return true;
    tree = d.tree_asleep[tree];
  } while (tree != tree1);
  return false;
}

// ---- what wakes -----------------------------------------------------------------------------------------------------

/// Whether qpos puts a sleeping tree elsewhere than it was when it fell asleep. The poses of its parents are up to
/// date.
bool wasMoved(const Model& m, Data& d, int tree) {
  const int firstBody = m.tree_bodyadr[tree];
  for (int b = firstBody; b < firstBody + m.tree_bodynum[tree]; ++b) {
    if (hasMoved(m, d, b)) return true;
  }
  if (m.tree_dofadr[tree] < m.nv_rigid) return false;
  return pointHasMoved(m, d, m.flexnode_pointid[(m.tree_dofadr[tree] - m.nv_rigid) / 3]);
}

/// Points of a sleeping flex that belong to no tree, pinned ones and those on mocap bodies, may be led from outside.
bool wakeLedFlexes(const Model& m, Data& d) {
  bool woke = false;
  for (int f = 0; f < m.nflex; ++f) {
    if (!flexAsleep(m, d, f)) continue;
    int tree = -1;
    bool led = false;
    for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
      const int mover = treeOfPoint(m, p);
      if (mover >= 0) tree = mover;
      led = led || (mover < 0 && pointHasMoved(m, d, p));
    }
    if (led) woke |= wakeRing(d, tree, kWideAwake);
  }
  return woke;
}

bool wakeDisturbed(const Model& m, Data& d) {
  bool woke = false;
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (!treeAsleep(d, tree) || d.tree_asleep[tree] < 0) continue;
    if (!atRest(m, d, tree, 0) || wasMoved(m, d, tree)) woke |= wakeRing(d, tree, kWideAwake);
  }
  return wakeLedFlexes(m, d) || woke;
}

/// Trees that something couples: one of them that is awake, and one that sleeps; -1: none.
struct Coupled {
  int awake = -1, asleep = -1;

  void add(const Data& d, int tree) {
    if (tree >= 0) (treeAsleep(d, tree) ? asleep : awake) = tree;
  }
};

/// A tendon makes rows while it is at a limit, or always if it has friction.
bool makesRows(const Model& m, const Data& d, int tendon) {
  if (m.opt.disabled(disable::kConstraint)) return false;
  if (m.tendon_frictionloss[tendon] > 0 && !m.opt.disabled(disable::kFrictionLoss)) return true;
  if (!m.tendon_limited[tendon] || m.opt.disabled(disable::kLimit)) return false;
  const double length = d.ten_length[tendon], margin = m.tendon_margin[tendon];
  const double* range = &m.tendon_range[2 * tendon];
  return length - range[0] < margin || range[1] - length < margin;
}

bool wakeByTendons(const Model& m, Data& d) {
  bool woke = false;
  for (int t = 0; t < m.ntendon; ++t) {
    if (tendonAsleep(m, d, t) || !makesRows(m, d, t)) continue;
    Coupled trees;
    const int end = m.ten_J_rowadr[t] + m.ten_J_rownnz[t];
    for (int k = m.ten_J_rowadr[t]; k < end; ++k) trees.add(d, m.dof_treeid[m.ten_J_colind[k]]);
    if (trees.awake < 0 || trees.asleep < 0) continue;
    woke |= wakeRing(d, trees.asleep, d.tree_asleep[trees.awake]);
  }
  return woke;
}

/// Static, but moved by mocap.
bool movedByMocap(const Model& m, const Data& d, Carrier carrier) {
  return carrier.isBody() && m.body_treeid[carrier.body()] < 0 && d.body_awake[carrier.body()] > 0;
}

/// A contact wakes for as long as the one that touches is awake; one with something moved by mocap for the full time.
bool wakeByContacts(const Model& m, Data& d) {
  bool woke = false;
  for (const Contact& contact : d.contact) {
    Coupled trees;
    bool mocap = false;
    for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
      Side(m, d, contact, s).forEachCarrier([&](Carrier carrier, double) {
        trees.add(d, treeOf(m, carrier));
        mocap = mocap || movedByMocap(m, d, carrier);
      });
    }
    if (trees.asleep < 0 || (trees.awake < 0 && !mocap)) continue;
    woke |= wakeRing(d, trees.asleep, trees.awake >= 0 ? d.tree_asleep[trees.awake] : kWideAwake);
  }
  return woke;
}

/// A side of a connect or weld that is static but moved by mocap.
bool tiedToMocap(const Model& m, const Data& d, int equality) {
  const EqualityType type = m.eq_type[equality];
  if (type != EqualityType::Connect && type != EqualityType::Weld) return false;
  for (const int object : {m.eq_obj1id[equality], m.eq_obj2id[equality]}) {
    const bool site = m.eq_objtype[equality] == ObjType::Site;
    if (movedByMocap(m, d, Carrier::fromCode(m, site ? m.site_bodyid[object] : object))) return true;
  }
  return false;
}

/// An equality that has been switched on may tie trees that sleep apart from each other: then both wake.
bool wakeByEqualities(const Model& m, Data& d) {
  if (m.opt.disabled(disable::kConstraint) || m.opt.disabled(disable::kEquality)) return false;
  bool woke = false;
  for (int e = 0; e < m.neq; ++e) {
    if (!d.eq_active[e]) continue;
    Coupled trees;
    bool apart = false;
    forEachTreeOfEquality(m, e, [&](int tree) {
      const int before = trees.asleep;
      trees.add(d, tree);
      if (before >= 0 && before != tree && treeAsleep(d, tree) && m.eq_type[e] < EqualityType::Flex) {
        apart = apart || d.tree_asleep[before] < 0 || d.tree_asleep[tree] < 0 || !inOneRing(d, before, tree);
      }
    });
    if (trees.asleep < 0 || (trees.awake < 0 && !apart && !tiedToMocap(m, d, e))) continue;
    forEachTreeOfEquality(m, e, [&](int tree) {
      if (treeAsleep(d, tree)) woke |= wakeRing(d, tree, kWideAwake);
    });
  }
  return woke;
}

// ---- who falls asleep -----------------------------------------------------------------------------------------------

int find(std::span<int> parent, int tree) {
  while (parent[at(tree)] != tree) tree = parent[at(tree)] = parent[at(parent[at(tree)])];
  return tree;
}

/// Groups are named by their smallest tree.
void join(std::span<int> parent, int a, int b) {
  a = find(parent, a);
  b = find(parent, b);
  parent[at(std::max(a, b))] = std::min(a, b);
}

/// Trees that rows couple, and trees that carry one flex or the body it was declared under.
std::span<int> groupTrees(const Model& m, Data& d) {
  const std::span<int> parent = d.work->arena.take<int>(m.ntree);
  std::iota(parent.begin(), parent.end(), 0);
  for (const RowBlock& block : d.row_block) {
    const int* column = d.row_column.data() + block.column;
    for (int k = 1; k < block.ncol; ++k) {
      const int tree = m.dof_treeid[column[k]], last = m.dof_treeid[column[k - 1]];
      if (tree != last) join(parent, tree, last);
    }
  }
  for (int f = 0; f < m.nflex; ++f) {
    int first = -1;
    const auto add = [&](int tree) {
      if (tree < 0) return;
      if (first >= 0) join(parent, first, tree);
      first = tree;
    };
    for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
      add(treeOfPoint(m, p));
      add(m.body_treeid[m.flexpoint_bodyid[p]]);
    }
  }
  return parent;
}

/// Joins every group in which all trees are ready to a ring, and takes away what velocity they have. Returns whether
/// there was any. Rows that were solved together with all others tell nothing about who is coupled: then nobody sleeps.
bool closeRings(const Model& m, Data& d) {
  const auto isReady = [&](int tree) { return d.tree_asleep[tree] == kReady; };
  bool any = false;
  for (int tree = 0; tree < m.ntree; ++tree) any = any || isReady(tree);
  if (!any || (d.nefc() > 0 && m.opt.disabled(disable::kIsland))) return false;

  const Arena::Scope scope(d.work->arena);
  const std::span<int> parent = groupTrees(m, d);
  const std::span<std::uint8_t> ready = d.work->arena.take<std::uint8_t>(m.ntree);
  std::fill(ready.begin(), ready.end(), std::uint8_t{1});
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (!isReady(tree)) ready[at(find(parent, tree))] = 0;
  }
  const std::span<int> last = d.work->arena.take<int>(m.ntree);  // of each group, so far
  any = false;
  for (int tree = 0; tree < m.ntree; ++tree) {
    const int root = find(parent, tree);
    if (!ready[at(root)]) continue;
    any = true;
    d.tree_asleep[tree] = root;  // closes the ring, until another tree of the group comes
    if (tree != root) d.tree_asleep[last[at(root)]] = tree;
    last[at(root)] = tree;
    std::fill_n(d.qvel.data() + m.tree_dofadr[tree], m.tree_dofnum[tree], 0.0);
  }
  return any;
}

/// Brings the count of steps at rest of every tree that is awake up to date.
void countSteps(const Model& m, Data& d) {
  for (int tree = 0; tree < m.ntree; ++tree) {
    int& asleep = d.tree_asleep[tree];
    if (asleep >= 0) continue;
    asleep = atRest(m, d, tree, m.opt.sleep_tolerance) ? std::min(asleep + 1, kReady) : kWideAwake;
  }
}

/// Every tree that sleeps is the next one of exactly one other (or of itself).
bool ringsAreWhole(const Data& d) {
  Array<std::uint8_t> seen(d.tree_asleep.size(), 0);
  for (const int next : d.tree_asleep) {
    if (next < 0) continue;
    if (next >= d.tree_asleep.size() || d.tree_asleep[next] < 0 || seen[next]++ > 0) return false;
  }
  return true;
}

}  // namespace

void startAsleep(const Model& m, Data& d) {
  wakeAll(m, d);
  const auto isInitial = [&](int tree) { return m.tree_sleep_policy[tree] == SleepPolicy::Init; };
  bool any = false;
  for (int tree = 0; tree < m.ntree; ++tree) any = any || isInitial(tree);
  if (!any || !m.opt.enabled(enable::kSleep)) return;

  evaluate(m, d, Sensing::On);
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (isInitial(tree)) d.tree_asleep[tree] = kReady;
  }
  closeRings(m, d);
  for (int& asleep : d.tree_asleep) {
    if (asleep == kReady) asleep = kWideAwake;  // coupled to something that is awake
  }
  updateAwake(m, d);

  // no forces but those of the first step
  for (Array<double>* forces : {&d.qfrc_smooth, &d.qacc_smooth, &d.qfrc_constraint, &d.qacc}) {
    std::fill(forces->begin(), forces->end(), 0.0);
  }
  d.clearRows();
  d.contact.clear();
  d.support_carrier.clear();
  d.support_weight.clear();
  d.status = {};
  d.energy = {0, 0};
  d.work->arena.settle();
}

void resumeAsleep(const Model& m, Data& d) {
  if (!ringsAreWhole(d)) wakeAll(m, d);
  const bool any = std::any_of(d.tree_asleep.begin(), d.tree_asleep.end(), [](int asleep) { return asleep >= 0; });
  if (any && m.opt.enabled(enable::kSleep)) {
    const Array<int> asleep = d.tree_asleep;
    const Status status = d.status;
    wakeAll(m, d);
    evaluate(m, d, Sensing::On);
    d.tree_asleep = asleep;
    d.status = status;
    d.work->arena.settle();
  }
  updateAwake(m, d);
}

bool wakeTrees(const Model& m, Data& d) {
  if (!m.opt.enabled(enable::kSleep)) {
    if (!someAsleep(m, d)) return false;
    wakeAll(m, d);
    return true;
  }
  for (int tree = 0; tree < m.ntree; ++tree) {  // said to sleep, but nothing of what a sleeping tree keeps is there
    if (d.tree_asleep[tree] >= 0 && !treeAsleep(d, tree)) d.tree_asleep[tree] = kWideAwake;
  }
  if (!someAsleep(m, d)) return false;
  bool woke = wakeDisturbed(m, d);
  // contacts of a tree that is not where it seems to be say nothing
  if (!woke) {  // each of them is asked, whatever the others say
    for (const auto wakes : {wakeByTendons, wakeByContacts, wakeByEqualities}) woke = wakes(m, d) || woke;
  }
  if (woke) updateAwake(m, d);
  return woke;
}

void fallAsleep(const Model& m, Data& d) {
  if (!m.opt.enabled(enable::kSleep)) return;
  if (d.nefc() > 0 && m.opt.disabled(disable::kIsland)) return;
  countSteps(m, d);
  if (!closeRings(m, d)) return;

  velocityStage(m, d, Sensing::On);
  if (m.opt.solver == Solver::Impulse) {  // its impulses are those of the step already
    actuation(m, d);
    acceleration(m, d);
  } else {
    accelerationStage(m, d, Sensing::On);
  }
  forEachAwakeDof(m, d, [&](int dof) {
    const int tree = m.dof_treeid[dof];  // -1: of a pinned node
    if (tree >= 0 && d.tree_asleep[tree] >= 0) d.qacc_warmstart[dof] = d.qacc[dof];
  });
  updateAwake(m, d);
}

}  // namespace sinew
