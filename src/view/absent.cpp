// In place of the rest of this folder, and of src/replay, in builds without Boost, nlohmann-json or zlib.
#include "sinew/errors.h"
#include "sinew/replay.h"
#include "sinew/viewer.h"

namespace sinew {
namespace {

constexpr const char* kAbsent =
    "this build has no viewer and no replay files: it was configured without Boost (libboost-dev), nlohmann-json "
    "(nlohmann-json3-dev) or zlib (zlib1g-dev)";

}  // namespace

bool hasViewer(std::string* why) {
  if (why) *why = kAbsent;
  return false;
}

struct Viewer::Impl {};
Viewer::Viewer(const Spec&, Model&, Data&, const ViewerOptions&) { throw LoadError(kAbsent); }
Viewer::Viewer(Model&, Data&, const ViewerOptions&) { throw LoadError(kAbsent); }
Viewer::~Viewer() = default;
Viewer::Viewer(Viewer&&) noexcept = default;
Viewer& Viewer::operator=(Viewer&&) noexcept = default;
const std::string& Viewer::url() const { throw LoadError(kAbsent); }
int Viewer::port() const { return 0; }
void Viewer::sync(bool) {}
bool Viewer::isRunning() const { return false; }
bool Viewer::isPaused() const { return false; }
std::unique_lock<std::recursive_mutex> Viewer::lock() { return {}; }
int Viewer::windows() const { return 0; }
bool Viewer::isDue() const { return false; }
const ViewerCamera& Viewer::camera() const { throw LoadError(kAbsent); }
const ViewerShown& Viewer::shown() const { throw LoadError(kAbsent); }
ViewerSelection Viewer::selection() const { return {}; }
void Viewer::setGeoms(std::vector<ViewerGeom>) {}
void Viewer::setCamera(const ViewerCamera&) {}
void Viewer::setShown(const ViewerShown&) {}
void Viewer::setTexts(std::vector<ViewerText>) {}
void Viewer::sendScene() {}
std::vector<int> Viewer::takeKeys(std::chrono::microseconds) { return {}; }
void Viewer::close() {}

struct LiveView::Impl {};
LiveView::LiveView(Load, Settings) { throw LoadError(kAbsent); }
LiveView::~LiveView() = default;
const std::string& LiveView::url() const { throw LoadError(kAbsent); }
int LiveView::port() const { return 0; }
bool LiveView::isOtherPort() const { return false; }
bool LiveView::openedBrowser() const { return false; }
void LiveView::run(const std::function<bool()>&) {}

struct Replay::Impl {};
Replay::Replay(const Spec&, const Model&, const ReplayOptions&) { throw LoadError(kAbsent); }
Replay::Replay(const Model&, const ReplayOptions&) { throw LoadError(kAbsent); }
Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;
void Replay::record(const Data&) {}
bool Replay::isDue(const Data&) const { return false; }
int Replay::frames() const { return 0; }
std::string Replay::html() const { throw LoadError(kAbsent); }
void Replay::save(const std::filesystem::path&) const { throw LoadError(kAbsent); }

}  // namespace sinew
