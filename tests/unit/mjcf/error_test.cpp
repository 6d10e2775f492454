// Every way a model file can be wrong, by the text of the message: a user must be able to act on it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "mjcf/document.h"
#include "sinew/load.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

/// The message of the LoadError that reading `text` gives; fails the test if it loads.
std::string errorOf(const std::string& text, const fs::path& directory = {}) {
  try {
    readMjcfText(text, "m.xml", directory);
  } catch (const LoadError& e) {
    return e.what();
  }
  ADD_FAILURE() << "this should not load: " << text;
  return "";
}

std::string model(const std::string& content) { return "<mujoco>\n" + content + "\n</mujoco>"; }
std::string world(const std::string& content) { return model("<worldbody>" + content + "</worldbody>"); }

/// A directory with files, removed at the end of the test.
class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() / ("sinew_mjcf_" + std::to_string(++counter_) + "_" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path add(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  static inline int counter_ = 0;
  fs::path path_;
};

TEST(MjcfErrors, AreNamedAfterFileLineElementAndAttribute) {
  EXPECT_EQ(errorOf(world("\n\n<body>\n<joint name=\"knee\" range=\"0 abc\"/></body>")),
            "m.xml:5: <joint name=\"knee\">: 'range' needs 2 numbers, found \"0 abc\"");
}

TEST(MjcfErrors, WrongCountsSayWhatIsExpected) {
  EXPECT_EQ(errorOf(world("<geom pos=\"1 2\"/>")), "m.xml:2: <geom>: 'pos' needs 3 numbers, found \"1 2\"");
  EXPECT_EQ(errorOf(world("<geom friction=\"1 2 3 4\"/>")),
            "m.xml:2: <geom>: 'friction' needs 1 to 3 numbers, found \"1 2 3 4\"");
  EXPECT_EQ(errorOf(world("<replicate count=\"\"/>")), "m.xml:2: <replicate>: missing required attribute 'count'");
  EXPECT_EQ(errorOf(world("<geom condim=\"3.5\"/>")), "m.xml:2: <geom>: 'condim' needs 1 integer, found \"3.5\"");
  EXPECT_EQ(errorOf(model("<keyframe><key qpos=\"1 x\"/></keyframe>")),
            "m.xml:2: <key>: 'qpos' needs numbers, found \"1 x\"");
}

TEST(MjcfErrors, NumbersMustBeFiniteAndInRange) {
  EXPECT_EQ(errorOf(world("<geom pos=\"0 nan 0\"/>")), "m.xml:2: <geom>: 'pos' must be finite, found \"0 nan 0\"");
  EXPECT_EQ(errorOf(world("<geom size=\"-INF\"/>")), "m.xml:2: <geom>: 'size' must be finite, found \"-INF\"");
  EXPECT_EQ(errorOf(world("<geom size=\"+infinity\"/>")),
            "m.xml:2: <geom>: 'size' must be finite, found \"+infinity\"");
  EXPECT_EQ(errorOf(model("<option timestep=\"1e999\"/>")),
            "m.xml:2: <option>: 'timestep' has a number out of range, found \"1e999\"");
  EXPECT_EQ(errorOf(world("<geom group=\"99999999999\"/>")),
            "m.xml:2: <geom>: 'group' has a number out of range, found \"99999999999\"");
}

TEST(MjcfErrors, NumbersTooSmallToRepresentAreZero) {
  const Spec spec = readMjcfText(world("<geom margin=\"1e-999\" size=\"+0.5\"/>"));
  EXPECT_EQ(spec.world.geoms[0].margin, 0);
  EXPECT_EQ(spec.world.geoms[0].size[0], 0.5);
}

TEST(MjcfErrors, UnknownAttributesAndElementsSuggestTheNearest) {
  EXPECT_EQ(errorOf(world("<geom frction=\"1\"/>")),
            "m.xml:2: <geom>: unknown attribute 'frction'; did you mean 'friction'?");
  EXPECT_EQ(errorOf(world("<geom qqqqqqqq=\"1\"/>")), "m.xml:2: <geom>: unknown attribute 'qqqqqqqq'");
  EXPECT_EQ(errorOf(world("<body><jiont/></body>")),
            "m.xml:2: <jiont>: unknown element in <body>; did you mean 'joint'?");
  EXPECT_EQ(errorOf(model("<default><geom name=\"x\"/></default>")),
            "m.xml:2: <geom name=\"x\">: unknown attribute 'name' in a default class");
}

TEST(MjcfErrors, BadKeywordsListTheAllowedOnes) {
  EXPECT_EQ(errorOf(world("<body><joint type=\"hing\"/></body>")),
            "m.xml:2: <joint>: 'type' must be one of free, ball, slide, hinge; found \"hing\" (did you mean "
            "\"hinge\"?)");
  EXPECT_EQ(errorOf(model("<compiler autolimits=\"yes\"/>")),
            "m.xml:2: <compiler>: 'autolimits' must be true or false, found \"yes\"");
  EXPECT_EQ(errorOf(model("<compiler exactmeshinertia=\"maybe\"/>")),
            "m.xml:2: <compiler>: 'exactmeshinertia' must be true or false, found \"maybe\"");
  EXPECT_EQ(errorOf(model("<sensor><rangefinder site=\"s\" data=\"dir dist\"/></sensor>")),
            "m.xml:2: <rangefinder>: 'data' must keep the order dist, dir, origin, point, normal, depth; found \"dir "
            "dist\"");
  EXPECT_EQ(errorOf(model("<sensor><contact data=\"pos pos\"/></sensor>")),
            "m.xml:2: <contact>: 'data' has \"pos\" twice");
}

TEST(MjcfErrors, RequiredAttributes) {
  EXPECT_EQ(errorOf(world("<body><inertial pos=\"0 0 0\"/></body>")),
            "m.xml:2: <inertial>: missing required attribute 'mass'");
  EXPECT_EQ(errorOf(model("<contact><pair geom1=\"a\"/></contact>")),
            "m.xml:2: <pair>: 'geom1' and 'geom2' must be given");
  EXPECT_EQ(errorOf(model("<actuator><motor name=\"m\"/></actuator>")),
            "m.xml:2: <motor name=\"m\">: the actuator has no target: give it a joint, tendon, site, body or "
            "slider-crank");
}

TEST(MjcfErrors, AttributesThatExcludeOrNeedEachOther) {
  EXPECT_EQ(errorOf(world("<geom quat=\"1 0 0 0\" euler=\"0 0 0\"/>")),
            "m.xml:2: <geom>: only one of 'quat' / 'axisangle' / 'xyaxes' / 'zaxis' / 'euler' may be given");
  EXPECT_EQ(errorOf(model("<equality><connect body1=\"a\"/></equality>")),
            "m.xml:2: <connect>: one of 'site1' + 'site2' / 'body1' + 'anchor' must be given");
  EXPECT_EQ(errorOf(model("<equality><weld body1=\"b\" site2=\"a\"/></equality>")),
            "m.xml:2: <weld>: only one of 'site1' + 'site2' / 'body1' + 'body2' + 'anchor' + 'relpose' may be given");
  EXPECT_EQ(errorOf(model("<sensor><framepos objtype=\"site\" objname=\"s\" reftype=\"site\"/></sensor>")),
            "m.xml:2: <framepos>: 'reftype' / 'refname' must be given together");
  EXPECT_EQ(errorOf(model("<actuator><position joint=\"j\" kv=\"1\" dampratio=\"1\"/></actuator>")),
            "m.xml:2: <position>: only one of 'kv' and 'dampratio' may be given");
  EXPECT_EQ(errorOf(model("<actuator><motor joint=\"j\" site=\"s\"/></actuator>")),
            "m.xml:2: <motor>: only one of 'joint', 'jointinparent', 'tendon', 'cranksite', 'site' and 'body' may be "
            "given");
  EXPECT_EQ(errorOf(model("<actuator><motor joint=\"j\" refsite=\"s\"/></actuator>")),
            "m.xml:2: <motor>: 'refsite' can only be used with 'site'");
  EXPECT_EQ(errorOf(model("<actuator><motor joint=\"j\" cranklength=\"1\"/></actuator>")),
            "m.xml:2: <motor>: 'cranklength' can only be used with 'cranksite'");
  EXPECT_EQ(errorOf(model("<actuator><position joint=\"j\" ctrlrange=\"0 1\" inheritrange=\"1\"/></actuator>")),
            "m.xml:2: <position>: only one of 'ctrlrange' and 'inheritrange' may be given");
  EXPECT_EQ(errorOf(model("<actuator><intvelocity joint=\"j\" actrange=\"0 1\" inheritrange=\"1\"/></actuator>")),
            "m.xml:2: <intvelocity>: only one of 'actrange' and 'inheritrange' may be given");
  EXPECT_EQ(errorOf(model("<default><general gainprm=\"-2\"/></default>\n<actuator><adhesion body=\"b\"/></actuator>")),
            "m.xml:3: <adhesion>: 'gain' cannot be negative, found -2");
}

TEST(MjcfErrors, ElementsThatMayAppearOnce) {
  EXPECT_EQ(errorOf(model("<option><flag/><flag/></option>")),
            "m.xml:2: <option>: <flag> may appear once, found 2 times");
}

TEST(MjcfErrors, NamesAreUniquePerKind) {
  EXPECT_EQ(errorOf(world("<geom name=\"a\"/>\n<geom name=\"a\"/>")),
            "m.xml:3: <geom name=\"a\">: the name \"a\" is used twice (first at m.xml:2)");
  EXPECT_EQ(errorOf(world("<body name=\"world\"/>")),
            "m.xml:2: <body name=\"world\">: the name \"world\" is used twice");
  EXPECT_NO_THROW(readMjcfText(world("<geom name=\"a\"/><site name=\"a\"/><geom/><geom/>")));
}

TEST(MjcfErrors, DuplicateAttributes) {
  EXPECT_EQ(errorOf(world("<geom size=\"1\" size=\"2\"/>")), "m.xml:2: <geom>: attribute 'size' is given twice");
}

TEST(MjcfErrors, ValuesOutsideTheirRange) {
  EXPECT_EQ(errorOf(world("<geom quat=\"0 0 0 0\"/>")), "m.xml:2: <geom>: 'quat' must not be zero");
  EXPECT_EQ(errorOf(model("<compiler eulerseq=\"xyw\"/>")),
            "m.xml:2: <compiler>: 'eulerseq' needs 3 letters out of xyzXYZ, found \"xyw\"");
  EXPECT_EQ(errorOf(model("<compiler coordinate=\"global\"/>")),
            "m.xml:2: <compiler>: coordinate=\"global\" is no longer part of MJCF; use local coordinates");
  EXPECT_EQ(errorOf(model("<option actuatorgroupdisable=\"31\"/>")),
            "m.xml:2: <option>: 'actuatorgroupdisable' needs groups between 0 and 30, found 31");
  EXPECT_EQ(errorOf(model("<size nuser_geom=\"-2\"/>")),
            "m.xml:2: <size>: 'nuser_geom' must be at least -1, found \"-2\"");
  EXPECT_EQ(errorOf(model("<size memory=\"10Q\"/>")),
            "m.xml:2: <size>: 'memory' needs a number of bytes with an optional suffix out of KMGTPE, found \"10Q\"");
  EXPECT_EQ(errorOf(model("<statistic extent=\"0\"/>")), "m.xml:2: <statistic>: 'extent' must be positive, found 0");
  EXPECT_EQ(errorOf(model("<custom><numeric name=\"n\" size=\"501\"/></custom>")),
            "m.xml:2: <numeric name=\"n\">: 'size' must be between 1 and 500, found 501");
  EXPECT_EQ(errorOf(model("<custom><numeric name=\"n\" size=\"1\" data=\"1 2\"/></custom>")),
            "m.xml:2: <numeric name=\"n\">: 'data' has 2 numbers, 'size' allows 1");
  EXPECT_EQ(errorOf(model("<custom><text name=\"t\" data=\"\"/></custom>")),
            "m.xml:2: <text name=\"t\">: 'data' must not be empty");
  EXPECT_EQ(
      errorOf(model("<asset><hfield name=\"h\" size=\"1 1 1 1\" nrow=\"2\" ncol=\"2\" elevation=\"1\"/></asset>")),
      "m.xml:2: <hfield name=\"h\">: 'elevation' needs nrow * ncol = 4 numbers, found 1");
  EXPECT_EQ(errorOf(model("<asset><mesh name=\"h\" maxhullvert=\"3\"/></asset>")),
            "m.xml:2: <mesh name=\"h\">: 'maxhullvert' must be -1 or at least 4, found 3");
  EXPECT_EQ(errorOf(model("<asset><mesh name=\"h\" builtin=\"sphere\"/></asset>")),
            "m.xml:2: <mesh name=\"h\">: 'builtin' needs 'params'");
  EXPECT_EQ(errorOf(model("<actuator><damper joint=\"j\" kv=\"-1\"/></actuator>")),
            "m.xml:2: <damper>: 'kv' cannot be negative, found -1");
  EXPECT_EQ(errorOf(model("<sensor><contact num=\"0\"/></sensor>")), "m.xml:2: <contact>: 'num' must be positive");
}

TEST(MjcfErrors, DefaultClasses) {
  EXPECT_EQ(errorOf(model("<default class=\"other\"/>")),
            "m.xml:2: <default>: the top-level class is always named \"main\", found \"other\"");
  EXPECT_EQ(errorOf(model("<default><default><geom/></default></default>")),
            "m.xml:2: <default>: a nested default needs a class name");
  EXPECT_EQ(errorOf(model("<default><default class=\"a\"/><default class=\"a\"/></default>")),
            "m.xml:2: <default>: default class \"a\" exists already");
  EXPECT_EQ(errorOf(model("<default><default class=\"visual\"/></default><worldbody><geom "
                          "class=\"vsual\"/></worldbody>")),
            "m.xml:2: <geom>: 'class' names the unknown default class \"vsual\"; did you mean \"visual\"?");
  EXPECT_EQ(errorOf(world("<body childclass=\"nope\"/>")),
            "m.xml:2: <body>: 'childclass' names the unknown default class \"nope\"");
}

TEST(MjcfErrors, TheWorldHasNoJointsAndNoInertia) {
  EXPECT_EQ(errorOf(world("<joint/>")), "m.xml:2: <joint>: this element cannot be placed in <worldbody>");
  EXPECT_EQ(errorOf(world("<frame><joint/></frame>")),
            "m.xml:2: <joint>: the world body cannot have joints or inertia");
  EXPECT_EQ(errorOf(world("<replicate count=\"2\"><joint/></replicate>")),
            "m.xml:2: <replicate>: the world body cannot have joints or inertia");
}

TEST(MjcfErrors, MalformedXml) {
  EXPECT_EQ(errorOf(""), "m.xml: the file is empty");
  EXPECT_EQ(errorOf("hello"), "m.xml:1: not well-formed XML: No document element found");
  EXPECT_EQ(errorOf("<mujoco>\n<worldbody>\n</mujoco>"), "m.xml:3: not well-formed XML: Start-end tags mismatch");
  EXPECT_EQ(errorOf("<mujoco/>\n<mujoco/>"), "m.xml:2: a second root element <mujoco>");
  EXPECT_EQ(errorOf(std::string("<mujoco>\n\0</mujoco>", 19)), "m.xml:2: the text contains the control character 0");
  EXPECT_EQ(errorOf("<scene/>"), "m.xml:1: <scene>: the root element of a model must be <mujoco>, or <robot> for URDF");
  EXPECT_EQ(errorOf("<robot name=\"r\"/>"), "m.xml:1: <robot name=\"r\">: the robot has no <link>");
}

TEST(MjcfErrors, NestingIsLimited) {
  std::string deep = "<mujoco><worldbody>";
  for (int i = 0; i < 200000; ++i) deep += "<body>";
  for (int i = 0; i < 200000; ++i) deep += "</body>";
  EXPECT_EQ(errorOf(deep + "</worldbody></mujoco>"), "m.xml:1: <body>: elements are nested more than 500 deep");
}

TEST(MjcfErrors, WhatTheLimitOfNestingAllowsIsReadAndWritten) {
  for (const std::string tag : {"body", "frame", "replicate count=\"1\""}) {
    std::string deep = "<mujoco><worldbody>";
    for (int i = 0; i < 490; ++i) deep += "<" + tag + ">";
    deep += "<geom/>";
    for (int i = 0; i < 490; ++i) deep += "</" + tag.substr(0, tag.find(' ')) + ">";
    const Spec spec = readMjcfText(deep + "</worldbody></mujoco>");
    EXPECT_GT(writeMjcf(spec).size(), 490u);
  }
}

TEST(MjcfErrors, CopiesAreLimited) {
  EXPECT_TRUE(errorOf(world("<replicate count=\"2000000000\"><geom/></replicate>"))
                  .starts_with("m.xml:2: <replicate>: 'count' 2000000000: these copies would need about "));
  std::string nested = "<geom/>";
  for (int i = 0; i < 10; ++i) nested = "<replicate count=\"100\">" + nested + "</replicate>";
  EXPECT_NE(errorOf(world(nested)).find("the limit is 2 GB (--max-memory, LoadOptions::maxMemory)"), std::string::npos);
  EXPECT_EQ(errorOf(world("<replicate count=\"-1\"><geom/></replicate>")),
            "m.xml:2: <replicate>: 'count' must not be negative, found -1");
}

TEST(MjcfErrors, ControllersSayWhatTheyMiss) {
  const auto actuator = [](const std::string& text) { return errorOf(model("<actuator>" + text + "</actuator>")); };
  EXPECT_EQ(
      actuator("<dcmotor joint=\"j\" resistance=\"1\"/>"),
      "m.xml:2: <dcmotor>: a positive motor constant is missing: give 'motorconst', or 'nominal' to find it from");
  EXPECT_EQ(actuator("<dcmotor joint=\"j\" motorconst=\"1\"/>"),
            "m.xml:2: <dcmotor>: a positive resistance is missing: give 'resistance', or 'nominal' to find it from");
  EXPECT_EQ(actuator("<dcmotor joint=\"j\" motorconst=\"1\" resistance=\"1\" thermal=\"2\"/>"),
            "m.xml:2: <dcmotor>: 'thermal' needs two of thermal resistance, thermal capacity and time constant, "
            "positive");
  EXPECT_EQ(actuator("<dcmotor joint=\"j\" motorconst=\"1\" resistance=\"1\" inductance=\"-2\"/>"),
            "m.xml:2: <dcmotor>: 'inductance' must not be negative, found -2 0");
  EXPECT_EQ(actuator("<pid joint=\"j\" kv=\"1\" dampratio=\"1\"/>"),
            "m.xml:2: <pid>: only one of 'kv' and 'dampratio' may be given");
  EXPECT_EQ(actuator("<pid joint=\"j\" posrange=\"0 1\" inheritrange=\"1\"/>"),
            "m.xml:2: <pid>: only one of 'posrange' and 'inheritrange' may be given");
  EXPECT_EQ(actuator("<pid joint=\"j\" slewmax=\"-1\"/>"), "m.xml:2: <pid>: 'slewmax' cannot be negative, found -1");
  EXPECT_NE(actuator("<pid joint=\"j\" input=\"voltage\"/>").find("must be one of pos, vel, ff"), std::string::npos);
  EXPECT_NE(actuator("<pid joint=\"j\" input=\"vel pos\"/>").find("m.xml:2: <pid>: 'input'"), std::string::npos);
  EXPECT_EQ(actuator("<orientation joint=\"j\" kv=\"-1\"/>"),
            "m.xml:2: <orientation>: 'kv' cannot be negative, found -1");
}

TEST(MjcfErrors, UnsupportedFeaturesAreNamed) {
  EXPECT_EQ(errorOf(world("<geom type=\"sdf\"/>")),
            "m.xml:2: <geom>: 'type' is \"sdf\": a geom of type sdf is not supported");
  EXPECT_EQ(errorOf(model("<extension><plugin plugin=\"p\"/></extension>")),
            "m.xml:2: <plugin>: the engine plugin \"p\" is not supported; \"mujoco.elasticity.cable\" is");
  EXPECT_EQ(errorOf(world("<geom size=\"1\"><plugin plugin=\"p\"/></geom>")),
            "m.xml:2: <plugin>: an engine plugin is not supported");
  EXPECT_EQ(errorOf(model("<actuator><general joint=\"j\" dyntype=\"user\"/></actuator>")),
            "m.xml:2: <general>: 'dyntype' is \"user\": a user-defined actuator callback is not supported");
  EXPECT_EQ(errorOf(model("<sensor><tactile geom=\"g\" mesh=\"m\"/></sensor>")),
            "m.xml:2: <tactile>: a tactile sensor is not supported");
}

TEST(MjcfWarnings, SayWhatHasNoEffect) {
  Warnings warnings;
  readMjcfText(model("<option/>oops<worldbody><replicate count=\"1\" "
                     "prefix=\"a\"><geom/></replicate></worldbody>"),
               "m.xml", {}, &warnings);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "m.xml:1: <mujoco>: the text \"oops\" has no meaning here");
  EXPECT_EQ(warnings[1], "m.xml:2: <replicate>: 'prefix' has no effect here");
}

TEST(MjcfFiles, MissingFilesAreNamed) {
  Folder folder;
  EXPECT_THROW(
      {
        try {
          readMjcf(folder.path() / "none.xml");
        } catch (const LoadError& e) {
          EXPECT_EQ(e.what(), (folder.path() / "none.xml").string() + ": no such file");
          throw;
        }
      },
      LoadError);
  EXPECT_EQ(errorOf(model("<include file=\"none.xml\"/>"), folder.path()),
            "m.xml:2: <include>: cannot find the included file \"none.xml\"; tried \"" +
                (folder.path() / "none.xml").string() + "\"");
  EXPECT_EQ(errorOf(model("<include file=\"sub/none.xml\"/>"), folder.path()),
            "m.xml:2: <include>: cannot find the included file \"sub/none.xml\"; tried \"" +
                (folder.path() / "sub/none.xml").string() + "\" (there is no directory \"" +
                (folder.path() / "sub").string() + "\")");
  EXPECT_THROW(readMjcf(folder.path()), LoadError);
}

TEST(MjcfFiles, ErrorsInIncludedFilesNameTheWholeChain) {
  Folder folder;
  const fs::path b = folder.add("b.xml", "<mujocoinclude>\n\n<include file=\"c.xml\"/></mujocoinclude>");
  const fs::path c = folder.add("c.xml", "<x>\n<worldbody>\n\n<geom type=\"cube\"/></worldbody></x>");
  EXPECT_EQ(errorOf(model("<include file=\"b.xml\"/>"), folder.path()),
            c.string() +
                ":4: <geom>: 'type' must be one of plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, "
                "sdf; found \"cube\"\n  included from " +
                b.string() + ":3\n  included from m.xml:2");
}

TEST(MjcfFiles, AFileIsIncludedOnce) {
  Folder folder;
  folder.add("b.xml", "<m><worldbody/></m>");
  EXPECT_EQ(errorOf(model("<include file=\"b.xml\"/>\n<include file=\"./b.xml\"/>"), folder.path()),
            "m.xml:3: <include>: file \"./b.xml\" is already part of the model; a file can be included once");
  const fs::path main = folder.add("main.xml", "<mujoco><include file=\"loop.xml\"/></mujoco>");
  folder.add("loop.xml", "<m><include file=\"main.xml\"/></m>");
  EXPECT_THROW(readMjcf(main), LoadError);
}

TEST(MjcfFiles, IncludesMustMakeSense) {
  Folder folder;
  folder.add("empty.xml", "");
  folder.add("bare.xml", "<m/>");
  EXPECT_EQ(errorOf(model("<include/>")), "m.xml:2: <include>: missing required attribute 'file'");
  EXPECT_EQ(errorOf(model("<include file=\"a\" x=\"b\"/>")),
            "m.xml:2: <include>: unknown attribute 'x'; only 'file' is known");
  EXPECT_EQ(errorOf(model("<include file=\"a\"><geom/></include>")),
            "m.xml:2: <include>: an include cannot have children");
  EXPECT_NE(errorOf(model("<include file=\"empty.xml\"/>"), folder.path()).find("the file is empty"),
            std::string::npos);
  EXPECT_EQ(errorOf(model("<include file=\"bare.xml\"/>"), folder.path()),
            "m.xml:2: <include>: the included file \"bare.xml\" has no elements");
}

TEST(MjcfFiles, AttachedModelsReportWhereTheyAreAttached) {
  Folder folder;
  folder.add("bad.xml", "<mujoco><worldbody><geom size=\"x\"/></worldbody></mujoco>");
  const fs::path self = folder.add("self.xml", "<mujoco><asset><model file=\"self.xml\"/></asset></mujoco>");
  const std::string text = errorOf(model("<asset><model file=\"bad.xml\"/></asset>"), folder.path());
  EXPECT_NE(text.find("bad.xml:1: <geom>: 'size' needs 1 to 3 numbers"), std::string::npos);
  EXPECT_NE(text.find("attached by m.xml:2"), std::string::npos);
  EXPECT_THROW(
      {
        try {
          readMjcf(self);
        } catch (const LoadError& e) {
          EXPECT_NE(std::string(e.what()).find("model \"self.xml\" attaches itself"), std::string::npos);
          throw;
        }
      },
      LoadError);
  EXPECT_EQ(errorOf(world("<attach model=\"m\" prefix=\"p\"/>")),
            "m.xml:2: <attach>: 'model' names the unknown model \"m\"");
  EXPECT_EQ(errorOf(world("<attach prefix=\"p\"/>")),
            "m.xml:2: <attach>: without 'model', one of 'body' and 'frame' must be given");
  EXPECT_EQ(errorOf(world("<attach body=\"b\" prefix=\"p\"/>")),
            "m.xml:2: <attach>: 'body' names \"b\", which is not a body above this element");
}

}  // namespace
}  // namespace sinew
