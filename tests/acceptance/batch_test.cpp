#include "sinew/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/paths.h"

// Many runs of one model against as many single runs, by hash.
namespace sinew {
namespace {

const char* const kPile = R"(<mujoco><option timestep="0.005"/>
  <worldbody><geom type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 .3"><freejoint/><geom name="box" type="box" size=".1 .1 .1"/></body>
    <body name="b" pos=".05 0 .7"><freejoint/><geom type="sphere" size=".1"/></body>
    <body name="arm" pos="1 0 .5"><joint name="hinge" axis="0 1 0" damping=".1"/><geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/></body>
    <flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="-1 0 .4" mass=".2" radius=".01">
      <edge equality="true"/></flexcomp>
  </worldbody>
  <actuator><motor joint="hinge" gear="2"/></actuator>
  <sensor><jointpos joint="hinge"/><framepos objtype="body" objname="b"/></sensor>
  <keyframe><key name="high" qpos="0 0 1 1 0 0 0  .05 0 2 1 0 0 0  .3
    -1.15 -.15 .4 -1.15 -.05 .4 -1.15 .05 .4 -1.15 .15 .4 -1.05 -.15 .4 -1.05 -.05 .4 -1.05 .05 .4 -1.05 .15 .4
    -.95 -.15 .4 -.95 -.05 .4 -.95 .05 .4 -.95 .15 .4 -.85 -.15 .4 -.85 -.05 .4 -.85 .05 .4 -.85 .15 .4"/></keyframe>
</mujoco>)";

std::string withSolver(std::string text, const std::string& attributes) {
  const std::string from = "<option timestep=\"0.005\"";
  return text.replace(text.find(from), from.size(), from + " " + attributes);
}

/// A start and a control of its own for every run.
void prepare(const Model& m, int run, double* qpos, double* qvel, double* ctrl) {
  qpos[0] += 0.01 * run;
  qpos[9] += 0.02 * run;
  qvel[m.nv_rigid - 1] = 0.1 * run;
  ctrl[0] = 0.05 * run - 0.2;
}

TEST(Batch, BATCH_1_EqualsSingleRunsByHashForAnyNumberOfThreads) {
  for (const char* options : {"", "solver=\"CG\"", "solver=\"Impulse\"", "integrator=\"implicitfast\"",
                              "solver=\"PGS\" cone=\"elliptic\"", "integrator=\"RK4\""}) {
    const Model m = test::modelOf(withSolver(kPile, options));
    const int runs = 7;
    std::vector<std::uint64_t> expected;
    std::vector<double> sensors;
    for (int run = 0; run < runs; ++run) {
      Data d(m);
      prepare(m, run, d.qpos.data(), d.qvel.data(), d.ctrl.data());
      for (int i = 0; i < 60; ++i) step(m, d);
      expected.push_back(stateHash(m, d));
      sensors.insert(sensors.end(), d.sensordata.begin(), d.sensordata.end());
    }
    for (const int threads : {1, 2, 4}) {
      Batch batch(m, runs, threads);
      const std::span<double> qpos = batch.state("qpos"), qvel = batch.state("qvel"), ctrl = batch.state("ctrl");
      const std::span<const double> seen = batch.watch("sensordata");
      ASSERT_EQ(qpos.size(), static_cast<std::size_t>(runs * m.nq));
      for (int run = 0; run < runs; ++run) {
        prepare(m, run, qpos.data() + run * m.nq, qvel.data() + run * m.nv, ctrl.data() + run * m.nu);
      }
      for (const int steps : {1, 7, 0, 32, 20}) batch.step(steps);
      for (int run = 0; run < runs; ++run) {
        EXPECT_EQ(batch.hash(run), expected[run]) << options << " threads " << threads;
      }
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), sensors.begin(), sensors.end()));
    }
  }
}

// A run with its own numbers is the run of a model that was compiled with them.
TEST(Batch, BATCH_1_FieldsOfTheModelCanDifferBetweenRuns) {
  const auto text = [](double mass, double friction, double damping, double gear) {
    char buffer[1024];
    std::snprintf(buffer, sizeof(buffer),
                  R"(<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" friction="%.17g .005 .0001"/>
      <body pos="0 0 .11"><freejoint/><geom type="box" size=".1 .1 .1" mass="%.17g" friction=".1 .005 .0001"/></body>
      <body pos="1 0 1"><joint name="j" axis="0 1 0" damping="%.17g"/><geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/></body>
      </worldbody><actuator><motor joint="j" gear="%.17g"/></actuator></mujoco>)",
                  friction, mass, damping, gear);
    return std::string(buffer);
  };
  const int runs = 4;
  const Model base = test::modelOf(text(1, 0.5, 0.1, 2));
  for (const int threads : {1, 3}) {
    Batch batch(base, runs, threads);
    const std::span<double> mass = batch.vary("body_mass"), inertia = batch.vary("body_inertia");
    const std::span<double> friction = batch.vary("geom_friction"), damping = batch.vary("dof_damping");
    const std::span<double> gear = batch.vary("actuator_gear");
    const std::span<double> ctrl = batch.state("ctrl"), qvel = batch.state("qvel");
    std::vector<std::uint64_t> expected;
    for (int run = 0; run < runs; ++run) {
      const double x = 1 + 0.5 * run;
      const Model m = test::modelOf(text(x, 0.3 * x, 0.2 * x, 1 + x));
      Data d(m);
      d.ctrl[0] = 0.3;
      d.qvel[0] = 1;
      for (int i = 0; i < 100; ++i) step(m, d);
      expected.push_back(stateHash(m, d));
      std::copy(m.body_mass.begin(), m.body_mass.end(), mass.begin() + run * m.nbody);
      std::copy(m.body_inertia.begin(), m.body_inertia.end(), inertia.begin() + run * 3 * m.nbody);
      std::copy(m.geom_friction.begin(), m.geom_friction.end(), friction.begin() + run * 3 * m.ngeom);
      std::copy(m.dof_damping.begin(), m.dof_damping.end(), damping.begin() + run * m.dof_damping.size());
      std::copy(m.actuator_gear.begin(), m.actuator_gear.end(), gear.begin() + run * m.actuator_gear.size());
      ctrl[run] = 0.3;
      qvel[run * m.nv] = 1;
    }
    batch.step(30);
    batch.step(70);
    for (int run = 0; run < runs; ++run) EXPECT_EQ(batch.hash(run), expected[run]) << run;
  }
}

// Bounds of a geom and what a fluid does to it follow from its size: shapes twice as large as those compiled meet each
// other and the floor as if they had been compiled so.
TEST(Batch, BATCH_1_SizesOfGeomsTakeTheirBoundsAlong) {
  const auto text = [](double x) {
    char buffer[1024];
    std::snprintf(buffer, sizeof(buffer),
                  R"(<mujoco><option density="1.2" viscosity=".001"/><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 .5"><freejoint/><geom size="%.17g" mass="1"/><inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body>
      <body pos=".05 .02 1"><freejoint/><geom type="box" size="%.17g .1 .05"/><inertial pos="0 0 0" mass="2" diaginertia=".1 .2 .2"/></body>
      <body pos="0 .03 1.5"><freejoint/><geom type="capsule" size="%.17g .1" euler="90 0 10" fluidshape="ellipsoid"/>
        <inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body></worldbody></mujoco>)",
                  0.1 * x, 0.1 * x, 0.05 * x);
    return std::string(buffer);
  };
  const Model base = test::modelOf(text(1));
  Batch batch(base, 3, 1);
  const std::span<double> size = batch.vary("geom_size");
  std::vector<std::uint64_t> expected;
  for (int run = 0; run < 3; ++run) {
    const Model m = test::modelOf(text(1 + run));
    Data d(m);
    for (int i = 0; i < 150; ++i) step(m, d);
    expected.push_back(stateHash(m, d));
    std::copy(m.geom_size.begin(), m.geom_size.end(), size.begin() + run * 3 * m.ngeom);
  }
  batch.step(150);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(batch.hash(run), expected[run]) << run;
}

// Options are numbers of the model as well. The pile falls by other gravity, with other steps, through other air.
TEST(Batch, BATCH_1_OptionsDifferBetweenRuns) {
  const Model base = test::modelOf(kPile);
  const int runs = 4;
  for (const int threads : {1, 2}) {
    Batch batch(base, runs, threads);
    const std::span<double> gravity = batch.vary("option.gravity"), timestep = batch.vary("option.timestep");
    const std::span<double> density = batch.vary("option.density");
    ASSERT_EQ(gravity.size(), 3u * runs);
    EXPECT_EQ(gravity[5], -9.81);
    std::vector<std::uint64_t> expected;
    for (int run = 0; run < runs; ++run) {
      Model m = base;
      m.opt.gravity = {0.1 * run, 0, -9.81 + 2.5 * run};
      m.opt.timestep = 0.005 - 0.001 * run;
      m.opt.density = 1.2 * run;
      Data d(m);
      for (int i = 0; i < 50; ++i) step(m, d);
      expected.push_back(stateHash(m, d));
      std::copy(m.opt.gravity.begin(), m.opt.gravity.end(), gravity.begin() + 3 * run);
      timestep[run] = m.opt.timestep;
      density[run] = m.opt.density;
    }
    batch.step(20);
    batch.step(30);
    for (int run = 0; run < runs; ++run) EXPECT_EQ(batch.hash(run), expected[run]) << run;
    timestep[1] = -1;
    batch.step();
    EXPECT_NE(batch.describeStatus(1).find("'timestep' must be positive"), std::string::npos)
        << batch.describeStatus(1);
    EXPECT_TRUE(batch.status(0).ok());
  }
}

TEST(Batch, BATCH_1_ResetsSingleRunsAndGoesToKeyframes) {
  const Model m = test::modelOf(kPile);
  Batch batch(m, 3, 2);
  batch.step(20);
  const std::uint64_t other = batch.hash(2);
  batch.reset(0);
  batch.resetToKey(1, 0);
  Data start(m), key(m);
  resetToKey(m, key, 0);
  EXPECT_EQ(batch.hash(0), stateHash(m, start));
  EXPECT_EQ(batch.hash(1), stateHash(m, key));
  EXPECT_EQ(batch.hash(2), other);
  EXPECT_EQ(batch.state("qpos")[m.nq + 2], 1.0);
}

TEST(Batch, BATCH_1_ADivergedRunIsReportedAndLeavesTheOthersAlone) {
  const Model m = test::modelOf(kPile);
  Batch stopping(m, 3, 2, OnDivergence::Stop), resetting(m, 3, 2), quiet(m, 3, 1);
  for (Batch* batch : {&stopping, &resetting}) {
    batch->step(5);
    batch->state("qvel")[m.nv + m.nv_rigid - 1] = 1e300;  // the hinge of run 1
    batch->step(10);
  }
  quiet.step(15);
  EXPECT_TRUE(stopping.isStopped(1));
  EXPECT_FALSE(stopping.isStopped(0));
  EXPECT_NE(stopping.describeStatus(1).find("joint \"hinge\""), std::string::npos) << stopping.describeStatus(1);
  EXPECT_FALSE(resetting.status(1).ok());
  for (const int run : {0, 2}) {
    EXPECT_TRUE(stopping.status(run).ok());
    EXPECT_EQ(stopping.hash(run), quiet.hash(run));
    EXPECT_EQ(resetting.hash(run), quiet.hash(run));
  }
  stopping.reset(1);
  EXPECT_FALSE(stopping.isStopped(1));
}

TEST(Batch, BATCH_1_WrongArgumentsAreNamed) {
  const Model m = test::modelOf(kPile);
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no exception";
  };
  EXPECT_EQ(message([&] { Batch(m, 0); }), "Batch: the number of runs is 0, must be 1 or more");
  EXPECT_EQ(message([&] { Batch(m, 1, -1); }), "Batch: the number of threads is -1, must be 0 (all) or more");
  Batch batch(m, 2, 1);
  EXPECT_EQ(message([&] { batch.reset(2); }), "Batch: run 2 does not exist, there are 2");
  EXPECT_EQ(message([&] { batch.step(-1); }), "Batch: the number of steps is -1, must be 0 or more");
  EXPECT_EQ(message([&] { batch.resetToKey(0, 1); }), "Batch: keyframe 1 does not exist, the model has 1");
  EXPECT_EQ(message([&] { batch.watch("nonsense"); }), "Batch: Data has no array of numbers named \"nonsense\"");
  EXPECT_EQ(message([&] { batch.vary("geom_bodyid"); }),
            "Batch: the model has no array of numbers named \"geom_bodyid\"");
  EXPECT_EQ(message([&] { batch.vary("option.solver"); }),
            "Batch: the model has no array of numbers named \"option.solver\"");
  EXPECT_EQ(message([&] { batch.vary("option.gravty"); }),
            "Batch: the model has no array of numbers named \"option.gravty\" (did you mean \"option.gravity\"?)");
  EXPECT_EQ(message([&] { batch.vary("geom_frction"); }),
            "Batch: the model has no array of numbers named \"geom_frction\" (did you mean \"geom_friction\"?)");
  EXPECT_EQ(message([&] { batch.watch("sensordat"); }),
            "Batch: Data has no array of numbers named \"sensordat\" (did you mean \"sensordata\"?)");
  EXPECT_EQ(message([&] { batch.vary("flex_young"); }),
            "Batch: \"flex_young\" cannot be varied: compile() has worked it into other arrays of the model; compile a "
            "model for each value");
  EXPECT_NE(
      message([&] { batch.state("xpos"); }).find("\"xpos\" is not an array of the state; expected one of: time, qpos"),
      std::string::npos);
}

}  // namespace
}  // namespace sinew
