#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/dynamics.h"
#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/stages.h"
#include "sinew/step.h"
#include "validation/rods.h"

/// What flexes are made of, and that they are part of the one engine.
namespace sinew {
namespace {

Model compiled(const std::string& content) {
  return compile(readMjcfText("<mujoco>" + content + "</mujoco>", "m.xml"));
}
Model inWorld(const std::string& content) { return compiled("<worldbody>" + content + "</worldbody>"); }

std::string sheet(const std::string& inside, const std::string& more = "") {
  return R"(<flexcomp name="f" type="grid" dim="2" count="4 3 1" spacing=".05 .05 .05" mass=".1" radius=".005" )" +
         more + R"(><contact contype="0" conaffinity="0" selfcollide="none"/>)" + inside + "</flexcomp>";
}

// A cloth on a ball on the floor is one problem: contacts of rigid and soft things in one list, their rows in one list
// with those of the edges, and one solve whose forces explain the acceleration of every dof.
TEST(FlexScope, FLEX_AC15_OneEngineWithOneContactTypeOneRowListOneSolve) {
  const Model m = inWorld(R"(<geom name="floor" type="plane" size="1 1 1"/>
    <body pos="0 0 .0495"><freejoint/><geom name="ball" size=".05" mass=".3"/></body>
    <flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".1" radius=".005" pos="0 0 .104">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>)");
  Data d(m);
  for (int i = 0; i < 20; ++i) step(m, d);
  forward(m, d);
  EXPECT_TRUE(d.status.ok());
  int ofFloor = 0, ofCloth = 0;
  for (const Contact& c : d.contact) {
    ofFloor += c.geom[0] == 0 && c.geom[1] == 1;
    ofCloth += c.geom[0] == 1 && c.flex[1] == 0;
  }
  EXPECT_GT(ofFloor, 0);
  EXPECT_GT(ofCloth, 0);
  EXPECT_EQ(ofFloor + ofCloth, d.ncon());
  EXPECT_EQ(d.ne, m.nflexedge) << "rows of edges come first";
  int contactRows = 0;
  for (int row = 0; row < d.nefc(); ++row) contactRows += d.efc_type[row] >= RowType::ContactFrictionless;
  EXPECT_EQ(d.nefc(), d.ne + contactRows);

  ASSERT_EQ(d.island.size(), 1) << "what touches is solved together";
  EXPECT_EQ(d.island[0].dofs, m.nv);
  EXPECT_EQ(d.island[0].rows, d.nefc());
  const std::vector<double> qacc(d.qacc.begin(), d.qacc.end()), force(d.efc_force.begin(), d.efc_force.end());
  std::vector<double> inertial(qacc.size()), constraint(qacc.size());
  multiplyMass(m, d, qacc, inertial);
  multiplyConstraintJacobianTransposed(m, d, force, constraint);
  double onCloth = 0, scale = 0;
  for (int i = 0; i < m.nv; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_NEAR(inertial[k], d.qfrc_smooth[i] + constraint[k], 1e-6 * (1 + std::abs(constraint[k]))) << "dof " << i;
    if (i >= m.nv_rigid && (i - m.nv_rigid) % 3 == 2) onCloth += constraint[k];
    scale += std::abs(constraint[k]);
  }
  // edges only pass on what the ball pushes with: the cloth gets what contacts with it carry, ball and cloth together
  // what the floor carries
  double byFloor = 0, byBall = 0;
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& c = d.contact[i];
    const std::array<double, 6> local = contactForce(m, d, i);
    double up = 0;  // of the second side
    for (std::size_t k = 0; k < 3; ++k) up += c.frame[3 * k + 2] * local[k];
    (c.flex[1] < 0 ? byFloor : byBall) += up;
  }
  EXPECT_GT(byBall, 0.01);
  EXPECT_NEAR(onCloth, byBall, 1e-9 * scale);
  EXPECT_NEAR(constraint[2] + onCloth, byFloor, 1e-9 * scale);
}

TEST(FlexScope, FLEX_P1_FLEX_P2_ArraysAreThereWithFlexesAndEmptyWithout) {
  const Model with = inWorld(sheet("")), without = inWorld(R"(<body><freejoint/><geom size=".1"/></body>)");
  EXPECT_EQ(with.flex_dim.size(), 1);
  EXPECT_EQ(with.flex_edge.size(), 2 * with.nflexedge);
  EXPECT_EQ(with.flexedge_length0.size(), with.nflexedge);
  EXPECT_EQ(without.flex_dim.size(), 0);
  EXPECT_EQ(without.flexedge_length0.size(), 0);
  Data d(without);
  EXPECT_EQ(d.flexvert_xpos.size(), 0);
  // qpos0 of a node is where it rests
  Data rest(with);
  forward(with, rest);
  for (int i = 0; i < with.nq; ++i) EXPECT_EQ(rest.flexvert_xpos[i], with.qpos0[i]);
}

// Generators and topology are the compiler's business, so a written-out copy of a generated flex is the same model; a
// skin is drawn and nothing else.
TEST(FlexScope, FLEX_P10_SkinsChangeNoState) {
  const std::string cloth = sheet(R"(<edge equality="true"/><pin id="0"/>)", R"(pos="0 0 .3")");
  const Model plain = inWorld(cloth);
  const Model skinned = compile(readMjcfText(
      "<mujoco><worldbody><body name=\"b\" pos=\"3 0 0\"/>" + cloth +
      R"(</worldbody><deformable><skin name="s" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"><bone body="b" bindpos="0 0 0"
      bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></deformable></mujoco>)"));
  Data a(plain), b(skinned);
  for (int i = 0; i < 200; ++i) {
    step(plain, a);
    step(skinned, b);
  }
  ASSERT_EQ(plain.nq, skinned.nq);
  EXPECT_EQ(a.qpos, b.qpos);
  EXPECT_EQ(a.qvel, b.qvel);
}

// Bending is a force, not a row; only sheets have hinges; a hinge's damper has the damping time times its stiffness.
TEST(FlexScope, FLEX_P7_BendingIsAPassiveForceOfSheets) {
  const Model m = inWorld(sheet(
      R"(<elasticity young="1e6" poisson="0" thickness=".002" elastic2d="bend" bending="dihedral" law="stvk"/>)"));
  Data d(m);
  d.qpos[2] += 0.01;
  forward(m, d);
  EXPECT_EQ(d.nefc(), 0);
  EXPECT_GT(std::abs(d.qfrc_spring[2]), 1e-6);
  const Model solid =
      inWorld(R"(<flexcomp name="s" type="grid" dim="3" count="3 3 3" spacing=".05 .05 .05" radius=".005">
      <contact selfcollide="none"/><elasticity young="1e5" poisson=".3"/></flexcomp>)");
  EXPECT_EQ(solid.nflexhinge, 0);
  const Model rope =
      inWorld(R"(<flexcomp name="r" type="grid" dim="1" count="5 1 1" spacing=".05 .05 .05" radius=".005">
      <edge stiffness="10"/></flexcomp>)");
  EXPECT_EQ(rope.nflexhinge, 0);

  const double time = 0.3;
  const Model damped = inWorld(sheet(
      R"(<elasticity young="1e6" poisson="0" thickness=".002" elastic2d="bend" bending="dihedral" law="stvk" damping=".3"/>)"));
  // out of plane: a small displacement z and a small velocity z give forces in the ratio 1 : time
  Data a(damped), b(damped);
  a.qpos[2] += 1e-6;
  b.qvel[2] = 1e-6;
  forward(damped, a);
  forward(damped, b);
  for (int i = 2; i < damped.nv; i += 3)
    EXPECT_NEAR(b.qfrc_damper[i], time * a.qfrc_spring[i], 1e-6 * std::abs(a.qfrc_spring[2]));
}

// Force = -dE/dx through the whole engine, for every mechanism that has an energy.
TEST(FlexScope, FLEX_B1_ForcesAreMinusTheGradientOfTheReportedEnergy) {
  const std::string solid =
      R"(<flexcomp name="f" type="grid" dim="3" count="3 2 2" spacing=".05 .05 .05" radius=".005" mass=".1">
      <contact contype="0" conaffinity="0" selfcollide="none"/>)";
  const std::vector<std::string> flexes{
      sheet(R"(<elasticity young="1e5" poisson=".3" thickness=".002" elastic2d="stretch"/>)"),
      sheet(
          R"(<elasticity young="1e5" poisson=".3" thickness=".002" elastic2d="both" law="stvk" bending="dihedral"/>)"),
      sheet(
          R"(<elasticity young="1e5" poisson=".3" thickness=".002" elastic2d="both" law="corotational" bending="cotangent"/>)"),
      sheet(R"(<elasticity young="1e5" poisson=".3" thickness=".002" elastic2d="both" law="neohookean"/>)"),
      solid + R"(<elasticity young="1e4" poisson=".3"/></flexcomp>)",
      solid + R"(<elasticity young="1e4" poisson=".3" law="stvk"/></flexcomp>)",
      solid + R"(<elasticity young="1e4" poisson=".3" law="corotational"/></flexcomp>)",
      solid + R"(<elasticity young="1e4" poisson=".3" law="neohookean"/></flexcomp>)",
      R"(<flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".05 .05 .05" radius=".005" young="1e6">
         <contact contype="0" conaffinity="0" selfcollide="none"/></flexcomp>)",
      R"(<flexcomp name="f" type="grid" dim="1" count="5 1 1" spacing=".05 .05 .05" radius=".005"><edge stiffness="300"/>
         <contact contype="0" conaffinity="0" selfcollide="none"/></flexcomp>)"};
  for (const std::string& flex : flexes) {
    Model m = inWorld(flex);
    m.opt.gravity = {0, 0, 0};
    m.opt.integrator = Integrator::ImplicitFast;  // explicit ones limit the torque of folds
    Data d(m);
    for (int i = 0; i < m.nq; ++i) d.qpos[i] += 0.004 * std::sin(1 + 2.3 * i);
    forward(m, d);
    const std::vector<double> force(d.qfrc_spring.begin(), d.qfrc_spring.end());
    const double scale = std::abs(
        *std::max_element(force.begin(), force.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    ASSERT_GT(scale, 0) << flex;
    const auto energyAt = [&](int i, double dx) {
      Data moved = d;
      moved.qpos[i] += dx;
      stages::kinematics(m, moved);
      stages::flexes(m, moved);
      energy(m, moved);
      return moved.energy[0];
    };
    double net[3] = {0, 0, 0};
    for (int i = 0; i < m.nv; ++i) {
      const double h = 1e-6;
      const double gradient = (energyAt(i, h) - energyAt(i, -h)) / (2 * h);
      EXPECT_NEAR(force[i], -gradient, 1e-6 * scale) << flex << " dof " << i;
      net[i % 3] += force[i];
    }
    for (const double sum : net) EXPECT_NEAR(sum, 0, 1e-12 * scale * m.nv) << flex;
  }
}

TEST(FlexScope, FLEX_B19_WhatTheSeedsPostponedIsThere) {
  // self-collision: a sheet folded onto itself
  Model m =
      inWorld(R"(<flexcomp name="a" type="grid" dim="2" count="6 2 1" spacing=".05 .05 .05" mass=".1" radius=".01">
      <edge equality="true"/></flexcomp>)");
  Data d(m);
  for (int n = 6; n < 12; ++n) {
    d.qpos[3 * n] = m.qpos0[3 * (11 - n)];  // the second half lies over the first
    d.qpos[3 * n + 2] = 0.015;
  }
  forward(m, d);
  int self = 0;
  for (const Contact& c : d.contact) self += c.flex[0] == 0 && c.flex[1] == 0;
  EXPECT_GT(self, 0);
  // two flexes, and an equality written by hand
  const Model two = compiled(R"(<worldbody>
      <flexcomp name="a" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" radius=".01"><contact selfcollide="none"/></flexcomp>
      <flexcomp name="b" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" radius=".01" pos=".01 .01 .015"><contact selfcollide="none"/></flexcomp>
      </worldbody><equality><flex flex="a"/></equality>)");
  Data both(two);
  forward(two, both);
  int between = 0;
  for (const Contact& c : both.contact) between += c.flex[0] == 0 && c.flex[1] == 1;
  EXPECT_GT(between, 0);
  EXPECT_GE(both.ne, 16);
}

// A vertex is tied to a body by name, let go, and tied again: a connect, switched like any equality.
TEST(FlexScope, AVertexIsAttachedToABodyByNameAndDetached) {
  const Model m = compiled(
      R"(<worldbody><body name="hook" pos="0 0 1" mocap="true"/>)" +
      sheet(R"(<edge equality="true" solref=".01 1"/>)", R"(pos="0 0 1")") +
      R"(</worldbody><equality><connect name="tie" body1="f_0" body2="hook" anchor="0 0 0" solref=".01 1"/></equality>)");
  Data d(m);
  for (int i = 0; i < 1500; ++i) step(m, d);
  EXPECT_TRUE(d.status.ok());
  EXPECT_LT(std::abs(d.qpos[2] - 1), 0.05) << "it hangs";
  EXPECT_LT(d.qpos[3 * 11 + 2], 0.95);
  d.eq_active[0] = 0;
  if (m.eq_type[0] != EqualityType::Connect) std::swap(d.eq_active[0], d.eq_active[1]);
  for (int i = 0; i < 200; ++i) step(m, d);
  EXPECT_LT(d.qpos[2], 0.6) << "it falls";
}

TEST(FlexValidation, VALID_3_InextensibleCatenary) {
  for (const auto& [length, sag] : validation::kCatenary) {
    double previous = 1;
    for (const int segments : {10, 20, 40}) {
      const double error = std::abs(validation::catenarySag(length, segments) / sag - 1);
      RecordProperty("error_" + std::to_string(length) + "_" + std::to_string(segments), std::to_string(error));
      if (segments == 40) {
        EXPECT_LT(error, 0.005) << length;
      }
      EXPECT_LT(error, previous + 1e-3) << length << " " << segments;
      previous = error;
    }
  }
}

}  // namespace
}  // namespace sinew
