#include "sinew/renderer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "render/ray_scene.h"
#include "render/shot.h"

namespace sinew {
namespace {

using render::Hit;
using render::Rgb;
using render::Shot;

constexpr int kMaxSide = 16384;

/// The sRGB curve undone, from a table: c in 0 to 1, to 1e-6.
class ToLinear {
 public:
  ToLinear() {
    for (int i = 0; i <= kSteps + 1; ++i) {
      const double c = static_cast<double>(i) / kSteps;
      table_[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
  }
  double operator()(double c) const {
    const double x = std::clamp(c, 0.0, 1.0) * kSteps;
    const int i = static_cast<int>(x);
    return table_[i] + (x - i) * (table_[i + 1] - table_[i]);
  }

 private:
  static constexpr int kSteps = 1024;
  double table_[kSteps + 2];
};

double toSrgb(double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055; }

void requireSize(int width, int height) {
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide) {
    throw std::invalid_argument(
        fmt::format("a picture needs 1 x 1 to {0} x {0} pixels, found {1} x {2}", kMaxSide, width, height));
  }
}

void requireRoom(std::size_t found, std::size_t expected) {
  if (found != expected) {
    throw std::invalid_argument(fmt::format("the output needs {} numbers, found {}", expected, found));
  }
}

}  // namespace

struct Renderer::Impl {
  render::RayScene scene;
  int width, height;
  RenderOptions options;

  Impl(std::shared_ptr<const Scene> s, int w, int h, const RenderOptions& o)
      : scene(std::move(s)), width(w), height(h), options(o) {
    requireSize(width, height);
  }

  int threadCount() const {
    const int hardware = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return std::clamp(options.threads > 0 ? options.threads : hardware, 1, 256);
  }

  /// Calls f(row) for every row; rows are independent of each other.
  template <class F>
  void forRows(F f) const {
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int row = next++; row < height; row = next++) f(row);
    };
    const int extra = std::min(threadCount(), height) - 1;
    std::vector<std::thread> helpers;
    helpers.reserve(static_cast<std::size_t>(std::max(0, extra)));
    for (int i = 0; i < extra; ++i) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
  }

  void requireUpdated() const {
    if (!scene.isUpdated())
      throw std::invalid_argument("there is nothing to draw yet: call update() with a frame first");
  }

  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }

  void rgb(const View& view, std::span<std::uint8_t> out) {
    requireUpdated();
    requireRoom(out.size(), 3 * pixels());
    const Shot shot(scene, options, view, width, height);
    // one ray through the middle of each pixel
    std::vector<float> first(3 * pixels());
    std::vector<std::uint64_t> kinds(pixels());
    forRows([&](int row) {
      for (int column = 0; column < width; ++column) {
        const std::size_t i =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
        const Rgb c = shot.colorAt(column + 0.5, row + 0.5, 64 * i, kinds[i]);
        for (int k = 0; k < 3; ++k) first[3 * i + static_cast<std::size_t>(k)] = static_cast<float>(c[k]);
      }
    });
    // more where neighbours differ
    static const ToLinear linear;
    const int samples = std::clamp(options.samples, 1, 64);
    const auto differs = [&](std::size_t a, std::size_t b) {
      if (kinds[a] == kinds[b]) return false;
      for (std::size_t k = 0; k < 3; ++k) {
        if (std::abs(first[3 * a + k] - first[3 * b + k]) > 0.04f) return true;
      }
      return false;
    };
    forRows([&](int row) {
      const std::size_t w = static_cast<std::size_t>(width);
      for (int column = 0; column < width; ++column) {
        const std::size_t i = static_cast<std::size_t>(row) * w + static_cast<std::size_t>(column);
        Rgb mean{first[3 * i], first[3 * i + 1], first[3 * i + 2]};
        const bool edge = (column > 0 && differs(i, i - 1)) || (column + 1 < width && differs(i, i + 1)) ||
                          (row > 0 && differs(i, i - w)) || (row + 1 < height && differs(i, i + w));
        if (edge && samples > 1) {
          Rgb sum = Rgb::Zero();
          for (int s = 0; s < samples; ++s) {
            const double x = column + (s + 0.5) / samples,
                         y = row + std::fmod(render::halton(s, 2) + 0.5 / samples, 1.0);
            std::uint64_t kind = 0;
            const Rgb c = shot.colorAt(x, y, 64 * i + static_cast<std::uint64_t>(s + 1) % 64, kind);
            for (int k = 0; k < 3; ++k) sum[k] += linear(c[k]);
          }
          for (int k = 0; k < 3; ++k) mean[k] = toSrgb(sum[k] / samples);
        }
        for (int k = 0; k < 3; ++k) {
          out[3 * i + static_cast<std::size_t>(k)] =
              static_cast<std::uint8_t>(std::clamp(255 * mean[k] + 0.5, 0.0, 255.0));
        }
      }
    });
  }

  /// Calls f(i, found, hit, depth) for the middle of every pixel.
  template <class F>
  void forPixels(const View& view, F f) {
    requireUpdated();
    const Shot shot(scene, options, view, width, height);
    forRows([&](int row) {
      for (int column = 0; column < width; ++column) {
        Hit hit;
        double depth = 0;
        const bool found = shot.first(column + 0.5, row + 0.5, hit, depth);
        f(static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column), found,
          hit, depth);
      }
    });
  }
};

Renderer::Renderer(std::shared_ptr<const Scene> scene, int width, int height, const RenderOptions& options)
    : impl_(std::make_unique<Impl>(std::move(scene), width, height, options)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

int Renderer::width() const { return impl_->width; }
int Renderer::height() const { return impl_->height; }
const Scene& Renderer::scene() const { return impl_->scene.scene(); }
RenderOptions& Renderer::options() { return impl_->options; }
void Renderer::update(const Frame& frame) { impl_->scene.update(frame); }
void Renderer::rgb(const View& view, std::span<std::uint8_t> out) { impl_->rgb(view, out); }

Image Renderer::rgb(const View& view) {
  Image image{impl_->width, impl_->height, std::vector<std::uint8_t>(3 * impl_->pixels())};
  impl_->rgb(view, image.pixels);
  return image;
}

void Renderer::depth(const View& view, std::span<float> out) {
  requireRoom(out.size(), impl_->pixels());
  impl_->forPixels(view, [&](std::size_t i, bool, const Hit&, double depth) { out[i] = static_cast<float>(depth); });
}

void Renderer::segmentation(const View& view, std::span<std::int32_t> out) {
  requireRoom(out.size(), 2 * impl_->pixels());
  impl_->forPixels(view, [&](std::size_t i, bool found, const Hit& hit, double) {
    out[2 * i] = found ? hit.surface->id : -1;
    out[2 * i + 1] = found ? static_cast<std::int32_t>(hit.surface->type) : -1;
  });
}

void Renderer::normals(const View& view, std::span<float> out) {
  requireRoom(out.size(), 3 * impl_->pixels());
  impl_->forPixels(view, [&](std::size_t i, bool found, const Hit& hit, double) {
    for (int k = 0; k < 3; ++k)
      out[3 * i + static_cast<std::size_t>(k)] = found ? static_cast<float>(hit.normal[k]) : 0;
  });
}

}  // namespace sinew
