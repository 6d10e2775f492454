#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "command.h"
#include "interruption.h"
#include "model_source.h"
#include "numbers.h"
#include "output.h"
#include "scenes/scenes.h"
#include "view.h"

namespace sinew::cli {
namespace {

struct ViewCommandOptions {
  std::string model;
  std::string key;
  ViewChoices view;
  int threads = 1;
  bool paused = false;
  ModelChoices choices;
};

int execute(const ViewCommandOptions& o) {
  ViewRun run;
  run.model = o.model;
  run.key = o.key;
  run.threads = o.threads;
  run.paused = o.paused;
  run.choices = o.choices;
  run.view = o.view;
  return showUntilStopped(run);
}

}  // namespace

void addViewChoices(CLI::App& parser, ViewChoices& choices) {
  parser.add_option("--host", choices.host, "Address to listen on; others than 127.0.0.1 let other machines in")
      ->capture_default_str()
      ->type_name("ADDRESS");
  parser.add_option("--port", choices.port, "First port to try; 0: any that is free")
      ->transform(wholeNumber(0, 65535))
      ->capture_default_str()
      ->type_name("N");
  parser.add_flag("--no-browser", choices.noBrowser, "Print the URL, open nothing");
}

int showUntilStopped(const ViewRun& run) {
  std::string why;
  if (!hasViewer(&why)) throw CommandError(why, kProblem);
  LiveView::Settings settings;
  settings.viewer.host = run.view.host;
  settings.viewer.port = run.view.port;
  settings.viewer.openBrowser = !run.view.noBrowser;
  settings.viewer.maxMemory = run.choices.maxMemory;
  settings.viewer.title = run.model;
  if (!run.model.empty()) settings.watch = {run.model};
  settings.threads = run.threads;
  settings.paused = run.paused;
  settings.duration = run.duration;
  settings.beforeStep = run.beforeStep;
  bool isFirst = true;
  const auto load = [&]() -> ViewedModel {
    ViewedModel viewed;
    ModelChoices choices = run.choices;
    choices.quiet = choices.quiet || !isFirst;
    isFirst = false;
    try {
      viewed.model = run.model.empty()
                         ? compileScene("demo.xml", scenes::demo().mjcf, choices, &viewed.warnings, &viewed.spec)
                         : loadChosen(run.model, choices, &viewed.warnings, &viewed.files, &viewed.spec);
    } catch (const LoadError& error) {
      fmt::print(stderr, "error: {}\n", error.what());  // for who looks here; the page shows it, too
      throw;
    }
    return viewed;
  };
  if (!run.key.empty() || run.model.empty()) {
    // the name of a keyframe is looked up once; a model that cannot be loaded shows its error in the page
    try {
      ModelChoices quiet = run.choices;
      quiet.quiet = true;
      const Model m =
          run.model.empty() ? compileScene("demo.xml", scenes::demo().mjcf, quiet) : loadChosen(run.model, quiet);
      settings.key = !run.key.empty() ? findKey(m, run.key) : m.nkey > 0 ? 0 : -1;
    } catch (const LoadError&) {
    }
  }
  const Interruption interruption;
  std::unique_ptr<LiveView> view;
  try {
    view = std::make_unique<LiveView>(load, std::move(settings));
  } catch (const LoadError&) {
    throw;
  } catch (const CommandError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw CommandError(error.what(), kProblem);
  }
  if (view->isOtherPort()) fmt::print(stderr, "note: port {} is in use, using {}\n", run.view.port, view->port());
  fmt::print("{}\n", view->url());
  flushOutput();
  fmt::print(stderr, "{}Ctrl-C ends it.\n",
             view->openedBrowser() ? "Opened in your browser. "
                                   : "Open this URL in a browser; it holds a token, keep it to yourself. ");
  view->run([] { return Interruption::signal() != 0; });
  return kOk;
}

Command addViewCommand(CLI::App& app) {
  auto o = std::make_shared<ViewCommandOptions>();
  CLI::App* view = app.add_subcommand("view", "Show a model in the browser: watch, pull, change, scrub, plot");
  view->add_option("MODEL", o->model, "MJCF or URDF file; without it a demo scene is shown");
  view->add_option("--key", o->key, "Start from this keyframe")->type_name("NAME|INDEX");
  view->add_flag("--paused", o->paused, "Wait for the space bar");
  addViewChoices(*view, o->view);
  addThreads(*view, o->threads);
  addModelChoices(*view, o->choices);
  return {view, [o] { return execute(*o); }};
}

}  // namespace sinew::cli
