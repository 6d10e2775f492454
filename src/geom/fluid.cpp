#include "geom/fluid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::geom {
namespace {

constexpr double kTiny = 1e-14;

// Gauss-Kronrod rule on [0, 1], rounded to 8 decimals as in the reference engine; only the first half of the nodes is
// listed, the rest is symmetric.
constexpr std::array<double, 8> kNode = {0.00427231, 0.02544604, 0.06756779, 0.12923441,
                                         0.20695638, 0.29707742, 0.39610752, 0.50000000};
constexpr std::array<double, 8> kWeight = {0.01146766, 0.03154605, 0.05239501, 0.07032663,
                                           0.08450236, 0.09517529, 0.10221647, 0.10474107};

/// k along the axis of semi-axis dx. The substitution l = scale x^3/(1-x)^2 maps [0, inf) to [0, 1).
double kappa(double dx, double dy, double dz) {
  const double scale = std::pow(dx * dx * dx * dy * dz, 0.4);
  double sum = 0;
  for (std::size_t i = 0; i < 15; ++i) {
    const std::size_t half = std::min(i, 14 - i);
    const double x = i < 8 ? kNode[half] : 1 - kNode[half];
    const double rest = i < 8 ? 1 - kNode[half] : kNode[half];  // 1 - x without cancellation
    const double l = scale * x * x * x / (rest * rest);
    const double slope = scale * x * x * (3 - x) / (rest * rest * rest);
    const double fx = 1 + l / (dx * dx), fy = 1 + l / (dy * dy), fz = 1 + l / (dz * dz);
    sum += kWeight[half] * slope / (fx * std::sqrt(fx * fy * fz));
  }
  return sum / (dx * dx);
}

/// Inertia about the axis across the plane of semi-axes b, c, divided by V/5.
double rotationFactor(double b, double c, double kb, double kc) {
  const double difference = b * b - c * c;
  return difference * difference * std::abs(kc - kb) /
         std::max(kTiny, std::abs(2 * difference + (b * b + c * c) * (kb - kc)));
}

}  // namespace

AddedMass ellipsoidAddedMass(const Vec3& s) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * s.prod();
  const Vec3 k(kappa(s[0], s[1], s[2]), kappa(s[1], s[2], s[0]), kappa(s[2], s[0], s[1]));
  AddedMass out;
  for (int x = 0; x < 3; ++x) {
    const int y = (x + 1) % 3, z = (x + 2) % 3;
    out.mass[x] = volume * k[x] / std::max(kTiny, 2 - k[x]);
    out.inertia[x] = volume * rotationFactor(s[y], s[z], k[y], k[z]) / 5;
  }
  return out;
}

Vec3 fluidSemiAxes(GeomType type, const Vec3& size) {
  switch (type) {
    case GeomType::Sphere:
      return Vec3::Constant(size[0]);
    case GeomType::Capsule:
      return {size[0], size[0], size[1] + size[0]};
    case GeomType::Cylinder:
      return {size[0], size[0], size[1]};
    default:
      return size;
  }
}

std::array<double, 12> fluidCoefficients(const Vec3& semiAxes, const std::array<double, 5>& coefficients) {
  const AddedMass added = ellipsoidAddedMass(semiAxes);
  std::array<double, 12> out{1};
  std::copy(coefficients.begin(), coefficients.end(), out.begin() + 1);
  std::copy(added.mass.begin(), added.mass.end(), out.begin() + 6);
  std::copy(added.inertia.begin(), added.inertia.end(), out.begin() + 9);
  return out;
}

}  // namespace sinew::geom
