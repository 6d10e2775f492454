#include "compile/strain_modes.h"

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <vector>

#include "elastic/cell.h"
#include "kinematics/flexes.h"
#include "math/types.h"

namespace sinew::draft {
namespace {

/// Modes depend on the shape of the material law only; the reference engine uses these numbers whatever a model says.
constexpr double kModeYoung = 10, kModePoisson = 0.3;
constexpr double kRigidMode = 1e-8;  // eigenvalues below this part of the largest belong to rigid motions

/// Eigenvectors (columns of V) and eigenvalues (diagonal of A) of a symmetric matrix by cyclic Jacobi rotations. Cells
/// with symmetries have repeated eigenvalues, and each mode has its own impedance, so the order of rotations counts: it
/// is that of the reference engine.
void jacobi(Eigen::MatrixXd& A, Eigen::MatrixXd& V) {
  constexpr int kMaxSweeps = 200;
  const Eigen::Index n = A.rows();
  V.setIdentity(n, n);
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = i + 1; j < n; ++j) off += A(i, j) * A(i, j);
    }
    if (off < 1e-24) return;
    for (Eigen::Index p = 0; p < n; ++p) {
      for (Eigen::Index q = p + 1; q < n; ++q) {
        if (std::abs(A(p, q)) < kMinVal) continue;
        const double tau = (A(q, q) - A(p, p)) / (2 * A(p, q));
        const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (Eigen::Index k = 0; k < n; ++k) {
          const double akp = A(k, p), akq = A(k, q);
          A(k, p) = c * akp - s * akq;
          A(k, q) = s * akp + c * akq;
        }
        for (Eigen::Index k = 0; k < n; ++k) {
          const double apk = A(p, k), aqk = A(q, k);
          A(p, k) = c * apk - s * aqk;
          A(q, k) = s * apk + c * aqk;
        }
        for (Eigen::Index k = 0; k < n; ++k) {
          const double vkp = V(k, p), vkq = V(k, q);
          V(k, p) = c * vkp - s * vkq;
          V(k, q) = s * vkp + c * vkq;
        }
      }
    }
  }
}

template <int Order>
void writeModes(Model& m, const Data& d, int f) {
  const int ny = m.flex_cellnum[3 * f + 1] * Order + 1, nz = m.flex_cellnum[3 * f + 2] * Order + 1;
  const auto rest = [&](int i, int j, int k) {
    return vec3(d.flexpoint_xpos.data(), m.flex_pointadr[f] + (i * ny + j) * nz + k);
  };
  const Vec3 origin = rest(0, 0, 0);
  const Vec3 size((rest(Order, 0, 0) - origin).norm(), (rest(0, Order, 0) - origin).norm(),
                  (rest(0, 0, Order) - origin).norm());
  vec3(m.flex_cellsize.data(), f) = size;

  const auto K = std::make_unique<elastic::CellStiffness<Order>>();
  elastic::referenceCellStiffness<Order>(size, kModeYoung, kModePoisson, *K);
  Eigen::MatrixXd A = -Eigen::MatrixXd(*K), V;  // the reference engine stores -K
  jacobi(A, V);
  const double largest = A.diagonal().cwiseAbs().maxCoeff();
  m.flex_modeadr[f] = static_cast<int>(m.flexmode.size());
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    const double eigenvalue = -A(k, k);
    if (!(eigenvalue > kRigidMode * largest)) continue;
    ++m.flex_modenum[f];
    for (Eigen::Index i = 0; i < V.rows(); ++i) m.flexmode.push_back(std::sqrt(eigenvalue) * V(i, k));
  }
}

}  // namespace

void writeStrainModes(Model& m, Data& d) {
  flexes(m, d);
  std::vector<char> wanted(static_cast<std::size_t>(m.nflex), 0);
  for (int i = 0; i < m.neq; ++i) {
    if (m.eq_type[i] == EqualityType::FlexStrain) wanted[static_cast<std::size_t>(m.eq_obj1id[i])] = 1;
  }
  for (int f = 0; f < m.nflex; ++f) {
    m.flex_modeadr[f] = -1;
    if (!wanted[static_cast<std::size_t>(f)] || m.flex_interp[f] <= 0) continue;
    m.flex_interp[f] == 1 ? writeModes<1>(m, d, f) : writeModes<2>(m, d, f);
  }
  m.nflexmode = static_cast<int>(m.flexmode.size());
}

}  // namespace sinew::draft
