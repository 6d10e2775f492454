#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sinew/dynamics.h"
#include "sinew/query.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/refusal.h"

// Forces of contacts, and whose contacts they are. Oracles: the weight that is carried, and J' f = qfrc_constraint.
namespace sinew {
namespace {

using Numbers = std::vector<double>;

const char* const kPile =
    R"(<mujoco><option timestep=".002" %s/><worldbody><geom name="floor" type="plane" size="3 3 1"/>
    <body name="low" pos="0 0 .1"><freejoint/><geom name="a" type="box" size=".1 .1 .1" mass="2"/></body>
    <body name="high" pos=".02 0 .3"><freejoint/><geom name="b" type="box" size=".1 .1 .1" mass="3"/>
      <geom name="c" size=".02" pos="1 0 0" mass=".01"/></body>
    <flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="2 0 .01" mass=".5" radius=".01">
      <edge equality="true" damping="1"/></flexcomp></worldbody></mujoco>)";

Model pile(const std::string& option) {
  std::string mjcf = kPile;
  return test::modelOf(mjcf.replace(mjcf.find("%s"), 2, option));
}

TEST(ContactQuery, API_1_ContactForcesCarryTheWeight) {
  for (const std::string option : {"cone='pyramidal'", "cone='elliptic'", "solver='Impulse'"}) {
    SCOPED_TRACE(option);
    const Model m = pile(option);
    Data d(m);
    for (int i = 0; i < 1500; ++i) step(m, d);
    forward(m, d);
    const auto lift = [&](const Collider& thing, const Collider& on) {
      double sum = 0;
      for (const int i : contactsOf(m, d, thing)) {
        for (const int k : contactsOf(m, d, on)) {
          if (i != k) continue;
          const bool second = d.contact[i].geom[1] == (thing.type == ObjType::Geom ? thing.id : -2) ||
                              d.contact[i].flex[1] == (thing.type == ObjType::Flex ? thing.id : -2);
          sum += (second ? 1 : -1) * contactWrench(m, d, i).force[2];
        }
      }
      return sum;
    };
    const int a = findId(m, ObjType::Geom, "a"), b = findId(m, ObjType::Geom, "b");
    EXPECT_NEAR(lift({ObjType::Geom, a}, {ObjType::Geom, 0}), 5.01 * 9.81, 0.02 * 50);
    EXPECT_NEAR(lift({ObjType::Geom, b}, {ObjType::Geom, a}), 3.01 * 9.81, 0.02 * 30);
    EXPECT_NEAR(lift({ObjType::Flex, 0}, {ObjType::Geom, 0}), 0.5 * 9.81, 0.02 * 5);
    // in its own frame: normal first
    for (int i = 0; i < d.ncon(); ++i) {
      const std::array<double, 6> local = contactForce(m, d, i);
      const ContactWrench world = contactWrench(m, d, i);
      const auto& frame = d.contact[i].frame;
      double normal = 0;
      for (std::size_t k = 0; k < 3; ++k) normal += frame[k] * world.force[k];
      EXPECT_NEAR(local[0], normal, 1e-12 * (1 + std::abs(normal)));
    }
    // both geoms of a body
    const int high = findId(m, ObjType::Body, "high");
    EXPECT_EQ(contactsOf(m, d, {ObjType::Body, high}).size(), contactsOf(m, d, {ObjType::Geom, b}).size());
  }
}

TEST(ContactQuery, API_1_RowsOfTheJacobianGiveVelocitiesAndForces) {
  const Model m = pile("cone='elliptic'");
  Data d(m);
  for (int i = 0; i < 200; ++i) step(m, d);
  forward(m, d);
  ASSERT_GT(d.nefc(), 20);
  Numbers velocity(static_cast<std::size_t>(d.nefc())), force(static_cast<std::size_t>(m.nv));
  multiplyConstraintJacobian(m, d, d.qvel, velocity);
  multiplyConstraintJacobianTransposed(m, d, d.efc_force, force);
  for (int i = 0; i < d.nefc(); ++i) EXPECT_NEAR(velocity[i], d.efc_vel[i], 1e-12);
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(force[i], d.qfrc_constraint[i], 1e-9);
}

TEST(ContactQuery, API_1_OverlapIsNegativeDistance) {
  const Model m = pile("");
  Data d(m);
  forward(m, d);
  const Collider a{ObjType::Geom, findId(m, ObjType::Geom, "a")}, b{ObjType::Geom, findId(m, ObjType::Geom, "b")};
  d.qpos[9] = 0.29;
  forward(m, d);
  EXPECT_TRUE(overlap(m, d, a, b));
  d.qpos[9] = 0.31;
  forward(m, d);
  EXPECT_FALSE(overlap(m, d, a, b));
}

TEST(ContactQuery, ErrorsNameTheValue) {
  const Model m = pile("");
  const Model other = test::modelOf("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  Data d(m), alien(other);
  EXPECT_EQ(test::refusal([&] { contactForce(m, d, 0); }), "contactForce: contact is 0, but the model has none");
  forward(m, d);
  ASSERT_GT(d.ncon(), 0);
  EXPECT_EQ(test::refusal([&] { contactWrench(m, d, -1); }),
            "contactWrench: contact is -1, must be in [0, " + std::to_string(d.ncon() - 1) + "]");
  EXPECT_EQ(test::refusal([&] { contactForce(m, alien, 0); }), "contactForce: the Data was made for another Model");
  EXPECT_EQ(test::refusal([&] {
              contactsOf(m, d, {ObjType::Joint, 0});
            }),
            "contactsOf: objects of type 3 do not touch; expected Geom, Flex or Body");
  EXPECT_EQ(test::refusal([&] { contactsOf(m, d, {ObjType::Flex, 1}); }), "contactsOf: id is 1, must be in [0, 0]");
  Numbers few(1);
  EXPECT_EQ(test::refusal([&] { multiplyConstraintJacobian(m, d, d.qvel, few); }),
            "multiplyConstraintJacobian: y holds 1 numbers, must hold " + std::to_string(d.nefc()));
}

}  // namespace
}  // namespace sinew
