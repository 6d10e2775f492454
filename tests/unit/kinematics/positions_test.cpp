#include "kinematics/positions.h"

#include <gtest/gtest.h>

#include <numbers>

#include "math/quat.h"
#include "math/types.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/rich_model.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;

TEST(Positions, DifferentiatingUndoesIntegrating) {
  const Model m = modelOf(test::kRichModel);
  Data d(m);
  test::randomizeState(m, d, 3);
  Array<double> moved = d.qpos;
  Array<double> velocity(m.nv);
  integratePositions(m, moved.data(), d.qvel.data(), .3);
  differentiatePositions(m, velocity.data(), .3, d.qpos.data(), moved.data());
  EXPECT_TRUE(allNear(velocity, d.qvel, 1e-13));
}

TEST(Positions, QuaternionsTurnAboutTheirOwnAxes) {
  const Model m = modelOf("<mujoco><worldbody><body><joint type='ball'/><geom size='.1'/></body></worldbody></mujoco>");
  Array<double> qpos = m.qpos0;
  const double quarter[] = {std::numbers::pi / 2, 0, 0}, about[] = {0, 0, std::numbers::pi / 2};
  integratePositions(m, qpos.data(), quarter, 1);
  integratePositions(m, qpos.data(), about, 1);  // about the new z, which is the old -y
  const Vec3 x = rotate(Quat::load(qpos.data()), Vec3(1, 0, 0));
  EXPECT_TRUE(allNear(x, Vec3(0, 0, 1), 1e-15));
}

}  // namespace
}  // namespace sinew
