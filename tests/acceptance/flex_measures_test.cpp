#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "sinew/load.h"
#include "support/allocation_guard.h"
#include "support/flex_run.h"
#include "support/mjcf_text.h"
#include "support/sample_flexes.h"
#include "support/tolerance.h"

/// What flexes feel: forces of contacts on vertices, reactions of pins, strain, stress and energy.
namespace sinew {
namespace {

using test::FlexRun;
using test::hangingCable;
using test::modelOf;
using test::Point;
using test::tolerance;

const char* const kSilent = R"(<contact contype="0" conaffinity="0" selfcollide="none"/>)";

Point sumOf(const Array<double>& array, int rows) {
  Point sum{};
  for (int i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += array[3 * i + static_cast<int>(k)];
  }
  return sum;
}

/// Largest entry of: reactions and other outer forces less the rate of momentum of all that moves.
double imbalance(const FlexRun& r) {
  double largest = 0;
  const Point held = sumOf(r.d.flexnode_reaction, r.m.nflexnode);
  for (int k = 0; k < 3; ++k) {
    double sum = held[k];
    for (int i = 0; i < r.m.nflexnode; ++i) {
      if (r.m.flexnode_pinned[i]) continue;
      const int dof = r.m.nv_rigid + 3 * i + k;
      sum += r.d.qfrc_applied[dof] + r.m.flexnode_mass[i] * (r.m.opt.gravity[k] - r.d.qacc[dof]);
    }
    // a sphere on a free joint
    if (r.m.nv_rigid > 0) sum += r.m.body_mass[1] * (r.m.opt.gravity[k] - r.d.qacc[k]);
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

// Elastic catenary: H = 1.4858 N, V = half the weight. The pins hold 19 of the 21 nodes; the two pinned ones have no
// weight, so V is exactly 19/2 of a node's weight. The mechanisms must not matter: springs, a material, rows.
TEST(FlexMeasures, PinsOfACatenaryAreHeldByItsWeightAndItsPull) {
  const double weight = 19 * 0.0105 * 9.81;
  struct Form {
    const char *attributes, *children;
    double horizontal;
  };
  for (const Form& form : {Form{R"(radius="0.0005")", R"(<edge stiffness="1495.9965" damping="0.05"/>)", 1.4858},
                           Form{R"(radius="0.0005" young="1e8")", "", 1.4858},
                           Form{R"(radius="0.0005")", R"(<edge equality="true"/>)", 0}}) {
    SCOPED_TRACE(form.attributes);
    FlexRun r(R"(timestep="0.001")", hangingCable(form.attributes, form.children));
    r.run(10, 2);
    measureFlexes(r.m, r.d);
    const double* first = &r.d.flexnode_reaction[0];
    const double* last = &r.d.flexnode_reaction[60];
    EXPECT_NEAR(first[2], weight / 2, tolerance(1e-4));  // a little still moves
    EXPECT_NEAR(last[2], weight / 2, tolerance(1e-4));
    EXPECT_NEAR(first[0] + last[0], 0, tolerance(1e-5));
    EXPECT_LT(imbalance(r), tolerance(1e-9));
    EXPECT_LT(first[0], 0);  // outwards
    if (form.horizontal > 0) {
      EXPECT_NEAR(-first[0], form.horizontal, 0.02 * form.horizontal);
    }
    for (int i = 1; i < 20; ++i) EXPECT_EQ(r.d.flexnode_reaction[3 * i + 2], 0) << i;

    // the tension of the first segment is what holds the pin, and stress times section is tension
    const double section = std::numbers::pi * 0.0005 * 0.0005;
    const double pull = std::hypot(first[0], first[1], first[2]);
    const double trace = r.d.flexelem_stress[0] + r.d.flexelem_stress[1] + r.d.flexelem_stress[2];
    EXPECT_NEAR(trace * section, pull, tolerance(1e-3) * pull);
  }
}

TEST(FlexMeasures, PlaneCarriesTheWeightOfASoftBlock) {
  FlexRun r(R"(timestep="0.002" integrator="implicitfast")", R"(<geom type="plane" size="2 2 .1" condim="1"/>
    <flexcomp name="b" type="grid" dim="3" count="5 5 5" spacing="0.05 0.05 0.05" pos="0 0 0.106" radius="0.005" density="1000">
      <contact condim="1" selfcollide="none" solref="0.004 1" solimp="0.99 0.99 0.001 0.5 2"/>
      <elasticity young="5e4" poisson="0.3" damping="0.002" law="stvk"/></flexcomp>)");
  r.run(4, 2);
  measureFlexes(r.m, r.d);
  EXPECT_NEAR(sumOf(r.d.flexvert_force, r.m.nflexvert)[2], 78.48, tolerance(1e-2));
  for (int v = 0; v < r.m.nflexvert; ++v) EXPECT_GE(r.d.flexvert_force[3 * v + 2], 0) << v;
  // what lies on top of the bottom layer presses on it: the mean vertical stress there is close to weight / area
  double stress = 0, volume = 0;
  for (int e = 0; e < r.m.nflexelem; ++e) {
    double z = 0;
    for (int i = 0; i < 4; ++i) z += r.at(r.m.flex_elem[4 * e + i])[2] / 4;
    if (z > 0.05) continue;
    stress += r.d.flexelem_stress[6 * e + 2] * r.m.flexelem_size0[e];
    volume += r.m.flexelem_size0[e];
  }
  EXPECT_NEAR(stress / volume, -78.48 * 0.875 / 0.04,
              0.03 * 78.48 / 0.04);  // 7/8 of the weight above the layer's middle
}

// A sphere on a sheet that is pinned along its rim: contacts are on elements, and reactions bear sphere and sheet. What
// moves obeys Newton's law at any time, whatever holds the sheet together.
TEST(FlexMeasures, VertexForcesAndReactionsBalanceASphereOnASheet) {
  for (const char* holds :
       {R"(<edge equality="true"/>)", R"(<edge equality="vert"/>)",
        R"(<elasticity young="2e4" poisson="0.2" thickness="0.01" elastic2d="both" law="stvk" damping="0.001"/>)"}) {
    for (const char* cone : {"pyramidal", "elliptic"}) {
      SCOPED_TRACE(fmt::format("{} {}", holds, cone));
      FlexRun r(fmt::format(R"(timestep="0.0005" cone="{}")", cone),
                fmt::format(R"(<body pos="0.01 0.02 0.0645"><freejoint/><geom size="0.06" mass="0.01"/></body>
      <flexcomp name="s" type="grid" dim="2" count="9 9 1" spacing="0.04 0.04 0.04" mass="0.081" radius="0.005">
        <contact selfcollide="none" condim="3"/>{}
        <pin gridrange="0 0 0 8"/><pin gridrange="8 0 8 8"/><pin gridrange="0 0 8 0"/><pin gridrange="0 8 8 8"/>
      </flexcomp>)",
                            holds));
      r.d.qvel[0] = 0.3;  // friction
      int touching = 0;
      for (int i = 0; i < 400; ++i) {
        r.stepOnce(2);
        measureFlexes(r.m, r.d);
        ASSERT_LT(imbalance(r), tolerance(1e-6)) << i;  // to what the solver leaves
        // the sphere feels the opposite of what the vertices feel
        const Point push = sumOf(r.d.flexvert_force, r.m.nflexvert);
        touching += push[2] != 0;
        ASSERT_NEAR(push[2], -r.d.qfrc_constraint[2], tolerance(1e-12)) << i;
        ASSERT_NEAR(push[0], -r.d.qfrc_constraint[0], tolerance(1e-12)) << i;
      }
      EXPECT_GT(touching, 10);
    }
  }
}

// Rows on the strain around vertices. Those of pinned vertices are as stiff as rows can be, so balance is kept less
// well.
TEST(FlexMeasures, ReactionsOfASheetOfVertexRowsBalanceItsWeight) {
  FlexRun r(R"(timestep="0.001")",
            R"(<flexcomp name="s" type="grid" dim="2" count="5 5 1" spacing="0.04 0.04 0.04" mass="1">
        <contact selfcollide="none"/><edge equality="vert"/><pin id="0 4"/></flexcomp>)");
  for (int i = 0; i < 100; ++i) {
    r.stepOnce(1);
    measureFlexes(r.m, r.d);
    ASSERT_LT(imbalance(r), tolerance(1e-6)) << i;
  }
  EXPECT_TRUE(r.d.status.ok());
}

// Rows on the strain of cells, with some nodes of the grid pinned.
TEST(FlexMeasures, ReactionsOfAnInterpolatedBlockBalanceItsWeight) {
  for (const char* dof : {"trilinear", "quadratic"}) {
    for (const char* holds : {R"(<edge equality="strain"/>)", R"(<elasticity young="1e4" poisson="0.2"/>)",
                              R"(<elasticity young="1e4" poisson="0.2" law="neohookean"/>)"}) {
      SCOPED_TRACE(fmt::format("{} {}", dof, holds));
      FlexRun r(R"(timestep="0.0005")",
                fmt::format(
                    R"(<flexcomp name="s" type="grid" dim="3" count="3 3 3" spacing="0.05 0.05 0.05" mass="1" dof="{}">
        <contact selfcollide="none"/>{}<pin id="0 1 2"/></flexcomp>)",
                    dof, holds));
      r.run(0.1, 1);
      measureFlexes(r.m, r.d);
      EXPECT_LT(imbalance(r), tolerance(1e-9));
      EXPECT_GT(std::abs(sumOf(r.d.flexnode_reaction, r.m.nflexnode)[2]), 0.1);
    }
  }
}

// Two ends of a bar are pulled with F. Cauchy's stress is F over the present area, and zero across.
TEST(FlexMeasures, StressOfABarIsItsLoadPerArea) {
  for (const char* law : {"stvk", "corotational", "neohookean", "mujoco"}) {
    for (const double poisson : {0.0, 0.3}) {
      SCOPED_TRACE(fmt::format("{} {}", law, poisson));
      FlexRun r(
          R"(timestep="0.0005" gravity="0 0 0")",
          fmt::format(
              R"(<flexcomp name="b" type="grid" dim="3" count="3 3 9" spacing=".02 .02 .02" mass="1" radius="0.001">
            {}<elasticity young="1e5" poisson="{}" law="{}"/></flexcomp>)",
              kSilent, poisson, law));
      const double force = 0.005 * 1e5 * 0.0016;
      const auto isEnd = [&](int v) { return std::abs(std::abs(r.m.qpos0[3 * v + 2]) - 0.08) < 1e-9; };
      for (int s = 0; s < r.m.flex_shellnum[0]; ++s) {
        const int* face = &r.m.flex_shell[3 * s];
        if (!isEnd(face[0]) || !isEnd(face[1]) || !isEnd(face[2])) continue;
        const double side = r.m.qpos0[3 * face[0] + 2] > 0 ? 1 : -1;
        if (side * r.m.qpos0[3 * face[1] + 2] < 0 || side * r.m.qpos0[3 * face[2] + 2] < 0) continue;
        for (int i = 0; i < 3; ++i) r.load(face[i], 2, side * force / 8 / 3);
      }
      r.run(3, 20);
      measureFlexes(r.m, r.d);
      const auto extent = [&](int axis) {
        double low = 1, high = -1;
        for (int v = 0; v < r.m.nflexnode; ++v) {
          low = std::min(low, r.at(v)[axis]);
          high = std::max(high, r.at(v)[axis]);
        }
        return high - low;
      };
      const double expected = force / (extent(0) * extent(1));
      const double stretch = extent(2) / 0.16;
      double energy = 0;
      for (int e = 0; e < r.m.nflexelem; ++e) {
        const double* stress = &r.d.flexelem_stress[6 * e];
        EXPECT_NEAR(stress[2], expected, tolerance(1e-3) * expected) << e;
        for (const int k : {0, 1, 3, 4, 5}) EXPECT_NEAR(stress[k], 0, tolerance(1e-3) * expected) << e << " " << k;
        EXPECT_NEAR(r.d.flexelem_strain[6 * e + 2], 0.5 * (stretch * stretch - 1), tolerance(5e-6)) << e;
        energy += 0.5 * stress[2] * (stretch - 1) * r.m.flexelem_size0[e];
      }
      // uniaxial work, F dL / 2 to first order in the strain
      EXPECT_NEAR(r.d.flex_energy[0], energy, tolerance(1e-2) * energy);
      EXPECT_LT(r.d.flex_kinetic[0], 1e-10);
    }
  }
}

// A sheet and an interpolated block are put into a homogeneous deformation x = F X, for which strain and stress are
// known.
TEST(FlexMeasures, HomogeneousStrainIsReadOffExactly) {
  struct Case {
    const char* world;
    int dim;
  };
  for (const Case& c :
       {Case{R"(<flexcomp name="s" type="grid" dim="2" count="4 3 1" spacing="0.1 0.1 0.1" euler="20 30 40" mass="1">
                  <elasticity young="1e4" poisson="0.3" thickness="0.02" elastic2d="stretch" law="stvk"/></flexcomp>)",
             2},
        Case{R"(<flexcomp name="s" type="grid" dim="3" count="4 3 3" spacing="0.1 0.1 0.1" euler="20 30 40" mass="1">
                  <elasticity young="1e4" poisson="0.3" law="stvk"/></flexcomp>)",
             3},
        Case{R"(<flexcomp name="s" type="grid" dim="3" count="4 3 3" spacing="0.1 0.1 0.1" mass="1" dof="trilinear">
                  <contact selfcollide="none"/><elasticity young="1e4" poisson="0.3" law="stvk"/></flexcomp>)",
             3},
        Case{R"(<flexcomp name="s" type="grid" dim="3" count="4 3 3" spacing="0.1 0.1 0.1" mass="1" dof="quadratic">
                  <contact selfcollide="none"/><elasticity young="1e4" poisson="0.3" law="stvk"/></flexcomp>)",
             3}}) {
    SCOPED_TRACE(c.world);
    FlexRun r("", c.world);
    Eigen::Matrix3d F;
    F << 1.1, 0.05, -0.02, 0.03, 0.95, 0.04, 0.01, -0.06, 1.02;
    for (int i = 0; i < r.m.nflexnode; ++i) {
      Eigen::Map<Eigen::Vector3d>(&r.d.qpos[3 * i]) = F * Eigen::Map<const Eigen::Vector3d>(&r.m.qpos0[3 * i]);
    }
    forward(r.m, r.d);
    measureFlexes(r.m, r.d);
    const Eigen::Matrix3d G = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
    const double mu = 1e4 / 2.6, lambda = 1e4 * 0.3 / (1.3 * 0.4);
    const Eigen::Matrix3d S = 2 * mu * G + lambda * G.trace() * Eigen::Matrix3d::Identity();
    const Eigen::Matrix3d sigma = F * S * F.transpose() / F.determinant();
    for (int e = 0; e < r.m.nflexelem; ++e) {
      const double* strain = &r.d.flexelem_strain[6 * e];
      const double* stress = &r.d.flexelem_stress[6 * e];
      const auto tensor = [](const double* t) {
        Eigen::Matrix3d full;
        full << t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2];
        return full;
      };
      if (c.dim == 3) {
        EXPECT_TRUE(test::allNear(tensor(strain), G, 1e-12));
        EXPECT_TRUE(test::allNear(tensor(stress), sigma, 1e-8));
        continue;
      }
      // in the plane of the sheet at rest (two edges a, b of the element) the strain is G, across it there is none
      const int* v = &r.m.flex_elem[3 * e];
      const auto rest = [&](int i) { return Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(&r.m.qpos0[3 * v[i]])); };
      const Eigen::Vector3d a = rest(1) - rest(0), b = rest(2) - rest(0), n = a.cross(b).normalized();
      EXPECT_NEAR(a.dot(tensor(strain) * b), a.dot(G * b), tolerance(1e-13));
      EXPECT_NEAR(a.dot(tensor(strain) * a), a.dot(G * a), tolerance(1e-13));
      EXPECT_NEAR((tensor(strain) * n).norm(), 0, tolerance(1e-13));
      // plane stress S = 2 mu G + lambda* tr G in the plane, pushed forward; no stress across the sheet as it is now
      const Eigen::Matrix3d P = Eigen::Matrix3d::Identity() - n * n.transpose();
      const Eigen::Matrix3d Gp = P * G * P;
      const Eigen::Matrix3d Sp = 2 * mu * Gp + 1e4 * 0.3 / (1 - 0.09) * Gp.trace() * P;
      const double area = (F * a).cross(F * b).norm() / a.cross(b).norm();
      EXPECT_TRUE(test::allNear(tensor(stress), F * Sp * F.transpose() / area, 1e-8));
    }
  }
}

// v = constant: m v^2 / 2, whatever carries the mass; and the sum of the flexes is the energy of the whole.
TEST(FlexMeasures, KineticEnergyIsThatOfTheMass) {
  for (const char* dof : {"full", "trilinear", "quadratic"}) {
    SCOPED_TRACE(dof);
    FlexRun r(
        "", fmt::format(R"(<flexcomp name="b" type="grid" dim="3" count="3 3 3" spacing="0.1 0.1 0.1" mass="2" dof="{}">
                  <contact selfcollide="none"/><elasticity young="1e4"/></flexcomp>)",
                        dof));
    for (int i = 0; i < r.m.nv; i += 3) r.d.qvel[i] = 3, r.d.qvel[i + 1] = -4;
    forward(r.m, r.d);
    energy(r.m, r.d);
    measureFlexes(r.m, r.d);
    EXPECT_NEAR(r.d.flex_kinetic[0], 0.5 * 2 * 25, tolerance(1e-12));
    EXPECT_NEAR(r.d.flex_kinetic[0], r.d.energy[1], tolerance(1e-12));
    EXPECT_NEAR(r.d.flex_energy[0], 0, tolerance(1e-12));
  }
}

// Applied forces on a pinned node go straight into its reaction.
TEST(FlexMeasures, ReactionCountsAppliedForces) {
  FlexRun r(R"(gravity="0 0 0")",
            R"(<flexcomp name="c" type="grid" dim="1" count="3 1 1" spacing="0.1 0.1 0.1" mass="1">
      <pin id="0"/></flexcomp>)");
  r.d.qfrc_applied[1] = 7;
  forward(r.m, r.d);
  measureFlexes(r.m, r.d);
  EXPECT_NEAR(r.d.flexnode_reaction[1], -7, tolerance(1e-12));
}

const char* const kSensorModel = R"(<mujoco><option timestep="0.001"/><worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <flexcomp name="b" type="grid" dim="3" count="3 3 3" spacing="0.05 0.05 0.05" pos="0 0 0.054" radius="0.005" density="1000">
      <contact selfcollide="none"/><elasticity young="5e4" poisson="0.2" damping="0.01" law="stvk"/></flexcomp>
    <flexcomp name="c" type="grid" dim="1" count="5 1 1" spacing="0.1 0.1 0.1" mass="1" pos="0 1 1"><pin id="0 4"/></flexcomp>
  </worldbody><sensor>
    <flexforce name="all" flex="b"/><flexforce name="one" flex="b" vertex="12"/>
    <flexreaction name="pins" flex="c"/><flexreaction name="pin" flex="c" node="4" cutoff="0.5"/>
    <flexstrain name="strain" flex="b" element="7"/><flexstress name="stress" flex="b" element="7"/>
    <flexkinetic name="kinetic" flex="c"/><flexelastic name="elastic" flex="b"/>
  </sensor></mujoco>)";

TEST(FlexMeasures, SensorsReadTheSame) {
  const Model m = modelOf(kSensorModel);
  Data d(m);
  for (int i = 0; i < 10; ++i) step(m, d);
  forward(m, d);
  measureFlexes(m, d);
  const auto value = [&](const char* name) { return &d.sensordata[m.sensor_adr[findId(m, ObjType::Sensor, name)]]; };
  ASSERT_GT(d.flexvert_force[3 * 12 + 2], 0);
  for (int k = 0; k < 3; ++k) {
    double sum = 0, pins = 0;
    for (int v = 0; v < m.flex_vertnum[0]; ++v) sum += d.flexvert_force[3 * v + k];
    for (int i = 0; i < m.nflexnode; ++i) pins += d.flexnode_reaction[3 * i + k];
    EXPECT_EQ(value("all")[k], sum);
    EXPECT_EQ(value("one")[k], d.flexvert_force[3 * 12 + k]);
    EXPECT_EQ(value("pins")[k], pins);
    EXPECT_EQ(value("pin")[k], std::clamp(d.flexnode_reaction[3 * (27 + 4) + k], -0.5, 0.5));
  }
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(value("strain")[k], d.flexelem_strain[6 * 7 + k]);
    EXPECT_EQ(value("stress")[k], d.flexelem_stress[6 * 7 + k]);
  }
  EXPECT_EQ(value("kinetic")[0], d.flex_kinetic[1]);
  EXPECT_EQ(value("elastic")[0], d.flex_energy[0]);
  EXPECT_GT(value("elastic")[0], 0);
}

TEST(FlexMeasures, SensorsAllocateNothing) {
  const Model m = modelOf(kSensorModel);
  Data d(m);
  for (int i = 0; i < 20; ++i) step(m, d);
  measureFlexes(m, d);
  const test::AllocationGuard guard("step with sensors of flexes");
  for (int i = 0; i < 5; ++i) step(m, d);
  measureFlexes(m, d);
}

TEST(FlexMeasures, SensorsSurviveWritingAndReading) {
  const Model m = modelOf(kSensorModel);
  const Model again = modelOf(writeMjcf(readMjcfText(kSensorModel)));
  EXPECT_EQ(firstDifference(m, again), "");
}

TEST(FlexMeasures, WrongSensorsAreRefusedInWords) {
  const auto message = [](const std::string& sensor) {
    const std::string text = fmt::format(R"(<mujoco><worldbody>
      <flexcomp name="c" type="grid" dim="1" count="3 1 1" spacing="0.1 0.1 0.1" mass="1"><pin id="0"/></flexcomp>
      </worldbody><sensor>{}</sensor></mujoco>)",
                                         sensor);
    try {
      modelOf(text);
    } catch (const LoadError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const auto contains = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess() : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(contains(message(R"(<flexforce flex="d"/>)"), "\"d\""));
  EXPECT_TRUE(contains(message(R"(<flexforce/>)"), "'flex'"));
  EXPECT_TRUE(
      contains(message(R"(<flexforce flex="c" vertex="3"/>)"), "flex \"c\" has 3 vertices, there is no number 3"));
  EXPECT_TRUE(contains(message(R"(<flexforce flex="c" vertex="-1"/>)"), "'vertex' must not be negative, found -1"));
  EXPECT_TRUE(contains(message(R"(<flexreaction flex="c" node="1"/>)"), "node 1 of flex \"c\" is not pinned"));
  EXPECT_TRUE(contains(message(R"(<flexstrain flex="c"/>)"), "'element'"));
  EXPECT_TRUE(contains(message(R"(<flexstress flex="c" element="2"/>)"), "flex \"c\" has 2 elements"));
}

}  // namespace
}  // namespace sinew
