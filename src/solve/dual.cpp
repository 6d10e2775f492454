#include "solve/dual.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/types.h"
#include "solve/block_solve.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// PCG32 with a fixed seed: the same visiting order in every run and on every machine [O'Neill 2014].
class Shuffler {
 public:
  Shuffler() { next(); }
  /// Fisher-Yates from the back.
  void shuffle(std::span<int> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[next() % static_cast<std::uint32_t>(i)]);
    }
  }

 private:
  std::uint32_t next() {
    const std::uint64_t old = state_;
    state_ = old * 6364136223846793005ull + 1;
    const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
    const auto turn = static_cast<std::uint32_t>(old >> 59);
    return (shifted >> turn) | (shifted << ((32 - turn) & 31));
  }
  std::uint64_t state_ = 0;
};

/// A visit that makes the dual cost worse by more than this is taken back.
constexpr double kWorse = 1e-10;

const ConeParameters& coneOf(const ConstraintProblem& p, const RowBlock& block) { return p.cones[block.cone]; }

/// Scales tangential forces into the ellipsoid sum (f_k/friction_k)^2 <= normal^2.
void toEllipsoid(double* tangents, double normal, const double* friction, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += tangents[k] * tangents[k] / (friction[k] * friction[k]);
  if (sum <= normal * normal) return;
  const double s = std::sqrt(normal * normal / std::max(kMinVal, sum));
  for (int k = 0; k < n; ++k) tangents[k] *= s;
}

/// Change of the dual cost when f goes from `before` to `after` with residual res at `before` and diagonal block S.
/// A change for the worse (beyond rounding) is taken back.
double acceptImprovement(int n, const double* S, const double* res, const double* before, double* after) {
  double change = 0;
  for (int i = 0; i < n; ++i) {
    const double di = after[i] - before[i];
    double Sd = 0;
    for (int j = 0; j < n; ++j) Sd += S[i * n + j] * (after[j] - before[j]);
    change += di * (0.5 * Sd + res[i]);
  }
  if (change > kWorse) {
    std::copy_n(before, n, after);
    return 0;
  }
  return change;
}

/// From zero force to the minimum along the steepest ray of the cone's border, if the cost falls there.
void leaveApex(int n, const double* S, const double* residual, const double* friction, double* f) {
  double ray[kMaxBasis] = {1};
  double steepness = 0;
  for (int k = 1; k < n; ++k) steepness += std::pow(friction[k - 1] * residual[k], 2);
  steepness = std::sqrt(steepness);
  if (residual[0] >= steepness) return;
  for (int k = 1; k < n; ++k) ray[k] = -friction[k - 1] * friction[k - 1] * residual[k] / steepness;
  double slope = 0, curvature = 0;
  for (int i = 0; i < n; ++i) {
    slope += ray[i] * residual[i];
    for (int j = 0; j < n; ++j) curvature += ray[i] * S[i * n + j] * ray[j];
  }
  if (curvature < kMinVal || slope >= 0) return;
  for (int k = 0; k < n; ++k) f[k] = -slope / curvature * ray[k];
}

}  // namespace

DualSolver::DualSolver(const ConstraintProblem& p, const SolveOptions& options, Arena& arena)
    : p_(p), options_(options) {
  const std::size_t nblock = p.blocks.size();
  wide_ = arena.take<Wide>(static_cast<std::ptrdiff_t>(nblock));
  // widths first, so that each array is taken once
  int columns = 0, values = 0, grams = 0;
  std::ptrdiff_t lineValues = 0;
  bool cones = false;
  for (std::size_t b = 0; b < nblock; ++b) {
    const RowBlock& block = p.blocks[b];
    Wide& w = wide_[b];
    w = {columns, 0, values, grams};
    int end = -1;
    for (int j = 0; j < block.ncol; ++j) {
      const int dof = p.columns[block.column + j];
      if (dof < end) continue;
      const Metric::Range range = p.metric->component(dof);
      w.nwide += range.end - range.begin;
      end = range.end;
    }
    columns += w.nwide;
    values += w.nwide * block.nbasis;
    grams += block.nbasis * block.nbasis;
    cones |= block.kind == BlockKind::Elliptic;
    if (block.kind != BlockKind::Elliptic) lineValues += block.nrow * (block.ncol + w.nwide);
  }
  wideColumns_ = arena.take<int>(columns);
  wideValues_ = arena.take<double>(values);
  grams_ = arena.take<double>(grams);
  lines_ = arena.take<Line>(p.rows());
  lineValues_ = arena.take<double>(lineValues);
  const std::ptrdiff_t products = static_cast<std::ptrdiff_t>(p.rows()) * p.rows();
  const bool formed = !cones && products <= lineValues;
  if (formed) products_ = arena.take<double>(products);
  b_ = arena.take<double>(p.rows());
  y_ = arena.zeros<double>(p.dofs());
  if (formed) product_ = arena.take<double>(p.rows());
  kept_ = formed ? product_ : y_;
  keptBefore_ = arena.take<double>(static_cast<std::ptrdiff_t>(kept_.size()));
  before_ = arena.take<double>(p.rows());
  extrapolated_ = arena.take<double>(p.rows());
  order_ = arena.take<int>(p.rows());
  blockOfRow_ = arena.take<int>(p.rows());

  // inv(A) b_k' for every basis vector: y_ serves as the full-length vector and is zero again afterwards
  for (std::size_t b = 0; b < nblock; ++b) {
    const RowBlock& block = p.blocks[b];
    const Wide& w = wide_[b];
    const int* column = p.columns.data() + block.column;
    int* wideColumn = wideColumns_.data() + w.column;
    for (int r = 0; r < block.nrow; ++r) blockOfRow_[block.row + r] = static_cast<int>(b);
    int count = 0;
    for (int j = 0, end = -1; j < block.ncol; ++j) {
      if (column[j] < end) continue;
      const Metric::Range range = p.metric->component(column[j]);
      for (int i = range.begin; i < range.end; ++i) wideColumn[count++] = i;
      end = range.end;
    }
    for (int k = 0; k < block.nbasis; ++k) {
      const double* basis = p.values.data() + block.value + k * block.ncol;
      for (int j = 0; j < block.ncol; ++j) y_[column[j]] = basis[j];
      for (int i = 0; i < w.nwide;) {
        const Metric::Range range = p.metric->component(wideColumn[i]);
        p.metric->solveComponent(range, y_.data());
        i += range.end - range.begin;
      }
      double* target = wideValues_.data() + w.value + k * w.nwide;
      for (int i = 0; i < w.nwide; ++i) target[i] = y_[wideColumn[i]];
      multiplyBasis(block, y_.data(), grams_.data() + w.gram + k * block.nbasis);
      for (int i = 0; i < w.nwide; ++i) y_[wideColumn[i]] = 0;
    }
  }
  multiplyRows(p, p.smoothAcceleration.data(), b_.data());
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] -= p.aref[i];
}

void DualSolver::multiplyBasis(const RowBlock& block, const double* y, double* c) const {
  const double* basis = p_.values.data() + block.value;
  const int* column = p_.columns.data() + block.column;
  for (int k = 0; k < block.nbasis; ++k, basis += block.ncol) {
    double sum = 0;
    for (int j = 0; j < block.ncol; ++j) sum += basis[j] * y[column[j]];
    c[k] = sum;
  }
}

void DualSolver::move(std::size_t b, const double* basisForce) {
  const Wide& w = wide_[b];
  const int* column = wideColumns_.data() + w.column;
  const double* value = wideValues_.data() + w.value;
  for (int k = 0; k < p_.blocks[b].nbasis; ++k, value += w.nwide) {
    const double f = basisForce[k];
    if (f == 0) continue;
    for (int i = 0; i < w.nwide; ++i) y_[column[i]] += f * value[i];
  }
}

void DualSolver::moveRow(std::size_t b, int r, double delta) {
  if (delta == 0) return;
  const RowBlock& block = p_.blocks[b];
  double f[kMaxBasis] = {};
  if (block.kind == BlockKind::Pyramid) {
    const int k = r / 2 + 1;
    const double mu = coneOf(p_, block).friction[k - 1];
    f[0] = delta;
    f[k] = (r % 2 == 0 ? mu : -mu) * delta;
  } else {
    f[r] = delta;
  }
  move(b, f);
}

void DualSolver::recompute(std::span<const double> force) {
  std::fill(y_.begin(), y_.end(), 0.0);
  addTransposed(p_, force.data(), y_.data());
  p_.metric->solve(y_.data());
}

double DualSolver::rowValue(const RowBlock& block, int r, const double* c) const {
  if (block.kind != BlockKind::Pyramid) return c[r];
  const int k = r / 2 + 1;
  const double t = coneOf(p_, block).friction[k - 1] * c[k];
  return r % 2 == 0 ? c[0] + t : c[0] - t;
}

double DualSolver::rowDiagonal(std::size_t b, int r) const {
  const RowBlock& block = p_.blocks[b];
  const double* G = grams_.data() + wide_[b].gram;
  const int n = block.nbasis;
  if (block.kind != BlockKind::Pyramid) return G[r * n + r];
  const int k = r / 2 + 1;
  const double mu = (r % 2 == 0 ? 1 : -1) * coneOf(p_, block).friction[k - 1];
  return G[0] + 2 * mu * G[k] + mu * mu * G[k * n + k];
}

void DualSolver::prepareLines() {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double* value = lineValues_.data();
  for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
    const RowBlock& block = p_.blocks[b];
    if (block.kind == BlockKind::Elliptic) continue;
    const Wide& w = wide_[b];
    for (int r = 0; r < block.nrow; ++r) {
      const auto i = static_cast<std::size_t>(block.row + r);
      Line& line = lines_[i];
      line = {.J = value,
              .Y = value + block.ncol,
              .column = p_.columns.data() + block.column,
              .wideColumn = wideColumns_.data() + w.column,
              .ncol = block.ncol,
              .nwide = w.nwide,
              .inOneRun = w.nwide > 0 && wideColumns_[w.column + w.nwide - 1] - wideColumns_[w.column] == w.nwide - 1,
              .b = b_[i],
              .R = p_.R[i],
              .diagonal = rowDiagonal(b, r) + p_.R[i],
              .least = -kInfinite,
              .most = kInfinite};
      line.inverse = 1 / line.diagonal;
      if (block.kind == BlockKind::Friction) {
        line.least = -p_.frictionloss[i];
        line.most = p_.frictionloss[i];
      } else if (block.kind != BlockKind::Equality) {
        line.least = 0;
      }
      // the row is a basis vector, or an edge b_0 +- mu_k b_k
      const bool edge = block.kind == BlockKind::Pyramid;
      const int k = edge ? r / 2 + 1 : r;
      const double mu = edge ? (r % 2 == 0 ? 1 : -1) * coneOf(p_, block).friction[k - 1] : 0.0;
      const auto combine = [&](const double* basis, int n) {
        for (int j = 0; j < n; ++j) *value++ = edge ? basis[j] + mu * basis[k * n + j] : basis[k * n + j];
      };
      combine(p_.values.data() + block.value, block.ncol);
      combine(wideValues_.data() + w.value, w.nwide);
    }
  }
}

void DualSolver::prepareProducts() {
  if (products_.empty()) return;
  const std::size_t n = lines_.size();
  for (std::size_t j = 0; j < n; ++j) {  // column j: J times y for a unit force in row j
    const Line& moved = lines_[j];
    for (int k = 0; k < moved.nwide; ++k) y_[moved.wideColumn[k]] = moved.Y[k];
    for (std::size_t i = j; i < n; ++i) {
      const Line& line = lines_[i];
      double sum = 0;
      for (int k = 0; k < line.ncol; ++k) sum += line.J[k] * y_[line.column[k]];
      products_[i * n + j] = products_[j * n + i] = sum;
    }
    for (int k = 0; k < moved.nwide; ++k) y_[moved.wideColumn[k]] = 0;
  }
}

void DualSolver::follow(std::size_t i, double delta) {
  if (!products_.empty()) {
    const std::size_t n = lines_.size();
    const double* C = products_.data() + i * n;
    double* product = product_.data();
    for (std::size_t j = 0; j < n; ++j) product[j] += delta * C[j];
    return;
  }
  const Line& line = lines_[i];
  double* y = y_.data();
  if (line.inOneRun) {
    double* run = y + line.wideColumn[0];
    for (int k = 0; k < line.nwide; ++k) run[k] += delta * line.Y[k];
  } else {
    for (int k = 0; k < line.nwide; ++k) y[line.wideColumn[k]] += delta * line.Y[k];
  }
}

double DualSolver::visitLine(std::size_t i, double acceleration, double& force) {
  const Line& line = lines_[i];
  const double residual = acceleration + line.R * force;
  const double next = std::min(std::max(force - residual * line.inverse, line.least), line.most);
  const double delta = next - force;
  const double change = delta * (0.5 * line.diagonal * delta + residual);
  if (delta == 0 || change > kWorse) return 0;
  force = next;
  follow(i, delta);
  return change;
}

double DualSolver::sweepProducts(std::span<const int> order, std::span<double> force) {
  double improvement = 0;
  for (const int row : order) {
    const auto i = static_cast<std::size_t>(row);
    improvement -= visitLine(i, lines_[i].b + product_[i], force[i]);
  }
  return improvement;
}

double DualSolver::sweep(std::span<const int> order, std::span<double> force) {
  double improvement = 0;
  double* y = y_.data();
  for (const int row : order) {
    const auto i = static_cast<std::size_t>(row);
    const auto b = static_cast<std::size_t>(blockOfRow_[i]);
    if (p_.blocks[b].kind == BlockKind::Elliptic) {
      improvement += visitCone(b, force);
      continue;
    }
    const Line& line = lines_[i];
    // two sums, so that an addition need not wait for the one before
    double even = 0, odd = 0;
    int j = 0;
    for (; j + 2 <= line.ncol; j += 2) {
      even += line.J[j] * y[line.column[j]];
      odd += line.J[j + 1] * y[line.column[j + 1]];
    }
    if (j < line.ncol) even += line.J[j] * y[line.column[j]];
    improvement -= visitLine(i, line.b + (even + odd), force[i]);
  }
  return improvement;
}

double DualSolver::visitCone(std::size_t b, std::span<double> force) {
  const RowBlock& block = p_.blocks[b];
  const int n = block.nrow;
  double* f = force.data() + block.row;
  const double* R = p_.R.data() + block.row;
  const double* friction = coneOf(p_, block).friction.data();
  double residual[kMaxBasis] = {}, old[kMaxBasis] = {}, S[kMaxBasis * kMaxBasis];
  multiplyBasis(block, y_.data(), residual);
  std::copy_n(grams_.data() + wide_[b].gram, n * n, S);
  for (int k = 0; k < n; ++k) {
    residual[k] += b_[block.row + k] + R[k] * f[k];
    S[k * n + k] += R[k];
    old[k] = f[k];
  }

  // along the normal if there is no force yet, else along the ray through the present force
  if (f[0] < kMinVal) {
    f[0] = std::max(0.0, f[0] - residual[0] / S[0]);
    std::fill_n(f + 1, n - 1, 0.0);
    // the normal alone would not start a force, but a ray on the border of the cone may: the steepest one is
    // (1, -friction_k^2 g_k / |friction g|). Without this the iteration can get stuck at zero force.
    if (f[0] == 0) leaveApex(n, S, residual, friction, f);
  } else {
    double down = 0, curvature = 0;
    for (int i = 0; i < n; ++i) {
      double Sf = 0;
      for (int j = 0; j < n; ++j) Sf += S[i * n + j] * old[j];
      curvature += old[i] * Sf;
      down -= old[i] * residual[i];
    }
    if (curvature >= kMinVal) {
      const double t = std::max(down / curvature, -1.0);  // -1 brings the force to zero
      for (int k = 0; k < n; ++k) f[k] += t * old[k];
    }
  }

  // tangential forces at this normal force
  if (f[0] < kMinVal) {
    std::fill_n(f + 1, n - 1, 0.0);
  } else {
    const int t = n - 1;
    double St[25] = {}, c[5] = {};
    for (int i = 0; i < t; ++i) {
      c[i] = -residual[i + 1] - S[(i + 1) * n] * (f[0] - old[0]);
      for (int j = 0; j < t; ++j) {
        St[i * t + j] = S[(i + 1) * n + j + 1];
        c[i] += St[i * t + j] * old[j + 1];
      }
    }
    solveInEllipsoid(t, St, c, friction, f[0], f + 1);
  }
  const double change = acceptImprovement(n, S, residual, old, f);
  for (int k = 0; k < n; ++k) old[k] = f[k] - old[k];
  move(b, old);
  return -change;
}

void DualSolver::project(std::span<double> force) {
  for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
    const RowBlock& block = p_.blocks[b];
    double* f = force.data() + block.row;
    if (block.kind == BlockKind::Elliptic) {
      double change[kMaxBasis] = {};
      for (int k = 0; k < block.nrow; ++k) change[k] = -f[k];
      if (f[0] < 0) {
        std::fill_n(f, block.nrow, 0.0);
      } else {
        toEllipsoid(f + 1, f[0], coneOf(p_, block).friction.data(), block.nrow - 1);
      }
      for (int k = 0; k < block.nrow; ++k) change[k] += f[k];
      move(b, change);
      continue;
    }
    for (int r = 0; r < block.nrow; ++r) {
      const auto i = static_cast<std::size_t>(block.row + r);
      const double admissible = std::min(std::max(f[r], lines_[i].least), lines_[i].most);
      const double change = admissible - f[r];
      if (change == 0) continue;
      f[r] = admissible;
      follow(i, change);
    }
  }
}

void DualSolver::extrapolate(double beta, std::span<double> force) {
  const auto goOn = [beta](std::span<double> now, std::span<double> before) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      const double x = now[i];
      now[i] += beta * (x - before[i]);
      before[i] = x;
    }
  };
  goOn(force, before_);
  goOn(kept_, keptBefore_);
  if (beta > 0) project(force);
}

SolveReport DualSolver::projectedGaussSeidel(Solution s) {
  SolveReport report;
  // one stop per row, one per elliptic cone
  std::size_t stops = 0;
  for (const RowBlock& block : p_.blocks) {
    for (int r = 0; r < block.nrow; r += block.kind == BlockKind::Elliptic ? block.nrow : 1) {
      order_[stops++] = block.row + r;
    }
  }
  const std::span<int> order = order_.first(stops);
  Shuffler shuffler;
  prepareLines();
  prepareProducts();
  const bool formed = !products_.empty();
  if (formed) {
    std::fill(product_.begin(), product_.end(), 0.0);
    for (std::size_t i = 0; i < s.force.size(); ++i) {
      if (s.force[i] != 0) follow(i, s.force[i]);
    }
  } else {
    recompute(s.force);
  }
  std::copy(s.force.begin(), s.force.end(), before_.begin());
  std::copy(kept_.begin(), kept_.end(), keptBefore_.begin());

  int sinceRestart = 0;
  while (report.iterations < options_.maxIterations) {
    // Nesterov: f + beta (f - f_before), projected
    const double beta =
        report.iterations > 0 ? static_cast<double>(sinceRestart - 1) / static_cast<double>(sinceRestart + 2) : 0;
    extrapolate(std::max(beta, 0.0), s.force);
    std::copy(s.force.begin(), s.force.end(), extrapolated_.begin());

    shuffler.shuffle(order);
    const double improvement = formed ? sweepProducts(order, s.force) : sweep(order, s.force);

    if (report.iterations > 0) {
      double agreement = 0;
      for (std::size_t i = 0; i < s.force.size(); ++i) {
        agreement += (s.force[i] - extrapolated_[i]) * (extrapolated_[i] - before_[i]);
      }
      sinceRestart = agreement < 0 ? 0 : sinceRestart + 1;
    } else {
      sinceRestart = 1;
    }
    ++report.iterations;
    report.improvement = improvement * p_.dualScale;
    report.converged = report.improvement < options_.tolerance;
    if (report.converged) break;
  }
  finish(s);
  return report;
}

double DualSolver::visitSlipLoss(std::size_t b, std::span<double> force) {
  const RowBlock& block = p_.blocks[b];
  double improvement = 0;
  for (int r = 0; r < block.nrow; ++r) {
    const auto i = static_cast<std::size_t>(block.row + r);
    double c[kMaxBasis] = {};
    multiplyBasis(block, y_.data(), c);
    const double residual = b_[i] + c[r];
    const double diagonal = std::max(kMinVal, rowDiagonal(b, r));
    const double old = force[i];
    force[i] = std::clamp(old - residual / diagonal, -p_.frictionloss[i], p_.frictionloss[i]);
    const double delta = force[i] - old;
    improvement -= delta * (0.5 * delta * diagonal + residual);
    moveRow(b, r, delta);
  }
  return improvement;
}

double DualSolver::visitSlipPair(std::size_t b, int k, std::span<double> force) {
  // opposite edges b_0 +- mu b_k: their sum is the normal force and stays, their difference is friction
  const RowBlock& block = p_.blocks[b];
  const double mu = coneOf(p_, block).friction[k - 1];
  const double* G = grams_.data() + wide_[b].gram;
  const int n = block.nbasis, r = 2 * (k - 1);
  double* f = force.data() + block.row + r;
  double c[kMaxBasis] = {};
  multiplyBasis(block, y_.data(), c);
  const double residual[2] = {b_[block.row + r] + rowValue(block, r, c),
                              b_[block.row + r + 1] + rowValue(block, r + 1, c)};
  const double across = G[0] - mu * mu * G[k * n + k];
  const double S[4] = {std::max(1e-10, rowDiagonal(b, r)), across, across, std::max(1e-10, rowDiagonal(b, r + 1))};
  const double old[2] = {f[0], f[1]};

  const double middle = 0.5 * (old[0] + old[1]);
  const double linear0 = residual[0] - S[0] * old[0] - S[1] * old[1];
  const double linear1 = residual[1] - S[2] * old[0] - S[3] * old[1];
  const double curvature = S[0] + S[3] - S[1] - S[2];
  double half = 0;
  if (curvature >= kMinVal) {
    half = std::clamp(-(middle * (S[0] - S[3]) + linear0 - linear1) / curvature, -middle, middle);
  }
  f[0] = middle + half;
  f[1] = middle - half;
  const double change = acceptImprovement(2, S, residual, old, f);
  moveRow(b, r, f[0] - old[0]);
  moveRow(b, r + 1, f[1] - old[1]);
  return -change;
}

double DualSolver::visitSlipCone(std::size_t b, std::span<double> force) {
  const RowBlock& block = p_.blocks[b];
  const int n = block.nrow, t = n - 1;
  const double* friction = coneOf(p_, block).friction.data();
  const double* G = grams_.data() + wide_[b].gram;
  double* f = force.data() + block.row;
  double moved[kMaxBasis] = {}, residual[5] = {}, S[25] = {}, c[5] = {}, old[5] = {};
  multiplyBasis(block, y_.data(), moved);
  for (int i = 0; i < t; ++i) {
    residual[i] = b_[block.row + i + 1] + moved[i + 1];
    old[i] = f[i + 1];
    for (int j = 0; j < t; ++j) S[i * t + j] = G[(i + 1) * n + j + 1];
    S[i * t + i] = std::max(1e-10, S[i * t + i]);
  }
  for (int i = 0; i < t; ++i) {
    c[i] = -residual[i];
    for (int j = 0; j < t; ++j) c[i] += S[i * t + j] * old[j];
  }
  if (f[0] < kMinVal) {
    std::fill_n(f + 1, t, 0.0);
  } else {
    solveInEllipsoid(t, S, c, friction, f[0], f + 1);
  }
  const double change = acceptImprovement(t, S, residual, old, f + 1);
  double delta[kMaxBasis] = {};
  for (int i = 0; i < t; ++i) delta[i + 1] = f[i + 1] - old[i];
  move(b, delta);
  return -change;
}

SolveReport DualSolver::removeSlip(Solution s) {
  SolveReport report;
  recompute(s.force);
  while (report.iterations < options_.noslipIterations) {
    double improvement = 0;
    // the cost that disappears with R
    if (report.iterations == 0) {
      for (std::size_t i = 0; i < s.force.size(); ++i) improvement += 0.5 * s.force[i] * s.force[i] * p_.R[i];
    }
    for (std::size_t b = 0; b < p_.blocks.size(); ++b) {
      const RowBlock& block = p_.blocks[b];
      if (block.kind == BlockKind::Friction) improvement += visitSlipLoss(b, s.force);
      if (block.kind == BlockKind::Pyramid) {
        for (int k = 1; k < block.nbasis; ++k) improvement += visitSlipPair(b, k, s.force);
      }
      if (block.kind == BlockKind::Elliptic) improvement += visitSlipCone(b, s.force);
    }
    ++report.iterations;
    report.improvement = improvement * p_.dualScale;
    report.converged = report.improvement < options_.noslipTolerance;
    if (report.converged) break;
  }
  finish(s);
  return report;
}

void DualSolver::finish(Solution& s) const {
  std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
  addTransposed(p_, s.force.data(), s.constraintForce.data());
  std::copy(s.constraintForce.begin(), s.constraintForce.end(), s.x.begin());
  p_.metric->solve(s.x.data());
  for (std::size_t i = 0; i < s.x.size(); ++i) s.x[i] += p_.smoothAcceleration[i];

  for (const RowBlock& block : p_.blocks) {
    for (int r = 0; r < block.nrow; ++r) {
      const auto i = static_cast<std::size_t>(block.row + r);
      const double f = s.force[i];
      switch (block.kind) {
        case BlockKind::Equality:
          s.state[i] = RowState::Quadratic;
          break;
        case BlockKind::Friction:
          s.state[i] = f <= -p_.frictionloss[i]  ? RowState::LinearPos
                       : f >= p_.frictionloss[i] ? RowState::LinearNeg
                                                 : RowState::Quadratic;
          break;
        case BlockKind::Unilateral:
        case BlockKind::Pyramid:
          s.state[i] = f <= 0 ? RowState::Satisfied : RowState::Quadratic;
          break;
        case BlockKind::Elliptic:
          break;
      }
    }
    if (block.kind == BlockKind::Elliptic) {
      // the dual picture of the three zones: force inside the cone, on its border, or none at all
      const ConeParameters& cone = coneOf(p_, block);
      const double* f = s.force.data() + block.row;
      const double N = f[0] / cone.mu;
      double T = 0;
      for (int k = 1; k < block.nrow; ++k) {
        const double t = f[k] / cone.friction[k - 1];
        T += t * t;
      }
      T = std::sqrt(T);
      const RowState state = cone.mu * N >= T       ? RowState::Satisfied
                             : N + cone.mu * T <= 0 ? RowState::Quadratic
                                                    : RowState::Cone;
      std::fill_n(s.state.data() + block.row, block.nrow, state);
    }
  }
}

void chooseDualStart(const ConstraintProblem& p, std::span<const double> previous, std::span<double> force,
                     Arena& scratch) {
  const Arena::Scope scope(scratch);
  const std::span<double> residual = scratch.take<double>(p.rows());
  const std::span<RowState> state = scratch.take<RowState>(p.rows());
  multiplyRows(p, previous.data(), residual.data());
  for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= p.aref[i];
  evaluateRows(p, residual.data(), force.data(), state.data());

  // 1/2 f' (C + R) f + f' b with C f = J inv(A) J' f
  const std::span<double> y = scratch.zeros<double>(p.dofs());
  addTransposed(p, force.data(), y.data());
  p.metric->solve(y.data());
  multiplyRows(p, y.data(), residual.data());
  const std::span<double> b = scratch.take<double>(p.rows());
  multiplyRows(p, p.smoothAcceleration.data(), b.data());
  double cost = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    cost += force[i] * (0.5 * (residual[i] + p.R[i] * force[i]) + b[i] - p.aref[i]);
  }
  if (cost > 0) std::fill(force.begin(), force.end(), 0.0);
}

}  // namespace sinew::solve
