#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"

/// Implicit elastic forces exert no net torque: what nothing touches keeps its momentum. Vibrations last under
/// integrator="midpoint".
namespace sinew {
namespace {

using Vec = Eigen::Vector3d;

constexpr const char* kTets =
    R"(<flexcomp name="f" type="grid" dim="3" count="2 3 2" spacing=".06 .05 .07" radius=".005" density="1000">
         <contact contype="0" conaffinity="0"/><elasticity young="{0}" poisson=".3" law="{1}" {2}/></flexcomp>)";
constexpr const char* kCells =
    R"(<flexcomp name="f" type="grid" dim="3" count="2 3 2" spacing=".06 .05 .07" radius=".005" density="1000"
                 dof="trilinear" cellcount="1 2 1"><contact contype="0" conaffinity="0" selfcollide="none"/>
         <elasticity young="{0}" poisson=".3" law="{1}" {2}/></flexcomp>)";
constexpr const char* kSheet =
    R"(<flexcomp name="f" type="grid" dim="2" count="3 4 1" spacing=".05" radius=".005" density="1000">
         <contact contype="0" conaffinity="0"/>
         <elasticity young="{0}" poisson=".3" thickness=".01" elastic2d="both" law="{1}" {2}/></flexcomp>)";
constexpr const char* kRod =
    R"(<flexcomp name="f" type="grid" dim="1" count="7 1 1" spacing=".05" radius=".01" density=".3">
         <contact contype="0" conaffinity="0"/><elasticity young="{0}" law="{1}" {2}/></flexcomp>)";
/// A block that holds a body of which neither the centre nor the axes are those of its frame.
constexpr const char* kCarrier =
    R"(<body pos=".1 0 .1"><freejoint/>
         <geom type="box" size=".05 .02 .03" pos=".01 .02 0" euler="20 30 0" mass=".3" contype="0" conaffinity="0"/>
         <flexcomp name="f" type="grid" dim="3" count="3 2 2" pos="0 0 .1" spacing=".05" radius=".005" density="1000">
         <contact contype="0" conaffinity="0"/><elasticity young="{0}" poisson=".3" law="{1}" {2}/>
         <pin id="0 1 2"/></flexcomp></body>)";

Model modelOf(const char* flex, double young, const std::string& law, const std::string& integrator, double timestep,
              const std::string& more = "") {
  const std::string world = fmt::format(fmt::runtime(flex), young, law, more);
  return compile(readMjcfText(fmt::format(R"(<mujoco><option timestep="{}" integrator="{}" gravity="0 0 0">
      <flag energy="enable"/></option><worldbody>{}</worldbody></mujoco>)",
                                          timestep, integrator, world)));
}

/// Momentum of all nodes and single free bodies; angular momentum about their common centre.
struct Momentum {
  Vec linear = Vec::Zero(), angular = Vec::Zero();
};

Momentum momentumOf(const Model& m, const Data& d) {
  Momentum sum;
  Vec center = Vec::Zero();
  double total = 0;
  const auto add = [&](double mass, const Vec& x, const Vec& v) {
    sum.linear += mass * v;
    sum.angular += mass * x.cross(v);
    center += mass * x;
    total += mass;
  };
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) continue;
    add(m.flexnode_mass[n], Vec(&d.qpos[m.nq_rigid + 3 * n]), Vec(&d.qvel[m.nv_rigid + 3 * n]));
  }
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_dofnum[b] != 6) continue;
    const double* q = &d.qpos[m.jnt_qposadr[m.body_jntadr[b]]];
    const double* v = &d.qvel[m.body_dofadr[b]];
    const double* i = &m.body_iquat[4 * b];
    const Eigen::Quaterniond frame = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized(),
                             axes(i[0], i[1], i[2], i[3]);
    const Vec w(v + 3), arm = frame * Vec(&m.body_ipos[3 * b]), inertia(&m.body_inertia[3 * b]);
    add(m.body_mass[b], Vec(q) + arm, Vec(v) + Vec(frame * w).cross(arm));
    sum.angular += frame * Vec(axes * Vec(inertia.cwiseProduct(Vec(axes.conjugate() * w))));
  }
  sum.angular -= (center / total).cross(sum.linear);
  return sum;
}

/// Everything turns about one axis and flies on.
void turn(const Model& m, Data& d, const Vec& spin, const Vec& velocity) {
  for (int n = 0; n < m.nflexnode; ++n) {
    Eigen::Map<Vec>(&d.qvel[m.nv_rigid + 3 * n]) = velocity + spin.cross(Vec(&d.qpos[m.nq_rigid + 3 * n]));
  }
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_dofnum[b] != 6) continue;
    const double* q = &d.qpos[m.jnt_qposadr[m.body_jntadr[b]]];
    Eigen::Map<Vec>(&d.qvel[m.body_dofadr[b]]) = velocity + spin.cross(Vec(q));
    Eigen::Map<Vec>(&d.qvel[m.body_dofadr[b] + 3]) = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).conjugate() * spin;
  }
}

double energyOf(const Model& m, Data& d) {
  forward(m, d);
  energy(m, d);
  return d.energy[0] + d.energy[1];
}

/// Ten seconds at 10 rad/s and 2 ms.
void expectSpin(const char* flex, double young, const std::string& law, const std::string& integrator,
                const std::string& more = "") {
  SCOPED_TRACE(fmt::format("{} {} {}", law, integrator, std::string(flex).substr(0, 60)));
  const Model m = modelOf(flex, young, law, integrator, 0.002, more);
  Data d(m);
  forward(m, d);
  turn(m, d, 10 * Vec(0.3, 0.5, 0.81).normalized(), {0.3, -0.2, 0.1});
  const Momentum before = momentumOf(m, d);
  const double energyBefore = energyOf(m, d);
  for (int i = 0; i < 5000; ++i) step(m, d);
  const Momentum after = momentumOf(m, d);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-8 * before.angular.norm());
  EXPECT_LT((after.linear - before.linear).norm(), 1e-9 * before.linear.norm());
  EXPECT_NEAR(energyOf(m, d), energyBefore, 0.01 * energyBefore);
  EXPECT_TRUE(d.status.ok());
}

TEST(Spin, SPIN_1_TetrahedraKeepTheirSpin) {
  for (const char* integrator : {"implicit", "implicitfast", "midpoint"}) {
    for (const char* law : {"stvk", "corotational", "neohookean"}) expectSpin(kTets, 2e5, law, integrator);
  }
}

TEST(Spin, SPIN_1_TetrahedraOfSecondOrderKeepTheirSpin) {
  for (const char* law : {"stvk", "corotational", "neohookean"})
    expectSpin(kTets, 2e5, law, "implicitfast", R"(order="2")");
}

TEST(Spin, SPIN_1_CellsKeepTheirSpin) {
  for (const char* law : {"stvk", "corotational", "neohookean"}) expectSpin(kCells, 2e5, law, "implicitfast");
  expectSpin(kCells, 2e5, "stvk", "implicit");
}

TEST(Spin, SPIN_1_SheetsKeepTheirSpin) {
  for (const char* law : {"stvk", "corotational", "neohookean"}) expectSpin(kSheet, 2e5, law, "implicitfast");
  expectSpin(kSheet, 2e5, "stvk", "implicit");
}

TEST(Spin, SPIN_1_RodsKeepTheirSpin) {
  for (const char* law : {"stvk", "corotational", "neohookean"}) expectSpin(kRod, 2e6, law, "implicitfast");
  expectSpin(kRod, 2e6, "stvk", "implicit");
}

TEST(Spin, SPIN_1_AFlexThatCarriesABodyKeepsItsSpin) {
  for (const char* integrator : {"implicit", "implicitfast", "midpoint"}) expectSpin(kCarrier, 5e5, "stvk", integrator);
}

// a spin that is predicted along its tangent stretches steel by (h w)^2: that energy was not there before
TEST(Spin, SPIN_1_StiffAndDampedMaterialGainsNoEnergy) {
  for (const char* integrator : {"implicitfast", "midpoint"}) {
    expectSpin(kTets, 1e9, "neohookean", integrator);
    expectSpin(kSheet, 1e9, "corotational", integrator, R"(damping=".01")");
  }
}

// gravity acts on the centre alone, and an applied force has its torque
TEST(Spin, SPIN_1_ForcesFromOutsideChangeMomentumAsTheyShould) {
  Model m = modelOf(kTets, 2e5, "stvk", "implicitfast", 0.002);
  m.opt.gravity = {0, 0, -9.81};
  Data d(m);
  forward(m, d);
  turn(m, d, {0, 8, 6}, {0, 0, 0});
  const Momentum before = momentumOf(m, d);
  double mass = 0;
  for (int n = 0; n < m.nflexnode; ++n) mass += m.flexnode_mass[n];
  Vec push = Vec::Zero(), torque = Vec::Zero();
  const Vec force(0.1, -0.05, 0.2);
  for (int i = 0; i < 500; ++i) {
    Vec center = Vec::Zero();
    for (int n = 0; n < m.nflexnode; ++n) center += m.flexnode_mass[n] / mass * Vec(&d.qpos[m.nq_rigid + 3 * n]);
    for (int k = 0; k < 3; ++k) d.qfrc_applied[m.nv_rigid + 3 * 4 + k] = force[k];
    torque += 0.002 * (Vec(&d.qpos[m.nq_rigid + 3 * 4]) - center).cross(force);
    push += 0.002 * (force + mass * Vec(0, 0, -9.81));
    step(m, d);
  }
  const Momentum after = momentumOf(m, d);
  EXPECT_LT((after.linear - before.linear - push).norm(), 1e-10 * push.norm());
  EXPECT_LT((after.angular - before.angular - torque).norm(), 1e-9 * before.angular.norm());
}

/// Energy that the first bending mode of a cantilever along x loses per period, with `perPeriod` steps.
double lossPerPeriod(const std::string& flex, const std::string& integrator, double period, int perPeriod) {
  const Model m = compile(readMjcfText(fmt::format(R"(<mujoco><option timestep="{}" integrator="{}" gravity="0 0 0">
      <flag energy="enable"/></option><worldbody>{}</worldbody></mujoco>)",
                                                   period / perPeriod, integrator, flex)));
  Data d(m);
  double low = 1e9, high = -1e9;
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) low = std::min(low, -m.qpos0[m.nq_rigid + 3 * n]);
    high = std::max(high, m.qpos0[m.nq_rigid + 3 * n]);
  }
  low = -low;
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) continue;
    const double s = (m.qpos0[m.nq_rigid + 3 * n] - low) / (high - low), k = 1.8751, c = 0.7341;
    const double shape = std::cosh(k * s) - std::cos(k * s) - c * (std::sinh(k * s) - std::sin(k * s));
    d.qvel[m.nv_rigid + 3 * n + 2] = 0.01 * shape;
  }
  const auto run = [&](int periods) {
    double mean = 0;  // over the last of them
    for (int i = 0; i < periods * perPeriod; ++i) {
      step(m, d);
      if (i >= (periods - 1) * perPeriod) mean += (d.energy[0] + d.energy[1]) / perPeriod;
    }
    return mean;
  };
  const double early = run(1), late = run(4);
  return 1 - std::pow(late / early, 0.25);
}

constexpr const char* kClampedRod =
    R"(<flexcomp name="f" type="grid" dim="1" count="11 1 1" spacing=".04" radius=".01" density=".3">
         <contact contype="0" conaffinity="0"/><elasticity young="{0}" law="stvk"/><pin id="0 1"/></flexcomp>)";
constexpr const char* kClampedStrip =
    R"(<flexcomp name="f" type="grid" dim="2" count="9 2 1" spacing=".04" radius=".005" density="1000">
         <contact contype="0" conaffinity="0"/>
         <elasticity young="{0}" poisson=".3" thickness=".01" elastic2d="both" law="stvk"/><pin id="0 1 2 3"/></flexcomp>)";

// energy goes with the square of the amplitude
TEST(Spin, SPIN_2_VibrationsLastUnderMidpoint) {
  const double rod =
      2 * std::numbers::pi / (1.8751 * 1.8751) * 0.36 * 0.36 * std::sqrt(0.3 / (1e7 * std::numbers::pi * 1e-8 / 4));
  EXPECT_LT(std::abs(lossPerPeriod(fmt::format(fmt::runtime(kClampedRod), 1e7), "midpoint", rod, 500)), 0.001);
  EXPECT_GT(lossPerPeriod(fmt::format(fmt::runtime(kClampedRod), 1e7), "implicitfast", rod, 500), 0.01);
  const double strip =
      2 * std::numbers::pi / (1.8751 * 1.8751) * 0.28 * 0.28 * std::sqrt(1000 * 0.01 / (1e7 * 1e-6 / 12));
  EXPECT_LT(std::abs(lossPerPeriod(fmt::format(fmt::runtime(kClampedStrip), 1e7), "midpoint", strip, 500)), 0.001);
}

// the steps are the same, the material is stiffer than they can resolve: motion does not grow, and it dies out
TEST(Spin, SPIN_2_MidpointIsStableAtAnyStiffness) {
  for (const char* flex : {kClampedRod, kClampedStrip}) {
    for (const double young : {1e9, 1e11, 1e13}) {
      const Model m = modelOf(flex, young, "", "midpoint", 0.005);
      Data d(m);
      for (int n = 0; n < m.nflexnode; ++n) {
        if (!m.flexnode_pinned[n]) d.qvel[m.nv_rigid + 3 * n + 2] = 0.1 * (n % 3);
      }
      forward(m, d);
      const double before = d.energy[0] + d.energy[1];
      double most = 0;
      for (int i = 0; i < 2000; ++i) {
        step(m, d);
        most = std::max(most, d.energy[1]);
      }
      EXPECT_LT(most, 1.1 * before) << young;
      EXPECT_LT(d.energy[0] + d.energy[1], before) << young;
      for (const Trouble bad : {Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc}) {
        EXPECT_EQ(d.status[bad].count, 0) << describeStatus(m, d);
      }
    }
  }
}

}  // namespace
}  // namespace sinew
