#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/scene.h"
#include "sinew/spec.h"
#include "sinew/viewer.h"
#include "view/drag.h"
#include "view/server.h"
#include "view/wire.h"

namespace sinew::view {

/// What the windows of one model share, whoever makes the steps: who steers, what is shown, pulls, sliders, changes of
/// the model.
class Session {
 public:
  Session(const ViewerOptions& options, std::string mode);

  /// A model to show from now on. `spec` may be null. All must stay where they are.
  void setModel(Spec* spec, Model* m, Data* d, const Warnings& warnings);
  /// No model could be loaded: the page shows why.
  void setLoadError(const std::string& text);

  /// Commands that this class does not know: false if they make no sense.
  using Other = std::function<bool(const nlohmann::json& command)>;
  /// Carries out what windows asked for since the last call. `obey` false: what would change the model or its state is
  /// left out.
  void handle(const Other& other, bool obey = true) { handle(server_.takeEvents(), other, obey); }
  /// The same for these events, whoever they are from.
  void handle(const std::vector<Event>& events, const Other& other, bool obey = true);
  /// Messages so far that made no sense.
  std::uint64_t refusals() const { return refusals_; }

  /// Sends the derived arrays of `d` and what goes with them.
  void publish(Data& d, const RunStatus& status, std::uint64_t step);

  void setTrouble(const std::string& json);  ///< shown to everybody, also who comes later; "null": none
  void notice(const std::string& text);

  // what a program that steps by itself draws and looks at, see Viewer
  void setGeoms(std::vector<ViewerGeom> geoms) { geoms_ = std::move(geoms); }
  const ViewerCamera& camera() const { return camera_; }
  void setCamera(const ViewerCamera& camera);
  const ViewerShown& shown() const { return shown_; }
  void setShown(const ViewerShown& shown);
  void setTexts(std::vector<ViewerText> texts);
  ViewerSelection selection() const;
  /// Whether keys of this window count: those of the one that steers, and of any before the first message was handled.
  bool isSteering(std::uint64_t client) const { return steering_ == 0 || steering_ == client; }

  Server& server() { return server_; }
  Drag& drag() { return drag_; }
  const Scene& scene() const { return *scene_; }
  /// Whether something was changed since the last call that makes the picture stale.
  bool takeDirty() { return std::exchange(dirty_, false); }
  /// Whether there ever was a window.
  bool wasOpened() const { return wasOpened_; }
  std::chrono::steady_clock::time_point lastClosed() const { return lastClosed_; }
  const std::string& url() const { return url_; }
  bool isPassive() const { return mode_ == "passive"; }

 private:
  struct WindowState {
    Wants wants;
  };
  void opened(std::uint64_t client);
  void closed(std::uint64_t client);
  void obeyText(std::uint64_t client, const std::string& text, const Other& other, bool obey);
  bool command(std::uint64_t client, const nlohmann::json& j);
  void setWants(std::uint64_t client, const nlohmann::json& j);
  void mergeWants();
  void tellRoles();
  void tellWatch(std::uint64_t client = 0);
  void tellEdits();
  void setDrag(const nlohmann::json& j);
  void edit(const nlohmann::json& j);
  void setOption(const nlohmann::json& j);
  void save(std::uint64_t client, const nlohmann::json& j);
  nlohmann::json cameraMessage() const;
  nlohmann::json shownMessage() const;
  std::string textsMessage() const;

  const ViewerOptions options_;
  const std::string mode_;
  Server server_;
  std::string url_;
  Spec* spec_ = nullptr;
  Model* m_ = nullptr;
  Data* d_ = nullptr;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<FrameEncoder> encoder_;
  std::uint64_t sceneId_ = 0;
  Drag drag_;
  std::map<std::uint64_t, WindowState> windows_;
  std::uint64_t steering_ = 0, refusals_ = 0;
  Wants wants_;
  std::vector<WatchEntry> watch_;
  std::uint32_t watchVersion_ = 0;
  std::vector<std::pair<std::string, std::string>> edits_;  // what, value
  std::string trouble_ = "null", loadError_ = "null";
  std::vector<Look> looks_;  // of the scene that was sent
  std::vector<ViewerGeom> geoms_;
  std::vector<ViewerText> texts_;
  ViewerCamera camera_;
  ViewerShown shown_;
  ViewerSelection selection_;
  // windows answer with the version they know, so that a change of the program is not undone by what was under way
  std::uint32_t cameraVersion_ = 0, shownVersion_ = 0;
  bool hasCamera_ = false, hasShown_ = false;  // somebody set them: windows that open later are told
  bool dirty_ = true, wasOpened_ = false;
  std::chrono::steady_clock::time_point lastClosed_{};
};

/// Starts the desktop's browser. False if there is no desktop or nothing that opens pages.
bool openBrowser(const std::string& url);

}  // namespace sinew::view
