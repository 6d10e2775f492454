#pragma once

#include <functional>
#include <string>

#include "model_source.h"
#include "sinew/viewer.h"

namespace sinew::cli {

/// Where the viewer is served.
struct ViewChoices {
  std::string host = "127.0.0.1";
  int port = ViewerOptions{}.port;
  bool noBrowser = false;
};

/// Registers --host, --port and --no-browser.
void addViewChoices(CLI::App& parser, ViewChoices& choices);

/// What to show.
struct ViewRun {
  std::string model;  ///< empty: the demo scene
  std::string key;
  int threads = 1;
  bool paused = false;
  double duration = 0;  ///< simulated seconds, then it pauses; 0: none
  std::function<void(const Model&, Data&)> beforeStep;
  ModelChoices choices;
  ViewChoices view;
};

/// Serves the page until a signal comes. Throws CommandError if this build cannot, or no port is free.
int showUntilStopped(const ViewRun& run);

}  // namespace sinew::cli
