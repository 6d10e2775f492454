#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/tolerance.h"

/// Whatever runs after detection treats soft sides of contacts like rigid ones: adhesion, suction, force, touch and
/// contact sensors, forces on bodies, reactions.
namespace sinew {
namespace {

using test::tolerance;

Model modelFrom(const std::string& text) { return compile(readMjcfText(text)); }

void run(const Model& m, Data& d, double seconds) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds / m.opt.timestep)); ++i) step(m, d);
}

/// Sum of the contact forces on the vertices of all flexes, along z.
double liftOfContacts(const Model& m, Data& d) {
  measureFlexes(m, d);
  double sum = 0;
  for (int v = 0; v < m.nflexvert; ++v) sum += d.flexvert_force[3 * v + 2];
  return sum;
}

double meanHeight(const Model& m, const Data& d) {
  double sum = 0;
  for (int i = 0; i < m.nflexnode; ++i) sum += d.qpos[m.nq_rigid + 3 * i + 2];
  return sum / m.nflexnode;
}

struct Cloth {
  int across;
  double spacing, mass, radius;
};

/// A square cloth over (side = 1) or under (side = -1) a box with adhesive contacts. Tension opens a contact a little,
/// so below the box it needs a gap to live in.
Model adhesiveScene(const Cloth& c, int side, double adhesion, const std::string& option) {
  return modelFrom(fmt::format(R"(<mujoco><option timestep="0.002" {}/><worldbody>
    <geom type="box" size="1 1 .1" pos="0 0 {}" adhesion="{}" {}/>
    <flexcomp name="c" type="grid" dim="2" count="{} {} 1" spacing="{} {} .05" mass="{}" radius="{}" pos="0 0 {}">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp></worldbody></mujoco>)",
                               option, -0.1 * side, adhesion, side < 0 ? R"(margin=".005" gap=".005")" : "", c.across,
                               c.across, c.spacing, c.spacing, c.mass, c.radius, side * (c.radius - 1e-4)));
}

const std::vector<std::string> kSolvers = {R"(solver="Newton")", R"(solver="CG" iterations="200")",
                                           R"(solver="PGS" iterations="200")", R"(solver="Newton" cone="elliptic")",
                                           R"(solver="Impulse")"};

TEST(OnePath, ONE_1_ClothOnAnAdhesiveBoxRests) {
  for (const std::string& solver : kSolvers) {
    for (const Cloth& c : {Cloth{4, 0.05, 0.1, 0.01}, Cloth{4, 0.03, 0.02, 0.004}, Cloth{6, 0.05, 0.5, 0.01}}) {
      SCOPED_TRACE(fmt::format("{} {} points, {} kg", solver, c.across, c.mass));
      const Model m = adhesiveScene(c, 1, 30, solver);
      Data d(m);
      run(m, d, 1);
      EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
      EXPECT_NEAR(liftOfContacts(m, d), c.mass * 9.81, 0.01 * c.mass * 9.81);
      EXPECT_NEAR(meanHeight(m, d), c.radius, 2e-3);
    }
  }
}

TEST(OnePath, ONE_1_ClothHangsBelowAnAdhesivePlateIfAdhesionCarriesItsWeight) {
  for (const std::string& solver : kSolvers) {
    for (const Cloth& c : {Cloth{4, 0.05, 0.1, 0.01}, Cloth{4, 0.03, 0.4, 0.004}, Cloth{6, 0.05, 0.5, 0.01}}) {
      SCOPED_TRACE(fmt::format("{} {} points, {} kg", solver, c.across, c.mass));
      const double weight = c.mass * 9.81;
      {
        const Model m = adhesiveScene(c, -1, 30, solver);
        Data d(m);
        run(m, d, 2);
        EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
        EXPECT_NEAR(liftOfContacts(m, d), weight, 0.01 * weight);
        EXPECT_NEAR(meanHeight(m, d), -c.radius, 2e-3);
      }
      // as many contacts as there are at the start. Together they carry half the weight: it falls; or eight times the
      // weight: then the corners, which have one or two contacts of fifty, are held as well
      const Model probe = adhesiveScene(c, -1, 1, solver);
      Data start(probe);
      forward(probe, start);
      ASSERT_GT(start.ncon(), 0);
      for (const double share : {0.5, 8.0}) {
        const Model m = adhesiveScene(c, -1, share * weight / start.ncon(), solver);
        Data d(m);
        run(m, d, 0.5);
        EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
        if (share < 1) {
          EXPECT_LT(meanHeight(m, d), -0.5) << share;
        } else {
          EXPECT_NEAR(meanHeight(m, d), -c.radius, 5e-3) << share;
        }
      }
    }
  }
}

/// What lies on the tray, of 2 kg.
struct Load {
  std::string name, xml;
};

std::vector<Load> loads() {
  const auto soft = [](const char* attributes, const char* pos, const char* young) {
    return fmt::format(R"(<flexcomp name="c" type="grid" dim="3" mass="2" radius=".005" pos="{}" {}>
      <contact selfcollide="none"/><elasticity young="{}" poisson=".2" damping=".01" law="stvk"/></flexcomp>)",
                       pos, attributes, young);
  };
  std::string pile;
  for (int i = 0; i < 2; ++i) {
    pile += fmt::format(R"(<flexcomp name="c{}" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass="1"
      radius=".006" pos="{} {} {}"><contact selfcollide="none"/><edge equality="true" damping=".1"/></flexcomp>)",
                        i, 0.01 * i, -0.01 * i, 0.0265 + 0.0125 * i);
  }
  return {{"rigid cube", R"(<body pos="0 0 .07"><freejoint/><geom type="box" size=".05 .05 .05" mass="2"/></body>)"},
          {"rigid cube, aside",
           R"(<body pos=".1 -.05 .05"><freejoint/><geom type="box" size=".04 .06 .03" mass="2"/></body>)"},
          {"tetrahedra", soft(R"(count="3 3 3" spacing=".05 .05 .05")", "0 0 .08", "5e4")},
          {"tetrahedra, aside", soft(R"(count="4 3 5" spacing=".03 .05 .02")", ".08 .05 .07", "2e5")},
          {"trilinear cell", soft(R"(count="3 3 3" spacing=".05 .05 .05" dof="trilinear")", "0 0 .08", "5e4")},
          {"quadratic cell", soft(R"(count="3 3 3" spacing=".04 .05 .04" dof="quadratic")", "-.05 0 .07", "1e5")},
          {"pile of cloth", pile}};
}

TEST(OnePath, ONE_2_ForceSensorsFeelWhatLiesOnATray) {
  for (const Load& load : loads()) {
    for (const char* solver :
         {R"(solver="Newton")", R"(solver="CG" iterations="300")", R"(solver="PGS" iterations="100")",
          R"(solver="Newton" cone="elliptic")", R"(solver="Impulse")"}) {
      SCOPED_TRACE(load.name + " " + solver);
      const Model m =
          modelFrom(fmt::format(R"(<mujoco><option timestep="0.002" integrator="implicitfast" {}/><worldbody>
        <body name="tray"><joint name="j" type="slide" axis="0 0 1" stiffness="5000" damping="100"/>
          <geom name="g" type="box" size=".3 .3 .02" mass="1"/><site name="s"/><site name="all" type="box" size=".3 .3 .05"/>
        </body>{}</worldbody>
        <sensor><force site="s"/><touch site="all"/><jointpos joint="j"/>
          <contact geom1="g" data="force" reduce="netforce"/><contact body1="tray" data="force" reduce="netforce"/>
        </sensor></mujoco>)",
                                solver, load.xml));
      Data d(m);
      run(m, d, 1.5);
      // The mean over half a second: of a tetrahedron the deepest corner touches, and which one that is changes from
      // step to step.
      const int steps = 250;
      double spring = 0, force = 0, touch = 0, internal = 0, external = 0, geom = 0, body = 0;
      for (int i = 0; i < steps; ++i) {
        step(m, d);
        force += d.sensordata[2] / steps;
        touch += d.sensordata[3] / steps;
        spring += -5000 * d.sensordata[4] / steps;
        geom += std::abs(d.sensordata[7]) / steps;
        body += std::abs(d.sensordata[10]) / steps;
        internal += d.cfrc_int[6 + 5] / steps;
        external += d.cfrc_ext[6 + 5] / steps;
        // touch, contact and force sensors show the same forces as the body has in every step
        ASSERT_NEAR(std::abs(d.sensordata[7]), -d.cfrc_ext[6 + 5], tolerance(1e-9));
        ASSERT_NEAR(std::abs(d.sensordata[10]), -d.cfrc_ext[6 + 5], tolerance(1e-9));
        ASSERT_NEAR(d.sensordata[2], d.cfrc_int[6 + 5], tolerance(1e-9));
      }
      EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
      const double near = 0.005 * 29.43, tray = 0.005 * 19.62;
      EXPECT_NEAR(spring, 29.43, near);
      EXPECT_NEAR(force, 29.43, near);
      EXPECT_NEAR(internal, 29.43, near);
      EXPECT_NEAR(touch, 19.62, tray);
      EXPECT_NEAR(external, -19.62, tray);
      EXPECT_NEAR(geom, 19.62, tray);
      EXPECT_NEAR(body, 19.62, tray);
    }
  }
}

// A cloth that hangs from a body that a spring holds: pins, rows and elasticity reach the force sensor and the
// reactions.
TEST(OnePath, ONE_2_ForceSensorsAndReactionsFeelWhatHangsOnABody) {
  for (
      const char* holds :
      {R"(<edge equality="true"/>)", R"(<edge equality="true" solref=".01 1"/>)",
       R"(<edge equality="false"/><elasticity young="2e4" poisson=".2" thickness=".01" elastic2d="both" law="stvk" damping=".01"/>)"}) {
    for (const char* pins : {"0 1 2 3", "0 3", "5"}) {
      for (const char* integrator : {"Euler", "implicitfast"}) {
        SCOPED_TRACE(fmt::format("{} pins {} {}", holds, pins, integrator));
        const Model m = modelFrom(fmt::format(R"(<mujoco><option timestep="0.001" integrator="{}"/><worldbody>
          <body name="bar"><joint type="slide" axis="0 0 1" stiffness="2000" damping="40"/>
            <geom type="capsule" fromto="0 -.1 0 0 .1 0" size=".005" mass=".5" contype="0" conaffinity="0"/><site name="s"/>
            <flexcomp name="c" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".32" radius=".003"
              euler="0 90 0"><contact selfcollide="none"/>{}<pin id="{}"/></flexcomp>
          </body></worldbody>
          <sensor><force site="s"/><flexreaction flex="c"/></sensor></mujoco>)",
                                              integrator, holds, pins));
        Data d(m);
        for (int i = 0; i < 6000; ++i) {  // drag shortens the wait for rest
          for (int k = m.nv_rigid; k < m.nv; ++k) d.qfrc_applied[k] = -0.05 * d.qvel[k];
          step(m, d);
        }
        EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
        double moving = 0;  // pinned points have no mass
        for (int i = 0; i < m.nflexnode; ++i) moving += m.flexnode_mass[i];
        const double weight = 9.81 * moving;
        EXPECT_NEAR(d.sensordata[2], 9.81 * m.body_mass[1] + weight, 0.005 * weight);
        EXPECT_NEAR(d.cfrc_ext[6 + 5], -weight, 0.005 * weight);
        EXPECT_NEAR(d.sensordata[5], weight, 0.005 * weight);  // reactions
        double sum = 0;
        measureFlexes(m, d);
        for (int p = 0; p < m.nflexpoint; ++p) sum += d.flexpoint_reaction[3 * p + 2];
        EXPECT_NEAR(sum, weight, 0.005 * weight);
      }
    }
  }
}

/// Lifts a soft cube of 0.2 kg on the floor by 0.2 m with an adhesive cup, and lets go of it.
struct Lift {
  double held = 0, after = 0;  ///< how far it was lifted, and where it is a second after the cup let go, m
  std::string trouble;
};

Lift liftCube(const char* cube, const char* solver, double gain, const char* cup) {
  const Model m = modelFrom(fmt::format(R"(<mujoco>
    <option timestep="0.002" integrator="implicitfast" solver="{}" iterations="200"/><worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body name="cup" pos="0 0 .0795"><joint name="z" type="slide" axis="0 0 1" damping="20"/>
      <geom type="cylinder" size=".04 .01" mass=".3" {}/></body>
    <flexcomp name="c" type="grid" dim="3" mass=".2" radius=".005" pos="0 0 .035" {}>
      <contact selfcollide="none"/><elasticity young="5e4" poisson=".2" damping=".01" law="stvk"/></flexcomp>
    </worldbody><actuator><position joint="z" kp="800"/><adhesion body="cup" gain="{}" ctrlrange="0 1"/></actuator>
    </mujoco>)",
                                        solver, cup, cube, gain));
  Data d(m);
  Lift lift;
  const double start = meanHeight(m, d);
  d.ctrl[1] = 1;
  run(m, d, 0.3);
  for (int i = 0; i < 500; ++i) {  // up by 0.2 m in a second
    d.ctrl[0] = 0.2 * (i + 1) / 500;
    step(m, d);
  }
  run(m, d, 0.5);
  lift.held = meanHeight(m, d) - start;
  d.ctrl[1] = 0;
  run(m, d, 1);
  lift.after = meanHeight(m, d) - start;
  if (!d.status.ok()) lift.trouble = describeStatus(m, d);
  return lift;
}

TEST(OnePath, ONE_4_SuctionLiftsASoftCube) {
  for (const char* cube : {R"(count="3 3 3" spacing=".03 .03 .03")", R"(count="4 4 3" spacing=".02 .02 .03")",
                           R"(count="3 3 3" spacing=".03 .03 .03" dof="trilinear")"}) {
    for (const char* solver : {"Newton", "CG", "PGS", "Impulse"}) {
      for (const double gain : {1.0, 6.0}) {  // the weight is 1.96 N
        SCOPED_TRACE(fmt::format("{} {} {} N", cube, solver, gain));
        const Lift lift = liftCube(cube, solver, gain, R"(margin=".005" gap=".005")");
        EXPECT_EQ(lift.trouble, "");
        EXPECT_NEAR(lift.held, gain > 1.962 ? 0.2 : 0, 0.01);
        EXPECT_NEAR(lift.after, 0, 0.01);
      }
    }
  }
}

// without a gap a contact that opens is lost: the cube is lifted, but may hang by an edge, and lie on one afterwards
TEST(OnePath, ONE_4_SuctionWithoutAGapLiftsToo) {
  for (const char* solver : {"Newton", "Impulse"}) {
    SCOPED_TRACE(solver);
    const Lift lift = liftCube(R"(count="3 3 3" spacing=".03 .03 .03")", solver, 6, R"(margin=".002")");
    EXPECT_EQ(lift.trouble, "");
    EXPECT_GT(lift.held, 0.15);
    EXPECT_LT(lift.after, 0.03);
  }
}

}  // namespace
}  // namespace sinew
