#include "elastic/cell.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "elastic/lagrange.h"
#include "math/decompose.h"

namespace sinew::elastic {
namespace {

/// The rule in three dimensions with the gradients of the shape functions at its points, in unit coordinates.
template <int Order>
struct Quadrature {
  std::array<CellNodes<Order>, kCellPoints<Order>> gradient;
  std::array<double, kCellPoints<Order>> weight;
  CellNodes<Order> centre;
  Quadrature() {
    const Gauss<Order> rule = gauss<Order>();
    std::size_t q = 0;
    for (std::size_t i = 0; i <= Order; ++i) {
      for (std::size_t j = 0; j <= Order; ++j) {
        for (std::size_t k = 0; k <= Order; ++k, ++q) {
          gradient[q] = cellGradient<Order>({rule.at[i], rule.at[j], rule.at[k]});
          weight[q] = rule.weight[i] * rule.weight[j] * rule.weight[k];
        }
      }
    }
    centre = cellGradient<Order>(Vec3::Constant(0.5));
  }
};
template <int Order>
const Quadrature<Order>& quadrature() {
  static const Quadrature<Order> table;
  return table;
}

/// u = R'x - rest, both relative to the first node: K does not feel translations, and large coordinates do not cancel.
template <int Order>
CellNodes<Order> displacement(const Mat3& R, const CellNodes<Order>& x, const Vec3& size) {
  return R.transpose() * (x.colwise() - Vec3(x.col(0))) - cellRest<Order>(size);
}

template <int Order>
using FlatNodes = Eigen::Matrix<double, 3 * kCellPoints<Order>, 1>;

/// Calls f(gradient of the shape functions, 1/m; volume) for every Gauss point.
template <int Order, class F>
void forEachPoint(const Vec3& size, F&& f) {
  const Quadrature<Order>& table = quadrature<Order>();
  for (std::size_t q = 0; q < kCellPoints<Order>; ++q) {
    const CellNodes<Order> g = size.cwiseInverse().asDiagonal() * table.gradient[q];
    f(g, table.weight[q] * size.prod());
  }
}

/// out_ij += vol sum_kl g_i[k] A_kl g_j[l].
template <int Order>
void addPulledBack(const CellNodes<Order>& g, double vol, const GradientTangent<3>& A, CellStiffness<Order>& out) {
  constexpr int n = kCellPoints<Order>;
  for (int j = 0; j < n; ++j) {
    // A g_j, then g_i' of it
    Eigen::Matrix<double, 9, 3> column = Eigen::Matrix<double, 9, 3>::Zero();
    for (int l = 0; l < 3; ++l) column += vol * g(l, j) * A.middleCols<3>(3 * l);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) out.template block<3, 3>(3 * i, 3 * j) += g(k, i) * column.middleRows<3>(3 * k);
    }
  }
}

/// What the nodes of a trilinear cell can do beyond a constant gradient F.
struct Hourglass {
  using Modes = Eigen::Matrix<double, 3, 4>;
  using Flat = Eigen::Matrix<double, 12, 1>;

  CellNodes<1> g;                    // gradients of the shape functions at the centre, 1/m
  Eigen::Matrix<double, 8, 4> mode;  // shares of the nodes in q
  Eigen::Matrix<double, 12, 12> C;   // energy p'Cp/2
  double vol;

  Hourglass(const Law& law, const Vec3& size) : vol(size.prod()) {
    g = size.cwiseInverse().asDiagonal() * quadrature<1>().centre;
    for (int n = 0; n < 8; ++n) {
      const double x = n & 4 ? 1 : -1, y = n & 2 ? 1 : -1, z = n & 1 ? 1 : -1;
      mode.row(n) << y * z / 8, z * x / 8, x * y / 8, x * y * z / 8;
    }
    const Lame& c = law.moduli;
    const double young = c.mu * (3 * c.lambda + 2 * c.mu) / (c.lambda + c.mu), nu = 0.5 * c.lambda / (c.lambda + c.mu);
    const Vec3 inverse = 2 * size.cwiseInverse();  // of half of the edges
    C.setZero();
    // strains that grow along axis k: those of the fibres along i and j, and the shear between these
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      Flat along = Flat::Zero(), across = Flat::Zero(), shear = Flat::Zero();
      along[3 * j + i] = inverse[i];  // u_i of the mode without j: xi_i xi_k
      across[3 * i + j] = inverse[j];
      shear[3 * i + i] = inverse[j];
      shear[3 * j + j] = inverse[i];
      const double plane = young / (1 - nu * nu);
      C += vol / 3 *
           (plane * (along * along.transpose() + across * across.transpose() +
                     nu * (along * across.transpose() + across * along.transpose())) +
            c.mu * shear * shear.transpose());
    }
    for (int k = 0; k < 3; ++k) C(9 + k, 9 + k) = vol / 9 * young * inverse[k] * inverse[k];
  }

  Modes coordinates(const CellNodes<1>& x) const { return x * mode; }
  static Eigen::Map<const Flat> flat(const Modes& q) { return Eigen::Map<const Flat>(q.data()); }
  /// dp/dx.
  Eigen::Matrix<double, 12, 24> slope(const Gradient<3>& F, const Modes& q) const {
    Eigen::Matrix<double, 12, 24> D;
    for (int a = 0; a < 4; ++a) {
      for (int n = 0; n < 8; ++n) {
        D.block<3, 3>(3 * a, 3 * n) = g.col(n) * q.col(a).transpose() + mode(n, a) * F.transpose();
      }
    }
    return D;
  }
  /// What the modes do to the nodes: sum of F c_a and (c_a . g_n) q_a, c = C p.
  CellNodes<1> force(const Gradient<3>& F, const Modes& q, const Modes& c) const {
    return -(q * c.transpose() * g + F * c * mode.transpose());
  }
};

}  // namespace

template <int Order>
CellNodes<Order> cellRest(const Vec3& size) {
  CellNodes<Order> x;
  int n = 0;
  for (int i = 0; i <= Order; ++i) {
    for (int j = 0; j <= Order; ++j) {
      for (int k = 0; k <= Order; ++k) x.col(n++) = size.cwiseProduct(Vec3(i, j, k)) / Order;
    }
  }
  return x;
}

template <int Order>
CellNodes<Order> cellGradient(const Vec3& s) {
  const std::array<Basis<Order>, 3> b{basisAt<Order>(s[0]), basisAt<Order>(s[1]), basisAt<Order>(s[2])};
  CellNodes<Order> g;
  int n = 0;
  for (std::size_t i = 0; i <= Order; ++i) {
    for (std::size_t j = 0; j <= Order; ++j) {
      for (std::size_t k = 0; k <= Order; ++k) {
        g.col(n++) << b[0].slope[i] * b[1].value[j] * b[2].value[k], b[0].value[i] * b[1].slope[j] * b[2].value[k],
            b[0].value[i] * b[1].value[j] * b[2].slope[k];
      }
    }
  }
  return g;
}

template <int Order>
void referenceCellStiffness(const Vec3& size, double young, double poisson, CellStiffness<Order>& K) {
  const Lame c = lame(young, poisson);
  K.setZero();
  forEachPoint<Order>(size, [&](const CellNodes<Order>& g, double vol) {
    for (int i = 0; i < kCellPoints<Order>; ++i) {
      for (int j = 0; j < kCellPoints<Order>; ++j) {
        const Eigen::Matrix3d product = g.col(i) * g.col(j).transpose();
        Eigen::Matrix3d block = c.lambda * product + 0.5 * c.mu * product.transpose();
        block.diagonal().array() += 0.5 * c.mu * product.trace();
        K.template block<3, 3>(3 * i, 3 * j) += vol * block;
      }
    }
  });
}

template <int Order>
Mat3 cellRotation(const CellNodes<Order>& x) {
  return rotationPart(x * quadrature<Order>().centre.transpose());
}

template <int Order>
double ReferenceCell<Order>::energy(const CellNodes<Order>& x) const {
  const CellNodes<Order> u = displacement<Order>(cellRotation<Order>(x), x, size);
  const Eigen::Map<const CellStiffness<Order>> matrix(K);
  const Eigen::Map<const FlatNodes<Order>> flat(u.data());
  return 0.5 * flat.dot(matrix * flat);
}

template <int Order>
CellNodes<Order> ReferenceCell<Order>::force(const CellNodes<Order>& x) const {
  const Mat3 R = cellRotation<Order>(x);
  const CellNodes<Order> u = displacement<Order>(R, x, size);
  CellNodes<Order> f;
  Eigen::Map<FlatNodes<Order>>(f.data()).noalias() =
      Eigen::Map<const CellStiffness<Order>>(K) * Eigen::Map<const FlatNodes<Order>>(u.data());
  return -(R * f);
}

template <int Order>
CellNodes<Order> ReferenceCell<Order>::damperForce(const CellNodes<Order>& x, const CellNodes<Order>& v,
                                                   double time) const {
  const Mat3 R = cellRotation<Order>(x);
  const CellNodes<Order> u = R.transpose() * v;
  CellNodes<Order> f;
  Eigen::Map<FlatNodes<Order>>(f.data()).noalias() =
      Eigen::Map<const CellStiffness<Order>>(K) * Eigen::Map<const FlatNodes<Order>>(u.data());
  return -time * (R * f);
}

template <int Order>
void ReferenceCell<Order>::stiffness(const CellNodes<Order>& x, CellStiffness<Order>& out) const {
  const Eigen::Matrix3d R = cellRotation<Order>(x);
  const Eigen::Map<const CellStiffness<Order>> matrix(K);
  for (int j = 0; j < kPoints; ++j) {
    for (int i = 0; i < kPoints; ++i) {
      const Eigen::Matrix3d block = matrix.template block<3, 3>(3 * i, 3 * j);
      out.template block<3, 3>(3 * i, 3 * j) = R * block * R.transpose();
    }
  }
}

template <int Order>
double CellElement<Order>::energy(const CellNodes<Order>& x) const {
  if constexpr (Order == 1) {
    const Hourglass hourglass(law, size);
    const Gradient<3> F = x * hourglass.g.transpose();
    const Hourglass::Modes p = F.transpose() * hourglass.coordinates(x);
    const auto flat = Hourglass::flat(p);
    return hourglass.vol * energyDensity<3>(law, F) + 0.5 * flat.dot(hourglass.C * flat);
  }
  double sum = 0;
  forEachPoint<Order>(
      size, [&](const CellNodes<Order>& g, double vol) { sum += vol * energyDensity<3>(law, x * g.transpose()); });
  return sum;
}

template <int Order>
CellNodes<Order> CellElement<Order>::force(const CellNodes<Order>& x) const {
  CellNodes<Order> f = CellNodes<Order>::Zero();
  if constexpr (Order == 1) {
    const Hourglass hourglass(law, size);
    const Gradient<3> F = x * hourglass.g.transpose();
    const Hourglass::Modes q = hourglass.coordinates(x), p = F.transpose() * q;
    Hourglass::Modes c;
    Eigen::Map<Hourglass::Flat>(c.data()) = hourglass.C * Hourglass::flat(p);
    return hourglass.force(F, q, c) - hourglass.vol * stress<3>(law, F) * hourglass.g;
  }
  forEachPoint<Order>(size, [&](const CellNodes<Order>& g, double vol) {
    f.noalias() -= (vol * stress<3>(law, x * g.transpose())) * g;
  });
  return f;
}

template <int Order>
CellNodes<Order> CellElement<Order>::damperForce(const CellNodes<Order>& x, const CellNodes<Order>& v,
                                                 double time) const {
  CellNodes<Order> f = CellNodes<Order>::Zero();
  if constexpr (Order == 1) {
    const Hourglass hourglass(law, size);
    const Gradient<3> F = x * hourglass.g.transpose(), rate = v * hourglass.g.transpose();
    const Hourglass::Modes q = hourglass.coordinates(x);
    const Hourglass::Modes p = rate.transpose() * q + F.transpose() * hourglass.coordinates(v);
    Hourglass::Modes c;
    Eigen::Map<Hourglass::Flat>(c.data()) = time * hourglass.C * Hourglass::flat(p);
    return hourglass.force(F, q, c) - hourglass.vol * dampingStress<3>(law, F, rate, time) * hourglass.g;
  }
  forEachPoint<Order>(size, [&](const CellNodes<Order>& g, double vol) {
    f.noalias() -= (vol * dampingStress<3>(law, x * g.transpose(), v * g.transpose(), time)) * g;
  });
  return f;
}

template <int Order>
void CellElement<Order>::stiffness(const CellNodes<Order>& x, Tangent tangent, CellStiffness<Order>& out) const {
  out.setZero();
  if constexpr (Order == 1) {
    const Hourglass hourglass(law, size);
    const Gradient<3> F = x * hourglass.g.transpose();
    const Hourglass::Modes q = hourglass.coordinates(x), p = F.transpose() * q;
    const Eigen::Matrix<double, 12, 24> D = hourglass.slope(F, q);
    out.noalias() = D.transpose() * hourglass.C * D;
    addPulledBack<1>(hourglass.g, hourglass.vol, stressTangent<3>(law, F, tangent), out);
    if (tangent == Tangent::Definite) return;
    // c . d2p: p is bilinear in F and q
    Hourglass::Modes c;
    Eigen::Map<Hourglass::Flat>(c.data()) = hourglass.C * Hourglass::flat(p);
    const Eigen::Matrix<double, 8, 8> half = hourglass.g.transpose() * c * hourglass.mode.transpose();
    for (int n = 0; n < 8; ++n) {
      for (int k = 0; k < 8; ++k) out.template block<3, 3>(3 * n, 3 * k).diagonal().array() += half(n, k) + half(k, n);
    }
    return;
  }
  forEachPoint<Order>(size, [&](const CellNodes<Order>& g, double vol) {
    addPulledBack<Order>(g, vol, stressTangent<3>(law, x * g.transpose(), tangent), out);
  });
}

template <int Order>
void CellElement<Order>::damping(const CellNodes<Order>& x, double time, CellStiffness<Order>& out) const {
  out.setZero();
  if constexpr (Order == 1) {
    const Hourglass hourglass(law, size);
    const Gradient<3> F = x * hourglass.g.transpose();
    const Eigen::Matrix<double, 12, 24> D = hourglass.slope(F, hourglass.coordinates(x));
    out.noalias() = time * D.transpose() * hourglass.C * D;
    addPulledBack<1>(hourglass.g, hourglass.vol, dampingTangent<3>(law, F, time), out);
    return;
  }
  forEachPoint<Order>(size, [&](const CellNodes<Order>& g, double vol) {
    addPulledBack<Order>(g, vol, dampingTangent<3>(law, x * g.transpose(), time), out);
  });
}

template <int Order>
double leastVolume(const CellNodes<Order>& x, const Vec3& size) {
  double least = std::numeric_limits<double>::infinity();
  forEachPoint<Order>(size, [&](const CellNodes<Order>& g, double) {
    least = std::min(least, Eigen::Matrix3d(x * g.transpose()).determinant());
  });
  return least;
}

template CellNodes<1> cellRest<1>(const Vec3&);
template CellNodes<2> cellRest<2>(const Vec3&);
template CellNodes<1> cellGradient<1>(const Vec3&);
template CellNodes<2> cellGradient<2>(const Vec3&);
template void referenceCellStiffness<1>(const Vec3&, double, double, CellStiffness<1>&);
template void referenceCellStiffness<2>(const Vec3&, double, double, CellStiffness<2>&);
template Mat3 cellRotation<1>(const CellNodes<1>&);
template Mat3 cellRotation<2>(const CellNodes<2>&);
template double leastVolume<1>(const CellNodes<1>&, const Vec3&);
template double leastVolume<2>(const CellNodes<2>&, const Vec3&);
template struct ReferenceCell<1>;
template struct ReferenceCell<2>;
template struct CellElement<1>;
template struct CellElement<2>;

}  // namespace sinew::elastic
