#include "sinew/derivatives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sinew/dynamics.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/tolerance.h"

// Derivatives of a step: against closed forms of linear systems, against the chain rule over several steps, and against
// the mass matrix.
namespace sinew {
namespace {

using test::allNear;
using test::tolerance;
using Numbers = std::vector<double>;

double at(const Numbers& matrix, int columns, int row, int column) { return matrix[row * columns + column]; }

// m a = -k q - c v + g u with Euler, whose joint damping is implicit: v' = v + h (-k q - c v + g u) / (m + h c), q' = q
// + h v'. Everything is linear: differences are exact up to rounding, 1e-16 / eps.
TEST(Derivatives, API_3_OfASpringAndDamperAreTheClosedForm) {
  const double h = 0.01, k = 30, c = 2, mass = 1.5, g = 3;
  const Model m = test::modelOf(R"(<mujoco><option timestep=".01" gravity="0 0 0"/><worldbody>
    <body><joint name="x" type="slide" axis="1 0 0" stiffness="30" damping="2"/><geom type="sphere" size=".1" mass="1.5"/></body>
    </worldbody><actuator><motor name="motor" joint="x" gear="3"/></actuator>
    <sensor><jointpos joint="x"/><jointvel joint="x"/><actuatorfrc actuator="motor"/></sensor></mujoco>)");
  Data d(m);
  d.qpos[0] = 0.2;
  d.qvel[0] = -0.3;
  for (const bool centered : {false, true}) {
    const TransitionDerivatives t = transitionDerivatives(m, d, {.eps = 1e-4, .centered = centered});
    const double effective = mass + h * c;
    const Numbers A{1 - h * h * k / effective, h * (1 - h * c / effective), -h * k / effective, 1 - h * c / effective};
    const Numbers B{h * h * g / effective, h * g / effective};
    EXPECT_TRUE(allNear(t.A, A, 1e-11));
    EXPECT_TRUE(allNear(t.B, B, 1e-11));
    EXPECT_TRUE(allNear(t.C, Numbers{1, 0, 0, 1, 0, 0}, 1e-11));
    EXPECT_TRUE(allNear(t.D, Numbers{0, 0, 1}, 1e-11));
  }
}

const char* const kArm = R"(<mujoco><option timestep=".005"/><worldbody>
    <body name="base" pos="0 0 1"><joint type="ball" damping=".1"/><geom type="box" size=".1 .05 .05" pos=".1 0 0"/>
      <body pos=".2 0 0"><joint name="elbow" axis="0 1 0" damping=".05"/><geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
        <site name="tip" pos=".3 0 0"/></body></body>
    <body name="free" pos="1 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
    <flexcomp name="rope" type="grid" dim="1" count="3 1 1" spacing=".1 .1 .1" pos="0 2 1" mass=".1"><edge stiffness="10" damping=".1"/></flexcomp>
    </worldbody>
    <actuator><general name="lag" joint="elbow" dyntype="filter" dynprm=".05" gainprm="2" ctrllimited="true" ctrlrange="-1 1"/></actuator>
    <sensor><framepos objtype="site" objname="tip"/><gyro site="tip"/></sensor></mujoco>)";

// dx after n steps = A_n ... A_1 dx, and the difference of two runs is just that up to the square of the nudge.
TEST(Derivatives, API_3_FollowTheChainRuleOverSeveralSteps) {
  for (const char* integrator : {"Euler", "implicitfast", "RK4"}) {
    std::string text = kArm;
    text.replace(text.find("<option "), 8, std::string("<option integrator=\"") + integrator + "\" ");
    const Model m = test::modelOf(text);
    const int n = 2 * m.nv + m.na, steps = 5;
    Data d(m), nudged(m);
    test::randomizeState(m, d, 5, 0.3, 1);
    nudged = d;
    Numbers dx(static_cast<std::size_t>(n));
    const double size = 1e-5;
    for (int i = 0; i < n; ++i) dx[i] = size * std::sin(1.0 + i);
    integratePositions(m, nudged.qpos, std::span(dx).first(static_cast<std::size_t>(m.nv)), 1);
    for (int i = 0; i < m.nv; ++i) nudged.qvel[i] += dx[m.nv + i];
    for (int i = 0; i < m.na; ++i) nudged.act[i] += dx[2 * m.nv + i];
    for (int s = 0; s < steps; ++s) {
      const TransitionDerivatives t = transitionDerivatives(m, d, {.eps = 1e-5, .centered = true, .threads = 2});
      Numbers next(dx.size(), 0.0);
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) next[i] += at(t.A, n, i, j) * dx[j];
      }
      dx = next;
      step(m, d);
      step(m, nudged);
    }
    Numbers actual(dx.size());
    differentiatePositions(m, std::span(actual).first(static_cast<std::size_t>(m.nv)), 1, d.qpos, nudged.qpos);
    for (int i = 0; i < m.nv; ++i) actual[m.nv + i] = nudged.qvel[i] - d.qvel[i];
    for (int i = 0; i < m.na; ++i) actual[2 * m.nv + i] = nudged.act[i] - d.act[i];
    // what is left: the square of the nudge, 1e-10, times the number of steps and second derivatives of order one to
    // ten
    EXPECT_TRUE(allNear(actual, dx, 5e-9)) << integrator;
  }
}

TEST(Derivatives, API_3_AreTheSameForAnyNumberOfThreadsAndLeaveTheDataAlone) {
  const Model m = test::modelOf(kArm);
  Data d(m);
  test::randomizeState(m, d, 7);
  for (int i = 0; i < 10; ++i) step(m, d);
  const std::uint64_t before = stateHash(m, d);
  const TransitionDerivatives one = transitionDerivatives(m, d, {.threads = 1});
  for (const int threads : {2, 4, 0}) {
    const TransitionDerivatives more = transitionDerivatives(m, d, {.threads = threads});
    EXPECT_EQ(more.A, one.A);
    EXPECT_EQ(more.B, one.B);
    EXPECT_EQ(more.C, one.C);
    EXPECT_EQ(more.D, one.D);
  }
  EXPECT_EQ(stateHash(m, d), before);
}

// The filtered motor: act' = act + h (u - act) / tau.
TEST(Derivatives, API_3_ControlsAtTheEdgeOfTheirRangeAreNudgedInwards) {
  const Model m = test::modelOf(kArm);
  Data d(m);
  const int n = 2 * m.nv + m.na;
  for (const double u : {-1.0, 0.3, 1.0}) {
    d.ctrl[0] = u;
    for (const bool centered : {false, true}) {
      const TransitionDerivatives t = transitionDerivatives(m, d, {.eps = 1e-4, .centered = centered});
      EXPECT_NEAR(at(t.B, 1, n - 1, 0), 0.005 / 0.05, tolerance(1e-11)) << u;
    }
  }
}

// f = M qacc + C(q, v) - passive: the derivative with respect to qacc is M.
TEST(Derivatives, API_3_InverseDynamicsHasTheMassMatrixInIt) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Model m = test::modelOf(test::randomTree(seed, 6));
    Data d(m);
    test::randomizeState(m, d, seed);
    forward(m, d);
    const InverseDerivatives t = inverseDerivatives(m, d, {.eps = 1e-4, .centered = true, .threads = 2});
    Numbers M(static_cast<std::size_t>(m.nv) * static_cast<std::size_t>(m.nv));
    fullMass(m, d, M);
    EXPECT_TRUE(allNear(t.DfDa, M, 1e-9));
    // DfDv by another route: the bias force alone, differenced here
    for (int j = 0; j < m.nv; ++j) {
      const double eps = 1e-4;
      Numbers up(static_cast<std::size_t>(m.nv)), down = up;
      for (const double side : {eps, -eps}) {
        Data x = d;
        x.qvel[j] += side;
        forward(m, x);
        for (int i = 0; i < m.nv; ++i) {
          (side > 0 ? up : down)[i] = x.qfrc_bias[i] - x.qfrc_passive[i];
        }
      }
      for (int i = 0; i < m.nv; ++i) {
        const double rate = (up[i] - down[i]) / (2 * eps);
        EXPECT_NEAR(at(t.DfDv, m.nv, i, j), rate, tolerance(1e-8));
      }
    }
  }
}

TEST(Derivatives, API_3_WrongArgumentsAreNamed) {
  const Model m = test::modelOf(kArm), other = test::modelOf(test::randomTree(1, 3));
  const Data d(m);
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no exception";
  };
  EXPECT_EQ(message([&] { transitionDerivatives(m, d, {.eps = 0}); }),
            "transitionDerivatives: eps is 0, must be finite and above 0");
  EXPECT_EQ(message([&] { inverseDerivatives(m, d, {.threads = -2}); }),
            "inverseDerivatives: threads is -2, must be 0 (all) or more");
  EXPECT_EQ(message([&] { transitionDerivatives(other, d); }),
            "transitionDerivatives: the Data was made for another Model");
}

}  // namespace
}  // namespace sinew
