#include "elastic/tetrahedron.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>
#include <random>

#include "elastic/cell.h"

// Tetrahedra with ten nodes, and bending of trilinear cells.
namespace sinew::elastic {
namespace {

Nodes<4> corners() {
  Nodes<4> x;
  x << 0, 0.1, 0.02, 0.03, 0, 0.01, 0.09, 0.02, 0, -0.01, 0.01, 0.11;
  return x;
}

Nodes<10> withMiddles(const Nodes<4>& corner) {
  Nodes<10> x;
  x.leftCols<4>() = corner;
  for (std::size_t e = 0; e < 6; ++e) {
    const auto [i, j] = QuadraticTetrahedron::kEdge[e];
    x.col(4 + static_cast<int>(e)) = 0.5 * (corner.col(i) + corner.col(j));
  }
  return x;
}

Nodes<10> noise(unsigned seed, double size) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  Nodes<10> x;
  for (double& value : x.reshaped()) value = uniform(generator);
  return x;
}

void checkTetrahedron(FlexLaw law, double poisson) {
  SCOPED_TRACE(testing::Message() << "law " << static_cast<int>(law) << ", nu " << poisson);
  const QuadraticTetrahedron element = quadraticTetrahedron(law, corners(), 1e4, poisson);
  const Eigen::Matrix3d R =
      (Eigen::AngleAxisd(0.8, Vec3::UnitX()) * Eigen::AngleAxisd(-2.1, Vec3::UnitZ())).toRotationMatrix();
  const Nodes<10> rest = (R * withMiddles(corners())).colwise() + Vec3(1, 2, 3);
  const Nodes<10> x = rest + noise(3, 0.004);
  const Nodes<10> force = element.force(x);
  EXPECT_LT(element.force(rest).norm(), 1e-9 * force.norm());
  EXPECT_NEAR(element.energy(rest), 0, 1e-11 * element.energy(x));
  EXPECT_LT(force.rowwise().sum().norm(), 1e-11 * force.norm());
  Vec3 torque = Vec3::Zero();
  for (int i = 0; i < 10; ++i) torque += Vec3(x.col(i)).cross(Vec3(force.col(i)));
  EXPECT_LT(torque.norm(), 1e-11 * force.norm() * x.norm());

  const auto K = std::make_unique<Stiffness<10>>();
  element.stiffness(x, Tangent::Exact, *K);
  const double e = 1e-7;
  for (int i = 0; i < 30; ++i) {
    Nodes<10> plus = x, minus = x;
    plus(i % 3, i / 3) += e;
    minus(i % 3, i / 3) -= e;
    EXPECT_NEAR(force(i % 3, i / 3), -(element.energy(plus) - element.energy(minus)) / (2 * e), 1e-5 * force.norm());
    const Nodes<10> change = (element.force(plus) - element.force(minus)) / (2 * e);
    EXPECT_LT((K->col(i) + Eigen::Map<const Eigen::Matrix<double, 30, 1>>(change.data())).norm(), 1e-5 * K->norm());
  }
  const auto definite = std::make_unique<Stiffness<10>>();
  element.stiffness(x, Tangent::Definite, *definite);
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<Stiffness<10>>(*definite).eigenvalues()[0], -1e-11 * K->norm());
  // six rigid motions and nothing else are free at rest
  element.stiffness(rest, Tangent::Exact, *K);
  const Eigen::Matrix<double, 30, 1> modes = Eigen::SelfAdjointEigenSolver<Stiffness<10>>(*K).eigenvalues();
  EXPECT_NEAR(modes[5], 0, 1e-9 * modes[29]);
  EXPECT_GT(modes[6], 1e-7 * modes[29]);

  Nodes<10> rigid;
  for (int i = 0; i < 10; ++i) rigid.col(i) = Vec3(1, 2, 3).cross(Vec3(x.col(i))) + Vec3(3, 1, 0);
  const Nodes<10> v = noise(6, 1), damper = element.damperForce(x, v, 0.1);
  EXPECT_LT(element.damperForce(x, rigid, 0.1).norm(), 1e-10 * damper.norm());
  element.damping(x, 0.1, *K);
  const Eigen::Map<const Eigen::Matrix<double, 30, 1>> flatV(v.data()), flatF(damper.data());
  EXPECT_LT((*K * flatV + flatF).norm(), 1e-11 * damper.norm());
}

TEST(Tetrahedra, SOLID_1_ForcesAreGradientsAndStiffnessTheirDerivative) {
  for (const FlexLaw law : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    for (const double poisson : {0.0, 0.3, 0.49}) checkTetrahedron(law, poisson);
  }
}

TEST(Tetrahedra, UniformStretchHasTheEnergyOfTheLaw) {
  for (const FlexLaw law : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    const QuadraticTetrahedron element = quadraticTetrahedron(law, corners(), 1e4, 0.45);
    Gradient<3> F;
    F << 1.1, 0.05, 0, -0.02, 0.9, 0.01, 0.03, 0, 1.05;
    const double expected = element.vol * energyDensity<3>(element.law, F);
    EXPECT_NEAR(element.energy(F * withMiddles(corners())), expected, 1e-11 * expected);
  }
}

// u = (x z, 0, -x^2/2) bends a cell about y: E I k^2 / 2 per length if nothing but fibres along x resists, and E/(1 -
// nu^2) where it cannot narrow, as one cell alone, whose nodes do not.
TEST(Cells, SOLID_1_TrilinearCellsBendLikeBeams) {
  const Vec3 size(0.4, 0.05, 0.05);
  const double nu = 0.3, k = 1e-4;
  const CellElement<1> cell{makeLaw(FlexLaw::Corotational, 3, 1e4, nu), size};
  CellNodes<1> x = cellRest<1>(size);
  for (int n = 0; n < 8; ++n) {
    const double s = x(0, n) - 0.5 * size.x(), t = x(2, n) - 0.5 * size.z();
    x(0, n) += k * s * t;
    x(2, n) -= 0.5 * k * s * s;
  }
  const double inertia = size.y() * std::pow(size.z(), 3) / 12;
  const double expected = 0.5 * 1e4 / (1 - nu * nu) * inertia * k * k * size.x();
  EXPECT_NEAR(cell.energy(x), expected, 1e-3 * expected);
}

}  // namespace
}  // namespace sinew::elastic
