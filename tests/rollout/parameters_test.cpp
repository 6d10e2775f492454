#include "sinew/parameters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinew/load.h"
#include "support/mjcf_text.h"

// Parameters by name: the model for a value is the one that a file with this value compiles to.
namespace sinew {
namespace {

/// %NAME% is replaced by the value, or by what stands behind it: %NAME|default%.
std::string filled(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at)) {
    const std::size_t bar = text.find('|', at), end = text.find('%', at + 1);
    const std::string its = text.substr(at + 1, bar - at - 1), usual = text.substr(bar + 1, end - bar - 1);
    text.replace(at, end - at + 1, its == name ? value : usual);
  }
  return text;
}

const char* const kModel = R"(<mujoco><compiler angle="radian"/><option timestep="%h|0.005%" gravity="0 0 %g|-9.81%"/>
  <worldbody><geom name="floor" type="plane" size="5 5 1" friction="%mu|0.8% .005 .0001"/>
    <body name="box" pos="0 %y|0% .11"><freejoint name="root"/>
      <geom name="box" type="box" size="%size|.1% .1 .1" mass="1" solref="%tc|.02% 1"/></body>
    <body name="arm" pos="1 0 1"><joint name="hinge" axis="0 1 0" damping="%b|.1%" armature="%a|.01%" stiffness="%k|2%"
        range="-1 %r|2%"/>
      <geom name="rod" type="capsule" size=".03" fromto="0 0 0 .4 0 0" density="%rho|1000%"/>
      <body name="tip" pos=".4 0 0"><inertial pos="0 0 0" mass="%m|.3%" diaginertia=".01 .01 .01"/>
        <joint name="wrist" axis="1 0 0"/><site name="end" pos=".1 0 0"/></body></body>
    <flexcomp name="pad" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" pos="-1 0 .4" mass=".2" radius=".01">
      <elasticity young="%E|3e4%" poisson=".1" thickness=".02" elastic2d="both"/><contact friction="%fm|.7%"/></flexcomp>
  </worldbody>
  <tendon><fixed name="cord" stiffness="%kt|3%"><joint joint="hinge" coef="1"/></fixed></tendon>
  <equality><joint name="couple" joint1="hinge" joint2="wrist" polycoef="0 %c|1% 0 0 0"/></equality>
  <actuator><motor name="push" joint="hinge" gear="%gear|2%"/><position name="servo" joint="hinge" kp="%kp|3%" kv=".2"/>
    <velocity name="brake" joint="wrist" kv="%kv|1.5%"/></actuator>
</mujoco>)";

Model modelWith(const std::string& name, double value) {
  return test::modelOf(filled(kModel, name, fmt::format("{:.17g}", value)));
}

VariedModel variedModel(const std::vector<std::string>& addresses) {
  return VariedModel(
      readMjcfText(filled(kModel, "", "")), [](const Spec& s) { return compile(s); }, addresses);
}

struct Case {
  const char* address;
  const char* name;
  std::vector<double> values;
  bool compiles;
};

TEST(Parameters, ROLL_4_EveryValueGivesTheModelThatAFileWithItCompilesTo) {
  const std::vector<Case> cases{
      {"geom:floor.friction[0]", "mu", {0.3, 0.9}, false},   {"geom_friction:floor", "mu", {0.3, 0.9}, false},
      {"joint:hinge.damping", "b", {0, 0.7}, false},         {"dof_damping:hinge[0]", "b", {0.3, 0.7}, false},
      {"joint:hinge.armature", "a", {0.1, 0.3}, false},      {"joint:hinge.stiffness", "k", {1, 5}, false},
      {"joint:hinge.range[1]", "r", {1, 2.5}, false},        {"geom:box.solref", "tc", {0.01, 0.05}, false},
      {"actuator:push.gear", "gear", {1, 7}, false},         {"actuator:servo.kp", "kp", {1, 20}, false},
      {"actuator:brake.kv", "kv", {1, 20}, false},           {"tendon:cord.stiffness[0]", "kt", {1, 20}, false},
      {"equality:couple.polycoef[1]", "c", {0.5, 2}, false}, {"body:box.pos[1]", "y", {-1, 2}, false},
      {"flex:pad.contact.friction", "fm", {0.2, 2}, false},  {"option.timestep", "h", {0.001, 0.01}, false},
      {"option.gravity[2]", "g", {-1, -20}, false},          {"inertial:tip.mass", "m", {0.1, 5}, false},
      {"geom:rod.density", "rho", {500, 3000}, true},        {"geom:box.size[0]", "size", {0.05, 0.2}, true},
      {"flex:pad.elasticity.young", "E", {1e3, 1e5}, true},  {"flex:pad.young", "E", {1e3, 1e5}, true}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.address);
    VariedModel varied = variedModel({c.address});
    varied.prepare(c.values, 2);
    EXPECT_EQ(varied.compiles(), c.compiles);
    VariedModel::Workspace workspace;
    // forth and back: nothing of the run before may stay
    for (const double value : {c.values[0], c.values[1], 0.5 * (c.values[0] + c.values[1]), c.values[0]}) {
      const Model& m = varied.modelOf(std::vector<double>{value}, workspace);
      EXPECT_EQ(firstDifference(m, modelWith(c.name, value)), "");
    }
  }
}

TEST(Parameters, ROLL_4_SeveralParametersAtOnceAreWhatCompilingGives) {
  VariedModel varied = variedModel({"joint:hinge.armature", "actuator:servo.kp", "option.timestep"});
  const std::vector<double> values{0.1, 4, 0.004, 0.3, 9, 0.002};
  varied.prepare(values, 2);
  EXPECT_FALSE(varied.compiles());
  VariedModel::Workspace workspace;
  std::string text = kModel;
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  put("%a|.01%", "0.3"), put("%kp|3%", "9"), put("%h|0.005%", "0.002");
  varied.modelOf(std::span(values).first(3), workspace);
  EXPECT_EQ(firstDifference(varied.modelOf(std::span(values).last(3), workspace), test::modelOf(filled(text, "", ""))),
            "");
}

// a body of another density: mass and moments of inertia in proportion
TEST(Parameters, ROLL_4_TheMassOfABodyIsThatOfAnotherDensity) {
  VariedModel varied = variedModel({"body:arm.mass"});
  const Model expected = modelWith("rho", 2000);
  const int arm = findId(expected, ObjType::Body, "arm");
  const std::vector<double> values{expected.body_mass[arm]};
  varied.prepare(values, 1);
  VariedModel::Workspace workspace;
  const Model& m = varied.modelOf(values, workspace);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(m.body_inertia[3 * arm + k], expected.body_inertia[3 * arm + k], 1e-15);
  }
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(m.dof_M0[i], expected.dof_M0[i], 1e-12);
  EXPECT_NEAR(m.body_subtreemass[0], expected.body_subtreemass[0], 1e-12);
  EXPECT_NEAR(m.stat.meaninertia, expected.stat.meaninertia, 1e-12);
}

TEST(Parameters, ROLL_4_TheInitialStateCanBeVaried) {
  const VariedModel varied = variedModel({"joint:hinge.qpos", "joint:root.qvel[2]", "qpos:wrist", "qvel[0]"});
  Data d(varied.base());
  varied.setState(std::vector<double>{0.5, -2, 0.25, 3}, d);
  EXPECT_EQ(d.qpos[7], 0.5);
  EXPECT_EQ(d.qpos[8], 0.25);
  EXPECT_EQ(d.qvel[2], -2);
  EXPECT_EQ(d.qvel[0], 3);
  EXPECT_EQ(varied.nominal(0), 0);
}

std::string refusal(const std::string& address, std::vector<double> values = {1, 2}) {
  try {
    VariedModel varied = variedModel({address});
    varied.prepare(values, static_cast<std::int64_t>(values.size()));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no exception";
}

TEST(Parameters, ROLL_4_WrongAddressesAreErrorsWithTheNearestName) {
  EXPECT_EQ(refusal("geom:flor.friction"), "geom:flor.friction: there is no geom \"flor\" (did you mean \"floor\"?)");
  EXPECT_NE(refusal("gem:floor.friction").find("there is no kind of element \"gem\" (did you mean \"geom\"?)"),
            std::string::npos);
  EXPECT_NE(refusal("joint:hinge.dampin").find("there is no attribute 'dampin' (did you mean 'damping'?)"),
            std::string::npos);
  EXPECT_EQ(refusal("joint:hinge.damping[3]"), "joint:hinge.damping[3]: 'damping' has 3 numbers, there is no [3]");
  EXPECT_EQ(refusal("joint:hinge.armature[1]"), "joint:hinge.armature[1]: 'armature' has 1 number, there is no [1]");
  EXPECT_EQ(refusal("body:arm.pos"), "body:arm.pos: 'pos' has 3 numbers, say which: pos[0] to pos[2]");
  EXPECT_EQ(refusal("geom:floor.type"), "geom:floor.type: 'type' is not a number");
  EXPECT_NE(refusal("option.timestp").find("there is no option \"timestp\" (did you mean \"timestep\"?)"),
            std::string::npos);
  EXPECT_EQ(refusal("option.solver"), "option.solver: option \"solver\" is a word, not a number");
  EXPECT_EQ(refusal("option.gravity"), "option.gravity: option \"gravity\" has several numbers, say which: gravity[0]");
  EXPECT_EQ(refusal("qvel[99]"), fmt::format("qvel[99]: qvel has {} numbers, there is no [99]", modelWith("", 0).nv));
  EXPECT_EQ(refusal("joint:root.qpos"), "joint:root.qpos: 'qpos' has 7 numbers, say which: qpos[0]");
  EXPECT_EQ(refusal("actuator:push.kp"),
            "actuator:push.kp: actuator \"push\" is not one that has 'kp'; gainprm and biasprm are there for all");
  EXPECT_EQ(refusal("geom:box[x]"),
            "geom:box[x]: expected a whole number of 0 or more between the brackets at the end");
}

TEST(Parameters, ROLL_4_ValuesThatAModelCannotHaveAreErrors) {
  EXPECT_EQ(refusal("body:arm.mass", {1, -1}), "body:arm.mass: run 1 would have -1, a mass must be above 0");
  EXPECT_EQ(refusal("option.timestep", {0.1, 0}), "option.timestep: run 1: 'timestep' must be positive, found 0");
  EXPECT_EQ(refusal("option.iterations", {3, 2.5}), "option.iterations: run 1 would have 2.5, expected a whole number");
  EXPECT_NE(refusal("geom:box.size[0]", {1, -1}).find("must be positive for this shape, found -1"), std::string::npos);
  EXPECT_EQ(refusal("geom:box.density", {1, 2}),
            "geom:box.density: has no effect: the compiled model is the same for 1 and 2");
  EXPECT_EQ(refusal("geom:box.condim", {3, 4}),
            "geom:box.condim: changes the layout of the model (numbers of things, or arrays of indices) and cannot be "
            "varied");
}

}  // namespace
}  // namespace sinew
