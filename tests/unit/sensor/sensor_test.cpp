#include "sensor/sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "kinematics/positions.h"
#include "math/quat.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/rich_model.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

/// The rich model with these sensors (and cameras) added.
Model richModelWith(const std::string& sensors) {
  std::string text = test::kRichModel;
  text.insert(text.rfind("</mujoco>"), "<sensor>" + sensors + "</sensor>");
  return modelOf(text);
}

std::vector<double> valueOf(const Model& m, const Data& d, const std::string& name) {
  const int s = findId(m, ObjType::Sensor, name);
  EXPECT_GE(s, 0) << name;
  const double* first = d.sensordata.data() + m.sensor_adr[s];
  return {first, first + m.sensor_dim[s]};
}

Vec3 vectorOf(const Model& m, const Data& d, const std::string& name) {
  const std::vector<double> v = valueOf(m, d, name);
  return {v.at(0), v.at(1), v.at(2)};
}

/// The same system a moment later (or earlier): positions along qvel, velocities along qacc, evaluated.
Data moved(const Model& m, const Data& d, double t) {
  Data other = d;
  // second order in t, so that differences of differences stay exact enough: q(t) = q + t v + t^2 / 2 a
  Array<double> velocity = d.qvel;
  for (int i = 0; i < m.nv; ++i) velocity[i] += .5 * t * d.qacc[i];
  integratePositions(m, other.qpos.data(), velocity.data(), t);
  for (int i = 0; i < m.nv; ++i) other.qvel[i] += t * d.qacc[i];
  forward(m, other);
  return other;
}

/// World rotation vector of a frame's quaternion over a small time.
Vec3 rotationBetween(const std::vector<double>& from, const std::vector<double>& to) {
  const Quat a = Quat::load(from.data()), b = Quat::load(to.data());
  return toRotationVector(normalized(b * a.conjugate()));
}

const char* kFrames[] = {"objtype='body' objname='hand'", "objtype='xbody' objname='hand'",
                         "objtype='site' objname='tip'", "objtype='geom' objname='g'", "objtype='camera' objname='c'"};

// Velocities by central differences over 2e = 2e-5 s: error of order e^2 times accelerations' rates (1e-7 at most).
TEST(FrameSensors, VelocitiesAreTheRatesOfTheFrames) {
  for (const std::string reference : {"", "reftype='site' refname='foot'", "reftype='body' refname='ball'"}) {
    std::string text = test::kRichModel;
    text.replace(text.find("<site name=\"tip\""), 0,
                 "<geom name='g' size='.01' pos='.1 .1 .1' euler='1 2 3'/>"
                 "<camera name='c' pos='.2 .1 0' euler='.3 .1 0'/>");
    std::string sensors;
    for (int i = 0; i < 5; ++i) {
      for (const char* kind : {"framepos", "framequat", "framelinvel", "frameangvel"}) {
        sensors +=
            std::string("<") + kind + " name='" + kind + std::to_string(i) + "' " + kFrames[i] + " " + reference + "/>";
      }
    }
    text.insert(text.rfind("</mujoco>"), "<sensor>" + sensors + "</sensor>");
    const Model m = modelOf(text);
    Data d(m);
    test::randomizeState(m, d, 1);
    forward(m, d);
    const double e = 1e-5;
    const Data before = moved(m, d, -e), after = moved(m, d, e);
    for (int i = 0; i < 5; ++i) {
      const std::string n = std::to_string(i);
      const Vec3 v = (vectorOf(m, after, "framepos" + n) - vectorOf(m, before, "framepos" + n)) / (2 * e);
      EXPECT_TRUE(allNear(vectorOf(m, d, "framelinvel" + n), v, 1e-6)) << kFrames[i] << " " << reference;
      const Vec3 w = rotationBetween(valueOf(m, before, "framequat" + n), valueOf(m, after, "framequat" + n)) / (2 * e);
      EXPECT_TRUE(allNear(vectorOf(m, d, "frameangvel" + n), w, 1e-6)) << kFrames[i] << " " << reference;
    }
  }
}

TEST(FrameSensors, AccelerationsAreTheRatesOfVelocitiesMinusGravity) {
  const Model m = richModelWith(R"(
    <framelinvel name="v" objtype="site" objname="tip"/><frameangvel name="w" objtype="site" objname="tip"/>
    <framelinacc name="a" objtype="site" objname="tip"/><frameangacc name="alpha" objtype="site" objname="tip"/>
    <accelerometer name="acc" site="tip"/><velocimeter name="vel" site="tip"/><gyro name="gyro" site="tip"/>
    <magnetometer name="mag" site="tip"/>)");
  Data d(m);
  test::randomizeState(m, d, 2);
  forward(m, d);
  const double e = 1e-5;
  const Data before = moved(m, d, -e), after = moved(m, d, e);
  const Vec3 a = (vectorOf(m, after, "v") - vectorOf(m, before, "v")) / (2 * e) + Vec3(0, 0, 9.81);
  const Vec3 alpha = (vectorOf(m, after, "w") - vectorOf(m, before, "w")) / (2 * e);
  EXPECT_TRUE(allNear(vectorOf(m, d, "a"), a, 1e-5, 1e-6));
  EXPECT_TRUE(allNear(vectorOf(m, d, "alpha"), alpha, 1e-5, 1e-6));

  const Mat3 R = mat3(d.site_xmat.data(), findId(m, ObjType::Site, "tip"));
  EXPECT_TRUE(allNear(vectorOf(m, d, "acc"), Vec3(R.transpose() * vectorOf(m, d, "a")), 1e-11));
  EXPECT_TRUE(allNear(vectorOf(m, d, "vel"), Vec3(R.transpose() * vectorOf(m, d, "v")), 1e-13));
  EXPECT_TRUE(allNear(vectorOf(m, d, "gyro"), Vec3(R.transpose() * vectorOf(m, d, "w")), 1e-13));
  EXPECT_TRUE(allNear(vectorOf(m, d, "mag"), Vec3(R.transpose() * Vec3(0, -.5, 0)), 1e-15));
}

TEST(FrameSensors, WorldFixedSitesReadZeroAndARestingOneReadsGravity) {
  const Model m = modelOf(R"(<mujoco><worldbody><site name="fixed"/><body gravcomp="1"><joint type="slide"/>
    <geom size=".1"/><site name="held" euler="90 0 0"/></body></worldbody>
    <sensor><accelerometer name="fixed" site="fixed"/><accelerometer name="held" site="held"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_TRUE(allNear(vectorOf(m, d, "fixed"), Vec3::Zero(), 0));
  EXPECT_TRUE(allNear(vectorOf(m, d, "held"), Vec3(0, 9.81, 0), 1e-14));
}

TEST(SubtreeSensors, MomentumIsTheRateOfTheCentreOfMass) {
  const Model m = richModelWith(R"(<subtreecom name="com" body="arm"/><subtreelinvel name="v" body="arm"/>
    <subtreeangmom name="L" body="ball"/>)");
  Data d(m);
  test::randomizeState(m, d, 3);
  forward(m, d);
  const double e = 1e-5;
  const Data before = moved(m, d, -e), after = moved(m, d, e);
  EXPECT_TRUE(
      allNear(vectorOf(m, d, "v"), Vec3((vectorOf(m, after, "com") - vectorOf(m, before, "com")) / (2 * e)), 1e-6));

  // one body: L = R I R' w
  const int ball = findId(m, ObjType::Body, "ball");
  const Mat3 R = mat3(d.ximat.data(), ball);
  const Vec3 w = mat3(d.xmat.data(), ball) * ConstMapVec3(&d.qvel[m.body_dofadr[ball] + 3]);
  const Vec3 L = R * vec3(m.body_inertia.data(), ball).cwiseProduct(R.transpose() * w);
  EXPECT_TRUE(allNear(vectorOf(m, d, "L"), L, 1e-14));
}

// A rod hanging at rest from a wall, sideways: the wall carries its weight and the moment of it.
TEST(ForceSensors, ReadWhatTheParentExerts) {
  const Model m = modelOf(R"(<mujoco><worldbody><body pos="0 0 1"><joint type="slide" axis="1 0 0"/>
    <geom size=".1" mass="1"/><body pos="1 0 0"><site name="s" euler="0 0 90"/><geom size=".1" pos="2 0 0" mass="3"/></body>
    </body></worldbody><sensor><force name="f" site="s"/><torque name="t" site="s"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  // in the site's frame x is the world's y, y the world's -x; force +z holds it up, torque -y (world) keeps it level
  EXPECT_TRUE(allNear(vectorOf(m, d, "f"), Vec3(0, 0, 3 * 9.81), 1e-12));
  EXPECT_TRUE(allNear(vectorOf(m, d, "t"), Vec3(-2 * 3 * 9.81, 0, 0), 1e-12));
}

TEST(ScalarSensors, ReadTheStateOfTheirObject) {
  const Model m = richModelWith(R"(<jointpos name="q" joint="hip"/><jointvel name="v" joint="hip"/>
    <jointactuatorfrc name="jf" joint="hip"/><tendonpos name="tl" tendon="mix"/><tendonvel name="tv" tendon="mix"/>
    <tendonactuatorfrc name="tf" tendon="mix"/><ballquat name="bq" joint="shoulder"/><ballangvel name="bv" joint="shoulder"/>
    <clock name="t"/><e_potential name="ep"/><e_kinetic name="ek"/>)");
  Data d(m);
  test::randomizeState(m, d, 4);
  d.time = 7;
  forward(m, d);
  const int hip = findId(m, ObjType::Joint, "hip"), wrist = findId(m, ObjType::Joint, "wrist1");
  const int shoulder = findId(m, ObjType::Joint, "shoulder");
  const auto q = [&](int j) { return d.qpos[m.jnt_qposadr[j]]; };
  const auto v = [&](int j) { return d.qvel[m.jnt_dofadr[j]]; };
  EXPECT_EQ(valueOf(m, d, "q")[0], q(hip));
  EXPECT_EQ(valueOf(m, d, "v")[0], v(hip));
  EXPECT_EQ(valueOf(m, d, "jf")[0], d.qfrc_actuator[m.jnt_dofadr[hip]]);
  EXPECT_NEAR(valueOf(m, d, "tl")[0], 1.5 * q(wrist) - .7 * q(hip), tolerance(1e-14));
  EXPECT_NEAR(valueOf(m, d, "tv")[0], 1.5 * v(wrist) - .7 * v(hip), tolerance(1e-14));
  EXPECT_EQ(valueOf(m, d, "tf")[0], d.actuator_force[3]);
  EXPECT_TRUE(allNear(valueOf(m, d, "bq"), std::span(&d.qpos[m.jnt_qposadr[shoulder]], 4), 1e-15));
  EXPECT_TRUE(allNear(valueOf(m, d, "bv"), std::span(&d.qvel[m.jnt_dofadr[shoulder]], 3), 0));
  EXPECT_EQ(valueOf(m, d, "t")[0], 7);
  EXPECT_EQ(valueOf(m, d, "ep")[0], d.energy[0]);
  EXPECT_EQ(valueOf(m, d, "ek")[0], d.energy[1]);
}

TEST(Cutoff, ClipsRealValuesOnBothSidesAndPositiveOnesFromAbove) {
  const Model m = modelOf(
      R"(<mujoco><worldbody><body pos="5 -5 1"><joint type="slide"/><geom size=".1"/><site name="s" zaxis="0 0 -1"/></body>
    <geom type="plane" size="1 1 1" pos="5 -5 -3"/></worldbody><sensor><framepos name="p" objtype="site" objname="s" cutoff="2"/>
    <rangefinder name="r" site="s" cutoff="2.5"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_TRUE(allNear(vectorOf(m, d, "p"), Vec3(2, -2, 1), 1e-15));
  EXPECT_EQ(valueOf(m, d, "r")[0], 2.5);
}

TEST(Sensors, KeepTheirValuesWhenSwitchedOff) {
  Model m = richModelWith("<clock name='t'/>");
  Data d(m);
  d.time = 3;
  forward(m, d);
  m.opt.disableflags |= disable::kSensor;
  d.time = 4;
  forward(m, d);
  EXPECT_EQ(d.sensordata[0], 3);
}

TEST(Rangefinder, MeasuresToTheNearestVisibleGeomOfAnotherBody) {
  const Model m = modelOf(R"(<mujoco><worldbody>
    <geom type="plane" size="1 1 1" pos="0 0 -3"/>
    <body pos="0 0 1"><joint type="slide"/><geom size=".2"/><site name="down" zaxis="0 0 -1"/><site name="up"/></body>
    <body pos="0 0 -1"><geom size=".5" rgba="1 1 1 0"/></body>
    <body pos="0 0 -2"><geom type="box" size=".1 .1 .25"/></body></worldbody>
    <sensor><rangefinder name="down" site="down"/><rangefinder name="up" site="up"/>
    <rangefinder name="all" site="down" data="dist dir origin point normal depth"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_NEAR(valueOf(m, d, "down")[0], 2.75, tolerance(1e-14));
  EXPECT_EQ(valueOf(m, d, "up")[0], -1);
  const std::vector<double> expected{2.75, 0, 0, -1, 0, 0, 1, 0, 0, -1.75, 0, 0, 1, 2.75};
  EXPECT_TRUE(allNear(valueOf(m, d, "all"), expected, 1e-14));
}

// A wall at distance 2 in front of a camera: every pixel has the same depth, and its distance is depth / cosine.
TEST(Rangefinder, OfACameraIsADepthImage) {
  const Model m = modelOf(R"(<mujoco><worldbody><camera name="c" pos="0 0 2" resolution="4 2" fovy="90"/>
    <camera name="o" pos="0 0 2" resolution="2 2" fovy="1" projection="orthographic"/>
    <body><geom type="plane" size="0 0 1"/></body></worldbody>
    <sensor><rangefinder name="r" camera="c" data="dist point depth"/><rangefinder name="o" camera="o" data="point"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  const std::vector<double> v = valueOf(m, d, "r");
  ASSERT_EQ(v.size(), 4u * 2 * 5);
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 4; ++column) {
      const double* pixel = v.data() + 5 * (4 * row + column);
      // focal length 1 pixel; x to the right, y up
      const double x = 2 * (column + .5 - 2), y = -2 * (row + .5 - 1);
      EXPECT_NEAR(pixel[0], std::sqrt(x * x + y * y + 4), tolerance(1e-13));
      EXPECT_TRUE(allNear(std::span(pixel + 1, 3), std::vector{x, y, 0.}, 1e-13));
      EXPECT_NEAR(pixel[4], 2, tolerance(1e-13));
    }
  }
  EXPECT_TRUE(
      allNear(valueOf(m, d, "o"), std::vector{-.25, .25, 0., .25, .25, 0., -.25, -.25, 0., .25, -.25, 0.}, 1e-14));
}

TEST(CameraProjection, PutsAPointWhereAPinHoleWould) {
  const Model m = modelOf(R"(<mujoco><worldbody><camera name="c" pos="0 0 2" resolution="100 60" fovy="90"/>
    <site name="s" pos=".5 .25 1"/></worldbody><sensor><camprojection name="p" site="s" camera="c"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  // depth 1, focal length 30 pixels, origin top left
  EXPECT_TRUE(allNear(valueOf(m, d, "p"), std::vector{50 + 15., 30 - 7.5}, 1e-12));
}

TEST(InsideSite, TellsWhetherAnObjectIsInTheVolume) {
  for (const auto& [shape, in, out] : {std::tuple{"type='sphere' size='.5'", Vec3(.2, .3, .3), Vec3(.3, .3, .3)},
                                       {"type='box' size='.1 .2 .3'", Vec3(.09, .19, .29), Vec3(.11, .1, .1)},
                                       {"type='capsule' size='.1 .3'", Vec3(0, .05, .35), Vec3(.08, 0, .38)},
                                       {"type='cylinder' size='.1 .3'", Vec3(.08, 0, .29), Vec3(0, 0, .31)},
                                       {"type='ellipsoid' size='.1 .2 .3'", Vec3(0, 0, .29), Vec3(.08, .15, 0)}}) {
    for (const auto& [point, expected] : {std::pair{in, 1.}, {out, 0.}}) {
      // the volume is turned by 90 degrees about z: its own x is the world's y
      const std::string pos =
          std::to_string(-point.y()) + " " + std::to_string(point.x()) + " " + std::to_string(point.z());
      const Model m =
          modelOf(std::string("<mujoco><worldbody><site name='v' euler='0 0 90' ") + shape + "/><body pos='" + pos +
                  "'><joint type='slide'/><geom size='.01'/><site name='p'/></body></worldbody><sensor>"
                  "<insidesite name='i' objtype='site' objname='p' site='v'/></sensor></mujoco>");
      Data d(m);
      forward(m, d);
      EXPECT_EQ(d.sensordata[0], expected) << shape << " " << pos;
    }
  }
}

}  // namespace
}  // namespace sinew
