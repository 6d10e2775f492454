#include "sinew/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "base/hash.h"
#include "sinew/data.h"
#include "sinew/errors.h"
#include "sinew/load.h"

namespace sinew {
namespace {

/// Two bodies under the world: a mocap body and a slider; one keyframe, one control. Filled by hand so that these tests
/// depend on nothing but the tables.
Model smallModel() {
  Model m;
  m.nq = m.nv = m.nu = m.nactuator = m.nout = m.njnt = m.ntree = m.nkey = m.nmocap = 1;
  m.nq_rigid = m.nv_rigid = 1;
  m.nbody = 3;
  m.nnames = 25;
  m.allocate();
  const char names[25] = "\0world\0rider\0slot\0pusher";
  std::memcpy(m.names.data(), names, sizeof(names));
  m.name_bodyadr[0] = 1;
  m.name_bodyadr[1] = 7;
  m.name_jntadr[0] = 13;
  m.name_actuatoradr[0] = 18;
  m.body_mocapid[0] = m.body_mocapid[2] = -1;
  m.body_pos[3] = 0.5;
  m.body_quat[4] = 1;
  m.jnt_bodyid[0] = 2;
  m.qpos0[0] = 0.25;
  m.key_time[0] = 3;
  m.key_qpos[0] = 0.75;
  m.key_mpos[2] = 2;
  m.key_mquat[0] = 1;
  m.key_ctrl[0] = -1;
  return m;
}

class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / ("sinew_model_test_" + std::to_string(id()))) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  static std::size_t id() {
    return std::hash<std::string>()(testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  std::filesystem::path path_;
};

TEST(Model, AllocateGivesEveryArrayItsSize) {
  const Model m = smallModel();
  m.forEachArray([](const char* name, const auto& array, int rows, int cols, const char*) {
    EXPECT_EQ(array.size(), rows * cols) << name;
  });
}

TEST(Model, NamesAndIdsAreInversesOfEachOther) {
  const Model m = smallModel();
  EXPECT_EQ(nameOf(m, ObjType::Body, 1), "rider");
  EXPECT_EQ(findId(m, ObjType::Body, "rider"), 1);
  EXPECT_EQ(findId(m, ObjType::Joint, "slot"), 0);
  EXPECT_EQ(findId(m, ObjType::Joint, "rider"), -1);
  EXPECT_EQ(findId(m, ObjType::Body, ""), -1) << "an unnamed body must not be found by the empty name";
  EXPECT_EQ(nameOf(m, ObjType::Body, 99), "");
}

TEST(Model, NamesAreFoundInTheSameTimeInModelsOfAnySize) {
  // two kinds with the same names, one object without
  std::string mjcf = "<mujoco><worldbody>";
  const int count = 3000;
  for (int i = 0; i < count; ++i) {
    const std::string name = "n" + std::to_string(i * 7919 % 100003);
    mjcf += "<body name='" + name + "'><joint name='" + name + "'/><geom size='.1'/></body>";
  }
  mjcf += "<body><geom size='.1'/></body></worldbody></mujoco>";
  const Model m = compile(readMjcfText(mjcf));
  for (int i = 0; i < count; ++i) {
    const std::string_view name = nameOf(m, ObjType::Joint, i);
    ASSERT_EQ(findId(m, ObjType::Joint, name), i);
    ASSERT_EQ(findId(m, ObjType::Body, name), i + 1);
    ASSERT_EQ(findId(m, ObjType::Geom, name), -1);
  }
  EXPECT_EQ(findId(m, ObjType::Body, "n"), -1);
  EXPECT_EQ(findId(m, ObjType::Body, ""), -1);
  EXPECT_EQ(findId(m, ObjType::Dof, "n1"), -1);
  // no more than a few comparisons per search: no long run of taken slots
  int longest = 0, run = 0;
  for (const int slot : m.nameIndex.slots) longest = std::max(longest, run = slot < 0 ? 0 : run + 1);
  EXPECT_LT(longest, 60);

  const Model copy = m;
  EXPECT_EQ(findId(copy, ObjType::Joint, nameOf(m, ObjType::Joint, 5)), 5);
  EXPECT_EQ(copy, m);
  Model without = m;
  without.nameIndex = {};
  EXPECT_EQ(findId(without, ObjType::Joint, nameOf(m, ObjType::Joint, 2999)), 2999);
}

TEST(Model, UnknownNamesAreErrorsWithTheNearestOne) {
  const Model m = compile(readMjcfText(R"(<mujoco><worldbody><body name="leg"><joint name="knee"/><joint name="ankle"
      axis="1 0 0"/><geom size=".1"/></body></worldbody></mujoco>)"));
  const auto message = [&](ObjType type, const char* name) {
    try {
      requireId(m, type, name);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(requireId(m, ObjType::Joint, "ankle"), 1);
  EXPECT_EQ(message(ObjType::Joint, "ankel"), "no joint is named \"ankel\"; did you mean \"ankle\"?");
  EXPECT_EQ(message(ObjType::Joint, "shoulder"), "no joint is named \"shoulder\"");
  EXPECT_EQ(message(ObjType::Site, "tip"), "no site is named \"tip\"; no site of the model has a name");
  EXPECT_EQ(message(ObjType::Dof, "x"), "objects of type 4 have no names");
}

TEST(Model, FirstDifferenceNamesTheFieldTheIndexAndBothValues) {
  const Model a = smallModel();
  Model b = a;
  EXPECT_EQ(firstDifference(a, b), "");
  EXPECT_EQ(hashOf(a), hashOf(b));
  b.body_mass[2] = 1.5;
  EXPECT_EQ(firstDifference(a, b), "body_mass[2]: 0 against 1.5");
  EXPECT_NE(hashOf(a), hashOf(b));
}

/// A model that loadModel() accepts.
Model compiledModel() {
  return compile(
      readMjcfText("<mujoco><worldbody><body><geom size=\".1\"/></body><body><joint/><geom "
                   "size=\".1\"/></body></worldbody></mujoco>"));
}

TEST(Model, SavedAndLoadedModelIsTheSameBitForBit) {
  Model m = compiledModel();
  m.body_mass[1] = std::numeric_limits<double>::denorm_min();
  m.body_ipos[2] = -0.0;
  m.opt.timestep = 0.1;
  m.stat.center[1] = 7;
  const TemporaryFile file;
  saveModel(m, file.path());
  const Model back = loadModel(file.path());
  EXPECT_EQ(firstDifference(m, back), "");
  EXPECT_EQ(hashOf(m), hashOf(back));
}

TEST(Model, DamagedFilesAreRefusedWithAReason) {
  const TemporaryFile file;
  const auto messageFor = [&](const std::string& bytes) -> std::string {
    std::ofstream(file.path(), std::ios::binary) << bytes;
    try {
      loadModel(file.path());
    } catch (const LoadError& e) {
      return e.what();
    }
    return "no error";
  };
  saveModel(compiledModel(), file.path());
  std::ifstream in(file.path(), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};

  EXPECT_NE(messageFor("hello, world").find("the signature is missing"), std::string::npos);
  EXPECT_NE(messageFor("").find("ends too early"), std::string::npos);
  EXPECT_NE(messageFor(good.substr(0, good.size() - 1)).find("it is damaged"), std::string::npos);
  EXPECT_NE(messageFor(good + "x").find("it is damaged"), std::string::npos);
  const auto repaired = [](std::string bytes) {  // with the checksum that belongs to them
    Hasher hasher;
    hasher.add(bytes.data() + 24, bytes.size() - 24);
    const std::uint64_t sum = hasher.value();
    std::memcpy(bytes.data() + 16, &sum, sizeof(sum));
    return bytes;
  };
  EXPECT_NE(messageFor(repaired(good + "x")).find("length does not fit"), std::string::npos);
  std::string other = good;
  other[8] = static_cast<char>(other[8] ^ 1);
  EXPECT_NE(messageFor(other).find("another version"), std::string::npos);
  std::string huge = good;
  std::memset(huge.data() + 24, 0x7f, 8);  // nq and nv: two billion each
  EXPECT_NE(messageFor(repaired(huge)).find("length does not fit"), std::string::npos)
      << "must not try to allocate that";
}

TEST(Model, MissingFileIsAnErrorWithItsName) {
  try {
    loadModel("no_such_model.sinew");
    FAIL();
  } catch (const LoadError& e) {
    EXPECT_STREQ(e.what(), "no_such_model.sinew: cannot open the model file");
  }
}

TEST(Data, ResetPutsTheStateOfTheModelAndZerosElsewhere) {
  const Model m = smallModel();
  Data d(m);
  d.forEachArray(m, [](const char*, auto& array, int, int, const char*) {
    for (auto& x : array) x = 5;
  });
  d.time = 1;
  d.status[Trouble::BadQpos].count = 2;
  reset(m, d);
  EXPECT_EQ(d.time, 0);
  EXPECT_TRUE(d.status.ok());
  EXPECT_EQ(d.qpos[0], 0.25);
  EXPECT_EQ(d.qvel[0], 0);
  EXPECT_EQ(d.xpos[0], 0);
  EXPECT_EQ(d.mocap_pos[0], 0.5);
  EXPECT_EQ(d.mocap_quat[0], 1);
}

TEST(Data, KeyframeReplacesTheWholeState) {
  const Model m = smallModel();
  Data d(m);
  d.qvel[0] = 9;
  resetToKey(m, d, 0);
  EXPECT_EQ(d.time, 3);
  EXPECT_EQ(d.qpos[0], 0.75);
  EXPECT_EQ(d.qvel[0], 0);
  EXPECT_EQ(d.ctrl[0], -1);
  EXPECT_EQ(d.mocap_pos[2], 2);
  EXPECT_THROW(resetToKey(m, d, 1), std::out_of_range);
  EXPECT_THROW(resetToKey(m, d, -1), std::out_of_range);
}

TEST(Data, SavedStateRestoresBitForBit) {
  const Model m = smallModel();
  Data a(m);
  a.time = 0.1;
  a.qpos[0] = -0.0;
  a.qvel[0] = 1.0 / 3;
  a.qacc_warmstart[0] = 1e-300;
  const std::vector<std::byte> state = saveState(m, a);
  Data b(m);
  restoreState(m, b, state);
  EXPECT_EQ(stateHash(m, a), stateHash(m, b));
  EXPECT_TRUE(std::signbit(b.qpos[0]));
  EXPECT_THROW(restoreState(m, b, std::span(state).first(state.size() - 1)), std::invalid_argument);
}

TEST(Data, StatusIsDescribedWithTheNamesConcerned) {
  const Model m = smallModel();
  Data d(m);
  EXPECT_EQ(describeStatus(m, d), "");
  d.status[Trouble::BadQpos] = {.count = 2, .first = 0, .time = 0.5};
  EXPECT_EQ(describeStatus(m, d),
            "qpos[0] (joint \"slot\" of body 2) was not finite or beyond 1e10 (first at t = 0.5 s, 2 times)\n");
  d.status = {};
  d.status[Trouble::BadCtrl] = {.count = 1, .first = 0, .time = 0};
  EXPECT_NE(describeStatus(m, d).find("actuator \"pusher\""), std::string::npos);
}

}  // namespace
}  // namespace sinew
