#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sensor/sensor.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

/// Forces on bodies: everything that a flex does to a body is in cfrc_ext. A free joint transmits nothing, so cfrc_int
/// of a free body, M a + bias - cfrc_ext, is zero: Newton's and Euler's laws for that body.
namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

struct Scene {
  std::string name;
  std::string body;  ///< inside of the free body
  std::string rest;  ///< beside it
  std::string equality = "";
};

std::vector<Scene> scenes() {
  const auto cloth = [](const std::string& children) {
    return R"(<flexcomp name="f" type="grid" dim="2" count="4 3 1" spacing=".05 .06 .05" mass=".3" radius=".004"
      pos=".2 .01 .02" euler="0 10 20"><contact selfcollide="none"/><pin id="0 1 2"/>)" +
           children + "</flexcomp>";
  };
  const auto rod = [](const std::string& attributes, const std::string& children) {
    return R"(<flexcomp name="f" type="grid" dim="1" count="6 1 1" spacing=".05 .05 .05" mass=".2" radius=".004"
      pos=".25 0 0" )" +
           attributes + R"(><contact selfcollide="none"/><pin id="0 1"/>)" + children + "</flexcomp>";
  };
  const auto solid = [](const std::string& attributes, const std::string& children) {
    return R"(<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".05 .05 .05" mass=".4" radius=".004"
      pos=".2 0 0" )" +
           attributes + R"(><contact selfcollide="none"/><pin id="0 1 2 3"/>)" + children + "</flexcomp>";
  };
  std::vector<Scene> all = {
      {"length rows", cloth(R"(<edge equality="true"/>)"), ""},
      {"vertex rows", cloth(R"(<edge equality="vert"/>)"), ""},
      {"edge springs and dampers", rod("", R"(<edge equality="false" stiffness="200" damping=".3"/>)"), ""},
      {"membrane and folds",
       cloth(R"(<edge equality="false"/><elasticity young="3e4" poisson=".2" thickness=".01" elastic2d="both" law="stvk"
         damping=".002"/>)"),
       ""},
      {"reference membrane",
       cloth(R"(<edge equality="false"/><elasticity young="3e4" poisson=".2" thickness=".01" elastic2d="both"
         damping=".002"/>)"),
       ""},
      {"rod", rod(R"(young="1e6" damping=".002")", ""), ""},
      {"solid", solid("", R"(<elasticity young="2e4" poisson=".2" law="corotational" damping=".005"/>)"), ""},
      {"trilinear", solid(R"(dof="trilinear")", R"(<elasticity young="2e4" poisson=".2" damping=".005"/>)"), ""},
      {"strain rows", solid(R"(dof="trilinear")", R"(<edge equality="strain"/>)"), ""},
      {"contacts", "",
       R"(<flexcomp name="f" type="grid" dim="2" count="5 5 1" spacing=".05 .05 .05" mass=".3" radius=".004"
         pos=".01 .02 -.061"><contact selfcollide="none" solref=".01 1"/><edge equality="true"/><pin id="0 4 20 24"/></flexcomp>)"},
      {"contacts of vertices on the body",
       R"(<flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".3" radius=".004"
         pos="0 0 -.08"><contact selfcollide="none"/><edge equality="true"/><pin id="0 1 4 5"/></flexcomp>)",
       R"(<geom type="box" size="1 1 .1" pos="0 0 -.18"/>)"},
      {"connect", "",
       R"(<flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" mass=".3" radius=".004"
         pos=".3 0 0"><contact selfcollide="none"/><edge equality="true"/></flexcomp>)",
       R"(<connect body1="b" body2="f_4" anchor=".3 0 0"/>)"},
      {"rides on a child",
       R"(<body name="c" pos=".1 0 0"><joint type="hinge" axis="0 1 0"/>
         <geom type="sphere" size=".02" mass=".1" contype="0" conaffinity="0"/>)" +
           cloth(R"(<edge equality="true"/>)") + "</body>",
       ""},
  };
  return all;
}

/// Largest entry of cfrc_int of the free body over a run, relative to the largest force that acts on it from outside.
struct Balance {
  double error = 0, external = 0;
};
Balance balanceOf(const Scene& scene, const std::string& option, int steps) {
  const Model m = modelOf(fmt::format(
      R"(<mujoco><option timestep="0.001" tolerance="1e-14" iterations="300" {}/><worldbody>
      <body name="b"><freejoint/><geom type="box" size=".1 .08 .05" mass="1" pos=".01 .02 0" solref=".01 1"/>{}</body>{}</worldbody>
      <equality>{}</equality><sensor><accelerometer site="s"/></sensor></mujoco>)",
      option, "<site name='s'/>" + scene.body, scene.rest, scene.equality));
  Data d(m);
  for (int i = 0; i < 6; ++i) d.qvel[i] = (i == 2 ? -0.2 : 0.2) * (i + 1);
  Balance balance;
  for (int i = 0; i < steps; ++i) {
    step(m, d);
    for (int k = 6; k < 12; ++k) {
      balance.error = std::max(balance.error, std::abs(d.cfrc_int[k]));
      for (int b = 1; b < m.nbody; ++b)
        balance.external = std::max(balance.external, std::abs(d.cfrc_ext[6 * b + k - 6]));
    }
  }
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  return balance;
}

TEST(BodyForces, FlexesPushBodiesByExactlyWhatAcceleratesThem) {
  for (const Scene& scene : scenes()) {
    struct Form {
      const char* option;
      double error;  ///< CG ends with a residual
    };
    for (const Form& form : {Form{R"(integrator="Euler")", 1e-6}, Form{R"(integrator="implicitfast")", 1e-6},
                             Form{R"(integrator="implicit")", 1e-6}, Form{R"(integrator="implicit" solver="CG")", 1e-3},
                             Form{R"(integrator="Euler" cone="elliptic")", 1e-6}}) {
      SCOPED_TRACE(scene.name + " " + form.option);
      const Balance balance = balanceOf(scene, form.option, 60);
      EXPECT_GT(balance.external, 0.05);  // something acts
      EXPECT_LT(balance.error, tolerance(form.error) * (1 + balance.external));
    }
  }
}

TEST(BodyForces, HardContactsAndRowsCountAsWell) {
  for (const Scene& scene : scenes()) {
    SCOPED_TRACE(scene.name);
    const Balance balance = balanceOf(scene, R"(solver="Impulse" integrator="implicitfast")", 60);
    EXPECT_GT(balance.external, 0.05);
    // trees that tumble move as metric/spin.h says, which is not the work of forces at the start of the step
    EXPECT_LT(balance.error, tolerance(1e-4) * (1 + balance.external));
  }
}

}  // namespace
}  // namespace sinew
