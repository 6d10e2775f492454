#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/tolerance.h"
#include "support/vectors.h"

/// A hundred thousand random collisions under the impulse solver: what they conserve, and that they never add energy.
namespace sinew {
namespace {

using test::ConstMapVec3;
using test::Vec3;

using test::tolerance;

constexpr int kPairs = 500;
constexpr double kStep = 1e-3;

enum class Shapes { Spheres, Boxes, Both };

/// Pairs of bodies far from all other pairs, thrown at each other again and again. Sizes, masses (1 to 100), friction
/// and restitution are random.
class Collisions {
 public:
  Collisions(Shapes shapes, const std::string& method) : m_(compile(readMjcfText(mjcf(shapes, method)))), d_(m_) {}

  /// One throw of all pairs; checks every step.
  void run(int steps) {
    throwAll();
    std::vector<char> touched(kPairs, 0);
    std::vector<double> freeVelocity(static_cast<std::size_t>(m_.nv));
    const Momentum start = momentum();
    for (int i = 0; i < steps; ++i) {
      std::vector<double> before(d_.qvel.begin(), d_.qvel.end());
      step(m_, d_);
      for (int k = 0; k < m_.nv; ++k) {
        freeVelocity[k] = before[k] + kStep * d_.qacc_smooth[k];
      }
      checkEnergy(freeVelocity, touched);
    }
    const Momentum end = momentum();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(end.linear[k], start.linear[k], tolerance(1e-12) * start.size);
      if (isotropic_) {
        EXPECT_NEAR(end.angular[k], start.angular[k], tolerance(angularTolerance_) * start.angularSize);
      }
    }
    EXPECT_TRUE(d_.status.ok());
  }

  int collisions() const { return collisions_; }

 private:
  struct Momentum {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    double size = 0, angularSize = 0;
  };

  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(generator_); }

  std::string mjcf(Shapes shapes, const std::string& method) {
    isotropic_ = shapes == Shapes::Spheres;
    // sweeps keep lever arms constant within a step, while bodies move on in its substeps
    angularTolerance_ = method == "sweep" ? 1e-6 : 1e-12;
    std::string world;
    for (int i = 0; i < 2 * kPairs; ++i) {
      const bool sphere = shapes == Shapes::Spheres || (shapes == Shapes::Both && i % 2 == 0);
      const std::string shape = sphere ? fmt::format(R"(type="sphere" size="{}")", uniform(0.05, 0.15))
                                       : fmt::format(R"(type="box" size="{} {} {}")", uniform(0.05, 0.15),
                                                     uniform(0.05, 0.15), uniform(0.05, 0.15));
      const double elastic = uniform(0, 1);  // a third bounces perfectly, a third not at all
      const double e = elastic < 1.0 / 3 ? 0 : elastic < 2.0 / 3 ? 1 : uniform(0, 1);
      world += fmt::format(
          R"(<body pos="{} {} 0"><freejoint/><geom {} mass="{}" restitution="{}" friction="{} 0 0" condim="3"/></body>)",
          2 * (i / 2 % 25), 2 * (i / 50), shape, std::pow(10, uniform(0, 2)), e, i % 3 == 0 ? 0 : uniform(0, 0.8));
    }
    return fmt::format(R"(<mujoco><option solver="Impulse" method="{}" timestep="{}" gravity="0 0 0" iterations="300"
      tolerance="1e-13"/><worldbody>{}</worldbody></mujoco>)",
                       method, kStep, world);
  }

  /// Just beside each other, on their way towards each other, and turning.
  void throwAll() {
    reset(m_, d_);
    for (int i = 0; i < 2 * kPairs; ++i) {
      const double side = i % 2 == 0 ? -1 : 1;
      double* q = d_.qpos.data() + 7 * i;
      double* v = d_.qvel.data() + 6 * i;
      q[2] = side * (m_.geom_rbound[i] + 0.002);
      const Eigen::Vector4d any =
          Eigen::Vector4d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized();
      std::copy_n(any.data(), 4, q + 3);
      for (int k = 0; k < 3; ++k) {
        if (k < 2) q[k] += uniform(-0.02, 0.02);
        v[k] = uniform(-0.5, 0.5) - (k == 2 ? side * uniform(1, 5) : 0);
        v[3 + k] = uniform(-8, 8);
      }
    }
  }

  double kinetic(int pair, const double* qvel) const {
    double sum = 0;
    for (int i = 2 * pair; i < 2 * pair + 2; ++i) {
      const Vec3 v = ConstMapVec3(qvel + 6 * i);
      const Vec3 w = test::rotation(m_.body_iquat.data() + 4 * (i + 1)).transpose() * ConstMapVec3(qvel + 6 * i + 3);
      const ConstMapVec3 inertia(m_.body_inertia.data() + 3 * (i + 1));
      sum += 0.5 * m_.body_mass[i + 1] * v.squaredNorm() + 0.5 * inertia.dot(w.cwiseAbs2());
    }
    return sum;
  }

  /// Of every pair: what impulses do to the energy. They may add what lifts overlapping bodies apart, the impulse
  /// times the velocity erp depth / h, but no bounce adds any. The comparison is with the step without impulses, since
  /// explicit integration of a spinning box is not quite without loss and gain by itself; of spheres it is.
  void checkEnergy(const std::vector<double>& freeVelocity, std::vector<char>& touched) {
    std::vector<double> correction(kPairs, 0);
    std::vector<char> touches(kPairs, 0);
    for (const Contact& contact : d_.contact) {
      const double impulse = kStep * d_.efc_force[contact.efc_address];
      if (!(impulse > 0)) continue;
      const auto pair = static_cast<std::size_t>(contact.geom[0] / 2);
      touches[pair] = 1;
      const bool bounces = contact.restitution > 0 && d_.efc_vel[contact.efc_address] <= -m_.opt.restitution_threshold;
      if (!bounces) correction[pair] += impulse * std::max(0.0, -contact.dist * m_.opt.erp / kStep);
    }
    for (int p = 0; p < kPairs; ++p) {
      const auto pair = static_cast<std::size_t>(p);
      if (touches[pair] && !touched[pair]) ++collisions_;
      const double before = kinetic(p, freeVelocity.data()), after = kinetic(p, d_.qvel.data());
      ASSERT_LE(after, before * (1 + tolerance(1e-9)) + correction[pair]) << "pair " << p << " at " << d_.time;
    }
    touched = touches;
  }

  Momentum momentum() {
    forward(m_, d_);
    Momentum sum;
    for (int i = 0; i < 2 * kPairs; ++i) {
      const double mass = m_.body_mass[i + 1], inertia = m_.body_inertia[3 * (i + 1)];
      const ConstMapVec3 x(d_.qpos.data() + 7 * i), v(d_.qvel.data() + 6 * i), w(d_.qvel.data() + 6 * i + 3);
      sum.linear += mass * v;
      sum.size += mass * v.norm();
      sum.angular += mass * x.cross(v) + inertia * test::rotation(d_.qpos.data() + 7 * i + 3) * w;
      sum.angularSize += mass * x.norm() * v.norm() + inertia * w.norm();
    }
    return sum;
  }

  std::mt19937 generator_{11};
  bool isotropic_ = false;
  double angularTolerance_ = 0;
  Model m_;
  Data d_;
  int collisions_ = 0;
};

// Angular momentum of spheres is kept to rounding as well: both bodies get their impulse at one point, x moves along v,
// and a sphere turns about its own spin. That of other bodies is not, also in free flight: Euler's equations are
// integrated to first order in the step.
class HardCollisions : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, HardCollisions, ::testing::Values("newton", "sweep"),
                         [](const auto& info) { return info.param; });

TEST_P(HardCollisions, HARD_8_AHundredThousandKeepMomentumAndNeverAddEnergy) {
#ifdef SINEW_SANITIZED
  constexpr int kShare = 20;
#else
  constexpr int kShare = 1;
#endif
  int count = 0;
  for (const auto& [shapes, throws, steps] :
       {std::tuple{Shapes::Spheres, 120, 15}, {Shapes::Boxes, 40, 60}, {Shapes::Both, 25, 45}}) {
    Collisions collisions(shapes, GetParam());
    for (int i = 0; i < (throws + kShare - 1) / kShare && !testing::Test::HasFailure(); ++i) collisions.run(steps);
    count += collisions.collisions();
  }
  EXPECT_GE(count, 100'000 / kShare);
}

}  // namespace
}  // namespace sinew
