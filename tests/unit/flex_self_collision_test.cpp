#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "collision/elements.h"
#include "collision/filters.h"
#include "sinew/load.h"
#include "sinew/step.h"

/// Contacts of a flex with itself against a test of all pairs of elements.
namespace sinew {
namespace {

Model inWorld(const std::string& content, const std::string& option = "") {
  return compile(
      readMjcfText("<mujoco><option " + option + "/><worldbody>" + content + "</worldbody></mujoco>", "m.xml"));
}

/// A strip of cloth folded back over itself along a half circle.
std::string foldedStrip(const std::string& contact) {
  std::string points, elements;
  const int nx = 16, ny = 5;
  const double s = 0.015, bend = 0.0095;
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      const double along = s * (i - nx / 2), across = s * j + (i > nx / 2 ? 0.004 : 0);
      const double turn = std::clamp(along / bend, 0.0, M_PI), rest = std::max(0.0, along - bend * M_PI);
      const double x = along < 0 ? along : bend * std::sin(turn) - rest;
      const double z = bend * (1 - std::cos(turn)) + 0.001 * std::sin(3.0 * i + j);
      points += std::to_string(x) + " " + std::to_string(across) + " " + std::to_string(z) + " ";
      if (i + 1 == nx || j + 1 == ny) continue;
      const int a = i * ny + j, b = a + ny, c = b + 1, e = a + 1;
      for (const int v : {a, b, c, a, c, e}) elements += std::to_string(v) + " ";
    }
  }
  return R"(<flexcomp name="s" type="direct" dim="2" radius=".01" mass=".1" point=")" + points + R"(" element=")" +
         elements + R"("><edge equality="true"/><contact )" + contact + "/></flexcomp>";
}

using ElementPair = std::tuple<int, int>;

std::vector<ElementPair> pairsOf(const Data& d) {
  std::vector<ElementPair> pairs;
  for (const Contact& c : d.contact) pairs.emplace_back(c.elem[0], c.elem[1]);
  return pairs;
}

// All pairs that share no vertex, one by one, against the search with trees. Margin and gap play no part.
TEST(FlexSelfCollision, FindsWhatAllPairsFindWhateverTheSearchIsCalled) {
  std::vector<ElementPair> first;
  for (const std::string search : {"narrow", "bvh", "sap", "auto"}) {
    const Model m = inWorld(foldedStrip("selfcollide=\"" + search + R"(" margin=".02" )"));
    Data d(m);
    forward(m, d);
    if (first.empty()) {
      for (int i = 0; i < m.nflexelem; ++i) {
        for (int j = i + 1; j < m.nflexelem; ++j) {
          Array<geom::ContactPoint> points;
          if (!shareVertex(m, i, j)) geom::collide(elementAt(m, d, i), elementAt(m, d, j), 0, {}, points);
          if (!points.empty()) first.emplace_back(i, j);
        }
      }
      ASSERT_GT(first.size(), 20u);
    }
    EXPECT_EQ(pairsOf(d), first) << search;
    for (const Contact& c : d.contact) {
      EXPECT_EQ(c.flex, (std::array{0, 0}));
      EXPECT_EQ(c.includemargin, 0);
      EXPECT_LT(c.dist, 0);
    }
  }
  const Model none = inWorld(foldedStrip(R"(selfcollide="none")"));
  Data d(none);
  forward(none, d);
  EXPECT_EQ(d.ncon(), 0);
}

}  // namespace
}  // namespace sinew
