#include <gtest/gtest.h>

#include <stdexcept>

#include "kinematics/jacobian.h"
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

/// Everything that pushes from outside: applied, actuator and Cartesian forces. Needs forward().
Array<double> outsideForces(const Model& m, const Data& d) {
  Array<double> force(m.nv);
  for (int i = 0; i < m.nv; ++i) force[i] = d.qfrc_applied[i] + d.qfrc_actuator[i];
  for (int b = 1; b < m.nbody; ++b) {
    addForce(m, d, b, vec3(d.xipos.data(), b), ConstMapVec3(&d.xfrc_applied[6 * b]),
             ConstMapVec3(&d.xfrc_applied[6 * b + 3]), force.data());
  }
  return force;
}

TEST(Inverse, FindsTheForcesThatForwardUsed) {
  const Model m = modelOf(test::kRichModel);
  for (const unsigned seed : {1u, 2u, 3u}) {
    Data d(m);
    test::randomizeState(m, d, seed);
    forward(m, d);
    const Array<double> expected = outsideForces(m, d);
    const Array<double> qacc = d.qacc, sensordata = d.sensordata;
    inverse(m, d);
    EXPECT_TRUE(allNear(d.qfrc_inverse, expected, 1e-10));
    EXPECT_EQ(d.qacc, qacc);
    EXPECT_TRUE(allNear(d.sensordata, sensordata, 1e-12));
  }
}

// The change of velocity over a step, given back as acceleration, must lead to the forces of the start of the step.
TEST(Inverse, OfDiscreteTimeFindsTheForcesBehindAStep) {
  Model m = modelOf(test::kRichModel);
  m.opt.enableflags |= enable::kInvDiscrete;
  m.opt.timestep = .01;
  for (const Integrator integrator : {Integrator::Euler, Integrator::Implicit, Integrator::ImplicitFast}) {
    m.opt.integrator = integrator;
    Data d(m);
    test::randomizeState(m, d, 5);
    Data start = d;
    step(m, d);
    forward(m, start);
    for (int i = 0; i < m.nv; ++i) start.qacc[i] = (d.qvel[i] - start.qvel[i]) / m.opt.timestep;
    const Array<double> given = start.qacc;
    const Array<double> expected = outsideForces(m, start);
    inverse(m, start);
    EXPECT_TRUE(allNear(start.qfrc_inverse, expected, 1e-9)) << static_cast<int>(integrator);
    EXPECT_EQ(start.qacc, given);
  }
}

TEST(Inverse, OfDiscreteTimeDoesNotExistForRungeKutta) {
  Model m = modelOf(test::kRichModel);
  m.opt.enableflags |= enable::kInvDiscrete;
  m.opt.integrator = Integrator::RK4;
  Data d(m);
  EXPECT_THROW(inverse(m, d), std::invalid_argument);
}

}  // namespace
}  // namespace sinew
