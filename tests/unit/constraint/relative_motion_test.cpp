#include "constraint/relative_motion.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "kinematics/dof_chains.h"
#include "model/workspace.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"

namespace sinew {
namespace {

/// A trunk with branches of hinges, so that chains share their beginnings, and a cloth held by some of them.
Model tree() {
  return test::modelOf(R"(<mujoco><worldbody><body name="trunk"><freejoint/><geom size=".1"/>
      <body pos=".2 0 0"><joint axis="0 1 0"/><joint axis="1 0 0"/><geom size=".05"/>
        <body pos=".2 0 0"><joint axis="0 0 1"/><geom size=".05"/></body>
        <body pos="0 .2 0"><joint axis="1 0 0"/><geom size=".05"/></body></body>
      <body pos="0 .2 0"><joint type="ball"/><geom size=".05"/>
        <body pos="0 .2 0"><joint axis="0 0 1"/><geom size=".05"/></body></body></body>
      <body pos="0 0 2"><freejoint/><geom size=".1"/></body>
      <flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass="1" radius=".01" pos="0 0 1">
        <edge equality="true"/><pin id="4"/></flexcomp></worldbody></mujoco>)");
}

using Columns = std::map<int, std::pair<Vec3, Vec3>>;

/// The same by adding up one column after the other.
void addTo(Columns& sum, const Model& m, const Data& d, int carrier, const Vec3& p, double weight) {
  const auto add = [&](int dof, const Vec3& linear, const Vec3& angular) {
    const auto [it, isNew] = sum.try_emplace(dof, linear, angular);
    if (isNew) return;
    it->second.first += linear;
    it->second.second += angular;
  };
  if (carrier >= m.nbody) {
    const int node = carrier - m.nbody;
    if (m.flexnode_pinned[node]) return;
    for (int k = 0; k < 3; ++k) add(m.nv_rigid + 3 * node + k, weight * Vec3::Unit(k), Vec3::Zero());
    return;
  }
  for (int dof = lastDof(m, carrier); dof >= 0; dof = m.dof_parentid[dof]) {
    const JacobianColumn c = jacobianColumn(m, d, dof, p);
    add(dof, weight * c.linear, weight * c.angular);
  }
}

void expectSame(const RelativeMotion& motion, const Columns& expected) {
  ASSERT_EQ(motion.columns.size(), expected.size());
  std::size_t k = 0;
  for (const auto& [dof, column] : expected) {
    EXPECT_EQ(motion.columns[k], dof);
    for (std::size_t i = 0; i < 3; ++i) {  // bit for bit: the sums are made in the same order
      EXPECT_EQ(motion.linear[3 * k + i], column.first[static_cast<int>(i)]);
      if (!motion.angular.empty()) {
        EXPECT_EQ(motion.angular[3 * k + i], column.second[static_cast<int>(i)]);
      }
    }
    ++k;
  }
}

TEST(RelativeMotion, OfTwoCarriersHasGrowingColumnsEachOnce) {
  const Model m = tree();
  Data d(m);
  forward(m, d);
  const Vec3 p1(0.1, 0.2, 0.3), p2(-0.2, 0.4, 0.1);
  for (int a = 0; a < m.nbody + m.nflexnode; ++a) {
    for (int b = 0; b < m.nbody + m.nflexnode; ++b) {
      const Arena::Scope scope(d.work->arena);
      Columns expected;
      addTo(expected, m, d, a, p1, -1);
      addTo(expected, m, d, b, p2, 1);
      expectSame(carrierMotion(m, d, Carrier::fromCode(m, a), p1, Carrier::fromCode(m, b), p2), expected);
    }
  }
}

TEST(RelativeMotion, OfAContactWithManyCarriersIsTheirWeightedSum) {
  const Model m = tree();
  Data d(m);
  forward(m, d);
  Contact contact;
  contact.pos = {0.3, -0.1, 0.2};
  // in no order, with chains that share their trunk, with a pinned node between
  const std::vector<int> carriers = {5, m.nbody + 3, 2, m.nbody + 4, 7, 4, m.nbody, 3, 6};
  d.support_carrier.clear();
  d.support_weight.clear();
  for (std::size_t i = 0; i < carriers.size(); ++i) {
    d.support_carrier.push_back(carriers[i]);
    d.support_weight.push_back(0.1 + 0.07 * static_cast<double>(i));
  }
  for (int split = 0; split <= static_cast<int>(carriers.size()); ++split) {
    const Arena::Scope scope(d.work->arena);
    contact.side[0] = {0, split};
    contact.side[1] = {split, static_cast<int>(carriers.size()) - split};
    Columns expected;
    for (int i = 0; i < static_cast<int>(carriers.size()); ++i) {
      addTo(expected, m, d, carriers[i], Vec3(0.3, -0.1, 0.2), (i < split ? -1 : 1) * d.support_weight[i]);
    }
    expectSame(contactMotion(m, d, contact), expected);
  }
}

TEST(RowSum, AddsUpTheRowsOfPoints) {
  const Model m = tree();
  Data d(m);
  forward(m, d);
  const Arena::Scope scope(d.work->arena);
  std::map<int, double> expected;
  int most = 0;
  for (int point = 0; point < m.nflexpoint; ++point) most += dofsOfPoint(m, point);
  RowSum sum(m, d, most);
  for (int point = m.nflexpoint - 1; point >= 0; --point) {
    const Vec3 g(1 + point, 2, 3 - point);
    sum.add(point, g);
    const int node = m.flexpoint_nodeid[point];
    if (node < 0 || m.flexnode_pinned[node]) continue;
    for (int k = 0; k < 3; ++k) expected[m.nv_rigid + 3 * node + k] += g[k];
  }
  const RowSum::Row row = sum.finish();
  ASSERT_EQ(row.columns.size(), expected.size());
  std::size_t k = 0;
  for (const auto& [dof, value] : expected) {
    EXPECT_EQ(row.columns[k], dof);
    EXPECT_EQ(row.values[k++], value);
  }
}

}  // namespace
}  // namespace sinew
