#include "sinew/dynamics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/refusal.h"
#include "support/tolerance.h"

// What a controller calls between steps, through the public headers alone. Oracles: differences of poses along each
// dof, differences in time along a trajectory, Newton's laws.
namespace sinew {
namespace {

using test::tolerance;
using Numbers = std::vector<double>;

Numbers zeros(int n) { return Numbers(static_cast<std::size_t>(n), 0.0); }

/// A cloth, a rope that hangs on a moving body, a trilinear block and a solid, beside a small arm.
const char* const kSoftModel = R"(<mujoco>
  <option timestep="0.001" gravity="0.3 -0.2 -9"><flag contact="disable"/></option>
  <worldbody>
    <body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom type="box" size=".1 .02 .03" pos=".1 0 0"/>
      <body name="hand" pos=".2 0 0"><joint type="ball"/><geom type="box" size=".05 .03 .02" pos=".03 .01 0"/>
        <flexcomp name="rope" type="grid" dim="1" count="6 1 1" spacing=".05 .05 .05" pos=".2 0 0" mass=".1">
          <pin id="0"/><edge equality="true"/></flexcomp>
      </body>
    </body>
    <flexcomp name="cloth" type="grid" dim="2" count="4 3 1" spacing=".1 .1 .1" pos="0 1 1" mass=".2" radius=".005">
      <edge equality="true"/><pin id="0 2"/></flexcomp>
    <flexcomp name="cell" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" pos="0 2 1" mass=".5" dof="trilinear">
      <elasticity young="1e4" poisson=".3"/><contact selfcollide="none"/></flexcomp>
    <flexcomp name="solid" type="grid" dim="3" count="3 2 2" spacing=".1 .1 .1" pos="0 3 1" mass=".4">
      <elasticity young="1e4" poisson=".3"/></flexcomp>
  </worldbody>
</mujoco>)";

std::vector<Model> models() {
  std::vector<Model> all;
  for (unsigned seed = 1; seed <= 4; ++seed) all.push_back(test::modelOf(test::randomTree(seed, 8)));
  all.push_back(test::modelOf(kSoftModel));
  return all;
}

Data evaluated(const Model& m, unsigned seed) {
  Data d(m);
  test::randomizeState(m, d, seed);
  for (int i = m.nv_rigid; i < m.nv; ++i) {  // a pinned node has no velocity
    if (m.flexnode_pinned[(i - m.nv_rigid) / 3]) d.qvel[i] = 0;
  }
  forward(m, d);
  return d;
}

/// The state moved by `h` along `qvel`, evaluated.
Data movedAlong(const Model& m, const Data& d, const Numbers& qvel, double h) {
  Data moved(m);
  moved.qpos = d.qpos;
  moved.qvel = d.qvel;
  integratePositions(m, moved.qpos, qvel, h);
  forward(m, moved);
  return moved;
}

Numbers unit(const Model& m, int dof) {
  Numbers v = zeros(m.nv);
  v[dof] = 1;
  return v;
}

double entry(const Numbers& matrix, const Model& m, int row, int column) { return matrix[row * m.nv + column]; }

/// Central differences of `position(Data)` (three numbers) along every dof against a Jacobian. h = 1e-5 leaves 1e-8 or
/// so.
template <class F>
void expectDerivative(const Model& m, const Data& d, const Numbers& jacobian, F&& position, const std::string& what) {
  const double h = 1e-5;
  for (int i = 0; i < m.nv; ++i) {
    const Data after = movedAlong(m, d, unit(m, i), h), before = movedAlong(m, d, unit(m, i), -h);
    for (int k = 0; k < 3; ++k) {
      const double rate = (position(after)[k] - position(before)[k]) / (2 * h);
      EXPECT_NEAR(entry(jacobian, m, k, i), rate, tolerance(2e-8)) << what << " row " << k << " dof " << i;
    }
  }
}

TEST(Dynamics, API_1_JacobiansAreTheDerivativesOfPositions) {
  unsigned seed = 1;
  for (const Model& m : models()) {
    const Data d = evaluated(m, seed++);
    Numbers jacp = zeros(3 * m.nv);
    for (int body = 0; body < m.nbody; body += 2) {
      bodyJacobian(m, d, body, jacp);
      expectDerivative(
          m, d, jacp, [&](const Data& x) { return &x.xpos[3 * body]; }, "body");
      bodyComJacobian(m, d, body, jacp);
      expectDerivative(
          m, d, jacp, [&](const Data& x) { return &x.xipos[3 * body]; }, "centre of mass");
      subtreeComJacobian(m, d, body, jacp);
      expectDerivative(
          m, d, jacp, [&](const Data& x) { return &x.subtree_com[3 * body]; }, "subtree");
    }
    for (int site = 0; site < m.nsite; site += 3) {
      siteJacobian(m, d, site, jacp);
      expectDerivative(
          m, d, jacp, [&](const Data& x) { return &x.site_xpos[3 * site]; }, "site");
    }
    for (int geom = 0; geom < m.ngeom; geom += 3) {
      geomJacobian(m, d, geom, jacp);
      expectDerivative(
          m, d, jacp, [&](const Data& x) { return &x.geom_xpos[3 * geom]; }, "geom");
    }
    for (int vertex = 0; vertex < m.nflexvert; vertex += 5) {
      flexVertexJacobian(m, d, vertex, jacp);
      expectDerivative(
          m, d, jacp, [&](const Data& x) { return &x.flexvert_xpos[3 * vertex]; }, "vertex");
    }
  }
}

// The derivative in time of the Jacobian along the motion. Central differences, as above.
TEST(Dynamics, API_1_JacobianRatesAreDifferencesInTime) {
  const double h = 1e-5;
  unsigned seed = 20;
  for (const Model& m : models()) {
    const Data d = evaluated(m, seed++);
    const Numbers qvel(d.qvel.begin(), d.qvel.end());
    const Data after = movedAlong(m, d, qvel, h), before = movedAlong(m, d, qvel, -h);
    Numbers rate = zeros(3 * m.nv), turn = zeros(3 * m.nv), p1 = rate, p2 = rate, r1 = rate, r2 = rate;
    const auto compare = [&](const Numbers& a, const Numbers& b, const Numbers& actual, const char* what) {
      for (std::size_t k = 0; k < actual.size(); ++k) {
        EXPECT_NEAR(actual[k], (b[k] - a[k]) / (2 * h), tolerance(1e-6)) << what << " entry " << k;
      }
    };
    for (int site = 0; site < m.nsite; ++site) {
      const Vector3 point{d.site_xpos[3 * site], d.site_xpos[3 * site + 1], d.site_xpos[3 * site + 2]};
      pointJacobianDot(m, d, m.site_bodyid[site], point, rate, turn);
      siteJacobian(m, before, site, p1, r1);
      siteJacobian(m, after, site, p2, r2);
      compare(p1, p2, rate, "jacp of a site");
      compare(r1, r2, turn, "jacr of a site");
    }
    for (int vertex = 0; vertex < m.nflexvert; vertex += 3) {
      flexVertexJacobianDot(m, d, vertex, rate);
      flexVertexJacobian(m, before, vertex, p1);
      flexVertexJacobian(m, after, vertex, p2);
      compare(p1, p2, rate, "jacp of a vertex");
    }
    for (int site = 0; site < m.nsite; site += 2) {
      siteJacobianDot(m, d, site, rate, turn);
      siteJacobian(m, before, site, p1, r1);
      siteJacobian(m, after, site, p2, r2);
      compare(p1, p2, rate, "jacp of a site by its id");
      compare(r1, r2, turn, "jacr of a site by its id");
    }
    for (int geom = 0; geom < m.ngeom; geom += 2) {
      geomJacobianDot(m, d, geom, rate, turn);
      geomJacobian(m, before, geom, p1, r1);
      geomJacobian(m, after, geom, p2, r2);
      compare(p1, p2, rate, "jacp of a geom");
      compare(r1, r2, turn, "jacr of a geom");
    }
    for (int body = 0; body < m.nbody; ++body) {
      bodyJacobianDot(m, d, body, rate, turn);
      bodyJacobian(m, before, body, p1, r1);
      bodyJacobian(m, after, body, p2, r2);
      compare(p1, p2, rate, "jacp of a body");
      compare(r1, r2, turn, "jacr of a body");
      bodyComJacobianDot(m, d, body, rate, turn);
      bodyComJacobian(m, before, body, p1, r1);
      bodyComJacobian(m, after, body, p2, r2);
      compare(p1, p2, rate, "jacp of a centre of mass");
      subtreeComJacobianDot(m, d, body, rate);
      subtreeComJacobian(m, before, body, p1);
      subtreeComJacobian(m, after, body, p2);
      compare(p1, p2, rate, "subtree");
      angularMomentumMatrixDot(m, d, body, rate);
      angularMomentumMatrix(m, before, body, p1);
      angularMomentumMatrix(m, after, body, p2);
      compare(p1, p2, rate, "angular momentum");
    }
    for (int point = 0; point < m.nflexpoint; point += 3) {
      flexPointJacobianDot(m, d, point, rate);
      flexPointJacobian(m, before, point, p1);
      flexPointJacobian(m, after, point, p2);
      compare(p1, p2, rate, "point of a flex");
    }
  }
}

// velocity = J qvel; angular momentum of a subtree about its centre, summed over bodies and nodes here.
TEST(Dynamics, API_1_VelocitiesAndMomentaAreJacobiansTimesQvel) {
  unsigned seed = 40;
  for (const Model& m : models()) {
    const Data d = evaluated(m, seed++);
    Numbers jacp = zeros(3 * m.nv), jacr = jacp;
    const auto times = [&](const Numbers& matrix, int row) {
      return std::inner_product(d.qvel.begin(), d.qvel.end(), matrix.begin() + row * m.nv, 0.0);
    };
    for (int site = 0; site < m.nsite; ++site) {
      siteJacobian(m, d, site, jacp, jacr);
      const SpatialMotion v = objectVelocity(m, d, ObjType::Site, site);
      const SpatialMotion local = objectVelocity(m, d, ObjType::Site, site, Axes::Local);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(v.linear[k], times(jacp, static_cast<int>(k)), tolerance(1e-12));
        EXPECT_NEAR(v.angular[k], times(jacr, static_cast<int>(k)), tolerance(1e-12));
        double turned = 0;  // column k of the object's axes times the world vector
        for (std::size_t i = 0; i < 3; ++i) {
          turned += d.site_xmat[9 * site + 3 * static_cast<int>(i) + static_cast<int>(k)] * v.linear[i];
        }
        EXPECT_NEAR(local.linear[k], turned, tolerance(1e-12));
      }
    }
    for (int vertex = 0; vertex < m.nflexvert; ++vertex) {
      flexVertexJacobian(m, d, vertex, jacp);
      const Vector3 v = flexVertexVelocity(m, d, vertex);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(v[k], times(jacp, static_cast<int>(k)), tolerance(1e-12));
    }
    for (int point = 0; point < m.nflexpoint; ++point) {
      flexPointJacobian(m, d, point, jacp);
      const Vector3 v = flexPointVelocity(m, d, point);
      Numbers qfrc = zeros(m.nv);
      const Vector3 force{1, -2, 3};
      addForceAtFlexPoint(m, d, point, force, qfrc);
      double power = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(v[k], times(jacp, static_cast<int>(k)), tolerance(1e-12));
        power += force[k] * v[k];
      }
      EXPECT_NEAR(std::inner_product(d.qvel.begin(), d.qvel.end(), qfrc.begin(), 0.0), power, tolerance(1e-12));
    }
  }
}

// Without contacts and joints that hold anything the angular momentum about the centre of mass changes by nothing: over
// one step of free bodies and flexes L = H qvel stays, and its gravity does no torque about the centre.
TEST(Dynamics, API_1_AngularMomentumOfAFreeSubtreeStays) {
  const Model m = test::modelOf(R"(<mujoco><option timestep="1e-4" gravity="0 0 -9.81"/><worldbody>
    <body name="a" pos="0 0 5"><freejoint/><geom type="box" size=".1 .2 .3"/>
      <body pos=".2 0 0"><joint axis="0 1 0"/><geom type="box" size=".1 .05 .1" pos=".1 .05 0"/>
        <body pos=".2 0 0"><joint type="ball"/><geom type="box" size=".1 .05 .07" pos=".1 0 .03"/></body></body></body>
    </worldbody></mujoco>)");
  Data d(m);
  test::randomizeState(m, d, 3);
  std::fill(d.xfrc_applied.begin(), d.xfrc_applied.end(), 0.0);
  std::fill(d.qfrc_applied.begin(), d.qfrc_applied.begin() + 6, 0.0);  // forces within the tree do no harm
  Numbers matrix = zeros(3 * m.nv);
  const auto momentum = [&] {
    forward(m, d);
    angularMomentumMatrix(m, d, 1, matrix);
    Vector3 L{};
    for (std::size_t k = 0; k < 3; ++k) {
      L[k] = std::inner_product(d.qvel.begin(), d.qvel.end(), matrix.begin() + static_cast<int>(k) * m.nv, 0.0);
    }
    return L;
  };
  const Vector3 start = momentum();
  for (int i = 0; i < 100; ++i) step(m, d);
  const Vector3 end = momentum();
  const double size = std::abs(start[0]) + std::abs(start[1]) + std::abs(start[2]);
  ASSERT_GT(size, 0.05);
  // semi-implicit Euler is of first order: 1e-4 s and rates of order one leave 1e-4 of the momentum in 10 ms
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(end[k], start[k], tolerance(2e-4) * size);
}

TEST(Dynamics, API_1_MassMatrixInItsThreeForms) {
  unsigned seed = 60;
  for (const Model& m : models()) {
    const Data d = evaluated(m, seed++);
    Numbers full = zeros(m.nv * m.nv), x = zeros(m.nv), y = x, back = x;
    for (int i = 0; i < m.nv; ++i) x[i] = 0.3 + 0.1 * (i % 7);
    fullMass(m, d, full);
    multiplyMass(m, d, x, y);
    solveMass(m, d, y, back);
    double energy = 0;
    for (int i = 0; i < m.nv; ++i) {
      double sum = 0;
      for (int j = 0; j < m.nv; ++j) {
        sum += entry(full, m, i, j) * x[j];
        EXPECT_EQ(entry(full, m, i, j), entry(full, m, j, i));
        energy += 0.5 * d.qvel[i] * entry(full, m, i, j) * d.qvel[j];
      }
      EXPECT_NEAR(y[i], sum, tolerance(1e-12) * (1 + std::abs(sum)));
      const bool pinned = i >= m.nv_rigid && m.flexnode_pinned[(i - m.nv_rigid) / 3];
      if (!pinned) {
        EXPECT_NEAR(back[i], x[i], tolerance(1e-9)) << i;
      }
    }
    Data copy = d;
    sinew::energy(m, copy);
    EXPECT_NEAR(energy, copy.energy[1], tolerance(1e-10) * (1 + energy));
  }
}

// M qacc + C = newtonEuler(qacc), and C alone is qfrc_bias where there is no tendon armature.
TEST(Dynamics, API_1_NewtonEulerIsMTimesQaccPlusBias) {
  unsigned seed = 80;
  for (const Model& m : models()) {
    Data d = evaluated(m, seed++);
    Numbers qacc = zeros(m.nv), with = qacc, without = qacc, product = qacc;
    for (int i = 0; i < m.nv; ++i) {
      const bool pinned = i >= m.nv_rigid && m.flexnode_pinned[(i - m.nv_rigid) / 3];
      qacc[i] = pinned ? 0 : 1.5 - 0.2 * (i % 9);
    }
    newtonEuler(m, d, qacc, with);
    newtonEuler(m, d, {}, without);
    multiplyMass(m, d, qacc, product);
    for (std::size_t i = 0; i < qacc.size(); ++i) {
      EXPECT_NEAR(with[i], product[i] + without[i], tolerance(1e-11) * (1 + std::abs(with[i])));
      EXPECT_NEAR(without[i], d.qfrc_bias[static_cast<int>(i)], tolerance(1e-12) * (1 + std::abs(without[i])));
    }
  }
}

// A force at a point does the work force . velocity there, whatever the motion.
TEST(Dynamics, API_1_ForcesAtPointsDoTheirWork) {
  unsigned seed = 100;
  const Vector3 force{1, -2, 3}, torque{-0.5, 0.4, 0.1};
  for (const Model& m : models()) {
    const Data d = evaluated(m, seed++);
    const auto power = [&](const Numbers& qfrc) {
      return std::inner_product(d.qvel.begin(), d.qvel.end(), qfrc.begin(), 0.0);
    };
    for (int site = 0; site < m.nsite; ++site) {
      Numbers qfrc = zeros(m.nv);
      const Vector3 point{d.site_xpos[3 * site], d.site_xpos[3 * site + 1], d.site_xpos[3 * site + 2]};
      addForceAtPoint(m, d, m.site_bodyid[site], point, force, torque, qfrc);
      const SpatialMotion v = objectVelocity(m, d, ObjType::Site, site);
      double expected = 0;
      for (std::size_t k = 0; k < 3; ++k) expected += force[k] * v.linear[k] + torque[k] * v.angular[k];
      EXPECT_NEAR(power(qfrc), expected, tolerance(1e-11));
    }
    for (int vertex = 0; vertex < m.nflexvert; ++vertex) {
      Numbers qfrc = zeros(m.nv);
      addForceAtFlexVertex(m, d, vertex, force, qfrc);
      const Vector3 v = flexVertexVelocity(m, d, vertex);
      EXPECT_NEAR(power(qfrc), force[0] * v[0] + force[1] * v[1] + force[2] * v[2], tolerance(1e-11));
    }
  }
}

// A body in free fall feels nothing; one that is held feels -g; the acceleration of a site is the difference of
// velocities.
TEST(Dynamics, API_1_AccelerationsIncludeGravityAsAnAccelerometerFeelsIt) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Model m = test::modelOf(test::randomTree(seed, 7));
    Data d = evaluated(m, seed);
    computeBodyForces(m, d);
    const double h = 1e-6;
    Data later(m);
    later.qpos = d.qpos;
    later.qvel = d.qvel;
    for (int i = 0; i < m.nv; ++i) later.qvel[i] += h * d.qacc[i];
    Numbers mean = zeros(m.nv);
    for (int i = 0; i < m.nv; ++i) mean[i] = d.qvel[i] + 0.5 * h * d.qacc[i];
    integratePositions(m, later.qpos, mean, h);
    forward(m, later);
    for (int site = 0; site < m.nsite; ++site) {
      if (m.body_weldid[m.site_bodyid[site]] == 0) {  // as the reference engine: nothing is reported for what is static
        EXPECT_EQ(objectAcceleration(m, d, ObjType::Site, site).linear, Vector3{});
        continue;
      }
      const SpatialMotion a = objectAcceleration(m, d, ObjType::Site, site);
      const SpatialMotion v1 = objectVelocity(m, d, ObjType::Site, site);
      const SpatialMotion v2 = objectVelocity(m, later, ObjType::Site, site);
      for (std::size_t k = 0; k < 3; ++k) {
        const double rate = (v2.linear[k] - v1.linear[k]) / h;
        // forward differences: half the third derivative times h, and round-off of 1e-16 / h
        EXPECT_NEAR(a.linear[k] + m.opt.gravity[k], rate, tolerance(1e-3)) << "seed " << seed << " site " << site;
      }
    }
  }
}

TEST(Dynamics, API_1_PositionsIntegrateAndDifferentiateBack) {
  unsigned seed = 120;
  for (const Model& m : models()) {
    const Data d = evaluated(m, seed++);
    Numbers q(d.qpos.begin(), d.qpos.end()), v = zeros(m.nv);
    Numbers move = zeros(m.nv);
    for (int i = 0; i < m.nv; ++i) {
      const bool pinned = i >= m.nv_rigid && m.flexnode_pinned[(i - m.nv_rigid) / 3];
      move[i] = pinned ? 0 : 0.7 - 0.3 * (i % 5);
    }
    integratePositions(m, q, move, 0.25);
    differentiatePositions(m, v, 0.25, d.qpos, q);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], move[i], tolerance(1e-12));
  }
}

TEST(Dynamics, API_1_WrongArgumentsAreNamed) {
  const Model m = test::modelOf(test::randomTree(1, 3)), other = test::modelOf(kSoftModel);
  Data d(m);
  forward(m, d);
  Numbers right = zeros(3 * m.nv), wrong = zeros(3 * m.nv + 1);
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no exception";
  };
  EXPECT_EQ(
      message([&] { bodyJacobian(m, d, m.nbody, right); }),
      "bodyJacobian: body is " + std::to_string(m.nbody) + ", must be in [0, " + std::to_string(m.nbody - 1) + "]");
  EXPECT_EQ(message([&] { siteJacobian(m, d, -1, right); }),
            "siteJacobian: site is -1, must be in [0, " + std::to_string(m.nsite - 1) + "]");
  EXPECT_EQ(message([&] { flexVertexJacobian(m, d, 0, right); }),
            "flexVertexJacobian: vertex is 0, but the model has none");
  EXPECT_EQ(message([&] { bodyJacobian(m, d, 1, wrong); }), "bodyJacobian: jacp holds " + std::to_string(wrong.size()) +
                                                                " numbers, must hold " + std::to_string(right.size()));
  EXPECT_EQ(message([&] { bodyJacobian(other, d, 1, right); }), "bodyJacobian: the Data was made for another Model");
  EXPECT_EQ(message([&] { objectVelocity(m, d, ObjType::Joint, 0); }),
            "objectVelocity: objects of type 3 have no frame; expected Body, XBody, Geom, Site or Camera");
  Numbers q = zeros(m.nq), v = zeros(m.nv);
  EXPECT_EQ(message([&] { differentiatePositions(m, v, 0, q, q); }), "differentiatePositions: h is 0, must be above 0");
  EXPECT_EQ(message([&] { multiplyMass(m, d, v, v); }), "multiplyMass: x and y must be different arrays");
}

}  // namespace
}  // namespace sinew
