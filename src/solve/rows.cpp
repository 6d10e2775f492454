#include "solve/rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "math/kernel.h"

namespace sinew::solve {
namespace {

/// Four entries of x, loaded at once if they are neighbors.
inline __attribute__((always_inline)) void gather(const double* x, const int* column, Wide& out) {
  if (column[kLanes - 1] - column[0] == kLanes - 1) {
    out = loadWide(x + column[0]);
  } else {
    out = Wide{x[column[0]], x[column[1]], x[column[2]], x[column[3]]};
  }
}

/// Values of N basis vectors at x: c_k = b_k . x, four columns at a time.
template <int N>
inline __attribute__((always_inline)) void basisTimes(int ncol, const double* b, const int* column, const double* x,
                                                      double* c) {
  Wide sum[N] = {};
  double rest[N] = {};
  int j = 0;
  for (; j + kLanes <= ncol; j += kLanes) {
    Wide xj;
    gather(x, column + j, xj);
    for (int k = 0; k < N; ++k) sum[k] += loadWide(b + k * ncol + j) * xj;
  }
  for (; j < ncol; ++j) {
    const double xj = x[column[j]];
    for (int k = 0; k < N; ++k) rest[k] += b[k * ncol + j] * xj;
  }
  for (int k = 0; k < N; ++k) c[k] = ((sum[k][0] + sum[k][2]) + (sum[k][1] + sum[k][3])) + rest[k];
}

/// x += sum over N basis vectors of c_k b_k.
template <int N>
inline __attribute__((always_inline)) void addBasis(int ncol, const double* b, const int* column, const double* c,
                                                    double* x) {
  int j = 0;
  for (; j + kLanes <= ncol; j += kLanes) {
    Wide sum = loadWide(b + j) * c[0];
    for (int k = 1; k < N; ++k) sum += loadWide(b + k * ncol + j) * c[k];
    if (column[j + kLanes - 1] - column[j] == kLanes - 1) {
      store(x + column[j], loadWide(x + column[j]) + sum);
    } else {
      for (int lane = 0; lane < kLanes; ++lane) x[column[j + lane]] += sum[lane];
    }
  }
  for (; j < ncol; ++j) {
    double sum = b[j] * c[0];
    for (int k = 1; k < N; ++k) sum += b[k * ncol + j] * c[k];
    x[column[j]] += sum;
  }
}

/// f(std::integral_constant<int, N>) with N = n in 1 .. kMaxBasis: loops over basis vectors of known length.
template <class F>
inline __attribute__((always_inline)) void withSize(int n, F&& f) {
  switch (n) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    default:
      return f(std::integral_constant<int, 6>{});
  }
}

struct EllipticZone {
  RowState state;
  double N, T;
  double U[kMaxBasis];
};

EllipticZone ellipticZone(const ConeParameters& cone, int dim, const double* r) {
  EllipticZone z{};
  z.U[0] = r[0] * cone.mu;
  double sum = 0;
  for (int j = 1; j < dim; ++j) {
    z.U[j] = r[j] * cone.friction[j - 1];
    sum += z.U[j] * z.U[j];
  }
  z.N = z.U[0];
  z.T = std::sqrt(sum);
  if (z.N >= cone.mu * z.T) {
    z.state = RowState::Satisfied;
  } else if (cone.mu * z.N + z.T <= 0) {
    z.state = RowState::Quadratic;
  } else {
    z.state = RowState::Cone;
  }
  return z;
}

double coneMass(const ConeParameters& cone, double D0) { return D0 / (cone.mu * cone.mu * (1 + cone.mu * cone.mu)); }

double evaluateElliptic(const ConstraintProblem& p, const RowBlock& block, const double* r, double* force,
                        RowState* state) {
  const ConeParameters& cone = p.cones[block.cone];
  const double* D = p.D.data() + block.row;
  const int dim = block.nrow;
  const EllipticZone z = ellipticZone(cone, dim, r);
  std::fill_n(state, dim, z.state);
  switch (z.state) {
    case RowState::Satisfied:
      std::fill_n(force, dim, 0.0);
      return 0;
    case RowState::Quadratic: {
      double cost = 0;
      for (int j = 0; j < dim; ++j) {
        force[j] = -D[j] * r[j];
        cost += 0.5 * D[j] * r[j] * r[j];
      }
      return cost;
    }
    default: {
      const double Dm = coneMass(cone, D[0]);
      const double distance = z.N - cone.mu * z.T;
      force[0] = -Dm * distance * cone.mu;
      for (int j = 1; j < dim; ++j) {
        force[j] = -force[0] / z.T * z.U[j] * cone.friction[j - 1];
      }
      return 0.5 * Dm * distance * distance;
    }
  }
}

/// Hessian of 1/2 Dm (N - mu T)^2 over r: Dm diag(mu, friction) [1, -mu U'/T; ., mu N/T^3 U U' + (mu^2 - mu N/T) I]
/// diag(mu, friction).
/// That is Dm ([1, -mu u'][1, -mu u']' + mu (mu T - N)/T (I - u u')) with u = U/T. `dual`, w, takes the place of one u
/// of the last product.
void ellipticWeights(const ConstraintProblem& p, const RowBlock& block, const double* r, const double* dual,
                     double* W) {
  const ConeParameters& cone = p.cones[block.cone];
  const int dim = block.nrow;
  const EllipticZone z = ellipticZone(cone, dim, r);
  const double mu = cone.mu;
  const double Dm = coneMass(cone, p.D[block.row]);
  double s[kMaxBasis] = {mu};
  for (int j = 1; j < dim; ++j) s[j] = cone.friction[j - 1];
  const double tangentScale = mu * z.N / (z.T * z.T * z.T);
  const double diagonal = mu * mu - mu * z.N / z.T;
  const bool primalDual = dual && isFrictionStiffer(cone);
  double u[kMaxBasis] = {};
  for (int j = 1; j < dim; ++j) u[j] = z.U[j] / z.T;
  for (int i = 0; i < dim; ++i) {
    for (int j = i; j < dim; ++j) {
      double h = i == 0 ? (j == 0 ? 1 : -mu / z.T * z.U[j]) : tangentScale * z.U[i] * z.U[j];
      if (i > 0 && i == j) h += diagonal;
      if (i > 0 && primalDual) h += diagonal * (u[i] * u[j] - 0.5 * (dual[i] * u[j] + u[i] * dual[j]));
      W[i * dim + j] = W[j * dim + i] = Dm * s[i] * s[j] * h;
    }
  }
}

}  // namespace

namespace {

inline __attribute__((always_inline)) void multiplyBlock(const ConstraintProblem& p, const RowBlock& block,
                                                         const double* x, double* y) {
  double c[kMaxBasis];
  const double* b = p.values.data() + block.value;
  const int* column = p.columns.data() + block.column;
  const int n = block.nbasis;
  double* out = y + block.row;
  double* target = block.kind == BlockKind::Pyramid ? c : out;
  withSize(
      n, [&](auto size)
             __attribute__((always_inline)) { basisTimes<decltype(size)::value>(block.ncol, b, column, x, target); });
  if (block.kind != BlockKind::Pyramid) return;
  const double* friction = p.cones[block.cone].friction.data();
  for (int k = 1; k < n; ++k) {
    const double t = friction[k - 1] * c[k];
    *out++ = c[0] + t;
    *out++ = c[0] - t;
  }
}

}  // namespace

SINEW_KERNEL void multiplyRows(const ConstraintProblem& p, const double* x, double* y) {
  for (const RowBlock& block : p.blocks) multiplyBlock(p, block, x, y);
}

SINEW_KERNEL void multiplyRows(const ConstraintProblem& p, const double* x1, double* y1, const double* x2, double* y2) {
  for (const RowBlock& block : p.blocks) {
    multiplyBlock(p, block, x1, y1);
    multiplyBlock(p, block, x2, y2);
  }
}

SINEW_KERNEL void addTransposed(const ConstraintProblem& p, const double* f, double* x) {
  const double* values = p.values.data();
  const int* columns = p.columns.data();
  const ConeParameters* cones = p.cones.data();
  for (const RowBlock& block : p.blocks) {
    double c[kMaxBasis];
    const double* in = f + block.row;
    const double* source = in;
    bool any = false;
    for (int k = 0; k < block.nrow; ++k) any = any || in[k] != 0;
    if (!any) continue;
    if (block.kind == BlockKind::Pyramid) {
      const double* friction = cones[block.cone].friction.data();
      c[0] = 0;
      for (int k = 1; k < block.nbasis; ++k, in += 2) {
        c[0] += in[0] + in[1];
        c[k] = friction[k - 1] * (in[0] - in[1]);
      }
      source = c;
    }
    withSize(
        block.nbasis, [&](auto size) __attribute__((always_inline)) {
          addBasis<decltype(size)::value>(block.ncol, values + block.value, columns + block.column, source, x);
        });
  }
}

namespace {

/// Rows [begin, end) that only push: f = -D min(0, r). Returns their cost.
SINEW_KERNEL double evaluateUnilateral(int begin, int end, const double* D, const double* r, double* force,
                                       RowState* state) {
  Wide cost{};
  const Wide zero{};
  int i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    const Wide ri = loadWide(r + i);
    const Wide m = ri < zero ? ri : zero;
    const Wide push = zero - m;  // never -0
    const Wide f = loadWide(D + i) * push;
    store(force + i, f);
    cost += 0.5 * f * push;
  }
  double sum = (cost[0] + cost[2]) + (cost[1] + cost[3]);
  for (; i < end; ++i) {
    const double push = r[i] < 0 ? -r[i] : 0;
    force[i] = D[i] * push;
    sum += 0.5 * force[i] * push;
  }
  for (i = begin; i < end; ++i) state[i] = r[i] < 0 ? RowState::Quadratic : RowState::Satisfied;
  return sum;
}

/// Rows [begin, end) held both ways: f = -D r. Returns their cost.
SINEW_KERNEL double evaluateEqualities(int begin, int end, const double* D, const double* r, double* force,
                                       RowState* state) {
  Wide cost{};
  int i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    const Wide ri = loadWide(r + i), f = -loadWide(D + i) * ri;
    store(force + i, f);
    cost -= 0.5 * f * ri;
  }
  double sum = (cost[0] + cost[2]) + (cost[1] + cost[3]);
  for (; i < end; ++i) {
    force[i] = -D[i] * r[i];
    sum -= 0.5 * force[i] * r[i];
  }
  std::fill(state + begin, state + end, RowState::Quadratic);
  return sum;
}

}  // namespace

double evaluateRows(const ConstraintProblem& p, const double* r, double* force, RowState* state) {
  double cost = 0;
  for (std::size_t b = 0; b < p.blocks.size(); ++b) {
    const RowBlock& block = p.blocks[b];
    int end = block.row + block.nrow;
    switch (block.kind) {
      case BlockKind::Equality:
        while (b + 1 < p.blocks.size() && p.blocks[b + 1].kind == BlockKind::Equality) end += p.blocks[++b].nrow;
        cost += evaluateEqualities(block.row, end, p.D.data(), r, force, state);
        break;
      case BlockKind::Friction:
        for (int i = block.row; i < end; ++i) {
          const double f = p.frictionloss[i];
          const double bound = p.R[i] * f;
          if (r[i] <= -bound) {
            force[i] = f;
            state[i] = RowState::LinearNeg;
            cost += -0.5 * bound * f - f * r[i];
          } else if (r[i] >= bound) {
            force[i] = -f;
            state[i] = RowState::LinearPos;
            cost += -0.5 * bound * f + f * r[i];
          } else {
            const double D = p.D[i];
            force[i] = -D * r[i];
            state[i] = RowState::Quadratic;
            cost += 0.5 * D * r[i] * r[i];
          }
        }
        break;
      case BlockKind::Unilateral:
      case BlockKind::Pyramid:
        // together with all blocks of this sort that follow
        while (b + 1 < p.blocks.size() && isUnilateral(p.blocks[b + 1].kind)) end += p.blocks[++b].nrow;
        cost += evaluateUnilateral(block.row, end, p.D.data(), r, force, state);
        break;
      case BlockKind::Elliptic:
        cost += evaluateElliptic(p, block, r + block.row, force + block.row, state + block.row);
        break;
    }
  }
  return cost;
}

void weighRows(const ConstraintProblem& p, const double* r, const RowState* state, const double* v, double* y,
               const double* dual) {
  for (const RowBlock& block : p.blocks) {
    if (block.kind == BlockKind::Elliptic && state[block.row] == RowState::Cone) {
      double W[kMaxBasis * kMaxBasis];
      ellipticWeights(p, block, r + block.row, dual ? dual + block.row : nullptr, W);
      for (int i = 0; i < block.nrow; ++i) {
        double sum = 0;
        for (int j = 0; j < block.nrow; ++j) sum += W[i * block.nrow + j] * v[block.row + j];
        y[block.row + i] = sum;
      }
      continue;
    }
    for (int i = block.row; i < block.row + block.nrow; ++i) {
      y[i] = state[i] == RowState::Quadratic ? p.D[i] * v[i] : 0;
    }
  }
}

int equalRun(const ConstraintProblem& p, std::size_t first) {
  const RowBlock& block = p.blocks[first];
  int count = 0;
  for (std::size_t b = first; b < p.blocks.size() && count < kMaxBasis; ++b, ++count) {
    const RowBlock& next = p.blocks[b];
    if (next.kind != BlockKind::Equality || next.nbasis != 1 || !shareColumns(next, block)) break;
    if (next.value != block.value + count * block.ncol) break;
  }
  return count;
}

void equalWeights(const ConstraintProblem& p, const RowBlock& block, int count, double* W) {
  std::fill_n(W, count * count, 0.0);
  for (int k = 0; k < count; ++k) W[k * (count + 1)] = p.D[block.row + k];
}

bool blockWeights(const ConstraintProblem& p, const RowBlock& block, const double* r, const RowState* state, double* W,
                  const double* dual) {
  const int n = block.nbasis;
  std::fill_n(W, n * n, 0.0);
  const double* D = p.D.data() + block.row;
  const RowState* s = state + block.row;
  bool any = false;
  switch (block.kind) {
    case BlockKind::Pyramid: {
      // edges b_0 +- mu_k b_k with D active: D (e_0 +- mu_k e_k)(e_0 +- mu_k e_k)'
      const ConeParameters& cone = p.cones[block.cone];
      for (int k = 1; k < n; ++k, D += 2, s += 2) {
        const double mu = cone.friction[k - 1];
        const double plus = s[0] == RowState::Quadratic ? D[0] : 0;
        const double minus = s[1] == RowState::Quadratic ? D[1] : 0;
        W[0] += plus + minus;
        W[k] += mu * (plus - minus);
        W[k * n + k] += mu * mu * (plus + minus);
        any = any || plus != 0 || minus != 0;
      }
      for (int k = 1; k < n; ++k) W[k * n] = W[k];
      return any;
    }
    case BlockKind::Elliptic:
      if (s[0] == RowState::Cone) {
        ellipticWeights(p, block, r + block.row, dual ? dual + block.row : nullptr, W);
        return true;
      }
      [[fallthrough]];
    default:
      for (int k = 0; k < n; ++k) {
        if (s[k] != RowState::Quadratic) continue;
        W[k * n + k] = D[k];
        any = true;
      }
      return any;
  }
}

bool isFrictionStiffer(const ConeParameters& cone) { return cone.mu < cone.friction[0]; }

namespace {

/// f(block, cone) for all elliptic cones whose friction is stiffer than their normal.
template <class F>
void forEachStiffCone(const ConstraintProblem& p, const F& f) {
  for (const RowBlock& block : p.blocks) {
    if (block.kind != BlockKind::Elliptic) continue;
    const ConeParameters& cone = p.cones[block.cone];
    if (isFrictionStiffer(cone)) f(block, cone);
  }
}

}  // namespace

void initializeDuals(const ConstraintProblem& p, const double* r, const RowState* state, double* dual) {
  forEachStiffCone(
      p, [&](const RowBlock& block, const ConeParameters&) { std::fill_n(dual + block.row, block.nrow, 0.0); });
  resetDuals(p, r, state, dual);
}

void updateDuals(const ConstraintProblem& p, const double* r, const RowState* state, const double* v, double alpha,
                 double* dual) {
  forEachStiffCone(p, [&](const RowBlock& block, const ConeParameters& cone) {
    if (state[block.row] != RowState::Cone) return;
    const EllipticZone z = ellipticZone(cone, block.nrow, r + block.row);
    double* w = dual + block.row;
    double V[kMaxBasis], along = 0;
    for (int j = 1; j < block.nrow; ++j) {
      V[j] = v[block.row + j] * cone.friction[j - 1];
      along += z.U[j] / z.T * V[j];
    }
    if (z.T + along <= 0) {
      std::fill_n(w, block.nrow, 0.0);
      return;
    }
    double square = 0;
    for (int j = 1; j < block.nrow; ++j) {
      w[j] += std::min(alpha, 1.0) * (z.U[j] + V[j] - w[j] * (z.T + along)) / z.T;
      square += w[j] * w[j];
    }
    const double length = std::sqrt(square);
    for (int j = 1; j < block.nrow && length > 1; ++j) w[j] /= length;
  });
}

bool alignDuals(const ConstraintProblem& p, const double* r, const RowState* state, double* dual) {
  bool any = false;
  forEachStiffCone(p, [&](const RowBlock& block, const ConeParameters& cone) {
    if (state[block.row] != RowState::Cone) return;
    const EllipticZone z = ellipticZone(cone, block.nrow, r + block.row);
    for (int j = 1; j < block.nrow; ++j) dual[block.row + j] = z.U[j] / z.T;
    any = true;
  });
  return any;
}

void resetDuals(const ConstraintProblem& p, const double* r, const RowState* state, double* dual) {
  forEachStiffCone(p, [&](const RowBlock& block, const ConeParameters& cone) {
    double* w = dual + block.row;
    if (state[block.row] == RowState::Satisfied) std::fill_n(w, block.nrow, 0.0);
    if (state[block.row] != RowState::Quadratic) return;
    const EllipticZone z = ellipticZone(cone, block.nrow, r + block.row);
    for (int j = 1; j < block.nrow; ++j) w[j] = z.N < 0 ? -z.U[j] / (cone.mu * z.N) : 0;
  });
}

}  // namespace sinew::solve
