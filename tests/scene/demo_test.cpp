#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/command.h"

namespace sinew {
namespace {

using test::CommandResult;
using test::runSinew;
using test::TestFolder;

TEST(Demo, FIRST_2_TheDemoShowsTheMission) {
  const Model m = compile(readMjcfText(scenes::demo().mjcf));
  Data d(m);
  resetToKey(m, d, 0);
  const int ball = findId(m, ObjType::Flex, "ball"), cloth = findId(m, ObjType::Flex, "cloth"),
            rope = findId(m, ObjType::Flex, "rope"), finger = findId(m, ObjType::Body, "left");
  ASSERT_TRUE(ball >= 0 && cloth >= 0 && rope >= 0 && finger >= 0);
  EXPECT_EQ(m.flex_dim[ball], 3);
  EXPECT_EQ(m.flex_dim[cloth], 2);
  EXPECT_EQ(m.flex_dim[rope], 1);
  bool gripped = false, draped = false, bounced = false;
  double fastest = 0;
  const int bouncer = m.nbody - 1, dof = m.body_dofadr[bouncer] + 2;
  while (d.time < 10) {
    step(m, d);
    fastest = std::max(fastest, d.qvel[dof]);  // upwards, without anybody lifting it
    for (const Contact& c : d.contact) {
      for (std::size_t s = 0; s < 2; ++s) {
        const int other = c.geom[1 - s];
        gripped = gripped || (c.flex[s] == ball && other >= 0 && m.geom_bodyid[other] == finger);
        draped = draped || (c.flex[s] == cloth && other >= 0);
      }
    }
  }
  bounced = fastest > 0.5;
  EXPECT_TRUE(gripped && draped && bounced) << gripped << draped << bounced;
  EXPECT_EQ(describeStatus(m, d), "");
  // the ball is still in the hand, high above its stand; the tower lies
  forward(m, d);
  double height = 0;
  for (int v = 0; v < m.flex_vertnum[ball]; ++v) height += d.flexvert_xpos[3 * (m.flex_vertadr[ball] + v) + 2];
  EXPECT_GT(height / m.flex_vertnum[ball], 0.3);
  double highest = 0;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_type[g] == GeomType::Box && m.body_dofnum[m.geom_bodyid[g]] == 6) {
      highest = std::max(highest, d.geom_xpos[3 * g + 2]);
    }
  }
  EXPECT_LT(highest, 0.2);
}

TEST(Demo, FIRST_2_WithoutATerminalItSumsUpAndWritesFiles) {
  const TestFolder folder;
  const CommandResult r = runSinew({"demo", "--duration", "0.5", "--folder", folder.path("")});
  EXPECT_EQ(r.exitCode, 0) << r.err;
  EXPECT_NE(r.out.find("real-time factor"), std::string::npos);
  // each file is there, or the summary says why not
  if (r.out.find("picture           none:") == std::string::npos) {
    EXPECT_EQ(folder.read("demo.png").substr(1, 3), "PNG");
  }
  if (r.out.find("replay            none:") == std::string::npos) {
    EXPECT_NE(folder.read("demo.html").find("<html"), std::string::npos);
  }
}

}  // namespace
}  // namespace sinew
