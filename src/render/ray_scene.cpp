#include "render/ray_scene.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sinew::render {

void across(const Vec3& n, Vec3& a, Vec3& b) {
  a = (std::abs(n.x()) > 0.6 ? Vec3::UnitY() : Vec3::UnitX()).cross(n).normalized();
  b = n.cross(a);
}
namespace {

using Vec3f = Eigen::Vector3f;

/// The tree is built on one thread: the order of equal hits, and with it every bit of the picture, depends on it.
void commit(RTCScene s) {
  tbb::task_arena one(1);
  one.execute([&] { rtcJoinCommitScene(s); });
}

/// Around a tree, and as much larger as rays in single precision may be off.
RTCBounds boxOf(RTCScene s) {
  RTCBounds box{};
  rtcGetSceneBounds(s, &box);
  for (auto [lower, upper] : {std::pair{&box.lower_x, &box.upper_x}, std::pair{&box.lower_y, &box.upper_y},
                              std::pair{&box.lower_z, &box.upper_z}}) {
    const float slack = 1e-5f * (std::abs(*lower) + std::abs(*upper)) + 1e-6f;
    *lower -= slack;
    *upper += slack;
  }
  return box;
}

void onBounds(const RTCBoundsFunctionArguments* args) {
  const auto& list = *static_cast<const std::vector<Primitive>*>(args->geometryUserPtr);
  Vec3 lower, upper;
  render::bounds(list[args->primID], lower, upper);
  *args->bounds_o = {static_cast<float>(lower.x()), static_cast<float>(lower.y()), static_cast<float>(lower.z()), 0,
                     static_cast<float>(upper.x()), static_cast<float>(upper.y()), static_cast<float>(upper.z()), 0};
}

bool meet(const Primitive& p, const RTCRay& ray, PrimitiveHit& hit) {
  const Vec3 o = p.rotation.transpose() * (Vec3(ray.org_x, ray.org_y, ray.org_z) - p.pos);
  const Vec3 d = p.rotation.transpose() * Vec3(ray.dir_x, ray.dir_y, ray.dir_z);
  return render::intersect(p, o, d, ray.tnear, ray.tfar, hit);
}

void onIntersect(const RTCIntersectFunctionNArguments* args) {
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

void onOccluded(const RTCOccludedFunctionNArguments* args) {
  if (!args->valid[0]) return;
  const auto& list = *static_cast<const std::vector<Primitive>*>(args->geometryUserPtr);
  auto* ray = reinterpret_cast<RTCRay*>(args->ray);
  PrimitiveHit hit;
  if (meet(list[args->primID], *ray, hit)) ray->tfar = -std::numeric_limits<float>::infinity();
}

}  // namespace

RayScene::RayScene(std::shared_ptr<const Scene> scene) : scene_(std::move(scene)) {
  if (!scene_) throw std::invalid_argument("a renderer needs a scene");
  device_.reset(rtcNewDevice(nullptr));
  if (!device_)
    throw std::runtime_error(
        fmt::format("Embree could not start: error {}", static_cast<int>(rtcGetDeviceError(nullptr))));
  for (const SceneTexture& texture : scene_->textures) pyramids_.emplace_back(texture);
  for (const SceneMesh& mesh : scene_->meshes) meshScenes_.push_back(meshScene(mesh));
}

Handle<RTCScene> RayScene::meshScene(const SceneMesh& mesh) {
  Handle<RTCScene> s(rtcNewScene(device_.get()));
  rtcSetSceneFlags(s.get(), RTC_SCENE_FLAG_ROBUST);
  Handle<RTCGeometry> g(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
  // copies, because the tree_ may read a little beyond the end
  float* v = static_cast<float*>(rtcSetNewGeometryBuffer(g.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12,
                                                         std::max<std::size_t>(1, mesh.positions.size() / 3)));
  std::copy(mesh.positions.begin(), mesh.positions.end(), v);
  auto* f = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(g.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12,
                                                                std::max<std::size_t>(1, mesh.indices.size() / 3)));
  std::fill(f, f + 3, 0u);
  std::copy(mesh.indices.begin(), mesh.indices.end(), f);
  rtcCommitGeometry(g.get());
  rtcAttachGeometry(s.get(), g.get());
  commit(s.get());
  return s;
}

int RayScene::addSurface(Surface surface) {
  const SceneMaterial* material = materialOf(surface);
  if (material) surface.emission = material->emission;
  surface.casts = surface.rgba[3] >= 1;
  surfaces_.push_back(surface);
  return static_cast<int>(surfaces_.size()) - 1;
}

void RayScene::requireFilled(const Frame& frame) const {
  const bool fits =
      frame.instanceVisible.size() == scene_->instances.size() && frame.flexVisible.size() == scene_->flexes.size() &&
      frame.skinVisible.size() == scene_->skins.size() && frame.lightPos.size() == 3 * scene_->lights.size() &&
      frame.flexPosition.size() == 3 * static_cast<std::size_t>(scene_->numFlexVertices);
  if (!fits) throw std::invalid_argument("the frame was not filled for this scene_ by updateFrame()");
}

void RayScene::addInstances(const Frame& frame) {
  for (std::size_t i = 0; i < scene_->instances.size(); ++i) {
    const SceneInstance& instance = scene_->instances[i];
    Surface surface{instance.object.type, instance.object.id, instance.material, frame.instanceRgba[i], instance.map};
    surface.texscale = {instance.texscale[0], instance.texscale[1], instance.texscale[2]};
    surface.reflects = instance.shape == SceneShape::Plane || instance.shape == SceneShape::Box;
    const int index = addSurface(surface);
    const Vec3 pos = ConstMapVec3(&frame.instancePos[3 * i]);
    const Mat3 R = ConstMapMat3(&frame.instanceMat[9 * i]);
    if (instance.shape == SceneShape::Mesh) {
      placeMesh(i, instance, index, pos, R, frame.instanceVisible[i] != 0);
    } else if (frame.instanceVisible[i]) {
      addPrimitive({instance.shape, Vec3(instance.size[0], instance.size[1], instance.size[2]), pos, R, index});
    }
  }
}

void RayScene::addPrimitive(const Primitive& p) {
  if (p.shape == SceneShape::Plane) {
    planes_.push_back(p);
    hasEndless_ = hasEndless_ || p.size[0] <= 0 || p.size[1] <= 0;
    return;
  }
  primitives_.push_back(p);
  if (surfaces_[p.surface].casts) shadowCasters_.push_back(p);
}

/// Meshes are instances of a tree of their own; only their transform changes.
void RayScene::placeMesh(std::size_t i, const SceneInstance& instance, int surface, const Vec3& pos, const Mat3& R,
                         bool visible) {
  Triangles& entry = slot(i);
  if (!entry.geometry) {
    entry.geometry.reset(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(entry.geometry.get(), meshScenes_[instance.mesh].get());
    rtcSetGeometryTimeStepCount(entry.geometry.get(), 1);
    entry.mesh = &scene_->meshes[instance.mesh];
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
RayScene::Triangles& RayScene::slot(std::size_t i) {
  const std::size_t count = scene_->instances.size() + scene_->flexes.size() + scene_->skins.size();
  if (triangles_.size() != count) triangles_.resize(count);
  return triangles_[i];
}

/// A soft surface: the same triangles over vertices that moved. The tree is refitted, not built anew.
void RayScene::placeSoft(Triangles& entry, const std::vector<std::uint32_t>& indices, const float* position,
                         std::size_t vertices, int surface, bool visible) {
  entry.surface = surface;
  entry.visible = visible && !indices.empty();
  if (!entry.visible) return;
  const bool isNew = !entry.geometry;
  if (isNew) {
    entry.geometry.reset(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
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

void RayScene::addFlexes(const Frame& frame) {
  flexPosition_ = frame.flexPosition;
  flexNormal_ = frame.flexNormal;
  flexValue_ = frame.flexValue;
  flexRange_ = frame.flexRange;
  for (std::size_t i = 0; i < scene_->flexes.size(); ++i) {
    const SceneFlex& flex = scene_->flexes[i];
    const int surface = addSurface({ObjType::Flex, flex.object.id, flex.material, flex.rgba, flex.map});
    const bool visible = frame.flexVisible[i] != 0;
    if (flex.dim == 1) {
      if (visible) addTubes(flex, surface);
      continue;
    }
    Triangles& entry = slot(scene_->instances.size() + i);
    entry.flex = &flex;
    placeSoft(entry, flex.indices, flexPosition_.data() + 3 * flex.vertexAdr, static_cast<std::size_t>(flex.vertexNum),
              surface, visible);
  }
}

void RayScene::addTubes(const SceneFlex& flex, int surface) {
  for (std::size_t k = 0; k + 1 < flex.lines.size(); k += 2) {
    int own = surface;
    if (!flexValue_.empty()) {
      const auto value = [&](std::size_t e) {
        return flexValue_[static_cast<std::size_t>(flex.vertexAdr) + flex.lines[e]];
      };
      Surface colored = surfaces_[surface];
      colored.rgba = heatOf(0.5 * (value(k) + value(k + 1)));
      colored.material = -1;
      colored.map = TextureMap::None;
      own = addSurface(colored);
    }
    const auto at = [&](std::size_t e) -> Vec3 {
      return Eigen::Map<const Vec3f>(flexPosition_.data() +
                                     3 * (static_cast<std::size_t>(flex.vertexAdr) + flex.lines[e]))
          .cast<double>();
    };
    addCapsule(at(k), at(k + 1), flex.radius, own);
  }
}

Color RayScene::heatOf(double value) const {
  const double span = flexRange_[1] - flexRange_[0];
  return heatColor(span > 0 ? (value - flexRange_[0]) / span : 0);
}

void RayScene::addCapsule(const Vec3& a, const Vec3& b, double radius, int surface) {
  const Vec3 axis = b - a;
  const double length = axis.norm();
  Mat3 R = Mat3::Identity();
  if (length > kMinVal) {
    const Vec3 z = axis / length;
    Vec3 x, y;
    across(z, x, y);
    R.col(0) = x, R.col(1) = y, R.col(2) = z;
  }
  if (radius > 0) addPrimitive({SceneShape::Capsule, Vec3(radius, length / 2, 0), (a + b) / 2, R, surface});
}

void RayScene::addSkins(const Frame& frame) {
  skinPosition_ = frame.skinPosition;
  skinNormal_ = frame.skinNormal;
  for (std::size_t i = 0; i < scene_->skins.size(); ++i) {
    const SceneSkin& skin = scene_->skins[i];
    const int surface = addSurface({ObjType::Skin, skin.object.id, skin.material, skin.rgba, skin.map});
    Triangles& entry = slot(scene_->instances.size() + scene_->flexes.size() + i);
    entry.skin = &skin;
    placeSoft(entry, skin.indices, skinPosition_.data() + 3 * skin.vertexAdr, static_cast<std::size_t>(skin.vertexNum),
              surface, frame.skinVisible[i] != 0);
  }
}

void RayScene::addTendons(const Frame& frame) {
  for (std::size_t t = 0; t < scene_->tendons.size(); ++t) {
    if (!frame.tendonVisible[t]) continue;
    const SceneTendon& tendon = scene_->tendons[t];
    const int surface = addSurface({ObjType::Tendon, tendon.object.id, tendon.material, frame.tendonRgba[t]});
    for (int k = frame.tendonAdr[t]; k < frame.tendonAdr[t + 1]; ++k) {
      const Eigen::Map<const Vec3f> a(&frame.tendonSegment[6 * static_cast<std::size_t>(k)]), b(a.data() + 3);
      addCapsule(a.cast<double>(), b.cast<double>(), frame.tendonRadius[t], surface);
    }
  }
}

void RayScene::addDecorations(const Frame& frame) {
  for (const Decoration& d : frame.decorations) {
    Surface surface{d.type, d.id, -1, d.rgba};
    const int index = addSurface(surface);
    surfaces_.back().emission = d.emission;
    surfaces_.back().casts = false;
    addPrimitive({d.shape, Vec3(d.size[0], d.size[1], d.size[2]), ConstMapVec3(d.pos.data()),
                  ConstMapMat3(d.mat.data()), index});
  }
}

void RayScene::setPrimitives(Handle<RTCGeometry>& geometry, std::vector<Primitive>& list) {
  if (!geometry) {
    geometry.reset(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_USER));
    rtcSetGeometryBoundsFunction(geometry.get(), onBounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry.get(), onIntersect);
    rtcSetGeometryOccludedFunction(geometry.get(), onOccluded);
  }
  rtcSetGeometryUserPrimitiveCount(geometry.get(), static_cast<unsigned>(list.size()));
  rtcSetGeometryUserData(geometry.get(), &list);
  rtcCommitGeometry(geometry.get());
}

Handle<RTCScene> RayScene::newTree() {
  Handle<RTCScene> s(rtcNewScene(device_.get()));
  rtcSetSceneFlags(s.get(), RTC_SCENE_FLAG_DYNAMIC | RTC_SCENE_FLAG_ROBUST);
  return s;
}

bool RayScene::casts(const Triangles& t) const { return surfaces_[t.surface].casts; }

void RayScene::buildTrees() {
  std::vector<int> now;
  bool separate = primitives_.size() != shadowCasters_.size();
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    if (!triangles_[i].visible) continue;
    now.push_back(static_cast<int>(i));
    separate = separate || !casts(triangles_[i]);
  }
  setPrimitives(primitiveGeometry_, primitives_);
  if (separate) setPrimitives(shadowGeometry_, shadowCasters_);
  if (!tree_ || now != attached_ || separate != separateShadows_) {
    attached_ = now;
    separateShadows_ = separate;
    tree_ = newTree();
    triangleOf_.assign(1, -1);
    rtcAttachGeometryByID(tree_.get(), primitiveGeometry_.get(), 0);
    for (const int i : attached_) {
      rtcAttachGeometryByID(tree_.get(), triangles_[i].geometry.get(), static_cast<unsigned>(triangleOf_.size()));
      triangleOf_.push_back(i);
    }
    shadowTree_.reset();
    if (separate) {
      shadowTree_ = newTree();
      rtcAttachGeometry(shadowTree_.get(), shadowGeometry_.get());
      for (const int i : attached_) {
        const Triangles& t = triangles_[i];
        if (casts(t)) rtcAttachGeometry(shadowTree_.get(), t.geometry.get());
      }
    }
  }
  commit(tree_.get());
  treeBox_ = boxOf(tree_.get());
  shadowBox_ = treeBox_;
  if (shadowTree_) {
    commit(shadowTree_.get());
    shadowBox_ = boxOf(shadowTree_.get());
  }
}

void RayScene::update(const Frame& frame) {
  requireFilled(frame);
  surfaces_.clear();
  primitives_.clear();
  shadowCasters_.clear();
  planes_.clear();
  hasEndless_ = false;
  addInstances(frame);
  addFlexes(frame);
  addSkins(frame);
  addTendons(frame);
  addDecorations(frame);
  lightPos_ = frame.lightPos;
  lightDir_ = frame.lightDir;
  buildTrees();
  updated_ = true;
}

}  // namespace sinew::render
