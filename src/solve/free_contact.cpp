#include "solve/free_contact.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "math/kernel.h"
#include "solve/block_solve.h"

namespace sinew::solve {
namespace {

#define SINEW_INLINE inline __attribute__((always_inline))

/// Sums over the lanes of four vectors: (x0 + x1) + (x2 + x3) of each.
SINEW_INLINE void sumsOf(const Wide& a, const Wide& b, const Wide& c, const Wide& d, Wide& sums) {
  const Wide ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Wide cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// Six numbers per side, as a row of J has them. Two sides fill three vectors; one side fills one and a half.
template <int Sides>
struct Lanes;

template <>
struct Lanes<2> {
  static constexpr int kWidth = 2 * kSmall;
  Wide low, middle, high;

  SINEW_INLINE void loadRow(const double* J) {
    low = loadWide(J);
    middle = loadWide(J + kLanes);
    high = loadWide(J + 2 * kLanes);
  }
  SINEW_INLINE void storeRow(double* to) const {
    store(to, low);
    store(to + kLanes, middle);
    store(to + 2 * kLanes, high);
  }
  SINEW_INLINE void loadSides(const double* first, const double* second) {
    low = loadWide(first);
    middle = __builtin_shufflevector(loadPair(first + kLanes), loadPair(second), 0, 1, 2, 3);
    high = loadWide(second + 2);
  }
  SINEW_INLINE void storeSides(double* first, double* second) const {
    store(first, low);
    store(first + kLanes, __builtin_shufflevector(middle, middle, 0, 1));
    store(second, __builtin_shufflevector(middle, middle, 2, 3));
    store(second + 2, high);
  }
  SINEW_INLINE void add(const Lanes& other) {
    low += other.low;
    middle += other.middle;
    high += other.high;
  }
  SINEW_INLINE void multiply(const Lanes& other) {
    low *= other.low;
    middle *= other.middle;
    high *= other.high;
  }
};

template <>
struct Lanes<1> {
  static constexpr int kWidth = kSmall;
  Wide low;
  Pair high;

  SINEW_INLINE void loadRow(const double* J) {
    low = loadWide(J);
    high = loadPair(J + kLanes);
  }
  SINEW_INLINE void storeRow(double* to) const {
    store(to, low);
    store(to + kLanes, high);
  }
  SINEW_INLINE void loadSides(const double* first, const double*) { loadRow(first); }
  SINEW_INLINE void storeSides(double* first, double*) const {
    store(first, low);
    store(first + kLanes, high);
  }
  SINEW_INLINE void add(const Lanes& other) {
    low += other.low;
    high += other.high;
  }
  SINEW_INLINE void multiply(const Lanes& other) {
    low *= other.low;
    high *= other.high;
  }
};

/// x <- inv(A) x for one side with a full matrix.
SINEW_INLINE void multiplyDense(const double* column, double* x) {
  // inv(A) is symmetric: its rows serve as columns
  Wide low = loadWide(column) * x[0], high = loadWide(column + kLanes) * x[0];
  for (int k = 1; k < kSmall; ++k) {
    low += loadWide(column + k * kSlots) * x[k];
    high += loadWide(column + k * kSlots + kLanes) * x[k];
  }
  store(x, low);
  store(x + kLanes, high);
}

/// x <- inv(A) x.
template <int Sides>
SINEW_INLINE void respond(const Manifold& m, const FreeVelocities& f, Lanes<Sides>& x) {
  const bool diagonal = m.dense[0] < 0 && (Sides == 1 || m.dense[1] < 0);
  Lanes<Sides> inverse;
  inverse.loadSides(f.inverseDiagonal + m.slot[0], f.inverseDiagonal + m.slot[1]);
  if (diagonal) return x.multiply(inverse);
  double side[2][kSlots] = {};
  x.storeSides(side[0], side[1]);
  for (std::size_t s = 0; s < static_cast<std::size_t>(Sides); ++s) {
    if (m.dense[s] >= 0) {
      multiplyDense(f.inverse + m.dense[s], side[s]);
    } else {
      store(side[s], loadWide(side[s]) * loadWide(f.inverseDiagonal + m.slot[s]));
      store(side[s] + kLanes, loadWide(side[s] + kLanes) * loadWide(f.inverseDiagonal + m.slot[s] + kLanes));
    }
  }
  x.loadSides(side[0], side[1]);
}

/// First of the columns of point i for dofs that its frame alone does not tell.
template <int Sides>
SINEW_INLINE const double* turnsOf(const Manifold& m, int i) {
  return m.columns + Manifold::kTriple * Sides * (1 + i);
}

/// sum = J' x with x(i) the numbers of point i, the fourth of which is zero.
template <int Sides, class X>
SINEW_INLINE void transposed(const Manifold& m, const X& x, Lanes<Sides>& sum) {
  constexpr int kColumn = Manifold::kColumn;
  Wide all = {}, turn[3 * Sides] = {}, shift[3 * Sides];
  for (int i = 0; i < m.count; ++i) {
    const Wide xi = loadWide(x(i));
    const double* columns = turnsOf<Sides>(m, i);
    all += xi;
    for (int k = 0; k < 3 * Sides; ++k) turn[k] += loadWide(columns + k * kColumn) * xi;
  }
  for (int k = 0; k < 3 * Sides; ++k) shift[k] = loadWide(m.columns + k * kColumn) * all;
  sumsOf(shift[0], shift[1], shift[2], turn[0], sum.low);
  if constexpr (Sides == 2) {
    sumsOf(turn[1], turn[2], shift[3], shift[4], sum.middle);
    sumsOf(shift[5], turn[3], turn[4], turn[5], sum.high);
  } else {
    Wide rest;
    sumsOf(turn[1], turn[2], turn[2], turn[2], rest);
    sum.high = Pair{rest[0], rest[1]};
  }
}

/// v += inv(A) J' delta, four numbers of `delta` for each point.
template <int Sides, class X>
SINEW_INLINE void move(const Manifold& m, const X& delta, const FreeVelocities& f) {
  Lanes<Sides> impulse;
  transposed<Sides>(m, delta, impulse);
  respond<Sides>(m, f, impulse);
  double *first = f.velocity + m.slot[0], *second = f.velocity + m.slot[1];
  Lanes<Sides> v;
  v.loadSides(first, second);
  v.add(impulse);
  v.storeSides(first, second);
}

/// Inverse of the regularized tangents' part; a tangent that nothing moves, or that depends on the other, is left out.
SINEW_INLINE void invertTangents(FreeContact& c) {
  constexpr double kDependent = 1e-7;
  const double a = c.gram[1] * (1 + kRegularization), b = c.gram[2] * (1 + kRegularization);
  const double determinant = a * b - c.along * c.along;
  if (determinant > kDependent * a * b) {
    c.inverse = {b / determinant, -c.along / determinant, a / determinant};
  } else if (a > 0) {
    c.inverse = {1 / a, 0, 0};
  } else {
    c.inverse = {0, 0, b > 0 ? 1 / b : 0};
  }
}

/// The columns of J from its rows.
template <int Sides>
SINEW_INLINE void setColumns(const Manifold& m, const double* const* J) {
  constexpr int kWidth = Lanes<Sides>::kWidth;
  double* to = m.columns;
  const auto add = [&](const double* rows, int firstDof) __attribute__((always_inline)) {
    for (int side = 0; side < Sides; ++side) {
      for (int k = 0; k < 3; ++k) {
        const double* column = rows + kSmall * side + firstDof + k;
        for (int r = 0; r < 3; ++r) *to++ = column[r * kWidth];
      }
    }
  };
  add(J[0], 0);
  for (int i = 0; i < m.count; ++i) add(J[i], 3);
  *to = 0;
}

template <int Sides>
SINEW_INLINE void prepare(const Manifold& m, FreeContact* c, const double* const* J, const FreeVelocities& f) {
  constexpr int kColumn = Manifold::kColumn, kWidth = Lanes<Sides>::kWidth;
  setColumns<Sides>(m, J);
  // inv(A) J_j' by columns, and what the dofs that all points have in common make of it
  double response[Manifold::kMostPoints][3][kWidth];
  Wide shared[Manifold::kMostPoints][3];
  for (int j = 0; j < m.count; ++j) {
    for (int b = 0; b < 3; ++b) {
      Lanes<Sides> row;
      row.loadRow(J[j] + b * kWidth);
      respond<Sides>(m, f, row);
      row.storeRow(response[j][b]);
      Wide sum = {};
      for (int k = 0; k < 3 * Sides; ++k) {
        sum += loadWide(m.columns + k * kColumn) * response[j][b][kSmall * (k / 3) + k % 3];
      }
      shared[j][b] = sum;
    }
  }
  double* block = m.coupling;
  for (int i = 0; i < m.count; ++i) {
    const double* turns = turnsOf<Sides>(m, i);
    Wide column[3];
    for (int j = 0; j <= i; ++j) {
      for (int b = 0; b < 3; ++b) {
        Wide sum = shared[j][b];
        for (int k = 0; k < 3 * Sides; ++k) {
          sum += loadWide(turns + k * kColumn) * response[j][b][kSmall * (k / 3) + 3 + k % 3];
        }
        column[b] = sum;
      }
      if (j == i) break;
      for (int b = 0; b < 3; ++b) store(block + b * kColumn, column[b]);
      block += Manifold::kBlock;
    }
    c[i].gram = {column[0][0], column[1][1], column[2][2]};
    c[i].across = {column[0][1], column[0][2]};
    c[i].along = column[1][2];
    c[i].normalInverse = inverseOfNormal(c[i].gram[0], std::max(c[i].gram[1], c[i].gram[2]));
    invertTangents(c[i]);
  }
  for (int i = 0; i < m.count; ++i) {
    c[i].common = {c[i].gram[0], c[i].across[0], c[i].across[1]};
    for (int j = 0; j < m.count; ++j) {
      const double* pair = m.coupling + Manifold::kBlock * (i > j ? Manifold::blocks(i) + j : Manifold::blocks(j) + i);
      for (int r = 0; r < 3 && j != i; ++r) c[i].common[r] += pair[i > j ? r : r * kColumn];
    }
  }
}

/// New tangential impulses x when the normal one is `normal`; `start` are those before, w is what the tangents'
/// velocities lack.
SINEW_INLINE void friction(FreeContact& c, const Wide& start, const double* w, double normal, double* x) {
  if (!(normal > kLeastNormal)) {
    x[0] = x[1] = 0;
    return;
  }
  // sticking: the impulse that stops the contact, if the cone has it
  const double x0 = start[1] + c.inverse[0] * w[0] + c.inverse[1] * w[1];
  const double x1 = start[2] + c.inverse[1] * w[0] + c.inverse[2] * w[1];
  const double a = x0 * c.friction[1], b = x1 * c.friction[0], most = normal * c.friction[0] * c.friction[1];
  if (a * a + b * b <= most * most) {
    x[0] = x0;
    x[1] = x1;
    return;
  }
  const double push[2] = {w[0] + c.gram[1] * start[1] + c.along * start[2],
                          w[1] + c.along * start[1] + c.gram[2] * start[2]};
  slidePlane(c.gram[1], c.along, c.gram[2], push, c.friction.data(), normal, c.slip, x);
}

/// SweepChange, sums in lanes, of which the fourth says nothing.
struct Sums {
  Wide moved{}, size{};
};

/// Three dofs of the normal's row of J times x.
SINEW_INLINE double normalTimes(const double* column, const double* x) {
  return (column[0] * x[0] + column[Manifold::kColumn] * x[1]) + column[2 * Manifold::kColumn] * x[2];
}

template <int Sides>
SINEW_INLINE void applyRuleTo(const Manifold& m, FreeContact* c, const FreeVelocities& f, const PositionRule& rule) {
  // normals come first in each column
  const double *first = f.moved + m.slot[0], *second = f.moved + m.slot[1], *column = m.columns;
  double shared = normalTimes(column, first);
  if constexpr (Sides == 2) shared += normalTimes(column + Manifold::kTriple, second);
  for (int i = 0; i < m.count; ++i) {
    column += Manifold::kTriple * Sides;
    double moved = normalTimes(column, first + 3);
    if constexpr (Sides == 2) moved += normalTimes(column + Manifold::kTriple, second + 3);
    const double gap = c[i].gap + (shared + moved) - rule.elapsed * c[i].target[0];
    c[i].bias = rule.target(gap, c[i].yields);
    c[i].keeps = rule.keeps(gap, c[i].yields);
  }
}

/// Normal impulse before a visit, and the least after it.
template <Pass pass>
SINEW_INLINE double startOf(const FreeContact& c, double beta) {
  return pass == Pass::Whole ? c.lambda[0] + beta * c.course[0] : c.lambda[0];
}
template <Pass pass>
SINEW_INLINE double leastOf(const FreeContact& c) {
  return pass == Pass::Whole ? 0 : std::min(0.0, -c.total[0]);
}

/// One contact: its new impulses given what its velocities lack. Those know already that the normal impulse has changed
/// by `together`. `delta` is how impulses change otherwise, and zero; `whole` is how they change.
template <Pass pass>
SINEW_INLINE void visitPoint(FreeContact& c, const Wide& lacking, double beta, double together, double* delta,
                             double* whole, Sums& sums) {
  Wide start = loadWide(c.lambda.data()), course = {};
  if constexpr (pass == Pass::Whole) {
    const Wide lead = Wide{beta, beta, beta, 0} * loadWide(c.course.data());
    start += lead;
    course = lead + loadWide(c.change.data());
  }
  const Wide before = start;
  start[0] += together;
  const double normal = std::max(leastOf<pass>(c), c.keeps * (start[0] + (lacking[0] + c.bias) * c.normalInverse));
  const double push = normal - start[0];
  const double w[2] = {lacking[1] - c.across[0] * push, lacking[2] - c.across[1] * push};
  double tangents[2];
  friction(c, start, w, normal, tangents);
  const Wide next = {normal, tangents[0], tangents[1], 0};
  store(delta, next - start);
  const Wide change = next - before;
  store(whole, change);
  if constexpr (pass == Pass::Whole) {  // each writes one number too many, which the next one puts right
    store(c.course.data(), course);
    store(c.change.data(), change);
  }
  store(c.lambda.data(), next);
  if constexpr (pass == Pass::Second) store(c.total.data(), loadWide(c.total.data()) + next);
  if constexpr (pass == Pass::Whole) {
    const Wide gram = loadWide(c.gram.data());
    sums.moved += gram * change * change;
    sums.size += gram * next * next;
  }
}

/// By how much all normal impulses of a manifold change at once, so that its points as a whole lack nothing: the
/// minimum along that direction of what visits of its points minimize, as far as no impulse falls below its least.
/// Points that lack the same thus get the same, whichever is visited first. Updates what they lack.
template <Pass pass>
SINEW_INLINE double pushTogether(const Manifold& m, const FreeContact* c, double beta, Wide* lacking) {
  double lack = 0, mobility = 0, least = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < m.count; ++i) {
    if (c[i].normalInverse == 0) return 0;  // nothing moves it
    const double yields = c[i].gram[0] * (1 / c[i].keeps - 1), start = startOf<pass>(c[i], beta);
    lack += lacking[i][0] + c[i].bias - yields * start;
    mobility += c[i].common[0] + yields;
    least = std::max(least, leastOf<pass>(c[i]) - start);
  }
  if (!(mobility > 0)) return 0;
  const double push = std::max(lack / mobility, std::min(0.0, least));
  for (int i = 0; i < m.count; ++i) lacking[i] -= push * loadWide(c[i].common.data());
  return push;
}

template <int Sides, bool Back, Pass pass>
SINEW_INLINE void visit(const Manifold& m, FreeContact* c, const FreeVelocities& f, double beta, Sums& sums) {
  constexpr int kColumn = Manifold::kColumn;
  const double* v[2] = {f.velocity + m.slot[0], f.velocity + m.slot[1]};
  Wide shared = {};
  for (int k = 0; k < 3 * Sides; ++k) shared += loadWide(m.columns + k * kColumn) * v[k / 3][k % 3];
  Wide lacking[Manifold::kMostPoints];
  for (int i = 0; i < m.count; ++i) {
    const double* turns = turnsOf<Sides>(m, i);
    Wide velocity = shared;
    for (int k = 0; k < 3 * Sides; ++k) velocity += loadWide(turns + k * kColumn) * v[k / 3][3 + k % 3];
    lacking[i] = loadWide(c[i].target.data()) - velocity;
  }
  double delta[Manifold::kMostPoints * kLanes], whole[Manifold::kMostPoints * kLanes];
  const double together = m.count > 1 ? pushTogether<pass>(m, c, beta, lacking) : 0;
  for (int n = 0; n < m.count; ++n) {
    const int i = Back ? m.count - 1 - n : n;
    Wide w = lacking[i];
    for (int t = 0; t < n; ++t) {  // what the points before it changed
      const int j = Back ? m.count - 1 - t : t;
      const double* d = delta + j * kLanes;
      const double* block = m.coupling + Manifold::kBlock * (Back ? Manifold::blocks(j) + i : Manifold::blocks(i) + j);
      if constexpr (Back) {
        Wide products;
        sumsOf(loadWide(block) * loadWide(d), loadWide(block + kColumn) * loadWide(d),
               loadWide(block + 2 * kColumn) * loadWide(d), loadWide(block + 2 * kColumn) * loadWide(d), products);
        w -= products;
      } else {
        w -= loadWide(block) * d[0] + loadWide(block + kColumn) * d[1] + loadWide(block + 2 * kColumn) * d[2];
      }
    }
    visitPoint<pass>(c[i], w, beta, together, delta + i * kLanes, whole + i * kLanes, sums);
  }
  move<Sides>(
      m, [&](int i) __attribute__((always_inline)) { return whole + i * kLanes; }, f);
}

template <bool Back, Pass pass>
SINEW_INLINE void visitInOrder(const Manifold* manifolds, std::ptrdiff_t count, FreeContact* contacts,
                               const FreeVelocities& f, const Sweep& sweep, Sums& sums) {
  const auto visitOne = [&]<int Sides>(const Manifold& m, FreeContact* c) __attribute__((always_inline)) {
    if constexpr (pass == Pass::First) applyRuleTo<Sides>(m, c, f, *sweep.rule);
    visit<Sides, Back, pass>(m, c, f, sweep.beta, sums);
  };
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const Manifold& m = manifolds[Back ? count - 1 - i : i];
    FreeContact* c = contacts + m.begin;
    m.sides == 2 ? visitOne.template operator()<2>(m, c) : visitOne.template operator()<1>(m, c);
  }
}

SINEW_KERNEL void visitAll(const Manifold* manifolds, std::ptrdiff_t count, FreeContact* contacts,
                           const FreeVelocities& f, Sweep sweep, SweepChange& change) {
  Sums sums;
  const auto visitBy = [&]<Pass pass>() __attribute__((always_inline)) {
    sweep.back ? visitInOrder<true, pass>(manifolds, count, contacts, f, sweep, sums)
               : visitInOrder<false, pass>(manifolds, count, contacts, f, sweep, sums);
  };
  switch (sweep.pass) {
    case Pass::Whole:
      visitBy.template operator()<Pass::Whole>();
      break;
    case Pass::First:
      visitBy.template operator()<Pass::First>();
      break;
    case Pass::Second:
      visitBy.template operator()<Pass::Second>();
      break;
  }
  change.moved += sums.moved[0] + sums.moved[1] + sums.moved[2];
  change.size += sums.size[0] + sums.size[1] + sums.size[2];
}

SINEW_KERNEL void prepareAll(const Manifold* begin, const Manifold* end, FreeContact* contacts, const double* const* J,
                             const FreeVelocities& f) {
  for (const Manifold* m = begin; m != end; ++m) {
    m->sides == 2 ? prepare<2>(*m, contacts + m->begin, J + m->begin, f)
                  : prepare<1>(*m, contacts + m->begin, J + m->begin, f);
  }
}

SINEW_KERNEL void extrapolateAll(double beta, std::ptrdiff_t count, double* velocity, double* before, double* course) {
  for (std::ptrdiff_t i = 0; i < count; i += kLanes) {
    const Wide v = loadWide(velocity + i), moved = v - loadWide(before + i), lead = beta * loadWide(course + i);
    store(course + i, lead + moved);
    const Wide next = v + lead;
    store(velocity + i, next);
    store(before + i, next);
  }
}

SINEW_KERNEL void applyAll(const Manifold* begin, const Manifold* end, const FreeContact* contacts,
                           const FreeVelocities& f) {
  for (const Manifold* m = begin; m != end; ++m) {
    const FreeContact* c = contacts + m->begin;
    const auto lambda = [&](int i) __attribute__((always_inline)) { return c[i].lambda.data(); };
    m->sides == 2 ? move<2>(*m, lambda, f) : move<1>(*m, lambda, f);
  }
}

template <int Sides>
SINEW_INLINE void addTransposed(const Manifold& m, const FreeContact* c, double* sum) {
  Lanes<Sides> impulse, total;
  transposed<Sides>(
      m, [&](int i) __attribute__((always_inline)) { return c[i].lambda.data(); }, impulse);
  total.loadSides(sum + m.slot[0], sum + m.slot[1]);
  total.add(impulse);
  total.storeSides(sum + m.slot[0], sum + m.slot[1]);
}

SINEW_KERNEL void addAll(const Manifold* begin, const Manifold* end, const FreeContact* contacts, double* sum) {
  for (const Manifold* m = begin; m != end; ++m) {
    m->sides == 2 ? addTransposed<2>(*m, contacts + m->begin, sum) : addTransposed<1>(*m, contacts + m->begin, sum);
  }
}

}  // namespace

void addImpulses(std::span<const Manifold> manifolds, const FreeContact* contacts, double* sum) {
  addAll(manifolds.data(), manifolds.data() + manifolds.size(), contacts, sum);
}

void prepareManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const double* const* J,
                      const FreeVelocities& v) {
  prepareAll(manifolds.data(), manifolds.data() + manifolds.size(), contacts, J, v);
}

void visitManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v, Sweep sweep,
                    SweepChange& change) {
  visitAll(manifolds.data(), static_cast<std::ptrdiff_t>(manifolds.size()), contacts, v, sweep, change);
}

void addChanges(std::span<const Manifold> manifolds, const FreeContact* contacts, bool back, SweepChange& change) {
  FreeContact::Three moved{}, size{};
  for (std::size_t n = 0; n < manifolds.size(); ++n) {
    const Manifold& m = manifolds[back ? manifolds.size() - 1 - n : n];
    for (int k = 0; k < m.count; ++k) {
      const FreeContact& c = contacts[m.begin + (back ? m.count - 1 - k : k)];
      for (std::size_t r = 0; r < 3; ++r) {
        moved[r] += c.gram[r] * c.change[r] * c.change[r];
        size[r] += c.gram[r] * c.lambda[r] * c.lambda[r];
      }
    }
  }
  change.moved += moved[0] + moved[1] + moved[2];
  change.size += size[0] + size[1] + size[2];
}

void applyRule(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v,
               const PositionRule& rule) {
  for (const Manifold& m : manifolds) {
    FreeContact* c = contacts + m.begin;
    m.sides == 2 ? applyRuleTo<2>(m, c, v, rule) : applyRuleTo<1>(m, c, v, rule);
  }
}

void extrapolateVelocities(double beta, std::ptrdiff_t count, double* velocity, double* before, double* course) {
  extrapolateAll(beta, count, velocity, before, course);
}

void applyImpulses(std::span<const Manifold> manifolds, const FreeContact* contacts, const FreeVelocities& v) {
  applyAll(manifolds.data(), manifolds.data() + manifolds.size(), contacts, v);
}

}  // namespace sinew::solve
