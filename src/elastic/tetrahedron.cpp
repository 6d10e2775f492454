#include "elastic/tetrahedron.h"

#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "elastic/strain.h"

namespace sinew::elastic {
namespace {

constexpr int kRule = 4;  // Gauss points, one nearest to each corner
constexpr double kNear = 0.5854101966249685, kFar = 0.1381966011250105;

/// Rest gradients of the shape functions at a Gauss point.
Nodes<10> gradientAt(const Eigen::Matrix<double, 3, 4>& shape, int g) {
  Nodes<10> out;
  const auto at = [&](int i) { return i == g ? kNear : kFar; };
  for (int i = 0; i < 4; ++i) out.col(i) = (4 * at(i) - 1) * shape.col(i);
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = QuadraticTetrahedron::kEdge[e];
    out.col(4 + e) = 4 * (at(i) * shape.col(j) + at(j) * shape.col(i));
  }
  return out;
}

/// The law as it acts at every point, and what lambda has in addition.
struct Split {
  Law full;
  double mean;
};
Split splitOf(const Law& law) {
  Split r{law, 0};
  r.full.moduli.lambda = std::min(law.moduli.lambda, QuadraticTetrahedron::kFull * law.moduli.mu);
  r.mean = law.moduli.lambda - r.full.moduli.lambda;
  return r;
}

struct GaussPoints {
  std::array<Nodes<10>, kRule> g;
  std::array<Gradient<3>, kRule> F;
  GaussPoints(const QuadraticTetrahedron& element, const Nodes<10>& x) {
    for (std::size_t i = 0; i < kRule; ++i) {
      g[i] = gradientAt(element.shape, static_cast<int>(i));
      F[i] = x * g[i].transpose();
    }
  }
};

double meanDilatation(const Law& law, const GaussPoints& points) {
  double t = 0;
  for (const Gradient<3>& F : points.F) t += dilatation(law, F) / kRule;
  return t;
}

/// out_ij += vol sum_kl g_i[k] A_kl g_j[l].
void addPulledBack(const Nodes<10>& g, double vol, const GradientTangent<3>& A, Stiffness<10>& out) {
  for (int j = 0; j < 10; ++j) {
    Eigen::Matrix<double, 9, 3> column = Eigen::Matrix<double, 9, 3>::Zero();
    for (int l = 0; l < 3; ++l) column += vol * g(l, j) * A.middleCols<3>(3 * l);
    for (int i = 0; i < 10; ++i) {
      for (int k = 0; k < 3; ++k) out.block<3, 3>(3 * i, 3 * j) += g(k, i) * column.middleRows<3>(3 * k);
    }
  }
}

using Flat = Eigen::Matrix<double, 30, 1>;
Eigen::Map<const Flat> flat(const Nodes<10>& x) { return Eigen::Map<const Flat>(x.data()); }

}  // namespace

double QuadraticTetrahedron::energy(const Nodes<10>& x) const {
  const GaussPoints points(*this, x);
  const Split split = splitOf(law);
  double sum = 0;
  for (const Gradient<3>& F : points.F) sum += vol / kRule * energyDensity<3>(split.full, F);
  if (split.mean == 0) return sum;
  const double t = meanDilatation(law, points);
  return sum + 0.5 * vol * split.mean * t * t;
}

Nodes<10> QuadraticTetrahedron::force(const Nodes<10>& x) const {
  const GaussPoints points(*this, x);
  const Split split = splitOf(law);
  const double pressure = split.mean == 0 ? 0 : split.mean * meanDilatation(law, points);
  Nodes<10> f = Nodes<10>::Zero();
  for (std::size_t i = 0; i < kRule; ++i) {
    Gradient<3> P = stress<3>(split.full, points.F[i]);
    if (split.mean != 0) P += pressure * dilatationGradient(law, points.F[i]);
    f.noalias() -= (vol / kRule * P) * points.g[i];
  }
  return f;
}

void QuadraticTetrahedron::stiffness(const Nodes<10>& x, Tangent tangent, Stiffness<10>& out) const {
  const GaussPoints points(*this, x);
  const Split split = splitOf(law);
  const double pressure = split.mean == 0 ? 0 : split.mean * meanDilatation(law, points);
  out.setZero();
  Nodes<10> change = Nodes<10>::Zero();  // of the mean dilatation
  for (std::size_t i = 0; i < kRule; ++i) {
    addPulledBack(points.g[i], vol / kRule, pressedTangent(split.full, points.F[i], pressure, tangent), out);
    if (split.mean != 0) change += dilatationGradient(law, points.F[i]) * points.g[i] / kRule;
  }
  if (split.mean != 0) out += vol * split.mean * flat(change) * flat(change).transpose();
}

Nodes<10> QuadraticTetrahedron::damperForce(const Nodes<10>& x, const Nodes<10>& v, double time) const {
  const GaussPoints points(*this, x), rates(*this, v);
  const Split split = splitOf(law);
  double rate = 0;  // mean of tr(dG/dt)
  for (std::size_t i = 0; i < kRule; ++i) rate += points.F[i].cwiseProduct(rates.F[i]).sum() / kRule;
  Nodes<10> f = Nodes<10>::Zero();
  for (std::size_t i = 0; i < kRule; ++i) {
    const Gradient<3> P =
        dampingStress<3>(split.full, points.F[i], rates.F[i], time) + time * split.mean * rate * points.F[i];
    f.noalias() -= (vol / kRule * P) * points.g[i];
  }
  return f;
}

void QuadraticTetrahedron::damping(const Nodes<10>& x, double time, Stiffness<10>& out) const {
  const GaussPoints points(*this, x);
  const Split split = splitOf(law);
  out.setZero();
  Nodes<10> change = Nodes<10>::Zero();
  for (std::size_t i = 0; i < kRule; ++i) {
    addPulledBack(points.g[i], vol / kRule, dampingTangent<3>(split.full, points.F[i], time), out);
    change += points.F[i] * points.g[i] / kRule;
  }
  out += time * vol * split.mean * flat(change) * flat(change).transpose();
}

double QuadraticTetrahedron::leastVolume(const Nodes<10>& x) const {
  const GaussPoints points(*this, x);
  double least = std::numeric_limits<double>::infinity();
  for (const Gradient<3>& F : points.F) least = std::min(least, F.determinant());
  return least;
}

QuadraticTetrahedron quadraticTetrahedron(FlexLaw law, const Nodes<4>& rest, double young, double poisson) {
  QuadraticTetrahedron element;
  element.law = makeLaw(law, 3, young, poisson);
  const RestShape<3> shape = restShape<3>(rest);
  element.vol = shape.size;
  element.shape = shape.gradient;
  return element;
}

}  // namespace sinew::elastic
