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
#include "support/sample_flexes.h"

/// Contacts of a flex with itself against a test of all pairs of elements.
namespace sinew {
namespace {

using test::foldedStrip;

Model inWorld(const std::string& content, const std::string& option = "") {
  return compile(
      readMjcfText("<mujoco><option " + option + "/><worldbody>" + content + "</worldbody></mujoco>", "m.xml"));
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
