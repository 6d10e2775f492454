#include "solve/block_solve.h"

namespace sinew::solve {
namespace {

constexpr int kMost = 6;
constexpr double kDependent = 1e-7;
constexpr double kRoundOff = 1e-12;  // a pivot below this share of its diagonal is none
// bounds of the reference engine, which have units
constexpr double kSingular = 1e-10, kExcess = 1e-10;
/// Below this normal^2 an excess of kExcess is no small one.
constexpr double kLeastSquare = 1e-6;

/// LL' = S in place, lower triangle by rows; a row whose pivot is below `least` times its diagonal becomes zero.
void factor(int n, double* S, double least) {
  for (int i = 0; i < n; ++i) {
    const double diagonal = S[i * n + i];
    for (int j = 0; j <= i; ++j) {
      double sum = S[i * n + j];
      for (int k = 0; k < j; ++k) sum -= S[i * n + k] * S[j * n + k];
      if (j < i) {
        S[i * n + j] = S[j * n + j] > 0 ? sum / S[j * n + j] : 0;
      } else if (sum > least * diagonal && diagonal > 0) {
        S[i * n + i] = std::sqrt(sum);
      } else {
        std::fill_n(S + i * n, i + 1, 0.0);
      }
    }
  }
}

/// x <- inv(LL') x; rows that were left out give zero.
void solveFactored(int n, const double* L, double* x) {
  for (int i = 0; i < n; ++i) {
    double sum = x[i];
    for (int k = 0; k < i; ++k) sum -= L[i * n + k] * x[k];
    x[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= L[k * n + i] * x[k];
    x[i] = L[i * n + i] > 0 ? sum / L[i * n + i] : 0;
  }
}

/// x = friction z turns the ellipsoid into a ball: min 1/2 z' S z - z' b with |z| <= normal.
struct BallProblem {
  double S[kMost * kMost], b[kMost];

  BallProblem(int n, const double* G, const double* c, const double* friction) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) S[i * n + j] = friction[i] * friction[j] * G[i * n + j];
      b[i] = friction[i] * c[i];
    }
  }
};

/// The minimum with |z| = normal: (S + nu) z = b.
void solveOnSphere(int n, const BallProblem& ball, const double* friction, double normal, double* x) {
  const auto& [S, b] = ball;
  double trace = 0, push = 0;
  for (int i = 0; i < n; ++i) {
    trace += S[i * n + i];
    push += b[i] * b[i];
  }
  double nu = std::max(kRegularization * trace, std::sqrt(push) / normal - trace);
  double L[kMost * kMost], z[kMost] = {}, w[kMost] = {}, length = 0;
  for (int iteration = 0; iteration < 12; ++iteration) {
    std::copy_n(S, n * n, L);
    for (int i = 0; i < n; ++i) L[i * n + i] += nu;
    factor(n, L, 0);
    std::copy_n(b, n, z);
    solveFactored(n, L, z);
    double square = 0;
    for (int i = 0; i < n; ++i) square += z[i] * z[i];
    length = std::sqrt(square);
    if (length <= normal * (1 + 1e-10)) break;
    std::copy_n(z, n, w);
    solveFactored(n, L, w);
    double steepness = 0;
    for (int i = 0; i < n; ++i) steepness += z[i] * w[i];
    nu += (length - normal) / normal * square / steepness;
  }
  const double scale = length > 0 ? normal / length : 0;
  for (int i = 0; i < n; ++i) x[i] = friction[i] * z[i] * scale;
}

/// LL' = S in place, lower triangle by rows; false if the determinant (up to three rows) or a pivot is below kSingular.
bool factorAsReference(int n, double* S) {
  if (n == 2 && S[0] * S[3] - S[1] * S[2] < kSingular) return false;
  if (n == 3 &&
      S[0] * (S[4] * S[8] - S[5] * S[7]) - S[1] * (S[3] * S[8] - S[5] * S[6]) + S[2] * (S[3] * S[7] - S[4] * S[6]) <
          kSingular) {
    return false;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = S[i * n + j];
      for (int k = 0; k < j; ++k) sum -= S[i * n + k] * S[j * n + k];
      if (i == j && sum < kSingular) return false;
      S[i * n + j] = i == j ? std::sqrt(sum) : sum / S[j * n + j];
    }
  }
  return true;
}

enum class Found { Inside, OnBorder, Nothing };

/// The search of the reference engine: Newton's method on |z|^2 - normal^2, at most 20 steps, and what it has then is
/// scaled to the border. Gauss-Seidel ends before it has converged, so that its result is made of such steps. Nothing
/// is found where the bounds say that the matrix is singular.
Found solveAsReference(int n, const double* G, const double* c, const double* friction, double normal, double* x) {
  double S[kMost * kMost], b[kMost], L[kMost * kMost], z[kMost] = {}, w[kMost] = {};
  for (int i = 0; i < n; ++i) {
    b[i] = c[i] * friction[i];
    for (int j = 0; j < n; ++j) S[i * n + j] = G[i * n + j] * friction[i] * friction[j];
  }
  double nu = 0;
  for (int iteration = 0; iteration < 20; ++iteration) {
    std::copy_n(S, n * n, L);
    for (int i = 0; i < n; ++i) L[i * n + i] += nu;
    if (!factorAsReference(n, L)) return Found::Nothing;
    std::copy_n(b, n, z);
    solveFactored(n, L, z);
    double excess = -normal * normal;
    for (int i = 0; i < n; ++i) excess += z[i] * z[i];
    if (excess < kExcess) break;
    std::copy_n(z, n, w);
    solveFactored(n, L, w);
    double slope = 0;  // d |z|^2 / d nu = -2 z' inv(S + nu) z
    for (int i = 0; i < n; ++i) slope -= 2 * z[i] * w[i];
    const double step = -excess / slope;
    if (step < kExcess) break;
    nu += step;
  }
  for (int i = 0; i < n; ++i) x[i] = z[i] * friction[i];
  if (nu == 0) return Found::Inside;
  double square = 0;
  for (int i = 0; i < n; ++i) square += x[i] * x[i] / (friction[i] * friction[i]);
  const double scale = std::sqrt(normal * normal / std::max(1e-15, square));
  for (int i = 0; i < n; ++i) x[i] *= scale;
  return Found::OnBorder;
}

}  // namespace

bool solveInEllipsoid(int n, const double* G, const double* c, const double* friction, double normal, double* x) {
  if (normal * normal > kLeastSquare) {
    const Found found = solveAsReference(n, G, c, friction, normal, x);
    if (found != Found::Nothing) return found == Found::OnBorder;
  }
  // inside: the solution without bound, and where G is singular, so that there are many, the shortest z as well
  const BallProblem ball(n, G, c, friction);
  double trace = 0;
  for (int i = 0; i < n; ++i) trace += ball.S[i * n + i];
  for (const double nu : {0.0, kRegularization * trace}) {
    double L[kMost * kMost], z[kMost] = {}, square = 0;
    std::copy_n(ball.S, n * n, L);
    for (int i = 0; i < n; ++i) L[i * n + i] += nu;
    factor(n, L, nu > 0 ? 0 : kRoundOff);
    std::copy_n(ball.b, n, z);
    solveFactored(n, L, z);
    for (int i = 0; i < n; ++i) square += z[i] * z[i];
    if (square > normal * normal) continue;
    for (int i = 0; i < n; ++i) x[i] = friction[i] * z[i];
    return false;
  }
  solveOnSphere(n, ball, friction, normal, x);
  return true;
}

void slide(int n, const double* G, const double* c, const double* friction, double normal, double* x) {
  solveOnSphere(n, BallProblem(n, G, c, friction), friction, normal, x);
}

void invertIndependent(int n, const double* G, double* inverse) {
  double L[kMost * kMost];
  std::copy_n(G, n * n, L);
  for (int i = 0; i < n; ++i) L[i * n + i] *= 1 + kRegularization;
  factor(n, L, kDependent);
  for (int i = 0; i < n; ++i) {
    double* column = inverse + i * n;  // symmetric: rows are columns
    std::fill_n(column, n, 0.0);
    if (L[i * n + i] == 0) continue;
    column[i] = 1;
    solveFactored(n, L, column);
  }
}

}  // namespace sinew::solve
