#include "solve/rows.h"

#include <algorithm>
#include <cmath>

namespace sinew::solve {
namespace {

/// Values of the basis vectors at x: c_k = b_k . x.
void basisTimes(const ConstraintProblem& p, const RowBlock& block, const double* x, double* c) {
  const double* b = p.values.data() + block.value;
  const int* column = p.columns.data() + block.column;
  for (int k = 0; k < block.nbasis; ++k, b += block.ncol) {
    double sum = 0;
    for (int j = 0; j < block.ncol; ++j) sum += b[j] * x[column[j]];
    c[k] = sum;
  }
}

/// x += B' c.
void addBasisTransposed(const ConstraintProblem& p, const RowBlock& block, const double* c, double* x) {
  const double* b = p.values.data() + block.value;
  const int* column = p.columns.data() + block.column;
  for (int k = 0; k < block.nbasis; ++k, b += block.ncol) {
    const double ck = c[k];
    if (ck == 0) continue;
    for (int j = 0; j < block.ncol; ++j) x[column[j]] += b[j] * ck;
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
    z.U[j] = r[j] * cone.friction[static_cast<std::size_t>(j - 1)];
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
  const ConeParameters& cone = p.cones[static_cast<std::size_t>(block.cone)];
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
        force[j] = -force[0] / z.T * z.U[j] * cone.friction[static_cast<std::size_t>(j - 1)];
      }
      return 0.5 * Dm * distance * distance;
    }
  }
}

/// Hessian of 1/2 Dm (N - mu T)^2 over r: Dm diag(mu, friction) [1, -mu U'/T; ., mu N/T^3 U U' + (mu^2 - mu N/T) I]
/// diag(mu, friction).
void ellipticWeights(const ConstraintProblem& p, const RowBlock& block, const double* r, double* W) {
  const ConeParameters& cone = p.cones[static_cast<std::size_t>(block.cone)];
  const int dim = block.nrow;
  const EllipticZone z = ellipticZone(cone, dim, r);
  const double mu = cone.mu;
  const double Dm = coneMass(cone, p.D[static_cast<std::size_t>(block.row)]);
  double s[kMaxBasis] = {mu};
  for (int j = 1; j < dim; ++j) s[j] = cone.friction[static_cast<std::size_t>(j - 1)];
  const double tangentScale = mu * z.N / (z.T * z.T * z.T);
  const double diagonal = mu * mu - mu * z.N / z.T;
  for (int i = 0; i < dim; ++i) {
    for (int j = i; j < dim; ++j) {
      double h = i == 0 ? (j == 0 ? 1 : -mu / z.T * z.U[j]) : tangentScale * z.U[i] * z.U[j];
      if (i > 0 && i == j) h += diagonal;
      W[i * dim + j] = W[j * dim + i] = Dm * s[i] * s[j] * h;
    }
  }
}

}  // namespace

void multiplyRows(const ConstraintProblem& p, const double* x, double* y) {
  double c[kMaxBasis];
  for (const RowBlock& block : p.blocks) {
    if (block.kind != BlockKind::Pyramid) {
      basisTimes(p, block, x, y + block.row);
      continue;
    }
    basisTimes(p, block, x, c);
    const ConeParameters& cone = p.cones[static_cast<std::size_t>(block.cone)];
    double* out = y + block.row;
    for (int k = 1; k < block.nbasis; ++k) {
      const double t = cone.friction[static_cast<std::size_t>(k - 1)] * c[k];
      *out++ = c[0] + t;
      *out++ = c[0] - t;
    }
  }
}

void addTransposed(const ConstraintProblem& p, const double* f, double* x) {
  double c[kMaxBasis];
  for (const RowBlock& block : p.blocks) {
    if (block.kind != BlockKind::Pyramid) {
      addBasisTransposed(p, block, f + block.row, x);
      continue;
    }
    const ConeParameters& cone = p.cones[static_cast<std::size_t>(block.cone)];
    const double* in = f + block.row;
    c[0] = 0;
    for (int k = 1; k < block.nbasis; ++k, in += 2) {
      c[0] += in[0] + in[1];
      c[k] = cone.friction[static_cast<std::size_t>(k - 1)] * (in[0] - in[1]);
    }
    addBasisTransposed(p, block, c, x);
  }
}

double evaluateRows(const ConstraintProblem& p, const double* r, double* force, RowState* state) {
  double cost = 0;
  for (const RowBlock& block : p.blocks) {
    const int end = block.row + block.nrow;
    switch (block.kind) {
      case BlockKind::Equality:
        for (int i = block.row; i < end; ++i) {
          const double D = p.D[static_cast<std::size_t>(i)];
          force[i] = -D * r[i];
          state[i] = RowState::Quadratic;
          cost += 0.5 * D * r[i] * r[i];
        }
        break;
      case BlockKind::Friction:
        for (int i = block.row; i < end; ++i) {
          const double f = p.frictionloss[static_cast<std::size_t>(i)];
          const double bound = p.R[static_cast<std::size_t>(i)] * f;
          if (r[i] <= -bound) {
            force[i] = f;
            state[i] = RowState::LinearNeg;
            cost += -0.5 * bound * f - f * r[i];
          } else if (r[i] >= bound) {
            force[i] = -f;
            state[i] = RowState::LinearPos;
            cost += -0.5 * bound * f + f * r[i];
          } else {
            const double D = p.D[static_cast<std::size_t>(i)];
            force[i] = -D * r[i];
            state[i] = RowState::Quadratic;
            cost += 0.5 * D * r[i] * r[i];
          }
        }
        break;
      case BlockKind::Unilateral:
      case BlockKind::Pyramid:
        for (int i = block.row; i < end; ++i) {
          if (r[i] >= 0) {
            force[i] = 0;
            state[i] = RowState::Satisfied;
          } else {
            const double D = p.D[static_cast<std::size_t>(i)];
            force[i] = -D * r[i];
            state[i] = RowState::Quadratic;
            cost += 0.5 * D * r[i] * r[i];
          }
        }
        break;
      case BlockKind::Elliptic:
        cost += evaluateElliptic(p, block, r + block.row, force + block.row, state + block.row);
        break;
    }
  }
  return cost;
}

bool blockWeights(const ConstraintProblem& p, const RowBlock& block, const double* r, const RowState* state,
                  double* W) {
  const int n = block.nbasis;
  std::fill_n(W, n * n, 0.0);
  const double* D = p.D.data() + block.row;
  const RowState* s = state + block.row;
  bool any = false;
  switch (block.kind) {
    case BlockKind::Pyramid: {
      // edges b_0 +- mu_k b_k with D active: D (e_0 +- mu_k e_k)(e_0 +- mu_k e_k)'
      const ConeParameters& cone = p.cones[static_cast<std::size_t>(block.cone)];
      for (int k = 1; k < n; ++k, D += 2, s += 2) {
        const double mu = cone.friction[static_cast<std::size_t>(k - 1)];
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
        ellipticWeights(p, block, r + block.row, W);
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

}  // namespace sinew::solve
