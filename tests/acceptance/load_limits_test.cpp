#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/paths.h"

/// SAFE-5: what a model generates is predicted before it takes memory.
namespace sinew {
namespace {

std::filesystem::path data(const char* file) { return test::sourceDir() / "tests/acceptance/data" / file; }

template <class Call>
std::string errorOf(Call call) {
  try {
    call();
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

std::string errorOfText(const std::string& xml, std::uint64_t maxMemory = LoadOptions{}.maxMemory) {
  LoadOptions options;
  options.maxMemory = maxMemory;
  return errorOf([&] { compile(readMjcfText(xml, "m.xml", {}, nullptr, options), nullptr, options); });
}

/// A number of /proc/self/status, bytes; 0 if there is none.
double processMemory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return 1024 * std::stod(line.substr(field.size() + 1));
  }
  return 0;
}

/// Most memory that `call` took beyond what the process had before, bytes; 0 if the system does not say.
template <class Call>
double peakOf(Call call) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = processMemory("VmRSS");
  call();
  return processMemory("VmHWM") - before;
}

std::string grid(int n, const std::string& children = "") {
  const std::string count = std::to_string(n);
  return "<mujoco><worldbody>\n<flexcomp name=\"soft\" type=\"grid\" dim=\"3\" mass=\"1\" spacing=\".05\" "
         "radius=\".001\" count=\"" +
         count + " " + count + " " + count + "\">" + children + "</flexcomp></worldbody></mujoco>";
}

TEST(LoadLimits, SAFE_5_AttachBombFailsBeforeItGrows) {
  const auto start = std::chrono::steady_clock::now();
  std::string error;
  const double peak = peakOf([&] { error = errorOf([] { load(data("attach_bomb/bomb11.xml")); }); });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_NE(error.find("bomb11.xml:1: <attach>: 'model' \"c\" attached here would need about "), std::string::npos)
      << error;
  EXPECT_NE(error.find("TB of memory; the limit is 2 GB (--max-memory, LoadOptions::maxMemory)"), std::string::npos)
      << error;
  EXPECT_LT(peak, 50e6);
  EXPECT_LT(time.count(), 5.0);
}

TEST(LoadLimits, SAFE_5_SmallAttachmentsOfTheSameFilesLoad) {
  const Model m = load(data("attach_bomb/bomb3.xml"));
  EXPECT_EQ(m.nbody, 1 + 1 + 8 + 64 + 512);
}

TEST(LoadLimits, SAFE_5_UserDataNamesItsAttribute) {
  const std::string error = errorOf([] { load(data("nuser_x_geoms.xml")); });
  EXPECT_NE(error.find("nuser_x_geoms.xml:1: <size>: 'nuser_geom': geom_user would take 45 GB"), std::string::npos)
      << error;
}

TEST(LoadLimits, SAFE_5_LongCableIsRefusedWithItsCount) {
  const std::string error = errorOf([] { load(data("composite_60000.xml")); });
  EXPECT_NE(error.find("composite_60000.xml:1: <composite>: 'count': a chain of 60000 bodies would need about "),
            std::string::npos)
      << error;
}

TEST(LoadLimits, SAFE_5_DeepChainsAreRefusedWhateverTheLimit) {
  LoadOptions options;
  options.maxMemory = std::uint64_t{1} << 60;
  const std::string error = errorOf([&] { load(data("composite_60000.xml"), nullptr, options); });
  EXPECT_NE(error.find("<composite>: bodies would be nested 60001 deep, the limit is 5000"), std::string::npos)
      << error;
}

TEST(LoadLimits, SAFE_5_CableOfAThousandBodiesLoads) {
  const std::string cable =
      "<mujoco><worldbody><body><composite type=\"cable\" count=\"1001 1 1\" curve=\"s\" size=\"10\"><joint "
      "kind=\"main\"/>"
      "<geom type=\"capsule\" size=\".001\"/></composite></body></worldbody></mujoco>";
  const Model m = compile(readMjcfText(cable));
  EXPECT_EQ(m.nbody, 1002);
  EXPECT_GT(writeMjcf(readMjcfText(cable)).size(), 1000u);
}

TEST(LoadLimits, SAFE_5_CountsThatExceedTheLimitAreErrorsWithPlaceAttributeAndSize) {
  struct Case {
    std::string xml, place;
  };
  const std::string world = "<mujoco>\n<worldbody>\n";
  const std::string end = "\n</worldbody></mujoco>";
  const Case cases[] = {
      {world + "<flexcomp name=\"f\" dim=\"3\" count=\"2000 2000 2000\" spacing=\".1\"/>" + end,
       "m.xml:3: <flexcomp name=\"f\">: 'count': "},
      {world + "<flexcomp name=\"f\" dim=\"2\" count=\"46000 46000 1\" spacing=\".1\"/>" + end,
       "m.xml:3: <flexcomp name=\"f\">: 'count': "},
      {world + "<flexcomp name=\"f\" type=\"box\" dim=\"3\" count=\"9000 9000 9000\" spacing=\".1\"/>" + end,
       "m.xml:3: <flexcomp name=\"f\">: 'count': "},
      {world +
           "<flexcomp name=\"f\" dim=\"3\" dof=\"trilinear\" cellcount=\"2000 2000 2000\" count=\"4 4 4\" "
           "spacing=\".1\">"
           "<contact selfcollide=\"none\"/></flexcomp>" +
           end,
       "m.xml:3: <flexcomp name=\"f\">: 'count': 64 points and 162 elements and 8012006001 nodes ('cellcount')"},
      {world + "<replicate count=\"1000000000\"><geom size=\".1\"/></replicate>" + end,
       "m.xml:3: <replicate>: 'count' 1000000000: these copies "},
      {world +
           "<replicate count=\"10000\"><replicate count=\"10000\"><body><geom "
           "size=\".1\"/></body></replicate></replicate>" +
           end,
       "m.xml:3: <replicate>: 'count' 10000: these copies "},
      {"<mujoco>\n<size nkey=\"2000000000\"/></mujoco>", "m.xml:2: <size>: 'nkey': "},
      {"<mujoco>\n<size nuserdata=\"2000000000\"/></mujoco>", "m.xml:2: <size>: 'nuserdata': "},
      {"<mujoco>\n<asset>\n<hfield name=\"h\" nrow=\"40000\" ncol=\"40000\" size=\"1 1 1 1\"/></asset></mujoco>",
       "m.xml:3: <hfield name=\"h\">: 'nrow' 40000 and 'ncol' 40000: these elevations "},
  };
  for (const Case& c : cases) {
    std::string error;
    const double peak = peakOf([&] { error = errorOfText(c.xml); });
    EXPECT_TRUE(error.starts_with(c.place)) << error;
    EXPECT_NE(error.find("the limit is 2 GB (--max-memory, LoadOptions::maxMemory)"), std::string::npos) << error;
    EXPECT_LT(peak, 100e6) << c.place;
  }
}

// Numbers of sensors and samples of delays have bounds of their own.
TEST(LoadLimits, SAFE_5_SensorsAndBuffersThatAreTooLargeNameAttributeAndSize) {
  const auto textOf = [](const std::string& more) {
    return R"(<mujoco>
<worldbody><body><joint name="j"/><geom name="g" size=".1"/><camera name="c" resolution="2147483647 2147483647"/></body></worldbody>
)" + more + "</mujoco>";
  };
  EXPECT_EQ(
      errorOfText(textOf("<sensor><user dim=\"2000000000\"/></sensor>")),
      "m.xml:3: <user>: 'dim': 2000000000 numbers would need 15 GB of memory; all sensors together may have 100000000 "
      "numbers (763 MB)");
  EXPECT_EQ(
      errorOfText(textOf("<sensor><contact geom1=\"g\" num=\"90000000\" data=\"pos\"/></sensor>")),
      "m.xml:3: <contact>: 'num': 270000000 numbers would need 2 GB of memory; all sensors together may have 100000000 "
      "numbers (763 MB)");
  EXPECT_NE(errorOfText(textOf("<sensor><rangefinder camera=\"c\" data=\"dist dir\"/></sensor>"))
                .find("<rangefinder>: 'camera', by its 'resolution': 4611686014132420609 numbers would need 32 EB"),
            std::string::npos);
  const std::string motor = R"(<motor joint="j" delay=".1" nsample="16000000"/>)";
  EXPECT_EQ(
      errorOfText(textOf("<actuator>" + motor + motor + motor + motor + "</actuator>")),
      "m.xml:3: <actuator>: 'nsample': 16000000 samples would need 244 MB of memory; all buffers together may have "
      "100000000 numbers (763 MB)");
}

TEST(LoadLimits, SAFE_5_ALargerLimitAllowsMoreAndASmallerOneLess) {
  EXPECT_EQ(errorOfText(grid(8)), "");
  const std::string error = errorOfText(grid(8), 100'000);
  EXPECT_TRUE(
      error.starts_with("m.xml:2: <flexcomp name=\"soft\">: 'count': 512 points and 2058 elements would need about "))
      << error;
  EXPECT_EQ(errorOfText("<mujoco><size nuserdata=\"300000000\"/></mujoco>").substr(0, 8), "m.xml:1:");
  EXPECT_EQ(errorOfText("<mujoco><size nuserdata=\"30000000\"/></mujoco>"), "");
}

/// The smallest limit under which a text loads, to 3 %.
double demandOf(const std::string& xml) {
  double low = 1e4, high = 4e9;
  while (high > 1.03 * low) {
    const double middle = std::sqrt(low * high);
    (errorOfText(xml, static_cast<std::uint64_t>(middle)).empty() ? high : low) = middle;
  }
  return high;
}

TEST(LoadLimits, SAFE_5_PredictionsAreWithinAFactorOfTwo) {
  struct Case {
    const char* what;
    std::string xml;
  };
  std::string many =
      "<mujoco><size nuser_geom=\"500\"/><worldbody><replicate count=\"3000\"><body><freejoint/><geom "
      "size=\".1\"/></body>"
      "</replicate></worldbody></mujoco>";
  const Case cases[] = {
      {"rows", grid(22)},
      {"solid", grid(22, "<elasticity young=\"1e4\"/>")},
      {"sheet",
       "<mujoco><worldbody><flexcomp name=\"c\" dim=\"2\" count=\"150 150 1\" spacing=\".05\" mass=\"1\">"
       "<elasticity young=\"1e4\" thickness=\".01\" elastic2d=\"both\"/></flexcomp></worldbody></mujoco>"},
      {"copies", many},
      {"cable",
       "<mujoco><worldbody><body><composite type=\"cable\" count=\"500 1 1\" curve=\"s\" size=\"10\"><joint "
       "kind=\"main\"/><geom type=\"capsule\" size=\".001\"/></composite></body></worldbody></mujoco>"}};
  for (const Case& c : cases) {
    // as a user has it: the description, the model and its data at one time
    const double used = peakOf([&] {
      const Spec spec = readMjcfText(c.xml);
      const Model m = compile(spec);
      const Data d(m);
    });
    if (used <= 0) GTEST_SKIP() << "the system does not say how much memory is used";
    const double predicted = demandOf(c.xml);
    RecordProperty(c.what, std::to_string(predicted / used));
    EXPECT_LT(predicted, 2.2 * used) << c.what << ": predicted " << predicted << ", used " << used;
    EXPECT_GT(predicted, used / 2.2) << c.what << ": predicted " << predicted << ", used " << used;
    std::printf("%s: predicted %.0f MB, used %.0f MB\n", c.what, predicted / 1e6, used / 1e6);
  }
}

TEST(LoadLimits, SAFE_5_TheSameFileNamedTwiceIsReadOnce) {
  // twenty levels of two names for the next file: read again each time, that would be a million files
  const auto folder = std::filesystem::temp_directory_path() / "sinew_model_library";
  std::filesystem::create_directories(folder);
  for (int i = 0; i < 20; ++i) {
    const std::string next = "m" + std::to_string(i + 1) + ".xml";
    std::ofstream(folder / ("m" + std::to_string(i) + ".xml"))
        << "<mujoco><asset><model name=\"a\" file=\"" << next << "\"/><model name=\"b\" file=\"" << next
        << "\"/></asset><worldbody><body name=\"b\"><geom size=\".1\"/></body></worldbody></mujoco>";
  }
  std::ofstream(folder / "m20.xml")
      << "<mujoco><worldbody><body name=\"b\"><geom size=\".1\"/></body></worldbody></mujoco>";
  EXPECT_EQ(load(folder / "m0.xml").nbody, 2);
  std::filesystem::remove_all(folder);
}

TEST(LoadLimits, A8_ExclusionsHitTheirPairBeyond65536Bodies) {
  // bodies a and b lie 65536 apart, which 16 bits per body cannot tell from others
  const std::string fixed = "<replicate count=\"65540\"><body/></replicate>";
  const std::string xml = "<mujoco><option gravity=\"0 0 0\"/><worldbody>" + fixed +
                          "<body name=\"a\"><freejoint/><geom size=\".1\"/></body>"
                          "<body name=\"b\" pos=\".15 0 0\"><freejoint/><geom size=\".1\"/></body>"
                          "<body name=\"c\" pos=\"10 0 0\"><freejoint/><geom size=\".1\"/></body>"
                          "<body name=\"d\" pos=\"10.15 0 0\"><freejoint/><geom size=\".1\"/></body></worldbody>"
                          "<contact><exclude body1=\"a\" body2=\"b\"/></contact></mujoco>";
  const Model m = compile(readMjcfText(xml));
  ASSERT_GT(m.nbody, 65536);
  Data d(m);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 1);
  EXPECT_EQ(m.geom_bodyid[d.contact[0].geom[0]], findId(m, ObjType::Body, "c"));
}

TEST(Loading, C26_MissingFilesAreNamedWithTheFullPath) {
  const auto error = errorOf([] { load("no_such_directory/no_such_model.xml"); });
  EXPECT_EQ(error, "no_such_directory/no_such_model.xml: no such file (tried " +
                       std::filesystem::absolute("no_such_directory/no_such_model.xml").string() + ")");
}

TEST(Loading, C24_TexturesOfAttachedModelsAreNamedAfterTheirFiles) {
  Warnings warnings;
  const Spec spec = readMjcf(data("attach_unnamed_texture.xml"), &warnings);
  ASSERT_EQ(spec.textures.size(), 1u);
  EXPECT_EQ(spec.textures[0].name, "a/x_black");
  EXPECT_EQ(compile(spec).nbody, 2);
}

}  // namespace
}  // namespace sinew
