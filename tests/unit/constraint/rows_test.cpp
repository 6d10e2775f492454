#include "solve/rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "constraint/constraint.h"
#include "constraint/problem.h"
#include "inertia/inertia.h"
#include "kinematics/positions.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

/// Two chains and two free bodies with every kind of row: connect, weld, joint and tendon equality, friction loss,
/// limits of hinge, ball and tendon, contacts of all dimensions.
std::string everyRow(const std::string& cone) {
  return fmt::format(R"(<mujoco><option cone="{}" impratio="2"/><worldbody><geom type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 0.095"><freejoint/><geom size="0.1" condim="6"/><site name="sa" pos="0.1 0 0"/></body>
    <body name="b" pos="0.5 0 0.09"><freejoint/><geom type="box" size="0.1 0.1 0.1" condim="4"/><site name="sb"/></body>
    <body name="c" pos="0 1 1"><joint name="j" axis="0 1 0" range="-1 1" frictionloss="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="sc" pos="0.3 0 0"/>
      <body name="e" pos="0.3 0 0"><joint name="q" type="ball" range="0 1"/><geom type="capsule" fromto="0 0 0 0.2 0 0.1" size="0.03"/>
        <body name="f" pos="0.2 0 0.1"><joint name="k" axis="1 0 0"/><geom size="0.05" pos="0 0.1 0"/></body></body></body>
    <body name="g" pos="-1 0 1"><joint name="l" type="slide" axis="0 0 1"/><geom size="0.05"/></body></worldbody>
    <tendon><spatial name="t" range="0 0.2" limited="true" frictionloss="0.1"><site site="sa"/><site site="sb"/></spatial>
      <fixed name="u"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed></tendon>
    <equality><connect body1="f" body2="g" anchor="0 0.2 0"/><weld body1="e" body2="b" torquescale="0.7"/>
      <weld site1="sa" site2="sc"/><joint joint1="j" joint2="k" polycoef="0.1 0.5 0.2 -0.1 0.05"/>
      <tendon tendon1="u" polycoef="0.2 0 0 0 0"/></equality></mujoco>)",
                     cone);
}

/// A state in which all rows are there and nothing is zero.
void shake(const Model& m, Data& d, double amount) {
  std::vector<double> v(static_cast<std::size_t>(m.nv));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(1.3 * static_cast<double>(i) + 0.4);
  v[2] = v[8] = 0;  // the free bodies keep touching the floor
  integratePositions(m, d.qpos.data(), v.data(), amount);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.5 * std::cos(0.7 * i + 0.2);
}

std::vector<double> rowVelocities(const Data& d, const std::vector<double>& v) {
  std::vector<double> Jv(static_cast<std::size_t>(d.nefc()));
  solve::multiplyRows(rowsOf(d), v.data(), Jv.data());
  return Jv;
}

// d(residual)/dt = J v by central differences, for every row that has a residual. The rows of contacts move with the
// contact point; their normal rows are the rate of the distance.
TEST(ConstraintRows, JacobianIsTheRateOfTheResidual) {
  const Model m = modelOf(everyRow("elliptic"));
  Data d(m);
  shake(m, d, 0.05);
  // the ball joint beyond its limit
  const int ball = m.jnt_qposadr[findId(m, ObjType::Joint, "q")];
  d.qpos[ball] = std::cos(0.6), d.qpos[ball + 1] = std::sin(0.6), d.qpos[ball + 2] = d.qpos[ball + 3] = 0;
  forward(m, d);
  const std::vector<double> v(d.qvel.begin(), d.qvel.end());
  const std::vector<double> Jv = rowVelocities(d, v);
  const double h = 1e-6;
  const auto residualAt = [&](double t) {
    Data moved = d;
    integratePositions(m, moved.qpos.data(), v.data(), t);
    forward(m, moved);
    return std::vector<double>(moved.efc_pos.begin(), moved.efc_pos.end());
  };
  const std::vector<double> plus = residualAt(h), minus = residualAt(-h);
  ASSERT_EQ(plus.size(), Jv.size());
  ASSERT_EQ(minus.size(), Jv.size());
  int checked = 0;
  for (int row = 0; row < d.nefc(); ++row) {
    const RowType type = d.efc_type[row];
    if (type == RowType::FrictionDof || type == RowType::FrictionTendon) continue;
    if (type == RowType::ContactElliptic && d.contact[d.efc_id[row]].efc_address != row) continue;
    const auto i = static_cast<std::size_t>(row);
    EXPECT_NEAR(Jv[i], (plus[i] - minus[i]) / (2 * h), tolerance(1e-6) * (1 + std::abs(Jv[i])))
        << "row " << row << " type " << static_cast<int>(type);
    ++checked;
  }
  EXPECT_GT(checked, 20);
}

// With qacc = 0 the second derivative of a connect or weld residual is dJ/dt v; aref contains minus that. Compare with
// central differences of J(q) v along the motion at constant v, where "constant" means constant coordinates of qvel.
TEST(ConstraintRows, ReferenceOfConnectAndWeldContainsTheJacobianRate) {
  const Model m = modelOf(everyRow("elliptic"));
  Data d(m);
  shake(m, d, 0.05);
  forward(m, d);
  const std::vector<double> v(d.qvel.begin(), d.qvel.end());
  const double h = 1e-5;
  const auto rowsAt = [&](double t) {
    Data moved = d;
    integratePositions(m, moved.qpos.data(), v.data(), t);
    forward(m, moved);
    return rowVelocities(moved, v);
  };
  const std::vector<double> plus = rowsAt(h), minus = rowsAt(-h);
  int checked = 0;
  for (int row = 0; row < d.ne; ++row) {
    const EqualityType type = m.eq_type[d.efc_id[row]];
    if (type != EqualityType::Connect && type != EqualityType::Weld) continue;
    const double* KBIP = d.efc_KBIP.data() + 4 * row;
    const double without = -KBIP[1] * d.efc_vel[row] - KBIP[0] * KBIP[2] * d.efc_pos[row];
    const auto i = static_cast<std::size_t>(row);
    const double rate = (plus[i] - minus[i]) / (2 * h);
    EXPECT_NEAR(without - d.efc_aref[row], rate, tolerance(1e-5) * (1 + std::abs(rate))) << "row " << row;
    ++checked;
  }
  EXPECT_EQ(checked, 3 + 6 + 6);
}

// diagexact: R = (1 - d)/d times the true diagonal of J inv(M) J', found here column by column.
// Two bodies that slide together: there is nothing an equality between them could move.
TEST(ConstraintRows, EqualitiesThatCanMoveNothingHaveNoRows) {
  const Model m = modelOf(R"(<mujoco><worldbody><body name="a"><joint type="slide"/><geom size="0.1"/>
    <body name="b" pos="0.3 0 0"><geom size="0.1"/></body></body></worldbody>
    <equality><weld body1="a" body2="b"/><connect body1="b" body2="a" anchor="0 0.1 0"/></equality></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_EQ(d.ne, 0);
}

TEST(ConstraintRows, ExactDiagonalIsThatOfTheInverseInertiaSeenByTheRow) {
  for (const std::string cone : {"pyramidal", "elliptic"}) {
    Model m = modelOf(everyRow(cone));
    m.opt.enableflags |= enable::kDiagExact;
    Data d(m);
    shake(m, d, 0.05);
    forward(m, d);
    int checked = 0;
    for (const RowBlock& block : d.row_block) {
      for (int r = 0; r < block.nrow; ++r) {
        const int row = block.row + r;
        // friction rows of a cone and edges of a pyramid get their R from the first row
        if (block.cone >= 0 && (r > 0 || block.kind == BlockKind::Pyramid)) continue;
        std::vector<double> unit(static_cast<std::size_t>(d.nefc()), 0), y(static_cast<std::size_t>(m.nv), 0);
        unit[row] = 1;
        solve::addTransposed(rowsOf(d), unit.data(), y.data());
        solveMass(m, d, y.data());
        const double expected = rowVelocities(d, y)[row];
        EXPECT_NEAR(d.efc_diagA[row], expected, tolerance(1e-9) * expected) << cone << " row " << row;
        ++checked;
      }
    }
    EXPECT_GT(checked, 20);
  }
}

// rows of vertices measure the same strain however the sheet is turned at rest; MuJoCo refuses all but level ones
TEST(VertexRows, ATurnedSheetHasTheRowsOfALevelOne) {
  const auto sheet = [](const char* euler) {
    return modelOf(fmt::format(
        R"(<mujoco><option gravity="0 0 0"/><worldbody><flexcomp name="c" type="grid" dim="2" count="4 3 1"
        spacing=".05 .04 .05" mass=".3" radius=".003" euler="{}"><contact selfcollide="none"/><edge equality="vert"/>
        <pin id="0"/></flexcomp></worldbody></mujoco>)",
        euler));
  };
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 0.004);
  std::vector<double> moved;
  const Model level = sheet("0 0 0");
  for (int i = 0; i < level.nq; ++i) moved.push_back(normal(random));
  const auto residuals = [&](const Model& m, const Mat3& turn) {
    Data d(m);
    forward(m, d);
    EXPECT_EQ(d.nefc(), 24);
    for (const double pos : d.efc_pos) EXPECT_NEAR(pos, 0, 1e-14);
    for (int i = 0; i < m.nflexnode; ++i)
      vec3(d.qpos.data(), i) += turn * ConstMapVec3(&moved[3 * static_cast<std::size_t>(i)]);
    forward(m, d);
    return std::vector<double>(d.efc_pos.begin(), d.efc_pos.end());
  };
  const std::vector<double> expected = residuals(level, Mat3::Identity());
  EXPECT_GT(std::abs(expected[4]), 1e-3);
  for (const char* euler : {"90 0 0", "0 90 0", "30 20 10", "180 0 0"}) {
    SCOPED_TRACE(euler);
    const Model m = sheet(euler);
    // the turn, from where three points of the level sheet have gone
    const auto frame = [](const Model& model) {
      const Vec3 o = vec3(model.qpos0.data(), 0), a = vec3(model.qpos0.data(), 11) - o,
                 b = vec3(model.qpos0.data(), 2) - o;
      Mat3 F;
      F << a, b, a.cross(b);
      return F;
    };
    const std::vector<double> found = residuals(m, frame(m) * frame(level).inverse());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
  }
}

// a sheet that is bent at rest has rows, and they are at rest
TEST(VertexRows, ACurvedSheetIsAtRestAsItWasMade) {
  std::string points, elements;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) points += fmt::format("{} {} {} ", 0.05 * i, 0.05 * j, 0.02 * std::sin(1.2 * i));
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int k = 3 * i + j;
      elements += fmt::format("{} {} {} {} {} {} ", k, k + 3, k + 4, k, k + 4, k + 1);
    }
  }
  const Model m = modelOf(fmt::format(
      R"(<mujoco><option gravity="0 0 0" timestep=".001"/><worldbody><flexcomp name="c" type="direct" dim="2" point="{}" element="{}"
      mass=".3" radius=".003"><contact selfcollide="none"/><edge equality="vert"/></flexcomp></worldbody></mujoco>)",
      points, elements));
  Data d(m);
  forward(m, d);
  EXPECT_EQ(d.nefc(), 24);
  for (const double pos : d.efc_pos) EXPECT_NEAR(pos, 0, 1e-14);
  for (int i = 0; i < m.nflexnode; ++i) d.qpos[3 * i] *= 1.1;  // stretched along x
  for (int i = 0; i < 500; ++i) step(m, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  double worst = 0;
  for (const double pos : d.efc_pos) worst = std::max(worst, std::abs(pos));
  EXPECT_LT(worst, 2e-3);
}

}  // namespace
}  // namespace sinew
