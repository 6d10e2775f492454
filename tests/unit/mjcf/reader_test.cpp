// What the reader makes of models that are right: defaults, classes, frames, shorthands.
#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <set>
#include <string>

#include "mjcf/attribute_table.h"
#include "sinew/load.h"
#include "spec/names.h"
#include "support/command.h"

namespace sinew {
namespace {

using spec::Vec2;
using spec::Vec3;
using spec::Vec4;

Spec read(const std::string& content) { return readMjcfText("<mujoco>" + content + "</mujoco>"); }

TEST(MjcfDefaults, AnEmptyModelHasTheDefaultsOfMjcf) {
  const Spec spec = read("");
  EXPECT_EQ(spec.modelname, "MuJoCo Model");
  EXPECT_EQ(spec.option, Option{});
  EXPECT_TRUE(spec.compiler.degree);
  EXPECT_EQ(spec.compiler.eulerseq, "xyz");
  EXPECT_FALSE(spec.compiler.exactmeshinertia.has_value());
  EXPECT_EQ(spec.world.name, "world");
}

TEST(MjcfDefaults, NestedClassesStartAsCopiesOfTheirParents) {
  const Spec spec = read(R"(
    <default><geom density="2" friction="0.5 0.1"/>
      <default class="a"><geom friction="0.7"/><default class="b"><geom group="3"/></default></default>
    </default>
    <worldbody><geom/><geom class="a"/><geom class="b" density="9"/></worldbody>)");
  const auto& geoms = spec.world.geoms;
  EXPECT_EQ(geoms[0].friction, (Vec3{0.5, 0.1, 0.0001}));
  EXPECT_EQ(geoms[1].friction, (Vec3{0.7, 0.1, 0.0001}));  // a partial vector overwrites leading entries only
  EXPECT_EQ(geoms[2].group, 3);
  EXPECT_EQ(geoms[2].friction[0], 0.7);
  EXPECT_EQ(geoms[2].density, 9);
}

TEST(MjcfDefaults, OwnElementsOfAClassComeBeforeNestedClassesWhateverTheOrder) {
  const Spec spec = read(R"(
    <default><default class="a"><geom group="1"/></default><geom density="5"/></default>
    <worldbody><geom class="a"/></worldbody>)");
  EXPECT_EQ(spec.world.geoms[0].density, 5);
}

TEST(MjcfDefaults, ALaterSectionDoesNotReachClassesMadeBefore) {
  const Spec spec = read(R"(
    <default><default class="a"/></default><default><geom density="5"/></default>
    <worldbody><geom class="a"/><geom/></worldbody>)");
  EXPECT_EQ(spec.world.geoms[0].density, 1000);
  EXPECT_EQ(spec.world.geoms[1].density, 5);
}

TEST(MjcfDefaults, ClassThenFrameThenBodyDecide) {
  const Spec spec = read(R"(
    <default><default class="x"><geom group="1"/></default><default class="y"><geom group="2"/></default>
      <default class="z"><geom group="3"/></default></default>
    <worldbody><geom/><body childclass="x"><geom/>
      <frame childclass="y"><geom/><geom class="z"/><body><geom/></body></frame>
      <body><geom/></body></body></worldbody>)");
  const spec::Body& body = spec.world.bodies[0];
  EXPECT_EQ(spec.world.geoms[0].group, 0);
  EXPECT_EQ(body.geoms[0].group, 1);
  EXPECT_EQ(body.geoms[1].group, 2);
  EXPECT_EQ(body.geoms[2].group, 3);
  EXPECT_EQ(body.bodies[0].geoms[0].group, 2);
  EXPECT_EQ(body.bodies[1].geoms[0].group, 1);
}

TEST(MjcfDefaults, FreejointIgnoresThemAndJointOfTypeFreeDoesNot) {
  const Spec spec = read(R"(<default><joint damping="3" armature="2"/></default>
    <worldbody><body><freejoint/></body><body><joint type="free"/></body></worldbody>)");
  EXPECT_EQ(spec.world.bodies[0].joints[0].damping[0], 0);
  EXPECT_EQ(spec.world.bodies[0].joints[0].type, JointType::Free);
  EXPECT_EQ(spec.world.bodies[1].joints[0].damping[0], 3);
}

TEST(MjcfDefaults, ActuatorShorthandsShareOneRecord) {
  // a later shorthand of the same class overwrites what an earlier one set
  const Spec spec = read(R"(<default><position kp="10"/><motor/></default>
    <actuator><position joint="j"/><general joint="j"/></actuator>)");
  EXPECT_EQ(spec.actuators[0].gainprm[0], 1);
  EXPECT_EQ(spec.actuators[0].biasprm[1], -1);
  EXPECT_EQ(spec.actuators[1].biasprm[1], -10);
}

TEST(MjcfDefaults, AnInheritedAlternativeWinsOverAQuat) {
  const Spec spec = read(R"(<default><default class="c"><geom euler="0 0 90"/></default></default>
    <worldbody><geom class="c" quat="0 1 0 0"/><geom class="c" zaxis="1 0 0"/></worldbody>)");
  EXPECT_TRUE(spec.world.geoms[0].orientation.euler.has_value());
  EXPECT_EQ(spec.world.geoms[0].orientation.quat, (Vec4{0, 1, 0, 0}));
  EXPECT_FALSE(spec.world.geoms[1].orientation.euler.has_value());
  EXPECT_TRUE(spec.world.geoms[1].orientation.zaxis.has_value());
}

TEST(MjcfDefaults, ReachPairsEqualitiesTendonsMeshesCameras) {
  const Spec spec = read(R"(
    <default><pair condim="1"/><equality solref="0.1"/><tendon width="2" springlength="3"/><mesh scale="2 2 2"/>
      <camera fovy="30"/></default>
    <asset><mesh file="dir/part.stl"/></asset>
    <worldbody><camera/></worldbody>
    <contact><pair geom1="a" geom2="b"/></contact>
    <equality><joint joint1="j"/></equality>
    <tendon><spatial/><fixed/></tendon>)");
  EXPECT_EQ(spec.pairs[0].condim, 1);
  EXPECT_EQ(spec.equalities[0].solref, (Vec2{0.1, 1}));
  EXPECT_EQ(spec.tendons[0].width, 2);
  EXPECT_EQ(spec.tendons[1].springlength, (Vec2{3, 3}));  // one number stands for both
  EXPECT_EQ(spec.meshes[0].scale, (Vec3{2, 2, 2}));
  EXPECT_EQ(spec.meshes[0].name, "part");
  EXPECT_EQ(spec.world.cameras[0].fovy, 30);
}

TEST(MjcfReader, SectionsMergeInAnyOrder) {
  const Spec spec = read(R"(
    <worldbody><geom class="c"/></worldbody><option timestep="1"/><option gravity="0 0 0"/>
    <worldbody><geom/></worldbody><option><flag contact="disable" energy="enable"/></option>
    <option><flag energy="disable"/></option>
    <default><default class="c"><geom group="2"/></default></default>)");
  EXPECT_EQ(spec.world.geoms.size(), 2u);
  EXPECT_EQ(spec.world.geoms[0].group, 2);
  EXPECT_EQ(spec.option.timestep, 1);
  EXPECT_EQ(spec.option.gravity, (Vec3{0, 0, 0}));
  EXPECT_EQ(spec.option.disableflags, disable::kContact);
  EXPECT_EQ(spec.option.enableflags, 0);
}

TEST(MjcfReader, AssetDirectories) {
  const std::string mesh = R"(<asset><mesh name="m" file="a/b.stl"/></asset>)";
  const auto directory = [&](const std::string& compiler) {
    return readMjcfText("<mujoco>" + compiler + mesh + "</mujoco>", "m.xml", "base").meshes[0];
  };
  EXPECT_EQ(directory("").directory, "base/");
  EXPECT_EQ(directory("<compiler meshdir=\"x\"/>").directory, "base/x");
  EXPECT_EQ(directory("<compiler assetdir=\"y\"/>").directory, "base/y");
  EXPECT_EQ(directory("<compiler assetdir=\"y\" meshdir=\"x\"/>").directory, "base/x");
  EXPECT_EQ(directory("<compiler meshdir=\"/abs\"/>").directory, "/abs");
  EXPECT_EQ(directory("<compiler strippath=\"true\"/>").file, "b.stl");
}

TEST(MjcfReader, ExactMeshInertiaRemembersWhetherItWasMentioned) {
  EXPECT_EQ(read("<compiler exactmeshinertia=\"true\"/>").compiler.exactmeshinertia, true);
  EXPECT_EQ(read("<compiler exactmeshinertia=\"false\"/>").compiler.exactmeshinertia, false);
  EXPECT_EQ(read("<compiler gap=\"outside\"/>").compiler.gap, GapReading::Outside);
}

TEST(MjcfReader, FramesNestAndAreKept) {
  const Spec spec =
      read(R"(<worldbody><frame name="a" pos="1 0 0"><geom/><frame pos="0 2 0"><site/><body/></frame></frame>
    <geom/></worldbody>)");
  const spec::Body& world = spec.world;
  ASSERT_EQ(world.frames.size(), 2u);
  EXPECT_EQ(world.frames[0].name, "a");
  EXPECT_EQ(world.frames[1].parent, 0);
  EXPECT_EQ(world.geoms[0].frame, 0);
  EXPECT_EQ(world.geoms[1].frame, -1);
  EXPECT_EQ(world.sites[0].frame, 1);
  EXPECT_EQ(world.bodies[0].frame, 1);
}

TEST(MjcfReader, ActuatorShorthands) {
  const Spec spec = read(R"(<actuator>
    <motor joint="j"/><position joint="j" kp="5" kv="2"/><position joint="j" dampratio="1" timeconst="0.1"/>
    <velocity tendon="t" kv="3"/><intvelocity site="s" refsite="r" kp="4"/><damper joint="j" kv="7" ctrlrange="0 1"/>
    <cylinder joint="j" timeconst="2" diameter="2" bias="1 2 3"/><muscle tendon="t" force="100" range="0.5 1"/>
    <adhesion body="b" gain="6" ctrlrange="0 1"/><general cranksite="c" slidersite="d" cranklength="1"/>
    <general jointinparent="j"/></actuator>)");
  const auto& a = spec.actuators;
  EXPECT_EQ(a[0].trntype, TransmissionType::Joint);
  EXPECT_EQ(a[0].target, "j");
  EXPECT_EQ(a[1].gainprm[0], 5);
  EXPECT_EQ(a[1].biasprm[1], -5);
  EXPECT_EQ(a[1].biasprm[2], -2);
  EXPECT_EQ(a[1].biastype, BiasType::Affine);
  EXPECT_EQ(a[2].biasprm[2], 1);  // a damping ratio is positive until compiled
  EXPECT_EQ(a[2].dyntype, DynType::FilterExact);
  EXPECT_EQ(a[2].dynprm[0], 0.1);
  EXPECT_EQ(a[3].trntype, TransmissionType::Tendon);
  EXPECT_EQ(a[3].biasprm[2], -3);
  EXPECT_EQ(a[4].dyntype, DynType::Integrator);
  EXPECT_EQ(a[4].refsite, "r");
  EXPECT_EQ(a[5].gainprm[2], -7);
  EXPECT_EQ(a[5].ctrllimited, spec::Tri::True);
  EXPECT_EQ(a[6].gainprm[0], std::numbers::pi / 4 * 2 * 2);
  EXPECT_EQ(a[6].dyntype, DynType::Filter);
  EXPECT_EQ(a[6].biasprm[2], 3);
  EXPECT_EQ(a[7].gainprm[0], 0.5);
  EXPECT_EQ(a[7].gainprm[2], 100);
  EXPECT_EQ(a[7].gainprm[8], 1.2);
  EXPECT_EQ(a[7].biasprm[3], 200);
  EXPECT_EQ(a[7].dynprm[1], 0.04);
  EXPECT_EQ(a[8].trntype, TransmissionType::Body);
  EXPECT_EQ(a[9].trntype, TransmissionType::SliderCrank);
  EXPECT_EQ(a[9].target, "c");
  EXPECT_EQ(a[9].slidersite, "d");
  EXPECT_EQ(a[10].trntype, TransmissionType::JointInParent);
}

TEST(MjcfReader, Sensors) {
  const Spec spec = read(R"(<sensor><touch site="s"/><jointpos joint="j" cutoff="2"/><actuatorfrc actuator="a"/>
    <framepos objtype="xbody" objname="b" reftype="camera" refname="c"/><subtreecom body="b"/>
    <distance geom1="g" body2="b"/><contact subtree1="b" data="found dist" reduce="mindist" num="2"/>
    <rangefinder camera="c" data="dist normal"/><camprojection site="s" camera="c"/>
    <insidesite site="s" objtype="geom" objname="g"/><clock/><user dim="3" objtype="tendon" objname="t"/></sensor>)");
  const auto& s = spec.sensors;
  EXPECT_EQ(s[0].type, SensorType::Touch);
  EXPECT_EQ(s[0].objtype, ObjType::Site);
  EXPECT_EQ(s[1].objname, "j");
  EXPECT_EQ(s[2].objtype, ObjType::Actuator);
  EXPECT_EQ(s[3].objtype, ObjType::XBody);
  EXPECT_EQ(s[3].reftype, ObjType::Camera);
  EXPECT_EQ(s[3].refname, "c");
  EXPECT_EQ(s[4].objtype, ObjType::Body);
  EXPECT_EQ(s[5].objtype, ObjType::Geom);
  EXPECT_EQ(s[5].reftype, ObjType::Body);
  EXPECT_EQ(s[6].objtype, ObjType::XBody);
  EXPECT_EQ(s[6].intprm, (std::array<int, 3>{1 | 8, 1, 2}));
  EXPECT_EQ(s[7].objtype, ObjType::Camera);
  EXPECT_EQ(s[7].intprm[0], 1 | 16);
  EXPECT_EQ(s[8].reftype, ObjType::Camera);
  EXPECT_EQ(s[9].reftype, ObjType::Site);
  EXPECT_EQ(s[10].type, SensorType::Clock);
  EXPECT_EQ(s[11].dim, 3);
  EXPECT_EQ(s[11].objtype, ObjType::Tendon);
}

TEST(MjcfReader, TendonsEqualitiesCustomAndKeys) {
  const Spec spec = read(R"(
    <tendon><spatial name="t"><site site="a"/><geom geom="g" sidesite="s"/><pulley divisor="2"/></spatial>
      <fixed><joint joint="j" coef="3"/></fixed></tendon>
    <equality><connect body1="a" anchor="1 2 3"/><weld site1="a" site2="b"/><tendon tendon1="t"/></equality>
    <custom><numeric name="n" size="3" data="1 2"/><text name="x" data="abc"/>
      <tuple name="u"><element objtype="body" objname="b" prm="2"/></tuple></custom>
    <keyframe><key name="k" time="2" qpos="1 2 3"/><key ctrl=""/></keyframe>)");
  EXPECT_EQ(spec.tendons[0].path[1].type, WrapType::Sphere);
  EXPECT_EQ(spec.tendons[0].path[1].sidesite, "s");
  EXPECT_EQ(spec.tendons[0].path[2].value, 2);
  EXPECT_EQ(spec.tendons[1].path[0].value, 3);
  EXPECT_FALSE(spec.equalities[0].sites);
  EXPECT_EQ(spec.equalities[0].anchor, (Vec3{1, 2, 3}));
  EXPECT_TRUE(spec.equalities[1].sites);
  EXPECT_EQ(spec.equalities[2].type, EqualityType::Tendon);
  EXPECT_EQ(spec.numerics[0].size, 3);
  EXPECT_EQ(spec.tuples[0].entries[0].objtype, ObjType::Body);
  EXPECT_EQ(spec.keys[0].qpos->size(), 3u);
  EXPECT_FALSE(spec.keys[1].ctrl.has_value());
}

TEST(MjcfReader, VisualElementsAreKept) {
  const Spec spec = read(R"(<default><material specular="0.1"/></default>
    <visual><map znear="0.1"/></visual><visual><map zfar="9"/></visual>
    <asset><texture name="t" builtin="flat" width="1" height="1"/><material name="m" rgba="1 0 0 1"/></asset>
    <worldbody><light name="l" pos="0 0 1"/></worldbody>)");
  EXPECT_EQ(spec.visual.size(), 1u);
  EXPECT_EQ(spec.visual[0].attributes.size(), 2u);
  EXPECT_EQ(spec.materials[0].attributes.size(), 2u);
  EXPECT_EQ(spec.textures[0].name, "t");
  EXPECT_EQ(spec.world.lights[0].attributes[0].second, "0 0 1");
}

TEST(MjcfReader, LinesAreThoseOfTheElement) {
  const Spec spec = readMjcfText("<!-- a\n\n -->\n<mujoco>\n<worldbody>\n\n<geom\n  size=\"1\"/></worldbody></mujoco>");
  EXPECT_EQ(spec.world.geoms[0].origin.line, 7);
}

// Not XML, but MuJoCo reads it, and hand-written models have it. What stands in comments and values is left alone.
TEST(MjcfReader, AttributesMayLackTheSpaceBetweenThem) {
  Warnings warnings;
  const Spec spec = readMjcfText(
      "<mujoco>\n<!-- it's a=\"1\"b -->\n<worldbody>\n<geom name='say \"a\"b' type=\"box\"size=\"1 2 "
      "3\"\nmass=\"2\"/>\n"
      "<site name=\"s\"/></worldbody></mujoco>",
      "m.xml", {}, &warnings);
  EXPECT_EQ(spec.world.geoms[0].name, "say \"a\"b");
  EXPECT_EQ(spec.world.geoms[0].size, (Vec3{1, 2, 3}));
  EXPECT_EQ(spec.world.geoms[0].mass, 2);
  EXPECT_EQ(spec.world.sites[0].origin.line, 6);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "m.xml:4: not well-formed XML: attributes without a space between them");
}

// Models come from systems with other slashes, and with folders that this machine does not have.
TEST(MjcfReader, PathsMayHaveBackslashesAndDetours) {
  const test::TestFolder folder;
  folder.write("part.xml", "<mujoco><asset><mesh name=\"m\" file=\"none\\..\\corner.obj\"/></asset></mujoco>");
  folder.write("corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string file = folder.write("whole.xml",
                                        "<mujoco><include file=\"none\\..\\part.xml\"/><worldbody><body>"
                                        "<geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>");
  EXPECT_EQ(load(file).nmesh, 1);
}

// Published models end with a closing tag too many.
TEST(MjcfReader, AStrayClosingTagAtTheEndIsIgnored) {
  Warnings warnings;
  const Spec spec =
      readMjcfText("<mujoco><worldbody><site name=\"s\"/></worldbody></mujoco>\n</mujoco>\n", "m.xml", {}, &warnings);
  EXPECT_EQ(spec.world.sites.size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "m.xml:2: not well-formed XML: what follows the root element is ignored");
  EXPECT_THROW(readMjcfText("<mujoco><worldbody></mujoco></worldbody>"), LoadError);
  EXPECT_THROW(readMjcfText("</mujoco>"), LoadError);
}

TEST(MjcfReader, EmptyNumbersCountAsNotGiven) {
  Warnings warnings;
  const Spec spec = readMjcfText(
      "<mujoco><worldbody><body><geom size=\"1\" rgba=\"\" pos=\" \" mass=\"\" quat=\"\" euler=\"1 2 3\"/></body>"
      "</worldbody></mujoco>",
      "m.xml", {}, &warnings);
  EXPECT_FALSE(spec.world.bodies[0].geoms[0].mass.has_value());
  ASSERT_EQ(warnings.size(), 4u);
  EXPECT_EQ(warnings[0], "m.xml:1: <geom>: 'rgba' is empty and has no effect");
}

TEST(MjcfReader, MemoryMayHaveSpaceAroundIt) {
  EXPECT_NO_THROW(read("<size memory=\" 10K \"/>"));
  EXPECT_THROW(read("<size memory=\" \"/>"), LoadError);
  EXPECT_THROW(read("<size memory=\"1 0\"/>"), LoadError);
}

TEST(MjcfReader, DiscreteIsAnotherWordForImplicitFast) {
  const Spec spec = readMjcfText("<mujoco><option integrator=\"discrete\"/></mujoco>");
  EXPECT_EQ(spec.option.integrator, Integrator::ImplicitFast);
}

TEST(AttributeTable, EveryAttributeHasOneMeaning) {
  // no name twice in an element, keywords distinct, and every attribute is bound, visual, unsupported or `class`
  std::set<const mjcf::ElementType*> seen;
  const std::function<void(const mjcf::ElementType&, bool)> visit = [&](const mjcf::ElementType& type, bool refused) {
    if (!seen.insert(&type).second) return;
    refused = refused || !type.unsupported.empty();
    std::set<std::string_view> names;
    for (const mjcf::Attribute& a : type.attributes) {
      EXPECT_TRUE(names.insert(a.name).second) << type.tag << " " << a.name;
      EXPECT_TRUE(a.isBound() || a.name == "class" || type.visual || refused || !a.unsupported.empty())
          << type.tag << " " << a.name;
    }
    std::set<std::string_view> children;
    for (const mjcf::ChildRule& rule : type.children) {
      EXPECT_TRUE(children.insert(rule.type->tag).second) << type.tag << " " << rule.type->tag;
      visit(*rule.type, refused);
    }
  };
  visit(mjcf::grammar(), false);
  EXPECT_GT(seen.size(), 150u);
}

}  // namespace
}  // namespace sinew
