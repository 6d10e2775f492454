#include "pictures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "command.h"
#include "controls.h"
#include "interruption.h"
#include "output.h"
#include "progress_bar.h"
#include "protected_files.h"
#include "scenes/scenes.h"
#include "sinew/renderer.h"
#include "sinew/scene.h"
#include "sinew/step.h"

namespace sinew::cli {
namespace {

/// Words of --show and --hide, and what they switch.
struct Switch {
  const char* word;
  void (*set)(FrameOptions&, bool);
};
constexpr Switch kSwitches[] = {
    {"contacts", [](FrameOptions& o, bool on) { o.contactPoints = on; }},
    {"forces", [](FrameOptions& o, bool on) { o.contactForces = on; }},
    {"split", [](FrameOptions& o, bool on) { o.contactSplit = on; }},
    {"sites", [](FrameOptions& o, bool on) { o.sites = on; }},
    {"tendons", [](FrameOptions& o, bool on) { o.tendons = on; }},
    {"flexes", [](FrameOptions& o, bool on) { o.flexes = on; }},
    {"skins", [](FrameOptions& o, bool on) { o.skins = on; }},
    {"joints", [](FrameOptions& o, bool on) { o.joints = on; }},
    {"actuators", [](FrameOptions& o, bool on) { o.actuators = on; }},
    {"com", [](FrameOptions& o, bool on) { o.centersOfMass = on; }},
    {"inertia", [](FrameOptions& o, bool on) { o.inertias = on; }},
    {"constraints", [](FrameOptions& o, bool on) { o.constraints = on; }},
    {"slidercranks", [](FrameOptions& o, bool on) { o.slidercranks = on; }},
    {"cameras", [](FrameOptions& o, bool on) { o.cameras = on; }},
    {"lights", [](FrameOptions& o, bool on) { o.lights = on; }},
    {"applied", [](FrameOptions& o, bool on) { o.perturbation = on; }},
    {"transparent", [](FrameOptions& o, bool on) { o.transparent = on; }},
    {"frames", [](FrameOptions& o, bool on) { o.frames = on ? FrameKind::Body : FrameKind::None; }},
    {"worldframe", [](FrameOptions& o, bool on) { o.frames = on ? FrameKind::World : FrameKind::None; }},
    {"geomframes", [](FrameOptions& o, bool on) { o.frames = on ? FrameKind::Geom : FrameKind::None; }},
    {"siteframes", [](FrameOptions& o, bool on) { o.frames = on ? FrameKind::Site : FrameKind::None; }},
    {"stress", [](FrameOptions& o, bool on) { o.flexColor = on ? FlexColor::Stress : FlexColor::Material; }},
    {"strain", [](FrameOptions& o, bool on) { o.flexColor = on ? FlexColor::Strain : FlexColor::Material; }},
    {"contactforce",
     [](FrameOptions& o, bool on) { o.flexColor = on ? FlexColor::ContactForce : FlexColor::Material; }},
    {"energy", [](FrameOptions& o, bool on) { o.flexColor = on ? FlexColor::Energy : FlexColor::Material; }},
};

void apply(const std::vector<std::string>& words, const char* option, bool on, FrameOptions& options) {
  for (const std::string& word : words) {
    const auto found =
        std::find_if(std::begin(kSwitches), std::end(kSwitches), [&](const Switch& s) { return word == s.word; });
    if (found == std::end(kSwitches)) {
      std::vector<std::string> known;
      for (const Switch& s : kSwitches) known.emplace_back(s.word);
      throw CommandError(fmt::format("{}: '{}' is not one of {}", option, word, fmt::join(known, ", ")));
    }
    found->set(options, on);
  }
}

FrameOptions frameOptions(const RenderChoices& c) {
  FrameOptions options;
  apply(c.show, "--show", true, options);
  apply(c.hide, "--hide", false, options);
  if (!c.groups.empty()) {
    for (auto* groups : {&options.geomGroups, &options.siteGroups, &options.tendonGroups, &options.flexGroups,
                         &options.skinGroups, &options.jointGroups, &options.actuatorGroups}) {
      groups->fill(false);
      for (const int g : c.groups) (*groups)[g] = true;
    }
  }
  return options;
}

/// The demo is told what to do by its keyframe.
std::string controlsOf(const RenderChoices& c) {
  return !c.controls.empty() ? c.controls : c.model.empty() ? "keep" : "zero";
}

/// WIDTHxHEIGHT, by default what <visual><global> says.
std::pair<int, int> sizeOf(const RenderChoices& c, const Scene& scene) {
  if (c.size.empty()) return {scene.visual.offwidth, scene.visual.offheight};
  int width = 0, height = 0;
  const char *begin = c.size.data(), *end = begin + c.size.size();
  const auto [x, error] = std::from_chars(begin, end, width);
  bool valid = error == std::errc() && x != end && *x == 'x';
  if (valid) {
    const auto [stop, second] = std::from_chars(x + 1, end, height);
    valid = second == std::errc() && stop == end;
  }
  if (!valid) throw CommandError(fmt::format("--size needs WIDTHxHEIGHT, for example 640x480, found '{}'", c.size));
  return {width, height};
}

/// Where a free camera stands; the options move it.
FreeCamera freeCamera(const RenderChoices& c, const Scene& scene, const Model& m) {
  FreeCamera camera = defaultFreeCamera(scene);
  if (c.azimuth) camera.azimuth = *c.azimuth;
  if (c.elevation) camera.elevation = *c.elevation;
  if (c.distance) camera.distance = *c.distance;
  if (!c.track.empty()) {
    camera.trackBody = findId(m, ObjType::Body, c.track);
    if (camera.trackBody < 0) throw CommandError(fmt::format("--track: no body is named '{}'", c.track));
    camera.lookat = {0, 0, 0};
  }
  if (!c.lookat.empty()) {
    std::size_t n = 0;
    const char *at = c.lookat.data(), *const end = at + c.lookat.size();
    bool valid = true;
    while (valid && n < 3) {
      const auto [next, error] = std::from_chars(at, end, camera.lookat[n++]);
      valid = error == std::errc() && (n == 3 ? next == end : next != end && *next == ',');
      at = n < 3 && valid ? next + 1 : next;
    }
    if (!valid) throw CommandError(fmt::format("--lookat needs X,Y,Z, for example 0,0,0.5, found '{}'", c.lookat));
  }
  return camera;
}

/// A colour per object that differs from its neighbours'.
void paintObject(std::int32_t id, std::int32_t type, std::uint8_t* out) {
  if (type < 0) {
    out[0] = out[1] = out[2] = 0;
    return;
  }
  std::uint32_t h = static_cast<std::uint32_t>(id + 1) * 2654435761u + static_cast<std::uint32_t>(type) * 40503u;
  for (int k = 0; k < 3; ++k, h = h * 1664525u + 1013904223u)
    out[k] = static_cast<std::uint8_t>(64 + (h >> 24) * 3 / 4);
}

Image pictureOf(Renderer& renderer, const View& view, const std::string& what) {
  if (what == "rgb") return renderer.rgb(view);
  Image image{renderer.width(), renderer.height(), {}};
  const std::size_t n = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  image.pixels.resize(3 * n);
  if (what == "depth") {
    std::vector<float> depth(n);
    renderer.depth(view, depth);
    float nearest = static_cast<float>(view.zfar), farthest = 0;
    for (const float z : depth) {
      if (z >= static_cast<float>(view.zfar)) continue;
      nearest = std::min(nearest, z), farthest = std::max(farthest, z);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const float t = farthest > nearest ? (depth[i] - nearest) / (farthest - nearest) : 0;
      std::fill_n(&image.pixels[3 * i], 3, static_cast<std::uint8_t>(255 * std::clamp(1 - t, 0.f, 1.f)));
    }
  } else if (what == "segmentation") {
    std::vector<std::int32_t> objects(2 * n);
    renderer.segmentation(view, objects);
    for (std::size_t i = 0; i < n; ++i) paintObject(objects[2 * i], objects[2 * i + 1], &image.pixels[3 * i]);
  } else {
    std::vector<float> normals(3 * n);
    renderer.normals(view, normals);
    for (std::size_t i = 0; i < 3 * n; ++i) {
      image.pixels[i] = static_cast<std::uint8_t>(std::clamp(127.5f * (normals[i] + 1), 0.f, 255.f));
    }
  }
  return image;
}

/// Steps up to a time, drawing on the way.
class Film {
 public:
  Film(const RenderChoices& c, const Model& m, const Spec& spec, Warnings& warnings)
      : c_(c),
        m_(m),
        d_(m),
        scene_(std::make_shared<const Scene>(makeScene(spec, m, &warnings, c.choices.maxMemory))),
        options_(frameOptions(c)),
        free_(freeCamera(c, *scene_, m)),
        controls_(makeControls(controlsOf(c), m)) {
    RenderOptions options;
    options.samples = c.samples > 0 ? c.samples : std::max(1, scene_->visual.offsamples);
    options.occlusion = c.occlusion;
    options.threads = c.threads;
    options.shadows = !c.noShadows;
    options.reflections = !c.noReflections;
    const auto [width, height] = sizeOf(c, *scene_);
    try {
      renderer_.emplace(scene_, width, height, options);
      aspect_ = static_cast<double>(width) / height;
      if (!c.key.empty()) {
        resetToKey(m_, d_, findKey(m_, c.key));
      } else if (c.model.empty() && m_.nkey > 0) {
        resetToKey(m_, d_, 0);
      }
      controls_->apply(m_, d_);
      forward(m_, d_);
      updateFrame(*scene_, m_, d_, frame_, options_);
      view();  // a camera that does not exist shows before the run
    } catch (const std::invalid_argument& error) {
      throw CommandError(error.what());
    }
  }

  void advanceTo(double time) {
    while (d_.time + 0.5 * m_.opt.timestep < time && Interruption::signal() == 0) {
      const double before = d_.time;
      controls_->apply(m_, d_);
      step(m_, d_);
      if (!(d_.time > before)) break;  // it was reset, or cannot be stepped
    }
    forward(m_, d_);
  }

  Image draw() {
    updateFrame(*scene_, m_, d_, frame_, options_);
    if (!frame_.finite && trouble_.empty()) trouble_ = frame_.trouble;
    renderer_->update(frame_);
    return pictureOf(*renderer_, view(), c_.what);
  }

  const Renderer& renderer() const { return *renderer_; }
  std::string trouble() const {
    if (!trouble_.empty()) return trouble_ + "; the last good state was drawn";
    return describeStatus(m_, d_);
  }
  const Frame& frame() const { return frame_; }

 private:
  View view() const {
    if (c_.camera.empty() || c_.camera == "free") {
      const int fixed = scene_->visual.cameraid;
      const bool moved = c_.azimuth || c_.elevation || c_.distance || !c_.lookat.empty() || !c_.track.empty();
      if (c_.camera.empty() && !moved && fixed >= 0 && fixed < m_.ncam) return viewOf(*scene_, frame_, fixed, aspect_);
      return viewOf(*scene_, frame_, free_, aspect_);
    }
    return viewOf(*scene_, frame_, c_.camera, aspect_);
  }

  const RenderChoices& c_;
  const Model& m_;
  Data d_;
  std::shared_ptr<const Scene> scene_;
  FrameOptions options_;
  FreeCamera free_;
  std::unique_ptr<ControlSource> controls_;
  std::optional<Renderer> renderer_;
  double aspect_ = 1;
  Frame frame_;
  std::string trouble_;
};

bool isPng(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  return ending == ".png" || ending == ".PNG";
}

void reportRange(const Frame& frame) {
  if (frame.flexValue.empty()) return;
  static constexpr const char* kUnits[] = {"", "stress, Pa", "strain", "contact force, N", "energy, J/m^3"};
  fmt::print("colours           {} from {:.4g} (dark) to {:.4g} (yellow)\n",
             kUnits[static_cast<std::size_t>(frame.flexColor)], frame.flexRange[0], frame.flexRange[1]);
}

}  // namespace

int renderPictures(const RenderChoices& c) {
  if (!isPng(c.out) && !AnimationWriter::canWrite(c.out)) {
    throw CommandError(fmt::format("--out '{}' must end in .png, .gif, .mp4, .webm, .mkv, .mov or .avi", c.out));
  }
  Warnings warnings;
  std::vector<std::filesystem::path> inputs;
  Spec spec;
  const Model m = c.model.empty() ? compileScene("demo.xml", scenes::demo().mjcf, c.choices, &warnings, &spec)
                                  : loadChosen(c.model, c.choices, &warnings, &inputs, &spec);
  for (const char* ending : {"", ".part"}) refuseToOverwrite("--out", c.out + ending, inputs);
  Warnings missing;
  Film film(c, m, spec, missing);
  for (const std::string& warning : missing) fmt::print(stderr, "warning: {}\n", warning);
  const Interruption interruption;
  const int width = film.renderer().width(), height = film.renderer().height();
  writing([&] {
    if (isPng(c.out)) {
      film.advanceTo(c.time);
      writePng(c.out, film.draw());
      fmt::print("picture           {} ({} x {}, t = {:.6g} s)\n", c.out, width, height, film.frame().time);
    } else {
      AnimationWriter writer(c.out, width, height, c.fps);
      const long frames = std::max(1L, std::lround(c.duration * c.fps));
      ProgressBar bar(frames);
      long drawn = 0;
      for (; drawn < frames && Interruption::signal() == 0; ++drawn) {
        film.advanceTo(c.time + static_cast<double>(drawn) / c.fps);
        writer.add(film.draw());
        bar.show(drawn + 1, static_cast<double>(drawn) / c.fps);
      }
      writer.finish();
      fmt::print("film              {} ({} pictures of {} x {}, {:.6g} s)\n", c.out, drawn, width, height,
                 static_cast<double>(drawn) / c.fps);
    }
  });
  reportRange(film.frame());
  if (Interruption::signal() != 0) return kSignal + Interruption::signal();
  const std::string trouble = film.trouble();
  if (trouble.empty()) return kOk;
  fmt::print(stderr, "error: {}\n", trouble);
  return kProblem;
}

std::string drawPicture(const Spec& spec, const Model& m, Data d, const std::string& file) {
  const auto scene = std::make_shared<const Scene>(makeScene(spec, m));
  forward(m, d);
  Frame frame;
  updateFrame(*scene, m, d, frame);
  Renderer renderer(scene, scene->visual.offwidth, scene->visual.offheight,
                    {.samples = std::max(1, scene->visual.offsamples)});
  renderer.update(frame);
  writePng(file,
           renderer.rgb(viewOf(*scene, frame, "free", static_cast<double>(renderer.width()) / renderer.height())));
  return file;
}

}  // namespace sinew::cli
