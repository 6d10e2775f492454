#include <gtest/gtest.h>

#include <string>

#include "model/workspace.h"
#include "sinew/load.h"
#include "sinew/step.h"

/// Scratch memory of hard contacts of large flexes.
namespace sinew {
namespace {

Model cloth(int side, const std::string& contact = "") {
  const std::string count = std::to_string(side) + " " + std::to_string(side) + " 1";
  return compile(readMjcfText(
      "<mujoco><option timestep=\"0.004\" integrator=\"implicitfast\" solver=\"Impulse\"/><worldbody>"
      "<geom type=\"plane\" size=\"5 5 .1\" friction=\"0.3 0 0\"/><flexcomp name=\"cloth\" type=\"grid\" dim=\"2\" "
      "count=\"" +
          count +
          "\" spacing=\"0.03 0.03 0.03\" pos=\"0 0 0.0041\" mass=\"0.4\" radius=\"0.004\"><elasticity young=\"2e5\" "
          "poisson=\"0.3\" thickness=\"0.002\" damping=\"0.002\" elastic2d=\"both\"/><contact selfcollide=\"none\" "
          "friction=\"0.3 0 0\" " +
          contact + "/></flexcomp></worldbody></mujoco>",
      "cloth.xml"));
}

/// No matrix of all dofs by all rows: that would be 180 MB.
TEST(ImpulseFlex, NeedsMemoryInProportionToItsVertices) {
  const auto scratch = [](int side) {
    const Model m = cloth(side);
    Data d(m);
    for (int k = 0; k < 5; ++k) step(m, d);
    EXPECT_EQ(d.nefc(), 3 * side * side);
    return static_cast<double>(d.work->arena.capacity());
  };
  const double small = scratch(20), large = scratch(40);
  EXPECT_LT(large, 6 * small);
  EXPECT_LT(large, 60e6);
}

}  // namespace
}  // namespace sinew
