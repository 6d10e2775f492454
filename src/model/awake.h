#pragma once

#include <span>

#include "model/carrier.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// What of a model is simulated. Derived quantities of sleeping trees keep the values they had when they fell asleep,
/// so loops go over what is awake; as long as nothing sleeps that is everything, in one piece. See step/sleep.h for who
/// falls asleep and who wakes.
namespace sinew {

/// Values of tree_asleep below 0: how many steps a tree must rest before it may sleep, one subtracted.
inline constexpr int kStepsAtRest = 10, kWideAwake = -1 - kStepsAtRest, kReady = -1;

/// tree_asleep -> tree_awake, body_awake, body_awake_ind, parent_awake_ind, dof_awake_ind and their counts. What cannot
/// move counts as static, and as awake below a mocap body, which may move at any time.
void updateAwake(const Model& m, Data& d);

/// Wakes a ring of trees, all with the given value of tree_asleep. A tree that is awake already stays so for at least
/// as long. True if something woke; then updateAwake() must follow.
bool wakeRing(Data& d, int tree, int value);

/// Something sleeps.
inline bool someAsleep(const Model& m, const Data& d) { return d.ntree_awake < m.ntree; }

inline bool treeAsleep(const Data& d, int tree) { return tree >= 0 && d.tree_awake[tree] == 0; }
inline bool bodyAsleep(const Data& d, int body) { return d.body_awake[body] == 0; }
/// Dofs of pinned flex nodes belong to no tree and count as awake.
inline bool dofAsleep(const Model& m, const Data& d, int dof) { return treeAsleep(d, m.dof_treeid[dof]); }
inline bool jointAsleep(const Model& m, const Data& d, int joint) { return bodyAsleep(d, m.jnt_bodyid[joint]); }
inline bool nodeAsleep(const Model& m, const Data& d, int node) { return dofAsleep(m, d, m.nv_rigid + 3 * node); }

/// Tree that moves a point of a flex, -1: none, or something outside the simulation (a pinned node, a mocap body).
inline int treeOfPoint(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  return node >= 0 ? m.dof_treeid[m.nv_rigid + 3 * node] : m.body_treeid[m.flexpoint_bodyid[point]];
}

/// A flex sleeps as a whole: all trees that carry it do. As body_awake: -1 if nothing moves it, 0 if it sleeps, 1 if it
/// is awake.
int flexAwakeness(const Model& m, const Data& d, int flex);
inline bool flexAsleep(const Model& m, const Data& d, int flex) {
  return someAsleep(m, d) && flexAwakeness(m, d, flex) == 0;
}

/// All trees that a tendon runs through sleep.
bool tendonAsleep(const Model& m, const Data& d, int tendon);

/// Calls f(tree) for every moving tree that an equality ties together; a tree may come more than once.
template <class F>
void forEachTreeOfEquality(const Model& m, int equality, F&& f);

/// One of the trees of an equality sleeps; then they all do, see step/sleep.h.
bool equalityAsleep(const Model& m, const Data& d, int equality);

/// Everything that an actuator acts on sleeps, or is static.
bool actuatorAsleep(const Model& m, const Data& d, int actuator);

/// Bodies but the world that are awake or static, growing. While nothing sleeps the lists are complete.
inline std::span<const int> awakeBodies(const Data& d) {
  return {d.body_awake_ind.data() + 1, static_cast<std::size_t>(d.nbody_awake - 1)};
}

/// Bodies with a parent that is awake or static, growing. Bodies that sleep are among them, with what they had when
/// they fell asleep.
inline std::span<const int> awakeParents(const Data& d) {
  return {d.parent_awake_ind.data(), static_cast<std::size_t>(d.nparent_awake)};
}

/// Dofs that are awake, growing.
inline std::span<const int> awakeDofs(const Data& d) {
  return {d.dof_awake_ind.data(), static_cast<std::size_t>(d.nv_awake)};
}

/// The same numbers from the last to the first: the order in which sums over subtrees are passed on.
struct Backward {
  std::span<const int> list;
  auto begin() const { return list.rbegin(); }
  auto end() const { return list.rend(); }
};

/// Calls f(first, end) for every run of consecutive dofs that are awake. A tree is never cut. For loops that the
/// compiler should see as such.
template <class F>
void forEachAwakeRun(const Model& m, const Data& d, F&& f) {
  const bool all = !someAsleep(m, d);
  const int count = all ? m.nv : d.nv_awake;
  for (int k = 0; k < count;) {
    const int first = all ? 0 : d.dof_awake_ind[k];
    int end = all ? m.nv : first + 1;
    if (all) {
      k = count;
    } else {
      while (++k < count && d.dof_awake_ind[k] == end) ++end;
    }
    f(first, end);
  }
}

/// Calls f(dof) for every dof that is awake, growing.
template <class F>
void forEachAwakeDof(const Model& m, const Data& d, F&& f) {
  forEachAwakeRun(m, d, [&](int first, int end) {
    for (int i = first; i < end; ++i) f(i);
  });
}

template <class F>
void forEachTreeOfEquality(const Model& m, int equality, F&& f) {
  const auto visit = [&](int tree) {
    if (tree >= 0) f(tree);
  };
  const auto visitObject = [&](int object) {
    if (object < 0) return;
    switch (m.eq_type[equality]) {
      case EqualityType::Connect:
      case EqualityType::Weld:
        if (m.eq_objtype[equality] == ObjType::Site) return visit(m.body_treeid[m.site_bodyid[object]]);
        return visit(treeOf(m, Carrier::fromCode(m, object)));
      case EqualityType::Joint:
        return visit(m.body_treeid[m.jnt_bodyid[object]]);
      case EqualityType::Tendon:
        for (int k = 0; k < m.ten_J_rownnz[object]; ++k)
          visit(m.dof_treeid[m.ten_J_colind[m.ten_J_rowadr[object] + k]]);
        return;
      case EqualityType::Flex:
      case EqualityType::FlexVert:
      case EqualityType::FlexStrain:
        for (int p = 0; p < m.flex_pointnum[object]; ++p) visit(treeOfPoint(m, m.flex_pointadr[object] + p));
        return;
    }
  };
  visitObject(m.eq_obj1id[equality]);
  visitObject(m.eq_obj2id[equality]);
}

}  // namespace sinew
