#include "elastic/shell.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <random>
#include <set>

#include "forces/elasticity.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

// Interpolated shells: membranes on the faces of a grid, folds where faces meet, rows on the strain of faces.
namespace sinew::elastic {
namespace {

using test::modelOf;
using test::tolerance;

const Vec3 kSize(0.1, 0.07, 0.13);

template <int Order>
FaceNodes<Order> noise(unsigned seed, double size) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  FaceNodes<Order> x;
  for (double& value : x.reshaped()) value = uniform(generator);
  return x;
}

Eigen::Matrix3d someRotation() {
  return (Eigen::AngleAxisd(0.8, Vec3::UnitX()) * Eigen::AngleAxisd(-2.1, Vec3::UnitZ())).toRotationMatrix();
}

// Going across a side and back leads home; both faces have the points of the side in common.
TEST(Shells, FacesKnowTheirNeighbours) {
  const std::array<int, 3> cells{2, 3, 4};
  ASSERT_EQ(numFaces(cells), 2 * (6 + 12 + 8));
  for (int number = 0; number < numFaces(cells); ++number) {
    const ShellFace face = faceAt(cells, number);
    EXPECT_EQ(numberOf(cells, face), number);
    for (int side = 0; side < 4; ++side) {
      const FaceSide other = acrossSide(cells, face, side);
      const FaceSide back = acrossSide(cells, other.face, other.side);
      EXPECT_EQ(numberOf(cells, back.face), number);
      EXPECT_EQ(back.side, side);
      const auto pointsOf = [&](const ShellFace& f, int s) {
        std::set<int> points;
        for (int i = 0; i <= 2; ++i) {
          const int end = s % 2 ? 2 : 0;
          points.insert(s < 2 ? facePoint(cells, 2, f, end, i) : facePoint(cells, 2, f, i, end));
        }
        return points;
      };
      EXPECT_EQ(pointsOf(face, side), pointsOf(other.face, other.side)) << number << " " << side;
    }
  }
}

template <int Order>
void checkMembrane(FlexLaw kind, int axis) {
  SCOPED_TRACE(testing::Message() << "order " << Order << ", law " << static_cast<int>(kind));
  constexpr int N = kFacePoints<Order>;
  const FaceElement<Order> face{makeLaw(kind, 2, 1e4, 0.3), {kSize[(axis + 1) % 3], kSize[(axis + 2) % 3]}, 0.01};
  const FaceNodes<Order> rest = (someRotation() * faceRest<Order>(kSize, axis)).colwise() + Vec3(1, 2, 3);
  const FaceNodes<Order> x = rest + noise<Order>(5, 0.01);
  const FaceNodes<Order> force = face.force(x);
  EXPECT_LT(face.force(rest).norm(), 1e-10 * force.norm());
  EXPECT_LT(force.rowwise().sum().norm(), 1e-12 * force.norm());
  FaceStiffness<Order> K, definite;
  face.stiffness(x, Tangent::Exact, K);
  const double e = 1e-7;
  for (int i = 0; i < 3 * N; ++i) {
    FaceNodes<Order> plus = x, minus = x;
    plus(i % 3, i / 3) += e;
    minus(i % 3, i / 3) -= e;
    EXPECT_NEAR(force(i % 3, i / 3), -(face.energy(plus) - face.energy(minus)) / (2 * e), 1e-6 * force.norm());
    const FaceNodes<Order> change = (face.force(plus) - face.force(minus)) / (2 * e);
    EXPECT_LT((K.col(i) + change.reshaped()).norm(), 1e-5 * K.norm());
  }
  face.stiffness(x, Tangent::Definite, definite);
  EXPECT_GE(Eigen::SelfAdjointEigenSolver<FaceStiffness<Order>>(definite).eigenvalues()[0], -1e-11 * K.norm());
  FaceNodes<Order> rigid;
  for (int i = 0; i < N; ++i) rigid.col(i) = Vec3(1, 2, 3).cross(Vec3(x.col(i))) + Vec3(3, 1, 0);
  const FaceNodes<Order> v = noise<Order>(6, 1), damper = face.damperForce(x, v, 0.1);
  EXPECT_LT(face.damperForce(x, rigid, 0.1).norm(), 1e-11 * damper.norm());
  face.damping(x, 0.1, K);
  EXPECT_LT((K * v.reshaped() + damper.reshaped()).norm(), 1e-12 * damper.norm());
}

TEST(Shells, MembranesHaveForcesThatAreGradients) {
  for (const FlexLaw law : {FlexLaw::StVenantKirchhoff, FlexLaw::Corotational, FlexLaw::NeoHookean}) {
    for (int axis = 0; axis < 3; ++axis) {
      checkMembrane<1>(law, axis);
      checkMembrane<2>(law, axis);
    }
  }
}

// A face that is pressed to (nearly) nothing has no normal, so its folds are free: neither energy nor force, whatever
// the rounding. A hundredth of the width is still a face.
TEST(Shells, FoldOfAFaceWithoutAreaIsFree) {
  const std::array<int, 3> cells{1, 1, 1};
  const ShellFace face = faceAt(cells, 0);
  const FaceSide other = acrossSide(cells, face, 0);
  const FoldSide<2> restA{faceRest<2>(kSize, face.axis), face.axis, 0};
  const FoldSide<2> restB{faceRest<2>(kSize, other.face.axis), other.face.axis, other.side};
  const FaceFold<2> fold = faceFold<2>(restA, restB, 3);
  for (const double width : {0.0, 1e-12, 1e-9, 1e-7, 1e-2}) {
    FoldSide<2> a = restA;
    a.x.row((face.axis + 1) % 3) *= width;
    FaceNodes<2> onA, onB;
    fold.force(a, restB, onA, onB);
    FaceFold<2>::Jacobian byA, byB;
    fold.jacobian(a, restB, byA, byB);
    EXPECT_TRUE(onA.allFinite() && onB.allFinite());
    EXPECT_EQ(byA.norm() > 0, width > 1e-3) << width;
    if (width > 1e-3) continue;
    EXPECT_EQ(onA.norm() + onB.norm() + fold.energy(a, restB), 0) << width;
  }
}

// Faces in line, and two faces at the edge of a box: the force is the gradient of the energy, and at rest, where
// nothing is left of second derivatives, k J'J is its derivative.
template <int Order>
void checkFold(const std::array<int, 3>& cells, int number, int side) {
  const ShellFace face = faceAt(cells, number);
  const FaceSide other = acrossSide(cells, face, side);
  const auto place = [&](const ShellFace& f) {
    FaceNodes<Order> x;
    for (int n = 0; n < kFacePoints<Order>; ++n) {
      const int point = facePoint(cells, Order, f, n / (Order + 1), n % (Order + 1));
      const int ny = cells[1] * Order + 1, nz = cells[2] * Order + 1;
      x.col(n) = kSize.cwiseProduct(Vec3(point / (ny * nz), point / nz % ny, point % nz)) / Order;
    }
    return x;
  };
  const FoldSide<Order> restA{place(face), face.axis, side}, restB{place(other.face), other.face.axis, other.side};
  const FaceFold<Order> fold = faceFold<Order>(restA, restB, 3);
  EXPECT_NEAR(fold.energy(restA, restB), 0, 1e-20);
  const double e = 1e-6;
  const auto slope = [&](const FoldSide<Order>& a, const FoldSide<Order>& b, bool first, int i, auto&& f) {
    FoldSide<Order> plusA = a, minusA = a, plusB = b, minusB = b;
    (first ? plusA : plusB).x(i % 3, i / 3) += e;
    (first ? minusA : minusB).x(i % 3, i / 3) -= e;
    using Value = decltype(f(a, b));
    return Value((f(plusA, plusB) - f(minusA, minusB)) / (2 * e));
  };
  const auto energy = [&](const auto& a, const auto& b) { return Eigen::Matrix<double, 1, 1>(fold.energy(a, b)); };
  const auto forceOnA = [&](const auto& a, const auto& b) {
    FaceNodes<Order> onA, onB;
    fold.force(a, b, onA, onB);
    return FaceNodes<Order>(onA);
  };
  FoldSide<Order> a = restA, b = restB;
  a.x += noise<Order>(7, 0.01);
  b.x += noise<Order>(8, 0.01);
  FaceNodes<Order> onA, onB;
  fold.force(a, b, onA, onB);
  typename FaceFold<Order>::Jacobian byA, byB;
  fold.jacobian(restA, restB, byA, byB);
  for (int i = 0; i < 3 * kFacePoints<Order>; ++i) {
    for (const bool first : {true, false}) {
      const double expected = -slope(a, b, first, i, energy).value();
      EXPECT_NEAR((first ? onA : onB)(i % 3, i / 3), expected, 1e-7 * onA.norm());
      const FaceNodes<Order> column = slope(restA, restB, first, i, forceOnA);
      const Eigen::VectorXd stiffness = fold.k * byA.transpose() * (first ? byA : byB).col(i);
      EXPECT_LT((stiffness + Eigen::VectorXd(column.reshaped())).norm(), 1e-6 * fold.k * byA.squaredNorm());
    }
  }
  EXPECT_LT((onA.rowwise().sum() + onB.rowwise().sum()).norm(), 1e-12 * onA.norm());
  // noise has torn the common edge, so e is that of the first face: with a common edge there is no torque
  FoldSide<Order> whole = b;
  for (int i = 0; i < kFacePoints<Order>; ++i) {
    for (int j = 0; j < kFacePoints<Order>; ++j) {
      if ((restA.x.col(i) - restB.x.col(j)).norm() < 1e-12) whole.x.col(j) = a.x.col(i);
    }
  }
  fold.force(a, whole, onA, onB);
  Vec3 torque = Vec3::Zero();
  for (int i = 0; i < kFacePoints<Order>; ++i) {
    torque += Vec3(a.x.col(i)).cross(Vec3(onA.col(i))) + Vec3(whole.x.col(i)).cross(Vec3(onB.col(i)));
  }
  EXPECT_LT(torque.norm(), 1e-12 * onA.norm());
}

TEST(Shells, FoldsHaveForcesThatAreGradients) {
  const std::array<int, 3> cells{2, 3, 2};
  for (const int number : {0, 7, 12, 20, 31}) {
    for (int side = 0; side < 4; ++side) {
      SCOPED_TRACE(testing::Message() << number << " " << side);
      checkFold<1>(cells, number, side);
      checkFold<2>(cells, number, side);
    }
  }
}

const char* const kShell = R"(<mujoco><option gravity="0 0 0" {}/><worldbody>
  <flexcomp name="f" type="grid" dim="3" count="4 4 4" cellcount="2 1 2" spacing=".1 .07 .09" mass="1" radius=".001"
      dof="{}" euler="10 20 30"><contact contype="0" conaffinity="0" selfcollide="none"/>
    <elasticity young="1e5" poisson=".3" thickness=".02" elastic2d="{}" law="{}"/></flexcomp></worldbody></mujoco>)";

std::string shell(const char* option, const char* dof, const char* what, const char* law) {
  return fmt::format(fmt::runtime(kShell), option, dof, what, law);
}

TEST(Shells, ForcesOfAWholeBoxAreGradients) {
  for (const char* dof : {"trilinear", "quadratic"}) {
    for (const char* what : {"bend", "stretch", "both"}) {
      SCOPED_TRACE(fmt::format("{} {}", dof, what));
      const Model m = modelOf(shell("", dof, what, "stvk"));
      Data d(m);
      for (int i = 0; i < m.nq; ++i) d.qpos[i] += 4e-3 * std::sin(1 + 2 * i);
      forward(m, d);
      const std::vector<double> force(d.qfrc_spring.begin(), d.qfrc_spring.end());
      double largest = 0;
      for (const double f : force) largest = std::max(largest, std::abs(f));
      ASSERT_GT(largest, 0);
      for (int i = 0; i < m.nv; i += 5) {
        if (m.flexnode_pinned[i / 3]) continue;
        const auto energyAt = [&](double e) {
          d.qpos[i] += e;
          forward(m, d);
          measureFlexes(m, d);
          d.qpos[i] -= e;
          return d.flex_energy[0];
        };
        EXPECT_NEAR(force[i], -(energyAt(1e-6) - energyAt(-1e-6)) / 2e-6, 1e-6 * largest);
      }
      // no net force, no net torque
      Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
      for (int i = 0; i < m.nflexnode; ++i) {
        const Vec3 f(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
        sum += f;
        torque += vec3(d.qpos.data(), i).cross(f);
      }
      EXPECT_LT(sum.norm(), tolerance(1e-11) * largest);
      EXPECT_LT(torque.norm(), tolerance(1e-11) * largest);
    }
  }
}

TEST(Shells, RestIsFreeOfForceAndStableUnderImplicitSteps) {
  for (const char* dof : {"trilinear", "quadratic"}) {
    for (const char* law : {"mujoco", "stvk", "corotational", "neohookean"}) {
      SCOPED_TRACE(fmt::format("{} {}", dof, law));
      const Model m = modelOf(shell(R"(integrator="implicitfast" timestep="0.005")", dof, "both", law));
      Data d(m);
      forward(m, d);
      for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(d.qfrc_spring[i], 0, tolerance(1e-10));
      for (int i = 0; i < m.nv; ++i) {
        if (!m.flexnode_pinned[i / 3]) d.qvel[i] = 0.1 * std::sin(1 + 2 * i);
      }
      for (int i = 0; i < 400; ++i) step(m, d);
      for (const Trouble t : {Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc, Trouble::Inverted}) {
        EXPECT_EQ(d.status[t].count, 0) << describeStatus(m, d);
      }
    }
  }
}

// A box held by strain rows falls as one piece; its faces have 5 + 1 (trilinear) or 15 + 1 modes.
TEST(Shells, StrainRowsKeepABoxTogether) {
  for (const bool quadratic : {false, true}) {
    const Model m =
        modelOf(fmt::format(R"(<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="1 1 .1"/>
      <flexcomp name="f" type="grid" dim="3" count="7 6 6" cellcount="2 1 2" spacing=".05 .04 .03" mass="1" radius=".005"
          dof="{}" pos="0 0 .1"><contact selfcollide="none"/>
        <edge equality="strain" solref="0.005 1"/>
        <elasticity young="1e4" poisson=".3" thickness=".02" elastic2d="bend"/></flexcomp></worldbody></mujoco>)",
                            quadratic ? "quadratic" : "trilinear"));
    EXPECT_EQ(m.flex_modenum[0], quadratic ? 16 : 6);
    EXPECT_EQ(m.neq, 16);
    Data d(m);
    for (int i = 0; i < 2000; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
    EXPECT_EQ(d.ne, 16 * m.flex_modenum[0]);
    double low = 1, high = -1;
    for (int v = 0; v < m.nflexvert; ++v) {
      low = std::min(low, d.flexvert_xpos[3 * v + 2]);
      high = std::max(high, d.flexvert_xpos[3 * v + 2]);
    }
    EXPECT_NEAR(high - low, 0.15, 0.02);
    EXPECT_NEAR(low, 0.005, 0.005);
    measureFlexes(m, d);
    double force = 0;
    for (int v = 0; v < m.nflexvert; ++v) force += d.flexvert_force[3 * v + 2];
    EXPECT_NEAR(force, 9.81, 0.5);
  }
}

TEST(Shells, FaceThatDoesNotExistIsAnError) {
  try {
    modelOf(
        R"(<mujoco><worldbody><flexcomp name="f" type="grid" dim="3" count="4 4 4" spacing=".1 .1 .1" dof="trilinear">
      <contact selfcollide="none"/><elasticity young="1e4" thickness=".02" elastic2d="bend"/></flexcomp></worldbody>
      <equality><flexstrain flex="f" cell="6 -1 -1"/></equality></mujoco>)");
    FAIL();
  } catch (const LoadError& e) {
    EXPECT_NE(std::string(e.what()).find("one of the 6 faces"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace sinew::elastic
