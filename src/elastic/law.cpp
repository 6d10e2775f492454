#include "elastic/law.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "math/decompose.h"

namespace sinew::elastic {
namespace {

/// F = U diag(s) V' with U'U = I, V a rotation; for a solid U is a rotation too, and the last stretch may be negative.
template <int Dim>
struct Stretches {
  Gradient<Dim> U;
  Eigen::Matrix<double, Dim, 1> s;
  Eigen::Matrix<double, Dim, Dim> V;
};

template <int Dim>
Stretches<Dim> stretchesOf(const Gradient<Dim>& F) {
  Stretches<Dim> r;
  if constexpr (Dim == 3) {
    const Svd<3> of = svd(F);
    r.U = of.U;
    r.s = of.s;
    r.V = of.V;
    if (r.V.determinant() < 0) {
      r.V.col(2) = -r.V.col(2);
      r.s[2] = -r.s[2];
    }
    if (r.U.determinant() < 0) {
      r.U.col(2) = -r.U.col(2);
      r.s[2] = -r.s[2];
    }
  } else {
    // F = Q A with Q two orthonormal columns: then the 2 x 2 problem in closed form
    const Vec3 a = F.col(0);
    const Vec3 b = F.col(1);
    const double length = a.norm();
    Eigen::Matrix<double, 3, 2> Q;
    Q.col(0) = length > 0 ? Vec3(a / length) : Vec3(b.norm() > 0 ? b.unitOrthogonal() : Vec3(1, 0, 0));
    const Vec3 rest = b - Q.col(0) * Q.col(0).dot(b);
    const double across = rest.norm();
    Q.col(1) = across > 1e-14 * b.norm() && across > 0 ? Vec3(rest / across) : Vec3(Q.col(0).unitOrthogonal());
    const Eigen::Matrix2d A = Q.transpose() * F;
    const Svd<2> of = svd(A);
    r.U = Q * of.U;
    r.s = of.s;
    r.V = of.V;
  }
  return r;
}

/// psi and its first two derivatives by the stretches.
template <int N>
struct Potential {
  double value = 0;
  Eigen::Matrix<double, N, 1> slope;
  Eigen::Matrix<double, N, N> curvature;
};

/// ln s and its first two derivatives; below kMinStretch its tangent there.
struct Logarithm {
  double value, slope, curvature;
};
Logarithm continuedLog(double s) {
  const double t = std::max(s, kMinStretch);
  return {std::log(t) + (s - t) / t, 1 / t, s < t ? 0 : -1 / (t * t)};
}

/// mu/2 (sum s^2 - 3) - mu L + lambda/2 L^2, L = sum ln s.
Potential<3> neoHookean(const Lame& c, const Eigen::Vector3d& s) {
  std::array<Logarithm, 3> ln;
  double L = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    ln[i] = continuedLog(s[static_cast<int>(i)]);
    L += ln[i].value;
  }
  const double a = c.lambda * L - c.mu;
  const Eigen::Vector3d r(ln[0].slope, ln[1].slope, ln[2].slope);
  Potential<3> psi;
  psi.value = 0.5 * c.mu * (s.squaredNorm() - 3) + L * (0.5 * c.lambda * L - c.mu);
  psi.slope = c.mu * s + a * r;
  psi.curvature = c.lambda * r * r.transpose();
  psi.curvature.diagonal() += a * Eigen::Vector3d(ln[0].curvature, ln[1].curvature, ln[2].curvature);
  psi.curvature.diagonal().array() += c.mu;
  return psi;
}

/// Stretch s across a sheet such that there is no stress across: mu s + (lambda (ln s + logArea) - mu) (ln s)' = 0,
/// times 1/(ln s)' a function that grows with s. Newton's method from the answer for small strains, kept inside a
/// bracket.
double thicknessStretch(const Lame& c, double logArea) {
  double low = 1e-6;
  double high = 1e3;
  double s = std::clamp(std::exp(-logArea * c.lambda / (c.lambda + 2 * c.mu)), 1e-3, 1e2);
  for (int i = 0; i < 60; ++i) {
    const Logarithm ln = continuedLog(s);
    const double t = std::max(s, kMinStretch);
    const double f = c.mu * s * t + c.lambda * (ln.value + logArea) - c.mu;
    (f > 0 ? high : low) = s;
    double next = s - f / (c.mu * (s < t ? t : 2 * s) + c.lambda * ln.slope);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double change = std::abs(next - s);
    s = next;
    if (change <= 1e-14 * s) break;
  }
  return s;
}

Potential<3> potential(const Law& law, const Eigen::Vector3d& s);
Potential<2> potential(const Law& law, const Eigen::Vector2d& s);

/// k of the energy k/2 J^2 that a solid has in addition while it is inside out, as StrainElement has: the Green strain
/// does not tell it from its mirror image.
double pushBack(const Lame& c) { return 2 * c.mu + c.lambda; }

template <int N>
Potential<N> stVenantKirchhoffPotential(const Lame& c, const Eigen::Matrix<double, N, 1>& s) {
  Potential<N> psi;
  const Eigen::Matrix<double, N, 1> e = s.cwiseProduct(s).array() - 1;
  psi.value = 0.25 * c.mu * e.squaredNorm() + 0.125 * c.lambda * e.sum() * e.sum();
  psi.slope = c.mu * e.cwiseProduct(s) + 0.5 * c.lambda * e.sum() * s;
  psi.curvature = c.lambda * s * s.transpose();
  psi.curvature.diagonal() += c.mu * (3 * s.cwiseProduct(s).array() - 1).matrix();
  psi.curvature.diagonal().array() += 0.5 * c.lambda * e.sum();
  if constexpr (N == 3) {
    const double J = s.prod();
    if (J >= 0) return psi;
    const double k = pushBack(c);
    const Eigen::Vector3d dJ(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
    psi.value += 0.5 * k * J * J;
    psi.slope += k * J * dJ;
    psi.curvature += k * dJ * dJ.transpose();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i != j) psi.curvature(i, j) += k * J * s[3 - i - j];
      }
    }
  }
  return psi;
}

template <int N>
Potential<N> corotationalPotential(const Lame& c, const Eigen::Matrix<double, N, 1>& s) {
  Potential<N> psi;
  const Eigen::Matrix<double, N, 1> e = s.array() - 1;
  psi.value = c.mu * e.squaredNorm() + 0.5 * c.lambda * e.sum() * e.sum();
  psi.slope = (2 * c.mu * e).array() + c.lambda * e.sum();
  psi.curvature.setConstant(c.lambda);
  psi.curvature.diagonal().array() += 2 * c.mu;
  return psi;
}

Potential<3> potential(const Law& law, const Eigen::Vector3d& s) {
  switch (law.kind) {
    case FlexLaw::NeoHookean:
      return neoHookean(law.moduli, s);
    case FlexLaw::Corotational:
      return corotationalPotential<3>(law.moduli, s);
    default:
      return stVenantKirchhoffPotential<3>(law.moduli, s);
  }
}

Potential<2> potential(const Law& law, const Eigen::Vector2d& s) {
  switch (law.kind) {
    case FlexLaw::NeoHookean: {
      // the stretch across minimises psi: its slope is the partial one, its curvature loses what the thickness takes up
      const double logArea = continuedLog(s[0]).value + continuedLog(s[1]).value;
      const Potential<3> solid = neoHookean(law.moduli, {s[0], s[1], thicknessStretch(law.moduli, logArea)});
      Potential<2> psi;
      psi.value = solid.value;
      psi.slope = solid.slope.head<2>();
      const Eigen::Vector2d across = solid.curvature.block<2, 1>(0, 2);
      psi.curvature = solid.curvature.topLeftCorner<2, 2>() - across * across.transpose() / solid.curvature(2, 2);
      return psi;
    }
    case FlexLaw::Corotational:
      return corotationalPotential<2>(law.moduli, s);
    default:
      return stVenantKirchhoffPotential<2>(law.moduli, s);
  }
}

/// The measure of dilatation by the stretches.
Potential<3> dilatationOf(const Law& law, const Eigen::Vector3d& s) {
  Potential<3> t;
  t.curvature.setZero();
  switch (law.kind) {
    case FlexLaw::NeoHookean:
      t.value = 0;
      for (int i = 0; i < 3; ++i) {
        const Logarithm ln = continuedLog(s[i]);
        t.value += ln.value;
        t.slope[i] = ln.slope;
        t.curvature(i, i) = ln.curvature;
      }
      break;
    case FlexLaw::Corotational:
      t.value = s.sum() - 3;
      t.slope.setOnes();
      break;
    default:
      t.value = 0.5 * (s.squaredNorm() - 3);
      t.slope = s;
      t.curvature.setIdentity();
  }
  return t;
}

template <int Dim>
Eigen::Matrix<double, 3 * Dim, 1> flat(const Gradient<Dim>& F) {
  return Eigen::Map<const Eigen::Matrix<double, 3 * Dim, 1>>(F.data());
}

/// All leading minors are positive.
bool isPositive(const Eigen::Matrix2d& A) { return A(0, 0) > 0 && A.determinant() > 0; }
bool isPositive(const Eigen::Matrix3d& A) {
  return isPositive(Eigen::Matrix2d(A.topLeftCorner<2, 2>())) && A.determinant() > 0;
}

double clamped(double eigenvalue, Tangent tangent) {
  return tangent == Tangent::Definite ? std::max(0.0, eigenvalue) : eigenvalue;
}

/// a / b where b may vanish: the eigenvalue belongs to a turn that the state leaves undecided.
double safeRatio(double a, double b) {
  constexpr double kTiny = 1e-9;
  return a / (std::abs(b) > kTiny ? b : std::copysign(kTiny, b));
}

/// det F of a solid and its derivative by F; for a sheet the area of the parallelogram its columns span.
template <int Dim>
struct Size {
  double value;
  Gradient<Dim> gradient;
};
template <int Dim>
Size<Dim> sizeOf(const Gradient<Dim>& F) {
  Size<Dim> r;
  const Vec3 a = F.col(0);
  const Vec3 b = F.col(1);
  if constexpr (Dim == 3) {
    const Vec3 c = F.col(2);
    r.gradient.col(0) = b.cross(c);
    r.gradient.col(1) = c.cross(a);
    r.gradient.col(2) = a.cross(b);
    r.value = a.dot(r.gradient.col(0));
  } else {
    const Vec3 n = a.cross(b);
    r.value = n.norm();
    const Vec3 unit = r.value > 0 ? Vec3(n / r.value) : Vec3(Vec3::Zero());
    r.gradient.col(0) = b.cross(unit);
    r.gradient.col(1) = unit.cross(a);
  }
  return r;
}

/// P = mu F + (lambda ln J - mu) / J dJ/dF: no stretches are needed unless one may be below kMinStretch. The smallest
/// is at least 2 J / |F|^2 in a solid, since s1 s2 <= |F|^2 / 2, and area / |F| in a sheet.
template <int Dim>
Gradient<Dim> neoHookeanStress(const Law& law, const Gradient<Dim>& F) {
  const Lame& c = law.moduli;
  const Size<Dim> size = sizeOf<Dim>(F);
  const double norm2 = F.squaredNorm();
  if (!(size.value > kMinStretch * (Dim == 3 ? 0.5 * norm2 : std::sqrt(norm2)))) {
    const Stretches<Dim> r = stretchesOf<Dim>(F);
    return r.U * potential(law, r.s).slope.asDiagonal() * r.V.transpose();
  }
  double log = std::log(size.value);
  if (Dim == 2) log += continuedLog(thicknessStretch(c, log)).value;
  return c.mu * F + ((c.lambda * log - c.mu) / size.value) * size.gradient;
}

/// The rotation in F = R S; in a sheet by the root of F'F. False if F is (nearly) flat or inside out: the stretches
/// must decide.
bool rotationOf(const Gradient<3>& F, Gradient<3>& R) { return findRotation(F, R); }

bool rotationOf(const Gradient<2>& F, Gradient<2>& R) {
  const Eigen::Matrix2d C = F.transpose() * F;
  const double root = std::sqrt(std::max(0.0, C.determinant()));  // det S
  if (!(root > 1e-6 * C.trace())) return false;
  Eigen::Matrix2d S = C;
  S.diagonal().array() += root;
  S /= std::sqrt(C.trace() + 2 * root);
  R = F * S.inverse();
  return true;
}

// dP/dF of an isotropic law in its eigenmodes: stretches change (Dim modes, eigenvectors of psi's curvature), two axes
// turn against each other (twist: the antisymmetric pair, (psi_i + psi_j)/(s_i + s_j)) or shear (flip: the symmetric
// pair, (psi_i - psi_j)/(s_i - s_j)), and in a sheet an axis leaves the plane (psi_i / s_i)
template <int Dim>
GradientTangent<Dim> tangentOf(const Stretches<Dim>& r, const Potential<Dim>& psi, Tangent tangent) {
  GradientTangent<Dim> K;
  const auto add = [&](const Gradient<Dim>& mode, double eigenvalue) {
    const Eigen::Matrix<double, 3 * Dim, 1> v = flat<Dim>(mode);
    K.noalias() += clamped(eigenvalue, tangent) * v * v.transpose();
  };

  // stretches: the curvature of psi as it is, unless it has to be cleaned of negative eigenvalues
  Eigen::Matrix<double, Dim, Dim> curvature = psi.curvature;
  if (tangent == Tangent::Definite && !isPositive(curvature)) {
    const SymmetricModes<Dim> modes = symmetricModes(curvature);
    curvature = modes.axes * modes.values.cwiseMax(0).asDiagonal() * modes.axes.transpose();
  }
  Eigen::Matrix<double, 3 * Dim, Dim> axes;
  for (int i = 0; i < Dim; ++i) axes.col(i) = flat<Dim>(r.U.col(i) * r.V.col(i).transpose());
  K.noalias() = axes * curvature * axes.transpose();
  for (int i = 0; i < Dim; ++i) {
    for (int j = i + 1; j < Dim; ++j) {
      const Gradient<Dim> ij = r.U.col(i) * r.V.col(j).transpose() * std::sqrt(0.5);
      const Gradient<Dim> ji = r.U.col(j) * r.V.col(i).transpose() * std::sqrt(0.5);
      add(ij - ji, safeRatio(psi.slope[i] + psi.slope[j], r.s[i] + r.s[j]));
      // equal stretches: the limit of the difference quotient
      const double gap = r.s[i] - r.s[j];
      add(ij + ji, std::abs(gap) > 1e-6 ? (psi.slope[i] - psi.slope[j]) / gap
                                        : 0.5 * (psi.curvature(i, i) + psi.curvature(j, j)) - psi.curvature(i, j));
    }
  }
  if constexpr (Dim == 2) {
    const Vec3 normal = Vec3(r.U.col(0)).cross(Vec3(r.U.col(1)));
    for (int i = 0; i < 2; ++i) add(normal * r.V.col(i).transpose(), safeRatio(psi.slope[i], r.s[i]));
  }
  return K;
}

}  // namespace

Law makeLaw(FlexLaw kind, int dim, double young, double poisson) {
  const bool sheet = dim == 2 && kind != FlexLaw::NeoHookean;
  return {kind, sheet ? planeStress(young, poisson) : lame(young, poisson)};
}

template <int Dim>
double energyDensity(const Law& law, const Gradient<Dim>& F) {
  return potential(law, stretchesOf<Dim>(F).s).value;
}

template <int Dim>
Gradient<Dim> stress(const Law& law, const Gradient<Dim>& F) {
  const Lame& c = law.moduli;
  if (law.kind == FlexLaw::NeoHookean) return neoHookeanStress<Dim>(law, F);
  if (law.kind == FlexLaw::StVenantKirchhoff) {
    const Eigen::Matrix<double, Dim, Dim> C = F.transpose() * F;
    Eigen::Matrix<double, Dim, Dim> S = c.mu * C;
    S.diagonal().array() += 0.5 * c.lambda * (C.trace() - Dim) - c.mu;
    if constexpr (Dim == 3) {
      const Size<3> size = sizeOf<3>(F);
      if (size.value < 0) return F * S + (pushBack(c) * size.value) * size.gradient;
    }
    return F * S;
  }
  Gradient<Dim> R;
  if (rotationOf(F, R)) return 2 * c.mu * (F - R) + (c.lambda * (R.cwiseProduct(F).sum() - Dim)) * R;
  const Stretches<Dim> r = stretchesOf<Dim>(F);
  return r.U * potential(law, r.s).slope.asDiagonal() * r.V.transpose();
}

template <int Dim>
GradientTangent<Dim> stressTangent(const Law& law, const Gradient<Dim>& F, Tangent tangent) {
  const Stretches<Dim> r = stretchesOf<Dim>(F);
  return tangentOf<Dim>(r, potential(law, r.s), tangent);
}

GradientTangent<3> pressedTangent(const Law& law, const Gradient<3>& F, double pressure, Tangent tangent) {
  const Stretches<3> r = stretchesOf<3>(F);
  Potential<3> psi = potential(law, r.s);
  if (pressure != 0) {
    const Potential<3> t = dilatationOf(law, r.s);
    psi.slope += pressure * t.slope;
    psi.curvature += pressure * t.curvature;
  }
  return tangentOf<3>(r, psi, tangent);
}

double dilatation(const Law& law, const Gradient<3>& F) {
  if (law.kind == FlexLaw::StVenantKirchhoff) return 0.5 * (F.squaredNorm() - 3);
  return dilatationOf(law, stretchesOf<3>(F).s).value;
}

Gradient<3> dilatationGradient(const Law& law, const Gradient<3>& F) {
  if (law.kind == FlexLaw::StVenantKirchhoff) return F;
  const Stretches<3> r = stretchesOf<3>(F);
  return r.U * dilatationOf(law, r.s).slope.asDiagonal() * r.V.transpose();
}

template <int Dim>
Gradient<Dim> dampingStress(const Law& law, const Gradient<Dim>& F, const Gradient<Dim>& Fdot, double time) {
  Lame c = law.moduli;
  if (Dim == 2 && law.kind == FlexLaw::NeoHookean) c.lambda = 2 * c.lambda * c.mu / (c.lambda + 2 * c.mu);
  const Eigen::Matrix<double, Dim, Dim> product = F.transpose() * Fdot;
  const Eigen::Matrix<double, Dim, Dim> rate = 0.5 * (product + product.transpose());
  Eigen::Matrix<double, Dim, Dim> S = 2 * c.mu * rate;
  S.diagonal().array() += c.lambda * rate.trace();
  return time * F * S;
}

template <int Dim>
GradientTangent<Dim> dampingTangent(const Law& law, const Gradient<Dim>& F, double time) {
  GradientTangent<Dim> D;
  for (int i = 0; i < 3 * Dim; ++i) {
    Gradient<Dim> unit = Gradient<Dim>::Zero();
    unit(i % 3, i / 3) = 1;
    D.col(i) = flat<Dim>(dampingStress<Dim>(law, F, unit, time));
  }
  return D;
}

template double energyDensity<2>(const Law&, const Gradient<2>&);
template double energyDensity<3>(const Law&, const Gradient<3>&);
template Gradient<2> stress<2>(const Law&, const Gradient<2>&);
template Gradient<3> stress<3>(const Law&, const Gradient<3>&);
template GradientTangent<2> stressTangent<2>(const Law&, const Gradient<2>&, Tangent);
template GradientTangent<3> stressTangent<3>(const Law&, const Gradient<3>&, Tangent);
template Gradient<2> dampingStress<2>(const Law&, const Gradient<2>&, const Gradient<2>&, double);
template Gradient<3> dampingStress<3>(const Law&, const Gradient<3>&, const Gradient<3>&, double);
template GradientTangent<2> dampingTangent<2>(const Law&, const Gradient<2>&, double);
template GradientTangent<3> dampingTangent<3>(const Law&, const Gradient<3>&, double);

}  // namespace sinew::elastic
