#include "collision/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "collision/collide_memory.h"
#include "collision/collider_plan.h"
#include "collision/passing_bodies.h"
#include "collision/thin.h"
#include "geom/collide.h"
#include "kinematics/dof_chains.h"
#include "math/spatial.h"
#include "model/workspace.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew {
namespace {

Model modelOf(const std::string& bodies) {
  const std::string text =
      "<mujoco><option gravity='0 0 0' timestep='0.02'/><worldbody>" + bodies + "</worldbody></mujoco>";
  return compile(readMjcfText(text, "sweep.xml"));
}

/// The sweep of a step that starts as `d` is, and what it reads.
Sweep sweepOf(const Model& m, Data& d) {
  forward(m, d);
  updatePlan(m, d.work->nearPairs);
  updatePassing(m, d.work->nearPairs.plan, d.work->collideMemory->passing);
  return {m, d, d.qvel};
}

/// Geom g after the time t, its body going on as it does now. Needs forward().
geom::Shape shapeAfter(const Model& m, const Data& d, int g, double t) {
  geom::Shape shape = shapeOf(m, d, g);
  const int body = m.geom_bodyid[g];
  const Vec3 arm = shape.pos - treeCom(m, d, body);
  const Vec3 turn = angular(&d.cvel[6 * body]);
  shape.pos += t * velocityAt(&d.cvel[6 * body], arm);
  if (turn.norm() > 0) shape.rot = Eigen::AngleAxisd(t * turn.norm(), turn.normalized()).toRotationMatrix() * shape.rot;
  return shape;
}

double distanceAfter(const Model& m, const Data& d, double t) {
  return geom::distance(shapeAfter(m, d, 0, t), shapeAfter(m, d, 1, t), 100, collideOptions(m, d), nullptr, nullptr);
}

double depthAfter(const Model& m, const Data& d, double t) {
  Array<geom::ContactPoint> points;
  geom::collide(shapeAfter(m, d, 0, t), shapeAfter(m, d, 1, t), 0, collideOptions(m, d), points);
  double deepest = 0;
  for (const geom::ContactPoint& point : points) deepest = std::max(deepest, -point.dist);
  return deepest;
}

constexpr int kInstants = 40;

const char* const kShapes[] = {"type='box' size='0.1 0.06 0.01'", "type='capsule' size='0.02 0.1'",
                               "type='sphere' size='0.04'", "type='ellipsoid' size='0.08 0.05 0.02'"};

/// Two free bodies, thrown and spun at random, in part together, every other time gently.
Data throwTwo(const Model& m, int trial, std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  Data d(m);
  const double speed = trial % 2 == 0 ? 1 : 0.15;
  Vec6 common;
  for (int k = 0; k < 6; ++k) common[k] = any(random);
  for (int body = 0; body < 2; ++body) {
    for (int k = 0; k < 3; ++k) d.qpos[7 * body + k] = 0.12 * any(random);
    for (int k = 3; k < 7; ++k) d.qpos[7 * body + k] = any(random);
    for (int k = 0; k < 6; ++k) d.qvel[6 * body + k] = speed * (k < 3 ? 4 : 10) * (common[k] + 0.5 * any(random));
  }
  return d;
}

TEST(Sweep, TwoGeomsComeNoNearerThanTheBoundSays) {
  std::mt19937 random(1);
  int near = 0;
  for (const char* first : kShapes) {
    for (const char* second : kShapes) {
      const Model m = modelOf(std::string("<body><freejoint/><geom ") + first + "/></body><body><freejoint/><geom " +
                              second + "/></body>");
      for (int trial = 0; trial < 60; ++trial) {
        Data d = throwTwo(m, trial, random);
        const Sweep sweep = sweepOf(m, d);
        const double start = distanceAfter(m, d, 0), way = sweep.way(0, 1);
        double nearest = start;
        for (int i = 1; i <= kInstants; ++i) {
          nearest = std::min(nearest, distanceAfter(m, d, m.opt.timestep * i / kInstants));
        }
        EXPECT_LE(start - nearest, way + 1e-6) << first << " and " << second << ", trial " << trial;
        EXPECT_LE(way, sweep.ways(0, 1) * (1 + 1e-12));
        if (start > 0 && start - nearest > 0.5 * way) ++near;
      }
    }
  }
  EXPECT_GT(near, 20);  // else the bound would say little
}

TEST(Sweep, WhatIsLeftOutGoesNoDeeperThanItMay) {
  std::mt19937 random(2);
  int left = 0, met = 0;
  for (const char* first : kShapes) {
    for (const char* second : kShapes) {
      const Model m = modelOf(std::string("<body><freejoint/><geom ") + first + "/></body><body><freejoint/><geom " +
                              second + "/></body>");
      const double most = passingDepth(m, 0, 1);
      for (int trial = 0; trial < 400; ++trial) {
        Data d = throwTwo(m, trial, random);
        const Sweep sweep = sweepOf(m, d);
        if (distanceAfter(m, d, 0) <= 0 || !sweep.active()) continue;
        double deepest = 0;
        for (int i = 1; i <= kInstants; ++i) {
          deepest = std::max(deepest, depthAfter(m, d, m.opt.timestep * i / kInstants));
        }
        if (sweep.mayPass(0, 1)) {
          met += deepest > most ? 1 : 0;
        } else {
          left += deepest > 0 ? 1 : 0;
          EXPECT_LE(deepest, most * (1 + 1e-6)) << first << " and " << second << ", trial " << trial;
        }
      }
    }
  }
  EXPECT_GT(left, 5);  // some touch and are left out, some must not be
  EXPECT_GT(met, 5);
}

TEST(Sweep, WhatTurnsTogetherDoesNotComeNearer) {
  const Model m = modelOf(
      "<body><joint axis='0 0 1'/><geom type='box' size='0.1 0.02 0.005' pos='0.5 0 0'/>"
      "<body pos='0.9 0 0'><joint axis='0 1 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
      "<body><joint axis='0 1 0'/><geom type='box' size='0.05 0.02 0.005' pos='0.1 0 0'/></body></body></body>");
  Data d(m);
  d.qvel[0] = 20;
  const Sweep sweep = sweepOf(m, d);
  EXPECT_GT(sweep.ways(0, 1), 0.4);
  // 0.5 m apart, and each goes straight on for 0.02 s
  EXPECT_LT(sweep.way(0, 1), 1.01 * 0.5 * std::pow(20 * 0.02, 2));
}

TEST(Sweep, SizesThatAProgramChangesCount) {
  Model m = modelOf(
      "<body><freejoint/><geom type='sphere' size='0.5'/></body>"
      "<body pos='3 0 0'><freejoint/><geom type='sphere' size='0.5'/></body>");
  Data d(m);
  d.qvel[0] = 10;  // 0.2 m in a step
  EXPECT_FALSE(sweepOf(m, d).active());
  for (int g = 0; g < 2; ++g) m.geom_size[3 * g] = m.geom_rbound[g] = 0.05;
  EXPECT_TRUE(sweepOf(m, d).active());
  const Data copy = d;
  Data other = copy;
  EXPECT_TRUE(Sweep(m, other, other.qvel).active());  // what is kept goes with the copy
}

/// Vertices of interpolated flexes, of which some move faster than every node (quadratic cells, nodes inside of a
/// shell): the sweep is active if and only if the fastest of them passes the bound, to the last digits.
TEST(Sweep, FlexIsFastWhereItsFastestVertexIs) {
  for (const char* dof : {"trilinear", "quadratic"}) {
    for (const char* shell : {"", "<elasticity young='1e3' elastic2d='bend' thickness='.01'/>"}) {
      const Model m = modelOf(
          "<geom type='box' size='.1 .1 .1' pos='0 0 -5'/>"
          "<flexcomp name='f' type='grid' count='6 5 4' cellcount='2 2 2' spacing='.1 .1 .1' dim='3' "
          "radius='.01' mass='1' dof='" +
          std::string(dof) + "'><contact selfcollide='none'/>" + shell + "</flexcomp>");
      Data d(m);
      std::mt19937 random(7);
      std::normal_distribution<double> normal;
      for (double& v : d.qvel) v = normal(random);
      forward(m, d);
      double fastest = 0;
      for (int v = 0; v < m.nflexvert; ++v) {
        Vec3 velocity = Vec3::Zero();
        for (int k = m.flexvert_supportadr[v]; k < m.flexvert_supportadr[v] + m.flexvert_supportnum[v]; ++k) {
          const int node = m.flexpoint_nodeid[m.flexsupport_pointid[k]];
          velocity += m.flexsupport_weight[k] * vec3(d.qvel.data() + m.nv_rigid, node);
        }
        fastest = std::max(fastest, velocity.norm());
      }
      const double bound = kPassingShare * 0.5 * thicknessOf(m, m.ngeom) / m.opt.timestep;
      const Array<double> all = d.qvel;
      for (const double share : {0.999999, 1.000001}) {
        for (int i = 0; i < m.nv; ++i) d.qvel[i] = share * bound / fastest * all[i];
        const Arena::Scope scope(d.work->arena);
        const Sweep sweep = sweepOf(m, d);
        EXPECT_EQ(sweep.active(), share > 1) << dof << shell;
        EXPECT_NEAR(sweep.ways(0, m.ngeom), m.opt.timestep * share * bound, 1e-12) << dof << shell;
      }
    }
  }
}

}  // namespace
}  // namespace sinew
