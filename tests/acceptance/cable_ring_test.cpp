#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/paths.h"

/// Closed rings of <composite type="cable"> that are straight when relaxed: the joints carry a moment all the time.
namespace sinew {
namespace {

Model ring(double timestep, Integrator integrator) {
  Model m = load(test::sourceDir() / "tests" / "acceptance" / "data" / "cable_ring.xml");
  m.opt.timestep = timestep;
  m.opt.integrator = integrator;
  m.opt.enableflags |= enable::kEnergy;
  return m;
}

/// Largest kinetic energy within the next `duration`.
double peak(const Model& m, Data& d, double duration) {
  double most = 0;
  for (const double end = d.time + duration; d.time < end;) {
    step(m, d);
    most = std::max(most, d.energy[1]);
  }
  return most;
}

// The file starts with all velocities zero, a little off the shape of equilibrium: what energy that sets free swings
// and decays, and nothing is added to it. Rows were once solved with the inertia alone while the step took the
// stiffness, too; then the ring held 77 % of its elastic energy as motion after 15 s.
TEST(Rod, ROD_3_AClosedRingOfCableGainsNoEnergy) {
  for (const Integrator integrator : {Integrator::ImplicitFast, Integrator::Implicit}) {
    for (const double timestep : {0.002, 0.005}) {
      const Model m = ring(timestep, integrator);
      Data d(m);
      step(m, d);
      const double total = d.energy[0] + d.energy[1];
      double before = peak(m, d, 2.5);
      EXPECT_LT(before, 0.05 * total);
      for (int i = 0; i < 2; ++i) {
        const double now = peak(m, d, 2.5);
        EXPECT_LT(now, before) << "h = " << timestep << ", t = " << d.time;
        EXPECT_LE(d.energy[0] + d.energy[1], total);
        before = now;
      }
      EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
    }
  }
}

TEST(Rod, ROD_3_AClosedRingOfCableRestsForAMinute) {
  const Model m = ring(0.005, Integrator::ImplicitFast);
  Data d(m);
  const double first = peak(m, d, 10);
  double before = first;
  for (int i = 0; i < 5; ++i) {
    const double now = peak(m, d, 10);
    EXPECT_LE(now, before) << "t = " << d.time;
    before = now;
  }
  EXPECT_LT(before, 1e-3 * first);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
}

}  // namespace
}  // namespace sinew
