#include "elastic/section.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "compile/flex_parameters.h"

// Rods with twist: sections of three points, and the joints between them.
namespace sinew::elastic {
namespace {

Mat3 frameOf(const Vec3& t, double twist) {
  const Vec3 d = t.unitOrthogonal(), d1 = std::cos(twist) * d + std::sin(twist) * t.cross(d);
  Mat3 R;
  R << t, d1, t.cross(d1);
  return R;
}

/// Two segments with their sections where they belong, of the directions and turns given.
Nodes<9> segments(const Mat3& first, const Mat3& second) {
  Nodes<9> x;
  x.col(0) = Vec3(0.3, -0.2, 0.1);
  x.col(1) = x.col(0) + 0.1 * first.col(0);
  x.col(2) = x.col(1) + 0.07 * second.col(0);
  x.middleCols<3>(3) = sectionPoints(0.5 * (x.col(0) + x.col(1)), first.col(1), first.col(2), 0.02, 0.03);
  x.middleCols<3>(6) = sectionPoints(0.5 * (x.col(1) + x.col(2)), second.col(1), second.col(2), 0.02, 0.03);
  return x;
}

template <int N>
Nodes<N> noise(unsigned seed, double size) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  Nodes<N> x;
  for (double& value : x.reshaped()) value = uniform(generator);
  return x;
}

/// Force and stiffness against central differences of energy and force; the definite stiffness has no negative
/// eigenvalue; no net force, no net torque; the damper takes power and leaves rigid motion alone.
template <int N, class E>
void check(const E& element, const Nodes<N>& x) {
  const Nodes<N> force = element.force(x);
  const Stiffness<N> K = element.stiffness(x, Tangent::Exact);
  const double h = 1e-6 * 0.1, scale = K.norm();
  for (int i = 0; i < 3 * N; ++i) {
    Nodes<N> plus = x, minus = x;
    plus(i % 3, i / 3) += h;
    minus(i % 3, i / 3) -= h;
    EXPECT_NEAR(force(i % 3, i / 3), (element.energy(minus) - element.energy(plus)) / (2 * h), 1e-6 * scale * 0.1);
    const Nodes<N> change = (element.force(minus) - element.force(plus)) / (2 * h);
    for (int k = 0; k < 3 * N; ++k) EXPECT_NEAR(K(k, i), change(k % 3, k / 3), 1e-6 * scale) << k << ", " << i;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(element.stiffness(x, Tangent::Definite));
  EXPECT_GT(eigen.eigenvalues()[0], -1e-11 * scale);
  EXPECT_LT(force.rowwise().sum().norm(), 1e-11 * scale);
  Vec3 torque = Vec3::Zero();
  Nodes<N> rigid;
  for (int i = 0; i < N; ++i) {
    torque += Vec3(x.col(i)).cross(Vec3(force.col(i)));
    rigid.col(i) = Vec3(1, 2, 3) + Vec3(-2, 1, 0.5).cross(Vec3(x.col(i)));
  }
  EXPECT_LT(torque.norm(), 1e-11 * scale);
  EXPECT_LT(element.damperForce(x, rigid, 0.1).norm(), 1e-10 * scale);
  const Nodes<N> v = noise<N>(9, 1);
  const Stiffness<N> D = element.damping(x, 0.1);
  const Eigen::Map<const Eigen::Matrix<double, 3 * N, 1>> speed(v.data());
  const Nodes<N> damper = element.damperForce(x, v, 0.1);
  EXPECT_LT((D * speed + damper.reshaped()).norm(), 1e-11 * scale);
  EXPECT_LT(element.damperForce(x, v, 0.1).cwiseProduct(v).sum(), 0);
}

TEST(ElasticSection, ROD_1_JointIsTheGradientOfItsEnergy) {
  const Mat3 first = frameOf(Vec3(1, 0.2, -0.3).normalized(), 0.4);
  // straight, hardly bent, bent, bent a lot; twisted a little and nearly half a turn
  for (const double bend : {0.0, 1e-9, 1e-3, 0.1, 0.5, 2.5}) {
    for (const double twist : {0.0, 0.3, -2.8}) {
      SCOPED_TRACE(testing::Message() << "bend " << bend << ", twist " << twist);
      const Mat3 R = first * Eigen::AngleAxisd(twist, Vec3::UnitX()).toRotationMatrix() *
                     Eigen::AngleAxisd(bend, Vec3(0, 0.6, 0.8)).toRotationMatrix();
      for (const Vec3& relaxed : {Vec3(0, 0, 0), Vec3(0.3, -0.4, 0.2)}) {
        const SectionJoint joint{Vec3(1, 2, 30), relaxed};
        check<9>(joint, segments(first, R));
        check<9>(joint, segments(first, R) + noise<9>(2, 0.004));
      }
    }
  }
}

TEST(ElasticSection, ROD_1_SectionIsTheGradientOfItsEnergy) {
  const Section section{0.02, 0.03, 5, 7};
  const Mat3 R = frameOf(Vec3(-0.3, 0.1, 1).normalized(), 1.1);
  const Nodes<5> rest = segments(R, R)(Eigen::all, std::array{0, 1, 3, 4, 5});
  EXPECT_NEAR(section.energy(rest), 0, 1e-28);
  EXPECT_LT(section.force(rest).norm(), 1e-12);
  check<5>(section, rest);
  check<5>(section, rest + noise<5>(4, 0.006));
}

// It holds the points against each other, but neither the length of the segment nor the turn about it.
TEST(ElasticSection, ROD_1_SectionLeavesLengthAndTurnAlone) {
  const Section section{0.02, 0.03, 5, 7};
  for (const double turn : {0.0, 1.0, 3.0}) {
    for (const double stretch : {0.8, 1.3}) {
      Nodes<5> x;
      x.col(0) = Vec3(0, 0, 0);
      x.col(1) = Vec3(0, 0.1 * stretch, 0);
      const Mat3 R = frameOf(Vec3::UnitY(), turn);
      x.rightCols<3>() = sectionPoints(0.5 * x.col(1), R.col(1), R.col(2), section.a, section.b);
      EXPECT_LT(section.force(x).norm(), 1e-12);
    }
  }
}

// Half of the twist, the bend, the other half: a round rod stores the same energy of bending however much it is
// twisted.
TEST(ElasticSection, ROD_1_TwistAndBendAreIndependent) {
  const Mat3 first = frameOf(Vec3(0.1, 1, 0.4).normalized(), 0.2);
  for (const double twist : {-3.0, -0.5, 0.0, 1.0, 3.0}) {
    for (const double bend : {0.0, 1e-6, 0.2, 3.0}) {
      const Eigen::AngleAxisd half(0.5 * twist, Vec3::UnitX()), bending(bend, Vec3(0, -0.8, 0.6));
      const Vec3 u = turnBetween(first, first * (half * bending * half).toRotationMatrix());
      EXPECT_LT((u - Vec3(twist, -0.8 * bend, 0.6 * bend)).norm(), 1e-8) << twist << ", " << bend;
    }
  }
}

TEST(ElasticSection, ROD_1_ThreePointsHaveTheMomentsOfTheSection) {
  const double a = 0.7, b = 0.3;
  const Nodes<3> g = sectionPoints(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), a, b);
  EXPECT_LT(g.rowwise().sum().norm(), 1e-15);
  EXPECT_NEAR(g.row(0).squaredNorm(), 1.5 * a * a, 1e-15);
  EXPECT_NEAR(g.row(1).squaredNorm(), 1.5 * b * b, 1e-15);
  EXPECT_NEAR(g.row(0).dot(g.row(1)), 0, 1e-15);
}

// A segment without length, and a section along its segment, have no frame: no force, no NaN.
TEST(ElasticSection, ROD_1_CollapsedSegmentsAreSilent) {
  const SectionJoint joint{Vec3(1, 2, 3), Vec3(0.1, 0.2, 0.3)};
  Nodes<9> x = segments(frameOf(Vec3::UnitX(), 0), frameOf(Vec3::UnitX(), 0.4));
  x.col(2) = x.col(1);
  EXPECT_EQ(joint.energy(x), 0);
  EXPECT_EQ(joint.force(x).norm(), 0);
  EXPECT_EQ(joint.stiffness(x, Tangent::Definite).norm(), 0);
  x.col(2) = x.col(1) + Vec3(0.1, 0, 0);
  x.col(7) = x.col(8) = x.col(6);
  EXPECT_EQ(joint.force(x).norm(), 0);
  EXPECT_EQ((Section{0.02, 0.03, 5, 7}.force(Nodes<5>::Zero())).norm(), 0);
}

// [Timoshenko and Goodier 1970], table of section 109: J = k b c^3.
TEST(ElasticSection, ROD_1_TorsionConstantOfRectangles) {
  EXPECT_NEAR(draft::rectangleTorsion(1, 1), 0.1406, 5e-5);
  EXPECT_NEAR(draft::rectangleTorsion(1, 2), 2 * 0.229, 1e-3);
  EXPECT_NEAR(draft::rectangleTorsion(10, 1), 10 * 0.312, 5e-3);
  EXPECT_NEAR(draft::rectangleTorsion(1e4, 1), 1e4 / 3 * (1 - 0.63e-4), 1e-1);
}

}  // namespace
}  // namespace sinew::elastic
