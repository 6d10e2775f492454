#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sinew/load.h"
#include "sinew/step.h"

/// A cloth over the edges of a box: its triangles stay outside between their vertices, and it comes to rest.
namespace sinew {
namespace {

constexpr double kRadius = 0.005;

struct Drape {
  double deepest = 0;  ///< of any point of any triangle, with the radius, m
  double fastest = 0;  ///< of any vertex, in the last quarter, m/s
  int contacts = 0;
};

/// How deep a point lies in a box around the origin, 0 outside.
double depthInBox(const std::array<double, 3>& half, const std::array<double, 3>& p) {
  std::array<double, 3> over{};
  double outside = 0, inside = -1e300;
  for (std::size_t k = 0; k < 3; ++k) {
    over[k] = std::abs(p[k]) - half[k];
    outside += over[k] > 0 ? over[k] * over[k] : 0;
    inside = std::max(inside, over[k]);
  }
  return std::max(0.0, kRadius - (outside > 0 ? std::sqrt(outside) : inside));
}

Drape drape(const std::array<double, 3>& half, double spacing, int steps) {
  const Model m = compile(readMjcfText(fmt::format(
      R"(<mujoco><option timestep=".001"/><worldbody><geom type="box" size="{} {} {}" solref=".004 1" friction="1"/>
         <flexcomp name="cloth" type="grid" dim="2" count="13 13 1" spacing="{} {} .1" pos=".011 .007 .117" mass=".2"
           radius="{}" euler="0 0 20"><contact solref=".004 1" selfcollide="none"/><edge equality="true" damping=".1"
           solref=".004 1"/></flexcomp></worldbody></mujoco>)",
      half[0], half[1], half[2], spacing, spacing, kRadius)));
  Data d(m);
  Drape result;
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < m.nv; ++k) d.qfrc_applied[k] = -0.01 * d.qvel[k];  // air
    step(m, d);
    if (4 * i < 3 * steps) continue;
    for (const double v : d.qvel) result.fastest = std::max(result.fastest, std::abs(v));
  }
  forward(m, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  result.contacts = d.ncon();
  constexpr int kParts = 12;
  for (int e = 0; e < m.nflexelem; ++e) {
    const int* v = m.flex_elem.data() + 3 * e;
    for (int a = 0; a <= kParts; ++a) {
      for (int b = 0; a + b <= kParts; ++b) {
        std::array<double, 3> p{};
        const std::array<double, 3> w = {static_cast<double>(a) / kParts, static_cast<double>(b) / kParts,
                                         static_cast<double>(kParts - a - b) / kParts};
        for (int k = 0; k < 3; ++k) {
          for (std::size_t c = 0; c < 3; ++c) p[k] += w[c] * d.flexvert_xpos[3 * v[c] + k];
        }
        result.deepest = std::max(result.deepest, depthInBox(half, p));
      }
    }
  }
  return result;
}

// The box is longer than the cloth is wide, so that no corner folds it: what moves in the end would be the contacts.
TEST(FlexBoxEdge, ATriangleDoesNotSinkIntoAnEdge) {
  for (const double spacing : {0.03, 0.045}) {
    const Drape cloth = drape({0.1, 0.6, 0.1}, spacing, 5000);
    EXPECT_LT(cloth.deepest, 1e-3) << "spacing " << spacing;
    EXPECT_LT(cloth.fastest, 0.02) << "spacing " << spacing;
  }
}

}  // namespace
}  // namespace sinew
