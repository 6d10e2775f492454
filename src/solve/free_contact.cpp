#include "solve/free_contact.h"

#include <algorithm>
#include <cstddef>

#include "math/kernel.h"
#include "solve/friction_disk.h"

namespace sinew::solve {
namespace {

#define SINEW_INLINE inline __attribute__((always_inline))

using Pair = double __attribute__((vector_size(16), aligned(8), may_alias));

SINEW_INLINE const Wide& load(const double* numbers) { return wideAt(numbers); }
SINEW_INLINE Wide& at(double* numbers) { return wideAt(numbers); }
SINEW_INLINE const Pair& loadPair(const double* numbers) { return *reinterpret_cast<const Pair*>(numbers); }
SINEW_INLINE Pair& pairAt(double* numbers) { return *reinterpret_cast<Pair*>(numbers); }

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

  SINEW_INLINE void clear() { low = middle = high = Wide{}; }
  SINEW_INLINE void loadRow(const double* J) {
    low = load(J);
    middle = load(J + kLanes);
    high = load(J + 2 * kLanes);
  }
  SINEW_INLINE void loadSides(const double* first, const double* second) {
    low = load(first);
    middle = __builtin_shufflevector(loadPair(first + kLanes), loadPair(second), 0, 1, 2, 3);
    high = load(second + 2);
  }
  SINEW_INLINE void storeSides(double* first, double* second) const {
    at(first) = low;
    pairAt(first + kLanes) = __builtin_shufflevector(middle, middle, 0, 1);
    pairAt(second) = __builtin_shufflevector(middle, middle, 2, 3);
    at(second + 2) = high;
  }
  SINEW_INLINE void addScaled(const Lanes& row, double s) {
    low += row.low * s;
    middle += row.middle * s;
    high += row.high * s;
  }
  SINEW_INLINE void multiply(const Lanes& other) {
    low *= other.low;
    middle *= other.middle;
    high *= other.high;
  }
  /// Their product with another one, to be summed up over the lanes.
  SINEW_INLINE void dot(const Lanes& other, Wide& product) const {
    product = low * other.low + middle * other.middle + high * other.high;
  }
};

template <>
struct Lanes<1> {
  static constexpr int kWidth = kSmall;
  Wide low;
  Pair high;

  SINEW_INLINE void clear() {
    low = Wide{};
    high = Pair{};
  }
  SINEW_INLINE void loadRow(const double* J) {
    low = load(J);
    high = loadPair(J + kLanes);
  }
  SINEW_INLINE void loadSides(const double* first, const double*) { loadRow(first); }
  SINEW_INLINE void storeSides(double* first, double*) const {
    at(first) = low;
    pairAt(first + kLanes) = high;
  }
  SINEW_INLINE void addScaled(const Lanes& row, double s) {
    low += row.low * s;
    high += row.high * s;
  }
  SINEW_INLINE void multiply(const Lanes& other) {
    low *= other.low;
    high *= other.high;
  }
  SINEW_INLINE void dot(const Lanes& other, Wide& product) const {
    const Pair rest = high * other.high;
    product = low * other.low + Wide{rest[0], rest[1], 0, 0};
  }
};

/// x <- inv(A) x for one side with a full matrix.
SINEW_INLINE void multiplyDense(const double* column, double* x) {
  // inv(A) is symmetric: its rows serve as columns
  Wide low = load(column) * x[0], high = load(column + kLanes) * x[0];
  for (int k = 1; k < kSmall; ++k) {
    low += load(column + k * kSlots) * x[k];
    high += load(column + k * kSlots + kLanes) * x[k];
  }
  at(x) = low;
  at(x + kLanes) = high;
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
      at(side[s]) *= load(f.inverseDiagonal + m.slot[s]);
      at(side[s] + kLanes) *= load(f.inverseDiagonal + m.slot[s] + kLanes);
    }
  }
  x.loadSides(side[0], side[1]);
}

/// sum = J' x, x(i) giving the numbers of point i.
template <int Sides, class X>
SINEW_INLINE void transposed(const Manifold& m, const FreeContact* c, const X& x, Lanes<Sides>& sum) {
  sum.clear();
  for (int i = 0; i < m.count; ++i) {
    for (int k = 0; k < 3; ++k) {
      Lanes<Sides> row;
      row.loadRow(c[i].J + k * Lanes<Sides>::kWidth);
      sum.addScaled(row, x(i)[k]);
    }
  }
}

/// v += inv(A) J' delta, four numbers of `delta` for each point.
template <int Sides>
SINEW_INLINE void move(const Manifold& m, const FreeContact* c, const double* delta, const FreeVelocities& f) {
  Lanes<Sides> impulse;
  transposed<Sides>(
      m, c, [&](int i) __attribute__((always_inline)) { return delta + i * kLanes; }, impulse);
  respond<Sides>(m, f, impulse);
  double *first = f.velocity + m.slot[0], *second = f.velocity + m.slot[1];
  Lanes<Sides> v;
  v.loadSides(first, second);
  v.addScaled(impulse, 1);
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

/// J_i inv(A) J_j' as three columns.
template <int Sides>
SINEW_INLINE void productsOf(const Lanes<Sides>* rows, const Lanes<Sides>* responses, double* columns) {
  for (int b = 0; b < 3; ++b) {
    Wide p[3];
    for (int a = 0; a < 3; ++a) rows[a].dot(responses[b], p[a]);
    sumsOf(p[0], p[1], p[2], Wide{}, at(columns + b * kLanes));
  }
}

template <int Sides>
SINEW_INLINE void prepare(const Manifold& m, FreeContact* c, const FreeVelocities& f) {
  Lanes<Sides> response[Manifold::kMostPoints][3];
  double* block = m.coupling;
  for (int i = 0; i < m.count; ++i) {
    Lanes<Sides> row[3];
    for (int k = 0; k < 3; ++k) {
      row[k].loadRow(c[i].J + k * Lanes<Sides>::kWidth);
      response[i][k] = row[k];
      respond<Sides>(m, f, response[i][k]);
    }
    for (int j = 0; j < i; ++j, block += Manifold::kBlock) productsOf<Sides>(row, response[j], block);
    double own[Manifold::kBlock];
    productsOf<Sides>(row, response[i], own);
    c[i].gram = {own[0], own[5], own[10], 0};
    c[i].across = {own[1], own[2]};
    c[i].along = own[6];
    c[i].normalInverse = inverseOfNormal(c[i].gram[0], std::max(c[i].gram[1], c[i].gram[2]));
    invertTangents(c[i]);
  }
}

/// New tangential impulses when the normal one is `normal`; w is what the tangents' velocities lack.
SINEW_INLINE void friction(FreeContact& c, const double* w, double normal, double* x) {
  if (!(normal > kLeastNormal)) {
    x[0] = x[1] = 0;
    return;
  }
  // sticking: the impulse that stops the contact, if the cone has it
  const double x0 = c.lambda[1] + c.inverse[0] * w[0] + c.inverse[1] * w[1];
  const double x1 = c.lambda[2] + c.inverse[1] * w[0] + c.inverse[2] * w[1];
  const double a = x0 * c.friction[1], b = x1 * c.friction[0], most = normal * c.friction[0] * c.friction[1];
  if (a * a + b * b <= most * most) {
    x[0] = x0;
    x[1] = x1;
    return;
  }
  const double push[2] = {w[0] + c.gram[1] * c.lambda[1] + c.along * c.lambda[2],
                          w[1] + c.along * c.lambda[1] + c.gram[2] * c.lambda[2]};
  slidePlane(c.gram[1], c.along, c.gram[2], push, c.friction.data(), normal, c.slip, x);
}

/// Sums over the rows of contacts, in lanes.
struct Sums {
  Wide moved{}, size{};
};

/// One contact: its new impulses given what its velocities lack. `delta` is how they change.
SINEW_INLINE void visitPoint(FreeContact& c, const Wide& lacking, double beta, double* delta, Sums& sums) {
  const double normal = std::max(0.0, c.lambda[0] + lacking[0] * c.normalInverse);
  const double push = normal - c.lambda[0];
  const double w[2] = {lacking[1] - c.across[0] * push, lacking[2] - c.across[1] * push};
  double tangents[2];
  friction(c, w, normal, tangents);
  const Wide next = {normal, tangents[0], tangents[1], 0};
  const Wide change = next - load(c.lambda.data());
  at(delta) = change;
  at(c.course.data()) = beta * load(c.course.data()) + load(c.change.data());
  at(c.change.data()) = change;
  at(c.lambda.data()) = next;
  sums.moved += load(c.gram.data()) * change * change;
  sums.size += load(c.gram.data()) * next * next;
}

template <int Sides, bool Back>
SINEW_INLINE void visit(const Manifold& m, FreeContact* c, const FreeVelocities& f, double beta, Sums& sums) {
  Lanes<Sides> v;
  v.loadSides(f.velocity + m.slot[0], f.velocity + m.slot[1]);
  Wide lacking[Manifold::kMostPoints];
  for (int i = 0; i < m.count; ++i) {
    Wide p[3];
    for (int k = 0; k < 3; ++k) {
      Lanes<Sides> row;
      row.loadRow(c[i].J + k * Lanes<Sides>::kWidth);
      row.dot(v, p[k]);
    }
    Wide velocity;
    sumsOf(p[0], p[1], p[2], p[2], velocity);
    lacking[i] = load(c[i].target.data()) - velocity;
  }
  double delta[Manifold::kMostPoints * kLanes];
  for (int n = 0; n < m.count; ++n) {
    const int i = Back ? m.count - 1 - n : n;
    Wide w = lacking[i];
    for (int t = 0; t < n; ++t) {  // what the points before it changed
      const int j = Back ? m.count - 1 - t : t;
      const double* d = delta + j * kLanes;
      if constexpr (Back) {
        const double* block = m.coupling + Manifold::kBlock * (Manifold::blocks(j) + i);
        Wide products;
        sumsOf(load(block) * load(d), load(block + kLanes) * load(d), load(block + 2 * kLanes) * load(d),
               load(block + 2 * kLanes) * load(d), products);
        w -= products;
      } else {
        const double* block = m.coupling + Manifold::kBlock * (Manifold::blocks(i) + j);
        w -= load(block) * d[0] + load(block + kLanes) * d[1] + load(block + 2 * kLanes) * d[2];
      }
    }
    visitPoint(c[i], w, beta, delta + i * kLanes, sums);
  }
  move<Sides>(m, c, delta, f);
}

template <bool Back>
SINEW_INLINE void visitInOrder(const Manifold* manifolds, std::ptrdiff_t count, FreeContact* contacts,
                               const FreeVelocities& f, double beta, Sums& sums) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const Manifold& m = manifolds[Back ? count - 1 - i : i];
    FreeContact* c = contacts + m.begin;
    m.sides == 2 ? visit<2, Back>(m, c, f, beta, sums) : visit<1, Back>(m, c, f, beta, sums);
  }
}

SINEW_KERNEL void visitAll(const Manifold* manifolds, std::ptrdiff_t count, FreeContact* contacts,
                           const FreeVelocities& f, Sweep sweep, double& moved, double& size) {
  Sums sums;
  if (sweep.back) {
    visitInOrder<true>(manifolds, count, contacts, f, sweep.beta, sums);
  } else {
    visitInOrder<false>(manifolds, count, contacts, f, sweep.beta, sums);
  }
  moved += sums.moved[0] + sums.moved[1] + sums.moved[2];
  size += sums.size[0] + sums.size[1] + sums.size[2];
}

SINEW_KERNEL void prepareAll(const Manifold* begin, const Manifold* end, FreeContact* contacts,
                             const FreeVelocities& f) {
  for (const Manifold* m = begin; m != end; ++m) {
    m->sides == 2 ? prepare<2>(*m, contacts + m->begin, f) : prepare<1>(*m, contacts + m->begin, f);
  }
}

/// v += scale inv(A) J' x with x a member of each contact.
SINEW_INLINE void moveAny(const Manifold& m, FreeContact* c, FreeContact::Three FreeContact::*x, double scale,
                          const FreeVelocities& f) {
  double delta[Manifold::kMostPoints * kLanes];
  for (int i = 0; i < m.count; ++i) at(delta + i * kLanes) = scale * load((c[i].*x).data());
  m.sides == 2 ? move<2>(m, c, delta, f) : move<1>(m, c, delta, f);
}

SINEW_KERNEL void extrapolateAll(const Manifold* begin, const Manifold* end, FreeContact* contacts,
                                 const FreeVelocities& f, double beta) {
  for (const Manifold* m = begin; m != end; ++m) {
    FreeContact* c = contacts + m->begin;
    for (int i = 0; i < m->count; ++i) at(c[i].lambda.data()) += beta * load(c[i].course.data());
    moveAny(*m, c, &FreeContact::course, beta, f);
  }
}

SINEW_KERNEL void applyAll(const Manifold* begin, const Manifold* end, FreeContact* contacts, const FreeVelocities& f) {
  for (const Manifold* m = begin; m != end; ++m) moveAny(*m, contacts + m->begin, &FreeContact::lambda, 1, f);
}

template <int Sides>
SINEW_INLINE void addTransposed(const Manifold& m, const FreeContact* c, double* sum) {
  Lanes<Sides> impulse, total;
  transposed<Sides>(
      m, c, [&](int i) __attribute__((always_inline)) { return c[i].lambda.data(); }, impulse);
  total.loadSides(sum + m.slot[0], sum + m.slot[1]);
  total.addScaled(impulse, 1);
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

void prepareManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v) {
  prepareAll(manifolds.data(), manifolds.data() + manifolds.size(), contacts, v);
}

void visitManifolds(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v, Sweep sweep,
                    double& moved, double& size) {
  visitAll(manifolds.data(), static_cast<std::ptrdiff_t>(manifolds.size()), contacts, v, sweep, moved, size);
}

void extrapolate(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v, double beta) {
  extrapolateAll(manifolds.data(), manifolds.data() + manifolds.size(), contacts, v, beta);
}

void applyImpulses(std::span<const Manifold> manifolds, FreeContact* contacts, const FreeVelocities& v) {
  applyAll(manifolds.data(), manifolds.data() + manifolds.size(), contacts, v);
}

}  // namespace sinew::solve
