#include "support/random_problem.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace sinew::test {

RandomProblem::RandomProblem(unsigned seed, const Counts& counts)
    : generator_(seed), n_(counts.dofs * counts.trees), perTree_(counts.dofs) {
  const Eigen::Index n = perTree_;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n_, n_);
  diagInv_.resize(static_cast<std::size_t>(n_));
  for (int tree = 0; tree < counts.trees; ++tree) {
    Eigen::MatrixXd G(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) G(i, j) = uniform(-1, 1);
    }
    const Eigen::MatrixXd T = G * G.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n);
    const int first = tree * perTree_;
    A.block(first, first, n, n) = T;

    // T = L'DL from the last row to the first
    Eigen::MatrixXd L = T;
    for (Eigen::Index k = n - 1; k >= 0; --k) {
      diagInv_[first + k] = 1 / L(k, k);
      for (Eigen::Index i = 0; i < k; ++i) {
        const double l = L(k, i) / L(k, k);
        for (Eigen::Index j = 0; j <= i; ++j) L(i, j) -= l * L(k, j);
      }
      for (Eigen::Index i = 0; i < k; ++i) L(k, i) /= L(k, k);
    }
    for (int i = 0; i < perTree_; ++i) {
      rowadr_.push_back(static_cast<int>(colind_.size()));
      rownnz_.push_back(i + 1);
      for (int j = 0; j <= i; ++j) {
        colind_.push_back(first + j);
        matrix_.push_back(T(i, j));
        factor_.push_back(L(i, j));
      }
      treeOf_.push_back(tree);
    }
    treeAdr_.push_back(first);
    treeNum_.push_back(perTree_);
    nodes_.push_back(first);
  }
  nodes_.push_back(n_);
  metric_ = std::make_unique<solve::TreeMetric>(
      sparse::LowerRows{n_, rownnz_.data(), rowadr_.data(), colind_.data(), matrix_.data()}, factor_.data(),
      diagInv_.data(), treeOf_.data(), treeAdr_.data(), treeNum_.data());

  for (int i = 0; i < counts.equalities; ++i) addBlock(BlockKind::Equality, i % 2 == 0 ? 3 : 1, i % 2 == 0 ? 3 : 1);
  for (int i = 0; i < 8 * counts.runs; ++i) addBlock(BlockKind::Equality, 1, 1, i % 8 > 0);
  for (int i = 0; i < counts.frictions; ++i) addBlock(BlockKind::Friction, 1, 1);
  for (int i = 0; i < counts.unilateral; ++i) addBlock(BlockKind::Unilateral, 1, 1);
  for (int i = 0; i < counts.pyramids; ++i) {
    const int dim = i % 3 == 0 ? 3 : i % 3 == 1 ? 4 : 6;
    addBlock(BlockKind::Pyramid, dim, 2 * (dim - 1));
  }
  for (int i = 0; i < counts.cones; ++i) {
    const int dim = i % 3 == 0 ? 3 : i % 3 == 1 ? 4 : 6;
    addBlock(BlockKind::Elliptic, dim, dim);
  }

  Eigen::VectorXd a0(n_);
  for (Eigen::Index i = 0; i < n_; ++i) a0(i) = uniform(-5, 5);
  const Eigen::VectorXd f0 = A * a0;
  a0_.assign(a0.begin(), a0.end());
  f0_.assign(f0.begin(), f0.end());
  problem_.metric = metric_.get();
  problem_.smoothAcceleration = a0_;
  problem_.smoothForce = f0_;
  problem_.blocks = blocks_;
  problem_.columns = columns_;
  problem_.values = values_;
  problem_.cones = cones_;
  problem_.nodes = nodes_;
  problem_.aref = aref_;
  problem_.D = D_;
  problem_.R = R_;
  problem_.frictionloss = frictionloss_;
  problem_.primalScale = problem_.dualScale = 1 / A.trace();
}

void RandomProblem::chooseColumns(RowBlock& block) {
  // up to six columns of one tree or of two
  const int trees = n_ / perTree_;
  std::vector<int> all;
  for (const int tree : {static_cast<int>(generator_() % static_cast<unsigned>(trees)),
                         static_cast<int>(generator_() % static_cast<unsigned>(trees))}) {
    for (int i = 0; i < perTree_; ++i) all.push_back(tree * perTree_ + i);
  }
  std::shuffle(all.begin(), all.end(), generator_);
  all.resize(std::min<std::size_t>(all.size(), 6));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  block.ncol = static_cast<int>(all.size());
  columns_.insert(columns_.end(), all.begin(), all.end());
}

void RandomProblem::addBlock(BlockKind kind, int nbasis, int nrow, bool sharesColumns) {
  RowBlock block;
  block.kind = kind;
  block.row = static_cast<int>(D_.size());
  block.nrow = nrow;
  block.nbasis = nbasis;
  block.column = static_cast<int>(columns_.size());
  block.value = static_cast<int>(values_.size());
  if (sharesColumns) {
    block.column = blocks_.back().column;
    block.ncol = blocks_.back().ncol;
  } else {
    chooseColumns(block);
  }
  for (int k = 0; k < nbasis * block.ncol; ++k) values_.push_back(uniform(-1, 1));

  const double D = std::exp(uniform(0, 5));
  if (kind == BlockKind::Pyramid || kind == BlockKind::Elliptic) {
    block.cone = static_cast<int>(cones_.size());
    ConeParameters cone;
    for (double& f : cone.friction) f = uniform(0.2, 1);
    cone.mu = cone.friction[0] * uniform(0.5, 1);
    cones_.push_back(cone);
  }
  for (int r = 0; r < nrow; ++r) {
    aref_.push_back(uniform(-3, 3));
    // the masses of an elliptic cone are tied to each other, so that the cost is smooth across the zones:
    // D_k = D_0 friction_k^2 / mu^2
    double mass = D;
    if (kind == BlockKind::Elliptic && r > 0) {
      const double ratio = cones_.back().friction[r - 1] / cones_.back().mu;
      mass = D * ratio * ratio;
    }
    D_.push_back(mass);
    R_.push_back(1 / mass);
    frictionloss_.push_back(kind == BlockKind::Friction ? uniform(0.1, 3) : 0);
  }
  blocks_.push_back(block);
}

}  // namespace sinew::test
