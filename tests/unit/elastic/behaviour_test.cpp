#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "elastic/continuum.h"
#include "elastic/cotangent.h"
#include "elastic/hinge.h"
#include "elastic/rod.h"
#include "elastic/spring.h"
#include "elastic/strain.h"

// What the elements are worth as physics: closed forms, damping, limits, and shapes no element should ever get into.
namespace sinew::elastic {
namespace {

Nodes<4> unitTetrahedron(double size) {
  Nodes<4> x = Nodes<4>::Zero();
  x.col(1) << 0, size, 0;
  x.col(2) << size, 0, 0;
  x.col(3) << 0, 0, size;
  return x;
}

Nodes<4> foldedPair(double angle) {
  Nodes<4> x;
  x.col(0) << 0, 0, 0;
  x.col(1) << 0.1, 0, 0;
  x.col(2) << 0.03, 0.08, 0;
  x.col(3) << 0.07, -0.06 * std::cos(angle), 0.06 * std::sin(angle);
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

template <int N>
Nodes<N> rigidMotion(const Nodes<N>& x) {
  Nodes<N> v;
  for (int i = 0; i < N; ++i) v.col(i) = Vec3(0.3, -2, 1) + Vec3(1, 2, -3).cross(Vec3(x.col(i)));
  return v;
}

// Stretch a solid by s along x and let it contract by q across until the side stress is zero; the end force per rest
// area has a closed form: stvk E e (1 + e/2)(1 + e) with e = s - 1; corotational E e; neo-Hookean from its own two
// equations.
TEST(ElasticLaws, UniaxialStressOfASolidFollowsTheClosedForm) {
  const double E = 1e5;
  const double nu = 0.3;
  for (const double s : {0.8, 0.95, 1.0049630, 1.2, 1.6}) {
    const double strain = s - 1;
    {
      const Law law = makeLaw(FlexLaw::StVenantKirchhoff, 3, E, nu);
      const double green = strain * (1 + strain / 2);
      const double q = std::sqrt(1 - 2 * nu * green);  // lateral Green strain is -nu times the axial one
      const Gradient<3> P = stress<3>(law, Vec3(s, q, q).asDiagonal().toDenseMatrix());
      EXPECT_NEAR(P(0, 0), E * green * s, 1e-9 * E);
      EXPECT_NEAR(P(1, 1), 0, 1e-9 * E);
    }
    {
      const Law law = makeLaw(FlexLaw::Corotational, 3, E, nu);
      const double q = 1 - nu * strain;
      const Gradient<3> P = stress<3>(law, Vec3(s, q, q).asDiagonal().toDenseMatrix());
      EXPECT_NEAR(P(0, 0), E * strain, 1e-9 * E);
      EXPECT_NEAR(P(2, 2), 0, 1e-9 * E);
    }
  }
  // FLEX-B16: the strain at which stvk carries a load of 0.005 E A
  EXPECT_NEAR(0.0049630 * 1.0049630 * (1 + 0.0049630 / 2), 0.005, 1e-8);
}

TEST(ElasticLaws, NeoHookeanSheetHasNoStressAcrossAndMatchesTheSolid) {
  const double E = 1e5;
  const double nu = 0.4;
  const Law solid = makeLaw(FlexLaw::NeoHookean, 3, E, nu);
  const Law sheet = makeLaw(FlexLaw::NeoHookean, 2, E, nu);
  Gradient<2> F;
  F << 1.3, 0.1, -0.2, 0.9, 0, 0;
  const Gradient<2> P = stress<2>(sheet, F);
  // the same in-plane stretch of a solid, its thickness found by bisection
  double low = 0.1;
  double high = 3;
  for (int i = 0; i < 200; ++i) {
    const double mid = 0.5 * (low + high);
    Gradient<3> G;
    G << F, Vec3(0, 0, mid);
    (stress<3>(solid, G)(2, 2) > 0 ? high : low) = mid;
  }
  Gradient<3> G;
  G << F, Vec3(0, 0, low);
  EXPECT_LT((stress<3>(solid, G).leftCols<2>() - P).norm(), 1e-9 * E);
  EXPECT_GT(P.norm(), 1e3);
}

// Near rest the three laws are Hooke's: E = 1e5 along a bar, plane stress in a sheet.
TEST(ElasticLaws, AllLawsAreHookesNearRest) {
  const double E = 1e5;
  const double nu = 0.3;
  const double e = 1e-6;
  for (const FlexLaw kind : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    const Law solid = makeLaw(kind, 3, E, nu);
    const Gradient<3> F = Vec3(1 + e, 1 - nu * e, 1 - nu * e).asDiagonal().toDenseMatrix();
    EXPECT_NEAR(stress<3>(solid, F)(0, 0), E * e, 1e-5 * E * e);
    EXPECT_NEAR(stress<3>(solid, F)(1, 1), 0, 1e-5 * E * e);
    const Law sheet = makeLaw(kind, 2, E, nu);
    Gradient<2> G = Gradient<2>::Zero();
    G(0, 0) = 1 + e;
    G(1, 1) = 1 - nu * e;
    EXPECT_NEAR(stress<2>(sheet, G)(0, 0), E * e, 1e-5 * E * e);
    EXPECT_NEAR(stress<2>(sheet, G)(1, 1), 0, 1e-5 * E * e);
  }
}

// FLEX-AC7: a tetrahedron under 500 Pa shrinks to the cube of the root of s (s^2 - 1)/2 E/(1 - 2 nu) = -p.
TEST(ElasticLaws, PressureShrinksTheTetrahedronByTheBulkModulus) {
  const StrainElement<3> element = stVenantKirchhoff<3>(unitTetrahedron(0.1), 1e5, 0.3, 0);
  const double s = std::cbrt(1 - 0.00601);
  const Nodes<4> force = element.force(s * unitTetrahedron(0.1));
  // each corner carries a third of its three faces' pressure: p A n / 3 summed; check the corner at the origin
  const double pressure = -force(0, 0) / (0.005 / 3.0);  // the face x = 0 (area 0.005) and the slanted one
  EXPECT_NEAR(pressure, -s * (s * s - 1) / 2 * 1e5 / 0.4, 1e-9 * 500);
  EXPECT_NEAR(pressure, 500, 1);
}

TEST(ElasticLaws, SquaredLengthsAndDeformationGradientAgreeOnStVenantKirchhoff) {
  const Nodes<4> rest = unitTetrahedron(0.1) + noise<4>(3, 0.02);
  const Nodes<4> x = rest + noise<4>(4, 0.03);
  const StrainElement<3> a = stVenantKirchhoff<3>(rest, 1e4, 0.3, 0);
  const ContinuumElement<3> b = continuumElement<3>(FlexLaw::StVenantKirchhoff, rest, 1e4, 0.3, 0);
  EXPECT_NEAR(a.energy(x), b.energy(x), 1e-12 * a.energy(x));
  EXPECT_LT((a.force(x) - b.force(x)).norm(), 1e-12 * a.force(x).norm());
  const Nodes<4> v = noise<4>(5, 1);
  EXPECT_LT((a.damperForce(x, v, 0.1) - b.damperForce(x, v, 0.1)).norm(), 1e-12 * a.damperForce(x, v, 0.1).norm());
}

// The reference law in its own words: W = Vol (mu tr G^2 + lambda (tr G)^2).
TEST(ElasticLaws, ReferenceLawCountsLambdaTwice) {
  const Nodes<4> rest = unitTetrahedron(0.1);
  const StrainElement<3> element = referenceLaw<3>(rest, 1e4, 0.3, 0);
  Gradient<3> F;
  F << 1.1, 0.05, 0, -0.02, 0.9, 0.1, 0, 0.03, 1.2;
  const Eigen::Matrix3d G = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
  const Lame c = lame(1e4, 0.3);
  const double expected = 0.001 / 6 * (c.mu * (G * G).trace() + c.lambda * G.trace() * G.trace());
  EXPECT_NEAR(element.energy(F * rest), expected, 1e-12 * expected);
}

// and of a sheet W = A t / 4 (...) with the lambda of a solid.
TEST(ElasticLaws, ReferenceSheetHasAQuarterOfItsVolume) {
  const Nodes<3> rest = unitTetrahedron(0.1).leftCols<3>();
  const double s = 1.1;
  const double green = 0.5 * (s * s - 1);
  const Lame c = lame(1e4, 0.3);
  const double expected = 0.005 * 0.02 / 4 * (c.mu * 2 * green * green + c.lambda * 4 * green * green);
  EXPECT_NEAR(referenceLaw<2>(rest, 1e4, 0.3, 0.02).energy(s * rest), expected, 1e-12 * expected);
}

// Bending while both triangles keep their shape: the dihedral spring sees the angle, the cotangent form 1 - cos of it.
TEST(Hinges, BendingEnergyIsAFunctionOfTheAngle) {
  for (const double rest : {0.0, 0.7, -1.4, 2.5}) {
    const DihedralHinge dihedral = dihedralHinge(foldedPair(rest), 2.0);
    const CotangentHinge cotangent = cotangentHinge(foldedPair(rest), 2.0);
    EXPECT_NEAR(dihedral.angle0, rest, 1e-12);
    EXPECT_NEAR(dihedral.k, 2.0 * 0.01 / (0.004 + 0.003), 1e-12 * dihedral.k);
    for (double angle = -3.1; angle < 3.1; angle += 0.31) {
      const Nodes<4> x = foldedPair(angle);
      EXPECT_NEAR(foldAngle(x), angle, 1e-12);
      EXPECT_NEAR(dihedral.energy(x), 0.5 * dihedral.k * (angle - rest) * (angle - rest), 1e-11 * dihedral.k);
      EXPECT_NEAR(cotangent.energy(x), dihedral.k * (1 - std::cos(angle - rest)), 1e-11 * dihedral.k);
    }
  }
}

// FLEX-B5: no area, no force; and no jump up to pi.
TEST(Hinges, DegenerateTrianglesExertNothing) {
  const DihedralHinge hinge = dihedralHinge(foldedPair(0.3), 2.0);
  Nodes<4> onTheEdge = foldedPair(0.3);
  onTheEdge.col(2) << 0.04, 0, 0;
  Nodes<4> noEdge = foldedPair(0.3);
  noEdge.col(1) = noEdge.col(0);
  Nodes<4> onePoint = Nodes<4>::Zero();
  Nodes<4> sliver = onTheEdge;  // its normal is rounding noise, its gradient 1e12 per metre
  sliver(2, 2) = 1e-12;
  for (const Nodes<4>& x : {onTheEdge, noEdge, onePoint, sliver}) {
    EXPECT_EQ(hinge.force(x).norm(), 0);
    EXPECT_EQ(hinge.stiffness(x, Tangent::Exact).norm(), 0);
    EXPECT_EQ(DihedralHinge::damperForce(x, noise<4>(1, 1), 1).norm(), 0);
  }
  const double nearly = std::numbers::pi - 1e-6;
  EXPECT_NEAR(hinge.force(foldedPair(nearly)).norm() / hinge.force(foldedPair(nearly - 1e-4)).norm(), 1, 1e-4);
}

// FLEX-B6: the limited torque brings the free fold to its rest angle in one step of semi-implicit Euler, to first
// order.
TEST(Hinges, LimitTakesTheFoldHomeInOneStep) {
  const double h = 0.002;
  const Eigen::Vector4d invmass(0, 1 / 0.02, 1 / 0.03, 1 / 0.01);
  const Nodes<4> x = foldedPair(1e-4);
  const Fold fold = foldOf(x);
  const double k = stiffnessLimit(fold, invmass, h);
  Nodes<4> next = x;
  for (int i = 0; i < 4; ++i) next.col(i) -= h * h * invmass[i] * k * fold.angle * fold.gradient.col(i);
  EXPECT_NEAR(foldAngle(next), 0, 1e-9);
  EXPECT_TRUE(std::isinf(stiffnessLimit(fold, Eigen::Vector4d::Zero(), h)));
}

TEST(Rods, EnergyIsThatOfTheElastica) {
  // a circle of radius 2: n segments, phi = turning angle; E = EI/2 (1/R)^2 per length
  const double EI = 0.3;
  const int n = 100;
  const double turn = 2 * std::numbers::pi / n;
  const double l = 2 * 2 * std::sin(turn / 2);
  Nodes<3> straight = Nodes<3>::Zero();
  straight(0, 1) = l;
  straight(0, 2) = 2 * l;
  Nodes<3> bent;
  for (int i = 0; i < 3; ++i) bent.col(i) = 2 * Vec3(std::cos(i * turn), std::sin(i * turn), 0);
  const RodBend bend = rodBend(straight, EI);
  EXPECT_NEAR(RodBend::angle(bent), turn, 1e-12);
  EXPECT_NEAR(bend.energy(bent), 0.5 * EI / 4 * l, 1e-3 * bend.energy(bent));
}

TEST(Rods, NearlyStraightAndFoldedRodsAreFinite) {
  Nodes<3> x = Nodes<3>::Zero();
  x(0, 1) = 0.1;
  x(0, 2) = 0.2;
  const RodBend straight = rodBend(x, 0.3);
  for (const double bend : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
    Nodes<3> y = x;
    y(1, 2) = bend;
    // small deflection w of the free end: moment k w / l, force k w / l^2 there, up to (w/l)^2
    EXPECT_NEAR(straight.force(y)(1, 2), -straight.k * bend / 0.01, 2e-4 * straight.k * bend / 0.01 + 1e-15);
    EXPECT_TRUE(straight.stiffness(y, Tangent::Exact).allFinite());
  }
  Nodes<3> folded = x;
  folded(0, 2) = 0;
  EXPECT_TRUE(straight.force(folded).allFinite());
  Nodes<3> noLength = x;
  noLength.col(1) = noLength.col(0);
  EXPECT_EQ(straight.force(noLength).norm(), 0);
}

template <class Force, class Matrix, int N>
void checkDamper(const Nodes<N>& x, Force&& force, Matrix&& matrix) {
  const Nodes<N> v = noise<N>(11, 1);
  const Nodes<N> f = force(v);
  const Stiffness<N> D = matrix();
  EXPECT_LT(f.cwiseProduct(v).sum(), 0) << "it takes energy";
  const Eigen::Map<const Eigen::Matrix<double, 3 * N, 1>> flatV(v.data());
  const Eigen::Map<const Eigen::Matrix<double, 3 * N, 1>> flatF(f.data());
  EXPECT_LT((D * flatV + flatF).norm(), 1e-12 * f.norm());
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<Stiffness<N>>(D).eigenvalues()[0], -1e-12 * D.norm());
  EXPECT_LT(force(rigidMotion<N>(x)).norm(), 1e-12 * f.norm() * 10) << "rigid motion is free of it";
}

TEST(Dampers, TakeEnergyAndLeaveRigidMotionAlone) {
  const Nodes<3> tri = foldedPair(0).leftCols<3>();
  const Nodes<3> y = tri + noise<3>(2, 0.02);
  const Nodes<4> tet = unitTetrahedron(0.1);
  const Nodes<4> x = tet + noise<4>(2, 0.02);
  const double time = 0.05;
  {
    const EdgeSpring c{100, 0.1, 2};
    const Nodes<2> z = tri.leftCols<2>();
    checkDamper<>(
        z, [&](const Nodes<2>& v) { return c.damperForce(z, v); }, [&] { return c.damping(z); });
  }
  checkDamper<>(
      y, [&](const Nodes<3>& v) { return RodBend::damperForce(y, v, 2); }, [&] { return RodBend::damping(y, 2); });
  checkDamper<>(
      x, [&](const Nodes<4>& v) { return DihedralHinge::damperForce(x, v, 2); },
      [&] { return DihedralHinge::damping(x, 2); });
  const StrainElement<2> t2 = stVenantKirchhoff<2>(tri, 1e4, 0.3, 0.01);
  checkDamper<>(
      y, [&](const Nodes<3>& v) { return t2.damperForce(y, v, time); }, [&] { return t2.damping(y, time); });
  for (const FlexLaw law : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    const ContinuumElement<2> c2 = continuumElement<2>(law, tri, 1e4, 0.3, 0.01);
    const ContinuumElement<3> c3 = continuumElement<3>(law, tet, 1e4, 0.3, 0);
    checkDamper<>(
        y, [&](const Nodes<3>& v) { return c2.damperForce(y, v, time); }, [&] { return c2.damping(y, time); });
    checkDamper<>(
        x, [&](const Nodes<4>& v) { return c3.damperForce(x, v, time); }, [&] { return c3.damping(x, time); });
    // at rest it is the stiffness times the time
    EXPECT_LT((c3.damping(tet, time) - time * c3.stiffness(tet, Tangent::Exact)).norm(),
              1e-9 * c3.damping(tet, time).norm());
    EXPECT_LT((c2.damping(tri, time) - time * c2.stiffness(tri, Tangent::Exact)).norm(),
              1e-9 * c2.damping(tri, time).norm());
  }
}

// (time/h)(L^2 - (L - h dL/dt)^2) instead of the rate of L^2.
TEST(Dampers, ReferenceFormulaIsADifferenceQuotient) {
  const Nodes<3> tri = foldedPair(0).leftCols<3>();
  const StrainElement<2> element = referenceLaw<2>(tri, 1e4, 0.2, 0.01);
  const Nodes<3> x = tri + noise<3>(2, 0.02);
  const Nodes<3> v = noise<3>(3, 1);
  const double time = 0.02;
  const double h = 0.004;
  // the same through an element whose rest lengths hide the damping: e_a = L^2 - L0^2 with L0^2 = L^2 - damping part
  StrainElement<2> shifted = element;
  for (int a = 0; a < 3; ++a) {
    const auto [i, j] = StrainElement<2>::kEdge[a];
    const Vec3 d = x.col(i) - x.col(j);
    const double length = d.norm();
    const double rate = d.dot(v.col(i) - v.col(j)) / length;
    const double before = length - h * rate;
    shifted.length0sq[a] = length * length - time / h * (length * length - before * before);
  }
  const Nodes<3> expected = shifted.force(x);
  EXPECT_LT((element.referenceDamperForce(x, v, time, h) - expected).norm(), 1e-12 * expected.norm());
}

// FLEX-B15: an element pressed flat or turned inside out stays finite and pushes back. The power of the force along the
// straight way home is positive.
TEST(Inversion, CrushedAndInvertedTetrahedraPushBack) {
  const Nodes<4> rest = unitTetrahedron(0.1);
  for (const FlexLaw law : {FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    const ContinuumElement<3> element = continuumElement<3>(law, rest, 1e5, 0.3, 0);
    for (const double height : {0.2, 0.02, 1e-6, 0.0, -1e-6, -0.1, -0.5, -1.0, -2.0}) {
      Nodes<4> x = rest;
      x(2, 3) = 0.1 * height;
      const Nodes<4> f = element.force(x);
      ASSERT_TRUE(f.allFinite()) << height;
      // beyond its mirror image the shortest way home is another one, and a logarithm puts that first
      const bool straight = height > -1.5 || law == FlexLaw::Corotational;
      EXPECT_TRUE(f(2, 3) > 0 || !straight) << height;
      const Stiffness<4> K = element.stiffness(x, Tangent::Definite);
      ASSERT_TRUE(K.allFinite()) << height;
      EXPECT_GE(Eigen::SelfAdjointEigenSolver<Stiffness<4>>(K).eigenvalues()[0], -1e-9 * K.norm()) << height;
    }
    // all points in one place
    EXPECT_TRUE(element.force(Nodes<4>::Zero()).allFinite());
    EXPECT_TRUE(element.stiffness(Nodes<4>::Zero(), Tangent::Definite).allFinite());
  }
  for (const StrainElement<3>& element : {stVenantKirchhoff<3>(rest, 1e5, 0.3, 0), referenceLaw<3>(rest, 1e5, 0.3, 0),
                                          stVenantKirchhoff<3>(rest, 1e5, 0, 0)}) {
    for (const double height : {0.2, 0.02, 1e-6, -1e-6, -0.1, -0.5, -1.0, -2.0}) {
      Nodes<4> x = rest;
      x(2, 3) = 0.1 * height;
      ASSERT_TRUE(element.force(x).allFinite()) << height;
      EXPECT_GT(element.force(x)(2, 3), 0) << height;
    }
  }
  for (const FlexLaw law : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    const ContinuumElement<2> sheet = continuumElement<2>(law, rest.leftCols<3>(), 1e5, 0.3, 0.01);
    for (const double height : {1e-3, 0.0}) {
      Nodes<3> x = rest.leftCols<3>();
      x(0, 2) = 0.1 * height;
      ASSERT_TRUE(sheet.force(x).allFinite());
      EXPECT_TRUE(sheet.stiffness(x, Tangent::Definite).allFinite());
    }
    EXPECT_TRUE(sheet.force(Nodes<3>::Zero()).allFinite());
  }
}

// The continuation joins without a jump in force.
TEST(Inversion, NeoHookeanIsSmoothWhereItIsContinued) {
  const ContinuumElement<3> element = continuumElement<3>(FlexLaw::NeoHookean, unitTetrahedron(0.1), 1e5, 0.3, 0);
  const auto forceAt = [&](double volume) {
    Nodes<4> x = unitTetrahedron(0.1);
    x(2, 3) = 0.1 * volume;
    return element.force(x)(2, 3);
  };
  const double e = 1e-7;
  const double below = forceAt(kMinStretch - e);
  const double above = forceAt(kMinStretch + e);
  EXPECT_NEAR(below, above, 1e-4 * std::abs(above));
  EXPECT_GT(below, above);
}

// Stress is dpsi/dF and its tangent dP/dF where elements are crushed, stretched and inside out as well: with stretches
// on both sides of kMinStretch, two of them below it, or one negative.
template <int Dim>
void checkContinuation(const Eigen::Matrix<double, Dim, 1>& stretches) {
  const Eigen::Matrix3d U = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized().toRotationMatrix();
  Eigen::Matrix<double, Dim, Dim> V;
  if constexpr (Dim == 3) {
    V = Eigen::Quaterniond(0.6, 0.1, 0.4, -0.7).normalized().toRotationMatrix();
  } else {
    V = Eigen::Rotation2Dd(0.7).toRotationMatrix();
  }
  const Gradient<Dim> F = U.leftCols<Dim>() * stretches.asDiagonal() * V.transpose();
  for (const FlexLaw kind : {FlexLaw::StVenantKirchhoff, FlexLaw::NeoHookean}) {
    SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << ": " << stretches.transpose());
    const Law law = makeLaw(kind, Dim, 1e5, 0.3);
    const Gradient<Dim> P = stress<Dim>(law, F);
    const GradientTangent<Dim> K = stressTangent<Dim>(law, F, Tangent::Exact);
    const double e = 1e-6;
    for (int i = 0; i < 3 * Dim; ++i) {
      Gradient<Dim> step = Gradient<Dim>::Zero();
      step(i % 3, i / 3) = e;
      const double slope = (energyDensity<Dim>(law, F + step) - energyDensity<Dim>(law, F - step)) / (2 * e);
      EXPECT_NEAR(P(i % 3, i / 3), slope, 1e-6 * P.norm());
      const Gradient<Dim> change = (stress<Dim>(law, F + step) - stress<Dim>(law, F - step)) / (2 * e);
      const Gradient<Dim> column = Eigen::Map<const Gradient<Dim>>(K.col(i).data());
      EXPECT_LT((column - change).norm(), 1e-5 * K.norm());
    }
  }
}
TEST(Inversion, StressIsTheGradientWhereLawsAreContinued) {
  for (const Eigen::Vector3d& s :
       {Eigen::Vector3d(1.3, 0.8, 0.05), Eigen::Vector3d(2, 0.06, 0.03), Eigen::Vector3d(1.5, 0.7, -0.4),
        Eigen::Vector3d(3, 2, -1.5), Eigen::Vector3d(0.09, 0.07, 0.05), Eigen::Vector3d(0.5, 0.4, 0.3)}) {
    checkContinuation<3>(s);
  }
  for (const Eigen::Vector2d& s : {Eigen::Vector2d(1.3, 0.05), Eigen::Vector2d(0.08, 0.04), Eigen::Vector2d(4, 0.3)}) {
    checkContinuation<2>(s);
  }
}

// The energy of a neo-Hookean tangle grows like that of a spring: twice the stretches, no more than four times the
// force.
TEST(Inversion, NeoHookeanTanglesAreNoStifferThanSprings) {
  const Law law = makeLaw(FlexLaw::NeoHookean, 3, 1e5, 0.3);
  const Eigen::Vector3d s(3, 2, -1.5);
  const double once = stress<3>(law, s.asDiagonal().toDenseMatrix()).norm();
  const double twice = stress<3>(law, (2 * s).asDiagonal().toDenseMatrix()).norm();
  EXPECT_LT(twice, 4 * once);
}

}  // namespace
}  // namespace sinew::elastic
