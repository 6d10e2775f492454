#include "constraint/problem.h"

#include <algorithm>
#include <numeric>

#include "forces/stiff_metric.h"
#include "model/awake.h"
#include "model/workspace.h"
#include "solve/dual.h"
#include "solve/primal.h"

namespace sinew {
namespace {

/// Representative of a tree's group; groups are merged under their smallest tree.
int find(std::span<int> parent, int tree) {
  while (parent[tree] != tree) {
    int& up = parent[tree];
    up = parent[up];
    tree = up;
  }
  return tree;
}

void join(std::span<int> parent, int a, int b) {
  a = find(parent, a);
  b = find(parent, b);
  if (a != b) parent[std::max(a, b)] = std::min(a, b);
}

/// Body or flex node of a dof, as one number.
int groupOf(const Model& m, int dof) { return dof < m.nv_rigid ? m.dof_bodyid[dof] : m.nbody + (dof - m.nv_rigid) / 3; }

/// First of the given dofs for each body or flex node they belong to, and their number.
std::span<const int> dofGroups(const Model& m, std::span<const int> dofs, Arena& arena) {
  const std::span<int> nodes = arena.take<int>(static_cast<std::ptrdiff_t>(dofs.size()) + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    if (i == 0 || groupOf(m, dofs[i]) != groupOf(m, dofs[i - 1])) nodes[count++] = static_cast<int>(i);
  }
  nodes[count++] = static_cast<int>(dofs.size());
  return nodes.first(count);
}

/// Whether the rows of a tree in `factor` are those of the factor of M.
bool hasFactorOfMass(const Model& m, const Data& d, const double* factor, int tree) {
  const int begin = m.tree_dofadr[tree], end = begin + m.tree_dofnum[tree];
  const int first = m.M_rowadr[begin], last = end < m.nv ? m.M_rowadr[end] : m.nM;
  return std::equal(factor + first, factor + last, d.qLD.data() + first);
}

/// The matrix L'DL of the dofs [begin, end) of one tree, from its factor: the sum over rows k of D_k l_k' l_k. The row
/// of an ancestor has as its columns the first ones of row k.
void multiplyFactor(std::span<const int> rownnz, std::span<const int> rowadr, std::span<const int> colind,
                    std::span<const double> LD, int begin, int end, std::span<double> matrix) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::fill(matrix.begin() + rowadr[at(begin)], matrix.begin() + rowadr[at(end - 1)] + rownnz[at(end - 1)], 0.0);
  for (int k = begin; k < end; ++k) {
    const int adr = rowadr[at(k)], diagonal = rownnz[at(k)] - 1;
    const double* row = LD.data() + adr;  // l_k, and D_k in the place of its 1
    for (int a = 0; a <= diagonal; ++a) {
      const double scaled = a == diagonal ? row[diagonal] : row[diagonal] * row[a];
      double* ancestor = matrix.data() + rowadr[at(colind[at(adr + a)])];
      for (int b = 0; b < a; ++b) ancestor[b] += scaled * row[b];
      ancestor[a] += a == diagonal ? scaled : scaled * row[a];
    }
  }
}

/// Stiffness in the metric couples all dofs of a part.
void joinStiffParts(const Model& m, const Data& d, std::span<int> parent) {
  if (!stiffnessIsImplicit(m)) return;
  for (int part = 0; part < m.nstiffpart; ++part) {
    if (stiffPartAsleep(m, d, part)) continue;
    const std::span<const int> dofs = stiffDofs(m, part);
    for (const int dof : dofs) join(parent, m.dof_treeid[dofs[0]], m.dof_treeid[dof]);
  }
}

}  // namespace

solve::ConstraintProblem rowsOf(const Data& d) {
  solve::ConstraintProblem p;
  p.blocks = d.row_block;
  p.columns = d.row_column;
  p.values = d.row_value;
  p.cones = d.row_cone;
  p.aref = d.efc_aref;
  p.target = d.efc_target;
  p.D = d.efc_D;
  p.R = d.efc_R;
  p.frictionloss = d.efc_frictionloss;
  return p;
}

std::span<Island> findIslands(const Model& m, Data& d) {
  const std::span<int> parent = d.work->arena.take<int>(m.ntree);
  std::iota(parent.begin(), parent.end(), 0);
  const std::span<std::uint8_t> constrained = d.work->arena.zeros<std::uint8_t>(m.ntree);
  joinStiffParts(m, d, parent);
  const std::span<int> treeOf = d.work->arena.take<int>(d.row_block.size());  // of each block's first column
  for (std::size_t b = 0; b < treeOf.size(); ++b) {
    const RowBlock& block = d.row_block[static_cast<std::ptrdiff_t>(b)];
    if (b > 0 && shareColumns(block, d.row_block[static_cast<std::ptrdiff_t>(b) - 1])) {
      treeOf[b] = treeOf[b - 1];
      continue;
    }
    treeOf[b] = -1;
    if (block.ncol == 0) continue;  // nothing can move: such rows belong to no island
    const int* column = d.row_column.data() + block.column;
    const int first = treeOf[b] = m.dof_treeid[column[0]];
    constrained[first] = 1;
    for (int k = 1, last = first; k < block.ncol; ++k) {
      const int tree = m.dof_treeid[column[k]];
      if (tree == last) continue;
      last = tree;
      constrained[tree] = 1;
      join(parent, first, tree);
    }
  }

  for (int tree = 0; tree < m.ntree; ++tree) {
    if (constrained[tree]) constrained[find(parent, tree)] = 1;
  }

  // number the groups by their smallest tree, count, then fill
  const std::span<int> islandOf = d.work->arena.take<int>(m.ntree);
  const std::span<int> treeCount = d.work->arena.zeros<int>(m.ntree);
  const std::span<int> blockCount = d.work->arena.zeros<int>(m.ntree);
  int count = 0;
  for (int tree = 0; tree < m.ntree; ++tree) {
    const auto t = static_cast<std::size_t>(tree);
    const int root = find(parent, tree);
    if (!constrained[root]) {
      islandOf[t] = -1;
      continue;
    }
    islandOf[t] = root == tree ? count++ : islandOf[root];
    ++treeCount[islandOf[t]];
  }
  for (const int tree : treeOf) {
    if (tree >= 0) ++blockCount[islandOf[tree]];
  }
  const std::span<Island> islands = d.work->arena.take<Island>(count);
  for (std::size_t i = 0; i < islands.size(); ++i) {
    islands[i] = {d.work->arena.take<int>(treeCount[i]), d.work->arena.take<int>(blockCount[i])};
    treeCount[i] = blockCount[i] = 0;
  }
  for (int tree = 0; tree < m.ntree; ++tree) {
    const int i = islandOf[tree];
    if (i < 0) continue;
    const auto k = static_cast<std::size_t>(i);
    islands[k].trees[treeCount[k]++] = tree;
    islands[k].ndof += m.tree_dofnum[tree];
  }
  for (std::size_t b = 0; b < treeOf.size(); ++b) {
    if (treeOf[b] < 0) continue;
    const auto k = static_cast<std::size_t>(islandOf[treeOf[b]]);
    islands[k].blocks[blockCount[k]++] = static_cast<int>(b);
    islands[k].nrow += d.row_block[static_cast<std::ptrdiff_t>(b)].nrow;
  }
  return islands;
}

Island wholeIsland(const Model& m, Data& d) {
  Island island{d.work->arena.take<int>(d.ntree_awake), d.work->arena.take<int>(d.row_block.size())};
  std::size_t count = 0;
  for (int tree = 0; tree < m.ntree; ++tree) {
    if (treeAsleep(d, tree)) continue;
    island.trees[count++] = tree;
    island.ndof += m.tree_dofnum[tree];
  }
  std::iota(island.blocks.begin(), island.blocks.end(), 0);
  island.nrow = d.nefc();
  island.whole = true;
  return island;
}

IslandProblem::IslandProblem(const Model& m, const Data& d, const Island& island, const TreeMotion& trees,
                             Arena& arena) {
  const int ntree = static_cast<int>(island.trees.size());
  dof_ = arena.take<int>(island.ndof);
  row_ = arena.take<int>(island.nrow);
  const std::span<int> treeOf = arena.take<int>(island.ndof);
  const std::span<int> treeAdr = arena.take<int>(ntree);
  const std::span<int> treeNum = arena.take<int>(ntree);
  // local minus global dof number, by tree of the model; set for those of the island only
  const std::span<int> shift = arena.take<int>(m.ntree);

  int n = 0, entries = 0;
  for (std::size_t t = 0; t < island.trees.size(); ++t) {
    const int tree = island.trees[t];
    treeAdr[t] = n;
    treeNum[t] = m.tree_dofnum[tree];
    shift[tree] = n - m.tree_dofadr[tree];
    for (int k = 0; k < treeNum[t]; ++k, ++n) {
      const int dof = m.tree_dofadr[tree] + k;
      dof_[n] = dof;
      treeOf[n] = static_cast<int>(t);
      entries += m.M_rownnz[dof];
    }
  }

  // the metric: rows of M keep their shape, only the numbering changes
  const std::span<int> rownnz = arena.take<int>(n), rowadr = arena.take<int>(n), colind = arena.take<int>(entries);
  const std::span<double> M = arena.take<double>(entries), LD = arena.take<double>(entries);
  const std::span<double> diagInv = arena.take<double>(n);
  for (std::size_t i = 0, at = 0; i < dof_.size(); ++i) {
    const int dof = dof_[i];
    const int move = shift[m.dof_treeid[dof]];
    rownnz[i] = m.M_rownnz[dof];
    rowadr[i] = static_cast<int>(at);
    diagInv[i] = trees.diagInv[dof];
    for (int k = m.M_rowadr[dof]; k < m.M_rowadr[dof] + m.M_rownnz[dof]; ++k, ++at) {
      colind[at] = m.M_colind[k] + move;
      M[at] = d.M[k];
      LD[at] = trees.factor[k];
    }
  }
  if (trees.factor != d.qLD.data()) {
    for (std::size_t t = 0; t < island.trees.size(); ++t) {
      if (!hasFactorOfMass(m, d, trees.factor, island.trees[t])) {
        multiplyFactor(rownnz, rowadr, colind, LD, treeAdr[t], treeAdr[t] + treeNum[t], M);
      }
    }
  }
  double trace = 0;
  for (std::size_t i = 0; i < dof_.size(); ++i) trace += M[rowadr[i] + rownnz[i] - 1];
  trees_.emplace(sparse::LowerRows{n, rownnz.data(), rowadr.data(), colind.data(), M.data()}, LD.data(), diagInv.data(),
                 treeOf.data(), treeAdr.data(), treeNum.data());
  if (stiffnessIsImplicit(m)) addStiffness(m, d, arena);

  problem_ = rowsOf(d);
  const auto local = [&](int dof) { return dof + shift[m.dof_treeid[dof]]; };
  if (island.blocks.size() == static_cast<std::size_t>(d.row_block.size())) {
    // all rows: they stay where they are, and columns need a copy only if dofs have other numbers here
    std::iota(row_.begin(), row_.end(), 0);
    if (n > 0 && dof_.back() != n - 1) {
      const std::span<int> column = arena.take<int>(d.row_column.size());
      std::transform(d.row_column.begin(), d.row_column.end(), column.begin(), local);
      problem_.columns = column;
    }
  } else {
    takeRows(d, island, local, arena);
  }

  const std::span<double> a0 = arena.take<double>(n), f0 = arena.take<double>(n);
  x_ = arena.take<double>(n);
  warmStart_ = arena.take<double>(n);
  for (std::size_t i = 0; i < dof_.size(); ++i) {
    a0[i] = trees.acceleration[dof_[i]];
    f0[i] = d.qfrc_smooth[dof_[i]];
    warmStart_[i] = d.qacc_warmstart[dof_[i]];
  }
  if (stiff_) {
    for (std::size_t i = 0; i < dof_.size(); ++i) f0[i] += d.qfrc_implicit[dof_[i]];
  }
  std::copy(a0.begin(), a0.end(), x_.begin());
  constraintForce_ = arena.take<double>(n);
  force_ = arena.take<double>(island.nrow);
  state_ = arena.take<RowState>(island.nrow);

  problem_.metric = stiff_ ? static_cast<const solve::Metric*>(&*stiff_) : &*trees_;
  problem_.smoothAcceleration = a0;
  problem_.smoothForce = f0;
  problem_.nodes = dofGroups(m, dof_, arena);
  problem_.plans = island.plans;
  problem_.stiff = stiff_.has_value();
  problem_.hasStiffSolids = hasStiffSolids_;
  problem_.hasFlexNodes = !dof_.empty() && dof_.back() >= m.nv_rigid;
  problem_.bodyDofs = static_cast<int>(std::lower_bound(dof_.begin(), dof_.end(), m.nv_rigid) - dof_.begin());
  problem_.dualScale = 1 / (m.stat.meaninertia * std::max(1, m.nv));
  problem_.primalScale = island.whole ? problem_.dualScale : 1 / trace;
}

template <class Local>
void IslandProblem::takeRows(const Data& d, const Island& island, Local&& local, Arena& arena) {
  int columns = 0;
  for (const int b : island.blocks) columns += d.row_block[b].ncol;
  const std::span<RowBlock> blocks = arena.take<RowBlock>(static_cast<std::ptrdiff_t>(island.blocks.size()));
  const std::span<int> column = arena.take<int>(columns);
  const int soft = d.efc_D.empty() ? 0 : island.nrow;
  const std::span<double> loss = arena.take<double>(island.nrow), aref = arena.take<double>(soft),
                          D = arena.take<double>(soft), R = arena.take<double>(soft),
                          target = arena.take<double>(island.nrow - soft);
  std::size_t row = 0;
  int at = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const RowBlock& source = d.row_block[island.blocks[b]];
    RowBlock& block = blocks[b] = source;
    block.row = static_cast<int>(row);
    if (b > 0 && shareColumns(source, d.row_block[island.blocks[b - 1]])) {
      block.column = blocks[b - 1].column;
    } else {
      block.column = at;
      for (int k = 0; k < source.ncol; ++k, ++at) {
        column[at] = local(d.row_column[source.column + k]);
      }
    }
    for (int r = 0; r < source.nrow; ++r, ++row) {
      const int global = source.row + r;
      row_[row] = global;
      loss[row] = d.efc_frictionloss[global];
      if (soft == 0) {
        target[row] = d.efc_target[global];
        continue;
      }
      aref[row] = d.efc_aref[global];
      D[row] = d.efc_D[global];
      R[row] = d.efc_R[global];
    }
  }
  problem_.blocks = blocks;
  problem_.columns = column;
  problem_.aref = aref;
  problem_.target = target;
  problem_.D = D;
  problem_.R = R;
  problem_.frictionloss = loss;
}

void IslandProblem::addStiffness(const Model& m, const Data& d, Arena& arena) {
  const int n = static_cast<int>(dof_.size());
  const sparse::LowerRows M = trees_->lower();
  const auto localOf = [&](int dof) {  // -1: not in this island
    const auto found = std::lower_bound(dof_.begin(), dof_.end(), dof);
    return found != dof_.end() && *found == dof ? static_cast<int>(found - dof_.begin()) : -1;
  };

  // a part is in the island as a whole, or not at all
  const std::span<solve::StiffMetric::Part> parts = arena.take<solve::StiffMetric::Part>(m.nstiffpart);
  const std::span<int> partOf = arena.take<int>(n), idOf = arena.take<int>(m.nstiffpart);  // by local dof, local part
  std::fill(partOf.begin(), partOf.end(), -1);
  std::size_t count = 0;
  int entries = 0;
  for (int part = 0; part < m.nstiffpart; ++part) {
    const std::span<const int> global = stiffDofs(m, part);
    if (localOf(global[0]) < 0) continue;
    const std::span<int> dofs = arena.take<int>(static_cast<std::ptrdiff_t>(global.size()));
    int local = localOf(global[0]);
    for (std::size_t k = 0; k < dofs.size(); ++k) {
      while (dof_[local] != global[k]) ++local;  // both grow
      dofs[k] = local;
      partOf[dofs[k]] = static_cast<int>(count);
      entries += m.K_rownnz[m.stiffpart_dofadr[part] + static_cast<int>(k)];
    }
    idOf[count] = part;
    hasStiffSolids_ = hasStiffSolids_ || partHasSolids(m, part);
    parts[count++] = {dofs, stiffSolver(m, d, part, arena),
                      arena.take<double>(static_cast<std::ptrdiff_t>(dofs.size()))};
  }
  if (count == 0) return;
  if (static_cast<int>(parts[0].dofs.size()) == n) {  // the island is a part: its rows are there already
    stiff_.emplace(*trees_, stiffRows(m, d, idOf[0]), parts.first(count));
    return;
  }

  int treeRows = n;
  for (int i = n - 1; i >= 0; --i) {
    if (partOf[i] >= 0) {
      treeRows = i;
    } else {
      entries += M.rownnz[i];
    }
  }
  const std::span<int> rownnz = arena.take<int>(n), rowadr = arena.take<int>(n), colind = arena.take<int>(entries);
  const std::span<double> value = arena.take<double>(entries);
  std::size_t at = 0;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool isStiff = partOf[k] >= 0;
    const int part = isStiff ? idOf[partOf[k]] : -1;
    const sparse::LowerRows source = isStiff ? stiffRows(m, d, part) : M;
    const int row = isStiff ? m.dof_stiffrow[dof_[k]] : i;
    rownnz[k] = source.rownnz[row];
    rowadr[k] = static_cast<int>(at);
    // parts number their rows in the order of their dofs, so columns keep growing
    const int* dofs = isStiff ? parts[partOf[k]].dofs.data() : nullptr;
    for (int e = source.rowadr[row]; e < source.rowadr[row] + source.rownnz[row]; ++e, ++at) {
      colind[at] = isStiff ? dofs[source.colind[e]] : source.colind[e];
      value[at] = source.value[e];
    }
  }
  sparse::LowerRows A{n, rownnz.data(), rowadr.data(), colind.data(), value.data()};
  A.treeRows = treeRows;
  stiff_.emplace(*trees_, A, parts.first(count));
}

void IslandProblem::chooseStart(const Option& opt, Arena& arena) {
  std::fill(force_.begin(), force_.end(), 0.0);
  if (opt.disabled(disable::kWarmStart)) return;
  if (opt.solver == Solver::PGS) {
    solve::chooseDualStart(problem_, warmStart_, force_, arena);
  } else {
    startResidual_ = arena.take<double>(problem_.rows());
    solve::chooseStart(problem_, warmStart_, x_, startResidual_, arena);
  }
}

void IslandProblem::takeImpulses(const Data& d, std::span<double> lambda) const {
  for (std::size_t i = 0; i < row_.size(); ++i) lambda[i] = d.work->row_impulse[row_[i]];
}

void IslandProblem::takeVelocities(const Data& d) {
  for (std::size_t i = 0; i < dof_.size(); ++i) x_[i] = d.qvel[dof_[i]];
}

void IslandProblem::scatter(Data& d) const {
  for (std::size_t i = 0; i < dof_.size(); ++i) {
    d.qacc[dof_[i]] = x_[i];
    d.qfrc_constraint[dof_[i]] = constraintForce_[i];
  }
  for (std::size_t i = 0; i < row_.size(); ++i) {
    d.efc_force[row_[i]] = force_[i];
    d.efc_state[row_[i]] = state_[i];
  }
}

}  // namespace sinew
