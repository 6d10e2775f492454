#include "sinew/reference_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kinematics/positions.h"
#include "sinew/load.h"

namespace sinew {
namespace {

/// A sheet between two arms, one on a moving arm (with a pinned and a riding corner), and one in a fixed body.
Model arms() {
  return compile(readMjcfText(R"(<mujoco><worldbody>
    <body name="a" pos="1 0 0"><joint axis="0 1 0"/><geom size=".1"/></body>
    <flexcomp name="world" count="2 2" spacing="0.3"><pin id="1"/></flexcomp>
    <body name="b" pos="0 1 0" euler="20 30 40"><freejoint/><geom size=".1"/>
      <body name="c" pos="0 0 1"><joint axis="1 2 3"/><joint type="slide" axis="0 1 1"/><geom size=".1" pos=".1 0 0"/>
        <flexcomp name="arm" count="2 2" spacing="0.3" pos=".5 0 0" euler="0 0 30"><pin id="2"/></flexcomp>
        <body name="d"><joint type="ball"/><geom size=".1" pos="0 .1 0"/></body></body></body>
    <body name="e" pos="3 3 3" euler="0 90 0"><flexcomp name="fixed" count="2 2" spacing="0.3"/></body>
    </worldbody></mujoco>)"));
}

struct State {
  std::vector<double> qpos, qvel;
};

State randomState(const Model& m) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  State s{{m.qpos0.begin(), m.qpos0.end()}, std::vector<double>(static_cast<std::size_t>(m.nv))};
  for (int i = 0; i < m.nv; ++i) {
    const bool pinned = i >= m.nv_rigid && m.flexnode_pinned[(i - m.nv_rigid) / 3];
    s.qvel[i] = pinned ? 0 : uniform(random);
  }
  integratePositions(m, s.qpos.data(), s.qvel.data(), 0.3);
  for (int i = 0; i < m.nflexnode; ++i) {
    for (int k = 0; k < 3 && !m.flexnode_pinned[i]; ++k) {
      s.qpos[m.nq_rigid + 3 * i + k] += 0.1 * uniform(random);
    }
  }
  return s;
}

TEST(ReferenceLayout, PointsStandAmongTheJointsWhereTheFlexcompStands) {
  const Model m = arms();
  const ReferenceLayout layout(m);
  // a: 1 | three free points | b: 7, c: 2 | three free points | d: 4 | four points
  EXPECT_EQ(layout.nq(), 1 + 9 + 7 + 2 + 9 + 4 + 12);
  EXPECT_EQ(layout.nv(), 1 + 9 + 6 + 2 + 9 + 3 + 12);
  EXPECT_EQ(layout.qpos()[0], 0);
  EXPECT_EQ(layout.qpos()[1], m.nq_rigid);
  EXPECT_EQ(layout.qpos()[4], m.nq_rigid + 6);  // point 1 is pinned
  EXPECT_EQ(layout.qpos()[10], 1);
  EXPECT_EQ(layout.dofs()[10], 1);
  EXPECT_EQ(layout.bodies()[1], 1);
  EXPECT_EQ(layout.bodies()[2], -1);
  EXPECT_EQ(layout.bodies()[5], 2);
  EXPECT_EQ(layout.joints()[1], -1);
  EXPECT_FALSE(layout.isSame());
}

TEST(ReferenceLayout, AtRestNothingIsDisplaced) {
  const Model m = arms();
  ReferenceLayout layout(m);
  std::vector<double> reference(static_cast<std::size_t>(layout.nq()));
  layout.positionsToReference(m.qpos0.data(), reference.data());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (layout.qpos()[i] >= m.nq_rigid) {
      EXPECT_NEAR(reference[i], 0, 1e-15) << i;
    }
  }
}

TEST(ReferenceLayout, ThereAndBackIsTheSame) {
  const Model m = arms();
  ReferenceLayout layout(m);
  const State s = randomState(m);
  std::vector<double> q(static_cast<std::size_t>(layout.nq())), v(static_cast<std::size_t>(layout.nv()));
  std::vector<double> f = v;
  std::vector<double> qpos(s.qpos.size()), qvel(s.qvel.size()), force(s.qvel.size());
  layout.positionsToReference(s.qpos.data(), q.data());
  layout.positionsFromReference(q.data(), qpos.data());
  layout.velocitiesToReference(s.qpos.data(), s.qvel.data(), v.data());
  layout.velocitiesFromReference(s.qpos.data(), v.data(), qvel.data());
  layout.forcesToReference(s.qpos.data(), s.qvel.data(), f.data());
  layout.forcesFromReference(s.qpos.data(), f.data(), force.data());
  for (std::size_t i = 0; i < qpos.size(); ++i) EXPECT_NEAR(qpos[i], s.qpos[i], 1e-14) << i;
  for (std::size_t i = 0; i < qvel.size(); ++i) EXPECT_NEAR(qvel[i], s.qvel[i], 1e-14) << i;
  for (std::size_t i = 0; i < qvel.size(); ++i) EXPECT_NEAR(force[i], s.qvel[i], 1e-13) << i;
}

TEST(ReferenceLayout, ForcesDoTheSameWorkInBoth) {
  const Model m = arms();
  ReferenceLayout layout(m);
  const State s = randomState(m);
  std::vector<double> force(s.qvel.size()), v(static_cast<std::size_t>(layout.nv())), f = v;
  for (std::size_t i = 0; i < force.size(); ++i) force[i] = std::sin(1.0 + static_cast<double>(i));
  layout.velocitiesToReference(s.qpos.data(), s.qvel.data(), v.data());
  layout.forcesToReference(s.qpos.data(), force.data(), f.data());
  double ours = 0, theirs = 0;
  for (std::size_t i = 0; i < force.size(); ++i) ours += force[i] * s.qvel[i];  // pinned nodes have no velocity
  for (std::size_t i = 0; i < f.size(); ++i) theirs += f[i] * v[i];
  EXPECT_NEAR(ours, theirs, 1e-12);
}

TEST(ReferenceLayout, VelocitiesAndAccelerationsAreDerivativesOfPositions) {
  const Model m = arms();
  ReferenceLayout layout(m);
  State s = randomState(m);
  std::vector<double> qacc(s.qvel.size());
  for (std::size_t i = 0; i < qacc.size(); ++i) qacc[i] = std::cos(1.0 + static_cast<double>(i));
  const auto nq = static_cast<std::size_t>(layout.nq()), nv = static_cast<std::size_t>(layout.nv());
  std::vector<double> velocity(nv), acceleration(nv);
  layout.velocitiesToReference(s.qpos.data(), s.qvel.data(), velocity.data());
  layout.accelerationsToReference(s.qpos.data(), s.qvel.data(), qacc.data(), acceleration.data());

  // the state a time h later and earlier along a path with constant qacc, to second order
  const double h = 1e-4;
  const auto at = [&](double t, std::vector<double>& positions, std::vector<double>& velocities) {
    State later = s;
    std::vector<double> mean = s.qvel;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += 0.5 * t * qacc[i];
      later.qvel[i] += t * qacc[i];
    }
    integratePositions(m, later.qpos.data(), mean.data(), t);
    for (int i = 0; i < 3 * m.nflexnode; ++i) {  // the joints were moved; nodes are moved here in any case
      later.qpos[m.nq_rigid + i] = s.qpos[m.nq_rigid + i] + t * mean[m.nv_rigid + i];
    }
    positions.resize(nq);
    velocities.resize(nv);
    layout.positionsToReference(later.qpos.data(), positions.data());
    layout.velocitiesToReference(later.qpos.data(), later.qvel.data(), velocities.data());
  };
  std::vector<double> q0, q1, v0, v1;
  at(-h, q0, v0);
  at(h, q1, v1);
  // nodes only: joints have quaternions. Coordinates and dofs of a node follow each other in the same way.
  std::size_t d = 0;
  for (std::size_t i = 0; i < nq; ++i) {
    if (layout.qpos()[i] < m.nq_rigid) continue;
    while (layout.dofs()[d] < m.nv_rigid) ++d;
    EXPECT_NEAR((q1[i] - q0[i]) / (2 * h), velocity[d], 1e-6) << i;
    EXPECT_NEAR((v1[d] - v0[d]) / (2 * h), acceleration[d], 1e-6) << i;
    ++d;
  }
}

TEST(ReferenceLayout, KeyframesInEitherLayoutGiveTheSameState) {
  const std::string start = R"(<mujoco><worldbody><body pos="0 0 1" euler="0 0 90"><geom size=".1"/>
    <flexcomp name="f" count="2 2" spacing="0.2"><pin id="0"/></flexcomp></body>
    <body><joint type="slide"/><geom size=".1"/></body></worldbody><keyframe><key )";
  const auto key = [&](const std::string& attributes) {
    return compile(readMjcfText(start + attributes + "/></keyframe></mujoco>"));
  };
  // points 1, 2, 3 displaced along the axes of the turned body, then the joint
  const Model reference = key(R"(qpos="0.1 0 0  0 0.2 0  0 0 0.3  0.5" qvel="1 0 0 0 0 0 0 0 0 7")");
  const Model ours = key(R"(layout="sinew" qpos="0.5  0.1 -0.1 1  -0.1 0 1  -0.1 0.1 1  -0.1 0.1 1.3")");
  ASSERT_EQ(reference.nq, 13);
  EXPECT_EQ(reference.key_qpos[0], 0.5);
  // the body's x axis is the world's y axis, its y axis the world's -x axis
  for (int i = 0; i < 13; ++i) EXPECT_NEAR(reference.key_qpos[i], ours.key_qpos[i], 1e-14) << i;
  EXPECT_EQ(reference.key_qvel[0], 7);
  EXPECT_NEAR(reference.key_qvel[1 + 3 + 1], 1, 1e-15);  // node 1, along the world's y axis
}

}  // namespace
}  // namespace sinew
