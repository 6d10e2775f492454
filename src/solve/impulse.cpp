#include "solve/impulse.h"

#include <algorithm>
#include <cmath>

#include "math/types.h"
#include "solve/friction_disk.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

constexpr int kDiagonal = -1;
constexpr int kUnprepared = -2;
constexpr int kLanes = 4;
/// Ratio of what two sweeps move, squared, below which they converge quickly enough.
constexpr double kQuick = 0.3;
/// So many sweeps go forth and back; later ones go forth only, which suits the extrapolation between them.
constexpr int kForthAndBack = 10;

/// 1 / x with the regularization; a row that nothing can move has no impulse.
double inverseOf(double diagonal) { return diagonal > kMinVal * kMinVal ? 1 / (diagonal * (1 + kRegularization)) : 0; }

/// Coulomb's cone: scales the tangents back to it; without a normal impulse there are none.
void intoCone(int n, const double* friction, double* lambda) {
  if (!(lambda[0] > kLeastNormal)) {
    std::fill_n(lambda, n, 0.0);
    return;
  }
  double square = 0;
  for (int k = 1; k < n; ++k) square += std::pow(lambda[k] / (friction[k - 1] * lambda[0]), 2);
  if (square <= 1) return;
  for (int k = 1; k < n; ++k) lambda[k] /= std::sqrt(square);
}

}  // namespace

ImpulseSolver::ImpulseSolver(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                             Arena& arena)
    : p_(p), rows_(rows), options_(options) {
  findComponents(arena);
  const auto blocks = static_cast<std::ptrdiff_t>(p.blocks.size());
  const std::span<bool> free = arena.take<bool>(blocks);
  std::ptrdiff_t freeContacts = 0;
  for (std::size_t b = 0; b < free.size(); ++b) freeContacts += free[b] = isFree(p.blocks[b]);
  contacts_ = arena.take<FreeContact>(freeContacts);
  contactRows_ = arena.take<double>(2 * 3 * kSlots * freeContacts);
  large_ = arena.take<LargeBlock>(blocks - freeContacts);
  segments_ = arena.take<Segment>(blocks);
  for (std::size_t b = 0; b < free.size(); ++b) {
    const RowBlock& block = p.blocks[b];
    const auto index = static_cast<int>(free[b] ? contactCount_ : largeCount_);
    if (free[b]) {
      addFreeContact(block);
    } else {
      large_[largeCount_] = {.rows = &block};
      prepareLarge(large_[largeCount_++], arena);
    }
    if (segmentCount_ == 0 || segments_[segmentCount_ - 1].free != free[b]) {
      segments_[segmentCount_++] = {free[b], index, index};
    }
    ++segments_[segmentCount_ - 1].end;
  }
  prepareContacts(contacts_, freeVelocities());
}

void ImpulseSolver::findComponents(Arena& arena) {
  const int n = p_.metric->lower().n;
  components_ = arena.take<Component>(n);
  componentOf_ = arena.take<int>(n);
  slotOf_ = arena.take<int>(n);
  std::size_t count = 0;
  int slots = 0, small = 0;
  for (int dof = 0; dof < n; ++count) {
    const Metric::Range range = p_.metric->component(dof);
    const int size = range.end - range.begin;
    components_[count] = {range.begin, range.end, slots, kUnprepared};
    for (; dof < range.end; ++dof) {
      componentOf_[static_cast<std::size_t>(dof)] = static_cast<int>(count);
      slotOf_[static_cast<std::size_t>(dof)] = slots + dof - range.begin;
    }
    if (size <= kSmall) ++small;
    slots += size <= kSmall ? kSlots : (size + kLanes - 1) / kLanes * kLanes;
  }
  components_ = components_.first(count);
  velocity_ = arena.zeros<double>(slots);
  inverseDiagonal_ = arena.zeros<double>(slots);
  inverse_ = arena.take<double>(kSmall * kSlots * small);
  scratch_ = arena.zeros<double>(n);
}

bool ImpulseSolver::isFree(const RowBlock& block) const {
  if (block.kind != BlockKind::Elliptic || block.nrow != 3 || block.ncol > 2 * kSmall) return false;
  int last = -1, sides = 0;
  for (int j = 0; j < block.ncol; ++j) {
    const int c = componentOf_[static_cast<std::size_t>(p_.columns[static_cast<std::size_t>(block.column + j)])];
    if (c == last) continue;
    last = c;
    const Component& component = components_[static_cast<std::size_t>(c)];
    if (++sides > 2 || component.end - component.begin > kSmall) return false;
  }
  return true;
}

void ImpulseSolver::prepareInverse(Component& component) {
  const LowerRows A = p_.metric->lower();
  const Metric::Range range{component.begin, component.end};
  double* x = scratch_.data();
  bool diagonal = true;
  for (int i = range.begin; i < range.end; ++i) diagonal = diagonal && A.rownnz[i] == 1;
  if (diagonal) {
    std::fill(x + range.begin, x + range.end, 1.0);
    p_.metric->solveComponent(range, x);
    std::copy(x + range.begin, x + range.end, inverseDiagonal_.data() + component.slot);
    component.dense = kDiagonal;
  } else {
    double* matrix = inverse_.data() + inverses_;
    std::fill_n(matrix, kSmall * kSlots, 0.0);
    for (int i = range.begin; i < range.end; ++i) {
      std::fill(x + range.begin, x + range.end, 0.0);
      x[i] = 1;
      p_.metric->solveComponent(range, x);
      std::copy(x + range.begin, x + range.end, matrix + kSlots * (i - range.begin));
    }
    component.dense = static_cast<int>(inverses_);
    inverses_ += kSmall * kSlots;
  }
  std::fill(x + range.begin, x + range.end, 0.0);
}

void ImpulseSolver::addFreeContact(const RowBlock& block) {
  FreeContact& c = contacts_[contactCount_++];
  c = {};
  c.row = block.row;
  double* J = contactRows_.data() + contactValues_;
  c.J = J;
  int last = -1;
  for (int j = 0; j < block.ncol; ++j) {
    const int dof = p_.columns[static_cast<std::size_t>(block.column + j)];
    const int index = componentOf_[static_cast<std::size_t>(dof)];
    if (index != last) {
      last = index;
      Component& component = components_[static_cast<std::size_t>(index)];
      if (component.dense == kUnprepared) prepareInverse(component);
      const auto side = static_cast<std::size_t>(c.sides++);
      c.slot[side] = component.slot;
      c.dense[side] = component.dense;
      std::fill_n(J + 3 * kSlots * side, 3 * kSlots, 0.0);
    }
    const auto side = static_cast<std::size_t>(c.sides - 1);
    double* place = J + 3 * kSlots * side + (slotOf_[static_cast<std::size_t>(dof)] - c.slot[side]);
    const double* value = p_.values.data() + block.value + j;
    for (int k = 0; k < 3; ++k) place[k * kSlots] = value[k * block.ncol];
  }
  contactValues_ += 3 * kSlots * static_cast<std::size_t>(c.sides);

  const ConeParameters& cone = p_.cones[static_cast<std::size_t>(block.cone)];
  c.friction = {cone.friction[0], cone.friction[1]};
  std::copy_n(rows_.target.data() + block.row, 3, c.target.begin());
}

void ImpulseSolver::prepareLarge(LargeBlock& large, Arena& arena) {
  const RowBlock& block = *large.rows;
  const int* column = p_.columns.data() + block.column;
  const int n = block.nbasis;
  const auto componentAt = [&](int j) -> const Component& {
    return components_[static_cast<std::size_t>(componentOf_[static_cast<std::size_t>(column[j])])];
  };
  // growing columns: those of one component are neighbours
  for (int j = 0, end = -1; j < block.ncol; ++j) {
    if (column[j] < end) continue;
    end = componentAt(j).end;
    large.nwide += end - componentAt(j).begin;
  }
  const std::span<int> slot = arena.take<int>(block.ncol), wideSlot = arena.take<int>(large.nwide);
  const std::span<double> wide = arena.take<double>(static_cast<std::ptrdiff_t>(n) * large.nwide);
  const std::span<double> gram = arena.take<double>(n * n), inverse = arena.take<double>(n * n);
  large.change = arena.take<double>(n).data();
  large.course = arena.take<double>(n).data();
  for (int j = 0; j < block.ncol; ++j) {
    slot[static_cast<std::size_t>(j)] = slotOf_[static_cast<std::size_t>(column[j])];
  }
  for (int k = 0; k < n; ++k) {
    const double* basis = p_.values.data() + block.value + k * block.ncol;
    for (int j = 0; j < block.ncol; ++j) scratch_[static_cast<std::size_t>(column[j])] = basis[j];
    std::size_t at = 0;
    for (int j = 0, end = -1; j < block.ncol; ++j) {
      if (column[j] < end) continue;
      const Component& c = componentAt(j);
      end = c.end;
      p_.metric->solveComponent({c.begin, c.end}, scratch_.data());
      for (int i = c.begin; i < c.end; ++i, ++at) {
        wideSlot[at] = c.slot + i - c.begin;
        wide[static_cast<std::size_t>(k * large.nwide) + at] = scratch_[static_cast<std::size_t>(i)];
      }
    }
    for (int l = 0; l < n; ++l) {
      const double* other = p_.values.data() + block.value + l * block.ncol;
      double sum = 0;
      for (int j = 0; j < block.ncol; ++j) sum += other[j] * scratch_[static_cast<std::size_t>(column[j])];
      gram[static_cast<std::size_t>(k * n + l)] = sum;
    }
    for (int j = 0, end = -1; j < block.ncol; ++j) {
      if (column[j] < end) continue;
      end = componentAt(j).end;
      std::fill(scratch_.begin() + componentAt(j).begin, scratch_.begin() + end, 0.0);
    }
  }
  large.slot = slot.data();
  large.wideSlot = wideSlot.data();
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
  const double* basis = p_.values.data() + block.value;
  for (int k = 0; k < block.nbasis; ++k, basis += block.ncol) {
    double even = 0, odd = 0;
    int j = 0;
    for (; j + 2 <= block.ncol; j += 2) {
      even += basis[j] * velocity_[static_cast<std::size_t>(large.slot[j])];
      odd += basis[j + 1] * velocity_[static_cast<std::size_t>(large.slot[j + 1])];
    }
    if (j < block.ncol) even += basis[j] * velocity_[static_cast<std::size_t>(large.slot[j])];
    w[k] = rows_.target[static_cast<std::size_t>(block.row + k)] - (even + odd);
  }
}

void ImpulseSolver::move(const LargeBlock& large, const double* delta) {
  const double* value = large.wide;
  for (int k = 0; k < large.rows->nbasis; ++k, value += large.nwide) {
    if (delta[k] == 0) continue;
    for (int i = 0; i < large.nwide; ++i) velocity_[static_cast<std::size_t>(large.wideSlot[i])] += delta[k] * value[i];
  }
}

void ImpulseSolver::visitCone(const LargeBlock& large, const double* w, double* lambda) const {
  const RowBlock& block = *large.rows;
  const int n = block.nrow, t = n - 1;
  const double* G = large.gram;
  const double* friction = p_.cones[static_cast<std::size_t>(block.cone)].friction.data();
  const double normal = std::max(0.0, lambda[0] + w[0] * inverseOf(G[0]));
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

void ImpulseSolver::visit(const LargeBlock& large, double* lambda, Change& change) {
  const RowBlock& block = *large.rows;
  const int n = block.nbasis;
  double w[kMaxBasis], delta[kMaxBasis];
  residualOf(large, w);
  std::copy_n(lambda, n, delta);
  switch (block.kind) {
    case BlockKind::Equality:
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) lambda[i] += large.inverse[i * n + j] * w[j];
      }
      break;
    case BlockKind::Elliptic:
      visitCone(large, w, lambda);
      break;
    default:
      // one row after the other, each with what those before it changed
      for (int i = 0; i < n; ++i) {
        double lacking = w[i];
        for (int j = 0; j < i; ++j) lacking -= large.gram[i * n + j] * (lambda[j] - delta[j]);
        const double next = lambda[i] + lacking * inverseOf(large.gram[i * n + i]);
        const double bound = p_.frictionloss[static_cast<std::size_t>(block.row + i)];
        lambda[i] = block.kind == BlockKind::Friction ? std::clamp(next, -bound, bound) : std::max(0.0, next);
      }
      break;
  }
  for (int i = 0; i < n; ++i) large.change[i] = delta[i] = lambda[i] - delta[i];
  for (int i = 0; i < n; ++i) {
    change.moved += large.gram[i * n + i] * delta[i] * delta[i];
    change.size += large.gram[i * n + i] * lambda[i] * lambda[i];
  }
  move(large, delta);
}

void ImpulseSolver::start(std::span<double> lambda) {
  for (FreeContact& c : contacts_) {
    std::copy_n(lambda.data() + c.row, 3, c.lambda.begin());
    intoCone(3, c.friction.data(), c.lambda.data());
  }
  applyImpulses(contacts_, freeVelocities());
  for (const LargeBlock& large : large_) {
    const RowBlock& block = *large.rows;
    double* l = lambda.data() + block.row;
    if (block.kind == BlockKind::Elliptic) {
      intoCone(block.nrow, p_.cones[static_cast<std::size_t>(block.cone)].friction.data(), l);
    }
    for (int r = 0; r < block.nrow; ++r) {
      const double bound = p_.frictionloss[static_cast<std::size_t>(block.row + r)];
      if (block.kind == BlockKind::Unilateral) l[r] = std::max(0.0, l[r]);
      if (block.kind == BlockKind::Friction) l[r] = std::clamp(l[r], -bound, bound);
    }
    move(large, l);
  }
}

void ImpulseSolver::extrapolateAll(double beta, double* lambda) {
  extrapolate(contacts_, freeVelocities(), beta);
  for (const LargeBlock& large : large_) {
    double delta[kMaxBasis];
    for (int i = 0; i < large.rows->nrow; ++i) {
      delta[i] = beta > 0 ? beta * large.course[i] : 0;
      large.course[i] = delta[i] + large.change[i];
      lambda[large.rows->row + i] += delta[i];
    }
    move(large, delta);
  }
}

ImpulseReport ImpulseSolver::solve(std::span<double> lambda, std::span<double> velocity) {
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity_[static_cast<std::size_t>(slotOf_[i])] = velocity[i];
  start(lambda);
  const ImpulseReport report = sweep(lambda);
  finish(lambda, velocity);
  return report;
}

ImpulseReport ImpulseSolver::sweep(std::span<double> lambda) {
  ImpulseReport report;
  report.converged = p_.blocks.empty();
  if (report.converged || options_.maxSweeps <= 0) return report;
  double before = 0;  // what the sweep before moved
  while (true) {
    Change change;
    // forth and back in turn: what presses on a stack reaches its foot in one sweep, whichever way it was numbered
    const bool back = options_.accelerate && report.sweeps < kForthAndBack && report.sweeps % 2 == 1;
    for (std::size_t i = 0; i < segmentCount_; ++i) {
      const Segment& s = segments_[back ? segmentCount_ - 1 - i : i];
      const auto begin = static_cast<std::size_t>(s.begin), count = static_cast<std::size_t>(s.end - s.begin);
      if (s.free) {
        visitContacts(contacts_.subspan(begin, count), freeVelocities(), back, change.moved, change.size);
        continue;
      }
      for (std::size_t k = 0; k < count; ++k) {
        const LargeBlock& large = large_[begin + (back ? count - 1 - k : k)];
        visit(large, lambda.data() + large.rows->row, change);
      }
    }
    ++report.sweeps;
    report.residual = change.size > 0 ? std::sqrt(change.moved / change.size) : std::sqrt(change.moved);
    report.converged = change.moved <= options_.tolerance * options_.tolerance * change.size;
    // the last word has a sweep: it leaves admissible impulses
    if (report.converged || report.sweeps >= options_.maxSweeps) break;
    // A sweep that moves more than the one before has met other active constraints: start again. Where sweeps alone
    // converge quickly, extrapolation would only disturb them.
    const double ratio = before > 0 ? change.moved / before : 0;
    const double beta = options_.accelerate && ratio > kQuick && ratio <= 1 ? ratio : 0;
    extrapolateAll(beta, lambda.data());
    before = change.moved;
  }
  return report;
}

void ImpulseSolver::finish(std::span<double> lambda, std::span<double> velocity) const {
  for (const FreeContact& c : contacts_) std::copy_n(c.lambda.begin(), 3, lambda.data() + c.row);
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = velocity_[static_cast<std::size_t>(slotOf_[i])];
}

}  // namespace sinew::solve
