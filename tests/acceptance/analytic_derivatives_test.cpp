#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/derivatives.h"
#include "sinew/dynamics.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/refusal.h"
#include "support/tolerance.h"

// Derivatives in closed form against central differences of whole steps, and of inverse dynamics. With eps = 1e-5 these
// leave eps^2 times third derivatives and 1e-16 / eps: some 1e-10 of the largest entry, which is what differences are
// measured against.
namespace sinew {
namespace {

using Numbers = std::vector<double>;

testing::AssertionResult sameMatrix(const Numbers& actual, const Numbers& expected, double bound) {
  if (actual.size() != expected.size()) return testing::AssertionFailure() << actual.size() << " entries";
  double scale = 1;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::abs(actual[i] - expected[i]) <= bound * scale) continue;
    return testing::AssertionFailure() << "entry " << i << ": " << actual[i] << " instead of " << expected[i]
                                       << ", scale " << scale;
  }
  return testing::AssertionSuccess();
}

void expectAgreement(const Model& m, const Data& d, const std::string& what, double eps = 1e-5) {
  SCOPED_TRACE(what);
  ASSERT_EQ(analyticObstacle(m, d), "");
  const TransitionDerivatives exact = analyticDerivatives(m, d);
  const TransitionDerivatives differences = transitionDerivatives(m, d, {.eps = eps, .centered = true});
  EXPECT_EQ(exact.states, differences.states);
  EXPECT_EQ(exact.controls, differences.controls);
  EXPECT_TRUE(sameMatrix(exact.A, differences.A, test::tolerance(1e-7))) << "A";
  EXPECT_TRUE(sameMatrix(exact.B, differences.B, test::tolerance(1e-7))) << "B";
  EXPECT_EQ(exact.sensors, m.nsensordata);
  // row by row: the unit of a row is that of its sensor
  for (int s = 0; s < m.nsensordata; ++s) {
    const auto rowOf = [&](const Numbers& matrix, int columns) {
      return Numbers(matrix.begin() + s * columns, matrix.begin() + (s + 1) * columns);
    };
    EXPECT_TRUE(sameMatrix(rowOf(exact.C, exact.states), rowOf(differences.C, exact.states), test::tolerance(3e-7)))
        << "C, row " << s;
    EXPECT_TRUE(sameMatrix(rowOf(exact.D, exact.controls), rowOf(differences.D, exact.controls), test::tolerance(3e-7)))
        << "D, row " << s;
  }
}

void expectInverseAgreement(const Model& m, const Data& d, double eps, const std::string& what) {
  SCOPED_TRACE(what);
  const InverseDerivatives exact = analyticInverseDerivatives(m, d);
  const InverseDerivatives differences = inverseDerivatives(m, d, {.eps = eps, .centered = true});
  const auto same = [&](const Numbers& a, const Numbers& b, const char* name) {
    EXPECT_TRUE(sameMatrix(a, b, test::tolerance(1e-7))) << name;
  };
  same(exact.DfDq, differences.DfDq, "DfDq");
  same(exact.DfDv, differences.DfDv, "DfDv");
  same(exact.DfDa, differences.DfDa, "DfDa");
  EXPECT_EQ(exact.sensors, m.nsensordata);
  same(exact.DsDq, differences.DsDq, "DsDq");
  same(exact.DsDv, differences.DsDv, "DsDv");
  same(exact.DsDa, differences.DsDa, "DsDa");
}

TEST(AnalyticDerivatives, API_3_OfRandomTreesAreDifferencesOfSteps) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Model m = test::modelOf(test::randomTree(seed, 7));
    Data d(m);
    test::randomizeState(m, d, seed);
    forward(m, d);
    if (d.nefc() > 0) continue;
    for (const Integrator integrator : {Integrator::Euler, Integrator::RK4}) {
      m.opt.integrator = integrator;
      expectAgreement(m, d,
                      "seed " + std::to_string(seed) + " integrator " + std::to_string(static_cast<int>(integrator)));
    }
  }
}

/// Springs, dampers, armature, polynomial laws, gravity compensation, every kind of joint, tendons and actuators that
/// are differentiated.
const char* const kMachine = R"(<mujoco><option timestep=".004" gravity=".5 -.3 -9"><flag contact="disable"/></option>
  <worldbody>
    <body name="base" pos="0 0 1"><joint name="ball" type="ball" damping=".1" stiffness="2"/>
      <geom type="box" size=".1 .05 .05" pos=".1 0 0"/>
      <body pos=".2 0 0" gravcomp=".6"><joint name="elbow" axis="0 1 0" damping=".05 .02 .01" stiffness="1 .4 .2" springref="20"
          armature=".02"/>
        <joint name="twist" axis="1 0 0" armature=".01"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
        <body pos=".3 0 0"><joint name="rail" type="slide" axis="0 .6 .8" damping=".3"/><geom type="box" size=".05 .03 .04"/>
          <body pos=".1 0 0"><geom size=".02" pos="0 .1 0"/></body></body></body></body>
    <body name="free" pos="1 0 1" gravcomp=".3"><freejoint/><geom type="box" size=".1 .2 .3" pos=".02 .03 .01"/>
      <body pos="0 0 .4"><joint name="wrist" axis="0 0 1"/><geom type="box" size=".05 .02 .03" pos=".1 0 0"/></body></body>
  </worldbody>
  <tendon><fixed name="cable" stiffness="3" damping=".2" springlength="0"><joint joint="elbow" coef="1.5"/><joint joint="rail" coef="-2"/>
    </fixed></tendon>
  <actuator>
    <motor joint="twist" gear="2" ctrllimited="true" ctrlrange="-1 1"/>
    <position joint="elbow" kp="3" kv=".4"/>
    <velocity joint="rail" kv=".7"/>
    <general name="lag" joint="wrist" dyntype="filter" dynprm=".05" gainprm="2"/>
    <general joint="wrist" dyntype="filterexact" dynprm=".03" gainprm="1" biastype="affine" biasprm="0 -1 -.1"/>
    <general joint="twist" dyntype="integrator" gaintype="affine" gainprm="1 .5 .2" actlimited="true" actrange="-1 1"/>
    <motor tendon="cable" gear=".5"/>
    <motor joint="ball" gear="1 2 3 0 0 0"/>
    <motor joint="elbow" gear="1" forcelimited="true" forcerange="-.01 .01"/>
  </actuator>
  <sensor><jointpos joint="elbow"/><jointvel joint="rail"/><ballquat joint="ball"/><ballangvel joint="ball"/><tendonpos tendon="cable"/>
    <tendonvel tendon="cable"/><tendonactuatorfrc tendon="cable"/><actuatorpos actuator="lag"/><actuatorvel actuator="lag"/>
    <actuatorfrc actuator="lag"/><jointactuatorfrc joint="elbow"/><framequat objtype="body" objname="free"/>
    <framelinvel objtype="body" objname="free" reftype="body" refname="base"/><framelinacc objtype="xbody" objname="free"/>
    <frameangacc objtype="body" objname="base"/><subtreecom body="base"/><subtreelinvel body="free"/><subtreeangmom body="free"/>
    <e_potential/><e_kinetic/><clock/></sensor></mujoco>)";

TEST(AnalyticDerivatives, API_3_OfSpringsDampersAndActuatorsAreDifferencesOfSteps) {
  for (const Integrator integrator : {Integrator::Euler, Integrator::RK4, Integrator::ImplicitFast}) {
    for (const bool implicitDamping : {true, false}) {
      for (unsigned seed = 1; seed <= 3; ++seed) {
        std::string mjcf = kMachine;
        if (integrator == Integrator::ImplicitFast) {  // where a gain depends on velocity its matrix does too
          const std::string affine = "gaintype=\"affine\" gainprm=\"1 .5 .2\"";
          mjcf.replace(mjcf.find(affine), affine.size(), "gaintype=\"affine\" gainprm=\"1 .5 0\"");
        }
        Model m = test::modelOf(mjcf);
        m.opt.integrator = integrator;
        if (!implicitDamping) m.opt.disableflags |= disable::kEulerDamp;
        Data d(m);
        test::randomizeState(m, d, seed, 0.5, 1);
        expectAgreement(m, d,
                        "integrator " + std::to_string(static_cast<int>(integrator)) + " seed " + std::to_string(seed));
      }
    }
  }
}

/// Everything that makes rows: limits of joints (a ball, too) and tendons, connect, weld, joint and tendon equalities,
/// friction loss, contacts of dimension 1 to 6 between free bodies, arms and the floor. Impedances change over
/// decimetres: over the usual millimetre central differences are not exact enough to compare with.
std::string rowsModel(const std::string& cone, double impratio) {
  return R"(<mujoco><option timestep=".003" tolerance="1e-15" iterations="300" ls_iterations="100" cone=")" + cone +
         R"(" impratio=")" + std::to_string(impratio) + R"("/>
  <default><geom solimp=".8 .9 .5 .4 2" density="800"/><joint solimplimit=".7 .9 .5"/>
    <equality solimp=".8 .9 .6 .5 3" solref=".03 .9"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="ball" pos="-1 0 .092"><freejoint/><geom name="ball" size=".1"/><site name="skin" size=".11"/></body>
    <body name="top" pos="-.97 .02 .279"><freejoint/><geom name="top" size=".1" condim="6" friction=".7 .02 .01"/></body>
    <body name="log" pos="-2 0 .055"><freejoint/><geom type="capsule" size=".06 .2" euler="88 3 0" condim="4"/></body>
    <body name="slab" pos="-3 0 .045"><freejoint/><geom type="box" size=".1 .15 .05" euler="1 .7 0"/></body>
    <body name="egg" pos="-4 0 .09"><freejoint/><geom type="ellipsoid" size=".15 .12 .1" condim="1"/></body>
    <body name="upper" pos="0 0 1"><joint name="shoulder" type="ball" limited="true" range="0 20" frictionloss=".05"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <body name="lower" pos=".3 0 0"><joint name="elbow" axis="0 1 0" limited="true" range="-10 10" damping=".05"/>
        <joint name="twist" axis="1 0 0" frictionloss=".2"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
        <body name="hand" pos=".3 0 0"><joint name="rail" type="slide" axis="0 .6 .8"/><geom type="box" size=".05 .03 .04"/>
          <site name="palm" pos=".03 .01 .02" euler="10 20 30"/></body>
      </body></body>
    <body name="link1" pos="1 0 1"><joint name="a" axis="0 1 0"/><geom type="box" size=".2 .03 .03" pos=".2 0 0"/>
      <body name="link2" pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="box" size=".2 .03 .03" pos=".2 0 0"/></body></body>
    <body name="hung" pos="1.4 .3 1"><freejoint/><geom type="box" size=".1 .05 .05"/></body>
    <body name="geared" pos="1 1 1"><joint name="c" axis="1 0 0"/><geom size=".1" pos="0 .2 0"/></body>
    <site name="hook" pos="0 .6 1"/>
  </worldbody>
  <contact><exclude body1="link1" body2="hung"/><exclude body1="link2" body2="hung"/></contact>
  <tendon><fixed name="sum" limited="true" range="-.1 .1" solimplimit=".8 .9 .4"><joint joint="elbow" coef="1"/><joint joint="rail" coef="2"/></fixed>
    <fixed name="t"><joint joint="b" coef="1.5"/></fixed></tendon>
  <equality><connect body1="link2" body2="world" anchor=".4 0 .02"/><weld body1="hung" body2="link1" torquescale=".8"/>
    <joint joint1="c" joint2="a" polycoef="0 .8 .3 .1 0"/><tendon tendon1="t" polycoef=".1 0 0 0 0"/></equality>
  <actuator><motor joint="elbow" gear="2"/><position joint="c" kp="4"/><general joint="rail" dyntype="filter" dynprm=".05" gainprm="2"/>
  </actuator>
  <sensor><accelerometer site="palm"/><gyro site="palm"/><velocimeter site="palm"/><force site="palm"/><torque site="palm"/><touch site="skin"/>
    <jointlimitpos joint="elbow"/><jointlimitvel joint="elbow"/><jointlimitfrc joint="elbow"/><tendonlimitfrc tendon="sum"/>
    <framelinacc objtype="body" objname="hung"/><contact geom1="ball" geom2="top" data="force torque dist"/>
    <distance geom1="ball" geom2="top" cutoff="1"/></sensor></mujoco>)";
}

/// Rows of a step that push, by their kind.
int pushing(const Data& d, RowType type) {
  int count = 0;
  for (int row = 0; row < d.nefc(); ++row) count += d.efc_type[row] == type && d.efc_force[row] != 0;
  return count;
}

// Where rows stay on their sides a step is smooth, and its derivative that of the solve: against differences of steps.
TEST(AnalyticDerivatives, API_3_WithActiveRowsAreDifferencesOfSteps) {
  for (const std::string cone : {"pyramidal", "elliptic"}) {
    for (const Integrator integrator : {Integrator::Euler, Integrator::RK4, Integrator::ImplicitFast}) {
      Model m = test::modelOf(rowsModel(cone, cone == "elliptic" ? 3 : 1));
      m.opt.integrator = integrator;
      if (integrator == Integrator::ImplicitFast) {  // refuses standalone free bodies
        std::string text = rowsModel(cone, 2);
        for (std::size_t at; (at = text.find("<freejoint/>")) != std::string::npos;) {
          text.replace(at, 12,
                       "<joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/><joint axis='0 1 0'/>");
        }
        m = test::modelOf(text);
        m.opt.integrator = integrator;
      }
      Data d(m);
      test::randomizeState(m, d, 5, 0.0, 0.3);
      d.qpos[m.jnt_qposadr[findId(m, ObjType::Joint, "elbow")]] = 0.4;  // beyond its limit
      const int shoulder = m.jnt_qposadr[findId(m, ObjType::Joint, "shoulder")];
      d.qpos[shoulder] = std::cos(0.25);  // and so is the ball
      d.qpos[shoulder + 2] = std::sin(0.25);
      forward(m, d);
      EXPECT_GE(pushing(d, RowType::LimitJoint), 2);
      EXPECT_GT(pushing(d, RowType::LimitTendon), 0);
      EXPECT_GE(pushing(d, RowType::Equality), 6);
      EXPECT_GT(pushing(d, RowType::FrictionDof), 0);
      EXPECT_GT(pushing(d, cone == "elliptic" ? RowType::ContactElliptic : RowType::ContactPyramidal), 8);
      expectAgreement(m, d, cone + " integrator " + std::to_string(static_cast<int>(integrator)));

      for (int i = 0; i < m.nv; ++i) d.qacc[i] += 0.1 * std::sin(1.0 + i);
      expectInverseAgreement(m, d, 1e-6, cone);
    }
  }
}

/// Forces without a closed form: elasticity of every kind of flex, fluid, spatial tendons around a cylinder, muscles,
/// a site that pushes, a slider-crank, PID.
std::string openForms(const std::string& option) {
  return "<mujoco><option " + option + R"( gravity=".3 -.2 -9"/>
  <worldbody>
    <body name="arm" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping=".1 .05 .02"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <site name="upper" pos=".1 0 .05"/>
      <body pos=".3 0 0"><joint name="elbow" axis="0 1 .3" stiffness="1 .3 .1"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
        <site name="lower" pos=".15 0 .03"/><site name="jet" pos=".3 0 0" euler="20 10 0"/></body></body>
    <geom name="pulley" type="cylinder" size=".05 .1" euler="90 0 0" pos=".25 0 1.12" contype="0" conaffinity="0"/><site name="beside" pos=".25 0 1.3"/>
    <site name="ceiling" pos="-.1 .05 1.4"/>
    <body name="kite" pos="1 0 2"><freejoint/><geom type="box" size=".2 .15 .01"/></body>
    <body name="hub" pos="2 0 2"><joint type="ball"/><geom type="ellipsoid" size=".1 .2 .15" pos=".1 .1 0"/></body>
    <body name="piston" pos="0 1 1"><joint name="rail" type="slide" axis="1 0 0"/><geom size=".05"/><site name="rod" pos="0 0 0"/></body>
    <body name="crank" pos=".5 1 1"><joint name="turn" axis="0 1 0"/><geom size=".04" pos=".1 0 .05"/><site name="pin" pos=".1 0 .05"/></body>
  </worldbody>
  <tendon>
    <spatial name="rope" stiffness="40" damping="2" springlength=".1"><site site="ceiling"/><geom geom="pulley" sidesite="beside"/><site site="lower"/></spatial>
    <spatial name="flexor" armature=".01"><site site="ceiling"/><site site="upper"/><site site="lower"/></spatial>
  </tendon>
  <actuator>
    <muscle name="biceps" tendon="flexor" lengthrange=".2 1.2" ctrllimited="true" ctrlrange="0 1"/>
    <general name="thrust" site="jet" gear="0 0 1 .2 0 0" gainprm="2"/>
    <general name="crank" cranksite="pin" slidersite="rod" cranklength=".7" gainprm="1" dyntype="filter" dynprm=".04" actearly="true"/>
    <intvelocity name="servo" joint="elbow" kp="3" actrange="-2 2"/>
  </actuator>
  <sensor><actuatorfrc actuator="biceps"/><tendonpos tendon="rope"/><force site="jet"/><accelerometer site="jet"/><framexaxis objtype="site" objname="lower"/>
  </sensor></mujoco>)";
}

TEST(AnalyticDerivatives, API_3_OfForcesWithoutClosedFormAreDifferencesOfSteps) {
  for (const char* integrator : {"Euler", "RK4", "implicit", "implicitfast"}) {
    const Model m = test::modelOf(openForms("timestep='.003' density='1.2' viscosity='.01' wind='1 .5 0' integrator='" +
                                            std::string(integrator) + "'"));
    for (unsigned seed = 1; seed <= 3; ++seed) {
      Data d(m);
      test::randomizeState(m, d, seed, 0.2, 1);
      d.ctrl[0] = seed == 1 ? 0 : seed == 2 ? 1 : 0.4;  // at both ends of the range of the muscle, and within
      forward(m, d);
      ASSERT_EQ(d.nefc(), 0);
      // a control at the end of its range is differenced one-sided: the error goes with eps
      expectAgreement(m, d, std::string(integrator) + " seed " + std::to_string(seed), 1e-6);
    }
  }
}

struct SoftThing {
  const char* name;
  const char* mjcf;
};

/// Cables, cloth, shells, rods and solids: free, pinned, riding on a body, interpolated; springs, rows and elasticity.
const SoftThing kSoftThings[] = {
    {"cloth",
     R"(<flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".2" radius=".005">
        <elasticity young="3e4" poisson=".2" thickness=".005" damping=".02" elastic2d="both"/><contact selfcollide="none"/></flexcomp>)"},
    {"string",
     R"(<flexcomp name="f" type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1" mass=".2" radius=".005">
        <edge stiffness="200" damping="1"/><contact selfcollide="none"/></flexcomp>)"},
    {"pinned cloth of rows",
     R"(<flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".2" radius=".005">
        <edge equality="true" solimp=".8 .9 .5"/><contact selfcollide="none"/><pin id="0 2"/></flexcomp>)"},
    {"shell", R"(<flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".2" radius=".005">
        <elasticity young="2e4" poisson=".3" thickness=".01" damping=".01" law="stvk" elastic2d="both"/><contact selfcollide="none"/><pin id="0"/></flexcomp>)"},
    {"solid", R"(<flexcomp name="f" type="grid" dim="3" count="2 3 2" spacing=".1 .1 .1" mass=".5" radius=".005">
        <elasticity young="1e4" poisson=".3" damping=".02" law="neohookean"/><contact selfcollide="none" internal="false"/></flexcomp>)"},
    {"rod", R"(<flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" mass=".1" radius=".01">
        <elasticity young="1e5" damping=".01" law="stvk"/><contact selfcollide="none"/><pin id="0"/></flexcomp>)"},
    {"interpolated",
     R"(<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" mass=".5" radius=".005" dof="trilinear">
        <elasticity young="1e4" poisson=".2" damping=".02"/><contact selfcollide="none" internal="false"/></flexcomp>)"},
};

std::string softModel(const SoftThing& thing, const std::string& integrator, const std::string& more = "") {
  return "<mujoco><option timestep='.002' tolerance='0' iterations='50' ls_iterations='100' integrator='" + integrator +
         "'/><worldbody>" + more +
         "<body name='carrier' pos='0 0 1'><joint axis='0 1 0' damping='.1'/><geom type='box' size='.02 .02 .02' "
         "pos='0 0 .3'/>" +
         thing.mjcf +
         "</body></worldbody><sensor><framelinacc objtype='body' objname='carrier'/><e_potential/></sensor></mujoco>";
}

TEST(AnalyticDerivatives, API_3_OfFlexesAreDifferencesOfSteps) {
  for (const SoftThing& thing : kSoftThings) {
    for (const char* integrator : {"Euler", "RK4", "implicitfast", "implicit", "midpoint"}) {
      const Model m = test::modelOf(softModel(thing, integrator));
      EXPECT_EQ(m.nstiffdof > 0, std::string(thing.mjcf).find("<elasticity") != std::string::npos ||
                                     std::string(thing.mjcf).find("stiffness") != std::string::npos)
          << thing.name;
      Data d(m);
      test::randomizeState(m, d, 3, 0.005, 0.2);
      expectAgreement(m, d, std::string(thing.name) + " " + integrator, 1e-6);
    }
  }
}

/// A sheet and a solid that lie on a floor and have a ball on them: contacts of vertices and of elements.
TEST(AnalyticDerivatives, API_3_OfFlexesThatTouchAreDifferencesOfSteps) {
  struct Case {
    const SoftThing& thing;
    const char *floor, *ball;
  };
  for (const Case& c : {Case{kSoftThings[0], ".9975", "1.052"}, Case{kSoftThings[4], ".948", "1.102"}}) {
    for (const char* integrator : {"Euler", "implicitfast"}) {
      for (const std::string cone : {"pyramidal", "elliptic"}) {
        std::string text =
            softModel(c.thing, integrator,
                      std::string("<geom name='floor' type='plane' size='3 3 1' solimp='.8 .9 .5' pos='0 0 ") +
                          c.floor + "'/><body name='ball' pos='.012 .017 " + c.ball +
                          "'><freejoint/><geom name='ball' size='.05' solimp='.8 .9 .5'/></body>");
        text.replace(text.find("<option"), 7, "<option cone='" + cone + "'");
        const Model m = test::modelOf(text);
        Data d(m);
        test::randomizeState(m, d, 5, 0.0005, 0.05);
        forward(m, d);
        const int ball = findId(m, ObjType::Geom, "ball");
        EXPECT_GE(d.ncon(), 5);
        EXPECT_TRUE(std::any_of(d.contact.begin(), d.contact.end(), [&](const Contact& contact) {
          return (contact.geom[0] == ball || contact.geom[1] == ball) && contact.efc_address >= 0 &&
                 d.efc_force[contact.efc_address] > 0;
        }));
        // edges of elements bend the forces of contacts sharply: differences of steps need small nudges
        expectAgreement(m, d, std::string(c.thing.name) + " " + integrator + " " + cone, 2e-7);
      }
    }
  }
}

// The error of central differences goes with the square of the nudge: a quarter of it leaves a sixteenth of what is
// between them and the derivative, and nothing else.
TEST(AnalyticDerivatives, API_3_AreTheLimitOfDifferences) {
  const auto largest = [](const Numbers& a, const Numbers& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  const auto expectLimit = [&](const Model& m, const Data& d, const std::string& what, double eps = 1e-3) {
    SCOPED_TRACE(what);
    const TransitionDerivatives exact = analyticDerivatives(m, d);
    const TransitionDerivatives coarse = transitionDerivatives(m, d, {.eps = eps, .centered = true});
    const TransitionDerivatives fine = transitionDerivatives(m, d, {.eps = eps / 4, .centered = true});
    const double ofA = largest(coarse.A, exact.A) / largest(fine.A, exact.A);
    const double ofC = largest(coarse.C, exact.C) / largest(fine.C, exact.C);
    EXPECT_NEAR(ofA, 16, test::tolerance(1)) << "A";
    EXPECT_NEAR(ofC, 16, test::tolerance(1)) << "C";
  };
  for (const char* solver : {"Newton", "Impulse"}) {
    std::string mjcf = kMachine;
    mjcf.replace(mjcf.find("<option"), 7, std::string("<option solver='") + solver + "'");
    const Model machine = test::modelOf(mjcf);
    Data d(machine);
    test::randomizeState(machine, d, 4, 0.5, 1);
    expectLimit(machine, d, solver);
  }
  const Model open = test::modelOf(openForms("timestep='.003' density='1.2' viscosity='.01' integrator='implicit'"));
  Data d(open);
  test::randomizeState(open, d, 2, 0.2, 1);
  d.ctrl[0] = 0.4;
  expectLimit(open, d, "open forms");
  const Model cloth = test::modelOf(softModel(kSoftThings[0], "midpoint"));
  Data soft(cloth);
  test::randomizeState(cloth, soft, 3, 0.005, 0.2);
  expectLimit(cloth, soft, "cloth", 2e-5);  // the stiffness of an element has kinks where it is compressed
}

TEST(AnalyticDerivatives, API_3_OfInverseDynamicsAreDifferences) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model m = test::modelOf(seed <= 3 ? test::randomTree(seed, 8) : std::string(kMachine));
    Data d(m);
    test::randomizeState(m, d, seed);
    for (int i = 0; i < m.nv; ++i) d.qacc[i] = std::sin(1.0 + i);
    expectInverseAgreement(m, d, 1e-5, "seed " + std::to_string(seed));
  }
}

TEST(AnalyticDerivatives, API_3_OfInverseDynamicsWithoutClosedFormAreDifferences) {
  const auto expectInverse = [](const Model& m, unsigned seed, double amplitude, double speed,
                                const std::string& what) {
    Data d(m);
    test::randomizeState(m, d, seed, amplitude, speed);
    for (int i = 0; i < m.nv; ++i) d.qacc[i] = std::sin(1.0 + i);
    expectInverseAgreement(m, d, 1e-6, what);
  };
  expectInverse(test::modelOf(openForms("density='1.2' viscosity='.01'")), 1, 0.2, 1, "open forms");
  for (const SoftThing& thing : kSoftThings) {
    expectInverse(test::modelOf(softModel(thing, "Euler")), 2, 0.005, 0.2, thing.name);
  }
}

/// The same under the impulse solver: every kind of joint, bodies and trees that tumble, limits, equalities, friction
/// loss, contacts that stick, slide and turn.
std::string impulseModel(const std::string& option) {
  return "<mujoco><option solver='Impulse' tolerance='1e-12' iterations='200' timestep='.004' " + option + R"(/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" condim="1"/>
    <body name="ball" pos="-1 0 .0997"><freejoint/><geom name="ball" size=".1" condim="4" friction=".6 .02 .01"/><site name="skin" size=".11"/></body>
    <body name="puck" pos="-2 0 .0998"><freejoint/><geom name="puck" size=".1" condim="3" friction=".3"/></body>
    <body name="egg" pos="-4 0 .0995"><freejoint/><geom type="ellipsoid" size=".15 .12 .1" condim="1"/></body>
    <body name="slab" pos="-3 0 1"><freejoint/><geom type="box" size=".1 .15 .05"/></body>
    <body name="upper" pos="0 0 1"><joint name="shoulder" type="ball" damping=".05"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <body name="lower" pos=".3 0 0"><joint name="elbow" axis="0 1 0" limited="true" range="-10 10" damping=".05"/>
        <joint name="twist" axis="1 0 0" frictionloss=".02"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
        <site name="palm" pos=".2 .01 .02" euler="10 20 30"/></body></body>
    <body name="tree" pos="2 0 2"><freejoint/><geom type="box" size=".1 .05 .2"/>
      <body pos="0 0 .2"><joint name="tail" axis="1 0 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 .1 .4"/></body></body>
    <body name="spinner" pos="4 0 2"><freejoint/><geom type="box" size=".1 .05 .2"/>
      <body pos="0 0 .2"><joint axis="1 0 0"/><geom type="capsule" size=".03" fromto="0 0 0 0 .1 .4"/></body></body>
    <body name="link1" pos="1 0 1"><joint name="a" axis="0 1 0"/><geom type="box" size=".2 .03 .03" pos=".2 0 0"/>
      <body name="link2" pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="box" size=".2 .03 .03" pos=".2 0 0"/></body></body>
    <body name="geared" pos="1 1 1"><joint name="c" axis="1 0 0"/><geom size=".1" pos="0 .2 0"/></body>
  </worldbody>
  <equality><connect body1="link2" body2="world" anchor=".4 0 .02"/><joint joint1="c" joint2="tail" polycoef="0 .8 .3 .1 0"/></equality>
  <actuator><motor joint="elbow" gear="2"/><position joint="c" kp="4"/><general joint="tail" dyntype="filter" dynprm=".05" gainprm="2"/>
  </actuator>
  <sensor><accelerometer site="palm"/><force site="palm"/><touch site="skin"/><jointlimitfrc joint="elbow"/>
    <framelinacc objtype="body" objname="puck"/></sensor></mujoco>)";
}

TEST(AnalyticDerivatives, API_3_UnderTheImpulseSolverAreDifferencesOfSteps) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast"}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Model m = test::modelOf(impulseModel(std::string("integrator='") + integrator + "'"));
      Data d(m);
      test::randomizeState(m, d, seed, 0.0, 0.2);
      const auto dofOf = [&](const char* body) { return m.body_dofadr[findId(m, ObjType::Body, body)]; };
      // the ball rolls and is turned, the puck slides, the egg slides without friction, the slab and the tree tumble
      const int ball = dofOf("ball"), puck = dofOf("puck"), slab = dofOf("slab"), tree = dofOf("tree"),
                spinner = dofOf("spinner");
      std::fill_n(d.qvel.begin() + ball, 6, 0.0);
      std::fill_n(d.qfrc_applied.begin() + ball, 6, 0.1);
      std::fill_n(d.xfrc_applied.begin() + 6 * findId(m, ObjType::Body, "ball"), 6, 0.1);
      d.qvel[ball] = 0.5;
      d.qvel[ball + 4] = 5;
      d.qvel[puck] = 1;
      d.qvel[puck + 1] = 0.7;
      d.qvel[puck + 2] = -0.01;
      d.qvel[slab + 3] = 4;
      d.qvel[slab + 5] = -3;
      d.qvel[tree + 4] = 3;
      d.qvel[spinner + 3] = 9;
      d.qvel[spinner + 5] = -12;
      d.qpos[m.jnt_qposadr[findId(m, ObjType::Joint, "elbow")]] = seed == 2 ? 0.1 : 0.25;  // within, and beyond
      d.qvel[m.jnt_dofadr[findId(m, ObjType::Joint, "twist")]] = seed == 3 ? 0.8 : 0;      // turns, and is held
      forward(m, d);
      int sticks = 0, slides = 0;
      for (const Contact& contact : d.contact) {
        if (contact.efc_address < 0) continue;
        sticks += d.efc_state[contact.efc_address] == RowState::Quadratic && contact.dim > 1;
        slides += d.efc_state[contact.efc_address] == RowState::Cone;
      }
      EXPECT_EQ(sticks, 1);
      EXPECT_EQ(slides, 1);
      EXPECT_GE(pushing(d, RowType::Equality), 3);
      EXPECT_EQ(pushing(d, RowType::LimitJoint), seed == 2 ? 0 : 1);
      EXPECT_EQ(pushing(d, RowType::FrictionDof), 1);
      expectAgreement(m, d, std::string(integrator) + " seed " + std::to_string(seed), 1e-6);
    }
  }
}

// A box that stands on its four corners: twelve rows hold six dofs.
TEST(AnalyticDerivatives, API_3_UnderTheImpulseSolverRowsMayShareALoad) {
  const Model m = test::modelOf(
      "<mujoco><option solver='Impulse' tolerance='1e-12' iterations='200'/><worldbody><geom type='plane' size='2 2 "
      "1'/>"
      "<body pos='0 0 .0999'><freejoint/><geom type='box' size='.2 .15 .1'/></body></worldbody></mujoco>");
  Data d(m);
  d.qfrc_applied[0] = 0.3;
  d.qfrc_applied[4] = 0.2;
  for (int i = 0; i < 5; ++i) step(m, d);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 4);
  for (const Contact& contact : d.contact) {
    ASSERT_GT(d.efc_force[contact.efc_address], 0);
    ASSERT_EQ(d.efc_state[contact.efc_address], RowState::Quadratic);
  }
  expectAgreement(m, d, "box", 1e-7);
}

/// Flexes under the impulse solver, as long as no row acts on them.
TEST(AnalyticDerivatives, API_3_OfFlexesUnderTheImpulseSolverAreDifferencesOfSteps) {
  for (const SoftThing& thing : kSoftThings) {
    if (std::string(thing.mjcf).find("equality") != std::string::npos) continue;
    for (const char* integrator : {"Euler", "implicitfast", "midpoint"}) {
      std::string text = softModel(thing, integrator);
      text.replace(text.find("<option"), 7, "<option solver='Impulse'");
      const Model m = test::modelOf(text);
      Data d(m);
      test::randomizeState(m, d, 3, 0.005, 0.2);
      expectAgreement(m, d, std::string(thing.name) + " " + integrator, 1e-6);
    }
  }
}

TEST(AnalyticDerivatives, API_3_ObstaclesOfTheImpulseSolverAreNamed) {
  const auto obstacle = [](const std::string& option, const std::string& body, double vz = 0) {
    const Model m = test::modelOf("<mujoco><option solver='Impulse' " + option +
                                  "/><worldbody><geom type='plane' size='1 1 1' restitution='.5'/>" + body +
                                  "</worldbody></mujoco>");
    Data d(m);
    if (vz != 0) d.qvel[2] = vz;
    const std::string why = analyticObstacle(m, d);
    if (!why.empty()) {
      EXPECT_EQ(test::refusal([&] { analyticDerivatives(m, d); }),
                "analyticDerivatives: " + why + "; transitionDerivatives() differentiates any step");
    }
    return why;
  };
  const std::string ball = "<body pos='0 0 .0999'><freejoint/><geom name='ball' size='.1' restitution='.5'/></body>";
  EXPECT_EQ(obstacle("", ball), "");
  EXPECT_EQ(obstacle("", ball, -2), "the contact of geom 0 and geom \"ball\" bounces");
  EXPECT_EQ(obstacle("method='sweep'", ball),
            "method=\"sweep\" moves in substeps, of which none is solved to the end; method=\"newton\" does");
  EXPECT_EQ(obstacle("", "<body pos='0 0 .0999'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"),
            "the contact of geom 0 and geom \"can\" jumps within 1e-06 of dof 3");
  EXPECT_EQ(obstacle("",
                     "<flexcomp name='f' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' pos='0 0 .0009' "
                     "mass='1' radius='.001'><contact selfcollide='none'/></flexcomp>"),
            "rows act on flexes under the Impulse solver, where they give way");
}

TEST(AnalyticDerivatives, API_3_ObstaclesAreNamed) {
  const auto text = [](const std::string& what) {
    return "analyticDerivatives: " + what + "; transitionDerivatives() differentiates any step";
  };
  const auto refuse = [&](const std::string& option, const std::string& body, const std::string& more) {
    const Model m = test::modelOf("<mujoco><option " + option + "/><worldbody><geom type='plane' size='1 1 1'/>" +
                                  body + "</worldbody>" + more + "</mujoco>");
    const Data d(m);
    return test::refusal([&] { analyticDerivatives(m, d); });
  };
  const std::string ball = "<body pos='0 0 1'><freejoint/><geom size='.1'/></body>";
  const std::string arm = "<body pos='0 0 1'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body>";
  const auto resting = [](const std::string& shape, const std::string& height, const std::string& more = "") {
    return "<body pos='0 0 " + height + "'><freejoint/><geom name='thing' " + shape + "/></body>" + more;
  };
  EXPECT_EQ(refuse("", resting("size='.1'", ".0999995"), ""),
            text("a contact or limit begins or ends within 1e-06 of dof 2"));
  EXPECT_EQ(refuse("", resting("type='cylinder' size='.1 .1'", ".099"), ""),
            text("the contact of geom 0 and geom \"thing\" jumps within 1e-06 of dof 3"));
  EXPECT_EQ(refuse("noslip_iterations='2'", resting("size='.1'", ".09"), ""),
            text("noslip changes forces after they were solved for"));
  EXPECT_EQ(refuse("", resting("size='.1' adhesion='3'", ".09"), ""),
            text("the contact of geom 0 and geom \"thing\" has adhesion"));
  {
    const Model m =
        test::modelOf("<mujoco><option solver='PGS' iterations='1'/><worldbody><geom type='plane' size='1 1 1'/>" +
                      resting("type='box' size='.1 .1 .1'", ".09") + "</worldbody></mujoco>");
    const std::string why = analyticObstacle(m, Data(m));
    EXPECT_EQ(why.find("the solver left "), 0u) << why;
    EXPECT_NE(why.find(" of the forces unbalanced (more iterations or a smaller tolerance help)"), std::string::npos)
        << why;
  }
  {
    Model m = test::modelOf("<mujoco><worldbody><geom type='plane' size='1 1 1'/>" + resting("size='.1'", ".09") +
                            "</worldbody></mujoco>");
    m.opt.enableflags |= enable::kDiagExact;
    EXPECT_EQ(analyticObstacle(m, Data(m)), "the flag diagexact is on, and rows depend on the mass matrix");
  }
  EXPECT_EQ(refuse("", arm, "<actuator><position name='p' joint='j' kp='1' delay='.1' nsample='5'/></actuator>"),
            text("there are delays"));
  EXPECT_EQ(refuse("", arm, "<actuator><adhesion name='gecko' body='world' ctrlrange='0 1'/></actuator>"),
            text("actuator \"gecko\" acts through contacts"));
  const std::string sheet =
      "<flexcomp name='f' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' pos='0 0 2' mass='1' radius='.001'>"
      "<elasticity young='1e4' thickness='.01' law='stvk' elastic2d='both'/></flexcomp>";
  {
    const Model m =
        test::modelOf("<mujoco><option integrator='implicit'/><worldbody>" + sheet + "</worldbody></mujoco>");
    EXPECT_EQ(
        test::refusal([&] { analyticInverseDerivatives(m, Data(m)); }),
        "analyticInverseDerivatives: the stiffness of flexes is implicit; inverseDerivatives() differentiates any "
        "model");
  }
  const Model m = test::modelOf("<mujoco><worldbody>" + arm + "</worldbody></mujoco>");
  const Model other = test::modelOf("<mujoco><worldbody>" + ball + "</worldbody></mujoco>");
  const Data alien(other);
  EXPECT_EQ(test::refusal([&] { analyticDerivatives(m, alien); }),
            "analyticDerivatives: the Data was made for another Model");
  Data d(m);
  EXPECT_EQ(analyticObstacle(m, d), "");
  d.callbacks.control = [](const Model&, const Data&, const ControlOutput&) {};
  EXPECT_EQ(analyticObstacle(m, d), "there are callbacks");
}

}  // namespace
}  // namespace sinew
