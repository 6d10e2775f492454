#include "solve/free_contact.h"

#include "math/kernel.h"
#include "solve/friction_disk.h"

namespace sinew::solve {
namespace {

#define SINEW_INLINE inline __attribute__((always_inline))

SINEW_INLINE const Wide& load(const double* numbers) { return *reinterpret_cast<const Wide*>(numbers); }
SINEW_INLINE Wide& at(double* numbers) { return *reinterpret_cast<Wide*>(numbers); }
SINEW_INLINE double sumOf(const Wide& w) { return (w[0] + w[1]) + (w[2] + w[3]); }

/// v += inv(A) J' delta for one side.
SINEW_INLINE void moveSide(const FreeContact& c, int side, const double* delta, const FreeVelocities& f) {
  const double* J = c.J + side * 3 * kSlots;
  const auto s = static_cast<std::size_t>(side);
  double* v = f.velocity + c.slot[s];
  const Wide low = load(J) * delta[0] + load(J + kSlots) * delta[1] + load(J + 2 * kSlots) * delta[2];
  const Wide high =
      load(J + kLanes) * delta[0] + load(J + kSlots + kLanes) * delta[1] + load(J + 2 * kSlots + kLanes) * delta[2];
  if (c.dense[s] < 0) {
    at(v) += load(f.inverseDiagonal + c.slot[s]) * low;
    at(v + kLanes) += load(f.inverseDiagonal + c.slot[s] + kLanes) * high;
    return;
  }
  // inv(A) is symmetric: its rows serve as columns
  const double* column = f.inverse + c.dense[s];
  const double impulse[kSmall] = {low[0], low[1], low[2], low[3], high[0], high[1]};
  Wide changeLow = load(column) * impulse[0], changeHigh = load(column + kLanes) * impulse[0];
  for (int k = 1; k < kSmall; ++k) {
    changeLow += load(column + k * kSlots) * impulse[k];
    changeHigh += load(column + k * kSlots + kLanes) * impulse[k];
  }
  at(v) += changeLow;
  at(v + kLanes) += changeHigh;
}

/// Y = inv(A) J' for one row of a side, in two halves.
SINEW_INLINE void responseOf(const FreeContact& c, std::size_t side, const double* J, const FreeVelocities& f,
                             Wide& low, Wide& high) {
  if (c.dense[side] < 0) {
    low = load(J) * load(f.inverseDiagonal + c.slot[side]);
    high = load(J + kLanes) * load(f.inverseDiagonal + c.slot[side] + kLanes);
    return;
  }
  const double* column = f.inverse + c.dense[side];
  low = load(column) * J[0];
  high = load(column + kLanes) * J[0];
  for (int k = 1; k < kSmall; ++k) {
    low += load(column + k * kSlots) * J[k];
    high += load(column + k * kSlots + kLanes) * J[k];
  }
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

SINEW_KERNEL void prepareAll(FreeContact* begin, FreeContact* end, const FreeVelocities& f) {
  for (FreeContact* c = begin; c != end; ++c) {
    Wide products[6] = {};  // lanes of (0,0), (1,0), (1,1), (2,0), (2,1), (2,2)
    for (std::size_t side = 0; side < static_cast<std::size_t>(c->sides); ++side) {
      const double* J = c->J + side * 3 * kSlots;
      std::size_t p = 0;
      for (int k = 0; k < 3; ++k) {
        Wide low, high;
        responseOf(*c, side, J + k * kSlots, f, low, high);
        for (int l = 0; l <= k; ++l, ++p) {
          products[p] += low * load(J + l * kSlots) + high * load(J + l * kSlots + kLanes);
        }
      }
    }
    c->gram = {sumOf(products[0]), sumOf(products[2]), sumOf(products[5])};
    c->across = {sumOf(products[1]), sumOf(products[3])};
    c->along = sumOf(products[4]);
    c->normalInverse = c->gram[0] > 0 ? 1 / (c->gram[0] * (1 + kRegularization)) : 0;
    invertTangents(*c);
  }
}

/// w = target - J v.
template <int Sides>
SINEW_INLINE void residual(const FreeContact& c, const FreeVelocities& f, double* w) {
  const double* v0 = f.velocity + c.slot[0];
  const double* v1 = f.velocity + c.slot[1];
  for (std::size_t k = 0; k < 3; ++k) {
    const double* J = c.J + k * kSlots;
    Wide sum = load(J) * load(v0) + load(J + kLanes) * load(v0 + kLanes);
    if constexpr (Sides == 2) {
      J += 3 * kSlots;
      sum += load(J) * load(v1) + load(J + kLanes) * load(v1 + kLanes);
    }
    w[k] = c.target[k] - sumOf(sum);
  }
}

/// New tangential impulses when the normal one is `normal`; w is what the tangents' velocities lack.
SINEW_INLINE void friction(const FreeContact& c, const double* w, double normal, double* x) {
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
  slidePlane(c.gram[1], c.along, c.gram[2], push, c.friction.data(), normal, x);
}

template <int Sides>
SINEW_INLINE void visit(FreeContact& c, const FreeVelocities& f, double& moved, double& size) {
  double w[3], next[3];
  residual<Sides>(c, f, w);
  next[0] = std::max(0.0, c.lambda[0] + w[0] * c.normalInverse);
  const double push = next[0] - c.lambda[0];
  w[1] -= c.across[0] * push;
  w[2] -= c.across[1] * push;
  friction(c, w + 1, next[0], next + 1);
  const double delta[3] = {push, next[1] - c.lambda[1], next[2] - c.lambda[2]};
  c.change = {delta[0], delta[1], delta[2]};
  size += c.gram[0] * next[0] * next[0] + c.gram[1] * next[1] * next[1] + c.gram[2] * next[2] * next[2];
  if (delta[0] == 0 && delta[1] == 0 && delta[2] == 0) return;
  moved += c.gram[0] * delta[0] * delta[0] + c.gram[1] * delta[1] * delta[1] + c.gram[2] * delta[2] * delta[2];
  c.lambda = {next[0], next[1], next[2]};
  moveSide(c, 0, delta, f);
  if constexpr (Sides == 2) moveSide(c, 1, delta, f);
}

SINEW_KERNEL void visitAll(FreeContact* begin, std::ptrdiff_t count, bool back, const FreeVelocities& f, double& moved,
                           double& size) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    FreeContact& c = begin[back ? count - 1 - i : i];
    c.sides == 2 ? visit<2>(c, f, moved, size) : visit<1>(c, f, moved, size);
  }
}

SINEW_KERNEL void extrapolateAll(FreeContact* begin, FreeContact* end, const FreeVelocities& f, double beta) {
  for (FreeContact* c = begin; c != end; ++c) {
    double delta[3];
    for (std::size_t k = 0; k < 3; ++k) {
      delta[k] = beta * c->course[k];
      c->course[k] = delta[k] + c->change[k];
    }
    if (delta[0] == 0 && delta[1] == 0 && delta[2] == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) c->lambda[k] += delta[k];
    for (int side = 0; side < c->sides; ++side) moveSide(*c, side, delta, f);
  }
}

SINEW_KERNEL void applyAll(const FreeContact* begin, const FreeContact* end, const FreeVelocities& f) {
  for (const FreeContact* c = begin; c != end; ++c) {
    if (c->lambda[0] == 0) continue;
    for (int side = 0; side < c->sides; ++side) moveSide(*c, side, c->lambda.data(), f);
  }
}

}  // namespace

void prepareContacts(std::span<FreeContact> contacts, const FreeVelocities& v) {
  prepareAll(contacts.data(), contacts.data() + contacts.size(), v);
}

void visitContacts(std::span<FreeContact> contacts, const FreeVelocities& v, bool back, double& moved, double& size) {
  visitAll(contacts.data(), static_cast<std::ptrdiff_t>(contacts.size()), back, v, moved, size);
}

void extrapolate(std::span<FreeContact> contacts, const FreeVelocities& v, double beta) {
  extrapolateAll(contacts.data(), contacts.data() + contacts.size(), v, beta);
}

void applyImpulses(std::span<const FreeContact> contacts, const FreeVelocities& v) {
  applyAll(contacts.data(), contacts.data() + contacts.size(), v);
}

}  // namespace sinew::solve
