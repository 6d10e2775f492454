#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "kinematics/kinematics.h"
#include "kinematics/wrap.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

constexpr double kPi = std::numbers::pi;

WrapObstacle obstacle(double radius, bool cylinder) {
  Mat3 R;
  R = Eigen::AngleAxisd(0.4, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  return {Vec3(0.1, -0.2, 0.3), R, radius, cylinder};
}

Vec3 toWorld(const WrapObstacle& o, const Vec3& p) { return o.pos + o.R * p; }
Vec3 toLocal(const WrapObstacle& o, const Vec3& p) { return o.R.transpose() * (p - o.pos); }

double totalLength(const WrapPath& path, const Vec3& a, const Vec3& b) {
  return path.touches() ? (path.first - a).norm() + path.length + (b - path.second).norm() : (b - a).norm();
}

TEST(Wrap, AroundASphereFromOppositeSidesHasTheLengthOfTangentArcTangent) {
  // points at distance 2 on both sides of a unit sphere, a little above its centre line so that the way is known
  const WrapObstacle o = obstacle(1, false);
  const double lift = 0.1;
  const Vec3 a = toWorld(o, 2 * Vec3(-std::cos(lift), 0, std::sin(lift)));
  const Vec3 b = toWorld(o, 2 * Vec3(std::cos(lift), 0, std::sin(lift)));
  const WrapPath path = wrapAround(o, a, b, nullptr);
  ASSERT_TRUE(path.touches());
  // each tangent covers acos(1/2) of the angle between the points, the arc the rest
  EXPECT_NEAR(path.length, (kPi - 2 * lift) - 2 * std::acos(0.5), tolerance(1e-12));
  EXPECT_NEAR((path.first - a).norm(), std::sqrt(3), tolerance(1e-12));
  EXPECT_GT(toLocal(o, path.first).z(), 0);
}

TEST(Wrap, PathsThatMissTheObstacleOrStartInsideItAreStraight) {
  for (const bool cylinder : {false, true}) {
    const WrapObstacle o = obstacle(0.5, cylinder);
    const auto straight = [&](const Vec3& a, const Vec3& b) {
      return !wrapAround(o, toWorld(o, a), toWorld(o, b), nullptr).touches();
    };
    EXPECT_TRUE(straight({-1, 0.6, 0}, {1, 0.6, 0}));
    EXPECT_TRUE(straight({1, 0, 0}, {2, 0.1, 0.2}));
    EXPECT_TRUE(straight({0.1, 0.2, 0}, {2, 0, 0}));
    EXPECT_TRUE(straight({2, 0, 0}, {0.1, 0.2, 0}));
    EXPECT_TRUE(straight({1, 1, 1}, {1, 1, 1}));
    EXPECT_FALSE(straight({-1, 0.4, 0}, {1, 0.4, 0}));
  }
  EXPECT_FALSE(
      wrapAround({Vec3::Zero(), Mat3::Identity(), 0, false}, Vec3(-1, 0, 0), Vec3(1, 0, 0), nullptr).touches());
}

TEST(Wrap, TangentsLeaveTheObstacleAtRightAnglesToTheRadius) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vec = [&] { return Vec3(uniform(random), uniform(random), uniform(random)); };
  int touching = 0;
  for (int i = 0; i < 2000; ++i) {
    const WrapObstacle o = obstacle(0.4, i % 2 == 0);
    const Vec3 a = toWorld(o, vec()), b = toWorld(o, vec()), side = toWorld(o, 1.5 * vec());
    const WrapPath path = wrapAround(o, a, b, i % 3 == 0 ? &side : nullptr);
    if (!path.touches() || toLocal(o, side).norm() < o.radius) continue;
    ++touching;
    for (const auto& [touch, end] : {std::pair(path.first, a), std::pair(path.second, b)}) {
      Vec3 radius = toLocal(o, touch), tangent = toLocal(o, end) - radius;
      if (o.cylinder) radius.z() = tangent.z() = 0;
      EXPECT_NEAR(radius.norm(), o.radius, tolerance(1e-12));
      EXPECT_NEAR(radius.dot(tangent), 0, tolerance(1e-12));
    }
    EXPECT_GE(totalLength(path, a, b), (b - a).norm() - tolerance(1e-12));
  }
  EXPECT_GT(touching, 200);
}

// The shortest way from a to b outside a sphere lies in the plane through its centre. Brute force: a rubber band of
// many points on a half-plane grid would be slow; instead every path a - p - (great circle) - q - b with p and q free
// on the circle is tried, which includes the true one.
TEST(Wrap, AroundASphereIsTheShortestWay) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int touching = 0;
  for (int i = 0; i < 40; ++i) {
    const WrapObstacle o{Vec3::Zero(), Mat3::Identity(), 0.5, false};
    const Vec3 a(uniform(random), uniform(random), 0), b(uniform(random), uniform(random), 0);
    const WrapPath path = wrapAround(o, a, b, nullptr);
    if (!path.touches()) continue;
    ++touching;
    const int n = 360;
    double best = 1e9;
    const auto point = [&](int k) { return Vec3(0.5 * std::cos(2 * kPi * k / n), 0.5 * std::sin(2 * kPi * k / n), 0); };
    const auto visible = [&](const Vec3& end, const Vec3& p) { return p.dot(end - p) >= -1e-3; };
    for (int p = 0; p < n; ++p) {
      if (!visible(a, point(p))) continue;
      for (int q = 0; q < n; ++q) {
        if (!visible(b, point(q))) continue;
        const int apart = std::min((p - q + n) % n, (q - p + n) % n);
        const double arc = 0.5 * 2 * kPi * apart / n;
        best = std::min(best, (point(p) - a).norm() + arc + (b - point(q)).norm());
      }
    }
    // the grid misses the tangent points by up to half a degree: second order in that angle, and visible() is generous
    EXPECT_NEAR(totalLength(path, a, b), best, tolerance(2e-3)) << i;
  }
  EXPECT_GT(touching, 5);
}

TEST(Wrap, SideTellsOnWhichSideToPass) {
  const WrapObstacle o = obstacle(0.5, false);
  const Vec3 a = toWorld(o, Vec3(-1, 0, 0.1)), b = toWorld(o, Vec3(1, 0, 0.1));
  for (const double sign : {-1.0, 1.0}) {
    const Vec3 side = toWorld(o, Vec3(0, 0, sign));
    const WrapPath path = wrapAround(o, a, b, &side);
    ASSERT_TRUE(path.touches());
    EXPECT_GT(sign * toLocal(o, path.first).z(), 0);
    EXPECT_GT(sign * toLocal(o, path.second).z(), 0);
  }
  // passing freely on the wanted side is fine, on the other side the path is led around
  const Vec3 above = toWorld(o, Vec3(0, 0, 1)), below = toWorld(o, Vec3(0, 0, -1));
  const Vec3 high1 = toWorld(o, Vec3(-1, 0, 0.7)), high2 = toWorld(o, Vec3(1, 0, 0.7));
  EXPECT_FALSE(wrapAround(o, high1, high2, &above).touches());
  EXPECT_TRUE(wrapAround(o, high1, high2, &below).touches());
}

TEST(Wrap, UnrolledFromACylinderThePathIsStraight) {
  const WrapObstacle o = obstacle(0.5, true);
  const Vec3 a(-1, 0.1, 0.2), b(0.9, 0.3, 1.1);
  const WrapPath path = wrapAround(o, toWorld(o, a), toWorld(o, b), nullptr);
  ASSERT_TRUE(path.touches());
  const Vec3 p = toLocal(o, path.first), q = toLocal(o, path.second);
  const double before = (p - a).head<2>().norm(), after = (b - q).head<2>().norm();
  const double arc = std::sqrt(path.length * path.length - (q.z() - p.z()) * (q.z() - p.z()));
  const double slope = (b.z() - a.z()) / (before + arc + after);
  EXPECT_NEAR(p.z() - a.z(), slope * before, tolerance(1e-12));
  EXPECT_NEAR(q.z() - p.z(), slope * arc, tolerance(1e-12));
  EXPECT_NEAR(b.z() - q.z(), slope * after, tolerance(1e-12));
  const double angle = std::acos(p.head<2>().normalized().dot(q.head<2>().normalized()));
  EXPECT_NEAR(arc, 0.5 * angle, tolerance(1e-12));
}

TEST(Wrap, FromInsideThePathTouchesInOnePointWithEqualAngles) {
  const WrapObstacle o = obstacle(0.3, false);
  const Vec3 a(0.9, 0.2, 0.1), b(0.5, 0.8, -0.1), side(0.01, 0, 0.02);
  const Vec3 aWorld = toWorld(o, a), bWorld = toWorld(o, b), sideWorld = toWorld(o, side);
  const WrapPath path = wrapAround(o, aWorld, bWorld, &sideWorld);
  ASSERT_TRUE(path.touches());
  EXPECT_EQ(path.length, 0);
  EXPECT_EQ(path.first, path.second);
  const Vec3 touch = toLocal(o, path.first);
  EXPECT_NEAR(touch.norm(), 0.3, tolerance(1e-12));
  const Vec3 normal = touch.normalized();
  // the Newton iteration behind it stops at an angle of 1e-6
  EXPECT_NEAR(normal.dot((a - touch).normalized()), normal.dot((b - touch).normalized()), tolerance(1e-5));
}

const char* const kWrappingTendons = R"(<mujoco><compiler angle="radian"/><worldbody>
  <site name="w" pos="0 0 1"/>
  <body name="a" pos="0 0 0.5"><joint type="ball"/>
    <geom name="ball" size="0.12" pos="0.3 0 0"/><geom name="drum" type="cylinder" size="0.1 0.3" pos="0.1 0.2 0.4" euler="1.4 0.3 0"/>
    <site name="outside" pos="0.3 0 0.3"/><site name="inside" pos="0.3 0.01 0.02"/>
    <site name="drumside" pos="0.1 0.5 0.4"/><site name="druminside" pos="0.11 0.2 0.42"/>
    <site name="p" pos="0 0.1 0.02"/>
    <body pos="0.6 0 0"><joint axis="0 1 0" pos="-0.1 0 0" ref="0.2"/><joint type="slide" axis="1 0.3 0"/>
      <joint axis="0 0 1" pos="0 0.1 0"/><geom type="box" size="0.03 0.2 0.1"/>
      <site name="q" pos="0 0 0.1"/><site name="r" pos="0.2 0 -0.3"/>
      <body pos="0.3 0.1 0.2"><joint axis="0 1 0"/><geom size="0.05"/><site name="s" pos="0 0 0.1"/></body></body></body>
  <body pos="0 0 2"><freejoint/><geom size="0.1"/><site name="f" pos="0 0 0.1"/></body></worldbody>
  <tendon>
    <spatial><site site="p"/><geom geom="ball"/><site site="q"/></spatial>
    <spatial><site site="p"/><geom geom="ball" sidesite="outside"/><site site="q"/><site site="s"/></spatial>
    <spatial><site site="p"/><geom geom="ball" sidesite="inside"/><site site="r"/></spatial>
    <spatial><site site="w"/><geom geom="drum"/><site site="q"/></spatial>
    <spatial><site site="w"/><geom geom="drum" sidesite="drumside"/><site site="q"/><pulley divisor="2"/><site site="q"/>
      <site site="s"/><pulley divisor="3"/><site site="q"/><site site="f"/></spatial>
    <spatial><site site="w"/><geom geom="drum" sidesite="druminside"/><site site="q"/></spatial>
  </tendon></mujoco>)";

Data withTendons(const Model& m, const Array<double>& qpos) {
  Data d(m);
  d.qpos = qpos;
  kinematics(m, d);
  comPos(m, d);
  tendons(m, d);
  return d;
}

VecX denseRow(const Model& m, const Data& d, int tendon) {
  VecX row = VecX::Zero(m.nv);
  const int adr = m.ten_J_rowadr[tendon];
  for (int k = 0; k < m.ten_J_rownnz[tendon]; ++k) row[m.ten_J_colind[adr + k]] += d.ten_J[adr + k];
  return row;
}

// Central differences with h = 1e-6: curvature of wrapped paths is of order 1/radius^2 = 100, error 1e-10, rounding
// 1e-10. Inside paths come from an iteration that stops at 1e-6; there the length is at a minimum with respect to the
// touching point, so the Jacobian is wrong by about that much.
TEST(Tendon, JacobiansAreTheDerivativesOfLengths) {
  const Model m = modelOf(kWrappingTendons);
  const double h = 1e-6;
  Array<int> touching(m.ntendon);
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Data state(m);
    test::randomizeState(m, state, seed, 1.5);
    const Data d = withTendons(m, state.qpos);
    for (int i = 0; i < m.nv; ++i) {
      const Data after = withTendons(m, test::movedAlong(m, d.qpos, i, h));
      const Data before = withTendons(m, test::movedAlong(m, d.qpos, i, -h));
      for (int t = 0; t < m.ntendon; ++t) {
        // a path that begins or ceases to touch may jump
        if (after.ten_wrapnum[t] != before.ten_wrapnum[t]) continue;
        const double rate = (after.ten_length[t] - before.ten_length[t]) / (2 * h);
        if (std::abs(rate) > 10) continue;  // a path that changes sides jumps as well
        EXPECT_NEAR(denseRow(m, d, t)[i], rate, tolerance(2e-5)) << "tendon " << t << " dof " << i << " seed " << seed;
      }
    }
    for (int t = 0; t < m.ntendon; ++t) {
      for (int k = 0; k < d.ten_wrapnum[t]; ++k) {
        if (d.wrap_obj[d.ten_wrapadr[t] + k] >= 0) ++touching[t];
      }
    }
  }
  for (int t = 0; t < m.ntendon; ++t) EXPECT_GT(touching[t], 0) << "tendon " << t << " never touched its obstacle";
}

TEST(Tendon, LengthIsThatOfThePathBranchesDividedByTheirPulleys) {
  const Model m = modelOf(kWrappingTendons);
  Data state(m);
  test::randomizeState(m, state, 3);
  const Data d = withTendons(m, state.qpos);
  const int t = 4;
  const auto site = [&](const char* name) { return vec3(d.site_xpos.data(), findId(m, ObjType::Site, name)); };
  const int geom = findId(m, ObjType::Geom, "drum");
  const WrapObstacle drum{vec3(d.geom_xpos.data(), geom), mat3(d.geom_xmat.data(), geom), 0.1, true};
  const Vec3 side = site("drumside"), w = site("w"), q = site("q");
  const double expected =
      totalLength(wrapAround(drum, w, q, &side), w, q) + (site("s") - q).norm() / 2 + (site("f") - q).norm() / 3;
  EXPECT_NEAR(d.ten_length[t], expected, tolerance(1e-13));

  // the path: branches separated by pulleys at the origin
  const int first = d.ten_wrapadr[t], count = d.ten_wrapnum[t];
  int pulleys = 0;
  for (int k = first; k < first + count; ++k) {
    if (d.wrap_obj[k] == -2) ++pulleys;
  }
  EXPECT_EQ(pulleys, 2);
  EXPECT_TRUE(allNear(vec3(d.wrap_xpos.data(), first), w, 0));
  EXPECT_TRUE(allNear(vec3(d.wrap_xpos.data(), first + count - 1), site("f"), 0));
}

TEST(Tendon, OfJointsIsTheirWeightedSum) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><joint name="a" ref="10"/><geom size="0.1"/>
    <body><joint name="b" type="slide"/><geom size="0.1"/></body></body></worldbody>
    <tendon><fixed><joint joint="b" coef="2"/><joint joint="a" coef="-3"/></fixed></tendon></mujoco>)");
  Data state(m);
  state.qpos[0] = 0.7;
  state.qpos[1] = 0.4;
  Data d = withTendons(m, state.qpos);
  EXPECT_NEAR(d.ten_length[0], 2 * 0.4 - 3 * 0.7, tolerance(1e-15));
  EXPECT_TRUE(allNear(denseRow(m, d, 0), Eigen::Vector2d(-3, 2), 0));
  d.qvel[0] = 5;
  d.qvel[1] = 7;
  velocities(m, d);
  EXPECT_NEAR(d.ten_velocity[0], 2 * 7 - 3 * 5, tolerance(1e-14));
}

TEST(Tendon, BetweenSitesOfOneBodyNothingPulls) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><freejoint/><geom size="0.1"/><site name="a"/>
    <site name="b" pos="0.3 0 0"/><site name="c" pos="0.3 0 0"/></body></worldbody>
    <tendon><spatial><site site="a"/><site site="b"/><site site="c"/></spatial></tendon></mujoco>)");
  Data state(m);
  test::randomizeState(m, state, 2);
  const Data d = withTendons(m, state.qpos);
  EXPECT_NEAR(d.ten_length[0], 0.3, tolerance(1e-15));
  EXPECT_TRUE(allNear(denseRow(m, d, 0), VecX::Zero(6), 0));
}

}  // namespace
}  // namespace sinew
