#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/scene.h"

/// Pictures of a Scene by ray tracing on the processor: no display, no graphics card, no driver. In the library
/// sinew_render (target sinew::render), which exists where Embree was found; docs/render.md.
namespace sinew {

/// Pixels, rows from top to bottom, 3 bytes (RGB) each.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

struct RenderOptions {
  int samples = 4;               ///< rays per pixel where something changes within it, 1 to 64; one ray elsewhere
  bool shadows = true;           ///< of the lights with castshadow
  bool reflections = true;       ///< on planes and boxes whose material has a reflectance
  bool textures = true;          ///< of materials
  bool haze = true;              ///< planes without end fade into the horizon, as <visual> says
  int occlusion = 0;             ///< rays per sample for ambient occlusion, 0: none, at most 256
  double occlusionDistance = 0;  ///< how far something darkens what is near, m; 0: a tenth of the extent
  /// Colours above and at the horizon where the model has no skybox. Both black: as MuJoCo draws it.
  Color zenith{0.32f, 0.45f, 0.62f, 1}, horizon{0.80f, 0.86f, 0.92f, 1};
  int threads = 0;  ///< 0: as many as the machine has. The picture is the same for any number.
};

/// Draws frames of one scene. Meshes are prepared once; poses and soft surfaces are updated in place from frame to
/// frame. One thread at a time may use a Renderer.
class Renderer {
 public:
  /// Pictures of `width` x `height` pixels, each 1 to 16384. Throws std::invalid_argument that names the value found.
  Renderer(std::shared_ptr<const Scene> scene, int width, int height, const RenderOptions& options = {});
  ~Renderer();
  Renderer(Renderer&&) noexcept;
  Renderer& operator=(Renderer&&) noexcept;

  int width() const;
  int height() const;
  const Scene& scene() const;
  RenderOptions& options();  ///< for the pictures that follow

  /// What is drawn from now on; the frame may change afterwards. Throws std::invalid_argument if it was not filled for
  /// this scene.
  void update(const Frame& frame);

  /// The colours seen: height x width x 3 bytes, sRGB. Shading follows MuJoCo's (docs/render.md); samples of a pixel
  /// are averaged as light, that is after undoing the sRGB curve.
  void rgb(const View& view, std::span<std::uint8_t> out);
  Image rgb(const View& view);
  /// Distance of what is seen in the middle of each pixel, along the view axis, m: height x width numbers. Where
  /// nothing is: view.zfar.
  void depth(const View& view, std::span<float> out);
  /// The object seen in the middle of each pixel: height x width pairs (id, ObjType); -1 -1 where nothing is.
  void segmentation(const View& view, std::span<std::int32_t> out);
  /// Unit normals in world axes seen in the middle of each pixel: height x width x 3; 0 where nothing is.
  void normals(const View& view, std::span<float> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The PNG file of an image, and the same written to a file at once (complete or not at all). Throw LoadError if that
/// cannot be done.
std::string encodePng(const Image& image);
void writePng(const std::filesystem::path& file, const Image& image);

/// Pictures one after the other in a file: .gif by itself, .mp4 (or .webm, .mkv, .mov, .avi) by a pipe to the program
/// ffmpeg.
class AnimationWriter {
 public:
  /// `fps` pictures per second, 0.1 to 240 (GIF: at most 50, the format counts hundredths of a second). Throws
  /// LoadError if the ending is unknown, if ffmpeg is needed and not installed, or if the file cannot be written.
  AnimationWriter(const std::filesystem::path& file, int width, int height, double fps);
  ~AnimationWriter();  ///< without finish(): leaves no file
  AnimationWriter(const AnimationWriter&) = delete;
  AnimationWriter& operator=(const AnimationWriter&) = delete;
  void add(const Image& image);
  void finish();  ///< completes the file
  /// True for the endings above.
  static bool canWrite(const std::filesystem::path& file);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
