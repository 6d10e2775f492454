#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/step.h"
#include "sinew/world.h"
#include "support/mjcf_text.h"
#include "support/paths.h"
#include "support/refusal.h"
#include "support/tolerance.h"

/// Every sensor, actuator transmission, query and call of a World, with everything a thing can be made of. The lists
/// come from the generated table of MJCF and from the headers: what is new there fails here until it is covered.
namespace sinew {
namespace {

using test::refusal;
using test::sourceDir;
using test::tolerance;

// ------------------------------------------------------------------------------------------ the lists

std::string textOf(const std::string& path) {
  std::ifstream file(sourceDir() / path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

/// All first groups of a pattern in a text.
std::set<std::string> namesIn(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> names;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), regex); it != std::sregex_iterator(); ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

/// Elements of a section of MJCF.
std::set<std::string> elementsOf(const std::string& section) {
  return namesIn(textOf("docs/support.md"), "\n### " + section + "/([a-z_0-9]+)\n");
}

template <class Map>
std::set<std::string> keysOf(const Map& map) {
  std::set<std::string> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

// ------------------------------------------------------------------------------------------ the things

enum class Kind { Rigid, Cable, Cloth, Solid, Interpolated };
constexpr Kind kKinds[] = {Kind::Rigid, Kind::Cable, Kind::Cloth, Kind::Solid, Kind::Interpolated};
constexpr const char* kNames[] = {"rigid", "cable", "cloth", "solid", "interpolated"};
const char* nameOf(Kind kind) { return kNames[static_cast<int>(kind)]; }

constexpr double kMass = 2, kTray = 1, kG = 9.81, kStiffness = 5000;

/// A thing of 2 kg named "thing", resting on z = 0.02.
std::string thing(Kind kind) {
  const std::string solid =
      R"(type="grid" dim="3" count="3 3 3" spacing=".05 .05 .05" mass="2" radius=".005" pos="0 0 .075")";
  const std::string elastic =
      R"(<contact selfcollide="none"/><elasticity young="5e4" poisson=".2" damping=".01" law="stvk"/>)";
  switch (kind) {
    case Kind::Rigid:
      return R"(<body name="thing" pos="0 0 .07"><joint name="thing" type="free"/>
        <geom name="thing" type="box" size=".05 .05 .05" mass="2"/><site name="thing"/></body>)";
    case Kind::Cable:
      return R"(<flexcomp name="thing" type="grid" dim="1" count="7 1 1" spacing=".05 .05 .05" mass="2" radius=".01"
        pos="0 0 .03"><contact selfcollide="none"/><edge equality="true" damping=".1"/></flexcomp>)";
    case Kind::Cloth:
      return R"(<flexcomp name="thing" type="grid" dim="2" count="5 5 1" spacing=".04 .04 .04" mass="2" radius=".01"
        pos="0 0 .03"><contact selfcollide="none"/><edge equality="true" damping=".1"/></flexcomp>)";
    case Kind::Solid:
      return "<flexcomp name=\"thing\" " + solid + ">" + elastic + "</flexcomp>";
    case Kind::Interpolated:
      return "<flexcomp name=\"thing\" " + solid + " dof=\"trilinear\">" + elastic + "</flexcomp>";
  }
  return "";
}

/// The thing on a tray of 1 kg that a spring holds, with whatever else.
std::string scene(Kind kind, const std::string& more) {
  return fmt::format(R"(<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody>
    <site name="high" pos="0 0 .5" euler="180 0 0"/><site name="slider" pos="0 0 -.5" euler="180 0 0"/>
    <camera name="cam" pos="0 0 1" resolution="4 4"/>
    <body name="tray"><joint name="j" type="slide" axis="0 0 1" stiffness="{}" damping="100" limited="true" range="-1 1"
        actuatorfrcrange="-100 100"/>
      <geom name="tray" type="box" size=".3 .3 .02" mass="1"/><site name="s"/><site name="aside" pos=".1 0 0"/>
      <site name="all" type="box" size=".3 .3 .06"/></body>
    <body name="globe" pos="0 2 0"><joint name="ball" type="ball" limited="true" range="0 170"/>
      <geom name="globe" size=".1"/></body>
    {}</worldbody>
    <tendon><spatial name="t" limited="true" range="0 2"><site site="s"/><site site="high"/></spatial></tendon>{}</mujoco>)",
                     kStiffness, thing(kind), more);
}

// ------------------------------------------------------------------------------------------ sensors

/// A sensor where it feels the thing, and on the thing itself.
struct SensorCase {
  std::string felt;      ///< attributes; of one that is not about the thing's kind
  double error = 1e-2;   ///< by which its numbers may differ from those for the rigid thing; below 0: another oracle
  std::string attached;  ///< attributes that name the thing; empty: nothing to attach
  bool rigid = true;     ///< can be attached to what is rigid
  bool soft = false;     ///< to what is soft
};

const std::map<std::string, SensorCase> kSensors{
    // at the tray: what lies on it counts, whatever it is made of
    {"touch", {R"(site="all")", 0.2, R"(site="thing")"}},
    {"force", {R"(site="s")", 0.2, R"(site="thing")"}},
    {"torque", {R"(site="aside")", 0.05, R"(site="thing")"}},
    {"accelerometer", {R"(site="s")", 0.05, R"(site="thing")"}},
    {"velocimeter", {R"(site="s")", 1e-2, R"(site="thing")"}},
    {"gyro", {R"(site="s")", 1e-9, R"(site="thing")"}},
    {"magnetometer", {R"(site="s")", 1e-12, R"(site="thing")"}},
    {"camprojection", {R"(site="s" camera="cam")", 1e-2, R"(site="thing" camera="cam")"}},
    {"rangefinder", {R"(site="high")", -1, R"(site="thing")"}},
    {"contact", {R"(geom1="tray" data="force" reduce="netforce")", 0.2, R"(geom1="thing" data="found")"}},
    {"insidesite",
     {R"(site="all" objtype="xbody" objname="tray")", 0, R"(site="all" objtype="xbody" objname="thing")"}},
    {"distance", {R"(geom1="tray" geom2="globe" cutoff="5")", 1e-3, R"(geom1="thing" geom2="tray")"}},
    {"normal", {R"(geom1="tray" geom2="globe" cutoff="5")", 1e-3, R"(geom1="thing" geom2="tray")"}},
    {"fromto", {R"(geom1="tray" geom2="globe" cutoff="5")", 1e-3, R"(geom1="thing" geom2="tray")"}},
    {"jointpos", {R"(joint="j")", 1e-4, R"(joint="thing")", false}},
    {"jointvel", {R"(joint="j")", 1e-2, R"(joint="thing")", false}},
    {"jointactuatorfrc", {R"(joint="j")", 1e-9, R"(joint="thing")", false}},
    {"jointlimitpos", {R"(joint="j")", 1e-4, R"(joint="thing")", false}},
    {"jointlimitvel", {R"(joint="j")", 1e-2, R"(joint="thing")", false}},
    {"jointlimitfrc", {R"(joint="j")", 1e-9, R"(joint="thing")", false}},
    {"ballquat", {R"(joint="ball")", 1e-9, R"(joint="thing")", false}},
    {"ballangvel", {R"(joint="ball")", 1e-9, R"(joint="thing")", false}},
    {"tendonpos", {R"(tendon="t")", 1e-4, R"(tendon="thing")", false}},
    {"tendonvel", {R"(tendon="t")", 1e-2, R"(tendon="thing")", false}},
    {"tendonactuatorfrc", {R"(tendon="t")", 1e-9, R"(tendon="thing")", false}},
    {"tendonlimitpos", {R"(tendon="t")", 1e-4, R"(tendon="thing")", false}},
    {"tendonlimitvel", {R"(tendon="t")", 1e-2, R"(tendon="thing")", false}},
    {"tendonlimitfrc", {R"(tendon="t")", 1e-9, R"(tendon="thing")", false}},
    {"actuatorpos", {R"(actuator="lift")", 1e-4, R"(actuator="thing")", false}},
    {"actuatorvel", {R"(actuator="lift")", 1e-2, R"(actuator="thing")", false}},
    {"actuatorfrc", {R"(actuator="lift")", 1e-9, R"(actuator="thing")", false}},
    {"framepos", {R"(objtype="body" objname="tray")", 1e-4, R"(objtype="body" objname="thing")"}},
    {"framequat", {R"(objtype="body" objname="tray")", 1e-9, R"(objtype="body" objname="thing")"}},
    {"framexaxis", {R"(objtype="body" objname="tray")", 1e-9, R"(objtype="body" objname="thing")"}},
    {"frameyaxis", {R"(objtype="body" objname="tray")", 1e-9, R"(objtype="body" objname="thing")"}},
    {"framezaxis", {R"(objtype="body" objname="tray")", 1e-9, R"(objtype="body" objname="thing")"}},
    {"framelinvel", {R"(objtype="body" objname="tray")", 1e-2, R"(objtype="body" objname="thing")"}},
    {"frameangvel", {R"(objtype="body" objname="tray")", 1e-9, R"(objtype="body" objname="thing")"}},
    {"framelinacc", {R"(objtype="body" objname="tray")", 0.05, R"(objtype="body" objname="thing")"}},
    {"frameangacc", {R"(objtype="body" objname="tray")", 1e-9, R"(objtype="body" objname="thing")"}},
    // everything counts
    {"subtreecom", {R"(body="world")", -1, R"(body="thing")"}},
    {"subtreelinvel", {R"(body="world")", 1e-2, R"(body="thing")"}},
    {"subtreeangmom", {R"(body="world")", 1e-2, R"(body="thing")"}},
    {"e_potential", {"", -1, ""}},
    {"e_kinetic", {"", 1e-3, ""}},
    {"clock", {"", 1e-12, ""}},
    {"user", {R"(dim="2")", 1e-12, R"(dim="1" objtype="body" objname="thing")"}},
    // of flexes alone
    {"flexforce", {"", -1, R"(flex="thing")", false, true}},
    {"flexreaction", {"", -1, R"(flex="thing")", false, true}},
    {"flexstrain", {"", -1, R"(flex="thing" element="0")", false, true}},
    {"flexstress", {"", -1, R"(flex="thing" element="0")", false, true}},
    {"flexmembrane", {"", -1, R"(flex="thing" element="0")", false, true}},
    {"flexmoment", {"", -1, R"(flex="thing" element="0")", false, true}},
    {"flexkinetic", {"", -1, R"(flex="thing")", false, true}},
    {"flexelastic", {"", -1, R"(flex="thing")", false, true}}};
const std::set<std::string> kUnsupportedSensors{"tactile", "plugin"};

bool isFlexSensor(const std::string& tag) { return tag.rfind("flex", 0) == 0; }

/// Mean readings of all sensors that feel the thing, by tag, once it is at rest.
std::map<std::string, std::vector<double>> readings(Kind kind, Model& m, std::unique_ptr<Data>& d) {
  std::string sensors;
  for (const auto& [tag, c] : kSensors) {
    if (!isFlexSensor(tag)) sensors += fmt::format("<{} name=\"{}\" {}/>\n", tag, tag, c.felt);
  }
  m = test::modelOf(
      scene(kind, "<actuator><motor name=\"lift\" joint=\"j\"/></actuator><sensor>" + sensors + "</sensor>"));
  d = std::make_unique<Data>(m);
  for (int i = 0; i < 600; ++i) step(m, *d);
  constexpr int kSteps = 150;
  std::map<std::string, std::vector<double>> means;
  for (int i = 0; i < kSteps; ++i) {
    step(m, *d);
    for (int s = 0; s < m.nsensor; ++s) {
      std::vector<double>& mean = means[std::string(sinew::nameOf(m, ObjType::Sensor, s))];
      mean.resize(static_cast<std::size_t>(m.sensor_dim[s]));
      for (int k = 0; k < m.sensor_dim[s]; ++k) {
        mean[k] += d->sensordata[m.sensor_adr[s] + k] / kSteps;
      }
    }
  }
  EXPECT_TRUE(d->status.ok()) << nameOf(kind) << ": " << describeStatus(m, *d);
  return means;
}

/// Centre of mass of everything, and how high the thing reaches at x = y = 0.
struct Extent {
  double com = 0, top = 0;
};
Extent extentOf(const Model& m, const Data& d) {
  Extent e;
  double mass = 0;
  for (int b = 1; b < m.nbody; ++b) {
    mass += m.body_mass[b];
    e.com += m.body_mass[b] * d.xipos[3 * b + 2];
  }
  for (int n = 0; n < m.nflexnode; ++n) {
    mass += m.flexnode_mass[n];
    e.com += m.flexnode_mass[n] * d.qpos[m.nq_rigid + 3 * n + 2];
  }
  e.com /= mass;
  for (int v = 0; v < m.nflexvert; ++v) {  // a vertex is on the axis in each of the grids
    const double* x = d.flexvert_xpos.data() + 3 * v;
    if (std::hypot(x[0], x[1]) < 0.01) e.top = std::max(e.top, x[2] + m.flex_radius[0]);
  }
  if (m.nflex == 0) e.top = d.geom_xpos[3 * findId(m, ObjType::Geom, "thing") + 2] + 0.05;
  return e;
}

TEST(OnePathMatrix, ONE_5_SensorsFeelEveryKindOfThing) {
  std::set<std::string> covered = keysOf(kSensors);
  covered.insert(kUnsupportedSensors.begin(), kUnsupportedSensors.end());
  EXPECT_EQ(covered, elementsOf("sensor")) << "a sensor that is new must be in the table above";

  Model m;
  std::unique_ptr<Data> d;
  const auto rigid = readings(Kind::Rigid, m, d);
  const double weight = kMass * kG, load = (kMass + kTray) * kG;
  EXPECT_NEAR(rigid.at("force")[2], load, 0.005 * load);
  EXPECT_NEAR(rigid.at("touch")[0], weight, 0.005 * weight);
  EXPECT_NEAR(std::abs(rigid.at("torque")[1]), 0.1 * load, 0.001 * load);
  EXPECT_NEAR(rigid.at("jointpos")[0], -load / kStiffness, 1e-5);
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(nameOf(kind));
    const auto found = kind == Kind::Rigid ? rigid : readings(kind, m, d);
    for (const auto& [tag, values] : found) {
      SCOPED_TRACE(tag);
      const double error = kSensors.at(tag).error;
      for (std::size_t k = 0; k < values.size(); ++k) {
        ASSERT_TRUE(std::isfinite(values[k]));
        if (error < 0) continue;
        EXPECT_NEAR(values[k], rigid.at(tag)[k], error) << k;
      }
    }
    const Extent e = extentOf(m, *d);
    EXPECT_NEAR(found.at("rangefinder")[0], 0.5 - e.top, 2e-3);
    EXPECT_NEAR(found.at("subtreecom")[2], e.com, 1e-3);
    // gravity, the spring of the tray, and what strains the thing
    const double sag = load / kStiffness, gravity = (kMass + kTray + m.body_mass[2]) * kG * e.com;
    EXPECT_NEAR(found.at("e_potential")[0], gravity + 0.5 * kStiffness * sag * sag, 0.05);
  }
}

/// The text with which a model is refused, empty if it is not.
std::string complaint(const std::string& mjcf) {
  try {
    const Model m = test::modelOf(mjcf);
    Data d(m);
    step(m, d);
    for (const double x : d.sensordata) EXPECT_TRUE(std::isfinite(x));
    EXPECT_TRUE(d.status.ok());
  } catch (const LoadError& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return error.what();
  }
  return "";
}

TEST(OnePathMatrix, ONE_5_SensorsOnAThingWorkOrAreRefusedWithText) {
  for (const Kind kind : kKinds) {
    const bool soft = kind != Kind::Rigid;
    for (const auto& [tag, c] : kSensors) {
      if (c.attached.empty()) continue;
      SCOPED_TRACE(fmt::format("{} on {}", tag, nameOf(kind)));
      const std::string text = complaint(scene(kind, fmt::format("<sensor><{} {}/></sensor>", tag, c.attached)));
      if (soft ? c.soft : c.rigid) {
        EXPECT_EQ(text, "");
      } else {
        EXPECT_NE(text.find("<" + tag), std::string::npos) << "names the sensor: " << text;
        EXPECT_NE(text.find("thing"), std::string::npos) << "names what it cannot be on: " << text;
      }
    }
    for (const std::string& tag : kUnsupportedSensors) {
      const std::string attributes = tag == "tactile" ? R"(geom="tray" mesh="x")" : R"(plugin="x")";
      const std::string text = complaint(scene(kind, fmt::format("<sensor><{} {}/></sensor>", tag, attributes)));
      EXPECT_NE(text.find("not supported"), std::string::npos) << tag << ": " << text;
    }
  }
}

// ------------------------------------------------------------------------------------------ actuators

/// By attribute that names a target: an actuator that pushes the tray up with 10 N, and one on the thing. All other
/// attributes of <general> are no targets.
struct TransmissionCase {
  std::string felt, attached;
  bool rigid = true;  ///< the latter exists for what is rigid
};
const std::map<std::string, TransmissionCase> kTransmissions{
    {"joint", {R"(joint="j" gear="1")", R"(joint="thing" gear="1 0 0 0 0 0")"}},
    {"jointinparent", {R"(jointinparent="j" gear="1")", R"(jointinparent="thing" gear="1 0 0 0 0 0")"}},
    {"tendon", {R"(tendon="t" gear="-1")", R"(tendon="thing")", false}},
    {"site", {R"(site="s" gear="0 0 1 0 0 0")", R"(site="thing" gear="0 0 1 0 0 0")"}},
    {"refsite",
     {R"(site="s" refsite="slider" gear="0 0 -1 0 0 0")", R"(site="thing" refsite="slider" gear="0 0 1 0 0 0")"}},
    {"cranksite",
     {R"(cranksite="s" slidersite="slider" cranklength=".3" gear="-1")",
      R"(cranksite="thing" slidersite="slider" cranklength="2")"}},
    {"slidersite",
     {R"(cranksite="s" slidersite="slider" cranklength=".3" gear="-1")",
      R"(cranksite="slider" slidersite="thing" cranklength="2")"}},
    {"body", {R"(body="tray")", R"(body="thing")"}}};

TEST(OnePathMatrix, ONE_5_ActuatorsMoveEveryKindOfThing) {
  // targets are the attributes of text, but for names and classes
  const std::string table = textOf("docs/support.md");
  const std::size_t begin = table.find("\n### actuator/general\n"), end = table.find("\n### ", begin + 5);
  std::set<std::string> targets = namesIn(table.substr(begin, end - begin), "\n\\| ([a-z]+) \\| text \\|");
  targets.erase("name");
  targets.erase("class");
  EXPECT_EQ(keysOf(kTransmissions), targets) << "a transmission that is new must be in the table above";

  std::string actuators;
  for (const auto& [target, c] : kTransmissions) actuators += fmt::format("<general {}/>\n", c.felt);
  std::map<std::string, std::vector<double>> heights;  // by transmission
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(nameOf(kind));
    const Model m = test::modelOf(scene(kind, "<actuator>" + actuators + "</actuator>"));
    Data rest(m);
    for (int i = 0; i < 500; ++i) step(m, rest);
    int number = 0;
    for (const auto& [target, c] : kTransmissions) {
      SCOPED_TRACE(target);
      Data d = rest;
      d.ctrl[number++] = 10;
      constexpr int kSteps = 100, kMean = 50;
      double mean = 0;
      for (int i = 0; i < kSteps; ++i) {
        step(m, d);
        if (i >= kSteps - kMean) mean += d.qpos[0] / kMean;
      }
      EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
      heights[target].push_back(mean);
      const std::string text = complaint(scene(kind, fmt::format("<actuator><general {}/></actuator>", c.attached)));
      if (kind == Kind::Rigid && c.rigid) {
        EXPECT_EQ(text, "");
      } else {
        EXPECT_NE(text.find("thing"), std::string::npos) << "says what is missing: " << text;
      }
    }
  }
  for (const auto& [target, of] : heights) {
    SCOPED_TRACE(target);
    for (const double z : of) EXPECT_NEAR(z, of[0], 5e-5) << "as for what is rigid";
    if (target == "body") continue;  // adhesion pulls the two together
    EXPECT_GT(of[0], -(kMass + kTray) * kG / kStiffness + 5e-4) << "it pushes at all";
  }
}

/// Shorthands of actuators, each on the thing.
TEST(OnePathMatrix, ONE_5_ActuatorsOnAThingWorkOrAreRefusedWithText) {
  const std::map<std::string, std::string> actuators{
      {"general", R"(site="thing" gear="0 0 1 0 0 0")"},
      {"motor", R"(site="thing" gear="0 0 1 0 0 0")"},
      {"position", R"(site="thing" refsite="slider" gear="0 0 1 0 0 0" kp="1")"},
      {"velocity", R"(site="thing" refsite="slider" gear="0 0 1 0 0 0" kv="1")"},
      {"intvelocity", R"(site="thing" refsite="slider" gear="0 0 1 0 0 0" kp="1" actrange="-1 1")"},
      {"damper", R"(site="thing" gear="0 0 1 0 0 0" kv="1" ctrlrange="0 1")"},
      {"cylinder", R"(site="thing" gear="0 0 1 0 0 0" area="1")"},
      {"muscle", R"(joint="thing" gear="1 0 0 0 0 0" lengthrange="0 1")"},
      {"adhesion", R"(body="thing" gain="1" ctrlrange="0 1")"},
      {"orientation", R"(site="thing" refsite="slider")"},
      {"pid", R"(site="thing" refsite="slider" gear="0 0 1 0 0 0" kp="1")"},
      {"dcmotor", R"(site="thing" gear="0 0 1 0 0 0" motorconst=".1" resistance="1")"}};
  std::set<std::string> covered = keysOf(actuators);
  covered.insert("plugin");
  EXPECT_EQ(covered, elementsOf("actuator")) << "an actuator that is new must be in the table above";
  for (const auto& [tag, attributes] : actuators) {
    for (const Kind kind : kKinds) {
      SCOPED_TRACE(fmt::format("{} on {}", tag, nameOf(kind)));
      const std::string text = complaint(scene(kind, fmt::format("<actuator><{} {}/></actuator>", tag, attributes)));
      if (kind == Kind::Rigid) {
        EXPECT_EQ(text, "");
      } else {
        EXPECT_EQ(text.find("model.xml:"), 0u) << "names the line: " << text;
        EXPECT_NE(text.find("is named \"thing\""), std::string::npos) << "and what is missing: " << text;
      }
    }
  }
}

// ------------------------------------------------------------------------------------------ queries

TEST(OnePathMatrix, ONE_5_QueriesSeeEveryKindOfThing) {
  EXPECT_EQ(namesIn(textOf("include/sinew/query.h"), "\\n[A-Za-z:<>, 0-9]+ (\\w+)\\(const Model& m"),
            (std::set<std::string>{"ray", "rayAt", "rays", "distance", "overlap", "contactForce", "contactWrench",
                                   "contactsOf"}))
      << "a query that is new must be covered below";
  for (const Kind kind : kKinds) {
    SCOPED_TRACE(nameOf(kind));
    const Model m = test::modelOf(scene(kind, ""));
    Data d(m);
    for (int i = 0; i < 500; ++i) step(m, d);
    forward(m, d);
    const bool soft = kind != Kind::Rigid;
    const Collider it = soft ? Collider{ObjType::Flex, 0} : Collider{ObjType::Geom, findId(m, ObjType::Geom, "thing")};
    const Collider tray{ObjType::Geom, findId(m, ObjType::Geom, "tray")};
    const Collider globe{ObjType::Geom, findId(m, ObjType::Geom, "globe")};

    const RayHit hit = ray(m, d, {0, 0, 1}, {0, 0, -1});
    ASSERT_TRUE(hit.isHit());
    EXPECT_EQ(soft ? hit.flex : hit.geom, it.id);
    EXPECT_NEAR(hit.point[2], extentOf(m, d).top, 2e-3);
    EXPECT_EQ(rayAt(m, d, it, {0, 0, 1}, {0, 0, -1}).distance, hit.distance);
    EXPECT_GT(rayAt(m, d, tray, {0, 0, 1}, {0, 0, -1}).distance, hit.distance) << "the tray is below it";
    const std::vector<std::array<double, 3>> from{{0, 0, 1}, {5, 0, 1}}, along{{0, 0, -1}, {0, 0, -1}};
    std::vector<RayHit> hits(2);
    rays(m, d, from, along, hits);
    EXPECT_EQ(hits[0].distance, hit.distance);
    EXPECT_FALSE(hits[1].isHit());

    EXPECT_TRUE(overlap(m, d, it, tray)) << "it lies on it, with a little depth";
    EXPECT_FALSE(overlap(m, d, it, globe));
    const Distance apart = distance(m, d, it, globe);
    ASSERT_TRUE(apart.found);
    EXPECT_GT(apart.distance, 1.5);
    EXPECT_LT(apart.distance, 1.95);
    EXPECT_NEAR(apart.to[1], 1.9, 0.02);

    double force = 0, wrench = 0;
    const std::vector<int> contacts = contactsOf(m, d, it);
    EXPECT_EQ(contacts, contactsOf(m, d, tray));
    for (const int c : contacts) {
      force += contactForce(m, d, c)[0];
      wrench += std::abs(contactWrench(m, d, c).force[2]);
    }
    EXPECT_NEAR(force, kMass * kG, 0.05 * kMass * kG);
    EXPECT_NEAR(wrench, kMass * kG, 0.05 * kMass * kG);
    EXPECT_EQ(refusal([&] { distance(m, d, it, {ObjType::Body, 1}); }), "distance: a collider is a geom or a flex");
  }
}

// ------------------------------------------------------------------------------------------ worlds

spec::Flexcomp softThing(Kind kind) {
  const Spec s = readMjcfText("<mujoco><worldbody>" + thing(kind) + "</worldbody></mujoco>");
  return s.world.flexcomps.front();
}

TEST(OnePathMatrix, ONE_5_WorldsHoldEveryKindOfThing) {
  // functions of a World: those this test calls, and those that are about bodies or joints alone, which have handles of
  // their own, so that nothing soft can be passed to them
  const std::set<std::string> called{"addSoft",
                                     "addBody",
                                     "addStatic",
                                     "remove",
                                     "contains",
                                     "findSoft",
                                     "findBody",
                                     "nameOf",
                                     "userData",
                                     "setUserData",
                                     "vertices",
                                     "centerOfMass",
                                     "velocity",
                                     "mass",
                                     "update",
                                     "time",
                                     "onContactBegin",
                                     "onContactEnd",
                                     "onSensorBegin",
                                     "onSensorEnd",
                                     "setContactFilter",
                                     "contacts",
                                     "overlapping",
                                     "kineticEnergy",
                                     "potentialEnergy",
                                     "momentum",
                                     "angularMomentum",
                                     "islands",
                                     "trouble",
                                     "rayCast",
                                     "snapshot",
                                     "restore",
                                     "save",
                                     "load",
                                     "setGravity",
                                     "setThreads",
                                     "toMjcf",
                                     "saveMjcf",
                                     "spec",
                                     "model",
                                     "data",
                                     "options",
                                     "state"};
  const std::set<std::string> ofBodies{
      "addKinematic",     "addJoint",          "reserve",          "findJoint",          "bodies",
      "ground",           "isStatic",          "isKinematic",      "isSensor",           "isAwake",
      "placement",        "inverseMass",       "inverseInertia",   "restitution",        "friction",
      "linearDamping",    "angularDamping",    "gravityFactor",    "surfaceVelocity",    "velocityAt",
      "setPlacement",     "setVelocity",       "moveTo",           "setRestitution",     "setFriction",
      "setLinearDamping", "setAngularDamping", "setGravityFactor", "setSurfaceVelocity", "applyForce",
      "applyTorque",      "applyImpulse",      "jointPosition",    "jointVelocity",      "setMotor",
      "distance",         "modelBody"};
  std::set<std::string> covered = called;
  covered.insert(ofBodies.begin(), ofBodies.end());
  const std::string header = textOf("include/sinew/world.h");
  std::set<std::string> functions =
      namesIn(header.substr(0, header.find(" private:")), "\\n  (?:static )?[A-Za-z0-9_:<>& ]+ (\\w+)\\(");
  functions.erase("World");  // its constructor
  EXPECT_EQ(functions, covered) << "a function that is new must be in one of the lists";

  for (const Kind kind : kKinds) {
    SCOPED_TRACE(nameOf(kind));
    const bool soft = kind != Kind::Rigid;
    World w;
    const BodyId floor = w.addStatic(Plane{}, {.restitution = 0});
    const BodyId gate = w.addStatic(Box{{1, 1, 0.05}}, {.position = {0, 0, 0.1}, .sensor = true});
    ContactBody it;
    if (soft) {
      spec::Flexcomp flex = softThing(kind);
      flex.pos = {0, 0, 0.5};
      it.soft = w.addSoft(flex);
      EXPECT_EQ(w.findSoft("thing"), it.soft);
      EXPECT_EQ(w.nameOf(it.soft), "thing");
      w.setUserData(it.soft, 3);
      EXPECT_EQ(w.userData(it.soft), 3u);
    } else {
      it.body = w.addBody(Box{{0.05, 0.05, 0.05}}, {.name = "thing", .position = {0, 0, 0.5}, .mass = kMass});
      EXPECT_EQ(w.findBody("thing"), it.body);
    }
    int begins = 0, visits = 0, asked = 0;
    w.onContactBegin([&](const ContactEvent& e) { begins += e.a == it || e.b == it; });
    w.onContactEnd([](const ContactEvent&) {});
    w.onSensorBegin([&](const SensorEvent& e) { visits += e.sensor == gate && e.visitor == it; });
    w.onSensorEnd([](const SensorEvent&) {});
    w.setContactFilter([&](const ContactBody& a, const ContactBody& b) {
      asked += (a == it && b.body == floor) || (b == it && a.body == floor);
      return true;
    });
    w.setThreads(2);
    w.setGravity({0, 0, -kG});

    const auto heightNow = [&] { return soft ? w.centerOfMass(it.soft)[2] : w.state(it.body).position[2]; };
    const double ofStatics = w.potentialEnergy() - kMass * kG * heightNow();

    // free fall: everything moves with g t
    constexpr double h = 1.0 / 240;
    for (int i = 0; i < 24; ++i) w.update(h);
    const double speed = kG * w.time();
    EXPECT_NEAR(w.momentum()[2], -kMass * speed, 1e-6);
    EXPECT_NEAR(w.angularMomentum()[0], 0, 1e-6);
    EXPECT_NEAR(w.kineticEnergy(), 0.5 * kMass * speed * speed, 1e-6);
    EXPECT_NEAR(w.potentialEnergy() - ofStatics, kMass * kG * heightNow(), 1e-6);
    if (soft) {
      EXPECT_NEAR(w.mass(it.soft), kMass, 1e-9);
      EXPECT_NEAR(w.velocity(it.soft)[2], -speed, 1e-9);
      EXPECT_EQ(static_cast<int>(w.vertices(it.soft).size()), w.model().flex_vertnum[0]);
    }
    // on the floor
    for (int i = 0; i < 240; ++i) w.update(h);
    EXPECT_GE(begins, 1);
    EXPECT_GE(visits, 1);
    EXPECT_GT(asked, 0);
    EXPECT_FALSE(w.islands().empty());
    EXPECT_EQ(w.trouble(), "");
    double carried = 0;
    for (const WorldContact& c : w.contacts()) {
      EXPECT_TRUE(c.a == it || c.b == it);
      carried += c.normalImpulse / h;
    }
    EXPECT_NEAR(carried, kMass * kG, 0.15 * kMass * kG);
    const auto hit = w.rayCast({0, 0, 3}, {0, 0, -1});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->thing, it);
    EXPECT_EQ(w.overlapping(Sphere{0.02}, {hit->point, {1, 0, 0, 0}}).back(), it);

    // saved and gone on with
    const auto where = [&](const World& world) {
      return soft ? world.vertices(it.soft) : std::vector<Vector3>{world.state(it.body).position};
    };
    const World::Snapshot then = w.snapshot();
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "matrix.world";
    for (int i = 0; i < 20; ++i) w.update(h);
    const std::vector<Vector3> end = where(w);
    w.restore(then);
    for (int i = 0; i < 20; ++i) w.update(h);
    EXPECT_EQ(where(w), end);
    w.save(file);
    World read = World::load(file);
    EXPECT_EQ(where(read), end);
    w.saveMjcf(file);
    EXPECT_EQ(load(file).nflex, soft ? 1 : 0);
    std::filesystem::remove(file);
    EXPECT_EQ(w.spec().world.flexcomps.size(), soft ? 1u : 0u);
    EXPECT_EQ(w.data().time, w.time());
    EXPECT_EQ(w.options().gravity[2], -kG);
    EXPECT_NE(w.toMjcf().find("thing"), std::string::npos);

    // and gone
    soft ? w.remove(it.soft) : w.remove(it.body);
    EXPECT_FALSE(soft ? w.contains(it.soft) : w.contains(it.body));
    w.update(h);
    if (!soft) continue;
    EXPECT_EQ(refusal([&] { w.vertices(it.soft); }), "soft handle 0.1 names something removed");
  }
}

}  // namespace
}  // namespace sinew
