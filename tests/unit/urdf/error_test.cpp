// What a URDF file can get wrong, and what it says that Sinew leaves aside.
#include <gtest/gtest.h>

#include <string>

#include "sinew/load.h"

namespace sinew {
namespace {

std::string errorOf(const std::string& content) {
  try {
    compile(readMjcfText("<robot name=\"r\">\n" + content + "\n</robot>", "r.urdf"));
  } catch (const LoadError& error) {
    return error.what();
  }
  return "";
}

std::string warningsOf(const std::string& content) {
  Warnings warnings;
  compile(readMjcfText("<robot name=\"r\" xmlns:drake=\"d\">\n" + content + "\n</robot>", "r.urdf", {}, &warnings));
  std::string all;
  for (const std::string& warning : warnings) all += warning + "\n";
  return all;
}

const std::string kInertial =
    R"(<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>)";
const std::string kTwo = "<link name=\"a\"/><link name=\"b\">" + kInertial + "</link>";

std::string link(const std::string& content) { return "<link name=\"a\">\n" + content + "</link>"; }
std::string joint(const std::string& content, const std::string& type = "continuous") {
  return kTwo + "\n<joint name=\"j\" type=\"" + type + "\"><parent link=\"a\"/><child link=\"b\"/>\n" + content +
         "</joint>";
}

TEST(UrdfErrors, NameTheMissingAttributeOrElement) {
  EXPECT_EQ(errorOf("<link/>"), "r.urdf:2: <link>: missing required attribute 'name'");
  EXPECT_EQ(errorOf("<link name=\"\"/>"), "r.urdf:2: <link>: 'name' must not be empty");
  EXPECT_EQ(
      errorOf(link("<inertial><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>")),
      "r.urdf:3: <inertial>: missing required element <mass>");
  EXPECT_EQ(errorOf(link("<inertial><mass value=\"1\"/></inertial>")),
            "r.urdf:3: <inertial>: missing required element <inertia>");
  EXPECT_EQ(errorOf(link("<inertial><mass value=\"1\"/><inertia ixx=\"1\"/></inertial>")),
            "r.urdf:3: <inertia>: missing required attribute 'iyy'");
  EXPECT_EQ(errorOf(link("<collision/>")), "r.urdf:3: <collision>: missing required element <geometry>");
  EXPECT_EQ(errorOf(link("<collision><geometry/></collision>")),
            "r.urdf:3: <geometry>: one of <box>, <cylinder>, <sphere>, <capsule> and <mesh> must be given, found 0 "
            "elements");
  EXPECT_EQ(errorOf(link("<collision><geometry><cylinder radius=\"1\"/></geometry></collision>")),
            "r.urdf:3: <cylinder>: missing required attribute 'length'");
  EXPECT_EQ(errorOf(kTwo + "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"),
            "r.urdf:2: <joint name=\"j\">: missing required element <child>");
  EXPECT_EQ(errorOf(joint("<axis/>")), "r.urdf:4: <axis>: missing required attribute 'xyz'");
  EXPECT_EQ(errorOf(joint("<mimic/>")), "r.urdf:4: <mimic>: missing required attribute 'joint'");
  EXPECT_EQ(errorOf(""), "r.urdf:1: <robot name=\"r\">: the robot has no <link>");
}

TEST(UrdfErrors, NameTheValueAndWhatWasExpected) {
  EXPECT_EQ(errorOf(link("<collision><geometry><box size=\"1 2\"/></geometry></collision>")),
            "r.urdf:3: <box>: 'size' needs 3 numbers, found \"1 2\"");
  EXPECT_EQ(errorOf(link("<inertial><mass value=\"heavy\"/></inertial>")),
            "r.urdf:3: <mass>: 'value' needs 1 number, found \"heavy\"");
  EXPECT_EQ(errorOf(joint("<limit lower=\"x\" upper=\"1\"/>")),
            "r.urdf:4: <limit>: 'lower' needs 1 number, found \"x\"");
  EXPECT_EQ(errorOf(joint("<limit velocity=\"fast\"/>")),
            "r.urdf:4: <limit>: 'velocity' needs 1 number, found \"fast\"");
  EXPECT_EQ(errorOf(joint("<axis xyz=\"0 0 0\"/>")), "r.urdf:4: <axis>: 'xyz' must not be zero");
  EXPECT_NE(errorOf(joint("", "hinge")).find("r.urdf:3: <joint name=\"j\">: 'type' must be one of"), std::string::npos)
      << errorOf(joint("", "hinge"));
  EXPECT_EQ(errorOf(joint("<origin rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>")),
            "r.urdf:4: <origin>: only one of 'rpy' / 'quat_xyzw' may be given");
  EXPECT_EQ(errorOf(joint("<origin quat_xyzw=\"0 0 0 0\"/>")), "r.urdf:4: <origin>: 'quat_xyzw' must not be zero");
  EXPECT_NE(errorOf(kTwo.substr(0, 16) +
                    "<link name=\"b\"><inertial><mass value=\"-1\"/><inertia ixx=\"1\" iyy=\"1\" "
                    "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>" +
                    joint("").substr(kTwo.size()))
                .find("'mass' must not be negative, found -1"),
            std::string::npos);
}

TEST(UrdfErrors, NameUnknownElementsAndAttributes) {
  EXPECT_EQ(errorOf(link("<colision/>")), "r.urdf:3: <colision>: unknown element in <link>; did you mean 'collision'?");
  EXPECT_EQ(errorOf(joint("<limit uper=\"1\"/>")),
            "r.urdf:4: <limit>: unknown attribute 'uper'; did you mean 'upper'?");
  EXPECT_EQ(errorOf(joint("<dynamics spring=\"1\"/>")), "r.urdf:4: <dynamics>: unknown attribute 'spring'");
  EXPECT_EQ(errorOf(link("<mass value=\"1\"/>")), "r.urdf:3: <mass>: this element cannot be placed in <link>");
  EXPECT_EQ(errorOf(link("<collision><geometry><plane/></geometry></collision>")),
            "r.urdf:3: <plane>: unknown element in <geometry>");
  EXPECT_EQ(errorOf(link(kInertial + kInertial)),
            "r.urdf:2: <link name=\"a\">: <inertial> may appear once, found 2 times");
  EXPECT_EQ(errorOf("<xacro:macro/>"),
            "r.urdf:2: <xacro:macro>: this file is a template: run xacro on it and load the result");
  EXPECT_EQ(errorOf("<include file=\"x\"/>"), "r.urdf:2: <include>: unknown element in <robot>");
}

TEST(UrdfErrors, NameWhatIsWrongWithTheTree) {
  EXPECT_EQ(errorOf("<link name=\"a\"/>\n<link name=\"a\"/>"),
            "r.urdf:3: <link name=\"a\">: the name \"a\" is taken by the <link> in line 2");
  EXPECT_EQ(errorOf(joint("") + "\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
            "r.urdf:5: <joint name=\"j\">: the name \"j\" is taken by the <joint> in line 3");
  EXPECT_EQ(errorOf(joint("") + "\n<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
            "r.urdf:5: <joint name=\"k\">: link \"b\" has a parent already, by the joint \"j\" in line 3");
  EXPECT_EQ(errorOf("<link name=\"arm\"/><link name=\"b\"/>\n"
                    "<joint name=\"k\" type=\"fixed\"><parent link=\"arn\"/><child link=\"b\"/></joint>"),
            "r.urdf:3: <joint name=\"k\">: <parent> names the unknown link \"arn\"; did you mean \"arm\"?");
  EXPECT_EQ(errorOf("<link name=\"a\"/>\n<link name=\"b\"/>"),
            "r.urdf:3: <link name=\"b\">: no joint has this link as child, nor \"a\" in line 2: a robot has one root");
  const auto fixed = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "\n<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/></joint>";
  };
  const std::string links = "<link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><link name=\"d\"/>";
  EXPECT_EQ(errorOf(links + fixed("1", "b", "c") + fixed("2", "c", "b") + fixed("3", "c", "d")),
            "r.urdf:4: <joint name=\"2\">: the joints form a loop: b > c > b");
  EXPECT_EQ(errorOf("<link name=\"a\"/>" + fixed("1", "a", "a")),
            "r.urdf:3: <joint name=\"1\">: the joints form a loop: a > a");
  EXPECT_EQ(errorOf("<link name=\"a\"/><link name=\"world\"/>" + fixed("1", "a", "world")),
            "r.urdf:2: <link name=\"world\">: only the root of a robot can be named \"world\"");
  std::string chain = "<link name=\"l0\"/>";
  for (int i = 1; i < 600; ++i) {
    const std::string name = "l" + std::to_string(i);
    chain += "<link name=\"" + name + "\"/>" + fixed(name, "l" + std::to_string(i - 1), name);
  }
  EXPECT_NE(errorOf(chain).find("links hang in a chain of more than"), std::string::npos);
}

TEST(UrdfErrors, NameWhatIsWrongWithMimics) {
  EXPECT_EQ(errorOf(joint("<mimic joint=\"x\"/>")),
            "r.urdf:3: <joint name=\"j\">: <mimic> names the unknown joint \"x\"");
  EXPECT_EQ(errorOf(joint("<mimic joint=\"j\"/>")), "r.urdf:3: <joint name=\"j\">: a joint cannot mimic itself");
  const std::string other =
      "\n<link name=\"c\">" + kInertial +
      "</link><joint name=\"k\" type=\"floating\"><parent link=\"a\"/><child link=\"c\"/></joint>";
  EXPECT_EQ(errorOf(joint("<mimic joint=\"k\"/>") + other),
            "r.urdf:3: <joint name=\"j\">: <mimic> names the joint \"k\", which has more than one coordinate");
  EXPECT_EQ(errorOf(joint("<mimic joint=\"k\"/>", "planar") + other),
            "r.urdf:3: <joint name=\"j\">: only revolute, continuous and prismatic joints can mimic another");
}

TEST(UrdfErrors, SettingsAreCheckedAsInMjcf) {
  EXPECT_EQ(errorOf("<mujoco><compiler fusestatik=\"true\"/></mujoco>" + kTwo),
            "r.urdf:2: <compiler>: unknown attribute 'fusestatik'; did you mean 'fusestatic'?");
  EXPECT_EQ(errorOf("<mujoco>\n<worldbody/></mujoco>" + kTwo),
            "r.urdf:3: <worldbody>: a URDF file can have <compiler>, <option> and <size> of MJCF; for the rest, write "
            "the model as MJCF");
  EXPECT_EQ(errorOf("<mujoco/>\n<mujoco/>" + kTwo), "r.urdf:3: <mujoco>: <mujoco> may appear once");
  EXPECT_EQ(errorOf("<mujoco><option/>\n<option/></mujoco>" + kTwo), "r.urdf:3: <option>: <option> may appear once");
}

TEST(UrdfWarnings, NameWhatIsLeftAsideOncePerKind) {
  const std::string transmission = "<transmission name=\"t\"><type>FourBarLinkage</type></transmission>\n";
  const std::string found = warningsOf(
      transmission + transmission + "<gazebo reference=\"a\"><include><uri>x</uri></include></gazebo>" +
      joint("<calibration rising=\"0\"/><safety_controller k_velocity=\"1\"/><limit effort=\"1\" velocity=\"2\"/>") +
      "<drake:thing/>");
  EXPECT_EQ(
      found,
      "r.urdf:4: <gazebo>: <gazebo> is ignored: a setting for the simulator Gazebo\n"
      "r.urdf:6: <drake:thing>: <drake:thing> is ignored: a setting for another program\n"
      "r.urdf:6: <calibration>: <calibration> is ignored: it says where a sensor of the robot reads zero and "
      "changes no motion\n"
      "r.urdf:6: <safety_controller>: <safety_controller> is ignored: it describes a controller on the robot, not "
      "the mechanism\n"
      "r.urdf:6: <limit>: 'velocity' is ignored: the speed of joints is not limited\n"
      "r.urdf:2: <transmission name=\"t\">: <transmission> is ignored: only a SimpleTransmission has a counterpart, "
      "one "
      "motor on one joint (1 more of this kind)\n");
  EXPECT_NE(warningsOf("<mujoco><compiler angle=\"degree\"/></mujoco>" + joint("")).find("URDF has radians"),
            std::string::npos);
}

}  // namespace
}  // namespace sinew
