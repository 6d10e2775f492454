#include "compile/stiff_pattern.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "forces/elastic_constants.h"
#include "forces/stiff_metric.h"
#include "kinematics/jacobian.h"

namespace sinew::draft {
namespace {

/// Dofs of one part, and which groups of them (bodies, nodes) are coupled.
struct Part {
  std::vector<int> flexes;
  std::vector<int> dofs;                     // growing
  std::vector<std::pair<int, int>> couples;  // first dofs of two groups, the larger first; growing
};

/// Dofs that move a point, growing.
std::vector<int> dofsOfPoint(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  if (node >= 0) {
    const int dof = m.nv_rigid + 3 * node;
    return m.flexnode_pinned[node] ? std::vector<int>{} : std::vector<int>{dof, dof + 1, dof + 2};
  }
  const int body = m.flexpoint_bodyid[point];
  std::vector<int> dofs(static_cast<std::size_t>(chainLength(m, body)));
  chainDofs(m, body, dofs.data());
  return dofs;
}

/// First dof of the body or node that a dof belongs to.
int groupOf(const Model& m, int dof) {
  return dof < m.nv_rigid ? m.body_dofadr[m.dof_bodyid[dof]] : dof - (dof - m.nv_rigid) % 3;
}
int groupSize(const Model& m, int group) { return group < m.nv_rigid ? m.body_dofnum[m.dof_bodyid[group]] : 3; }

/// Trees that the elements of a flex pull at through points on bodies.
std::set<int> treesOf(const Model& m, int flex) {
  std::set<int> trees;
  forEachCoupling(m, flex, [&](const int* points, int n) {
    if (isRigid(m, points, n)) return;
    for (int a = 0; a < n; ++a) {
      if (m.flexpoint_nodeid[points[a]] >= 0) continue;
      if (const int dof = lastDof(m, m.flexpoint_bodyid[points[a]]); dof >= 0) trees.insert(m.dof_treeid[dof]);
    }
  });
  return trees;
}

bool couplesAnything(const Model& m, int flex) {
  bool any = false;
  forEachCoupling(m, flex, [&](const int* points, int n) { any = any || !isRigid(m, points, n); });
  return any;
}

/// Trees with joints of cables.
std::set<int> cableTrees(const Model& m) {
  std::set<int> trees;
  for (int i = 0; i < m.ncable; ++i) trees.insert(m.dof_treeid[m.jnt_dofadr[m.cable_jntid[i]]]);
  return trees;
}

/// Flexes that pull at the same tree are in one part, parts in the order of their first flex; then trees of cables that
/// no flex pulls at, a part each.
std::vector<Part> partsOf(const Model& m) {
  std::vector<Part> parts;
  std::vector<int> partOfTree(static_cast<std::size_t>(m.ntree), -1);
  for (int f = 0; f < m.nflex; ++f) {
    if (!couplesAnything(m, f)) continue;
    const std::set<int> trees = treesOf(m, f);
    int part = static_cast<int>(parts.size());
    for (const int tree : trees) {
      const int other = partOfTree[tree];
      if (other >= 0) part = std::min(part, other);
    }
    if (part == static_cast<int>(parts.size())) parts.emplace_back();
    Part& target = parts[part];
    target.flexes.push_back(f);
    for (const int tree : trees) {
      const int other = std::exchange(partOfTree[tree], part);
      if (other < 0 || other == part) continue;
      // this flex ties two parts together
      for (int& p : partOfTree) p = p == other ? part : p;
      std::vector<int>& moved = parts[other].flexes;
      target.flexes.insert(target.flexes.end(), moved.begin(), moved.end());
      moved.clear();
    }
  }
  for (const int tree : cableTrees(m)) {
    int& part = partOfTree[tree];
    if (part >= 0) continue;
    part = static_cast<int>(parts.size());
    parts.emplace_back();
  }
  for (std::size_t tree = 0; tree < partOfTree.size(); ++tree) {
    if (partOfTree[tree] < 0) continue;
    std::vector<int>& dofs = parts[partOfTree[tree]].dofs;
    dofs.resize(dofs.size() + static_cast<std::size_t>(m.tree_dofnum[static_cast<int>(tree)]));
    std::iota(dofs.end() - m.tree_dofnum[static_cast<int>(tree)], dofs.end(), m.tree_dofadr[static_cast<int>(tree)]);
  }
  std::erase_if(parts, [](const Part& part) { return part.flexes.empty() && part.dofs.empty(); });
  for (Part& part : parts) {
    std::sort(part.flexes.begin(), part.flexes.end());
    for (const int f : part.flexes) {
      for (int p = m.flex_pointadr[f]; p < m.flex_pointadr[f] + m.flex_pointnum[f]; ++p) {
        if (m.flexpoint_nodeid[p] < 0) continue;
        for (const int dof : dofsOfPoint(m, p)) part.dofs.push_back(dof);
      }
    }
    std::sort(part.dofs.begin(), part.dofs.end());
  }
  return parts;
}

void makeUnique(std::vector<std::pair<int, int>>& couples) {
  std::sort(couples.begin(), couples.end());
  couples.erase(std::unique(couples.begin(), couples.end()), couples.end());
}

/// Groups that inertia couples, and those that elements couple.
void findCouples(const Model& m, Part& part) {
  std::size_t room = std::size_t{1} << 16;
  const auto couple = [&](int dof1, int dof2) {
    const int a = groupOf(m, dof1), b = groupOf(m, dof2);
    if (a == b) return;
    part.couples.emplace_back(std::max(a, b), std::min(a, b));
    // neighbouring elements repeat the same couples: taking those out in time keeps the list short
    if (part.couples.size() > room) {
      makeUnique(part.couples);
      room = std::max(room, 2 * part.couples.size());
    }
  };
  for (const int dof : part.dofs) {
    for (int k = 0; k < m.M_rownnz[dof]; ++k) couple(dof, m.M_colind[m.M_rowadr[dof] + k]);
  }
  for (const int f : part.flexes) {
    forEachCoupling(m, f, [&](const int* points, int n) {
      if (isRigid(m, points, n)) return;
      std::vector<int> groups;
      for (int a = 0; a < n; ++a) {
        for (const int dof : dofsOfPoint(m, points[a])) groups.push_back(groupOf(m, dof));
      }
      std::sort(groups.begin(), groups.end());
      groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
      for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) couple(groups[i], groups[j]);
      }
    });
  }
  makeUnique(part.couples);
}

/// Rows of a part: all dofs of every earlier group that is coupled to the row's, then its own up to the diagonal.
void writeRows(Model& m, const Part& part) {
  for (std::size_t i = 0; i < part.dofs.size(); ++i) m.dof_stiffrow[part.dofs[i]] = static_cast<int>(i);
  const auto addColumns = [&](int first, int count) {
    for (int k = 0; k < count; ++k) m.K_colind.push_back(m.dof_stiffrow[first + k]);
  };
  for (const int dof : part.dofs) {
    const int group = groupOf(m, dof);
    const int adr = static_cast<int>(m.K_colind.size());
    m.K_rowadr.push_back(adr);
    auto c = std::lower_bound(part.couples.begin(), part.couples.end(), std::pair(group, -1));
    for (; c != part.couples.end() && c->first == group; ++c) {
      addColumns(c->second, groupSize(m, c->second));
    }
    addColumns(group, dof - group + 1);
    m.K_rownnz.push_back(static_cast<int>(m.K_colind.size()) - adr);
  }
}

/// Where the blocks of the elements begin, element after element.
void writePlaces(Model& m, int flex) {
  m.flex_placeadr[flex] = static_cast<int>(m.K_place.size());
  const int part = m.flex_stiffpart[flex];
  if (part < 0) return;
  forEachCoupling(m, flex, [&](const int* points, int n) {
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b <= a; ++b) {
        const int row1 = rowOfNode(m, points[a]), row2 = rowOfNode(m, points[b]);
        const int row = std::max(row1, row2), column = std::min(row1, row2);
        m.K_place.push_back(column < 0 ? -1 : entryOfK(m, part, row, column));
      }
    }
  });
}

}  // namespace

void writeStiffPattern(Model& m) {
  m.dof_stiffrow.assign(m.nv, -1);
  std::fill(m.flex_stiffpart.begin(), m.flex_stiffpart.end(), -1);
  std::vector<Part> parts = partsOf(m);
  for (Part& part : parts) {
    const int id = static_cast<int>(m.stiffpart_dofadr.size());
    for (const int f : part.flexes) m.flex_stiffpart[f] = id;
    m.stiffpart_dofadr.push_back(static_cast<int>(m.stiff_dof.size()));
    m.stiffpart_dofnum.push_back(static_cast<int>(part.dofs.size()));
    for (const int dof : part.dofs) m.stiff_dof.push_back(dof);
    findCouples(m, part);
    writeRows(m, part);
  }
  for (int f = 0; f < m.nflex; ++f) writePlaces(m, f);
  m.nstiffpart = static_cast<int>(parts.size());
  m.nstiffdof = static_cast<int>(m.stiff_dof.size());
  m.nK = static_cast<int>(m.K_colind.size());
  m.nKplace = static_cast<int>(m.K_place.size());
}

}  // namespace sinew::draft
