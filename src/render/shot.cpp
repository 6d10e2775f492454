#include "render/shot.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace sinew::render {
namespace {

constexpr int kMaxLayers = 12;  ///< transparent things along a ray

Rgb toRgb(const Float3& c) { return {c[0], c[1], c[2]}; }
Rgb toRgb(const Color& c) { return {c[0], c[1], c[2]}; }

/// A number in [0, 1) from what is being drawn: the same in every run and on every thread.
double scatter(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h =
      a * 0x9e3779b97f4a7c15ull + b * 0xc2b2ae3d27d4eb4full + c * 0x165667b19e3779f9ull + 0x27d4eb2f165667c5ull;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return static_cast<double>((h ^ (h >> 33)) >> 11) * 0x1p-53;
}

/// Three numbers as one.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  a = (a ^ b) * 0x9e3779b97f4a7c15ull + c;
  return a ^ (a >> 29);
}

/// x^e. Exponents are whole numbers nearly always, and then products are several times as fast as std::pow.
double raise(double x, double e) {
  if (!(e >= 0 && e <= 1024 && e == std::floor(e))) return std::pow(x, e);
  double result = 1;
  for (unsigned n = static_cast<unsigned>(e); n > 0; n >>= 1, x *= x) {
    if (n & 1u) result *= x;
  }
  return result;
}

}  // namespace

double halton(int i, int base) {
  double f = 1, r = 0;
  for (; i > 0; i /= base) f /= base, r += f * (i % base);
  return r;
}

Shot::Shot(const RayScene& scene, const RenderOptions& o, const View& v, int width, int height)
    : r_(scene), options_(o), view_(v) {
  eye_ = ConstMapVec3(v.pos.data());
  const ConstMapMat3 R(v.mat.data());
  right_ = R.col(0), up_ = R.col(1), forward_ = -R.col(2);
  dx_ = (v.right - v.left) / width;
  dy_ = (v.top - v.bottom) / height;
  makeLamps();
}

void Shot::makeLamps() {
  const SceneVisual& visual = r_.scene().visual;
  if (visual.headActive) {
    Lamp head;
    head.directional = true;
    head.dir = forward_;
    head.ambient = toRgb(visual.headAmbient);
    head.diffuse = toRgb(visual.headDiffuse);
    head.specular = toRgb(visual.headSpecular);
    lamps_.push_back(head);
  }
  for (std::size_t i = 0; i < r_.scene().lights.size(); ++i) {
    const SceneLight& light = r_.scene().lights[i];
    if (!light.active || light.type == LightType::Image) continue;
    Lamp lamp;
    lamp.directional = light.type == LightType::Directional;
    lamp.spot = light.type == LightType::Spot && light.cutoff < 180;
    lamp.shadow = light.castshadow && options_.shadows;
    lamp.pos = r_.lightPos(i);
    lamp.dir = r_.lightDir(i);
    lamp.cosCutoff = std::cos(light.cutoff * std::numbers::pi / 180);
    lamp.exponent = light.exponent;
    lamp.radius = light.bulbradius;
    lamp.attenuation = {light.attenuation[0], light.attenuation[1], light.attenuation[2]};
    lamp.ambient = toRgb(light.ambient);
    lamp.diffuse = toRgb(light.diffuse);
    lamp.specular = toRgb(light.specular);
    lamps_.push_back(lamp);
  }
}

void Shot::ray(double x, double y, Vec3& o, Vec3& d, double& scale) const {
  const double a = view_.left + x * dx_, b = view_.top - y * dy_;
  if (view_.orthographic) {
    o = eye_ + a * right_ + b * up_;
    d = forward_;
    scale = 1;
  } else {
    o = eye_;
    d = a * right_ + b * up_ + forward_;
    scale = d.norm();
    d /= scale;
  }
}

bool Shot::first(double x, double y, Hit& hit, double& depth) const {
  Vec3 o, d;
  double scale = 1;
  ray(x, y, o, d, scale);
  const bool found = r_.trace(o, d, view_.znear * scale, view_.zfar * scale, hit);
  depth = found ? hit.t / scale : view_.zfar;
  return found;
}

Rgb Shot::sky(const Vec3& d) const {
  const Scene& s = r_.scene();
  Rgb color;
  if (s.skybox >= 0 && options_.textures) {
    // the y axis of a cube map points up
    color = toRgb(sampleCube(s.textures[s.skybox], d.x(), d.z(), -d.y()));
  } else {
    const double z = std::clamp(d.z(), 0.0, 1.0), t = z * (2 - z);  // without a line at the horizon
    color = (1 - t) * toRgb(options_.horizon) + t * toRgb(options_.zenith);
  }
  if (options_.haze && r_.hasEndless()) {
    const double t = std::clamp(1 - std::abs(d.z()) / std::max(1e-6, 0.25 * s.visual.haze), 0.0, 1.0);
    color += (haze() - color) * (d.z() < 0 ? 1 : t * t);
  }
  return color;
}

Rgb Shot::haze() const { return r_.scene().skybox >= 0 ? toRgb(r_.scene().visual.hazeColor) : toRgb(options_.horizon); }

Color Shot::base(const Hit& hit, const Vec3& d, double footprint) const {
  Color color = hit.hasColor ? hit.color : hit.surface->rgba;
  const SceneMaterial* material = r_.materialOf(*hit.surface);
  if (!material || hit.hasColor || !options_.textures || material->texture < 0) return color;
  const std::size_t texture = static_cast<std::size_t>(material->texture);
  Color texel{1, 1, 1, 1};
  const Vec3& scale = hit.surface->texscale;
  if (hit.surface->map == TextureMap::Cube) {
    const Vec3 q = scale.cwiseProduct(hit.local);
    texel = sampleCube(r_.scene().textures[texture], q.x(), q.y(), q.z());
  } else if (hit.surface->map == TextureMap::Uv && hit.hasUv) {
    const double size = footprint * hit.uvDensity / std::sqrt(std::max(0.05, -hit.normal.dot(d)));
    const double du[2] = {size, 0}, dv[2] = {0, size};
    texel = r_.pyramid(texture).sample(hit.uv[0], hit.uv[1], du, dv);
  } else if (hit.surface->map == TextureMap::Planar) {
    texel = planarTexel(hit, d, footprint, r_.pyramid(texture));
  } else {
    return color;
  }
  for (std::size_t k = 0; k < 4; ++k) color[k] *= texel[k];
  return color;
}

/// The pixel as it lies on the surface: a circle across the ray, projected along it.
Color Shot::planarTexel(const Hit& hit, const Vec3& d, double footprint, const TexturePyramid& pyramid) const {
  const Vec3& scale = hit.surface->texscale;
  Vec3 a, b;
  // one axis along the slope, one across it
  const Vec3 tilt = hit.normal - hit.normal.dot(d) * d;
  const double size = tilt.norm();
  if (size > 1e-9) {
    a = tilt / size, b = d.cross(a);
  } else {
    across(d, a, b);
  }
  const double cosine = std::max(1e-3, -hit.normal.dot(d));
  double axes[2][2];
  for (int k = 0; k < 2; ++k) {
    const Vec3& e = k == 0 ? a : b;
    const Vec3 on = footprint * (e + (hit.normal.dot(e) / cosine) * d);
    const Vec3 local = hit.rotation->transpose() * on;
    axes[k][0] = scale.x() * local.x();
    axes[k][1] = -scale.y() * local.y();
  }
  return pyramid.sample(scale.x() * hit.local.x() + 0.5, 0.5 - scale.y() * hit.local.y(), axes[0], axes[1]);
}

double Shot::openness(const Hit& hit, std::uint64_t seed) const {
  const int n = std::clamp(options_.occlusion, 0, 256);
  if (n == 0) return 1;
  const double reach = options_.occlusionDistance > 0 ? options_.occlusionDistance : 0.1 * r_.scene().extent;
  Vec3 a, b;
  across(hit.normal, a, b);
  const Vec3 o = lifted(hit);
  const double shift = scatter(seed, 11, 0), turn = scatter(seed, 12, 0);
  int open = 0;
  for (int i = 0; i < n; ++i) {
    double u = (i + shift) / n, v = halton(i + 1, 2) + turn;
    v -= std::floor(v);
    const double s = std::sqrt(u), phi = 2 * std::numbers::pi * v;
    const Vec3 dir = s * std::cos(phi) * a + s * std::sin(phi) * b + std::sqrt(1 - u) * hit.normal;
    open += !r_.occluded(o, dir, reach);
  }
  return static_cast<double>(open) / n;
}

Vec3 Shot::lifted(const Hit& hit) const { return hit.pos + 2e-4 * r_.scene().extent * hit.normal; }

bool Shot::reaches(const Lamp& lamp, const Hit& hit, std::uint64_t seed, Vec3& toLamp, double& share) const {
  double distance = kFar;
  share = 1;
  if (lamp.directional) {
    toLamp = -lamp.dir;
  } else {
    toLamp = lamp.pos - hit.pos;
    distance = toLamp.norm();
    if (distance < kMinVal) return false;
    toLamp /= distance;
    const double fade = lamp.attenuation[0] + distance * (lamp.attenuation[1] + distance * lamp.attenuation[2]);
    share = fade > 0 ? 1 / fade : 1;
    if (lamp.spot) {
      const double cosine = -toLamp.dot(lamp.dir);
      if (cosine <= lamp.cosCutoff) return false;
      share *= raise(cosine, lamp.exponent);
    }
  }
  if (hit.normal.dot(toLamp) <= 0) return false;
  if (!lamp.shadow) return true;
  Vec3 target = toLamp;
  const int sample = static_cast<int>(seed % 64);
  if (!lamp.directional && lamp.radius > 0 && sample > 0) {
    // the first ray goes to the middle of the bulb, others to places spread over it: the same in every pixel
    Vec3 a, b;
    across(toLamp, a, b);
    const double s = lamp.radius * std::sqrt((sample - 0.5) / std::clamp(options_.samples, 1, 63));
    const double phi = 2.399963229728653 * sample;
    target = toLamp * distance + s * (std::cos(phi) * a + std::sin(phi) * b);
    distance = target.norm();
    target /= distance;
  }
  return !r_.occluded(lifted(hit), target, distance);
}

Rgb Shot::shade(const Hit& hit, const Vec3& d, const Rgb& base, std::uint64_t seed, std::uint64_t& reached) const {
  const SceneMaterial* material = r_.materialOf(*hit.surface);
  const double specular = material ? material->specular : 0.5;
  const double exponent = 128 * (material ? material->shininess : 0.5);
  Rgb color = base * hit.surface->emission;
  const double open = openness(hit, seed);
  for (std::size_t i = 0; i < lamps_.size(); ++i) {
    const Lamp& lamp = lamps_[i];
    color += open * lamp.ambient * base;
    Vec3 toLamp;
    double share = 1;
    if (!reaches(lamp, hit, seed, toLamp, share)) continue;
    reached |= std::uint64_t{1} << (i % 64);
    const double cosine = hit.normal.dot(toLamp);
    color += (0.5 + 0.5 * open) * share * cosine * lamp.diffuse * base;
    if (specular > 0) {
      // x^e <= exp(-e (1 - x)): beyond 12 it is far below a step of 8 bits. Most points are told apart without a root
      const Vec3 between = toLamp - d;
      const double along = hit.normal.dot(between), least = std::max(0.0, 1 - 12 / exponent) * (1 - 1e-9);
      if (along > 0 && along * along >= least * least * between.squaredNorm()) {
        const double half = hit.normal.dot(between.normalized());
        if (half > 0 && exponent * (1 - half) < 12) color += share * specular * raise(half, exponent) * lamp.specular;
      }
    }
  }
  return color;
}

Rgb Shot::radiance(Vec3 o, const Vec3& d, double tmin, double tmax, double footprintScale, double footprintStart,
                   int bounces, std::uint64_t seed, std::uint64_t& kind) const {
  Rgb color = Rgb::Zero();
  double through = 1, travelled = 0;
  for (int layer = 0; layer < kMaxLayers && through > 1e-3; ++layer) {
    Hit hit;
    if (!r_.trace(o, d, tmin, tmax - travelled, hit)) break;
    const double distance = travelled + hit.t;
    const double footprint = footprintStart + footprintScale * distance;
    const Color rgba = base(hit, d, footprint);
    std::uint64_t reached = 0;
    Rgb lit = shade(hit, d, toRgb(rgba), seed + 64 * 7919 * static_cast<std::uint64_t>(layer), reached);
    kind = mixed(kind, r_.indexOf(*hit.surface), reached);
    for (const double n : {hit.normal.x(), hit.normal.y(), hit.normal.z()}) {
      kind = mixed(kind, std::bit_cast<std::uint64_t>(n), 0);
    }
    // not filtered: there colours decide; in a mirror they count for less
    if (hit.surface->map == TextureMap::Cube && bounces > 0) kind = mixed(kind, seed, 1);
    const SceneMaterial* material = r_.materialOf(*hit.surface);
    if (material && material->reflectance > 0 && hit.surface->reflects && bounces > 0 && options_.reflections) {
      const Vec3 mirrored = d - 2 * d.dot(hit.normal) * hit.normal;
      const Rgb seen = radiance(lifted(hit), mirrored, 0, view_.zfar, footprintScale, footprint, bounces - 1,
                                seed + 64 * 104729, kind);
      lit = (1 - material->reflectance) * lit + material->reflectance * seen;
    }
    if (hit.endless && options_.haze) {
      const double width = std::max(1e-6, r_.scene().visual.haze);
      const double t = std::clamp((distance / view_.zfar - (1 - width)) / width, 0.0, 1.0);
      lit += t * (haze() - lit);
    }
    const double alpha = std::clamp(static_cast<double>(rgba[3]), 0.0, 1.0);
    color += through * alpha * lit;
    through *= 1 - alpha;
    // go on behind what was met
    travelled = distance;
    o = hit.pos;
    tmin = 1e-5 * r_.scene().extent;
  }
  if (through > 1e-3) {
    color += through * sky(d);
    kind = mixed(kind, r_.scene().skybox >= 0 && bounces > 0 ? seed : 0, 2);
  }
  return color;
}

Rgb Shot::colorAt(double x, double y, std::uint64_t seed, std::uint64_t& kind) const {
  kind = 0;
  Vec3 o, d;
  double scale = 1;
  ray(x, y, o, d, scale);
  const double angle = view_.orthographic ? 0 : dy_, start = view_.orthographic ? dy_ : 0;
  return radiance(o, d, view_.znear * scale, view_.zfar * scale, angle, start, 1, seed, kind).min(1).max(0);
}

}  // namespace sinew::render
