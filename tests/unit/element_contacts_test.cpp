#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/elements.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"

namespace sinew {
namespace {

// Boxes in the axes of the world and of the geom only say which elements are worth a closer look: the contacts are
// those of looking at all of them.
TEST(ElementContacts, AreThoseOfAllElementsWhateverTheBoxesSay) {
  for (const std::string geom :
       {R"(type="box" size=".3 .2 .01")", R"(type="capsule" size=".02 .3")", R"(type="cylinder" size=".25 .01")",
        R"(type="ellipsoid" size=".3 .2 .02")", R"(type="sphere" size=".1")", R"(type="mesh" mesh="slab")"}) {
    for (const std::string flex :
         {R"(dim="2" count="9 9 1")", R"(dim="3" count="4 4 4")", R"(dim="1" count="20 1 1")"}) {
      // contacts where things are, not where they will be
      const Model m = test::modelOf(
          R"(<mujoco><option speculative="none"/><asset><mesh name="slab" vertex="-.3 -.2 -.01 .3 -.2 -.01 -.3 .2 -.01
          .3 .2 -.01 -.3 -.2 .01 .3 -.2 .01 -.3 .2 .01 .3 .2 .01"/></asset><worldbody>
          <body><freejoint/><geom )" +
          geom + R"( margin=".003"/></body>
          <flexcomp name="f" type="grid" spacing=".05 .05 .05" mass="1" radius=".004" )" +
          flex + R"(>
          <contact selfcollide="none"/><edge equality="true"/></flexcomp></worldbody></mujoco>)");
      Data d(m);
      std::mt19937 rng(9);
      std::uniform_real_distribution<double> uniform(-1, 1);
      int total = 0;
      for (int trial = 0; trial < 40; ++trial) {
        for (int k = 0; k < 3; ++k) d.qpos[k] = 0.15 * uniform(rng);
        for (int k = 3; k < 7; ++k) d.qpos[k] = uniform(rng);
        forward(m, d);
        const geom::CollideOptions options{m.opt.ccd_tolerance, m.opt.ccd_iterations, true, false};
        Array<geom::ContactPoint> expected;
        std::set<std::pair<int, int>> edges;  // each counts once
        for (int elem = 0; elem < m.nflexelem; ++elem) {
          if (!isActive(m, elem)) continue;
          const geom::Element element = elementAt(m, d, elem);
          const geom::Shape shape = shapeOf(m, d, 0);
          geom::collide(shape, element, 0.003, options, expected);
          if (element.count != 3) continue;
          const int* local = ElementVertices(m, elem).local;
          constexpr std::array<std::array<std::size_t, 2>, 3> kEdges = {{{1, 2}, {2, 0}, {0, 1}}};
          for (const auto& [i, j] : kEdges) {
            if (!edges.insert(std::minmax(local[i], local[j])).second) continue;
            geom::collideCrossing(shape, element.corner[i], element.corner[j], element.radius, 0.003, expected);
          }
        }
        ASSERT_EQ(d.contact.size(), expected.size()) << geom << flex << " trial " << trial;
        for (std::ptrdiff_t i = 0; i < expected.size(); ++i) EXPECT_EQ(d.contact[i].dist, expected[i].dist);
        total += static_cast<int>(expected.size());
      }
      EXPECT_GT(total, 10) << geom << flex;
    }
  }
}

}  // namespace
}  // namespace sinew
