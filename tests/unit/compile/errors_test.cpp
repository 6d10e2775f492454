#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sinew/load.h"

namespace sinew {
namespace {

/// The message of the LoadError that a model causes, empty if it loads.
std::string errorOf(const std::string& xml) {
  try {
    compile(readMjcfText(xml));
  } catch (const LoadError& error) {
    return error.what();
  }
  return {};
}

/// A model around what goes into the world.
std::string inWorld(const std::string& content) {
  return "<mujoco>\n<worldbody>\n" + content + "\n</worldbody>\n</mujoco>";
}

/// The full path of a file in the present directory, in quotes.
std::string here(const char* file) { return "\"" + std::filesystem::absolute(file).string() + "\""; }

struct Case {
  const char* what;
  std::string xml;
  std::string message;
};

class CompileError : public testing::TestWithParam<Case> {};

TEST_P(CompileError, SaysWhereAndWhat) { EXPECT_EQ(errorOf(GetParam().xml), GetParam().message); }

const std::string kArm = R"(<body name="arm"><joint name="hinge"/><geom name="ball" size="0.1"/>
<site name="tip"/></body>)";

/// The arm, and sections after the worldbody, which ends at line 5.
std::string withArm(const std::string& sections) {
  return "<mujoco>\n<worldbody>\n" + kArm + "\n</worldbody>\n" + sections + "\n</mujoco>";
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, CompileError,
    testing::Values(
        Case{
            "NoMass", inWorld(R"(<body name="b"><joint/></body>)"),
            R"(model.xml:3: <body name="b">: a moving body needs mass and inertia, this has mass 0 and inertia 0 0 0)"},
        Case{
            "MasslessGeom", inWorld(R"(<body name="b"><joint/><geom size="1" mass="0"/></body>)"),
            R"(model.xml:3: <body name="b">: a moving body needs mass and inertia, this has mass 0 and inertia 0 0 0)"},
        Case{
            "Triangle",
            inWorld(R"(<body name="b"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>)"),
            R"(model.xml:3: <body name="b">: no body has the principal moments 1 1 3: the largest must not exceed the )"
            R"(sum of the others (balanceinertia in <compiler> replaces all by their mean))"},
        Case{"NegativeMass", inWorld(R"(<body name="b"><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>)"),
             R"(model.xml:3: <inertial>: 'mass' must not be negative, found -1)"},
        Case{"FullInertia",
             inWorld(R"(<body name="b"><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/></body>)"),
             R"(model.xml:3: <inertial>: the inertia has the principal moments 3 1 -1: all must be positive)"},
        Case{"ZeroAxis", inWorld(R"(<body name="b" axisangle="0 0 0 1"/>)"),
             R"(model.xml:3: <body name="b">: the axis of 'axisangle' has no direction: it is zero)"},
        Case{"ParallelAxes", inWorld(R"(<body name="b" xyaxes="1 0 0 2 0 0"/>)"),
             R"(model.xml:3: <body name="b">: the two axes of 'xyaxes' are parallel, or the second is zero)"},
        Case{"MocapWithJoint", inWorld(R"(<body name="b" mocap="true"><joint/><geom size="1"/></body>)"),
             R"(model.xml:3: <body name="b">: a mocap body must be a child of the world without joints)"},
        Case{"MocapBelow", inWorld(R"(<body><body name="b" mocap="true"/></body>)"),
             R"(model.xml:3: <body name="b">: a mocap body must be a child of the world without joints)"},
        Case{"Sleep", inWorld(R"(<body name="b" sleep="never"/>)"),
             R"(model.xml:3: <body name="b">: 'sleep' is for the topmost moving body of a tree)"},
        Case{"Timestep", "<mujoco>\n<option timestep=\"0\"/>\n</mujoco>",
             R"(model.xml:2: <option>: 'timestep' must be positive, found 0)"},
        Case{"TooLarge", inWorld(R"(<body><joint/><geom size="1e150"/></body>)"),
             "model.xml:3: <body>: the compiled model has body_mass[1] = inf: some number in it is too large"},
        Case{"UserColumns", "<mujoco>\n<size nuser_body=\"1000000000\"/>\n</mujoco>",
             "model.xml:2: <size>: 'nuser_body': body_user would take 7.5 GB of the 7.5 GB of memory that this model "
             "needs; the limit is 2 GB (--max-memory, LoadOptions::maxMemory)"}),
    [](const auto& info) { return info.param.what; });

INSTANTIATE_TEST_SUITE_P(
    Joints, CompileError,
    testing::Values(
        Case{"FreeBelow", inWorld(R"(<body><body><freejoint name="j"/><geom size="1"/></body></body>)"),
             R"(model.xml:3: <joint name="j">: a free joint is allowed only in a child of the world)"},
        Case{"FreeNotAlone", inWorld(R"(<body><joint name="j" type="free"/><joint/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: a free joint must be the only joint of its body)"},
        Case{"TooManyDofs",
             inWorld(
                 R"(<body name="b"><joint type="slide"/><joint type="slide"/><joint type="slide"/><joint type="slide"/>
<joint type="slide"/><joint type="slide"/><joint type="slide"/><geom size="1"/></body>)"),
             R"(model.xml:3: <body name="b">: a body can have at most 6 degrees of freedom, this has 7)"},
        Case{"AfterBall", inWorld("<body><joint type=\"ball\"/>\n<joint name=\"j\"/><geom size=\"1\"/></body>"),
             R"(model.xml:4: <joint name="j">: a ball joint cannot be followed by a rotation)"},
        Case{"Axis", inWorld(R"(<body><joint name="j" axis="0 0 0"/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: 'axis' is zero)"},
        Case{"Range", inWorld(R"(<body><joint name="j" limited="true" range="1 -1"/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: 'range' must grow, found 1 -1)"},
        Case{"BallRange", inWorld(R"(<body><joint name="j" type="ball" range="10 20"/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: a ball joint's 'range' must start at 0)"},
        Case{"ActuatorRange",
             inWorld(
                 R"(<body><joint name="j" actuatorfrclimited="true" actuatorfrcrange="1 1"/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: 'actuatorfrcrange' must grow, found 1 1)"},
        Case{"Autolimits",
             "<mujoco><compiler autolimits=\"false\"/>\n<worldbody>\n<body><joint name=\"j\" range=\"0 1\"/>"
             "<geom size=\"1\"/></body></worldbody></mujoco>",
             R"(model.xml:3: <joint name="j">: there is a 'range' but no 'limited', and the compiler has )"
             R"(autolimits="false": say limited="true" or "false", or leave the range out)"},
        Case{"SpringDamper", inWorld(R"(<body><joint name="j" springdamper="1 0"/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: both numbers of 'springdamper' must be positive)"},
        Case{"Armature", inWorld(R"(<body><joint name="j" armature="-1"/><geom size="1"/></body>)"),
             R"(model.xml:3: <joint name="j">: 'armature' must not be negative, found -1)"}),
    [](const auto& info) { return info.param.what; });

INSTANTIATE_TEST_SUITE_P(
    Geoms, CompileError,
    testing::Values(
        Case{"Plane", inWorld(R"(<body><joint/><geom name="g" type="plane" size="1 1 1"/><geom size="1"/></body>)"),
             R"(model.xml:3: <geom name="g">: a plane cannot be part of a moving body)"},
        Case{"PlaneBelow",
             inWorld(R"(<body><joint/><geom size="1"/><body><geom name="g" type="plane" size="1 1 1"/></body></body>)"),
             R"(model.xml:3: <geom name="g">: a plane cannot be part of a moving body)"},
        Case{"PlaneSize", inWorld(R"(<geom name="g" type="plane" size="1 1 0"/>)"),
             R"(model.xml:3: <geom name="g">: the third number of a plane's 'size' (grid spacing) must be positive)"},
        Case{"NoSize", inWorld(R"(<geom name="g" type="capsule" size="1"/>)"),
             R"(model.xml:3: <geom name="g">: number 2 of 'size' must be positive for this shape, found 0)"},
        Case{"NegativeSize", inWorld(R"(<geom name="g" type="box" size="1 1 -1"/>)"),
             R"(model.xml:3: <geom name="g">: number 3 of 'size' must be positive for this shape, found -1)"},
        Case{"Condim", inWorld(R"(<geom name="g" size="1" condim="2"/>)"),
             R"(model.xml:3: <geom name="g">: 'condim' must be 1, 3, 4 or 6, found 2)"},
        Case{"Gap", inWorld(R"(<geom name="g" size="1" gap="-1"/>)"),
             R"(model.xml:3: <geom name="g">: 'gap' must not be negative, found -1)"},
        Case{"Margin", inWorld(R"(<geom name="g" size="1" margin="-2" gap="1"/>)"),
             R"(model.xml:3: <geom name="g">: 'margin' plus 'gap' must not be negative, found -1)"},
        Case{"Friction", inWorld(R"(<geom name="g" size="1" friction="-1 0 0"/>)"),
             R"(model.xml:3: <geom name="g">: 'friction' must not be negative, found -1)"},
        Case{"Mass", inWorld(R"(<body><geom name="g" size="1" mass="-1"/></body>)"),
             R"(model.xml:3: <geom name="g">: 'mass' must not be negative, found -1)"},
        Case{"Density", inWorld(R"(<body><geom name="g" size="1" density="-1"/></body>)"),
             R"(model.xml:3: <geom name="g">: 'density' must not be negative, found -1)"},
        Case{"FromToSphere", inWorld(R"(<geom name="g" size="1" fromto="0 0 0 1 0 0"/>)"),
             R"(model.xml:3: <geom name="g">: 'fromto' is for capsules, cylinders, ellipsoids and boxes)"},
        Case{"FromToPoint", inWorld(R"(<geom name="g" type="capsule" size="1" fromto="1 0 0 1 0 0"/>)"),
             R"(model.xml:3: <geom name="g">: the two points of 'fromto' coincide)"},
        Case{"FromToPos", inWorld(R"(<geom name="g" type="capsule" size="1" pos="1 0 0" fromto="0 0 0 1 0 0"/>)"),
             R"(model.xml:3: <geom name="g">: 'pos' and 'fromto' cannot both be given)"},
        Case{"NoMeshName", inWorld(R"(<geom name="g" type="mesh"/>)"),
             R"(model.xml:3: <geom name="g">: a geom of type mesh needs the attribute 'mesh')"},
        Case{"UnknownMesh", inWorld(R"(<geom name="g" type="mesh" mesh="nose"/>)"),
             R"(model.xml:3: <geom name="g">: no mesh is named "nose")"},
        Case{"UnknownHField", inWorld(R"(<geom name="g" type="hfield" hfield="alps"/>)"),
             R"(model.xml:3: <geom name="g">: no hfield is named "alps")"},
        Case{"UnknownMaterial", inWorld(R"(<geom name="g" size="1" material="gold"/>)"),
             R"(model.xml:3: <geom name="g">: no material is named "gold")"},
        Case{"SameName", inWorld("<geom name=\"g\" size=\"1\"/>\n<geom name=\"g\" size=\"1\"/>"),
             R"(model.xml:4: <geom name="g">: the name "g" is used twice (first at model.xml:3))"},
        Case{"SiteShape", inWorld(R"(<site name="s" type="plane" size="1 1 1"/>)"),
             R"(model.xml:3: <site name="s">: a site must be a sphere, capsule, ellipsoid, cylinder or box)"},
        Case{"CameraTarget", inWorld(R"(<camera name="c" mode="targetbody" target="moon"/>)"),
             R"(model.xml:3: <camera name="c">: no body is named "moon")"},
        Case{"CameraAngle", inWorld(R"(<camera name="c" fovy="180"/>)"),
             R"(model.xml:3: <camera name="c">: 'fovy' must be below 180 degrees, found 180)"},
        Case{"UserData",
             "<mujoco><size nuser_geom=\"1\"/>\n<worldbody>\n<geom name=\"g\" size=\"1\" user=\"1 2\"/>"
             "</worldbody></mujoco>",
             R"(model.xml:3: <geom name="g">: 'user' has 2 numbers, but <size nuser_geom="1">)"}),
    [](const auto& info) { return info.param.what; });

INSTANTIATE_TEST_SUITE_P(
    Assets, CompileError,
    testing::Values(
        Case{"MissingFile", "<mujoco>\n<asset>\n<mesh name=\"m\" file=\"nowhere.stl\"/></asset></mujoco>",
             R"(model.xml:3: <mesh name="m">: file "nowhere.stl" does not exist; tried )" + here("nowhere.stl")},
        Case{"UnknownFormat", "<mujoco>\n<asset>\n<mesh name=\"m\" file=\"shape.doc\"/></asset></mujoco>",
             R"(model.xml:3: <mesh name="m">: unknown mesh file type 'shape.doc'; known are .obj, .stl and .msh)"},
        Case{"HFieldSize",
             "<mujoco>\n<asset>\n<hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 0 1\"/></asset></mujoco>",
             R"(model.xml:3: <hfield name="h">: all four numbers of 'size' must be positive, found 0)"},
        Case{"Texture", "<mujoco>\n<asset>\n<material name=\"m\" texture=\"bark\"/></asset></mujoco>",
             R"(model.xml:3: <material name="m">: no texture is named "bark")"},
        Case{"LayerTexture",
             "<mujoco>\n<asset>\n<texture file=\"a/wood.png\"/><material name=\"m\" texture=\"wood\"/>"
             "<material name=\"n\"><layer role=\"rgb\" texture=\"bark\"/></material></asset></mujoco>",
             R"(model.xml:3: <material name="n">: no texture is named "bark")"},
        Case{"HFieldMissing",
             "<mujoco>\n<asset>\n<hfield name=\"h\" file=\"h.png\" size=\"1 1 1 1\"/></asset></mujoco>",
             R"(model.xml:3: <hfield name="h">: file "h.png" does not exist; tried )" + here("h.png")}),
    [](const auto& info) { return info.param.what; });

INSTANTIATE_TEST_SUITE_P(
    References, CompileError,
    testing::Values(
        Case{"PairGeom", withArm("<contact>\n<pair name=\"p\" geom1=\"ball\" geom2=\"bat\"/></contact>"),
             R"(model.xml:7: <pair name="p">: no geom is named "bat")"},
        Case{"PairOfOneGeom", withArm("<contact>\n<pair name=\"p\" geom1=\"ball\" geom2=\"ball\"/></contact>"),
             R"(model.xml:7: <pair name="p">: geom "ball" is paired with itself)"},
        Case{"PairCondim",
             withArm("<contact>\n<pair name=\"p\" geom1=\"ball\" geom2=\"ball\" condim=\"5\"/></contact>"),
             R"(model.xml:7: <pair name="p">: 'condim' must be 1, 3, 4 or 6, found 5)"},
        Case{"ExcludeBody", withArm("<contact>\n<exclude name=\"e\" body1=\"arm\" body2=\"leg\"/></contact>"),
             R"(model.xml:7: <exclude name="e">: no body is named "leg")"},
        Case{"EqualityJoint", withArm("<equality>\n<joint name=\"e\" joint1=\"hinge\" joint2=\"knee\"/></equality>"),
             R"(model.xml:7: <joint name="e">: no joint is named "knee")"},
        Case{"EqualityItself", withArm("<equality>\n<joint name=\"e\" joint1=\"hinge\" joint2=\"hinge\"/></equality>"),
             R"(model.xml:7: <joint name="e">: "hinge" is constrained to itself)"},
        Case{"EqualityWorld", withArm("<equality>\n<weld name=\"e\" body1=\"world\"/></equality>"),
             R"(model.xml:7: <weld name="e">: "world" is constrained to itself)"},
        Case{"TendonJoint", withArm("<tendon><fixed name=\"t\">\n<joint joint=\"knee\" coef=\"1\"/></fixed></tendon>"),
             R"(model.xml:7: <joint>: no joint is named "knee")"},
        Case{"TendonSite",
             withArm("<tendon><spatial name=\"t\">\n<site site=\"tip\"/><site site=\"toe\"/></spatial></tendon>"),
             R"(model.xml:7: <site>: no site is named "toe")"},
        Case{"TendonShort", withArm("<tendon>\n<spatial name=\"t\"><site site=\"tip\"/></spatial></tendon>"),
             R"(model.xml:7: <spatial name="t">: a spatial tendon needs at least two sites)"},
        Case{"TendonRepeats",
             withArm("<tendon>\n<spatial name=\"t\"><site site=\"tip\"/><site site=\"tip\"/></spatial></tendon>"),
             R"(model.xml:7: <site>: a site cannot follow itself)"},
        Case{"TendonGeomEnd",
             withArm("<tendon>\n<spatial name=\"t\"><geom geom=\"ball\"/><site site=\"tip\"/></spatial></tendon>"),
             R"(model.xml:7: <geom>: a geom must stand between two sites)"},
        Case{"ArmatureOfAWrappingTendon",
             withArm(
                 "<tendon><spatial name=\"t\"><site site=\"tip\"/><geom geom=\"ball\"/><site site=\"end\"/></spatial>"
                 "</tendon>\n<actuator><motor name=\"m\" tendon=\"t\" armature=\"1\"/></actuator>\n"
                 "<worldbody><site name=\"end\" pos=\"1 0 0\"/></worldbody>"),
             R"(model.xml:7: <actuator name="m">: 'armature' needs a tendon that wraps around nothing, and "t" does)"},
        Case{"LengthRangeSteps",
             withArm("<compiler><lengthrange timestep=\"1e-9\"/></compiler>\n<actuator><muscle "
                     "joint=\"hinge\"/></actuator>"),
             "model.xml:6: <lengthrange>: inttotal = 10 seconds with timestep = 1e-09 are more than 1000000 steps"},
        Case{
            "Keyframes", withArm("<keyframe><key/></keyframe>\n<size nkey=\"500000000\"/>"),
            "model.xml:7: <size>: 'nkey': key_time would take 3.7 GB of the 13 GB of memory that this model needs; the "
            "limit is 2 GB (--max-memory, LoadOptions::maxMemory)"},
        Case{
            "UserData", withArm("<size nuserdata=\"2000000000\"/>"),
            "model.xml:6: <size>: 'nuserdata': userdata would take 15 GB of the 15 GB of memory that this model needs; "
            "the limit is 2 GB (--max-memory, LoadOptions::maxMemory)"},
        Case{"Erp", withArm("<option erp=\"2\"/>"), "model.xml:6: <option>: 'erp' must be from 0 to 1, found 2"},
        Case{"ImpulseWithRungeKutta", withArm("<option solver=\"Impulse\" integrator=\"RK4\"/>"),
             "model.xml:6: <option>: the Impulse solver works on the velocity of one step and does not go with "
             "integrator=\"RK4\"; Euler, implicit, implicitfast and midpoint do"},
        Case{"ActuatorJoint", withArm("<actuator>\n<motor name=\"m\" joint=\"knee\"/></actuator>"),
             R"(model.xml:7: <actuator name="m">: no joint is named "knee")"},
        Case{"ActuatorRange",
             withArm("<actuator>\n<motor name=\"m\" joint=\"hinge\" ctrllimited=\"true\"/></actuator>"),
             R"(model.xml:7: <actuator name="m">: 'ctrlrange' must grow, found 0 0)"},
        Case{"ActuatorNoState",
             withArm("<actuator>\n<general name=\"m\" joint=\"hinge\" actrange=\"0 1\"/></actuator>"),
             R"(model.xml:7: <actuator name="m">: 'actrange' is given, but the actuator has no state)"},
        Case{"InheritNothing",
             withArm("<actuator>\n<position name=\"m\" joint=\"hinge\" inheritrange=\"1\"/></actuator>"),
             R"(model.xml:7: <actuator name="m">: 'inheritrange' is given, but "hinge" has no range)"},
        Case{"MuscleRange",
             withArm("<actuator>\n<muscle name=\"m\" joint=\"hinge\" range=\"1 0.5\" lengthrange=\"0 1\"/></actuator>"),
             R"(model.xml:7: <actuator name="m">: a muscle's 'range' must grow, found 1 0.5)"},
        Case{"SensorSite", withArm("<sensor>\n<gyro name=\"s\" site=\"toe\"/></sensor>"),
             R"(model.xml:7: <gyro name="s">: no site is named "toe")"},
        Case{"SensorBall", withArm("<sensor>\n<ballquat name=\"s\" joint=\"hinge\"/></sensor>"),
             R"(model.xml:7: <ballquat name="s">: joint "hinge" must be a ball)"},
        Case{"SensorLimit", withArm("<sensor>\n<jointlimitpos name=\"s\" joint=\"hinge\"/></sensor>"),
             R"(model.xml:7: <jointlimitpos name="s">: joint "hinge" has no limits)"},
        Case{"SensorCutoff",
             withArm("<sensor>\n<framequat name=\"s\" objtype=\"site\" objname=\"tip\" cutoff=\"1\"/></sensor>"),
             R"(model.xml:7: <framequat name="s">: 'cutoff' makes no sense for axes and quaternions)"},
        Case{"KeyQpos", withArm("<keyframe>\n<key name=\"k\" qpos=\"0 0\"/></keyframe>"),
             R"(model.xml:7: <key name="k">: 'qpos' needs 1 numbers, found 2)"},
        Case{"KeyCtrl", withArm("<keyframe>\n<key name=\"k\" ctrl=\"1\"/></keyframe>"),
             R"(model.xml:7: <key name="k">: 'ctrl' needs 0 numbers, found 1)"},
        Case{"TupleBody",
             withArm("<custom>\n<tuple name=\"t\"><element objtype=\"body\" objname=\"leg\"/></tuple></custom>"),
             R"(model.xml:7: <tuple name="t">: no body is named "leg")"}),
    [](const auto& info) { return info.param.what; });

// A Spec made by a program has no file and line; the message then starts with the element.
TEST(CompileErrors, ElementsWithoutOriginAreNamedByTag) {
  Spec spec;
  spec::Body body;
  body.name = "b";
  body.joints.emplace_back();
  spec.world.bodies.push_back(body);
  try {
    compile(spec);
    FAIL() << "must not compile";
  } catch (const LoadError& error) {
    EXPECT_EQ(std::string(error.what()),
              "<body name=\"b\">: a moving body needs mass and inertia, this has mass 0 and inertia 0 0 0");
  }
}

/// The error of a model whose actuator section is this, without its place.
std::string actuatorError(const std::string& actuator) {
  try {
    compile(
        readMjcfText("<mujoco><worldbody><site name='fixed'/><body><joint name='hinge'/><geom size='1'/>"
                     "<body><joint name='ball' type='ball'/><geom size='1'/><site name='s'/></body></body></worldbody>"
                     "<actuator>" +
                     actuator + "</actuator></mujoco>"));
  } catch (const LoadError& error) {
    const std::string text = error.what();
    return text.substr(text.rfind(">: ") + 3);
  }
  return {};
}

TEST(CompileErrors, PartsOfAnActuatorMustFitTogether) {
  EXPECT_EQ(actuatorError("<general joint='ball' gaintype='so3'/>"),
            "gaintype and biastype must both be so3, or neither");
  EXPECT_EQ(actuatorError("<general joint='ball' gaintype='so3' biastype='so3' biasprm='0 -2'/>"),
            "an orientation (so3) actuator needs gainprm[0] = -biasprm[1], found 1 and -2");
  EXPECT_EQ(actuatorError("<general joint='ball' gaintype='so3' biastype='so3' biasprm='0 -1' dyntype='filter'/>"),
            "an orientation (so3) actuator needs dyntype none or integrator");
  EXPECT_EQ(actuatorError("<general joint='ball' gaintype='so3' biastype='so3' biasprm='0 -1' dyntype='integrator' "
                          "input='quat'/>"),
            "input=\"quat\" needs dyntype none: a quaternion is not integrated");
  EXPECT_EQ(actuatorError("<orientation joint='hinge'/>"),
            "an orientation (so3) actuator needs a ball joint, \"hinge\" is none");
  EXPECT_EQ(actuatorError("<orientation site='s'/>"), "an orientation (so3) actuator on a site needs 'refsite'");
  EXPECT_EQ(actuatorError("<orientation joint='ball' forcerange='-1 1'/>"),
            "'forcerange' of an orientation (so3) actuator bounds the length of its torque and starts at 0");
  EXPECT_EQ(actuatorError("<general joint='hinge' gaintype='pid'/>"), "a pid actuator needs biastype affine");
  EXPECT_EQ(actuatorError("<general joint='hinge' dyntype='pid'/>"), "dyntype pid needs gaintype pid");
  EXPECT_EQ(actuatorError("<general joint='hinge' gaintype='pid' biastype='affine'/>"),
            "an integral gain (gainprm[0]) needs dyntype pid");
  EXPECT_EQ(actuatorError("<pid joint='hinge' ki='1' input='vel'/>"),
            "an integral or a limited slew rate needs the input pos");
  EXPECT_EQ(actuatorError("<pid joint='hinge' velrange='2 1'/>"), "'velrange' must grow, found 2 1");
  EXPECT_EQ(actuatorError("<general joint='hinge' gaintype='dcmotor' gainprm='1 1'/>"),
            "gaintype and dyntype must both be dcmotor, or neither; biastype dcmotor goes with them");
  EXPECT_EQ(actuatorError("<general joint='hinge' gaintype='dcmotor' gainprm='1 1' dyntype='dcmotor'/>"),
            "a dcmotor acts with the current at the end of the step: give actearly=\"true\"");
  EXPECT_EQ(actuatorError("<dcmotor joint='hinge' motorconst='1' resistance='1' controller='1'/>"),
            "controller gains need one of the inputs pos, vel, ff");
  EXPECT_EQ(actuatorError("<dcmotor joint='hinge' motorconst='1' resistance='1' controller='0 1' input='vel'/>"),
            "an integral gain needs the input pos");
  EXPECT_EQ(actuatorError("<general joint='hinge' input='pos'/>"),
            "'input' is for actuators with gaintype so3, pid or dcmotor");
  EXPECT_EQ(actuatorError("<motor joint='hinge' delay='1'/>"), "'delay' needs samples to look back at: give 'nsample'");
  EXPECT_EQ(actuatorError("<motor joint='hinge' delay='-1' nsample='2'/>"), "'delay' must not be negative, found -1");
  EXPECT_EQ(actuatorError("<motor joint='hinge' nsample='-2'/>"), "'nsample' must not be negative, found -2");
  EXPECT_EQ(actuatorError("<pid joint='hinge' delay='1' nsample='2'/>"), "'delay' needs an actuator with one control");
  EXPECT_EQ(actuatorError("<dcmotor joint='hinge' motorconst='1' resistance='1' input='none' nsample='2'/>"),
            "'nsample' needs an actuator with a control");
  EXPECT_EQ(actuatorError("</actuator><sensor><clock interval='1 -1'/></sensor><actuator>"),
            "the phase of 'interval' must be above minus its period, found 1 -1");
  EXPECT_EQ(actuatorError("</actuator><sensor><clock interval='1 .5'/></sensor><actuator>"),
            "the phase of 'interval' must not be positive, found 0.5");
}

// What the reader would not let pass can still come from a program.
TEST(CompileErrors, UnsupportedFeaturesAreNamed) {
  Spec spec = readMjcfText(withArm("<actuator><motor name=\"m\" joint=\"hinge\"/></actuator>"));
  const auto message = [](const Spec& changed) -> std::string {
    try {
      compile(changed);
    } catch (const LoadError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(message(spec), "");

  Spec sdf = spec;
  sdf.world.bodies[0].geoms[0].type = GeomType::Sdf;
  EXPECT_EQ(message(sdf), "model.xml:3: <geom name=\"ball\">: type=\"sdf\" is not supported");
  Spec sensor = spec;
  sensor.sensors.emplace_back();
  sensor.sensors[0].type = SensorType::Tactile;
  EXPECT_EQ(message(sensor), "<tactile>: the sensor <tactile> is not supported");
}

// MJCF has a limit of its own for one <numeric>: only a program comes this far.
TEST(CompileErrors, NumericsThatAreTooManyTogetherAreNamed) {
  Spec spec;
  for (const char* name : {"a", "b"}) {
    spec::Numeric& numeric = spec.numerics.emplace_back();
    numeric.name = name;
    numeric.size = 60'000'000;
  }
  try {
    compile(spec);
    FAIL() << "it was compiled";
  } catch (const LoadError& error) {
    EXPECT_STREQ(error.what(),
                 R"(<numeric name="b">: all <numeric> up to here have 120000000 numbers, 100000000 is the limit)");
  }
}

}  // namespace
}  // namespace sinew
