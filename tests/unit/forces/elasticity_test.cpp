#include "forces/elasticity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "math/types.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/mjcf_text.h"

// Elastic flexes in a Model: what the elements of src/elastic add up to, and where their forces go.
namespace sinew {
namespace {

using test::modelOf;

/// A flex in the world under no gravity, energies reported.
std::string scene(const std::string& flexcomp, const std::string& option = "") {
  return fmt::format(R"(<mujoco><compiler angle="radian"/>
    <option gravity="0 0 0" {}><flag energy="enable"/></option><worldbody>{}</worldbody></mujoco>)",
                     option, flexcomp);
}

constexpr const char* kSilent = R"(<contact contype="0" conaffinity="0" selfcollide="none"/>)";

std::string sheet(const std::string& elasticity, const std::string& pin = "") {
  return fmt::format(
      R"(<flexcomp name="s" type="grid" dim="2" count="4 3 1" spacing=".05 .04 .04" radius=".001" mass=".1">
    {}<edge equality="false" damping="0"/><elasticity thickness=".002" {}/>{}</flexcomp>)",
      kSilent, elasticity, pin);
}

std::string solid(const std::string& elasticity) {
  return fmt::format(
      R"(<flexcomp name="b" type="grid" dim="3" count="3 2 2" spacing=".05 .04 .06" radius=".001" mass=".1">
    {}<elasticity {}/></flexcomp>)",
      kSilent, elasticity);
}

/// Points and triangles of a patch, 5 x 4 points about 0.05 apart and not quite regular, with curvatures kx and ky.
std::string patch(double kx, double ky) {
  std::string points, elements;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double x = 0.05 * i + 0.01 * std::sin(7.0 * i + 3 * j);
      const double y = 0.05 * j + 0.01 * std::cos(5.0 * i + 2 * j);
      points += fmt::format("{:.17g} {:.17g} {:.17g} ", x, y, 0.5 * (kx * x * x + ky * y * y));
      if (i == 4 || j == 3) continue;
      const int a = 4 * i + j, b = a + 4, c = b + 1, e = a + 1;
      elements += (i + j) % 2 ? fmt::format("{} {} {} {} {} {} ", a, b, c, a, c, e)
                              : fmt::format("{} {} {} {} {} {} ", b, e, a, b, c, e);
    }
  }
  return fmt::format(R"(point="{}" element="{}")", points, elements);
}

/// Seven points on a circle, joined to a ring.
std::string ring() {
  std::string points, elements;
  for (int i = 0; i < 7; ++i) {
    const double angle = 2 * std::numbers::pi * i / 7;
    points += fmt::format("{:.17g} {:.17g} 0 ", 0.06 * std::cos(angle), 0.06 * std::sin(angle));
    elements += fmt::format("{} {} ", i, (i + 1) % 7);
  }
  return fmt::format(R"(point="{}" element="{}")", points, elements);
}

std::vector<std::pair<std::string, std::string>> scenes() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* law : {"mujoco", "stvk", "corotational", "neohookean"}) {
    const std::string material = fmt::format(R"(young="1e4" poisson=".3" damping=".01" law="{}")", law);
    all.emplace_back(fmt::format("{} sheet", law), scene(sheet(material + R"( elastic2d="both")")));
    all.emplace_back(fmt::format("{} solid", law), scene(solid(material)));
  }
  for (const char* dof : {"trilinear", "quadratic"}) {
    all.emplace_back(fmt::format("{} cells", dof),
                     scene(fmt::format(R"(<flexcomp name="i" type="grid" dim="3" count="5 3 3"
      spacing=".03 .03 .03" cellcount="2 1 1" dof="{}" radius=".001" mass=".1">{}
      <elasticity young="1e4" poisson=".3" damping=".01" law="stvk"/></flexcomp>)",
                                       dof, kSilent)));
  }
  for (const char* bending : {"dihedral", "cotangent"}) {
    for (const double kx : {0.0, 4.0}) {
      for (const double ky : {0.0, 3.0}) {
        all.emplace_back(fmt::format("{} {} {}", bending, kx, ky), scene(fmt::format(R"(
          <flexcomp name="c" type="direct" dim="2" {} radius=".001" mass=".1">{}<edge equality="true"/>
          <elasticity young="1e6" poisson=".2" thickness=".003" damping=".01" elastic2d="bend" bending="{}" law="stvk"/>
          </flexcomp>)",
                                                                                     patch(kx, ky), kSilent, bending)));
      }
    }
  }
  all.emplace_back("springs",
                   scene(fmt::format(R"(<flexcomp name="r" type="direct" dim="1" {} radius=".002" mass=".1">{}
      <edge stiffness="30" damping="2"/></flexcomp>)",
                                     ring(), kSilent)));
  all.emplace_back("rod", scene(fmt::format(R"(<flexcomp name="r" type="direct" dim="1" {} radius=".002" mass=".1"
      young="1e7" damping=".01">{}</flexcomp>)",
                                            ring(), kSilent)));
  all.emplace_back("sheet on a swinging plate",
                   scene(fmt::format(R"(<body name="plate" pos=".1 0 .3" euler=".3 .4 .5">
      <joint axis="0 1 .2"/><geom type="box" size=".02 .02 .02"/>{}</body>)",
                                     sheet(R"(young="1e4" poisson=".3" damping=".01" law="stvk"
                                                                    elastic2d="both" bending="dihedral")",
                                           R"(<pin id="0 1 2"/>)"))));
  return all;
}

/// Moves everything a little away from rest.
void deform(const Model& m, Data& d, double size) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-size, size);
  for (int i = 0; i < m.nq; ++i) {
    const bool pinned = i >= m.nq_rigid && m.flexnode_pinned[(i - m.nq_rigid) / 3];
    if (!pinned) d.qpos[i] += uniform(generator);
  }
}

void speedUp(const Model& m, Data& d) {
  std::mt19937 generator(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < m.nv; ++i) {
    const bool pinned = i >= m.nv_rigid && m.flexnode_pinned[(i - m.nv_rigid) / 3];
    if (!pinned) d.qvel[i] = uniform(generator);
  }
}

double norm(const Array<double>& x) { return ConstMapVecX(x.data(), x.size()).norm(); }

// Here qpos and qvel have the same numbering (hinges and nodes only). Central differences with e = 1e-7 m on lengths of
// 0.05.
TEST(FlexElasticity, SpringForceIsMinusTheGradientOfThePotentialEnergy) {
  for (const auto& [name, xml] : scenes()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(xml);
    ASSERT_EQ(m.nq, m.nv);
    Data d(m);
    deform(m, d, 0.004);
    forward(m, d);
    const Array<double> force = d.qfrc_spring;
    EXPECT_GT(norm(force), 0);
    const double e = 1e-7;
    const Array<double> q = d.qpos;
    for (int i = 0; i < m.nv; i += 5) {
      if (i >= m.nv_rigid && m.flexnode_pinned[(i - m.nv_rigid) / 3]) continue;
      d.qpos[i] = q[i] + e;
      forward(m, d);
      const double plus = d.energy[0];
      d.qpos[i] = q[i] - e;
      forward(m, d);
      d.qpos[i] = q[i];
      EXPECT_NEAR(force[i], -(plus - d.energy[0]) / (2 * e), 2e-6 * norm(force)) << "dof " << i;
    }
  }
}

TEST(FlexElasticity, FLEX_B11_RestShapesAreFreeOfForce) {
  for (const auto& [name, xml] : scenes()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(xml);
    Data d(m);
    forward(m, d);
    const Array<double> rest = d.qfrc_spring;
    EXPECT_NEAR(d.energy[0], 0, 1e-15);
    deform(m, d, 0.004);
    forward(m, d);
    EXPECT_LT(norm(rest), 1e-10 * norm(d.qfrc_spring));
  }
}

/// K and D over the points of the model, dense, from visitStiffness().
struct Matrices {
  Eigen::MatrixXd K, D;
};
Matrices assemble(const Model& m, const Data& d) {
  const int n = 3 * m.nflexpoint;
  Matrices out{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n)};
  for (int f = 0; f < m.nflex; ++f) {
    visitStiffness(m, d, f, [&](std::span<const int> points, const double* K, const double* D) {
      const int size = 3 * static_cast<int>(points.size());
      const Eigen::Map<const Eigen::MatrixXd> k(K, size, size);
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          const int row = 3 * points[i / 3] + i % 3;
          const int column = 3 * points[j / 3] + j % 3;
          out.K(row, column) += k(i, j);
          if (D) out.D(row, column) += Eigen::Map<const Eigen::MatrixXd>(D, size, size)(i, j);
        }
      }
    });
  }
  return out;
}

// At rest nothing is clamped: K is the derivative of the force, and D of the damping force at any time.
TEST(FlexElasticity, StiffnessAndDampingAreTheDerivativesOfTheForces) {
  for (const auto& [name, xml] : scenes()) {
    if (name == "sheet on a swinging plate") continue;  // its points are not its dofs
    SCOPED_TRACE(name);
    const Model m = modelOf(xml);
    if (m.flex_bending[0] == FlexBending::Shell) continue;  // the next test
    ASSERT_EQ(m.nv, 3 * m.nflexpoint);
    Data d(m);
    forward(m, d);
    const Matrices rest = assemble(m, d);
    const double e = 1e-8;
    const bool curvedCotangent =
        name.starts_with("cotangent") && name != "cotangent 0 0";  // their stand-in is exact for bending alone
    for (int i = 0; i < m.nv && !curvedCotangent; i += 4) {
      d.qpos[i] += e;
      forward(m, d);
      const Eigen::VectorXd plus = ConstMapVecX(d.qfrc_spring.data(), m.nv);
      d.qpos[i] -= 2 * e;
      forward(m, d);
      const Eigen::VectorXd change = (plus - ConstMapVecX(d.qfrc_spring.data(), m.nv)) / (2 * e);
      d.qpos[i] += e;
      EXPECT_LT((rest.K.col(i) + change).norm(), 1e-5 * rest.K.norm()) << "column " << i;
    }
    deform(m, d, 0.003);
    speedUp(m, d);
    forward(m, d);
    if (name.starts_with("mujoco")) continue;  // damping is part of its qfrc_spring, and not linear
    const Matrices now = assemble(m, d);
    const ConstMapVecX damper(d.qfrc_damper.data(), m.nv);
    EXPECT_LT((now.D * ConstMapVecX(d.qvel.data(), m.nv) + damper).norm(), 1e-10 * damper.norm());
    EXPECT_GT(damper.norm(), 0);
  }
}

// The metric of shells has single folds in place of the curvature of triangles: at least half of the derivative, which
// is what stability at any timestep takes.
TEST(FlexElasticity, SHELL_4_TheMetricOfShellsIsAtLeastHalfOfTheStiffness) {
  int count = 0;
  for (const auto& [name, xml] : scenes()) {
    const Model m = modelOf(xml);
    if (m.flex_bending[0] != FlexBending::Shell || m.nv != 3 * m.nflexpoint) continue;
    SCOPED_TRACE(name);
    ++count;
    Data d(m);
    forward(m, d);
    const Matrices rest = assemble(m, d);
    Eigen::MatrixXd exact(m.nv, m.nv);
    const double e = 1e-7;
    for (int i = 0; i < m.nv; ++i) {
      d.qpos[i] += e;
      forward(m, d);
      exact.col(i) = -ConstMapVecX(d.qfrc_spring.data(), m.nv);
      d.qpos[i] -= 2 * e;
      forward(m, d);
      exact.col(i) += ConstMapVecX(d.qfrc_spring.data(), m.nv);
      d.qpos[i] += e;
    }
    exact /= 2 * e;
    EXPECT_LT((exact - exact.transpose()).norm(), 1e-5 * exact.norm());
    const Eigen::MatrixXd left = rest.K - 0.25 * (exact + exact.transpose());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(left).eigenvalues()[0], -1e-6 * rest.K.norm());
    EXPECT_LT(rest.K.norm(), 4 * exact.norm());
  }
  EXPECT_GE(count, 3);
}

// FLEX-B2: a body that falls or turns as a whole feels no damping.
TEST(FlexElasticity, FLEX_B2_RigidMotionIsNotDamped) {
  for (const auto& [name, xml] : scenes()) {
    if (name == "sheet on a swinging plate") continue;
    SCOPED_TRACE(name);
    const Model m = modelOf(xml);
    Data d(m);
    const bool reference = name.starts_with("mujoco");
    if (!reference) deform(m, d, 0.003);
    const Vec3 velocity(0.3, 0.2, -1);
    const Vec3 turning(1, -2, 3);
    for (int i = 0; i < m.nflexnode; ++i) {
      const Vec3 x = vec3(d.qpos.data() + m.nq_rigid, i);
      vec3(d.qvel.data() + m.nv_rigid, i) = velocity + turning.cross(x);
    }
    forward(m, d);
    const double stress = std::max(norm(d.qfrc_spring), 1.0);
    EXPECT_LT(norm(d.qfrc_damper), 1e-12 * stress);
    if (reference) {
      EXPECT_LT(norm(d.qfrc_spring), 1e-12);
    }
  }
}

TEST(FlexElasticity, ForcesOfAFreeFlexHaveNoSumAndNoTorque) {
  for (const auto& [name, xml] : scenes()) {
    if (name == "sheet on a swinging plate") continue;
    SCOPED_TRACE(name);
    const Model m = modelOf(xml);
    Data d(m);
    deform(m, d, 0.004);
    // the reference's bending damper knows only flat sheets
    if (name != "mujoco sheet") speedUp(m, d);
    forward(m, d);
    Vec3 sum = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    for (int i = 0; i < m.nflexnode; ++i) {
      const Vec3 f = vec3(d.qfrc_spring.data() + m.nv_rigid, i) + vec3(d.qfrc_damper.data() + m.nv_rigid, i);
      sum += f;
      torque += Vec3(vec3(d.qpos.data() + m.nq_rigid, i)).cross(f);
    }
    const double scale = norm(d.qfrc_spring) + norm(d.qfrc_damper);
    EXPECT_LT(sum.norm(), 1e-12 * scale);
    EXPECT_LT(torque.norm(), 1e-12 * scale);
  }
}

TEST(FlexElasticity, DisableFlagsSwitchOffSpringsAndDampers) {
  for (const auto& [name, xml] : scenes()) {
    SCOPED_TRACE(name);
    Model m = modelOf(xml);
    Data d(m);
    deform(m, d, 0.004);
    speedUp(m, d);
    const auto passiveWith = [&](int flags) {
      m.opt.disableflags = flags;
      forward(m, d);
      return d.qfrc_passive;
    };
    const Array<double> both = passiveWith(0);
    const Array<double> springs = passiveWith(disable::kDamper);
    const Array<double> dampers = passiveWith(disable::kSpring);
    EXPECT_EQ(norm(passiveWith(disable::kDamper | disable::kSpring)), 0);
    EXPECT_GT(norm(springs), 0);
    EXPECT_GT(norm(dampers), 0);
    for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(both[i], springs[i] + dampers[i], 1e-12 * norm(both));
  }
}

// FLEX-B6: a step too long for the stiffness. The torque is limited, and stays free of net force and torque.
TEST(FlexElasticity, FLEX_B6_ExplicitIntegratorsLimitTheTorqueOfFolds) {
  const std::string flex =
      sheet(R"(young="1e12" poisson=".3" damping=".01" law="stvk" elastic2d="bend" bending="dihedral")");
  double size[2] = {};
  for (int i = 0; i < 2; ++i) {
    const Model m = modelOf(scene(flex, i == 0 ? R"(integrator="Euler")" : R"(integrator="implicitfast")"));
    Data d(m);
    deform(m, d, 0.004);
    forward(m, d);
    size[i] = norm(d.qfrc_spring);
    Vec3 sum = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    for (int n = 0; n < m.nflexnode; ++n) {
      sum += vec3(d.qfrc_spring.data(), n);
      torque += Vec3(vec3(d.qpos.data(), n)).cross(Vec3(vec3(d.qfrc_spring.data(), n)));
    }
    EXPECT_LT(sum.norm(), 1e-12 * size[i]);
    EXPECT_LT(torque.norm(), 1e-12 * size[i]);
  }
  EXPECT_LT(size[0], 1e-3 * size[1]);
}

TEST(FlexElasticity, InvertedTetrahedraAreCounted) {
  const Model m = modelOf(scene(solid(R"(young="1e4" law="stvk")")));
  Data d(m);
  forward(m, d);
  EXPECT_TRUE(d.status.ok());
  const int* corner = &m.flex_elem[0];
  // the last corner of the first element goes through its opposite face
  Vec3 centre = Vec3::Zero();
  for (int i = 0; i < 3; ++i) centre += vec3(d.qpos.data(), corner[i]) / 3;
  vec3(d.qpos.data(), corner[3]) = 1.5 * centre - 0.5 * vec3(d.qpos.data(), corner[3]);
  forward(m, d);
  EXPECT_GT(d.status[Trouble::Inverted].count, 0);
  EXPECT_EQ(d.status[Trouble::Inverted].first, 0);
  EXPECT_NE(describeStatus(m, d).find("element 0 of flex \"b\" was inside out"), std::string::npos);
}

TEST(FlexElasticity, ForcesAllocateNothing) {
  for (const auto& [name, xml] : scenes()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(xml);
    Data d(m);
    deform(m, d, 0.004);
    speedUp(m, d);
    step(m, d);
    step(m, d);
    const test::AllocationGuard guard("elastic forces");
    addElasticForces(m, d);
  }
}

}  // namespace
}  // namespace sinew
