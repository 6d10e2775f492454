#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sinew/errors.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/command.h"

/// Options that make no sense are refused with the same words wherever they come from: a file, --set, a program.
namespace sinew::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string ball(const std::string& option) {
  return "<mujoco>\n<option " + option +
         "/><worldbody><geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 .09\"><freejoint/><geom "
         "size=\".1\"/></body>"
         "</worldbody></mujoco>";
}

struct Case {
  std::string mjcf;                   // attributes of <option>; empty: cannot be written there
  std::vector<std::string> settings;  // of --set
  std::function<void(Option&)> change;
  std::string text;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto number = [&](const std::string& name, double Option::*field, const std::string& value, double x,
                          const std::string& text) {
    all.push_back({name + "=\"" + value + "\"",
                   {name + "=" + value},
                   [=](Option& o) { o.*field = x; },
                   "'" + name + "' " + text});
  };
  const auto count = [&](const std::string& name, int Option::*field, int most) {
    for (const int x : {-1, most + 1, 2147483647}) {
      const std::string value = std::to_string(x);
      all.push_back({name + "=\"" + value + "\"",
                     {name + "=" + value},
                     [=](Option& o) { o.*field = x; },
                     "'" + name + "' must be from 0 to " + std::to_string(most) + ", found " + value});
    }
  };
  number("timestep", &Option::timestep, "0", 0, "must be positive, found 0");
  number("timestep", &Option::timestep, "-0.5", -0.5, "must be positive, found -0.5");
  number("timestep", &Option::timestep, "nan", kNan, "must be finite, found \"nan\"");
  number("timestep", &Option::timestep, "inf", kInfinity, "must be finite, found \"inf\"");
  number("density", &Option::density, "nan", kNan, "must be finite, found \"nan\"");
  number("impratio", &Option::impratio, "-inf", -kInfinity, "must be finite, found \"-inf\"");
  number("tolerance", &Option::tolerance, "nan", kNan, "must be finite, found \"nan\"");
  number("erp", &Option::erp, "1.5", 1.5, "must be from 0 to 1, found 1.5");
  number("erp", &Option::erp, "-1", -1, "must be from 0 to 1, found -1");
  number("slop", &Option::slop, "-1", -1, "must not be negative, found -1");
  number("restitution_threshold", &Option::restitution_threshold, "-2", -2, "must not be negative, found -2");
  count("iterations", &Option::iterations, 100'000);
  count("ls_iterations", &Option::ls_iterations, 10'000);
  count("noslip_iterations", &Option::noslip_iterations, 100'000);
  count("ccd_iterations", &Option::ccd_iterations, 1'000);
  count("sdf_iterations", &Option::sdf_iterations, 1'000);
  count("sdf_initpoints", &Option::sdf_initpoints, 10'000);
  all.push_back({"gravity=\"0 0 nan\"",
                 {"gravity=0:0:nan"},
                 [](Option& o) { o.gravity[2] = kNan; },
                 "'gravity' must be finite, found \"0 0 nan\""});
  all.push_back({"wind=\"inf 0 0\"",
                 {"wind=inf:0:0"},
                 [](Option& o) { o.wind[0] = kInfinity; },
                 "'wind' must be finite, found \"inf 0 0\""});
  all.push_back({"solver=\"Impulse\" integrator=\"RK4\"",
                 {"solver=Impulse", "integrator=RK4"},
                 [](Option& o) {
                   o.solver = Solver::Impulse;
                   o.integrator = Integrator::RK4;
                 },
                 "the Impulse solver works on the velocity of one step and does not go with integrator=\"RK4\"; Euler, "
                 "implicit, implicitfast and midpoint do"});
  all.push_back({"",
                 {},
                 [](Option& o) { o.integrator = static_cast<Integrator>(7); },
                 "'integrator' must be one of Euler, RK4, implicit, implicitfast, midpoint, found the number 7"});
  all.push_back({"",
                 {},
                 [](Option& o) { o.solver = static_cast<Solver>(-1); },
                 "'solver' must be one of PGS, CG, Newton, Impulse, found the number -1"});
  all.push_back({"",
                 {},
                 [](Option& o) { o.speculative = static_cast<Speculative>(2); },
                 "'speculative' must be one of none, thin, found the number 2"});
  return all;
}

TEST(Options, ONE_6_AFileIsRefusedWithTheText) {
  for (const Case& c : cases()) {
    if (c.mjcf.empty()) continue;
    try {
      compile(readMjcfText(ball(c.mjcf), "m.xml"));
      ADD_FAILURE() << c.mjcf << " was accepted";
    } catch (const LoadError& error) {
      EXPECT_EQ(error.what(), "m.xml:2: <option>: " + c.text);
    }
  }
}

TEST(Options, ONE_6_ASpecIsRefusedWithTheText) {
  for (const Case& c : cases()) {
    Spec spec = readMjcfText(ball(""), "m.xml");
    c.change(spec.option);
    try {
      compile(spec);
      ADD_FAILURE() << c.text << " was accepted";
    } catch (const LoadError& error) {
      EXPECT_NE(std::string(error.what()).find(": " + c.text), std::string::npos) << error.what();
    }
    EXPECT_EQ(checkOption(spec.option), c.text);
  }
  EXPECT_EQ(checkOption(Option{}), std::nullopt);
}

TEST(Options, ONE_6_TheCommandRefusesItWithTheText) {
  const TestFolder folder;
  const std::string model = folder.write("m.xml", ball(""));
  for (const Case& c : cases()) {
    if (c.settings.empty()) continue;
    for (const char* command : {"run", "info", "bench"}) {
      std::vector<std::string> arguments{command, model};
      for (const std::string& setting : c.settings) arguments.insert(arguments.end(), {"--set", setting});
      const CommandResult r = runSinew(arguments);
      EXPECT_EQ(r.exitCode, 2) << c.text;
      EXPECT_EQ(r.err, "error: --set: " + c.text + "\n");
      EXPECT_EQ(r.out, "");
    }
  }
}

TEST(Options, ONE_6_AStepDoesNothingAndTellsTheText) {
  for (const Case& c : cases()) {
    Model m = compile(readMjcfText(ball("")));
    Data d(m);
    step(m, d);
    const Option good = m.opt;
    c.change(m.opt);
    const std::uint64_t before = stateHash(m, d);
    {
      AllocationGuard guard("a step that is refused");
      for (int i = 0; i < 3; ++i) step(m, d);
    }
    EXPECT_EQ(stateHash(m, d), before) << c.text;
    EXPECT_EQ(d.status[Trouble::BadOption].count, 3) << c.text;
    EXPECT_NE(describeStatus(m, d).find(c.text + "; the step did nothing"), std::string::npos) << describeStatus(m, d);
    EXPECT_THROW(inverse(m, d), std::invalid_argument);

    m.opt = good;
    step(m, d);
    EXPECT_NE(stateHash(m, d), before) << c.text;
    EXPECT_EQ(d.status[Trouble::BadOption].count, 3);
  }
}

TEST(Options, ONE_6_TheLargestNumbersOfIterationsEndInReasonableTime) {
  // with a tolerance of 0 nothing but the bound ends an iteration
  for (const char* solver : {"PGS", "CG", "Newton", "Impulse"}) {
    const Model m = compile(readMjcfText(
        std::string("<mujoco><option iterations=\"100000\" tolerance=\"0\" ls_iterations=\"10000\" ls_tolerance=\"0\" "
                    "ccd_iterations=\"1000\" ccd_tolerance=\"0\" solver=\"") +
        solver + R"("/><worldbody><geom type="plane" size="1 1 1"/>
          <body pos="0 0 .09"><freejoint/><geom type="cylinder" size=".1 .1"/></body>
          <body pos="0 0 .2"><freejoint/><geom type="ellipsoid" size=".1 .1 .05"/></body></worldbody></mujoco>)"));
    Data d(m);
    step(m, d);
    EXPECT_TRUE(std::isfinite(d.qpos[2])) << solver;
  }
}

TEST(Options, ONE_6_NumbersOfTheCommandLineHaveARange) {
  for (const auto& [option, value, expected] : std::vector<std::array<std::string, 3>>{
           {"--steps", "99999999999999999999", "a whole number from 0 to 1000000000000000"},
           {"--steps", "-1", "a whole number from 0 to 1000000000000000"},
           {"--steps", "1.5", "a whole number from 0 to 1000000000000000"},
           {"--steps", "", "a whole number from 0 to 1000000000000000"},
           {"--duration", "nan", "a number above 0"},
           {"--duration", "inf", "a number above 0"},
           {"--duration", "-1", "a number above 0"},
           {"--duration", "0", "a number above 0"},
           {"--duration", "1e999", "a number above 0"},
           {"--threads", "1000000", "a whole number from 1 to 1024"},
           {"--threads", "0", "a whole number from 1 to 1024"},
           {"--threads", "-2", "a whole number from 1 to 1024"},
           {"--every", "0", "a whole number from 1 to 1000000000000000"},
           {"--max-memory", "-1", "a size such as 512M or 4G"},
           {"--max-memory", "nan", "a size such as 512M or 4G"},
           {"--max-memory", "3X", "a size such as 512M or 4G"}}) {
    const CommandResult r = runSinew({"run", option, value});
    EXPECT_EQ(r.exitCode, 2) << option << " " << value;
    EXPECT_EQ(r.err.rfind("error: " + option + ": expected " + expected + ", found '" + value + "'\n", 0), 0u) << r.err;
  }
  EXPECT_EQ(runSinew({"run", "--duration", "1e300"}).exitCode, 2);
  EXPECT_EQ(runSinew({"run", "--steps", "1", "--checkpoint", "/nowhere/c", "--every-seconds", "nan"}).exitCode, 2);
  EXPECT_EQ(runSinew({"run", "--steps", "010", "--max-memory", "1.5G", "--threads", "2"}).exitCode, 0);
}

}  // namespace
}  // namespace sinew::test
