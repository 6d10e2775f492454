#include <nanobind/stl/variant.h>

#include <map>
#include <mutex>

#include "common.h"
#include "scene_box.h"
#include "sinew/replay.h"
#include "sinew/viewer.h"
#ifdef SINEW_HAS_RENDER
#include "sinew/renderer.h"
#endif

namespace sinew::python {
namespace {

struct ViewerBox {
  std::shared_ptr<Model> model;
  std::shared_ptr<Data> data;
  std::shared_ptr<User> user;
  std::unique_ptr<Viewer> viewer;
};

struct ReplayBox {
  std::unique_ptr<Replay> replay;
};

/// shape, size, pos, mat, rgba
using Extra = std::tuple<int, std::array<float, 3>, std::array<double, 3>, std::array<double, 9>, std::array<float, 4>>;

Decoration decorationOf(const Extra& extra) {
  Decoration decoration;
  decoration.shape = static_cast<SceneShape>(std::get<0>(extra));
  decoration.size = std::get<1>(extra);
  decoration.pos = std::get<2>(extra);
  decoration.mat = std::get<3>(extra);
  decoration.rgba = std::get<4>(extra);
  return decoration;
}

/// What changes from picture to picture, as it was when it was filled.
struct FrameBox {
  std::shared_ptr<Scene> scene;
  Frame frame;
  bool updated = false;
};

constexpr std::array kGroups{&FrameOptions::geomGroups,   &FrameOptions::siteGroups,     &FrameOptions::jointGroups,
                             &FrameOptions::tendonGroups, &FrameOptions::actuatorGroups, &FrameOptions::flexGroups,
                             &FrameOptions::skinGroups};

struct Flag {
  const char* name;
  bool FrameOptions::*member;
};
constexpr std::array<Flag, 15> kFlags{{{"tendons", &FrameOptions::tendons},
                                       {"flexes", &FrameOptions::flexes},
                                       {"skins", &FrameOptions::skins},
                                       {"contactPoints", &FrameOptions::contactPoints},
                                       {"contactForces", &FrameOptions::contactForces},
                                       {"contactSplit", &FrameOptions::contactSplit},
                                       {"joints", &FrameOptions::joints},
                                       {"actuators", &FrameOptions::actuators},
                                       {"centersOfMass", &FrameOptions::centersOfMass},
                                       {"inertias", &FrameOptions::inertias},
                                       {"constraints", &FrameOptions::constraints},
                                       {"cameras", &FrameOptions::cameras},
                                       {"lights", &FrameOptions::lights},
                                       {"perturbation", &FrameOptions::perturbation},
                                       {"transparent", &FrameOptions::transparent}}};
/// Those that the page of the viewer has.
constexpr std::array<const char*, 12> kPageFlags{"contactPoints", "contactForces", "transparent", "tendons",
                                                 "skins",         "joints",        "actuators",   "centersOfMass",
                                                 "inertias",      "constraints",   "cameras",     "lights"};

/// What is shown of the kinds of objects and decorations, by the names of FrameOptions.
void setFlags(const std::map<std::string, bool>& flags, FrameOptions& o) {
  for (const Flag& flag : kFlags) {
    const auto found = flags.find(flag.name);
    if (found != flags.end()) o.*flag.member = found->second;
  }
}

bool flagOf(const FrameOptions& o, std::string_view name) {
  for (const Flag& flag : kFlags) {
    if (name == flag.name) return o.*flag.member;
  }
  return false;
}

/// Fills a frame with what a Data holds now.
void fill(FrameBox& f, const ModelBox& m, const DataBox& d, const std::vector<std::array<bool, 6>>& groups,
          const std::map<std::string, bool>& flags, int frames, int flexColor) {
  requireSame(m, d);
  FrameOptions o;
  for (std::size_t i = 0; i < kGroups.size() && i < groups.size(); ++i) o.*kGroups[i] = groups[i];
  setFlags(flags, o);
  o.frames = static_cast<FrameKind>(frames);
  o.flexColor = static_cast<FlexColor>(flexColor);
  const Asking asking(d);
  refreshScene(*m.model, *f.scene);
  updateFrame(*f.scene, *m.model, *d.data, f.frame, o);
  f.updated = true;
}

/// Geoms, then sites: whether they are drawn, position, matrix, colour; and how many are geoms.
nb::tuple instancesOf(const FrameBox& f) {
  std::vector<float> colours;
  for (const Color& c : f.frame.instanceRgba) colours.insert(colours.end(), c.begin(), c.end());
  return nb::make_tuple(copyOf<std::uint8_t>(f.frame.instanceVisible), copyOf<double>(f.frame.instancePos, 3),
                        copyOf<double>(f.frame.instanceMat, 9), copyOf<float>(colours, 4), f.scene->numGeoms);
}

#ifdef SINEW_HAS_RENDER
/// lookat, distance, azimuth, elevation, body that is tracked
using Free = std::tuple<std::array<double, 3>, double, double, double, int>;
/// position; right, up, forward; orthographic; left, right, bottom, top at distance 1; near, far
using Look = std::tuple<std::array<double, 3>, std::array<double, 3>, std::array<double, 3>, std::array<double, 3>,
                        bool, double, double, double, double, double, double>;
/// A geom or site that is drawn otherwise than the model has it: number, whether it is drawn, position, matrix, colour
using Edit = std::tuple<int, bool, std::array<double, 3>, std::array<double, 9>, std::array<float, 4>>;

struct RendererBox {
  std::unique_ptr<Renderer> renderer;
  FrameBox shown;
  View view;
  std::shared_ptr<User> user = std::make_shared<User>();

  void prepare(const std::vector<Extra>& extras, const std::vector<Edit>& edits) {
    if (!shown.updated) throw std::runtime_error("nothing to draw yet: call update_scene(data) first");
    if (edits.empty()) return show(shown.frame, extras);
    Frame frame = shown.frame;
    for (const auto& [index, visible, pos, mat, rgba] : edits) {
      const auto i = static_cast<std::size_t>(index);
      if (index < 0 || i >= frame.instanceVisible.size()) throw std::out_of_range("no such geom or site");
      frame.instanceVisible[i] = visible;
      std::copy(pos.begin(), pos.end(), frame.instancePos.begin() + 3 * index);
      std::copy(mat.begin(), mat.end(), frame.instanceMat.begin() + 9 * index);
      frame.instanceRgba[i] = rgba;
    }
    show(frame, extras);
  }

 private:
  void show(Frame& frame, const std::vector<Extra>& extras) {
    const std::size_t own = frame.decorations.size();
    for (const Extra& extra : extras) frame.decorations.push_back(decorationOf(extra));
    renderer->update(frame);
    frame.decorations.resize(own);
  }
};

/// Marks a Renderer as in use for as long as it lives.
class Drawing {
 public:
  explicit Drawing(const RendererBox& box) : user_(box.user) {
    if (!user_->take()) throw std::runtime_error("this Renderer is in use by another thread");
  }
  ~Drawing() { user_->give(); }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

 private:
  std::shared_ptr<User> user_;
};
#endif

}  // namespace

void bindPictures(nb::module_& module) {
  nb::class_<FrameBox> frame(module, "FrameBase");
  frame.def("__init__", [](FrameBox* self, const SceneBox& scene) { new (self) FrameBox{scene.scene, {}, false}; });
  frame.def("_update", [](FrameBox& f, const ModelBox& m, const DataBox& d,
                          const std::vector<std::array<bool, 6>>& groups, const std::map<std::string, bool>& flags,
                          int frames, int flexColor) { fill(f, m, d, groups, flags, frames, flexColor); });
  frame.def("_instances", &instancesOf);
#ifdef SINEW_HAS_RENDER
  module.attr("has_renderer") = true;
  nb::class_<RendererBox> renderer(module, "RendererBase", nb::dynamic_attr());
  renderer.def("__init__",
               [](RendererBox* self, const SceneBox& scene, int width, int height, int samples, int threads) {
                 RenderOptions options;
                 options.samples = samples;
                 options.threads = threads;
                 auto made = std::make_unique<Renderer>(scene.scene, width, height, options);
                 new (self) RendererBox{std::move(made), {scene.scene, {}, false}, {}};
               });
  renderer.def("_update",
               [](RendererBox& r, const ModelBox& m, DataBox& d, const std::variant<int, std::string, Free>& camera,
                  const std::vector<std::array<bool, 6>>& groups, const std::map<std::string, bool>& flags, int frames,
                  int flexColor) {
                 const Drawing drawing(r);
                 FrameBox& f = r.shown;
                 fill(f, m, d, groups, flags, frames, flexColor);
                 const double aspect = static_cast<double>(r.renderer->width()) / r.renderer->height();
                 if (const int* number = std::get_if<int>(&camera)) {
                   r.view = *number < 0 ? viewOf(*f.scene, f.frame, defaultFreeCamera(*f.scene), aspect)
                                        : viewOf(*f.scene, f.frame, *number, aspect);
                 } else if (const std::string* name = std::get_if<std::string>(&camera)) {
                   r.view = viewOf(*f.scene, f.frame, std::string_view(*name), aspect);
                 } else {
                   const auto& [lookat, distance, azimuth, elevation, body] = std::get<Free>(camera);
                   r.view = viewOf(*f.scene, f.frame, FreeCamera{lookat, distance, azimuth, elevation, body}, aspect);
                 }
               });
  renderer.def("_instances", [](const RendererBox& r) { return instancesOf(r.shown); });
  renderer.def("_show", [](RendererBox& r, const FrameBox& frame, const Look& look) {
    if (frame.scene != r.shown.scene) throw std::invalid_argument("this scene was made for another model");
    const Drawing drawing(r);
    r.shown = frame;
    View& v = r.view;
    std::array<double, 3> right, up, forward;
    std::tie(v.pos, right, up, forward, v.orthographic, v.left, v.right, v.bottom, v.top, v.znear, v.zfar) = look;
    for (std::size_t k = 0; k < 3; ++k) {
      v.mat[3 * k] = right[k];
      v.mat[3 * k + 1] = up[k];
      v.mat[3 * k + 2] = -forward[k];
    }
  });
  renderer.def(
      "_rgb",
      [](RendererBox& r, nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu> out, const std::vector<Extra>& extras,
         const std::vector<Edit>& edits, bool shadows, bool reflections, bool haze, bool textures) {
        const Drawing drawing(r);
        r.prepare(extras, edits);
        RenderOptions& options = r.renderer->options();
        options.shadows = shadows;
        options.reflections = reflections;
        options.haze = haze;
        options.textures = textures;
        const Unlocked release;
        r.renderer->rgb(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert(), "extras"_a, "edits"_a, "shadows"_a, "reflections"_a, "haze"_a, "textures"_a);
  renderer.def(
      "_depth",
      [](RendererBox& r, nb::ndarray<float, nb::c_contig, nb::device::cpu> out, const std::vector<Extra>& extras,
         const std::vector<Edit>& edits) {
        const Drawing drawing(r);
        r.prepare(extras, edits);
        const Unlocked release;
        r.renderer->depth(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert(), "extras"_a, "edits"_a);
  renderer.def(
      "_normals",
      [](RendererBox& r, nb::ndarray<float, nb::c_contig, nb::device::cpu> out, const std::vector<Extra>& extras,
         const std::vector<Edit>& edits) {
        const Drawing drawing(r);
        r.prepare(extras, edits);
        const Unlocked release;
        r.renderer->normals(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert(), "extras"_a, "edits"_a);
  renderer.def(
      "_segmentation",
      [](RendererBox& r, nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu> out, const std::vector<Edit>& edits) {
        const Drawing drawing(r);
        r.prepare({}, edits);
        const Unlocked release;
        r.renderer->segmentation(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert(), "edits"_a);
  // position; right, up, forward; orthographic; sides at distance 1: left, right, bottom, top; near, far
  renderer.def("_view", [](const RendererBox& r) {
    const View& v = r.view;
    const auto column = [&](std::size_t k, double sign) {
      return std::array<double, 3>{sign * v.mat[k], sign * v.mat[3 + k], sign * v.mat[6 + k]};
    };
    return Look(v.pos, column(0, 1), column(1, 1), column(2, -1), v.orthographic, v.left, v.right, v.bottom, v.top,
                v.znear, v.zfar);
  });
  renderer.def("_size", [](const RendererBox& r) {
    return std::pair(r.shown.scene->visual.offwidth, r.shown.scene->visual.offheight);
  });
#else
  module.attr("has_renderer") = false;
#endif

  module.def(
      "has_viewer",
      []() {
        std::string why;
        const bool has = hasViewer(&why);
        return std::pair(has, why);
      },
      "Whether this build has the viewer, and what is missing if not.");
  nb::class_<ViewerBox> viewer(module, "ViewerBase", nb::dynamic_attr());
  viewer.def("__init__",
             [](ViewerBox* self, const ModelBox& m, DataBox& d, const std::string& file, const std::string& text,
                const std::string& folder, const std::string& host, int port, bool browser, bool left, bool right) {
               requireSame(m, d);
               ViewerOptions options;
               options.host = host;
               options.port = port;
               options.openBrowser = browser;
               options.leftPanel = left;
               options.rightPanel = right;
               const std::optional<Spec> spec = describe(file, text, folder);
               auto made = spec ? std::make_unique<Viewer>(*spec, *m.model, *d.data, options)
                                : std::make_unique<Viewer>(*m.model, *d.data, options);
               new (self) ViewerBox{m.model, d.data, d.user, std::move(made)};
             });
  viewer.def_prop_ro(
      "url", [](const ViewerBox& v) { return v.viewer->url(); },
      "Address of the page, with a token: whoever knows it may watch and steer.");
  viewer.def("_sync", [](ViewerBox& v, bool stateOnly) {
    if (!v.user->take()) {
      throw std::runtime_error("this Data is in use by another thread: hold viewer.lock() while stepping");
    }
    struct Release {
      User& user;
      ~Release() { user.give(); }
    } release{*v.user};
    const Unlocked unlock;
    v.viewer->sync(stateOnly);
  });
  viewer.def("_is_due", [](const ViewerBox& v) { return v.viewer->isDue(); });
  viewer.def("_set_geoms", [](ViewerBox& v, const std::vector<Extra>& shapes, const std::vector<std::string>& labels) {
    std::vector<ViewerGeom> geoms;
    geoms.reserve(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) geoms.push_back({decorationOf(shapes[i]), labels.at(i)});
    v.viewer->setGeoms(std::move(geoms));
  });
  viewer.def("_camera", [](const ViewerBox& v) {
    const ViewerCamera& c = v.viewer->camera();
    return std::tuple(c.fixed, std::vector<double>(c.free.lookat.begin(), c.free.lookat.end()), c.free.distance,
                      c.free.azimuth, c.free.elevation, c.free.trackBody);
  });
  viewer.def("_set_camera", [](ViewerBox& v, int fixed, const std::array<double, 3>& lookat, double distance,
                               double azimuth, double elevation, int body) {
    v.viewer->setCamera({fixed, {lookat, distance, azimuth, elevation, body}});
  });
  viewer.def("_shown", [](const ViewerBox& v) {
    const ViewerShown& s = v.viewer->shown();
    std::vector<std::array<bool, 6>> groups;
    for (const auto member : kGroups) groups.push_back(s.frame.*member);
    std::map<std::string, bool> flags;
    for (const char* name : kPageFlags) flags[name] = flagOf(s.frame, name);
    return std::tuple(groups, flags, static_cast<int>(s.frame.frames), s.labels);
  });
  viewer.def("_set_shown", [](ViewerBox& v, const std::vector<std::array<bool, 6>>& groups,
                              const std::map<std::string, bool>& flags, int frames, const std::string& labels) {
    ViewerShown s;
    for (std::size_t i = 0; i < kGroups.size() && i < groups.size(); ++i) s.frame.*kGroups[i] = groups[i];
    setFlags(flags, s.frame);
    s.frame.frames = static_cast<FrameKind>(frames);
    s.labels = labels;
    v.viewer->setShown(s);
  });
  viewer.def("_selection", [](const ViewerBox& v) {
    const ViewerSelection s = v.viewer->selection();
    return std::tuple(s.body, s.flex, s.local, s.pulls, s.turns, s.target, s.turn);
  });
  viewer.def("_set_texts", [](ViewerBox& v, const std::vector<std::tuple<int, std::string, std::string>>& texts) {
    std::vector<ViewerText> made;
    for (const auto& [corner, left, right] : texts)
      made.push_back({static_cast<ViewerText::Corner>(corner), left, right});
    v.viewer->setTexts(std::move(made));
  });
  viewer.def("_send_scene", [](ViewerBox& v) {
    const Unlocked unlock;
    v.viewer->sendScene();
  });
  viewer.def("_take_keys", [](ViewerBox& v, double seconds) {
    const Unlocked unlock;
    return v.viewer->takeKeys(std::chrono::microseconds(static_cast<long>(seconds * 1e6)));
  });
  viewer.def("_is_running", [](const ViewerBox& v) { return v.viewer->isRunning(); });
  viewer.def("_is_paused", [](const ViewerBox& v) { return v.viewer->isPaused(); });
  viewer.def("_windows", [](const ViewerBox& v) { return v.viewer->windows(); });
  viewer.def("_close", [](ViewerBox& v) {
    const Unlocked unlock;
    v.viewer->close();
  });

  nb::class_<ReplayBox> replay(module, "ReplayBase");
  replay.def("__init__", [](ReplayBox* self, const ModelBox& m, const std::string& file, const std::string& text,
                            const std::string& folder, double fps, const std::string& title) {
    ReplayOptions options;
    options.framesPerSecond = fps;
    options.title = title;
    const std::optional<Spec> spec = describe(file, text, folder);
    new (self) ReplayBox{spec ? std::make_unique<Replay>(*spec, *m.model, options)
                              : std::make_unique<Replay>(*m.model, options)};
  });
  replay.def("record", [](ReplayBox& r, const DataBox& d) {
    const Busy busy(d);
    r.replay->record(*d.data);
  });
  replay.def("save", [](const ReplayBox& r, const std::string& file) { r.replay->save(file); });
  replay.def("html", [](const ReplayBox& r) { return r.replay->html(); });
}

}  // namespace sinew::python
