#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sinew/dynamics.h"
#include "sinew/load.h"
#include "sinew/step.h"

/// How flexes move: nodes, edge rows, pins, and what they leave alone.
namespace sinew {
namespace {

Model compiled(const std::string& content) {
  return compile(readMjcfText("<mujoco>" + content + "</mujoco>", "m.xml"));
}

double* nodePosition(const Model& m, Data& d, int node) { return d.qpos.data() + m.nq_rigid + 3 * node; }

/// drag(c): qfrc_applied = -c m v on every node that can move.
void applyDrag(const Model& m, Data& d, double c) {
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) continue;
    for (int k = 0; k < 3; ++k) {
      const int i = m.nv_rigid + 3 * n + k;
      d.qfrc_applied[i] = -c * m.flexnode_mass[n] * d.qvel[i];
    }
  }
}

double largestStrain(const Model& m, const Data& d) {
  double largest = 0;
  for (int e = 0; e < m.nflexedge; ++e) {
    largest = std::max(largest, std::abs(d.flexedge_length[e] / m.flexedge_length0[e] - 1));
  }
  return largest;
}

double totalEnergy(const Model& m, Data& d) {
  energy(m, d);
  return d.energy[0] + d.energy[1];
}

const char* const kClothOnTwoPins = R"(
  <option timestep="0.0005"/>
  <worldbody>
    <flexcomp name="cloth" type="grid" dim="2" count="10 10 1" spacing="0.02 0.02 0.02" pos="0 0 1" mass="0.0324" radius="0.005">
      <contact contype="0" conaffinity="0" selfcollide="none"/>
      <edge equality="true" solref="0.001 1" solimp="0.99 0.99 0.001 0.5 2"/>
      <pin id="0 9"/>
    </flexcomp>
  </worldbody>)";

TEST(FlexDynamics, FLEX_AC1_ClothSwingsOnTwoPinsAndKeepsItsEdges) {
  const Model m = compiled(kClothOnTwoPins);
  Data d(m);
  forward(m, d);
  const double energy0 = totalEnergy(m, d);
  const auto mean = [&] {
    double sum = 0;
    for (int n = 0; n < m.nflexnode; ++n) sum += nodePosition(m, d, n)[2];
    return sum / m.nflexnode;
  };
  double peakStrain = 0, lowestMean = 1, lowest = 1, highestMean = 0, highestEnergy = energy0;
  for (int i = 0; i < 4000; ++i) {
    step(m, d);
    peakStrain = std::max(peakStrain, largestStrain(m, d));
    lowestMean = std::min(lowestMean, mean());
    highestMean = std::max(highestMean, mean());
    for (int n = 0; n < m.nflexnode; ++n) lowest = std::min(lowest, nodePosition(m, d, n)[2]);
    if (i % 20 == 0) {
      forward(m, d);
      highestEnergy = std::max(highestEnergy, totalEnergy(m, d));
    }
  }
  ASSERT_TRUE(d.status.ok()) << describeStatus(m, d);
  forward(m, d);
  EXPECT_LT(peakStrain, 0.05);
  EXPECT_LT(largestStrain(m, d), 0.01);
  EXPECT_GT(1 - lowestMean, 0.085);
  EXPECT_LT(1 - lowestMean, 0.095);
  EXPECT_GT(1 - lowest, 0.17);
  EXPECT_LT(1 - lowest, 0.19);
  EXPECT_LE(highestMean, 1.0);
  EXPECT_LT(highestEnergy, energy0 + 1e-6);
  for (const int n : {0, 9}) {
    EXPECT_EQ(std::memcmp(nodePosition(m, d, n), m.qpos0.data() + 3 * n, 3 * sizeof(double)), 0);
    EXPECT_EQ(std::memcmp(d.flexvert_xpos.data() + 3 * n, m.qpos0.data() + 3 * n, 3 * sizeof(double)), 0);
    EXPECT_EQ(d.qvel[3 * n], 0.0);
    EXPECT_EQ(d.qacc[3 * n + 2], 0.0);
    EXPECT_EQ(m.flexnode_mass[n], 1e20);
    EXPECT_EQ(m.flexnode_invmass[n], 0.0);
  }
}

TEST(FlexDynamics, FLEX_AC1b_ClothWithNothingDeclaredHolds) {
  const Model m = compiled(
      R"(<deformable><flexcomp name="c" type="grid" count="10 10 1" spacing="0.02" selfcollide="false"><pin id="0 9"/></flexcomp></deformable>)");
  Data d(m);
  for (int i = 0; i < 6000; ++i) {
    applyDrag(m, d, 4);
    step(m, d);
  }
  ASSERT_TRUE(d.status.ok()) << describeStatus(m, d);
  EXPECT_LT(largestStrain(m, d), 0.05);
  for (const int n : {0, 9}) {
    EXPECT_EQ(std::memcmp(nodePosition(m, d, n), m.qpos0.data() + 3 * n, 3 * sizeof(double)), 0);
  }
}

const char* const kStackAndPendulum = R"(
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
    <body pos=".003 0 .151"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
    <body pos="0 .004 .252"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
    <body pos="0 0 .354"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
    <body pos="2 0 2"><joint axis="0 1 0"/><geom type="sphere" size=".05" pos=".5 0 0"/></body>)";
const char* const kFarCloth = R"(
    <flexcomp name="far" type="grid" dim="2" count="5 5 1" spacing=".05 .05 .05" pos="100 0 50" mass=".1" radius=".005">
      <edge equality="true"/><contact selfcollide="none"/></flexcomp>)";

TEST(FlexDynamics, FLEX_AC9_AFarClothLeavesRigidBodiesAlone) {
  for (const bool islands : {true, false}) {
    const std::string option = islands ? std::string() : "<option><flag island=\"disable\"/></option>";
    const Model alone = compiled(option + "<worldbody>" + kStackAndPendulum + "</worldbody>");
    const Model both = compiled(option + "<worldbody>" + kStackAndPendulum + kFarCloth + "</worldbody>");
    ASSERT_EQ(alone.nq, alone.nq_rigid);
    ASSERT_EQ(alone.nv, alone.nv_rigid);
    ASSERT_EQ(alone.nflexvert, 0);
    ASSERT_EQ(both.nq_rigid, alone.nq);
    Data a(alone), b(both);
    for (int i = 0; i < 1000; ++i) {
      step(alone, a);
      step(both, b);
      const auto nq = static_cast<std::size_t>(alone.nq) * sizeof(double),
                 nv = static_cast<std::size_t>(alone.nv) * sizeof(double);
      if (islands) {
        ASSERT_EQ(std::memcmp(a.qpos.data(), b.qpos.data(), nq), 0) << "step " << i;
        ASSERT_EQ(std::memcmp(a.qvel.data(), b.qvel.data(), nv), 0) << "step " << i;
        ASSERT_EQ(std::memcmp(a.qacc.data(), b.qacc.data(), nv), 0) << "step " << i;
        ASSERT_EQ(a.ncon(), b.ncon());
        for (int c = 0; c < a.ncon(); ++c) ASSERT_EQ(a.contact[c].dist, b.contact[c].dist);
      } else {
        for (int k = 0; k < alone.nq; ++k) ASSERT_NEAR(a.qpos[k], b.qpos[k], 1e-9) << "step " << i;
      }
    }
  }
}

TEST(FlexDynamics, FLEX_AC12_MassOfOneNode) {
  const std::string flex = R"(<deformable><flex name="f" dim="1" density="4" radius=".01">
      <vertex pos="0 0 1  0 0 0"/><element vertex="0 1"/><edge stiffness="1"/><pin id="0"/>
      <contact contype="0" conaffinity="0"/></flex></deformable>)";
  for (const std::array<double, 3> gravity : {std::array<double, 3>{0, 0, -9.81}, std::array<double, 3>{1, 2, 3}}) {
    Model m = compiled(flex);
    m.opt.gravity = gravity;
    Data d(m);
    forward(m, d);
    for (int k = 3; k < 6; ++k) {
      EXPECT_EQ(m.M_rownnz[k], 1);
      EXPECT_EQ(d.M[m.M_rowadr[k]], 2.0);
      EXPECT_EQ(d.qLDiagInv[k], 0.5);
      EXPECT_NEAR(d.qacc[k], gravity[k - 3], 1e-14);
      EXPECT_EQ(d.qacc[k - 3], 0.0);
      EXPECT_EQ(d.qfrc_bias[k - 3], 0.0);
    }
  }
}

TEST(FlexDynamics, FLEX_AC13_PendulumAndFallingCloth) {
  const std::string pendulum =
      R"(<body pos="0 0 3"><joint axis="0 1 0" ref="90"/><geom type="sphere" size=".05" pos="-1 0 0" mass="1"/></body>)";
  const std::string cloth =
      R"(<flexcomp name="c" type="grid" dim="2" count="2 2 1" spacing=".1 .1 .1" pos="3 0 3" radius=".005">
      <edge equality="true"/><contact selfcollide="none"/></flexcomp>)";
  const std::string option = R"(<option timestep=".001"/>)";
  const Model alone = compiled(option + "<worldbody>" + pendulum + "</worldbody>");
  const Model both = compiled(option + "<worldbody>" + pendulum + cloth + "</worldbody>");
  EXPECT_EQ(both.nv, 13);
  for (int i = 1; i < 13; ++i) EXPECT_EQ(both.M_rownnz[i], 1) << "M(0, i) has no entry, so it is exactly zero";
  Data a(alone), b(both);
  for (int i = 0; i < 1000; ++i) {
    step(alone, a);
    step(both, b);
    ASSERT_EQ(a.qpos[0], b.qpos[0]) << "step " << i;
    ASSERT_EQ(a.qvel[0], b.qvel[0]) << "step " << i;
    if (i == 199) {
      for (int n = 0; n < 4; ++n) EXPECT_NEAR(3 - nodePosition(both, b, n)[2], 9.81e-6 * 200 * 201 / 2, 1e-10);
      EXPECT_LT(largestStrain(both, b), 1e-12);
    }
  }
}

// Scenes of the criterion: with and without a cloth on a fixed sphere.
TEST(FlexDynamics, FLEX_AC14_NewtonConvergesWithFlexRows) {
  const std::string rigid = R"(
    <geom type="plane" size="5 5 .1"/><geom type="sphere" size=".1" pos="0 0 .3"/>
    <body pos=".6 .01 .06"><freejoint/><geom type="box" size=".05 .05 .05" density="500"/></body>
    <body pos=".603 .01 .17"><freejoint/><geom type="box" size=".05 .05 .05" density="500"/></body>
    <body pos=".606 .01 .28"><freejoint/><geom type="box" size=".05 .05 .05" density="500"/></body>
    <body pos=".609 .01 .39"><freejoint/><geom type="box" size=".05 .05 .05" density="500"/></body>)";
  const std::string cloth = R"(
    <flexcomp name="c" type="grid" dim="2" count="10 10 1" spacing=".02 .02 .02" pos="0 0 .42" mass="0.0324" radius=".005">
      <contact selfcollide="none" solref="0.004 1"/>
      <edge equality="true" solref="0.004 1" solimp="0.99 0.99 0.001 0.5 2"/></flexcomp>)";
  const std::string option = R"(<option timestep=".002" tolerance="1e-8"><flag island="disable"/></option>)";
  struct Count {
    double mean = 0;
    int most = 0;
  };
  const auto run = [&](const Model& m) {
    Data d(m);
    Count count;
    int solves = 0;
    for (int i = 0; i < 1000; ++i) {
      step(m, d);
      if (d.nefc() == 0) continue;
      ++solves;
      for (const IslandReport& r : d.island) {
        EXPECT_TRUE(r.converged) << "step " << i;
        EXPECT_LT(r.iterations, 100);
        count.mean += r.iterations;
        count.most = std::max(count.most, r.iterations);
      }
    }
    EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
    count.mean /= solves;
    return count;
  };
  for (const std::string cone : {"pyramidal", "elliptic"}) {
    Model m1 = compiled(option + "<worldbody>" + rigid + "</worldbody>");
    Model m2 = compiled(option + "<worldbody>" + rigid + cloth + "</worldbody>");
    if (cone == "elliptic") m1.opt.cone = m2.opt.cone = Cone::Elliptic;
    const Count r = run(m1), c = run(m2);
    EXPECT_LE(c.mean, 2 * std::max(r.mean, 2.5)) << cone;
    EXPECT_LE(c.most, 2 * std::max(r.most, 6)) << cone;
  }
}

TEST(FlexDynamics, FLEX_S2_FactorOfAMixedModelEqualsADenseOne) {
  std::string arm, close;
  for (int i = 0; i < 7; ++i) {
    arm += i % 2
               ? R"(<body pos="0 0 .2"><joint axis="1 .2 0"/><geom type="capsule" fromto="0 0 0 0 0 .2" size=".03"/>)"
               : R"(<body pos="0 0 .2"><joint axis="0 1 .3"/><geom type="capsule" fromto="0 0 0 0 0 .2" size=".04"/>)";
    close += "</body>";
  }
  const Model m = compiled(
      "<worldbody>" + arm + close +
      R"(<flexcomp name="c" type="grid" dim="2" count="5 4 1" spacing=".1 .1 .1" radius=".01" pos="2 0 0"/></worldbody>)");
  ASSERT_EQ(m.nv, 7 + 60);
  Data d(m);
  for (int i = 0; i < 7; ++i) d.qpos[i] = 0.3 * i - 1;
  forward(m, d);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(m.nv, m.nv);
  for (int i = 0; i < m.nv; ++i) {
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; ++k) {
      M(i, m.M_colind[k]) = M(m.M_colind[k], i) = d.M[k];
    }
  }
  Eigen::VectorXd x(m.nv);
  for (int i = 0; i < m.nv; ++i) x[i] = std::sin(1.7 * i);
  const Eigen::VectorXd dense = M.llt().solve(x);
  const std::span<double> numbers(x.data(), static_cast<std::size_t>(m.nv));
  solveMass(m, d, numbers, numbers);
  EXPECT_LT((x - dense).cwiseAbs().maxCoeff(), 1e-12 * dense.cwiseAbs().maxCoeff());
}

TEST(FlexDynamics, FLEX_S3_OneRowPerMovableEdgeWithItsResidual) {
  const Model m = compiled(kClothOnTwoPins);
  Data d(m);
  for (int i = 0; i < m.nq; ++i) d.qpos[i] += 0.001 * std::sin(1.3 * i);
  for (const int n : {0, 9}) std::copy_n(m.qpos0.data() + 3 * n, 3, nodePosition(m, d, n));
  forward(m, d);
  ASSERT_EQ(d.ne, m.nflexedge);
  for (int e = 0; e < m.nflexedge; ++e) {
    EXPECT_EQ(d.efc_pos[e], d.flexedge_length[e] - m.flexedge_length0[e]);
    const int v1 = m.flex_edge[2 * e], v2 = m.flex_edge[2 * e + 1];
    const bool pinned = m.flexnode_pinned[v1] || m.flexnode_pinned[v2];
    const double invweight = m.flexnode_invmass[v1] + m.flexnode_invmass[v2];
    EXPECT_NEAR(d.efc_diagA[e], pinned ? invweight : invweight / 2, 1e-9 * invweight);
  }
}

TEST(FlexDynamics, FLEX_S5_FLEX_P3_VerticesAreTheCoordinatesOfTheirNodes) {
  const Model m = compiled(kClothOnTwoPins);
  Data d(m);
  for (int i = 0; i < 100; ++i) step(m, d);
  forward(m, d);
  EXPECT_EQ(std::memcmp(d.flexvert_xpos.data(), d.qpos.data(), static_cast<std::size_t>(m.nq) * sizeof(double)), 0);
}

TEST(FlexDynamics, FLEX_S6_FLEX_P8_SemiImplicitEuler) {
  const Model m = compiled(R"(<option timestep=".01"/><deformable><flex name="f" dim="1" density="1" radius=".01">
      <vertex pos="0 0 0  .1 0 0"/><element vertex="0 1"/><edge stiffness="1e-12"/>
      <contact contype="0" conaffinity="0"/></flex></deformable>)");
  Data d(m);
  for (int n = 0; n < 2; ++n) {
    for (int k = 0; k < 3; ++k) d.qvel[3 * n + k] = k + 1;
  }
  for (int i = 0; i < 100; ++i) step(m, d);
  EXPECT_NEAR(d.qpos[0], 1, 1e-12);
  EXPECT_NEAR(d.qpos[1], 2, 1e-12);
  EXPECT_NEAR(d.qpos[2], 3 - 9.81 * 0.5050, 1e-12);
}

TEST(FlexDynamics, FLEX_P4_PinnedMassEntersNoSum) {
  const Model m = compiled(kClothOnTwoPins);
  double movable = 0;
  for (int n = 0; n < m.nflexnode; ++n) movable += m.flexnode_pinned[n] ? 0 : m.flexnode_mass[n];
  EXPECT_NEAR(movable, 0.0324 * 98 / 100, 1e-15);
  EXPECT_LT(m.stat.meaninertia, 1);
  Data d(m);
  d.qvel[3] = 1;
  forward(m, d);
  energy(m, d);
  EXPECT_NEAR(d.energy[1], 0.5 * 0.000324, 1e-15);
}

TEST(FlexDynamics, FLEX_P6_NewtonConjugateGradientAndGaussSeidelAgree) {
  const auto run = [&](Solver solver) {
    Model m = compiled(R"(<worldbody>
      <flexcomp name="c" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".1" radius=".005">
        <contact contype="0" conaffinity="0" selfcollide="none"/><edge equality="true" solref=".02 1"/><pin id="0 3"/>
      </flexcomp></worldbody>)");
    m.opt.solver = solver;
    m.opt.tolerance = 1e-12;
    m.opt.iterations = 5000;
    Data d(m);
    for (int i = 0; i < 100; ++i) step(m, d);
    return std::vector<double>(d.qpos.begin(), d.qpos.end());
  };
  const auto newton = run(Solver::Newton), cg = run(Solver::CG), pgs = run(Solver::PGS);
  for (std::size_t i = 0; i < newton.size(); ++i) {
    EXPECT_NEAR(cg[i], newton[i], 1e-5);
    EXPECT_NEAR(pgs[i], newton[i], 1e-5);
  }
}

// A corner of the cloth is pinned to the bob of a pendulum: it follows the bob, and the bob feels it.
TEST(FlexDynamics, FLEX_B3_VerticesRideOnBodies) {
  const std::string scene = R"(<worldbody><body name="bob" pos="0 0 2"><freejoint/>
      <geom type="sphere" size=".05" mass=".5" contype="0" conaffinity="0"/>
      <flexcomp name="c" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".2" radius=".005" pos=".1 .1 0">
        <contact contype="0" conaffinity="0" selfcollide="none"/><edge equality="true" solref=".01 1"/><pin id="0"/>
      </flexcomp></body></worldbody>)";
  for (const Solver solver : {Solver::Newton, Solver::CG}) {
    Model m = compiled(scene);
    m.opt.gravity = {0, 0, 0};
    m.opt.solver = solver;
    m.opt.tolerance = 1e-14;
    EXPECT_EQ(m.nflexnode, 15);
    Data d(m);
    for (int k = 0; k < 3; ++k) d.qvel[k] = 0.3 * (k + 1), d.qvel[3 + k] = 1 - k;
    const auto momentum = [&] {
      std::array<double, 3> p{};
      for (int k = 0; k < 3; ++k) {
        p[k] = 0.5 * d.qvel[k];
        for (int n = 0; n < m.nflexnode; ++n) {
          p[k] += m.flexnode_mass[n] * d.qvel[m.nv_rigid + 3 * n + k];
        }
      }
      return p;
    };
    const auto before = momentum();
    bool pulled = false;
    for (int i = 0; i < 500; ++i) step(m, d);
    forward(m, d);
    const auto after = momentum();
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after[k], before[k], 1e-9);
      pulled = pulled || std::abs(d.qvel[static_cast<std::ptrdiff_t>(k)] - 0.3 * static_cast<double>(k + 1)) > 1e-3;
    }
    EXPECT_TRUE(pulled);
    const int corner = 0;
    for (int k = 0; k < 3; ++k) {
      double expected = d.xpos[3 + k];
      for (int j = 0; j < 3; ++j) expected += d.xmat[9 + 3 * k + j] * m.flexpoint_pos[3 * corner + j];
      EXPECT_NEAR(d.flexvert_xpos[3 * corner + k], expected, 1e-12);
    }
  }
}

// Two vertices fly head-on through each other; in one step they coincide exactly.
TEST(FlexDynamics, FLEX_B4_AnEdgeOfLengthZeroDoesNothing) {
  for (const char* edge : {R"(<edge stiffness="100" damping="1"/>)", R"(<edge equality="true"/>)"}) {
    Model m =
        compiled(std::string(R"(<option timestep=".01"/><worldbody><flexcomp name="c" type="direct" dim="1" radius=".01"
        point="0 0 0 .125 0 0" element="0 1" mass="1"><contact contype="0" conaffinity="0" selfcollide="none"/>)") +
                 edge + "</flexcomp></worldbody>");
    m.opt.gravity = {0, 0, 0};
    Data d(m);
    d.qpos[0] = d.qpos[3] = 0.5;
    d.qvel[0] = 1;
    d.qvel[3] = -1;
    forward(m, d);
    EXPECT_EQ(d.flexedge_length[0], 0.0);
    for (int i = 0; i < m.nv; ++i) EXPECT_EQ(d.qacc[i], 0.0) << edge;
    for (int i = 0; i < 100; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok());
    for (int i = 0; i < m.nq; ++i) EXPECT_TRUE(std::isfinite(d.qpos[i]));
  }
}

// The metric M + h^2 K + h D: its factor solves it, and a very stiff sheet under a large step gains no energy.
TEST(FlexDynamics, StiffSheetsAreStableAtLargeStepsWithEverySolverAndCone) {
  for (const char* solver : {"Newton", "CG", "PGS"}) {
    for (const char* cone : {"pyramidal", "elliptic"}) {
      const Model m =
          compiled(std::string("<option timestep='.005' integrator='implicitfast' solver='") + solver + "' cone='" +
                   cone + R"('><flag energy="enable"/></option><worldbody><geom type="sphere" size=".1" pos="0 0 -.12"/>
        <flexcomp name="c" type="grid" dim="2" count="8 8 1" spacing=".03 .03 .03" mass=".1" radius=".005">
          <contact selfcollide="none"/>
          <elasticity young="1e7" poisson=".3" thickness=".002" elastic2d="both" damping=".001"/>
        </flexcomp></worldbody>)");
      ASSERT_GT(m.nstiffdof, 0);
      Data d(m);
      step(m, d);
      const double start = d.energy[0] + d.energy[1];
      for (int i = 0; i < 300; ++i) {
        step(m, d);
        ASSERT_LT(d.energy[0] + d.energy[1], start + 1e-3 * 0.1 * 9.81) << solver << " " << cone << ", step " << i;
      }
      EXPECT_TRUE(d.status.ok()) << solver << " " << cone << ": " << describeStatus(m, d);
    }
  }
}

TEST(FlexDynamics, InverseDynamicsUndoesForwardDynamicsWithAStiffMetric) {
  const Model m = compiled(R"(<option integrator="implicitfast"/><worldbody>
      <flexcomp name="c" type="grid" dim="2" count="4 4 1" spacing=".03 .03 .03" mass=".1" radius=".005">
        <contact selfcollide="none"/><elasticity young="1e6" poisson=".3" thickness=".002" elastic2d="both" damping=".001"/>
        <pin id="0"/></flexcomp></worldbody>)");
  Data d(m);
  for (int i = 0; i < 20; ++i) step(m, d);
  for (int i = 3; i < m.nv; ++i) d.qfrc_applied[i] = 0.01 * std::sin(1.0 * i);
  forward(m, d);
  inverse(m, d);
  for (int i = 3; i < m.nv; ++i) EXPECT_NEAR(d.qfrc_inverse[i], d.qfrc_applied[i], 1e-9);
}

}  // namespace
}  // namespace sinew
