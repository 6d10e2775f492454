#include "sinew/viewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>
#include <system_error>

#include "model/advice.h"
#include "sinew/step.h"
#include "view/page.h"
#include "view/session.h"

namespace sinew {
namespace {

using namespace view;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using Seconds = std::chrono::duration<double>;

constexpr auto kReopenTime = std::chrono::seconds(4);  // a page that is reloaded comes back within this

void requireViewer() {
  std::string why;
  if (!hasViewer(&why)) throw LoadError(why);
}

}  // namespace

bool hasViewer(std::string* why) {
  if (hasPage()) return true;
  if (why) *why = std::string(noPageText());
  return false;
}

// ---------------------------------------------------------------------------------------------- somebody else steps

struct Viewer::Impl {
  Impl(const Spec* description, Model& model, Data& data, const ViewerOptions& o)
      : spec(description ? std::make_unique<Spec>(*description) : nullptr),
        m(model),
        d(data),
        options(o),
        session(o, "passive"),
        url(session.url()) {
    if (spec) spec->option = m.opt;
    session.setModel(spec.get(), &m, &d, {});
    if (o.openBrowser) openBrowser(url);
  }

  void sync(bool stateOnly) {
    const std::lock_guard guard(mutex);
    if (isClosed) return;
    session.drag().remove(d);
    session.handle(
        [&](const Json& j) {
          const std::string c = j["c"].get<std::string>();
          if (c == "pause") {
            paused = j.value("on", true);
            return true;
          }
          return false;
        },
        !stateOnly);
    if (d.time < lastTime) steps = 0;
    if (d.time != lastTime) ++steps;
    lastTime = d.time;
    const Clock::time_point now = Clock::now();
    if (isDue(now)) {
      RunStatus status;
      status.paused = paused;
      const double wall = Seconds(now - published).count();
      if (wall > 0 && d.time > publishedTime) status.realTime = (d.time - publishedTime) / wall;
      session.takeDirty();
      session.publish(d, status, steps);
      published = now;
      publishedTime = d.time;
    }
    if (!stateOnly) session.drag().apply(m, d);
  }

  bool isDue(Clock::time_point now) {
    return session.server().windows() > 0 && now - published >= Seconds(1 / std::max(1.0, options.framesPerSecond));
  }

  std::unique_ptr<Spec> spec;
  Model& m;
  Data& d;
  const ViewerOptions options;
  Session session;
  std::string url;
  std::recursive_mutex mutex;
  bool isClosed = false;
  std::atomic<bool> paused{false};
  std::uint64_t steps = 0;
  double lastTime = 0, publishedTime = 0;
  Clock::time_point published{};
};

Viewer::Viewer(const Spec& spec, Model& m, Data& d, const ViewerOptions& options) {
  requireViewer();
  impl_ = std::make_unique<Impl>(&spec, m, d, options);
}
Viewer::Viewer(Model& m, Data& d, const ViewerOptions& options) {
  requireViewer();
  impl_ = std::make_unique<Impl>(nullptr, m, d, options);
}
Viewer::~Viewer() = default;
Viewer::Viewer(Viewer&&) noexcept = default;
Viewer& Viewer::operator=(Viewer&&) noexcept = default;

const std::string& Viewer::url() const { return impl_->url; }
int Viewer::port() const { return impl_->session.server().port(); }
void Viewer::sync(bool stateOnly) { impl_->sync(stateOnly); }
bool Viewer::isPaused() const { return impl_->paused; }
int Viewer::windows() const { return impl_->session.server().windows(); }
std::unique_lock<std::recursive_mutex> Viewer::lock() { return std::unique_lock(impl_->mutex); }

bool Viewer::isRunning() const {
  const std::lock_guard guard(impl_->mutex);
  if (impl_->isClosed) return false;
  const Session& session = impl_->session;
  if (!session.wasOpened() || impl_->session.server().windows() > 0) return true;
  return session.lastClosed() == Clock::time_point{} || Clock::now() - session.lastClosed() < kReopenTime;
}

bool Viewer::isDue() const {
  const std::lock_guard guard(impl_->mutex);
  return !impl_->isClosed && impl_->isDue(Clock::now());
}
const ViewerCamera& Viewer::camera() const { return impl_->session.camera(); }
const ViewerShown& Viewer::shown() const { return impl_->session.shown(); }
ViewerSelection Viewer::selection() const {
  const std::lock_guard guard(impl_->mutex);
  return impl_->session.selection();
}
void Viewer::setGeoms(std::vector<ViewerGeom> geoms) {
  const std::lock_guard guard(impl_->mutex);
  impl_->session.setGeoms(std::move(geoms));
}
void Viewer::setCamera(const ViewerCamera& camera) {
  const std::lock_guard guard(impl_->mutex);
  impl_->session.setCamera(camera);
}
void Viewer::setShown(const ViewerShown& shown) {
  const std::lock_guard guard(impl_->mutex);
  impl_->session.setShown(shown);
}
void Viewer::setTexts(std::vector<ViewerText> texts) {
  const std::lock_guard guard(impl_->mutex);
  impl_->session.setTexts(std::move(texts));
}
void Viewer::sendScene() {
  const std::lock_guard guard(impl_->mutex);
  impl_->session.drag().remove(impl_->d);
  impl_->session.setModel(impl_->spec.get(), &impl_->m, &impl_->d, {});
}

std::vector<int> Viewer::takeKeys(std::chrono::microseconds most) {
  const std::vector<KeyPress> keys = impl_->session.server().takeKeys(most);
  const std::lock_guard guard(impl_->mutex);
  std::vector<int> codes;
  for (const KeyPress& key : keys) {
    if (!impl_->isClosed && impl_->session.isSteering(key.client)) codes.push_back(key.code);
  }
  return codes;
}

void Viewer::close() {
  const std::lock_guard guard(impl_->mutex);
  if (impl_->isClosed) return;
  impl_->isClosed = true;
  impl_->session.drag().remove(impl_->d);
  impl_->session.server().sendToAll(R"({"ended":true})");
}

// ---------------------------------------------------------------------------------------------- we step

namespace {

/// The last states of a run, as many as memory allows.
class History {
 public:
  struct Entry {
    std::uint64_t step;
    double time;
    std::vector<std::byte> state;
  };
  explicit History(std::uint64_t mostBytes) : mostBytes_(mostBytes) {}

  void clear() {
    entries_.clear();
    bytes_ = 0;
  }
  void push(Entry entry) {
    bytes_ += entry.state.size();
    entries_.push_back(std::move(entry));
    while (entries_.size() > 2 && bytes_ > mostBytes_) {
      bytes_ -= entries_.front().state.size();
      entries_.pop_front();
    }
  }
  void dropLast() {
    bytes_ -= entries_.back().state.size();
    entries_.pop_back();
  }
  /// Forgets what came after entry i.
  void cutAfter(std::size_t i) {
    while (entries_.size() > i + 1) {
      bytes_ -= entries_.back().state.size();
      entries_.pop_back();
    }
  }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const Entry& operator[](std::size_t i) const { return entries_[i]; }
  const Entry& back() const { return entries_.back(); }
  const Entry& front() const { return entries_.front(); }
  /// The last entry at or before this time.
  std::size_t at(double time) const {
    const auto after =
        std::upper_bound(entries_.begin(), entries_.end(), time, [](double t, const Entry& e) { return t < e.time; });
    return after == entries_.begin() ? 0 : static_cast<std::size_t>(after - entries_.begin()) - 1;
  }

 private:
  std::deque<Entry> entries_;
  std::uint64_t bytes_ = 0, mostBytes_;
};

constexpr std::array kDivergences{Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc, Trouble::BadOption,
                                  Trouble::OtherModel};

int divergences(const Status& status) {
  int count = 0;
  for (const Trouble t : kDivergences) count += status[t].count;
  return count;
}

bool isFinite(const Array<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// Where in the model a state went bad.
struct Place {
  std::array<double, 3> pos{};
  int body = -1, flex = -1, element = -1, vertex = -1;
};

Place placeOfNode(const Model& m, const Data& d, int node) {
  Place place;
  const int point = m.flexnode_pointid[node];
  place.flex = m.flexnode_flexid[node];
  for (int k = 0; k < 3; ++k) place.pos[k] = d.flexpoint_xpos[3 * point + k];
  return place;
}

Place placeOf(const Model& m, const Data& d, Trouble trouble, const TroubleReport& report) {
  Place place;
  int dof = -1;
  if (trouble == Trouble::BadQpos) {
    if (report.first >= m.nq_rigid && report.first < m.nq) {
      dof = m.nv_rigid + (report.first - m.nq_rigid);
    } else {
      for (int j = 0; j < m.njnt && m.jnt_qposadr[j] <= report.first; ++j) dof = m.jnt_dofadr[j];
    }
  } else {
    dof = report.first;
  }
  if (dof >= m.nv_rigid && dof < m.nv) {
    place = placeOfNode(m, d, (dof - m.nv_rigid) / 3);
  } else if (dof >= 0 && dof < m.nv_rigid) {
    place.body = m.dof_bodyid[dof];
    for (int k = 0; k < 3; ++k) place.pos[k] = d.xpos[3 * place.body + k];
  }
  if (report.flex.flex >= 0) {
    place.flex = report.flex.flex;
    place.element = report.flex.element;
    if (m.flex_interp[place.flex] == 0 && report.flex.vertex >= 0) {
      place.vertex = report.flex.vertex;
      const int v = m.flex_vertadr[place.flex] + report.flex.vertex;
      for (int k = 0; k < 3; ++k) place.pos[k] = d.flexvert_xpos[3 * v + k];
    }
  }
  return place;
}

}  // namespace

struct LiveView::Impl {
  Impl(Load l, Settings s)
      : load(std::move(l)),
        settings(std::move(s)),
        session(settings.viewer, "live"),
        history(settings.viewer.historyBytes) {
    paused = settings.paused;
    watched = settings.watch;
    reload();
    if (settings.viewer.openBrowser) opened = openBrowser(session.url());
  }

  // ---- the model

  void reload() {
    // what is read now is what changes are measured against, even if it cannot be loaded
    noteFiles();
    std::unique_ptr<ViewedModel> next;
    try {
      next = std::make_unique<ViewedModel>(load());
    } catch (const std::exception& error) {
      session.setLoadError(error.what());
      failed = true;
      return;
    }
    failed = false;
    watched = next->files.empty() ? settings.watch : next->files;
    noteFiles();
    next->spec.option = next->model.opt;
    auto nextData = std::make_unique<Data>(next->model);
    nextData->threads = settings.threads;
    if (settings.key >= 0 && settings.key < next->model.nkey) {
      resetToKey(next->model, *nextData, settings.key);
    }
    try {
      session.setModel(&next->spec, &next->model, nextData.get(), next->warnings);
    } catch (const std::exception& error) {
      session.setLoadError(error.what());
      failed = true;
      return;
    }
    model = std::move(next);
    data = std::move(nextData);
    probe = std::make_unique<Data>(model->model);
    begin();
  }

  /// A run from the present state.
  void begin() {
    steps = 0;
    known = divergences(data->status);
    history.clear();
    remember();
    index = 0;
    diverged = scrubbing = placed = false;
    stale = true;
    rebase();
  }

  void noteFiles() {
    stamps.clear();
    for (const auto& file : watched) stamps.push_back(stampOf(file));
  }
  static std::filesystem::file_time_type stampOf(const std::filesystem::path& file) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(file, error);
    return error ? std::filesystem::file_time_type{} : time;
  }
  void lookAtFiles() {
    const Clock::time_point now = Clock::now();
    if (now - looked < std::chrono::milliseconds(300)) return;
    looked = now;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      const auto stamp = stampOf(watched[i]);
      if (stamp == stamps[i] || stamp == std::filesystem::file_time_type{}) continue;
      reload();
      if (!failed) session.notice("The model was loaded again: its file changed.");
      return;
    }
  }

  // ---- commands

  bool command(const Json& j) {
    const std::string c = j["c"].get<std::string>();
    const auto number = [&](const char* name, double standard) {
      const auto found = j.find(name);
      return found != j.end() && found->is_number() && std::isfinite(found->get<double>()) ? found->get<double>()
                                                                                           : standard;
    };
    if (c == "reload") {
      reload();
      return true;
    }
    if (c != "pause" && c != "step" && c != "speed" && c != "reset" && c != "key" && c != "scrub" && c != "continue" &&
        c != "dismiss") {
      return false;
    }
    if (!model || !data) return true;
    if (c == "pause") {
      setPaused(j.value("on", true));
    } else if (c == "step") {
      setPaused(true);
      goOn();
      const int n = static_cast<int>(std::clamp(number("n", 1), 1.0, 1000.0));
      for (int i = 0; i < n && !diverged; ++i) makeStep();
      remember();
      stale = true;
    } else if (c == "speed") {
      speed = std::clamp(number("v", 1), 1e-4, 100.0);
      rebase();
    } else if (c == "reset") {
      session.drag().remove(*data);
      reset(model->model, *data);
      afterJump();
    } else if (c == "key") {
      const double i = number("i", -1);
      if (i < 0 || i >= model->model.nkey || i != std::floor(i)) return false;
      session.drag().remove(*data);
      resetToKey(model->model, *data, static_cast<int>(i));
      afterJump();
    } else if (c == "scrub") {
      if (history.empty()) return true;
      const double last = static_cast<double>(history.size() - 1);
      std::size_t i = static_cast<std::size_t>(std::clamp(number("i", last), 0.0, last));
      if (j.contains("t")) i = history.at(number("t", 0));
      setPaused(true);
      scrubTo(i);
    } else if (c == "continue") {
      goOn();
      setPaused(false);
    } else if (c == "dismiss") {
      session.setTrouble("null");
    }
    return true;
  }

  void afterJump() {
    session.setTrouble("null");
    begin();
  }

  void setPaused(bool on) {
    if (paused == on) return;
    paused = on;
    if (!on) {
      if (diverged) {
        diverged = false;
        session.setTrouble("null");
      }
      goOn();
    } else {
      remember();
    }
    stale = true;
    rebase();
  }

  void scrubTo(std::size_t i) {
    remember();
    index = std::min(i, history.size() - 1);
    restoreState(model->model, *data, history[index].state);
    steps = history[index].step;
    scrubbing = index + 1 < history.size();
    stale = true;
    placed = false;
  }

  /// From the state that is shown: what came after it is forgotten.
  void goOn() {
    if (!scrubbing) return;
    history.cutAfter(index);
    scrubbing = false;
    rebase();
  }

  // ---- time

  void rebase() {
    wallStart = Clock::now();
    if (data) simStart = data->time;
  }

  /// Keeps the present state; one that was kept for the same step is replaced.
  void remember() {
    if (scrubbing || !data || !isFinite(data->qpos) || !isFinite(data->qvel)) return;
    if (!history.empty() && history.back().step == steps) history.dropLast();
    history.push({steps, data->time, saveState(model->model, *data)});
    index = history.size() - 1;
  }

  void makeStep() {
    if (settings.beforeStep) settings.beforeStep(model->model, *data);
    const bool drags = session.drag().isActive();
    if (drags) {
      if (!placed) forward(model->model, *data);  // it reads poses and velocities
      session.drag().apply(model->model, *data);
    }
    step(model->model, *data);
    if (drags) session.drag().remove(*data);
    ++steps;
    stale = false;
    placed = true;
    const int now = divergences(data->status);
    if (now == known) return;
    known = now;
    diverge();
  }

  /// Stops at the last state that was remembered, and tells where and why.
  void diverge() {
    const Model& m = model->model;
    Trouble trouble = Trouble::BadQacc;
    double first = INFINITY;
    for (const Trouble t : kDivergences) {
      const TroubleReport& report = data->status[t];
      if (report.count > 0 && report.time < first) {
        first = report.time;
        trouble = t;
      }
    }
    const TroubleReport report = data->status[trouble];
    Status only;
    only[trouble] = report;
    const Status all = std::exchange(data->status, only);
    std::string cause = describeStatus(m, *data);
    data->status = all;
    while (!cause.empty() && cause.back() == '\n') cause.pop_back();
    std::string cure = advice(m, report);
    if (const std::size_t at = cure.empty() ? cause.npos : cause.find(cure); at != cause.npos)
      cause.erase(at, cure.size());
    cure.erase(0, std::min(cure.size(), cure.find_first_not_of("; ")));

    session.drag().release();
    diverged = true;
    paused = true;
    // the last kept state in which the culprit is still in the scene: later ones are for looking at by hand
    Place place;
    for (index = history.empty() ? 0 : history.size() - 1;; --index) {
      if (!history.empty()) {
        restoreState(m, *data, history[index].state);
        steps = history[index].step;
      }
      data->status = Status();
      *probe = *data;
      forward(m, *probe);
      place = placeOf(m, *probe, trouble, report);
      double far = 0;
      for (std::size_t k = 0; k < 3; ++k) far = std::max(far, std::abs(place.pos[k] - session.scene().center[k]));
      if (index == 0 || far < 3 * session.scene().extent) break;
    }
    scrubbing = index + 1 < history.size();
    known = 0;
    placed = false;
    session.setTrouble(Json{
        {"title", "The simulation diverged"},
        {"cause", cause},
        {"cure", cure},
        {"time", report.time},
        {"pos", place.pos},
        {"body", place.body},
        {"flex", place.flex},
        {"element", place.element},
        {"vertex",
         place.vertex}}.dump(-1, ' ', false, Json::error_handler_t::replace));
    stale = true;
  }

  /// Makes the steps that are due, as far as the time until the next frame allows.
  void advance() {
    const Clock::time_point begun = Clock::now();
    const double frame = 1 / std::max(1.0, settings.viewer.framesPerSecond);
    const double target = simStart + Seconds(begun - wallStart).count() * speed;
    if (settings.duration > 0 && data->time >= settings.duration) {
      setPaused(true);
      return;
    }
    const double h = model->model.opt.timestep;
    while (!paused && data->time + 0.5 * h < target) {
      makeStep();
      if (Seconds(Clock::now() - begun).count() > 0.8 * frame) break;
      if (settings.duration > 0 && data->time >= settings.duration) break;
    }
    // what cannot be caught up with is left behind
    if (data->time < target - 0.1 * speed) rebase();
  }

  void measureSpeed() {
    const Clock::time_point now = Clock::now();
    const double wall = Seconds(now - speedMeasured).count();
    if (wall < 0.5) return;
    reached = paused ? 0 : std::max(0.0, (data->time - speedTime) / wall);
    speedMeasured = now;
    speedTime = data->time;
  }

  void publish() {
    const bool dirty = session.takeDirty();
    if (session.server().windows() == 0) return;
    if (paused && !stale && !dirty && publishedPaused) return;
    measureSpeed();
    RunStatus status;
    status.speed = speed;
    status.realTime = reached;
    status.paused = paused;
    status.diverged = diverged;
    status.scrubbing = scrubbing;
    status.historyCount = static_cast<std::uint32_t>(history.size());
    status.historyIndex = static_cast<std::uint32_t>(index);
    if (!history.empty()) {
      status.historyStart = history.front().time;
      status.historyEnd = history.back().time;
    }
    if (paused) {
      status.hash = stateHash(model->model, *data);
      *probe = *data;
      forward(model->model, *probe);
      energy(model->model, *probe);
      session.publish(*probe, status, steps);
    } else {
      if (stale) {
        *probe = *data;
        forward(model->model, *probe);
        session.publish(*probe, status, steps);
      } else {
        session.publish(*data, status, steps);
      }
    }
    publishedPaused = paused;
    stale = false;
  }

  void run(const std::function<bool()>& stop) {
    const auto frame =
        std::chrono::duration_cast<Clock::duration>(Seconds(1 / std::max(1.0, settings.viewer.framesPerSecond)));
    Clock::time_point next = Clock::now();
    while (!stop()) {
      session.handle([this](const Json& j) { return command(j); });
      lookAtFiles();
      const bool runs = model && !paused && session.server().windows() > 0;
      if (runs) {
        if (!wasRunning) rebase();
        advance();
      }
      wasRunning = runs;
      const Clock::time_point now = Clock::now();
      if (model && now >= next) {
        if (runs) remember();
        publish();
        next = std::max(next + frame, now - frame);
      }
      const auto until = next - Clock::now();
      if (until > Clock::duration::zero() || !runs) {
        const auto most = runs ? std::min<Clock::duration>(until, stepTime()) : std::chrono::milliseconds(20);
        session.server().waitForEvents(std::chrono::duration_cast<std::chrono::microseconds>(
            std::max<Clock::duration>(most, std::chrono::microseconds(200))));
      }
    }
    session.server().sendToAll(R"({"ended":true})");
  }
  /// Until the next step is due.
  Clock::duration stepTime() const {
    return std::chrono::duration_cast<Clock::duration>(
        Seconds(std::clamp(model->model.opt.timestep / speed, 1e-3, 0.02)));
  }

  Load load;
  Settings settings;
  Session session;
  History history;
  std::unique_ptr<ViewedModel> model;
  std::unique_ptr<Data> data, probe;
  std::vector<std::filesystem::path> watched;
  std::vector<std::filesystem::file_time_type> stamps;
  Clock::time_point looked{}, wallStart{}, speedMeasured{};
  double simStart = 0, speed = 1, reached = 0, speedTime = 0;
  std::uint64_t steps = 0;
  std::size_t index = 0;
  int known = 0;
  bool paused = false, diverged = false, scrubbing = false, failed = false, opened = false;
  bool stale = true, placed = false;  // the picture is old; derived arrays of `data` belong to a state of this run
  bool wasRunning = false, publishedPaused = false;
};

LiveView::LiveView(Load load, Settings settings) {
  requireViewer();
  impl_ = std::make_unique<Impl>(std::move(load), std::move(settings));
}
LiveView::~LiveView() = default;

const std::string& LiveView::url() const { return impl_->session.url(); }
int LiveView::port() const { return impl_->session.server().port(); }
bool LiveView::isOtherPort() const { return impl_->session.server().isOtherPort(); }
bool LiveView::openedBrowser() const { return impl_->opened; }
void LiveView::run(const std::function<bool()>& stop) { impl_->run(stop); }

}  // namespace sinew
