#include "step/validate.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "sinew/step.h"
#include "support/mjcf_text.h"

namespace sinew {
namespace {

/// Bodies, a flex, a tendon limit, an equality, friction loss, and contacts of all kinds.
Model busyModel(const char* option) {
  return test::modelOf(std::string("<mujoco><option ") + option + R"(/><worldbody><geom type="plane" size="2 2 1"/>
    <body name="a" pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="a"/></body>
    <body name="b" pos=".5 0 .3"><joint axis="0 1 0" limited="true" range="0 1" frictionloss=".1" ref="0"/>
      <geom type="capsule" size=".05 .1"/><site name="b"/></body>
    <flexcomp name="c" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="0 1 .004" mass=".1" radius=".005">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp></worldbody>
    <equality><connect body1="a" body2="b" anchor=".2 0 0"/></equality></mujoco>)");
}

TEST(Validate, FindsNothingInWhatAStepLeaves) {
  for (const char* option : {R"(solver="Newton")", R"(solver="CG" cone="elliptic")", R"(solver="PGS")",
                             R"(solver="Impulse")", R"(integrator="RK4")", R"(integrator="implicitfast")"}) {
    const Model m = busyModel(option);
    Data d(m);
    for (int i = 0; i < 50; ++i) {
      step(m, d);
      ASSERT_EQ(validate(m, d, true), "") << option << ", step " << i;
    }
    ASSERT_GT(d.ncon(), 8);
    ASSERT_GT(d.nefc(), 50);
  }
}

/// What validate() says of a Data in which one thing was changed.
std::string found(const std::function<void(Data&)>& change) {
  static const Model m = busyModel(R"(solver="Newton" cone="elliptic")");
  Data d(m);
  for (int i = 0; i < 5; ++i) step(m, d);
  EXPECT_EQ(validate(m, d, true), "");
  change(d);
  return validate(m, d, true);
}

TEST(Validate, SaysWhatIsWrong) {
  const auto expect = [](const std::function<void(Data&)>& change, const char* text) {
    EXPECT_NE(found(change).find(text), std::string::npos) << found(change) << "\nexpected " << text;
  };
  expect([](Data& d) { d.qacc.resize(3); }, "qacc has 3 entries, must have");
  expect([](Data& d) { d.signature ^= 1; }, "the Data was made for another Model");
  expect([](Data& d) { d.ntree_awake = 0; }, "ntree_awake is 0");
  expect([](Data& d) { d.body_awake_ind[1] = 2; }, "body_awake_ind misses body 1");
  expect([](Data& d) { d.dof_awake_ind[3] = 0; }, "dof_awake_ind misses dof 3");
  expect([](Data& d) { d.xquat[4] = 2; }, "xquat of body 1 has length");
  expect([](Data& d) { d.contact[0].geom[0] = 99; }, "contact 0: side 0: there is no geom 99");
  expect([](Data& d) { d.contact[0].geom[1] = -1; }, "contact 0: side 1: it must be a geom or a flex");
  expect([](Data& d) { d.contact[0].side[0].count = 1000; }, "contact 0: side 0: its carriers");
  expect([](Data& d) { d.support_carrier[d.contact[0].side[1].begin] = 4711; }, "there is no carrier 4711");
  expect([](Data& d) { d.support_weight[d.contact[0].side[1].begin] = 0.5; }, "the weights of its carriers sum to 0.5");
  expect([](Data& d) { d.contact[0].dim = 2; }, "contact 0: dim is 2");
  expect([](Data& d) { d.contact[0].frame[0] += 1; }, "contact 0: its frame is not orthonormal");
  expect([](Data& d) { d.contact[0].efc_address = d.nefc(); }, "contact 0: there is no row");
  expect([](Data& d) { d.contact[0].efc_address = 0; }, "contact 0: row 0 is not its own");
  expect([](Data& d) { d.efc_pos.resize(1); }, "efc_pos has 1 entries");
  expect([](Data& d) { d.efc_type[0] = RowType::ContactElliptic; }, "row 0 is of type 7, out of order");
  expect([](Data& d) { d.efc_id[0] = -1; }, "row 0 is about nothing");
  expect([](Data& d) { d.row_block[1].row += 1; }, "block 1 of rows: it begins with row");
  expect([](Data& d) { d.row_block[1].column = 1 << 20; }, "block 1 of rows: its columns are out of range");
  expect([](Data& d) { d.row_block[1].value = -1; }, "block 1 of rows: its values are out of range");
  expect([](Data& d) { d.row_column[d.row_block[0].column] = -2; }, "block 0 of rows: there is no dof -2");
  expect([](Data& d) { d.efc_force[d.contact[0].efc_address] = -3; }, "pulls with 3 N");
}

}  // namespace
}  // namespace sinew
