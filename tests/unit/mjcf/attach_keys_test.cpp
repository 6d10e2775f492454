#include <gtest/gtest.h>

#include "sinew/load.h"
#include "support/command.h"

namespace sinew {
namespace {

// The keyframe of a model that is attached inside a replicate belongs to the first copy; the others stay where they
// are.
TEST(MjcfAttach, KeyframesInsideAReplicateFollowTheFirstCopy) {
  const test::TestFolder folder;
  folder.write("part.xml",
               R"(<mujoco model="part"><worldbody><body name="b"><freejoint name="j"/><geom size="0.1"/></body>
    </worldbody><keyframe><key name="high" qpos="0 0 5 1 0 0 0"/></keyframe></mujoco>)");
  const std::string file =
      folder.write("whole.xml", R"(<mujoco><asset><model name="part" file="part.xml"/></asset><worldbody>
    <replicate count="2" offset="3 0 0"><frame pos="0 1 0"><attach model="part" prefix="p_"/></frame></replicate>
    </worldbody></mujoco>)");
  const Model m = load(file);
  ASSERT_EQ(m.nkey, 1);
  EXPECT_EQ(nameOf(m, ObjType::Key, 0), "p_high");
  EXPECT_EQ(m.key_qpos[1], 0) << "as the keyframe says";
  EXPECT_EQ(m.key_qpos[2], 5);
  EXPECT_EQ(m.key_qpos[7], 3) << "the second copy at its reference";
  EXPECT_EQ(m.key_qpos[8], 1);
}

}  // namespace
}  // namespace sinew
