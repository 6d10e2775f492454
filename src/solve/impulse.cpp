#include "solve/impulse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "math/kernel.h"
#include "math/types.h"
#include "solve/block_solve.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// One sweep in so many relaxes: it takes the velocity of position correction out.
constexpr int kRelaxing = 4;
/// Largest share of a depth that a substep removes; more would overshoot.
constexpr double kMostShare = 0.3;

/// Manifolds of a segment from which on threads share it, and of a piece: a microsecond of work.
constexpr std::size_t kWorthSharing = 128, kPiece = 8;

/// 1 / x with the regularization; a row that nothing can move has no impulse.
double inverseOf(double diagonal) { return diagonal > kMinVal * kMinVal ? 1 / (diagonal * (1 + kRegularization)) : 0; }

/// y += a x, n numbers each, which do not overlap.
SINEW_KERNEL void addScaled(int n, double a, const double* __restrict x, double* __restrict y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

/// Coulomb's cone: scales the tangents back to it; without a normal impulse there are none.
void intoCone(int n, const double* friction, double* lambda) {
  if (!(lambda[0] > kLeastNormal)) {
    std::fill_n(lambda, n, 0.0);
    return;
  }
  double square = 0;
  for (int k = 1; k < n; ++k) {
    const double share = lambda[k] / (friction[k - 1] * lambda[0]);
    square += share * share;
  }
  if (square <= 1) return;
  for (int k = 1; k < n; ++k) lambda[k] /= std::sqrt(square);
}

/// Whether two contacts of the same bodies have the same columns for the first three dofs of each side. Zeros of either
/// sign are the same.
bool sameShift(const double* J1, const double* J2, int sides) {
  bool differs = false;
  for (int k = 0; k < 3 * sides; ++k) {  // a row of one side after the other
    for (int i = 0; i < 3; ++i) differs |= J1[kSmall * k + i] != J2[kSmall * k + i];
  }
  return !differs;
}

}  // namespace

ImpulseSolver::ImpulseSolver(const ConstraintProblem& p, const Part& part, ImpulseSpace& space, const ImpulseRows& rows,
                             const ImpulseOptions& options, Arena& arena)
    : p_(p), rows_(rows), options_(options), space_(space), dofs_(part.dofs) {
  prepare(part.blocks, arena);
}

ImpulseSolver::ImpulseSolver(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                             Arena& arena)
    : p_(p), rows_(rows), options_(options), ownSpace_(std::in_place, *p.metric, arena), space_(*ownSpace_) {
  const std::span<int> dofs = arena.take<int>(static_cast<std::ptrdiff_t>(space_.components().size()));
  for (std::size_t i = 0; i < dofs.size(); ++i) dofs[i] = space_.components()[i].begin;
  dofs_ = dofs;
  const std::span<int> all = arena.take<int>(static_cast<std::ptrdiff_t>(p.blocks.size()));
  std::iota(all.begin(), all.end(), 0);
  prepare(all, arena);
}

void ImpulseSolver::prepare(std::span<const int> blocks, Arena& arena) {
  const auto isCone = [](const RowBlock& block) { return block.kind == BlockKind::Elliptic && block.nrow == 3; };
  std::ptrdiff_t cones = 0;
  for (const int b : blocks) cones += isCone(p_.blocks[b]);
  const auto most = static_cast<std::ptrdiff_t>(blocks.size());
  contacts_ = arena.take<FreeContact>(cones);
  jacobians_ = arena.take<const double*>(cones);
  free_ = arena.take<const RowBlock*>(cones);
  manifolds_ = arena.take<Manifold>(cones);
  large_ = arena.take<LargeBlock>(most);
  idle_ = arena.take<const RowBlock*>(most);
  segments_ = arena.take<Segment>(most);
  Sides last;
  for (const int b : blocks) {
    const RowBlock& block = p_.blocks[b];
    const Manifold* sides = nullptr;
    if (!acts(block)) {
      idle_[idleCount_++] = &block;
    } else if (isCone(block) && (sides = sidesOf(block, last))) {
      addFreeContact(block, *sides, arena);
    } else {
      addToSegment(false);
      large_[largeCount_] = {.rows = &block};
      prepareLarge(large_[largeCount_++], arena);
    }
  }
  contacts_ = contacts_.first(contactCount_);
  free_ = free_.first(contactCount_);
  manifolds_ = manifolds_.first(manifoldCount_);
  large_ = large_.first(largeCount_);
  idle_ = idle_.first(idleCount_);
  int columns = 1, couplings = 1;
  for (const Manifold& m : manifolds_) {
    columns += Manifold::kTriple * m.sides * (1 + m.count);
    couplings += Manifold::kBlock * Manifold::blocks(m.count);
  }
  double *column = arena.take<double>(columns).data(), *coupling = arena.take<double>(couplings).data();
  for (Manifold& m : manifolds_) {
    m.columns = column;
    m.coupling = coupling;
    column += Manifold::kTriple * m.sides * (1 + m.count);
    coupling += Manifold::kBlock * Manifold::blocks(m.count);
  }
  prepareManifolds(manifolds_, contacts_.data(), jacobians_.data(), space_.free());
  for (Segment& s : segments_.first(segmentCount_)) {
    if (s.free && options_.threads > 1 && s.end - s.begin >= kWorthSharing) makeStages(s, arena);
  }
}

void ImpulseSolver::makeStages(Segment& segment, Arena& arena) const {
  const std::span<const Manifold> manifolds = manifolds_.subspan(segment.begin, segment.end - segment.begin);
  const std::size_t count = manifolds.size();
  const auto size = static_cast<std::ptrdiff_t>(count);
  Stages& stages = segment.stages;
  stages.manifolds = arena.take<Manifold>(size);
  const std::span<int> piece = arena.take<int>(size + 1), forth = arena.take<int>(size), back = arena.take<int>(size);
  int slots = 0;
  for (const Manifold& m : manifolds) slots = std::max({slots, m.slot[0], m.slot[1]});
  std::size_t levels = 0, pieces = 0;
  {
    const Arena::Scope scope(arena);
    const std::span<int> next = arena.zeros<int>(slots + 1);  // level of the next manifold of a body, by its slot
    const std::span<int> level = arena.take<int>(size), place = arena.zeros<int>(size + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const Manifold& m = manifolds[i];
      int& first = next[m.slot[0]];
      int& second = next[m.sides == 2 ? m.slot[1] : m.slot[0]];
      level[i] = std::max(first, second);
      first = second = level[i] + 1;
      ++place[level[i] + 1];
    }
    for (std::size_t l = 0; l < count; ++l) {
      if (place[l + 1] > 0) levels = l + 1;
      for (int begin = 0; begin < place[l + 1]; begin += kPiece) piece[pieces++] = place[l] + begin;
      forth[l] = static_cast<int>(pieces);
      place[l + 1] += place[l];
    }
    piece[pieces] = static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) stages.manifolds[place[level[i]]++] = manifolds[i];
  }
  for (std::size_t l = 0; l < levels; ++l) {
    back[l] = static_cast<int>(pieces) - (l + 1 < levels ? forth[levels - 2 - l] : 0);
  }
  stages.piece = piece.first(pieces + 1);
  stages.forth = forth.first(levels);
  stages.back = back.first(levels);
  stages.change = arena.take<Change>(static_cast<std::ptrdiff_t>(pieces));
}

bool ImpulseSolver::acts(const RowBlock& block) const {
  return block.kind != BlockKind::Elliptic || rows_.target[block.row] != -std::numeric_limits<double>::infinity();
}

const Manifold* ImpulseSolver::sidesOf(const RowBlock& block, Sides& last) {
  if (last.block && shareColumns(block, *last.block)) return last.few ? &last.places : nullptr;
  last = {};
  last.block = &block;
  Manifold& m = last.places;
  const int* column = p_.columns.data() + block.column;
  for (int j = 0; j < block.ncol; ++m.sides) {
    const ImpulseSpace::Component& c = space_.componentOf(column[j]);
    if (m.sides == 2 || !c.small()) return nullptr;
    space_.prepare(c);
    m.slot[m.sides] = c.slot;
    m.dense[m.sides] = c.dense;
    while (j < block.ncol && column[j] < c.end) ++j;  // columns grow
  }
  last.few = true;
  return &m;
}

void ImpulseSolver::addToSegment(bool free) {
  const std::size_t index = free ? manifoldCount_ : largeCount_;
  if (segmentCount_ == 0 || segments_[segmentCount_ - 1].free != free)
    segments_[segmentCount_++] = {free, index, index, {}};
  ++segments_[segmentCount_ - 1].end;
}

/// The rows as free contacts have them: all places of a side are there.
const double* ImpulseSolver::paddedRows(const RowBlock& block, const Manifold& sides, Arena& arena) const {
  const double* values = p_.values.data() + block.value;
  if (block.ncol == kSmall * sides.sides) return values;
  const int width = kSmall * sides.sides;
  double* J = arena.zeros<double>(3 * width).data();
  for (int j = 0; j < block.ncol; ++j) {
    const int slot = space_.slotOf(p_.columns[block.column + j]);
    const std::size_t side = slot >= sides.slot[0] && slot < sides.slot[0] + kSlots ? 0 : 1;
    double* place = J + kSmall * static_cast<int>(side) + (slot - sides.slot[side]);
    for (int k = 0; k < 3; ++k) place[k * width] = values[k * block.ncol + j];
  }
  return J;
}

void ImpulseSolver::addFreeContact(const RowBlock& block, const Manifold& sides, Arena& arena) {
  const double* J = jacobians_[contactCount_] = paddedRows(block, sides, arena);
  free_[contactCount_] = &block;
  FreeContact& contact = contacts_[contactCount_++];
  contact.row = block.row;
  contact.course = contact.change = {};
  contact.lambda = contact.total = {};
  contact.gap = contact.bias = 0;
  contact.keeps = 1;
  contact.yields = {};
  contact.slip = 0;
  const ConeParameters& cone = p_.cones[block.cone];
  contact.friction = {cone.friction[0], cone.friction[1]};
  std::copy_n(rows_.target.data() + block.row, 3, contact.target.begin());

  const bool continues = segmentCount_ > 0 && segments_[segmentCount_ - 1].free;
  Manifold* last = continues ? &manifolds_[manifoldCount_ - 1] : nullptr;
  if (last && last->count < Manifold::kMostPoints && last->sides == sides.sides && last->slot == sides.slot &&
      sameShift(J, jacobians_[last->begin], sides.sides)) {
    ++last->count;
    return;
  }
  addToSegment(true);
  Manifold& manifold = manifolds_[manifoldCount_++] = sides;
  manifold.begin = static_cast<int>(contactCount_ - 1);
  manifold.count = 1;
}

void ImpulseSolver::prepareLarge(LargeBlock& large, Arena& arena) {
  const RowBlock& block = *large.rows;
  const int* column = p_.columns.data() + block.column;
  const int n = block.nbasis;
  double* scratch = space_.scratch();
  const auto componentAt = [&](int j) -> const ImpulseSpace::Component& { return space_.componentOf(column[j]); };
  // growing columns: those of one component are neighbours
  const auto forEachComponent = [&](auto&& visit) {
    for (int j = 0, end = -1; j < block.ncol; ++j) {
      if (column[j] < end) continue;
      end = componentAt(j).end;
      visit(componentAt(j));
    }
  };
  forEachComponent([&](const ImpulseSpace::Component&) { ++large.nrun; });
  const std::span<Run> runs = arena.take<Run>(large.nrun);
  std::size_t run = 0;
  forEachComponent([&](const ImpulseSpace::Component& c) {
    runs[run++] = {c.slot, c.end - c.begin};
    large.nwide += c.end - c.begin;
  });
  const std::span<int> slot = arena.take<int>(block.ncol);
  const std::span<double> wide = arena.take<double>(static_cast<std::ptrdiff_t>(n) * large.nwide);
  const std::span<double> gram = arena.take<double>(n * n), inverse = arena.take<double>(n * n);
  large.change = arena.zeros<double>(n).data();
  large.course = arena.zeros<double>(n).data();
  large.bias = arena.zeros<double>(n).data();
  large.keeps = arena.take<double>(n).data();
  std::fill_n(large.keeps, n, 1.0);
  for (int j = 0; j < block.ncol; ++j) {
    slot[j] = space_.slotOf(column[j]);
  }
  for (int k = 0; k < n; ++k) {
    const double* basis = p_.values.data() + block.value + k * block.ncol;
    for (int j = 0; j < block.ncol; ++j) scratch[column[j]] = basis[j];
    double* response = wide.data() + static_cast<std::ptrdiff_t>(k) * large.nwide;
    forEachComponent([&](const ImpulseSpace::Component& c) {
      space_.metric().solveComponent({c.begin, c.end}, scratch);
      response = std::copy(scratch + c.begin, scratch + c.end, response);
    });
    for (int l = 0; l < n; ++l) {
      const double* other = p_.values.data() + block.value + l * block.ncol;
      double sum = 0;
      for (int j = 0; j < block.ncol; ++j) sum += other[j] * scratch[column[j]];
      gram[k * n + l] = sum;
    }
    forEachComponent([&](const ImpulseSpace::Component& c) { std::fill(scratch + c.begin, scratch + c.end, 0.0); });
  }
  for (int k = 0; k < n; ++k) {
    const double* basis = p_.values.data() + block.value + k * block.ncol;
    if (std::any_of(basis, basis + block.ncol, [](double x) { return std::abs(x) > kLeastLever; })) continue;
    for (int l = 0; l < n; ++l) gram[k * n + l] = gram[l * n + k] = 0;
  }
  large.slot = slot.data();
  large.runs = runs.data();
  large.wide = wide.data();
  large.gram = gram.data();
  large.inverse = inverse.data();
  if (block.kind == BlockKind::Equality) {
    invertIndependent(n, large.gram, large.inverse);
  } else if (block.kind == BlockKind::Elliptic) {
    double tangents[kMaxBasis * kMaxBasis];
    for (int i = 1; i < n; ++i) {
      for (int j = 1; j < n; ++j) tangents[(i - 1) * (n - 1) + j - 1] = large.gram[i * n + j];
    }
    invertIndependent(n - 1, tangents, large.inverse);
  }
}

void ImpulseSolver::residualOf(const LargeBlock& large, double* w) const {
  const RowBlock& block = *large.rows;
  const double* velocity = space_.velocities();
  const double* basis = p_.values.data() + block.value;
  for (int k = 0; k < block.nbasis; ++k, basis += block.ncol) {
    double even = 0, odd = 0;
    int j = 0;
    for (; j + 2 <= block.ncol; j += 2) {
      even += basis[j] * velocity[large.slot[j]];
      odd += basis[j + 1] * velocity[large.slot[j + 1]];
    }
    if (j < block.ncol) even += basis[j] * velocity[large.slot[j]];
    w[k] = rows_.target[block.row + k] - (even + odd);
  }
}

void ImpulseSolver::move(const LargeBlock& large, const double* delta) {
  const double* value = large.wide;
  for (int k = 0; k < large.rows->nbasis; ++k, value += large.nwide) {
    if (delta[k] == 0) continue;
    const double* response = value;
    for (int r = 0; r < large.nrun; ++r) {
      const Run& run = large.runs[r];
      addScaled(run.count, delta[k], response, space_.velocities() + run.slot);
      response += run.count;
    }
  }
}

void ImpulseSolver::visitCone(const LargeBlock& large, const double* w, double least, double* lambda) const {
  const RowBlock& block = *large.rows;
  const int n = block.nrow, t = n - 1;
  const double* G = large.gram;
  const double* friction = p_.cones[block.cone].friction.data();
  const double across = n > 2 ? std::max(G[n + 1], G[2 * n + 2]) : 0;
  const double normal = std::max(least, large.keeps[0] * (lambda[0] + w[0] * inverseOfNormal(G[0], across)));
  const double push = normal - lambda[0];
  lambda[0] = normal;
  if (!(normal > kLeastNormal)) {
    std::fill_n(lambda + 1, t, 0.0);
    return;
  }
  double lacking[kMaxBasis], x[kMaxBasis], share = 0;
  for (int i = 0; i < t; ++i) lacking[i] = w[i + 1] - G[(i + 1) * n] * push;
  for (int i = 0; i < t; ++i) {
    x[i] = lambda[i + 1];
    for (int j = 0; j < t; ++j) x[i] += large.inverse[i * t + j] * lacking[j];
    share += std::pow(x[i] / (friction[i] * normal), 2);
  }
  if (share > 1) {
    double tangents[kMaxBasis * kMaxBasis];
    for (int i = 0; i < t; ++i) {
      for (int j = 0; j < t; ++j) {
        tangents[i * t + j] = G[(i + 1) * n + j + 1];
        lacking[i] += tangents[i * t + j] * lambda[j + 1];
      }
    }
    slide(t, tangents, lacking, friction, normal, x);
  }
  std::copy_n(x, t, lambda + 1);
}

void ImpulseSolver::visit(const LargeBlock& large, const Sweep& sweep, double* lambda, Change& change) {
  const RowBlock& block = *large.rows;
  const int n = block.nbasis;
  double w[kMaxBasis], delta[kMaxBasis];
  for (int i = 0; i < n && sweep.pass == Pass::Whole; ++i) {  // extrapolation, which the velocities know already
    const double lead = sweep.beta * large.course[i];
    lambda[i] += lead;
    large.course[i] = lead + large.change[i];
  }
  residualOf(large, w);
  std::copy_n(lambda, n, delta);
  for (int i = 0; i < n; ++i) w[i] += large.bias[i];
  const auto leastOf = [&](int i) { return sweep.pass == Pass::Whole ? 0.0 : sweep.least(total_[block.row + i]); };
  switch (block.kind) {
    case BlockKind::Equality:
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) lambda[i] += large.inverse[i * n + j] * w[j];
      }
      break;
    case BlockKind::Elliptic:
      visitCone(large, w, leastOf(0), lambda);
      break;
    default:
      // one row after the other, each with what those before it changed
      for (int i = 0; i < n; ++i) {
        double lacking = w[i];
        for (int j = 0; j < i; ++j) lacking -= large.gram[i * n + j] * (lambda[j] - delta[j]);
        const double next = large.keeps[i] * (lambda[i] + lacking * inverseOf(large.gram[i * n + i]));
        const double bound = boundOf(block.row + i);
        lambda[i] = block.kind == BlockKind::Friction ? std::clamp(next, -bound, bound) : std::max(leastOf(i), next);
      }
      break;
  }
  for (int i = 0; i < n; ++i) {
    delta[i] = lambda[i] - delta[i];
    if (sweep.pass != Pass::Whole) continue;
    large.change[i] = delta[i];
    change.moved += large.gram[i * n + i] * delta[i] * delta[i];
    change.size += large.gram[i * n + i] * lambda[i] * lambda[i];
  }
  if (sweep.pass == Pass::Second) {
    for (int i = 0; i < n; ++i) total_[block.row + i] += lambda[i];
  }
  move(large, delta);
}

void ImpulseSolver::start(std::span<double> lambda) {
  for (const RowBlock* block : idle_) std::fill_n(lambda.data() + block->row, block->nrow, 0.0);
  for (FreeContact& c : contacts_) {
    std::copy_n(lambda.data() + c.row, 3, c.lambda.begin());
    intoCone(3, c.friction.data(), c.lambda.data());
  }
  applyImpulses(manifolds_, contacts_.data(), space_.free());
  for (const LargeBlock& large : large_) {
    const RowBlock& block = *large.rows;
    double* l = lambda.data() + block.row;
    if (block.kind == BlockKind::Elliptic) {
      intoCone(block.nrow, p_.cones[block.cone].friction.data(), l);
    }
    for (int r = 0; r < block.nrow; ++r) {
      const double bound = boundOf(block.row + r);
      if (block.kind == BlockKind::Unilateral) l[r] = std::max(0.0, l[r]);
      if (block.kind == BlockKind::Friction) l[r] = std::clamp(l[r], -bound, bound);
    }
    move(large, l);
  }
}

/// Impulses go on in the direction of earlier sweeps, lambda += beta course, and velocities with inv(A) J' lambda. As
/// that is linear in lambda, velocities have a course of their own, made like that of the impulses from what sweeps
/// changed. They are extrapolated at once; the impulse of a row only when it is visited, as nobody else asks for it.
void ImpulseSolver::extrapolate(double beta) {
  for (const int dof : dofs_) space_.extrapolate(space_.componentOf(dof), beta);
}

void ImpulseSolver::addImpulses(std::span<const double> lambda) {
  double* sum = space_.impulses();
  solve::addImpulses(manifolds_, contacts_.data(), sum);
  for (const LargeBlock& large : large_) {
    const RowBlock& block = *large.rows;
    const double* J = p_.values.data() + block.value;
    for (int r = 0; r < block.nrow; ++r, J += block.ncol) {
      const double l = lambda[block.row + r];
      if (l == 0) continue;
      for (int k = 0; k < block.ncol; ++k) sum[large.slot[k]] += l * J[k];
    }
  }
}

ImpulseReport ImpulseSolver::solve(std::span<double> lambda, std::span<double> velocity) {
  for (std::size_t i = 0; i < velocity.size(); ++i) space_.velocity(static_cast<int>(i)) = velocity[i];
  const ImpulseReport report = solve(lambda);
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = space_.velocity(static_cast<int>(i));
  return report;
}

ImpulseReport ImpulseSolver::solve(std::span<double> lambda) {
  start(lambda);
  return sweep(options_.maxSweeps, lambda);
}

double ImpulseSolver::gapOf(const LargeBlock& large, int row) const {
  const RowBlock& block = *large.rows;
  const double* J = p_.values.data() + block.value + row * block.ncol;
  double gap = gap_[block.row + row];
  for (int k = 0; k < block.ncol; ++k) gap += J[k] * space_.moved()[large.slot[k]];
  return gap;
}

void ImpulseSolver::applyToLarge(const PositionRule& rule) {
  for (const LargeBlock& large : large_) {
    const RowBlock& block = *large.rows;
    if (block.kind != BlockKind::Elliptic && block.kind != BlockKind::Unilateral) continue;
    for (int i = 0; i < (block.kind == BlockKind::Elliptic ? 1 : block.nrow); ++i) {
      const int row = block.row + i;
      const double gap = gapOf(large, i) - rule.elapsed * rows_.target[static_cast<std::size_t>(row)];
      const Yielding yields = yieldingOf(row);
      large.bias[i] = rule.target(gap, yields);
      large.keeps[i] = rule.keeps(gap, yields);
    }
  }
}

ImpulseReport ImpulseSolver::solveInSubsteps(const Substeps& step, std::span<double> lambda, std::span<double> total) {
  gap_ = step.gap;
  length_ = step.length;
  total_ = total;
  for (const RowBlock* block : idle_) {
    std::fill_n(total.data() + block->row, block->nrow, 0.0);
    std::fill_n(lambda.data() + block->row, block->nrow, 0.0);
  }
  for (const LargeBlock& large : large_) std::fill_n(total.data() + large.rows->row, large.rows->nrow, 0.0);
  ImpulseReport report;
  report.converged = segmentCount_ == 0;
  if (report.converged) {  // nothing acts
    for (const int dof : dofs_) {
      space_.beginSubstep(space_.componentOf(dof), step.h);
      space_.endSubstep(space_.componentOf(dof), step.h);
    }
    return report;
  }

  // A substep is a sweep forth and one back, or back and forth: symmetric, which is what makes warm starts stable. They
  // take turns, which damps slow sways (docs/impulse.md).
  const int relaxing = std::max(1, options_.maxSweeps / kRelaxing),
            count = std::max(1, (options_.maxSweeps - relaxing) / 2);
  const double h = step.h / count, bound = rows_.bound;
  PositionRule rule{.perSecond = 1 / h, .slop = step.slop};
  substep_ = h;
  share_ = std::min(kMostShare, 1 - std::pow(1 - step.erp, 1.0 / count));
  for (FreeContact& c : contacts_) {
    c.gap = gap_[c.row];
    c.yields = yieldingOf(c.row);
  }
  rows_.bound = bound / count;
  const auto scale = [&](double factor) {
    for (const FreeContact& c : contacts_) {
      for (int r = c.row; r < c.row + 3; ++r) lambda[r] *= factor;
    }
    for (const LargeBlock& large : large_) {
      for (int r = 0; r < large.rows->nrow; ++r) lambda[large.rows->row + r] *= factor;
    }
  };
  scale(1.0 / count);
  for (const int dof : dofs_) space_.beginSubstep(space_.componentOf(dof), h);
  start(lambda);
  for (int substep = 0; substep < count; ++substep) {
    if (substep > 0) {
      for (const int dof : dofs_) space_.nextSubstep(space_.componentOf(dof), h);
    }
    rule.elapsed = substep * h;
    applyToLarge(rule);
    const bool back = substep % 2 == 1;
    sweepOnce({.back = back, .pass = Pass::First, .rule = &rule}, lambda.data());
    sweepOnce({.back = !back, .pass = Pass::Second}, lambda.data());
    for (const int dof : dofs_) space_.endSubstep(space_.componentOf(dof), h);
  }
  report.sweeps = 2 * count;

  // Velocities without position correction: sweeps over the impulses of the whole step, which may take any of it back.
  // The next step goes on from the impulses with it.
  for (FreeContact& c : contacts_) {
    std::copy_n(c.lambda.begin(), 3, lambda.data() + c.row);
    c.lambda = c.total;
    c.course = c.change = {};
  }
  scale(count);
  for (const LargeBlock& large : large_) {
    std::fill_n(large.course, large.rows->nbasis, 0.0);
    std::fill_n(large.change, large.rows->nbasis, 0.0);
  }
  rows_.bound = bound;
  rule.corrects = false;
  rule.elapsed = step.h;
  applyRule(manifolds_, contacts_.data(), space_.free(), rule);
  applyToLarge(rule);
  double before = 0, beta = 0;
  for (const int dof : dofs_) space_.restart(space_.componentOf(dof));
  for (int i = 0; i < relaxing; ++i) {
    const Change change = sweepOnce({.back = i % 2 == 1, .beta = beta}, total.data());
    ++report.sweeps;
    report.residual = change.size > 0 ? std::sqrt(change.moved / change.size) : std::sqrt(change.moved);
    report.converged = change.moved <= options_.tolerance * options_.tolerance * change.size;
    if (report.converged || i == relaxing - 1) break;
    const double ratio = before > 0 ? change.moved / before : 0;
    beta = ratio <= 1 ? ratio : 0;
    extrapolate(beta);
    before = change.moved;
  }
  for (const FreeContact& c : contacts_) std::copy_n(c.lambda.begin(), 3, total.data() + c.row);
  return report;
}

ImpulseReport ImpulseSolver::proceed(std::span<const double> target, int sweeps, std::span<double> lambda) {
  rows_.target = target;
  for (FreeContact& c : contacts_) {
    std::copy_n(target.data() + c.row, 3, c.target.begin());
    c.course = c.change = {};
    c.bias = 0;
    c.keeps = 1;
  }
  for (const LargeBlock& large : large_) {
    std::fill_n(large.course, large.rows->nbasis, 0.0);
    std::fill_n(large.change, large.rows->nbasis, 0.0);
    std::fill_n(large.bias, large.rows->nbasis, 0.0);
    std::fill_n(large.keeps, large.rows->nbasis, 1.0);
  }
  return sweep(sweeps, lambda);
}

void ImpulseSolver::restore(std::span<const double> lambda) {
  for (FreeContact& c : contacts_) std::copy_n(lambda.data() + c.row, 3, c.lambda.begin());
}

void ImpulseSolver::rowVelocities(std::span<double> Jv) const {
  const double* velocity = space_.velocities();
  const auto multiply = [&](const RowBlock& block) {
    const double* J = p_.values.data() + block.value;
    const int* column = p_.columns.data() + block.column;
    for (int r = 0; r < block.nrow; ++r, J += block.ncol) {
      double sum = 0;
      for (int k = 0; k < block.ncol; ++k) sum += J[k] * velocity[space_.slotOf(column[k])];
      Jv[block.row + r] = sum;
    }
  };
  for (const RowBlock* block : free_) multiply(*block);
  for (const LargeBlock& large : large_) multiply(*large.rows);
}

ImpulseSolver::Change ImpulseSolver::sweepOnce(Sweep sweep, double* lambda) {
  Change change;
  for (std::size_t i = 0; i < segmentCount_; ++i) {
    const Segment& s = segments_[sweep.back ? segmentCount_ - 1 - i : i];
    const std::size_t count = s.end - s.begin;
    if (s.free) {
      s.stages.empty()
          ? visitManifolds(manifolds_.subspan(s.begin, count), contacts_.data(), space_.free(), sweep, change)
          : sweepInStages(s, sweep, change);
      continue;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const LargeBlock& large = large_[s.begin + (sweep.back ? count - 1 - k : k)];
      visit(large, sweep, lambda + large.rows->row, change);
    }
  }
  return change;
}

void ImpulseSolver::sweepInStages(const Segment& segment, const Sweep& sweep, Change& change) {
  const Stages& stages = segment.stages;
  const std::size_t last = stages.change.size() - 1;
  parallelStages(options_.threads, sweep.back ? stages.back : stages.forth, [&](int index, int) {
    const std::size_t i = sweep.back ? last - static_cast<std::size_t>(index) : static_cast<std::size_t>(index);
    const auto begin = static_cast<std::size_t>(stages.piece[i]), end = static_cast<std::size_t>(stages.piece[i + 1]);
    stages.change[i] = {};
    visitManifolds(stages.manifolds.subspan(begin, end - begin), contacts_.data(), space_.free(), sweep,
                   stages.change[i]);
  });
  // sums in the order of visits in turn; in substeps nobody asks for them
  if (sweep.pass == Pass::Whole) {
    addChanges(manifolds_.subspan(segment.begin, segment.end - segment.begin), contacts_.data(), sweep.back, change);
  }
}

ImpulseReport ImpulseSolver::sweep(int maxSweeps, std::span<double> lambda) {
  ImpulseReport report;
  report.converged = segmentCount_ == 0;
  if (report.converged || maxSweeps <= 0) {
    for (const FreeContact& c : contacts_) std::copy_n(c.lambda.begin(), 3, lambda.data() + c.row);
    return report;
  }
  double before = 0;  // what the sweep before moved
  double beta = 0;
  for (const int dof : dofs_) space_.restart(space_.componentOf(dof));
  while (true) {
    const bool back = options_.order == SweepOrder::InTurn && (maxSweeps - report.sweeps) % 2 == 1;
    const Change change = sweepOnce({.back = back, .beta = beta}, lambda.data());
    ++report.sweeps;
    report.residual = change.size > 0 ? std::sqrt(change.moved / change.size) : std::sqrt(change.moved);
    report.converged = change.moved <= options_.tolerance * options_.tolerance * change.size;
    // end on a sweep, so that the impulses are admissible
    if (report.converged || report.sweeps >= maxSweeps) break;
    // A sweep that moves more than the one before has met other active constraints: start again.
    const double ratio = before > 0 ? change.moved / before : 0;
    beta = options_.accelerate && ratio <= 1 ? ratio : 0;
    if (options_.accelerate) extrapolate(beta);
    before = change.moved;
  }
  for (const FreeContact& c : contacts_) std::copy_n(c.lambda.begin(), 3, lambda.data() + c.row);
  return report;
}

}  // namespace sinew::solve
