#include "elastic/continuum.h"

#include "elastic/strain.h"

namespace sinew::elastic {
namespace {

/// K_ij = vol sum_kl g_i[k] (dP_k/dF_l) g_j[l].
template <int Dim>
Stiffness<Dim + 1> pulledBack(const ContinuumElement<Dim>& element, const GradientTangent<Dim>& A) {
  Stiffness<Dim + 1> K = Stiffness<Dim + 1>::Zero();
  for (int i = 0; i <= Dim; ++i) {
    for (int j = 0; j <= Dim; ++j) {
      for (int k = 0; k < Dim; ++k) {
        for (int l = 0; l < Dim; ++l) {
          K.template block<3, 3>(3 * i, 3 * j) +=
              element.vol * element.shape(k, i) * element.shape(l, j) * A.template block<3, 3>(3 * k, 3 * l);
        }
      }
    }
  }
  return K;
}

}  // namespace

template <int Dim>
double ContinuumElement<Dim>::energy(const Nodes<Dim + 1>& x) const {
  return vol * energyDensity<Dim>(law, deformation(x));
}

template <int Dim>
Nodes<Dim + 1> ContinuumElement<Dim>::force(const Nodes<Dim + 1>& x) const {
  return -vol * stress<Dim>(law, deformation(x)) * shape;
}

template <int Dim>
Stiffness<Dim + 1> ContinuumElement<Dim>::stiffness(const Nodes<Dim + 1>& x, Tangent tangent) const {
  return pulledBack(*this, stressTangent<Dim>(law, deformation(x), tangent));
}

template <int Dim>
Nodes<Dim + 1> ContinuumElement<Dim>::damperForce(const Nodes<Dim + 1>& x, const Nodes<Dim + 1>& v, double time) const {
  return -vol * dampingStress<Dim>(law, deformation(x), deformation(v), time) * shape;
}

template <int Dim>
Stiffness<Dim + 1> ContinuumElement<Dim>::damping(const Nodes<Dim + 1>& x, double time) const {
  return pulledBack(*this, dampingTangent<Dim>(law, deformation(x), time));
}

template <int Dim>
ContinuumElement<Dim> continuumElement(FlexLaw law, const Nodes<Dim + 1>& rest, double young, double poisson,
                                       double thickness) {
  ContinuumElement<Dim> element;
  element.law = makeLaw(law, Dim, young, poisson);
  const RestShape<Dim> shape = restShape<Dim>(rest);
  element.vol = Dim == 2 ? shape.size * thickness : shape.size;
  if (shape.size == 0) return element;
  if constexpr (Dim == 3) {
    element.shape = shape.gradient;
  } else {
    // material axes: the first edge and the direction across it
    Eigen::Matrix<double, 3, 2> axes;
    axes.col(0) = (rest.col(1) - rest.col(0)).normalized();
    const Vec3 b = rest.col(2) - rest.col(0);
    axes.col(1) = (b - axes.col(0) * axes.col(0).dot(b)).normalized();
    element.shape = axes.transpose() * shape.gradient;
  }
  return element;
}

template struct ContinuumElement<2>;
template struct ContinuumElement<3>;
template ContinuumElement<2> continuumElement<2>(FlexLaw, const Nodes<3>&, double, double, double);
template ContinuumElement<3> continuumElement<3>(FlexLaw, const Nodes<4>&, double, double, double);

}  // namespace sinew::elastic
