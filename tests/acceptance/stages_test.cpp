#include "sinew/stages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinew/derivatives.h"
#include "sinew/dynamics.h"
#include "sinew/load.h"
#include "sinew/state.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/refusal.h"

/// The step in two halves and stage by stage, and the user's callbacks. Expected values: step() and forward(), bit for
/// bit; closed forms of single bodies.
namespace sinew::test {
namespace {

Model modelOf(const std::string& mjcf) { return compile(readMjcfText(mjcf)); }

/// Contacts, a limit, an equality, a tendon, an activation, a mocap body, sensors of every stage.
std::string machine(const std::string& option, const std::string& flags = "") {
  return "<mujoco><option " + option + ">" + flags + R"(</option>
  <worldbody><geom type="plane" size="3 3 1"/>
    <body name="hand" mocap="true" pos="0 0 1"/>
    <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".05 0 .6"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="a" pos=".1 0 0"/>
      <body pos=".2 0 0"><joint name="arm" axis="0 1 0" range="-40 40" damping=".1" armature=".01"/>
        <geom size=".05" pos=".1 0 0"/><site name="tip" pos=".15 0 0"/></body></body>
    <body name="led" pos="0 1 1"><joint name="ball" type="ball"/><geom size=".05" pos=".2 0 0"/></body>
    <camera name="eye" pos="0 -1 1"/>
  </worldbody>
  <tendon><spatial name="cord" stiffness="5" springlength=".1"><site site="a"/><site site="tip"/></spatial></tendon>
  <equality><connect body1="hand" body2="led" anchor="0 1 0" active="false"/></equality>
  <actuator><position joint="arm" kp="3" timeconst=".1"/><motor tendon="cord"/></actuator>
  <sensor><jointpos joint="arm"/><tendonvel tendon="cord"/><accelerometer site="tip"/><touch site="tip"/>
    <framelinvel objtype="site" objname="tip"/><e_potential/><e_kinetic/></sensor></mujoco>)";
}

std::string cloth(const std::string& option) {
  return "<mujoco><option " + option + R"(/><worldbody><geom type="plane" size="2 2 1"/>
    <geom name="ball" type="sphere" size=".1" pos="0 0 .1"/>
    <flexcomp name="cloth" type="grid" count="5 5 1" spacing=".05 .05 .05" pos="0 0 .22" mass=".1" dim="2"
      radius=".005"><elasticity young="1e4" thickness=".01" damping=".01"/></flexcomp></worldbody></mujoco>)";
}

std::map<std::string, std::string> models() {
  std::map<std::string, std::string> all;
  for (const std::string integrator : {"Euler", "RK4", "implicit", "implicitfast"}) {
    for (const std::string solver : {"Newton", "CG", "PGS", "Impulse"}) {
      if (integrator == "RK4" && solver == "Impulse") continue;  // refused
      all[integrator + solver] =
          machine("integrator=\"" + integrator + "\" solver=\"" + solver + "\"", R"(<flag energy="enable"/>)");
    }
  }
  all["sleep"] = machine(R"(timestep=".005")", R"(<flag sleep="enable"/>)");
  all["cloth"] = cloth(R"(integrator="implicitfast")");
  all["clothImpulse"] = cloth(R"(integrator="implicitfast" solver="Impulse")");
  return all;
}

void drive(const Model& m, Data& d) {
  for (int u = 0; u < m.nu; ++u) d.ctrl[u] = 0.4 * std::sin(3 * d.time + u);
}

/// Every array of two Data, bit for bit.
testing::AssertionResult equalBits(const Model& m, const Data& a, const Data& b) {
  testing::AssertionResult result = testing::AssertionSuccess();
  std::map<std::string, std::vector<char>> bytes;
  a.forEachArray(m, [&](const char* name, const auto& array, int, int, const char*) {
    const char* first = reinterpret_cast<const char*>(array.data());
    bytes[name].assign(first, first + sizeof(array[0]) * static_cast<std::size_t>(array.size()));
  });
  b.forEachArray(m, [&](const char* name, const auto& array, int, int, const char*) {
    const char* first = reinterpret_cast<const char*>(array.data());
    const std::vector<char> other(first, first + sizeof(array[0]) * static_cast<std::size_t>(array.size()));
    if (other != bytes[name]) result = testing::AssertionFailure() << name;
  });
  if (a.efc_force != b.efc_force) return testing::AssertionFailure() << "efc_force";
  if (a.energy != b.energy) return testing::AssertionFailure() << "energy";
  if (stateHash(m, a) != stateHash(m, b)) return testing::AssertionFailure() << "state";
  return result;
}

TEST(Stages, API_2_TwoHalvesAreAStepBitForBit) {
  for (const auto& [name, mjcf] : models()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(mjcf);
    Data whole(m), halves(m);
    for (int i = 0; i < 300; ++i) {
      drive(m, whole);
      step(m, whole);
      step1(m, halves);
      drive(m, halves);  // in between, where it sees the results of the first half
      step2(m, halves);
      ASSERT_TRUE(equalBits(m, whole, halves)) << "step " << i;
    }
    EXPECT_EQ(describeStatus(m, halves), describeStatus(m, whole));
  }
}

TEST(Stages, API_2_ForwardMayStandForTheFirstHalf) {
  for (const auto& [name, mjcf] : models()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(mjcf);
    Data whole(m), halves(m);
    for (int i = 0; i < 100; ++i) {
      drive(m, whole);
      step(m, whole);
      forward(m, halves);
      drive(m, halves);
      step2(m, halves);
      ASSERT_TRUE(equalBits(m, whole, halves)) << "step " << i;
    }
    step2(m, halves);  // once
    EXPECT_EQ(halves.status[Trouble::StageOrder].count, 1);
  }
}

/// The list that stages.h shows.
void allStages(const Model& m, Data& d) {
  do {
    stages::kinematics(m, d);
    stages::comPos(m, d);
    stages::cameras(m, d);
    stages::flexes(m, d);
    stages::tendons(m, d);
    stages::massMatrix(m, d);
    stages::collide(m, d);
  } while (stages::wake(m, d));
  stages::rows(m, d);
  stages::transmissions(m, d);
  stages::positionSensors(m, d);
  stages::velocities(m, d);
  stages::passive(m, d);
  stages::bias(m, d);
  stages::rowReferences(m, d);
  stages::velocitySensors(m, d);
  stages::control(m, d);
  stages::actuation(m, d);
  stages::smoothAcceleration(m, d);
  stages::solve(m, d);
  stages::accelerationSensors(m, d);
}

TEST(Stages, API_2_SingleStagesInOrderAreForward) {
  for (const auto& [name, mjcf] : models()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(mjcf);
    Data whole(m), single(m), groups(m), stepped(m);
    for (int i = 0; i < 60; ++i) {
      for (Data* d : {&whole, &single, &groups, &stepped}) drive(m, *d);
      if (i == 50 && m.nv > 6) {  // what sleeps wakes by this
        for (Data* d : {&whole, &single, &groups, &stepped}) d->qvel[0] = 0.1;
      }
      forward(m, whole);
      allStages(m, single);
      stages::position(m, groups);
      stages::velocity(m, groups);
      stages::control(m, groups);
      stages::acceleration(m, groups);
      ASSERT_TRUE(equalBits(m, whole, single)) << "step " << i;
      ASSERT_TRUE(equalBits(m, whole, groups)) << "step " << i;
      for (int k = 0; k < 7; ++k) step(m, stepped);
      for (Data* d : {&whole, &single, &groups}) {
        for (int k = 0; k < 6; ++k) step(m, *d);
        forward(m, *d);
        stages::advance(m, *d);  // the seventh
        ASSERT_TRUE(equalBits(m, stepped, *d)) << "step " << i;
      }
    }
  }
}

// The solver reads what the stages before it wrote and nothing that it writes itself.
TEST(Stages, API_2_SolvingOnceMoreGivesTheSame) {
  for (const auto& [name, mjcf] : models()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(mjcf);
    Data once(m);
    for (int i = 0; i < 60; ++i) {
      for (int k = 0; k < 5; ++k) step(m, once);
      forward(m, once);
      Data twice = once;
      stages::solve(m, twice);
      ASSERT_EQ(once.efc_target, twice.efc_target) << "step " << i;
      ASSERT_EQ(once.qacc, twice.qacc) << "step " << i;
      ASSERT_EQ(once.efc_force, twice.efc_force) << "step " << i;
    }
  }
}

TEST(Stages, API_2_AControllerBetweenTheHalvesSeesThePresentState) {
  // a mass on a slide with force u = -k x - c v: with the sensors of the present state exactly semi-implicit Euler
  const Model m = modelOf(R"(<mujoco><option timestep=".01" gravity="0 0 0"/><worldbody><body>
      <joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body></worldbody>
      <actuator><motor joint="x"/></actuator>
      <sensor><jointpos joint="x"/><jointvel joint="x"/></sensor></mujoco>)");
  Data d(m);
  d.qpos[0] = 1;
  double x = 1, v = 0;
  for (int i = 0; i < 200; ++i) {
    step1(m, d);
    d.ctrl[0] = -30 * d.sensordata[0] - 4 * d.sensordata[1];
    step2(m, d);
    v += 0.01 * (-30 * x - 4 * v) / 2;
    x += 0.01 * v;
    ASSERT_NEAR(d.qpos[0], x, 1e-12);
  }
}

TEST(Stages, API_2_StagesOutOfOrderAreRefused) {
  const Model m = modelOf(models()["EulerNewton"]);
  Data d(m);
  const auto missing = [](const std::string& stage, const std::string& needed) {
    return stage + " needs " + needed + ", which has not run since an earlier stage or a reset";
  };
  EXPECT_EQ(refusal([&] { stages::comPos(m, d); }), missing("comPos", "kinematics"));
  EXPECT_EQ(refusal([&] { stages::solve(m, d); }), missing("solve", "rowReferences"));
  EXPECT_EQ(refusal([&] { stages::velocity(m, d); }), missing("velocity", "positionSensors"));
  EXPECT_EQ(refusal([&] { stages::advance(m, d); }), missing("advance", "solve"));
  forward(m, d);
  stages::solve(m, d);  // again
  stages::kinematics(m, d);
  stages::comPos(m, d);
  EXPECT_EQ(refusal([&] { stages::bias(m, d); }), missing("bias", "velocities"));
  EXPECT_EQ(refusal([&] { stages::rows(m, d); }), missing("rows", "massMatrix"));
  reset(m, d);
  EXPECT_EQ(refusal([&] { stages::comPos(m, d); }), missing("comPos", "kinematics"));

  const Model other = modelOf(models()["cloth"]);
  Data alien(other);
  EXPECT_EQ(refusal([&] { stages::kinematics(m, alien); }), "kinematics: the Data was made for another Model");
  EXPECT_EQ(refusal([&] { stages::position(m, alien); }), "position: the Data was made for another Model");
  Model bad = m;
  bad.opt.timestep = -1;
  EXPECT_NE(refusal([&] { stages::kinematics(bad, d); }).find("kinematics: "), std::string::npos);

  step2(m, d);
  EXPECT_EQ(d.time, 0);
  EXPECT_EQ(describeStatus(m, d), "step2() came without step1(); it did nothing (first at t = 0 s, 1 time)\n");
  step1(m, d);
  step2(m, d);
  step2(m, d);
  EXPECT_EQ(d.status[Trouble::StageOrder].count, 2);
  EXPECT_EQ(d.time, m.opt.timestep);
  step1(m, alien);
  step2(m, alien);
  EXPECT_EQ(alien.status[Trouble::OtherModel].count, 1);
  EXPECT_EQ(alien.time, 0);
}

TEST(Stages, API_2_TheControlCallbackEqualsControlsBetweenTheHalves) {
  for (const std::string name : {"EulerNewton", "implicitCG", "EulerImpulse"}) {
    SCOPED_TRACE(name);
    const Model m = modelOf(models()[name]);
    Data called(m), between(m);
    const auto law = [](const Data& d, std::span<double> ctrl) { ctrl[0] = 0.3 - d.sensordata[0] - d.sensordata[1]; };
    called.callbacks.control = [&](const Model&, const Data& d, const ControlOutput& out) {
      law(d, out.ctrl);
      out.qfrc_applied[3] = 0.01 * d.qvel[3];
      out.xfrc_applied[8] = 0.1;
    };
    for (int i = 0; i < 200; ++i) {
      step(m, called);
      step1(m, between);
      law(between, between.ctrl);
      between.qfrc_applied[3] = 0.01 * between.qvel[3];
      between.xfrc_applied[8] = 0.1;
      step2(m, between);
      ASSERT_TRUE(equalBits(m, called, between)) << i;
    }
  }
}

TEST(Stages, API_2_RK4AsksTheControllerInEachEvaluation) {
  // x' = v, v' = -x by a force: RK4 is of fourth order only if the force is that of the intermediate states
  const Model m = modelOf(R"(<mujoco><option timestep=".1" gravity="0 0 0" integrator="RK4"/><worldbody><body>
      <joint type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)");
  Data d(m);
  int calls = 0;
  d.callbacks.control = [&](const Model&, const Data& x, const ControlOutput& out) {
    ++calls;
    out.qfrc_applied[0] = -x.qpos[0];
  };
  d.qpos[0] = 1;
  for (int i = 0; i < 10; ++i) step(m, d);
  EXPECT_EQ(calls, 40);
  EXPECT_NEAR(d.qpos[0], std::cos(1.0), 1e-6);
}

TEST(Stages, PassiveCallbacksAddForces) {
  const Model m = modelOf(R"(<mujoco><option timestep=".001" gravity="0 0 0"/><worldbody><body>
      <joint type="slide" axis="1 0 0" stiffness="3" damping=".5"/><geom size=".1" mass="2"/></body></worldbody>
      </mujoco>)");
  Data d(m);
  d.qpos[0] = 0.3;
  d.qvel[0] = -0.2;
  forward(m, d);
  const double without = d.qfrc_passive[0];
  d.callbacks.passive = [](const Model&, const Data& x, std::span<double> qfrc) {
    EXPECT_EQ(qfrc[0], 0);
    qfrc[0] += -7 * x.qpos[0] * x.qpos[0];
  };
  forward(m, d);
  EXPECT_DOUBLE_EQ(d.qfrc_passive[0], without - 7 * 0.09);
  EXPECT_DOUBLE_EQ(d.qacc[0], d.qfrc_passive[0] / 2);
}

TEST(Stages, ContactFiltersDecideByPairAndMoment) {
  const std::string mjcf = R"(<mujoco><worldbody><geom name="floor" type="plane" size="2 2 1"/>
      <body pos="0 0 .09"><freejoint/><geom name="a" size=".1"/></body>
      <body pos="1 0 .09"><freejoint/><geom name="b" size=".1"/></body></worldbody></mujoco>)";
  const Model m = modelOf(mjcf);
  Data d(m);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 2);
  bool solid = false;
  std::set<std::pair<int, int>> asked;
  d.callbacks.contactFilter = [&](const Model&, const Data&, int first, int second) {
    asked.insert({first, second});
    return solid || second != 1;
  };
  forward(m, d);
  ASSERT_EQ(d.ncon(), 1);
  EXPECT_EQ(d.contact[0].geom[1], 2);
  EXPECT_EQ(asked, (std::set<std::pair<int, int>>{{0, 1}, {0, 2}}));
  for (int i = 0; i < 100; ++i) step(m, d);
  EXPECT_LT(d.qpos[2], 0.0);   // it fell through
  EXPECT_GT(d.qpos[9], 0.08);  // this one lies
  solid = true;
  forward(m, d);
  EXPECT_EQ(d.ncon(), 2);

  const Model flex = modelOf(cloth(""));
  Data soft(flex);
  for (int i = 0; i < 150; ++i) step(flex, soft);
  ASSERT_GT(soft.ncon(), 0);
  asked.clear();
  soft.callbacks.contactFilter = [&](const Model&, const Data&, int first, int second) {
    asked.insert({first, second});
    return false;
  };
  forward(flex, soft);
  EXPECT_EQ(soft.ncon(), 0);
  EXPECT_TRUE(asked.count({1, 2}));  // the ball with the cloth
}

TEST(Stages, SensorCallbacksFillUserSensors) {
  const Model m = modelOf(R"(<mujoco><option timestep=".01"/><worldbody><body pos="0 0 1"><freejoint/>
      <geom size=".1" mass="2"/></body></worldbody>
      <sensor><clock/><user name="p" dim="2" needstage="pos"/><user name="v" dim="1" needstage="vel" cutoff=".5"/>
        <user name="a" dim="3" needstage="acc"/><user name="late" dim="1" needstage="pos"/>
      </sensor></mujoco>)");
  Data d(m);
  step(m, d);
  EXPECT_EQ(d.sensordata[1], 0);
  std::vector<int> order;
  d.callbacks.sensor = [&](const Model&, const Data& x, int sensor, std::span<double> values) {
    order.push_back(sensor);
    for (double& value : values) EXPECT_EQ(value, 0);
    if (sensor == 1) values[1] = x.qpos[2];
    if (sensor == 2) values[0] = x.qvel[2];
    if (sensor == 3) values[2] = x.qacc[2];
    if (sensor == 4) values[0] = x.time;
  };
  reset(m, d);
  for (int i = 0; i < 12; ++i) {
    const double z = d.qpos[2], v = d.qvel[2], t = d.time;
    step(m, d);
    EXPECT_EQ(d.sensordata[2], z);
    EXPECT_EQ(d.sensordata[3], std::max(v, -0.5));
    EXPECT_NEAR(d.sensordata[6], -9.81, 1e-12);
    EXPECT_EQ(d.sensordata[7], t);
  }
  EXPECT_EQ(std::set<int>(order.begin(), order.end()), (std::set<int>{1, 2, 3, 4}));
}

TEST(Stages, CallbacksThatThrowAreReportedAndLeftOut) {
  const Model model = modelOf(R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .09">
      <freejoint/><geom size=".1"/><body><joint name="j" axis="0 1 0"/><geom size=".02" pos=".2 0 0"/></body></body>
      </worldbody><actuator><motor joint="j"/></actuator><sensor><user dim="1" needstage="pos"/></sensor></mujoco>)");
  Data plain(model);
  plain.ctrl[0] = 0.01;
  for (int i = 0; i < 20; ++i) step(model, plain);

  const auto expectSame = [&](const std::string& name, int index, auto&& install) {
    SCOPED_TRACE(name);
    Data d(model);
    d.ctrl[0] = 0.01;
    install(d.callbacks);
    for (int i = 0; i < 20; ++i) EXPECT_NO_THROW(step(model, d));
    EXPECT_TRUE(equalBits(model, plain, d));
    EXPECT_EQ(d.status[Trouble::Callback].count, 20);
    EXPECT_EQ(d.status[Trouble::Callback].first, index);
    EXPECT_EQ(describeStatus(model, d), "the " + name +
                                            " callback threw an exception; the step went on as if it had not been "
                                            "called: no idea (first at t = 0 s, 20 times)\n");
    reset(model, d);
    EXPECT_TRUE(d.status.ok());
    EXPECT_EQ(d.callbackError, "");
  };
  expectSame("control", 0, [](Callbacks& c) {
    c.control = [](const Model&, const Data&, const ControlOutput& out) {
      out.ctrl[0] = 7;
      out.qfrc_applied[2] = 8;
      out.xfrc_applied[9] = 9;
      throw std::runtime_error("no idea");
    };
  });
  expectSame("passive", 1, [](Callbacks& c) {
    c.passive = [](const Model&, const Data&, std::span<double> qfrc) {
      qfrc[1] = 5;
      throw std::runtime_error("no idea");
    };
  });
  expectSame("contactFilter", 2, [](Callbacks& c) {
    c.contactFilter = [](const Model&, const Data&, int, int) -> bool { throw std::runtime_error("no idea"); };
  });
  expectSame("sensor", 3, [](Callbacks& c) {
    c.sensor = [](const Model&, const Data&, int, std::span<double> values) {
      values[0] = 3;
      throw std::runtime_error("no idea");
    };
  });
  Data d(model);
  d.callbacks.control = [](const Model&, const Data&, const ControlOutput&) { throw 7; };
  EXPECT_NO_THROW(step(model, d));
  EXPECT_EQ(d.callbackError, "it was no std::exception");
}

TEST(Stages, CallbacksBelongToADataAndNotToItsState) {
  const Model m = modelOf(models()["EulerNewton"]);
  Data d(m), other(m);
  d.callbacks.control = [](const Model&, const Data&, const ControlOutput& out) { out.ctrl[0] = 0.7; };
  step(m, d);
  copyState(m, d, other);
  EXPECT_FALSE(other.callbacks.control);
  restoreState(m, other, saveState(m, d));
  EXPECT_FALSE(other.callbacks.control);
  reset(m, d);
  EXPECT_TRUE(d.callbacks.control);
  Data copy = d;
  step(m, copy);
  EXPECT_EQ(copy.ctrl[0], 0.7);
  EXPECT_EQ(d.ctrl[0], 0);
  // what is not finite is reported as if the user had written it
  d.callbacks.control = [](const Model&, const Data&, const ControlOutput& out) {
    out.ctrl[1] = std::numeric_limits<double>::quiet_NaN();
  };
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadCtrl].first, 1);
}

TEST(Stages, StepsWithCallbacksDoNotAllocate) {
  const Model m = modelOf(models()["EulerNewton"]);
  Data d(m);
  d.callbacks.control = [](const Model&, const Data& x, const ControlOutput& out) { out.ctrl[0] = -x.sensordata[0]; };
  d.callbacks.passive = [](const Model&, const Data& x, std::span<double> qfrc) { qfrc[0] -= x.qvel[0]; };
  d.callbacks.contactFilter = [](const Model&, const Data&, int first, int second) { return first + second > 0; };
  for (int i = 0; i < 300; ++i) step(m, d);
  const AllocationGuard guard("step");
  for (int i = 0; i < 20; ++i) {
    step1(m, d);
    step2(m, d);
    step(m, d);
  }
}

TEST(Stages, DerivativesSeeTheController) {
  // x'' = u / m with u = -k x: A holds the closed loop
  const Model m = modelOf(R"(<mujoco><option timestep=".01" gravity="0 0 0"/><worldbody><body>
      <joint name="x" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body></worldbody>
      <actuator><motor joint="x"/></actuator></mujoco>)");
  Data d(m);
  d.callbacks.control = [](const Model&, const Data& x, const ControlOutput& out) { out.ctrl[0] = -5 * x.qpos[0]; };
  const TransitionDerivatives t = transitionDerivatives(m, d);
  EXPECT_NEAR(t.A[2], -0.01 * 5 / 2, 1e-9);
}

}  // namespace
}  // namespace sinew::test
