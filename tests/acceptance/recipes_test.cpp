#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/doc_page.h"

/// The models of docs/recipes.md, taken from the page: what it says they hold.
namespace sinew {
namespace {

using test::fileOfPage;
using test::PageControls;

struct Recipe {
  Model m;
  Data d;

  explicit Recipe(const std::string& file, const std::string& page = "recipes.md")
      : m(compile(readMjcfText(fileOfPage(page, file), file))), d(m) {}

  /// Steps until `time`; act() before each step, look() after it.
  template <class Act, class Look>
  void run(double time, Act act, Look look) {
    while (d.time < time - 1e-9) {
      act();
      step(m, d);
      look();
    }
    forward(m, d);
    ASSERT_TRUE(d.status.ok()) << describeStatus(m, d);
  }

  std::array<double, 3> vertex(int v) const {
    const double* x = &d.flexvert_xpos[3 * static_cast<std::size_t>(v)];
    return {x[0], x[1], x[2]};
  }
  /// Mean of the vertices.
  std::array<double, 3> middle() const {
    std::array<double, 3> sum{};
    for (int v = 0; v < m.nflexvert; ++v) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += vertex(v)[k] / m.nflexvert;
    }
    return sum;
  }
  std::array<double, 3> body(const char* name) const {
    const double* x = &d.xpos[3 * static_cast<std::size_t>(findId(m, ObjType::Body, name))];
    return {x[0], x[1], x[2]};
  }
  double deepest() const {
    double depth = 0;
    for (const Contact& c : d.contact) depth = std::max(depth, -c.dist);
    return depth;
  }
};

double apart(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

void nothing() {}

TEST(Recipes, FIRST_4_RecipeSoftBallIsHeldForTenSeconds) {
  Recipe r("soft_ball.xml");
  const PageControls controls(fileOfPage("recipes.md", "grip.csv"));
  const auto act = [&] { controls.apply(r.m, r.d); };
  const double start = r.middle()[2];
  r.run(3, act, nothing);
  EXPECT_GT(r.middle()[2], start + 0.13) << "lifted with the hand";
  const double held = r.middle()[2] - r.body("hand")[2];
  r.run(13, act, nothing);
  EXPECT_NEAR(r.middle()[2] - r.body("hand")[2], held, 0.005) << "slip in ten seconds";
}

TEST(Recipes, FIRST_4_RecipeNapkinHangsFromItsCorner) {
  Recipe r("napkin.xml");
  const PageControls controls(fileOfPage("recipes.md", "lift.csv"));
  r.run(
      4, [&] { controls.apply(r.m, r.d); }, nothing);
  EXPECT_LT(apart(r.vertex(0), r.body("hand")), 1e-3) << "the tie";
  double lowest = std::numeric_limits<double>::infinity();
  for (int v = 0; v < r.m.nflexvert; ++v) lowest = std::min(lowest, r.vertex(v)[2]);
  EXPECT_GT(lowest, 0.01) << "free of the floor";
}

TEST(Recipes, FIRST_4_RecipeRopeCarriesItsLoad) {
  Recipe r("rope.xml");
  double longest = 0, knot = 0;
  const int last = r.m.nflexvert - 1;
  r.run(4, nothing, [&] {
    double length = 0;
    for (int v = 0; v < last; ++v) length += apart(r.vertex(v), r.vertex(v + 1));
    longest = std::max(longest, length);
    knot = std::max(knot, apart(r.vertex(last), r.body("load")));
  });
  EXPECT_LT(longest, 1.02);
  EXPECT_LT(knot, 1e-3);
  // at rest: strong damping takes the swing out, the forces that remain are weights
  for (int i = 0; i < 4000; ++i) {
    for (double& v : r.d.qvel) v *= 0.98;
    step(r.m, r.d);
  }
  forward(r.m, r.d);
  measureFlexes(r.m, r.d);
  double mass = 1;
  for (int p = 0; p < r.m.nflexnode; ++p) {
    if (r.m.flexnode_invmass[p] > 0) mass += 1 / r.m.flexnode_invmass[p];
  }
  const int adr = r.m.sensor_adr[findId(r.m, ObjType::Sensor, "tension")];
  EXPECT_NEAR(std::abs(r.d.sensordata[adr + 2]), 9.81 * mass, 0.01 * 9.81 * mass);
}

TEST(Recipes, FIRST_4_RecipeClothStaysOnTheMovingArm) {
  Recipe r("cloth_robot.xml");
  double depth = 0;
  r.run(
      10,
      [&] {  // as --ctrl sine does
        for (int i = 0; i < r.m.nu; ++i) {
          const double low = r.m.actuator_ctrlrange[2 * i], high = r.m.actuator_ctrlrange[2 * i + 1];
          r.d.ctrl[i] = (low + high) / 2 + 0.25 * (high - low) * std::sin(0.7 * i + 3 * r.d.time);
        }
      },
      [&] {
        if (r.d.time > 1) depth = std::max(depth, r.deepest());
      });
  EXPECT_LT(depth, 0.004);
  EXPECT_GT(r.middle()[2], 0.4) << "it hangs over the arm, 0.55 m high";
}

TEST(Recipes, FIRST_4_RecipeCarCrossesTheHills) {
  Recipe r("car.xml");
  const PageControls controls(fileOfPage("recipes.md", "drive.csv"));
  const double start = r.d.qpos[0];
  double upright = 1;
  r.run(
      7, [&] { controls.apply(r.m, r.d); },
      [&] { upright = std::min(upright, 1 - 2 * (r.d.qpos[4] * r.d.qpos[4] + r.d.qpos[5] * r.d.qpos[5])); });
  EXPECT_GT(r.d.qpos[0] - start, 6);
  EXPECT_GT(upright, 0.7) << "cosine of the largest tilt";
  EXPECT_GE(r.d.contact.size(), 4u) << "wheels on the ground";
}

TEST(Recipes, PagesThatShowNoSuchFileAreNamed) {
  try {
    fileOfPage("recipes.md", "no_such.xml");
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "docs/recipes.md shows no file no_such.xml");
  }
}

// docs/choosing.md

TEST(Recipes, FIRST_4_ChoosingAFirmServoNeedsAnImplicitIntegrator) {
  Recipe held("servo.xml", "choosing.md");
  held.m.opt.integrator = Integrator::ImplicitFast;
  held.run(1, nothing, nothing);
  const double sag = 0.05 * 9.81 * 0.1 / 50;  // m g l / kp, small angles
  EXPECT_NEAR(held.d.qpos[0], sag, 1e-2 * sag);
  EXPECT_LT(std::abs(held.d.qvel[0]), 1e-4);
  for (const Integrator integrator : {Integrator::Euler, Integrator::RK4}) {
    Recipe lost("servo.xml", "choosing.md");
    lost.m.opt.integrator = integrator;
    int steps = 0;
    while (lost.d.status.ok() && steps < 16) step(lost.m, lost.d), ++steps;
    EXPECT_LT(steps, 16) << "the page says that it diverges within 15 steps";
    EXPECT_NE(describeStatus(lost.m, lost.d).find("integrator=\"implicitfast\""), std::string::npos)
        << describeStatus(lost.m, lost.d);
  }
}

TEST(Recipes, FIRST_4_ChoosingCreepFollowsConeAndImpratio) {
  const auto creep = [](const auto& set) {
    Recipe r("grip.xml", "choosing.md");
    set(r.m.opt);
    resetToKey(r.m, r.d, 0);
    r.run(1, nothing, nothing);
    return -1e3 * r.d.sensordata[2];  // mm/s
  };
  EXPECT_NEAR(creep([](Option& o) { o.cone = Cone::Pyramidal, o.impratio = 1; }), 5.8, 0.3);
  const double plain = creep([](Option& o) { o.impratio = 1; });
  EXPECT_NEAR(plain, 2.9, 0.15);
  EXPECT_NEAR(creep([](Option&) {}), 0.29, 0.015);
  EXPECT_NEAR(creep([](Option& o) { o.impratio = 100; }), plain / 100, 1e-3 * plain / 100);
  EXPECT_NEAR(creep([](Option& o) { o.noslip_iterations = 5; }), 0.0014, 0.0001);
  EXPECT_LT(std::abs(creep([](Option& o) { o.solver = Solver::Impulse; })), 1e-9);
}

TEST(Recipes, FIRST_4_ChoosingOverlapFollowsSolref) {
  const auto overlap = [](double time) {
    Recipe r("grip.xml", "choosing.md");
    for (int g = 0; g < r.m.ngeom; ++g) r.m.geom_solref[2 * static_cast<std::size_t>(g)] = time;
    resetToKey(r.m, r.d, 0);
    double depth = 0;
    r.run(1, nothing, [&] { depth = std::max(depth, r.deepest()); });
    return 1e3 * depth;  // mm
  };
  EXPECT_NEAR(overlap(0.02), 0.49, 0.025);
  EXPECT_NEAR(overlap(0.01), 0.16, 0.01);
  EXPECT_NEAR(overlap(0.004), 0.03, 0.005);
}

}  // namespace
}  // namespace sinew
