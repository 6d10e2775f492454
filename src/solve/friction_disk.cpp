#include "solve/friction_disk.h"

namespace sinew::solve {
namespace {

constexpr int kMost = 6;
constexpr double kDependent = 1e-7;

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

}  // namespace

void slide(int n, const double* G, const double* c, const double* friction, double normal, double* x) {
  double S[kMost * kMost], b[kMost], trace = 0, push = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) S[i * n + j] = friction[i] * friction[j] * G[i * n + j];
    b[i] = friction[i] * c[i];
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
