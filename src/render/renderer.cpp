#include "sinew/renderer.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <thread>

#include "math/types.h"
#include "render/primitives.h"
#include "render/texture_pyramid.h"

namespace sinew {
namespace {

using render::Primitive;
using render::PrimitiveHit;
using render::TexturePyramid;
using Vec3f = Eigen::Vector3f;

constexpr int kMaxSide = 16384;
constexpr int kMaxLayers = 12;  ///< transparent things along a ray
constexpr double kFar = 1e30;

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

/// What a ray meets.
struct Hit {
  double t = 0;
  Vec3 pos = Vec3::Zero(), normal = Vec3::Zero();  ///< unit, towards the viewer
  Vec3 local = Vec3::Zero();                       ///< in the frame of the shape
  Mat3 rotation = Mat3::Identity();                ///< of that frame
  const Surface* surface = nullptr;
  bool hasUv = false;
  double uv[2] = {0, 0};
  double uvDensity = 0;   ///< texture coordinate per metre
  bool hasColor = false;  ///< heat map
  Color color{};
  bool endless = false;  ///< a plane without end
};

using Rgb = Eigen::Array3d;

/// A light as the shader wants it.
struct Lamp {
  bool directional = false, spot = false, shadow = false;
  Vec3 pos = Vec3::Zero(), dir = -Vec3::UnitZ();
  double cosCutoff = -1, exponent = 0, radius = 0;
  Eigen::Array3d attenuation{1, 0, 0};
  Rgb ambient, diffuse, specular;
};

Rgb toRgb(const Float3& c) { return {c[0], c[1], c[2]}; }
Rgb toRgb(const Color& c) { return {c[0], c[1], c[2]}; }

double toLinear(double c) {
  c = std::clamp(c, 0.0, 1.0);
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double toSrgb(double c) { return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055; }

/// A number in [0, 1) from what is being drawn: the same in every run and on every thread.
double scatter(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h =
      a * 0x9e3779b97f4a7c15ull + b * 0xc2b2ae3d27d4eb4full + c * 0x165667b19e3779f9ull + 0x27d4eb2f165667c5ull;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return static_cast<double>((h ^ (h >> 33)) >> 11) * 0x1p-53;
}

/// Radical inverse: the i-th number of a sequence that fills [0, 1) evenly.
double halton(int i, int base) {
  double f = 1, r = 0;
  for (; i > 0; i /= base) f /= base, r += f * (i % base);
  return r;
}

/// Two unit vectors across n.
void across(const Vec3& n, Vec3& a, Vec3& b) {
  a = (std::abs(n.x()) > 0.6 ? Vec3::UnitY() : Vec3::UnitX()).cross(n).normalized();
  b = n.cross(a);
}

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
  std::shared_ptr<const Scene> scene;
  int width, height;
  RenderOptions options;
  bool updated = false;

  Handle<RTCDevice> device;
  std::vector<Handle<RTCScene>> meshScenes;

  // what changes from frame to frame
  std::vector<Surface> surfaces;      ///< of instances, then flexes, then skins, then the rest
  std::vector<Primitive> primitives;  ///< bounded ones
  std::vector<Primitive> shadowCasters;
  std::vector<Primitive> planes;
  std::vector<double> lightPos, lightDir;

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
  std::vector<Triangles> triangles;
  std::vector<int> triangleOf;  ///< of geomID in the tree: index into triangles, -1: the primitives
  Handle<RTCScene> tree, shadowTree;
  std::vector<int> attached;  ///< triangles in the trees
  bool separateShadows = false;
  Handle<RTCGeometry> primitiveGeometry, shadowGeometry;

  std::vector<float> flexPosition, flexNormal, flexValue, skinPosition, skinNormal;
  std::array<double, 2> flexRange{0, 1};
  std::vector<TexturePyramid> pyramids;
  bool hasEndless = false;

  Impl(std::shared_ptr<const Scene> s, int w, int h, const RenderOptions& o)
      : scene(std::move(s)), width(w), height(h), options(o) {
    if (!scene) throw std::invalid_argument("a renderer needs a scene");
    requireSize(width, height);
    device.reset(rtcNewDevice(nullptr));
    if (!device)
      throw std::runtime_error(
          fmt::format("Embree could not start: error {}", static_cast<int>(rtcGetDeviceError(nullptr))));
    for (const SceneTexture& texture : scene->textures) pyramids.emplace_back(texture);
    for (const SceneMesh& mesh : scene->meshes) meshScenes.push_back(meshScene(mesh));
  }

  /// The tree is built on one thread: the order of equal hits, and with it every bit of the picture, depends on it.
  static void commit(RTCScene s) {
    tbb::task_arena one(1);
    one.execute([&] { rtcJoinCommitScene(s); });
  }

  static void share(RTCGeometry g, RTCBufferType type, RTCFormat format, const void* data, std::size_t count) {
    rtcSetSharedGeometryBuffer(g, type, 0, format, data, 0, 12, count);
  }

  Handle<RTCScene> meshScene(const SceneMesh& mesh) {
    Handle<RTCScene> s(rtcNewScene(device.get()));
    rtcSetSceneFlags(s.get(), RTC_SCENE_FLAG_ROBUST);
    Handle<RTCGeometry> g(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    // copies, because the tree may read a little beyond the end
    float* v = static_cast<float*>(rtcSetNewGeometryBuffer(g.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12,
                                                           std::max<std::size_t>(1, mesh.positions.size() / 3)));
    std::copy(mesh.positions.begin(), mesh.positions.end(), v);
    auto* f = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        g.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, std::max<std::size_t>(1, mesh.indices.size() / 3)));
    std::fill(f, f + 3, 0u);
    std::copy(mesh.indices.begin(), mesh.indices.end(), f);
    rtcCommitGeometry(g.get());
    rtcAttachGeometry(s.get(), g.get());
    commit(s.get());
    return s;
  }

  // -------------------------------------------------------------------------------------------- frames

  const SceneMaterial* materialOf(const Surface& surface) const {
    return surface.material >= 0 ? &scene->materials[static_cast<std::size_t>(surface.material)] : nullptr;
  }

  int addSurface(Surface surface) {
    const SceneMaterial* material = materialOf(surface);
    if (material) surface.emission = material->emission;
    surface.casts = surface.rgba[3] >= 1;
    surfaces.push_back(surface);
    return static_cast<int>(surfaces.size()) - 1;
  }

  void requireFilled(const Frame& frame) const {
    const bool fits =
        frame.instanceVisible.size() == scene->instances.size() && frame.flexVisible.size() == scene->flexes.size() &&
        frame.skinVisible.size() == scene->skins.size() && frame.lightPos.size() == 3 * scene->lights.size() &&
        frame.flexPosition.size() == 3 * static_cast<std::size_t>(scene->numFlexVertices);
    if (!fits) throw std::invalid_argument("the frame was not filled for this scene by updateFrame()");
  }

  void addInstances(const Frame& frame) {
    for (std::size_t i = 0; i < scene->instances.size(); ++i) {
      const SceneInstance& instance = scene->instances[i];
      Surface surface{instance.object.type, instance.object.id, instance.material, frame.instanceRgba[i], instance.map};
      surface.texscale = {instance.texscale[0], instance.texscale[1], instance.texscale[2]};
      surface.reflects = instance.shape == Shape::Plane || instance.shape == Shape::Box;
      const int index = addSurface(surface);
      const Vec3 pos = ConstMapVec3(&frame.instancePos[3 * i]);
      const Mat3 R = ConstMapMat3(&frame.instanceMat[9 * i]);
      if (instance.shape == Shape::Mesh) {
        placeMesh(i, instance, index, pos, R, frame.instanceVisible[i] != 0);
      } else if (frame.instanceVisible[i]) {
        addPrimitive({instance.shape, Vec3(instance.size[0], instance.size[1], instance.size[2]), pos, R, index});
      }
    }
  }

  void addPrimitive(const Primitive& p) {
    if (p.shape == Shape::Plane) {
      planes.push_back(p);
      hasEndless = hasEndless || p.size[0] <= 0 || p.size[1] <= 0;
      return;
    }
    primitives.push_back(p);
    if (surfaces[static_cast<std::size_t>(p.surface)].casts) shadowCasters.push_back(p);
  }

  /// Meshes are instances of a tree of their own; only their transform changes.
  void placeMesh(std::size_t i, const SceneInstance& instance, int surface, const Vec3& pos, const Mat3& R,
                 bool visible) {
    Triangles& entry = slot(i);
    if (!entry.geometry) {
      entry.geometry.reset(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_INSTANCE));
      rtcSetGeometryInstancedScene(entry.geometry.get(), meshScenes[static_cast<std::size_t>(instance.mesh)].get());
      rtcSetGeometryTimeStepCount(entry.geometry.get(), 1);
      entry.mesh = &scene->meshes[static_cast<std::size_t>(instance.mesh)];
    }
    entry.surface = surface;
    entry.visible = visible;
    entry.pos = pos;
    entry.rotation = R;
    float transform[12];
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) transform[3 * c + r] = static_cast<float>(R(r, c));
    }
    for (int r = 0; r < 3; ++r) transform[9 + r] = static_cast<float>(pos[r]);
    rtcSetGeometryTransform(entry.geometry.get(), 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, transform);
    rtcCommitGeometry(entry.geometry.get());
  }

  /// The place for instance i, or for a flex or skin after all instances.
  Triangles& slot(std::size_t i) {
    const std::size_t count = scene->instances.size() + scene->flexes.size() + scene->skins.size();
    if (triangles.size() != count) triangles.resize(count);
    return triangles[i];
  }

  /// A soft surface: the same triangles over vertices that moved. The tree is refitted, not built anew.
  void placeSoft(Triangles& entry, const std::vector<std::uint32_t>& indices, const float* position,
                 std::size_t vertices, int surface, bool visible) {
    entry.surface = surface;
    entry.visible = visible && !indices.empty();
    if (!entry.visible) return;
    const bool isNew = !entry.geometry;
    if (isNew) {
      entry.geometry.reset(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
      RTCGeometry g = entry.geometry.get();
      rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, vertices);
      auto* f = static_cast<std::uint32_t*>(
          rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, indices.size() / 3));
      std::copy(indices.begin(), indices.end(), f);
      rtcSetGeometryBuildQuality(g, RTC_BUILD_QUALITY_REFIT);
    }
    RTCGeometry g = entry.geometry.get();
    std::copy(position, position + 3 * vertices,
              static_cast<float*>(rtcGetGeometryBufferData(g, RTC_BUFFER_TYPE_VERTEX, 0)));
    rtcUpdateGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(g);
  }

  void addFlexes(const Frame& frame) {
    flexPosition = frame.flexPosition;
    flexNormal = frame.flexNormal;
    flexValue = frame.flexValue;
    flexRange = frame.flexRange;
    for (std::size_t i = 0; i < scene->flexes.size(); ++i) {
      const SceneFlex& flex = scene->flexes[i];
      const int surface = addSurface({ObjType::Flex, flex.object.id, flex.material, flex.rgba, flex.map});
      const bool visible = frame.flexVisible[i] != 0;
      if (flex.dim == 1) {
        if (visible) addTubes(flex, surface);
        continue;
      }
      Triangles& entry = slot(scene->instances.size() + i);
      entry.flex = &flex;
      placeSoft(entry, flex.indices, flexPosition.data() + 3 * flex.vertexAdr, static_cast<std::size_t>(flex.vertexNum),
                surface, visible);
    }
  }

  void addTubes(const SceneFlex& flex, int surface) {
    for (std::size_t k = 0; k + 1 < flex.lines.size(); k += 2) {
      int own = surface;
      if (!flexValue.empty()) {
        const auto value = [&](std::size_t e) {
          return flexValue[static_cast<std::size_t>(flex.vertexAdr) + flex.lines[e]];
        };
        Surface colored = surfaces[static_cast<std::size_t>(surface)];
        colored.rgba = heatOf(0.5 * (value(k) + value(k + 1)));
        colored.material = -1;
        colored.map = TextureMap::None;
        own = addSurface(colored);
      }
      const auto at = [&](std::size_t e) -> Vec3 {
        return Eigen::Map<const Vec3f>(flexPosition.data() +
                                       3 * (static_cast<std::size_t>(flex.vertexAdr) + flex.lines[e]))
            .cast<double>();
      };
      addCapsule(at(k), at(k + 1), flex.radius, own);
    }
  }

  Color heatOf(double value) const {
    const double span = flexRange[1] - flexRange[0];
    return heatColor(span > 0 ? (value - flexRange[0]) / span : 0);
  }

  void addCapsule(const Vec3& a, const Vec3& b, double radius, int surface) {
    const Vec3 axis = b - a;
    const double length = axis.norm();
    Mat3 R = Mat3::Identity();
    if (length > kMinVal) {
      const Vec3 z = axis / length;
      Vec3 x, y;
      across(z, x, y);
      R.col(0) = x, R.col(1) = y, R.col(2) = z;
    }
    if (radius > 0) addPrimitive({Shape::Capsule, Vec3(radius, length / 2, 0), (a + b) / 2, R, surface});
  }

  void addSkins(const Frame& frame) {
    skinPosition = frame.skinPosition;
    skinNormal = frame.skinNormal;
    for (std::size_t i = 0; i < scene->skins.size(); ++i) {
      const SceneSkin& skin = scene->skins[i];
      const int surface = addSurface({ObjType::Skin, skin.object.id, skin.material, skin.rgba, skin.map});
      Triangles& entry = slot(scene->instances.size() + scene->flexes.size() + i);
      entry.skin = &skin;
      placeSoft(entry, skin.indices, skinPosition.data() + 3 * skin.vertexAdr, static_cast<std::size_t>(skin.vertexNum),
                surface, frame.skinVisible[i] != 0);
    }
  }

  void addTendons(const Frame& frame) {
    for (std::size_t t = 0; t < scene->tendons.size(); ++t) {
      if (!frame.tendonVisible[t]) continue;
      const SceneTendon& tendon = scene->tendons[t];
      const int surface = addSurface({ObjType::Tendon, tendon.object.id, tendon.material, frame.tendonRgba[t]});
      for (int k = frame.tendonAdr[t]; k < frame.tendonAdr[t + 1]; ++k) {
        const Eigen::Map<const Vec3f> a(&frame.tendonSegment[6 * static_cast<std::size_t>(k)]), b(a.data() + 3);
        addCapsule(a.cast<double>(), b.cast<double>(), frame.tendonRadius[t], surface);
      }
    }
  }

  void addDecorations(const Frame& frame) {
    for (const Decoration& d : frame.decorations) {
      Surface surface{d.type, d.id, -1, d.rgba};
      const int index = addSurface(surface);
      surfaces.back().emission = d.emission;
      surfaces.back().casts = false;
      addPrimitive({d.shape, Vec3(d.size[0], d.size[1], d.size[2]), ConstMapVec3(d.pos.data()),
                    ConstMapMat3(d.mat.data()), index});
    }
  }

  static void onBounds(const RTCBoundsFunctionArguments* args) {
    const auto& list = *static_cast<const std::vector<Primitive>*>(args->geometryUserPtr);
    Vec3 lower, upper;
    render::bounds(list[args->primID], lower, upper);
    *args->bounds_o = {static_cast<float>(lower.x()), static_cast<float>(lower.y()), static_cast<float>(lower.z()), 0,
                       static_cast<float>(upper.x()), static_cast<float>(upper.y()), static_cast<float>(upper.z()), 0};
  }

  static bool meet(const Primitive& p, const RTCRay& ray, PrimitiveHit& hit) {
    const Vec3 o = p.rotation.transpose() * (Vec3(ray.org_x, ray.org_y, ray.org_z) - p.pos);
    const Vec3 d = p.rotation.transpose() * Vec3(ray.dir_x, ray.dir_y, ray.dir_z);
    return render::intersect(p, o, d, ray.tnear, ray.tfar, hit);
  }

  static void onIntersect(const RTCIntersectFunctionNArguments* args) {
    if (!args->valid[0]) return;
    const auto& list = *static_cast<const std::vector<Primitive>*>(args->geometryUserPtr);
    auto* rayhit = reinterpret_cast<RTCRayHit*>(args->rayhit);
    PrimitiveHit hit;
    if (!meet(list[args->primID], rayhit->ray, hit)) return;
    rayhit->ray.tfar = static_cast<float>(hit.t);
    rayhit->hit.primID = args->primID;
    rayhit->hit.geomID = args->geomID;
    rayhit->hit.instID[0] = args->context->instID[0];
  }

  static void onOccluded(const RTCOccludedFunctionNArguments* args) {
    if (!args->valid[0]) return;
    const auto& list = *static_cast<const std::vector<Primitive>*>(args->geometryUserPtr);
    auto* ray = reinterpret_cast<RTCRay*>(args->ray);
    PrimitiveHit hit;
    if (meet(list[args->primID], *ray, hit)) ray->tfar = -std::numeric_limits<float>::infinity();
  }

  void setPrimitives(Handle<RTCGeometry>& geometry, std::vector<Primitive>& list) {
    if (!geometry) {
      geometry.reset(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_USER));
      rtcSetGeometryBoundsFunction(geometry.get(), onBounds, nullptr);
      rtcSetGeometryIntersectFunction(geometry.get(), onIntersect);
      rtcSetGeometryOccludedFunction(geometry.get(), onOccluded);
    }
    rtcSetGeometryUserPrimitiveCount(geometry.get(), static_cast<unsigned>(list.size()));
    rtcSetGeometryUserData(geometry.get(), &list);
    rtcCommitGeometry(geometry.get());
  }

  Handle<RTCScene> newTree() {
    Handle<RTCScene> s(rtcNewScene(device.get()));
    rtcSetSceneFlags(s.get(), RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_ROBUST);
    return s;
  }

  bool casts(const Triangles& t) const { return surfaces[static_cast<std::size_t>(t.surface)].casts; }

  void buildTrees() {
    std::vector<int> now;
    bool separate = primitives.size() != shadowCasters.size();
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      if (!triangles[i].visible) continue;
      now.push_back(static_cast<int>(i));
      separate = separate || !casts(triangles[i]);
    }
    setPrimitives(primitiveGeometry, primitives);
    if (separate) setPrimitives(shadowGeometry, shadowCasters);
    if (!tree || now != attached || separate != separateShadows) {
      attached = now;
      separateShadows = separate;
      tree = newTree();
      triangleOf.assign(1, -1);
      rtcAttachGeometryByID(tree.get(), primitiveGeometry.get(), 0);
      for (const int i : attached) {
        rtcAttachGeometryByID(tree.get(), triangles[static_cast<std::size_t>(i)].geometry.get(),
                              static_cast<unsigned>(triangleOf.size()));
        triangleOf.push_back(i);
      }
      shadowTree.reset();
      if (separate) {
        shadowTree = newTree();
        rtcAttachGeometry(shadowTree.get(), shadowGeometry.get());
        for (const int i : attached) {
          const Triangles& t = triangles[static_cast<std::size_t>(i)];
          if (casts(t)) rtcAttachGeometry(shadowTree.get(), t.geometry.get());
        }
      }
    }
    commit(tree.get());
    if (shadowTree) commit(shadowTree.get());
  }

  void update(const Frame& frame) {
    requireFilled(frame);
    surfaces.clear();
    primitives.clear();
    shadowCasters.clear();
    planes.clear();
    hasEndless = false;
    addInstances(frame);
    addFlexes(frame);
    addSkins(frame);
    addTendons(frame);
    addDecorations(frame);
    lightPos = frame.lightPos;
    lightDir = frame.lightDir;
    buildTrees();
    updated = true;
  }

  // -------------------------------------------------------------------------------------------- rays

  static RTCRay makeRay(const Vec3& o, const Vec3& d, double tmin, double tmax) {
    RTCRay ray;
    ray.org_x = static_cast<float>(o.x()), ray.org_y = static_cast<float>(o.y()), ray.org_z = static_cast<float>(o.z());
    ray.dir_x = static_cast<float>(d.x()), ray.dir_y = static_cast<float>(d.y()), ray.dir_z = static_cast<float>(d.z());
    ray.tnear = static_cast<float>(tmin);
    ray.tfar = static_cast<float>(std::min(tmax, kFar));
    ray.time = 0;
    ray.mask = 0xffffffffu;
    ray.id = 0;
    ray.flags = 0;
    return ray;
  }

  void fromPrimitive(const Primitive& p, const Vec3& o, const Vec3& d, double tmin, double tmax, Hit& hit) const {
    const Vec3 lo = p.rotation.transpose() * (o - p.pos), ld = p.rotation.transpose() * d;
    PrimitiveHit exact;
    if (!render::intersect(p, lo, ld, tmin, tmax, exact)) return;
    hit.t = exact.t;
    hit.local = lo + exact.t * ld;
    hit.rotation = p.rotation;
    hit.normal = p.rotation * exact.normal;
    hit.surface = &surfaces[static_cast<std::size_t>(p.surface)];
  }

  /// Corners of a triangle of a soft surface or mesh, interpolated.
  void fromTriangle(const Triangles& entry, const RTCHit& h, Hit& hit) const {
    const std::vector<std::uint32_t>& indices = entry.mesh   ? entry.mesh->indices
                                                : entry.flex ? entry.flex->indices
                                                             : entry.skin->indices;
    const std::vector<float>& uv = entry.mesh ? entry.mesh->uv : entry.flex ? entry.flex->uv : entry.skin->uv;
    const float* position = entry.mesh   ? entry.mesh->positions.data()
                            : entry.flex ? flexPosition.data() + 3 * entry.flex->vertexAdr
                                         : skinPosition.data() + 3 * entry.skin->vertexAdr;
    const float* normal = entry.mesh   ? entry.mesh->normals.data()
                          : entry.flex ? flexNormal.data() + 3 * entry.flex->vertexAdr
                                       : skinNormal.data() + 3 * entry.skin->vertexAdr;
    const std::uint32_t* v = indices.data() + 3 * static_cast<std::size_t>(h.primID);
    const double w[3] = {1.0 - h.u - h.v, h.u, h.v};
    Vec3 p = Vec3::Zero(), n = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      p += w[k] * Eigen::Map<const Vec3f>(position + 3 * v[k]).cast<double>();
      n += w[k] * Eigen::Map<const Vec3f>(normal + 3 * v[k]).cast<double>();
    }
    const Vec3 geometric(h.Ng_x, h.Ng_y, h.Ng_z);
    if (n.squaredNorm() < 1e-12) n = geometric;
    hit.local = p;
    hit.rotation = entry.rotation;
    hit.normal = normalizedOrX(entry.rotation * n);
    hit.surface = &surfaces[static_cast<std::size_t>(entry.surface)];
    if (!uv.empty() && hit.surface->map == TextureMap::Uv) {
      hit.hasUv = true;
      for (int k = 0; k < 3; ++k) {
        hit.uv[0] += w[k] * uv[2 * v[k]];
        hit.uv[1] += w[k] * uv[2 * v[k] + 1];
      }
      const auto corner = [&](int k) { return Eigen::Map<const Vec3f>(position + 3 * v[k]).cast<double>(); };
      const double area = (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
      const double a = uv[2 * v[1]] - uv[2 * v[0]], b = uv[2 * v[1] + 1] - uv[2 * v[0] + 1];
      const double c = uv[2 * v[2]] - uv[2 * v[0]], e = uv[2 * v[2] + 1] - uv[2 * v[0] + 1];
      if (area > 0) hit.uvDensity = std::sqrt(std::abs(a * e - b * c) / area);
    }
    if (entry.flex && !flexValue.empty()) {
      double value = 0;
      for (int k = 0; k < 3; ++k) value += w[k] * flexValue[static_cast<std::size_t>(entry.flex->vertexAdr) + v[k]];
      hit.hasColor = true;
      hit.color = heatOf(value);
    }
  }

  /// The nearest thing along a ray of unit direction.
  bool trace(const Vec3& o, const Vec3& d, double tmin, double tmax, Hit& hit) const {
    hit = Hit{};
    hit.t = tmax;
    for (const Primitive& p : planes) {
      if (p.rotation.col(2).dot(o - p.pos) <= 0) continue;  // planes are not seen from behind
      const double before = hit.t;
      fromPrimitive(p, o, d, tmin, before, hit);
      if (hit.t < before) hit.endless = p.size[0] <= 0 || p.size[1] <= 0;
    }
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit rayhit;
    rayhit.ray = makeRay(o, d, tmin, hit.t);
    rayhit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rayhit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(tree.get(), &context, &rayhit);
    if (rayhit.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
      Hit nearer;
      const bool isInstance = rayhit.hit.instID[0] != RTC_INVALID_GEOMETRY_ID;
      const unsigned geometry = isInstance ? rayhit.hit.instID[0] : rayhit.hit.geomID;
      if (geometry == 0) {
        fromPrimitive(primitives[rayhit.hit.primID], o, d, tmin, kFar, nearer);
        if (!nearer.surface) nearer.t = rayhit.ray.tfar;
      } else {
        nearer.t = rayhit.ray.tfar;
        fromTriangle(triangles[static_cast<std::size_t>(triangleOf[geometry])], rayhit.hit, nearer);
      }
      if (nearer.surface) hit = nearer;
    }
    if (!hit.surface) return false;
    hit.pos = o + hit.t * d;
    if (hit.normal.dot(d) > 0) hit.normal = -hit.normal;
    return true;
  }

  bool occluded(const Vec3& o, const Vec3& d, double tmax) const {
    const double tmin = 1e-4 * scene->extent;
    for (const Primitive& p : planes) {
      if (!surfaces[static_cast<std::size_t>(p.surface)].casts) continue;
      if (p.rotation.col(2).dot(o - p.pos) <= 0) continue;
      PrimitiveHit hit;
      if (render::intersect(p, p.rotation.transpose() * (o - p.pos), p.rotation.transpose() * d, tmin, tmax, hit)) {
        return true;
      }
    }
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay ray = makeRay(o, d, tmin, tmax);
    rtcOccluded1(shadowTree ? shadowTree.get() : tree.get(), &context, &ray);
    return ray.tfar < 0;
  }

  // -------------------------------------------------------------------------------------------- shading

  /// One picture: what does not change while its pixels are computed.
  struct Shot {
    const Impl& r;
    const View& view;
    Vec3 eye, right, up, forward;
    double dx, dy;  ///< size of a pixel at distance 1 (orthographic: in m)
    std::vector<Lamp> lamps;

    Shot(const Impl& impl, const View& v) : r(impl), view(v) {
      eye = ConstMapVec3(v.pos.data());
      const ConstMapMat3 R(v.mat.data());
      right = R.col(0), up = R.col(1), forward = -R.col(2);
      dx = (v.right - v.left) / r.width;
      dy = (v.top - v.bottom) / r.height;
      makeLamps();
    }

    void makeLamps() {
      const SceneVisual& visual = r.scene->visual;
      if (visual.headActive) {
        Lamp head;
        head.directional = true;
        head.dir = forward;
        head.ambient = toRgb(visual.headAmbient);
        head.diffuse = toRgb(visual.headDiffuse);
        head.specular = toRgb(visual.headSpecular);
        lamps.push_back(head);
      }
      for (std::size_t i = 0; i < r.scene->lights.size(); ++i) {
        const SceneLight& light = r.scene->lights[i];
        if (!light.active || light.type == LightType::Image) continue;
        Lamp lamp;
        lamp.directional = light.type == LightType::Directional;
        lamp.spot = light.type == LightType::Spot && light.cutoff < 180;
        lamp.shadow = light.castshadow && r.options.shadows;
        lamp.pos = ConstMapVec3(&r.lightPos[3 * i]);
        lamp.dir = ConstMapVec3(&r.lightDir[3 * i]);
        lamp.cosCutoff = std::cos(light.cutoff * std::numbers::pi / 180);
        lamp.exponent = light.exponent;
        lamp.radius = light.bulbradius;
        lamp.attenuation = {light.attenuation[0], light.attenuation[1], light.attenuation[2]};
        lamp.ambient = toRgb(light.ambient);
        lamp.diffuse = toRgb(light.diffuse);
        lamp.specular = toRgb(light.specular);
        lamps.push_back(lamp);
      }
    }

    /// The ray through a point of the image, in pixels from the top left corner.
    void ray(double x, double y, Vec3& o, Vec3& d, double& scale) const {
      const double a = view.left + x * dx, b = view.top - y * dy;
      if (view.orthographic) {
        o = eye + a * right + b * up;
        d = forward;
        scale = 1;
      } else {
        o = eye;
        d = a * right + b * up + forward;
        scale = d.norm();
        d /= scale;
      }
    }

    bool first(double x, double y, Hit& hit, double& depth) const {
      Vec3 o, d;
      double scale = 1;
      ray(x, y, o, d, scale);
      const bool found = r.trace(o, d, view.znear * scale, view.zfar * scale, hit);
      depth = found ? hit.t / scale : view.zfar;
      return found;
    }

    Rgb sky(const Vec3& d) const {
      const Scene& s = *r.scene;
      Rgb color;
      if (s.skybox >= 0 && r.options.textures) {
        // the y axis of a cube map points up
        color = toRgb(sampleCube(s.textures[static_cast<std::size_t>(s.skybox)], d.x(), d.z(), -d.y()));
      } else {
        const double t = std::sqrt(std::clamp(d.z(), 0.0, 1.0));
        color = (1 - t) * toRgb(r.options.horizon) + t * toRgb(r.options.zenith);
      }
      if (r.options.haze && r.hasEndless) {
        const double t = std::clamp(1 - std::abs(d.z()) / std::max(1e-6, 0.25 * s.visual.haze), 0.0, 1.0);
        color += (haze() - color) * (d.z() < 0 ? 1 : t * t);
      }
      return color;
    }

    Rgb haze() const { return r.scene->skybox >= 0 ? toRgb(r.scene->visual.hazeColor) : toRgb(r.options.horizon); }

    /// RGBA of the surface without light.
    Color base(const Hit& hit, const Vec3& d, double footprint) const {
      Color color = hit.hasColor ? hit.color : hit.surface->rgba;
      const SceneMaterial* material = r.materialOf(*hit.surface);
      if (!material || hit.hasColor || !r.options.textures || material->texture < 0) return color;
      const std::size_t texture = static_cast<std::size_t>(material->texture);
      Color texel{1, 1, 1, 1};
      const Vec3& scale = hit.surface->texscale;
      if (hit.surface->map == TextureMap::Cube) {
        const Vec3 q = scale.cwiseProduct(hit.local);
        texel = sampleCube(r.scene->textures[texture], q.x(), q.y(), q.z());
      } else if (hit.surface->map == TextureMap::Uv && hit.hasUv) {
        const double size = footprint * hit.uvDensity / std::sqrt(std::max(0.05, -hit.normal.dot(d)));
        const double du[2] = {size, 0}, dv[2] = {0, size};
        texel = r.pyramids[texture].sample(hit.uv[0], hit.uv[1], du, dv);
      } else if (hit.surface->map == TextureMap::Planar) {
        texel = planarTexel(hit, d, footprint, r.pyramids[texture]);
      } else {
        return color;
      }
      for (std::size_t k = 0; k < 4; ++k) color[k] *= texel[k];
      return color;
    }

    /// The pixel as it lies on the surface: a circle across the ray, projected along it.
    Color planarTexel(const Hit& hit, const Vec3& d, double footprint, const TexturePyramid& pyramid) const {
      const Vec3& scale = hit.surface->texscale;
      Vec3 a, b;
      across(d, a, b);
      // one axis along the slope, one across it
      const Vec3 tilt = hit.normal - hit.normal.dot(d) * d;
      if (tilt.norm() > 1e-9) a = tilt.normalized(), b = d.cross(a);
      const double cosine = std::max(1e-3, -hit.normal.dot(d));
      double axes[2][2];
      for (int k = 0; k < 2; ++k) {
        const Vec3& e = k == 0 ? a : b;
        const Vec3 on = footprint * (e + (hit.normal.dot(e) / cosine) * d);
        const Vec3 local = hit.rotation.transpose() * on;
        axes[k][0] = scale.x() * local.x();
        axes[k][1] = -scale.y() * local.y();
      }
      return pyramid.sample(scale.x() * hit.local.x() + 0.5, 0.5 - scale.y() * hit.local.y(), axes[0], axes[1]);
    }

    /// 1: open sky above the point, 0: closed in.
    double openness(const Hit& hit, std::uint64_t seed) const {
      const int n = std::clamp(r.options.occlusion, 0, 256);
      if (n == 0) return 1;
      const double reach = r.options.occlusionDistance > 0 ? r.options.occlusionDistance : 0.1 * r.scene->extent;
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
        open += !r.occluded(o, dir, reach);
      }
      return static_cast<double>(open) / n;
    }

    Vec3 lifted(const Hit& hit) const { return hit.pos + 2e-4 * r.scene->extent * hit.normal; }

    /// Light of one lamp that arrives at the hit: direction and share; false: none.
    bool reaches(const Lamp& lamp, const Hit& hit, std::uint64_t seed, Vec3& toLamp, double& share) const {
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
          share *= std::pow(cosine, lamp.exponent);
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
        const double s = lamp.radius * std::sqrt((sample - 0.5) / std::clamp(r.options.samples, 1, 63));
        const double phi = 2.399963229728653 * sample;
        target = toLamp * distance + s * (std::cos(phi) * a + std::sin(phi) * b);
        distance = target.norm();
        target /= distance;
      }
      return !r.occluded(lifted(hit), target, distance);
    }

    Rgb shade(const Hit& hit, const Vec3& d, const Rgb& base, std::uint64_t seed) const {
      const SceneMaterial* material = r.materialOf(*hit.surface);
      const double specular = material ? material->specular : 0.5;
      const double exponent = 128 * (material ? material->shininess : 0.5);
      Rgb color = base * hit.surface->emission;
      const double open = openness(hit, seed);
      for (std::size_t i = 0; i < lamps.size(); ++i) {
        const Lamp& lamp = lamps[i];
        color += open * lamp.ambient * base;
        Vec3 toLamp;
        double share = 1;
        if (!reaches(lamp, hit, seed, toLamp, share)) continue;
        const double cosine = hit.normal.dot(toLamp);
        color += (0.5 + 0.5 * open) * share * cosine * lamp.diffuse * base;
        if (specular > 0) {
          const double half = hit.normal.dot((toLamp - d).normalized());
          if (half > 0) color += share * specular * std::pow(half, exponent) * lamp.specular;
        }
      }
      return color;
    }

    Rgb radiance(Vec3 o, const Vec3& d, double tmin, double tmax, double footprintScale, double footprintStart,
                 int bounces, std::uint64_t seed) const {
      Rgb color = Rgb::Zero();
      double through = 1, travelled = 0;
      for (int layer = 0; layer < kMaxLayers && through > 1e-3; ++layer) {
        Hit hit;
        if (!r.trace(o, d, tmin, tmax - travelled, hit)) break;
        const double distance = travelled + hit.t;
        const double footprint = footprintStart + footprintScale * distance;
        const Color rgba = base(hit, d, footprint);
        Rgb lit = shade(hit, d, toRgb(rgba), seed + 64 * 7919 * static_cast<std::uint64_t>(layer));
        const SceneMaterial* material = r.materialOf(*hit.surface);
        if (material && material->reflectance > 0 && hit.surface->reflects && bounces > 0 && r.options.reflections) {
          const Vec3 mirrored = d - 2 * d.dot(hit.normal) * hit.normal;
          const Rgb seen =
              radiance(lifted(hit), mirrored, 0, view.zfar, footprintScale, footprint, bounces - 1, seed + 64 * 104729);
          lit = (1 - material->reflectance) * lit + material->reflectance * seen;
        }
        if (hit.endless && r.options.haze) {
          const double width = std::max(1e-6, r.scene->visual.haze);
          const double t = std::clamp((distance / view.zfar - (1 - width)) / width, 0.0, 1.0);
          lit += t * (haze() - lit);
        }
        const double alpha = std::clamp(static_cast<double>(rgba[3]), 0.0, 1.0);
        color += through * alpha * lit;
        through *= 1 - alpha;
        // go on behind what was met
        travelled = distance;
        o = hit.pos;
        tmin = 1e-5 * r.scene->extent;
      }
      if (through > 1e-3) color += through * sky(d);
      return color;
    }

    Rgb colorAt(double x, double y, std::uint64_t seed) const {
      Vec3 o, d;
      double scale = 1;
      ray(x, y, o, d, scale);
      const double angle = view.orthographic ? 0 : dy, start = view.orthographic ? dy : 0;
      return radiance(o, d, view.znear * scale, view.zfar * scale, angle, start, 1, seed).min(1).max(0);
    }
  };

  // -------------------------------------------------------------------------------------------- pictures

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
    for (int i = 0; i < extra; ++i) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
  }

  void requireUpdated() const {
    if (!updated) throw std::invalid_argument("there is nothing to draw yet: call update() with a frame first");
  }

  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }

  void rgb(const View& view, std::span<std::uint8_t> out) {
    requireUpdated();
    requireRoom(out.size(), 3 * pixels());
    const Shot shot(*this, view);
    // one ray through the middle of each pixel
    std::vector<float> first(3 * pixels());
    forRows([&](int row) {
      for (int column = 0; column < width; ++column) {
        const std::size_t i =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
        const Rgb c = shot.colorAt(column + 0.5, row + 0.5, 64 * i);
        for (int k = 0; k < 3; ++k) first[3 * i + static_cast<std::size_t>(k)] = static_cast<float>(c[k]);
      }
    });
    // more where neighbours differ
    const int samples = std::clamp(options.samples, 1, 64);
    const auto differs = [&](std::size_t a, std::size_t b) {
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
            const double x = column + (s + 0.5) / samples, y = row + std::fmod(halton(s, 2) + 0.5 / samples, 1.0);
            const Rgb c = shot.colorAt(x, y, 64 * i + static_cast<std::uint64_t>(s + 1) % 64);
            for (int k = 0; k < 3; ++k) sum[k] += toLinear(c[k]);
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
    const Shot shot(*this, view);
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
const Scene& Renderer::scene() const { return *impl_->scene; }
RenderOptions& Renderer::options() { return impl_->options; }
void Renderer::update(const Frame& frame) { impl_->update(frame); }
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
