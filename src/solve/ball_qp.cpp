#include "solve/ball_qp.h"

#include <algorithm>
#include <cmath>

namespace sinew::solve {
namespace {

constexpr int kMax = 5;
constexpr double kSmall = 1e-10;

/// LL' = S in place (lower triangle, row-major); false if a pivot is below kSmall.
bool factor(int n, double* S) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = S[i * n + j];
      for (int k = 0; k < j; ++k) sum -= S[i * n + k] * S[j * n + k];
      if (i == j) {
        if (sum < kSmall) return false;
        S[i * n + i] = std::sqrt(sum);
      } else {
        S[i * n + j] = sum / S[j * n + j];
      }
    }
  }
  return true;
}

void solveFactored(int n, const double* L, const double* b, double* x) {
  for (int i = 0; i < n; ++i) {
    double sum = b[i];
    for (int k = 0; k < i; ++k) sum -= L[i * n + k] * x[k];
    x[i] = sum / L[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i];
    for (int k = i + 1; k < n; ++k) sum -= L[k * n + i] * x[k];
    x[i] = sum / L[i * n + i];
  }
}

double determinant(int n, const double* S) {
  if (n == 2) return S[0] * S[3] - S[1] * S[2];
  return S[0] * (S[4] * S[8] - S[5] * S[7]) - S[1] * (S[3] * S[8] - S[5] * S[6]) + S[2] * (S[3] * S[7] - S[4] * S[6]);
}

}  // namespace

bool solveBallQp(int n, const double* A, const double* b, const double* scale, double radius, double* x) {
  // substitute x = scale z: the constraint becomes a ball of the given radius
  double As[kMax * kMax], bs[kMax], S[kMax * kMax], z[kMax] = {}, w[kMax];
  for (int i = 0; i < n; ++i) {
    bs[i] = b[i] * scale[i];
    for (int j = 0; j < n; ++j) As[i * n + j] = A[i * n + j] * scale[i] * scale[j];
  }
  double multiplier = 0;
  for (int iteration = 0; iteration < 20; ++iteration) {
    std::copy_n(As, n * n, S);
    for (int i = 0; i < n; ++i) S[i * n + i] += multiplier;
    // two and three dimensions are judged by their determinant, more by their pivots
    if ((n <= 3 && determinant(n, S) < kSmall) || !factor(n, S)) {
      std::fill_n(x, n, 0.0);
      return false;
    }
    solveFactored(n, S, bs, z);
    double excess = -radius * radius;
    for (int i = 0; i < n; ++i) {
      z[i] = -z[i];
      excess += z[i] * z[i];
    }
    if (excess < kSmall) break;
    // d |z|^2 / d multiplier = -2 z' inv(A + multiplier) z
    solveFactored(n, S, z, w);
    double slope = 0;
    for (int i = 0; i < n; ++i) slope -= 2 * z[i] * w[i];
    const double step = -excess / slope;
    if (step < kSmall) break;
    multiplier += step;
  }
  for (int i = 0; i < n; ++i) x[i] = z[i] * scale[i];
  return multiplier != 0;
}

}  // namespace sinew::solve
