#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>

#include "base/hash.h"
#include "model/model_rules.h"
#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/rich_model.h"

/// Saved models: whatever the bytes, loading gives a model that can be stepped, or a LoadError.
namespace sinew {
namespace {

constexpr std::size_t kHeader = 24;  // magic, signature, checksum

/// A file that disappears with it.
class File {
 public:
  File() : path_(std::filesystem::temp_directory_path() / ("sinew_model_" + std::to_string(::getpid()))) {}
  ~File() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

 private:
  std::filesystem::path path_;
};

std::string withChecksum(std::string bytes) {
  Hasher hasher;
  hasher.add(bytes.data() + kHeader, bytes.size() - kHeader);
  const std::uint64_t sum = hasher.value();
  std::memcpy(bytes.data() + 16, &sum, sizeof(sum));
  return bytes;
}

/// Models that use different parts of a Model.
std::map<std::string, std::string> texts() {
  return {
      {"rich", test::kRichModel},
      {"contacts",
       R"(<mujoco><size nuser_geom="2" nkey="2"/><asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
          <hfield name="h" nrow="3" ncol="4" size="1 1 .2 .1" elevation="0 1 0 2 1 0 0 0 3 0 0 1"/></asset>
        <worldbody><geom type="hfield" hfield="h" pos="0 0 -.5"/><geom type="plane" size="3 3 1" pos="0 0 -1"/>
          <camera name="eye" mode="targetbody" target="b"/>
          <body name="b" pos="0 0 .1"><freejoint/><geom name="g" type="mesh" mesh="tetra" user="1 2"/><site name="s"/>
            <body name="c" pos="0 0 1"><joint name="j" range="-1 1"/><geom name="k" type="box" size=".2 .2 .2"/></body></body>
          <body name="m" mocap="true" pos="2 0 0"><geom size=".1"/></body></worldbody>
        <contact><pair geom1="g" geom2="k"/><exclude body1="b" body2="m"/></contact>
        <equality><connect body1="c" body2="m" anchor="0 0 0"/></equality>
        <sensor><touch site="s"/><rangefinder site="s"/><framepos objtype="body" objname="b"/><contact geom1="g" num="2"/>
          <jointpos joint="j" nsample="3" delay=".004"/></sensor>
        <custom><numeric name="n" data="1 2"/><text name="t" data="hello"/><tuple name="u"><element objtype="body" objname="b"/></tuple></custom>
        <actuator><position joint="j"/></actuator></mujoco>)"},
      {"cloth", R"(<mujoco><option integrator="implicitfast"/><worldbody><geom type="plane" size="1 1 1"/>
        <flexcomp name="c" dim="2" count="4 4 1" spacing=".1" pos="0 0 .01" mass="1"><elasticity young="1e3" thickness=".01" elastic2d="both"/>
          <pin id="0"/></flexcomp></worldbody></mujoco>)"},
      {"solid", R"(<mujoco><option integrator="implicitfast"/><worldbody><geom type="plane" size="1 1 1"/>
        <flexcomp name="s" dim="3" count="3 3 3" spacing=".1" pos="0 0 .1" mass="1"><elasticity young="1e4"/></flexcomp>
        <flexcomp name="i" dim="3" dof="trilinear" count="4 4 4" spacing=".1" pos="2 0 .5" mass="1"><elasticity young="1e4"/>
          <contact selfcollide="none"/></flexcomp></worldbody></mujoco>)"},
      {"rope", R"(<mujoco><worldbody><flexcomp name="r" dim="1" count="6 1 1" spacing=".1" mass="1" young="1e5"/>
        <body pos="0 1 1"><composite type="cable" count="5 1 1" curve="s" size="1"><joint kind="main" damping=".1"/>
          <geom type="capsule" size=".01"/><plugin plugin="mujoco.elasticity.cable"><config key="bend" value="1e6"/></plugin></composite></body></worldbody>
        <extension><plugin plugin="mujoco.elasticity.cable"/></extension></mujoco>)"},
      {"shell", R"(<mujoco><option integrator="implicitfast"/><worldbody><geom type="plane" size="1 1 1"/>
        <flexcomp name="s" dim="3" type="grid" dof="quadratic" count="4 4 4" cellcount="2 1 2" spacing=".1 .1 .1" pos="0 0 .1" mass="1"><elasticity young="1e4" thickness=".01" elastic2d="both"/><contact selfcollide="none"/></flexcomp>
        <flexcomp name="i" dim="3" dof="quadratic" cellcount="1 1 2" count="4 4 5" spacing=".1 .1 .1" pos="2 0 .5" mass="1"><elasticity young="1e4" law="stvk"/>
          <contact selfcollide="none"/></flexcomp></worldbody></mujoco>)"},
      {"vert", R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <flexcomp name="c" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="0 0 .1" mass="1"><edge equality="vert"/></flexcomp>
        <flexcomp name="e" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="0 2 .1" mass="1"><edge equality="true"/></flexcomp>
        <flexcomp name="i" dim="3" dof="trilinear" count="4 4 4" spacing=".1 .1 .1" pos="2 0 .5" mass="1"><edge equality="strain"/>
          <contact selfcollide="none"/></flexcomp></worldbody></mujoco>)"},
      {"relations",
       R"(<mujoco><option solver="Impulse"><flag sleep="enable"/></option><worldbody><geom type="plane" size="1 1 1"/>
         <site name="a" pos="0 0 2"/><geom name="w" type="sphere" size=".1" pos="0 .2 1" contype="0" conaffinity="0"/><site name="side" pos="0 .4 1"/>
         <body name="b" pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="s"/></body>
         <body name="c" pos="1 0 .3"><joint name="j" range="-1 1" limited="true" frictionloss=".1"/><geom type="capsule" size=".1 .1"/><site name="t"/>
           <body pos="0 0 .5"><joint name="k" type="ball" range="0 1" limited="true"/><geom size=".1"/></body></body>
         <body name="d" pos="0 1 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
         </worldbody>
       <tendon><spatial name="sp" limited="true" range="0 1"><site site="a"/><geom geom="w" sidesite="side"/><site site="s"/><pulley divisor="2"/><site site="a"/><site site="t"/></spatial>
         <fixed name="f"><joint joint="j" coef="2"/></fixed></tendon>
       <equality><weld body1="b" body2="c"/><joint joint1="j"/><tendon tendon1="sp" tendon2="f"/><connect site1="s" site2="t"/></equality>
       <actuator><position joint="j"/><motor site="s" refsite="t" gear="1 0 0 0 0 1"/><adhesion body="d" gain="2" ctrlrange="0 1"/><muscle tendon="sp" lengthrange="0 1"/><motor tendon="f" delay=".01" nsample="4"/></actuator>
       <sensor><force site="s"/><torque site="t"/><tendonpos tendon="sp"/><subtreecom body="c"/><framelinvel objtype="site" objname="s" reftype="body" refname="d"/><distance body1="b" body2="d" cutoff="1"/><magnetometer site="s"/></sensor>
       <keyframe><key qpos="0 0 .1 1 0 0 0 0 1 0 0 0 0 1 .1 1 0 0 0"/></keyframe></mujoco>)"},
  };
}

/// Loads the bytes and, if that works, makes a few steps.
bool loadsAndSteps(const File& file, const std::string& bytes) {
  file.write(bytes);
  try {
    Model m = loadModel(file.path());
    m.opt.iterations = std::min(m.opt.iterations, 20);
    m.opt.ls_iterations = std::min(m.opt.ls_iterations, 20);
    m.opt.noslip_iterations = std::min(m.opt.noslip_iterations, 5);
    m.opt.ccd_iterations = std::min(m.opt.ccd_iterations, 35);
    Data d(m);
    for (int i = 0; i < 2; ++i) step(m, d);
    for (int k = 0; k < m.nkey; ++k) resetToKey(m, d, k);
    nameOf(m, ObjType::Body, m.nbody - 1);
    return true;
  } catch (const LoadError&) {
    return false;
  }
}

TEST(ModelFile, A3_EveryCompiledModelPassesTheCheck) {
  const File file;
  for (const auto& [name, xml] : texts()) {
    const Model m = compile(readMjcfText(xml));
    saveModel(m, file.path());
    try {
      const Model back = loadModel(file.path());
      EXPECT_EQ(firstDifference(m, back), "") << name;
      EXPECT_EQ(back.signature, m.signature) << name;
    } catch (const LoadError& error) {
      ADD_FAILURE() << name << ": " << error.what();
    }
  }
}

TEST(ModelFile, A3_AFlippedBitIsFoundByTheChecksum) {
  const File file;
  std::mt19937 random(1);
  for (const auto& [name, xml] : texts()) {
    saveModel(compile(readMjcfText(xml)), file.path());
    const std::string good = file.read();
    for (int i = 0; i < 100; ++i) {
      std::string bad = good;
      const std::size_t at = random() % bad.size();
      bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
      EXPECT_FALSE(loadsAndSteps(file, bad)) << name << ", byte " << at;
    }
  }
}

/// Puts another number in the place of one that is there: one more or less, a small one, or one from elsewhere.
void changeWord(std::string& bytes, std::mt19937& random) {
  const auto place = [&] { return kHeader + 4 * (random() % ((bytes.size() - kHeader) / 4)); };
  const auto wordAt = [&](std::size_t at) {
    std::int32_t word;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    return word;
  };
  const std::size_t at = place();
  const std::int32_t choices[] = {wordAt(at) + 1, wordAt(at) - 1, -1, 0, static_cast<std::int32_t>(random() % 8),
                                  wordAt(place())};
  const std::int32_t word = choices[random() % std::size(choices)];
  std::memcpy(bytes.data() + at, &word, sizeof(word));
}

/// With the checksum put right, a change is an error or a model that steps; neither crashes nor runs on for ever.
TEST(ModelFile, A3_AFlippedBitWithTheRightChecksumIsAnErrorOrSteps) {
  const File file;
  std::mt19937 random(2);
  for (const auto& [name, xml] : texts()) {
    saveModel(compile(readMjcfText(xml)), file.path());
    const std::string good = file.read();
    int refused = 0;
    constexpr int kTries = 500;
    for (int i = 0; i < kTries; ++i) {
      std::string bad = good;
      const std::size_t at = kHeader + random() % (bad.size() - kHeader);
      if (i % 2 == 0) {
        bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
      } else {
        changeWord(bad, random);
      }
      refused += !loadsAndSteps(file, withChecksum(bad));
    }
    EXPECT_GT(refused, kTries / 20) << name;
  }
}

/// Friction of a node that is pinned makes no row: its dofs belong to no tree.
TEST(ModelFile, A3_FrictionOfAPinnedNodeMakesNoRow) {
  Model m = compile(readMjcfText(texts().at("cloth")));
  m.dof_frictionloss[0] = 1;
  Data d(m);
  step(m, d);
  EXPECT_EQ(d.nf, 0);
  m.dof_frictionloss[5] = 1;
  step(m, d);
  EXPECT_EQ(d.nf, 1);
}

/// Every integer of every array, set to values that are just wrong.
TEST(ModelFile, A3_WrongIndicesAreRefused) {
  const File file;
  std::mt19937 random(3);
  for (const auto& [name, xml] : texts()) {
    Model m = compile(readMjcfText(xml));
    m.forEachArray([&, &modelName = name](const char* array, auto& values, int, int, const char*) {
      using T = std::remove_reference_t<decltype(values[0])>;
      if constexpr (std::is_same_v<T, int> || std::is_enum_v<T>) {
        if (values.empty()) return;
        for (const int wrong : {-2, -1, 0, 7, 1 << 30}) {
          const auto i = static_cast<std::ptrdiff_t>(random() % static_cast<std::size_t>(values.size()));
          const T before = std::exchange(values[i], static_cast<T>(wrong));
          saveModel(m, file.path());
          SCOPED_TRACE(modelName + ": " + array);
          loadsAndSteps(file, file.read());
          values[i] = before;
        }
      }
    });
  }
}

/// Number of sizes in a file.
#define SINEW_X(name, doc) +1
constexpr std::size_t kSizes = SINEW_MODEL_SIZES(SINEW_X);
#undef SINEW_X

TEST(ModelFile, A3_SizesThatOverflowAreRefusedOrHarmless) {
  const File file;
  saveModel(compile(readMjcfText(texts().at("rich"))), file.path());
  const std::string good = file.read();
  std::set<std::string> messages;
  for (std::size_t size = 0; size < kSizes; ++size) {
    for (const int value : {-1, 0x7fffffff, 0x10000, 1 << 30}) {
      std::string bad = good;
      std::memcpy(bad.data() + kHeader + 4 * size, &value, sizeof(value));
      SCOPED_TRACE(std::to_string(size) + " " + std::to_string(value));
      loadsAndSteps(file, withChecksum(bad));
    }
  }
}

TEST(ModelFile, A3_MessagesNameArrayEntryAndValue) {
  const File file;
  Model m = compile(readMjcfText(texts().at("contacts")));
  const auto message = [&] {
    saveModel(m, file.path());
    try {
      loadModel(file.path());
    } catch (const LoadError& error) {
      return std::string(error.what()).substr(file.path().string().size());
    }
    return std::string("loads");
  };
  const std::string start = ": not a readable Sinew model file: ";
  m.geom_bodyid[1] = 99;
  EXPECT_EQ(message(), start + "geom_bodyid[1] is 99: it must be from 0 to 3");
  m.geom_bodyid[1] = 0;
  m.body_parentid[2] = 3;
  EXPECT_EQ(message(), start + "body_parentid[2] is 3: a parent must come before its children");
  m.body_parentid[2] = 1;
  m.sensor_dim[0] = 3;
  EXPECT_NE(message().find("does not fit"), std::string::npos) << message();
  m.sensor_dim[0] = 1;
  m.body_mass[1] = -1;
  EXPECT_EQ(message(), start + "body_mass[1] is -1: it must not be negative");
  m.body_mass[1] = std::nan("");
  EXPECT_EQ(message(), start + "body_mass[1] is nan: it must be finite");
  m =
      compile(readMjcfText("<mujoco><worldbody><flexcomp name='f' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' "
                           "mass='1' dof='trilinear'><contact selfcollide='none'/></flexcomp></worldbody></mujoco>"));
  const int first = m.flexvert_supportadr[13], count = m.flexvert_supportnum[13];
  m.flexsupport_weight[first] += 1e-5;
  EXPECT_EQ(message(),
            start + fmt::format("flexsupport_weight[{}] is {}: the weights of a vertex, as many as are given "
                                "here, sum to 1",
                                first, count));
  m.flexvert_supportnum[13] = 0;
  EXPECT_EQ(message(), start + "flexvert_supportnum[13] is 0: something must carry an interpolated vertex");
  file.write("<mujoco/> and more than twenty bytes of text");
  EXPECT_THROW(
      {
        try {
          loadModel(file.path());
        } catch (const LoadError& error) {
          EXPECT_NE(std::string(error.what()).find("the signature is missing; the file seems to be XML text"),
                    std::string::npos)
              << error.what();
          throw;
        }
      },
      LoadError);
}

/// The tables of rules are complete: no array of integers was forgotten.
TEST(ModelFile, A3_EveryArrayOfIntegersHasARule) {
  std::multiset<std::string> ruled;
#define SINEW_X(array, low, end) ruled.insert(#array);
  SINEW_MODEL_BOUNDS(SINEW_X)
#undef SINEW_X
  Model m;
  m.forEachArray([&](const char* name, auto& array, int, int, const char*) {
    using T = std::remove_reference_t<decltype(array[0])>;
    EXPECT_EQ(ruled.count(name), std::is_floating_point_v<T> ? 0u : 1u) << name;
  });
}

}  // namespace
}  // namespace sinew
