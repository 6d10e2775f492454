#include "view/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sinew/load.h"
#include "sinew/step.h"
#include "view/edits.h"
#include "view/looks.h"
#include "view/message.h"

extern char** environ;

namespace sinew::view {
namespace {

constexpr std::size_t kMostWatches = 64;  // of one window

std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

ServerOptions serverOptions(const ViewerOptions& o) {
  ServerOptions s;
  s.host = o.host;
  s.port = o.port;
  return s;
}

}  // namespace

bool openBrowser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return false;
  // by way of a file that only this user can read: command lines are public
  const char* directory = std::getenv("XDG_RUNTIME_DIR");
  std::string file = fmt::format("{}/sinew-XXXXXX.html", directory != nullptr ? directory : "/tmp");
  const int descriptor = mkstemps(file.data(), 5);
  if (descriptor < 0) return false;
  const std::string text = fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={}\">\n", url);
  const bool written = write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  if (!written) return false;
  std::string program = "xdg-open", address = "file://" + file;
  char* arguments[] = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

Session::Session(const ViewerOptions& options, std::string mode)
    : options_(options), mode_(std::move(mode)), server_(serverOptions(options)), url_(server_.url()) {}

void Session::setModel(Spec* spec, Model* m, Data* d, const Warnings& warnings) {
  Warnings all = warnings;
  spec_ = spec;
  m_ = m;
  d_ = d;
  scene_ = std::make_unique<Scene>(spec != nullptr ? makeScene(*spec, *m, &all, options_.maxMemory) : makeScene(*m));
  ++sceneId_;
  encoder_ = std::make_unique<FrameEncoder>(*scene_, *m, sceneId_);
  drag_ = Drag();
  selection_ = {};
  edits_.clear();
  loadError_ = "null";
  Data posed = *d;
  forward(*m, posed);
  const SceneMode mode{mode_, options_.title, all, {}, options_.leftPanel, options_.rightPanel};
  looks_ = looksOf(*scene_);
  if (!hasCamera_) camera_ = firstCamera(*scene_);
  server_.setScene(std::make_shared<const Bytes>(encodeScene(*scene_, *m, posed, sceneId_, mode)));
  server_.sendToAll(dump({{"loadError", nullptr}}));
  setTrouble("null");
  mergeWants();
  tellEdits();
  dirty_ = true;
}

void Session::setLoadError(const std::string& text) {
  loadError_ = dump(text);
  server_.sendToAll(fmt::format("{{\"loadError\":{}}}", loadError_));
}

void Session::setTrouble(const std::string& json) {
  trouble_ = json;
  server_.sendToAll(fmt::format("{{\"trouble\":{}}}", json));
}

void Session::notice(const std::string& text) { server_.sendToAll(dump({{"notice", text}})); }

void Session::opened(std::uint64_t client) {
  windows_[client] = {};
  wasOpened_ = true;
  if (steering_ == 0) steering_ = client;
  tellRoles();
  tellWatch(client);
  server_.send(client, fmt::format("{{\"trouble\":{},\"loadError\":{}}}", trouble_, loadError_));
  if (m_ != nullptr) {
    Json edits = Json::array();
    for (const auto& [what, value] : edits_) edits.push_back({what, value});
    server_.send(client, fmt::format("{{\"edits\":{},\"options\":{}}}", dump(edits), optionsJson(m_->opt)));
  }
  if (hasCamera_) server_.send(client, dump({{"camera", cameraMessage()}}));
  if (hasShown_) server_.send(client, dump({{"show", shownMessage()}}));
  if (!texts_.empty()) server_.send(client, textsMessage());
  dirty_ = true;
}

void Session::closed(std::uint64_t client) {
  windows_.erase(client);
  lastClosed_ = std::chrono::steady_clock::now();
  if (steering_ == client) {
    drag_.release();
    steering_ = windows_.empty() ? 0 : windows_.begin()->first;
  }
  tellRoles();
  mergeWants();
}

void Session::tellRoles() {
  for (const auto& [client, state] : windows_) {
    server_.send(client, dump({{"role", client == steering_ ? "steer" : "watch"}, {"windows", windows_.size()}}));
  }
}

void Session::tellWatch(std::uint64_t client) {
  Json entries = Json::array();
  for (const WatchEntry& w : watch_) entries.push_back({w.array, w.index});
  const std::string text = dump({{"watch", {{"version", watchVersion_}, {"entries", entries}}}});
  if (client != 0) {
    server_.send(client, text);
  } else {
    server_.sendToAll(text);
  }
}

void Session::tellEdits() {
  if (m_ == nullptr) return;
  Json edits = Json::array();
  for (const auto& [what, value] : edits_) edits.push_back({what, value});
  server_.sendToAll(fmt::format("{{\"edits\":{},\"options\":{}}}", dump(edits), optionsJson(m_->opt)));
}

void Session::handle(const std::vector<Event>& events, const Other& other, bool obey) {
  for (const Event& event : events) {
    switch (event.kind) {
      case Event::Kind::Opened:
        opened(event.client);
        break;
      case Event::Kind::Closed:
        closed(event.client);
        break;
      case Event::Kind::Text:
        if (windows_.count(event.client) > 0) obeyText(event.client, event.text, other, obey);
        break;
    }
  }
}

void Session::obeyText(std::uint64_t client, const std::string& text, const Other& other, bool obey) {
  const auto refuse = [&](const std::string& why) {
    ++refusals_;
    server_.refuse(client, dump({{"error", why}}));
  };
  const Json j = Json::parse(text, nullptr, false);
  if (j.is_discarded() || !j.is_object()) return refuse("a message must be a JSON object");
  const auto name = j.find("c");
  if (name == j.end() || !name->is_string()) return refuse("a message needs the name of a command in 'c'");
  const std::string c = name->get<std::string>();
  try {
    if (c == "want") return setWants(client, j);
    if (c == "steer") {
      steering_ = client;
      drag_.release();
      return tellRoles();
    }
    if (c == "info") {
      if (m_ == nullptr) return;
      server_.send(client, dump({{"info",
                                  {{"time", d_->time},
                                   {"hash", fmt::format("{:016x}", stateHash(*m_, *d_))},
                                   {"model", fmt::format("{:016x}", hashOf(*m_))},
                                   {"queued", server_.queuedBytes()},
                                   {"windows", windows_.size()}}}}));
      return;
    }
    if (c == "save") return save(client, j);
    if (client != steering_) {
      server_.send(client, dump({{"notice", "Another window steers. Take over to change things."}}));
      return;
    }
    if (!obey) return;
    if (command(client, j)) return;
    if (!other(j)) refuse(fmt::format("there is no command '{}'", c.substr(0, 40)));
  } catch (const Refusal& refusal) {
    refuse(fmt::format("{}: {}", c.substr(0, 40), refusal.text));
  } catch (const Json::exception& error) {
    refuse(fmt::format("{}: {}", c.substr(0, 40), error.what()));
  }
}

bool Session::command(std::uint64_t, const Json& j) {
  const std::string c = j["c"].get<std::string>();
  constexpr std::array<std::string_view, 9> kOfModel{"ctrl", "qpos",   "eq",    "drag",  "opt",
                                                     "edit", "camera", "shown", "select"};
  if (std::find(kOfModel.begin(), kOfModel.end(), c) == kOfModel.end()) return false;
  if (m_ == nullptr) return true;
  if (c == "ctrl") {
    d_->ctrl[indexAt(j, "i", m_->nu)] = numberAt(j, "v");
  } else if (c == "qpos") {
    d_->qpos[indexAt(j, "i", m_->nq_rigid)] = numberAt(j, "v");
  } else if (c == "eq") {
    d_->eq_active[indexAt(j, "i", m_->neq)] = boolAt(j, "v") ? 1 : 0;
  } else if (c == "drag") {
    setDrag(j);
  } else if (c == "opt") {
    setOption(j);
  } else if (c == "edit") {
    edit(j);
  } else if (c == "camera") {
    // what was sent before the program's last change arrived is out of date
    if (numberAt(j, "version") == cameraVersion_) camera_ = cameraFrom(j, camera_, *m_);
    hasCamera_ = true;
    return true;
  } else if (c == "shown") {
    if (numberAt(j, "version") == shownVersion_) shown_ = shownFrom(j, shown_);
    hasShown_ = true;
    return true;
  } else {
    selection_ = {};
    if (j.contains("body")) {
      selection_.body = indexAt(j, "body", m_->nbody);
      selection_.local = arrayAt<3>(j, "local");
    } else if (j.contains("flex")) {
      selection_.flex = indexAt(j, "flex", m_->nflex);
    }
    return true;
  }
  dirty_ = true;
  return true;
}

void Session::setWants(std::uint64_t client, const Json& j) {
  Wants wants;
  wants.contacts = j.value("contacts", false);
  wants.controls = j.value("controls", false);
  wants.energy = j.value("energy", false);
  if (const auto heat = j.find("heat"); heat != j.end()) {
    for (const double k : numbersAt(j, "heat", 5)) {
      if (k < 0 || k > 4 || k != std::floor(k)) throw Refusal{"'heat' must hold numbers from 0 to 4"};
      wants.heat.insert(static_cast<FlexColor>(static_cast<int>(k)));
    }
  }
  if (const auto show = j.find("show"); show != j.end()) {
    if (!show->is_array() || show->size() > 32) throw Refusal{"'show' must be a list of texts"};
    for (const Json& x : *show) wants.decorations.insert(x.get<std::string>().substr(0, 32));
  }
  if (const auto watch = j.find("watch"); watch != j.end()) {
    if (!watch->is_array() || watch->size() > kMostWatches) {
      throw Refusal{fmt::format("'watch' must be a list of at most {} entries", kMostWatches)};
    }
    for (const Json& x : *watch) {
      if (!x.is_array() || x.size() != 2) throw Refusal{"an entry of 'watch' is a name and an index"};
      if (!x[1].is_number_integer()) throw Refusal{"the index of an entry of 'watch' must be a whole number"};
      WatchEntry entry{x[0].get<std::string>().substr(0, 64), x[1].get<int>()};
      if (entry.array.rfind("flexelem_str", 0) == 0 || entry.array == "flexvert_force" ||
          entry.array == "flexpoint_reaction" || entry.array == "flexnode_reaction") {
        wants.heat.insert(FlexColor::ContactForce);  // what measures them
      }
      if (entry.array.rfind("energy.", 0) == 0) wants.energy = true;
      wants.watch.insert(std::move(entry));
    }
  }
  windows_[client].wants = std::move(wants);
  mergeWants();
  dirty_ = true;
}

void Session::mergeWants() {
  Wants all;
  for (const auto& [client, state] : windows_) {
    all.contacts |= state.wants.contacts;
    all.controls |= state.wants.controls;
    all.energy |= state.wants.energy;
    all.heat.insert(state.wants.heat.begin(), state.wants.heat.end());
    all.decorations.insert(state.wants.decorations.begin(), state.wants.decorations.end());
    all.watch.insert(state.wants.watch.begin(), state.wants.watch.end());
  }
  const std::vector<WatchEntry> watch(all.watch.begin(), all.watch.end());
  wants_ = std::move(all);
  if (watch != watch_) {
    watch_ = watch;
    ++watchVersion_;
    tellWatch();
  }
}

void Session::setDrag(const Json& j) {
  DragRequest r;
  const std::string kind = textAt(j, "kind");
  if (kind == "none") {
    drag_.release();
    drag_.remove(*d_);
    return;
  }
  if (kind != "force" && kind != "torque") throw Refusal{"'kind' must be force, torque or none"};
  r.kind = kind == "force" ? DragRequest::Kind::Force : DragRequest::Kind::Torque;
  if (j.contains("body")) {
    r.body = indexAt(j, "body", m_->nbody);
    r.local = arrayAt<3>(j, "local");
  } else {
    r.flex = indexAt(j, "flex", m_->nflex);
    const std::vector<double> vertices = numbersAt(j, "vertex", 3), weights = numbersAt(j, "weight", 3);
    if (vertices.empty() || vertices.size() != weights.size()) throw Refusal{"'vertex' and 'weight' must be as long"};
    r.weight = {0, 0, 0};
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      if (vertices[k] != std::floor(vertices[k]) || vertices[k] < 0 || vertices[k] >= m_->flex_vertnum[r.flex]) {
        throw Refusal{"'vertex' must hold vertices of the flex"};
      }
      r.vertex[k] = static_cast<int>(vertices[k]);
      r.weight[k] = weights[k];
    }
  }
  if (r.kind == DragRequest::Kind::Force) {
    r.target = arrayAt<3>(j, "target");
  } else {
    r.turn = arrayAt<4>(j, "turn");
    double norm = 0;
    for (const double x : r.turn) norm += x * x;
    if (!(norm > 1e-6) || norm > 1e6) throw Refusal{"'turn' must be a quaternion"};
    for (double& x : r.turn) x /= std::sqrt(norm);
  }
  const SceneVisual& visual = scene_->visual;
  // what takes hold needs poses and masses, which the state may not have brought yet
  std::string why;
  if (drag_.isActive()) {
    why = drag_.set(*m_, *d_, r, visual.stiffness, visual.stiffnessrot);
  } else {
    Data posed = *d_;
    forward(*m_, posed);
    why = drag_.set(*m_, posed, r, visual.stiffness, visual.stiffnessrot);
  }
  if (!why.empty()) throw Refusal{why};
}

void Session::setOption(const Json& j) {
  const std::string name = textAt(j, "name");
  const std::vector<double> values = numbersAt(j, "value", 8);
  Option next = m_->opt;
  if (const std::string why = editOption(next, name, values); !why.empty()) {
    notice(why);
    return tellEdits();  // sliders go back
  }
  m_->opt = next;
  if (spec_ != nullptr) spec_->option = next;
  std::string text;
  for (const double v : values) text += fmt::format("{}{:g}", text.empty() ? "" : " ", v);
  std::erase_if(edits_, [&](const auto& e) { return e.first == "option " + name; });
  edits_.emplace_back("option " + name, text);
  tellEdits();
}

void Session::edit(const Json& j) {
  if (spec_ == nullptr) return notice("This model has no description that could be changed.");
  const std::string kind = textAt(j, "kind"), field = textAt(j, "field");
  const int id = j.contains("id") && j["id"].is_number_integer() ? j["id"].get<int>() : -1;
  const std::vector<double> values = numbersAt(j, "value", 3);
  const Spec before = *spec_;
  std::string why = editSpec(*spec_, *m_, kind, id, field, values);
  if (why.empty()) {
    try {
      spec_->option = m_->opt;
      const Model next = compile(*spec_);
      if (next.signature == m_->signature) {
        *m_ = next;  // into the arrays that are there
      } else {
        why = fmt::format("{} of {} cannot change while the model runs: it would change what the state consists of",
                          field, kind);
      }
    } catch (const LoadError& error) {
      why = error.what();
    }
  }
  if (!why.empty()) {
    *spec_ = before;
    return notice(why);
  }
  std::string text, name = "all";
  for (const double v : values) text += fmt::format("{}{:g}", text.empty() ? "" : " ", v);
  if (id >= 0) {
    const ObjType type = kind == "geom" ? ObjType::Geom : kind == "joint" ? ObjType::Joint : ObjType::Flex;
    name = std::string(nameOf(*m_, type, id));
    if (name.empty()) name = std::to_string(id);
  }
  const std::string what = fmt::format("{} {} {}", kind, name, field);
  std::erase_if(edits_, [&](const auto& e) { return e.first == what; });
  edits_.emplace_back(what, text);
  tellEdits();
}

void Session::save(std::uint64_t client, const Json& j) {
  if (spec_ == nullptr || m_ == nullptr) {
    server_.send(client, dump({{"notice", "This model has no description that could be saved."}}));
    return;
  }
  try {
    const std::string text = savedMjcf(*spec_, *m_, d_, j.value("key", std::string()));
    server_.send(client, dump({{"saved", text}}));
  } catch (const LoadError& error) {
    server_.send(client, dump({{"notice", error.what()}}));
  }
}

void Session::publish(Data& d, const RunStatus& status, std::uint64_t step) {
  if (m_ == nullptr) return;
  if (isPassive()) refreshScene(*m_, *scene_);
  server_.publish(encoder_->encode(*m_, d, wants_, watch_, watchVersion_, status, step,
                                   drag_.isActive() ? &drag_.line() : nullptr, geoms_,
                                   isPassive() ? std::span<const Look>(looks_) : std::span<const Look>()));
}

void Session::setCamera(const ViewerCamera& camera) {
  camera_ = camera;
  hasCamera_ = true;
  ++cameraVersion_;
  server_.sendToAll(dump({{"camera", cameraMessage()}}));
}

void Session::setShown(const ViewerShown& shown) {
  shown_ = shown;
  hasShown_ = true;
  ++shownVersion_;
  server_.sendToAll(dump({{"show", shownMessage()}}));
}

void Session::setTexts(std::vector<ViewerText> texts) {
  texts_ = std::move(texts);
  server_.sendToAll(textsMessage());
}

Json Session::cameraMessage() const {
  Json j = cameraJson(camera_);
  j["version"] = cameraVersion_;
  return j;
}

Json Session::shownMessage() const {
  Json j = shownJson(shown_);
  j["version"] = shownVersion_;
  return j;
}

std::string Session::textsMessage() const {
  Json list = Json::array();
  for (const ViewerText& t : texts_) {
    list.push_back({{"corner", static_cast<int>(t.corner)}, {"left", t.left}, {"right", t.right}});
  }
  return dump({{"texts", list}});
}

ViewerSelection Session::selection() const {
  ViewerSelection s = selection_;
  if (!drag_.isActive()) return s;
  const DragRequest& r = drag_.request();
  s.body = r.body;
  s.flex = r.flex;
  s.local = r.local;
  s.pulls = r.kind == DragRequest::Kind::Force;
  s.turns = r.kind == DragRequest::Kind::Torque;
  s.target = r.target;
  s.turn = r.turn;
  return s;
}

}  // namespace sinew::view
