#include <algorithm>
#include <cmath>
#include <numbers>

#include "forces/fluid.h"

// Velocity u of the centre and w of rotation, semi-axes s, all in the geom's frame; rho density, mu viscosity.
// With c_i = (s_j s_k)^2 the shadow of the ellipsoid along u has the area A and the (unnormalized) normal n:
//   n = c o u,  N = n . u,  D = n . n,  A = pi sqrt(D / N)           (o: entry by entry)
// The guards against division by zero are part of the model: very small geoms live in their range.
namespace sinew {
namespace {

constexpr double kPi = std::numbers::pi;

double guarded(double denominator) { return std::max(kMinVal, denominator); }

/// The projection of the ellipsoid along its velocity.
struct Shadow {
  Vec3 c;       // (s_j s_k)^2
  Vec3 n;       // c o u
  Vec3 cn;      // c o n, half the gradient of D
  double N;     // n . u
  double D;     // n . n
  double area;  // A

  Shadow(const Vec3& s, const Vec3& u) {
    for (int i = 0; i < 3; ++i) {
      const double product = s[(i + 1) % 3] * s[(i + 2) % 3];
      c[i] = product * product;
    }
    n = c.cwiseProduct(u);
    cn = c.cwiseProduct(n);
    N = n.dot(u);
    D = n.squaredNorm();
    area = kPi * std::sqrt(D / guarded(N));
  }
};

/// Largest and middle semi-axis.
struct Extent {
  double longest, middle;
  explicit Extent(const Vec3& s) {
    longest = s.maxCoeff();
    middle = s.sum() - longest - s.minCoeff();
  }
};

/// Diameter of the sphere that stands for the ellipsoid in Stokes flow: mean of the three diameters.
double stokesDiameter(const Vec3& s) { return 2.0 / 3.0 * s.sum(); }

double volume(const Vec3& s) { return 4.0 / 3.0 * kPi * s[0] * s[1] * s[2]; }

/// Weights of m = weights o w in the quadratic torque -rho |m| w: c_a I_i + c_s (I_max - I_i), where I_i is the moment
/// of the largest body of revolution about axis i that fits the outline.
Vec3 torqueWeights(const FluidEllipsoid& e) {
  const auto moment = [](double axial, double radial) {
    return 8.0 / 15.0 * kPi * axial * (radial * radial) * (radial * radial);
  };
  const Extent extent(e.semiaxis);
  const double largest = moment(extent.middle, extent.longest);
  Vec3 weights;
  for (int i = 0; i < 3; ++i) {
    const double I = moment(e.semiaxis[i], std::max(e.semiaxis[(i + 1) % 3], e.semiaxis[(i + 2) % 3]));
    weights[i] = e.angular * I + e.slender * (largest - I);
  }
  return weights;
}

/// Coefficient q of the quadratic drag -rho q |u| u: A c_blunt + (A_max - A) c_slender.
double dragArea(const FluidEllipsoid& e, const Shadow& shadow) {
  const Extent extent(e.semiaxis);
  const double largest = kPi * extent.longest * extent.middle;
  return shadow.area * e.blunt + e.slender * (largest - shadow.area);
}

/// Kutta lift: rho c_K A cos(alpha) (n x u) x u with cos(alpha) = N / (|u| D), the D because n is not normalized.
Vec3 kuttaLift(const FluidEllipsoid& e, const Medium& medium, const Shadow& shadow, const Vec3& u) {
  const double cosine = shadow.N / guarded(u.norm() * shadow.D);
  return e.kutta * medium.density * cosine * shadow.area * shadow.n.cross(u).cross(u);
}

/// Off the guards the lift is k N g with k = pi c_K rho / sqrt(D N |u|^2) and g = (n x u) x u = N u - |u|^2 n, so
///   derivative = k (N dg + g (n - (N / D) c o n - (N / |u|^2) u)'),
///   dg = N 1 - |u|^2 diag(c) + 2 (u n' - n u').
Mat3 kuttaDerivative(const FluidEllipsoid& e, const Medium& medium, const Shadow& shadow, const Vec3& u) {
  const double uu = u.squaredNorm();
  const double k = kPi * e.kutta * medium.density / guarded(std::sqrt(shadow.D * shadow.N * uu));
  const Vec3 g = shadow.N * u - uu * shadow.n;
  const Vec3 slope = shadow.n - shadow.N / guarded(shadow.D) * shadow.cn - shadow.N / guarded(uu) * u;
  Mat3 dg = 2 * (u * shadow.n.transpose() - shadow.n * u.transpose());
  dg.diagonal() += Vec3::Constant(shadow.N) - uu * shadow.c;
  return k * (shadow.N * dg + g * slope.transpose());
}

/// Of -(3 pi D_s mu + rho q(u) |u|) u, where grad A = pi (N c o n - D n) / sqrt(D N^3).
Mat3 dragDerivative(const FluidEllipsoid& e, const Medium& medium, const Shadow& shadow, const Vec3& u) {
  const double speed = u.norm();
  const Vec3 areaGradient = kPi / guarded(std::sqrt(shadow.N * shadow.N * shadow.N * shadow.D)) *
                            (shadow.N * shadow.cn - shadow.D * shadow.n);
  const double quadratic = medium.density * dragArea(e, shadow) / guarded(speed);
  Mat3 result = -quadratic * (u * u.transpose());
  result.diagonal().array() -= quadratic * (speed * speed) + medium.viscosity * 3 * kPi * stokesDiameter(e.semiaxis);
  result -= u * (medium.density * speed * (e.blunt - e.slender) * areaGradient).transpose();
  return result;
}

/// Of -(pi D_s^3 mu + rho |m|) w with m = weights o w.
Mat3 torqueDerivative(const FluidEllipsoid& e, const Medium& medium, const Vec3& w) {
  const double diameter = stokesDiameter(e.semiaxis);
  const Vec3 weights = torqueWeights(e);
  const Vec3 m = weights.cwiseProduct(w);
  const double k = medium.density / guarded(m.norm());
  Mat3 result = -k * w * weights.cwiseProduct(m).transpose();
  result.diagonal().array() -= k * m.squaredNorm() + medium.viscosity * kPi * diameter * diameter * diameter;
  return result;
}

}  // namespace

FluidEllipsoid fluidEllipsoid(const Model& m, int geom) {
  const double* f = &m.geom_fluid[12 * geom];
  const double* size = &m.geom_size[3 * geom];
  FluidEllipsoid e{
      Vec3(size[0], size[1], size[2]), f[1], f[2], f[3], f[4], f[5], ConstMapVec3(f + 6), ConstMapVec3(f + 9)};
  switch (m.geom_type[geom]) {
    case GeomType::Sphere:
      e.semiaxis = Vec3::Constant(size[0]);
      break;
    case GeomType::Capsule:
      e.semiaxis = Vec3(size[0], size[0], size[1] + size[0]);
      break;
    case GeomType::Cylinder:
      e.semiaxis = Vec3(size[0], size[0], size[1]);
      break;
    default:
      break;
  }
  return e;
}

Vec6 fluidForce(const FluidEllipsoid& e, const Medium& medium, const Vec6& velocity) {
  const Vec3 w = velocity.head<3>();
  const Vec3 u = velocity.tail<3>();
  const Shadow shadow(e.semiaxis, u);
  const double diameter = stokesDiameter(e.semiaxis);

  // momentum of the fluid carried along; the terms with accelerations are left out by the model
  const Vec3 p = medium.density * e.virtualMass.cwiseProduct(u);
  const Vec3 h = medium.density * e.virtualInertia.cwiseProduct(w);

  const double linear = medium.viscosity * 3 * kPi * diameter + medium.density * u.norm() * dragArea(e, shadow);
  const double angular = medium.viscosity * kPi * diameter * diameter * diameter +
                         medium.density * torqueWeights(e).cwiseProduct(w).norm();
  Vec6 force;
  force.head<3>() = p.cross(u) + h.cross(w) - angular * w;
  force.tail<3>() = p.cross(w) + e.magnus * medium.density * volume(e.semiaxis) * w.cross(u) +
                    kuttaLift(e, medium, shadow, u) - linear * u;
  return force;
}

Mat6 fluidDerivative(const FluidEllipsoid& e, const Medium& medium, const Vec6& velocity) {
  const Vec3 w = velocity.head<3>();
  const Vec3 u = velocity.tail<3>();
  const Shadow shadow(e.semiaxis, u);
  const Mat3 pu = Mat3((medium.density * e.virtualMass).asDiagonal());     // dp / du
  const Mat3 hw = Mat3((medium.density * e.virtualInertia).asDiagonal());  // dh / dw
  const Vec3 p = pu * u;
  const Vec3 h = hw * w;
  const double magnus = e.magnus * medium.density * volume(e.semiaxis);

  Mat6 B;  // rows torque, force; columns w, u. d(a x b) = -[b] da + [a] db
  B.topLeftCorner<3, 3>() = crossMatrix(h) - crossMatrix(w) * hw + torqueDerivative(e, medium, w);
  B.topRightCorner<3, 3>() = crossMatrix(p) - crossMatrix(u) * pu;
  B.bottomLeftCorner<3, 3>() = crossMatrix(p) - magnus * crossMatrix(u);
  B.bottomRightCorner<3, 3>() = magnus * crossMatrix(w) - crossMatrix(w) * pu + kuttaDerivative(e, medium, shadow, u) +
                                dragDerivative(e, medium, shadow, u);
  return B;
}

}  // namespace sinew
