#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "sinew/dynamics.h"
#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/step.h"
#include "support/tolerance.h"

/// What hard contacts promise, with default settings and by both methods. What is shortened here runs in full with
/// SINEW_LONG_TESTS=1 in the environment.
namespace sinew {
namespace {

using test::tolerance;

constexpr double kGravity = 9.81;
constexpr double kStep = 1.0 / 60;
const std::string kSixty = R"(timestep="0.016666666666666666")";

bool runsLong() { return std::getenv("SINEW_LONG_TESTS") != nullptr; }

struct Scene {
  explicit Scene(const std::string& mjcf) : m(compile(readMjcfText(mjcf, "model.xml"))), d(m) {}
  void steps(int count) {
    for (int i = 0; i < count; ++i) step(m, d);
  }
  void seconds(double duration) { steps(static_cast<int>(std::lround(duration / m.opt.timestep))); }
  double fastest() const {
    double most = 0;
    for (const double v : d.qvel) most = std::max(most, std::abs(v));
    return most;
  }
  double deepest() const {
    double most = 0;
    for (const Contact& c : d.contact) most = std::max(most, -c.dist);
    return most;
  }
  double meanDepth() const {
    double sum = 0;
    int count = 0;
    for (const Contact& c : d.contact) {
      if (c.dist > 0) continue;
      sum -= c.dist;
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }
  double kinetic() {
    forward(m, d);
    energy(m, d);
    return d.energy[1];
  }

  Model m;
  Data d;
};

std::string document(const std::string& method, const std::string& option, const std::string& world,
                     const std::string& more = "") {
  return fmt::format(R"(<mujoco><option solver="Impulse" method="{}" {}/><default><geom friction="0.6"/></default>
      <worldbody><geom type="plane" size="99 99 1"/>{}</worldbody>{}</mujoco>)",
                     method, option, world, more);
}

struct Size {
  double x, y, z;
};

std::string box(double x, double y, double z, const Size& half, double mass, const std::string& name = "") {
  return fmt::format(R"(<body pos="{} {} {}"{}><freejoint/><geom type="box" size="{} {} {}" mass="{}"/></body>)", x, y,
                     z, name.empty() ? "" : fmt::format(R"( name="{}")", name), half.x, half.y, half.z, mass);
}

/// Boxes of 0.1 kg in a row at a height, each welded to the next, the first to the world if it is to be.
std::string beam(const std::string& method, const std::string& option, int count, double height, bool clamped,
                 const std::string& more) {
  std::string world = more, equality, exclude;
  for (int i = 0; i < count; ++i) {
    world += box(0.2 * i, 0, height, {0.1, 0.1, 0.1}, 0.1, fmt::format("b{}", i));
    if (i == 0 && clamped) equality += R"(<weld body1="b0"/>)";
    if (i == 0) continue;
    equality += fmt::format(R"(<weld body1="b{}" body2="b{}"/>)", i - 1, i);
    exclude += fmt::format(R"(<exclude body1="b{}" body2="b{}"/>)", i - 1, i);
  }
  return document(method, option, world, "<contact>" + exclude + "</contact><equality>" + equality + "</equality>");
}

std::string marble(double x, double z) {
  return fmt::format(R"(<body pos="{} 0 {}"><freejoint/><geom size="0.01" mass="0.001"/></body>)", x, z);
}

std::string stack(const std::string& method, int count, const std::string& more = "", double mass = 1) {
  std::string world;
  for (int i = 0; i < count; ++i) world += box(0, 0, 0.5 + i, {0.5, 0.5, 0.5}, mass);
  return document(method, kSixty, world + more);
}

std::string brickWall(const std::string& method, int layers, int wide) {
  std::string world;
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < wide - layer % 2; ++i) {
      world += box(0.4 * i + 0.2 * (layer % 2), 0, 0.1 + 0.2 * layer, {0.2, 0.1, 0.1}, 1);
    }
  }
  return document(method, kSixty, world);
}

std::string pyramid(const std::string& method, int layers) {
  std::string world;
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < layers - layer; ++i) {
      world += box(i + 0.5 * layer, 0, 0.5 + layer, {0.49, 0.5, 0.5}, 1);
    }
  }
  return document(method, kSixty, world);
}

/// Boxes that fall into a bin, declared in their order, backwards, or in any.
std::string pile(const std::string& method, int count, int order) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> shift(-0.05, 0.05), turn(-10, 10);
  std::vector<std::string> boxes;
  for (int i = 0; i < count; ++i) {
    const int place = i % 25;
    const double x = 0.45 * (place % 5 - 2) + shift(generator), y = 0.45 * (place / 5 - 2) + shift(generator);
    const double a = turn(generator), b = turn(generator), c = turn(generator);
    boxes.push_back(fmt::format(
        R"(<body pos="{} {} {}" euler="{} {} {}"><freejoint/><geom type="box" size=".2 .2 .2" mass="1"/></body>)", x, y,
        0.25 + 0.45 * (i / 25), a, b, c));
  }
  if (order == 1) std::reverse(boxes.begin(), boxes.end());
  if (order == 2) std::shuffle(boxes.begin(), boxes.end(), generator);
  std::string world;
  for (const std::string& text : boxes) world += text;
  return document(method, kSixty, world + R"(
      <geom type="box" size=".1 2 9" pos="1.4 0 9"/><geom type="box" size=".1 2 9" pos="-1.4 0 9"/>
      <geom type="box" size="2 .1 9" pos="0 1.4 9"/><geom type="box" size="2 .1 9" pos="0 -1.4 9"/>)");
}

class HardContacts : public ::testing::TestWithParam<std::string> {
 protected:
  std::string method() const { return GetParam(); }
  bool isNewton() const { return GetParam() == "newton"; }
};

INSTANTIATE_TEST_SUITE_P(Methods, HardContacts, ::testing::Values("newton", "sweep"),
                         [](const auto& info) { return info.param; });

// ------------------------------------------------------------------------------------------ HARD-1

TEST_P(HardContacts, HARD_1_AMarbleDoesNotBendABeam) {
  for (const bool loaded : {false, true}) {
    Scene run(beam(method(), R"(timestep="0.005")", 8, 1, true, loaded ? marble(1.4, 1.11) : ""));
    const double* q = run.d.qpos.data() + (loaded ? 7 : 0) + 49;  // of the tip; the marble comes first
    for (int i = 0; i < 400; ++i) {
      run.steps(1);
      ASSERT_NEAR(q[2], 1, tolerance(1e-4)) << "loaded " << loaded << ", step " << i;
      ASSERT_NEAR(q[0], 1.4, tolerance(1e-4));
    }
    EXPECT_LT(run.fastest(), 1e-3);
  }
}

// One more contact far away does not change the motion: the marble lies near the clamp, or on the top of a stack.
TEST_P(HardContacts, HARD_1_OneMoreContactFarAwayChangesNothing) {
  Scene alone(beam(method(), R"(timestep="0.005")", 8, 1, true, ""));
  Scene loaded(beam(method(), R"(timestep="0.005")", 8, 1, true, marble(0, 1.11)));
  Scene stacked(stack(method(), 6)), topped(stack(method(), 6, marble(0.2, 6.01)));
  for (int i = 0; i < 200; ++i) {
    for (Scene* run : {&alone, &loaded, &stacked, &topped}) run->steps(1);
    for (int k = 0; k < 3; ++k) {
      ASSERT_NEAR(alone.d.qpos[49 + k], loaded.d.qpos[56 + k], tolerance(1e-4) * 1.6) << "step " << i;
      ASSERT_NEAR(stacked.d.qpos[k], topped.d.qpos[k], tolerance(1e-4)) << "step " << i;
    }
  }
}

// ------------------------------------------------------------------------------------------ HARD-2

TEST_P(HardContacts, HARD_2_TheOrderOfBodiesDoesNotMatter) {
  const int count = runsLong() ? 300 : isNewton() ? 25 : 75;
  std::vector<double> depth, kinetic;
  for (const int order : {0, 1, 2}) {
    Scene run(pile(method(), count, order));
    run.seconds(5);
    depth.push_back(run.meanDepth());
    kinetic.push_back(run.kinetic());
  }
  // piles that have come to rest differ by rounding only: 1e-4 of a box, and the energy that lifts a box by as much
  const double box = 0.4, least = 1e-4 * box;
  const auto [shallow, deep] = std::minmax_element(depth.begin(), depth.end());
  EXPECT_LT(*deep - *shallow, std::max(0.1 * *deep, least));
  const auto [calm, lively] = std::minmax_element(kinetic.begin(), kinetic.end());
  EXPECT_LT(*lively - *calm, std::max(0.1 * *lively, kGravity * least));
}

// ------------------------------------------------------------------------------------------ HARD-3

/// The body declared last, which is the topmost, drifts less than 1 % of a cube.
void expectToStand(const std::string& mjcf, double seconds, double cube) {
  Scene run(mjcf);
  const int top = run.m.nq - 7;
  const std::vector<double> start(run.d.qpos.begin() + top, run.d.qpos.begin() + top + 3);
  run.seconds(seconds);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(run.d.qpos[top + k], start[k], 0.01 * cube) << "coordinate " << k;
  }
}

TEST_P(HardContacts, HARD_3_ATowerOfTwentyCubesStands) {
  expectToStand(stack(method(), 20), runsLong() ? 60 : isNewton() ? 5 : 20, 1);
}

TEST_P(HardContacts, HARD_3_BrickWallsStand) {
  for (const int layers : {10, 20, 30}) {
    SCOPED_TRACE(layers);
    expectToStand(brickWall(method(), layers, 5), runsLong() ? 60 : isNewton() ? 0.5 : 1, 0.2);
  }
}

TEST_P(HardContacts, HARD_3_APyramidOfThirtyLayersStands) {
  expectToStand(pyramid(method(), runsLong() ? 30 : 12), runsLong() ? 60 : isNewton() ? 1 : 3, 1);
}

// A wall of one and a half bricks sways after it is set up, and the less the longer it stands: the energy of four
// seconds against that of the four before them. Slow modes are those that sweeps solve worst.
TEST(HardMethods, HARD_3_SwayingDiesOut) {
  Scene run(brickWall("sweep", 30, 2));
  const auto energyOf = [&](double duration) {
    double sum = 0;
    for (int i = 0; i < static_cast<int>(duration / kStep); ++i) {
      run.steps(1);
      for (const double v : run.d.qvel) sum += v * v;
    }
    return sum;
  };
  energyOf(2);
  const double early = energyOf(4), late = energyOf(4);
  EXPECT_GT(early, 0);
  EXPECT_LT(late, 0.5 * early);
}

// ------------------------------------------------------------------------------------------ HARD-4

TEST_P(HardContacts, HARD_4_ALightCubeCarriesAHeavyOne) {
  struct Case {
    double ratio, depth;
  };
  const std::vector<Case> cases =
      isNewton() ? std::vector<Case>{{1e3, 1e-3}, {1e6, 1e-2}} : std::vector<Case>{{1e3, 1e-2}};
  for (const Case& c : cases) {
    Scene run(
        document(method(), kSixty, box(0, 0, 0.5, {0.5, 0.5, 0.5}, 1) + box(0, 0, 1.5, {0.5, 0.5, 0.5}, c.ratio)));
    double deepest = 0;
    for (int i = 0; i < 600; ++i) {
      run.steps(1);
      deepest = std::max(deepest, run.deepest());
    }
    EXPECT_LT(deepest, tolerance(c.depth)) << c.ratio;
    EXPECT_NEAR(run.d.qpos[9], 1.5, tolerance(2 * c.depth)) << c.ratio;
  }
}

// ------------------------------------------------------------------------------------------ HARD-5

/// Six cubes on each other, declared from the foot or from the top.
std::string declaredStack(const std::string& method, bool fromTop) {
  std::string world;
  for (int i = 0; i < 6; ++i) world += box(0, 0, fromTop ? 5.5 - i : 0.5 + i, {0.5, 0.5, 0.5}, 1);
  return document(method, kSixty, world);
}

TEST_P(HardContacts, HARD_5_AStackDoesNotNoticeThatTheTimestepChanges) {
  for (const unsigned seed : {3u, 1u, 2u, 4u, 5u, 6u}) {
    const int steps =
        seed == 3 || runsLong() ? 600 : 60;  // it is set up without impulses: the first steps are the worst
    for (const bool fromTop : {false, true}) {
      for (const double factor : {2.0, 4.0, 10.0}) {
        for (const bool continuous : {true, false}) {
          Scene run(declaredStack(method(), fromTop));
          std::mt19937 generator(seed);
          std::uniform_real_distribution<double> exponent(-0.5, 0.5);
          for (int i = 0; i < steps; ++i) {
            const double x = exponent(generator);
            run.m.opt.timestep = kStep * std::pow(factor, continuous ? x : (x > 0 ? 0.5 : -0.5));
            run.steps(1);
            ASSERT_LT(run.fastest(), 1e-3) << "seed " << seed << (fromTop ? ", from the top" : ", from the foot")
                                           << ", factor " << factor << ", step " << i;
          }
        }
      }
    }
  }
}

/// A box that is set up on another without impulses loads all its corners alike from the first step on, whatever the
/// signs of the zeros in its position.
TEST_P(HardContacts, HARD_5_CornersShareTheLoadFromTheFirstStep) {
  std::string signs;
  for (int i = 0; i < 6; ++i) signs += box(i == 3 ? 0.0 : -0.0, i % 5 == 0 ? -0.0 : 0.0, 0.5 + i, {0.5, 0.5, 0.5}, 1);
  for (const std::string& scene :
       {declaredStack(method(), false), declaredStack(method(), true), document(method(), kSixty, signs)}) {
    Scene run(scene);
    run.steps(1);
    int pairs = 0;
    for (std::ptrdiff_t i = 0; i < run.d.contact.size();) {
      const std::array<int, 2> geoms = run.d.contact[i].geom;
      double least = 1e9, most = 0;
      for (; i < run.d.contact.size() && run.d.contact[i].geom == geoms; ++i) {
        const double force = run.d.efc_force[run.d.contact[i].efc_address];
        least = std::min(least, force);
        most = std::max(most, force);
      }
      EXPECT_GT(least, 0) << pairs;
      EXPECT_LT(most - least, 0.01 * most) << pairs;
      ++pairs;
    }
    EXPECT_EQ(pairs, 6);
  }
}

// ------------------------------------------------------------------------------------------ HARD-6

TEST_P(HardContacts, HARD_6_ABeamOnTwoSupportsComesToRest) {
  Scene run(
      beam(method(), kSixty, 16, 0.6, false,
           R"(<geom type="box" size=".1 .2 .25" pos="0 0 .25"/><geom type="box" size=".1 .2 .25" pos="3 0 .25"/>)"));
  run.seconds(5);
  EXPECT_LT(run.fastest(), 1e-4);
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(run.d.qpos[7 * i + 2], 0.6, tolerance(1e-3)) << i;
}

// ------------------------------------------------------------------------------------------ HARD-7

/// Five bodies on hinges in space: a chain, or a trunk with limbs. No gravity, nothing touches.
std::string tumbler(const std::string& method, bool chain, const std::string& option) {
  const auto limb = [](const char* pos, const char* axis, double mass, const std::string& child) {
    return fmt::format(R"(<body pos="{}"><joint axis="{}"/><geom type="box" size=".2 .06 .04" pos=".2 0 0" mass="{}"
        contype="0" conaffinity="0"/>{}</body>)",
                       pos, axis, mass, child);
  };
  const std::string limbs =
      chain ? limb(".2 0 0", "0 0 1", 1,
                   limb(".4 0 0", "0 1 0", 0.7, limb(".4 0 0", "0 0 1", 0.5, limb(".4 0 0", "1 1 0", 0.3, ""))))
            : limb(".2 .1 0", "0 0 1", 1, "") + limb(".2 -.1 0", "0 1 0", 0.7, "") +
                  limb("-.6 .1 0", "1 0 1", 0.5, "") + limb("-.6 -.1 0", "0 1 1", 0.3, "");
  return fmt::format(R"(<mujoco><option solver="Impulse" method="{}" gravity="0 0 0" {}/><worldbody><body><freejoint/>
      <geom type="box" size=".2 .1 .05" mass="2" contype="0" conaffinity="0"/>{}</body></worldbody></mujoco>)",
                     method, option, limbs);
}

/// Angular momentum of a tree about its centre of mass, from the bodies' velocities.
std::array<double, 3> angularMomentum(Scene& run) {
  forward(run.m, run.d);
  std::vector<double> matrix(static_cast<std::size_t>(3 * run.m.nv));
  angularMomentumMatrix(run.m, run.d, 1, matrix);
  std::array<double, 3> momentum{};
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < run.m.nv; ++k) {
      momentum[r] += matrix[r * run.m.nv + k] * run.d.qvel[k];
    }
  }
  return momentum;
}

TEST_P(HardContacts, HARD_7_ATreeThatTumblesKeepsItsEnergyAndMomentum) {
  const auto length = [](const std::array<double, 3>& x) { return std::hypot(x[0], x[1], x[2]); };
  for (const bool chain : {true, false}) {
    for (const double rate : {2.0, 5.0, 10.0}) {
      SCOPED_TRACE(fmt::format("chain {}, {} rad/s", chain, rate));
      Scene run(tumbler(method(), chain, kSixty));
      for (int k = 3; k < 6; ++k) run.d.qvel[k] = rate * (k == 3 ? 0.36 : k == 4 ? 0.48 : 0.8);  // a unit vector
      run.d.qvel[6] = 0.1 * rate;
      const double start = run.kinetic(), momentum = length(angularMomentum(run));
      for (int i = 0; i < 20 * 60; ++i) {
        run.steps(1);
        if (i % 10 != 0) continue;
        ASSERT_LT(run.kinetic(), 1.01 * start) << "step " << i;
      }
      EXPECT_GT(run.kinetic(), 0.95 * start);
      EXPECT_NEAR(length(angularMomentum(run)), momentum, 0.05 * momentum);
    }
  }
}

// ------------------------------------------------------------------------------------------ HARD-8

// e^2 of the height, by both methods, with the apex measured as the highest point between two impacts
TEST_P(HardContacts, HARD_8_BouncesToESquaredOfTheHeight) {
  for (const double e : {0.5, 0.8, 1.0}) {
    Scene run(fmt::format(R"(<mujoco><option solver="Impulse" method="{}" {}/><worldbody>
        <geom type="plane" size="9 9 1" restitution="{}" condim="1"/>
        <body pos="0 0 2.1"><freejoint/><geom size="0.1" mass="1" restitution="{}" condim="1"/></body>
        </worldbody></mujoco>)",
                          method(), kSixty, e, e));
    bool fell = false, rose = false;
    double apex = 0;
    for (int i = 0; i < 200; ++i) {
      run.steps(1);
      fell = fell || run.d.qvel[2] < -1;
      rose = rose || (fell && run.d.qvel[2] > 0);
      if (rose && run.d.qvel[2] > 0) apex = run.d.qpos[2] - 0.1;
      if (rose && run.d.qvel[2] < 0) break;
    }
    EXPECT_NEAR(apex, e * e * 2, tolerance(0.02) * 2) << e;
  }
}

// A soft ball meets the floor: each point that touches leaves with -e times the velocity it came with, as long as it is
// pushed at all, and none is slower. One step, without gravity, so that nothing else changes velocities.
TEST_P(HardContacts, HARD_8_PointsOfASoftBallObeyRestitution) {
  for (const double e : {0.3, 0.8, 1.0}) {
    Scene run(fmt::format(R"(<mujoco><option solver="Impulse" method="{0}" timestep="1e-4" gravity="0 0 0"
        integrator="implicitfast"/><worldbody><geom type="plane" size="9 9 1" restitution="{1}" condim="1"/>
        <flexcomp name="b" type="ellipsoid" count="5 5 5" spacing=".1 .1 .1" pos="0 0 0.2099" dim="3" mass="1"
        radius="0.01"><elasticity young="2e5" poisson="0.3" damping="0.001"/>
        <contact restitution="{1}" condim="1" selfcollide="none"/></flexcomp></worldbody></mujoco>)",
                          method(), e));
    for (int node = 0; node < run.m.nflexnode; ++node) run.d.qvel[run.m.nv_rigid + 3 * node + 2] = -2;
    int touching = 0;
    for (int i = 0; i < 200 && touching == 0; ++i) {
      run.steps(1);
      std::vector<double> before(run.d.efc_vel.begin(), run.d.efc_vel.end());
      for (const Contact& c : run.d.contact) {
        const int row = c.efc_address;
        if (row < 0 || !(run.d.efc_force[row] > 0) || c.dist > 0) continue;
        // J v of the row after the step
        const RowBlock* block = nullptr;
        for (const RowBlock& b : run.d.row_block) block = b.row == row ? &b : block;
        ASSERT_NE(block, nullptr);
        double after = 0;
        for (int k = 0; k < block->ncol; ++k) {
          after += run.d.row_value[block->value + k] * run.d.qvel[run.d.row_column[block->column + k]];
        }
        EXPECT_LT(before[row], -1);
        EXPECT_NEAR(after, -e * before[row], tolerance(1e-3)) << "e = " << e;
        ++touching;
      }
    }
    EXPECT_GE(touching, 1) << e;
  }
}

// ------------------------------------------------------------------------------------------ HARD-9

/// A quantity by both methods.
template <class F>
void expectSame(const F& measure, double exact, double share) {
  const double newton = measure("newton"), sweep = measure("sweep");
  EXPECT_NEAR(newton, sweep, share * std::abs(newton));
  EXPECT_NEAR(newton, exact, 2e-3 * std::abs(exact));
}

TEST(HardMethods, HARD_9_AgreeOnRestingForces) {
  // what the floor carries of two cubes on top of each other
  expectSame(
      [](const std::string& method) {
        Scene run(stack(method, 2));
        run.seconds(4);
        double sum = 0;
        for (int i = 0; i < run.d.ncon(); ++i) {
          const Contact& c = run.d.contact[i];
          if (std::min(c.geom[0], c.geom[1]) == 0) sum += contactForce(run.m, run.d, i)[0];
        }
        return sum;
      },
      2 * kGravity, 1e-3);
}

TEST(HardMethods, HARD_9_AgreeOnSliding) {
  const double angle = 0.4;
  for (const double mu : {0.1, 0.3, 0.4}) {
    expectSame(
        [&](const std::string& method) {
          Scene run(fmt::format(R"(<mujoco><option solver="Impulse" method="{}" gravity="{} 0 {}" {}/>
              <default><geom friction="{}"/></default><worldbody><geom type="plane" size="99 99 1"/>
              <body pos="0 0 .25"><freejoint/><geom type="box" size=".4 .3 .25" mass="2"/></body></worldbody></mujoco>)",
                                method, kGravity * std::sin(angle), -kGravity * std::cos(angle), kSixty, mu));
          run.seconds(1);
          const double v = run.d.qvel[0];
          run.seconds(1);
          return run.d.qvel[0] - v;
        },
        kGravity * (std::sin(angle) - mu * std::cos(angle)), 1e-3);
  }
}

// a ball that slides begins to roll after 2/7 v/(mu g), with 5/7 of its speed
TEST(HardMethods, HARD_9_AgreeOnTheOnsetOfRolling) {
  const double h = 1e-4;
  for (const double mu : {0.1, 0.5, 1.0}) {
    const auto run = [&](const std::string& method, double& speed) {
      Scene ball(fmt::format(R"(<mujoco><option solver="Impulse" method="{}" timestep="{}"/>
          <default><geom friction="{}"/></default><worldbody><geom type="plane" size="99 99 1"/>
          <body pos="0 0 .1"><freejoint/><geom size=".1" mass="2"/></body></worldbody></mujoco>)",
                             method, h, mu));
      ball.d.qvel[0] = 1;
      int steps = 0;
      while (std::abs(ball.d.qvel[0] - 0.1 * ball.d.qvel[4]) > 1e-9 && steps < 20000) {
        ball.steps(1);
        ++steps;
      }
      speed = ball.d.qvel[0];
      return steps * h;
    };
    double newtonSpeed = 0, sweepSpeed = 0;
    const double newton = run("newton", newtonSpeed), sweep = run("sweep", sweepSpeed);
    EXPECT_NEAR(newton, sweep, 1e-3 * newton + h) << mu;
    EXPECT_NEAR(newton, 2.0 / 7 / (mu * kGravity), 2 * h) << mu;
    EXPECT_NEAR(newtonSpeed, sweepSpeed, 1e-3 * newtonSpeed) << mu;
    EXPECT_NEAR(newtonSpeed, 5.0 / 7, 1e-3) << mu;
  }
}

// ------------------------------------------------------------------------------------------ ONE-7

/// What solved the first island after a step.
IslandReport reportOf(const std::string& option, const std::string& world, const std::string& more = "") {
  Scene run(fmt::format("<mujoco><option {}/><worldbody><geom type=\"plane\" size=\"9 9 1\"/>{}</worldbody>{}</mujoco>",
                        option, world, more));
  run.steps(1);
  return run.d.island.size() > 0 ? run.d.island[0] : IslandReport{};
}

TEST(Plan, ONE_7_EachSolverThatIsAskedForIsUsedAndReported) {
  const std::string cube = box(0, 0, 0.499, {0.5, 0.5, 0.5}, 1);  // touches: what only might touch has no rows
  const auto methodOf = [&](const std::string& option) { return reportOf(option, cube).method; };
  EXPECT_EQ(methodOf(R"(solver="Newton")"), SolveMethod::Newton);
  EXPECT_EQ(methodOf(R"(solver="CG")"), SolveMethod::ConjugateGradient);
  EXPECT_EQ(methodOf(R"(solver="PGS")"), SolveMethod::GaussSeidel);
  EXPECT_EQ(methodOf(R"(solver="Impulse")"), SolveMethod::HardNewton);
  EXPECT_EQ(methodOf(R"(solver="Impulse" method="newton")"), SolveMethod::HardNewton);
  EXPECT_EQ(methodOf(R"(solver="Impulse" method="sweep")"), SolveMethod::HardSweep);
  EXPECT_EQ(describePlan(reportOf(R"(solver="Impulse" method="sweep")", cube)),
            "hard contacts by sweeps: as asked for");
  EXPECT_EQ(describePlan(reportOf(R"(solver="Newton")", cube)), "Newton's method, dense factor: the problem is small");
}

TEST(Plan, ONE_7_SweepsThatAreReplacedSayWhy) {
  const std::string two = box(0, 0, 0.5, {0.5, 0.5, 0.5}, 1, "a") + box(2, 0, 0.5, {0.5, 0.5, 0.5}, 1, "b");
  const IslandReport welded =
      reportOf(R"(solver="Impulse" method="sweep")", two, R"(<equality><weld body1="a" body2="b"/></equality>)");
  EXPECT_EQ(welded.method, SolveMethod::HardNewton);
  EXPECT_EQ(describePlan(welded),
            "hard contacts by Newton's method, dense factor: equality constraints hold it together");
}

TEST(Plan, ONE_7_AMethodThatDoesNotExistIsAnError) {
  try {
    readMjcfText(R"(<mujoco><option solver="Impulse" method="jacobi"/></mujoco>)", "model.xml");
    FAIL();
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("method"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("newton, sweep"), std::string::npos) << error.what();
  }
  Option option;
  option.method = static_cast<ImpulseMethod>(7);
  EXPECT_EQ(checkOption(option), "'method' must be one of newton, sweep, found the number 7");
}

}  // namespace
}  // namespace sinew
