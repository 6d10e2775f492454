#pragma once

#include <cstdint>
#include <vector>

#include "render/ray_scene.h"
#include "sinew/renderer.h"

/// From a point of the picture to a colour.
namespace sinew::render {

using Rgb = Eigen::Array3d;

/// A light as the shader wants it.
struct Lamp {
  bool directional = false, spot = false, shadow = false;
  Vec3 pos = Vec3::Zero(), dir = -Vec3::UnitZ();
  double cosCutoff = -1, exponent = 0, radius = 0;
  Eigen::Array3d attenuation{1, 0, 0};
  Rgb ambient, diffuse, specular;
};

/// One picture: what does not change while its pixels are computed.
class Shot {
 public:
  /// All of them must outlive the Shot.
  Shot(const RayScene& scene, const RenderOptions& options, const View& view, int width, int height);

  /// What is seen at a point of the image, in pixels from the top left corner, and its distance along the view axis
  /// (zfar: nothing).
  bool first(double x, double y, Hit& hit, double& depth) const;
  /// The colour there, 0 to 1. Samples of one pixel have seeds 64 i + s: the s-th looks at the s-th place of a lamp.
  /// `kind` tells what is seen: surfaces, their normals, which lamps reach them, what they mirror. Where it is equal in
  /// two pixels, only filtered textures and smooth changes of light lie between them, and no edge.
  Rgb colorAt(double x, double y, std::uint64_t seed, std::uint64_t& kind) const;

 private:
  void makeLamps();
  /// The ray through a point of the image: origin, unit direction, length of the direction per unit of depth.
  void ray(double x, double y, Vec3& o, Vec3& d, double& scale) const;
  Rgb sky(const Vec3& d) const;
  Rgb haze() const;
  /// RGBA of the surface without light.
  Color base(const Hit& hit, const Vec3& d, double footprint) const;
  Color planarTexel(const Hit& hit, const Vec3& d, double footprint, const TexturePyramid& pyramid) const;
  /// 1: open sky above the point, 0: closed in.
  double openness(const Hit& hit, std::uint64_t seed) const;
  Vec3 lifted(const Hit& hit) const;
  /// Light of one lamp that arrives at the hit: direction and share; false: none.
  bool reaches(const Lamp& lamp, const Hit& hit, std::uint64_t seed, Vec3& toLamp, double& share) const;
  Rgb shade(const Hit& hit, const Vec3& d, const Rgb& base, std::uint64_t seed, std::uint64_t& reached) const;
  Rgb radiance(Vec3 o, const Vec3& d, double tmin, double tmax, double footprintScale, double footprintStart,
               int bounces, std::uint64_t seed, std::uint64_t& kind) const;

  const RayScene& r_;
  const RenderOptions& options_;
  const View& view_;
  Vec3 eye_, right_, up_, forward_;
  double dx_, dy_;  ///< size of a pixel at distance 1 (orthographic: in m)
  std::vector<Lamp> lamps_;
};

/// Radical inverse: the i-th number of a sequence that fills [0, 1) evenly.
double halton(int i, int base);

}  // namespace sinew::render
