#include "compile/strain_modes.h"

#include <Eigen/Core>
#include <cmath>
#include <memory>
#include <vector>

#include "elastic/cell.h"
#include "elastic/shell.h"
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

/// Appends the modes of -A (the reference engine stores negative matrices) that are not rigid motions, each times the
/// root of its eigenvalue; returns their number.
int appendModes(Eigen::MatrixXd A, Array<double>& modes) {
  Eigen::MatrixXd V;
  jacobi(A, V);
  const double largest = A.diagonal().cwiseAbs().maxCoeff();
  int count = 0;
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    const double eigenvalue = -A(k, k);
    if (!(eigenvalue > kRigidMode * largest)) continue;
    ++count;
    for (Eigen::Index i = 0; i < V.rows(); ++i) modes.push_back(std::sqrt(eigenvalue) * V(i, k));
  }
  return count;
}

/// Edges of a cell at rest.
Vec3 cellSize(const Model& m, const Data& d, int f, int order) {
  const int ny = m.flex_cellnum[3 * f + 1] * order + 1, nz = m.flex_cellnum[3 * f + 2] * order + 1;
  const auto rest = [&](int i, int j, int k) {
    return vec3(d.flexpoint_xpos.data(), m.flex_pointadr[f] + (i * ny + j) * nz + k);
  };
  const Vec3 origin = rest(0, 0, 0);
  return {(rest(order, 0, 0) - origin).norm(), (rest(0, order, 0) - origin).norm(),
          (rest(0, 0, order) - origin).norm()};
}

template <int Order>
void writeModes(Model& m, const Data& d, int f) {
  const Vec3 size = cellSize(m, d, f, Order);
  vec3(m.flex_cellsize.data(), f) = size;
  const auto K = std::make_unique<elastic::CellStiffness<Order>>();
  elastic::referenceCellStiffness<Order>(size, kModeYoung, kModePoisson, *K);
  m.flex_modeadr[f] = static_cast<int>(m.flexmode.size());
  m.flex_modenum[f] = appendModes(-Eigen::MatrixXd(*K), m.flexmode);
}

/// Faces of shells: the modes of a membrane, and the warp (1 - 2 s)(1 - 2 t) across the face, which a plate resists by
/// its twist: D (1 - nu) 4/(d0 d1).
template <int Order>
void writeFaceModes(Model& m, const Data& d, int f) {
  const Vec3 size = cellSize(m, d, f, Order);
  vec3(m.flex_cellsize.data(), f) = size;
  const double thickness = m.flex_thickness[f];
  m.flex_modeadr[f] = static_cast<int>(m.flexmode.size());
  for (int axis = 0; axis < 3; ++axis) {
    elastic::FaceStiffness<Order> K;
    elastic::referenceFaceStiffness<Order>(size, axis, kModeYoung, kModePoisson, thickness, K);
    m.flex_modenum[f] = 1 + appendModes(-Eigen::MatrixXd(K), m.flexmode);

    Eigen::VectorXd warp = Eigen::VectorXd::Zero(K.rows());
    for (int i = 0; i <= Order; ++i) {
      for (int j = 0; j <= Order; ++j) {
        warp[3 * (i * (Order + 1) + j) + axis] = (1 - 2.0 * i / Order) * (1 - 2.0 * j / Order);
      }
    }
    const double twist = elastic::plateModulus(kModeYoung, kModePoisson, thickness) * (1 - kModePoisson) * 4 /
                         (size[(axis + 1) % 3] * size[(axis + 2) % 3]);
    warp *= std::sqrt(twist) / warp.norm();
    for (const double x : warp) m.flexmode.push_back(x);
  }
}

}  // namespace

void writeStrainModes(Model& m, Data& d) {
  flexes(m, d);
  std::vector<char> wanted(static_cast<std::size_t>(m.nflex), 0);
  for (int i = 0; i < m.neq; ++i) {
    if (m.eq_type[i] == EqualityType::FlexStrain) wanted[m.eq_obj1id[i]] = 1;
  }
  for (int f = 0; f < m.nflex; ++f) {
    m.flex_modeadr[f] = -1;
    if (!wanted[f]) continue;
    if (m.flex_interp[f] == 1) writeModes<1>(m, d, f);
    if (m.flex_interp[f] == 2) writeModes<2>(m, d, f);
    if (m.flex_interp[f] == -1) writeFaceModes<1>(m, d, f);
    if (m.flex_interp[f] == -2) writeFaceModes<2>(m, d, f);
  }
  m.nflexmode = static_cast<int>(m.flexmode.size());
}

}  // namespace sinew::draft
