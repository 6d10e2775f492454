#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/errors.h"
#include "sinew/model.h"
#include "sinew/scene.h"
#include "sinew/spec.h"

/// The viewer: a page in the browser that shows a model, pulls at it and changes it while it runs. The page comes from
/// a server in this program, on 127.0.0.1 unless told otherwise; its URL holds a token without which nothing is
/// answered. docs/viewer.md says what the page can do and how far it can be trusted.
///
/// A build without Boost or without the page has these classes too; making one throws LoadError that says so.
namespace sinew {

/// Whether this build has the viewer; if not, and `why` is given, what is missing.
bool hasViewer(std::string* why = nullptr);

struct ViewerOptions {
  std::string host = "127.0.0.1";  ///< address to listen on; others than loopback let other machines in
  int port = 7878;                 ///< the first that is tried: if taken, the next free one is used; 0: any
  bool openBrowser = false;        ///< if there is a desktop
  double framesPerSecond = 60;     ///< most that are sent
  std::uint64_t historyBytes = std::uint64_t{256} << 20;  ///< memory for past states
  std::uint64_t maxMemory = std::uint64_t{2} << 30;       ///< for textures, bytes
  std::string title = {};                                 ///< shown in the page; empty: the model's name
  bool leftPanel = true;                                  ///< title and numbers at the left are shown at first
  bool rightPanel = true;                                 ///< the panel at the right is shown at first
};

/// From where windows look: a camera of the model or a free one. The page follows the frame of FreeCamera::trackBody.
struct ViewerCamera {
  int fixed = -1;  ///< camera of the model, -1: `free`
  FreeCamera free;
  bool operator==(const ViewerCamera&) const = default;
};

/// What windows show beside the model. Of FrameOptions: groups of geoms, sites, tendons and flexes, `tendons`, `skins`,
/// contacts, joints, actuators, centres of mass, inertias, constraints, cameras, lights, frames (but those of cameras)
/// and `transparent`.
struct ViewerShown {
  FrameOptions frame;
  std::string labels = "none";  ///< "bodies", "joints", "geoms", "sites", "flexes", "selection" or "none"
  bool operator==(const ViewerShown&) const = default;
};

/// What is selected in the window that steers, and whether the mouse pulls at it.
struct ViewerSelection {
  int body = -1;                           ///< -1: none
  int flex = -1;                           ///< -1: none
  std::array<double, 3> local{};           ///< the point, in the frame of the body
  bool pulls = false, turns = false;       ///< the mouse pulls the point to `target`, turns the body to `turn`
  std::array<double, 3> target{};          ///< world
  std::array<double, 4> turn{1, 0, 0, 0};  ///< world
};

/// Something that a program draws in the windows beside the model.
struct ViewerGeom {
  Decoration shape;   ///< size 0: the label alone
  std::string label;  ///< beside its position
};

/// Lines of text in a corner of the picture, in two columns.
struct ViewerText {
  enum class Corner { TopLeft = 0, TopRight, BottomLeft, BottomRight, Top, Bottom, Left, Right };
  Corner corner = Corner::TopLeft;
  std::string left, right;
};

/// A viewer for a program that makes the steps itself.
///
///     Viewer viewer(spec, m, d);
///     std::puts(viewer.url().c_str());
///     while (viewer.isRunning()) {
///       step(m, d);
///       viewer.sync();
///     }
///
/// Nothing of `m` and `d` is read or written but in sync(), on the calling thread.
class Viewer {
 public:
  /// `m` and `d` must outlive it. Throws LoadError if this build has no viewer, std::runtime_error if no port is free.
  Viewer(const Spec& spec, Model& m, Data& d, const ViewerOptions& options = {});
  /// The same for a model without its description: no materials, textures and skins; it cannot be saved as MJCF.
  Viewer(Model& m, Data& d, const ViewerOptions& options = {});
  ~Viewer();
  Viewer(Viewer&&) noexcept;
  Viewer& operator=(Viewer&&) noexcept;

  /// With the token: whoever knows it may watch and steer.
  const std::string& url() const;
  int port() const;

  /// Shows the state of `d`, at most framesPerSecond times a second, and brings what users did into `d` and `m`:
  ///   pulls      the spring force, in xfrc_applied (bodies) and qfrc_applied (flexes); added to what is there, and
  ///              taken back by the next call
  ///   sliders    ctrl, and qpos of hinges and slides
  ///   settings   fields of m.opt; friction and stiffness in the arrays of `m`, whose storage stays in place
  /// Cheap when there is nothing to do. `stateOnly`: what users did is thrown away.
  void sync(bool stateOnly = false);
  /// Whether the next sync() sends a picture, so that it is worth to bring the geoms up to date.
  bool isDue() const;

  /// Geoms of the program that windows draw from the next picture on.
  void setGeoms(std::vector<ViewerGeom> geoms);
  /// Where windows look from. Users move it, and sync() brings that back: from the window that steers.
  const ViewerCamera& camera() const;
  /// The camera of all windows, from now on.
  void setCamera(const ViewerCamera& camera);
  /// What windows show, as the program or the window that steers set it last.
  const ViewerShown& shown() const;
  void setShown(const ViewerShown& shown);
  /// What users hold, as of the last sync().
  ViewerSelection selection() const;
  /// Texts over the picture.
  void setTexts(std::vector<ViewerText> texts);
  /// Sends the scene anew: after meshes, height fields or textures of `m` were changed. Colours, sizes and groups of
  /// geoms and sites need no call.
  void sendScene();
  /// Numbers of the keys (GLFW's: 32 space, 65 A, 256 Escape, 262 right arrow) pressed in the window that steers since
  /// the last call; waits up to `most` for one. May be called from another thread than sync(), and without it.
  std::vector<int> takeKeys(std::chrono::microseconds most = {});

  /// False after close(), and when the last window was closed. Before the first one opens it is true.
  bool isRunning() const;
  /// Whether a user asked for a pause: the program may hold its loop, sync() goes on showing.
  bool isPaused() const;
  /// Held during sync(). For programs that step on one thread and sync on another.
  std::unique_lock<std::recursive_mutex> lock();
  /// Windows that are open.
  int windows() const;
  /// Ends the server. Windows say that the program has ended.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a LiveView shows: a description, what was compiled from it, and the files that it came from.
struct ViewedModel {
  Spec spec;
  Model model;
  Warnings warnings;
  std::vector<std::filesystem::path> files;
};

/// A viewer that steps by itself, in real time as far as the machine can, with a past to scrub through. What
/// `sinew view` runs.
class LiveView {
 public:
  /// Makes the model; called again when one of its files changes or the user asks for it. LoadErrors are shown in the
  /// page, with file and line, until a later call succeeds.
  using Load = std::function<ViewedModel()>;

  struct Settings {
    ViewerOptions viewer;
    std::vector<std::filesystem::path> watch;  ///< files to watch even if the first load fails
    int key = -1;                              ///< keyframe to start from
    int threads = 1;
    bool paused = false;
    double duration = 0;  ///< simulated seconds after which it pauses; 0: none
    /// Called before every step, for controls.
    std::function<void(const Model&, Data&)> beforeStep;
  };

  /// Throws LoadError if this build has no viewer, std::runtime_error if no port is free.
  LiveView(Load load, Settings settings);
  ~LiveView();

  const std::string& url() const;
  int port() const;
  /// Whether the port that was asked for was taken, so that another one is used.
  bool isOtherPort() const;
  /// Whether a browser was started.
  bool openedBrowser() const;

  /// Serves until `stop` returns true; it is asked many times a second.
  void run(const std::function<bool()>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
