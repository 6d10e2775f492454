#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// What of a model is simulated. Derived quantities of sleeping trees keep the values they had when they fell asleep,
/// so loops go over what is awake; as long as nothing sleeps that is everything, in one piece. See step/sleep.h for who
/// falls asleep and who wakes.
namespace sinew {

/// tree_asleep -> tree_awake, body_awake, body_awake_ind, parent_awake_ind, dof_awake_ind and their counts. What cannot
/// move counts as static, and as awake below a mocap body, which may move at any time.
void updateAwake(const Model& m, Data& d);

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

/// Calls f(first, end) for every run of consecutive dofs that are awake. A tree is never cut.
template <class F>
void forEachAwakeRun(const Model& m, const Data& d, F&& f) {
  if (!someAsleep(m, d)) {
    if (m.nv > 0) f(0, m.nv);
    return;
  }
  for (int k = 0; k < d.nv_awake;) {
    const int first = d.dof_awake_ind[k];
    int end = first + 1;
    while (++k < d.nv_awake && d.dof_awake_ind[k] == end) ++end;
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

/// Calls f(body) for every body but the world that is awake or static, growing.
template <class F>
void forEachAwakeBody(const Model& m, const Data& d, F&& f) {
  if (!someAsleep(m, d)) {
    for (int b = 1; b < m.nbody; ++b) f(b);
    return;
  }
  for (int k = 1; k < d.nbody_awake; ++k) f(d.body_awake_ind[k]);
}

/// Calls f(body) for every body with a parent that is awake or static, shrinking: the order in which sums over subtrees
/// are passed on. Bodies that sleep are among them, with what they had when they fell asleep.
template <class F>
void forEachAwakeParent(const Model& m, const Data& d, F&& f) {
  if (!someAsleep(m, d)) {
    for (int b = m.nbody - 1; b > 0; --b) f(b);
    return;
  }
  for (int k = d.nparent_awake - 1; k >= 0; --k) f(d.parent_awake_ind[k]);
}

/// Calls f(joint) for every joint that is awake, growing.
template <class F>
void forEachAwakeJoint(const Model& m, const Data& d, F&& f) {
  if (!someAsleep(m, d)) {
    for (int j = 0; j < m.njnt; ++j) f(j);
    return;
  }
  forEachAwakeBody(m, d, [&](int body) {
    const int end = m.body_jntadr[body] + m.body_jntnum[body];
    for (int j = m.body_jntadr[body]; j < end; ++j) f(j);
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
        return visit(object < m.nbody ? m.body_treeid[object] : m.dof_treeid[m.nv_rigid + 3 * (object - m.nbody)]);
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
