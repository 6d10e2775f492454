#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"

/// More contacts than memory allows are a status that names the pair, never an exception.
namespace sinew {
namespace {

Model boxOnField(int cells) {
  return compile(readMjcfText(fmt::format(
      R"(<mujoco><asset><hfield name="h" nrow="{0}" ncol="{0}" size="1 1 1 1"/></asset><worldbody>
         <geom name="ground" type="hfield" hfield="h"/>
         <body pos="0 0 .4999"><freejoint/><geom name="crate" type="box" size="1 1 .5"/></body></worldbody></mujoco>)",
      cells)));
}

TEST(ContactLimit, ABoxOnAFineHeightFieldKeepsASpreadAndNamesThePair) {
  const Model m = boxOnField(121);  // 28,800 prisms
  Data d(m);
  for (int i = 0; i < 3; ++i) step(m, d);
  EXPECT_LE(d.contact.size(), 10000);
  EXPECT_GT(d.contact.size(), 5000);
  const TroubleReport& report = d.status[Trouble::ContactLimit];
  EXPECT_EQ(report.count, 3);
  EXPECT_EQ(report.collider, (std::array<int, 2>{0, 1}));
  EXPECT_GT(report.value, 20000);
  const std::string text = describeStatus(m, d);
  EXPECT_NE(text.find("geom \"ground\" and geom \"crate\" make 28"), std::string::npos) << text;
  EXPECT_NE(text.find("contacts, more than memory allows; the deepest ones were kept"), std::string::npos) << text;
  // spread: the box neither tips nor sinks
  EXPECT_NEAR(d.qpos[2], 0.4999, 1e-3);
  EXPECT_NEAR(std::abs(d.qpos[3]), 1, 1e-9);
}

TEST(ContactLimit, IsSilentBelow) {
  const Model m = boxOnField(61);  // 7,200 prisms
  Data d(m);
  for (int i = 0; i < 3; ++i) step(m, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  EXPECT_GT(d.contact.size(), 5000);
}

#ifndef SINEW_SANITIZED  // sanitizers need the address space
/// Lets the process have so many bytes more than it has now, until it is destroyed.
class LittleMemory {
 public:
  explicit LittleMemory(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  rlimit before_{};
};

// 300 balls in one place: 44,850 contacts
TEST(ContactLimit, MemoryThatRunsOutInAStepIsToldAndTheStateStays) {
  for (const char* integrator : {"Euler", "RK4"}) {
    SCOPED_TRACE(integrator);
    const Model m = compile(readMjcfText(fmt::format(R"(<mujoco><option integrator="{}" solver="CG" iterations="1"/>
        <worldbody><replicate count="300" offset=".0001 0 0"><body><freejoint/><geom size=".1"/></body></replicate>
        </worldbody></mujoco>)",
                                                     integrator)));
    Data d(m);
    const std::vector<std::byte> state = saveState(m, d);
    {
      const LittleMemory limit(std::size_t{8} << 20);
      step(m, d);
      forward(m, d);
    }
    EXPECT_EQ(d.status[Trouble::ContactLimit].count, 2);
    EXPECT_EQ(describeStatus(m, d).find("memory ran out in a step, with "), 0u) << describeStatus(m, d);
    EXPECT_EQ(saveState(m, d), state);
    step(m, d);  // with memory all is well
    EXPECT_EQ(d.status[Trouble::ContactLimit].count, 2);
    EXPECT_EQ(d.ncon(), 44850);
    EXPECT_GT(d.time, 0);
  }
}
#endif

}  // namespace
}  // namespace sinew
