// Spec back to text: reading what was written gives the same description, number for number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "mjcf/support_doc.h"
#include "mjcf/value.h"
#include "sinew/load.h"
#include "support/paths.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

Spec read(const std::string& content) { return readMjcfText("<mujoco>" + content + "</mujoco>"); }

/// write(read(write(spec))) == write(spec): nothing the writer says is read as something else.
void expectFixpoint(const Spec& spec, const fs::path& directory = {}) {
  const std::string text = writeMjcf(spec, directory);
  Spec again;
  ASSERT_NO_THROW(again = readMjcfText(text, "written.xml", directory)) << text;
  EXPECT_EQ(writeMjcf(again, directory), text);
}

TEST(MjcfWriter, LeavesOutDefaultsAndResolvesClasses) {
  const Spec spec = read(R"(<default><default class="c"><geom size="2" rgba="1 0 0 1"/></default></default>
    <worldbody><body name="b" childclass="c"><geom name="g"/></body></worldbody>)");
  const std::string text = writeMjcf(spec);
  EXPECT_NE(text.find("<geom name=\"g\" size=\"2 0 0\" rgba=\"1 0 0 1\"/>"), std::string::npos) << text;
  EXPECT_EQ(text.find("class"), std::string::npos);
  expectFixpoint(spec);
}

TEST(MjcfWriter, NumbersKeepEveryBit) {
  const double odd = 0.1 + 0.2;
  EXPECT_EQ(mjcf::parseReals(mjcf::formatNumber(odd), {mjcf::ValueFormat::Kind::Real})[0], odd);
  EXPECT_EQ(mjcf::formatNumber(0.1), "0.1");
  EXPECT_EQ(mjcf::formatNumber(0.1f), "0.1");
  EXPECT_EQ(mjcf::formatNumber(5e-324), "5e-324");
  Spec spec = read("<worldbody><geom/></worldbody>");
  spec.world.geoms[0].pos = {1.0 / 3, -1e300, 5e-324};
  spec.world.geoms[0].rgba = {1.0f / 3, 0, 1, 1};
  const Spec again = readMjcfText(writeMjcf(spec));
  EXPECT_EQ(again.world.geoms[0].pos, spec.world.geoms[0].pos);
  EXPECT_EQ(again.world.geoms[0].rgba, spec.world.geoms[0].rgba);
}

TEST(MjcfWriter, EscapesText) {
  Spec spec = read("");
  spec.modelname = "a<b>&\"c\"\nd\te";
  EXPECT_EQ(readMjcfText(writeMjcf(spec)).modelname, spec.modelname);
}

TEST(MjcfWriter, KeepsExtensionsAndSettings) {
  const Spec spec =
      read(R"(<compiler exactmeshinertia="false" gap="outside" angle="radian" eulerseq="ZYX" boundmass="0.1"
      inertiafromgeom="true"><lengthrange mode="all"/></compiler>
    <option timestep="0.003" integrator="RK4" o_solimp="0.5" actuatorgroupdisable="0 3"><flag contact="disable" energy="enable"/></option>
    <size nuserdata="3"/><statistic extent="2" center="1 2 3"/>
    <visual><headlight active="0"/></visual>)");
  const Spec again = readMjcfText(writeMjcf(spec));
  EXPECT_EQ(again.compiler.exactmeshinertia, false);
  EXPECT_EQ(again.compiler.gap, GapReading::Outside);
  EXPECT_EQ(again.compiler.eulerseq, "ZYX");
  EXPECT_EQ(again.compiler.lengthrange.mode, spec::LengthRangeMode::All);
  EXPECT_EQ(again.option, spec.option);
  EXPECT_EQ(again.option.disableactuator, 1 | 8);
  EXPECT_EQ(again.size.nuserdata, 3);
  EXPECT_EQ(again.statistic.center, spec.statistic.center);
  EXPECT_EQ(again.visual[0].attributes, spec.visual[0].attributes);
  expectFixpoint(spec);
}

TEST(MjcfWriter, KeepsFramesAndTheOrderOfElements) {
  Spec spec = read(
      R"(<worldbody><frame name="f" pos="1 0 0"><frame euler="0 0 30"><geom name="a"/></frame><geom name="b"/></frame>
    <geom name="c"/><frame name="empty"/></worldbody>)");
  std::swap(spec.world.geoms[0], spec.world.geoms[2]);
  const Spec again = readMjcfText(writeMjcf(spec));
  ASSERT_EQ(again.world.geoms.size(), 3u);
  EXPECT_EQ(again.world.geoms[0].name, "c");
  EXPECT_EQ(again.world.geoms[2].name, "a");
  const auto& frames = again.world.frames;
  const auto inner = static_cast<std::size_t>(again.world.geoms[2].frame);
  EXPECT_EQ(frames[inner].orientation.euler, (spec::Vec3{0, 0, 30}));
  EXPECT_EQ(frames[frames[inner].parent].pos, (spec::Vec3{1, 0, 0}));
  EXPECT_EQ(std::count_if(frames.begin(), frames.end(), [](const auto& f) { return f.name == "f"; }), 1);
  EXPECT_EQ(std::count_if(frames.begin(), frames.end(), [](const auto& f) { return f.name == "empty"; }), 1);
}

TEST(MjcfWriter, AnAlternativeOrientationReplacesTheQuatItHides) {
  Spec spec = read("<worldbody><geom quat=\"0 1 0 0\"/></worldbody>");
  spec.world.geoms[0].orientation.zaxis = spec::Vec3{1, 0, 0};
  const Spec again = readMjcfText(writeMjcf(spec));
  EXPECT_TRUE(again.world.geoms[0].orientation.zaxis.has_value());
}

TEST(MjcfWriter, KeepsJointsOfEveryKind) {
  const Spec spec = read(R"(<worldbody><body><freejoint name="f" align="true"/></body>
    <body><joint type="free" damping="1"/></body><body><joint type="ball"/><joint range="1 2" stiffness="1 2 3"/></body></worldbody>)");
  const std::string text = writeMjcf(spec);
  EXPECT_NE(text.find("<freejoint name=\"f\" align=\"true\"/>"), std::string::npos) << text;
  EXPECT_NE(text.find("<joint type=\"free\" damping=\"1 0 0\"/>"), std::string::npos) << text;
  expectFixpoint(spec);
}

TEST(MjcfWriter, KeepsActuatorsWithInheritedRanges) {
  const Spec spec = read(R"(<actuator><position joint="j" inheritrange="0.9" kp="3" dampratio="1"/>
    <intvelocity joint="j" inheritrange="1" ctrlrange="-2 2"/><position joint="j" inheritrange="1" timeconst="0.5"/><muscle joint="j"/></actuator>)");
  const std::string text = writeMjcf(spec);
  EXPECT_NE(text.find("<intvelocity "), std::string::npos) << text;
  EXPECT_NE(text.find("<position joint=\"j\" inheritrange=\"0.9\" kp=\"3\" dampratio=\"1\"/>"), std::string::npos)
      << text;
  const Spec again = readMjcfText(text);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(again.actuators[i].gainprm, spec.actuators[i].gainprm) << i;
    EXPECT_EQ(again.actuators[i].biasprm, spec.actuators[i].biasprm) << i;
    EXPECT_EQ(again.actuators[i].dynprm, spec.actuators[i].dynprm) << i;
    EXPECT_EQ(again.actuators[i].dyntype, spec.actuators[i].dyntype) << i;
    EXPECT_EQ(again.actuators[i].inheritrange, spec.actuators[i].inheritrange) << i;
  }
}

TEST(MjcfWriter, KeepsTheLookOfFixedTendons) {
  // MJCF can say it in a default class only
  const Spec spec = read(R"(<default><tendon width="2" rgba="1 0 0 1" stiffness="3"/></default>
    <tendon><fixed name="a" stiffness="0"><joint joint="j" coef="1"/></fixed><spatial name="b"/></tendon>)");
  const Spec again = readMjcfText(writeMjcf(spec));
  EXPECT_EQ(again.tendons[0].width, 2);
  EXPECT_EQ(again.tendons[0].rgba, spec.tendons[0].rgba);
  EXPECT_EQ(again.tendons[0].stiffness, spec.tendons[0].stiffness);
  EXPECT_EQ(again.tendons[1].stiffness[0], 3);
  expectFixpoint(spec);
}

TEST(MjcfWriter, KeyframesMayReferToTheReferenceConfiguration) {
  Spec spec = read("<keyframe><key qpos=\"1 ref 3\"/></keyframe>");
  ASSERT_TRUE(std::isnan((*spec.keys[0].qpos)[1]));
  EXPECT_NE(writeMjcf(spec).find("qpos=\"1 ref 3\""), std::string::npos);
  expectFixpoint(spec);
}

TEST(MjcfWriter, AssetPathsAreSeenFromTheNewPlace) {
  const Spec spec = readMjcfText(R"(<mujoco><compiler meshdir="parts" texturedir="pics"/>
    <asset><mesh file="a.stl"/><texture name="t" file="t.png"/></asset></mujoco>)",
                                 "m.xml", "models/arm");
  EXPECT_NE(writeMjcf(spec).find("file=\"models/arm/parts/a.stl\""), std::string::npos);
  const std::string moved = writeMjcf(spec, "models");
  EXPECT_NE(moved.find("file=\"arm/parts/a.stl\""), std::string::npos) << moved;
  EXPECT_NE(moved.find("file=\"arm/pics/t.png\""), std::string::npos) << moved;
}

TEST(MjcfWriter, KeepsEverySceneOfTheProject) {
  int scenes = 0;
  const fs::path folder = test::sourceDir() / "tests/conformance/scenes";
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    Spec spec;
    try {
      spec = readMjcf(file);
    } catch (const LoadError&) {
      continue;  // parts included by other scenes are not models
    }
    if (file.filename() == "attach_inertia_settings.xml") {  // one file has one way to make inertia
      try {
        writeMjcf(spec, file.parent_path());
        FAIL() << "was written";
      } catch (const LoadError& error) {
        EXPECT_EQ(
            std::string(error.what()),
            (folder / "parts/bounded_arm.xml").string() +
                ":5: <body name=\"p_upper\">: cannot be written into one file: it was attached from a model whose "
                "<compiler> makes inertia in another way");
      }
      continue;
    }
    expectFixpoint(spec, file.parent_path());
    ++scenes;
  }
  EXPECT_GE(scenes, 60);
}

// Run with SINEW_UPDATE_DOCS=1 to write the page anew.
TEST(SupportDocument, IsUpToDate) {
  const fs::path page = test::sourceDir() / "docs/support.md";
  const std::string expected = mjcf::supportDocument();
  if (std::getenv("SINEW_UPDATE_DOCS")) std::ofstream(page) << expected;
  std::ifstream stream(page);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_TRUE(text.str() == expected) << page << " does not say what the attribute table says";
}

}  // namespace
}  // namespace sinew
