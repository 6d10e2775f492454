#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/sample_flexes.h"

/// Hard contacts of flexes that are large and stiff: there a contact moves the whole flex, and impulses are found by
/// Newton's method instead of sweeps.
namespace sinew {
namespace {

using test::clothOnFloor;

double meanVelocity(const Model& m, const Data& d, int axis) {
  double sum = 0;
  for (int node = 0; node < m.nflexnode; ++node) sum += d.qvel[m.nv_rigid + 3 * node + axis];
  return sum / m.nflexnode;
}

/// Coulomb: v = v0 - mu g t while it slides, then nothing. It stays flat: no contact may lift it.
TEST(ImpulseFlex, ACoveringClothSlidesByCoulombsLaw) {
  const Model m = clothOnFloor(20);
  Data d(m);
  for (int k = 0; k < 100; ++k) step(m, d);  // it lies
  for (int node = 0; node < m.nflexnode; ++node) d.qvel[m.nv_rigid + 3 * node] = 1;
  const double braking = 0.3 * 9.81, h = m.opt.timestep;
  for (int k = 1; k <= 60; ++k) {
    step(m, d);
    ASSERT_NEAR(meanVelocity(m, d, 0), 1 - braking * h * k, 0.002) << "step " << k;
    ASSERT_NEAR(meanVelocity(m, d, 2), 0, 1e-3) << "step " << k;
    double normal = 0;
    for (const Contact& contact : d.contact) {
      if (contact.efc_address >= 0) normal += d.efc_force[contact.efc_address];
    }
    ASSERT_NEAR(normal, 0.4 * 9.81, 0.01 * 0.4 * 9.81);
  }
  for (int k = 0; k < 60; ++k) step(m, d);
  for (const double v : d.qvel) EXPECT_NEAR(v, 0, 1e-4);
  for (const Contact& contact : d.contact) EXPECT_GT(contact.dist, -1e-4);
  EXPECT_TRUE(d.status.ok());
}

TEST(ImpulseFlex, AClothThatIsDroppedBouncesIfItIsToldTo) {
  const auto rise = [](const std::string& contact) {
    Model m = clothOnFloor(20, contact);
    m.geom_restitution[0] = 1;
    Data d(m);
    for (int node = 0; node < m.nflexnode; ++node) d.qpos[m.nq_rigid + 3 * node + 2] += 0.3;
    double highest = -1;
    bool touched = false;
    for (int k = 0; k < 120; ++k) {
      step(m, d);
      touched = touched || d.nefc() > 0;
      if (touched) highest = std::max(highest, meanVelocity(m, d, 2));
    }
    EXPECT_TRUE(touched);
    return highest / std::sqrt(2 * 9.81 * 0.3);  // of the speed of impact
  };
  EXPECT_NEAR(rise("restitution=\"0.25\""), 0.5, 0.02);  // the geometric mean with the floor's 1
  EXPECT_LT(rise("restitution=\"0\""), 0.01);
}

/// A net of edges with a weight: sweeps would hand the load on from knot to knot.
TEST(ImpulseFlex, ANetHangsStillAndCarriesItsWeight) {
  const Model m =
      compile(readMjcfText("<mujoco><option timestep=\"0.002\" solver=\"Impulse\"/><worldbody><flexcomp name=\"net\" "
                           "type=\"grid\" dim=\"2\" "
                           "count=\"6 20 1\" spacing=\"0.05 0.05 0.05\" euler=\"90 0 0\" mass=\"1.2\" "
                           "radius=\"0.002\"><edge equality=\"true\"/>"
                           "<contact selfcollide=\"none\" contype=\"0\" conaffinity=\"0\"/><pin gridrange=\"0 19 5 "
                           "19\"/></flexcomp></worldbody>"
                           "</mujoco>",
                           "net.xml"));
  Data d(m);
  for (int k = 0; k < 1000; ++k) step(m, d);
  for (const double v : d.qvel) EXPECT_NEAR(v, 0, 1e-4);
  ASSERT_EQ(d.island.size(), 1);
  EXPECT_TRUE(d.island[0].converged);
  EXPECT_LT(d.island[0].iterations, 20);
  double held = 0;  // of the nodes below the pins, by the rows
  for (int node = 0; node < m.nflexnode; ++node) {
    if (!m.flexnode_pinned[node]) held += d.qfrc_constraint[m.nv_rigid + 3 * node + 2];
  }
  EXPECT_NEAR(held, 9.81 * 1.2 * 114 / 120, 1e-3);
}

}  // namespace
}  // namespace sinew
