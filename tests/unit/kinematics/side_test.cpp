#include "kinematics/side.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "geom/ray.h"
#include "sinew/errors.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

/// Boxes on a floor, a cloth on a box, a cloth of which some points ride on a moving body and some are pinned to the
/// world, a soft block.
Model manySides() {
  return modelOf(R"(<mujoco><worldbody><geom type="plane" size="2 2 .1"/>
    <body name="a" pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="b" pos="0 .02 .297" euler="0 0 10"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <flexcomp name="on" type="grid" dim="2" count="4 4 1" spacing=".06 .06 .06" mass=".1" radius=".01" pos="0 0 .406">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>
    <body name="c" pos="1 0 .5"><freejoint/><geom type="sphere" size=".02" pos=".3 0 0"/>
      <flexcomp name="riding" type="grid" dim="2" count="4 4 1" spacing=".06 .06 .06" mass=".1" radius=".01">
        <contact selfcollide="none"/><edge equality="true"/><pin id="0 1 2 3 4 5"/></flexcomp></body>
    <body name="d" pos="1 0 .605"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <flexcomp name="pinned" type="grid" dim="2" count="4 4 1" spacing=".06 .06 .06" mass=".1" radius=".01" pos="-1 0 .5">
      <contact selfcollide="none"/><edge equality="true"/><pin id="0 1 2 3 4 5"/></flexcomp>
    <body name="e" pos="-1 0 .605"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".94 .06 .529"><freejoint/><geom size=".02"/></body>
    <body pos="-1.06 .06 .529"><freejoint/><geom size=".02"/></body>
    <flexcomp name="block" type="grid" dim="3" count="3 3 3" spacing=".05 .05 .05" mass=".5" radius=".01" pos="0 1 .058"
      dof="trilinear"><contact selfcollide="none"/><elasticity young="1e4"/></flexcomp>
    </worldbody></mujoco>)");
}

TEST(Side, VelocityForceAndDofsAreThoseOfOneJacobian) {
  const Model m = manySides();
  Data d(m);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = std::sin(1 + i);
  forward(m, d);
  std::set<int> kinds;  // by what carries a side
  for (const Contact& contact : d.contact) {
    const Vec3 p = ConstMapVec3(contact.pos.data());
    for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
      const Side side(m, d, contact, s);
      int bodies = 0, nodes = 0, pinned = 0;
      double weight = 0;
      side.forEachCarrier([&](Carrier carrier, double w) {
        weight += w;
        bodies += carrier.isBody();
        nodes += carrier.isNode() && !m.flexnode_pinned[carrier.node()];
        pinned += carrier.isNode() && m.flexnode_pinned[carrier.node()];
        EXPECT_EQ(Carrier::fromCode(m, carrier.code(m)), carrier);
      });
      EXPECT_NEAR(weight, 1, 1e-12);
      kinds.insert((bodies > 0) + 2 * (nodes > 0) + 4 * (pinned > 0));

      Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
      side.forEachDof(p, [&](int dof, const Vec3& v, const Vec3& w) {
        linear += d.qvel[dof] * v;
        angular += d.qvel[dof] * w;
      });
      const PointVelocity velocity = side.velocity(p);
      EXPECT_TRUE(allNear(velocity.linear, linear, 1e-12));
      EXPECT_TRUE(allNear(velocity.angular, angular, 1e-12));
      // power: qfrc . qvel = force . v + torque . w
      std::vector<double> qfrc(static_cast<std::size_t>(m.nv), 0.0);
      const Vec3 force(1, -2, 3), torque(0.3, 0.2, -0.1);
      side.addForce(p, force, torque, qfrc.data());
      double power = 0;
      for (int i = 0; i < m.nv; ++i) power += qfrc[i] * d.qvel[i];
      EXPECT_NEAR(power, force.dot(velocity.linear) + torque.dot(velocity.angular), 1e-11);

      if (contact.geom[s] >= 0) {
        EXPECT_EQ(side.body(), m.geom_bodyid[contact.geom[s]]);
        EXPECT_EQ(side.collider(), contact.geom[s]);
      } else {
        EXPECT_EQ(side.collider(), m.ngeom + contact.flex[s]);
        EXPECT_EQ(side.body() >= 0, nodes == 0 && (bodies == 0 || pinned == 0));
      }
    }
    // relative velocity of the two sides
    Vec3 apart = Vec3::Zero();
    forEachDofBetween(m, d, contact, [&](int dof, const Vec3& v) { apart += d.qvel[dof] * v; });
    EXPECT_TRUE(allNear(
        apart, Vec3(Side(m, d, contact, 1).velocity(p).linear - Side(m, d, contact, 0).velocity(p).linear), 1e-12));
  }
  for (const int kind : {1, 2, 3, 4, 6}) EXPECT_TRUE(kinds.count(kind)) << kind;  // bodies, nodes, pins and mixtures
}

TEST(Side, RaysFindNoGapBetweenTrianglesWithoutThickness) {
  // a fan of triangles around a point, and rays through the point and through the shared sides
  const Vec3 center(0.1, 0.2, 0.3);
  std::vector<Vec3> rim;
  for (int i = 0; i < 7; ++i) rim.push_back(center + Vec3(std::cos(0.9 * i), std::sin(0.9 * i), 0.1 * i));
  rim.push_back(rim[0]);
  for (int i = 0; i < 7; ++i) {
    for (int k = 0; k < 50; ++k) {
      const Vec3 target = center + 0.02 * k * (rim[i] - center);
      const Vec3 origin(0.3 * std::sin(k), 0.7, 3 + 0.1 * i);
      const geom::Ray ray{origin, target - origin};
      double nearest = -1;
      for (std::size_t t = 0; t < 7; ++t) {
        geom::Element element{3, {center, rim[t], rim[t + 1]}, 0};
        const geom::RayHit hit = geom::rayElement(element, ray);
        if (hit.isHit()) nearest = nearest < 0 ? hit.distance : std::min(nearest, hit.distance);
      }
      EXPECT_NEAR(nearest, 1, 1e-12) << i << " " << k;
    }
  }
}

// Elements without extent are still round; ones seen from within are met on the way out.
TEST(Side, RaysMeetDegenerateElementsAndLeaveRoundOnes) {
  const geom::Ray down{Vec3(0, 0, 2), Vec3(0, 0, -2)};
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY();
  EXPECT_NEAR(geom::rayElement({1, {o}, 0.5}, down).distance, 0.75, 1e-15);
  EXPECT_NEAR(geom::rayElement({2, {o, o}, 0.5}, down).distance, 0.75, 1e-15);
  EXPECT_NEAR(geom::rayElement({3, {o, o, o}, 0.5}, down).distance, 0.75, 1e-15);
  EXPECT_NEAR(geom::rayElement({3, {-x, x, o}, 0.5}, down).distance, 0.75, 1e-15);
  EXPECT_NEAR(geom::rayElement({3, {-x - y, x - y, y}, 0.5}, down).distance, 0.75, 1e-15);
  EXPECT_NEAR(geom::rayElement({4, {-x - y, x - y, y, Vec3(0, 0, 1)}, 0}, down).distance, 0.5, 1e-15);
  EXPECT_FALSE(geom::rayElement({2, {-x, x}, 0}, down).isHit());
  const geom::RayHit out = geom::rayElement({3, {-x - y, x - y, y}, 0.5}, {Vec3(0, 0, 0.1), Vec3(0, 0, 1)});
  EXPECT_NEAR(out.distance, 0.4, 1e-15);
  EXPECT_TRUE(allNear(out.normal, Vec3(0, 0, 1), 1e-14));
  // far away and thin: the radius must not drown
  const Vec3 far(1000, 2000, -500);
  const geom::RayHit thin = geom::rayElement({2, {far - x, far + x}, 1e-3}, {far + Vec3(0, 0, 100), Vec3(0, 0, -1)});
  EXPECT_NEAR(thin.distance, 100 - 1e-3, 1e-10);
}

TEST(Side, ReactionsOfPointsThatNothingHoldsAreRefused) {
  const auto scene = [](int node, const char* dof) {
    return fmt::format(R"(<mujoco><worldbody><body><freejoint/><geom size=".1"/>
      <flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".1" dof="{}">
        <contact selfcollide="none"/><pin id="0 2"/></flexcomp></body></worldbody>
      <sensor><flexreaction flex="c" node="{}"/></sensor></mujoco>)",
                       dof, node);
  };
  EXPECT_NO_THROW(modelOf(scene(0, "full")));
  EXPECT_NO_THROW(modelOf(scene(2, "full")));
  const auto refused = [&](int node, const char* dof) {
    std::string text;
    try {
      modelOf(scene(node, dof));
    } catch (const LoadError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find(fmt::format("node {} of flex \"c\" is not pinned, nothing holds it", node)), std::string::npos)
        << text;
  };
  refused(4, "full");
  refused(4, "2d");
}

}  // namespace
}  // namespace sinew
