#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "command.h"
#include "model_source.h"
#include "numbers.h"
#include "output.h"
#include "pictures.h"
#include "scenes/scenes.h"
#include "sinew/replay.h"
#include "sinew/scene.h"
#include "sinew/step.h"
#include "view.h"

namespace sinew::cli {
namespace {

constexpr double kPictureTime = 0.7;  // s: everything is in the air

struct DemoOptions {
  bool headless = false;
  double duration = 10;
  std::string folder = ".";
  ViewChoices view;
};

/// What touched what, by kind.
const char* kindOf(const Model& m, const Contact& c, std::size_t side) {
  if (c.flex[side] >= 0) {
    return m.flex_dim[c.flex[side]] == 1 ? "rope" : m.flex_dim[c.flex[side]] == 2 ? "cloth" : "soft solid";
  }
  return "rigid";
}

int runHeadless(const DemoOptions& o) {
  Warnings warnings;
  Spec spec;
  const Model m = compileScene("demo.xml", scenes::demo().mjcf, {}, &warnings, &spec);
  Data d(m);
  resetToKey(m, d, 0);
  const std::filesystem::path folder(o.folder);
  const std::string picture = (folder / "demo.png").string(), page = (folder / "demo.html").string();
  std::unique_ptr<Replay> replay;
  std::string replayNote = page, pictureNote;
  try {
    ReplayOptions options;
    options.title = "Sinew demo";
    options.command = "sinew demo --headless";
    replay = std::make_unique<Replay>(spec, m, options);
  } catch (const LoadError& error) {
    replayNote = std::string("none: ") + error.what();
  }

  using Clock = std::chrono::steady_clock;
  double wall = 0;
  int most = 0;
  std::set<std::string> touching;
  const long steps = std::lround(o.duration / m.opt.timestep);
  for (long i = 0; i < steps; ++i) {
    if (replay && replay->isDue(d)) replay->record(d);
    if (pictureNote.empty() && d.time >= std::min(kPictureTime, 0.5 * o.duration)) {
      pictureNote = drawPicture(spec, m, d, picture);
    }
    const auto start = Clock::now();
    step(m, d);
    wall += std::chrono::duration<double>(Clock::now() - start).count();
    most = std::max(most, d.ncon());
    for (const Contact& c : d.contact) {
      std::string a = kindOf(m, c, 0), b = kindOf(m, c, 1);
      if (b < a) std::swap(a, b);
      touching.insert(a + " - " + b);
    }
  }
  if (replay) replay->save(page);

  const auto row = [](const char* name, const std::string& value) { fmt::print("{:<18}{}\n", name, value); };
  row("demo", "a robot with a gripper, a soft ball, a rope with a weight, a cloth, a tower, bouncing balls");
  row("simulated", fmt::format("{:.6g} s in {} steps", static_cast<double>(steps) * m.opt.timestep, steps));
  row("real-time factor",
      fmt::format("{:.3g} on one core", static_cast<double>(steps) * m.opt.timestep / std::max(wall, 1e-9)));
  std::string kinds;
  for (const std::string& t : touching) kinds += (kinds.empty() ? "" : ", ") + t;
  row("contacts", fmt::format("at most {}: {}", most, kinds));
  row("picture", pictureNote);
  row("replay", replayNote + (replay ? "  (open it in a browser)" : ""));
  row("next", "sinew view shows it live; sinew without arguments lists what else there is");
  const std::string status = describeStatus(m, d);
  row("status", status.empty() ? "ok" : "not ok, see the message");
  flushOutput();
  if (status.empty()) return kOk;
  fmt::print(stderr, "error: {}\n", status);
  return kProblem;
}

int execute(const DemoOptions& o) {
  if (!o.headless && isatty(STDOUT_FILENO) == 1) {
    fmt::print("The demo runs in your browser; --headless runs it here and writes demo.html and demo.png.\n");
    ViewRun run;
    run.view = o.view;
    try {
      return showUntilStopped(run);
    } catch (const CommandError& error) {
      fmt::print(stderr, "note: {}\n", error.what());
    }
  }
  return runHeadless(o);
}

}  // namespace

Command addDemoCommand(CLI::App& app) {
  auto o = std::make_shared<DemoOptions>();
  CLI::App* demo = app.add_subcommand("demo", "Show what Sinew can do: in the browser, or without a terminal in files");
  demo->add_flag("--headless", o->headless, "Simulate 10 s, sum up, write demo.html and demo.png");
  demo->add_option("--duration", o->duration, "Simulated seconds of --headless")
      ->transform(positiveNumber())
      ->capture_default_str();
  demo->add_option("--folder", o->folder, "Where --headless writes its files")->capture_default_str()->type_name("DIR");
  addViewChoices(*demo, o->view);
  return {demo, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
