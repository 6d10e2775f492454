// Any bytes give a model that steps, or a LoadError; never a crash, a hang or another exception.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew {
namespace {

/// Three steps; a state that is not finite has to be told.
void expectSteps(const Model& m, const std::string& text) {
  constexpr int kMostDofs = 200, kMostGeoms = 60;  // mutants that are larger take long, and show nothing new
  if (m.nv > kMostDofs || m.ngeom > kMostGeoms) return;
  Data d(m);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = 0.1 * std::sin(1.0 + i);
  for (int i = 0; i < 3; ++i) step(m, d);
  const auto finite = [](double x) { return std::isfinite(x); };
  const bool sound =
      std::all_of(d.qpos.begin(), d.qpos.end(), finite) && std::all_of(d.qvel.begin(), d.qvel.end(), finite);
  EXPECT_TRUE(sound || !d.status.ok()) << text;
}

/// Reads, compiles and steps the text; whatever happens other than a Model or a LoadError fails the test. Returns
/// whether it was a model.
bool expectHandled(const std::string& text) {
  try {
    const Spec spec = readMjcfText(text);
    const std::string written = writeMjcf(spec);
    EXPECT_EQ(writeMjcf(readMjcfText(written)), written) << text;
    LoadOptions options;
    options.maxMemory = std::uint64_t{1} << 28;
    expectSteps(compile(spec, nullptr, options), text);
    return true;
  } catch (const LoadError& e) {
    EXPECT_GT(std::string(e.what()).size(), 5u);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << " for " << text;
  }
  return false;
}

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> models = {
      R"(<mujoco model="m"><compiler angle="radian" eulerseq="zyx"/><option timestep="0.01"><flag contact="disable"/></option>
<default><geom size="0.1"/><default class="a"><joint damping="1"/><position kp="3"/></default></default>
<worldbody><geom type="plane" size="1 1 1"/><body name="b" pos="0 0 1" childclass="a"><freejoint/><geom name="g" fromto="0 0 0 0 0 1" type="capsule"/>
<body><joint name="j" axis="0 1 0" range="-1 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="s" euler="1 2 3"/></body></body></worldbody>
<actuator><position joint="j" class="a"/><motor site="s" gear="1 2 3 4 5 6"/></actuator>
<sensor><framepos objtype="site" objname="s"/><jointpos joint="j"/></sensor>
<keyframe><key qpos="0 0 1 1 0 0 0 0"/></keyframe></mujoco>)",
      R"(<mujoco><worldbody><frame pos="1 0 0" quat="1 0 0 0"><replicate count="3" offset="1 0 0" euler="0 0 30" sep="_">
<body name="r"><joint name="q" type="slide"/><geom name="h" size=".1"/><site name="t"/></body></replicate></frame>
<body name="x"><geom size="1"/></body><attach body="x" prefix="y"/><light name="l"/><camera name="c" fovy="30"/></worldbody>
<tendon><spatial name="w"><site site="t_0"/><site site="t_1"/></spatial><fixed><joint joint="q_0" coef="1"/></fixed></tendon>
<equality><connect body1="r_0" anchor="0 0 0"/><weld site1="t_0" site2="t_1"/></equality>
<contact><pair geom1="h_0" geom2="h_1"/><exclude body1="r_0" body2="x"/></contact>
<custom><numeric name="n" data="1 2"/><tuple name="u"><element objtype="body" objname="x"/></tuple></custom></mujoco>)"};
  return models;
}

TEST(MjcfAnyBytes, RandomBytes) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random() % 256);
    expectHandled(text);
  }
}

TEST(MjcfAnyBytes, RandomMarkup) {
  const std::vector<std::string> pieces = {"<mujoco>",
                                           "</mujoco>",
                                           "<worldbody>",
                                           "</worldbody>",
                                           "<body ",
                                           "<geom ",
                                           "/>",
                                           ">",
                                           "name=\"a\" ",
                                           "pos=\"1 2 3\" ",
                                           "size=\"1\" ",
                                           "<joint/>",
                                           "</body>",
                                           "<default>",
                                           "</default>",
                                           "class=\"c\" ",
                                           "&lt;",
                                           "<!--",
                                           "-->",
                                           "<![CDATA[",
                                           "]]>",
                                           "\"",
                                           "<replicate count=\"9\">",
                                           "</replicate>",
                                           "<include file=\"x\"/>",
                                           "&#0;",
                                           "&#x1;",
                                           "<?xml?>"};
  std::mt19937 random(2);
  for (int i = 0; i < 10000; ++i) {
    std::string text = "<mujoco>";
    for (auto n = random() % 30; n > 0; --n) text += pieces[random() % pieces.size()];
    expectHandled(text);
    expectHandled(text + "</mujoco>");
  }
}

TEST(MjcfAnyBytes, MutatedModels) {
  std::mt19937 random(3);
  int models = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string text = seeds()[random() % seeds().size()];
    for (auto n = 1 + random() % 4; n > 0 && !text.empty(); --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 5) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        case 3:
          text.insert(at, std::to_string(static_cast<int>(random())));
          break;
        default:
          text.resize(at);
      }
    }
    models += expectHandled(text) ? 1 : 0;
  }
  EXPECT_GT(models, 100) << "hardly any mutant is a model: nothing was stepped";
}

TEST(MjcfAnyBytes, TheModelsThemselvesLoadAndStep) {
  for (const std::string& seed : seeds()) EXPECT_TRUE(expectHandled(seed)) << seed;
}

}  // namespace
}  // namespace sinew
