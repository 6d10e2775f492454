#pragma once

#include <embree3/rtcore.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "math/types.h"
#include "render/primitives.h"
#include "render/texture_pyramid.h"
#include "sinew/scene.h"

/// What rays meet: a Scene and a Frame as Embree's trees.
namespace sinew::render {

inline constexpr double kFar = 1e30;

/// How something looks: what a hit is looked up by.
struct Surface {
  ObjType type = ObjType::Unknown;
  int id = -1;
  int material = -1;
  Color rgba{0.5f, 0.5f, 0.5f, 1};
  TextureMap map = TextureMap::None;
  Vec3 texscale = Vec3::Ones();
  float emission = 0;
  bool casts = true;      ///< a shadow
  bool reflects = false;  ///< its material's reflectance is used
};

/// What a ray meets. Made for every ray: numbers have no value before something is met.
struct Hit {
  double t = 0;
  Vec3 pos, normal;                ///< unit, towards the viewer
  Vec3 local;                      ///< in the frame of the shape
  const Mat3* rotation = nullptr;  ///< of that frame
  const Surface* surface = nullptr;
  bool hasUv = false;
  bool hasColor = false;  ///< heat map
  bool endless = false;   ///< a plane without end
  double uv[2];
  double uvDensity;  ///< texture coordinate per metre
  Color color;
};

/// Two unit vectors across n.
void across(const Vec3& n, Vec3& a, Vec3& b);

template <class T>
struct Release;
#define SINEW_RELEASE(type, call)                  \
  template <>                                      \
  struct Release<type> {                           \
    using pointer = type;                          \
    void operator()(type handle) { call(handle); } \
  }
SINEW_RELEASE(RTCDevice, rtcReleaseDevice);
SINEW_RELEASE(RTCScene, rtcReleaseScene);
SINEW_RELEASE(RTCGeometry, rtcReleaseGeometry);
#undef SINEW_RELEASE
template <class T>
using Handle = std::unique_ptr<T, Release<T>>;

/// The things of a scene at one time. Meshes are prepared once; poses and soft surfaces are updated in place.
class RayScene {
 public:
  /// Throws std::invalid_argument without a scene, std::runtime_error if Embree does not start.
  explicit RayScene(std::shared_ptr<const Scene> scene);

  /// Takes over a frame. Throws std::invalid_argument if it was not filled for this scene.
  void update(const Frame& frame);
  bool isUpdated() const { return updated_; }

  /// The nearest thing along a ray of unit direction.
  bool trace(const Vec3& o, const Vec3& d, double tmin, double tmax, Hit& hit) const;
  /// Whether something that casts shadows is on the ray before tmax.
  bool occluded(const Vec3& o, const Vec3& d, double tmax) const;

  const Scene& scene() const { return *scene_; }
  const SceneMaterial* materialOf(const Surface& surface) const {
    return surface.material >= 0 ? &scene_->materials[surface.material] : nullptr;
  }
  /// Which surface of the frame it is.
  std::uint64_t indexOf(const Surface& surface) const {
    return static_cast<std::uint64_t>(&surface - surfaces_.data());
  }
  const TexturePyramid& pyramid(std::size_t texture) const { return pyramids_[texture]; }
  Vec3 lightPos(std::size_t i) const { return ConstMapVec3(&lightPos_[3 * i]); }
  Vec3 lightDir(std::size_t i) const { return ConstMapVec3(&lightDir_[3 * i]); }
  bool hasEndless() const { return hasEndless_; }  ///< a plane without end

 private:
  /// Something made of triangles in the tree.
  struct Triangles {
    const SceneMesh* mesh = nullptr;  ///< an instance of it
    const SceneFlex* flex = nullptr;
    const SceneSkin* skin = nullptr;
    int surface = 0;
    Handle<RTCGeometry> geometry;
    bool visible = false;
    Vec3 pos = Vec3::Zero();
    Mat3 rotation = Mat3::Identity();
  };

  Handle<RTCScene> meshScene(const SceneMesh& mesh);
  int addSurface(Surface surface);
  void requireFilled(const Frame& frame) const;
  void addInstances(const Frame& frame);
  void addPrimitive(const Primitive& p);
  void placeMesh(std::size_t i, const SceneInstance& instance, int surface, const Vec3& pos, const Mat3& R,
                 bool visible);
  Triangles& slot(std::size_t i);
  void placeSoft(Triangles& entry, const std::vector<std::uint32_t>& indices, const float* position,
                 std::size_t vertices, int surface, bool visible);
  void addFlexes(const Frame& frame);
  void addTubes(const SceneFlex& flex, int surface);
  void addSkins(const Frame& frame);
  void addTendons(const Frame& frame);
  void addDecorations(const Frame& frame);
  void addCapsule(const Vec3& a, const Vec3& b, double radius, int surface);
  void setPrimitives(Handle<RTCGeometry>& geometry, std::vector<Primitive>& list);
  Handle<RTCScene> newTree();
  bool casts(const Triangles& t) const;
  void buildTrees();

  /// Whether a ray may meet what is in a tree; exact to more than the tree's own single precision.
  static bool isNear(const RTCBounds& box, const Vec3& o, const Vec3& d, double tmax);

  Color heatOf(double value) const;
  void fromPrimitive(const Primitive& p, const Vec3& o, const Vec3& d, double tmin, double tmax, Hit& hit) const;
  void traceTree(const Vec3& o, const Vec3& d, double tmin, Hit& hit) const;
  void fromTriangle(const Triangles& entry, const RTCHit& h, Hit& hit) const;

  std::shared_ptr<const Scene> scene_;
  bool updated_ = false;
  Handle<RTCDevice> device_;
  std::vector<Handle<RTCScene>> meshScenes_;
  std::vector<TexturePyramid> pyramids_;

  // what changes from frame to frame
  std::vector<Surface> surfaces_;      ///< of instances, then flexes, then skins, then the rest
  std::vector<Primitive> primitives_;  ///< bounded ones
  std::vector<Primitive> shadowCasters_;
  std::vector<Primitive> planes_;
  std::vector<double> lightPos_, lightDir_;
  std::vector<Triangles> triangles_;
  std::vector<int> triangleOf_;  ///< of geomID in the tree: index into triangles_, -1: the primitives
  Handle<RTCScene> tree_, shadowTree_;
  RTCBounds treeBox_{}, shadowBox_{};  ///< around all that is in the trees, a little larger
  std::vector<int> attached_;          ///< triangles in the trees
  bool separateShadows_ = false;
  Handle<RTCGeometry> primitiveGeometry_, shadowGeometry_;
  std::vector<float> flexPosition_, flexNormal_, flexValue_, skinPosition_, skinNormal_;
  std::array<double, 2> flexRange_{0, 1};
  bool hasEndless_ = false;
};

}  // namespace sinew::render
