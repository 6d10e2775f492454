#include "elastic/cell.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>
#include <random>

// Cells of interpolated flexes: eight or twenty-seven nodes, the reference's corotated linear law or a textbook law at
// Gauss points.
namespace sinew::elastic {
namespace {

const Vec3 kSize(0.1, 0.07, 0.13);

Eigen::Matrix3d someRotation() {
  return (Eigen::AngleAxisd(0.8, Vec3::UnitX()) * Eigen::AngleAxisd(-2.1, Vec3::UnitZ())).toRotationMatrix();
}

template <int Order>
CellNodes<Order> noise(unsigned seed, double size) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  CellNodes<Order> x;
  for (double& value : x.reshaped()) value = uniform(generator);
  return x;
}

template <int N>
Vec3 torqueOf(const Nodes<N>& x, const Nodes<N>& f) {
  Vec3 torque = Vec3::Zero();
  for (int i = 0; i < N; ++i) torque += Vec3(x.col(i)).cross(Vec3(f.col(i)));
  return torque;
}

// Matrices of 81 x 81 numbers are large for a stack frame of a test that has several of them.
template <int Order>
std::unique_ptr<CellStiffness<Order>> matrix() {
  return std::make_unique<CellStiffness<Order>>();
}

template <int Order>
void checkTextbookCell(FlexLaw kind) {
  SCOPED_TRACE(testing::Message() << "order " << Order << ", law " << static_cast<int>(kind));
  constexpr int N = kCellPoints<Order>;
  const CellElement<Order> cell{makeLaw(kind, 3, 1e4, 0.3), kSize};
  const CellNodes<Order> rest = (someRotation() * cellRest<Order>(kSize)).colwise() + Vec3(1, 2, 3);
  const CellNodes<Order> x = rest + noise<Order>(5, 0.01);
  const CellNodes<Order> force = cell.force(x);
  EXPECT_LT(cell.force(rest).norm(), 1e-10 * force.norm());
  EXPECT_NEAR(cell.energy(rest), 0, 1e-12 * cell.energy(x));
  EXPECT_LT(force.rowwise().sum().norm(), 1e-12 * force.norm());
  EXPECT_LT(torqueOf<N>(x, force).norm(), 1e-12 * force.norm() * x.norm());

  const auto K = matrix<Order>();
  cell.stiffness(x, Tangent::Exact, *K);
  const double e = 1e-7;
  for (int i = 0; i < 3 * N; i += Order == 1 ? 1 : 7) {
    CellNodes<Order> plus = x;
    CellNodes<Order> minus = x;
    plus(i % 3, i / 3) += e;
    minus(i % 3, i / 3) -= e;
    EXPECT_NEAR(force(i % 3, i / 3), -(cell.energy(plus) - cell.energy(minus)) / (2 * e), 1e-6 * force.norm());
    const CellNodes<Order> change = (cell.force(plus) - cell.force(minus)) / (2 * e);
    const Eigen::Map<const Eigen::Matrix<double, 3 * N, 1>> column(change.data());
    EXPECT_LT((K->col(i) + column).norm(), 1e-5 * K->norm());
  }
  const auto definite = matrix<Order>();
  cell.stiffness(x, Tangent::Definite, *definite);
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<CellStiffness<Order>>(*definite).eigenvalues()[0], -1e-11 * K->norm());

  // damping: zero for rigid motion, -D v otherwise
  CellNodes<Order> rigid;
  for (int i = 0; i < N; ++i) rigid.col(i) = Vec3(1, 2, 3).cross(Vec3(x.col(i))) + Vec3(3, 1, 0);
  const CellNodes<Order> v = noise<Order>(6, 1);
  const CellNodes<Order> damper = cell.damperForce(x, v, 0.1);
  EXPECT_LT(cell.damperForce(x, rigid, 0.1).norm(), 1e-11 * damper.norm());
  cell.damping(x, 0.1, *K);
  const Eigen::Map<const Eigen::Matrix<double, 3 * N, 1>> flatV(v.data());
  const Eigen::Map<const Eigen::Matrix<double, 3 * N, 1>> flatF(damper.data());
  EXPECT_LT((*K * flatV + flatF).norm(), 1e-12 * damper.norm());
}

TEST(Cells, TextbookLawsHaveForcesThatAreGradients) {
  for (const FlexLaw law : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    checkTextbookCell<1>(law);
    checkTextbookCell<2>(law);
  }
}

template <int Order>
void checkUniformStretch() {
  // Uniform stretch: the energy is psi times the volume, the force on the nodes of a face adds up to stress times area.
  const CellElement<Order> cell{makeLaw(FlexLaw::StVenantKirchhoff, 3, 1e4, 0.3), kSize};
  const Vec3 stretch(1.1, 0.95, 1.02);
  const Gradient<3> F = stretch.asDiagonal().toDenseMatrix();
  const CellNodes<Order> x = F * cellRest<Order>(kSize);
  EXPECT_NEAR(cell.energy(x), kSize.prod() * energyDensity<3>(cell.law, F), 1e-12 * cell.energy(x));
  const CellNodes<Order> f = cell.force(x);
  Vec3 face = Vec3::Zero();
  for (int n = 0; n < kCellPoints<Order>; ++n) {
    if (x(0, n) > 0.99 * x(0, kCellPoints<Order> - 1)) face += f.col(n);
  }
  const Gradient<3> P = stress<3>(cell.law, F);
  EXPECT_NEAR(face.x(), -P(0, 0) * kSize.y() * kSize.z(), 1e-10 * std::abs(P(0, 0)));
}

TEST(Cells, UniformStretchGivesStressTimesArea) {
  checkUniformStretch<1>();
  checkUniformStretch<2>();
}

// u_x = e x^2: the strain 2 e x varies over the cell, and only Gauss points in the right places integrate its square:
// E = (lambda + 2 mu)/2 (2 e)^2 (a^3/3) b c.
TEST(Cells, QuadraticCellsIntegrateVaryingStrain) {
  const CellElement<2> cell{makeLaw(FlexLaw::Corotational, 3, 1e4, 0.3), kSize};
  const double e = 1e-5;
  CellNodes<2> x = cellRest<2>(kSize);
  for (int n = 0; n < kCellPoints<2>; ++n) x(0, n) += e * x(0, n) * x(0, n);
  const Lame c = lame(1e4, 0.3);
  const double expected = 0.5 * (c.lambda + 2 * c.mu) * 4 * e * e * std::pow(kSize.x(), 3) / 3 * kSize.y() * kSize.z();
  EXPECT_NEAR(cell.energy(x), expected, 1e-6 * expected);
  const auto K = matrix<2>();
  referenceCellStiffness<2>(kSize, 1e4, 0.3, *K);
  const CellNodes<2> u = x - cellRest<2>(kSize);
  const Eigen::Map<const Eigen::Matrix<double, 81, 1>> flat(u.data());
  EXPECT_NEAR(0.5 * flat.dot(*K * flat) * (c.lambda + 2 * c.mu) / (c.lambda + c.mu), expected, 1e-9 * expected);
}

template <int Order>
void checkReferenceCell() {
  constexpr int N = kCellPoints<Order>;
  const auto K = matrix<Order>();
  referenceCellStiffness<Order>(kSize, 1e4, 0.3, *K);
  const ReferenceCell<Order> cell{K->data(), kSize};

  // six rigid motions and nothing else cost no energy
  const auto modes = Eigen::SelfAdjointEigenSolver<CellStiffness<Order>>(*K).eigenvalues().eval();
  EXPECT_NEAR(modes[5], 0, 1e-12 * modes[3 * N - 1]);
  EXPECT_GT(modes[6], 1e-4 * modes[3 * N - 1]);

  const Eigen::Matrix3d R = someRotation();
  const CellNodes<Order> rest = (R * cellRest<Order>(kSize)).colwise() + Vec3(1, 2, 3);
  EXPECT_LT((cellRotation<Order>(rest) - R).norm(), 1e-13);
  const CellNodes<Order> x = rest + noise<Order>(5, 0.01);
  EXPECT_LT(cell.force(rest).norm(), 1e-10 * cell.force(x).norm());
  EXPECT_LT(cell.force(x).rowwise().sum().norm(), 1e-12 * cell.force(x).norm());
  const CellNodes<Order> turned = R * x;
  EXPECT_LT((cell.force(turned) - R * cell.force(x)).norm(), 1e-11 * cell.force(x).norm());
  EXPECT_LT((cell.damperForce(x, x, 0.1)).norm(), 1e5) << "finite";

  // uniform small strain: the law is lambda and mu/2, that is W = lambda/2 tr^2 + mu/2 tr(eps^2)
  const double e = 1e-5;
  const Vec3 strain(e, -0.4 * e, 0.2 * e);
  const CellNodes<Order> y = (Vec3::Ones() + strain).asDiagonal() * cellRest<Order>(kSize);
  const Lame c = lame(1e4, 0.3);
  const double expected =
      kSize.prod() * (0.5 * c.lambda * strain.sum() * strain.sum() + 0.5 * c.mu * strain.squaredNorm());
  EXPECT_NEAR(cell.energy(y), expected, 1e-6 * expected);

  // force against the gradient of the energy: agreement of first order in the strain
  const double step = 1e-9;
  const CellNodes<Order> small = rest + noise<Order>(5, 1e-6);
  const CellNodes<Order> force = cell.force(small);
  for (int i = 0; i < 3 * N; i += 5) {
    CellNodes<Order> plus = small;
    CellNodes<Order> minus = small;
    plus(i % 3, i / 3) += step;
    minus(i % 3, i / 3) -= step;
    EXPECT_NEAR(force(i % 3, i / 3), -(cell.energy(plus) - cell.energy(minus)) / (2 * step), 1e-3 * force.norm());
  }
  const auto tangent = matrix<Order>();
  cell.stiffness(x, *tangent);
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<CellStiffness<Order>>(*tangent).eigenvalues()[0], -1e-11 * K->norm());
}

TEST(Cells, ReferenceLawIsLinearInTurningAxes) {
  checkReferenceCell<1>();
  checkReferenceCell<2>();
}

}  // namespace
}  // namespace sinew::elastic
