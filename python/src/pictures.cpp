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
  std::shared_ptr<std::atomic_flag> busy;
  std::unique_ptr<Viewer> viewer;
};

struct ReplayBox {
  std::unique_ptr<Replay> replay;
};

#ifdef SINEW_HAS_RENDER
/// lookat, distance, azimuth, elevation, body that is tracked
using Free = std::tuple<std::array<double, 3>, double, double, double, int>;
/// shape, size, pos, mat, rgba
using Extra = std::tuple<int, std::array<float, 3>, std::array<double, 3>, std::array<double, 9>, std::array<float, 4>>;

struct RendererBox {
  std::shared_ptr<Scene> scene;
  std::unique_ptr<Renderer> renderer;
  Frame frame;
  View view;
  bool updated = false;

  void prepare(const std::vector<Extra>& extras) {
    if (!updated) throw std::runtime_error("nothing to draw yet: call update_scene(data) first");
    const std::size_t own = frame.decorations.size();
    for (const auto& [shape, size, pos, mat, rgba] : extras) {
      Decoration decoration;
      decoration.shape = static_cast<Shape>(shape);
      decoration.size = size;
      decoration.pos = pos;
      decoration.mat = mat;
      decoration.rgba = rgba;
      frame.decorations.push_back(decoration);
    }
    renderer->update(frame);
    frame.decorations.resize(own);
  }
};
#endif

#ifdef SINEW_HAS_RENDER
/// What is shown of the kinds of objects and decorations, by the names of FrameOptions.
void setFlags(const std::map<std::string, bool>& flags, FrameOptions& o) {
  const std::pair<const char*, bool FrameOptions::*> known[] = {{"tendons", &FrameOptions::tendons},
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
                                                                {"transparent", &FrameOptions::transparent}};
  for (const auto& [name, member] : known) {
    const auto found = flags.find(name);
    if (found != flags.end()) o.*member = found->second;
  }
}
#endif

}  // namespace

void bindPictures(nb::module_& module) {
#ifdef SINEW_HAS_RENDER
  module.attr("has_renderer") = true;
  nb::class_<RendererBox> renderer(module, "RendererBase", nb::dynamic_attr());
  renderer.def("__init__", [](RendererBox* self, const SceneBox& scene, int width, int height, int samples) {
    RenderOptions options;
    options.samples = samples;
    auto made = std::make_unique<Renderer>(scene.scene, width, height, options);
    new (self) RendererBox{scene.scene, std::move(made), {}, {}, false};
  });
  renderer.def("_update",
               [](RendererBox& r, const ModelBox& m, DataBox& d, const std::variant<int, std::string, Free>& camera,
                  const std::vector<std::array<bool, 6>>& groups, const std::map<std::string, bool>& flags, int frames,
                  int flexColor) {
                 requireSame(m, d);
                 FrameOptions o;
                 if (groups.size() == 7) {
                   o.geomGroups = groups[0];
                   o.siteGroups = groups[1];
                   o.jointGroups = groups[2];
                   o.tendonGroups = groups[3];
                   o.actuatorGroups = groups[4];
                   o.flexGroups = groups[5];
                   o.skinGroups = groups[6];
                 }
                 setFlags(flags, o);
                 o.frames = static_cast<FrameKind>(frames);
                 o.flexColor = static_cast<FlexColor>(flexColor);
                 const Busy busy(d);
                 refreshScene(*m.model, *r.scene);
                 updateFrame(*r.scene, *m.model, *d.data, r.frame, o);
                 const double aspect = static_cast<double>(r.renderer->width()) / r.renderer->height();
                 if (const int* number = std::get_if<int>(&camera)) {
                   r.view = *number < 0 ? viewOf(*r.scene, r.frame, defaultFreeCamera(*r.scene), aspect)
                                        : viewOf(*r.scene, r.frame, *number, aspect);
                 } else if (const std::string* name = std::get_if<std::string>(&camera)) {
                   r.view = viewOf(*r.scene, r.frame, std::string_view(*name), aspect);
                 } else {
                   const auto& [lookat, distance, azimuth, elevation, body] = std::get<Free>(camera);
                   r.view = viewOf(*r.scene, r.frame, FreeCamera{lookat, distance, azimuth, elevation, body}, aspect);
                 }
                 r.updated = true;
               });
  renderer.def(
      "_rgb",
      [](RendererBox& r, nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu> out, const std::vector<Extra>& extras,
         bool shadows, bool reflections, bool haze, bool textures) {
        r.prepare(extras);
        RenderOptions& options = r.renderer->options();
        options.shadows = shadows;
        options.reflections = reflections;
        options.haze = haze;
        options.textures = textures;
        const nb::gil_scoped_release release;
        r.renderer->rgb(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert(), "extras"_a, "shadows"_a, "reflections"_a, "haze"_a, "textures"_a);
  renderer.def(
      "_depth",
      [](RendererBox& r, nb::ndarray<float, nb::c_contig, nb::device::cpu> out) {
        r.prepare({});
        const nb::gil_scoped_release release;
        r.renderer->depth(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert());
  renderer.def(
      "_segmentation",
      [](RendererBox& r, nb::ndarray<std::int32_t, nb::c_contig, nb::device::cpu> out) {
        r.prepare({});
        const nb::gil_scoped_release release;
        r.renderer->segmentation(r.view, {out.data(), out.size()});
      },
      "out"_a.noconvert());
  renderer.def("_size",
               [](const RendererBox& r) { return std::pair(r.scene->visual.offwidth, r.scene->visual.offheight); });
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
                const std::string& folder, const std::string& host, int port, bool browser) {
               requireSame(m, d);
               ViewerOptions options;
               options.host = host;
               options.port = port;
               options.openBrowser = browser;
               const std::optional<Spec> spec = describe(file, text, folder);
               auto made = spec ? std::make_unique<Viewer>(*spec, *m.model, *d.data, options)
                                : std::make_unique<Viewer>(*m.model, *d.data, options);
               new (self) ViewerBox{m.model, d.data, d.busy, std::move(made)};
             });
  viewer.def_prop_ro(
      "url", [](const ViewerBox& v) { return v.viewer->url(); },
      "Address of the page, with a token: whoever knows it may watch and steer.");
  viewer.def("_sync", [](ViewerBox& v, bool stateOnly) {
    if (v.busy->test_and_set(std::memory_order_acquire)) {
      throw std::runtime_error("this Data is in use by another thread: hold viewer.lock() while stepping");
    }
    struct Release {
      std::atomic_flag& flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } release{*v.busy};
    const nb::gil_scoped_release unlock;
    v.viewer->sync(stateOnly);
  });
  viewer.def("_is_running", [](const ViewerBox& v) { return v.viewer->isRunning(); });
  viewer.def("_is_paused", [](const ViewerBox& v) { return v.viewer->isPaused(); });
  viewer.def("_windows", [](const ViewerBox& v) { return v.viewer->windows(); });
  viewer.def("_close", [](ViewerBox& v) {
    const nb::gil_scoped_release unlock;
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
