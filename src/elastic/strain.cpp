#include "elastic/strain.h"

#include <algorithm>
#include <cmath>

#include "elastic/volume.h"

namespace sinew::elastic {
namespace {

template <int Dim>
using Edges = Eigen::Matrix<double, 3, StrainElement<Dim>::kEdges>;
template <int Dim>
using PerEdge = Eigen::Matrix<double, StrainElement<Dim>::kEdges, 1>;

template <int Dim>
Edges<Dim> edgesOf(const Nodes<Dim + 1>& x) {
  Edges<Dim> d;
  for (int a = 0; a < StrainElement<Dim>::kEdges; ++a) {
    const auto [i, j] = StrainElement<Dim>::kEdge[a];
    d.col(a) = x.col(i) - x.col(j);
  }
  return d;
}

template <int Dim>
PerEdge<Dim> strains(const StrainElement<Dim>& element, const Edges<Dim>& d) {
  PerEdge<Dim> e;
  for (int a = 0; a < StrainElement<Dim>::kEdges; ++a) e[a] = d.col(a).squaredNorm() - element.length0sq[a];
  return e;
}

/// M e.
template <int Dim>
PerEdge<Dim> tensions(const StrainElement<Dim>& element, const PerEdge<Dim>& e) {
  constexpr int n = StrainElement<Dim>::kEdges;
  PerEdge<Dim> t = PerEdge<Dim>::Zero();
  int k = 0;
  for (int a = 0; a < n; ++a) {
    t[a] += element.metric[k++] * e[a];
    for (int b = a + 1; b < n; ++b, ++k) {
      t[a] += element.metric[k] * e[b];
      t[b] += element.metric[k] * e[a];
    }
  }
  return t;
}

/// -sum_b sigma_bp t_b d_b.
template <int Dim>
Nodes<Dim + 1> pull(const Edges<Dim>& d, const PerEdge<Dim>& t) {
  Nodes<Dim + 1> f = Nodes<Dim + 1>::Zero();
  for (int b = 0; b < StrainElement<Dim>::kEdges; ++b) {
    const auto [i, j] = StrainElement<Dim>::kEdge[b];
    const Vec3 tension = t[b] * d.col(b);
    f.col(i) -= tension;
    f.col(j) += tension;
  }
  return f;
}

/// 2 sum_ab M_ab (sigma_a d_a)(sigma_b d_b)': the part that comes from strain changing, positive semi-definite.
template <int Dim>
Stiffness<Dim + 1> materialStiffness(const StrainElement<Dim>& element, const Edges<Dim>& d) {
  constexpr int n = StrainElement<Dim>::kEdges;
  // rows of the strain gradient de_a/dx = 2 sigma_a d_a
  Eigen::Matrix<double, n, 3 * (Dim + 1)> g = Eigen::Matrix<double, n, 3 * (Dim + 1)>::Zero();
  Eigen::Matrix<double, n, n> M;
  for (int a = 0; a < n; ++a) {
    const auto [i, j] = StrainElement<Dim>::kEdge[a];
    g.template block<1, 3>(a, 3 * i) = d.col(a).transpose();
    g.template block<1, 3>(a, 3 * j) = -d.col(a).transpose();
    for (int b = a; b < n; ++b) M(a, b) = M(b, a) = element.metric[packedIndex(n, a, b)];
  }
  return 2 * g.transpose() * M * g;
}

/// Six times the volume of an element that is inside out (negative), else 0.
template <int Dim>
double inverted(const StrainElement<Dim>& element, const Nodes<Dim + 1>& x) {
  if constexpr (Dim == 3) {
    const double V = std::copysign(1.0, element.pushBack) * volume6(x);
    return std::min(V, 0.0);
  } else {
    return 0;
  }
}

}  // namespace

template <int Dim>
double StrainElement<Dim>::energy(const Nodes<Dim + 1>& x) const {
  const PerEdge<Dim> e = strains(*this, edgesOf<Dim>(x));
  const double V = inverted(*this, x);
  return 0.25 * e.dot(tensions(*this, e)) + 0.5 * std::abs(pushBack) * V * V;
}

template <int Dim>
Nodes<Dim + 1> StrainElement<Dim>::force(const Nodes<Dim + 1>& x) const {
  const Edges<Dim> d = edgesOf<Dim>(x);
  Nodes<Dim + 1> f = pull<Dim>(d, tensions(*this, strains(*this, d)));
  if constexpr (Dim == 3) {
    const double V = inverted(*this, x);
    if (V < 0) f -= pushBack * V * volume6Gradient(x);
  }
  return f;
}

template <int Dim>
Stiffness<Dim + 1> StrainElement<Dim>::stiffness(const Nodes<Dim + 1>& x, Tangent tangent) const {
  const Edges<Dim> d = edgesOf<Dim>(x);
  Stiffness<Dim + 1> K = materialStiffness(*this, d);
  // edges under tension resist turning; compressed ones would help it, which the metric leaves out
  const PerEdge<Dim> t = tensions(*this, strains(*this, d));
  for (int a = 0; a < kEdges; ++a) {
    const double tension = tangent == Tangent::Definite ? std::max(0.0, t[a]) : t[a];
    const auto [i, j] = kEdge[a];
    for (int k = 0; k < 3; ++k) {
      K(3 * i + k, 3 * i + k) += tension;
      K(3 * j + k, 3 * j + k) += tension;
      K(3 * i + k, 3 * j + k) -= tension;
      K(3 * j + k, 3 * i + k) -= tension;
    }
  }
  if constexpr (Dim == 3) {
    const double V = inverted(*this, x);
    if (V < 0) {
      const Nodes<4> gradient = volume6Gradient(x);
      const Eigen::Map<const Eigen::Matrix<double, 12, 1>> g(gradient.data());
      K += std::abs(pushBack) * g * g.transpose();
      if (tangent == Tangent::Exact) K += pushBack * V * volume6Hessian(x);
    }
  }
  return K;
}

template <int Dim>
Nodes<Dim + 1> StrainElement<Dim>::damperForce(const Nodes<Dim + 1>& x, const Nodes<Dim + 1>& v, double time) const {
  const Edges<Dim> d = edgesOf<Dim>(x);
  const PerEdge<Dim> rate = 2 * d.cwiseProduct(edgesOf<Dim>(v)).colwise().sum().transpose();
  return pull<Dim>(d, tensions(*this, PerEdge<Dim>(time * rate)));
}

template <int Dim>
Nodes<Dim + 1> StrainElement<Dim>::referenceDamperForce(const Nodes<Dim + 1>& x, const Nodes<Dim + 1>& v, double time,
                                                        double h) const {
  const Edges<Dim> d = edgesOf<Dim>(x);
  const Edges<Dim> dv = edgesOf<Dim>(v);
  PerEdge<Dim> e;
  for (int a = 0; a < kEdges; ++a) {
    const double lengthRate = d.col(a).dot(dv.col(a));  // L dL/dt
    const double lengthSq = d.col(a).squaredNorm();
    e[a] = lengthSq > 0 ? time * (2 * lengthRate - h * lengthRate * lengthRate / lengthSq) : 0;
  }
  return pull<Dim>(d, tensions(*this, e));
}

template <int Dim>
Stiffness<Dim + 1> StrainElement<Dim>::damping(const Nodes<Dim + 1>& x, double time) const {
  return time * materialStiffness(*this, edgesOf<Dim>(x));
}

// Columns of E = [X1 - X0, ...]: the gradients of points 1.. are the rows of its (pseudo-)inverse, and all sum to zero
template <>
RestShape<2> restShape<2>(const Nodes<3>& rest) {
  RestShape<2> shape;
  const Vec3 a = rest.col(1) - rest.col(0);
  const Vec3 b = rest.col(2) - rest.col(0);
  const Vec3 n = a.cross(b);
  const double nn = n.squaredNorm();
  if (!(std::sqrt(nn) > 1e-12 * (a.squaredNorm() + b.squaredNorm()))) return shape;
  shape.size = 0.5 * std::sqrt(nn);
  shape.gradient.col(1) = b.cross(n) / nn;
  shape.gradient.col(2) = n.cross(a) / nn;
  shape.gradient.col(0) = -(shape.gradient.col(1) + shape.gradient.col(2));
  return shape;
}

template <>
RestShape<3> restShape<3>(const Nodes<4>& rest) {
  RestShape<3> shape;
  const Vec3 a = rest.col(1) - rest.col(0);
  const Vec3 b = rest.col(2) - rest.col(0);
  const Vec3 c = rest.col(3) - rest.col(0);
  const double det = a.dot(b.cross(c));
  const double size = std::sqrt(a.squaredNorm() + b.squaredNorm() + c.squaredNorm());
  if (!(std::abs(det) > 1e-12 * size * size * size)) return shape;
  shape.size = std::abs(det) / 6;
  shape.gradient.col(1) = b.cross(c) / det;
  shape.gradient.col(2) = c.cross(a) / det;
  shape.gradient.col(3) = a.cross(b) / det;
  shape.gradient.col(0) = -(shape.gradient.col(1) + shape.gradient.col(2) + shape.gradient.col(3));
  return shape;
}

// The Green strain is G = sum_a e_a T_a / 2 with T_a = -(g_i g_j' + g_j g_i')/2, hence E = vol (mu tr G^2 + lambda tr^2
// G) = 1/4 e' M e
template <int Dim>
StrainElement<Dim> strainElement(const Nodes<Dim + 1>& rest, double vol, const Lame& moduli) {
  constexpr int n = StrainElement<Dim>::kEdges;
  const RestShape<Dim> shape = restShape<Dim>(rest);
  StrainElement<Dim> element;
  std::array<Eigen::Matrix3d, n> T;
  for (int a = 0; a < n; ++a) {
    const auto [i, j] = StrainElement<Dim>::kEdge[a];
    const Eigen::Matrix3d product = shape.gradient.col(i) * shape.gradient.col(j).transpose();
    T[a] = -0.5 * (product + product.transpose());
    element.length0sq[a] = (rest.col(i) - rest.col(j)).squaredNorm();
  }
  for (int a = 0; a < n; ++a) {
    for (int b = a; b < n; ++b) {
      element.metric[packedIndex(n, a, b)] =
          vol * (moduli.mu * T[a].cwiseProduct(T[b]).sum() + moduli.lambda * T[a].trace() * T[b].trace());
    }
  }
  if constexpr (Dim == 3) {
    // vol (2 mu + 2 lambda)/2 J^2 exceeds what the law gains by going on to the mirror image, mu/4 + lambda/4 of it
    const double V = volume6(rest);
    if (V != 0) element.pushBack = std::copysign(2 * vol * (moduli.mu + moduli.lambda) / (V * V), V);
  }
  return element;
}

template <int Dim>
StrainElement<Dim> stVenantKirchhoff(const Nodes<Dim + 1>& rest, double young, double poisson, double thickness) {
  const double size = restShape<Dim>(rest).size;
  Lame moduli = Dim == 2 ? planeStress(young, poisson) : lame(young, poisson);
  moduli.lambda *= 0.5;
  return strainElement<Dim>(rest, Dim == 2 ? size * thickness : size, moduli);
}

template <int Dim>
StrainElement<Dim> referenceLaw(const Nodes<Dim + 1>& rest, double young, double poisson, double thickness) {
  const double size = restShape<Dim>(rest).size;
  return strainElement<Dim>(rest, Dim == 2 ? 0.25 * size * thickness : size, lame(young, poisson));
}

template struct StrainElement<2>;
template struct StrainElement<3>;
template StrainElement<2> strainElement<2>(const Nodes<3>&, double, const Lame&);
template StrainElement<3> strainElement<3>(const Nodes<4>&, double, const Lame&);
template StrainElement<2> stVenantKirchhoff<2>(const Nodes<3>&, double, double, double);
template StrainElement<3> stVenantKirchhoff<3>(const Nodes<4>&, double, double, double);
template StrainElement<2> referenceLaw<2>(const Nodes<3>&, double, double, double);
template StrainElement<3> referenceLaw<3>(const Nodes<4>&, double, double, double);

}  // namespace sinew::elastic
